/*
 * Are the kernels of the gradient at least as accurate as a naive loop in their own precision?
 *
 *     gradient_accuracy TYPE [SHAPES [STEP]]
 *
 * As accuracy.c, for dq, dk and dv: the root of the mean squared error of each, over draws with
 * thousands of numbers, is at most that of the naive loop, within what chance allows. Kernels whose
 * gradient is the definition's, in double precision, have nothing to show here. Prints TAP, and the
 * table as comments.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/naive.h"
#include "support/tensors.h"

enum { SHAPES = 480, WORK = 1200000, ROWS_AT_LEAST = 600, ROWS_AT_MOST = 20000 };

/* Gradients differ in size by orders of magnitude, and the largest few make up their mean square:
 * it scatters by some hundredths however many are drawn. The geometric mean over all shapes does
 * not. */
#define ALLOWED 1.05
#define ALLOWED_ON_AVERAGE 0.9

typedef struct shape {
    size_t queries, keys, width, value_width;
    double deviation, softcap;
    bool causal;
} shape;

/* Of dq, dk and dv. */
typedef struct errors {
    double squared[3];
} errors;

typedef struct tally {
    double worst[3], sum_of_logs;
    size_t ratios, failures;
} tally;

static double *as_doubles(qkv_view view)
{
    qkv_view copy = make_tensor(QKV_F64, view.rank, view.shape);
    qkv_view_copy(&view, &copy, NULL);
    return copy.data;
}

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

/* Adds the squared errors of one draw. */
static void measure(qkv_type type, const naive_problem *p, const double *g,
                    const qkv_view results[3], errors *ours, errors *theirs)
{
    const size_t counts[] = {p->queries * p->width, p->keys * p->width, p->keys * p->value_width};
    void *workspace = malloc((p->keys + 1) * (p->width + p->value_width + 3) * sizeof(long double));
    naive_gradients truth = make_gradients(p), loop = make_gradients(p);
    const long double *right[] = {truth.q, truth.k, truth.v}, *other[] = {loop.q, loop.k, loop.v};
    naive(type, p, g, &loop, workspace);
    if (type == QKV_F64)
        naive_gradient_oracle(p, g, &truth, workspace);
    else
        naive_gradient_f64(p, g, &truth, workspace);
    for (int which = 0; which < 3; which++) {
        double *own = as_doubles(results[which]);
        for (size_t i = 0; i < counts[which]; i++) {
            const double error = (double)(own[i] - right[which][i]);
            const double their = (double)(other[which][i] - right[which][i]);
            ours->squared[which] += error * error;
            theirs->squared[which] += their * their;
        }
        free(own);
    }
    free_gradients(&truth), free_gradients(&loop), free(workspace);
}

static void draw(const char *kernel, qkv_type type, const shape *s, random_source *source,
                 errors *ours, errors *theirs)
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
        numbers[i] = as_doubles(i == 1 ? qkv_view_exchange(x[i], 0, 1) : x[i]);
    }
    qkv_attention_options options = qkv_attention_default();
    options.kernel = kernel;
    options.threads = 1;
    options.causal = s->causal;
    options.alignment = QKV_ALIGN_BOTTOM_RIGHT;
    options.softcap = s->softcap;
    qkv_error error;
    if (qkv_attention_gradient(&x[0], &x[1], &x[2], &x[3], &results[0], &results[1], &results[2],
                               &options, &error) != QKV_OK) {
        printf("Bail out! %s\n", error.message);
        exit(1);
    }
    const naive_problem problem = {
        .queries = s->queries,
        .keys = s->keys,
        .width = s->width,
        .value_width = s->value_width,
        .scale = 1.0 / sqrt((double)s->width),
        .softcap = s->softcap,
        .causal_offset = s->causal ? (long)s->keys - (long)s->queries : (long)s->keys,
        .q = numbers[0],
        .kt = numbers[1],
        .v = numbers[2],
    };
    measure(type, &problem, numbers[3], results, ours, theirs);
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

static void judge(const shape *s, const errors *ours, const errors *theirs, tally *t)
{
    for (int which = 0; which < 3; which++) {
        /* With one key the weight is 1 whatever the scores are, and two errors of 0 are equal. */
        if (ours->squared[which] == 0 && theirs->squared[which] == 0) continue;
        const double ratio = sqrt(ours->squared[which] / theirs->squared[which]);
        t->ratios++;
        t->sum_of_logs += ratio > 0 ? log(ratio) : 0.0;
        if (!(ratio <= t->worst[which])) t->worst[which] = ratio;
        if (ratio <= ALLOWED) continue; /* NaN fails too */
        t->failures++;
        printf("# d%c ratio %.4f: queries %zu keys %zu width %zu value width %zu deviation %g "
               "causal %d softcap %g\n",
               "qkv"[which], ratio, s -> queries, s -> keys, s -> width, s -> value_width,
               s -> deviation, s -> causal, s -> softcap);
    }
}

static tally run(const char *kernel, qkv_type type, size_t shapes, size_t step)
{
    random_source source = {.state = 20270000u + (unsigned)type};
    tally t = {0};
    for (size_t n = 0; n < shapes; n += step) {
        const shape s = choose_shape(n, &source);
        errors ours = {0}, theirs = {0};
        size_t rows = WORK / (s.keys * (s.width + s.value_width));
        rows = rows < ROWS_AT_LEAST ? ROWS_AT_LEAST : rows > ROWS_AT_MOST ? ROWS_AT_MOST : rows;
        for (size_t drawn = 0; drawn < rows; drawn += s.queries)
            draw(kernel, type, &s, &source, &ours, &theirs);
        judge(&s, &ours, &theirs, &t);
    }
    return t;
}

int main(int argument_count, char **arguments)
{
    qkv_type type = argument_count > 1 ? qkv_type_from_name(arguments[1]) : QKV_NONE;
    size_t shapes = argument_count > 2 ? (size_t)strtoul(arguments[2], NULL, 10) : SHAPES;
    size_t step = argument_count > 3 ? (size_t)strtoul(arguments[3], NULL, 10) : 1;
    if (type == QKV_NONE || shapes == 0 || step == 0) {
        fprintf(stderr, "usage: gradient_accuracy f64|f32|f16|bf16 [SHAPES [STEP]]\n");
        return 2;
    }
    size_t failures = 0, test = 0, tests = 0;
    for (size_t i = 0; i < qkv_kernel_count(); i++) tests += kernel_takes(qkv_kernel_name(i), type);
    printf("1..%zu\n# kernel, type, worst ratios of dq, dk and dv, geometric mean, ratios\n",
           tests);
    for (size_t i = 0; i < qkv_kernel_count(); i++) {
        const char *kernel = qkv_kernel_name(i);
        if (!kernel_takes(kernel, type)) continue;
        /* In f64 the definition is the naive loop itself. */
        const bool definition = strcmp(kernel, "reference") == 0 || strcmp(kernel, "portable") == 0;
        tally t = run(kernel, type, definition ? 1 : shapes, step);
        t.failures += !(exp(t.sum_of_logs / (double)t.ratios) <= ALLOWED_ON_AVERAGE);
        if (definition) t.failures = 0;
        failures += t.failures != 0;
        printf("# %s %s %.4f %.4f %.4f %.4f %zu\n", kernel, arguments[1], t.worst[0], t.worst[1],
               t.worst[2], exp(t.sum_of_logs / (double)t.ratios), t.ratios);
        printf("%sok %zu - %s %s: error of the gradient at most the naive loop's\n",
               t.failures != 0 ? "not " : "", ++test, kernel, arguments[1]);
    }
    return failures != 0;
}
