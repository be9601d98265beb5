/*
 * The second reading, one instance at a time. Each row is a document with one claim, an instance
 * written out by hand, and what the definitions in the manual make of it there. Most rows come in
 * pairs, one true and one false, so that neither answer can be the reading's habit.
 */
#include "unit/replay/rows.h"

/* ---- Numbers ------------------------------------------------------------------------------- */

static void test_numbers(void **state)
{
    static const row rows[] = {
        {"claim: x < y", "x 1/3 | y 1/2", HOLDS},
        {"claim: x < y", "x 1/2 | y 1/2", REFUTES},
        {"claim: x <= y", "x 1/2 | y 1/2", HOLDS},
        {"claim: x <= y", "x 1/2 | y 1/3", REFUTES},
        {"claim: x > y", "x 1/2 | y 1/2", REFUTES},
        {"claim: x >= y", "x 1/2 | y 1/2", HOLDS},
        {"claim: x = y", "x 2/4 | y 1/2", HOLDS},
        {"claim: x = y", "x 1/2 | y 1/3", REFUTES},
        {"claim: x != y", "x 1/2 | y 1/3", HOLDS},
        {"claim: x != y", "x 1/2 | y 2/4", REFUTES},
        {"claim: (x + y)^2 = x^2 + 2*x*y + y^2", "x -3/7 | y 5", HOLDS},
        {"claim: (x - y)^2 = x^2 - y^2", "x 3 | y 1", REFUTES},
        {"claim: x/y = 2", "x 4 | y 2", HOLDS},
        {"claim: x/y = x/y", "x 4 | y 0", NONE}, /* no value, not even equal to itself */
        {"claim: x/y = 1", "x 0 | y 0", NONE},
        {"claim: sqrt(x)^2 = x", "x 4/9", HOLDS},
        {"claim: sqrt(x) = 2/3", "x 4/9", HOLDS},
        {"claim: sqrt(x) = sqrt(x)", "x -1", NONE},
        {"claim: ln(x) > 0", "x 2", HOLDS},
        {"claim: ln(x) > 0", "x 1", REFUTES},
        {"claim: ln(x) = ln(x)", "x 0", NONE},
        {"claim: e^x > 1 + x", "x -1/2", HOLDS},
        {"claim: exp(x) <= 1 + x", "x 1", REFUTES},
        {"claim: tanh(x) < x", "x 1", HOLDS},
        {"claim: tanh(x) < x", "x -1", REFUTES},
        {"claim: erf(x) < x", "x -1", REFUTES}, /* erf(1) = 0.84 < 1 */
        {"claim: erf(x) < x", "x 1", HOLDS},
        {"claim: |x| = -x", "x -2", HOLDS},
        {"claim: |x| = -x", "x 2", REFUTES},
        {"claim: max(x, y) = x", "x 2 | y 1", HOLDS},
        {"claim: max(x, y) = x", "x 1 | y 2", REFUTES},
        {"claim: min(x, y) = x", "x 1 | y 2", HOLDS},
        {"claim: min(x, y) = x", "x 2 | y 1", REFUTES},
        {"claim: mean(x, y, 4) = 2", "x 1 | y 1", HOLDS},
        {"claim: mean(x, y, 4) = 3", "x 1 | y 1", REFUTES},
        {"claim: x in 1 .. 2", "x 1", HOLDS},
        {"claim: x in 1 .. 2", "x 2", HOLDS},
        {"claim: x in 1 .. 2", "x 9/4", REFUTES},
        {"claim: x in 1 .. 2", "x 3/4", REFUTES},
        {"claim: x = 1 within 1/10", "x 11/10", HOLDS}, /* the end belongs to it */
        {"claim: x = 1 within 1/10", "x 12/10", REFUTES},
        {"claim: x = 1 within 1/10", "x 8/10", REFUTES},
        {"claim: x != 1 within 1/10", "x 11/10", REFUTES},
        {"claim: x != 1 within 1/10", "x 12/10", HOLDS},
    };
    (void)state;
    CHECK(rows);
}

/* ---- Logic --------------------------------------------------------------------------------- */

