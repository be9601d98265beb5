/*
 * The proofs of reach against candidates that are wrong, most of them by less than a rounding:
 * nothing false may pass for proved. Also the two solvers against one another. Knows the inner
 * header of reach, and no solver from inside.
 */
#include "support/check.h"

#include <math.h>

#include "reach/reach_part.h"
#include "support/random.h"

enum { MOST = 32 };

/* ---- Whole numbers -------------------------------------------------------------------------- */

static void fractions_are_found(void **state)
{
    (void)state;
    const double values[] = {1.0 / 3.0, -5.0 / 14.0, 0.0, 2.0, 1e-17};
    int64_t whole[5];
    assert_true(qkv__reach_whole(5, values, whole));
    assert_true(whole[0] == 14 && whole[1] == -15 && whole[2] == 0 && whole[3] == 84);
    assert_true(whole[4] == 0);
    const double even[] = {4.0, -8.0}, odd[] = {3.14159265358979}, nothing[] = {0.0, 0.0};
    assert_true(qkv__reach_whole(2, even, whole) && whole[0] == 1 && whole[1] == -2);
    assert_false(qkv__reach_whole(1, odd, whole));
    assert_false(qkv__reach_whole(2, nothing, whole));
}

/* One part in 2^60 is seen, where a sum in doubles sees nothing; beyond 128 bits, nothing is
 * claimed. */
static void sums_are_exact(void **state)
{
    (void)state;
    const int64_t whole[] = {3, -1, -1, -1};
    const double zero[] = {0.1, 0.1, 0.1, 0.1}, balanced[] = {0x1p-30, 0x1p-30, 0.5, 0.0};
    const double tiny[] = {1.0, 1.0, 1.0, 1.0 - 0x1p-53}, wide[] = {1.0, 0x1p-70, 0.0, 0.0};
    assert_true(qkv__reach_sum_is_zero(4, whole, zero));
    assert_false(qkv__reach_sum_is_zero(4, whole, balanced));
    assert_false(qkv__reach_sum_is_zero(4, whole, tiny));
    assert_false(qkv__reach_sum_is_zero(4, whole, wide));
    const int64_t ones[] = {1, 1, 1};
    const double cancels[] = {1.0, 0x1p-60, -1.0}, settled[] = {0x1p60, 1.5, -0x1p60};
    assert_false(qkv__reach_sum_is_zero(3, ones, cancels));
    assert_false(qkv__reach_sum_is_zero(3, ones, settled));
    const int64_t signs[] = {1, -1, 1, -1};
    const double beyond[] = {0x1p100, 0x1p101, 1.0, 1.0};
    assert_false(qkv__reach_sum_is_zero(4, signs, beyond));
}

/* ---- Linear systems ------------------------------------------------------------------------- */

/* Matrices of whole numbers times a near-singular change, with the solution (1, 2, 3, ...) known
 * exactly: it lies in the box, whatever the guess was. */
static void boxes_hold_the_solution(void **state)
{
    (void)state;
    random_source source = {3};
    int enclosed = 0, inexact = 0;
    for (int round = 0; round < 300; round++) {
        size_t size = 2 + random_below(&source, 6);
        double matrix[64], right[8] = {0}, solution[8], radius[8];
        for (size_t i = 0; i < size; i++)
            for (size_t j = 0; j < size; j++) {
                double entry = (double)random_below(&source, 1000);
                if (i > 0) entry = matrix[j] * 1024.0 + (double)random_below(&source, 5) - 2.0;
                matrix[i * size + j] = entry;
                right[i] += entry * (double)(j + 1);
            }
        for (size_t j = 0; j < size; j++) solution[j] = random_bell(&source);
        qkv__arena scratch = {0};
        if (qkv__reach_enclose(size, size, matrix, right, solution, radius, &scratch)) {
            enclosed++;
            for (size_t j = 0; j < size; j++) {
                inexact += solution[j] != (double)(j + 1);
                assert_true(fabs(solution[j] - (double)(j + 1)) <= radius[j]);
            }
        }
        qkv__arena_free(&scratch);
    }
    assert_true(enclosed > 100 && inexact > 100);
}

static void singular_systems_are_refused(void **state)
{
    (void)state;
    const double twice[] = {1.0, 2.0, 3.0, 2.0, 4.0, 6.0}, right[] = {1.0, 2.0};
    const double nearly[] = {0.1, 0.3, 0.2, 0.6}, more[] = {1.0, 2.0};
    double solution[3] = {0}, radius[3];
    qkv__arena scratch = {0};
    assert_false(qkv__reach_enclose(2, 3, twice, right, solution, radius, &scratch));
    assert_false(qkv__reach_enclose(2, 2, nearly, right, solution, radius, &scratch));
    assert_false(qkv__reach_enclose(2, 1, more, right, solution, radius, &scratch));
    qkv__arena_free(&scratch);
}

