/*
 * Tokens of the claim language, and the lexer that cuts a text into them. The lexer also knows
 * where a statement ends: it joins the lines that belong together, so that the parser never sees a
 * line break but as the end of a statement.
 */
#ifndef QKV_LANGUAGE_TOKEN_H
#define QKV_LANGUAGE_TOKEN_H

#include "language/syntax.h"

typedef enum qkv__token_kind {
    QKV__TOKEN_END_OF_TEXT,
    QKV__TOKEN_END,       /* of a statement: the end of its line, or ';' */
    QKV__TOKEN_ERROR,     /* no token of the language: text says why, or is empty for a byte or
                           * character that means nothing */
    QKV__TOKEN_NAME,      /* names and words alike: text in ASCII spelling */
    QKV__TOKEN_NUMBER,    /* value */
    QKV__TOKEN_FRACTION,  /* a sign such as one half: value */
    QKV__TOKEN_EXPONENT,  /* raised digits: value, a whole number */
    QKV__TOKEN_TITLE,     /* "...": text without the quotes */
    QKV__TOKEN_LABEL,     /* of a claim: S0.1.2.4 */
    QKV__TOKEN_ROOT,      /* the square root sign */
    QKV__TOKEN_TRANSPOSE, /* ' */
    QKV__TOKEN_BAR,       /* | */
    QKV__TOKEN_OPEN_ROUND,
    QKV__TOKEN_CLOSE_ROUND,
    QKV__TOKEN_OPEN_SQUARE,
    QKV__TOKEN_CLOSE_SQUARE,
    QKV__TOKEN_OPEN_CURLY,
    QKV__TOKEN_CLOSE_CURLY,
    QKV__TOKEN_COLON,
    QKV__TOKEN_OPEN_BAR,   /* \lvert, \left| */
    QKV__TOKEN_CLOSE_BAR,  /* \rvert, \right| */
    QKV__TOKEN_OPEN_ANGLE, /* \langle x, y \rangle */
    QKV__TOKEN_CLOSE_ANGLE,
    QKV__TOKEN_FRAC,      /* \frac, before its two groups */
    QKV__TOKEN_SUBSCRIPT, /* _ before a group: k_{i + 1} */
    QKV__TOKEN_SEMICOLON, /* inside brackets, where it ends nothing */

    /* From here on: a line that ends or begins with one of these is not a statement's whole. */
    QKV__TOKEN_COMMA,
    QKV__TOKEN_PLUS,
    QKV__TOKEN_MINUS,
    QKV__TOKEN_TIMES,
    QKV__TOKEN_DIVIDE,
    QKV__TOKEN_POWER,
    QKV__TOKEN_DOT,
    QKV__TOKEN_RANGE, /* .. */
    QKV__TOKEN_ARROW, /* -> */
    QKV__TOKEN_IMPLIES,
    QKV__TOKEN_EQUAL,
    QKV__TOKEN_NOT_EQUAL,
    QKV__TOKEN_LESS,
    QKV__TOKEN_LESS_OR_EQUAL,
    QKV__TOKEN_GREATER,
    QKV__TOKEN_GREATER_OR_EQUAL,
    QKV__TOKEN_NEAR,
    QKV__TOKEN_NOT_IN, /* the sign; `not in` is two words */
} qkv__token_kind;

typedef struct qkv__token {
    qkv__token_kind kind;
    qkv__place place;
    const char *text; /* as said above, else as written; not ended by '\0' */
    size_t length;
    qkv__rational value;
    size_t begin, end; /* bytes of the text */
    int indent;        /* blanks before the line on which its statement begins */
    bool spaced;       /* there is a blank or a line break before it */
    bool command;      /* written as a command of LaTeX */
} qkv__token;

/* The byte that stands, in a text cut out of Markdown, for what belongs to Markdown at the
 * beginning of a line ("> "): it takes up its column and is no indentation. */
enum { QKV__MARGIN = 1 };

typedef struct qkv__lexer {
    qkv__arena *arena;
    const char *text;     /* what is read */
    const char *original; /* the same, with what stands in the margins: for messages */
    size_t end;           /* reading stops there */
    bool margin;          /* whether QKV__MARGIN is understood */

    size_t at;
    int line, column;
    int line_indent; /* of the line at hand */

    bool begun;         /* some token of the statement at hand was given out */
    int indent;         /* of the line it began on */
    size_t depth;       /* brackets open in it */
    qkv__token opening; /* its first token */
    qkv__token last;    /* the token given out last */
    int short_groups;   /* of a \frac before: how many may still be one character */
} qkv__lexer;

/* Reads text[begin ... end), which begins a line, the one numbered `line`. */
void qkv__lexer_start(qkv__lexer *lexer, size_t begin, size_t end, int line);

/* The next token; after the last one END_OF_TEXT, again and again. */
qkv__token qkv__lexer_next(qkv__lexer *lexer);

/* ---- Long lists of numbers (lex_numbers.c) ------------------------------------------------- */

typedef enum qkv__list_outcome {
    QKV__LIST_PLAIN,        /* short, or not of numbers alone: for the parser, and nothing moved */
    QKV__LIST_LONG_NUMBERS, /* read to its end; the lexer goes on behind it */
    QKV__LIST_RAGGED,       /* long, but a row has another length than the first */
} qkv__list_outcome;

typedef struct qkv__long_list {
    qkv__list_outcome outcome;
    size_t rows, columns;
    bool flat;
    const qkv__decimal *entry;
    qkv__place place; /* RAGGED: of that row, its number, its length and what was expected */
    size_t row, found, expected;
} qkv__long_list;

/* The list whose bracket is `open`; `next` is the token behind that, given out last. `close` is
 * the bracket at its end. */
qkv__long_list qkv__lexer_long_list(qkv__lexer *lexer, const qkv__token *open,
                                    const qkv__token *next, qkv__token *close);

/* The well-formed UTF-8 sequence at the beginning of bytes[0 ... count), count > 0: its length and
 * code point; 0 if there is none. */
size_t qkv__decode(const char *bytes, size_t count, unsigned *code);

/* Whether a token is that word, or one of a list that ends in NULL. */
bool qkv__token_is(const qkv__token *token, const char *word);
bool qkv__token_among(const qkv__token *token, const char *const *words);

/* Words that begin a condition. */
extern const char *const qkv__condition_words[];

/* Words that are never names: they join or bind what stands around them. */
extern const char *const qkv__reserved_words[];

#endif
