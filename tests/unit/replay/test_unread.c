/*
 * What a claim depends on: conditions with indexes and numbers, answers that are put in, files; and
 * documents that are not read, since they contain what cannot be tried, or more than there is room
 * for. `inf` is a number nowhere but in a limit: it is put into every place where one may stand.
 */
#include "unit/replay/rows.h"

#define FAMILY "vectors u[1..n]\n"
#define PICKED FAMILY "pick a, b, c in 1..n\n"

/* ---- What is not read ---------------------------------------------------------------------- */

static bool is_read(const char *document)
{
    reading g;
    begin_reading(&g, document, NULL);
    const bool read = read_claim(&g, NULL);
    end_reading(&g);
    return read;
}

static void test_unread(void **state)
{
    static const char *const documents[] = {
        /* inf in every place */
        "claim: x < inf",
        "claim: inf < x",
        "claim: x in {1, inf}",
        "claim: x in 1..inf",
        "claim: not x < inf",
        "claim: inf < x implies x > 0",
        "claim: x > 0 implies inf < x",
        "claim: x > 0 within inf",
        "claim: x > 0 at x = inf",
        "claim: x > 0 for x >= inf",
        "claim: for all t >= inf: t < x",
        "claim: sum(x for i in 1..inf) > 0",
        "claim: sum(inf for i in 1..3) > 0",
        "given inf > x\nclaim: x < 1",
        "f(t) = t\nclaim: f(inf) > x",
        "f(t) = t + inf\nclaim: f(x) > x",
        "g = inf\nclaim: g > x",
        "x[1] = inf\nx[2] = 1\nclaim: x[2] > t",
        "vectors u[1..inf]\nclaim: u[1] = 0",
        "vectors u[1..inf]\nclaim: x = 0",
        "vectors u[1..n] norm inf\nclaim: u[1] = 0",
        "vectors u[1..n] norm inf\nclaim: x = 0",
        "vectors u[1..n] dimension inf\nclaim: u[1] = 0",
        "vectors u[1..n] dimension inf\nclaim: x = 0",
        "matrix A[inf, 2]\nclaim: A = 0",
        "matrix A[inf, 2]\nclaim: x = 0",
        "vector p[inf]\nclaim: p = 0",
        "vector p[inf]\nclaim: x = 0",
        "pick a in 1..inf\nclaim: x = 0",
        "pick a in 1..inf\nvectors u[1..2]\nclaim: u[a] = 0",
        "keys k = [[inf, 1]]\nclaim: k[1] = 0",
        "keys k[i] ~ normal(inf, I)\nvectors u[1..n]\nclaim: k[1] = 0",
        "keys k[1..inf] ~ normal(0, I)\nclaim: x = 0",
        "keys k[1..inf] ~ normal(0, I)\nclaim: k[1] = 0",
        "keys k[1..n] ~ normal(0, I), dimension inf\nclaim: k[1] = 0",
        "scalar z ~ normal(0, inf)\nclaim: z > 0",
        "scalar z ~ uniform(0, inf)\nclaim: x > 0",
        "scalar z ~ uniform(inf, 0)\nclaim: x > 0",
        FAMILY "claim: for all i in 1..n, j in 1..inf: u[i] = 0",
        FAMILY "claim: for all i in 1..n, t >= inf: u[i] = 0",
        FAMILY "claim: u[i] = 0 for i in 1..inf",
        "claim: for all permutation R[inf]: R = I",
        "claim: x = 0 for all permutation R[inf]",
        "claim: exists vector q[inf]: q.q > x",
        "matrix A[2, 2]\nclaim: A(inf) = A",
        "claim: t*(x + 1) = t(inf)",
        /* Names that nobody declares, and functions that nobody knows. */
        "claim: gap > 0",
        "claim: t_1 > 0",
        "claim: d_longer > 0",
        "claim: foo(x + 1) = 2",
        "claim: normal(x, 1) = 2",
        "claim: for all gap: gap > 0",
        "claim: exists t, g, h: t > gap",
        "claim: for all i in 1..3: gap > i",
        FAMILY "claim: u[i] = 0 for i != gap",
        "f(a) = f(a)\nclaim: f(x) = 1", /* without an end */
        /* Limits of what is no parameter, or to what is no whole number. */
        "g = x + 1\nclaim: g ~ 1 as g -> inf",
        "vector g\nclaim: x ~ 1 as g -> inf",
        "scalar g ~ normal(0, 1)\nclaim: x ~ 1 as g -> inf",
        "claim: e > 0 as e -> inf",
        "claim: t ~ 1 as gap -> inf",
        "claim: t ~ 1 as t -> x",
        "claim: t ~ 1 as t -> 1/2",
        "claim: t ~ 1 as t -> -1/2",
        "claim: x ~ 0 as x -> inf then y -> 0 then z -> 0 then s -> 0 then t -> 0",
        /* Indexes where a number is meant, and sets that are not tried. */
        PICKED "claim: a*x > 0",
        PICKED "given a*x > 0\nclaim: x > 0",
        PICKED "given x > 0 and sum(|u[i]| for i in 1..a) > x\nclaim: x > 0",
        PICKED "given for all i in 1..a: |u[i]| > x\nclaim: x > 0",
        PICKED "given a in {b}\nclaim: u[a] = u[b]",
        PICKED "given a not in {b}\nclaim: u[a] = u[b]",
        PICKED "claim: u[i] = 0 for i in 1..n, i != a, i != b, i != c",
        PICKED "claim: u[i] = 0 for i in {a, b}, i in {b, c}",
        PICKED "claim: u[i] = 0 for i in 1..n, i in {a}",
        PICKED "claim: x = 0 for i in {a}",
        PICKED "claim: x = 0 for i in 1..n",
        FAMILY "claim: u[i] = 0 for i in {1, 2}",
        FAMILY "claim: u[i] = 0 for i in 1..n, i in 1..3",
        FAMILY "claim: u[i] = 0 for i in 1..n, i not in 1..3",
        FAMILY "claim: u[i] = 0 for i not in 1..3",
        FAMILY "claim: u[i] = 0 for i in 1..n, j in 1..n, i != j",
        "vectors u[a,b,c]\nclaim: u[i] = 0 for i != a",
        "vectors u[1..n, 1..m]\nclaim: u[1, 1] = 0",
        "pick a in {1, 2}\nvectors u[1..2]\nclaim: u[a] = 0",
        "pick a in {1, 2}\nvectors u[1..2]\nclaim: x = 0",
        /* What is bound is free, and of a shape. */
        "g = x\nclaim: g >= 0 for all g",
        "g = x\nclaim: for all g: g > 0",
        "matrix R[2, 2]\nclaim: x = 0 for all permutation R[2]",
        "claim: for all permutation R: R = I",
        "claim: for all matrix R[n]: R = I",
        "claim: for all vector R[n, m]: R = 0",
        "claim: for all t[2]: t = 1",
        "claim: x = 0 for all scalar t[2]",
        /* More than there is room for. */
        "claim: for all a, b, c, d, f, g, h, s, t: a + b + c + d + f + g + h + s + t > 0",
        "f(a, b, c, d, g, h, s, t, u) = a + b\nclaim: f(1, 2, 3, 4, 5, 6, 7, 8, x) > 0",
        "scalar x ~ normal(0, 1)\ngiven x > 0, x < 1, x > -1, x < 2, x < 3\nclaim: E(x) > 0",
    };
    (void)state;
    for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++)
        if (is_read(documents[i])) fail_msg("read:\n%s", documents[i]);
}

