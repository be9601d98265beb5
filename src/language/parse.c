/*
 * Statements: a text to the list of what it declares, defines and claims. Knows nothing of what
 * names mean. A statement with a mistake leaves a complaint and is left out; reading goes on with
 * the next one.
 *
 *     text      = { statement END }
 *     statement = problem | given | assume | family | object | pick | claim | find | law | block
 *               | definition
 */
#include "language/parse_part.h"
#include "language/growth.h"
#include "language/ranges.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "language/complaint.h"
#include "language/family_index.h"
#include "language/law.h"
#include "language/names.h"
#include "language/tree.h"
#include "language/write.h"

static const qkv__statement **parse_statements(qkv__parser *p, int indent,
                                               const qkv__statement **tail);

/* ---- Declarations ------------------------------------------------------------------------- */

/* problem = "problem" TITLE */
static bool parse_problem(qkv__parser *p, qkv__statement *s)
{
    assert(s->kind == QKV__STATEMENT_PROBLEM);
    if (p->nesting > 0) {
        qkv__complain(p, p->previous.place, "a problem cannot begin inside a block");
        return false;
    }
    if (!qkv__expect(p, QKV__TOKEN_TITLE, "a title in quotes")) return false;
    s->text = qkv__arena_text(p->arena, p->previous.text, p->previous.length);
    return s->text != NULL;
}

/* given = "given" proposition { "," proposition } ; assume = "assume" proposition { ... } */
static bool parse_facts(qkv__parser *p)
{
    do {
        if (!qkv__parts_push(p, qkv__parse_proposition(p))) return false;
    } while (qkv__accept(p, QKV__TOKEN_COMMA));
    return true;
}

/* property = "orthonormal" | "orthogonal" | ( "norm" | "dimension" ) expression */
static const char *const plain_properties[] = {"orthonormal", "orthogonal", NULL};
static const char *const valued_properties[] = {"norm", "dimension", NULL};

static const qkv__node *parse_property(qkv__parser *p)
{
    size_t base = p->stacked;
    qkv__token word = p->token;
    bool plain = qkv__token_among(&word, plain_properties);
    if (!plain && !qkv__token_among(&word, valued_properties)) {
        qkv__complain_expected(p,
                               "'orthonormal', 'orthogonal', 'norm', 'dimension' or end of line");
        return NULL;
    }
    qkv__advance(p);
    if (plain) return qkv__node_leaf(p, QKV__NODE_NAME, word.place, &word);
    if (!qkv__nodes_push(p, qkv__parse_expression(p))) return NULL;
    return qkv__node_gather(p, QKV__NODE_CALL, word.place, &word, base);
}

/* k[i] ~ law "for" NAME "in" expression: k[i, 1..n] ~ law, in the tree. */
static const qkv__node *parse_law_range(qkv__parser *p, const qkv__node *target)
{
    size_t base = p->stacked;
    qkv__token word = p->token;
    bool indexed = target->kind == QKV__NODE_INDEX && target->count == 2 &&
                   target->child[1]->kind == QKV__NODE_NAME;
    if (!indexed || p->next.kind != QKV__TOKEN_NAME ||
        !qkv__token_is(&p->next, target->child[1]->text)) {
        qkv__complain_expected(p, "end of line, or the index of k[i] after 'for'");
        return NULL;
    }
    qkv__advance(p);
    qkv__advance(p);
    if (!qkv__expect_word(p, "in")) return NULL;
    if (!qkv__nodes_push(p, target->child[0]) || !qkv__nodes_push(p, target->child[1]) ||
        !qkv__nodes_push(p, qkv__parse_expression(p)))
        return NULL;
    word.length = 0;
    return qkv__node_gather(p, QKV__NODE_INDEX, target->place, &word, base);
}

/* law = expression          where N(mu, Sigma) is a law */
static const qkv__node *parse_law_name(qkv__parser *p)
{
    p->drawing = true;
    const qkv__node *law = qkv__parse_expression(p);
    p->drawing = false;
    return law;
}

/* target "~" law, or target "=" expression; the parser is at the sign. */
static const qkv__node *parse_declared(qkv__parser *p, qkv__place start, const qkv__node *target)
{
    bool equal = p->token.kind == QKV__TOKEN_EQUAL;
    qkv__advance(p);
    const qkv__node *value = equal ? qkv__parse_expression(p) : parse_law_name(p);
    if (value != NULL && !equal && qkv__at_word(p, "for")) target = parse_law_range(p, target);
    if (target == NULL) return NULL;
    qkv__node *node = qkv__node_binary(p, QKV__NODE_COMPARE, start, target, value);
    if (node != NULL) node->comparison = equal ? QKV__EQUAL : QKV__DISTRIBUTED;
    return node;
}

