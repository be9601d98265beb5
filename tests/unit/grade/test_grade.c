/*
 * A teacher's desk: what an answer deserves follows from the mathematics, not from how it is written. Keys with
 * mistakes are refused by their line; notes say what was not used; and memory may run out anywhere.
 */
#include "support/check.h"

#include <stdio.h>

#include <qkv/grade.h>

#include "base/memory.h"
#include "base/text.h"
#include "support/cases.h"

/* Two of n orthonormal keys: each has the weight e^beta/(n - 2 + 2 e^beta), which tends to 1/2. */
static const char givens[] = "given n >= 3, beta > 0\n"
                             "keys k[1..n] orthonormal\n"
                             "values v[1..n]\n"
                             "pick a, b distinct in 1..n\n"
                             "c = attend(beta*(k[a] + k[b]), k, v)\n";
static const char claims[] = "claim w: c.weight[a] = e^beta/(n - 2 + 2 e^beta)\n"
                             "claim half: c ~ 1/2*(v[a] + v[b]) as beta -> inf\n"
                             "claim less: c.weight[a] < 1/2\n"
                             "claim w.others: c.weight[a] = 1/2 expect refuted\n";
static const char rubric[] = "w: 2 points; limit 1 as beta -> inf; in n, beta\n"
                             "half: 3 points\n"
                             "less: 1 point; stronger 0.5; supported 0.25\n"
                             "# a remark\n"
                             "hint w: Count the other keys.\n"
                             "hint w.others: They score 0.\n";

/* A key in Markdown, of givens, claims and a grade block; to be freed. */
static qkv__text write_key(const char *questions, const char *points)
{
    qkv__text text = {0};
    qkv__text_format(&text, "# A key\n\n```qkv\n%s%s```\n\n```grade\n%s```\n", givens, questions,
                     points);
    return text;
}

static qkv_key *read_key(void)
{
    qkv_key *key = NULL;
    qkv_error error;
    qkv__text text = write_key(claims, rubric);
    check_ok(qkv_key_read("key.md", text.data, text.length, 0.0, &key, &error), &error);
    qkv__text_free(&text);
    return key;
}

static qkv_grade *judge(const qkv_key *key, const char *answer)
{
    qkv_grade *grade = NULL;
    qkv_error error;
    check_ok(qkv_grade_document(key, "a.qkv", answer, strlen(answer), &grade, &error), &error);
    return grade;
}

/* ---- Keys ------------------------------------------------------------------------------------ */

static void test_questions(void **state)
{
    (void)state;
    qkv_key *key = read_key();
    assert_int_equal(qkv_key_count(key), 3);
    assert_true(qkv_key_points(key) == 6.0);
    const qkv_question *w = qkv_key_question(key, 0), *half = qkv_key_question(key, 1);
    assert_string_equal(w->label, "w");
    assert_true(w->points == 2.0 && w->limit == 1.0 && w->verdict == QKV_PROVED);
    assert_true(half->points == 3.0 && half->limit == 0.0);
    assert_non_null(strstr(half->claim, "c ~ 1/2*(v[a] + v[b])"));
    assert_null(qkv_key_question(key, 3));
    qkv_key_free(&key);
    assert_null(key);
    qkv_key_free(&key);
    qkv_key_free(NULL);
}

