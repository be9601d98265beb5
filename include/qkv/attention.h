/*
 * The attention operator.
 *
 * For queries q_i, keys k_j and values v_j, attention returns
 *
 *     c_i = sum_j a_ij v_j,      a_ij = softmax over j of  scale * (q_i . k_j)
 *
 * one row c_i for each query. The simple call, with 5 queries over 7 keys of width 64:
 *
 *     qkv_view q = qkv_view_dense(QKV_F32, q_data, 2, (size_t[]){5, 64});
 *     qkv_view k = qkv_view_dense(QKV_F32, k_data, 2, (size_t[]){7, 64});
 *     qkv_view v = qkv_view_dense(QKV_F32, v_data, 2, (size_t[]){7, 32});
 *     qkv_view c = qkv_view_dense(QKV_F32, c_data, 2, (size_t[]){5, 32});
 *     qkv_error error;
 *     if (qkv_attention(&q, &k, &v, &c, NULL, &error) != QKV_OK) ...
 *
 * !!  THE SCALE. Frameworks divide the scores by sqrt(width); textbooks and the attention
 * !!  exploration assignment do not. The default here is the frameworks' 1/sqrt(width).
 * !!  For the textbook's attention set options.scale = 1.
 *
 * Shapes. All four views have the same rank:
 *     rank 2   (length, width)
 *     rank 3   (heads, length, width)
 *     rank 4   (batch, heads, length, width)
 * Strides are free, so any memory layout will do: (B, L, H, D) is qkv_view_exchange away and
 * packed heads (B, L, H*D) are qkv_view_split_heads away. Keys and values share their heads
 * and length; queries and keys share their width; the output has the queries' heads and length
 * and the values' width. There may be more query heads than key heads: with H query heads over
 * G key heads, H a multiple of G, query head h reads key head h / (H/G). Any size may be zero.
 *
 * Types. f64 goes with f64 and is computed in f64. f32, f16 and bf16 may be mixed, are computed
 * with f32 sums, and the output is rounded once to its own type; where all four are bf16, weights
 * may be rounded to bf16 as well. Scores must then stay within
 * f32's range, and so must the numbers in options; finite entries of an f64 mask are cut to it.
 * Keys and values may also be i8 with one scale a row, in options: k_jd = key_scales_j * key_jd;
 * or e4m3 (fp8), with scales or without. They go with any query and output.
 *
 * Outputs must not overlap inputs or each other. Calls may run at the same time in several
 * threads, as long as no one writes what another reads.
 *
 * What is promised, whatever the kernel:
 *   - A query that may look at no key gets zeros, never NaN.
 *   - What lies in a masked key or value, be it NaN or infinite, changes no bit of the output;
 *     a NaN that is looked at reaches those rows alone that look at it. A key whose final score
 *     is -infinity counts as masked; one of +infinity makes its row NaN.
 *   - The bits of a row do not depend on the number of threads, on the other rows, heads or
 *     batches, on strides, or on how the keys came into a cache.
 *   - Memory beside the outputs is O(length * width), unless score matrices are asked for.
 */
#ifndef QKV_ATTENTION_H
#define QKV_ATTENTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <qkv/status.h>
#include <qkv/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options -------------------------------------------------------------------------- */

/*
 * Where query 0 stands among the keys. Causal masks, windows and ALiBi compare positions: key j
 * is at position j, query i at position i + offset.
 */
typedef enum qkv_alignment {
    QKV_ALIGN_UNSET = 0,        /* allowed while no position matters, or lengths are equal */
    QKV_ALIGN_TOP_LEFT = 1,     /* offset 0: the first query stands on the first key */
    QKV_ALIGN_BOTTOM_RIGHT = 2, /* offset = keys - queries: the last stands on the last */
    QKV_ALIGN_OFFSET = 3,       /* offset = options.query_offset */
} qkv_alignment;

#define QKV_UNLIMITED ((size_t)-1) /* a window side without an end */

/* Asks for a scale of exactly zero, all weights equal: the smallest normal double. */
#define QKV_SCALE_ZERO 2.2250738585072014e-308

/*
 * Take a struct from qkv_attention_default() and change what you need. In every field zero (or
 * an empty view, or NULL) means the default, given behind the field.
 *
 * A score goes through four stages:
 *     raw     = scale * q_i.k_j
 *     capped  = softcap * tanh(raw / softcap)
 *     masked  = capped - slope * |i + offset - j| + mask_ij,  or -infinity where not allowed
 *     weight  = exp(masked) / (exp(sink) + sum over j of exp(masked))
 */
