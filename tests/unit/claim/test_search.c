/*
 * The search for counterexamples, and the whole checker against it: what any engine proves without
 * a limit, concrete cases must not contradict; what the search refutes, the exact engines must
 * refute too once the numbers of its counterexample are written into the document.
 */
#include "support/check.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <qkv/qkv.h>

#include "ball/elementary.h"
#include "ball/real.h"
#include "base/memory.h"
#include "claim/chance/chance.h"
#include "claim/engine.h"
#include "claim/search/search.h"
#include "claim/table/table.h"
#include "language/chance_call.h"
#include "language/document.h"
#include "language/reading.h"
#include "language/tree.h"
#include "support/cases.h"
#include "support/random.h"

enum { RANDOM_CLAIMS = 600 };

/* ---- Numbers ------------------------------------------------------------------------------- */

static void set(qkv__real *x, int64_t numerator, int64_t denominator)
{
    qkv__real_set_rational(x, qkv__rational_make(numerator, denominator));
}

/* 1/3 + 1/6 - 1/2 is 0 and known to be. */
static void test_exact_numbers(void **state)
{
    qkv__real x, y, row[4];
    (void)state;
    qkv__real_init(&x);
    qkv__real_init(&y);
    for (int i = 0; i < 4; i++) qkv__real_init(&row[i]);
    set(&x, 1, 3);
    set(&y, 1, 6);
    qkv__real_add(&x, &x, &y);
    set(&y, 1, 2);
    qkv__real_subtract(&x, &x, &y);
    assert_int_equal(qkv__real_sign(&x), 0);
    qkv__real_exponential(&x, &x);
    qkv__real_logarithm(&x, &x);
    assert_true(qkv__real_is_zero(&x));
    set(&row[0], 3, 7);
    set(&row[1], -4, 7);
    qkv__real_norm(&x, row, 2);
    set(&y, 5, 7);
    qkv__real_subtract(&x, &x, &y);
    assert_true(qkv__real_is_zero(&x));
    for (int i = 0; i < 4; i++) set(&row[i], 2, 3);
    qkv__real_softmax(row, 4);
    set(&y, 1, 4);
    qkv__real_subtract(&x, &row[2], &y);
    assert_true(qkv__real_is_zero(&x));
    qkv__real_clear(&x);
    qkv__real_clear(&y);
    for (int i = 0; i < 4; i++) qkv__real_clear(&row[i]);
}

/* Whether the enclosure of x - y holds 0 and is narrow. */
static void check_agree(const qkv__real *x, const qkv__real *y)
{
    qkv__real apart;
    qkv__real_init(&apart);
    qkv__real_subtract(&apart, x, y);
    assert_true(qkv__real_is_defined(&apart));
    int sign = qkv__real_sign(&apart);
    assert_true(sign == 0 || sign == QKV__SIGN_OPEN);
    assert_true(fabs(qkv__real_middle(&apart)) <= 1e-15 * (1.0 + fabs(qkv__real_middle(x))));
    qkv__real_clear(&apart);
}

