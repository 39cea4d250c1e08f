/* The event log: what the engine's tap lanes reported, in the order of the cycles. */
#include "ringbench.h"

/* Layout of model.events.EVENT. */
struct rb_event_record {
    u64 cycle;
    uint16_t kind;
    uint16_t ring;
    uint32_t index;
    u64 data;
};

struct rb_array rb_events = {.record_bytes = sizeof(struct rb_event_record)};

void rb_event(u64 cycle, u64 kind, u64 ring, u64 index, u64 data)
{
    struct rb_event_record *record = rb_array_add(&rb_events, 1);

    if (!record)
        return;
    record->cycle = cycle;
    record->kind = (uint16_t)kind;
    record->ring = (uint16_t)ring;
    record->index = (uint32_t)index;
    record->data = data;
}
