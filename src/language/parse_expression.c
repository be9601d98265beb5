/*
 * Expressions: what has a value. A function for each level of binding, loosest last, each with its
 * production. Knows nothing of statements, nor which names stand for what: f(x) is a call here and
 * may turn out to be a product.
 */
#include "language/parse_part.h"

#include <assert.h>
#include <string.h>

#include "language/builtin.h"
#include "language/names.h"

/* Where a value was expected. */
static const qkv__node *complain_value(qkv__parser *p)
{
    qkv__complain_expected(p, "an expression");
    return NULL;
}

/* `as beta -> inf`, `for n = 3`: a word that begins a condition ends the expression before it. */
static bool is_stop_word(const qkv__parser *p)
{
    return qkv__token_among(&p->token, qkv__reserved_words) ||
           qkv__token_among(&p->token, qkv__condition_words) || qkv__at_word(p, "then");
}

/* In the place of a value a condition word is a name, unless another word or a number follows it:
 * `claim: x = as beta -> inf` lacks a value. */
static bool is_name(const qkv__parser *p)
{
    if (p->token.kind != QKV__TOKEN_NAME) return false;
    if (qkv__token_among(&p->token, qkv__reserved_words)) return false;
    if (!qkv__token_among(&p->token, qkv__condition_words)) return true;
    if (p->next.kind == QKV__TOKEN_NAME)
        return qkv__token_among(&p->next, qkv__reserved_words) || qkv__token_is(&p->next, "given");
    return p->next.kind != QKV__TOKEN_NUMBER;
}

/* name = NAME */
const qkv__node *qkv__parse_name(qkv__parser *p)
{
    if (!is_name(p)) {
        qkv__complain_expected(p, "a name");
        return NULL;
    }
    qkv__advance(p);
    return qkv__node_leaf(p, QKV__NODE_NAME, p->previous.place, &p->previous);
}

/* ---- Brackets ----------------------------------------------------------------------------- */

/* Steps over the bracket; false when that is too deep. */
bool qkv__open_bracket(qkv__parser *p, qkv__bracket *b)
{
    *b = (qkv__bracket){p->token, p->bars};
    p->bars = 0;
    if (!qkv__enter(p)) return false;
    qkv__advance(p);
    return true;
}

/* The end of it; `good` tells whether the contents were parsed. */
bool qkv__close_bracket(qkv__parser *p, const qkv__bracket *b, qkv__token_kind kind,
                        const char *what, bool good)
{
    qkv__leave(p);
    p->bars = b->bars;
    return good && qkv__expect_close(p, kind, what, &b->open);
}

/* items = expression { "," expression } */
bool qkv__parse_items(qkv__parser *p)
{
    do {
        if (!qkv__nodes_push(p, qkv__parse_expression(p))) return false;
    } while (qkv__accept(p, QKV__TOKEN_COMMA));
    return true;
}

/* set = "{" items "}" */
static const qkv__node *parse_set(qkv__parser *p)
{
    qkv__bracket b;
    size_t base = p->stacked;
    bool good = qkv__open_bracket(p, &b) && qkv__parse_items(p);
    if (!qkv__close_bracket(p, &b, QKV__TOKEN_CLOSE_CURLY, "'}'", good)) return NULL;
    return qkv__node_gather(p, QKV__NODE_SET, b.open.place, NULL, base);
}

/* A list of many plain numbers as one node; NULL when it is none, or when its rows differ in
 * length, which is a mistake. */
