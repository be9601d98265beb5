/* What the files of the table engine share: its values, and the steps from a node to a sign. */
#ifndef QKV_CLAIM_TABLE_PART_H
#define QKV_CLAIM_TABLE_PART_H

#include "ball/exponential_sum.h"
#include "ball/softmax.h"
#include "claim/model/evaluate.h"
#include "claim/model/table_file.h"
#include "claim/table/table.h"

/* ---- Values -------------------------------------------------------------------------------- */

/* lower <= the number <= upper; rounded outward, infinite beyond the doubles. */
typedef struct qkv__bounds {
    double lower, upper;
} qkv__bounds;

/* Keys or values: numbers, or one symbol per index. */
typedef struct qkv__table_family {
    const char *name;           /* "v", for what was found; "" for none */
    size_t count;               /* of vectors */
    const qkv__grid *grid;      /* count x width; NULL for symbols */
    const qkv__family *symbols; /* NULL for numbers */
    const void *origin;         /* the symbolic engine's family that it is a copy of; else NULL */
    bool padded;                /* made of axes: zeros at the end of the rows may be missing */
} qkv__table_family;

/* A product of powers of parameters, in halves as in terms. */
typedef struct qkv__monomial {
    int16_t power[QKV__PARAMETERS];
} qkv__monomial;

/* What is asked at: numbers for the parameters, and one that may grow without bound. */
typedef struct qkv__moment {
    qkv__rational value[QKV__PARAMETERS]; /* lost: not known */
    int limit;                            /* the parameter that tends to infinity; -1: none */
} qkv__moment;

/* One query against keys and values: score = sum of monomial * column. The rest is a cache of what
 * was worked out for the moment asked about last. */
typedef struct qkv__table_result {
    const qkv__table_family *keys, *values;
    size_t count; /* monomials */
    qkv__monomial *monomial;
    qkv__grid **score; /* rows of keys x 1, one a monomial */

    qkv__moment moment;
    qkv__softmax *softmax; /* NULL: nothing yet */
    arb_ptr combined;      /* columns of values; NULL: none yet */
    slong *precision;      /* of each, 0: not known */
} qkv__table_result;

/* A linear combination of rows, symbols and outputs. */
typedef enum qkv__piece_kind {
    QKV__PIECE_ROW,
    QKV__PIECE_SYMBOL,
    QKV__PIECE_OUTPUT
} qkv__piece_kind;

typedef struct qkv__piece {
    qkv__piece_kind kind;
    qkv__ratio factor;
    const qkv__table_family *family; /* ROW, SYMBOL */
    size_t index;                    /* ROW, SYMBOL: from 0 */
    const qkv__table_result *result; /* OUTPUT */
} qkv__piece;

typedef struct qkv__combination {
    size_t count;
    const qkv__piece *piece;
} qkv__combination;

/* Numbers: linear in weights, coordinates of outputs and scores where that is possible, since
 * those are decided exactly; else a tree of operations. */
typedef enum qkv__term_kind {
    QKV__TERM_WEIGHT,     /* of the key `index` of the result */
    QKV__TERM_SCORE,      /* the same */
    QKV__TERM_COORDINATE, /* `column` of the result's output */
    QKV__TERM_ENTRY,      /* `column` of row `index` of the family */
} qkv__term_kind;

typedef struct qkv__number_term {
    qkv__term_kind kind;
    qkv__rational factor;
    const qkv__table_result *result;
    const qkv__table_family *family;
    size_t index, column; /* from 0 */
} qkv__number_term;

typedef enum qkv__number_kind {
    QKV__NUMBER_LINEAR, /* constant + sum of terms */
    QKV__NUMBER_ADD,
    QKV__NUMBER_MULTIPLY,
    QKV__NUMBER_DIVIDE,
    QKV__NUMBER_POWER, /* x^power, whole and at least 0 */
    QKV__NUMBER_SIZE,  /* |x| */
    QKV__NUMBER_NORM,  /* of the vector */
    QKV__NUMBER_EXPONENTIAL,
    QKV__NUMBER_LOGARITHM,
    QKV__NUMBER_ROOT,
} qkv__number_kind;

typedef struct qkv__number {
    qkv__number_kind kind;
    qkv__ratio constant;
    size_t count;
    const qkv__number_term *term;
    const struct qkv__number *x, *y;
    const qkv__combination *vector;
    int power;
} qkv__number;

typedef enum qkv__quantity_kind {
    QKV__QUANTITY_NUMBER,
    QKV__QUANTITY_VECTOR,
    QKV__QUANTITY_FAMILY,
    QKV__QUANTITY_RESULT, /* of attention, or the mean of several: also a vector */
    QKV__QUANTITY_WEIGHTS,
    QKV__QUANTITY_SCORES,
    QKV__QUANTITY_HULL,
    QKV__QUANTITY_INDEX,
} qkv__quantity_kind;

