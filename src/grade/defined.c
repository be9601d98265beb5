/* Whether an expression has a value wherever its question is asked: what has none is claimed of
 * nothing, and a claim about nothing is true. Knows which operations may have no value. */
#include <string.h>

#include "grade/part.h"

typedef struct collection {
    qkv__arena *arena;
    const qkv__dictionary *subjects;
    qkv__nodes needs; /* comparisons that must hold */
    bool failed;      /* something else may be missing */
} collection;

static void need(collection *c, const qkv__node *node, qkv__comparison comparison)
{
    const qkv__node *zero = qkv__grade_tree_number(c->arena, 0);
    const qkv__node *compared =
        zero == NULL ? NULL : qkv__grade_tree_compare(c->arena, comparison, node, zero);
    if (compared == NULL || c->needs.count == QKV__FORM_ITEMS)
        c->failed = true;
    else
        c->needs.item[c->needs.count++] = compared;
}

static bool is_number(const qkv__node *node)
{
    return node->kind == QKV__NODE_NUMBER && node->value.numerator != 0;
}

/* e^x has a value for every x, and x^2 for every number x. */
static bool is_safe_power(const qkv__node *node)
{
    const qkv__node *base = node->child[0], *exponent = node->child[1];
    if (base->kind == QKV__NODE_NAME && (strcmp(base->text, "e") == 0 || strcmp(base->text, "pi") == 0))
        return true;
    return (exponent->kind == QKV__NODE_NUMBER && exponent->value.denominator == 1 &&
            exponent->value.numerator > 0) ||
           (is_number(base) && base->value.numerator > 0) || exponent->kind == QKV__NODE_NAME;
}

static void collect(collection *c, const qkv__node *node)
{
    if (qkv__grade_tree_is_subject(node, c->subjects) && node->kind <= QKV__NODE_CALL) return;
    if (node->kind == QKV__NODE_DIVIDE && !is_number(node->child[1]))
        need(c, node->child[1], QKV__NOT_EQUAL);
    if (node->kind == QKV__NODE_POWER && !is_safe_power(node))
        need(c, node->child[0], QKV__GREATER);
    if (node->kind == QKV__NODE_CALL && node->count == 1) {
        const bool logarithm = strcmp(node->text, "ln") == 0 || strcmp(node->text, "log") == 0;
        if (logarithm) need(c, node->child[0], QKV__GREATER);
        if (strcmp(node->text, "sqrt") == 0) need(c, node->child[0], QKV__GREATER_OR_EQUAL);
        if (strcmp(node->text, "inverse") == 0) c->failed = true;
    }
    for (size_t i = 0; i < node->count; i++) collect(c, node->child[i]);
}

/* Needs that depend on attention are left: weights are positive, and the claim itself was decided. */
bool qkv__has_value(qkv__comparing *c, const qkv__statement_form *conditions,
                    const qkv__node *node)
{
    collection found = {.arena = c->arena, .subjects = &c->problem->subjects};
    qkv__inquiry inquiry;
    collect(&found, node);
    if (found.failed || found.needs.count > QKV__INQUIRIES) return false;
    qkv__inquiry_begin(&inquiry, c->key, c->problem, c->preamble);
    for (size_t i = 0; i < found.needs.count; i++) {
        const qkv__node *need = found.needs.item[i];
        if (qkv__grade_tree_is_subject(need, &c->problem->subjects)) continue;
        qkv__statement_form form = {
            .body = need, .premises = conditions->premises, .domains = conditions->domains};
        qkv__inquiry_add(&inquiry, &form);
    }
    if (inquiry.count > 0) c->status = qkv__inquiry_ask(&inquiry, NULL, &c->error);
    bool defined = c->status == QKV_OK;
    for (size_t i = 0; i < inquiry.count; i++)
        defined = defined && inquiry.verdict[i] == QKV_PROVED;
    qkv__inquiry_end(&inquiry);
    return defined;
}
