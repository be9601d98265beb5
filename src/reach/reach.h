/*
 * Which attention weights can a query reach? For n keys k_i in d dimensions, given as numbers, and
 * weights a_i = softmax_i(k_i . q), this answers, with evidence that was checked again after
 * rounding:
 *
 *   copy     can a_j come as near to 1 as one likes?
 *   subset   can the weights tend to given ones on some of the keys and to 0 on the others?
 *   weights  can the weights be exactly a given strictly positive target?
 *   norm     the shortest query with a given margin
 *   scale    how far along a direction one must go for a given tolerance
 *
 * Every refusal rests on one fact. If multipliers c_i have sum c_i = 0 and sum c_i k_i = 0 (an
 * affine dependency of the keys), then sum c_i (k_i . q) = 0 and therefore
 *
 *     product a_i^c_i = 1    for every query q.
 *
 * For the keys -1, 0, 1 that is a_1 a_3 = a_2^2. A certificate is such a vector c.
 *
 * The keys are taken to be exactly the doubles they are. Decimals such as 0.1 are not doubles:
 * scale such keys to whole numbers first, which changes no answer but the length of the query.
 *
 * Nothing here prints or keeps state. Arrays in an answer live in the arena of the caller. Indexes
 * count from 0; the sentences in `text` count keys from 1, as the mathematics does.
 */
#ifndef QKV_REACH_REACH_H
#define QKV_REACH_REACH_H

#include <stdbool.h>
#include <stddef.h>

#include <qkv/status.h>

#include "base/arena.h"

typedef struct qkv__reach_problem {
    size_t count, width; /* n >= 1 and d >= 1 */
    const double *keys;  /* n x d, row after row; each 0 or of a size from 2^-400 to 2^400 */
} qkv__reach_problem;

/* The first two are proved, the next two are what the floating-point numbers say and no more. */
typedef enum qkv__reach_status {
    QKV__REACH_UNKNOWN = 0,      /* too near the border for double precision */
    QKV__REACH_REACHABLE,        /* proved: see query, offset, margin */
    QKV__REACH_IMPOSSIBLE,       /* proved: see multipliers, ceiling */
    QKV__REACH_SEEMS_REACHABLE,  /* holds up to rounding: query */
    QKV__REACH_SEEMS_IMPOSSIBLE, /* the certificate holds up to rounding: multipliers */
} qkv__reach_status;

typedef struct qkv__reach_answer {
    qkv__reach_status status;

    /* The evidence is itself the proof: it was checked in whole numbers, or has room for rounding.
     * Where a proved answer is not exact, exact evidence was shown to exist that differs from what
     * is given by the rounding of its computation alone. */
    bool exact;

    /*
     * d numbers; NULL where none was found. Copy and subset: a direction, |q_x| <= 1, and the
     * weights tend to the wanted ones at beta query + offset as beta grows. Weights: the query.
     */
    double *query;
    double *offset; /* d numbers, for weights that differ on a subset; NULL stands for 0 */

    /* Every key off the subset scores at least this much less along `query`; rounding is accounted
     * for. Infinite where there is no other key; 0 where nothing is claimed. */
    double margin;

    /* n numbers c with sum c_i = 0 and sum c_i k_i = 0; NULL where none was found. Whole numbers
     * if exact. For copy and subset c >= 0 off the subset; the convex combination of the keys off
     * the subset that meets the plane through the subset has weights proportional to it. */
    double *multipliers;

    /* Copy: a_j is at most this for every query, proved; 1 where nothing is. Not always the least
     * such number: that would take the combination of largest entropy. */
    double ceiling;

    /* Weights, also those on a subset: the singular values of the key differences, the largest
     * first, and the tolerance that they were held against: max(n - 1, d) 2^-52 times the largest,
     * the backward error of the decomposition. rank: how many are above it. */
    size_t singular_count, rank;
    double *singular_values;
    double tolerance;
    double mismatch; /* sum c_i ln(target_i), which every query makes 0; 0 where none was found */

    const char *text; /* one sentence without a full stop */
} qkv__reach_answer;

/* Can some query make a_key as near to 1 as one likes? If and only if k_key is a vertex of the
 * convex hull and no other key equals it. */
qkv_status qkv__reach_copy(const qkv__reach_problem *problem, size_t key, qkv__arena *arena,
                           qkv__reach_answer *answer, qkv_error *error);

/*
 * Can the weights tend to `weights` on the members (positive; only their ratios count; NULL:
 * uniform) and to 0 elsewhere? If and only if some q0 has the same score on all members and less
 * elsewhere, and some q1 has (k_s - k_r) . q1 = ln(w_s / w_r) on the members.
 */
qkv_status qkv__reach_subset(const qkv__reach_problem *problem, size_t member_count,
                             const size_t *members, const double *weights, qkv__arena *arena,
                             qkv__reach_answer *answer, qkv_error *error);

/* Does some query give exactly the weights `target` (n numbers, positive; only their ratios
 * count)? The query found is the shortest. */
qkv_status qkv__reach_weights(const qkv__reach_problem *problem, const double *target,
                              qkv__arena *arena, qkv__reach_answer *answer, qkv_error *error);

/* The shortest query of a margin. */
typedef struct qkv__reach_nearest {
    qkv__reach_status status; /* REACHABLE, SEEMS_REACHABLE, or UNKNOWN: no distance was found */
    double *query;            /* d numbers; NULL if UNKNOWN */
    double margin;            /* what the query has; at least what was asked for, if REACHABLE */
    double norm;              /* of the query */
    double norm_least;        /* no query of that margin is shorter; rounding is accounted for */
    double distance;          /* from the plane through the members to the others' hull */
    double *multipliers;      /* n numbers: the nearest points, as combinations: sum 1 and >= 0 off
                                 the members, sum -1 on them */
    double gap;               /* x.x - min x.z, 0 at the optimum: the Kuhn-Tucker residual */
} qkv__reach_nearest;

/* The shortest q whose score is the same on all members and at least `margin` less elsewhere. */
qkv_status qkv__reach_norm(const qkv__reach_problem *problem, size_t member_count,
                           const size_t *members, double margin, qkv__arena *arena,
                           qkv__reach_nearest *nearest, qkv_error *error);

typedef struct qkv__reach_scale {
    double least;      /* beta >= 0, by bisection on the softmax in doubles */
    double sufficient; /* beta from the margin alone, never less than what is needed */
} qkv__reach_scale;

/*
 * How large must beta be for the weights of beta query + offset (NULL: 0) to put at most
 * `tolerance`, in (0, 1), off the members? An error if some member does not score more along
 * query than every other key, rounding accounted for.
 */
qkv_status qkv__reach_leak(const qkv__reach_problem *problem, size_t member_count,
                           const size_t *members, const double *query, const double *offset,
                           double tolerance, qkv__reach_scale *scale, qkv_error *error);

#endif
