/*
 * Questions: thresholds in letters and in numbers against attention in double precision, matrices
 * that are put back into the document and claimed to do what was asked, and what cannot be.
 */
#include "support/check.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <qkv/qkv.h>

#include "base/memory.h"
#include "claim/find/find.h"
#include "claim/find/find_tokens.h"
#include "claim/model/binding.h"
#include "claim/table/table.h"
#include "claim/threshold/threshold_number.h"
#include "language/document.h"
#include "support/cases.h"
#include "support/random.h"

/* ---- Documents ----------------------------------------------------------------------- */

static qkv_report *check(const char *text)
{
    qkv_report *report = NULL;
    qkv_error error;
    check_ok(qkv_check("find.qkv", text, strlen(text), &report, &error), &error);
    return report;
}

/* The last claim of a document, which has no mistakes in it. */
static const qkv_claim *last_claim(const qkv_report *report)
{
    if (qkv_report_complaint_count(report) > 0)
        fail_msg("%s", qkv_report_complaint(report, 0)->message);
    return qkv_report_claim(report, qkv_report_claim_count(report) - 1);
}

static void expect(const char *text, qkv_verdict verdict, const char *found)
{
    qkv_report *report = check(text);
    const qkv_claim *claim = last_claim(report);
    if (claim->verdict != verdict || strstr(claim->found, found) == NULL)
        fail_msg("%s: %s, \"%s\" instead of \"%s\" (%s)", claim->claim,
                 qkv_verdict_name(claim->verdict), claim->found, found, claim->reason);
    qkv_report_free(&report);
}

static void expect_complaint(const char *text, const char *words)
{
    qkv_report *report = check(text);
    assert_int_equal(qkv_report_complaint_count(report), 1);
    if (strstr(qkv_report_complaint(report, 0)->message, words) == NULL)
        fail_msg("\"%s\" instead of \"%s\"", qkv_report_complaint(report, 0)->message, words);
    qkv_report_free(&report);
}

/* ---- A formula as a number ------------------------------------------------------------ */

/* Evaluates what qkv writes, by a grammar of its own: sums, products, powers, ln and sqrt. */
typedef struct reader {
    const char *at;
    double n, tau;
} reader;

static double read_sum(reader *r);

static void pass_blanks(reader *r)
{
    while (*r->at == ' ') r->at++;
}

static double read_primary(reader *r)
{
    pass_blanks(r);
    if (isdigit((unsigned char)*r->at)) {
        char *end;
        double value = strtod(r->at, &end);
        r->at = end;
        return value;
    }
    char name[16] = "";
    for (size_t i = 0; isalpha((unsigned char)*r->at) && i + 1 < sizeof name; i++)
        name[i] = *r->at++;
    if (strcmp(name, "n") == 0) return r->n;
    if (strcmp(name, "tau") == 0) return r->tau;
    if (strcmp(name, "e") == 0) return exp(1);
    assert_int_equal(*r->at++, '(');
    double inside = read_sum(r);
    pass_blanks(r);
    assert_int_equal(*r->at++, ')');
    if (strcmp(name, "ln") == 0) return log(inside);
    if (strcmp(name, "sqrt") == 0) return sqrt(inside);
    assert_string_equal(name, "");
    return inside;
}

static double read_power(reader *r)
{
    pass_blanks(r);
    if (*r->at == '-') {
        r->at++;
        return -read_power(r);
    }
    double base = read_primary(r);
    if (*r->at != '^') return base;
    r->at++;
    return pow(base, read_power(r));
}

static double read_product(reader *r)
{
    double value = read_power(r);
    for (;;) {
        pass_blanks(r);
        if (*r->at != '*' && *r->at != '/') return value;
        char sign = *r->at++;
        double other = read_power(r);
        value = sign == '*' ? value * other : value / other;
    }
}

