/*
 * Statements that are nearly right: each has one mistake, whose message says what was expected, by
 * the grammar; or none, where it only looks wrong. Laws, families that a definition makes, LaTeX,
 * abbreviations, limits.
 */
#include "support/check.h"

#include <stdio.h>

#include <qkv/claim.h>

#include "base/text.h"
#include "language/document.h"
#include "language/syntax.h"

/* The message of the first complaint, or NULL. */
static void expect(const char *text, const char *words)
{
    qkv__document document;
    qkv_error error;
    check_ok(qkv__document_read("a.qkv", text, strlen(text), &document, &error), &error);
    const char *got = document.complaint_count == 0 ? NULL : document.complaint[0].message;
    if ((words == NULL) != (got == NULL) || (words != NULL && strstr(got, words) == NULL))
        fail_msg("%s: \"%s\" instead of \"%s\"", text, got == NULL ? "" : got,
                 words == NULL ? "" : words);
    qkv__document_free(&document);
}

typedef struct mistake {
    const char *text, *words; /* NULL: there is none */
} mistake;

static void expect_all(const mistake *all, size_t count)
{
    for (size_t i = 0; i < count; i++) expect(all[i].text, all[i].words);
}

#define EXPECT_ALL(all) expect_all(all, sizeof(all) / sizeof(all)[0])

static void test_laws(void **state)
{
    static const mistake all[] = {
        {"keys k[i] ~ normal(mu[i], I) for i in 1..n\n", NULL},
        {"keys k[i] ~ normal(mu[i], I) for j in 1..n\n", "the index of k[i] after 'for'"},
        {"keys k[i] ~ normal(mu[i], I) for 3\n", "the index of k[i] after 'for'"},
        {"keys k ~ normal(0, I) for i in 1..n\n", "the index of k[i] after 'for'"},
        {"keys k[1] ~ normal(0, I) for i in 1..n\n", "the index of k[i] after 'for'"},
        {"keys k[i,j] ~ normal(0, I) for i in 1..n\n", "the index of k[i] after 'for'"},
        {"keys k[i] ~ normal(mu[i], I) for i = 1\n", "expected 'in'"},
        {"keys k[i] ~ normal(mu[i], I) for i in\n", "expected an expression"},
        {"keys k[i] ~\n", "expected an expression"},
        {"scalar z ~ normal(0, 1)\n", NULL},
        {"scalar y, z ~ uniform(0, 1)\n", NULL},
        {"scalar z[3] ~ normal(0, 1)\n", "expected scalar z ~ ..."},
        {"vector q[d], r[d] ~ normal(0, I)\n", NULL},
        {"vector q[d], r[m] ~ normal(0, I)\n", "vectors of one dimension"},
        {"vector q, r[d] ~ normal(0, I)\n", "vectors of one dimension"},
        {"vector q[d,m] ~ normal(0, I)\n", "vectors of one dimension"},
        {"vector q ~\n", "expected an expression"},
        {"vector q ~ normal(0, I), norm 1\n", NULL},
        {"vector q ~ normal(0, I), tall\n", "expected"},
        {"matrix A[d,d] ~ normal(0, I)\n", "only vectors and scalars are drawn"},
        {"keys k[1..n], values\n", "'orthonormal', 'orthogonal', 'norm'"},
        {"keys k[1..n], w = v, u[1..n]\n", NULL},
        {"keys k[1..n] norm\n", "expected an expression"},
        {"keys\n", "expected"},
        {"law c.weight[a]\n", "expected 'of'"},
        {"law of\n", "expected an expression"},
    };
    (void)state;
    EXPECT_ALL(all);
}

