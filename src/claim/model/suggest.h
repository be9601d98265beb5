/* What a misspelt name was probably meant to be. */
#ifndef QKV_CLAIM_SUGGEST_H
#define QKV_CLAIM_SUGGEST_H

#include "claim/model/model.h"

/* The name of the model or of the language that differs from this one by a letter too many, too
 * few, another one, or two that changed places; NULL if there is none. */
const char *qkv__suggest(const qkv__model *model, const char *name);

#endif
