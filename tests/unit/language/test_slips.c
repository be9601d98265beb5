/*
 * Slips: documents that two readers would read differently are refused where the manual says so,
 * and only there. Each row is a document and a piece of the complaint about it; "" for none.
 */
#include "support/check.h"

#include <qkv/claim.h>

typedef struct row {
    const char *text, *complaint;
} row;

static void check_rows(const row *rows, size_t count)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        qkv_report *report = NULL;
        qkv_error error;
        check_ok(qkv_check("a.qkv", rows[i].text, strlen(rows[i].text), &report, &error), &error);
        const char *found =
            qkv_report_complaint_count(report) == 0 ? "" : qkv_report_complaint(report, 0)->message;
        const bool right = rows[i].complaint[0] == '\0' ? found[0] == '\0'
                                                        : strstr(found, rows[i].complaint) != NULL;
        if (!right)
            print_error("\"%s\" instead of \"%s\" about\n%s", found, rows[i].complaint,
                        rows[i].text);
        wrong += !right;
        qkv_report_free(&report);
    }
    assert_int_equal(wrong, 0);
}
#define CHECK(rows) check_rows(rows, sizeof rows / sizeof rows[0])

/* Names that the language keeps for itself. */
static void test_fixed_meanings(void **state)
{
    (void)state;
    static const row rows[] = {
        {"e = 2\n", "e has a fixed meaning"},
        {"pi = 3\n", "pi has a fixed meaning"},
        {"I = 1\n", "I has a fixed meaning"},
        {"max = 1\n", "max has a fixed meaning"},
        {"softmax = 1\n", "softmax has a fixed meaning"},
        {"f(pi) = 1\n", "pi has a fixed meaning"},
        {"keys hull[1..3] orthonormal\n", "hull has a fixed meaning"},
        {"x = 2\n", ""},
        {"file = 2\n", ""},
    };
    CHECK(rows);
}

static void test_said_twice(void **state)
{
    (void)state;
    static const row rows[] = {
        {"keys k[1..n] orthogonal, orthogonal\n", "orthogonal occurs twice here"},
        {"keys k[1..n] norm 1, norm 2\n", "norm occurs twice here"},
        {"keys k[1..n] orthonormal, norm 1\n", "orthonormal says that the norm is 1"},
        {"keys k[1..n] norm 1, orthonormal\n", "orthonormal says that the norm is 1"},
        {"keys k[1..n] orthogonal, norm 2, dimension d\n", ""},
        {"keys k[1..2]\nc = attend(q, k, k, scale = 2, scale = 3)\n", "scale occurs twice here"},
        {"keys k[1..2]\nvector q\nc = attend(attend(q, k, k, scale = 2), k, k, scale = 3)\n", ""},
        {"pick a, a distinct in 1..n\n", "a occurs twice here"},
        {"vector x, y, x\n", "x occurs twice here"},
        {"x = 1\nx = 2\n", "x is there already, from line 1"},
        {"x = 1\nvector y, x\n", "x is there already, from line 1"},
        {"given a > 0\nclaim: a > 0 expect proved, expect refuted\n", "expect"},
    };
    CHECK(rows);
}

static void test_sizes(void **state)
{
    (void)state;
    static const row rows[] = {
        {"matrix X[n,d]\n", ""},
        {"matrix X[3,d]\n", ""},
        {"matrix X[0,d]\n", "expected a size"},
        {"matrix X[1/2,d]\n", "expected a size"},
        {"matrix X[n/2,d]\n", "expected a size"},
        {"n = 3\nmatrix X[n,d]\n", "n is already defined in line 1"},
        {"keys k[1..n] orthonormal, dimension d - 1\n", "expected a size"},
        {"keys k[1..n] orthonormal, dimension 7\n", ""},
        {"vector d\nkeys k[1..d] orthonormal\n", "d is already defined in line 1"},
        {"m = 3\nkeys k[1..m] orthonormal\n", ""},
        {"pick a in n\n", "expected a range such as 1..n"},
        {"pick a, b, c distinct in 1..2\n", "fewer indexes than are picked"},
        {"pick a in 2..1\n", "fewer indexes than are picked"},
        {"pick a, b distinct in 1..2\n", ""},
    };
    CHECK(rows);
}

