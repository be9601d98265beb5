/*
 * Derivations. What a step says is text of the language: its lines are put back into the document
 * as claims, which must be proved; numbers are compared with the operator's, thresholds with their
 * closed form. Explaining changes no verdict, finds the claim that was meant, and survives a want
 * of memory at any place.
 */
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <qkv/qkv.h>

#include "base/memory.h"
#include "support/random.h"

enum { TEXT = 1 << 16, LINE = 4096 };

static qkv_report *explain(const char *text, const qkv_selection *which)
{
    qkv_report *report = NULL;
    qkv_error error;
    check_ok(qkv_explain("test.qkv", text, strlen(text), which, &report, &error), &error);
    return report;
}

static const qkv_step *find_step(const qkv_claim *claim, const char *title)
{
    for (size_t i = 0; i < claim->step_count; i++)
        if (strncmp(claim->steps[i].title, title, strlen(title)) == 0) return &claim->steps[i];
    fail_msg("no step \"%s\" for %s", title, claim->claim);
    return NULL;
}

/* ---- Lines as claims ---------------------------------------------------------------------- */

/* A row "left sign right   note" as a proposition; false for a line that is none. A note says for
 * which index, and how many there are, which is no part of the language. */
static bool row_as_claim(const char *line, const char *sign, const char *comparison, char *claim)
{
    const char *at = strstr(line, sign), *note = strstr(line, "   for ");
    if (at == NULL || strstr(line, "sum of e^score") != NULL || line[0] == ' ') return false;
    const char *right = at + strlen(sign);
    while (*right == ' ') right++;
    size_t length = note == NULL ? strlen(right) : (size_t)(note - right);
    const char *colon = note == NULL ? NULL : strchr(note, ':');
    snprintf(claim, LINE, "%.*s %s %.*s %.*s", (int)(at - line), line, comparison, (int)length,
             right, colon == NULL ? 0 : (int)(colon - note), note == NULL ? "" : note);
    return true;
}

/* The rows of a step as one text: lines that go on are joined to the one before. */
static size_t join_rows(const qkv_step *step, char rows[][LINE], size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < step->line_count; i++) {
        const char *line = step->lines[i];
        const char *text = line + strspn(line, " ");
        if (line[0] == ' ' && (text[0] == '+' || text[0] == '-') && count > 0) {
            size_t used = strlen(rows[count - 1]);
            snprintf(rows[count - 1] + used, LINE - used, " %s", text);
        } else if (count < most) {
            snprintf(rows[count++], LINE, "%s", line);
        }
    }
    return count;
}

static void add_claims(const qkv_step *step, const char *sign, const char *comparison,
                       const char *condition, char *document)
{
    static char rows[32][LINE], claim[LINE];
    size_t count = join_rows(step, rows, 32);
    for (size_t i = 0; i < count; i++)
        if (row_as_claim(rows[i], sign, comparison, claim)) {
            size_t used = strlen(document);
            snprintf(document + used, TEXT - used, "claim: %s %s\n", claim, condition);
        }
}

static void check_all_proved(const char *document, size_t least)
{
    qkv_report *report = NULL;
    qkv_error error;
    check_ok(qkv_check("test.qkv", document, strlen(document), &report, &error), &error);
    if (qkv_report_complaint_count(report) > 0)
        fail_msg("%s\n%s", qkv_report_complaint(report, 0)->message, document);
    assert_true(qkv_report_claim_count(report) >= least);
    for (size_t i = 0; i < qkv_report_claim_count(report); i++) {
        const qkv_claim *claim = qkv_report_claim(report, i);
        if (!qkv_claim_passes(claim))
            fail_msg("%s: %s %s\n%s", claim->claim, qkv_verdict_name(claim->verdict), claim->reason,
                     document);
    }
    qkv_report_free(&report);
}

#define AVERAGE                                                                                    \
    "given n >= 3\n"                                                                               \
    "keys k[1..n] orthonormal\n"                                                                   \
    "values v[1..n]\n"                                                                             \
    "pick a, b distinct in 1..n\n"