static void test_logic(void **state)
{
    static const row rows[] = {
        {"claim: x > 0 and y > 0", "x 1 | y 1", HOLDS},
        {"claim: x > 0 and y > 0", "x 1 | y -1", REFUTES},
        {"claim: x > 0 and y > 0", "x -1 | y 1", REFUTES},
        {"claim: x > 0 or y > 0", "x 1 | y -1", HOLDS},
        {"claim: x > 0 or y > 0", "x -1 | y 1", HOLDS},
        {"claim: x > 0 or y > 0", "x -1 | y -1", REFUTES},
        {"claim: not x > 0", "x 0", HOLDS},
        {"claim: not x > 0", "x 1", REFUTES},
        {"claim: not (x > 0 and y > 0)", "x 1 | y 0", HOLDS},
        {"claim: not (x > 0 and y > 0)", "x 1 | y 2", REFUTES},
        {"claim: x > 0 implies y > 0", "x 1 | y 1", HOLDS},
        {"claim: x > 0 implies y > 0", "x 1 | y 0", REFUTES},
        {"claim: x > 0 implies y > 0", "x 0 | y 0", MISSED}, /* says nothing there */
        {"claim: x > 0 implies 1/x > 0", "x 0", MISSED},     /* nor is 1/0 asked for */
        {"claim: y > 0 given x > 0", "x 1 | y 1", HOLDS},
        {"claim: y > 0 given x > 0", "x 1 | y 0", REFUTES},
        {"claim: y > 0 given x > 0", "x 0 | y 0", MISSED},
        {"given x > 0\nclaim: y > 0", "x 1 | y 0", REFUTES},
        {"given x > 0\nclaim: y > 0", "x 0 | y 0", MISSED},
        {"given x > 0\ngiven x < 2\nclaim: x = 1", "x 2", MISSED},
        {"given x > 0\ngiven x < 2\nclaim: x = 1", "x 3/2", REFUTES},
        {"given x >= 1/y\nclaim: x > 0", "x 1 | y 0", NONE}, /* a premise without a value */
        {"claim: x = 2*y at y = 3", "x 6 | y 3", HOLDS},
        {"claim: x = 2*y at y = 3", "x 6 | y 4", MISSED},
        {"claim: x > 1 for x >= 1", "x 1", REFUTES},
        {"claim: x > 1 for x >= 1", "x 1/2", MISSED},
        {"claim: exists t: t = x + 1", "x 1 | t 2", HOLDS},
        {"claim: not exists t: t = x + 1", "x 1 | t 2", REFUTES},
        {"claim: for all t: t^2 >= x", "x 0 | t 1/2", HOLDS},
        {"claim: for all t: t^2 >= x", "x 1 | t 1/2", REFUTES},
        /* A tolerance belongs to what is claimed, not to what is supposed. */
        {"claim: x = 1 implies y = 1 within 1/10", "x 1 | y 21/20", HOLDS},
        {"claim: x = 1 implies y = 1 within 1/10", "x 21/20 | y 2", MISSED},
    };
    (void)state;
    CHECK(rows);
}

/* ---- Names --------------------------------------------------------------------------------- */

static void test_names(void **state)
{
    static const row rows[] = {
        {"y = x + 1\nclaim: y = 3", "x 2", HOLDS},
        {"y = x + 1\nclaim: y = 3", "x 3", REFUTES},
        {"f(t) = t^2 + x\nclaim: f(2) = 5", "x 1", HOLDS},
        {"f(t) = t^2 + x\nclaim: f(x) = x^2", "x 1", REFUTES},
        {"f(t) = t + 1\ng(t) = f(2*t)\nclaim: g(x) = 2*x + 1", "x 5", HOLDS},
        {"f(t) = t + 1\ng(t) = f(2*t)\nclaim: g(x) = 2*x + 2", "x 5", REFUTES},
        {"f(s, t) = s - t\nclaim: f(x, 1) = 2", "x 3", HOLDS},
        {"f(s, t) = s - t\nclaim: f(1, x) = 2", "x 3", REFUTES},
        {"x[1] = [1, 2]\nx[2] = [3, t]\nclaim: x[1].x[2] = 11", "t 4", HOLDS},
        {"x[1] = [1, 2]\nx[2] = [3, t]\nclaim: x[1].x[2] = 11", "t 5", REFUTES},
    };
    (void)state;
    CHECK(rows);
}

