/*
 * Limits with a normal parameter in them. Along the line of that parameter the fastest term changes
 * at finitely many places; between two of them every limit is one and the same, so that a limit law
 * has finitely many outcomes, each with the probability of its stretches.
 */
#include <string.h>

#include "claim/compare.h"
#include "claim/likely.h"
#include "claim/random.h"

/* ---- Places where the fastest term changes ------------------------------------------- */

/* form = constant + slope * parameter in rationals. */
static bool rational_line(qkv__algebra *algebra, const qkv__form *form, int parameter,
                          qkv__rational *constant, qkv__rational *slope)
{
    const qkv__form *zero = qkv__form_whole(algebra, 0), *one = qkv__form_whole(algebra, 1);
    const qkv__form *at_zero = qkv__form_substitute(algebra, form, parameter, zero);
    const qkv__form *step =
        qkv__form_subtract(algebra, qkv__form_substitute(algebra, form, parameter, one), at_zero);
    if (!qkv__form_is_constant(at_zero, constant) || !qkv__form_is_constant(step, slope))
        return false;
    const qkv__form *line =
        qkv__form_add(algebra, at_zero,
                      qkv__form_scale(algebra, qkv__form_parameter(algebra, parameter), *slope));
    return qkv__form_equal(form, line);
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
            qkv__rational constant, slope;
            if (apart == NULL) return false;
            if (!qkv__form_depends_on(apart, parameter)) continue;
            if (!rational_line(algebra, apart, parameter, &constant, &slope) ||
                !add_place(p, qkv__rational_negate(qkv__rational_divide(constant, slope))))
                return false;
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

/* One outcome: its text, and what it happens with. */
typedef struct outcome {
    qkv__text text;
    qkv__likely probability;
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

/* Neighbouring stretches with the same limit are one outcome. */
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
        for (last = i; last + 1 < partition->count && outcomes[last + 1].text.data != NULL &&
                       strcmp(text, outcomes[last + 1].text.data) == 0;
             last++)
            continue;
        qkv__likely chance = qkv__partition_probability(partition, i, last);
        qkv__text_format(&s->finding->found, "%s%s", i == 0 ? "-> " : "; ", text);
        if (i == 0 && last + 1 == partition->count) continue;
        qkv__text_format(&s->finding->found, " with probability ");
        if (chance.exact || !write_closed(s, partition, i, last, &s->finding->found))
            qkv__likely_write(chance, &s->finding->found);
    }
    for (size_t i = 0; i < partition->count; i++) qkv__text_free(&outcomes[i].text);
}

/* ---- x ~ y --------------------------------------------------------------------------- */

qkv__verdict qkv__decide_random_limit(qkv__situation *s, const qkv__value *x, const qkv__gap *gaps,
                                      size_t count)
{
    qkv__partition partition;
    qkv__ratio ratios[QKV__GAPS];
    bool open = false, differs = false;
    for (size_t i = 0; i < count; i++) ratios[i] = gaps[i].difference;
    if (!qkv__partition_make(s, ratios, count, &partition))
        return qkv__situation_undecided(
            s, "several random numbers, or where the limit changes is no rational number");
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
        return qkv__situation_undecided(s, "which term grows fastest depends on what is not known");
    qkv__situation_say(s, "That holds with probability 1.");
    return qkv__situation_conclude(s, QKV__PROVED, "exact");
}

/* ---- The statement ------------------------------------------------------------------- */

typedef struct law_task {
    const qkv__node *expression;
    qkv__finding *finding;
} law_task;

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
        if (s->veiled) {
            qkv__situation_undecided(s, "a condition is beyond the engines");
        } else if (count == 0 || s->limit_count == 0 ||
                   !qkv__partition_make(s, ratios, count, &partition)) {
            qkv__situation_undecided(s, "a law is found in a limit, of one random number: law of c "
                                        "as alpha -> 0 then beta -> inf");
        } else if (!is_discrete(s, ratios, count, &partition)) {
            qkv__situation_undecided(s,
                                     "a law is found where the limit takes finitely many values");
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
    qkv__under_conditions(model, circumstances, find_law, &task);
}