static double read_sum(reader *r)
{
    double value = read_product(r);
    for (;;) {
        pass_blanks(r);
        if (*r->at != '+' && *r->at != '-') return value;
        char sign = *r->at++;
        double other = read_product(r);
        value = sign == '+' ? value + other : value - other;
    }
}

/* ---- Thresholds ----------------------------------------------------------------------- */

/* n orthonormal keys and q = beta*(x k[a] + y k[b]): the weights of a and b together, in double
 * precision. */
static double weights(double beta, double x, double y, double n)
{
    double a = exp(beta * x), b = exp(beta * y);
    return (a + b) / (a + b + n - 2);
}

static void write_question(char *text, size_t size, const char *x, const char *y,
                           const char *tolerance, const char *conditions)
{
    snprintf(text, size,
             "given n >= 3, beta > 0\n"
             "keys k[1..n] orthonormal\n"
             "values v[1..n]\n"
             "pick a, b distinct in 1..n\n"
             "c = attend(beta*(%s*k[a] + %s*k[b]), k, v)\n"
             "find least beta: c.weight[a] + c.weight[b] >= 1 - %s %s\n",
             x, y, tolerance, conditions);
}

static const char *const multiples[] = {"1", "2", "1/2", "3"};
static const double multiple_values[] = {1, 2, 0.5, 3};

/* The formula, at numbers for its letters, is where the inequality begins to hold. */
static void test_letters(void **state)
{
    random_source source = {.state = 71};
    size_t solved = 0;
    (void)state;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            char text[512];
            write_question(text, sizeof text, multiples[i], multiples[j], "tau",
                           "for tau > 0, tau < 1");
            qkv_report *report = check(text);
            const qkv_claim *claim = last_claim(report);
            double x = multiple_values[i], y = multiple_values[j];
            /* e^(x beta) and e^(y beta) are one power, or the square of another. */
            bool closed = x == y || x == 2 * y || y == 2 * x;
            assert_int_equal(claim->verdict, closed ? QKV_PROVED : QKV_UNDECIDED);
            for (int trial = 0; closed && trial < 50; trial++) {
                reader r = {claim->found + strlen("beta = "), 3 + (double)random_below(&source, 50),
                            0.001 + 0.5 * random_uniform(&source)};
                double at = read_sum(&r), small = 1e-7;
                assert_int_equal(*r.at, '\0');
                if (at > 0) /* else it holds from the start */
                    assert_true(weights(at * (1 - small), x, y, r.n) < 1 - r.tau);
                else
                    at = 1e-6;
                assert_true(weights(at * (1 + small), x, y, r.n) >= 1 - r.tau);
                assert_true(weights(at * 2, x, y, r.n) >= 1 - r.tau);
            }
            solved += closed;
            qkv_report_free(&report);
        }
    assert_int_equal(solved, 8);
}

/* The two numbers of the reason: it holds at the first and fails at the second. */
static void test_numbers(void **state)
{
    random_source source = {.state = 72};
    size_t found = 0;
    (void)state;
    const size_t trials = cases_of(200);
    for (size_t trial = 0; trial < trials; trial++) {
        char text[512], tolerance[32], conditions[32];
        size_t i = random_below(&source, 4), j = random_below(&source, 4);
        double n = 3 + (double)random_below(&source, 1000);
        size_t below = 3 + random_below(&source, 1000);
        snprintf(tolerance, sizeof tolerance, "1/%zu", below);
        snprintf(conditions, sizeof conditions, "for n = %.0f", n);
        write_question(text, sizeof text, multiples[i], multiples[j], tolerance, conditions);
        qkv_report *report = check(text);
        const qkv_claim *claim = last_claim(report);
        assert_int_equal(claim->verdict, QKV_PROVED);
        double x = multiple_values[i], y = multiple_values[j], holds, fails,
               tau = 1.0 / (double)below;
        if (sscanf(claim->reason, "It holds from beta = %lf on and fails at %lf.", &holds,
                   &fails) == 2) {
            assert_true(weights(holds, x, y, n) >= 1 - tau);
            assert_true(weights(fails, x, y, n) < 1 - tau);
            assert_true(holds - fails <= 3e-5 * holds);
            found++;
        } else { /* n is small and the tolerance large: it holds from the start */
            assert_true(weights(1e-9, x, y, n) >= 1 - tau - 1e-6);
        }
        qkv_report_free(&report);
    }
    assert_true(20 * found > 19 * trials);
}

