/* A growing cache of keys and values in the caller's memory. Knows nothing of
 * kernels. */
#include <qkv/attention.h>

#include "attention/problem.h"
#include "base/error.h"
#include "base/view.h"

/* The axis of length, the last but one. */
static int length_axis(const qkv_view *view)
{
    return view->rank - 2;
}

/* `count` tokens of a cached view, from token `first` on. */
static qkv_view tokens(const qkv_view *room, size_t first, size_t count)
{
    qkv_view part = *room;
    int axis = length_axis(room);
    part.shape[axis] = count;
    if (part.data != NULL)
        part.data = (unsigned char *)part.data +
                    (ptrdiff_t)first * room->stride[axis] * (ptrdiff_t)qkv_type_size(room->type);
    return part;
}

static qkv_status check_room(const qkv_cache *cache, const qkv_view *room, const char *name,
                             qkv_error *error)
{
    qkv_status status = qkv__view_check_output(room, name, error);
    if (status != QKV_OK) return status;
    if (room->rank < 2)
        return qkv__fail(error, QKV_ERROR_SHAPE, "%s has rank %d; expected 2 to 4", name,
                         room->rank);
    if (cache->length > room->shape[length_axis(room)])
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "cache length is %zu; expected at most %zu, the capacity of its %s",
                         cache->length, room->shape[length_axis(room)], name);
    return QKV_OK;
}

static qkv_status check_cache(const qkv_cache *cache, qkv_error *error)
{
    if (cache == NULL) return qkv__fail(error, QKV_ERROR_ARGUMENT, "cache is NULL");
    qkv_status status = check_room(cache, &cache->key, "cache key", error);
    return status != QKV_OK ? status : check_room(cache, &cache->value, "cache value", error);
}

/* Whether `more` has the cache's shape apart from the length, and fits behind what is held. */
static qkv_status check_tokens(const qkv_cache *cache, const qkv_view *room, const qkv_view *more,
                               const char *name, qkv_error *error)
{
    qkv_status status = qkv__view_check(more, name, error);
    if (status != QKV_OK) return status;
    for (int axis = 0; axis < room->rank; axis++)
        if (more->rank != room->rank ||
            (axis != length_axis(room) && more->shape[axis] != room->shape[axis]))
            return qkv__fail(error, QKV_ERROR_SHAPE,
                             "%s has shape %s; expected the cache's %s with any length", name,
                             qkv__shape_format(more->rank, more->shape).text,
                             qkv__shape_format(room->rank, room->shape).text);
    if (more->shape[length_axis(room)] > room->shape[length_axis(room)] - cache->length)
        return qkv__fail(error, QKV_ERROR_SHAPE,
                         "%s has %zu tokens; the cache holds %zu and has room for %zu more", name,
                         more->shape[length_axis(room)], cache->length,
                         room->shape[length_axis(room)] - cache->length);
    return QKV_OK;
}

qkv_status qkv_cache_append(qkv_cache *cache, const qkv_view *key, const qkv_view *value,
                            qkv_error *error)
{
    qkv_status status = check_cache(cache, error);
    if (status == QKV_OK) status = check_tokens(cache, &cache->key, key, "key", error);
    if (status == QKV_OK) status = check_tokens(cache, &cache->value, value, "value", error);
    if (status != QKV_OK) return status;
    size_t count = key->shape[length_axis(key)];
    if (count != value->shape[length_axis(value)])
        return qkv__fail(error, QKV_ERROR_SHAPE, "value has length %zu; expected %zu, the key's",
                         value->shape[length_axis(value)], count);
    qkv_view key_room = tokens(&cache->key, cache->length, count);
    qkv_view value_room = tokens(&cache->value, cache->length, count);
    status = qkv_view_copy(key, &key_room, error);
    if (status == QKV_OK) status = qkv_view_copy(value, &value_room, error);
    if (status == QKV_OK) cache->length += count;
    return status;
}

qkv_status qkv_cache_attend(const qkv_cache *cache, const qkv_view *query, const qkv_view *output,
                            const qkv_attention_options *options, qkv_error *error)
{
    qkv_attention_options aligned;
    qkv_status status = check_cache(cache, error);
    if (status == QKV_OK) status = qkv__options_read(options, &aligned, error);
    if (status != QKV_OK) return status;
    if (aligned.alignment == QKV_ALIGN_UNSET) aligned.alignment = QKV_ALIGN_BOTTOM_RIGHT;
    qkv_view key = tokens(&cache->key, 0, cache->length);
    qkv_view value = tokens(&cache->value, 0, cache->length);
    return qkv_attention(query, &key, &value, output, &aligned, error);
}
