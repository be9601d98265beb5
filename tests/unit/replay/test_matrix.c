/*
 * Matrices at one instance: trace, determinant, inverse, powers, rank, spectral norm, diagonals,
 * and which products there are. What is expected follows from identities, or from matrices whose
 * eigenvalues are known.
 */
#include "unit/replay/rows.h"

#define A22 "matrix A[2, 2]\n"
#define A33 "matrix A[3, 3]\n"
#define A23 "matrix A[2, 3]\n"
#define ANN "matrix A[n, m]\n"

static void test_inverses(void **state)
{
    static const row rows[] = {
        {A22 "claim: A*inverse(A) = I", "A 2x2 1 2 3 4", HOLDS},
        {A22 "claim: inverse(A) = A'", "A 2x2 0 1 -1 0", HOLDS},
        {A22 "claim: inverse(A) = A'", "A 2x2 0 2 -2 0", REFUTES},
        {A22 "claim: inverse(A) = A'", "A 2x2 1 2 2 4", NONE}, /* singular */
        {A22 "claim: inverse(A) = A'", "A 2x2 0 0 0 1", NONE},
        {A22 "claim: A^-1 = inverse(A)", "A 2x2 1 2 3 4", HOLDS},
        {A22 "claim: A^-2 = inverse(A*A)", "A 2x2 1 2 3 4", HOLDS},
        {A22 "claim: A^-2 = inverse(A)", "A 2x2 1 2 3 4", REFUTES},
        {A22 "claim: A^-2 = A", "A 2x2 1 2 2 4", NONE},
        {A22 "claim: A^3 = A*A*A", "A 2x2 1 2 3 4", HOLDS},
        {A22 "claim: A^3 = A*A", "A 2x2 1 2 3 4", REFUTES},
        {A22 "claim: A^t = A", "t 1 | A 2x2 1 2 3 4", HOLDS},
        {A22 "claim: A^t = A", "t 2 | A 2x2 1 2 3 4", REFUTES},
        {A22 "claim: A^t = A", "t 0 | A 2x2 1 2 3 4", NONE},
        {A22 "claim: A^t = A", "t 1/2 | A 2x2 1 0 0 1", NONE},
        {A22 "claim: A^t = A", "t 17 | A 2x2 1 0 0 1", NONE},
        {A22 "claim: A^t = A", "t -17 | A 2x2 1 0 0 1", NONE},
        {A22 "claim: A^(1/t) = A", "t 0 | A 2x2 1 0 0 1", NONE},
        {ANN "claim: A^2 = A", "n 1 | m 2 | A 1x2 1 2", NONE},
        {ANN "claim: inverse(A) = A", "n 1 | m 2 | A 1x2 1 2", NONE},
        {A22 "claim: inverse(2*I)*A = A/2", "A 2x2 1 2 3 4", HOLDS},
        {A22 "claim: inverse(2*I)*A = A", "A 2x2 1 2 3 4", REFUTES},
        {A22 "claim: inverse(t*I)*A = A", "t 0 | A 2x2 1 2 3 4", NONE},
        {A33 "claim: inverse(A)*A = I", "A 3x3 0 0 1 0 2 0 3 0 0", HOLDS},
        {A33 "claim: inverse(A) = A", "A 3x3 0 0 1 0 2 0 3 0 0", REFUTES},
        {A22 "claim: inverse(e^t*A) = A", "t 0 | A 2x2 1 0 0 1", HOLDS},
        /* The factor is 0, and no enclosure tells: whether the matrix is singular is open. */
        {A22 "claim: inverse((sin(t)^2 + cos(t)^2 - 1)*A) = A", "t 1 | A 2x2 1 0 0 1", NONE},
        {"claim: inverse([t, 1]) = 0", "t 1", NONE},
    };
    (void)state;
    CHECK(rows);
}

