/*
 * Counterexamples to claims that no other engine could take: the free vectors, matrices and
 * parameters are filled with small numbers, and the claim is evaluated with error bounds. One
 * failure refutes; none supports, with the number of tries. Never a proof.
 *
 * A refutation is certain: every number is an exact rational or enclosed in a ball, assumptions and
 * premises must hold for every number in the balls, and the claim must fail for every one. A case
 * in which something has no value (1/0) counts for nothing.
 */
#ifndef QKV_CLAIM_SEARCH_H
#define QKV_CLAIM_SEARCH_H

#include "claim/premise/finding.h"

/* Leaves the finding alone where the claim is not of a kind that can be tried. */
void qkv__search(qkv__model *model, const qkv__node *proposition,
                 const qkv__circumstances *circumstances, qkv__finding *finding);

typedef struct qkv__search_report {
    bool able;      /* the claim is of a kind that can be tried, and there was memory */
    bool too_large; /* else: families have too many members, or lists too many numbers */
    bool found;     /* an instance on which it fails */
    size_t missed;  /* instances on which some premise does not hold */
    size_t met;     /* instances on which the premises hold, and the claim too */
    bool derived;   /* a size is made of a letter that need not be whole, or is n/2 and the like, or
                       matrices have a part */
    bool chance;    /* it speaks of P or E, which are sums over draws */
    bool drawn;     /* and of random quantities outside of them: each draw is an instance */
    bool settled;   /* then: it holds beyond the error of such sums, wherever it was tried, and
                       all its parameters are numbers */
    bool sharp;     /* or: an equation, of which one cannot see that it fails, although errors are
                       small, wherever it was tried */
    bool misshapen; /* on every instance, sizes do not go together */
    bool holed;     /* on some instance the premises hold and the claim has no value */
    size_t undefined; /* instances on which the premises hold and the claim has no value, if it
                         has none on any */
} qkv__search_report;

/* What is tried on instances. */
typedef struct qkv__search_question {
    const qkv__node *proposition;
    qkv__place place; /* where it stands in the document; unset: where its text does */
    const qkv__circumstances *circumstances;
    const qkv__statement *answers; /* x = ...: what is put in for names, wherever they stand */
    bool generic;                  /* values in general position alone */
    bool near_at_all;      /* ~ without a limit or a tolerance is meant as near as one likes: it is
                              tried within 1e-9 */
    const char *growth;    /* a letter that grows without bound; NULL: none */
    bool close;            /* a parameter with a limit is any number close to it, or large */
    bool without_premises; /* as if none were given or supposed */
    bool without_random;   /* nothing is tried where keys are drawn, or that exists */
    size_t tries;          /* instances on which the premises hold */
} qkv__search_question;

/* The search itself: up to so many instances on which the premises hold are looked at. One on which
 * the claim fails is appended to the text, as a sentence; where text is NULL, the first one is
 * enough. Limits are tried along paths. */
qkv__search_report qkv__search_instances(qkv__model *model, const qkv__search_question *question,
                                         qkv__text *text);

#endif
