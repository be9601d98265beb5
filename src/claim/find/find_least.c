/* `find least beta: p`: the least value from which on p holds, and `find largest beta: p`: the last
 * at which it does. In letters by closed forms, in
 * numbers by the ball's bisection; what is said of either is proved. Knows forms and enclosures;
 * nothing of attention. */
#include "claim/find/find_least.h"

#include <math.h>
#include <string.h>

#include "claim/model/binding.h"
#include "claim/premise/given.h"
#include "claim/threshold/threshold.h"
#include "language/tree.h"

static bool satisfies(qkv__sign sign, bool strict)
{
    return strict ? sign == QKV__SIGN_POSITIVE : qkv__sign_is_not_negative(sign);
}

static bool is_not_positive(qkv__sign sign)
{
    return qkv__sign_is_not_negative(qkv__sign_negate(sign));
}

/* ---- What the parameters may be ------------------------------------------------------ */

/* A norm is not negative: what is declared as one has that bound. */
static void take_norm_bounds(qkv__model *model)
{
    for (size_t i = 0; i < model->space.family_count; i++)
        for (int p = 0; p < (int)model->algebra.parameter_count; p++) {
            const qkv__family *family = &model->space.family[i];
            qkv__parameter *known = &model->algebra.parameter[p];
            qkv__ratio norm =
                qkv__ratio_of_form(&model->algebra, qkv__form_parameter(&model->algebra, p));
            if (family->gram == QKV__GRAM_UNIFORM && !known->lower.known &&
                qkv__ratio_equal(&model->algebra, family->same,
                                 qkv__ratio_power(&model->algebra, norm, 2)))
                known->lower = (qkv__bound){.known = true, .value = qkv__rational_whole(0)};
        }
}

/* ---- The ball ------------------------------------------------------------------------ */

/* All constraints: the greatest threshold counts. */
static qkv__least least_of_all(const qkv__least_task *l, qkv__least_result *greatest)
{
    qkv__least outcome = QKV__LEAST_ALWAYS;
    for (size_t i = 0; i < l->count; i++) {
        qkv__least_result result;
        qkv__least one = qkv__least_of(l, l->constraint[i].value, &result);
        if (one == QKV__LEAST_NEVER || one == QKV__LEAST_UNKNOWN) return one;
        if (one != QKV__LEAST_FOUND) continue;
        if (outcome != QKV__LEAST_FOUND ||
            qkv__rational_compare(result.verified, greatest->verified) > 0)
            *greatest = result;
        outcome = QKV__LEAST_FOUND;
    }
    return outcome;
}

/* Whether some constraint is proved to fail where the parameter is this number. */
static bool fails_at(const qkv__least_task *l, qkv__rational value)
{
    qkv__box all, box;
    qkv__sign_result result;
    if (!qkv__box_of_algebra(l->algebra, &all)) return false;
    for (size_t i = 0; i < l->count; i++) {
        box = all;
        if (!qkv__box_fix(l->algebra, &box, l->parameter, value)) continue;
        qkv__ball_sign(l->algebra, l->constraint[i].value, &box, 0, &result);
        if (result.has_negative || result.sign == QKV__SIGN_NEGATIVE) return true;
    }
    return false;
}

/* The sign of the least constraint over the parameter's values in a range: whether all hold. */
static bool holds_over(const qkv__least_task *l, qkv__bound lower, qkv__bound upper)
{
    qkv__box all;
    qkv__range range = {lower, upper};
    if (!qkv__box_of_algebra(l->algebra, &all) ||
        !qkv__box_narrow(l->algebra, &all, l->parameter, range))
        return false;
    for (size_t i = 0; i < l->count; i++) {
        qkv__sign_result result;
        qkv__sign sign = qkv__ball_sign(l->algebra, l->constraint[i].value, &all, 0, &result);
        if (!satisfies(sign, l->constraint[i].strict)) return false;
    }
    return true;
}

/* ---- Answers ------------------------------------------------------------------------- */

/* Whether it fails at the threshold itself: by a constraint that makes the threshold. */
static bool is_strict(const qkv__least_task *l)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->constraint[i].strict && !l->loose[i]) return true;
    return false;
}

static bool has_strict(const qkv__least_task *l)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->constraint[i].strict) return true;
    return false;
}

