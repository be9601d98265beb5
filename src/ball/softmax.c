/* Softmax in ball arithmetic over exact scores. Knows nothing of parameters or claims. */
#include "ball/softmax.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"

/* ---- Which keys ---------------------------------------------------------------------------- */

/* Keeps those of the active keys that have the largest entry. */
static void keep_largest(qkv__softmax *s, const qkv__grid *level)
{
    size_t kept = 0;
    const fmpz *largest = level->entry + s->order[0];
    for (size_t i = 1; i < s->active_count; i++)
        if (fmpz_cmp(level->entry + s->order[i], largest) > 0) largest = level->entry + s->order[i];
    for (size_t i = 0; i < s->active_count; i++)
        if (fmpz_equal(level->entry + s->order[i], largest)) s->order[kept++] = s->order[i];
    s->active_count = kept;
}

typedef struct ranked {
    const fmpz *score;
    size_t key;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    int order = fmpz_cmp(y->score, x->score);
    return order != 0 ? order : (x->key > y->key) - (x->key < y->key);
}

/* Sorts the active keys and numbers their distinct scores. */
static bool classify(qkv__softmax *s)
{
    ranked *rank = qkv__allocate(s->active_count * sizeof *rank);
    if (rank == NULL) return false;
    for (size_t i = 0; i < s->active_count; i++)
        rank[i] = (ranked){s->score->entry + s->order[i], s->order[i]};
    qsort(rank, s->active_count, sizeof *rank, compare_ranked);
    for (size_t i = 0; i < s->count; i++) s->class_of[i] = SIZE_MAX;
    for (size_t i = 0; i < s->active_count; i++) {
        s->class_count += i == 0 || !fmpz_equal(rank[i].score, rank[i - 1].score);
        s->order[i] = rank[i].key;
        s->class_of[rank[i].key] = s->class_count - 1;
    }
    qkv__free(rank);
    return true;
}

qkv__softmax *qkv__softmax_make(qkv__grid *const *level, size_t level_count, qkv__grid *score)
{
    assert(level_count == 0 || level != NULL);
    qkv__softmax *s = score == NULL ? NULL : qkv__allocate_zero(sizeof *s);
    if (s == NULL) {
        qkv__grid_free(score);
        return NULL;
    }
    s->count = s->active_count = score->rows;
    s->score = score;
    s->order = qkv__allocate(s->count * sizeof *s->order);
    s->class_of = qkv__allocate(s->count * sizeof *s->class_of);
    bool good = s->order != NULL && s->class_of != NULL;
    for (size_t i = 0; good && i < s->count; i++) s->order[i] = i;
    for (size_t i = 0; good && i < level_count; i++) keep_largest(s, level[i]);
    if (good && classify(s)) return s;
    qkv__softmax_free(s);
    return NULL;
}

void qkv__softmax_free(qkv__softmax *s)
{
    if (s == NULL) return;
    if (s->weight != NULL) _arb_vec_clear(s->weight, (slong)s->count);
    qkv__grid_free(s->score);
    qkv__free(s->order);
    qkv__free(s->class_of);
    qkv__free(s);
}

/* ---- Balls --------------------------------------------------------------------------------- */

/* e^(s - largest s) for one key of each class, shared by the class. */
arb_srcptr qkv__softmax_weights(qkv__softmax *s, slong precision)
{
    if (s->precision >= precision) return s->weight;
    if (s->weight == NULL) s->weight = _arb_vec_init((slong)s->count);
    slong working = precision + 32; /* a sum of millions loses no more */
    fmpz_t difference;
    arb_t sum;
    fmpz_init(difference);
    arb_init(sum);
    for (size_t i = 0; i < s->active_count; i++) {
        size_t key = s->order[i];
        if (i > 0 && s->class_of[key] == s->class_of[s->order[i - 1]]) {
            arb_set(s->weight + key, s->weight + s->order[i - 1]);
        } else {
            fmpz_sub(difference, s->score->entry + key, s->score->entry + s->order[0]);
            arb_set_fmpz(s->weight + key, difference);
            arb_div_fmpz(s->weight + key, s->weight + key, s->score->denominator, working);
            arb_exp(s->weight + key, s->weight + key, working);
        }
        arb_add(sum, sum, s->weight + key, working);
    }
    for (size_t i = 0; i < s->active_count; i++)
        arb_div(s->weight + s->order[i], s->weight + s->order[i], sum, working);
    s->precision = precision;
    fmpz_clear(difference);
    arb_clear(sum);
    return s->weight;
}

void qkv__softmax_combine(qkv__softmax *s, const qkv__grid *values, size_t column, slong precision,
                          arb_t sum)
{
    assert(values->rows == s->count && column < values->columns);
    arb_srcptr weight = qkv__softmax_weights(s, precision);
    arb_zero(sum);
    for (size_t i = 0; i < s->active_count; i++)
        arb_addmul_fmpz(sum, weight + s->order[i],
                        values->entry + s->order[i] * values->columns + column, precision + 32);
    arb_div_fmpz(sum, sum, values->denominator, precision + 32);
}
