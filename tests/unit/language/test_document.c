/*
 * Documents of the claim language: what is said about mistakes and where, how reading goes on
 * behind them, where the blocks of a Markdown document are, and what happens with texts of any
 * size, of no sense, and without memory.
 */
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>

#include <qkv/claim.h>

#include "base/memory.h"
#include "language/complaint.h"
#include "language/document.h"
#include "language/syntax.h"
#include "language/write.h"
#include "support/cases.h"
#include "support/random.h"

static qkv__document read_bytes(const char *name, const char *text, size_t length)
{
    qkv__document document;
    qkv_error error;
    check_ok(qkv__document_read(name, text, length, &document, &error), &error);
    return document;
}

static qkv__document read_text(const char *name, const char *text)
{
    return read_bytes(name, text, strlen(text));
}

/* ---- Complaints --------------------------------------------------------------------------- */

static void check_place(const qkv__complaint *c, int line, int column, const char *message)
{
    if (c->place.line != line || c->place.column != column || strcmp(c->message, message) != 0)
        fail_msg("%d:%d: %s\ninstead of\n%d:%d: %s", c->place.line, c->place.column, c->message,
                 line, column, message);
}

/* The first complaint about a text of one line, which is shown whole. */
static void check_complaint(const char *text, int column, const char *message)
{
    qkv__document document = read_text("test.qkv", text);
    if (document.complaint_count == 0) fail_msg("no complaint about %s", text);
    check_place(&document.complaint[0], 1, column, message);
    assert_string_equal(document.complaint[0].line, text);
    assert_int_equal(document.complaint[0].caret, column);
    qkv__document_free(&document);
}

static void test_complaints_about_expressions(void **state)
{
    (void)state;
    check_complaint("x = (1 + 2", 11, "expected ')' to close '(' of column 5, found end of line");
    check_complaint("x = att(1, 2]", 13, "expected ')' to close '(' of column 8, found ']'");
    check_complaint("x = [1; 2]", 7, "expected ']' to close '[' of column 5, found ';'");
    check_complaint("x = {1, 2", 10, "expected '}' to close '{' of column 5, found end of line");
    check_complaint("x = k[1)", 8, "expected ']' to close '[' of column 6, found ')'");
    check_complaint("x = |a # size", 7, "expected '|' to close '|' of column 5, found end of line");
    check_complaint("x = f(1, 2)", 5, "f is not a function: define f(x, y) = ... above");
    check_complaint("x = att(1, )", 12, "expected an expression, found ')'");
    check_complaint("x = a +", 8, "expected an expression, found end of line");
    check_complaint("x = a + * b", 9, "expected an expression, found '*'");
    check_complaint("x = β·", 7, "expected an expression, found end of line");
    check_complaint("x = 2 3", 7, "expected an operator or end of line, found '3'");
    check_complaint("x = a with 3", 13, "expected '=', found end of line");
    check_complaint("x = sum(a for 3 in S)", 15, "expected a name, found '3'");
    check_complaint("x = sum(a for i = S)", 17, "expected 'in', 'not in' or '!=', found '='");
    check_complaint("x = (a = b) + 1", 6,
                    "expected a number, vector or matrix, found a comparison");
    check_complaint("x = √(a < b)", 7, "expected a number, vector or matrix, found a comparison");
    check_complaint("x = att(a < b)", 11, "expected ')' to close '(' of column 8, found '<'");
    check_complaint("x = sum(a for i in (a = b))", 21,
                    "expected a number, vector or matrix, found a comparison");
    check_complaint("x = a = b", 7, "expected an operator or end of line, found '='");
    check_complaint("x = in", 5, "expected an expression, found 'in'");
    check_complaint("x = \"y\"", 5, "expected an expression, found '\"y\"'");
}

static void test_complaints_about_propositions(void **state)
{
    (void)state;
    check_complaint("claim: a + b", 13,
                    "expected a comparison ('=', '~', '<=' ...), found end of line");
    check_complaint("claim: a and b = 1", 10,
                    "expected a comparison ('=', '~', '<=' ...), found 'and'");
    check_complaint("claim: not a", 13,
                    "expected a comparison ('=', '~', '<=' ...), found end of line");
    check_complaint("claim: exists t a = t", 17, "expected ',' or ':', found 'a'");
    check_complaint("claim: for x: y = x", 12, "expected 'all', found 'x'");
    check_complaint("claim: a = as b -> 0", 12, "expected an expression, found 'as'");
    check_complaint("claim: (a = b) = c", 16,
                    "expected an operator, a condition (as, for, at, within, given, expect) or end "
                    "of line, found '='");
    check_complaint("claim: P(a given b > 0) = 1", 12,
                    "expected a comparison ('=', '~', '<=' ...), found 'given'");
}

