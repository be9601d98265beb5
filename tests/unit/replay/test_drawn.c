/*
 * What is drawn: laws of numbers, vectors and keys, and probabilities, means and covariances of
 * them at one instance, beside their formulas. Sums over draws have an error, so that equations are
 * within a tolerance, or inequalities leave room.
 */
#include "unit/replay/rows.h"

static void test_numbers(void **state)
{
    static const row rows[] = {
        {"scalar z ~ normal(m, s)\nclaim: E(z) = 2 within 1/100", "m 2 | s 1", HOLDS},
        {"scalar z ~ normal(m, s)\nclaim: E(z) = 2 within 1/100", "m 3 | s 1", REFUTES},
        {"scalar z ~ normal(m, s)\nclaim: Var(z) = 4 within 1/100", "m 2 | s 4", HOLDS},
        {"scalar z ~ normal(m, s)\nclaim: Var(z) = 4 within 1/100", "m 2 | s 2", REFUTES},
        {"scalar z ~ normal(m, s)\nclaim: z = m", "m 2 | s 0", HOLDS}, /* certain */
        {"scalar z ~ normal(m, s^2)\nclaim: P(z > m) > 2/5", "m 2 | s 1", HOLDS},
        {"scalar z ~ normal(m, s^2)\nclaim: P(z > m) > 3/5", "m 2 | s 1", REFUTES},
        {"scalar z ~ normal(0, s - t)\nclaim: E(z) = 0", "s 1 | t 2", NONE},
        {"scalar z ~ normal(0, sin(s)^2 + cos(s)^2 - 1)\nclaim: E(z) = 0", "s 1", NONE},
        {"scalar z ~ normal(1/s, 1)\nclaim: E(z) = 0", "s 0", NONE},
        {"scalar z ~ normal(0, 1/s^2)\nclaim: E(z) = 0", "s 0", NONE},
        {"scalar u ~ uniform(a, b)\nclaim: E(u) = 2 within 1/50", "a 1 | b 3", HOLDS},
        {"scalar u ~ uniform(a, b)\nclaim: E(u) = 2 within 1/50", "a 1 | b 4", REFUTES},
        {"scalar u ~ uniform(a, b)\nclaim: u > 0", "a 1 | b 3", HOLDS},
        {"scalar u ~ uniform(a, b)\nclaim: u > 3", "a 1 | b 3", REFUTES},
        {"scalar u ~ uniform(a, b)\nclaim: u > 3", "a 3 | b 1", NONE},
        {"scalar u ~ uniform(0, b^2)\nclaim: E(u) = 0", "b 0", NONE},
        {"scalar u ~ uniform(a, b)\nclaim: P(u < 2) < 3/4", "a 1 | b 3", HOLDS},
        {"scalar u ~ uniform(a, b)\nclaim: P(u < 2) < 1/4", "a 1 | b 3", REFUTES},
        {"scalar x ~ bernoulli(p)\nclaim: E(x) = 1/4 within 1/10", "p 1/4", HOLDS},
        {"scalar x ~ bernoulli(p)\nclaim: E(x) = 1/4 within 1/10", "p 3/4", REFUTES},
        {"scalar x ~ bernoulli(p)\nclaim: x^2 = x", "p 3/4", HOLDS},
        {"scalar x ~ bernoulli(p)\nclaim: x = 0", "p 0", HOLDS},
        {"scalar x ~ bernoulli(p)\nclaim: x = 0", "p 1", REFUTES},
        {"scalar x ~ bernoulli(p)\nclaim: x = 0", "p 2", NONE},
        {"scalar x ~ bernoulli(p)\nclaim: x = 0", "p -1", NONE},
        {"scalar x ~ bernoulli(2*p)\nclaim: x = 0", "p 1", NONE},
        {"scalar x ~ bernoulli(2*p)\nclaim: x = 0", "p -1", NONE},
        {"scalar x ~ bernoulli(p*(sin(1)^2 + cos(1)^2))\nclaim: x = 0", "p 1", NONE},
        {"scalar x ~ bernoulli(p*(sin(1)^2 + cos(1)^2 - 1))\nclaim: x = 0", "p 1", NONE},
        {"scalar w ~ exponential(r)\nclaim: E(w) = 1/2 within 1/10", "r 2", HOLDS},
        {"scalar w ~ exponential(r)\nclaim: E(w) = 1/2 within 1/10", "r 1/2", REFUTES},
        {"scalar w ~ exponential(r)\nclaim: w > 0", "r 1/2", HOLDS},
        {"scalar w ~ exponential(r)\nclaim: w < 0", "r 1/2", REFUTES},
        {"scalar w ~ exponential(r)\nclaim: w < 0", "r 0", NONE},
        {"scalar w ~ exponential(r - 1)\nclaim: w < 0", "r 1", NONE},
        {"scalar w ~ exponential(r*(sin(1)^2 + cos(1)^2 - 1))\nclaim: w < 0", "r 1", NONE},
        {"scalar x, y ~ normal(0, s)\nclaim: Cov(x, y) = 0 within 1/10", "s 1", HOLDS},
        {"scalar x, y ~ normal(0, s)\nclaim: Cov(x, x + y) = 1 within 1/10", "s 1", HOLDS},
        {"scalar x, y ~ normal(0, s)\nclaim: Cov(x, x + y) = 0 within 1/10", "s 1", REFUTES},
        {"scalar x, y ~ normal(0, s)\nclaim: E(max(x, y)) = 0 within 1/2", "s 1", REFUTES},
        {"scalar x, y ~ normal(0, s)\nclaim: P(x > y) > 2/5", "s 1", HOLDS},
        {"scalar x, y, z ~ normal(0, s)\nclaim: E(x + y + z) < 1", "s 1", HOLDS},
        {"scalar x, y, z ~ normal(0, s)\nclaim: E(x + y + z) > 1", "s 1", REFUTES},
        {"scalar x, y, z ~ normal(0, s)\nclaim: Var(x + y + z) > 2", "s 1", HOLDS},
        {"scalar x, y, z ~ normal(0, s)\nclaim: Var(x + y + z) < 2", "s 1", REFUTES},
        {"scalar x, y, z ~ normal(0, s)\nclaim: Cov(x + y, y + z) < 2", "s 1", HOLDS},
        {"scalar x, y, z ~ normal(0, s)\nclaim: Cov(x + y, y + z) > 2", "s 1", REFUTES},
        {"scalar x, y, z ~ normal(0, s)\nclaim: E(x given y + z > 0) < 1", "s 1", HOLDS},
        {"scalar x ~ normal(0, s)\nclaim: E(x/|x|) < 1/2", "s 1", HOLDS}, /* none at 0 alone */
        {"scalar x ~ normal(0, s)\nclaim: E(x/|x|) > 1/2", "s 1", REFUTES},
        {"scalar x ~ normal(0, s)\nclaim: E(ln(x)) > 1/2", "s 1", NONE},
        {"scalar x ~ normal(0, s)\nclaim: E(x given x > 9) > 9", "s 1", NONE}, /* hardly ever */
        {"scalar x ~ normal(0, s)\nclaim: E([x, 1]) = 0", "s 1", NONE},
        {"scalar x ~ normal(0, s)\nclaim: E(e^(x^2)) > 1", "s 1", HOLDS},
        {"scalar x ~ normal(0, s)\nclaim: P(P(x > 0) > 1/4) = 1", "s 1", HOLDS},
        {"scalar x ~ normal(0, s)\nclaim: P(P(x > 0) > 3/4 or x > 0) > 3/4", "s 1", REFUTES},
        {"scalar x ~ normal(0, s)\nclaim: P(P(P(x > 0) > 0) > 0) = 1", "s 1", NONE},
        {"scalar x ~ normal(0, s)\np = P(x > 0)\nclaim: p < 3/4", "s 1", HOLDS},
        {"scalar x ~ normal(0, s)\np = P(x > 0)\nclaim: p < 1/4", "s 1", REFUTES},
        {"scalar x ~ normal(0, s)\nclaim: E(s + 0*x) = 1 within 1/100", "s 1", HOLDS},
        {"scalar x ~ normal(0, s)\nclaim: E(s + 0*x) = 2 within 1/100", "s 1", REFUTES},
        {"scalar x ~ normal(0, s)\nclaim: P(x > 0 or 1/s > 0) > 0", "s 1", HOLDS},
        {"scalar x ~ normal(0, s)\nclaim: P(x/s > 0) > 0", "s 0", NONE},
        {"scalar x ~ normal(0, s)\nclaim: P(x > 0 given x/s > 0) > 0", "s 0", NONE},
        {"scalar x ~ normal(0, s)\nclaim: Cov(x, 1/(s - 1)) > 0", "s 1", NONE},
        {"scalar x ~ normal(0, s)\nclaim: Var(e^(-999*x^2)) > 0", "s 1", HOLDS},
        {"scalar x ~ normal(0, s)\nclaim: Var(x*e^(-999)) < 1", "s 1", NONE}, /* too small */
        {"scalar x, y ~ normal(0, s)\nclaim: Cov(y, x*e^(-999)) < 1", "s 1", NONE},
        {"scalar x ~ normal(0, s)\nclaim: E(e^(999 + x)) > 1", "s 1", NONE}, /* too large */
        {"scalar x ~ normal(0, s)\nclaim: P((sin(1)^2 + cos(1)^2 - 1)*x > 0) = 0", "s 1", NONE},
        {"scalar x, y, z ~ normal(0, s)\nclaim: E(e^(9*(x + y + z))) > 1", "s 1",
         NONE}, /* by few */
        {"scalar x, y, z ~ normal(0, s)\nclaim: E(0*(x + y + z)) = 0", "s 1", HOLDS},
        {"scalar x ~ normal(0, s)\nclaim: Cov(x) > 0", "s 1", NONE},
        {"scalar x ~ normal(0, s)\nclaim: E(x, x) > 0", "s 1", NONE},
        {"vector p\nscalar z ~ normal(p, 1)\nclaim: z > 0", "p 2x1 1 1", NONE},
        {"scalar u ~ uniform(0, sin(t)^2 + cos(t)^2 - 1)\nclaim: u > 0", "t 1", NONE},
        {"scalar x, y ~ normal(0, s)\nclaim: P(y > 0 given x + y > 0) < 9/10", "s 1", HOLDS},
        {"scalar x, y ~ normal(0, s)\nclaim: P(x > 0 given x > y) < 2/5", "s 1", REFUTES},
        {"scalar x ~ normal(0, s)\ngiven x > 0\nclaim: E(x) > 1/2", "s 1", HOLDS},
        {"scalar x ~ normal(0, s)\ngiven x > 0\nclaim: E(x) < 1/2", "s 1", REFUTES},
        {"scalar x ~ normal(0, s)\ngiven 1/s > 0\nclaim: E(x) < 1/2", "s 0", NONE},
        {"scalar x ~ normal(0, s)\nclaim: E(x given x = x) < 1/2 given x*(1/s) > 0", "s 0", NONE},
        {"scalar x ~ normal(0, 1)\nclaim: for all i in 1..2: P(x > t) < 3/4", "t 0", HOLDS},
    };
    (void)state;
    CHECK(rows);
}

