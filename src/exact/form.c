/* Arithmetic of exponential polynomials. Knows nothing of vectors, claims or floating point. */
#include "exact/form.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- Parameters --------------------------------------------------------------------------- */

int qkv__parameter_find(const qkv__algebra *algebra, const char *name)
{
    for (size_t i = 0; i < algebra->parameter_count; i++)
        if (strcmp(algebra->parameter[i].name, name) == 0) return (int)i;
    return -1;
}

int qkv__parameter_add(qkv__algebra *algebra, const char *name)
{
    if (algebra->parameter_count == QKV__PARAMETERS) return -1;
    char *copy = qkv__arena_text(&algebra->arena, name, strlen(name));
    if (copy == NULL) return -1;
    algebra->parameter[algebra->parameter_count] = (qkv__parameter){.name = copy};
    return (int)algebra->parameter_count++;
}

/* The parameter that stands for ln p. What is known of it: 1/2 < ln 2, and 1 < ln p from 3 on. */
static int prime_parameter(qkv__algebra *algebra, int64_t prime)
{
    for (size_t i = 0; i < algebra->parameter_count; i++)
        if (algebra->parameter[i].prime == prime) return (int)i;
    qkv__text name = {0};
    qkv__text_format(&name, "ln(%lld)", (long long)prime);
    int made = name.failed ? -1 : qkv__parameter_add(algebra, name.data);
    qkv__text_free(&name);
    if (made < 0) return -1;
    algebra->parameter[made].prime = prime;
    algebra->parameter[made].lower = (qkv__bound){
        .known = true, .strict = true, .value = qkv__rational_make(1, prime == 2 ? 2 : 1)};
    return made;
}

/* ---- Order -------------------------------------------------------------------------------- */

static const qkv__form empty_form = {.count = 0};

/* Higher powers of earlier parameters come first. */
static int compare_powers(const qkv__term *a, const qkv__term *b)
{
    if (memcmp(a->power, b->power, sizeof a->power) == 0) return 0;
    for (int i = 0; i < QKV__PARAMETERS; i++)
        if (a->power[i] != b->power[i]) return a->power[i] > b->power[i] ? -1 : 1;
    return 0;
}

static const qkv__form *exponent_of(const qkv__term *term)
{
    return term->exponent == NULL ? &empty_form : term->exponent;
}

/* By exponent, then by powers: what may be merged stands side by side. */
static int compare_terms(const qkv__term *a, const qkv__term *b)
{
    int order = a->exponent == b->exponent ? 0 : qkv__form_compare(exponent_of(a), exponent_of(b));
    return order != 0 ? order : compare_powers(a, b);
}

static int compare_for_sort(const void *a, const void *b)
{
    return compare_terms(a, b);
}

int qkv__form_compare(const qkv__form *a, const qkv__form *b)
{
    for (size_t i = 0; i < a->count && i < b->count; i++) {
        int order = compare_terms(&a->term[i], &b->term[i]);
        if (order == 0)
            order = qkv__rational_compare(a->term[i].coefficient, b->term[i].coefficient);
        if (order != 0) return order;
    }
    return (a->count > b->count) - (a->count < b->count);
}

/* ---- Building ------------------------------------------------------------------------------ */

static qkv__form *new_form(qkv__algebra *algebra, size_t count)
{
    if (count > QKV__TERMS * (size_t)QKV__TERMS) return NULL;
    return qkv__arena_take(&algebra->arena, sizeof(qkv__form) + count * sizeof(qkv__term));
}

static bool is_in_order(const qkv__form *form)
{
    for (size_t i = 1; i < form->count; i++)
        if (compare_terms(&form->term[i - 1], &form->term[i]) > 0) return false;
    return true;
}