static const qkv__node *parse_long_list(qkv__parser *p)
{
    qkv__token open = p->token, close;
    qkv__long_list list = qkv__lexer_long_list(&p->lexer, &open, &p->next, &close);
    if (list.outcome == QKV__LIST_RAGGED)
        qkv__complain(p, list.place, "row %zu has %zu numbers, expected %zu as in the first row",
                      list.row, list.found, list.expected);
    if (list.outcome != QKV__LIST_LONG_NUMBERS) return NULL;
    p->token = close;
    p->next = qkv__lexer_next(&p->lexer);
    qkv__advance(p);
    qkv__node *node = qkv__node_leaf(p, QKV__NODE_LIST, qkv__place_since(p, open.place), NULL);
    qkv__number_table *table = qkv__arena_take(p->arena, sizeof *table);
    if (node == NULL || table == NULL) return NULL;
    *table = (qkv__number_table){list.rows, list.columns, list.flat, list.entry};
    node->table = table;
    return node;
}

const qkv__node *qkv__node_family(qkv__parser *p, qkv__place start, const qkv__node *body,
                                  const qkv__node *domain)
{
    size_t base = p->stacked;
    if (body == NULL || domain == NULL) return NULL;
    const qkv__node *range = domain->child[1], *first = range->count > 0 ? range->child[0] : NULL;
    assert(first != NULL || (range->kind != QKV__NODE_SET && range->kind != QKV__NODE_RANGE));
    bool names = range->kind == QKV__NODE_SET && first->kind == QKV__NODE_NAME;
    bool numbers = range->kind == QKV__NODE_RANGE && first->kind == QKV__NODE_NUMBER &&
                   first->value.numerator == 1 && first->value.denominator == 1;
    if (domain->comparison != QKV__IN || (!names && !numbers)) {
        qkv__complain(p, domain->place, "expected all the indexes of a family: %s in 1..n",
                      domain->child[0]->text);
        return NULL;
    }
    if (!qkv__nodes_push(p, body) || !qkv__nodes_push(p, domain)) return NULL;
    qkv__node *sum = qkv__node_gather(p, QKV__NODE_SUM, start, NULL, base);
    if (sum == NULL) return NULL;
    sum->text = domain->child[0]->text;
    return qkv__nodes_push(p, sum) ? qkv__node_gather(p, QKV__NODE_LIST, start, NULL, base) : NULL;
}

/* square = list | "[" expression "for" domain "]" */
static const qkv__node *parse_items_or_family(qkv__parser *p)
{
    qkv__bracket b;
    size_t base = p->stacked;
    const qkv__node *body = NULL, *domain = NULL;
    bool good = qkv__open_bracket(p, &b) && qkv__nodes_push(p, body = qkv__parse_expression(p));
    bool family = good && qkv__accept_word(p, "for");
    if (family) good = (domain = qkv__parse_domain(p)) != NULL;
    while (good && !family && qkv__accept(p, QKV__TOKEN_COMMA))
        good = qkv__nodes_push(p, qkv__parse_expression(p));
    if (!qkv__close_bracket(p, &b, QKV__TOKEN_CLOSE_SQUARE, "']'", good)) return NULL;
    if (!family) return qkv__node_gather(p, QKV__NODE_LIST, b.open.place, NULL, base);
    p->stacked = base;
    return qkv__node_family(p, b.open.place, body, domain);
}

/* a table where the numbers are many */
static const qkv__node *parse_square(qkv__parser *p)
{
    const qkv__node *table = parse_long_list(p);
    if (table != NULL || p->failed || p->arena->failed) return table;
    return parse_items_or_family(p);
}

/* parenthesised = "(" any ")" */
static const qkv__node *parse_parenthesised(qkv__parser *p)
{
    qkv__bracket b;
    const qkv__token before = p->previous;
    const qkv__node *inner = qkv__open_bracket(p, &b) ? qkv__parse_any(p) : NULL;
    if (inner != NULL && p->token.kind == QKV__TOKEN_COMMA && before.kind == QKV__TOKEN_NAME &&
        before.end == b.open.begin) {
        qkv__complain(p, before.place, "%.*s is not a function: define %.*s(x, y) = ... above",
                      (int)before.length, before.text, (int)before.length, before.text);
        inner = NULL;
    }
    return qkv__close_bracket(p, &b, QKV__TOKEN_CLOSE_ROUND, "')'", inner != NULL) ? inner : NULL;
}