/* member = NAME index | NAME [ index ] "=" expression
 *        | NAME index "~" expression [ "for" NAME "in" expression ] */
static const qkv__node *parse_family_member(qkv__parser *p)
{
    qkv__place start = p->token.place;
    const qkv__node *target = qkv__parse_name(p);
    bool indexed = p->token.kind == QKV__TOKEN_OPEN_SQUARE;
    if (indexed) target = qkv__parse_index(p, target);
    bool equal = p->token.kind == QKV__TOKEN_EQUAL, near = p->token.kind == QKV__TOKEN_NEAR;
    if (target == NULL || (indexed && !equal && !near)) return target;
    if (!equal && !near) {
        qkv__complain_expected(p, "'[' with indexes such as [1..n], '=' or '~'");
        return NULL;
    }
    return parse_declared(p, start, target);
}

static bool at_property(const qkv__parser *p)
{
    return qkv__token_among(&p->token, plain_properties) ||
           (qkv__token_among(&p->token, valued_properties) &&
            p->next.kind != QKV__TOKEN_OPEN_SQUARE);
}

/* family = ( "keys" | "values" | "means" | "vectors" ) member { "," member } { [ "," ] property }
 */
static bool parse_family(qkv__parser *p)
{
    if (!qkv__nodes_push(p, parse_family_member(p))) return false;
    while (p->token.kind != QKV__TOKEN_END) {
        bool comma = qkv__accept(p, QKV__TOKEN_COMMA);
        bool member = comma && p->token.kind == QKV__TOKEN_NAME && !at_property(p) &&
                      (p->next.kind == QKV__TOKEN_OPEN_SQUARE || p->next.kind == QKV__TOKEN_EQUAL ||
                       p->next.kind == QKV__TOKEN_NEAR);
        if (!qkv__nodes_push(p, member ? parse_family_member(p) : parse_property(p))) return false;
    }
    return true;
}

/* The law of all objects that stand in front of '~': each of them becomes [q ~ law], and q[d] the
 * same with the property dimension(d). The statement is one of drawn things then, see law.h. */
static bool parse_object_law(qkv__parser *p, qkv__statement *s, size_t base)
{
    size_t count = p->stacked - base;
    const qkv__node *dimension = NULL;
    bool vector = strcmp(s->text, "vector") == 0;
    if (!vector && strcmp(s->text, "scalar") != 0) {
        qkv__complain_expected(p, "',' or end of line: only vectors and scalars are drawn");
        return false;
    }
    qkv__token sign = p->token;
    const qkv__node *const *target = qkv__nodes_pop(p, base);
    qkv__advance(p);
    const qkv__node *law = parse_law_name(p);
    if (target == NULL || law == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        const qkv__node *name = target[i];
        bool sized = name->kind == QKV__NODE_INDEX;
        bool fits =
            !sized ||
            (vector && name->count == 2 &&
             (i == 0 || (dimension != NULL && strcmp(dimension->text, name->child[1]->text) == 0)));
        if (!fits) {
            qkv__complain(
                p, name->place,
                "expected scalar z ~ ..., or vectors of one dimension: vector q[d] ~ ...");
            return false;
        }
        if (sized) dimension = name->child[1];
        qkv__node *node =
            qkv__node_binary(p, QKV__NODE_COMPARE, name->place, sized ? name->child[0] : name, law);
        if (node == NULL || !qkv__nodes_push(p, node)) return false;
        node->comparison = QKV__DISTRIBUTED;
    }
    if (dimension != NULL) {
        static const char word[] = "dimension";
        sign.text = word;
        sign.length = sizeof word - 1;
        size_t own = p->stacked;
        if (!qkv__nodes_push(p, dimension) ||
            !qkv__nodes_push(p, qkv__node_gather(p, QKV__NODE_CALL, dimension->place, &sign, own)))
            return false;
    }
    while (p->token.kind != QKV__TOKEN_END) {
        qkv__accept(p, QKV__TOKEN_COMMA);
        if (!qkv__nodes_push(p, parse_property(p))) return false;
    }
    s->kind = QKV__STATEMENT_FAMILY;
    return true;
}

/* object = ( "vector" | "matrix" | "scalar" | "permutation" ) NAME [ index ] { "," NAME [ index ] }
 *          [ "~" expression { [ "," ] property } ] */
