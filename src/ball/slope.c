/* The rules of calculus on numbers that move. Knows nothing of where they come from. */
#include "ball/slope.h"

#include <assert.h>

#include "base/memory.h"

/* ---- Parts --------------------------------------------------------------------------------- */

/* The number itself, as one that stands still; a view, not to be cleared. */
static qkv__real still(const qkv__real *x)
{
    qkv__real view = *x;
    view.slopes = NULL;
    return view;
}

/* Part s of a number, or 0; part 0 is the number. A view, not to be cleared. */
static qkv__real part_of(const qkv__real *x, unsigned s)
{
    if (s == 0) return still(x);
    if (x->slopes != NULL) return x->slopes->part[s];
    return (qkv__real){.exact = {0, 1}};
}

/* Parts of a number under way. Without memory there are none, and the process ends, as in FLINT. */
static qkv__slopes *new_slopes(void)
{
    qkv__slopes *slopes = qkv__allocate(sizeof *slopes);
    if (slopes == NULL) flint_abort();
    for (unsigned s = 0; s < QKV__SLOPES; s++) qkv__real_init(&slopes->part[s]);
    return slopes;
}

void qkv__slopes_drop(qkv__real *x)
{
    if (x->slopes == NULL) return;
    for (unsigned s = 0; s < QKV__SLOPES; s++) qkv__real_clear(&x->slopes->part[s]);
    qkv__free(x->slopes);
    x->slopes = NULL;
}

/* Part 0 becomes the number, and the others its slopes. */
static bool finish(qkv__real *z, qkv__slopes *made)
{
    qkv__slopes_drop(z);
    qkv__real_set(z, &made->part[0]);
    z->slopes = made;
    return true;
}

static bool stands_still(qkv__real *z)
{
    qkv__slopes_drop(z);
    return false;
}

void qkv__slopes_copy(qkv__real *z, const qkv__real *x)
{
    qkv__slopes_drop(z);
    if (x->slopes == NULL) return;
    z->slopes = new_slopes();
    for (unsigned s = 1; s < QKV__SLOPES; s++)
        qkv__real_set(&z->slopes->part[s], &x->slopes->part[s]);
}

void qkv__slopes_start(qkv__real *x, int direction)
{
    assert(direction >= 0 && direction < QKV__DIRECTIONS);
    qkv__real one;
    if (x->slopes == NULL) x->slopes = new_slopes();
    qkv__real *speed = &x->slopes->part[1u << direction];
    qkv__real_init(&one);
    qkv__real_set_whole(&one, 1);
    qkv__real_add(speed, speed, &one);
    qkv__real_clear(&one);
}

void qkv__slopes_take(qkv__real *z, const qkv__real *x, int direction)
{
    assert(direction >= 0 && direction < QKV__DIRECTIONS && z != x);
    const unsigned bit = 1u << direction;
    if (x->slopes == NULL) {
        qkv__real_set_whole(z, 0);
        return;
    }
    qkv__slopes *made = new_slopes();
    for (unsigned s = 0; s < QKV__SLOPES; s++)
        if ((s & bit) == 0) qkv__real_set(&made->part[s], &x->slopes->part[s | bit]);
    finish(z, made);
}

/* ---- Arithmetic ---------------------------------------------------------------------------- */

static bool add(qkv__real *z, const qkv__real *x, const qkv__real *y,
                void (*operation)(qkv__real *, const qkv__real *, const qkv__real *))
{
    if (x->slopes == NULL && y->slopes == NULL) return stands_still(z);
    qkv__slopes *made = new_slopes();
    for (unsigned s = 0; s < QKV__SLOPES; s++) {
        qkv__real left = part_of(x, s), right = part_of(y, s);
        operation(&made->part[s], &left, &right);
    }
    return finish(z, made);
}

bool qkv__slopes_add(qkv__real *z, const qkv__real *x, const qkv__real *y)
{
    return add(z, x, y, qkv__real_add);
}

bool qkv__slopes_subtract(qkv__real *z, const qkv__real *x, const qkv__real *y)
{
    return add(z, x, y, qkv__real_subtract);
}

