/* The plan of a call on a CUDA device: which kernel is taken, that tiles cover every row once and
 * the longest come first, what the workspace holds. No device is asked. */
#include <stdlib.h>
#include <string.h>

#include "attention/cuda/shapes.h"
#include "unit/attention/cuda_call.h"

static qkv__cuda_plan make_plan(const call *a, const qkv__cuda_device *device,
                                qkv__problem *problem)
{
    qkv_error error;
    qkv__cuda_plan plan;
    check_ok(
        qkv__problem_make(&a->q, &a->k, &a->v, &a->c, QKV__FORWARD, &a->options, problem, &error),
        &error);
    check_ok(qkv__cuda_plan_make(problem, device, &plan, &error), &error);
    return plan;
}

static qkv__cuda_path path_of(const call *a, const qkv__cuda_device *device)
{
    qkv__problem problem;
    return make_plan(a, device, &problem).path;
}

static void test_which_kernel(void **state)
{
    (void)state;
    const int widths[][2] = {{64, 64}, {128, 128}, {192, 128}, {256, 256}};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        call a = make_call(QKV_BF16, BATCH, (size_t)widths[i][0], (size_t)widths[i][1]);
        assert_int_equal(path_of(&a, &hopper), QKV__CUDA_HOPPER);
        assert_int_equal(path_of(&a, &ampere), QKV__CUDA_TILED);
    }
    const double numbers[HEADS] = {0};
    call a = make_call(QKV_F16, BATCH, 128, 128), b;
    assert_int_equal(path_of(&a, &hopper), QKV__CUDA_HOPPER);
    b = make_call(QKV_BF16, BATCH, 96, 96);
    assert_int_equal(path_of(&b, &hopper), QKV__CUDA_TILED);
    b = make_call(QKV_BF16, BATCH, 96, 100);
    assert_int_equal(path_of(&b, &hopper), QKV__CUDA_PORTABLE);
    b = make_call(QKV_BF16, BATCH, 264, 64);
    assert_int_equal(path_of(&b, &hopper), QKV__CUDA_PORTABLE);
    b = make_call(QKV_F32, BATCH, 128, 128);
    assert_int_equal(path_of(&b, &hopper), QKV__CUDA_PORTABLE);
    b = a, b.options.scale = -1.0;
    assert_int_equal(path_of(&b, &hopper), QKV__CUDA_TILED);
    b = a, b.options.alibi_slopes = numbers, b.options.alignment = QKV_ALIGN_TOP_LEFT;
    assert_int_equal(path_of(&b, &hopper), QKV__CUDA_TILED);
    b = a, b.options.sinks = numbers;
    assert_int_equal(path_of(&b, &hopper), QKV__CUDA_HOPPER);
    b = a, b.q.data = (char *)b.q.data + 2;
    assert_int_equal(path_of(&b, &hopper), QKV__CUDA_PORTABLE);
    b = a, b.k.stride[QKV__LENGTH] = 132; /* 264 bytes */
    assert_int_equal(path_of(&b, &hopper), QKV__CUDA_PORTABLE);
    b = a, b.v.stride[QKV__HEADS] = 0;
    assert_int_equal(path_of(&b, &hopper), QKV__CUDA_PORTABLE);
    b = a, b.options.kernel = "portable";
    assert_int_equal(path_of(&b, &hopper), QKV__CUDA_PORTABLE);
    b = a, b.options.kernel = "tiled";
    assert_int_equal(path_of(&b, &hopper), QKV__CUDA_TILED);
    b = make_call(QKV_BF16, 0, 128, 128);
    assert_int_equal(path_of(&b, &hopper), QKV__CUDA_NOTHING);
}

