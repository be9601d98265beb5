/*
 * How fast random keys are sampled, as a ratio to the obvious NumPy and PyTorch programs (see
 * sample_peer.py) in the same call on the same core: 10 keys, 64 dimensions, two heads, the mean
 * and the covariance of the output.
 *
 *     bench_sample FOLDER [FILE]
 *
 * FOLDER holds sample_peer.py. FILE, if given, is a JSON array of results to which these are added.
 * Rates are per second of CPU time, since other programs may share the core.
 *
 * The floor, for eight lanes, in vector operations a sample. A pair of normal numbers takes 53 for
 * Philox and 78 for logarithm, root, sine and cosine; a score one multiplication and one addition a
 * term; a weight 31 (26 of them its exponential); the sums 2 for each product of two entries and 8
 * for each entry. At two operations a cycle, the most that CPUs do with 512 bits: (10 * 131 + 20 *
 * 2 + 20 * 33 + 10 * 3 + 10 * 8 + 55 * 2) / 8 = 279 operations, 139 cycles.
 */
#define _GNU_SOURCE /* sched_setaffinity */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <qkv/qkv.h>

enum { KEYS = 10, WIDTH = 64, HEADS = 2, REPEATS = 5, KEYS_AT_MOST = 1000, PEERS = 2 };
/* Samples that a peer draws at once: as one would, and as one who knows of caches would. */
enum { OBVIOUS = 20000, CACHED = 500 };
#define FLOOR_CYCLES 139.0
#define TRIES_SECONDS 0.3

static double cpu_seconds(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Cycles a second, from a chain of dependent multiplications of 3 cycles each (x86-64). */
static double measure_clock(void)
{
    enum { STEPS = 20000000 };
    double best = 0.0;
    for (int r = 0; r < 4 * REPEATS; r++) {
        volatile unsigned long long start = 3, sink;
        unsigned long long x = start;
        double begin = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);
        for (int i = 0; i < STEPS; i++) x = x * x;
        sink = x;
        (void)sink;
        double rate = 3.0 * STEPS / (cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - begin);
        if (rate > best) best = rate;
    }
    return best;
}

/* ---- The library ---------------------------------------------------------------------------- */

/* covariance: of the output, which alone does not grow linearly with the number of keys. */
static qkv_lab_sampler *make(size_t keys, size_t width, const char *kernel, bool full_keys,
                             int threads, bool covariance)
{
    static double coefficients[HEADS * KEYS_AT_MOST];
    static qkv_lab_noise noises[KEYS_AT_MOST];
    qkv_lab_model model = qkv_lab_model_default();
    qkv_lab_options options = qkv_lab_options_default();
    qkv_lab_sampler *sampler = NULL;
    qkv_error error;
    memset(coefficients, 0, sizeof coefficients);
    coefficients[0] = coefficients[keys + 1] = 10.0;
    for (size_t i = 0; i < keys; i++)
        noises[i] = (qkv_lab_noise){.alpha = 1e-4, .stretch = i == 0 ? 0.5 : 0.0};
    model.keys = keys;
    model.width = width;
    model.heads = HEADS;
    model.coefficients = coefficients;
    model.noises = noises;
    options.kernel = kernel;
    options.full_keys = full_keys;
    options.threads = threads;
    options.no_covariance = !covariance;
    if (qkv_lab_sampler_create(&model, &options, &sampler, &error) != QKV_OK) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    return sampler;
}

/* Samples a second of a clock: the best of some runs. */
static double measure(qkv_lab_sampler *sampler, clockid_t clock)
{
    uint64_t count = 1024;
    double best = 0.0;
    for (int r = 0; r < REPEATS;) {
        double begin = cpu_seconds(clock);
        qkv_lab_sampler_run(sampler, count, NULL);
        double seconds = cpu_seconds(clock) - begin;
        if (seconds < TRIES_SECONDS / 4) {
            count *= 2;
            continue;
        }
        if ((double)count / seconds > best) best = (double)count / seconds;
        r++;
    }
    qkv_lab_sampler_free(&sampler);
    return best;
}

/* ---- The peers ------------------------------------------------------------------------------ */

static const char *const peers[PEERS] = {"numpy", "torch"};

/* Samples a second, or 0 where the library is missing. */
static double measure_peer(const char *folder, const char *library, int batch)
{
    char command[1024];
    double rate = 0.0;
    const char *python = getenv("QKV_BENCH_PYTHON");
    snprintf(command, sizeof command, "%s %s/sample_peer.py %s %d",
             python ? python : "/usr/bin/python3", folder, library, batch);
    FILE *output = popen(command, "r");
    if (output == NULL || fscanf(output, "%lf", &rate) != 1) rate = 0.0;
    if (output != NULL) pclose(output);
    return 1e6 * rate;
}

/* ---- Results -------------------------------------------------------------------------------- */

typedef struct result {
    char name[64];
    double value, limit; /* samples a second; 0: no limit is known */
    const char *peer;
    double ratio; /* 0: no peer */
} result;

static result results[32];
static size_t result_count;

static void report(const char *name, double value, double limit, const char *peer, double ratio)
{
    result *added = &results[result_count++];
    *added = (result){.value = value, .limit = limit, .peer = peer, .ratio = ratio};
    snprintf(added->name, sizeof added->name, "%s", name);
    printf("%-36s %9.3f M samples/s", name, value / 1e6);
    if (limit > 0.0) printf("  %4.0f %% of the limit", 100.0 * value / limit);
    if (ratio > 0.0) printf("  %7.1f x %s", ratio, peer);
    printf("\n");
}

