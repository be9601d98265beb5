/*
 * Writing tensors: what was written is read back unchanged, and a target is at every moment the
 * old file or the whole new one. Each test has a folder of its own, in which nothing temporary may
 * remain.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include <qkv/file.h>
#include <qkv/threads.h>

#include "base/number.h"
#include "base/view.h"
#include "unit/io/folder.h"

static const double six[6] = {0, 1, 2, 3, 4, 5};

static qkv_view six_view(void)
{
    return qkv_view_dense(QKV_F64, (void *)(uintptr_t)six, 2, (size_t[]){2, 3});
}

static qkv_status write_one(const char *path, const char *name, qkv_view view, qkv_error *error)
{
    qkv_tensor_output output = {.path = path, .name = name, .view = view};
    return qkv_tensor_write(&output, 1, error);
}

static void assert_written(const char *path, const char *name, qkv_view view)
{
    qkv_error error = {.message = ""};
    if (write_one(path, name, view, &error) != QKV_OK) fail_msg("%s", error.message);
}

static void assert_failure(qkv_status status, qkv_status expected, const qkv_error *error,
                           const char *text)
{
    assert_int_equal(status, expected);
    assert_int_equal(error->status, expected);
    if (strstr(error->message, text) == NULL)
        fail_msg("the message \"%s\" lacks \"%s\"", error->message, text);
}

/* Whether this library reads .safetensors files; it writes them in any case. */
static bool reads_safetensors(void)
{
    qkv_tensor *tensor = NULL;
    return qkv_tensor_parse("", 0, NULL, &tensor, NULL) != QKV_ERROR_UNSUPPORTED;
}

/* What is in the file has the view's type, shape and elements, bit for bit. */
static void assert_holds(const char *path, const char *name, const qkv_view *view)
{
    qkv_tensor *tensor = NULL;
    qkv_error error = {.message = ""};
    if (qkv_tensor_read(path, name, &tensor, &error) != QKV_OK) fail_msg("%s", error.message);
    const qkv_view *read = qkv_tensor_view(tensor);
    const size_t size = qkv_type_size(view->type);
    assert_int_equal(read->type, view->type);
    assert_int_equal(read->rank, view->rank);
    assert_memory_equal(read->shape, view->shape, (size_t)view->rank * sizeof view->shape[0]);
    size_t index[QKV_MAX_RANK] = {0};
    if (qkv_view_count(view) > 0) do {
            const char *here = read->data, *there = view->data;
            assert_memory_equal(here + qkv__view_offset(read, index) * (ptrdiff_t)size,
                                there + qkv__view_offset(view, index) * (ptrdiff_t)size, size);
        } while (qkv__index_next(view->rank, view->shape, index));
    qkv_tensor_free(&tensor);
}

static void assert_round_trip(const qkv_view *view)
{
    if (view->type != QKV_BF16 && view->type != QKV_E4M3) {
        assert_written("x.npy", NULL, *view);
        assert_holds("x.npy", NULL, view);
    }
    assert_written("x.safetensors", "x", *view);
    if (reads_safetensors()) assert_holds("x.safetensors", "x", view);
}

/* Bytes of no pattern, so that signs, subnormals and NaNs occur; the same in every run. */
static void fill(unsigned char *bytes, size_t count, qkv_type type)
{
    uint32_t state = 12345;
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        bytes[i] = (unsigned char)(type == QKV_BOOL ? state >> 31 : state >> 24);
    }
}

/* ---- Round trips -------------------------------------------------------------------------- */

static void every_type_and_rank_comes_back(void **state)
{
    (void)state;
    _Alignas(8) unsigned char data[8 * 2 * 3 * 4 * 5];
    const qkv_type types[] = {QKV_F64, QKV_F32, QKV_F16, QKV_BF16, QKV_BOOL, QKV_I8, QKV_E4M3};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        for (int rank = 1; rank <= 4; rank++) {
            fill(data, sizeof data, types[i]);
            qkv_view view = qkv_view_dense(types[i], data, rank, (size_t[]){2, 3, 4, 5});
            assert_round_trip(&view);
        }
}