/* ---- Vectors, families and indexes --------------------------------------------------------- */

#define FAMILY "vectors u[1..n]\n"
#define PICKED FAMILY "pick a, b in 1..n\n"

static void test_vectors(void **state)
{
    static const row rows[] = {
        {"vector x\nvector y\nclaim: x.y = 0", "x 2x1 1 2 | y 2x1 2 -1", HOLDS},
        {"vector x\nvector y\nclaim: x.y = 0", "x 2x1 1 2 | y 2x1 2 1", REFUTES},
        {"vector x\nclaim: |x| = 5", "x 2x1 3 -4", HOLDS},
        {"vector x\nclaim: |x| = 5", "x 3x1 3 4 1", REFUTES},
        {"vector x\nvector y\nclaim: |x + y| <= |x| + |y|", "x 2x1 1 0 | y 2x1 0 1", HOLDS},
        {"vector x\nvector y\nclaim: |x + y| < |x| + |y|", "x 2x1 1 0 | y 2x1 2 0", REFUTES},
        {"vector x\nvector y\nclaim: x = y", "x 2x1 1 2 | y 2x1 1 2", HOLDS},
        {"vector x\nvector y\nclaim: x = y", "x 2x1 1 2 | y 2x1 1 3", REFUTES},
        {"vector x\nvector y\nclaim: x = y", "x 2x1 1 2 | y 2x1 3 2", REFUTES},
        {"vector x\nvector y\nclaim: cos(x, y) = 1", "x 2x1 1 2 | y 2x1 2 4", HOLDS},
        {"vector x\nvector y\nclaim: cos(x, y) = 1", "x 2x1 1 2 | y 2x1 -2 -4", REFUTES},
        {"vector x\nvector y\nclaim: cos(x, y) = 1", "x 2x1 1 2 | y 2x1 0 0", NONE},
        {"vector x\nvector y\nclaim: dist(x, y) = 5", "x 2x1 1 1 | y 2x1 4 5", HOLDS},
        {"vector x\nvector y\nclaim: dist(x, y) = 5", "x 2x1 1 1 | y 2x1 4 4", REFUTES},
        {FAMILY "claim: sum(u[i] for i in 1..n) = 0*u[1]", "n 2 | u 2x2 1 2 -1 -2", HOLDS},
        {FAMILY "claim: sum(u[i] for i in 1..n) = 0*u[1]", "n 2 | u 2x2 1 2 -1 -1", REFUTES},
        {FAMILY "claim: sum(u[i] for i in 2..n) = u[2]", "n 2 | u 2x1 5 7", HOLDS},
        {FAMILY "claim: sum(u[i] for i in 2..n) = u[2]", "n 3 | u 3x1 5 7 1", REFUTES},
        {FAMILY "claim: sum(|u[i]| for i in 2..n) = 0", "n 1 | u 1x1 5", HOLDS}, /* none: 0 */
        {FAMILY "claim: mean(|u[i]| for i in 2..n) = 0", "n 1 | u 1x1 5", NONE},
        {FAMILY "claim: max(|u[i]| for i in 2..n) >= 0", "n 1 | u 1x1 5", NONE},
        {FAMILY "claim: mean(|u[i]| for i in 1..n) = 3", "n 2 | u 2x1 5 -1", HOLDS},
        {FAMILY "claim: mean(|u[i]| for i in 1..n) = 2", "n 2 | u 2x1 5 -1", REFUTES},
        {FAMILY "claim: max(|u[i]| for i in 1..n) = 5", "n 2 | u 2x1 1 -5", HOLDS},
        {FAMILY "claim: min(|u[i]| for i in 1..n) = 5", "n 2 | u 2x1 1 -5", REFUTES},
        {FAMILY "claim: for all i in 1..n: |u[i]| = 1", "n 2 | u 2x1 1 -1", HOLDS},
        {FAMILY "claim: for all i in 1..n: |u[i]| = 1", "n 2 | u 2x1 1 -2", REFUTES},
        {FAMILY "claim: for all i in 1..n: for all j in 1..n: u[i] = u[j]", "n 2 | u 2x1 3 3",
         HOLDS},
        {FAMILY "claim: for all i in 1..n: for all j in 1..n: u[i] = u[j]", "n 2 | u 2x1 3 4",
         REFUTES},
        {FAMILY "claim: for all i in 1..n: for all j != i: u[i].u[j] = 0", "n 2 | u 2x2 1 0 0 1",
         HOLDS},
        {FAMILY "claim: for all i in 1..n: for all j in 1..n: u[i].u[j] = 0", "n 2 | u 2x2 1 0 0 1",
         REFUTES},
        {PICKED "claim: u[a] = u[b]", "n 2 | a 1 | b 1 | u 2x1 1 2", HOLDS},
        {PICKED "claim: u[a] = u[b]", "n 2 | a 1 | b 2 | u 2x1 1 2", REFUTES},
        {PICKED "claim: for all i != a: u[i] = u[b]", "n 2 | a 1 | b 2 | u 2x1 1 2", HOLDS},
        {PICKED "claim: for all i != a: u[i] = u[b]", "n 2 | a 2 | b 2 | u 2x1 1 2", REFUTES},
        {PICKED "claim: for all i not in {a, b}: |u[i]| = 1", "n 3 | a 1 | b 3 | u 3x1 5 1 5",
         HOLDS},
        {PICKED "claim: for all i not in {a, b}: |u[i]| = 1", "n 3 | a 1 | b 2 | u 3x1 5 1 5",
         REFUTES},
        {PICKED "claim: for all i in {a, b}: |u[i]| = 1", "n 3 | a 1 | b 3 | u 3x1 1 5 1", HOLDS},
        {PICKED "claim: for all i in {a, b}: |u[i]| = 1", "n 3 | a 1 | b 2 | u 3x1 1 5 1", REFUTES},
        {PICKED "claim: sum(|u[i]| for i != a) = 2", "n 3 | a 1 | b 1 | u 3x1 5 1 1", HOLDS},
        {PICKED "claim: u_a = u[a]", "n 2 | a 2 | b 1 | u 2x1 1 2", HOLDS},
        {PICKED "claim: u_a = u[1]", "n 2 | a 2 | b 1 | u 2x1 1 2", REFUTES},
        {FAMILY "given for all i in 1..n: |u[i]| = 1\nclaim: u[1].u[2] = 0", "n 2 | u 2x2 1 0 0 2",
         MISSED},
        {FAMILY "given for all i in 1..n: |u[i]| = 1\nclaim: u[1].u[2] = 0", "n 2 | u 2x2 1 0 1 0",
         REFUTES},
        {"vectors u[1..n] norm s\nclaim: |u[1]| = s", "n 2 | s 3 | u 2x2 1 0 0 1", HOLDS},
        {"vectors u[1..n] orthonormal\nclaim: |u[1] + u[2]| = 2", "n 2 | u 2x2 1 0 0 1", REFUTES},
        {"values v[1..n]\nvector x\nclaim: x in hull(v)", "n 2 | v 2x1 0 2 | x 1x1 1", HOLDS},
        {"values v[1..n]\nvector x\nclaim: x in hull(v)", "n 2 | v 2x1 0 2 | x 1x1 3", REFUTES},
        {"values v[1..n]\nvector x\nclaim: x in hull(v)", "n 2 | v 2x2 0 0 2 2 | x 2x1 2 2", HOLDS},
        {"values v[1..n]\nvector x\nclaim: x in hull(v)", "n 2 | v 2x2 0 0 2 2 | x 2x1 1 2",
         REFUTES},
        {"values v[1..n]\nvector x\nclaim: x in hull(v)", "n 2 | v 2x2 0 0 2 2 | x 2x1 -1 -1",
         REFUTES},
    };
    (void)state;
    CHECK(rows);
}