static bool parse_objects(qkv__parser *p, qkv__statement *s)
{
    size_t base = p->stacked;
    do {
        const qkv__node *name = qkv__parse_name(p);
        if (p->token.kind == QKV__TOKEN_OPEN_SQUARE) name = qkv__parse_index(p, name);
        if (!qkv__nodes_push(p, name)) return false;
    } while (qkv__accept(p, QKV__TOKEN_COMMA));
    return p->token.kind != QKV__TOKEN_NEAR || parse_object_law(p, s, base);
}

/* pick = "pick" NAME { "," NAME } [ "distinct" ] "in" expression */
static bool parse_pick(qkv__parser *p, qkv__statement *s)
{
    do {
        if (!qkv__nodes_push(p, qkv__parse_name(p))) return false;
    } while (qkv__accept(p, QKV__TOKEN_COMMA));
    s->distinct = qkv__accept_word(p, "distinct");
    if (!qkv__at_word(p, "in"))
        qkv__complain_expected(p, s->distinct ? "'in'" : "',', 'distinct' or 'in'");
    return qkv__accept_word(p, "in") && qkv__nodes_push(p, qkv__parse_expression(p));
}

/* ---- Definitions -------------------------------------------------------------------------- */

/* What a definition may define: a name, a part of one, or a function of names. */
static bool check_target(qkv__parser *p, const qkv__node *target)
{
    bool named = target->kind == QKV__NODE_NAME ||
                 (target->kind == QKV__NODE_INDEX && target->child[0]->kind == QKV__NODE_NAME);
    const qkv__node *wrong = named || target->kind == QKV__NODE_CALL ? NULL : target;
    for (size_t i = 0; target->kind == QKV__NODE_CALL && i < target->count; i++)
        if (wrong == NULL && target->child[i]->kind != QKV__NODE_NAME) wrong = target->child[i];
    if (wrong != NULL) qkv__complain(p, wrong->place, "expected a name to define: x, x[i] or f(x)");
    return wrong == NULL;
}

/* A line that is no statement: a misspelt word, or a belief without its `claim:`. */
static void complain_no_statement(qkv__parser *p, const qkv__token *word)
{
    bool words = p->token.kind == QKV__TOKEN_NAME || p->token.kind == QKV__TOKEN_COLON ||
                 p->token.kind == QKV__TOKEN_TITLE || p->token.kind == QKV__TOKEN_NUMBER;
    if (words && word->kind == QKV__TOKEN_NAME && p->previous.begin == word->begin)
        qkv__complain(p, word->place,
                      "no statement begins with '%.*s': expected given, keys, values, claim, find "
                      "... or a definition x = ...",
                      (int)(word->length < 40 ? word->length : 40), word->text);
    else
        qkv__complain_expected(p, "'=' (what is believed begins with 'claim:')");
}

/* m[i] = k[i] + u: i is a name that the definition binds. */
static bool is_running(const qkv__node *target)
{
    return target->kind == QKV__NODE_INDEX && target->count == 2 &&
           target->child[1]->kind == QKV__NODE_NAME;
}

/* i in 1..n, from the families that i is an index of in the body. */
static const qkv__node *domain_by_use(qkv__parser *p, const qkv__node *target,
                                      const qkv__node *body)
{
    const qkv__node *index = target->child[1];
    qkv__family_index found = qkv__family_index_of(p->arena, p->document->first, body, index->text);
    if (found.another != NULL)
        qkv__complain(p, found.another->place,
                      "%s has other indexes than %s: %s[%s] needs families with the same ones",
                      found.another->text, found.family->text, target->child[0]->text, index->text);
    else if (found.range == NULL)
        qkv__complain(p, target->place,
                      "cannot tell what %s runs over: use it as the index of a family, or write "
                      "'for %s in 1..n' after the definition",
                      index->text, index->text);
    if (found.range == NULL) return NULL;
    qkv__node *domain = qkv__node_binary(p, QKV__NODE_COMPARE, index->place, index, found.range);
    if (domain != NULL) domain->comparison = QKV__IN;
    return domain;
}

