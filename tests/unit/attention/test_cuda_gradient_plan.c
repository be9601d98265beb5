/* The plan of a gradient on a CUDA device: which kernel is taken, what the workspace holds, that
 * the list and the ranges of tiles cover every pair once. No device is asked. */
#include <math.h>
#include <stdlib.h>

#include "attention/cuda/gradient_plan.h"
#include "attention/cuda/gradient_range.h"
#include "unit/attention/cuda_call.h"

static qkv__cuda_gradient_plan make_gradient_plan(const call *a, const qkv__cuda_device *device,
                                                  qkv__gradient *gradient)
{
    qkv_error error;
    qkv__cuda_gradient_plan plan;
    check_ok(qkv__gradient_make(&a->q, &a->k, &a->v, &a->c, &a->q, &a->k, &a->v, &a->options,
                                gradient, &error),
             &error);
    check_ok(qkv__cuda_gradient_plan_make(gradient, device, &plan, &error), &error);
    return plan;
}

static qkv__cuda_path gradient_path(const call *a, const qkv__cuda_device *device)
{
    qkv__gradient gradient;
    return make_gradient_plan(a, device, &gradient).path;
}

static void test_gradient_kernel(void **state)
{
    (void)state;
    const size_t lengths[BATCH] = {1, 2, 3};
    const double sinks[HEADS] = {0};
    call a = make_call(QKV_BF16, BATCH, 128, 128), b;
    assert_int_equal(gradient_path(&a, &hopper), QKV__CUDA_HOPPER);
    assert_int_equal(gradient_path(&a, &ampere), QKV__CUDA_PORTABLE);
    b = make_call(QKV_F16, BATCH, 64, 64);
    assert_int_equal(gradient_path(&b, &hopper), QKV__CUDA_HOPPER);
    b = make_call(QKV_BF16, BATCH, 256, 256);
    assert_int_equal(gradient_path(&b, &hopper), QKV__CUDA_PORTABLE);
    b = make_call(QKV_F32, BATCH, 128, 128);
    assert_int_equal(gradient_path(&b, &hopper), QKV__CUDA_PORTABLE);
    b = a, b.options.sinks = sinks;
    assert_int_equal(gradient_path(&b, &hopper), QKV__CUDA_HOPPER);
    b = a, b.options.softcap = 3.0;
    assert_int_equal(gradient_path(&b, &hopper), QKV__CUDA_HOPPER);
    b = a, b.options.key_lengths = lengths;
    assert_int_equal(gradient_path(&b, &hopper), QKV__CUDA_HOPPER);
    b = a, b.options.dropout = 0.5;
    assert_int_equal(gradient_path(&b, &hopper), QKV__CUDA_HOPPER);
    b.options.softcap = 3.0;
    assert_int_equal(gradient_path(&b, &hopper), QKV__CUDA_PORTABLE);
    b = a, b.options.kernel = "portable";
    assert_int_equal(gradient_path(&b, &hopper), QKV__CUDA_PORTABLE);
    b = make_call(QKV_BF16, 0, 128, 128);
    assert_int_equal(gradient_path(&b, &hopper), QKV__CUDA_NOTHING);
    b = a, b.q.shape[QKV__LENGTH] = b.c.shape[QKV__LENGTH] = 0; /* zeros are to be written */
    assert_int_equal(gradient_path(&b, &hopper), QKV__CUDA_PORTABLE);

    qkv_error error;
    qkv__gradient gradient;
    qkv__cuda_gradient_plan plan;
    b = make_call(QKV_BF16, BATCH, 256, 256), b.options.kernel = "hopper";
    check_ok(
        qkv__gradient_make(&b.q, &b.k, &b.v, &b.c, &b.q, &b.k, &b.v, &b.options, &gradient, &error),
        &error);
    check_error(qkv__cuda_gradient_plan_make(&gradient, &hopper, &plan, &error),
                QKV_ERROR_UNSUPPORTED, &error, "kernel \"hopper\" needs widths 64 or 128");
    gradient.problem.options.kernel = "decode";
    check_error(qkv__cuda_gradient_plan_make(&gradient, &hopper, &plan, &error), QKV_ERROR_ARGUMENT,
                &error, "kernel is \"decode\"; for the gradient");
}