static void test_complaints_about_conditions(void **state)
{
    (void)state;
    check_complaint("claim: a = b as beta", 21, "expected '->', found end of line");
    check_complaint("claim: a = b as x -> 0, y -> 0", 27,
                    "expected a comparison (limits are joined by 'then'), found '->'");
    check_complaint("claim: a = b for v", 19,
                    "expected a comparison ('=', '~', '<=' ...), found end of line");
    check_complaint("claim: a = b at n > 3", 17, "expected a value after 'at', such as n = 10");
    check_complaint("claim: a = b expect truth", 21,
                    "expected 'proved', 'refuted', 'supported' or 'undecided', found 'truth'");
    check_complaint("claim: a = b within", 20, "expected an expression, found end of line");
    check_complaint("as x -> 0", 10, "expected a condition or ':', found end of line");
    check_complaint("at n = 3: x = 2", 11, "expected end of line, found 'x'");
    check_complaint("at n = 3:", 1, "expected statements below this line, indented deeper");
}

static void test_complaints_about_statements(void **state)
{
    (void)state;
    check_complaint("clam: a = b", 1,
                    "no statement begins with 'clam': expected given, keys, values, claim, find "
                    "... or a definition x = ...");
    check_complaint("a ~ b", 3, "expected '=' (what is believed begins with 'claim:'), found '~'");
    check_complaint("(a) = b", 1, "expected a statement, found '('");
    check_complaint("c.weight = 2", 1, "expected a name to define: x, x[i] or f(x)");
    check_complaint("f(2) = 3", 3, "expected a name to define: x, x[i] or f(x)");
    check_complaint("claim a = b", 7, "expected ':', or a label and ':', found 'a'");
    check_complaint("problem two", 9, "expected a title in quotes, found 'two'");
    check_complaint("problem \"two", 9, "expected '\"' to close the title, found end of line");
    check_complaint("keys k", 7,
                    "expected '[' with indexes such as [1..n], '=' or '~', found end of line");
    check_complaint("keys k[1..n] unit", 14,
                    "expected 'orthonormal', 'orthogonal', 'norm', 'dimension' or end of line, "
                    "found 'unit'");
    check_complaint("matrix A B", 10, "expected ',' or end of line, found 'B'");
    check_complaint("pick a, b of S", 11, "expected ',', 'distinct' or 'in', found 'of'");
    check_complaint("pick a distinct", 16, "expected 'in', found end of line");
    check_complaint("find x y = 2", 8, "expected ',', ':' or 'such that', found 'y'");
    check_complaint("find x such y", 13, "expected 'that', found 'y'");
    check_complaint("law c", 5, "expected 'of', found 'c'");
    check_complaint("given n", 8, "expected a comparison ('=', '~', '<=' ...), found end of line");
}

static void test_complaints_about_characters(void **state)
{
    (void)state;
    check_complaint("claim: x == y", 10, "write '=' for equality");
    check_complaint("claim: \\foo{3} = 3", 8,
                    "this command of LaTeX is not known here: see the manual's list");
    check_complaint("claim: \\frac123 = 3", 14, "write braces: \\frac{...}{...}");
    check_complaint("claim: 2 \\frac{1}12 = 3", 18,
                    "expected braces: \\frac{...}{...}, found '12'");
    check_complaint("claim: \\frac{1}{2 = 3", 19,
                    "expected '}' to close '{' of column 16, found '='");
    check_complaint("claim: \\ln 2 x = 3", 8,
                    "write ln(...) with parentheses, to say what it is of");
    check_complaint("claim: \\lim_{t \\to 0} t < 1", 23,
                    "\\lim belongs before a single equation: \\lim x = y");
    check_complaint("claim: \\lim_{t \\to 0} t = t", 27,
                    "a limit does not depend on t: write x ~ y as t -> ...");
    check_complaint("claim: 0 = \\lim_{t \\to 0} t", 12,
                    "\\lim belongs at the beginning of a claim: \\lim x = y");
    check_complaint("claim: \\sum_i x_i = 0", 12,
                    "a '_' belongs in a name, k_a, or before braces: \\sum_{i=1}^{n}");
    check_complaint("claim: \\boldsymbol{\\frac} = 0", 8, "expected a name in the braces");
    check_complaint("x = a § b", 7, "character '§' (U+00A7) means nothing here");
    check_complaint("x = 99999999999999999999", 5,
                    "this number is too large or too fine for 64 bits");
    check_complaint("claim: β ≈ 1e400", 12, "this number is too large or too fine for 64 bits");
    qkv__document document = read_bytes("test.qkv", "x = \xff\t\x1b[31m \0", 13);
    check_place(&document.complaint[0], 1, 5, "byte 0xff is not UTF-8");
    /* Nothing that a terminal would obey is shown. */
    assert_string_equal(document.complaint[0].line,
                        "x = \xef\xbf\xbd \xef\xbf\xbd[31m \xef\xbf\xbd");
    qkv__document_free(&document);
    document = read_bytes("test.qkv", "x = \0", 5);
    check_place(&document.complaint[0], 1, 5, "control character U+0000 is not text");
    qkv__document_free(&document);
}

