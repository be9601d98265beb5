/* Rational arithmetic where it fits, Arb's where it does not. Knows nothing of where the numbers
 * come from. */
#include "ball/real.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "ball/fraction.h"
#include "ball/slope.h"

enum {
    PRECISION = 128,
    POWER_AT_MOST = 4096, /* whole exponents up to here are products */
};

/* Of e: larger powers are not defined. */
static const double exponent_at_most = 1e24;

/* ---- Setting ------------------------------------------------------------------------------- */

void qkv__real_init(qkv__real *x)
{
    x->exact = qkv__rational_whole(0);
    x->slopes = NULL;
    arb_init(x->ball);
}

void qkv__real_clear(qkv__real *x)
{
    qkv__slopes_drop(x);
    arb_clear(x->ball);
}

static bool is_exact(const qkv__real *x)
{
    return !qkv__rational_is_lost(x->exact);
}

/* What z is from now on is in its ball. */
static void set_open(qkv__real *z)
{
    z->exact = z->closed.power = QKV__RATIONAL_LOST;
}

static void set_undefined(qkv__real *z)
{
    qkv__slopes_drop(z);
    set_open(z);
    arb_indeterminate(z->ball);
}

void qkv__real_set_rational(qkv__real *z, qkv__rational value)
{
    qkv__slopes_drop(z);
    z->exact = value;
    if (qkv__rational_is_lost(value)) set_undefined(z);
}

void qkv__real_set_whole(qkv__real *z, int64_t value)
{
    qkv__slopes_drop(z);
    z->exact = qkv__rational_whole(value);
}

/* Whether one of the numbers moves, or z did. */
static bool moves(const qkv__real *z, const qkv__real *x, const qkv__real *y)
{
    return x->slopes != NULL || y->slopes != NULL || z->slopes != NULL;
}

void qkv__real_set(qkv__real *z, const qkv__real *x)
{
    if (z == x) return;
    z->exact = x->exact;
    z->closed = x->closed;
    if (!is_exact(x)) arb_set(z->ball, x->ball);
    if (moves(z, x, x)) qkv__slopes_copy(z, x);
}

void qkv__real_set_fraction(qkv__real *z, const fmpq_t value)
{
    qkv__slopes_drop(z);
    if (fmpz_fits_si(fmpq_numref(value)) && fmpz_fits_si(fmpq_denref(value))) {
        z->exact =
            qkv__rational_make(fmpz_get_si(fmpq_numref(value)), fmpz_get_si(fmpq_denref(value)));
        if (is_exact(z)) return;
    }
    set_open(z);
    arb_set_fmpq(z->ball, value, PRECISION);
}

void qkv__real_set_near(qkv__real *z, double middle, double error)
{
    qkv__slopes_drop(z);
    mag_t radius;
    set_open(z);
    arb_set_d(z->ball, middle);
    mag_init(radius);
    mag_set_d(radius, error);
    arb_add_error_mag(z->ball, radius);
    mag_clear(radius);
}

void qkv__real_set_pi(qkv__real *z)
{
    qkv__slopes_drop(z);
    set_open(z);
    arb_const_pi(z->ball, PRECISION);
}

static void set_ball(arb_t ball, qkv__rational value)
{
    qkv__arb_set_int64(ball, value.numerator);
    if (value.denominator != 1) qkv__arb_div_int64(ball, ball, value.denominator, PRECISION);
}

/* The ball of a number: its own, or one made for it in `room`. */
static arb_srcptr ball_of(const qkv__real *x, arb_t room)
{
    if (!is_exact(x)) return x->ball;
    set_ball(room, x->exact);
    return room;
}

/* ---- Closed forms: logarithms and powers of e ---------------------------------------------- */

enum { ROOT_AT_MOST = 1000, EXPONENT_AT_MOST = 16 };

static qkv__closed not_closed(void)
{
    return (qkv__closed){.power = QKV__RATIONAL_LOST};
}

static bool is_closed(const qkv__closed *x)
{
    return !qkv__rational_is_lost(x->power) && !qkv__rational_is_lost(x->shift);
}

static qkv__closed closed_of(const qkv__real *x)
{
    return is_exact(x) ? not_closed() : x->closed;
}

