/*
 * Derivatives at one instance, beside those of the textbook: by a parameter, by the coordinates of
 * a vector or of a member, twice, and where there is none.
 */
#include "unit/replay/rows.h"

static void test_parameters(void **state)
{
    static const row rows[] = {
        {"claim: d(t^3, t) = 12", "t 2", HOLDS},
        {"claim: d(t^3, t) = 12", "t 3", REFUTES},
        {"claim: d(x*t^2, t) = 2*x*t", "t 3 | x 5", HOLDS},
        {"claim: d(x*t^2, x) = 2*x*t", "t 3 | x 5", REFUTES},
        {"claim: d(d(t^3, t), t) = 12", "t 2", HOLDS},
        {"claim: d(d(t^3, t), t) = 12", "t 3", REFUTES},
        {"claim: d(d(t^2*x^3, x), t) = 6*t*x^2", "t 2 | x 5", HOLDS},
        {"claim: d(d(t^2*x^3, x), t) = 6*t*x", "t 2 | x 5", REFUTES},
        {"claim: d(e^(2*t), t) = 2*e^(2*t)", "t 1", HOLDS},
        {"claim: d(e^(2*t), t) = e^(2*t)", "t 1", REFUTES},
        {"claim: d(ln(t), t) = 1/t", "t 2", HOLDS},
        {"claim: d(ln(t), t) = 1/t", "t -2", NONE},
        {"claim: d(|t|, t) = -1", "t -2", HOLDS},
        {"claim: d(|t|, t) = -1", "t 2", REFUTES},
        {"claim: d(|t|, t) = 0", "t 0", NONE}, /* a kink */
        {"claim: d(sqrt(t), t) = 1", "t 0", NONE},
        {"claim: d(max(t, 1), t) = 0", "t 1", NONE},
        {"claim: d(1/t, t) = 0", "t 0", NONE},
        {"claim: d(7, t) = t", "t 0", HOLDS},
        {"g = t^2\nclaim: d(g, t) = 2*t", "t 3", HOLDS}, /* through a definition */
        {"g = t^2\nclaim: d(g, t) = 0", "t 3", REFUTES},
        {"g = t^2\nclaim: d(g^2, g) = 0", "t 3", NONE}, /* by what is defined */
        {"f(x) = x^2\nclaim: d(f(t), t) = 2*t", "t 3", HOLDS},
        {"f(x) = d(x*t, t)\nclaim: f(1) = 1", "t 3", NONE}, /* in the body of a function */
        {"claim: d(d(d(t^4, t), t), t) = 24*t", "t 2", HOLDS},
        {"claim: d(d(d(t^4, t), t), t) = 24*t", "t -2", HOLDS},
        {"claim: d(d(d(t^4, t), t), t) = 12*t", "t 2", REFUTES},
        {"claim: d(d(d(d(t^4, t), t), t), t) = 1", "t 2", NONE}, /* more than three at a time */
        {"vector p\nclaim: d(t*p, t) = p", "t 3 | p 2x1 1 2", HOLDS},
        {"vector p\nclaim: d(t*p, t) = t*p", "t 3 | p 2x1 1 2", REFUTES},
        {"claim: d([t, t^2], t) = [1, 4]", "t 2", HOLDS},
        {"claim: d([t, t^2], t) = [1, 4]", "t 1", REFUTES},
        {"matrix A[2, 2]\nclaim: d(t*A, t) = A", "t 3 | A 2x2 1 2 3 4", HOLDS},
        {"claim: d(t*I, t) = I", "t 3", NONE},
        {"vector p\nclaim: d(|p|, p) = 1", "p 2x1 1 2", NONE}, /* by no number */
        {"vectors u[1..n] norm t\nclaim: d(|u[1]|, t) = 1", "n 2 | t 3 | u 2x2 1 0 0 1", HOLDS},
        {"vectors u[1..n] norm t\nclaim: d(u[1].u[1], t) = 2*t", "n 2 | t 3 | u 2x2 1 0 0 1",
         HOLDS},
        {"vectors u[1..n] norm t\nclaim: d(u[1].u[1], t) = t", "n 2 | t 3 | u 2x2 1 0 0 1",
         REFUTES},
        {"vectors u[1..n]\nclaim: d(|u[1]|, n) = 0", "n 2 | u 2x1 1 2", NONE}, /* a size */
        {"vectors u[1..2*m]\nclaim: d(|u[1]|*m, m) = 0", "m 1 | u 2x1 1 2", NONE},
        {"scalar z ~ normal(0, 1)\nclaim: d(t*z, t) = z", "t 1", NONE}, /* nothing random */
        {"claim: d*(t + 1) = d(t + 1)", "d 2 | t 1", HOLDS}, /* one argument: a product */
        {"claim: d(t + 1) = 5", "d 2 | t 1", REFUTES},
        {"claim: d(t, x + 1) = 0", "t 1 | x 1", NONE},
        {"claim: d(t, 3) = 0", "t 1", NONE},
    };
    (void)state;
    CHECK(rows);
}

