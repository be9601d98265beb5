/*
 * That nothing will do, at one instance. Each way of showing it has a row that it refutes and one
 * beside it where something will do, although the number in the instance is no such choice.
 */
#include "unit/replay/rows.h"

static void test_linear(void **state)
{
    static const row rows[] = {
        {"claim: exists t: t*s = 1", "s 0 | t 3", REFUTES},
        {"claim: exists t: t*s = 1", "s 2 | t 3", HOLDS},
        {"claim: exists t: t*s = s", "s 0 | t 3", HOLDS},
        {"claim: exists s, t: s + t = 1 and s + t = 2", "s 5 | t 5", REFUTES},
        {"claim: exists s, t: s + t = 1 and s - t = 2", "s 5 | t 5", HOLDS},
        {"claim: exists t: t = 1 and 2*t = 3", "t 5", REFUTES},
        {"claim: exists t: t = 1 and t*t = 1", "t 5", HOLDS},
        {"claim: exists t: t*e^s = s", "s 1 | t 5", HOLDS}, /* numbers that are no fractions */
        {"claim: exists t: t*e^s = s and t = 1", "s 1 | t 5", REFUTES},
        {"g = t*s\nclaim: exists t: g = 1", "s 0 | t 3", HOLDS}, /* a definition hides it: open */
    };
    (void)state;
    CHECK(rows);
}

static void test_quadratic(void **state)
{
    static const row rows[] = {
        {"claim: exists t: t^2 + 2*t + s < 0", "s 1 | t 3", REFUTES}, /* (t + 1)^2 */
        {"claim: exists t: t^2 + 2*t + s < 0", "s 0 | t 3", HOLDS},
        {"claim: exists t: t^2 + 2*t + s <= 0", "s 1 | t 3", HOLDS},
        {"claim: exists t: t^2 + 2*t + s <= 0", "s 2 | t 3", REFUTES},
        {"claim: exists t: t^2 = s", "s -1 | t 3", REFUTES},
        {"claim: exists t: t^2 = s", "s 2 | t 3", HOLDS},
        {"claim: exists t: t^3 = s", "s -1 | t 3", HOLDS},
        {"claim: exists t: s > t^2", "s 0 | t 3", REFUTES},
        {"claim: exists t: s > t^2", "s 1/100 | t 3", HOLDS},
    };
    (void)state;
    CHECK(rows);
}

#define LINE "keys k = [-1, 0, 1]\nvalues v = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\n"
#define SAME "keys k = [1, 1, 1]\nvalues v = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\n"

static void test_weights(void **state)
{
    static const row rows[] = {
        /* weight[1]*weight[3] = weight[2]^2, and e^(2 t) = weight[3]/weight[1] */
        {LINE "claim: exists t: attend(t*k[3], k, v) = 1/7*v[1] + 2/7*v[2] + 4/7*v[3]", "t 3",
         HOLDS},
        {LINE "claim: exists t: attend(t*k[3], k, v) = 1/6*v[1] + 2/6*v[2] + 3/6*v[3]", "t 3",
         REFUTES},
        /* Outside of the hull, on its edge, and beyond a weight of 0. */
        {LINE "claim: exists t: attend(t*k[3], k, v) = 2*v[1] - v[2]", "t 3", REFUTES},
        {LINE "claim: exists t: attend(t*k[3], k, v) = v[3]", "t 3", REFUTES},
        /* Scores that move together change nothing; with another key they do. */
        {SAME "claim: exists t: attend(t*k[3], k, v).weight[1] > 2/5", "t 3", REFUTES},
        {LINE "claim: exists t: attend(t*k[3], k, v).weight[1] > 2/5", "t 3", HOLDS},
        {SAME "claim: exists t: attend(t*k[3], k, v).score[1] > 5", "t 3", HOLDS},
        /* A part of a query that stays: the weights are tied by another factor. */
        {LINE "claim: exists t: attend(t*k[3] + k[1], k, v) = 1/7*v[1] + 2/7*v[2] + 4/7*v[3]",
         "t 3", HOLDS},
    };
    (void)state;
    CHECK(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear),
        cmocka_unit_test(test_quadratic),
        cmocka_unit_test(test_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
