/* Names of a model: what they stand for. */
#ifndef QKV_CLAIM_BINDING_H
#define QKV_CLAIM_BINDING_H

#include "claim/model/model.h"

const qkv__binding *qkv__model_find(const qkv__model *model, const qkv__binding *locals,
                                    const char *name);
bool qkv__model_bind(qkv__model *model, qkv__binding binding);

/* The local binding of an index variable, in the caller's memory. */
qkv__binding qkv__index_binding(const char *name, qkv__index_set *set, int member,
                                const qkv__binding *next);

/* The number of a parameter of that name, made if it is new; -1 when there is no room. */
int qkv__model_parameter(qkv__model *model, const char *name);

/* A complaint about a place of the document; false, so that a caller can return it. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
bool qkv__model_complain(qkv__model *model, qkv__place place, const char *format, ...);

bool qkv__model_complain_failure(qkv__model *model, qkv__place place, const qkv__failure *failure);

#endif
