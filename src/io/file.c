/* Reading by mapping, writing by rename. Knows nothing of formats. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

static qkv_status fail_errno(qkv_error *error, const char *path, const char *what)
{
    return qkv__fail(error, QKV_ERROR_FILE, "%s: %s: %s", path, what, strerror(errno));
}

/* ---- Reading ------------------------------------------------------------------------------ */

static qkv_status read_stream(int descriptor, const char *path, qkv__bytes *bytes, qkv_error *error)
{
    size_t capacity = 1 << 16, count = 0;
    unsigned char *data = qkv__allocate(capacity);
    if (data == NULL) return qkv__fail_memory(error, capacity);
    for (;;) {
        ssize_t got = read(descriptor, data + count, capacity - count);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            fail_errno(error, path, "cannot read"); /* before free can change errno */
            qkv__free(data);
            return QKV_ERROR_FILE;
        }
        if (got == 0) break;
        count += (size_t)got;
        if (count < capacity) continue;
        unsigned char *grown = qkv__allocate(capacity * 2); /* no memory has half of all sizes */
        if (grown == NULL) {
            qkv__free(data);
            return qkv__fail_memory(error, capacity * 2);
        }
        memcpy(grown, data, count);
        qkv__free(data);
        data = grown;
        capacity *= 2;
    }
    *bytes = (qkv__bytes){.data = data, .count = count};
    return QKV_OK;
}

