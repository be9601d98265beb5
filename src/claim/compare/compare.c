/* Comparisons to verdicts: limits by leading terms, equality by normal forms, order by signs; the
 * exact engine first, then the ball. Knows values and signs; nothing of how propositions are put
 * together, nor of other engines. */
#include "claim/compare/compare.h"

#include <assert.h>
#include <string.h>

#include "ball/sign.h"
#include "claim/compare/counterexample.h"
#include "claim/compare/limit_compare.h"
#include "claim/compare/tell.h"
#include "claim/model/evaluate.h"
#include "claim/model/listed.h"
#include "claim/model/random_parameters.h"
#include "claim/premise/assume.h"
#include "claim/premise/embed.h"
#include "claim/premise/gap.h"
#include "claim/premise/possible.h"
#include "exact/sign.h"
#include "language/tree.h"

/* ---- Equality and order -------------------------------------------------------------- */

/* A point where the sign is proved, and that can be had. */
static const qkv__point *real_point(qkv__situation *s, qkv__ratio ratio,
                                    const qkv__sign_result *result, bool positive, bool negative)
{
    if (positive && result->has_positive && qkv__situation_admits(s, ratio, &result->positive))
        return &result->positive;
    if (negative && result->has_negative && qkv__situation_admits(s, ratio, &result->negative))
        return &result->negative;
    return NULL;
}

static qkv__verdict decide_equal(qkv__situation *s, const qkv__value *x, const qkv__value *y,
                                 const qkv__gap *gaps, size_t count)
{
    bool all = true;
    for (size_t i = 0; i < count; i++) all = all && qkv__ratio_is_zero(gaps[i].difference);
    qkv__situation_begin_found(s);
    qkv__tell_value(s, x, &s->finding->found);
    if (all) {
        qkv__situation_say(s, "Both sides are the same expression.");
        return qkv__situation_conclude(s, QKV__PROVED, "exact");
    }
    qkv__ratio square;
    if (qkv__gaps_square(s, gaps, count, &square) && qkv__ratio_is_zero(square)) {
        qkv__situation_say(s, "Their distance is 0, by the given inner products.");
        return qkv__situation_conclude(s, QKV__PROVED, "exact");
    }
    for (size_t i = 0; i < count && qkv__gaps_are_refutable(s, gaps, count); i++) {
        qkv__sign_result result;
        if (!qkv__sign_over_box(s, gaps[i].difference, &result)) continue;
        const qkv__point *point = real_point(s, gaps[i].difference, &result, true, true);
        if (point == NULL) continue;
        qkv__counterexample(s, gaps[i].difference, point, x, y, gaps[i].symbol);
        return qkv__situation_conclude(s, QKV__REFUTED, "ball");
    }
    return qkv__situation_undecided(
        s, "the normal forms differ, but no point was found where the values differ");
}

/* A point where the difference is 0, and that can be had; NULL where none is known. */
static const qkv__point *zero_point(qkv__situation *s, qkv__ratio difference,
                                    const qkv__sign_result *result)
{
    bool good = result->has_zero_point && qkv__situation_admits(s, difference, &result->zero) &&
                !qkv__random_touches(s->model, difference); /* a point has no probability */
    return good ? &result->zero : NULL;
}

static bool is_never_zero(qkv__situation *s, qkv__ratio ratio)
{
    qkv__sign_result result;
    qkv__sign sign = qkv__ratio_sign(&s->model->algebra, ratio);
    if (sign != QKV__SIGN_POSITIVE && sign != QKV__SIGN_NEGATIVE &&
        qkv__sign_over_box(s, ratio, &result))
        sign = result.sign;
    return sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NEGATIVE;
}

