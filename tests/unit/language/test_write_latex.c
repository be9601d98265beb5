/*
 * Trees as LaTeX: what is written can be read again and means the same, since the language reads
 * LaTeX; the forms that mathematicians expect; and lines of derivations, with prose or without.
 */
#include "support/check.h"

#include <stdio.h>

#include "base/memory.h"
#include "language/document.h"
#include "language/syntax.h"
#include "language/write.h"

/* A document of one claim, without mistakes. */
static qkv__document read_claim(const char *proposition)
{
    qkv__text text = {0};
    qkv__document document;
    qkv_error error;
    qkv__text_format(&text, "claim: %s\n", proposition);
    check_ok(qkv__document_read("a.qkv", text.data, text.length, &document, &error), &error);
    if (document.complaint_count > 0) fail_msg("%s: %s", text.data, document.complaint[0].message);
    assert_int_equal(document.statement_count, 1);
    qkv__text_free(&text);
    return document;
}

static qkv__text latex_of(const char *proposition)
{
    qkv__text latex = {0};
    qkv__document document = read_claim(proposition);
    qkv__node_latex(document.first->node[0], &latex);
    qkv__document_free(&document);
    return latex;
}

static qkv__text text_of(const char *proposition)
{
    qkv__text text = {0};
    qkv__document document = read_claim(proposition);
    qkv__node_write(document.first->node[0], &text);
    qkv__document_free(&document);
    return text;
}

/* Precedence and association: the tree comes back as it was. */
static void test_there_and_back(void **state)
{
    static const char *const propositions[] = {
        "a + b*c = (a + b)*c",
        "a - (b - c) < a - b - c",
        "a - (b + c) < -a*b",
        "a/(b/c) <= a/b/c",
        "(a + b)/(a - b) >= 1/3",
        "-a/b = (-a)/b",
        "not (p = 1 and q = 2) or r = 3",
        "p = 1 and (q = 2 or r = 3)",
        "(p = 1 implies q = 2) implies r = 3",
        "p = 1 implies q = 2 implies r = 3",
        "exists t >= 1: t = 2",
        "for all x: x > 0 or x <= 0",
        "sqrt(x + 1) = ln(y) + exp(z) + log(w)",
        "|x - y| <= 0.146",
        "x in {a, b}",
        "x not in {a, b}",
        "[1, 2] != [3]",
        "u ~ v",
        "alpha*beta < inf",
        "eps > theta",
        "W_Q[1] = 0",
        "attend(q, k, v, scale = 1) = c",
        "f(x) = mean(x)",
        "min(x_i for i != j) <= 2",
        "softmax(x) = y",
        "sum(x_i for i in {1, 2}) = 3",
        "sum(x_i for i not in {a}) = 3",
        "max(x, y) = -min(-x, -y)",
        "not (x > 0 and y > 0)",
        "(p = 1 implies q = 2) implies r = 3",
        "Var(x) = Cov(x, x)",
    };
    (void)state;
    for (size_t i = 0; i < sizeof propositions / sizeof propositions[0]; i++) {
        qkv__text first = text_of(propositions[i]), latex = latex_of(propositions[i]);
        qkv__text again = text_of(latex.data);
        if (strcmp(first.data, again.data) != 0)
            fail_msg("%s became %s by %s", first.data, again.data, latex.data);
        qkv__text_free(&first);
        qkv__text_free(&latex);
        qkv__text_free(&again);
    }
}