/* A long line is cut to 200 characters around the place; the caret moves with it. */
static void test_long_lines(void **state)
{
    (void)state;
    enum { LENGTH = 1000 };
    char text[2 * LENGTH + 1] = "";
    for (int column = 3; column < LENGTH; column += 7) {
        size_t at = 2;
        memcpy(text, "x=", at);
        for (int i = 3; i <= LENGTH; i++, at += 2) /* bytes are no columns */
            memcpy(text + at, i == column ? "§" : "β", 2);
        qkv__document document = read_bytes("test.qkv", text, at);
        const qkv__complaint *c = &document.complaint[0];
        assert_int_equal(document.complaint_count, 1);
        assert_int_equal(c->place.column, column);
        size_t shown = 0, byte = 0;
        for (size_t i = 0; c->line[i] != '\0'; i++) {
            if (((unsigned char)c->line[i] & 0xc0) == 0x80) continue;
            if (++shown == (size_t)c->caret) byte = i;
        }
        assert_true(shown <= 200);
        assert_memory_equal(c->line + byte, "§", 2);
        qkv__document_free(&document);
    }
}

/* Each statement with a mistake is reported once, and the good ones between are there. */
static void test_recovery(void **state)
{
    (void)state;
    qkv__document document = read_text("test.qkv", "a = (1 +\n  ] ) ) # and so on\n"
                                                   "b = 2; c = ; d = 3\n"
                                                   "e = f(1\n"
                                                   "claim: e\n"
                                                   "as x -> 0:\n"
                                                   "  g = +; h = 4\n"
                                                   "  i = [1,\n"
                                                   "j = 5\n");
    static const struct {
        int line, column;
    } places[] = {{2, 3}, {3, 12}, {4, 8}, {5, 9}, {7, 7}, {8, 10}};
    assert_int_equal(document.complaint_count, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(document.complaint[i].place.line, places[i].line);
        assert_int_equal(document.complaint[i].place.column, places[i].column);
    }
    assert_int_equal(document.statement_count, 5);
    assert_string_equal(document.first->source, "b = 2");
    assert_string_equal(document.first->next->source, "d = 3");
    assert_string_equal(document.first->next->next->inside->source, "h = 4");
    assert_string_equal(document.first->next->next->next->source, "j = 5");
    assert_string_equal(document.complaint[2].message,
                        "expected ')' to close '(' of column 6, found end of line");
    qkv__document_free(&document);
}

/* Both '~' and what stands before it are wrong; the first mistake is enough. */
static void test_one_complaint_a_statement(void **state)
{
    (void)state;
    qkv__document document = read_text("test.qkv", "c.weight ~ 2\n");
    assert_int_equal(document.complaint_count, 1);
    qkv__document_free(&document);
}

static void test_open_brackets_of_other_lines(void **state)
{
    (void)state;
    qkv__document document = read_text("test.qkv", "x = att(a,\n      b\ny = 2");
    check_place(&document.complaint[0], 2, 8,
                "expected ')' to close '(' of line 1, column 8, found end of line");
    assert_string_equal(document.complaint[0].line, "      b");
    assert_int_equal(document.statement_count, 1);
    qkv__document_free(&document);
}

static void test_at_most_twenty(void **state)
{
    (void)state;
    char text[200] = "";
    for (int i = 0; i < 30; i++) strcat(text, "x = ;\n");
    strcat(text, "y = 1\n");
    qkv__document document = read_text("test.qkv", text);
    assert_int_equal(document.complaint_count, QKV__COMPLAINTS);
    assert_int_equal(document.complaint[19].place.line, 20);
    assert_int_equal(document.statement_count, 0);
    qkv__document_complain(&document, (qkv__place){1, 1, 2}, "one more");
    assert_int_equal(document.complaint_count, QKV__COMPLAINTS);
    qkv__document_free(&document);
}

