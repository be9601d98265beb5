/* Situations: how findings are told, what premises make of a ratio, and which witnesses are real.
 * Knows values and bounds; nothing of comparisons. */
#include "claim/model/index_set.h"
#include "claim/premise/situation.h"

#include <assert.h>
#include <string.h>

#include "claim/model/binding.h"
#include "claim/model/evaluate.h"
#include "claim/premise/assume.h"

/* ---- Telling ------------------------------------------------------------------------- */

void qkv__situation_say(qkv__situation *s, const char *sentence)
{
    qkv__text *reason = &s->finding->reason;
    if (reason->data != NULL && strstr(reason->data, sentence) != NULL) return;
    qkv__text_format(reason, "%s%s", reason->length > 0 ? " " : "", sentence);
}

void qkv__situation_begin_found(qkv__situation *s)
{
    if (s->finding->found.length > 0) qkv__text_format(&s->finding->found, "; ");
}

qkv__verdict qkv__situation_conclude(qkv__situation *s, qkv__verdict verdict, const char *engine)
{
    assert(s->finding != NULL && engine != NULL);
    assert((verdict == QKV__UNDECIDED) == (engine[0] == '\0'));
    s->finding->engine = engine;
    return verdict;
}

qkv__verdict qkv__situation_undecided(qkv__situation *s, const char *reason)
{
    assert(reason != NULL);
    if (s->finding->reason.length == 0) qkv__text_format(&s->finding->reason, "%s", reason);
    return qkv__situation_conclude(s, QKV__UNDECIDED, "");
}

/* Where memory has run out, values are missing that a message would blame on the text. */
qkv__verdict qkv__situation_ill_posed(qkv__situation *s, const qkv__node *culprit,
                                      const char *message)
{
    if (s->model->algebra.arena.failed)
        return qkv__situation_undecided(s, "this needs more memory than one claim may use");
    if (s->finding->culprit == NULL) {
        s->finding->culprit = culprit;
        strncat(s->finding->complaint, message,
                sizeof s->finding->complaint - strlen(s->finding->complaint) - 1);
    }
    return qkv__situation_conclude(s, QKV__UNDECIDED, "");
}

qkv__verdict qkv__situation_failed(qkv__situation *s, const qkv__failure *failure,
                                   const qkv__node *culprit)
{
    assert(failure != NULL);
    if (failure->trouble == QKV__TROUBLE_TEXT && culprit != NULL)
        return qkv__situation_ill_posed(s, culprit, failure->message);
    return qkv__situation_undecided(s, failure->message);
}

/* ---- Scopes -------------------------------------------------------------------------- */

qkv__scope qkv__situation_open(const qkv__situation *s)
{
    const qkv__algebra *algebra = &s->model->algebra;
    qkv__scope scope = {.parameter_count = algebra->parameter_count,
                        .substitution_count = s->substitution_count,
                        .left_out_count = s->left_out_count,
                        .premise_count = s->premise_count,
                        .narrowed = s->narrowed,
                        .weakened = s->weakened,
                        .veiled = s->veiled,
                        .unused = s->unused,
                        .bindings = s->model->bindings};
    memcpy(scope.parameter, algebra->parameter, sizeof scope.parameter);
    return scope;
}

/* Parameters that came up meanwhile stay, since forms speak of them, but not what a premise said
 * of them. */
void qkv__situation_close(qkv__situation *s, const qkv__scope *scope)
{
    qkv__algebra *algebra = &s->model->algebra;
    assert(scope->substitution_count <= s->substitution_count);
    assert(scope->parameter_count <= s->model->algebra.parameter_count);
    assert(scope->premise_count <= s->premise_count);
    memcpy(algebra->parameter, scope->parameter,
           scope->parameter_count * sizeof scope->parameter[0]);
    for (size_t p = scope->parameter_count; p < algebra->parameter_count; p++)
        if (algebra->parameter[p].narrowed) {
            algebra->parameter[p].lower = algebra->parameter[p].born_lower;
            algebra->parameter[p].upper = algebra->parameter[p].born_upper;
            algebra->parameter[p].narrowed = false;
        }
    s->substitution_count = scope->substitution_count;
    s->left_out_count = scope->left_out_count;
    s->premise_count = scope->premise_count;
    s->narrowed = scope->narrowed;
    s->weakened = scope->weakened;
    s->unused = scope->unused;
    s->veiled = scope->veiled;
    s->model->bindings = scope->bindings;
}

