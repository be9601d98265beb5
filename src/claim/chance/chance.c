/*
 * P, E, Var and Cov in numbers, and comparisons of them. At given parameters they are integrals,
 * enclosed; in a limit they are sums over the stretches of a partition, which is right for bounded
 * quantities (dominated convergence). Where parameters range, the range is cut.
 */
#include "claim/chance/chance.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "claim/chance/chance_part.h"
#include "claim/chance/likely.h"
#include "claim/chance/moment.h"
#include "claim/chance/random_law.h"
#include "claim/chance/symmetry.h"
#include "claim/compare/limit_compare.h"
#include "claim/model/evaluate.h"
#include "claim/model/random_parameters.h"
#include "claim/premise/assume.h"
#include "claim/premise/gap.h"
#include "language/builtin.h"
#include "language/chance_call.h"

enum {
    PIECES = 64,
    STALLS = 6, /* pieces one inside the other whose enclosures are as wide as the first's */
};

static bool evaluate(qkv__situation *s, const qkv__node *node, qkv__likely *result);

/* ---- Random numbers in a ratio ------------------------------------------------------- */

enum { NORMALS = 2 };

static bool depend_on(const qkv__ratio *f, size_t ratios, int parameter)
{
    for (size_t i = 0; i < ratios; i++)
        if (qkv__ratio_depends_on(f[i], parameter)) return true;
    return false;
}

/* The normal parameters that some ratios depend on, which are independent; false for more than two,
 * or an unknown law. */
static bool normals_of(qkv__situation *s, const qkv__ratio *f, size_t ratios, qkv__normal *normals,
                       size_t *count)
{
    qkv__ratio covariance, mean;
    *count = 0;
    for (int p = 0; p < (int)s->model->algebra.parameter_count; p++) {
        qkv__normal normal;
        if (!depend_on(f, ratios, p) || !qkv__random_is(s->model, p)) continue;
        if (!qkv__random_law(s, p, &normal) || *count == NORMALS) return false;
        if (qkv__random_product(s->model, p) != NULL && !qkv__moment_of_parameter(s, p, &mean))
            return false; /* something is given of a number that may be correlated with it */
        normals[(*count)++] = normal;
    }
    return *count < 2 ||
           (qkv__moment_of_parameters(s, normals[0].parameter, normals[1].parameter, &covariance) &&
            qkv__ratio_is_zero(covariance));
}

/* The same, where they are too many, or not independent, as one if they can be merged. */
static bool numbers_of(qkv__situation *s, qkv__ratio *f, size_t ratios, qkv__normal *normals,
                       size_t *count)
{
    if (normals_of(s, f, ratios, normals, count) && *count < 2) return true;
    if (qkv__chance_merge(s, f, ratios, &normals[0])) return *count = 1, true;
    return normals_of(s, f, ratios, normals, count);
}

/* The half line that a condition leaves of a normal parameter; false: both sides are bounded. */
static bool condition_of(const qkv__situation *s, int parameter, bool *conditional,
                         qkv__half_line *line)
{
    assert(qkv__is_parameter(&s->model->algebra, parameter));
    const qkv__parameter *known = &s->model->algebra.parameter[parameter];
    *conditional = known->lower.known || known->upper.known;
    if (known->lower.known && known->upper.known) return false;
    qkv__rational at = known->lower.known ? known->lower.value : known->upper.value;
    *line = (qkv__half_line){.above = known->lower.known, .lower = at, .upper = at};
    return true;
}

static bool from_enclosure(const qkv__enclosure *enclosure, qkv__likely *result)
{
    *result = qkv__likely_between(enclosure->lower, enclosure->upper);
    return enclosure->known;
}

static bool box_of(const qkv__situation *s, qkv__box *box)
{
    return qkv__box_of_algebra(&s->model->algebra, box);
}

/* Whether a ratio is seen by algebra to lie between 0 and a number. */
static bool lies_below(qkv__situation *s, qkv__ratio f, int64_t most)
{
    qkv__algebra *algebra = &s->model->algebra;
    if (qkv__symmetry_lies_below(s, f, most)) return true;
    qkv__ratio rest = qkv__ratio_subtract(algebra, qkv__ratio_whole(algebra, most), f);
    qkv__sign low = qkv__ratio_sign(algebra, f), high = qkv__ratio_sign(algebra, rest);
    return (low == QKV__SIGN_POSITIVE || low == QKV__SIGN_NONNEGATIVE) &&
           (high == QKV__SIGN_POSITIVE || high == QKV__SIGN_NONNEGATIVE);
}

