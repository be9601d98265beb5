/*
 * Limits with a normal parameter in them. Along the line of that parameter the fastest term changes
 * at finitely many places; between two of them every limit is one and the same, so that a limit law
 * has finitely many outcomes, each with the probability of its stretches.
 */
#include <math.h>
#include <string.h>

#include "claim/chance/chance_part.h"
#include "claim/chance/likely.h"
#include "claim/chance/moment.h"
#include "claim/chance/random_law.h"
#include "claim/compare/limit_compare.h"
#include "claim/compare/tell.h"
#include "claim/model/evaluate.h"
#include "claim/model/random_parameters.h"
#include "claim/premise/conditions.h"
#include "claim/premise/gap.h"
#include "claim/premise/reach.h"
#include "claim/premise/ties.h"
#include "language/tree.h"

/* ---- Places where the fastest term changes ------------------------------------------- */

/* form = c[0] + c[1]*parameter + c[2]*parameter^2 in rationals. */
static bool rational_quadratic(qkv__algebra *algebra, const qkv__form *form, int parameter,
                               qkv__rational *c)
{
    const qkv__form *p = qkv__form_parameter(algebra, parameter), *sum;
    qkv__rational at[3]; /* at 0, 1 and -1 */
    for (int i = 0; i < 3; i++)
        if (!qkv__form_is_constant(qkv__form_substitute(algebra, form, parameter,
                                                        qkv__form_whole(algebra, i == 2 ? -1 : i)),
                                   &at[i]))
            return false;
    qkv__rational half = qkv__rational_make(1, 2);
    c[0] = at[0];
    c[1] = qkv__rational_multiply(half, qkv__rational_subtract(at[1], at[2]));
    c[2] = qkv__rational_subtract(qkv__rational_multiply(half, qkv__rational_add(at[1], at[2])),
                                  at[0]);
    for (int i = 0; i < 3; i++)
        if (qkv__rational_is_lost(c[i])) return false;
    sum = qkv__form_add(algebra, qkv__form_constant(algebra, c[0]),
                        qkv__form_scale(algebra, p, c[1]));
    sum =
        qkv__form_add(algebra, sum, qkv__form_scale(algebra, qkv__form_power(algebra, p, 2), c[2]));
    return qkv__form_equal(form, sum);
}

/* The root of a square of a rational number; false for other numbers. */
static bool rational_root(qkv__rational square, qkv__rational *root)
{
    if (qkv__rational_is_lost(square) || qkv__rational_sign(square) < 0) return false;
    int64_t above = (int64_t)llround(sqrt((double)square.numerator));
    int64_t below = (int64_t)llround(sqrt((double)square.denominator));
    *root = qkv__rational_make(above, below);
    return qkv__rational_compare(qkv__rational_multiply(*root, *root), square) == 0;
}

/* What multiplies the growing parameter in an exponent that is linear in it. */
static const qkv__form *growth_of(qkv__algebra *algebra, const qkv__term *term, int growing)
{
    const qkv__form *zero = qkv__form_whole(algebra, 0), *one = qkv__form_whole(algebra, 1);
    if (term->exponent == NULL) return zero;
    const qkv__form *rest = qkv__form_substitute(algebra, term->exponent, growing, zero);
    const qkv__form *slope = qkv__form_subtract(
        algebra, qkv__form_substitute(algebra, term->exponent, growing, one), rest);
    const qkv__form *line = qkv__form_add(
        algebra, rest, qkv__form_multiply(algebra, slope, qkv__form_parameter(algebra, growing)));
    return qkv__form_equal(term->exponent, line) ? slope : NULL;
}

/* The places of one parameter, in order. */
typedef struct places {
    size_t count;
    qkv__rational place[QKV__STRETCHES];
} places;

static bool add_place(places *p, qkv__rational place)
{
    size_t at = 0;
    while (at < p->count && qkv__rational_compare(p->place[at], place) < 0) at++;
    if (at < p->count && qkv__rational_compare(p->place[at], place) == 0) return true;
    if (p->count + 1 >= QKV__STRETCHES || qkv__rational_is_lost(place)) return false;
    memmove(&p->place[at + 1], &p->place[at], (p->count - at) * sizeof place);
    p->place[at] = place;
    p->count++;
    return true;
}