/* Sorts, adds up terms that differ in their coefficient alone, and drops zeros. */
static const qkv__form *normalise(qkv__algebra *algebra, qkv__form *form)
{
    if (form == NULL) return NULL;
    if (!is_in_order(form)) qsort(form->term, form->count, sizeof form->term[0], compare_for_sort);
    size_t kept = 0;
    for (size_t i = 0; i < form->count; i++) {
        qkv__term *term = &form->term[i];
        if (qkv__rational_is_lost(term->coefficient)) return NULL;
        if (kept > 0 && compare_terms(&form->term[kept - 1], term) == 0) {
            qkv__rational *sum = &form->term[kept - 1].coefficient;
            *sum = qkv__rational_add(*sum, term->coefficient);
            if (qkv__rational_is_lost(*sum)) return NULL;
        } else {
            if (kept > 0 && qkv__rational_is_zero(form->term[kept - 1].coefficient)) kept--;
            form->term[kept++] = *term;
        }
    }
    if (kept > 0 && qkv__rational_is_zero(form->term[kept - 1].coefficient)) kept--;
    form->count = kept;
    qkv__arena_trim(&algebra->arena, form, sizeof *form + kept * sizeof form->term[0]);
    return kept > QKV__TERMS ? NULL : form;
}

const qkv__form *qkv__form_term(qkv__algebra *algebra, const qkv__term *term)
{
    qkv__form *form = new_form(algebra, 1);
    if (form == NULL) return NULL;
    form->count = 1;
    form->term[0] = *term;
    return normalise(algebra, form);
}

const qkv__form *qkv__form_constant(qkv__algebra *algebra, qkv__rational value)
{
    qkv__term term = {.coefficient = value};
    return qkv__form_term(algebra, &term);
}

const qkv__form *qkv__form_whole(qkv__algebra *algebra, int64_t value)
{
    return qkv__form_constant(algebra, qkv__rational_whole(value));
}

const qkv__form *qkv__form_parameter(qkv__algebra *algebra, int parameter)
{
    if (parameter < 0) return NULL;
    qkv__term term = {.coefficient = qkv__rational_whole(1)};
    term.power[parameter] = 2;
    return qkv__form_term(algebra, &term);
}

/* Adds sign * order(p) * ln p for every prime p of a positive number. */
static const qkv__form *add_prime_logarithms(qkv__algebra *algebra, const qkv__form *sum,
                                             int64_t number, int sign)
{
    for (int64_t p = 2; number > 1 && sum != NULL; p++) {
        if (p > number / p) p = number; /* what is left is a prime */
        int order = 0;
        for (; number % p == 0; number /= p) order++;
        if (order == 0) continue;
        const qkv__form *atom = qkv__form_parameter(algebra, prime_parameter(algebra, p));
        atom = qkv__form_scale(algebra, atom, qkv__rational_whole(sign * order));
        sum = qkv__form_add(algebra, sum, atom);
    }
    return sum;
}

const qkv__form *qkv__form_logarithm(qkv__algebra *algebra, qkv__rational value)
{
    enum { FACTORED_AT_MOST = 1000000000 }; /* trial division up to its root, 31,623 */
    if (qkv__rational_sign(value) <= 0 || value.numerator > FACTORED_AT_MOST ||
        value.denominator > FACTORED_AT_MOST)
        return NULL;
    const qkv__form *sum = add_prime_logarithms(algebra, &empty_form, value.numerator, 1);
    return add_prime_logarithms(algebra, sum, value.denominator, -1);
}

/* ---- Exponentials -------------------------------------------------------------------------- */

/* Whether a term of an exponent is (k + f) ln p, k whole and 0 <= f < 1; then p, k and f. */
static bool is_prime_logarithm(const qkv__algebra *algebra, const qkv__term *term, int64_t *prime,
                               int64_t *multiple, qkv__rational *left)
{
    int which = -1;
    for (int i = 0; i < QKV__PARAMETERS; i++)
        if (term->power[i] != 0) {
            if (which >= 0 || term->power[i] != 2) return false;
            which = i;
        }
    if (which < 0 || algebra->parameter[which].prime == 0) return false;
    *prime = algebra->parameter[which].prime;
    const int64_t above = term->coefficient.numerator, below = term->coefficient.denominator;
    *multiple = above / below - (above % below < 0 ? 1 : 0);
    *left = qkv__rational_subtract(term->coefficient, qkv__rational_whole(*multiple));
    return !qkv__rational_is_lost(*left);
}