/* Transposed, reversed, sliced, repeated: the file holds what the view shows, in C order. */
static void every_stride_comes_back(void **state)
{
    (void)state;
    _Alignas(8) unsigned char data[8 * 60];
    const qkv_type types[] = {QKV_F64, QKV_F16, QKV_BOOL};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        fill(data, sizeof data, types[i]);
        void *last = data + 59 * qkv_type_size(types[i]);
        qkv_view dense = qkv_view_dense(types[i], data, 3, (size_t[]){3, 4, 5});
        const qkv_view views[] = {
            qkv_view_exchange(dense, 0, 1), /* rows stay whole */
            qkv_view_exchange(dense, 0, 2), /* no row does */
            {last, types[i], 3, {3, 4, 5}, {-20, -5, -1}},
            {data, types[i], 2, {6, 5}, {10, 2}},
            {data, types[i], 2, {4, 6}, {0, 1}},
            {data, types[i], 2, {6, 4}, {1, 0}},
            {data, types[i], 1, {30}, {2}},
        };
        for (size_t j = 0; j < sizeof views / sizeof views[0]; j++) assert_round_trip(&views[j]);
    }
}

static void empty_tensors_come_back(void **state)
{
    (void)state;
    const size_t shapes[][4] = {{0}, {3, 0}, {0, 3}, {2, 0, 3}, {5, 4, 3, 0}};
    const int ranks[] = {1, 2, 2, 3, 4};
    for (size_t i = 0; i < 5; i++) {
        qkv_view view = qkv_view_dense(QKV_F32, NULL, ranks[i], shapes[i]);
        assert_round_trip(&view);
    }
}

/* More than any buffer on the way. */
static void large_tensors_come_back(void **state)
{
    (void)state;
    enum { COUNT = 300000 };
    double *data = malloc(COUNT * sizeof *data);
    assert_non_null(data);
    fill((unsigned char *)data, COUNT * sizeof *data, QKV_F64);
    qkv_view view = qkv_view_dense(QKV_F64, data, 2, (size_t[]){COUNT / 3, 3});
    assert_round_trip(&view);
    view = qkv_view_exchange(view, 0, 1);
    assert_round_trip(&view);
    free(data);
}

/* The header of numpy.save, whose elements begin at a multiple of 64 bytes. */
static void npy_files_look_like_those_of_numpy(void **state)
{
    (void)state;
    unsigned char bytes[256], expected[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 118, 0};
    char header[119];
    assert_written("x.npy", NULL, six_view());
    assert_int_equal(file_get("x.npy", bytes, sizeof bytes), 128 + sizeof six);
    assert_memory_equal(bytes, expected, sizeof expected);
    snprintf(header, sizeof header, "%-117s\n",
             "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }");
    assert_memory_equal(bytes + 10, header, 118);
    assert_written("x.npy", NULL,
                   qkv_view_dense(QKV_F32, (void *)(uintptr_t)six, 1, (size_t[]){3}));
    file_get("x.npy", bytes, sizeof bytes);
    snprintf(header, sizeof header, "%-117s\n",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }");
    assert_memory_equal(bytes + 10, header, 118);
}

