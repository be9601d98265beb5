/*
 * Limits of x86-64's wider instructions. Each function names the instructions it is for, so that
 * the file compiles and the program runs anywhere; whether they are there is for the caller to ask.
 * Loops over independent sums hold as many as cover the latency of a multiply-add (4 to 5 cycles,
 * two a cycle).
 */
#if defined(__x86_64__)
#include "limits_kernels.h"

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

enum { SUMS = 12, STEPS = 4096, STREAMS = 4, LINE = 64 };

#define AVX2 __attribute__((target("avx2,fma")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define AVX512_BF16 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")))
#define AMX __attribute__((target("amx-tile,amx-bf16")))

/* Taylor's coefficients of 2^r, |r| <= 1/2: what is timed is their number, not their last digits.
 */
static const float coefficients[] = {1.3333558e-3f, 9.6181291e-3f, 5.5504109e-2f,
                                     2.4022651e-1f, 6.9314718e-1f, 1.0f};
static const float log2_e = 1.44269504f;

/* ---- Products and sums ------------------------------------------------------------------- */

AVX2 double limits_avx2_f32(void *memory, size_t bytes)
{
    __m256 sum[SUMS], factor = _mm256_set1_ps(0.9f), term = _mm256_set1_ps(0.1f);
    (void)bytes;
    for (int i = 0; i < SUMS; i++) sum[i] = term;
    for (int n = 0; n < STEPS; n++)
        for (int i = 0; i < SUMS; i++) sum[i] = _mm256_fmadd_ps(sum[i], factor, term);
    for (int i = 0; i < SUMS; i++) term = _mm256_add_ps(term, sum[i]);
    _mm256_store_ps(memory, term);
    return 2.0 * 8 * SUMS * STEPS;
}

AVX2 double limits_avx2_f64(void *memory, size_t bytes)
{
    __m256d sum[SUMS], factor = _mm256_set1_pd(0.9), term = _mm256_set1_pd(0.1);
    (void)bytes;
    for (int i = 0; i < SUMS; i++) sum[i] = term;
    for (int n = 0; n < STEPS; n++)
        for (int i = 0; i < SUMS; i++) sum[i] = _mm256_fmadd_pd(sum[i], factor, term);
    for (int i = 0; i < SUMS; i++) term = _mm256_add_pd(term, sum[i]);
    _mm256_store_pd(memory, term);
    return 2.0 * 4 * SUMS * STEPS;
}

AVX512 double limits_avx512_f32(void *memory, size_t bytes)
{
    __m512 sum[SUMS], factor = _mm512_set1_ps(0.9f), term = _mm512_set1_ps(0.1f);
    (void)bytes;
    for (int i = 0; i < SUMS; i++) sum[i] = term;
    for (int n = 0; n < STEPS; n++)
        for (int i = 0; i < SUMS; i++) sum[i] = _mm512_fmadd_ps(sum[i], factor, term);
    for (int i = 0; i < SUMS; i++) term = _mm512_add_ps(term, sum[i]);
    _mm512_store_ps(memory, term);
    return 2.0 * 16 * SUMS * STEPS;
}

AVX512 double limits_avx512_f64(void *memory, size_t bytes)
{
    __m512d sum[SUMS], factor = _mm512_set1_pd(0.9), term = _mm512_set1_pd(0.1);
    (void)bytes;
    for (int i = 0; i < SUMS; i++) sum[i] = term;
    for (int n = 0; n < STEPS; n++)
        for (int i = 0; i < SUMS; i++) sum[i] = _mm512_fmadd_pd(sum[i], factor, term);
    for (int i = 0; i < SUMS; i++) term = _mm512_add_pd(term, sum[i]);
    _mm512_store_pd(memory, term);
    return 2.0 * 8 * SUMS * STEPS;
}

/* Sums in f16 too: more than a kernel with f32 sums can use. In assembly, since not every compiler
 * that knows the instruction has the type. */
