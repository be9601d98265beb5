/*
 * Growth without bound: `x -> inf as t -> inf` says that x > M from some t on, whatever M is, and
 * is written so, with a letter that the document does not have. Whoever evaluates trees meets
 * orders alone.
 */
#ifndef QKV_LANGUAGE_GROWTH_H
#define QKV_LANGUAGE_GROWTH_H

#include "language/syntax.h"

/* Writes a claim in a limit so; `text` is all of the document. What the claim says is kept in
 * `written`, where something changed. False without memory. */
bool qkv__growth_write_out(qkv__arena *arena, const char *text, size_t length,
                           qkv__statement *claim);

#endif
