/*
 * A validated attention problem, and its pieces: what a kernel may rely on.
 *
 * The public call brings views of 2 to 4 axes, options and broadcasts; a qkv__problem has them
 * all on four axes, checked. A kernel sees one qkv__head at a time: one query head of one
 * sequence, plain matrices with two strides.
 */
#ifndef QKV_ATTENTION_PROBLEM_H
#define QKV_ATTENTION_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

#include <qkv/attention.h>

#include "attention/dropout.h"
#include "base/number.h"

/* The axes of every view of a problem. */
enum { QKV__BATCH, QKV__HEADS, QKV__LENGTH, QKV__WIDTH };

/* A matrix of any type in the caller's memory; data is NULL when it is not there. */
typedef struct qkv__matrix {
    void *data;
    qkv_type type;
    ptrdiff_t row, column; /* strides in elements */
} qkv__matrix;

typedef struct qkv__head {
    size_t queries, keys; /* of this sequence; keys beyond them do not exist */
    size_t width, value_width;
    size_t padding; /* keys that the score matrices have beyond `keys` */
    qkv__matrix query, key, value, output;
    qkv__matrix mask;                   /* (queries, keys), bool or float */
    qkv__matrix key_scale, value_scale; /* (keys, 1): of keys and values of type i8 */
    double scale, softcap;              /* softcap 0: none */
    double slope;                       /* ALiBi; 0: none */
    double sink;                        /* -infinity: none */
    qkv__dropout dropout;
    ptrdiff_t offset;      /* position of query 0 */
    ptrdiff_t left, right; /* query at position p may look at keys p - left to p + right */
    qkv__matrix log_sum_exp, entropy; /* (queries, 1) */
    qkv__matrix level;                /* (queries, 2) in f64: h and l, of a part without a sink */
    qkv__matrix scores_raw, scores_capped, scores_masked, weights; /* (queries, keys + padding) */
} qkv__head;

typedef struct qkv__problem {
    size_t sequences;    /* the batch, or the packed sequences */
    size_t heads, group; /* query heads, and how many of them share a key head (1 for none) */
    bool packed;
    qkv_type compute;                   /* QKV_F64 or QKV_F32 */
    qkv_view query, key, value, output; /* four axes each */
    size_t pages, page_size;       /* with a page table: the pool that strides of key and value walk
                                      through, page by page; their shapes are those of the sequences */
    qkv_attention_options options; /* its views on four (or three) axes, broadcast */
    qkv_view level;                /* of a part, see attention.h: four axes; or rank 0 */
    qkv_type result;               /* the type that the output has in the end */
    double scale;
} qkv__problem;

/* The options given, or the defaults for NULL, in this version's struct. */
qkv_status qkv__options_read(const qkv_attention_options *given, qkv_attention_options *options,
                             qkv_error *error);

/* The fourth view of a problem: the output to be written, or the gradient of one, to be read. */
typedef enum qkv__purpose { QKV__FORWARD, QKV__GRADIENT } qkv__purpose;

/* Checks everything and fills *problem, of which nothing holds when it fails. */
qkv_status qkv__problem_make(const qkv_view *query, const qkv_view *key, const qkv_view *value,
                             const qkv_view *output, qkv__purpose purpose,
                             const qkv_attention_options *options, qkv__problem *problem,
                             qkv_error *error);

/* The queries and keys of one sequence. */
void qkv__problem_lengths(const qkv__problem *problem, size_t sequence, size_t *queries,
                          size_t *keys);

/* Whether, of heads that share keys, all have an ALiBi slope or none: then they may share tasks. */
bool qkv__problem_heads_alike(const qkv__problem *problem);

/* The view of keys or values as they are stored: (pages, heads, page size, width) for a paged
 * problem, otherwise the view itself. */
static inline qkv_view qkv__problem_pool(const qkv__problem *problem, const qkv_view *view)
{
    qkv_view pool = *view;
    if (problem->options.page_columns == 0) return pool;
    pool.shape[QKV__BATCH] = problem->pages;
    pool.shape[QKV__LENGTH] = problem->page_size;
    return pool;
}

/* A view with axes of size 1 in front, up to `rank` of them in all. */
qkv_view qkv__view_promote(const qkv_view *view, int rank);

/* The piece for one query head of one sequence. */
void qkv__problem_head(const qkv__problem *problem, size_t sequence, size_t head,
                       qkv__head *result);

/* Keys that query i may look at by position: begin <= j < end, empty when begin >= end. Lengths,
 * offsets and windows were checked to be small enough for these sums. */
static inline void qkv__head_range(const qkv__head *head, size_t query, size_t *begin, size_t *end)
{
    ptrdiff_t position = (ptrdiff_t)query + head->offset;
    ptrdiff_t first = position - head->left;
    ptrdiff_t past = position + head->right + 1;
    *begin = first > 0 ? (size_t)first : 0;
    *end = past < 0 ? 0 : (size_t)past < head->keys ? (size_t)past : head->keys;
}

static inline double qkv__matrix_get(const qkv__matrix *m, size_t row, size_t column)
{
    return qkv__load(m->type, m->data, (ptrdiff_t)row * m->row + (ptrdiff_t)column * m->column);
}

/* Number t of key and value j, times its scale: exact in a double but for scales in f64. */
static inline double qkv__head_key(const qkv__head *head, size_t j, size_t t)
{
    const double number = qkv__matrix_get(&head->key, j, t);
    return head->key_scale.data == NULL ? number : number * qkv__matrix_get(&head->key_scale, j, 0);
}

static inline double qkv__head_value(const qkv__head *head, size_t j, size_t t)
{
    const double number = qkv__matrix_get(&head->value, j, t);
    return head->value_scale.data == NULL ? number
                                          : number * qkv__matrix_get(&head->value_scale, j, 0);
}

static inline bool qkv__head_wants_scores(const qkv__head *head)
{
    return head->scores_raw.data != NULL || head->scores_capped.data != NULL ||
           head->scores_masked.data != NULL || head->weights.data != NULL;
}

/* Whether more is asked for than the output and its log-sum-exp. */
static inline bool qkv__head_wants_more(const qkv__head *head)
{
    return qkv__head_wants_scores(head) || head->entropy.data != NULL;
}

static inline bool qkv__problem_wants_more(const qkv__problem *problem)
{
    const qkv_attention_options *o = &problem->options;
    return o->scores_raw.rank > 0 || o->scores_capped.rank > 0 || o->scores_masked.rank > 0 ||
           o->weights.rank > 0 || o->entropy.rank > 0;
}

#endif
