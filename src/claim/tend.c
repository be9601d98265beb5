/* Limits: x ~ y, not x ~ y and x <= y as parameters grow or tend to a number. Leading terms decide;
 * under a premise the limit must hold evenly, whatever the slack. */
#include "claim/chance.h"
#include "claim/compare.h"
#include "claim/random.h"
#include "exact/limit.h"
#include "exact/sign.h"

/* ---- Limits -------------------------------------------------------------------------- */

/* The limit as one parameter tends to a number where the ratio is continuous. */
static qkv__limit limit_at_point(qkv__algebra *algebra, qkv__ratio ratio, qkv__passage passage)
{
    qkv__limit limit = {QKV__LIMIT_UNKNOWN, ratio};
    qkv__ratio value = qkv__ratio_substitute(algebra, ratio, passage.parameter,
                                             qkv__form_constant(algebra, passage.point));
    if (qkv__ratio_is_lost(value) || qkv__form_is_zero(value.denominator)) return limit;
    qkv__sign below = qkv__form_sign(algebra, value.denominator);
    if (below != QKV__SIGN_POSITIVE && below != QKV__SIGN_NEGATIVE) return limit;
    return (qkv__limit){QKV__LIMIT_FINITE, value};
}

/* The limit in all the parameters, one after the other. */
qkv__limit qkv__limit_of(qkv__situation *s, qkv__ratio ratio)
{
    qkv__limit limit = {QKV__LIMIT_FINITE, ratio};
    for (size_t i = 0; i < s->limit_count && limit.kind == QKV__LIMIT_FINITE; i++)
        limit = s->limit[i].infinite
                    ? qkv__ratio_limit(&s->model->algebra, limit.value, s->limit[i].parameter)
                    : limit_at_point(&s->model->algebra, limit.value, s->limit[i]);
    return limit;
}

qkv__nullity qkv__nullity_of(qkv__situation *s, qkv__ratio ratio)
{
    if (qkv__ratio_is_zero(ratio)) return QKV__NULLITY_ZERO;
    qkv__sign_result result;
    qkv__sign sign = qkv__ratio_sign(&s->model->algebra, ratio);
    if (!qkv__sign_over_box(s, ratio, &result)) return QKV__NULLITY_OPEN;
    bool never = sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NEGATIVE ||
                 result.sign == QKV__SIGN_POSITIVE || result.sign == QKV__SIGN_NEGATIVE;
    bool positive = result.has_positive && qkv__situation_admits(s, ratio, &result.positive);
    bool negative = result.has_negative && qkv__situation_admits(s, ratio, &result.negative);
    if (!positive && !negative) return QKV__NULLITY_OPEN;
    return never ? QKV__NULLITY_NEVER : QKV__NULLITY_SOMEWHERE_OTHER;
}

/* The factor of a parameter in an exponent; false where it is anything but linear. */
static bool exponent_slope(qkv__algebra *algebra, const qkv__term *term, int parameter,
                           qkv__rational *slope)
{
    *slope = qkv__rational_whole(0);
    if (term->power[parameter] != 0) return false;
    if (term->exponent == NULL || !qkv__form_depends_on(term->exponent, parameter)) return true;
    const qkv__form *zero = qkv__form_whole(algebra, 0), *one = qkv__form_whole(algebra, 1);
    const qkv__form *rest = qkv__form_substitute(algebra, term->exponent, parameter, zero);
    const qkv__form *step = qkv__form_subtract(
        algebra, qkv__form_substitute(algebra, term->exponent, parameter, one), rest);
    const qkv__form *line =
        step == NULL ? NULL
                     : qkv__form_add(algebra, rest,
                                     qkv__form_multiply(algebra, step,
                                                        qkv__form_parameter(algebra, parameter)));
    return qkv__form_is_constant(step, slope) && qkv__form_equal(term->exponent, line);
}

/* Whether every exponential of a slack is at its largest in the leading part of a denominator of
 * positive terms: then nothing grows as the slack does. */
