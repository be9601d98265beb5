/* Tensors for tests: made in one line, filled, compared. Failure to allocate ends the program. */
#ifndef TESTS_SUPPORT_TENSORS_H
#define TESTS_SUPPORT_TENSORS_H

#include <stdbool.h>

#include <qkv/qkv.h>

#include "support/random.h"

/* A dense tensor of zeros; free its data with free(). */
qkv_view make_tensor(qkv_type type, int rank, const size_t *shape);

/* Rank 4: (batch, heads, length, width). */
qkv_view make_tensor4(qkv_type type, size_t batch, size_t heads, size_t length, size_t width);

/* The same shape with uninitialised strides that are neither dense nor in order: axes are laid
 * out in another order with gaps between elements, which hold NaN. */
qkv_view make_scattered(const qkv_view *like, random_source *source);

void fill_random(const qkv_view *view, double deviation, random_source *source);
void fill_value(const qkv_view *view, double value);

double get(const qkv_view *view, size_t a, size_t b, size_t c, size_t d);
void set(const qkv_view *view, size_t a, size_t b, size_t c, size_t d, double value);

/* Whether all elements have the same bits (two NaN count as the same). */
bool same_bits(const qkv_view *a, const qkv_view *b);

/* Whether the kernel of that name takes operands of that type. */
bool kernel_takes(const char *kernel, qkv_type type);

/* Runs a test body once for each kernel that takes doubles. */
void each_kernel_of_doubles(void (*body)(const char *kernel));

/* The largest absolute difference; NaN in one of them alone counts as infinite. */
double largest_difference(const qkv_view *a, const qkv_view *b);

#endif
