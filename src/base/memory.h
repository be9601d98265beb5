/*
 * All memory of the library comes from here, so that a test can make any one allocation fail
 * and see that the call cleans up.
 */
#ifndef QKV_BASE_MEMORY_H
#define QKV_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Aligned to 64 bytes (a cache line, the widest vector); NULL on failure or for 0 bytes. */
void *qkv__allocate(size_t bytes);

/* The same, filled with zero bytes. */
void *qkv__allocate_zero(size_t bytes);

/* NULL is fine. */
void qkv__free(void *memory);

/*
 * Memory for the length of a call, as qkv__allocate; what was given back last is kept and taken
 * again if it is large enough, because fresh pages cost more than many a call. Any thread may take
 * and give.
 */
void *qkv__scratch_take(size_t bytes);
void qkv__scratch_give(void *memory);

/* a * b and a + b; false when the result does not fit, and then *result is not set. */
static inline bool qkv__size_multiply(size_t a, size_t b, size_t *result)
{
    size_t product;
    if (__builtin_mul_overflow(a, b, &product)) return false;
    *result = product;
    return true;
}

static inline bool qkv__size_add(size_t a, size_t b, size_t *result)
{
    size_t sum;
    if (__builtin_add_overflow(a, b, &sum)) return false;
    *result = sum;
    return true;
}

/*
 * How many allocations of this thread have failed. Where many functions make do without what they
 * did not get, the call around them compares two readings, and knows whether anything was missing.
 */
size_t qkv__memory_failures(void);

/*
 * For tests: the allocation after `countdown` more successful ones fails, once; a negative
 * number turns this off. Returns what was left of the last countdown, negative if it came to its
 * end. Not for use while other threads allocate.
 */
long qkv__memory_fail_after(long countdown);

/* For tests: allocations made and not yet freed. */
long qkv__memory_live(void);

#endif