/* The data begin at a multiple of 8 bytes; the tensors follow each other without a gap. */
static void safetensors_files_follow_the_format(void **state)
{
    (void)state;
    static const char header[] =
        "{\"a\":{\"dtype\":\"F64\",\"shape\":[2,3],\"data_offsets\":[0,48]},"
        "\"b \\\"\\u00";
    static const char tail[] = "\":{\"dtype\":\"BOOL\",\"shape\":[1],\"data_offsets\":[48,49]}}";
    unsigned char bytes[512], truth = 1;
    const qkv_tensor_output outputs[2] = {
        {"x.safetensors", "a", six_view()},
        {"x.safetensors", "b \"\n", qkv_view_dense(QKV_BOOL, &truth, 1, (size_t[]){1})},
    };
    assert_int_equal(qkv_tensor_write(outputs, 2, NULL), QKV_OK);
    size_t count = file_get("x.safetensors", bytes, sizeof bytes);
    size_t length = bytes[0] + 256u * bytes[1];
    assert_memory_equal(bytes + 2, "\0\0\0\0\0", 6);
    assert_int_equal(length % 8, 0);
    assert_int_equal(count, 8 + length + 49);
    assert_memory_equal(bytes + 8, header, sizeof header - 1);
    assert_memory_equal(bytes + 8 + sizeof header - 1 + 2, tail, sizeof tail - 1);
    assert_memory_equal(bytes + 8 + length, six, 48);
    assert_int_equal(bytes[count - 1], 1);
}

/* A mask's byte may be anything but 0; in a file true is 1, which is all that NumPy expects. */
static void booleans_are_written_as_zero_and_one(void **state)
{
    (void)state;
    unsigned char masks[4] = {0, 1, 2, 255}, bytes[256];
    assert_written("x.npy", NULL, qkv_view_dense(QKV_BOOL, masks, 1, (size_t[]){4}));
    assert_int_equal(file_get("x.npy", bytes, sizeof bytes), 132);
    assert_memory_equal(bytes + 128, ((unsigned char[]){0, 1, 1, 1}), 4);
}

/* ---- Several outputs ---------------------------------------------------------------------- */

/* Files of both kinds in one call; the names of .npy outputs are ignored, NULL or not. */
static void several_files_are_written_at_once(void **state)
{
    (void)state;
    float other[2] = {7, 8};
    qkv_view six_numbers = six_view(), two = qkv_view_dense(QKV_F32, other, 1, (size_t[]){2});
    const qkv_tensor_output outputs[] = {
        {"a.npy", NULL, six_numbers}, {"s.safetensors", "q", six_numbers},
        {"b.npy", "ignored", two},    {"s.safetensors", "k", two},
        {"t.safetensors", "q", two},
    };
    qkv_error error = {.message = ""};
    assert_int_equal(qkv_tensor_write_check(outputs, 5, &error), QKV_OK);
    assert_int_equal(folder_count(".", ""), 0); /* a check touches nothing */
    if (qkv_tensor_write(outputs, 5, &error) != QKV_OK) fail_msg("%s", error.message);
    assert_int_equal(folder_count(".", ""), 4);
    assert_holds("a.npy", NULL, &six_numbers);
    assert_holds("b.npy", NULL, &two);
    if (!reads_safetensors()) return;
    assert_holds("s.safetensors", "q", &six_numbers);
    assert_holds("s.safetensors", "k", &two);
    assert_holds("t.safetensors", NULL, &two);
}

static void no_outputs_are_no_work(void **state)
{
    (void)state;
    assert_int_equal(qkv_tensor_write(NULL, 0, NULL), QKV_OK);
    assert_int_equal(qkv_tensor_write_check(NULL, 0, NULL), QKV_OK);
}

/* By the same path, by another spelling of it, or through a link. */
static void two_results_on_one_file_are_refused(void **state)
{
    (void)state;
    file_put("old.npy", "old", 3);
    assert_int_equal(symlink("old.npy", "link.npy"), 0);
    assert_int_equal(mkdir("sub", 0777), 0);
    static const struct {
        const char *first, *second, *text;
    } cases[] = {
        {"a.npy", "a.npy", "a.npy: is named for two results"},
        {"-", "-", "-: is named for two results"},
        {"a.npy", "./a.npy", "a.npy and ./a.npy are the same file"},
        {"sub/../a.npy", "a.npy", "sub/../a.npy and a.npy are the same file"},
        {"link.npy", "old.npy", "link.npy and old.npy are the same file"},
        {"s.safetensors", "./s.safetensors", "are the same file"},
        {"s.safetensors", "s.safetensors", "s.safetensors: two tensors are named \"q\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const qkv_tensor_output outputs[2] = {{cases[i].first, "q", six_view()},
                                              {cases[i].second, "q", six_view()}};
        qkv_error error;
        assert_failure(qkv_tensor_write(outputs, 2, &error), QKV_ERROR_ARGUMENT, &error,
                       cases[i].text);
        assert_failure(qkv_tensor_write_check(outputs, 2, &error), QKV_ERROR_ARGUMENT, &error,
                       cases[i].text);
    }
    assert_int_equal(folder_count(".", ""), 3);
}

