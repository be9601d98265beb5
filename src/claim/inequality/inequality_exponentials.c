/* What is known of exponentials where their exponents are compared: e^x is increasing. Knows the
 * form that is to be shown; shows nothing itself. */
#include <string.h>

#include "claim/inequality/inequality_part.h"

static const qkv__form *exponential(qkv__inequality *q, const qkv__form *exponent)
{
    return exponent == NULL ? qkv__form_whole(&q->algebra, 1)
                            : qkv__form_exponential(&q->algebra, exponent);
}

/* Whether x >= 0; then the label of what follows from it, with the lemmas that it took. */
static const char *label_if(qkv__inequality *q, const qkv__form *x, const char *label)
{
    const size_t before = q->reason.length;
    qkv__text text = {0};
    const char *made = label;
    if (qkv__inequality_is_signed(q, x, false)) return label;
    if (!qkv__inequality_certify(q, x, false, 1) && !qkv__inequality_certify(q, x, false, 2))
        return NULL;
    if (q->reason.length > before) {
        const char *by = q->reason.data + (before == 0 ? 0 : before + 2); /* behind "; " */
        if (strchr(by, '(') == NULL) /* else it would be hard to read */
            qkv__text_format(&text, "%s (%s)", label, by);
        if (!text.failed && text.data != NULL)
            made = qkv__arena_text(&q->algebra.arena, text.data, text.length);
        qkv__text_take_out(&q->reason, before, q->reason.length);
    }
    qkv__text_free(&text);
    return made == NULL ? label : made;
}

/* e^x >= e^y where x >= y, and e^x >= 1 + x, for the exponents in a form. */
static void know_order(qkv__inequality *q, const qkv__form *form)
{
    enum { MOST = 6 };
    const qkv__form *exponent[MOST];
    size_t count = 0;
    qkv__algebra *algebra = &q->algebra;
    exponent[count++] = NULL;
    for (size_t i = 0; i < form->count; i++) {
        bool known = form->term[i].exponent == NULL;
        for (size_t k = 1; k < count; k++)
            known = known || qkv__form_equal(exponent[k], form->term[i].exponent);
        if (!known && count < MOST) exponent[count++] = form->term[i].exponent;
    }
    for (size_t i = 0; count > 1 && i < count; i++) {
        const qkv__form *x = exponent[i] == NULL ? qkv__form_whole(algebra, 0) : exponent[i];
        if (exponent[i] != NULL) {
            qkv__inequality_know(q, exponential(q, x), true, "e^x > 0");
            qkv__inequality_know(
                q,
                qkv__form_subtract(algebra, exponential(q, x),
                                   qkv__form_add(algebra, x, qkv__form_whole(algebra, 1))),
                false, "e^x >= 1 + x");
        }
        for (size_t j = 0; j < count; j++) {
            const qkv__form *y = exponent[j] == NULL ? qkv__form_whole(algebra, 0) : exponent[j];
            const qkv__form *gap = i == j ? NULL : qkv__form_subtract(algebra, x, y);
            const char *label = gap == NULL ? NULL : label_if(q, gap, "e^x is increasing");
            if (label == NULL) continue;
            qkv__inequality_know(
                q, qkv__form_subtract(algebra, exponential(q, x), exponential(q, y)), false, label);
        }
    }
}

/* e^(x + y) >= 1 where x + y >= 0, for the exponents x of a form (or 0) and y of a premise, as in
 * n >= e^y: the form may be compared with the premise times e^x. */
static void know_products(qkv__inequality *q, const qkv__form *form)
{
    enum { MOST = 4 };
    size_t facts = q->fact_count, tried = 0;
    for (size_t f = 0; f < facts; f++)
        for (size_t j = 0; j < q->fact[f].form->count; j++)
            if (q->fact[f].form->term[j].exponent != NULL &&
                strcmp(q->fact[f].label, "a premise") == 0) {
                const qkv__form *cleared = qkv__inequality_without_inverses(q, q->fact[f].form);
                if (cleared != NULL) qkv__inequality_know(q, cleared, false, "a premise");
                break;
            }
    facts = q->fact_count;
    for (size_t f = 0; f < facts; f++)
        for (size_t j = 0; j < q->fact[f].form->count; j++)
            for (size_t i = 0; i < form->count; i++) {
                const qkv__form *x = form->term[i].exponent;
                const qkv__form *y = q->fact[f].form->term[j].exponent;
                if (y == NULL || strcmp(q->fact[f].label, "a premise") != 0) continue;
                const qkv__form *sum = x == NULL ? y : qkv__form_add(&q->algebra, x, y);
                if (sum == NULL || qkv__inequality_has_exponent(form, sum) || tried++ >= MOST)
                    continue;
                const char *label = label_if(q, sum, "e^x is increasing");
                if (label != NULL)
                    qkv__inequality_know(q,
                                         qkv__form_subtract(&q->algebra, exponential(q, sum),
                                                            qkv__form_whole(&q->algebra, 1)),
                                         false, label);
            }
}

/* e^x <= y where x <= ln y, and the other way round. */
static void know_logarithms(qkv__inequality *q, const qkv__form *form)
{
    qkv__algebra *algebra = &q->algebra;
    for (size_t i = 0; i < form->count; i++)
        for (size_t a = 0; form->term[i].exponent != NULL && a < algebra->parameter_count; a++) {
            if (q->atom[a].kind != QKV__ATOM_LOGARITHM ||
                q->atom[a].argument.denominator->count != 1)
                continue;
            const qkv__form *gap = qkv__form_subtract(algebra, qkv__form_parameter(algebra, (int)a),
                                                      form->term[i].exponent);
            const qkv__form *number = qkv__form_divide_by_term(
                algebra, q->atom[a].argument.numerator, &q->atom[a].argument.denominator->term[0]);
            const qkv__form *difference =
                qkv__form_subtract(algebra, number, exponential(q, form->term[i].exponent));
            const qkv__rational minus = qkv__rational_whole(-1);
            const char *label = label_if(q, gap, "e^x is increasing");
            if (label != NULL) {
                qkv__inequality_know(q, difference, false, label);
                continue;
            }
            label = label_if(q, qkv__form_scale(algebra, gap, minus), "e^x is increasing");
            if (label != NULL)
                qkv__inequality_know(q, qkv__form_scale(algebra, difference, minus), false, label);
        }
}

void qkv__inequality_know_exponentials(qkv__inequality *q, const qkv__form *form)
{
    know_order(q, form);
    know_products(q, form);
    know_logarithms(q, form);
}
