/* Reading and writing shards. Knows files and layouts, nothing of attention. */
#include "shards.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ranks.h"

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static qkv_status
fail(qkv_error *error, qkv_status status, const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    vsnprintf(error->message, sizeof error->message, format, rest);
    va_end(rest);
    error->status = status;
    return status;
}

enum { PATH_ROOM = 4096 };

/* The path with this rank's number; whether it has a place for one. */
static bool path_of_rank(const char *path, char own[PATH_ROOM])
{
    const char *place = strstr(path, "%r");
    if (place == NULL)
        snprintf(own, PATH_ROOM, "%s", path);
    else
        snprintf(own, PATH_ROOM, "%.*s%d%s", (int)(place - path), path, ranks.own, place + 2);
    return place != NULL;
}

static qkv_view rows_of(const qkv_view *view, size_t first, size_t rows)
{
    qkv_view part = *view;
    const int axis = view->rank - 2;
    if (part.data != NULL)
        part.data = (char *)part.data +
                    (ptrdiff_t)first * part.stride[axis] * (ptrdiff_t)qkv_type_size(part.type);
    part.shape[axis] = rows;
    return part;
}

/* A run of the shard's rows that lie side by side in the sequence, from row `row` on. */
static size_t run_length(const qkv_mpi_options *how, size_t length, size_t row, size_t rows)
{
    size_t count = 1;
    const size_t first = qkv_mpi_row(how, length, ranks.count, ranks.own, row);
    while (row + count < rows &&
           qkv_mpi_row(how, length, ranks.count, ranks.own, row + count) == first + count)
        count++;
    return count;
}

static qkv_status take_rows(const qkv_view *whole, const qkv_mpi_options *how, qkv_tensor **shard,
                            qkv_error *error)
{
    const size_t length = whole->shape[whole->rank - 2];
    const size_t rows = qkv_mpi_rows(how, length, ranks.count, ranks.own);
    size_t shape[QKV_MAX_RANK];
    memcpy(shape, whole->shape, sizeof shape);
    shape[whole->rank - 2] = rows;
    qkv_status status = qkv_tensor_create(whole->type, whole->rank, shape, shard, error);
    for (size_t row = 0; row < rows && status == QKV_OK;) {
        const size_t count = run_length(how, length, row, rows);
        const qkv_view from =
            rows_of(whole, qkv_mpi_row(how, length, ranks.count, ranks.own, row), count);
        const qkv_view to = rows_of(qkv_tensor_view(*shard), row, count);
        status = qkv_view_copy(&from, &to, error);
        row += count;
    }
    return status;
}

qkv_status shards_read(const char *path, bool broadcast, const qkv_mpi_options *how,
                       qkv_tensor **shard, qkv_error *error)
{
    char own[PATH_ROOM];
    const bool apart = path_of_rank(path, own);
    qkv_tensor *tensor = NULL;
    qkv_status status = qkv_tensor_read(own, NULL, &tensor, error);
    if (status != QKV_OK) return status;
    const qkv_view *whole = qkv_tensor_view(tensor);
    if (whole->rank < 2)
        status = fail(error, QKV_ERROR_SHAPE, "%s has one axis; expected 2 to 4", own);
    else if (apart || (broadcast && whole->shape[whole->rank - 2] == 1))
        *shard = tensor;
    else
        status = take_rows(whole, how, shard, error);
    if (*shard != tensor) qkv_tensor_free(&tensor);
    return status;
}

/* SplitMix64 of a place. */
static double number_at(uint64_t place)
{
    uint64_t x = place + UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((x ^ (x >> 31)) >> 11) * 0x1p-52 - 1.0;
}

qkv_status shards_random(qkv_type type, int axes, const size_t *shape, unsigned which,
                         const qkv_mpi_options *how, qkv_tensor **shard, qkv_error *error)
{
    const size_t length = shape[axes - 2], width = shape[axes - 1];
    const size_t rows = qkv_mpi_rows(how, length, ranks.count, ranks.own);
    size_t own[QKV_MAX_RANK], heads = 1;
    memcpy(own, shape, (size_t)axes * sizeof *own);
    own[axes - 2] = rows;
    for (int i = 0; i < axes - 2; i++) heads *= shape[i];
    qkv_status status = qkv_tensor_create(type, axes, own, shard, error);
    double *line = malloc((width + 1) * sizeof *line);
    if (status == QKV_OK && line == NULL) status = fail(error, QKV_ERROR_MEMORY, "out of memory");
    for (size_t i = 0; i < heads * rows && status == QKV_OK; i++) {
        const size_t row = qkv_mpi_row(how, length, ranks.count, ranks.own, i % rows);
        for (size_t t = 0; t < width; t++)
            line[t] = number_at((((uint64_t)which << 58) + i / rows * length + row) * width + t);
        qkv_view to = qkv_view_dense(type, NULL, 1, &width);
        to.data = (char *)qkv_tensor_view(*shard)->data + i * width * qkv_type_size(type);
        const qkv_view from = qkv_view_dense(QKV_F64, line, 1, &width);
        status = qkv_view_copy(&from, &to, error);
    }
    free(line);
    return status;
}

/* ---- Writing -------------------------------------------------------------------------------- */

qkv_status shards_try(const char *path, qkv_error *error)
{
    char own[PATH_ROOM], draft[PATH_ROOM + 8];
    const bool apart = path_of_rank(path, own);
    snprintf(draft, sizeof draft, "%s.part", own);
    if (!apart && ranks.own != 0) return QKV_OK; /* rank 0 makes the file */
    const int file = open(draft, O_CREAT | O_RDWR, 0666);
    if (file < 0)
        return fail(error, QKV_ERROR_FILE, "%s: cannot be written: %s", own, strerror(errno));
    close(file);
    unlink(draft);
    return QKV_OK;
}

