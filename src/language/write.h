/* Trees as text of the language. */
#ifndef QKV_LANGUAGE_WRITE_H
#define QKV_LANGUAGE_WRITE_H

#include "language/syntax.h"

/* A node as text of the language, with as few parentheses as its grammar allows. */
void qkv__node_write(const qkv__node *node, qkv__text *text);

/* Whether two trees are written alike; false without memory. */
bool qkv__node_same_text(const qkv__node *x, const qkv__node *y);

/* A declaration, premise or definition as text that is read back as the same statement; nothing for
 * any other statement (write_statement.c). */
void qkv__statement_write(const qkv__statement *statement, qkv__text *text);

/* A tree as LaTeX (write_latex.c). */
void qkv__node_latex(const qkv__node *node, qkv__text *text);

/* A line of the language, or what was found for one ("-> 1/2*v[a]", "e^beta/n"), as LaTeX; false,
 * with nothing added, if it cannot be read as such. */
bool qkv__typeset(const char *source, qkv__text *latex);

#endif
