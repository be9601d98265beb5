/* Real roots by Arb, signs between them at rational points. Knows nothing of forms. */
#include "ball/cells.h"

#include <assert.h>
#include "ball/fraction.h"

#include "base/memory.h"

enum {
    FIRST_PRECISION = 64,
    LAST_PRECISION = 4096,
    SHARP_BITS = 20, /* of the ends of a range, where roots are ruled out */
};

/* ---- Numbers ------------------------------------------------------------------------------- */

void qkv__fmpq_simplest(fmpq_t result, double lower, double upper)
{
    arf_t end;
    fmpq_t low, high;
    arf_init(end);
    fmpq_init(low);
    fmpq_init(high);
    arf_set_d(end, lower);
    arf_get_fmpq(low, end);
    arf_set_d(end, upper);
    arf_get_fmpq(high, end);
    fmpq_simplest_between(result, low, high);
    arf_clear(end);
    fmpq_clear(low);
    fmpq_clear(high);
}

void qkv__cells_init(qkv__cells *cells)
{
    cells->positive.known = cells->negative.known = false;
    cells->has_zero = cells->has_rational_zero = false;
    fmpq_init(cells->positive.lower);
    fmpq_init(cells->positive.upper);
    fmpq_init(cells->negative.lower);
    fmpq_init(cells->negative.upper);
    fmpq_init(cells->zero);
}

void qkv__cells_clear(qkv__cells *cells)
{
    fmpq_clear(cells->positive.lower);
    fmpq_clear(cells->positive.upper);
    fmpq_clear(cells->negative.lower);
    fmpq_clear(cells->negative.upper);
    fmpq_clear(cells->zero);
}

/* ---- The survey's state --------------------------------------------------------------------- */

typedef struct survey {
    const qkv__cells_question *question;
    qkv__cells *cells;
    fmpz_poly_t rest;       /* the squarefree part, without roots at the ends of the range */
    fmpq_t lower, upper;    /* of the range, where known */
    slong count, precision; /* roots y inside the range, in order */
    arb_ptr root;
    slong room; /* for roots */
} survey;

/* What a step at some precision came to. */
typedef enum step { DONE, TOO_COARSE } step;

static bool is_root(const survey *s, const fmpz_poly_t polynomial, const fmpq_t y)
{
    fmpq_t value, one;
    if (s->question->exponential && !fmpq_is_zero(y)) return false;
    fmpq_init(value);
    fmpq_init(one);
    fmpq_one(one);
    fmpz_poly_evaluate_fmpq(value, polynomial, s->question->exponential ? one : y);
    bool zero = fmpq_is_zero(value);
    fmpq_clear(value);
    fmpq_clear(one);
    return zero;
}

static void note_zero(survey *s, const fmpq_t y)
{
    s->cells->has_zero = s->cells->has_rational_zero = true;
    fmpq_set(s->cells->zero, y);
}

/* Divides the rest by its linear factor with the root y = a/b, which is b x - a; or x - 1. */
static void divide_out(survey *s, const fmpq_t y)
{
    fmpz_poly_t factor;
    fmpz_poly_init(factor);
    fmpz_poly_set_coeff_si(factor, 1, 1);
    fmpz_poly_set_coeff_si(factor, 0, 1);
    if (!s->question->exponential) {
        fmpz_poly_set_coeff_fmpz(factor, 1, fmpq_denref(y));
        fmpz_poly_set_coeff_fmpz(factor, 0, fmpq_numref(y));
    }
    fmpz_neg(factor->coeffs, factor->coeffs);
    fmpz_poly_div(s->rest, s->rest, factor);
    fmpz_poly_clear(factor);
}

static void take_out_end(survey *s, const qkv__bound *end, const fmpq_t y)
{
    if (!end->known || !is_root(s, s->rest, y)) return;
    divide_out(s, y);
    if (!end->strict) note_zero(s, y);
}