/* x != y: of numbers a sign, of vectors some component that never vanishes. */
static qkv__verdict decide_unequal(qkv__situation *s, const qkv__value *x, const qkv__value *y,
                                   const qkv__gap *gaps, size_t count)
{
    bool all = true;
    qkv__situation_begin_found(s);
    qkv__tell_value(s, x, &s->finding->found);
    for (size_t i = 0; i < count; i++) {
        if (qkv__gaps_are_independent(s, gaps, count) && is_never_zero(s, gaps[i].difference)) {
            qkv__situation_say(s, "The difference is never 0.");
            return qkv__situation_conclude(s, QKV__PROVED, "ball");
        }
        all = all && qkv__ratio_is_zero(gaps[i].difference);
    }
    if (all && !s->weakened) {
        qkv__situation_say(s, "Both sides are the same expression.");
        return qkv__situation_conclude(s, QKV__REFUTED, "exact");
    }
    qkv__sign_result result;
    const qkv__point *point = NULL;
    if (count == 1 && gaps[0].symbol.family == NULL &&
        qkv__sign_over_box(s, gaps[0].difference, &result))
        point = zero_point(s, gaps[0].difference, &result);
    if (point == NULL)
        return qkv__situation_undecided(s,
                                        "it could not be decided whether the sides are ever equal");
    qkv__counterexample(s, gaps[0].difference, point, x, y, (qkv__symbol){NULL, 0});
    return qkv__situation_conclude(s, QKV__REFUTED, "ball");
}

/* A witness that contradicts the comparison; for a strict one the sides may also be equal. */
static const qkv__point *contradiction(qkv__situation *s, qkv__ratio difference,
                                       const qkv__sign_result *result, qkv__comparison comparison)
{
    bool strict = comparison == QKV__GREATER || comparison == QKV__LESS;
    bool wants_positive = comparison == QKV__GREATER || comparison == QKV__GREATER_OR_EQUAL;
    bool wants_negative = comparison == QKV__LESS || comparison == QKV__LESS_OR_EQUAL;
    const qkv__point *point = real_point(s, difference, result, wants_negative, wants_positive);
    return point != NULL || !strict ? point : zero_point(s, difference, result);
}

/* A sign that holds for all parameters refutes if there is anything it holds for. */
static bool is_refuted_by_sign(qkv__situation *s, qkv__ratio difference,
                               const qkv__sign_result *result, qkv__verdict verdict)
{
    if (verdict != QKV__REFUTED) return false;
    if (real_point(s, difference, result, true, true) != NULL) return true;
    qkv__rational number;
    return qkv__ratio_is_constant(difference, &number) && !s->weakened &&
           s->substitution_count == 0;
}

/* Whether a ratio is one number, whatever the parameters are. */
static bool is_number(qkv__algebra *algebra, qkv__ratio ratio, qkv__rational *number)
{
    if (qkv__ratio_is_lost(ratio)) return false;
    *number = qkv__rational_whole(0);
    if (qkv__form_is_zero(ratio.numerator)) return true;
    *number = qkv__rational_divide(ratio.numerator->term[0].coefficient,
                                   ratio.denominator->term[0].coefficient);
    return qkv__form_equal(ratio.numerator, qkv__form_scale(algebra, ratio.denominator, *number));
}

/* +1 or -1 where one ratio is a positive or negative multiple of another, as far as signs go: their
 * numerators are multiples of each other, and their denominators have signs; 0: not so. */
static int relative_sign(qkv__algebra *algebra, qkv__ratio x, qkv__ratio y)
{
    qkv__rational factor;
    int sign = 1;
    if (qkv__ratio_is_lost(x) || qkv__ratio_is_lost(y) || qkv__form_is_zero(y.numerator)) return 0;
    if (!is_number(algebra, (qkv__ratio){x.numerator, y.numerator}, &factor)) return 0;
    const qkv__form *below[] = {x.denominator, y.denominator};
    for (int i = 0; i < 2; i++) {
        qkv__sign known = qkv__form_sign(algebra, below[i]);
        if (known == QKV__SIGN_NEGATIVE) sign = -sign;
        if (known != QKV__SIGN_POSITIVE && known != QKV__SIGN_NEGATIVE) return 0;
    }
    return sign * qkv__rational_sign(factor);
}

/* Whether a premise that was left out says it, or more: the difference exceeds one that is known by
 * a number that is not negative, or has its sign. */
