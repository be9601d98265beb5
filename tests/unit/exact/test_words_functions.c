/*
 * Functions of matrices of symbolic size: the identities and inequalities that linear algebra
 * proves of traces, determinants, inverses, ranks and norms; others that fail for small matrices,
 * which must stay open; and both again with less memory than they need, where nothing may be said
 * but that.
 */
#include "support/check.h"

#include "exact/words.h"
#include "support/cases.h"

typedef const qkv__expression *expression;

/* A is n by d, B d by n; S and T are n by n, M 3 by 3; P is a permutation; u, v and w have n
 * entries; Q'*Q = I for the n by d matrix Q; c and r are numbers, and c >= 0. */
typedef struct world {
    qkv__theory theory;
    int n, d;
    expression a, b, s, t, m, p, u, v, q, c, r, one;
} world;

static expression name(world *w, const char *name, int rows, int columns)
{
    return qkv__expression_atom(&w->theory, qkv__theory_matrix(&w->theory, name, rows, columns));
}

static expression vector(world *w, const char *name)
{
    return qkv__expression_atom(&w->theory, qkv__theory_vector(&w->theory, name, w->n));
}

static expression times(world *w, expression x, expression y)
{
    return qkv__expression_multiply(&w->theory, x, y);
}

static expression turned(world *w, expression x)
{
    return qkv__expression_transpose(&w->theory, x);
}

static void make_world(world *w)
{
    *w = (world){.theory = {.numbers = true}};
    qkv__theory *theory = &w->theory;
    w->n = qkv__theory_dimension(theory, "n");
    w->d = qkv__theory_dimension(theory, "d");
    const int three = qkv__theory_size(theory, 3);
    w->a = name(w, "A", w->n, w->d);
    w->b = name(w, "B", w->d, w->n);
    w->s = name(w, "S", w->n, w->n);
    w->t = name(w, "T", w->n, w->n);
    w->m = name(w, "M", three, three);
    w->p = qkv__expression_atom(theory, qkv__theory_permutation(theory, "P", w->n));
    w->u = vector(w, "u");
    w->v = vector(w, "v");
    w->q = name(w, "Q", w->n, w->d);
    w->c = qkv__expression_parameter(theory, "c", true);
    w->r = qkv__expression_parameter(theory, "r", false);
    w->one = qkv__expression_number(theory, qkv__rational_whole(1));
    assert_int_equal(qkv__theory_assume(theory, times(w, turned(w, w->q), w->q),
                                        qkv__expression_identity(theory, w->d)),
                     QKV_OK);
}

/* ---- Expressions that look like the mathematics ---------------------------------------------- */

static expression function(world *w, qkv__function function, expression x)
{
    return qkv__expression_function(&w->theory, function, x);
}

static expression trace(world *w, expression x)
{
    return function(w, QKV__FUNCTION_TRACE, x);
}

static expression det(world *w, expression x)
{
    return function(w, QKV__FUNCTION_DETERMINANT, x);
}

static expression inverse(world *w, expression x)
{
    return function(w, QKV__FUNCTION_INVERSE, x);
}

static expression rank(world *w, expression x)
{
    return function(w, QKV__FUNCTION_RANK, x);
}

static expression spectral(world *w, expression x)
{
    return function(w, QKV__FUNCTION_SPECTRAL, x);
}

static expression root(world *w, expression x)
{
    return function(w, QKV__FUNCTION_ROOT, x);
}

static expression over(world *w, expression x)
{
    return function(w, QKV__FUNCTION_RECIPROCAL, x);
}

static expression diagonal(world *w, expression x)
{
    return function(w, QKV__FUNCTION_DIAGONAL, x);
}

static expression norm(world *w, expression x) /* Frobenius */
{
    return root(w, trace(w, times(w, turned(w, x), x)));
}

static expression plus(world *w, expression x, expression y)
{
    return qkv__expression_add(&w->theory, x, y);
}

static expression minus(world *w, expression x, expression y)
{
    return qkv__expression_subtract(&w->theory, x, y);
}

