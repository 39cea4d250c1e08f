/* The queue of register accesses between the driver (Python) and the AXI4-Lite manager of the top.
 *
 * An access issued on the falling edge of cycle f is taken by the engine in cycle max(f + 1 + latency,
 * previous + 2): known when it is issued, so the queue holds cycles and the HDL only compares.
 */
#include <stdlib.h>

#include "ringbench.h"

enum { WRITE = 0, READ = 1 };
enum { QUEUED, TAKEN, ANSWERED, FREE };

struct access {
    u64 cycle; /* in which the engine takes it */
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
static u64 head;   /* ordinal of the next access to be issued */
static u64 latency;
static u64 last_cycle; /* of the newest access */
static int any;

void rb_csr_clear(void)
{
    free(ring);
    ring = NULL;
    capacity = tail = next = answer = head = latency = last_cycle = 0;
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
    entry->cycle = cycle + 1 + latency;
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
