/* LaTeX's ways to write an expression: groups in braces, \frac, \sum with its limits, functions
 * without parentheses, subscripts. Each gives the tree that the plain spelling gives. */
#include "language/parse_part.h"

#include <assert.h>
#include <string.h>

#include "language/builtin.h"
#include "language/tree.h"

/* group = "{" expression "}"          LaTeX's braces, where no set can stand */
const qkv__node *qkv__parse_group(qkv__parser *p)
{
    qkv__bracket b;
    if (p->token.kind != QKV__TOKEN_OPEN_CURLY) {
        qkv__complain_expected(p, "'{'");
        return NULL;
    }
    const qkv__node *inner = qkv__open_bracket(p, &b) ? qkv__parse_expression(p) : NULL;
    return qkv__close_bracket(p, &b, QKV__TOKEN_CLOSE_CURLY, "'}'", inner != NULL) ? inner : NULL;
}

/* size = "\lVert" expression "\rVert"          which cannot be mistaken for each other */
const qkv__node *qkv__parse_open_size(qkv__parser *p)
{
    qkv__bracket b;
    const qkv__node *inner = qkv__open_bracket(p, &b) ? qkv__parse_expression(p) : NULL;
    if (!qkv__close_bracket(p, &b, QKV__TOKEN_CLOSE_BAR, "'\\rvert' or '\\right|'", inner != NULL))
        return NULL;
    assert(inner != NULL);
    if (inner->kind == QKV__NODE_SIZE) return inner;
    return qkv__node_unary(p, QKV__NODE_SIZE, b.open.place, inner);
}

/* short = NAME | NUMBER          one character or command: \frac12, \frac\pi2 */
static const qkv__node *parse_short_group(qkv__parser *p)
{
    const qkv__token token = p->token;
    const bool name = token.kind == QKV__TOKEN_NAME &&
                      !qkv__token_among(&token, qkv__reserved_words) &&
                      qkv__builtin_find(token.text, token.length) == QKV__BUILTIN_NONE;
    const bool alone = token.place.end_column - token.place.column == 1 ||
                       (token.command && memchr(token.text, '_', token.length) == NULL);
    if ((!name && token.kind != QKV__TOKEN_NUMBER) || !alone ||
        p->next.kind == QKV__TOKEN_SUBSCRIPT) {
        qkv__complain_expected(p, "braces: \\frac{...}{...}");
        return NULL;
    }
    qkv__advance(p);
    return name ? qkv__node_leaf(p, QKV__NODE_NAME, token.place, &token)
                : qkv__number_leaf(p, token.place, token.value);
}

static const qkv__node *parse_part(qkv__parser *p)
{
    return p->token.kind == QKV__TOKEN_OPEN_CURLY ? qkv__parse_group(p) : parse_short_group(p);
}

/* frac = "\frac" ( group | short ) ( group | short ) */
const qkv__node *qkv__parse_frac(qkv__parser *p)
{
    qkv__place start = p->token.place;
    qkv__advance(p);
    const qkv__node *over = parse_part(p), *under = over == NULL ? NULL : parse_part(p);
    return qkv__node_binary(p, QKV__NODE_DIVIDE, start, over, under);
}

/* angle = "\langle" expression "," expression "\rangle" */
const qkv__node *qkv__parse_angle(qkv__parser *p)
{
    qkv__bracket b;
    const qkv__node *x = qkv__open_bracket(p, &b) ? qkv__parse_expression(p) : NULL, *y = NULL;
    if (x != NULL && qkv__expect(p, QKV__TOKEN_COMMA, "','")) y = qkv__parse_expression(p);
    if (!qkv__close_bracket(p, &b, QKV__TOKEN_CLOSE_ANGLE, "'\\rangle'", y != NULL)) return NULL;
    return qkv__node_binary(p, QKV__NODE_DOT, b.open.place, x, y);
}

/* The domain in \sum_{i=1}^{n} and \sum_{i \in S}. */
static const qkv__node *parse_below(qkv__parser *p)
{
    qkv__bracket b;
    qkv__advance(p);
    const qkv__node *low = NULL, *domain = NULL;
    bool ranged = false, good = qkv__open_bracket(p, &b);
    const qkv__node *name = NULL;
    if (good && p->token.kind == QKV__TOKEN_NAME && p->next.kind == QKV__TOKEN_EQUAL) {
        ranged = true;
        name = qkv__parse_name(p);
        qkv__advance(p);
        low = qkv__parse_expression(p);
        good = low != NULL;
    } else if (good) {
        domain = qkv__parse_domain(p);
        good = domain != NULL;
    }
    if (!qkv__close_bracket(p, &b, QKV__TOKEN_CLOSE_CURLY, "'}'", good) || !ranged) return domain;
    if (!qkv__expect(p, QKV__TOKEN_POWER, "'^' and where the index ends")) return NULL;
    assert(low != NULL);
    const qkv__node *high =
        p->token.kind == QKV__TOKEN_OPEN_CURLY ? qkv__parse_group(p) : qkv__parse_operand(p);
    qkv__node *all = qkv__node_binary(p, QKV__NODE_COMPARE, b.open.place, name,
                                      qkv__node_binary(p, QKV__NODE_RANGE, low->place, low, high));
    if (all != NULL) all->comparison = QKV__IN;
    return all;
}

