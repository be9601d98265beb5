/* Signs of sums of exponentials by Descartes' rule and by balls. Knows nothing of attention. */
#include "ball/exponential_sum.h"

#include <stdlib.h>

#include "ball/fraction.h"
#include "base/memory.h"

enum { PRECISION = 96 };

bool qkv__exponential_sum_make(qkv__exponential_sum *sum, qkv__grid *slope, qkv__grid *rest)
{
    *sum = (qkv__exponential_sum){.slope = slope, .rest = rest};
    bool good = slope != NULL && rest != NULL;
    if (good) sum->factor = qkv__allocate(slope->rows * sizeof *sum->factor);
    if (sum->factor == NULL) {
        qkv__exponential_sum_free(sum);
        return false;
    }
    sum->count = slope->rows;
    for (size_t i = 0; i < sum->count; i++) fmpq_init(sum->factor + i);
    return true;
}

void qkv__exponential_sum_free(qkv__exponential_sum *sum)
{
    for (size_t i = 0; i < sum->count; i++) fmpq_clear(sum->factor + i);
    qkv__free(sum->factor);
    qkv__grid_free(sum->slope);
    qkv__grid_free(sum->rest);
    *sum = (qkv__exponential_sum){0};
}

/* ---- Changes of sign ----------------------------------------------------------------------- */

typedef struct ranked {
    const fmpz *slope, *rest;
    size_t key;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    int order = fmpz_cmp(y->slope, x->slope);
    return order != 0 ? order : fmpz_cmp(y->rest, x->rest);
}

/* total += A e^((rest - reference)/denominator) */
static void add_exponential(arb_t total, const qkv__exponential_sum *sum, const ranked *one,
                            const fmpz *reference, slong precision)
{
    fmpz_t difference;
    arb_t part;
    fmpz_init(difference);
    arb_init(part);
    fmpz_sub(difference, one->rest, reference);
    arb_set_fmpz(part, difference);
    arb_div_fmpz(part, part, sum->rest->denominator, precision);
    arb_exp(part, part, precision);
    arb_mul_fmpz(part, part, fmpq_numref(sum->factor + one->key), precision);
    arb_div_fmpz(part, part, fmpq_denref(sum->factor + one->key), precision);
    arb_add(total, total, part, precision);
    fmpz_clear(difference);
    arb_clear(part);
}

/* By balls, for coefficients of both signs under one slope. */
static int mixed_sign(const qkv__exponential_sum *sum, const ranked *rank, size_t count)
{
    int sign = QKV__SIGN_OPEN;
    arb_t total;
    arb_init(total);
    for (slong precision = 128; sign == QKV__SIGN_OPEN && precision <= 2048; precision *= 4) {
        arb_zero(total);
        for (size_t i = 0; i < count; i++)
            add_exponential(total, sum, &rank[i], rank[0].rest, precision);
        if (arb_is_positive(total)) sign = 1;
        if (arb_is_negative(total)) sign = -1;
    }
    arb_clear(total);
    return sign;
}

/* The sign of the coefficient of one slope: exact where equal rests leave one sign. */
static int group_sign(const qkv__exponential_sum *sum, const ranked *rank, size_t count)
{
    bool positive = false, negative = false;
    fmpq_t total;
    fmpq_init(total);
    for (size_t i = 0; i < count;) {
        size_t first = i;
        fmpq_zero(total);
        for (; i < count && fmpz_equal(rank[i].rest, rank[first].rest); i++)
            fmpq_add(total, total, sum->factor + rank[i].key);
        positive = positive || fmpq_sgn(total) > 0;
        negative = negative || fmpq_sgn(total) < 0;
    }
    fmpq_clear(total);
    if (positive && negative) return mixed_sign(sum, rank, count);
    return positive - negative;
}

static ranked *sorted(const qkv__exponential_sum *sum)
{
    ranked *rank = qkv__allocate(sum->count * sizeof *rank);
    if (rank == NULL) return NULL;
    for (size_t i = 0; i < sum->count; i++)
        rank[i] = (ranked){sum->slope->entry + i, sum->rest->entry + i, i};
    qsort(rank, sum->count, sizeof *rank, compare_ranked);
    return rank;
}