static bool lies_in_unit_interval(qkv__situation *s, qkv__ratio f)
{
    qkv__algebra *algebra = &s->model->algebra;
    qkv__ratio rest = qkv__ratio_subtract(algebra, qkv__ratio_whole(algebra, 1), f);
    return qkv__is_not_negative(s, f) && qkv__is_not_negative(s, rest);
}

/* The range of a ratio over all that is allowed, the random numbers included; of a random weight
 * that it lies between 0 and 1, which costs little. */
static bool range_of(qkv__situation *s, qkv__ratio f, qkv__likely *range)
{
    qkv__box box;
    qkv__enclosure enclosure;
    *range = qkv__likely_between(0.0, 1.0);
    if (qkv__random_touches(s->model, f) && lies_below(s, f, 1)) return true;
    if (box_of(s, &box) && qkv__ball_enclose(&s->model->algebra, f, &box, &enclosure))
        return from_enclosure(&enclosure, range);
    return lies_in_unit_interval(s, f);
}

/* Whether everything but the normal parameters ranges over finite intervals: else no integral is
 * known. */
static bool is_finite(qkv__situation *s, const qkv__ratio *f, size_t ratios,
                      const qkv__normal *normals, size_t count, const qkv__box *box)
{
    qkv__algebra *algebra = &s->model->algebra;
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        bool normal = algebra->parameter[p].prime != 0;
        for (size_t i = 0; i < count; i++) normal = normal || normals[i].parameter == p;
        if (!normal && depend_on(f, ratios, p) && !qkv__box_is_finite(algebra, box, p))
            return false;
    }
    return true;
}

/* ---- Moments at given parameters ----------------------------------------------------- */

/* Whether something is given of a random number: then it is not normal any more. */
static bool is_conditioned(const qkv__situation *s, int parameter)
{
    assert(qkv__is_parameter(&s->model->algebra, parameter));
    const qkv__parameter *known = &s->model->algebra.parameter[parameter];
    return known->lower.known || known->upper.known;
}

/* Whether a premise put something else in the place of a random number, or it in the place of
 * something else. What stands there then is no letter that is fixed, and the law is not known. */
bool qkv__chance_is_replaced(qkv__situation *s)
{
    qkv__algebra *algebra = &s->model->algebra;
    for (size_t i = 0; i < s->substitution_count; i++)
        if (qkv__random_touches(s->model, qkv__ratio_of_form(algebra, s->substitution[i].form)))
            return true;
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        qkv__ratio alone = qkv__ratio_of_form(algebra, qkv__form_parameter(algebra, p));
        qkv__normal normal;
        if (!qkv__random_touches(s->model, alone) ||
            qkv__ratio_equal(algebra, qkv__situation_apply(s, alone), alone))
            continue;
        bool certain = qkv__random_law(s, p, &normal) && qkv__rational_is_zero(normal.variance);
        if (!certain) return true;
    }
    return false;
}

static bool expectation(qkv__situation *s, qkv__ratio f, qkv__likely *result)
{
    qkv__normal normal[NORMALS];
    size_t count;
    qkv__box box;
    qkv__enclosure enclosure;
    qkv__half_line line;
    bool conditional = false, good = false;
    if (!numbers_of(s, &f, 1, normal, &count) || count == 0 || !box_of(s, &box) ||
        !is_finite(s, &f, 1, normal, count, &box))
        return range_of(s, f, result);
    if (!condition_of(s, normal[0].parameter, &conditional, &line)) return false;
    const qkv__algebra *algebra = &s->model->algebra;
    if (count == 2 && !conditional && !is_conditioned(s, normal[1].parameter))
        good = qkv__ball_expectation_two(algebra, f, normal, &box, &enclosure);
    else if (count == 1 && conditional)
        good = qkv__ball_expectation_given(algebra, f, normal[0], line, &box, &enclosure);
    else if (count == 1)
        good = qkv__ball_expectation(algebra, f, normal[0], &box, &enclosure);
    if (good) return from_enclosure(&enclosure, result);
    return range_of(s, f, result); /* it lies where f does */
}

bool qkv__chance_number(qkv__situation *s, qkv__ratio ratio, qkv__likely *result)
{
    qkv__rational number;
    if (qkv__ratio_is_constant(qkv__situation_apply(s, ratio), &number))
        return *result = qkv__likely_rational(number), true;
    return range_of(s, qkv__situation_apply(s, ratio), result);
}

