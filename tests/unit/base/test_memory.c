/* Out of memory: each allocation of each call is made to fail once; the call then says so, frees
 * what it had, and the same call succeeds afterwards. Also the cache's own errors. */
#include "support/check.h"

#include <stdlib.h>

#include "base/memory.h"
#include "support/tensors.h"

enum { LENGTH = 6, WIDTH = 4 };

typedef struct data {
    qkv_view x, c, w, lse;
} data;

static qkv_status attend(const data *d, qkv_error *error)
{
    return qkv_attention(&d->x, &d->x, &d->x, &d->c, NULL, error);
}

static qkv_status differentiate(const data *d, qkv_error *error)
{
    return qkv_attention_gradient(&d->x, &d->x, &d->x, &d->x, &d->c, NULL, NULL, NULL, error);
}

static qkv_status self_attend(const data *d, qkv_error *error)
{
    qkv_self_attention_weights weights = {.query = d->w,
                                          .key = d->w,
                                          .value = d->w,
                                          .output = d->w,
                                          .combine = QKV_COMBINE_PROJECT,
                                          .heads = 2};
    qkv_attention_options options = qkv_attention_default();
    options.log_sum_exp = d->lse;
    return qkv_self_attention(&d->x, &weights, &d->c, &options, error);
}

/* Fails allocation 0, 1, 2, ... until the call needs no more of them. */
static void fail_each(qkv_status (*call)(const data *, qkv_error *), const data *d)
{
    fill_value(&d->c, 42.0);
    fill_value(&d->lse, 42.0);
    long live = qkv__memory_live(), failures = 0;
    for (;; failures++) {
        qkv_error error;
        qkv__memory_fail_after(failures);
        qkv_status status = call(d, &error);
        qkv__memory_fail_after(-1);
        assert_int_equal(qkv__memory_live(), live);
        if (status == QKV_OK) break;
        check_error(status, QKV_ERROR_MEMORY, &error, "out of memory: ");
        assert_true(get(&d->c, 0, 0, 0, 0) == 42.0); /* a call that fails changes nothing */
        assert_true(get(&d->lse, 0, 0, 0, 0) == 42.0);
    }
    assert_true(failures > 0);
}

static void test_failures(void **state)
{
    random_source source = {.state = 81};
    (void)state;
    enum { ROWS = 40, COLUMNS = 160 }; /* too much for the stack, which small calls take */
    data d = {.x = make_tensor(QKV_F32, 2, (size_t[]){ROWS, COLUMNS}),
              .c = make_tensor(QKV_F32, 2, (size_t[]){ROWS, COLUMNS}),
              .w = make_tensor(QKV_F32, 2, (size_t[]){COLUMNS, COLUMNS}),
              .lse = make_tensor(QKV_F32, 2, (size_t[]){2, ROWS})};
    fill_random(&d.x, 1.0, &source), fill_random(&d.w, 1.0, &source);
    fail_each(attend, &d);
    fail_each(differentiate, &d);
    fail_each(self_attend, &d);
    free(d.x.data), free(d.c.data), free(d.w.data), free(d.lse.data);
}

static void test_cache_errors(void **state)
{
    qkv_error error;
    (void)state;
    qkv_cache cache = {.key = make_tensor(QKV_F32, 2, (size_t[]){LENGTH, WIDTH}),
                       .value = make_tensor(QKV_F32, 2, (size_t[]){LENGTH, 3})};
    qkv_view k = make_tensor(QKV_F32, 2, (size_t[]){4, WIDTH});
    qkv_view v = make_tensor(QKV_F32, 2, (size_t[]){4, 3}), shorter = v;
    check_error(qkv_cache_append(NULL, &k, &v, &error), QKV_ERROR_ARGUMENT, &error,
                "cache is NULL");
    check_error(qkv_cache_append(&cache, &v, &v, &error), QKV_ERROR_SHAPE, &error,
                "key has shape (4, 3); expected the cache's (6, 4)");
    check_error(qkv_cache_append(&cache, &k, &k, &error), QKV_ERROR_SHAPE, &error,
                "value has shape (4, 4); expected the cache's (6, 3)");
    shorter.shape[0] = 3;
    check_error(qkv_cache_append(&cache, &k, &shorter, &error), QKV_ERROR_SHAPE, &error,
                "value has length 3; expected 4");
    check_ok(qkv_cache_append(&cache, &k, &v, &error), &error);
    check_error(qkv_cache_append(&cache, &k, &v, &error), QKV_ERROR_SHAPE, &error,
                "key has 4 tokens; the cache holds 4 and has room for 2 more");
    assert_int_equal(cache.length, 4);
    cache.length = 7;
    check_error(qkv_cache_attend(&cache, &k, &v, NULL, &error), QKV_ERROR_ARGUMENT, &error,
                "cache length is 7; expected at most 6");
    free(cache.key.data), free(cache.value.data), free(k.data), free(v.data);
}

/* What was given back is taken again when it is large enough, and nothing is lost. */
static void test_scratch(void **state)
{
    const long live = qkv__memory_live();
    (void)state;
    unsigned char *first = qkv__scratch_take(1000), *second = qkv__scratch_take(1000);
    assert_non_null(first);
    assert_true(first != second && (uintptr_t)first % 64 == 0);
    memset(first, 1, 1000), memset(second, 2, 1000);
    assert_true(first[999] == 1 && second[0] == 2);
    qkv__scratch_give(second);
    assert_ptr_equal(qkv__scratch_take(900), second);
    qkv__scratch_give(second), qkv__scratch_give(first), qkv__scratch_give(NULL);
    unsigned char *larger = qkv__scratch_take(100000);
    memset(larger, 3, 100000);
    qkv__memory_fail_after(0);
    assert_null(qkv__scratch_take(10));
    qkv__memory_fail_after(-1);
    qkv__scratch_give(larger);
    assert_int_equal(qkv__memory_live(), live);
    assert_null(qkv__scratch_take(SIZE_MAX));
}

static void test_sizes(void **state)
{
    size_t result = 5;
    (void)state;
    assert_false(qkv__size_multiply(SIZE_MAX / 2 + 1, 2, &result));
    assert_false(qkv__size_add(SIZE_MAX, 1, &result));
    assert_int_equal(result, 5);
    assert_true(qkv__size_multiply(SIZE_MAX, 1, &result) && result == SIZE_MAX);
    assert_true(qkv__size_multiply(0, SIZE_MAX, &result) && result == 0);
    assert_null(qkv__allocate(SIZE_MAX));
    assert_null(qkv__allocate(0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_cache_errors),
        cmocka_unit_test(test_scratch),
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