static const char average[] = "given n >= 3, beta > 0\n"
                              "keys k[1..n] orthonormal\n"
                              "values v[1..n]\n"
                              "pick a, b distinct in 1..n\n"
                              "c = attend(beta*(k[a] + k[b]), k, v)\n";

static void expect_average(const char *question, qkv_verdict verdict, const char *found)
{
    char text[1024];
    snprintf(text, sizeof text, "%s%s\n", average, question);
    expect(text, verdict, found);
}

static void test_forms_of_answers(void **state)
{
    (void)state;
    expect_average("find least beta: 1 - c.weight[a] - c.weight[b] <= tau for tau > 0, tau < 1",
                   QKV_PROVED, "beta = ln((n - 2)*(1 - tau)/(2*tau))");
    expect_average("find least beta: 1 - c.weight[a] - c.weight[b] <= 0.01, n = 10", QKV_PROVED,
                   "beta = ln(99*(n - 2)/2) = 5.98141... at n = 10");
    expect_average("find least beta: |c.weight[a] - 1/2| <= 1e-6 for n = 1000", QKV_PROVED,
                   "19.3349...");
    expect_average("find least beta: c.weight[a] ~ 1/2 within 0.005 for n = 10", QKV_PROVED,
                   "beta = ln(99*(n - 2)/2) = 5.98141...");
    expect_average("find least beta: c.weight[i] < 0.001 for i not in {a, b}, n = 10", QKV_PROVED,
                   "beta > ln((1002 - n)/2) = 6.20657...");
    expect_average("find least beta: c.weight[i] >= 0.4 for i in {a, b}", QKV_PROVED,
                   "beta = ln(2*(n - 2))");
    expect_average("find least beta: c.weight[a] >= 0.51", QKV_REFUTED, "");
    expect_average("find least beta: c.weight[a] <= 0.51", QKV_PROVED, "every beta > 0");
    expect_average("find least beta: 1 - 2 c.weight[a] <= 0.01 for n = 10, beta <= 5", QKV_REFUTED,
                   "");
    expect_average("find least n: c.weight[a] <= 0.1 at beta = 2", QKV_PROVED, "n = 62");
    expect_average("find least n: c.weight[a] >= 0.1 at beta = 2", QKV_PROVED, "n = 3");
    expect_average("find least n: 1/n <= 0.1", QKV_PROVED, "n = 10");
    expect_average("find least n: 1/n < 0.1", QKV_PROVED, "n = 11");
    expect_average("find least tau: 1 - 2 c.weight[a] <= tau", QKV_PROVED,
                   "tau = (n - 2)/(n + 2*e^beta - 2)");
    expect_average("find least beta: beta^2 >= n for n = 9", QKV_PROVED, "beta = sqrt(n) = 3");
    expect_average("find least beta: beta^2 - 3 beta + 1 >= 0", QKV_PROVED, "beta = 2.61803...");
    expect_average("find least beta: c.weight[a] >= 0.49 for n <= 10", QKV_PROVED, "5.27811...");
    expect_average("at n = 10:\n    find least beta: c.weight[a] >= 0.49", QKV_PROVED,
                   "5.27811...");
    /* it holds for small beta alone; it holds, fails and holds again */
    expect_average("find least beta: c.weight[a] <= 0.4", QKV_UNDECIDED, "");
    expect_average("find least beta: beta^2 - n*beta + 1 >= 0", QKV_UNDECIDED, "");
    expect_average("find least beta: e^(t*beta) >= n", QKV_UNDECIDED, ""); /* t may be negative */
    /* the sign of tau is not known */
    expect_average("find least beta: 1 - 2 c.weight[a] <= tau", QKV_UNDECIDED, "");
}

