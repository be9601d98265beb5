/* Limits: x ~ y, not x ~ y and x <= y as parameters grow or tend to a number. Leading terms decide;
 * under a premise the limit must hold evenly, whatever the slack. */
#include "claim/compare/limit_compare.h"

#include <assert.h>
#include <string.h>

#include "claim/compare/compare.h"
#include "claim/compare/counterexample.h"
#include "claim/compare/tell.h"
#include "claim/model/evaluate.h"
#include "claim/model/random_parameters.h"
#include "claim/premise/gap.h"
#include "claim/premise/given.h"
#include "claim/premise/ties.h"
#include "exact/limit.h"
#include "exact/sign.h"

/* ---- Limits -------------------------------------------------------------------------- */

/* The limit as one parameter tends to a number where the ratio is continuous. */
static qkv__limit limit_at_point(qkv__algebra *algebra, qkv__ratio ratio, qkv__passage passage)
{
    qkv__limit limit = {QKV__LIMIT_UNKNOWN, ratio};
    qkv__ratio value = qkv__ratio_substitute(algebra, ratio, passage.parameter,
                                             qkv__form_constant(algebra, passage.point));
    /* The denominator as it was: a quotient that is 0 forgets it. */
    const qkv__form *denominator = qkv__form_substitute(
        algebra, ratio.denominator, passage.parameter, qkv__form_constant(algebra, passage.point));
    if (qkv__ratio_is_lost(value) || denominator == NULL || qkv__form_is_zero(denominator))
        return limit;
    qkv__sign below = qkv__form_sign(algebra, denominator);
    if (below != QKV__SIGN_POSITIVE && below != QKV__SIGN_NEGATIVE) return limit;
    return (qkv__limit){QKV__LIMIT_FINITE, value};
}

/* The limit in all the parameters, one after the other. */
static bool takes_limit_in(const qkv__situation *s, qkv__ratio ratio)
{
    for (size_t l = 0; l < s->limit_count; l++)
        if (qkv__ratio_depends_on(ratio, s->limit[l].parameter)) return true;
    return false;
}

/* Whether the length of a vector changes along with a limit. That of noise does with the dimension,
 * and that of its sum over keys with their number. */
bool qkv__limit_moves(qkv__situation *s, qkv__symbol symbol)
{
    qkv__ratio length;
    const bool noise = symbol.family != NULL && symbol.family->noise;
    if (symbol.member == QKV__REST) symbol.member = QKV__GENERIC; /* a sum, of such vectors */
    for (size_t l = 0; noise && l < s->limit_count; l++)
        if (s->model->algebra.parameter[s->limit[l].parameter].whole) return true;
    return symbol.family != NULL &&
           qkv__symbol_product(&s->model->space, symbol, symbol, &length) &&
           takes_limit_in(s, qkv__situation_apply(s, length));
}

/* Whether a ratio holds an inner product that is not known, with vectors whose lengths move along
 * with a limit: then it moves as well, and nobody knows how. */
static bool has_moving_product(qkv__situation *s, qkv__ratio ratio)
{
    for (const qkv__unknown_product *u = s->model->space.unknown; u != NULL; u = u->next) {
        const qkv__symbol symbols[] = {u->x, u->y};
        for (size_t i = 0; i < 2 && qkv__ratio_depends_on(ratio, u->parameter); i++)
            if (qkv__limit_moves(s, symbols[i])) return true;
    }
    for (size_t i = 0; i < s->model->chance_count; i++) {
        const qkv__chance *chance = &s->model->chance[i];
        for (size_t l = 0; l < s->limit_count; l++)
            if (s->limit[l].infinite && qkv__ratio_depends_on(ratio, chance->parameter) &&
                (qkv__ratio_depends_on(chance->variance, s->limit[l].parameter) ||
                 qkv__ratio_depends_on(chance->mean, s->limit[l].parameter)))
                return true;
    }
    return false;
}

