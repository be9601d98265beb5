/*
 * Trees of the claim language as texts in prefix form, (* 2 (^ e beta)), which leaves nothing to
 * precedence; and documents read from texts.
 */
#ifndef QKV_TESTS_TREES_H
#define QKV_TESTS_TREES_H

#include "support/check.h"

#include <inttypes.h>

#include "language/document.h"
#include "language/syntax.h"

static const char *const kind_names[] = {
    [QKV__NODE_INDEX] = "index",     [QKV__NODE_MEMBER] = "member", [QKV__NODE_CALL] = "call",
    [QKV__NODE_OPTION] = "option",   [QKV__NODE_NEGATE] = "neg",    [QKV__NODE_TRANSPOSE] = "'",
    [QKV__NODE_ADD] = "+",           [QKV__NODE_SUBTRACT] = "-",    [QKV__NODE_MULTIPLY] = "*",
    [QKV__NODE_DIVIDE] = "/",        [QKV__NODE_POWER] = "^",       [QKV__NODE_DOT] = ".",
    [QKV__NODE_SIZE] = "size",       [QKV__NODE_LIST] = "list",     [QKV__NODE_SET] = "set",
    [QKV__NODE_RANGE] = "..",        [QKV__NODE_SUM] = "over",      [QKV__NODE_WITH] = "with",
    [QKV__NODE_AND] = "and",         [QKV__NODE_OR] = "or",         [QKV__NODE_NOT] = "not",
    [QKV__NODE_IMPLIES] = "implies", [QKV__NODE_EXISTS] = "exists", [QKV__NODE_FOR_ALL] = "all",
    [QKV__NODE_GIVEN] = "given",     [QKV__NODE_COMPARE] = "",
};

static const char *const comparison_names[] = {
    [QKV__EQUAL] = "=",     [QKV__NOT_EQUAL] = "!=",        [QKV__LESS] = "<",
    [QKV__NEAR] = "~",      [QKV__LESS_OR_EQUAL] = "<=",    [QKV__GREATER] = ">",
    [QKV__IN] = "in",       [QKV__GREATER_OR_EQUAL] = ">=", [QKV__NOT_IN] = "notin",
    [QKV__TENDS_TO] = "->", [QKV__DISTRIBUTED] = "law"};

static inline void dump(const qkv__node *node, qkv__text *text)
{
    bool compare = node->kind == QKV__NODE_COMPARE;
    if (node->kind == QKV__NODE_NUMBER) {
        qkv__text_format(text, "%" PRId64, node->value.numerator);
        if (node->value.denominator != 1)
            qkv__text_format(text, ":%" PRId64, node->value.denominator);
    } else if (node->kind == QKV__NODE_NAME || node->kind == QKV__NODE_INFINITY) {
        qkv__text_format(text, "%s%s", node->kind == QKV__NODE_NAME ? "" : "#", node->text);
    } else {
        qkv__text_format(text, "(%s%s%s", kind_names[node->kind],
                         compare         ? comparison_names[node->comparison]
                         : node->text[0] ? ":"
                                         : "",
                         node->text);
        for (size_t i = 0; i < node->count; i++) {
            qkv__text_append(text, " ", 1);
            dump(node->child[i], text);
        }
        qkv__text_append(text, ")", 1);
    }
}

static inline qkv__document read_any(const char *text)
{
    qkv__document document;
    qkv_error error;
    check_ok(qkv__document_read("test.qkv", text, strlen(text), &document, &error), &error);
    return document;
}

static inline qkv__document read_good(const char *text)
{
    qkv__document document = read_any(text);
    if (document.complaint_count > 0)
        fail_msg("%s\n%d:%d: %s", text, document.complaint[0].place.line,
                 document.complaint[0].place.column, document.complaint[0].message);
    return document;
}

#endif