/* m[i] = x is m = [x for i in 1..n]. */
static bool define_family(qkv__parser *p, const qkv__node *target, const qkv__node *body)
{
    assert(is_running(target));
    const qkv__node *index = target->child[1];
    bool stated = qkv__accept_word(p, "for");
    const qkv__node *domain = stated ? qkv__parse_domain(p) : domain_by_use(p, target, body);
    if (domain == NULL) return false;
    if (strcmp(domain->child[0]->text, index->text) != 0) {
        qkv__complain(p, domain->place, "expected %s in 1..n, since %s[%s] is defined", index->text,
                      target->child[0]->text, index->text);
        return false;
    }
    return qkv__nodes_push(p, target->child[0]) &&
           qkv__nodes_push(p, qkv__node_family(p, target->place, body, domain));
}

/* definition = ( NAME [ index ] | NAME "(" NAME { "," NAME } ")" ) "=" expression
 *            | NAME "[" NAME "]" "=" expression [ "for" domain ] */
static bool parse_definition(qkv__parser *p)
{
    qkv__token word = p->token;
    if (word.kind != QKV__TOKEN_NAME) {
        qkv__complain_expected(p, "a statement");
        return false;
    }
    p->defining = true;
    const qkv__node *target = qkv__parse_operand(p);
    p->defining = false;
    if (target == NULL) return false;
    if (p->token.kind != QKV__TOKEN_EQUAL) complain_no_statement(p, &word);
    if (!check_target(p, target) || !qkv__accept(p, QKV__TOKEN_EQUAL)) return false;
    const qkv__node *body = qkv__parse_expression(p);
    if (body != NULL && is_running(target)) return define_family(p, target, body);
    return qkv__nodes_push(p, target) && qkv__nodes_push(p, body);
}

/* ---- Claims ------------------------------------------------------------------------------- */

/* What a claim or a question says, where x -> y is x ~ y. */
static const qkv__node *parse_assertion(qkv__parser *p)
{
    p->asserting = true;
    const qkv__node *proposition = qkv__parse_proposition(p);
    p->asserting = false;
    return proposition;
}

/* claim = "claim" [ LABEL ] ":" [ lims ] proposition conditions */
static bool parse_claim(qkv__parser *p, qkv__statement *s)
{
    assert(s->kind == QKV__STATEMENT_CLAIM);
    if (qkv__accept(p, QKV__TOKEN_LABEL))
        s->text = qkv__arena_text(p->arena, p->previous.text, p->previous.length);
    if (s->text == NULL || !qkv__expect(p, QKV__TOKEN_COLON, "':', or a label and ':'"))
        return false;
    qkv__condition *limits = NULL;
    if (qkv__at_lim(p) && (limits = qkv__parse_lims(p)) == NULL) return false;
    const qkv__node *proposition = parse_assertion(p);
    if (!qkv__nodes_push(p, proposition)) return false;
    if (limits != NULL && !qkv__check_lims(p, limits, proposition)) return false;
    s->conditions = qkv__parse_conditions(p);
    if (limits == NULL) return true;
    limits->next = s->conditions;
    s->conditions = limits;
    return !p->failed;
}

static const char *const least_words[] = {"least", "smallest", "minimum", "minimal", NULL};
static const char *const largest_words[] = {"largest", "greatest", "maximum", "maximal", NULL};

/* extreme = [ "the" ] ( "least" | "largest" | ... )          in front of a name; else it is one */
static void parse_extreme(qkv__parser *p, qkv__statement *s)
{
    if (qkv__at_word(p, "the") &&
        (qkv__token_among(&p->next, least_words) || qkv__token_among(&p->next, largest_words)))
        qkv__advance(p);
    bool named = p->next.kind == QKV__TOKEN_NAME && !qkv__token_is(&p->next, "such");
    s->largest = named && qkv__token_among(&p->token, largest_words);
    s->least = s->largest || (named && qkv__token_among(&p->token, least_words));
    if (s->least) qkv__advance(p);
}

/* find = "find" [ extreme ] binding { "," binding } ( ":" | "such" "that" ) proposition conditions
 */
static bool parse_find(qkv__parser *p, qkv__statement *s)
{
    parse_extreme(p, s);
    do {
        if (!qkv__nodes_push(p, qkv__parse_binding(p))) return false;
    } while (qkv__accept(p, QKV__TOKEN_COMMA));
    if (qkv__accept_word(p, "such")) {
        if (!qkv__expect_word(p, "that")) return false;
    } else if (!qkv__expect(p, QKV__TOKEN_COLON, "',', ':' or 'such that'")) {
        return false;
    }
    if (!qkv__nodes_push(p, parse_assertion(p))) return false;
    s->conditions = qkv__parse_conditions(p);
    return true;
}

