/*
 * Propositions and limits where something has no value, is of another shape, or may be this or
 * that: what is settled all the same, and what stays open. Along a path, what holds from somewhere
 * on, what a premise ties to the limit, and families that grow with it.
 */
#include "unit/replay/rows.h"

/* ---- Propositions -------------------------------------------------------------------------- */

static void test_propositions(void **state)
{
    static const row rows[] = {
        {"claim: x in {1, y}", "x 1 | y 2", HOLDS},
        {"claim: x in {1, y}", "x 3 | y 2", REFUTES},
        {"claim: x not in {1, y}", "x 3 | y 2", HOLDS},
        {"claim: x not in {1, y}", "x 2 | y 2", REFUTES},
        {"claim: x in {1, 1/y}", "x 2 | y 0", NONE},
        {"vector p\nclaim: p in {[1, 2], [2, 1]}", "p 2x1 2 1", HOLDS},
        {"vector p\nclaim: p in {[1, 2], [2, 1, 1]}", "p 2x1 2 1", NONE},
        {"vector p\nclaim: 1 < p", "p 2x1 2 1", NONE},
        {"vector p\nclaim: p < 1", "p 2x1 2 1", NONE},
        {"vectors u[1..n]\nclaim: for all i in 1..n, j in 1..n, k in 1..n, l in 1..n, m in 1..n: "
         "u[i] + u[j] + u[k] + u[l] = u[m]",
         "n 1 | u 1x1 1", REFUTES},
        {"vectors u[1..n]\nclaim: for all i in 1..n: for all j in 1..n: i <= j or j <= i", "n 200",
         NONE},
        {"vectors u[1..n]\nclaim: for all i in 1..n: u[i] = u[1]", "n 301 | u 1x1 0", NONE},
        {"claim: 1/x > 0 or 1/y > 0", "x 0 | y 0", NONE},
        {"claim: 1/x > 0 and 1/y > 0", "x 0 | y 1", NONE},
        {"claim: 1/x > 0 and 1/y > 0", "x 1 | y 0", NONE},
        {"claim: 1/x > 0 and 1/y > 0", "x -1 | y 0", REFUTES},
        {"claim: 1/x > 0 or 1/y > 0", "x 0 | y 1", HOLDS},
        {"claim: x > 0 or ln(-x) > 0", "x 1", HOLDS},
        {"claim: x > 0 or (-x)^(1/2) > 0", "x 1", HOLDS},
        {"claim: x > 0 or ln(sin(1)^2 + cos(1)^2 - 1) > 0", "x 1", NONE},
        {"matrix X[2,2]\nvectors u[1..n]\npick a in 1..n\nclaim: for all permutation R[2]: a < 2 "
         "implies X*R = X",
         "n 2 | a 1 | R 2x2 0 1 1 0 | X 2x2 1 1 2 2", HOLDS},
        {"matrix X[2,2]\nvectors u[1..n]\npick a in 1..n\nclaim: for all permutation R[2]: a < 2 "
         "implies X*R = X",
         "n 2 | a 2 | R 2x2 0 1 1 0 | X 2x2 1 1 2 2", MISSED},
        {"vectors u[1..n]\nclaim: |sum(u[i] for i in 1..m)| > 5", "n 3 | m 2 | u 3x1 9 9 9", NONE},
        {"values v[1..n]\nvector x\nclaim: x in hull(v)", "n 3 | v 3x2 0 0 3 0 0 1 | x 2x1 2 1",
         REFUTES},
        {"values v[1..n]\nvector x\nclaim: x in hull(v)", "n 3 | v 3x2 0 0 3 0 0 1 | x 2x1 1 1/3",
         HOLDS},
        {"values v[1..n]\nvector x\nclaim: x in hull(v)",
         "n 4 | v 4x3 0 0 0 3 0 0 0 1 0 0 0 7 | x 3x1 2 1 4", REFUTES},
        {"values v[1..n]\nvector x[m]\nclaim: x in hull(v)",
         "n 2 | m 3 | v 2x2 0 0 3 0 | x 3x1 2 1 4", NONE},
        {"values v[1..n]\nclaim: v in hull(v)", "n 2 | v 2x2 0 0 3 0", NONE},
    };
    (void)state;
    CHECK(rows);
}

/* ---- Paths --------------------------------------------------------------------------------- */

#define PICKED "keys k[1..n]\nvalues v[1..n]\nvector q\npick a in 1..n\np = attend(b*q, k, v)\n"