static bool has_prime_logarithm(const qkv__algebra *algebra, const qkv__form *exponent)
{
    int64_t prime, multiple;
    qkv__rational left;
    for (size_t i = 0; i < exponent->count; i++)
        if (is_prime_logarithm(algebra, &exponent->term[i], &prime, &multiple, &left)) return true;
    return false;
}

/* Moves k ln p out of the term's exponent into its coefficient, as p^k: a root of 1/2 is half that
 * of 2. An exponent that stays is shared, which makes it quick to compare. */
static bool extract_logarithms(qkv__algebra *algebra, qkv__term *term)
{
    const qkv__form *exponent = term->exponent;
    if (exponent_of(term)->count == 0) term->exponent = NULL;
    if (term->exponent == NULL || !has_prime_logarithm(algebra, exponent)) return true;
    qkv__form *rest = new_form(algebra, exponent->count);
    if (rest == NULL) return false;
    for (size_t i = 0; i < exponent->count; i++) {
        int64_t prime, multiple;
        qkv__rational left;
        if (!is_prime_logarithm(algebra, &exponent->term[i], &prime, &multiple, &left)) {
            rest->term[rest->count++] = exponent->term[i];
            continue;
        }
        term->coefficient = qkv__rational_multiply(
            term->coefficient, qkv__rational_power(qkv__rational_whole(prime), multiple));
        if (qkv__rational_is_zero(left)) continue;
        rest->term[rest->count] = exponent->term[i];
        rest->term[rest->count++].coefficient = left;
    }
    term->exponent = rest;
    if (exponent_of(term)->count == 0) term->exponent = NULL;
    return !qkv__rational_is_lost(term->coefficient);
}

bool qkv__form_is_polynomial(const qkv__form *a)
{
    if (a == NULL) return false;
    for (size_t i = 0; i < a->count; i++) {
        if (a->term[i].exponent != NULL) return false;
        for (int p = 0; p < QKV__PARAMETERS; p++)
            if (a->term[i].power[p] < 0 || a->term[i].power[p] % 2 != 0) return false;
    }
    return true;
}

/* Exponents may hold roots and inverses of parameters, such as beta / sqrt(d), but no e^. */
static bool has_exponential(const qkv__form *a)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->term[i].exponent != NULL) return true;
    return false;
}

const qkv__form *qkv__form_exponential(qkv__algebra *algebra, const qkv__form *polynomial)
{
    if (polynomial == NULL || has_exponential(polynomial)) return NULL;
    qkv__term term = {.coefficient = qkv__rational_whole(1), .exponent = polynomial};
    if (!extract_logarithms(algebra, &term)) return NULL;
    return qkv__form_term(algebra, &term);
}

const qkv__form *qkv__form_root(qkv__algebra *algebra, const qkv__form *form)
{
    if (form == NULL || form->count > 1) return NULL;
    if (form->count == 0) return form;
    qkv__term term = form->term[0];
    const qkv__form *half_logarithm = qkv__form_scale(
        algebra, qkv__form_logarithm(algebra, term.coefficient), qkv__rational_make(1, 2));
    const qkv__form *half_exponent =
        qkv__form_scale(algebra, exponent_of(&term), qkv__rational_make(1, 2));
    term.coefficient = qkv__rational_whole(1);
    term.exponent = qkv__form_add(algebra, half_logarithm, half_exponent);
    if (term.exponent == NULL) return NULL;
    for (int p = 0; p < QKV__PARAMETERS; p++) {
        const qkv__bound *lower = &algebra->parameter[p].lower;
        bool nonnegative = lower->known && qkv__rational_sign(lower->value) >= 0;
        if (term.power[p] % 2 != 0) return NULL; /* a fourth root */
        term.power[p] = (int16_t)(term.power[p] / 2);
        if (term.power[p] % 4 != 0 && !nonnegative) return NULL; /* sqrt(x^2) is |x|, not x */
    }
    if (!extract_logarithms(algebra, &term)) return NULL;
    return qkv__form_term(algebra, &term);
}

/* ---- Arithmetic ---------------------------------------------------------------------------- */

