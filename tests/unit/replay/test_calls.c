/*
 * The functions of the language at one instance: attention with its options, sums, means and
 * extremes, entropies, constants, tables and files. What is expected is worked out by hand from the
 * manual; rows come in pairs, one true and one false.
 */
#include "unit/replay/rows.h"

#define LISTS "keys k = [[1, 0], [0, 1], [1, 1]]\nvalues v = [[1], [2], [3]]\n"
#define FAMILY "vectors u[1..n]\n"
#define NAMED "vectors u[a,b,c]\n"

/* ---- Attention ----------------------------------------------------------------------------- */

static void test_masks(void **state)
{
    static const row rows[] = {
        /* Scores t, 0, t. */
        {LISTS "c = attend([t, 0], k, v, mask = {1, 2})\nclaim: c.weight[1] = e^t/(1 + e^t)", "t 1",
         HOLDS},
        {LISTS "c = attend([t, 0], k, v, mask = {1, 2})\nclaim: c.weight[3] = 0", "t 1", HOLDS},
        {LISTS "c = attend([t, 0], k, v, mask = {1, 2})\nclaim: c.weight[2] = 0", "t 1", REFUTES},
        {LISTS "claim: attend([t, 0], k, v, mask = 2..3).weight[1] = 0", "t 1", HOLDS},
        {LISTS "claim: attend([t, 0], k, v, mask = 2..3).weight[3] = 0", "t 1", REFUTES},
        {LISTS "claim: attend([t, 0], k, v, mask = 3..3) = [3]", "t 1", HOLDS},
        {LISTS "claim: attend([t, 0], k, v, mask = 3..3) = [2]", "t 1", REFUTES},
        {LISTS "claim: attend([t, 0], k, v, mask = 1..4).weight[1] = 0", "t 1", NONE},
        {LISTS "claim: attend([t, 0], k, v, mask = 3..2).weight[1] = 0", "t 1", NONE},
        {LISTS "claim: attend([t, 0], k, v, mask = 1..1/t).weight[1] = 1", "t 1", HOLDS},
        {LISTS "claim: attend([t, 0], k, v, mask = 1..1/t).weight[1] = 1", "t 0", NONE},
        {LISTS "claim: attend([t, 0], k, v, mask = {4}).weight[1] = 0", "t 1", NONE},
        {NAMED "vector q\nclaim: attend(q, u, u, mask = {a}) = u[a]", "u 3x1 5 6 7 | q 1x1 2",
         HOLDS},
        {NAMED "vector q\nclaim: attend(q, u, u, mask = {a}) = u[b]", "u 3x1 5 6 7 | q 1x1 2",
         REFUTES},
        {NAMED "vector q\nclaim: attend(q, u, u, mask = 1..2) = u[b]", "u 3x1 5 6 7 | q 1x1 2",
         NONE},
        {FAMILY "pick a in 1..n\nvector q\nclaim: attend(q, u, u, mask = {a}) = u[a]",
         "n 2 | a 2 | u 2x1 5 6 | q 1x1 2", HOLDS},
    };
    (void)state;
    CHECK(rows);
}

