/*
 * Fuzzing without libFuzzer: valid inputs, spoilt in seeded ways, the same ones in every run. A
 * subject gives the valid inputs and ways of its own to spoil them; mutate.c has what all share,
 * mutate_main.c the loop, and the fuzz target is called by libFuzzer's entry point alone.
 */
#ifndef TESTS_FUZZ_MUTATE_H
#define TESTS_FUZZ_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { INPUT_CAPACITY = 4096 };

typedef struct input {
    uint8_t bytes[INPUT_CAPACITY];
    size_t size;
} input;

/* What is spoilt. Each file mutate_*.c defines one, and a program has one of them. */
typedef struct subject {
    const char *name;    /* of the files that hold its seeds */
    const char *promise; /* "the readers survive" */
    long iterations;     /* unless told */
    bool runs_seeds;     /* whether they are run as they are, too */
    size_t (*seed_count)(void);
    input (*seed)(size_t which);
    void (*spoil)(input *in);
    void (*shorten)(input *in); /* leaves what libFuzzer can begin with; NULL: all of it */
} subject;

extern const subject fuzz_subject;

/* Whether libFuzzer runs, which wants many inputs: a target may leave out most of what is slow. */
extern const bool fuzz_hurries;

/* The fuzz target. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- Random numbers ------------------------------------------------------------------------ */

void random_begin(uint64_t state);

/* 0 to limit - 1, and 0 for no limit. */
size_t below(size_t limit);

/* ---- Inputs -------------------------------------------------------------------------------- */

/* Appends what there is room for. */
void append(input *in, const void *bytes, size_t count);

/* Takes `count` bytes out at `at` and puts `more` of `bytes` in their place; nothing happens where
 * there is no room. The bytes may be the input's own. */
void replace(input *in, size_t at, size_t count, const void *bytes, size_t more);

/* ---- Mutations that need no meaning --------------------------------------------------------- */

void flip_bit(input *in);
void cut_end(input *in);
void remove_range(input *in);

/* A piece of one input into another, or of one into itself. */
void splice(input *in);

/* One of several, chosen at random, 1 to `most` times. */
void spoil_by(input *in, void (*const *mutations)(input *), size_t count, size_t most);

#endif