/* Whether a ratio holds a size that something ties to the size that grows: n, m <= d. */
static bool has_moving_size(qkv__situation *s, qkv__ratio ratio)
{
    const qkv__parameter *parameter = s->model->algebra.parameter;
    for (size_t l = 0; l < s->limit_count; l++) {
        const int grows = s->limit[l].parameter;
        if (!parameter[grows].whole || !qkv__letter_is_tied(s->model, parameter[grows].name))
            continue;
        for (int p = 0; p < (int)s->model->algebra.parameter_count; p++)
            if (p != grows && parameter[p].whole && qkv__ratio_depends_on(ratio, p) &&
                qkv__letter_is_tied(s->model, parameter[p].name))
                return true;
    }
    return false;
}

qkv__limit qkv__limit_of(qkv__situation *s, qkv__ratio ratio)
{
    qkv__limit limit = {QKV__LIMIT_FINITE, ratio};
    if (has_moving_product(s, ratio) || has_moving_size(s, ratio))
        return (qkv__limit){QKV__LIMIT_UNKNOWN, ratio};
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
    assert(qkv__is_parameter(algebra, parameter));
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

/* Whether a term grows no faster than another as any slacks do, all at once. */
static bool is_outgrown(qkv__situation *s, const qkv__term *term, const qkv__term *by)
{
    qkv__algebra *algebra = &s->model->algebra;
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        qkv__rational slope, more;
        if (!qkv__parameter_set_has(s->slacks, p)) continue;
        if (!exponent_slope(algebra, term, p, &slope) || !exponent_slope(algebra, by, p, &more) ||
            qkv__rational_compare(slope, more) > 0)
            return false;
    }
    return true;
}

/* Whether all terms of a leading part are positive, and the rest is not negative: the form is no
 * less than any of these terms. */
static bool is_led(qkv__situation *s, const qkv__form *form, const qkv__leading *leading)
{
    qkv__algebra *algebra = &s->model->algebra;
    const qkv__form *rest = qkv__form_whole(algebra, 0);
    for (size_t t = 0; t < form->count; t++) {
        const qkv__form *term = qkv__form_term(algebra, &form->term[t]);
        qkv__leading own;
        if (!qkv__form_leading(algebra, term, s->limit[0].parameter, &own)) return false;
        if (own.power == leading->power && qkv__form_equal(own.growth, leading->growth)) {
            if (qkv__form_sign(algebra, term) != QKV__SIGN_POSITIVE) return false;
        } else {
            rest = qkv__form_add(algebra, rest, term);
        }
    }
    qkv__sign sign = rest == NULL ? QKV__SIGN_UNKNOWN : qkv__form_sign(algebra, rest);
    return sign == QKV__SIGN_ZERO || sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NONNEGATIVE;
}

/* Whether every term above grows with the slacks no faster than some term in the leading part
 * below: then the slacks make nothing larger. */