typedef struct qkv_attention_options {
    size_t struct_size; /* set by qkv_attention_default(): lets the struct grow */

    double scale;   /* 1/sqrt(width). Finite. See QKV_SCALE_ZERO. */
    double softcap; /* none. Positive. */

    /* Positions. */
    bool causal;             /* false. true: query i looks at keys at or before its position */
    qkv_alignment alignment; /* see above; must be chosen when lengths differ */
    ptrdiff_t query_offset;  /* with QKV_ALIGN_OFFSET; may be negative */
    bool window;             /* false. true: only keys from position - window_left ... */
    size_t window_left;      /*     ... */
    size_t window_right;     /*     ... to position + window_right, both included */

    /*
     * A mask, broadcast to (batch, heads, queries, keys) as NumPy would: axes count from the
     * right, sizes must be equal or 1. QKV_BOOL: not 0 lets a query look. A float type is
     * added to the capped scores; -infinity masks. Default: none.
     */
    qkv_view mask;

    /* Of batch b only the first key_lengths[b] keys exist; the rest is never read. All. */
    const size_t *key_lengths;

    /*
     * Packed sequences of different lengths: with `sequences` = S > 0, the length axes hold S
     * sequences one after the other. Sequence s owns queries query_starts[s] up to, not
     * including, query_starts[s + 1], likewise keys; both arrays have S + 1 entries, begin
     * with 0, do not fall, and end with the length. The batch is 1. A query looks at its own
     * sequence alone, and positions count within it. A mask keeps its packed coordinates.
     */
    size_t sequences;
    const size_t *query_starts;
    const size_t *key_starts;

    const double *alibi_slopes; /* one a query head; >= 0 favours near keys. None. */
    const double *sinks;        /* one a query head: a score that takes weight, gives no value */

    /*
     * More results, written when the view is not empty. All may have any float type.
     *     log_sum_exp, entropy: as the output, without the width; natural logarithms.
     *         Of a row that looks at nothing they are -infinity (or the sink) and 0. The
     *         entropy is that of the keys' weights; a sink's own share has no term in it.
     *     scores_raw, scores_capped, scores_masked, weights: (..., queries, keys).
     *         Beyond key_lengths the first three hold -infinity, weights hold 0.
     *         Not offered for packed sequences.
     */
    qkv_view log_sum_exp;
    qkv_view entropy;
    qkv_view scores_raw;
    qkv_view scores_capped;
    qkv_view scores_masked;
    qkv_view weights;

    /* NULL: what the environment variable QKV_KERNEL names, or else the fastest that fits this
     * CPU; or a name of qkv_kernel_name(). The environment is read once, at the first call. */
    const char *kernel;
    int threads; /* 0: one a core this process may use; never more than 256 */

    /*
     * What each row of the keys and values is to be multiplied by: i8 needs them, e4m3 may have
     * them (one number for a head or for all is a view of stride 0), no other type does. Shaped as
     * key and value without the width, of any float type; rounded to f32 unless the query is f64.
     * The gradient takes neither i8 nor e4m3.
     */
    qkv_view key_scales;
    qkv_view value_scales;

    /*
     * For the gradient alone: the output of the forward call and the log_sum_exp that it wrote,
     * if they were kept; both, or none. Any float type. With them the gradient saves a forward
     * pass. What they lack of f32's precision (of f64's for the log_sum_exp), the gradients lack
     * too: from an f32 output and an f64 log_sum_exp come the bits that come without them.
     */
    qkv_view given_output;
    qkv_view given_log_sum_exp;

    /*
     * Keys and values in pages. With `page_columns` = N > 0, key and value are a pool of pages,
     * (pages, heads, page size, width), and `page_table` says which of them a sequence has: key j
     * of batch b is row j % page size of page page_table[b * N + j / page size]. The table has a
     * row of N numbers for each batch, and there are N * page size keys, or the first
     * key_lengths[b] of them; entries of the table beyond those are never read. Scales have the
     * pool's shape. All views have four axes. Not for packed sequences or the gradient.
     */
    const int32_t *page_table;
    size_t page_columns;
} qkv_attention_options;

QKV_API qkv_attention_options qkv_attention_default(void);

/* ---- The operator --------------------------------------------------------------------- */

/* options may be NULL for the defaults, error may be NULL. */
QKV_API qkv_status qkv_attention(const qkv_view *query, const qkv_view *key, const qkv_view *value,
                                 const qkv_view *output, const qkv_attention_options *options,
                                 qkv_error *error);

/*
 * The gradient of a loss with respect to query, key and value, given its gradient with respect
 * to the output (shape of the output). options as in the forward call; its result views are
 * ignored, see given_output. Results have the shapes of query, key and value; any of the three may
 * be NULL. Weights are computed again, not kept: memory is O(length * width).
 *
 * What the forward call promises holds here too: masked keys get zeros and change nothing, rows
 * that look at nothing get zeros, and the bits do not depend on the number of threads. f16 and
 * bf16 go with f32 sums and are rounded once in the end; beside the scores, products of
 * output_gradient and value must stay within f32's range. The kernels "portable" and "reference"
 * compute the definition in double precision, in plain loops; f64 inputs go with f64 sums.
 */