/* size = "|" expression "|"
 *
 * ||x|| is the size of a size, which is the same number: one node is enough. */
static const qkv__node *parse_size(qkv__parser *p)
{
    qkv__bracket b;
    const qkv__node *inner = NULL;
    if (qkv__open_bracket(p, &b)) {
        p->bars = b.bars + 1;
        inner = qkv__parse_expression(p);
    }
    if (!qkv__close_bracket(p, &b, QKV__TOKEN_BAR, "'|'", inner != NULL)) return NULL;
    assert(inner != NULL);
    if (inner->kind == QKV__NODE_SIZE) return inner;
    return qkv__node_unary(p, QKV__NODE_SIZE, b.open.place, inner);
}

/* ---- Calls -------------------------------------------------------------------------------- */

/* option = NAME "=" expression          each once: those of this call are on the stack above `call`
 */
static const qkv__node *parse_option(qkv__parser *p, size_t call)
{
    qkv__token name = p->token;
    size_t base = p->stacked;
    for (size_t i = call; i < base; i++)
        if (p->stack[i]->kind == QKV__NODE_OPTION && qkv__token_is(&name, p->stack[i]->text)) {
            qkv__complain(p, name.place, "%s occurs twice here", p->stack[i]->text);
            return NULL;
        }
    qkv__advance(p);
    qkv__advance(p);
    if (!qkv__nodes_push(p, qkv__parse_expression(p))) return NULL;
    return qkv__node_gather(p, QKV__NODE_OPTION, name.place, &name, base);
}

/* argument = option | expression | any [ "given" proposition ] | TITLE
 *
 * `given` in P, E, Var and Cov; a title, which is the name of a file or of what is in it, in file.
 */
static const qkv__node *parse_argument(qkv__parser *p, qkv__builtin function, size_t call)
{
    if (p->token.kind == QKV__TOKEN_TITLE && function == QKV__BUILTIN_FILE) {
        qkv__advance(p);
        return qkv__node_leaf(p, QKV__NODE_STRING, p->previous.place, &p->previous);
    }
    if (qkv__builtin_kind_of(function) == QKV__OF_CHANCE)
        return qkv__parse_given(p, function == QKV__BUILTIN_PROBABILITY);
    if (p->token.kind == QKV__TOKEN_NAME && p->next.kind == QKV__TOKEN_EQUAL)
        return parse_option(p, call);
    return qkv__parse_expression(p);
}

/* comprehension = expression "for" domain          the expression is on the stack already */
static bool parse_comprehension(qkv__parser *p, qkv__place start)
{
    size_t base = p->stacked - 1;
    qkv__advance(p);
    qkv__token name = p->token;
    if (!qkv__nodes_push(p, qkv__parse_domain(p))) return false;
    return qkv__nodes_push(p, qkv__node_gather(p, QKV__NODE_SUM, start, &name, base));
}

/* arguments = comprehension | argument { "," argument } */
static bool parse_arguments(qkv__parser *p, qkv__builtin function)
{
    qkv__place start = p->token.place;
    const size_t call = p->stacked;
    if (!qkv__nodes_push(p, parse_argument(p, function, call))) return false;
    if (qkv__at_word(p, "for")) return parse_comprehension(p, start);
    while (qkv__accept(p, QKV__TOKEN_COMMA))
        if (!qkv__nodes_push(p, parse_argument(p, function, call))) return false;
    return true;
}

/* call = NAME "(" arguments ")" */
static const qkv__node *parse_call(qkv__parser *p, qkv__builtin function)
{
    qkv__bracket b;
    qkv__token name = p->previous;
    size_t base = p->stacked;
    bool good = qkv__open_bracket(p, &b) && parse_arguments(p, function);
    if (!qkv__close_bracket(p, &b, QKV__TOKEN_CLOSE_ROUND, "')'", good)) return NULL;
    return qkv__write_out(p, qkv__node_gather(p, QKV__NODE_CALL, name.place, &name, base));
}

