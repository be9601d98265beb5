/*
 * Calls of the system that fail, in the process itself: the linker puts a call of this file in the
 * place of each
 * (--wrap), which fails when it is told to. Whatever fails, a file is the old one or the whole new
 * one, the message has the system's reason, and nothing is held in memory or left on disk.
 * tests/faults does the same to the whole command, by a filter of the system.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <qkv/file.h>

#include "io/file.h"
#include "support/check.h"
#include "unit/io/folder.h"

/* ---- The calls --------------------------------------------------------------------------------
 */

typedef enum call {
    ACCESS,
    CLOSE_STREAM,
    FLUSH,
    LINK,
    LOCALE,
    MAP,
    OPEN,
    OPEN_STREAM,
    READ,
    REAL_PATH,
    RENAME,
    STAT,
    SYNC,
    DUPLICATE,
    CALLS,
    ANY = CALLS
} call;

/* After `countdown` more calls of a kind, the next `failures` of it fail for that reason; countdown
 * is -1 when there is nothing to do. */
static struct fault {
    call kind;
    int countdown, failures, reason;
} fault = {.countdown = -1};

static bool fails(call kind)
{
    if (fault.countdown < 0 || (fault.kind != ANY && fault.kind != kind)) return false;
    if (fault.countdown > 0) return fault.countdown--, false;
    if (fault.failures == 0) return false;
    fault.failures--;
    errno = fault.reason;
    return true;
}

static void arm(call kind, int countdown, int failures, int reason)
{
    fault = (struct fault){kind, countdown, failures, reason};
}

/* Whether anything failed; from now on nothing does. */
static bool disarm(int failures)
{
    const bool failed = fault.failures < failures;
    fault = (struct fault){.countdown = -1};
    return failed;
}

/* Each as the linker calls it; the names that end in 64 are those of glibc where sizes of files
 * have 64 bits. */
int __real_access(const char *path, int mode);
int __real_fclose(FILE *stream);
int __real_fcntl(int descriptor, int command, int argument);
FILE *__real_fdopen(int descriptor, const char *mode);
int __real_fflush(FILE *stream);
int __real_fstat(int descriptor, struct stat *about);
int __real_fsync(int descriptor);
int __real_linkat(int from, const char *old, int to, const char *new, int flags);
void *__real_mmap(void *at, size_t count, int protection, int flags, int descriptor, off_t offset);
locale_t __real_newlocale(int mask, const char *name, locale_t base);
int __real_open(const char *path, int flags, mode_t mode);
ssize_t __real_read(int descriptor, void *bytes, size_t count);
char *__real_realpath(const char *path, char *result);
int __real_rename(const char *old, const char *new);

int __wrap_access(const char *path, int mode);
int __wrap_fclose(FILE *stream);
int __wrap_fcntl(int descriptor, int command, int argument);
int __wrap_fcntl64(int descriptor, int command, int argument);
FILE *__wrap_fdopen(int descriptor, const char *mode);
int __wrap_fflush(FILE *stream);
int __wrap_fstat(int descriptor, struct stat *about);
int __wrap_fstat64(int descriptor, struct stat *about);
int __wrap_fsync(int descriptor);
int __wrap_linkat(int from, const char *old, int to, const char *new, int flags);
void *__wrap_mmap(void *at, size_t count, int protection, int flags, int descriptor, off_t offset);
void *__wrap_mmap64(void *at, size_t count, int protection, int flags, int descriptor,
                    off_t offset);
locale_t __wrap_newlocale(int mask, const char *name, locale_t base);
int __wrap_open(const char *path, int flags, mode_t mode);
int __wrap_open64(const char *path, int flags, mode_t mode);
ssize_t __wrap_read(int descriptor, void *bytes, size_t count);
char *__wrap_realpath(const char *path, char *result);
int __wrap_rename(const char *old, const char *new);

int __wrap_access(const char *path, int mode)
{
    return fails(ACCESS) ? -1 : __real_access(path, mode);
}

/* A stream is closed even if the last of it could not be written. */
int __wrap_fclose(FILE *stream)
{
    const bool failed = fails(CLOSE_STREAM);
    const int reason = errno, outcome = __real_fclose(stream);
    if (!failed) return outcome;
    errno = reason;
    return EOF;
}

int __wrap_fcntl(int descriptor, int command, int argument)
{
    return fails(DUPLICATE) ? -1 : __real_fcntl(descriptor, command, argument);
}