/* Members of a listed or declared family, x_1, are no other names. */
static void test_members(void **state)
{
    (void)state;
    static const row rows[] = {
        {"keys x[1..3] orthonormal\nx_1 = 2\n", "x_1 is a member of the family in line 1"},
        {"given x_1 > 3\nkeys x[1..3] orthonormal\n", "x_1 is a member of the family in line 2"},
        {"given x_1 > 3\n", ""},
        {"f(w) = w_1 + 1\n", "write the index in brackets"},
        {"f(w) = w + v_1\n", ""},
        {"f(w) = wide + 1\n", ""},
    };
    CHECK(rows);
}

/* A definition makes a family where it says one: then h_1 is h[1], and else a name of its own. */
static void test_defined_families(void **state)
{
    (void)state;
    static const row rows[] = {
        {"keys k[1..2] orthonormal\nh = k\nh_1 = 2\n", "h_1 is a member of the family in line 2"},
        {"keys k[1..2] orthonormal\nh = -2*k\nh_1 = 2\n",
         "h_1 is a member of the family in line 2"},
        {"keys k[1..2] orthonormal\nf(x) = 2*x\nh = f(k)\nh_1 = 2\n",
         "h_1 is a member of the family in line 3"},
        {"keys k[1..2] orthonormal\nh = k with k[1] = k[2]\nh_1 = 2\n",
         "h_1 is a member of the family in line 2"},
        {"keys k[1..2] orthonormal\ng = k\nh = g\nh_1 = 2\n",
         "h_1 is a member of the family in line 3"},
        {"h = [s, 2*s]\nh_1 = 2\n", "h_1 is a member of the family in line 1"},
        {"h = softmax([s, 2*s])\nh_1 = 2\n", "h_1 is a member of the family in line 1"},
        {"f(x) = [x, 2*x]\nh = f(s)\nh_1 = 2\n", "h_1 is a member of the family in line 2"},
        {"b[i] = i for i in 1..3\nb_1 = 2\n", "b_1 is a member of the family in line 1"},
        {"keys k[1..2] orthonormal\nh = |k[1]|\nh_1 = 2\n", ""},
        {"keys k = [[1, 0], [0, 1]]\nh = k[1]\nh_1 = 2\n", ""},
        {"vector q\nh = q\nh_1 = 2\n", ""},
        {"vector q\nh = 2*q + q\nh_1 = 2\n", ""},
        {"f(x) = 2*x\nh = f(s)\nh_1 = 2\n", ""},
        {"h = s + t\nh_1 = 2\n", ""},
        {"matrix A[2,2]\nh = A'\nh_1 = 2\n", ""},
        {"matrix A[2,2]\nh = trace(A)\nh_1 = 2\n", ""},
        {"scalar h ~ normal(0, 1)\nh_1 = 2\n", ""},
    };
    CHECK(rows);
}

#define FAMILY "given n >= 3\nkeys k[1..n] orthonormal\nvalues v[1..n]\npick a in 1..n\n"