/* k[a].q = ..., c.weight[a] = ..., c = ... of random queries, and their limits. */
static void lines_are_true(void **state)
{
    (void)state;
    random_source source = {.state = 11};
    for (int trial = 0; trial < 40; trial++) {
        static char document[TEXT], lines[TEXT + 64];
        snprintf(document, sizeof document,
                 AVERAGE "q = (%d*beta + ln(%d))*k[a] + %d*beta*k[b]\n"
                         "c = attend(q, k, v)\n",
                 (int)random_below(&source, 5) - 2, 1 + (int)random_below(&source, 4),
                 (int)random_below(&source, 5) - 2);
        snprintf(lines, sizeof lines, "%sclaim: c ~ v[a] as beta -> inf\n", document);
        qkv_report *report = explain(lines, NULL);
        const qkv_claim *claim = qkv_report_claim(report, 0);
        add_claims(find_step(claim, "Scores of c"), " = ", "=", "", document);
        add_claims(find_step(claim, "Weights of c"), " = ", "=", "", document);
        add_claims(find_step(claim, "Output of c"), " = ", "=", "", document);
        const qkv_step *limit = find_step(claim, "c as beta -> inf");
        add_claims(limit, " -> ", "~", "as beta -> inf", document);
        for (size_t i = 0; i < limit->line_count; i++) { /* a limit is free of what grows */
            const char *right = strstr(limit->lines[i], " -> ");
            if (right != NULL) assert_null(strstr(right, "beta"));
        }
        qkv_report_free(&report);
        /* Products of keys are stated with two indices, which the language has no words for. */
        char *products = strstr(document, "claim: k[i].k[i]");
        assert_non_null(products);
        memmove(products, strchr(products, '\n') + 1, strlen(strchr(products, '\n')));
        check_all_proved(document, 12);
    }
}

/* The sum of exponentials, both ways of writing it: weight times sum is the exponential. */
static void sums_are_true(void **state)
{
    static const char problem[] = AVERAGE "c = attend(beta*(k[a] - 2*k[b]), k, v)\n";
    static char document[TEXT];
    (void)state;
    snprintf(document, sizeof document, "%sclaim: c.weight[a] = 1/2\n", problem);
    qkv_report *report = explain(document, NULL);
    const qkv_step *step = find_step(qkv_report_claim(report, 0), "Weights of c");
    snprintf(document, sizeof document, "%s", problem);
    for (int i = 0; i < 2; i++) {
        const char *sum = strstr(step->lines[i], "= ");
        assert_non_null(sum);
        size_t used = strlen(document);
        snprintf(document + used, TEXT - used, "claim: c.weight[b]*(%s) = e^(-2*beta)\n", sum + 2);
    }
    qkv_report_free(&report);
    check_all_proved(document, 2);
}

/* Self-attention with projections: every row, also those of the projected tokens. */
static void self_attention_is_true(void **state)
{
    static const char problem[] = "given beta > 0\n"
                                  "vectors u[a,b,c,d] orthogonal, norm beta\n"
                                  "x[1] = u[d] + u[b];  x[2] = u[a];  x[3] = u[c] + u[b]\n"
                                  "V = (u[a]*u[a]' + u[b]*u[b]' - u[c]*u[c]')/beta^2\n"
                                  "Q = (u[d]*u[a]' + u[c]*u[d]')/beta^2\n"
                                  "z = self_attend(x, Q, I, V, scale = 1/2)\n";
    static char document[TEXT];
    (void)state;
    snprintf(document, sizeof document, "%sclaim: z[2] ~ u[b] as beta -> inf\n", problem);
    qkv_report *report = explain(document, NULL);
    const qkv_claim *claim = qkv_report_claim(report, 0);
    snprintf(document, sizeof document, "%s", problem);
    add_claims(find_step(claim, "Queries, keys and values of z"), " = ", "=", "", document);
    qkv_step scores = *find_step(claim, "Scores of z, query 2");
    assert_non_null(strstr(scores.lines[0], "u[i].u[i] = beta^2, and u[i].u[j] = 0 for i != j"));
    scores.lines++, scores.line_count--;
    add_claims(&scores, " = ", "=", "", document);
    add_claims(find_step(claim, "Weights of z, query 2"), " = ", "=", "", document);
    add_claims(find_step(claim, "Output of z, query 2"), " = ", "=", "", document);
    add_claims(find_step(claim, "z[2] as beta -> inf"), " -> ", "~", "as beta -> inf", document);
    for (size_t i = 0; i < claim->step_count; i++) /* the other queries are not asked for */
        assert_null(strstr(claim->steps[i].title, "query 1"));
    qkv_report_free(&report);
    check_all_proved(document, 15);
}

