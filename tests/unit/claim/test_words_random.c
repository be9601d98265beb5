/*
 * Soundness of the words engine. Random expressions are rewritten at random places, by identities
 * that hold and by some that do not. Whatever is called proved must agree in numbers, for random
 * matrices that satisfy the assumptions by construction; every witness must stand a second look;
 * and nothing may be both.
 */
#include "unit/claim/words_model.h"

#include "support/cases.h"
#include "support/random.h"

enum { EXPRESSIONS = 6000, WITNESSES = 400, THEORIES = 120 };

/* Products of up to some dozen factors of size about 1, in double precision: 1e-15 each, and far
 * more than a hundred such errors would be needed to get here. */
static const double ROUNDING = 1e-9;

typedef struct world {
    qkv__theory theory;
    random_source source;
    model models[2];
    int n, d, m, one;
} world;

/* ---- The theory, and matrices that satisfy it ---------------------------------------- */

static int atom(world *w, const char *name)
{
    int found = qkv__theory_find(&w->theory, name);
    assert_true(found >= 0);
    return found;
}

static dense *value(world *w, model *m, const char *name)
{
    return &m->atom[atom(w, name)];
}

static void fill_bell(world *w, model *m, int number)
{
    const qkv__atom *a = &w->theory.atom[number];
    dense *d = &m->atom[number];
    *d = (dense){.rows = m->size[a->rows], .columns = m->size[a->columns]};
    for (size_t i = 0; i < d->rows * d->columns; i++) d->entry[i] = random_bell(&w->source) / 2.0;
}

static void fill_permutation(world *w, dense *d)
{
    size_t order[8];
    for (size_t i = 0; i < d->rows; i++) order[i] = i;
    for (size_t i = d->rows; i > 1; i--) {
        size_t k = random_below(&w->source, i), kept = order[i - 1];
        order[i - 1] = order[k];
        order[k] = kept;
    }
    for (size_t i = 0; i < d->rows * d->rows; i++) d->entry[i] = 0.0;
    for (size_t i = 0; i < d->rows; i++) d->entry[i * d->columns + order[i]] = 1.0;
}

/* Takes from column j of b its part along column k of a, which has length 1. */
static void remove_part(const dense *a, size_t k, dense *b, size_t j)
{
    double along = 0.0;
    for (size_t i = 0; i < a->rows; i++) along += at(a, i, k) * at(b, i, j);
    for (size_t i = 0; i < a->rows; i++) b->entry[i * b->columns + j] -= along * at(a, i, k);
}

/* Gram and Schmidt, twice for good measure: A'A = I, then A'B = 0. */
static void make_orthonormal(dense *a, dense *b)
{
    for (size_t j = 0; j < a->columns; j++) {
        double squares = 0.0;
        for (size_t k = 0; k < 2 * j; k++) remove_part(a, k % j, a, j);
        for (size_t i = 0; i < a->rows; i++) squares += at(a, i, j) * at(a, i, j);
        for (size_t i = 0; i < a->rows; i++) a->entry[i * a->columns + j] /= sqrt(squares);
    }
    for (size_t j = 0; j < b->columns; j++)
        for (size_t k = 0; k < 2 * a->columns; k++) remove_part(a, k % a->columns, b, j);
}

/* W = a*R + b*R' + c*1: every polynomial in R commutes with R. */
static void make_commuting(world *w, const dense *r, dense *commuting)
{
    dense turned = transpose_of(r);
    double a = random_bell(&w->source), b = random_bell(&w->source);
    *commuting = combination_of(r, a, &turned, b);
    double constant = random_bell(&w->source);
    for (size_t i = 0; i < r->rows * r->columns; i++) commuting->entry[i] += constant;
}

