/*
 * Trees back to text, with as few parentheses as the grammar allows: what is written parses into
 * the same tree. The levels below are those of the parser, so a change there is a change here.
 * Knows nothing of what a tree means.
 */
#include "language/write.h"
#include "language/tree.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* How tightly a node binds, loosest first; a child that binds less tightly than its place asks for
 * goes into parentheses. */
typedef enum level {
    LEVEL_GIVEN,
    LEVEL_IMPLIES, /* quantifiers too: they reach as far to the right as they can */
    LEVEL_OR,
    LEVEL_AND,
    LEVEL_NOT,
    LEVEL_COMPARE,
    LEVEL_WITH,
    LEVEL_RANGE,
    LEVEL_SUM,
    LEVEL_PRODUCT,
    LEVEL_NEGATE,
    LEVEL_POWER,
    LEVEL_DOT,
    LEVEL_OPERAND, /* and everything that brings its own brackets */
} level;

static void write_node(const qkv__node *node, level wanted, bool last, qkv__text *text);

static void write_string(qkv__text *text, const char *string)
{
    qkv__text_append(text, string, strlen(string));
}

/* ---- Numbers ------------------------------------------------------------------------------ */

/* The decimal digits of a value, digits / 10^places; false when it has no such form in 64 bits. */
static bool to_decimal(qkv__rational value, int64_t *digits, int *places)
{
    for (*places = 0; !qkv__rational_is_lost(value); ++*places) {
        *digits = value.numerator;
        if (value.denominator == 1) return true;
        value = qkv__rational_multiply(value, qkv__rational_whole(10));
    }
    return false;
}

static level number_level(qkv__rational value)
{
    int64_t digits;
    int places;
    if (!to_decimal(value, &digits, &places)) return LEVEL_PRODUCT;
    return value.numerator < 0 ? LEVEL_NEGATE : LEVEL_OPERAND;
}

enum { PLACES = 6 }; /* behind the point; what is finer is written as 1e-9 */

static void write_number(qkv__rational value, qkv__text *text)
{
    int64_t digits, unit = 1;
    int places;
    if (!to_decimal(value, &digits, &places)) {
        qkv__text_format(text, "%" PRId64 "/%" PRId64, value.numerator, value.denominator);
        return;
    }
    if (digits < 0) write_string(text, "-");
    if (digits < 0) digits = -digits;
    for (int i = 0; i < places && i < PLACES; i++) unit *= 10;
    if (places == 0)
        qkv__text_format(text, "%" PRId64, digits);
    else if (places <= PLACES)
        qkv__text_format(text, "%" PRId64 ".%0*" PRId64, digits / unit, places, digits % unit);
    else
        qkv__text_format(text, "%" PRId64 "e-%d", digits, places);
}

/* ---- Levels ------------------------------------------------------------------------------- */

static level level_of(const qkv__node *node)
{
    switch (node->kind) {
    case QKV__NODE_NUMBER: return number_level(node->value);
    case QKV__NODE_GIVEN: return LEVEL_GIVEN;
    case QKV__NODE_IMPLIES:
    case QKV__NODE_EXISTS:
    case QKV__NODE_FOR_ALL: return LEVEL_IMPLIES;
    case QKV__NODE_OR: return LEVEL_OR;
    case QKV__NODE_AND: return LEVEL_AND;
    case QKV__NODE_NOT: return LEVEL_NOT;
    case QKV__NODE_COMPARE: return LEVEL_COMPARE;
    case QKV__NODE_WITH: return LEVEL_WITH;
    case QKV__NODE_RANGE: return LEVEL_RANGE;
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT: return LEVEL_SUM;
    case QKV__NODE_MULTIPLY:
    case QKV__NODE_DIVIDE: return LEVEL_PRODUCT;
    case QKV__NODE_NEGATE: return LEVEL_NEGATE;
    case QKV__NODE_POWER: return LEVEL_POWER;
    case QKV__NODE_DOT: return LEVEL_DOT;
    default: return LEVEL_OPERAND;
    }
}

