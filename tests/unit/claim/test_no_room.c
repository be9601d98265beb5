/*
 * Claims are checked again and again, and each time one piece of memory fails, at a place that is
 * drawn: in the tree, in an engine, in a proof. The call says that memory ran out, and keeps
 * nothing; it never makes do with a verdict that it found without the piece.
 */
#include "support/check.h"

#include <stdio.h>

#include <qkv/claim.h>

#include "base/memory.h"
#include "base/text.h"
#include "support/cases.h"
#include "support/no_room.h"
#include "support/read_file.h"
#include "support/random.h"

static const char *const documents[] = {
    "average_of_two", "bounds", "families", "keys_queries_values", "lengths",
    "limits",         "masks",  "matrices", "matrix_attention",    "matrix_functions",
    "signs",          "sums",   "tokens",
};

static qkv__text read_document(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, QKV_CLAIMS_FOLDER "/%s.qkv", name);
    return read_file(path);
}

/* Whether the text could be checked with the piece after `allowed` others missing; false: it could
 * not, as memory ran out. */
static bool is_checked(const qkv__text *text, long allowed)
{
    const long live = qkv__memory_live();
    qkv_report *report = NULL;
    qkv_error error = {.message = ""};
    no_room_after(allowed, 1);
    const qkv_status status = qkv_check("a.qkv", text->data, text->length, &report, &error);
    const bool failed = no_room_after(-1, 0);
    if (!failed) check_ok(status, &error);
    if (failed) check_error(status, QKV_ERROR_MEMORY, &error, "out of memory");
    assert_true((report == NULL) == failed);
    qkv_report_free(&report);
    assert_int_equal(qkv__memory_live(), live);
    return !failed;
}

/* The pieces of a text that is checked in milliseconds; and more than any of these texts takes. A
 * sample has one text in a few, and one with more pieces fails once there, behind them. */
enum { FEW = 4000, MANY = 1 << 24, DRAWS = 16, SPARSE = 5 };

static void test_claims(void **state)
{
    random_source source = {.state = 20};
    size_t problems = 0, drawn = 0, failures = 0;
    (void)state;
    for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++) {
        qkv__text text = read_document(documents[i]);
        for (const char *at = text.data, *end; *at != '\0'; at = end, problems++) {
            end = strstr(at, "\nproblem ");
            end = end == NULL ? at + strlen(at) : end + 1;
            if (!all_cases() && problems % SPARSE != 0) continue;
            qkv__text one = {0};
            qkv__text_append(&one, at, (size_t)(end - at));
            const long most = all_cases() ? MANY : FEW;
            const bool checked = is_checked(&one, most);
            const long pieces = most - no_room_left();
            for (size_t draw = 0; checked && draw < cases_of(DRAWS); draw++, drawn++)
                failures += !is_checked(&one, (long)random_below(&source, (size_t)pieces));
            qkv__text_free(&one);
        }
        qkv__text_free(&text);
    }
    assert_int_equal(failures, drawn);
    assert_true(drawn > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_claims)};
    return cmocka_run_group_tests_name("no_room", tests, NULL, NULL);
}