const qkv__form *qkv__form_add(qkv__algebra *algebra, const qkv__form *a, const qkv__form *b)
{
    if (a == NULL || b == NULL) return NULL;
    qkv__form *sum = new_form(algebra, a->count + b->count);
    if (sum == NULL) return NULL;
    size_t i = 0, j = 0;
    while (i < a->count || j < b->count) { /* both are in order: merge */
        int order = i == a->count   ? 1
                    : j == b->count ? -1
                                    : compare_terms(&a->term[i], &b->term[j]);
        qkv__term *term = &sum->term[sum->count];
        *term = order <= 0 ? a->term[i] : b->term[j];
        if (order == 0)
            term->coefficient = qkv__rational_add(term->coefficient, b->term[j].coefficient);
        if (qkv__rational_is_lost(term->coefficient)) return NULL;
        sum->count += !qkv__rational_is_zero(term->coefficient);
        i += order <= 0;
        j += order >= 0;
    }
    qkv__arena_trim(&algebra->arena, sum, sizeof *sum + sum->count * sizeof sum->term[0]);
    return sum->count > QKV__TERMS ? NULL : sum;
}

void qkv__form_sum_add(qkv__algebra *algebra, qkv__form_sum *sum, const qkv__form *part)
{
    size_t i = 0;
    for (; i + 1 < QKV__SUM_LEVELS && sum->level[i] != NULL && part != NULL; i++) {
        part = qkv__form_add(algebra, sum->level[i], part);
        sum->level[i] = NULL;
    }
    if (sum->level[i] != NULL && part != NULL) part = qkv__form_add(algebra, sum->level[i], part);
    sum->level[i] = part;
    sum->failed = sum->failed || part == NULL;
}

const qkv__form *qkv__form_sum_total(qkv__algebra *algebra, const qkv__form_sum *sum)
{
    const qkv__form *total = sum->failed ? NULL : &empty_form;
    for (size_t i = 0; i < QKV__SUM_LEVELS; i++)
        if (sum->level[i] != NULL) total = qkv__form_add(algebra, total, sum->level[i]);
    return total;
}

const qkv__form *qkv__form_scale(qkv__algebra *algebra, const qkv__form *a, qkv__rational factor)
{
    if (a == NULL || qkv__rational_is_lost(factor)) return NULL;
    qkv__form *scaled = new_form(algebra, a->count);
    if (scaled == NULL) return NULL;
    for (size_t i = 0; i < a->count && !qkv__rational_is_zero(factor); i++) {
        qkv__term *term = &scaled->term[scaled->count++];
        *term = a->term[i];
        term->coefficient = qkv__rational_multiply(term->coefficient, factor);
        if (qkv__rational_is_lost(term->coefficient)) return NULL;
    }
    return scaled;
}

const qkv__form *qkv__form_subtract(qkv__algebra *algebra, const qkv__form *a, const qkv__form *b)
{
    return qkv__form_add(algebra, a, qkv__form_scale(algebra, b, qkv__rational_whole(-1)));
}

static bool multiply_terms(qkv__algebra *algebra, const qkv__term *a, const qkv__term *b,
                           qkv__term *product)
{
    product->coefficient = qkv__rational_multiply(a->coefficient, b->coefficient);
    for (int p = 0; p < QKV__PARAMETERS; p++) {
        int power = a->power[p] + b->power[p];
        if (power > QKV__POWER_LIMIT || power < -QKV__POWER_LIMIT) return false;
        product->power[p] = (int16_t)power;
    }
    product->exponent = a->exponent != NULL ? a->exponent : b->exponent;
    if (a->exponent == NULL || b->exponent == NULL) return true;
    product->exponent = qkv__form_add(algebra, a->exponent, b->exponent);
    return product->exponent != NULL && extract_logarithms(algebra, product);
}

const qkv__form *qkv__form_multiply(qkv__algebra *algebra, const qkv__form *a, const qkv__form *b)
{
    if (a == NULL || b == NULL) return NULL;
    qkv__form *product = new_form(algebra, a->count * b->count);
    if (product == NULL) return NULL;
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++)
            if (!multiply_terms(algebra, &a->term[i], &b->term[j],
                                &product->term[product->count++]))
                return NULL;
    return normalise(algebra, product);
}