/* The squarefree part: its roots are those of the polynomial, once each. */
static void set_rest(survey *s)
{
    const fmpz_poly_struct *polynomial = s->question->polynomial;
    fmpz_poly_t derivative;
    fmpz_poly_init(derivative);
    fmpz_poly_derivative(derivative, polynomial);
    fmpz_poly_gcd(derivative, derivative, polynomial);
    fmpz_poly_primitive_part(s->rest, polynomial);
    fmpz_poly_primitive_part(derivative, derivative);
    fmpz_poly_div(s->rest, s->rest, derivative);
    /* e^y is never 0. */
    if (s->question->exponential && fmpz_is_zero(s->rest->coeffs))
        fmpz_poly_shift_right(s->rest, s->rest, 1);
    fmpz_poly_clear(derivative);
    take_out_end(s, &s->question->range.lower, s->lower);
    take_out_end(s, &s->question->range.upper, s->upper);
}

/* ---- Roots --------------------------------------------------------------------------------- */

/* Where y lies: -1, 1 outside of the range, 0 inside; TOO_COARSE when the ball is too wide. No
 * root that is left lies at an end. */
static step place_root(const survey *s, const arb_t y, int *place)
{
    const qkv__range *range = &s->question->range;
    step found = DONE;
    arb_t end;
    arb_init(end);
    *place = 0;
    if (range->lower.known) {
        arb_set_fmpq(end, s->lower, s->precision);
        if (arb_lt(y, end)) *place = -1;
        if (arb_overlaps(y, end)) found = TOO_COARSE;
    }
    if (range->upper.known) {
        arb_set_fmpq(end, s->upper, s->precision);
        if (arb_gt(y, end)) *place = 1;
        if (arb_overlaps(y, end)) found = TOO_COARSE;
    }
    arb_clear(end);
    return found;
}

/* Adds the root y, or ln of the root x, when it lies in the range. */
static step add_root(survey *s, const arb_t x)
{
    int place;
    arb_ptr y = s->root + s->count;
    arb_set(y, x);
    if (s->question->exponential) {
        if (arb_is_negative(x)) return DONE;
        if (!arb_is_positive(x)) return TOO_COARSE;
        arb_log(y, x, s->precision);
    }
    if (place_root(s, y, &place) == TOO_COARSE) return TOO_COARSE;
    if (place != 0) return DONE;
    if (s->count > 0 && !arb_lt(y - 1, y)) return TOO_COARSE;
    s->count++;
    return DONE;
}

/* Whether no two coefficients have opposite signs, nor is the last one 0: then there is no root
 * that is not negative (Descartes). */
static bool has_one_sign(const fmpz_poly_t polynomial)
{
    int sign = fmpz_sgn(polynomial->coeffs);
    for (slong i = 1; sign != 0 && i < fmpz_poly_length(polynomial); i++)
        if (fmpz_sgn(polynomial->coeffs + i) * sign < 0) return false;
    return sign != 0;
}

/* An end of the range in x, times 2^SHARP_BITS and rounded outward: x = e^y, or y itself. False
 * where it is too far out. */
static bool scaled_end(const survey *s, const fmpq_t y, bool upward, fmpz_t end)
{
    arb_t x;
    arf_t low, high;
    arb_init(x);
    arf_init(low);
    arf_init(high);
    arb_set_fmpq(x, y, FIRST_PRECISION);
    if (s->question->exponential) arb_exp(x, x, FIRST_PRECISION);
    arb_mul_2exp_si(x, x, SHARP_BITS);
    arb_get_interval_arf(low, high, x, FIRST_PRECISION);
    bool near = arf_is_finite(low) && arf_is_finite(high) && arf_cmpabs_2exp_si(high, 64) < 0 &&
                arf_cmpabs_2exp_si(low, 64) < 0;
    if (near) arf_get_fmpz(end, upward ? high : low, upward ? ARF_RND_CEIL : ARF_RND_FLOOR);
    arb_clear(x);
    arf_clear(low);
    arf_clear(high);
    return near;
}

/* Descartes' rule: a polynomial has no root in (p, q) if P(p + x) has coefficients of one sign, or
 * (1 + t)^d P(p + (q - p)/(1 + t)) has. `end` is infinite where `bounded` is false. */
