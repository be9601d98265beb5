/* For tests of the words engine: expressions read from text, and an evaluation in numbers written
 * apart from the engine's. */
#ifndef TESTS_UNIT_WORDS_MODEL_H
#define TESTS_UNIT_WORDS_MODEL_H

#include "support/check.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "claim/words/matrix_witness.h"
#include "exact/words.h"

/* ---- Reading expressions, so that tests look like the mathematics ---------------------------- */

typedef struct reader {
    qkv__theory *theory;
    const char *at;
} reader;

typedef const qkv__expression *expression;

static inline expression read_sum(reader *r);

static inline bool take(reader *r, char c)
{
    while (*r->at == ' ') r->at++;
    if (*r->at != c) return false;
    r->at++;
    return true;
}

static inline expression read_name(reader *r)
{
    char name[32];
    size_t length = 0;
    while (isalnum((unsigned char)*r->at) || *r->at == '_') name[length++] = *r->at++;
    name[length] = '\0';
    if (strcmp(name, "I") == 0) return qkv__expression_identity(r->theory, QKV__ANY_SIZE);
    if (strcmp(name, "0") == 0)
        return qkv__expression_zero(r->theory, QKV__ANY_SIZE, QKV__ANY_SIZE);
    if (strcmp(name, "softmax") == 0) {
        if (!take(r, '(')) fail_msg("softmax without ( before %s", r->at);
        expression argument = read_sum(r);
        take(r, ')');
        return qkv__expression_softmax(r->theory, argument);
    }
    int atom = qkv__theory_find(r->theory, name);
    if (atom < 0) fail_msg("unknown name \"%s\"", name);
    return qkv__expression_atom(r->theory, atom);
}

/* name | (sum), with any number of ' behind. */
static inline expression read_factor(reader *r)
{
    expression e;
    if (take(r, '(')) {
        e = read_sum(r);
        take(r, ')');
    } else {
        e = read_name(r);
    }
    while (take(r, '\'')) e = qkv__expression_transpose(r->theory, e);
    return e;
}

/* [-] factors and numbers, joined by '*'. */
static inline expression read_product(reader *r)
{
    qkv__rational number = qkv__rational_whole(take(r, '-') ? -1 : 1);
    expression product = NULL;
    bool failed = false;
    do {
        take(r, ' ');
        if (isdigit((unsigned char)*r->at) && *r->at != '0') {
            char *end;
            qkv__rational read = qkv__rational_whole(strtoll(r->at, &end, 10));
            if (*end == '/')
                read = qkv__rational_divide(read, qkv__rational_whole(strtoll(end + 1, &end, 10)));
            r->at = end;
            number = qkv__rational_multiply(number, read);
            continue;
        }
        expression factor = read_factor(r);
        failed |= factor == NULL;
        product = product == NULL ? factor : qkv__expression_multiply(r->theory, product, factor);
        failed |= product == NULL;
    } while (take(r, '*'));
    return failed ? NULL : qkv__expression_scale(r->theory, number, product);
}

static inline expression read_sum(reader *r)
{
    expression sum = read_product(r);
    for (;;) {
        if (take(r, '+'))
            sum = qkv__expression_add(r->theory, sum, read_product(r));
        else if (take(r, '-'))
            sum = qkv__expression_subtract(r->theory, sum, read_product(r));
        else
            return sum;
    }
}

static inline expression parse(qkv__theory *theory, const char *text)
{
    reader r = {theory, text};
    expression e = read_sum(&r);
    if (e != NULL && *r.at != '\0') fail_msg("\"%s\" was not read from \"%s\" on", text, r.at);
    return e;
}

/* ---- Theories -------------------------------------------------------------------------------- */

/* One declaration of those below; how many characters it took. */
static inline int declare_one(qkv__theory *theory, const char *text)
{
    char name[16], rows[16], columns[16];
    int length = 0, atom = -1;
    if (sscanf(text, "%15[A-Za-z_0-9][%15[a-z],%15[a-z]]%n", name, rows, columns, &length) == 3) {
        int height = qkv__theory_dimension(theory, rows);
        atom = qkv__theory_matrix(theory, name, height, qkv__theory_dimension(theory, columns));
    } else if (sscanf(text, "%15[A-Za-z_0-9][%15[a-z]]%n", name, rows, &length) == 2) {
        int height = qkv__theory_dimension(theory, rows);
        bool permutes = text[length] == '!';
        atom = permutes ? qkv__theory_permutation(theory, name, height)
                        : qkv__theory_vector(theory, name, height);
        length += permutes;
    }
    if (atom < 0) fail_msg("cannot declare \"%s\": %s", text, theory->error.message);
    return length;
}

/* "X[n,d] P[n]! x[n]": matrices, permutations (!) and vectors. */
static inline void declare(qkv__theory *theory, const char *text)
{
    while (*text != '\0') {
        text += declare_one(theory, text);
        text += *text == ' ';
    }
}

static inline void assume(qkv__theory *theory, const char *left, const char *right)
{
    qkv_status status = qkv__theory_assume(theory, parse(theory, left), parse(theory, right));
    check_ok(status, &theory->error);
}

/* ---- An evaluation of its own -----------------------------------------------------------------
 */

enum { ENTRIES = 64 };