/* Which constraints have nothing to do with a threshold: they are positive at a place below it. */
static void find_loose(qkv__least_task *l, qkv__rational below)
{
    for (size_t i = 0; i < l->count; i++) {
        qkv__box box;
        qkv__sign_result result;
        l->loose[i] = qkv__box_of_algebra(l->algebra, &box) &&
                      qkv__box_fix(l->algebra, &box, l->parameter, below) &&
                      qkv__ball_sign(l->algebra, l->constraint[i].value, &box, 0, &result) ==
                          QKV__SIGN_POSITIVE;
    }
}

/* Every value that the parameter may have. */
static void answer_always(qkv__least_task *l)
{
    const qkv__parameter *known = &l->algebra->parameter[l->parameter];
    qkv__text *found = &l->question->finding->found;
    qkv__text_format(found, "every %s", l->name);
    if (known->upper.known) {
        qkv__text_format(found, " that is allowed");
    } else if (known->lower.known) {
        qkv__text_format(found, known->lower.strict ? " > " : " >= ");
        qkv__rational_write(known->lower.value, found);
    }
    qkv__text_format(&l->question->finding->reason, "It holds for all allowed parameters.");
    qkv__question_conclude(l->question, QKV__PROVED, "ball");
}

/* "It holds from beta = 5.98142 on and fails at 5.98141." */
static void explain_number(qkv__least_task *l, const qkv__least_result *result)
{
    qkv__text *reason = &l->question->finding->reason;
    qkv__rational up, unit;
    qkv__text_format(reason, "%sIt holds %s %s = ", reason->length > 0 ? " " : "",
                     is_strict(l) ? "above" : "from", l->name);
    if (!qkv__decimal_round_up(result->verified, QKV__FIND_DIGITS, &up, &unit)) {
        qkv__text_format(reason, "%.15g on.", result->enclosure.upper);
        return;
    }
    qkv__rational down = qkv__rational_subtract(up, unit);
    if (!qkv__rational_is_lost(down) && qkv__rational_compare(down, result->violated) > 0)
        down = qkv__rational_subtract(down, unit);
    qkv__digits_write(up, QKV__FIND_DIGITS, reason);
    if (!is_strict(l)) qkv__text_format(reason, " on");
    if (!qkv__rational_is_lost(down) && fails_at(l, down)) {
        qkv__text_format(reason, " and fails at ");
        qkv__digits_write(down, QKV__FIND_DIGITS, reason);
    }
    qkv__text_format(reason, ".");
}

/* Whether the single constraint is exactly 0 there: a threshold that is a short decimal. */
static bool is_zero_at(const qkv__least_task *l, qkv__rational number)
{
    if (l->count != 1) return false;
    qkv__ratio value = qkv__ratio_substitute(l->algebra, l->constraint[0].value, l->parameter,
                                             qkv__form_constant(l->algebra, number));
    for (int p = 0; p < (int)l->algebra->parameter_count; p++) {
        const qkv__parameter *known = &l->algebra->parameter[p];
        if (p == l->parameter || known->prime != 0 || !known->lower.known || !known->upper.known ||
            qkv__rational_compare(known->lower.value, known->upper.value) != 0)
            continue;
        value = qkv__ratio_substitute(l->algebra, value, p,
                                      qkv__form_constant(l->algebra, known->lower.value));
    }
    return qkv__ratio_is_zero(value);
}

/* The threshold of a closed form is the one place where the constraint is 0: when a short decimal
 * is that place, it is the threshold. */
static bool is_short(const qkv__least_task *l, qkv__least_result *result)
{
    qkv__rational up, unit;
    if (!qkv__decimal_round_up(result->verified, QKV__FIND_DIGITS, &up, &unit)) return false;
    qkv__rational candidate[] = {up, qkv__rational_subtract(up, unit)};
    for (int i = 0; i < 2; i++) {
        bool within = qkv__rational_compare(candidate[i], result->violated) > 0 &&
                      qkv__rational_compare(candidate[i], result->verified) <= 0;
        if (!within || !is_zero_at(l, candidate[i])) continue;
        result->verified = candidate[i];
        return true;
    }
    return false;
}

