/* What happens to a word that arrives at the root complex: it changes host memory, or, as a message, an
 * interrupt line. Behind a link words are on their way for a while.
 *
 * Words on their way are put into memory when somebody can see the difference: before a read takes its bytes
 * and before Python runs. Messages are not left waiting: the HDL comes for them in their cycle.
 */
#include <stdlib.h>

#include "bus.h"

enum { LINES = 16, LEVEL_LINE = 16 };
static const u64 MESSAGE_BASE = 0xfee00000; /* MSI(-X) on x86 and in this bench; model.link has the same */

struct word {
    u64 visible; /* from the beginning of this cycle on */
    u64 address;
    u64 data;
    unsigned strobe;
};
static struct word *words; /* ordinal k lives in words[k & (capacity - 1)] */
static u64 capacity, head, tail;
static u64 message_due = RB_NEVER; /* of the oldest message on its way */

void rb_words_clear(void)
{
    free(words);
    words = NULL;
    capacity = head = tail = 0;
    message_due = RB_NEVER;
}

/* Whether this top has messages (1), or interrupt pins and nothing but memory behind its bus (0). */
void rb_bus_messages(u64 on)
{
    rb_control.messages = on;
}

static int is_message(u64 address)
{
    return rb_control.messages && address >= MESSAGE_BASE;
}

static void message(u64 address, uint32_t data)
{
    u64 line = (address - MESSAGE_BASE) / 4;

    if (line < LINES)
        rb_control.pending |= (u64)1 << line;
    else if (line == LEVEL_LINE)
        rb_control.pending = (rb_control.pending & ~((u64)1 << LEVEL_LINE)) | (u64)(data & 1) << LEVEL_LINE;
    else
        rb_count_error(&rb_control.memory_errors, &rb_control.memory_first, address);
}

/* The interrupt lines: bit n < 16 is vector n's pending bit, bit 16 the level of the legacy line. */
u64 rb_bus_lines(void)
{
    return rb_control.pending;
}

/* A word of up to 8 bytes with these bytes enabled takes effect now. */
void rb_word_store(u64 address, u64 data, unsigned strobe)
{
    unsigned char *target;
    u64 width = rb_width_bytes < 8 ? rb_width_bytes : 8;

    if (is_message(address)) {
        for (u64 k = 0; k < width; k += 4)
            if (strobe >> k & 15)
                message(address + k, (uint32_t)(data >> 8 * k));
        return;
    }
    if (!(target = rb_memory_at(address, width)))
        return;
    for (; strobe; strobe >>= 1, data >>= 8, target++)
        if (strobe & 1)
            *target = (unsigned char)data;
}

static int grow(void)
{
    u64 wider = capacity ? capacity * 2 : 1024;
    struct word *grown = malloc(wider * sizeof *grown);

    if (!grown)
        return 0;
    for (u64 k = tail; k < head; k++)
        grown[k & (wider - 1)] = words[k & (capacity - 1)];
    free(words);
    words = grown;
    capacity = wider;
    return 1;
}

/* The same from the beginning of cycle `visible` on, no earlier than that of the words before it. */
void rb_word_send(u64 visible, u64 address, u64 data, unsigned strobe)
{
    if (head - tail == capacity && !grow()) {
        rb_count_error(&rb_control.memory_errors, &rb_control.memory_first, address); /* it is lost */
        return;
    }
    words[head++ & (capacity - 1)] = (struct word){visible, address, data, strobe};
    if (message_due == RB_NEVER && is_message(address))
        message_due = visible;
}

u64 rb_message_due(void)
{
    return message_due;
}

/* Every word that is visible in `cycle` takes effect. */
void rb_words_arrive(u64 cycle)
{
    while (tail < head && words[tail & (capacity - 1)].visible <= cycle) {
        const struct word *word = &words[tail++ & (capacity - 1)];

        rb_word_store(word->address, word->data, word->strobe);
    }
    if (message_due > cycle)
        return;
    message_due = RB_NEVER;
    for (u64 k = tail; k < head && message_due == RB_NEVER; k++)
        if (is_message(words[k & (capacity - 1)].address))
            message_due = words[k & (capacity - 1)].visible;
}