static void test_gradient_workspace(void **state)
{
    (void)state;
    qkv__gradient gradient;
    call a = make_call(QKV_BF16, BATCH, 128, 128);
    const qkv__cuda_gradient_plan plan = make_gradient_plan(&a, &hopper, &gradient);
    const size_t tiles = (QUERIES + 63) / 64, rows = tiles * 64 * HEADS * BATCH;
    assert_int_equal(plan.tiles, tiles);
    assert_int_equal(plan.blocks, (KEYS + 127) / 128);
    assert_int_equal(plan.units, GROUPS * BATCH);
    assert_true(plan.section >= 1 && plan.section <= plan.units);
    /* Nothing was given: the forward call comes first, and each part has room. */
    assert_int_equal(plan.call.path, QKV__CUDA_HOPPER);
    const size_t parts[] = {plan.call.bytes, plan.output, plan.log_sum_exp,
                            plan.counter,    plan.turns,  plan.row_log,
                            plan.row_mean,   plan.sums,   plan.bytes};
    const size_t sizes[] = {0,
                            (size_t)QUERIES * HEADS * BATCH * 128 * 2,
                            (size_t)QUERIES * HEADS * BATCH * 4,
                            4,
                            tiles * HEADS * BATCH * 2 * 4, /* 128 columns are two pieces */
                            rows * 4,
                            rows * 4,
                            rows * 128 * 4};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_true(parts[i] % 64 == 0);
        assert_true(parts[i + 1] >= parts[i] + sizes[i]);
    }
    qkv__problem forward;
    qkv__cuda_gradient_forward(&gradient, &plan, (void *)64, &forward);
    assert_true(forward.output.data == (char *)64 + plan.output);
    assert_int_equal(forward.options.log_sum_exp.type, QKV_F32);

    const size_t shape[] = {BATCH, HEADS, QUERIES};
    a.options.given_output = a.c;
    a.options.given_log_sum_exp = qkv_view_dense(QKV_F32, a.c.data, 3, shape);
    const qkv__cuda_gradient_plan given = make_gradient_plan(&a, &hopper, &gradient);
    assert_int_equal(given.call.path, QKV__CUDA_NOTHING);
    assert_int_equal(given.counter, 0);
    assert_true(given.bytes < plan.bytes);

    a.options.kernel = "portable";
    const qkv__cuda_gradient_plan slow = make_gradient_plan(&a, &hopper, &gradient);
    assert_true(slow.kept >= slow.call.bytes);
    assert_true(slow.bytes >= slow.kept + (size_t)QUERIES * HEADS * BATCH * QKV__CUDA_KEPT * 4);
}

/* Gradients of what options add to scores. Sinks are written to the workspace in base 2. */
static void test_gradient_bias(void **state)
{
    (void)state;
    static double sums[HEADS];
    const double sinks[HEADS] = {1.0, -2.0, 0.0, 3.0, -INFINITY, 0.5};
    qkv__gradient gradient;
    qkv_error error;
    call a = make_call(QKV_BF16, BATCH, 128, 128);
    a.options.sinks = sinks;
    const size_t without = make_gradient_plan(&a, &hopper, &gradient).bytes;
    a.options.sinks_gradient = sums;
    const qkv__cuda_gradient_plan plan = make_gradient_plan(&a, &hopper, &gradient);
    assert_int_equal(plan.path, QKV__CUDA_HOPPER);
    assert_int_equal(plan.sinks, without);
    assert_true(plan.bytes >= without + sizeof(float) * HEADS);
    image table = {calloc(plan.bytes, 1), plan.bytes};
    assert_true(qkv__cuda_gradient_plan_write(&plan, &gradient, keep, &table));
    for (size_t h = 0; h < HEADS; h++) {
        float sink;
        memcpy(&sink, table.bytes + plan.sinks + h * sizeof sink, sizeof sink);
        assert_true(sink == (float)(sinks[h] * 1.4426950408889634));
    }
    free(table.bytes);

    const size_t shape[] = {1, HEADS, 1, KEYS};
    a.options.mask = qkv_view_dense(QKV_F32, a.c.data, 4, shape);
    a.options.mask_gradient = a.options.mask;
    assert_int_equal(gradient_path(&a, &hopper), QKV__CUDA_PORTABLE);
    /* Nothing but a sum is wanted. */
    call b = make_call(QKV_BF16, BATCH, 128, 128);
    b.options.sinks = sinks, b.options.sinks_gradient = sums;
    qkv__cuda_gradient_plan alone;
    check_ok(
        qkv__gradient_make(&b.q, &b.k, &b.v, &b.c, NULL, NULL, NULL, &b.options, &gradient, &error),
        &error);
    check_ok(qkv__cuda_gradient_plan_make(&gradient, &hopper, &alone, &error), &error);
    assert_int_equal(alone.path, QKV__CUDA_HOPPER);
}