typedef struct dense {
    size_t rows, columns;
    double entry[ENTRIES];
} dense;

typedef struct model {
    size_t size[QKV__DIMENSIONS];
    dense atom[QKV__ATOMS];
} model;

static inline double at(const dense *m, size_t i, size_t j)
{
    return m->entry[i * m->columns + j];
}

static inline dense product_of(const dense *a, const dense *b)
{
    dense c = {a->rows, b->columns, {0}};
    for (size_t i = 0; i < c.rows; i++)
        for (size_t j = 0; j < c.columns; j++)
            for (size_t k = 0; k < a->columns; k++)
                c.entry[i * c.columns + j] += at(a, i, k) * at(b, k, j);
    return c;
}

static inline dense transpose_of(const dense *a)
{
    dense c = {a->columns, a->rows, {0}};
    for (size_t i = 0; i < c.rows; i++)
        for (size_t j = 0; j < c.columns; j++) c.entry[i * c.columns + j] = at(a, j, i);
    return c;
}

/* weight_j = 1/sum_k e^(s_k - s_j): another route than the engine's. */
static inline dense softmax_of(const dense *a)
{
    dense c = *a;
    for (size_t i = 0; i < a->rows; i++) {
        for (size_t j = 0; j < a->columns; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < a->columns; k++) sum += exp(at(a, i, k) - at(a, i, j));
            c.entry[i * a->columns + j] = 1.0 / sum;
        }
    }
    return c;
}

static inline dense combination_of(const dense *a, double factor, const dense *b, double other)
{
    dense c = *a;
    for (size_t i = 0; i < a->rows * a->columns; i++)
        c.entry[i] = factor * a->entry[i] + other * b->entry[i];
    return c;
}

static inline dense evaluate(const model *m, expression e)
{
    dense left = {0}, right = {0}, made = {m->size[e->rows], m->size[e->columns], {0}};
    if (e->left != NULL) left = evaluate(m, e->left);
    if (e->right != NULL) right = evaluate(m, e->right);
    switch (e->kind) {
    case QKV__EXPRESSION_ATOM: return m->atom[e->atom];
    case QKV__EXPRESSION_IDENTITY:
        for (size_t i = 0; i < made.rows; i++) made.entry[i * made.columns + i] = 1.0;
        return made;
    case QKV__EXPRESSION_ZERO: return made;
    case QKV__EXPRESSION_SUM: return combination_of(&left, 1.0, &right, 1.0);
    case QKV__EXPRESSION_PRODUCT: return product_of(&left, &right);
    case QKV__EXPRESSION_SCALE:
        return combination_of(&left, (double)e->factor.numerator / (double)e->factor.denominator,
                              &left, 0.0);
    case QKV__EXPRESSION_TRANSPOSE: return transpose_of(&left);
    case QKV__EXPRESSION_SOFTMAX: return softmax_of(&left);
    default: break; /* numbers and functions have tests of their own */
    }
    return made;
}

/* The largest difference of two sides, relative to their largest entry or 1. */
static inline double distance(const model *m, expression left, expression right)
{
    dense a = evaluate(m, left), b = evaluate(m, right);
    double apart = 0.0, size = 1.0;
    for (size_t i = 0; i < a.rows * a.columns; i++) {
        apart = fmax(apart, fabs(a.entry[i] - b.entry[i]));
        size = fmax(size, fmax(fabs(a.entry[i]), fabs(b.entry[i])));
    }
    return apart / size;
}

/* ---- Witnesses --------------------------------------------------------------------------------
 */

static inline model model_of(const qkv__theory *theory, const qkv__witness *witness)
{
    model m = {0};
    for (size_t i = 0; i < QKV__DIMENSIONS; i++) m.size[i] = witness->size[i];
    for (size_t a = 0; a < theory->atom_count; a++) {
        if (witness->entry[a] == NULL) continue;
        dense *d = &m.atom[a];
        d->rows = witness->size[theory->atom[a].rows];
        d->columns = witness->size[theory->atom[a].columns];
        assert_true(d->rows > 0 && d->columns > 0 && d->rows * d->columns <= ENTRIES);
        memcpy(d->entry, witness->entry[a], d->rows * d->columns * sizeof(double));
    }
    return m;
}

static inline bool is_permutation(const dense *m)
{
    dense turned = transpose_of(m), product = product_of(m, &turned);
    for (size_t i = 0; i < m->rows * m->columns; i++) {
        if (m->entry[i] != 0.0 && m->entry[i] != 1.0) return false;
        if (product.entry[i] != (i % (m->columns + 1) == 0 ? 1.0 : 0.0)) return false;
    }
    return true;
}

/* Everything that a witness promises, by the evaluation above. */
static inline void check_witness(const qkv__theory *theory, expression left, expression right,
                                 const qkv__witness *witness)
{
    model m = model_of(theory, witness);
    for (size_t a = 0; a < theory->atom_count; a++)
        if (theory->atom[a].permutation && witness->entry[a] != NULL)
            assert_true(is_permutation(&m.atom[a]));
    for (size_t i = 0; i < theory->equation_count; i++)
        assert_true(distance(&m, theory->equation[i].left, theory->equation[i].right) < 1e-12);
    assert_true(distance(&m, left, right) > 1e-8);
}

#endif
