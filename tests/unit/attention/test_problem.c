/* Bad input to the operator: each kind is refused with a status and words that name the argument,
 * its value and what was expected, and the output keeps its contents. */
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/tensors.h"

enum { BATCH = 2, HEADS = 4, GROUPS = 2, QUERIES = 5, KEYS = 7, WIDTH = 3, VALUE_WIDTH = 6 };

/* A good call, to be spoilt in one place. */
typedef struct call {
    qkv_view q, k, v, c;
    qkv_attention_options options;
} call;

static call good_call(void)
{
    random_source source = {.state = 61};
    call a = {.q = make_tensor4(QKV_F32, BATCH, HEADS, QUERIES, WIDTH),
              .k = make_tensor4(QKV_F32, BATCH, GROUPS, KEYS, WIDTH),
              .v = make_tensor4(QKV_F32, BATCH, GROUPS, KEYS, VALUE_WIDTH),
              .c = make_tensor4(QKV_F32, BATCH, HEADS, QUERIES, VALUE_WIDTH),
              .options = qkv_attention_default()};
    fill_random(&a.q, 1.0, &source);
    fill_random(&a.k, 1.0, &source);
    fill_random(&a.v, 1.0, &source);
    fill_value(&a.c, 42.0);
    return a;
}

/* The buffers of the good call stay the same whatever was spoilt in the copy. */
static void expect(const call *good, call spoilt, qkv_status expected, const char *words)
{
    qkv_error error = {0};
    qkv_status status =
        qkv_attention(&spoilt.q, &spoilt.k, &spoilt.v, &spoilt.c, &spoilt.options, &error);
    check_error(status, expected, &error, words);
    assert_true(get(&good->c, 0, 0, 0, 0) == 42.0);
    assert_null(strchr(error.message, '\n'));
}

static void free_call(call *a)
{
    free(a->q.data), free(a->k.data), free(a->v.data), free(a->c.data);
}

/* QKV_KERNEL is read at the first call, and only for calls that name no kernel: a kernel that is
 * not known is refused, and stays so when the environment changes. Comes first, and in a child, for
 * which no call was made before. */
static int call_under_environment(void)
{
    call a = good_call(), named = a;
    qkv_error error;
    setenv("QKV_KERNEL", "fast", 1);
    named.options.kernel = "reference";
    qkv_status first = qkv_attention(&a.q, &a.k, &a.v, &a.c, &a.options, &error);
    bool told = strstr(error.message, "QKV_KERNEL \"fast\" is not known") != NULL;
    setenv("QKV_KERNEL", "reference", 1);
    qkv_status second = qkv_attention(&a.q, &a.k, &a.v, &a.c, &a.options, &error);
    qkv_status third = qkv_attention(&a.q, &a.k, &a.v, &a.c, &named.options, &error);
    free_call(&a);
    return !(told && first == QKV_ERROR_ARGUMENT && second == first && third == QKV_OK);
}

static void test_environment(void **state)
{
    int status = -1;
    (void)state;
    pid_t child = fork();
    if (child == 0) _exit(call_under_environment());
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_int_equal(status, 0);
}

