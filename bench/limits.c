/*
 * Measuring the limits: a team of threads starts together and repeats a loop of limits_kernels.h
 * for a slice of time; the rates of the threads are added.
 */
#define _GNU_SOURCE /* madvise, pthread barriers */
#include "limits.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "limits_kernels.h"
#include "machine.h"
#include "timing.h"

enum { TEAM_AT_MOST = 256, TEAMS_AT_MOST = 8, SHORT_SLICES = 4, REPEATS = 64 };
static const double short_slice = 0.004, memory_slice = 0.03; /* seconds */
static const size_t memory_piece = (size_t)4 << 20;           /* read between looks at the clock */

typedef struct known_limits {
    int threads;
    double best[LIMIT_KINDS];
} known_limits;

typedef struct member {
    pthread_t thread;
    pthread_barrier_t *start;
    limits_kernel kernel;
    unsigned char *memory; /* `pieces` of `bytes` one after the other, taken in turn */
    size_t bytes, pieces;
    int repeats; /* between looks at the clock */
    double (*clock)(void);
    double slice, rate;
} member;

static known_limits known[TEAMS_AT_MOST];
static unsigned char *large;
static size_t large_bytes;

/* ---- A team ------------------------------------------------------------------------------ */

static void *work(void *argument)
{
    member *self = argument;
    double done = 0.0, elapsed;
    size_t piece = 0;
    pthread_barrier_wait(self->start);
    double begin = self->clock();
    do {
        for (int i = 0; i < self->repeats; i++) /* of what is short: the clock takes its time */
            done += self->kernel(self->memory + piece * self->bytes, self->bytes);
        piece = piece + 1 == self->pieces ? 0 : piece + 1;
        elapsed = self->clock() - begin;
    } while (elapsed < self->slice);
    self->rate = done / elapsed;
    return NULL;
}

/* Work a second of all threads; each has its own stretch of the large memory. */
static double run_team(int threads, limits_kernel kernel, size_t bytes, size_t pieces, double slice,
                       double (*clock)(void))
{
    static member team[TEAM_AT_MOST];
    pthread_barrier_t start;
    double rate = 0.0;
    size_t stride = large_bytes / (size_t)threads / 4096 * 4096;
    pthread_barrier_init(&start, NULL, (unsigned)threads);
    for (int i = 0; i < threads; i++) {
        team[i] = (member){.start = &start,
                           .kernel = kernel,
                           .memory = large + (size_t)i * stride,
                           .bytes = bytes,
                           .pieces = pieces,
                           .slice = slice,
                           .repeats = pieces > 1 ? 1 : REPEATS,
                           .clock = clock};
        if (i > 0 && pthread_create(&team[i].thread, NULL, work, &team[i]) != 0) exit(1);
    }
    work(&team[0]);
    for (int i = 1; i < threads; i++) pthread_join(team[i].thread, NULL);
    for (int i = 0; i < threads; i++) rate += team[i].rate;
    pthread_barrier_destroy(&start);
    return rate;
}

/* ---- What to run ------------------------------------------------------------------------- */

#if defined(__x86_64__)
static limits_kernel choose(limit_kind kind)
{
    const machine *m = machine_get();
    switch (kind) {
    case LIMIT_F32:
        return m->avx512 ? limits_avx512_f32 : m->avx2 ? limits_avx2_f32 : limits_plain_f32;
    case LIMIT_F64:
        return m->avx512 ? limits_avx512_f64 : m->avx2 ? limits_avx2_f64 : limits_plain_f64;
    case LIMIT_EXP:
        return m->avx512 ? limits_avx512_exp : m->avx2 ? limits_avx2_exp : limits_plain_exp;
    case LIMIT_F16: return m->avx512_fp16 ? limits_avx512_f16 : NULL;
    case LIMIT_BF16: return m->avx512_bf16 ? limits_avx512_bf16 : NULL;
    case LIMIT_AMX: return m->amx_bf16 ? limits_amx_bf16 : NULL;
    default: return m->avx512 ? limits_avx512_read : m->avx2 ? limits_avx2_read : limits_plain_read;
    }
}
#else
static limits_kernel choose(limit_kind kind)
{
    switch (kind) {
    case LIMIT_F32: return limits_plain_f32;
    case LIMIT_F64: return limits_plain_f64;
    case LIMIT_EXP: return limits_plain_exp;
    case LIMIT_F16:
    case LIMIT_BF16:
    case LIMIT_AMX: return NULL;
    default: return limits_plain_read;
    }
}
#endif