static bool is_quantifier(const qkv__node *node)
{
    return node->kind == QKV__NODE_EXISTS || node->kind == QKV__NODE_FOR_ALL;
}

/* A quantifier at the right end needs none: `p and exists t: q`, if nothing comes behind it. */
static bool needs_parentheses(const qkv__node *node, level wanted, bool last)
{
    if (level_of(node) >= wanted) return false;
    return !(is_quantifier(node) && last && wanted <= LEVEL_NOT);
}

/* ---- Operators ---------------------------------------------------------------------------- */

static const char *comparison_text(qkv__comparison comparison)
{
    static const char *const texts[] = {
        [QKV__EQUAL] = " = ",          [QKV__NOT_EQUAL] = " != ",  [QKV__LESS] = " < ",
        [QKV__LESS_OR_EQUAL] = " <= ", [QKV__GREATER] = " > ",     [QKV__GREATER_OR_EQUAL] = " >= ",
        [QKV__NEAR] = " ~ ",           [QKV__IN] = " in ",         [QKV__NOT_IN] = " not in ",
        [QKV__TENDS_TO] = " -> ",      [QKV__DISTRIBUTED] = " ~ ",
    };
    return texts[comparison];
}

/* Left and right: the levels their places ask for. Operators group to the left, so the right side
 * must bind tighter, but for the power and `implies`, which group to the right. */
typedef struct operation {
    const char *text;
    level left, right;
} operation;

static operation operation_of(const qkv__node *node)
{
    switch (node->kind) {
    case QKV__NODE_ADD: return (operation){" + ", LEVEL_SUM, LEVEL_PRODUCT};
    case QKV__NODE_SUBTRACT: return (operation){" - ", LEVEL_SUM, LEVEL_PRODUCT};
    case QKV__NODE_MULTIPLY:
        return (operation){node->text[0] == '.' ? " · " : "*", LEVEL_PRODUCT, LEVEL_NEGATE};
    case QKV__NODE_DIVIDE: return (operation){"/", LEVEL_PRODUCT, LEVEL_NEGATE};
    case QKV__NODE_POWER: return (operation){"^", LEVEL_DOT, LEVEL_NEGATE};
    case QKV__NODE_RANGE: return (operation){"..", LEVEL_SUM, LEVEL_SUM};
    case QKV__NODE_AND: return (operation){" and ", LEVEL_AND, LEVEL_NOT};
    case QKV__NODE_OR: return (operation){" or ", LEVEL_OR, LEVEL_AND};
    case QKV__NODE_IMPLIES: return (operation){" implies ", LEVEL_OR, LEVEL_IMPLIES};
    case QKV__NODE_GIVEN: return (operation){" given ", LEVEL_IMPLIES, LEVEL_IMPLIES};
    default: return (operation){comparison_text(node->comparison), LEVEL_WITH, LEVEL_WITH};
    }
}

/* x^{a} would be x^a: a set as an exponent, or in front of one, needs parentheses. */
static bool begins_with_set(const qkv__node *node)
{
    while (node->kind == QKV__NODE_INDEX || node->kind == QKV__NODE_MEMBER ||
           node->kind == QKV__NODE_TRANSPOSE || node->kind == QKV__NODE_POWER ||
           node->kind == QKV__NODE_DOT)
        node = node->child[0];
    return node->kind == QKV__NODE_SET;
}

static void write_binary(const qkv__node *node, bool last, qkv__text *text)
{
    operation o = operation_of(node);
    bool parentheses = node->kind == QKV__NODE_POWER && begins_with_set(node->child[1]);
    write_node(node->child[0], o.left, false, text);
    write_string(text, o.text);
    if (parentheses) write_string(text, "(");
    write_node(node->child[1], parentheses ? LEVEL_IMPLIES : o.right, last && !parentheses, text);
    if (parentheses) write_string(text, ")");
}

