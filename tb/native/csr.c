/* The queue of register accesses between the driver (Python) and the AXI4-Lite manager of the top.
 *
 * An access issued on the falling edge of cycle f is taken by the engine in cycle max(f + 1 + latency,
 * previous + 2), or as the link brings it: known when it is issued, so the queue holds cycles and the HDL
 * only compares. Behind a link the value of a read has a way back that other packets share
 * (rb_csr_returned).
 */
#include <stdlib.h>

#include "bus.h"

enum { WRITE = 0, READ = 1 };
enum { QUEUED, TAKEN, ANSWERED, FREE };

struct access {
    u64 cycle;    /* in which the engine takes it */
    u64 returned; /* behind a link: in which a read's value is back, once it is booked */
    uint32_t offset;
    uint32_t data; /* of a write; of a read once answered */
    uint8_t operation;
    uint8_t strobe;
    uint8_t state;
};

static struct access *ring; /* ordinal k lives in ring[k & (capacity - 1)] */
static u64 capacity;
static u64 tail;   /* oldest access that still needs its slot */
static u64 next;   /* next one for the engine */
static u64 answer; /* next one that may get read data */
static u64 booked; /* next one whose value may have to go up the link */
static u64 head;   /* ordinal of the next access to be issued */
static u64 latency;
static u64 last_cycle; /* of the newest access */
static int any;

void rb_csr_clear(void)
{
    free(ring);
    ring = NULL;
    capacity = tail = next = answer = booked = head = latency = last_cycle = 0;
    any = 0;
}

static struct access *slot(u64 ordinal)
{
    return &ring[ordinal & (capacity - 1)];
}

static int grow(void)
{
    u64 wider = capacity ? capacity * 2 : 256;
    struct access *grown = calloc(wider, sizeof *grown);

    if (!grown)
        return 0;
    for (u64 k = tail; k < head; k++)
        grown[k & (wider - 1)] = *slot(k);
    free(ring);
    ring = grown;
    capacity = wider;
    return 1;
}

void rb_csr_latency(u64 cycles)
{
    latency = cycles;
}

/* Issues an access on the falling edge of `cycle`; returns the cycle in which the engine takes it (RB_NEVER:
 * no memory). */
u64 rb_csr_push(u64 operation, u64 offset, u64 data, u64 strobe, u64 cycle)
{
    struct access *entry;

    if (head - tail == capacity && !grow())
        return RB_NEVER;
    entry = slot(head++);
    entry->cycle = rb_link_on() ? rb_link_register_access(cycle + latency, operation == WRITE)
                                : cycle + 1 + latency;
    if (any && entry->cycle < last_cycle + 2)
        entry->cycle = last_cycle + 2;
    any = 1;
    last_cycle = entry->cycle;
    entry->offset = (uint32_t)offset;
    entry->data = (uint32_t)data;
    entry->strobe = (uint8_t)strobe;
    entry->operation = (uint8_t)operation;
    entry->state = QUEUED;
    return entry->cycle;
}

static void retire(void)
{
    while (tail < next && slot(tail)->state == FREE)
        tail++;
}

/* Ordinal of the access issued last. */
u64 rb_csr_ordinal(void)
{
    return head - 1;
}

/* Read data of access `ordinal` (bit 32 set), or 0 if the engine has not answered. Frees the slot: ask once.
 * */
u64 rb_csr_collect(u64 ordinal)
{
    struct access *entry;
    u64 value;

    if (ordinal < tail || ordinal >= head)
        return 0;
    entry = slot(ordinal);
    if (entry->state != ANSWERED)
        return 0;
    value = (u64)1 << 32 | entry->data;
    entry->state = FREE;
    retire();
    return value;
}

/* The engine has answered in the cycle after it took the access: that is when the value is offered. */
u64 rb_csr_stamp(void)
{
    if (!rb_link_on())
        return RB_NEVER;
    if (booked < tail)
        booked = tail;
    while (booked < next && slot(booked)->operation == WRITE)
        booked++;
    return booked < next && slot(booked)->state == ANSWERED ? slot(booked)->cycle + 1 : RB_NEVER;
}

void rb_csr_book(void)
{
    struct access *entry = slot(booked++);

    entry->returned = rb_link_register_completion(entry->cycle + 1);
}

/* The cycle in which the value of read `ordinal` has come up the link; RB_NEVER if the engine has not
 * answered. To be asked two cycles or more after it was taken, on the falling edge of cycle `now`.
 */
u64 rb_csr_returned(u64 ordinal, u64 now)
{
    rb_offers_book(now);
    return ordinal >= tail && ordinal < booked && slot(ordinal)->state == ANSWERED ? slot(ordinal)->returned
                                                                                   : RB_NEVER;
}

u64 rb_csr_due(void)
{
    return next < head ? slot(next)->cycle : RB_NEVER;
}

/* The write data of the access that rb_csr_take hands over next. */
u64 rb_csr_data(void)
{
    return slot(next)->data;
}

/* {operation, strobe[8], offset[32]} of the oldest access, which leaves the queue. */
u64 rb_csr_take(void)
{
    struct access *entry = slot(next++);
    u64 word = (u64)entry->operation << 40 | (u64)entry->strobe << 32 | entry->offset;

    entry->state = entry->operation == READ ? TAKEN : FREE;
    retire();
    return word;
}

/* Read data from the engine, for the oldest read that waits for some. */
void rb_csr_answer(u64 data)
{
    if (answer < tail)
        answer = tail;
    while (answer < next && slot(answer)->state != TAKEN)
        answer++;
    if (answer == next)
        return; /* an answer that nobody asked for: the HDL reports it through rb_csr_error */
    slot(answer)->data = (uint32_t)data;
    slot(answer)->state = ANSWERED;
}

void rb_csr_error(u64 cycle)
{
    rb_count_error(&rb_control.csr_errors, &rb_control.csr_first_cycle, cycle);
}
