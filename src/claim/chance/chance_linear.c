/*
 * Probabilities and absolute values of normal numbers in closed form. Knows laws of linear
 * combinations (moment.h) and the error function by balls.
 *
 * f > 0 is the question whether a normal number L is above 0 where f = N/D with D of one sign, and
 * N is linear in random numbers, or has two terms: c e^A - d e^B is positive just where A - B >
 * ln(d/c). With L of mean m and variance V > 0, P(L > 0) = Phi(m/sqrt(V)) = erfc(-m/sqrt(2V))/2: a
 * half exactly if m = 0, whatever V is, so that it needs no numbers. Two such events are
 * independent if their L are uncorrelated, since they are jointly normal; where one L is a multiple
 * of the other plus a number, both together are an interval. E|L| = 2 P(L > 0) E(L given L > 0) -
 * m.
 */
#include <math.h>

#include "claim/chance/chance_part.h"
#include "claim/chance/likely.h"
#include "claim/chance/moment.h"
#include "claim/chance/symmetry.h"
#include "claim/model/random_parameters.h"
#include "exact/sign.h"

/* ---- Normal numbers of the sign of a ratio ------------------------------------------- */

static qkv__sign sign_of(qkv__situation *s, const qkv__form *form)
{
    qkv__algebra *algebra = &s->model->algebra;
    qkv__sign sign = qkv__symmetry_sign(s, form);
    if (sign == QKV__SIGN_POSITIVE) return sign;
    if (qkv__symmetry_sign(s, qkv__form_scale(algebra, form, qkv__rational_whole(-1))) ==
        QKV__SIGN_POSITIVE)
        return QKV__SIGN_NEGATIVE;
    return qkv__form_sign(algebra, form);
}

/* c e^A - d e^B: A - B - ln(d/c), with the sign that c has. */
static bool exponents_apart(qkv__situation *s, const qkv__form *sum, const qkv__form **apart)
{
    qkv__algebra *algebra = &s->model->algebra;
    if (sum->count != 2) return false;
    const qkv__form *zero = qkv__form_whole(algebra, 0), *exponent[2];
    qkv__term plain[2] = {sum->term[0], sum->term[1]};
    for (int i = 0; i < 2; i++) {
        exponent[i] = plain[i].exponent == NULL ? zero : plain[i].exponent;
        plain[i].exponent = NULL;
    }
    const qkv__form *first = qkv__form_term(algebra, &plain[0]);
    qkv__sign sign = qkv__form_sign(algebra, first);
    qkv__rational quotient;
    if ((sign != QKV__SIGN_POSITIVE && sign != QKV__SIGN_NEGATIVE) ||
        !qkv__form_is_constant(
            qkv__form_divide_by_term(algebra, qkv__form_term(algebra, &plain[1]), &plain[0]),
            &quotient) ||
        qkv__rational_sign(quotient) >= 0)
        return false;
    *apart = qkv__form_subtract(algebra, qkv__form_subtract(algebra, exponent[0], exponent[1]),
                                qkv__form_logarithm(algebra, qkv__rational_negate(quotient)));
    if (sign == QKV__SIGN_NEGATIVE)
        *apart = qkv__form_scale(algebra, *apart, qkv__rational_whole(-1));
    return *apart != NULL;
}

bool qkv__chance_normal(qkv__situation *s, qkv__ratio f, qkv__ratio *normal, qkv__ratio *mean,
                        qkv__ratio *variance)
{
    qkv__algebra *algebra = &s->model->algebra;
    const qkv__form *sum;
    if (qkv__ratio_is_lost(f) || !qkv__random_touches(s->model, f)) return false;
    if (qkv__moment_normal(s, f, mean, variance)) return *normal = f, true;
    qkv__sign sign = sign_of(s, f.denominator);
    if (sign != QKV__SIGN_POSITIVE && sign != QKV__SIGN_NEGATIVE) return false;
    sum = f.numerator;
    if (sign == QKV__SIGN_NEGATIVE) sum = qkv__form_scale(algebra, sum, qkv__rational_whole(-1));
    *normal = qkv__ratio_of_form(algebra, sum);
    if (qkv__moment_normal(s, *normal, mean, variance)) return true;
    if (!exponents_apart(s, sum, &sum)) return false;
    *normal = qkv__ratio_of_form(algebra, sum);
    return qkv__moment_normal(s, *normal, mean, variance);
}