int __wrap_fcntl64(int descriptor, int command, int argument)
{
    return __wrap_fcntl(descriptor, command, argument);
}

FILE *__wrap_fdopen(int descriptor, const char *mode)
{
    return fails(OPEN_STREAM) ? NULL : __real_fdopen(descriptor, mode);
}

int __wrap_fflush(FILE *stream)
{
    return fails(FLUSH) ? EOF : __real_fflush(stream);
}

int __wrap_fstat(int descriptor, struct stat *about)
{
    return fails(STAT) ? -1 : __real_fstat(descriptor, about);
}

int __wrap_fstat64(int descriptor, struct stat *about)
{
    return __wrap_fstat(descriptor, about);
}

int __wrap_fsync(int descriptor)
{
    return fails(SYNC) ? -1 : __real_fsync(descriptor);
}

int __wrap_linkat(int from, const char *old, int to, const char *new, int flags)
{
    return fails(LINK) ? -1 : __real_linkat(from, old, to, new, flags);
}

void *__wrap_mmap(void *at, size_t count, int protection, int flags, int descriptor, off_t offset)
{
    return fails(MAP) ? MAP_FAILED : __real_mmap(at, count, protection, flags, descriptor, offset);
}

void *__wrap_mmap64(void *at, size_t count, int protection, int flags, int descriptor, off_t offset)
{
    return __wrap_mmap(at, count, protection, flags, descriptor, offset);
}

locale_t __wrap_newlocale(int mask, const char *name, locale_t base)
{
    return fails(LOCALE) ? (locale_t)0 : __real_newlocale(mask, name, base);
}

int __wrap_open(const char *path, int flags, mode_t mode)
{
    return fails(OPEN) ? -1 : __real_open(path, flags, mode);
}

int __wrap_open64(const char *path, int flags, mode_t mode)
{
    return __wrap_open(path, flags, mode);
}

ssize_t __wrap_read(int descriptor, void *bytes, size_t count)
{
    return fails(READ) ? -1 : __real_read(descriptor, bytes, count);
}

char *__wrap_realpath(const char *path, char *result)
{
    return fails(REAL_PATH) ? NULL : __real_realpath(path, result);
}

int __wrap_rename(const char *old, const char *new)
{
    return fails(RENAME) ? -1 : __real_rename(old, new);
}

/* ---- What is asked ----------------------------------------------------------------------------
 */

static const double old[2] = {1, 2}, new[3] = {3, 4, 5};

static qkv_view view_of(const double *number, size_t count)
{
    return qkv_view_dense(QKV_F64, (void *)(uintptr_t)number, 1, &count);
}

/* Whether a file holds just these numbers. */
static bool holds(const char *path, const double *number, size_t count)
{
    qkv_tensor *tensor = NULL;
    if (qkv_tensor_read(path, NULL, &tensor, NULL) != QKV_OK) return false;
    const qkv_view *view = qkv_tensor_view(tensor);
    const bool same = view->rank == 1 && view->shape[0] == count &&
                      memcmp(view->data, number, count * sizeof *number) == 0;
    qkv_tensor_free(&tensor);
    return same;
}

static qkv_status read_path(const char *path, qkv_error *error)
{
    qkv_tensor *tensor = NULL;
    const qkv_status status = qkv_tensor_read(path, NULL, &tensor, error);
    assert_true((status == QKV_OK) == (tensor != NULL));
    qkv_tensor_free(&tensor);
    return status;
}

static qkv_status read_file(qkv_error *error)
{
    return read_path("old.npy", error);
}

/* Standard input is a file here: what is not mapped, but read. */
static qkv_status read_standard(qkv_error *error)
{
    lseek(STDIN_FILENO, 0, SEEK_SET);
    return read_path("-", error);
}

/* old.npy is replaced, and new.npy made. After a failure all is as before; to rename two files is
 * no single step, so that the first may be there when the second one cannot be renamed: it is whole
 * then. */
