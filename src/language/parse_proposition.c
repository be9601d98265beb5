/*
 * Propositions: what is true or false. A function for each level of binding, loosest last, each
 * with its production. Parentheses may hold either kind, so these functions pass expressions
 * through; where a proposition is needed, qkv__require_proposition says so.
 */
#include "language/parse_part.h"

#include <string.h>

#include "language/tree.h"

static const qkv__node *parse_implication(qkv__parser *p);

const qkv__node *qkv__require_proposition(qkv__parser *p, const qkv__node *node)
{
    if (node == NULL || qkv__is_proposition(node)) return node;
    qkv__complain_expected(p, p->token.kind == QKV__TOKEN_ARROW
                                  ? "'~' for what approaches: x ~ y as beta -> inf"
                                  : "a comparison ('=', '~', '<=' ...)");
    return NULL;
}

/* ---- Comparisons -------------------------------------------------------------------------- */

/* comparator = "=" | "!=" | "<" | "<=" | ">" | ">=" | "~" | "->" | "in" | "not" "in"
 *
 * In what a claim says, "->" is "~"; behind "as" it belongs to the limit. */
static bool at_comparator(const qkv__parser *p, qkv__comparison *comparison)
{
    static const qkv__comparison comparisons[] = {
        [QKV__TOKEN_EQUAL] = QKV__EQUAL,     [QKV__TOKEN_NOT_EQUAL] = QKV__NOT_EQUAL,
        [QKV__TOKEN_LESS] = QKV__LESS,       [QKV__TOKEN_LESS_OR_EQUAL] = QKV__LESS_OR_EQUAL,
        [QKV__TOKEN_GREATER] = QKV__GREATER, [QKV__TOKEN_GREATER_OR_EQUAL] = QKV__GREATER_OR_EQUAL,
        [QKV__TOKEN_NEAR] = QKV__NEAR,       [QKV__TOKEN_NOT_IN] = QKV__NOT_IN,
    };
    bool in = qkv__at_word(p, "in"),
         not_in = qkv__at_word(p, "not") && qkv__token_is(&p->next, "in"),
         approaches = p->asserting && p->token.kind == QKV__TOKEN_ARROW;
    if (in || not_in)
        *comparison = in ? QKV__IN : QKV__NOT_IN;
    else if (p->token.kind >= QKV__TOKEN_EQUAL)
        *comparison = comparisons[p->token.kind];
    else if (approaches)
        *comparison = QKV__NEAR;
    return in || not_in || approaches || p->token.kind >= QKV__TOKEN_EQUAL;
}

static void skip_comparator(qkv__parser *p)
{
    qkv__accept_word(p, "not");
    qkv__advance(p);
}

static qkv__node *compare(qkv__parser *p, qkv__comparison comparison, qkv__place start,
                          const qkv__node *left, const qkv__node *right)
{
    qkv__node *node = qkv__node_binary(p, QKV__NODE_COMPARE, start, left, right);
    if (node != NULL) node->comparison = comparison;
    return node;
}

/* comparison = value { comparator expression }
 *
 * 0 <= x <= 1 says 0 <= x and x <= 1. */
static const qkv__node *parse_comparison(qkv__parser *p)
{
    qkv__place whole = p->token.place, start = whole;
    const qkv__node *left = qkv__parse_value(p), *all = NULL;
    qkv__comparison comparison;
    if (left != NULL && qkv__is_proposition(left)) return left;
    while (left != NULL && at_comparator(p, &comparison)) {
        skip_comparator(p);
        qkv__place behind = p->token.place;
        const qkv__node *right = qkv__parse_expression(p);
        const qkv__node *one = compare(p, comparison, start, left, right);
        all = all == NULL ? one : qkv__node_binary(p, QKV__NODE_AND, whole, all, one);
        left = all == NULL ? NULL : right;
        start = behind;
    }
    return all == NULL ? left : all;
}

/* domain = NAME ( "in" | "not" "in" | "!=" ) expression */
const qkv__node *qkv__parse_domain(qkv__parser *p)
{
    qkv__place start = p->token.place;
    const qkv__node *name = qkv__parse_name(p);
    qkv__comparison comparison = QKV__EQUAL;
    if (name == NULL) return NULL;
    at_comparator(p, &comparison);
    if (comparison != QKV__IN && comparison != QKV__NOT_IN && comparison != QKV__NOT_EQUAL) {
        qkv__complain_expected(p, "'in', 'not in' or '!='");
        return NULL;
    }
    skip_comparator(p);
    return compare(p, comparison, start, name, qkv__parse_expression(p));
}