static void test_determinants(void **state)
{
    static const row rows[] = {
        {A22 "claim: det(A) = -2", "A 2x2 1 2 3 4", HOLDS},
        {A22 "claim: det(A) = -2", "A 2x2 1 2 3 5", REFUTES},
        {A22 "claim: det(A^-1)*det(A) = 1", "A 2x2 1 2 3 4", HOLDS},
        {A33 "claim: det(A) = det(A')", "A 3x3 1 2 3 4 5 6 7 8 10", HOLDS},
        {A33 "claim: det(A) = -3", "A 3x3 1 2 3 4 5 6 7 8 10", HOLDS},
        {A33 "claim: det(A) = 3", "A 3x3 1 2 3 4 5 6 7 8 10", REFUTES},
        {ANN "claim: det(A) = 1", "n 2 | m 1 | A 2x1 1 2", NONE},
        /* Nine rows: by elimination. The diagonal of 2 has the determinant 2^9. */
        {"claim: det(diag(t*ones(9))) = 512", "t 2", HOLDS},
        {"claim: det(diag(t*ones(9))) = 512", "t 1", REFUTES},
        {"claim: det(diag(t*ones(9))) = 0", "t 0", HOLDS},
        {"claim: det(diag(t*ones(9)) + ones(9, 9)) = 10", "t 1", HOLDS}, /* 1 + 9/t, times t^9 */
        {"claim: det(diag(t*ones(9)) + ones(9, 9)) = 0", "t 0", HOLDS},
        {"claim: det(diag(t*ones(9)) + ones(9, 9)) = 0", "t 1", REFUTES},
        {"claim: det(diag((sin(t)^2 + cos(t)^2 - 1)*ones(9))) = 0", "t 1", NONE},
        {"claim: det(diag(t*ones(17))) = 1", "t 1", NONE}, /* too large */
        {"claim: det(ones(17, 17)) = t", "t 0", NONE},
        {"claim: det(I) = t", "t 1", HOLDS}, /* of any size */
        {"claim: det(I) = t", "t 2", REFUTES},
        {"claim: det(2*I) = t", "t 2", NONE}, /* that depends on the size */
        {"claim: det(I/2) = t", "t 2", NONE},
        {"claim: det([t, 1]) = 1", "t 1", NONE},
        {A22 "claim: trace(A) = 5", "A 2x2 1 2 3 4", HOLDS},
        {A22 "claim: trace(A) = 5", "A 2x2 2 2 3 4", REFUTES},
        {ANN "claim: trace(A) = 1", "n 2 | m 1 | A 2x1 1 2", NONE},
        {"claim: trace([t, 1]) = 1", "t 1", NONE},
        {"claim: trace(ones(17, 17)) = t", "t 1", NONE},
    };
    (void)state;
    CHECK(rows);
}

static void test_diagonals(void **state)
{
    static const row rows[] = {
        {A22 "claim: diag(A) = [1, 4]", "A 2x2 1 2 3 4", HOLDS},
        {A22 "claim: diag(A) = [1, 4]", "A 2x2 4 2 3 1", REFUTES},
        {A22 "claim: diag(diag(A)) = A", "A 2x2 1 0 0 4", HOLDS},
        {A22 "claim: diag(diag(A)) = A", "A 2x2 1 2 0 4", REFUTES},
        {ANN "claim: diag(A) = [1]", "n 1 | m 2 | A 1x2 1 2", NONE},
        {"claim: diag(ones(n)) = I", "n 3", HOLDS},
        {"claim: diag(ones(n)) = 2*I", "n 3", REFUTES},
        {"claim: diag(ones(n)) = I", "n 17", NONE},
        {"claim: diag(1/n*ones(2)) = I", "n 0", NONE},
        {"claim: diag(n) = n", "n 3", NONE},
    };
    (void)state;
    CHECK(rows);
}

static void test_ranks(void **state)
{
    static const row rows[] = {
        {A23 "claim: rank(A) = 2", "A 2x3 1 2 3 4 5 6", HOLDS},
        {A23 "claim: rank(A) = 2", "A 2x3 1 2 3 2 4 6", REFUTES},
        {A23 "claim: rank(A) = 1", "A 2x3 0 0 3 0 0 6", HOLDS},
        {A23 "claim: rank(A) = 0", "A 2x3 0 0 0 0 0 0", HOLDS},
        {A23 "claim: rank(A') = rank(A)", "A 2x3 0 1 3 0 2 6", HOLDS},
        {A33 "claim: rank(A) = 2", "A 3x3 1 2 3 4 5 6 7 8 9", HOLDS},
        {A33 "claim: rank(A) = 2", "A 3x3 1 2 3 4 5 6 7 8 10", REFUTES},
        {"vector p\nclaim: rank(p) = 1", "p 2x1 0 3", HOLDS},
        {"vector p\nclaim: rank(p) = 1", "p 2x1 0 0", REFUTES},
        {"vector p\nclaim: rank(p') = 1", "p 2x1 0 3", HOLDS},
        {"vector p\nclaim: rank(p') = 1", "p 2x1 0 0", REFUTES},
        {"claim: rank(t) = 1", "t 1", NONE},
        {"claim: rank([1/t, 1]) = 1", "t 0", NONE},
        {"claim: rank([[e^t*e^(-t) - 1, 0]]*I) <= 1", "t 1", NONE},
        {A22 "claim: rank((sin(t)^2 + cos(t)^2 - 1)*A) <= 1", "t 1 | A 2x2 1 0 0 1", NONE},
    };
    (void)state;
    CHECK(rows);
}

