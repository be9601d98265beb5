/* Numbers for pictures: exact forms in doubles, and values for parameters that are left open. No
 * proof rests on anything here. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "claim/explain/portray.h"
#include "language/write.h"

/* ---- Forms in doubles -------------------------------------------------------------------- */

static double sum_terms(const qkv__form *form, const double *values, double shift);

static double exponent_of(const qkv__term *term, const double *values)
{
    return term->exponent == NULL ? 0.0 : sum_terms(term->exponent, values, 0.0);
}

/* The sum of the terms over e^shift. */
static double sum_terms(const qkv__form *form, const double *values, double shift)
{
    double sum = 0.0;
    for (size_t i = 0; i < form->count; i++) {
        const qkv__term *term = &form->term[i];
        double product = qkv__rational_approximate(term->coefficient);
        for (int p = 0; p < QKV__PARAMETERS; p++)
            if (term->power[p] != 0) product *= pow(values[p], term->power[p] / 2.0);
        double exponent = exponent_of(term, values) - shift;
        sum += exponent == 0.0 ? product : product * exp(exponent);
    }
    return sum;
}

static double largest_exponent(const qkv__form *form, const double *values, double most)
{
    for (size_t i = 0; i < form->count; i++) most = fmax(most, exponent_of(&form->term[i], values));
    return most;
}

double qkv__ratio_seen(qkv__ratio ratio, const double *values)
{
    if (qkv__ratio_is_lost(ratio)) return NAN;
    double shift = largest_exponent(ratio.denominator, values, -INFINITY);
    if (!isfinite(shift)) return NAN;
    double quotient =
        sum_terms(ratio.numerator, values, shift) / sum_terms(ratio.denominator, values, shift);
    return isfinite(quotient) ? quotient : NAN;
}

double qkv__surd_seen(const qkv__surd *surd, const double *values)
{
    return qkv__ratio_seen(surd->factor, values) * sqrt(qkv__ratio_seen(surd->radicand, values));
}

qkv__parameter_set qkv__surd_parameters(const qkv__algebra *algebra, const qkv__surd *surd)
{
    qkv__parameter_set set = 0;
    const qkv__form *forms[] = {surd->factor.numerator, surd->factor.denominator,
                                surd->radicand.numerator, surd->radicand.denominator};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        set |= qkv__form_parameters(algebra, forms[i]);
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (algebra->parameter[p].prime > 0) set &= ~((qkv__parameter_set)1 << p);
    return set;
}

/* ---- Choices ----------------------------------------------------------------------------- */

static const qkv__passage *limit_of(const qkv__portrait *portrait, int parameter)
{
    const qkv__situation *s = portrait->lesson->situation;
    for (size_t i = 0; i < s->limit_count; i++)
        if (s->limit[i].parameter == parameter) return &s->limit[i];
    return NULL;
}

/* Moves a number into the bounds, away from an end that is left out. */
static qkv__rational clamp(const qkv__parameter *p, qkv__rational number)
{
    qkv__rational one = qkv__rational_whole(1);
    if (p->lower.known) {
        int side = qkv__rational_compare(number, p->lower.value);
        if (side < 0 || (side == 0 && p->lower.strict))
            number = p->lower.strict ? qkv__rational_add(p->lower.value, one) : p->lower.value;
    }
    if (p->upper.known) {
        int side = qkv__rational_compare(number, p->upper.value);
        qkv__rational under =
            p->lower.known && !p->whole
                ? qkv__rational_divide(qkv__rational_add(p->lower.value, p->upper.value),
                                       qkv__rational_whole(2))
                : qkv__rational_subtract(p->upper.value, one);
        if (side > 0 || (side == 0 && p->upper.strict))
            number = p->upper.strict ? under : p->upper.value;
    }
    return number;
}