/* ---- The normal law ------------------------------------------------------------------ */

/* Phi at a multiple of 2^-40, at most (up: at least) x. */
static double normal_below(double x, bool up)
{
    const double unit = 0x1p-40;
    if (!(fabs(x) < 64.0))
        return isnan(x)  ? (up ? 1.0 : 0.0)
               : x < 0.0 ? (up ? 1e-300 : 0.0)
                         : (up ? 1.0 : 1.0 - 0x1p-53);
    double steps = up ? ceil(x / unit) : floor(x / unit);
    qkv__rational at = qkv__rational_make((int64_t)steps, INT64_C(1) << 40);
    qkv__normal standard = {.mean = qkv__rational_whole(0), .variance = qkv__rational_whole(1)};
    qkv__half_line line = {.above = false, .lower = at, .upper = at};
    qkv__enclosure chance;
    if (!qkv__ball_half_line(standard, line, &chance)) return up ? 1.0 : 0.0;
    return up ? chance.upper : chance.lower;
}

static qkv__likely half(void)
{
    return qkv__likely_rational(qkv__rational_make(1, 2));
}

static qkv__likely whole(int64_t value)
{
    return qkv__likely_rational(qkv__rational_whole(value));
}

/* Phi over an interval; 1/2 at 0 exactly. */
static qkv__likely phi(qkv__likely z)
{
    if (z.exact && qkv__rational_is_zero(z.value)) return half();
    double low = normal_below(z.lower, false), high = normal_below(z.upper, true);
    if (z.lower >= 0.0) low = fmax(low, 0.5);
    if (z.upper <= 0.0) high = fmin(high, 0.5);
    return qkv__likely_between(low, high);
}

/* Without rounding. */
static qkv__likely opposite(qkv__likely x)
{
    if (x.exact) return qkv__likely_rational(qkv__rational_negate(x.value));
    return qkv__likely_between(-x.upper, -x.lower);
}

/* m over anything positive. */
static qkv__likely by_sign(qkv__sign sign)
{
    bool above = sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NONNEGATIVE;
    bool below = sign == QKV__SIGN_NEGATIVE || sign == QKV__SIGN_NONPOSITIVE;
    return qkv__likely_between(above ? 0.0 : -INFINITY, below ? 0.0 : INFINITY);
}

/* A number that is linear in one parameter with one bound, and made of nothing else: from its value
 * there on, or up to it. */
static bool half_range(const qkv__situation *s, qkv__ratio x, qkv__likely *range)
{
    qkv__algebra *algebra = &s->model->algebra;
    qkv__rational slope, end;
    int found = -1;
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (qkv__ratio_depends_on(x, p)) {
            if (found >= 0) return false;
            found = p;
        }
    if (found < 0) return false;
    const qkv__parameter *known = &algebra->parameter[found];
    if (known->lower.known == known->upper.known) return false;
    const qkv__form *at =
        qkv__form_constant(algebra, known->lower.known ? known->lower.value : known->upper.value);
    qkv__ratio rest = qkv__ratio_substitute(algebra, x, found, qkv__form_whole(algebra, 0));
    qkv__ratio factor = qkv__ratio_subtract(
        algebra, qkv__ratio_substitute(algebra, x, found, qkv__form_whole(algebra, 1)), rest);
    qkv__ratio alone = qkv__ratio_of_form(algebra, qkv__form_parameter(algebra, found));
    qkv__ratio line = qkv__ratio_add(algebra, rest, qkv__ratio_multiply(algebra, factor, alone));
    if (qkv__ratio_is_lost(line) || !qkv__ratio_equal(algebra, x, line) ||
        !qkv__ratio_is_constant(factor, &slope) || qkv__rational_is_zero(slope) ||
        !qkv__ratio_is_constant(qkv__ratio_substitute(algebra, x, found, at), &end))
        return false;
    const qkv__likely value = qkv__likely_rational(end);
    const bool upward = known->lower.known == (qkv__rational_sign(slope) > 0);
    *range = upward ? qkv__likely_between(value.lower, INFINITY)
                    : qkv__likely_between(-INFINITY, value.upper);
    return true;
}

