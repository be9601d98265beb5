/* Numbers rewritten: under premises, at a value of a parameter, with squares of letters written
 * out; their derivatives, and their values. Knows nothing of expressions nor of proofs. */
#include <assert.h>

#include "ball/elementary.h"
#include "claim/calculus/part.h"
#include "claim/premise/given.h"
#include "claim/model/bound.h"
#include "claim/model/derivative.h"
#include "claim/premise/gap.h"

enum { TERMS = 512 }; /* of a number that is still rewritten */

static qkv__ratio of_form(const qkv__calculus *c, const qkv__form *form)
{
    return qkv__ratio_of_form(c->algebra, form);
}

static qkv__ratio letter_of(const qkv__calculus *c, int parameter)
{
    return of_form(c, qkv__form_parameter(c->algebra, parameter));
}

/* ---- Rewriting ---------------------------------------------------------------------------------
 */

typedef struct rewriting {
    qkv__calculus *c;
    bool premises;
    int parameter; /* replaced by the value; -1: none */
    qkv__ratio value;
    bool known[QKV__PARAMETERS];
    qkv__ratio image[QKV__PARAMETERS];
} rewriting;

static qkv__ratio rewrite(rewriting *r, qkv__ratio x);

static qkv__ratio make_anew(qkv__calculus *c, qkv__atom_kind kind, qkv__ratio argument)
{
    switch (kind) {
    case QKV__ATOM_LOGARITHM: return qkv__calculus_logarithm(c, argument);
    case QKV__ATOM_ROOT: return qkv__calculus_root(c, argument);
    case QKV__ATOM_EXPONENTIAL: return qkv__calculus_exponential(c, argument);
    case QKV__ATOM_SINE: return qkv__calculus_wave(c, argument, true);
    case QKV__ATOM_COSINE: return qkv__calculus_wave(c, argument, false);
    case QKV__ATOM_ERROR_FUNCTION: return qkv__calculus_error_function(c, argument);
    case QKV__ATOM_SIZE: return qkv__calculus_size(c, argument);
    case QKV__ATOM_PI: return qkv__calculus_pi(c);
    }
    return qkv__calculus_lost();
}

static qkv__ratio image_of(rewriting *r, int parameter)
{
    qkv__calculus *c = r->c;
    if (r->known[parameter]) return r->image[parameter];
    const qkv__atom *atom = qkv__calculus_atom(c, parameter);
    qkv__ratio image = letter_of(c, parameter);
    if (parameter == r->parameter) {
        image = r->value;
    } else if (atom != NULL) {
        const qkv__atom kept = *atom;
        image = make_anew(c, kept.kind, rewrite(r, kept.argument));
    } else if (r->premises) {
        image = qkv__situation_apply(c->s, image);
    }
    r->known[parameter] = true;
    return r->image[parameter] = image;
}

/* The letter that a number is; -1: it is more than that. */
static int single_letter(const qkv__calculus *c, qkv__ratio x)
{
    for (int p = 0; p < (int)c->algebra->parameter_count; p++)
        if (!qkv__ratio_is_lost(x) && x.numerator->count == 1 && qkv__ratio_depends_on(x, p))
            return qkv__ratio_equal(c->algebra, x, letter_of(c, p)) ? p : -1;
    return -1;
}

/* What the square of a letter is; false where it is nothing else. */
static bool square_of(qkv__calculus *c, int parameter, qkv__ratio *square)
{
    const qkv__atom *atom = parameter < 0 ? NULL : qkv__calculus_atom(c, parameter);
    if (atom == NULL) return false;
    const qkv__atom kept = *atom;
    switch (kept.kind) {
    case QKV__ATOM_ROOT: *square = kept.argument; return true;
    case QKV__ATOM_SIZE: *square = qkv__ratio_power(c->algebra, kept.argument, 2); return true;
    case QKV__ATOM_SINE:
        *square = qkv__ratio_subtract(
            c->algebra, qkv__ratio_whole(c->algebra, 1),
            qkv__ratio_power(c->algebra, qkv__calculus_wave(c, kept.argument, false), 2));
        return true;
    default: return false;
    }
}

