/* Reports as HTML: markup that is escaped, structure, the same bytes, and running out of memory.
 * What a browser would make of them is tested through the command line. */
#include <string.h>

#include "support/check.h"

#include <qkv/html.h>

#include "base/memory.h"
#include "base/text.h"

static size_t count_of(const char *text, const char *piece)
{
    size_t count = 0;
    while ((text = strstr(text, piece)) != NULL) {
        count++;
        text += strlen(piece);
    }
    return count;
}

/* The page of one document; to be freed. NULL where there is no memory. */
static char *render(const char *name, const char *text, size_t length, bool derived)
{
    qkv_html *html = NULL;
    qkv_report *report = NULL;
    qkv_picture page = {.data = NULL};
    qkv_error error;
    qkv_status status = qkv_html_create(NULL, &html, &error);
    if (status == QKV_OK)
        status = derived ? qkv_explain(name, text, length, NULL, &report, &error)
                         : qkv_check(name, text, length, &report, &error);
    if (status == QKV_OK) status = qkv_html_add(html, name, text, length, report, &error);
    if (status == QKV_OK) status = qkv_html_render(html, &page, &error);
    if (status != QKV_OK) assert_int_equal(status, QKV_ERROR_MEMORY);
    qkv_report_free(&report);
    qkv_html_free(&html);
    return page.data;
}

/* ---- Escapes ----------------------------------------------------------------------------- */

