/* Functions of numbers as letters, after the rules by which they can be taken apart: ln(x y) is
 * ln x + ln y where both are positive, e^(ln x) is x, sin(x + y) is made of sines and cosines.
 * Knows nothing of expressions nor of proofs. */
#include <assert.h>
#include <string.h>

#include "claim/calculus/part.h"
#include "claim/premise/gap.h"

static qkv__ratio whole(const qkv__calculus *c, int64_t value)
{
    return qkv__ratio_whole(c->algebra, value);
}

static qkv__ratio of_form(const qkv__calculus *c, const qkv__form *form)
{
    return qkv__ratio_of_form(c->algebra, form);
}

static qkv__ratio times(const qkv__calculus *c, qkv__ratio x, qkv__rational factor)
{
    return qkv__ratio_multiply(c->algebra, x, qkv__ratio_constant(c->algebra, factor));
}

qkv__sign qkv__calculus_sign(qkv__calculus *c, qkv__ratio x)
{
    qkv__real value;
    qkv__sign sign = qkv__ratio_sign(c->algebra, x);
    if (sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NEGATIVE || sign == QKV__SIGN_ZERO)
        return sign;
    qkv__real_init(&value);
    int known = qkv__calculus_value(c, x, &value) ? qkv__real_sign(&value) : QKV__SIGN_OPEN;
    qkv__real_clear(&value);
    if (known == 1 || known == -1) return known == 1 ? QKV__SIGN_POSITIVE : QKV__SIGN_NEGATIVE;
    return sign;
}

/* ---- Letters -----------------------------------------------------------------------------------
 */

const qkv__atom *qkv__calculus_atom(const qkv__calculus *c, int parameter)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->atom[i].parameter == parameter) return &c->atom[i];
    return NULL;
}

static qkv__bound bound(qkv__rational value, bool strict)
{
    return (qkv__bound){.known = true, .strict = strict, .value = value};
}

/* What is known of a function, whatever it is of. */
static void set_range(const qkv__calculus *c, const qkv__atom *atom)
{
    qkv__parameter *known = &c->algebra->parameter[atom->parameter];
    const qkv__rational zero = {0, 1}, one = {1, 1}, minus = {-1, 1};
    switch (atom->kind) {
    case QKV__ATOM_LOGARITHM: break;
    case QKV__ATOM_ROOT:
    case QKV__ATOM_SIZE: known->lower = bound(zero, false); break;
    case QKV__ATOM_EXPONENTIAL: known->lower = bound(zero, true); break;
    case QKV__ATOM_SINE:
    case QKV__ATOM_COSINE:
        known->lower = bound(minus, false);
        known->upper = bound(one, false);
        break;
    case QKV__ATOM_ERROR_FUNCTION:
        known->lower = bound(minus, true);
        known->upper = bound(one, true);
        break;
    case QKV__ATOM_PI:
        known->lower = bound((qkv__rational){333, 106}, true);
        known->upper = bound((qkv__rational){355, 113}, true);
        break;
    }
}

/* Of a number that is known the function is known as closely as its bounds can be written. */
static void set_number(qkv__calculus *c, const qkv__atom *atom)
{
    qkv__parameter *known = &c->algebra->parameter[atom->parameter];
    qkv__rational lower, upper;
    qkv__real value;
    qkv__ratio letter = of_form(c, qkv__form_parameter(c->algebra, atom->parameter));
    qkv__real_init(&value);
    if (qkv__calculus_value(c, letter, &value) && qkv__real_bounds(&value, &lower, &upper)) {
        known->lower = bound(lower, false);
        known->upper = bound(upper, false);
    }
    qkv__real_clear(&value);
}