static const struct qkv__parser_name *find_known(const qkv__parser *p, const char *name,
                                                 size_t length)
{
    for (size_t i = p->known_count; i-- > 0;)
        if (strncmp(p->known[i].name, name, length) == 0 && p->known[i].name[length] == '\0')
            return &p->known[i];
    return NULL;
}

/* beta(1 + t): a product that binds like any other. What is no function of the problem, and is
 * declared or a single letter, is called by nobody. */
static bool is_number_before_bracket(const qkv__parser *p)
{
    const struct qkv__parser_name *known = find_known(p, p->previous.text, p->previous.length);
    if (known != NULL) return !known->function;
    if (p->drawing && qkv__token_is(&p->previous, "N")) return false; /* ~ N(mu, Sigma) */
    return qkv__is_letter_name(p->previous.text, p->previous.length);
}

/* k_a and k_12, of a family that is known: k[a], k[12]. */
static bool is_member_name(const qkv__parser *p, const qkv__token *name)
{
    const char *line = memchr(name->text, '_', name->length);
    if (line == NULL || find_known(p, name->text, name->length) != NULL) return false;
    size_t front = (size_t)(line - name->text), rest = name->length - front - 1;
    const struct qkv__parser_name *family = find_known(p, name->text, front);
    return family != NULL && family->family && rest > 0 && memchr(line + 1, '_', rest) == NULL;
}

static const qkv__node *parse_member_name(qkv__parser *p)
{
    const qkv__token whole = p->previous;
    const char *line = memchr(whole.text, '_', whole.length);
    size_t base = p->stacked;
    qkv__token family = {.text = whole.text, .length = (size_t)(line - whole.text)};
    qkv__token index = {.text = line + 1, .length = whole.length - family.length - 1};
    bool digits = true;
    int64_t value = 0;
    for (size_t i = 0; i < index.length && digits; i++) {
        digits = index.text[i] >= '0' && index.text[i] <= '9' && value < INT64_MAX / 10 - 1;
        if (digits) value = 10 * value + (index.text[i] - '0');
    }
    const qkv__node *inside = digits ? qkv__number_leaf(p, whole.place, qkv__rational_whole(value))
                                     : qkv__node_leaf(p, QKV__NODE_NAME, whole.place, &index);
    if (!qkv__nodes_push(p, qkv__node_leaf(p, QKV__NODE_NAME, whole.place, &family)) ||
        !qkv__nodes_push(p, inside))
        return NULL;
    return qkv__node_gather(p, QKV__NODE_INDEX, whole.place, NULL, base);
}

/* Whether two arguments follow in the bracket at hand: one comma, at its own level. */
static bool has_two_arguments(const qkv__parser *p)
{
    const char *text = p->lexer.text;
    int depth = 0, commas = 0;
    for (size_t i = p->token.begin; i < p->lexer.end; i++) {
        if (text[i] == '#')
            while (i + 1 < p->lexer.end && text[i + 1] != '\n') i++;
        if (text[i] == ',' && depth == 1) commas++;
        if (text[i] == '(' || text[i] == '[' || text[i] == '{') depth++;
        if (text[i] == ')' || text[i] == ']' || text[i] == '}') depth--;
        if (depth == 0) break;
    }
    return commas == 1;
}

/* d(x, t) and grad(x, q) are derivatives, whatever else is called so. */
static bool at_derivative(const qkv__parser *p)
{
    return (qkv__token_is(&p->previous, "d") || qkv__token_is(&p->previous, "grad")) &&
           p->token.kind == QKV__TOKEN_OPEN_ROUND && !p->token.spaced && has_two_arguments(p);
}

