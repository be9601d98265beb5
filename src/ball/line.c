/* From forms to polynomials in one variable, and from numbers back to points. Knows nothing of how
 * boxes are cut. */
#include "ball/line.h"
#include "ball/fraction.h"

#include <assert.h>
#include <math.h>

#include <flint/fmpq_poly.h>

#include "ball/cells.h"
#include "ball/span.h"
#include "ball/witness.h"

enum { DEGREE_LIMIT = 96 };

typedef struct line {
    fmpq_poly_t polynomial;
    bool exponential;           /* in e^y, y: */
    const qkv__form *direction; /* NULL for a polynomial without a variable */
    int parameter;              /* else in this parameter, or its root */
    bool rooted;
    int factor;             /* the sign of what was taken out, */
    bool factor_may_vanish; /* which may be 0 somewhere */
} line;

const qkv__form *qkv__form_settle(qkv__algebra *algebra, const qkv__form *form, const qkv__box *box)
{
    for (int p = 0; p < (int)algebra->parameter_count && form != NULL; p++)
        if (algebra->parameter[p].prime == 0 && qkv__box_is_fixed(algebra, box, p) &&
            qkv__form_depends_on(form, p))
            form = qkv__form_substitute(algebra, form, p,
                                        qkv__form_constant(algebra, box->range[p].lower.value));
    return form;
}

bool qkv__form_is_zero_at(qkv__algebra *algebra, const qkv__form *form, const qkv__point *point)
{
    for (int p = 0; p < (int)algebra->parameter_count && form != NULL; p++)
        if (algebra->parameter[p].prime == 0 && qkv__form_depends_on(form, p))
            form = qkv__form_substitute(algebra, form, p,
                                        qkv__form_constant(algebra, point->value[p]));
    return qkv__form_is_zero(form);
}

/* ---- The factor that all terms share ----------------------------------------------------------
 */

static bool excludes_zero(const qkv__range *range)
{
    int lower = range->lower.known ? qkv__rational_sign(range->lower.value) : -1;
    int upper = range->upper.known ? qkv__rational_sign(range->upper.value) : 1;
    return lower > 0 || upper < 0 || (lower == 0 && range->lower.strict) ||
           (upper == 0 && range->upper.strict);
}

/* The sign of p^(halves/2), where it has one. */
static bool multiply_factor(const qkv__algebra *algebra, const qkv__box *box, int p, int halves,
                            line *made)
{
    assert(qkv__is_parameter(algebra, p));
    const qkv__range *range = &box->range[p];
    if (halves == 0 || algebra->parameter[p].prime != 0) return true;
    bool odd = halves % 4 != 0;
    bool nonpositive = range->upper.known && qkv__rational_sign(range->upper.value) <= 0;
    if (!qkv__box_is_nonnegative(algebra, box, p) && odd) {
        if (!nonpositive || halves % 2 != 0) return false;
        made->factor = -made->factor;
    }
    made->factor_may_vanish = made->factor_may_vanish || !excludes_zero(range);
    return true;
}

static bool take_factor(const qkv__algebra *algebra, const qkv__form *form, const qkv__box *box,
                        line *made)
{
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (p != made->parameter && !multiply_factor(algebra, box, p, form->term[0].power[p], made))
            return false;
    return true;
}

/* ---- Polynomials in a parameter -------------------------------------------------------------- */

static bool set_coefficient(line *made, int64_t degree, qkv__rational value)
{
    fmpq_t coefficient;
    if (degree < 0 || degree > DEGREE_LIMIT) return false;
    fmpq_init(coefficient);
    qkv__fmpq_set_rational(coefficient, value);
    fmpq_poly_set_coeff_fmpq(made->polynomial, (slong)degree, coefficient);
    fmpq_clear(coefficient);
    return true;
}

/* Negative powers go by a factor that is positive: an even power, or one of a positive number. */
static bool set_plain(const qkv__form *form, line *made)
{
    int least = 0;
    for (size_t i = 0; i < form->count; i++) {
        int power = form->term[i].power[made->parameter];
        if (power < least) least = power;
        made->rooted = made->rooted || power % 2 != 0;
    }
    int shift = least % 4 == 0 || made->rooted ? -least : 2 - least;
    for (size_t i = 0; i < form->count; i++) {
        int halves = form->term[i].power[made->parameter] + shift;
        if (!set_coefficient(made, made->rooted ? halves : halves / 2, form->term[i].coefficient))
            return false;
    }
    return true;
}

/* ---- Polynomials in an exponential ------------------------------------------------------------
 */