static void test_paths(void **state)
{
    static const row rows[] = {
        {"given b < -5\nclaim: b + 5 < 0 as b -> -inf", "b 1", HOLDS},
        {"given b < -5\nclaim: 1/b ~ 1 as b -> -inf", "b 1", REFUTES},
        {"claim: t > 0 as t -> 4000000000000000000", "t 1", NONE},
        {"claim: [b, 1] ~ [1, 2, 3] as b -> inf", "b 1", NONE},
        {"claim: 1/(b - 8) != 0 as b -> inf", "b 1", REFUTES},
        {"claim: 1/b^2 != 0 as b -> inf", "b 1", REFUTES},
        {"claim: e^(-30) + 0/(b - 8) != 0 as b -> inf", "b 1", MISSED},
        {"claim: 1/(b - 1099511627776) + 1 ~ 0 as b -> inf then t -> 0", "b 1 | t 1", MISSED},
        {"claim: 1/(b - 1099511627776) + 1 + t ~ 0 as b -> inf then t -> 0", "b 1 | t 1", MISSED},
        {"claim: t*b + 1/(b - 8) > 5 as t -> 0 then b -> inf", "t 1 | b 1", MISSED},
        {"claim: t*b + 1/b > 5 as t -> 0 then b -> inf", "t 1 | b 1", REFUTES},
        {"claim: b > 5 and x > 0 implies b*x > 5 as b -> inf", "b 1 | x 1", HOLDS},
        {"claim: b > 5 and x > 0 implies b*x < 5 as b -> inf", "b 1 | x 1", REFUTES},
        {"vector p\nclaim: b*p > 5 as b -> inf", "b 1 | p 1x1 1", HOLDS},
        {"vector p\nclaim: b*p < 5 as b -> inf", "b 1 | p 1x1 1", REFUTES},
        {"claim: for all t >= 1: t*b > 5 as b -> inf", "b 1 | t 1", NONE},
        {"claim: for all i in 1..m: b > 5 as b -> inf", "b 1 | m 1/2", NONE},
        {"claim: for all i in 1..m: b > 5 as b -> inf", "b 1 | m 300", NONE},
        {"claim: for all i in 1..m: b > 5 as b -> inf", "b 1 | m 3", HOLDS},
        {"claim: for all i in 1..m: b/m ~ 0 as b -> inf", "b 1 | m 3", REFUTES},
        {"claim: sin(1)^2 + cos(1)^2 - 1 >= 0 implies b < x as b -> inf", "b 1 | x 1", MISSED},
        {"claim: exists vector q: b*q.q > 1 as b -> inf", "b 1 | q 1x1 1", NONE},
        {"claim: exists t: b*t > 1 as b -> inf", "b 1 | t 1", HOLDS},
        {"claim: exists t: b*t > 1 as b -> inf", "b 1 | t -1", HOLDS},
        {"claim: exists t >= 2: b*t > 1 as b -> inf", "b 1 | t 3", NONE},
        {"claim: exists t: 1/(t - 1) > b as b -> inf", "b 1 | t 1", NONE},
        {"claim: 1/x > b as b -> inf", "b 1 | x 0", NONE},
        {"claim: not 1/x > b as b -> inf", "b 1 | x 0", NONE},
        {"claim: b > 1 and 1/x > b as b -> inf", "b 1 | x 0", NONE},
        {"claim: 1/x > b implies b > 1 as b -> inf", "b 1 | x 0", NONE},
        {"claim: b > 1 implies 1/x > b as b -> inf", "b 1 | x 0", NONE},
        {"given 1/x > b\nclaim: b > 1 as b -> inf", "b 1 | x 0", NONE},
        {"claim: 1/x ~ b as b -> inf", "b 1 | x 0", NONE},
        {"claim: b ~ 1/x as b -> inf", "b 1 | x 0", NONE},
        {"claim: for all i in 1..3: 1/x > b as b -> inf", "b 1 | x 0", NONE},
        {"claim: b*x in 1..2 as b -> inf", "b 1 | x 1", REFUTES},
        {PICKED "claim: for all i in 1..n: i = a or p.weight[i] ~ 0 as b -> inf",
         "b 1 | n 2 | a 2 | k 2x2 1 0 0 1 | q 2x1 0 1 | v 2x1 0 1", HOLDS},
        {PICKED "claim: for all i in 1..n: i = a or p.weight[i] ~ 0 as b -> inf",
         "b 1 | n 2 | a 1 | k 2x2 1 0 0 1 | q 2x1 0 1 | v 2x1 0 1", REFUTES},
        {"given b > 5\nclaim: 1/b ~ 0 as b -> inf", "b 1", HOLDS},
        {"given b > 5\nclaim: 1/b ~ 1 as b -> inf", "b 1", REFUTES},
        {"given 0 <= x, x <= t\nclaim: x ~ 0 as t -> 0", "t 1 | x 1", HOLDS}, /* x follows t */
        {"given 0 <= x, x <= t\nclaim: x/t ~ 0 as t -> 0", "t 1 | x 1", REFUTES},
        {"given b < 5\nclaim: 1/b ~ 0 as b -> -inf", "b 1", HOLDS},
        {"given b < 5\nclaim: 1/b ~ 1 as b -> -inf", "b 1", REFUTES},
        {"claim: sin(1)^2 + cos(1)^2 - 1 >= 0 implies b > x as b -> inf", "b 1 | x 1", MISSED},
        /* x follows b, in proportion. */
        {"given x <= b\nclaim: x/b ~ 1 as b -> -inf", "b 1 | x -1", HOLDS},
        {"given x <= b\nclaim: x > 0 as b -> -inf", "b 1 | x -1", REFUTES},
        {"given x <= b\nclaim: x < 0 as b -> -inf", "b 1 | x 1", MISSED},
        {"given n <= b\nvectors u[1..n]\nclaim: |u[1]| > b as b -> -inf", "b 1 | n 1 | u 1x1 1",
         MISSED}, /* a size follows nothing */
    };
    (void)state;
    CHECK(rows);
}

