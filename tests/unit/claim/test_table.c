/*
 * Claims about large tables of numbers against other ways to know the answer: the reference
 * operator in double precision for weights and outputs, whole-number arithmetic for limits, dense
 * sampling for sums of exponentials. Mistakes in tables and files are named with their place.
 */
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <qkv/qkv.h>

#include "ball/exponential_sum.h"
#include "base/memory.h"
#include "base/text.h"
#include "language/syntax.h"
#include "support/cases.h"
#include "support/random.h"
#include "unit/io/folder.h"
#include "language/document.h"
#include "language/write.h"

/* ---- Documents ----------------------------------------------------------------------------- */

static qkv_report *check_named(const char *name, const qkv__text *text)
{
    qkv_report *report = NULL;
    qkv_error error;
    assert_false(text->failed);
    check_ok(qkv_check(name, text->data, text->length, &report, &error), &error);
    return report;
}

/* Fails unless every claim came out as it says. */
static void expect_all(qkv__text *text)
{
    qkv_report *report = check_named("test.qkv", text);
    for (size_t i = 0; i < qkv_report_complaint_count(report); i++)
        fail_msg("complaint: %s", qkv_report_complaint(report, i)->message);
    assert_true(qkv_report_claim_count(report) > 0);
    for (size_t i = 0; i < qkv_report_claim_count(report); i++) {
        const qkv_claim *claim = qkv_report_claim(report, i);
        if (!qkv_claim_passes(claim))
            fail_msg("%s: %s; %s; %s", claim->claim, qkv_verdict_name(claim->verdict), claim->found,
                     claim->reason);
    }
    qkv_report_free(&report);
    qkv__text_free(text);
}

static void write_table(qkv__text *text, const char *head, size_t rows, size_t columns,
                        const double *number)
{
    qkv__text_format(text, "%s = [", head);
    for (size_t i = 0; i < rows * columns; i++) {
        if (i % columns == 0) qkv__text_format(text, "%s[", i == 0 ? "" : ",\n    ");
        qkv__text_format(text, "%.3f%s", number[i], (i + 1) % columns == 0 ? "]" : ", ");
    }
    qkv__text_format(text, "]\n");
}

static void write_vector(qkv__text *text, size_t count, const double *number, const char *form)
{
    for (size_t i = 0; i < count; i++) {
        qkv__text_format(text, "%s", i == 0 ? "[" : ", ");
        qkv__text_format(text, form, number[i]);
    }
    qkv__text_format(text, "]");
}

/* ---- Against the operator ------------------------------------------------------------------ */

enum { MOST_KEYS = 150, WIDEST = 70 };

static double thousandths(random_source *source, double size)
{
    return round(1000.0 * size * random_bell(source)) / 1000.0;
}

/* softmax(K q) V by the operator. */
static void attend(size_t n, size_t d, size_t m, double *query, double *key, double *value,
                   double *output)
{
    qkv_view q = qkv_view_dense(QKV_F64, query, 2, (size_t[]){1, d});
    qkv_view k = qkv_view_dense(QKV_F64, key, 2, (size_t[]){n, d});
    qkv_view v = qkv_view_dense(QKV_F64, value, 2, (size_t[]){n, m});
    qkv_view c = qkv_view_dense(QKV_F64, output, 2, (size_t[]){1, m});
    qkv_attention_options options = qkv_attention_default();
    qkv_error error;
    options.scale = 1.0;
    check_ok(qkv_attention(&q, &k, &v, &c, &options, &error), &error);
}

