/* Filling a qkv_error: the one way that the library reports a failure. */
#ifndef QKV_BASE_ERROR_H
#define QKV_BASE_ERROR_H

#include <stddef.h>

#include <qkv/status.h>

/* Writes the message, cut to fit, and returns status, so that a caller can return it at once. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
qkv_status
qkv__fail(qkv_error *error, qkv_status status, const char *format, ...);

qkv_status qkv__fail_memory(qkv_error *error, size_t bytes);

#endif