/* ---- Matrices ------------------------------------------------------------------------------ */

static void test_matrices(void **state)
{
    static const row rows[] = {
        {"matrix A[2, 2]\nvector x\nclaim: A*x = x", "A 2x2 0 1 1 0 | x 2x1 3 3", HOLDS},
        {"matrix A[2, 2]\nvector x\nclaim: A*x = x", "A 2x2 0 1 1 0 | x 2x1 3 4", REFUTES},
        {"matrix A[2, 2]\nmatrix B[2, 2]\nclaim: A*B = B*A", "A 2x2 1 0 0 2 | B 2x2 3 0 0 4",
         HOLDS},
        {"matrix A[2, 2]\nmatrix B[2, 2]\nclaim: A*B = B*A", "A 2x2 0 1 0 0 | B 2x2 0 0 1 0",
         REFUTES},
        {"matrix A[2, 3]\nmatrix B[3, 2]\nclaim: (A*B)' = B'*A'",
         "A 2x3 1 2 3 4 5 6 | B 3x2 1 0 2 0 0 1", HOLDS},
        {"matrix A[2, 2]\nclaim: A' = A", "A 2x2 1 2 2 5", HOLDS},
        {"matrix A[2, 2]\nclaim: A' = A", "A 2x2 1 2 3 5", REFUTES},
        {"matrix A[2, 2]\nclaim: A = I", "A 2x2 1 0 0 1", HOLDS},
        {"matrix A[2, 2]\nclaim: A = I", "A 2x2 1 0 0 2", REFUTES},
        {"matrix A[2, 2]\nclaim: I*A = A", "A 2x2 1 3 0 2", HOLDS},
        {"matrix A[2, 2]\nclaim: A + I = 2*A", "A 2x2 1 3 0 2", REFUTES},
        {"vector x\nvector y\nclaim: x*y' = y*x'", "x 2x1 1 2 | y 2x1 2 4", HOLDS},
        {"vector x\nvector y\nclaim: x*y' = y*x'", "x 2x1 1 2 | y 2x1 2 1", REFUTES},
    };
    (void)state;
    CHECK(rows);
}

