/* Signs by cases: |x| is x where x is not negative, and -x where it is not positive. Knows nothing
 * of syntax. */
#include "claim/calculus/part.h"
#include "claim/model/bound.h"

/* A parameter in which a number is linear with a constant factor; -1: none. */
static int linear_parameter(const qkv__calculus *c, qkv__ratio x, qkv__rational *slope,
                            qkv__ratio *rest)
{
    const qkv__form *zero = qkv__form_whole(c->algebra, 0), *one = qkv__form_whole(c->algebra, 1);
    for (int p = 0; p < (int)c->algebra->parameter_count; p++) {
        const qkv__parameter *known = &c->algebra->parameter[p];
        if (qkv__calculus_atom(c, p) != NULL || known->prime != 0 || known->generic ||
            !qkv__ratio_depends_on(x, p))
            continue;
        *rest = qkv__ratio_substitute(c->algebra, x, p, zero);
        qkv__ratio factor =
            qkv__ratio_subtract(c->algebra, qkv__ratio_substitute(c->algebra, x, p, one), *rest);
        qkv__ratio letter = qkv__ratio_of_form(c->algebra, qkv__form_parameter(c->algebra, p));
        qkv__ratio line =
            qkv__ratio_add(c->algebra, *rest, qkv__ratio_multiply(c->algebra, factor, letter));
        if (qkv__ratio_is_constant(factor, slope) && !qkv__rational_is_zero(*slope) &&
            qkv__ratio_equal(c->algebra, x, line) && !qkv__calculus_depends(c, *rest, p))
            return p;
    }
    return -1;
}

/* One case: the size is its argument times the sign, which is then not negative. */
static bool prove_case(qkv__calculus *c, qkv__ratio x, const qkv__atom *size, int sign,
                       qkv__comparison comparison, int depth)
{
    qkv__algebra *algebra = c->algebra;
    qkv__rational slope, constant;
    qkv__ratio rest;
    qkv__ratio value =
        qkv__ratio_multiply(algebra, size->argument, qkv__ratio_whole(algebra, sign));
    int parameter = linear_parameter(c, size->argument, &slope, &rest);
    x = qkv__calculus_put(c, x, size->parameter, value);
    if (parameter < 0) return qkv__calculus_prove(c, x, comparison, depth);
    qkv__parameter *known = &algebra->parameter[parameter];
    if (qkv__ratio_is_constant(rest, &constant)) { /* a bound of the parameter */
        const qkv__parameter before = *known;
        qkv__rational edge = qkv__rational_negate(qkv__rational_divide(constant, slope));
        if (qkv__rational_is_lost(edge)) return false;
        qkv__parameter_narrow(known,
                              qkv__rational_sign(slope) * sign > 0 ? QKV__GREATER_OR_EQUAL
                                                                   : QKV__LESS_OR_EQUAL,
                              edge);
        bool good = (known->lower.known && known->upper.known &&
                     qkv__rational_compare(known->lower.value, known->upper.value) > 0) ||
                    qkv__calculus_prove(c, qkv__calculus_rewrite(c, x), comparison, depth);
        *known = before;
        return good;
    }
    int slack = qkv__parameter_add(algebra, "the size");
    if (slack < 0) return false;
    algebra->parameter[slack].lower = (qkv__bound){.known = true, .value = qkv__rational_whole(0)};
    qkv__ratio put = qkv__ratio_multiply(
        algebra, qkv__ratio_of_form(algebra, qkv__form_parameter(algebra, slack)),
        qkv__ratio_whole(algebra, sign));
    put = qkv__ratio_divide(algebra, qkv__ratio_subtract(algebra, put, rest),
                            qkv__ratio_constant(algebra, slope));
    return qkv__calculus_prove(c, qkv__calculus_put(c, x, parameter, put), comparison, depth);
}

bool qkv__calculus_has_sizes(const qkv__calculus *c, qkv__ratio x)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->atom[i].kind == QKV__ATOM_SIZE && !qkv__ratio_is_lost(x) &&
            qkv__calculus_depends(c, x, c->atom[i].parameter))
            return true;
    return false;
}

bool qkv__calculus_prove_cases(qkv__calculus *c, qkv__ratio x, qkv__comparison comparison,
                               int depth, bool *settled)
{
    *settled = false;
    for (size_t i = 0; i < c->count; i++) {
        const qkv__atom size = c->atom[i];
        if (size.kind != QKV__ATOM_SIZE || !qkv__calculus_depends(c, x, size.parameter)) continue;
        *settled = true;
        if (c->effort == 0) return false;
        c->effort--;
        return prove_case(c, x, &size, 1, comparison, depth) &&
               prove_case(c, x, &size, -1, comparison, depth);
    }
    return false;
}
