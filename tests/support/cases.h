/*
 * Tests with many cases run one case in eight. The environment variable QKV_TEST_CASES changes that:
 * a number N runs one in N, as under the sanitizers; "all" runs every case, as in the copies of these
 * tests that meson.build makes for `make check`.
 */
#ifndef TESTS_SUPPORT_CASES_H
#define TESTS_SUPPORT_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { CASES_PART = 8 };

static inline bool all_cases(void)
{
    const char *asked = getenv("QKV_TEST_CASES");
    return asked != NULL && strcmp(asked, "all") == 0;
}

/* The step between cases, where they are numbered and not drawn. */
static inline long cases_step(void)
{
    const char *asked = getenv("QKV_TEST_CASES");
    const long part = asked != NULL ? strtol(asked, NULL, 10) : 0;
    return all_cases() ? 1 : part > 0 ? part : CASES_PART;
}

/* The number of cases to run, at least 1. */
static inline size_t cases_of(size_t all)
{
    const size_t part = (size_t)cases_step();
    return (all + part - 1) / part;
}

#endif
