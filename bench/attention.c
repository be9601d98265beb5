/*
 * How fast the kernels are, each as a ratio to a plain loop in the same run on the same core.
 * Counts 4 * heads * queries * keys * width operations, half of them when causal.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <qkv/qkv.h>

enum { HEADS = 4, LENGTH = 1024, REPEATS = 3 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void fill(const qkv_view *view)
{
    unsigned seed = 1;
    size_t count = qkv_view_count(view);
    float *numbers = malloc(count * sizeof *numbers);
    if (numbers == NULL) exit(1);
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        numbers[i] = (float)(seed >> 8) / 8388608.0f - 1.0f;
    }
    qkv_view from = qkv_view_dense(QKV_F32, numbers, view->rank, view->shape);
    qkv_view_copy(&from, view, NULL);
    free(numbers);
}

/* The peer: what a programmer writes first, in f32, for one head. */
static void plain_head(const float *q, const float *k, const float *v, float *c, float *row,
                       size_t width)
{
    for (size_t i = 0; i < LENGTH; i++) {
        float max = -INFINITY, sum = 0.0f;
        for (size_t j = 0; j < LENGTH; j++) {
            float dot = 0.0f;
            for (size_t t = 0; t < width; t++) dot += q[i * width + t] * k[j * width + t];
            row[j] = dot / sqrtf((float)width);
            if (row[j] > max) max = row[j];
        }
        for (size_t j = 0; j < LENGTH; j++) sum += row[j] = expf(row[j] - max);
        for (size_t t = 0; t < width; t++) c[i * width + t] = 0.0f;
        for (size_t j = 0; j < LENGTH; j++)
            for (size_t t = 0; t < width; t++) c[i * width + t] += row[j] / sum * v[j * width + t];
    }
}

static double time_plain(const qkv_view views[4], size_t width)
{
    static float row[LENGTH];
    double begin = now();
    plain_head(views[0].data, views[1].data, views[2].data, views[3].data, row, width);
    return HEADS * (now() - begin);
}

static double time_kernel(const qkv_view views[4], const char *kernel, bool causal)
{
    qkv_attention_options options = qkv_attention_default();
    double best = INFINITY;
    options.kernel = kernel;
    options.causal = causal;
    options.threads = 1;
    for (int i = 0; i < REPEATS; i++) {
        qkv_error error;
        double begin = now();
        if (qkv_attention(&views[0], &views[1], &views[2], &views[3], &options, &error) != QKV_OK) {
            fprintf(stderr, "%s\n", error.message);
            exit(1);
        }
        best = fmin(best, now() - begin);
    }
    return best;
}

static void bench_width(size_t width)
{
    static const qkv_type types[] = {QKV_F32, QKV_F16, QKV_BF16, QKV_F64};
    double operations = 4.0 * HEADS * LENGTH * LENGTH * (double)width, plain = 0.0;
    for (size_t t = 0; t < 4; t++) {
        qkv_view views[4];
        for (int i = 0; i < 4; i++) {
            size_t shape[] = {HEADS, LENGTH, width};
            void *data = malloc(HEADS * LENGTH * width * qkv_type_size(types[t]));
            if (data == NULL) exit(1);
            views[i] = qkv_view_dense(types[t], data, 3, shape);
            fill(&views[i]);
        }
        if (types[t] == QKV_F32) plain = time_plain(views, width);
        for (size_t k = 0; k < qkv_kernel_count(); k++) {
            const char *kernel = qkv_kernel_name(k);
            if (strcmp(kernel, "reference") == 0)
                continue; /* the reference is not meant to be fast */
            for (int causal = 0; causal < 2; causal++) {
                double seconds = time_kernel(views, kernel, causal != 0) * (causal ? 2.0 : 1.0);
                printf("%-10s %-5s %5zu  %-6s %8.1f GFLOP/s %6.1f x the plain loop in f32\n",
                       kernel, qkv_type_name(types[t]), width, causal ? "causal" : "full",
                       operations / seconds / 1e9, plain / seconds);
            }
        }
        for (int i = 0; i < 4; i++) free(views[i].data);
    }
}

int main(void)
{
    printf("%d heads, length %d, one thread\n", HEADS, LENGTH);
    printf("kernel     type  width                speed\n");
    bench_width(64);
    bench_width(128);
    return 0;
}