static bool covariance(qkv__situation *s, qkv__ratio f, qkv__ratio g, qkv__likely *result)
{
    qkv__normal normal[NORMALS];
    size_t count;
    qkv__box box;
    qkv__enclosure enclosure;
    qkv__algebra *algebra = &s->model->algebra;
    qkv__ratio moment, pair[2] = {f, g};
    if (qkv__moment_covariance(s, f, g, &moment)) return qkv__chance_number(s, moment, result);
    bool known = numbers_of(s, pair, 2, normal, &count) && box_of(s, &box);
    f = pair[0];
    g = pair[1];
    bool conditional = count > 0 && is_conditioned(s, normal[0].parameter);
    bool finite = known && is_finite(s, pair, 2, normal, count, &box);
    if (count == 1 && !conditional && finite &&
        qkv__ball_covariance(algebra, f, g, normal[0], &box, &enclosure))
        return from_enclosure(&enclosure, result);
    qkv__likely product, first, second, range;
    if (count > 0 && finite && expectation(s, qkv__ratio_multiply(algebra, f, g), &product) &&
        expectation(s, f, &first) && expectation(s, g, &second)) {
        *result = qkv__likely_subtract(product, qkv__likely_multiply(first, second));
        if (qkv__ratio_equal(algebra, f, g)) *result = qkv__likely_not_negative(*result);
        if (result->upper - result->lower < 1e-3) return true;
    }
    /* Of a number between l and u the variance is at most (u - l)^2/4. */
    if (!qkv__ratio_equal(algebra, f, g) || !range_of(s, f, &range)) return false;
    bool unit = range.lower == 0.0 && range.upper == 1.0; /* then it is 1/4 without rounding */
    qkv__likely width = qkv__likely_subtract(qkv__likely_between(range.upper, range.upper),
                                             qkv__likely_between(range.lower, range.lower));
    double most = qkv__likely_multiply(width, width).upper;
    *result = qkv__likely_between(0.0, unit ? 0.25 : nextafter(most / 4, INFINITY));
    return true;
}

/* ---- Moments in the limit ------------------------------------------------------------ */

/* The limit of a ratio on a stretch, where it is a number. */
static bool limit_on(qkv__situation *s, const qkv__partition *partition, size_t stretch,
                     qkv__ratio f, qkv__likely *value)
{
    qkv__scope scope = qkv__situation_open(s);
    qkv__partition_enter(s, partition, stretch);
    qkv__limit limit = qkv__limit_of(s, f);
    bool good = limit.kind == QKV__LIMIT_FINITE && !qkv__random_touches(s->model, limit.value) &&
                qkv__chance_number(s, limit.value, value);
    qkv__situation_close(s, &scope);
    return good;
}

static bool is_same(qkv__likely x, qkv__likely y)
{
    return x.exact && y.exact && qkv__rational_compare(x.value, y.value) == 0;
}

/* Weights lie below 1, squared errors of averages below 4; other things are enclosed, which costs
 * most. */
static bool is_bounded(qkv__situation *s, qkv__ratio f)
{
    qkv__likely range;
    return lies_below(s, f, 4) || lies_in_unit_interval(s, f) || range_of(s, f, &range);
}

/* E of the limit of f, or of f g; f and g are bounded, so that it is the limit of E. */
static bool limit_moment(qkv__situation *s, qkv__ratio f, qkv__ratio g, bool covariance_wanted,
                         qkv__likely *result)
{
    qkv__ratio ratios[2] = {f, g};
    qkv__partition partition;
    qkv__likely zero = qkv__likely_rational(qkv__rational_whole(0));
    qkv__likely product = zero, first = zero, second = zero;
    if (!is_bounded(s, f) || (!qkv__ratio_equal(&s->model->algebra, f, g) && !is_bounded(s, g)) ||
        !qkv__partition_make(s, ratios, 2, &partition))
        return false;
    for (size_t i = 0, last; i < partition.count; i = last + 1) {
        qkv__likely x, y, next_x, next_y;
        if (!limit_on(s, &partition, i, f, &x) || !limit_on(s, &partition, i, g, &y)) return false;
        for (last = i; last + 1 < partition.count; last++) { /* neighbours alike are told as one */
            if (!limit_on(s, &partition, last + 1, f, &next_x) ||
                !limit_on(s, &partition, last + 1, g, &next_y))
                return false;
            if (!is_same(x, next_x) || !is_same(y, next_y)) break;
        }
        qkv__likely chance = qkv__partition_probability(&partition, i, last);
        product =
            qkv__likely_add(product, qkv__likely_multiply(chance, qkv__likely_multiply(x, y)));
        first = qkv__likely_add(first, qkv__likely_multiply(chance, x));
        second = qkv__likely_add(second, qkv__likely_multiply(chance, y));
    }
    *result = covariance_wanted ? qkv__likely_subtract(product, qkv__likely_multiply(first, second))
                                : first;
    return true;
}

/* ---- E, Var, Cov of values ----------------------------------------------------------- */