/* What is known beyond bounds could make another value the least one: no answer then. */
static void test_beyond_bounds(void **state)
{
    (void)state;
    expect_average("find least beta: c.weight[a] >= 0.4 given beta > n", QKV_UNDECIDED, "");
    expect_average("given beta > n\nfind least beta: c.weight[a] >= 0.4", QKV_UNDECIDED, "");
    expect_average("given t > m\nfind least beta: c.weight[a] >= 0.4", QKV_PROVED,
                   "beta = ln(2*(n - 2))"); /* of no concern */
    /* scores that differ from key to key change with beta */
    static const char arbitrary[] = "given n >= 3, beta > 0\nkeys k[1..n]\nvalues v[1..n]\n"
                                    "pick a, b distinct in 1..n\nvector q\n"
                                    "c = attend(beta*q, k, v)\n";
    char text[512];
    snprintf(text, sizeof text, "%sfind least beta: c.weight[a] >= 0.9 for n = 10\n", arbitrary);
    expect(text, QKV_UNDECIDED, "");
    snprintf(text, sizeof text, "%sfind least beta: c.weight[a] < 2\n", arbitrary);
    expect(text, QKV_PROVED, "every beta > 0");
    /* with two keys there is no other one */
    expect("given n >= 2, beta > 0\nkeys k[1..n] orthonormal\nvalues v[1..n]\n"
           "pick a, b distinct in 1..n\nc = attend(beta*k[a], k, v)\n"
           "find least beta: c.weight[i] <= 0.01 for i not in {a, b}",
           QKV_UNDECIDED, "");
}

static const char by_hand[] = "vectors u[a,b,c,d] orthogonal, norm beta\n"
                              "x[1] = u[d] + u[b];  x[2] = u[a];  x[3] = u[c] + u[b]\n"
                              "c = self_attend(x)\n"
                              "V = (u[b]*u[b]' - u[c]*u[c]')/beta^2\n"
                              "Q = (u[d]*u[a]' + u[c]*u[d]')/beta^2\n"
                              "z = self_attend(x, Q, I, V)\n";

static void expect_by_hand(const char *question, qkv_verdict verdict, const char *found)
{
    char text[1024];
    snprintf(text, sizeof text, "%s%s\n", by_hand, question);
    expect(text, verdict, found);
}

/* errors beta*sqrt(10), sqrt(5) and sqrt(2) over e^(beta^2) + 2 */
static void test_norms(void **state)
{
    (void)state;
    expect_by_hand("find least beta: |c[2] - u[a]| <= 0.01*beta", QKV_PROVED,
                   "beta = sqrt(ln(100*sqrt(10) - 2)) = 2.39794...");
    expect_by_hand("find least beta: |z[1] - (u[b] - u[c])| <= 0.01*beta", QKV_PROVED,
                   "beta = sqrt(ln(100*sqrt(5) - 2)) = 2.32398...");
    expect_by_hand("find least beta: |z[2] - u[b]| <= tau*beta for tau > 0, tau < 1/10", QKV_PROVED,
                   "beta = sqrt(ln((sqrt(2) - 2*tau)/tau))");
    expect_by_hand("find least beta: |z[2] - u[b]| <= -1", QKV_REFUTED, "");
}

/* ---- The sentence --------------------------------------------------------------------- */

