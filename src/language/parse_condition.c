/*
 * The conditions behind a claim: in which limit, for which parameters, how near, given what, and
 * what verdict is expected. Knows nothing of the statement that they belong to.
 *
 *     conditions = { [ "," ] condition }
 *     condition  = "as" limit { "then" limit } | "for" ranges | "at" settings
 *                | "within" expression | "given" proposition { "," proposition }
 *                | "expect" verdict
 *                | "for" "all" bound { "," bound } ":" proposition       after "given" ... ","
 *
 * A comma that is not followed by a condition word goes on with the list at hand; behind what is no
 * list it begins one of ranges: `find least beta: p, n = 10`.
 */
#include "language/parse_part.h"

#include <string.h>

static const char *const verdict_words[] = {"proved", "refuted", "supported", "undecided", NULL};

/* `for n = 1, at = 3`: a condition word in front of a comparison is the name of something. */
static bool at_condition(const qkv__parser *p)
{
    if (!qkv__token_among(&p->token, qkv__condition_words)) return false;
    return p->next.kind < QKV__TOKEN_COMMA || p->next.kind == QKV__TOKEN_MINUS;
}

/* inf, or what people write for it. */
static const qkv__node *as_infinity(qkv__parser *p, const qkv__node *node)
{
    bool infinite = node != NULL && node->kind == QKV__NODE_NAME &&
                    (strcmp(node->text, "infinity") == 0 || strcmp(node->text, "oo") == 0);
    return infinite ? qkv__node_leaf(p, QKV__NODE_INFINITY, node->place, &p->previous) : node;
}

/* side = "+" | "-", close behind a number: 0+, from above, and 0-, from below */
static const char *accept_side(qkv__parser *p)
{
    const bool plus = p->token.kind == QKV__TOKEN_PLUS, minus = p->token.kind == QKV__TOKEN_MINUS;
    if ((!plus && !minus) || p->token.spaced) return "";
    qkv__advance(p);
    return plus ? "+" : "-";
}

/* limit = expression "->" ( expression | number side ) */
const qkv__node *qkv__parse_limit(qkv__parser *p)
{
    qkv__place start = p->token.place;
    const char *side = "";
    const qkv__node *left = qkv__parse_expression(p), *right;
    if (left == NULL || !qkv__expect(p, QKV__TOKEN_ARROW, "'->'")) return NULL;
    const bool close =
        !p->next.spaced && (p->next.kind == QKV__TOKEN_PLUS || p->next.kind == QKV__TOKEN_MINUS);
    if (p->token.kind == QKV__TOKEN_NUMBER && close) {
        right = qkv__parse_power(p);
        side = accept_side(p);
    } else {
        right = as_infinity(p, qkv__parse_expression(p));
    }
    qkv__node *node = qkv__node_binary(p, QKV__NODE_COMPARE, start, left, right);
    if (node == NULL) return NULL;
    node->comparison = QKV__TENDS_TO;
    node->text = side;
    return node;
}

/* x -> 0+ is x -> 0 for x > 0: the bounds that go with limits, as a condition; NULL: none do. */
static qkv__condition *sides_of(qkv__parser *p, const qkv__condition *limits)
{
    const size_t base = p->stacked;
    for (size_t i = 0; i < limits->count; i++) {
        const qkv__node *limit = limits->node[i];
        if (limit->text[0] == '\0') continue;
        qkv__node *bound =
            qkv__node_binary(p, QKV__NODE_COMPARE, limit->place, limit->child[0], limit->child[1]);
        if (bound == NULL) return NULL;
        bound->comparison = limit->text[0] == '+' ? QKV__GREATER : QKV__LESS;
        bound->place = limit->place;
        if (!qkv__nodes_push(p, bound)) return NULL;
    }
    qkv__condition *bounds = p->stacked == base ? NULL : qkv__arena_take(p->arena, sizeof *bounds);
    if (bounds == NULL) return NULL;
    *bounds = (qkv__condition){.kind = QKV__CONDITION_RANGE,
                               .place = limits->place,
                               .text = "",
                               .count = p->stacked - base};
    bounds->node = qkv__nodes_pop(p, base);
    return bounds->node == NULL ? NULL : bounds;
}

/* range = proposition | ( after "all" ) binding */
static const qkv__node *parse_bound(qkv__parser *p, bool all)
{
    if (all && qkv__at_binding(p)) return qkv__parse_binding(p);
    const qkv__node *node = qkv__parse_any(p);
    if (node != NULL && all && node->kind == QKV__NODE_NAME) return node;
    if (p->token.kind == QKV__TOKEN_ARROW)
        qkv__complain_expected(p, "a comparison (limits are joined by 'then')");
    return qkv__require_proposition(p, node);
}

/* setting = proposition of the form expression "=" expression */
static const qkv__node *parse_setting(qkv__parser *p)
{
    const qkv__node *node = qkv__parse_proposition(p);
    if (node == NULL) return NULL;
    if (node->kind == QKV__NODE_COMPARE && node->comparison == QKV__EQUAL) return node;
    qkv__complain(p, node->place, "expected a value after 'at', such as n = 10");
    return NULL;
}

/* One item of a condition, by its kind; `all` as in `for all`. */
static const qkv__node *parse_item(qkv__parser *p, qkv__condition_kind kind, bool all)
{
    switch (kind) {
    case QKV__CONDITION_LIMIT: return qkv__parse_limit(p);
    case QKV__CONDITION_RANGE: return parse_bound(p, all);
    case QKV__CONDITION_AT: return parse_setting(p);
    case QKV__CONDITION_WITHIN: return qkv__parse_expression(p);
    default: return qkv__parse_proposition(p);
    }
}