/* Identities of the functions at random rationals. */
static void test_identities(void **state)
{
    random_source source = {.state = 7};
    qkv__real x, y, a, b, row[3];
    (void)state;
    qkv__real *all[] = {&x, &y, &a, &b, &row[0], &row[1], &row[2]};
    for (size_t i = 0; i < 7; i++) qkv__real_init(all[i]);
    for (int trial = 0; trial < 500; trial++) {
        set(&x, 1 + (int64_t)random_below(&source, 50), 1 + (int64_t)random_below(&source, 20));
        set(&y, 1 + (int64_t)random_below(&source, 50), 1 + (int64_t)random_below(&source, 20));
        qkv__real_logarithm(&a, &x); /* e^(ln x) = x */
        qkv__real_exponential(&a, &a);
        check_agree(&a, &x);
        qkv__real_root(&a, &x); /* sqrt(x)^2 = x */
        qkv__real_multiply(&a, &a, &a);
        check_agree(&a, &x);
        qkv__real_power(&a, &x, &y); /* x^y = e^(y ln x), also for whole y */
        qkv__real_logarithm(&b, &x);
        qkv__real_multiply(&b, &b, &y);
        qkv__real_exponential(&b, &b);
        qkv__real_divide(&a, &a, &b);
        set(&b, 1, 1);
        check_agree(&a, &b);
        qkv__real_exponential(&a, &x); /* tanh x = (e^x - e^-x)/(e^x + e^-x) */
        set(&b, 1, 1);
        qkv__real_divide(&b, &b, &a);
        qkv__real_add(&row[0], &a, &b);
        qkv__real_subtract(&row[1], &a, &b);
        qkv__real_divide(&a, &row[1], &row[0]);
        qkv__elementary_find("tanh")(&b, &x);
        check_agree(&a, &b);
        qkv__real_set(&row[0], &x); /* weights sum to 1, and their ratio is e^(x - y) */
        qkv__real_set(&row[1], &y);
        set(&row[2], 0, 1);
        qkv__real_softmax(row, 3);
        qkv__real_add(&a, &row[0], &row[1]);
        qkv__real_add(&a, &a, &row[2]);
        set(&b, 1, 1);
        check_agree(&a, &b);
        qkv__real_divide(&a, &row[0], &row[2]);
        qkv__real_logarithm(&a, &a);
        check_agree(&a, &x);
    }
    set(&x, 0, 1); /* what has no value says so, and so does what is made of it */
    set(&y, 1, 1);
    qkv__real_divide(&a, &y, &x);
    assert_false(qkv__real_is_defined(&a));
    qkv__real_multiply(&a, &a, &x);
    assert_false(qkv__real_is_defined(&a));
    qkv__real_logarithm(&a, &x);
    assert_int_equal(qkv__real_sign(&a), QKV__SIGN_OPEN);
    for (size_t i = 0; i < 7; i++) qkv__real_clear(all[i]);
}

/* ---- Verdicts ------------------------------------------------------------------------------ */

static const char ARBITRARY[] = "problem \"arbitrary\"\n"
                                "given n >= 3\n"
                                "keys k[1..n]\n"
                                "values v[1..n]\n"
                                "vector q, x, y, z\n"
                                "c = attend(q, k, v)\n"
                                "vectors t[1..3]\n"
                                "o = self_attend(t, causal)\n"
                                "matrix M[3,3]\n";

/* Theorems: none may be refuted, and each must at least be supported. */
static const char *const theorems[] = {
    "|x.y| <= |x| |y|",
    "|x + y| <= |x| + |y|",
    "|x + y|^2 + |x - y|^2 = 2 |x|^2 + 2 |y|^2",
    "x.y = 0 implies |x + y|^2 = |x|^2 + |y|^2",
    "|x| - |y| <= |x - y|",
    "|x + y + z| <= |x| + |y| + |z|",
    "x.y > 0 and y = z implies x.z > 0",
    "c.weight[1] <= c.weight[2] implies k[1].q <= k[2].q",
    "k[1] = k[2] implies c.weight[1] = c.weight[2]",
    "not (c.weight[1] > 1/2 and c.weight[2] > 1/2)",
    "c.weight[1] > 1/2 or c.weight[1] <= 1/2",
    "|c| <= max(|v[i]| for i in 1..n)",
    "|c - v[1]| <= (1 - c.weight[1])*max(|v[i] - v[1]| for i in 1..n)",
    "attend(q, k, v) = attend(2*q, k, v, scale = 1/2)",
    "|k[1].q - k[2].q| <= |q| |k[1] - k[2]|",
    "min(x.x, y.y) <= max(x.x, y.y)",
    "tanh(x.y)^2 < 1",
    "for all vector w: |w.x| <= |w| |x|",
    "x.x >= 1 implies ln(x.x) >= 0",
    "k[1].q = k[2].q and k[2].q = k[3].q implies c.weight[1] = c.weight[3]",
    "x.x != 0 implies x.x/x.x = 1",
    "o.weight[1] = [1, 0, 0] and o.weight[2][3] = 0 and o[1] = t[1]",
    "self_attend(t with t[3] = x, causal)[2] = o[2]",
    "mean(c, attend(-q, k, v)).head[2].weight[1] = attend(-q, k, v).weight[1]",
    "2*mean(c, attend(-q, k, v)) = c + attend(-q, k, v)",
    "self_attend(t, M, I, M)[1] = M*attend(M*t[1], t, t)",
    "sum(c.weight[i] for i != 1) = 1 - c.weight[1]",
    "x'*M*y = (M'*x).y",
    "(x*y')*z = (y.z) x",
    "softmax(M + M)*x = softmax(2*M)*x",
    "c in hull(v)",
};

