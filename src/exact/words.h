/*
 * Matrices of symbolic size, and what can be said of them without knowing an entry: does
 *
 *     softmax(P*X*W*(P*X)')*P*X  =  P*softmax(X*W*X')*X
 *
 * hold for every X and W and every permutation P? A theory holds the names (X is n by d) and the
 * assumptions (A'*A = I). An expression is brought to normal form, a sum of rational multiples of
 * words, where a word is a product of names, transposed names and softmax factors:
 *
 *     qkv__theory theory = {0};
 *     int n = qkv__theory_dimension(&theory, "n"), d = qkv__theory_dimension(&theory, "d");
 *     int x = qkv__theory_matrix(&theory, "X", n, d), p = qkv__theory_permutation(&theory, "P", n);
 *     ... expressions, assumptions ...
 *     if (qkv__words_equal(&theory, left, right, &proof) == QKV__WORDS_PROVED) ...
 *     qkv__arena_free(&theory.arena);
 *
 * Where a theory has `numbers`, products of size 1 by 1, parameters, traces, determinants, ranks
 * and norms are letters too, which stand in front of the matrices and cancel; inverses are letters
 * with rules of their own. A case in which something has no value is none.
 *
 * Equal normal forms prove. Different ones decide nothing, since the rewriting rules need not be
 * complete: to refute, find a witness (claim/matrix_witness.h). Softmax is row-wise, so that of a
 * column it is all ones; the one thing known of it is that it moves past permutations of rows and
 * of columns: softmax(P*S*R) = P*softmax(S)*R.
 *
 * An expression lives in its theory's arena and is never changed. NULL is one that could not be
 * made, and theory->error says why; every function takes NULL and passes it on. No floating point
 * in this room.
 */
#ifndef QKV_EXACT_WORDS_H
#define QKV_EXACT_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include <qkv/status.h>

#include "base/arena.h"
#include "base/text.h"
#include "exact/rational.h"

enum {
    QKV__DIMENSIONS = 32,         /* in one theory */
    QKV__ATOMS = 64,              /* in one theory */
    QKV__EQUATIONS = 64,          /* assumed in one theory */
    QKV__ANY_SIZE = -1,           /* the dimension of an I or a 0 that takes what fits */
    QKV__EXPRESSION_DEPTH = 256,  /* levels */
    QKV__EXPRESSION_NODES = 4096, /* counted as a tree: what is shared counts each time */
};

/* A number of rows or of columns. */
typedef struct qkv__dimension {
    const char *name; /* "n", or "3" for a whole number */
    size_t size;      /* 0: any whole number from 1 on */
    size_t least;     /* for a named one, if more than 1: set by who knows that n >= 3 */
} qkv__dimension;

typedef struct qkv__atom {
    const char *name;
    int rows, columns; /* dimensions; a vector's columns are the whole number 1 */
    bool permutation;
    bool column; /* declared as a vector */
} qkv__atom;

typedef enum qkv__expression_kind {
    QKV__EXPRESSION_ATOM,
    QKV__EXPRESSION_IDENTITY,
    QKV__EXPRESSION_ZERO,
    QKV__EXPRESSION_SUM,       /* left + right */
    QKV__EXPRESSION_PRODUCT,   /* left * right */
    QKV__EXPRESSION_SCALE,     /* factor * left */
    QKV__EXPRESSION_TRANSPOSE, /* left' */
    QKV__EXPRESSION_SOFTMAX,   /* softmax(left), row by row */
    QKV__EXPRESSION_TIMES,     /* left, a number, times right */
    QKV__EXPRESSION_FUNCTION,  /* function(left) */
} qkv__expression_kind;

/* Functions of matrices and of numbers; the first ones are numbers themselves. */
typedef enum qkv__function {
    QKV__FUNCTION_PARAMETER, /* a number with a name, or a size */
    QKV__FUNCTION_TRACE,     /* also a product of size 1 by 1, as a number */
    QKV__FUNCTION_DETERMINANT,
    QKV__FUNCTION_RECIPROCAL,
    QKV__FUNCTION_ROOT,
    QKV__FUNCTION_RANK,
    QKV__FUNCTION_SPECTRAL, /* the largest singular value */
    QKV__FUNCTION_INVERSE,
    QKV__FUNCTION_ONES,     /* the vector of ones */
    QKV__FUNCTION_DIAGONAL, /* the matrix with a vector on its diagonal */
} qkv__function;

