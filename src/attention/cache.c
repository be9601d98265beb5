/* A growing cache of keys and values in the caller's memory, as they come or quantised to bytes.
 * Knows nothing of kernels. */
#include <qkv/attention.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "attention/problem.h"
#include "base/error.h"
#include "base/number.h"
#include "base/view.h"

/* The axis of length of keys or values, the last but one. */
static int length_axis(const qkv_view *view)
{
    return view->rank - 2;
}

/* `count` tokens of a view along its axis of length, from token `first` on. */
static qkv_view tokens_along(const qkv_view *room, int axis, size_t first, size_t count)
{
    qkv_view part = *room;
    part.shape[axis] = count;
    if (part.data != NULL)
        part.data = (unsigned char *)part.data +
                    (ptrdiff_t)first * room->stride[axis] * (ptrdiff_t)qkv_type_size(room->type);
    return part;
}

static qkv_view tokens(const qkv_view *room, size_t first, size_t count)
{
    return tokens_along(room, length_axis(room), first, count);
}

static qkv_view token_scales(const qkv_view *scales, size_t first, size_t count)
{
    return scales->rank == 0 ? *scales : tokens_along(scales, scales->rank - 1, first, count);
}

/* Scales are as the room without its width; only i8 has them. */
static qkv_status check_scales_room(const qkv_view *room, const qkv_view *scales, const char *name,
                                    qkv_error *error)
{
    if (room->type != QKV_I8 && scales->rank == 0) return QKV_OK;
    if (room->type != QKV_I8)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "%s_scales is set, but %s has type %s", name,
                         name, qkv_type_name(room->type));
    if (scales->rank == 0)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "%s_scales is not set; a %s of type i8 needs it", name, name);
    char full[32];
    snprintf(full, sizeof full, "%s_scales", name);
    qkv_status status = qkv__view_check_output(scales, full, error);
    if (status != QKV_OK) return status;
    if (scales->rank != room->rank - 1 ||
        memcmp(scales->shape, room->shape, (size_t)scales->rank * sizeof scales->shape[0]) != 0)
        return qkv__fail(error, QKV_ERROR_SHAPE,
                         "%s has shape %s; expected the shape of %s, %s, "
                         "without the width",
                         full, qkv__shape_format(scales->rank, scales->shape).text, name,
                         qkv__shape_format(room->rank, room->shape).text);
    return QKV_OK;
}

static qkv_status check_room(const qkv_cache *cache, const qkv_view *room, const char *name,
                             qkv_error *error)
{
    qkv_status status = qkv__view_check(room, name, error);
    if (status == QKV_OK)
        status = qkv__type_is_stored(room->type) ? qkv__view_check_distinct(room, name, error)
                                                 : qkv__view_check_output(room, name, error);
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
    if (status == QKV_OK) status = check_room(cache, &cache->value, "cache value", error);
    if (status == QKV_OK)
        status = check_scales_room(&cache->key, &cache->key_scales, "cache key", error);
    if (status == QKV_OK)
        status = check_scales_room(&cache->value, &cache->value_scales, "cache value", error);
    return status;
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
    if (!qkv__type_is_float(more->type))
        return qkv__fail(error, QKV_ERROR_TYPE, "%s has type %s; expected f64, f32, f16 or bf16",
                         name, qkv_type_name(more->type));
    if (more->shape[length_axis(room)] > room->shape[length_axis(room)] - cache->length)
        return qkv__fail(error, QKV_ERROR_SHAPE,
                         "%s has %zu tokens; the cache holds %zu and has room for %zu more", name,
                         more->shape[length_axis(room)], cache->length,
                         room->shape[length_axis(room)] - cache->length);
    return QKV_OK;
}

/* ---- Quantising ---------------------------------------------------------------------------- */

/* A row's scale as it will be stored: max |x| / 127, or NaN where that is no number. */
static double row_scale(const qkv_view *from, const size_t *index, qkv_type type)
{
    const int last = from->rank - 1;
    const ptrdiff_t first = qkv__view_offset(from, index);
    double largest = 0.0, stored;
    for (size_t d = 0; d < from->shape[last]; d++) {
        const double x =
            fabs(qkv__load(from->type, from->data, first + (ptrdiff_t)d * from->stride[last]));
        if (!(x <= largest)) largest = x; /* also NaN, which then stays */
        if (isnan(largest)) return NAN;
    }
    double place; /* large enough for every type */
    qkv__store(type, &place, 0, largest / 127.0);
    stored = qkv__load(type, &place, 0);
    return isfinite(stored) ? stored : NAN;
}

/* Calls that go row by row: the width is walked inside. */
static bool next_row(const qkv_view *view, size_t *index)
{
    return qkv__index_next(view->rank - 1, view->shape, index);
}

/* Whether every row has a scale. */
static qkv_status check_rows(const qkv_view *from, const qkv_view *scales, const char *name,
                             qkv_error *error)
{
    size_t index[QKV_MAX_RANK] = {0};
    if (scales->rank == 0 || qkv_view_count(from) == 0) return QKV_OK;
    do {
        if (isnan(row_scale(from, index, scales->type)))
            return qkv__fail(error, QKV_ERROR_ARGUMENT,
                             "%s has a number in token %zu that is not finite or too large for a "
                             "scale in %s; i8 cannot hold it",
                             name, index[length_axis(from)], qkv_type_name(scales->type));
    } while (next_row(from, index));
    return QKV_OK;
}

/* Rows of a new piece into bytes and scales. */
static void quantise(const qkv_view *from, const qkv_view *to, const qkv_view *scales)
{
    const int last = from->rank - 1;
    size_t index[QKV_MAX_RANK] = {0};
    if (qkv_view_count(from) == 0) return;
    do {
        const double scale = row_scale(from, index, scales->type);
        const ptrdiff_t read = qkv__view_offset(from, index), write = qkv__view_offset(to, index);
        qkv__store(scales->type, scales->data, qkv__view_offset(scales, index), scale);
        for (size_t d = 0; d < from->shape[last]; d++) {
            const ptrdiff_t step = (ptrdiff_t)d;
            const double x = qkv__load(from->type, from->data, read + step * from->stride[last]);
            qkv__store(QKV_I8, to->data, write + step * to->stride[last],
                       scale > 0.0 ? fmax(-127.0, x / scale) : 0.0);
        }
    } while (next_row(from, index));
}

/* Copies, or quantises where there are scales. */
static qkv_status keep(const qkv_view *from, const qkv_view *to, const qkv_view *scales,
                       qkv_error *error)
{
    if (scales->rank == 0) return qkv_view_copy(from, to, error);
    quantise(from, to, scales);
    return QKV_OK;
}

/* ---- Calls ---------------------------------------------------------------------------------- */

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
    qkv_view key_scales = token_scales(&cache->key_scales, cache->length, count);
    qkv_view value_scales = token_scales(&cache->value_scales, cache->length, count);
    status = check_rows(key, &key_scales, "key", error);
    if (status == QKV_OK) status = check_rows(value, &value_scales, "value", error);
    if (status == QKV_OK) status = keep(key, &key_room, &key_scales, error);
    if (status == QKV_OK) status = keep(value, &value_room, &value_scales, error);
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
    if (aligned.key_scales.rank > 0 || aligned.value_scales.rank > 0)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "key_scales or value_scales is set; the cache has its own");
    aligned.key_scales = token_scales(&cache->key_scales, 0, cache->length);
    aligned.value_scales = token_scales(&cache->value_scales, 0, cache->length);
    return qkv_attention(query, &key, &value, output, &aligned, error);
}
