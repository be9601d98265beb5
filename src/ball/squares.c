/* Variables for squares: exponentials and bounds are put into polynomials. Knows nothing of
 * matrices. */
#include "ball/squares.h"

#include <assert.h>

#include "ball/gram.h"
#include "exact/generators.h"

/* What becomes of a variable x. */
typedef enum manner {
    AS_IT_IS,  /* x, of any sign */
    AS_SQUARE, /* u^2, where x is never negative */
    AS_SHIFT,  /* its bound and a square */
    MANNERS,
} manner;

typedef struct attempt {
    qkv__algebra *algebra;       /* for memory */
    const qkv__algebra *scratch; /* what is known of the variables */
    const qkv__form *form;
    qkv__parameter_set never_zero; /* variables as they are now */
    bool may_vanish;               /* a factor was taken out that may be 0 */
    bool changed;                  /* some variable is not as it is */
} attempt;

/* ---- Powers -------------------------------------------------------------------------------- */

static bool is_never_negative(const qkv__parameter *x)
{
    return x->prime != 0 || (x->lower.known && qkv__rational_sign(x->lower.value) >= 0);
}

static bool is_never_zero(const qkv__parameter *x)
{
    int lower = x->lower.known ? qkv__rational_sign(x->lower.value) : -1;
    int upper = x->upper.known ? qkv__rational_sign(x->upper.value) : 1;
    return x->prime != 0 || lower > 0 || upper < 0 || (lower == 0 && x->lower.strict) ||
           (upper == 0 && x->upper.strict);
}

static int least_power(const qkv__form *form, int p)
{
    assert(p >= 0 && p < QKV__PARAMETERS);
    int least = form->term[0].power[p];
    for (size_t i = 1; i < form->count; i++)
        if (form->term[i].power[p] < least) least = form->term[i].power[p];
    return least;
}

/* Divides by the power that all terms share, as far as that is never negative: all of it for a
 * positive variable, else an even one. Afterwards no power is negative. */
static void take_out_power(attempt *a, int p, bool positive)
{
    assert(p >= 0 && p < QKV__PARAMETERS);
    int least = least_power(a->form, p);
    int halves = positive ? least : least - ((least % 4) + 4) % 4;
    if (halves == 0) return;
    qkv__term divisor = {.coefficient = qkv__rational_whole(1)};
    divisor.power[p] = (int16_t)halves;
    a->form = qkv__form_divide_by_term(a->algebra, a->form, &divisor);
    if (!qkv__parameter_set_has(a->never_zero, p)) a->may_vanish = true;
}

/* ---- Variables ------------------------------------------------------------------------------ */

static const qkv__form *square_of(qkv__algebra *algebra, int p)
{
    return qkv__form_power(algebra, qkv__form_parameter(algebra, p), 2);
}

/* x = u^2: every power doubles, and a root of x is u. */
static void put_square(attempt *a, int p)
{
    assert(p >= 0 && p < QKV__PARAMETERS);
    const qkv__form *sum = qkv__form_whole(a->algebra, 0);
    for (size_t i = 0; i < a->form->count && sum != NULL; i++) {
        qkv__term term = a->form->term[i];
        if (term.power[p] > QKV__POWER_LIMIT / 2) sum = NULL;
        term.power[p] = (int16_t)(2 * term.power[p]);
        sum = qkv__form_add(a->algebra, sum, qkv__form_term(a->algebra, &term));
    }
    a->form = sum;
}

/* x = (L + U u^2)/(1 + u^2), times (1 + u^2)^degree; the upper end is a limit. */
static void put_between(attempt *a, int p, qkv__rational lower, qkv__rational upper)
{
    assert(p >= 0 && p < QKV__PARAMETERS);
    qkv__algebra *algebra = a->algebra;
    const qkv__form *square = square_of(algebra, p), *sum = qkv__form_whole(algebra, 0);
    const qkv__form *below = qkv__form_add(algebra, qkv__form_whole(algebra, 1), square);
    const qkv__form *above = qkv__form_add(algebra, qkv__form_constant(algebra, lower),
                                           qkv__form_scale(algebra, square, upper));
    int degree = 0;
    for (size_t i = 0; i < a->form->count; i++)
        if (a->form->term[i].power[p] / 2 > degree) degree = a->form->term[i].power[p] / 2;
    for (size_t i = 0; i < a->form->count && sum != NULL; i++) {
        qkv__term term = a->form->term[i];
        int power = term.power[p] / 2;
        term.power[p] = 0;
        const qkv__form *part = qkv__form_multiply(algebra, qkv__form_power(algebra, above, power),
                                                   qkv__form_power(algebra, below, degree - power));
        part = qkv__form_multiply(algebra, part, qkv__form_term(algebra, &term));
        sum = qkv__form_add(algebra, sum, part);
    }
    a->form = sum;
    a->may_vanish = true;
}