/* law = "law" "of" expression conditions */
static bool parse_law(qkv__parser *p, qkv__statement *s)
{
    if (!qkv__expect_word(p, "of")) return false;
    if (!qkv__nodes_push(p, qkv__parse_expression(p))) return false;
    s->conditions = qkv__parse_conditions(p);
    return true;
}

/* block = conditions ":" END { statement deeper than it }
 *
 * The header alone is read here, its statements once it is closed: see parse_inside. */
static bool parse_block(qkv__parser *p, qkv__statement *s)
{
    s->conditions = qkv__parse_conditions(p);
    if (p->failed) return false;
    if (s->conditions == NULL) {
        qkv__complain_expected(p, "a statement");
        return false;
    }
    return qkv__expect(p, QKV__TOKEN_COLON, "a condition or ':'");
}

static bool has_limit(const qkv__statement *s)
{
    for (const qkv__condition *c = s->conditions; c != NULL; c = c->next)
        if (c->kind == QKV__CONDITION_LIMIT) return true;
    return false;
}

static void parse_inside(qkv__parser *p, qkv__statement *s, int indent)
{
    assert(s->kind == QKV__STATEMENT_BLOCK);
    bool any = p->token.kind != QKV__TOKEN_END_OF_TEXT && p->token.indent > indent;
    if (!any) {
        qkv__complain(p, s->place, "expected statements below this line, indented deeper");
        qkv__document_lose(p->document, s->place.line);
    }
    const bool limit = has_limit(s);
    p->limits += limit;
    if (qkv__enter(p)) parse_statements(p, indent, &s->inside);
    qkv__leave(p);
    p->limits -= limit;
}

/* ---- Statements --------------------------------------------------------------------------- */

static const struct {
    const char *word;
    qkv__statement_kind kind;
} statement_kinds[] = {
    {"problem", QKV__STATEMENT_PROBLEM}, {"given", QKV__STATEMENT_GIVEN},
    {"keys", QKV__STATEMENT_FAMILY},     {"values", QKV__STATEMENT_FAMILY},
    {"means", QKV__STATEMENT_FAMILY},    {"vectors", QKV__STATEMENT_FAMILY},
    {"vector", QKV__STATEMENT_OBJECT},   {"matrix", QKV__STATEMENT_OBJECT},
    {"scalar", QKV__STATEMENT_OBJECT},   {"permutation", QKV__STATEMENT_OBJECT},
    {"pick", QKV__STATEMENT_PICK},       {"assume", QKV__STATEMENT_ASSUME},
    {"claim", QKV__STATEMENT_CLAIM},     {"find", QKV__STATEMENT_FIND},
    {"law", QKV__STATEMENT_LAW},         {"as", QKV__STATEMENT_BLOCK},
    {"at", QKV__STATEMENT_BLOCK},        {"for", QKV__STATEMENT_BLOCK},
};

/* By its first word. In front of '=', or of an index, the word is the name of something. */
static qkv__statement_kind statement_kind(const qkv__parser *p)
{
    bool defined = p->next.kind == QKV__TOKEN_EQUAL ||
                   (p->next.kind == QKV__TOKEN_OPEN_SQUARE && !p->next.spaced);
    for (size_t i = 0; !defined && i < sizeof statement_kinds / sizeof statement_kinds[0]; i++)
        if (qkv__at_word(p, statement_kinds[i].word)) return statement_kinds[i].kind;
    return QKV__STATEMENT_DEFINE;
}

static bool parse_by_kind(qkv__parser *p, qkv__statement *s)
{
    switch (s->kind) {
    case QKV__STATEMENT_PROBLEM: return parse_problem(p, s);
    case QKV__STATEMENT_GIVEN:
    case QKV__STATEMENT_ASSUME: return parse_facts(p);
    case QKV__STATEMENT_FAMILY: return parse_family(p);
    case QKV__STATEMENT_OBJECT: return parse_objects(p, s);
    case QKV__STATEMENT_PICK: return parse_pick(p, s);
    case QKV__STATEMENT_CLAIM: return parse_claim(p, s);
    case QKV__STATEMENT_FIND: return parse_find(p, s);
    case QKV__STATEMENT_LAW: return parse_law(p, s);
    case QKV__STATEMENT_BLOCK: return parse_block(p, s);
    case QKV__STATEMENT_DEFINE: break;
    }
    return parse_definition(p);
}

/* The first word is kept as text where it says more than the kind, and passed where the grammar
 * of the statement begins behind it. */
