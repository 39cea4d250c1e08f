/* Timing and data of the bus memory: when a burst's beats come, and which bytes they carry.
 *
 * A read burst takes its bytes from host memory in one moment (rb_bus_read_begin), a write burst gives them
 * in one moment (rb_bus_write_close); between the two the bytes are held here. The extra latency of a burst
 * is a hash of seed, requester, direction and ordinal, so that the golden model draws the same whatever the
 * order of the bursts.
 */
#include <string.h>

#include "ringbench.h"

enum { REQUESTERS = 16, OPEN_READS = 256, BURST_BYTES = 256 * 128 };
enum { OKAY = 0, SLVERR = 2, FIXED = 0, INCR = 1 };

struct burst {
    u64 open_cycle;  /* of the address handshake */
    u64 begin_cycle; /* of the first data beat */
    u64 end_cycle;   /* of the last data beat */
    u64 reply_cycle; /* of a write's first bvalid; a read's last beat */
    u64 address;
    uint32_t ordinal; /* of its requester and direction, from 0 */
    uint16_t beats;
    uint8_t size; /* log2 of the bytes of a beat */
    uint8_t kind; /* FIXED, INCR */
    uint8_t requester;
    uint8_t write;
    uint8_t response;
    uint8_t spare;
    uint32_t extra_cycles;
};

struct fault {
    u64 requester, write, ordinal;
};

struct rb_bus_timing {
    u64 read_latency, write_latency, beat_interval, jitter, seed, outstanding, log_bursts;
};
static struct rb_bus_timing timing = {.beat_interval = 1, .outstanding = 1};

struct rb_array rb_faults = {.record_bytes = sizeof(struct fault)};
struct rb_array rb_bursts = {.record_bytes = sizeof(struct burst)};

/* Per requester, then read and write; mapped by Python. */
struct rb_bus_counts {
    u64 bursts[REQUESTERS][2];
    u64 beats[REQUESTERS][2];
    u64 faults;
};
struct rb_bus_counts rb_bus_counts;

static u64 width_bytes = 4;
static struct burst open_reads[OPEN_READS];
static u64 reads_opened, reads_begun;
static struct burst reading, writing;
static unsigned char read_bytes[BURST_BYTES], write_bytes[BURST_BYTES];
static unsigned char write_enables[BURST_BYTES];

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
    memset(&timing, 0, sizeof timing);
    timing.beat_interval = timing.outstanding = 1;
    memset(&rb_bus_counts, 0, sizeof rb_bus_counts);
    rb_array_clear(&rb_faults);
    rb_array_clear(&rb_bursts);
    reads_opened = reads_begun = 0;
    width_bytes = 4;
}

struct rb_bus_timing *rb_bus_timing(void)
{
    return &timing;
}

struct rb_bus_counts *rb_bus_count_block(void)
{
    return &rb_bus_counts;
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

static void broken_rule(u64 cycle)
{
    rb_count_error(&rb_control.bus_errors, &rb_control.bus_first_cycle, cycle);
}

static struct burst opened(u64 write, u64 cycle, u64 requester, u64 address, u64 beats, u64 shape)
{
    struct burst burst = {.open_cycle = cycle, .address = address, .write = (uint8_t)write};
    uint32_t key;
    const struct fault *fault = (const struct fault *)rb_faults.base;
    u64 first, last;

