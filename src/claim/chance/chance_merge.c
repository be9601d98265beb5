/*
 * Many normal numbers as one. Weights depend on differences of scores alone; where all these
 * differences are multiples of one linear combination y of random numbers, up to what is fixed, the
 * weights are functions of y, which is normal with a mean and a variance that are known
 * (moment.h). So the weights of two keys with noise in every direction need one integral, not four.
 * Knows forms and laws; nothing of integrals.
 */
#include "claim/chance/chance_part.h"

#include <assert.h>
#include "claim/chance/moment.h"
#include "claim/model/random_parameters.h"

typedef struct merging {
    qkv__situation *s;
    const qkv__form
        *direction; /* the random part that all others are multiples of; NULL: none yet */
    int parameter;  /* that takes its place */
} merging;

static const qkv__form *zero_of(const merging *m)
{
    return qkv__form_whole(&m->s->model->algebra, 0);
}

/* A form with 0 for everything random. */
static const qkv__form *fixed_part(const merging *m, const qkv__form *form)
{
    qkv__model *model = m->s->model;
    for (int p = 0; p < (int)model->algebra.parameter_count; p++)
        if (form != NULL && qkv__form_depends_on(form, p) && qkv__random_is(model, p))
            form = qkv__form_substitute(&model->algebra, form, p, zero_of(m));
    return form;
}

/* part = times * direction, for a rational number. */
static bool is_multiple(merging *m, const qkv__form *part, qkv__rational *times)
{
    qkv__algebra *algebra = &m->s->model->algebra;
    *times = qkv__rational_whole(0);
    if (part == NULL || qkv__form_is_zero(part)) return part != NULL;
    if (m->direction == NULL) m->direction = part;
    if (part->count != m->direction->count) return false;
    *times = qkv__rational_divide(part->term[0].coefficient, m->direction->term[0].coefficient);
    return !qkv__rational_is_lost(*times) &&
           qkv__form_equal(part, qkv__form_scale(algebra, m->direction, *times));
}

/* One term over e^common, with the new number in its exponent; NULL where it cannot be. */
static const qkv__form *merge_term(merging *m, const qkv__term *term, const qkv__form *common)
{
    qkv__model *model = m->s->model;
    qkv__algebra *algebra = &model->algebra;
    qkv__term plain = *term;
    qkv__rational times;
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (term->power[p] != 0 && qkv__random_is(model, p)) return NULL;
    const qkv__form *exponent =
        qkv__form_subtract(algebra, term->exponent == NULL ? zero_of(m) : term->exponent, common);
    const qkv__form *fixed = fixed_part(m, exponent);
    if (!is_multiple(m, qkv__form_subtract(algebra, exponent, fixed), &times)) return NULL;
    plain.exponent = NULL;
    const qkv__form *moved =
        qkv__form_add(algebra, fixed,
                      qkv__form_scale(algebra, qkv__form_parameter(algebra, m->parameter), times));
    return qkv__form_multiply(algebra, qkv__form_term(algebra, &plain),
                              qkv__form_exponential(algebra, moved));
}

static const qkv__form *merge_form(merging *m, const qkv__form *form, const qkv__form *common)
{
    const qkv__form *sum = zero_of(m);
    for (size_t i = 0; sum != NULL && i < form->count; i++)
        sum = qkv__form_add(&m->s->model->algebra, sum, merge_term(m, &form->term[i], common));
    return sum;
}

static bool merge_ratio(merging *m, qkv__ratio *f)
{
    qkv__algebra *algebra = &m->s->model->algebra;
    if (qkv__ratio_is_lost(*f)) return false;
    const qkv__form *common = f->denominator->term[0].exponent;
    if (common == NULL) common = zero_of(m);
    const qkv__form *above = merge_form(m, f->numerator, common);
    const qkv__form *below = merge_form(m, f->denominator, common);
    if (above == NULL || below == NULL) return false;
    *f = qkv__situation_apply(m->s, qkv__ratio_divide(algebra, qkv__ratio_of_form(algebra, above),
                                                      qkv__ratio_of_form(algebra, below)));
    return !qkv__ratio_is_lost(*f);
}

bool qkv__chance_merge(qkv__situation *s, qkv__ratio *f, size_t count, qkv__normal *normal)
{
    assert(count > 0);
    qkv__algebra *algebra = &s->model->algebra;
    merging m = {.s = s, .parameter = qkv__parameter_find(algebra, "a merged number")};
    qkv__ratio merged[2], mean, variance;
    if (m.parameter < 0) m.parameter = qkv__parameter_add(algebra, "a merged number");
    if (m.parameter < 0 || count > 2) return false;
    for (size_t i = 0; i < count; i++) {
        merged[i] = f[i];
        if (!merge_ratio(&m, &merged[i])) return false;
    }
    if (m.direction == NULL ||
        !qkv__moment_normal(s, qkv__ratio_of_form(algebra, m.direction), &mean, &variance))
        return false;
    *normal = (qkv__normal){.parameter = m.parameter};
    if (!qkv__ratio_is_constant(qkv__situation_apply(s, mean), &normal->mean) ||
        !qkv__ratio_is_constant(qkv__situation_apply(s, variance), &normal->variance))
        return false;
    for (size_t i = 0; i < count; i++) f[i] = merged[i];
    return true;
}