/* The zeros of a quadratic that is not 0; they must be rational. */
static bool add_zeros(const qkv__rational *c, places *p)
{
    qkv__rational two_a = qkv__rational_multiply(qkv__rational_whole(2), c[2]), root;
    if (qkv__rational_is_zero(c[2]))
        return qkv__rational_is_zero(c[1]) ||
               add_place(p, qkv__rational_negate(qkv__rational_divide(c[0], c[1])));
    qkv__rational inside = qkv__rational_subtract(
        qkv__rational_multiply(c[1], c[1]),
        qkv__rational_multiply(qkv__rational_whole(2), qkv__rational_multiply(two_a, c[0])));
    if (!qkv__rational_is_lost(inside) && qkv__rational_sign(inside) < 0) return true;
    if (!rational_root(inside, &root)) return false;
    return add_place(p, qkv__rational_divide(qkv__rational_subtract(root, c[1]), two_a)) &&
           add_place(
               p, qkv__rational_divide(qkv__rational_negate(qkv__rational_add(root, c[1])), two_a));
}

/* Where two exponents of a form grow alike. */
static bool add_ties(qkv__algebra *algebra, const qkv__form *form, int growing, int parameter,
                     places *p)
{
    for (size_t i = 0; i < form->count; i++)
        for (size_t j = 0; j < i; j++) {
            const qkv__form *first = growth_of(algebra, &form->term[i], growing);
            const qkv__form *second = growth_of(algebra, &form->term[j], growing);
            const qkv__form *apart =
                first == NULL || second == NULL ? NULL : qkv__form_subtract(algebra, first, second);
            qkv__rational c[3];
            if (apart == NULL) return false;
            if (!qkv__form_depends_on(apart, parameter)) continue;
            if (!rational_quadratic(algebra, apart, parameter, c) || !add_zeros(c, p)) return false;
        }
    return true;
}

/* ---- Stretches ----------------------------------------------------------------------- */

/* P(parameter <= place), or 0 and 1 at the infinite ends. */
static qkv__likely below(qkv__normal normal, const qkv__bound *bound, bool upper)
{
    qkv__enclosure chance;
    if (!bound->known) return qkv__likely_rational(qkv__rational_whole(upper ? 1 : 0));
    if (qkv__rational_compare(bound->value, normal.mean) == 0)
        return qkv__likely_rational(qkv__rational_make(1, 2));
    qkv__half_line line = {.above = false, .lower = bound->value, .upper = bound->value};
    if (!qkv__ball_half_line(normal, line, &chance)) return qkv__likely_between(0.0, 1.0);
    return qkv__likely_between(chance.lower, chance.upper);
}

qkv__likely qkv__partition_probability(const qkv__partition *p, size_t first, size_t last)
{
    if (p->parameter < 0) return qkv__likely_rational(qkv__rational_whole(1));
    const qkv__stretch *start = &p->stretch[0], *end = &p->stretch[p->count - 1];
    qkv__likely all = qkv__likely_subtract(below(p->normal, &end->upper, true),
                                           below(p->normal, &start->lower, false));
    qkv__likely part = qkv__likely_subtract(below(p->normal, &p->stretch[last].upper, true),
                                            below(p->normal, &p->stretch[first].lower, false));
    return qkv__likely_divide(part, all);
}

/* The random parameter of some ratios: -1 for none, -2 for several. */
static int random_parameter(const qkv__model *model, const qkv__ratio *ratios, size_t count)
{
    int found = -1;
    for (size_t c = 0; c < model->chance_count; c++)
        for (size_t i = 0; i < count; i++) {
            if (!qkv__ratio_depends_on(ratios[i], model->chance[c].parameter)) continue;
            if (found >= 0 && found != model->chance[c].parameter) return -2;
            found = model->chance[c].parameter;
        }
    return found;
}

static int growing_parameter(const qkv__situation *s)
{
    int found = -1;
    for (size_t i = 0; i < s->limit_count; i++)
        if (s->limit[i].infinite) found = found < 0 ? s->limit[i].parameter : -2;
    return found;
}

