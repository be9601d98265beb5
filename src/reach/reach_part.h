/*
 * What the files of reach share. A face is the question of a subset: its members on one side, all
 * other keys on the other. Candidates come from floating-point solvers; proofs decide what may be
 * said of them.
 */
#ifndef QKV_REACH_REACH_PART_H
#define QKV_REACH_REACH_PART_H

#include <stdint.h>

#include "reach/reach.h"

typedef struct qkv__reach_face {
    const qkv__reach_problem *problem;
    size_t member_count; /* at least 1 */
    const size_t *members;
    const bool *is_member; /* n flags, the same set */
} qkv__reach_face;

/* An affine dependency sum c_i k_i = 0, sum c_i = 0, by its terms that are not 0. */
typedef struct qkv__reach_dependency {
    size_t count;
    size_t *index;  /* of the key */
    double *value;  /* c */
    double *radius; /* the exact c is within this of the value */
    bool *is_off;   /* not a member: c > 0 here, and these sum to 1 until made whole */
} qkv__reach_dependency;

/* How much a candidate is worth, in rising order. */
typedef enum qkv__reach_proof {
    QKV__REACH_NOTHING,   /* not even up to rounding */
    QKV__REACH_NUMERICAL, /* up to rounding */
    QKV__REACH_ENCLOSED,  /* an exact one is near */
    QKV__REACH_EXACT,     /* it is one itself */
} qkv__reach_proof;

/*
 * The relative error of a sum of `terms` products in double precision, doubled: Higham's
 * gamma_n = n u / (1 - n u), u = 2^-53, is below n 2^-52 for n < 2^52 with room for the rounding
 * of the bound itself.
 */
static inline double qkv__reach_rounding(size_t terms)
{
    return (double)terms * 0x1p-52;
}

static inline const double *qkv__reach_key(const qkv__reach_problem *problem, size_t i)
{
    return problem->keys + i * problem->width;
}

/* The largest |entry| of the given keys (count of them; NULL: the first ones). */
double qkv__reach_largest(const qkv__reach_problem *problem, size_t count, const size_t *index);

/* ---- Candidates: reach_program.c, reach_nearest.c ----------------------------------------------
 */

/*
 * Maximises the margin of a direction over |q_x| <= 1. Fills query (d numbers) and multipliers
 * (n: a convex combination off the members, minus an affine one on them, as near to one another
 * as can be). *solved: whether the solver finished. Neither is to be believed.
 */
qkv_status qkv__reach_program(const qkv__reach_face *face, double *query, double *multipliers,
                              bool *solved, qkv_error *error);

/*
 * The pair of nearest points of the plane through the members and the hull of the others, of which
 * there is at least one: query becomes their difference x (d numbers), multipliers as above. gap:
 * x.x - min x.z. *solved as above.
 */
qkv_status qkv__reach_nearest_points(const qkv__reach_face *face, double *query,
                                     double *multipliers, double *gap, bool *solved,
                                     qkv_error *error);

/* ---- Proofs: reach_proof.c, reach_exact.c --------------------------------------------------- */

/* A lower bound of min over the others l of (k_s - k_l) . p, s the first member, over all p within
 * radius of query in every coordinate. */
double qkv__reach_margin(const qkv__reach_face *face, const double *query, double radius);

/* Whether a direction has the same score on all members and less elsewhere. May replace the query
 * by a neighbour that does so exactly. Sets *margin (0 where nothing holds). */
qkv__reach_proof qkv__reach_prove_face(const qkv__reach_face *face, qkv__arena *scratch,
                                       double *query, double *margin);

/* Room for a dependency of so many terms, with none in it yet; false without memory. */
bool qkv__reach_take_dependency(qkv__reach_dependency *dependency, size_t capacity,
                                qkv__arena *scratch);

/* Whether the dependency holds with c > 0 off the members. May refine the values or make them
 * whole, and sets the radii. */
qkv__reach_proof qkv__reach_prove_dependency(const qkv__reach_problem *problem, qkv__arena *scratch,
                                             qkv__reach_dependency *dependency);

/*
 * A x = b, A rows x columns, row after row, rows <= columns, all entries exact. True if A is
 * proved to have full row rank; then an exact solution lies within radius (columns numbers) of
 * `solution`, which comes in as a guess and goes out refined. b may have a relative error of
 * 2^-52.
 */
bool qkv__reach_enclose(size_t rows, size_t columns, const double *matrix, const double *right,
                        double *solution, double *radius, qkv__arena *scratch);

/* The values times their common denominator, with no common factor; false where that is not small.
 * A guess, since the values are rounded. */
bool qkv__reach_whole(size_t count, const double *values, int64_t *whole);

/* Whether sum whole_i value_i = 0, exactly; false also where 128 bits do not suffice. */
bool qkv__reach_sum_is_zero(size_t count, const int64_t *whole, const double *values);

/* ---- Weights: reach_weights.c --------------------------------------------------------------- */

/* Answers as qkv__reach_weights does, for arguments that were checked; the multipliers and the
 * text are left to the caller, who gets the dependency instead (count 0: none). */
qkv_status qkv__reach_solve(const qkv__reach_problem *problem, const double *target,
                            qkv__arena *arena, qkv__arena *scratch, qkv__reach_answer *answer,
                            qkv__reach_dependency *dependency, qkv_error *error);

/* ---- Arguments and words: reach.c, reach_text.c --------------------------------------------- */

qkv_status qkv__reach_check(const qkv__reach_problem *problem, size_t member_count,
                            const size_t *members, qkv_error *error);
qkv_status qkv__reach_check_positive(const char *name, size_t count, const double *values,
                                     qkv_error *error);

/* The flags of a checked subset; NULL without memory. */
bool *qkv__reach_flags(size_t count, size_t member_count, const size_t *members,
                       qkv__arena *scratch);

/* "no memory", as a status. */
qkv_status qkv__reach_no_memory(const qkv__arena *arena, qkv_error *error);

/* Sentences; NULL without memory. */
const char *qkv__reach_say_face(const qkv__reach_face *face, const qkv__reach_answer *answer,
                                const qkv__reach_dependency *dependency, qkv__arena *arena);
const char *qkv__reach_say_weights(const qkv__reach_answer *answer,
                                   const qkv__reach_dependency *dependency, qkv__arena *arena);

#endif
