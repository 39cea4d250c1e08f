/* MII: the program as nibbles towards the engine, and nibbles from the engine as frames (IEEE 802.3 clause
 * 22). */
#include "ringbench.h"

enum { PREAMBLE_NIBBLES = 15, PREAMBLE = 0x5, SFD = 0xd };
enum { DV = 1 << 4, ER = 1 << 5, DONE = 1 << 6, HOLD_SHIFT = 32 };

/* Player: frame `frame`, nibble `nibble` of it counted from the first preamble nibble. */
static u64 frame, nibble, byte_base;
static int in_gap;

/* Checker. */
static struct rb_frame record;
static int busy, in_data, half_seen;
static unsigned low;
static u64 last_busy_tick; /* tick in which the last frame's last nibble was sampled */
static u64 frames_seen;

void rb_mii_clear(void)
{
    frame = nibble = byte_base = frames_seen = last_busy_tick = 0;
    in_gap = busy = in_data = half_seen = 0;
}

/* Back to the program's first frame. Returns its gap in ticks. */
u64 rb_mii_start(void)
{
    frame = nibble = byte_base = 0;
    in_gap = 0;
    return rb_program.frames ? rb_program.gap[0] : 0;
}

static u64 idle_before(u64 next)
{
    if (next == rb_program.frames)
        return DONE;
    in_gap = 0;
    return (u64)(rb_program.gap[next] - 1) << HOLD_SHIFT;
}

/* What to load at the end of this tick: {ticks to hold it beyond this one[32], done, er, dv, nibble[4]}. */
u64 rb_mii_play(void)
{
    u64 length, flags, last, data, word;

    if (frame == rb_program.frames)
        return DONE;
    length = rb_program.length[frame];
    flags = rb_program.flags[frame];
    last = PREAMBLE_NIBBLES + 1 + 2 * length + (flags & RB_PLAY_ODD ? 1 : 0);
    if (nibble == last) { /* the frame is over: the first idle nibble, and the gap runs */
        byte_base += length;
        nibble = 0;
        return idle_before(++frame);
    }
    if (nibble < PREAMBLE_NIBBLES)
        word = PREAMBLE;
    else if (nibble == PREAMBLE_NIBBLES)
        word = SFD;
    else {
        data = nibble - PREAMBLE_NIBBLES - 1;
        word = data / 2 < length ? rb_program.bytes[byte_base + data / 2] >> (data & 1 ? 4 : 0) & 15 : 0;
        if (flags & RB_PLAY_ERROR && data / 2 == flags >> 8)
            word |= ER;
    }
    nibble++;
    return word | DV;
}

static void begin(u64 tick, u64 period)
{
    record = (struct rb_frame){.gap = UINT32_MAX};
    if (frames_seen++)
        record.gap = (uint32_t)((tick - last_busy_tick) / period - 1);
    busy = 1;
    in_data = half_seen = 0;
}

static void end(u64 drop_tick)
{
    record.end_cycle = drop_tick;
    if (half_seen)
        record.flags |= RB_FRAME_ODD;
    if (!in_data)
        record.flags |= RB_FRAME_NO_SFD;
    rb_frame_close(&record);
    busy = 0;
}

/* The engine's outputs in tick cycle `tick`: symbol = {er, en, nibble[4]}. `loaded` is the tick before, at
 * whose end the engine put them there.
 */
void rb_mii_check(u64 tick, u64 loaded, u64 symbol)
{
    unsigned value = symbol & 15;

    if (!(symbol & DV)) {
        if (busy)
            end(loaded);
        return;
    }
    if (!busy)
        begin(tick, tick - loaded);
    last_busy_tick = tick;
    if (symbol & ER)
        record.flags |= RB_FRAME_ERROR;
    if (!in_data) {
        if (value == SFD) {
            in_data = 1;
            record.sfd_cycle = loaded;
        } else
            record.preamble++;
    } else if (half_seen)
        rb_frame_byte(low | value << 4), half_seen = 0;
    else
        low = value, half_seen = 1;
}