bool qkv__partition_make(qkv__situation *s, const qkv__ratio *ratios, size_t count,
                         qkv__partition *partition)
{
    qkv__algebra *algebra = &s->model->algebra;
    int parameter = random_parameter(s->model, ratios, count), growing = growing_parameter(s);
    places p = {0};
    qkv__normal normal;
    *partition = (qkv__partition){.parameter = parameter, .count = 1};
    if (parameter == -1) return true;
    if (parameter < 0 || growing < 0 || !qkv__random_law(s, parameter, &normal) ||
        qkv__rational_sign(normal.variance) <= 0)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!add_ties(algebra, ratios[i].numerator, growing, parameter, &p) ||
            !add_ties(algebra, ratios[i].denominator, growing, parameter, &p))
            return false;
    const qkv__parameter *known = &algebra->parameter[parameter];
    qkv__bound at = known->lower;
    partition->count = 0;
    for (size_t i = 0; i <= p.count; i++) {
        bool last = i == p.count;
        if (!last && known->lower.known &&
            qkv__rational_compare(p.place[i], known->lower.value) <= 0)
            continue;
        if (!last && known->upper.known &&
            qkv__rational_compare(p.place[i], known->upper.value) >= 0)
            continue;
        qkv__bound end = {.known = true, .strict = true};
        if (!last) end.value = p.place[i];
        partition->stretch[partition->count++] =
            (qkv__stretch){.lower = at, .upper = last ? known->upper : end};
        at = end;
    }
    partition->normal = normal;
    return true;
}

void qkv__partition_enter(qkv__situation *s, const qkv__partition *partition, size_t stretch)
{
    if (partition->parameter < 0) return;
    const qkv__stretch *from = &partition->stretch[stretch];
    qkv__parameter *known = &s->model->algebra.parameter[partition->parameter];
    known->lower = from->lower;
    known->upper = from->upper;
    known->lower.strict = known->upper.strict = true;
}

/* ---- Outcomes ------------------------------------------------------------------------ */

/* What happens on one stretch. */
typedef struct outcome {
    qkv__text text;
    bool told;
} outcome;

/* P in closed form, where the outcome is one half line; whether that says all. */
static bool write_closed(qkv__situation *s, const qkv__partition *p, size_t first, size_t last,
                         qkv__text *text)
{
    qkv__normal normal;
    const qkv__bound *lower = &p->stretch[first].lower, *upper = &p->stretch[last].upper;
    if (p->parameter < 0 || !qkv__random_law(s, p->parameter, &normal)) return false;
    if (s->model->algebra.parameter[p->parameter].lower.known ||
        s->model->algebra.parameter[p->parameter].upper.known || lower->known == upper->known)
        return false;
    /* The normal law is symmetric: below t is as likely as above 2 mean - t. */
    qkv__rational threshold =
        lower->known
            ? lower->value
            : qkv__rational_subtract(qkv__rational_multiply(qkv__rational_whole(2), normal.mean),
                                     upper->value);
    qkv__text closed = {0};
    bool good = qkv__normal_write_above(normal, threshold, &closed) && !closed.failed;
    if (good) qkv__text_format(text, "%s", closed.data);
    bool plain = good && strchr(closed.data, '(') == NULL;
    if (good && !plain) qkv__text_format(text, " = ");
    qkv__text_free(&closed);
    return plain;
}

/* The last of the neighbouring stretches with the limit of the first. */
static size_t last_alike(const outcome *outcomes, size_t count, size_t first)
{
    size_t last = first;
    while (last + 1 < count && outcomes[first].text.data != NULL &&
           outcomes[last + 1].text.data != NULL &&
           strcmp(outcomes[first].text.data, outcomes[last + 1].text.data) == 0)
        last++;
    return last;
}

/* The probability of the outcome of some stretches, and of all others like it, which are told with
 * it; whether there are others. */
