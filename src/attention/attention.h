/* The operator, for those who put one attention together from parts: some of the keys at a time. */
#ifndef QKV_ATTENTION_ATTENTION_H
#define QKV_ATTENTION_ATTENTION_H

#include <qkv/attention.h>

/*
 * As qkv_attention, for some of the keys. Parts c_b with levels y_b make up the whole
 *
 *     c = sum_b e^(y_b - y) c_b,    y = ln sum_b e^(y_b)
 *
 * level: (batch, heads, queries) in f64, written: y_b, -infinity where a query sees none of the
 * keys. It has the digits that the kernel's own sum of weights has. options.log_sum_exp has more,
 * which takes the kernels in lanes a second pass over all weights, and may be given as well.
 *
 * result: the type that the whole will have. It chooses the kernel, as the output's would: so bf16
 * is computed by the kernels for bf16, while its parts keep the digits of f32.
 *
 * There are no sinks in a part.
 */
qkv_status qkv__attention_part(const qkv_view *query, const qkv_view *key, const qkv_view *value,
                               const qkv_view *output, const qkv_view *level, qkv_type result,
                               const qkv_attention_options *options, qkv_error *error);

#endif
