/*
 * Tensors that are created, and read by path: mapped, copied, from pipes and from standard input.
 * Then the sweep: of every public function of qkv/file.h each allocation is made to fail in turn,
 * and each time nothing may be held in memory, left on disk or handed out.
 */
#define _GNU_SOURCE /* O_TMPFILE */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <qkv/file.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/view.h"
#include "io/file.h"
#include "io/format.h"
#include "unit/io/folder.h"

static const double six[6] = {0, 1, 2, 3, 4, 5};

static qkv_view six_view(void)
{
    return qkv_view_dense(QKV_F64, (void *)(uintptr_t)six, 2, (size_t[]){2, 3});
}

static void assert_failure(qkv_status status, qkv_status expected, const qkv_error *error,
                           const char *text)
{
    assert_int_equal(status, expected);
    assert_int_equal(error->status, expected);
    if (strstr(error->message, text) == NULL)
        fail_msg("the message \"%s\" lacks \"%s\"", error->message, text);
}

static void assert_read_refused(const char *path, qkv_status expected, const char *text)
{
    qkv_tensor *tensor = (qkv_tensor *)&tensor, *before = tensor;
    qkv_error error = {.message = ""};
    assert_failure(qkv_tensor_read(path, NULL, &tensor, &error), expected, &error, text);
    assert_ptr_equal(tensor, before);
}

/* An .npy file of version 1 without padding: its elements begin wherever the header ends. */
static void put_npy(const char *path, const char *header, const void *elements, size_t size)
{
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    fprintf(stream, "\x93NUMPY%c%c%c%c%s", 1, 0, (int)strlen(header), 0, header);
    fwrite(elements, 1, size, stream);
    assert_int_equal(fclose(stream), 0);
}