static void test_shapes(void **state)
{
    call good = good_call(), bad;
    (void)state;
    bad = good, bad.k.shape[3] = 2;
    expect(&good, bad, QKV_ERROR_SHAPE, "key has width 2; expected 3, the query's");
    bad = good, bad.v.shape[2] = 6;
    expect(&good, bad, QKV_ERROR_SHAPE, "value has length 6; expected 7, the key's");
    bad = good, bad.k.shape[0] = 1;
    expect(&good, bad, QKV_ERROR_SHAPE, "key has batch 1; expected 2, the query's");
    bad = good, bad.v.shape[0] = 1;
    expect(&good, bad, QKV_ERROR_SHAPE, "value has batch 1; expected 2, the query's");
    bad = good, bad.c.shape[1] = 3;
    expect(&good, bad, QKV_ERROR_SHAPE, "output has heads 3; expected 4, the query's");
    bad = good, bad.v.shape[1] = 1;
    expect(&good, bad, QKV_ERROR_SHAPE, "value has heads 1; expected 2, the key's");
    bad = good, bad.q.shape[1] = 3, bad.c.shape[1] = 3;
    expect(&good, bad, QKV_ERROR_SHAPE, "query has 3 heads and key 2; expected a multiple");
    bad = good, bad.c.shape[3] = 5;
    expect(&good, bad, QKV_ERROR_SHAPE, "output has width 5; expected 6, the value's");
    bad = good, bad.k.rank = 3;
    expect(&good, bad, QKV_ERROR_SHAPE, "key has rank 3; expected 4, the rank of query");
    bad = good, bad.q.rank = 1;
    expect(&good, bad, QKV_ERROR_SHAPE, "query has rank 1; expected 2 (length, width)");
    bad = good, bad.q.rank = 0;
    expect(&good, bad, QKV_ERROR_SHAPE, "query has rank 0; expected 1 to 4");
    bad = good, bad.c.stride[2] = 0;
    expect(&good, bad, QKV_ERROR_SHAPE, "output has stride 0 on axis 2");
    bad = good, bad.k.shape[2] = bad.v.shape[2] = SIZE_MAX / 2, bad.k.stride[2] = 4;
    expect(&good, bad, QKV_ERROR_SHAPE, "too large to address");
    bad = good, bad.v.data = NULL;
    expect(&good, bad, QKV_ERROR_ARGUMENT, "value has 168 elements but its data is NULL");
    bad = good, bad.q.data = (char *)bad.q.data + 1;
    expect(&good, bad, QKV_ERROR_ARGUMENT, "query is not aligned");
    free_call(&good);
}

static void test_types(void **state)
{
    call good = good_call(), bad;
    (void)state;
    bad = good, bad.k.type = QKV_BOOL;
    expect(&good, bad, QKV_ERROR_TYPE,
           "key has type bool; expected f64, f32, f16, bf16, i8 or e4m3");
    bad = good, bad.v.type = QKV_F64;
    expect(&good, bad, QKV_ERROR_TYPE, "value has type f64 and query f32");
    bad = good, bad.q.type = (qkv_type)99;
    expect(&good, bad, QKV_ERROR_TYPE, "query has no element type (99)");
    free_call(&good);
}

static void test_numbers(void **state)
{
    const double bad_slopes[HEADS] = {1, 1, NAN, 1}, bad_sinks[HEADS] = {0, INFINITY, 0, 0};
    const double huge[HEADS] = {1e39, 0, 0, 0};
    call good = good_call(), bad;
    (void)state;
    bad = good, bad.options.scale = NAN;
    expect(&good, bad, QKV_ERROR_ARGUMENT, "scale is nan; expected a finite number");
    bad = good, bad.options.scale = INFINITY;
    expect(&good, bad, QKV_ERROR_ARGUMENT, "scale is inf");
    bad = good, bad.options.softcap = -1.0;
    expect(&good, bad, QKV_ERROR_ARGUMENT, "softcap is -1; expected a positive number");
    bad = good, bad.options.alibi_slopes = bad_slopes;
    expect(&good, bad, QKV_ERROR_ARGUMENT, "alibi_slopes[2] is nan");
    bad = good, bad.options.sinks = bad_sinks;
    expect(&good, bad, QKV_ERROR_ARGUMENT, "sinks[1] is inf");
    bad = good, bad.options.scale = 1e39;
    expect(&good, bad, QKV_ERROR_ARGUMENT, "scale is 1e+39; expected a number that f32 can hold");
    bad = good, bad.options.softcap = 1e-50;
    expect(&good, bad, QKV_ERROR_ARGUMENT, "softcap is 1e-50; expected a positive number that f32");
    bad = good, bad.options.sinks = huge;
    expect(&good, bad, QKV_ERROR_ARGUMENT, "sinks[0] is 1e+39; expected a number that f32 can");
    bad = good, bad.options.alibi_slopes = huge;
    expect(&good, bad, QKV_ERROR_ARGUMENT, "alibi_slopes[0] is 1e+39");
    bad = good, bad.options.threads = -3;
    expect(&good, bad, QKV_ERROR_ARGUMENT, "threads is -3");
    bad = good, bad.options.kernel = "fastest";
    expect(&good, bad, QKV_ERROR_ARGUMENT, "kernel \"fastest\" is not known; expected one of");
    bad = good, bad.options.struct_size = 0;
    expect(&good, bad, QKV_ERROR_ARGUMENT, "options.struct_size is 0");
    free_call(&good);
}

