/* Work that is done once, by whichever thread asks first; others wait for it. Where there is one
 * thread, as in WebAssembly, no library is needed for that. */
#ifndef QKV_BASE_ONCE_H
#define QKV_BASE_ONCE_H

#if defined(__wasm__)

#include <stdbool.h>

typedef bool qkv__once_flag;
#define QKV__ONCE_INIT false

static inline void qkv__once(qkv__once_flag *done, void (*work)(void))
{
    if (!*done) work();
    *done = true;
}

#else

#include <pthread.h>

typedef pthread_once_t qkv__once_flag;
#define QKV__ONCE_INIT PTHREAD_ONCE_INIT

static inline void qkv__once(qkv__once_flag *done, void (*work)(void))
{
    pthread_once(done, work);
}

#endif
#endif