/* A document with a claim behind so many statements of a kind, each with a number and the one
 * before it. */
static bool is_read_behind(int count, const char *format, const char *claim)
{
    static char text[1 << 16];
    int length = 0;
    for (int i = 1; i <= count; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, format, i, i - 1);
    snprintf(text + length, sizeof text - (size_t)length, "%s", claim);
    return is_read(text);
}

/* f0(t) = t, and each of so many others is one more than the one before it. */
static bool is_read_chain(int count)
{
    static char text[1 << 14];
    int length = snprintf(text, sizeof text, "f0(t) = t\n");
    for (int i = 1; i <= count; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "f%d(t) = f%d(t) + 1\n", i,
                           i - 1);
    snprintf(text + length, sizeof text - (size_t)length, "claim: f%d(x) > 0", count);
    return is_read(text);
}

static void test_too_many(void **state)
{
    (void)state;
    assert_true(is_read_behind(500, "f%d(t) = t + %d\n", "claim: x > 0"));
    assert_false(is_read_behind(600, "f%d(t) = t + %d\n", "claim: x > 0"));
    assert_true(is_read_behind(60, "given t%d > %d\n", "claim: x > 0"));
    assert_false(is_read_behind(64, "given t%d > %d\n", "claim: x > 0"));
    assert_true(is_read_behind(60, "given x > %d\n", "claim: x > 0"));
    assert_false(is_read_behind(65, "given x > %d\n", "claim: x > 0"));
    /* One function within the other. */
    assert_true(is_read_chain(120));
    assert_false(is_read_chain(200));
}

