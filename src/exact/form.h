/*
 * Exponential polynomials, the numbers of the exact engine: finite sums of
 *
 *     rational * product of powers of parameters * e^(a polynomial in the parameters)
 *
 * such as n - 2 + 2 e^beta. They live in an algebra, which names the parameters, says what is
 * known of them, and holds all memory. A form is never changed once made.
 *
 * In a form no two terms have the same powers and exponent, and no coefficient is zero, so that
 * equal forms look equal. The converse is not used to refute anything: forms that look different
 * may be equal when logarithms are involved, and a refutation needs a witness.
 *
 * NULL is the lost form: a coefficient, a power or the number of terms grew too large, or memory
 * ran out. Every function takes it and passes it on.
 */
#ifndef QKV_EXACT_FORM_H
#define QKV_EXACT_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"
#include "exact/rational.h"

enum {
    QKV__PARAMETERS = 32,   /* in one algebra */
    QKV__TERMS = 4096,      /* in one form */
    QKV__POWER_LIMIT = 512, /* of a parameter in a term, in halves */
};

/* One side of what a parameter may be. */
typedef struct qkv__bound {
    bool known;
    bool strict; /* the value itself is left out */
    qkv__rational value;
} qkv__bound;

typedef struct qkv__parameter {
    const char *name;
    bool whole; /* takes whole numbers alone */
    qkv__bound lower, upper;
    qkv__bound born_lower, born_upper; /* before a premise narrowed it, where one did */
    bool narrowed;                     /* by a premise */
    int64_t prime;                     /* p: this parameter is the number ln p; 0: it is free */
    bool generic; /* another number for each unmarked index, such as k[i].q: no sum may treat it
                     as one */
} qkv__parameter;

typedef struct qkv__algebra {
    qkv__arena arena;
    size_t parameter_count;
    qkv__parameter parameter[QKV__PARAMETERS];
} qkv__algebra;

typedef struct qkv__form qkv__form;

typedef struct qkv__term {
    qkv__rational coefficient;      /* not zero, not lost */
    int16_t power[QKV__PARAMETERS]; /* in halves: 2 is the parameter itself, 1 its root */
    const qkv__form *exponent;      /* NULL for e^0; else a form without exponentials */
} qkv__term;

struct qkv__form {
    size_t count;
    qkv__term term[]; /* in order */
};

/* ---- Parameters --------------------------------------------------------------------------- */

/* A new parameter about which nothing is known; its number, or -1 when there is no room. The name
 * is copied. */
int qkv__parameter_add(qkv__algebra *algebra, const char *name);

/* The parameter of that name, or -1. */
int qkv__parameter_find(const qkv__algebra *algebra, const char *name);

/* Whether a number is that of a parameter. */
static inline bool qkv__is_parameter(const qkv__algebra *algebra, int parameter)
{
    return parameter >= 0 && (size_t)parameter < algebra->parameter_count;
}

/* ---- Making forms -------------------------------------------------------------------------- */

const qkv__form *qkv__form_constant(qkv__algebra *algebra, qkv__rational value);
const qkv__form *qkv__form_whole(qkv__algebra *algebra, int64_t value);
const qkv__form *qkv__form_parameter(qkv__algebra *algebra, int parameter);

/* ln of a positive rational, by its prime factors, each of which is a parameter. */
const qkv__form *qkv__form_logarithm(qkv__algebra *algebra, qkv__rational value);

/* e^polynomial. Whole multiples of ln p in it become powers of p. */
const qkv__form *qkv__form_exponential(qkv__algebra *algebra, const qkv__form *polynomial);

/* The square root of a single positive term: powers are halved. Lost for anything else, also where
 * the root would be |x| for a parameter that may be negative. */
const qkv__form *qkv__form_root(qkv__algebra *algebra, const qkv__form *form);

/* ---- Arithmetic ---------------------------------------------------------------------------- */

const qkv__form *qkv__form_add(qkv__algebra *algebra, const qkv__form *a, const qkv__form *b);

/* A sum of many, by pairs of about equal length: n terms are copied log n times each. Begins as
 * {0}; each part is added, the total ends it. */
enum { QKV__SUM_LEVELS = 24 };

typedef struct qkv__form_sum {
    const qkv__form *level[QKV__SUM_LEVELS]; /* the sum of 2^i parts, or NULL */
    bool failed;
} qkv__form_sum;

void qkv__form_sum_add(qkv__algebra *algebra, qkv__form_sum *sum, const qkv__form *part);
const qkv__form *qkv__form_sum_total(qkv__algebra *algebra, const qkv__form_sum *sum);
const qkv__form *qkv__form_subtract(qkv__algebra *algebra, const qkv__form *a, const qkv__form *b);
const qkv__form *qkv__form_multiply(qkv__algebra *algebra, const qkv__form *a, const qkv__form *b);
const qkv__form *qkv__form_scale(qkv__algebra *algebra, const qkv__form *a, qkv__rational factor);
const qkv__form *qkv__form_power(qkv__algebra *algebra, const qkv__form *a,
                                 int exponent); /* >= 0 */

/* One term of a form, as a form. */
const qkv__form *qkv__form_term(qkv__algebra *algebra, const qkv__term *term);

/* The terms divided by one term: always possible, since powers and exponents may be negative. */
const qkv__form *qkv__form_divide_by_term(qkv__algebra *algebra, const qkv__form *a,
                                          const qkv__term *divisor);

/* A parameter replaced by a form: powers must be whole and not negative where the replacement is
 * more than one term; else lost. */
const qkv__form *qkv__form_substitute(qkv__algebra *algebra, const qkv__form *a, int parameter,
                                      const qkv__form *replacement);

/* ---- Questions ----------------------------------------------------------------------------- */

bool qkv__form_is_zero(const qkv__form *a);                   /* false for the lost form */
bool qkv__form_equal(const qkv__form *a, const qkv__form *b); /* look equal; false if lost */
bool qkv__form_is_constant(const qkv__form *a, qkv__rational *value); /* a rational number */
bool qkv__form_is_polynomial(const qkv__form *a); /* no exponentials, no negative or half powers */
bool qkv__form_depends_on(const qkv__form *a, int parameter);
bool qkv__form_is_generic(const qkv__algebra *algebra,
                          const qkv__form *a); /* depends on a generic parameter */

/* A total order, for sorting and merging. */
int qkv__form_compare(const qkv__form *a, const qkv__form *b);

/* "n - 2 + 2*e^beta", readable by the claim language. "?" for the lost form. */
void qkv__form_write(const qkv__algebra *algebra, const qkv__form *form, qkv__text *text);

void qkv__term_write(const qkv__algebra *algebra, const qkv__term *term, qkv__text *text);

/* Whether it is written as a sum, which needs parentheses in a product. */
bool qkv__form_is_sum(const qkv__form *form);

#endif
