/*
 * Proved bounds of laws, and the double precision laws held inside them. The general engine for
 * expectations is a third way to the same numbers: there every weight is a ratio of exponentials of
 * the scores, which knows nothing of logit-normal laws. Random cases are seeded.
 */
#include <math.h>
#include <stdio.h>

#include "support/check.h"
#include "support/random.h"

#include <qkv/law.h>

#include "ball/expectation.h"
#include "base/memory.h"

static const double stated_error = 1e-12; /* of qkv/law.h */

static void check_inside(double value, double lower, double upper, double widest, const char *what,
                         const qkv_law_options *o)
{
    if (!(lower - stated_error <= value && value <= upper + stated_error))
        fail_msg("%s: %.17g is not in [%.17g, %.17g]: %s, n = %zu, m = %zu, beta = %.17g, noise = "
                 "%.17g, other %d",
                 what, value, lower, upper, qkv_design_name(o->design), o->keys, o->wanted, o->beta,
                 o->noise, o->other_noisy);
    if (!(upper - lower <= widest))
        fail_msg("%s: [%.17g, %.17g] is wider than %g at beta = %g", what, lower, upper, widest,
                 o->beta);
}

static double random_scale(random_source *source, double low, double high)
{
    return exp(log(low) + (log(high) - log(low)) * random_uniform(source));
}

static qkv_law_options random_options(random_source *source, size_t keys)
{
    qkv_law_options o = qkv_law_default();
    o.design = (qkv_design)(1 + random_below(source, 3));
    o.keys = 2 + random_below(source, keys);
    o.wanted = 1 + random_below(source, random_below(source, 2) == 0 ? 2 : o.keys);
    o.other_noisy = o.wanted < o.keys && random_below(source, 2) == 0;
    return o;
}

/* ---- Doubles inside bounds ------------------------------------------------------------------ */

static void doubles_lie_inside(void **state)
{
    (void)state;
    random_source source = {31};
    for (int i = 0; i < 800; i++) {
        qkv_law_options o = random_options(&source, i % 3 == 0 ? 5000 : 12);
        qkv_law law;
        qkv_law_bounds b;
        qkv_error error;
        o.beta = random_scale(&source, 1e-3, 1e5);
        o.noise = i % 9 == 0 ? 0 : random_scale(&source, 1e-4, 100);
        o.tolerance = 0.001 + 0.6 * random_uniform(&source);
        check_ok(qkv_law_compute(&o, &law, &error), &error);
        check_ok(qkv_law_enclose(&o, &b, &error), &error);
        check_inside(law.mean, b.mean.lower, b.mean.upper, 1e-13, "mean", &o);
        check_inside(law.variance, b.variance.lower, b.variance.upper, 1e-13, "variance", &o);
        check_inside(law.covariance, b.covariance.lower, b.covariance.upper, 1e-13, "cov", &o);
        check_inside(law.leak, b.leak.lower, b.leak.upper, 1e-13, "leak", &o);
        check_inside(law.bias, b.bias.lower, b.bias.upper, 1e-11, "bias", &o);
        check_inside(law.error, b.error.lower, b.error.upper, 1e-13, "error", &o);
        check_inside(law.failure, b.failure.lower, b.failure.upper, 1e-10, "failure", &o);
    }
}

