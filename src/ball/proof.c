/* The two rules. A step that finds no memory or no room proves nothing. Knows nothing of claims,
 * nor of how a box is cut. */
#include "ball/proof.h"

#include <assert.h>

#include "ball/derivative.h"
#include "ball/evaluate.h"

enum {
    PRECISION = 128,
    TERMS_FOR_ONE = 8,  /* terms that one unit of effort evaluates */
    SCRATCH = 64 << 20, /* bytes for forms */
};

/* The form over one of its terms. */
typedef struct variant {
    const qkv__form *form;
    qkv__parameter_set divided; /* nothing is said where one of these is 0 */
} variant;

struct qkv__sign_subject {
    const qkv__form *form;        /* without the powers of parameters that all terms share */
    qkv__parameter_set vanishing; /* the form that was given is 0 where one of these is */
    size_t variant_count;
    variant variant[QKV__DIVISORS + 1];
    /* Made when first asked for. */
    bool has_derivative[QKV__PARAMETERS], has_face[2][QKV__PARAMETERS];
    qkv__sign_subject *derivative[QKV__PARAMETERS];
    qkv__sign_subject *face[2][QKV__PARAMETERS]; /* the parameter at the box's lower, upper end */
};

static const qkv__proof nothing;
static const qkv__proof weakly = {.proved = true, .weak = true};

void qkv__prover_init(qkv__prover *prover, const qkv__algebra *algebra, const qkv__box *box,
                      size_t effort)
{
    prover->algebra = *algebra;
    prover->algebra.arena = (qkv__arena){.limit = SCRATCH};
    prover->box = *box;
    prover->left = effort;
    prover->reserve = 0;
}

void qkv__prover_free(qkv__prover *prover)
{
    qkv__arena_free(&prover->algebra.arena);
}

/* ---- Subjects ------------------------------------------------------------------------------ */

/* The least power of a parameter among all terms. */
static int16_t shared_power(const qkv__form *form, int p)
{
    assert(p >= 0 && p < QKV__PARAMETERS);
    int16_t least = form->term[0].power[p];
    for (size_t i = 1; i < form->count; i++)
        if (form->term[i].power[p] < least) least = form->term[i].power[p];
    return least;
}

/* The form over the powers that all its terms share, of parameters that are never negative: these
 * are positive but where they vanish. */
static const qkv__form *take_out_powers(qkv__prover *prover, const qkv__form *form,
                                        qkv__parameter_set *vanishing)
{
    qkv__term shared = {.coefficient = qkv__rational_whole(1)};
    *vanishing = 0;
    if (form->count == 0) return form;
    for (int p = 0; p < (int)prover->algebra.parameter_count; p++) {
        if (!qkv__box_is_nonnegative(&prover->algebra, &prover->box, p)) continue;
        shared.power[p] = shared_power(form, p);
        if (shared.power[p] > 0) *vanishing |= (qkv__parameter_set)1 << p;
    }
    return qkv__form_divide_by_term(&prover->algebra, form, &shared);
}

static void add_variants(qkv__prover *prover, qkv__sign_subject *subject)
{
    const qkv__term *divisor[QKV__DIVISORS];
    subject->variant[subject->variant_count++] = (variant){.form = subject->form};
    if (subject->form->count < 2) return;
    size_t count = qkv__divisors_choose(&prover->algebra, subject->form, &prover->box, divisor);
    for (size_t i = 0; i < count; i++) {
        variant made;
        made.form = qkv__form_divide_positive(&prover->algebra, subject->form, divisor[i],
                                              &prover->box, &made.divided);
        if (made.form != NULL && !qkv__form_equal(made.form, subject->form))
            subject->variant[subject->variant_count++] = made;
    }
}

qkv__sign_subject *qkv__subject_make(qkv__prover *prover, const qkv__form *form)
{
    if (form == NULL) return NULL;
    qkv__sign_subject *subject = qkv__arena_take(&prover->algebra.arena, sizeof *subject);
    if (subject == NULL) return NULL;
    subject->form = take_out_powers(prover, form, &subject->vanishing);
    if (subject->form == NULL) return NULL;
    add_variants(prover, subject);
    return subject;
}

static qkv__sign_subject *derivative_of(qkv__prover *prover, qkv__sign_subject *subject, int p)
{
    assert(p >= 0 && p < QKV__PARAMETERS);
    if (!subject->has_derivative[p]) {
        subject->has_derivative[p] = true;
        subject->derivative[p] =
            qkv__subject_make(prover, qkv__form_derivative(&prover->algebra, subject->form, p));
    }
    return subject->derivative[p];
}

