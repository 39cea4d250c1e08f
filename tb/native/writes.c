/* Write bursts: the bus accepts one at a time, and gives all of its bytes to memory in one moment: at its
 * last beat, or, behind a link, when its last packet has arrived.
 */
#include <string.h>

#include "bus.h"

static struct rb_burst writing;
static unsigned char bytes[BURST_BYTES], enables[BURST_BYTES];
static int offered; /* to the link, and not booked yet */
static int vanishes;

void rb_writes_clear(void)
{
    offered = 0;
}

void rb_bus_write_open(u64 cycle, u64 requester, u64 address, u64 beats, u64 shape)
{
    writing = rb_burst_opened(1, cycle, requester, address, beats, shape);
}

void rb_bus_write_data(u64 beat, u64 lane, u64 data, u64 strobe)
{
    u64 at = beat % 256 * rb_width_bytes + lane * 8;

    for (u64 k = 0; k < 8 && k < rb_width_bytes; k++) {
        bytes[at + k] = (unsigned char)(data >> 8 * k);
        enables[at + k] = strobe >> k & 1;
    }
}

/* All words of the burst with an enabled byte, to be stored now, or visible in a later cycle. */
static void give(u64 visible)
{
    u64 lane_bytes = rb_width_bytes < 8 ? rb_width_bytes : 8;

    for (u64 at = 0; at < writing.beats * rb_width_bytes; at += lane_bytes) {
        u64 address = rb_burst_word(&writing, at / rb_width_bytes) + at % rb_width_bytes;
        u64 word = 0;
        unsigned strobe = 0;

        memcpy(&word, bytes + at, lane_bytes);
        for (u64 k = 0; k < lane_bytes; k++)
            strobe |= (unsigned)enables[at + k] << k;
        if (!strobe)
            continue;
        if (visible)
            rb_word_send(visible, address, word, strobe);
        else
            rb_word_store(address, word, strobe);
    }
}

/* The last beat was in `cycle`; `wlast` says whether it came where it should. Returns
 * {response[2], cycle of bvalid[62]}; behind a link the cycle is rb_bus_reply's to say, one edge later.
 */
u64 rb_bus_write_close(u64 cycle, u64 wlast)
{
    if (!wlast)
        rb_broken_rule(cycle);
    writing.end_cycle = cycle;
    if (rb_link_on()) {
        vanishes = writing.response != OKAY; /* posted: the bridge has answered before it could know */
        writing.response = OKAY;
        offered = 1;
        return 0;
    }
    if (writing.response == OKAY)
        give(0);
    writing.reply_cycle = cycle + 1 + rb_timing.write_latency + writing.extra_cycles;
    rb_burst_finished(&writing);
    return (u64)writing.response << 62 | writing.reply_cycle;
}

u64 rb_write_stamp(void)
{
    return offered ? writing.end_cycle : RB_NEVER;
}

/* Bytes on the link: whole 32-bit words from the first enabled byte to the last; a burst that enables none is
 * still a packet of one word.
 */
static u64 payload_bytes(void)
{
    u64 total = writing.beats * rb_width_bytes, first = 0, end = total;

    while (first < total && !enables[first])
        first++;
    while (end > first && !enables[end - 1])
        end--;
    return end > first ? ((end + 3) & ~(u64)3) - (first & ~(u64)3) : 4;
}

void rb_write_book(void)
{
    u64 visible = rb_link_write(writing.end_cycle, payload_bytes());

    if (!vanishes)
        give(visible);
    writing.reply_cycle = rb_link_reply(writing.end_cycle);
    rb_burst_finished(&writing);
    offered = 0;
}

/* The cycle of bvalid of the write booked last. */
u64 rb_bus_reply(void)
{
    return writing.reply_cycle;
}