static bool take_first_word(qkv__parser *p, qkv__statement *s)
{
    s->text = "";
    if (s->kind == QKV__STATEMENT_FAMILY || s->kind == QKV__STATEMENT_OBJECT)
        s->text = qkv__arena_text(p->arena, p->token.text, p->token.length);
    if (s->kind != QKV__STATEMENT_DEFINE && s->kind != QKV__STATEMENT_BLOCK) qkv__advance(p);
    return s->text != NULL;
}

/* Blanks, line ends, margins and comments as one blank; titles as they are. What is longer than a
 * report would show is cut. */
static const char *copy_source(qkv__parser *p, size_t begin, size_t end)
{
    enum { LONGEST = 4096 };
    const char *text = p->lexer.text;
    bool cut = end - begin > LONGEST;
    if (cut) end = begin + LONGEST;
    while (cut && end > begin && (text[end] & 0xc0) == 0x80) end--; /* not within a character */
    char *copy = qkv__arena_take(p->arena, end - begin + 5);
    size_t length = 0;
    bool quoted = false, blank = false;
    for (size_t at = begin; copy != NULL && at < end; at++) {
        unsigned char c = (unsigned char)text[at];
        if (c == '#' && !quoted)
            while (at < end && text[at] != '\n' && text[at] != '\r') at++;
        if ((c == '#' || c <= ' ') && !quoted) {
            blank = true;
            continue;
        }
        if (blank) copy[length++] = ' ';
        blank = false;
        quoted ^= c == '"';
        copy[length++] = text[at];
    }
    if (cut && copy != NULL) memcpy(copy + length, " ...", 4);
    return copy;
}

/* To the end of the statement, wherever it went wrong. */
static void skip_statement(qkv__parser *p)
{
    while (p->token.kind != QKV__TOKEN_END && p->token.kind != QKV__TOKEN_END_OF_TEXT)
        qkv__advance(p);
    qkv__accept(p, QKV__TOKEN_END);
}

/* What could have stood where something else was found behind a whole statement. */
static const char *what_may_follow(qkv__statement_kind kind)
{
    switch (kind) {
    case QKV__STATEMENT_CLAIM:
    case QKV__STATEMENT_FIND:
    case QKV__STATEMENT_LAW:
        return "an operator, a condition (as, for, at, within, given, expect) or end of line";
    case QKV__STATEMENT_OBJECT: return "',' or end of line";
    case QKV__STATEMENT_PROBLEM:
    case QKV__STATEMENT_BLOCK: return "end of line";
    default: return "an operator or end of line";
    }
}

/* The statement up to its END, with its nodes; the END is left for the caller. */
/* What others evaluate: growth without bound as orders, and ranges member by member. */
static bool write_out(qkv__parser *p, qkv__statement *s)
{
    const bool limit = s->kind == QKV__STATEMENT_CLAIM && (p->limits > 0 || has_limit(s));
    return (!limit || qkv__growth_write_out(p->arena, p->lexer.original, p->length, s)) &&
           qkv__ranges_write_out(p->arena, s);
}

static bool parse_one(qkv__parser *p, qkv__statement *s)
{
    qkv__token first = p->token;
    size_t base = p->stacked;
    if (!take_first_word(p, s) || !parse_by_kind(p, s) || p->failed || p->arena->failed)
        return false;
    if (p->token.kind != QKV__TOKEN_END) {
        qkv__complain_expected(p, what_may_follow(s->kind));
        return false;
    }
    s->place = qkv__place_since(p, first.place);
    s->count = p->stacked - base;
    s->node = qkv__nodes_pop(p, base);
    s->source = copy_source(p, first.begin, p->previous.end);
    return s->node != NULL && s->source != NULL && write_out(p, s);
}

/* ---- Orthogonal vectors of any lengths ----------------------------------------------------- */

enum { FREE_LENGTHS = 8 }; /* members that may be orthogonal without a norm */

/* Whether a property says how long the members are, or in which dimension they lie; or one is said
 * twice, which is a slip. */
static bool says_more(const qkv__statement *s)
{
    size_t properties = 0;
    for (size_t i = 1; i < s->count; i++) {
        if (s->node[i]->kind == QKV__NODE_CALL || qkv__node_is(s->node[i], "orthonormal"))
            return true;
        properties += qkv__node_is(s->node[i], "orthogonal");
    }
    return properties > 1;
}

