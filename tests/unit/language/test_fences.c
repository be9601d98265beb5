/*
 * Markdown without md4c: blocks are found by their fences. Built with the reader of documents as it
 * is in builds without md4c, in the place of the library's.
 */
#include "language/document.h"
#include "support/check.h"

#include "language/syntax.h"

static qkv__document read_text(const char *text)
{
    qkv__document document;
    qkv_error error;
    check_ok(qkv__document_read("test.md", text, strlen(text), &document, &error), &error);
    return document;
}

/* The lines that statements stand on, 0 at the end. */
static void check_lines(const char *text, const int *lines)
{
    qkv__document document = read_text(text);
    assert_int_equal(document.complaint_count, 0);
    for (const qkv__statement *s = document.first; s != NULL; s = s->next, lines++)
        assert_int_equal(s->place.line, *lines);
    assert_int_equal(*lines, 0);
    qkv__document_free(&document);
}

static void test_blocks(void **state)
{
    (void)state;
    check_lines("Words.\n```qkv\na = 1\n\nb = 2\n```\nc = 3\n", (int[]){3, 5, 0});
    check_lines("~~~ qkv, checked\na = 1\n~~~\n```qkv\r\nb = 2\r\n```\r\n", (int[]){2, 5, 0});
    check_lines("````qkv\na = 1\n`````\nb = 2\n", (int[]){2, 0});
}

static void test_other_blocks(void **state)
{
    (void)state;
    check_lines("```c\na = 1;\n```\n```qkvx\nb = 2\n```\n", (int[]){0});
    check_lines("~~~sh\n```qkv\na = 1\n```\n~~~\n", (int[]){0});
    check_lines("    ```qkv\n    a = 1\n    ```\n", (int[]){0}); /* code by indentation */
}

/* A fence that stands behind blanks takes as many from its lines; one that is not closed goes on.
 */
static void test_edges(void **state)
{
    (void)state;
    check_lines("  ```qkv\n  a = 1\n b = 2\n  ```\n", (int[]){2, 3, 0});
    check_lines("```qkv\na = 1\nb = 2", (int[]){2, 3, 0});
    check_lines("\xef\xbb\xbf```qkv\na = 1\n```\n", (int[]){2, 0});
    check_lines("```qkv\n```\n", (int[]){0});
    check_lines("", (int[]){0});
}

/* A shorter fence, or another sign, does not close a block: it is a mistake in it. */
static void test_shorter_fences(void **state)
{
    (void)state;
    qkv__document document = read_text("````qkv\na = 1\n```\nb = 2\n````\n");
    assert_int_equal(document.complaint_count, 1);
    assert_int_equal(document.complaint[0].place.line, 3);
    assert_int_equal(document.statement_count, 2);
    qkv__document_free(&document);
}

static void test_quotes(void **state)
{
    (void)state;
    qkv__document document = read_text("> ```qkv\n> a = 1\n> ```\n");
    assert_int_equal(document.complaint_count, 1);
    assert_int_equal(document.complaint[0].place.line, 1);
    assert_non_null(strstr(document.complaint[0].message, "at the margin"));
    assert_null(document.first);
    qkv__document_free(&document);
}

/* Columns are those of the file. */
static void test_places(void **state)
{
    (void)state;
    qkv__document document = read_text("Words.\n\n  ```qkv\n  a = ]\n  ```\n");
    assert_int_equal(document.complaint_count, 1);
    assert_int_equal(document.complaint[0].place.line, 4);
    assert_int_equal(document.complaint[0].place.column, 7);
    qkv__document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks), cmocka_unit_test(test_other_blocks),
        cmocka_unit_test(test_edges),  cmocka_unit_test(test_quotes),
        cmocka_unit_test(test_places), cmocka_unit_test(test_shorter_fences),
    };
    return cmocka_run_group_tests_name("tests", tests, NULL, NULL);
}