static void test_refusals(void **state)
{
    (void)state;
    qkv_error error;
    qkv__problem problem;
    qkv__cuda_plan plan;
    call a = make_call(QKV_F32, BATCH, 128, 128);
    assert_int_equal(path_of(&a, &hopper), QKV__CUDA_PORTABLE); /* tf32 must be named */
    a.options.kernel = "tf32";
    assert_int_equal(path_of(&a, &hopper), QKV__CUDA_TF32);
    assert_int_equal(path_of(&a, &ampere), QKV__CUDA_TF32);
    a.options.kernel = "hopper";
    check_ok(qkv__problem_make(&a.q, &a.k, &a.v, &a.c, QKV__FORWARD, &a.options, &problem, &error),
             &error);
    check_error(qkv__cuda_plan_make(&problem, &hopper, &plan, &error), QKV_ERROR_UNSUPPORTED,
                &error, "kernel \"hopper\" needs bf16 or f16");
    problem.options.kernel = "tf32", problem.query.type = QKV_BF16;
    check_error(qkv__cuda_plan_make(&problem, &hopper, &plan, &error), QKV_ERROR_UNSUPPORTED,
                &error, "kernel \"tf32\" needs f32");
    problem.options.kernel = "avx2";
    check_error(qkv__cuda_plan_make(&problem, &hopper, &plan, &error), QKV_ERROR_ARGUMENT, &error,
                "kernel is \"avx2\"; on a CUDA device expected");
}

/* Dropout: by "hopper" for the widths of training, elsewhere by kernels in tiles or "portable". */
static void test_dropout(void **state)
{
    (void)state;
    call a = make_call(QKV_BF16, BATCH, 128, 128);
    qkv__problem problem;
    a.options.dropout = 0.1;
    const qkv__cuda_plan plan = make_plan(&a, &hopper, &problem);
    assert_int_equal(plan.path, QKV__CUDA_HOPPER);
    assert_true(plan.dropped && plan.ranged && !plan.capped);
    assert_int_equal(plan.rows, 64 * QKV__CUDA_DROPPED_CONSUMERS);
    assert_int_equal(plan.keys, QKV__CUDA_DROPPED_KEYS);
    assert_int_equal(path_of(&a, &ampere), QKV__CUDA_TILED);
    a.options.softcap = 3.0;
    assert_int_equal(path_of(&a, &hopper), QKV__CUDA_TILED);
    a.options.softcap = 0.0;
    a.q.shape[QKV__LENGTH] = a.c.shape[QKV__LENGTH] = 1; /* not "decode" */
    assert_int_equal(path_of(&a, &hopper), QKV__CUDA_HOPPER);
    call wide = make_call(QKV_BF16, BATCH, 256, 256), single = make_call(QKV_F32, BATCH, 64, 64);
    wide.options.dropout = single.options.dropout = 0.1;
    assert_int_equal(path_of(&wide, &hopper), QKV__CUDA_TILED);
    assert_int_equal(path_of(&single, &hopper), QKV__CUDA_PORTABLE);
}

static image write_image(const qkv__cuda_plan *plan, const qkv__problem *problem)
{
    image result = {.bytes = malloc(plan->bytes), .size = plan->bytes};
    memset(result.bytes, 0xee, plan->bytes);
    assert_true(qkv__cuda_plan_write(plan, problem, keep, &result));
    return result;
}

