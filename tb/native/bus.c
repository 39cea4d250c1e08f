/* Bursts on the bus memory: what holds for reads and writes alike. Settings, counts, injected errors, the
 * rules of AXI.
 *
 * The extra latency of a burst is a hash of seed, requester, direction and ordinal, so that the golden model
 * draws the same whatever the order of the bursts.
 */
#include <string.h>

#include "bus.h"

struct fault {
    u64 requester, write, ordinal;
};

struct rb_bus_timing rb_timing = {.beat_interval = 1, .outstanding = 1};
u64 rb_width_bytes = 4;

struct rb_array rb_faults = {.record_bytes = sizeof(struct fault)};
struct rb_array rb_bursts = {.record_bytes = sizeof(struct rb_burst)};

/* Per requester, then read and write; mapped by Python. */
struct rb_bus_counts {
    u64 bursts[REQUESTERS][2];
    u64 beats[REQUESTERS][2];
    u64 faults;
};
static struct rb_bus_counts counts;

static uint32_t mix(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

void rb_bus_clear(void)
{
    memset(&rb_timing, 0, sizeof rb_timing);
    rb_timing.beat_interval = rb_timing.outstanding = 1;
    memset(&counts, 0, sizeof counts);
    rb_array_clear(&rb_faults);
    rb_array_clear(&rb_bursts);
    rb_width_bytes = 4;
    rb_reads_clear();
    rb_writes_clear();
    rb_words_clear();
    rb_link_clear();
}

struct rb_bus_timing *rb_bus_timing(void)
{
    return &rb_timing;
}

struct rb_bus_counts *rb_bus_count_block(void)
{
    return &counts;
}

/* Burst `ordinal` of this requester and direction is to answer SLVERR. Returns 0 if there is no memory. */
u64 rb_bus_fault(u64 requester, u64 write, u64 ordinal)
{
    struct fault *fault = rb_array_add(&rb_faults, 1);

    if (!fault)
        return 0;
    *fault = (struct fault){requester, write, ordinal};
    return 1;
}

void rb_broken_rule(u64 cycle)
{
    rb_count_error(&rb_control.bus_errors, &rb_control.bus_first_cycle, cycle);
}

/* shape = {burst[2], size[3]}. */
struct rb_burst rb_burst_opened(u64 write, u64 cycle, u64 requester, u64 address, u64 beats, u64 shape)
{
    struct rb_burst burst = {.open_cycle = cycle, .address = address, .write = (uint8_t)write};
    uint32_t key;
    const struct fault *fault = (const struct fault *)rb_faults.base;
    u64 first, last;

    burst.beats = (uint16_t)beats;
    burst.size = shape & 7;
    burst.kind = shape >> 3 & 3;
    burst.requester = (uint8_t)(requester % REQUESTERS);
    burst.ordinal = (uint32_t)counts.bursts[burst.requester][write]++;
    key = (uint32_t)rb_timing.seed ^ (uint32_t)requester << 30 ^ (uint32_t)write << 29 ^ burst.ordinal;
    burst.extra_cycles = (uint32_t)(mix(key) % (rb_timing.jitter + 1));
    for (u64 k = 0; k < rb_faults.count; k++)
        if (fault[k].requester == requester && fault[k].write == write && fault[k].ordinal == burst.ordinal) {
            burst.response = SLVERR;
            counts.faults++;
        }
    first = address >> 12;
    last = ((address >> burst.size << burst.size) + (beats << burst.size) - 1) >> 12;
    if (requester >= REQUESTERS || burst.kind > INCR || ((u64)1 << burst.size) > rb_width_bytes
        || (burst.kind == INCR && first != last))
        rb_broken_rule(cycle);
    return burst;
}

/* Address of a beat, aligned down to a whole bus word: the byte lanes carry that word. */
u64 rb_burst_word(const struct rb_burst *burst, u64 beat)
{
    u64 address = burst->address;

    if (beat && burst->kind == INCR)
        address = (address >> burst->size << burst->size) + (beat << burst->size);
    return address & ~(rb_width_bytes - 1);
}

/* All cycles of a burst are known: into counts and log. */
void rb_burst_finished(const struct rb_burst *burst)
{
    struct rb_burst *record;

    counts.beats[burst->requester][burst->write] += burst->beats;
    if (rb_timing.log_bursts && (record = rb_array_add(&rb_bursts, 1)))
        *record = *burst;
}

u64 rb_bus_interval(void)
{
    return rb_timing.beat_interval;
}

/* How many reads may be open; behind a link that is the engine's business alone. */
u64 rb_bus_outstanding(void)
{
    return rb_link_on() ? OPEN_READS : rb_timing.outstanding;
}

void rb_bus_width(u64 bytes)
{
    rb_width_bytes = bytes;
}