    burst.beats = (uint16_t)beats;
    burst.size = shape & 7;
    burst.kind = shape >> 3 & 3;
    burst.requester = (uint8_t)(requester % REQUESTERS);
    burst.ordinal = (uint32_t)rb_bus_counts.bursts[burst.requester][write]++;
    key = (uint32_t)timing.seed ^ (uint32_t)requester << 30 ^ (uint32_t)write << 29 ^ burst.ordinal;
    burst.extra_cycles = (uint32_t)(mix(key) % (timing.jitter + 1));
    for (u64 k = 0; k < rb_faults.count; k++)
        if (fault[k].requester == requester && fault[k].write == write && fault[k].ordinal == burst.ordinal) {
            burst.response = SLVERR;
            rb_bus_counts.faults++;
        }
    first = address >> 12;
    last = ((address >> burst.size << burst.size) + (beats << burst.size) - 1) >> 12;
    if (requester >= REQUESTERS || burst.kind > INCR || ((u64)1 << burst.size) > width_bytes
        || (burst.kind == INCR && first != last))
        broken_rule(cycle);
    return burst;
}

/* Address of beat k, aligned down to a whole bus word: the byte lanes carry that word. */
static u64 word_address(const struct burst *burst, u64 beat)
{
    u64 address = burst->address;

    if (beat && burst->kind == INCR)
        address = (address >> burst->size << burst->size) + (beat << burst->size);
    return address & ~(width_bytes - 1);
}

u64 rb_bus_interval(void)
{
    return timing.beat_interval;
}

u64 rb_bus_outstanding(void)
{
    return timing.outstanding;
}

void rb_bus_width(u64 bytes)
{
    width_bytes = bytes;
}

/* shape = {burst[2], size[3]}. Returns the earliest cycle of its first beat. */
u64 rb_bus_read_open(u64 cycle, u64 requester, u64 address, u64 beats, u64 shape)
{
    struct burst *burst = &open_reads[reads_opened++ % OPEN_READS];

    *burst = opened(0, cycle, requester, address, beats, shape);
    burst->begin_cycle = cycle + 1 + timing.read_latency + burst->extra_cycles;
    return burst->begin_cycle;
}

/* Earliest first beat of the oldest read that has not begun. */
u64 rb_bus_read_due(void)
{
    return reads_begun < reads_opened ? open_reads[reads_begun % OPEN_READS].begin_cycle : RB_NEVER;
}

/* The oldest read begins with a beat in `cycle`: its bytes are taken now. Returns
 * {requester, response[2], beats[9]}.
 */
u64 rb_bus_read_begin(u64 cycle)
{
    reading = open_reads[reads_begun++ % OPEN_READS];
    reading.begin_cycle = cycle;
    for (u64 beat = 0; beat < reading.beats; beat++) {
        const unsigned char *source = rb_memory_at(word_address(&reading, beat), width_bytes);

        if (source)
            memcpy(read_bytes + beat * width_bytes, source, width_bytes);
        else
            memset(read_bytes + beat * width_bytes, 0, width_bytes);
    }
    return (u64)reading.requester << 11 | (u64)reading.response << 9 | reading.beats;
}

/* 64 bits (fewer on a narrower bus) of a beat of the read under way. */
u64 rb_bus_read_data(u64 beat, u64 lane)
{
    u64 word = 0;

    memcpy(&word, read_bytes + beat * width_bytes + lane * 8, width_bytes < 8 ? width_bytes : 8);
    return word;
}

static void finished(struct burst *burst)
{
    struct burst *record;

    rb_bus_counts.beats[burst->requester][burst->write] += burst->beats;
    if (timing.log_bursts && (record = rb_array_add(&rb_bursts, 1)))
        *record = *burst;
}

void rb_bus_read_end(u64 cycle)
{
    reading.end_cycle = reading.reply_cycle = cycle;
    finished(&reading);
}

void rb_bus_write_open(u64 cycle, u64 requester, u64 address, u64 beats, u64 shape)
{
    writing = opened(1, cycle, requester, address, beats, shape);
}

void rb_bus_write_data(u64 beat, u64 lane, u64 data, u64 strobe)
{
    u64 at = beat % 256 * width_bytes + lane * 8;

    for (u64 k = 0; k < 8 && k < width_bytes; k++) {
        write_bytes[at + k] = (unsigned char)(data >> 8 * k);
        write_enables[at + k] = strobe >> k & 1;
    }
}

/* The last beat was in `cycle`; `wlast` says whether it came where it should. Returns
 * {response[2], cycle of bvalid[62]}.
 */
u64 rb_bus_write_close(u64 cycle, u64 wlast)
{
    if (!wlast)
        broken_rule(cycle);
    for (u64 beat = 0; writing.response == OKAY && beat < writing.beats; beat++) {
        const unsigned char *enable = write_enables + beat * width_bytes;
        u64 address = word_address(&writing, beat);
        unsigned char *target;

        if (!memchr(enable, 1, width_bytes) || !(target = rb_memory_at(address, width_bytes)))
            continue;
        for (u64 k = 0; k < width_bytes; k++)
            if (enable[k])
                target[k] = write_bytes[beat * width_bytes + k];
    }
    writing.end_cycle = cycle;
    writing.reply_cycle = cycle + 1 + timing.write_latency + writing.extra_cycles;
    finished(&writing);
    return (u64)writing.response << 62 | writing.reply_cycle;
}