/* Tiles and blocks of the listed sequences follow each other, and cover all rows once. */
static void check_list(const call *a)
{
    qkv__gradient gradient;
    const qkv__cuda_gradient_plan plan = make_gradient_plan(a, &hopper, &gradient);
    const qkv__problem *p = &gradient.problem;
    image table = {.bytes = malloc(plan.bytes), .size = plan.bytes};
    size_t tile = 0, block = 0;
    assert_true(plan.listed);
    assert_true(qkv__cuda_gradient_plan_write(&plan, &gradient, keep, &table));
    for (size_t s = 0; s < p->sequences; s++) {
        qkv__cuda_gradient_sequence of;
        size_t queries, keys;
        memcpy(&of, table.bytes + plan.sequences + s * sizeof of, sizeof of);
        qkv__problem_lengths(p, s, &queries, &keys);
        assert_true(of.positions.queries == (int)queries && of.positions.keys == (int)keys);
        assert_int_equal(of.positions.offset, (int)keys - (int)queries);
        assert_int_equal(of.batch, p->packed ? 0 : s);
        assert_int_equal(of.query, p->packed ? p->options.query_starts[s] : 0);
        assert_int_equal(of.key, p->packed ? p->options.key_starts[s] : 0);
        assert_int_equal(of.rows, p->packed ? keys : KEYS);
        assert_int_equal(of.tile, p->packed ? tile : 0);
        assert_int_equal(of.block, block);
        tile += (queries + 63) / 64;
        block += ((size_t)of.rows + 127) / 128;
    }
    assert_int_equal(plan.tiles, p->packed ? tile : (QUERIES + 63) / 64);
    assert_int_equal(plan.blocks, block);
    assert_int_equal(plan.units, GROUPS * p->query.shape[QKV__BATCH]);
    assert_true(plan.sums + plan.tiles * plan.units * (HEADS / GROUPS) * 64 * 128 * 4 <=
                plan.sequences);
    free(table.bytes);
}

static void test_gradient_list(void **state)
{
    (void)state;
    const size_t lengths[BATCH] = {KEYS, 0, 17};
    const size_t starts[] = {0, 100, 100, 430, QUERIES}, ends[] = {0, 5, 20, 20, KEYS};
    call a = make_call(QKV_BF16, BATCH, 128, 128), b = make_call(QKV_BF16, 1, 128, 128);
    a.options.causal = b.options.causal = true;
    a.options.alignment = b.options.alignment = QKV_ALIGN_BOTTOM_RIGHT;
    a.options.softcap = 7.0;
    check_list(&a);
    a.options.key_lengths = lengths;
    check_list(&a);
    b.options.sequences = 4;
    b.options.query_starts = starts;
    b.options.key_starts = ends;
    check_list(&b);
}

/* Whether a query of the tile may look at a key of the block, pair by pair. */
static void look(const qkv__cuda_positions *p, int tile, int block, bool *any, bool *all)
{
    *any = false;
    *all = true;
    for (int q = tile * 64; q < (tile + 1) * 64 && q < p->queries; q++)
        for (int k = block * 128; k < (block + 1) * 128; k++) {
            const int distance = k - q - p->offset;
            const bool may = k < p->keys && distance <= p->right && -distance <= p->left;
            *any = *any || may;
            *all = *all && may;
        }
}

/* Tiles and blocks agree on who meets whom; who must meet does; where no mask is applied none is
 * needed, and where nothing is to be masked none is applied. */
static void check_ranges(const qkv__cuda_positions *p)
{
    const int tiles = (p->queries + 63) / 64, blocks = (p->keys + 127) / 128;
    for (int block = 0; block < blocks; block++) {
        const qkv__cuda_span of_block = qkv__cuda_tiles_of_block(p, block);
        const qkv__cuda_span whole = qkv__cuda_whole_tiles(p, block);
        assert_true(of_block.end <= tiles);
        for (int tile = 0; tile < tiles; tile++) {
            const qkv__cuda_span of_tile = qkv__cuda_blocks_of_tile(p, tile);
            const bool meets = tile >= of_block.begin && tile < of_block.end;
            bool any, all;
            look(p, tile, block, &any, &all);
            assert_true(of_tile.end <= blocks);
            assert_int_equal(meets, block >= of_tile.begin && block < of_tile.end);
            assert_true(meets || !any);
            const bool unmasked = meets && tile >= whole.begin && tile < whole.end;
            assert_true(!unmasked || all);
            assert_true(unmasked || !meets || !all || tile == tiles - 1);
        }
    }
}

static void test_gradient_ranges(void **state)
{
    (void)state;
    const int lengths[] = {1, 63, 64, 65, 128, 200, 333},
              offsets[] = {-300, -77, -1, 0, 1, 64, 250};
    const int sides[] = {0, 1, 30, 64, 127, 128, 129, QKV__CUDA_POSITION_LIMIT};
    enum { LENGTHS = 7, OFFSETS = 7, SIDES = 8 };
    for (int q = 0; q < LENGTHS; q++)
        for (int k = 0; k < LENGTHS; k++)
            for (int o = 0; o < OFFSETS; o++)
                for (int l = 0; l < SIDES; l++)
                    for (int r = 0; r < SIDES; r++) {
                        const qkv__cuda_positions p = {lengths[q], lengths[k], offsets[o], sides[l],
                                                       sides[r]};
                        check_ranges(&p);
                    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradient_kernel), cmocka_unit_test(test_gradient_workspace),
        cmocka_unit_test(test_gradient_list),   cmocka_unit_test(test_gradient_ranges),
        cmocka_unit_test(test_gradient_bias),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