static qkv__ratio letter(qkv__calculus *c, qkv__atom_kind kind, qkv__ratio argument)
{
    static const char *const names[] = {
        [QKV__ATOM_LOGARITHM] = "ln",    [QKV__ATOM_ROOT] = "sqrt",
        [QKV__ATOM_EXPONENTIAL] = "exp", [QKV__ATOM_SINE] = "sin",
        [QKV__ATOM_COSINE] = "cos",      [QKV__ATOM_ERROR_FUNCTION] = "erf",
        [QKV__ATOM_SIZE] = "abs",        [QKV__ATOM_PI] = "pi"};
    if (qkv__ratio_is_lost(argument)) return argument;
    for (size_t i = 0; i < c->count; i++)
        if (c->atom[i].kind == kind && qkv__ratio_equal(c->algebra, c->atom[i].argument, argument))
            return of_form(c, qkv__form_parameter(c->algebra, c->atom[i].parameter));
    if (c->count == QKV__ATOMS) return qkv__calculus_lost();
    qkv__text name = {0};
    qkv__text_format(&name, "%s(", names[kind]);
    qkv__ratio_write(c->algebra, argument, &name);
    qkv__text_format(&name, ")");
    int parameter = name.failed ? -1 : qkv__parameter_add(c->algebra, name.data);
    qkv__text_free(&name);
    if (parameter < 0) return qkv__calculus_lost();
    qkv__atom *atom = &c->atom[c->count++];
    *atom = (qkv__atom){kind, argument, parameter};
    c->algebra->parameter[parameter].generic = qkv__ratio_is_generic(c->algebra, argument);
    set_range(c, atom);
    set_number(c, atom);
    return of_form(c, qkv__form_parameter(c->algebra, parameter));
}

qkv__ratio qkv__calculus_pi(qkv__calculus *c)
{
    return letter(c, QKV__ATOM_PI, whole(c, 1));
}

/* ---- Logarithms --------------------------------------------------------------------------------
 */

static bool is_not_negative(const qkv__parameter *known)
{
    return known->lower.known && qkv__rational_sign(known->lower.value) >= 0;
}

/* Whether all factors of a term are known not to be negative. */
static bool is_splittable(const qkv__calculus *c, const qkv__term *term)
{
    if (qkv__rational_sign(term->coefficient) <= 0) return false;
    for (int p = 0; p < (int)c->algebra->parameter_count; p++)
        if (term->power[p] != 0 && !is_not_negative(&c->algebra->parameter[p])) return false;
    return true;
}

static qkv__ratio logarithm_of_letter(qkv__calculus *c, int parameter)
{
    const qkv__atom *atom = qkv__calculus_atom(c, parameter);
    if (atom != NULL && atom->kind == QKV__ATOM_EXPONENTIAL) return atom->argument;
    if (atom != NULL && atom->kind == QKV__ATOM_ROOT)
        return times(c, qkv__calculus_logarithm(c, atom->argument), (qkv__rational){1, 2});
    return letter(c, QKV__ATOM_LOGARITHM, of_form(c, qkv__form_parameter(c->algebra, parameter)));
}

/* ln of a factor p of unknown sign: of |p|, or of p or -p where the sign follows from that of the
 * whole, which is positive. */
static qkv__ratio logarithm_of_factor(qkv__calculus *c, int parameter, int sign)
{
    qkv__ratio own = of_form(c, qkv__form_parameter(c->algebra, parameter));
    if (sign > 0) return logarithm_of_letter(c, parameter);
    if (sign < 0) return letter(c, QKV__ATOM_LOGARITHM, qkv__ratio_negate(c->algebra, own));
    return qkv__calculus_logarithm(c, qkv__calculus_size(c, own));
}

/* ln(r p^(k/2) e^g) = ln |r| + k/2 ln |p| + g, where it has a value. */
static qkv__ratio logarithm_of_term(qkv__calculus *c, const qkv__term *term)
{
    const int count = (int)c->algebra->parameter_count;
    const int sign = qkv__rational_sign(term->coefficient);
    int odd = 0; /* factors that may make it negative */
    for (int p = 0; p < count; p++)
        odd += term->power[p] % 4 != 0 && !is_not_negative(&c->algebra->parameter[p]);
    qkv__rational size = sign < 0 ? qkv__rational_negate(term->coefficient) : term->coefficient;
    qkv__ratio sum = of_form(c, qkv__form_logarithm(c->algebra, size));
    for (int p = 0; p < count; p++) {
        if (term->power[p] == 0) continue;
        const bool unknown = !is_not_negative(&c->algebra->parameter[p]);
        const bool single = unknown && odd == 1 && term->power[p] % 4 != 0;
        qkv__ratio part = logarithm_of_factor(c, p, !unknown ? 1 : single ? sign : 0);
        sum =
            qkv__ratio_add(c->algebra, sum, times(c, part, qkv__rational_make(term->power[p], 2)));
    }
    if (term->exponent != NULL) sum = qkv__ratio_add(c->algebra, sum, of_form(c, term->exponent));
    return sum;
}

/* Whether a form is one term times another, and which; ln of it is then that of the other, and of
 * the term. */