static void test_spectral(void **state)
{
    static const row rows[] = {
        {A22 "claim: spectral(A) = 3", "A 2x2 -3 0 0 2", HOLDS},
        {A22 "claim: spectral(A) = 3", "A 2x2 -3 0 0 4", REFUTES},
        /* [3 0; 4 5] has the singular values sqrt(45) and sqrt(5). */
        {A22 "claim: spectral(A)^2 > 44.99 and spectral(A)^2 < 45.01", "A 2x2 3 0 4 5", HOLDS},
        {A22 "claim: spectral(A) < 6.7", "A 2x2 3 0 4 5", REFUTES},
        {A23 "claim: spectral(A) < |A|", "A 2x3 1 2 3 4 5 6", HOLDS},
        {A23 "claim: spectral(A') < |A|", "A 2x3 1 2 3 4 5 6", HOLDS},
        {A23 "claim: spectral(A) >= |A|", "A 2x3 1 2 3 4 5 6", REFUTES},
        /* All ones, t of them on a side: rank 1, so that the norm is t. */
        {"claim: spectral(ones(t, t)) > t - 0.001", "t 3", HOLDS},
        {"claim: spectral(ones(t, t)) < t + 0.001", "t 3", HOLDS},
        {"claim: spectral(ones(t, t)) < t - 0.001", "t 3", REFUTES},
        {"claim: spectral(ones(t, t)) = 16", "t 17", NONE},
        {"claim: spectral(zeros(t, t)) = 0", "t 3", HOLDS},
        {"claim: spectral(zeros(t, t)) = 1", "t 3", REFUTES},
        {A33 "claim: spectral(A) > 3.99", "A 3x3 2 2 0 2 2 0 0 0 1", HOLDS}, /* 4, 0, 1 */
        {A33 "claim: spectral(A) > 4.01", "A 3x3 2 2 0 2 2 0 0 0 1", REFUTES},
        {"vector p\nclaim: spectral(p) = 5", "p 2x1 3 4", HOLDS},
        {"vector p\nclaim: spectral(p') = 5", "p 2x1 3 4", HOLDS},
        {"vector p\nclaim: spectral(p) = 5", "p 2x1 3 3", REFUTES},
        {"claim: spectral(t) = 1", "t 1", NONE},
        {"claim: spectral([1/t, 1]) = 1", "t 0", NONE},
        {"claim: spectral(I) = t", "t 1", NONE},
        {"claim: spectral((sin(t)^2 + cos(t)^2 - 1)*ones(3, 3)) < 1", "t 1", NONE},
    };
    (void)state;
    CHECK(rows);
}

