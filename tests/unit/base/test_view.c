/*
 * Views: how they are made, what is refused before one is looked into, and copies between types.
 * What a view means is checked by its offsets: the element at an index must lie where the
 * definition of shape and stride puts it. Error texts are part of the interface and are checked.
 */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/number.h"
#include "base/view.h"

static void assert_failure(qkv_status status, qkv_status expected, const qkv_error *error,
                           const char *text)
{
    assert_int_equal(status, expected);
    assert_int_equal(error->status, expected);
    assert_string_equal(error->message, text);
}

/* ---- Types -------------------------------------------------------------------------------- */

static void types_have_names_and_sizes(void **state)
{
    (void)state;
    static const struct {
        qkv_type type;
        const char *name;
        size_t size;
    } cases[] = {{QKV_F64, "f64", 8},   {QKV_F32, "f32", 4},   {QKV_F16, "f16", 2},
                 {QKV_BF16, "bf16", 2}, {QKV_BOOL, "bool", 1}, {QKV_I8, "i8", 1},
                 {QKV_E4M3, "e4m3", 1}, {QKV_NONE, "none", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(qkv_type_size(cases[i].type), cases[i].size);
        assert_string_equal(qkv_type_name(cases[i].type), cases[i].name);
        assert_int_equal(qkv_type_from_name(cases[i].name), cases[i].type);
    }
    assert_int_equal(qkv_type_from_name("F32"), QKV_NONE);
    assert_int_equal(qkv_type_from_name(""), QKV_NONE);
    assert_int_equal(qkv_type_size((qkv_type)8), 0);
    assert_int_equal(qkv_type_size((qkv_type)-1), 0);
    assert_string_equal(qkv_type_name((qkv_type)1000), "none");
}

/* ---- Making views ------------------------------------------------------------------------- */

/* C order: counting through the indices must count through memory. */
static void dense_views_run_the_last_axis_fastest(void **state)
{
    (void)state;
    double data[2 * 3 * 4 * 5];
    const size_t shape[4] = {2, 3, 4, 5};
    for (int rank = 1; rank <= 4; rank++) {
        qkv_view view = qkv_view_dense(QKV_F64, data, rank, shape);
        size_t index[4] = {0}, visited = 0;
        assert_int_equal(view.rank, rank);
        do assert_int_equal(qkv__view_offset(&view, index), visited++);
        while (qkv__index_next(rank, view.shape, index));
        assert_int_equal(visited, qkv_view_count(&view));
        assert_int_equal(qkv__view_check(&view, "view", NULL), QKV_OK);
    }
}

static void dense_views_of_impossible_rank_are_refused_later(void **state)
{
    (void)state;
    double data[1] = {0};
    const size_t shape[5] = {1, 1, 1, 1, 1};
    qkv_error error;
    qkv_view view = qkv_view_dense(QKV_F64, data, 5, shape);
    assert_failure(qkv__view_check(&view, "query", &error), QKV_ERROR_SHAPE, &error,
                   "query has rank -1; expected 1 to 4");
    view = qkv_view_dense(QKV_F64, data, 0, NULL);
    assert_int_equal(qkv_view_count(&view), 1); /* the empty product */
    assert_failure(qkv__view_check(&view, "key", &error), QKV_ERROR_SHAPE, &error,
                   "key has rank 0; expected 1 to 4");
}

/* view[i][j][k] must be exchanged[k][j][i], and a second exchange must undo the first. */
static void exchange_swaps_two_axes(void **state)
{
    (void)state;
    float data[24];
    qkv_view view = qkv_view_dense(QKV_F32, data, 3, (size_t[]){2, 3, 4});
    qkv_view exchanged = qkv_view_exchange(view, 0, 2);
    size_t index[4] = {0};
    do {
        const size_t other[4] = {index[2], index[1], index[0]};
        assert_int_equal(qkv__view_offset(&view, index), qkv__view_offset(&exchanged, other));
    } while (qkv__index_next(3, view.shape, index));
    qkv_view back = qkv_view_exchange(exchanged, 2, 0);
    assert_memory_equal(back.shape, view.shape, sizeof view.shape);
    assert_memory_equal(back.stride, view.stride, sizeof view.stride);
}

static void exchange_of_absent_axes_changes_nothing(void **state)
{
    (void)state;
    float data[6];
    qkv_view view = qkv_view_dense(QKV_F32, data, 2, (size_t[]){2, 3});
    const int pairs[][2] = {{0, 2}, {2, 0}, {-1, 1}, {1, -1}, {1, 1}, {INT_MAX, INT_MIN}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        qkv_view same = qkv_view_exchange(view, pairs[i][0], pairs[i][1]);
        assert_memory_equal(same.shape, view.shape, sizeof view.shape);
        assert_memory_equal(same.stride, view.stride, sizeof view.stride);
    }
}

/* ---- Heads -------------------------------------------------------------------------------- */

/* split[b][h][l][d] must be packed[b][l][h * width + d]. */
static void heads_are_split_without_a_copy(void **state)
{
    (void)state;
    enum { BATCH = 2, LENGTH = 3, HEADS = 4, WIDTH = 5 };
    float data[BATCH * LENGTH * HEADS * WIDTH];
    const size_t shape[3] = {BATCH, LENGTH, HEADS * WIDTH};
    qkv_view packed = qkv_view_dense(QKV_F32, data, 3, shape), split;
    assert_int_equal(qkv_view_split_heads(&packed, HEADS, &split, NULL), QKV_OK);
    assert_int_equal(split.rank, 4);
    assert_memory_equal(split.shape, ((size_t[]){BATCH, HEADS, LENGTH, WIDTH}), sizeof split.shape);
    size_t index[4] = {0};
    do {
        const size_t there[4] = {index[0], index[2], index[1] * WIDTH + index[3]};
        assert_int_equal(qkv__view_offset(&split, index), qkv__view_offset(&packed, there));
    } while (qkv__index_next(4, split.shape, index));
}

static void heads_of_a_reversed_view_are_split(void **state)
{
    (void)state;
    float data[12];
    qkv_view packed = {
        .data = data + 11, .type = QKV_F32, .rank = 2, .shape = {2, 6}, .stride = {-6, -1}};
    qkv_view split;
    assert_int_equal(qkv_view_split_heads(&packed, 3, &split, NULL), QKV_OK);
    const size_t last[4] = {2, 1, 1};
    assert_int_equal(qkv__view_offset(&split, last), -11);
}

static void heads_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    float data[24];
    qkv_error error;
    qkv_view packed = qkv_view_dense(QKV_F32, data, 2, (size_t[]){4, 6}), split = {.rank = 77};
    assert_failure(qkv_view_split_heads(&packed, 4, &split, &error), QKV_ERROR_SHAPE, &error,
                   "width 6 is not divisible by 4 heads");
    assert_failure(qkv_view_split_heads(&packed, 0, &split, &error), QKV_ERROR_SHAPE, &error,
                   "width 6 is not divisible by 0 heads");
    packed = qkv_view_dense(QKV_F32, data, 1, (size_t[]){24});
    assert_failure(qkv_view_split_heads(&packed, 4, &split, &error), QKV_ERROR_SHAPE, &error,
                   "packed heads have rank 1; expected 2 (length, width) or 3 (batch, length, "
                   "width)");
    assert_failure(qkv_view_split_heads(NULL, 4, &split, &error), QKV_ERROR_ARGUMENT, &error,
                   "packed heads is NULL");
    assert_int_equal(split.rank, 77); /* a failed call changes nothing */
}