/* What an expression is, apart from its sizes: a matrix with one row is no row. */
typedef enum qkv__matrix_form {
    QKV__FORM_MATRIX,
    QKV__FORM_COLUMN,
    QKV__FORM_ROW,
    QKV__FORM_NUMBER,
} qkv__matrix_form;

typedef struct qkv__expression {
    qkv__expression_kind kind;
    int rows, columns; /* dimensions; QKV__ANY_SIZE only for I, multiples of I, and 0 */
    int atom;
    qkv__rational factor;
    qkv__matrix_form form;
    qkv__function function;
    const char *name; /* of a parameter */
    bool nonnegative; /* so is the parameter */
    const struct qkv__expression *left, *right;
    size_t depth, nodes;
} qkv__expression;

typedef struct qkv__equation {
    const qkv__expression *left, *right;
} qkv__equation;

typedef struct qkv__theory {
    qkv__arena arena;
    qkv_error error; /* of the last call that failed */
    size_t dimension_count, atom_count, equation_count;
    qkv__dimension dimension[QKV__DIMENSIONS];
    qkv__atom atom[QKV__ATOMS];
    size_t bound_count;
    qkv__equation bound[QKV__EQUATIONS];    /* left <= right, as given */
    qkv__equation equation[QKV__EQUATIONS]; /* as assumed; what permutations bring is not here */
    struct qkv__rules *rules;               /* the assumptions as rewriting rules */
    bool contradictory;                     /* the assumptions give I = 0 */
    size_t scratch; /* bytes that one question may take beside the arena; 0: what is usual */
    bool numbers;   /* set by who asks, before all else: products of size 1 by 1 are numbers */
} qkv__theory;

/* ---- Dimensions and names ------------------------------------------------------------------ */

/* The dimension of that name, new or known; -1 on failure. The name is copied. "3" is the whole
 * number. */
int qkv__theory_dimension(qkv__theory *theory, const char *name);

/* The dimension that is this whole number, from 1 on. */
int qkv__theory_size(qkv__theory *theory, size_t size);

/* A new name, unknown until now; its number, or -1 on failure. The name is copied. */
int qkv__theory_matrix(qkv__theory *theory, const char *name, int rows, int columns);
int qkv__theory_vector(qkv__theory *theory, const char *name, int rows);

/* A square matrix P about which P'*P = I and P*P' = I are known, and softmax's law. */
int qkv__theory_permutation(qkv__theory *theory, const char *name, int size);

/* The atom of that name, or -1. */
int qkv__theory_find(const qkv__theory *theory, const char *name);

/* ---- Expressions --------------------------------------------------------------------------- */

const qkv__expression *qkv__expression_atom(qkv__theory *theory, int atom);

/* I and 0. With QKV__ANY_SIZE they take their size from what they are added to, multiplied by or
 * compared with; a factor I of any size vanishes at once. */
const qkv__expression *qkv__expression_identity(qkv__theory *theory, int size);
const qkv__expression *qkv__expression_zero(qkv__theory *theory, int rows, int columns);

const qkv__expression *qkv__expression_add(qkv__theory *theory, const qkv__expression *left,
                                           const qkv__expression *right);
const qkv__expression *qkv__expression_subtract(qkv__theory *theory, const qkv__expression *left,
                                                const qkv__expression *right);
const qkv__expression *qkv__expression_multiply(qkv__theory *theory, const qkv__expression *left,
                                                const qkv__expression *right);
const qkv__expression *qkv__expression_scale(qkv__theory *theory, qkv__rational factor,
                                             const qkv__expression *left);
const qkv__expression *qkv__expression_transpose(qkv__theory *theory, const qkv__expression *left);
const qkv__expression *qkv__expression_softmax(qkv__theory *theory, const qkv__expression *left);

