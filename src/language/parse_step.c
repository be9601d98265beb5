/*
 * The steps of the parser: over tokens, into brackets, to a node, to a complaint. Knows nothing of
 * the grammar; the files that do are made of these.
 */
#include "language/parse_part.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "language/complaint.h"

/* ---- Tokens ------------------------------------------------------------------------------- */

void qkv__advance(qkv__parser *p)
{
    p->previous = p->token;
    p->token = p->next;
    p->next = qkv__lexer_next(&p->lexer);
}

bool qkv__at_word(const qkv__parser *p, const char *word)
{
    return qkv__token_is(&p->token, word);
}

bool qkv__accept(qkv__parser *p, qkv__token_kind kind)
{
    bool there = p->token.kind == kind;
    if (there) qkv__advance(p);
    return there;
}

bool qkv__accept_word(qkv__parser *p, const char *word)
{
    bool there = qkv__at_word(p, word);
    if (there) qkv__advance(p);
    return there;
}

bool qkv__expect(qkv__parser *p, qkv__token_kind kind, const char *what)
{
    if (p->token.kind != kind) qkv__complain_expected(p, what);
    return qkv__accept(p, kind);
}

bool qkv__expect_word(qkv__parser *p, const char *word)
{
    char what[40];
    snprintf(what, sizeof what, "'%s'", word);
    if (!qkv__at_word(p, word)) qkv__complain_expected(p, what);
    return qkv__accept_word(p, word);
}

bool qkv__expect_close(qkv__parser *p, qkv__token_kind kind, const char *what,
                       const qkv__token *open)
{
    char text[120], line[40] = "";
    if (open->place.line != p->token.place.line)
        snprintf(line, sizeof line, "line %d, ", open->place.line);
    snprintf(text, sizeof text, "%s to close '%.*s' of %scolumn %d", what, (int)open->length,
             open->text, line, open->place.column);
    return qkv__expect(p, kind, text);
}

bool qkv__enter(qkv__parser *p)
{
    if (p->nesting++ < QKV__NESTING) return true;
    qkv__complain(p, p->token.place, "nested deeper than %d levels", QKV__NESTING);
    return false;
}

void qkv__leave(qkv__parser *p)
{
    p->nesting--;
}

/* ---- Complaints --------------------------------------------------------------------------- */

/* One complaint a statement: what follows the first mistake is mostly its echo. */
void qkv__complain(qkv__parser *p, qkv__place place, const char *format, ...)
{
    char message[400];
    va_list arguments;
    if (p->failed) return;
    p->failed = true;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    qkv__document_complain(p->document, place, message);
}

/* The characters of a token as written, cut where it is long. */
static void quote(const qkv__parser *p, const qkv__token *token, char *text, size_t capacity)
{
    const char *written = p->lexer.original + token->begin;
    size_t length = token->end - token->begin, kept = 0, bytes;
    unsigned code;
    while (kept < length && kept < 40) {
        bytes = qkv__decode(written + kept, length - kept, &code);
        kept += bytes == 0 ? 1 : bytes;
    }
    snprintf(text, capacity, "'%.*s%s'", (int)kept, written, kept < length ? "..." : "");
}

/* What the lexer could make nothing of: its reason, or the character itself. */
static void complain_error(qkv__parser *p, const qkv__token *token)
{
    const char *written = p->lexer.original + token->begin;
    unsigned code = 0, byte = (unsigned char)*written;
    size_t length = qkv__decode(written, token->end - token->begin, &code);
    if (token->length > 0)
        qkv__complain(p, token->place, "%.*s", (int)token->length, token->text);
    else if (length == 0)
        qkv__complain(p, token->place, "byte 0x%02x is not UTF-8", byte);
    else if (code < 0x20 || (code >= 0x7f && code < 0xa0))
        qkv__complain(p, token->place, "control character U+%04X is not text", code);
    else
        qkv__complain(p, token->place, "character '%.*s' (U+%04X) means nothing here", (int)length,
                      written, code);
}

void qkv__complain_expected(qkv__parser *p, const char *what)
{
    const qkv__token *token = &p->token;
    char found[80] = "end of line";
    if (token->kind == QKV__TOKEN_ERROR) {
        complain_error(p, token);
        return;
    }
    if (token->end > token->begin) quote(p, token, found, sizeof found);
    qkv__complain(p, token->place, "expected %s, found %s", what, found);
}

/* ---- Nodes -------------------------------------------------------------------------------- */

