/* Arithmetic of quotients of forms. Knows nothing of vectors or claims. */
#include "exact/ratio.h"

#include <assert.h>

bool qkv__ratio_is_lost(qkv__ratio a)
{
    return a.numerator == NULL || a.denominator == NULL;
}

static const qkv__ratio lost = {NULL, NULL};

/* A denominator of one term divides out; a rational numerator and denominator cancel so too. */
static qkv__ratio make(qkv__algebra *algebra, const qkv__form *numerator,
                       const qkv__form *denominator)
{
    if (numerator == NULL || denominator == NULL || denominator->count == 0) return lost;
    const qkv__form *one = qkv__form_whole(algebra, 1);
    if (numerator->count == 0) return (qkv__ratio){numerator, one};
    if (denominator->count == 1) {
        numerator = qkv__form_divide_by_term(algebra, numerator, &denominator->term[0]);
        return (qkv__ratio){numerator, one};
    }
    if (qkv__form_equal(numerator, denominator)) return (qkv__ratio){one, one};
    return (qkv__ratio){numerator, denominator};
}

qkv__ratio qkv__ratio_of_form(qkv__algebra *algebra, const qkv__form *form)
{
    return (qkv__ratio){form, qkv__form_whole(algebra, 1)};
}

qkv__ratio qkv__ratio_constant(qkv__algebra *algebra, qkv__rational value)
{
    return qkv__ratio_of_form(algebra, qkv__form_constant(algebra, value));
}

qkv__ratio qkv__ratio_whole(qkv__algebra *algebra, int64_t value)
{
    return qkv__ratio_constant(algebra, qkv__rational_whole(value));
}

qkv__ratio qkv__ratio_add(qkv__algebra *algebra, qkv__ratio a, qkv__ratio b)
{
    if (qkv__ratio_is_lost(a) || qkv__ratio_is_lost(b)) return lost;
    /* The weights of one softmax share their denominator: keep it. */
    if (a.denominator == b.denominator || qkv__form_equal(a.denominator, b.denominator))
        return make(algebra, qkv__form_add(algebra, a.numerator, b.numerator), a.denominator);
    const qkv__form *left = qkv__form_multiply(algebra, a.numerator, b.denominator);
    const qkv__form *right = qkv__form_multiply(algebra, b.numerator, a.denominator);
    return make(algebra, qkv__form_add(algebra, left, right),
                qkv__form_multiply(algebra, a.denominator, b.denominator));
}

qkv__ratio qkv__ratio_negate(qkv__algebra *algebra, qkv__ratio a)
{
    a.numerator = qkv__form_scale(algebra, a.numerator, qkv__rational_whole(-1));
    return a;
}

qkv__ratio qkv__ratio_subtract(qkv__algebra *algebra, qkv__ratio a, qkv__ratio b)
{
    return qkv__ratio_add(algebra, a, qkv__ratio_negate(algebra, b));
}

qkv__ratio qkv__ratio_multiply(qkv__algebra *algebra, qkv__ratio a, qkv__ratio b)
{
    if (qkv__ratio_is_lost(a) || qkv__ratio_is_lost(b)) return lost;
    if (qkv__form_equal(a.numerator, b.denominator)) /* x/y * y/z */
        return make(algebra, b.numerator, a.denominator);
    if (qkv__form_equal(b.numerator, a.denominator))
        return make(algebra, a.numerator, b.denominator);
    return make(algebra, qkv__form_multiply(algebra, a.numerator, b.numerator),
                qkv__form_multiply(algebra, a.denominator, b.denominator));
}

qkv__ratio qkv__ratio_divide(qkv__algebra *algebra, qkv__ratio a, qkv__ratio b)
{
    if (qkv__ratio_is_lost(b) || qkv__form_is_zero(b.numerator)) return lost;
    return qkv__ratio_multiply(algebra, a, (qkv__ratio){b.denominator, b.numerator});
}

qkv__ratio qkv__ratio_power(qkv__algebra *algebra, qkv__ratio a, int exponent)
{
    if (exponent < 0) {
        a = qkv__ratio_divide(algebra, qkv__ratio_whole(algebra, 1), a);
        exponent = -exponent;
    }
    if (qkv__ratio_is_lost(a)) return lost;
    return make(algebra, qkv__form_power(algebra, a.numerator, exponent),
                qkv__form_power(algebra, a.denominator, exponent));
}