/* big = ( "\sum" | "\max" | "\min" ) "_" domain product */
const qkv__node *qkv__parse_big(qkv__parser *p)
{
    qkv__token name = p->previous;
    size_t base = p->stacked;
    const qkv__node *domain = parse_below(p), *body = domain == NULL ? NULL : qkv__parse_product(p);
    if (body == NULL || !qkv__nodes_push(p, body) || !qkv__nodes_push(p, domain)) return NULL;
    const qkv__node *bound = domain->child[0];
    qkv__token index = {.text = bound->text, .length = strlen(bound->text)};
    if (!qkv__nodes_push(p, qkv__node_gather(p, QKV__NODE_SUM, name.place, &index, base)))
        return NULL;
    return qkv__write_out(p, qkv__node_gather(p, QKV__NODE_CALL, name.place, &name, base));
}

/* applied = "\ln" power          as LaTeX has it, without parentheses: of one factor alone */
const qkv__node *qkv__parse_applied(qkv__parser *p)
{
    qkv__token name = p->previous;
    size_t base = p->stacked;
    const qkv__node *argument = qkv__enter(p) ? qkv__no_proposition(p, qkv__parse_power(p)) : NULL;
    qkv__leave(p);
    if (argument != NULL && qkv__at_factor(p)) {
        qkv__complain(p, name.place, "write %.*s(...) with parentheses, to say what it is of",
                      (int)name.length, name.text);
        return NULL;
    }
    if (!qkv__nodes_push(p, argument)) return NULL;
    return qkv__write_out(p, qkv__node_gather(p, QKV__NODE_CALL, name.place, &name, base));
}

/* subscript = base "_" "{" items "}" */
const qkv__node *qkv__parse_subscript(qkv__parser *p, const qkv__node *base_node)
{
    qkv__bracket b;
    size_t base = p->stacked;
    if (qkv__node_is(base_node, "lim")) {
        qkv__complain(p, base_node->place,
                      "\\lim belongs at the beginning of a claim: \\lim x = y");
        return NULL;
    }
    qkv__advance(p);
    if (!qkv__nodes_push(p, base_node)) return NULL;
    bool good = qkv__open_bracket(p, &b) && qkv__parse_items(p);
    if (!qkv__close_bracket(p, &b, QKV__TOKEN_CLOSE_CURLY, "'}'", good)) return NULL;
    return qkv__node_gather(p, QKV__NODE_INDEX, base_node->place, NULL, base);
}

/* ---- Limits ------------------------------------------------------------------------------- */

bool qkv__at_lim(const qkv__parser *p)
{
    return qkv__at_word(p, "lim") && p->next.kind == QKV__TOKEN_SUBSCRIPT;
}

static const qkv__node *parse_lim(qkv__parser *p)
{
    qkv__bracket b;
    qkv__advance(p);
    qkv__advance(p);
    const qkv__node *limit = qkv__open_bracket(p, &b) ? qkv__parse_limit(p) : NULL;
    return qkv__close_bracket(p, &b, QKV__TOKEN_CLOSE_CURLY, "'}'", limit != NULL) ? limit : NULL;
}

/* lims = { "\lim" "_" "{" limit "}" }          the innermost, which is the last, is taken first */
qkv__condition *qkv__parse_lims(qkv__parser *p)
{
    const size_t base = p->stacked;
    const qkv__place start = p->token.place;
    qkv__condition *all = qkv__arena_take(p->arena, sizeof *all);
    if (all == NULL) return NULL;
    while (qkv__at_lim(p))
        if (!qkv__nodes_push(p, parse_lim(p))) return NULL;
    for (size_t i = base, j = p->stacked; i + 1 < j; i++) {
        const qkv__node *kept = p->stack[--j];
        p->stack[j] = p->stack[i];
        p->stack[i] = kept;
    }
    all->kind = QKV__CONDITION_LIMIT;
    all->text = "";
    all->count = p->stacked - base;
    all->node = qkv__nodes_pop(p, base);
    all->place = qkv__place_since(p, start);
    return all->node == NULL ? NULL : all;
}

/* \lim x = y, where y does not move: `<` would be another claim, about the way to the limit. */
bool qkv__check_lims(qkv__parser *p, const qkv__condition *lims, const qkv__node *proposition)
{
    const bool equation =
        proposition->kind == QKV__NODE_COMPARE &&
        (proposition->comparison == QKV__EQUAL || proposition->comparison == QKV__NEAR);
    if (!equation) {
        qkv__complain(p, proposition->place, "\\lim belongs before a single equation: \\lim x = y");
        return false;
    }
    for (size_t i = 0; i < lims->count; i++)
        if (lims->node[i]->text[0] != '\0') {
            qkv__complain(p, lims->node[i]->place,
                          "a limit from one side is written after the claim: "
                          "as T -> 0+");
            return false;
        }
    for (size_t i = 0; i < lims->count; i++) {
        const qkv__node *moving = lims->node[i]->child[0];
        if (moving->kind != QKV__NODE_NAME ||
            !qkv__node_mentions(proposition->child[1], moving->text))
            continue;
        qkv__complain(p, proposition->child[1]->place,
                      "a limit does not depend on %s: write x ~ y as %s -> ...", moving->text,
                      moving->text);
        return false;
    }
    return true;
}

/* x^\top and x^{\top} */
bool qkv__accept_raised_transpose(qkv__parser *p)
{
    if (p->token.kind != QKV__TOKEN_OPEN_CURLY) return qkv__accept(p, QKV__TOKEN_TRANSPOSE);
    if (p->next.kind != QKV__TOKEN_TRANSPOSE) return false;
    qkv__advance(p);
    qkv__advance(p);
    return qkv__expect(p, QKV__TOKEN_CLOSE_CURLY, "'}'");
}