static void put_six(const char *path)
{
    put_npy(path, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n", six, sizeof six);
}

static bool reads_safetensors(void)
{
    qkv_tensor *tensor = NULL;
    return qkv_tensor_parse("", 0, NULL, &tensor, NULL) != QKV_ERROR_UNSUPPORTED;
}

/* ---- Creating ----------------------------------------------------------------------------- */

static void new_tensors_are_zero(void **state)
{
    (void)state;
    const qkv_type types[] = {QKV_F64, QKV_F32, QKV_F16, QKV_BF16, QKV_BOOL};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        for (int rank = 1; rank <= 4; rank++) {
            qkv_tensor *tensor = NULL;
            const size_t shape[4] = {3, 2, 5, 1};
            assert_int_equal(qkv_tensor_create(types[i], rank, shape, &tensor, NULL), QKV_OK);
            const qkv_view *view = qkv_tensor_view(tensor);
            assert_int_equal(view->rank, rank);
            assert_int_equal(view->type, types[i]);
            assert_int_equal((uintptr_t)view->data % 64, 0); /* the widest vector */
            assert_int_equal(qkv__view_check(view, "tensor", NULL), QKV_OK);
            for (size_t j = 0; j < qkv_view_count(view) * qkv_type_size(types[i]); j++)
                assert_int_equal(((unsigned char *)view->data)[j], 0);
            qkv_tensor_free(&tensor);
            assert_null(tensor);
        }
}

static void empty_tensors_are_created(void **state)
{
    (void)state;
    qkv_tensor *tensor = NULL;
    assert_int_equal(qkv_tensor_create(QKV_F32, 2, (size_t[]){SIZE_MAX, 0}, &tensor, NULL), QKV_OK);
    assert_int_equal(qkv_view_count(qkv_tensor_view(tensor)), 0);
    qkv_tensor_free(&tensor);
}

static void impossible_tensors_are_not_created(void **state)
{
    (void)state;
    qkv_tensor *tensor = NULL;
    qkv_error error;
    const size_t shape[5] = {1, 1, 1, 1, 1}, wraps[2] = {SIZE_MAX / 2 + 1, 2};
    assert_failure(qkv_tensor_create(QKV_F64, 0, shape, &tensor, &error), QKV_ERROR_SHAPE, &error,
                   "new tensor has rank 0; expected 1 to 4");
    assert_failure(qkv_tensor_create(QKV_F64, 5, shape, &tensor, &error), QKV_ERROR_SHAPE, &error,
                   "new tensor has rank 5; expected 1 to 4");
    assert_failure(qkv_tensor_create(QKV_NONE, 1, shape, &tensor, &error), QKV_ERROR_TYPE, &error,
                   "new tensor has no element type (0)");
    assert_failure(qkv_tensor_create(QKV_F64, 2, wraps, &tensor, &error), QKV_ERROR_SHAPE, &error,
                   "is too large to address");
    assert_failure(
        qkv_tensor_create(QKV_BOOL, 1, (size_t[]){(size_t)PTRDIFF_MAX + 1}, &tensor, &error),
        QKV_ERROR_SHAPE, &error, "is too large to address");
    assert_null(tensor);
}

/* More than any machine has, and yet a size that can be counted. */
static void tensors_larger_than_memory_are_refused(void **state)
{
    (void)state;
#if QKV_SANITIZED
    return; /* which ends the program when an allocation is too large */
#else
    qkv_tensor *tensor = NULL;
    qkv_error error;
    assert_failure(qkv_tensor_create(QKV_BOOL, 1, (size_t[]){PTRDIFF_MAX - 64}, &tensor, &error),
                   QKV_ERROR_MEMORY, &error, "bytes were asked for");
    assert_null(tensor);
#endif
}

static void nothing_can_be_freed(void **state)
{
    (void)state;
    qkv_tensor *none = NULL;
    qkv_tensor_free(&none);
    qkv_tensor_free(NULL);
}

/* ---- Reading ------------------------------------------------------------------------------ */

/* The elements begin at byte 128 in one file and at byte 71 in the other, which is copied. */
static void aligned_and_unaligned_files_are_read(void **state)
{
    (void)state;
    char header[119];
    snprintf(header, sizeof header, "%-117s\n",
             "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }");
    put_npy("aligned.npy", header, six, sizeof six);
    put_npy("unaligned.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), } ", six,
            sizeof six);
    static const char *const paths[] = {"aligned.npy", "unaligned.npy"};
    for (size_t i = 0; i < 2; i++) {
        qkv_tensor *tensor = NULL;
        assert_int_equal(qkv_tensor_read(paths[i], NULL, &tensor, NULL), QKV_OK);
        const qkv_view *view = qkv_tensor_view(tensor);
        assert_int_equal(qkv__view_check(view, "tensor", NULL), QKV_OK);
        unlink(paths[i]); /* the tensor has what it needs */
        assert_memory_equal(view->data, six, sizeof six);
        qkv_tensor_free(&tensor);
    }
}

/* Elements that begin at byte 128, highest byte first: they cannot be used where they lie. */
static void swapped_files_are_turned(void **state)
{
    (void)state;
    char header[119];
    unsigned char turned[sizeof six];
    qkv_tensor *tensor = NULL;
    for (size_t i = 0; i < sizeof six; i++)
        turned[i] = ((const unsigned char *)six)[i / 8 * 8 + 7 - i % 8];
    snprintf(header, sizeof header, "%-117s\n",
             qkv__little_endian() ? "{'descr': '>f8', 'fortran_order': False, 'shape': (2, 3), }"
                                  : "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }");
    put_npy("turned.npy", header, turned, sizeof turned);
    assert_int_equal(qkv_tensor_read("turned.npy", NULL, &tensor, NULL), QKV_OK);
    assert_memory_equal(qkv_tensor_view(tensor)->data, six, sizeof six);
    qkv_tensor_free(&tensor);
}

static void files_that_cannot_be_opened_are_refused(void **state)
{
    (void)state;
    assert_int_equal(mkdir("folder", 0777), 0);
    file_put("empty.npy", "", 0);
    file_put("text.npy", "[1, 2, 3]", 9);
    assert_read_refused(NULL, QKV_ERROR_ARGUMENT, "path is NULL");
    assert_read_refused("", QKV_ERROR_FILE, "cannot open: No such file or directory");
    assert_read_refused("absent.npy", QKV_ERROR_FILE,
                        "absent.npy: cannot open: No such file or directory");
    assert_read_refused("folder", QKV_ERROR_FILE, "folder: is a directory");
    if (!reads_safetensors()) return;
    assert_read_refused("empty.npy", QKV_ERROR_FORMAT, "empty.npy: is neither an npy nor");
    assert_read_refused("text.npy", QKV_ERROR_FORMAT, "text.npy: is neither an npy nor");
    assert_read_refused("/dev/null", QKV_ERROR_FORMAT, "/dev/null: is neither an npy nor");
}

static void read_locked(qkv_error *report)
{
    qkv_tensor *tensor = NULL;
    qkv_tensor_read("locked.npy", NULL, &tensor, report);
}

static void missing_rights_are_named(void **state)
{
    const folder *room = *state;
    put_six("locked.npy");
    assert_int_equal(chmod(room->path, 0755) | chmod("locked.npy", 0), 0);
    qkv_error error = run_apart(read_locked);
    assert_failure(error.status, QKV_ERROR_FILE, &error,
                   "locked.npy: cannot open: Permission denied");
}

/* Feeds a descriptor from a process of its own: a pipe holds less than the tensor has. */
static pid_t feed(int descriptor, const char *header, size_t elements)
{
    pid_t child = fork();
    if (child != 0) return child;
    FILE *stream = fdopen(descriptor, "wb");
    if (stream == NULL) _exit(1);
    fprintf(stream, "\x93NUMPY%c%c%c%c%s", 1, 0, (int)strlen(header), 0, header);
    fflush(stream); /* a read may bring less than is to come */
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    for (size_t i = 0; i < elements; i++) fwrite(&(double){(double)i}, sizeof(double), 1, stream);
    _exit(fclose(stream) == 0 ? 0 : 1);
}

/* 400,000 bytes through standard input: the buffer grows several times. */
static void standard_input_is_read_to_its_end(void **state)
{
    (void)state;
    enum { COUNT = 50000 };
    int ends[2], before = dup(STDIN_FILENO), outcome = -1;
    fflush(NULL);
    assert_int_equal(pipe(ends), 0);
    pid_t child =
        feed(ends[1], "{'descr': '<f8', 'fortran_order': False, 'shape': (50000,)}", COUNT);
    close(ends[1]);
    assert_true(dup2(ends[0], STDIN_FILENO) >= 0);
    close(ends[0]);
    qkv_tensor *tensor = NULL;
    assert_int_equal(qkv_tensor_read("-", NULL, &tensor, NULL), QKV_OK);
    assert_read_refused("-", reads_safetensors() ? QKV_ERROR_FORMAT : QKV_ERROR_UNSUPPORTED,
                        "standard input: is "); /* it is at its end */
    if (before >= 0) dup2(before, STDIN_FILENO);
    close(before);
    assert_true(waitpid(child, &outcome, 0) == child && outcome == 0);
    const double *numbers = qkv_tensor_view(tensor)->data;
    for (size_t i = 0; i < COUNT; i++) assert_true(numbers[i] == (double)i);
    qkv_tensor_free(&tensor);
}

static void pipes_are_read_by_path(void **state)
{
    (void)state;
    int outcome = -1;
    assert_int_equal(mkfifo("pipe.npy", 0666), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) { /* opening waits for the reader */
        put_six("pipe.npy");
        _exit(0);
    }
    qkv_tensor *tensor = NULL;
    assert_int_equal(qkv_tensor_read("pipe.npy", NULL, &tensor, NULL), QKV_OK);
    assert_true(waitpid(child, &outcome, 0) == child && outcome == 0);
    assert_memory_equal(qkv_tensor_view(tensor)->data, six, sizeof six);
    qkv_tensor_free(&tensor);
}

/* ---- When memory ends --------------------------------------------------------------------- */

/* A call of each kind; it frees what it is given. Files have the names that the sweep puts. */
static qkv_status read_path(const char *path, qkv_error *error)
{
    qkv_tensor *tensor = NULL;
    qkv_status status = qkv_tensor_read(path, NULL, &tensor, error);
    assert_true((status == QKV_OK) == (tensor != NULL));
    qkv_tensor_free(&tensor);
    return status;
}

static qkv_status read_npy(qkv_error *error)
{
    return read_path("x.npy", error);
}

static qkv_status read_swapped(qkv_error *error)
{
    return read_path("swapped.npy", error);
}

static qkv_status read_safetensors(qkv_error *error)
{
    return reads_safetensors() ? read_path("x.safetensors", error) : QKV_OK;
}

/* Standard input is a file of 200,000 bytes here, so that it can be read again and again. */
static qkv_status read_standard(qkv_error *error)
{
    lseek(STDIN_FILENO, 0, SEEK_SET);
    return read_path("-", error);
}

static qkv_status create(qkv_error *error)
{
    qkv_tensor *tensor = NULL;
    qkv_status status = qkv_tensor_create(QKV_F32, 2, (size_t[]){2, 3}, &tensor, error);
    assert_true((status == QKV_OK) == (tensor != NULL));
    qkv_tensor_free(&tensor);
    return status;
}

static qkv_status parse(qkv_error *error)
{
    static const char bytes[] =
        "\x93NUMPY\x01\x00\x37\x00{'descr': '|b1', 'fortran_order': False, 'shape': (4,)}\0\1\0\1";
    qkv_tensor *tensor = NULL;
    qkv_status status = qkv_tensor_parse(bytes, sizeof bytes - 1, NULL, &tensor, error);
    assert_true((status == QKV_OK) == (tensor != NULL));
    qkv_tensor_free(&tensor);
    return status;
}

static qkv_status from_text(qkv_error *error)
{
    qkv_tensor *tensor = NULL;
    qkv_status status = qkv_tensor_from_text("[[1, 2], [3, 4]]", &tensor, error);
    assert_true((status == QKV_OK) == (tensor != NULL));
    qkv_tensor_free(&tensor);
    return status;
}

static size_t fill_outputs(qkv_tensor_output *outputs)
{
    outputs[0] = (qkv_tensor_output){"old.npy", NULL, six_view()};
    outputs[1] =
        (qkv_tensor_output){"new.safetensors", "a rather long name for a tensor", six_view()};
    outputs[2] = (qkv_tensor_output){"new.npy", NULL, six_view()};
    outputs[3] =
        (qkv_tensor_output){"new.safetensors", "another one, not much shorter", six_view()};
    return 4;
}

/* Until it succeeds, the old file is the old one and no new one is there. */
static qkv_status write_several(qkv_error *error)
{
    qkv_tensor_output outputs[4];
    size_t count = fill_outputs(outputs), before = folder_count(".", "");
    qkv_status status = qkv_tensor_write(outputs, count, error);
    char bytes[8];
    if (status == QKV_OK) return status;
    assert_int_equal(folder_count(".", ""), before);
    assert_int_equal(file_get("old.npy", bytes, sizeof bytes), 3);
    assert_memory_equal(bytes, "old", 3);
    return status;
}

static qkv_status check_several(qkv_error *error)
{
    qkv_tensor_output outputs[4];
    return qkv_tensor_write_check(outputs, fill_outputs(outputs), error);
}

/* Each allocation fails in turn; returns how many there were. */
static int sweep(qkv_status (*call)(qkv_error *))
{
    const long live = qkv__memory_live();
    for (int allowed = 0; allowed < 1000; allowed++) {
        qkv_error error = {.status = QKV_OK, .message = ""};
        qkv__memory_fail_after(allowed);
        qkv_status status = call(&error);
        qkv__memory_fail_after(-1);
        assert_int_equal(qkv__memory_live(), live);
        if (status == QKV_OK) return allowed;
        assert_failure(status, QKV_ERROR_MEMORY, &error, "out of memory: ");
        assert_null(strstr(error.message, ": 0 bytes")); /* which nobody would have asked for */
    }
    fail_msg("the call failed 1000 times");
    return -1;
}

static void put_sweep_files(void)
{
    static double many[25000];
    qkv_view large = qkv_view_dense(QKV_F64, many, 1, (size_t[]){25000});
    const qkv_tensor_output outputs[2] = {{"x.safetensors", "x", six_view()},
                                          {"large.npy", NULL, large}};
    put_six("x.npy");
    put_npy("swapped.npy", "{'descr': '>f8', 'fortran_order': False, 'shape': (2, 3), }\n", six,
            sizeof six);
    file_put("old.npy", "old", 3);
    assert_int_equal(qkv_tensor_write(outputs, 2, NULL), QKV_OK);
}

static void endings_tell_files_of_tensors(void **state)
{
    (void)state;
    bool named = true;
    assert_true(qkv_is_tensor_file("a.b/x.npy", &named) && !named);
    assert_true(qkv_is_tensor_file("x.safetensors", &named) && named);
    assert_true(qkv_is_tensor_file("x.npy", NULL));
    assert_false(qkv_is_tensor_file(".npy", &named) || named);
    assert_false(qkv_is_tensor_file("x.npy.txt", NULL) || qkv_is_tensor_file("npy", NULL) ||
                 qkv_is_tensor_file("", NULL));
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    put_sweep_files();
    int before = dup(STDIN_FILENO), input = open("large.npy", O_RDONLY);
    assert_true(input >= 0 && dup2(input, STDIN_FILENO) >= 0);
    close(input);
    /* The least number of allocations that each can do with, lest the sweep be an empty one. */
    assert_true(sweep(create) >= 2);
    assert_true(sweep(parse) >= 2);
    assert_true(sweep(from_text) >= 2);
    assert_true(sweep(read_npy) >= 1);
    assert_true(sweep(read_swapped) >= 2);
    assert_true(sweep(read_standard) >= 3);
    assert_true(sweep(read_safetensors) >= (reads_safetensors() ? 1 : 0));
    assert_true(sweep(check_several) >= 4);
    assert_true(sweep(write_several) >= 10);
    if (before >= 0) dup2(before, STDIN_FILENO);
    close(before);
}

/* Names in the working folder. */
static size_t count_names(void)
{
    size_t count = 0;
    DIR *here = opendir(".");
    assert_non_null(here);
    for (const struct dirent *entry; (entry = readdir(here)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(here);
    return count;
}

/* A process that is killed while it writes leaves nothing beside the target, and the target as it
 * was. */
static void a_killed_writer_leaves_nothing(void **state)
{
    (void)state;
    const int probe = open(".", O_TMPFILE | O_WRONLY, 0600);
    if (probe < 0) skip(); /* a file system without files that have no name */
    close(probe);
    qkv_error error;
    qkv__draft draft;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (qkv__draft_begin("target", &draft, &error) != QKV_OK) _exit(1);
        fputs("half of it", draft.stream);
        fflush(draft.stream);
        raise(SIGKILL);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(count_names(), 0);
    assert_int_equal(qkv__draft_begin("target", &draft, &error), QKV_OK);
    fputs("all of it", draft.stream);
    assert_int_equal(count_names(), 0);
    assert_int_equal(qkv__draft_finish(&draft, &error), QKV_OK);
    assert_int_equal(qkv__draft_commit(&draft, &error), QKV_OK);
    qkv__draft_end(&draft);
    assert_int_equal(count_names(), 1);
    assert_int_equal(access("target", R_OK), 0);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_enter, folder_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(new_tensors_are_zero),
        IN_FOLDER(empty_tensors_are_created),
        IN_FOLDER(impossible_tensors_are_not_created),
        IN_FOLDER(tensors_larger_than_memory_are_refused),
        IN_FOLDER(nothing_can_be_freed),
        IN_FOLDER(aligned_and_unaligned_files_are_read),
        IN_FOLDER(swapped_files_are_turned),
        IN_FOLDER(files_that_cannot_be_opened_are_refused),
        IN_FOLDER(missing_rights_are_named),
        IN_FOLDER(standard_input_is_read_to_its_end),
        IN_FOLDER(pipes_are_read_by_path),
        IN_FOLDER(endings_tell_files_of_tensors),
        IN_FOLDER(every_failed_allocation_is_survived),
        IN_FOLDER(a_killed_writer_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