/* Few queries: the split depends on the number of keys alone. */
static void test_decode(void **state)
{
    (void)state;
    qkv__problem problem;
    call a = make_call(QKV_BF16, BATCH, 128, 128);
    a.q.shape[QKV__LENGTH] = a.c.shape[QKV__LENGTH] = 1;
    qkv__cuda_plan plan = make_plan(&a, &hopper, &problem);
    assert_int_equal(plan.path, QKV__CUDA_DECODE);
    assert_int_equal(plan.splits, 1);
    assert_int_equal(plan.bytes, 0); /* one split needs no partial results */
    const size_t keys = 2 * QKV__CUDA_DECODE_SPLIT + 1;
    a.k.shape[QKV__LENGTH] = a.v.shape[QKV__LENGTH] = keys;
    plan = make_plan(&a, &hopper, &problem);
    assert_int_equal(plan.splits, 3);
    assert_int_equal(plan.units, BATCH * GROUPS * plan.splits);
    assert_true(plan.partial % 64 == 0);
    assert_true(plan.bytes >= plan.partial + plan.units * (HEADS / GROUPS) * 130 * sizeof(float));
    /* Splits of a long sequence are twice as large; with key_lengths it may be a short one. */
    a.k.shape[QKV__LENGTH] = a.v.shape[QKV__LENGTH] = QKV__CUDA_DECODE_LONG;
    plan = make_plan(&a, &hopper, &problem);
    assert_int_equal(plan.splits, QKV__CUDA_DECODE_LONG / (2 * QKV__CUDA_DECODE_SPLIT));
    const size_t some[BATCH] = {0, 17, QKV__CUDA_DECODE_LONG};
    a.options.key_lengths = some;
    plan = make_plan(&a, &hopper, &problem);
    assert_int_equal(plan.splits, QKV__CUDA_DECODE_LONG / QKV__CUDA_DECODE_SPLIT);
    a.k.shape[QKV__LENGTH] = a.v.shape[QKV__LENGTH] = 4 * QKV__CUDA_DECODE_LONG;
    plan = make_plan(&a, &hopper, &problem);
    assert_int_equal(plan.splits, 2 * QKV__CUDA_DECODE_LONG / QKV__CUDA_DECODE_SPLIT);
    a.k.shape[QKV__LENGTH] = a.v.shape[QKV__LENGTH] = keys;
    const size_t lengths[BATCH] = {KEYS, 0, 17};
    a.options.key_lengths = lengths;
    a.options.window = true;
    a.options.window_left = 9;
    a.options.alignment = QKV_ALIGN_BOTTOM_RIGHT;
    plan = make_plan(&a, &hopper, &problem);
    image table = write_image(&plan, &problem);
    qkv__cuda_range ranges[BATCH];
    memcpy(ranges, table.bytes + plan.ranges, sizeof ranges);
    assert_true(ranges[0].offset == KEYS - 1 && ranges[0].keys == KEYS);
    assert_true(ranges[1].offset == -1 && ranges[1].keys == 0);
    assert_true(ranges[2].offset == 16 && ranges[2].keys == 17);
    free(table.bytes);
    a.options.kernel = "hopper";
    assert_int_equal(path_of(&a, &hopper), QKV__CUDA_HOPPER);
    /* A few queries, as long as all rows of a key head fit in one product. */
    a.options.kernel = NULL;
    for (size_t queries = 2; queries < 8; queries++) {
        a.q.shape[QKV__LENGTH] = a.c.shape[QKV__LENGTH] = queries;
        plan = make_plan(&a, &hopper, &problem);
        const size_t rows = HEADS / GROUPS * queries;
        assert_int_equal(plan.path,
                         rows <= QKV__CUDA_DECODE_ROWS ? QKV__CUDA_DECODE : QKV__CUDA_HOPPER);
        if (plan.path == QKV__CUDA_DECODE)
            assert_true(plan.bytes >= plan.partial + plan.units * rows * 130 * sizeof(float));
    }
}

/* A plan for one query of each of `batch` sequences of `keys` keys, on 132 multiprocessors. */
static qkv__cuda_plan plan_sequences(size_t batch, size_t keys)
{
    qkv__problem problem;
    call a = make_call(QKV_BF16, batch, 128, 128);
    a.q.shape[QKV__LENGTH] = a.c.shape[QKV__LENGTH] = 1;
    a.k.shape[QKV__LENGTH] = a.v.shape[QKV__LENGTH] = keys;
    return make_plan(&a, &hopper, &problem);
}

/* Who adds up the splits of a head: a cluster of their blocks, a second kernel, or one block. */
static void test_decode_blocks(void **state)
{
    (void)state;
    const size_t split = QKV__CUDA_DECODE_SPLIT, places = 2 * 132;
    qkv__cuda_plan plan = plan_sequences(132 / 2 / GROUPS / 3, 3 * split);
    assert_true(plan.clustered && !plan.alone && plan.whole == 0);
    assert_int_equal(plan.blocks, plan.units);
    plan = plan_sequences(132 / 2 / GROUPS / 3 + 1, 3 * split); /* too many for two calls */
    assert_true(!plan.clustered && plan.alone && plan.whole == 0);
    plan = plan_sequences(1, QKV__CUDA_DECODE_CLUSTER * split + 1); /* too many for a cluster */
    assert_true(!plan.clustered && plan.alone);
    plan = plan_sequences(132 / GROUPS + 1, split); /* nothing to be added up */
    assert_true(!plan.clustered && !plan.alone && plan.whole == 0);
    for (size_t batch = 1; batch < 4 * places; batch += 7) {
        plan = plan_sequences(batch, 4 * split);
        assert_int_equal(plan.units, batch * GROUPS * 4);
        assert_int_equal(plan.blocks, plan.whole + (batch * GROUPS - plan.whole) * 4);
        assert_int_equal(plan.whole % places, 0);
        assert_true(plan.whole == 0 || 4 * (plan.units - 4 * plan.whole) >= 3 * 4 * places);
        assert_true(plan.whole > 0 || 4 * plan.units < 7 * 4 * places);
    }
    plan = plan_sequences(4 * places, (QKV__CUDA_DECODE_WHOLE_SPLITS + 1) * split);
    assert_int_equal(plan.whole, 0);
}

