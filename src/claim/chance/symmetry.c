/*
 * Symmetries of jointly normal numbers, found by trying. Knows the laws of parameters; nothing of
 * propositions. Floating point chooses what to try, and is no part of a proof.
 *
 * Let X_p be the normal parameters that f and g depend on, m_p their means and C their covariances.
 * For a permutation t with C(t(p), t(q)) = C(p, q) and a sign, the numbers m_p +- (X_t(p) - m_t(p))
 * are jointly normal with the means and covariances of the X_p: they have the same joint law. So
 * f of them has the law of f, and if g = c*f of them, as an identity of exponential polynomials, g
 * has the law of c*f. Likewise for g = c +- f of them. If f + f reflected is a number, half of it
 * is E f, provided that there is an expectation: x e^(x^2) is odd, and has none.
 *
 * Scores of many keys beside the picked ones enter as one key that stands for them, and as b, what
 * the others come to together (exact/space.h). b is made of other keys than all X_p, hence
 * independent of them, as long as no X_p is a sum over all these keys: the argument then holds for
 * every value of b, and so on average over b.
 *
 * Shares: if D is a sum of positive terms d_t, the shares d_t/D sum to 1. If the share of every t
 * has the law of c_t times that of the first, then E(first share) = 1/(sum of c_t). The term of b
 * is the sum of the other keys' terms; each of these has the law of the key that stands for them
 * all, since D does not change when the two change places. That needs scores of one law: they may
 * differ by noise alone.
 */
#include "claim/chance/symmetry.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "claim/chance/moment.h"
#include "claim/model/random_parameters.h"
#include "exact/sign.h"

enum { NUMBERS = 12, GROUPS = 64, TRIES = 200, STEPS = 20000, ROOM = 16 << 20 };

typedef struct search {
    qkv__situation *s;
    size_t count; /* of numbers */
    int parameter[NUMBERS], shadow[NUMBERS];
    qkv__ratio mean[NUMBERS];
    int covariance[NUMBERS][NUMBERS]; /* equal numbers for equal covariances */
    size_t image[NUMBERS];
    bool taken[NUMBERS], reflected;
    size_t pair_count;
    const qkv__ratio *f, *g;
    qkv__multiple *how;
    size_t tries, steps;
    size_t room; /* bytes that the arena may have taken before this is given up */
} search;

/* ---- The numbers --------------------------------------------------------------------- */

static bool is_spread(const qkv__model *model, int parameter)
{
    for (const qkv__spread *b = model->space.spreads; b != NULL; b = b->next)
        if (b->parameter == parameter) return true;
    return false;
}

/* Whether a product is that of one random query with the key that stands for the others, of keys at
 * right angles: its products with different keys are independent. */
static bool is_query_product(const qkv__unknown_product *u)
{
    qkv__symbol noise = u->x.family->noise ? u->x : u->y, other = u->x.family->noise ? u->y : u->x;
    return noise.family->set == NULL && other.member == QKV__GENERIC && !other.family->noise &&
           other.family->gram == QKV__GRAM_UNIFORM && qkv__ratio_is_zero(other.family->different);
}

/* Whether what is random in the scores behind b is noise of these keys alone, or the products of a
 * random query with them. */
static bool is_apart(const qkv__model *model, int parameter)
{
    for (const qkv__spread *b = model->space.spreads; b != NULL; b = b->next)
        for (int p = 0; b->parameter == parameter && p < (int)model->algebra.parameter_count; p++) {
            const qkv__unknown_product *u = qkv__random_product(model, p);
            if (!qkv__ratio_depends_on(b->score, p) || !qkv__random_is(model, p)) continue;
            if (u == NULL || u->x.family->noise == u->y.family->noise ||
                ((u->x.family->noise ? u->x : u->y).member != QKV__GENERIC && !is_query_product(u)))
                return false;
        }
    return true;
}

/* Whether a number is independent of all products of a random query with the keys behind b: it is
 * made of other noise, or is the product of the query with a key that is not among them. */