static void test_products(void **state)
{
    static const row rows[] = {
        {A22 "vector p\nclaim: p'*A = [5, 8]'", "A 2x2 1 2 3 4 | p 2x1 2 1", HOLDS},
        {A22 "vector p\nclaim: p'*A = [5, 8]'", "A 2x2 1 2 3 4 | p 2x1 1 2", REFUTES},
        {A22 "vector p\nclaim: p'*A*p = 10", "A 2x2 1 2 3 4 | p 2x1 1 1", HOLDS},
        {A22 "vector p\nclaim: p'*A*p = 10", "A 2x2 1 2 3 5 | p 2x1 1 1", REFUTES},
        {A22 "vector p\nclaim: A*p = p*A", "A 2x2 1 0 0 1 | p 2x1 1 1", NONE},
        {"vector p\nvector q[m]\nclaim: p*q' = q*p'", "m 3 | p 2x1 1 1 | q 3x1 1 1 1", NONE},
        {"vector p\nclaim: p*p = p.p", "p 2x1 1 1", NONE}, /* a product of two columns */
        {"vector p\nclaim: (p')' = p", "p 2x1 1 2", HOLDS},
        {"vector p\nclaim: |p'| = 5", "p 2x1 3 4", HOLDS},
        {"vector p\nclaim: |p'| = 5", "p 2x1 3 3", REFUTES},
        {"claim: t' = t", "t 2", HOLDS},
        {A22 "claim: A*I' = A", "A 2x2 1 2 3 4", HOLDS},
        {A22 "claim: A^T = A", "T 2 | A 2x2 1 2 2 4", HOLDS},
        {A22 "claim: A^T = A", "T 2 | A 2x2 1 2 3 4", REFUTES},
        {A22 "claim: A - 2*I = 2*A", "A 2x2 -2 0 0 -2", HOLDS},
        {A22 "claim: A - 2*I = 2*A", "A 2x2 2 0 0 2", REFUTES},
        {A22 "claim: 2*I - A = A", "A 2x2 1 0 0 1", HOLDS},
        {A22 "claim: 2*I - A = A", "A 2x2 1 1 0 1", REFUTES},
        {A22 "claim: I + A = A + I", "A 2x2 1 1 0 1", HOLDS},
        {A22 "claim: I + I + A = 3*I", "A 2x2 1 0 0 1", HOLDS},
        {A22 "claim: I + I + A = 3*I", "A 2x2 1 1 0 1", REFUTES},
        {A22 "claim: I*I*A = A/1", "A 2x2 1 1 0 1", HOLDS},
        {ANN "claim: A + I = A", "n 1 | m 2 | A 1x2 1 1", NONE},
        {ANN "claim: A = I", "n 1 | m 2 | A 1x2 1 1", NONE},
        {ANN "claim: A = 0", "n 1 | m 2 | A 1x2 0 0", HOLDS},
        {ANN "claim: 0 = A", "n 1 | m 2 | A 1x2 0 1", REFUTES},
        {"vector p\nclaim: p + I = p", "p 2x1 1 1", NONE},
        {"vector p\nclaim: p = I", "p 2x1 1 1", NONE},
        {"vector p\nclaim: p = t", "t 1 | p 2x1 1 1", NONE},
        {"vector p\nclaim: p = t", "t 0 | p 2x1 0 0", HOLDS},
        {"vector p\nclaim: p = t", "t 0 | p 2x1 0 1", REFUTES},
        {"vector p\nclaim: p + t = p", "t 1 | p 2x1 1 1", NONE},
        {"vector p\nclaim: p = t", "t 3 | p 1x1 3", HOLDS}, /* one coordinate is a number */
        {"vector p\nclaim: p > t", "t 3 | p 1x1 3", REFUTES},
        {"vector p\nclaim: p + t = 6", "t 3 | p 1x1 3", HOLDS},
        {"vector p\nclaim: t - p = 1", "t 3 | p 1x1 3", REFUTES},
        {"vector p\nclaim: p > t", "t 3 | p 2x1 4 4", NONE},
        {"vector p\nclaim: p/t = p", "t 1 | p 2x1 4 4", HOLDS},
        {"vector p\nclaim: p/t = p", "t 2 | p 2x1 4 4", REFUTES},
        {"vector p\nclaim: t/p = t", "t 2 | p 2x1 4 4", NONE},
        {"vector p\nclaim: p/(sin(t)^2 + cos(t)^2 - 1) = p", "t 2 | p 2x1 4 4",
         NONE}, /* by 0, perhaps */
        {"vector p\nclaim: p^2 = p", "p 2x1 4 4", NONE},
        {"vector p\nclaim: 2^p = 2", "p 2x1 4 4", NONE},
        {"vector p\nclaim: e^p = 2", "p 2x1 4 4", NONE},
    };
    (void)state;
    CHECK(rows);
}

#define FAMILY "vectors u[1..n]\n"

