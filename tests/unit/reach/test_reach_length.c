/*
 * How long a query must be, against closed forms for orthonormal keys, duality for random ones and
 * the softmax itself; and questions of a large size. Knows nothing of the solvers.
 */
#include "unit/reach/reach.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "support/random.h"

/* ---- Lengths -------------------------------------------------------------------------------- */

/* Orthonormal keys: Delta sqrt(m (n - m) / n), with (1 - m/n) on the members and -m/n off. */
static void shortest_for_orthonormal_keys(void **state)
{
    (void)state;
    enum { COUNT = 12, WIDTH = 15 };
    static const double margin = 3.5;
    double keys[COUNT * WIDTH] = {0};
    for (size_t i = 0; i < COUNT; i++) keys[i * WIDTH + i] = 1.0;
    const qkv__reach_problem problem = {COUNT, WIDTH, keys};
    size_t members[COUNT];
    for (size_t m = 1; m < COUNT; m++) {
        members[m - 1] = 5 * m % COUNT;
        qkv__arena arena = {0};
        qkv__reach_nearest nearest = shortest(&problem, m, members, margin, &arena);
        double n = COUNT, expected = margin * sqrt((double)m * (n - (double)m) / n);
        assert_int_equal(nearest.status, QKV__REACH_REACHABLE);
        assert_true(fabs(nearest.norm - expected) < 1e-13 * expected);
        assert_true(nearest.norm_least <= expected * (1.0 + 1e-15));
        assert_true(nearest.norm_least > expected * (1.0 - 1e-13));
        assert_true(nearest.margin >= margin && fabs(nearest.gap) < 1e-13);
        for (size_t i = 0; i < COUNT; i++) {
            bool on = false;
            for (size_t k = 0; k < m; k++) on = on || members[k] == i;
            double wanted = margin * ((on ? 1.0 : 0.0) - (double)m / n);
            assert_true(fabs(nearest.query[i] - wanted) < 1e-13);
        }
        qkv__arena_free(&arena);
    }
}

/* Random keys: the margin is kept, and the lower bound that the certificate proves is as long as
 * the query; no random direction does better. */
static void shortest_for_random_keys(void **state)
{
    (void)state;
    enum { COUNT = 50, WIDTH = 12 };
    random_source source = {31};
    int found = 0;
    for (int round = 0; round < 20; round++) {
        double keys[COUNT * WIDTH];
        for (size_t i = 0; i < COUNT * WIDTH; i++) keys[i] = random_bell(&source);
        const qkv__reach_problem problem = {COUNT, WIDTH, keys};
        qkv__arena arena = {0};
        for (size_t size = 1; size <= 3; size++) {
            static const size_t members[] = {4, 9, 2};
            if (subset(&problem, size, members, NULL, &arena).status != QKV__REACH_REACHABLE)
                continue;
            qkv__reach_nearest nearest = shortest(&problem, size, members, 2.0, &arena);
            assert_int_equal(nearest.status, QKV__REACH_REACHABLE);
            assert_true(nearest.norm_least <= nearest.norm);
            assert_true(nearest.norm_least >= nearest.norm * (1.0 - 1e-9));
            assert_true(fabs(nearest.norm * nearest.distance - 2.0) < 1e-8);
            qkv__reach_scale scale;
            assert_int_equal(
                qkv__reach_leak(&problem, size, members, nearest.query, NULL, 0.01, &scale, NULL),
                QKV_OK);
            found++;
        }
        qkv__arena_free(&arena);
    }
    assert_true(found >= 20);
}

/* A point of a hull has no shortest query. */
static void no_distance_no_query(void **state)
{
    (void)state;
    static const double keys[] = {-1.0, 0.0, 1.0};
    static const size_t members[] = {1};
    const qkv__reach_problem problem = {3, 1, keys};
    qkv__arena arena = {0};
    qkv__reach_nearest nearest = shortest(&problem, 1, members, 1.0, &arena);
    assert_int_equal(nearest.status, QKV__REACH_UNKNOWN);
    assert_null(nearest.query);
    qkv__arena_free(&arena);
}

/* Orthonormal keys and q = sum over S of k: leak = (n - m) / (m e^beta + n - m), so that both
 * scales are ln((n - m) (1 - tau) / (m tau)). */
