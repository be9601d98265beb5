/*
 * Every document of the tests is read again and again, and each of its allocations fails once: the
 * call says so and keeps nothing. Memory comes in blocks, and a blank line of many lengths in front
 * moves where one ends: so every piece of every construct is the first without room at some time.
 * Then each piece of a block by itself, in documents with mistakes, too.
 */
#include "support/check.h"

#include <glob.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/text.h"
#include "language/document.h"
#include "support/cases.h"
#include "support/no_room.h"
#include "support/read_file.h"

/* Whether all of it could be read. */
static bool is_read(const qkv__text *text, const char *name)
{
    qkv__document document;
    qkv_error error = {.message = ""};
    const qkv_status status = qkv__document_read(name, text->data, text->length, &document, &error);
    if (status != QKV_OK) {
        check_error(status, QKV_ERROR_MEMORY, &error, "out of memory");
        assert_null(document.first);
        return false;
    }
    qkv__document_free(&document);
    return true;
}

static void fail_each(const char *name, const qkv__text *text)
{
    const long live = qkv__memory_live();
    for (long failures = 0;; failures++) {
        qkv__memory_fail_after(failures);
        const bool good = is_read(text, name);
        const bool failed = qkv__memory_fail_after(-1) < 0;
        assert_true(good != failed);
        assert_int_equal(qkv__memory_live(), live);
        if (good) return;
    }
}

/* Where the problem that begins at `at` ends. */
static const char *end_of_problem(const char *at)
{
    const char *end = strstr(at, "\nproblem ");
    return end == NULL ? at + strlen(at) : end + 1;
}

/* Problem by problem, so that most of them are read in the first block, and some go beyond it. */
static void test_documents(void **state)
{
    enum { BLOCK = 4096, GRAIN = 16 };
    glob_t found;
    size_t problems = 0;
    const size_t step = cases_step() == 1 ? GRAIN : BLOCK / 2;
    (void)state;
    assert_int_equal(glob(QKV_CLAIMS_FOLDER "/*.qkv", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        qkv__text text = read_file(found.gl_pathv[i]);
        for (const char *at = text.data, *end; *at != '\0'; at = end, problems++) {
            end = end_of_problem(at);
            const size_t first = GRAIN * (problems * 37 % (step / GRAIN));
            for (size_t padding = first; padding < BLOCK; padding += step) {
                qkv__text padded = {0};
                qkv__text_format(&padded, "%*s\n%.*s", (int)padding, "", (int)(end - at), at);
                fail_each("a.qkv", &padded);
                qkv__text_free(&padded);
            }
        }
        qkv__text_free(&text);
    }
    assert_true(problems > 200);
    globfree(&found);
}

/* ---- Pieces of blocks --------------------------------------------------------------------------
 */

enum {
    STRIDE = 3
}; /* in a sample one piece in so many fails, from a place that moves with each text */

/* Returns how many times the text was read. */
static size_t fail_pieces(const char *name, const qkv__text *text, size_t texts)
{
    const long live = qkv__memory_live(), step = cases_step() == 1 ? 1 : STRIDE;
    size_t readings = 1;
    for (long piece = (long)texts % step;; piece += step, readings++) {
        no_room_after(piece, 1);
        const bool good = is_read(text, name);
        const bool failed = no_room_after(-1, 0);
        assert_true(good != failed);
        assert_int_equal(qkv__memory_live(), live);
        if (good) return readings;
    }
}

/* Problem by problem, so that each reading is short. */
static void test_pieces_of_claims(void **state)
{
    glob_t found;
    size_t problems = 0, readings = 0;
    (void)state;
    assert_int_equal(glob(QKV_CLAIMS_FOLDER "/*.qkv", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        qkv__text text = read_file(found.gl_pathv[i]);
        for (const char *at = text.data, *end; *at != '\0'; at = end, problems++) {
            end = end_of_problem(at);
            qkv__text one = {0};
            qkv__text_append(&one, at, (size_t)(end - at));
            readings += fail_pieces("a.qkv", &one, problems);
            qkv__text_free(&one);
        }
        qkv__text_free(&text);
    }
    assert_true(readings > 10 * problems);
    globfree(&found);
}

/* What fuzzing kept, and Markdown: mostly texts with mistakes, each of them whole. */
static void test_pieces_of_mistakes(void **state)
{
    static const char *const patterns[] = {QKV_CLAIMS_FOLDER "/../fuzz/corpus/language/*",
                                           QKV_CLAIMS_FOLDER "/../fuzz/corpus/markdown/*",
                                           QKV_CLAIMS_FOLDER "/../../examples/mistakes.md"};
    size_t texts = 0, readings = 0;
    (void)state;
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        glob_t found;
        assert_int_equal(glob(patterns[i], 0, NULL, &found), 0);
        for (size_t j = 0; j < found.gl_pathc; j++, texts++) {
            qkv__text text = read_file(found.gl_pathv[j]);
            readings += fail_pieces(i == 0 ? "a.qkv" : "a.md", &text, texts);
            qkv__text_free(&text);
        }
        globfree(&found);
    }
    assert_true(readings > 10 * texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_documents),
                                       cmocka_unit_test(test_pieces_of_claims),
                                       cmocka_unit_test(test_pieces_of_mistakes)};
    return cmocka_run_group_tests_name("no_memory", tests, NULL, NULL);
}
