/* The commands of LaTeX that a claim may be written with: \frac, \beta, \le. Knows how they are
 * spelt and which token stands for each; nothing of how tokens are joined. */
#ifndef QKV_LANGUAGE_LATEX_H
#define QKV_LANGUAGE_LATEX_H

#include "language/token.h"

typedef struct qkv__latex_command {
    const char *name;     /* without the backslash */
    qkv__token_kind kind; /* ERROR: text says what to write instead */
    const char *text;     /* as in a token */
} qkv__latex_command;

/* The command at the start of text[0 ... count), which begins with a backslash. Returns NULL if the
 * command is unknown; `length` is set either way. */
const qkv__latex_command *qkv__latex_find(const char *text, size_t count, size_t *length);

/* Bytes of what only moves print around: `$`, `\left`, `\quad`, `\,`; else 0. `blank` says whether
 * it is a space between two things. */
size_t qkv__latex_filler(const char *text, size_t count, bool *blank);

/* Bytes of \left| or \right|, and whether it opens; else 0. */
size_t qkv__latex_bar(const char *text, size_t count, bool *opens);

/* \mathbf{k}, \operatorname{Var}, \boldsymbol\mu, \text{ as }: the bytes of all of it, and where the
 * name in it is; 0 for others. */
size_t qkv__latex_font(const char *text, size_t count, size_t *begin, size_t *letters);

#endif