/* What LaTeX writes otherwise than the language reads it. */
static void test_forms(void **state)
{
    static const char *const forms[][2] = {
        {"x^2 = 1", "{x}^{2} = 1"},
        {"(x^2)^3 = x^2^3", "{({x}^{2})}^{3} = {x}^{{2}^{3}}"},
        {"(x + y)^2 = 1", "{(x + y)}^{2} = 1"},
        {"A'*B = (A*B)'", "{A}^{\\top}\\,B = {(A\\,B)}^{\\top}"},
        {"(A')^2 = A", "({A}^{\\top})^{2} = A"},
        {"k[a].q = x[1][2]", "k_{a} \\cdot q = x_{1}[2]"},
        {"t1 = W_Q", "t_{1} = W_{Q}"},
        {"c.weight[a] = 1", "c\\mathrm{.weight}_{a} = 1"},
        {"2*3 = 2*(1/3)", "2 \\cdot 3 = 2 \\cdot \\frac{1}{3}"},
        {"2*x = x*2", "2\\,x = x\\,2"},
        {"sum(x[i] for i in 1..n) = n", "\\sum_{i \\in \\{1, \\ldots , n\\}} x_{i} = n"},
        {"mean(x[i] for i != j) = 1", "\\operatorname{mean}_{i \\ne j} x_{i} = 1"},
        {"max(x[i] + 1 for i != j) < 2", "\\max_{i \\ne j} (x_{i} + 1) < 2"},
        {"min(a, b) > 0", "\\mathrm{min}(a, b) > 0"},
        {"x_a_b > 0", "\\mathrm{x\\_a\\_b} > 0"},
        {"i in 1..n", "i \\in \\{1, \\ldots , n\\}"},
        {"w in 0.1 .. 0.2", "w \\in [0.1, 0.2]"},
        {"w in 1/3 .. 1", "w \\in [\\frac{1}{3}, 1]"},
        {"w[a] in 0 .. 1", "w_{a} \\in [0, 1]"},
        {"w[a] not in 0 .. 1", "w_{a} \\notin [0, 1]"},
        {"P(x > 0 given y > 0) = 1", "P(x > 0 \\mid y > 0) = 1"},
        {"for all i in 1..n: x[i] > 0", "\\forall i \\in \\{1, \\ldots , n\\} : \\; x_{i} > 0"},
        {"exists vector q, t: t*q = p", "\\exists q, t : \\; t\\,q = p"},
        {"self_attend(x with x[2] = y)[2] = z",
         "\\operatorname{self-attend}(x\\;\\text{with}\\;x_{2} = y)_{2} = z"},
        {"x = file(\"a_b.csv\")", "x = \\mathrm{file}(\\text{ab.csv})"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        qkv__text latex = latex_of(forms[i][0]);
        if (strcmp(latex.data, forms[i][1]) != 0)
            fail_msg("%s: %s instead of %s", forms[i][0], latex.data, forms[i][1]);
        qkv__text_free(&latex);
    }
}

/* Lines of derivations and answers; those that are prose are left alone. */
static void test_lines(void **state)
{
    static const char *const lines[][2] = {
        {"-> 1/2*v[a]", "\\to \\frac{1}{2}\\,v_{a}"},
        {"= e^beta/n", "= \\frac{{e}^{\\beta }}{n}"},
        {"+ x", "+ x"},
        {"x = y", "x = y"},
        {"claim w: x = y   as beta -> inf, expect proved",
         "x = y\\quad \\text{as}\\;\\beta  \\to \\infty "},
        {"claim: x > y at n = 3, beta = 1", "x > y\\quad \\text{at}\\;n = 3, \\beta  = 1"},
        {"claim: x = 1 as alpha -> 0 then beta -> inf",
         "x = 1\\quad \\text{as}\\;\\alpha  \\to 0\\;\\text{then}\\;\\beta  \\to \\infty "},
        {"claim: x = 0.5 within 0.1 given y > 0",
         "x = 0.5\\quad \\text{within}\\;0.1\\quad \\text{given}\\;y > 0"},
        {"find least beta: x <= 0.01 for n = 10",
         "\\text{find least}\\;\\beta  : \\; x \\le 0.01\\quad \\text{for}\\;n = 10"},
        {"find K, Q: z = u", "\\text{find}\\;K, Q : \\; z = u"},
        {"law of c", "\\text{law of}\\;c"},
        {"the others, on average = 1/n", "\\text{the others, on average} = \\frac{1}{n}"},
        {"x = 2   since y_1 is $0", "x = 2\\quad \\text{since y1 is 0}"},
        {"k[i].q is any number", NULL},
        {"there is none", NULL},
        {"= nothing at all", NULL},
        {"", NULL},
        {" = 1", "= 1"},
        {"claim: x = = y", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        qkv__text latex = {0};
        qkv__text_append(&latex, "|", 1);
        const bool good = qkv__typeset(lines[i][0], &latex);
        const char *wanted = lines[i][1] == NULL ? "" : lines[i][1];
        if (good != (lines[i][1] != NULL) || strcmp(latex.data + 1, wanted) != 0)
            fail_msg("\"%s\": %d, %s instead of %s", lines[i][0], (int)good, latex.data + 1,
                     wanted);
        qkv__text_free(&latex);
    }
}

/* Where memory runs out, the text says so, or nothing was needed: it never is a half. */
static void test_no_memory(void **state)
{
    static const char *const lines[] = {
        "claim: sum(x[i] for i in 1..n) = 1/3*c.weight[a] as beta -> inf",
        "the others, on average = 1/3*x   since it is so",
        "find least beta: self_attend(x)[1] = y for n = 10"};
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        qkv__text whole = {0};
        const long live = qkv__memory_live();
        long failures = 0;
        assert_true(qkv__typeset(lines[i], &whole));
        for (;; failures++) {
            qkv__text latex = {0};
            qkv__memory_fail_after(failures);
            const bool good = qkv__typeset(lines[i], &latex);
            const bool failed = qkv__memory_fail_after(-1) < 0;
            assert_true(failed ? latex.failed || !good : good && !latex.failed);
            if (!failed) assert_string_equal(latex.data, whole.data);
            qkv__text_free(&latex);
            if (!failed) break;
        }
        assert_true(failures > 3);
        qkv__text_free(&whole);
        assert_int_equal(qkv__memory_live(), live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests_name("write_latex", tests, NULL, NULL);
}
