/*
 * What a claim is asked under, and the words in which findings are told: shared by the files that
 * decide. A situation holds the conditions of a claim in the form that engines take: bounds of
 * parameters (in the model's algebra), parameters replaced by what a premise makes of them, limits,
 * a tolerance.
 */
#ifndef QKV_CLAIM_SITUATION_H
#define QKV_CLAIM_SITUATION_H

#include "ball/box.h"
#include "claim/premise/finding.h"

enum {
    QKV__LIMITS = 4,
    QKV__SUBSTITUTIONS = 24,
    QKV__INDEXES = 6,
    QKV__LEFT_OUT = 8,
    QKV__SITUATION_PREMISES = 48
};

/* A premise taken: the parameter is this form of the others, which may have a new one with a bound,
 * as in t = s + slack with slack >= 0 for the premise t >= s. */
typedef struct qkv__substitution {
    int parameter;
    const qkv__form *form;
    bool embedded; /* an inner product in coordinates, not a premise */
} qkv__substitution;

typedef struct qkv__passage {
    int parameter;
    bool infinite; /* grows without bound; else tends to the number */
    qkv__rational point;
} qkv__passage;

struct qkv__gap;

typedef struct qkv__situation {
    qkv__model *model;
    const qkv__binding *locals;
    const qkv__circumstances *circumstances;
    size_t limit_count;
    qkv__passage limit[QKV__LIMITS]; /* in order */
    bool has_tolerance;
    qkv__ratio tolerance;
    size_t index_count;
    const qkv__node *index[QKV__INDEXES]; /* i not in {a, b}: the claim is meant for all such i */
    size_t further_count;
    const qkv__node *further[QKV__INDEXES]; /* further conditions on the same indexes */
    size_t substitution_count;
    qkv__substitution substitution[QKV__SUBSTITUTIONS];
    size_t left_out_count;
    struct {
        qkv__ratio difference; /* > 0, or >= 0 */
        bool strict;
    } left_out[QKV__LEFT_OUT]; /* inequalities that are known and put into nothing */
    size_t premise_count;      /* past the array: there were more */
    const qkv__node *premise[QKV__SITUATION_PREMISES]; /* all that was to be taken as known */
    qkv__parameter_set slacks;   /* parameters that say by how much premises are more than met */
    qkv__parameter_set narrowed; /* parameters that a premise bounds */
    bool for_all;                /* a premise about every index is being taken */
    bool supposed; /* under the premise of an implication, which is not among the circumstances */
    bool sloping; /* a derivative is looked at: not that of a derivative, too */
    bool weakened; /* a premise was not understood: what fails without it may hold with it */
    const qkv__node *unused; /* such a premise, for the reason; NULL: another thing was left out */
    bool veiled; /* such a premise may be about what is random, and make its law another */
    qkv__finding *finding;

    /* Decides x ~ y where the gaps between them are random: by the engine of chance, which is above
     * comparisons. Who decides sets it; NULL where nothing is decided. */
    qkv__verdict (*decide_random_limit)(struct qkv__situation *s, const qkv__value *x,
                                        const struct qkv__gap *gaps, size_t count);
} qkv__situation;

/* ---- Telling ------------------------------------------------------------------------------- */

/* Adds a sentence to the reason, once. */
void qkv__situation_say(qkv__situation *s, const char *sentence);

/* Propositions joined by `and` find several things: they are listed. */
void qkv__situation_begin_found(qkv__situation *s);

qkv__verdict qkv__situation_conclude(qkv__situation *s, qkv__verdict verdict, const char *engine);
qkv__verdict qkv__situation_undecided(qkv__situation *s, const char *reason);

/* The text is wrong at this place: there is no verdict. */
qkv__verdict qkv__situation_ill_posed(qkv__situation *s, const qkv__node *culprit,
                                      const char *message);
qkv__verdict qkv__situation_failed(qkv__situation *s, const qkv__failure *failure,
                                   const qkv__node *culprit);

/* ---- What holds ---------------------------------------------------------------------------- */

/* A ratio under the premises: parameters that have one value or were replaced are. */
qkv__ratio qkv__situation_apply(const qkv__situation *s, qkv__ratio ratio);

/* Whether the premises can be met for certain: no parameter with bounds of its own, and no inner
 * product, was replaced. */
bool qkv__situation_is_free(const qkv__situation *s);

/* Whether a point at which a ratio was evaluated can be had: vectors with these inner products
 * exist and are independent, and parameters that a premise replaced keep within their bounds. A
 * refutation needs it, a proof does not. */
bool qkv__situation_admits(const qkv__situation *s, qkv__ratio ratio, const qkv__point *point);

/* The value that a parameter has at a point, seen through the premises; false when it is not a
 * rational number or does not follow from the point. */
bool qkv__situation_parameter_at(const qkv__situation *s, int parameter, const qkv__point *point,
                                 qkv__rational *value);

/* ---- Premises ------------------------------------------------------------------------------ */

/* What to return to: bounds, substitutions and names. */
typedef struct qkv__scope {
    qkv__parameter parameter[QKV__PARAMETERS];
    size_t parameter_count, substitution_count, left_out_count, premise_count;
    qkv__parameter_set narrowed;
    bool weakened, veiled;
    const qkv__node *unused;
    const qkv__binding *bindings;
} qkv__scope;

qkv__scope qkv__situation_open(const qkv__situation *s);
void qkv__situation_close(qkv__situation *s, const qkv__scope *scope);

/* What to return to for good: all of that, and what was made in the model since, parameters, inner
 * products and families. Nothing of it may be used any more. */
typedef struct qkv__memory {
    qkv__scope scope;
    qkv__given_product *given;
    qkv__unknown_product *unknown;
    qkv__spread *spreads;
    size_t family_count;
    qkv__parameter_set slacks;
} qkv__memory;

qkv__memory qkv__situation_remember(const qkv__situation *s);
void qkv__situation_forget(qkv__situation *s, const qkv__memory *memory);

/* ---- Members of index sets ----------------------------------------------------------------- */

/* Asks `ask` for every index of a domain (i in 1..n, i != j, i not in {a, b}) bound to its name;
 * for the unmarked ones by one generic index, under the premise that there is one. What is assumed
 * for one index is forgotten for the next, unless a premise for all of them is being taken. Stops
 * when ask returns false. False also when the domain makes no sense: then the failure says why. */
typedef bool qkv__ask(qkv__situation *s, void *context);
bool qkv__situation_each_index(qkv__situation *s, const qkv__node *domain, qkv__ask *ask,
                               void *context, qkv__failure *failure);

/* Whether a condition is an index that the claim is meant for all of. */
bool qkv__situation_is_index(const qkv__situation *s, const qkv__node *condition);

#endif
