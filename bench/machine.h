/*
 * What machine this is: its name, cores, caches, memory, and the instructions that the limits are
 * measured with. Read from the CPU and from Linux's /proc and /sys; what cannot be found out is
 * guessed low or left empty.
 */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct machine {
    char model[128];
    int cores;           /* that this process may use */
    size_t l1, l2, l3;   /* bytes; the first two of one core */
    size_t memory, free; /* bytes */
    bool avx2, avx512;   /* with FMA; the F, BW, DQ and VL parts */
    bool avx512_fp16, avx512_bf16;
    bool amx_bf16; /* allowed by the kernel and seen to run */
} machine;

const machine *machine_get(void);

/* Says how much memory may be taken, where the system does not tell. */
void machine_set_free(size_t bytes);

/* A few lines for people. */
void machine_describe(FILE *file);

#endif
