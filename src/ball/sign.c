/* The sign of a form is sought by the cheapest method first: the real roots of a form in one
 * variable, a short search, algebra over the box, sums of squares, and a long search over pieces of
 * the box. Knows nothing of claims. */
#include "ball/sign.h"

#include <assert.h>

#include "ball/descent.h"
#include "ball/line.h"
#include "ball/pieces.h"
#include "ball/shift.h"
#include "ball/squares.h"
#include "ball/witness.h"

enum { SHORT_SHARE = 8 }; /* the short search may take this part of all effort */

/* ---- Where a form has values --------------------------------------------------------- */

static bool has_power_like(const qkv__form *form, int p, bool negative)
{
    assert(p >= 0 && p < QKV__PARAMETERS);
    for (size_t i = 0; form != NULL && i < form->count; i++) {
        int power = form->term[i].power[p];
        if (negative ? power < 0 : power % 2 != 0) return true;
        if (has_power_like(form->term[i].exponent, p, negative)) return true;
    }
    return false;
}

static bool excludes_zero(const qkv__range *range)
{
    int lower = range->lower.known ? qkv__rational_sign(range->lower.value) : -1;
    int upper = range->upper.known ? qkv__rational_sign(range->upper.value) : 1;
    return lower > 0 || upper < 0 || (lower == 0 && range->lower.strict) ||
           (upper == 0 && range->upper.strict);
}

/* Roots want parameters that are not negative, and negative powers ones that are not 0. */
static bool is_defined(const qkv__algebra *algebra, const qkv__form *form, const qkv__box *box)
{
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        if (algebra->parameter[p].prime != 0) continue; /* ln p > 0 */
        if (has_power_like(form, p, false) && !qkv__box_is_nonnegative(algebra, box, p))
            return false;
        if (has_power_like(form, p, true) && !excludes_zero(&box->range[p])) return false;
    }
    return true;
}

/* ---- One form ------------------------------------------------------------------------------- */

typedef struct question {
    qkv__prover *prover; /* with the box, the memory and the effort */
    const qkv__form *form;
    int sign;               /* that is to be proved */
    const qkv__point *base; /* where it was seen */

    /* What was found. */
    bool zero;    /* it is 0 somewhere, */
    bool at_zero; /* and here: */
    qkv__point zero_point;
    bool opposed; /* it has the opposite sign at: */
    qkv__point witness;
} question;

static void note_opposed(question *q, const qkv__point *point)
{
    q->opposed = true;
    q->witness = *point;
}

static void note_zero(question *q, const qkv__point *point)
{
    q->zero = q->at_zero = true;
    q->zero_point = *point;
}

/* A form in one variable: whether that decided it. */
static bool decide_by_line(question *q, qkv__outcome *found)
{
    qkv__line_answer answer;
    if (!qkv__line_decide(&q->prover->algebra, q->form, &q->prover->box, q->base, &answer))
        return false;
    q->zero = q->zero || answer.has_zero;
    if (answer.has_zero_point) note_zero(q, &answer.zero);
    *found = QKV__FAILED;
    bool against = q->sign > 0 ? answer.may_be_negative : answer.may_be_positive;
    bool seen = q->sign > 0 ? answer.has_negative_point : answer.has_positive_point;
    if (against && seen) note_opposed(q, q->sign > 0 ? &answer.negative : &answer.positive);
    if (against) return seen;
    *found = answer.may_be_zero ? QKV__WEAK : QKV__STRICT;
    return true;
}

/* What algebra says when the box's ends are all that is known of the parameters. */
static qkv__outcome prove_by_algebra(question *q)
{
    qkv__algebra *algebra = &q->prover->algebra;
    for (size_t p = 0; p < algebra->parameter_count; p++)
        if (algebra->parameter[p].prime == 0) {
            algebra->parameter[p].lower = q->prover->box.range[p].lower;
            algebra->parameter[p].upper = q->prover->box.range[p].upper;
        }
    const qkv__form *settled = qkv__form_settle(algebra, q->form, &q->prover->box);
    qkv__sign sign = qkv__form_sign(algebra, settled);
    if (q->sign < 0) sign = qkv__sign_negate(sign);
    if (sign == QKV__SIGN_POSITIVE) return QKV__STRICT;
    if (sign == QKV__SIGN_NONNEGATIVE) return QKV__WEAK;
    return qkv__squares_prove(algebra, settled, q->sign);
}

static qkv__outcome prove_shortly(question *q)
{
    qkv__sign_search task = {
        .prover = q->prover, .form = q->form, .sign = q->sign, .zero = q->zero};
    size_t left = q->prover->left, most = left / SHORT_SHARE;
    q->prover->left = most;
    qkv__outcome found = qkv__search_prove(&task);
    q->prover->left += left - most;
    if (task.opposed) note_opposed(q, &task.witness);
    return found;
}

static qkv__outcome prove_in_pieces(question *q)
{
    qkv__pieces work = {.algebra = &q->prover->algebra,
                        .form = q->form,
                        .sign = q->sign,
                        .left = q->prover->left,
                        .zero = q->zero};
    qkv__outcome found = qkv__pieces_prove(&work, &q->prover->box);
    q->prover->left = work.left;
    q->zero = q->zero || work.zero;
    if (work.has_zero_point && !q->at_zero) note_zero(q, &work.zero_point);
    if (work.opposed) note_opposed(q, &work.witness);
    return found;
}