static void test_vectors(void **state)
{
    static const row rows[] = {
        {"vector q[3] ~ normal(0, I)\nclaim: E(|q|^2) > 2", "", HOLDS},
        {"vector q[3] ~ normal(0, I)\nclaim: E(|q|^2) < 2", "", REFUTES},
        {"vector q[d] ~ normal(0, I)\nclaim: E(|q|^2) < d/2", "d 3", REFUTES},
        {"vector q[d] ~ normal(0, I)\nclaim: E(|q|^2) < 2*d", "d 3", HOLDS},
        {"vector q[d] ~ normal(0, I)\nclaim: E(|q|^2) < 2*d", "d 0", NONE},
        {"vector q[d] ~ normal(0, I)\nclaim: E(|q|^2) < 2*d", "d 65", NONE}, /* too wide */
        {"vector m\nvector q ~ normal(m, s*I)\nclaim: E(q.m) = 5 within 1/10",
         "s 1/100 | m 2x1 1 2", HOLDS},
        {"vector m\nvector q ~ normal(m, s*I)\nclaim: E(q.m) = 5 within 1/10",
         "s 1/100 | m 2x1 1 1", REFUTES},
        {"vector m\nvector q ~ normal(m, s*I)\nclaim: q = m", "s 0 | m 2x1 1 1", HOLDS},
        {"vector m\nvector q ~ normal(m, s*I)\nclaim: q = m", "s 1 | m 2x1 1 1", REFUTES},
        {"vector m\nvector q ~ normal(m, m*m')\nclaim: Var(q.m) = 4 within 1/10", "m 2x1 1 1",
         HOLDS},
        {"vector m\nvector q ~ normal(m, m*m')\nclaim: Var(q.m) = 1 within 1/10", "m 2x1 1 1",
         REFUTES},
        {"vector m\nvector q ~ normal(m, I + m*m')\nclaim: Var(q.[1, -1]) = 2 within 1/10",
         "m 2x1 1 1", HOLDS},
        {"vector m\nvector q ~ normal(m, I + m*m')\nclaim: Var(q.[1, 0]) = 3 within 1/10",
         "m 2x1 1 1", REFUTES},
        {"vector m\nvector q ~ normal(m, m*m' - t*I)\nclaim: E(q.m) = 0", "t 2 | m 2x1 1 1", NONE},
        {"vector m\nvector q ~ normal(m, 1/t*I)\nclaim: E(q.m) = 0", "t 0 | m 2x1 1 1", NONE},
        {"vector m\nvector q ~ normal(m/t, I)\nclaim: E(q.m) = 0", "t 0 | m 2x1 1 1", NONE},
        {"vector m\nvector x[n]\nvector q ~ normal(m, x*x')\nclaim: E(q.m) = 0",
         "n 3 | m 2x1 1 1 | x 3x1 1 1 1", NONE},
        {"vector m\nvector q ~ normal(m, I)\nclaim: P(q/|q| = q) = 0", "m 2x1 1 1", HOLDS},
        {"vector m\nvector q ~ normal(m, s)\nclaim: q = m", "s 1 | m 2x1 1 1", NONE},
        {"vector m\nmatrix A[2, 3]\nvector q ~ normal(m, A)\nclaim: q = m",
         "m 2x1 1 1 | A 2x3 1 0 0 0 1 0", NONE},
        {"vector m\nvector q ~ normal(1, I)\nclaim: q = m", "m 2x1 1 1", NONE},
        {"vector m\nvector q ~ normal(m.m, I)\nclaim: q = m", "m 2x1 1 1", NONE},
    };
    (void)state;
    CHECK(rows);
}