/* x^(halves/2), squares written out. */
static qkv__ratio power_of(qkv__calculus *c, qkv__ratio x, int halves)
{
    qkv__ratio square;
    if (halves % 2 != 0) return qkv__ratio_power(c->algebra, qkv__calculus_root(c, x), halves);
    int power = halves / 2;
    if ((power > 1 || power < 0) && square_of(c, single_letter(c, x), &square)) {
        int odd = power % 2 == 0 ? 0 : 1;
        return qkv__ratio_multiply(c->algebra,
                                   qkv__ratio_power(c->algebra, square, (power - odd) / 2),
                                   qkv__ratio_power(c->algebra, x, odd));
    }
    return qkv__ratio_power(c->algebra, x, power);
}

/* Whether a letter stays what it is in this power. */
static bool stays(rewriting *r, int parameter, int halves)
{
    qkv__ratio image = image_of(r, parameter), square;
    if (single_letter(r->c, image) != parameter) return false;
    return halves == 2 || !square_of(r->c, parameter, &square);
}

/* Whether an exponent may have a logarithm to take out. */
static bool has_logarithm(const qkv__calculus *c, qkv__ratio x)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->atom[i].kind == QKV__ATOM_LOGARITHM && !qkv__ratio_is_lost(x) &&
            qkv__ratio_depends_on(x, c->atom[i].parameter))
            return true;
    return false;
}

static qkv__ratio rewrite_term(rewriting *r, const qkv__term *term, bool *same)
{
    qkv__calculus *c = r->c;
    qkv__term kept = *term;
    const int count = (int)c->algebra->parameter_count;
    qkv__ratio product = qkv__ratio_whole(c->algebra, 1);
    *same = true;
    for (int p = 0; p < count; p++) {
        if (term->power[p] == 0 || stays(r, p, term->power[p])) continue;
        kept.power[p] = 0;
        *same = false;
        product =
            qkv__ratio_multiply(c->algebra, product, power_of(c, image_of(r, p), term->power[p]));
    }
    if (term->exponent != NULL) {
        qkv__ratio exponent = rewrite(r, of_form(c, term->exponent));
        if (has_logarithm(c, exponent) ||
            !qkv__ratio_equal(c->algebra, exponent, of_form(c, term->exponent))) {
            kept.exponent = NULL;
            *same = false;
            product =
                qkv__ratio_multiply(c->algebra, product, qkv__calculus_exponential(c, exponent));
        }
    }
    return qkv__ratio_multiply(c->algebra, product, of_form(c, qkv__form_term(c->algebra, &kept)));
}

static qkv__ratio rewrite_form(rewriting *r, const qkv__form *form)
{
    qkv__calculus *c = r->c;
    qkv__form_sum unchanged = {.failed = false};
    qkv__ratio sum = qkv__ratio_whole(c->algebra, 0);
    if (form == NULL || form->count > TERMS) return qkv__calculus_lost();
    for (size_t i = 0; i < form->count; i++) {
        bool same;
        qkv__ratio part = rewrite_term(r, &form->term[i], &same);
        if (same)
            qkv__form_sum_add(c->algebra, &unchanged, qkv__form_term(c->algebra, &form->term[i]));
        else
            sum = qkv__ratio_add(c->algebra, sum, part);
        if (qkv__ratio_is_lost(sum)) return sum;
    }
    return qkv__ratio_add(c->algebra, sum, of_form(c, qkv__form_sum_total(c->algebra, &unchanged)));
}

static qkv__ratio rewrite(rewriting *r, qkv__ratio x)
{
    if (qkv__ratio_is_lost(x)) return x;
    return qkv__ratio_divide(r->c->algebra, rewrite_form(r, x.numerator),
                             rewrite_form(r, x.denominator));
}

/* Twice: what squares were written as may have some. */
static qkv__ratio rewrite_twice(rewriting *r, qkv__ratio x)
{
    rewriting second = {.c = r->c, .parameter = -1};
    return rewrite(&second, rewrite(r, x));
}

