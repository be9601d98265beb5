/*
 * Is every kernel (the reference aside) at least as accurate as a naive loop in its own precision?
 *
 *     accuracy TYPE [SHAPES [STEP]]
 *
 * How that is asked is in contest.h; here are the shapes and the calls.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/contest.h"

static void naive(qkv_type type, const naive_problem *problem, double *c, void *workspace)
{
    switch (type) {
    case QKV_F64: naive_f64(problem, c, workspace); break;
    case QKV_F32: naive_f32(problem, c, workspace); break;
    case QKV_F16: naive_f16(problem, c, workspace); break;
    default: naive_bf16(problem, c, workspace); break;
    }
}

/* What a draw is judged by: the naive loop's result and the truth. */
typedef struct yardstick {
    double *naive;
    long double *truth;
    size_t count;
} yardstick;

static yardstick measure(qkv_type type, const naive_problem *problem)
{
    const size_t count = problem->queries * problem->value_width, wide = sizeof(long double);
    const size_t numbers = problem->keys + problem->value_width;
    yardstick y = {malloc(count * wide), malloc(count * wide), count};
    double *narrower = malloc(count * wide);
    void *workspace = malloc(numbers * wide);
    naive(type, problem, y.naive, workspace);
    if (type == QKV_F64)
        naive_oracle(problem, y.truth, workspace);
    else
        naive_f64(problem, narrower, workspace);
    for (size_t i = 0; i < count && type != QKV_F64; i++) y.truth[i] = narrower[i];
    free(narrower), free(workspace);
    return y;
}

/* Adds the errors of numbers to those of results so far. */
static void judge(const double *numbers, const yardstick *y, errors *e)
{
    for (size_t i = 0; i < y->count; i++) contest_add(e, 0, numbers[i] - y->truth[i]);
}

static void draw(const contestants *kernels, qkv_type type, const shape *s, random_source *source,
                 standing *e)
{
    qkv_view q = make_tensor(type, 2, (size_t[]){s->queries, s->width});
    qkv_view k = make_tensor(type, 2, (size_t[]){s->keys, s->width});
    qkv_view v = make_tensor(type, 2, (size_t[]){s->keys, s->value_width});
    qkv_view c = make_tensor(type, 2, (size_t[]){s->queries, s->value_width});
    fill_random(&q, s->deviation, source);
    fill_random(&k, 1.0, source);
    fill_random(&v, 1.0, source);
    double *query = contest_doubles(q), *value = contest_doubles(v);
    double *transposed = contest_doubles(qkv_view_exchange(k, 0, 1));
    const naive_problem problem = contest_problem(s, query, transposed, value);
    const yardstick y = measure(type, &problem);
    judge(y.naive, &y, &e->theirs);
    for (size_t i = 0; i < kernels->count; i++) {
        const qkv_attention_options options = contest_options(kernels->name[i], s);
        qkv_error error;
        contest_require(qkv_attention(&q, &k, &v, &c, &options, &error), &error);
        double *result = contest_doubles(c);
        judge(result, &y, &e->ours[i]);
        free(result);
    }
    free(query), free(transposed), free(value), free(y.naive), free(y.truth);
    free(q.data), free(k.data), free(v.data), free(c.data);
}

/* Shapes that kernels stumble over, in all combinations that the counter reaches, then random. */
static shape choose_shape(size_t number, random_source *source)
{
    static const size_t widths[] = {1,  2,  3,  4,  7,   8,   16,  21,  31,  32,  33, 48,
                                    59, 64, 80, 96, 111, 128, 160, 203, 256, 512, 576};
    static const size_t lengths[] = {1, 2, 3, 5, 8, 15, 16, 17, 31, 33, 63, 64, 65, 100, 129, 200};
    static const double deviations[] = {1.0, 0.1, 5.0};
    enum {
        WIDTHS = sizeof widths / sizeof widths[0],
        LENGTHS = sizeof lengths / sizeof lengths[0]
    };
    shape s = {
        .width = widths[number % WIDTHS],
        .keys = lengths[number / WIDTHS % LENGTHS],
        .queries = lengths[random_below(source, number % 5 == 0 ? LENGTHS : 7)],
        .value_width = widths[number % 3 == 0 ? random_below(source, 14) : number % WIDTHS],
        .deviation = deviations[number % 7 < 5 ? 0 : number % 7 - 4],
        .softcap = number % 11 == 0 ? 2.5 : 0.0,
        .causal = number % 4 == 3,
    };
    if (s.causal && s.queries > s.keys) s.queries = s.keys; /* else rows without a key */
    return s;
}

static bool kernel_runs(const char *name)
{
    for (size_t i = 0; i < qkv_kernel_count(); i++)
        if (strcmp(qkv_kernel_name(i), name) == 0) return true;
    return false;
}

/* Of avx512 and avx2 the first is enough where both run: test_lanes_bits shows that they give the
 * same bits. */
static bool is_judged(const char *kernel, qkv_type type)
{
    if (strcmp(kernel, "reference") == 0) return false;
    if (strcmp(kernel, "avx2") == 0 && kernel_runs("avx512")) return false;
    return kernel_takes(kernel, type);
}

int main(int argument_count, char **arguments)
{
    const contest accuracy = {
        .subject = "error",
        .results = 1,
        .names = {"c"},
        .shapes = 5152,
        .work = 150000,
        .least_rows = 128,
        .most_rows = 8000,
        .seed = 20260000u,
        .choose = choose_shape,
        .judged = is_judged,
        .draw = draw,
    };
    return contest_run(&accuracy, argument_count, arguments);
}
