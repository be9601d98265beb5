/* cmocka with the headers that it wants in front of it, and two shorthands for statuses. */
#ifndef TESTS_SUPPORT_CHECK_H
#define TESTS_SUPPORT_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <qkv/status.h>

/* Fails with the library's own message where a call should have succeeded. */
static inline void check_ok(qkv_status status, const qkv_error *error)
{
    if (status != QKV_OK) fail_msg("status %d: %s", (int)status, error->message);
}

/* A call that should have failed did, with that status, saying these words. */
static inline void check_error(qkv_status status, qkv_status expected, const qkv_error *error,
                               const char *words)
{
    if (status != expected)
        fail_msg("status %d instead of %d for \"%s\"", (int)status, (int)expected, words);
    if (error->status != expected || strstr(error->message, words) == NULL)
        fail_msg("message \"%s\" lacks \"%s\"", error->message, words);
}

#endif
