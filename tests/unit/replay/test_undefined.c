/*
 * What has no value makes everything without one that is made of it; and what has a value is less
 * than one more than itself. Each frame is tried with 1/t in the place of %, at t = 0 and at t = 2.
 */
#include "unit/replay/rows.h"

#define LISTS "keys k = [[1, 0], [0, 1]]\nvalues v = [[1], [2]]\n"

static const char *const numbers[] = {
    "-%",
    "%%",
    "% + 1",
    "1 + %",
    "% - 1",
    "1 - %",
    "% * 2",
    "2 * %",
    "% / 2",
    "2 / %",
    "%^2",
    "2^%",
    "e^%",
    "|%|",
    "abs(%)",
    "exp(%)",
    "ln(%)",
    "sqrt(%)",
    "√%",
    "tanh(%)",
    "erf(%)",
    "max(%, 1)",
    "max(1, %)",
    "min(%, 1)",
    "min(1, %)",
    "mean(%, 1)",
    "mean(1, %)",
    "norm([%, 1])",
    "|[1, %]|",
    "cos([%, 1], [1, 1])",
    "cos([1, 1], [1, %])",
    "dist([%, 1], [1, 1])",
    "dist([1, 1], [1, %])",
    "[%, 1].[1, 1]",
    "[1, 1].[1, %]",
    "|% * [1, 2]|",
    "|[1, 2] * %|",
    "|[1, 2] / %|",
    "|[1, %] + [1, 2]|",
    "|[1, 2] - [%, 1]|",
    "|-[1, %]|",
    "sum(% * |k[i]| for i in 1..2)",
    "sum(|k[i]| for i in 1..2) * %",
    "max(% * |k[i]| for i in 1..2)",
    "min(|k[i]| + % for i in 1..2)",
    "mean(|k[i]| * % for i in 1..2)",
    "|sum(% * k[i] for i in 1..2)|",
    "attend(% * k[1], k, v).weight[1]",
    "attend(k[1], k, v, scale = %).weight[2]",
    "attend(k[1] + [%, 0], k, v).score[1]",
    "|attend(% * k[1], k, v)|",
    "attend(k[1], [[%, 0], [0, 1]], v).weight[1]",
    "|attend(k[1], k, [[1], [%]])|",
};

/* The frame with 1/t in its holes. */
static void fill(char *text, size_t capacity, const char *frame)
{
    size_t length = 0;
    for (; *frame != '\0' && length + 8 < capacity; frame++)
        length += (size_t)snprintf(text + length, capacity - length, "%.*s", *frame == '%' ? 5 : 1,
                                   *frame == '%' ? "(1/t)" : frame);
}

static void check_frame(const char *frame, const char *claim)
{
    char made[256], document[1024];
    fill(made, sizeof made, frame);
    snprintf(document, sizeof document, claim, made, made);
    check_row(&(row){document, "t 0", NONE});
    check_row(&(row){document, "t 2", HOLDS});
}

static void test_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        check_frame(numbers[i], LISTS "claim: %s < %s + 1");
        check_frame(numbers[i], LISTS "claim: %s != 1 + %s");
        check_frame(numbers[i], LISTS "x = %s\nclaim: x < %s + 1");
        check_frame(numbers[i], LISTS "f(t) = %s\nclaim: f(t) < %s + 1");
        check_frame(numbers[i], LISTS "claim: %s in -1000 .. 1000 and 1 < 2 + 0*(%s)");
    }
}

/* ---- What cannot be computed ---------------------------------------------------------------- */

/* Things that are no numbers, or do not fit together, in places where a number must stand. */
static void test_misfits(void **state)
{
    (void)state;
    static const char *const claims[] = {
        "cos(1, 2) = t",
        "dist([1, 2], [1]) = t",
        "[1, 2].[1, 2, 3] = t",
        "|[1, 2] + [1, 2, 3]| = t",
        "ln([1, 2]) = t",
        "sqrt([1, 2]) = t",
        "max([1, 2], 1) = t",
        "2^[1, 2] = t",
        "[1, 2] < t",
        "[1, 2] + t = 1",
        "attend([1, 2, 3], k, v).weight[1] = t",
        "attend(k[1], k, v).weight[3] = t",
        "k[3].k[1] = t",
        "sum(k[i].k[1] for i in 1..3) = t",
        "sum(|k[i]| for i in 0..2) = t",
        "sum(|k[i]| for i in 1..1/2) = t",
    };
    for (size_t i = 0; i < sizeof claims / sizeof claims[0]; i++) {
        char document[512];
        snprintf(document, sizeof document, LISTS "claim: %s", claims[i]);
        check_row(&(row){document, "t 1", NONE});
    }
}

/* ---- What is not defined -------------------------------------------------------------------- */

#define KEYS "keys k = [[1,0],[0,1]]\n"
#define TWO "vectors u[1..2]\n"

/* Arguments too few, too many or of another kind; members that are not there; sizes that do not go
 * together; functions outside of where they are defined, or enclosures that do not tell. */