/* Each with the line that is to blame: the claims begin in line 9, the grade block with line 13. */
static void test_wrong_keys(void **state)
{
    static const char *const keys[][3] = {
        {"claim w: c.weight[a] = 1/2\n", "w: 1 point\n", "line 9: claim w is refuted"},
        {"claim w: 1 = 1 expect proved\n", "w: 1 point\n", "a question needs a true claim"},
        {"claim w: c.weight[a] = = 1\n", "w: 1 point\n", "line 9, column"},
        {"claim w: c.weight[z] > 0\n", "w: 1 point\n", "line 9, column"},
        {"claim w: 0 < 1\n", "u: 1 point\n", "line 13: the key has no claim u"},
        {"claim w: 0 < 1\n", "w: 1 point\nw: 2 points\n", "line 14: w is listed twice"},
        {"claim w: 0 < 1\n", "w\n", "line 13: expected LABEL: points"},
        {"claim w: 0 < 1\n", "w: many points\n", "line 13: got \"many points\""},
        {"claim w: 0 < 1\n", "w: -1 points\n", "line 13: got"},
        {"claim w: 0 < 1\n", "w: 1 point more\n", "line 13: got"},
        {"claim w: 0 < 1\n", "w: limit\n", "line 13: got"},
        {"claim w: 0 < 1\n", "w: limit 1 as beta\n", "line 13: got"},
        {"claim w: 0 < 1\n", "w: limit 1 for beta > 3\n", "line 13: got"},
        {"claim w: 0 < 1\n", "w: stronger\n", "line 13: got"},
        {"claim w: 0 < 1\n", "w: supported x\n", "line 13: got"},
        {"claim w: 0 < 1\n", "w: defines\n", "line 13: got"},
        {"claim w: 0 < 1\n", "hint w\n", "line 13: expected hint LABEL: text"},
        {"claim w: 0 < 1\n", "hint u: nothing\n", "line 13: "},
        {"claim w: 0 < 1\n", "w.x: 1 point\n", "line 13: "},
        {"claim: 0 < 1\n", "", "the key asks nothing"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        qkv__text text = write_key(keys[i][0], keys[i][1]);
        qkv_key *key = NULL;
        qkv_error error = {.message = ""};
        const qkv_status status =
            qkv_key_read("key.md", text.data, text.length, 0.0, &key, &error);
        if (status != QKV_ERROR_ARGUMENT || strstr(error.message, keys[i][2]) == NULL)
            fail_msg("%s%s: status %d, \"%s\"", keys[i][0], keys[i][1], (int)status, error.message);
        assert_null(key);
        qkv__text_free(&text);
    }
}

static void test_arguments(void **state)
{
    (void)state;
    qkv_error error;
    qkv_key *key = NULL;
    qkv_grade *grade = NULL;
    check_error(qkv_key_read(NULL, "", 0, 0.0, &key, &error), QKV_ERROR_ARGUMENT, &error, "NULL");
    check_error(qkv_key_read("k", NULL, 1, 0.0, &key, &error), QKV_ERROR_ARGUMENT, &error, "NULL");
    check_error(qkv_grade_document(NULL, "a", "", 0, &grade, &error), QKV_ERROR_ARGUMENT, &error,
                "NULL");
    assert_string_equal(qkv_mark_name(QKV_MARK_RIGHT), "right");
    assert_string_equal(qkv_mark_name((qkv_mark)99), "");
    qkv_grade_free(NULL);
}

/* ---- Answers --------------------------------------------------------------------------------- */

/* One claim of the key answered; the others are missing. */
static void test_marks(void **state)
{
    static const struct {
        const char *answer;
        size_t question;
        qkv_mark mark;
        double points;
    } answers[] = {
        /* the same in other words */
        {"claim w: 1/c.weight[a] = 2 + (n - 2) e^-beta\n", 0, QKV_MARK_RIGHT, 2.0},
        {"claim w: (n - 2 + 2 e^beta)*c.weight[a] = e^beta\n", 0, QKV_MARK_RIGHT, 2.0},
        {"z = n - 2 + 2 e^beta\nclaim w: c.weight[a] = e^beta/z\n", 0, QKV_MARK_RIGHT, 2.0},
        {"claim half: 2*c ~ v[a] + v[b] as beta -> inf\n", 1, QKV_MARK_RIGHT, 3.0},
        {"claim less: 2*c.weight[a] < 1\n", 2, QKV_MARK_RIGHT, 1.0},
        /* false, the fourth except in the limit */
        {"claim w: c.weight[a] = e^beta/(n - 2 + 3 e^beta)\n", 0, QKV_MARK_WRONG, 0.0},
        {"claim half: c ~ v[a] as beta -> inf\n", 1, QKV_MARK_WRONG, 0.0},
        {"c = v[a]\nclaim half: c ~ 1/2*(v[a] + v[b]) as beta -> inf\n", 1, QKV_MARK_WRONG, 0.0},
        {"claim less: c.weight[a] < 1/4\n", 2, QKV_MARK_WRONG, 0.0},
        {"claim w: c.weight[a] = 1/2\n", 0, QKV_MARK_LIMIT, 1.0},
        /* true, and no answer */
        {"claim w: 1 = 1\n", 0, QKV_MARK_NOTHING, 0.0},
        {"claim w: c.weight[a] > 0\n", 0, QKV_MARK_NOTHING, 0.0},
        {"claim less: c.weight[a] < 1\n", 2, QKV_MARK_NOTHING, 0.0},
        /* true, and beside the point: no points, unless a person sees more in it */
        {"claim w: c.weight[a] = c.weight[b]\n", 0, QKV_MARK_LOOK, 0.0},
        /* a premise of one's own makes nothing true */
        {"given beta = 0\nclaim w: c.weight[a] = 1/n\n", 0, QKV_MARK_WRONG, 0.0},
        /* what cannot be read, and what is not allowed */
        {"claim w: c.weight[a] = = 1\n", 0, QKV_MARK_MISSING, 0.0},
        {"claim w: c.weight[a] = e^beta/(n - 2 + 2 e^beta) expect refuted\n", 0, QKV_MARK_ERROR,
         0.0},
        {"", 0, QKV_MARK_MISSING, 0.0},
    };
    (void)state;
    qkv_key *key = read_key();
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        qkv_grade *grade = judge(key, answers[i].answer);
        assert_int_equal(qkv_grade_count(grade), 3);
        const qkv_answer *a = qkv_grade_answer(grade, answers[i].question);
        if (a->mark != answers[i].mark || a->points != answers[i].points)
            fail_msg("%s: %s, %g points: %s", answers[i].answer, qkv_mark_name(a->mark), a->points,
                     a->reason);
        assert_true(qkv_grade_points(grade) == a->points);
        assert_true(a->mark == QKV_MARK_MISSING || a->line > 0);
        for (size_t k = 0; k < 3; k++)
            if (k != answers[i].question)
                assert_int_equal(qkv_grade_answer(grade, k)->mark, QKV_MARK_MISSING);
        assert_null(qkv_grade_answer(grade, 3));
        qkv_grade_free(&grade);
        assert_null(grade);
    }
    qkv_key_free(&key);
}