/* ---- Numbers ------------------------------------------------------------------------------ */

static double number_behind(const qkv_step *step, const char *left)
{
    for (size_t i = 0; i < step->line_count; i++) {
        const char *at = strstr(step->lines[i], left), *sign = strstr(step->lines[i], "= ");
        if (at == step->lines[i] && sign != NULL) return strtod(sign + 2, NULL);
    }
    fail_msg("no row for %s", left);
    return NAN;
}

/* The weights at n = 6 by the reference operator. */
static void numbers_agree_with_the_operator(void **state)
{
    enum { N = 6 };
    (void)state;
    static const char document[] = AVERAGE "c = attend(beta*(2*k[a] - k[b]), k, v)\n"
                                           "claim: c.weight[a] = 1/2 at n = 6, beta = 3/4\n";
    qkv_report *report = explain(document, NULL);
    const qkv_step *step = find_step(qkv_report_claim(report, 0), "c for n = 6, beta = 3/4");
    double query[N] = {1.5, -0.75}, key[N][N] = {{0}}, weights[N];
    for (int i = 0; i < N; i++) key[i][i] = 1.0;
    qkv_view q = qkv_view_dense(QKV_F64, query, 2, (size_t[]){1, N});
    qkv_view k = qkv_view_dense(QKV_F64, key, 2, (size_t[]){N, N});
    qkv_view c = qkv_view_dense(QKV_F64, weights, 2, (size_t[]){1, N}); /* values: the identity */
    qkv_attention_options options = qkv_attention_default();
    options.scale = 1.0;
    options.kernel = "reference";
    qkv_error error;
    check_ok(qkv_attention(&q, &k, &k, &c, &options, &error), &error);
    /* 15 digits are shown, and the operator is good to a few units in the last place. */
    assert_true(fabs(number_behind(step, "c.weight[a]") - weights[0]) < 1e-14);
    assert_true(fabs(number_behind(step, "c.weight[b]") - weights[1]) < 1e-14);
    assert_true(fabs(number_behind(step, "c.weight[i]") - weights[2]) < 1e-14);
    qkv_report_free(&report);
}

/* A leak (n - m)/(m e^beta + n - m) is at most 1 % from beta = ln(99 (n - m)/m) on. */
static void thresholds_have_their_closed_form(void **state)
{
    static const int sizes[] = {10, 100, 1000};
    (void)state;
    for (int m = 1; m <= 2; m++) {
        static char document[TEXT];
        snprintf(document, sizeof document,
                 AVERAGE "c = attend(beta*%s, k, v)\nclaim: c ~ v[a] as beta -> inf\n",
                 m == 1 ? "k[a]" : "(k[a] + k[b])");
        qkv_report *report = explain(document, NULL);
        const qkv_step *step = find_step(qkv_report_claim(report, 0), "c as beta -> inf");
        const char *line = step->lines[step->line_count - 1];
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            char place[32];
            snprintf(place, sizeof place, " at n = %d", sizes[i]);
            const char *at = strstr(line, place);
            assert_non_null(at);
            double least = log(99.0 * (sizes[i] - m) / m);
            while (at[-1] != ' ') at--;
            double shown = strtod(at, NULL);
            if (shown < least || shown > least + 1.01e-4)
                fail_msg("%s: %.9g against %.9g", line, shown, least);
        }
        qkv_report_free(&report);
    }
}