/* The number as a logarithm: of 1 if it is a rational. */
static qkv__closed as_logarithm(const qkv__real *x)
{
    if (is_exact(x)) return (qkv__closed){x->exact, qkv__rational_whole(1), 1};
    return x->closed.root > 0 ? x->closed : not_closed();
}

/* The number as a multiple of a power of e: of e^0 if it is a rational, of its own if it is 0. */
static qkv__closed as_exponential(const qkv__real *x)
{
    if (is_exact(x)) return (qkv__closed){qkv__rational_whole(0), x->exact, 0};
    return x->closed.root == 0 ? x->closed : not_closed();
}

/* Whether nothing is known of the number but its ball. */
static bool is_open(const qkv__real *x)
{
    return !is_exact(x) && !is_closed(&x->closed);
}

/* r^n, for small n. */
static qkv__rational raised(qkv__rational r, int64_t n)
{
    qkv__rational product = qkv__rational_whole(1);
    if (r.numerator == r.denominator) return r;
    if (n > EXPONENT_AT_MOST || n < -EXPONENT_AT_MOST) return QKV__RATIONAL_LOST;
    for (int64_t i = 0; i < llabs(n); i++) product = qkv__rational_multiply(product, r);
    return n < 0 ? qkv__rational_divide(qkv__rational_whole(1), product) : product;
}

/* The root of that degree of a whole number above 0, if it is whole; else 0. */
static int64_t whole_root(int64_t number, int64_t degree)
{
    const int64_t near = llround(pow((double)number, 1.0 / (double)degree));
    for (int64_t r = near > 1 ? near - 1 : 1; r <= near + 1; r++) {
        qkv__rational power = raised(qkv__rational_whole(r), degree);
        if (power.numerator == number && power.denominator == 1) return r;
    }
    return 0;
}

/* ln(9/4)/2 is ln(3/2). */
static qkv__closed reduced(qkv__closed x)
{
    for (int64_t degree = 2; degree <= x.root; degree++)
        while (x.root % degree == 0) {
            const int64_t above = whole_root(x.power.numerator, degree);
            const int64_t below = whole_root(x.power.denominator, degree);
            if (above == 0 || below == 0) break;
            x.power = qkv__rational_make(above, below);
            x.root /= degree;
        }
    return x;
}

/* Notes what z is, whose ball is set: a rational, if it comes down to one. */
static void set_closed(qkv__real *z, qkv__closed closed)
{
    if (!is_closed(&closed)) return;
    const bool logarithm = closed.root > 0, zero = qkv__rational_is_zero(closed.power);
    z->closed = logarithm ? reduced(closed) : closed;
    if (logarithm && closed.power.numerator == closed.power.denominator) z->exact = closed.shift;
    if (!logarithm && (zero || qkv__rational_is_zero(closed.shift))) z->exact = closed.power;
}

/* x times a rational: s + ln(p)/r times a/b is s*a/b + ln(p^a)/(r*b). */
static qkv__closed scaled(qkv__closed x, qkv__rational factor)
{
    if (!is_closed(&x) || qkv__rational_is_lost(factor)) return not_closed();
    if (x.root == 0) return (qkv__closed){x.shift, qkv__rational_multiply(x.power, factor), 0};
    if (factor.denominator > ROOT_AT_MOST / x.root) return not_closed();
    return (qkv__closed){qkv__rational_multiply(x.shift, factor), raised(x.power, factor.numerator),
                         x.root * factor.denominator};
}

/* ln(p)/r + ln(q)/s = ln(p^s*q^r)/(r*s), over the least common multiple in place of r*s. */
static qkv__closed sum_of_logarithms(qkv__closed x, qkv__closed y)
{
    int64_t root = x.root;
    if (!is_closed(&x) || !is_closed(&y)) return not_closed();
    assert(x.root > 0 && y.root > 0);
    while (root % y.root != 0) root += x.root;
    return (qkv__closed){
        qkv__rational_add(x.shift, y.shift),
        qkv__rational_multiply(raised(x.power, root / x.root), raised(y.power, root / y.root)),
        root <= ROOT_AT_MOST ? root : 0};
}

