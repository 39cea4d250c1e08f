/* Arrays that grow as a run goes on. A record that finds no room is counted, never silently lost. */
#include <stdlib.h>

#include "ringbench.h"

/* Room for `records` more records at the end, or NULL. The pointer is good until the next call. */
void *rb_array_add(struct rb_array *array, u64 records)
{
    u64 needed = array->count + records;
    void *slot;

    if (needed > array->capacity) {
        u64 capacity = array->capacity ? array->capacity : 4096;
        unsigned char *grown;

        while (capacity < needed)
            capacity *= 2;
        if (array->limit && capacity > array->limit)
            capacity = array->limit;
        grown = needed > capacity ? NULL : realloc(array->base, capacity * array->record_bytes);
        if (!grown) {
            array->dropped += records;
            return NULL;
        }
        array->base = grown;
        array->capacity = capacity;
    }
    slot = array->base + array->count * array->record_bytes;
    array->count = needed;
    return slot;
}

/* Empties the array and gives its memory back; the limit stays. */
void rb_array_clear(struct rb_array *array)
{
    free(array->base);
    array->base = NULL;
    array->count = 0;
    array->capacity = 0;
    array->dropped = 0;
}