/* Numbers near one double are all inside: the bounds of 0.1 hold for a tenth. */
static void bounds_hold_for_what_rounds(void **state)
{
    (void)state;
    qkv_law_options o = qkv_law_default();
    qkv_law_bounds b;
    o.beta = 10;
    check_ok(qkv_law_enclose(&o, &b, NULL), NULL);
    assert_true(b.variance.lower <= 0.195320654850187 + 4e-16);
    assert_true(b.variance.upper >= 0.195320654850187 - 4e-16);
    assert_true(b.variance.upper - b.variance.lower > 1e-18);
    assert_true(strncmp(b.variance.text, "0.195320654850187", 17) == 0);
    qkv_law_bounds next; /* of neighbours among the doubles: no number lies between them */
    o.keys = 9;
    o.beta = 100.3;
    check_ok(qkv_law_enclose(&o, &b, NULL), NULL);
    o.beta = nextafter(o.beta, 200);
    check_ok(qkv_law_enclose(&o, &next, NULL), NULL);
    assert_true(next.leak.lower < b.leak.lower && b.leak.lower <= next.leak.upper);
    o.noise = 0;
    check_ok(qkv_law_enclose(&o, &b, NULL), NULL);
    assert_true(b.variance.lower == 0 && b.variance.upper == 0);
    qkv_error error;
    o.beta = INFINITY;
    check_error(qkv_law_enclose(&o, &b, &error), QKV_ERROR_ARGUMENT, &error, "beta: got inf");
    o.beta = -1;
    check_error(qkv_law_enclose(&o, &b, &error), QKV_ERROR_ARGUMENT, &error, "beta: got -1");
}

/* ---- The general engine --------------------------------------------------------------------- */

static qkv__algebra algebra;
enum { EPS };

typedef const qkv__form *form;

static form constant(qkv__rational value)
{
    return qkv__form_constant(&algebra, value);
}

/* e^(factor * beta), or e^(factor * beta * eps) for the noisy key */
static form exponential(qkv__rational beta, int factor, bool noisy)
{
    form power = constant(qkv__rational_multiply(beta, qkv__rational_whole(factor)));
    if (noisy) power = qkv__form_multiply(&algebra, power, qkv__form_parameter(&algebra, EPS));
    return qkv__form_exponential(&algebra, power);
}

enum { NOISY, WANTED, UNWANTED, CLASSES };

typedef struct head {
    int64_t count[CLASSES];
    form term[CLASSES]; /* e^score of one key */
} head;

static qkv__ratio weight_in(const head *h, int class)
{
    form sum = qkv__form_whole(&algebra, 0);
    for (int i = 0; i < CLASSES; i++)
        sum = qkv__form_add(
            &algebra, sum, qkv__form_scale(&algebra, h->term[i], qkv__rational_whole(h->count[i])));
    return qkv__ratio_divide(&algebra, qkv__ratio_of_form(&algebra, h->term[class]),
                             qkv__ratio_of_form(&algebra, sum));
}

static qkv__ratio weighted(qkv__ratio a, int64_t above, int64_t below)
{
    return qkv__ratio_multiply(&algebra, a,
                               qkv__ratio_constant(&algebra, qkv__rational_make(above, below)));
}

static qkv__ratio sum_of(qkv__ratio a, qkv__ratio b)
{
    return qkv__ratio_add(&algebra, a, b);
}

/* The output's weights by class, and the weight X of the noisy key in the head that feels it. */
typedef struct output {
    qkv__ratio weight[CLASSES], felt;
} output;

static void one_query(const qkv_law_options *o, head h, qkv__rational beta, output *out)
{
    bool immune = o->design == QKV_DESIGN_IMMUNE;
    for (int i = 0; i < CLASSES; i++) {
        bool wanted = i == WANTED || (i == NOISY && !o->other_noisy);
        int factor = immune ? (wanted ? 0 : -1) : wanted ? 1 : 0;
        h.term[i] = exponential(beta, factor, i == NOISY);
    }
    for (int i = 0; i < CLASSES; i++) out->weight[i] = weight_in(&h, i);
    out->felt = out->weight[NOISY];
}

/* The head of the noisy key, if it has one, and the others, which are alike: in one of them its own
 * key is a class of one. */
