/* Allocation with a switch for failure tests. Knows nothing of what the memory is for. */
#include "base/memory.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

static atomic_long failure_countdown = -1;
static atomic_long live;
static _Thread_local size_t failures;

long qkv__memory_fail_after(long countdown)
{
    return atomic_exchange(&failure_countdown, countdown);
}

size_t qkv__memory_failures(void)
{
    return failures;
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

/* Notes what did not succeed. */
static void *note(void *memory)
{
    if (memory == NULL) failures++;
    return memory;
}

void *qkv__allocate(size_t bytes)
{
    if (bytes == 0) return NULL;
    if (bytes > SIZE_MAX - ALIGNMENT || told_to_fail()) return note(NULL);
    size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    void *memory = note(aligned_alloc(ALIGNMENT, rounded));
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

/* ---- Scratch ------------------------------------------------------------------------------- */

/* In front of the memory that is handed out: how much there is. */
typedef struct scratch_head {
    _Alignas(ALIGNMENT) size_t bytes;
} scratch_head;

/* More than this is not kept. */
#define SCRATCH_AT_MOST ((size_t)64 << 20)

static _Atomic(scratch_head *) kept;

void *qkv__scratch_take(size_t bytes)
{
    if (bytes == 0) return NULL;
    if (bytes > SIZE_MAX - 2 * ALIGNMENT || told_to_fail()) return note(NULL);
    scratch_head *head = atomic_exchange(&kept, NULL);
    if (head == NULL || head->bytes < bytes) {
        free(head);
        const size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        head = note(aligned_alloc(ALIGNMENT, sizeof *head + rounded));
        if (head == NULL) return NULL;
        head->bytes = rounded;
    }
    atomic_fetch_add(&live, 1);
    return head + 1;
}

void qkv__scratch_give(void *memory)
{
    if (memory == NULL) return;
    scratch_head *head = (scratch_head *)memory - 1;
    atomic_fetch_sub(&live, 1);
    if (head->bytes <= SCRATCH_AT_MOST) head = atomic_exchange(&kept, head);
    free(head);
}

/* At exit and when the library is unloaded. */
__attribute__((destructor)) static void scratch_free(void)
{
    free(atomic_exchange(&kept, NULL));
}
