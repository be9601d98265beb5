/*
 * What the files of the parser share: the state, the steps over tokens, the making of nodes, and
 * one function for each level of the grammar that another file needs.
 *
 * A parse function returns NULL when it has failed. It has then left a complaint, or the arena has
 * no memory; whoever called it passes the NULL on, and the statement is given up.
 */
#ifndef QKV_LANGUAGE_PARSE_PART_H
#define QKV_LANGUAGE_PARSE_PART_H

#include "language/token.h"

typedef struct qkv__parser {
    qkv__document *document;
    qkv__arena *arena; /* the document's */
    qkv__lexer lexer;
    size_t length;                    /* of the whole document */
    qkv__token previous, token, next; /* token: the one to be looked at */
    bool failed;                      /* this statement is given up */
    int nesting;                      /* brackets and blocks open */
    int bars;                         /* '|' open since the innermost bracket */
    const qkv__statement **tail;      /* where the next statement goes */
    bool drawing;                     /* behind the '~' of a law */
    bool asserting;                   /* what a claim says: x -> y is x ~ y there */
    int limits;                       /* blocks around that take a limit */
    bool defining;                    /* the left side of a definition: f(x) is a function there */

    /* What the problem at hand has declared and defined so far. */
    struct qkv__parser_name {
        const char *name;
        bool function, family;
    } * known;
    size_t known_count, known_capacity;

    /* Children of the nodes under way, innermost last. */
    const qkv__node **stack;
    size_t stacked, stack_capacity;
} qkv__parser;

/* ---- A document (parse.c) ----------------------------------------------------------------- */

/* The parser reads `text`; messages show `original`, which is the same but for margins. Both have
 * that length, and no end but that. */
void qkv__parser_start(qkv__parser *p, qkv__document *document, const char *text,
                       const char *original, size_t length);

/* Parses text[begin ... end) into the document, behind what is there already. */
void qkv__parse_text(qkv__parser *p, size_t begin, size_t end, int line);

void qkv__parser_free(qkv__parser *p);

/* ---- Steps (parse_step.c) ----------------------------------------------------------------- */

void qkv__advance(qkv__parser *p);
bool qkv__at_word(const qkv__parser *p, const char *word);
bool qkv__accept(qkv__parser *p, qkv__token_kind kind);
bool qkv__accept_word(qkv__parser *p, const char *word);

/* Complains unless the token is there, and steps over it: expected `what`, found ... */
bool qkv__expect(qkv__parser *p, qkv__token_kind kind, const char *what);
bool qkv__expect_word(qkv__parser *p, const char *word);

/* The bracket that closes `open`. */
bool qkv__expect_close(qkv__parser *p, qkv__token_kind kind, const char *what,
                       const qkv__token *open);

/* "expected `what`, found ..." at the token at hand. */
void qkv__complain_expected(qkv__parser *p, const char *what);

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void qkv__complain(qkv__parser *p, qkv__place place, const char *format, ...);

/* One bracket, sign or block deeper; false, with a complaint, when that is too deep. Every enter
 * needs its leave, also when it failed. */
bool qkv__enter(qkv__parser *p);
void qkv__leave(qkv__parser *p);

/* ---- Nodes (parse_step.c) ----------------------------------------------------------------- */

/* From the first character of `start` to the last of the token before the one at hand. */
qkv__place qkv__place_since(const qkv__parser *p, qkv__place start);

/* A node with a text of its own, or "" for NULL. */
qkv__node *qkv__node_leaf(qkv__parser *p, qkv__node_kind kind, qkv__place place,
                          const qkv__token *text);

qkv__node *qkv__number_leaf(qkv__parser *p, qkv__place place, qkv__rational value);

/* Nodes of one and of two children; NULL if a child is. An operation on numbers whose child is a
 * proposition is refused. */
qkv__node *qkv__node_unary(qkv__parser *p, qkv__node_kind kind, qkv__place start,
                           const qkv__node *x);
qkv__node *qkv__node_binary(qkv__parser *p, qkv__node_kind kind, qkv__place start,
                            const qkv__node *x, const qkv__node *y);

/* A node of the children on the stack above `base`, which it takes off. */
qkv__node *qkv__node_gather(qkv__parser *p, qkv__node_kind kind, qkv__place start,
                            const qkv__token *text, size_t base);

/* Puts a child on the stack; false if it is NULL. */
bool qkv__nodes_push(qkv__parser *p, const qkv__node *node);

/* The parts of a premise: t in 1..n and s > 0 is t in 1..n, s > 0. */
bool qkv__parts_push(qkv__parser *p, const qkv__node *premise);
/* The children above `base` as an array in the arena, taken off the stack. */
const qkv__node *const *qkv__nodes_pop(qkv__parser *p, size_t base);