/* m/sqrt(V), where V is seen to be positive; *constant: V is 0, and m is all there is. */
static bool standardize(qkv__situation *s, qkv__ratio mean, qkv__ratio variance, qkv__likely *z,
                        bool *constant)
{
    qkv__algebra *algebra = &s->model->algebra;
    qkv__likely m, v;
    mean = qkv__situation_apply(s, mean);
    variance = qkv__situation_apply(s, variance);
    *constant = qkv__ratio_is_zero(variance);
    if (*constant) return qkv__chance_number(s, mean, z);
    bool positive = qkv__ratio_sign(algebra, variance) == QKV__SIGN_POSITIVE;
    bool known = qkv__chance_number(s, variance, &v) && v.lower > 0.0;
    if (!positive && !known) return false;
    if (qkv__ratio_is_zero(mean)) return *z = whole(0), true;
    if (known && (qkv__chance_number(s, mean, &m) || half_range(s, mean, &m)))
        *z = qkv__likely_divide(m, qkv__likely_root(v));
    else
        *z = by_sign(qkv__ratio_sign(algebra, mean));
    return true;
}

/* P(L > 0), L >= 0 ... of a number that is not random. */
static bool certain(qkv__likely value, qkv__event event, qkv__likely *result)
{
    static const qkv__comparison comparisons[] = {
        [QKV__EVENT_ABOVE] = QKV__GREATER, [QKV__EVENT_AT_LEAST] = QKV__GREATER_OR_EQUAL,
        [QKV__EVENT_BELOW] = QKV__LESS,    [QKV__EVENT_AT_MOST] = QKV__LESS_OR_EQUAL,
        [QKV__EVENT_EQUAL] = QKV__EQUAL,   [QKV__EVENT_UNEQUAL] = QKV__NOT_EQUAL};
    qkv__verdict verdict = qkv__chance_judge(value, whole(0), comparisons[event]);
    *result = whole(verdict == QKV__PROVED ? 1 : 0);
    return verdict != QKV__UNDECIDED;
}

bool qkv__chance_of_normal(qkv__situation *s, qkv__ratio mean, qkv__ratio variance,
                           qkv__event event, qkv__likely *result)
{
    qkv__likely z;
    bool constant;
    if (!standardize(s, mean, variance, &z, &constant)) return false;
    if (constant) return certain(z, event, result);
    bool below = event == QKV__EVENT_BELOW || event == QKV__EVENT_AT_MOST;
    if (event == QKV__EVENT_EQUAL || event == QKV__EVENT_UNEQUAL)
        return *result = whole(event == QKV__EVENT_UNEQUAL ? 1 : 0), true;
    *result = phi(below ? opposite(z) : z);
    return true;
}

bool qkv__chance_is_certain(qkv__situation *s, qkv__ratio f, qkv__event event, qkv__likely *result)
{
    qkv__likely value;
    if (qkv__ratio_is_lost(f)) return false;
    if (!qkv__random_touches(s->model, f))
        return qkv__chance_number(s, qkv__situation_apply(s, f), &value) &&
               certain(value, event, result);
    qkv__sign sign = qkv__sign_multiply(sign_of(s, f.numerator), sign_of(s, f.denominator));
    if (sign != QKV__SIGN_POSITIVE && sign != QKV__SIGN_NEGATIVE) return false;
    return certain(whole(sign == QKV__SIGN_POSITIVE ? 1 : -1), event, result);
}

/* ---- Two events ---------------------------------------------------------------------- */

static bool is_positive_event(qkv__event event, bool *positive)
{
    *positive = event == QKV__EVENT_ABOVE || event == QKV__EVENT_AT_LEAST;
    return *positive || event == QKV__EVENT_BELOW || event == QKV__EVENT_AT_MOST;
}

