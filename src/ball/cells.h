/*
 * The sign of a polynomial with whole coefficients along a range of a number y, where its variable
 * is y itself or e^y. The roots cut the range into cells, in each of which the sign is one: roots
 * are isolated rigorously, and compared with rational ends exactly. e^y is never algebraic for a
 * rational y other than 0 (Lindemann), so that only e^0 = 1 can be a root at a rational y.
 *
 * FLINT takes its memory itself and aborts the process when there is none.
 */
#ifndef QKV_BALL_CELLS_H
#define QKV_BALL_CELLS_H

#include "ball/arb_header.h"
#include "ball/box.h"

typedef struct qkv__cells_question {
    const fmpz_poly_struct *polynomial; /* not zero */
    bool exponential;                   /* its variable is e^y */
    bool whole;                         /* y takes whole numbers alone */
    qkv__range range;                   /* of y: not empty, not one number */
} qkv__cells_question;

/* A cell of one sign, as a closed interval of numbers strictly inside; for whole y one number. */
typedef struct qkv__cell {
    bool known;
    fmpq_t lower, upper;
} qkv__cell;

typedef struct qkv__cells {
    qkv__cell positive, negative; /* not known: the sign occurs nowhere in the range */
    bool has_zero;                /* some y of the range is a root */
    bool has_rational_zero;
    fmpq_t zero; /* it, when it is known to be rational */
} qkv__cells;

void qkv__cells_init(qkv__cells *cells);
void qkv__cells_clear(qkv__cells *cells);

/* False when roots could not be told apart within the precision; then nothing is said. */
bool qkv__cells_survey(const qkv__cells_question *question, qkv__cells *cells);

/* The rational with the smallest denominator between two finite doubles, both included. */
void qkv__fmpq_simplest(fmpq_t result, double lower, double upper);

#endif