AVX512 double limits_avx512_f16(void *memory, size_t bytes)
{
    __m512i sum[SUMS], total = _mm512_setzero_si512();
    const short nearly_one = 0x3b33, tenth = 0x2e66; /* 0.9 and 0.1 */
    __m512i factor = _mm512_set1_epi16(nearly_one), term = _mm512_set1_epi16(tenth);
    (void)bytes;
    for (int i = 0; i < SUMS; i++) sum[i] = term;
    for (int n = 0; n < STEPS; n++)
        for (int i = 0; i < SUMS; i++)
            __asm__("vfmadd213ph %2, %1, %0" : "+v"(sum[i]) : "v"(factor), "v"(term));
    for (int i = 0; i < SUMS; i++) total = _mm512_xor_si512(total, sum[i]);
    _mm512_store_si512(memory, total);
    return 2.0 * 32 * SUMS * STEPS;
}

/* vdpbf16ps: 32 products a vector, added in pairs to f32 sums. */
AVX512_BF16 double limits_avx512_bf16(void *memory, size_t bytes)
{
    enum { CHAINS = 16 };
    __m512 sum[CHAINS], total = _mm512_setzero_ps();
    const short one = 0x3f80;
    __m512i ones = _mm512_set1_epi16(one);
    __m512bh factor;
    memcpy(&factor, &ones, sizeof factor);
    (void)bytes;
    for (int i = 0; i < CHAINS; i++) sum[i] = total;
    for (int n = 0; n < STEPS; n++)
        for (int i = 0; i < CHAINS; i++) sum[i] = _mm512_dpbf16_ps(sum[i], factor, factor);
    for (int i = 0; i < CHAINS; i++) total = _mm512_add_ps(total, sum[i]);
    _mm512_store_ps(memory, total);
    return 2.0 * 32 * CHAINS * STEPS;
}

/*
 * Two by two tiles of sums, their four operands read from L1 at every step, as a kernel must. The
 * palette is the one that the architecture defines: eight tiles of 16 rows of 64 bytes.
 */
AMX double limits_amx_bf16(void *memory, size_t bytes)
{
    enum { ROWS = 16, TILE = ROWS * LINE, AMX_STEPS = 512 };
    unsigned char configuration[LINE] = {1};
    const unsigned char *tiles = memory;
    (void)bytes;
    for (int tile = 0; tile < 8; tile++) {
        configuration[16 + 2 * tile] = LINE; /* bytes a row, in 16 bits */
        configuration[48 + tile] = ROWS;
    }
    memset(memory, 0x3c, 4 * TILE); /* numbers near 0.01: zeros might run cooler */
    _tile_loadconfig(configuration);
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (int n = 0; n < AMX_STEPS; n++) {
        _tile_loadd(4, tiles, LINE);
        _tile_loadd(6, tiles + 2 * TILE, LINE);
        _tile_dpbf16ps(0, 4, 6);
        _tile_loadd(7, tiles + 3 * TILE, LINE);
        _tile_dpbf16ps(1, 4, 7);
        _tile_loadd(5, tiles + TILE, LINE);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
    }
    _tile_stored(0, memory, LINE);
    _tile_release();
    return 4.0 * 2.0 * ROWS * ROWS * 32 * AMX_STEPS;
}

/* ---- Exponentials ------------------------------------------------------------------------ */

AVX2 static __m256 exponential_avx2(__m256 x)
{
    const __m256 magic = _mm256_set1_ps(12582912.0f); /* 1.5 * 2^23: adding it rounds */
    __m256 shifted = _mm256_fmadd_ps(x, _mm256_set1_ps(log2_e), magic);
    __m256 n = _mm256_sub_ps(shifted, magic);
    __m256 r = _mm256_fmsub_ps(x, _mm256_set1_ps(log2_e), n);
    __m256 p = _mm256_set1_ps(coefficients[0]);
    for (int i = 1; i < 6; i++) p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(coefficients[i]));
    __m256i power = _mm256_slli_epi32(_mm256_castps_si256(shifted), 23);
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(p), power));
}