static bool is_beside(const qkv__model *model, const qkv__spread *b, int parameter)
{
    const qkv__unknown_product *own = qkv__random_product(model, parameter);
    if (own == NULL) return true;
    const qkv__symbol sides[] = {own->x, own->y};
    for (int p = 0; p < (int)model->algebra.parameter_count; p++) {
        const qkv__unknown_product *u = qkv__random_product(model, p);
        if (u == NULL || !qkv__ratio_depends_on(b->score, p) || !is_query_product(u)) continue;
        const qkv__family *query = (u->x.family->noise ? u->x : u->y).family;
        const qkv__family *keys = (u->x.family->noise ? u->y : u->x).family;
        for (int i = 0; i < 2; i++)
            if (sides[i].family == query &&
                (sides[1 - i].family != keys || sides[1 - i].member == QKV__REST))
                return false;
    }
    return true;
}

/* The same for all numbers and all b that some ratios depend on. */
static bool are_beside(const search *x, const qkv__ratio *ratios, size_t count)
{
    const qkv__model *model = x->s->model;
    for (const qkv__spread *b = model->space.spreads; b != NULL; b = b->next)
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < x->count && qkv__ratio_depends_on(ratios[i], b->parameter); k++)
                if (!is_beside(model, b, x->parameter[k])) return false;
    return true;
}

static bool is_sum(const qkv__model *model, int parameter)
{
    const qkv__unknown_product *u = qkv__random_product(model, parameter);
    return u != NULL && ((u->x.family->noise && u->x.member == QKV__REST) ||
                         (u->y.family->noise && u->y.member == QKV__REST));
}

/* The normal parameters of some ratios; false where something else is random in them. */
static bool collect(search *x, const qkv__ratio *ratios, size_t count)
{
    qkv__model *model = x->s->model;
    bool spread = false, sum = false;
    for (int p = 0; p < (int)model->algebra.parameter_count; p++) {
        bool known = false, there = false;
        for (size_t i = 0; i < count; i++) there = there || qkv__ratio_depends_on(ratios[i], p);
        for (size_t i = 0; i < x->count; i++) known = known || x->parameter[i] == p;
        if (!there || known || !qkv__random_is(model, p)) continue;
        if (is_spread(model, p)) {
            if (!is_apart(model, p)) return false;
            spread = true;
            continue;
        }
        sum = sum || is_sum(model, p);
        if (x->count == NUMBERS || !qkv__moment_of_parameter(x->s, p, &x->mean[x->count]))
            return false;
        x->parameter[x->count++] = p;
    }
    return !(spread && sum);
}

static bool fill_covariances(search *x)
{
    qkv__algebra *algebra = &x->s->model->algebra;
    qkv__ratio seen[NUMBERS * NUMBERS];
    int kinds = 0;
    for (size_t i = 0; i < x->count; i++)
        for (size_t j = 0; j <= i; j++) {
            qkv__ratio c;
            int kind = 0;
            if (!qkv__moment_of_parameters(x->s, x->parameter[i], x->parameter[j], &c))
                return false;
            while (kind < kinds && !qkv__ratio_equal(algebra, seen[kind], c)) kind++;
            if (kind == kinds) seen[kinds++] = c;
            x->covariance[i][j] = x->covariance[j][i] = kind;
        }
    return true;
}

/* Parameters that stand in while others change places. */
static bool make_shadows(search *x)
{
    for (size_t i = 0; i < x->count; i++) {
        char name[32];
        snprintf(name, sizeof name, "shadow %zu", i + 1);
        x->shadow[i] = qkv__parameter_find(&x->s->model->algebra, name);
        if (x->shadow[i] < 0) x->shadow[i] = qkv__parameter_add(&x->s->model->algebra, name);
        if (x->shadow[i] < 0) return false;
    }
    return true;
}

static bool prepare(search *x, const qkv__ratio *f, const qkv__ratio *g, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (qkv__ratio_is_lost(f[i]) || qkv__ratio_is_lost(g[i])) return false;
    return collect(x, f, count) && collect(x, g, count) && are_beside(x, f, count) &&
           are_beside(x, g, count) && fill_covariances(x) && make_shadows(x);
}

/* ---- Images -------------------------------------------------------------------------- */

