/* Forms with numbers in place of parameters, and their values over complex balls. Knows nothing of
 * integrals or of normal laws. */
#include "ball/complex.h"

#include <assert.h>

#include "ball/divide.h"
#include "ball/evaluate.h"
#include "base/memory.h"

enum { SCRATCH = 64 << 20 }; /* bytes for quotients of forms */

/* ---- Monomials ------------------------------------------------------------------------------ */

static int variable_of(const qkv__complex_frame *frame, int parameter)
{
    for (size_t i = 0; i < frame->variable_count; i++)
        if (frame->variable[i] == parameter) return (int)i;
    return -1;
}

/* The product of rational and powers of parameters that are no variables; false when it is not
 * finite, or when a variable has half a power. */
static bool set_monomial(qkv__complex_monomial *monomial, const qkv__term *term,
                         const qkv__complex_frame *frame, const qkv__domain *domain)
{
    qkv__interval product, factor;
    qkv__interval_init(&product);
    qkv__interval_init(&factor);
    qkv__interval_set_rational(&product, term->coefficient, domain->precision);
    bool good = true;
    for (int i = 0; i < QKV__VARIABLES; i++) monomial->power[i] = 0;
    for (int p = 0; p < QKV__PARAMETERS; p++) {
        int halves = term->power[p], variable = variable_of(frame, p);
        if (halves == 0) continue;
        good = good && (size_t)p < domain->count && (variable < 0 || halves % 2 == 0);
        if (!good) break;
        if (variable >= 0) {
            monomial->power[variable] = halves / 2;
        } else {
            qkv__interval_power(&factor, &domain->range[p], halves, domain->precision);
            qkv__interval_multiply(&product, &product, &factor, domain->precision);
        }
    }
    good = good && qkv__interval_is_finite(&product);
    if (good)
        arb_set_interval_arf(monomial->coefficient, product.lower, product.upper,
                             domain->precision);
    qkv__interval_clear(&product);
    qkv__interval_clear(&factor);
    return good;
}

static void monomial_value(acb_t value, const qkv__complex_monomial *monomial,
                           const acb_struct *variable, slong precision)
{
    acb_set_arb(value, monomial->coefficient);
    acb_t power;
    acb_init(power);
    for (int i = 0; i < QKV__VARIABLES; i++) {
        int exponent = monomial->power[i];
        if (exponent == 0) continue;
        acb_pow_si(power, variable + i, exponent, precision);
        acb_mul(value, value, power, precision);
    }
    acb_clear(power);
}

/* ---- Forms ---------------------------------------------------------------------------------- */

static size_t count_monomials(const qkv__form *source)
{
    size_t count = 0;
    for (size_t i = 0; i < source->count; i++)
        if (source->term[i].exponent != NULL) count += source->term[i].exponent->count;
    return count;
}

static bool set_exponent(qkv__complex_form *form, qkv__complex_term *term, const qkv__form *source,
                         const qkv__complex_frame *frame, const qkv__domain *domain)
{
    for (size_t i = 0; i < source->count; i++) {
        if (source->term[i].exponent != NULL) return false; /* no exponent of a form has one */
        if (!set_monomial(&form->monomial[term->first + i], &source->term[i], frame, domain))
            return false;
    }
    term->count = source->count;
    return true;
}

static bool set_terms(qkv__complex_form *form, const qkv__form *source,
                      const qkv__complex_frame *frame, const qkv__domain *domain)
{
    size_t first = 0;
    for (size_t i = 0; i < source->count; i++) {
        qkv__complex_term *term = &form->term[i];
        const qkv__form *exponent = source->term[i].exponent;
        term->first = first;
        if (!set_monomial(&term->factor, &source->term[i], frame, domain)) return false;
        if (exponent != NULL && !set_exponent(form, term, exponent, frame, domain)) return false;
        first += term->count;
    }
    return true;
}