static expression scale(world *w, int64_t factor, expression x)
{
    return qkv__expression_scale(&w->theory, qkv__rational_whole(factor), x);
}

static expression number_times(world *w, expression number, expression x)
{
    return qkv__expression_times(&w->theory, number, x);
}

static expression size(world *w, const char *name)
{
    return qkv__expression_parameter(&w->theory, name, true);
}

/* ---- What holds, and what does not -------------------------------------------------------------
 */

typedef struct claim {
    const char *name;
    bool at_most; /* left <= right, else left = right */
    expression left, right;
} claim;

enum { CLAIMS = 96 };

typedef struct claims {
    size_t count;
    claim claim[CLAIMS];
} claims;

static void say(claims *list, const char *name, bool at_most, expression left, expression right)
{
    assert_true(list->count < CLAIMS);
    list->claim[list->count++] = (claim){name, at_most, left, right};
}

#define EQUAL(left, right) say(list, #left " = " #right, false, left, right)
#define AT_MOST(left, right) say(list, #left " <= " #right, true, left, right)

static void fill_traces(world *w, claims *list)
{
    expression ones = qkv__expression_ones(&w->theory, w->n);
    EQUAL(trace(w, times(w, w->a, w->b)), trace(w, times(w, w->b, w->a)));
    EQUAL(trace(w, turned(w, w->s)), trace(w, w->s));
    EQUAL(trace(w, minus(w, scale(w, 2, w->s), scale(w, 3, w->t))),
          minus(w, scale(w, 2, trace(w, w->s)), scale(w, 3, trace(w, w->t))));
    EQUAL(trace(w, diagonal(w, w->u)), times(w, turned(w, ones), w->u));
    EQUAL(trace(w, times(w, turned(w, w->p), times(w, w->s, w->p))), trace(w, w->s));
    EQUAL(trace(w, qkv__expression_identity(&w->theory, w->n)), size(w, "n"));
    EQUAL(trace(w, times(w, w->u, turned(w, w->v))), times(w, turned(w, w->v), w->u));
    EQUAL(trace(w, times(w, w->q, turned(w, w->q))), size(w, "d"));
    EQUAL(diagonal(w, plus(w, w->u, scale(w, 2, w->v))),
          plus(w, diagonal(w, w->u), scale(w, 2, diagonal(w, w->v))));
    EQUAL(diagonal(w, ones), qkv__expression_identity(&w->theory, w->n));
    EQUAL(times(w, diagonal(w, w->u), ones), w->u);
}

static void fill_determinants(world *w, claims *list)
{
    expression st = times(w, w->s, w->t), four = scale(w, 4, w->one);
    EQUAL(det(w, st), times(w, det(w, w->s), det(w, w->t)));
    EQUAL(det(w, turned(w, w->s)), det(w, w->s));
    EQUAL(det(w, scale(w, 2, w->m)), scale(w, 8, det(w, w->m)));
    EQUAL(det(w, minus(w, w->s, w->t)), det(w, minus(w, turned(w, w->s), turned(w, w->t))));
    EQUAL(times(w, det(w, inverse(w, w->s)), det(w, w->s)), w->one);
    EQUAL(det(w, qkv__expression_zero(&w->theory, w->n, w->n)), scale(w, 0, w->one));
    EQUAL(inverse(w, inverse(w, w->s)), w->s);
    EQUAL(inverse(w, st), times(w, inverse(w, w->t), inverse(w, w->s)));
    EQUAL(inverse(w, turned(w, w->s)), turned(w, inverse(w, w->s)));
    EQUAL(scale(w, 4, inverse(w, scale(w, 4, w->s))), inverse(w, w->s));
    EQUAL(times(w, w->s, inverse(w, w->s)), qkv__expression_identity(&w->theory, w->n));
    EQUAL(times(w, plus(w, w->s, w->t), inverse(w, plus(w, w->s, w->t))),
          qkv__expression_identity(&w->theory, w->n));
    EQUAL(inverse(w, w->p), turned(w, w->p));
    EQUAL(root(w, times(w, four, times(w, w->c, w->c))), scale(w, 2, w->c));
    EQUAL(root(w, scale(w, 4, times(w, w->c, plus(w, w->c, w->r)))),
          scale(w, 2, root(w, times(w, plus(w, w->r, w->c), w->c))));
    EQUAL(over(w, root(w, w->c)), times(w, root(w, w->c), over(w, w->c)));
    EQUAL(over(w, over(w, w->r)), w->r);
    EQUAL(over(w, scale(w, -2, plus(w, w->c, w->r))),
          scale(w, -1, over(w, scale(w, 2, plus(w, w->c, w->r)))));
    EQUAL(root(w, scale(w, 0, w->one)), scale(w, 0, w->one));
    EQUAL(root(w, times(w, w->r, w->r)), root(w, times(w, scale(w, -1, w->r), scale(w, -1, w->r))));
    EQUAL(times(w, norm(w, w->u), norm(w, w->u)), times(w, turned(w, w->u), w->u));
}