/* The form that a ratio is, when nothing is left below the line. */
static const qkv__form *as_form(qkv__ratio a)
{
    qkv__rational one;
    if (qkv__ratio_is_lost(a) || !qkv__form_is_constant(a.denominator, &one)) return NULL;
    return one.numerator == 1 && one.denominator == 1 ? a.numerator : NULL;
}

qkv__ratio qkv__ratio_exponential(qkv__algebra *algebra, qkv__ratio a)
{
    return qkv__ratio_of_form(algebra, qkv__form_exponential(algebra, as_form(a)));
}

qkv__ratio qkv__ratio_root(qkv__algebra *algebra, qkv__ratio a)
{
    return qkv__ratio_of_form(algebra, qkv__form_root(algebra, as_form(a)));
}

qkv__ratio qkv__ratio_substitute(qkv__algebra *algebra, qkv__ratio a, int parameter,
                                 const qkv__form *replacement)
{
    assert(qkv__is_parameter(algebra, parameter));
    return make(algebra, qkv__form_substitute(algebra, a.numerator, parameter, replacement),
                qkv__form_substitute(algebra, a.denominator, parameter, replacement));
}

bool qkv__ratio_is_zero(qkv__ratio a)
{
    return !qkv__ratio_is_lost(a) && qkv__form_is_zero(a.numerator);
}

bool qkv__ratio_is_constant(qkv__ratio a, qkv__rational *value)
{
    qkv__rational below;
    if (!qkv__form_is_constant(a.numerator, value) || !qkv__form_is_constant(a.denominator, &below))
        return false;
    *value = qkv__rational_divide(*value, below);
    return !qkv__rational_is_lost(*value);
}

bool qkv__ratio_depends_on(qkv__ratio a, int parameter)
{
    assert(parameter >= 0 && parameter < QKV__PARAMETERS);
    return qkv__form_depends_on(a.numerator, parameter) ||
           qkv__form_depends_on(a.denominator, parameter);
}

bool qkv__ratio_is_generic(const qkv__algebra *algebra, qkv__ratio a)
{
    return qkv__form_is_generic(algebra, a.numerator) ||
           qkv__form_is_generic(algebra, a.denominator);
}

bool qkv__ratio_equal(qkv__algebra *algebra, qkv__ratio a, qkv__ratio b)
{
    return qkv__ratio_is_zero(qkv__ratio_subtract(algebra, a, b));
}

/* A form of several terms, or with a sign or a quotient in front, needs parentheses below a line.
 */
static void write_part(const qkv__algebra *algebra, const qkv__form *form, qkv__text *text)
{
    qkv__text_append(text, "(", 1);
    qkv__form_write(algebra, form, text);
    qkv__text_append(text, ")", 1);
}

/* 1/n, beta/n: a single term without an exponential. Whether it is one. */
static bool write_quotient(const qkv__algebra *algebra, const qkv__form *form, qkv__text *text)
{
    if (form->count != 1 || form->term[0].exponent != NULL) return false;
    qkv__term above = form->term[0], below = {.coefficient = qkv__rational_whole(1)};
    int count = 0;
    for (int p = 0; p < QKV__PARAMETERS; p++) {
        if (above.power[p] >= 0) continue;
        below.power[p] = (int16_t)-above.power[p];
        above.power[p] = 0;
        count++;
    }
    if (count == 0) return false;
    below.coefficient.numerator = above.coefficient.denominator;
    above.coefficient.denominator = 1;
    const bool bare = count == 1 && below.coefficient.numerator == 1;
    qkv__term_write(algebra, &above, text);
    qkv__text_format(text, bare ? "/" : "/(");
    qkv__term_write(algebra, &below, text);
    if (!bare) qkv__text_append(text, ")", 1);
    return true;
}

void qkv__ratio_write(const qkv__algebra *algebra, qkv__ratio a, qkv__text *text)
{
    qkv__rational below;
    if (qkv__ratio_is_lost(a)) {
        qkv__text_append(text, "?", 1);
    } else if (qkv__form_is_constant(a.denominator, &below)) {
        if (!write_quotient(algebra, a.numerator, text))
            qkv__form_write(algebra, a.numerator, text);
    } else {
        if (qkv__form_is_sum(a.numerator))
            write_part(algebra, a.numerator, text);
        else
            qkv__form_write(algebra, a.numerator, text);
        qkv__text_append(text, "/", 1);
        write_part(algebra, a.denominator, text);
    }
}
