/*
 * Attention in one process, to compare with ranks: the seconds of one call of qkv_attention with so
 * many threads, and those of its CPU time, the best of some runs. What qkv-mpi attend --time prints
 * is the other side.
 *
 *     bench_mpi HEADS LENGTH WIDTH THREADS CAUSAL RUNS
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <qkv/qkv.h>

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static qkv_view make(const size_t shape[3], unsigned seed)
{
    const size_t count = shape[0] * shape[1] * shape[2];
    float *numbers = malloc(count * sizeof *numbers);
    if (numbers == NULL) exit(2);
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        numbers[i] = (float)(seed >> 8) * 0x1p-23f - 1.0f;
    }
    return qkv_view_dense(QKV_F32, numbers, 3, shape);
}

int main(int count, char **words)
{
    if (count != 7) return fprintf(stderr, "bench_mpi: expected six numbers\n"), 2;
    const size_t shape[3] = {strtoul(words[1], NULL, 10), strtoul(words[2], NULL, 10),
                             strtoul(words[3], NULL, 10)};
    const qkv_view q = make(shape, 1), k = make(shape, 2), v = make(shape, 3), c = make(shape, 4);
    qkv_attention_options options = qkv_attention_default();
    qkv_error error;
    double best = 1e300, best_cpu = 1e300;
    options.threads = atoi(words[4]);
    options.causal = atoi(words[5]) != 0;
    for (int run = 0; run < atoi(words[6]); run++) {
        const double start = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
        if (qkv_attention(&q, &k, &v, &c, &options, &error) != QKV_OK)
            return fprintf(stderr, "bench_mpi: %s\n", error.message), 2;
        const double took = seconds(CLOCK_MONOTONIC) - start;
        const double took_cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
        if (took < best) best = took;
        if (took_cpu < best_cpu) best_cpu = took_cpu;
    }
    printf("%.4f %.4f\n", best, best_cpu);
    return 0;
}