static bool is_even(qkv__situation *s, qkv__ratio ratio)
{
    qkv__algebra *algebra = &s->model->algebra;
    qkv__leading leading;
    if (!qkv__form_leading(algebra, ratio.denominator, s->limit[0].parameter, &leading) ||
        !is_led(s, ratio.denominator, &leading))
        return false;
    for (size_t t = 0; t < ratio.numerator->count; t++) {
        bool outgrown = false;
        for (size_t l = 0; !outgrown && l < leading.coefficient->count; l++)
            outgrown = is_outgrown(s, &ratio.numerator->term[t], &leading.coefficient->term[l]);
        if (!outgrown) return false;
    }
    return true;
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
    if (has_moving_product(s, difference) || has_moving_size(s, difference)) return false;
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

/* What a gap adds to the distance: its number, and where the length of the vector changes with the
 * limit, the square of number times length. */
static qkv__ratio part_of_distance(qkv__situation *s, const qkv__ties *ties, const qkv__gap *gap)
{
    qkv__algebra *algebra = &s->model->algebra;
    qkv__ratio length;
    qkv__symbol one = gap->symbol;
    if (one.member == QKV__REST) one.member = QKV__GENERIC; /* the sum is as short as its members */
    if (one.family == NULL || !qkv__symbol_product(&s->model->space, one, one, &length))
        return gap->difference;
    length = qkv__situation_apply(s, length);
    if (!takes_limit_in(s, length) && !qkv__ties_hold_ratio(s, ties, length))
        return gap->difference;
    return qkv__ratio_multiply(algebra, qkv__ratio_power(algebra, gap->difference, 2), length);
}

/* Whether a premise ties what a gap is made of to the limit, in a way that is not known. */
static bool is_tied(qkv__situation *s, const qkv__ties *ties, const qkv__gap *gap)
{
    return qkv__ties_hold_symbol(s, ties, gap->symbol) ||
           qkv__ties_hold_ratio(s, ties, part_of_distance(s, ties, gap));
}

/* Whether nothing but the parameters of the limits makes a difference to a ratio. */
static bool depends_on_limits_alone(const qkv__situation *s, qkv__ratio ratio)
{
    for (int p = 0; p < (int)s->model->algebra.parameter_count; p++) {
        bool limit = s->model->algebra.parameter[p].prime != 0;
        for (size_t l = 0; l < s->limit_count; l++) limit = limit || s->limit[l].parameter == p;
        if (!limit && qkv__ratio_depends_on(ratio, p)) return false;
    }
    return true;
}

/* Whether a premise says that the square of a number is at most something that vanishes. */
static bool squeezes(qkv__situation *s, const qkv__node *premise, qkv__ratio square)
{
    qkv__algebra *algebra = &s->model->algebra;
    qkv__value x, y;
    qkv__ratio small, large;
    if (premise->kind != QKV__NODE_COMPARE) return false;
    bool less = premise->comparison == QKV__LESS || premise->comparison == QKV__LESS_OR_EQUAL;
    bool more = premise->comparison == QKV__GREATER || premise->comparison == QKV__GREATER_OR_EQUAL;
    if ((!less && !more) ||
        !qkv__model_value(s->model, premise->child[less ? 0 : 1], s->locals, &x) ||
        !qkv__model_value(s->model, premise->child[less ? 1 : 0], s->locals, &y) ||
        !qkv__value_as_ratio(&x, &small) || !qkv__value_as_ratio(&y, &large) ||
        !qkv__ratio_equal(algebra, square, small) || !depends_on_limits_alone(s, large))
        return false;
    qkv__limit limit = qkv__limit_of(s, large);
    return limit.kind == QKV__LIMIT_FINITE && qkv__ratio_is_zero(limit.value);
}

/* x ~ 0 where x^2 <= t, and t tends to 0. */
static bool is_squeezed(qkv__situation *s, const qkv__gap *gaps, size_t count)
{
    if (count != 1 || gaps[0].symbol.family != NULL) return false;
    qkv__ratio square = qkv__ratio_power(&s->model->algebra, gaps[0].difference, 2);
    for (size_t i = 0; i < s->circumstances->count; i++)
        if (s->circumstances->item[i].kind == QKV__CONDITION_GIVEN &&
            squeezes(s, s->circumstances->item[i].node, square))
            return true;
    for (size_t i = 0; i < s->model->premise_count; i++)
        if (squeezes(s, s->model->premise[i], square)) return true;
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
    bool slack = false;
    for (int p = 0; p < (int)s->model->algebra.parameter_count; p++)
        slack =
            slack || (qkv__parameter_set_has(s->slacks, p) && qkv__ratio_depends_on(difference, p));
    return !slack || (s->limit_count == 1 && s->limit[0].infinite && is_even(s, difference));
}

/* What the limits of all components being 0 comes to: the claim x ~ y. */
qkv__nullity qkv__limits_vanish(qkv__situation *s, const qkv__gap *gaps, size_t count)
{
    qkv__nullity all = QKV__NULLITY_ZERO;
    qkv__ties ties;
    qkv__ties_collect(s, &ties);
    for (size_t i = 0; i < count; i++) {
        if (is_growing_sum(s, &gaps[i]) || !holds_rest_fixed(s, gaps[i].difference))
            return QKV__NULLITY_OPEN;
        if (is_tied(s, &ties, &gaps[i]))
            return is_squeezed(s, gaps, count) ? QKV__NULLITY_ZERO : QKV__NULLITY_OPEN;
        /* A premise that was left out may tie other things to the limit. */
        if (s->weakened && !depends_on_limits_alone(s, gaps[i].difference))
            return is_squeezed(s, gaps, count) ? QKV__NULLITY_ZERO : QKV__NULLITY_OPEN;
        const qkv__ratio part = part_of_distance(s, &ties, &gaps[i]);
        qkv__limit limit = qkv__limit_of(s, part);
        qkv__nullity one = limit.kind == QKV__LIMIT_UNKNOWN  ? QKV__NULLITY_OPEN
                           : limit.kind == QKV__LIMIT_FINITE ? qkv__nullity_of(s, limit.value)
                           : s->weakened || !qkv__situation_is_free(s) ? QKV__NULLITY_OPEN
                                                                       : QKV__NULLITY_NEVER;
        if (one == QKV__NULLITY_ZERO && !tends_evenly(s, part)) one = QKV__NULLITY_OPEN;
        /* |x - y|^2 <= |x^2 - y^2|, but squares may differ where x and y, ever larger, do not. */
        if (one != QKV__NULLITY_ZERO && gaps[i].squared &&
            qkv__limit_of(s, gaps[i].square).kind != QKV__LIMIT_FINITE)
            one = QKV__NULLITY_OPEN;
        if (one != QKV__NULLITY_ZERO && (s->weakened || is_coupled(s, false)))
            one = QKV__NULLITY_OPEN;
        if (one == QKV__NULLITY_NEVER || all == QKV__NULLITY_NEVER)
            all = QKV__NULLITY_NEVER;
        else if (one == QKV__NULLITY_SOMEWHERE_OTHER || all == QKV__NULLITY_SOMEWHERE_OTHER)
            all = QKV__NULLITY_SOMEWHERE_OTHER;
        else if (one == QKV__NULLITY_OPEN)
            all = QKV__NULLITY_OPEN;
    }
    return all;
}

/* The distance of two vectors where all inner products are known: dependent vectors may cancel.
 * Where they are not, coefficients refute only what no product ties. */
static qkv__nullity vanishes_by_norm(qkv__situation *s, const qkv__gap *gaps, size_t count,
                                     qkv__nullity by_factors)
{
    qkv__ratio square;
    qkv__ties ties;
    qkv__nullity otherwise =
        qkv__gaps_are_refutable(s, gaps, count) ? by_factors : QKV__NULLITY_OPEN;
    qkv__ties_collect(s, &ties);
    if (!qkv__gaps_square(s, gaps, count, &square) || s->weakened || !holds_rest_fixed(s, square) ||
        qkv__ties_hold_ratio(s, &ties, square))
        return otherwise;
    qkv__limit limit = qkv__limit_of(s, square);
    if (limit.kind == QKV__LIMIT_UNKNOWN) return otherwise;
    if (limit.kind != QKV__LIMIT_FINITE)
        return qkv__situation_is_free(s) ? QKV__NULLITY_NEVER : QKV__NULLITY_OPEN;
    qkv__nullity one = qkv__nullity_of(s, limit.value);
    bool even = one != QKV__NULLITY_ZERO || tends_evenly(s, square);
    return even && !is_coupled(s, false) ? one : QKV__NULLITY_OPEN;
}

/* Whether there are letters besides those of the limits; what functions stand under is none. */
static bool has_other_letter(const qkv__situation *s)
{
    const qkv__algebra *algebra = &s->model->algebra;
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        bool other =
            algebra->parameter[p].prime == 0 && strchr(algebra->parameter[p].name, '(') == NULL;
        for (size_t i = 0; i < s->limit_count; i++) other = other && s->limit[i].parameter != p;
        if (other) return true;
    }
    return false;
}

