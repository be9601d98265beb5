/*
 * Random trees of the claim language, written as text and parsed again: the same trees, and no
 * parentheses that could be left out.
 */
#include "trees.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "language/write.h"
#include "support/random.h"

typedef struct forest {
    random_source random;
    qkv__arena arena;
} forest;

static qkv__node *grow(forest *f, qkv__node_kind kind, const char *text, size_t count)
{
    qkv__node *node = qkv__arena_take(&f->arena, sizeof *node);
    assert_non_null(node);
    *node = (qkv__node){.kind = kind, .text = text, .count = count, .depth = 1};
    node->child = qkv__arena_array(&f->arena, count, sizeof *node->child);
    return node;
}

static void put(qkv__node *node, size_t i, const qkv__node *child)
{
    ((const qkv__node **)(uintptr_t)node->child)[i] = child;
}

static const qkv__node *random_name(forest *f)
{
    static const char *const names[] = {"a", "k_b", "weight", "scores", "exp", "e", "Q"};
    return grow(f, QKV__NODE_NAME, names[random_below(&f->random, 7)], 0);
}

static const qkv__node *random_number(forest *f)
{
    static const qkv__rational values[] = {
        {0, 1}, {2, 1}, {1, 2}, {7, 1000000}, {3, 40}, {1, 1000000000000}, {INT64_MAX, 1}};
    qkv__node *node = grow(f, QKV__NODE_NUMBER, "", 0);
    node->value = values[random_below(&f->random, sizeof values / sizeof values[0])];
    return node;
}

static const qkv__node *random_expression(forest *f, int depth);
static const qkv__node *random_proposition(forest *f, int depth);

static const qkv__node *random_leaf(forest *f)
{
    size_t which = random_below(&f->random, 9);
    if (which == 0) return grow(f, QKV__NODE_INFINITY, "inf", 0);
    return which < 4 ? random_number(f) : random_name(f);
}

static const qkv__node *random_domain(forest *f, int depth)
{
    static const qkv__comparison kinds[] = {QKV__IN, QKV__NOT_IN, QKV__NOT_EQUAL};
    qkv__node *domain = grow(f, QKV__NODE_COMPARE, "", 2);
    domain->comparison = kinds[random_below(&f->random, 3)];
    put(domain, 0, grow(f, QKV__NODE_NAME, "i", 0));
    put(domain, 1, random_expression(f, depth));
    return domain;
}

/* f(x, y), f(x, scale = y), f(x for i in S), P(p), P(p given q), E(x given q). */
static const qkv__node *random_call(forest *f, int depth)
{
    size_t which = random_below(&f->random, 6);
    qkv__node *call = grow(f, QKV__NODE_CALL,
                           which < 3    ? "att"
                           : which == 5 ? "E"
                                        : "P",
                           which < 2 ? 2 : 1);
    qkv__node *inner = which == 1   ? grow(f, QKV__NODE_OPTION, "scale", 1)
                       : which == 2 ? grow(f, QKV__NODE_SUM, "i", 2)
                                    : grow(f, QKV__NODE_GIVEN, "", 2);
    if (which < 2) put(call, 0, random_expression(f, depth));
    if (which == 0) put(call, 1, random_expression(f, depth));
    if (which == 1 || which == 2 || which == 5) put(inner, 0, random_expression(f, depth));
    if (which == 2) put(inner, 1, random_domain(f, depth));
    if (which == 3) put(call, 0, random_proposition(f, depth));
    if (which == 4) put(inner, 0, random_proposition(f, depth));
    if (which >= 4) put(inner, 1, random_proposition(f, depth));
    if (which != 0 && which != 3) put(call, call->count - 1, inner);
    return call;
}

static const qkv__node *random_expression(forest *f, int depth)
{
    static const struct {
        qkv__node_kind kind;
        size_t count;
        const char *text;
    } shapes[] = {
        {QKV__NODE_ADD, 2, ""},    {QKV__NODE_SUBTRACT, 2, ""},  {QKV__NODE_MULTIPLY, 2, ""},
        {QKV__NODE_DIVIDE, 2, ""}, {QKV__NODE_POWER, 2, ""},     {QKV__NODE_DOT, 2, ""},
        {QKV__NODE_DOT, 2, ""},    {QKV__NODE_TRANSPOSE, 1, ""}, {QKV__NODE_MEMBER, 1, "weight"},
        {QKV__NODE_NEGATE, 1, ""}, {QKV__NODE_INDEX, 2, ""},     {QKV__NODE_INDEX, 3, ""},
        {QKV__NODE_LIST, 3, ""},   {QKV__NODE_SET, 1, ""},       {QKV__NODE_RANGE, 2, ""},
        {QKV__NODE_SIZE, 1, ""},   {QKV__NODE_WITH, 3, ""},      {QKV__NODE_CALL, 0, ""},
    };
    if (depth == 0 || random_below(&f->random, 8) == 0) return random_leaf(f);
    size_t shape = random_below(&f->random, sizeof shapes / sizeof shapes[0]);
    if (shapes[shape].kind == QKV__NODE_CALL) return random_call(f, depth - 1);
    qkv__node *node = grow(f, shapes[shape].kind, shapes[shape].text, shapes[shape].count);
    for (size_t i = 0; i < node->count; i++) put(node, i, random_expression(f, depth - 1));
    /* The size of a size is written as one, so no text has such a tree. */
    while (node->kind == QKV__NODE_SIZE && node->child[0]->kind == QKV__NODE_SIZE)
        put(node, 0, node->child[0]->child[0]);
    return node;
}