/* Each fails for some choice, the equations among the premises for few. */
static const char *const mistakes[] = {
    "|k[1]| > |k[2]| implies k[1].q > k[2].q",
    "k[1].q >= 100 implies c.weight[1] >= 0.99",
    "c.weight[1] > 0.99 implies |c - v[1]| <= 0.01",
    "c = 1/2*(v[1] + v[2]) implies c.weight[1] = 1/2",
    "|x + y| = |x| + |y|",
    "x.y = 0 implies |x + y| = |x| + |y|",
    "attend(q, k, v) = attend(2*q, k, v)",
    "|x| = |y| implies x.z = y.z",
    "x.y > 0 and y.z > 0 implies x.z > 0",
    "c.weight[1] > c.weight[2] implies |c - v[1]| < |c - v[2]|",
    "c.weight[1] >= 1/n",
    "attend(q + x, k, v) = attend(q, k, v)",
    "|c| >= min(|v[i]| for i in 1..n)",
    "x.y = 1 implies |x| = 1 or |y| = 1",
    "for all vector w: w.x <= w.w",
    "k[1].q > 2*k[2].q and k[2].q > 0 implies c.weight[1] > 2/3",
    "c = v[1] implies c.weight[1] = 1",
    "not (c.weight[1] > 0.9 and |c| > 100)",
    "self_attend(t with t[3] = x)[2] = self_attend(t)[2]",
    "o[2] = self_attend(t)[2]",
    "x'*M*y = y'*M*x",
    "softmax(M)' = softmax(M')",
    "2*c in hull(v)",
    "attend(q, k, v, scale = 2) = c",
    "x.x < 10000",
};

/* The verdict on the last claim of a document; its reason in `reason`, if that is not NULL. */
static qkv_verdict verdict_of(const char *text, char *engine, char *reason, size_t size)
{
    qkv_report *report = NULL;
    qkv_error error;
    check_ok(qkv_check("search.qkv", text, strlen(text), &report, &error), &error);
    if (qkv_report_complaint_count(report) > 0)
        fail_msg("%s: %s", text, qkv_report_complaint(report, 0)->message);
    const qkv_claim *claim = qkv_report_claim(report, qkv_report_claim_count(report) - 1);
    qkv_verdict verdict = claim->verdict;
    snprintf(engine, 16, "%s", claim->engine);
    if (reason != NULL) snprintf(reason, size, "%s", claim->reason);
    qkv_report_free(&report);
    return verdict;
}

/* The search alone on the last claim of a document, whatever other engines make of it. */
static qkv__search_report search_alone(const char *text, qkv__text *found)
{
    qkv__document document;
    qkv__model *model = calloc(1, sizeof *model);
    qkv__circumstances none = {.count = 0};
    qkv__search_report report = {.able = false};
    qkv_error error;
    assert_non_null(model);
    check_ok(qkv__document_read("search.qkv", text, strlen(text), &document, &error), &error);
    if (document.complaint_count > 0) fail_msg("%s: %s", text, document.complaint[0].message);
    qkv__model_begin(model, &document, document.first, &qkv__reader_of_tables);
    for (const qkv__statement *s = document.first; s != NULL; s = s->next) {
        if (s->kind == QKV__STATEMENT_CLAIM)
            report = qkv__search_instances(model,
                                           &(qkv__search_question){.proposition = s->node[0],
                                                                   .circumstances = &none,
                                                                   .tries = 1000},
                                           found);
        else
            qkv__model_declare(model, s);
    }
    qkv__model_end(model);
    qkv__document_free(&document);
    free(model);
    return report;
}

static void test_theorems(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof theorems / sizeof theorems[0]; i++) {
        char text[1024];
        qkv__text found = {0};
        snprintf(text, sizeof text, "%sclaim: %s\n", ARBITRARY, theorems[i]);
        qkv__search_report report = search_alone(text, &found);
        if (!report.able || report.found || report.met < 100)
            fail_msg("%s: %zu tries: %s", theorems[i], report.met,
                     found.data == NULL ? "" : found.data);
        qkv__text_free(&found);
    }
}