/* x + y, or x - y for the sign -1. */
static qkv__closed sum_of(const qkv__real *x, const qkv__real *y, int sign)
{
    if (is_open(x) || is_open(y)) return not_closed();
    const qkv__rational one = qkv__rational_whole(sign);
    qkv__closed a = as_exponential(x), b = scaled(as_exponential(y), one);
    if (is_closed(&a) && is_closed(&b) && qkv__rational_compare(a.shift, b.shift) == 0)
        return (qkv__closed){a.shift, qkv__rational_add(a.power, b.power), 0};
    qkv__closed sum = sum_of_logarithms(as_logarithm(x), scaled(as_logarithm(y), one));
    return sum.root > 0 ? sum : not_closed();
}

static qkv__closed product_of(const qkv__real *x, const qkv__real *y)
{
    if (is_open(x) || is_open(y)) return not_closed();
    if (is_exact(x)) return scaled(closed_of(y), x->exact);
    if (is_exact(y)) return scaled(closed_of(x), y->exact);
    qkv__closed a = as_exponential(x), b = as_exponential(y);
    if (!is_closed(&a) || !is_closed(&b)) return not_closed();
    return (qkv__closed){qkv__rational_add(a.shift, b.shift),
                         qkv__rational_multiply(a.power, b.power), 0};
}

static qkv__closed quotient_of(const qkv__real *x, const qkv__real *y)
{
    if (is_open(x) || is_open(y)) return not_closed();
    const qkv__rational one = qkv__rational_whole(1);
    if (is_exact(y)) return scaled(closed_of(x), qkv__rational_divide(one, y->exact));
    qkv__closed a = as_exponential(x), b = as_exponential(y);
    if (!is_closed(&a) || !is_closed(&b)) return not_closed();
    return (qkv__closed){qkv__rational_subtract(a.shift, b.shift),
                         qkv__rational_divide(a.power, b.power), 0};
}

/* ---- Arithmetic ---------------------------------------------------------------------------- */

typedef void (*ball_operation)(arb_t, const arb_t, const arb_t, slong);

/* By balls, where the exact result is lost or one side is no rational. */
static void by_balls(qkv__real *z, const qkv__real *x, const qkv__real *y, ball_operation operation)
{
    arb_t left, right;
    arb_init(left);
    arb_init(right);
    operation(z->ball, ball_of(x, left), ball_of(y, right), PRECISION);
    set_open(z);
    arb_clear(left);
    arb_clear(right);
}

/* Most entries of vectors are 0 or 1, which take no arithmetic. */
static bool is_whole(const qkv__real *x, int64_t value)
{
    return x->exact.numerator == value && x->exact.denominator == 1;
}

void qkv__real_add(qkv__real *z, const qkv__real *x, const qkv__real *y)
{
    if (moves(z, x, y) && qkv__slopes_add(z, x, y)) return;
    if (is_whole(y, 0)) {
        qkv__real_set(z, x);
        return;
    }
    if (is_whole(x, 0)) {
        qkv__real_set(z, y);
        return;
    }
    qkv__rational sum = qkv__rational_add(x->exact, y->exact);
    if (!qkv__rational_is_lost(sum)) {
        z->exact = sum;
        return;
    }
    const qkv__closed closed = sum_of(x, y, 1);
    by_balls(z, x, y, arb_add);
    set_closed(z, closed);
}

void qkv__real_subtract(qkv__real *z, const qkv__real *x, const qkv__real *y)
{
    if (moves(z, x, y) && qkv__slopes_subtract(z, x, y)) return;
    qkv__rational difference = qkv__rational_subtract(x->exact, y->exact);
    if (!qkv__rational_is_lost(difference)) {
        z->exact = difference;
        return;
    }
    const qkv__closed closed = sum_of(x, y, -1);
    by_balls(z, x, y, arb_sub);
    set_closed(z, closed);
}

/* Zero times a number that is defined is zero. */
void qkv__real_multiply(qkv__real *z, const qkv__real *x, const qkv__real *y)
{
    if (moves(z, x, y) && qkv__slopes_multiply(z, x, y)) return;
    if (is_whole(y, 1)) {
        qkv__real_set(z, x);
        return;
    }
    if (is_whole(x, 1)) {
        qkv__real_set(z, y);
        return;
    }
    qkv__rational product = qkv__rational_multiply(x->exact, y->exact);
    if ((qkv__rational_is_zero(x->exact) && qkv__real_is_defined(y)) ||
        (qkv__rational_is_zero(y->exact) && qkv__real_is_defined(x)))
        product = qkv__rational_whole(0);
    if (!qkv__rational_is_lost(product)) {
        z->exact = product;
        return;
    }
    const qkv__closed closed = product_of(x, y);
    by_balls(z, x, y, arb_mul);
    set_closed(z, closed);
}

