/* How many threads there are to be, by whoever says so; and calls that are ended early. */
#include "support/check.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include <qkv/threads.h>

#include "base/threads.h"
#include "support/tensors.h"
#include "unit/io/folder.h"

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int number;
    } cases[] = {{"3", 3}, {"1", 1},  {"4,2", 4}, {"100000", 256}, {"", 0},
                 {"0", 0}, {"-1", 0}, {"x", 0},   {"3x", 0},       {NULL, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(qkv__threads_parse(cases[i].text), cases[i].number);
}

static void test_quotas(void **state)
{
    (void)state;
    assert_int_equal(qkv__cgroup_cores("max 100000\n"), 0);
    assert_int_equal(qkv__cgroup_cores("200000 100000\n"), 2);
    assert_int_equal(qkv__cgroup_cores("150000 100000\n"), 2);
    assert_int_equal(qkv__cgroup_cores("1000 100000\n"), 1);
    assert_int_equal(qkv__cgroup_cores("-1 100000"), 0);
    assert_int_equal(qkv__cgroup_cores("100000 0"), 0);
    assert_int_equal(qkv__cgroup_cores(""), 0);
}

static void put_text(const char *path, const char *text)
{
    file_put(path, text, strlen(text));
}

static int quota_of(const char *membership)
{
    put_text("membership", membership);
    return qkv__cgroup_quota("membership", "tree");
}

/* A tree of cgroups of both versions: the least quota on the way to the root counts. */
static void test_groups(void **state)
{
    (void)state;
    static const char *const folders[] = {"tree", "tree/a", "tree/a/b", "tree/cpu", "tree/cpu/c"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        assert_int_equal(mkdir(folders[i], 0777), 0);
    assert_int_equal(qkv__cgroup_quota("nothing", "tree"), 0);
    assert_int_equal(quota_of("0::/a/b\n"), 0); /* folders without files */
    put_text("tree/a/cpu.max", "300000 100000\n");
    put_text("tree/a/b/cpu.max", "max 100000\n");
    assert_int_equal(quota_of("0::/\n"), 0);
    assert_int_equal(quota_of("0::/a\n"), 3);
    assert_int_equal(quota_of("0::/a/b\n"), 3);
    put_text("tree/a/b/cpu.max", "150000 100000\n");
    assert_int_equal(quota_of("0::/a/b\n"), 2);
    put_text("tree/cpu/cpu.cfs_quota_us", "-1\n");
    put_text("tree/cpu/cpu.cfs_period_us", "100000\n");
    put_text("tree/cpu/c/cpu.cfs_quota_us", "50000\n");
    put_text("tree/cpu/c/cpu.cfs_period_us", "100000\n");
    assert_int_equal(quota_of("4:cpu,cpuacct:/\n"), 0);
    assert_int_equal(quota_of("3:memory:/x\n4:cpuacct,cpu:/c\n0::/a\n"), 1);
    assert_int_equal(quota_of("4:cpuset:/c\n"), 0);
    put_text("tree/cpu/cpu.cfs_quota_us", "600000\n"); /* in a container: the path is its host's */
    assert_int_equal(quota_of("4:cpu:/docker/0123\n"), 6);
    assert_int_equal(quota_of("no colon\n:\n\n4:cpu\n"), 0);
}

static void test_chosen(void **state)
{
    (void)state;
    qkv_error error;
    const int before = qkv_get_threads();
    assert_true(before >= 1);
    check_ok(qkv_set_threads(3, &error), &error);
    assert_int_equal(qkv_get_threads(), 3);
    check_error(qkv_set_threads(-1, &error), QKV_ERROR_ARGUMENT, &error, "threads is -1");
    assert_int_equal(qkv_get_threads(), 3);
    check_ok(qkv_set_threads(0, &error), &error);
    assert_int_equal(qkv_get_threads(), before);
}

static bool count_down(void *context)
{
    int *left = context;
    return --*left <= 0;
}

/* A problem of many tasks, by the slowest kernel: far more than a hundredth of a second. */
static qkv_status attend_long(const char *kernel, bool gradient, qkv_error *error)
{
    random_source source = {.state = 1};
    qkv_view x = make_tensor4(QKV_F32, 1, 8, 256, 64), y = make_tensor4(QKV_F32, 1, 8, 256, 64);
    qkv_attention_options options = qkv_attention_default();
    fill_random(&x, 1.0, &source);
    options.kernel = kernel;
    options.threads = 2;
    qkv_status status =
        gradient ? qkv_attention_gradient(&x, &x, &x, &x, &y, NULL, NULL, &options, error)
                 : qkv_attention(&x, &x, &x, &y, &options, error);
    free(x.data), free(y.data);
    return status;
}

static void test_interrupt(void **state)
{
    (void)state;
    qkv_error error;
    for (int gradient = 0; gradient < 2; gradient++) {
        int left = 1;
        qkv_set_interrupt(count_down, &left);
        check_error(attend_long("reference", gradient == 1, &error), QKV_ERROR_INTERRUPTED, &error,
                    "interrupted");
        assert_int_equal(left, 0); /* asked once, and not again */
        left = 1000000;            /* the next call is not ended by what was said to the last */
        check_ok(attend_long("reference", gradient == 1, &error), &error);
        assert_true(left < 1000000);
        const int asked = left;
        qkv_set_interrupt(NULL, NULL);
        check_ok(attend_long("reference", gradient == 1, &error), &error);
        assert_int_equal(left, asked);
    }
    assert_string_equal(qkv_status_text(QKV_ERROR_INTERRUPTED), "interrupted");
}

static bool never(void *context)
{
    int *questions = context;
    ++*questions;
    return false;
}

/* A kernel of this machine that cuts tasks into segments of keys, or NULL. */
static const char *cutting_kernel(void)
{
    for (size_t i = 0; i < qkv_kernel_count(); i++)
        for (int j = 0; j < 3; j++)
            if (strcmp(qkv_kernel_name(i), (const char *[]){"avx512", "avx2", "neon"}[j]) == 0)
                return qkv_kernel_name(i);
    return NULL;
}

/* One query over many keys is one task of one thread, and yet the caller is asked meanwhile. The
 * keys are one, repeated. */
static void test_long_task(void **state)
{
    (void)state;
    float row[8] = {1, 2, 3, 4, 5, 6, 7, 8}, result[8];
    const size_t keys = (size_t)1 << 24;
    qkv_view query = qkv_view_dense(QKV_F32, row, 2, (size_t[]){1, 8}), key = query;
    qkv_view output = qkv_view_dense(QKV_F32, result, 2, (size_t[]){1, 8});
    qkv_attention_options options = qkv_attention_default();
    qkv_error error;
    int questions = 0;
    key.shape[0] = keys, key.stride[0] = 0;
    options.threads = 1;
    options.kernel = cutting_kernel();
    if (options.kernel == NULL) skip();
    qkv_set_interrupt(never, &questions);
    qkv_status status = qkv_attention(&query, &key, &key, &output, &options, &error);
    qkv_set_interrupt(NULL, NULL);
    check_ok(status, &error);
    for (int i = 0; i < 8; i++) assert_true(fabsf(result[i] - row[i]) < 1e-4F);
    assert_true(questions > 1);
}

static void count(size_t task, size_t worker, void *context)
{
    (void)task, (void)worker;
    atomic_size_t *done = context;
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    atomic_fetch_add(done, 1);
}

/* Loops of other calls leave nothing out, whatever the caller would say. */
static void test_others(void **state)
{
    (void)state;
    int left = 0;
    atomic_size_t done = 0;
    qkv_set_interrupt(count_down, &left);
    qkv__parallel(3, 300, count, &done); /* a tenth of a second */
    qkv_set_interrupt(NULL, NULL);
    assert_int_equal(atomic_load(&done), 300);
    assert_int_equal(left, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_quotas),
        cmocka_unit_test_setup_teardown(test_groups, folder_enter, folder_leave),
        cmocka_unit_test(test_chosen),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_long_task),
    };
    return cmocka_run_group_tests_name("thread_count", tests, NULL, NULL);
}