static void fill_ranks(world *w, claims *list)
{
    expression zero = qkv__expression_zero(&w->theory, w->n, w->d), no = scale(w, 0, w->one);
    expression turned_b = turned(w, w->b), ab = times(w, w->a, w->b);
    EQUAL(rank(w, times(w, turned(w, w->a), w->a)), rank(w, w->a));
    EQUAL(rank(w, scale(w, -3, w->a)), rank(w, w->a));
    EQUAL(rank(w, turned(w, w->a)), rank(w, w->a));
    EQUAL(rank(w, times(w, w->p, w->a)), rank(w, w->a));
    EQUAL(rank(w, times(w, inverse(w, w->s), w->a)), rank(w, w->a));
    EQUAL(rank(w, minus(w, scale(w, 2, w->a), scale(w, 2, turned_b))),
          rank(w, minus(w, turned_b, w->a)));
    EQUAL(rank(w, w->q), size(w, "d"));
    EQUAL(rank(w, zero), no);
    EQUAL(rank(w, qkv__expression_ones(&w->theory, w->n)), w->one);
    EQUAL(spectral(w, scale(w, -2, w->a)), scale(w, 2, spectral(w, w->a)));
    EQUAL(spectral(w, turned(w, w->a)), spectral(w, w->a));
    EQUAL(spectral(w, w->u), norm(w, w->u));
    EQUAL(spectral(w, times(w, w->u, turned(w, w->v))), times(w, norm(w, w->u), norm(w, w->v)));
    EQUAL(spectral(w, w->q), w->one);
    EQUAL(spectral(w, zero), no);
    EQUAL(spectral(w, times(w, w->q, w->b)), spectral(w, w->b));
    EQUAL(spectral(w, minus(w, scale(w, 2, w->a), scale(w, 2, turned_b))),
          scale(w, 2, spectral(w, minus(w, turned_b, w->a))));
    EQUAL(spectral(w, number_times(w, w->c, w->a)), times(w, w->c, spectral(w, w->a)));
    AT_MOST(rank(w, ab), rank(w, w->a));
    AT_MOST(rank(w, ab), rank(w, w->b));
    AT_MOST(rank(w, w->a), size(w, "d"));
    AT_MOST(rank(w, plus(w, w->a, turned_b)), plus(w, rank(w, w->a), rank(w, w->b)));
    AT_MOST(minus(w, plus(w, rank(w, w->a), rank(w, w->b)), size(w, "d")), rank(w, ab));
    AT_MOST(rank(w, times(w, w->u, turned(w, w->v))), w->one);
}