static bool is_rootless_between(const fmpz_poly_t polynomial, const fmpz_t begin, const fmpz_t end,
                                bool bounded)
{
    slong degree = fmpz_poly_degree(polynomial);
    fmpz_poly_t moved;
    fmpz_t factor;
    fmpz_poly_init(moved);
    fmpz_init(factor);
    fmpz_poly_set(moved, polynomial); /* in X = 2^SHARP_BITS x, times 2^(SHARP_BITS d) */
    for (slong i = 0; i <= degree; i++)
        fmpz_mul_2exp(moved->coeffs + i, moved->coeffs + i, (ulong)(SHARP_BITS * (degree - i)));
    fmpz_poly_taylor_shift(moved, moved, begin);
    bool rootless = has_one_sign(moved);
    if (!rootless && bounded && fmpz_cmp(begin, end) < 0) {
        fmpz_sub(factor, end, begin);
        fmpz_t power;
        fmpz_init_set_ui(power, 1);
        for (slong i = 0; i <= degree; i++) {
            fmpz_mul(moved->coeffs + i, moved->coeffs + i, power);
            fmpz_mul(power, power, factor);
        }
        fmpz_clear(power);
        fmpz_poly_reverse(moved, moved, degree + 1);
        fmpz_one(factor);
        fmpz_poly_taylor_shift(moved, moved, factor);
        rootless = fmpz_poly_degree(moved) == degree && has_one_sign(moved);
    }
    fmpz_poly_clear(moved);
    fmpz_clear(factor);
    return rootless;
}

/* Whether it is plain that no root lies in the range. Finding roots takes a hundred times as long.
 */
static bool is_plainly_rootless(const survey *s)
{
    const qkv__range *range = &s->question->range;
    fmpz_t begin, end;
    fmpz_init(begin);
    fmpz_init(end);
    bool rootless = s->question->exponential && has_one_sign(s->rest); /* in x > 0 */
    bool known = range->lower.known ? scaled_end(s, s->lower, false, begin)
                                    : s->question->exponential; /* from 0 on */
    bool bounded = range->upper.known && scaled_end(s, s->upper, true, end);
    rootless = rootless || (known && is_rootless_between(s->rest, begin, end, bounded));
    fmpz_clear(begin);
    fmpz_clear(end);
    return rootless;
}

/* Arb gives the real roots first, from below, with imaginary parts that are exactly 0. */
static step find_roots(survey *s)
{
    slong degree = fmpz_poly_degree(s->rest);
    step found = DONE;
    s->count = 0;
    if (degree < 1 || is_plainly_rootless(s)) return DONE;
    acb_ptr all = _acb_vec_init(degree);
    arb_fmpz_poly_complex_roots(all, s->rest, 0, s->precision);
    for (slong i = 0; found == DONE && i < degree && arb_is_zero(acb_imagref(all + i)); i++)
        found = add_root(s, acb_realref(all + i));
    _acb_vec_clear(all, degree);
    return found;
}

/* Bounds of a root as rationals. */
static void root_bounds(const survey *s, slong i, fmpq_t lower, fmpq_t upper)
{
    arf_t low, high;
    arf_init(low);
    arf_init(high);
    arb_get_interval_arf(low, high, s->root + i, s->precision);
    arf_get_fmpq(lower, low);
    arf_get_fmpq(upper, high);
    arf_clear(low);
    arf_clear(high);
}

/* The simplest number near a root is the root itself, or it is no root with a small denominator. */
static void look_for_zeros(survey *s)
{
    fmpq_t lower, upper, simplest;
    fmpq_init(lower);
    fmpq_init(upper);
    fmpq_init(simplest);
    for (slong i = 0; i < s->count; i++) {
        root_bounds(s, i, lower, upper);
        fmpq_simplest_between(simplest, lower, upper);
        bool rational = is_root(s, s->rest, simplest);
        bool allowed = !s->question->whole || fmpz_is_one(fmpq_denref(simplest));
        if (rational && allowed) note_zero(s, simplest);
        if (!s->question->whole) s->cells->has_zero = true;
    }
    fmpq_clear(lower);
    fmpq_clear(upper);
    fmpq_clear(simplest);
}

/* ---- Signs --------------------------------------------------------------------------------- */

/* The sign at e^y for a y that is no root: precision decides in the end. */
static int sign_at_exponential(const survey *s, const fmpq_t y)
{
    int sign = 0;
    arb_t x;
    arb_init(x);
    for (slong bits = FIRST_PRECISION; sign == 0 && bits <= LAST_PRECISION; bits *= 2) {
        arb_set_fmpq(x, y, bits);
        arb_exp(x, x, bits);
        arb_fmpz_poly_evaluate_arb(x, s->question->polynomial, x, bits);
        sign = arb_is_positive(x) ? 1 : arb_is_negative(x) ? -1 : 0;
    }
    arb_clear(x);
    return sign;
}

