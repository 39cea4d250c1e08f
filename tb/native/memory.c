/* Host memory: one flat array of bytes that the engine's bus, the driver and the checks all see. */
#include "ringbench.h"

static unsigned char *memory;
static u64 memory_bytes;

/* The array stays the caller's (Python's) and must live as long as the simulation runs. */
void rb_memory_use(unsigned char *base, u64 bytes)
{
    memory = base;
    memory_bytes = bytes;
}

unsigned char *rb_memory_at(u64 address, u64 bytes)
{
    if (address <= memory_bytes && bytes <= memory_bytes - address)
        return memory + address;
    rb_count_error(&rb_control.memory_errors, &rb_control.memory_first, address);
    return NULL;
}