bool qkv__exponential_sum_shape(const qkv__exponential_sum *sum, qkv__sum_shape *shape)
{
    ranked *rank = sorted(sum);
    bool good = rank != NULL;
    *shape = (qkv__sum_shape){0};
    for (size_t i = 0, end; good && i < sum->count; i = end) {
        for (end = i; end < sum->count && fmpz_equal(rank[end].slope, rank[i].slope);) end++;
        int sign = group_sign(sum, rank + i, end - i);
        good = sign != QKV__SIGN_OPEN;
        if (sign == 0) continue;
        if (shape->upward == 0) shape->upward = sign;
        shape->changes += shape->downward != 0 && shape->downward != sign;
        shape->downward = sign;
    }
    qkv__free(rank);
    return good;
}

/* ---- At a point ---------------------------------------------------------------------------- */

/* The positive and the negative terms at a point, both divided by e^(b * the largest slope + the
 * largest rest); `top` are those of the largest slope alone. */
typedef struct halves {
    arb_t positive, negative, top;
} halves;

static void init_halves(halves *h)
{
    arb_init(h->positive);
    arb_init(h->negative);
    arb_init(h->top);
}

static void clear_halves(halves *h)
{
    arb_clear(h->positive);
    arb_clear(h->negative);
    arb_clear(h->top);
}

static const fmpz *largest(const qkv__grid *column)
{
    const fmpz *most = column->entry;
    for (size_t i = 1; i < column->rows; i++)
        if (fmpz_cmp(column->entry + i, most) > 0) most = column->entry + i;
    return most;
}

static void evaluate(const qkv__exponential_sum *sum, qkv__rational b, slong precision, halves *h)
{
    const fmpz *slope = largest(sum->slope), *rest = largest(sum->rest);
    fmpz_t difference;
    arb_t part, other;
    fmpz_init(difference);
    arb_init(part);
    arb_init(other);
    arb_zero(h->positive);
    arb_zero(h->negative);
    arb_zero(h->top);
    for (size_t i = 0; i < sum->count; i++) {
        int sign = fmpq_sgn(sum->factor + i);
        if (sign == 0) continue;
        fmpz_sub(difference, sum->slope->entry + i, slope);
        bool top = fmpz_is_zero(difference);
        arb_set_fmpz(part, difference);
        qkv__arb_mul_int64(part, part, b.numerator, precision);
        qkv__arb_div_int64(part, part, b.denominator, precision);
        arb_div_fmpz(part, part, sum->slope->denominator, precision);
        fmpz_sub(difference, sum->rest->entry + i, rest);
        arb_set_fmpz(other, difference);
        arb_div_fmpz(other, other, sum->rest->denominator, precision);
        arb_add(part, part, other, precision);
        arb_exp(part, part, precision);
        arb_mul_fmpz(part, part, fmpq_numref(sum->factor + i), precision);
        arb_div_fmpz(part, part, fmpq_denref(sum->factor + i), precision);
        if (top) arb_add(h->top, h->top, part, precision);
        if (sign > 0)
            arb_add(h->positive, h->positive, part, precision);
        else
            arb_sub(h->negative, h->negative, part, precision);
    }
    fmpz_clear(difference);
    arb_clear(part);
    arb_clear(other);
}

static int sign_of(const halves *h)
{
    return arb_gt(h->positive, h->negative)   ? 1
           : arb_lt(h->positive, h->negative) ? -1
                                              : QKV__SIGN_OPEN;
}

int qkv__exponential_sum_sign(const qkv__exponential_sum *sum, qkv__rational b)
{
    halves h;
    int sign = QKV__SIGN_OPEN;
    init_halves(&h);
    for (slong precision = PRECISION; sign == QKV__SIGN_OPEN && precision <= 2048; precision *= 4) {
        evaluate(sum, b, precision, &h);
        sign = sign_of(&h);
    }
    clear_halves(&h);
    return sign;
}

/* ---- Over a range -------------------------------------------------------------------------- */