/* A ratio over a single term, as a form; NULL where there is none. */
static const qkv__form *as_form(qkv__algebra *algebra, qkv__ratio ratio)
{
    if (qkv__ratio_is_lost(ratio) || ratio.denominator->count != 1) return NULL;
    return qkv__form_divide_by_term(algebra, ratio.numerator, &ratio.denominator->term[0]);
}

/* m_p +- (X_t(p) - m_t(p)) */
static const qkv__form *image_of(search *x, size_t i)
{
    qkv__algebra *algebra = &x->s->model->algebra;
    size_t to = x->image[i];
    qkv__ratio there = qkv__ratio_of_form(algebra, qkv__form_parameter(algebra, x->parameter[to]));
    qkv__ratio away = qkv__ratio_subtract(algebra, there, x->mean[to]);
    return as_form(algebra, x->reflected ? qkv__ratio_subtract(algebra, x->mean[i], away)
                                         : qkv__ratio_add(algebra, x->mean[i], away));
}

static qkv__ratio moved(search *x, qkv__ratio f)
{
    qkv__algebra *algebra = &x->s->model->algebra;
    for (size_t i = 0; i < x->count; i++)
        f = qkv__ratio_substitute(algebra, f, x->parameter[i],
                                  qkv__form_parameter(algebra, x->shadow[i]));
    for (size_t i = 0; i < x->count; i++)
        f = qkv__ratio_substitute(algebra, f, x->shadow[i], image_of(x, i));
    return f;
}

/* At the means, and with 0 for what is not normal: a number that is not random. */
static qkv__ratio at_means(search *x, qkv__ratio f)
{
    qkv__model *model = x->s->model;
    qkv__algebra *algebra = &model->algebra;
    for (size_t i = 0; i < x->count; i++)
        f = qkv__ratio_substitute(algebra, f, x->parameter[i], as_form(algebra, x->mean[i]));
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (qkv__random_is(model, p) && !qkv__ratio_is_lost(f) && qkv__ratio_depends_on(f, p))
            f = qkv__ratio_substitute(algebra, f, p, qkv__form_whole(algebra, 0));
    return f;
}

/* g = factor*(f moved), or shift +- (f moved)? */
static bool is_multiple(search *x, qkv__ratio f, qkv__ratio g, qkv__multiple *how)
{
    qkv__algebra *algebra = &x->s->model->algebra;
    qkv__ratio image = moved(x, f), zero = qkv__ratio_whole(algebra, 0);
    if (qkv__ratio_is_lost(image)) return false;
    qkv__ratio here = at_means(x, g), there = at_means(x, image);
    *how = (qkv__multiple){.factor = qkv__ratio_divide(algebra, here, there), .shift = zero};
    if (!qkv__ratio_is_lost(how->factor) &&
        qkv__ratio_equal(algebra, g, qkv__ratio_multiply(algebra, how->factor, image)))
        return true;
    for (int sign = -1; sign <= 1; sign += 2) {
        how->factor = qkv__ratio_whole(algebra, sign);
        qkv__ratio part = qkv__ratio_multiply(algebra, how->factor, image);
        how->shift =
            qkv__ratio_subtract(algebra, here, qkv__ratio_multiply(algebra, how->factor, there));
        if (!qkv__ratio_is_lost(how->shift) &&
            qkv__ratio_equal(algebra, g, qkv__ratio_add(algebra, part, how->shift)))
            return true;
    }
    return false;
}

/* ---- A first look in floating point -------------------------------------------------- */

/* Two sets of values for all parameters that differ in what is random alone; positive, since roots
 * may be taken. */
static void choose_values(search *x, double value[2][QKV__PARAMETERS])
{
    const qkv__model *model = x->s->model;
    uint64_t state = 88172645463325252u;
    for (int p = 0; p < (int)model->algebra.parameter_count; p++)
        for (int k = 0; k < 2; k++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            double next = 0.25 + 0.5 * (double)(state >> 11) * 0x1p-53;
            value[k][p] = k == 1 && !qkv__random_is(model, p) ? value[0][p] : next;
        }
}

static double form_value(const qkv__algebra *algebra, const qkv__form *form, const double *value)
{
    double sum = 0.0;
    for (size_t i = 0; i < form->count; i++) {
        const qkv__term *term = &form->term[i];
        double product = qkv__rational_approximate(term->coefficient);
        for (int p = 0; p < (int)algebra->parameter_count; p++)
            if (term->power[p] != 0) product *= pow(value[p], 0.5 * term->power[p]);
        if (term->exponent != NULL) product *= exp(form_value(algebra, term->exponent, value));
        sum += product;
    }
    return sum;
}

