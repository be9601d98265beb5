/*
 * The loop: seeds as they are, where a subject wants that, then spoilt ones. Knows nothing of the
 * target but its entry point.
 *
 *     mutate_... [ITERATIONS [STATE]]    spoils and runs; STATE begins another sequence
 *     mutate_... --seeds FOLDER          writes unspoilt inputs, short ones, for libFuzzer to begin with
 *     mutate_... --watch FOLDER SECONDS [ITERATIONS [STATE]]
 *         the same loop; the input at hand is FOLDER/current, so that one that ends the program is
 *         found there, and those that take longer than that stay as FOLDER/slow-...
 *     mutate_... --run FILE...           runs these inputs alone
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fuzz/mutate.h"
#include "support/cases.h"

const bool fuzz_hurries = false;

/* Where to keep inputs; the folder is NULL where nobody watches. */
typedef struct watch {
    const char *folder;
    double seconds;
    size_t slow;
} watch;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void write_input(const input *in, const char *folder, const char *name, size_t number)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s-%zu", folder, name, number);
    FILE *stream = fopen(path, "wb");
    size_t written = stream == NULL ? 0 : fwrite(in->bytes, 1, in->size, stream);
    if (stream == NULL || fclose(stream) != 0 || written != in->size) {
        fprintf(stderr, "%s: cannot be written\n", path);
        exit(1);
    }
}

/* A copy of the exact size, so that a sanitizer sees the first byte behind it. */
static void run(const input *in)
{
    uint8_t *exact = malloc(in->size == 0 ? 1 : in->size);
    if (exact == NULL) abort();
    memcpy(exact, in->bytes, in->size);
    LLVMFuzzerTestOneInput(exact, in->size);
    free(exact);
}

static void run_watched(const input *in, watch *w)
{
    if (w->folder == NULL) {
        run(in);
        return;
    }
    write_input(in, w->folder, "current", 0);
    double begin = now();
    run(in);
    double taken = now() - begin;
    if (taken <= w->seconds) return;
    write_input(in, w->folder, "slow", w->slow);
    fprintf(stderr, "# slow-%zu: %.2f s\n", w->slow++, taken);
}

static int write_seeds(const char *folder)
{
    for (size_t i = 0; i < fuzz_subject.seed_count(); i++) {
        input in = fuzz_subject.seed(i);
        if (fuzz_subject.shorten != NULL) fuzz_subject.shorten(&in);
        write_input(&in, folder, fuzz_subject.name, i);
    }
    return 0;
}

static int run_files(int count, char **paths)
{
    for (int i = 0; i < count; i++) {
        input in;
        FILE *stream = fopen(paths[i], "rb");
        if (stream == NULL) {
            fprintf(stderr, "%s: cannot be read\n", paths[i]);
            return 1;
        }
        in.size = fread(in.bytes, 1, sizeof in.bytes, stream);
        fclose(stream);
        double begin = now();
        run(&in);
        printf("%s: %.2f s\n", paths[i], now() - begin);
    }
    return 0;
}

static int loop(long iterations, uint64_t state, watch *w)
{
    size_t seeds = fuzz_subject.seed_count();
    printf("1..1\n");
    fflush(stdout); /* a crash then leaves a plan that was not met */
    random_begin(state);
    for (size_t i = 0; fuzz_subject.runs_seeds && i < seeds; i++) {
        input in = fuzz_subject.seed(i);
        run_watched(&in, w);
    }
    for (long i = 0; i < iterations; i++) {
        input in = fuzz_subject.seed(below(seeds));
        fuzz_subject.spoil(&in);
        run_watched(&in, w);
    }
    printf("ok 1 - %s %ld spoilt inputs\n", fuzz_subject.promise, iterations);
    return 0;
}

int main(int count, char **arguments)
{
    watch w = {.folder = NULL};
    int at = 1;
    if (count > 2 && strcmp(arguments[1], "--seeds") == 0) return write_seeds(arguments[2]);
    if (count > 2 && strcmp(arguments[1], "--run") == 0) return run_files(count - 2, arguments + 2);
    if (count > 3 && strcmp(arguments[1], "--watch") == 0) {
        w = (watch){.folder = arguments[2], .seconds = strtod(arguments[3], NULL)};
        at = 4;
    }
    long iterations = count > at ? strtol(arguments[at], NULL, 10)
                                 : (long)cases_of((size_t)fuzz_subject.iterations);
    uint64_t state = count > at + 1 ? strtoull(arguments[at + 1], NULL, 10) : 1;
    return loop(iterations, state, &w);
}