/* ---- Quantifiers -------------------------------------------------------------------------- */

static const char *const kind_words[] = {"vector", "matrix", "scalar", "permutation", NULL};

bool qkv__at_binding(const qkv__parser *p)
{
    return qkv__token_among(&p->token, kind_words) && p->next.kind == QKV__TOKEN_NAME &&
           !qkv__token_among(&p->next, qkv__reserved_words);
}

/* binding = [ "vector" | "matrix" | "scalar" | "permutation" ] NAME [ index ] */
const qkv__node *qkv__parse_binding(qkv__parser *p)
{
    size_t base = p->stacked;
    bool kind = qkv__at_binding(p);
    qkv__token word = p->token;
    if (kind) qkv__advance(p);
    const qkv__node *name = qkv__parse_name(p);
    if (name != NULL && p->token.kind == QKV__TOKEN_OPEN_SQUARE) name = qkv__parse_index(p, name);
    if (!kind || name == NULL) return name;
    if (!qkv__nodes_push(p, name)) return NULL;
    return qkv__node_gather(p, QKV__NODE_CALL, word.place, &word, base);
}

/* bound = binding [ comparator expression ] */
static const qkv__node *parse_bound(qkv__parser *p)
{
    qkv__place start = p->token.place;
    const qkv__node *name = qkv__parse_binding(p);
    qkv__comparison comparison;
    if (name == NULL || !at_comparator(p, &comparison)) return name;
    skip_comparator(p);
    return compare(p, comparison, start, name, qkv__parse_expression(p));
}

/* Whether a name is used as an index there: k[i], k_i. */
static bool is_index_in(const char *name, const qkv__node *node)
{
    for (size_t i = 1; node->kind == QKV__NODE_INDEX && i < node->count; i++)
        if (qkv__node_is(node->child[i], name)) return true;
    const char *line = node->kind == QKV__NODE_NAME ? strchr(node->text, '_') : NULL;
    if (line != NULL && strcmp(line + 1, name) == 0) return true;
    for (size_t i = 0; i < node->count; i++)
        if (is_index_in(name, node->child[i])) return true;
    return false;
}

static bool is_over_index(const qkv__node *bound, const qkv__node *body)
{
    return qkv__node_is_domain(bound) && bound->child[0]->kind == QKV__NODE_NAME &&
           is_index_in(bound->child[0]->text, body);
}

/* exists i in 1..n: p          some member does: not (for all i in 1..n: not p) */
static const qkv__node *parse_some(qkv__parser *p, qkv__place start, size_t base)
{
    const qkv__node *body = p->stack[p->stacked - 1];
    if (p->stacked - base > 2) {
        qkv__complain(p, start, "write one 'exists' for each index: exists i in 1..n: exists ...");
        return NULL;
    }
    p->stack[p->stacked - 1] = qkv__node_unary(p, QKV__NODE_NOT, body->place, body);
    if (p->stack[p->stacked - 1] == NULL) return NULL;
    return qkv__node_unary(p, QKV__NODE_NOT, start,
                           qkv__node_gather(p, QKV__NODE_FOR_ALL, start, NULL, base));
}

/* quantifier = ( "exists" | "for" "all" ) bound { "," bound } ":" implication */
static const qkv__node *parse_quantifier(qkv__parser *p, qkv__node_kind kind)
{
    qkv__place start = p->token.place;
    size_t base = p->stacked;
    qkv__advance(p);
    bool one_word = qkv__token_is(&p->previous, "forall");
    if (kind == QKV__NODE_FOR_ALL && !one_word && !qkv__expect_word(p, "all")) return NULL;
    do {
        if (!qkv__nodes_push(p, parse_bound(p))) return NULL;
    } while (qkv__accept(p, QKV__TOKEN_COMMA));
    if (!qkv__expect(p, QKV__TOKEN_COLON, "',' or ':'")) return NULL;
    if (!qkv__nodes_push(p, qkv__require_proposition(p, parse_implication(p)))) return NULL;
    if (kind == QKV__NODE_EXISTS && is_over_index(p->stack[base], p->stack[p->stacked - 1]))
        return parse_some(p, start, base);
    return qkv__node_gather(p, kind, start, NULL, base);
}

/* ---- Connectives -------------------------------------------------------------------------- */

/* Both sides must be propositions: the left one is judged before the operator is passed, so that
 * the complaint points at it. */