#define LISTS "keys k = [[1, 0], [0, 1]]\nvalues v = [[1], [3]]\n"

static void test_gradients(void **state)
{
    static const row rows[] = {
        {"vector q\nclaim: grad(q.q, q) = 2*q", "q 2x1 1 2", HOLDS},
        {"vector q\nclaim: grad(q.q, q) = q", "q 2x1 1 2", REFUTES},
        {"vector q\nclaim: grad(|q|, q) = q/|q|", "q 2x1 3 4", HOLDS},
        {"vector q\nclaim: grad(|q|, q) = q/|q|", "q 2x1 0 0", NONE},
        {"vector q\nclaim: grad(|q|, q) = q", "q 2x1 0 0", NONE},
        {"vector q\nclaim: grad(1/t, q) = q", "t 0 | q 2x1 0 0", NONE},
        {"vector q\nclaim: grad(q, q) = q", "q 2x1 1 2", NONE}, /* of no number */
        {"vectors u[1..n]\nclaim: grad(u[1].u[2], u[1]) = u[2]", "n 2 | u 2x2 1 2 3 4", HOLDS},
        {"vectors u[1..n]\nclaim: grad(u[1].u[2], u[1]) = u[1]", "n 2 | u 2x2 1 2 3 4", REFUTES},
        {"vectors u[1..n]\nclaim: grad(u[1].u[2], u[3]) = u[1]", "n 2 | u 2x2 1 2 3 4", NONE},
        {"vectors u[1..n] norm 1\nclaim: grad(u[1].u[2], u[2]) = u[1]", "n 2 | u 2x2 1 0 0 1",
         NONE},
        {"vectors u[a,b]\nclaim: grad(u[a].u[b], u[b]) = u[a]", "u 2x2 1 2 3 4", HOLDS},
        {"vectors u[a,b]\nclaim: grad(u[a].u[b], u[b]) = u[b]", "u 2x2 1 2 3 4", REFUTES},
        {LISTS "vector q\nc = attend(q, k, v)\n"
               "claim: grad(c.weight[1], q) = c.weight[1]*c.weight[2]*(k[1] - k[2])",
         "q 2x1 1 2", HOLDS},
        {LISTS "vector q\nc = attend(q, k, v)\n"
               "claim: grad(c.weight[1], q) = c.weight[1]*c.weight[2]*k[1]",
         "q 2x1 1 2", REFUTES},
        {LISTS "c = attend(t*k[1], k, v)\nw = c.weight[1]\nclaim: d(w, t) = w*(1 - w)", "t 1",
         HOLDS},
        {LISTS "c = attend(t*k[1], k, v)\nw = c.weight[1]\nclaim: d(w, t) = w", "t 1", REFUTES},
        {LISTS "c = attend(t*k[1], k, v)\nclaim: d(c, t) = -2*c.weight[1]*c.weight[2]*[1]", "t 1",
         HOLDS},
        {LISTS "c = attend(t*k[1], k, v)\nclaim: d(entropy(c), t) < 0", "t 1", HOLDS},
        {LISTS "c = attend(t*k[1], k, v)\nclaim: d(entropy(c), t) < 0", "t -1", REFUTES},
        {LISTS "c = attend(t*k[1], k, v)\nclaim: d(logsumexp(c.score), t) = c.weight[1]", "t 1",
         HOLDS},
        {LISTS "c = attend(t*k[1], k, v)\nclaim: d(logsumexp(c.score), t) = c.weight[2]", "t 1",
         REFUTES},
        {LISTS "claim: d(attend(t*k[1], k, v, scale = t).weight[1], t) = 1/2", "t 1", REFUTES},
        {LISTS "claim: d(attend(t*k[1], k, v, mask = {1}).weight[1], t) = 0", "t 1", HOLDS},
        {LISTS "claim: d(t*attend(0, k, v).weight[1], t) = 1/2", "t 1", HOLDS},
        {"claim: d(entropy([t, 1 - t]), t) = ln((1 - t)/t)", "t 1/4", HOLDS},
        {"claim: d(entropy([t, 1 - t]), t) = 0", "t 0", NONE},
        {"claim: d(softmax([t, 0])[1], t) = 1/4", "t 0", HOLDS},
        {"claim: d(softmax([t, 0])[1], t) = 1/4", "t 1", REFUTES},
    };
    (void)state;
    CHECK(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_gradients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