/* One random table: its weights and its output, near what the operator says and not elsewhere. */
static void agree_once(random_source *source)
{
    static double query[WIDEST], key[MOST_KEYS * WIDEST], value[MOST_KEYS * 3], output[3];
    static double identity[MOST_KEYS * MOST_KEYS], weight[MOST_KEYS];
    size_t n = 65 + random_below(source, MOST_KEYS - 65), d = 1 + random_below(source, WIDEST - 1);
    qkv__text text = {0};
    for (size_t i = 0; i < n * n; i++) identity[i] = i % (n + 1) == 0;
    for (size_t i = 0; i < n * d; i++) key[i] = thousandths(source, 1.0);
    for (size_t i = 0; i < n * 3; i++) value[i] = thousandths(source, 2.0);
    for (size_t i = 0; i < d; i++) query[i] = thousandths(source, 3.0 / sqrt((double)d));
    attend(n, d, 3, query, key, value, output);
    attend(n, d, n, query, key, identity, weight);
    write_table(&text, "keys k", n, d, key);
    write_table(&text, "values v", n, 3, value);
    qkv__text_format(&text, "q = ");
    write_vector(&text, d, query, "%.3f");
    qkv__text_format(&text, "\nc = attend(q, k, v)\n");
    for (int i = 0; i < 5; i++) {
        size_t at = random_below(source, n);
        qkv__text_format(&text, "claim: c.weight[%zu] = %.9f within 1e-9\n", at + 1, weight[at]);
        qkv__text_format(&text, "claim: c.weight[%zu] = %.9f within 1e-9 expect refuted\n", at + 1,
                         weight[at] + 3e-9);
        qkv__text_format(&text, "claim: c.weight[%zu] > %.9f\n", at + 1,
                         fmax(weight[at] - 2e-9, 0) * 0.999);
    }
    qkv__text_format(&text, "claim: |c - ");
    write_vector(&text, 3, output, "%.9f");
    qkv__text_format(&text, "| <= 2e-9\nclaim: c = ");
    write_vector(&text, 3, output, "%.9f");
    qkv__text_format(&text, " within 2e-9\nclaim: c ~ ");
    output[1] += 1e-6;
    write_vector(&text, 3, output, "%.9f");
    qkv__text_format(&text, " within 1e-7 expect refuted\nclaim: c.[1,0,0] = %.9f within 1e-9\n",
                     output[0]);
    qkv__text_format(&text, "claim: sum(c.weight[i] for i in 1..%zu) = 1\n", n);
    expect_all(&text);
}

static void test_operator(void **state)
{
    (void)state;
    random_source source = {.state = 7};
    for (size_t i = 0; i < cases_of(12); i++) agree_once(&source);
}

/* ---- Limits -------------------------------------------------------------------------------- */

/* Small whole numbers, so that ties are common; the sums are exact in doubles. */
static void limit_once(random_source *source)
{
    enum { N = 70, D = 3 };
    double key[N * D];
    int query[D], largest = -1000, score[N];
    size_t ties = 0;
    qkv__text text = {0}, sum = {0};
    for (size_t i = 0; i < N * D; i++) key[i] = (double)random_below(source, 7) - 3.0;
    for (size_t j = 0; j < D; j++) query[j] = (int)random_below(source, 9) - 4;
    for (size_t i = 0; i < N; i++) {
        score[i] = 0;
        for (size_t j = 0; j < D; j++) score[i] += query[j] * (int)key[i * D + j];
        if (score[i] > largest) largest = score[i];
    }
    size_t loser = N;
    for (size_t i = 0; i < N; i++) {
        if (score[i] < largest) loser = i + 1;
        if (score[i] < largest) continue;
        qkv__text_format(&sum, "%sv[%zu]", ties == 0 ? "" : " + ", i + 1);
        ties++;
    }
    write_table(&text, "keys k", N, D, key);
    qkv__text_format(&text, "values v[1..%d]\nc = attend(beta*[%d, %d, %d], k, v)\n", N, query[0],
                     query[1], query[2]);
    qkv__text_format(&text, "claim: c ~ 1/%zu*(%s) as beta -> inf\n", ties, sum.data);
    if (ties < N)
        qkv__text_format(&text, "claim: c ~ v[%zu] as beta -> inf, expect refuted\n", loser);
    if (ties < N) qkv__text_format(&text, "claim: c.weight[%zu] < 1e-6 at beta = 20\n", loser);
    qkv__text_format(&text, "claim: c ~ 1/%zu*(%s) as beta -> inf, expect refuted\n", ties + 1,
                     sum.data);
    qkv__text_free(&sum);
    expect_all(&text);
}

