/* Options that callers hand in: structs that begin with their own size, so that they can grow. */
#ifndef QKV_BASE_OPTIONS_H
#define QKV_BASE_OPTIONS_H

#include <stddef.h>

#include <qkv/status.h>

/*
 * Copies a caller's struct over the defaults in `taken`, which has `size` bytes. A caller built
 * against another version has a struct of another size: fields that it does not know keep their
 * defaults, and what only the caller knows must be unused, that is, zero. Messages say `name` for
 * the struct and `maker` for the function that makes one.
 */
qkv_status qkv__options_take(void *taken, size_t size, const void *given, const char *name,
                             const char *maker, qkv_error *error);

#endif
