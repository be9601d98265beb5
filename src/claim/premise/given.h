/* What a problem says of a letter, beyond a bound. */
#ifndef QKV_CLAIM_GIVEN_H
#define QKV_CLAIM_GIVEN_H

#include "claim/model/model.h"

/* Whether a declaration or a premise ties a letter to vectors or to sizes: n vectors at right
 * angles in d dimensions, x.y = s, a size n/2. */
bool qkv__letter_is_tied(const qkv__model *model, const char *name);

/* Whether something is given that is more than a bound, in the problem or behind a question. */
bool qkv__has_conditions(const qkv__model *model, const qkv__circumstances *circumstances);
bool qkv__has_assumptions(const qkv__model *model);

/* Whether more than bounds is given of a letter, by way of anything. */
bool qkv__given_speaks_of(const qkv__model *model, const qkv__circumstances *circumstances,
                          const char *name);

/* Whether a range begins with 1, so that a pick from it says nothing more of its end. */
bool qkv__starts_at_one(const qkv__node *range);

/* Whether the claim is about a limit. */
bool qkv__has_limit(const qkv__circumstances *circumstances);

/* Whether all that is given says that the letter of a limit is e^x, or the like: no path of
 * rational numbers meets it. */
bool qkv__limit_is_irrational(const qkv__model *model, const qkv__circumstances *circumstances);

/* Whether there are premises that are more than bounds: a choice of what is free may break them. */
bool qkv__has_premises(const qkv__model *model, const qkv__circumstances *circumstances);

/* name <= number, which bounds a parameter and nothing else; for all v says nothing. */
bool qkv__given_is_bound(const qkv__model *model, const qkv__node *node);

/* Whether a declaration says more of a letter than how many members a family has, or of which norm:
 * a size that is made of it, a dimension, a size of matrices, of which something may be assumed. */
bool qkv__letter_is_declared(const qkv__model *model, const qkv__statement *statement,
                             const char *name);

/* Whether something stands in a node that the document defines. */
bool qkv__given_has_defined(const qkv__model *model, const qkv__node *node);

/* Whether a name stands in a node, or in what the names in it are defined as. */
bool qkv__given_names(const qkv__model *model, const qkv__node *node, const char *name);

#endif