qkv__memory qkv__situation_remember(const qkv__situation *s)
{
    const qkv__space *space = &s->model->space;
    return (qkv__memory){.scope = qkv__situation_open(s),
                         .given = space->given,
                         .unknown = space->unknown,
                         .spreads = space->spreads,
                         .family_count = space->family_count,
                         .slacks = s->slacks};
}

/* Products that were given go as well: those of a family that ends would be another's that takes
 * its place. */
void qkv__situation_forget(qkv__situation *s, const qkv__memory *memory)
{
    assert(memory->family_count <= s->model->space.family_count);
    qkv__space *space = &s->model->space;
    qkv__situation_close(s, &memory->scope);
    s->model->algebra.parameter_count = memory->scope.parameter_count;
    space->given = memory->given;
    space->unknown = memory->unknown;
    space->spreads = memory->spreads;
    space->family_count = memory->family_count;
    s->slacks = memory->slacks;
}

/* ---- What premises make of a ratio --------------------------------------------------- */

static bool is_fixed(const qkv__parameter *known)
{
    return known->lower.known && known->upper.known &&
           qkv__rational_compare(known->lower.value, known->upper.value) == 0;
}

static qkv__ratio apply_premises(const qkv__situation *s, qkv__ratio ratio)
{
    qkv__algebra *algebra = &s->model->algebra;
    /* Later premises were taken after earlier ones had been applied to them, and may have replaced
     * parameters that those brought. */
    for (size_t i = 0; i < s->substitution_count; i++)
        if (qkv__ratio_depends_on(ratio, s->substitution[i].parameter))
            ratio = qkv__ratio_substitute(algebra, ratio, s->substitution[i].parameter,
                                          s->substitution[i].form);
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (is_fixed(&algebra->parameter[p]) && qkv__ratio_depends_on(ratio, p))
            ratio = qkv__ratio_substitute(
                algebra, ratio, p, qkv__form_constant(algebra, algebra->parameter[p].lower.value));
    return ratio;
}

/* A normal number without variance is its mean. */
qkv__ratio qkv__situation_apply(const qkv__situation *s, qkv__ratio ratio)
{
    qkv__algebra *algebra = &s->model->algebra;
    ratio = apply_premises(s, ratio);
    for (size_t i = 0; i < s->model->chance_count; i++) {
        const qkv__chance *chance = &s->model->chance[i];
        qkv__rational mean;
        if (qkv__ratio_depends_on(ratio, chance->parameter) &&
            qkv__ratio_is_zero(apply_premises(s, chance->variance)) &&
            qkv__ratio_is_constant(chance->mean, &mean))
            ratio = qkv__ratio_substitute(algebra, ratio, chance->parameter,
                                          qkv__form_constant(algebra, mean));
    }
    return ratio;
}

/* ---- Witnesses that are real --------------------------------------------------------- */

enum { SYMBOLS = 24 };

/* The vectors whose inner products a witness fixes, and their Gram matrix. */
typedef struct gram {
    size_t count;
    qkv__symbol symbol[SYMBOLS];
    bool free[SYMBOLS]; /* nothing is known of the length */
    qkv__rational entry[SYMBOLS][SYMBOLS];
} gram;

static int find_symbol(gram *g, qkv__symbol symbol)
{
    for (size_t i = 0; i < g->count; i++)
        if (g->symbol[i].family == symbol.family && g->symbol[i].member == symbol.member)
            return (int)i;
    if (g->count == SYMBOLS) return -1;
    g->symbol[g->count] = symbol;
    return (int)g->count++;
}

/* The value of a ratio at a point, where it is rational. */
static bool value_at(const qkv__situation *s, qkv__ratio ratio, const qkv__point *point,
                     qkv__rational *value)
{
    qkv__algebra *algebra = &s->model->algebra;
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (qkv__ratio_depends_on(ratio, p)) {
            if (qkv__rational_is_lost(point->value[p])) return false;
            ratio = qkv__ratio_substitute(algebra, ratio, p,
                                          qkv__form_constant(algebra, point->value[p]));
        }
    return qkv__ratio_is_constant(ratio, value);
}

bool qkv__situation_parameter_at(const qkv__situation *s, int parameter, const qkv__point *point,
                                 qkv__rational *value)
{
    assert(qkv__is_parameter(&s->model->algebra, parameter));
    qkv__ratio ratio =
        qkv__ratio_of_form(&s->model->algebra, qkv__form_parameter(&s->model->algebra, parameter));
    return value_at(s, qkv__situation_apply(s, ratio), point, value);
}