static bool is_multiple(const qkv__calculus *c, const qkv__form *form, const qkv__form *other,
                        qkv__term *factor)
{
    if (form->count != other->count || form->count == 0) return false;
    for (size_t i = 0; i < form->count; i++) {
        const qkv__form *quotient = qkv__form_divide_by_term(
            c->algebra, qkv__form_term(c->algebra, &form->term[i]), &other->term[0]);
        if (quotient == NULL || quotient->count != 1) return false;
        if (!qkv__form_equal(form, qkv__form_multiply(c->algebra, other, quotient))) continue;
        *factor = quotient->term[0];
        return is_splittable(c, factor);
    }
    return false;
}

/* ln of a form that is positive wherever the logarithm has a value. */
static qkv__ratio logarithm_of_form(qkv__calculus *c, const qkv__form *form)
{
    qkv__term factor;
    if (form->count == 1) return logarithm_of_term(c, &form->term[0]);
    for (size_t i = 0; i < c->count; i++) {
        const qkv__atom *atom = &c->atom[i];
        qkv__rational one;
        if (atom->kind == QKV__ATOM_LOGARITHM &&
            qkv__form_is_constant(atom->argument.denominator, &one) && one.numerator == 1 &&
            one.denominator == 1 && is_multiple(c, form, atom->argument.numerator, &factor))
            return qkv__ratio_add(c->algebra,
                                  of_form(c, qkv__form_parameter(c->algebra, atom->parameter)),
                                  logarithm_of_term(c, &factor));
    }
    return letter(c, QKV__ATOM_LOGARITHM, of_form(c, form));
}

static bool is_positive(qkv__calculus *c, const qkv__form *form)
{
    if (form->count == 1 && is_splittable(c, &form->term[0])) return true;
    return qkv__calculus_sign(c, of_form(c, form)) == QKV__SIGN_POSITIVE;
}

qkv__ratio qkv__calculus_logarithm(qkv__calculus *c, qkv__ratio x)
{
    qkv__rational number;
    if (qkv__ratio_is_lost(x) || qkv__ratio_is_zero(x)) return qkv__calculus_lost();
    if (qkv__ratio_is_constant(x, &number))
        return qkv__rational_sign(number) > 0 ? of_form(c, qkv__form_logarithm(c->algebra, number))
                                              : qkv__calculus_lost();
    if (is_positive(c, x.denominator)) /* and the numerator is, wherever there is a value */
        return qkv__ratio_subtract(c->algebra, logarithm_of_form(c, x.numerator),
                                   logarithm_of_form(c, x.denominator));
    return letter(c, QKV__ATOM_LOGARITHM, x);
}

/* ---- Exponentials, roots, powers ---------------------------------------------------------------
 */

/* The logarithm's argument where a term is a number of halves times one logarithm. */
static const qkv__atom *single_logarithm(const qkv__calculus *c, const qkv__term *term)
{
    const qkv__atom *found = NULL;
    if (term->exponent != NULL || term->coefficient.denominator > 2) return NULL;
    for (int p = 0; p < (int)c->algebra->parameter_count; p++) {
        if (term->power[p] == 0) continue;
        const qkv__atom *atom = qkv__calculus_atom(c, p);
        if (found != NULL || term->power[p] != 2 || atom == NULL ||
            atom->kind != QKV__ATOM_LOGARITHM)
            return NULL;
        found = atom;
    }
    return found;
}

/* e^(k/2 ln x + rest) = x^(k/2) e^rest */
static qkv__ratio exponential_of_form(qkv__calculus *c, const qkv__form *form)
{
    enum { MOST = 16 };
    qkv__ratio product = whole(c, 1);
    qkv__form_sum rest = {.failed = false};
    for (size_t i = 0; i < form->count; i++) {
        const qkv__term *term = &form->term[i];
        const qkv__atom *atom = single_logarithm(c, term);
        int64_t power = term->coefficient.numerator;
        if (atom == NULL || power > MOST || power < -MOST) {
            qkv__form_sum_add(c->algebra, &rest, qkv__form_term(c->algebra, term));
            continue;
        }
        qkv__ratio base = term->coefficient.denominator == 2 ? qkv__calculus_root(c, atom->argument)
                                                             : atom->argument;
        product = qkv__ratio_multiply(c->algebra, product,
                                      qkv__ratio_power(c->algebra, base, (int)power));
    }
    const qkv__form *left = qkv__form_sum_total(c->algebra, &rest);
    return qkv__ratio_multiply(c->algebra, product,
                               qkv__ratio_exponential(c->algebra, of_form(c, left)));
}

