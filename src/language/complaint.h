/* Complaints about a document, and statements that were lost to them. */
#ifndef QKV_LANGUAGE_COMPLAINT_H
#define QKV_LANGUAGE_COMPLAINT_H

#include "language/syntax.h"

/* Adds a complaint, with the line it is about and the caret; beyond the limit it does nothing. */
void qkv__document_complain(qkv__document *document, qkv__place place, const char *message);

/* Notes that the statement of a line, which makes no entry, was not understood: claims below it may
 * mean something else. */
void qkv__document_lose(qkv__document *document, int line);

/* The first line after `from` and up to `to` of a statement that was lost; 0 if there is none. */
int qkv__document_lost(const qkv__document *document, int from, int to);

#endif