/* Z > -z, or Z < z, of a standard normal Z: both together, where the second Z is the first or its
 * opposite. */
static qkv__likely interval_chance(qkv__likely first, qkv__likely second, bool same)
{
    /* Z > -z1 and Z > -z2: the smaller z decides. Z > -z1 and Z < z2: Phi(z2) - Phi(-z1), or 0. */
    qkv__likely one = phi(first), two = phi(second);
    if (same && one.upper <= two.lower) return one;
    if (same && two.upper <= one.lower) return two;
    if (same) return qkv__likely_between(fmin(one.lower, two.lower), fmin(one.upper, two.upper));
    return qkv__likely_positive_part(qkv__likely_subtract(qkv__likely_add(one, two), whole(1)));
}

bool qkv__chance_of_both(qkv__situation *s, const qkv__ratio f[2], const qkv__event event[2],
                         qkv__likely *result)
{
    qkv__algebra *algebra = &s->model->algebra;
    qkv__ratio normal[2], mean[2], variance[2], covariance;
    qkv__likely z[2];
    for (int i = 0; i < 2; i++) {
        bool positive, constant;
        if (!qkv__chance_normal(s, f[i], &normal[i], &mean[i], &variance[i]) ||
            !is_positive_event(event[i], &positive))
            return false;
        if (!positive) {
            normal[i] = qkv__ratio_negate(algebra, normal[i]);
            mean[i] = qkv__ratio_negate(algebra, mean[i]);
        }
        if (!standardize(s, mean[i], variance[i], &z[i], &constant) || constant) return false;
    }
    if (!qkv__moment_covariance(s, normal[0], normal[1], &covariance)) return false;
    covariance = qkv__situation_apply(s, covariance);
    if (qkv__ratio_is_zero(covariance))
        return *result = qkv__likely_multiply(phi(z[0]), phi(z[1])), true;
    qkv__ratio gap = qkv__ratio_subtract(algebra, qkv__ratio_power(algebra, covariance, 2),
                                         qkv__ratio_multiply(algebra, variance[0], variance[1]));
    qkv__sign sign = qkv__ratio_sign(algebra, covariance);
    if (!qkv__ratio_is_zero(qkv__situation_apply(s, gap)) ||
        (sign != QKV__SIGN_POSITIVE && sign != QKV__SIGN_NEGATIVE))
        return false;
    *result = interval_chance(z[0], z[1], sign == QKV__SIGN_POSITIVE);
    return true;
}

/* ---- Absolute values ----------------------------------------------------------------- */

bool qkv__chance_mean_size(qkv__situation *s, qkv__ratio f, qkv__likely *result)
{
    qkv__algebra *algebra = &s->model->algebra;
    qkv__ratio mean, variance;
    qkv__normal normal = {.parameter = qkv__parameter_find(algebra, "a normal number")};
    qkv__enclosure part, chance;
    qkv__box box;
    if (!qkv__moment_normal(s, f, &mean, &variance) ||
        !qkv__ratio_is_constant(mean, &normal.mean) ||
        !qkv__ratio_is_constant(qkv__situation_apply(s, variance), &normal.variance) ||
        qkv__rational_sign(normal.variance) <= 0)
        return false;
    if (normal.parameter < 0) normal.parameter = qkv__parameter_add(algebra, "a normal number");
    if (normal.parameter < 0 || !qkv__box_of_algebra(algebra, &box)) return false;
    qkv__half_line line = {.above = true, .lower = {0, 1}, .upper = {0, 1}};
    qkv__ratio itself = qkv__ratio_of_form(algebra, qkv__form_parameter(algebra, normal.parameter));
    if (!qkv__ball_expectation_given(algebra, itself, normal, line, &box, &part) ||
        !qkv__ball_half_line(normal, line, &chance))
        return false;
    qkv__likely above = qkv__likely_multiply(qkv__likely_between(part.lower, part.upper),
                                             qkv__likely_between(chance.lower, chance.upper));
    *result = qkv__likely_subtract(qkv__likely_multiply(whole(2), above),
                                   qkv__likely_rational(normal.mean));
    return true;
}