static void test_sentence(void **state)
{
    const char *text = "given n >= 3, beta > 0\ngiven m >= 10, m <= 10\n"
                       "leak = (n - 2)/(2 e^beta + n - 2)\nother = (m - 2)/(2 e^beta + m - 2)\n";
    const char *expected[] = {"at most 1 % once beta >= ln(99*(n - 2)/2), 5.99 at n = 10",
                              "at most 1 % once beta >= 5.99 at m = 10"};
    const char *names[] = {"leak", "other"};
    qkv__document document;
    qkv__model model;
    qkv_error error;
    (void)state;
    check_ok(qkv__document_read("s.qkv", text, strlen(text), &document, &error), &error);
    assert_true(qkv__model_begin(&model, &document, document.first, &qkv__reader_of_tables));
    model.algebra.parameter[qkv__model_parameter(&model, "n")].whole = true;
    for (const qkv__statement *s = document.first; s != NULL; s = s->next)
        assert_true(qkv__model_declare(&model, s));
    for (int i = 0; i < 2; i++) {
        qkv__text sentence = {0};
        qkv__ratio leak;
        assert_true(qkv__value_as_ratio(&qkv__model_find(&model, NULL, names[i])->value, &leak));
        int beta = qkv__parameter_find(&model.algebra, "beta");
        assert_true(
            qkv__find_least_sentence(&model, leak, beta, qkv__rational_make(1, 100), &sentence));
        assert_string_equal(sentence.data, expected[i]);
        qkv__text_free(&sentence);
        /* it never falls to -1/100 */
        assert_false(
            qkv__find_least_sentence(&model, leak, beta, qkv__rational_make(-1, 100), &sentence));
        assert_null(sentence.data);
    }
    qkv__model_end(&model);
    qkv__document_free(&document);
}

/* ---- Matrices of self-attention ------------------------------------------------------- */

enum { TOKENS = 3, AXES = 4 };

/* A token or a target: small whole coefficients of u[1] to u[4]. */
static void random_vector(random_source *source, int *vector)
{
    for (int i = 0; i < AXES; i++) vector[i] = (int)random_below(source, 4) - 1;
}

static void write_vector(char **at, const int *vector)
{
    static const char names[] = "abcd";
    *at += sprintf(*at, "0*u[a]");
    for (int i = 0; i < AXES; i++) *at += sprintf(*at, " + %d*u[%c]", vector[i], names[i]);
}

/* Whether three tokens are linearly independent: some minor of their coefficients is not 0. */
static bool are_independent(int token[TOKENS][AXES])
{
    for (int skip = 0; skip < AXES; skip++) {
        int column[3], count = 0;
        for (int i = 0; i < AXES; i++)
            if (i != skip) column[count++] = i;
        int minor = 0;
        for (int i = 0; i < 3; i++)
            minor += token[0][column[i]] *
                     (token[1][column[(i + 1) % 3]] * token[2][column[(i + 2) % 3]] -
                      token[1][column[(i + 2) % 3]] * token[2][column[(i + 1) % 3]]);
        if (minor != 0) return true;
    }
    return false;
}

/* "Q = A; K = B; V = C" as three lines. */
static void write_definitions(char **at, const char *found)
{
    for (; *found != '\0'; found++) {
        if (*found == ';') {
            *(*at)++ = '\n';
            while (found[1] == ' ') found++;
        } else {
            *(*at)++ = *found;
        }
    }
    *at += sprintf(*at, "\n");
}