const qkv__form *qkv__form_power(qkv__algebra *algebra, const qkv__form *a, int exponent)
{
    assert(exponent >= 0);
    const qkv__form *result = qkv__form_whole(algebra, 1);
    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1) result = qkv__form_multiply(algebra, result, a);
        if (exponent > 1) a = qkv__form_multiply(algebra, a, a);
    }
    return result;
}

const qkv__form *qkv__form_divide_by_term(qkv__algebra *algebra, const qkv__form *a,
                                          const qkv__term *divisor)
{
    qkv__term inverse = {.coefficient =
                             qkv__rational_divide(qkv__rational_whole(1), divisor->coefficient)};
    if (a == NULL) return NULL;
    for (int p = 0; p < QKV__PARAMETERS; p++) inverse.power[p] = (int16_t)-divisor->power[p];
    if (divisor->exponent != NULL) {
        inverse.exponent = qkv__form_scale(algebra, divisor->exponent, qkv__rational_whole(-1));
        if (inverse.exponent == NULL || !extract_logarithms(algebra, &inverse)) return NULL;
    }
    return qkv__form_multiply(algebra, a, qkv__form_term(algebra, &inverse));
}

/* replacement^(power/2); a single term may be inverted, and rooted where it has a root. */
static const qkv__form *half_power(qkv__algebra *algebra, const qkv__form *replacement, int power)
{
    if (replacement == NULL) return NULL;
    if (power % 2 != 0) {
        replacement = qkv__form_root(algebra, replacement);
        if (replacement == NULL) return NULL;
    } else {
        power /= 2;
    }
    if (power >= 0) return qkv__form_power(algebra, replacement, power);
    if (replacement->count != 1) return NULL;
    const qkv__form *inverse =
        qkv__form_divide_by_term(algebra, qkv__form_whole(algebra, 1), &replacement->term[0]);
    return qkv__form_power(algebra, inverse, -power);
}

const qkv__form *qkv__form_substitute(qkv__algebra *algebra, const qkv__form *a, int parameter,
                                      const qkv__form *replacement)
{
    if (a == NULL || replacement == NULL) return NULL;
    qkv__form_sum sum = {.failed = false};
    for (size_t i = 0; i < a->count && !sum.failed; i++) {
        qkv__term rest = a->term[i];
        rest.power[parameter] = 0;
        rest.exponent = NULL;
        const qkv__form *part =
            qkv__form_multiply(algebra, qkv__form_term(algebra, &rest),
                               half_power(algebra, replacement, a->term[i].power[parameter]));
        if (a->term[i].exponent != NULL) {
            const qkv__form *exponent =
                qkv__form_substitute(algebra, a->term[i].exponent, parameter, replacement);
            part = qkv__form_multiply(algebra, part, qkv__form_exponential(algebra, exponent));
        }
        qkv__form_sum_add(algebra, &sum, part);
    }
    return qkv__form_sum_total(algebra, &sum);
}

/* ---- Questions ----------------------------------------------------------------------------- */

bool qkv__form_is_zero(const qkv__form *a)
{
    return a != NULL && a->count == 0;
}

bool qkv__form_equal(const qkv__form *a, const qkv__form *b)
{
    return a != NULL && b != NULL && qkv__form_compare(a, b) == 0;
}

bool qkv__form_is_constant(const qkv__form *a, qkv__rational *value)
{
    if (a == NULL || a->count > 1) return false;
    *value = a->count == 0 ? qkv__rational_whole(0) : a->term[0].coefficient;
    if (a->count == 0) return true;
    for (int p = 0; p < QKV__PARAMETERS; p++)
        if (a->term[0].power[p] != 0) return false;
    return a->term[0].exponent == NULL;
}

bool qkv__form_depends_on(const qkv__form *a, int parameter)
{
    assert(parameter >= 0 && parameter < QKV__PARAMETERS);
    for (size_t i = 0; a != NULL && i < a->count; i++)
        if (a->term[i].power[parameter] != 0 ||
            qkv__form_depends_on(a->term[i].exponent, parameter))
            return true;
    return false;
}

bool qkv__form_is_generic(const qkv__algebra *algebra, const qkv__form *a)
{
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (algebra->parameter[p].generic && qkv__form_depends_on(a, p)) return true;
    return false;
}