static void test_positions(void **state)
{
    call good = good_call(), bad;
    (void)state;
    bad = good, bad.options.causal = true;
    expect(&good, bad, QKV_ERROR_ARGUMENT, "with 5 queries over 7 keys");
    bad = good, bad.options.query_offset = 2;
    expect(&good, bad, QKV_ERROR_ARGUMENT, "query_offset is 2, but alignment");
    bad = good, bad.options.alignment = (qkv_alignment)7;
    expect(&good, bad, QKV_ERROR_ARGUMENT, "alignment is 7");
    bad = good, bad.options.window_left = 7;
    expect(&good, bad, QKV_ERROR_ARGUMENT, "window is false");
    bad = good, bad.options.alignment = QKV_ALIGN_OFFSET, bad.options.query_offset = PTRDIFF_MIN;
    expect(&good, bad, QKV_ERROR_ARGUMENT, "query_offset is -9223372036854775808");
    bad = good, bad.options.alignment = QKV_ALIGN_OFFSET, bad.options.query_offset = PTRDIFF_MAX;
    expect(&good, bad, QKV_ERROR_ARGUMENT, "query_offset is 9223372036854775807");
    /* Lengths that only stride 0 can address. */
    bad = good, bad.k.shape[2] = bad.v.shape[2] = (size_t)PTRDIFF_MAX / 4;
    bad.k.stride[2] = bad.v.stride[2] = 0;
    bad.k.shape[0] = bad.v.shape[0] = bad.q.shape[0] = bad.c.shape[0] = 1;
    bad.k.shape[1] = bad.v.shape[1] = 1, bad.k.shape[3] = bad.q.shape[3] = 1;
    bad.v.shape[3] = bad.c.shape[3] = 1;
    expect(&good, bad, QKV_ERROR_SHAPE, "are too many");
    free_call(&good);
}

static void test_sequences(void **state)
{
    const size_t lengths[] = {3, 8}, starts[] = {0, 5}, wrong_first[] = {1, 5};
    const size_t falling[] = {0, 4, 3, 7}, wrong_end[] = {0, 6}, key_starts[] = {0, 7};
    const size_t three[] = {0, 1, 2, 5};
    call good = good_call(), bad;
    (void)state;
    bad = good, bad.options.key_lengths = lengths;
    expect(&good, bad, QKV_ERROR_ARGUMENT, "key_lengths[1] is 8; expected at most 7");
    bad = good, bad.options.sequences = 1, bad.options.query_starts = starts;
    expect(&good, bad, QKV_ERROR_SHAPE, "packed sequences have batch 2; expected 1");
    bad.q.shape[0] = bad.k.shape[0] = bad.v.shape[0] = bad.c.shape[0] = 1;
    expect(&good, bad, QKV_ERROR_ARGUMENT, "key_starts is NULL");
    bad.options.key_starts = wrong_end;
    expect(&good, bad, QKV_ERROR_ARGUMENT, "key_starts[1] is 6; expected 7, the length");
    bad.options.key_starts = key_starts, bad.options.query_starts = wrong_first;
    expect(&good, bad, QKV_ERROR_ARGUMENT, "query_starts[0] is 1; expected 0");
    bad.options.sequences = 3, bad.options.query_starts = three, bad.options.key_starts = falling;
    expect(&good, bad, QKV_ERROR_ARGUMENT, "key_starts[2] is 3; expected at least");
    bad.options.sequences = 1, bad.options.key_lengths = lengths;
    expect(&good, bad, QKV_ERROR_ARGUMENT, "key_lengths is set");
    bad.options.sequences = 0, bad.options.key_lengths = NULL;
    expect(&good, bad, QKV_ERROR_ARGUMENT, "sequences is 0, but query_starts");
    bad.options.sequences = 1, bad.options.query_starts = starts;
    bad.options.key_starts = key_starts;
    bad.options.weights = make_tensor4(QKV_F32, 1, HEADS, QUERIES, KEYS);
    expect(&good, bad, QKV_ERROR_UNSUPPORTED, "weights is not offered for packed sequences");
    free(bad.options.weights.data);
    free_call(&good);
}