/* "5.98141...", the digits that are certain. */
static void write_number(const qkv__least_result *result, qkv__text *text)
{
    qkv__rational up, unit;
    if (!result->narrow || !qkv__decimal_round_up(result->verified, QKV__FIND_DIGITS, &up, &unit)) {
        qkv__text_format(text, "about %s", result->enclosure.text);
        return;
    }
    if (qkv__rational_compare(unit, qkv__rational_whole(1)) > 0) { /* digits before the point */
        qkv__text_format(text, "about %.12g", qkv__rational_approximate(result->verified));
        return;
    }
    qkv__rational down = qkv__rational_subtract(up, unit);
    bool reached = qkv__rational_compare(result->verified, up) == 0; /* it may be that very one */
    bool certain = qkv__rational_compare(down, result->violated) <= 0 && !reached;
    bool negative = qkv__rational_sign(up) <= 0;
    if (!certain) { /* a short decimal lies within the last digits that are known */
        qkv__text_format(text, "about ");
        qkv__digits_write(negative || reached ? up : down, QKV__FIND_DIGITS, text);
        return;
    }
    qkv__text_format(text, "%.*f...", (int)fmax(0, round(-log10(qkv__rational_approximate(unit)))),
                     qkv__rational_approximate(negative ? up : down));
}

/* Smaller values that do as well, but not from there on. */
static void mention_smaller(qkv__least_task *l, const qkv__least_result *result)
{
    qkv__box box;
    qkv__range range = {.upper = {.known = true, .value = result->violated}};
    if (l->count != 1 || !qkv__box_of_algebra(l->algebra, &box) ||
        !qkv__box_narrow(l->algebra, &box, l->parameter, range))
        return;
    qkv__sign_result sign;
    qkv__ball_sign(l->algebra, l->constraint[0].value, &box, 0, &sign);
    if (!sign.has_positive) return;
    qkv__text_format(&l->question->finding->reason,
                     " Some smaller values do too, near %.4g, but not all from there on.",
                     qkv__rational_approximate(sign.positive.value[l->parameter]));
}

/* A whole parameter: the number itself. */
static bool answer_whole(qkv__least_task *l, const qkv__least_result *result)
{
    qkv__bound from = {.known = true, .value = result->verified};
    qkv__bound to = l->algebra->parameter[l->parameter].upper;
    if (!result->narrow) return false;
    for (int i = 0; has_strict(l) && !holds_over(l, from, to); i++) {
        if (i == 2) return false;
        from.value = qkv__rational_add(from.value, qkv__rational_whole(1));
    }
    qkv__text *found = &l->question->finding->found, *reason = &l->question->finding->reason;
    qkv__rational before = qkv__rational_subtract(from.value, qkv__rational_whole(1));
    if (!is_strict(l) && !fails_at(l, before)) return false;
    qkv__text_format(found, "%s = %lld", l->name, (long long)from.value.numerator);
    qkv__text_format(reason, "It holds from %s = %lld on", l->name,
                     (long long)from.value.numerator);
    if (fails_at(l, before))
        qkv__text_format(reason, " and fails at %lld", (long long)before.numerator);
    qkv__least_write_fixed(l, ", at ", reason);
    qkv__text_format(reason, ".");
    l->question->finding->for_all = !qkv__least_others_are_fixed(l);
    qkv__question_conclude(l->question, QKV__PROVED, "ball");
    return true;
}

/* Whether a constraint may have no value at the threshold itself. */
static bool has_gap(const qkv__least_task *l, const qkv__least_result *result)
{
    qkv__box all;
    qkv__range range = {{.known = true, .value = result->violated},
                        {.known = true, .value = result->verified}};
    if (!qkv__box_of_algebra(l->algebra, &all) ||
        !qkv__box_narrow(l->algebra, &all, l->parameter, range))
        return false;
    for (size_t i = 0; i < l->count; i++) {
        qkv__sign_result known;
        qkv__ratio below = qkv__ratio_of_form(l->algebra, l->constraint[i].value.denominator);
        qkv__sign sign = qkv__ball_sign(l->algebra, below, &all, 0, &known);
        if (sign != QKV__SIGN_POSITIVE && sign != QKV__SIGN_NEGATIVE) return true;
    }
    return false;
}