static void fill_norms(world *w, claims *list)
{
    expression no = scale(w, 0, w->one), turned_b = turned(w, w->b), ab = times(w, w->a, w->b);
    expression difference = minus(w, w->a, turned_b), dot = times(w, turned(w, w->u), w->v);
    AT_MOST(spectral(w, w->a), norm(w, w->a));
    AT_MOST(spectral(w, ab), times(w, spectral(w, w->a), spectral(w, w->b)));
    AT_MOST(spectral(w, plus(w, w->a, turned_b)), plus(w, spectral(w, w->a), spectral(w, w->b)));
    AT_MOST(norm(w, plus(w, w->u, w->v)), plus(w, norm(w, w->u), norm(w, w->v)));
    AT_MOST(norm(w, plus(w, w->a, turned_b)), plus(w, norm(w, w->a), norm(w, w->b)));
    AT_MOST(norm(w, ab), times(w, spectral(w, w->a), norm(w, w->b)));
    AT_MOST(norm(w, ab), times(w, norm(w, w->a), norm(w, w->b)));
    AT_MOST(dot, times(w, norm(w, w->u), norm(w, w->v)));
    AT_MOST(scale(w, -1, dot), times(w, norm(w, w->u), norm(w, w->v)));
    AT_MOST(scale(w, 2, dot),
            plus(w, times(w, turned(w, w->u), w->u), times(w, turned(w, w->v), w->v)));
    AT_MOST(no, trace(w, times(w, turned(w, w->a), w->a)));
    AT_MOST(no, trace(w, times(w, turned(w, difference), difference)));
    AT_MOST(times(w, norm(w, w->a), norm(w, w->a)),
            times(w, size(w, "d"), times(w, spectral(w, w->a), spectral(w, w->a))));
    AT_MOST(norm(w, times(w, w->a, times(w, w->b, w->u))),
            times(w, spectral(w, w->a), times(w, spectral(w, w->b), norm(w, w->u))));
    AT_MOST(no, times(w, turned(w, w->u), times(w, turned(w, w->s), times(w, w->s, w->u))));
    AT_MOST(no, times(w, w->r, w->r));
}

/* Each fails for some matrices of size 1 or 2. */
static void fill_false(world *w, claims *list)
{
    expression turned_b = turned(w, w->b), ab = times(w, w->a, w->b);
    EQUAL(trace(w, times(w, w->s, w->t)), times(w, trace(w, w->s), trace(w, w->t)));
    EQUAL(trace(w, times(w, w->s, times(w, w->t, w->s))), trace(w, times(w, w->t, w->s)));
    EQUAL(det(w, plus(w, w->s, w->t)), plus(w, det(w, w->s), det(w, w->t)));
    EQUAL(det(w, scale(w, 2, w->m)), scale(w, 2, det(w, w->m)));
    EQUAL(inverse(w, plus(w, w->s, w->t)), plus(w, inverse(w, w->s), inverse(w, w->t)));
    EQUAL(inverse(w, times(w, w->s, w->t)), times(w, inverse(w, w->s), inverse(w, w->t)));
    EQUAL(rank(w, plus(w, w->a, turned_b)), plus(w, rank(w, w->a), rank(w, w->b)));
    EQUAL(rank(w, ab), rank(w, w->a));
    EQUAL(spectral(w, ab), times(w, spectral(w, w->a), spectral(w, w->b)));
    EQUAL(spectral(w, w->a), norm(w, w->a));
    EQUAL(spectral(w, number_times(w, w->r, w->a)), times(w, w->r, spectral(w, w->a)));
    EQUAL(root(w, times(w, w->r, w->r)), w->r);
    EQUAL(diagonal(w, w->u), times(w, w->u, turned(w, w->u)));
    AT_MOST(norm(w, w->a), spectral(w, w->a));
    AT_MOST(rank(w, w->a), rank(w, ab));
    AT_MOST(norm(w, ab), norm(w, w->a));
    AT_MOST(times(w, norm(w, w->u), norm(w, w->v)), times(w, turned(w, w->u), w->v));
    AT_MOST(trace(w, w->s), rank(w, w->s));
    AT_MOST(w->one, rank(w, w->a));
    AT_MOST(spectral(w, minus(w, w->a, turned_b)), spectral(w, w->a));
    AT_MOST(w->r, times(w, w->r, w->r));
}

