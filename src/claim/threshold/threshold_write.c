/* Closed thresholds as text, in factors where there are some: (n - 2)*(1 - tau)/(2*tau). Factors
 * are found by dividing out what terms have in common and by splitting sums that are linear in a
 * parameter; what is written equals what was solved, whether or not a factor was missed. */
#include "claim/threshold/threshold.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>

enum { FACTORS = 16 };

/* number * product of powers of parameters * e^exponent * factors above / factors below. */
typedef struct product {
    qkv__rational number;
    int power[QKV__PARAMETERS]; /* in halves */
    size_t above_count, below_count;
    const qkv__form *above[FACTORS], *below[FACTORS];
} product;

/* ---- Factors ------------------------------------------------------------------------- */

/* What every term has of each parameter, divided out. */
static const qkv__form *divide_out_powers(qkv__algebra *algebra, const qkv__form *form, int sign,
                                          product *into)
{
    qkv__term common = {.coefficient = qkv__rational_whole(1)};
    for (int p = 0; p < QKV__PARAMETERS; p++) {
        int least = form->term[0].power[p];
        for (size_t i = 1; i < form->count; i++)
            if (form->term[i].power[p] < least) least = form->term[i].power[p];
        common.power[p] = (int16_t)least;
        into->power[p] += sign * least;
    }
    return qkv__form_divide_by_term(algebra, form, &common);
}

/* The greatest rational that leaves whole coefficients, with the sign of the first term that is no
 * plain number. */
static qkv__rational content(const qkv__form *form)
{
    int64_t above = 0, below = 1;
    for (size_t i = 0; i < form->count; i++) {
        qkv__rational c = form->term[i].coefficient;
        above = qkv__common_divisor(above, c.numerator);
        int64_t part = c.denominator / qkv__common_divisor(below, c.denominator);
        qkv__rational grown =
            qkv__rational_multiply(qkv__rational_whole(below), qkv__rational_whole(part));
        if (qkv__rational_is_lost(grown)) return qkv__rational_whole(1);
        below = grown.numerator;
    }
    return qkv__rational_make(above, below);
}

/* a1 and a0 of form = a1 p + a0; false when p occurs otherwise. */
static bool split_linear(qkv__algebra *algebra, const qkv__form *form, int p,
                         const qkv__form **slope, const qkv__form **rest)
{
    assert(qkv__is_parameter(algebra, p));
    *slope = *rest = qkv__form_whole(algebra, 0);
    for (size_t i = 0; i < form->count; i++) {
        qkv__term term = form->term[i];
        if (qkv__form_depends_on(term.exponent, p) || (term.power[p] != 0 && term.power[p] != 2))
            return false;
        bool with = term.power[p] == 2;
        term.power[p] = 0;
        const qkv__form *part = qkv__form_term(algebra, &term);
        if (with)
            *slope = qkv__form_add(algebra, *slope, part);
        else
            *rest = qkv__form_add(algebra, *rest, part);
    }
    return *slope != NULL && *rest != NULL && (*slope)->count > 0;
}

/* form = (p + r) * other for a rational r, if there is a parameter that allows it. */
static bool split_factor(qkv__algebra *algebra, const qkv__form *form, const qkv__form **factor,
                         const qkv__form **other)
{
    for (int p = 0; p < (int)algebra->parameter_count && form->count > 2; p++) {
        const qkv__form *slope, *rest;
        if (!split_linear(algebra, form, p, &slope, &rest) || rest->count != slope->count) continue;
        qkv__rational r =
            qkv__rational_divide(rest->term[0].coefficient, slope->term[0].coefficient);
        if (!qkv__form_equal(rest, qkv__form_scale(algebra, slope, r))) continue;
        *factor =
            qkv__form_add(algebra, qkv__form_parameter(algebra, p), qkv__form_constant(algebra, r));
        *other = slope;
        return *factor != NULL;
    }
    return false;
}

static void add_factor(product *into, const qkv__form *factor, int sign)
{
    qkv__rational number;
    if (qkv__form_is_constant(factor, &number)) {
        into->number = sign > 0 ? qkv__rational_multiply(into->number, number)
                                : qkv__rational_divide(into->number, number);
    } else if (sign > 0) {
        into->above[into->above_count++] = factor;
    } else {
        into->below[into->below_count++] = factor;
    }
}

/* Into factors; false when they are too many, or a number is lost. */
static bool factorise(qkv__algebra *algebra, const qkv__form *form, int sign, product *into)
{
    const qkv__form *factor, *other;
    if (form == NULL || form->count == 0) return false;
    form = divide_out_powers(algebra, form, sign, into);
    while (form != NULL && split_factor(algebra, form, &factor, &other)) {
        if (into->above_count + into->below_count + 2 >= FACTORS) return false;
        add_factor(into, factor, sign);
        form = divide_out_powers(algebra, other, sign, into);
    }
    if (form == NULL) return false;
    qkv__rational number = form->count == 1 ? form->term[0].coefficient : content(form);
    into->number = sign > 0 ? qkv__rational_multiply(into->number, number)
                            : qkv__rational_divide(into->number, number);
    form = qkv__form_scale(algebra, form, qkv__rational_divide(qkv__rational_whole(1), number));
    if (form == NULL || qkv__rational_is_lost(into->number)) return false;
    add_factor(into, form, sign);
    return true;
}

