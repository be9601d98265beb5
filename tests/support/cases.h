/*
 * How many of its cases a test of many runs: one in eight, or all of them where QKV_TEST_CASES is
 * "all" in the environment, as in the twins that meson.build makes for `make check`.
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

/* The number of cases to run, at least 1. */
static inline size_t cases_of(size_t all)
{
    return all_cases() ? all : (all + CASES_PART - 1) / CASES_PART;
}

/* The step between cases, where they are numbered and not drawn. */
static inline long cases_step(void)
{
    return all_cases() ? 1 : CASES_PART;
}

#endif