static qkv_status write_files(qkv_error *error)
{
    const qkv_tensor_output outputs[2] = {{"old.npy", NULL, view_of(new, 3)},
                                          {"new.npy", NULL, view_of(new, 3)}};
    unlink("new.npy");
    const qkv_tensor_output before = {"old.npy", NULL, view_of(old, 2)};
    const struct fault asked = fault;
    fault = (struct fault){.countdown = -1};
    assert_int_equal(qkv_tensor_write(&before, 1, NULL), QKV_OK);
    fault = asked;
    const qkv_status status = qkv_tensor_write(outputs, 2, error);
    const struct fault left = fault;
    fault = (struct fault){.countdown = -1};
    assert_int_equal(folder_count(".", ".part"), 0);
    if (status == QKV_OK)
        assert_true(holds("old.npy", new, 3) && holds("new.npy", new, 3));
    else
        assert_true(access("new.npy", F_OK) != 0 &&
                    (holds("old.npy", old, 2) || holds("old.npy", new, 3)));
    fault = left;
    return status;
}

static qkv_status write_device(qkv_error *error)
{
    const qkv_tensor_output output = {"null.npy", NULL, view_of(new, 3)};
    return qkv_tensor_write(&output, 1, error);
}

/* Standard output is a file here. The test's own words go out before. */
static qkv_status write_standard(qkv_error *error)
{
    const qkv_tensor_output outputs[2] = {{"-", NULL, view_of(new, 3)},
                                          {"new.npy", NULL, view_of(new, 3)}};
    const struct fault asked = fault;
    fault = (struct fault){.countdown = -1};
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO);
    const int caught = open("caught.npy", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(kept >= 0 && caught >= 0 && dup2(caught, STDOUT_FILENO) >= 0);
    close(caught);
    fault = asked;
    const qkv_status status = qkv_tensor_write(outputs, 2, error);
    const struct fault left = fault;
    fault = (struct fault){.countdown = -1};
    fflush(stdout);
    clearerr(stdout);
    assert_true(dup2(kept, STDOUT_FILENO) >= 0);
    close(kept);
    if (status == QKV_OK) assert_true(holds("caught.npy", new, 3));
    if (status == QKV_OK) assert_int_equal(unlink("new.npy"), 0);
    fault = left;
    return status;
}

/* ---- Tests ------------------------------------------------------------------------------------
 */

/* The folder of the test, with a file of two numbers, which is standard input, too. */
static int enter(void **state)
{
    if (folder_enter(state) != 0) return -1;
    const qkv_tensor_output output = {"old.npy", NULL, view_of(old, 2)};
    if (qkv_tensor_write(&output, 1, NULL) != QKV_OK) return -1;
    const int input = open("old.npy", O_RDONLY);
    const bool good = input >= 0 && dup2(input, STDIN_FILENO) >= 0;
    return good && close(input) == 0 && symlink("/dev/null", "null.npy") == 0 ? 0 : -1;
}

/* Each call of a kind fails in turn; returns how many of them the operation could not do without.
 */
static int sweep(qkv_status (*operation)(qkv_error *), call kind, int failures)
{
    int refused = 0;
    for (int allowed = 0; allowed < 200; allowed++) {
        qkv_error error = {.status = QKV_OK, .message = ""};
        const long live = qkv__memory_live();
        arm(kind, allowed, failures, EACCES);
        const qkv_status status = operation(&error);
        if (!disarm(failures)) {
            check_ok(status, &error);
            return refused;
        }
        assert_int_equal(qkv__memory_live(), live);
        refused += status != QKV_OK;
        if (status != QKV_OK) check_error(status, QKV_ERROR_FILE, &error, strerror(EACCES));
    }
    fail_msg("there is no end of the calls");
    return -1;
}

static void each_call_fails_once(void **state)
{
    (void)state;
    assert_int_equal(sweep(read_file, ANY, 1), 3); /* open, stat and map */
    assert_int_equal(sweep(read_standard, ANY, 1), 2);
    /* access to file and folder, real path, link, stream, flush, sync, end and rename are each
     * needed; a file without a name is not. */
    assert_true(sweep(write_files, ANY, 1) >= 2 * 8);
    assert_true(sweep(write_device, ANY, 1) >= 4);
    assert_true(sweep(write_standard, ANY, 1) >= 1 + 8);
}

/* A call that is interrupted by a signal is made again. */
static void interrupted_reads_go_on(void **state)
{
    (void)state;
    qkv_error error = {.message = ""};
    arm(READ, 0, 3, EINTR);
    check_ok(read_standard(&error), &error);
    assert_true(disarm(1));
    assert_true(holds("old.npy", old, 2));
}