static bool moment_of(qkv__situation *s, char kind, qkv__ratio f, qkv__ratio g, qkv__likely *result)
{
    f = qkv__moment_apply(s, f);
    g = qkv__moment_apply(s, g);
    if (qkv__ratio_is_lost(f) || qkv__ratio_is_lost(g)) return false;
    if (s->limit_count > 0) return limit_moment(s, f, g, kind != 'E', result);
    qkv__ratio moment;
    if (kind == 'E' && qkv__moment_mean(s, f, &moment))
        return qkv__chance_number(s, moment, result);
    return kind == 'E' ? expectation(s, f, result) : covariance(s, f, g, result);
}

/* The variance of a vector is that of its coefficients, summed, where the vectors are orthogonal:
 * E|x - E x|^2. */
static bool vector_variance(qkv__situation *s, const qkv__vector *x, qkv__likely *result)
{
    *result = qkv__likely_rational(qkv__rational_whole(0));
    for (size_t i = 0; i < x->count; i++) {
        qkv__symbol symbol = x->component[i].symbol;
        qkv__ratio square;
        qkv__likely part, length;
        const qkv__family *family = symbol.family;
        if (family->gram != QKV__GRAM_UNIFORM || !qkv__ratio_is_zero(family->different) ||
            family != x->component[0].symbol.family ||
            !qkv__symbol_product(&s->model->space, symbol, symbol, &square) ||
            !qkv__chance_number(s, square, &length) ||
            !moment_of(s, 'V', x->component[i].factor, x->component[i].factor, &part))
            return false;
        *result = qkv__likely_add(*result, qkv__likely_multiply(length, part));
    }
    return true;
}

/* E|x| */
static bool evaluate_size(qkv__situation *s, const qkv__node *node, qkv__likely *result)
{
    qkv__value x;
    qkv__ratio f;
    return qkv__model_value(s->model, node, s->locals, &x) && qkv__value_as_ratio(&x, &f) &&
           qkv__chance_mean_size(s, qkv__moment_apply(s, f), result);
}

static bool evaluate_moment(qkv__situation *s, const qkv__chance_call *call, qkv__likely *result)
{
    qkv__value x, y;
    qkv__failure failure = {0};
    const qkv__node *culprit;
    qkv__ratio f, g;
    const qkv__vector *vector;
    if (call->kind == 'E' && call->argument[0]->kind == QKV__NODE_SIZE && s->limit_count == 0 &&
        evaluate_size(s, call->argument[0]->child[0], result))
        return true;
    if (!qkv__model_evaluate(s->model, call->argument[0], s->locals, &x, &failure, &culprit))
        return qkv__situation_failed(s, &failure, culprit), false;
    if (call->kind == 'V' && qkv__value_as_vector(&x, &vector))
        return vector_variance(s, vector, result);
    if (!qkv__value_as_ratio(&x, &f)) return false;
    g = f;
    if (call->kind == 'C' &&
        (call->count != 2 ||
         !qkv__model_evaluate(s->model, call->argument[1], s->locals, &y, &failure, &culprit) ||
         !qkv__value_as_ratio(&y, &g)))
        return false;
    if (!moment_of(s, call->kind, f, g, result)) return false;
    if (call->kind == 'V' && !result->exact && result->lower < 0.0 && result->upper >= 0.0)
        *result = qkv__likely_between(0.0, result->upper); /* no variance is negative */
    return true;
}

/* ---- Probabilities ------------------------------------------------------------------- */

/* Whether an interval for a probability says anything. */
static bool is_told(const qkv__likely *chance)
{
    return chance->exact || chance->upper - chance->lower < 1.0;
}

/* P(f > 0) at given parameters; of normal numbers also without. */
bool qkv__chance_probability(qkv__situation *s, qkv__ratio f, qkv__event event, qkv__likely *result)
{
    qkv__normal normal[NORMALS], merged;
    size_t count;
    qkv__box box;
    qkv__enclosure enclosure;
    qkv__half_line line;
    bool conditional = false;
    qkv__algebra *algebra = &s->model->algebra;
    qkv__ratio linear, mean, variance;
    if (qkv__chance_is_certain(s, f, event, result)) return true;
    if (qkv__chance_normal(s, f, &linear, &mean, &variance) &&
        qkv__chance_of_normal(s, mean, variance, event, result) && is_told(result))
        return true;
    if (qkv__moment_is_balanced(s, f)) {
        const bool side = event == QKV__EVENT_ABOVE || event == QKV__EVENT_AT_LEAST ||
                          event == QKV__EVENT_BELOW || event == QKV__EVENT_AT_MOST;
        if (side) return *result = qkv__likely_rational(qkv__rational_make(1, 2)), true;
    }
    if (!numbers_of(s, &f, 1, normal, &count) || !box_of(s, &box)) return false;
    if (count == 2) {
        if (is_conditioned(s, normal[0].parameter) || is_conditioned(s, normal[1].parameter) ||
            !qkv__normal_merge(algebra, &f, normal, &merged))
            return false;
        normal[0] = merged;
        count = 1;
    }
    if (count != 1 || !condition_of(s, normal[0].parameter, &conditional, &line)) return false;
    bool good = conditional ? qkv__ball_probability_given(algebra, f, event, normal[0], line, &box,
                                                          &enclosure)
                            : qkv__ball_probability(algebra, f, event, normal[0], &box, &enclosure);
    return good && from_enclosure(&enclosure, result);
}