/* The stride from head to head may be no number at all when nothing uses it. */
static void heads_with_enormous_strides_are_split(void **state)
{
    (void)state;
    unsigned char byte[2] = {0};
    qkv_view split;
    qkv_view empty = {.data = byte,
                      .type = QKV_BOOL,
                      .rank = 2,
                      .shape = {0, 6},
                      .stride = {PTRDIFF_MAX, PTRDIFF_MAX}};
    assert_int_equal(qkv_view_split_heads(&empty, 2, &split, NULL), QKV_OK);
    assert_int_equal(qkv_view_count(&split), 0);
    qkv_view wide = {
        .data = byte, .type = QKV_BOOL, .rank = 2, .shape = {1, 2}, .stride = {1, PTRDIFF_MAX - 1}};
    assert_int_equal(qkv_view_split_heads(&wide, 1, &split, NULL), QKV_OK);
    assert_int_equal(qkv__view_check(&split, "split", NULL), QKV_OK);
}

/* ---- Checks ------------------------------------------------------------------------------- */

static void shapes_are_written_as_tuples(void **state)
{
    (void)state;
    assert_string_equal(qkv__shape_format(1, (size_t[]){3}).text, "(3,)");
    assert_string_equal(qkv__shape_format(3, (size_t[]){2, 0, 4}).text, "(2, 0, 4)");
    const size_t most = SIZE_MAX;
    char expected[128];
    snprintf(expected, sizeof expected, "(%zu, %zu, %zu, %zu)", most, most, most, most);
    assert_string_equal(qkv__shape_format(4, (size_t[]){most, most, most, most}).text, expected);
}