static bool is_said(qkv__situation *s, qkv__ratio difference, qkv__comparison comparison)
{
    qkv__algebra *algebra = &s->model->algebra;
    bool less = comparison == QKV__LESS || comparison == QKV__LESS_OR_EQUAL;
    bool strict = comparison == QKV__LESS || comparison == QKV__GREATER;
    if (less) difference = qkv__ratio_subtract(algebra, qkv__ratio_whole(algebra, 0), difference);
    for (size_t i = 0; i < s->left_out_count; i++) {
        qkv__rational more;
        qkv__ratio known = qkv__situation_apply(s, s->left_out[i].difference);
        if (relative_sign(algebra, difference, known) > 0 && (s->left_out[i].strict || !strict))
            return true;
        if (!is_number(algebra, qkv__ratio_subtract(algebra, difference, known), &more)) continue;
        int sign = qkv__rational_sign(more);
        if (sign > 0 || (sign == 0 && (s->left_out[i].strict || !strict))) return true;
    }
    return false;
}

/* Whether no vectors have the inner products with which the comparison would fail. */
static bool is_proved_by_contradiction(qkv__situation *s, qkv__ratio difference,
                                       qkv__comparison comparison)
{
    static const qkv__comparison opposites[] = {[QKV__LESS] = QKV__GREATER_OR_EQUAL,
                                                [QKV__LESS_OR_EQUAL] = QKV__GREATER,
                                                [QKV__GREATER] = QKV__LESS_OR_EQUAL,
                                                [QKV__GREATER_OR_EQUAL] = QKV__LESS};
    if (comparison < QKV__LESS || comparison > QKV__GREATER_OR_EQUAL) return false;
    if (s->model->space.given == NULL && s->model->space.unknown == NULL) return false;
    qkv__scope scope = qkv__situation_open(s);
    qkv__premise taken = qkv__situation_assume_sign(s, difference, opposites[comparison]);
    bool never = taken == QKV__PREMISE_NEVER ||
                 (taken == QKV__PREMISE_TAKEN && qkv__situation_is_impossible(s));
    qkv__situation_close(s, &scope);
    return never;
}

static bool has_exponential(const qkv__form *form)
{
    for (size_t i = 0; i < form->count; i++)
        if (form->term[i].exponent != NULL) return true;
    return false;
}

enum { SHORT = 80 }; /* characters of a difference that a reader can take in */

/* Why it holds: what is compared with 0 is made of exponentials; else what the difference is. */
static void say_sign(qkv__situation *s, const qkv__value *y, qkv__ratio difference,
                     qkv__comparison comparison)
{
    qkv__ratio plain;
    const bool zero = qkv__value_as_ratio(y, &plain) && qkv__ratio_is_zero(plain);
    if (qkv__ratio_is_zero(difference)) {
        qkv__situation_say(s, "Both sides are the same expression.");
        return;
    }
    if (zero &&
        (has_exponential(difference.numerator) || has_exponential(difference.denominator))) {
        qkv__situation_say(s, "Exponentials are positive.");
        return;
    }
    static const char *const signs[] = {[QKV__LESS] = "negative",
                                        [QKV__LESS_OR_EQUAL] = "never positive",
                                        [QKV__GREATER] = "positive",
                                        [QKV__GREATER_OR_EQUAL] = "never negative"};
    qkv__text text = {0}, reason = {0};
    const bool known = comparison >= QKV__LESS && comparison <= QKV__GREATER_OR_EQUAL && !zero &&
                       s->substitution_count == 0; /* a slack says nothing to a reader */
    if (known) qkv__ratio_write(&s->model->algebra, difference, &text);
    if (known && !text.failed && text.length <= SHORT && strchr(text.data, '?') == NULL)
        qkv__text_format(&reason, "The difference, %s, is %s.", text.data, signs[comparison]);
    qkv__situation_say(s, reason.length > 0 && !reason.failed
                              ? reason.data
                              : "The difference keeps this sign for all allowed parameters.");
    qkv__text_free(&text);
    qkv__text_free(&reason);
}

/* Whether some letter is in it: else it is one number. */
static bool has_letter(const qkv__situation *s, qkv__ratio ratio)
{
    const qkv__algebra *algebra = &s->model->algebra;
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (algebra->parameter[p].prime == 0 && qkv__ratio_depends_on(ratio, p)) return true;
    return false;
}