typedef struct qkv__quantity {
    qkv__quantity_kind kind;
    const qkv__number *number;
    const qkv__combination *vector;  /* VECTOR, RESULT */
    const qkv__table_family *family; /* FAMILY, HULL */
    size_t head_count;               /* RESULT, WEIGHTS, SCORES */
    const qkv__table_result *const *head;
    size_t index; /* INDEX: from 1 */
} qkv__quantity;

const char *qkv__quantity_name(qkv__quantity_kind kind);

/* ---- Making values (table_value.c) --------------------------------------------------------- */

/* Gives back what tables hold outside of the arena, down to `kept`. */
void qkv__tables_free_since(qkv__model *model, const struct qkv__tables *kept);

/* Keeps what lives outside of the arena for as long as the model does. False: no memory, and then
 * it has been freed. */
bool qkv__tables_keep_grid(qkv__model *model, qkv__grid *grid);
bool qkv__tables_keep_result(qkv__model *model, qkv__table_result *result);

const qkv__number *qkv__number_constant(qkv__model *model, qkv__ratio ratio);
const qkv__number *qkv__number_of_term(qkv__model *model, qkv__number_term term);
const qkv__number *qkv__number_add(qkv__model *model, const qkv__number *x, const qkv__number *y,
                                   bool subtract);
const qkv__number *qkv__number_multiply(qkv__model *model, const qkv__number *x,
                                        const qkv__number *y);
const qkv__number *qkv__number_divide(qkv__model *model, const qkv__number *x,
                                      const qkv__number *y);
const qkv__number *qkv__number_apply(qkv__model *model, qkv__number_kind kind,
                                     const qkv__number *x);
const qkv__number *qkv__number_exponential(qkv__model *model, const qkv__number *x);

/* A plain number, free of attention. */
bool qkv__number_as_ratio(const qkv__number *number, qkv__ratio *ratio);

const qkv__combination *qkv__combination_of(qkv__model *model, qkv__piece piece);
const qkv__combination *qkv__combination_add(qkv__model *model, const qkv__combination *x,
                                             const qkv__combination *y, bool subtract);
const qkv__combination *qkv__combination_scale(qkv__model *model, const qkv__combination *x,
                                               qkv__ratio factor);

/* [x, y, z] of plain numbers, which may have parameters in them. */
const qkv__combination *qkv__combination_of_ratios(qkv__model *model, const qkv__ratio *entry,
                                                   size_t count, bool padded);

/* What the symbolic engine made of a node. */
bool qkv__quantity_of_value(qkv__evaluation *e, const qkv__node *node, const qkv__value *value,
                            qkv__quantity *quantity);

/* ---- Nodes (table_evaluate.c) and files (table_file.c) -------------------------------------- */

bool qkv__table_quantity(qkv__evaluation *e, const qkv__node *node, qkv__quantity *quantity);

/* The rows of a grid, which it takes over, as a family; a NULL grid is one that took too much. */
bool qkv__table_family_of(qkv__evaluation *e, const qkv__node *node, qkv__grid *grid,
                          qkv__quantity *quantity);

/* A whole number from 1 to count as an index: 7, or a bound i. */
bool qkv__table_index(qkv__evaluation *e, const qkv__node *node, size_t count, size_t *index);

/* ---- Attention (table_attend.c) ------------------------------------------------------------ */

bool qkv__table_attend(qkv__evaluation *e, const qkv__node *node,
                       const qkv__quantity *argument, /* query, keys, values */
                       qkv__ratio scale, qkv__quantity *quantity);

/* A score as a polynomial in the parameters; NULL where it does not fit. */
const qkv__number *qkv__table_score(qkv__model *model, const qkv__table_result *result,
                                    size_t index);

/* The softmax of a result at a moment; NULL with the failure set where a parameter is open. */
qkv__softmax *qkv__table_softmax(qkv__model *model, const qkv__table_result *result,
                                 const qkv__moment *moment, qkv__failure *failure);

/* The scores as slope * parameter + rest, where they are that at the moment; the caller frees both.
 * False with the failure set where another power or an open parameter is in them. */
bool qkv__table_slopes(qkv__model *model, const qkv__table_result *result,
                       const qkv__moment *moment, int parameter, qkv__grid **slope,
                       qkv__grid **rest, qkv__failure *failure);

/* A ball around one coordinate of the output at the moment of the softmax above. */
void qkv__table_coordinate(const qkv__table_result *result, size_t column, slong precision,
                           arb_t ball);

/* The value of a monomial without its powers of `apart` (-1: none); lost where a parameter is. */
bool qkv__monomial_value(const qkv__monomial *monomial, const qkv__moment *moment, int apart,
                         fmpq_t value);

