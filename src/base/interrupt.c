/* Ending a long call early: what the caller's thread asks for, and whether it was told yes. */
#include <qkv/threads.h>

#include <stdint.h>
#include <time.h>

#include "base/error.h"
#include "base/threads.h"

enum { NANOSECONDS = 20000000 }; /* between two questions: a person waits no tenth of a second */

static _Thread_local struct {
    bool (*asked)(void *context);
    void *context;
    int64_t last;
    bool active, interrupted; /* in a call that can be ended; and it is to be */
} caller;

static int64_t now(void)
{
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void qkv_set_interrupt(bool (*asked)(void *context), void *context)
{
    caller.asked = asked;
    caller.context = context;
    caller.active = caller.interrupted = false;
    caller.last = asked == NULL ? 0 : now();
}

void qkv__interrupt_begin(void)
{
    caller.active = caller.asked != NULL;
}

bool qkv__interrupt_ask(void)
{
    if (!caller.active || caller.interrupted) return caller.active;
    const int64_t time = now();
    if (time - caller.last < NANOSECONDS && time >= caller.last) return false;
    caller.last = time;
    caller.interrupted = caller.asked(caller.context);
    return caller.interrupted;
}

qkv_status qkv__interrupt_status(qkv_error *error)
{
    const bool interrupted = caller.active && caller.interrupted;
    caller.active = caller.interrupted = false;
    if (!interrupted) return QKV_OK;
    return qkv__fail(error, QKV_ERROR_INTERRUPTED, "the call was interrupted");
}
