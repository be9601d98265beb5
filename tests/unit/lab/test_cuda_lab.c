/*
 * Samples of the lab on a CUDA device, as far as no device is asked: which calls are refused, what
 * the tables in the workspace hold, and where rows lie. The launch is a stand-in that keeps what it
 * gets.
 */
#include "support/check.h"

#include <stdlib.h>
#include <string.h>

#include <qkv/cuda.h>

#include "lab/cuda/draw.h"

enum { KEYS = 5, HEADS = 2, WIDTH = 7, ROOM = 1 << 16 };

static qkv__cuda_lab call;
static _Alignas(64) unsigned char tables_seen[ROOM];

qkv_status qkv__cuda_lab_launch(const qkv__cuda_lab *given, const void *tables, size_t bytes,
                                void *workspace, void *stream, qkv_error *error)
{
    (void)workspace, (void)stream, (void)error;
    assert_true(bytes <= ROOM && bytes % 4 == 0);
    call = *given;
    memcpy(tables_seen, tables, bytes);
    return QKV_OK;
}

static qkv_lab_sampler *make_sampler(size_t keys, bool full_keys, const qkv_lab_quantity *quantity,
                                     size_t quantities)
{
    qkv_error error;
    qkv_lab_sampler *sampler = NULL;
    double *coefficients = calloc(HEADS * keys, sizeof *coefficients);
    qkv_lab_model model = qkv_lab_model_default();
    qkv_lab_options options = qkv_lab_options_default();
    assert_non_null(coefficients);
    for (size_t h = 0; h < HEADS; h++) coefficients[h * keys + h] = 2.0;
    model.keys = keys;
    model.width = keys > WIDTH ? keys : WIDTH;
    model.heads = HEADS;
    model.coefficients = coefficients;
    model.noise.alpha = 0.5;
    options.full_keys = full_keys;
    options.quantities = quantity;
    options.quantity_count = quantities;
    options.seed = 11;
    check_ok(qkv_lab_sampler_create(&model, &options, &sampler, &error), &error);
    free(coefficients);
    return sampler;
}

/* What the kernel would find in the workspace at an address of it. */
static const void *seen(const void *workspace, const void *pointer)
{
    return tables_seen + ((const unsigned char *)pointer - (const unsigned char *)workspace);
}

static void test_tables(void **state)
{
    (void)state;
    static const double combined[] = {1.0, -2.0};
    const qkv_lab_quantity quantity[] = {
        {.kind = QKV_LAB_OUTPUT, .index = 3},
        {.kind = QKV_LAB_SCORE, .index = 1, .head = 1},
        {.kind = QKV_LAB_COMBINATION, .numbers = combined},
        {.kind = QKV_LAB_PRODUCT, .index = 0, .other = 2},
    };
    static _Alignas(64) unsigned char workspace[ROOM];
    double row;
    size_t bytes;
    qkv_error error;
    qkv_lab_sampler *sampler = make_sampler(KEYS, false, quantity, 4);
    const qkv_lab_tables tables = qkv_lab_sampler_tables(sampler);
    assert_int_equal(tables.normals, qkv_lab_sampler_normals(sampler));
    check_ok(qkv_cuda_lab_draw_workspace(&tables, &bytes, &error), &error);
    check_ok(qkv_cuda_lab_draw(&tables, 3, 1, &row, workspace, bytes, NULL, &error), &error);
    assert_int_equal(call.first, 3);
    assert_int_equal(call.count, 1);
    assert_int_equal(call.seed, 11);
    assert_int_equal(call.pairs, (tables.normals + 1) / 2);
    const double *mean = seen(workspace, call.score_mean);
    const uint32_t *start = seen(workspace, call.factor_start);
    const uint32_t *normal = seen(workspace, call.factor_normal);
    for (size_t s = 0; s < HEADS * KEYS; s++) {
        assert_true(mean[s] == tables.score_mean[s]);
        assert_int_equal(start[s + 1], tables.factor_start[s + 1]);
    }
    for (uint32_t t = 0; t < start[HEADS * KEYS]; t++)
        assert_in_range(normal[t], 0, tables.normals - 1);
    /* Scores are asked for: weights may not overwrite them. Every row is inside. */
    assert_int_equal(call.weight_row, call.score_row + HEADS * KEYS);
    assert_int_equal(call.mean_row, call.weight_row + HEADS * KEYS);
    const qkv__cuda_lab_quantity *made = seen(workspace, call.quantity);
    assert_int_equal(made[0].row, call.mean_row + 3); /* without values, outputs are the mean */
    assert_int_equal(made[1].row, call.score_row + KEYS + 1);
    assert_int_equal(made[2].row, call.share_row + HEADS);
    assert_int_equal(made[2].count, 2);
    assert_memory_equal((const double *)seen(workspace, call.numbers) + made[2].numbers, combined,
                        sizeof combined);
    assert_int_equal(made[3].index, made[0].row);
    assert_int_equal(made[3].other, made[2].row);
    assert_int_equal(made[3].row, call.rows - 1);
    qkv_lab_sampler_free(&sampler);
}

static void test_refusals(void **state)
{
    (void)state;
    static _Alignas(64) unsigned char workspace[ROOM];
    double row;
    size_t bytes;
    qkv_error error;
    qkv_lab_sampler *sampler = make_sampler(KEYS, true, NULL, 0);
    qkv_lab_tables tables = qkv_lab_sampler_tables(sampler);
    check_error(qkv_cuda_lab_draw_workspace(&tables, &bytes, &error), QKV_ERROR_UNSUPPORTED, &error,
                "full keys are not drawn");
    qkv_lab_sampler_free(&sampler);
    sampler = make_sampler(1000, false, NULL, 0);
    tables = qkv_lab_sampler_tables(sampler);
    check_error(qkv_cuda_lab_draw_workspace(&tables, &bytes, &error), QKV_ERROR_UNSUPPORTED, &error,
                "numbers at a time");
    qkv_lab_sampler_free(&sampler);
    sampler = make_sampler(KEYS, false, NULL, 0);
    tables = qkv_lab_sampler_tables(sampler);
    check_ok(qkv_cuda_lab_draw_workspace(&tables, &bytes, &error), &error);
    check_error(qkv_cuda_lab_draw(&tables, 0, 1, NULL, workspace, bytes, NULL, &error),
                QKV_ERROR_ARGUMENT, &error, "rows is NULL");
    check_error(qkv_cuda_lab_draw(&tables, 0, 1, &row, workspace, bytes - 1, NULL, &error),
                QKV_ERROR_ARGUMENT, &error, "workspace has");
    check_error(qkv_cuda_lab_draw(&tables, UINT64_MAX, 2, &row, workspace, bytes, NULL, &error),
                QKV_ERROR_ARGUMENT, &error, "too many");
    tables.struct_size = 0;
    check_error(qkv_cuda_lab_draw_workspace(&tables, &bytes, &error), QKV_ERROR_ARGUMENT, &error,
                "tables.struct_size is 0");
    check_error(qkv_cuda_lab_draw_workspace(NULL, &bytes, &error), QKV_ERROR_ARGUMENT, &error,
                "tables is NULL");
    qkv_lab_sampler_free(&sampler);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