/* Those who read the tree complain as the parser does. */
static void test_later_complaints(void **state)
{
    (void)state;
    qkv__document document = read_text("test.qkv", "\xef\xbb\xbfx = 1\r\n\r\n\tβ = y");
    qkv__document_complain(&document, document.first->next->node[1]->place, "unknown name");
    check_place(&document.complaint[0], 3, 6, "unknown name");
    assert_string_equal(document.complaint[0].line, " β = y");
    assert_int_equal(document.complaint[0].caret, 6);
    qkv__document_complain(&document, document.first->place, "again");
    assert_string_equal(document.complaint[1].line, "x = 1");
    qkv__document_free(&document);
}

/* The first line that was lost behind one and up to another; of too many, any may be. */
static void test_lost_lines(void **state)
{
    (void)state;
    qkv__document document = {.text = ""};
    assert_int_equal(qkv__document_lost(&document, 0, 100), 0);
    for (int i = QKV__COMPLAINTS; i > 0; i--) qkv__document_lose(&document, 10 * i);
    assert_int_equal(qkv__document_lost(&document, 0, 9), 0);
    assert_int_equal(qkv__document_lost(&document, 0, 10), 10);
    assert_int_equal(qkv__document_lost(&document, 0, 100), 10);
    assert_int_equal(qkv__document_lost(&document, 10, 100), 20);
    assert_int_equal(qkv__document_lost(&document, 10 * QKV__COMPLAINTS, 1000), 0);
    qkv__document_lose(&document, 2000);
    assert_int_equal(qkv__document_lost(&document, 10 * QKV__COMPLAINTS, 1000), 1000);
}

/* ---- Markdown ----------------------------------------------------------------------------- */

/* A build without md4c says so, and has nothing else to be tested here. */
static bool reads_markdown(void)
{
    qkv__document document = read_text("test.md", "text");
    bool reads = document.complaint_count == 0;
    qkv__document_free(&document);
    return reads;
}

/* The places of all statements, those inside blocks too: "5:3 6:7 ". */
static void list_places(const qkv__statement *s, qkv__text *text)
{
    for (; s != NULL; s = s->next) {
        qkv__text_format(text, "%d:%d ", s->place.line, s->place.column);
        list_places(s->inside, text);
    }
}

static void check_places(const char *name, const char *text, const char *expected)
{
    qkv__document document = read_text(name, text);
    qkv__text places = {0};
    qkv__text_append(&places, "", 0);
    list_places(document.first, &places);
    if (document.complaint_count > 0)
        fail_msg("%d:%d: %s", document.complaint[0].place.line, document.complaint[0].place.column,
                 document.complaint[0].message);
    assert_string_equal(places.data, expected);
    qkv__text_free(&places);
    qkv__document_free(&document);
}

/* The three blanks beside space and tab, and the three ways to end a line. */
static void test_blanks_and_line_ends(void **state)
{
    (void)state;
    check_places("a.qkv",
                 "x\xc2\xa0=\xe2\x80\x89"
                 "1\xe2\x80\xaf+ 2\n",
                 "1:1 ");
    check_places("a.qkv", "x = 1\ry = 2\r\nz = 3\r", "1:1 2:1 3:1 ");
    check_places("a.qkv", "S = {\n1, 2\n}\n", "1:1 ");
    check_places("a.qkv", "\xef\xbb\xbf", "");
}

/* What a terminal would obey is refused in comments and titles as well, and not shown. */
static void test_control_characters(void **state)
{
    (void)state;
    static const char *const signs[] = {"\x01", "\x1f", "\x7f", "\xc2\x80", "\xc2\x9f", "\xff"};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        static const char *const frames[] = {"# a%sb\n", "problem \"a%sb\"\n",
                                             "x = 1 # a%sb\ny = 2"};
        for (size_t f = 0; f < 3; f++) {
            char text[64];
            snprintf(text, sizeof text, frames[f], signs[i]);
            qkv__document document = read_text("test.qkv", text);
            assert_true(document.complaint_count > 0);
            assert_non_null(strstr(document.complaint[0].line, "a\xef\xbf\xbd"
                                                               "b"));
            qkv__document_free(&document);
        }
    }
    check_places("a.qkv", "# a\tb\xc2\xa0\n", "");
}