AVX2 double limits_avx2_exp(void *memory, size_t bytes)
{
    const float *x = memory;
    __m256 sum[STREAMS], total = _mm256_setzero_ps();
    size_t count = bytes / sizeof *x / 2;
    for (int s = 0; s < STREAMS; s++) sum[s] = total;
    for (size_t i = 0; i + 8 * STREAMS <= count; i += 8 * STREAMS)
        for (size_t s = 0; s < STREAMS; s++)
            sum[s] = _mm256_add_ps(sum[s], exponential_avx2(_mm256_load_ps(x + i + 8 * s)));
    for (int s = 0; s < STREAMS; s++) total = _mm256_add_ps(total, sum[s]);
    _mm256_store_ps((float *)memory + count, total);
    return (double)(count / (8 * STREAMS) * (8 * STREAMS));
}

AVX512 static __m512 exponential_avx512(__m512 x)
{
    const __m512 factor = _mm512_set1_ps(log2_e);
    __m512 n = _mm512_roundscale_ps(_mm512_mul_ps(x, factor), _MM_FROUND_TO_NEAREST_INT);
    __m512 r = _mm512_fmsub_ps(x, factor, n), p = _mm512_set1_ps(coefficients[0]);
    for (int i = 1; i < 6; i++) p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(coefficients[i]));
    return _mm512_scalef_ps(p, n);
}

AVX512 double limits_avx512_exp(void *memory, size_t bytes)
{
    const float *x = memory;
    __m512 sum[STREAMS], total = _mm512_setzero_ps();
    size_t count = bytes / sizeof *x / 2;
    for (int s = 0; s < STREAMS; s++) sum[s] = total;
    for (size_t i = 0; i + 16 * STREAMS <= count; i += 16 * STREAMS)
        for (size_t s = 0; s < STREAMS; s++)
            sum[s] = _mm512_add_ps(sum[s], exponential_avx512(_mm512_load_ps(x + i + 16 * s)));
    for (int s = 0; s < STREAMS; s++) total = _mm512_add_ps(total, sum[s]);
    _mm512_store_ps((float *)memory + count, total);
    return (double)(count / (16 * STREAMS) * (16 * STREAMS));
}

/* ---- Reading, by four streams, a quarter of the memory each ------------------------------ */

AVX2 double limits_avx2_read(void *memory, size_t bytes)
{
    size_t part = bytes / STREAMS / LINE * LINE;
    const char *x = memory;
    __m256i sum[2 * STREAMS], total = _mm256_setzero_si256();
    for (int s = 0; s < 2 * STREAMS; s++) sum[s] = total;
    for (size_t i = 0; i < part; i += LINE)
        for (size_t s = 0; s < STREAMS; s++) {
            const __m256i *line = (const void *)(x + s * part + i);
            sum[2 * s] = _mm256_xor_si256(sum[2 * s], _mm256_load_si256(line));
            sum[2 * s + 1] = _mm256_xor_si256(sum[2 * s + 1], _mm256_load_si256(line + 1));
        }
    for (int s = 0; s < 2 * STREAMS; s++) total = _mm256_xor_si256(total, sum[s]);
    _mm256_store_si256(memory, total);
    return (double)(part * STREAMS);
}

AVX512 double limits_avx512_read(void *memory, size_t bytes)
{
    size_t part = bytes / STREAMS / LINE / 2 * LINE * 2;
    const char *x = memory;
    __m512i sum[2 * STREAMS], total = _mm512_setzero_si512();
    for (int s = 0; s < 2 * STREAMS; s++) sum[s] = total;
    for (size_t i = 0; i < part; i += (size_t)2 * LINE)
        for (size_t s = 0; s < STREAMS; s++) {
            const char *line = x + s * part + i;
            sum[2 * s] = _mm512_xor_si512(sum[2 * s], _mm512_load_si512(line));
            sum[2 * s + 1] = _mm512_xor_si512(sum[2 * s + 1], _mm512_load_si512(line + LINE));
        }
    for (int s = 0; s < 2 * STREAMS; s++) total = _mm512_xor_si512(total, sum[s]);
    _mm512_store_si512(memory, total);
    return (double)(part * STREAMS);
}
#else
typedef int limits_x86_is_empty; /* a file must not be */
#endif