qkv__ratio qkv__calculus_exponential(qkv__calculus *c, qkv__ratio x)
{
    if (qkv__ratio_is_lost(x)) return x;
    const qkv__form *whole_form =
        x.denominator->count == 1
            ? qkv__form_divide_by_term(c->algebra, x.numerator, &x.denominator->term[0])
            : NULL;
    if (whole_form != NULL && !qkv__ratio_is_lost(qkv__ratio_exponential(c->algebra, x)))
        return exponential_of_form(c, whole_form);
    qkv__ratio minus = qkv__ratio_negate(c->algebra, x);
    for (size_t i = 0; i < c->count; i++)
        if (c->atom[i].kind == QKV__ATOM_EXPONENTIAL &&
            qkv__ratio_equal(c->algebra, c->atom[i].argument, minus))
            return qkv__ratio_divide(c->algebra, whole(c, 1),
                                     letter(c, QKV__ATOM_EXPONENTIAL, minus));
    return letter(c, QKV__ATOM_EXPONENTIAL, x);
}

/* The root of a positive rational number, as forms have it: e^(ln(2)/2). */
static qkv__ratio root_of_number(qkv__calculus *c, qkv__rational x)
{
    const qkv__form *logarithm = qkv__form_logarithm(c->algebra, x);
    return qkv__ratio_exponential(
        c->algebra, of_form(c, qkv__form_scale(c->algebra, logarithm, qkv__rational_make(1, 2))));
}

/* The root of p^2 q^4, times the root of the rest, is |p q^2|. */
static qkv__ratio root_of_squares(qkv__calculus *c, qkv__ratio x)
{
    if (x.numerator->count != 1 || x.denominator->count != 1) return qkv__calculus_lost();
    const qkv__form *form =
        qkv__form_divide_by_term(c->algebra, x.numerator, &x.denominator->term[0]);
    if (form == NULL) return qkv__calculus_lost();
    qkv__term inner = {.coefficient = qkv__rational_whole(1)}, rest = form->term[0];
    for (int p = 0; p < QKV__PARAMETERS; p++) {
        if (rest.power[p] % 4 != 0) continue;
        inner.power[p] = (int16_t)(rest.power[p] / 2);
        rest.power[p] = 0;
    }
    qkv__ratio root = qkv__ratio_root(c->algebra, of_form(c, qkv__form_term(c->algebra, &rest)));
    if (qkv__ratio_is_lost(root) && qkv__rational_sign(rest.coefficient) > 0) {
        const qkv__rational number = rest.coefficient;
        rest.coefficient = qkv__rational_whole(1);
        root = qkv__ratio_root(c->algebra, of_form(c, qkv__form_term(c->algebra, &rest)));
        root = qkv__ratio_is_lost(root)
                   ? root
                   : qkv__ratio_multiply(c->algebra, root, root_of_number(c, number));
    }
    return qkv__ratio_multiply(
        c->algebra, root, qkv__calculus_size(c, of_form(c, qkv__form_term(c->algebra, &inner))));
}

/* A sum over a multiple of itself, which no common term shortens, is a number. */
static qkv__ratio shortened(qkv__calculus *c, qkv__ratio x)
{
    if (x.numerator->count != x.denominator->count || x.numerator->count < 2) return x;
    const qkv__rational factor =
        qkv__rational_divide(x.numerator->term[0].coefficient, x.denominator->term[0].coefficient);
    return qkv__form_equal(x.numerator, qkv__form_scale(c->algebra, x.denominator, factor))
               ? qkv__ratio_constant(c->algebra, factor)
               : x;
}

/* The largest square of a term that divides all terms of a form, as the term; *square is it. */
static const qkv__form *common_root(qkv__calculus *c, const qkv__form *form, qkv__term *square)
{
    qkv__term root = {.coefficient = qkv__rational_whole(1)};
    *square = root;
    for (int p = 0; p < QKV__PARAMETERS; p++) {
        int least = form->term[0].power[p];
        for (size_t i = 1; i < form->count; i++)
            if (form->term[i].power[p] < least) least = form->term[i].power[p];
        square->power[p] = (int16_t)(least > 0 ? least / 4 * 4 : 0);
        root.power[p] = (int16_t)(square->power[p] / 2);
    }
    return qkv__form_term(c->algebra, &root);
}

