/* One claim, from its text to a verdict that may be told. */
#ifndef QKV_CLAIM_SETTLE_H
#define QKV_CLAIM_SETTLE_H

#include "claim/premise/finding.h"

void qkv__settle(qkv__model *model, const qkv__statement *claim,
                 const qkv__circumstances *circumstances, qkv__finding *finding);

#endif