/* The path for one query over keys and values in fp8, or in pages of `page` keys; and whether each
 * row has a scale of its own there. */
static bool scaled;

static qkv__cuda_path stored_path(qkv_type query, qkv_type stored, size_t width, size_t page,
                                  size_t queries, const qkv_view *scales)
{
    static const int32_t table[BATCH * 4];
    qkv__problem problem;
    call a = make_call(query, BATCH, width, width == 192 ? 128 : width);
    a.q.shape[QKV__LENGTH] = a.c.shape[QKV__LENGTH] = queries;
    a.k.type = a.v.type = stored;
    if (scales != NULL) a.options.key_scales = a.options.value_scales = *scales;
    if (page > 0) {
        a.k.shape[QKV__BATCH] = a.v.shape[QKV__BATCH] = 11;
        a.k.shape[QKV__LENGTH] = a.v.shape[QKV__LENGTH] = page;
        a.options.page_table = table;
        a.options.page_columns = 4;
    }
    const qkv__cuda_plan plan = make_plan(&a, &hopper, &problem);
    if (page > 0) {
        const qkv_view pool = qkv__problem_pool(&problem, &problem.key);
        assert_true(pool.shape[QKV__BATCH] == 11 && pool.shape[QKV__LENGTH] == page);
        assert_true(problem.key.shape[QKV__BATCH] == BATCH &&
                    problem.key.shape[QKV__LENGTH] == 4 * page);
    }
    scaled = plan.scaled;
    return plan.path;
}

static void test_stored(void **state)
{
    (void)state;
    static const size_t fitting[] = {8, 16, 32, 64, 128, 256, 384}, odd[] = {1, 4, 24, 48, 96, 192};
    for (size_t i = 0; i < sizeof fitting / sizeof fitting[0]; i++)
        assert_int_equal(stored_path(QKV_BF16, QKV_BF16, 128, fitting[i], 1, NULL),
                         QKV__CUDA_DECODE);
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
        assert_int_equal(stored_path(QKV_BF16, QKV_BF16, 128, odd[i], 1, NULL), QKV__CUDA_TILED);
    assert_int_equal(stored_path(QKV_BF16, QKV_BF16, 128, 16, 100, NULL), QKV__CUDA_TILED);
    assert_int_equal(stored_path(QKV_F32, QKV_F32, 128, 16, 1, NULL), QKV__CUDA_PORTABLE);
    assert_int_equal(stored_path(QKV_F16, QKV_E4M3, 64, 0, 1, NULL), QKV__CUDA_DECODE);
    assert_int_equal(stored_path(QKV_BF16, QKV_E4M3, 128, 64, 2, NULL), QKV__CUDA_DECODE);
    assert_int_equal(stored_path(QKV_BF16, QKV_E4M3, 192, 0, 1, NULL), QKV__CUDA_HOPPER);
    assert_int_equal(stored_path(QKV_BF16, QKV_BF16, 192, 0, 1, NULL), QKV__CUDA_DECODE);
    assert_int_equal(stored_path(QKV_BF16, QKV_BF16, 256, 0, 1, NULL), QKV__CUDA_DECODE);
    assert_int_equal(stored_path(QKV_BF16, QKV_E4M3, 256, 16, 1, NULL), QKV__CUDA_DECODE);
    assert_int_equal(stored_path(QKV_BF16, QKV_E4M3, 128, 0, 100, NULL), QKV__CUDA_HOPPER);
    assert_int_equal(stored_path(QKV_BF16, QKV_E4M3, 72, 0, 100, NULL), QKV__CUDA_PORTABLE);
    assert_int_equal(stored_path(QKV_F32, QKV_E4M3, 128, 0, 100, NULL), QKV__CUDA_PORTABLE);
    assert_int_equal(stored_path(QKV_BF16, QKV_BF16, 128, 24, 255, NULL), QKV__CUDA_TILED);
    assert_int_equal(stored_path(QKV_BF16, QKV_BF16, 128, 24, 256, NULL), QKV__CUDA_HOPPER);
    /* One scale per row. A scale that a whole head shares would have a row stride of 0. */
    static float numbers[BATCH * GROUPS * KEYS];
    qkv_view scales = qkv_view_dense(QKV_F32, numbers, 3, (size_t[]){BATCH, GROUPS, KEYS});
    assert_int_equal(stored_path(QKV_BF16, QKV_E4M3, 128, 0, 1, &scales), QKV__CUDA_DECODE);
    assert_true(scaled);
    assert_int_equal(stored_path(QKV_BF16, QKV_E4M3, 128, 0, 16, &scales), QKV__CUDA_PORTABLE);
    assert_int_equal(stored_path(QKV_BF16, QKV_E4M3, 128, 0, 17, &scales), QKV__CUDA_HOPPER);
    assert_int_equal(stored_path(QKV_BF16, QKV_I8, 128, 0, 17, &scales), QKV__CUDA_HOPPER);
    scales.stride[2] = 0;
    assert_int_equal(stored_path(QKV_BF16, QKV_E4M3, 128, 0, 1, &scales), QKV__CUDA_DECODE);
    assert_false(scaled);
    scales.shape[0] = 11, scales.shape[2] = 16;
    assert_int_equal(stored_path(QKV_BF16, QKV_E4M3, 128, 16, 1, &scales), QKV__CUDA_DECODE);
    assert_true(scaled);
    scales.stride[0] = 0;
    assert_int_equal(stored_path(QKV_BF16, QKV_E4M3, 128, 16, 1, &scales), QKV__CUDA_DECODE);
    assert_false(scaled);
}

