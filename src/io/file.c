/* Reading by mapping, writing by rename. Knows nothing of formats. */
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
            qkv__free(data);
            return fail_errno(error, path, "cannot read");
        }
        if (got == 0) break;
        count += (size_t)got;
        if (count < capacity) continue;
        unsigned char *grown = capacity > SIZE_MAX / 2 ? NULL : qkv__allocate(capacity * 2);
        if (grown == NULL) {
            qkv__free(data);
            return qkv__fail_memory(error, capacity);
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

/* ---- Writing ------------------------------------------------------------------------------ */

static char *copy_text(const char *text, const char *suffix, qkv_error *error)
{
    size_t length = strlen(text), more = strlen(suffix) + 1;
    char *copy = qkv__allocate(length + more);
    if (copy == NULL) {
        qkv__fail_memory(error, length + more);
        return NULL;
    }
    memcpy(copy, text, length);
    memcpy(copy + length, suffix, more);
    return copy;
}

/* The folder that a path names a file in, "." where it names none. */
static char *folder_of(const char *path, qkv_error *error)
{
    char *folder = copy_text(path, "", error);
    if (folder == NULL) return NULL;
    char *slash = strrchr(folder, '/');
    if (slash == NULL) {
        qkv__free(folder);
        return copy_text(".", "", error);
    }
    slash[slash == folder] = '\0'; /* "/x" lies in "/" */
    return folder;
}

qkv_status qkv__draft_check(const char *path, qkv_error *error)
{
    struct stat about;
    if (stat(path, &about) == 0) {
        if (S_ISDIR(about.st_mode))
            return qkv__fail(error, QKV_ERROR_FILE, "%s: is a directory", path);
        if (!S_ISREG(about.st_mode)) return QKV_OK;
    }
    char *folder = folder_of(path, error);
    if (folder == NULL) return QKV_ERROR_MEMORY;
    qkv_status status = QKV_OK;
    if (access(folder, W_OK | X_OK) != 0) status = fail_errno(error, path, "cannot write");
    qkv__free(folder);
    return status;
}

/* Regular files and new ones get a temporary file; *resolved is then the path behind links. */
static qkv_status resolve(const char *path, bool *direct, char **resolved, qkv_error *error)
{
    struct stat about;
    *direct = false;
    if (stat(path, &about) != 0) {
        *resolved = copy_text(path, "", error);
        return *resolved == NULL ? QKV_ERROR_MEMORY : QKV_OK;
    }
    *direct = !S_ISREG(about.st_mode);
    char *real = realpath(path, NULL);
    if (real == NULL) return fail_errno(error, path, "cannot resolve");
    *resolved = copy_text(real, "", error);
    free(real);
    return *resolved == NULL ? QKV_ERROR_MEMORY : QKV_OK;
}

qkv_status qkv__draft_begin(const char *path, qkv__draft *draft, qkv_error *error)
{
    *draft = (qkv__draft){0};
    qkv_status status = qkv__draft_check(path, error);
    if (status != QKV_OK) return status;
    bool direct;
    status = resolve(path, &direct, &draft->target, error);
    if (status != QKV_OK) return status;
    int descriptor = -1;
    if (direct) {
        descriptor = open(draft->target, O_WRONLY | O_CLOEXEC);
    } else {
        char suffix[32];
        snprintf(suffix, sizeof suffix, ".part-%ld", (long)getpid());
        draft->temporary = copy_text(draft->target, suffix, error);
        if (draft->temporary == NULL) return QKV_ERROR_MEMORY;
        descriptor = open(draft->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    if (descriptor >= 0) draft->stream = fdopen(descriptor, "wb");
    if (draft->stream != NULL) return QKV_OK;
    status = fail_errno(error, path, "cannot write");
    if (descriptor >= 0)
        close(descriptor);
    else if (draft->temporary != NULL)
        draft->temporary[0] = '\0'; /* not ours: leave it alone */
    return status;
}

qkv_status qkv__draft_finish(qkv__draft *draft, qkv_error *error)
{
    bool written = fflush(draft->stream) == 0 && ferror(draft->stream) == 0;
    if (written && draft->temporary != NULL) written = fsync(fileno(draft->stream)) == 0;
    int reason = errno;
    if (fclose(draft->stream) != 0 && written) {
        written = false;
        reason = errno;
    }
    draft->stream = NULL;
    errno = reason;
    return written ? QKV_OK : fail_errno(error, draft->target, "cannot write");
}

qkv_status qkv__draft_commit(qkv__draft *draft, qkv_error *error)
{
    if (draft->temporary == NULL) return QKV_OK;
    if (rename(draft->temporary, draft->target) != 0)
        return fail_errno(error, draft->target, "cannot rename to it");
    qkv__free(draft->temporary);
    draft->temporary = NULL;
    return QKV_OK;
}

void qkv__draft_end(qkv__draft *draft)
{
    if (draft->stream != NULL) fclose(draft->stream);
    if (draft->temporary != NULL && draft->temporary[0] != '\0') unlink(draft->temporary);
    qkv__free(draft->temporary);
    qkv__free(draft->target);
    *draft = (qkv__draft){0};
}
