/* The conditions of a claim: limits, ranges, indexes, a tolerance, premises. */
#ifndef QKV_CLAIM_CONDITIONS_H
#define QKV_CLAIM_CONDITIONS_H

#include "claim/premise/situation.h"

/* Takes all of them into the situation. False: the text is wrong, or nothing is left to decide, and
 * then the finding says so. */
bool qkv__conditions_take(qkv__situation *s);

/* Says that the conditions exclude each other; false. */
bool qkv__conditions_exclude(qkv__situation *s);

/* for all vector q, for all permutation R[d]: declared for as long as the claim lasts. A plain
 * name is free anyway, and what is free is meant for all. */
bool qkv__situation_declare(qkv__situation *s, const qkv__node *bound);

/* Whether a proposition may be about something random: all but comparisons of numbers that are not.
 */
bool qkv__random_is_about(const qkv__situation *s, const qkv__node *proposition);

/* Takes the conditions of a claim as far as they are understood, does something under them, and
 * forgets them again, with all that it made in the model. */
void qkv__under_conditions(qkv__model *model, const qkv__circumstances *circumstances,
                           void (*act)(qkv__situation *s, void *data), void *data);

#endif