void qkv__real_divide(qkv__real *z, const qkv__real *x, const qkv__real *y)
{
    if (moves(z, x, y) && qkv__slopes_divide(z, x, y)) return;
    int sign = qkv__real_sign(y);
    qkv__rational quotient = qkv__rational_divide(x->exact, y->exact);
    if (sign == 0 || sign == QKV__SIGN_OPEN)
        set_undefined(z);
    else if (!qkv__rational_is_lost(quotient))
        z->exact = quotient;
    else {
        const qkv__closed closed = quotient_of(x, y);
        by_balls(z, x, y, arb_div);
        set_closed(z, closed);
    }
}

void qkv__real_divide_whole(qkv__real *z, const qkv__real *x, int64_t divisor)
{
    qkv__real number;
    qkv__real_init(&number);
    qkv__real_set_whole(&number, divisor);
    qkv__real_divide(z, x, &number);
    qkv__real_clear(&number);
}

void qkv__real_negate(qkv__real *z, const qkv__real *x)
{
    if (qkv__slopes_negate(z, x)) return;
    qkv__real_set(z, x);
    if (is_exact(z)) {
        qkv__real_set_rational(z, qkv__rational_negate(z->exact));
        return;
    }
    arb_neg(z->ball, z->ball);
    z->closed = scaled(z->closed, qkv__rational_whole(-1));
}

void qkv__real_magnitude(qkv__real *z, const qkv__real *x)
{
    if (qkv__slopes_magnitude(z, x)) return;
    const int sign = qkv__real_sign(x);
    if (sign == -1)
        qkv__real_negate(z, x);
    else if (sign != QKV__SIGN_OPEN)
        qkv__real_set(z, x);
    else {
        set_open(z);
        arb_abs(z->ball, x->ball);
    }
}

/* The one of two numbers that is the larger for certain, or the smaller; else the ball of both. */
static void choose(qkv__real *z, const qkv__real *x, const qkv__real *y, bool larger)
{
    qkv__real difference;
    qkv__real_init(&difference);
    qkv__real_subtract(&difference, x, y);
    const int sign = qkv__real_sign(&difference);
    qkv__real_clear(&difference);
    if (sign == QKV__SIGN_OPEN)
        by_balls(z, x, y, larger ? arb_max : arb_min);
    else
        qkv__real_set(z, (sign >= 0) == larger ? x : y);
}

void qkv__real_larger(qkv__real *z, const qkv__real *x, const qkv__real *y)
{
    if (!qkv__slopes_choose(z, x, y, true)) choose(z, x, y, true);
}

void qkv__real_smaller(qkv__real *z, const qkv__real *x, const qkv__real *y)
{
    if (!qkv__slopes_choose(z, x, y, false)) choose(z, x, y, false);
}

void qkv__real_span(qkv__real *z, const qkv__real *x, const qkv__real *y)
{
    by_balls(z, x, y, arb_union);
}

/* ---- Functions ----------------------------------------------------------------------------- */

void qkv__real_apply(qkv__real *z, const qkv__real *x, qkv__ball_function function)
{
    arb_t room;
    arb_init(room);
    function(z->ball, ball_of(x, room), PRECISION);
    set_open(z);
    arb_clear(room);
}

/* Whether x < -1e9 for certain. */
static bool is_far_down(const qkv__real *x)
{
    qkv__real above;
    qkv__real_init(&above);
    qkv__real_set_whole(&above, 1000000000);
    qkv__real_add(&above, x, &above);
    bool down = qkv__real_sign(&above) == -1;
    qkv__real_clear(&above);
    return down;
}

/* e^x for x < -1e9 lies within 2^-1000000 of 0. */
static void set_nearly_zero(qkv__real *z)
{
    set_open(z);
    arb_zero(z->ball);
    arb_add_error_2exp_si(z->ball, -1000000);
}