typedef void filler(world *w, claims *list);

static qkv__words_verdict decide(world *w, const claim *c)
{
    qkv__words_proof proof;
    return c->at_most ? qkv__words_at_most(&w->theory, c->left, c->right, &proof)
                      : qkv__words_equal(&w->theory, c->left, c->right, &proof);
}

/* Claims one by one, each in a theory of its own. */
static void expect_all(filler *fill, qkv__words_verdict verdict)
{
    size_t count = 1;
    for (size_t i = 0; i < count; i++) {
        world w;
        claims list = {0};
        make_world(&w);
        fill(&w, &list);
        count = list.count;
        assert_non_null(list.claim[i].left);
        assert_non_null(list.claim[i].right);
        if (decide(&w, &list.claim[i]) != verdict) fail_msg("%s", list.claim[i].name);
        qkv__arena_free(&w.theory.arena);
    }
}

static void test_traces(void **state)
{
    (void)state;
    expect_all(fill_traces, QKV__WORDS_PROVED);
}

static void test_determinants(void **state)
{
    (void)state;
    expect_all(fill_determinants, QKV__WORDS_PROVED);
}

static void test_ranks(void **state)
{
    (void)state;
    expect_all(fill_ranks, QKV__WORDS_PROVED);
}

static void test_norms(void **state)
{
    (void)state;
    expect_all(fill_norms, QKV__WORDS_PROVED);
}

static void test_false(void **state)
{
    (void)state;
    expect_all(fill_false, QKV__WORDS_UNKNOWN);
}

/* ---- Sizes that are not known, and shapes that do not fit -------------------------------------
 */

/* I and 0 take what size fits, and so does c*I. */
static void fill_loose(world *w, claims *list)
{
    qkv__theory *theory = &w->theory;
    expression one = qkv__expression_identity(theory, QKV__ANY_SIZE), twice = plus(w, one, one);
    expression zero = qkv__expression_zero(theory, QKV__ANY_SIZE, QKV__ANY_SIZE);
    expression sized = qkv__expression_identity(theory, w->n), many = number_times(w, w->c, one);
    EQUAL(times(w, w->s, twice), scale(w, 2, w->s));
    EQUAL(times(w, twice, w->s), scale(w, 2, w->s));
    EQUAL(times(w, turned(w, one), w->a), w->a);
    EQUAL(minus(w, one, w->s), minus(w, sized, w->s));
    EQUAL(plus(w, many, w->s), plus(w, number_times(w, w->c, sized), w->s));
    EQUAL(plus(w, w->s, many), plus(w, number_times(w, w->c, sized), w->s));
    EQUAL(times(w, many, w->a), number_times(w, w->c, w->a));
    EQUAL(times(w, w->a, many), number_times(w, w->c, w->a));
    EQUAL(times(w, scale(w, 3, many), w->a), scale(w, 3, number_times(w, w->c, w->a)));
    EQUAL(many, number_times(w, w->c, sized));
    EQUAL(number_times(w, w->c, sized), many);
    EQUAL(plus(w, zero, w->a), w->a);
    EQUAL(plus(w, w->a, zero), w->a);
    EQUAL(times(w, zero, w->a), qkv__expression_zero(theory, w->n, w->d));
    EQUAL(times(w, w->a, turned(w, zero)), qkv__expression_zero(theory, w->n, w->n));
    EQUAL(plus(w, zero, one), sized);
    EQUAL(plus(w, qkv__expression_zero(theory, w->n, QKV__ANY_SIZE), w->a), w->a);
}

static void test_loose(void **state)
{
    (void)state;
    expect_all(fill_loose, QKV__WORDS_PROVED);
}

