/*
 * Names and members at one instance: functions, products with a bracket, definitions behind each
 * other, subscripts, heads of a mean, and families at right angles that have no coordinates.
 */
#include "unit/replay/rows.h"

/* ---- Brackets ------------------------------------------------------------------------------ */

static void test_products(void **state)
{
    static const row rows[] = {
        {"f(arg) = arg(x + 1)\nclaim: f(2) = 4", "x 1", HOLDS},
        {"f(arg) = arg(x + 1)\nclaim: f(2) = 4", "x 2", REFUTES},
        {"f(arg) = arg(1/x)\nclaim: f(2) = 4", "x 0", NONE},
        {"given gap(x + 1) = 4\nscalar gap\nclaim: x = 2", "gap 2 | x 1", REFUTES},
        {"given gap(x + 1) = 4\nscalar gap\nclaim: x = 1", "gap 2 | x 2", MISSED},
        {"given gap(1/x) = 4\nscalar gap\nclaim: x = 1", "gap 2 | x 0", NONE},
        {"given gap(x, 1) = 4\nscalar gap\nclaim: x = 1", "gap 2 | x 0", NONE},
        {"given x > 0, gap > 0\nclaim: exists gap: gap(x + 1) = 4", "gap 2 | x 1", HOLDS},
        {"E = 2\nclaim: E(x + 1) = 4", "x 1", HOLDS},
        {"E = 2\nclaim: E(x + 1) = 4", "x 2", REFUTES},
        {"E = 1/x\nclaim: E(x + 1) = 4", "x 0", NONE},
        {"normal = 2\nclaim: normal(x + 1) = 4", "x 1", HOLDS},
        {"d = 2\nclaim: d(x^2, x) = 2", "x 1", HOLDS}, /* whatever else is called d */
        {"d = 2\nclaim: d(x^2, x) = 2", "x 2", REFUTES},
        {"d(s, t) = s + t\nclaim: d(x, x) = 2", "x 1", HOLDS}, /* but for a function */
        {"d(s, t) = s + t\nclaim: d(x, x) = 2", "x 2", REFUTES},
        {"vector p\nvector q\nclaim: p · q = 3", "p 2x1 1 1 | q 2x1 1 2", HOLDS},
        {"vector p\nvector q\nclaim: p · q = 3", "p 2x1 1 1 | q 2x1 1 1", REFUTES},
        {"vector p\nclaim: x · p = p", "p 2x1 1 1 | x 1", HOLDS},
        {"vector p\nclaim: p · x = p", "p 2x1 1 1 | x 2", REFUTES},
        {"f(e) = e^x\nclaim: f(2) = 4", "x 2", HOLDS}, /* an e of its own */
        {"f(e) = e^x\nclaim: f(2) = 4", "x 3", REFUTES},
        {"vector p\nT = 2\nclaim: |p|^T = 4", "p 2x1 0 2", HOLDS},
        {"vector p\nT = 2\nclaim: p^T*p = 4", "p 2x1 0 2", NONE}, /* T is a number */
        {"vector p\nf(T) = |p^T|\nclaim: f(2) = 2", "p 2x1 0 2", NONE},
        {"given v_a.v_b > 0\nvectors v[a,b]\nclaim: |v_a| > 1", "v 2x1 2 2", HOLDS},
        {"given v_a.v_b > 0\nvectors v[a,b]\nclaim: |v_a| > 1", "v 2x1 1 2", REFUTES},
        {"given v_1.v_2 > 0\nvectors v[1..2]\nclaim: |v_1| > 1", "v 2x1 1 2", REFUTES},
        {"given v_1.v_3 > 0\nvectors v[1..2]\nclaim: |v_1| > 1", "v 2x1 1 2", NONE},
        {"given v_1.v_x > 0\nvectors v[1..2]\nclaim: |v_1| > 1", "v 2x1 1 2", NONE},
        {"given |v_12345678901| > 0\nvectors v[1..2]\nclaim: |v_1| > 1", "v 2x1 1 2", NONE},
        {"given |v_a| > 0\nvectors v[1..2]\npick a in 1..2\nclaim: |v_1| > 1", "v 2x1 1 2 | a 2",
         REFUTES},
        {"given long_name > 0\nclaim: long_name > 1", "long_name 2", HOLDS},
        {"given a23456789012345678901234567890123456789012345678901234567890123456_b > 0\n"
         "claim: a23456789012345678901234567890123456789012345678901234567890123456_b > 1",
         "a23456789012345678901234567890123456789012345678901234567890123456_b 1", REFUTES},
    };
    (void)state;
    CHECK(rows);
}

/* g0 = x, and each of so many others is one more than the one before it. */
static void check_chain(int count, const char *first, const char *next, const char *claim,
                        const char *instance, qkv__judgement expected)
{
    static char text[1 << 14];
    int length = snprintf(text, sizeof text, "%s", first);
    for (int i = 1; i <= count; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, next, i, i - 1);
    snprintf(text + length, sizeof text - (size_t)length, claim, count);
    check_row(&(row){text, instance, expected});
}