/* ---- Faces ---------------------------------------------------------------------------------- */

/* The sum in doubles is 2^-54, the true one is 0: k_1 - k_2 = (1, e, -1, -e), e = 1.5 2^-53. */
static void a_margin_of_rounding_is_none(void **state)
{
    (void)state;
    const double e = 1.5 * 0x1p-53;
    const double keys[] = {1.0, e, -1.0, -e, 0.0, 0.0, 0.0, 0.0}, query[] = {1.0, 1.0, 1.0, 1.0};
    const qkv__reach_problem problem = {2, 4, keys};
    const size_t members[] = {0};
    const bool flags[] = {true, false};
    const qkv__reach_face face = {&problem, 1, members, flags};
    assert_true(((keys[0] + keys[1]) + keys[2]) + keys[3] > 0.0);
    assert_true(qkv__reach_margin(&face, query, 0.0) <= 0.0);
    const double real[] = {1.0, 1.0, 1.0 - 0x1p-40, 1.0};
    double margin = qkv__reach_margin(&face, real, 0.0);
    assert_true(margin > 0.0 && margin < 0x1p-40);
    assert_true(qkv__reach_margin(&face, real, 0x1p-40) <= 0.0); /* 2 2^-40 is lost on the box */
}

/* A square's corners as members, which are affinely dependent, and a key below. Directions that
 * are not constant on them, by a little or by much, are at most numerical. */
static void tilted_faces_are_not_proved(void **state)
{
    (void)state;
    const double keys[] = {0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0.5, 0.5, 0};
    const qkv__reach_problem problem = {5, 3, keys};
    const size_t members[] = {0, 1, 2, 3};
    const bool flags[] = {true, true, true, true, false};
    const qkv__reach_face face = {&problem, 4, members, flags};
    for (int step = 0; step <= 60; step++) {
        double query[] = {ldexp(1.0, -step), 0.0, 1.0}, margin;
        qkv__arena scratch = {0};
        qkv__reach_proof proof = qkv__reach_prove_face(&face, &scratch, query, &margin);
        qkv__arena_free(&scratch);
        if (proof == QKV__REACH_EXACT) /* the tilt was rounded away, from the query as well */
            assert_true(step >= 30 && query[0] == 0.0 && query[2] == 1.0 && margin < 1.0);
        else
            assert_int_equal(proof, QKV__REACH_NOTHING);
    }
    double level[] = {0.0, 0.0, 0.75}, margin;
    qkv__arena scratch = {0};
    assert_int_equal(qkv__reach_prove_face(&face, &scratch, level, &margin), QKV__REACH_EXACT);
    assert_true(margin > 0.0);
    qkv__arena_free(&scratch);
}

/* Two members so close that their common level is known to few digits, and a third key exactly on
 * their line: no direction is constant on the members and less there, whichever side a rounded one
 * errs to. */
static void ill_conditioned_faces_are_not_proved(void **state)
{
    (void)state;
    const double close = 0x1p-40;
    const double keys[] = {1.0, 1.0, 1.0 + close, 1.0 + 3.0 * close, 2.0, 4.0};
    const qkv__reach_problem problem = {3, 2, keys};
    const size_t members[] = {0, 1};
    const bool flags[] = {true, true, false};
    const qkv__reach_face face = {&problem, 2, members, flags};
    random_source source = {21};
    for (int round = 0; round < 200; round++) {
        double sign = round % 2 == 0 ? 1.0 : -1.0, margin;
        double query[] = {sign, -sign / 3.0 + 1e-3 * random_bell(&source)};
        qkv__arena scratch = {0};
        qkv__reach_proof proof = qkv__reach_prove_face(&face, &scratch, query, &margin);
        assert_true(proof <= QKV__REACH_NUMERICAL);
        qkv__arena_free(&scratch);
    }
}

/* ---- Dependencies --------------------------------------------------------------------------- */

/* Judges multipliers of the first keys; the last key is the member. */
static qkv__reach_proof judge(const qkv__reach_problem *problem, const double *multipliers)
{
    size_t index[MOST];
    double value[MOST], radius[MOST] = {0};
    bool is_off[MOST];
    for (size_t i = 0; i < problem->count; i++) {
        index[i] = i;
        value[i] = multipliers[i];
        is_off[i] = i + 1 < problem->count;
    }
    qkv__reach_dependency dependency = {problem->count, index, value, radius, is_off};
    qkv__arena scratch = {0};
    qkv__reach_proof proof = qkv__reach_prove_dependency(problem, &scratch, &dependency);
    qkv__arena_free(&scratch);
    return proof;
}