qkv__ratio qkv__calculus_rewrite(qkv__calculus *c, qkv__ratio x)
{
    rewriting r = {.c = c, .parameter = -1};
    return rewrite_twice(&r, x);
}

qkv__ratio qkv__calculus_premise(qkv__calculus *c, qkv__ratio x)
{
    rewriting r = {.c = c, .premises = true, .parameter = -1};
    return rewrite_twice(&r, x);
}

qkv__ratio qkv__calculus_put(qkv__calculus *c, qkv__ratio x, int parameter, qkv__ratio value)
{
    rewriting r = {.c = c, .parameter = parameter, .value = value};
    return rewrite_twice(&r, x);
}

bool qkv__calculus_depends(const qkv__calculus *c, qkv__ratio x, int parameter)
{
    if (qkv__ratio_depends_on(x, parameter)) return true;
    for (size_t i = 0; i < c->count; i++)
        if (qkv__ratio_depends_on(x, c->atom[i].parameter) &&
            qkv__calculus_depends(c, c->atom[i].argument, parameter))
            return true;
    return false;
}

/* ---- Where functions have values ---------------------------------------------------------------
 */

/* a + b p > 0 for one letter p. */
static bool is_linear(const qkv__calculus *c, const qkv__form *form, int *parameter,
                      qkv__rational *constant, qkv__rational *slope)
{
    *parameter = -1;
    *constant = qkv__rational_whole(0);
    for (size_t i = 0; i < form->count; i++) {
        const qkv__term *term = &form->term[i];
        int own = -1;
        if (term->exponent != NULL) return false;
        for (int p = 0; p < (int)c->algebra->parameter_count; p++) {
            if (term->power[p] == 0) continue;
            if (own >= 0 || term->power[p] != 2) return false;
            own = p;
        }
        if (own >= 0 && *parameter >= 0) return false;
        if (own < 0) {
            *constant = term->coefficient;
        } else {
            *parameter = own;
            *slope = term->coefficient;
        }
    }
    return *parameter >= 0;
}

/* Whether an argument, whose divisor is positive, changes its sign with one parameter alone, and
 * where. */
static bool find_edge(const qkv__calculus *c, qkv__ratio argument, int *parameter,
                      qkv__rational *edge, int *direction)
{
    qkv__rational constant, slope;
    if (qkv__ratio_is_lost(argument) ||
        qkv__ratio_sign(c->algebra, of_form(c, argument.denominator)) != QKV__SIGN_POSITIVE ||
        !is_linear(c, argument.numerator, parameter, &constant, &slope))
        return false;
    *edge = qkv__rational_negate(qkv__rational_divide(constant, slope));
    *direction = qkv__rational_sign(slope);
    return !qkv__rational_is_lost(*edge) && c->algebra->parameter[*parameter].prime == 0;
}

void qkv__calculus_narrow(qkv__calculus *c)
{
    for (size_t i = 0; i < c->domain_count; i++) {
        const bool strict = c->domain[i].strict || c->domain[i].closed;
        int parameter, direction;
        qkv__rational edge;
        c->domain[i].argument = qkv__calculus_premise(c, c->domain[i].argument);
        if (!find_edge(c, c->domain[i].argument, &parameter, &edge, &direction)) continue;
        qkv__comparison above = strict ? QKV__GREATER : QKV__GREATER_OR_EQUAL;
        qkv__comparison below = strict ? QKV__LESS : QKV__LESS_OR_EQUAL;
        qkv__parameter_narrow(&c->algebra->parameter[parameter], direction > 0 ? above : below,
                              edge);
    }
}

/* Whether a parameter may be any number between its bounds, whatever the others are. */
static bool is_free_number(const qkv__calculus *c, int parameter)
{
    const qkv__parameter *known = &c->algebra->parameter[parameter];
    for (const qkv__unknown_product *u = c->space->unknown; u != NULL; u = u->next)
        if (u->parameter == parameter) return false;
    return !known->whole && !known->generic && qkv__calculus_atom(c, parameter) == NULL &&
           !(known->lower.known && known->upper.known &&
             qkv__rational_compare(known->lower.value, known->upper.value) >= 0);
}