static bool gather(const qkv__partition *partition, outcome *outcomes, size_t first, size_t last,
                   qkv__likely *chance)
{
    bool more = false;
    *chance = qkv__partition_probability(partition, first, last);
    for (size_t i = last + 1; i < partition->count; i++) {
        if (outcomes[first].text.data == NULL || outcomes[i].text.data == NULL ||
            strcmp(outcomes[first].text.data, outcomes[i].text.data) != 0)
            continue;
        *chance = qkv__likely_add(*chance, qkv__partition_probability(partition, i, i));
        outcomes[i].told = more = true;
    }
    return more;
}

/* Stretches with the same limit are one outcome. */
static void tell_outcomes(qkv__situation *s, const qkv__value *x, const qkv__partition *partition)
{
    outcome outcomes[QKV__STRETCHES];
    memset(outcomes, 0, sizeof outcomes);
    for (size_t i = 0; i < partition->count; i++) {
        qkv__scope scope = qkv__situation_open(s);
        qkv__partition_enter(s, partition, i);
        qkv__tell_limit(s, x, &outcomes[i].text);
        qkv__situation_close(s, &scope);
    }
    for (size_t i = 0, last; i < partition->count; i = last + 1) {
        const char *text = outcomes[i].text.data == NULL ? "?" : outcomes[i].text.data;
        qkv__likely chance;
        last = last_alike(outcomes, partition->count, i);
        if (outcomes[i].told) continue;
        bool scattered = gather(partition, outcomes, i, last, &chance);
        qkv__text_format(&s->finding->found, "%s%s", i == 0 ? "-> " : "; ", text);
        if (i == 0 && last + 1 == partition->count) continue;
        qkv__text_format(&s->finding->found, " with probability ");
        if (chance.exact || scattered || !write_closed(s, partition, i, last, &s->finding->found))
            qkv__likely_write(chance, &s->finding->found);
    }
    for (size_t i = 0; i < partition->count; i++) qkv__text_free(&outcomes[i].text);
}

/* ---- x ~ y in probability ------------------------------------------------------------ */

/*
 * Where no parameter grows without bound, x ~ y says that x - y tends to 0 in probability. A normal
 * number of mean m and variance V does just when m -> 0 and V -> 0: Chebyshev's inequality for one
 * direction; for the other, P(|L| > t) >= P(L on the far side of its mean, or of m +- sqrt(V))
 * stays above some number.
 */
static qkv__verdict normal_vanishes(qkv__situation *s, qkv__ratio mean, qkv__ratio variance)
{
    qkv__algebra *algebra = &s->model->algebra;
    qkv__limit m = qkv__limit_of(s, mean), v = qkv__limit_of(s, variance);
    if (m.kind != QKV__LIMIT_FINITE || v.kind != QKV__LIMIT_FINITE) return QKV__UNDECIDED;
    if (qkv__ratio_is_zero(v.value) && qkv__ratio_is_zero(m.value)) return QKV__PROVED;
    if (s->weakened) return QKV__UNDECIDED;
    if (qkv__ratio_sign(algebra, v.value) == QKV__SIGN_POSITIVE) return QKV__REFUTED;
    qkv__nullity away = qkv__nullity_of(s, m.value);
    return away == QKV__NULLITY_NEVER || away == QKV__NULLITY_SOMEWHERE_OTHER ? QKV__REFUTED
                                                                              : QKV__UNDECIDED;
}

/* Whether the law of everything random in a ratio stays as it is, and is spread over all numbers.
 */
static bool stays_random(qkv__situation *s, qkv__ratio f)
{
    const qkv__model *model = s->model;
    for (int p = 0; p < (int)model->algebra.parameter_count; p++) {
        bool good = false;
        if (!qkv__ratio_depends_on(f, p) || !qkv__random_is(model, p)) continue;
        for (size_t i = 0; i < model->chance_count; i++) {
            const qkv__chance *c = &model->chance[i];
            bool moves = false;
            for (size_t l = 0; l < s->limit_count; l++)
                moves = moves || qkv__ratio_depends_on(c->variance, s->limit[l].parameter);
            good = good || (c->parameter == p && !moves && c->law == QKV__LAW_NORMAL &&
                            qkv__ratio_sign(&s->model->algebra, c->variance) == QKV__SIGN_POSITIVE);
        }
        if (!good) return false;
    }
    return true;
}

/* Of what is not normal: a limit that is not 0 somewhere is not 0 for an open set of the random
 * numbers, which has some probability. */