/* named = NAME | "inf" | call | big | applied
 *
 * f(x) is a call. f (x) is a product, unless everybody knows the function. */
static const qkv__node *parse_named(qkv__parser *p)
{
    if (!is_name(p)) return complain_value(p);
    qkv__advance(p);
    qkv__builtin function = qkv__builtin_find(p->previous.text, p->previous.length);
    if (p->previous.command && function != QKV__BUILTIN_NONE) {
        if (p->token.kind == QKV__TOKEN_SUBSCRIPT) return qkv__parse_big(p);
        if (p->token.kind != QKV__TOKEN_OPEN_ROUND) return qkv__parse_applied(p);
    }
    if (p->token.kind == QKV__TOKEN_OPEN_ROUND &&
        (function != QKV__BUILTIN_NONE || at_derivative(p) ||
         (!p->token.spaced && (p->defining || !is_number_before_bracket(p)))))
        return parse_call(p, function);
    if (!p->defining && is_member_name(p, &p->previous)) return parse_member_name(p);
    bool infinite = qkv__token_is(&p->previous, "inf");
    return qkv__node_leaf(p, infinite ? QKV__NODE_INFINITY : QKV__NODE_NAME, p->previous.place,
                          &p->previous);
}

/* ---- Operands ----------------------------------------------------------------------------- */

/* A sign for a fraction is the division in parentheses that it depicts. */
static const qkv__node *parse_fraction(qkv__parser *p)
{
    qkv__token token = p->token;
    qkv__advance(p);
    return qkv__node_binary(
        p, QKV__NODE_DIVIDE, token.place,
        qkv__number_leaf(p, token.place, qkv__rational_whole(token.value.numerator)),
        qkv__number_leaf(p, token.place, qkv__rational_whole(token.value.denominator)));
}

/* A value that was parsed, if it is one; else a complaint, and NULL. */
const qkv__node *qkv__no_proposition(qkv__parser *p, const qkv__node *node)
{
    if (node == NULL || !qkv__is_proposition(node)) return node;
    qkv__complain(p, node->place, "expected a number, vector or matrix, found a comparison");
    return NULL;
}

/* root = "√" ( operand | group )          the same tree as sqrt(operand) */
static const qkv__node *parse_root(qkv__parser *p)
{
    qkv__token root = p->token;
    size_t base = p->stacked;
    bool good = qkv__enter(p);
    if (good) qkv__advance(p);
    bool braces = p->token.kind == QKV__TOKEN_OPEN_CURLY;
    bool bare = !braces && !root.command && p->token.kind != QKV__TOKEN_OPEN_ROUND;
    if (good)
        good = qkv__nodes_push(p, braces ? qkv__parse_group(p)
                                         : qkv__no_proposition(p, qkv__parse_operand(p)));
    qkv__leave(p);
    if (good && bare &&
        (p->token.kind == QKV__TOKEN_POWER || p->token.kind == QKV__TOKEN_EXPONENT)) {
        qkv__complain(p, root.place, "a root and a power: write \u221a(x^2) or (\u221ax)^2");
        return NULL;
    }
    return good ? qkv__node_gather(p, QKV__NODE_CALL, root.place, &root, base) : NULL;
}

/* primary = NUMBER | FRACTION | named | parenthesised | list | set | size | root | frac | angle */
static const qkv__node *parse_primary(qkv__parser *p)
{
    switch (p->token.kind) {
    case QKV__TOKEN_NUMBER:
        qkv__advance(p);
        return qkv__number_leaf(p, p->previous.place, p->previous.value);
    case QKV__TOKEN_FRACTION: return parse_fraction(p);
    case QKV__TOKEN_NAME: return parse_named(p);
    case QKV__TOKEN_OPEN_ROUND: return parse_parenthesised(p);
    case QKV__TOKEN_OPEN_SQUARE: return parse_square(p);
    case QKV__TOKEN_OPEN_CURLY: return parse_set(p);
    case QKV__TOKEN_BAR: return parse_size(p);
    case QKV__TOKEN_OPEN_BAR: return qkv__parse_open_size(p);
    case QKV__TOKEN_ROOT: return parse_root(p);
    case QKV__TOKEN_FRAC: return qkv__parse_frac(p);
    case QKV__TOKEN_OPEN_ANGLE: return qkv__parse_angle(p);
    default: return complain_value(p);
    }
}

