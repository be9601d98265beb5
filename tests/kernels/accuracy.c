/*
 * Is every kernel at least as accurate as a naive loop in its own precision?
 *
 *     accuracy TYPE [SHAPES [STEP]]
 *
 * For each kernel (the reference aside) and a few thousand shapes, both are compared with the
 * same loop in a wider precision. The measure is the root of the mean squared error over
 * hundreds to thousands of rows of a shape (small shapes are drawn again and again): the largest
 * error of a handful of roundings is a matter of luck, their mean square is not. A shape passes
 * if the kernel's error is at most the naive one; if it is not, on sixteen times as many rows.
 * Prints TAP, and the table as comments.
 *
 * SHAPES is how far to go through the shapes, 5152 unless given; STEP goes through them in larger
 * steps, for machines that are slow: one that shares no factor with the lengths of the lists in
 * choose_shape still meets every entry.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/naive.h"
#include "support/tensors.h"

enum { ROWS_AT_LEAST = 128, ROWS_AT_MOST = 8000, WORK = 150000 };

typedef struct shape {
    size_t queries, keys, width, value_width;
    double deviation; /* of queries: the size of the scores */
    double softcap;
    bool causal;
} shape;

typedef struct errors {
    double squared, largest;
} errors;

typedef struct tally {
    double worst, worst_largest, sum_of_logs;
    size_t shapes, failures;
    shape where;
} tally;

static void add_error(errors *e, long double difference)
{
    double size = fabs((double)difference);
    e->squared += size * size;
    if (size > e->largest) e->largest = size;
}

static void naive(qkv_type type, const naive_problem *problem, double *c, void *workspace)
{
    switch (type) {
    case QKV_F64: naive_f64(problem, c, workspace); break;
    case QKV_F32: naive_f32(problem, c, workspace); break;
    case QKV_F16: naive_f16(problem, c, workspace); break;
    default: naive_bf16(problem, c, workspace); break;
    }
}

/* The view's elements as doubles, densely stored. */
static double *as_doubles(qkv_view view)
{
    qkv_view copy = make_tensor(QKV_F64, view.rank, view.shape);
    qkv_view_copy(&view, &copy, NULL);
    return copy.data;
}

/* Both results and the truth, and the errors of one draw added up. */
static void measure(qkv_type type, const naive_problem *problem, const qkv_view *result,
                    errors *ours, errors *theirs)
{
    size_t count = problem->queries * problem->value_width;
    size_t wide = sizeof(long double), numbers = problem->keys + problem->value_width;
    double *kernel_result = as_doubles(*result), *naive_result = malloc(count * wide);
    double *truth_f64 = malloc(count * wide);
    long double *truth = malloc(count * wide);
    void *workspace = malloc(numbers * wide);
    naive(type, problem, naive_result, workspace);
    if (type == QKV_F64)
        naive_oracle(problem, truth, workspace);
    else
        naive_f64(problem, truth_f64, workspace);
    for (size_t i = 0; i < count; i++) {
        long double right = type == QKV_F64 ? truth[i] : truth_f64[i];
        add_error(ours, kernel_result[i] - right);
        add_error(theirs, naive_result[i] - right);
    }
    free(kernel_result), free(naive_result), free(truth_f64), free(truth), free(workspace);
}