/* There is an end to how deep definitions are followed. */
static void test_chains(void **state)
{
    (void)state;
    check_chain(100, "g0 = x\n", "g%d = g%d + 1\n", "claim: g%d = 101", "x 1", HOLDS);
    check_chain(100, "g0 = x\n", "g%d = g%d + 1\n", "claim: g%d = 101", "x 2", REFUTES);
    check_chain(200, "g0 = x\n", "g%d = g%d + 1\n", "claim: g%d = 201", "x 1", NONE);
    check_chain(100, "f0(t) = t\n", "f%d(t) = f%d(t) + 1\n", "claim: f%d(x) = 101", "x 1", HOLDS);
    check_chain(100, "f0(t) = t\n", "f%d(t) = f%d(t) + 1\n", "claim: f%d(x) = 101", "x 2", REFUTES);
    check_chain(127, "g0 = s\n", "g%d = g%d\n", "vectors u[1..2] norm g%d\nclaim: |u[1]| = 3",
                "s 3 | u 2x1 1 1", HOLDS);
    check_chain(120, "vectors u[1..2] norm s\ng0 = u[1]\n", "g%d = g%d\n", "claim: |g%d| = 3",
                "s 3 | u 2x1 1 1", HOLDS);
    check_chain(127, "vectors u[1..2] norm s\ng0 = u[1]\n", "g%d = g%d\n", "claim: |g%d| = 3",
                "s 3 | u 2x1 1 1", NONE);
    check_chain(128, "scalar z ~ normal(s, 0)\ng0 = z\n", "g%d = g%d\n", "claim: g%d = 3", "s 3",
                NONE);
}

/* ---- Heads --------------------------------------------------------------------------------- */

#define LISTS                                                                                      \
    "keys k = [[1, 0], [0, 1]]\nkeys l = [[1, 0], [0, 1], [1, 1]]\nvalues v = [[1], [3]]\n"        \
    "values w = [[1, 1], [3, 3]]\n"
#define MEAN LISTS "c = mean(attend([t, 0], k, v), attend([0, t], k, v))\n"

static void test_heads(void **state)
{
    static const row rows[] = {
        {MEAN "claim: c = [2]", "t 1", HOLDS}, /* weights are exchanged */
        {MEAN "claim: c = [1]", "t 1", REFUTES},
        {MEAN "claim: c.weight[1] = 1/2", "t 1", HOLDS},
        {MEAN "claim: c.weight[1] = 1/3", "t 1", REFUTES},
        {MEAN "claim: c.head[1].weight[1] = e/(1 + e)", "t 1", HOLDS},
        {MEAN "claim: c.head[2].weight[1] = e/(1 + e)", "t 1", REFUTES},
        {MEAN "claim: c.head[2].score[2] = t", "t 5", HOLDS},
        {MEAN "claim: c.head[2].score[1] = t", "t 5", REFUTES},
        {MEAN "claim: c.head[3] = [2]", "t 1", NONE},
        {MEAN "claim: c.head = [2]", "t 1", NONE},
        {MEAN "claim: c.score[1] = t", "t 1", NONE}, /* a mean has no scores */
        {MEAN "claim: c.score = [t, t]", "t 1", NONE},
        {MEAN "claim: entropy(c) = ln(2)", "t 1", HOLDS},
        {MEAN "claim: entropy(c) = ln(3)", "t 1", REFUTES},
        {LISTS "claim: mean(attend([t, 0], k, v), attend([0, t], l, l)) = [2]", "t 1", NONE},
        {LISTS "claim: mean(attend([t, 0], k, v), attend([0, t], k, w)) = [2]", "t 1", NONE},
        {LISTS "claim: mean(attend([t, 0], k, v), attend([[0, t]]*I, k, v)) = [2]", "t 1", NONE},
        {LISTS "matrix A[1, 2]\nclaim: mean(attend([t, 0], k, v), attend(A, k, v)) = [2]",
         "t 1 | A 1x2 0 1", NONE},
        {LISTS "matrix A[2, 2]\nclaim: mean(attend(A, k, v), attend(A, k, v))*[1] = 2*ones(2)",
         "A 2x2 0 0 0 0", HOLDS},
        {LISTS "matrix A[2, 2]\nclaim: mean(attend(A, k, v), attend(A, k, v)).score[1] = [0, 0]",
         "A 2x2 0 0 0 0", NONE},
        {LISTS "matrix A[2, 2]\nclaim: mean(attend(A, k, v), attend(A, k, v)).weight = A",
         "A 2x2 1/2 1/2 1/2 1/2", HOLDS},
        {LISTS "matrix A[2, 2]\nclaim: mean(attend(A, k, v), attend(A, k, v)).weight = A",
         "A 2x2 1/2 1/2 1 0", REFUTES},
        {LISTS "matrix A[2, 2]\nclaim: mean(attend([1, 0], k, v), attend(A, k, v)) = [2]",
         "A 2x2 0 0 0 0", NONE},
        {LISTS "claim: mean(attend([t, 0], k, v), [2]) = [2]", "t 0", HOLDS},
        {LISTS "claim: mean(attend([t, 0], k, v), [2]) = [2]", "t 1", REFUTES},
        {LISTS "claim: mean(attend([t, 0], k, v)) = [2]", "t 0", HOLDS}, /* of one */
        {LISTS "claim: mean(attend([t, 0], k, v)) = [2]", "t 1", REFUTES},
    };
    (void)state;
    CHECK(rows);
}

