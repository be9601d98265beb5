/* Detection of instruction sets: what the CPU announces, what the operating system saves, what
 * QKV_CPU leaves. Knows nothing of kernels; the trial of the tiles is in cpu_tiles.c. */
#define _GNU_SOURCE /* syscall */
#include "base/cpu.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

#include "base/once.h"

/* A feature, and what must be there as well for it to be of use. In order of bits, and each after
 * those it stands on. */
static const struct {
    const char *name;
    unsigned needs;
} table[QKV__CPU_FEATURES] = {
    {"avx2", 0},
    {"avx512", QKV__CPU_AVX2},
    {"avx512_bf16", QKV__CPU_AVX512},
    {"avx512_fp16", QKV__CPU_AVX512},
    {"avx512_vnni", QKV__CPU_AVX512},
    {"avx512_vbmi", QKV__CPU_AVX512},
    {"amx_bf16", QKV__CPU_AVX512},
    {"amx_int8", QKV__CPU_AMX_BF16},
    {"neon", 0},
    {"neon_bf16", QKV__CPU_NEON},
};

static const unsigned tiles = QKV__CPU_AMX_BF16 | QKV__CPU_AMX_INT8;

const char *qkv__cpu_name(size_t index)
{
    return table[index].name;
}

/* ---- Sets -------------------------------------------------------------------------------- */

/* Without those that miss what they stand on. */
static unsigned supported(unsigned features)
{
    for (size_t i = 0; i < QKV__CPU_FEATURES; i++)
        if ((features & table[i].needs) != table[i].needs) features &= ~(1u << i);
    return features;
}

/* The feature of that name with all it stands on; nothing for a name that is not known. */
static unsigned allowed_by(const char *name, size_t length)
{
    unsigned set = 0;
    for (size_t i = QKV__CPU_FEATURES; i-- > 0;) {
        bool named = strlen(table[i].name) == length && memcmp(table[i].name, name, length) == 0;
        if (named) set |= 1u << i;
        if ((set & 1u << i) != 0) set |= table[i].needs;
    }
    return set;
}

unsigned qkv__cpu_limit(unsigned features, const char *list)
{
    unsigned allowed = 0;
    if (list == NULL || *list == '\0') return features;
    for (;; list++) {
        size_t length = strcspn(list, ",");
        allowed |= allowed_by(list, length);
        list += length;
        if (*list == '\0') return features & allowed;
    }
}

bool qkv__cpu_list_known(const char *list)
{
    if (list == NULL || *list == '\0') return true;
    for (;; list++) {
        const size_t length = strcspn(list, ",");
        const bool none = length == strlen("none") && memcmp(list, "none", length) == 0;
        if (!none && allowed_by(list, length) == 0) return false;
        list += length;
        if (*list == '\0') return true;
    }
}

/* ---- x86-64 ------------------------------------------------------------------------------ */
#if defined(__x86_64__)

/* What CPUID leaves 1 and 7 say, and the kinds of registers that the operating system saves. */
typedef struct announced {
    unsigned basic_c;                            /* leaf 1 */
    unsigned extended_b, extended_c, extended_d; /* leaf 7 */
    unsigned more_a;                             /* leaf 7, subleaf 1 */
    uint64_t saved;                              /* XCR0 */
} announced;

static bool has_bits(uint64_t word, uint64_t bits)
{
    return (word & bits) == bits;
}

static uint64_t bit(unsigned number)
{
    return UINT64_C(1) << number;
}

/* Extended control register 0; may be read where CPUID announces OSXSAVE. */
static uint64_t saved_registers(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

static announced ask_cpu(void)
{
    announced cpu = {0};
    unsigned a, b, c, d;
    if (__get_cpuid(1, &a, &b, &c, &d)) cpu.basic_c = c;
    if (has_bits(cpu.basic_c, bit(27))) cpu.saved = saved_registers();
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return cpu;
    cpu.extended_b = b;
    cpu.extended_c = c;
    cpu.extended_d = d;
    if (a >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d)) cpu.more_a = a;
    return cpu;
}

