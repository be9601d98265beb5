/* The workshop of the ball room's tests; see ball_forms.h. */
#include "unit/ball/ball_forms.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- A workshop of forms ------------------------------------------------------------------- */

qkv__algebra algebra;

int set_up(void **state)
{
    (void)state;
    static const char *const name[] = {"beta", "n", "d", "x"};
    algebra = (qkv__algebra){0};
    for (int p = BETA; p <= X; p++)
        if (qkv__parameter_add(&algebra, name[p]) != p) return 1;
    algebra.parameter[BETA].lower = (qkv__bound){.known = true, .value = {0, 1}};
    algebra.parameter[N].lower = (qkv__bound){.known = true, .value = {1, 1}};
    algebra.parameter[N].whole = true;
    algebra.parameter[D].lower = (qkv__bound){.known = true, .strict = true, .value = {0, 1}};
    return 0;
}

int tear_down(void **state)
{
    (void)state;
    qkv__arena_free(&algebra.arena);
    return qkv__memory_live() == 0 ? 0 : 1;
}

form whole(int64_t value)
{
    return qkv__form_whole(&algebra, value);
}

form fraction(int64_t above, int64_t below)
{
    return qkv__form_constant(&algebra, qkv__rational_make(above, below));
}

form parameter(int p)
{
    return qkv__form_parameter(&algebra, p);
}

form plus(form a, form b)
{
    return qkv__form_add(&algebra, a, b);
}

form minus(form a, form b)
{
    return qkv__form_subtract(&algebra, a, b);
}

form times(form a, form b)
{
    return qkv__form_multiply(&algebra, a, b);
}

form power(form a, int exponent)
{
    return qkv__form_power(&algebra, a, exponent);
}

form e_to(form a)
{
    return qkv__form_exponential(&algebra, a);
}

qkv__ratio over(form a, form b)
{
    return qkv__ratio_divide(&algebra, qkv__ratio_of_form(&algebra, a),
                             qkv__ratio_of_form(&algebra, b));
}

/* ---- Boxes --------------------------------------------------------------------------------- */

qkv__box everywhere(void)
{
    qkv__box box;
    assert_true(qkv__box_of_algebra(&algebra, &box));
    return box;
}

qkv__bound at(qkv__rational value)
{
    return (qkv__bound){.known = true, .value = value};
}

qkv__box fixed(qkv__box box, int p, int64_t above, int64_t below)
{
    assert_true(qkv__box_fix(&algebra, &box, p, qkv__rational_make(above, below)));
    return box;
}

qkv__box between(qkv__box box, int p, qkv__rational lower, qkv__rational upper)
{
    qkv__range range = {.lower = at(lower), .upper = at(upper)};
    assert_true(qkv__box_narrow(&algebra, &box, p, range));
    return box;
}

qkv__box from(qkv__box box, int p, int64_t lower)
{
    qkv__range range = {.lower = at(qkv__rational_whole(lower))};
    assert_true(qkv__box_narrow(&algebra, &box, p, range));
    return box;
}

/* ---- The judge ----------------------------------------------------------------------------- */

long double number(qkv__rational value)
{
    return (long double)value.numerator / (long double)value.denominator;
}

static long double value_of(int p, const qkv__point *point)
{
    int64_t prime = algebra.parameter[p].prime;
    return prime != 0 ? logl((long double)prime) : number(point->value[p]);
}

/* c * the product of powers; *roundings counts operations, each good to two units (glibc's powl,
 * expl and logl are). */
static long double power_product(const qkv__term *term, const qkv__point *point,
                                 long double *roundings)
{
    long double product = number(term->coefficient);
    *roundings += 1;
    for (int p = 0; p < QKV__PARAMETERS; p++) {
        if (term->power[p] == 0) continue;
        product *= powl(value_of(p, point), term->power[p] / 2.0L);
        *roundings += 3 + fabsl(term->power[p] / 2.0L); /* the base's own rounding is raised too */
    }
    return product;
}

/* An error in the exponent is a relative error of the exponential. */
static judged judge_term(const qkv__term *term, const qkv__point *point)
{
    long double roundings = 4, exponent = 0, sizes = 0;
    for (size_t i = 0; term->exponent != NULL && i < term->exponent->count; i++) {
        long double inner = 2;
        long double part = power_product(&term->exponent->term[i], point, &inner);
        exponent += part;
        sizes += fabsl(part) * (inner + (long double)i);
    }
    long double value = power_product(term, point, &roundings) * expl(exponent);
    return (judged){value, fabsl(value) * (roundings + sizes) * 2 * LDBL_EPSILON + LDBL_MIN};
}

judged judge(form a, const qkv__point *point)
{
    judged sum = {0, 0};
    for (size_t i = 0; i < a->count; i++) {
        judged term = judge_term(&a->term[i], point);
        sum.value += term.value;
        sum.error += term.error + (fabsl(sum.value) + fabsl(term.value)) * LDBL_EPSILON;
    }
    return sum;
}

/* |a/b - a'/b'| <= (error of a + |a/b| error of b) / (|b| - error of b), and one rounding. */
judged judge_ratio(qkv__ratio a, const qkv__point *point)
{
    if (qkv__ratio_is_lost(a)) return (judged){0, INFINITY};
    judged above = judge(a.numerator, point), below = judge(a.denominator, point);
    long double value = above.value / below.value, room = fabsl(below.value) - below.error;
    long double error = (above.error + fabsl(value) * below.error) / room;
    if (!(room > 0)) return (judged){0, INFINITY};
    return (judged){value, error + 2 * fabsl(value) * LDBL_EPSILON + LDBL_MIN};
}

bool is_judged_inside(judged truth, const qkv__enclosure *enclosure)
{
    if (!isfinite(truth.value) || !isfinite(truth.error)) return true;
    return enclosure->lower <= truth.value + truth.error &&
           enclosure->upper >= truth.value - truth.error;
}

