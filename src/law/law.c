/*
 * Designs of queries and the laws of what they put out.
 *
 * The weight of every key in the output is linear in the weight X of the noisy key in the head that
 * feels its noise, base + slope*X, and the same for all keys of a class: the noisy one, the other
 * wanted ones, the others that are not. From these three and the law of X all numbers follow.
 */
#include "law/law.h"

#include <math.h>

#include "base/error.h"

/* Weights are sums of a few numbers below 1, so that what is less than this may be rounding alone:
 * a weight that should be at least something may miss it by that, since a beta that was computed to
 * make them equal must do; and a gap so small is none. */
static const double rounding = 1e-14;

typedef struct class
{
    double count;       /* of keys */
    double base, slope; /* of one key's weight in the output */
    double target;      /* what it should be */
} class;

enum { NOISY, WANTED, UNWANTED, CLASSES };

typedef struct spread {
    class classes[CLASSES];
    double low, high; /* no head fails where the noisy key's weight is between these */
    bool fails;       /* some other head fails whatever the noise */
} spread;

/* ---- Options -------------------------------------------------------------------------------- */

const char *qkv_design_name(qkv_design design)
{
    static const char *const names[] = {NULL, "single", "heads", "immune"};
    return (unsigned)design < 4 ? names[design] : NULL;
}

qkv_law_options qkv_law_default(void)
{
    return (qkv_law_options){.struct_size = sizeof(qkv_law_options),
                             .design = QKV_DESIGN_SINGLE,
                             .keys = 2,
                             .wanted = 2,
                             .beta = 1,
                             .noise = 0.5,
                             .tolerance = 0.01};
}

qkv_status qkv__law_check(const qkv_law_options *o, qkv_error *error)
{
    const qkv_status wrong = QKV_ERROR_ARGUMENT;
    if (o->struct_size != sizeof *o)
        return qkv__fail(error, wrong,
                         "options: struct_size is %zu; expected one from "
                         "qkv_law_default()",
                         o->struct_size);
    if (qkv_design_name(o->design) == NULL)
        return qkv__fail(error, wrong, "design: got %d; expected single, heads or immune",
                         (int)o->design);
    if (o->keys < 2) return qkv__fail(error, wrong, "keys: got %zu; expected at least 2", o->keys);
    if (o->wanted < 1 || o->wanted > o->keys)
        return qkv__fail(error, wrong, "wanted: got %zu; expected 1 to the number of keys, %zu",
                         o->wanted, o->keys);
    if (o->other_noisy && o->wanted == o->keys)
        return qkv__fail(error, wrong,
                         "other_noisy: all %zu keys are wanted; expected one that "
                         "is not",
                         o->keys);
    if (!(o->beta >= 0))
        return qkv__fail(error, wrong, "beta: got %g; expected at least 0", o->beta);
    if (!(o->noise >= 0 && o->noise <= 1e100))
        return qkv__fail(error, wrong, "noise: got %g; expected a variance, 0 to 1e100", o->noise);
    if (!(o->tolerance > 0 && o->tolerance < 1))
        return qkv__fail(error, wrong, "tolerance: got %g; expected above 0 and below 1",
                         o->tolerance);
    return QKV_OK;
}

/* ---- One query for all ---------------------------------------------------------------------- */

/*
 * A single query and an immune one give every other wanted key the same weight, and every other
 * unwanted key e^-beta of that: they differ in the score of the noisy key alone. With D = wanted +
 * unwanted e^-beta over the others, in units of one wanted key's exponential:
 *
 *     single, wanted noisy:  e^(beta (eps - 1)) / (that + D)        else the noise is not felt
 *     immune, other noisy:   e^(-beta eps) / (that + D)
 */
static void spread_one_query(const qkv_law_options *o, double beta, spread *s,
                             qkv_logit_normal *law)
{
    double wanted = s->classes[WANTED].count, unwanted = s->classes[UNWANTED].count;
    double fade = exp(-beta), part = 1.0 / (double)o->wanted;
    double log_sum =
        wanted > 0 ? log(wanted) + log1p(unwanted / wanted * fade) : log(unwanted) - beta;
    double one = wanted > 0 ? exp(-log_sum) : 0; /* of the rest, to one wanted key */
    double other = wanted > 0 ? fade * one : 1 / unwanted;
    bool felt = (o->design == QKV_DESIGN_IMMUNE) == o->other_noisy;
    law->location = (o->other_noisy ? -beta : 0) - log_sum;
    law->scale = felt ? beta * sqrt(o->noise) : 0;
    s->classes[NOISY].slope = 1;
    s->classes[WANTED].base = one;
    s->classes[WANTED].slope = -one;
    s->classes[UNWANTED].base = other;
    s->classes[UNWANTED].slope = -other;
    s->low = o->other_noisy ? 0 : (1 - o->tolerance) * part;
    s->high = wanted > 0 ? 1 - (1 - o->tolerance) * part * exp(log_sum) : 1;
}

/* ---- A head for each wanted key ------------------------------------------------------------- */

/* Every head gives its own key e^beta and all others 1; the noise is felt by the noisy key's own
 * head, if it has one. */
