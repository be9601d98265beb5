/*
 * Orders in a limit, x < y as t -> inf, from the same order far out: x < y for all t >= 16; and
 * refuted by the opposite. Engines for limits take leading terms; those for all t take derivatives
 * and lemmas as well.
 */
#ifndef QKV_CLAIM_EVENTUALLY_H
#define QKV_CLAIM_EVENTUALLY_H

#include "claim/premise/finding.h"

/* Whether that decides the claim; else the finding is left as it was. */
bool qkv__decide_eventually(qkv__model *model, const qkv__node *proposition,
                            const qkv__circumstances *circumstances, qkv__decider *decide,
                            qkv__finding *finding);

#endif