qkv__place qkv__place_since(const qkv__parser *p, qkv__place start)
{
    if (p->previous.place.line == start.line && p->previous.place.end_column > start.end_column)
        start.end_column = p->previous.place.end_column;
    return start;
}

bool qkv__nodes_push(qkv__parser *p, const qkv__node *node)
{
    if (node == NULL) return false;
    if (p->stacked == p->stack_capacity) {
        size_t capacity = p->stack_capacity == 0 ? 64 : 2 * p->stack_capacity;
        const qkv__node **grown = qkv__allocate(capacity * sizeof *grown);
        if (grown == NULL) {
            p->arena->failed = true;
            return false;
        }
        if (p->stacked > 0) memcpy(grown, p->stack, p->stacked * sizeof *grown);
        qkv__free(p->stack);
        p->stack = grown;
        p->stack_capacity = capacity;
    }
    p->stack[p->stacked++] = node;
    return true;
}

const qkv__node *const *qkv__nodes_pop(qkv__parser *p, size_t base)
{
    size_t count = p->stacked - base;
    const qkv__node **children = qkv__arena_array(p->arena, count, sizeof *children);
    if (children != NULL && count > 0) memcpy(children, p->stack + base, count * sizeof *children);
    p->stacked = base;
    return children;
}

/* Without children, or with those that `take_children` gives it. */
static qkv__node *make(qkv__parser *p, qkv__node_kind kind, qkv__place place,
                       const qkv__token *text)
{
    qkv__node *node = p->failed ? NULL : qkv__arena_take(p->arena, sizeof *node);
    if (node == NULL) return NULL;
    *node = (qkv__node){.kind = kind, .place = place, .text = "", .depth = 1};
    if (text != NULL) node->text = qkv__arena_text(p->arena, text->text, text->length);
    return node->text == NULL ? NULL : node;
}

/* Numbers are made of numbers. P takes propositions, and so do the two that stand inside it; the
 * second child of a sum is its domain. */
static bool takes_propositions(qkv__node_kind kind)
{
    return kind >= QKV__NODE_COMPARE || kind == QKV__NODE_CALL || kind == QKV__NODE_INDEX ||
           kind == QKV__NODE_SUM;
}

static qkv__node *take_children(qkv__parser *p, qkv__node *node, const qkv__node *const *child,
                                size_t count)
{
    if (node == NULL || child == NULL) return NULL;
    for (size_t i = 0; i < count; i++) {
        if (qkv__is_proposition(child[i]) && !takes_propositions(node->kind)) {
            qkv__complain(p, child[i]->place,
                          "expected a number, vector or matrix, found a comparison");
            return NULL;
        }
        if (child[i]->depth >= node->depth) node->depth = child[i]->depth + 1;
    }
    if (node->depth > QKV__TREE_DEPTH) {
        qkv__complain(p, node->place, "more than %d operations, one upon the other",
                      QKV__TREE_DEPTH);
        return NULL;
    }
    node->child = child;
    node->count = count;
    return node;
}

qkv__node *qkv__node_leaf(qkv__parser *p, qkv__node_kind kind, qkv__place place,
                          const qkv__token *text)
{
    return make(p, kind, place, text);
}

qkv__node *qkv__number_leaf(qkv__parser *p, qkv__place place, qkv__rational value)
{
    qkv__node *node = make(p, QKV__NODE_NUMBER, place, NULL);
    if (node != NULL) node->value = value;
    return node;
}

qkv__node *qkv__node_gather(qkv__parser *p, qkv__node_kind kind, qkv__place start,
                            const qkv__token *text, size_t base)
{
    size_t count = p->stacked - base;
    const qkv__node *const *child = qkv__nodes_pop(p, base);
    return take_children(p, make(p, kind, qkv__place_since(p, start), text), child, count);
}

qkv__node *qkv__node_unary(qkv__parser *p, qkv__node_kind kind, qkv__place start,
                           const qkv__node *x)
{
    size_t base = p->stacked;
    return qkv__nodes_push(p, x) ? qkv__node_gather(p, kind, start, NULL, base) : NULL;
}

qkv__node *qkv__node_binary(qkv__parser *p, qkv__node_kind kind, qkv__place start,
                            const qkv__node *x, const qkv__node *y)
{
    size_t base = p->stacked;
    if (x == NULL || y == NULL || !qkv__nodes_push(p, x) || !qkv__nodes_push(p, y)) {
        p->stacked = base;
        return NULL;
    }
    return qkv__node_gather(p, kind, start, NULL, base);
}
