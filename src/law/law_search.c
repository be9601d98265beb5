/* Choosing beta: the least that keeps failures rare, the one with the least error, and those where
 * two designs are equally good. In closed form where there is one, else over a grid of beta and
 * then between its points. Knows designs by their laws alone. */
#include <math.h>

#include "base/error.h"
#include "law/law.h"
#include "law/law_normal.h"

enum { STEPS = 529, HALVINGS = 100, SECTIONS = 90 };

/* The law's numbers are not told apart below this: what is as good as the limit is the limit. */
static const double rounding = 1e-14;

static const double first_beta = 1e-3, ratio = 1.04; /* the grid: to 10^6 */

static double grid(int i)
{
    return first_beta * pow(ratio, i);
}

/* What is looked at as beta changes. */
typedef struct course {
    qkv_law_options options;
    qkv_design other;
    double (*value)(const struct course *course, double beta);
} course;

static qkv_law law_at(const course *c, qkv_design design, double beta)
{
    qkv_law law;
    qkv_law_options options = c->options;
    options.beta = beta;
    options.design = design;
    qkv__law_of(&options, &law);
    return law;
}

static double failure_at(const course *c, double beta)
{
    return law_at(c, c->options.design, beta).failure;
}

static double error_at(const course *c, double beta)
{
    return law_at(c, c->options.design, beta).error;
}

static double advantage_at(const course *c, double beta)
{
    return law_at(c, c->other, beta).error - error_at(c, beta);
}

/* ---- Search --------------------------------------------------------------------------------- */

/* The place between two where the value passes a level; it does not at `out`, but at `in`. */
static double pass(const course *c, double level, double out, double in)
{
    for (int i = 0; i < HALVINGS; i++) {
        double middle = 0.5 * (out + in);
        if (middle == out || middle == in) break;
        if (c->value(c, middle) <= level)
            in = middle;
        else
            out = middle;
    }
    return in;
}

/* The place of the least value between two, by golden sections: the value has one valley there. */
static double valley(const course *c, double low, double high)
{
    const double golden = 0.6180339887498949;
    double left = high - golden * (high - low), right = low + golden * (high - low);
    double at_left = c->value(c, left), at_right = c->value(c, right);
    for (int i = 0; i < SECTIONS && high - low > 1e-9 * high; i++) {
        if (at_left <= at_right) {
            high = right, right = left, at_right = at_left;
            left = high - golden * (high - low), at_left = c->value(c, left);
        } else {
            low = left, left = right, at_left = at_right;
            right = low + golden * (high - low), at_right = c->value(c, right);
        }
    }
    return at_left <= at_right ? left : right;
}

/* The least value over the grid and both limits, and where it is. */
static double lowest(const course *c, double *least)
{
    double best = 0, value = c->value(c, 0), limit = c->value(c, INFINITY);
    int found = -1;
    *least = value;
    for (int i = 0; i < STEPS; i++) {
        value = c->value(c, grid(i));
        if (value < *least) *least = value, best = grid(i), found = i;
    }
    if (found >= 0) {
        best = valley(c, found > 0 ? grid(found - 1) : 0, grid(found + 1));
        *least = c->value(c, best);
    }
    if (best > 0 && limit <= *least + rounding) *least = limit, best = INFINITY;
    return best;
}

/* ---- The least beta ------------------------------------------------------------------------- */

/* The least beta whose failure is allowed, below that of the least failure: the first of the grid,
 * and then the point between it and the one before. */
static void search_least(const course *c, double failure, qkv_least_beta *least)
{
    least->at = lowest(c, &least->least_failure);
    least->exists = least->least_failure <= failure;
    if (!least->exists || c->value(c, 0) <= failure) return;
    double before = 0, last = isinf(least->at) ? grid(STEPS) : least->at;
    for (int i = 0; i < STEPS && grid(i) < last; i++) {
        if (c->value(c, grid(i)) <= failure) {
            last = grid(i);
            break;
        }
        before = grid(i);
    }
    least->exists = c->value(c, last) <= failure;
    if (least->exists) least->beta = pass(c, failure, before, last);
}