static qkv__verdict decide_order(qkv__situation *s, const qkv__value *x, const qkv__value *y,
                                 qkv__ratio difference, qkv__comparison comparison)
{
    qkv__sign_result result;
    qkv__verdict verdict =
        qkv__judge_sign(qkv__ratio_sign(&s->model->algebra, difference), comparison);
    qkv__situation_begin_found(s);
    qkv__tell_value(s, x, &s->finding->found);
    if (verdict == QKV__PROVED) {
        say_sign(s, y, difference, comparison);
        return qkv__situation_conclude(s, verdict, "exact");
    }
    if (is_said(s, difference, comparison)) {
        qkv__situation_say(s, "A premise says so.");
        return qkv__situation_conclude(s, QKV__PROVED, "exact");
    }
    if (is_proved_by_contradiction(s, difference, comparison)) {
        qkv__situation_say(s, "It fails only for inner products that no vectors have.");
        return qkv__situation_conclude(s, QKV__PROVED, "exact");
    }
    if (!qkv__sign_over_box(s, difference, &result))
        return qkv__situation_undecided(s, "the conditions exclude each other");
    const qkv__point *point = contradiction(s, difference, &result, comparison);
    if (is_refuted_by_sign(s, difference, &result, verdict)) {
        if (point != NULL) qkv__counterexample(s, difference, point, x, y, (qkv__symbol){NULL, 0});
        if (point == NULL || has_letter(s, difference))
            qkv__situation_say(s,
                               "The difference has the opposite sign for all allowed parameters.");
        s->finding->uniform = true;
        return qkv__situation_conclude(s, verdict, "exact");
    }
    if (point != NULL) {
        qkv__counterexample(s, difference, point, x, y, (qkv__symbol){NULL, 0});
        return qkv__situation_conclude(s, QKV__REFUTED, "ball");
    }
    verdict = qkv__judge_sign(result.sign, comparison);
    if (verdict == QKV__REFUTED && !is_refuted_by_sign(s, difference, &result, verdict))
        verdict = QKV__UNDECIDED;
    if (verdict == QKV__UNDECIDED)
        return qkv__situation_undecided(s, "the sign of the difference could not be enclosed");
    qkv__situation_say(s, "Proved over the whole range.");
    return qkv__situation_conclude(s, verdict, "ball");
}

/* ---- Comparisons --------------------------------------------------------------------- */

/* Whether vectors differ by a vector of which nothing is known, times a number that is not 0: such
 * a difference has no bound. Premises could bound it. */