/* Where files need names from the beginning. */
static void systems_without_unnamed_files_are_written_to(void **state)
{
    (void)state;
    enum { MANY = 1000 };
    qkv_error error = {.message = ""};
    for (int failed = 0; failed < 2; failed++) {
        arm(failed == 0 ? DUPLICATE : LINK, 0, MANY, EACCES);
        const qkv_status status = write_files(&error);
        assert_true(disarm(MANY));
        if (failed == 0) check_ok(status, &error);
        if (failed == 1) check_error(status, QKV_ERROR_FILE, &error, "cannot create a file beside");
    }
    /* Names that are taken are passed by, a thousand of them and no more. */
    arm(LINK, 0, MANY + 1, EEXIST);
    check_error(write_files(&error), QKV_ERROR_FILE, &error, strerror(EEXIST));
    disarm(MANY);
    arm(LINK, 0, MANY, EEXIST);
    check_ok(write_files(&error), &error);
    disarm(MANY);
}

/* Each message says what could not be done. */
static void reasons_are_told(void **state)
{
    (void)state;
    const struct {
        qkv_status (*operation)(qkv_error *);
        call kind;
        int allowed;
        const char *words;
    } rows[] = {
        {read_file, OPEN, 0, "old.npy: cannot open: "},
        {read_file, STAT, 0, "old.npy: cannot stat: "},
        {read_file, MAP, 0, "old.npy: cannot map: "},
        {read_standard, READ, 0, "standard input: cannot read: "},
        {write_files, ACCESS, 0, "old.npy: cannot write: "},
        {write_files, REAL_PATH, 0, "old.npy: cannot write: "},
        {write_files, OPEN_STREAM, 0, "old.npy: cannot write: "},
        {write_files, FLUSH, 0, "old.npy: cannot write: "},
        {write_files, SYNC, 0, "old.npy: cannot write: "},
        {write_files, CLOSE_STREAM, 0, "old.npy: cannot write: "},
        {write_files, RENAME, 0, "old.npy: cannot rename to it: "},
        {write_files, RENAME, 1, "new.npy: cannot rename to it: "},
        {write_device, OPEN, 0, "null.npy: cannot write: "},
        {write_standard, FLUSH, 0, "standard output: cannot write: "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char expected[100];
        qkv_error error = {.message = ""};
        snprintf(expected, sizeof expected, "%s%s", rows[i].words, strerror(EIO));
        arm(rows[i].kind, rows[i].allowed, 1, EIO);
        check_error(rows[i].operation(&error), QKV_ERROR_FILE, &error, expected);
        assert_true(disarm(1));
    }
}

static void a_device_takes_memory(void **state)
{
    (void)state;
    qkv_error error = {.message = ""};
    int allocations = 0;
    for (qkv_status status = QKV_ERROR_MEMORY; status != QKV_OK; allocations++) {
        assert_true(allocations < 100);
        qkv__memory_fail_after(allocations);
        status = write_device(&error);
        qkv__memory_fail_after(-1);
        if (status != QKV_OK) check_error(status, QKV_ERROR_MEMORY, &error, "out of memory");
    }
    assert_true(allocations > 2);
}

static void a_locale_takes_memory(void **state)
{
    (void)state;
    qkv_error error = {.message = ""};
    qkv_tensor *tensor = NULL;
    arm(LOCALE, 0, 1, ENOMEM);
    check_error(qkv_tensor_from_text("[1, 2]", &tensor, &error), QKV_ERROR_MEMORY, &error,
                "memory");
    assert_true(disarm(1));
    assert_null(tensor);
}

/* The path of a file in the topmost folder, of which nothing is written. */
static void the_topmost_folder_is_one(void **state)
{
    (void)state;
    qkv__target target;
    qkv_error error;
    const bool may = access("/", W_OK) == 0;
    const qkv_status status = qkv__target_find("/no-such-file.npy", &target, &error);
    assert_int_equal(status, may ? QKV_OK : QKV_ERROR_FILE);
    if (!may) return;
    assert_string_equal(target.path, "/no-such-file.npy");
    assert_string_equal(target.folder, "/");
    assert_false(target.exists || target.direct);
    qkv__target_free(&target);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter, folder_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(each_call_fails_once),
        IN_FOLDER(interrupted_reads_go_on),
        IN_FOLDER(systems_without_unnamed_files_are_written_to),
        IN_FOLDER(reasons_are_told),
        IN_FOLDER(a_device_takes_memory),
        IN_FOLDER(a_locale_takes_memory),
        IN_FOLDER(the_topmost_folder_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
