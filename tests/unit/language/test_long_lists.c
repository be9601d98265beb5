/*
 * Long lists of numbers, which are read at once: blanks, line ends and comments between them mean
 * as little as in a short list; whatever is not plain is read as in a short list, or refused as
 * there. The expected numbers are those that were written down.
 */
#include "support/check.h"

#include <stdio.h>

#include "language/document.h"
#include "language/syntax.h"
#include "language/write.h"
#include "support/random.h"

enum { MANY = QKV__LIST_LONG + 8 };

static qkv__document read_list(const char *name, const qkv__text *text)
{
    qkv__document document;
    qkv_error error;
    assert_false(text->failed);
    check_ok(qkv__document_read(name, text->data, text->length, &document, &error), &error);
    return document;
}

/* The list in a document of one definition. */
static const qkv__node *only_list(const qkv__document *document)
{
    if (document->complaint_count > 0)
        fail_msg("%d:%d: %s", document->complaint[0].place.line,
                 document->complaint[0].place.column, document->complaint[0].message);
    assert_int_equal(document->statement_count, 1);
    const qkv__node *list = document->first->node[1];
    assert_int_equal(list->kind, QKV__NODE_LIST);
    return list;
}

/* ---- Plain lists --------------------------------------------------------------------------- */

/* All that the language allows between two numbers, in a line of a quotation or without one. */
static const char *const gaps[] = {",",
                                   ", ",
                                   " ,\t",
                                   ",\n  ",
                                   ",\r\n  ",
                                   ",\r  ",
                                   ", # a note, with 1, 2, [3\n  ",
                                   " # and\ta tab\r\n  ,",
                                   ",\n\n  ",
                                   ",\n\t"};
enum { GAPS = sizeof gaps / sizeof gaps[0] };

/* A gap with `margin` in front of each of its lines. */
static void write_gap(qkv__text *text, size_t which, const char *margin)
{
    for (const char *at = gaps[which]; *at != '\0'; at++) {
        qkv__text_append(text, at, 1);
        if (*at == '\n' || (*at == '\r' && at[1] != '\n'))
            qkv__text_append(text, margin, strlen(margin));
    }
}

/* The number `digits` hundredths, in one of the ways to write it. */
static void write_number(qkv__text *text, int digits, size_t way)
{
    int whole = (digits < 0 ? -digits : digits) / 100, rest = (digits < 0 ? -digits : digits) % 100;
    if (digits < 0) qkv__text_format(text, way % 2 == 0 ? "-" : "- ");
    if (way < 2)
        qkv__text_format(text, "%d.%02d", whole, rest);
    else if (way < 4)
        qkv__text_format(text, "%de-2", 100 * whole + rest);
    else
        qkv__text_format(text, "%d%02dE%s", whole, rest, way == 4 ? "-2" : "-02");
}

static void check_number(const qkv__decimal *found, int digits)
{
    long long value = found->digits;
    assert_in_range(found->exponent + 2, 0, 9);
    for (int i = 0; i < found->exponent + 2; i++) value *= 10;
    assert_int_equal(value, digits);
}

/* `rows` of so many numbers; 0 rows: a flat list. */
static void write_list(qkv__text *text, random_source *source, int *digits, size_t rows,
                       size_t columns, const char *margin)
{
    qkv__text_format(text, "%sx = [", margin);
    for (size_t i = 0; i < (rows == 0 ? 1 : rows) * columns; i++) {
        digits[i] = (int)random_below(source, 200001) - 100000;
        if (i > 0 && i % columns == 0) qkv__text_format(text, " ]");
        if (i > 0) write_gap(text, random_below(source, GAPS), margin);
        if (rows > 0 && i % columns == 0) qkv__text_format(text, "[ ");
        write_number(text, digits[i], random_below(source, 6));
    }
    qkv__text_format(text, rows == 0 ? "]\n" : "]\n  %s]\n", margin);
}

static void check_table(const qkv__node *list, const int *digits, size_t rows, size_t columns)
{
    assert_non_null(list->table);
    assert_int_equal(list->table->flat, rows == 0);
    assert_int_equal(list->table->rows, rows == 0 ? columns : rows);
    assert_int_equal(list->table->columns, rows == 0 ? 1 : columns);
    for (size_t i = 0; i < (rows == 0 ? 1 : rows) * columns; i++)
        check_number(&list->table->entry[i], digits[i]);
}

static void check_plain(random_source *source, size_t rows, size_t columns)
{
    static const char *const names[] = {"a.qkv", "a.md"};
    for (int quoted = 0; quoted < 2; quoted++) {
        int digits[2 * MANY * 3];
        qkv__text text = {0};
        if (quoted) qkv__text_format(&text, "> ```qkv\n");
        write_list(&text, source, digits, rows, columns, quoted ? "> " : "");
        if (quoted) qkv__text_format(&text, "> ```\n");
        qkv__document document = read_list(names[quoted], &text);
        check_table(only_list(&document), digits, rows, columns);
        qkv__document_free(&document);
        qkv__text_free(&text);
    }
}

static void test_plain(void **state)
{
    (void)state;
    random_source source = {.state = 3};
    for (int i = 0; i < 40; i++) {
        check_plain(&source, 0, MANY + random_below(&source, MANY));
        check_plain(&source, MANY, 1 + random_below(&source, 3));
        check_plain(&source, 1 + random_below(&source, 3), MANY);
    }
}

/* ---- Written down and read again ------------------------------------------------------------ */