/* The member words, which behind a '.' would not be vectors. */
static bool is_member(const char *name)
{
    static const char *const words[] = {"weight", "weights", "score",  "scores",
                                        "head",   "heads",   "output", "outputs"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(name, words[i]) == 0) return true;
    return false;
}

/* 2[1] would be a product, so a number with an index is written (2)[1]. */
static bool is_indexed_number(const qkv__node *node)
{
    return node->kind == QKV__NODE_INDEX && node->child[0]->kind == QKV__NODE_NUMBER;
}

/* The leftmost part of an operand, which stands right behind the '.'. */
static const qkv__node *leftmost(const qkv__node *node)
{
    while (!is_indexed_number(node) &&
           (node->kind == QKV__NODE_INDEX || node->kind == QKV__NODE_MEMBER ||
            node->kind == QKV__NODE_TRANSPOSE))
        node = node->child[0];
    return node;
}

/* x.5 would be a number, x.weight a member. */
static void write_dot(const qkv__node *node, qkv__text *text)
{
    assert(node->count == 2);
    assert(node->kind == QKV__NODE_DOT);
    const qkv__node *right = node->child[1], *edge = leftmost(right);
    bool named = qkv__node_is_word(edge);
    bool parentheses = edge->kind == QKV__NODE_NUMBER || (named && is_member(edge->text));
    write_node(node->child[0], LEVEL_DOT, false, text);
    write_string(text, parentheses ? ".(" : ".");
    write_node(right, parentheses ? LEVEL_IMPLIES : LEVEL_OPERAND, false, text);
    if (parentheses) write_string(text, ")");
}

/* ---- Brackets ----------------------------------------------------------------------------- */

static void write_items(const qkv__node *node, size_t first, level wanted, qkv__text *text)
{
    for (size_t i = first; i < node->count; i++) {
        if (i > first) write_string(text, ", ");
        write_node(node->child[i], wanted, true, text);
    }
}

static void write_index(const qkv__node *node, qkv__text *text)
{
    assert(node->kind == QKV__NODE_INDEX);
    bool parentheses = is_indexed_number(node);
    if (parentheses) write_string(text, "(");
    write_node(node->child[0], parentheses ? LEVEL_IMPLIES : LEVEL_OPERAND, false, text);
    write_string(text, parentheses ? ")[" : "[");
    write_items(node, 1, LEVEL_GIVEN, text);
    write_string(text, "]");
}

static void write_table(const qkv__number_table *table, qkv__text *text)
{
    write_string(text, "[");
    for (size_t i = 0; i < table->rows * table->columns; i++) {
        bool first = !table->flat && i % table->columns == 0;
        bool last = !table->flat && (i + 1) % table->columns == 0;
        if (i > 0) write_string(text, ", ");
        if (first) write_string(text, "[");
        qkv__decimal_write(table->entry[i], text);
        if (last) write_string(text, "]");
    }
    write_string(text, "]");
}

static void write_bracketed(const qkv__node *node, const char *open, const char *close,
                            qkv__text *text)
{
    write_string(text, open);
    write_items(node, 0, LEVEL_GIVEN, text);
    write_string(text, close);
}

/* A name, `vector q`, or one of these with its bound. */
static void write_bound(const qkv__node *node, qkv__text *text)
{
    if (node->kind == QKV__NODE_CALL) {
        write_string(text, node->text);
        write_string(text, " ");
        write_node(node->child[0], LEVEL_OPERAND, false, text);
    } else if (node->kind == QKV__NODE_COMPARE) {
        write_bound(node->child[0], text);
        write_string(text, comparison_text(node->comparison));
        write_node(node->child[1], LEVEL_WITH, false, text);
    } else {
        write_node(node, LEVEL_OPERAND, false, text);
    }
}

static void write_quantifier(const qkv__node *node, bool last, qkv__text *text)
{
    write_string(text, node->kind == QKV__NODE_EXISTS ? "exists " : "for all ");
    for (size_t i = 0; i + 1 < node->count; i++) {
        if (i > 0) write_string(text, ", ");
        write_bound(node->child[i], text);
    }
    write_string(text, ": ");
    write_node(node->child[node->count - 1], LEVEL_IMPLIES, last, text);
}

