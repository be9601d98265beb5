/* Direct search, one parameter after the other with shrinking steps (after Hooke and Jeeves).
 * Proves nothing but signs at points. */
#include "ball/descent.h"
#include "ball/fraction.h"

#include <assert.h>
#include <math.h>

#include "ball/cells.h"
#include "ball/witness.h"

enum {
    SWEEPS = 60,         /* over all parameters, from each start, */
    EVALUATIONS = 20000, /* of terms, after which no sweep begins */
};

typedef struct descent {
    const qkv__algebra *algebra;
    const qkv__form *form;
    const qkv__box *box;
    int sign;
    double lower[QKV__PARAMETERS], upper[QKV__PARAMETERS];
    double at[QKV__PARAMETERS], step[QKV__PARAMETERS];
    bool free[QKV__PARAMETERS];
    qkv__point point; /* a point of the box */
} descent;

/* ---- Values in floating point -----------------------------------------------------------------
 */

static long double value_of_form(const qkv__form *form, const double *at)
{
    long double sum = 0;
    for (size_t i = 0; i < form->count; i++) {
        const qkv__term *term = &form->term[i];
        long double part =
            (long double)term->coefficient.numerator / (long double)term->coefficient.denominator;
        for (int p = 0; p < QKV__PARAMETERS; p++)
            if (term->power[p] != 0) part *= powl(at[p], term->power[p] / 2.0L);
        if (term->exponent != NULL) part *= expl(value_of_form(term->exponent, at));
        sum += part;
    }
    return sum;
}

/* What is made small: negative where the form has the sign. */
static long double height(const descent *d)
{
    long double value = -d->sign * value_of_form(d->form, d->at);
    return isnan(value) ? INFINITY : value;
}

/* ---- From floating point to points ------------------------------------------------------------
 */

/* The simplest number near a value that the box allows. */
static bool round_parameter(descent *d, int p, double tolerance, qkv__box *box)
{
    assert(p >= 0 && p < QKV__PARAMETERS);
    double slack = tolerance * (1 + fabs(d->at[p]));
    double lower = fmax(d->at[p] - slack, d->lower[p]), upper = fmin(d->at[p] + slack, d->upper[p]);
    fmpq_t simplest;
    if (!isfinite(lower) || !isfinite(upper) || lower > upper) return false;
    fmpq_init(simplest);
    qkv__fmpq_simplest(simplest, lower, upper);
    qkv__rational value = qkv__rational_of_fmpq(simplest);
    fmpq_clear(simplest);
    d->point.value[p] = value;
    return !qkv__rational_is_lost(value) && qkv__box_fix(d->algebra, box, p, value);
}

static bool is_hit(descent *d)
{
    static const double tolerances[] = {0.1, 1e-2, 1e-3, 1e-5, 1e-8, 0};
    for (size_t i = 0; i < sizeof tolerances / sizeof tolerances[0]; i++) {
        qkv__box box = *d->box;
        bool allowed = true;
        for (int p = 0; p < (int)d->algebra->parameter_count && allowed; p++)
            if (d->free[p]) allowed = round_parameter(d, p, tolerances[i], &box);
        if (allowed && qkv__form_sign_at(d->algebra, d->form, &d->point) == d->sign) return true;
    }
    return false;
}

/* ---- Downhill -------------------------------------------------------------------------------- */

static void begin(descent *d, const qkv__point *start)
{
    enum { PARTS_OF_A_RANGE = 8 };
    for (int p = 0; p < (int)d->algebra->parameter_count; p++) {
        const qkv__range *range = &d->box->range[p];
        const qkv__parameter *parameter = &d->algebra->parameter[p];
        d->lower[p] =
            range->lower.known ? qkv__rational_approximate(range->lower.value) : -INFINITY;
        d->upper[p] = range->upper.known ? qkv__rational_approximate(range->upper.value) : INFINITY;
        d->at[p] = parameter->prime != 0 ? log((double)parameter->prime)
                                         : qkv__rational_approximate(start->value[p]);
        d->free[p] = parameter->prime == 0 && !qkv__box_is_fixed(d->algebra, d->box, p) &&
                     qkv__form_depends_on(d->form, p);
        double width = (d->upper[p] - d->lower[p]) / PARTS_OF_A_RANGE;
        d->step[p] = fmin(width, fmax(fabs(d->at[p]) / 2, 1));
        if (parameter->whole) d->step[p] = ceil(d->step[p]);
    }
    d->point = *start;
}

/* One parameter up or down by its step, if that is downhill; else the step is halved, and for whole
 * numbers stays whole. Whether there was a move. */
static bool move_parameter(descent *d, int p, long double *lowest)
{
    assert(p >= 0 && p < QKV__PARAMETERS);
    double before = d->at[p];
    for (int way = -1; way <= 1; way += 2) {
        d->at[p] = fmin(fmax(before + way * d->step[p], d->lower[p]), d->upper[p]);
        long double there = height(d);
        if (there < *lowest) {
            *lowest = there;
            return true;
        }
    }
    d->at[p] = before;
    d->step[p] = d->algebra->parameter[p].whole ? fmax(1, floor(d->step[p] / 2)) : d->step[p] / 2;
    return false;
}

/* The whole sweep once more in its direction, as long as that leads down. */
static void follow(descent *d, const double *before, long double *lowest)
{
    double here[QKV__PARAMETERS];
    for (int p = 0; p < QKV__PARAMETERS; p++) {
        here[p] = d->at[p];
        if (p < (int)d->algebra->parameter_count && d->free[p])
            d->at[p] = fmin(fmax(2 * here[p] - before[p], d->lower[p]), d->upper[p]);
    }
    long double there = height(d);
    bool lower = there < *lowest;
    if (lower) *lowest = there;
    for (int p = 0; p < QKV__PARAMETERS && !lower; p++) d->at[p] = here[p];
}

static bool sweep(descent *d, long double *lowest)
{
    double before[QKV__PARAMETERS];
    bool moved = false;
    for (int p = 0; p < QKV__PARAMETERS; p++) before[p] = d->at[p];
    for (int p = 0; p < (int)d->algebra->parameter_count; p++)
        if (d->free[p]) moved = move_parameter(d, p, lowest) || moved;
    if (moved) follow(d, before, lowest);
    return moved;
}

bool qkv__descend(const qkv__algebra *algebra, const qkv__form *form, const qkv__box *box, int sign,
                  qkv__point *start)
{
    assert(sign == 1 || sign == -1);
    descent d = {.algebra = algebra, .form = form, .box = box, .sign = sign};
    begin(&d, start);
    long double lowest = height(&d), tried = 0;
    bool found = false;
    size_t cost = form->count;
    for (int p = 0; p < (int)algebra->parameter_count; p++) cost += d.free[p] ? 2 * form->count : 0;
    for (size_t i = 0; i < SWEEPS && i * cost < EVALUATIONS && !found; i++) {
        sweep(&d, &lowest);
        if (!(lowest < tried / 2 || (lowest < 0 && tried == 0))) continue;
        tried = lowest; /* once more only when it is well below */
        found = is_hit(&d);
    }
    if (found) *start = d.point;
    return found;
}