static void incomplete_views_are_refused(void **state)
{
    (void)state;
    double data[2] = {0};
    qkv_error error;
    assert_failure(qkv__view_check(NULL, "mask", &error), QKV_ERROR_ARGUMENT, &error,
                   "mask is NULL");
    qkv_view view = qkv_view_dense(QKV_NONE, data, 1, (size_t[]){2});
    assert_failure(qkv__view_check(&view, "mask", &error), QKV_ERROR_TYPE, &error,
                   "mask has no element type (0)");
    view = qkv_view_dense((qkv_type)9, data, 1, (size_t[]){2});
    assert_failure(qkv__view_check(&view, "mask", &error), QKV_ERROR_TYPE, &error,
                   "mask has no element type (9)");
    view = qkv_view_dense(QKV_F64, NULL, 2, (size_t[]){2, 3});
    assert_failure(qkv__view_check(&view, "mask", &error), QKV_ERROR_ARGUMENT, &error,
                   "mask has 6 elements but its data is NULL");
    view = qkv_view_dense(QKV_F64, NULL, 2, (size_t[]){2, 0}); /* nothing to point at */
    assert_int_equal(qkv__view_check(&view, "mask", &error), QKV_OK);
}

static void misaligned_data_is_refused(void **state)
{
    (void)state;
    double room[3];
    qkv_error error;
    const qkv_type types[] = {QKV_F64, QKV_F32, QKV_F16, QKV_BF16};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        char expected[64];
        qkv_view view = qkv_view_dense(types[i], (char *)room + 1, 1, (size_t[]){2});
        snprintf(expected, sizeof expected, "value is not aligned to its %zu-byte elements",
                 qkv_type_size(types[i]));
        assert_failure(qkv__view_check(&view, "value", &error), QKV_ERROR_ARGUMENT, &error,
                       expected);
    }
    qkv_view bytes = qkv_view_dense(QKV_BOOL, (char *)room + 1, 1, (size_t[]){2});
    assert_int_equal(qkv__view_check(&bytes, "value", &error), QKV_OK);
}