static void make_model(world *w, model *m)
{
    m->size[w->n] = 2 + random_below(&w->source, 3);
    m->size[w->d] = 3 + random_below(&w->source, 3);
    m->size[w->m] = 1 + random_below(&w->source, 2);
    m->size[w->one] = 1;
    for (size_t a = 0; a < w->theory.atom_count; a++) {
        fill_bell(w, m, (int)a);
        if (w->theory.atom[a].permutation) fill_permutation(w, &m->atom[a]);
    }
    make_orthonormal(value(w, m, "A"), value(w, m, "B"));
    make_commuting(w, value(w, m, "R"), value(w, m, "W"));
    dense turned = transpose_of(value(w, m, "S"));
    *value(w, m, "S") = combination_of(value(w, m, "S"), 0.5, &turned, 0.5);
    dense product = product_of(value(w, m, "W"), value(w, m, "V"));
    *value(w, m, "C") = combination_of(&product, 1.0, value(w, m, "V"), -2.0);
    *value(w, m, "N") = softmax_of(value(w, m, "M"));
}

static void make_world(world *w)
{
    declare(&w->theory, "X[n,d] Y[n,d] P[n]! Q[n]! S[n,n] M[n,n] R[d]! W[d,d] V[d,d] C[d,d]");
    declare(&w->theory, "A[d,m] B[d,m] N[n,n] x[n] y[n] z[d]");
    assume(&w->theory, "A'*A", "I");
    assume(&w->theory, "A'*B", "0");
    assume(&w->theory, "S'", "S");
    assume(&w->theory, "W*R", "R*W");
    assume(&w->theory, "C", "W*V - 2*V");
    assume(&w->theory, "softmax(M)", "N");
    w->n = qkv__theory_dimension(&w->theory, "n");
    w->d = qkv__theory_dimension(&w->theory, "d");
    w->m = qkv__theory_dimension(&w->theory, "m");
    w->one = qkv__theory_size(&w->theory, 1);
    for (int i = 0; i < 2; i++) make_model(w, &w->models[i]);
    for (size_t i = 0; i < w->theory.equation_count; i++)
        assert_true(distance(&w->models[0], w->theory.equation[i].left,
                             w->theory.equation[i].right) < ROUNDING);
}

/* ---- Random expressions -------------------------------------------------------------- */

static size_t below(world *w, size_t limit)
{
    return random_below(&w->source, limit);
}

/* A named matrix of that shape, transposed if need be; else zero or the identity. */
static expression random_leaf(world *w, int rows, int columns)
{
    qkv__theory *t = &w->theory;
    for (int attempt = 0; attempt < 40; attempt++) {
        int number = (int)below(w, t->atom_count);
        expression e = qkv__expression_atom(t, number);
        if (e->rows == rows && e->columns == columns) return e;
        if (e->rows == columns && e->columns == rows) return qkv__expression_transpose(t, e);
    }
    return rows == columns ? qkv__expression_identity(t, rows)
                           : qkv__expression_zero(t, rows, columns);
}

static expression random_expression(world *w, int rows, int columns, int depth)
{
    qkv__theory *t = &w->theory;
    const int dimensions[] = {w->n, w->n, w->d, w->d, w->m, w->one};
    size_t kind = depth == 0 ? 0 : 1 + below(w, 9);
    if (kind == 0) return random_leaf(w, rows, columns);
    if (kind == 1)
        return qkv__expression_transpose(t, random_expression(w, columns, rows, depth - 1));
    if (kind == 2)
        return qkv__expression_softmax(t, random_expression(w, rows, columns, depth - 1));
    if (kind == 3) {
        qkv__rational factor = qkv__rational_make(1 + (int64_t)below(w, 3), 2);
        return qkv__expression_scale(t, factor, random_expression(w, rows, columns, depth - 1));
    }
    if (kind <= 5) {
        expression one = random_expression(w, rows, columns, depth - 1);
        return qkv__expression_add(t, one, random_expression(w, rows, columns, depth - 1));
    }
    int inner = dimensions[below(w, 6)];
    expression one = random_expression(w, rows, inner, depth - 1);
    return qkv__expression_multiply(t, one, random_expression(w, inner, columns, depth - 1));
}

/* ---- Rewriting by identities that hold ----------------------------------------------- */

static expression named(world *w, const char *text)
{
    return parse(&w->theory, text);
}

/* left * e, where left is square. */
static expression times(world *w, const char *left, expression e)
{
    return qkv__expression_multiply(&w->theory, named(w, left), e);
}