/* ---- Attention ----------------------------------------------------------------------------- */

#define HEAD "keys k[1..n]\nvalues v[1..n]\nvector q\nc = attend(q, k, v)\n"
/* Scores 0 and 1. */
#define TWO "n 2 | k 2x2 1 0 0 1 | q 2x1 0 1 | v 2x1 0 1"

static void test_attention(void **state)
{
    static const row rows[] = {
        {HEAD "claim: c.weight[2] = e/(1 + e)", TWO, HOLDS},
        {HEAD "claim: c.weight[1] = e/(1 + e)", TWO, REFUTES},
        {HEAD "claim: c.weight[1] + c.weight[2] = 1", TWO, HOLDS},
        {HEAD "claim: c.score[2] = 1", TWO, HOLDS},
        {HEAD "claim: c.score[1] = 1", TWO, REFUTES},
        {HEAD "claim: sum(c.weight[i] for i in 1..n) = 1", TWO, HOLDS},
        {HEAD "claim: c = e/(1 + e)*v[2]", TWO, HOLDS},
        {HEAD "claim: c = 1/2*v[2]", TWO, REFUTES},
        {HEAD "claim: c = mean(v[1], v[2])", "n 2 | k 2x1 1 1 | q 1x1 7 | v 2x2 1 2 3 4", HOLDS},
        {HEAD "claim: c = mean(v[1], v[2])", "n 2 | k 2x1 1 2 | q 1x1 7 | v 2x2 1 2 3 4", REFUTES},
        {HEAD "claim: c in hull(v)", TWO, HOLDS},
        {"keys k[1..2]\nvalues v[1..2]\nvector q\nc = attend(q, k, v, scale = 2)\n"
         "claim: c.weight[2] = e^2/(1 + e^2)",
         "k 2x2 1 0 0 1 | q 2x1 0 1 | v 2x1 0 1", HOLDS},
        {"keys k[1..2]\nvalues v[1..2]\nvector q\nc = attend(q, k, v, scale = 2)\n"
         "claim: c.weight[2] = e/(1 + e)",
         "k 2x2 1 0 0 1 | q 2x1 0 1 | v 2x1 0 1", REFUTES},
        {"matrix A[1, 2]\nclaim: softmax(A) = [[e^3/(1 + e^3), 1/(1 + e^3)]]", "A 1x2 3 0", HOLDS},
        {"matrix A[1, 2]\nclaim: softmax(A) = [[1/(1 + e^3), e^3/(1 + e^3)]]", "A 1x2 3 0",
         REFUTES},
        {"x[1] = [1, 0]\nx[2] = [0, t]\ny = self_attend(x)\nclaim: y[1] = (e*x[1] + x[2])/(e + 1)",
         "t 1", HOLDS},
        {"x[1] = [1, 0]\nx[2] = [0, t]\ny = self_attend(x)\nclaim: y[2] = (e*x[2] + x[1])/(e + 1)",
         "t 2", REFUTES},
        {"x[1] = [1, 0]\nx[2] = [0, t]\ny = self_attend(x)\n"
         "claim: y[2] = (e^4*x[2] + x[1])/(e^4 + 1)",
         "t 2", HOLDS},
        {"x[1] = [1, 0]\nx[2] = [0, t]\ny = self_attend(x, causal)\nclaim: y[1] = x[1]", "t 2",
         HOLDS},
        {"x[1] = [1, 0]\nx[2] = [0, t]\ny = self_attend(x, causal)\nclaim: y[2] = x[2]", "t 2",
         REFUTES},
    };
    (void)state;
    CHECK(rows);
}

