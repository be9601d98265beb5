/*
 * Which instructions this CPU and its operating system can run. A kernel with instructions of its
 * own asks here, and nowhere else, before it is chosen.
 *
 * The environment variable QKV_CPU, read when the first question is asked, is an upper bound: a
 * list of names with commas between them, such as `avx2` or `avx512,avx512_bf16`. Features that it
 * does not name are not used, except those that a named one stands on (avx512 allows avx2). It can
 * only take features away. `none`, and a name that is not known, allow nothing; the operator
 * refuses the latter, which else only its slowness would tell of. Unset or empty, it allows all.
 */
#ifndef QKV_BASE_CPU_H
#define QKV_BASE_CPU_H

#include <stdbool.h>
#include <stddef.h>

/* Bits of a set. In each set that is given out, a feature comes with those it stands on. */
typedef enum qkv__cpu_feature {
    QKV__CPU_AVX2 = 1 << 0,        /* with FMA and F16C */
    QKV__CPU_AVX512 = 1 << 1,      /* F, BW, DQ and VL; stands on AVX2 */
    QKV__CPU_AVX512_BF16 = 1 << 2, /* these and AMX stand on AVX512 */
    QKV__CPU_AVX512_FP16 = 1 << 3,
    QKV__CPU_AVX512_VNNI = 1 << 4,
    QKV__CPU_AVX512_VBMI = 1 << 5,
    QKV__CPU_AMX_BF16 = 1 << 6, /* the tiles and their product of bf16; tried, not only announced */
    QKV__CPU_AMX_INT8 = 1 << 7, /* stands on AMX_BF16; tried as well */
    QKV__CPU_NEON = 1 << 8,
    QKV__CPU_NEON_BF16 = 1 << 9, /* stands on NEON */
} qkv__cpu_feature;

enum { QKV__CPU_FEATURES = 10 };

/*
 * Whether all features of the set are there. Computed once; from any thread. The first question
 * about AMX asks the kernel to let this process use the tiles, which makes the frames of its
 * signals larger from then on; other questions leave the process as it is.
 */
bool qkv__cpu_has(unsigned features);

/* All that are there, AMX among them. */
unsigned qkv__cpu_features(void);

/* What the list of QKV_CPU's form, or NULL, leaves of a set. */
unsigned qkv__cpu_limit(unsigned features, const char *list);

/* Whether such a list has only names that are known, or "none". */
bool qkv__cpu_list_known(const char *list);

/* The name of one feature as QKV_CPU spells it, for index < QKV__CPU_FEATURES, in order of bits. */
const char *qkv__cpu_name(size_t index);

/*
 * Whether the tiles of AMX multiply as they should: known numbers are multiplied by them and
 * compared, as int8 too where that is asked for. False, without harm, on a CPU that cannot.
 */
bool qkv__cpu_try_tiles(bool int8);

#endif
