/* Shorthands for the tests of reach: a question that must not fail, and the softmax by its
 * definition. */
#ifndef TESTS_UNIT_REACH_H
#define TESTS_UNIT_REACH_H

#include "support/check.h"

#include <math.h>

#include "reach/reach.h"

static inline qkv__reach_answer copy(const qkv__reach_problem *problem, size_t key,
                                     qkv__arena *arena)
{
    qkv__reach_answer answer;
    qkv_error error;
    check_ok(qkv__reach_copy(problem, key, arena, &answer, &error), &error);
    return answer;
}

static inline qkv__reach_answer subset(const qkv__reach_problem *problem, size_t count,
                                       const size_t *members, const double *weights,
                                       qkv__arena *arena)
{
    qkv__reach_answer answer;
    qkv_error error;
    check_ok(qkv__reach_subset(problem, count, members, weights, arena, &answer, &error), &error);
    return answer;
}

static inline qkv__reach_answer exactly(const qkv__reach_problem *problem, const double *target,
                                        qkv__arena *arena)
{
    qkv__reach_answer answer;
    qkv_error error;
    check_ok(qkv__reach_weights(problem, target, arena, &answer, &error), &error);
    return answer;
}

static inline qkv__reach_nearest shortest(const qkv__reach_problem *problem, size_t count,
                                          const size_t *members, double margin, qkv__arena *arena)
{
    qkv__reach_nearest nearest;
    qkv_error error;
    check_ok(qkv__reach_norm(problem, count, members, margin, arena, &nearest, &error), &error);
    return nearest;
}

/* The softmax of beta query + offset, from its definition. */
static inline void softmax(const qkv__reach_problem *problem, double beta, const double *query,
                           const double *offset, double *weights)
{
    double largest = -INFINITY, sum = 0.0;
    for (size_t i = 0; i < problem->count; i++) {
        weights[i] = 0.0;
        for (size_t x = 0; x < problem->width; x++) {
            double q = beta * query[x] + (offset == NULL ? 0.0 : offset[x]);
            weights[i] += problem->keys[i * problem->width + x] * q;
        }
        largest = fmax(largest, weights[i]);
    }
    for (size_t i = 0; i < problem->count; i++) sum += weights[i] = exp(weights[i] - largest);
    for (size_t i = 0; i < problem->count; i++) weights[i] /= sum;
}

#endif