/* (a + b)*c = a*c + b*c, (a*b)*c = a*(b*c). */
static expression rewrite_product(world *w, expression e)
{
    qkv__theory *t = &w->theory;
    expression a = e->left->left, b = e->left->right, c = e->right;
    if (e->left->kind == QKV__EXPRESSION_SUM)
        return qkv__expression_add(t, qkv__expression_multiply(t, a, c),
                                   qkv__expression_multiply(t, b, c));
    if (e->left->kind == QKV__EXPRESSION_PRODUCT)
        return qkv__expression_multiply(t, a, qkv__expression_multiply(t, b, c));
    return e;
}

/* (a*b)' = b'*a', (a + b)' = a' + b'. */
static expression rewrite_transpose(world *w, expression e)
{
    qkv__theory *t = &w->theory;
    expression inner = e->left;
    if (inner->kind != QKV__EXPRESSION_PRODUCT && inner->kind != QKV__EXPRESSION_SUM) return e;
    expression a = qkv__expression_transpose(t, inner->left);
    expression b = qkv__expression_transpose(t, inner->right);
    return inner->kind == QKV__EXPRESSION_PRODUCT ? qkv__expression_multiply(t, b, a)
                                                  : qkv__expression_add(t, b, a);
}

/* softmax(e) = Q'*P'*softmax(P*Q*e) for n rows, and likewise behind for n or d columns. */
static expression rewrite_softmax(world *w, expression e)
{
    qkv__theory *t = &w->theory;
    bool tall = e->rows == w->n, wide = e->columns == w->n || e->columns == w->d;
    const char *behind = e->columns == w->d ? "R" : "P*Q";
    expression argument = e->left;
    if (tall) argument = times(w, "P*Q", argument);
    if (wide) argument = qkv__expression_multiply(t, argument, named(w, behind));
    expression made = qkv__expression_softmax(t, argument);
    if (tall) made = times(w, "Q'*P'", made);
    if (!wide) return made;
    return qkv__expression_multiply(t, made, qkv__expression_transpose(t, named(w, behind)));
}

/* A name by what the assumptions say of it. */
static expression rewrite_atom(world *w, expression e)
{
    const char *const pairs[][2] = {
        {"W", "R'*W*R"}, {"A", "A*A'*A"}, {"S", "S'"}, {"C", "W*V - 2*V"}, {"B", "B + A*A'*B"}};
    if (e->atom == atom(w, "N")) return parse(&w->theory, "P*softmax(P'*M*Q)*Q'");
    for (size_t i = 0; i < 5; i++)
        if (e->atom == atom(w, pairs[i][0])) return named(w, pairs[i][1]);
    return e;
}

/* e itself, written another way. */
static expression rewrite_any(world *w, expression e)
{
    qkv__theory *t = &w->theory;
    expression half = qkv__expression_scale(t, qkv__rational_make(1, 2), e);
    size_t choice = below(w, 4);
    if (choice == 0 && e->rows == w->n) return times(w, "P'*P", e);
    if (choice == 0 && e->rows == w->d) return times(w, "R*R'", e);
    if (choice == 1) return qkv__expression_add(t, half, half);
    if (choice == 2 && e->rows == w->one && e->columns == w->one)
        return qkv__expression_transpose(t, e);
    if (choice == 2) return qkv__expression_multiply(t, e, qkv__expression_identity(t, e->columns));
    return qkv__expression_transpose(t, qkv__expression_transpose(t, e));
}

static expression rewrite_truly(world *w, expression e)
{
    if (e->kind == QKV__EXPRESSION_PRODUCT) return rewrite_product(w, e);
    if (e->kind == QKV__EXPRESSION_TRANSPOSE) return rewrite_transpose(w, e);
    if (e->kind == QKV__EXPRESSION_SOFTMAX) return rewrite_softmax(w, e);
    if (e->kind == QKV__EXPRESSION_ATOM) return rewrite_atom(w, e);
    return rewrite_any(w, e);
}

/* ---- Rewriting by mistakes ----------------------------------------------------------- */