/* A minus in front goes into a sum: (2 - n), not -(n - 2). */
static void settle_signs(qkv__algebra *algebra, product *r)
{
    for (size_t i = 0; i < r->above_count && qkv__rational_sign(r->number) < 0; i++) {
        bool mixed = false, positive = false;
        for (size_t j = 0; j < r->above[i]->count; j++) {
            bool above = qkv__rational_sign(r->above[i]->term[j].coefficient) > 0;
            positive = positive || above;
            mixed = mixed || !above;
        }
        if (!mixed && positive) continue;
        const qkv__form *turned = qkv__form_scale(algebra, r->above[i], qkv__rational_whole(-1));
        if (turned == NULL) continue;
        r->above[i] = turned;
        r->number = qkv__rational_negate(r->number);
    }
}

/* ---- Text ---------------------------------------------------------------------------- */

/* A sum with its positive terms in front: 1 - tau, not -tau + 1. */
static void write_sum(qkv__algebra *algebra, const qkv__form *form, qkv__text *text)
{
    bool first = true;
    for (int pass = 1; pass >= -1; pass -= 2)
        for (size_t i = 0; i < form->count; i++) {
            qkv__term term = form->term[i];
            if (qkv__rational_sign(term.coefficient) != pass) continue;
            if (!first) {
                qkv__text_format(text, pass > 0 ? " + " : " - ");
                if (pass < 0) term.coefficient = qkv__rational_negate(term.coefficient);
            }
            qkv__form_write(algebra, qkv__form_term(algebra, &term), text);
            first = false;
        }
}

typedef struct writer {
    qkv__text *text;
    size_t count; /* factors so far */
} writer;

static void begin_factor(writer *w)
{
    if (w->count++ > 0) qkv__text_append(w->text, "*", 1);
}

static void write_factors(qkv__algebra *algebra, const qkv__form *const *factor, size_t count,
                          bool alone, writer *w)
{
    for (size_t i = 0; i < count; i++) {
        bool bare = factor[i]->count == 1 || alone;
        begin_factor(w);
        if (!bare) qkv__text_append(w->text, "(", 1);
        write_sum(algebra, factor[i], w->text);
        if (!bare) qkv__text_append(w->text, ")", 1);
    }
}

/* The parameters with powers of this sign, as if they were positive. */
static void write_powers(qkv__algebra *algebra, const product *r, int sign, writer *w)
{
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        if (r->power[p] * sign <= 0) continue;
        qkv__term term = {.coefficient = qkv__rational_whole(1)};
        term.power[p] = (int16_t)(r->power[p] * sign);
        begin_factor(w);
        qkv__form_write(algebra, qkv__form_term(algebra, &term), w->text);
    }
}

static size_t power_count(const product *r, int sign)
{
    size_t count = 0;
    for (int p = 0; p < QKV__PARAMETERS; p++) count += r->power[p] * sign > 0;
    return count;
}

/* `lonely`: nothing is written around it, so that a single sum needs no parentheses. */
static void write_product(qkv__algebra *algebra, const product *r, bool lonely, qkv__text *text)
{
    writer w = {text, 0};
    int64_t above = r->number.numerator, below = r->number.denominator;
    size_t powers = power_count(r, 1);
    size_t denominators = (below != 1) + r->below_count + power_count(r, -1);
    if (above == -1 && r->above_count + powers > 0) {
        qkv__text_append(text, "-", 1);
    } else if (above != 1 || r->above_count + powers == 0) {
        begin_factor(&w);
        qkv__text_format(text, "%lld", (long long)above);
    }
    bool single = lonely && above == 1 && denominators == 0 && powers == 0 && r->above_count == 1;
    write_factors(algebra, r->above, r->above_count, single, &w);
    write_powers(algebra, r, 1, &w);
    if (denominators == 0) return;
    w.count = 0;
    qkv__text_format(text, denominators > 1 ? "/(" : "/");
    if (below != 1) {
        begin_factor(&w);
        qkv__text_format(text, "%lld", (long long)below);
    }
    write_powers(algebra, r, -1, &w);
    write_factors(algebra, r->below, r->below_count, false, &w);
    if (denominators > 1) qkv__text_append(text, ")", 1);
}

/* Whether the product is a sum that reads better as it is: 100*sqrt(10) - 2. */
static bool prefers_sum(const qkv__form *above, const qkv__form *below)
{
    qkv__rational one;
    if (!qkv__form_is_constant(below, &one)) return false;
    qkv__rational c = content(above);
    for (size_t i = 0; i < above->count; i++) { /* 198*n - 396 is better as 198*(n - 2) */
        bool plain = above->term[i].exponent == NULL;
        for (int p = 0; p < QKV__PARAMETERS; p++) plain = plain && above->term[i].power[p] == 0;
        if (!plain && llabs(above->term[i].coefficient.numerator) == c.numerator) return false;
    }
    return above->count > 1 && one.numerator == 1 && one.denominator == 1 && c.denominator == 1;
}