static void test_definitions(void **state)
{
    static const mistake all[] = {
        {"keys k[1..n]\nm[i] = 2*k[i]\n", NULL},
        {"keys k[1..n]\nm[i] = 2*k[i] for i in 1..n\n", NULL},
        {"keys k[1..n]\nm[i] = 2*k[i] for j in 1..n\n",
         "expected i in 1..n, since m[i] is defined"},
        {"keys k[1..n]\nm[i] = 2*k[i] for i in\n", "expected"},
        {"m[i] = 2*i\n", "cannot tell what i runs over"},
        {"keys k[1..n]\nvalues v[1..m]\nm[i] = k[i] + v[i]\n", "has other indexes than"},
        {"keys k[1..n]\nvalues v[1..n]\nm[i] = k[i] + v[i]\n", NULL},
        {"keys k = [[1,0],[0,1]]\nm[i] = 2*k[i]\n", NULL},
        {"means mu[1..n]\nkeys k[i] ~ normal(mu[i], I)\nm[i] = 2*k[i]\n", NULL},
        {"vectors u[a,b]\nm[i] = 2*u[i]\n", NULL},
        {"x[1] = u; x[2] = v\nc = self_attend(x)\nm[i] = 2*c[i]\n", NULL},
        {"keys k[1..n]\nvalues v[1..n]\nc = attend(q, k, v)\nm[i] = 2*c.weight[i]\n", NULL},
        {"2*x = 3\n", "expected a statement"},
        {"f(2) = 3\n", "expected a name to define"},
        {"(x)[1] = 3\n", "expected a statement"},
        {"f(x)[1] = 3\n", "expected a name to define"},
        {"x + 1\n", "what is believed begins with 'claim:'"},
        {"lemma: x = 1\n", "no statement begins with 'lemma'"},
        {"prove \"x\"\n", "no statement begins with 'prove'"},
        {"take 3\n", "no statement begins with 'take'"},
        {"averyveryveryveryveryveryveryveryveryverylongword x\n",
         "no statement begins with 'avery"},
        {"3 = x\n", "expected"},
        {"keys[1] = 3\n", NULL},
        {"claim = 3\n", NULL},
    };
    (void)state;
    EXPECT_ALL(all);
}

static void test_entries(void **state)
{
    static const mistake all[] = {
        {"find the least beta: x > 1\n", NULL},
        {"find the largest beta: x < 1\n", NULL},
        {"find the such that x < 1\n", NULL},
        {"find the beta: x < 1\n", "expected"},
        {"find least: x < 1\n", NULL},
        {"find beta such x < 1\n", "expected 'that'"},
        {"find beta x < 1\n", "',', ':' or 'such that'"},
        {"find beta:\n", "expected"},
        {"find\n", "expected"},
        {"claim x = 1\n", "':', or a label and ':'"},
        {"claim:\n", "expected"},
        {"at n = 3\nclaim: x = 1\n", "a condition or ':'"},
        {"for:\n  claim: x = 1\n", "expected"},
        {"as beta -> inf\n", "a condition or ':'"},
        {"claim: x = 1 as beta\n", "'->'"},
        {"claim: x = 1 as beta ->\n", "expected"},
        {"claim: x = 1 expect true\n", "expected"},
        {"claim: x = 1 within\n", "expected"},
        {"claim: x = 1 at n\n", "expected"},
        {"claim: x = 1 at n > 3\n", "expected"},
        {"pick a b in 1..n\n", "',', 'distinct' or 'in'"},
        {"pick a, b distinct of 1..n\n", "'in'"},
        {"pick a in\n", "expected an expression"},
        {"pick 3 in 1..n\n", "expected"},
        {"problem two\n", "expected"},
        {"problem \"two\n", "expected"},
        {"given\n", "expected"},
        {"given n >=\n", "expected"},
        {"claim: exists: x = 1\n", "expected"},
        {"claim: exists vector: x = 1\n", NULL},
        {"claim: for all i: x[i] = 1\n", NULL},
        {"claim: forall i in 1..n: x[i] = 1\n", NULL},
        {"claim: for each i: x[i] = 1\n", "expected"},
        {"claim: x < y < z < w\n", NULL},
        {"claim: not\n", "expected"},
        {"claim: x = 1 and\n", "expected"},
        {"claim: x = 1 implies\n", "expected"},
    };
    (void)state;
    EXPECT_ALL(all);
}