/* Every way to more elements, or further elements, than an address can reach. */
static void shapes_beyond_the_address_space_are_refused(void **state)
{
    (void)state;
    double data[1] = {0};
    const size_t half = SIZE_MAX / 2 + 1;
    const qkv_view cases[] = {
        qkv_view_dense(QKV_F64, data, 2, (size_t[]){half, 2}),
        qkv_view_dense(QKV_F64, data, 4, (size_t[]){half, half, half, half}),
        qkv_view_dense(QKV_F64, data, 1, (size_t[]){SIZE_MAX}),
        qkv_view_dense(QKV_F64, data, 1, (size_t[]){PTRDIFF_MAX / 8 + 1}),
        {.data = data, .type = QKV_F64, .rank = 1, .shape = {2}, .stride = {PTRDIFF_MAX}},
        {.data = data, .type = QKV_F64, .rank = 1, .shape = {2}, .stride = {PTRDIFF_MIN}},
        {.data = data, .type = QKV_BOOL, .rank = 1, .shape = {3}, .stride = {PTRDIFF_MIN}},
        {.data = data,
         .type = QKV_BOOL,
         .rank = 2,
         .shape = {2, 2},
         .stride = {PTRDIFF_MAX / 2 + 1, -(PTRDIFF_MAX / 2 + 1)}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char expected[160];
        qkv_error error;
        snprintf(expected, sizeof expected, "query of shape %s is too large to address",
                 qkv__shape_format(cases[i].rank, cases[i].shape).text);
        assert_failure(qkv__view_check(&cases[i], "query", &error), QKV_ERROR_SHAPE, &error,
                       expected);
    }
}

/* An empty axis makes every other size and stride harmless; so does a size of 1 for its stride. */
static void unused_strides_do_not_count(void **state)
{
    (void)state;
    double data[1] = {0};
    const qkv_view cases[] = {
        qkv_view_dense(QKV_F64, NULL, 3, (size_t[]){SIZE_MAX, 0, SIZE_MAX}),
        {.data = data, .type = QKV_F64, .rank = 1, .shape = {1}, .stride = {PTRDIFF_MIN}},
        {.data = data, .type = QKV_F64, .rank = 2, .shape = {1000000, 1000000}},
        {.type = QKV_F64, .rank = 2, .shape = {0, 5}, .stride = {PTRDIFF_MIN, PTRDIFF_MAX}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(qkv__view_check(&cases[i], "view", NULL), QKV_OK);
}

/* The largest extent that fits, and one byte more. */
static void the_extent_is_counted_in_bytes(void **state)
{
    (void)state;
    unsigned char data[1] = {0};
    qkv_view view = {
        .data = data, .type = QKV_BOOL, .rank = 1, .shape = {2}, .stride = {PTRDIFF_MAX - 1}};
    assert_int_equal(qkv__view_check(&view, "view", NULL), QKV_OK);
    view.stride[0] = PTRDIFF_MAX;
    assert_int_equal(qkv__view_check(&view, "view", NULL), QKV_ERROR_SHAPE);
    view.stride[0] = -(PTRDIFF_MAX - 1);
    assert_int_equal(qkv__view_check(&view, "view", NULL), QKV_OK);
}

static void outputs_that_overwrite_themselves_are_refused(void **state)
{
    (void)state;
    double data[6] = {0};
    qkv_error error;
    qkv_view view = qkv_view_dense(QKV_F64, data, 2, (size_t[]){2, 3});
    assert_int_equal(qkv__view_check_output(&view, "output", &error), QKV_OK);
    view.stride[0] = 0;
    assert_failure(qkv__view_check_output(&view, "output", &error), QKV_ERROR_SHAPE, &error,
                   "output has stride 0 on axis 0: its 2 results would overwrite each other");
    view.shape[0] = 1; /* one index has no other to overwrite */
    assert_int_equal(qkv__view_check_output(&view, "output", &error), QKV_OK);
    view = qkv_view_dense(QKV_F64, data, 3, (size_t[]){4, 0, 3}); /* its strides are 0, 3, 1 */
    assert_int_equal(qkv__view_check_output(&view, "output", &error), QKV_OK);
    view = qkv_view_dense(QKV_BOOL, data, 1, (size_t[]){6});
    assert_failure(qkv__view_check_output(&view, "output", &error), QKV_ERROR_TYPE, &error,
                   "output has type bool; expected f64, f32, f16 or bf16");
    assert_failure(qkv__view_check_output(NULL, "output", &error), QKV_ERROR_ARGUMENT, &error,
                   "output is NULL");
}

/* ---- Copies ------------------------------------------------------------------------------- */

/* Small whole numbers are exact in every float type, so any route must bring them back. */
static void copies_convert_between_all_types(void **state)
{
    (void)state;
    const qkv_type types[] = {QKV_F64, QKV_F32, QKV_F16, QKV_BF16};
    const size_t shape[3] = {2, 3, 4};
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++) {
            double from_room[24], to_room[24], back[24];
            qkv_view from = qkv_view_dense(types[i], from_room, 3, shape);
            qkv_view to = qkv_view_dense(types[j], to_room, 3, shape);
            qkv_view numbers = qkv_view_dense(QKV_F64, back, 3, shape);
            for (int k = 0; k < 24; k++) qkv__store(types[i], from_room, k, k - 12);
            assert_int_equal(qkv_view_copy(&from, &to, NULL), QKV_OK);
            assert_int_equal(qkv_view_copy(&to, &numbers, NULL), QKV_OK);
            for (int k = 0; k < 24; k++) assert_true(back[k] == k - 12);
        }
}

/* A reversed column of a transposed matrix, into every second element. */
static void copies_follow_the_strides(void **state)
{
    (void)state;
    double matrix[6] = {0, 1, 2, 3, 4, 5};
    float row[6] = {-1, -1, -1, -1, -1, -1};
    qkv_view from = {
        .data = matrix + 5, .type = QKV_F64, .rank = 2, .shape = {3, 1}, .stride = {-2, 7}};
    qkv_view to = {.data = row, .type = QKV_F32, .rank = 2, .shape = {3, 1}, .stride = {2, 1}};
    assert_int_equal(qkv_view_copy(&from, &to, NULL), QKV_OK);
    assert_memory_equal(row, ((float[]){5, -1, 3, -1, 1, -1}), sizeof row);
}

static void copies_round_and_keep_what_is_special(void **state)
{
    (void)state;
    double from_data[5] = {1 + 0x1p-11 + 0x1p-30, 65520, -HUGE_VAL, -0.0, (double)NAN};
    uint16_t to_data[5];
    unsigned char truth[5];
    qkv_view from = qkv_view_dense(QKV_F64, from_data, 1, (size_t[]){5});
    qkv_view to = qkv_view_dense(QKV_F16, to_data, 1, (size_t[]){5});
    assert_int_equal(qkv_view_copy(&from, &to, NULL), QKV_OK);
    assert_int_equal(to_data[0], 0x3c01);
    assert_int_equal(to_data[1], 0x7c00); /* halfway to the number that f16 has not */
    assert_int_equal(to_data[2], 0xfc00);
    assert_int_equal(to_data[3], 0x8000);
    assert_true((to_data[4] & 0x7fff) > 0x7c00);
    to = qkv_view_dense(QKV_BOOL, truth, 1, (size_t[]){5});
    assert_int_equal(qkv_view_copy(&from, &to, NULL), QKV_OK);
    assert_memory_equal(truth, ((unsigned char[]){1, 1, 1, 0, 1}), 5);
}

/* A stride of 0 repeats a source, which is the use of it; a destination it would garble. */
static void copies_repeat_sources_but_not_destinations(void **state)
{
    (void)state;
    double one[1] = {7}, three[3] = {0};
    qkv_error error;
    qkv_view repeated = {.data = one, .type = QKV_F64, .rank = 1, .shape = {3}};
    qkv_view dense = qkv_view_dense(QKV_F64, three, 1, (size_t[]){3});
    assert_int_equal(qkv_view_copy(&repeated, &dense, &error), QKV_OK);
    assert_memory_equal(three, ((double[]){7, 7, 7}), sizeof three);
    assert_failure(qkv_view_copy(&dense, &repeated, &error), QKV_ERROR_SHAPE, &error,
                   "destination has stride 0 on axis 0: its 3 results would overwrite each other");
}

static void copies_of_different_shapes_are_refused(void **state)
{
    (void)state;
    double a[6] = {1, 1, 1, 1, 1, 1}, b[6] = {0};
    qkv_error error;
    qkv_view from = qkv_view_dense(QKV_F64, a, 2, (size_t[]){2, 3});
    qkv_view to = qkv_view_dense(QKV_F64, b, 2, (size_t[]){3, 2});
    assert_failure(qkv_view_copy(&from, &to, &error), QKV_ERROR_SHAPE, &error,
                   "source has shape (2, 3), destination (3, 2)");
    to = qkv_view_dense(QKV_F64, b, 1, (size_t[]){6});
    assert_failure(qkv_view_copy(&from, &to, &error), QKV_ERROR_SHAPE, &error,
                   "source has shape (2, 3), destination (6,)");
    assert_failure(qkv_view_copy(NULL, &to, &error), QKV_ERROR_ARGUMENT, &error, "source is NULL");
    assert_failure(qkv_view_copy(&from, NULL, &error), QKV_ERROR_ARGUMENT, &error,
                   "destination is NULL");
    for (int i = 0; i < 6; i++) assert_true(b[i] == 0);
}

static void copies_of_nothing_succeed(void **state)
{
    (void)state;
    qkv_view from = qkv_view_dense(QKV_F64, NULL, 2, (size_t[]){3, 0});
    qkv_view to = qkv_view_dense(QKV_F16, NULL, 2, (size_t[]){3, 0});
    assert_int_equal(qkv_view_copy(&from, &to, NULL), QKV_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_have_names_and_sizes),
        cmocka_unit_test(dense_views_run_the_last_axis_fastest),
        cmocka_unit_test(dense_views_of_impossible_rank_are_refused_later),
        cmocka_unit_test(exchange_swaps_two_axes),
        cmocka_unit_test(exchange_of_absent_axes_changes_nothing),
        cmocka_unit_test(heads_are_split_without_a_copy),
        cmocka_unit_test(heads_of_a_reversed_view_are_split),
        cmocka_unit_test(heads_that_do_not_fit_are_refused),
        cmocka_unit_test(heads_with_enormous_strides_are_split),
        cmocka_unit_test(shapes_are_written_as_tuples),
        cmocka_unit_test(incomplete_views_are_refused),
        cmocka_unit_test(misaligned_data_is_refused),
        cmocka_unit_test(shapes_beyond_the_address_space_are_refused),
        cmocka_unit_test(unused_strides_do_not_count),
        cmocka_unit_test(the_extent_is_counted_in_bytes),
        cmocka_unit_test(outputs_that_overwrite_themselves_are_refused),
        cmocka_unit_test(copies_convert_between_all_types),
        cmocka_unit_test(copies_follow_the_strides),
        cmocka_unit_test(copies_round_and_keep_what_is_special),
        cmocka_unit_test(copies_repeat_sources_but_not_destinations),
        cmocka_unit_test(copies_of_different_shapes_are_refused),
        cmocka_unit_test(copies_of_nothing_succeed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