/* The inner product of two combinations of rows and outputs, as a number. */
const qkv__number *qkv__table_dot(qkv__evaluation *e, const qkv__node *node,
                                  const qkv__combination *x, const qkv__combination *y);

/* ---- Numbers at a moment (table_number.c) --------------------------------------------------- */

/* A ball around a number; false with the failure set. */
bool qkv__number_ball(qkv__model *model, const qkv__number *number, const qkv__moment *moment,
                      slong precision, arb_t ball, qkv__failure *failure);

/* -1, 0 or 1, proved; QKV__SIGN_OPEN where it could not be told, with the failure set. */
int qkv__number_sign(qkv__model *model, const qkv__number *number, const qkv__moment *moment,
                     qkv__failure *failure);

/* The ratio as a rational number at a moment; false where it is none. */
bool qkv__ratio_at(qkv__model *model, qkv__ratio ratio, const qkv__moment *moment, fmpq_t value);

/* The numbers that must vanish for a vector to be zero: coordinates, or factors of symbols. */
typedef struct qkv__coordinates {
    size_t count;
    const qkv__number **number;
    const qkv__table_family *symbols; /* whose factors they are; NULL for coordinates */
    const size_t *index;              /* of each in the family */
} qkv__coordinates;

bool qkv__combination_coordinates(qkv__model *model, const qkv__combination *vector,
                                  const qkv__moment *moment, qkv__coordinates *coordinates,
                                  qkv__failure *failure);

/* ---- Numbers over a range (table_range.c) ---------------------------------------------------- */

/* The one parameter of a number that is open at a moment: -1 for none, -2 for several. */
int qkv__number_open_parameter(const qkv__model *model, const qkv__number *number,
                               const qkv__moment *moment);

/* A number whose sign is that of a sum of exponentials in the parameter; else false with the
 * failure set. The sum is to be freed in both cases. */
bool qkv__number_as_sum(qkv__model *model, const qkv__number *number, const qkv__moment *moment,
                        int parameter, qkv__exponential_sum *sum, qkv__failure *failure);

/* What is known of the sign of a number over the range of its one open parameter. */
typedef struct qkv__range_sign {
    bool positive, negative, zero; /* which signs may occur: proved not to where false */
    bool has_positive, has_negative;
    qkv__rational where_positive, where_negative; /* points where it is proved to have that sign */
} qkv__range_sign;

bool qkv__number_range_sign(qkv__model *model, const qkv__number *number, const qkv__moment *moment,
                            int parameter, qkv__range_sign *sign, qkv__failure *failure);

/* ---- Claims (table_compare.c) ---------------------------------------------------------------- */

enum { QKV__TABLE_SAME = 16 };

/* What a claim is asked under. */
typedef struct qkv__table_situation {
    qkv__model *model;
    const qkv__binding *locals;
    qkv__moment moment;
    bool has_tolerance;
    qkv__ratio tolerance;
    const qkv__node *index; /* i in 1..100, i not in {7}: the claim is meant for all such i */
    const qkv__node *asked; /* the whole claim, or what is asked of a least number */
    const qkv__node *node;  /* the comparison at hand, for complaints */
    qkv__bounds *span;      /* one of many: instead of each value, the range of all is told */
    size_t same_count;      /* rows that are given to be equal, v[3] = v[4] */
    struct {
        const char *family;
        size_t kept, other;
    } same[QKV__TABLE_SAME];
    bool strict;   /* of a least number: the inequality is */
    bool weakened; /* a premise was not taken: what fails without it may hold with it */
    qkv__finding *finding;
} qkv__table_situation;

/* Adds a sentence to the reason, once. */
void qkv__table_say(qkv__table_situation *s, const char *sentence);

/* Propositions joined by `and` find several things: they are listed. */
void qkv__table_begin_found(qkv__table_situation *s);

qkv__verdict qkv__table_conclude(qkv__table_situation *s, qkv__verdict verdict, const char *engine);
qkv__verdict qkv__table_undecided(qkv__table_situation *s, const char *reason);

/* The text is wrong at this place: there is no verdict. */
qkv__verdict qkv__table_ill_posed(qkv__table_situation *s, const qkv__node *culprit,
                                  const char *message);
qkv__verdict qkv__table_failed(qkv__table_situation *s, const qkv__failure *failure,
                               const qkv__node *culprit);

/* Two sides compared, and x in (outside of) a hull. */
qkv__verdict qkv__table_compare_numbers(qkv__table_situation *s, const qkv__number *x,
                                        const qkv__number *y, qkv__comparison comparison);
qkv__verdict qkv__table_compare_vectors(qkv__table_situation *s, const qkv__node *node,
                                        const qkv__combination *x, const qkv__combination *y);
qkv__verdict qkv__table_compare_hull(qkv__table_situation *s, const qkv__combination *x,
                                     const qkv__table_family *hull);

#endif