static bool is_replaced(const qkv__situation *s, int parameter)
{
    for (size_t i = 0; i < s->substitution_count; i++)
        if (s->substitution[i].parameter == parameter) return true;
    return false;
}

/* Whether a premise replaced a parameter, or put it in place of another. */
static bool is_premised(const qkv__situation *s, int parameter)
{
    for (size_t i = 0; i < s->substitution_count; i++)
        if (qkv__form_depends_on(s->substitution[i].form, parameter)) return true;
    return is_replaced(s, parameter);
}

/* Whether a product is known to be more than a product: a premise or a condition bounds it. */
static bool is_bounded(const qkv__situation *s, const qkv__unknown_product *u)
{
    const qkv__parameter *known = &s->model->algebra.parameter[u->parameter];
    bool square = u->x.family == u->y.family && u->x.member == u->y.member;
    bool lower = known->lower.known &&
                 !(square && !known->lower.strict && qkv__rational_is_zero(known->lower.value));
    return lower || known->upper.known;
}

/* A square that the point leaves open may be as long as its bounds allow. */
static bool choose_length(const qkv__situation *s, const qkv__unknown_product *u,
                          qkv__rational *length, bool *free)
{
    const qkv__parameter *known = &s->model->algebra.parameter[u->parameter];
    *free = !known->upper.known;
    if (known->upper.known && known->upper.strict) return false;
    *length = known->upper.known ? known->upper.value : known->lower.value;
    return true;
}

/* The products that are in play: those that the ratio depends on, and those that a premise is
 * about. */
static bool collect_gram(const qkv__situation *s, qkv__ratio ratio, const qkv__point *point,
                         gram *g)
{
    for (size_t i = 0; i < SYMBOLS; i++) g->free[i] = true;
    /* Products that are given tie what the ratio depends on, directly or by way of others. */
    for (const qkv__given_product *known = s->model->space.given; known != NULL;
         known = known->next)
        if (find_symbol(g, known->x) < 0 || find_symbol(g, known->y) < 0) return false;
    for (int pass = 0; pass < 2; pass++) /* all symbols first, then what is known of them */
        for (const qkv__unknown_product *u = s->model->space.unknown; u != NULL; u = u->next) {
            if (!qkv__ratio_depends_on(ratio, u->parameter) && !is_premised(s, u->parameter) &&
                !is_bounded(s, u))
                continue;
            int i = find_symbol(g, u->x), j = find_symbol(g, u->y);
            if (i < 0 || j < 0) return false;
            if (pass == 0) continue;
            bool known = qkv__situation_parameter_at(s, u->parameter, point, &g->entry[i][j]);
            if (!known && (i != j || !choose_length(s, u, &g->entry[i][i], &g->free[i])))
                return false;
            if (!known) continue;
            g->entry[j][i] = g->entry[i][j];
            if (i == j) g->free[i] = false;
        }
    return true;
}

static bool fill_known(const qkv__situation *s, const qkv__point *point, gram *g)
{
    for (size_t i = 0; i < g->count; i++)
        for (size_t j = 0; j <= i; j++) {
            qkv__ratio product;
            if (!qkv__symbol_product(&s->model->space, g->symbol[i], g->symbol[j], &product))
                continue;
            if (!value_at(s, qkv__situation_apply(s, product), point, &g->entry[i][j]))
                return false;
            g->entry[j][i] = g->entry[i][j];
            if (i == j) g->free[i] = false;
        }
    /* A length of which nothing is known may be as large as one likes. */
    for (size_t i = 0; i < g->count; i++)
        for (size_t j = 0; g->free[i] && j < g->count; j++) {
            qkv__rational size = g->entry[i][j];
            if (i == j) size = qkv__rational_whole(1);
            if (qkv__rational_sign(size) < 0) size = qkv__rational_negate(size);
            qkv__rational product = qkv__rational_multiply(size, size);
            g->entry[i][i] = qkv__rational_add(g->entry[i][i], qkv__rational_add(size, product));
        }
    return true;
}