static int sign_at(const survey *s, const fmpq_t y)
{
    if (s->question->exponential) return sign_at_exponential(s, y);
    fmpq_t value;
    fmpq_init(value);
    fmpz_poly_evaluate_fmpq(value, s->question->polynomial, y);
    int sign = fmpq_sgn(value);
    fmpq_clear(value);
    return sign;
}

static step note_cell(survey *s, const fmpq_t lower, const fmpq_t upper)
{
    fmpq_t middle;
    fmpq_init(middle);
    fmpq_simplest_between(middle, lower, upper);
    int sign = sign_at(s, middle);
    fmpq_clear(middle);
    if (sign == 0) return TOO_COARSE;
    qkv__cell *cell = sign > 0 ? &s->cells->positive : &s->cells->negative;
    if (cell->known) return DONE;
    cell->known = true;
    fmpq_set(cell->lower, lower);
    fmpq_set(cell->upper, upper);
    return DONE;
}

/* ---- Cells --------------------------------------------------------------------------------- */

/* The cell in front of root number i (i = count: behind the last): from the root before it or the
 * range's lower end, to it or the upper end. False: that side is infinite. */
static bool cell_start(const survey *s, slong i, fmpq_t start)
{
    assert(i >= 0);
    fmpq_t unused;
    if (i == 0) {
        fmpq_set(start, s->lower);
        return s->question->range.lower.known;
    }
    fmpq_init(unused);
    root_bounds(s, i - 1, unused, start);
    fmpq_clear(unused);
    return true;
}

static bool cell_end(const survey *s, slong i, fmpq_t end)
{
    fmpq_t unused;
    if (i == s->count) {
        fmpq_set(end, s->upper);
        return s->question->range.upper.known;
    }
    fmpq_init(unused);
    root_bounds(s, i, end, unused);
    fmpq_clear(unused);
    return true;
}

/* Draws the ends inward: by a quarter of the width each, or to within a unit from 1 of a finite
 * end on. */
static step draw_inward(bool has_lower, bool has_upper, fmpq_t lower, fmpq_t upper)
{
    fmpq_t width;
    if (has_lower && has_upper && fmpq_cmp(lower, upper) >= 0) return TOO_COARSE;
    fmpq_init(width);
    fmpq_one(width);
    if (has_lower && has_upper) {
        fmpq_sub(width, upper, lower);
        fmpq_div_2exp(width, width, 2);
    }
    if (!has_lower && !has_upper) fmpq_zero(lower);
    if (!has_lower && has_upper) fmpq_sub(lower, upper, width);
    if (!has_lower && has_upper) fmpq_sub(lower, lower, width);
    if (has_lower) fmpq_add(lower, lower, width);
    if (has_upper)
        fmpq_sub(upper, upper, width);
    else
        fmpq_add(upper, lower, width);
    fmpq_clear(width);
    return DONE;
}

static step survey_cell(survey *s, slong i)
{
    fmpq_t lower, upper;
    fmpq_init(lower);
    fmpq_init(upper);
    bool has_lower = cell_start(s, i, lower), has_upper = cell_end(s, i, upper);
    step found = draw_inward(has_lower, has_upper, lower, upper);
    if (found == DONE) found = note_cell(s, lower, upper);
    fmpq_clear(lower);
    fmpq_clear(upper);
    return found;
}

/* ---- Whole numbers -------------------------------------------------------------------------- */

/* The side of root number i on which a whole number lies; 0: it is that root. */
static step compare_with_root(const survey *s, const fmpq_t number, slong i, int *side)
{
    arb_ptr root = s->root + i;
    arb_t ball;
    *side = 0;
    if (is_root(s, s->rest, number) && arb_contains_fmpq(root, number)) return DONE;
    arb_init(ball);
    arb_set_fmpq(ball, number, s->precision);
    *side = arb_lt(ball, root) ? -1 : arb_gt(ball, root) ? 1 : 0;
    arb_clear(ball);
    return *side == 0 ? TOO_COARSE : DONE;
}

/* An end of the range is whole, and belongs to its cell unless it is a root. */
static void step_off_end(const survey *s, fmpq_t number, slong step_inward)
{
    if (is_root(s, s->question->polynomial, number)) fmpq_add_si(number, number, step_inward);
}

