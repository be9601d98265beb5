/*
 * The walks over trees that all engines share: numbers that a problem mentions as indexes,
 * comparisons turned round, conditions that are put together, and trees that are made by hand.
 */
#include "support/check.h"

#include "language/document.h"
#include "language/tree.h"

static void read_document(const char *text, qkv__document *document)
{
    qkv_error error;
    check_ok(qkv__document_read("a.qkv", text, strlen(text), document, &error), &error);
    if (document->complaint_count > 0) fail_msg("%s: %s", text, document->complaint[0].message);
}

/* ---- Numbers among indexes ----------------------------------------------------------------------
 */

enum { CAPACITY = 8 };

static const struct {
    const char *text;
    int64_t most;
    size_t count;
    int64_t number[CAPACITY];
} mentions[] = {
    {"keys k[1..n]\nclaim: k[7] = k[7]\n", 100, 1, {7}},
    {"keys k[1..n]\nclaim: k[7] = k[3] + k[12] given k[1] = k[7]\n", 100, 4, {1, 3, 7, 12}},
    {"keys k[1..n]\nclaim: k[7] = k[3] + k[12]\n", 7, 2, {3, 7}},
    {"keys k[1..n]\nclaim: |k[i]| = 1 for i in 1..n, i not in {8, 3}\n", 100, 2, {3, 8}},
    {"keys k[1..n]\nclaim: |k[i]| = 1 for i in 1..n, i != 5\n", 100, 1, {5}},
    {"keys k[1..n]\nclaim: |k[i]| = 9 for i in 1..n\n", 100, 0, {0}},
    {"keys k[1..n]\nfor x > 4:\n  claim: k[2] = x*k[6]\n", 100, 2, {2, 6}},
    {"problem \"one\"\nkeys k[1..n]\nclaim: k[2] = k[2]\nproblem \"two\"\nkeys k[1..n]\nclaim: "
     "k[4] = "
     "k[4]\n",
     100,
     1,
     {2}},
};

static void test_mentions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mentions / sizeof mentions[0]; i++) {
        qkv__document document;
        int64_t number[CAPACITY] = {0};
        read_document(mentions[i].text, &document);
        const size_t count =
            qkv__mentioned_numbers(document.first, mentions[i].most, number, CAPACITY);
        if (count != mentions[i].count) fail_msg("%zu numbers in %s", count, mentions[i].text);
        for (size_t j = 0; j < count; j++) assert_int_equal(number[j], mentions[i].number[j]);
        /* With less room all that tells is that there was too little. */
        for (size_t room = 0; room < count; room++)
            assert_true(qkv__mentioned_numbers(document.first, mentions[i].most, number, room) >
                        room);
        qkv__document_free(&document);
    }
}

/* ---- Comparisons --------------------------------------------------------------------------------
 */

/* Turned round twice, or denied twice, a comparison is itself; of numbers, the one or the other
 * holds. */
static void test_comparisons(void **state)
{
    (void)state;
    static const struct {
        qkv__comparison comparison;
        bool less, equal, greater; /* whether x ~ y where x is less, and so on */
    } rows[] = {
        {QKV__EQUAL, false, true, false},   {QKV__NOT_EQUAL, true, false, true},
        {QKV__LESS, true, false, false},    {QKV__LESS_OR_EQUAL, true, true, false},
        {QKV__GREATER, false, false, true}, {QKV__GREATER_OR_EQUAL, false, true, true},
    };
    enum { ROWS = sizeof rows / sizeof rows[0] };
    for (size_t i = 0; i < ROWS; i++) {
        const qkv__comparison mirror = qkv__comparison_mirror(rows[i].comparison);
        qkv__comparison opposite;
        assert_true(qkv__comparison_opposite(rows[i].comparison, &opposite));
        for (size_t j = 0; j < ROWS; j++) {
            if (rows[j].comparison == mirror)
                assert_true(rows[j].less == rows[i].greater && rows[j].greater == rows[i].less &&
                            rows[j].equal == rows[i].equal);
            if (rows[j].comparison == opposite)
                assert_true(rows[j].less != rows[i].less && rows[j].greater != rows[i].greater &&
                            rows[j].equal != rows[i].equal);
        }
        qkv__comparison again;
        assert_true(qkv__comparison_opposite(opposite, &again) && again == rows[i].comparison);
        assert_int_equal(qkv__comparison_mirror(mirror), rows[i].comparison);
    }
    qkv__comparison other;
    assert_true(qkv__comparison_opposite(QKV__IN, &other) && other == QKV__NOT_IN);
    assert_false(qkv__comparison_opposite(QKV__DISTRIBUTED, &other));
}

/* ---- Conditions ---------------------------------------------------------------------------------
 */

/* As many as there is room for, and it is told when there was none. */
static void test_circumstances(void **state)
{
    (void)state;
    qkv__document document;
    qkv__circumstances all = {0};
    read_document("claim: x > 0 given x > 1, y > 2 expect proved\n", &document);
    const qkv__condition *conditions = document.first->conditions;
    qkv__circumstances_add(&all, conditions);
    const size_t each = all.count;
    assert_true(each >= 2);
    while (all.count + each <= QKV__CIRCUMSTANCES) qkv__circumstances_add(&all, conditions);
    assert_false(all.too_many);
    while (all.count < QKV__CIRCUMSTANCES)
        assert_true(qkv__circumstances_put(&all, QKV__CONDITION_GIVEN, conditions->node[0]));
    assert_false(qkv__circumstances_put(&all, QKV__CONDITION_GIVEN, conditions->node[0]));
    qkv__circumstances_add(&all, conditions);
    assert_true(all.too_many);
    assert_int_equal(all.count, QKV__CIRCUMSTANCES);
    qkv__document_free(&document);
}

/* ---- Trees made by hand -------------------------------------------------------------------------
 */

static void test_made(void **state)
{
    (void)state;
    qkv__arena arena = {0};
    const qkv__place place = {1, 1, 1};
    const qkv__node *tree = qkv__node_name(&arena, "x", place), *one = tree;
    assert_true(qkv__node_is(tree, "x") && !qkv__node_is(tree, "y"));
    assert_null(qkv__node_pair(&arena, one, QKV__NODE_ADD, one, NULL));
    assert_null(qkv__node_pair(&arena, one, QKV__NODE_ADD, NULL, one));
    size_t levels = 0;
    for (const qkv__node *next;
         (next = qkv__node_pair(&arena, one, QKV__NODE_ADD, tree, one)) != NULL; levels++)
        tree = next;
    assert_true(levels > 2 && tree->depth < QKV__TREE_DEPTH);
    assert_int_equal(qkv__list_width(one), 0);
    qkv__arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mentions),
        cmocka_unit_test(test_comparisons),
        cmocka_unit_test(test_circumstances),
        cmocka_unit_test(test_made),
    };
    return cmocka_run_group_tests_name("tree", tests, NULL, NULL);
}
