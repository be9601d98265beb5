/* `find` statements: thresholds, queries, matrices. */
#ifndef QKV_CLAIM_FIND_H
#define QKV_CLAIM_FIND_H

#include "claim/decide.h"

/* PROVED: found and checked; REFUTED: proved that there is none; else undecided. */
void qkv__find(qkv__model *model, const qkv__statement *statement,
               const qkv__circumstances *circumstances, qkv__finding *finding);

#endif