static inline bool qkv__is_proposition(const qkv__node *node)
{
    return node->kind >= QKV__NODE_COMPARE;
}

/* ---- Expressions (parse_expression.c) ----------------------------------------------------- */

const qkv__node *qkv__parse_name(qkv__parser *p);
const qkv__node *qkv__parse_operand(qkv__parser *p);    /* k[a], f(x), c.weight */
const qkv__node *qkv__parse_expression(qkv__parser *p); /* any value, but no proposition */
const qkv__node *qkv__parse_value(qkv__parser *p);      /* the same, or a proposition in () */

/* A bracket under way; `bars` of the text around it: inside, a '|' belongs to the bracket alone. */
typedef struct qkv__bracket {
    qkv__token open;
    int bars;
} qkv__bracket;

/* Steps over an opening bracket; false if it nests too deeply. Then over the closing one; `good`
 * tells whether the contents were parsed. */
bool qkv__open_bracket(qkv__parser *p, qkv__bracket *b);
bool qkv__close_bracket(qkv__parser *p, const qkv__bracket *b, qkv__token_kind kind,
                        const char *what, bool good);

bool qkv__parse_items(qkv__parser *p);               /* expressions with commas, on the stack */
const qkv__node *qkv__parse_power(qkv__parser *p);   /* x^2 */
const qkv__node *qkv__parse_product(qkv__parser *p); /* x*y */
bool qkv__at_factor(const qkv__parser *p);           /* whether one begins here, side by side */

/* The value just parsed, if it is one; else a complaint, and NULL. */
const qkv__node *qkv__no_proposition(qkv__parser *p, const qkv__node *node);
/* [body for i in 1..n]: the family with a member for each index; NULL, with a complaint, where the
 * domain is no whole range. */
const qkv__node *qkv__node_family(qkv__parser *p, qkv__place start, const qkv__node *body,
                                  const qkv__node *domain);

/* "[" expressions "]" behind `base`, whatever the blanks before the bracket. */
const qkv__node *qkv__parse_index(qkv__parser *p, const qkv__node *base);

/* ---- LaTeX (parse_latex.c) ---------------------------------------------------------------- */

const qkv__node *qkv__parse_group(qkv__parser *p); /* {x + y}, where no set can stand */
const qkv__node *qkv__parse_frac(qkv__parser *p);
const qkv__node *qkv__parse_angle(qkv__parser *p);
const qkv__node *qkv__parse_open_size(qkv__parser *p); /* \lVert x \rVert, \left| x \right| */
const qkv__node *qkv__parse_subscript(qkv__parser *p, const qkv__node *base);

/* Behind the name of a function, which is the previous token: its limits, or its one factor. */
const qkv__node *qkv__parse_big(qkv__parser *p);
bool qkv__at_lim(const qkv__parser *p);

/* \lim in front of a claim, as a condition; NULL after a complaint. The claim must then be an
 * equation whose right side does not move. */
qkv__condition *qkv__parse_lims(qkv__parser *p);
bool qkv__check_lims(qkv__parser *p, const qkv__condition *lims, const qkv__node *proposition);
const qkv__node *qkv__parse_applied(qkv__parser *p);

bool qkv__accept_raised_transpose(qkv__parser *p); /* behind "^": \top or {\top} */

/* ---- Abbreviations (parse_abbreviation.c) -------------------------------------------------- */

/* What a call stands for, where it is an abbreviation: relu(x) is max(x, 0). Else the call. */
const qkv__node *qkv__write_out(qkv__parser *p, const qkv__node *call);

/* ---- Propositions (parse_proposition.c) --------------------------------------------------- */

const qkv__node *qkv__parse_proposition(qkv__parser *p);
const qkv__node *qkv__parse_any(qkv__parser *p); /* a proposition or an expression */
const qkv__node *qkv__parse_given(qkv__parser *p, bool proposition); /* [given p] behind it */

/* Complains unless the node just parsed is a proposition; returns it or NULL. */
const qkv__node *qkv__require_proposition(qkv__parser *p, const qkv__node *node);

/* A name, with its kind and dimensions where they are said: permutation R[d]. */
const qkv__node *qkv__parse_binding(qkv__parser *p);
bool qkv__at_binding(const qkv__parser *p); /* whether one with its kind is there */

/* The domain of a sum: i in S, i not in S, i != j. */
const qkv__node *qkv__parse_domain(qkv__parser *p);

/* ---- Conditions (parse_condition.c) ------------------------------------------------------- */

/* All that stand here; NULL when there are none, or when it failed: the parser knows which. */
const qkv__condition *qkv__parse_conditions(qkv__parser *p);
const qkv__node *qkv__parse_limit(qkv__parser *p);

#endif
