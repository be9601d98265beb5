/* What the files of the search share: how instances are drawn, changed, kept and shown. */
#ifndef QKV_CLAIM_SEARCH_PART_H
#define QKV_CLAIM_SEARCH_PART_H

#include "replay/replay.h"

/* ---- search_choose.c ----------------------------------------------------------------------- */

size_t qkv__search_draw(qkv__replay *replay, size_t limit); /* in 0 ... limit - 1 */

/* Chooses sizes and fills all unknowns, larger and wilder with the level (0 to 3), so that the
 * premises that can be met by construction hold. False when that did not succeed. */
bool qkv__search_choose(qkv__replay *replay, int level, bool one_width);

/* The slots that may be changed one by one without breaking what an unknown is. */
bool qkv__slot_is_free(const qkv__replay *replay, size_t slot, const qkv__unknown **owner);
bool qkv__bounds_allow(const qkv__unknown *unknown, qkv__rational value);

/* ---- search_line.c: vectors on one line ----------------------------------------------------- */

/* Whether the vectors of this case are on one line: some are, where a proof is tried. Not where P
 * or E has few instances, which should be plain. */
bool qkv__search_takes_line(qkv__replay *replay, int level);

/* Fills a family, a vector or a matrix so; false where it is better drawn as in other cases. */
bool qkv__search_fill_line(qkv__replay *replay, const qkv__unknown *unknown, qkv__rational *entry);

/* Where premises of a proof do not hold, and one of them is an equation: members of a family that
 * are the same, the others opposite to them, if the premises hold then. Draws nothing. */
void qkv__search_tie(qkv__replay *replay);

/* ---- search_products.c --------------------------------------------------------------------- */

/* Whether a premise states an inner product. */
bool qkv__search_has_products(const qkv__node *premise);

/* Gives vectors the inner products and lengths that premises state, where coordinates suffice. */
void qkv__search_give_products(qkv__replay *replay);

/* ---- search_solve.c ------------------------------------------------------------------------ */

/* Changes slots one at a time so that equations among the premises hold exactly: what enters
 * linearly can be solved for. False when some equation is left. */
bool qkv__search_solve(qkv__replay *replay);

/* ---- search_shrink.c ----------------------------------------------------------------------- */

/* A case that is kept, with two numbers of the keeper's. */
typedef struct qkv__kept_case {
    size_t slot_count, dimension, value_dimension;
    qkv__rational slot[QKV__REPLAY_SLOTS];
    size_t rows[QKV__UNKNOWNS], columns[QKV__UNKNOWNS], offset[QKV__UNKNOWNS];
    bool axes[QKV__UNKNOWNS];
    double margin;
    size_t weight;
} qkv__kept_case;

void qkv__case_keep(const qkv__replay *replay, qkv__kept_case *kept);
void qkv__case_restore(qkv__replay *replay, const qkv__kept_case *kept);

/* Makes a counterexample smaller for as long as it stays one: fewer members and coordinates,
 * simpler numbers. Returns how much a reader has to take in; SIZE_MAX where the case is none. Stops
 * when the bench has done so many operations. */
size_t qkv__search_shrink(qkv__replay *replay, size_t operations);

/* ---- search_write.c ------------------------------------------------------------------------ */

/* "With n = 2, k = [1,0], q = [0]: k[1].q = 0 against k[2].q = 0." after a judgement. */
void qkv__search_write(const qkv__replay *replay, qkv__text *text);

/* Its last part: the comparison that fails. */
void qkv__search_write_comparison(const qkv__replay *replay, qkv__text *text);

/* The digits that tell the sides of the comparison apart that was seen: 4, or more where it must.
 */
int qkv__search_digits(const qkv__replay *replay);

/* ---- search_mentioned.c: numbers that a claim and its premises mention ----------------------- */

enum { QKV__MENTIONED = 32 };

typedef struct qkv__mentioned {
    size_t count, scale_count;
    qkv__rational number[QKV__MENTIONED]; /* that a parameter may be */
    qkv__rational scale[QKV__MENTIONED];  /* that take an unknown far out, or near to 0 */
} qkv__mentioned;

void qkv__search_mentioned(const qkv__replay *replay, qkv__mentioned *mentioned);

#endif
