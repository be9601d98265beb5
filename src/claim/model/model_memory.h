/*
 * What a model knew before a claim was decided. Claims leave parameters, index sets, families and
 * much memory behind; none of it may reach the next claim, which would else depend on how many
 * stood before it.
 */
#ifndef QKV_CLAIM_MODEL_MEMORY_H
#define QKV_CLAIM_MODEL_MEMORY_H

#include "claim/model/model.h"

typedef struct qkv__model_memory {
    qkv__model before;
    qkv__arena_place place;
    qkv__index_set *sets; /* as they were, in the model's own arena; NULL: no memory for them */
} qkv__model_memory;

void qkv__model_remember(qkv__model *model, qkv__model_memory *memory);

/* The model as it was, with all that was taken since given back: nothing that stays may point
 * there. */
void qkv__model_forget(qkv__model *model, const qkv__model_memory *memory);

#endif
