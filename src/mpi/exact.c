/* Exact sums, alone and over ranks. Knows nothing of attention. */
#include "mpi/exact.h"

#include <limits.h>
#include <math.h>

#include "base/error.h"
#include "mpi/agree.h"

enum { BITS = 32, HIGH = 1, LOW = 2, UNKNOWN = 4 };

#define FAR 0x1p61

qkv__exact_weight qkv__exact_exp(double level)
{
    /* log2(e) in two parts, so that the bits of a large level's fraction are right. */
    const double high = 0x1.71547652b82fep+0, low = 0x1.777d0ffda0d24p-56;
    if (!(fabs(level) <= FAR)) return (qkv__exact_weight){level, isfinite(level) ? 1.0 : level, 0};
    const double power = level * high, whole = floor(power);
    const double rest = (power - whole) + (fma(level, high, -power) + level * low);
    const double more = floor(rest);
    return (qkv__exact_weight){0.0, exp2(rest - more), (int64_t)whole + (int64_t)more};
}

qkv__exact qkv__exact_zero(void)
{
    return (qkv__exact){.top = INT64_MIN};
}

bool qkv__exact_is_zero(const qkv__exact *sum)
{
    return sum->top == INT64_MIN && sum->broken == 0;
}

bool qkv__exact_is_broken(const qkv__exact *sum)
{
    return sum->broken != 0;
}

/* Moves the window up to `top`; the lowest digits fall out. */
static void raise(qkv__exact *sum, int64_t top)
{
    qkv__exact moved = {.base = sum->base, .top = top, .broken = sum->broken};
    for (int i = 0; i < QKV__EXACT_DIGITS && sum->top != INT64_MIN; i++)
        if (top - sum->top < QKV__EXACT_DIGITS - i)
            moved.digit[i + (top - sum->top)] = sum->digit[i];
    *sum = moved;
}

/* Makes a base that is to be added to the sum its own, if it is higher; false if it is lower. */
static bool meet(qkv__exact *sum, double base)
{
    const bool none = sum->top == INT64_MIN;
    if (!none && base < sum->base) return false;
    if (none || base > sum->base) *sum = (qkv__exact){base, INT64_MIN, sum->broken, {0}};
    return true;
}

static int64_t floor_division(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

void qkv__exact_add(qkv__exact *sum, qkv__exact_weight weight, double x)
{
    const double term = weight.weight * x;
    int own;
    if (!isfinite(term)) sum->broken |= isnan(term) ? UNKNOWN : term > 0 ? HIGH : LOW;
    if (!isfinite(term) || term == 0.0 || !meet(sum, weight.base)) return;
    const double fraction = frexp(term, &own); /* in [1/2, 1): its first bit is that before 2^0 */
    const int64_t place = own + weight.exponent - 1, top = floor_division(place, BITS);
    if (top > sum->top) raise(sum, top);
    double rest = ldexp(fraction, (int)(place - top * BITS) + 1); /* below 2^32 */
    for (int64_t i = sum->top - top; i < QKV__EXACT_DIGITS && rest != 0.0; i++) {
        const double digit = trunc(rest);
        sum->digit[i] += (int64_t)digit;
        rest = ldexp(rest - digit, BITS); /* exact: the bits that are left */
    }
}

/* The sum is what is returned, times 2^(BITS top) and e^base; infinite or NaN if terms were. */
static double value_of(const qkv__exact *sum)
{
    double value = 0.0;
    /* From the lowest on, carrying what a digit has beyond 32 bits: the high ones then hold all. */
    int64_t digit[QKV__EXACT_DIGITS], carry = 0;
    for (int i = QKV__EXACT_DIGITS - 1; i >= 0; i--) {
        const int64_t all = sum->digit[i] + carry;
        carry = i == 0 ? 0 : floor_division(all, INT64_C(1) << BITS);
        digit[i] = all - carry * (INT64_C(1) << BITS);
    }
    for (int i = 0; i < QKV__EXACT_DIGITS; i++) value += ldexp((double)digit[i], -BITS * i);
    if (sum->broken == 0) return value;
    return sum->broken == HIGH ? INFINITY : sum->broken == LOW ? -INFINITY : NAN;
}

double qkv__exact_log(const qkv__exact *sum)
{
    int exponent = 0;
    if (qkv__exact_is_zero(sum)) return -INFINITY;
    const double value = value_of(sum);
    if (!isfinite(value)) return value;
    /* A number near 1 keeps its digits: it is not scaled. */
    const double fraction = frexp(value, &exponent);
    return sum->base + log(fraction) +
           ((double)(sum->top * BITS) + exponent) * 0x1.62e42fefa39efp-1;
}

double qkv__exact_ratio(const qkv__exact *sum, const qkv__exact *whole)
{
    if (qkv__exact_is_zero(sum)) return 0.0;
    const double ratio = value_of(sum) / value_of(whole);
    if (sum->base < whole->base && isfinite(ratio)) return 0.0;
    const int64_t shift = (sum->top - whole->top) * BITS;
    return ldexp(ratio, shift < -4096 ? -4096 : (int)shift);
}

/* ---- Over ranks ------------------------------------------------------------------------------ */

static void join(qkv__exact *to, const qkv__exact *from)
{
    to->broken |= from->broken;
    if (from->top == INT64_MIN || !meet(to, from->base)) return;
    if (from->top > to->top) raise(to, from->top);
    for (int i = 0; i < QKV__EXACT_DIGITS; i++)
        if (to->top - from->top < QKV__EXACT_DIGITS - i)
            to->digit[i + (to->top - from->top)] += from->digit[i];
}

static void join_all(void *from, void *to, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++) join((qkv__exact *)to + i, (const qkv__exact *)from + i);
}

qkv_status qkv__exact_reduce(MPI_Comm comm, qkv__exact *sums, size_t count, qkv_error *error)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Op operation = MPI_OP_NULL;
    if (count > INT_MAX)
        return qkv__fail(error, QKV_ERROR_SHAPE, "there are %zu sums; expected at most %d", count,
                         INT_MAX);
    int code = MPI_Type_contiguous((int)sizeof(qkv__exact), MPI_BYTE, &type);
    if (code == MPI_SUCCESS) code = MPI_Type_commit(&type);
    if (code == MPI_SUCCESS) code = MPI_Op_create(join_all, 1, &operation);
    if (code == MPI_SUCCESS)
        code = MPI_Allreduce(MPI_IN_PLACE, sums, (int)count, type, operation, comm);
    if (operation != MPI_OP_NULL) MPI_Op_free(&operation);
    if (type != MPI_DATATYPE_NULL) MPI_Type_free(&type);
    return qkv__mpi_check(code, "add up over the ranks", error);
}
