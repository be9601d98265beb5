/*
 * Samples and sums of the lab on a CUDA device, as far as no device is asked: which calls are
 * refused, what the tables in the workspace hold, and where rows lie. The launch is a stand-in that
 * keeps what it gets.
 */
#include "support/check.h"

#include <math.h>
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

/* ---- Sums ------------------------------------------------------------------------------------ */

enum { CHUNK = 1024, CHUNKS = 3 };

static qkv_lab_sampler *make_conditional(bool no_covariance, size_t bins)
{
    static const double first[] = {1.0, 0.0, 0.0}, difference[] = {-1.0, 0.0, 2.0};
    static const qkv_lab_inequality given = {first, QKV_LAB_GREATER, 0.3};
    static const qkv_lab_inequality both[] = {{difference, QKV_LAB_LESS_OR_EQUAL, 0.1},
                                              {first, QKV_LAB_LESS, 0.6}};
    static const qkv_lab_event events[] = {{2, both}, {0, NULL}}, condition = {1, &given};
    const qkv_lab_quantity quantity[] = {
        {.kind = QKV_LAB_OUTPUT, .index = 0, .bins = bins, .high = 1.0},
        {.kind = QKV_LAB_SCORE, .index = 1, .head = 1},
        {.kind = QKV_LAB_OUTPUT, .index = 1},
    };
    qkv_error error;
    qkv_lab_sampler *sampler = NULL;
    qkv_lab_model model = qkv_lab_model_default();
    qkv_lab_options options = qkv_lab_options_default();
    double both_heads[2 * KEYS] = {2.0};
    model.keys = KEYS;
    model.width = WIDTH;
    model.heads = HEADS;
    model.coefficients = both_heads;
    model.noise.alpha = 0.5;
    options.quantities = quantity;
    options.quantity_count = 3;
    options.events = events;
    options.event_count = 2;
    options.given = &condition;
    options.no_covariance = no_covariance;
    options.seed = 5;
    check_ok(qkv_lab_sampler_create(&model, &options, &sampler, &error), &error);
    return sampler;
}

static bool holds(const qkv_lab_conditions *event, const double *row)
{
    for (size_t i = 0; event != NULL && i < event->count; i++) {
        const qkv_lab_condition *c = &event->inequalities[i];
        double sum = 0.0;
        for (size_t t = 0; t < c->terms; t++) sum += c->coefficient[t] * row[c->quantity[t]];
        if (!(c->strict ? sum < c->bound : sum <= c->bound)) return false;
    }
    return true;
}

static double close_columns(const double (*c)[8], size_t sum)
{
    const double *x = c[sum];
    return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}

/* The sums of a chunk from its samples, as lab.h describes them. */
static void sum_rows(const qkv_lab_tables *t, const double *rows, double *sums)
{
    const size_t n = t->quantities, first = 1 + t->events;
    double columns[64][8] = {0};
    assert_true(t->sums <= 64);
    for (size_t q = 0; q < n; q++)
        sums[first + n + q] = INFINITY, sums[first + 2 * n + q] = -INFINITY;
    for (size_t x = 0; x < CHUNK; x++, rows += n) {
        if (!holds(t->given, rows)) continue;
        columns[0][x % 8] += 1.0;
        for (size_t e = 0; e < t->events; e++) columns[1 + e][x % 8] += holds(&t->event[e], rows);
        for (size_t q = 0; q < n; q++) {
            columns[first + q][x % 8] += rows[q] - t->origin[q];
            sums[first + n + q] = fmin(sums[first + n + q], rows[q]);
            sums[first + 2 * n + q] = fmax(sums[first + 2 * n + q], rows[q]);
        }
        size_t at = first + 3 * n;
        for (size_t j = 0; j < n; j++)
            for (size_t k = j; k < (t->covariance ? n : j + 1); k++)
                columns[at++][x % 8] += (rows[j] - t->origin[j]) * (rows[k] - t->origin[k]);
        assert_int_equal(at, t->sums);
    }
    for (size_t s = 0; s < t->sums; s++)
        if (s < first + n || s >= first + 3 * n)
            sums[s] = close_columns((const double(*)[8])columns, s);
}