/* Part s of a product: over all ways to share out the directions. */
static void multiply_part(qkv__real *z, const qkv__real *x, const qkv__real *y, unsigned s)
{
    qkv__real product;
    qkv__real_init(&product);
    qkv__real_set_whole(z, 0);
    for (unsigned t = 0; t <= s; t++) {
        if ((t & s) != t) continue;
        qkv__real left = part_of(x, t), right = part_of(y, s ^ t);
        qkv__real_multiply(&product, &left, &right);
        qkv__real_add(z, z, &product);
    }
    qkv__real_clear(&product);
}

bool qkv__slopes_multiply(qkv__real *z, const qkv__real *x, const qkv__real *y)
{
    if (x->slopes == NULL && y->slopes == NULL) return stands_still(z);
    qkv__slopes *made = new_slopes();
    for (unsigned s = 0; s < QKV__SLOPES; s++) multiply_part(&made->part[s], x, y, s);
    return finish(z, made);
}

bool qkv__slopes_negate(qkv__real *z, const qkv__real *x)
{
    if (x->slopes == NULL) return stands_still(z);
    qkv__slopes *made = new_slopes();
    for (unsigned s = 0; s < QKV__SLOPES; s++) {
        qkv__real part = part_of(x, s);
        qkv__real_negate(&made->part[s], &part);
    }
    return finish(z, made);
}

/* ---- Functions ----------------------------------------------------------------------------- */

/* The first terms of Taylor's series of a function at a number: f(x + h) = f[0] + f[1] h + ... */
typedef struct series {
    qkv__real f[QKV__DIRECTIONS + 1];
} series;

static void series_init(series *t)
{
    for (int i = 0; i <= QKV__DIRECTIONS; i++) qkv__real_init(&t->f[i]);
}

/* The function of a number that moves, by its series; the series is cleared. */
static bool compose(qkv__real *z, const qkv__real *x, series *t)
{
    qkv__real step, power, term;
    qkv__slopes *made = new_slopes();
    qkv__real_init(&step);
    qkv__real_init(&power);
    qkv__real_init(&term);
    qkv__slopes_copy(&step, x); /* 0, and moves as x does */
    qkv__real_set(&power, &step);
    qkv__real_set(&made->part[0], &t->f[0]);
    for (int i = 1; i <= QKV__DIRECTIONS; i++) {
        for (unsigned s = 1; s < QKV__SLOPES; s++) {
            qkv__real_multiply(&term, &t->f[i], &power.slopes->part[s]);
            qkv__real_add(&made->part[s], &made->part[s], &term);
        }
        if (i < QKV__DIRECTIONS) qkv__real_multiply(&power, &power, &step);
    }
    for (int i = 0; i <= QKV__DIRECTIONS; i++) qkv__real_clear(&t->f[i]);
    qkv__real_clear(&step);
    qkv__real_clear(&power);
    qkv__real_clear(&term);
    return finish(z, made);
}

/* 1/x, -1/x^2, 1/x^3, -1/x^4 */
static void inverse_series(series *t, const qkv__real *x)
{
    qkv__real minus;
    qkv__real_init(&minus);
    qkv__real_negate(&minus, x);
    qkv__real_set_whole(&t->f[0], 1);
    qkv__real_divide(&t->f[0], &t->f[0], x);
    for (int i = 1; i <= QKV__DIRECTIONS; i++) qkv__real_divide(&t->f[i], &t->f[i - 1], &minus);
    qkv__real_clear(&minus);
}

bool qkv__slopes_divide(qkv__real *z, const qkv__real *x, const qkv__real *y)
{
    if (x->slopes == NULL && y->slopes == NULL) return stands_still(z);
    series t;
    qkv__real inverse, below = still(y), above = still(x), quotient;
    series_init(&t);
    qkv__real_init(&inverse);
    qkv__real_init(&quotient);
    inverse_series(&t, &below);
    qkv__real_divide(&quotient, &above, &below); /* of itself it is closer than by the inverse */
    if (y->slopes != NULL) {
        compose(&inverse, y, &t);
    } else {
        qkv__real_set(&inverse, &t.f[0]);
        for (int i = 0; i <= QKV__DIRECTIONS; i++) qkv__real_clear(&t.f[i]);
    }
    qkv__real_multiply(&inverse, x, &inverse);
    qkv__slopes *made = inverse.slopes;
    inverse.slopes = NULL;
    qkv__real_set(&made->part[0], &quotient);
    qkv__real_clear(&inverse);
    qkv__real_clear(&quotient);
    return finish(z, made);
}