static double ratio_value(search *x, qkv__ratio f, const double *value)
{
    const qkv__algebra *algebra = &x->s->model->algebra;
    return form_value(algebra, f.numerator, value) / form_value(algebra, f.denominator, value);
}

static bool is_near(double x, double y)
{
    return fabs(x - y) <= 1e-9 * (fabs(x) + fabs(y));
}

/* Whether g over the image of f, their difference or their sum is the same number for two values of
 * what is random. A mistake here costs a try, or a symmetry that is not seen. */
static bool may_fit(search *x)
{
    double value[2][QKV__PARAMETERS], image[QKV__PARAMETERS], f[QKV__ALIKE][2], g[QKV__ALIKE][2];
    choose_values(x, value);
    for (int k = 0; k < 2; k++) {
        memcpy(image, value[k], sizeof image);
        for (size_t i = 0; i < x->count; i++) {
            double away = value[k][x->parameter[x->image[i]]] -
                          ratio_value(x, x->mean[x->image[i]], value[k]);
            image[x->parameter[i]] =
                ratio_value(x, x->mean[i], value[k]) + (x->reflected ? -away : away);
        }
        for (size_t i = 0; i < x->pair_count; i++) {
            g[i][k] = ratio_value(x, x->g[i], value[k]);
            f[i][k] = ratio_value(x, x->f[i], image);
        }
    }
    for (size_t i = 0; i < x->pair_count; i++)
        if (!is_near(g[i][0] * f[i][1], g[i][1] * f[i][0]) &&
            !is_near(g[i][0] + f[i][1], g[i][1] + f[i][0]) &&
            !is_near(g[i][0] + f[i][0], g[i][1] + f[i][1]))
            return false;
    return true;
}

/* ---- Trying -------------------------------------------------------------------------- */

/* What a try that failed made are forms that nobody sees any more. */
static bool fits(search *x)
{
    qkv__algebra *algebra = &x->s->model->algebra;
    qkv__arena_place before = qkv__arena_here(&algebra->arena);
    size_t parameters = algebra->parameter_count;
    bool good = may_fit(x);
    if (!good) return false;
    x->tries++;
    for (size_t i = 0; good && i < x->pair_count; i++)
        good = is_multiple(x, x->f[i], x->g[i], &x->how[i]);
    if (!good && algebra->parameter_count == parameters) qkv__arena_return(&algebra->arena, before);
    return good;
}

/* The noise that a number is an inner product with; family NULL: none. */
static qkv__symbol noise_of(const search *x, size_t i)
{
    const qkv__unknown_product *u = qkv__random_product(x->s->model, x->parameter[i]);
    if (u == NULL) return (qkv__symbol){NULL, 0};
    return u->x.family->noise ? u->x : u->y;
}

/* Keys change places as a whole: two numbers of one key go to two of one key. That is no condition
 * of the argument, but leaves few permutations to try. */
static bool keeps_keys(const search *x, size_t i, size_t to, size_t j)
{
    qkv__symbol a = noise_of(x, i), b = noise_of(x, j);
    qkv__symbol c = noise_of(x, to), d = noise_of(x, x->image[j]);
    bool before = a.family == b.family && a.member == b.member;
    return before == (c.family == d.family && c.member == d.member);
}

/* All permutations that keep covariances and keys, the identity first. */
static bool permute(search *x, size_t at)
{
    if (++x->steps > STEPS || x->tries > TRIES || x->s->model->algebra.arena.used > x->room)
        return false;
    if (at == x->count) return fits(x);
    for (size_t k = 0; k < x->count; k++) {
        size_t to = (at + k) % x->count;
        bool good = !x->taken[to] && x->covariance[to][to] == x->covariance[at][at];
        for (size_t i = 0; good && i < at; i++)
            good =
                x->covariance[x->image[i]][to] == x->covariance[i][at] && keeps_keys(x, at, to, i);
        if (!good) continue;
        x->taken[to] = true;
        x->image[at] = to;
        bool found = permute(x, at + 1);
        x->taken[to] = false;
        if (found) return true;
    }
    return false;
}