static void scale_for_orthonormal_keys(void **state)
{
    (void)state;
    enum { COUNT = 10 };
    double keys[COUNT * COUNT] = {0}, query[COUNT] = {0};
    size_t members[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        keys[i * COUNT + i] = 1.0;
        members[i] = i;
    }
    const qkv__reach_problem problem = {COUNT, COUNT, keys};
    for (size_t m = 1; m < COUNT; m++) {
        query[m - 1] = 1.0;
        for (double tau = 0.5; tau > 1e-12; tau /= 7.0) {
            double n = COUNT, expected = log((n - (double)m) * (1.0 - tau) / ((double)m * tau));
            qkv__reach_scale scale;
            qkv_error error;
            check_ok(qkv__reach_leak(&problem, m, members, query, NULL, tau, &scale, &error),
                     &error);
            expected = fmax(expected, 0.0);
            assert_true(fabs(scale.least - expected) < 1e-13 * fmax(expected, 1.0));
            assert_true(fabs(scale.sufficient - expected) < 1e-12 * fmax(expected, 1.0));
        }
    }
}

/* The least scale keeps the tolerance, a slightly smaller one does not, with an offset as well. */
static void scale_for_random_keys(void **state)
{
    (void)state;
    enum { COUNT = 7, WIDTH = 6 };
    static const double weights[] = {0.7, 0.2, 0.1}, tau = 1e-4;
    static const size_t members[] = {1, 3, 5};
    random_source source = {37};
    double keys[COUNT * WIDTH], reached[COUNT];
    for (size_t i = 0; i < COUNT * WIDTH; i++) keys[i] = random_bell(&source);
    const qkv__reach_problem problem = {COUNT, WIDTH, keys};
    qkv__arena arena = {0};
    qkv__reach_answer answer = subset(&problem, 3, members, weights, &arena);
    qkv__reach_scale scale;
    qkv_error error;
    check_ok(
        qkv__reach_leak(&problem, 3, members, answer.query, answer.offset, tau, &scale, &error),
        &error);
    assert_true(scale.least > 0.0 && scale.least <= scale.sufficient);
    for (int sign = -1; sign <= 1; sign += 2) {
        double beta = scale.least * (1.0 + sign * 1e-9), kept = 0.0;
        softmax(&problem, beta, answer.query, answer.offset, reached);
        for (size_t m = 0; m < 3; m++) kept += reached[members[m]];
        assert_true(sign < 0 ? 1.0 - kept > tau : 1.0 - kept < tau);
    }
    qkv__arena_free(&arena);
}

/* ---- Size ----------------------------------------------------------------------------------- */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* 10,000 keys in 64 dimensions are decided; how long it took is a comment. */
static void many_keys(void **state)
{
    (void)state;
    enum { COUNT = 10000, WIDTH = 64 };
    random_source source = {41};
    double *keys = malloc(sizeof *keys * COUNT * WIDTH);
    assert_non_null(keys);
    for (size_t i = 0; i < COUNT * WIDTH; i++)
        keys[i] = (i < WIDTH ? 0.1 : 1.0) * random_bell(&source);
    const qkv__reach_problem problem = {COUNT, WIDTH, keys};
    qkv__arena arena = {0};
    double start = seconds();
    qkv__reach_answer inside = copy(&problem, 0, &arena);
    double middle = seconds();
    qkv__reach_answer vertex = copy(&problem, 1, &arena);
    double end = seconds();
    static const size_t members[] = {1};
    qkv__reach_nearest nearest = shortest(&problem, 1, members, 1.0, &arena);
    printf("# 10,000 keys in 64 dimensions: refused in %.3f s, copied in %.3f s, shortest in %.3f "
           "s\n",
           middle - start, end - middle, seconds() - end);
    assert_int_equal(inside.status, QKV__REACH_IMPOSSIBLE);
    assert_true(inside.ceiling < 0.5);
    assert_int_equal(vertex.status, QKV__REACH_REACHABLE);
    assert_int_equal(nearest.status, QKV__REACH_REACHABLE);
    assert_true(nearest.norm_least >= nearest.norm * (1.0 - 1e-9));
    qkv__arena_free(&arena);
    free(keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shortest_for_orthonormal_keys),
        cmocka_unit_test(shortest_for_random_keys),
        cmocka_unit_test(no_distance_no_query),
        cmocka_unit_test(scale_for_orthonormal_keys),
        cmocka_unit_test(scale_for_random_keys),
        cmocka_unit_test(many_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