/* Whose brackets take arguments, not indexes: those of E[x given p], unless E is a name here. */
static qkv__builtin random_function(const qkv__parser *p, const qkv__node *node)
{
    if (node->kind != QKV__NODE_NAME) return QKV__BUILTIN_NONE;
    qkv__builtin function = qkv__builtin_find(node->text, strlen(node->text));
    bool chance = qkv__builtin_kind_of(function) == QKV__OF_CHANCE;
    return chance && find_known(p, node->text, strlen(node->text)) == NULL ? function
                                                                           : QKV__BUILTIN_NONE;
}

/* expectation = NAME "[" arguments "]"          the same tree as with parentheses */
static const qkv__node *parse_expectation(qkv__parser *p, const qkv__node *name)
{
    qkv__bracket b;
    size_t base = p->stacked;
    qkv__token word = {.text = name->text, .length = strlen(name->text)};
    bool good = qkv__open_bracket(p, &b) && parse_arguments(p, random_function(p, name));
    if (!qkv__close_bracket(p, &b, QKV__TOKEN_CLOSE_SQUARE, "']'", good)) return NULL;
    return qkv__node_gather(p, QKV__NODE_CALL, name->place, &word, base);
}

/* index = base "[" items "]" */
const qkv__node *qkv__parse_index(qkv__parser *p, const qkv__node *base_node)
{
    qkv__bracket b;
    size_t base = p->stacked;
    if (!qkv__nodes_push(p, base_node)) return NULL;
    bool good = qkv__open_bracket(p, &b) && qkv__parse_items(p);
    if (!qkv__close_bracket(p, &b, QKV__TOKEN_CLOSE_SQUARE, "']'", good)) return NULL;
    return qkv__node_gather(p, QKV__NODE_INDEX, base_node->place, NULL, base);
}

/* The members of what attention returns: each word with its plural, which means the same. */
static const char *const member_words[] = {"weight", "score", "head", "output", NULL};
static const char *const plural_words[] = {"weights", "scores", "heads", "outputs", NULL};

static bool at_member(const qkv__parser *p)
{
    return p->token.kind == QKV__TOKEN_DOT &&
           (qkv__token_among(&p->next, member_words) || qkv__token_among(&p->next, plural_words));
}

/* member = base "." ( "weight" | "score" | "head" | "output" ) [ "s" ] */
static const qkv__node *parse_member(qkv__parser *p, const qkv__node *base_node)
{
    size_t base = p->stacked;
    qkv__advance(p);
    qkv__token name = p->token;
    if (qkv__token_among(&name, plural_words)) name.length--;
    qkv__advance(p);
    if (!qkv__nodes_push(p, base_node)) return NULL;
    return qkv__node_gather(p, QKV__NODE_MEMBER, base_node->place, &name, base);
}

/* x [1, 2] is a product with a list; so is 2[1, 2], since a number has no parts. */
static bool at_index(const qkv__parser *p)
{
    return p->token.kind == QKV__TOKEN_OPEN_SQUARE && !p->token.spaced &&
           p->previous.kind != QKV__TOKEN_NUMBER && p->previous.kind != QKV__TOKEN_FRACTION;
}