static void test_options(void **state)
{
    static const row rows[] = {
        {LISTS "claim: attend(0, k, v, bias = [0, ln(2), 0]).weight[2] = s", "s 1/2", HOLDS},
        {LISTS "claim: attend(0, k, v, bias = [0, ln(2), 0]).weight[2] = s", "s 1/3", REFUTES},
        {LISTS "claim: attend(0, k, v, bias = [0, 1]).weight[2] = s", "s 1/2", NONE},
        {LISTS "claim: attend(0, k, v, bias = k).weight[2] = s", "s 1/2", NONE},
        {LISTS "claim: attend(0, k, v, bias = [0, 1/s, 0]).weight[2] < 1", "s 0", NONE},
        {LISTS "g[1] = 0; g[2] = 0; g[3] = s\nclaim: attend(0, k, v, bias = g).weight[1] < 1/3",
         "s 1", HOLDS},
        {LISTS "g[1] = 0; g[2] = 0; g[3] = s\nclaim: attend(0, k, v, bias = g).weight[1] < 1/3",
         "s -1", REFUTES},
        /* e^0 beside three scores of 0 */
        {LISTS "claim: attend(0, k, v, sink = s).weight[1] = 1/4", "s 0", HOLDS},
        {LISTS "claim: attend(0, k, v, sink = s).weight[1] = 1/3", "s 0", REFUTES},
        {LISTS "claim: attend(0, k, v, sink = s, mask = {1, 3}).weight[1] = 1/3", "s 0", HOLDS},
        {LISTS "claim: attend(0, k, v, sink = s, mask = {1, 3}).weight[2] > 0", "s 0", REFUTES},
        {LISTS "claim: attend(0, k, v, sink = 1/s).weight[1] < 1", "s 0", NONE},
        {LISTS "claim: attend(0, k, v, sink = [s, 1]).weight[1] < 1", "s 0", NONE},
        {LISTS "claim: attend(s, k, v).weight[1] = 1/3", "s 1", NONE}, /* a number among vectors */
        {"keys k = [1, 0]\nvalues v = [1, 2]\nclaim: attend(s, k, v).weight[1] = e/(e + 1)", "s 1",
         HOLDS},
        {"keys k = [1, 0]\nvalues v = [1, 2]\nclaim: attend(s, k, v).weight[1] = e/(e + 1)", "s 2",
         REFUTES},
        {"keys k = [1, 0]\nvalues v = [1, 2]\nclaim: attend(0, k, v).weight[1] = s", "s 1/2",
         HOLDS},
        /* Rows of a matrix as queries. */
        {LISTS "matrix A[2, 2]\nclaim: attend(A, k, v).weight[2] = [1/3, 1/3, 1/3]",
         "A 2x2 1 2 0 0", HOLDS},
        {LISTS "matrix A[2, 2]\nclaim: attend(A, k, v).weight[1] = [1/3, 1/3, 1/3]",
         "A 2x2 1 2 0 0", REFUTES},
        {LISTS "matrix A[2, 2]\nclaim: attend(A, k, v).score[1] = [1, 2, 3]", "A 2x2 1 2 0 0",
         HOLDS},
        {LISTS "matrix A[2, 2]\nclaim: attend(A, k, v).score[1] = [1, 2, 4]", "A 2x2 1 2 0 0",
         REFUTES},
        {LISTS "matrix A[1, 2]\nclaim: attend(A, k, v).score = [[1, 2, 3]]", "A 1x2 1 2", HOLDS},
        {LISTS "matrix A[1, 2]\nclaim: attend(A, k, v).score = [[1, 2, 2]]", "A 1x2 1 2", REFUTES},
        {LISTS "matrix A[1, 2]\nclaim: attend(A, k, v) = [[2]]", "A 1x2 0 0", HOLDS},
        {LISTS "matrix A[1, 2]\nclaim: attend(A, k, v) = [[3]]", "A 1x2 0 0", REFUTES},
        {LISTS "matrix A[1, 3]\nclaim: attend(A, k, v) = [[3]]", "A 1x3 0 0 0", NONE},
        {LISTS "matrix A[1, 2]\nclaim: attend([1, 2], A, v) = [3]", "A 1x2 0 0", NONE},
        {LISTS "claim: attend([s, 0], k, v).output = attend([s, 0], k, v)", "s 1", HOLDS},
        {LISTS "claim: attend([0, s], k, v).output = attend([0, 1], k, v)", "s 2", REFUTES},
    };
    (void)state;
    CHECK(rows);
}

#define TOKENS "x[1] = [1, 0]; x[2] = [0, t]; x[3] = [1, 1]\n"