static void test_blocks_of_markdown(void **state)
{
    (void)state;
    if (!reads_markdown()) skip();
    check_places("a.md", "# Title\n\n```qkv\nx = 1\n\ny = 2\n```\nz = 3\n", "4:1 6:1 ");
    check_places("a.md", "~~~~ qkv more\nx = 1\n#~~~\ny = 2\n~~~~\nz = 3", "2:1 4:1 ");
    check_places("a.markdown", "```qkv\nx = 1\n", "2:1 "); /* never closed */
    check_places("a.md", "```qkv\r\nx = 1\r\n  \r\ny = 2\r\n```\r\n", "2:1 4:1 ");
    check_places("a.md", "```qkv\nx = 1\n```\n```qkv\ny = 2\n```\n", "2:1 5:1 ");
    check_places("a.md", "\xef\xbb\xbf```qkv\nx = 1\n```\n", "2:1 ");
    check_places("a.md", "```qkvx\nx = 1\n```\n```c\ny = 1\n```\n    ```qkv\n    z\n", "");
    check_places("a.md", "```qkv\n```\n\n```qkv\n\n\n```\n", "");
    check_places("a.md", "<!--\n```qkv\nx = 1\n```\n-->\n", ""); /* a comment is no block */
    check_places("a.md", "", "");
}

/* Where Markdown takes something off the beginning of a line, columns still count it. */
static void test_columns_of_markdown(void **state)
{
    (void)state;
    if (!reads_markdown()) skip();
    check_places("a.md", "  ```qkv\n  x = 1\n   y = 2\nz = 3\n  ```\n", "2:3 3:4 4:1 ");
    check_places("a.md", "- text\n\n  ```qkv\n  x = 1\n  as a -> 0:\n     y = 2\n  ```\n",
                 "4:3 5:3 6:6 ");
    check_places("a.md", "1. ```qkv\n   x = 1\n   ```\n", "2:4 ");
    check_places("a.md", "> ```qkv\n> x = 1\n>y = 2\n> ```\n", "2:3 3:2 ");
    check_places("a.md", "> - ```qkv\n>   x = 1; y = 2\n>   ```\n", "2:5 2:12 ");
    check_places("a.md", "- \xce\xb2 text\n\t```qkv\n\tx = 1\n\t```\n", "3:2 ");
    check_places("a.md", "- ```qkv\n\tx = 1\n  ```\n", "2:2 ");
}

/* Indentation is what Markdown leaves of it: the margin opens no block, whatever its width. */
static void test_indentation_in_markdown(void **state)
{
    (void)state;
    if (!reads_markdown()) skip();
    qkv__document document = read_text("a.md", "> ```qkv\n>as a -> 0:\n>   x = 1\n> y = 2\n"
                                               ">   # deeper\n> claim: x = y\n>    for n = 3\n");
    assert_int_equal(document.complaint_count, 0);
    const qkv__statement *block = document.first;
    assert_string_equal(block->inside->source, "x = 1");
    assert_null(block->inside->next);
    assert_string_equal(block->next->source, "y = 2");
    assert_string_equal(block->next->next->source, "claim: x = y for n = 3");
    qkv__document_free(&document);
}

static void test_complaints_in_markdown(void **state)
{
    (void)state;
    if (!reads_markdown()) skip();
    static const char text[] =
        "text\n\n> ```qkv\n> x = (1\n> ```\n\n- ```qkv\n  β = \1\0 ;\n  y = §\n";
    qkv__document document = read_bytes("a.md", text, sizeof text - 1);
    assert_int_equal(document.complaint_count, 3);
    check_place(&document.complaint[0], 4, 9,
                "expected ')' to close '(' of column 7, found end of line");
    assert_string_equal(document.complaint[0].line, "> x = (1"); /* as it is in the file */
    assert_int_equal(document.complaint[0].caret, 9);
    check_place(&document.complaint[1], 8, 7, "control character U+0001 is not text");
    check_place(&document.complaint[2], 9, 7, "character '§' (U+00A7) means nothing here");
    assert_string_equal(document.complaint[2].line, "  y = §");
    qkv__document_free(&document);
    document = read_text("a.md", "```qkv\n\1x = 1\n```\n");
    check_place(&document.complaint[0], 2, 1, "control character U+0001 is not text");
    qkv__document_free(&document);
    document = read_bytes("a.md", "```qkv\n\0x = 1\n```\n", 18);
    check_place(&document.complaint[0], 2, 1, "control character U+0000 is not text");
    qkv__document_free(&document);
}