static bool is_unbounded(qkv__situation *s, const qkv__value *x, const qkv__value *y)
{
    qkv__gap gaps[QKV__GAPS];
    size_t count;
    if (s->substitution_count > 0 || s->weakened || !qkv__gaps_between(s, x, y, gaps, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        qkv__ratio length;
        qkv__nullity nullity = qkv__nullity_of(s, gaps[i].difference);
        bool free = gaps[i].symbol.family != NULL && gaps[i].symbol.member != QKV__GENERIC &&
                    gaps[i].symbol.family->gram == QKV__GRAM_UNKNOWN &&
                    !qkv__space_asked(&s->model->space, gaps[i].symbol, gaps[i].symbol) &&
                    !qkv__symbol_product(&s->model->space, gaps[i].symbol, gaps[i].symbol, &length);
        if (free && (nullity == QKV__NULLITY_NEVER || nullity == QKV__NULLITY_SOMEWHERE_OTHER))
            return true;
    }
    return false;
}

/* x ~ y within t: -t <= x - y <= t for a number; |x - y| <= t for vectors whose norms are known. */
static qkv__verdict decide_within(qkv__situation *s, const qkv__value *x, const qkv__value *y)
{
    qkv__algebra *algebra = &s->model->algebra;
    qkv__value difference, size;
    qkv__failure failure = {0};
    qkv__value tolerance = qkv__value_scalar(&s->model->space, s->tolerance);
    qkv__ratio ratio;
    if (!qkv__value_add(&s->model->space, x, y, true, &difference, &failure))
        return qkv__situation_failed(s, &failure, NULL);
    if (qkv__value_as_ratio(&difference, &ratio)) {
        ratio = qkv__situation_apply(s, ratio);
        qkv__verdict above = decide_order(
            s, x, y, qkv__ratio_subtract(algebra, ratio, s->tolerance), QKV__LESS_OR_EQUAL);
        if (above == QKV__REFUTED) return above;
        qkv__finding_free(s->finding); /* the same is found once more */
        return qkv__verdict_both(above,
                                 decide_order(s, x, y, qkv__ratio_add(algebra, ratio, s->tolerance),
                                              QKV__GREATER_OR_EQUAL));
    }
    if (is_unbounded(s, x, y)) {
        qkv__situation_say(s, "The values are arbitrary and may be as far apart as desired.");
        return qkv__situation_conclude(s, QKV__REFUTED, "exact");
    }
    if (!qkv__value_size(&s->model->space, &difference, &size, &failure))
        return qkv__situation_failed(s, &failure, NULL);
    if (!qkv__surd_difference(s, size.scalar, tolerance.scalar, &ratio))
        return qkv__situation_undecided(s, "a norm of unknown sign");
    return decide_order(s, x, y, qkv__situation_apply(s, ratio), QKV__LESS_OR_EQUAL);
}

/* not (x ~ y within t), and x != y within t: |x - y| > t. */
static qkv__verdict decide_beyond(qkv__situation *s, const qkv__value *x, const qkv__value *y)
{
    assert(x->kind == QKV__VALUE_SCALAR && y->kind == QKV__VALUE_SCALAR);
    qkv__value difference, size;
    qkv__failure failure = {0};
    qkv__value tolerance = qkv__value_scalar(&s->model->space, s->tolerance);
    qkv__ratio ratio;
    if (!qkv__value_add(&s->model->space, x, y, true, &difference, &failure) ||
        !qkv__value_size(&s->model->space, &difference, &size, &failure))
        return qkv__situation_failed(s, &failure, NULL);
    if (!qkv__surd_difference(s, size.scalar, tolerance.scalar, &ratio))
        return qkv__situation_undecided(s, "a norm of unknown sign");
    return decide_order(s, x, y, qkv__situation_apply(s, ratio), QKV__GREATER);
}

/* x <= y for a norm y and a number x of unknown sign: x^2 <= y^2 proves it, since x <= |x|; a point
 * where x^2 > y^2 refutes it if x is positive there. */
static qkv__verdict decide_below_norm(qkv__situation *s, const qkv__node *node, const qkv__value *x,
                                      const qkv__value *y, qkv__comparison comparison)
{
    assert(x->kind == QKV__VALUE_SCALAR && y->kind == QKV__VALUE_SCALAR);
    qkv__algebra *algebra = &s->model->algebra;
    qkv__surd number = qkv__surd_resolve(s, x->scalar), norm = qkv__surd_resolve(s, y->scalar);
    if ((comparison != QKV__LESS && comparison != QKV__LESS_OR_EQUAL) ||
        !qkv__surd_is_plain(number) || !qkv__is_not_negative(s, norm.factor) || s->limit_count > 0)
        return qkv__incomparable(s, node, x, y);
    qkv__ratio square =
        qkv__ratio_multiply(algebra, qkv__ratio_power(algebra, norm.factor, 2), norm.radicand);
    qkv__ratio difference =
        qkv__ratio_subtract(algebra, qkv__ratio_power(algebra, number.factor, 2), square);
    qkv__scope scope = qkv__situation_open(s);
    s->weakened = true;
    qkv__verdict verdict = decide_order(s, x, y, difference, comparison);
    qkv__situation_close(s, &scope);
    if (verdict == QKV__PROVED) return verdict;
    qkv__finding_free(s->finding);
    /* 0 < |x| is not plain where |x| may be 0. */
    qkv__comparison open = comparison == QKV__LESS ? QKV__GREATER_OR_EQUAL : QKV__GREATER;
    if (qkv__situation_assume_sign(s, number.factor, open) != QKV__PREMISE_TAKEN)
        return qkv__situation_undecided(s, "a number of unknown sign against a norm");
    verdict = decide_order(s, x, y, qkv__situation_apply(s, difference), comparison);
    if (verdict != QKV__REFUTED) return verdict;
    qkv__finding_free(s->finding); /* what it said is of this case alone */
    s->finding->uniform = false;
    qkv__situation_say(s, comparison == QKV__LESS ? "It fails where the number is not negative."
                                                  : "It fails where the number is positive.");
    return qkv__situation_conclude(s, QKV__REFUTED, "exact");
}

static qkv__verdict decide_embedded(qkv__situation *s, const qkv__node *node, qkv__value x,
                                    qkv__value y)
{
    assert(node->kind == QKV__NODE_COMPARE);
    qkv__gap gaps[QKV__GAPS + 1];
    size_t count;
    bool near = node->comparison == QKV__NEAR, equal = node->comparison == QKV__EQUAL;
    qkv__ratio left, right;
    if (x.kind != QKV__VALUE_SCALAR || y.kind != QKV__VALUE_SCALAR) {
        qkv__match_kinds(s, &x, &y);
        qkv__match_kinds(s, &y, &x);
    }
    bool order = node->comparison >= QKV__LESS && node->comparison <= QKV__GREATER_OR_EQUAL;
    if (order && qkv__value_as_number(&x, &left) && qkv__value_as_number(&y, &right)) {
        x = qkv__value_scalar(&s->model->space, left);
        y = qkv__value_scalar(&s->model->space, right);
    }
    bool unequal = node->comparison == QKV__NOT_EQUAL;
    if (s->limit_count > 0 && s->has_tolerance && (near || equal || unequal))
        return qkv__situation_undecided(s,
                                        "a limit and a tolerance at once: leave one of them out");
    if (s->limit_count > 0 && unequal) return qkv__compare_not_near(s, node);
    if ((near || equal) && s->has_tolerance) return decide_within(s, &x, &y);
    if (unequal && s->has_tolerance) return decide_beyond(s, &x, &y);
    if (near && s->limit_count == 0)
        return qkv__situation_ill_posed(s, node,
                                        "'~' needs 'as beta -> inf' or 'within' a tolerance");
    /* What is drawn has no coordinates to choose. */
    if (s->model->chance_count == 0 && s->model->scale_count == 0) qkv__situation_embed(s, &x, &y);
    if (!qkv__gaps_between(s, &x, &y, gaps, &count)) {
        if (x.kind != QKV__VALUE_SCALAR || y.kind != QKV__VALUE_SCALAR || equal || near)
            return qkv__incomparable(s, node, &x, &y);
        bool mirror = node->comparison == QKV__GREATER || node->comparison == QKV__GREATER_OR_EQUAL;
        return decide_below_norm(s, node, mirror ? &y : &x, mirror ? &x : &y,
                                 mirror ? qkv__comparison_mirror(node->comparison)
                                        : node->comparison);
    }
    if (near || (s->limit_count > 0 && equal)) return qkv__decide_limit(s, &x, gaps, count);
    if (equal) return decide_equal(s, &x, &y, gaps, count);
    if (unequal) return decide_unequal(s, &x, &y, gaps, count);
    if (count != 1 || x.kind != QKV__VALUE_SCALAR)
        return qkv__situation_ill_posed(s, node, "only numbers can be ordered");
    if (s->limit_count > 0)
        return qkv__decide_eventual_order(s, &x, gaps[0].difference, node->comparison);
    return decide_order(s, &x, &y, gaps[0].difference, node->comparison);
}

qkv__verdict qkv__compare_values(qkv__situation *s, const qkv__node *node, qkv__value x,
                                 qkv__value y)
{
    qkv__scope scope = qkv__situation_open(s);
    qkv__verdict verdict = decide_embedded(s, node, x, y);
    qkv__situation_close(s, &scope);
    return verdict;
}

qkv__verdict qkv__compare_interval(qkv__situation *s, const qkv__node *node)
{
    const qkv__node *range = node->child[1];
    qkv__comparison comparisons[] = {QKV__GREATER_OR_EQUAL, QKV__LESS_OR_EQUAL};
    qkv__verdict verdict = QKV__PROVED;
    for (int i = 0; i < 2; i++) {
        const qkv__node *children[] = {node->child[0], range->child[i]};
        qkv__node part = *node;
        part.comparison = comparisons[i];
        part.child = children;
        qkv__value x, y;
        qkv__failure failure = {0};
        const qkv__node *culprit;
        if (!qkv__model_evaluate(s->model, children[0], s->locals, &x, &failure, &culprit) ||
            !qkv__model_evaluate(s->model, children[1], s->locals, &y, &failure, &culprit))
            return qkv__situation_failed(s, &failure, culprit);
        verdict = qkv__verdict_both(verdict, qkv__compare_values(s, &part, x, y));
        if (verdict == QKV__REFUTED) return verdict;
    }
    return verdict;
}