static void test_latex(void **state)
{
    static const mistake all[] = {
        {"claim: \\frac{1}{2} = 0.5\n", NULL},
        {"claim: \\frac{1} = 0.5\n", "expected"},
        {"claim: \\frac 1 2 = 0.5\n", NULL},
        {"claim: \\frac123 = 0.5\n", "write braces"},
        {"claim: \\frac 1 23 = 0.5\n", "write braces"},
        {"claim: \\frac12.5 = 0.5\n", "write braces"},
        {"claim: \\frac1nx = 0.5\n", "write braces"},
        {"claim: \\frac ab = 0.5\n", "write braces"},
        {"claim: \\frac beta 2 = 0.5\n", "write braces"},
        {"claim: \\frac1k_a = 0.5\n", "write braces"},
        {"claim: \\frac1k_{a} = 0.5\n", "write braces"},
        {"claim: \\frac1\\beta_a = 0.5\n", "expected braces"},
        {"claim: \\frac1\\beta_{a + 1} = 0.5\n", "expected braces"},
        {"claim: \\frac{1}23 = 0.5\n", "expected braces"},
        {"claim: \\frac1\\ln n = 0.5\n", "expected braces"},
        {"claim: \\frac1 = 0.5\n", "expected braces"},
        {"claim: \\mathbf kx = 0.5\n", "LaTeX"},
        {"claim: \u221ax\u00b2 = x\n", "a root and a power"},
        {"claim: \u221ax^2 = x\n", "a root and a power"},
        {"given c \\to v\n", "'~' for what approaches"},
        {"claim: \\frac{}{2} = 0.5\n", "expected"},
        {"claim: \\frac{1}{2 = 0.5\n", "expected"},
        {"claim: \\lvert x \\rvert = 1\n", NULL},
        {"claim: \\lVert \\lvert x \\rvert \\rVert = 1\n", NULL},
        {"claim: \\lvert x = 1\n", "expected"},
        {"claim: \\lvert \\rvert = 1\n", "expected"},
        {"claim: \\left| x \\right| = 1\n", NULL},
        {"claim: \\left( x \\right) = 1\n", NULL},
        {"claim: \\langle x, y \\rangle = 1\n", NULL},
        {"claim: \\langle x \\rangle = 1\n", "expected ','"},
        {"claim: \\langle x, \\rangle = 1\n", "expected an expression"},
        {"claim: \\langle x, y = 1\n", "'\\rangle'"},
        {"claim: \\sum_{i=1}^{n} x_i = 1\n", NULL},
        {"claim: \\sum_{i=1}^n x_i = 1\n", NULL},
        {"claim: \\sum_{i=1} x_i = 1\n", "'^' and where the index ends"},
        {"claim: \\sum_{i \\ne j} x_i = 1\n", NULL},
        {"claim: \\sum_{i} x_i = 1\n", "expected"},
        {"claim: \\sum_{i=} x_i = 1\n", "expected"},
        {"claim: \\sum_{i=1^{n} x_i = 1\n", "expected"},
        {"claim: \\sum x = 1\n", NULL},
        {"claim: \\sqrt{x} = 1\n", NULL},
        {"claim: \\sqrt x = 1\n", NULL},
        {"claim: \\ln x = 1\n", NULL},
        {"claim: \\ln = 1\n", "expected"},
        {"claim: \\lim_{\\beta \\to \\infty} c = v\n", NULL},
        {"claim: \\lim_{\\beta \\to \\infty} c < v\n", "\\lim belongs before a single equation"},
        {"claim: \\lim_{\\beta} c = v\n", "'->'"},
        {"claim: \\lim_{\\beta \\to \\infty c = v\n", "expected"},
        {"claim: \\mathbf{k}_{1} = \\boldsymbol{\\mu}_{1}\n", NULL},
        {"claim: \\mathbf{} = 1\n", "LaTeX"},
        {"claim: \\mathbf{k = 1\n", "LaTeX"},
        {"claim: \\mathbf = 1\n", "LaTeX"},
        {"claim: \\boldsymbol{\\le} = 1\n", "expected"},
        {"claim: x_{a = 1\n", "expected"},
        {"claim: x_{} = 1\n", "expected"},
        {"claim: x \\pm 1 = 1\n", "write x = 0.94 within 0.01"},
        {"claim: \\nonsense = 1\n", "this command of LaTeX is not known here"},
        {"claim: \\", "means nothing here"},
        {"claim: $x = 1$\n", NULL},
        {"claim: x\\,y\\ z\\; = 1 \\quad\n", NULL},
    };
    (void)state;
    EXPECT_ALL(all);
}

