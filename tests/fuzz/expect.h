/* What all targets share: promises that end the program when they are broken, and a draw by the
 * input alone, for checks that are too slow to make every time. */
#ifndef TESTS_FUZZ_EXPECT_H
#define TESTS_FUZZ_EXPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold of any input whatever; else the input is a find. */
static inline void expect(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "not so: %s\n", what);
    abort();
}

/* FNV-1a: the same for the same input, so that a find can be run again. */
static inline uint32_t hash(const uint8_t *data, size_t size)
{
    uint32_t state = 2166136261u;
    for (size_t i = 0; i < size; i++) state = (state ^ data[i]) * 16777619u;
    return state;
}

/* Whether this input is one in `often`; `salt` tells the questions about one input apart. The low
 * bits of the sum are its weakest. */
static inline bool is_drawn(const uint8_t *data, size_t size, uint32_t salt, uint32_t often)
{
    uint32_t mixed = (hash(data, size) ^ salt * 0x9e3779b9u) * 0x85ebca6bu;
    return (mixed >> 16) % often == 0;
}

#endif
