/* Who goes up the link next: completions of register reads, write bursts, read bursts.
 *
 * The HDL's blocks make their offers at the edge that ends the offer's cycle, in whatever order the
 * simulator runs them. They are booked from the next edge on, when no more can come for that cycle: in the
 * order of their stamps, and of the kinds above if stamps are equal. What follows from a booking is never
 * due before that.
 */
#include "bus.h"

/* Books every offer with a stamp before cycle `before`. */
void rb_offers_book(u64 before)
{
    for (;;) {
        u64 completion = rb_csr_stamp(), write = rb_write_stamp(), read = rb_read_stamp();

        if (completion < before && completion <= write && completion <= read)
            rb_csr_book();
        else if (write < before && write <= read)
            rb_write_book();
        else if (read < before)
            rb_read_book();
        else
            return;
    }
}

static u64 next_event(void)
{
    u64 fetch = rb_fetch_due(), message = rb_message_due();

    return fetch < message ? fetch : message;
}

/* At the edge that ends `cycle`: books the offers of the cycles before it. Returns the cycle at whose
 * beginning rb_bus_event is to be called.
 */
u64 rb_bus_book(u64 cycle)
{
    rb_offers_book(cycle);
    return next_event();
}

/* At the edge that begins `cycle`: reads that are due then take their bytes, messages change their lines.
 * Returns the cycle of the next such event.
 */
u64 rb_bus_event(u64 cycle)
{
    while (rb_fetch_due() <= cycle) {
        rb_words_arrive(rb_fetch_due());
        rb_fetch();
    }
    rb_words_arrive(cycle);
    return next_event();
}

/* The present is the falling edge of `cycle`, and somebody looks at memory. */
void rb_offers_settle(u64 cycle)
{
    rb_offers_book(cycle);
    rb_words_arrive(cycle);
}
