/*
 * One claim to one verdict. The exact engine is asked first, then the ball; what neither can take
 * is undecided, and says what was missing. A refutation always rests on a witness or on a limit
 * that is proved to differ.
 */
#ifndef QKV_CLAIM_DECIDE_H
#define QKV_CLAIM_DECIDE_H

#include "claim/premise/finding.h"

void qkv__decide(qkv__model *model, const qkv__node *proposition,
                 const qkv__circumstances *circumstances, qkv__finding *finding);

#endif
