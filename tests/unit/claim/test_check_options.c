/* qkv_check_options: engines that are switched off, the time allowed, threads. */
#include <math.h>
#include <string.h>

#include <qkv/claim.h>

#include "support/check.h"

static const char document[] = "claim exact: 1 + 1 = 2\n"
                               "claim ball: e^2 > 7\n"
                               "problem \"search\"\n"
                               "keys k[1..3]\nvalues v[1..3]\nvector q\nc = attend(q, k, v)\n"
                               "claim search: |c| <= |v[1]| + |v[2]| + |v[3]|\n"
                               "problem \"sample\"\n"
                               "given n >= 3, alpha > 0, beta > 0\n"
                               "means mu[1..n] orthonormal, dimension d\n"
                               "values v[1..n] orthonormal\npick a, b distinct in 1..n\n"
                               "keys k[i] ~ normal(mu[i], alpha*I)\n"
                               "c = attend(beta*(mu[a] + mu[b]), k, v)\n"
                               "claim sample: Var(c.weight[a]) <= 0.05"
                               " at n = 10, alpha = 0.0001, beta = 10\n";

static qkv_report *check(const qkv_check_options *options)
{
    qkv_report *report = NULL;
    qkv_error error;
    check_ok(qkv_check_with("t.qkv", document, strlen(document), options, &report, &error), &error);
    assert_int_equal(qkv_report_claim_count(report), 4);
    return report;
}

/* Each claim is labelled with the engine that decides it. */
static void test_default(void **state)
{
    (void)state;
    qkv_check_options options = qkv_check_options_default();
    qkv_report *plain = NULL, *null = check(NULL), *zero = check(&options);
    assert_int_equal(qkv_check("t.qkv", document, strlen(document), &plain, NULL), QKV_OK);
    for (size_t i = 0; i < 4; i++) {
        const qkv_claim *claim = qkv_report_claim(plain, i);
        assert_string_equal(claim->engine, claim->name);
        assert_int_equal(qkv_report_claim(null, i)->verdict, claim->verdict);
        assert_string_equal(qkv_report_claim(zero, i)->reason, claim->reason);
    }
    qkv_report_free(&plain);
    qkv_report_free(&null);
    qkv_report_free(&zero);
}

/* Any set of engines switched off leaves the verdicts of the others, and its own claims undecided.
 */
static void test_without(void **state)
{
    (void)state;
    qkv_report *whole = check(NULL);
    for (unsigned without = 0; without < 8; without++) {
        qkv_check_options options = qkv_check_options_default();
        options.without = without;
        qkv_report *report = check(&options);
        for (size_t i = 0; i < 4; i++) {
            const qkv_claim *claim = qkv_report_claim(report, i);
            bool off = i > 0 && (without >> (i - 1) & 1) != 0; /* exact, ball, search, sample */
            assert_int_equal(claim->verdict,
                             off ? QKV_UNDECIDED : qkv_report_claim(whole, i)->verdict);
            if (off) assert_string_equal(claim->engine, "");
            if (off) assert_true(claim->reason[0] != '\0');
        }
        qkv_report_free(&report);
    }
    qkv_report_free(&whole);
}

static void test_seconds(void **state)
{
    (void)state;
    qkv_check_options options = qkv_check_options_default();
    options.seconds = 1e-9;
    qkv_report *report = check(&options);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(qkv_report_claim(report, i)->verdict, QKV_UNDECIDED);
        assert_non_null(strstr(qkv_report_claim(report, i)->reason, "time allowed"));
    }
    qkv_report_free(&report);
    options.seconds = 1e9;
    report = check(&options);
    assert_int_equal(qkv_report_claim(report, 0)->verdict, QKV_PROVED);
    qkv_report_free(&report);
}

/* The number of threads changes nothing. */
static void test_threads(void **state)
{
    (void)state;
    qkv_check_options options = qkv_check_options_default();
    options.threads = 3;
    qkv_report *one = check(NULL), *three = check(&options);
    assert_string_equal(qkv_report_claim(one, 3)->found, qkv_report_claim(three, 3)->found);
    qkv_report_free(&one);
    qkv_report_free(&three);
}

/* qkv_explain takes the same options. */
static void test_explain(void **state)
{
    (void)state;
    qkv_check_options options = qkv_check_options_default();
    qkv_selection which = {.label = "ball"};
    qkv_report *report = NULL;
    qkv_error error;
    options.without = QKV_ENGINE_BALL;
    check_ok(
        qkv_explain_with("t.qkv", document, strlen(document), &which, &options, &report, &error),
        &error);
    assert_int_equal(qkv_report_claim_count(report), 1);
    assert_int_equal(qkv_report_claim(report, 0)->verdict, QKV_UNDECIDED);
    qkv_report_free(&report);
}

static void refuse(qkv_check_options options, const char *message)
{
    qkv_report *report = NULL;
    qkv_error error;
    qkv_status status = qkv_check_with("t.qkv", "", 0, &options, &report, &error);
    check_error(status, QKV_ERROR_ARGUMENT, &error, message);
    assert_null(report);
}

static void test_errors(void **state)
{
    (void)state;
    qkv_check_options good = qkv_check_options_default(), bad = good;
    bad.struct_size = 0, refuse(bad, "options.struct_size is 0");
    bad = good, bad.without = 8, refuse(bad, "options.without is 0x8");
    bad = good, bad.seconds = -1.0, refuse(bad, "options.seconds is -1");
    bad = good, bad.seconds = (double)NAN, refuse(bad, "options.seconds is");
    bad = good, bad.threads = -2, refuse(bad, "options.threads is -2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_default), cmocka_unit_test(test_without),
        cmocka_unit_test(test_seconds), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_explain), cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