static const qkv__form *exponent_difference(qkv__algebra *algebra, const qkv__form *form, size_t i)
{
    const qkv__form *zero = qkv__form_whole(algebra, 0);
    const qkv__form *a = form->term[i].exponent, *b = form->term[0].exponent;
    return qkv__form_subtract(algebra, a == NULL ? zero : a, b == NULL ? zero : b);
}

/* The r with b = r a. */
static bool find_multiple(qkv__algebra *algebra, const qkv__form *a, const qkv__form *b,
                          qkv__rational *multiple)
{
    assert(multiple != NULL);
    *multiple = qkv__rational_whole(0);
    if (b->count == 0) return true;
    if (a->count != b->count) return false;
    *multiple = qkv__rational_divide(b->term[0].coefficient, a->term[0].coefficient);
    return qkv__form_equal(qkv__form_scale(algebra, a, *multiple), b);
}

/* The greatest rational of which all the multiples are whole multiples. */
static qkv__rational common_step(const qkv__rational *multiples, size_t count)
{
    int64_t above = 0, below = 1;
    for (size_t i = 0; i < count; i++) {
        int64_t factor =
            multiples[i].denominator / qkv__common_divisor(below, multiples[i].denominator);
        if (factor > INT64_MAX / below) return QKV__RATIONAL_LOST;
        below *= factor;
        above = qkv__common_divisor(above, multiples[i].numerator);
    }
    return qkv__rational_make(above, below);
}

static bool set_powers(const qkv__form *form, const qkv__rational *multiples, qkv__rational step,
                       line *made)
{
    int64_t degree[DEGREE_LIMIT + 1], least = 0;
    for (size_t i = 0; i < form->count; i++) {
        qkv__rational quotient = qkv__rational_divide(multiples[i], step);
        if (!qkv__rational_is_whole(quotient)) return false;
        degree[i] = quotient.numerator;
        if (degree[i] < least) least = degree[i];
    }
    for (size_t i = 0; i < form->count; i++)
        if (degree[i] > DEGREE_LIMIT + least ||
            !set_coefficient(made, degree[i] - least, form->term[i].coefficient))
            return false;
    return true;
}

static bool set_exponential(qkv__algebra *algebra, const qkv__form *form, line *made)
{
    qkv__rational multiples[DEGREE_LIMIT + 1];
    const qkv__form *direction = NULL;
    if (form->count > DEGREE_LIMIT + 1) return false;
    for (size_t i = 0; i < form->count; i++) {
        const qkv__form *difference = exponent_difference(algebra, form, i);
        if (difference == NULL) return false;
        if (direction == NULL && difference->count > 0) direction = difference;
        multiples[i] = qkv__rational_whole(0);
        if (direction != NULL && !find_multiple(algebra, direction, difference, &multiples[i]))
            return false;
    }
    made->exponential = true;
    if (direction == NULL) return set_coefficient(made, 0, form->term[0].coefficient);
    qkv__rational step = common_step(multiples, form->count);
    made->direction = qkv__form_scale(algebra, direction, step);
    return made->direction != NULL && set_powers(form, multiples, step, made);
}

/* ---- Which line ------------------------------------------------------------------------------ */

static bool has_exponents_alike(const qkv__form *form)
{
    for (size_t i = 1; i < form->count; i++) {
        const qkv__form *a = form->term[0].exponent, *b = form->term[i].exponent;
        if (a != b && !qkv__form_equal(a, b)) return false;
    }
    return true;
}

/* The only parameter whose powers differ among the terms; -1: none, -2: there are several. */
static int varying_parameter(const qkv__algebra *algebra, const qkv__form *form)
{
    int varying = -1;
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        for (size_t i = 1; i < form->count; i++) {
            if (form->term[i].power[p] == form->term[0].power[p]) continue;
            if (varying >= 0 && varying != p) return -2;
            varying = p;
        }
    return varying;
}

static bool find_line(qkv__algebra *algebra, const qkv__form *form, const qkv__box *box, line *made)
{
    made->factor = 1;
    made->parameter = varying_parameter(algebra, form);
    if (made->parameter == -2 || !take_factor(algebra, form, box, made)) return false;
    if (made->parameter < 0) return set_exponential(algebra, form, made);
    if (algebra->parameter[made->parameter].prime != 0) return false;
    return has_exponents_alike(form) && set_plain(form, made);
}

/* ---- Points ---------------------------------------------------------------------------------- */

