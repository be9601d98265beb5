/*
 * Are the kernels of the gradient at least as accurate as a naive loop in their own precision?
 *
 *     gradient_accuracy TYPE [SHAPES [STEP]]
 *
 * How that is asked is in contest.h, of dq, dk and dv each; here are the shapes and the calls.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/contest.h"

static void naive(qkv_type type, const naive_problem *p, const double *g, const naive_gradients *d,
                  void *workspace)
{
    switch (type) {
    case QKV_F64: naive_gradient_f64(p, g, d, workspace); break;
    case QKV_F32: naive_gradient_f32(p, g, d, workspace); break;
    case QKV_F16: naive_gradient_f16(p, g, d, workspace); break;
    default: naive_gradient_bf16(p, g, d, workspace); break;
    }
}

static naive_gradients make_gradients(const naive_problem *p)
{
    const size_t wide = sizeof(long double);
    return (naive_gradients){malloc(p->queries * p->width * wide),
                             malloc(p->keys * p->width * wide),
                             malloc(p->keys * p->value_width * wide)};
}

static void free_gradients(naive_gradients *d)
{
    free(d->q), free(d->k), free(d->v);
}

/* What a draw is judged by: dq, dk and dv of the naive loop, and the truth. */
typedef struct yardstick {
    naive_gradients naive, truth;
    size_t counts[3];
} yardstick;

static yardstick measure(qkv_type type, const naive_problem *p, const double *g)
{
    yardstick y = {.naive = make_gradients(p),
                   .truth = make_gradients(p),
                   .counts = {p->queries * p->width, p->keys * p->width, p->keys * p->value_width}};
    void *workspace = malloc((p->keys + 1) * (p->width + p->value_width + 3) * sizeof(long double));
    naive(type, p, g, &y.naive, workspace);
    if (type == QKV_F64)
        naive_gradient_oracle(p, g, &y.truth, workspace);
    else
        naive_gradient_f64(p, g, &y.truth, workspace);
    free(workspace);
    return y;
}

static void judge_naive(const yardstick *y, errors *theirs)
{
    const long double *right[] = {y->truth.q, y->truth.k, y->truth.v};
    const long double *other[] = {y->naive.q, y->naive.k, y->naive.v};
    for (int which = 0; which < 3; which++)
        for (size_t i = 0; i < y->counts[which]; i++)
            contest_add(theirs, which, other[which][i] - right[which][i]);
}

static void judge(const qkv_view results[3], const yardstick *y, errors *ours)
{
    const long double *right[] = {y->truth.q, y->truth.k, y->truth.v};
    for (int which = 0; which < 3; which++) {
        double *own = contest_doubles(results[which]);
        for (size_t i = 0; i < y->counts[which]; i++)
            contest_add(ours, which, own[i] - right[which][i]);
        free(own);
    }
}

static void draw(const contestants *kernels, qkv_type type, const shape *s, random_source *source,
                 standing *e)
{
    const size_t sizes[4][2] = {{s->queries, s->width},
                                {s->keys, s->width},
                                {s->keys, s->value_width},
                                {s->queries, s->value_width}};
    qkv_view x[4], results[3];
    double *numbers[4];
    for (int i = 0; i < 4; i++) {
        x[i] = make_tensor(type, 2, sizes[i]);
        fill_random(&x[i], i == 0 ? s->deviation : 1.0, source);
        if (i < 3) results[i] = make_tensor(type, 2, sizes[i]);
        numbers[i] = contest_doubles(i == 1 ? qkv_view_exchange(x[i], 0, 1) : x[i]);
    }
    const naive_problem problem = contest_problem(s, numbers[0], numbers[1], numbers[2]);
    yardstick y = measure(type, &problem, numbers[3]);
    judge_naive(&y, &e->theirs);
    for (size_t k = 0; k < kernels->count; k++) {
        const qkv_attention_options options = contest_options(kernels->name[k], s);
        qkv_error error;
        contest_require(qkv_attention_gradient(&x[0], &x[1], &x[2], &x[3], &results[0], &results[1],
                                               &results[2], &options, &error),
                        &error);
        judge(results, &y, &e->ours[k]);
    }
    free_gradients(&y.naive), free_gradients(&y.truth);
    for (int i = 0; i < 4; i++) free(x[i].data), free(numbers[i]);
    for (int i = 0; i < 3; i++) free(results[i].data);
}

/* Lengths and widths that kernels stumble over; one shape in forty is long. */
static shape choose_shape(size_t number, random_source *source)
{
    static const size_t widths[] = {1, 2, 3, 5, 8, 15, 16, 17, 31, 32, 33, 48, 64, 80, 100, 128};
    static const size_t lengths[] = {2, 3, 5, 8, 15, 16, 17, 31, 47, 49, 64, 65, 97, 129, 200};
    static const double deviations[] = {1.0, 0.1, 5.0};
    const bool is_long = number % 40 == 39;
    shape s = {
        .width = widths[number % 16],
        .keys = is_long ? 600 : lengths[number / 16 % 15],
        .queries = is_long ? 400 : lengths[random_below(source, 15)],
        .value_width = widths[random_below(source, 16)],
        .deviation = deviations[number % 7 < 5 ? 0 : number % 7 - 4],
        .softcap = number % 11 == 0 ? 2.5 : 0.0,
        .causal = number % 4 == 3,
    };
    if (s.causal && s.queries > s.keys) s.queries = s.keys; /* else rows without a key */
    return s;
}

/* The gradient of the others is the definition's, in double precision: in f64 the naive loop. */
static bool is_judged(const char *kernel, qkv_type type)
{
    const bool definition = strcmp(kernel, "reference") == 0 || strcmp(kernel, "portable") == 0;
    return !definition && kernel_takes(kernel, type);
}

int main(int argument_count, char **arguments)
{
    const contest accuracy = {
        .subject = "error of the gradient",
        .results = 3,
        .names = {"dq", "dk", "dv"},
        .shapes = 480,
        .work = 1200000,
        .least_rows = 600,
        .most_rows = 20000,
        .seed = 20270000u,
        .choose = choose_shape,
        .judged = is_judged,
        .draw = draw,
    };
    return contest_run(&accuracy, argument_count, arguments);
}