static qkv__verdict settles(qkv__situation *s, const qkv__gap *gap)
{
    qkv__ratio mean, variance;
    if (qkv__limit_moves(s, gap->symbol)) return QKV__UNDECIDED; /* the length counts as well */
    if (qkv__moment_normal(s, gap->difference, &mean, &variance))
        return normal_vanishes(s, mean, variance);
    if (!stays_random(s, gap->difference)) return QKV__UNDECIDED;
    qkv__nullity limit = qkv__limits_vanish(s, gap, 1);
    return limit == QKV__NULLITY_ZERO   ? QKV__PROVED
           : limit == QKV__NULLITY_OPEN ? QKV__UNDECIDED
                                        : QKV__REFUTED;
}

static qkv__verdict decide_in_probability(qkv__situation *s, const qkv__gap *gaps, size_t count)
{
    qkv__verdict verdict = QKV__PROVED;
    if (qkv__chance_is_conditioned(s) || qkv__chance_is_replaced(s))
        return qkv__situation_undecided(s, "a condition on random numbers that changes their law");
    for (size_t i = 0; i < count; i++) verdict = qkv__verdict_both(verdict, settles(s, &gaps[i]));
    if (verdict == QKV__REFUTED && !qkv__gaps_are_independent(s, gaps, count))
        verdict = QKV__UNDECIDED;
    if (verdict == QKV__UNDECIDED)
        return qkv__situation_undecided(s, "it is not known whether this converges");
    qkv__situation_say(s, verdict == QKV__PROVED ? "In probability: mean and variance tend to 0."
                                                 : "The difference stays random in the limit.");
    return qkv__situation_conclude(s, verdict, "exact");
}

/* ---- x ~ y --------------------------------------------------------------------------- */

qkv__verdict qkv__decide_random_limit(qkv__situation *s, const qkv__value *x, const qkv__gap *gaps,
                                      size_t count)
{
    qkv__partition partition;
    qkv__ratio ratios[QKV__GAPS];
    bool open = false, differs = false;
    if (growing_parameter(s) == -1) return decide_in_probability(s, gaps, count);
    for (size_t i = 0; i < count; i++) ratios[i] = gaps[i].difference;
    if (!qkv__partition_make(s, ratios, count, &partition))
        return qkv__situation_undecided(
            s, "there are several random numbers, or the limit changes at an irrational point");
    qkv__situation_begin_found(s);
    tell_outcomes(s, x, &partition);
    for (size_t i = 0; i < partition.count; i++) {
        qkv__scope scope = qkv__situation_open(s);
        qkv__partition_enter(s, &partition, i);
        qkv__nullity all = qkv__limits_vanish(s, gaps, count);
        qkv__situation_close(s, &scope);
        open = open || all == QKV__NULLITY_OPEN;
        differs = differs || all == QKV__NULLITY_NEVER || all == QKV__NULLITY_SOMEWHERE_OTHER;
    }
    if (differs) return qkv__situation_conclude(s, QKV__REFUTED, "exact");
    if (open)
        return qkv__situation_undecided(s,
                                        "which term grows fastest depends on unknown quantities");
    qkv__situation_say(s, "That holds with probability 1.");
    return qkv__situation_conclude(s, QKV__PROVED, "exact");
}

/* ---- The statement ------------------------------------------------------------------- */

typedef struct law_task {
    const qkv__node *expression;
    qkv__finding *finding;
} law_task;

/* Whether a premise speaks of the vectors of which an outcome is made. */
static bool premises_meet(qkv__situation *s, const qkv__vector *vector)
{
    const qkv__model *model = s->model;
    qkv__reached names = {.count = 0};
    for (size_t i = 0; i < vector->count; i++) {
        qkv__gap gap = {.symbol = vector->component[i].symbol};
        if (!qkv__gaps_are_refutable(s, &gap, 1)) return true; /* an inner product is given */
        qkv__reached_add(&names, vector->component[i].symbol.family->name);
    }
    for (size_t i = 0; i < model->premise_count; i++)
        if (qkv__reach_meets(model, model->premise[i], QKV__REACH_STATED, &names, 0)) return true;
    for (size_t i = 0; i < s->circumstances->count; i++)
        if (qkv__circumstance_is_premise(&s->circumstances->item[i]) &&
            qkv__reach_meets(model, s->circumstances->item[i].node, QKV__REACH_STATED, &names, 0))
            return true;
    return false;
}

