/* Read bursts: when their beats come, and which bytes they carry.
 *
 * A burst takes its bytes from host memory in one moment, and they are held here until its beats are shown.
 * On the ideal bus that moment is the first beat's; behind a link it is when the requests have reached
 * memory, long before the completions are back. Beats come in the order of the bursts.
 */
#include <string.h>

#include "bus.h"

/* Ordinal k lives in place k % OPEN_READS. begun <= ready <= booked <= opened. */
static struct rb_burst reads[OPEN_READS];
static u64 fetch_cycle[OPEN_READS];
static u64 opened, booked, ready, begun;
static struct rb_burst *reading = reads;
static unsigned char bytes[OPEN_READS][BURST_BYTES];
static unsigned char *reading_bytes = bytes[0];

void rb_reads_clear(void)
{
    opened = booked = ready = begun = 0;
}

static struct rb_burst *place(u64 ordinal)
{
    return &reads[ordinal % OPEN_READS];
}

/* Earliest first beat of the oldest read that has not begun. */
u64 rb_bus_read_due(void)
{
    return begun < ready ? place(begun)->begin_cycle : RB_NEVER;
}

/* shape = {burst[2], size[3]}. Returns what rb_bus_read_due says from now on. */
u64 rb_bus_read_open(u64 cycle, u64 requester, u64 address, u64 beats, u64 shape)
{
    struct rb_burst *burst = place(opened++);

    *burst = rb_burst_opened(0, cycle, requester, address, beats, shape);
    if (!rb_link_on()) {
        burst->begin_cycle = cycle + 1 + rb_timing.read_latency + burst->extra_cycles;
        ready = booked = opened;
    }
    return rb_bus_read_due();
}

static void take_bytes(const struct rb_burst *burst, unsigned char *target)
{
    for (u64 beat = 0; beat < burst->beats; beat++, target += rb_width_bytes) {
        const unsigned char *source = rb_memory_at(rb_burst_word(burst, beat), rb_width_bytes);

        if (source)
            memcpy(target, source, rb_width_bytes);
        else
            memset(target, 0, rb_width_bytes);
    }
}

/* The oldest read begins with a beat in `cycle`. Returns {requester, response[2], beats[9]}. */
u64 rb_bus_read_begin(u64 cycle)
{
    reading = place(begun);
    if (rb_link_on())
        reading_bytes = bytes[begun % OPEN_READS];
    else
        take_bytes(reading, reading_bytes = bytes[0]);
    begun++;
    reading->begin_cycle = cycle;
    return (u64)reading->requester << 11 | (u64)reading->response << 9 | reading->beats;
}

/* 64 bits (fewer on a narrower bus) of a beat of the read under way. */
u64 rb_bus_read_data(u64 beat, u64 lane)
{
    u64 word = 0;

    memcpy(&word, reading_bytes + beat * rb_width_bytes + lane * 8, rb_width_bytes < 8 ? rb_width_bytes : 8);
    return word;
}

void rb_bus_read_end(u64 cycle)
{
    reading->end_cycle = reading->reply_cycle = cycle;
    rb_burst_finished(reading);
}

/* Bytes on the link: from the first rounded down to the last rounded up to whole 32-bit words. */
static u64 payload_bytes(const struct rb_burst *burst)
{
    u64 end = (burst->address >> burst->size << burst->size) + ((u64)burst->beats << burst->size);

    return ((end + 3) & ~(u64)3) - (burst->address & ~(u64)3);
}

u64 rb_read_stamp(void)
{
    return booked < opened ? place(booked)->open_cycle : RB_NEVER;
}

void rb_read_book(void)
{
    const struct rb_burst *burst = place(booked);

    fetch_cycle[booked % OPEN_READS] = rb_link_read(burst->open_cycle, payload_bytes(burst),
                                                    burst->extra_cycles);
    booked++;
}

u64 rb_fetch_due(void)
{
    return ready < booked ? fetch_cycle[ready % OPEN_READS] : RB_NEVER;
}

/* The oldest read on its way takes its bytes; memory is as it has to be. */
void rb_fetch(void)
{
    struct rb_burst *burst = place(ready);

    take_bytes(burst, bytes[ready % OPEN_READS]);
    burst->begin_cycle = rb_link_complete(fetch_cycle[ready % OPEN_READS], burst->address,
                                          payload_bytes(burst));
    ready++;
}