static void test_expressions(void **state)
{
    static const mistake all[] = {
        {"x = relu(1)\ny = relu(1, 2)\n", NULL},
        {"x = sigmoid(1) + softplus(2)\ny = sigmoid() + softplus(1, 2)\n", "expected"},
        {"x = max([1, 2]) + min([1, 2]) + min([1])\n", NULL},
        {"x = [i for i in 1..3]\n", NULL},
        {"x = [i for i in {a, b}]\n", NULL},
        {"x = [i for i in 2..3]\n", "expected"},
        {"x = [i for i != 3]\n", "expected"},
        {"x = [i for i in {1, 2}]\n", "expected"},
        {"x = [i for]\n", "expected"},
        {"x = [i for i in 1..3\n", "expected"},
        {"x = file(\"a.csv\")\ny = f(\"a.csv\")\n", "expected"},
        {"x = |y\n", "expected"},
        {"x = (1, 2)\n", "expected"},
        {"x = f (1, 2)\n", "expected"},
        {"x = y with z\n", "expected '='"},
        {"x = y with z =\n", "expected"},
        {"x = E[y] + Var[z] + P[w > 1]\n", NULL},
        {"x = E[y\n", "expected"},
        {"x = E[]\n", "expected"},
        {"x = 2^-\n", "expected"},
        {"x = y'''\n", NULL},
        {"x = 1..2..3\n", "expected"},
        {"x = {a, b\n", "expected"},
        {"x = 99999999999999999999999\n", "too"},
        {"x = 1e999\n", "too"},
        {"x = y.\n", "expected"},
        {"keys k[1..n]\nx = k_1 + k_a + k_b_c + k_ + k_99999999999999999999\n", NULL},
    };
    (void)state;
    EXPECT_ALL(all);
}

/* A long statement is cut where a report shows it, between two characters. */
static void test_long_statement(void **state)
{
    (void)state;
    for (int shift = 0; shift < 4; shift++) {
        qkv__text text = {0};
        qkv__document document;
        qkv_error error;
        qkv__text_format(&text, "claim %.*s: x # a remark\n  = max(1", shift + 1, "abcd");
        for (int i = 0; i < 3000; i++) qkv__text_format(&text, ", β");
        qkv__text_format(&text, ")\n");
        check_ok(qkv__document_read("a.qkv", text.data, text.length, &document, &error), &error);
        assert_int_equal(document.complaint_count, 0);
        const char *source = document.first->source;
        assert_true(strlen(source) < 4200 && qkv__text_is_utf8(source));
        assert_string_equal(source + strlen(source) - 4, " ...");
        assert_null(strstr(source, "remark"));
        qkv__document_free(&document);
        qkv__text_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laws),        cmocka_unit_test(test_definitions),
        cmocka_unit_test(test_entries),     cmocka_unit_test(test_latex),
        cmocka_unit_test(test_expressions), cmocka_unit_test(test_long_statement),
    };
    return cmocka_run_group_tests_name("mistakes", tests, NULL, NULL);
}