bool qkv__calculus_is_closed(const qkv__calculus *c)
{
    const qkv__situation *s = c->s;
    bool some = false;
    for (size_t i = 0; i < c->domain_count; i++) some = some || c->domain[i].closed;
    if (!some) return true;
    if (s->substitution_count > 0 || s->supposed || s->weakened || s->left_out_count > 0 ||
        qkv__has_conditions(s->model, s->circumstances) || qkv__has_assumptions(s->model))
        return false;
    for (size_t i = 0; i < c->domain_count; i++) {
        int parameter, direction;
        qkv__rational edge;
        if (!find_edge(c, c->domain[i].argument, &parameter, &edge, &direction) ||
            !is_free_number(c, parameter))
            return false;
    }
    return true;
}

/* ---- Derivatives -------------------------------------------------------------------------------
 */

/* The derivative of a function by its argument. */
static qkv__ratio slope_of(qkv__calculus *c, const qkv__atom *atom)
{
    qkv__algebra *algebra = c->algebra;
    qkv__ratio one = qkv__ratio_whole(algebra, 1), two = qkv__ratio_whole(algebra, 2), bell;
    qkv__ratio own = letter_of(c, atom->parameter);
    switch (atom->kind) {
    case QKV__ATOM_LOGARITHM: return qkv__ratio_divide(algebra, one, atom->argument);
    case QKV__ATOM_ROOT:
        return qkv__ratio_divide(algebra, one, qkv__ratio_multiply(algebra, two, own));
    case QKV__ATOM_EXPONENTIAL: return own;
    case QKV__ATOM_SINE: return qkv__calculus_wave(c, atom->argument, false);
    case QKV__ATOM_COSINE:
        return qkv__ratio_negate(algebra, qkv__calculus_wave(c, atom->argument, true));
    case QKV__ATOM_ERROR_FUNCTION: /* 2/sqrt(pi) e^(-x^2) */
        bell = qkv__calculus_exponential(
            c, qkv__ratio_negate(algebra, qkv__ratio_power(algebra, atom->argument, 2)));
        return qkv__ratio_divide(algebra, qkv__ratio_multiply(algebra, two, bell),
                                 qkv__calculus_root(c, qkv__calculus_pi(c)));
    case QKV__ATOM_SIZE: return qkv__ratio_divide(algebra, atom->argument, own); /* none at 0 */
    case QKV__ATOM_PI: break;
    }
    return qkv__ratio_whole(algebra, 0);
}

/* By the chain rule, letter by letter. */
qkv__ratio qkv__calculus_derivative(qkv__calculus *c, qkv__ratio x, int parameter)
{
    if (qkv__ratio_is_lost(x) || qkv__derivative_is_veiled(c->space, x, parameter))
        return qkv__calculus_lost();
    qkv__ratio sum = qkv__ratio_derivative(c->space, x, parameter);
    const size_t count = c->count;
    for (size_t i = 0; i < count; i++) {
        const qkv__atom atom = c->atom[i];
        if (atom.parameter == parameter || !qkv__ratio_depends_on(x, atom.parameter)) continue;
        qkv__ratio inner = qkv__calculus_derivative(c, atom.argument, parameter);
        if (qkv__ratio_is_zero(inner)) continue;
        if (qkv__derivative_is_veiled(c->space, x, atom.parameter)) return qkv__calculus_lost();
        qkv__ratio part = qkv__ratio_multiply(c->algebra, slope_of(c, &atom), inner);
        part = qkv__ratio_multiply(c->algebra, part,
                                   qkv__ratio_derivative(c->space, x, atom.parameter));
        sum = qkv__ratio_add(c->algebra, sum, part);
    }
    return sum;
}