static qkv_status map(int descriptor, size_t count, const char *path, qkv__bytes *bytes,
                      qkv_error *error)
{
    void *data = mmap(NULL, count, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (data == MAP_FAILED) return fail_errno(error, path, "cannot map");
    *bytes = (qkv__bytes){.data = data, .count = count, .mapped = true};
    return QKV_OK;
}

qkv_status qkv__bytes_open(const char *path, qkv__bytes *bytes, qkv_error *error)
{
    if (strcmp(path, "-") == 0) return read_stream(STDIN_FILENO, "standard input", bytes, error);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return fail_errno(error, path, "cannot open");
    struct stat about;
    qkv_status status;
    if (fstat(descriptor, &about) != 0)
        status = fail_errno(error, path, "cannot stat");
    else if (S_ISDIR(about.st_mode))
        status = qkv__fail(error, QKV_ERROR_FILE, "%s: is a directory", path);
    else if (S_ISREG(about.st_mode) && about.st_size > 0)
        status = map(descriptor, (size_t)about.st_size, path, bytes, error);
    else
        status = read_stream(descriptor, path, bytes, error);
    close(descriptor);
    return status;
}

void qkv__bytes_close(qkv__bytes *bytes)
{
    if (bytes->mapped)
        munmap((void *)(uintptr_t)bytes->data, bytes->count);
    else
        qkv__free((void *)(uintptr_t)bytes->data);
    *bytes = (qkv__bytes){0};
}

/* ---- Where to write ----------------------------------------------------------------------- */

/* first, second and third in one string, or NULL with the error set. */
static char *join(const char *first, const char *second, const char *third, qkv_error *error)
{
    size_t one = strlen(first), two = strlen(second), three = strlen(third);
    char *joined = qkv__allocate(one + two + three + 1);
    if (joined == NULL) {
        qkv__fail_memory(error, one + two + three + 1);
        return NULL;
    }
    memcpy(joined, first, one);
    memcpy(joined + one, second, two);
    memcpy(joined + one + two, third, three + 1);
    return joined;
}

/* The folder that a path names a file in: "." for "x", "/" for "/x". */
static char *folder_of(const char *path, qkv_error *error)
{
    const char *slash = strrchr(path, '/');
    char *folder = join(slash == NULL ? "." : path, "", "", error);
    if (folder != NULL && slash != NULL) folder[slash == path ? 1 : slash - path] = '\0';
    return folder;
}

/* The absolute path without links of something that exists; `path` is for the message. */
static qkv_status canonical(const char *existing, const char *path, char **result, qkv_error *error)
{
    char *real = realpath(existing, NULL);
    if (real == NULL) return fail_errno(error, path, "cannot write");
    *result = join(real, "", "", error);
    free(real);
    return *result == NULL ? QKV_ERROR_MEMORY : QKV_OK;
}

/* The same of a file that does not exist yet, from its folder. */
static qkv_status canonical_new(const char *path, char **result, qkv_error *error)
{
    struct stat about;
    if (lstat(path, &about) == 0) /* renaming would put a file in the link's place */
        return qkv__fail(error, QKV_ERROR_FILE, "%s: is a link to a file that does not exist",
                         path);
    char *folder = folder_of(path, error), *real = NULL;
    if (folder == NULL) return QKV_ERROR_MEMORY;
    qkv_status status = canonical(folder, path, &real, error);
    if (status == QKV_OK) {
        const char *slash = strrchr(path, '/');
        *result =
            join(real, strcmp(real, "/") == 0 ? "" : "/", slash == NULL ? path : slash + 1, error);
        if (*result == NULL) status = QKV_ERROR_MEMORY;
    }
    qkv__free(real);
    qkv__free(folder);
    return status;
}

/* Files are created and renamed in the folder behind the links, so that is what must allow it. */
static qkv_status find_regular(const char *path, qkv__target *target, qkv_error *error)
{
    qkv_status status = target->exists ? canonical(path, path, &target->path, error)
                                       : canonical_new(path, &target->path, error);
    if (status != QKV_OK) return status;
    target->folder = folder_of(target->path, error);
    if (target->folder == NULL) return QKV_ERROR_MEMORY;
    if (access(target->folder, W_OK | X_OK) != 0) return fail_errno(error, path, "cannot write");
    return QKV_OK;
}

qkv_status qkv__target_find(const char *path, qkv__target *target, qkv_error *error)
{
    struct stat about;
    *target = (qkv__target){0};
    bool there = stat(path, &about) == 0;
    if (!there && errno != ENOENT) return fail_errno(error, path, "cannot write");
    if (there && S_ISDIR(about.st_mode))
        return qkv__fail(error, QKV_ERROR_FILE, "%s: is a directory; expected a file", path);
    /* What may not be written is not replaced either, although its folder would allow it. */
    if (there && access(path, W_OK) != 0) return fail_errno(error, path, "cannot write");

    qkv_status status = QKV_OK;
    target->exists = there && S_ISREG(about.st_mode);
    target->direct = there && !target->exists;
    target->mode = target->exists ? (unsigned)about.st_mode & 0777u : 0666u;
    if (!target->direct)
        status = find_regular(path, target, error);
    else if ((target->path = join(path, "", "", error)) == NULL)
        status = QKV_ERROR_MEMORY;
    if (status != QKV_OK) qkv__target_free(target);
    return status;
}

void qkv__target_free(qkv__target *target)
{
    qkv__free(target->path);
    qkv__free(target->folder);
    *target = (qkv__target){0};
}

/* ---- Writing ------------------------------------------------------------------------------ */

enum { NAME_BYTES = 66 }; /* of a slash and a name of our own */

/* Makes a file of that name, or gives the unnamed one that name; false with errno. */
static bool create_named(const qkv__draft *draft, const char *path, int *descriptor)
{
    if (draft->unnamed == 0) {
        *descriptor =
            open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, (mode_t)draft->target.mode);
        return *descriptor >= 0;
    }
    char own[64];
    snprintf(own, sizeof own, "/proc/self/fd/%d", draft->unnamed - 1);
    return linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
}

/*
 * A new name beside the target, for a new file or for the unnamed one. It is tried with one number
 * after the other: another thread may be writing here, and a process of the same number may have
 * died here before. It is not made from the target's name, which may already be as long as names
 * can be.
 */
static qkv_status create_temporary(qkv__draft *draft, int *descriptor, qkv_error *error)
{
    enum { ATTEMPTS = 1000 };
    const qkv__target *target = &draft->target;
    for (int i = 0;; i++) {
        snprintf(draft->name, strlen(target->folder) + NAME_BYTES, "%s/qkv-%ld-%d.part",
                 target->folder, (long)getpid(), i);
        if (create_named(draft, draft->name, descriptor)) {
            draft->temporary = draft->name;
            draft->name = NULL;
            return QKV_OK;
        }
        if (errno != EEXIST || i == ATTEMPTS)
            return fail_errno(error, target->path, "cannot create a file beside it");
    }
}

