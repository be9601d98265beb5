/*
 * The loops by which limits are measured: each does a fixed piece of work in the memory it is given
 * and returns how much that was (operations, elements or bytes). Which may run on this CPU is the
 * caller's business (machine.h).
 */
#ifndef BENCH_LIMITS_KERNELS_H
#define BENCH_LIMITS_KERNELS_H

#include <stddef.h>

enum { LIMITS_SCRATCH = 8192 }; /* bytes, aligned to 64, that the arithmetic loops need at most */

typedef double (*limits_kernel)(void *memory, size_t bytes);

/* Vectors of 16 bytes, on any CPU. The first two use a fused multiply-add where NEON has it. */
double limits_plain_f32(void *memory, size_t bytes);
double limits_plain_f64(void *memory, size_t bytes);
double limits_plain_exp(void *memory, size_t bytes);
double limits_plain_read(void *memory, size_t bytes);

#if defined(__x86_64__)
double limits_avx2_f32(void *memory, size_t bytes);
double limits_avx2_f64(void *memory, size_t bytes);
double limits_avx2_exp(void *memory, size_t bytes);
double limits_avx2_read(void *memory, size_t bytes);
double limits_avx512_f32(void *memory, size_t bytes);
double limits_avx512_f64(void *memory, size_t bytes);
double limits_avx512_exp(void *memory, size_t bytes);
double limits_avx512_read(void *memory, size_t bytes);
double limits_avx512_f16(void *memory, size_t bytes);
double limits_avx512_bf16(void *memory, size_t bytes);
double limits_amx_bf16(void *memory, size_t bytes);
#endif

#endif
