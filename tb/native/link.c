/* The PCIe link between the bus and host memory: which packet is where in which cycle (docs/link.md).
 *
 * Arithmetic alone, the twin of model/link.py: rows of packets each way, credits, latencies. Who offers
 * packets does so in the order of their stamps (offers.c). Times on the wire are units, 65,536 a cycle.
 */
#include <stdlib.h>
#include <string.h>

#include "ringbench.h"

enum { UNITS = 65536, CREDIT_BYTES = 16, REGISTER_BYTES = 4 };
enum { WRITE_HEADER = 24, READ_HEADER = 24, COMPLETION_HEADER = 20 };

/* Members and order of model.link.LinkTiming.numbers: bytes, units, cycles and credits. byte_units = 0: the
 * bus is ideal, there is no link.
 */
struct rb_link_numbers {
    u64 byte_units, mps, mrrs, rcb, up_latency, down_latency, memory_latency, credit_return;
    u64 posted_headers, posted_data, nonposted_headers, posted_room_units;
};
static struct rb_link_numbers link;

/* Credits of one kind. Those in use come back in order; each packet holds some, and a header credit as well,
 * so there are never more of them than header credits.
 */
struct credits {
    u64 free;
    u64 first, count, room; /* of the ring `back` */
    struct coming {
        u64 cycle, credits;
    } *back;
};
static struct credits headers, data, requests;

static u64 up_free, down_free; /* end of the last packet of each row */
static u64 last_fetch;
static u64 busy[2];

void rb_link_clear(void)
{
    memset(&link, 0, sizeof link);
    free(headers.back);
    free(data.back);
    free(requests.back);
    memset(&headers, 0, sizeof headers);
    memset(&data, 0, sizeof data);
    memset(&requests, 0, sizeof requests);
    up_free = down_free = last_fetch = busy[0] = busy[1] = 0;
}

static int with_credits(struct credits *credits, u64 limit, u64 packets)
{
    credits->free = limit;
    credits->room = packets;
    credits->back = calloc(packets, sizeof *credits->back);
    return credits->back != NULL;
}

/* A link with these numbers from now on. Returns 0 without memory. */
u64 rb_link_use(const struct rb_link_numbers *numbers)
{
    rb_link_clear();
    link = *numbers;
    return with_credits(&headers, link.posted_headers, link.posted_headers)
           && with_credits(&data, link.posted_data, link.posted_headers)
           && with_credits(&requests, link.nonposted_headers, link.nonposted_headers);
}

int rb_link_on(void)
{
    return link.byte_units != 0;
}

/* The same for the HDL. */
u64 rb_bus_linked(void)
{
    return rb_link_on();
}

/* How long packets have occupied a direction (0 up, 1 down), in units. */
u64 rb_link_busy(u64 direction)
{
    return busy[direction & 1];
}

static u64 later(u64 a, u64 b)
{
    return a > b ? a : b;
}

/* The first cycle that begins at `units` or later. */
static u64 cycle_from(u64 units)
{
    return (units + UNITS - 1) / UNITS;
}

static struct coming first_back(struct credits *credits)
{
    struct coming coming = credits->back[credits->first];

    credits->first = (credits->first + 1) % credits->room;
    credits->count--;
    credits->free += coming.credits;
    return coming;
}

/* The first unit from `earliest` on at which `needed` credits are free; takes them. */
static u64 take(struct credits *credits, u64 earliest, u64 needed)
{
    while (credits->count && credits->back[credits->first].cycle * UNITS <= earliest)
        first_back(credits);
    while (credits->free < needed && credits->count)
        earliest = later(earliest, first_back(credits).cycle * UNITS);
    credits->free -= needed;
    return earliest;
}

static void give_back(struct credits *credits, u64 cycle, u64 count)
{
    credits->back[(credits->first + credits->count++) % credits->room] = (struct coming){cycle, count};
}

static u64 up(u64 start, u64 wire_bytes)
{
    u64 units = wire_bytes * link.byte_units;

    busy[0] += units;
    return up_free = start + units;
}

static u64 down(u64 earliest, u64 wire_bytes)
{
    u64 units = wire_bytes * link.byte_units;

    busy[1] += units;
    down_free = later(earliest, down_free) + units;
    return cycle_from(down_free);
}

/* A write burst of 1 or more bytes: the cycle in which it is visible in memory. */
u64 rb_link_write(u64 stamp, u64 payload_bytes)
{
    u64 visible = 0;

    while (payload_bytes) {
        u64 piece = payload_bytes < link.mps ? payload_bytes : link.mps;
        u64 units = (piece + CREDIT_BYTES - 1) / CREDIT_BYTES;
        u64 start = take(&headers, later((stamp + 1) * UNITS, up_free), 1);

        start = take(&data, start, units);
        visible = cycle_from(up(start, WRITE_HEADER + piece)) + link.up_latency;
        give_back(&headers, visible + link.credit_return, 1);
        give_back(&data, visible + link.credit_return, units);
        payload_bytes -= piece;
    }
    return visible;
}

/* The cycle of B of the write booked last, which had this stamp. */
u64 rb_link_reply(u64 stamp)
{
    u64 room = link.posted_room_units;

    return later(stamp + 2, up_free > room ? cycle_from(up_free - room) : 0);
}

/* A read burst's requests: the cycle at whose beginning memory is read. */
u64 rb_link_read(u64 stamp, u64 payload_bytes, u64 jitter_cycles)
{
    u64 fetch = last_fetch;

    for (u64 left = payload_bytes; left; left -= left < link.mrrs ? left : link.mrrs) {
        u64 start = take(&requests, later((stamp + 1) * UNITS, up_free), 1);

        fetch = cycle_from(up(start, READ_HEADER)) + link.up_latency + link.memory_latency + jitter_cycles;
        fetch = later(fetch, last_fetch);
        give_back(&requests, fetch + link.credit_return, 1);
    }
    return last_fetch = fetch;
}

/* A read burst's completions, offered in cycle `fetch`: the first cycle in which the bridge has them all. */
u64 rb_link_complete(u64 fetch, u64 address, u64 payload_bytes)
{
    u64 first = address & ~(u64)3;
    u64 blocks = (first + payload_bytes - 1) / link.rcb - first / link.rcb + 1;

    return down(fetch * UNITS, payload_bytes + blocks * COMPLETION_HEADER) + link.down_latency;
}

/* A register access on its way in: the first cycle in which the engine can take it. */
u64 rb_link_register_access(u64 stamp, u64 is_write)
{
    u64 wire_bytes = is_write ? WRITE_HEADER + REGISTER_BYTES : READ_HEADER;

    return down((stamp + 1) * UNITS, wire_bytes) + link.down_latency;
}

/* A register read's value on its way back: the cycle in which the driver has it. */
u64 rb_link_register_completion(u64 stamp)
{
    u64 start = later((stamp + 1) * UNITS, up_free);

    return cycle_from(up(start, COMPLETION_HEADER + REGISTER_BYTES)) + link.up_latency;
}