/* operand = primary { index | subscript | member | "'" } */
const qkv__node *qkv__parse_operand(qkv__parser *p)
{
    qkv__place start = p->token.place;
    const qkv__node *node = parse_primary(p);
    while (node != NULL) {
        if (at_index(p) && random_function(p, node) != QKV__BUILTIN_NONE)
            node = parse_expectation(p, node);
        else if (at_index(p))
            node = qkv__parse_index(p, node);
        else if (p->token.kind == QKV__TOKEN_SUBSCRIPT)
            node = qkv__parse_subscript(p, node);
        else if (at_member(p))
            node = parse_member(p, node);
        else if (qkv__accept(p, QKV__TOKEN_TRANSPOSE))
            node = qkv__node_unary(p, QKV__NODE_TRANSPOSE, start, node);
        else
            break;
    }
    return node;
}

/* ---- Operators ---------------------------------------------------------------------------- */

/* inner = operand { "." operand }
 *
 * The inner product. A number is no vector, and 2.5 would be another number. */
static const qkv__node *parse_inner(qkv__parser *p)
{
    qkv__place start = p->token.place;
    const qkv__node *left = qkv__parse_operand(p);
    while (left != NULL && qkv__accept(p, QKV__TOKEN_DOT))
        left = qkv__node_binary(p, QKV__NODE_DOT, start, left, qkv__parse_operand(p));
    return left;
}

/* exponent = "-" exponent | power | group */
static const qkv__node *parse_exponent(qkv__parser *p)
{
    qkv__place start = p->token.place;
    const qkv__node *node = NULL;
    if (!qkv__enter(p))
        node = NULL;
    else if (qkv__accept(p, QKV__TOKEN_MINUS))
        node = qkv__node_unary(p, QKV__NODE_NEGATE, start, parse_exponent(p));
    else
        node = p->token.kind == QKV__TOKEN_OPEN_CURLY ? qkv__parse_group(p) : qkv__parse_power(p);
    qkv__leave(p);
    return node;
}

/* A raised number, with the minus sign as a negation, as if it were written with '^'. */
static const qkv__node *parse_raised(qkv__parser *p)
{
    qkv__place place = p->token.place;
    qkv__rational value = p->token.value;
    qkv__advance(p);
    if (qkv__rational_sign(value) >= 0) return qkv__number_leaf(p, place, value);
    return qkv__node_unary(p, QKV__NODE_NEGATE, place,
                           qkv__number_leaf(p, place, qkv__rational_negate(value)));
}

/* power = inner { RAISED } [ "^" ( exponent | "'" ) ] */
const qkv__node *qkv__parse_power(qkv__parser *p)
{
    qkv__place start = p->token.place;
    const qkv__node *base = parse_inner(p);
    while (base != NULL && p->token.kind == QKV__TOKEN_EXPONENT)
        base = qkv__node_binary(p, QKV__NODE_POWER, start, base, parse_raised(p));
    if (base == NULL || !qkv__accept(p, QKV__TOKEN_POWER)) return base;
    if (qkv__accept_raised_transpose(p))
        return qkv__node_unary(p, QKV__NODE_TRANSPOSE, start, base);
    return qkv__node_binary(p, QKV__NODE_POWER, start, base, parse_exponent(p));
}

/* factor = "-" factor | power */
static const qkv__node *parse_factor(qkv__parser *p)
{
    qkv__place start = p->token.place;
    if (!qkv__accept(p, QKV__TOKEN_MINUS)) return qkv__parse_power(p);
    const qkv__node *node = NULL;
    if (qkv__enter(p)) node = qkv__node_unary(p, QKV__NODE_NEGATE, start, parse_factor(p));
    qkv__leave(p);
    return node;
}

/* Whether a factor begins here that multiplies what stands before it. A number does not: `x 2` is
 * rather a mistake. A '|' does unless it closes one. */
bool qkv__at_factor(const qkv__parser *p)
{
    switch (p->token.kind) {
    case QKV__TOKEN_NAME: return !is_stop_word(p);
    case QKV__TOKEN_BAR: return p->bars == 0;
    case QKV__TOKEN_OPEN_ROUND:
    case QKV__TOKEN_OPEN_SQUARE:
    case QKV__TOKEN_OPEN_ANGLE:
    case QKV__TOKEN_OPEN_BAR:
    case QKV__TOKEN_FRAC:
    case QKV__TOKEN_ROOT: return true;
    default: return false;
    }
}

