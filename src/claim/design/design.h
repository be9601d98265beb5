/*
 * Design questions: does a query (or a number) exist that makes a proposition true, and which? The
 * unknowns are names bound by `exists q: p` or `find q: p`. An answer is a formula that was put in
 * place of the name and checked again by the other engines, or a certificate that none exists.
 */
#ifndef QKV_CLAIM_DESIGN_H
#define QKV_CLAIM_DESIGN_H

#include "claim/premise/finding.h"

/* The unknowns are nodes as `exists` and `find` have them: NAME, or CALL "vector" and the like.
 * locals: bound names around the question, NULL for none. */
typedef struct qkv__design_question {
    size_t unknown_count;
    const qkv__node *const *unknown;
    const qkv__node *proposition;
    const qkv__binding *locals;
    const qkv__circumstances *circumstances;
    qkv__decider *again; /* by whom an answer is checked */
} qkv__design_question;

/* PROVED: `found` has the design ("q = beta*k[a]"); REFUTED: the reason carries the certificate,
 * and `uniform` says whether there is no answer for any choice of what is free. Bounds of
 * parameters must have been taken from the conditions before. */
void qkv__design(qkv__model *model, const qkv__design_question *question, qkv__finding *finding);

/* Whether x lies in (outside of) the convex hull of a family, for all that the parameters and the
 * vectors may be. Returns the finding's verdict. */
struct qkv__situation;
qkv__verdict qkv__decide_hull(struct qkv__situation *s, const qkv__value *x, const qkv__value *hull,
                              bool outside);

/* The same for an average of some vectors, of which no more is known: proved, or undecided. */
qkv__verdict qkv__decide_hull_by_law(struct qkv__situation *s, const qkv__vectors *averaged,
                                     const qkv__value *hull, bool outside);

#endif