static void remember(qkv__sum_range *found, int sign, qkv__rational b)
{
    if (sign == 1 && !found->has_positive) {
        found->has_positive = true;
        found->positive = b;
    }
    if (sign == -1 && !found->has_negative) {
        found->has_negative = true;
        found->negative = b;
    }
}

/* A cut of the range, and its neighbours to the right. */
typedef struct cut {
    qkv__rational b;
    halves h;
    struct cut *next;
} cut;

static cut *new_cut(const qkv__exponential_sum *sum, qkv__rational b, qkv__sum_range *found)
{
    cut *made = qkv__rational_is_lost(b) ? NULL : qkv__allocate_zero(sizeof *made);
    if (made == NULL) return NULL;
    made->b = b;
    init_halves(&made->h);
    evaluate(sum, b, PRECISION, &made->h);
    remember(found, sign_of(&made->h), b);
    return made;
}

static void free_cuts(cut *first)
{
    while (first != NULL) {
        cut *next = first->next;
        clear_halves(&first->h);
        qkv__free(first);
        first = next;
    }
}

/* Both halves fall from left to right: the least positive against the largest negative. */
static int part_sign(const cut *left, const cut *right)
{
    if (arb_gt(right->h.positive, left->h.negative)) return 1;
    if (arb_gt(right->h.negative, left->h.positive)) return -1;
    return QKV__SIGN_OPEN;
}

/* Cuts [first, last] until each part has the one sign, or the effort is spent. */
static int finite_sign(const qkv__exponential_sum *sum, cut *first, size_t *effort,
                       qkv__sum_range *found)
{
    int sign = QKV__SIGN_OPEN;
    for (cut *left = first; left->next != NULL;) {
        int part = part_sign(left, left->next);
        if (found->has_positive && found->has_negative) return QKV__SIGN_OPEN;
        if (part != QKV__SIGN_OPEN) {
            if (sign != QKV__SIGN_OPEN && sign != part) return QKV__SIGN_OPEN;
            sign = part;
            left = left->next;
            continue;
        }
        if (*effort == 0) return QKV__SIGN_OPEN;
        --*effort;
        cut *middle = new_cut(sum, qkv__rational_between(left->b, left->next->b, 0.5), found);
        if (middle == NULL) return QKV__SIGN_OPEN;
        middle->next = left->next;
        left->next = middle;
    }
    return sign;
}

/* Whether from this cut on the terms of the largest slope outweigh those of the other sign, which
 * fall beside them: that sign, or open. */
static int tail_sign(const halves *h)
{
    arb_t size;
    arb_init(size);
    arb_abs(size, h->top);
    int sign = arb_is_positive(h->top) && arb_gt(size, h->negative)   ? 1
               : arb_is_negative(h->top) && arb_gt(size, h->positive) ? -1
                                                                      : QKV__SIGN_OPEN;
    arb_clear(size);
    return sign;
}

/* [lower, upper], or [lower, infinity) where there is no upper end. */
static int sign_from(const qkv__exponential_sum *sum, qkv__rational lower, const qkv__bound *upper,
                     qkv__sum_range *found)
{
    enum { DOUBLINGS = 40 };
    size_t effort = 40 + 2000000 / (sum->count + 1000);
    int sign = QKV__SIGN_OPEN, tail = QKV__SIGN_OPEN;
    cut *first = new_cut(sum, lower, found), *last = NULL;
    if (first == NULL) return sign;
    qkv__rational step = qkv__rational_whole(1);
    for (int i = 0; upper == NULL && i < DOUBLINGS && tail == QKV__SIGN_OPEN; i++) {
        free_cuts(last);
        last = new_cut(sum, qkv__rational_add(lower, step), found);
        if (last == NULL) break;
        tail = tail_sign(&last->h);
        step = qkv__rational_multiply(step, qkv__rational_whole(2));
    }
    if (upper != NULL) last = new_cut(sum, upper->value, found);
    first->next = last;
    if (last != NULL && (upper != NULL || tail != QKV__SIGN_OPEN))
        sign = finite_sign(sum, first, &effort, found);
    if (upper == NULL && sign != tail) sign = QKV__SIGN_OPEN;
    free_cuts(first);
    return sign;
}