static const qkv__node *connect(qkv__parser *p, qkv__node_kind kind, qkv__place start,
                                const qkv__node *left,
                                const qkv__node *(*parse_right)(qkv__parser *))
{
    left = qkv__require_proposition(p, left);
    if (left == NULL) return NULL;
    qkv__advance(p);
    const qkv__node *right = qkv__require_proposition(p, parse_right(p));
    return qkv__node_binary(p, kind, start, left, right);
}

/* negation = "not" negation | quantifier | comparison */
static const qkv__node *parse_negation(qkv__parser *p)
{
    qkv__place start = p->token.place;
    const qkv__node *node = NULL;
    if (qkv__at_word(p, "exists") && p->next.kind == QKV__TOKEN_NAME &&
        !qkv__token_among(&p->next, qkv__reserved_words))
        return parse_quantifier(p, QKV__NODE_EXISTS);
    if (qkv__at_word(p, "for") || (qkv__at_word(p, "forall") && p->next.kind == QKV__TOKEN_NAME))
        return parse_quantifier(p, QKV__NODE_FOR_ALL);
    if (!qkv__accept_word(p, "not")) return parse_comparison(p);
    if (qkv__enter(p)) node = qkv__require_proposition(p, parse_negation(p));
    qkv__leave(p);
    return qkv__node_unary(p, QKV__NODE_NOT, start, node);
}

/* conjunction = negation { "and" negation } */
static const qkv__node *parse_conjunction(qkv__parser *p)
{
    qkv__place start = p->token.place;
    const qkv__node *left = parse_negation(p);
    while (left != NULL && qkv__at_word(p, "and"))
        left = connect(p, QKV__NODE_AND, start, left, parse_negation);
    return left;
}

/* disjunction = conjunction { "or" conjunction } */
static const qkv__node *parse_disjunction(qkv__parser *p)
{
    qkv__place start = p->token.place;
    const qkv__node *left = parse_conjunction(p);
    while (left != NULL && qkv__at_word(p, "or"))
        left = connect(p, QKV__NODE_OR, start, left, parse_conjunction);
    return left;
}

/* p iff q: each implies the other. */
static const qkv__node *parse_equivalence(qkv__parser *p, qkv__place start, const qkv__node *left)
{
    left = qkv__require_proposition(p, left);
    if (left == NULL) return NULL;
    qkv__advance(p);
    const qkv__node *right = qkv__require_proposition(p, parse_disjunction(p));
    return qkv__node_binary(p, QKV__NODE_AND, start,
                            qkv__node_binary(p, QKV__NODE_IMPLIES, start, left, right),
                            qkv__node_binary(p, QKV__NODE_IMPLIES, start, right, left));
}

/* implication = disjunction [ ( "implies" | "=>" ) implication | "iff" disjunction ] */
static const qkv__node *parse_implication_inside(qkv__parser *p)
{
    qkv__place start = p->token.place;
    const qkv__node *left = parse_disjunction(p);
    if (left != NULL && qkv__at_word(p, "iff")) return parse_equivalence(p, start, left);
    if (left == NULL || !(qkv__at_word(p, "implies") || p->token.kind == QKV__TOKEN_IMPLIES))
        return left;
    return connect(p, QKV__NODE_IMPLIES, start, left, parse_implication);
}

/* `a implies b implies ...` and `exists x: exists y: ...` go down by way of this function alone. */
static const qkv__node *parse_implication(qkv__parser *p)
{
    const qkv__node *node = qkv__enter(p) ? parse_implication_inside(p) : NULL;
    qkv__leave(p);
    return node;
}

/* any = implication          a proposition, or an expression */
const qkv__node *qkv__parse_any(qkv__parser *p)
{
    return parse_implication_inside(p);
}

/* proposition = any, which is no expression */
const qkv__node *qkv__parse_proposition(qkv__parser *p)
{
    return qkv__require_proposition(p, parse_implication_inside(p));
}

/* conditional = any [ "given" proposition ] */
const qkv__node *qkv__parse_given(qkv__parser *p, bool proposition)
{
    qkv__place start = p->token.place;
    const qkv__node *node = proposition ? qkv__parse_any(p) : qkv__parse_expression(p);
    if (node == NULL || !qkv__at_word(p, "given")) return node;
    if (proposition && qkv__require_proposition(p, node) == NULL) return NULL;
    qkv__advance(p);
    return qkv__node_binary(p, QKV__NODE_GIVEN, start, node, qkv__parse_proposition(p));
}