/* ---- Which claim -------------------------------------------------------------------------- */

static const char several[] = "keys k[1..n] orthonormal\n"        /* 1 */
                              "pick a, b distinct in 1..n\n"      /* 2 */
                              "claim first: k[a].k[b] = 0\n"      /* 3 */
                              "\n"                                /* 4 */
                              "claim 7: k[a].k[a] =\n"            /* 5 */
                              "    1\n"                           /* 6 */
                              "at n = 5:\n"                       /* 7 */
                              "    claim inner: k[b].k[b] = 2\n"; /* 8 */

static void check_chosen(int line, const char *label, const char *name)
{
    qkv_selection which = {line, label};
    qkv_report *report = explain(several, &which);
    assert_int_equal(qkv_report_claim_count(report), 1);
    assert_string_equal(qkv_report_claim(report, 0)->name, name);
    assert_true(qkv_report_claim(report, 0)->step_count > 1);
    qkv_report_free(&report);
}

static void claims_are_found(void **state)
{
    (void)state;
    check_chosen(3, NULL, "first");
    check_chosen(0, "first", "first");
    check_chosen(5, NULL, "7");
    check_chosen(6, NULL, "7"); /* its second line */
    check_chosen(7, "7", "7");  /* no claim on line 7, but one with that label */
    check_chosen(3, "7", "first");
    check_chosen(8, NULL, "inner");
}

static void check_refused(const char *text, int line, const char *label, const char *message)
{
    qkv_selection which = {line, label};
    qkv_report *report = NULL;
    qkv_error error;
    assert_int_equal(qkv_explain("test.qkv", text, strlen(text), &which, &report, &error),
                     QKV_ERROR_ARGUMENT);
    assert_null(report);
    assert_string_equal(error.message, message);
}

static void missing_claims_are_told(void **state)
{
    (void)state;
    check_refused(several, 4, NULL, "no claim on line 4; the nearest are on lines 3 and 5");
    check_refused(several, 1, NULL, "no claim on line 1; the nearest is on line 3");
    check_refused(several, 99, NULL, "no claim on line 99; the nearest is on line 8");
    check_refused(several, 0, "fist", "no claim is labelled \"fist\"; did you mean first?");
    check_refused(several, 0, "quite another", "no claim is labelled \"quite another\"");
    check_refused("given n >= 3\n", 1, NULL, "the document has no claims");
    check_refused("claim: (1\n", 1, NULL,
                  "line 1, column 10: expected ')' to close '(' of column 8, found end of line");
    check_refused("claim: (1\n", 0, "x", "the document has no claims that could be read");
    check_refused(several, -1, NULL, "which: line is -1; expected 0 or more");
}

/* ---- Nothing else changes ----------------------------------------------------------------- */

static const char mixture[] =
    AVERAGE "c = attend(beta*(k[a] + k[b]), k, v)\n"
            "two = mean(c, attend(beta*(k[a] - k[b]), k, v))\n"
            "claim: c ~ 1/2*(v[a] + v[b]) as beta -> inf\n"
            "claim: c = 1/2*(v[a] + v[b])\n"
            "claim: c.weight[a] > 0.4 for n = 10\n"
            "claim: c.weight[a] in 0 .. 1/2 for beta > 0\n"
            "claim: c.weight[i] < c.weight[a] for i not in {a, b}, beta > 1\n"
            "claim: two ~ 1/2*(v[a] + v[b]) as beta -> inf\n"
            "claim: two.head[2].weight[b] = e^(-2*beta)*two.head[2].weight[a]\n"
            "claim: k[q].k[a] = 0\n"
            "claim: c = 3\n"
            "problem \"order\"\n"
            "matrix X[n,d], W[d,d];  permutation P[n]\n"
            "matrix A[d,m];  assume A'*A = I\n"
            "att(Y) = softmax(Y*W*Y')*Y\n"
            "claim: att(P*X) = P*att(X)\n"
            "claim: A'*A*A' = A'\n"
            "claim: X*W = X\n"
            "claim: A = X\n";

