/* Documents with mistakes that once ended the checker or kept it busy without an end: each now gets
 * its complaint. And documents for all engines, while memory runs out anywhere. What is decided
 * wrongly belongs into claims/regressions.qkv. */
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>

#include <qkv/claim.h>

#include "support/cases.h"

#include "base/memory.h"

static qkv_report *check_document(const char *text)
{
    qkv_report *report = NULL;
    qkv_error error;
    check_ok(qkv_check("test.qkv", text, strlen(text), &report, &error), &error);
    return report;
}

static bool complains(const qkv_report *report, int line, const char *words)
{
    for (size_t i = 0; i < qkv_report_complaint_count(report); i++) {
        const qkv_complaint *c = qkv_report_complaint(report, i);
        if (c->line == line && strstr(c->message, words) != NULL) return true;
    }
    return false;
}

/* ---- Mistakes ------------------------------------------------------------------------------ */

static void mistakes_are_told(void **state)
{
    static const struct {
        const char *text;
        int line;
        const char *words;
    } cases[] = {
        {"matrix X[n,d]\nf(Y) = g(Y)\ng(Y) = X*f(Y)\nclaim: f(X) = X\n", 2,
         "g is used before its definition in line 3"},
        {"matrix X[n,n]\nX = X*X\nclaim: X = X\n", 2, "X is there already, from line 1"},
        {"vectors u[a,b] orthogonal, norm beta\nx[1] = u[a]\nc = self_attend(x)\nc[2] = u[a]\n", 4,
         "c is not a family of vectors"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        qkv_report *report = check_document(cases[i].text);
        if (!complains(report, cases[i].line, cases[i].words))
            fail_msg("\"%s\" does not say \"%s\"", cases[i].text, cases[i].words);
        qkv_report_free(&report);
    }
}

/* What is distributed is k[i]; the figure of a claim beside such a mistake is drawn without it. */
static void keys_without_an_index_are_told(void **state)
{
    static const char text[] =
        "keys k = file(\"soundness_keys.csv\")\nkeys m ~ file(\"none.csv\")\n"
        "claim: k[1] m[i] >= 0   for i != 64\n";
    qkv_report *report = NULL;
    qkv_error error;
    (void)state;
    check_ok(qkv_explain(QKV_CLAIMS_FOLDER "/a.qkv", text, strlen(text), NULL, &report, &error),
             &error);
    assert_true(complains(report, 2, "expected normal(mean, covariance)"));
    qkv_report_free(&report);
}

/* f1 = f0 + f0, f2 = f1 + f1, ...: 2^40 terms when it is written out. */
static void long_definitions_are_told(void **state)
{
    char text[4096] = "matrix X[n,d]\nf0 = X\n";
    size_t length = strlen(text);
    (void)state;
    for (int i = 1; i <= 30; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "f%d = f%d + f%d\n", i,
                                   i - 1, i - 1);
    snprintf(text + length, sizeof text - length, "claim: f30 = X\n");
    qkv_report *report = check_document(text);
    assert_true(complains(report, 15, "f13 is too long when it is written out"));
    qkv_report_free(&report);
}

/* ---- Memory -------------------------------------------------------------------------------- */

/* One for each engine. */
static const char *const documents[] = {
    "given n >= 3, beta > 0\nkeys k[1..n] orthonormal\nvalues v[1..n]\n"
    "pick a, b distinct in 1..n\nc = attend(beta*(k[a] + k[b]), k, v)\n"
    "claim: c ~ 1/2 (v[a] + v[b]) as beta -> inf\n"
    "claim: c.weight[a] >= 0.3 for beta >= 20, n = 1000\n"
    "claim: exists t: attend(t*k[a], k, v) ~ v[a]\n"
    "find least beta: 1 - c.weight[a] - c.weight[b] <= 0.01 for n = 10\n",
    "vectors u[a,b] orthogonal, norm beta\nx[1] = u[a]; x[2] = u[a] + u[b]\nz = self_attend(x)\n"
    "claim: z[1] ~ u[a] as beta -> inf\nfind Q, K: z.weight[1] = [1/4, 3/4]\n",
    "matrix X[n,d], W[d,d]; permutation P[n]\natt(X) = softmax(X*W*X')*X\n"
    "claim: att(P*X) = P*att(X)\nclaim: att(X)*W = att(X*W)\n",
    "keys k = [[1, 0], [0, 1], [0.6, 0.8]]\nvalues v[1..3]\nvector q\nc = attend(q, k, v)\n"
    "claim: c in hull(v)\nclaim: c = v[1] implies k[1].q > k[2].q\n",
    "keys k = file(\"table_keys.csv\")\nvalues v = file(\"table_values.txt\")\n"
    "c = attend(beta*k[5], k, v)\nclaim: c ~ v[5] as beta -> inf\n"
    "claim: c.weight[5] <= 1/2 for beta >= 0\nfind least beta: c.weight[5] >= 0.99\n",
};

/* Both ways through the library; 0 if memory ran out. */
static bool survives(const char *text, bool explain, long countdown)
{
    static const char name[] = QKV_CLAIMS_FOLDER "/test.qkv";
    qkv_report *report = NULL;
    qkv_error error;
    long live = qkv__memory_live();
    qkv__memory_fail_after(countdown);
    qkv_status status = explain ? qkv_explain(name, text, strlen(text), NULL, &report, &error)
                                : qkv_check(name, text, strlen(text), &report, &error);
    qkv__memory_fail_after(-1);
    if (status != QKV_OK) check_error(status, QKV_ERROR_MEMORY, &error, "out of memory");
    assert_true((status == QKV_OK) == (report != NULL));
    qkv_report_free(&report);
    assert_int_equal(qkv__memory_live(), live);
    return status == QKV_OK;
}

/* Verdicts without memory: those with it, or undecided, and never the contrary. */
static void compare_verdicts(const char *text, long countdown, const qkv_report *whole)
{
    static const char name[] = QKV_CLAIMS_FOLDER "/test.qkv";
    qkv_report *report = NULL;
    qkv__memory_fail_after(countdown);
    qkv_status status = qkv_check(name, text, strlen(text), &report, NULL);
    qkv__memory_fail_after(-1);
    for (size_t i = 0; status == QKV_OK && i < qkv_report_claim_count(report); i++) {
        qkv_verdict with = qkv_report_claim(whole, i)->verdict;
        qkv_verdict without = qkv_report_claim(report, i)->verdict;
        bool decided = without == QKV_PROVED || without == QKV_REFUTED;
        if (decided && (with == QKV_PROVED || with == QKV_REFUTED) && with != without)
            fail_msg("allocation %ld of \"%s\": claim %zu", countdown, text, i);
    }
    qkv_report_free(&report);
}

static void memory_may_run_out_anywhere(void **state)
{
    const long step = cases_step();
    (void)state;
    for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++) {
        static const char name[] = QKV_CLAIMS_FOLDER "/test.qkv";
        qkv_report *whole = NULL;
        qkv_error error;
        size_t failures = 0;
        check_ok(qkv_check(name, documents[i], strlen(documents[i]), &whole, &error), &error);
        assert_int_equal(qkv_report_complaint_count(whole), 0);
        for (long countdown = 0; countdown < 200000; countdown += 1 + step * countdown / 30) {
            failures += survives(documents[i], countdown % 2 == 1, countdown) ? 0 : 1;
            compare_verdicts(documents[i], countdown, whole);
        }
        assert_true(failures >= (all_cases() ? 5 : 2));
        qkv_report_free(&whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(keys_without_an_index_are_told),
        cmocka_unit_test(long_definitions_are_told),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests_name("regressions", tests, NULL, NULL);
}