static void test_limits(void **state)
{
    (void)state;
    random_source source = {.state = 11};
    for (size_t i = 0; i < cases_of(40); i++) limit_once(&source);
}

/* 0.1 + 0.2 is 0.3 here, and the part of the query that does not grow shares the rest out. */
static void test_exact_ties(void **state)
{
    (void)state;
    qkv__text text = {0};
    qkv__text_format(&text, "keys k = [[0.1, 0.2], [0.3, 0.0]");
    for (int i = 0; i < 70; i++) qkv__text_format(&text, ", [0.1, 0.1999999999999]");
    qkv__text_format(&text, "]\nvalues v[1..72]\n"
                            "c = attend(beta*[1, 1], k, v)\n"
                            "claim: c ~ 1/2*(v[1] + v[2]) as beta -> inf\n"
                            "claim: c.weight[1] = c.weight[2]\n"
                            "claim: c.weight[1] > c.weight[3] for beta > 0\n"
                            "claim: c.weight[1] > c.weight[3] expect refuted\n"
                            "s = attend(beta*[1, 1] + [0, 10], k, v)\n"
                            "claim: s.weight[1] ~ e^2/(1 + e^2) as beta -> inf\n"
                            "claim: s ~ 1/2*(v[1] + v[2]) as beta -> inf, expect refuted\n"
                            "claim: s.weight[1] = 0.88079707797788 within 1e-13 as beta -> inf\n");
    expect_all(&text);
}

/* ---- Ranges -------------------------------------------------------------------------------- */

enum { RANGE_KEYS = 66 };

/* The largest of factor*w_i + other*w_j over a range, by sampling it. */
static double largest_over(const int *score, double factor, size_t i, double other, size_t j,
                           double upper)
{
    double largest = -INFINITY;
    for (int step = 0; step <= 1000; step++) {
        double beta = upper * step / 1000.0, total = 0;
        for (size_t k = 0; k < RANGE_KEYS; k++) total += exp(beta * (score[k] - score[i]));
        double value = (factor + other * exp(beta * (score[j] - score[i]))) / total;
        if (value > largest) largest = value;
    }
    return largest;
}

/* No verdict about a range against what sampling shows; most are decided. */
static void test_ranges(void **state)
{
    (void)state;
    enum { TRIALS = 150 };
    random_source source = {.state = 31};
    const int trials = (int)cases_of(TRIALS);
    int decided = 0;
    for (int trial = 0; trial < trials; trial++) {
        int score[RANGE_KEYS];
        qkv__text text = {0};
        qkv__text_format(&text, "keys k = [");
        for (size_t i = 0; i < RANGE_KEYS; i++) {
            score[i] = (int)random_below(&source, trial % 2 == 0 ? 5 : 40);
            qkv__text_format(&text, "%s%d", i == 0 ? "" : ", ", score[i]);
        }
        size_t i = random_below(&source, RANGE_KEYS), j = random_below(&source, RANGE_KEYS);
        int other = (int)random_below(&source, 5) - 2, upper = 1 + (int)random_below(&source, 6);
        double most = largest_over(score, 1.0, i, other, j, upper);
        double bound = round(1e4 * most * (0.9 + 0.2 * random_uniform(&source))) / 1e4;
        if (fabs(bound - most) < 1e-4 * (1 + fabs(most))) bound += 0.01;
        qkv__text_format(&text,
                         "]\nvalues v[1..%d]\nc = attend(beta*[1], k, v)\n"
                         "claim: c.weight[%zu] + (%d)*c.weight[%zu] <= %.4f for beta in 0..%d\n",
                         RANGE_KEYS, i + 1, other, j + 1, bound, upper);
        qkv_report *report = check_named("a.qkv", &text);
        assert_int_equal(qkv_report_complaint_count(report), 0);
        qkv_verdict verdict = qkv_report_claim(report, 0)->verdict;
        if (verdict == QKV_PROVED && most > bound) fail_msg("proved:\n%s", text.data);
        if (verdict == QKV_REFUTED && most < bound) fail_msg("refuted:\n%s", text.data);
        decided += verdict != QKV_UNDECIDED;
        qkv_report_free(&report);
        qkv__text_free(&text);
    }
    if (decided < trials * 9 / 10) fail_msg("only %d of %d were decided", decided, trials);
}