/* The root of s^2 Q is |s| times that of Q, which has a value too unless s is 0. */
static qkv__ratio root_without_squares(qkv__calculus *c, qkv__ratio x)
{
    qkv__term above, below;
    const qkv__form *up = common_root(c, x.numerator, &above);
    const qkv__form *down = common_root(c, x.denominator, &below);
    const qkv__ratio outside = qkv__ratio_divide(c->algebra, of_form(c, up), of_form(c, down));
    const qkv__ratio inside = qkv__ratio_divide(
        c->algebra, of_form(c, qkv__form_divide_by_term(c->algebra, x.numerator, &above)),
        of_form(c, qkv__form_divide_by_term(c->algebra, x.denominator, &below)));
    const qkv__sign sign = qkv__ratio_sign(c->algebra, outside);
    if (qkv__ratio_is_lost(inside) || (sign != QKV__SIGN_POSITIVE && sign != QKV__SIGN_NEGATIVE))
        return letter(c, QKV__ATOM_ROOT, x);
    return qkv__ratio_multiply(c->algebra, qkv__calculus_size(c, outside),
                               letter(c, QKV__ATOM_ROOT, inside));
}

qkv__ratio qkv__calculus_root(qkv__calculus *c, qkv__ratio x)
{
    if (qkv__ratio_is_lost(x) || qkv__ratio_is_zero(x)) return x;
    x = shortened(c, x);
    qkv__ratio root = qkv__ratio_root(c->algebra, x);
    if (!qkv__ratio_is_lost(root)) return root;
    if (qkv__ratio_sign(c->algebra, x) == QKV__SIGN_NEGATIVE) return qkv__calculus_lost();
    root = root_of_squares(c, x);
    return qkv__ratio_is_lost(root) ? root_without_squares(c, x) : root;
}

qkv__ratio qkv__calculus_power(qkv__calculus *c, qkv__ratio x, qkv__ratio y)
{
    enum { MOST = 64 };
    qkv__rational number;
    bool constant = qkv__ratio_is_constant(y, &number);
    if (constant && qkv__rational_is_whole(number))
        return number.numerator > MOST || number.numerator < -MOST || number.numerator == 0
                   ? qkv__calculus_lost()
                   : qkv__ratio_power(c->algebra, x, (int)number.numerator);
    if (constant && number.denominator == 2 && number.numerator <= MOST &&
        number.numerator >= -MOST)
        return qkv__ratio_power(c->algebra, qkv__calculus_root(c, x), (int)number.numerator);
    if (!constant && qkv__calculus_sign(c, x) != QKV__SIGN_POSITIVE) return qkv__calculus_lost();
    return qkv__calculus_exponential(
        c, qkv__ratio_multiply(c->algebra, y, qkv__calculus_logarithm(c, x)));
}

qkv__ratio qkv__calculus_tangent(qkv__calculus *c, qkv__ratio x)
{
    qkv__ratio power = qkv__calculus_exponential(c, times(c, x, qkv__rational_whole(2)));
    return qkv__ratio_divide(c->algebra, qkv__ratio_subtract(c->algebra, power, whole(c, 1)),
                             qkv__ratio_add(c->algebra, power, whole(c, 1)));
}

/* ---- Sizes -------------------------------------------------------------------------------------
 */

/* |form|, its leading coefficient taken out. */
static qkv__ratio size_of_form(qkv__calculus *c, const qkv__form *form)
{
    if (form == NULL || form->count == 0) return of_form(c, form);
    qkv__sign sign = qkv__calculus_sign(c, of_form(c, form));
    if (sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NONNEGATIVE) return of_form(c, form);
    if (sign == QKV__SIGN_NEGATIVE || sign == QKV__SIGN_NONPOSITIVE)
        return qkv__ratio_negate(c->algebra, of_form(c, form));
    qkv__rational leading = form->term[0].coefficient;
    const qkv__form *plain =
        qkv__form_scale(c->algebra, form, qkv__rational_divide(qkv__rational_whole(1), leading));
    if (qkv__rational_sign(leading) < 0) leading = qkv__rational_negate(leading);
    return times(c, letter(c, QKV__ATOM_SIZE, of_form(c, plain)), leading);
}

qkv__ratio qkv__calculus_size(qkv__calculus *c, qkv__ratio x)
{
    if (qkv__ratio_is_lost(x)) return x;
    return qkv__ratio_divide(c->algebra, size_of_form(c, x.numerator),
                             size_of_form(c, x.denominator));
}

/* ---- Sines, cosines, erf -----------------------------------------------------------------------
 */

