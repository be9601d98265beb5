/*
 * What this machine can do at most, measured by the benchmark itself in the same run: arithmetic,
 * exponentials, reading. Every measurement is the best of some short ones, and measuring again
 * can only raise it, since what else runs on the machine can only lower it.
 */
#ifndef BENCH_LIMITS_H
#define BENCH_LIMITS_H

#include <stdbool.h>

typedef enum limit_kind {
    LIMIT_F32, /* multiply-add, sums in registers: operations a second */
    LIMIT_F64,
    LIMIT_F16,  /* AVX512-FP16, sums in f16 */
    LIMIT_BF16, /* vdpbf16ps, sums in f32 */
    LIMIT_AMX,  /* bf16 tiles, read from L1, sums in f32 */
    LIMIT_EXP,  /* f32, degree 5, range reduction, read from L1: elements a second */
    LIMIT_L2,   /* reading: bytes a second */
    LIMIT_L3,
    LIMIT_DRAM,
    LIMIT_KINDS,
} limit_kind;

/* Takes the memory that reading needs. False: there is none. */
bool limits_begin(void);
void limits_end(void);

/* Measures all that the CPU has on that many threads; `rounds` short tries each. */
void limits_measure(int threads, int rounds);

/* The most that was seen on that many threads; 0 for what the CPU does not have. */
double limits_best(limit_kind kind, int threads);

const char *limits_name(limit_kind kind); /* "f32 FMA" */
const char *limits_unit(limit_kind kind); /* "GFLOP/s", "Gexp/s", "GB/s": 1e9 a second */

#endif