qkv__verdict qkv__decide_limit(qkv__situation *s, const qkv__value *x, const qkv__gap *gaps,
                               size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (qkv__random_touches(s->model, gaps[i].difference)) {
            assert(s->decide_random_limit != NULL);
            return s->decide_random_limit(s, x, gaps, count);
        }
    qkv__nullity all = qkv__limits_vanish(s, gaps, count);
    if (all != QKV__NULLITY_ZERO && count > 0 && gaps[0].symbol.family != NULL)
        all = vanishes_by_norm(s, gaps, count, all);
    if (all == QKV__NULLITY_OPEN)
        return qkv__situation_undecided(
            s, has_other_letter(s) ? "which term grows fastest depends on unknown quantities"
                                   : "which term grows fastest is beyond the exact engine");
    qkv__situation_begin_found(s);
    qkv__tell_limit_of(s, x);
    qkv__explain_limit(s, x, all == QKV__NULLITY_ZERO);
    if (s->finding->found.length == 0 && s->finding->reason.length == 0)
        qkv__situation_say(s, all == QKV__NULLITY_ZERO ? "The distance tends to 0."
                                                       : "The distance does not tend to 0.");
    s->finding->uniform = all == QKV__NULLITY_NEVER && qkv__gaps_are_independent(s, gaps, count);
    return qkv__situation_conclude(s, all == QKV__NULLITY_ZERO ? QKV__PROVED : QKV__REFUTED,
                                   "exact");
}

