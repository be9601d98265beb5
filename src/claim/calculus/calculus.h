/*
 * Comparisons with functions that the exact engine has no forms for: logarithms of anything, sines,
 * roots of sums, absolute values, maxima, exponentials of exponentials, entropies, and their
 * derivatives. Each of them becomes a letter, an atom, of which its argument and a few facts are
 * known; what is left is a quotient of forms in these letters, and is decided by normal forms,
 * signs and derivatives. It only ever proves: what fails is shown by an example, elsewhere.
 */
#ifndef QKV_CLAIM_CALCULUS_H
#define QKV_CLAIM_CALCULUS_H

#include "claim/premise/situation.h"

/* PROVED, with the reason, or UNDECIDED and nothing said. */
qkv__verdict qkv__compare_calculus(qkv__situation *s, const qkv__node *comparison);

/* powers.c: the same for x ~ y as a letter grows, where it is raised to any number; it may also be
 * REFUTED. */
qkv__verdict qkv__compare_powers(qkv__situation *s, const qkv__node *comparison);

#endif