#define MEANS "means mu[1..n] orthonormal\n"
#define TWO " | mu 2x2 1 0 0 1"

static void test_keys(void **state)
{
    static const row rows[] = {
        {"keys k[1..n] ~ normal(0, s*I), dimension d\nclaim: E(k[1].k[2]) < 1", "n 2 | d 2 | s 1",
         HOLDS},
        {"keys k[1..n] ~ normal(0, s*I), dimension d\nclaim: E(|k[2]|^2) < 1", "n 2 | d 2 | s 1",
         REFUTES},
        {"keys k[1..n] ~ normal(0, s*I), dimension d\nclaim: k[1] = k[2]", "n 2 | d 2 | s 1",
         REFUTES},
        {"keys k[1..n] ~ normal(0, s*I), dimension d\nclaim: k[1] = k[2]", "n 2 | d 2 | s 0",
         HOLDS},
        {"keys k[1..n] ~ normal(0, s*I), dimension d\nclaim: k[1] = k[3]", "n 2 | d 2 | s 0", NONE},
        {"keys k[1..n] ~ normal(0, s*I), dimension d\nclaim: k[1] = k[1]", "n 5000 | d 2 | s 0",
         NONE},
        {MEANS "keys k[i] ~ normal(mu[i], s*I)\nclaim: k[2].mu[2] = 1", "n 2 | s 0" TWO, HOLDS},
        {MEANS "keys k[i] ~ normal(mu[i], s*I)\nclaim: k[2].mu[2] = 1", "n 2 | s 1" TWO, REFUTES},
        {MEANS "keys k[i] ~ normal(mu[i], s*I)\nclaim: E(sum(k[i].mu[i] for i in 1..n)) > 1",
         "n 2 | s 1" TWO, HOLDS},
        {MEANS "keys k[i] ~ normal(mu[i], s*I)\nclaim: E(sum(k[i].mu[i] for i in 1..n)) < 1",
         "n 2 | s 1" TWO, REFUTES},
        {"means mu[1..n-1]\nkeys k[i] ~ normal(mu[i], I)\nclaim: E(k[1].k[1]) > 0", "n 1 | mu 0x2",
         NONE},
        {MEANS "keys k[i] ~ normal(mu[i], I)\nclaim: k[1] = mu[1]", "n 3 | mu 3x3axes", NONE},
        {"keys k[2..n] ~ normal(0, I), dimension 2\nclaim: k[1] = 0*k[2]", "n 3", NONE},
        {"keys k[1..n] ~ normal(0, I), dimension 2\nclaim: k[1] = 0*k[1]", "n 3/2", NONE},
        {"keys k[1..n] ~ normal(0, I), dimension 2\nclaim: k[1] = 0*k[1]", "n 0", NONE},
        {"keys k[1..n] ~ normal(0, I), dimension d\nclaim: k[1] = 0*k[1]", "n 1 | d 3/2", NONE},
        {"values v[1..n] ~ normal(0, s*I), dimension 1\nclaim: v[1] = [0]", "n 2 | s 0", HOLDS},
        {"values v[1..n] ~ normal(0, s*I), dimension 1\nclaim: v[1] = [0]", "n 2 | s 1", REFUTES},
        {"keys k[1..n] ~ normal(0, I), dimension 1\nclaim: E(sum(|k[i]|^2 for i in 1..n)) > 9",
         "n 70", HOLDS},
        {MEANS "pick a in 1..n\nkeys k[a] ~ normal(mu[a], s*I)\nclaim: k[a] = mu[a]",
         "n 2 | a 1 | s 0" TWO, NONE}, /* what are the other keys? */
        {MEANS "vector p[m]\npick a in 1..n\nkeys k[i] ~ normal(mu[i], s*I)\n"
               "keys k[a] ~ normal(p, s*I)\nclaim: k[a] = mu[a]",
         "n 2 | m 3 | a 1 | s 0" TWO " | p 3x1 1 1 1", NONE},
        {MEANS "pick a in 1..n\nkeys k[i] ~ normal(mu[i], s*I)\n"
               "keys k[a] ~ normal(mu[a], s*I + mu[a]*mu[a]')\n"
               "claim: Var(k[a].mu[a]) = 3 within 1/10",
         "n 2 | a 1 | s 2" TWO, HOLDS},
        {MEANS "pick a in 1..n\nkeys k[i] ~ normal(mu[i], s*I)\n"
               "keys k[a] ~ normal(mu[a], s*I + mu[a]*mu[a]')\n"
               "claim: Var(k[a].mu[a]) = 2 within 1/10",
         "n 2 | a 1 | s 2" TWO, REFUTES},
        {MEANS "pick a, b distinct in 1..n\nkeys k[i] ~ normal(mu[i], s*I)\n"
               "keys k[a] ~ normal(mu[a], s*I + mu[a]*mu[a]')\n"
               "claim: Var(k[b].mu[b]) = 2 within 1/10",
         "n 2 | a 1 | b 2 | s 2" TWO, HOLDS},
        {MEANS "pick a in 1..n\nkeys k[i] ~ normal(mu[i], s*I)\n"
               "keys k[a] ~ normal(mu[a]/(s - 2), s*I)\nclaim: Var(k[a].mu[a]) = 2 within 1/10",
         "n 2 | a 1 | s 2" TWO, NONE},
        {"means mu[a,b] orthonormal\nkeys k[i] ~ normal(mu[i], s*I)\n"
         "claim: k[b] = mu[b]",
         "s 0 | mu 2x2 1 0 0 1", HOLDS},
        {"means mu[a,b] orthonormal\nkeys k[i] ~ normal(mu[i], s*I)\n"
         "claim: k[b] = mu[a]",
         "s 0 | mu 2x2 1 0 0 1", REFUTES},
        {MEANS "keys k[i] ~ normal(mu[i], s*I)\nvalues v[1..n]\n"
               "claim: attend(mu[1], k, v) in hull(v)",
         "n 2 | s 1" TWO " | v 2x1 0 1", HOLDS},
        {MEANS "keys k[i] ~ normal(mu[i], s*I)\nvalues v[1..n]\nc = attend(mu[1], k, v)\n"
               "claim: P(c.weight[1] > c.weight[2]) < 1/2",
         "n 2 | s 1/100" TWO " | v 2x1 0 1", REFUTES},
        {"means mu[1..n]\nkeys k[i] ~ normal(mu[i], s*I)\nclaim: E(x) = 1/s", "n 2 | s 0 | x 1",
         NONE},
    };
    static const row plain[] = {
        {"keys k[i] ~ normal(0, s*I) for i in 1..3\nclaim: k[1] = k[3]", "s 0", HOLDS},
        {"keys k[i] ~ normal(0, s*I) for i in 1..3\nclaim: k[1] = k[3]", "s 1", REFUTES},
        {"keys k[i] ~ normal(0, s*I)\nvectors u[1..n]\nclaim: k[1] = u[1]",
         "n 2 | s 0 | u 2x2 0 0 1 1", HOLDS},
        {"keys k[i] ~ normal(0, s*I)\nvectors u[1..n]\nclaim: k[2] = u[2]",
         "n 2 | s 0 | u 2x2 0 0 1 1", REFUTES},
    };
    static const setting plane = {.dimension = 2};
    (void)state;
    CHECK(rows);
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) check_row_with(&plain[i], &plane);
}