/* ---- Mistakes ------------------------------------------------------------------------------ */

static void complains(const char *name, const char *document, const char *words)
{
    qkv__text text = {0};
    qkv__text_append(&text, document, strlen(document));
    qkv_report *report = check_named(name, &text);
    bool found = false;
    for (size_t i = 0; i < qkv_report_complaint_count(report); i++)
        found = found || strstr(qkv_report_complaint(report, i)->message, words) != NULL;
    if (!found && qkv_report_complaint_count(report) > 0)
        fail_msg("\"%s\" lacks \"%s\"", qkv_report_complaint(report, 0)->message, words);
    if (!found) fail_msg("no complaint with \"%s\"", words);
    qkv_report_free(&report);
    qkv__text_free(&text);
}

static void put(const char *path, const char *text)
{
    file_put(path, text, strlen(text));
}

static void test_mistakes(void **state)
{
    (void)state;
    qkv__text text = {0};
    qkv__text_format(&text, "keys k = [");
    for (int i = 0; i < 80; i++) qkv__text_format(&text, i == 70 ? "\n[1]," : "[1, 2],");
    qkv__text_format(&text, "[0, 0]]\n");
    complains("a.qkv", text.data, "row 71 has 1 numbers, expected 2 as in the first row");
    qkv__text_free(&text);

    double nan_and_more[] = {1.0, 2.0, NAN, 4.0};
    qkv_view view = qkv_view_dense(QKV_F64, nan_and_more, 2, (size_t[]){2, 2});
    qkv_tensor_output output = {.path = "nan.npy", .view = view};
    qkv_error error;
    check_ok(qkv_tensor_write(&output, 1, &error), &error);
    complains("a.qkv", "keys k = file(\"nan.npy\")\n",
              "nan.npy: row 2, column 1 is nan, expected a finite number");
    complains("a.qkv", "keys k = file(\"absent.npy\")\n", "absent.npy");
    complains("a.qkv", "keys k = file(\"absent.csv\")\n", "absent.csv");
    complains("a.qkv", "keys k = file(7)\n", "expected file(\"path\")");
    complains("a.qkv", "keys k = file(\"/dev/zero\")\n", "/dev/zero: is not a regular file");
    complains("a.qkv", "keys k = file(\"-\")\n", "-: is not a regular file");
    put("ragged.csv", "1, 2\n3, 4\n5\n");
    complains("a.qkv", "keys k = file(\"ragged.csv\")\n",
              "ragged.csv: line 3: row 3 has 1 numbers");
    put("words.csv", "1, 2\n3, four\n");
    complains("a.qkv", "keys k = file(\"words.csv\")\n", "words.csv: line 2: expected a number");
    put("empty_field.csv", "1, 2\n,4\n");
    complains("a.qkv", "keys k = file(\"empty_field.csv\")\n",
              "empty_field.csv: line 2: expected a number before the comma");
    put("between.csv", "1,2,3\n4,,6\n");
    complains("a.qkv", "keys k = file(\"between.csv\")\n",
              "between.csv: line 2: expected a number before the comma");
    put("points.csv", "1.2.3, 4\n");
    complains("a.qkv", "keys k = file(\"points.csv\")\n", "points.csv: line 1: expected a number");
    put("minus.csv", "1-2, 4\n");
    complains("a.qkv", "keys k = file(\"minus.csv\")\n", "minus.csv: line 1: expected a number");
    put("ragged_returns.csv", "1,2,3\r4,5\r");
    complains("a.qkv", "keys k = file(\"ragged_returns.csv\")\n", "line 2: row 2 has 2 numbers");
    put("open.txt", "[[1, 2], [3, 4]\n");
    complains("a.qkv", "keys k = file(\"open.txt\")\n", "expected ']'");
    put("empty.csv", "# nothing\n");
    complains("a.qkv", "keys k = file(\"empty.csv\")\n", "expected numbers, found none");
    put("two.csv", "1, 2\n3, 4\n");
    complains("a.qkv", "keys k = file(\"two.csv\")\nvalues v[1..3]\nc = attend(k[1], k, v)\n",
              "there are 2 keys and 3 values");
    complains("a.qkv", "keys k = file(\"two.csv\")\nvalues v[1..2]\nc = attend([1,2,3], k, v)\n",
              "the query has 3 coordinates, the keys have 2");
    complains("a.qkv", "keys k = file(\"two.csv\")\nclaim: |k[3]| = 1\n",
              "expected an index from 1 to 2");
}