static void test_which_documents_are_markdown(void **state)
{
    (void)state;
    if (!reads_markdown()) skip();
    const char *markdown = "Text.\n\n- > ~~~  qkv\n  > x = 1\n";
    check_places("a.md", markdown, "4:5 ");
    check_places("-", markdown, "4:5 ");
    check_places("answers.txt", markdown, "4:5 ");
    check_places("-", "x = 1 # ```qkv\n", "1:1 ");
    check_places("a.txt", "x = 1\n", "1:1 ");
    qkv__document document = read_text("a.qkv", markdown); /* never, by its name */
    assert_true(document.complaint_count > 0);
    qkv__document_free(&document);
}

/* A fence is three signs of a kind or more, behind nothing but what opens quotes and lists. */
static void test_what_is_a_fence(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t length;
        bool fence;
    } lines[] = {
        {"```qkv", 6, true},
        {"~~~qkv", 6, true},
        {"````  qkv", 9, true},
        {"~~~~\tqkv", 8, true},
        {"1. > ```qkv", 11, true},
        {"\t* + ```qkv {x}", 16, true},
        {"23) - ```qkvx", 13, true},
        {"x\r```qkv", 8, true},
        {"\n\n```qkv", 8, true},
        {"``qkv", 5, false},
        {"``~qkv", 6, false},
        {"```qk", 5, false},
        {"```", 3, false},
        {"```  ", 5, false},
        {"```qkw", 6, false},
        {"text ```qkv", 11, false},
        {"\0```qkv", 7, false},
        {"```\0qkv", 7, false},
        {"- ", 2, false},
        {"", 0, false},
        {"``", 2, false},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (qkv_is_markdown("-", lines[i].text, lines[i].length) != lines[i].fence)
            fail_msg("%zu: \"%s\"", i, lines[i].text);
    assert_true(qkv_is_markdown("a.markdown", "", 0));
    assert_false(qkv_is_markdown("md", "", 0));
}

/* Any prefix of a line that keeps it in the block: the statement is found at its own column. */
static void test_random_margins(void **state)
{
    (void)state;
    if (!reads_markdown()) skip();
    static const char *const margins[][2] = {
        {"> ", "> "}, {"- ", "  "}, {"1. ", "   "}, {" ", " "}};
    random_source random = {7};
    for (int round = 0; round < 2000; round++) {
        char first[80] = "", rest[80] = "", text[600], expected[80];
        for (size_t depth = random_below(&random, 4); depth > 0; depth--) {
            size_t which = random_below(&random, 4);
            if (which == 3 && depth > 1) continue; /* blanks in front of a list change nothing */
            strcat(first, margins[which][0]);
            strcat(rest, margins[which][1]);
        }
        int before = (int)random_below(&random, 4), column = (int)strlen(rest) + 1;
        snprintf(text, sizeof text, "%.*stext\n\n%s```qkv\n%s\n%sas a -> 0:\n%s  x = 1\n%sy = β\n",
                 before, "\n\n\n", first, rest, rest, rest, rest);
        snprintf(expected, sizeof expected, "%d:%d %d:%d %d:%d ", before + 5, column, before + 6,
                 column + 2, before + 7, column);
        check_places("a.md", text, expected);
    }
}

/* ---- Limits ------------------------------------------------------------------------------- */

static char *repeat(const char *front, const char *piece, size_t times, const char *behind)
{
    size_t size = strlen(piece);
    char *text = malloc(strlen(front) + times * size + strlen(behind) + 1);
    assert_non_null(text);
    strcpy(text, front);
    char *at = text + strlen(front);
    for (size_t i = 0; i < times; i++, at += size) memcpy(at, piece, size);
    strcpy(at, behind);
    return text;
}

/* `times` of the piece is fine; one more gets the message. */
static void check_limit(const char *front, const char *piece, size_t times, const char *middle,
                        const char *closing, const char *message)
{
    for (size_t more = 0; more < 2; more++) {
        char *end = repeat(middle, closing, times + more, "");
        char *text = repeat(front, piece, times + more, end);
        qkv__document document = read_text("test.qkv", text);
        assert_int_equal(document.complaint_count, more);
        if (more == 1) assert_string_equal(document.complaint[0].message, message);
        if (more == 0) { /* what is accepted can be written without harm */
            qkv__text written = {0};
            qkv__node_write(document.first->node[document.first->count - 1], &written);
            assert_true(written.length >= times);
            qkv__text_free(&written);
        }
        qkv__document_free(&document);
        free(text);
        free(end);
    }
}

