/*
 * The attention operator.
 *
 * For queries q_i, keys k_j and values v_j, attention returns
 *
 *     c_i = sum_j a_ij v_j,      a_ij = softmax over j of  scale * (q_i . k_j)
 *
 * one row c_i per query. The simple call, with 5 queries over 7 keys of width 64:
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
 * Strides are free, so any memory layout will do: use qkv_view_exchange for (B, L, H, D) and
 * qkv_view_split_heads for packed heads (B, L, H*D). Keys and values share their heads
 * and length; queries and keys share their width; the output has the queries' heads and length
 * and the values' width. There may be more query heads than key heads: with H query heads over
 * G key heads, H a multiple of G, query head h reads key head h / (H/G). Any size may be zero.
 *
 * Types. f64 only goes with f64 and is computed in f64. f32, f16 and bf16 may be mixed; they are
 * computed with f32 sums, and the output is rounded once to its own type. If all four are bf16,
 * weights may be rounded to bf16 as well. Scores must then stay within the range of f32, and so
 * must the numbers in options; finite entries of an f64 mask are clamped to it.
 * Keys and values may also be i8 with one scale per row, in options: k_jd = key_scales_j * key_jd;
 * or e4m3 (fp8), with or without scales. They go with any query and output.
 *
 * Outputs must not overlap inputs or each other. Calls may run concurrently in several threads, as
 * long as none of them writes memory that another reads.
 *
 * Promises, for every kernel:
 *   - A query with no visible key gets zeros, never NaN.
 *   - The contents of a masked key or value, even NaN or infinity, never change a bit of the
 *     output; a NaN in a visible key reaches only the rows that see it. A key whose final score
 *     is -infinity counts as masked; one of +infinity makes its row NaN.
 *   - The bits of a row do not depend on the number of threads, on the other rows, heads or
 *     batches, on strides, or on how the keys were appended to a cache.
 *   - Memory besides the outputs is O(length * width), unless score matrices are requested.
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
 * The position of query 0 among the keys. Causal masks, windows and ALiBi compare positions: key j
 * is at position j, query i at position i + offset.
 */
typedef enum qkv_alignment {
    QKV_ALIGN_UNSET = 0,        /* allowed if positions do not matter or lengths are equal */
    QKV_ALIGN_TOP_LEFT = 1,     /* offset 0: the first query is at the first key */
    QKV_ALIGN_BOTTOM_RIGHT = 2, /* offset = keys - queries: the last is at the last */
    QKV_ALIGN_OFFSET = 3,       /* offset = options.query_offset */
} qkv_alignment;

#define QKV_UNLIMITED ((size_t)-1) /* a window side without an end */

/* Requests a scale of exactly zero (all weights equal): the smallest normal double. */
#define QKV_SCALE_ZERO 2.2250738585072014e-308

/*
 * Take a struct from qkv_attention_default() and change what you need. In every field zero (or
 * an empty view, or NULL) means the default, which is given after the field.
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
    bool causal;             /* false. true: query i sees only keys at or before its position */
    qkv_alignment alignment; /* see above; must be chosen if lengths differ */
    ptrdiff_t query_offset;  /* with QKV_ALIGN_OFFSET; may be negative */
    bool window;             /* false. true: only keys from position - window_left ... */
    size_t window_left;      /*     ... */
    size_t window_right;     /*     ... to position + window_right, both included */

    /*
     * A mask, broadcast to (batch, heads, queries, keys) by NumPy's rules: axes count from the
     * right, sizes must be equal or 1. QKV_BOOL: nonzero where a query may look. A float type is
     * added to the capped scores; -infinity masks. Other types are refused: bytes of 0 and 1 are
     * more likely a boolean mask than numbers to add. Default: none.
     */
    qkv_view mask;

    /* In batch b only the first key_lengths[b] keys exist; the rest is never read. All. */
    const size_t *key_lengths;

    /*
     * Packed sequences of different lengths: with `sequences` = S > 0, the length axes hold S
     * sequences one after the other. Sequence s owns queries query_starts[s] up to, but not
     * including, query_starts[s + 1], and likewise keys; both arrays have S + 1 entries, begin
     * with 0, never decrease, and end with the length. The batch is 1. A query sees only its own
     * sequence, and positions count within it. A mask keeps its packed coordinates.
     */
    size_t sequences;
    const size_t *query_starts;
    const size_t *key_starts;

    const double *alibi_slopes; /* one per query head; >= 0 favours near keys. None. */
    const double *sinks;        /* one per query head: a score that takes weight, without a value */

    /*
     * More results, written if the view is not empty. All may have any float type.
     *     log_sum_exp, entropy: the shape of the output without the width; natural logarithms.
     *         For a row with no visible key they are -infinity (or the sink) and 0. The
     *         entropy is that of the keys' weights; the sink's share has no term in it.
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

    /* A name from qkv_kernel_name(). NULL: the kernel named by the environment variable QKV_KERNEL,
     * otherwise the fastest suitable one. The environment is read once, at the first call. */
    const char *kernel;
    int threads; /* 0: one per core that this process may use; never more than 256 */

    /*
     * One factor per row of the keys and values: required for i8, optional for e4m3 (a view of
     * stride 0 gives one number for a head or for all), and not allowed for other types. Shaped as
     * key and value without the width, of any float type; rounded to f32 unless the query is f64.
     * The gradient takes neither i8 nor e4m3.
     */
    qkv_view key_scales;
    qkv_view value_scales;

    /*
     * Only for the gradient: the output of the forward call and its log_sum_exp, if they were
     * kept; both or neither. Any float type. They save the gradient a forward pass. Gradients are
     * no more precise than they are: with an f32 output and an f64 log_sum_exp, the bits are the
     * same as without them.
     */
    qkv_view given_output;
    qkv_view given_log_sum_exp;

    /*
     * Keys and values in pages. With `page_columns` = N > 0, key and value are a pool of pages,
     * (pages, heads, page size, width), and `page_table` lists the pages of each sequence: key j
     * of batch b is row j % page size of page page_table[b * N + j / page size]. The table has one
     * row of N numbers per batch, and there are N * page size keys, or the first
     * key_lengths[b] of them; entries of the table beyond those are never read. Scales have the
     * shape of the pool. All views have four axes. Not for packed sequences or the gradient.
     */
    const int32_t *page_table;
    size_t page_columns;

    /*
     * Dropout, for training: each weight is set to 0 with this probability, and the others are
     * divided by 1 - dropout, after the softmax. `seed` decides which: the same seed gives the same
     * mask for any number of threads, for every kernel and in the gradient; qkv_dropout_mask shows
     * it. log_sum_exp, entropy, scores and weights are those before dropout.
     */
    double dropout; /* 0. From 0 to 1 */
    uint64_t seed;  /* any; 0 is a seed like the others */

    /*
     * Only for the gradient: the gradients with respect to what options add to the scores, written
     * if the view is not empty or the pointer not NULL.
     *     mask_gradient: of a mask of a float type, of the mask's shape and any float type; summed
     *         over the axes along which the mask is broadcast. Takes memory for the sums, 8 bytes
     *         per entry of the mask.
     *     alibi_slopes_gradient, sinks_gradient: one number per query head.
     */
    qkv_view mask_gradient;
    double *alibi_slopes_gradient;
    double *sinks_gradient;
} qkv_attention_options;

