/* Files where there are none, as in a web page: every question is refused. */
#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"

static qkv_status refuse(const char *path, qkv_error *error)
{
    return qkv__fail(error, QKV_ERROR_UNSUPPORTED, "%s: there are no files here", path);
}

qkv_status qkv__bytes_open(const char *path, qkv__bytes *bytes, qkv_error *error)
{
    (void)bytes;
    return refuse(path, error);
}

void qkv__bytes_close(qkv__bytes *bytes)
{
    *bytes = (qkv__bytes){0};
}

qkv_status qkv__target_find(const char *path, qkv__target *target, qkv_error *error)
{
    *target = (qkv__target){0};
    return refuse(path, error);
}

void qkv__target_free(qkv__target *target)
{
    *target = (qkv__target){0};
}

qkv_status qkv__draft_begin(const char *path, qkv__draft *draft, qkv_error *error)
{
    *draft = (qkv__draft){0};
    return refuse(path, error);
}

qkv_status qkv__draft_finish(qkv__draft *draft, qkv_error *error)
{
    (void)draft;
    return refuse("draft", error);
}

qkv_status qkv__draft_commit(qkv__draft *draft, qkv_error *error)
{
    (void)draft;
    return refuse("draft", error);
}

void qkv__draft_end(qkv__draft *draft)
{
    *draft = (qkv__draft){0};
}