/*
 * Numbers, and functions of matrices, in theories with `numbers`: n*A, A/sqrt(d), trace(A*B). A
 * parameter has a name; that of a dimension is its size. TIMES is a number times anything.
 */
const qkv__expression *qkv__expression_number(qkv__theory *theory, qkv__rational number);
const qkv__expression *qkv__expression_parameter(qkv__theory *theory, const char *name,
                                                 bool nonnegative);
const qkv__expression *qkv__expression_ones(qkv__theory *theory, int rows);
const qkv__expression *qkv__expression_times(qkv__theory *theory, const qkv__expression *number,
                                             const qkv__expression *right);
const qkv__expression *qkv__expression_function(qkv__theory *theory, qkv__function function,
                                                const qkv__expression *left);

/* Gives an I or a 0 of any size on one side the size of the other side; false, with an error that
 * names both shapes, when the sides cannot be compared. */
bool qkv__expression_agree(qkv__theory *theory, const qkv__expression **left,
                           const qkv__expression **right);

/* "P*softmax(X*W_Q*W_K'*X')*X*W_V", readable by the claim language. "?" for NULL. */
void qkv__expression_write(const qkv__theory *theory, const qkv__expression *expression,
                           qkv__text *text);

/* ---- Assumptions --------------------------------------------------------------------------- */

/* Assumes left = right. Fails when the sides cannot be compared, when there is no room, and when
 * the assumptions together give I = 0, of which no matrices are an example. */
qkv_status qkv__theory_assume(qkv__theory *theory, const qkv__expression *left,
                              const qkv__expression *right);

/* Takes left <= right for given, of numbers in a theory with `numbers`: questions of order use it.
 */
void qkv__theory_bound(qkv__theory *theory, const qkv__expression *left,
                       const qkv__expression *right);

/* ---- Verdicts ------------------------------------------------------------------------------ */

typedef struct qkv__words qkv__words; /* a normal form */

typedef enum qkv__words_verdict {
    QKV__WORDS_PROVED,
    QKV__WORDS_UNKNOWN,   /* the normal forms differ */
    QKV__WORDS_LOST,      /* a bound or memory was exhausted, or the assumptions contradict */
    QKV__WORDS_ILL_POSED, /* the shapes do not fit */
} qkv__words_verdict;

/* All of it in the theory's arena. */
typedef struct qkv__words_proof {
    const qkv__words *left, *right; /* normal forms; NULL when lost */
    size_t step_count;
    const char *const *step; /* rules used, in order, without repeats: "P'*P = I" */
} qkv__words_proof;

/* Whether left = right follows from the assumptions. theory->error says why for the last two
 * verdicts. */
qkv__words_verdict qkv__words_equal(qkv__theory *theory, const qkv__expression *left,
                                    const qkv__expression *right, qkv__words_proof *proof);

/* The same for left <= right, of numbers in a theory with `numbers`. */
qkv__words_verdict qkv__words_at_most(qkv__theory *theory, const qkv__expression *left,
                                      const qkv__expression *right, qkv__words_proof *proof);

/* A normal form as text, as above. */
void qkv__words_write(const qkv__theory *theory, const qkv__words *words, qkv__text *text);

typedef struct qkv__words_solution {
    const qkv__expression *matrix; /* M; NULL unless proved */
    qkv__words_proof proof;        /* of M*given = wanted */
    size_t missing_count;
    const char *const *missing; /* what would have to be known: "A'*B = 0" */
} qkv__words_solution;

/*
 * Looks for one M with M*given = wanted for all values of the `free` atoms, which stand last in
 * every word: given = A*s + B*t and wanted = A*s with s and t free. With given = sum C_v*v and
 * wanted = sum D_v*v the proposal is M = sum D_v*C_v', which does it when C_v'*C_v = I and
 * C_v'*C_u = 0 wherever D_v is not 0. UNKNOWN says that this proposal could not be proved, and
 * what was missing, never that there is no M.
 */
qkv__words_verdict qkv__words_find(qkv__theory *theory, const qkv__expression *given,
                                   const qkv__expression *wanted, const int *free_atoms,
                                   size_t free_count, qkv__words_solution *solution);

#endif