/* Each mistake, by the search alone. */
static void test_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        char text[1024];
        qkv__text found = {0};
        snprintf(text, sizeof text, "%sclaim: %s\n", ARBITRARY, mistakes[i]);
        qkv__search_report report = search_alone(text, &found);
        if (!report.found) fail_msg("%s: nothing found in %zu tries", mistakes[i], report.met);
        qkv__text_free(&found);
    }
}

/* The same claim gives the same words, run after run. */
static void test_repeatable(void **state)
{
    char text[1024];
    qkv__text one = {0}, two = {0};
    (void)state;
    snprintf(text, sizeof text, "%sclaim: %s\n", ARBITRARY, mistakes[2]);
    search_alone(text, &one);
    search_alone(text, &two);
    assert_string_equal(one.data, two.data);
    qkv__text_free(&one);
    qkv__text_free(&two);
}

/* Whichever allocation fails: no crash, nothing kept, and never a verdict that is not there. */
static void test_without_memory(void **state)
{
    char text[1024];
    (void)state;
    snprintf(text, sizeof text, "%sclaim: %s\n", ARBITRARY, theorems[11]);
    for (long countdown = 0; countdown < 120; countdown += cases_step()) {
        qkv_report *report = NULL;
        qkv_error error;
        long live = qkv__memory_live();
        qkv__memory_fail_after(countdown);
        qkv_status status = qkv_check("search.qkv", text, strlen(text), &report, &error);
        qkv__memory_fail_after(-1);
        if (status == QKV_OK && qkv_report_claim_count(report) > 0)
            assert_int_not_equal(qkv_report_claim(report, 0)->verdict, QKV_REFUTED);
        qkv_report_free(&report);
        assert_int_equal(qkv__memory_live(), live);
    }
}

/* ---- Counterexamples, by another engine ---------------------------------------------------- */

/* "With n = 3, k = [1,0], q = [0]: ..." as the lines of a document. */
static void write_given_numbers(const char *reason, char *text, size_t size)
{
    static const char *const names[] = {"k", "v", "q", "x", "y", "z"};
    char number[32];
    snprintf(text, size, "problem \"given\"\n");
    for (size_t i = 0; i < 6; i++) {
        char pattern[16];
        snprintf(pattern, sizeof pattern, " %s = [", names[i]);
        const char *at = strstr(reason, pattern);
        size_t used = strlen(text), depth = 0, length = 0;
        const char *word = i == 0 ? "keys " : i == 1 ? "values " : "";
        if (at == NULL && i >= 2) continue;
        if (at == NULL) { /* not shown: it does not matter; as many as there are members */
            const char *count = strstr(reason, " n = ");
            int n = count == NULL ? 3 : atoi(count + 5);
            snprintf(text + used, size - used, "%s%s = [0", word, names[i]);
            for (int j = 1; j < n; j++) strncat(text, ",0", size - strlen(text) - 1);
            strncat(text, "]\n", size - strlen(text) - 1);
            continue;
        }
        for (const char *c = strchr(at, '['); *c != '\0'; c++) {
            depth += *c == '[';
            depth -= *c == ']';
            length = (size_t)(c - at) + 1;
            if (depth == 0) break;
        }
        snprintf(text + used, size - used, "%s%.*s\n", word, (int)length - 1, at + 1);
    }
    snprintf(number, sizeof number, "c = attend(q, k, v)\n");
    if (strstr(text, "\nq = ") != NULL) strncat(text, number, size - strlen(text) - 1);
}

static void test_mistakes(void **state)
{
    size_t confirmed = 0;
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        char text[2048], engine[16], reason[1024];
        snprintf(text, sizeof text, "%sclaim: %s\n", ARBITRARY, mistakes[i]);
        qkv_verdict verdict = verdict_of(text, engine, reason, sizeof reason);
        if (verdict != QKV_REFUTED)
            fail_msg("%s: %s (%s)", mistakes[i], qkv_verdict_name(verdict), reason);
        if (strcmp(engine, "search") != 0 || strstr(mistakes[i], "for all") != NULL ||
            strstr(mistakes[i], "..n") != NULL || strstr(mistakes[i], "/n") != NULL ||
            strstr(mistakes[i], "M") != NULL || strstr(mistakes[i], "self_") != NULL ||
            strstr(mistakes[i], "hull") != NULL)
            continue;
        write_given_numbers(reason, text, sizeof text);
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "claim: %s\n", mistakes[i]);
        verdict = verdict_of(text, engine, NULL, 0);
        if (verdict != QKV_REFUTED) fail_msg("%s\n%s: %s", reason, text, qkv_verdict_name(verdict));
        confirmed += strcmp(engine, "search") != 0;
    }
    assert_true(confirmed >= 5);
}