static void put_shift(attempt *a, int p)
{
    assert(p >= 0 && p < QKV__PARAMETERS);
    const qkv__parameter *x = &a->scratch->parameter[p];
    const qkv__form *square = square_of(a->algebra, p);
    a->never_zero &= ~((qkv__parameter_set)1 << p);
    if (x->lower.known && x->upper.known) {
        put_between(a, p, x->lower.value, x->upper.value);
        return;
    }
    const qkv__form *bound =
        qkv__form_constant(a->algebra, x->lower.known ? x->lower.value : x->upper.value);
    const qkv__form *shifted = x->lower.known ? qkv__form_add(a->algebra, bound, square)
                                              : qkv__form_subtract(a->algebra, bound, square);
    a->form = qkv__form_substitute(a->algebra, a->form, p, shifted);
    if (x->lower.known ? x->lower.strict : x->upper.strict)
        a->never_zero |= (qkv__parameter_set)1 << p;
}

static bool has_half_power(const qkv__form *form, int p)
{
    assert(p >= 0 && p < QKV__PARAMETERS);
    for (size_t i = 0; i < form->count; i++)
        if (form->term[i].power[p] % 2 != 0) return true;
    return false;
}

static void put_variable(attempt *a, int p, manner how)
{
    assert(p >= 0 && p < QKV__PARAMETERS);
    const qkv__parameter *x = &a->scratch->parameter[p];
    bool positive = is_never_negative(x), bounded = x->lower.known || x->upper.known;
    if (is_never_zero(x)) a->never_zero |= (qkv__parameter_set)1 << p;
    take_out_power(a, p, positive);
    if (a->form == NULL) return;
    bool rooted = has_half_power(a->form, p);
    bool at_zero =
        positive && x->lower.known && qkv__rational_is_zero(x->lower.value) && !x->upper.known;
    if (how == AS_SHIFT && bounded && !at_zero && !rooted && x->prime == 0) {
        put_shift(a, p);
        a->changed = true;
    } else if (positive && (how != AS_IT_IS || rooted)) {
        put_square(a, p);
        a->changed = true;
    }
}

/* ---- Attempts ------------------------------------------------------------------------------ */

static int degree_of(const qkv__term *term)
{
    int sum = 0;
    for (int p = 0; p < QKV__PARAMETERS; p++) sum += term->power[p];
    return sum;
}

static bool is_homogeneous(const qkv__form *form)
{
    for (size_t i = 1; i < form->count; i++)
        if (degree_of(&form->term[i]) != degree_of(&form->term[0])) return false;
    return true;
}

/* The form times 1 + the sum of the squares of its variables: this may be a sum of squares where
 * the form itself is none, and has its sign. Without the 1 where all degrees are the same; then it
 * says nothing at the origin, where the sign goes over by continuity. */
static const qkv__form *lift(qkv__algebra *algebra, const qkv__form *form)
{
    const qkv__form *factor = qkv__form_whole(algebra, is_homogeneous(form) ? 0 : 1);
    for (int p = 0; p < QKV__PARAMETERS; p++)
        if (qkv__form_depends_on(form, p))
            factor = qkv__form_add(algebra, factor, square_of(algebra, p));
    return qkv__form_multiply(algebra, form, factor);
}

static qkv__outcome try_manner(qkv__rewriting *r, const qkv__form *form, manner how, bool lifted)
{
    attempt a = {.algebra = r->algebra, .scratch = &r->scratch, .form = form};
    for (int p = 0; p < (int)r->scratch.parameter_count && a.form != NULL; p++)
        if (a.form->count > 0 && qkv__form_depends_on(a.form, p)) put_variable(&a, p, how);
    if (a.form == NULL || (how != AS_IT_IS && !a.changed)) return QKV__FAILED;
    if (lifted) a.form = lift(r->algebra, a.form);
    qkv__outcome found = qkv__gram_prove(a.form, a.never_zero);
    return found == QKV__STRICT && a.may_vanish ? QKV__WEAK : found;
}

qkv__outcome qkv__squares_prove(qkv__algebra *algebra, const qkv__form *form, int sign)
{
    assert(sign == 1 || sign == -1);
    qkv__rewriting r;
    qkv__outcome best = QKV__FAILED;
    if (form == NULL || form->count < 2) return QKV__FAILED;
    const qkv__form *polynomial = qkv__rewrite(&r, algebra, form);
    if (polynomial != NULL && sign < 0)
        polynomial = qkv__form_scale(algebra, polynomial, qkv__rational_whole(-1));
    if (polynomial == NULL) return QKV__FAILED;
    for (int i = 0; i < 2 * MANNERS && best != QKV__STRICT; i++) {
        if (i >= MANNERS && best != QKV__FAILED) break;
        qkv__outcome found = try_manner(&r, polynomial, (manner)(i % MANNERS), i >= MANNERS);
        if (found > best) best = found;
    }
    return best;
}