/* Names are compared within a file only. */
static void one_name_in_two_files_is_written(void **state)
{
    (void)state;
    const qkv_tensor_output outputs[2] = {{"a.safetensors", "q", six_view()},
                                          {"b.safetensors", "q", six_view()}};
    assert_int_equal(qkv_tensor_write(outputs, 2, NULL), QKV_OK);
}

/* ---- What is refused ---------------------------------------------------------------------- */

static void impossible_outputs_are_refused(void **state)
{
    (void)state;
    double number = 1;
    const qkv_view good = six_view(), none = {0};
    const qkv_view half = qkv_view_dense(QKV_BF16, &number, 1, (size_t[]){1});
    const qkv_view huge = {&number, QKV_F64, 2, {UINT32_MAX, UINT32_MAX}, {0, 0}};
    const struct {
        qkv_tensor_output output;
        qkv_status status;
        const char *text;
    } cases[] = {
        {{NULL, "q", good}, QKV_ERROR_ARGUMENT, "the path of output 0 is NULL"},
        {{"", "q", good}, QKV_ERROR_ARGUMENT, "ends in neither .npy nor .safetensors"},
        {{"x", "q", good}, QKV_ERROR_ARGUMENT, "x: ends in neither"},
        {{".npy", "q", good}, QKV_ERROR_ARGUMENT, ".npy: ends in neither"},
        {{"x.NPY", "q", good}, QKV_ERROR_ARGUMENT, "x.NPY: ends in neither"},
        {{"x.npy/", "q", good}, QKV_ERROR_ARGUMENT, "x.npy/: ends in neither"},
        {{"x.npy", "q", none}, QKV_ERROR_SHAPE, "x.npy has rank 0; expected 1 to 4"},
        {{"x.npy", "q", half}, QKV_ERROR_TYPE, "x.npy: an npy file cannot hold bf16"},
        {{"-", "q", half}, QKV_ERROR_TYPE, "-: an npy file cannot hold bf16"},
        {{"x.npy", "q", huge}, QKV_ERROR_SHAPE, "(4294967295, 4294967295) is too large for a file"},
        {{"x.safetensors", NULL, good}, QKV_ERROR_ARGUMENT, "x.safetensors: a tensor needs a name"},
        {{"x.safetensors", "", good}, QKV_ERROR_ARGUMENT, "x.safetensors: a tensor needs a name"},
        {{"x.safetensors", "__metadata__", good}, QKV_ERROR_ARGUMENT, "keeps for itself"},
        {{"x.safetensors", "q\xff", good}, QKV_ERROR_ARGUMENT, "is not UTF-8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        qkv_error error;
        assert_failure(qkv_tensor_write(&cases[i].output, 1, &error), cases[i].status, &error,
                       cases[i].text);
        assert_failure(qkv_tensor_write_check(&cases[i].output, 1, &error), cases[i].status, &error,
                       cases[i].text);
    }
    assert_int_equal(folder_count(".", ""), 0);
}

/* The good output before the impossible one is not written either. */
static void places_that_cannot_be_written_are_refused(void **state)
{
    (void)state;
    char longest[300];
    memset(longest, 'x', 260);
    strcpy(longest + 260, ".npy");
    assert_int_equal(mkdir("folder.npy", 0777), 0);
    file_put("file", "", 0);
    assert_int_equal(symlink("nowhere.npy", "dangling.npy"), 0);
    assert_int_equal(symlink("circle.npy", "circle.npy"), 0);
    const struct {
        const char *path, *text;
    } cases[] = {
        {"folder.npy", "folder.npy: is a directory; expected a file"},
        {"absent/x.npy", "absent/x.npy: cannot write: No such file or directory"},
        {"file/x.npy", "file/x.npy: cannot write: Not a directory"},
        {"dangling.npy", "dangling.npy: is a link to a file that does not exist"},
        {"circle.npy", "circle.npy: cannot write: Too many levels of symbolic links"},
        {longest, ".npy: cannot write: File name too long"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const qkv_tensor_output outputs[2] = {{"good.npy", NULL, six_view()},
                                              {cases[i].path, NULL, six_view()}};
        qkv_error error;
        assert_failure(qkv_tensor_write(outputs, 2, &error), QKV_ERROR_FILE, &error, cases[i].text);
        assert_failure(qkv_tensor_write_check(outputs, 2, &error), QKV_ERROR_FILE, &error,
                       cases[i].text);
    }
    assert_int_equal(folder_count(".", ""), 4);
}

static void write_locked(qkv_error *report)
{
    write_one("locked/x.npy", NULL, six_view(), report);
}

static void write_read_only(qkv_error *report)
{
    write_one("open/x.npy", NULL, six_view(), report);
}

/* A folder without the right to write, and a file without it in a folder that has it. */
static void missing_rights_are_respected(void **state)
{
    (void)state;
    const folder *room = *state;
    assert_int_equal(chmod(room->path, 0755), 0);
    assert_int_equal(mkdir("locked", 0777), 0);
    assert_int_equal(chmod("locked", 0555), 0);
    assert_int_equal(mkdir("open", 0777), 0);
    assert_int_equal(chmod("open", 0777), 0);
    file_put("open/x.npy", "old", 3);
    assert_int_equal(chmod("open/x.npy", 0444), 0);
    qkv_error error = run_apart(write_locked);
    assert_failure(error.status, QKV_ERROR_FILE, &error,
                   "locked/x.npy: cannot write: Permission denied");
    error = run_apart(write_read_only);
    assert_failure(error.status, QKV_ERROR_FILE, &error,
                   "open/x.npy: cannot write: Permission denied");
    char bytes[8];
    assert_int_equal(file_get("open/x.npy", bytes, sizeof bytes), 3);
    assert_int_equal(folder_count("locked", "") + folder_count("open", ""), 1);
}

/* ---- Old files and new ones --------------------------------------------------------------- */

/* A second name of the old file, and a view into it, go on seeing the old content. */
static void targets_are_replaced_and_not_overwritten(void **state)
{
    (void)state;
    float old_numbers[4] = {9, 9, 9, 9};
    qkv_view old = qkv_view_dense(QKV_F32, old_numbers, 1, (size_t[]){4}), new = six_view();
    assert_written("x.npy", NULL, old);
    assert_int_equal(link("x.npy", "second.npy"), 0);
    qkv_tensor *tensor = NULL;
    assert_int_equal(qkv_tensor_read("x.npy", NULL, &tensor, NULL), QKV_OK);
    assert_written("x.npy", NULL, new);
    assert_memory_equal(qkv_tensor_view(tensor)->data, old_numbers, sizeof old_numbers);
    assert_holds("second.npy", NULL, &old);
    assert_holds("x.npy", NULL, &new);
    qkv_tensor_free(&tensor);
}

/* A result may replace the file that it was computed from. */
static void a_file_can_be_written_onto_itself(void **state)
{
    (void)state;
    qkv_view numbers = six_view();
    assert_written("x.npy", NULL, numbers);
    qkv_tensor *tensor = NULL;
    assert_int_equal(qkv_tensor_read("x.npy", NULL, &tensor, NULL), QKV_OK);
    assert_written("x.npy", NULL, *qkv_tensor_view(tensor));
    qkv_tensor_free(&tensor);
    assert_holds("x.npy", NULL, &numbers);
}

static void write_beyond_the_limit(qkv_error *report)
{
    static double many[10000]; /* more than a stream buffers: part of it fails before the end */
    const struct rlimit limit = {4096, 4096}; /* bytes of one file: as if the disk were full */
    const qkv_tensor_output outputs[2] = {
        {"small.npy", NULL, six_view()},
        {"large.npy", NULL, qkv_view_dense(QKV_F64, many, 1, (size_t[]){10000})},
    };
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) == 0) qkv_tensor_write(outputs, 2, report);
}