/* The folder of a file is that of the document. */
static void test_files(void **state)
{
    (void)state;
    double number[] = {0.1, 0.2, 0.3, 1e-300, -5.0, 1e300};
    qkv_view view = qkv_view_dense(QKV_F64, number, 2, (size_t[]){3, 2});
    qkv_tensor_output outputs[] = {{.path = "in/k.npy", .view = view},
                                   {.path = "in/s.safetensors", .name = "k", .view = view},
                                   {.path = "in/s.safetensors", .name = "other", .view = view}};
    qkv_error error;
    assert_int_equal(mkdir("in", 0700), 0);
    check_ok(qkv_tensor_write(outputs, 3, &error), &error);
    put("in/k.csv", "0.1,0.2\r\n0.3;1e-300\n-5\t1e300");
    qkv__text text = {0};
    qkv__text_format(&text,
                     "keys a = file(\"k.npy\")\n"
                     "keys b = file(\"s.safetensors\", \"k\")\n"
                     "keys t = file(\"k.csv\")\n"
                     "values v[1..3]\n"
                     "claim: a[1] = b[1] and a[2] = b[2] and a[3] = b[3]\n"
                     "claim: a[3] = b[2] expect refuted\n"
                     "claim: a[1] = t[1] expect refuted\n" /* the double near 0.1 is not 0.1 */
                     "claim: t[1] = [1/10, 1/5]\n"
                     "claim: attend(beta*t[3], t, v) ~ v[3] as beta -> inf\n"
                     "claim: attend(beta*a[3], a, v) ~ v[3] as beta -> inf\n"
                     "claim: attend(a[3], a, v).weight[1] < 1e-9\n" /* about e^(-10^600) */
                     "claim: attend(a[3], a, v).weight[1] > 0\n");
    qkv_report *report = check_named("in/doc.qkv", &text);
    assert_int_equal(qkv_report_complaint_count(report), 0);
    for (size_t i = 0; i < qkv_report_claim_count(report); i++)
        if (!qkv_claim_passes(qkv_report_claim(report, i)))
            fail_msg("%s: %s", qkv_report_claim(report, i)->claim,
                     qkv_report_claim(report, i)->reason);
    qkv_report_free(&report);
    qkv__text_free(&text);
}

/* ---- Long lists ---------------------------------------------------------------------------- */

static const qkv__node *only_list(const qkv__document *document)
{
    assert_int_equal(document->complaint_count, 0);
    const qkv__node *node = document->first->node[document->first->count - 1];
    if (node->kind == QKV__NODE_COMPARE) node = node->child[1];
    assert_int_equal(node->kind, QKV__NODE_LIST);
    return node;
}

/* Written and read again it is the same; margins, comments and line ends do not matter. */
static void test_long_list(void **state)
{
    (void)state;
    static const char *const forms[] = {"1",
                                        "-0.5",
                                        " .25 ",
                                        "1e-30",
                                        "-12.500e2",
                                        "0",
                                        "\n> 7 # a comment, [1]\n> ",
                                        "123456789012345678"};
    qkv__text text = {0}, written = {0}, again = {0};
    qkv__text_format(&text, "> ```qkv\n> q = [");
    for (int i = 0; i < 100; i++) qkv__text_format(&text, "%s%s", i == 0 ? "" : ",", forms[i % 8]);
    qkv__text_format(&text, "]\n> claim: q = q\n> ```\n");
    qkv__document document, second;
    qkv_error error;
    check_ok(qkv__document_read("a.md", text.data, text.length, &document, &error), &error);
    const qkv__node *node = only_list(&document);
    assert_non_null(node->table);
    assert_true(node->table->flat);
    assert_int_equal(node->table->rows, 100);
    assert_int_equal(node->table->entry[4].digits, -125);
    assert_int_equal(node->table->entry[4].exponent, 1);
    assert_int_equal(document.first->next->place.line, 27);
    qkv__text_format(&written, "q = ");
    qkv__node_write(node, &written);
    check_ok(qkv__document_read("b.qkv", written.data, written.length, &second, &error), &error);
    qkv__text_format(&again, "q = ");
    qkv__node_write(only_list(&second), &again);
    assert_string_equal(written.data, again.data);
    qkv__document_free(&document);
    qkv__document_free(&second);
    qkv__text_free(&text);
    qkv__text_free(&written);
    qkv__text_free(&again);
}

