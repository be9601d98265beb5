/*
 * Whether two strided views share memory, exactly: slices of one array may lie between each other
 * without a byte in common. Knows nothing of Python's objects, nor of attention.
 *
 * A byte of `a` is at first(a) + sum x[i]*s[i] + u, with 0 <= x[i] < n[i] and 0 <= u < size; one of
 * `b`, counted down, at last(b) - sum y[j]*t[j] - w. They are the same where
 *     sum x[i]*s[i] + u + sum y[j]*t[j] + w = last(b) - first(a),
 * a sum of bounded multiples of positive strides. Axes of one stride are one term: of two slices of
 * an array, few are left, and each has one or two multiples to try.
 */
#include <stdint.h>

#include "array.h"

enum { TERMS = 2 * QKV_MAX_RANK + 2, MOST_TRIES = 100000 };

typedef struct term {
    int64_t stride, most; /* 0 to most times the stride, which is positive */
} term;

typedef struct sum {
    term term[TERMS];          /* by falling strides */
    int64_t behind[TERMS + 1]; /* the largest sum of the terms from here on */
    int count, tries;
} sum;

static void add_term(sum *s, int64_t stride, int64_t most)
{
    int place = 0;
    if (stride == 0 || most == 0) return;
    while (place < s->count && s->term[place].stride > stride) place++;
    if (place < s->count && s->term[place].stride == stride) {
        s->term[place].most += most;
        return;
    }
    for (int i = s->count; i > place; i--) s->term[i] = s->term[i - 1];
    s->term[place] = (term){stride, most};
    s->count++;
}

/* Adds the terms of a view, and puts the addresses of its first and last byte. */
static void add_view(sum *s, const qkv_view *view, int64_t *first, int64_t *last)
{
    int64_t size = (int64_t)qkv_type_size(view->type);
    *first = *last = (int64_t)(intptr_t)view->data;
    for (int i = 0; i < view->rank; i++) {
        int64_t stride = (int64_t)view->stride[i] * size, most = (int64_t)view->shape[i] - 1;
        *(stride < 0 ? first : last) += stride * most;
        add_term(s, stride < 0 ? -stride : stride, most);
    }
    *last += size - 1;
    add_term(s, 1, size - 1);
}

/* Whether the terms from `at` on can give the target; so too where that takes too long to tell. */
static bool reaches(sum *s, int at, int64_t target)
{
    if (target < 0 || target > s->behind[at]) return false;
    if (target == 0 || ++s->tries > MOST_TRIES) return true;
    const term *t = &s->term[at]; /* there is one, as its sum is above 0 */
    int64_t least = target - s->behind[at + 1], most = target / t->stride;
    if (t->stride == 1) return true; /* the last term: every number up to its end */
    least = least <= 0 ? 0 : (least + t->stride - 1) / t->stride;
    if (most > t->most) most = t->most;
    for (int64_t x = most; x >= least; x--)
        if (reaches(s, at + 1, target - x * t->stride)) return true;
    return false;
}

/* Fills in the sums of what is behind each term. */
static void add_up(sum *s)
{
    s->behind[s->count] = 0;
    for (int i = s->count - 1; i >= 0; i--)
        s->behind[i] = s->behind[i + 1] + s->term[i].stride * s->term[i].most;
}

/* Two elements at one place differ by d[i] in each index, with sum d[i]*s[i] = 0. Let d[axis] be
 * positive: d[axis] - 1 and d[i] + n[i] - 1 are not negative, and bounded. */
static bool meets_along(const qkv_view *view, int axis)
{
    sum s = {.count = 0};
    int64_t target = 0;
    for (int i = 0; i < view->rank; i++) {
        int64_t stride = view->stride[i] < 0 ? -view->stride[i] : view->stride[i];
        int64_t most = (int64_t)view->shape[i] - 1;
        if (i == axis && stride == 0) return true;
        target += i == axis ? -stride : stride * most;
        add_term(&s, stride, i == axis ? most - 1 : 2 * most);
    }
    add_up(&s);
    return reaches(&s, 0, target);
}

bool view_meets_itself(const qkv_view *view)
{
    if (qkv_view_count(view) == 0) return false;
    for (int i = 0; i < view->rank; i++)
        if (view->shape[i] > 1 && meets_along(view, i)) return true;
    return false;
}

bool views_meet(const qkv_view *a, const qkv_view *b)
{
    sum s = {.count = 0};
    int64_t first[2], last[2];
    if (qkv_view_count(a) == 0 || qkv_view_count(b) == 0) return false;
    add_view(&s, a, &first[0], &last[0]);
    add_view(&s, b, &first[1], &last[1]);
    if (first[0] > last[1] || first[1] > last[0]) return false;
    add_up(&s);
    return reaches(&s, 0, last[1] - first[0]);
}