/* Reads "a", "a +/- r" and "[a, b]" back. Decimals are rounded by the reading, by their size. */
bool is_text_inside(judged truth, const char *text)
{
    char *rest;
    bool ends = text[0] == '[';
    long double lower = strtold(text + ends, &rest), upper = lower;
    if (ends) upper = strtold(rest + 2, &rest);
    if (strncmp(rest, " +/- ", 5) == 0) {
        long double radius = strtold(rest + 5, &rest);
        lower -= radius;
        upper += radius;
    }
    long double slack = truth.error + 4 * LDBL_EPSILON * (fabsl(lower) + fabsl(upper));
    if (!isfinite(truth.value) || !isfinite(slack)) return true;
    return lower <= truth.value + slack && upper >= truth.value - slack;
}

/* ---- Random forms -------------------------------------------------------------------------- */

int64_t random_between(random_source *source, int64_t lower, int64_t upper)
{
    return lower + (int64_t)random_below(source, (size_t)(upper - lower + 1));
}

static form random_rational(random_source *source)
{
    int64_t above = random_between(source, 1, 20), below = random_between(source, 1, 6);
    return fraction(random_below(source, 2) == 0 ? above : -above, below);
}

static form random_exponent_part(random_source *source)
{
    form beta = parameter(BETA), part = beta;
    switch (random_below(source, 7)) {
    case 0: part = power(beta, 2); break;
    case 1: part = over(beta, qkv__form_root(&algebra, parameter(D))).numerator; break;
    case 2: part = parameter(X); break;
    case 3: part = qkv__form_scale(&algebra, parameter(N), qkv__rational_make(1, 50)); break;
    case 4: part = qkv__form_logarithm(&algebra, qkv__rational_make(6, 5)); break;
    default: break;
    }
    qkv__rational factor = qkv__rational_make(random_between(source, -4, 4), 2);
    return qkv__form_scale(&algebra, part, factor);
}

static form random_term(random_source *source)
{
    qkv__term powers = {.coefficient = {1, 1}};
    if (random_below(source, 3) == 0) powers.power[BETA] = (int16_t)random_between(source, 0, 6);
    if (random_below(source, 3) == 0) powers.power[N] = (int16_t)random_between(source, -2, 4);
    if (random_below(source, 4) == 0) powers.power[D] = (int16_t)random_between(source, -3, 3);
    if (random_below(source, 4) == 0) powers.power[X] = (int16_t)(2 * random_below(source, 4));
    form term = times(random_rational(source), qkv__form_term(&algebra, &powers));
    form exponent = whole(0);
    for (size_t parts = random_below(source, 4); parts > 1; parts--)
        exponent = plus(exponent, random_exponent_part(source));
    return times(term, e_to(exponent));
}

form random_form(random_source *source)
{
    form sum = random_term(source);
    for (size_t terms = random_below(source, 4); terms > 0; terms--)
        sum = plus(sum, random_term(source));
    return sum;
}

/* Every parameter that occurs nowhere or everywhere gets a number. Sixteenths are exact doubles. */
qkv__point random_point(random_source *source)
{
    qkv__point point = {0};
    point.value[BETA] = qkv__rational_make(random_between(source, 0, 8 * 16), 16);
    point.value[N] = qkv__rational_whole(random_between(source, 1, 100));
    point.value[D] = qkv__rational_make(random_between(source, 1, 8 * 16), 16);
    point.value[X] = qkv__rational_make(random_between(source, -4 * 16, 4 * 16), 16);
    return point;
}

qkv__box box_of_point(const qkv__point *point)
{
    qkv__box box = everywhere();
    for (int p = BETA; p <= X; p++) assert_true(qkv__box_fix(&algebra, &box, p, point->value[p]));
    return box;
}

/* Between two random points in some parameters, at the first point in the others. */
qkv__box random_box(random_source *source, size_t fixed_of_three)
{
    qkv__point a = random_point(source), b = random_point(source);
    qkv__box box = everywhere();
    for (int p = BETA; p <= X; p++) {
        if (random_below(source, 3) < fixed_of_three) b.value[p] = a.value[p];
        bool ordered = qkv__rational_compare(a.value[p], b.value[p]) <= 0;
        box = between(box, p, ordered ? a.value[p] : b.value[p], ordered ? b.value[p] : a.value[p]);
    }
    return box;
}

/* A number of the range: from a finite one evenly, from an infinite one at all scales. */
static qkv__rational random_in(random_source *source, const qkv__range *range, bool is_whole)
{
    qkv__rational lower = range->lower.known ? range->lower.value : qkv__rational_whole(-50);
    qkv__rational scale = qkv__rational_make(random_between(source, 0, 64), 64);
    qkv__rational width = qkv__rational_whole(INT64_C(1) << random_below(source, 7));
    if (range->upper.known) width = qkv__rational_subtract(range->upper.value, lower);
    if (range->lower.strict && scale.numerator == 0) scale = qkv__rational_make(1, 64);
    qkv__rational value = qkv__rational_add(lower, qkv__rational_multiply(width, scale));
    return is_whole ? qkv__rational_ceiling(value) : value;
}

qkv__point random_point_in(random_source *source, const qkv__box *box)
{
    qkv__point point = {0};
    for (int p = BETA; p <= X; p++) point.value[p] = random_in(source, &box->range[p], p == N);
    return point;
}

/* A fresh algebra now and then, so that memory stays small. */
void forget_forms_now_and_then(size_t i)
{
    void *no_state = NULL;
    if (i % 256 != 255) return;
    assert_int_equal(tear_down(&no_state), 0);
    assert_int_equal(set_up(&no_state), 0);
}