/* ---- Conditions ---------------------------------------------------------------------------- */

static void test_conditions(void **state)
{
    static const row rows[] = {
        {FAMILY "claim: |u[i]| = 1 for i in 1..n", "n 2 | i 2 | u 2x1 5 1", HOLDS},
        {FAMILY "claim: |u[i]| = 1 for i in 1..n", "n 2 | i 1 | u 2x1 5 1", REFUTES},
        {FAMILY "claim: |u[i]| = 1 for i in 1..n, i in 1..n", "n 2 | i 1 | u 2x1 5 1", REFUTES},
        {FAMILY "claim: |u[i]| = 1 for i in 1..n, i != 1", "n 2 | i 2 | u 2x1 5 1", HOLDS},
        {FAMILY "claim: |u[i]| = 1 for i in 1..n, i != 1", "n 2 | i 2 | u 2x1 5 2", REFUTES},
        {FAMILY "claim: |u[i]| = 1 for i not in {1, 3}", "n 3 | u 3x1 5 1 5", HOLDS},
        {FAMILY "claim: |u[i]| = 1 for i not in {1, 3}", "n 3 | u 3x1 1 5 1", REFUTES},
        {FAMILY "claim: |u[i]| = 1 for i != 2", "n 3 | u 3x1 1 5 1", HOLDS},
        {FAMILY "claim: |u[i]| = 1 for i != 2", "n 3 | u 3x1 1 1 5", REFUTES},
        {FAMILY "claim: u[i] = u[j] for i in 1..n, j != i", "n 2 | i 1 | j 2 | u 2x1 1 1", HOLDS},
        {FAMILY "claim: u[i] = u[j] for i in 1..n, j != i", "n 2 | i 1 | j 2 | u 2x1 1 2", REFUTES},
        {PICKED "claim: |u[i]| = 1 for i in 1..n, i != a, i != b",
         "n 2 | i 1 | a 2 | b 2 | c 1 | u 2x1 1 2", HOLDS},
        {PICKED "claim: |u[i]| = 1 for i in {a, b}", "n 2 | i 2 | a 2 | b 1 | c 1 | u 2x1 1 2",
         REFUTES},
        {PICKED "claim: |u[i]| = 1 for i not in {a, b}", "n 2 | i 1 | a 2 | b 2 | c 1 | u 2x1 1 2",
         HOLDS},
        {PICKED "claim: |u[i]| = 1 for i in 1..n, given i != a",
         "n 2 | i 1 | a 2 | b 2 | c 1 | u 2x1 2 2", REFUTES},
        {PICKED "claim: x = 0 for i != a", "n 2 | i 1 | a 2 | b 2 | c 1 | x 0", HOLDS},
        {PICKED "claim: x = 0 for i not in {a}", "n 2 | i 1 | a 2 | b 2 | c 1 | x 1", REFUTES},
        {PICKED "given a != b\nclaim: u[a] = u[b]", "n 2 | a 1 | b 2 | c 1 | u 2x1 1 1", HOLDS},
        {PICKED "given a != b\nclaim: u[a] = u[b]", "n 2 | a 1 | b 2 | c 1 | u 2x1 1 2", REFUTES},
        {PICKED "given a != b\nclaim: u[a] = u[b]", "n 2 | a 1 | b 1 | c 1 | u 2x1 1 2", MISSED},
        {PICKED "given a < b\nclaim: u[a] = u[b]", "n 2 | a 2 | b 1 | c 1 | u 2x1 1 2", MISSED},
        {PICKED "given a < b\nclaim: u[a] = u[b]", "n 2 | a 1 | b 2 | c 1 | u 2x1 1 2", REFUTES},
        {PICKED "claim: a > x", "n 2 | a 1 | b 2 | c 1 | x 0", NONE}, /* an index is no number */
        {PICKED "claim: a >= 2", "n 2 | a 2 | b 2 | c 1", HOLDS},
        {PICKED "claim: a >= 2", "n 2 | a 1 | b 2 | c 1", REFUTES},
        {PICKED "claim: for all i in 1..n: i <= a", "n 2 | a 2 | b 2 | c 1", HOLDS},
        {PICKED "claim: for all i in 1..n: i <= a", "n 2 | a 1 | b 2 | c 1", REFUTES},
        {PICKED "claim: for all i in 1..n: i < a implies u[i] = u[a]",
         "n 3 | a 3 | b 2 | c 1 | u 3x1 7 7 7", HOLDS},
        {PICKED "claim: for all i in 1..n: i < a implies u[i] = u[a]",
         "n 3 | a 3 | b 2 | c 1 | u 3x1 7 6 7", REFUTES},
        {"scalar x\nclaim: x >= 1 for x in 1..2", "x 3/2", HOLDS}, /* a number */
        {"scalar x\nclaim: x >= 2 for x in 1..2", "x 3/2", REFUTES},
        {"scalar x\nclaim: x >= 2 for x in 1..2", "x 5/2", MISSED},
        {"claim: x^2 > 1 for x != 2", "x 2", MISSED},
        {"claim: x^2 > 4 for x != 2", "x 1", REFUTES},
        {"claim: x >= 0 for all x", "x 1", HOLDS},
        {"claim: x >= 0 for all x", "x -1", REFUTES},
        {"claim: |p| <= 1 for all vector p", "p 2x1 0 1", HOLDS},
        {"claim: |p| <= 1 for all vector p", "p 2x1 1 1", REFUTES},
        {"matrix X[n, n]\nclaim: X*R = X for all permutation R[n]",
         "n 2 | R 2x2 0 1 1 0 | X 2x2 1 1 2 2", HOLDS},
        {"matrix X[n, n]\nclaim: X*R = X for all permutation R[n]",
         "n 2 | R 2x2 0 1 1 0 | X 2x2 1 2 2 1", REFUTES},
        {"matrix X[n, n]\nclaim: for all permutation R[n]: X*R = X",
         "n 2 | R 2x2 0 1 1 0 | X 2x2 1 2 2 1", REFUTES},
        {"matrix X[n, n]\nclaim: for all permutation R[n], t >= 0: t*X*R = X",
         "n 2 | t 1 | R 2x2 0 1 1 0 | X 2x2 1 2 2 1", REFUTES},
        {"matrix X[n, n]\nclaim: for all scalar t, t >= 0: t*X = X", "n 1 | t 1 | X 1x1 5", HOLDS},
        {"claim: for all t >= 2: t > x", "t 3 | x 2", HOLDS},
        {"claim: for all t >= 2: t > x", "t 3 | x 3", REFUTES},
        {"claim: for all t >= 2: t > x", "t 1 | x 3", MISSED},
        {"claim: not (for all t >= 2: t > x)", "t 1 | x 3", NONE}, /* others may do */
        {"claim: exists scalar t: t > x", "t 1 | x 0", HOLDS},
        {"claim: exists vector q: q.q > x", "q 2x1 1 1 | x 1", HOLDS},
        {"vector u\nclaim: exists q: q.u = 1", "q 2x1 1 1 | u 2x1 0 0", REFUTES},
        {"vector u\nclaim: exists q: q.u = 1", "q 2x1 1 1 | u 2x1 0 1", HOLDS},
        {"claim: exists t >= 2: t < x", "t 3 | x 2", HOLDS},
        {FAMILY "claim: exists j in 1..n: |u[j]| > x", "n 2 | u 2x1 1 2 | x 1", HOLDS},
        {"claim: beta(x + 1) = 2", "beta 1 | x 1", HOLDS},
        {"claim: beta(x + 1) = 2", "beta 1 | x 2", REFUTES},
        {"scalar gap\nclaim: gap(x + 1) = 2", "gap 1 | x 2", REFUTES},
        {"matrix M[2, 2]\nvector p\nclaim: M(p + p) = p", "M 2x2 1/2 0 0 1/2 | p 2x1 3 4", HOLDS},
        {"matrix M[2, 2]\nvector p\nclaim: M(p + p) = p", "M 2x2 1/2 0 0 1 | p 2x1 3 4", REFUTES},
        {"f(t) = t^2\nclaim: for all i in 1..3: f(i) >= x", "x 1", NONE}, /* no number of i */
        {"given x > 0 and y > 0\nclaim: x + y > 1", "x 1 | y 1/4", HOLDS},
        {"given x > 0 and y > 0\nclaim: x + y > 1", "x 1/2 | y 1/4", REFUTES},
        {"given x > 1/2, x < 3*2, x > -(1/3), x >= 2/3, x >= 2/3\nclaim: x > 1", "x 1", REFUTES},
        {"matrix A[2, 2]\nassume A'*A = I\nclaim: det(A)^2 = 1", "A 2x2 0 1 1 0", HOLDS},
        {"matrix A[2, 2]\nassume A'*A = I\nclaim: det(A) = 1", "A 2x2 0 1 1 0", REFUTES},
        {"matrix A[2, 2]\nassume A'*A = I\nclaim: det(A) = 1", "A 2x2 2 0 0 1", MISSED},
        {"given x >= 1/0\nclaim: x > 1", "x 1", NONE},
        {"given alpha > 0\nkeys k[1..n] ~ normal(0, alpha*I), dimension 2\n"
         "claim: k[1] = k[2] at alpha = 0",
         "n 2 | alpha 0", HOLDS},
        {"given alpha > 0\nkeys k[1..n] ~ normal(0, alpha*I), dimension 2\n"
         "claim: k[1] != k[2] at alpha = 0",
         "n 2 | alpha 0", REFUTES},
        {"given alpha > 0\nkeys k[1..n] ~ normal(0, alpha*I), dimension 2\n"
         "claim: k[1] != k[2] at alpha = 1",
         "n 2 | alpha 1", HOLDS},
        /* Vectors of more widths than are kept. */
        {"claim: [x].[x] + [1, x].[1, x] + |[1, 1, x]| + |[1, 1, 1, x]| + |[1, 1, 1, 1, x]| +\n"
         "  |[1, 1, 1, 1, 1, x]| + |[1, 1, 1, 1, 1, 1, x]| + |[1, 1, 1, 1, 1, 1, 1, x]| +\n"
         "  |[1, 1, 1, 1, 1, 1, 1, 1, x]| > 19",
         "x 1", HOLDS},
        {"vectors u[1..2*m]\nclaim: |u[1]| = s", "m 1 | s 3 | u 2x1 3 4", HOLDS},
        {"N = m + 1\nvectors u[1..N]\nclaim: |u[1]| = s", "m 1 | s 3 | u 2x1 4 4", REFUTES},
        {"vectors u[1..n-1] dimension d\nclaim: |u[1]| = s", "n 2 | d 1 | s 3 | u 1x1 3", HOLDS},
        {"vectors u[1..n] orthogonal, norm s\nclaim: |u[1]| = s", "n 1 | s 3 | u 1x2 1 0", HOLDS},
        {"keys k = [[1, 0], [0, 1]]\nvalues v = [[1], [2]]\nkeys l = [[1, 0, 0]]\nvector p\n"
         "claim: p.k[1] = 1",
         "p 2x1 1 2", HOLDS},
        {"keys k = [[1, 0], [0, 1]]\nvalues v = [[1], [2]]\nkeys l = [[1, 0, 0]]\nvector p\n"
         "claim: p.k[1] = 1",
         "p 2x1 2 1", REFUTES},
    };
    (void)state;
    CHECK(rows);
}