/* t, i in S, vector q, vector q in S */
static const qkv__node *random_bound(forest *f, int depth)
{
    size_t which = random_below(&f->random, 4);
    qkv__node *kind = grow(f, QKV__NODE_CALL, "vector", 1);
    qkv__node *bound = grow(f, QKV__NODE_COMPARE, "", 2);
    put(kind, 0, grow(f, QKV__NODE_NAME, "q", 0));
    bound->comparison = QKV__IN;
    put(bound, 0, kind);
    put(bound, 1, random_expression(f, depth));
    if (which == 0) return grow(f, QKV__NODE_NAME, "t", 0);
    return which == 1 ? random_domain(f, depth) : which == 2 ? kind : bound;
}

static const qkv__node *random_proposition(forest *f, int depth)
{
    static const qkv__node_kind kinds[] = {QKV__NODE_AND, QKV__NODE_OR, QKV__NODE_IMPLIES,
                                           QKV__NODE_EXISTS, QKV__NODE_FOR_ALL};
    size_t which = random_below(&f->random, 8);
    if (depth == 0 || which >= 6) {
        qkv__node *compare = grow(f, QKV__NODE_COMPARE, "", 2);
        compare->comparison = (qkv__comparison)random_below(&f->random, QKV__TENDS_TO);
        put(compare, 0, random_expression(f, depth > 2 ? 2 : depth));
        put(compare, 1, random_expression(f, depth > 2 ? 2 : depth));
        return compare;
    }
    qkv__node *node = which == 5 ? grow(f, QKV__NODE_NOT, "", 1) : grow(f, kinds[which], "", 2);
    bool quantifier = which == 3 || which == 4;
    put(node, 0, quantifier ? random_bound(f, depth - 1) : random_proposition(f, depth - 1));
    if (node->count == 2) put(node, 1, random_proposition(f, depth - 1));
    return node;
}

/* What a text parses into, in prefix form; NULL if it does not. */
static char *prefix_of(const char *text)
{
    qkv__text whole = {0}, shown = {0};
    qkv__text_format(&whole, "claim: %s", text);
    qkv__document document = read_any(whole.data);
    bool good = document.complaint_count == 0 && document.first != NULL &&
                document.first->conditions == NULL && document.first->next == NULL;
    if (good) dump(document.first->node[0], &shown);
    qkv__text_free(&whole);
    qkv__document_free(&document);
    return shown.data;
}

static bool is_name_character(char c)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static size_t closing_of(const char *text, size_t open)
{
    size_t depth = 0, at = open;
    for (;; at++) {
        depth += text[at] == '(';
        depth -= text[at] == ')';
        if (depth == 0) return at;
    }
}

/* Without any one pair of parentheses the text says something else, or nothing. Those of a call are
 * no such pair. */
static void check_needed(const char *text, const char *prefix)
{
    for (size_t open = 0; text[open] != '\0'; open++) {
        if (text[open] != '(' || (open > 0 && is_name_character(text[open - 1]))) continue;
        size_t close = closing_of(text, open);
        qkv__text without = {0};
        qkv__text_append(&without, text, open);
        qkv__text_append(&without, text + open + 1, close - open - 1);
        qkv__text_append(&without, text + close + 1, strlen(text + close + 1));
        char *other = prefix_of(without.data);
        if (other != NULL && strcmp(other, prefix) == 0)
            fail_msg("parentheses too many: %s, the same as %s", text, without.data);
        qkv__free(other);
        qkv__text_free(&without);
    }
}

static void test_there_and_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10000; seed++) {
        forest f = {.random = {seed}};
        const qkv__node *tree = random_proposition(&f, 1 + (int)(seed % 4));
        qkv__text written = {0}, prefix = {0};
        qkv__node_write(tree, &written);
        dump(tree, &prefix);
        char *again = prefix_of(written.data);
        if (again == NULL || strcmp(again, prefix.data) != 0)
            fail_msg("seed %d: %s\n  is %s\n  not %s", (int)seed, written.data,
                     again == NULL ? "no text of the language" : again, prefix.data);
        if (seed <= 2000) check_needed(written.data, prefix.data);
        qkv__free(again);
        qkv__text_free(&written);
        qkv__text_free(&prefix);
        qkv__arena_free(&f.arena);
    }
}

/* Numbers that no parser makes, but a formula may hold. */
static void test_written_numbers(void **state)
{
    static const struct {
        qkv__rational value;
        const char *text;
    } cases[] = {{{-2, 1}, "-2*x"},
                 {{1, 3}, "1/3*x"},
                 {{-1, 3}, "-1/3*x"},
                 {{-1, 4}, "-0.25*x"},
                 {{1, 1000000}, "0.000001*x"},
                 {{12, 10000000}, "12e-7*x"},
                 {{1, 1000000000}, "1e-9*x"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        forest f = {.random = {1}};
        qkv__node *product = grow(&f, QKV__NODE_MULTIPLY, "", 2);
        qkv__node *number = grow(&f, QKV__NODE_NUMBER, "", 0);
        qkv__text written = {0};
        number->value = qkv__rational_make(cases[i].value.numerator, cases[i].value.denominator);
        put(product, 0, number);
        put(product, 1, grow(&f, QKV__NODE_NAME, "x", 0));
        qkv__node_write(product, &written);
        assert_string_equal(written.data, cases[i].text);
        qkv__text_free(&written);
        qkv__arena_free(&f.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_there_and_back),
                                       cmocka_unit_test(test_written_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