/* A list with a name in it, and a short one, have nodes for their items. */
static void test_plain_lists(void **state)
{
    (void)state;
    for (int with_name = 0; with_name < 2; with_name++) {
        qkv__text text = {0};
        qkv__text_format(&text, "q = [");
        for (int i = 0; i < (with_name ? 100 : 64); i++)
            qkv__text_format(&text, "%s%s", i == 0 ? "" : ", ", with_name && i == 99 ? "t" : "2");
        qkv__text_format(&text, "]\n");
        qkv__document document;
        qkv_error error;
        check_ok(qkv__document_read("a.qkv", text.data, text.length, &document, &error), &error);
        assert_null(only_list(&document)->table);
        assert_int_equal(only_list(&document)->count, with_name ? 100 : 64);
        qkv__document_free(&document);
        qkv__text_free(&text);
    }
}

/* ---- Sums of exponentials ------------------------------------------------------------------ */

/* Random sums: what is said about a range agrees with samples of it. */
static void test_sums(void **state)
{
    (void)state;
    random_source source = {.state = 23};
    int definite = 0, mixed = 0;
    for (int trial = 0; trial < 300; trial++) {
        size_t count = 2 + random_below(&source, 5);
        double factor[8], slope[8], rest[8];
        for (size_t i = 0; i < count; i++) {
            factor[i] = (double)random_below(&source, 9) - (trial % 2 == 0 ? 4.0 : 1.0);
            slope[i] = (double)random_below(&source, 7) - 3.0;
            rest[i] = (double)random_below(&source, 5) - 2.0;
        }
        qkv__exponential_sum sum;
        qkv__sum_shape shape;
        assert_true(qkv__exponential_sum_make(&sum, qkv__grid_of_doubles(count, 1, slope),
                                              qkv__grid_of_doubles(count, 1, rest)));
        for (size_t i = 0; i < count; i++) fmpq_set_si(sum.factor + i, (slong)factor[i], 1);
        bool known = qkv__exponential_sum_shape(&sum, &shape);
        qkv__range range = {.lower = {.known = trial % 3 != 0, .value = {0, 1}},
                            .upper = {.known = trial % 5 == 0, .value = {3, 1}}};
        qkv__sum_range found;
        qkv__exponential_sum_range(&sum, &range, &found);
        bool positive = false, negative = false;
        for (int i = -400; i <= 400; i++) {
            double b = i / 40.0, value = 0, size = 0;
            if ((range.lower.known && b < 0) || (range.upper.known && b > 3)) continue;
            for (size_t j = 0; j < count; j++) {
                value += factor[j] * exp(rest[j] + b * slope[j]);
                size += fabs(factor[j]) * exp(rest[j] + b * slope[j]);
            }
            positive = positive || value > 1e-12 * size;
            negative = negative || value < -1e-12 * size;
        }
        if (found.sign == 1) assert_false(negative);
        if (found.sign == -1) assert_false(positive);
        if (known && shape.changes == 0) assert_false(positive && negative);
        definite += found.sign != QKV__SIGN_OPEN;
        mixed += found.has_positive && found.has_negative;
        if (known && shape.changes == 1) {
            qkv__rational below, above;
            assert_true(qkv__exponential_sum_turn(&sum, &shape, &below, &above));
            assert_int_equal(qkv__exponential_sum_sign(&sum, below), shape.downward);
            assert_int_equal(qkv__exponential_sum_sign(&sum, above), shape.upward);
            assert_true(qkv__rational_compare(below, above) < 0);
        }
        qkv__exponential_sum_free(&sum);
    }
    assert_true(definite > 100 && mixed > 50);
}

