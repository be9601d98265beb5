/*
 * What the files share that make a claim's picture in numbers (qkv_scene). A portrait illustrates a
 * claim that was decided already: it is computed in doubles, at numbers chosen where the claim
 * leaves them open, and nothing rests on it. Where no picture fits there is none.
 */
#ifndef QKV_CLAIM_PORTRAY_H
#define QKV_CLAIM_PORTRAY_H

#include "claim/explain/explain.h"

/* A portrait under way. */
typedef struct qkv__portrait {
    qkv__lesson *lesson;
    const qkv__subjects *subjects;
    qkv__arena *arena; /* the report's */
    bool chosen[QKV__PARAMETERS];
    qkv__rational number[QKV__PARAMETERS];
    double value[QKV__PARAMETERS]; /* the numbers, and those of ln p */
} qkv__portrait;

/* The scene of the claim, in the arena; NULL: none fits. */
const qkv_scene *qkv__portray(qkv__lesson *lesson, const qkv__subjects *subjects,
                              qkv__arena *arena);

/* Samples of what is random in the claim (portray_random.c); NULL: that cannot be drawn. */
const qkv_scene *qkv__portray_random(qkv__portrait *portrait);

/* ---- Numbers (portray_numbers.c) --------------------------------------------------------- */

/* A ratio where the parameters have these values; exponentials may be large as long as their
 * quotient is not. NaN where it is not defined. */
double qkv__ratio_seen(qkv__ratio ratio, const double *values);
double qkv__surd_seen(const qkv__surd *surd, const double *values);

/* A number for the parameter that its bounds allow: the one it has, or one in keeping with the
 * limit that the claim takes. */
qkv__rational qkv__portrait_choose(const qkv__portrait *portrait, int parameter);

/* Sets value and number of every parameter of the algebra. */
void qkv__portrait_sit(qkv__portrait *portrait);

/* "n = 10, alpha = 1/100", for the parameters of the set that are numbers of the picture's. */
const char *qkv__portrait_at(const qkv__portrait *portrait, qkv__parameter_set set);

/* Parameters that a number depends on, but for ln p. */
qkv__parameter_set qkv__surd_parameters(const qkv__algebra *algebra, const qkv__surd *surd);

/* Decimals without a locale: "5.982". */
void qkv__write_decimal(qkv__text *text, double value);

/* ---- Texts ------------------------------------------------------------------------------- */

/* The text in the arena, and freed; cut to at most `most` characters. Never NULL. */
const char *qkv__portrait_keep(qkv__portrait *portrait, qkv__text *text, size_t most);

/* An expression as it is written. */
const char *qkv__portrait_words(qkv__portrait *portrait, const qkv__node *node, size_t most);

/* The comparison that a proposition comes down to; NULL: none, or one about what is bound. */
const qkv__node *qkv__portrait_comparison(const qkv__node *proposition);

#endif