static void test_families(void **state)
{
    static const row rows[] = {
        {FAMILY "vector p\nw = u + p\nclaim: w[2] = [7]", "n 2 | u 2x1 1 2 | p 1x1 5", HOLDS},
        {FAMILY "vector p\nw = u + p\nclaim: w[2] = [6]", "n 2 | u 2x1 1 2 | p 1x1 5", REFUTES},
        {FAMILY "vector p\nw = p - u\nclaim: w[2] = [3]", "n 2 | u 2x1 1 2 | p 1x1 5", HOLDS},
        {FAMILY "vector p\nw = u - p\nclaim: w[2] = [3]", "n 2 | u 2x1 1 2 | p 1x1 5", REFUTES},
        {FAMILY "vector p[m]\nw = u + p\nclaim: w[2] = 0", "n 2 | m 2 | u 2x1 1 2 | p 2x1 1 2",
         NONE},
        {FAMILY A22 "w = A*u\nclaim: w[1] = A*u[1]", "n 2 | A 2x2 1 2 3 4 | u 2x2 1 2 3 4", HOLDS},
        {FAMILY A22 "w = A*u\nclaim: w[1] = u[1]", "n 2 | A 2x2 1 2 3 4 | u 2x2 1 2 3 4", REFUTES},
        {FAMILY A23 "w = A*u\nclaim: w[1] = u[1]", "n 2 | A 2x3 1 2 3 4 5 6 | u 2x2 1 2 3 4", NONE},
        {FAMILY "w = I*u\nclaim: w[1] = u[1]", "n 1 | u 1x2 1 2", HOLDS},
        {FAMILY "w = -u\nclaim: w[1] = u[1]", "n 1 | u 1x2 1 2", REFUTES},
        {FAMILY "w = u/t\nclaim: w[1] = u[1]", "n 1 | t 0 | u 1x2 1 2", NONE},
        {FAMILY "w = [u, u]\nclaim: w[3] = u[1]", "n 2 | u 2x1 1 2", HOLDS},
        {FAMILY "w = [u, u]\nclaim: w[3] = u[2]", "n 2 | u 2x1 1 2", REFUTES},
        {FAMILY "vector p\nw = [u, p]\nclaim: w[3] = p", "n 2 | u 2x1 1 2 | p 1x1 3", HOLDS},
        {FAMILY "vector p\nw = [u, p]\nclaim: w[2] = p", "n 2 | u 2x1 1 2 | p 1x1 3", REFUTES},
        {FAMILY "vector p[m]\nw = [u, p]\nclaim: w[2] = p", "n 2 | m 2 | u 2x1 1 2 | p 2x1 3 3",
         NONE},
        {FAMILY "w = [u, [1/t]]\nclaim: w[1] = u[1]", "n 2 | t 0 | u 2x1 1 2", NONE},
        {FAMILY "claim: [u[i].u[i] for i in 1..n][2] = 4", "n 2 | u 2x1 1 2", HOLDS},
        {FAMILY "claim: [u[i].u[i] for i in 1..n][2] = 4", "n 2 | u 2x1 1 3", REFUTES},
        {FAMILY "claim: [2*u[i] for i in 1..n][2] = [4]", "n 2 | u 2x1 1 2", HOLDS},
        {FAMILY "claim: [2*u[i] for i in 1..n][2] = [4]", "n 2 | u 2x1 1 3", REFUTES},
        {FAMILY "claim: [u[i]/t for i in 1..n][2] = [4]", "n 2 | t 0 | u 2x1 1 3", NONE},
        {FAMILY "claim: [ones(i)*t for i in 1..n][1] = [t]", "n 2 | t 1", NONE},
        {"vectors u[a,b,c]\nw = [2*u[i] for i in {a, b, c}]\nclaim: w[b] = 2*u[b]", "u 3x1 1 2 3",
         HOLDS},
        {"vectors u[a,b,c]\nclaim: u_b = [2]", "u 3x1 1 2 3", HOLDS},
        {"vectors u[a,b,c]\nclaim: u_b = [2]", "u 3x1 2 1 3", REFUTES},
        {FAMILY "claim: u_1 = [1]", "n 2 | u 2x1 1 2", HOLDS},
        {FAMILY "claim: u_3 = [1]", "n 2 | u 2x1 1 2", NONE},
        {FAMILY "claim: u = u", "n 2 | u 2x1 1 2", HOLDS},
        {FAMILY "claim: 2*u = u", "n 2 | u 2x1 1 2", REFUTES},
        {FAMILY "claim: |u| = 1", "n 2 | u 2x1 1 2", NONE},
    };
    (void)state;
    CHECK(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inverses),  cmocka_unit_test(test_determinants),
        cmocka_unit_test(test_diagonals), cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_spectral),  cmocka_unit_test(test_products),
        cmocka_unit_test(test_families),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