static bool is_even_in(qkv__situation *s, qkv__ratio ratio, int slack)
{
    qkv__algebra *algebra = &s->model->algebra;
    const qkv__form *parts[] = {ratio.numerator, ratio.denominator};
    qkv__leading leading;
    qkv__rational slope, most = qkv__rational_whole(-1000000);
    bool reached = false;
    for (int i = 0; i < 2; i++)
        for (size_t t = 0; t < parts[i]->count; t++) {
            if (!exponent_slope(algebra, &parts[i]->term[t], slack, &slope)) return false;
            if (qkv__rational_compare(slope, most) > 0) most = slope;
        }
    if (qkv__form_sign(algebra, ratio.denominator) != QKV__SIGN_POSITIVE ||
        !qkv__form_leading(algebra, ratio.denominator, s->limit[0].parameter, &leading))
        return false;
    for (size_t t = 0; t < leading.coefficient->count; t++) {
        const qkv__form *term = qkv__form_term(algebra, &leading.coefficient->term[t]);
        if (qkv__form_sign(algebra, term) != QKV__SIGN_POSITIVE) return false;
        if (!exponent_slope(algebra, &leading.coefficient->term[t], slack, &slope)) return false;
        reached = reached || qkv__rational_compare(slope, most) == 0;
    }
    return reached;
}

/* Whether a premise ties inner products, or plain parameters, to one that a limit is taken of. */
static bool is_coupled(const qkv__situation *s, bool products)
{
    for (size_t i = 0; i < s->substitution_count; i++)
        for (size_t l = 0; l < s->limit_count; l++) {
            bool product = false;
            for (const qkv__unknown_product *u = s->model->space.unknown; u != NULL; u = u->next)
                product = product || u->parameter == s->substitution[i].parameter;
            for (const qkv__spread *b = s->model->space.spreads; b != NULL; b = b->next)
                product = product || b->parameter == s->substitution[i].parameter;
            if (product == products && !s->substitution[i].embedded &&
                qkv__form_depends_on(s->substitution[i].form, s->limit[l].parameter))
                return true;
        }
    return false;
}

static bool takes_limit_in(const qkv__situation *s, qkv__ratio ratio)
{
    for (size_t l = 0; l < s->limit_count; l++)
        if (qkv__ratio_depends_on(ratio, s->limit[l].parameter)) return true;
    return false;
}

/* Whether a parameter makes a difference to a ratio, and does not just divide out. */
static bool matters(qkv__situation *s, qkv__ratio ratio, int parameter)
{
    qkv__algebra *algebra = &s->model->algebra;
    if (!qkv__ratio_depends_on(ratio, parameter)) return false;
    qkv__ratio without =
        qkv__ratio_substitute(algebra, ratio, parameter, qkv__form_whole(algebra, 0));
    return !qkv__ratio_equal(algebra, ratio, without);
}

/*
 * Whether a limit holds fixed what a ratio depends on. It does not hold fixed the scores of keys
 * that stand for many when these depend on its parameter, or when there come to be more of them;
 * nor the inner products of a vector that a premise makes follow the parameter.
 */
static bool holds_rest_fixed(qkv__situation *s, qkv__ratio difference)
{
    qkv__algebra *algebra = &s->model->algebra;
    for (const qkv__spread *spread = s->model->space.spreads; spread != NULL;
         spread = spread->next) {
        if (!matters(s, difference, spread->parameter)) continue;
        if (takes_limit_in(s, spread->score) || is_coupled(s, true)) return false;
        for (size_t i = 0; i < s->model->set_count; i++)
            if (takes_limit_in(s, qkv__rest_size(algebra, s->model->sets[i]))) return false;
    }
    for (const qkv__unknown_product *u = s->model->space.unknown; u != NULL; u = u->next)
        if (is_coupled(s, true) && matters(s, difference, u->parameter)) return false;
    return true;
}

/* Vectors that shrink to nothing as a parameter tends to a number: coefficients tell nothing then.
 */