static void test_tokens(void **state)
{
    static const row rows[] = {
        {TOKENS "y = self_attend(x, causal, window = 1)\nclaim: y[3] = x[3]", "t 1", HOLDS},
        {TOKENS "y = self_attend(x, causal, window = 1)\nclaim: y[3] = x[2]", "t 2", REFUTES},
        {TOKENS "y = self_attend(x, causal, window = 2)\nclaim: y.weight[3][1] = 0", "t 1", HOLDS},
        {TOKENS "y = self_attend(x, causal, window = 2)\nclaim: y.weight[3][2] = 0", "t 1",
         REFUTES},
        {TOKENS "y = self_attend(x, window = 2)\nclaim: y.weight[1][3] = 0", "t 1", HOLDS},
        {TOKENS "y = self_attend(x, window = 2)\nclaim: y.weight[1][2] = 0", "t 1", REFUTES},
        {TOKENS "y = self_attend(x, mask = {1})\nclaim: y[2] = x[1]", "t 1", HOLDS},
        {TOKENS "y = self_attend(x, mask = {1})\nclaim: y[2] = x[2]", "t 1", REFUTES},
        /* Token 1 may see the first token alone, and the mask hides it. */
        {TOKENS "y = self_attend(x, causal, mask = {2, 3})\nclaim: y[2] = x[2]", "t 1", NONE},
        {TOKENS "y = self_attend(x, sink = t)\nclaim: y.weight[1][1] < 1/2", "t 0", HOLDS},
        {TOKENS "claim: self_attend(x, bias = [0, 0, 1/t])[1] = x[1]", "t 0", NONE},
        {TOKENS "claim: self_attend(x).score[3] = [1, t, 2]", "t 5", HOLDS},
        {TOKENS "claim: self_attend(x).score[3] = [1, t, 2]", "t 0", HOLDS},
        {TOKENS "claim: self_attend(x).score[3] = [1, 1, 2]", "t 0", REFUTES},
        {TOKENS "claim: self_attend(x).score[3][2] = 1", "t 0", REFUTES},
        {TOKENS "claim: self_attend(x).weight[4][2] = 1", "t 0", NONE},
        {TOKENS "claim: self_attend(x).weight[1][4] = 1", "t 0", NONE},
        {TOKENS "claim: self_attend(x, I, I, I)[1] = self_attend(x)[1]", "t 1", HOLDS},
        {TOKENS "claim: self_attend(x, I, I, 2*I)[1] = 2*self_attend(x)[1]", "t 1", HOLDS},
        {TOKENS "claim: self_attend(x, I, I, 2*I)[1] = self_attend(x)[1]", "t 1", REFUTES},
        {TOKENS "matrix A[2, 2]\nclaim: self_attend(x, A, I, I).weight[1] = [1/3, 1/3, 1/3]",
         "t 1 | A 2x2 0 0 0 0", HOLDS},
        {TOKENS "matrix A[2, 2]\nclaim: self_attend(x, A, I, I).weight[1] = [1/3, 1/3, 1/3]",
         "t 1 | A 2x2 1 0 0 0", REFUTES},
        {TOKENS "matrix A[2, 2]\nclaim: self_attend(x, I, I, A)[1] = A*self_attend(x)[1]",
         "t 1 | A 2x2 1 2 3 4", HOLDS},
        {TOKENS "matrix A[2, 2]\nclaim: self_attend(x, I, I, A)[1] = A'*self_attend(x)[1]",
         "t 1 | A 2x2 1 2 3 4", REFUTES},
        {TOKENS "matrix A[3, 3]\nclaim: self_attend(x, A, I, I)[1] = x[1]",
         "t 1 | A 3x3 1 0 0 0 1 0 0 0 1", NONE},
        {TOKENS "claim: self_attend(x, t, I, I)[1] = x[1]", "t 1", NONE}, /* t is no matrix */
        {TOKENS "claim: self_attend(x, I/t, I, I)[1] = x[1]", "t 0", NONE},
        {TOKENS "claim: self_attend(x with x[2] = [t, t])[1] = [1, 2/3]", "t 1", HOLDS},
        {TOKENS "claim: self_attend(x with x[2] = [t, t])[1] = [1, 2/3]", "t 2", REFUTES},
        {TOKENS "claim: (x with x[2] = [1/t, t])[1] = x[1]", "t 0", NONE},
        {TOKENS "claim: (x with x[2] = [t, t, t])[1] = x[1]", "t 1", NONE},
        {TOKENS "claim: (x with x[4] = [t, t])[1] = x[1]", "t 1", NONE},
        {NAMED "y = self_attend(u)\nclaim: y.weight[a][b] = y.weight[b][b]", "u 3x1 0 0 1", HOLDS},
        {NAMED "y = self_attend(u)\nclaim: y.weight[a][b] = y.weight[c][b]", "u 3x1 0 0 1",
         REFUTES},
        {NAMED "y = self_attend(u)\nclaim: y[a] = u[c]", "u 3x1 0 0 3", REFUTES},
    };
    (void)state;
    CHECK(rows);
}

/* ---- Sums and the like --------------------------------------------------------------------- */

