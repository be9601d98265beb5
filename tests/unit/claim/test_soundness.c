/*
 * No wrong verdict: random problems inside the exact fragment, written as documents, checked, and
 * evaluated with the reference operator in double precision at a large beta. Whenever a limit is
 * proved or refuted, the numbers must agree.
 *
 * A problem: n orthonormal keys (symbolic to the checker, n = 5 to the operator), a query with
 * small whole coefficients on k[a], k[b] and on the sum of the rest, and the claim that the output
 * tends to a combination of v[a], v[b] and the rest.
 */
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <qkv/qkv.h>

#include "support/cases.h"
#include "support/random.h"

enum { PROBLEMS = 10000, IN_ONE_DOCUMENT = 50, N = 5 };

typedef struct trial {
    int query[3];      /* coefficients of k[a], k[b], and of the sum of the rest */
    int constant;      /* added to the coefficient of k[a]: ln of it */
    double claimed[3]; /* of v[a], v[b], and of the sum of the rest */
} trial;

/* What the output tends to: the keys with the largest score share, in proportion. */
static void write_trial(const trial *t, char *text, size_t size)
{
    static const char *const fractions[] = {"0", "1/2", "1", "1/3", "1/5", "2/3", "1/4"};
    static const double values[] = {0, 0.5, 1, 1.0 / 3, 0.2, 2.0 / 3, 0.25};
    const char *word[3] = {"0", "0", "0"};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 7; j++)
            if (t->claimed[i] == values[j]) word[i] = fractions[j];
    snprintf(text, size,
             "problem \"trial\"\n"
             "given n >= 3\n"
             "keys k[1..n] orthonormal\n"
             "values v[1..n]\n"
             "pick a, b distinct in 1..n\n"
             "q = (%d*beta + ln(%d))*k[a] + %d*beta*k[b] + %d*beta*sum(k[i] for i not in {a, b})\n"
             "c = attend(q, k, v)\n"
             "claim: c ~ %s*v[a] + %s*v[b] + %s*sum(v[i] for i not in {a, b}) as beta -> inf, at n "
             "= 5\n",
             t->query[0], t->constant, t->query[1], t->query[2], word[0], word[1], word[2]);
}

/* The output's coefficients at beta = 60 by the operator: values are the identity. */
static void evaluate(const trial *t, double *output)
{
    const double beta = 60.0;
    double query[N], key[N][N] = {{0}}, result[N];
    for (int i = 0; i < N; i++) {
        key[i][i] = 1.0;
        query[i] = beta * t->query[i < 2 ? i : 2];
    }
    query[0] += log(t->constant);
    qkv_view q = qkv_view_dense(QKV_F64, query, 2, (size_t[]){1, N});
    qkv_view k = qkv_view_dense(QKV_F64, key, 2, (size_t[]){N, N});
    qkv_view c = qkv_view_dense(QKV_F64, result, 2, (size_t[]){1, N});
    qkv_attention_options options = qkv_attention_default();
    options.scale = 1.0;
    options.kernel = "reference";
    qkv_error error;
    check_ok(qkv_attention(&q, &k, &k, &c, &options, &error), &error);
    for (int i = 0; i < 3; i++) output[i] = result[i];
}

static trial random_trial(random_source *source)
{
    trial t = {.constant = 1 + (int)random_below(source, 3)};
    for (int i = 0; i < 3; i++) t.query[i] = (int)random_below(source, 4) - 1;
    evaluate(&t, t.claimed);
    for (int i = 0; i < 3; i++) { /* the limit itself, to the nearest simple fraction ... */
        static const double values[] = {0, 0.5, 1, 1.0 / 3, 0.2, 2.0 / 3, 0.25};
        double best = 2.0;
        for (int j = 0; j < 7; j++)
            if (fabs(t.claimed[i] - values[j]) < fabs(t.claimed[i] - best)) best = values[j];
        t.claimed[i] = best;
    }
    if (random_below(source, 2)) /* ... or something else */
        t.claimed[random_below(source, 3)] = random_below(source, 2) ? 0.5 : 0.0;
    return t;
}

static void check_document(const trial *trials, const char *text, size_t *proved, size_t *refuted)
{
    qkv_report *report = NULL;
    qkv_error error;
    check_ok(qkv_check("trials.qkv", text, strlen(text), &report, &error), &error);
    assert_int_equal(qkv_report_complaint_count(report), 0);
    assert_int_equal(qkv_report_claim_count(report), IN_ONE_DOCUMENT);
    for (size_t i = 0; i < IN_ONE_DOCUMENT; i++) {
        qkv_verdict verdict = qkv_report_claim(report, i)->verdict;
        double output[3], distance = 0.0;
        evaluate(&trials[i], output);
        for (int j = 0; j < 3; j++)
            distance = fmax(distance, fabs(output[j] - trials[i].claimed[j]));
        /* At beta = 60 what vanishes is under 5 e^-60; what does not differs by 1/60 at least. */
        if (verdict == QKV_PROVED) assert_true(distance < 1e-12);
        if (verdict == QKV_REFUTED) assert_true(distance > 1e-3);
        *proved += verdict == QKV_PROVED;
        *refuted += verdict == QKV_REFUTED;
    }
    qkv_report_free(&report);
}

static void test_soundness(void **state)
{
    random_source source = {.state = 101};
    size_t proved = 0, refuted = 0;
    (void)state;
    const size_t problems = cases_of(PROBLEMS) / IN_ONE_DOCUMENT * IN_ONE_DOCUMENT;
    for (size_t n = 0; n < problems; n += IN_ONE_DOCUMENT) {
        trial trials[IN_ONE_DOCUMENT];
        char text[IN_ONE_DOCUMENT * 512], *at = text;
        for (int i = 0; i < IN_ONE_DOCUMENT; i++) {
            trials[i] = random_trial(&source);
            write_trial(&trials[i], at, 512);
            at += strlen(at);
        }
        check_document(trials, text, &proved, &refuted);
    }
    /* All of them lie in the fragment: none may stay open. */
    assert_int_equal(proved + refuted, problems);
    assert_true(proved > problems / 10 && refuted > problems / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_soundness)};
    return cmocka_run_group_tests_name("soundness", tests, NULL, NULL);
}