/* above/below, as factors where that goes. */
static void write_quotient(qkv__algebra *algebra, const qkv__form *above, const qkv__form *below,
                           bool lonely, qkv__text *text)
{
    product r = {.number = qkv__rational_whole(1)};
    qkv__rational divisor;
    if (qkv__form_is_constant(below, &divisor)) {
        above =
            qkv__form_scale(algebra, above, qkv__rational_divide(qkv__rational_whole(1), divisor));
        below = qkv__form_whole(algebra, 1);
    }
    if (above != NULL && below != NULL && prefers_sum(above, below)) {
        if (!lonely) qkv__text_append(text, "(", 1);
        write_sum(algebra, above, text);
        if (!lonely) qkv__text_append(text, ")", 1);
    } else if (factorise(algebra, above, 1, &r) && factorise(algebra, below, -1, &r)) {
        settle_signs(algebra, &r);
        write_product(algebra, &r, lonely, text);
    } else {
        qkv__ratio plain = {above, below};
        qkv__text_format(text, lonely ? "" : "(");
        qkv__ratio_write(algebra, plain, text);
        qkv__text_format(text, lonely ? "" : ")");
    }
}

/* R */
static void write_bound(qkv__algebra *algebra, const qkv__threshold *t, bool lonely,
                        qkv__text *text)
{
    qkv__rational number;
    if (t->radicand == NULL) {
        write_quotient(algebra, t->above, t->below, lonely, text);
        return;
    }
    qkv__text_append(text, "(", 1);
    if (t->above->count > 0) {
        write_sum(algebra, t->above, text);
        qkv__text_append(text, " + ", 3);
    }
    qkv__text_append(text, "sqrt(", 5);
    write_sum(algebra, t->radicand, text);
    bool bare = t->below->count == 1 && t->below->term[0].coefficient.denominator == 1 &&
                qkv__form_is_constant(t->below, &number);
    qkv__text_append(text, bare ? "))/" : "))/(", bare ? 3 : 4);
    write_sum(algebra, t->below, text);
    if (!bare) qkv__text_append(text, ")", 1);
}

/* ln(R)/rate */
static void write_logarithm(qkv__algebra *algebra, const qkv__threshold *t, qkv__text *text)
{
    qkv__rational rate = qkv__rational_whole(0);
    bool number = qkv__form_is_constant(t->rate, &rate);
    bool inverted = !number && t->rate->count == 1;
    if (number && rate.denominator != 1) {
        qkv__text_format(text, "%lld", (long long)rate.denominator);
        if (rate.numerator != 1) qkv__text_format(text, "/%lld", (long long)rate.numerator);
        qkv__text_append(text, "*", 1);
    }
    if (inverted) { /* ln(R)/d^(-1/2) is sqrt(d)*ln(R) */
        write_quotient(algebra, qkv__form_whole(algebra, 1), t->rate, false, text);
        qkv__text_append(text, "*", 1);
    }
    qkv__text_append(text, "ln(", 3);
    write_bound(algebra, t, true, text);
    qkv__text_append(text, ")", 1);
    if (number && rate.denominator == 1 && rate.numerator != 1)
        qkv__text_format(text, "/%lld", (long long)rate.numerator);
    if (!number && !inverted) {
        qkv__text_append(text, "/(", 2);
        write_sum(algebra, t->rate, text);
        qkv__text_append(text, ")", 1);
    }
}

/* Whether a text needs no parentheses below a power. */
static bool is_bare(const qkv__text *text)
{
    assert(text->length == 0 || text->data != NULL);
    for (size_t i = 0; i < text->length; i++)
        if (!isalnum((unsigned char)text->data[i])) return false;
    return true;
}

void qkv__threshold_write(qkv__algebra *algebra, const qkv__threshold *t, qkv__text *text)
{
    qkv__text inside = {0};
    int above = t->power % 2 == 0 ? 1 : 2, below = t->power % 2 == 0 ? t->power / 2 : t->power;
    if (t->exponential)
        write_logarithm(algebra, t, &inside);
    else
        write_bound(algebra, t, true, &inside);
    const char *data = inside.data == NULL ? "?" : inside.data;
    bool bare = is_bare(&inside);
    if (t->power == 2)
        qkv__text_format(text, "%s", data);
    else if (t->power == 4)
        qkv__text_format(text, "sqrt(%s)", data);
    else if (below == 1)
        qkv__text_format(text, bare ? "%s^%d" : "(%s)^%d", data, above);
    else
        qkv__text_format(text, bare ? "%s^(%d/%d)" : "(%s)^(%d/%d)", data, above, below);
    qkv__text_free(&inside);
}