/*
 * A file without a name, where the system has such: if the process is ended before it is done,
 * nothing is left. It gets a name just before it is renamed.
 */
static bool create_unnamed(qkv__draft *draft, int *descriptor)
{
#if defined(O_TMPFILE)
    if (access("/proc/self/fd", X_OK) != 0) return false; /* by which it gets its name */
    *descriptor =
        open(draft->target.folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, (mode_t)draft->target.mode);
    if (*descriptor < 0) return false;
    const int kept = fcntl(*descriptor, F_DUPFD_CLOEXEC, 0);
    if (kept >= 0) {
        draft->unnamed = kept + 1;
        return true;
    }
    close(*descriptor);
#else
    (void)draft;
#endif
    *descriptor = -1;
    return false;
}

qkv_status qkv__draft_begin(const char *path, qkv__draft *draft, qkv_error *error)
{
    *draft = (qkv__draft){0};
    qkv_status status = qkv__target_find(path, &draft->target, error);
    if (status != QKV_OK) return status;
    int descriptor = -1;
    if (!draft->target.direct) {
        const size_t bytes = strlen(draft->target.folder) + NAME_BYTES;
        draft->name = qkv__allocate(bytes);
        if (draft->name == NULL) return qkv__fail_memory(error, bytes);
        if (!create_unnamed(draft, &descriptor))
            status = create_temporary(draft, &descriptor, error);
    } else if ((descriptor = open(path, O_WRONLY | O_CLOEXEC)) < 0)
        status = fail_errno(error, path, "cannot write");
    if (status != QKV_OK) return status;
    /* Gives back what the umask took from the old file's permissions. A file system that refuses
     * leaves the new file with fewer, never with more. */
    if (draft->target.exists) (void)!fchmod(descriptor, (mode_t)draft->target.mode);
    draft->stream = fdopen(descriptor, "wb");
    if (draft->stream != NULL) return QKV_OK;
    status = fail_errno(error, path, "cannot write");
    close(descriptor);
    return status;
}

qkv_status qkv__draft_finish(qkv__draft *draft, qkv_error *error)
{
    bool written = fflush(draft->stream) == 0 && ferror(draft->stream) == 0;
    if (written && (draft->temporary != NULL || draft->unnamed > 0))
        written = fsync(fileno(draft->stream)) == 0;
    int reason = errno;
    if (fclose(draft->stream) != 0 && written) {
        written = false;
        reason = errno;
    }
    draft->stream = NULL;
    errno = reason;
    return written ? QKV_OK : fail_errno(error, draft->target.path, "cannot write");
}

static void close_unnamed(qkv__draft *draft)
{
    if (draft->unnamed > 0) close(draft->unnamed - 1);
    draft->unnamed = 0;
}

qkv_status qkv__draft_commit(qkv__draft *draft, qkv_error *error)
{
    int descriptor = -1;
    if (draft->unnamed > 0) {
        qkv_status status = create_temporary(draft, &descriptor, error);
        if (status != QKV_OK) return status;
        close_unnamed(draft);
    }
    if (draft->temporary == NULL) return QKV_OK;
    if (rename(draft->temporary, draft->target.path) != 0)
        return fail_errno(error, draft->target.path, "cannot rename to it");
    qkv__free(draft->temporary);
    draft->temporary = NULL;
    return QKV_OK;
}

void qkv__draft_end(qkv__draft *draft)
{
    if (draft->stream != NULL) fclose(draft->stream);
    close_unnamed(draft);
    if (draft->temporary != NULL) unlink(draft->temporary);
    qkv__free(draft->temporary);
    qkv__free(draft->name);
    qkv__target_free(&draft->target);
    *draft = (qkv__draft){0};
}