/* ---- Tiles without a list ---------------------------------------------------------------------
 */

static void test_tiles(void **state)
{
    (void)state;
    qkv__problem problem;
    call a = make_call(QKV_BF16, BATCH, 128, 128);
    qkv__cuda_plan plan = make_plan(&a, &hopper, &problem);
    const size_t rows = 64 * QKV__CUDA_128_CONSUMERS, per_head = (QUERIES + rows - 1) / rows;
    assert_int_equal(plan.tiles, per_head * HEADS * BATCH);
    assert_int_equal(plan.blocks, plan.tiles < 132 ? plan.tiles : 132);
    assert_int_equal(plan.keys, QKV__CUDA_128_KEYS_FULL);
    assert_int_equal(plan.bytes, 0); /* all tiles alike: nothing to count */
    assert_false(plan.ranged || plan.listed || plan.capped);
    assert_int_equal(plan.schedule.section % (HEADS / GROUPS), 0);

    a.options.causal = true;
    a.options.alignment = QKV_ALIGN_BOTTOM_RIGHT;
    a.options.softcap = 2.0;
    plan = make_plan(&a, &hopper, &problem);
    assert_int_equal(plan.keys, QKV__CUDA_128_KEYS_RANGED);
    assert_true(plan.ranged && plan.capped && !plan.listed && plan.schedule.descending);
    assert_int_equal(plan.schedule.offset, KEYS - QUERIES);
    assert_int_equal(plan.bytes, 64);
    /* All keys and values fit in half of the cache: one section. */
    assert_int_equal(plan.schedule.section, HEADS * BATCH);
    /* One group at a time fits, and a few multiprocessors have tiles enough from it. */
    const qkv__cuda_device small = {.major = 9, .multiprocessors = 2, .cache = 1u << 20};
    plan = make_plan(&a, &small, &problem);
    assert_int_equal(plan.blocks, 2);
    assert_int_equal(plan.schedule.section, HEADS / GROUPS);
    /* With more of them the sections grow, whatever the cache. */
    const qkv__cuda_device busy = {.major = 9, .multiprocessors = 20, .cache = 1u << 20};
    plan = make_plan(&a, &busy, &problem);
    assert_int_equal(plan.schedule.section, HEADS * BATCH);
}