static void test_results(void **state)
{
    call good = good_call(), bad;
    (void)state;
    bad = good, bad.options.mask = make_tensor(QKV_F32, 2, (size_t[]){QUERIES, KEYS - 1});
    expect(&good, bad, QKV_ERROR_SHAPE, "mask of shape (5, 6) does not broadcast to (2, 4, 5, 7)");
    free(bad.options.mask.data);
    bad = good, bad.options.mask = make_tensor(QKV_I8, 2, (size_t[]){QUERIES, KEYS});
    expect(&good, bad, QKV_ERROR_TYPE, "mask has type i8; expected bool");
    bad.options.mask.type = QKV_E4M3;
    expect(&good, bad, QKV_ERROR_TYPE, "mask has type e4m3; expected bool");
    free(bad.options.mask.data);
    bad = good, bad.options.log_sum_exp = make_tensor4(QKV_F32, BATCH, HEADS, QUERIES, 1);
    expect(&good, bad, QKV_ERROR_SHAPE, "log_sum_exp has shape (2, 4, 5, 1); expected (2, 4, 5)");
    free(bad.options.log_sum_exp.data);
    bad = good, bad.options.weights = make_tensor4(QKV_F32, BATCH, HEADS, KEYS, QUERIES);
    expect(&good, bad, QKV_ERROR_SHAPE, "weights has shape (2, 4, 7, 5); expected (2, 4, 5, 7)");
    bad.options.weights.type = QKV_BOOL;
    expect(&good, bad, QKV_ERROR_TYPE, "weights has type bool");
    free(bad.options.weights.data);
    free_call(&good);
}

/* A kernel for one type says which, and who has another. */
static void test_kernel_type(void **state)
{
    call good = good_call(), bad;
    qkv_view key = make_tensor4(QKV_BF16, BATCH, GROUPS, KEYS, WIDTH);
    qkv_view query = make_tensor4(QKV_BF16, BATCH, HEADS, QUERIES, WIDTH);
    (void)state;
    for (size_t i = 0; i < qkv_kernel_count(); i++) {
        if (kernel_takes(qkv_kernel_name(i), QKV_F32)) continue;
        bad = good, bad.options.kernel = qkv_kernel_name(i);
        expect(&good, bad, QKV_ERROR_UNSUPPORTED,
               "takes operands of type bf16 alone; query has type f32");
        bad.q = query, bad.k = key;
        expect(&good, bad, QKV_ERROR_UNSUPPORTED,
               "takes operands of type bf16 alone; value has type f32");
    }
    free(key.data), free(query.data), free_call(&good);
}

static void test_null(void **state)
{
    call good = good_call();
    qkv_error error;
    (void)state;
    check_error(qkv_attention(NULL, &good.k, &good.v, &good.c, NULL, &error), QKV_ERROR_ARGUMENT,
                &error, "query is NULL");
    check_error(qkv_attention(&good.q, &good.k, NULL, &good.c, NULL, &error), QKV_ERROR_ARGUMENT,
                &error, "value is NULL");
    check_error(qkv_attention(&good.q, &good.k, &good.v, NULL, NULL, &error), QKV_ERROR_ARGUMENT,
                &error, "output is NULL");
    assert_int_equal(qkv_attention(NULL, NULL, NULL, NULL, NULL, NULL), QKV_ERROR_ARGUMENT);
    check_ok(qkv_attention(&good.q, &good.k, &good.v, &good.c, NULL, NULL), &error);
    free_call(&good);
}

/* A caller built against an older, smaller struct gets its options read; one against a newer,
 * larger struct too, as long as it uses nothing that is not known here. */
static void test_struct_sizes(void **state)
{
    call good = good_call();
    struct {
        qkv_attention_options known;
        double unknown;
    } newer = {.known = qkv_attention_default()};
    qkv_attention_options older = qkv_attention_default();
    qkv_error error;
    (void)state;
    older.struct_size = offsetof(qkv_attention_options, mask);
    older.kernel = "behind the end of the older struct";
    check_ok(qkv_attention(&good.q, &good.k, &good.v, &good.c, &older, &error), &error);
    newer.known.struct_size = sizeof newer;
    check_ok(qkv_attention(&good.q, &good.k, &good.v, &good.c, &newer.known, &error), &error);
    newer.unknown = 1.0;
    check_error(qkv_attention(&good.q, &good.k, &good.v, &good.c, &newer.known, &error),
                QKV_ERROR_UNSUPPORTED, &error, "options: from a newer qkv");
    free_call(&good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_environment),  cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_types),        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_positions),    cmocka_unit_test(test_sequences),
        cmocka_unit_test(test_results),      cmocka_unit_test(test_null),
        cmocka_unit_test(test_struct_sizes), cmocka_unit_test(test_kernel_type),
    };
    return cmocka_run_group_tests_name("problem", tests, NULL, NULL);
}