static void test_gathering(void **state)
{
    static const row rows[] = {
        {"claim: max(x, y, 3) = 3", "x 1 | y 2", HOLDS},
        {"claim: max(x, y, 3) = 3", "x 4 | y 2", REFUTES},
        {"claim: max([x, y]) = y", "x 1 | y 2", HOLDS},
        {"vector p\nclaim: mean(p, [1, 2]) = [1, 1]", "p 2x1 1 0", HOLDS},
        {"vector p\nclaim: mean(p, [1, 2]) = [1, 1]", "p 2x1 1 1", REFUTES},
        {"vector p\nclaim: mean(p, [1, 2]) = [1, 1]", "p 3x1 1 1 1", NONE},
        {FAMILY "claim: sum(u[i] for i not in {1, 3}) = u[2]", "n 3 | u 3x1 5 6 7", HOLDS},
        {FAMILY "claim: sum(u[i] for i not in {1, 3}) = u[2]", "n 4 | u 4x1 5 6 7 1", REFUTES},
        {FAMILY "claim: sum(|u[i]| for i != 2) = 3", "n 3 | u 3x1 1 5 2", HOLDS},
        {FAMILY "claim: sum(|u[i]| for i != 2) = 3", "n 3 | u 3x1 1 5 3", REFUTES},
        {FAMILY "claim: max(|u[i]| for i != 1) = 3", "n 1 | u 1x1 1", NONE},
        {FAMILY "claim: sum(|u[i]| for i != 1) = 0", "n 1 | u 1x1 1", HOLDS},
        {FAMILY "claim: sum(|u[i]| for i != 5) = 0", "n 2 | u 2x1 1 1", NONE},
        {FAMILY "claim: sum(|u[i]| for i in {1, 2}) = 3", "n 3 | u 3x1 1 2 4", HOLDS},
        {FAMILY "claim: sum(|u[i]| for i in {1, 2}) = 3", "n 3 | u 3x1 2 2 4", REFUTES},
        {NAMED "claim: sum(u[i] for i in {a, c}) = [4]", "u 3x1 1 2 3", HOLDS},
        {NAMED "claim: sum(u[i] for i in {a, c}) = [4]", "u 3x1 2 2 3", REFUTES},
        {NAMED "claim: sum(u[i] for i not in {a, c}) = [2]", "u 3x1 1 2 3", HOLDS},
        {NAMED "claim: sum(u[i] for i != a) = [5]", "u 3x1 1 2 3", HOLDS},
        {NAMED "claim: sum(u[i] for i != a) = [3]", "u 3x1 1 2 3", REFUTES},
        {FAMILY "claim: sum(u[i] for i in 1..n + 1) = u[1]", "n 1 | u 1x1 1", NONE},
        {FAMILY "claim: sum(u[i] for i in 1..9999) = u[1]", "n 1 | u 1x1 1", NONE},
        {FAMILY "claim: sum(u[i]/t for i in 1..n) = u[1]", "n 1 | u 1x1 1 | t 0", NONE},
        {FAMILY "claim: sum(sum(u[i].u[j] for j in 1..n) for i in 1..n) = 9", "n 2 | u 2x1 1 2",
         HOLDS},
        {FAMILY "claim: sum(sum(u[i].u[j] for j in 1..n) for i in 1..n) = 9", "n 2 | u 2x1 1 1",
         REFUTES},
        {FAMILY "claim: sum(sum(u[i].u[j] for j != i) for i in 1..n) = 4", "n 2 | u 2x1 1 2",
         HOLDS},
        {FAMILY "claim: sum(sum(u[i].u[j] for j != i) for i in 1..n) = 4", "n 2 | u 2x1 1 1",
         REFUTES},
        {"g[1] = x; g[2] = y\nclaim: sum(g[i] for i in 1..2) = 3", "x 1 | y 2", HOLDS},
        {"g[1] = x; g[2] = y\nclaim: sum(g[i] for i in 1..2) = 3", "x 1 | y 1", REFUTES},
        {"g[1] = x; g[2] = y\nclaim: sum(g[i] for i != 2) = x", "x 1 | y 1", HOLDS},
        {"b[i] = i^2*x for i in 1..3\nclaim: sum(b[i] for i in 1..3) = 14", "x 1", HOLDS},
        {"b[i] = i^2*x for i in 1..3\nclaim: sum(b[i] for i in 1..3) = 14", "x 2", REFUTES},
        {"b[i] = 1/(i - x) for i in 1..3\nclaim: b[1] = 1", "x 2", NONE},
        {"b[i] = x for i in 1..m\nclaim: x > 0 or b[1] = 0", "x 1 | m 0", NONE},
    };
    (void)state;
    CHECK(rows);
}

