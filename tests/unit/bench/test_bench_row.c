/*
 * The benchmark's arithmetic: what a row counts, and its limit, against counting by hand. The
 * limits themselves are put in here, so that no clock decides.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../bench/limits.h"
#include "../bench/machine.h"
#include "../bench/row.h"

static double given[LIMIT_KINDS];
static const machine this_machine = {.l2 = (size_t)1 << 20, .l3 = (size_t)32 << 20, .cores = 2};

double limits_best(limit_kind kind, int threads)
{
    (void)threads;
    return given[kind];
}

const char *limits_name(limit_kind kind)
{
    static const char *const names[] = {"f32", "f64", "f16", "bf16", "AMX",
                                        "exp", "L2",  "L3",  "DRAM"};
    return names[kind];
}

const machine *machine_get(void)
{
    return &this_machine;
}

static int set_limits(void **state)
{
    (void)state;
    static const double usual[LIMIT_KINDS] = {100e9, 50e9,  200e9, 150e9, 0.0,
                                              5e9,   100e9, 60e9,  20e9};
    memcpy(given, usual, sizeof given);
    return 0;
}

/* Whether query i sees key j, as the form defines it. */
static bool sees(row_form form, size_t i, size_t j)
{
    if (form == FORM_CAUSAL) return j <= i;
    return form != FORM_WINDOW || (j <= i && i - j < ROW_WINDOW);
}

static void pairs_are_those_that_see(void **state)
{
    (void)state;
    for (int form = FORM_FULL; form <= FORM_MASK; form++) {
        row r = {.form = (row_form)form, .heads = 3, .kv_heads = 3, .queries = 700, .keys = 700};
        double pairs = 0.0;
        for (size_t i = 0; i < 700; i++)
            for (size_t j = 0; j < 700; j++) pairs += sees(r.form, i, j);
        if (form == FORM_CAUSAL)
            pairs -= 700.0 / 2.0; /* by convention just half, diagonal or not */
        assert_true(row_pairs(&r) == 3.0 * pairs);
    }
}

static void a_gradient_counts_two_and_a_half(void **state)
{
    (void)state;
    row r = {.heads = 8, .kv_heads = 8, .queries = 512, .keys = 512, .width = 64};
    double forward = row_operations(&r);
    assert_true(forward == 4.0 * 8 * 512 * 512 * 64);
    r.family = ROW_BACKWARD;
    assert_true(row_operations(&r) == 2.5 * forward);
}

/* At its floor a row reaches its limit; no limit is beaten by any unit alone. */
static void the_floor_is_no_less_than_any_part(void **state)
{
    (void)state;
    row_list list = rows_of_grid(GRID_FULL, (const int[]){1}, 1);
    for (size_t i = 0; i < list.count; i++) {
        const row *r = &list.rows[i];
        const char *by = NULL;
        double least = row_floor(r, &by), unit = r->type == QKV_F64 ? 50e9 : 100e9;
        if (r->type == QKV_BF16) unit = 150e9;
        assert_non_null(by);
        assert_true(least >= row_operations(r) / unit && least >= row_pairs(r) / 5e9);
        if (r->family == ROW_DECODE) assert_true(least >= row_cache_bytes(r) / 100e9);
        if (r->cold) assert_true(least >= row_cache_bytes(r) / 20e9);
    }
    free(list.rows);
}

/* Beside AMX the exponentials cost nothing until they take longer. */
static void amx_works_beside_the_vector_units(void **state)
{
    (void)state;
    row r = {.type = QKV_BF16, .heads = 1, .kv_heads = 1, .queries = 64, .keys = 64, .width = 128};
    const char *by;
    given[LIMIT_AMX] = 2000e9;
    given[LIMIT_EXP] = 100e9;
    assert_true(row_floor(&r, &by) == row_operations(&r) / 2000e9);
    assert_string_equal(by, "AMX");
    given[LIMIT_EXP] = 1e9;
    assert_true(row_floor(&r, &by) == row_pairs(&r) / 1e9);
    assert_string_equal(by, "exp");
}

static void memory_binds_by_the_level_that_holds_it(void **state)
{
    (void)state;
    row r = {.family = ROW_DECODE,
             .type = QKV_F32,
             .heads = 1,
             .kv_heads = 1,
             .queries = 1,
             .width = 64,
             .threads = 1};
    const struct {
        size_t keys;
        bool cold;
        const char *by;
    } cases[] = {
        {512, false, "L2"}, {8192, false, "L3"}, {65536, false, "DRAM"}, {512, true, "DRAM"}};
    given[LIMIT_F32] = given[LIMIT_EXP] = 1e15; /* so that arithmetic never does */
    for (size_t i = 0; i < 4; i++) {
        const char *by;
        r.keys = cases[i].keys;
        r.cold = cases[i].cold;
        row_floor(&r, &by);
        assert_string_equal(by, cases[i].by);
    }
}

static void names_are_unique(void **state)
{
    (void)state;
    row_list list = rows_of_grid(GRID_FULL, (const int[]){1, 2, 16}, 3);
    assert_true(list.count > 300);
    for (size_t i = 0; i < list.count; i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(list.rows[i].name, list.rows[j].name);
    free(list.rows);
}

static bool holds(const row_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->rows[i].name, name) == 0) return true;
    return false;
}

/* A longer grid has all that a shorter one has. */
static void grids_grow(void **state)
{
    (void)state;
    row_list before = rows_of_grid(GRID_QUICK, (const int[]){1}, 1);
    for (int grid = GRID_USUAL; grid <= GRID_FULL; grid++) {
        row_list list = rows_of_grid((row_grid)grid, (const int[]){1}, 1);
        for (size_t i = 0; i < before.count; i++) assert_true(holds(&list, before.rows[i].name));
        assert_true(list.count > before.count);
        free(before.rows);
        before = list;
    }
    free(before.rows);
}

static void a_row_is_named_as_documented(void **state)
{
    (void)state;
    row_list list = rows_of_grid(GRID_USUAL, (const int[]){1}, 1);
    assert_true(holds(&list, "prefill f32 d64 L2048 causal t1"));
    free(list.rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(pairs_are_those_that_see, set_limits),
        cmocka_unit_test_setup(a_gradient_counts_two_and_a_half, set_limits),
        cmocka_unit_test_setup(the_floor_is_no_less_than_any_part, set_limits),
        cmocka_unit_test_setup(amx_works_beside_the_vector_units, set_limits),
        cmocka_unit_test_setup(memory_binds_by_the_level_that_holds_it, set_limits),
        cmocka_unit_test_setup(names_are_unique, set_limits),
        cmocka_unit_test_setup(grids_grow, set_limits),
        cmocka_unit_test_setup(a_row_is_named_as_documented, set_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