/* for t in 1..2: an index, or any number? */
static void test_indexes_and_numbers(void **state)
{
    (void)state;
    static const char *unclear = "cannot tell whether t is an index or any number";
    static const char *both = "t stands for a number too";
    const row rows[] = {
        {FAMILY "claim: t <= 1 or t >= 2 for t in 1..2\n", unclear},
        {FAMILY "claim: for all t in 1..2: t <= 1 or t >= 2\n", unclear},
        {FAMILY "claim: for all t in 1..2: (t - 1)*(t - 2) >= 0\n", unclear},
        {FAMILY "claim: for all i in 1..n: for all t in 1..2: t < 3\n", unclear},
        {FAMILY "claim: exists t in 1..2: (t - 1)*(t - 2) < 0\n", unclear},
        {FAMILY "claim: (t - 1)*(t - 2) >= 0 for t in 1..n\n", unclear},
        {FAMILY "claim: t >= 1 for t in 1..m\n", unclear},
        {FAMILY "scalar t\nclaim: t <= 1 or t >= 2 for t in 1..2\n", ""},
        {FAMILY "claim: t <= 1 or t >= 2 for t in 0..2\n", ""},
        {FAMILY "claim: t <= 1 or t >= 2 given t in 1..2\n", ""},
        {FAMILY "claim: (t - 1)*(t - 2) >= 0 for t in 1..2\n", ""},
        {FAMILY "claim: t >= 1 for t in 1..n\n", ""},
        {FAMILY "claim: t < s or t >= s for t in 1..2, s in 1..n\n", ""},
        {FAMILY "claim: t = a implies k[t] = k[a] for t in 1..n\n", ""},
        {FAMILY "claim: t <= 2 for t in 1..2, t != a\n", ""},
        /* A range within the claim is a comparison. */
        {FAMILY "claim: t <= 1 or t >= 2 or t in 2..n for t in 1..2\n", unclear},
        /* One name for an index and for a number: written out where the range is of plain numbers.
         */
        {FAMILY "claim: sin(t) > 0 and |k[t]| = 1 for t in 1..2\n", ""},
        {FAMILY "claim: |k[t]| = 1 and (t - 1)*(t - 2) >= 0 for t in 1..2\n", ""},
        {FAMILY "claim: for all t in 1..2: t^2 >= t and |k[t]| = 1\n", ""},
        {FAMILY "claim: (t - 1)*(t - 2) >= 0 and |k_t| = 1 for t in 1..n\n", both},
        {FAMILY "claim: for all t in 1..n: t^2 >= t and |k[t]| = 1\n", both},
        {FAMILY "claim: not (exists t in 1..n: 2*t < 2 and |k[t]| = 1)\n", both},
        {FAMILY "for t in 1..n:\n  claim: t^2 >= t and |k[t]| = 1\n", both},
        {FAMILY "claim: max(t, 0) > 0 and |k[t]| = 1 for t != a\n", both},
        {FAMILY "claim: max(t, 0) > 0 and |k[t]| = 1 for t not in {a}\n", both},
        {FAMILY "claim: t <= 2 and |k[t]| = 1 for t in 1..n\n", ""},
        /* Sizes by other names. */
        {FAMILY "N = n\nclaim: (t - 1)*(t - 2) >= 0 for t in 1..N\n", unclear},
        {FAMILY "g(x) = n*x\nclaim: (t - 1)*(t - 2) >= 0 for t in 1..g(1)\n", unclear},
        {FAMILY "given h = n\nclaim: (t - 1)*(t - 2) >= 0 for t in 1..h\n", unclear},
        {"N = n\nkeys k[1..N]\nclaim: (t - 1)*(t - 2) >= 0 for t in 1..n\n", unclear},
        {"vectors x[1..4] dimension d\nclaim: (t - 1)*(t - 2) >= 0 for t in 1..d\n", unclear},
        {"b[i] = i^2 for i in 1..h\nclaim: (t - 1)*(t - 2) >= 0 for t in 1..h\n", unclear},
        {"claim: (t - 1)*(t - 2) >= 0 for t in 1..h\n", ""},
        {FAMILY "given h + 1 = n + 1\nclaim: (t - 1)*(t - 2) >= 0 for t in 1..h\n", unclear},
        {FAMILY "given h = n and s > 0\nclaim: (t - 1)*(t - 2) >= 0 for t in 1..h\n", unclear},
        {FAMILY "claim: (t - 1)*(t - 2) >= 0 for t in 1..h, h = n\n", unclear},
        {FAMILY "claim: (t - 1)*(t - 2) >= 0 for t in 1..h at h = n\n", unclear},
        {FAMILY "assume h = n\nclaim: (t - 1)*(t - 2) >= 0 for t in 1..h\n", unclear},
        {FAMILY "claim: (t - 1)*(t - 2) >= 0 for t in 1..h given h = n\n", unclear},
        {FAMILY "for h = n:\n  claim: (t - 1)*(t - 2) >= 0 for t in 1..h\n", unclear},
        {FAMILY "claim: t <= 1 or t >= 2 given t in 1..n and s > 0\n", unclear},
        {"L = softmax([s, 2*s])\nclaim: t <= 1 or t >= 2 or L_t < L_t for t in 1..2\n", both},
        {"L = -[s, 2*s]\nclaim: t <= 1 or t >= 2 or L_t < L_t for t in 1..2\n", both},
        {"g[i] = sin(i) for i in 1..4\nclaim: g[t]^2 + cos(t)^2 = 1 for t in 1..m\n", both},
        {"u = ones(h)\nclaim: (t - 1)*(t - 2) >= 0 for t in 1..h\n", unclear},
        {"s = sum(1/i for i in 1..h)\nclaim: t <= 1 or t >= 2 for t in 1..h\n", unclear},
        /* Conditions that are joined by `and` are several. */
        {FAMILY "claim: t <= 1 or t >= 2 for t in 1..2 and s > 0\n", unclear},
        {FAMILY "claim: (t - 1)*(t - 2) >= 0 for t in 1..n and s > 0\n", unclear},
        {FAMILY "for s > 0 and t in 1..n:\n  claim: t^2 >= t and |k[t]| = 1\n", both},
        {FAMILY "claim: t <= 1 or t >= 2 for t in 1..n and s > 0\n", ""},
        /* W_t is a name of its own, unless W is a family. */
        {FAMILY "scalar W_t\nclaim: t <= 1 or t >= 2 or W_t != W_t for t in 1..2\n", unclear},
        {FAMILY "u_t = 3\nclaim: (t <= 1 or t >= 2) and u_t = 3 for t in 1..2\n", unclear},
        {FAMILY "vector q_t\nclaim: (t <= 1 or t >= 2) and q_t = q_t for t in 1..2\n", unclear},
        {FAMILY "given s_t > 0\nclaim: (t <= 1 or t >= 2) and s_t > 0 for t in 1..2\n", unclear},
        {FAMILY "L = [s, s^2]\nclaim: (t <= 1 or t >= 2) and L_t = L_t for t in 1..2\n", both},
    };
    CHECK(rows);
}