/* One draw of random data of that shape. */
static void compare(const char *kernel, qkv_type type, const shape *s, random_source *source,
                    errors *ours, errors *theirs)
{
    qkv_view q = make_tensor(type, 2, (size_t[]){s->queries, s->width});
    qkv_view k = make_tensor(type, 2, (size_t[]){s->keys, s->width});
    qkv_view v = make_tensor(type, 2, (size_t[]){s->keys, s->value_width});
    qkv_view c = make_tensor(type, 2, (size_t[]){s->queries, s->value_width});
    fill_random(&q, s->deviation, source);
    fill_random(&k, 1.0, source);
    fill_random(&v, 1.0, source);
    qkv_attention_options options = qkv_attention_default();
    options.kernel = kernel;
    options.threads = 1;
    options.causal = s->causal;
    options.alignment = QKV_ALIGN_BOTTOM_RIGHT;
    options.softcap = s->softcap;
    qkv_error error;
    if (qkv_attention(&q, &k, &v, &c, &options, &error) != QKV_OK) {
        printf("Bail out! %s\n", error.message);
        exit(1);
    }
    double *query = as_doubles(q), *transposed = as_doubles(qkv_view_exchange(k, 0, 1)),
           *value = as_doubles(v);
    naive_problem problem = {
        .queries = s->queries,
        .keys = s->keys,
        .width = s->width,
        .value_width = s->value_width,
        .scale = 1.0 / sqrt((double)s->width),
        .softcap = s->softcap,
        .causal_offset = s->causal ? (long)s->keys - (long)s->queries : (long)s->keys,
        .q = query,
        .kt = transposed,
        .v = value,
    };
    measure(type, &problem, &c, ours, theirs);
    free(query), free(transposed), free(value);
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

static double ratio_of(const errors *ours, const errors *theirs)
{
    if (theirs->squared > 0) return sqrt(ours->squared / theirs->squared);
    return ours->squared > 0 ? INFINITY : 0.0;
}

static void judge(const shape *s, const errors *ours, const errors *theirs, tally *t)
{
    double ratio = ratio_of(ours, theirs);
    double largest = theirs->largest > 0 ? ours->largest / theirs->largest : 0.0;
    t->shapes++;
    t->sum_of_logs += ratio > 0 ? log(ratio) : 0.0;
    if (!(ratio <= 1.0)) { /* NaN fails too */
        t->failures++;
        printf("# ratio %.4f: queries %zu keys %zu width %zu value width %zu deviation %g causal "
               "%d softcap %g\n",
               ratio, s->queries, s->keys, s->width, s->value_width, s->deviation, s->causal,
               s->softcap);
    }
    if (largest > t->worst_largest) t->worst_largest = largest;
    if (!(ratio <= t->worst)) {
        t->worst = ratio;
        t->where = *s;
    }
}

/* As many rows as a fixed amount of work allows. */
static size_t rows_to_draw(const shape *s)
{
    size_t rows = WORK / (s->keys * (s->width + s->value_width));
    if (rows < ROWS_AT_LEAST) return ROWS_AT_LEAST;
    return rows > ROWS_AT_MOST ? ROWS_AT_MOST : rows;
}

/* A shape that fails is tried anew, on many more draws and these alone: rows of one draw share keys
 * and values, so that a hundred rows may be a matter of luck after all. */
static void draw_again(const char *kernel, qkv_type type, const shape *s, size_t number,
                       errors *ours, errors *theirs)
{
    enum { TIMES = 16, DRAWS_AT_LEAST = 64 };
    random_source source = {.state = 30260000u + number};
    size_t draws = TIMES * rows_to_draw(s) / s->queries;
    if (draws < DRAWS_AT_LEAST) draws = DRAWS_AT_LEAST;
    *ours = *theirs = (errors){0};
    for (size_t i = 0; i < draws; i++) compare(kernel, type, s, &source, ours, theirs);
}

static tally run(const char *kernel, qkv_type type, size_t shapes, size_t step)
{
    random_source source = {.state = 20260000u + (unsigned)type};
    tally t = {0};
    for (size_t n = 0; n < shapes; n += step) {
        shape s = choose_shape(n, &source);
        errors ours = {0}, theirs = {0};
        size_t rows = rows_to_draw(&s);
        for (size_t drawn = 0; drawn < rows; drawn += s.queries)
            compare(kernel, type, &s, &source, &ours, &theirs);
        if (!(ratio_of(&ours, &theirs) <= 1.0)) draw_again(kernel, type, &s, n, &ours, &theirs);
        judge(&s, &ours, &theirs, &t);
    }
    return t;
}

static bool kernel_runs(const char *name)
{
    for (size_t i = 0; i < qkv_kernel_count(); i++)
        if (strcmp(qkv_kernel_name(i), name) == 0) return true;
    return false;
}

/* Of avx512 and avx2 the first is enough where both run: test_lanes_bits shows that they give the
 * same bits. */
static bool judged(const char *kernel, qkv_type type)
{
    if (strcmp(kernel, "reference") == 0) return false;
    if (strcmp(kernel, "avx2") == 0 && kernel_runs("avx512")) return false;
    return kernel_takes(kernel, type);
}

int main(int argument_count, char **arguments)
{
    qkv_type type = argument_count > 1 ? qkv_type_from_name(arguments[1]) : QKV_NONE;
    size_t shapes = argument_count > 2 ? (size_t)strtoul(arguments[2], NULL, 10) : 5152;
    size_t step = argument_count > 3 ? (size_t)strtoul(arguments[3], NULL, 10) : 1;
    if (type == QKV_NONE || shapes == 0 || step == 0) {
        fprintf(stderr, "usage: accuracy f64|f32|f16|bf16 [SHAPES [STEP]]\n");
        return 2;
    }
    size_t test = 0, failures = 0;
    size_t tests = 0;
    for (size_t i = 0; i < qkv_kernel_count(); i++) tests += judged(qkv_kernel_name(i), type);
    printf("1..%zu\n# kernel, type, worst ratio, geometric mean, worst ratio of largest errors, "
           "shapes\n",
           tests);
    for (size_t i = 0; i < qkv_kernel_count(); i++) {
        const char *kernel = qkv_kernel_name(i);
        if (!judged(kernel, type)) continue;
        tally t = run(kernel, type, shapes, step);
        failures += t.failures != 0;
        printf("# %s %s %.4f %.4f %.3f %zu; worst at queries %zu keys %zu width %zu value width "
               "%zu\n",
               kernel, arguments[1], t.worst, exp(t.sum_of_logs / (double)t.shapes),
               t.worst_largest, t.shapes, t.where.queries, t.where.keys, t.where.width,
               t.where.value_width);
        printf("%sok %zu - %s %s: error at most the naive loop's in %zu shapes\n",
               t.failures != 0 ? "not " : "", ++test, kernel, arguments[1], t.shapes);
    }
    return failures != 0;
}