/* Something tempting of the same shape that is not the same in general. */
static expression rewrite_wrongly(world *w, expression e)
{
    qkv__theory *t = &w->theory;
    expression turned = qkv__expression_transpose(t, e);
    if (e->kind == QKV__EXPRESSION_SOFTMAX && e->rows == e->columns && below(w, 2) == 0)
        return qkv__expression_transpose(
            t, qkv__expression_softmax(t, qkv__expression_transpose(t, e->left)));
    if (e->kind == QKV__EXPRESSION_SOFTMAX && below(w, 2) == 0) return e->left;
    if (e->kind == QKV__EXPRESSION_PRODUCT && e->left->rows == e->left->columns &&
        e->right->rows == e->right->columns)
        return qkv__expression_multiply(t, e->right, e->left);
    if (e->kind == QKV__EXPRESSION_SUM) return e->left;
    if (e->rows == e->columns && below(w, 2) == 0) return turned;
    if (e->rows == w->n) return times(w, "P", e);
    return e->rows == w->d ? times(w, "A*A'", e) : e;
}

/* Rewrites one place of the tree; NULL when it grew too large. */
static expression rewrite_somewhere(world *w, expression e, bool truly)
{
    qkv__theory *t = &w->theory;
    if (e == NULL || e->left == NULL || below(w, 4) == 0)
        return e == NULL ? NULL : truly ? rewrite_truly(w, e) : rewrite_wrongly(w, e);
    bool right = e->right != NULL && below(w, 2) == 0;
    expression changed = rewrite_somewhere(w, right ? e->right : e->left, truly);
    expression one = right ? e->left : changed, two = right ? changed : e->right;
    switch (e->kind) {
    case QKV__EXPRESSION_SUM: return qkv__expression_add(t, one, two);
    case QKV__EXPRESSION_PRODUCT: return qkv__expression_multiply(t, one, two);
    case QKV__EXPRESSION_SCALE: return qkv__expression_scale(t, e->factor, one);
    case QKV__EXPRESSION_TRANSPOSE: return qkv__expression_transpose(t, one);
    default: return qkv__expression_softmax(t, one);
    }
}

static expression rewrite_often(world *w, expression e, bool truly)
{
    for (size_t times_left = 1 + below(w, 4); times_left > 0; times_left--)
        e = rewrite_somewhere(w, e, true);
    return truly ? e : rewrite_somewhere(w, e, false);
}

/* ---- The tests ----------------------------------------------------------------------- */

static void fail_pair(world *w, const char *what, expression left, expression right)
{
    qkv__text one = {0}, two = {0};
    qkv__expression_write(&w->theory, left, &one);
    qkv__expression_write(&w->theory, right, &two);
    fail_msg("%s: %s = %s", what, one.data, two.data);
}

static double largest_distance(world *w, expression left, expression right)
{
    return fmax(distance(&w->models[0], left, right), distance(&w->models[1], left, right));
}

/* Two expressions, the second made from the first. */
static void make_pair(world *w, bool truly, expression *left, expression *right)
{
    const int dimensions[] = {w->n, w->d, w->m, w->one};
    do {
        int rows = dimensions[below(w, 4)], columns = dimensions[below(w, 4)];
        *left = random_expression(w, rows, columns, 1 + (int)below(w, 4));
        *right = rewrite_often(w, *left, truly);
    } while (*right == NULL);
}

static void start_world(world *w, uint64_t seed)
{
    *w = (world){.source = {seed}};
    make_world(w);
}

/* What is proved is true; what is rewritten truly is nearly always proved. */
static void test_proofs_hold(void **state)
{
    (void)state;
    static world w;
    size_t proved[2] = {0, 0};
    for (int i = 0; i < EXPRESSIONS; i++) {
        if (i % 100 == 0) { /* softmax factors fill a theory up */
            qkv__arena_free(&w.theory.arena);
            start_world(&w, (uint64_t)i);
        }
        bool truly = i % 2 == 0;
        expression left, right;
        qkv__words_proof proof;
        make_pair(&w, truly, &left, &right);
        if (truly && largest_distance(&w, left, right) > ROUNDING)
            fail_pair(&w, "a wrong test", left, right);
        if (qkv__words_equal(&w.theory, left, right, &proof) != QKV__WORDS_PROVED) continue;
        proved[truly]++;
        if (!(largest_distance(&w, left, right) <= ROUNDING))
            fail_pair(&w, "proved, but false", left, right);
    }
    print_message("# proved %zu of %d true ones, %zu of %d spoilt ones\n", proved[1],
                  EXPRESSIONS / 2, proved[0], EXPRESSIONS / 2);
    assert_true(proved[1] > EXPRESSIONS / 2 * 95 / 100);
    qkv__arena_free(&w.theory.arena);
}