#define PAIR "keys k = [[1, 0], [0, 1]]\nvalues v[1..2]\n"

/* Lists whose numbers do not fit together. */
static void test_shapes(void **state)
{
    (void)state;
    static const row rows[] = {
        {"keys k = [[1, 0], [1]]\n", "row 2 has 1 number; expected 2, as in row 1"},
        {"keys k = [[1], [1, 2]]\n", "row 2 has 2 numbers; expected 1, as in row 1"},
        {"x = [[1, 2], 3]\n", ""},
        {PAIR "c = attend([1, 2, 3], k, v)\n", "the query has 3 numbers and each key 2"},
        {PAIR "c = attend([1], k, v)\n", "the query has 1 number and each key 2"},
        {PAIR "c = attend(k_1 + [1, 2, 3], k, v)\n", "a vector of 2 numbers beside one of 3"},
        {PAIR "x = [1] + [1, 2]\n", "a vector of 1 number beside one of 2"},
        {PAIR "x = [1, 2] + [1]\n", "a vector of 2 numbers beside one of 1"},
        {PAIR "x = k[1] + 2*k[2]\n", ""},
        {"keys k = [[1, 0], [0, 1]]\nvalues v = [[1]]\nc = attend(k[1], k, v)\n",
         "2 keys and 1 value"},
        {"keys k = [[1, 0]]\nvalues v = [[1], [2]]\nc = attend(k[1], k, v)\n",
         "1 keys and 2 values"},
        {PAIR "q = [1, 2]\nc = attend(2*q, k, v)\n", ""},
        {PAIR "q = [1, 2, 3]\nc = attend(2*q, k, v)\n", "the query has 3 numbers and each key 2"},
        {PAIR "q = [1, 2, 3]\nc = attend(q + [1], k, v)\n",
         "a vector of 3 numbers beside one of 1"},
        {"x = [[1, 2], [3, 4]]*[1, 1]\n", "a list of lists is a family of vectors, not a matrix"},
        {"R(t) = [[1, t], [0, 1]]\nx = R(2)*[1, 1]\n", "not a matrix"},
        {"R(t) = [[1, t], [0, 1]]\nx = R(2)*R(3)\n", "not a matrix"},
        {"vector q[2]\nR(t) = [[1, t], [0, 1]]\nclaim: (R(2)*q).q = 1\n", "not a matrix"},
        {PAIR "x = k*[1, 1]\n", "not a matrix"},
        {PAIR "x = 2*k\nc = attend(x[1], k*2, v)\n", ""},
        {"R(t) = [1, t]\nx = R(2).[1, 1]\n", ""},
    };
    CHECK(rows);
}

/* Keys, means and vectors share one dimension, and values another one. */
static void test_dimensions(void **state)
{
    (void)state;
    static const row rows[] = {
        {"keys k = [[1, 0], [0, 1]]\nvectors u[1..2] orthonormal, dimension 3\n",
         "share one dimension"},
        {"keys k = [[1, 0], [0, 1]]\nvectors u[1..2] orthonormal, dimension 2\n", ""},
        {"keys k = [[1, 0], [0, 1]]\nvalues v[1..2] orthonormal, dimension 3\n", ""},
        {"values v = [[1], [2]]\nvalues w[1..2] orthonormal, dimension 3\n",
         "all values share one"},
        {"keys k[1..2] orthonormal, dimension d\nvectors u[1..2] norm 1, dimension m\n",
         "share one"},
        {"keys k[1..2] orthonormal, dimension d\nvectors u[1..2] norm 1, dimension d\n", ""},
    };
    CHECK(rows);
}