static void explaining_changes_no_verdict(void **state)
{
    qkv_report *checked = NULL, *explained = explain(mixture, NULL);
    qkv_error error;
    (void)state;
    check_ok(qkv_check("test.qkv", mixture, strlen(mixture), &checked, &error), &error);
    size_t count = qkv_report_claim_count(checked);
    assert_int_equal(count, 13);
    assert_int_equal(qkv_report_claim_count(explained), count);
    assert_int_equal(qkv_report_complaint_count(explained), qkv_report_complaint_count(checked));
    for (size_t i = 0; i < count; i++) {
        const qkv_claim *x = qkv_report_claim(checked, i), *y = qkv_report_claim(explained, i);
        assert_int_equal(x->verdict, y->verdict);
        assert_string_equal(x->found, y->found);
        assert_string_equal(x->reason, y->reason);
        assert_int_equal(x->step_count, 0);
        char verdict[64];
        snprintf(verdict, sizeof verdict, "Verdict: %s", qkv_verdict_name(x->verdict));
        find_step(y, verdict);
    }
    qkv_report_free(&checked);
    qkv_report_free(&explained);
}

static void matrices_show_rules_and_normal_forms(void **state)
{
    qkv_report *report = explain(mixture, NULL);
    const qkv_claim *order = qkv_report_claim(report, 9), *inverse = qkv_report_claim(report, 10);
    (void)state;
    const qkv_step *sides = find_step(order, "Both sides, with definitions");
    assert_string_equal(sides->lines[0], "left  = softmax(P*X*W*(P*X)')*P*X");
    assert_string_equal(sides->lines[1], "right = P*softmax(X*W*X')*X");
    const qkv_step *rules = find_step(order, "Rules used");
    assert_string_equal(rules->lines[rules->line_count - 1],
                        "2. softmax(P*S*P') = P*softmax(S)*P'");
    const qkv_step *forms = find_step(order, "Normal forms");
    assert_string_equal(strchr(forms->lines[0], '='), strchr(forms->lines[1], '='));
    assert_string_equal(find_step(inverse, "What is assumed")->lines[0], "A'*A = I");
    qkv_report_free(&report);
}

/* ---- Memory ------------------------------------------------------------------------------- */

static void memory_may_run_out_anywhere(void **state)
{
    static const char document[] = AVERAGE "c = attend(beta*(k[a] + k[b]), k, v)\n"
                                           "claim: c ~ v[a] as beta -> inf\n"
                                           "claim: c.weight[a] = 1 at n = 4, beta = 1\n";
    (void)state;
    long live = qkv__memory_live();
    qkv_status status = QKV_ERROR_MEMORY;
    size_t failures = 0;
    for (long countdown = 0; countdown < 100000; countdown += 1 + countdown / 20) {
        qkv_report *report = NULL;
        qkv_error error;
        qkv__memory_fail_after(countdown);
        status = qkv_explain("test.qkv", document, strlen(document), NULL, &report, &error);
        qkv__memory_fail_after(-1);
        if (status != QKV_OK) failures++;
        if (status != QKV_OK) assert_int_equal(status, QKV_ERROR_MEMORY);
        qkv_report_free(&report);
        assert_int_equal(qkv__memory_live(), live);
    }
    assert_int_equal(status, QKV_OK);
    assert_true(failures > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_true),
        cmocka_unit_test(sums_are_true),
        cmocka_unit_test(self_attention_is_true),
        cmocka_unit_test(numbers_agree_with_the_operator),
        cmocka_unit_test(thresholds_have_their_closed_form),
        cmocka_unit_test(claims_are_found),
        cmocka_unit_test(missing_claims_are_told),
        cmocka_unit_test(explaining_changes_no_verdict),
        cmocka_unit_test(matrices_show_rules_and_normal_forms),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
