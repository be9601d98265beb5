/* Directions along which a form only grows by a factor. Exact; knows nothing of proofs. */
#include "ball/shift.h"

#include <assert.h>

#include "ball/derivative.h"

static bool is_any_number(const qkv__algebra *algebra, const qkv__box *box, int p)
{
    assert(qkv__is_parameter(algebra, p));
    const qkv__range *range = &box->range[p];
    return algebra->parameter[p].prime == 0 && !algebra->parameter[p].whole &&
           !range->lower.known && !range->upper.known;
}

/* Whether the sum of the derivatives is k times the form for a rational k. */
static bool is_factor_along(qkv__algebra *algebra, const qkv__form *form, qkv__parameter_set along)
{
    const qkv__form *sum = qkv__form_whole(algebra, 0);
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (qkv__parameter_set_has(along, p))
            sum = qkv__form_add(algebra, sum, qkv__form_derivative(algebra, form, p));
    if (sum == NULL) return false;
    if (sum->count == 0) return true;
    qkv__rational k = qkv__rational_divide(sum->term[0].coefficient, form->term[0].coefficient);
    return qkv__form_equal(sum, qkv__form_scale(algebra, form, k));
}

static bool fix_along(const qkv__algebra *algebra, qkv__parameter_set along, int fixed,
                      qkv__box *box, qkv__point *point)
{
    qkv__rational far = point->value[fixed];
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        if (!qkv__parameter_set_has(along, p)) continue;
        point->value[p] = qkv__rational_subtract(point->value[p], far);
        if (qkv__rational_is_lost(point->value[p])) return false;
    }
    return qkv__box_fix(algebra, box, fixed, qkv__rational_whole(0));
}

bool qkv__shift_fix(qkv__algebra *algebra, const qkv__form *form, qkv__box *box, qkv__point *point)
{
    qkv__parameter_set all = 0;
    int last = -1;
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (is_any_number(algebra, box, p) && qkv__form_depends_on(form, p)) {
            all |= (qkv__parameter_set)1 << p;
            last = p;
        }
    if ((all & (all - 1)) == 0 || form->count < 2) return false;
    if (is_factor_along(algebra, form, all)) return fix_along(algebra, all, last, box, point);
    for (int p = 0; p < last; p++)
        for (int q = p + 1; q <= last; q++) {
            qkv__parameter_set both = (qkv__parameter_set)1 << p | (qkv__parameter_set)1 << q;
            if ((all & both) != both || !is_factor_along(algebra, form, both)) continue;
            return fix_along(algebra, both, q, box, point);
        }
    return false;
}