/* ---- The list ---------------------------------------------------------------------------------
 */

static void check_packed(bool causal)
{
    static const size_t queries[] = {0, 0, 100, 101, 500, QUERIES},
                        keys[] = {0, 3, 3, 400, 900, KEYS};
    enum { SEQUENCES = 5 };
    const double sinks[HEADS] = {1.0, 2.0, 3.0};
    qkv__problem problem;
    call a = make_call(QKV_BF16, 1, 64, 64);
    a.options.sequences = SEQUENCES;
    a.options.query_starts = queries;
    a.options.key_starts = keys;
    a.options.causal = causal;
    a.options.alignment = QKV_ALIGN_BOTTOM_RIGHT;
    a.options.sinks = sinks;
    qkv__cuda_plan plan = make_plan(&a, &hopper, &problem);
    assert_true(plan.listed);
    assert_int_equal(plan.tiles, plan.items * HEADS);
    image table = write_image(&plan, &problem);

    int times[QUERIES] = {0}, last = -1;
    for (size_t i = 0; i < plan.items; i++) {
        qkv__cuda_item item;
        memcpy(&item, table.bytes + plan.list + i * sizeof item, sizeof item);
        size_t s = 0;
        while ((int)queries[s + 1] <= item.row) s++;
        assert_true(item.rows > 0 && item.rows <= plan.rows && item.batch == 0);
        assert_true((size_t)(item.row + item.rows) <= queries[s + 1]);
        assert_int_equal(item.key, keys[s]);
        assert_int_equal(item.keys, keys[s + 1] - keys[s]);
        const int first = item.row - (int)queries[s];
        const int offset = item.keys - (int)(queries[s + 1] - queries[s]);
        assert_int_equal(item.position, first + offset);
        for (int row = item.row; row < item.row + item.rows; row++) times[row]++;
        /* Longest first, within a class of a thirty-second of the longest. */
        int seen = causal ? item.position + item.rows : item.keys;
        if (seen > item.keys) seen = item.keys;
        if (seen < 0) seen = 0;
        assert_true(last < 0 || seen <= last + KEYS / 31 + plan.keys);
        last = seen;
    }
    for (int row = 0; row < QUERIES; row++) assert_int_equal(times[row], 1);
    uint32_t counter;
    memcpy(&counter, table.bytes + plan.counter, sizeof counter);
    assert_int_equal(counter, 0);
    float sink;
    memcpy(&sink, table.bytes + plan.sinks + 2 * sizeof sink, sizeof sink);
    assert_true(sink > 4.3280f && sink < 4.3281f); /* 3 log2(e) */
    free(table.bytes);
}

static void test_packed(void **state)
{
    (void)state;
    check_packed(false);
    check_packed(true);
}

static void test_key_lengths(void **state)
{
    (void)state;
    const size_t lengths[BATCH] = {KEYS, 0, 17};
    qkv__problem problem;
    call a = make_call(QKV_BF16, BATCH, 256, 256);
    a.options.key_lengths = lengths;
    qkv__cuda_plan plan = make_plan(&a, &hopper, &problem);
    image table = write_image(&plan, &problem);
    size_t rows[BATCH] = {0};
    for (size_t i = 0; i < plan.items; i++) {
        qkv__cuda_item item;
        memcpy(&item, table.bytes + plan.list + i * sizeof item, sizeof item);
        assert_int_equal(item.keys, lengths[item.batch]);
        rows[item.batch] += (size_t)item.rows;
    }
    for (size_t b = 0; b < BATCH; b++) assert_int_equal(rows[b], QUERIES);
    free(table.bytes);
}

/* Tiles of the longest sequence, and the tables of "portable". */
static void test_tiled(void **state)
{
    (void)state;
    const size_t starts[] = {0, 100, 100, 430, QUERIES}, ends[] = {0, 5, 20, 25, KEYS};
    qkv__problem problem;
    call a = make_call(QKV_BF16, 1, 128, 128);
    a.options.kernel = "tiled";
    qkv__cuda_plan plan = make_plan(&a, &hopper, &problem);
    assert_int_equal(plan.tiles, (QUERIES + 63) / 64);
    a.options.sequences = 4;
    a.options.query_starts = starts;
    a.options.key_starts = ends;
    plan = make_plan(&a, &hopper, &problem);
    assert_int_equal(plan.tiles, 6); /* 330 queries */
    assert_true(plan.bytes >= 4 * sizeof(qkv__cuda_sequence));
}