static void write_with(const qkv__node *node, qkv__text *text)
{
    assert(node->count == 3);
    assert(node->kind == QKV__NODE_WITH);
    write_node(node->child[0], LEVEL_WITH, false, text);
    write_string(text, " with ");
    write_node(node->child[1], LEVEL_OPERAND, false, text);
    write_string(text, " = ");
    write_node(node->child[2], LEVEL_RANGE, false, text);
}

/* ---- Nodes -------------------------------------------------------------------------------- */

/* A sign or word in front of one child, or behind it. */
static void write_around(const qkv__node *node, const char *front, level wanted, const char *behind,
                         bool last, qkv__text *text)
{
    write_string(text, front);
    write_node(node->child[0], wanted, last, text);
    write_string(text, behind);
}

static void write_expression(const qkv__node *node, qkv__text *text)
{
    switch (node->kind) {
    case QKV__NODE_NUMBER: write_number(node->value, text); break;
    case QKV__NODE_INFINITY: write_string(text, "inf"); break;
    case QKV__NODE_NAME: write_string(text, node->text); break;
    case QKV__NODE_INDEX: write_index(node, text); break;
    case QKV__NODE_CALL:
        write_string(text, node->text);
        write_bracketed(node, "(", ")", text);
        break;
    case QKV__NODE_MEMBER:
        write_around(node, "", LEVEL_OPERAND, ".", false, text);
        write_string(text, node->text);
        break;
    case QKV__NODE_OPTION:
        write_string(text, node->text);
        write_around(node, " = ", LEVEL_WITH, "", false, text);
        break;
    case QKV__NODE_NEGATE: write_around(node, "-", LEVEL_NEGATE, "", false, text); break;
    case QKV__NODE_TRANSPOSE: write_around(node, "", LEVEL_OPERAND, "'", false, text); break;
    case QKV__NODE_DOT: write_dot(node, text); break;
    case QKV__NODE_SIZE: write_bracketed(node, "|", "|", text); break;
    case QKV__NODE_LIST:
        if (node->table != NULL)
            write_table(node->table, text);
        else
            write_bracketed(node, "[", "]", text);
        break;
    case QKV__NODE_STRING:
        write_string(text, "\"");
        write_string(text, node->text);
        write_string(text, "\"");
        break;
    case QKV__NODE_SET: write_bracketed(node, "{", "}", text); break;
    case QKV__NODE_SUM:
        write_around(node, "", LEVEL_WITH, " for ", false, text);
        write_node(node->child[1], LEVEL_COMPARE, false, text);
        break;
    case QKV__NODE_WITH: write_with(node, text); break;
    default: write_binary(node, false, text); break;
    }
}

/* `last`: nothing follows the node before the next closing bracket or the end. */
static void write_node(const qkv__node *node, level wanted, bool last, qkv__text *text)
{
    bool parentheses = needs_parentheses(node, wanted, last);
    last = last || parentheses;
    if (parentheses) write_string(text, "(");
    if (is_quantifier(node))
        write_quantifier(node, last, text);
    else if (node->kind == QKV__NODE_NOT)
        write_around(node, "not ", LEVEL_NOT, "", last, text);
    else if (node->kind >= QKV__NODE_COMPARE)
        write_binary(node, last, text);
    else
        write_expression(node, text);
    if (parentheses) write_string(text, ")");
}

void qkv__node_write(const qkv__node *node, qkv__text *text)
{
    write_node(node, LEVEL_GIVEN, true, text);
}

bool qkv__node_same_text(const qkv__node *x, const qkv__node *y)
{
    qkv__text one = {0}, other = {0};
    qkv__node_write(x, &one);
    qkv__node_write(y, &other);
    const bool same = !one.failed && !other.failed && one.data != NULL && other.data != NULL &&
                      strcmp(one.data, other.data) == 0;
    qkv__text_free(&one);
    qkv__text_free(&other);
    return same;
}