void qkv__real_exponential(qkv__real *z, const qkv__real *x)
{
    if (qkv__slopes_exponential(z, x)) return;
    const qkv__closed from = as_logarithm(x);
    const bool closed = is_closed(&from) && from.root == 1;
    if (closed && qkv__rational_is_zero(from.shift))
        z->exact = from.power;
    else if (qkv__real_is_defined(x) && qkv__real_middle(x) <= -exponent_at_most && is_far_down(x))
        set_nearly_zero(z);
    else if (!qkv__real_is_defined(x) || !(fabs(qkv__real_middle(x)) < exponent_at_most))
        set_undefined(z);
    else {
        qkv__real_apply(z, x, arb_exp);
        if (closed) set_closed(z, (qkv__closed){from.shift, from.power, 0});
    }
}

void qkv__real_logarithm(qkv__real *z, const qkv__real *x)
{
    if (qkv__slopes_logarithm(z, x)) return;
    if (qkv__real_sign(x) != 1)
        set_undefined(z);
    else if (is_exact(x) && x->exact.numerator == x->exact.denominator)
        z->exact = qkv__rational_whole(0);
    else {
        const qkv__closed from = as_exponential(x);
        qkv__real_apply(z, x, arb_log);
        if (is_closed(&from)) set_closed(z, (qkv__closed){from.shift, from.power, 1});
    }
}

/* The root of a number that cannot be negative, though its ball may reach below 0. */
static void root_of_nonnegative(qkv__real *z, const qkv__real *x)
{
    if (qkv__slopes_root(z, x, root_of_nonnegative)) return;
    const bool zero = is_exact(x) && qkv__rational_is_zero(x->exact);
    const int64_t numerator = is_exact(x) && !zero ? whole_root(x->exact.numerator, 2) : 0;
    const int64_t denominator = is_exact(x) && !zero ? whole_root(x->exact.denominator, 2) : 0;
    if (zero)
        z->exact = qkv__rational_whole(0);
    else if (numerator > 0 && denominator > 0)
        z->exact = qkv__rational_make(numerator, denominator);
    else
        qkv__real_apply(z, x, arb_sqrtpos);
}

void qkv__real_root(qkv__real *z, const qkv__real *x)
{
    int sign = qkv__real_sign(x);
    if (sign == 0 || sign == 1)
        root_of_nonnegative(z, x);
    else
        set_undefined(z);
}

static void whole_power(qkv__real *z, const qkv__real *x, int64_t exponent)
{
    uint64_t rest = (uint64_t)(exponent < 0 ? -exponent : exponent);
    qkv__real square, product;
    qkv__real_init(&square);
    qkv__real_init(&product);
    qkv__real_set(&square, x);
    qkv__real_set_whole(&product, 1);
    for (; rest > 0; rest >>= 1) {
        if (rest & 1) qkv__real_multiply(&product, &product, &square);
        if (rest > 1) qkv__real_multiply(&square, &square, &square);
    }
    qkv__real_set_whole(&square, 1);
    if (exponent < 0)
        qkv__real_divide(z, &square, &product);
    else
        qkv__real_set(z, &product);
    qkv__real_clear(&square);
    qkv__real_clear(&product);
}

void qkv__real_power(qkv__real *z, const qkv__real *x, const qkv__real *y)
{
    bool whole = y->slopes == NULL && is_exact(y) && qkv__rational_is_whole(y->exact) &&
                 y->exact.numerator <= POWER_AT_MOST && y->exact.numerator >= -POWER_AT_MOST;
    bool nought =
        qkv__rational_is_zero(y->exact) && qkv__real_sign(x) != 1 && qkv__real_sign(x) != -1;
    const bool zero = y->slopes == NULL && x->slopes == NULL && is_exact(x) &&
                      qkv__rational_is_zero(x->exact) && qkv__real_sign(y) == 1;
    if (zero) {
        qkv__real_set_whole(z, 0);
    } else if (nought || (!whole && qkv__real_sign(x) != 1)) {
        set_undefined(z);
    } else if (whole) {
        whole_power(z, x, y->exact.numerator);
    } else if (y->slopes == NULL && is_exact(y) && y->exact.denominator == 2 &&
               y->exact.numerator == 1) {
        qkv__real_root(z, x);
    } else {
        qkv__real logarithm;
        qkv__real_init(&logarithm);
        qkv__real_logarithm(&logarithm, x);
        qkv__real_multiply(&logarithm, &logarithm, y);
        qkv__real_exponential(z, &logarithm);
        qkv__real_clear(&logarithm);
    }
}