/* ---- Expressions --------------------------------------------------------------------- */

static bool evaluate_chance(qkv__situation *s, const qkv__chance_call *call, qkv__likely *result)
{
    qkv__scope scope = qkv__situation_open(s);
    bool good =
        (call->given == NULL || qkv__situation_assume(s, call->given) == QKV__PREMISE_TAKEN) &&
        !qkv__chance_is_replaced(s);
    bool noisy = s->model->noisy;
    s->model->noisy = s->limit_count == 0;
    if (good)
        good = call->kind == 'P' ? qkv__chance_of_event(s, call->argument[0], result)
                                 : evaluate_moment(s, call, result);
    s->model->noisy = noisy;
    qkv__situation_close(s, &scope);
    return good;
}

static bool evaluate_power(qkv__situation *s, const qkv__node *node, qkv__likely *result)
{
    const qkv__node *exponent = node->child[1];
    qkv__likely base;
    if (exponent->kind != QKV__NODE_NUMBER || !qkv__rational_is_whole(exponent->value) ||
        exponent->value.numerator < 1 || exponent->value.numerator > 8 ||
        !evaluate(s, node->child[0], &base))
        return false;
    *result = base;
    for (int64_t i = 1; i < exponent->value.numerator; i++)
        *result = qkv__likely_multiply(*result, base);
    return true;
}

/* What has no chance in it is a number of the exact engine. */
static bool evaluate_plain(qkv__situation *s, const qkv__node *node, qkv__likely *result)
{
    qkv__value value;
    qkv__failure failure = {0};
    const qkv__node *culprit;
    qkv__ratio ratio;
    if (!qkv__model_evaluate(s->model, node, s->locals, &value, &failure, &culprit))
        return qkv__situation_failed(s, &failure, culprit), false;
    if (value.kind != QKV__VALUE_SCALAR) return false;
    qkv__likely root;
    if (!qkv__chance_number(s, value.scalar.factor, result) ||
        !qkv__chance_number(s, value.scalar.radicand, &root))
        return false;
    if (!qkv__value_as_ratio(&value, &ratio))
        *result = qkv__likely_multiply(*result, qkv__likely_root(root));
    return true;
}

static bool evaluate(qkv__situation *s, const qkv__node *node, qkv__likely *result)
{
    qkv__likely x, y;
    qkv__chance_call call = qkv__chance_read(node);
    if (call.kind != 0) return evaluate_chance(s, &call, result);
    if (!qkv__speaks_of_chance(node)) return evaluate_plain(s, node, result);
    if (node->kind == QKV__NODE_POWER) return evaluate_power(s, node, result);
    if (node->kind == QKV__NODE_SUM)
        return qkv__situation_undecided(s, "a sum of P, E, Var or Cov that differ from key to key"),
               false;
    if (node->count == 0 || !evaluate(s, node->child[0], &x)) return false;
    if (node->kind == QKV__NODE_NEGATE) {
        *result = qkv__likely_subtract(qkv__likely_rational(qkv__rational_whole(0)), x);
        return true;
    }
    if (node->kind == QKV__NODE_SIZE) return *result = qkv__likely_size(x), true;
    if (qkv__builtin_of(node) == QKV__BUILTIN_SQRT) return *result = qkv__likely_root(x), true;
    if (node->count != 2 || !evaluate(s, node->child[1], &y)) return false;
    switch (node->kind) {
    case QKV__NODE_ADD: *result = qkv__likely_add(x, y); return true;
    case QKV__NODE_SUBTRACT: *result = qkv__likely_subtract(x, y); return true;
    case QKV__NODE_MULTIPLY: *result = qkv__likely_multiply(x, y); return true;
    case QKV__NODE_DIVIDE: *result = qkv__likely_divide(x, y); return true;
    default: return false;
    }
}

/* ---- Comparisons --------------------------------------------------------------------- */