/* The second file fails half way; the first was complete, but must not appear. */
static void a_full_disk_leaves_the_old_files(void **state)
{
    (void)state;
    const folder *room = *state;
    assert_int_equal(chmod(room->path, 0777), 0);
    file_put("small.npy", "old", 3);
    file_put("large.npy", "old", 3);
    assert_int_equal(chmod("small.npy", 0666) | chmod("large.npy", 0666), 0);
    qkv_error error = run_apart(write_beyond_the_limit);
    assert_failure(error.status, QKV_ERROR_FILE, &error, "large.npy: cannot write: File too large");
    char bytes[8] = "";
    assert_int_equal(file_get("small.npy", bytes, sizeof bytes), 3);
    assert_int_equal(file_get("large.npy", bytes, sizeof bytes), 3);
    assert_memory_equal(bytes, "old", 3);
    assert_int_equal(folder_count(".", ""), 2);
}

static unsigned mode_of(const char *path)
{
    struct stat about;
    assert_int_equal(lstat(path, &about), 0);
    return (unsigned)about.st_mode & 07777u;
}

/* New files follow the umask; a file that is replaced keeps what its owner had allowed. */
static void permissions_follow_the_umask_or_the_old_file(void **state)
{
    (void)state;
    mode_t before = umask(027);
    assert_written("new.npy", NULL, six_view());
    assert_int_equal(mode_of("new.npy"), 0640);
    umask(077);
    assert_written("private.npy", NULL, six_view());
    assert_int_equal(mode_of("private.npy"), 0600);
    umask(0);
    assert_written("private.npy", NULL, six_view());
    assert_int_equal(mode_of("private.npy"), 0600);
    umask(077);
    assert_int_equal(chmod("new.npy", 0664), 0);
    assert_written("new.npy", NULL, six_view());
    assert_int_equal(mode_of("new.npy"), 0664);
    umask(before);
}