/* ---- Rows ---------------------------------------------------------------------------------- */

void qkv__real_dot(qkv__real *z, const qkv__real *x, const qkv__real *y, size_t count, size_t step)
{
    qkv__real product;
    qkv__real_init(&product);
    qkv__real_set_whole(z, 0);
    for (size_t i = 0; i < count; i++) {
        qkv__real_multiply(&product, &x[i], &y[i * step]);
        qkv__real_add(z, z, &product);
    }
    qkv__real_clear(&product);
}

void qkv__real_norm(qkv__real *z, const qkv__real *x, size_t count)
{
    qkv__real_dot(z, x, x, count, 1);
    root_of_nonnegative(z, z);
}

/* Whether all are exactly the same. */
static bool is_level(const qkv__real *row, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!is_exact(&row[i]) || row[i].slopes != NULL ||
            qkv__rational_compare(row[i].exact, row[0].exact) != 0)
            return false;
    return true;
}

/* The largest score is subtracted first, so that no exponential is beyond the range. */
void qkv__real_softmax(qkv__real *row, size_t count)
{
    assert(count > 0);
    if (is_level(row, count)) {
        for (size_t i = 0; i < count; i++) row[i].exact = (qkv__rational){1, (int64_t)count};
        return;
    }
    qkv__real largest, sum;
    qkv__real_init(&largest);
    qkv__real_init(&sum);
    size_t most = 0;
    for (size_t i = 1; i < count; i++)
        if (qkv__real_middle(&row[i]) > qkv__real_middle(&row[most])) most = i;
    qkv__real_set(&largest, &row[most]);
    for (size_t i = 0; i < count; i++) {
        qkv__real_subtract(&row[i], &row[i], &largest);
        qkv__real_exponential(&row[i], &row[i]);
        qkv__real_add(&sum, &sum, &row[i]);
    }
    for (size_t i = 0; i < count; i++) qkv__real_divide(&row[i], &row[i], &sum);
    qkv__real_clear(&largest);
    qkv__real_clear(&sum);
}

/* ---- Questions ----------------------------------------------------------------------------- */

bool qkv__real_is_defined(const qkv__real *x)
{
    return is_exact(x) || arb_is_finite(x->ball);
}

int qkv__real_sign(const qkv__real *x)
{
    if (is_exact(x)) return qkv__rational_sign(x->exact);
    if (!arb_is_finite(x->ball)) return QKV__SIGN_OPEN;
    if (arb_is_positive(x->ball)) return 1;
    if (arb_is_negative(x->ball)) return -1;
    return arb_is_zero(x->ball) ? 0 : QKV__SIGN_OPEN;
}

bool qkv__real_is_zero(const qkv__real *x)
{
    return qkv__real_sign(x) == 0;
}

bool qkv__real_is_resting_zero(const qkv__real *x)
{
    return x->slopes == NULL && qkv__real_is_zero(x);
}

bool qkv__real_bounds(const qkv__real *x, qkv__rational *lower, qkv__rational *upper)
{
    enum { BITS = 40 };
    const double most = 1 << 20;
    *lower = *upper = x->exact;
    if (is_exact(x)) return true;
    if (!arb_is_finite(x->ball) || !(fabs(qkv__real_middle(x)) < most)) return false;
    arb_t scaled;
    fmpz_t low;
    arb_init(scaled);
    fmpz_init(low);
    arb_mul_2exp_si(scaled, x->ball, BITS);
    arb_floor(scaled, scaled, PRECISION);
    int64_t below = 0;
    bool good = arb_get_unique_fmpz(low, scaled) && qkv__fmpz_get_int64(low, &below);
    if (good) {
        *lower = qkv__rational_make(below, INT64_C(1) << BITS);
        *upper = qkv__rational_make(below + 1, INT64_C(1) << BITS);
    }
    arb_clear(scaled);
    fmpz_clear(low);
    return good;
}

double qkv__real_middle(const qkv__real *x)
{
    if (is_exact(x)) return (double)x->exact.numerator / (double)x->exact.denominator;
    return arf_get_d(arb_midref(x->ball), ARF_RND_NEAR);
}

double qkv__real_width(const qkv__real *x)
{
    return is_exact(x) ? 0.0 : 2.0 * mag_get_d(arb_radref(x->ball));
}
