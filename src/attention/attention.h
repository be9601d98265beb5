/* The operator, for those who put one attention together from parts: some of the keys at a time. */
#ifndef QKV_ATTENTION_ATTENTION_H
#define QKV_ATTENTION_ATTENTION_H

#include <qkv/attention.h>

/*
 * As qkv_attention, for some of the keys. Parts c_b with levels (h_b, l_b) make up the whole
 *
 *     c = sum_b l_b e^(h_b) c_b / sum_b l_b e^(h_b)
 *
 * level: (batch, heads, queries, 2) in f64, written: h_b, near the highest score, and l_b, the sum
 * of weights relative to it; l_b = 0 where a query sees none of the keys. Not their logarithm:
 * where masks of -1e30 are all that a query sees, it would not tell how many. l_b has the digits
 * that the kernel's own sum has. options.log_sum_exp has more, which takes the kernels in lanes a
 * second pass over all weights, and may be given as well.
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