/* A raised dot multiplies numbers, and of two vectors it is the inner product: the node says so. */
static const qkv__node *parse_times(qkv__parser *p, qkv__place start, const qkv__node *left)
{
    bool dot = p->token.text[0] == '.';
    qkv__advance(p);
    qkv__node *node = qkv__node_binary(p, QKV__NODE_MULTIPLY, start, left, parse_factor(p));
    if (node != NULL && dot) node->text = ".";
    return node;
}

/* product = factor { ( "*" | "/" ) factor | power } */
const qkv__node *qkv__parse_product(qkv__parser *p)
{
    qkv__place start = p->token.place;
    const qkv__node *left = parse_factor(p);
    while (left != NULL) {
        if (qkv__accept(p, QKV__TOKEN_DIVIDE))
            left = qkv__node_binary(p, QKV__NODE_DIVIDE, start, left, parse_factor(p));
        else if (p->token.kind == QKV__TOKEN_TIMES)
            left = parse_times(p, start, left);
        else if (qkv__at_factor(p))
            left = qkv__node_binary(p, QKV__NODE_MULTIPLY, start, left, parse_factor(p));
        else
            break;
    }
    return left;
}

/* sum = product { ( "+" | "-" ) product } */
/* 0.94 +- 0.01 would be 0.93. */
static bool refuse_plus_or_minus(qkv__parser *p)
{
    bool found =
        p->token.kind == QKV__TOKEN_PLUS && p->next.kind == QKV__TOKEN_MINUS && !p->next.spaced;
    if (found)
        qkv__complain(p, p->token.place,
                      "'+-' is not an operator: write x = 0.94 within 0.01, or x in 0.93 .. 0.95");
    return found;
}

static const qkv__node *parse_sum(qkv__parser *p)
{
    qkv__place start = p->token.place;
    const qkv__node *left = qkv__parse_product(p);
    while (left != NULL) {
        if (refuse_plus_or_minus(p)) return NULL;
        if (qkv__accept(p, QKV__TOKEN_PLUS))
            left = qkv__node_binary(p, QKV__NODE_ADD, start, left, qkv__parse_product(p));
        else if (qkv__accept(p, QKV__TOKEN_MINUS))
            left = qkv__node_binary(p, QKV__NODE_SUBTRACT, start, left, qkv__parse_product(p));
        else
            break;
    }
    return left;
}

/* range = sum [ ".." sum ] */
static const qkv__node *parse_range(qkv__parser *p)
{
    qkv__place start = p->token.place;
    const qkv__node *low = parse_sum(p);
    if (low == NULL || !qkv__accept(p, QKV__TOKEN_RANGE)) return low;
    return qkv__node_binary(p, QKV__NODE_RANGE, start, low, parse_sum(p));
}

/* value = range { "with" operand "=" range } */
const qkv__node *qkv__parse_value(qkv__parser *p)
{
    qkv__place start = p->token.place;
    const qkv__node *node = parse_range(p);
    while (node != NULL && qkv__accept_word(p, "with")) {
        size_t base = p->stacked;
        bool done = qkv__nodes_push(p, node) && qkv__nodes_push(p, qkv__parse_operand(p)) &&
                    qkv__expect(p, QKV__TOKEN_EQUAL, "'='") && qkv__nodes_push(p, parse_range(p));
        node = done ? qkv__node_gather(p, QKV__NODE_WITH, start, NULL, base) : NULL;
    }
    return node;
}

/* expression = value, which is no proposition */
const qkv__node *qkv__parse_expression(qkv__parser *p)
{
    return qkv__no_proposition(p, qkv__parse_value(p));
}