/* The margin that a head needs when nothing is noisy: of one key over all others, or of all wanted
 * keys over the rest. */
static double margin(const qkv_law_options *o)
{
    double keys = (double)o->keys, wanted = (double)o->wanted;
    double odds = log1p(-o->tolerance) - log(o->tolerance);
    if (o->design == QKV_DESIGN_HEADS) return odds + log(keys - 1);
    return odds + log((keys - wanted) / wanted); /* -INFINITY when all are wanted */
}

/* A weight of 1 - tolerance needs beta*eps >= margin; beta that much larger than the margin that
 * eps is above margin/beta but for the chance allowed. */
static void least_for_one_key(const qkv_law_options *o, double failure, qkv_least_beta *least)
{
    double deviation = sqrt(o->noise), needed = margin(o);
    double reach = 1 + deviation * qkv__gauss_quantile(failure);
    *least = (qkv_least_beta){.least_failure = qkv__gauss_cdf(-1 / deviation), .at = INFINITY};
    if (needed <= 0) {
        *least = (qkv_least_beta){.exists = true};
        return;
    }
    least->exists = reach > 0;
    if (!least->exists) return;
    least->beta = needed / reach;
    if (o->wanted > 1) least->beta = fmax(least->beta, needed); /* for the heads without noise */
}

static bool is_felt(const qkv_law_options *o)
{
    if (o->noise == 0) return false;
    return o->design == QKV_DESIGN_IMMUNE ? o->other_noisy : !o->other_noisy;
}

qkv_status qkv_law_least_beta(const qkv_law_options *options, double failure, qkv_least_beta *least,
                              qkv_error *error)
{
    course c = {.options = *options, .value = failure_at};
    c.options.beta = 0;
    qkv_status status = qkv__law_check(&c.options, error);
    if (status != QKV_OK) return status;
    if (!(failure > 0 && failure < 1))
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "failure: got %g; expected above 0 and below 1",
                         failure);
    *least = (qkv_least_beta){.exists = false};
    if (!is_felt(options)) {
        *least = (qkv_least_beta){.exists = true, .beta = fmax(0, margin(options))};
        least->at = least->beta;
    } else if (options->design != QKV_DESIGN_IMMUNE &&
               (options->design == QKV_DESIGN_HEADS || options->wanted == 1)) {
        least_for_one_key(options, failure, least);
    } else {
        search_least(&c, failure, least);
    }
    return QKV_OK;
}

/* ---- The best beta -------------------------------------------------------------------------- */

qkv_status qkv_law_best_beta(const qkv_law_options *options, double *beta, qkv_law *law,
                             qkv_error *error)
{
    course c = {.options = *options, .value = error_at};
    c.options.beta = 0;
    qkv_status status = qkv__law_check(&c.options, error);
    if (status != QKV_OK) return status;
    double least;
    *beta = lowest(&c, &least);
    *law = law_at(&c, options->design, *beta);
    return QKV_OK;
}

qkv_status qkv_law_crossings(const qkv_law_options *options, qkv_design other, double *beta,
                             size_t capacity, size_t *count, bool *first_better, qkv_error *error)
{
    course c = {.options = *options, .other = other, .value = advantage_at};
    c.options.beta = 0;
    qkv_status status = qkv__law_check(&c.options, error);
    if (status != QKV_OK) return status;
    if (qkv_design_name(other) == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "other: got %d; expected single, heads or immune", (int)other);
    double before = c.value(&c, grid(0));
    *count = 0;
    *first_better = before > 0;
    for (int i = 1; i < STEPS; i++) {
        double next = c.value(&c, grid(i));
        if ((next > 0) != (before > 0)) {
            bool falls = before > 0;
            double place =
                pass(&c, 0, falls ? grid(i - 1) : grid(i), falls ? grid(i) : grid(i - 1));
            if (*count < capacity) beta[*count] = place;
            ++*count;
        }
        before = next;
    }
    return QKV_OK;
}