/* Positive definite: every pivot of the elimination is positive. */
static bool is_definite(gram *g)
{
    for (size_t k = 0; k < g->count; k++) {
        qkv__rational pivot = g->entry[k][k];
        if (qkv__rational_is_lost(pivot) || qkv__rational_sign(pivot) <= 0) return false;
        for (size_t i = k + 1; i < g->count; i++) {
            qkv__rational factor = qkv__rational_divide(g->entry[i][k], pivot);
            for (size_t j = k; j < g->count; j++)
                g->entry[i][j] = qkv__rational_subtract(
                    g->entry[i][j], qkv__rational_multiply(factor, g->entry[k][j]));
        }
    }
    return true;
}

/* Products of an average are averages of products, and not free. */
static bool has_bound_average(const qkv__situation *s, qkv__ratio ratio)
{
    for (const qkv__unknown_product *u = s->model->space.unknown; u != NULL; u = u->next)
        for (const qkv__spread *spread = s->model->space.spreads; spread != NULL;
             spread = spread->next) {
            const qkv__family *average = spread->others->component[0].symbol.family;
            if ((u->x.family == average || u->y.family == average) &&
                qkv__ratio_depends_on(ratio, u->parameter))
                return true;
        }
    return false;
}

/* Whether a score still differs from key to key once the rest is known: 0*k[i].q does not. */
static bool spreads_at(const qkv__situation *s, qkv__ratio score, const qkv__point *point)
{
    qkv__algebra *algebra = &s->model->algebra;
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (qkv__ratio_depends_on(score, p) && !algebra->parameter[p].generic) {
            if (qkv__rational_is_lost(point->value[p])) return false;
            score = qkv__ratio_substitute(algebra, score, p,
                                          qkv__form_constant(algebra, point->value[p]));
        }
    return qkv__ratio_is_generic(algebra, score);
}

/* The others' scores may be anything, if they are scores of one query that tells keys apart: two
 * sums of exponentials over the same keys are not independent of each other. */
static bool spreads_are_free(const qkv__situation *s, qkv__ratio ratio, const qkv__point *point)
{
    int seen = -1;
    for (const qkv__spread *spread = s->model->space.spreads; spread != NULL;
         spread = spread->next) {
        if (!qkv__ratio_depends_on(ratio, spread->parameter) && !is_replaced(s, spread->parameter))
            continue;
        if (spread->whole || (seen >= 0 && seen != spread->parameter)) return false;
        seen = spread->parameter;
        if (!spreads_at(s, spread->score, point)) return false;
    }
    return true;
}

/* Parameters that a premise replaced must keep within the bounds that they had. */
static bool keeps_bounds(const qkv__situation *s, const qkv__point *point)
{
    const qkv__algebra *algebra = &s->model->algebra;
    for (size_t i = 0; i < s->substitution_count; i++) {
        const qkv__parameter *known = &algebra->parameter[s->substitution[i].parameter];
        qkv__rational value;
        if (!known->lower.known && !known->upper.known && !known->whole) continue;
        if (!qkv__situation_parameter_at(s, s->substitution[i].parameter, point, &value))
            return false;
        if (known->whole && !qkv__rational_is_whole(value)) return false;
        int below = known->lower.known ? qkv__rational_compare(value, known->lower.value) : 1;
        int above = known->upper.known ? qkv__rational_compare(known->upper.value, value) : 1;
        if (below < 0 || above < 0 || (below == 0 && known->lower.strict) ||
            (above == 0 && known->upper.strict))
            return false;
    }
    return true;
}

bool qkv__situation_is_free(const qkv__situation *s)
{
    for (size_t i = 0; i < s->substitution_count; i++) {
        const qkv__parameter *known = &s->model->algebra.parameter[s->substitution[i].parameter];
        if (known->lower.known || known->upper.known || known->whole) return false;
        for (const qkv__unknown_product *u = s->model->space.unknown; u != NULL; u = u->next)
            if (u->parameter == s->substitution[i].parameter) return false;
    }
    return true;
}

bool qkv__situation_admits(const qkv__situation *s, qkv__ratio ratio, const qkv__point *point)
{
    gram g = {.count = 0};
    if (s->weakened || has_bound_average(s, ratio) || !spreads_are_free(s, ratio, point))
        return false;
    for (size_t i = 0; i < SYMBOLS; i++)
        for (size_t j = 0; j < SYMBOLS; j++) g.entry[i][j] = qkv__rational_whole(0);
    return keeps_bounds(s, point) && collect_gram(s, ratio, point, &g) &&
           fill_known(s, point, &g) && is_definite(&g);
}

/* ---- Members of index sets ----------------------------------------------------------- */