/* A known mistake is named, with its hint; the worst of several claims of a label counts. */
static void test_mistakes(void **state)
{
    (void)state;
    qkv_key *key = read_key();
    qkv_grade *grade = judge(key, "claim w: 2*c.weight[a] = 1\n");
    assert_string_equal(qkv_grade_answer(grade, 0)->mistake, "w.others");
    assert_string_equal(qkv_grade_answer(grade, 0)->hint, "They score 0.");
    qkv_grade_free(&grade);
    grade = judge(key, "claim w: c.weight[a] = 7\n");
    assert_string_equal(qkv_grade_answer(grade, 0)->mistake, "");
    assert_string_equal(qkv_grade_answer(grade, 0)->hint, "Count the other keys.");
    qkv_grade_free(&grade);
    grade = judge(key, "claim less: c.weight[a] < 1/2\nclaim less: c.weight[a] < 1/4\n");
    assert_int_equal(qkv_grade_answer(grade, 2)->mark, QKV_MARK_WRONG);
    assert_non_null(strstr(qkv_grade_answer(grade, 2)->reason, "more than once"));
    qkv_grade_free(&grade);
    qkv_key_free(&key);
}

/* What the key does not say is not used, and a note says so; so are mistakes in the text. */
static void test_notes(void **state)
{
    (void)state;
    qkv_key *key = read_key();
    qkv_grade *grade = judge(key, "given beta = 0\nx = (\nclaim less: c.weight[a] < 1/2\n");
    bool premise = false, mistake = false;
    assert_int_equal(qkv_grade_answer(grade, 2)->mark, QKV_MARK_RIGHT);
    for (size_t i = 0; i < qkv_grade_note_count(grade); i++) {
        premise = premise || strstr(qkv_grade_note(grade, i), "given beta = 0") != NULL;
        mistake = mistake || strstr(qkv_grade_note(grade, i), "line 2") != NULL;
    }
    assert_true(premise && mistake);
    assert_null(qkv_grade_note(grade, qkv_grade_note_count(grade)));
    qkv_grade_free(&grade);
    grade = judge(key, "claim less: c.weight[a] < 1/2\n");
    assert_int_equal(qkv_grade_note_count(grade), 0);
    qkv_grade_free(&grade);
    qkv_key_free(&key);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Memory comes in blocks, and a comment in front moves where one ends. */
static void test_key_without_memory(void **state)
{
    const long live = qkv__memory_live(), step = cases_step();
    (void)state;
    for (long padding = 0; padding < 4096; padding += 96 * step) {
        qkv__text key_text = write_key(claims, rubric), text = {0};
        qkv__text_format(&text, "%*s\n%s", (int)padding + 1, "", key_text.data);
        long failures = 0;
        for (;; failures += failures < 24 ? 1 : step) {
            qkv_key *key = NULL;
            qkv_error error = {.message = ""};
            qkv__memory_fail_after(failures);
            const qkv_status status =
                qkv_key_read("key.md", text.data, text.length, 0.0, &key, &error);
            const bool failed = qkv__memory_fail_after(-1) < 0;
            assert_int_equal(status, failed ? QKV_ERROR_MEMORY : QKV_OK);
            assert_int_equal(key == NULL, failed);
            qkv_key_free(&key);
            if (!failed) break;
        }
        assert_true(failures > 10);
        qkv__text_free(&key_text);
        qkv__text_free(&text);
    }
    assert_int_equal(qkv__memory_live(), live);
}

/* An allocation that fails ends the call with that status; it never makes another mark. */
static void test_no_memory(void **state)
{
    static const char answer[] = "given beta = 0\nz = 2*c.weight[a]\nclaim less: z < 1\n"
                                 "claim w: z = 1\n";
    static const qkv_mark right[] = {QKV_MARK_LIMIT, QKV_MARK_MISSING, QKV_MARK_RIGHT};
    const long live = qkv__memory_live();
    (void)state;
    qkv_key *key = read_key();
    const long step = cases_step();
    long failures = 0;
    for (long at = 0;; at += at < 40 ? 1 : step, failures++) {
        qkv_grade *grade = NULL;
        qkv_error error = {.message = ""};
        qkv__memory_fail_after(at);
        const qkv_status status =
            qkv_grade_document(key, "a.qkv", answer, strlen(answer), &grade, &error);
        const bool failed = qkv__memory_fail_after(-1) < 0;
        assert_int_equal(status, failed ? QKV_ERROR_MEMORY : QKV_OK);
        assert_int_equal(grade == NULL, failed);
        for (size_t i = 0; !failed && i < 3; i++)
            assert_int_equal(qkv_grade_answer(grade, i)->mark, right[i]);
        qkv_grade_free(&grade);
        if (!failed) break;
    }
    assert_true(failures > 40);
    qkv_key_free(&key);
    assert_int_equal(qkv__memory_live(), live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_questions), cmocka_unit_test(test_wrong_keys),
        cmocka_unit_test(test_arguments), cmocka_unit_test(test_marks),
        cmocka_unit_test(test_mistakes),  cmocka_unit_test(test_notes),
        cmocka_unit_test(test_key_without_memory), cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests_name("grade", tests, NULL, NULL);
}