/* ---- Sizes that grow ----------------------------------------------------------------------- */

static void test_growth(void **state)
{
    static const row rows[] = {
        {"keys k[1..n] orthonormal\nclaim: attend(t*k[1], k, k).weight[1] ~ 0 as n -> inf",
         "t 1 | n 3 | k 3x3axes", HOLDS},
        {"keys k[1..n] orthonormal\nclaim: attend(t*k[1], k, k).weight[1] ~ 1 as n -> inf",
         "t 1 | n 3 | k 3x3axes", REFUTES},
        {"keys k[1..n/3] orthonormal\nclaim: k[1].k[1] = 1 as n -> inf", "n 3 | k 1x1axes", NONE},
        {"keys k[1..8-n] orthonormal\nclaim: k[1].k[1] = 1 as n -> inf", "n 3 | k 5x5axes", NONE},
        {"keys k[1..n*n] orthonormal\nclaim: k[1].k[1] = 1 as n -> inf", "n 3 | k 9x9axes", NONE},
        {"keys k[1..n/t] orthonormal\nclaim: k[1].k[1] = 1 as n -> inf", "n 3 | t 0 | k 9x9axes",
         NONE},
        {"keys k[a,b] orthonormal\nclaim: n*(k[a].k[b]) ~ 0 as n -> inf", "n 3 | k 2x2axes", NONE},
    };
    /* One limit after another: n grows last, or alone. */
    static const row grown[] = {
        {"keys k[1..n] orthonormal\nclaim: attend(t*k[1], k, k).weight[1] < 1/2",
         "t 1 | n 3 | k 3x3axes", HOLDS},
        {"keys k[1..n] orthonormal\nclaim: attend(t*k[1], k, k).weight[1] > 1/2",
         "t 1 | n 3 | k 3x3axes", REFUTES},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_row_with(&rows[i], &(setting){.growing = true});
    for (size_t i = 0; i < sizeof grown / sizeof grown[0]; i++)
        check_row_with(&grown[i], &(setting){.growing = true, .grown = "n"});
}

/* What cannot grow: a name that is no parameter, and one limit too many. */
static void test_no_growth(void **state)
{
    static const setting vector = {.grown = "k"}, number = {.grown = "t"};
    reading g;
    (void)state;
    begin_reading(&g, "keys k[1..n]\nclaim: k[1] = t*k[2]", &vector);
    assert_false(read_claim(&g, &vector));
    end_reading(&g);
    begin_reading(&g, "claim: x = t as x -> inf then y -> 0 then z -> 0 then s -> 0", &number);
    assert_false(read_claim(&g, &number));
    end_reading(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_propositions),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_no_growth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
