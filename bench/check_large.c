/*
 * Times `qkv check` on large documents, which it makes itself from a seed: 1,000 symbolic keys,
 * 10,000 keys of 64 numbers listed in the document, and the same keys in an npy file. Reading and
 * all claims count; the making of the documents does not.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <qkv/qkv.h>

enum { KEYS = 10000, WIDTH = 64, REPEATS = 5 };

/* SplitMix64 (Steele, Lea and Flood 2014). */
static uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Between -2 and 2, with four digits behind the point. */
static double random_entry(uint64_t *state)
{
    return (double)(int64_t)(random_bits(state) % 40001) / 10000.0 - 2.0;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The shortest of a few runs. */
static void time_document(const char *title, const char *name, const char *text, size_t length)
{
    double best = INFINITY, processor = INFINITY;
    size_t claims = 0, passed = 0;
    for (int i = 0; i < REPEATS; i++) {
        qkv_report *report = NULL;
        qkv_error error;
        double begin = seconds();
        clock_t ticks = clock();
        if (qkv_check(name, text, length, &report, &error) != QKV_OK) {
            fprintf(stderr, "%s: %s\n", title, error.message);
            exit(1);
        }
        best = fmin(best, seconds() - begin);
        processor = fmin(processor, (double)(clock() - ticks) / CLOCKS_PER_SEC);
        claims = qkv_report_claim_count(report);
        passed = 0;
        for (size_t c = 0; c < claims; c++) passed += qkv_claim_passes(qkv_report_claim(report, c));
        qkv_report_free(&report);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%-34s %7.1f KB %7.3f s, %.3f s of a processor, %zu of %zu as expected, up to %ld MB\n",
           title, (double)length / 1000.0, best, processor, passed, claims, usage.ru_maxrss / 1024);
}

static const char *const symbolic = "keys    u[1..1000] orthonormal\n"
                                    "values  v[1..1000]\n"
                                    "c = attend(beta*(u[7] + u[999]), u, v)\n"
                                    "claim: c ~ 1/2*(v[7] + v[999]) as beta -> inf\n"
                                    "claim: c.weight[7] = e^beta/(998 + 2*e^beta)\n"
                                    "claim: sum(c.weight[i] for i in 1..1000) = 1\n"
                                    "claim: c.weight[i] <= 1/2 for i in 1..1000\n"
                                    "problem \"picked\"\n"
                                    "keys    k[1..1000] orthonormal\n"
                                    "values  v[1..1000]\n"
                                    "pick    a, b distinct in 1..1000\n"
                                    "c = attend(beta*(k[a] + k[b]), k, v)\n"
                                    "claim: c ~ 1/2*(v[a] + v[b]) as beta -> inf\n"
                                    "claim: c.weight[a] = e^beta/(998 + 2*e^beta)\n";

static const char *const claims = "values  v[1..10000]\n"
                                  "c = attend(beta*k[7], k, v)\n"
                                  "claim: c ~ v[7] as beta -> inf\n"
                                  "claim: c.weight[7] >= 0.99 at beta = 20\n"
                                  "claim: sum(c.weight[i] for i in 1..10000) = 1 at beta = 2\n"
                                  "claim: c.weight[i] <= 1/2 for i in 1..10000, beta = 1/100\n"
                                  "claim: c.weight[8] < c.weight[7] for beta > 0\n"
                                  "claim: c in hull(v)\n";

static char *make_inline(const double *key, size_t *length)
{
    char *text = malloc((size_t)KEYS * WIDTH * 12 + 4096), *at = text;
    if (text == NULL) exit(1);
    at += sprintf(at, "keys    k = [");
    for (size_t i = 0; i < (size_t)KEYS * WIDTH; i++) {
        if (i % WIDTH == 0) at += sprintf(at, "%s[", i == 0 ? "" : ",\n    ");
        at += sprintf(at, "%.4f%s", key[i], (i + 1) % WIDTH == 0 ? "]" : ", ");
    }
    at += sprintf(at, "]\n%s", claims);
    *length = (size_t)(at - text);
    return text;
}

static void time_npy(double *key)
{
    char folder[] = "/tmp/qkv-bench-XXXXXX", path[64], name[64], text[2048];
    qkv_error error;
    if (mkdtemp(folder) == NULL) exit(1);
    snprintf(path, sizeof path, "%s/keys.npy", folder);
    snprintf(name, sizeof name, "%s/large.qkv", folder);
    qkv_tensor_output output = {.path = path,
                                .view = qkv_view_dense(QKV_F64, key, 2, (size_t[]){KEYS, WIDTH})};
    if (qkv_tensor_write(&output, 1, &error) != QKV_OK) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    snprintf(text, sizeof text, "keys k = file(\"keys.npy\")\n%s", claims);
    time_document("10,000 keys of 64, npy file", name, text, strlen(text));
    remove(path);
    rmdir(folder);
}

int main(void)
{
    uint64_t state = 1;
    size_t length;
    double *key = malloc((size_t)KEYS * WIDTH * sizeof *key);
    if (key == NULL) return 1;
    for (size_t i = 0; i < (size_t)KEYS * WIDTH; i++) key[i] = random_entry(&state);
    time_document("1,000 symbolic keys", "symbolic.qkv", symbolic, strlen(symbolic));
    char *text = make_inline(key, &length);
    time_document("10,000 keys of 64, in the document", "large.qkv", text, length);
    time_npy(key);
    free(text);
    free(key);
    return 0;
}