/* D(-b): the same with falling slopes. */
static bool mirror(const qkv__exponential_sum *sum, qkv__exponential_sum *mirrored)
{
    fmpq_t one, minus;
    fmpq_init(one);
    fmpq_init(minus);
    fmpq_set_si(one, 1, 1);
    fmpq_set_si(minus, -1, 1);
    qkv__grid *slope = qkv__grid_make(sum->count, 1), *rest = qkv__grid_make(sum->count, 1);
    if (slope != NULL) qkv__grid_add(slope, minus, sum->slope);
    if (rest != NULL) qkv__grid_add(rest, one, sum->rest);
    bool made = qkv__exponential_sum_make(mirrored, slope, rest);
    for (size_t i = 0; made && i < sum->count; i++) fmpq_set(mirrored->factor + i, sum->factor + i);
    fmpq_clear(one);
    fmpq_clear(minus);
    return made;
}

/* (-infinity, upper] */
static int sign_up_to(const qkv__exponential_sum *sum, qkv__rational upper, qkv__sum_range *found)
{
    qkv__exponential_sum mirrored;
    qkv__sum_range there = {0};
    if (!mirror(sum, &mirrored)) return QKV__SIGN_OPEN;
    int sign = sign_from(&mirrored, qkv__rational_negate(upper), NULL, &there);
    qkv__exponential_sum_free(&mirrored);
    if (there.has_positive) remember(found, 1, qkv__rational_negate(there.positive));
    if (there.has_negative) remember(found, -1, qkv__rational_negate(there.negative));
    return sign;
}

void qkv__exponential_sum_range(const qkv__exponential_sum *sum, const qkv__range *range,
                                qkv__sum_range *found)
{
    const qkv__bound *upper = range->upper.known ? &range->upper : NULL;
    qkv__rational zero = qkv__rational_whole(0);
    *found = (qkv__sum_range){.sign = QKV__SIGN_OPEN};
    if (range->lower.known) {
        found->sign = sign_from(sum, range->lower.value, upper, found);
    } else if (upper != NULL) {
        found->sign = sign_up_to(sum, upper->value, found);
    } else {
        int above = sign_from(sum, zero, NULL, found), below = sign_up_to(sum, zero, found);
        found->sign = above == below ? above : QKV__SIGN_OPEN;
    }
}

/* ---- Turning ------------------------------------------------------------------------------- */

bool qkv__exponential_sum_turn(const qkv__exponential_sum *sum, const qkv__sum_shape *shape,
                               qkv__rational *below, qkv__rational *above)
{
    enum { DOUBLINGS = 40, HALVINGS = 80 };
    *below = qkv__rational_whole(-1);
    *above = qkv__rational_whole(1);
    int i = 0;
    for (; i < DOUBLINGS && qkv__exponential_sum_sign(sum, *below) != shape->downward; i++)
        *below = qkv__rational_multiply(*below, qkv__rational_whole(2));
    for (; i < DOUBLINGS && qkv__exponential_sum_sign(sum, *above) != shape->upward; i++)
        *above = qkv__rational_multiply(*above, qkv__rational_whole(2));
    if (i == DOUBLINGS) return false;
    for (i = 0; i < HALVINGS; i++) {
        double low = qkv__rational_approximate(*below), high = qkv__rational_approximate(*above);
        double size = low < 0 ? -low : low;
        if (high - low <= 1e-12 * (size > 1 ? size : 1)) break;
        qkv__rational middle = qkv__rational_between(*below, *above, 0.5);
        int sign =
            qkv__rational_is_lost(middle) ? QKV__SIGN_OPEN : qkv__exponential_sum_sign(sum, middle);
        if (sign == QKV__SIGN_OPEN) { /* the zero itself, it seems: beside it */
            middle = qkv__rational_between(*below, *above, 0.4);
            if (!qkv__rational_is_lost(middle)) sign = qkv__exponential_sum_sign(sum, middle);
        }
        if (sign == shape->upward)
            *above = middle;
        else if (sign == shape->downward)
            *below = middle;
        else
            break;
    }
    return true;
}
