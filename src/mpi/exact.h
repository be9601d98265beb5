/*
 * Sums that do not depend on the order of their terms. A sum is kept in digits to base 2^32 at
 * absolute places: digit i of a sum is a sum of the terms' digits at that place, without carries,
 * so that it is exact whatever the order. Kept are the QKV__EXACT_DIGITS highest places that any
 * term reaches; of a sum of two sums these are among those that both have kept.
 *
 * Terms are x e^level, so that e^1000 is a term like any other. Levels beyond 2^61 are too far from
 * each other, unless they are equal, for the lower one's terms to count: there the highest is kept
 * as a base.
 */
#ifndef QKV_MPI_EXACT_H
#define QKV_MPI_EXACT_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include <qkv/status.h>

/* At least 97 bits from the largest term's first on: 2^31 terms of f64 lose nothing that shows. */
enum { QKV__EXACT_DIGITS = 4 };

typedef struct qkv__exact {
    double base;    /* e^base is a factor of the sum: 0, or a level beyond 2^61 */
    int64_t top;    /* the place of digit 0, the highest; INT64_MIN: no terms */
    int64_t broken; /* what terms that are not finite leave: a set of bits */
    int64_t digit[QKV__EXACT_DIGITS];
} qkv__exact;

/* e^level, of which a caller has many multiples to add. */
typedef struct qkv__exact_weight {
    double base, weight;
    int64_t exponent; /* e^base weight 2^exponent */
} qkv__exact_weight;

qkv__exact_weight qkv__exact_exp(double level);

qkv__exact qkv__exact_zero(void);

/* Adds x times the weight. */
void qkv__exact_add(qkv__exact *sum, qkv__exact_weight weight, double x);

/* The logarithm of a sum, -infinity if it is 0; and the ratio of a sum to one that is not 0. */
double qkv__exact_log(const qkv__exact *sum);
double qkv__exact_ratio(const qkv__exact *sum, const qkv__exact *whole);
bool qkv__exact_is_zero(const qkv__exact *sum);
bool qkv__exact_is_broken(const qkv__exact *sum);

/* Adds up over the ranks. One all-reduce. */
qkv_status qkv__exact_reduce(MPI_Comm comm, qkv__exact *sums, size_t count, qkv_error *error);

#endif