/* (e^b - p)(e^b - q) with zeros close to each other, both ends of the range positive: whoever looks
 * at the ends alone is wrong. */
static void test_dips(void **state)
{
    (void)state;
    random_source source = {.state = 29};
    for (int trial = 0; trial < 40; trial++) {
        double slope[] = {2, 1, 0}, rest[] = {0, 0, 0};
        slong p = 110 + (slong)random_below(&source, 900),
              q = p + 1 + (slong)random_below(&source, 20);
        qkv__exponential_sum sum;
        qkv__sum_range found;
        qkv__range range = {.lower = {.known = true, .value = {0, 1}},
                            .upper = {.known = trial % 2 == 0, .value = {3, 1}}};
        assert_true(qkv__exponential_sum_make(&sum, qkv__grid_of_doubles(3, 1, slope),
                                              qkv__grid_of_doubles(3, 1, rest)));
        fmpq_set_si(sum.factor + 0, 1, 1); /* zeros at ln(p/100) and ln(q/100) */
        fmpq_set_si(sum.factor + 1, -(p + q), 100);
        fmpq_set_si(sum.factor + 2, p * q, 10000);
        qkv__exponential_sum_range(&sum, &range, &found);
        assert_int_equal(found.sign, QKV__SIGN_OPEN);
        range.lower.value = qkv__rational_make(12, 5); /* beyond ln 11 */
        qkv__exponential_sum_range(&sum, &range, &found);
        assert_int_equal(found.sign, 1);
        qkv__exponential_sum_free(&sum);
    }
}

/* ---- Memory -------------------------------------------------------------------------------- */

/* Each allocation of this library's own fails once: no crash, nothing is kept, and no verdict is
 * other than it should be. */
static void test_memory(void **state)
{
    (void)state;
    qkv__text text = {0};
    qkv__text_format(&text, "keys k = [");
    for (int i = 0; i < 70; i++) qkv__text_format(&text, "%s[%d, 0.5]", i == 0 ? "" : ", ", i % 9);
    qkv__text_format(&text, "]\nvalues v[1..70]\nc = attend(beta*k[9], k, v)\n"
                            "claim: c.weight[9] <= 1/2 for beta >= 0\n"
                            "claim: c.weight[9] > 1/1000 at beta = 1\n"
                            "claim: c ~ v[9] as beta -> inf\n");
    static const qkv_verdict right[] = {QKV_PROVED, QKV_PROVED, QKV_REFUTED};
    long live = qkv__memory_live();
    for (long countdown = 0, good = 0;; countdown += cases_step()) {
        qkv_report *report = NULL;
        qkv_error error;
        qkv__memory_fail_after(countdown);
        qkv_status status = qkv_check("a.qkv", text.data, text.length, &report, &error);
        qkv__memory_fail_after(-1);
        bool whole = status == QKV_OK && qkv_report_complaint_count(report) == 0;
        for (size_t i = 0; status == QKV_OK && i < qkv_report_claim_count(report); i++) {
            qkv_verdict verdict = qkv_report_claim(report, i)->verdict;
            whole = whole && verdict != QKV_UNDECIDED;
            assert_true(verdict == QKV_UNDECIDED || verdict == right[i]);
        }
        qkv_report_free(&report);
        assert_int_equal(qkv__memory_live(), live);
        good = whole ? good + 1 : 0;
        if (good > 40 / cases_step()) break; /* no allocation is left to fail */
        assert_true(countdown < 100000);
    }
    qkv__text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operator),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_exact_ties),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test_setup_teardown(test_mistakes, folder_enter, folder_leave),
        cmocka_unit_test_setup_teardown(test_files, folder_enter, folder_leave),
        cmocka_unit_test(test_long_list),
        cmocka_unit_test(test_plain_lists),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_dips),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