/* ---- Families at right angles, without coordinates ----------------------------------------- */

#define RIGHT "keys k[1..n] orthonormal\n"
#define STRETCHED "keys k[1..n] orthogonal, norm s\n"
#define SHORT "n 3 | k 3x3axes"

static void test_axes(void **state)
{
    static const row rows[] = {
        {RIGHT "claim: k[1].k[2] = 0", SHORT, HOLDS},
        {RIGHT "claim: k[2].k[2] = 0", SHORT, REFUTES},
        {RIGHT "claim: k[3] = [0, 0, t]", SHORT " | t 1", HOLDS},
        {RIGHT "claim: k[3] = [0, 0, t]", SHORT " | t 2", REFUTES},
        {RIGHT "claim: k[4] = 0", SHORT, NONE},
        {RIGHT "claim: sum(|k[i]| for i != 2) = 2", SHORT, HOLDS},
        {RIGHT "claim: sum(|k[i]| for i != 2) = 3", SHORT, REFUTES},
        {RIGHT "claim: (2*k)[2] = 2*k[2]", SHORT, HOLDS},
        {RIGHT "claim: (2*k)[2] = k[2]", SHORT, REFUTES},
        {RIGHT "claim: (k/t)[2] = k[2]", SHORT " | t 0", NONE},
        {RIGHT "claim: attend(t*k[1], k, k).weight[1] = e/(2 + e)", SHORT " | t 1", HOLDS},
        {RIGHT "claim: attend(t*k[1], k, k).weight[1] = e/(2 + e)", SHORT " | t 2", REFUTES},
        {RIGHT "claim: attend(0, k, k) = [1/3, 1/3, t]", SHORT " | t 1/3", HOLDS},
        {RIGHT "claim: attend(0, k, k) = [1/3, 1/3, t]", SHORT " | t 1/2", REFUTES},
        /* Values with more coordinates than there are of them. */
        {"keys k[1..n] norm 1\nvalues v[1..n] orthonormal\nvector q\n"
         "claim: attend(q, k, v) = [1/2, 1/2, t]",
         "n 2 | k 2x1 1 1 | v 2x3axes | q 1x1 5 | t 0", HOLDS},
        {"keys k[1..n] norm 1\nvalues v[1..n] orthonormal\nvector q\n"
         "claim: attend(q, k, v) = [1/2, 1/2, t]",
         "n 2 | k 2x1 1 1 | v 2x3axes | q 1x1 5 | t 1", REFUTES},
        {STRETCHED "claim: |k[2]| = 3", SHORT " | s 3", HOLDS},
        {STRETCHED "claim: |k[2]| = 3", SHORT " | s 2", REFUTES},
        {STRETCHED "claim: |k[2]| = 3", SHORT " | s -2", MISSED},
        {"keys k[1..n] orthogonal, norm 1/s\nclaim: |k[2]| = 3", SHORT " | s 0", NONE},
        {"vector p\nkeys k[1..n] orthogonal, norm p\nclaim: |k[2]| = 3", SHORT " | p 2x1 1 1",
         NONE},
        /* What needs coordinates is not made of them. */
        {RIGHT "claim: k = k", SHORT, NONE},
        {RIGHT "claim: k = 0", SHORT, NONE},
        {RIGHT "claim: (k + k)[1] = 2*k[1]", SHORT, NONE},
        {RIGHT "vectors u[1..n]\nclaim: (k + u)[1] = k[1]", SHORT " | u 3x3 1 0 0 0 1 0 0 0 1",
         NONE},
        {RIGHT "vectors u[1..n]\nclaim: u = k", SHORT " | u 3x3 1 0 0 0 1 0 0 0 1", NONE},
        {RIGHT "vectors u[1..n]\nclaim: (u + k)[1] = k[1]", SHORT " | u 3x3 1 0 0 0 1 0 0 0 1",
         NONE},
        {RIGHT "claim: k[1] in hull(k)", SHORT, NONE},
        {RIGHT "claim: d(k, t) = 0", SHORT " | t 1", NONE},
        {RIGHT "claim: grad(|k[1]|, k[1]) = k[1]", SHORT, NONE},
    };
    (void)state;
    CHECK(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_heads),
        cmocka_unit_test(test_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