/* The member of k[1..3] or u[a, b, c] at a place; NULL: there is none, or they are too many. */
static const qkv__node *member_at(qkv__parser *p, const qkv__node *family, size_t at)
{
    const qkv__node *range = family->child[1], *index;
    if (range->kind != QKV__NODE_RANGE) {
        if (at + 1 >= family->count || family->count > FREE_LENGTHS + 1) return NULL;
        index = family->child[at + 1];
    } else {
        const qkv__node *first = range->child[0], *end = range->child[1];
        if (first->kind != QKV__NODE_NUMBER || end->kind != QKV__NODE_NUMBER ||
            first->value.numerator != 1 || !qkv__rational_is_whole(first->value) ||
            !qkv__rational_is_whole(end->value) || end->value.numerator > FREE_LENGTHS ||
            (int64_t)at >= end->value.numerator)
            return NULL;
        index = qkv__node_number(p->arena, qkv__rational_whole((int64_t)at + 1), family->place);
    }
    return qkv__node_binary(p, QKV__NODE_INDEX, family->place, family->child[0], index);
}

/* x.y = 0 for any two members, on the stack; false where they are not that few. */
static bool push_products(qkv__parser *p, const qkv__node *family)
{
    const qkv__node *x, *y;
    for (size_t i = 0; (x = member_at(p, family, i)) != NULL; i++)
        for (size_t j = 0; j < i && (y = member_at(p, family, j)) != NULL; j++) {
            const qkv__node *zero =
                qkv__node_number(p->arena, qkv__rational_whole(0), family->place);
            qkv__node *equation =
                qkv__node_binary(p, QKV__NODE_COMPARE, family->place,
                                 qkv__node_binary(p, QKV__NODE_DOT, family->place, y, x), zero);
            if (equation == NULL) return false;
            equation->comparison = QKV__EQUAL;
            if (!qkv__nodes_push(p, equation)) return false;
        }
    return true;
}

/* keys k[1..2] orthogonal, without a norm: keys k[1..2], and given k[1].k[2] = 0. False without
 * memory. */
static bool free_lengths(qkv__parser *p, qkv__statement *s, qkv__statement **last)
{
    size_t at = 1, base = p->stacked;
    while (at < s->count && !qkv__node_is(s->node[at], "orthogonal")) at++;
    if (at >= s->count || s->node[0]->kind != QKV__NODE_INDEX || says_more(s)) return true;
    if (!push_products(p, s->node[0])) return false;
    if (p->stacked == base) return true; /* one member, or many: the model looks at them */
    qkv__statement *given = qkv__arena_take(p->arena, sizeof *given);
    const qkv__node **left = qkv__arena_array(p->arena, s->count, sizeof *left);
    qkv__text text = {0};
    if (given == NULL || left == NULL) return false;
    *given = *s;
    given->kind = QKV__STATEMENT_GIVEN;
    given->text = "";
    given->count = p->stacked - base;
    given->node = qkv__nodes_pop(p, base);
    if (given->node == NULL) return false;
    qkv__statement_write(given, &text);
    given->source = text.data == NULL ? NULL : qkv__arena_text(p->arena, text.data, text.length);
    qkv__text_free(&text);
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++)
        if (i != at) left[count++] = s->node[i];
    s->node = left;
    s->count = count;
    given->next = NULL;
    s->next = *last = given;
    p->document->statement_count++;
    return given->source != NULL;
}

/* ---- Lines of several statements ------------------------------------------------------------ */

/* vector q, k ~ normal(0, I) and keys k[1..n], l[1..m]: a statement for each of them, with the
 * properties that they share. */
static bool split_members(qkv__parser *p, qkv__statement *s, qkv__statement **last)
{
    size_t members = 0;
    while (members < s->count && (s->node[members]->kind == QKV__NODE_COMPARE ||
                                  s->node[members]->kind == QKV__NODE_INDEX))
        members++;
    const qkv__node *const *all = s->node;
    const size_t count = s->count;
    for (size_t i = 1; i < members; i++) /* keys k[1..n], l[1..n] ~ normal(0, I): is k drawn? */
        if (all[0]->kind == QKV__NODE_INDEX && all[i]->kind == QKV__NODE_COMPARE &&
            all[i]->comparison == QKV__DISTRIBUTED) {
            qkv__complain(p, all[i]->place, "write a line for each family, with its own law");
            return false;
        }
    for (size_t i = 0; i < members && members > 1; i++) {
        qkv__statement *one = i == 0 ? s : qkv__arena_take(p->arena, sizeof *one);
        const qkv__node **node = qkv__arena_array(p->arena, count - members + 1, sizeof *node);
        if (one == NULL || node == NULL) return false;
        if (i > 0) {
            *one = *s;
            (*last)->next = one;
            p->document->statement_count++;
        }
        node[0] = all[i];
        for (size_t j = members; j < count; j++) node[j - members + 1] = all[j];
        one->node = node;
        one->count = count - members + 1;
        one->next = NULL;
        *last = one;
        if (!free_lengths(p, one, last)) return false;
    }
    return members > 1 || free_lengths(p, s, last);
}