/* Whether a limit that depends on what is held fixed is on the wrong side somewhere: t/(1 + t) < s
 * fails for s = 0. */
static bool is_wrong_somewhere(qkv__situation *s, qkv__ratio limit, qkv__comparison comparison)
{
    const bool up = comparison == QKV__GREATER || comparison == QKV__GREATER_OR_EQUAL;
    qkv__sign_result result;
    if (!qkv__situation_is_free(s) || !qkv__sign_over_box(s, limit, &result)) return false;
    const qkv__point *point = up ? &result.negative : &result.positive;
    if (!(up ? result.has_negative : result.has_positive) ||
        !qkv__situation_admits(s, limit, point))
        return false;
    const qkv__value number = qkv__value_scalar(&s->model->space, limit);
    const qkv__value zero =
        qkv__value_scalar(&s->model->space, qkv__ratio_whole(&s->model->algebra, 0));
    qkv__text text = {0};
    qkv__ratio_write(&s->model->algebra, limit, &text);
    if (!text.failed)
        qkv__text_format(&s->finding->reason, "The difference tends to %s.", text.data);
    qkv__text_free(&text);
    qkv__counterexample(s, limit, point, &number, &zero, (qkv__symbol){NULL, 0});
    return true;
}

/* x <= y as beta -> inf: from some beta on, by the limit of the difference. */
qkv__verdict qkv__decide_eventual_order(qkv__situation *s, const qkv__value *x,
                                        qkv__ratio difference, qkv__comparison comparison)
{
    assert(x->kind == QKV__VALUE_SCALAR);
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
    qkv__ties ties;
    qkv__ties_collect(s, &ties);
    bool fixed = !s->weakened && holds_rest_fixed(s, difference) && !is_coupled(s, false) &&
                 !qkv__ties_hold_ratio(s, &ties, difference);
    for (int p = 0; p < (int)algebra->parameter_count; p++) /* the slack may grow as well */
        if (qkv__parameter_set_has(s->slacks, p) && qkv__ratio_depends_on(difference, p))
            fixed = false;
    if (!fixed) sign = QKV__SIGN_UNKNOWN;
    qkv__situation_begin_found(s);
    qkv__tell_limit_of(s, x);
    qkv__verdict verdict = qkv__judge_sign(sign, comparison);
    if (verdict == QKV__REFUTED && (s->weakened || !qkv__situation_is_free(s)))
        verdict = QKV__UNDECIDED;
    if (verdict == QKV__UNDECIDED && fixed && limit.kind == QKV__LIMIT_FINITE &&
        is_wrong_somewhere(s, limit.value, comparison))
        return qkv__situation_conclude(s, QKV__REFUTED, "ball");
    if (verdict == QKV__UNDECIDED)
        return qkv__situation_undecided(s, "the limit alone does not decide the inequality");
    qkv__situation_say(s, "The difference eventually keeps its sign.");
    return qkv__situation_conclude(s, verdict, "exact");
}

/* not (x ~ y): the limit, if there is one, is always another. */
qkv__verdict qkv__compare_not_near(qkv__situation *s, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_COMPARE);
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
    if (s->has_tolerance && s->limit_count > 0)
        return qkv__situation_undecided(s,
                                        "a limit and a tolerance at once: leave one of them out");
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
    if (all == QKV__NULLITY_ZERO && s->finding->found.length == 0)
        qkv__situation_say(s, "The distance tends to 0.");
    if (all == QKV__NULLITY_NEVER && qkv__gaps_are_independent(s, gaps, count))
        return qkv__situation_conclude(s, QKV__PROVED, "exact");
    if (all == QKV__NULLITY_ZERO && !s->weakened) {
        s->finding->uniform = true;
        return qkv__situation_conclude(s, QKV__REFUTED, "exact");
    }
    return qkv__situation_undecided(s, "whether the limits differ depends on unknown quantities");
}