/* What is looked for: a point where y lies between these, and the form has this sign. */
typedef struct target {
    qkv__algebra *algebra;
    const qkv__form *form;
    const qkv__box *box;
    const line *along;
    const fmpq *lower, *upper; /* of y */
    int sign;
    qkv__point point; /* of the box; changed until it is one that was looked for */
} target;

static bool is_hit(target *wanted, int p, const fmpq_t value)
{
    assert(p >= 0 && p < QKV__PARAMETERS);
    qkv__box box = *wanted->box;
    qkv__rational number = qkv__rational_of_fmpq(value);
    if (qkv__rational_is_lost(number) || !qkv__box_fix(wanted->algebra, &box, p, number))
        return false;
    qkv__point point = wanted->point;
    point.value[p] = number;
    bool hit = wanted->sign == 0
                   ? qkv__form_is_zero_at(wanted->algebra, wanted->form, &point)
                   : qkv__form_sign_at(wanted->algebra, wanted->form, &point) == wanted->sign;
    if (hit) wanted->point = point;
    return hit;
}

/* y = c p^k + d, k > 0: p for a y, in floating point; NaN where there is none. */
typedef struct curve {
    double slope, offset, exponent;
} curve;

static double invert(const curve *c, const fmpq_t y)
{
    double power = (fmpq_get_d(y) - c->offset) / c->slope;
    if (c->exponent == 1) return power;
    bool odd = c->exponent == floor(c->exponent) && fmod(c->exponent, 2) == 1;
    return power < 0 && odd ? -pow(-power, 1 / c->exponent) : pow(power, 1 / c->exponent);
}

static bool try_between(target *wanted, int p, double a, double b)
{
    fmpq_t simplest;
    if (!isfinite(a) || !isfinite(b)) return false;
    fmpq_init(simplest);
    qkv__fmpq_simplest(simplest, fmin(a, b), fmax(a, b));
    bool hit = is_hit(wanted, p, simplest);
    fmpq_clear(simplest);
    return hit;
}

static double evaluate_at(const qkv__form *form, const qkv__algebra *algebra,
                          const qkv__point *point, int but)
{
    double sum = 0;
    for (size_t i = 0; i < form->count; i++) {
        double part = qkv__rational_approximate(form->term[i].coefficient);
        for (int p = 0; p < (int)algebra->parameter_count; p++)
            if (p != but && form->term[i].power[p] != 0)
                part *=
                    pow(qkv__rational_approximate(point->value[p]), form->term[i].power[p] / 2.0);
        if (but < 0 || form->term[i].power[but] == 0) sum += part;
    }
    return sum;
}

/* The direction as a curve in p alone, the others at the point. */
static bool find_curve(const target *wanted, int p, curve *found)
{
    assert(p >= 0 && p < QKV__PARAMETERS);
    const qkv__form *direction = wanted->along->direction;
    *found = (curve){0};
    for (size_t i = 0; i < direction->count; i++) {
        const qkv__term *term = &direction->term[i];
        double exponent = term->power[p] / 2.0;
        if (term->power[p] == 0) continue;
        if (exponent < 0 || (found->exponent != 0 && found->exponent != exponent)) return false;
        double part = qkv__rational_approximate(term->coefficient);
        for (int q = 0; q < (int)wanted->algebra->parameter_count; q++)
            if (q != p && term->power[q] != 0)
                part *=
                    pow(qkv__rational_approximate(wanted->point.value[q]), term->power[q] / 2.0);
        found->exponent = exponent;
        found->slope += part;
    }
    found->offset = evaluate_at(direction, wanted->algebra, &wanted->point, p);
    return found->exponent != 0 && found->slope != 0;
}

static bool hit_along_curve(target *wanted, int p)
{
    curve along;
    if (!find_curve(wanted, p, &along)) return false;
    double a = invert(&along, wanted->lower), b = invert(&along, wanted->upper);
    return try_between(wanted, p, a, b) || try_between(wanted, p, -a, -b);
}

/* The parameter itself, or its root, between the ends. */
static bool hit_plainly(target *wanted)
{
    fmpq_t simplest;
    fmpq_init(simplest);
    fmpq_simplest_between(simplest, wanted->lower, wanted->upper);
    if (wanted->along->rooted) fmpq_mul(simplest, simplest, simplest);
    bool hit = is_hit(wanted, wanted->along->parameter, simplest);
    fmpq_clear(simplest);
    return hit;
}