qkv__rational qkv__portrait_choose(const qkv__portrait *portrait, int parameter)
{
    assert(parameter >= 0 && parameter < QKV__PARAMETERS);
    const qkv__parameter *p = &portrait->lesson->model->algebra.parameter[parameter];
    const qkv__passage *limit = limit_of(portrait, parameter);
    qkv__rational ten = qkv__rational_whole(10), one = qkv__rational_whole(1);
    if (limit != NULL && limit->infinite) return clamp(p, ten);
    if (limit != NULL) return clamp(p, qkv__rational_add(limit->point, qkv__rational_make(1, 100)));
    if (p->whole) return clamp(p, ten);
    if (p->lower.known && p->upper.known) /* the end they have in common, or the middle */
        return qkv__rational_divide(qkv__rational_add(p->lower.value, p->upper.value),
                                    qkv__rational_whole(2));
    return clamp(p, one);
}

void qkv__portrait_sit(qkv__portrait *portrait)
{
    const qkv__algebra *algebra = &portrait->lesson->model->algebra;
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        portrait->number[p] = qkv__portrait_choose(portrait, p);
        portrait->value[p] = algebra->parameter[p].prime > 0
                                 ? log((double)algebra->parameter[p].prime)
                                 : qkv__rational_approximate(portrait->number[p]);
    }
}

/* ---- Texts ------------------------------------------------------------------------------- */

void qkv__write_decimal(qkv__text *text, double value)
{
    double size = fabs(value);
    int decimals = size >= 100 ? 1 : size >= 0.1 ? 3 : 6;
    if (!(size < 1e15)) {
        qkv__text_format(text, "?");
        return;
    }
    long long unit = 1, whole, part;
    for (int i = 0; i < decimals; i++) unit *= 10;
    long long scaled = llround(size * (double)unit);
    whole = scaled / unit, part = scaled % unit;
    for (; decimals > 0 && part % 10 == 0; decimals--) part /= 10;
    qkv__text_format(text, "%s%lld", value < 0 && scaled > 0 ? "-" : "", whole);
    if (decimals > 0) qkv__text_format(text, ".%0*lld", decimals, part);
}

const char *qkv__portrait_at(const qkv__portrait *portrait, qkv__parameter_set set)
{
    const qkv__algebra *algebra = &portrait->lesson->model->algebra;
    qkv__text text = {0};
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        if (!qkv__parameter_set_has(set, p) || algebra->parameter[p].prime > 0) continue;
        qkv__text_format(&text, "%s%s = ", text.length == 0 ? "" : ", ",
                         algebra->parameter[p].name);
        qkv__write_decimal(&text, portrait->value[p]);
    }
    const char *kept = text.data == NULL || text.failed
                           ? ""
                           : qkv__arena_text(portrait->arena, text.data, text.length);
    qkv__text_free(&text);
    return kept == NULL ? "" : kept;
}

const char *qkv__portrait_keep(qkv__portrait *portrait, qkv__text *text, size_t most)
{
    const char *kept = "";
    if (text->failed) portrait->arena->failed = true;
    if (text->data != NULL && text->length > most) {
        size_t cut = most - 3;
        while (cut > 0 && ((unsigned char)text->data[cut] & 0xc0) == 0x80) cut--;
        text->length = cut;
        qkv__text_format(text, "...");
    }
    if (text->data != NULL) kept = qkv__arena_text(portrait->arena, text->data, text->length);
    qkv__text_free(text);
    return kept == NULL ? "" : kept;
}

const char *qkv__portrait_words(qkv__portrait *portrait, const qkv__node *node, size_t most)
{
    qkv__text text = {0};
    qkv__node_write(node, &text);
    return qkv__portrait_keep(portrait, &text, most);
}

const qkv__node *qkv__portrait_comparison(const qkv__node *node)
{
    switch (node->kind) {
    case QKV__NODE_COMPARE: return node;
    case QKV__NODE_AND:
    case QKV__NODE_OR:
    case QKV__NODE_NOT:
    case QKV__NODE_GIVEN: return qkv__portrait_comparison(node->child[0]);
    case QKV__NODE_IMPLIES: return qkv__portrait_comparison(node->child[1]);
    default: return NULL;
    }
}