bool qkv__symmetry_alike(qkv__situation *s, const qkv__ratio *f, const qkv__ratio *g, size_t count,
                         qkv__multiple *how)
{
    search x = {.s = s, .pair_count = count, .f = f, .g = g, .how = how};
    x.room = s->model->algebra.arena.used + ROOM;
    if (!prepare(&x, f, g, count)) return false;
    for (int reflected = 0; reflected < 2; reflected++) {
        x.reflected = reflected == 1;
        x.steps = x.tries = 0;
        if (permute(&x, 0)) return true;
    }
    return false;
}

/* ---- Signs and bounds of sums -------------------------------------------------------- */

/* A part of a sum that shares one exponential: several keys alike, or one. */
typedef struct group {
    const qkv__form *exponent; /* NULL: 0 */
    const qkv__form *part;
} group;

static bool is_exponent(const qkv__form *x, const qkv__form *y)
{
    return x == y || (x != NULL && y != NULL && qkv__form_equal(x, y));
}

/* The groups of a sum; 0 where there are too many. */
static size_t groups_of(qkv__situation *s, const qkv__form *sum, group *groups)
{
    qkv__algebra *algebra = &s->model->algebra;
    size_t count = 0, g;
    for (size_t i = 0; i < sum->count; i++) {
        for (g = 0; g < count && !is_exponent(groups[g].exponent, sum->term[i].exponent);) g++;
        if (g == GROUPS) return 0;
        const qkv__form *term = qkv__form_term(algebra, &sum->term[i]);
        if (g == count)
            groups[count++] = (group){sum->term[i].exponent, term};
        else
            groups[g].part = qkv__form_add(algebra, groups[g].part, term);
    }
    return count;
}

static qkv__ratio over(qkv__algebra *algebra, const qkv__form *part, const qkv__form *whole)
{
    return qkv__ratio_divide(algebra, qkv__ratio_of_form(algebra, part),
                             qkv__ratio_of_form(algebra, whole));
}

/* What multiplies the exponential of a group. */
static qkv__ratio amount(qkv__algebra *algebra, const group *g)
{
    if (g->exponent == NULL) return qkv__ratio_of_form(algebra, g->part);
    return over(algebra, g->part, qkv__form_exponential(algebra, g->exponent));
}

qkv__sign qkv__symmetry_sign(qkv__situation *s, const qkv__form *sum)
{
    group groups[GROUPS];
    bool positive = false;
    size_t count = sum == NULL ? 0 : groups_of(s, sum, groups);
    if (sum != NULL && qkv__form_is_zero(sum)) return QKV__SIGN_ZERO;
    for (size_t g = 0; g < count; g++) {
        qkv__sign sign =
            qkv__ratio_sign(&s->model->algebra, amount(&s->model->algebra, &groups[g]));
        positive = positive || sign == QKV__SIGN_POSITIVE;
        if (sign != QKV__SIGN_POSITIVE && sign != QKV__SIGN_NONNEGATIVE && sign != QKV__SIGN_ZERO)
            return QKV__SIGN_UNKNOWN;
    }
    return count == 0 ? QKV__SIGN_UNKNOWN : positive ? QKV__SIGN_POSITIVE : QKV__SIGN_NONNEGATIVE;
}

static bool is_not_negative(qkv__sign sign)
{
    return sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NONNEGATIVE || sign == QKV__SIGN_ZERO;
}

bool qkv__symmetry_lies_below(qkv__situation *s, qkv__ratio f, int64_t most)
{
    qkv__algebra *algebra = &s->model->algebra;
    if (qkv__ratio_is_lost(f) || qkv__symmetry_sign(s, f.denominator) != QKV__SIGN_POSITIVE ||
        !is_not_negative(qkv__symmetry_sign(s, f.numerator)))
        return false;
    const qkv__form *whole = qkv__form_scale(algebra, f.denominator, qkv__rational_whole(most));
    return is_not_negative(qkv__symmetry_sign(s, qkv__form_subtract(algebra, whole, f.numerator)));
}

