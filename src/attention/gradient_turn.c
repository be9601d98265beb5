/* Waiting for a turn at a tile of a gradient: see gradient.h. Knows nothing of the arithmetic. */
#include <sched.h>

#include "attention/gradient.h"

/* A turn comes within microseconds, unless the thread before has lost its core. */
enum { SPINS = 2000 };

void qkv__turn_await(const atomic_size_t *turn, size_t stretch)
{
    for (size_t i = 0; atomic_load_explicit(turn, memory_order_acquire) != stretch; i++)
        if (i >= SPINS) sched_yield();
}