/* ---- Limits -------------------------------------------------------------------------------- */

static void test_limits(void **state)
{
    static const row rows[] = {
        {"claim: 1/b ~ 0 as b -> inf", "b 1", HOLDS},
        {"claim: 1/b ~ 1 as b -> inf", "b 1", REFUTES},
        {"claim: (2*b + 1)/(b + 3) ~ 2 as b -> inf", "b 1", HOLDS},
        {"claim: (2*b + 1)/(b + 3) ~ 3 as b -> inf", "b 1", REFUTES},
        {"claim: e^(-b)*b^5 ~ 0 as b -> inf", "b 1", HOLDS},
        {"claim: b*x ~ 0 as b -> inf", "b 1 | x 1", REFUTES},
        {"claim: b*x ~ 0 as b -> inf", "b 1 | x 0", HOLDS},
        {"claim: b > 1000 as b -> inf", "b 1", HOLDS},
        {"claim: b < 1000 as b -> inf", "b 1", REFUTES},
        {"claim: (e^t - 1)/t ~ 1 as t -> 0", "t 1", HOLDS},
        {"claim: (e^t - 1)/t ~ 2 as t -> 0", "t 1", REFUTES},
        {"claim: t > 0 as t -> 0", "t 1", REFUTES}, /* from below it is not */
        {"given t > 0\nclaim: t > 0 as t -> 0", "t 1", HOLDS},
        {"claim: t/b ~ 0 as t -> 0 then b -> inf", "t 1 | b 1", HOLDS},
        {"given t > 0\nclaim: t*b < 1 as t -> 0 then b -> inf", "t 1 | b 1", HOLDS},
        {"given t > 0\nclaim: t*b < 1 as b -> inf then t -> 0", "t 1 | b 1", REFUTES},
        {"claim: not 1/b ~ 0 as b -> inf", "b 1", REFUTES},
        {"claim: not e^(-30) + 1/b ~ 0 as b -> inf", "b 1", MISSED}, /* too small to tell */
        {"claim: 1/b ~ 0 and 2/b ~ 1 as b -> inf", "b 1", REFUTES},
        {"claim: 1/b ~ 0 or 2/b ~ 1 as b -> inf", "b 1", HOLDS},
        {"claim: x > 0 implies b*x > 5 as b -> inf", "b 1 | x 1", HOLDS},
        {"claim: x > 0 implies b*x < 5 as b -> inf", "b 1 | x 1", REFUTES},
        {"claim: x > 0 implies b*x > 5 as b -> inf", "b 1 | x -1", MISSED},
        {"given x > 0\nclaim: b*x > 5 as b -> inf", "b 1 | x -1", MISSED},
        {"given x >= b\nclaim: x/b ~ 0 as b -> inf", "b 1 | x 1", REFUTES}, /* x follows b */
        {"claim: 1/b = 0 as b -> inf within 1/10", "b 1", HOLDS},
        {"claim: 1/b + 1 = 0 as b -> inf within 1/10", "b 1", REFUTES},
        {HEAD "p = attend(b*q, k, v)\nclaim: p ~ v[2] as b -> inf", "b 1 | " TWO, HOLDS},
        {HEAD "p = attend(b*q, k, v)\nclaim: p ~ v[1] as b -> inf", "b 1 | " TWO, REFUTES},
        {HEAD "p = attend(b*q, k, v)\nclaim: for all i in 1..n: p.weight[i] ~ 0 as b -> inf",
         "b 1 | " TWO, REFUTES},
        {HEAD "p = attend(b*q, k, v)\nclaim: for all i != 2: p.weight[i] ~ 0 as b -> inf",
         "b 1 | " TWO, HOLDS},
    };
    (void)state;
    CHECK(rows);
}

