/*
 * Enclosures: two doubles between which a number is proved to lie, and the same in decimals.
 *
 *     qkv__box box;
 *     qkv__enclosure weight;
 *     qkv__box_of_algebra(algebra, &box);
 *     qkv__box_fix(algebra, &box, beta, qkv__rational_whole(5));
 *     if (qkv__ball_enclose(algebra, ratio, &box, &weight)) puts(weight.text);
 *
 * No call of this room keeps anything between calls. FLINT takes its memory itself and aborts the
 * process when there is none; memory of this library's own that is not there gives an enclosure
 * that is not known.
 */
#ifndef QKV_BALL_ENCLOSURE_H
#define QKV_BALL_ENCLOSURE_H

#include "ball/box.h"
#include "ball/interval.h"
#include "exact/ratio.h"

enum { QKV__ENCLOSURE_TEXT = 96 };

typedef struct qkv__enclosure {
    bool known;                     /* else nothing below has a meaning */
    double lower, upper;            /* rounded outward; infinite beyond the doubles */
    char text[QKV__ENCLOSURE_TEXT]; /* "0.5", "2.71828182845905 +/- 2.4e-15", "[0.49, 0.51]" */
} qkv__enclosure;

/*
 * The values of a ratio over a box. Every number fixed: precision is raised until the relative
 * width is below 2^-50, or to a limit, after which the enclosure is as wide as it then is. A wider
 * box is cut into up to a few hundred parts; infinite ends are allowed. Points of the box where
 * the ratio is not defined (0/0, 1/0) take no part. Returns enclosure->known: false for a lost
 * ratio, an empty box, or when no finite enclosure was found.
 */
bool qkv__ball_enclose(const qkv__algebra *algebra, qkv__ratio ratio, const qkv__box *box,
                       qkv__enclosure *enclosure);

/* The interval as an enclosure; not known when an end is infinite, or when its ends are out of
 * order: then there were no values to enclose. */
void qkv__enclosure_set(qkv__enclosure *enclosure, const qkv__interval *interval);

/* The numbers from one rational to another, as an enclosure. */
void qkv__enclosure_set_rationals(qkv__enclosure *enclosure, qkv__rational lower,
                                  qkv__rational upper);

#endif