static void test_entropies(void **state)
{
    static const row rows[] = {
        {"claim: entropy([x, 1 - x]) = ln(2)", "x 1/2", HOLDS},
        {"claim: entropy([x, 1 - x]) = ln(2)", "x 1/4", REFUTES},
        {"claim: entropy([x, 1 - x]) = 0", "x 0", HOLDS}, /* 0 ln 0 is 0 */
        {"claim: entropy([x, 1 - x]) = 0", "x 2", NONE},  /* ln(-1) */
        {"claim: entropy([x, 1/x]) = 0", "x 0", NONE},
        {"claim: entropy([[x, 1], [1, 2]]) = 0", "x 1", NONE},
        {LISTS "claim: entropy(attend(s*[1, 0], k, v)) = ln(3)", "s 0", HOLDS},
        {LISTS "claim: entropy(attend(s*[1, 0], k, v)) = ln(3)", "s 1", REFUTES},
        {LISTS "claim: entropy(attend(s*[1, 0], k, v).weight) = ln(3)", "s 0", HOLDS},
        {LISTS "claim: entropy(attend(s*[1, 0], k, v).weight) = ln(3)", "s 1", REFUTES},
        {LISTS "claim: entropy(v) = s", "s 0", NONE},
        {LISTS "claim: logsumexp(attend(s*[1, 0], k, v).score) = ln(3)", "s 0", HOLDS},
        {LISTS "claim: logsumexp(attend(s*[1, 0], k, v).score) = ln(2*e + 1)", "s 1", HOLDS},
        {LISTS "claim: logsumexp(attend(s*[1, 0], k, v).score) = ln(3)", "s 1", REFUTES},
        {LISTS "claim: logsumexp(attend([1/s, 0], k, v).score) = ln(3)", "s 0", NONE},
        {LISTS "claim: logsumexp(attend(s*[1, 0], k, v)) = ln(3)", "s 0", NONE},
        {"claim: softmax([x, 0])[1] = 1/2", "x 0", HOLDS},
        {"claim: softmax([x, 0])[1] = 1/2", "x 1", REFUTES},
        {"claim: softmax([1/x, 0])[1] = 1/2", "x 0", NONE},
        {"vector p\nclaim: softmax(p')*[1, 0] = 1/2", "p 2x1 3 3", HOLDS},
        {"vector p\nclaim: softmax(p')*[1, 0] = 1/2", "p 2x1 3 4", REFUTES},
        {"vector p\nclaim: softmax(p) = p", "p 2x1 3 3", NONE}, /* a column: not said how */
        {"matrix A[2, 2]\nclaim: softmax(A)*ones(2) = ones(2)", "A 2x2 1 2 3 4", HOLDS},
        {"matrix A[2, 2]\nclaim: softmax(A)'*ones(2) = ones(2)", "A 2x2 1 2 3 5", REFUTES},
    };
    (void)state;
    CHECK(rows);
}

static void test_constants(void **state)
{
    static const row rows[] = {
        {"vector p\nclaim: p.ones(n) = 6", "n 3 | p 3x1 1 2 3", HOLDS},
        {"vector p\nclaim: p.ones(n) = 6", "n 3 | p 3x1 1 2 4", REFUTES},
        {"vector p\nclaim: p.ones(n) = 6", "n 2 | p 3x1 1 2 3", NONE},
        {"vector p\nclaim: p.ones(n) = 6", "n 0 | p 3x1 1 2 3", NONE},
        {"vector p\nclaim: p.ones(n) = 6", "n 3/2 | p 3x1 1 2 3", NONE},
        {"vector p\nclaim: p.ones(n) = 6", "n 99999 | p 3x1 1 2 3", NONE},
        {"vector p\nclaim: p.ones(1/n) = 6", "n 0 | p 3x1 1 2 3", NONE},
        {"matrix A[2, 3]\nclaim: A + zeros(2, 3) = A", "A 2x3 1 2 3 4 5 6", HOLDS},
        {"matrix A[2, 3]\nclaim: A + ones(2, 3) = A", "A 2x3 1 2 3 4 5 6", REFUTES},
        {"matrix A[2, 3]\nclaim: A + ones(2, n) = A", "n 2 | A 2x3 1 2 3 4 5 6", NONE},
        {"claim: ones(m, n) = ones(n, m)", "m 1000 | n 1000", NONE}, /* too many numbers */
        {"claim: cos(x) = 1", "x 0", HOLDS},
        {"claim: cos(x) = 1", "x 1", REFUTES},
        {"claim: pi > x", "x 3", HOLDS},
        {"claim: pi > x", "x 22/7", REFUTES},
    };
    (void)state;
    CHECK(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_masks),     cmocka_unit_test(test_options),
        cmocka_unit_test(test_tokens),    cmocka_unit_test(test_gathering),
        cmocka_unit_test(test_entropies), cmocka_unit_test(test_constants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