/* ---- Random keys --------------------------------------------------------------------------- */

/* Means at right angles; x, the part of k[1] along its mean, is normal with mean 1, variance s. */
#define NOISE                                                                                      \
    "given s > 0\nmeans mu[1..2] orthonormal\nvalues v[1..2]\nkeys k[i] ~ normal(mu[i], s*I)\n"    \
    "x = k[1].mu[1]\n"
#define QUIET "s 1 | mu 2x2 1 0 0 1"

static void test_random_keys(void **state)
{
    static const row rows[] = {
        {NOISE "claim: E(x) = 1 within 1/1000", QUIET, HOLDS},
        {NOISE "claim: E(x) = 2 within 1/1000", QUIET, REFUTES},
        {NOISE "claim: Var(x) = 1 within 1/1000", QUIET, HOLDS},
        {NOISE "claim: Var(x) = 4 within 1/1000", QUIET, REFUTES},
        {NOISE "claim: Var(2*x) = 4*s within 1/1000", "s 1/4 | mu 2x2 1 0 0 1", HOLDS},
        {NOISE "claim: E(x^2) = 1 + s within 1/1000", QUIET, HOLDS},
        {NOISE "claim: P(x > 1) = 1/2 within 1/20", QUIET, HOLDS},
        {NOISE "claim: P(x > 0) < 1/2", QUIET, REFUTES},
        {NOISE "claim: P(x > 0) > 4/5", QUIET, HOLDS},               /* 0.841 */
        {NOISE "claim: P(x > 1 given x > 0) < 1/2", QUIET, REFUTES}, /* 0.5/0.841 */
        {NOISE "claim: E(x given x > 1) > 3/2", QUIET, HOLDS},       /* 1 + 0.798 */
        {NOISE "claim: Cov(x, k[2].mu[1]) = 0 within 1/10", QUIET, HOLDS},
        {NOISE "claim: Cov(x, x + k[2].mu[1]) = 1 within 1/10", QUIET, HOLDS},
        {NOISE "claim: Cov(x, x + k[2].mu[1]) = 0 within 1/10", QUIET, REFUTES},
        /* Under a condition, whatever it drew to be judged. */
        {NOISE "claim: Var(x) > 1/2 given x > -100", QUIET, HOLDS},
        {NOISE "claim: Var(x) < 1/2 given x > -100", QUIET, REFUTES},
        {NOISE "claim: E(x) < 1/2 given x > -100", QUIET, REFUTES},
        {NOISE "claim: E(x) = 1 within 1/1000", "s -1 | mu 2x2 1 0 0 1", NONE},
    };
    (void)state;
    CHECK(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),  cmocka_unit_test(test_logic),
        cmocka_unit_test(test_names),    cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_matrices), cmocka_unit_test(test_attention),
        cmocka_unit_test(test_limits),   cmocka_unit_test(test_random_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