/* A witness is one, and what is proved has none. */
static void test_witnesses_refute(void **state)
{
    (void)state;
    static world w;
    size_t found = 0, false_ones = 0;
    const qkv__witness_limits limits = {.tries = 300, .largest = 4};
    for (int i = 0; i < WITNESSES; i++) {
        if (i % 50 == 0) {
            qkv__arena_free(&w.theory.arena);
            start_world(&w, 1000 + (uint64_t)i);
        }
        expression left, right;
        qkv__words_proof proof;
        qkv__witness witness;
        qkv__text text = {0};
        make_pair(&w, i % 4 == 0, &left, &right);
        bool proved = qkv__words_equal(&w.theory, left, right, &proof) == QKV__WORDS_PROVED;
        bool refuted = qkv__matrix_witness(&w.theory, left, right, &limits, &text, &witness) ==
                       QKV__WITNESS_FOUND;
        if (proved && refuted) fail_pair(&w, "both proved and refuted", left, right);
        if (refuted) check_witness(&w.theory, left, right, &witness);
        found += refuted;
        false_ones += largest_distance(&w, left, right) > 1e-6;
        qkv__text_free(&text);
    }
    print_message("# refuted %zu of %zu false ones\n", found, false_ones);
    assert_true(found > false_ones * 9 / 10);
    qkv__arena_free(&w.theory.arena);
}

/* ---- Any assumptions ----------------------------------------------------------------- */

/* Assumes a few equations between small random expressions; false when they contradict. */
static bool assume_anything(world *w)
{
    for (size_t left = 1 + below(w, 3); left > 0; left--) {
        expression one = random_expression(w, w->n, w->n, 1 + (int)below(w, 2));
        expression two = random_expression(w, w->n, w->n, (int)below(w, 2));
        if (qkv__theory_assume(&w->theory, one, two) != QKV_OK) return false;
    }
    return true;
}

/* The normal form of an expression as an expression; NULL when it is lost. */
static expression normal_form(world *w, expression e)
{
    qkv__words_proof proof;
    qkv__text text = {0};
    if (qkv__words_equal(&w->theory, e, e, &proof) != QKV__WORDS_PROVED) return NULL;
    qkv__words_write(&w->theory, proof.left, &text);
    expression made = parse(&w->theory, text.data);
    qkv__text_free(&text);
    return qkv__expression_agree(&w->theory, &e, &made) ? made : NULL;
}

/* Whatever was assumed, an expression and its normal form have no witness between them. */
static void test_rules_hold(void **state)
{
    (void)state;
    static world w;
    size_t changed = 0;
    const qkv__witness_limits limits = {.tries = 150, .largest = 3};
    const size_t theories = cases_of(THEORIES);
    for (size_t i = 0; i < theories; i++) {
        w = (world){.source = {5000 + i}};
        declare(&w.theory, "A[n,n] B[n,n] C[n,n] P[n]!");
        w.d = w.m = w.one = w.n = qkv__theory_dimension(&w.theory, "n");
        for (int k = assume_anything(&w) ? 0 : 8; k < 8; k++) {
            expression left = random_expression(&w, w.n, w.n, 3), right = normal_form(&w, left);
            qkv__witness witness;
            qkv__text text = {0};
            if (right == NULL) continue;
            if (qkv__matrix_witness(&w.theory, left, right, &limits, &text, &witness) ==
                QKV__WITNESS_FOUND)
                fail_pair(&w, text.data, left, right);
            changed += right->nodes < left->nodes;
        }
        qkv__arena_free(&w.theory.arena);
    }
    assert_true(changed > theories);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_proofs_hold),
        cmocka_unit_test(test_witnesses_refute),
        cmocka_unit_test(test_rules_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