/* sin or cos of pi/q where it is a number of few words. */
static bool wave_of_pi(qkv__calculus *c, qkv__ratio x, bool sine, qkv__ratio *value)
{
    qkv__rational share;
    bool met = false;
    for (size_t i = 0; i < c->count; i++) met = met || c->atom[i].kind == QKV__ATOM_PI;
    if (!met) return false;
    qkv__ratio quotient = qkv__ratio_divide(c->algebra, x, qkv__calculus_pi(c));
    if (!qkv__ratio_is_constant(quotient, &share) || share.numerator != 1) return false;
    const int64_t q = sine && share.denominator == 6   ? 3
                      : sine && share.denominator == 3 ? 6
                                                       : share.denominator;
    const bool cosine = !sine || share.denominator == 6 || share.denominator == 3;
    qkv__ratio half = qkv__ratio_constant(c->algebra, (qkv__rational){1, 2});
    switch (q) { /* sin(pi/6) = cos(pi/3) */
    case 1: *value = whole(c, cosine ? -1 : 0); return true;
    case 2: *value = whole(c, cosine ? 0 : 1); return true;
    case 3: *value = half; return true;
    case 4:
        *value = qkv__ratio_multiply(c->algebra, half, qkv__calculus_root(c, whole(c, 2)));
        return true;
    case 6:
        *value = qkv__ratio_multiply(c->algebra, half, qkv__calculus_root(c, whole(c, 3)));
        return true;
    default: return false;
    }
}

static qkv__ratio wave_of_sum(qkv__calculus *c, qkv__ratio x, qkv__ratio y, bool sine)
{
    qkv__algebra *algebra = c->algebra;
    qkv__ratio sx = qkv__calculus_wave(c, x, true), cx = qkv__calculus_wave(c, x, false);
    qkv__ratio sy = qkv__calculus_wave(c, y, true), cy = qkv__calculus_wave(c, y, false);
    if (sine)
        return qkv__ratio_add(algebra, qkv__ratio_multiply(algebra, sx, cy),
                              qkv__ratio_multiply(algebra, cx, sy));
    return qkv__ratio_subtract(algebra, qkv__ratio_multiply(algebra, cx, cy),
                               qkv__ratio_multiply(algebra, sx, sy));
}

/* Of a sum, of a negative number and of a multiple by the theorems of addition. */
qkv__ratio qkv__calculus_wave(qkv__calculus *c, qkv__ratio x, bool sine)
{
    enum { TERMS = 3, MULTIPLE = 6 };
    qkv__algebra *algebra = c->algebra;
    if (qkv__ratio_is_lost(x)) return x;
    if (qkv__ratio_is_zero(x)) return whole(c, sine ? 0 : 1);
    qkv__term lead = x.numerator->term[0];
    if (qkv__rational_sign(lead.coefficient) < 0) {
        qkv__ratio turned = qkv__calculus_wave(c, qkv__ratio_negate(algebra, x), sine);
        return sine ? qkv__ratio_negate(algebra, turned) : turned;
    }
    qkv__rational below;
    const size_t count = x.numerator->count;
    if (!qkv__form_is_constant(x.denominator, &below) || count > TERMS)
        return letter(c, sine ? QKV__ATOM_SINE : QKV__ATOM_COSINE, x);
    lead.coefficient = qkv__rational_divide(lead.coefficient, below);
    qkv__ratio first = of_form(c, qkv__form_term(algebra, &lead));
    if (count > 1) return wave_of_sum(c, first, qkv__ratio_subtract(algebra, x, first), sine);
    qkv__ratio value;
    if (lead.coefficient.numerator > 1 && lead.coefficient.numerator <= MULTIPLE) {
        qkv__ratio unit = times(c, first, qkv__rational_make(1, lead.coefficient.numerator));
        return wave_of_sum(c, unit, qkv__ratio_subtract(algebra, first, unit), sine);
    }
    if (wave_of_pi(c, first, sine, &value)) return value;
    return letter(c, sine ? QKV__ATOM_SINE : QKV__ATOM_COSINE, first);
}

qkv__ratio qkv__calculus_error_function(qkv__calculus *c, qkv__ratio x)
{
    if (qkv__ratio_is_lost(x) || qkv__ratio_is_zero(x)) return x;
    if (qkv__rational_sign(x.numerator->term[0].coefficient) > 0)
        return letter(c, QKV__ATOM_ERROR_FUNCTION, x);
    return qkv__ratio_negate(c->algebra,
                             letter(c, QKV__ATOM_ERROR_FUNCTION, qkv__ratio_negate(c->algebra, x)));
}
