/* See contest.h. */
#include "kernels/contest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct tally {
    double worst[RESULTS_AT_MOST], worst_largest, sum_of_logs;
    size_t ratios, shapes, failures;
    shape where; /* the worst */
} tally;

double *contest_doubles(qkv_view view)
{
    qkv_view copy = make_tensor(QKV_F64, view.rank, view.shape);
    qkv_view_copy(&view, &copy, NULL);
    return copy.data;
}

naive_problem contest_problem(const shape *s, const double *q, const double *kt, const double *v)
{
    return (naive_problem){
        .queries = s->queries,
        .keys = s->keys,
        .width = s->width,
        .value_width = s->value_width,
        .scale = 1.0 / sqrt((double)s->width),
        .softcap = s->softcap,
        .causal_offset = s->causal ? (long)s->keys - (long)s->queries : (long)s->keys,
        .q = q,
        .kt = kt,
        .v = v,
    };
}

qkv_attention_options contest_options(const char *kernel, const shape *s)
{
    qkv_attention_options options = qkv_attention_default();
    options.kernel = kernel;
    options.threads = 1;
    options.causal = s->causal;
    options.alignment = QKV_ALIGN_BOTTOM_RIGHT;
    options.softcap = s->softcap;
    return options;
}

void contest_add(errors *e, int result, long double difference)
{
    const double size = fabs((double)difference);
    e->squared[result] += size * size;
    if (size > e->largest[result]) e->largest[result] = size;
}

void contest_require(qkv_status status, const qkv_error *error)
{
    if (status == QKV_OK) return;
    printf("Bail out! %s\n", error->message);
    exit(1);
}

/* ---- One shape ------------------------------------------------------------------------------ */

/* Two errors of 0 are equal: with one key the weight is 1 whatever the scores are. */
static double ratio_of(const errors *ours, const errors *theirs, int result)
{
    if (theirs->squared[result] > 0) return sqrt(ours->squared[result] / theirs->squared[result]);
    return ours->squared[result] > 0 ? INFINITY : 0.0;
}

static bool passes(const contest *c, const errors *ours, const errors *theirs)
{
    for (int i = 0; i < c->results; i++)
        if (!(ratio_of(ours, theirs, i) <= 1.0)) return false; /* NaN fails too */
    return true;
}

/* As many rows as a fixed amount of work allows. */
static size_t rows_to_draw(const contest *c, const shape *s)
{
    const size_t rows = c->work / (s->keys * (s->width + s->value_width));
    if (rows < c->least_rows) return c->least_rows;
    return rows > c->most_rows ? c->most_rows : rows;
}

/* A shape that fails is tried anew, on many more draws and these alone: rows of one draw share keys
 * and values, so that a hundred rows may be a matter of luck after all. */
static void draw_again(const contest *c, const char *kernel, qkv_type type, const shape *s,
                       size_t number, standing *e)
{
    enum { TIMES = 16, DRAWS_AT_LEAST = 64 };
    const contestants alone = {{kernel}, 1};
    random_source source = {.state = c->seed + 10000000u + number};
    size_t draws = TIMES * rows_to_draw(c, s) / s->queries;
    if (draws < DRAWS_AT_LEAST) draws = DRAWS_AT_LEAST;
    *e = (standing){0};
    for (size_t i = 0; i < draws; i++) c->draw(&alone, type, s, &source, e);
}

static void judge(const contest *c, const shape *s, const errors *ours, const errors *theirs,
                  tally *t)
{
    t->shapes++;
    for (int i = 0; i < c->results; i++) {
        const double ratio = ratio_of(ours, theirs, i);
        const double largest = theirs->largest[i] > 0 ? ours->largest[i] / theirs->largest[i] : 0.0;
        if (largest > t->worst_largest) t->worst_largest = largest;
        t->ratios++;
        t->sum_of_logs += ratio > 0 ? log(ratio) : 0.0;
        if (!(ratio <= t->worst[i])) t->worst[i] = ratio, t->where = *s;
        if (ratio <= 1.0) continue;
        t->failures++;
        printf("# %s ratio %.4f: queries %zu keys %zu width %zu value width %zu deviation %g "
               "causal %d softcap %g\n",
               c->names[i], ratio, s->queries, s->keys, s->width, s->value_width, s->deviation,
               s->causal, s->softcap);
    }
}

/* ---- All of them ---------------------------------------------------------------------------- */

static void run(const contest *c, const contestants *kernels, qkv_type type, size_t shapes,
                size_t step, tally *t)
{
    random_source source = {.state = c->seed + (unsigned)type};
    for (size_t n = 0; n < shapes; n += step) {
        const shape s = c->choose(n, &source);
        const size_t rows = rows_to_draw(c, &s);
        standing e = {0};
        for (size_t drawn = 0; drawn < rows; drawn += s.queries)
            c->draw(kernels, type, &s, &source, &e);
        for (size_t k = 0; k < kernels->count; k++) {
            standing own = {.ours = {e.ours[k]}, .theirs = e.theirs};
            if (!passes(c, own.ours, &own.theirs))
                draw_again(c, kernels->name[k], type, &s, n, &own);
            judge(c, &s, own.ours, &own.theirs, &t[k]);
        }
    }
}

static void print_tally(const contest *c, const char *kernel, const char *type, const tally *t)
{
    printf("# %s %s", kernel, type);
    for (int i = 0; i < c->results; i++) printf(" %s %.4f", c->names[i], t->worst[i]);
    printf(" mean %.4f largest %.3f in %zu shapes; worst at queries %zu keys %zu width %zu value "
           "width %zu\n",
           exp(t->sum_of_logs / (double)t->ratios), t->worst_largest, t->shapes, t->where.queries,
           t->where.keys, t->where.width, t->where.value_width);
}

int contest_run(const contest *c, int argument_count, char **arguments)
{
    const qkv_type type = argument_count > 1 ? qkv_type_from_name(arguments[1]) : QKV_NONE;
    size_t shapes = argument_count > 2 ? (size_t)strtoul(arguments[2], NULL, 10) : c->shapes;
    size_t step = argument_count > 3 ? (size_t)strtoul(arguments[3], NULL, 10) : 1;
    contestants kernels = {.count = 0};
    tally t[KERNELS_AT_MOST] = {0};
    size_t failures = 0;
    if (type == QKV_NONE || shapes == 0 || step == 0) {
        fprintf(stderr, "usage: %s f64|f32|f16|bf16 [SHAPES [STEP]]\n", arguments[0]);
        return 2;
    }
    for (size_t i = 0; i < qkv_kernel_count() && kernels.count < KERNELS_AT_MOST; i++)
        if (c->judged(qkv_kernel_name(i), type)) kernels.name[kernels.count++] = qkv_kernel_name(i);
    printf("1..%zu\n# kernel, type, worst ratios, their geometric mean, worst ratio of largest "
           "errors\n",
           kernels.count);
    run(c, &kernels, type, shapes, step, t);
    for (size_t k = 0; k < kernels.count; k++) {
        failures += t[k].failures != 0;
        print_tally(c, kernels.name[k], arguments[1], &t[k]);
        printf("%sok %zu - %s %s: %s at most the naive loop's in %zu shapes\n",
               t[k].failures != 0 ? "not " : "", k + 1, kernels.name[k], arguments[1], c->subject,
               t[k].shapes);
    }
    return failures != 0;
}
