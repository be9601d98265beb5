/* The parallel loop where there is one thread, as in WebAssembly: a plain loop. */
#include <qkv/threads.h>

#include "base/error.h"
#include "base/threads.h"

qkv_status qkv_set_threads(int threads, qkv_error *error)
{
    if (threads >= 0) return QKV_OK;
    return qkv__fail(error, QKV_ERROR_ARGUMENT,
                     "threads is %d; expected 1 or more, or 0 for the default", threads);
}

int qkv_get_threads(void)
{
    return 1;
}

int qkv__core_count(void)
{
    return 1;
}

void qkv__parallel(size_t workers, size_t count, qkv__task task, void *context)
{
    (void)workers;
    for (size_t i = 0; i < count && !(i > 0 && qkv__interrupt_ask()); i++) task(i, 0, context);
}

size_t qkv__helper_count(void)
{
    return 0;
}
