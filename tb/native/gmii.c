/* GMII: the program as bytes towards the engine, and bytes from the engine as frames (IEEE 802.3 clause 35).
 *
 * A byte passes in every cycle, so both ways eight are handed over in a call, and idle stretches in one
 * number.
 */
#include <string.h>

#include "ringbench.h"

enum { CHUNK = 8, PREAMBLE_BYTES = 7, PREAMBLE = 0x55, SFD = 0xd5 };
enum { ERRORS_SHIFT = 4, DONE = 1 << 12, IDLE_SHIFT = 32 };

/* Player: next is byte `next` of frame `frame`, or its preamble, or the gap behind it. */
static u64 frame, next, byte_base;
static int preamble_next;
static u64 chunk;

/* Checker. */
static struct rb_frame record;
static int busy, in_data;
static u64 last_busy_cycle; /* in which the last frame's last byte was visible */
static u64 frames_seen;

void rb_gmii_clear(void)
{
    frame = next = byte_base = frames_seen = last_busy_cycle = 0;
    preamble_next = 1;
    busy = in_data = 0;
}

/* Back to the program's first frame. Returns its gap in cycles. */
u64 rb_gmii_start(void)
{
    frame = next = byte_base = 0;
    preamble_next = 1;
    return rb_program.frames ? rb_program.gap[0] : 0;
}

/* What to load from the end of this cycle on: {idle cycles[32], 19 zeros, done, rx_er of each byte[8],
 * number of bytes[4]}, the bytes being rb_gmii_bytes's; no bytes: idle for so many cycles, and then the next.
 */
u64 rb_gmii_play(void)
{
    u64 length, flags, count, errors = 0;

    if (frame == rb_program.frames)
        return DONE;
    if (preamble_next) {
        memset(&chunk, PREAMBLE, sizeof chunk);
        chunk = chunk << 8 >> 8 | (u64)SFD << 8 * PREAMBLE_BYTES;
        preamble_next = 0;
        return CHUNK;
    }
    length = rb_program.length[frame];
    if (next == length) { /* the frame is over */
        byte_base += length;
        next = 0;
        preamble_next = 1;
        return ++frame == rb_program.frames ? DONE : (u64)rb_program.gap[frame] << IDLE_SHIFT;
    }
    flags = rb_program.flags[frame];
    count = length - next < CHUNK ? length - next : CHUNK;
    memcpy(&chunk, rb_program.bytes + byte_base + next, count);
    if (flags & RB_PLAY_ERROR && flags >> 8 >= next && flags >> 8 < next + count)
        errors = (u64)1 << ((flags >> 8) - next);
    next += count;
    return errors << ERRORS_SHIFT | count;
}

u64 rb_gmii_bytes(void)
{
    return chunk;
}

static void begin(u64 first)
{
    record = (struct rb_frame){.gap = UINT32_MAX};
    if (frames_seen++)
        record.gap = (uint32_t)(first - last_busy_cycle - 1);
    busy = 1;
    in_data = 0;
}

/* `count` bytes that the engine has shown since the last call, the first of them in cycle `first`; in
 * `errors` a bit a byte for tx_er; `ended`: the cycle after the last of them is idle.
 */
void rb_gmii_check(u64 first, u64 count, u64 bytes, u64 errors, u64 ended)
{
    if (!busy)
        begin(first);
    if (errors)
        record.flags |= RB_FRAME_ERROR;
    for (u64 k = 0; k < count; k++, bytes >>= 8) {
        unsigned value = bytes & 0xff;

        if (in_data)
            rb_frame_byte(value);
        else if (value == SFD) {
            in_data = 1;
            record.sfd_cycle = first + k - 1; /* a byte is loaded in the cycle before it shows */
        } else
            record.preamble++;
    }
    if (!ended)
        return;
    last_busy_cycle = first + count - 1;
    record.end_cycle = last_busy_cycle;
    if (!in_data)
        record.flags |= RB_FRAME_NO_SFD;
    rb_frame_close(&record);
    busy = 0;
}