static void wrong_dependencies_are_not_proved(void **state)
{
    (void)state;
    const double keys[] = {-1.0, 0.0, 1.0, 0.0, 0.0, 0.0},
                 moved[] = {-1.0, 0.0, 1.0, 0.0, 0.0, 1.0};
    const double aside[] = {-1.0, 0.0, 1.0, 0.0, 3.0, 0.0};
    const double inexact[] = {-1.0, 0.0, 1.0, 0.0, 0.0, 0x1p-60};
    const double half[] = {0.5, 0.5, -1.0}, other[] = {0.75, 0.25, -1.0};
    const double outside[] = {-1.0, 2.0, -1.0}, unbalanced[] = {0.5, 0.5, -0.5};
    const qkv__reach_problem flat = {3, 2, keys}, high = {3, 2, moved}, far = {3, 2, aside};
    const qkv__reach_problem near = {3, 2, inexact};
    assert_int_equal(judge(&flat, half), QKV__REACH_EXACT);
    assert_int_equal(judge(&flat, other), QKV__REACH_ENCLOSED); /* wrong, but mended */
    assert_int_equal(judge(&flat, unbalanced), QKV__REACH_ENCLOSED);
    assert_int_equal(judge(&high, half), QKV__REACH_NOTHING); /* right in one coordinate alone */
    assert_int_equal(judge(&high, unbalanced), QKV__REACH_NOTHING);
    assert_int_equal(judge(&far, half), QKV__REACH_NOTHING);
    assert_int_equal(judge(&far, outside), QKV__REACH_NOTHING); /* 3 = -(-1) + 2, not convex */
    assert_int_equal(judge(&near, half), QKV__REACH_NUMERICAL);
}

/* A point beside an edge of a triangle by 2^-k, inside and outside, with the exact multipliers
 * rounded: the point outside is never proved to be inside. */
static void points_just_outside_are_not_proved(void **state)
{
    (void)state;
    int proved = 0;
    for (int step = 4; step < 50; step++) {
        for (int side = -1; side <= 1; side += 2) {
            double beside = side * ldexp(1.0, -step), up = beside / 3.0;
            const double keys[] = {0.1, 0.0, 0.7, 0.0, 0.3, 3.0, 0.3, beside};
            const double multipliers[] = {2.0 / 3.0 - up * 2.0 / 3.0, 1.0 / 3.0 - up / 3.0, up,
                                          -1.0};
            const qkv__reach_problem problem = {4, 2, keys};
            qkv__reach_proof proof = judge(&problem, multipliers);
            if (side < 0) assert_true(proof <= QKV__REACH_NUMERICAL);
            proved += side > 0 && proof >= QKV__REACH_ENCLOSED;
        }
    }
    assert_true(proved > 30);
}

/* ---- Two solvers ---------------------------------------------------------------------------- */

static bool has_positive_margin(const qkv__reach_face *face, const double *query)
{
    return qkv__reach_margin(face, query, 0.0) > 0.0;
}

/* The linear program and the nearest points are different algorithms for one question: either both
 * find a direction or neither does, and then both combinations meet the member. */
static void two_methods_agree(void **state)
{
    (void)state;
    enum { COUNT = 20, WIDTH = 3 };
    random_source source = {9};
    int counts[2] = {0};
    for (int round = 0; round < 200; round++) {
        double keys[COUNT * WIDTH], query[2][WIDTH], multipliers[2][COUNT], gap;
        for (size_t i = 0; i < COUNT * WIDTH; i++) keys[i] = random_bell(&source);
        const qkv__reach_problem problem = {COUNT, WIDTH, keys};
        const size_t members[] = {0};
        bool flags[COUNT] = {true}, solved;
        const qkv__reach_face face = {&problem, 1, members, flags};
        qkv_error error;
        check_ok(qkv__reach_program(&face, query[0], multipliers[0], &solved, &error), &error);
        assert_true(solved);
        check_ok(qkv__reach_nearest_points(&face, query[1], multipliers[1], &gap, &solved, &error),
                 &error);
        assert_true(solved);
        bool reachable = has_positive_margin(&face, query[0]);
        assert_int_equal(reachable, has_positive_margin(&face, query[1]));
        counts[reachable]++;
        for (int method = 0; method < 2 && !reachable; method++)
            for (size_t x = 0; x < WIDTH; x++) {
                double sum = 0.0;
                for (size_t i = 0; i < COUNT; i++)
                    sum += multipliers[method][i] * keys[i * WIDTH + x];
                assert_true(fabs(sum) < 1e-13);
            }
    }
    assert_true(counts[0] > 20 && counts[1] > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fractions_are_found),
        cmocka_unit_test(sums_are_exact),
        cmocka_unit_test(boxes_hold_the_solution),
        cmocka_unit_test(singular_systems_are_refused),
        cmocka_unit_test(a_margin_of_rounding_is_none),
        cmocka_unit_test(tilted_faces_are_not_proved),
        cmocka_unit_test(ill_conditioned_faces_are_not_proved),
        cmocka_unit_test(wrong_dependencies_are_not_proved),
        cmocka_unit_test(points_just_outside_are_not_proved),
        cmocka_unit_test(two_methods_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