/* Half of L2; four times L2, but not more than half of a thread's share of L3. */
static size_t cached_bytes(limit_kind kind, int threads)
{
    const machine *m = machine_get();
    size_t share = m->l3 / (size_t)threads / 2;
    if (kind == LIMIT_L2) return m->l2 / 2;
    return 4 * m->l2 < share ? 4 * m->l2 : share > 2 * m->l2 ? share : 2 * m->l2;
}

/* A core's own units are timed by the time that the thread ran, which a neighbour on the core does
 * not lengthen; what cores share, by the wall clock. */
static double measure_once(limit_kind kind, limits_kernel kernel, int threads)
{
    double (*clock)(void) = threads > 1 && kind >= LIMIT_L3 ? now : thread_time;
    size_t share = large_bytes / (size_t)threads;
    if (kind == LIMIT_DRAM)
        return run_team(threads, kernel, memory_piece, share / memory_piece, memory_slice, clock);
    if (kind == LIMIT_L2 || kind == LIMIT_L3)
        return run_team(threads, kernel, cached_bytes(kind, threads), 1, short_slice, clock);
    return run_team(threads, kernel, LIMITS_SCRATCH, 1, short_slice, clock);
}

static known_limits *find(int threads)
{
    for (int i = 0; i < TEAMS_AT_MOST; i++) {
        if (known[i].threads == 0) known[i].threads = threads;
        if (known[i].threads == threads) return &known[i];
    }
    return &known[TEAMS_AT_MOST - 1];
}

/* Short slices, many of them: a neighbour's turn on the core is a few milliseconds. */
static double measure(limit_kind kind, limits_kernel kernel, int threads)
{
    double best = 0.0;
    for (int slice = kind == LIMIT_DRAM ? SHORT_SLICES - 1 : 0; slice < SHORT_SLICES; slice++) {
        double rate = measure_once(kind, kernel, threads);
        if (rate > best) best = rate;
    }
    return best;
}

/* ---- From outside ------------------------------------------------------------------------ */

bool limits_begin(void)
{
    const machine *m = machine_get();
    size_t wish = 4 * m->l3 > (size_t)512 << 20 ? 4 * m->l3 : (size_t)512 << 20;
    size_t most = m->free / 4 > (size_t)64 << 20 ? m->free / 4 : (size_t)64 << 20;
    large_bytes = (wish < most ? wish : most) >> 22 << 22;
    large = mmap(NULL, large_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (large == MAP_FAILED) return false;
    madvise(large, large_bytes, MADV_HUGEPAGE);
    memset(large, 0xbc, large_bytes); /* f32: -0.023, an exponent as good as any */
    return true;
}

void limits_end(void)
{
    munmap(large, large_bytes);
}

void limits_measure(int threads, int rounds)
{
    known_limits *here = find(threads);
    for (int round = 0; round < rounds; round++)
        for (int kind = 0; kind < LIMIT_KINDS; kind++) {
            limits_kernel kernel = choose((limit_kind)kind);
            if (kernel == NULL) continue;
            double rate = measure((limit_kind)kind, kernel, threads);
            if (rate > here->best[kind]) here->best[kind] = rate;
        }
}

double limits_best(limit_kind kind, int threads)
{
    double best = find(threads)->best[kind];
    for (int i = 0; i < TEAMS_AT_MOST; i++) /* more threads can do what fewer can */
        if (known[i].threads < threads && known[i].best[kind] > best) best = known[i].best[kind];
    return best;
}

const char *limits_name(limit_kind kind)
{
    static const char *const names[] = {
        [LIMIT_F32] = "f32 FMA",   [LIMIT_F64] = "f64 FMA",  [LIMIT_F16] = "f16 FMA",
        [LIMIT_BF16] = "bf16 dot", [LIMIT_AMX] = "AMX bf16", [LIMIT_EXP] = "exp",
        [LIMIT_L2] = "L2 read",    [LIMIT_L3] = "L3 read",   [LIMIT_DRAM] = "DRAM read",
    };
    return names[kind];
}

const char *limits_unit(limit_kind kind)
{
    return kind < LIMIT_EXP ? "GFLOP/s" : kind == LIMIT_EXP ? "Gexp/s" : "GB/s";
}