/* ---- What is given from outside ------------------------------------------------------------ */

static void test_answers(void **state)
{
    static const row rows[] = {
        {"claim: x^2 = 4*t^2", "t 3", HOLDS},
        {"claim: x^2 = 3*t^2", "t 3", REFUTES},
        {"claim: for all i in 1..2: x > t", "t 3", HOLDS},
        {"claim: for all i in 1..2: x > t", "t -3", REFUTES},
    };
    static const row tokens[] = {
        {"z[1] = [1, 0]; z[2] = [0, 1]\nclaim: self_attend(z)[1] = [1/2, 1/2]", "", HOLDS},
        {"z[1] = [1, 0]; z[2] = [0, 1]\nclaim: self_attend(z)[1] = z[1]", "", REFUTES},
        {"z[1] = [1, 0]; z[2] = [0, 1]\nclaim: self_attend(z, I, I, 2*I)[1] = [1, 1]", "", HOLDS},
        {"z[1] = [1, 0]; z[2] = [0, 1]\nclaim: self_attend(z, W_Q, I, I)[1] = [1/2, 1/2]", "",
         HOLDS},
    };
    static const row undefined = {"claim: t < 1", "t 0", NONE};
    static const row free_of_premises = {"given t > 5\nclaim: t > 2", "t 1", REFUTES};
    static const row with_premises = {"given t > 5\nclaim: t > 2", "t 1", MISSED};
    static const row near[] = {
        {"claim: x ~ 1", "x 1", HOLDS},
        {"claim: x ~ 1", "x 1000000001/1000000000", HOLDS},
        {"claim: x ~ 1", "x 1000000002/1000000000", REFUTES},
    };
    static const row far = {"claim: x ~ 1", "x 1", NONE}; /* without a limit, near what? */
    static const char *const none[] = {"f(t) = t", "given t > 0", "x[1] = t"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const setting s = {.answers = none[i]};
        reading g;
        begin_reading(&g, "claim: x = t", &s);
        assert_false(read_claim(&g, &s));
        end_reading(&g);
    }
    for (size_t i = 0; i < 4; i++) check_row_with(&rows[i], &(setting){.answers = "x = 2*t"});
    for (size_t i = 0; i < 4; i++) check_row_with(&tokens[i], &(setting){.answers = "W_Q = 0*I"});
    check_row_with(&undefined, &(setting){.answers = "x = 1/t"});
    check_row_with(&free_of_premises, &(setting){.without_premises = true});
    check_row(&with_premises);
    for (size_t i = 0; i < 3; i++) check_row_with(&near[i], &(setting){.near_at_all = true});
    check_row(&far);
}