/* A random problem; what is found is put into the document, and claimed to do what was asked. */
static void check_matrices(random_source *source, size_t *found, size_t *none)
{
    char text[8192], *at = text, asked[1024], *ask = asked;
    int token[TOKENS][AXES], target[TOKENS][AXES];
    bool near = random_below(source, 2), normed = random_below(source, 2);
    bool causal = random_below(source, 3) == 0;
    size_t unknown = random_below(source, 3);
    for (int i = 0; i < TOKENS; i++) {
        random_vector(source, token[i]);
        random_vector(source, target[i]);
    }
    if (random_below(source, 4) == 0) memcpy(token[1], token[0], sizeof token[1]);
    at += sprintf(at, "vectors u[a,b,c,d] %s\n", normed ? "orthogonal, norm beta" : "orthonormal");
    for (int i = 0; i < TOKENS; i++) {
        at += sprintf(at, "x[%d] = ", i + 1);
        write_vector(&at, token[i]);
        *at++ = '\n';
    }
    at += sprintf(at, "z = self_attend(x%s)\n", causal ? ", causal" : "");
    size_t wanted = 2 + random_below(source, 2);
    for (size_t i = 0; i < wanted; i++) {
        ask += sprintf(ask, "%sz[%zu] %s ", i > 0 ? " and " : "", i + 1, near ? "~" : "=");
        write_vector(&ask, target[i]);
    }
    if (near) ask += sprintf(ask, " as beta -> inf");
    static const char *const unknowns[] = {"K, Q, V", "Q, V", "V, K"};
    char *end = at;
    sprintf(at, "find %s: %s\n", unknowns[unknown], asked);
    qkv_report *report = check(text);
    const qkv_claim *claim = last_claim(report);
    bool proved = claim->verdict == QKV_PROVED, impossible = false;
    for (size_t i = 0; i < wanted; i++) /* equal tokens with different targets */
        for (size_t j = 0; j < i && !causal; j++)
            impossible = impossible || (memcmp(token[i], token[j], sizeof token[i]) == 0 &&
                                        memcmp(target[i], target[j], sizeof target[i]) != 0);
    assert_int_equal(claim->verdict == QKV_REFUTED, impossible);
    if (are_independent(token) && !proved) fail_msg("%s: %s", text, claim->reason);
    if (proved) {
        at = end;
        write_definitions(&at, claim->found);
        at += sprintf(at, "y = self_attend(x, Q, %s, V%s)\nclaim: ", unknown == 1 ? "I" : "K",
                      causal ? ", causal" : "");
        for (char *c = asked; *c != '\0'; c++) *at++ = *c == 'z' ? 'y' : *c;
        sprintf(at, "\n");
        if (unknown == 2) { /* Q was not asked for */
            char *q = strstr(text, "(x, Q");
            q[4] = 'I';
        }
        qkv_report *again = check(text);
        if (last_claim(again)->verdict != QKV_PROVED)
            fail_msg("%s%s", text, last_claim(again)->reason);
        qkv_report_free(&again);
    }
    *found += proved;
    *none += claim->verdict == QKV_REFUTED;
    qkv_report_free(&report);
}

static void test_matrices(void **state)
{
    random_source source = {.state = 73};
    size_t found = 0, none = 0;
    (void)state;
    const size_t trials = cases_of(300);
    for (size_t trial = 0; trial < trials; trial++) check_matrices(&source, &found, &none);
    assert_true(2 * found > trials && 15 * none > trials);
}

static void test_forms_of_matrices(void **state)
{
    (void)state;
    expect_by_hand("find K, Q, V: z[1] ~ u[b] - u[c] and z[2] ~ u[b]", QKV_PROVED,
                   "Q = (u[d]*u[d]' + u[a]*u[a]')/beta^2; K = I; "
                   "V = ((u[b] - u[c])*u[d]' + u[b]*u[a]')/beta^2");
    expect_by_hand("find V: z[1] = u[b] - u[c] and z[2] = u[b]", QKV_PROVED, "V = ");
    /* V is given: its values are u[b], 0 and u[b] - u[c] */
    expect_by_hand("find Q: z[1] ~ u[b] - u[c] and z[2] ~ u[b]", QKV_PROVED,
                   "Q = (u[c]*u[d]' + u[d]*u[a]')/beta^2");
    expect_by_hand("find Q: z[1] ~ u[b] - 1/2 u[c]", QKV_PROVED, "Q = (u[c] + u[d])*u[d]'/beta^2");
    expect_by_hand("find Q: z[1] ~ u[a]", QKV_UNDECIDED, "");
    expect_by_hand("find Q, K: z.weight[2] ~ [1/2, 0, 1/2]", QKV_PROVED, "Q = (u[c] + u[d])*u[a]'");
    expect_by_hand("find Q, K: z.weight[2] = [1/4, 1/4, 1/2]", QKV_PROVED, "K = I");
    expect_by_hand("find Q, K: z.weight[2] ~ [1, 0, 1]", QKV_REFUTED, "");
    expect_by_hand("find Q, K: z.weight[2] = [1, 0, 0]", QKV_REFUTED, "");
    expect_by_hand("find K, Q, V: z[1] ~ u[b] and z[1] ~ u[a]", QKV_REFUTED, "");
    expect_by_hand("find K, Q, V: |z[1] - u[b]| <= 0.01", QKV_PROVED, "V = ");
    /* w rests on Q: it is no fixed target */
    expect_by_hand("w = Q*u[a]\nfind Q, V: z[1] ~ w", QKV_UNDECIDED, "");
    expect_by_hand("w = Q*u[a]\nsame = self_attend(x with x[2] = u[d] + u[b], Q, I, V)\n"
                   "find Q, V: same[1] ~ w and same[2] ~ u[b]",
                   QKV_UNDECIDED, "");
    expect("vectors u[a,b]\nx[1] = u[a]; x[2] = u[b]\nz = self_attend(x)\n"
           "find K, Q, V: z[1] ~ u[b] as beta -> inf",
           QKV_UNDECIDED, ""); /* u[a] and u[b] may be parallel */
}

