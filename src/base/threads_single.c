/* The parallel loop where there is one thread, as in WebAssembly: a plain loop. */
#include "base/threads.h"

int qkv__core_count(void)
{
    return 1;
}

void qkv__parallel(size_t workers, size_t count, qkv__task task, void *context)
{
    (void)workers;
    for (size_t i = 0; i < count; i++) task(i, 0, context);
}

size_t qkv__helper_count(void)
{
    return 0;
}