static void test_markup(void **state)
{
    static const struct {
        const char *bytes, *markup;
    } cases[] = {
        {"a<b>&\"'", "a&lt;b&gt;&amp;&quot;&#39;"},
        {"\t\n x", "\t\n x"},
        {"\001\033\177", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xc3\xa9 \xe2\x9c\x93 \xf0\x9d\x94\xb8", "\xc3\xa9 \xe2\x9c\x93 \xf0\x9d\x94\xb8"},
        {"\xff\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* a surrogate */
        {"\xef\xbf\xbe\xc2\x85", "\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xe2\x9c", "\xef\xbf\xbd\xef\xbf\xbd"}, /* cut short */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        qkv__text text = {0};
        qkv__text_markup(&text, cases[i].bytes, strlen(cases[i].bytes));
        assert_string_equal(text.data, cases[i].markup);
        qkv__text_free(&text);
    }
}

/* ---- Structure --------------------------------------------------------------------------- */

static const char document[] = "# Title <x>\n\n"
                               "```qkv\n"
                               "given n >= 3\n"
                               "keys k[1..n] orthonormal\n"
                               "values v[1..n]\n"
                               "pick a, b distinct in 1..n\n"
                               "c = attend(beta*(k[a] + k[b]), k, v)\n"
                               "claim one: c ~ 1/2 (v[a] + v[b]) as beta -> inf\n"
                               "claim two: c ~ v[a] as beta -> inf\n"
                               "```\n\n"
                               "<!-- ```qkv\nclaim hidden: 1 = 1\n``` -->\n";

/* Nothing behind the end of a text is part of it, not even what would close a link. */
static void test_no_byte_behind(void **state)
{
    (void)state;
    static const char text[] = "[a](b) behind, and on";
    for (size_t length = 0; length <= 6; length++) {
        char *page = render("a.md", text, length, false);
        assert_non_null(page);
        assert_int_equal(count_of(page, "behind"), 0);
        assert_int_equal(count_of(page, "href=\"b\""), 0);
        /* In the text, and in the complaint that no claims are in it. */
        assert_int_equal(count_of(page, "[a](b"), (length == 5) + (length >= 5));
        qkv__free(page);
    }
}

static void test_parts(void **state)
{
    (void)state;
    char *page = render("a.md", document, strlen(document), true);
    assert_non_null(page);
    assert_int_equal(count_of(page, "<article "), 2);
    assert_int_equal(count_of(page, "<figure>"), 2);
    assert_int_equal(count_of(page, "<details>"), 2);
    assert_int_equal(count_of(page, "id=\"d1-c1\""), 1);
    assert_int_equal(count_of(page, ">Title &lt;x&gt;<"), 2); /* itself, and in the contents */
    assert_int_equal(count_of(page, "<x>"), 0);
    assert_int_equal(count_of(page, "a mistake"), 3); /* on the card, and a square's two names */
    assert_int_equal(count_of(page, " aria-label=\"two, line"), 1);
    qkv__free(page);
}

/* From qkv_check there are verdicts alone. */
static void test_verdicts_alone(void **state)
{
    (void)state;
    char *page = render("a.md", document, strlen(document), false);
    assert_non_null(page);
    assert_int_equal(count_of(page, "<article "), 2);
    assert_int_equal(count_of(page, "<figure>") + count_of(page, "<details>"), 0);
    qkv__free(page);
}

/* What the body of a page has for a text of Markdown. */
static void expect_formula(const char *text, const char *markup)
{
    char *page = render("x.md", text, strlen(text), false);
    if (strstr(page, markup) == NULL) fail_msg("%s: no %s", text, markup);
    qkv__free(page);
}

static void test_formulas(void **state)
{
    static const char *const cases[][2] = {
        {"It is $\\alpha_a$.",
         "<span class=\"formula\" "
         "title=\"\\alpha_a\"><math><msub><mi>α</mi><mi>a</mi></msub></math>"},
        {"$$\\frac{e^\\beta}{n-2+2e^{\\beta}}$$",
         "<math "
         "display=\"block\"><mfrac><mrow><msup><mi>e</mi><mi>β</mi></msup></mrow><mrow><mi>n</mi>"
         "<mo>−</mo><mn>2</mn><mo>+</mo><mn>2</mn><msup><mi>e</mi><mrow><mi>β</mi></mrow></msup>"
         "</mrow></mfrac></math>"},
        {"$$\\sum_{i=1}^n v_i$$",
         "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow>"
         "<mi>n</mi></munderover><msub><mi>v</mi><mi>i</mi></msub>"},
        {"$x^2_1$", "<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>"},
        {"$\\text{if } x<0.5$",
         "<mi mathvariant=\"normal\">if </mi><mi>x</mi><mo>&lt;</mo><mn>0.5</mn>"},
        {"$\\frac12x$", "<mfrac><mn>1</mn><mn>2</mn></mfrac><mi>x</mi>"},
        {"$\\tfrac1n$", "<mfrac><mn>1</mn><mi>n</mi></mfrac>"},
        {"$x^23$", "<msup><mi>x</mi><mn>2</mn></msup><mn>3</mn>"},
        {"$\\mathbf k_a$",
         "<msub><mi mathvariant=\"normal\" class=\"bold\">k</mi><mi>a</mi></msub>"},
        {"$\\boldsymbol\\mu_a$", "<msub><mrow class=\"bold\"><mi>μ</mi></mrow><mi>a</mi></msub>"},
        {"$\\mathbb{R}^d$",
         "<msup><mi>&#x211d;</mi><mi>d</mi></msup>"}, /* the sign for the reals */
        {"$\\mathbb{E}$", "<mi>&#x1d53c;</mi>"},
        {"$\\mathcal{N}$", "<mi>&#x1d4a9;</mi>"},
        {"$\\langle x,y\\rangle$", "<mo stretchy=\"false\">⟨</mo><mi>x</mi><mo>,</mo><mi>y</mi><mo "
                                   "stretchy=\"false\">⟩</mo>"},
        {"$\\left(\\frac12\\right)(x)$",
         "<mo>(</mo><mfrac><mn>1</mn><mn>2</mn></mfrac><mo>)</mo><mo stretchy=\"false\">(</mo>"},
        {"$aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa^{t} + bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb^{c+d} - e$",
         "</msup><mo form=\"infix\">+</mo></math><wbr/><math><mi>b</mi>"},
        {"$= -aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\\left(b + c\\right) b^{c + d}bbbbbbb$",
         "<math><mo>=</mo><mo>−</mo><mi>a</mi>"},
        {"$aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\\left(b + c\\right) b^{c + d}$",
         "<mo>(</mo><mi>b</mi><mo>+</mo><mi>c</mi><mo>)</mo><msup><mi>b</mi><mrow><mi>c</mi><mo>+"
         "</mo><mi>d</mi></mrow></msup></math>"},
        {"$\\mathbb{e}$", "<code>\\mathbb{e}</code>"},
        {"$\\mathbf$", "<code>\\mathbf</code>"},
        {"$\\mathbf{k$", "<code>\\mathbf{k</code>"},
        {"$\\frac1$", "<code>\\frac1</code>"},
        {"$\\unknown{x}$", "<code>\\unknown{x}</code>"}, /* all or nothing */
        {"$\\frac{x}$", "<code>\\frac{x}</code>"},
        {"$x_$", "<code>x_</code>"},
        {"$_1$", "<code>_1</code>"},
        {"$a}$", "<code>a}</code>"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_formula(cases[i][0], cases[i][1]);
}

static void test_same_bytes(void **state)
{
    (void)state;
    char *first = render("a.md", document, strlen(document), true);
    char *second = render("a.md", document, strlen(document), true);
    assert_string_equal(first, second);
    qkv__free(first);
    qkv__free(second);
}

static void test_arguments(void **state)
{
    (void)state;
    qkv_html *html = NULL;
    qkv_error error;
    qkv_html_options options = {.struct_size = 0};
    assert_int_equal(qkv_html_create(&options, &html, &error), QKV_ERROR_ARGUMENT);
    assert_null(html);
    check_ok(qkv_html_create(NULL, &html, &error), &error);
    assert_int_equal(qkv_html_add(html, NULL, "", 0, NULL, &error), QKV_ERROR_ARGUMENT);
    assert_int_equal(qkv_html_add_failure(html, "x", NULL, &error), QKV_ERROR_ARGUMENT);
    check_ok(qkv_html_add_failure(html, "x", "it is <gone>", &error), &error);
    qkv_picture page;
    check_ok(qkv_html_render(html, &page, &error), &error);
    /* In the table, in the list of what is to be looked at, and in its own place. */
    assert_int_equal(count_of(page.data, "it is &lt;gone&gt;"), 3);
    assert_int_equal(count_of(page.data, "Every claim came out as expected"), 0);
    qkv_picture_free(&page);
    qkv_html_free(&html);
    qkv_html_free(&html);
}

static void test_memory(void **state)
{
    (void)state;
    long live = qkv__memory_live();
    char *page = NULL;
    for (long countdown = 0; page == NULL; countdown += 1 + countdown / 40) {
        qkv__memory_fail_after(countdown);
        page = render("a.md", document, strlen(document), true);
        qkv__memory_fail_after(-1);
        if (page == NULL) assert_int_equal(qkv__memory_live(), live);
        if (countdown > 1000000) fail_msg("it never has enough");
    }
    qkv__free(page);
    assert_int_equal(qkv__memory_live(), live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_markup),     cmocka_unit_test(test_no_byte_behind),
        cmocka_unit_test(test_parts),      cmocka_unit_test(test_verdicts_alone),
        cmocka_unit_test(test_same_bytes), cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_memory),     cmocka_unit_test(test_formulas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