static void answer_number(qkv__least_task *l, const qkv__least_result *result)
{
    qkv__text *found = &l->question->finding->found;
    if (l->algebra->parameter[l->parameter].whole) {
        if (!answer_whole(l, result))
            qkv__question_open(l->question,
                               "the threshold could not be narrowed down to one whole number");
        return;
    }
    if (!result->narrow) {
        qkv__question_open(l->question, "the threshold could not be narrowed down");
        return;
    }
    qkv__bound above = {.known = true, .strict = true, .value = result->verified};
    if (has_strict(l) && !holds_over(l, above, l->algebra->parameter[l->parameter].upper)) {
        qkv__question_open(l->question, "above the threshold the sides may become equal again");
        return;
    }
    if (is_strict(l) && !qkv__least_others_are_fixed(l)) { /* t > s for all s < 1: 1 does too */
        qkv__question_open(l->question, "could not tell whether the bound itself is a solution");
        return;
    }
    qkv__text_format(found, "%s %s ", l->name, is_strict(l) || has_gap(l, result) ? ">" : "=");
    write_number(result, found);
    qkv__least_write_fixed(l, " at ", found);
    explain_number(l, result);
    if (qkv__least_others_are_fixed(l))
        mention_smaller(l, result);
    else
        qkv__text_format(&l->question->finding->reason,
                         " This is for all allowed values of the other parameters.");
    l->question->finding->for_all = !qkv__least_others_are_fixed(l);
    qkv__question_conclude(l->question, QKV__PROVED, "ball");
}

static void answer_none(qkv__least_task *l)
{
    const qkv__parameter *known = &l->algebra->parameter[l->parameter];
    qkv__text_format(&l->question->finding->reason, "There is none: it fails for every %s%s.",
                     l->name, known->lower.known || known->upper.known ? " that is allowed" : "");
    l->question->finding->uniform = true;
    qkv__question_conclude(l->question, QKV__REFUTED, "ball");
}

/* It fails for all large values: then only the least value of all can be meant. */
static void answer_failing(qkv__least_task *l)
{
    const qkv__bound lower = l->algebra->parameter[l->parameter].lower;
    qkv__finding *finding = l->question->finding;
    if (!lower.known || lower.strict || !holds_over(l, lower, lower)) {
        qkv__question_open(l->question, "it fails for all large %s", l->name);
        return;
    }
    qkv__text_format(&finding->found, "%s = ", l->name);
    qkv__rational_write(lower.value, &finding->found);
    qkv__text_format(&finding->reason,
                     "It holds there, at the least value that %s may have, and fails for all large "
                     "ones.",
                     l->name);
    finding->alone = true;
    qkv__question_conclude(l->question, QKV__PROVED, "ball");
}

/* ---- Closed forms -------------------------------------------------------------------- */

/* What x is: "e^beta", "e^(2*beta)", "beta^2". */
static void write_quantity(qkv__algebra *algebra, const qkv__threshold *t, qkv__text *text)
{
    qkv__term term = {.coefficient = qkv__rational_whole(1)};
    term.power[t->parameter] = (int16_t)t->power;
    const qkv__form *power = qkv__form_term(algebra, &term);
    if (t->exponential)
        power = qkv__form_exponential(algebra, qkv__form_multiply(algebra, power, t->rate));
    qkv__form_write(algebra, power, text);
}

/* Whether the proved enclosure and the closed form speak of the same number; where they do not,
 * the enclosure alone is given. */
static bool agrees(const qkv__least_task *l, const qkv__threshold *threshold,
                   const qkv__least_result *result)
{
    double value, low = qkv__rational_approximate(result->violated),
                  high = qkv__rational_approximate(result->verified);
    double slack = 1e-9 * (1 + fabs(high));
    return qkv__threshold_approximate(l->algebra, threshold, &value) && value >= low - slack &&
           value <= high + slack;
}

/* Whether the threshold is proved to be at least the lower bound, or above it: for a power
 * R >= bound^power, for an exponential above 0 R >= 1. */
static bool is_from_lower(qkv__least_task *l, const qkv__threshold *t, bool strictly)
{
    const qkv__bound *lower = &l->algebra->parameter[l->parameter].lower;
    if (!lower->known || t->radicand != NULL) return false;
    if (lower->value.numerator == 0 && !t->exponential) return t->defined && !strictly;
    if (lower->value.numerator != 0 && (t->exponential || t->power != 2)) return false;
    qkv__rational bound = t->exponential ? qkv__rational_whole(1) : lower->value;
    const qkv__form *more =
        qkv__form_subtract(l->algebra, t->above, qkv__form_scale(l->algebra, t->below, bound));
    return satisfies(qkv__sign_of_form(l->algebra, more), strictly);
}

