/* Allocation with a switch for failure tests. Knows nothing of what the memory is for. */
#include "base/memory.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

static atomic_long failure_countdown = -1;
static atomic_long live;

void qkv__memory_fail_after(long countdown)
{
    atomic_store(&failure_countdown, countdown);
}

long qkv__memory_live(void)
{
    return atomic_load(&live);
}

static bool told_to_fail(void)
{
    if (atomic_load(&failure_countdown) < 0) return false;
    return atomic_fetch_sub(&failure_countdown, 1) == 0;
}

void *qkv__allocate(size_t bytes)
{
    if (bytes == 0 || bytes > SIZE_MAX - ALIGNMENT || told_to_fail()) return NULL;
    size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    void *memory = aligned_alloc(ALIGNMENT, rounded);
    if (memory != NULL) atomic_fetch_add(&live, 1);
    return memory;
}

void *qkv__allocate_zero(size_t bytes)
{
    void *memory = qkv__allocate(bytes);
    if (memory != NULL) memset(memory, 0, bytes);
    return memory;
}

void qkv__free(void *memory)
{
    if (memory != NULL) atomic_fetch_sub(&live, 1);
    free(memory);
}