/* Statistics from sums have the bits of those from samples, and go on from there. */
static void test_add_sums(void **state)
{
    (void)state;
    static double rows[CHUNK * 3], sums[CHUNKS * 64];
    qkv_error error;
    for (int no_covariance = 0; no_covariance < 2; no_covariance++) {
        qkv_lab_sampler *run = make_conditional(no_covariance, 0);
        qkv_lab_sampler *added = make_conditional(no_covariance, 0);
        const qkv_lab_tables tables = qkv_lab_sampler_tables(added);
        assert_int_equal(tables.sums, 3 + 9 + (no_covariance ? 3 : 6));
        for (size_t c = 0; c < CHUNKS; c++) {
            check_ok(qkv_lab_sampler_draw(added, c * CHUNK, CHUNK, rows, &error), &error);
            sum_rows(&tables, rows, sums + c * tables.sums);
        }
        check_ok(qkv_lab_sampler_add_sums(added, CHUNKS, sums, &error), &error);
        check_ok(qkv_lab_sampler_run(added, 100, &error), &error);
        check_ok(qkv_lab_sampler_run(run, CHUNKS * CHUNK + 100, &error), &error);
        assert_int_equal(qkv_lab_sampler_drawn(added), qkv_lab_sampler_drawn(run));
        assert_true(qkv_lab_sampler_accepted(run) < qkv_lab_sampler_drawn(run));
        for (size_t e = 0; e < 2; e++)
            assert_int_equal(qkv_lab_sampler_event(added, e), qkv_lab_sampler_event(run, e));
        for (size_t q = 0; q < 3; q++) {
            const qkv_lab_summary a = qkv_lab_sampler_summary(added, q);
            const qkv_lab_summary b = qkv_lab_sampler_summary(run, q);
            assert_memory_equal(&a, &b, sizeof a);
            const double x = qkv_lab_sampler_covariance(added, 0, q);
            const double y = qkv_lab_sampler_covariance(run, 0, q);
            assert_true(x == y || (isnan(x) && isnan(y)));
        }
        check_error(qkv_lab_sampler_add_sums(added, 1, sums, &error), QKV_ERROR_ARGUMENT, &error,
                    "3172 samples are drawn");
        check_error(qkv_lab_sampler_add_sums(added, 1, NULL, &error), QKV_ERROR_ARGUMENT, &error,
                    "sums is NULL");
        qkv_lab_sampler_free(&run);
        qkv_lab_sampler_free(&added);
    }
}

static void test_sums_tables(void **state)
{
    (void)state;
    static _Alignas(64) unsigned char workspace[ROOM];
    double to;
    size_t bytes;
    qkv_error error;
    qkv_lab_sampler *sampler = make_conditional(false, 0);
    qkv_lab_tables tables = qkv_lab_sampler_tables(sampler);
    check_ok(qkv_cuda_lab_sums_workspace(&tables, &bytes, &error), &error);
    check_ok(qkv_cuda_lab_sums(&tables, 7, 2, &to, workspace, bytes, NULL, &error), &error);
    assert_int_equal(call.first, 7 * CHUNK);
    assert_int_equal(call.count, 2);
    assert_int_equal(call.sums, tables.sums);
    assert_int_equal(call.centred_row + 3, call.rows);
    assert_int_equal(CHUNK % call.threads, 0);
    const qkv__cuda_lab_quantity *quantity = seen(workspace, call.quantity);
    const qkv__cuda_lab_inequality *inequality = seen(workspace, call.inequality);
    const uint32_t *start = seen(workspace, call.event_start),
                   *row = seen(workspace, call.term_row);
    const double *coefficient = seen(workspace, call.coefficient);
    assert_true(start[0] == 0 && start[1] == 2 && start[2] == 2 && start[3] == 3);
    assert_true(inequality[0].bound == 0.1 && !inequality[0].strict && inequality[0].end == 2);
    assert_true(inequality[2].bound == -0.3 && inequality[2].strict); /* turned around */
    assert_true(coefficient[0] == -1.0 && coefficient[1] == 2.0 && coefficient[3] == -1.0);
    assert_true(row[1] == (uint32_t)quantity[2].row && row[3] == (uint32_t)quantity[0].row);
    const qkv__cuda_lab_sum *sum = seen(workspace, call.sum);
    assert_int_equal(sum[0].a, call.accepted_row);
    assert_int_equal(sum[2].a, call.event_row + 1);
    assert_int_equal(sum[3].a, call.centred_row);
    assert_true(sum[7].kind == QKV__CUDA_LAB_LEAST && sum[7].a == quantity[1].row);
    assert_true(sum[16].kind == QKV__CUDA_LAB_PRODUCT && sum[16].a == call.centred_row + 1 &&
                sum[16].b == call.centred_row + 2);
    check_error(qkv_cuda_lab_sums(&tables, 0, 1, NULL, workspace, bytes, NULL, &error),
                QKV_ERROR_ARGUMENT, &error, "sums is NULL");
    check_error(qkv_cuda_lab_sums(&tables, 0, 1, &to, workspace, bytes - 1, NULL, &error),
                QKV_ERROR_ARGUMENT, &error, "qkv_cuda_lab_sums_workspace");
    check_error(qkv_cuda_lab_sums(&tables, UINT64_MAX, 1, &to, workspace, bytes, NULL, &error),
                QKV_ERROR_ARGUMENT, &error, "too many");
    qkv_lab_sampler_free(&sampler);
    sampler = make_conditional(false, 10);
    tables = qkv_lab_sampler_tables(sampler);
    check_error(qkv_cuda_lab_sums_workspace(&tables, &bytes, &error), QKV_ERROR_UNSUPPORTED, &error,
                "histogram");
    check_error(qkv_lab_sampler_add_sums(sampler, 1, &to, &error), QKV_ERROR_UNSUPPORTED, &error,
                "histogram");
    qkv_lab_sampler_free(&sampler);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_add_sums),
        cmocka_unit_test(test_sums_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