enum { LARGE = 65537 }; /* numbers: one more than are kept */

/* [1 0; 0 2], the list [1, 0], or more numbers than are kept: by the name of the file. */
static qkv__grid *read_file(void *files, const qkv__node *call, bool *flat)
{
    static const qkv__rational square[] = {{1, 1}, {0, 1}, {0, 1}, {2, 1}};
    const char *name = call->child[0]->text;
    (void)files;
    *flat = strcmp(name, "flat") == 0;
    if (strcmp(name, "none") == 0) return NULL;
    if (strcmp(name, "large") == 0) return qkv__grid_make(LARGE, 1);
    return qkv__grid_of_rationals(2, *flat ? 1 : 2, square);
}

#define FILES "keys k = file(\"square\")\nvalues v = file(\"flat\")\n"

static void test_files(void **state)
{
    static const row rows[] = {
        {FILES "claim: k[2] = [0, t]", "t 2", HOLDS},
        {FILES "claim: k[2] = [0, t]", "t 1", REFUTES},
        {FILES "vector q\nclaim: q.k[2] = 6", "q 2x1 1 3", HOLDS},
        {FILES "vector q\nclaim: q.k[2] = 6", "q 2x1 3 1", REFUTES},
        {FILES "claim: v[1] = t", "t 1", HOLDS},
        {FILES "claim: v[2] = t", "t 1", REFUTES},
        {"g = file(\"flat\")\nclaim: g.[1, 1] = t", "t 1", HOLDS}, /* a vector */
        {"g = file(\"flat\")\nclaim: g.[1, 1] = t", "t 2", REFUTES},
        {"keys k = file(\"none\")\nclaim: k[1] = [t]", "t 1", NONE},
        {"keys k = file(\"none\")\nvector q\nclaim: k[1] = q", "q 1x1 1", NONE},
        {"keys k = file(\"large\")\nvector q\nclaim: k[1] = q", "q 1x1 0", NONE},
        {"a = file(\"square\"); b = file(\"square\"); c = file(\"square\")\n"
         "f = file(\"square\"); g = file(\"square\"); h = file(\"square\")\n"
         "k = file(\"square\"); l = file(\"square\"); m = file(\"square\")\n"
         "claim: a[1] + b[1] + c[1] + f[1] + g[1] + h[1] + k[1] + l[1] = [8, t]",
         "t 0", HOLDS},
        {"a = file(\"square\"); b = file(\"square\"); c = file(\"square\")\n"
         "f = file(\"square\"); g = file(\"square\"); h = file(\"square\")\n"
         "k = file(\"square\"); l = file(\"square\"); m = file(\"square\")\n"
         "claim: a[1] + b[1] + c[1] + f[1] + g[1] + h[1] + k[1] + l[1] + m[1] = [9, t]",
         "t 0", NONE}, /* more files than are kept */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_row_with(&rows[i], &(setting){.read_file = read_file});
    check_row(&(row){"keys k = file(\"square\")\nclaim: k[1] = [t]", "t 1", NONE});
}

/* keys k = [1, 2, ..., count], or [[1], [2], ...] */
static void check_list(int count, const char *open, const char *close, const char *claim,
                       qkv__judgement expected)
{
    static char text[1 << 20];
    int length = snprintf(text, sizeof text, "keys k = [");
    for (int i = 1; i <= count; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s%s%d%s",
                           i > 1 ? ", " : "", open, i, close);
    snprintf(text + length, sizeof text - (size_t)length, "]\n%s", claim);
    check_row(&(row){text, "t 70", expected});
}

static void test_long_lists(void **state)
{
    (void)state;
    check_list(70, "", "", "claim: k[70] = [t]", HOLDS);
    check_list(70, "", "", "claim: k[69] = [t]", REFUTES);
    check_list(70, "[", "]", "claim: k[70] = [t]", HOLDS);
    check_list(70, "[", "]", "claim: k[69] = [t]", REFUTES);
    check_list(70, "[", "]", "claim: k[71] = [t]", NONE);
    check_list(LARGE, "", "", "claim: k[70] = [t]", NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unread),     cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_conditions), cmocka_unit_test(test_answers),
        cmocka_unit_test(test_files),      cmocka_unit_test(test_long_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