static void test_portable_tables(void **state)
{
    (void)state;
    const size_t lengths[BATCH] = {KEYS, 0, 17};
    const double slopes[HEADS] = {0.5, 0.25}, sinks[HEADS] = {7.0};
    qkv__problem problem;
    call a = make_call(QKV_F64, BATCH, 8, 8);
    a.options.key_lengths = lengths;
    a.options.alibi_slopes = slopes;
    a.options.sinks = sinks;
    a.options.alignment = QKV_ALIGN_BOTTOM_RIGHT;
    qkv__cuda_plan plan = make_plan(&a, &hopper, &problem);
    assert_int_equal(plan.path, QKV__CUDA_PORTABLE);
    image table = write_image(&plan, &problem);
    qkv__cuda_sequence sequence;
    memcpy(&sequence, table.bytes + plan.sequences + 2 * sizeof sequence, sizeof sequence);
    assert_true(sequence.keys == 17 && sequence.queries == QUERIES &&
                sequence.offset == 17 - QUERIES);
    assert_memory_equal(table.bytes + plan.slopes, slopes, sizeof slopes);
    assert_memory_equal(table.bytes + plan.sinks, sinks, sizeof sinks);
    free(table.bytes);
}

/* Copies of keys and values in the workspace: dense, of the query's type, as long as the longest
 * sequence, and not over anything else. */
static void test_ordered(void **state)
{
    (void)state;
    static const int32_t table[BATCH * 4];
    const size_t lengths[BATCH] = {20, 0, 57};
    qkv__problem problem, ordered;
    call a = make_call(QKV_F16, BATCH, 192, 128);
    a.k.type = a.v.type = QKV_E4M3;
    a.k.shape[QKV__BATCH] = a.v.shape[QKV__BATCH] = 11;
    a.k.shape[QKV__LENGTH] = a.v.shape[QKV__LENGTH] = 24;
    a.options.page_table = table;
    a.options.page_columns = 4;
    a.options.key_lengths = lengths;
    const qkv__cuda_plan plan = make_plan(&a, &hopper, &problem);
    assert_true(plan.path == QKV__CUDA_HOPPER && plan.ordered && plan.listed);
    unsigned char *base = malloc(plan.bytes);
    assert_non_null(base);
    qkv__cuda_plan_ordered(&plan, &problem, base, &ordered);
    const size_t rows = BATCH * GROUPS * 57;
    assert_true(ordered.key.data == base + plan.ordered_key && plan.ordered_key % 64 == 0);
    assert_true(ordered.value.data == base + plan.ordered_value && plan.ordered_value % 64 == 0);
    assert_true(plan.ordered_key >= plan.list + plan.items * sizeof(qkv__cuda_item));
    assert_true(plan.ordered_value >= plan.ordered_key + rows * 192 * 2);
    assert_true(plan.bytes >= plan.ordered_value + rows * 128 * 2);
    assert_true(ordered.key.type == QKV_F16 && ordered.value.type == QKV_F16);
    assert_int_equal(ordered.key.shape[QKV__BATCH], BATCH);
    assert_int_equal(ordered.key.shape[QKV__LENGTH], 57);
    assert_int_equal(ordered.key.stride[QKV__HEADS], 57 * 192);
    assert_int_equal(ordered.value.stride[QKV__BATCH], GROUPS * 57 * 128);
    assert_true(ordered.options.page_columns == 0 && ordered.options.key_scales.rank == 0);
    free(base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_which_kernel),    cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_decode),          cmocka_unit_test(test_decode_blocks),
        cmocka_unit_test(test_stored),          cmocka_unit_test(test_ordered),
        cmocka_unit_test(test_tiles),           cmocka_unit_test(test_packed),
        cmocka_unit_test(test_key_lengths),     cmocka_unit_test(test_tiled),
        cmocka_unit_test(test_portable_tables), cmocka_unit_test(test_dropout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