static bool is_above_lower(qkv__least_task *l, const qkv__threshold *t)
{
    return is_from_lower(l, t, false);
}

/* t^3 >= s has a threshold where s is negative as well, which no root says. Powers count in halves.
 */
static bool has_odd_root(const qkv__least_task *l, const qkv__threshold *t)
{
    const qkv__bound *lower = &l->algebra->parameter[l->parameter].lower;
    bool positive = lower->known && lower->value.numerator >= 0;
    return t->power > 2 && t->power % 4 != 0 && !positive && (t->exponential || !t->defined);
}

/* What becomes of the closed form at the ends of what the parameter may be. */
static void explain_ends(qkv__least_task *l, const qkv__threshold *t)
{
    qkv__text *reason = &l->question->finding->reason;
    const qkv__parameter *known = &l->algebra->parameter[l->parameter];
    bool above = is_above_lower(l, t),
         real = above || (t->defined && (t->power == 2 || !t->exponential));
    if (!real || (known->lower.known && !above)) {
        qkv__text_format(reason, " Where that is %s", real ? "" : "no number");
        if (known->lower.known && !above) {
            qkv__text_format(reason, "%sbelow ", real ? "" : " or ");
            qkv__rational_write(known->lower.value, reason);
        }
        qkv__text_format(reason, ", every %s does.", l->name);
    }
    if (known->upper.known) {
        qkv__text_format(reason, " Where it is above ");
        qkv__rational_write(known->upper.value, reason);
        qkv__text_format(reason, ", there is none.");
    }
}

static void answer_closed(qkv__least_task *l, const qkv__threshold *threshold)
{
    qkv__finding *finding = l->question->finding;
    bool whole = l->algebra->parameter[l->parameter].whole, strict = is_strict(l);
    if (whole)
        qkv__text_format(&finding->found, "the least whole %s %s ", l->name,
                         strict ? "above" : "from");
    else
        qkv__text_format(&finding->found, "%s %s ", l->name, strict ? ">" : "=");
    qkv__threshold_write(l->algebra, threshold, &finding->found);
    if (whole && !strict) qkv__text_format(&finding->found, " on");
    qkv__text_format(&finding->reason, "It holds where ");
    write_quantity(l->algebra, threshold, &finding->reason);
    qkv__text_format(&finding->reason, strict ? " is larger than a bound" : " reaches a bound");
    qkv__text_format(&finding->reason, ", and nowhere else");
    if (threshold->zero && !strict)
        qkv__text_format(&finding->reason, " but at %s = 0, where both sides are equal", l->name);
    qkv__text_format(&finding->reason, ".");
    explain_ends(l, threshold);
    qkv__question_conclude(l->question, QKV__PROVED, "exact");
}

/* With numbers for all letters: the closed form, and its number. */
static void answer_both(qkv__least_task *l, const qkv__threshold *threshold,
                        qkv__least_result *result)
{
    bool exact = is_short(l, result);
    qkv__text closed = {0}, number = {0};
    qkv__finding *finding = l->question->finding;
    qkv__text_format(&finding->found, "%s %s ", l->name, is_strict(l) ? ">" : "=");
    qkv__threshold_write(l->algebra, threshold, &closed);
    if (exact)
        qkv__digits_write(result->verified, QKV__FIND_DIGITS, &number);
    else
        write_number(result, &number);
    if (!closed.failed && !number.failed) {
        qkv__text_format(&finding->found, "%s", closed.data);
        if (strcmp(closed.data, number.data) != 0)
            qkv__text_format(&finding->found, " = %s", number.data);
    }
    qkv__text_free(&closed);
    qkv__text_free(&number);
    qkv__least_write_fixed(l, " at ", &finding->found);
    explain_number(l, result);
    qkv__question_conclude(l->question, QKV__PROVED, "exact");
}

/* ---- The whole ----------------------------------------------------------------------- */

static bool is_repeated(const qkv__least_task *l, size_t kept, const qkv__constraint *constraint)
{
    for (size_t i = 0; i < kept; i++)
        if (l->constraint[i].strict == constraint->strict &&
            qkv__ratio_equal(l->algebra, l->constraint[i].value, constraint->value))
            return true;
    return false;
}

