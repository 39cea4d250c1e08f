/* The meeting point of Python and the HDL: wake-ups, straps, error counts. */
#include <string.h>

#include "ringbench.h"

struct rb_control rb_control = {.wake_cycle = RB_NEVER, .link = 1};
extern struct rb_array rb_events;

void rb_count_error(u64 *count, u64 *first, u64 value)
{
    if ((*count)++ == 0)
        *first = value;
}

u64 rb_strap(u64 word)
{
    return rb_control.straps[word & 3];
}

u64 rb_phy_link(void)
{
    return rb_control.link;
}

/* The HDL is about to wake Python on the falling edge of `cycle`, with its interrupt lines as they are there.
 * */
void rb_woken(u64 cycle, u64 irq)
{
    if (rb_link_on())
        rb_offers_settle(cycle);
    rb_control.now = cycle;
    rb_control.irq = irq;
    rb_control.wakes++;
}

u64 rb_wake_cycle(void)
{
    return rb_control.wake_cycle;
}

u64 rb_wake_lines(void)
{
    return rb_control.wake_lines;
}

u64 rb_wire_starts(void)
{
    return rb_control.wire_starts;
}

struct rb_control *rb_control_block(void)
{
    return &rb_control;
}

/* All state but host memory as it was at load time. */
void rb_reset(void)
{
    memset(&rb_control, 0, sizeof rb_control);
    rb_control.wake_cycle = RB_NEVER;
    rb_control.link = 1;
    rb_array_clear(&rb_events);
    rb_frames_clear();
    rb_csr_clear();
    rb_bus_clear();
    rb_mii_clear();
    rb_gmii_clear();
}