/* d_i.x_j = [i = j] */
static void test_duals(void **state)
{
    random_source source = {.state = 74};
    size_t made = 0;
    (void)state;
    for (int trial = 0; trial < 200; trial++) {
        qkv__algebra algebra = {0};
        qkv__space space = {.algebra = &algebra};
        qkv__index_set set = {
            .name = "u", .size = qkv__ratio_whole(&algebra, AXES), .mark_count = AXES};
        int token[TOKENS][AXES];
        qkv__family *family = qkv__family_add(&space, "u", &set);
        family->gram = QKV__GRAM_UNIFORM;
        family->same = qkv__ratio_whole(&algebra, 3);
        family->different = qkv__ratio_whole(&algebra, 1);
        qkv__tokens tokens = {.count = TOKENS};
        for (int i = 0; i < TOKENS; i++) {
            random_vector(&source, token[i]);
            tokens.token[i] = qkv__vector_zero(&space);
            for (int j = 0; j < AXES; j++)
                tokens.token[i] =
                    qkv__vector_add(&space, tokens.token[i],
                                    qkv__vector_scale(&space, qkv__vector_symbol(&space, family, j),
                                                      qkv__ratio_whole(&algebra, token[i][j])));
        }
        bool all = true;
        for (size_t i = 0; i < TOKENS; i++) {
            const qkv__vector *dual = qkv__tokens_dual(&space, &tokens, i);
            all = all && dual != NULL;
            for (size_t j = 0; dual != NULL && j < TOKENS; j++)
                assert_true(qkv__ratio_equal(&algebra,
                                             qkv__vector_dot(&space, dual, tokens.token[j]),
                                             qkv__ratio_whole(&algebra, i == j)));
        }
        assert_int_equal(all, are_independent(token));
        made += all;
        qkv__arena_free(&algebra.arena);
    }
    assert_true(made > 100);
}

/* ---- Matrices of any size ------------------------------------------------------------- */

