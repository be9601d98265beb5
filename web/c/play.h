/* The scene of the playground, for those who draw it. */
#ifndef QKV_WEB_PLAY_H
#define QKV_WEB_PLAY_H

#include <stdint.h>

#include <qkv/lab.h>
#include <qkv/law.h>

#include "page.h"

enum { PLAY_X, PLAY_Y, PLAY_ERROR, PLAY_WEIGHT }; /* what is kept of each sample */
enum { PLAY_BINS = 40 };

typedef struct play_scene {
    size_t keys, width, heads;
    bool orthonormal; /* means are the axes */
    size_t watched, head;

    double *copy; /* what JavaScript wrote; the pointers below lead into it */
    double alpha, radius;
    uint64_t seed;
    const double *target, *stretch, *means, *queries, *values;

    double *own_means;         /* the axes */
    double *weights, *outputs; /* without noise: heads x keys, heads x 2 */
    qkv_lab_noise *noises;

    /* Exact, where one key alone is noisy, along its own direction. */
    size_t noisy; /* `keys`: not so */
    bool has_law; /* the weight that is watched is the noisy key's */
    qkv_logit_normal law;
    bool has_failure; /* at most one head feels it */
    size_t feeling;   /* that head; `heads`: none */
    double failure, range[2];
} play_scene;

const play_scene *play_current(void);
const qkv_lab_sampler *play_sampler(void); /* NULL: no scene yet */

/* Forgets the sampler of single draws, which belongs to the scene before. */
void play_single_forget(void);

/* k_key . q_head of the mean keys. */
double play_score(const play_scene *s, size_t head, size_t key);

/* Below 0, the bins from 0 to 1, 1 and above; false when there is no scene. */
bool play_histogram(double counts[PLAY_BINS + 2]);

/* e^score over the keys, row by row: exponentials and weights (rows x keys), sums (rows). */
void play_softmax(const double *scores, size_t rows, size_t keys, double *exponentials,
                  double *weights, double *sums);

#endif