typedef struct chance_question {
    const qkv__node *left, *right, *upper; /* x compared with y, or x in left .. upper */
    qkv__comparison comparison;
    bool has_tolerance;
    qkv__likely tolerance;
    bool approached;         /* the numbers are limits: equal ones say nothing of an order */
    bool known;              /* all that was asked could be told in numbers */
    qkv__likely first, last; /* of the left side, all pieces together */
    double width;            /* of both sides' enclosures on the last piece */
    bool begun;
    int letters; /* parameters of the problem: later ones were made for formulas */
} chance_question;

/* An order of limits is one of what approaches them where they differ. */
static qkv__verdict judge_order(const chance_question *q, qkv__likely x, qkv__likely y,
                                qkv__comparison comparison)
{
    if (q->approached && qkv__chance_judge(x, y, QKV__NOT_EQUAL) != QKV__PROVED)
        return QKV__UNDECIDED;
    return qkv__chance_judge(x, y, comparison);
}

/* x = y within t: |x - y| <= t, and x != y the opposite; an order knows no tolerance. */
static qkv__verdict judge_question(const chance_question *q, qkv__likely x, qkv__likely y)
{
    bool equal = q->comparison == QKV__EQUAL || q->comparison == QKV__NEAR;
    bool order = !equal && q->comparison != QKV__NOT_EQUAL;
    if (order) return judge_order(q, x, y, q->comparison);
    if (!q->has_tolerance) return qkv__chance_judge(x, y, q->comparison);
    qkv__likely apart = qkv__likely_size(qkv__likely_subtract(x, y));
    return judge_order(q, apart, q->tolerance, equal ? QKV__LESS_OR_EQUAL : QKV__GREATER);
}

/* The parameter that ranges, of those that no limit is taken in and that are not random. */
static int ranging(qkv__situation *s, const qkv__box *box)
{
    qkv__parameter_set among = 0;
    const qkv__algebra *algebra = &s->model->algebra;
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        bool limit = false;
        for (size_t i = 0; i < s->limit_count; i++) limit = limit || s->limit[i].parameter == p;
        if (!limit && algebra->parameter[p].prime == 0 && qkv__box_is_finite(algebra, box, p) &&
            !qkv__box_is_fixed(algebra, box, p) && !qkv__random_is(s->model, p))
            among |= (qkv__parameter_set)1 << p;
    }
    return qkv__box_widest(algebra, box, among);
}

static qkv__verdict ask_piece(qkv__situation *s, chance_question *q)
{
    qkv__likely x, y;
    q->width = INFINITY;
    if (!evaluate(s, q->left, &x) || !evaluate(s, q->right, &y)) return QKV__UNDECIDED;
    q->known = true;
    q->width = (x.upper - x.lower) + (y.upper - y.lower);
    if (!q->begun) q->first = x;
    q->last = x;
    q->begun = true;
    return judge_question(q, x, y);
}

/* All pieces of the range: proved on each, or refuted on one. Smaller pieces are of no use where
 * they tell no more than those of `width` did that they are parts of: `stalls` of them so far. */
static qkv__verdict ask(qkv__situation *s, chance_question *q, int *pieces, double width,
                        int stalls)
{
    qkv__box box, low, high;
    qkv__verdict verdict = ask_piece(s, q);
    if (verdict != QKV__UNDECIDED || s->finding->culprit != NULL || !box_of(s, &box))
        return verdict;
    const bool narrower = q->width < 0.9 * width;
    stalls = narrower ? 0 : stalls + 1;
    if (narrower) width = q->width;
    if (stalls > STALLS) return QKV__UNDECIDED;
    int parameter = ranging(s, &box);
    if (parameter < 0 || --*pieces < 0 ||
        !qkv__box_split(&s->model->algebra, &box, parameter, &low, &high))
        return QKV__UNDECIDED;
    verdict = QKV__PROVED;
    for (int i = 0; i < 2 && verdict == QKV__PROVED; i++) {
        qkv__scope scope = qkv__situation_open(s);
        const qkv__range *range = &(i == 0 ? &low : &high)->range[parameter];
        s->model->algebra.parameter[parameter].lower = range->lower;
        s->model->algebra.parameter[parameter].upper = range->upper;
        verdict = ask(s, q, pieces, width, stalls);
        qkv__situation_close(s, &scope);
    }
    return verdict;
}

/* ---- Points of a range --------------------------------------------------------------- */

enum { POINTS = 8 };

