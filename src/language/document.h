/* Documents: a text of the claim language, or Markdown with blocks of it. */
#ifndef QKV_LANGUAGE_DOCUMENT_H
#define QKV_LANGUAGE_DOCUMENT_H

#include "language/syntax.h"

/*
 * Reads a document: a .qkv text, or Markdown whose fenced ```qkv blocks are read (by the ending
 * of the name, .md or .markdown; "-" and others are Markdown if they contain such a fence).
 * Complaints are not failures of this call: it fails only if memory runs out.
 */
qkv_status qkv__document_read(const char *name, const char *text, size_t length,
                              qkv__document *document, qkv_error *error);
void qkv__document_free(qkv__document *document);

#endif