static bool hit_target(target *wanted)
{
    if (!wanted->along->exponential) return hit_plainly(wanted);
    for (int p = 0; p < (int)wanted->algebra->parameter_count && wanted->along->direction; p++)
        if (qkv__form_depends_on(wanted->along->direction, p) && hit_along_curve(wanted, p))
            return true;
    return false;
}

/* ---- The answer ------------------------------------------------------------------------------ */

static void find_points(target *wanted, const qkv__cells *cells, qkv__line_answer *answer)
{
    const qkv__point base = wanted->point;
    for (int sign = -1; sign <= 1; sign += 2) {
        bool turned = sign * wanted->along->factor < 0;
        const qkv__cell *cell = turned ? &cells->negative : &cells->positive;
        if (!cell->known) continue;
        wanted->sign = sign;
        wanted->point = base;
        wanted->lower = cell->lower;
        wanted->upper = cell->upper;
        bool hit = hit_target(wanted);
        *(sign > 0 ? &answer->has_positive_point : &answer->has_negative_point) = hit;
        *(sign > 0 ? &answer->positive : &answer->negative) = wanted->point;
    }
    if (!cells->has_rational_zero) return;
    wanted->sign = 0;
    wanted->point = base;
    wanted->lower = wanted->upper = cells->zero;
    answer->has_zero_point = hit_target(wanted);
    answer->zero = wanted->point;
}

static void read_cells(const line *along, const qkv__cells *cells, bool full,
                       qkv__line_answer *answer)
{
    answer->may_be_positive = along->factor > 0 ? cells->positive.known : cells->negative.known;
    answer->may_be_negative = along->factor > 0 ? cells->negative.known : cells->positive.known;
    answer->may_be_zero = cells->has_zero || along->factor_may_vanish;
    answer->has_zero = (cells->has_zero && full) || along->factor_may_vanish;
}

/* The range of y, which is the parameter, its root, or the direction. */
static qkv__span span_of_line(const qkv__algebra *algebra, const line *along, const qkv__box *box)
{
    if (along->exponential && along->direction == NULL) return (qkv__span){0};
    if (along->exponential) return qkv__span_of_form(algebra, along->direction, box);
    qkv__span span = qkv__span_of_power(&box->range[along->parameter], along->rooted ? 1 : 2);
    span.full = span.full && !algebra->parameter[along->parameter].whole;
    return span;
}

/* Whether y is a parameter itself that takes whole numbers alone. */
static bool is_whole(const qkv__algebra *algebra, const line *along)
{
    if (!along->exponential) return algebra->parameter[along->parameter].whole && !along->rooted;
    const qkv__form *direction = along->direction;
    if (direction == NULL || direction->count != 1) return false;
    const qkv__rational factor = direction->term[0].coefficient;
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (direction->term[0].power[p] != 0)
            return direction->term[0].power[p] == 2 && algebra->parameter[p].whole &&
                   factor.numerator == 1 && factor.denominator == 1;
    return false;
}

static bool survey_line(target *wanted, qkv__line_answer *answer)
{
    const line *along = wanted->along;
    qkv__span span = span_of_line(wanted->algebra, along, wanted->box);
    qkv__cells cells;
    fmpz_poly_t polynomial;
    fmpz_poly_init(polynomial);
    qkv__cells_init(&cells);
    fmpq_poly_get_numerator(polynomial, along->polynomial);
    qkv__cells_question question = {.polynomial = polynomial,
                                    .exponential = along->exponential,
                                    .whole = is_whole(wanted->algebra, along),
                                    .range = span.range};
    bool known = !fmpz_poly_is_zero(polynomial) && qkv__cells_survey(&question, &cells);
    if (known) {
        read_cells(along, &cells, span.full || question.whole, answer);
        find_points(wanted, &cells, answer);
        answer->has_zero = answer->has_zero || answer->has_zero_point;
    }
    qkv__cells_clear(&cells);
    fmpz_poly_clear(polynomial);
    return known;
}

bool qkv__line_decide(qkv__algebra *algebra, const qkv__form *form, const qkv__box *box,
                      const qkv__point *base, qkv__line_answer *answer)
{
    const qkv__form *settled = qkv__form_settle(algebra, form, box);
    *answer = (qkv__line_answer){0};
    if (settled == NULL || settled->count == 0) return false;
    line along = {.factor = 1};
    fmpq_poly_init(along.polynomial);
    target wanted = {.algebra = algebra, .form = form, .box = box, .along = &along, .point = *base};
    bool known = find_line(algebra, settled, box, &along) && survey_line(&wanted, answer);
    fmpq_poly_clear(along.polynomial);
    return known;
}