/* Whether a parameter is a plain letter that is not fixed: no random number, no inner product. */
static bool is_letter(const qkv__situation *s, int parameter)
{
    assert(qkv__is_parameter(&s->model->algebra, parameter));
    const qkv__parameter *known = &s->model->algebra.parameter[parameter];
    for (const qkv__unknown_product *u = s->model->space.unknown; u != NULL; u = u->next)
        if (u->parameter == parameter) return false;
    for (const qkv__spread *b = s->model->space.spreads; b != NULL; b = b->next)
        if (b->parameter == parameter) return false;
    bool fixed = known->lower.known && known->upper.known &&
                 qkv__rational_compare(known->lower.value, known->upper.value) == 0;
    return !fixed && known->prime == 0 && !qkv__random_is(s->model, parameter);
}

/* The number-th of some values within a parameter's bounds: from its lower end upward, or between
 * both ends. False where it is not inside. */
static bool choose_value(const qkv__parameter *known, size_t number, qkv__rational *value)
{
    static const qkv__rational away[POINTS] = {{1, 1},   {1, 10},  {10, 1}, {3, 1},
                                               {100, 1}, {1, 100}, {5, 1},  {1, 1000}};
    static const qkv__rational part[POINTS] = {{1, 2}, {1, 16},  {15, 16},  {1, 4},
                                               {3, 4}, {1, 100}, {99, 100}, {1, 1000}};
    qkv__rational low = known->lower.known ? known->lower.value : qkv__rational_whole(0);
    qkv__rational step = away[number];
    if (known->lower.known && known->upper.known)
        step =
            qkv__rational_multiply(part[number], qkv__rational_subtract(known->upper.value, low));
    else if (known->upper.known)
        low = known->upper.value, step = qkv__rational_negate(step);
    *value = qkv__rational_add(low, step);
    if (known->whole && !qkv__rational_is_lost(*value))
        *value = qkv__rational_whole((value->numerator + value->denominator - 1) /
                                     value->denominator); /* upward */
    if (qkv__rational_is_lost(*value)) return false;
    bool above = !known->lower.known || qkv__rational_compare(*value, known->lower.value) > 0 ||
                 (!known->lower.strict && qkv__rational_compare(*value, known->lower.value) == 0);
    return above && (!known->upper.known || qkv__rational_compare(*value, known->upper.value) <
                                                (known->upper.strict ? 0 : 1));
}

/* Where the comparison fails: letters are fixed, all at once. No premise ties them to each other,
 * so that any values within their bounds can be had. */
static bool fails_at_point(qkv__situation *s, chance_question *q, size_t number)
{
    qkv__algebra *algebra = &s->model->algebra;
    qkv__scope scope = qkv__situation_open(s);
    qkv__text point = {0};
    bool good = true;
    for (int p = 0; p < q->letters && good; p++) {
        qkv__rational value;
        bool still = s->model->still && qkv__parameter_set_has(s->model->noise, p);
        if (still || !is_letter(s, p)) continue;
        good = choose_value(&algebra->parameter[p], number, &value);
        if (!good) break;
        algebra->parameter[p].lower = (qkv__bound){.known = true, .value = value};
        algebra->parameter[p].upper = algebra->parameter[p].lower;
        qkv__text_format(&point, "%s%s = ", point.length == 0 ? "At " : ", ",
                         algebra->parameter[p].name);
        qkv__likely_write(qkv__likely_rational(value), &point);
    }
    chance_question there = *q;
    there.begun = false;
    good = good && ask_piece(s, &there) == QKV__REFUTED;
    qkv__situation_close(s, &scope);
    if (good) *q = there;
    qkv__text_format(&point, ".");
    if (good && !point.failed && point.length > 1) qkv__situation_say(s, point.data);
    qkv__text_free(&point);
    return good;
}

static bool fails_somewhere(qkv__situation *s, chance_question *q)
{
    bool free = false;
    if (s->weakened || s->substitution_count > 0 || s->limit_count > 0) return false;
    for (int p = 0; p < q->letters; p++) free = free || is_letter(s, p);
    for (size_t i = 0; free && i < POINTS; i++)
        if (fails_at_point(s, q, i)) return true;
    return false;
}

static qkv__verdict decide_question(qkv__situation *s, chance_question *q)
{
    int pieces = PIECES;
    qkv__verdict verdict = ask_piece(s, q);
    if (verdict == QKV__UNDECIDED && s->finding->culprit == NULL)
        verdict = fails_somewhere(s, q) ? QKV__REFUTED : ask(s, q, &pieces, INFINITY, 0);
    if (q->begun && qkv__speaks_of_chance(q->left)) {
        qkv__situation_begin_found(s);
        qkv__likely_write(q->first, &s->finding->found);
    }
    if (verdict == QKV__UNDECIDED)
        return qkv__situation_undecided(
            s,
            q->known && q->approached
                ? "the limits may be equal, so they do not decide the comparison"
            : q->known
                ? "the enclosures of the two sides overlap"
                : "this does not depend on just one or two normal numbers with given parameters");
    if (verdict == QKV__REFUTED && s->weakened)
        return qkv__situation_undecided(s, "a condition is beyond the engines");
    if (q->first.exact && s->limit_count == 0) qkv__situation_say(s, "In closed form.");
    return qkv__situation_conclude(s, verdict, q->first.exact ? "exact" : "ball");
}

