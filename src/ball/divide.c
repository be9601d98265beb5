/* Divisors by the sizes of terms at a few points, in floating point. Proves nothing. */
#include "ball/divide.h"

#include <assert.h>
#include <math.h>

enum { LEVELS = 4 }; /* near the lower end, in the middle, far, very far */

/* ---- Sizes in floating point --------------------------------------------------------------- */

static double logarithm_of_powers(const qkv__term *term, const double *point)
{
    double sum = log(fabs(qkv__rational_approximate(term->coefficient)));
    for (int p = 0; p < QKV__PARAMETERS; p++)
        if (term->power[p] != 0) sum += term->power[p] / 2.0 * log(fabs(point[p]));
    return sum;
}

static double polynomial_at(const qkv__form *form, const double *point)
{
    double sum = 0;
    for (size_t i = 0; i < form->count; i++) {
        double product = qkv__rational_approximate(form->term[i].coefficient);
        for (int p = 0; p < QKV__PARAMETERS; p++)
            if (form->term[i].power[p] != 0) product *= pow(point[p], form->term[i].power[p] / 2.0);
        sum += product;
    }
    return sum;
}

static const qkv__term *largest_term(const qkv__form *form, const double *point)
{
    const qkv__term *largest = NULL;
    double most = -INFINITY;
    for (size_t i = 0; i < form->count; i++) {
        const qkv__term *term = &form->term[i];
        double size = logarithm_of_powers(term, point);
        if (term->exponent != NULL) size += polynomial_at(term->exponent, point);
        if (size > most) { /* false for NaN */
            most = size;
            largest = term;
        }
    }
    return largest;
}

/* ---- Points -------------------------------------------------------------------------------- */

static double value_at_level(const qkv__parameter *parameter, const qkv__range *range, int level)
{
    static const double inside[LEVELS] = {1.0 / 64, 0.5, 63.0 / 64, 1.0};
    static const double beyond[LEVELS] = {1.0 / 16, 1.0, 16.0, 4096.0};
    if (parameter->prime != 0) return log((double)parameter->prime);
    double lower = range->lower.known ? qkv__rational_approximate(range->lower.value) : 0;
    double upper = range->upper.known ? qkv__rational_approximate(range->upper.value) : 0;
    if (range->lower.known && range->upper.known) return lower + (upper - lower) * inside[level];
    if (range->upper.known) return upper - beyond[level];
    return lower + beyond[level];
}

/* All parameters at one level, but one of them at another (p < 0: none). */
static void set_point(const qkv__algebra *algebra, const qkv__box *box, int level, int p,
                      int other_level, double *point)
{
    for (size_t i = 0; i < algebra->parameter_count; i++)
        point[i] = value_at_level(&algebra->parameter[i], &box->range[i],
                                  (int)i == p ? other_level : level);
}

static void add_largest(const qkv__form *form, const double *point,
                        const qkv__term *chosen[QKV__DIVISORS], size_t *count)
{
    const qkv__term *term = largest_term(form, point);
    if (term == NULL || *count == QKV__DIVISORS) return;
    for (size_t i = 0; i < *count; i++)
        if (chosen[i] == term) return;
    chosen[(*count)++] = term;
}

size_t qkv__divisors_choose(const qkv__algebra *algebra, const qkv__form *form, const qkv__box *box,
                            const qkv__term *chosen[QKV__DIVISORS])
{
    double point[QKV__PARAMETERS] = {0};
    size_t count = 0;
    for (int level = LEVELS - 1; level >= 0; level--) {
        set_point(algebra, box, level, -1, 0, point);
        add_largest(form, point, chosen, &count);
    }
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        if (qkv__box_is_fixed(algebra, box, p) || !qkv__form_depends_on(form, p)) continue;
        set_point(algebra, box, 0, p, LEVELS - 1, point);
        add_largest(form, point, chosen, &count);
        set_point(algebra, box, LEVELS - 1, p, 0, point);
        add_largest(form, point, chosen, &count);
    }
    return count;
}

const qkv__form *qkv__form_divide_positive(qkv__algebra *algebra, const qkv__form *form,
                                           const qkv__term *divisor, const qkv__box *box,
                                           qkv__parameter_set *divided)
{
    assert(divided != NULL);
    qkv__term positive = {.coefficient = qkv__rational_whole(1), .exponent = divisor->exponent};
    *divided = 0;
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        if (!qkv__box_is_nonnegative(algebra, box, p)) continue;
        positive.power[p] = divisor->power[p];
        if (divisor->power[p] > 0) *divided |= (qkv__parameter_set)1 << p;
    }
    return qkv__form_divide_by_term(algebra, form, &positive);
}
