/* What is found of values and limits, in words. */
#ifndef QKV_CLAIM_TELL_H
#define QKV_CLAIM_TELL_H

#include "claim/premise/situation.h"

/* The value of a side; with its number where no parameter is free. */
void qkv__tell_value(qkv__situation *s, const qkv__value *value, qkv__text *text);

/* "1/2*v[a] + 1/2*v[b]": the limit, as far as it is finite. */
void qkv__tell_limit(qkv__situation *s, const qkv__value *value, qkv__text *text);

/* The same as what is found, "-> ..."; nothing where no limit is known. */
void qkv__tell_limit_of(qkv__situation *s, const qkv__value *value);

/* Why the limit of x is what it is: the scores, and if it is the one that was claimed, what the
 * others keep at finite parameters. */
void qkv__explain_limit(qkv__situation *s, const qkv__value *x, bool proved);

#endif