/* NULL when there was a mistake; either way the parser is behind the statement. *last: where one
 * line makes several. */
static qkv__statement *parse_statement(qkv__parser *p, qkv__statement **last)
{
    size_t base = p->stacked;
    int indent = p->token.indent;
    qkv__statement *s = qkv__arena_take(p->arena, sizeof *s);
    *last = s;
    if (s == NULL) return NULL;
    s->kind = statement_kind(p);
    s->place = p->token.place;
    p->failed = false;
    p->bars = 0;
    bool good = parse_one(p, s);
    p->stacked = base;
    skip_statement(p);
    if (!good && !qkv__statement_is_entry(s)) qkv__document_lose(p->document, s->place.line);
    if (good && s->kind == QKV__STATEMENT_BLOCK) parse_inside(p, s, indent);
    if (good && s->kind == QKV__STATEMENT_FAMILY) good = split_members(p, s, last);
    if (good && !p->arena->failed) p->document->statement_count++;
    return good && !p->arena->failed ? s : NULL;
}

static bool is_stopped(const qkv__parser *p)
{
    return p->arena->failed || p->document->complaint_count == QKV__COMPLAINTS;
}

/* What a statement makes known to those below it; a problem begins with nothing. */
static void note_names(qkv__parser *p, const qkv__statement *s)
{
    if (s->kind == QKV__STATEMENT_PROBLEM) p->known_count = 0;
    for (size_t i = 0; i < s->count; i++) {
        const char *name = qkv__name_brought(s, i);
        if (name == NULL) continue;
        if (p->known_count == p->known_capacity) {
            size_t capacity = p->known_capacity == 0 ? 32 : 2 * p->known_capacity;
            struct qkv__parser_name *grown = qkv__arena_array(p->arena, capacity, sizeof *grown);
            if (grown == NULL) return;
            if (p->known_count > 0) memcpy(grown, p->known, p->known_count * sizeof *grown);
            p->known = grown;
            p->known_capacity = capacity;
        }
        p->known[p->known_count++] = (struct qkv__parser_name){
            .name = name,
            .function = s->kind == QKV__STATEMENT_DEFINE && s->node[0]->kind == QKV__NODE_CALL,
            .family = (s->kind == QKV__STATEMENT_FAMILY && !qkv__law_is_of_object(s)) ||
                      (s->kind == QKV__STATEMENT_DEFINE && s->node[0]->kind == QKV__NODE_INDEX)};
    }
}

/* Those that are indented deeper than `indent` and without mistakes, at the end of a list. Returns
 * its new end. */
static const qkv__statement **parse_statements(qkv__parser *p, int indent,
                                               const qkv__statement **tail)
{
    while (!is_stopped(p) && p->token.kind != QKV__TOKEN_END_OF_TEXT && p->token.indent > indent) {
        qkv__statement *last, *s = parse_statement(p, &last);
        if (s == NULL) continue;
        *tail = s;
        tail = &last->next;
        for (const qkv__statement *one = s; one != NULL; one = one->next) note_names(p, one);
    }
    return tail;
}

/* ---- A document --------------------------------------------------------------------------- */

void qkv__parser_start(qkv__parser *p, qkv__document *document, const char *text,
                       const char *original, size_t length)
{
    *p = (qkv__parser){.document = document,
                       .arena = &document->arena,
                       .tail = &document->first,
                       .length = length};
    p->lexer = (qkv__lexer){
        .arena = &document->arena, .text = text, .original = original, .margin = text != original};
}

void qkv__parse_text(qkv__parser *p, size_t begin, size_t end, int line)
{
    qkv__lexer_start(&p->lexer, begin, end, line);
    p->token = qkv__lexer_next(&p->lexer);
    p->next = qkv__lexer_next(&p->lexer);
    p->previous = p->token;
    p->nesting = 0;
    p->tail = parse_statements(p, -1, p->tail);
}

void qkv__parser_free(qkv__parser *p)
{
    qkv__free(p->stack);
    p->stack = NULL;
}