/* Downhill from where the sign was seen, and from the middle of the box. */
static void look_downhill(question *q)
{
    qkv__point from = *q->base;
    bool found = qkv__descend(&q->prover->algebra, q->form, &q->prover->box, -q->sign, &from);
    if (!found && qkv__box_middle(&q->prover->algebra, &q->prover->box, &from))
        found = qkv__descend(&q->prover->algebra, q->form, &q->prover->box, -q->sign, &from);
    if (found) note_opposed(q, &from);
}

static qkv__outcome prove_form(question *q);

/* With one parameter put at 0, where only differences matter: whether that could be asked. */
static bool ask_of_differences(question *q, qkv__outcome *found)
{
    qkv__prover *prover = q->prover;
    const qkv__box box = prover->box;
    const qkv__point *base = q->base;
    qkv__point moved = *base;
    bool fixed = qkv__shift_fix(&prover->algebra, q->form, &prover->box, &moved);
    if (fixed) {
        q->base = &moved;
        *found = prove_form(q);
        q->base = base;
    }
    prover->box = box;
    return fixed;
}

static qkv__outcome prove_form(question *q)
{
    qkv__outcome found;
    if (q->prover->left == 0) return QKV__FAILED;
    if (decide_by_line(q, &found)) return found;
    found = prove_shortly(q);
    if (found != QKV__FAILED || q->opposed || ask_of_differences(q, &found)) return found;
    found = prove_by_algebra(q);
    if (found == QKV__FAILED) look_downhill(q);
    if (found == QKV__FAILED && !q->opposed) found = prove_in_pieces(q);
    return found;
}

/* ---- Quotients ------------------------------------------------------------------------------ */

/* The sign of the denominator all over the box, or 0. The witness says which one to try. */
static int sign_of_denominator(qkv__prover *prover, const qkv__form *denominator,
                               const qkv__point *base)
{
    if (denominator == NULL) return 1;
    int sign = qkv__form_sign_at(&prover->algebra, denominator, base);
    question q = {.prover = prover, .form = denominator, .sign = sign, .base = base};
    size_t kept = prover->left / 2; /* for the numerator */
    prover->left -= kept;
    bool strict = sign != 0 && prove_form(&q) == QKV__STRICT;
    prover->left += kept;
    return strict ? sign : 0;
}

static void decide(qkv__prover *prover, const qkv__form *numerator, const qkv__form *denominator,
                   qkv__sign_result *result)
{
    const qkv__point *base = result->has_positive ? &result->positive : &result->negative;
    int below = sign_of_denominator(prover, denominator, base);
    if (below == 0) return;
    int sign = result->has_positive ? 1 : -1;
    question q = {.prover = prover,
                  .form = numerator,
                  .sign = sign * below,
                  .base = base,
                  .zero = result->has_zero};
    qkv__outcome found = prove_form(&q);
    if (found == QKV__STRICT) result->sign = sign > 0 ? QKV__SIGN_POSITIVE : QKV__SIGN_NEGATIVE;
    if (found == QKV__WEAK) result->sign = sign > 0 ? QKV__SIGN_NONNEGATIVE : QKV__SIGN_NONPOSITIVE;
    result->has_zero = q.zero;
    if (q.at_zero && !result->has_zero_point) {
        result->has_zero_point = true;
        result->zero = q.zero_point;
    }
    if (!q.opposed) return;
    result->has_positive = result->has_negative = true;
    *(sign > 0 ? &result->negative : &result->positive) = q.witness;
}

/* A denominator NULL is 1. */
static void find_sign(const qkv__algebra *algebra, const qkv__form *numerator,
                      const qkv__form *denominator, const qkv__box *box, size_t effort,
                      qkv__sign_result *result)
{
    qkv__box tidy = *box;
    if (!qkv__box_tidy(algebra, &tidy) || !is_defined(algebra, numerator, &tidy) ||
        !is_defined(algebra, denominator, &tidy))
        return;
    if (qkv__form_is_zero(numerator)) {
        result->sign = QKV__SIGN_ZERO;
        return;
    }
    qkv__witness_search(algebra, numerator, denominator, &tidy, result);
    if (result->has_positive == result->has_negative) return;
    if (effort == 0) effort = QKV__SIGN_EFFORT;
    qkv__prover prover;
    qkv__prover_init(&prover, algebra, &tidy, effort);
    decide(&prover, numerator, denominator, result);
    result->spent = effort - prover.left;
    qkv__prover_free(&prover);
}

qkv__sign qkv__ball_sign_form(const qkv__algebra *algebra, const qkv__form *form,
                              const qkv__box *box, size_t effort, qkv__sign_result *result)
{
    *result = (qkv__sign_result){.sign = QKV__SIGN_UNKNOWN};
    if (form != NULL) find_sign(algebra, form, NULL, box, effort, result);
    return result->sign;
}

qkv__sign qkv__ball_sign(const qkv__algebra *algebra, qkv__ratio ratio, const qkv__box *box,
                         size_t effort, qkv__sign_result *result)
{
    qkv__rational below;
    *result = (qkv__sign_result){.sign = QKV__SIGN_UNKNOWN};
    if (qkv__ratio_is_lost(ratio)) return result->sign;
    bool one = qkv__form_is_constant(ratio.denominator, &below) && below.numerator == 1 &&
               below.denominator == 1;
    find_sign(algebra, ratio.numerator, one ? NULL : ratio.denominator, box, effort, result);
    return result->sign;
}