static bool is_shrinking(const qkv__situation *s, const qkv__gap *gap)
{
    for (size_t l = 0; l < s->limit_count; l++)
        if (!s->limit[l].infinite && gap->symbol.family != NULL &&
            gap->symbol.family->gram != QKV__GRAM_UNKNOWN &&
            qkv__ratio_depends_on(gap->symbol.family->same, s->limit[l].parameter))
            return true;
    return false;
}

/* A sum over ever more vectors may tend to anything, whatever its coefficient does. */
static bool is_growing_sum(qkv__situation *s, const qkv__gap *gap)
{
    return gap->symbol.family != NULL && gap->symbol.member < 0 &&
           gap->symbol.family->set != NULL && !qkv__ratio_is_zero(gap->difference) &&
           takes_limit_in(s, gap->symbol.family->set->size);
}

/* A limit under a premise must not depend on by how much the premise is more than met: the slack
 * may grow together with the parameter. */
static bool tends_evenly(qkv__situation *s, qkv__ratio difference)
{
    for (int p = 0; p < (int)s->model->algebra.parameter_count; p++)
        if (qkv__parameter_set_has(s->slacks, p) && qkv__ratio_depends_on(difference, p) &&
            (s->limit_count != 1 || !s->limit[0].infinite || !is_even_in(s, difference, p)))
            return false;
    return true;
}

/* What the limits of all components being 0 comes to: the claim x ~ y. */
qkv__nullity qkv__limits_vanish(qkv__situation *s, const qkv__gap *gaps, size_t count)
{
    qkv__nullity all = QKV__NULLITY_ZERO;
    if (s->weakened) return QKV__NULLITY_OPEN; /* a premise left out may tie things to the limit */
    for (size_t i = 0; i < count; i++) {
        if (is_shrinking(s, &gaps[i]) || is_growing_sum(s, &gaps[i]) ||
            !holds_rest_fixed(s, gaps[i].difference))
            return QKV__NULLITY_OPEN;
        qkv__limit limit = qkv__limit_of(s, gaps[i].difference);
        qkv__nullity one = limit.kind == QKV__LIMIT_UNKNOWN  ? QKV__NULLITY_OPEN
                           : limit.kind == QKV__LIMIT_FINITE ? qkv__nullity_of(s, limit.value)
                           : s->weakened || !qkv__situation_is_free(s) ? QKV__NULLITY_OPEN
                                                                       : QKV__NULLITY_NEVER;
        if (one == QKV__NULLITY_ZERO && !tends_evenly(s, gaps[i].difference))
            one = QKV__NULLITY_OPEN;
        if (one != QKV__NULLITY_ZERO && is_coupled(s, false)) one = QKV__NULLITY_OPEN;
        if (one == QKV__NULLITY_NEVER || all == QKV__NULLITY_NEVER)
            all = QKV__NULLITY_NEVER;
        else if (one == QKV__NULLITY_SOMEWHERE_OTHER || all == QKV__NULLITY_SOMEWHERE_OTHER)
            all = QKV__NULLITY_SOMEWHERE_OTHER;
        else if (one == QKV__NULLITY_OPEN)
            all = QKV__NULLITY_OPEN;
    }
    return all;
}

qkv__verdict qkv__decide_limit(qkv__situation *s, const qkv__value *x, const qkv__gap *gaps,
                               size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (qkv__random_touches(s->model, gaps[i].difference))
            return qkv__decide_random_limit(s, x, gaps, count);
    qkv__nullity all = qkv__limits_vanish(s, gaps, count);
    qkv__situation_begin_found(s);
    qkv__tell_limit_of(s, x);
    if (all == QKV__NULLITY_OPEN)
        return qkv__situation_undecided(s, "which term grows fastest depends on what is not known");
    qkv__explain_limit(s, x, all == QKV__NULLITY_ZERO);
    s->finding->uniform = all == QKV__NULLITY_NEVER && qkv__gaps_are_independent(s, gaps, count);
    return qkv__situation_conclude(s, all == QKV__NULLITY_ZERO ? QKV__PROVED : QKV__REFUTED,
                                   "exact");
}

