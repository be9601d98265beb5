/*
 * The engines, and which of them takes what. Three things are asked: whether a claim holds, whether
 * one comparison in it does, and what answers a question. Each has a table of engines in order of
 * strength; a new engine is a row there and a folder.
 *
 * A refutation always rests on a witness or on a limit that is proved to differ. What no engine can
 * take is undecided, and says what was missing.
 */
#ifndef QKV_CLAIM_ENGINE_H
#define QKV_CLAIM_ENGINE_H

#include "claim/premise/situation.h"

/* The verdict on a claim. `exists` and `find` verify their answers by asking it again. */
void qkv__decide(qkv__model *model, const qkv__node *proposition,
                 const qkv__circumstances *circumstances, qkv__finding *finding);

/* The verdict on a comparison, and on `exists`, within a claim. */
qkv__verdict qkv__compare(qkv__situation *s, const qkv__node *comparison);
qkv__verdict qkv__exists(qkv__situation *s, const qkv__node *exists);

/* The answer to a question: find, or law of. */
void qkv__answer(qkv__model *model, const qkv__statement *question,
                 const qkv__circumstances *circumstances, qkv__finding *finding);

#endif