/* All numbers are initialised before any is set, so that clearing works at every moment. */
static bool reserve(qkv__complex_form *form, size_t terms, size_t monomials)
{
    *form = (qkv__complex_form){0};
    form->term = qkv__allocate_zero((terms + 1) * sizeof *form->term);
    form->monomial = qkv__allocate_zero((monomials + 1) * sizeof *form->monomial);
    if (form->term == NULL || form->monomial == NULL) {
        qkv__free(form->term);
        qkv__free(form->monomial);
        *form = (qkv__complex_form){0};
        return false;
    }
    form->count = terms;
    form->monomial_count = monomials;
    for (size_t i = 0; i < terms; i++) arb_init(form->term[i].factor.coefficient);
    for (size_t i = 0; i < monomials; i++) arb_init(form->monomial[i].coefficient);
    return true;
}

bool qkv__complex_form_init(qkv__complex_form *form, const qkv__form *source,
                            const qkv__complex_frame *frame, slong precision)
{
    if (source == NULL || !reserve(form, source->count, count_monomials(source))) return false;
    qkv__domain domain;
    qkv__domain_init(&domain, frame->algebra, frame->box, precision);
    bool good = set_terms(form, source, frame, &domain);
    qkv__domain_clear(&domain);
    if (!good) qkv__complex_form_clear(form);
    return good;
}

void qkv__complex_form_clear(qkv__complex_form *form)
{
    for (size_t i = 0; i < form->count; i++) arb_clear(form->term[i].factor.coefficient);
    for (size_t i = 0; i < form->monomial_count; i++) arb_clear(form->monomial[i].coefficient);
    qkv__free(form->term);
    qkv__free(form->monomial);
    *form = (qkv__complex_form){0};
}

void qkv__complex_form_value(acb_t value, const qkv__complex_form *form, const acb_struct *variable,
                             slong precision)
{
    acb_t part, exponent;
    acb_init(part);
    acb_init(exponent);
    acb_zero(value);
    for (size_t i = 0; i < form->count; i++) {
        const qkv__complex_term *term = &form->term[i];
        acb_zero(exponent);
        for (size_t j = 0; j < term->count; j++) {
            monomial_value(part, &form->monomial[term->first + j], variable, precision);
            acb_add(exponent, exponent, part, precision);
        }
        monomial_value(part, &term->factor, variable, precision);
        if (term->count > 0) {
            acb_exp(exponent, exponent, precision);
            acb_mul(part, part, exponent, precision);
        }
        acb_add(value, value, part, precision);
    }
    acb_clear(part);
    acb_clear(exponent);
}

/* ---- Ways to write a ratio ------------------------------------------------------------------ */

static void add_way(qkv__algebra *algebra, qkv__ratio ratio, const qkv__term *divisor,
                    const qkv__box *box, qkv__ratio way[QKV__WAYS], size_t *count)
{
    qkv__parameter_set unused;
    if (*count == QKV__WAYS) return;
    qkv__ratio added = {
        qkv__form_divide_positive(algebra, ratio.numerator, divisor, box, &unused),
        qkv__form_divide_positive(algebra, ratio.denominator, divisor, box, &unused)};
    if (!qkv__ratio_is_lost(added)) way[(*count)++] = added;
}

/* Over a numerator of one term nothing is known twice, and no other divisor is wanted. Else each
 * term of the denominator is the largest somewhere, or the likely ones of many. */
size_t qkv__ratio_ways(qkv__algebra *algebra, qkv__ratio ratio, const qkv__box *box,
                       qkv__ratio way[QKV__WAYS])
{
    const qkv__term *divisor[QKV__DIVISORS];
    size_t count = 0, terms, divisors;
    if (qkv__ratio_is_lost(ratio)) return 0;
    if (ratio.numerator->count == 1)
        add_way(algebra, ratio, &ratio.numerator->term[0], box, way, &count);
    way[count++] = ratio;
    terms = ratio.denominator->count;
    if (count > 1 || terms <= 1) return count;
    for (size_t i = 0; terms < QKV__WAYS && i < terms; i++)
        add_way(algebra, ratio, &ratio.denominator->term[i], box, way, &count);
    if (terms < QKV__WAYS) return count;
    divisors = qkv__divisors_choose(algebra, ratio.denominator, box, divisor);
    for (size_t i = 0; i < divisors; i++) add_way(algebra, ratio, divisor[i], box, way, &count);
    return count;
}