static void write_number(FILE *file, const char *name, double number)
{
    if (number > 0.0)
        fprintf(file, ", \"%s\": %.6g", name, number);
    else
        fprintf(file, ", \"%s\": null", name);
}

/* Adds to the array in the file, or begins one. */
static void write_results(const char *path)
{
    FILE *file = fopen(path, "r+");
    bool joined = file != NULL && fseek(file, -2, SEEK_END) == 0 && fgetc(file) == ']';
    if (joined)
        fseek(file, -2, SEEK_END);
    else
        file = file == NULL ? fopen(path, "w") : freopen(path, "w", file);
    if (file == NULL) exit(1);
    for (size_t i = 0; i < result_count; i++) {
        const result *r = &results[i];
        fprintf(file, "%s\n  {\"name\": \"%s\", \"value\": %.6g, \"unit\": \"samples/s\"",
                i == 0 && !joined ? "[" : ",", r->name, r->value);
        write_number(file, "limit", r->limit);
        write_number(file, "fraction", r->limit > 0.0 ? r->value / r->limit : 0.0);
        fprintf(file, r->peer ? ", \"peer\": \"%s\"" : ", \"peer\": null", r->peer);
        write_number(file, "ratio", r->ratio);
        fprintf(file, "}");
    }
    fprintf(file, "]\n");
    fclose(file);
}

static void stay_on_one_core(cpu_set_t *before)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    sched_getaffinity(0, sizeof *before, before);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET((size_t)cpu, before)) {
            CPU_SET((size_t)cpu, &one);
            break;
        }
    sched_setaffinity(0, sizeof one, &one);
}

/* What the peers do, one after the other; 0 where one is missing. */
static void bench_peers(const char *folder, double rates[PEERS])
{
    for (int p = 0; p < PEERS; p++) {
        char label[64];
        rates[p] = measure_peer(folder, peers[p], OBVIOUS);
        double cached = measure_peer(folder, peers[p], CACHED);
        snprintf(label, sizeof label, "sample %s, %d at once", peers[p], OBVIOUS);
        if (rates[p] > 0.0) report(label, rates[p], 0.0, NULL, 0.0);
        snprintf(label, sizeof label, "sample %s, %d at once", peers[p], CACHED);
        if (cached > 0.0) report(label, cached, 0.0, NULL, 0.0);
    }
}

static void bench_kernels(const double rates[PEERS])
{
    double limit = measure_clock() / FLOOR_CYCLES;
    for (size_t k = 0; k < qkv_lab_kernel_count(); k++)
        for (int full = 0; full < 2; full++) {
            char label[64];
            const char *kernel = qkv_lab_kernel_name(k);
            double rate =
                measure(make(KEYS, WIDTH, kernel, full != 0, 1, true), CLOCK_PROCESS_CPUTIME_ID);
            double own = !full && k == 0 ? limit : 0.0;
            bool alone = true;
            snprintf(label, sizeof label, "sample %s %s", full ? "keys" : "scores", kernel);
            for (int p = 0; p < PEERS; p++) {
                if (!(rates[p] > 0.0)) continue;
                report(label, rate, own, peers[p], rate / rates[p]);
                alone = false;
            }
            if (alone) report(label, rate, own, NULL, 0.0);
        }
}

/* Time for a sample and key: constant if the cost is linear in n. */
static void bench_growth(void)
{
    static const size_t sizes[] = {3, 10, 30, 100, 1000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char label[64];
        double rate =
            measure(make(sizes[i], sizes[i], NULL, false, 1, false), CLOCK_PROCESS_CPUTIME_ID);
        snprintf(label, sizeof label, "sample scores, %zu keys, variances", sizes[i]);
        report(label, rate, 0.0, NULL, 0.0);
        printf("%36s %9.3f ns a sample and key\n", "", 1e9 / rate / (double)sizes[i]);
    }
}

/* By the clock, which other programs on the machine can only slow down. */
static void bench_threads(int cores)
{
    double one = 0.0;
    for (int threads = 1; threads <= 2; threads++) {
        char label[64];
        double rate = measure(make(KEYS, WIDTH, NULL, false, threads, true), CLOCK_MONOTONIC);
        if (threads == 1) one = rate;
        snprintf(label, sizeof label, "sample scores, %d thread%s", threads,
                 threads > 1 ? "s" : "");
        report(label, rate, 0.0, threads > 1 ? "one thread" : NULL, threads > 1 ? rate / one : 0.0);
    }
    printf("%36s %9d cores\n", "", cores);
}

int main(int count, char **arguments)
{
    cpu_set_t all;
    if (count < 2) {
        fprintf(stderr, "usage: %s FOLDER [FILE]\n", arguments[0]);
        return 2;
    }
    printf("%d keys, width %d, %d heads, one core\n", KEYS, WIDTH, HEADS);
    double rates[PEERS];
    stay_on_one_core(&all);
    bench_peers(arguments[1], rates);
    bench_kernels(rates);
    bench_growth();
    sched_setaffinity(0, sizeof all, &all);
    bench_threads(CPU_COUNT(&all));
    if (count > 2) write_results(arguments[2]);
    return 0;
}