static void spread_heads(const qkv_law_options *o, double beta, spread *s, qkv_logit_normal *law)
{
    double keys = (double)o->keys, heads = (double)o->wanted, fade = exp(-beta);
    double own = 1 / (1 + (keys - 1) * fade), rest = fade * own;
    class *c = s->classes;
    s->low = o->other_noisy ? 0 : 1 - o->tolerance;
    s->high = 1;
    s->fails = (heads > 1 || o->other_noisy) && own < 1 - o->tolerance - rounding;
    if (o->other_noisy) {
        *law = (qkv_logit_normal){.location = -beta - log1p((keys - 2) * fade)};
        c[NOISY].slope = 1;
        c[WANTED].base = (own + (heads - 1) * rest) / heads;
        c[UNWANTED].base = rest;
        return;
    }
    *law = (qkv_logit_normal){.location = beta - log(keys - 1), .scale = beta * sqrt(o->noise)};
    double even = 1 / (keys - 1); /* of what the noisy key's head has left */
    c[NOISY].base = (heads - 1) * rest / heads;
    c[NOISY].slope = 1 / heads;
    c[WANTED].base = (even + own + (heads - 2) * rest) / heads;
    c[UNWANTED].base = (even + (heads - 1) * rest) / heads;
    c[WANTED].slope = c[UNWANTED].slope = -even / heads;
}

/* ---- The law -------------------------------------------------------------------------------- */

static void spread_init(const qkv_law_options *o, spread *s)
{
    double wanted = (double)o->wanted, unwanted = (double)(o->keys - o->wanted);
    *s = (spread){.fails = false};
    s->classes[NOISY].count = 1;
    s->classes[WANTED].count = o->other_noisy ? wanted : wanted - 1;
    s->classes[UNWANTED].count = o->other_noisy ? unwanted - 1 : unwanted;
    s->classes[NOISY].target = o->other_noisy ? 0 : 1 / wanted;
    s->classes[WANTED].target = 1 / wanted;
}

static double squared_bias(const spread *s, double mean)
{
    double sum = 0;
    for (int i = 0; i < CLASSES; i++) {
        const class *c = &s->classes[i];
        double gap = c->base - c->target + c->slope * mean;
        if (fabs(gap) > rounding) sum += c->count * gap * gap;
    }
    return sum;
}

static double squared_slope(const spread *s)
{
    double sum = 0;
    for (int i = 0; i < CLASSES; i++)
        sum += s->classes[i].count * s->classes[i].slope * s->classes[i].slope;
    return sum;
}

/* Without noise, a single query and an immune one spread their weights alike. */
static double leak_of(const qkv_law_options *o, double beta)
{
    double fade = exp(-beta), unwanted = (double)(o->keys - o->wanted), wanted = (double)o->wanted;
    if (o->design == QKV_DESIGN_HEADS) return unwanted * fade / (1 + ((double)o->keys - 1) * fade);
    return unwanted * fade / (wanted + unwanted * fade);
}

static double query_norm(const qkv_law_options *o)
{
    double keys = (double)o->keys, wanted = (double)o->wanted;
    switch (o->design) {
    case QKV_DESIGN_SINGLE: return o->beta * sqrt(wanted);
    case QKV_DESIGN_HEADS: return o->beta;
    case QKV_DESIGN_IMMUNE: return o->wanted == o->keys ? 0 : o->beta * sqrt(keys - wanted);
    }
    return NAN;
}

/* P(X < low) + P(X > high). Above 1/2 of a law lies what is below 1/2 of its mirror image. */
static double failure_of(const spread *s, qkv_logit_normal law)
{
    if (law.scale == 0)
        return qkv_logit_normal_between(law, s->low - rounding, s->high + rounding) > 0 ? 0 : 1;
    if (s->low >= s->high) return 1;
    qkv_logit_normal mirrored = {-law.location, law.scale};
    return qkv_logit_normal_cdf(law, s->low) + qkv_logit_normal_cdf(mirrored, 1 - s->high);
}

void qkv__law_of(const qkv_law_options *o, qkv_law *law)
{
    spread s;
    double beta = fmin(o->beta, QKV__BETA_LIMIT);
    bool heads = o->design == QKV_DESIGN_HEADS;
    *law = (qkv_law){.query_norm = query_norm(o)};
    spread_init(o, &s);
    (heads ? spread_heads : spread_one_query)(o, beta, &s, &law->weight);
    law->mean = qkv_logit_normal_mean(law->weight);
    law->variance = qkv_logit_normal_variance(law->weight);
    law->share = heads && !o->other_noisy ? 1 / (double)o->wanted : 1;
    law->covariance = law->share * law->share * law->variance;
    law->leak = leak_of(o, beta);
    law->bias = sqrt(squared_bias(&s, law->mean));
    law->error = law->bias * law->bias + squared_slope(&s) * law->variance;
    law->failure = s.fails ? 1 : failure_of(&s, law->weight);
}

qkv_status qkv_law_compute(const qkv_law_options *options, qkv_law *law, qkv_error *error)
{
    qkv_status status = qkv__law_check(options, error);
    if (status == QKV_OK) qkv__law_of(options, law);
    return status;
}