const qkv__vector *qkv__calculus_gradient(qkv__calculus *c, qkv__ratio x, qkv__symbol symbol)
{
    if (qkv__ratio_is_lost(x)) return NULL;
    const qkv__vector *sum = qkv__ratio_gradient(c->space, x, symbol);
    const size_t count = c->count;
    for (size_t i = 0; i < count && sum != NULL; i++) {
        const qkv__atom atom = c->atom[i];
        if (!qkv__ratio_depends_on(x, atom.parameter)) continue;
        const qkv__vector *inner = qkv__calculus_gradient(c, atom.argument, symbol);
        if (inner == NULL) return NULL;
        if (inner->count == 0) continue;
        if (qkv__derivative_is_veiled(c->space, x, atom.parameter)) return NULL;
        qkv__ratio factor = qkv__ratio_multiply(c->algebra, slope_of(c, &atom),
                                                qkv__ratio_derivative(c->space, x, atom.parameter));
        sum = qkv__vector_add(c->space, sum, qkv__vector_scale(c->space, inner, factor));
    }
    return sum;
}

/* ---- Values ------------------------------------------------------------------------------------
 */

static bool value_of_form(qkv__calculus *c, const qkv__form *form, qkv__real *value);

static bool value_of_letter(qkv__calculus *c, int parameter, qkv__real *value)
{
    const qkv__parameter *known = &c->algebra->parameter[parameter];
    const qkv__atom *atom = qkv__calculus_atom(c, parameter);
    if (atom == NULL && known->prime != 0) {
        qkv__real_set_whole(value, known->prime);
        qkv__real_logarithm(value, value);
        return true;
    }
    if (atom == NULL) {
        bool fixed = known->lower.known && known->upper.known &&
                     qkv__rational_compare(known->lower.value, known->upper.value) == 0;
        if (fixed) qkv__real_set_rational(value, known->lower.value);
        return fixed;
    }
    if (atom->kind == QKV__ATOM_PI) return qkv__real_set_pi(value), true;
    static const char *const names[] = {
        [QKV__ATOM_LOGARITHM] = "ln",       [QKV__ATOM_ROOT] = "sqrt", [QKV__ATOM_SIZE] = "abs",
        [QKV__ATOM_EXPONENTIAL] = "exp",    [QKV__ATOM_SINE] = "sin",  [QKV__ATOM_COSINE] = "cos",
        [QKV__ATOM_ERROR_FUNCTION] = "erf",
    };
    if (!qkv__calculus_value(c, atom->argument, value)) return false;
    qkv__elementary_find(names[atom->kind])(value, value);
    return true;
}

static bool value_of_term(qkv__calculus *c, const qkv__term *term, qkv__real *value)
{
    qkv__real factor, power;
    bool good = true;
    qkv__real_init(&factor);
    qkv__real_init(&power);
    qkv__real_set_rational(value, term->coefficient);
    for (int p = 0; good && p < (int)c->algebra->parameter_count; p++) {
        if (term->power[p] == 0) continue;
        good = value_of_letter(c, p, &factor);
        if (!good) break;
        qkv__real_set_rational(&power, qkv__rational_make(term->power[p], 2));
        qkv__real_power(&factor, &factor, &power);
        qkv__real_multiply(value, value, &factor);
    }
    if (good && term->exponent != NULL) {
        good = value_of_form(c, term->exponent, &factor);
        qkv__real_exponential(&factor, &factor);
        qkv__real_multiply(value, value, &factor);
    }
    qkv__real_clear(&factor);
    qkv__real_clear(&power);
    return good;
}

static bool value_of_form(qkv__calculus *c, const qkv__form *form, qkv__real *value)
{
    qkv__real part;
    bool good = form != NULL;
    qkv__real_init(&part);
    qkv__real_set_whole(value, 0);
    for (size_t i = 0; good && i < form->count; i++) {
        good = value_of_term(c, &form->term[i], &part);
        qkv__real_add(value, value, &part);
    }
    qkv__real_clear(&part);
    return good;
}

bool qkv__calculus_value(qkv__calculus *c, qkv__ratio x, qkv__real *value)
{
    qkv__real below;
    qkv__real_init(&below);
    bool good = !qkv__ratio_is_lost(x) && value_of_form(c, x.numerator, value) &&
                value_of_form(c, x.denominator, &below);
    if (good) qkv__real_divide(value, value, &below);
    qkv__real_clear(&below);
    return good;
}