/* Whether the limits are numbers on every stretch, so that there are finitely many outcomes. */
static bool is_discrete(qkv__situation *s, const qkv__ratio *ratios, size_t count,
                        const qkv__partition *partition)
{
    bool good = true;
    for (size_t i = 0; i < partition->count; i++) {
        qkv__scope scope = qkv__situation_open(s);
        qkv__partition_enter(s, partition, i);
        for (size_t r = 0; good && r < count; r++) {
            qkv__limit limit = qkv__limit_of(s, ratios[r]);
            good = limit.kind == QKV__LIMIT_FINITE && !qkv__random_touches(s->model, limit.value);
        }
        qkv__situation_close(s, &scope);
    }
    return good;
}

static void find_law(qkv__situation *s, void *data)
{
    law_task *task = data;
    qkv__value value;
    qkv__failure failure = {0};
    const qkv__node *culprit;
    const qkv__vector *vector;
    qkv__ratio ratios[QKV__GAPS];
    qkv__partition partition;
    size_t count = 0;
    qkv__finding *kept = s->finding;
    s->finding = task->finding;
    if (!qkv__model_evaluate(s->model, task->expression, NULL, &value, &failure, &culprit)) {
        qkv__situation_failed(s, &failure, culprit);
    } else {
        if (qkv__value_as_ratio(&value, &ratios[0])) count = 1;
        if (qkv__value_as_vector(&value, &vector))
            for (; vector->count <= QKV__GAPS && count < vector->count; count++)
                ratios[count] = vector->component[count].factor;
        for (size_t i = 0; i < count; i++) ratios[i] = qkv__situation_apply(s, ratios[i]);
        bool vectors = qkv__value_as_vector(&value, &vector), moves = false;
        for (size_t l = 0; l < s->limit_count; l++) /* sums of many, and vectors that grow */
            moves = moves || s->model->algebra.parameter[s->limit[l].parameter].whole;
        for (size_t i = 0; vectors && i < vector->count; i++)
            moves = moves || qkv__limit_moves(s, vector->component[i].symbol);
        if (vectors && moves) {
            qkv__situation_undecided(
                s, "the coefficients alone do not determine the limit of this vector");
        } else if (qkv__ties_hold_node(s, task->expression)) {
            qkv__situation_undecided(s,
                                     "a premise makes something in the claim depend on the limit");
        } else if (s->veiled || s->weakened) {
            qkv__situation_undecided(s, "a condition is beyond the engines");
        } else if (vectors && premises_meet(s, vector)) {
            qkv__situation_undecided(s, "a premise may make different outcomes the same vector");
        } else if (count == 0 || s->limit_count == 0 ||
                   !qkv__partition_make(s, ratios, count, &partition)) {
            qkv__situation_undecided(s, "a law in a limit is found only for one random number: law "
                                        "of c as alpha -> 0 then beta -> inf");
        } else if (!is_discrete(s, ratios, count, &partition)) {
            qkv__situation_undecided(
                s, "a law is found only where the limit takes finitely many values");
        } else {
            tell_outcomes(s, &value, &partition);
            task->finding->verdict = qkv__situation_conclude(s, QKV__PROVED, "exact");
        }
    }
    s->finding = kept;
}

void qkv__law(qkv__model *model, const qkv__node *expression,
              const qkv__circumstances *circumstances, qkv__finding *finding)
{
    *finding = (qkv__finding){.engine = ""};
    law_task task = {expression, finding};
    qkv__situation s = {.model = model, .circumstances = circumstances, .finding = finding};
    qkv__memory memory = qkv__situation_remember(&s);
    qkv__box box;
    bool good = qkv__conditions_take(&s);
    if (good && !qkv__box_of_algebra(&model->algebra, &box)) good = qkv__conditions_exclude(&s);
    if (good) find_law(&s, &task);
    qkv__situation_forget(&s, &memory);
}