/* Probabilities in a limit: of what holds at the end, not on the way. */
static void test_limits(void **state)
{
    static const row rows[] = {
        {"scalar z ~ normal(0, 1)\nclaim: P(z*b > 1) < 3/4 as b -> inf", "b 1", HOLDS},
        {"scalar z ~ normal(0, 1)\nclaim: P(z*b > 1) > 3/4 as b -> inf", "b 1", REFUTES},
        {"scalar z ~ normal(0, 1)\nclaim: P(z/b ~ 0) = 1 as b -> inf", "b 1", HOLDS},
        {"scalar z ~ normal(0, 1)\nclaim: P(z/b ~ 0) = 0 as b -> inf", "b 1", REFUTES},
        {"scalar z ~ normal(0, 1)\nclaim: P(tanh(b*z) ~ 1) = 1/2 as b -> inf", "b 1", HOLDS},
        {"scalar z ~ normal(0, 1)\nclaim: P(tanh(b*z) ~ 1) = 1 as b -> inf", "b 1", REFUTES},
        {"scalar z ~ normal(0, s)\nclaim: z ~ 0 as s -> 0", "s 1", HOLDS},
        {"scalar z ~ normal(1, s)\nclaim: z ~ 0 as s -> 0", "s 1", REFUTES},
        {"scalar z ~ normal(0, s)\nclaim: P(b*z ~ 0) = 1 as s -> 0 then b -> inf", "s 1 | b 1",
         HOLDS},
        {"scalar z ~ normal(0, 1)\nclaim: P(z/b != 0) = 0 as b -> inf", "b 1", HOLDS},
        {"scalar z ~ normal(0, 1)\nclaim: P(z/b != 0) = 1 as b -> inf", "b 1", REFUTES},
        {"scalar z ~ normal(0, 1)\nclaim: P(z/b ~ 0) + P(z/b ~ 1) + P(z/b ~ 2) + P(z/b ~ 3) + "
         "P(z/b ~ 4) = 1 as b -> inf",
         "b 1", HOLDS},
        {"scalar z ~ normal(0, 1)\nclaim: P(for all i in 1..3: z/b ~ 0) = 1 as b -> inf", "b 1",
         HOLDS},
    };
    (void)state;
    CHECK(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