/* ---- The verdict --------------------------------------------------------------------- */

static qkv__verdict compare(qkv__situation *s, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_COMPARE);
    qkv__verdict verdict;
    const char *expected;
    const qkv__node *wrong = qkv__chance_miscounted(node, &expected);
    if (wrong != NULL) return qkv__situation_ill_posed(s, wrong, expected);
    if (s->veiled) return qkv__situation_undecided(s, "a condition is beyond the engines");
    int letters = (int)s->model->algebra.parameter_count;
    if (qkv__chance_by_formula(s, node, &verdict)) return verdict;
    chance_question q = {.left = node->child[0],
                         .right = node->child[1],
                         .comparison = node->comparison,
                         .has_tolerance = s->has_tolerance,
                         .letters = letters,
                         .approached = s->limit_count > 0 && !qkv__chance_is_settled(node)};
    if (s->has_tolerance && !qkv__chance_number(s, s->tolerance, &q.tolerance))
        return qkv__situation_undecided(s, "the tolerance is not a number");
    if (node->comparison != QKV__IN || node->child[1]->kind != QKV__NODE_RANGE)
        return decide_question(s, &q);
    q.right = node->child[1]->child[0];
    q.comparison = QKV__GREATER_OR_EQUAL;
    verdict = decide_question(s, &q);
    if (verdict != QKV__PROVED) return verdict;
    qkv__text_free(&s->finding->found);
    q.right = node->child[1]->child[1];
    q.comparison = QKV__LESS_OR_EQUAL;
    return decide_question(s, &q);
}

/* What was left open may follow from a claim about second moments; else its reason stands. */
static qkv__verdict compare_or_bound(qkv__situation *s, const qkv__node *node)
{
    const char *lemma;
    const qkv__verdict verdict = compare(s, node);
    if (verdict != QKV__UNDECIDED || s->finding->culprit != NULL || s->veiled) return verdict;
    const qkv__node *other = qkv__chance_sufficient(s, node, &lemma);
    if (other == NULL) return verdict;
    qkv__finding kept = *s->finding;
    s->finding->found = s->finding->reason = (qkv__text){0};
    const bool proved = compare(s, other) == QKV__PROVED;
    qkv__finding tried = *s->finding;
    *s->finding = proved ? tried : kept;
    qkv__text_free(proved ? &kept.found : &tried.found);
    qkv__text_free(proved ? &kept.reason : &tried.reason);
    if (!proved) return verdict;
    qkv__text_free(&s->finding->found); /* it is of the other claim */
    qkv__text_free(&s->finding->reason);
    qkv__situation_say(s, lemma);
    return qkv__situation_conclude(s, QKV__PROVED, "exact");
}

/* Whether index sets are as they were: a size that was told meanwhile lies in memory of its time.
 */
static bool are_sets_kept(const qkv__model *model, size_t count, const qkv__ratio *sizes)
{
    if (model->set_count != count) return false;
    for (size_t i = 0; i < count; i++)
        if (model->sets[i]->size.numerator != sizes[i].numerator) return false;
    return true;
}

/* Forms of many random numbers take much room: it is given back, with all that was made in it. */
static qkv__verdict compare_apart(qkv__situation *s, const qkv__node *node)
{
    qkv__model *model = s->model;
    qkv__ratio sizes[QKV__FAMILIES];
    size_t sets = model->set_count;
    for (size_t i = 0; i < sets; i++) sizes[i] = model->sets[i]->size;
    qkv__memory memory = qkv__situation_remember(s);
    qkv__arena_place place = qkv__arena_here(&model->algebra.arena);
    qkv__verdict verdict = compare_or_bound(s, node);
    qkv__situation_forget(s, &memory);
    if (are_sets_kept(model, sets, sizes)) qkv__arena_return(&model->algebra.arena, place);
    return verdict;
}

qkv__verdict qkv__compare_chance(qkv__situation *s, const qkv__node *node)
{
    return qkv__chance_is_conditioned(s)
               ? qkv__situation_undecided(s, "a condition on random numbers that changes their law")
               : compare_apart(s, node);
}

bool qkv__chance_evaluate(qkv__situation *s, const qkv__node *node, qkv__likely *result)
{
    return evaluate(s, node, result);
}