/* The first whole number behind root number i; bounds of roots are narrow, so that a few steps from
 * the floor below lead there. */
static step first_behind(const survey *s, slong i, fmpq_t number)
{
    int side = 0;
    fmpz_fdiv_q(fmpq_numref(number), fmpq_numref(number), fmpq_denref(number));
    fmpz_one(fmpq_denref(number));
    for (int steps = 0; steps < 4; steps++) {
        if (compare_with_root(s, number, i, &side) == TOO_COARSE) return TOO_COARSE;
        if (side > 0) return DONE;
        fmpq_add_si(number, number, 1);
    }
    return TOO_COARSE;
}

/* The last whole number in front of root number i. */
static step last_before(const survey *s, slong i, fmpq_t number)
{
    int side = 0;
    fmpz_cdiv_q(fmpq_numref(number), fmpq_numref(number), fmpq_denref(number));
    fmpz_one(fmpq_denref(number));
    for (int steps = 0; steps < 4; steps++) {
        if (compare_with_root(s, number, i, &side) == TOO_COARSE) return TOO_COARSE;
        if (side < 0) return DONE;
        fmpq_sub_si(number, number, 1);
    }
    return TOO_COARSE;
}

/* Whether a number behind the start of a cell is in front of its end, too. */
static step is_inside(const survey *s, slong i, const fmpq_t number, bool *inside)
{
    int side = -1;
    if (i == s->count) {
        *inside = (!s->question->range.upper.known || fmpq_cmp(number, s->upper) <= 0) &&
                  !is_root(s, s->question->polynomial, number);
        return DONE;
    }
    if (compare_with_root(s, number, i, &side) == TOO_COARSE) return TOO_COARSE;
    *inside = side < 0;
    return DONE;
}

/* A whole number in the cell in front of root number i, from the side that is finite. */
static step find_inside(const survey *s, slong i, fmpq_t number)
{
    fmpq_t other;
    step found = DONE;
    fmpq_init(other);
    if (i > 0) {
        root_bounds(s, i - 1, number, other);
        found = first_behind(s, i - 1, number);
    } else if (s->question->range.lower.known) {
        fmpq_set(number, s->lower);
        step_off_end(s, number, 1);
    } else if (i < s->count) {
        root_bounds(s, i, other, number);
        found = last_before(s, i, number);
    } else if (s->question->range.upper.known) {
        fmpq_set(number, s->upper);
        step_off_end(s, number, -1);
    }
    fmpq_clear(other);
    return found;
}

static step survey_whole_cell(survey *s, slong i)
{
    fmpq_t number;
    bool inside = false;
    fmpq_init(number);
    step found = find_inside(s, i, number);
    if (found == DONE) found = is_inside(s, i, number, &inside);
    if (found == DONE && inside) found = note_cell(s, number, number);
    fmpq_clear(number);
    return found;
}

/* ---- The whole ------------------------------------------------------------------------------ */

static step survey_at_precision(survey *s)
{
    s->cells->positive.known = s->cells->negative.known = false;
    if (find_roots(s) == TOO_COARSE) return TOO_COARSE;
    look_for_zeros(s);
    for (slong i = 0; i <= s->count; i++) {
        step found = s->question->whole ? survey_whole_cell(s, i) : survey_cell(s, i);
        if (found == TOO_COARSE) return TOO_COARSE;
    }
    return DONE;
}

bool qkv__cells_survey(const qkv__cells_question *question, qkv__cells *cells)
{
    survey s = {.question = question, .cells = cells};
    step found = TOO_COARSE;
    fmpz_poly_init(s.rest);
    fmpq_init(s.lower);
    fmpq_init(s.upper);
    if (question->range.lower.known) qkv__fmpq_set_rational(s.lower, question->range.lower.value);
    if (question->range.upper.known) qkv__fmpq_set_rational(s.upper, question->range.upper.value);
    set_rest(&s);
    s.room = fmpz_poly_degree(s.rest) + 1;
    s.root = _arb_vec_init(s.room);
    for (s.precision = FIRST_PRECISION; found != DONE && s.precision <= LAST_PRECISION;
         s.precision *= 2)
        found = survey_at_precision(&s);
    _arb_vec_clear(s.root, s.room);
    fmpz_poly_clear(s.rest);
    fmpq_clear(s.lower);
    fmpq_clear(s.upper);
    return found == DONE;
}