/* Leaves out what holds anyway, and what is said twice. */
static void drop_satisfied(qkv__least_task *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->count; i++) {
        const qkv__constraint *c = &l->constraint[i];
        if (!satisfies(qkv__sign_of_ratio(l->algebra, c->value), c->strict) &&
            !is_repeated(l, kept, c))
            l->constraint[kept++] = *c;
    }
    l->count = kept;
}

static bool fails_everywhere(const qkv__least_task *l)
{
    for (size_t i = 0; i < l->count; i++) {
        qkv__sign sign = qkv__sign_of_ratio(l->algebra, l->constraint[i].value);
        if (sign == QKV__SIGN_NEGATIVE || (l->constraint[i].strict && is_not_positive(sign)))
            return true;
    }
    return false;
}

static void solve(qkv__least_task *l)
{
    qkv__threshold threshold;
    qkv__least_result result;
    drop_satisfied(l);
    if (l->count == 0) {
        answer_always(l);
        return;
    }
    if (fails_everywhere(l)) {
        answer_none(l);
        return;
    }
    if (!qkv__least_is_bounded(l)) {
        qkv__question_open(l->question, "thresholds are found only if the parameters have bounds, "
                                        "and no premises or scores that differ between keys");
        return;
    }
    bool closed = l->count == 1 && qkv__threshold_solve(l->algebra, l->constraint[0].value,
                                                        l->parameter, &threshold);
    bool fixed = qkv__least_others_are_fixed(l);
    /* What is to be positive fails at p = 0 if it is 0 there, however small R is. */
    closed = closed && !(threshold.zero && is_strict(l));
    if (closed && !fixed && has_odd_root(l, &threshold)) {
        qkv__question_open(l->question, "the root of a number that may be negative");
        return;
    }
    if (closed && !fixed) {
        answer_closed(l, &threshold);
        return;
    }
    if (qkv__least_has_products(l)) {
        qkv__question_open(l->question, "it depends on inner products that are not known");
        return;
    }
    switch (least_of_all(l, &result)) {
    case QKV__LEAST_FOUND:
        find_loose(l, result.violated);
        if (closed && result.narrow && !l->algebra->parameter[l->parameter].whole &&
            agrees(l, &threshold, &result))
            answer_both(l, &threshold, &result);
        else
            answer_number(l, &result);
        return;
    case QKV__LEAST_NEVER: answer_failing(l); return;
    case QKV__LEAST_ALWAYS:
        if (!has_strict(l)) {
            answer_always(l);
            return;
        }
        break;
    case QKV__LEAST_UNKNOWN: break;
    }
    qkv__question_open(l->question, "no value was found from which it holds%s",
                       fixed ? "" : "; the other parameters may need bounds");
}

/* ---- The largest --------------------------------------------------------------------- */

/* It holds at the largest value that the parameter may have. */
static bool answer_at_top(qkv__least_task *l)
{
    const qkv__bound upper = l->algebra->parameter[l->parameter].upper;
    qkv__finding *finding = l->question->finding;
    if (!upper.known || upper.strict || !holds_over(l, upper, upper)) return false;
    qkv__text_format(&finding->found, "%s = ", l->name);
    qkv__rational_write(upper.value, &finding->found);
    qkv__text_format(&finding->reason, "It holds there, at the largest value that %s may have.",
                     l->name);
    finding->alone = true;
    qkv__question_conclude(l->question, QKV__PROVED, "ball");
    return true;
}

/* "149": it holds there, and from the next whole number on it fails. */
static bool answer_largest_whole(qkv__least_task *l, const qkv__least_task *failing,
                                 const qkv__least_result *result)
{
    qkv__bound from = {.known = true, .value = result->verified};
    const qkv__bound to = l->algebra->parameter[l->parameter].upper;
    qkv__finding *finding = l->question->finding;
    if (!result->narrow) return false;
    for (int i = 0; !holds_over(failing, from, to); i++) {
        if (i == 2) return false;
        from.value = qkv__rational_add(from.value, qkv__rational_whole(1));
    }
    qkv__bound last = {.known = true,
                       .value = qkv__rational_subtract(from.value, qkv__rational_whole(1))};
    const bool level = !l->constraint[0].strict && is_zero_at(l, last.value);
    if (!level && !holds_over(l, last, last)) return false;
    qkv__text_format(&finding->found, "%s = %lld", l->name, (long long)last.value.numerator);
    qkv__text_format(&finding->reason, "It holds there and fails from %s = %lld on", l->name,
                     (long long)from.value.numerator);
    qkv__least_write_fixed(l, ", at ", &finding->reason);
    qkv__text_format(&finding->reason, ".");
    qkv__question_conclude(l->question, QKV__PROVED, "ball");
    return true;
}

