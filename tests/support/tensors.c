/* See tensors.h. The scattered layouts keep what they allocate in `data` of a view whose first
 * element lies at the beginning of the allocation, so that free(view.data) is right for all. */
#include "support/tensors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/view.h"

static void *allocate_or_end(size_t bytes)
{
    void *memory = calloc(bytes == 0 ? 1 : bytes, 1);
    if (memory == NULL) {
        fprintf(stderr, "a test found no memory\n");
        exit(1);
    }
    return memory;
}

qkv_view make_tensor(qkv_type type, int rank, const size_t *shape)
{
    qkv_view view = qkv_view_dense(type, NULL, rank, shape);
    view.data = allocate_or_end(qkv_view_count(&view) * qkv_type_size(type));
    return view;
}

qkv_view make_tensor4(qkv_type type, size_t batch, size_t heads, size_t length, size_t width)
{
    return make_tensor(type, 4, (size_t[]){batch, heads, length, width});
}

qkv_view make_scattered(const qkv_view *like, random_source *source)
{
    qkv_view view = *like;
    int order[QKV_MAX_RANK] = {0, 1, 2, 3};
    for (int i = view.rank - 1; i > 0; i--) {
        int j = (int)random_below(source, (size_t)i + 1), other = order[i];
        order[i] = order[j];
        order[j] = other;
    }
    size_t stride = 1 + random_below(source, 3);
    for (int i = view.rank - 1; i >= 0; i--) {
        view.stride[order[i]] = (ptrdiff_t)stride;
        stride = stride * (view.shape[order[i]] + random_below(source, 2)) + 1;
    }
    view.data = allocate_or_end((stride + 1) * qkv_type_size(view.type));
    for (size_t i = 0; i <= stride; i++) qkv__store(view.type, view.data, (ptrdiff_t)i, NAN);
    return view;
}

void fill_random(const qkv_view *view, double deviation, random_source *source)
{
    size_t index[QKV_MAX_RANK] = {0};
    if (qkv_view_count(view) == 0) return;
    do
        qkv__store(view->type, view->data, qkv__view_offset(view, index),
                   deviation * random_bell(source));
    while (qkv__index_next(view->rank, view->shape, index));
}

void fill_value(const qkv_view *view, double value)
{
    size_t index[QKV_MAX_RANK] = {0};
    if (qkv_view_count(view) == 0) return;
    do qkv__store(view->type, view->data, qkv__view_offset(view, index), value);
    while (qkv__index_next(view->rank, view->shape, index));
}

double get(const qkv_view *view, size_t a, size_t b, size_t c, size_t d)
{
    size_t index[] = {a, b, c, d};
    return qkv__load(view->type, view->data, qkv__view_offset(view, index));
}

void set(const qkv_view *view, size_t a, size_t b, size_t c, size_t d, double value)
{
    size_t index[] = {a, b, c, d};
    qkv__store(view->type, view->data, qkv__view_offset(view, index), value);
}

bool same_bits(const qkv_view *a, const qkv_view *b)
{
    size_t index[QKV_MAX_RANK] = {0}, size = qkv_type_size(a->type);
    if (a->type != b->type || a->rank != b->rank) return false;
    if (qkv_view_count(a) == 0) return qkv_view_count(b) == 0;
    do {
        ptrdiff_t x = qkv__view_offset(a, index), y = qkv__view_offset(b, index);
        bool nan = isnan(qkv__load(a->type, a->data, x)) && isnan(qkv__load(b->type, b->data, y));
        if (!nan && memcmp((char *)a->data + x * (ptrdiff_t)size,
                           (char *)b->data + y * (ptrdiff_t)size, size) != 0)
            return false;
    } while (qkv__index_next(a->rank, a->shape, index));
    return true;
}

double largest_difference(const qkv_view *a, const qkv_view *b)
{
    size_t index[QKV_MAX_RANK] = {0};
    double largest = 0.0;
    if (qkv_view_count(a) == 0) return 0.0;
    do {
        double x = qkv__load(a->type, a->data, qkv__view_offset(a, index));
        double y = qkv__load(b->type, b->data, qkv__view_offset(b, index));
        if (x == y || (isnan(x) && isnan(y))) continue;
        double difference = fabs(x - y);
        if (isnan(difference)) return INFINITY;
        if (difference > largest) largest = difference;
    } while (qkv__index_next(a->rank, a->shape, index));
    return largest;
}

bool kernel_takes(const char *kernel, qkv_type type)
{
    qkv_view q = make_tensor4(type, 1, 1, 1, 1), c = make_tensor4(type, 1, 1, 1, 1);
    qkv_attention_options options = qkv_attention_default();
    options.kernel = kernel;
    const qkv_status status = qkv_attention(&q, &q, &q, &c, &options, NULL);
    free(q.data), free(c.data);
    return status != QKV_ERROR_UNSUPPORTED;
}

void each_kernel_of_doubles(void (*body)(const char *kernel))
{
    for (size_t i = 0; i < qkv_kernel_count(); i++)
        if (kernel_takes(qkv_kernel_name(i), QKV_F64)) body(qkv_kernel_name(i));
}