/* The subject with the parameter put at an end of the whole box; NULL when that is lost. */
static qkv__sign_subject *face_of(qkv__prover *prover, qkv__sign_subject *subject, int p,
                                  bool upper)
{
    assert(p >= 0 && p < QKV__PARAMETERS);
    const qkv__range *range = &prover->box.range[p];
    if (!subject->has_face[upper][p]) {
        subject->has_face[upper][p] = true;
        const qkv__form *end =
            qkv__form_constant(&prover->algebra, upper ? range->upper.value : range->lower.value);
        subject->face[upper][p] = qkv__subject_make(
            prover, qkv__form_substitute(&prover->algebra, subject->form, p, end));
    }
    return subject->face[upper][p];
}

/* ---- Directly ------------------------------------------------------------------------------ */

/* Those of a set that are 0 somewhere on the part. */
static qkv__parameter_set touching_zero(qkv__parameter_set set, const qkv__box *part)
{
    qkv__parameter_set touching = 0;
    for (int p = 0; p < QKV__PARAMETERS; p++)
        if (qkv__parameter_set_has(set, p) && part->range[p].lower.known &&
            qkv__rational_is_zero(part->range[p].lower.value))
            touching |= (qkv__parameter_set)1 << p;
    return touching;
}

/* -1, 0 or 1: the sign of the worst value that the form may have, turned so that 1 is wanted. */
static int worst_sign(const qkv__interval *value, int sign)
{
    assert(sign == 1 || sign == -1);
    return sign > 0 ? arf_sgn(value->lower) : -arf_sgn(value->upper);
}

/* A form of many terms takes longer. */
static void spend(qkv__prover *prover, const qkv__form *form)
{
    size_t cost = 1 + form->count / TERMS_FOR_ONE;
    prover->left -= cost < prover->left ? cost : prover->left;
}

/* Where a divided parameter is 0 the sign goes over by continuity, as not wrong. */
static qkv__proof prove_directly(qkv__prover *prover, const qkv__sign_subject *subject,
                                 const qkv__box *part, int sign)
{
    assert(sign == 1 || sign == -1);
    qkv__proof best = nothing;
    qkv__domain domain;
    qkv__interval value;
    qkv__interval_init(&value);
    qkv__domain_init(&domain, &prover->algebra, part, PRECISION);
    for (size_t i = 0; i < subject->variant_count && prover->left > prover->reserve; i++) {
        spend(prover, subject->variant[i].form);
        qkv__evaluate(subject->variant[i].form, &domain, &value);
        int worst = worst_sign(&value, sign);
        if (worst < 0) continue;
        qkv__parameter_set faces = touching_zero(subject->variant[i].divided, part);
        if (worst > 0) best = (qkv__proof){.proved = true, .lower = faces};
        if (worst > 0 && faces == 0) break;
        if (worst == 0 && !best.proved) best = weakly;
    }
    qkv__domain_clear(&domain);
    qkv__interval_clear(&value);
    return best;
}

/* ---- By slope ------------------------------------------------------------------------------ */

static qkv__proof prove(qkv__prover *prover, qkv__sign_subject *subject, const qkv__box *part,
                        int sign, int depth);
static qkv__proof prove_rest(qkv__prover *prover, qkv__sign_subject *subject, const qkv__box *part,
                             int sign, int depth);

static bool has_negative_power(const qkv__form *form, int p)
{
    assert(p >= 0 && p < QKV__PARAMETERS);
    for (size_t i = 0; form != NULL && i < form->count; i++)
        if (form->term[i].power[p] < 0 || has_negative_power(form->term[i].exponent, p))
            return true;
    return false;
}

/* Whether the form is defined, and continuous, at that end of the part. */
static bool has_end(const qkv__sign_subject *subject, const qkv__box *part, int p, bool upper)
{
    assert(p >= 0 && p < QKV__PARAMETERS);
    const qkv__bound *end = upper ? &part->range[p].upper : &part->range[p].lower;
    if (!end->known) return false;
    return !qkv__rational_is_zero(end->value) || !has_negative_power(subject->form, p);
}

static bool is_same_end(const qkv__bound *a, const qkv__bound *b)
{
    return a->known && b->known && qkv__rational_compare(a->value, b->value) == 0;
}