/* "It holds at beta = 2.19722 and fails from 2.19723 on." */
static void explain_largest(qkv__least_task *l, const qkv__least_task *failing,
                            const qkv__least_result *result)
{
    qkv__text *reason = &l->question->finding->reason;
    qkv__rational up, unit;
    const qkv__bound top = l->algebra->parameter[l->parameter].upper;
    if (!qkv__decimal_round_up(result->verified, QKV__FIND_DIGITS, &up, &unit)) return;
    qkv__bound down = {.known = true, .value = qkv__rational_subtract(up, unit)};
    qkv__bound after = {.known = true, .value = up};
    if (qkv__rational_is_lost(down.value)) return;
    if (qkv__rational_compare(down.value, result->violated) > 0)
        down.value = qkv__rational_subtract(down.value, unit);
    if (!holds_over(failing, after, top)) after.value = qkv__rational_add(up, unit);
    if (!holds_over(l, down, down) || !holds_over(failing, after, top)) return;
    qkv__text_format(reason, "It holds at %s = ", l->name);
    qkv__digits_write(down.value, QKV__FIND_DIGITS, reason);
    qkv__text_format(reason, " and fails from ");
    qkv__digits_write(after.value, QKV__FIND_DIGITS, reason);
    qkv__text_format(reason, " on.");
}

/* A number, which the sides are equal at: it holds there unless it is strict. */
static void answer_largest_number(qkv__least_task *l, qkv__least_task *failing,
                                  const qkv__threshold *threshold, qkv__least_result *result)
{
    qkv__finding *finding = l->question->finding;
    const qkv__bound top = l->algebra->parameter[l->parameter].upper;
    qkv__bound after = {.known = true, .strict = true, .value = result->verified};
    qkv__least_result level = *result;
    if (!result->narrow) {
        qkv__question_open(l->question, "the threshold could not be narrowed down");
        return;
    }
    if (!holds_over(failing, after, top)) {
        qkv__question_open(l->question, "above the threshold the sides may become equal again");
        return;
    }
    bool exact = is_short(l, &level);
    after.value = level.verified;
    exact = exact && holds_over(failing, after, top);
    if (exact) *result = level;
    const bool closed = threshold != NULL && agrees(l, threshold, result);
    qkv__text_format(&finding->found, "%s %s ", l->name,
                     l->constraint[0].strict || has_gap(l, result) ? "<" : "=");
    if (closed) qkv__threshold_write(l->algebra, threshold, &finding->found);
    if (closed && !exact) qkv__text_format(&finding->found, " = ");
    if (exact && !closed)
        qkv__digits_write(result->verified, QKV__FIND_DIGITS, &finding->found);
    else if (!exact)
        write_number(result, &finding->found);
    qkv__least_write_fixed(l, " at ", &finding->found);
    explain_largest(l, failing, result);
    qkv__question_conclude(l->question, QKV__PROVED, closed ? "exact" : "ball");
}

/* In letters: it holds up to the closed form, for all values of the others. */
static bool answer_largest_closed(qkv__least_task *l, const qkv__threshold *t)
{
    qkv__finding *finding = l->question->finding;
    const qkv__parameter *known = &l->algebra->parameter[l->parameter];
    const bool strict = l->constraint[0].strict;
    const bool real = t->defined && t->radicand == NULL && (t->power == 2 || !t->exponential);
    if (known->whole || known->upper.known || t->zero || has_odd_root(l, t) ||
        (known->lower.known ? !is_from_lower(l, t, strict || known->lower.strict)
                            : !real || t->power != 2))
        return false;
    qkv__text_format(&finding->found, "%s %s ", l->name, strict ? "<" : "=");
    qkv__threshold_write(l->algebra, t, &finding->found);
    qkv__text_format(&finding->reason, "It holds %s ", strict ? "below" : "up to");
    qkv__text_format(&finding->reason, "there, and nowhere else.");
    qkv__question_conclude(l->question, QKV__PROVED, "exact");
    return true;
}

