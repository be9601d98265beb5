/* What a caller allows the engines: which of them may decide, for how long, on how many threads. */
#ifndef QKV_CLAIM_LIMITS_H
#define QKV_CLAIM_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

#include <qkv/claim.h>

typedef struct qkv__limits {
    unsigned without; /* bits of qkv_engine */
    double end;       /* on the clock of limits.c; 0: never */
    size_t threads;   /* for samples, at least 1 */
} qkv__limits;

/* Checked and completed; options may be NULL. The time runs from here on. */
qkv_status qkv__limits_begin(const qkv_check_options *options, qkv__limits *limits,
                             qkv_error *error);

/* NULL limits nothing. */
bool qkv__limits_spent(const qkv__limits *limits);

/* Whether an engine may be asked now. */
bool qkv__limits_allow(const qkv__limits *limits, qkv_engine engine);

/* The bit of an engine by the name that findings have for it; 0 for the exact engine, and for none.
 */
unsigned qkv__engine_bit(const char *name);

#endif
