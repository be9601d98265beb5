/* What the files of the calculus share. */
#ifndef QKV_CLAIM_CALCULUS_PART_H
#define QKV_CLAIM_CALCULUS_PART_H

#include "ball/real.h"
#include "claim/premise/situation.h"
#include "exact/limit.h"

typedef enum qkv__atom_kind {
    QKV__ATOM_LOGARITHM,
    QKV__ATOM_ROOT,        /* its square is the argument */
    QKV__ATOM_EXPONENTIAL, /* of what has exponentials or quotients in it */
    QKV__ATOM_SINE,        /* its square is 1 - cosine^2 */
    QKV__ATOM_COSINE,
    QKV__ATOM_ERROR_FUNCTION,
    QKV__ATOM_SIZE, /* |x|; its square is that of the argument */
    QKV__ATOM_PI,
} qkv__atom_kind;

/* A letter that stands for a function of forms in parameters and earlier letters. */
typedef struct qkv__atom {
    qkv__atom_kind kind;
    qkv__ratio argument;
    int parameter;
} qkv__atom;

enum { QKV__ATOMS = 16 };

/* The argument of a logarithm or a root that stands in the text: where the text has a value, it is
 * positive (strict), or not negative. closed: where it is 0 the text has a value, and what it was
 * translated to has none, as 0 ln 0. */
typedef struct qkv__domain {
    qkv__ratio argument;
    bool strict, closed;
} qkv__domain;

typedef struct qkv__calculus {
    qkv__situation *s;
    qkv__space *space;
    qkv__algebra *algebra;
    size_t count;
    qkv__atom atom[QKV__ATOMS]; /* arguments are made of earlier ones alone */
    size_t domain_count;
    qkv__domain domain[QKV__ATOMS];
    size_t effort;        /* signs that may still be asked for */
    qkv__failure failure; /* of the evaluator, which nobody reads */
    const qkv__node *culprit;
} qkv__calculus;

/* A number, or a vector with numbers of this kind as factors. */
typedef struct qkv__curve {
    qkv__ratio number;
    const qkv__vector *vector; /* NULL: a number */
} qkv__curve;

/* ---- atom.c: functions of numbers; lost where there is none, or no room ------------------------
 */

static inline qkv__ratio qkv__calculus_lost(void)
{
    return (qkv__ratio){NULL, NULL};
}

qkv__ratio qkv__calculus_logarithm(qkv__calculus *c, qkv__ratio x);
qkv__ratio qkv__calculus_exponential(qkv__calculus *c, qkv__ratio x);
qkv__ratio qkv__calculus_root(qkv__calculus *c, qkv__ratio x);
qkv__ratio qkv__calculus_size(qkv__calculus *c, qkv__ratio x);
qkv__ratio qkv__calculus_wave(qkv__calculus *c, qkv__ratio x, bool sine);
qkv__ratio qkv__calculus_error_function(qkv__calculus *c, qkv__ratio x);
qkv__ratio qkv__calculus_tangent(qkv__calculus *c, qkv__ratio x); /* tanh */
qkv__ratio qkv__calculus_pi(qkv__calculus *c);

/* x^y; for y other than a whole number or half of one, as e^(y ln x). */
qkv__ratio qkv__calculus_power(qkv__calculus *c, qkv__ratio x, qkv__ratio y);

/* The atom that a parameter is; NULL: it is none. */
const qkv__atom *qkv__calculus_atom(const qkv__calculus *c, int parameter);

/* The sign that is known, whatever the parameters are. */
qkv__sign qkv__calculus_sign(qkv__calculus *c, qkv__ratio x);

/* ---- rewrite.c ---------------------------------------------------------------------------------
 */

/* A number with its letters made anew, under what is known by now, and squares of those that have
 * one written as what they are: with parameters replaced by what premises make of them (premise),
 * or with one of them, which may be a letter, replaced (put). */
qkv__ratio qkv__calculus_rewrite(qkv__calculus *c, qkv__ratio x);
qkv__ratio qkv__calculus_premise(qkv__calculus *c, qkv__ratio x);
qkv__ratio qkv__calculus_put(qkv__calculus *c, qkv__ratio x, int parameter, qkv__ratio value);

/* Whether a number depends on a parameter, be it in the argument of a letter. */
bool qkv__calculus_depends(const qkv__calculus *c, qkv__ratio x, int parameter);

/* The bounds of parameters that follow from where the text has a value. Logarithms that only proofs
 * and rules bring in say nothing of it. */
void qkv__calculus_narrow(qkv__calculus *c);

/* Whether arguments that may be 0 are so only at the edge of the allowed numbers: what holds inside
 * and is no strict inequality holds there too, since all functions are continuous where they have a
 * value. Asked after narrowing. */
bool qkv__calculus_is_closed(const qkv__calculus *c);

/* The derivative by a parameter; lost where there may be none. */
qkv__ratio qkv__calculus_derivative(qkv__calculus *c, qkv__ratio x, int parameter);
/* The gradient by a vector; NULL likewise. */
const qkv__vector *qkv__calculus_gradient(qkv__calculus *c, qkv__ratio x, qkv__symbol symbol);

/* The value, where no parameter is left; false where one is. */
bool qkv__calculus_value(qkv__calculus *c, qkv__ratio x, qkv__real *value);

/* ---- translate.c -------------------------------------------------------------------------------
 */

/* What an expression is; false where it has something that is not known here. */
bool qkv__calculus_translate(qkv__calculus *c, const qkv__node *node, const qkv__binding *locals,
                             qkv__curve *curve);

/* ---- monotone.c --------------------------------------------------------------------------------
 */

/* Whether a number compares with 0 like that wherever it has a value. */
bool qkv__calculus_prove(qkv__calculus *c, qkv__ratio x, qkv__comparison comparison, int depth);

/* Whether it certainly does not at one of a few points: no proof need be looked for. */
bool qkv__calculus_fails(qkv__calculus *c, qkv__ratio x, qkv__comparison comparison);

/* ---- tend.c ------------------------------------------------------------------------------------
 */

/* The limit of a number, in the one limit of the situation. Nothing else may change with it. */
qkv__limit qkv__calculus_tends(qkv__calculus *c, qkv__ratio x);

/* ---- sizes.c -----------------------------------------------------------------------------------
 */

bool qkv__calculus_has_sizes(const qkv__calculus *c, qkv__ratio x);

/* The same by cases, where there is an |x|: settled where there is. */
bool qkv__calculus_prove_cases(qkv__calculus *c, qkv__ratio x, qkv__comparison comparison,
                               int depth, bool *settled);

#endif