qkv__ratio qkv__ratio_fix(qkv__algebra *algebra, qkv__ratio ratio, const qkv__box *box)
{
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        if (algebra->parameter[p].prime != 0 || !qkv__box_is_fixed(algebra, box, p)) continue;
        if (!qkv__ratio_depends_on(ratio, p)) continue;
        const qkv__form *number = qkv__form_constant(algebra, box->range[p].lower.value);
        qkv__ratio fixed = qkv__ratio_substitute(algebra, ratio, p, number);
        if (!qkv__ratio_is_lost(fixed)) ratio = fixed;
    }
    return ratio;
}

qkv__algebra qkv__algebra_scratch(const qkv__algebra *algebra)
{
    qkv__algebra scratch = *algebra;
    scratch.arena = (qkv__arena){.limit = SCRATCH};
    return scratch;
}

static bool add_complex_way(qkv__complex_ratio *ratio, qkv__ratio way,
                            const qkv__complex_frame *frame, slong precision)
{
    assert(ratio->count < QKV__WAYS);
    qkv__complex_form *above = &ratio->above[ratio->count], *below = &ratio->below[ratio->count];
    if (!qkv__complex_form_init(above, way.numerator, frame, precision)) return false;
    if (!qkv__complex_form_init(below, way.denominator, frame, precision)) {
        qkv__complex_form_clear(above);
        return false;
    }
    ratio->count++;
    return true;
}

bool qkv__complex_ratio_init(qkv__complex_ratio *ratio, qkv__ratio source,
                             const qkv__complex_frame *frame, slong precision)
{
    qkv__algebra scratch = qkv__algebra_scratch(frame->algebra);
    qkv__ratio way[QKV__WAYS];
    ratio->count = 0;
    size_t ways = qkv__ratio_ways(&scratch, source, frame->box, way);
    for (size_t i = 0; i < ways; i++) add_complex_way(ratio, way[i], frame, precision);
    qkv__arena_free(&scratch.arena);
    return ratio->count > 0;
}

void qkv__complex_ratio_clear(qkv__complex_ratio *ratio)
{
    for (size_t i = 0; i < ratio->count; i++) {
        qkv__complex_form_clear(&ratio->above[i]);
        qkv__complex_form_clear(&ratio->below[i]);
    }
    ratio->count = 0;
}

/* Whether the one is narrower than the other, by the larger of their radii. */
static bool is_narrower(const acb_t one, const acb_t other)
{
    if (!acb_is_finite(one)) return false;
    if (!acb_is_finite(other)) return true;
    mag_t a, b;
    mag_init(a);
    mag_init(b);
    mag_max(a, arb_radref(acb_realref(one)), arb_radref(acb_imagref(one)));
    mag_max(b, arb_radref(acb_realref(other)), arb_radref(acb_imagref(other)));
    bool narrower = mag_cmp(a, b) < 0;
    mag_clear(a);
    mag_clear(b);
    return narrower;
}

void qkv__complex_ratio_value(acb_t value, const qkv__complex_ratio *ratio,
                              const acb_struct *variable, slong precision)
{
    acb_t quotient, below;
    acb_init(quotient);
    acb_init(below);
    acb_indeterminate(value);
    for (size_t i = 0; i < ratio->count; i++) {
        if (i > 0 && acb_rel_accuracy_bits(value) > precision / 2) break;
        qkv__complex_form_value(below, &ratio->below[i], variable, precision);
        if (acb_contains_zero(below)) continue;
        qkv__complex_form_value(quotient, &ratio->above[i], variable, precision);
        acb_div(quotient, quotient, below, precision);
        if (is_narrower(quotient, value)) acb_swap(value, quotient);
    }
    acb_clear(quotient);
    acb_clear(below);
}