static bool has_ending(const char *path, const char *ending)
{
    const size_t length = strlen(path), end = strlen(ending);
    return length > end && strcmp(path + length - end, ending) == 0;
}

bool shards_take_bf16(const char *path)
{
    return has_ending(path, ".safetensors");
}

bool shards_take_name(const char *path)
{
    return has_ending(path, ".npy") || has_ending(path, ".safetensors");
}

/* The whole tensor's shape, in words between commas. */
static void write_shape(const qkv_view *shard, size_t length, char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < shard->rank; i++)
        snprintf(text + strlen(text), size - strlen(text), "%s%zu", i == 0 ? "" : ", ",
                 i == shard->rank - 2 ? length : shard->shape[i]);
}

enum { HEADER_ROOM = 512, HEADER_STEP = 64 };

/* The header of an npy file: 10 bytes, then text; its length, a multiple of HEADER_STEP. */
static size_t make_npy(const qkv_view *shard, size_t length, char header[HEADER_ROOM])
{
    static const char *const codes[] = {[QKV_F64] = "<f8", [QKV_F32] = "<f4", [QKV_F16] = "<f2"};
    char shape[128];
    write_shape(shard, length, shape, sizeof shape);
    const size_t used = (size_t)snprintf(header + 10, HEADER_ROOM - 10,
                                         "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
                                         codes[shard->type], shape);
    const size_t whole = (10 + used + 1 + HEADER_STEP - 1) / HEADER_STEP * HEADER_STEP;
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (char)((whole - 10) & 0xff);
    header[9] = (char)((whole - 10) >> 8);
    memset(header + 10 + used, ' ', whole - 10 - used);
    header[whole - 1] = '\n';
    return whole;
}

/* The same of a safetensors file: 8 bytes with the length of the rest, then text. */
static size_t make_safetensors(const qkv_view *shard, size_t length, char header[HEADER_ROOM])
{
    static const char *const codes[] = {
        [QKV_F64] = "F64", [QKV_F32] = "F32", [QKV_F16] = "F16", [QKV_BF16] = "BF16"};
    char shape[128];
    size_t bytes = length * qkv_type_size(shard->type);
    for (int i = 0; i < shard->rank; i++) bytes *= i == shard->rank - 2 ? 1 : shard->shape[i];
    write_shape(shard, length, shape, sizeof shape);
    const size_t used =
        (size_t)snprintf(header + 8, HEADER_ROOM - 8,
                         "{\"output\":{\"dtype\":\"%s\",\"shape\":[%s],\"data_offsets\":[0,%zu]}}",
                         codes[shard->type], shape, bytes);
    const size_t whole = (8 + used + HEADER_STEP - 1) / HEADER_STEP * HEADER_STEP;
    memset(header, 0, 8);
    header[0] = (char)((whole - 8) & 0xff);
    header[1] = (char)((whole - 8) >> 8);
    memset(header + 8 + used, ' ', whole - 8 - used);
    return whole;
}

static bool write_all(int file, const char *bytes, size_t count, off_t at)
{
    while (count > 0) {
        const ssize_t written = pwrite(file, bytes, count, at);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes += written, at += written, count -= (size_t)written;
    }
    return true;
}

/* This rank's rows, run by run, into their places behind the header. */
static bool write_rows(int file, size_t begin, const qkv_view *shard, size_t length,
                       const qkv_mpi_options *how)
{
    const int axes = shard->rank;
    const size_t rows = shard->shape[axes - 2];
    const size_t line = shard->shape[axes - 1] * qkv_type_size(shard->type);
    size_t heads = 1;
    for (int i = 0; i < axes - 2; i++) heads *= shard->shape[i];
    for (size_t h = 0; h < heads; h++)
        for (size_t row = 0; row < rows;) {
            const size_t count = run_length(how, length, row, rows);
            const size_t first = qkv_mpi_row(how, length, ranks.count, ranks.own, row);
            if (!write_all(file, (const char *)shard->data + (h * rows + row) * line, count * line,
                           (off_t)(begin + (h * length + first) * line)))
                return false;
            row += count;
        }
    return true;
}

static qkv_status write_one(const char *path, const qkv_view *shard, size_t length,
                            const qkv_mpi_options *how, qkv_error *error)
{
    char header[HEADER_ROOM], draft[PATH_ROOM + 8];
    const size_t begin = shards_take_bf16(path) ? make_safetensors(shard, length, header)
                                                : make_npy(shard, length, header);
    snprintf(draft, sizeof draft, "%s.part", path);
    int file = -1, all = 0;
    if (ranks.own == 0) {
        file = open(draft, O_CREAT | O_TRUNC | O_RDWR, 0666);
        if (file >= 0 && !write_all(file, header, begin, 0)) close(file), file = -1;
    }
    MPI_Barrier(MPI_COMM_WORLD); /* the file is there */
    if (ranks.own != 0) file = open(draft, O_RDWR);
    int good = file >= 0 && write_rows(file, begin, shard, length, how) && fsync(file) == 0;
    const int reason = errno;
    if (file >= 0) close(file);
    MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (all && ranks.own == 0) good = rename(draft, path) == 0;
    if (!all && ranks.own == 0) unlink(draft);
    if (good) return QKV_OK;
    return fail(error, QKV_ERROR_FILE, "%s: cannot be written: %s", path, strerror(reason));
}

qkv_status shards_write(const char *path, const qkv_view *shard, size_t length,
                        const qkv_mpi_options *how, qkv_error *error)
{
    char own[PATH_ROOM];
    if (!path_of_rank(path, own)) return write_one(path, shard, length, how, error);
    const qkv_tensor_output output = {own, "output", *shard};
    return qkv_tensor_write(&output, 1, error);
}