static void test_nesting(void **state)
{
    (void)state;
    const char *message = "nested deeper than 200 levels";
    check_limit("x=", "-(", 100, "a", ")", message);
    check_limit("x=", "[", 200, "a", "]", message);
    check_limit("x=", "f(", 200, "a", ")", message);
    check_limit("x=", "a[", 200, "a", "]", message);
    check_limit("x=", "-", 200, "a", "", message);
    check_limit("x=", "a^", 200, "a", "", message);
    check_limit("x=", "\xe2\x88\x9a", 200, "a", "", message);
    check_limit("claim:", "not ", 200, "a=b", "", message);
    check_limit("claim:", "a=b=>", 200, "a=b", "", message);
    check_limit("claim:", "exists t:", 200, "a=b", "", message);
}

static void test_tree_depth(void **state)
{
    (void)state;
    const char *message = "more than 1000 operations, one upon the other";
    check_limit("x=a", "+a", 999, "", "", message);
    check_limit("x=a", " a", 999, "", "", message);
    check_limit("x=a", "'", 999, "", "", message);
    check_limit("x=a", ".a", 999, "", "", message);
    check_limit("claim: a = b", " = b", 998, "", "", message);
}

static void test_blocks_within_blocks(void **state)
{
    (void)state;
    qkv__text text = {0};
    for (int i = 0; i < 300; i++) qkv__text_format(&text, "%*sas x -> 0:\n", i, "");
    qkv__text_format(&text, "%*sx = 1\n", 300, "");
    qkv__document document = read_text("test.qkv", text.data);
    assert_int_equal(document.complaint_count, QKV__COMPLAINTS);
    assert_string_equal(document.complaint[0].message, "nested deeper than 200 levels");
    qkv__document_free(&document);
    document = read_text("test.qkv", "as x -> 0:\n  problem \"p\"\n");
    check_place(&document.complaint[0], 2, 3, "a problem cannot begin inside a block");
    qkv__document_free(&document);
    qkv__text_free(&text);
}

/* Large texts of no sense, as a whole and as Markdown: an end, and no more than 20 complaints. What
 * takes quadratic time would not come to one. */
static void test_large_garbage(void **state)
{
    static const char *const pieces[] = {
        "(",    "x ",       "x\n",    "\n",       "x = (1\n\n",
        "-",    "|",        "\xff",   "`",        "claim: a = b for ",
        "a^",   "'",        "1",      ";",        "x = [1,\n",
        "> - ", "```qkv\n", "# \xc3", "claim a.", "as x -> 0:\n ",
        "\"",   "\xc2\xb2", "x =\n",  "a with ",  "\xce\xb2"};
    const size_t size = 1000000 / (QKV_SANITIZED ? (size_t)cases_step() : 1);
    (void)state;
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        char *text = repeat("x = ", pieces[i], size / strlen(pieces[i]), "");
        for (int markdown = 0; markdown < 2; markdown++) {
            qkv__document document = read_text(markdown ? "a.md" : "a.qkv", text);
            assert_true(document.complaint_count <= QKV__COMPLAINTS);
            qkv__document_free(&document);
        }
        free(text);
    }
}

/* ---- Memory ------------------------------------------------------------------------------- */

/* Each allocation fails once; the call says so and keeps nothing. */
static void fail_each(const char *name, const char *text)
{
    long live = qkv__memory_live(), failures = 0;
    for (;; failures++) {
        qkv__document document;
        qkv_error error;
        qkv__memory_fail_after(failures);
        qkv_status status = qkv__document_read(name, text, strlen(text), &document, &error);
        qkv__memory_fail_after(-1);
        if (status == QKV_OK) {
            qkv__document_free(&document);
            break;
        }
        check_error(status, QKV_ERROR_MEMORY, &error, "out of memory");
        assert_null(document.first);
        assert_int_equal(qkv__memory_live(), live);
    }
    assert_int_equal(qkv__memory_live(), live);
    assert_true(failures > 1);
}

static void test_no_memory(void **state)
{
    (void)state;
    char *large = repeat("x = [", "f(μ_a), |y|, 0.5, ", 400, "1]\n");
    char *text = repeat(large,
                        "claim A: exists t: k[a].q ~ 1 and not P(x = y given z > 0) < 1/2 as b -> "
                        "inf, expect refuted\nfor all n >= 3:\n  keys k[1..n] orthonormal, norm 1\n"
                        "x = (\ny = sum(x for i in {a})\n",
                        15, "problem \"p\"; law of x");
    char *markdown = repeat("> ```qkv\n> ", text, 1, "");
    fail_each("a.qkv", text);
    if (reads_markdown()) fail_each("a.md", markdown);
    free(large);
    free(text);
    free(markdown);
}

