/* The CPU's features: what is found is consistent and agrees with the compiler's own detection,
 * QKV_CPU takes away and never adds, and the trial of the tiles leaves the process as it was. */
#include "support/check.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpu.h"

enum { ALL = (1 << QKV__CPU_FEATURES) - 1 };

/* A feature and one that it stands on. */
static const struct {
    unsigned feature, needs;
} pairs[] = {
    {QKV__CPU_AVX512, QKV__CPU_AVX2},        {QKV__CPU_AVX512_BF16, QKV__CPU_AVX512},
    {QKV__CPU_AVX512_FP16, QKV__CPU_AVX512}, {QKV__CPU_AVX512_VNNI, QKV__CPU_AVX512},
    {QKV__CPU_AVX512_VBMI, QKV__CPU_AVX512}, {QKV__CPU_AMX_BF16, QKV__CPU_AVX512},
    {QKV__CPU_AMX_INT8, QKV__CPU_AMX_BF16},  {QKV__CPU_NEON_BF16, QKV__CPU_NEON},
};

static void check_consistent(unsigned features)
{
    assert_int_equal(features & ~(unsigned)ALL, 0);
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if ((features & pairs[i].feature) != 0) assert_true((features & pairs[i].needs) != 0);
    assert_false((features & QKV__CPU_AVX2) != 0 && (features & QKV__CPU_NEON) != 0);
}

/* Whether a child, which has not asked before, finds under that QKV_CPU what the limit says. */
static bool child_agrees(const char *list)
{
    pid_t child = fork();
    if (child == 0) {
        unsetenv("QKV_CPU");
        if (list != NULL) setenv("QKV_CPU", list, 1);
        unsigned found = qkv__cpu_features();
        _exit((found & ~qkv__cpu_limit(ALL, list)) == 0 && qkv__cpu_has(found) ? 0 : 1);
    }
    int status = -1;
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Comes first: in this process nothing has been asked yet, so that each child asks anew. */
static void test_environment_takes_away(void **state)
{
    static const char *const lists[] = {NULL, "", "none", "avx2", "neon", "avx512", "amx_bf16"};
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) assert_true(child_agrees(lists[i]));
}

static void test_limit(void **state)
{
    const unsigned wide = QKV__CPU_AVX2 | QKV__CPU_AVX512;
    (void)state;
    assert_int_equal(qkv__cpu_limit(ALL, NULL), ALL);
    assert_int_equal(qkv__cpu_limit(ALL, ""), ALL);
    assert_int_equal(qkv__cpu_limit(ALL, "none"), 0);
    assert_int_equal(qkv__cpu_limit(ALL, "avx2"), QKV__CPU_AVX2);
    assert_int_equal(qkv__cpu_limit(ALL, "avx512"), wide);
    assert_int_equal(qkv__cpu_limit(ALL, "avx512,neon"), wide | QKV__CPU_NEON);
    assert_int_equal(qkv__cpu_limit(ALL, "amx_int8"), wide | QKV__CPU_AMX_BF16 | QKV__CPU_AMX_INT8);
    assert_int_equal(qkv__cpu_limit(QKV__CPU_AVX2, "avx512"), QKV__CPU_AVX2);
    assert_int_equal(qkv__cpu_limit(0, "avx2"), 0);
    assert_int_equal(qkv__cpu_limit(ALL, "avx3"), 0);
    assert_int_equal(qkv__cpu_limit(ALL, "avx"), 0);
    assert_int_equal(qkv__cpu_limit(ALL, "avx3,avx2,none"), QKV__CPU_AVX2);
    assert_int_equal(qkv__cpu_limit(ALL, ",avx2,"), QKV__CPU_AVX2);
    for (size_t i = 0; i < QKV__CPU_FEATURES; i++) {
        unsigned left = qkv__cpu_limit(ALL, qkv__cpu_name(i));
        assert_true((left & 1u << i) != 0);
        check_consistent(left);
    }
}

static void test_features(void **state)
{
    unsigned found = qkv__cpu_features();
    (void)state;
    check_consistent(found);
    assert_int_equal(qkv__cpu_features(), found);
    assert_true(qkv__cpu_has(0));
    assert_true(qkv__cpu_has(found));
    for (unsigned i = 0; i < QKV__CPU_FEATURES; i++)
        assert_int_equal(qkv__cpu_has(1u << i), (found & 1u << i) != 0);
    assert_false(qkv__cpu_has(QKV__CPU_AVX2 | QKV__CPU_NEON));
}

/* The compiler's library asks the CPU and the operating system in its own way. */
static void test_agrees_with_compiler(void **state)
{
    (void)state;
#if defined(__x86_64__)
    const unsigned found = getenv("QKV_CPU") == NULL ? qkv__cpu_features() : 0;
    __builtin_cpu_init();
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (getenv("QKV_CPU") != NULL) return;
    assert_int_equal((found & QKV__CPU_AVX2) != 0, avx2);
    assert_int_equal((found & QKV__CPU_AVX512) != 0, avx512);
    assert_int_equal((found & QKV__CPU_AVX512_VNNI) != 0,
                     avx512 && __builtin_cpu_supports("avx512vnni"));
    assert_int_equal((found & QKV__CPU_AVX512_VBMI) != 0,
                     avx512 && __builtin_cpu_supports("avx512vbmi"));
#elif defined(__aarch64__)
    if (getenv("QKV_CPU") == NULL) assert_true(qkv__cpu_has(QKV__CPU_NEON));
#else
    assert_int_equal(qkv__cpu_features(), 0);
#endif
}

static volatile sig_atomic_t heard;

static void hear(int number)
{
    (void)number;
    heard++;
}

/* Tried without a look at what is announced: on most machines the first instruction is illegal. */
static void test_tiles_are_tried_without_harm(void **state)
{
    struct sigaction mine = {.sa_handler = hear}, now;
    sigset_t illegal, before, after;
    (void)state;
    sigaction(SIGILL, &mine, NULL);
    sigemptyset(&illegal);
    sigaddset(&illegal, SIGILL);
    pthread_sigmask(SIG_BLOCK, &illegal, &before);
    bool good = qkv__cpu_try_tiles(false);
    assert_int_equal(qkv__cpu_try_tiles(false), good);
    if (qkv__cpu_has(QKV__CPU_AMX_BF16)) assert_true(good);
    if (qkv__cpu_has(QKV__CPU_AMX_INT8)) assert_true(qkv__cpu_try_tiles(true));
    pthread_sigmask(SIG_SETMASK, &before, &after);
    assert_true(sigismember(&after, SIGILL));
    sigaction(SIGILL, NULL, &now);
    assert_true(now.sa_handler == hear);
    assert_int_equal(heard, 0);
    raise(SIGILL);
    assert_int_equal(heard, 1);
    signal(SIGILL, SIG_DFL);
}

static void *ask(void *result)
{
    *(unsigned *)result = qkv__cpu_features();
    return NULL;
}

static void test_threads_agree(void **state)
{
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    unsigned found[THREADS];
    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, ask, &found[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(found[i], qkv__cpu_features());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_environment_takes_away),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_threads_agree),
        cmocka_unit_test(test_features),
        cmocka_unit_test(test_agrees_with_compiler),
        cmocka_unit_test(test_tiles_are_tried_without_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