static void check_there_and_back(size_t rows, size_t columns)
{
    random_source source = {.state = 5};
    int digits[MANY * 2];
    qkv__text text = {0}, again = {0};
    write_list(&text, &source, digits, rows, columns, "");
    qkv__document document = read_list("a.qkv", &text);
    qkv__text_format(&again, "x = ");
    qkv__node_write(only_list(&document), &again);
    qkv__document other = read_list("a.qkv", &again);
    check_table(only_list(&other), digits, rows, columns);
    qkv__document_free(&other);
    qkv__document_free(&document);
    qkv__text_free(&again);
    qkv__text_free(&text);
}

static void test_there_and_back(void **state)
{
    (void)state;
    check_there_and_back(0, MANY);
    check_there_and_back(MANY, 2);
    check_there_and_back(2, MANY);
}

/* ---- Lists that are not plain --------------------------------------------------------------- */

/* A list of many ones with something else in it, at its beginning, in its middle or at its end. */
static qkv__document read_with(const char *item, size_t where)
{
    qkv__text text = {0};
    qkv__text_format(&text, "x = [");
    for (size_t i = 0; i < MANY; i++)
        qkv__text_format(&text, "%s%s", i == 0 ? "" : ", ", i == where ? item : "1");
    qkv__text_format(&text, "]\n");
    qkv__document document = read_list("a.qkv", &text);
    qkv__text_free(&text);
    return document;
}

/* Such lists have a node per item, as short ones have. */
static void test_other_items(void **state)
{
    (void)state;
    static const char *const items[] = {"a",   "1/2",   "-e",       "2*3",     "(1)",  "½",
                                        "[1]", "[[1]]", "1 # µ\n ", "# µ\n 1", "1e17", "0.1^2"};
    static const size_t places[] = {0, MANY / 2, MANY - 1};
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++)
        for (size_t p = 0; p < 3; p++) {
            qkv__document document = read_with(items[i], places[p]);
            const qkv__node *list = only_list(&document);
            bool plain = strcmp(items[i], "1e17") == 0; /* which is one, and fits */
            assert_int_equal(list->table != NULL, plain);
            if (!plain) assert_int_equal(list->count, MANY);
            qkv__document_free(&document);
        }
}

static void check_refused(const char *item, size_t where, const char *message)
{
    qkv__document document = read_with(item, where);
    assert_true(document.complaint_count > 0);
    if (strstr(document.complaint[0].message, message) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", document.complaint[0].message, message);
    qkv__document_free(&document);
}

static void test_refused_items(void **state)
{
    (void)state;
    check_refused("1 2", MANY / 2, "found '2'");
    check_refused("-", MANY / 2, "expected an expression");
    check_refused("1..2..3", MANY / 2, "..");
    check_refused("1e99999", MANY / 2, "too large or too fine");
    check_refused("12345678901234567890123", MANY - 1, "too large or too fine");
    check_refused("1]", MANY - 1, "found ']'");
    check_refused("", MANY / 2, "expected an expression, found ','");
    check_refused("1 # \x01\n", MANY / 2, "control character U+0001");
}

/* A list without an end takes in the rest of the document, and is refused. */
static void test_no_end(void **state)
{
    (void)state;
    for (int nested = 0; nested < 2; nested++) {
        qkv__text text = {0};
        qkv__text_format(&text, nested ? "x = [[1" : "x = [1");
        for (size_t i = 0; i < MANY; i++) qkv__text_format(&text, ", 1");
        qkv__text_format(&text, nested ? "], [1] # no end" : " # no end");
        qkv__document document = read_list("a.qkv", &text);
        assert_int_equal(document.complaint_count, 1);
        assert_non_null(strstr(document.complaint[0].message, "expected ']' to close '['"));
        qkv__document_free(&document);
        qkv__text_free(&text);
    }
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* Row `odd`, counted from 1, has one number more than the others. */
static qkv__document read_ragged(size_t rows, size_t columns, size_t odd)
{
    qkv__text text = {0};
    qkv__text_format(&text, "x = [");
    for (size_t i = 1; i <= rows; i++) {
        qkv__text_format(&text, i == 1 ? "[" : ",\n  [");
        for (size_t j = 0; j < columns + (i == odd); j++)
            qkv__text_format(&text, j == 0 ? "1" : ", 1");
        qkv__text_format(&text, "]");
    }
    qkv__text_format(&text, "]\n");
    qkv__document document = read_list("a.qkv", &text);
    qkv__text_free(&text);
    return document;
}

static void test_ragged(void **state)
{
    (void)state;
    for (size_t odd = QKV__LIST_LONG + 1; odd <= MANY; odd++) {
        char message[128];
        qkv__document document = read_ragged(MANY, 2, odd);
        snprintf(message, sizeof message, "row %zu has 3 numbers, expected 2 as in the first row",
                 odd);
        assert_int_equal(document.complaint_count, 1);
        assert_string_equal(document.complaint[0].message, message);
        assert_int_equal(document.complaint[0].place.line, (int)odd);
        assert_int_equal(document.complaint[0].place.column, 3);
        qkv__document_free(&document);
    }
    qkv__document document = read_ragged(3, MANY, 2);
    assert_non_null(strstr(document.complaint[0].message, "row 2 has"));
    qkv__document_free(&document);
}

/* A few rows of a few numbers are short, however many numbers they have in all. */
static void test_short_rows(void **state)
{
    (void)state;
    qkv__document document = read_ragged(QKV__LIST_LONG, QKV__LIST_LONG, 0);
    assert_null(only_list(&document)->table);
    assert_int_equal(only_list(&document)->count, QKV__LIST_LONG);
    qkv__document_free(&document);
    document = read_ragged(8, 9, 5);
    assert_null(only_list(&document)->table);
    qkv__document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),       cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_other_items), cmocka_unit_test(test_refused_items),
        cmocka_unit_test(test_no_end),      cmocka_unit_test(test_ragged),
        cmocka_unit_test(test_short_rows),
    };
    return cmocka_run_group_tests_name("long_lists", tests, NULL, NULL);
}