QKV_API qkv_attention_options qkv_attention_default(void);

/*
 * The mask of a call with that dropout and seed, as a view of type QKV_BOOL and of shape (queries,
 * keys), (heads, queries, keys) or (batch, heads, queries, keys): true where a weight is kept. For
 * packed sequences, the batch is the number of the sequence, and queries and keys count within it.
 */
QKV_API qkv_status qkv_dropout_mask(double dropout, uint64_t seed, const qkv_view *mask,
                                    qkv_error *error);

/* ---- The operator --------------------------------------------------------------------- */

/* options may be NULL for the defaults, error may be NULL. */
QKV_API qkv_status qkv_attention(const qkv_view *query, const qkv_view *key, const qkv_view *value,
                                 const qkv_view *output, const qkv_attention_options *options,
                                 qkv_error *error);

/*
 * The gradient of a loss with respect to query, key and value, given its gradient with respect
 * to the output (shape of the output). options as in the forward call; the results of that call are
 * ignored, see given_output and mask_gradient. Results have the shapes of query, key and value; any
 * of the three may be NULL. Weights are recomputed, not stored: memory is O(length * width), unless
 * mask_gradient is requested.
 *
 * The promises of the forward call hold here too: masked keys get zeros and change nothing, rows
 * with no visible key get zeros, and the bits do not depend on the number of threads. f16 and
 * bf16 have f32 sums and are rounded once at the end; products of output_gradient and value, like
 * the scores, must stay within the range of f32. The kernels "portable" and "reference" compute
 * the definition in double precision, in plain loops; f64 inputs have f64 sums.
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
 * With a key or value of type i8, and room for its scales, tokens are quantised when they are
 * appended: a row x of one head is stored as scale = max |x| / 127, rounded to the scales' type,
 * and the whole numbers nearest to x / scale. A row of zeros has scale 0. Tokens are converted to
 * e4m3 without a scale, as by qkv_view_copy.
 */
typedef struct qkv_cache {
    qkv_view key;          /* (..., capacity, width) */
    qkv_view value;        /* (..., capacity, value width) */
    size_t length;         /* tokens held */
    qkv_view key_scales;   /* (..., capacity), for a key of type i8; otherwise empty */
    qkv_view value_scales; /* the same for the value */
} qkv_cache;

/*
 * Appends new keys and values, of any float type. If there is no room, or a number to be quantised
 * is not finite, nothing is changed.
 */
QKV_API qkv_status qkv_cache_append(qkv_cache *cache, const qkv_view *key, const qkv_view *value,
                                    qkv_error *error);

/*
 * Attention over the contents of the cache. Alignment defaults to bottom-right: the queries are
 * the newest tokens. Bit for bit the result of qkv_attention on the same keys without a cache.
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
 * Q = X W_Q + b_Q and so on; a token is a row of X. An empty W_Q, W_K or W_V view means the
 * identity (the width of X is then split into heads directly).
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
 * x: (L, model width) or (batch, L, model width); the output is the same with the width of the
 * combination. Projections are kept in f32 (f64 for f64) between the steps. The result
 * views in options have the shapes of an operator call with a head axis.
 */
QKV_API qkv_status qkv_self_attention(const qkv_view *x, const qkv_self_attention_weights *weights,
                                      const qkv_view *output, const qkv_attention_options *options,
                                      qkv_error *error);

/* The average over the head axis: (heads, L, D) into (L, D), or the same with a batch. */
QKV_API qkv_status qkv_heads_mean(const qkv_view *heads, const qkv_view *output, qkv_error *error);

/* ---- Kernels ----------------------------------------------------------------------------- */

/* The kernels that can run on this CPU, best first. "reference" is the definition, in plain
 * loops and double precision: slow, and the standard for all others. */
QKV_API size_t qkv_kernel_count(void);
QKV_API const char *qkv_kernel_name(size_t index); /* NULL past the end */

#ifdef __cplusplus
}
#endif
#endif
