/* Exact attention: scores by inner products, weights as quotients over one common sum. */
#include "exact/attend.h"

#include <assert.h>
#include <string.h>

/* The sum of exponentials, count_i e^(s_i); all exponents share out from it. */
static qkv__ratio total_of(qkv__space *space, const qkv__class *classes, size_t count,
                           const qkv__ratio *power)
{
    assert(count > 0);
    qkv__ratio total = qkv__ratio_whole(space->algebra, 0);
    for (size_t i = 0; i < count; i++) {
        if (classes[i].masked) continue;
        qkv__ratio part = qkv__ratio_multiply(space->algebra, classes[i].count, power[i]);
        total = qkv__ratio_add(space->algebra, total, part);
    }
    return total;
}

/* Where the rest's scores differ, one class becomes two: one key with the generic score, and the
 * others at the end. */
static bool split_class(qkv__space *space, qkv__class *classes, size_t i, qkv__attention *result)
{
    qkv__algebra *algebra = space->algebra;
    qkv__class *class = &classes[i];
    qkv__others others;
    if (!qkv__space_spread(space, class->of, result->score[i], class->value, class->open, &others))
        return false;
    result->whole = class->open;
    result->value = class->value;
    result->others = others.value;
    if (class->open) {
        result->own = result->score[i];
        result->score[i] = others.score;
        class->total = qkv__vector_scale(space, others.value, class->count);
        return true;
    }
    qkv__ratio one = qkv__ratio_whole(algebra, 1);
    qkv__ratio fewer = qkv__ratio_subtract(algebra, class->count, one);
    classes[result->count] = (qkv__class){.count = fewer,
                                          .value = others.value,
                                          .total = qkv__vector_scale(space, others.value, fewer),
                                          .masked = class->masked};
    class->count = one;
    class->total = class->value;
    result->score[result->count++] = others.score;
    return true;
}

/* Scores and their exponentials. */
static bool fill_scores(qkv__space *space, const qkv__vector *query, qkv__class *classes,
                        qkv__ratio scale, qkv__attention *result)
{
    const size_t count = result->count;
    for (size_t i = 0; i < count; i++) {
        qkv__ratio dot =
            classes[i].scored ? classes[i].score : qkv__vector_dot(space, classes[i].key, query);
        result->score[i] =
            classes[i].scored ? dot : qkv__ratio_multiply(space->algebra, scale, dot);
        if (!qkv__ratio_is_lost(classes[i].bias))
            result->score[i] = qkv__ratio_add(space->algebra, result->score[i], classes[i].bias);
    }
    for (size_t i = 0; i < count; i++)
        if (classes[i].of != NULL && !classes[i].masked &&
            qkv__space_differs(space, result->score[i]) && !split_class(space, classes, i, result))
            return false;
    for (size_t i = 0; i < result->count; i++) {
        result->weight[i] = qkv__ratio_exponential(space->algebra, result->score[i]);
        if (qkv__ratio_is_lost(result->weight[i]) && !classes[i].masked) return false;
    }
    return true;
}

const qkv__attention *qkv__attend(qkv__space *space, const qkv__vector *query,
                                  const qkv__class *keys, size_t count, qkv__ratio scale,
                                  qkv__ratio sink)
{
    assert(count > 0);
    qkv__arena *arena = &space->algebra->arena;
    qkv__attention *result = qkv__arena_take(arena, sizeof *result);
    size_t room = count; /* each class of many may become two */
    for (size_t i = 0; i < count; i++) room += keys[i].of != NULL;
    qkv__ratio *numbers = qkv__arena_array(arena, 2 * room, sizeof *numbers);
    qkv__class *classes = qkv__arena_array(arena, room, sizeof *classes);
    if (result == NULL || numbers == NULL || classes == NULL || query == NULL) return NULL;
    if (count > 0) memcpy(classes, keys, count * sizeof *classes);
    *result = (qkv__attention){.count = count,
                               .score = numbers,
                               .weight = numbers + room,
                               .partial = !qkv__ratio_is_lost(sink)};
    for (size_t i = 0; i < count; i++) result->partial = result->partial || keys[i].masked;
    if (!fill_scores(space, query, classes, scale, result)) return NULL;
    count = result->count;
    qkv__ratio total = total_of(space, classes, count, result->weight);
    if (!qkv__ratio_is_lost(sink))
        total = qkv__ratio_add(space->algebra, total, qkv__ratio_exponential(space->algebra, sink));
    if (qkv__ratio_is_lost(total)) return NULL;
    bool nothing = qkv__ratio_is_zero(total);
    result->output = qkv__vector_zero(space);
    for (size_t i = 0; i < count; i++) {
        if (classes[i].masked || nothing)
            result->weight[i] = qkv__ratio_whole(space->algebra, 0);
        else
            result->weight[i] = qkv__ratio_divide(space->algebra, result->weight[i], total);
        const qkv__vector *part = qkv__vector_scale(space, classes[i].total, result->weight[i]);
        result->output = qkv__vector_add(space, result->output, part);
    }
    return result->output == NULL ? NULL : result;
}