/* What needs registers that are not saved is not there. Bits as in Intel's manual, volume 2, CPUID,
 * and volume 1, chapter 13: XCR0 has SSE 1, AVX 2, AVX-512 5 to 7, tiles 17 and 18. */
static unsigned detect(void)
{
    const announced cpu = ask_cpu();
    unsigned set = 0;
    if (!has_bits(cpu.saved, bit(1) | bit(2))) return 0;
    if (has_bits(cpu.basic_c, bit(12) | bit(28) | bit(29)) && has_bits(cpu.extended_b, bit(5)))
        set |= QKV__CPU_AVX2;
    if (!has_bits(cpu.saved, bit(5) | bit(6) | bit(7))) return set;
    if (has_bits(cpu.extended_b, bit(16) | bit(17) | bit(30) | bit(31))) set |= QKV__CPU_AVX512;
    if (has_bits(cpu.more_a, bit(5))) set |= QKV__CPU_AVX512_BF16;
    if (has_bits(cpu.extended_d, bit(23))) set |= QKV__CPU_AVX512_FP16;
    if (has_bits(cpu.extended_c, bit(11))) set |= QKV__CPU_AVX512_VNNI;
    if (has_bits(cpu.extended_c, bit(1))) set |= QKV__CPU_AVX512_VBMI;
    if (!has_bits(cpu.saved, bit(17) | bit(18))) return set;
    if (has_bits(cpu.extended_d, bit(22) | bit(24))) set |= QKV__CPU_AMX_BF16;
    if (has_bits(cpu.extended_d, bit(25))) set |= QKV__CPU_AMX_INT8;
    return set;
}

/* Linux gives a process the memory for tiles only when asked; without it, using them is illegal. A
 * kernel that cannot be asked does not save them from one thread to the next. */
static bool tiles_permitted(void)
{
#if defined(__linux__) && defined(SYS_arch_prctl)
    enum { REQUEST_STATE_PERMISSION = 0x1023, TILE_DATA = 18 };
    return syscall(SYS_arch_prctl, REQUEST_STATE_PERMISSION, TILE_DATA) == 0;
#else
    return false;
#endif
}

/* ---- Other CPUs -------------------------------------------------------------------------- */
#else

static unsigned detect(void)
{
    unsigned set = 0;
#if defined(__aarch64__)
    set |= QKV__CPU_NEON;                 /* a part of the architecture */
#if defined(__linux__)
    const unsigned long bf16 = 1ul << 14; /* HWCAP2_BF16 of Linux; older headers lack it */
    if ((getauxval(AT_HWCAP2) & bf16) != 0) set |= QKV__CPU_NEON_BF16;
#endif
#endif
    return set;
}

static bool tiles_permitted(void)
{
    return false;
}

#endif

/* ---- Once -------------------------------------------------------------------------------- */

static qkv__once_flag once = QKV__ONCE_INIT, tiles_once = QKV__ONCE_INIT;
static unsigned found;       /* what is announced and allowed */
static unsigned tiles_found; /* the tiles among them that were tried */

static void find(void)
{
    found = supported(qkv__cpu_limit(supported(detect()), getenv("QKV_CPU")));
}

static void find_tiles(void)
{
    if ((found & tiles) == 0 || !tiles_permitted()) return;
    if ((found & QKV__CPU_AMX_INT8) != 0 && qkv__cpu_try_tiles(true))
        tiles_found = tiles;
    else if (qkv__cpu_try_tiles(false))
        tiles_found = QKV__CPU_AMX_BF16;
}

bool qkv__cpu_has(unsigned features)
{
    qkv__once(&once, find);
    if ((features & found) != features) return false;
    if ((features & tiles) == 0) return true;
    qkv__once(&tiles_once, find_tiles);
    return (features & tiles & ~tiles_found) == 0;
}

unsigned qkv__cpu_features(void)
{
    unsigned set = 0;
    for (size_t i = 0; i < QKV__CPU_FEATURES; i++)
        if (qkv__cpu_has(1u << i)) set |= 1u << i;
    return set;
}