/* The largest value at which it holds is where its contrary begins to hold for good. */
static void solve_largest(qkv__least_task *l)
{
    qkv__threshold threshold;
    qkv__least_result result;
    drop_satisfied(l);
    if (l->count > 0 && fails_everywhere(l)) {
        answer_none(l);
        return;
    }
    if (answer_at_top(l)) return;
    if (l->count != 1) {
        qkv__question_open(l->question,
                           l->count == 0 ? "there is no largest: it holds for every %s"
                                         : "find largest takes one inequality, and %s alone",
                           l->name);
        return;
    }
    qkv__least_task failing = *l;
    failing.constraint[0] =
        (qkv__constraint){.value = qkv__ratio_multiply(l->algebra, l->constraint[0].value,
                                                       qkv__ratio_whole(l->algebra, -1)),
                          .strict = !l->constraint[0].strict};
    const bool closed =
        qkv__threshold_solve(l->algebra, failing.constraint[0].value, l->parameter, &threshold);
    const bool fixed = qkv__least_others_are_fixed(l);
    if (!qkv__least_is_bounded(l) || (!fixed && !closed) || qkv__least_has_products(l))
        qkv__question_open(l->question,
                           "a largest value is found only if all other parameters are given");
    else if (!fixed && !answer_largest_closed(l, &threshold))
        qkv__question_open(l->question,
                           "for some values of the other parameters there may be none");
    else if (!fixed)
        return;
    else if (least_of_all(&failing, &result) != QKV__LEAST_FOUND)
        qkv__question_open(l->question, "no value was found from which it fails");
    else if (!l->algebra->parameter[l->parameter].whole)
        answer_largest_number(l, &failing, closed && result.narrow ? &threshold : NULL, &result);
    else if (!answer_largest_whole(l, &failing, &result))
        qkv__question_open(l->question,
                           "the threshold could not be narrowed down to one whole number");
}

/* ---- The question -------------------------------------------------------------------- */

/* The parameter that is asked for; a name that stands for something else is none. */
static bool take_parameter(qkv__least_task *l)
{
    qkv__question *question = l->question;
    const qkv__node *unknown = question->unknown[0];
    if (unknown->kind == QKV__NODE_INDEX ||
        (unknown->kind == QKV__NODE_CALL && unknown->child[0]->kind == QKV__NODE_INDEX))
        return qkv__question_complain(
            question, unknown, "expected a number: only numbers have a least or a largest value");
    if (unknown->kind == QKV__NODE_CALL && strcmp(unknown->text, "scalar") != 0)
        return qkv__question_complain(question, unknown,
                                      "expected a number: a %s has no least value", unknown->text);
    if (question->unknown_count != 1)
        return qkv__question_complain(question, question->unknown[1],
                                      "find least asks for one parameter");
    l->name = qkv__unknown_name(unknown);
    const qkv__binding *binding = qkv__model_find(question->model, NULL, l->name);
    if (binding != NULL)
        return qkv__question_complain(question, unknown,
                                      "%s is %s; only a parameter has a least "
                                      "value",
                                      l->name, qkv__value_kind_name(binding->value.kind));
    if (question->limit != NULL)
        return qkv__question_complain(
            question, question->limit,
            "find least asks for a finite value and cannot be combined with 'as'");
    return true;
}

void qkv__find_least(qkv__question *question)
{
    qkv__least_task *l = qkv__arena_take(&question->model->algebra.arena, sizeof *l);
    if (l == NULL) {
        qkv__question_open(question, "out of memory");
        return;
    }
    *l = (qkv__least_task){.model = question->model,
                           .question = question,
                           .premised = question->premised,
                           .algebra = &question->model->algebra};
    if (!take_parameter(l)) return;
    if (qkv__letter_is_tied(question->model, l->name)) {
        qkv__question_open(
            question, "the unknown is tied to vectors or sizes, which may not allow every value");
        return;
    }
    take_norm_bounds(question->model);
    if (!qkv__least_collect(l)) return;
    l->parameter = qkv__parameter_find(l->algebra, l->name);
    bool occurs = qkv__question_mentions(question, l->name);
    for (size_t i = 0; l->parameter >= 0 && i < l->count; i++)
        occurs = occurs || qkv__ratio_depends_on(l->constraint[i].value, l->parameter);
    if (l->parameter < 0 || !occurs) {
        qkv__question_complain(question, question->unknown[0], "%s does not occur in the question",
                               l->name);
        return;
    }
    if (question->statement->largest)
        solve_largest(l);
    else
        solve(l);
}