/* Quantifiers that bind what is there already, and names that come too late. */
static void test_quantifiers(void **state)
{
    (void)state;
    static const row rows[] = {
        {"x = 1\nclaim: exists x: x = 2\n", "x is there already, from line 1"},
        {"claim: exists e: e = 2\n", "e has a fixed meaning"},
        {"claim: exists t: exists t: t = 2\n", "t"},
        {"keys k[1..3] orthonormal\nclaim: exists k_1: k_1 = 2\n", "k_1"},
        {"claim: x > 1\nx = 2\n", "x is used before its definition in line 2"},
        {"y = x + 1\nx = 2\n", "x is used before its definition in line 2"},
        {"scalar u ~ uniform(a, b)\nscalar a, b\n", "a is used before its definition in line 2"},
        {"vectors x[1..3] norm r\nscalar r\n", "r is used before its definition in line 2"},
        {"scalar x ~ bernoulli(p)\nscalar p\n", "p is used before its definition in line 2"},
        {"keys k = [[t, 0], [0, 1]]\nscalar t\n", "t is used before its definition in line 2"},
        {"keys k[1..n]\nscalar n\n", "n is used before its definition in line 2"},
        {"keys k[1..n] ~ normal(0, s*I)\nscalar s\n", "s is used before its definition in line 2"},
        {"given t >= 2\nscalar t\nvectors x[1..3] norm t\n", ""},
        {"keys k[i] ~ normal(0, I) for i in 1..3\nkeys k[a] ~ normal(0, 2*I)\npick a in 1..3\n",
         ""},
        {"scalar a, b\nscalar u ~ uniform(a, b)\n", ""},
        {"b[i] = i for i in 1..3\nclaim: sum(b_1 for b_1 in 4..5) = 9\n",
         "b_1 is read as a member"},
        {"h = [4, 5]\nclaim: sum(h_1 for h_1 in 1..2) = 3\n", "h_1 is read as a member"},
        {"E = 2\nclaim: E(3) = 6\n", "E is a name of the document, from line 1"},
        {"E(x) = 2*x\nclaim: E(3) = 6\n", ""},
        {"given E > 0\nclaim: E(t) = t\n", "E stands for a number as well, in line 1"},
        {"claim: E(t) = E*t\n", "E stands for a number as well, in line 1"},
        {"claim: E*t = t*E\n", ""},
        {"scalar z ~ normal(0, 1)\nclaim: E(z) = 0 and Var(z) = 1\n", ""},
        {"claim: for all t: t = t\n", ""},
        {"claim: exists t: t = 2\n", ""},
        {"keys k[1..3] orthonormal\nclaim: sum(|k[i]| for i in 1..3) = 3\n", ""},
        {"find t: t = 2\n", ""},
        {"t = 1\nfind t such that t = 2\n", "t is there already, from line 1"},
        {"find e such that e = 2\n", "e has a fixed meaning"},
    };
    CHECK(rows);
}

/* A name that is bound is one thing: not bound already, no index, no member, no number of the
 * problem. */