/* x <= y as beta -> inf: from some beta on, by the limit of the difference. */
qkv__verdict qkv__decide_eventual_order(qkv__situation *s, const qkv__value *x,
                                        qkv__ratio difference, qkv__comparison comparison)
{
    qkv__algebra *algebra = &s->model->algebra;
    qkv__limit limit = qkv__limit_of(s, difference);
    qkv__sign sign = limit.kind == QKV__LIMIT_PLUS_INFINITY    ? QKV__SIGN_POSITIVE
                     : limit.kind == QKV__LIMIT_MINUS_INFINITY ? QKV__SIGN_NEGATIVE
                     : limit.kind == QKV__LIMIT_FINITE ? qkv__ratio_sign(algebra, limit.value)
                                                       : QKV__SIGN_UNKNOWN;
    bool strict = sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NEGATIVE;
    if (!strict && s->limit_count == 1 && s->limit[0].infinite)
        sign = qkv__ratio_eventual_sign(algebra, difference, s->limit[0].parameter);
    else if (!strict)
        sign = QKV__SIGN_UNKNOWN;
    if (s->weakened || !holds_rest_fixed(s, difference) || is_coupled(s, false))
        sign = QKV__SIGN_UNKNOWN;
    for (int p = 0; p < (int)algebra->parameter_count; p++) /* the slack may grow as well */
        if (qkv__parameter_set_has(s->slacks, p) && qkv__ratio_depends_on(difference, p))
            sign = QKV__SIGN_UNKNOWN;
    qkv__situation_begin_found(s);
    qkv__tell_limit_of(s, x);
    qkv__verdict verdict = qkv__judge_sign(sign, comparison);
    if (verdict == QKV__REFUTED && (s->weakened || !qkv__situation_is_free(s)))
        verdict = QKV__UNDECIDED;
    if (verdict == QKV__UNDECIDED)
        return qkv__situation_undecided(s, "the limit alone does not decide the inequality");
    qkv__situation_say(s, "The difference has a sign from somewhere on.");
    return qkv__situation_conclude(s, verdict, "exact");
}

/* not (x ~ y): the limit, if there is one, is always another. */
qkv__verdict qkv__compare_not_near(qkv__situation *s, const qkv__node *node)
{
    qkv__gap gaps[QKV__GAPS + 1];
    size_t count;
    qkv__value x, y;
    qkv__failure failure = {0};
    const qkv__node *culprit = node;
    if (s->limit_count == 0 && !s->has_tolerance)
        return qkv__situation_undecided(s, "'not ~' is decided in a limit or within a tolerance");
    if (!qkv__model_evaluate(s->model, node->child[0], s->locals, &x, &failure, &culprit) ||
        !qkv__model_evaluate(s->model, node->child[1], s->locals, &y, &failure, &culprit))
        return qkv__situation_failed(s, &failure, culprit);
    if (s->has_tolerance) {
        qkv__node apart = *node;
        apart.comparison = QKV__NOT_EQUAL;
        return qkv__compare_values(s, &apart, x, y);
    }
    qkv__match_kinds(s, &x, &y);
    qkv__match_kinds(s, &y, &x);
    if (!qkv__gaps_between(s, &x, &y, gaps, &count)) return qkv__incomparable(s, node, &x, &y);
    qkv__nullity all = qkv__limits_vanish(s, gaps, count);
    qkv__situation_begin_found(s);
    qkv__tell_limit_of(s, &x);
    if (all == QKV__NULLITY_NEVER && qkv__gaps_are_independent(s, gaps, count))
        return qkv__situation_conclude(s, QKV__PROVED, "exact");
    if (all == QKV__NULLITY_ZERO && !s->weakened)
        return qkv__situation_conclude(s, QKV__REFUTED, "exact");
    return qkv__situation_undecided(s, "whether the limit is another depends on what is not known");
}