static void test_words(void **state)
{
    static const char sums[] = "matrix A[d,m], B[d,p];  assume A'A = I%s\n"
                               "vector s[m], t[p];  va = A*s;  vb = B*t\n%s\n";
    static const struct {
        const char *assumed, *question;
        qkv_verdict verdict;
        const char *found;
    } cases[] = {
        {", A'B = 0", "find M: M*(va + vb) = va for all s, t", QKV_PROVED, "M = A*A'"},
        {", A'B = 0", "find M: M(va + vb) = vb", QKV_PROVED, "M = I - A*A'"},
        {", A'B = 0", "find M: M*va + M*vb = 2 va", QKV_PROVED, "M = 2*A*A'"},
        {", A'B = 0", "find M: (va + vb)'*M = va'", QKV_PROVED, "M = A*A'"},
        {", A'B = 0", "find matrix M[m,d]: M*(va + vb) = s", QKV_PROVED, "M = A'"},
        {"", "find M: M*A = I", QKV_PROVED, "M = A'"},
        {"", "find M: M*(va + vb) = va for all s, t", QKV_REFUTED, ""},
        {"", "find M: M*va = vb", QKV_REFUTED, ""},
        {", A'B = 0, M*B = 0", "find M: M*(va + vb) = va", QKV_UNDECIDED, ""},
        {", A'B = 0", "y = M*va\nfind M: M*va = y + va", QKV_UNDECIDED, ""},
        {", A'B = 0", "find M: M*M*va = va", QKV_UNDECIDED, ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text, sums, cases[i].assumed, cases[i].question);
        if (strstr(text, "M*B") != NULL || strstr(text, "y =") != NULL)
            memmove(text + strlen("matrix M[d,d]; "), text, strlen(text) + 1),
                memcpy(text, "matrix M[d,d]; ", strlen("matrix M[d,d]; "));
        expect(text, cases[i].verdict, cases[i].found);
    }
    expect("permutation P[n], R[n]\nfind M: M*P = R", QKV_PROVED, "M = R*P'");
    expect("permutation P[n], R[n]\nfind M: P*M = R", QKV_PROVED, "M = P'*R");
}

/* ---- Mistakes and failures ------------------------------------------------------------ */

static void test_complaints(void **state)
{
    static const struct {
        const char *question, *words;
    } cases[] = {
        {"find least gamma: c.weight[a] >= 0.4", "gamma does not occur"},
        {"find least c: c.weight[a] >= 0.4", "c is a result of attention"},
        {"find least beta: c ~ v[a]", "'~' needs 'within'"},
        {"find least beta: c >= v[a]", "cannot compare"},
        {"find least beta: c.weight[a] >= 0.4 as beta -> inf", "cannot be combined with 'as'"},
        {"find least beta, n: c.weight[a] >= 0.4", "one parameter"},
        {"find least beta: c.weight[nothing] >= 0.4", "no index nothing"},
        {"find zeta, zeta: c = v[a]", "asked for twice"},
        {"find zeta: c = v[a]", "zeta does not occur"},
        {"matrix M[3,2], A[3,2]\nfind M: M*A = A", "sizes that do not fit"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s\n", average, cases[i].question);
        expect_complaint(text, cases[i].words);
    }
}

/* Whatever allocation fails, nothing is left behind and nothing wrong is said. */
static void test_memory(void **state)
{
    static const char *const questions[] = {
        "find least beta: |z[2] - u[b]| <= beta/10", "find K, Q, V: z[1] = u[b] and z[2] ~ u[c]",
        "find K, Q, V: z[1] ~ u[b] and z[2] ~ u[c]", "find V: z[1] = u[a]"};
    (void)state;
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++)
        for (long allowed = 0; allowed < 60; allowed++) {
            char text[1024];
            long live = qkv__memory_live();
            qkv_report *report = NULL;
            qkv_error error;
            snprintf(text, sizeof text, "%s%s\n", by_hand, questions[i]);
            qkv__memory_fail_after(allowed);
            qkv_status status = qkv_check("m.qkv", text, strlen(text), &report, &error);
            qkv__memory_fail_after(-1);
            if (status == QKV_OK)
                for (size_t c = 0; c < qkv_report_claim_count(report); c++)
                    assert_int_not_equal(qkv_report_claim(report, c)->verdict, QKV_REFUTED);
            qkv_report_free(&report);
            assert_int_equal(qkv__memory_live(), live);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_letters),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_forms_of_answers),
        cmocka_unit_test(test_beyond_bounds),
        cmocka_unit_test(test_norms),
        cmocka_unit_test(test_sentence),
        cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_forms_of_matrices),
        cmocka_unit_test(test_duals),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_complaints),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("find", tests, NULL, NULL);
}