static void test_nothing(void **state)
{
    static const row rows[] = {
        {KEYS "claim: attend(k[1], k, k, mask = x) = 0", "x 1", NONE},
        {KEYS "claim: attend(k[1], k, k, mask = k) = [x, x]", "x 1", NONE},
        {KEYS "claim: self_attend(k, window = 1/2)[1] = [x, x]", "x 1", NONE},
        {KEYS "claim: self_attend(k, window = x)[1] = [x, x]", "x 0", NONE},
        {KEYS "claim: self_attend(k, foo = x)[1] = [x, x]", "x 0", NONE},
        {KEYS "claim: attend(k[1], k, k, window = 1) = [x, x]", "x 0", NONE},
        {KEYS "claim: attend(k[1], k, k, causal) = [x, x]", "x 0", NONE},
        {KEYS "claim: attend(k[1], k) = [x, x]", "x 0", NONE},
        {KEYS "claim: attend(k[1], x, k) = [x, x]", "x 0", NONE},
        {KEYS "claim: attend(k[1], k, x) = [x, x]", "x 0", NONE},
        {KEYS "claim: attend(0, x, k) = [x, x]", "x 0", NONE},
        {KEYS "claim: attend(1, x, k) = [x, x]", "x 0", NONE},
        {KEYS "claim: attend(I, k, k) = [x, x]", "x 0", NONE},
        {KEYS "claim: self_attend(k, I, I) = [x, x]", "x 0", NONE},
        {KEYS "claim: self_attend(k[1])[1] = x", "x 0", NONE},
        {KEYS "claim: entropy(self_attend(k)) = x", "x 0", NONE},
        {KEYS "claim: entropy(mean(self_attend(k), self_attend(k))) = x", "x 0", NONE},
        {KEYS "claim: max(|k[i]|*k[i] for i in 1..2) = x", "x 0", NONE},
        {KEYS "claim: max(k[1], 1) = x", "x 0", NONE},
        {KEYS "claim: sum(k[i].k[i] for i in 1/2..x) = 0", "x 0", NONE},
        {KEYS "claim: sum(k[i].k[i] for i in 1..x) = 0", "x 3/2", NONE},
        {KEYS "claim: sum(k[i].k[i] for i in k) = 0", "", NONE},
        {KEYS "claim: sum(k[i].k[i] for i not in {x}) = 0", "", NONE},
        {KEYS "claim: sum(x for i != 2) = 0", "x 3/2", NONE},
        {"matrix A[2,2]\nclaim: sum(A[i] for i != 2) = 0", "A 2x2 1 2 3 4", NONE},
        {"vectors u[a,b]\nclaim: sum(u[i] for i != 2) = 0", "u 2x1 1 2", NONE},
        {"vectors u[a,b]\nclaim: sum(u[i] for i != z) = 0", "u 2x1 1 2", NONE},
        {TWO "pick a in 1..3\nclaim: u[a] = [1]", "u 2x1 1 2 | a 3", NONE},
        {TWO "vectors w[1..3]\nclaim: for all i in 1..3: u[i] = w[i]", "u 2x1 1 2 | w 3x1 1 2 3",
         NONE},
        {TWO "claim: u[x] = [1]", "u 2x1 1 2", NONE},
        {TWO "claim: u[1 + 1] = [1]", "u 2x1 1 2", NONE},
        {TWO "claim: u[1/2] = [1]", "u 2x1 1 2", NONE},
        {TWO "claim: u[0] = [1]", "u 2x1 1 2", NONE},
        {"vectors u[a,b]\nclaim: u[1] = [1]", "u 2x1 1 2", NONE},
        {"vectors u[a,b]\nclaim: u[z] = [1]", "u 2x1 1 2", NONE},
        {TWO "claim: u[1][x] = 1", "u 2x1 1 2", NONE},
        {TWO "claim: u[1][1][1] = 1", "u 2x1 1 2", NONE},
        {TWO "claim: u[1].weight = 1", "u 2x1 1 2", NONE},
        {"matrix A[2,2]\nclaim: A[1] = [1, 2]", "A 2x2 1 2 3 4", NONE},
        {"matrix A[2,2]\nclaim: A[1, 2] = 2", "A 2x2 1 2 3 4", NONE},
        {"matrix A[2,2]\nclaim: A[1][2] = 2", "A 2x2 1 2 3 4", NONE},
        {"claim: x[1] = 1", "x 1", NONE},
        {"claim: I[1] = x", "x 1", NONE},
        {"x[1] = 1; x[3] = 2\nclaim: x[1] = t", "t 1", NONE},
        {"x[1] = 1; x[2] = [1, t]\nclaim: x[1] = t", "t 1", NONE},
        {"x[1] = [1]; x[2] = [1, t]\nclaim: x[1] = [t]", "t 1", NONE},
        {"x[1,1] = 1\nclaim: x[1,1] = t", "t 1", NONE},
        {"keys k = x\nclaim: k[1] = x", "x 1", NONE},
        {"keys k = [[x, 1], 1]\nclaim: k[1] = x", "x 1", NONE},
        {"keys k = [[x, 1], [1]]\nclaim: k[1] = x", "x 1", NONE},
        {"claim: [x, [1, 2]] = x", "x 1", NONE},
        {"claim: [[1, 2], x] = x", "x 1", NONE},
        {"claim: [I, x] = x", "x 1", NONE},
        {TWO "claim: [u, x][1] = u[1]", "x 1 | u 2x1 1 2", NONE},
        {TWO "claim: [u, I][1] = u[1]", "u 2x1 1 2", NONE},
        {TWO "claim: (u with x = [1])[1] = u[1]", "u 2x1 1 2 | x 1", NONE},
        {TWO "claim: (u with u[1] = 1)[1] = u[1]", "u 2x1 1 2", NONE},
        {TWO "claim: (u[1] with u[1] = [1]) = u[1]", "u 2x1 1 2", NONE},
        {TWO "claim: (u with u[1, 2] = [1])[1] = u[1]", "u 2x1 1 2", NONE},
        {TWO "claim: [I for i in 1..2][1] = I", "", NONE},
        {TWO "claim: [[u[i], u[i]] for i in 1..2][1] = I", "u 2x1 1 2", NONE},
        {"g[i] = ones(i)*x for i in 1..2\nclaim: g[1] = [x]", "x 1", NONE},
        {"claim: {1, x} = x", "x 1", NONE},
        {"claim: 1..x = x", "x 1", NONE},
        {"vector p\nT = 2\nclaim: p^T*p = 4", "p 2x1 0 2", NONE},
        {"vector p\nf(T) = p^T\nclaim: f(2) = 4", "p 2x1 0 2", NONE},
        {"claim: (-2)^x = 4", "x 1/2", NONE},
        {"claim: x^(sin(1)) = 4", "x -1", NONE},
        {"claim: (sin(1)^2 + cos(1)^2 - 1)^x = 4", "x 1/2", NONE},
        {"claim: ln(sin(1)^2 + cos(1)^2 - 1) = x", "x 1/2", NONE},
        {"claim: e^(e^(e^(x))) = 1", "x 99", NONE},
        {"claim: ln(e^(e^(e^(x)))) = 1", "x 99", NONE},
        {"claim: (e^(e^(e^(x))))^(1/2) = 1", "x 99", NONE},
        {TWO "claim: u.u = 1", "u 2x1 1 2", NONE},
        {TWO "matrix A[2,2]\nclaim: u*A = 1", "u 2x2 1 2 3 4 | A 2x2 1 2 3 4", NONE},
        {"vector p\nmatrix A[2,2]\nclaim: A*p' = 1", "p 2x1 1 2 | A 2x2 1 2 3 4", NONE},
        {TWO "claim: u*I = u", "u 2x1 1 2", NONE},
        {TWO "vectors w[1..3]\nclaim: u = w", "u 2x1 1 2 | w 3x1 1 2 3", NONE},
        {TWO "vector p[m]\nclaim: u = p", "m 2 | u 2x1 1 2 | p 2x1 1 2", NONE},
        {"vector p\nvector q[m]\nclaim: p = q", "m 2 | p 3x1 1 2 3 | q 2x1 1 2", NONE},
        {"vectors u[1..n]\nclaim: |sum(u[i] for i in 1..m)| > 5", "n 3 | m 2 | u 3x1 9 9 9", NONE},
        {"claim: exp(x, 1) = 4", "x 1", NONE},
        {"claim: norm(x, 1) = 4", "x 1", NONE},
        {"claim: dist(x) = 4", "x 1", NONE},
        {"claim: softmax(x, 1) = 4", "x 1", NONE},
        {"claim: entropy(x, 1) = 4", "x 1", NONE},
        {"claim: logsumexp(x) = 4", "x 1", NONE},
        {"claim: ones(x, 1, 1) = 4", "x 1", NONE},
        {"claim: det(x, 1) = 4", "x 1", NONE},
        {"claim: attend(x, 1) = 4", "x 1", NONE},
        {"claim: self_attend(x, 1) = 4", "x 1", NONE},
        {"claim: sum(x) = 4", "x 1", NONE},
        {"claim: sum(x, 1) = 4", "x 1", NONE},
        {"claim: max(x) = 4", "x 1", NONE},
        {"claim: foo(x, 1) = 4", "x 1", NONE},
        {"f(arg) = arg(x, x)\nclaim: f(2) = 4", "x 1", NONE},
        {"f(s, t) = s\nclaim: f(x) = 4", "x 1", NONE},
        {"claim: x in x", "x 1", NONE},
        {"claim: x in hull(x, x)", "x 1", NONE},
        {"claim: x in hull(x)", "x 1", NONE},
        {"vector p\nclaim: p in 1 .. 2", "p 2x1 1 2", NONE},
        {"vector p\nclaim: 1 in p .. 2", "p 2x1 1 2", NONE},
        {"claim: x ~ 1 within [x, 1]", "x 1", NONE},
        {"vectors u[1..n] norm [s, 1]\nclaim: u[1] = 0", "n 1 | s 1 | u 1x1 1", NONE},
        {"vectors u[1..n] norm 1/s\nclaim: u[1] = 0", "n 1 | s 0 | u 1x1 1", NONE},
    };
    (void)state;
    CHECK(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_misfits),
        cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests_name("undefined", tests, NULL, NULL);
}