/* The premise that a set has more members than its marks. */
static qkv__premise assume_rest(qkv__situation *s, const qkv__index_set *set)
{
    qkv__algebra *algebra = &s->model->algebra;
    qkv__ratio more =
        qkv__ratio_subtract(algebra, qkv__rest_size(algebra, set), qkv__ratio_whole(algebra, 1));
    return qkv__situation_assume_sign(s, more, QKV__GREATER_OR_EQUAL);
}

static bool ask_member(qkv__situation *s, const qkv__node *domain, qkv__index_set *set, int member,
                       qkv__ask *ask, void *context)
{
    assert(domain->kind == QKV__NODE_COMPARE);
    qkv__scope scope = qkv__situation_open(s);
    const qkv__binding *outer = s->locals;
    qkv__binding local = qkv__index_binding(domain->child[0]->text, set, member, outer);
    bool good = true;
    qkv__premise there = QKV__PREMISE_TAKEN;
    if (member == QKV__GENERIC && !s->for_all) there = assume_rest(s, set);
    if (there == QKV__PREMISE_NOT_TAKEN) s->weakened = true;
    s->locals = &local;
    if (there != QKV__PREMISE_NEVER) good = ask(s, context);
    s->locals = outer;
    if (!s->for_all) qkv__situation_close(s, &scope);
    return good;
}

bool qkv__situation_is_index(const qkv__situation *s, const qkv__node *condition)
{
    for (size_t i = 0; i < s->index_count; i++)
        if (s->index[i] == condition) return true;
    for (size_t i = 0; i < s->further_count; i++)
        if (s->further[i] == condition) return true;
    return false;
}

/* Whether an index bound further out stands for any unmarked member of the set: a second one would
 * be taken for the same. */
static bool has_generic(const qkv__situation *s, const qkv__index_set *set)
{
    for (const qkv__binding *b = s->locals; b != NULL; b = b->next)
        if (b->value.kind == QKV__VALUE_INDEX && b->value.set == set &&
            b->value.member == QKV__GENERIC)
            return true;
    return false;
}

/* The member that an index is in the case at hand; false: any. */
static bool is_known(const qkv__model *model, const qkv__node *domain, const qkv__index_set *set,
                     int *member)
{
    for (size_t i = 0; i < model->fixed_count; i++)
        if (model->fixed[i].domain == domain)
            return (*member = qkv__mark_find(set, model->fixed[i].mark)) >= 0;
    return false;
}

bool qkv__situation_each_index(qkv__situation *s, const qkv__node *domain, qkv__ask *ask,
                               void *context, qkv__failure *failure)
{
    assert(domain->kind == QKV__NODE_COMPARE);
    int known;
    qkv__index_set *set;
    bool left_out[QKV__MARKS + 1];
    const qkv__node *culprit = domain;
    qkv__evaluation e = {
        .model = s->model, .locals = s->locals, .failure = failure, .culprit = &culprit};
    if (!qkv__evaluate_domain(&e, domain, &set, left_out)) return false;
    for (size_t i = 0; i < s->further_count; i++) {
        qkv__index_set *same;
        bool more[QKV__MARKS + 1];
        if (!qkv__situation_is_index(s, domain) ||
            strcmp(s->further[i]->child[0]->text, domain->child[0]->text) != 0)
            continue;
        if (!qkv__evaluate_domain(&e, s->further[i], &same, more)) return false;
        if (same != set)
            return qkv__fail_value(failure, QKV__TROUBLE_UNABLE,
                                   "two conditions put %s into different sets",
                                   domain->child[0]->text);
        for (size_t j = 0; j <= QKV__MARKS; j++) left_out[j] = left_out[j] || more[j];
    }
    if (is_known(s->model, domain, set, &known))
        return left_out[known] || ask_member(s, domain, set, known, ask, context);
    for (int member = QKV__GENERIC; member < (int)set->mark_count; member++) {
        if (left_out[member >= 0 ? member : QKV__MARKS]) continue;
        if (member == QKV__GENERIC && qkv__ratio_is_zero(qkv__rest_size(&s->model->algebra, set)))
            continue;
        if (member == QKV__GENERIC && has_generic(s, set))
            return qkv__fail_value(failure, QKV__TROUBLE_UNABLE,
                                   "two indexes run over %s: they may be equal or not", set->name);
        if (!ask_member(s, domain, set, member, ask, context)) return false;
    }
    return true;
}