/* ---- Whether an expectation exists --------------------------------------------------- */

/* Whether a term is a polynomial in what is random times the exponential of something linear in it:
 * such a term has an expectation, and so have all its powers. A number b of other keys lies between
 * their scores, which are linear. */
static bool is_tame(const qkv__model *model, const qkv__term *term)
{
    for (int p = 0; p < (int)model->algebra.parameter_count; p++) {
        if (!qkv__random_is(model, p)) continue;
        if (term->power[p] < 0 || term->power[p] % 2 != 0) return false;
        for (size_t i = 0; term->exponent != NULL && i < term->exponent->count; i++) {
            const qkv__term *part = &term->exponent->term[i];
            if (part->exponent != NULL && qkv__form_depends_on(part->exponent, p)) return false;
            if (part->power[p] == 0) continue;
            if (part->power[p] != 2) return false;
            for (int q = 0; q < p; q++)
                if (part->power[q] != 0 && qkv__random_is(model, q)) return false;
        }
    }
    return true;
}

/* A term without its squares of random numbers; *fixed: there were none. */
static qkv__term without_squares(const qkv__model *model, const qkv__term *term, bool *fixed)
{
    qkv__term rest = *term;
    rest.exponent = NULL;
    *fixed = true;
    for (int p = 0; p < (int)model->algebra.parameter_count; p++) {
        if (rest.power[p] == 0 || !qkv__random_is(model, p)) continue;
        *fixed = false;
        if (rest.power[p] % 4 == 0) rest.power[p] = 0;
    }
    return rest;
}

/* What is not random in the amount of a group; false where something random may be negative. */
static bool fixed_amount(qkv__situation *s, const group *g, const qkv__form **amount)
{
    qkv__algebra *algebra = &s->model->algebra;
    *amount = qkv__form_whole(algebra, 0);
    for (size_t i = 0; i < g->part->count; i++) {
        bool fixed;
        qkv__term rest = without_squares(s->model, &g->part->term[i], &fixed);
        const qkv__form *own = qkv__form_term(algebra, &rest);
        if (fixed)
            *amount = qkv__form_add(algebra, *amount, own);
        else if (!is_not_negative(qkv__form_sign(algebra, own)))
            return false;
    }
    return *amount != NULL;
}

/* Whether a sum of tame terms lies above one of them that is positive: what is tame over it is no
 * larger than something tame. */
static bool is_bounded_below(qkv__situation *s, const qkv__form *sum)
{
    group groups[GROUPS];
    bool positive = false;
    size_t count = groups_of(s, sum, groups);
    for (size_t g = 0; g < count; g++) {
        const qkv__form *fixed;
        if (!fixed_amount(s, &groups[g], &fixed)) return false;
        qkv__sign sign = qkv__form_sign(&s->model->algebra, fixed);
        if (!is_not_negative(sign)) return false;
        positive = positive || sign == QKV__SIGN_POSITIVE;
    }
    return positive;
}

static int least_power(const qkv__form *form, int parameter, int least)
{
    assert(parameter >= 0 && parameter < QKV__PARAMETERS);
    for (size_t i = 0; i < form->count; i++)
        if (form->term[i].power[parameter] < least) least = form->term[i].power[parameter];
    return least;
}

static bool are_tame(const qkv__model *model, const qkv__form *form)
{
    for (size_t i = 0; form != NULL && i < form->count; i++)
        if (!is_tame(model, &form->term[i])) return false;
    return form != NULL;
}

/* A quotient of tame sums; powers that were divided out are put back. */
static bool has_mean(qkv__situation *s, qkv__ratio f)
{
    qkv__algebra *algebra = &s->model->algebra;
    const qkv__form *above = f.numerator, *below = f.denominator;
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        int least = least_power(above, p, least_power(below, p, 0));
        if (least == 0 || !qkv__random_is(s->model, p)) continue;
        if (least % 2 != 0) return false;
        const qkv__form *back =
            qkv__form_power(algebra, qkv__form_parameter(algebra, p), -least / 2);
        above = qkv__form_multiply(algebra, above, back);
        below = qkv__form_multiply(algebra, below, back);
        if (above == NULL || below == NULL) return false;
    }
    return are_tame(s->model, above) && are_tame(s->model, below) && is_bounded_below(s, below);
}