/* ---- The checker against concrete cases ---------------------------------------------------- */

static bool has_limit(const qkv__circumstances *circumstances)
{
    for (size_t i = 0; i < circumstances->count; i++)
        if (circumstances->item[i].kind == QKV__CONDITION_LIMIT) return true;
    return false;
}

typedef struct tally {
    size_t step, met; /* one claim in so many, of those met so far */
    size_t proved, tried;
} tally;

static void cross_check(qkv__model *model, const qkv__statement *claim,
                        const qkv__circumstances *circumstances, tally *t)
{
    qkv__finding finding;
    qkv__text text = {0};
    qkv__decide(model, claim->node[0], circumstances, &finding);
    /* What exists cannot be contradicted by one case. */
    bool exists = claim->node[0]->kind == QKV__NODE_EXISTS;
    if (finding.verdict == QKV__PROVED && !has_limit(circumstances) && !exists) {
        qkv__search_report report = qkv__search_instances(
            model,
            &(qkv__search_question){
                .proposition = claim->node[0], .circumstances = circumstances, .tries = 300},
            &text);
        bool chance = qkv__speaks_of_chance(claim->node[0]); /* a case is no probability */
        t->proved += !chance;
        t->tried += !chance && report.met > 0;
        if (report.found) fail_msg("proved, and yet: %s: %s", claim->source, text.data);
    }
    qkv__text_free(&text);
    qkv__finding_free(&finding);
}

static void walk(qkv__document *document, qkv__model *model, bool *open,
                 const qkv__statement *first, const qkv__circumstances *outer, tally *t)
{
    for (const qkv__statement *s = first; s != NULL; s = s->next) {
        qkv__circumstances inner = *outer;
        if (s->kind == QKV__STATEMENT_PROBLEM || !*open) {
            if (*open) qkv__model_end(model);
            qkv__model_begin(model, document, s, &qkv__reader_of_tables);
            *open = true;
        }
        qkv__circumstances_add(&inner, s->conditions);
        if (s->kind ==
            QKV__STATEMENT_CLAIM) { /* ranges of numbers are bounds, as for the checker */
            qkv__names names;
            assert_true(qkv__names_collect(model->statements, &document->arena, &names));
            assert_true(qkv__write_bounds(&document->arena, &names, s, &inner));
        }
        if (s->kind == QKV__STATEMENT_BLOCK)
            walk(document, model, open, s->inside, &inner, t);
        else if (s->kind == QKV__STATEMENT_CLAIM && t->met++ % t->step == 0)
            cross_check(model, s, &inner, t);
        else if (s->kind == QKV__STATEMENT_CLAIM)
            continue;
        else if (s->kind != QKV__STATEMENT_FIND && s->kind != QKV__STATEMENT_LAW)
            qkv__model_declare(model, s);
    }
}

static void cross_check_text(const char *name, const char *text, size_t length, tally *t)
{
    qkv__document document;
    qkv_error error;
    qkv__model *model = calloc(1, sizeof *model);
    qkv__circumstances none = {.count = 0};
    bool open = false;
    assert_non_null(model);
    check_ok(qkv__document_read(name, text, length, &document, &error), &error);
    walk(&document, model, &open, document.first, &none, t);
    if (open) qkv__model_end(model);
    qkv__document_free(&document);
    free(model);
}

static void cross_check_file(const char *path, tally *t)
{
    static char text[1 << 20];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t length = fread(text, 1, sizeof text, file);
    fclose(file);
    cross_check_text(path, text, length, t);
}

/* Every document of claims: random cases never contradict what is proved. */
static void test_cross_check(void **state)
{
    tally t = {.step = (size_t)cases_step()};
    (void)state;
    DIR *folder = opendir(QKV_CLAIMS_FOLDER);
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char path[4096];
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 4, ".qkv") != 0) continue;
        snprintf(path, sizeof path, "%s/%s", QKV_CLAIMS_FOLDER, entry->d_name);
        cross_check_file(path, &t);
    }
    closedir(folder);
    print_message("# %zu proved claims, %zu of them tried\n", t.proved, t.tried);
    assert_true(t.proved >= 20);
    assert_true(2 * t.tried >= t.proved);
}

