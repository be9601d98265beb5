/* Trees as text of the language. */
#ifndef QKV_LANGUAGE_WRITE_H
#define QKV_LANGUAGE_WRITE_H

#include "language/syntax.h"

/* A node or statement as text of the language, with as few parentheses as its grammar allows. */
void qkv__node_write(const qkv__node *node, qkv__text *text);

#endif