/* The file behind the link is replaced, in its own folder; the link stays a link. */
static void links_stay_links(void **state)
{
    (void)state;
    struct stat about;
    qkv_view numbers = six_view();
    assert_int_equal(mkdir("elsewhere", 0777), 0);
    file_put("elsewhere/x.npy", "old", 3);
    assert_int_equal(symlink("elsewhere/x.npy", "first.npy"), 0);
    assert_int_equal(symlink("first.npy", "second.npy"), 0);
    assert_written("second.npy", NULL, numbers);
    assert_int_equal(lstat("second.npy", &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(lstat("elsewhere/x.npy", &about), 0);
    assert_true(S_ISREG(about.st_mode));
    assert_holds("elsewhere/x.npy", NULL, &numbers);
    assert_int_equal(folder_count("elsewhere", ""), 1);
}

/* A device is written to, as the shell would; it is not replaced by a file. */
static void devices_are_written_to(void **state)
{
    (void)state;
    struct stat about;
    qkv_error error;
    assert_int_equal(symlink("/dev/null", "null.npy"), 0);
    assert_int_equal(symlink("/dev/full", "full.npy"), 0);
    assert_written("null.npy", NULL, six_view());
    assert_int_equal(stat("/dev/null", &about), 0);
    assert_true(S_ISCHR(about.st_mode));
    assert_int_equal(lstat("null.npy", &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_failure(write_one("full.npy", NULL, six_view(), &error), QKV_ERROR_FILE, &error,
                   "full.npy: cannot write: No space left on device");
}

/* A device may take several results; and the first that fails is the one that is told. */
static void several_devices_are_written_to(void **state)
{
    (void)state;
    static double many[64][64];
    qkv_view wide = qkv_view_dense(QKV_F64, many, 2, (size_t[]){64, 64});
    qkv_error error = {.message = ""};
    assert_int_equal(symlink("/dev/null", "a.npy"), 0);
    assert_int_equal(symlink("/dev/null", "b.npy"), 0);
    assert_int_equal(symlink("/dev/full", "full.npy"), 0);
    qkv_tensor_output outputs[] = {{.path = "a.npy", .view = wide},
                                   {.path = "b.npy", .view = wide}};
    assert_int_equal(qkv_tensor_write(outputs, 2, &error), QKV_OK);
    outputs[0].path = "full.npy";
    assert_failure(qkv_tensor_write(outputs, 2, &error), QKV_ERROR_FILE, &error,
                   "full.npy: cannot write: No space left on device");
    outputs[0].path = "neither";
    assert_failure(qkv_tensor_write(outputs, 2, &error), QKV_ERROR_ARGUMENT, &error,
                   "neither: ends in neither .npy nor .safetensors");
}

static void pipes_are_written_to(void **state)
{
    (void)state;
    unsigned char bytes[512];
    assert_int_equal(mkfifo("pipe.npy", 0666), 0);
    int reader = open("pipe.npy", O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    assert_written("pipe.npy", NULL, six_view());
    assert_int_equal(read(reader, bytes, sizeof bytes), 128 + sizeof six);
    assert_memory_equal(bytes + 128, six, sizeof six);
    close(reader);
}

/* ---- Standard output ---------------------------------------------------------------------- */

static void write_standard(qkv_error *report)
{
    int descriptor = open("caught.npy", O_WRONLY | O_TRUNC);
    if (descriptor < 0 || dup2(descriptor, STDOUT_FILENO) < 0) return;
    write_one("-", NULL, six_view(), report);
}

static void write_full_standard(qkv_error *report)
{
    int descriptor = open("/dev/full", O_WRONLY);
    if (descriptor < 0 || dup2(descriptor, STDOUT_FILENO) < 0) return;
    const qkv_tensor_output outputs[2] = {{"x.npy", NULL, six_view()}, {"-", NULL, six_view()}};
    qkv_tensor_write(outputs, 2, report);
}

static void standard_output_is_written_as_npy(void **state)
{
    (void)state;
    const folder *room = *state;
    qkv_view numbers = six_view();
    assert_int_equal(chmod(room->path, 0777), 0);
    file_put("caught.npy", "", 0);
    assert_int_equal(chmod("caught.npy", 0666), 0);
    qkv_error error = run_apart(write_standard);
    assert_string_equal(error.message, "");
    assert_holds("caught.npy", NULL, &numbers);
    error = run_apart(write_full_standard);
    assert_failure(error.status, QKV_ERROR_FILE, &error,
                   "standard output: cannot write: No space left on device");
    assert_int_equal(folder_count(".", ""), 1); /* and the file beside it was not written */
}

/* ---- Temporary files ---------------------------------------------------------------------- */

/* What a process of the same number left when it was killed is neither used nor removed. */
static void strange_temporary_files_are_left_alone(void **state)
{
    (void)state;
    char name[64], bytes[8];
    snprintf(name, sizeof name, "qkv-%ld-0.part", (long)getpid());
    file_put(name, "strange", 7);
    assert_written("x.npy", NULL, six_view());
    assert_int_equal(file_get(name, bytes, sizeof bytes), 7);
    assert_memory_equal(bytes, "strange", 7);
    unlink(name);
    assert_int_equal(folder_count(".", ""), 1);
}

static bool always(void *context)
{
    (void)context;
    return true;
}

/* A caller that is interrupted finds all files as they were. The view repeats one element: it is
 * long, and takes no memory. */
static void interrupted_writes_change_nothing(void **state)
{
    (void)state;
    double one = 1;
    qkv_error error;
    qkv_view numbers = six_view(), endless = {.data = &one, .type = QKV_F64, .rank = 2};
    endless.shape[0] = 1000000000, endless.shape[1] = 100;
    assert_written("x.npy", NULL, numbers);
    const qkv_tensor_output outputs[3] = {
        {"y.npy", NULL, numbers}, {"x.npy", NULL, endless}, {"z.npy", NULL, numbers}};
    for (size_t first = 0; first < 2; first++) { /* the endless one last, and before another */
        qkv_set_interrupt(always, NULL);
        qkv_status status = qkv_tensor_write(outputs + first, 2, &error);
        qkv_set_interrupt(NULL, NULL);
        assert_failure(status, QKV_ERROR_INTERRUPTED, &error, "the call was interrupted");
        assert_holds("x.npy", NULL, &numbers);
        assert_int_equal(folder_count(".", ""), 1);
    }
}

/* A name as long as names can be leaves no room for anything behind it. */
static void the_longest_names_are_written(void **state)
{
    (void)state;
    char name[256];
    memset(name, 'x', 251);
    strcpy(name + 251, ".npy");
    assert_written(name, NULL, six_view());
    assert_written(name, NULL, six_view());
    assert_int_equal(folder_count(".", ""), 1);
}

static void *write_again_and_again(void *argument)
{
    qkv_error *error = argument;
    for (int i = 0; i < 20 && error->status == QKV_OK; i++)
        write_one("x.npy", NULL, six_view(), error);
    return NULL;
}

/* Every reader sees a whole file, whoever wrote it last. */
static void threads_can_write_one_target(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    qkv_error errors[THREADS] = {{.status = QKV_OK}};
    qkv_view numbers = six_view();
    assert_written("x.npy", NULL, numbers);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, write_again_and_again, &errors[i]), 0);
    for (int i = 0; i < 100; i++) assert_holds("x.npy", NULL, &numbers);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++) assert_string_equal(errors[i].message, "");
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_enter, folder_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(every_type_and_rank_comes_back),
        IN_FOLDER(every_stride_comes_back),
        IN_FOLDER(empty_tensors_come_back),
        IN_FOLDER(large_tensors_come_back),
        IN_FOLDER(npy_files_look_like_those_of_numpy),
        IN_FOLDER(safetensors_files_follow_the_format),
        IN_FOLDER(booleans_are_written_as_zero_and_one),
        IN_FOLDER(several_files_are_written_at_once),
        IN_FOLDER(no_outputs_are_no_work),
        IN_FOLDER(two_results_on_one_file_are_refused),
        IN_FOLDER(one_name_in_two_files_is_written),
        IN_FOLDER(impossible_outputs_are_refused),
        IN_FOLDER(places_that_cannot_be_written_are_refused),
        IN_FOLDER(missing_rights_are_respected),
        IN_FOLDER(targets_are_replaced_and_not_overwritten),
        IN_FOLDER(a_file_can_be_written_onto_itself),
        IN_FOLDER(a_full_disk_leaves_the_old_files),
        IN_FOLDER(permissions_follow_the_umask_or_the_old_file),
        IN_FOLDER(links_stay_links),
        IN_FOLDER(devices_are_written_to),
        IN_FOLDER(several_devices_are_written_to),
        IN_FOLDER(pipes_are_written_to),
        IN_FOLDER(standard_output_is_written_as_npy),
        IN_FOLDER(strange_temporary_files_are_left_alone),
        IN_FOLDER(interrupted_writes_change_nothing),
        IN_FOLDER(the_longest_names_are_written),
        IN_FOLDER(threads_can_write_one_target),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