/* Every production of the grammar, and mistakes. Memory comes in blocks, and a comment in front
 * moves where one ends: so each piece of the tree is the first without room once. */
static const char everything[] =
    "problem \"all of it\"\n"
    "given n >= 3, beta > 0\n"
    "keys k[1..n] orthonormal, norm β_1, dimension d\n"
    "values v[1..n] = 2*k[i], w[1..n]\n"
    "means mu[a,b] orthogonal\n"
    "keys k[i] ~ normal(mu[i], alpha*I)\n"
    "keys u = [[1, 0],\n          [.5, -1e3]]\n"
    "keys t = file(\"t.csv\")\n"
    "matrix X[n,d], W_Q[d,m]; permutation P[n]; scalar s; vector q\n"
    "pick a, b distinct in 1..n\n"
    "assume A'*A = I, A'*B = 0\n"
    "att(X) = softmax(X*W_Q*(X*W_Q)')*X\n"
    "x[1] = u[d] + ½ √2 − |q|²; c = attend(q, k, v, scale = 1)\n"
    "y = self_attend(x with x[2] = u[a] + t*u[d])[2]\n"
    "z = sum(x[i]·q for i not in {a, b}) - mean(v) / (n - 2 + 2 e^beta)\n"
    "claim S0.1: c.weight[a] = e^β/(n - 2) or not x in hull(v)   as beta -> inf, expect proved\n"
    "claim: for all i in 1..n, matrix Q[d,d]: exists t >= 1, vector r: t*r = q implies 1 < 2\n"
    "claim: P(c ~ v[a] given k[a].mu[a] > 0) in 0.1 .. 0.2   at n = 10, within 1e-6, given s = 1\n"
    "find least beta: 1 - c.weight[a] <= 0.01, n = 10\n"
    "find K, Q[d,d] such that\n  z ~ u[b]   for all s, t\n"
    "law of c.weight[a]\n"
    "as alpha -> 0 then beta -> oo:\n    claim: Cov(x, y) = -Var(z)^-1\n"
    "for n = 3:\n  at s = 2:\n    claim: max(1, 2) != ‖x‖\n"
    "x = (1 +\nclaim: 1 = = 2\nwhat is this\nfor n = 4:\nclaim: §\n";

static void test_no_memory_anywhere(void **state)
{
    (void)state;
    char *numbers = repeat("x = [1", ", -1.5", 80, "]\n");
    char *text = repeat(numbers, everything, 1, "");
    for (size_t length = 0; length < 4096; length += 16 * (size_t)cases_step()) {
        char *padded = repeat("#", " ", length, "\n"), *whole = repeat(padded, text, 1, "");
        fail_each("a.qkv", whole);
        free(padded);
        free(whole);
    }
    free(numbers);
    free(text);
}

static void test_empty(void **state)
{
    (void)state;
    check_places("a.qkv", "", "");
    check_places("-", "\n\n# x", "");
    qkv__document document = read_bytes("a.qkv", NULL, 0);
    assert_int_equal(document.statement_count, 0);
    assert_string_equal(document.name, "a.qkv");
    qkv__document_free(&document);
    qkv__document_free(&document); /* twice is fine */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_complaints_about_expressions),
        cmocka_unit_test(test_complaints_about_propositions),
        cmocka_unit_test(test_complaints_about_conditions),
        cmocka_unit_test(test_complaints_about_statements),
        cmocka_unit_test(test_complaints_about_characters),
        cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_recovery),
        cmocka_unit_test(test_one_complaint_a_statement),
        cmocka_unit_test(test_open_brackets_of_other_lines),
        cmocka_unit_test(test_at_most_twenty),
        cmocka_unit_test(test_later_complaints),
        cmocka_unit_test(test_lost_lines),
        cmocka_unit_test(test_blanks_and_line_ends),
        cmocka_unit_test(test_control_characters),
        cmocka_unit_test(test_blocks_of_markdown),
        cmocka_unit_test(test_columns_of_markdown),
        cmocka_unit_test(test_indentation_in_markdown),
        cmocka_unit_test(test_complaints_in_markdown),
        cmocka_unit_test(test_which_documents_are_markdown),
        cmocka_unit_test(test_what_is_a_fence),
        cmocka_unit_test(test_random_margins),
        cmocka_unit_test(test_nesting),
        cmocka_unit_test(test_tree_depth),
        cmocka_unit_test(test_blocks_within_blocks),
        cmocka_unit_test(test_large_garbage),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_no_memory_anywhere),
        cmocka_unit_test(test_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