/* ---- Random claims ------------------------------------------------------------------------- */

static const char *const problems[] = {
    "problem \"r\"\ngiven n >= 4\nkeys k[1..n]\nvalues v[1..n]\nvector q, x, y\n"
    "pick a, b distinct in 1..n\nc = attend(q, k, v)\n",
    "problem \"r\"\ngiven n >= 4, beta > 0\nkeys k[1..n] orthonormal\nvalues v[1..n]\n"
    "vector x, y\npick a, b distinct in 1..n\nq = beta*(k[a] + k[b])\nc = attend(q, k, v)\n",
    "problem \"r\"\nkeys k[1..2]\nvalues v[1..2] orthonormal\nvector q, x, y\n"
    "pick a, b distinct in 1..2\nc = attend(q, k, v)\n",
};

static const char *const terms[] = {
    "c.weight[a]", "c.weight[b]",   "k[a].q",        "k[b].q", "|k[a]|",     "|x|",    "|y|",
    "x.y",         "|x + y|",       "|x - y|",       "0",      "1",          "1/2",    "2",
    "|q|",         "k[a].k[b]",     "|k[a] - k[b]|", "c.v[a]", "|c - v[a]|", "|v[a]|", "|c|",
    "v[a].v[b]",   "|v[a] - v[b]|", "x.x",
};

static void random_term(random_source *source, char *text, size_t size)
{
    const char *one = terms[random_below(source, sizeof terms / sizeof terms[0])];
    const char *two = terms[random_below(source, sizeof terms / sizeof terms[0])];
    switch (random_below(source, 7)) {
    case 0: snprintf(text, size, "(%s) + (%s)", one, two); break;
    case 1: snprintf(text, size, "(%s) - (%s)", one, two); break;
    case 2: snprintf(text, size, "(%s)*(%s)", one, two); break;
    case 3: snprintf(text, size, "2*(%s)", one); break;
    case 4: snprintf(text, size, "(%s)^2", one); break;
    default: snprintf(text, size, "%s", one); break;
    }
}

static void random_comparison(random_source *source, char *text, size_t size)
{
    static const char *const signs[] = {"<=", "<", ">=", ">", "=", "!="};
    char left[128], right[128];
    random_term(source, left, sizeof left);
    random_term(source, right, sizeof right);
    snprintf(text, size, "%s %s %s", left, signs[random_below(source, 6)], right);
}

static void random_claim(random_source *source, char *text, size_t size)
{
    char one[300], two[300];
    random_comparison(source, one, sizeof one);
    random_comparison(source, two, sizeof two);
    switch (random_below(source, 6)) {
    case 0: snprintf(text, size, "%s implies %s", one, two); break;
    case 1: snprintf(text, size, "%s implies %s", one, two); break;
    case 2: snprintf(text, size, "%s or %s", one, two); break;
    case 3: snprintf(text, size, "not (%s and %s)", one, two); break;
    default: snprintf(text, size, "%s", one); break;
    }
}

/* What is proved of random claims, most of them false, concrete cases must not contradict. */
static void test_random_claims(void **state)
{
    random_source source = {.state = 11};
    tally t = {.step = 1};
    (void)state;
    const size_t claims = cases_of(RANDOM_CLAIMS);
    for (size_t trial = 0; trial < claims; trial++) {
        char text[2048], claim[1024];
        random_claim(&source, claim, sizeof claim);
        snprintf(text, sizeof text, "%sclaim: %s\n", problems[random_below(&source, 3)], claim);
        cross_check_text("random.qkv", text, strlen(text), &t);
    }
    print_message("# %zu random claims proved, %zu of them tried\n", t.proved, t.tried);
    assert_true(100 * t.proved >= claims);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_numbers),  cmocka_unit_test(test_identities),
        cmocka_unit_test(test_theorems),       cmocka_unit_test(test_found),
        cmocka_unit_test(test_mistakes),       cmocka_unit_test(test_repeatable),
        cmocka_unit_test(test_without_memory), cmocka_unit_test(test_cross_check),
        cmocka_unit_test(test_random_claims),
    };
    return cmocka_run_group_tests_name("search", tests, NULL, NULL);
}
