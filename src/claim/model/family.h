/* Families of vectors. */
#ifndef QKV_CLAIM_FAMILY_H
#define QKV_CLAIM_FAMILY_H

#include "claim/model/model.h"

/* keys k[1..n] orthonormal; false when a complaint was made. */
bool qkv__family_declare(qkv__model *model, const qkv__statement *statement);

/* Whether vectors share a dimension that is said, so that they may depend on each other. */
bool qkv__frames_are_crowded(const qkv__frames *frames);

/* A dimension that one vector declares, for all vectors but values. */
bool qkv__family_measure(qkv__model *model, const qkv__node *dimension);

#endif