bool qkv__slopes_exponential(qkv__real *z, const qkv__real *x)
{
    if (x->slopes == NULL) return stands_still(z);
    series t;
    qkv__real at = still(x);
    series_init(&t);
    qkv__real_exponential(&t.f[0], &at);
    for (int i = 1; i <= QKV__DIRECTIONS; i++) qkv__real_divide_whole(&t.f[i], &t.f[i - 1], i);
    return compose(z, x, &t);
}

/* ln x, 1/x, -1/(2 x^2), 1/(3 x^3) */
bool qkv__slopes_logarithm(qkv__real *z, const qkv__real *x)
{
    if (x->slopes == NULL) return stands_still(z);
    series t, inverse;
    qkv__real at = still(x);
    series_init(&t);
    series_init(&inverse);
    inverse_series(&inverse, &at);
    qkv__real_logarithm(&t.f[0], &at);
    for (int i = 1; i <= QKV__DIRECTIONS; i++)
        qkv__real_divide_whole(&t.f[i], &inverse.f[i - 1], i);
    for (int i = 0; i <= QKV__DIRECTIONS; i++) qkv__real_clear(&inverse.f[i]);
    return compose(z, x, &t);
}

/* r, 1/(2 r), -1/(8 r^3), 1/(16 r^5) */
bool qkv__slopes_root(qkv__real *z, const qkv__real *x,
                      void (*root)(qkv__real *z, const qkv__real *x))
{
    if (x->slopes == NULL) return stands_still(z);
    static const int64_t factor[] = {1, 2, -4, -2};
    series t;
    qkv__real at = still(x);
    series_init(&t);
    root(&t.f[0], &at);
    for (int i = 1; i <= QKV__DIRECTIONS; i++) {
        qkv__real_divide(&t.f[i], &t.f[i - 1], &at);
        qkv__real_divide_whole(&t.f[i], &t.f[i], factor[i]);
    }
    return compose(z, x, &t);
}

bool qkv__slopes_by_series(qkv__real *z, const qkv__real *x,
                           void (*taylor)(qkv__real *f, const qkv__real *x))
{
    if (x->slopes == NULL) return stands_still(z);
    series t;
    qkv__real at = still(x);
    series_init(&t);
    taylor(t.f, &at);
    return compose(z, x, &t);
}

/* ---- Where there may be no derivative ------------------------------------------------------ */

/* The number, with slopes that are not defined. */
static bool finish_broken(qkv__real *z, const qkv__real *value)
{
    qkv__slopes *made = new_slopes();
    qkv__real_set(&made->part[0], value);
    for (unsigned s = 1; s < QKV__SLOPES; s++)
        qkv__real_set_rational(&made->part[s], QKV__RATIONAL_LOST);
    return finish(z, made);
}

bool qkv__slopes_magnitude(qkv__real *z, const qkv__real *x)
{
    if (x->slopes == NULL) return stands_still(z);
    int sign = qkv__real_sign(x);
    if (sign == 1) {
        qkv__real_set(z, x);
        return true;
    }
    if (sign == -1) return qkv__slopes_negate(z, x);
    qkv__real at = still(x), value;
    qkv__real_init(&value);
    qkv__real_magnitude(&value, &at);
    finish_broken(z, &value);
    qkv__real_clear(&value);
    return true;
}

bool qkv__slopes_choose(qkv__real *z, const qkv__real *x, const qkv__real *y, bool larger)
{
    if (x->slopes == NULL && y->slopes == NULL) return stands_still(z);
    qkv__real left = still(x), right = still(y), value;
    qkv__real_init(&value);
    qkv__real_subtract(&value, &left, &right);
    int sign = larger ? qkv__real_sign(&value) : -qkv__real_sign(&value);
    if (sign == 1 || sign == -1) {
        qkv__real_set(z, sign == 1 ? x : y);
    } else {
        if (larger)
            qkv__real_larger(&value, &left, &right);
        else
            qkv__real_smaller(&value, &left, &right);
        finish_broken(z, &value);
    }
    qkv__real_clear(&value);
    return true;
}
