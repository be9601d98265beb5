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

/* Scores and their exponentials. Where the rest's scores differ, one class becomes two: one key
 * with the generic score, and the others. */
static bool fill_scores(qkv__space *space, const qkv__vector *query, qkv__class *classes,
                        qkv__ratio scale, qkv__attention *result)
{
    for (size_t i = 0; i < result->count; i++) {
        qkv__ratio dot = qkv__vector_dot(space, classes[i].key, query);
        result->score[i] = qkv__ratio_multiply(space->algebra, scale, dot);
    }
    size_t last = result->count - 1;
    if (result->count > 0 && qkv__ratio_is_generic(space->algebra, result->score[last])) {
        const qkv__spread *spread =
            qkv__space_spread(space, result->score[last], classes[last].value);
        if (spread == NULL) return false;
        qkv__ratio one = qkv__ratio_whole(space->algebra, 1);
        qkv__ratio fewer = qkv__ratio_subtract(space->algebra, classes[last].count, one);
        classes[last + 1] = (qkv__class){.count = fewer,
                                         .value = spread->others,
                                         .total = qkv__vector_scale(space, spread->others, fewer)};
        result->value = classes[last].value;
        result->others = spread->others;
        classes[last].count = one;
        classes[last].total = classes[last].value;
        result->score[result->count++] = qkv__ratio_of_form(
            space->algebra, qkv__form_parameter(space->algebra, spread->parameter));
    }
    for (size_t i = 0; i < result->count; i++) {
        result->weight[i] = qkv__ratio_exponential(space->algebra, result->score[i]);
        if (qkv__ratio_is_lost(result->weight[i]) && !classes[i].masked) return false;
    }
    return true;
}

const qkv__attention *qkv__attend(qkv__space *space, const qkv__vector *query,
                                  const qkv__class *keys, size_t count, qkv__ratio scale)
{
    assert(count > 0);
    qkv__arena *arena = &space->algebra->arena;
    qkv__attention *result = qkv__arena_take(arena, sizeof *result);
    qkv__ratio *numbers = qkv__arena_array(arena, 2 * (count + 1), sizeof *numbers);
    qkv__class *classes = qkv__arena_array(arena, count + 1, sizeof *classes);
    if (result == NULL || numbers == NULL || classes == NULL || query == NULL) return NULL;
    if (count > 0) memcpy(classes, keys, count * sizeof *classes);
    *result = (qkv__attention){.count = count, .score = numbers, .weight = numbers + count + 1};
    if (!fill_scores(space, query, classes, scale, result)) return NULL;
    count = result->count;
    qkv__ratio total = total_of(space, classes, count, result->weight);
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