/* Whether another item follows: `then` between limits, a comma in lists. A given holds one
 * proposition, and the next makes another given. */
static bool accept_separator(qkv__parser *p, qkv__condition_kind kind)
{
    if (kind == QKV__CONDITION_LIMIT) return qkv__accept_word(p, "then");
    if (kind != QKV__CONDITION_RANGE && kind != QKV__CONDITION_AT) return false;
    if (p->token.kind != QKV__TOKEN_COMMA) return false;
    if (qkv__token_among(&p->next, qkv__condition_words)) return false; /* the caller looks again */
    qkv__advance(p);
    return true;
}

bool qkv__parts_push(qkv__parser *p, const qkv__node *premise)
{
    if (premise == NULL || premise->kind != QKV__NODE_AND) return qkv__nodes_push(p, premise);
    return qkv__parts_push(p, premise->child[0]) && qkv__parts_push(p, premise->child[1]);
}

static bool parse_items(qkv__parser *p, qkv__condition_kind kind, bool all)
{
    const bool premise = kind == QKV__CONDITION_RANGE || kind == QKV__CONDITION_GIVEN;
    do {
        const qkv__node *item = parse_item(p, kind, all);
        if (!(premise ? qkv__parts_push(p, item) : qkv__nodes_push(p, item))) return false;
    } while (accept_separator(p, kind));
    return true;
}

/* verdict = "proved" | "refuted" | "supported" | "undecided" */
static const char *parse_verdict(qkv__parser *p)
{
    if (!qkv__token_among(&p->token, verdict_words)) {
        qkv__complain_expected(p, "'proved', 'refuted', 'supported' or 'undecided'");
        return NULL;
    }
    qkv__advance(p);
    return qkv__arena_text(p->arena, p->previous.text, p->previous.length);
}

/* The condition word at hand, or, behind a comma, what the last condition goes on with. */
static qkv__condition_kind take_kind(qkv__parser *p, const qkv__condition *last)
{
    static const qkv__condition_kind kinds[] = {QKV__CONDITION_LIMIT, QKV__CONDITION_RANGE,
                                                QKV__CONDITION_AT,    QKV__CONDITION_WITHIN,
                                                QKV__CONDITION_GIVEN, QKV__CONDITION_EXPECT};
    if (at_condition(p)) {
        size_t i = 0;
        while (!qkv__at_word(p, qkv__condition_words[i])) i++;
        qkv__advance(p);
        return kinds[i];
    }
    bool lists =
        last != NULL && (last->kind == QKV__CONDITION_AT || last->kind == QKV__CONDITION_GIVEN);
    return lists ? last->kind : QKV__CONDITION_RANGE;
}

/* given p, for all i in 1..n: q -- the list of a given goes on with a quantifier, which its colon
 * tells from the condition `for all i in 1..n`. The colon of a block ends its line. */
static bool continues_given(const qkv__parser *p, const qkv__condition *last)
{
    return last != NULL && last->kind == QKV__CONDITION_GIVEN &&
           p->token.kind == QKV__TOKEN_COLON && p->next.kind != QKV__TOKEN_END;
}

/* The body of such a quantifier, whose bounds are on the stack above `base`. */
static bool parse_body(qkv__parser *p, qkv__place start, size_t base)
{
    qkv__advance(p);
    return qkv__nodes_push(p, qkv__parse_proposition(p)) &&
           qkv__nodes_push(p, qkv__node_gather(p, QKV__NODE_FOR_ALL, start, NULL, base));
}

static qkv__condition *parse_condition(qkv__parser *p, const qkv__condition *last)
{
    qkv__condition *condition = qkv__arena_take(p->arena, sizeof *condition);
    size_t base = p->stacked;
    qkv__place start = p->token.place;
    if (condition == NULL) return NULL;
    condition->text = "";
    condition->kind = take_kind(p, last);
    const bool all = condition->kind == QKV__CONDITION_RANGE && qkv__accept_word(p, "all");
    if (condition->kind == QKV__CONDITION_EXPECT)
        condition->text = parse_verdict(p);
    else if (!parse_items(p, condition->kind, all))
        return NULL;
    if (all && continues_given(p, last)) {
        condition->kind = QKV__CONDITION_GIVEN;
        if (!parse_body(p, start, base)) return NULL;
    }
    condition->count = p->stacked - base;
    condition->node = qkv__nodes_pop(p, base);
    condition->place = qkv__place_since(p, start);
    return condition->text == NULL || condition->node == NULL ? NULL : condition;
}

const qkv__condition *qkv__parse_conditions(qkv__parser *p)
{
    const qkv__condition *first = NULL, **tail = &first, *last = NULL;
    while (qkv__accept(p, QKV__TOKEN_COMMA) || at_condition(p)) {
        qkv__condition *condition = parse_condition(p, last);
        if (condition == NULL) return NULL;
        *tail = last = condition;
        tail = &condition->next;
        qkv__condition *bounds =
            condition->kind == QKV__CONDITION_LIMIT ? sides_of(p, condition) : NULL;
        if (bounds == NULL) continue;
        *tail = bounds;
        tail = &bounds->next;
    }
    return first;
}