QKV_API qkv_status qkv_attention_gradient(const qkv_view *query, const qkv_view *key,
                                          const qkv_view *value, const qkv_view *output_gradient,
                                          const qkv_view *query_gradient,
                                          const qkv_view *key_gradient,
                                          const qkv_view *value_gradient,
                                          const qkv_attention_options *options, qkv_error *error);

/* ---- A cache of keys and values ---------------------------------------------------------- */

/*
 * Keys and values that grow token by token, in memory the caller owns: fill in the two views
 * with room for `capacity` tokens on their length axes, start with length 0, append, attend.
 *
 *     qkv_cache cache = {.key = k_room, .value = v_room};
 *     qkv_cache_append(&cache, &new_k, &new_v, &error);
 *     qkv_cache_attend(&cache, &new_q, &c, &options, &error);
 *
 * With a key or value of type i8, and room for its scales, tokens are quantised as they come: a
 * row x of one head is kept as scale = max |x| / 127, rounded to the scales' type, and the whole
 * numbers nearest to x / scale. A row of zeros has scale 0. Into e4m3 they are converted, as
 * qkv_view_copy does it, without a scale.
 */
typedef struct qkv_cache {
    qkv_view key;          /* (..., capacity, width) */
    qkv_view value;        /* (..., capacity, value width) */
    size_t length;         /* tokens held */
    qkv_view key_scales;   /* (..., capacity), for a key of type i8; else empty */
    qkv_view value_scales; /* likewise */
} qkv_cache;

/*
 * Copies new keys and values, of any float type, behind those held. When there is no room, or a
 * number to be quantised is not finite, nothing is changed.
 */
QKV_API qkv_status qkv_cache_append(qkv_cache *cache, const qkv_view *key, const qkv_view *value,
                                    qkv_error *error);

/*
 * Attention over all that the cache holds. Alignment defaults to bottom-right: the queries are
 * the newest tokens. Bit for bit what qkv_attention gives on the same keys without a cache.
 */
QKV_API qkv_status qkv_cache_attend(const qkv_cache *cache, const qkv_view *query,
                                    const qkv_view *output, const qkv_attention_options *options,
                                    qkv_error *error);

/* ---- Self-attention: projections, heads, combination ----------------------------------- */

typedef enum qkv_combine {
    QKV_COMBINE_CONCATENATE = 0, /* heads side by side: (..., L, H * value width) */
    QKV_COMBINE_MEAN = 1,        /* their average, as in the assignment: (..., L, value width) */
    QKV_COMBINE_PROJECT = 2,     /* side by side, times W_O, plus its bias */
} qkv_combine;

/*
 * Q = X W_Q + b_Q and so on; row convention, a token is a row of X. An empty W_Q, W_K or W_V
 * view stands for the identity (then the width of X is cut into heads as it is).
 */
typedef struct qkv_self_attention_weights {
    qkv_view query;      /* W_Q (model width, heads * width) */
    qkv_view key;        /* W_K (model width, kv_heads * width) */
    qkv_view value;      /* W_V (model width, kv_heads * value width) */
    qkv_view output;     /* W_O (heads * value width, anything), for QKV_COMBINE_PROJECT */
    qkv_view query_bias; /* rank 1, as wide as the product; likewise the other three */
    qkv_view key_bias;
    qkv_view value_bias;
    qkv_view output_bias;
    size_t heads;    /* 1 */
    size_t kv_heads; /* as many as heads */
    qkv_combine combine;
} qkv_self_attention_weights;

/*
 * x: (L, model width) or (batch, L, model width), output likewise with the width that the
 * combination gives. Projections are kept in f32 (f64 for f64) between the steps. The result
 * views in options have the shapes of an operator call with an axis of heads.
 */
QKV_API qkv_status qkv_self_attention(const qkv_view *x, const qkv_self_attention_weights *weights,
                                      const qkv_view *output, const qkv_attention_options *options,
                                      qkv_error *error);

/* The average over the axis of heads: (heads, L, D) into (L, D), or the same with a batch. */
QKV_API qkv_status qkv_heads_mean(const qkv_view *heads, const qkv_view *output, qkv_error *error);

/* ---- Kernels ----------------------------------------------------------------------------- */

/* The kernels that can run on this CPU, best first. "reference" is the definition, in plain
 * loops and double precision: slow, and what all others are measured against. */
QKV_API size_t qkv_kernel_count(void);
QKV_API const char *qkv_kernel_name(size_t index); /* NULL past the end */

#ifdef __cplusplus
}
#endif
#endif