static void many_heads(const qkv_law_options *o, head h, qkv__rational beta, output *out)
{
    int64_t m = (int64_t)o->wanted, others = h.count[WANTED];
    head own = h, other = {{h.count[NOISY], 1, (int64_t)o->keys - 2}, {NULL}};
    for (int i = 0; i < CLASSES; i++) {
        own.term[i] = exponential(beta, i == NOISY ? 1 : 0, i == NOISY);
        other.term[i] = exponential(beta, i == WANTED ? 1 : 0, false);
    }
    qkv__ratio mine = weight_in(&other, WANTED), rest = weight_in(&other, UNWANTED);
    for (int i = 0; i < CLASSES; i++) {
        bool wanted = i == WANTED;
        qkv__ratio sum = weighted(rest, others - (wanted ? 1 : 0), m);
        if (wanted) sum = sum_of(sum, weighted(mine, 1, m));
        if (!o->other_noisy) sum = sum_of(sum, weighted(weight_in(&own, i), 1, m));
        out->weight[i] = sum;
    }
    out->felt = o->other_noisy ? weight_in(&other, UNWANTED) : weight_in(&own, NOISY);
}

/* sum over keys of (weight - target)^2 */
static qkv__ratio squared_error(const qkv_law_options *o, const head *h, const output *out)
{
    qkv__ratio sum = qkv__ratio_whole(&algebra, 0);
    for (int i = 0; i < CLASSES; i++) {
        bool wanted = i == WANTED || (i == NOISY && !o->other_noisy);
        qkv__ratio gap = out->weight[i];
        if (h->count[i] == 0) continue;
        if (wanted)
            gap = qkv__ratio_subtract(
                &algebra, gap,
                qkv__ratio_constant(&algebra, qkv__rational_make(1, (int64_t)o->wanted)));
        sum = sum_of(sum, weighted(qkv__ratio_multiply(&algebra, gap, gap), h->count[i], 1));
    }
    return sum;
}

static void designs_agree_with_the_general_engine(void **state)
{
    (void)state;
    random_source source = {32};
    size_t errors = 0; /* that were not too large for the exact room */
    for (int i = 0; i < 120; i++) {
        qkv_law_options o = random_options(&source, 9);
        qkv_law law;
        qkv_error error;
        int64_t beta = 1 + (int64_t)random_below(&source, 40);
        int64_t noise = 1 + (int64_t)random_below(&source, 16);
        o.beta = (double)beta / 4, o.noise = (double)noise / 8; /* exact in both */
        check_ok(qkv_law_compute(&o, &law, &error), &error);
        algebra = (qkv__algebra){0};
        assert_int_equal(qkv__parameter_add(&algebra, "eps"), EPS);
        head h = {
            {1, (int64_t)o.wanted - !o.other_noisy, (int64_t)(o.keys - o.wanted) - o.other_noisy},
            {NULL}};
        output out;
        (o.design == QKV_DESIGN_HEADS ? many_heads : one_query)(&o, h, qkv__rational_make(beta, 4),
                                                                &out);
        qkv__normal eps = {EPS, {1, 1}, qkv__rational_make(noise, 8)};
        qkv__box box;
        qkv__enclosure found;
        assert_true(qkv__box_of_algebra(&algebra, &box));
        assert_true(qkv__ball_expectation(&algebra, out.felt, eps, &box, &found));
        check_inside(law.mean, found.lower, found.upper, 1e-12, "mean", &o);
        assert_true(qkv__ball_covariance(&algebra, out.felt, out.felt, eps, &box, &found));
        check_inside(law.variance, found.lower, found.upper, 1e-12, "variance", &o);
        qkv__ratio square = squared_error(&o, &h, &out);
        if (!qkv__ratio_is_lost(square) &&
            qkv__ball_expectation(&algebra, square, eps, &box, &found)) {
            check_inside(law.error, found.lower, found.upper, 1e-9, "error", &o);
            errors++;
        }
        qkv__ball_covariance(&algebra, out.weight[NOISY], out.weight[NOISY], eps, &box, &found);
        assert_true(found.known);
        check_inside(law.covariance, found.lower, found.upper, 1e-12, "covariance", &o);
        qkv__arena_free(&algebra.arena);
    }
    if (errors < 100) fail_msg("only %zu errors were compared", errors);
    assert_int_equal(qkv__memory_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_lie_inside),
        cmocka_unit_test(bounds_hold_for_what_rounds),
        cmocka_unit_test(designs_agree_with_the_general_engine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