static void test_bound_names(void **state)
{
    (void)state;
    static const row rows[] = {
        {"claim: sum(sum(1 for i in 1..2) for i in 1..2) = 4\n",
         "i is bound twice here, in line 1"},
        {"claim: sum(i for i in 1..2) + sum(i for i in 1..2) = 6\n", ""},
        {"claim: for all i in 1..2: for all i in 1..2: i > 0\n",
         "i is bound twice here, in line 1"},
        {"claim: for all matrix B[n,n]: for all matrix B[n,n]: B = B\n", "B is bound twice here"},
        {"matrix A[n,n]\nclaim: for all matrix A[n,n]: A = A\n", "A is there already, from line 1"},
        {"pick a in 1..n\nclaim: sum(1 for a in 1..2) = 2\n", "a is already an index, in line 1"},
        {"keys u[a, b] orthonormal\nclaim: sum(1 for b in 1..2) = 2\n", "b is already an index"},
        {"pick a in 1..n\nf(a) = 2*a\n", "a is already an index, in line 1"},
        {"pick a in 1..n\nf(b) = 2*b\n", ""},
        {"keys x[1..2] orthonormal\nclaim: sum(1 for x_1 in 1..2) = 2\n",
         "x_1 is read as a member of the family of line 1"},
        {"keys x = [[1], [2]]\nclaim: sum(1 for x_1 in 1..2) = 2\n",
         "x_1 is read as a member of the family of line 1"},
        {"keys x[1..2] orthonormal\nclaim: sum(1 for y_1 in 1..2) = 2\n", ""},
        {"keys x[1..2] orthonormal\nclaim: sum(1 for xy_1 in 1..2) = 2\n", ""},
        {"keys xy[1..2] orthonormal\nclaim: sum(1 for x_1 in 1..2) = 2\n", ""},
        {"keys k[1..2] orthonormal\nf(k_1) = 2*k_1\n", "k_1 is read as a member of the family"},
        {"scalar t\nclaim: s > 0 or (for all t in 1..2: t < 3)\n", "t is also a number in line 1"},
        {"given t > 0\nclaim: t > 0 and (exists t in 1..3: t = 2)\n",
         "t is also a number in line 1"},
        {"given s >= 1\nclaim: s >= 1 and sum(sin(s) for s in 1..2) > 0\n",
         "s is also a number in line 1"},
        {"scalar t\nclaim: for all t in 1..2: t < 3\n", ""},
        {"scalar t\nclaim: t < 3 for t in 1..2\n", ""},
        {"f(t) = t^2\nclaim: s > 0 or sum(sin(t) for t in 1..2) < 3\n", ""},
        {"claim: exists a, b, c, d, f, g, h, l, m: a = 1\n",
         "too many names for one quantifier: expected at most 8"},
        {"claim: for all a, b, c, d, f, g, h, l: a = a\n", ""},
        {"claim: x > 0 and (exists x: x = 1)\n",
         "x also occurs outside this quantifier, in line 1"},
        {"claim: (exists x: x = 1) given x > 2\n",
         "x also occurs outside this quantifier, in line 1"},
        {"claim: (exists x: x = 1) given y > 2\n", ""},
        {"keys k[1..n] orthogonal, norm r\nclaim: n >= 3 implies (for all r > 0: r > 0)\n",
         "r is also used in line 1: use another name here"},
        {"keys k[1..n] orthogonal, norm r\nclaim: n >= 3 implies (for all s > 0: s > 0)\n", ""},
        {"keys k[1..n] orthogonal, norm r\nclaim: for all r > 0: r > 0\n", ""},
        {"claim: for all e > 0: e > 0\n", "e has a fixed meaning, so line 1 cannot use it"},
        {"claim: for all max > 0: max > 0\n", "max has a fixed meaning"},
        {"keys k[1..2] orthonormal\nclaim: exists k: 1 = 1\n", "k is there already, from line 1"},
    };
    CHECK(rows);
}

/* What is asked for is a new name, and no variable of the limit. */
static void test_unknowns(void **state)
{
    (void)state;
    static const row rows[] = {
        {"find t such that t*x = 1 as t -> inf\n",
         "the unknown cannot be the variable of the limit"},
        {"find t such that t = 1 as x -> inf\n", ""},
        {"keys k[1..3] orthonormal\nfind k such that |k| = 1\n", "k is there already, from line 1"},
        {"keys k[1..3] orthonormal\nfind k_1 such that k_1 = 1\n",
         "k_1 is a member of the family in line 1"},
        {"pick a in 1..n\nfind a such that a = 1\n", "a is there already, from line 1"},
        {"Q = 2\nfind Q such that Q = 2\n", ""},
        {"find x such that x = 1 and (exists x: x = 1)\n", "x also occurs outside this quantifier"},
        {"claim: a = 1 given a = 1 expect proved expect proved\n", "only one verdict"},
        {"keys k[1..2] orthonormal, orthonormal\n", "orthonormal occurs twice here, in line 1"},
    };
    CHECK(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixed_meanings),
        cmocka_unit_test(test_said_twice),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_defined_families),
        cmocka_unit_test(test_indexes_and_numbers),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_dimensions),
        cmocka_unit_test(test_quantifiers),
        cmocka_unit_test(test_bound_names),
        cmocka_unit_test(test_unknowns),
    };
    return cmocka_run_group_tests_name("slips", tests, NULL, NULL);
}