/* ---- Expectations -------------------------------------------------------------------- */

/* f + f reflected is twice what f is at the means: so is its expectation, if it has one. */
static bool reflected_mean(qkv__situation *s, qkv__ratio f, qkv__ratio *mean)
{
    search x = {.s = s, .reflected = true};
    qkv__algebra *algebra = &s->model->algebra;
    if (!has_mean(s, f) || !prepare(&x, &f, &f, 1) || x.count == 0) return false;
    for (size_t i = 0; i < x.count; i++) x.image[i] = i;
    *mean = at_means(&x, f);
    qkv__ratio twice = qkv__ratio_multiply(algebra, qkv__ratio_whole(algebra, 2), *mean);
    return !qkv__ratio_is_lost(twice) &&
           qkv__ratio_equal(algebra, qkv__ratio_add(algebra, f, moved(&x, f)), twice);
}

/* Whether the scores behind b have one law: nothing but noise differs from key to key. A free query
 * has another inner product with each mean. */
static bool is_one_law(const qkv__model *model, qkv__ratio score)
{
    for (int p = 0; p < (int)model->algebra.parameter_count; p++)
        if (model->algebra.parameter[p].generic && qkv__ratio_depends_on(score, p) &&
            !qkv__random_is(model, p))
            return false;
    return true;
}

/* The group of the key that stands for all others, if this one is made of those: how many keys this
 * one has for each in that. */
static const group *stand_in(qkv__situation *s, const group *groups, size_t count, const group *of,
                             qkv__ratio *times)
{
    qkv__algebra *algebra = &s->model->algebra;
    for (const qkv__spread *b = s->model->space.spreads; b != NULL; b = b->next) {
        const qkv__form *score = as_form(algebra, b->score);
        if (of->exponent == NULL || score == NULL || !qkv__random_is(s->model, b->parameter) ||
            !is_one_law(s->model, b->score))
            continue;
        /* A term that all have in common may have been divided out. */
        const qkv__form *common =
            qkv__form_subtract(algebra, of->exponent, qkv__form_parameter(algebra, b->parameter));
        if (common == NULL || qkv__form_depends_on(common, b->parameter)) continue;
        const qkv__form *own = qkv__form_add(algebra, common, score);
        for (size_t g = 0; g < count; g++)
            if (is_exponent(groups[g].exponent, own) ||
                (groups[g].exponent == NULL && qkv__form_is_zero(own))) {
                *times =
                    qkv__ratio_divide(algebra, amount(algebra, of), amount(algebra, &groups[g]));
                return &groups[g];
            }
    }
    *times = qkv__ratio_whole(algebra, 1);
    return of;
}

/* All shares of the denominator are multiples of f in law: they sum to 1. */
static bool shared_mean(qkv__situation *s, qkv__ratio f, qkv__ratio *mean)
{
    qkv__algebra *algebra = &s->model->algebra;
    group groups[GROUPS];
    const qkv__form *sum = f.denominator;
    size_t count = groups_of(s, sum, groups);
    qkv__ratio total = qkv__ratio_whole(algebra, 0);
    if (count < 2 || qkv__symmetry_sign(s, sum) != QKV__SIGN_POSITIVE) return false;
    for (size_t g = 0; g < count; g++) {
        qkv__ratio times;
        qkv__multiple how;
        const group *key = stand_in(s, groups, count, &groups[g], &times);
        qkv__ratio share = over(algebra, key->part, sum);
        if (!qkv__symmetry_alike(s, &f, &share, 1, &how) || !qkv__ratio_is_zero(how.shift))
            return false;
        total = qkv__ratio_add(algebra, total, qkv__ratio_multiply(algebra, how.factor, times));
    }
    *mean = qkv__ratio_divide(algebra, qkv__ratio_whole(algebra, 1), total);
    return !qkv__ratio_is_lost(*mean);
}

bool qkv__symmetry_mean(qkv__situation *s, qkv__ratio f, qkv__ratio *mean)
{
    if (qkv__ratio_is_lost(f) || !qkv__random_touches(s->model, f)) return false;
    return reflected_mean(s, f, mean) || shared_mean(s, f, mean);
}
