/* Frames on the wire, both ways, for every PHY kind: the program to be played and the records of what came
 * out. */
#include "ringbench.h"

struct rb_program rb_program;
struct rb_array rb_frames = {.record_bytes = sizeof(struct rb_frame)};
struct rb_array rb_frame_bytes = {.record_bytes = 1};

static uint32_t table[256];
static uint32_t remainder_now = 0xffffffffu;
static u64 frame_start; /* first byte of the frame under way in the flat buffer */

/* What the CRC register of IEEE 802.3 holds after a frame and its right FCS, bits reversed as the wire sends
 * them. */
enum { GOOD_REMAINDER = (int)0xdebb20e3u };

static void fill_table(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t value = byte;

        for (int bit = 0; bit < 8; bit++)
            value = value >> 1 ^ (value & 1 ? 0xedb88320u : 0);
        table[byte] = value;
    }
}

void rb_frame_byte(unsigned value)
{
    unsigned char *byte = rb_array_add(&rb_frame_bytes, 1);

    if (!table[1])
        fill_table();
    remainder_now = remainder_now >> 8 ^ table[(remainder_now ^ value) & 0xff];
    if (byte)
        *byte = (unsigned char)value;
}

/* Completes a record whose cycles, gap, preamble and other flags are filled in, and stores it. */
void rb_frame_close(struct rb_frame *frame)
{
    struct rb_frame *record = rb_array_add(&rb_frames, 1);

    frame->offset = frame_start;
    frame->length = (uint32_t)(rb_frame_bytes.count - frame_start);
    if (frame->length >= 4 && remainder_now == (uint32_t)GOOD_REMAINDER)
        frame->flags |= RB_FRAME_FCS_OK;
    frame_start = rb_frame_bytes.count;
    remainder_now = 0xffffffffu;
    if (record)
        *record = *frame;
}

void rb_frames_clear(void)
{
    rb_array_clear(&rb_frames);
    rb_array_clear(&rb_frame_bytes);
    rb_program.frames = 0;
    remainder_now = 0xffffffffu;
    frame_start = 0;
}

/* The arrays stay the caller's and must live as long as the player runs. */
void rb_program_set(const unsigned char *bytes, const uint32_t *length, const uint32_t *gap,
                    const uint32_t *flags, u64 frames)
{
    rb_program = (struct rb_program){bytes, length, gap, flags, frames};
}