static qkv__proof prove_face(qkv__prover *prover, qkv__sign_subject *subject, const qkv__box *part,
                             int sign, int p, bool upper, int depth)
{
    assert(sign == 1 || sign == -1);
    assert(p >= 0 && p < QKV__PARAMETERS);
    qkv__box face = *part;
    qkv__range *range = &face.range[p], *whole = &prover->box.range[p];
    qkv__bound end = upper ? range->upper : range->lower;
    qkv__sign_subject *exact = NULL;
    if (is_same_end(&end, upper ? &whole->upper : &whole->lower))
        exact = face_of(prover, subject, p, upper);
    end.strict = false;
    *range = (qkv__range){.lower = end, .upper = end};
    if (exact != NULL) return prove(prover, exact, &face, sign, depth);
    return prove_rest(prover, subject, &face, sign, depth);
}

/*
 * F(p) = F(end) + integral of the slope from the end to p. So F has the face's sign where the face
 * has one; and where the slope has one, F has it off the face.
 */
static qkv__proof join_face_and_slope(qkv__proof face, qkv__proof slope, int p, bool upper)
{
    assert(p >= 0 && p < QKV__PARAMETERS);
    const qkv__parameter_set this = (qkv__parameter_set)1 << p;
    bool firm = !face.weak && face.lower == 0 && face.upper == 0;
    if (firm || (slope.weak && !face.weak)) return face;
    if (slope.weak) return weakly;
    qkv__proof joined = {
        .proved = true, .lower = slope.lower & ~this, .upper = slope.upper & ~this};
    *(upper ? &joined.upper : &joined.lower) |= this;
    return joined;
}

static qkv__proof prove_by_slope(qkv__prover *prover, qkv__sign_subject *subject,
                                 const qkv__box *part, int sign, int p, bool upper, int depth)
{
    assert(sign == 1 || sign == -1);
    if (!has_end(subject, part, p, upper)) return nothing;
    qkv__proof face = prove_face(prover, subject, part, sign, p, upper, depth - 1);
    if (!face.proved) return nothing;
    qkv__sign_subject *derivative = derivative_of(prover, subject, p);
    if (derivative == NULL) return nothing;
    qkv__proof slope = prove(prover, derivative, part, upper ? -sign : sign, depth - 1);
    return slope.proved ? join_face_and_slope(face, slope, p, upper) : nothing;
}

/* The first proof that is not weak, from either end of any parameter. */
static qkv__proof prove_by_slopes(qkv__prover *prover, qkv__sign_subject *subject,
                                  const qkv__box *part, int sign, int depth)
{
    assert(sign == 1 || sign == -1);
    qkv__proof best = nothing;
    for (int p = 0; p < (int)prover->algebra.parameter_count; p++) {
        if (qkv__box_is_fixed(&prover->algebra, part, p) || !qkv__form_depends_on(subject->form, p))
            continue;
        for (int upper = 0; upper < 2; upper++) {
            qkv__proof found = prove_by_slope(prover, subject, part, sign, p, upper != 0, depth);
            if (found.proved && !found.weak) return found;
            if (found.proved) best = found;
        }
    }
    return best;
}

/* What is left of a subject without the shared powers that were taken out. */
static qkv__proof prove_rest(qkv__prover *prover, qkv__sign_subject *subject, const qkv__box *part,
                             int sign, int depth)
{
    assert(sign == 1 || sign == -1);
    if (subject->form->count == 0) return weakly;
    qkv__proof proof = prove_directly(prover, subject, part, sign);
    bool settled = proof.proved && !proof.weak;
    if (settled || depth == 0 || prover->left <= prover->reserve) return proof;
    qkv__proof better = prove_by_slopes(prover, subject, part, sign, depth);
    return better.proved ? better : proof;
}

/* The whole of it: the form vanishes with the shared powers. */
static qkv__proof prove(qkv__prover *prover, qkv__sign_subject *subject, const qkv__box *part,
                        int sign, int depth)
{
    assert(sign == 1 || sign == -1);
    qkv__proof proof = prove_rest(prover, subject, part, sign, depth);
    if (proof.proved) proof.lower |= touching_zero(subject->vanishing, part);
    return proof;
}

qkv__proof qkv__prove(qkv__prover *prover, qkv__sign_subject *subject, const qkv__box *part,
                      int sign, int depth, size_t most)
{
    assert(depth >= 0);
    assert(sign == 1 || sign == -1);
    prover->reserve = prover->left > most ? prover->left - most : 0;
    qkv__proof proof = prove(prover, subject, part, sign, depth);
    prover->reserve = 0;
    return proof;
}
