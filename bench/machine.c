/*
 * Finding out what machine this is. Instructions are asked of the CPU itself, not of the compiler's
 * helper, whose list depends on its age.
 */
#define _GNU_SOURCE /* sched_getaffinity, syscall */
#include "machine.h"

#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "limits_kernels.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#endif

static machine found;

/* ---- Files of the system ----------------------------------------------------------------- */

/* The text behind the first line that begins with the word, or nothing. */
static void find_line(const char *path, const char *word, char *text, size_t room)
{
    char line[512];
    FILE *file = fopen(path, "r");
    text[0] = '\0';
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *value = strchr(line, ':');
        if (strncmp(line, word, strlen(word)) != 0 || value == NULL) continue;
        value += 1 + strspn(value + 1, " \t");
        snprintf(text, room, "%.*s", (int)strcspn(value, "\n"), value);
        break;
    }
    if (file != NULL) fclose(file);
}

/* Bytes of the data cache of that level, as the first CPU reports it. */
static size_t cache_size(int level, size_t otherwise)
{
    for (int index = 0; index < 8; index++) {
        char path[96], kind[32] = "", unit = 'K';
        int its_level = 0;
        size_t size = 0;
        const char *folder = "/sys/devices/system/cpu/cpu0/cache";
        snprintf(path, sizeof path, "%s/index%d/level", folder, index);
        FILE *file = fopen(path, "r");
        if (file == NULL) break;
        if (fscanf(file, "%d", &its_level) != 1) its_level = 0;
        fclose(file);
        snprintf(path, sizeof path, "%s/index%d/type", folder, index);
        if ((file = fopen(path, "r")) == NULL) break;
        if (fscanf(file, "%31s", kind) != 1) kind[0] = '\0';
        fclose(file);
        snprintf(path, sizeof path, "%s/index%d/size", folder, index);
        if ((file = fopen(path, "r")) == NULL) break;
        if (fscanf(file, "%zu%c", &size, &unit) < 1) size = 0;
        fclose(file);
        if (its_level == level && strcmp(kind, "Instruction") != 0 && size > 0)
            return size << (unit == 'M' ? 20 : 10);
    }
    return otherwise;
}

static size_t memory_line(const char *word)
{
    char text[64];
    find_line("/proc/meminfo", word, text, sizeof text);
    return (size_t)strtoull(text, NULL, 10) << 10;
}

/* ---- Instructions ------------------------------------------------------------------------ */

#if defined(__x86_64__)

static uint64_t enabled_states(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

static sigjmp_buf after_trap;

static void on_trap(int signal)
{
    (void)signal;
    siglongjmp(after_trap, 1);
}

/* Asks Linux for the tiles, and multiplies once: some virtual machines promise AMX and trap. */
static bool amx_works(void)
{
    enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };
    struct sigaction trap = {.sa_handler = on_trap}, before;
    static unsigned char tiles[LIMITS_SCRATCH] __attribute__((aligned(64)));
    bool works = false;
    if (syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) != 0) return false;
    sigemptyset(&trap.sa_mask);
    if (sigaction(SIGILL, &trap, &before) != 0) return false;
    if (sigsetjmp(after_trap, 1) == 0) {
        limits_amx_bf16(tiles, sizeof tiles);
        works = true;
    }
    sigaction(SIGILL, &before, NULL);
    return works;
}

static void find_instructions(machine *m)
{
    enum { AVX_STATE = 0x6, AVX512_STATE = 0xe6 };
    enum { AVX512_F_DQ_BW_VL = (int)(1u << 16 | 1u << 17 | 1u << 30) };
    const unsigned vector_length = 1u << 31;
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0 || !(c >> 27 & 1)) return; /* OSXSAVE */
    bool fma = c >> 12 & 1, f16c = c >> 29 & 1;
    uint64_t states = enabled_states();
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return;
    m->avx2 = fma && f16c && (b >> 5 & 1) && (states & AVX_STATE) == AVX_STATE;
    m->avx512 = m->avx2 && (b & AVX512_F_DQ_BW_VL) == AVX512_F_DQ_BW_VL && (b & vector_length) &&
                (states & AVX512_STATE) == AVX512_STATE;
    m->avx512_fp16 = m->avx512 && (d >> 23 & 1);
    bool amx = (d >> 22 & 1) && (d >> 24 & 1);
    if (__get_cpuid_count(7, 1, &a, &b, &c, &d) != 0) m->avx512_bf16 = m->avx512 && (a >> 5 & 1);
    m->amx_bf16 = amx && m->avx512 && amx_works();
}

#else

static void find_instructions(machine *m)
{
    (void)m;
}

#endif

/* ---- All together ------------------------------------------------------------------------ */

static int core_count(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return CPU_COUNT(&set);
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

const machine *machine_get(void)
{
    if (found.cores != 0) return &found;
    find_line("/proc/cpuinfo", "model name", found.model, sizeof found.model);
    if (found.model[0] == '\0')
        find_line("/proc/cpuinfo", "CPU part", found.model, sizeof found.model);
    found.l1 = cache_size(1, (size_t)32 << 10);
    found.l2 = cache_size(2, (size_t)1 << 20);
    found.l3 = cache_size(3, (size_t)32 << 20);
    found.memory = memory_line("MemTotal");
    found.free = memory_line("MemAvailable");
    find_instructions(&found);
    found.cores = core_count();
    return &found;
}

void machine_set_free(size_t bytes)
{
    machine_get();
    found.free = bytes;
}

void machine_describe(FILE *file)
{
    const machine *m = machine_get();
    struct utsname name;
    char family[32], number[32];
    find_line("/proc/cpuinfo", "cpu family", family, sizeof family);
    find_line("/proc/cpuinfo", "model\t", number, sizeof number);
    fprintf(file, "cpu      %s", m->model);
    if (family[0] != '\0') fprintf(file, " (family %s, model %s)", family, number);
    fprintf(file, ", %d cores\n", m->cores);
    fprintf(file, "caches   L1 %zu KiB and L2 %zu KiB a core, L3 %zu MiB\n", m->l1 >> 10,
            m->l2 >> 10, m->l3 >> 20);
    fprintf(file, "memory   %.1f GiB, %.1f free\n", (double)m->memory / (1 << 30),
            (double)m->free / (1 << 30));
    fprintf(file, "vectors  %s%s%s%s\n",
            m->avx512 ? "AVX-512"
            : m->avx2 ? "AVX2"
                      : "16 bytes",
            m->avx512_fp16 ? ", AVX512-FP16" : "", m->avx512_bf16 ? ", AVX512-BF16" : "",
            m->amx_bf16 ? ", AMX bf16" : "");
    if (uname(&name) == 0) /* without what a distributor adds to the release */
        fprintf(file, "system   %s %.*s\n", name.sysname, (int)strcspn(name.release, "-"),
                name.release);
    fprintf(file, "compiler %s\n", __VERSION__);
}