/* What cannot be made is NULL, and the message names both shapes. */
static void test_misfits(void **state)
{
    world w;
    (void)state;
    make_world(&w);
    qkv__theory *t = &w.theory;
    enum { MISFITS = 10 };
    expression one = qkv__expression_identity(t, QKV__ANY_SIZE), many = number_times(&w, w.c, one);
    expression sum = plus(&w, w.a, w.a), huge = scale(&w, INT64_MAX, w.a);
    static const char *const words[MISFITS] = {
        "A + B adds (n, d) and (d, n)",
        "A*A multiplies (n, d) by (n, d)",
        "(A + A)*A multiplies (n, d) by (n, d)",
        "A*(A + A) multiplies (n, d) by (n, d)",
        "A is not square: (n, d)",
        "a sum without a known size",
        "a product without a known size",
        "the argument of softmax has no known number of rows and columns",
        "a factor of a matrix does not fit 64 bits",
        "a sum without a known size",
    };
    for (int i = 0; i < MISFITS; i++) {
        t->error = (qkv_error){.message = ""};
        expression made = i == 0   ? plus(&w, w.a, w.b)
                          : i == 1 ? times(&w, w.a, w.a)
                          : i == 2 ? times(&w, sum, w.a)
                          : i == 3 ? times(&w, w.a, sum)
                          : i == 4 ? det(&w, w.a)
                          : i == 5 ? plus(&w, many, one)
                          : i == 6 ? times(&w, many, many)
                          : i == 7 ? qkv__expression_softmax(t, one)
                          : i == 8 ? scale(&w, 2, huge)
                                   : plus(&w, one, many);
        assert_null(made);
        if (strstr(t->error.message, words[i]) == NULL)
            fail_msg("\"%s\" instead of \"%s\"", t->error.message, words[i]);
    }
    const struct {
        expression left, right;
        const char *words;
    } pairs[] = {
        {w.a, w.b, "A = B compares (n, d) with (d, n)"},
        {one, one, "neither side of the equation has a known size"},
        {w.a, one, "A = I compares (n, d) with (?, ?)"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        qkv__words_proof proof;
        assert_int_equal(qkv__words_equal(t, pairs[i].left, pairs[i].right, &proof),
                         QKV__WORDS_ILL_POSED);
        if (strstr(t->error.message, pairs[i].words) == NULL)
            fail_msg("\"%s\" instead of \"%s\"", t->error.message, pairs[i].words);
    }
    assert_null(qkv__expression_ones(t, -1));
    qkv__arena_free(&t->arena);
}

/* Quotients that are equal when they are brought to one denominator; c >= 0. And softmax, which
 * moves with its rows. */
static void fill_quotients(world *w, claims *list)
{
    expression more = plus(w, w->one, w->c), most = plus(w, more, w->one);
    expression ones = qkv__expression_ones(&w->theory, w->n);
    expression square = times(w, ones, turned(w, ones));
    EQUAL(plus(w, over(w, more), times(w, w->c, over(w, more))), w->one);
    EQUAL(minus(w, over(w, more), over(w, most)), over(w, times(w, more, most)));
    EQUAL(plus(w, over(w, times(w, more, more)), times(w, w->c, over(w, times(w, more, more)))),
          over(w, more));
    EQUAL(qkv__expression_softmax(&w->theory, qkv__expression_zero(&w->theory, w->n, w->n)),
          number_times(w, over(w, size(w, "n")), square));
    EQUAL(qkv__expression_softmax(&w->theory, plus(w, w->s, times(w, w->u, turned(w, ones)))),
          qkv__expression_softmax(&w->theory, w->s));
    EQUAL(times(w, qkv__expression_softmax(&w->theory, w->s), ones), ones);
}

static void fill_false_quotients(world *w, claims *list)
{
    expression more = plus(w, w->one, w->c), ones = qkv__expression_ones(&w->theory, w->n);
    EQUAL(over(w, more), over(w, plus(w, more, w->one)));
    EQUAL(plus(w, over(w, more), w->c), w->one);
    EQUAL(qkv__expression_softmax(&w->theory, plus(w, w->s, times(w, ones, turned(w, w->u)))),
          qkv__expression_softmax(&w->theory, w->s));
    EQUAL(times(w, turned(w, qkv__expression_softmax(&w->theory, w->s)), ones), ones);
}

static void test_quotients(void **state)
{
    (void)state;
    expect_all(fill_quotients, QKV__WORDS_PROVED);
    expect_all(fill_false_quotients, QKV__WORDS_UNKNOWN);
}

/* ---- Little memory ----------------------------------------------------------------------------
 */

/* The verdict where the theory has so many bytes more than its names and assumptions take, or, in
 * `scratch`, where a question has no more than so many. */
static qkv__words_verdict decide_within(filler *fill, size_t number, bool scratch, size_t bytes)
{
    world w;
    claims list = {0};
    make_world(&w);
    fill(&w, &list);
    if (scratch)
        w.theory.scratch = bytes;
    else
        w.theory.arena.limit = w.theory.arena.used + bytes;
    qkv__words_verdict verdict = decide(&w, &list.claim[number]);
    qkv__arena_free(&w.theory.arena);
    return verdict;
}

/* Up to what it takes, the question is lost or left open; what is false is never proved. */
static void starve(filler *fill, size_t number, qkv__words_verdict wanted, bool scratch)
{
    enum { ENOUGH = 1 << 22 };
    size_t bytes = 16;
    assert_int_equal(decide_within(fill, number, scratch, bytes), QKV__WORDS_LOST);
    for (; bytes < ENOUGH; bytes += 16 * (1 + bytes / 16384 * (size_t)cases_step())) {
        qkv__words_verdict verdict = decide_within(fill, number, scratch, bytes);
        if (verdict == wanted) break;
        assert_true(verdict == QKV__WORDS_LOST || verdict == QKV__WORDS_UNKNOWN);
    }
    assert_true(bytes < ENOUGH);
}

static void starve_all(filler *fill, qkv__words_verdict wanted)
{
    world w;
    claims list = {0};
    make_world(&w);
    fill(&w, &list);
    const size_t count = list.count;
    qkv__arena_free(&w.theory.arena);
    for (size_t i = 0; i < count; i++) {
        starve(fill, i, wanted, true);
        starve(fill, i, wanted, false);
    }
}

/* Expressions that are made with too little memory are NULL, and say so; with enough, none is. */
static void test_little_memory_to_make(void **state)
{
    static filler *const fillers[] = {fill_traces, fill_determinants, fill_ranks,
                                      fill_norms,  fill_loose,        fill_quotients};
    (void)state;
    for (size_t f = 0; f < sizeof fillers / sizeof fillers[0]; f++) {
        size_t missing = 1, bytes = 16;
        for (; missing > 0; bytes += 16 * (size_t)cases_step()) {
            world w;
            claims list = {0};
            make_world(&w);
            w.theory.error = (qkv_error){.status = QKV_OK};
            w.theory.arena.limit = w.theory.arena.used + bytes;
            fillers[f](&w, &list);
            missing = 0;
            for (size_t i = 0; i < list.count; i++)
                missing += list.claim[i].left == NULL || list.claim[i].right == NULL;
            assert_true((missing > 0) == w.theory.arena.failed);
            assert_int_equal(w.theory.error.status, missing > 0 ? QKV_ERROR_MEMORY : QKV_OK);
            qkv__arena_free(&w.theory.arena);
        }
        assert_true(bytes > 1024);
    }
}

static void test_little_memory(void **state)
{
    (void)state;
    starve_all(fill_traces, QKV__WORDS_PROVED);
    starve_all(fill_determinants, QKV__WORDS_PROVED);
    starve_all(fill_ranks, QKV__WORDS_PROVED);
    starve_all(fill_norms, QKV__WORDS_PROVED);
    starve_all(fill_false, QKV__WORDS_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_traces),
        cmocka_unit_test(test_determinants),
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_norms),
        cmocka_unit_test(test_false),
        cmocka_unit_test(test_loose),
        cmocka_unit_test(test_misfits),
        cmocka_unit_test(test_quotients),
        cmocka_unit_test(test_little_memory_to_make),
        cmocka_unit_test(test_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
