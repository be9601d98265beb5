/* The names that premises tie to a limit: the closure over all premises that share a name. Reads
 * the tree; knows nothing of how limits are taken. */
#include "claim/premise/ties.h"

#include <string.h>

#include "claim/model/binding.h"
#include "claim/premise/given.h"
#include "language/builtin.h"
#include "language/tree.h"

/* ---- Premises ---------------------------------------------------------------------------- */

typedef void visitor(const qkv__node *premise, void *data);

/* Everything that is supposed, in the problem and around the claim. */
static void each_premise(const qkv__situation *s, visitor *visit, void *data)
{
    for (const qkv__statement *p = s->model->statements; p != NULL; p = qkv__statement_after(p)) {
        bool premise = p->kind == QKV__STATEMENT_GIVEN || p->kind == QKV__STATEMENT_ASSUME;
        for (size_t i = 0; premise && i < p->count; i++) visit(p->node[i], data);
        if (p->kind == QKV__STATEMENT_PICK) visit(p->node[p->count - 1], data); /* is not empty */
        for (size_t i = 1; p->kind == QKV__STATEMENT_FAMILY && i < p->count; i++)
            if (qkv__builtin_of(p->node[i]) == QKV__BUILTIN_NORM) /* is positive */
                visit(p->node[i]->child[0], data);
    }
    for (size_t i = 0; s->circumstances != NULL && i < s->circumstances->count; i++)
        if (qkv__circumstance_is_premise(&s->circumstances->item[i]))
            visit(s->circumstances->item[i].node, data);
    for (size_t i = 0; i < s->premise_count && i < QKV__SITUATION_PREMISES; i++)
        visit(s->premise[i], data);
}

/* ---- Margins --------------------------------------------------------------------------- */

typedef struct others {
    const qkv__situation *s;
    const qkv__node *premise;
    qkv__reached families;
    bool speak; /* of the families */
} others;

static void ask_other(const qkv__node *premise, void *data)
{
    others *o = data;
    if (premise != o->premise && premise->kind != QKV__NODE_RANGE)
        o->speak =
            o->speak || qkv__reach_meets(o->s->model, premise, QKV__REACH_ALL, &o->families, 0);
}

/* for all i != j: k[j].q - k[i].q >= Delta, of vectors of which nothing else is known: that says
 * nothing of how many there are. */
static bool is_margin(const qkv__situation *s, const qkv__node *premise)
{
    others o = {.s = s, .premise = premise};
    if (premise->kind != QKV__NODE_FOR_ALL || premise->count != 2 ||
        !qkv__node_is_domain(premise->child[0]))
        return false;
    const qkv__node *body = premise->child[1];
    if (qkv__node_mentions(body, premise->child[0]->child[0]->text) ||
        qkv__given_has_defined(s->model, body))
        return false;
    for (const qkv__statement *f = s->model->statements; f != NULL; f = qkv__statement_after(f)) {
        if (f->kind != QKV__STATEMENT_FAMILY || f->node[0]->kind != QKV__NODE_INDEX) continue;
        const char *name = f->node[0]->child[0]->text;
        if (!qkv__reaches(s->model, body, name)) continue; /* k[i], or k_i */
        if (f->count > 1) return false;
        qkv__reached_add(&o.families, name);
    }
    each_premise(s, ask_other, &o);
    return !o.speak;
}

/* ---- The closure ----------------------------------------------------------------------- */

typedef struct closure {
    const qkv__situation *s;
    qkv__ties *ties;
} closure;

/* Whether something is said that may bound how many vectors there are, or the size of a matrix. */
static bool speaks_of_many(const qkv__model *model, const qkv__node *node)
{
    bool named = qkv__node_is_word(node);
    const qkv__binding *binding = named ? qkv__model_find(model, NULL, node->text) : NULL;
    if (node->kind == QKV__NODE_FOR_ALL || (binding != NULL && binding->symbolic != NULL))
        return true;
    for (const qkv__statement *s = model->statements; named && s != NULL;
         s = qkv__statement_after(s))
        if ((s->kind == QKV__STATEMENT_FAMILY || s->kind == QKV__STATEMENT_DEFINE) &&
            strcmp(qkv__statement_name(s), node->text) == 0)
            return true;
    for (size_t i = 0; i < node->count; i++)
        if (speaks_of_many(model, node->child[i])) return true;
    return false;
}

/* Joins the names of a premise that has one of them. */
static void join(const qkv__node *premise, void *data)
{
    closure *c = data;
    if (premise->kind == QKV__NODE_AND) {
        join(premise->child[0], data);
        join(premise->child[1], data);
        return;
    }
    if (!qkv__reach_meets(c->s->model, premise, QKV__REACH_SIZES, &c->ties->names, 0)) return;
    bool margin = is_margin(c->s, premise);
    qkv__reach_collect(c->s->model, margin ? premise->child[1] : premise, QKV__REACH_STATED,
                       &c->ties->names);
    if (!margin && speaks_of_many(c->s->model, premise)) c->ties->sizes = true;
}

/* The letters that sizes and dimensions are made of. */
static void collect_sizes(const qkv__model *model, qkv__reached *sizes)
{
    const qkv__algebra *algebra = &model->algebra;
    for (size_t p = 0; p < algebra->parameter_count; p++)
        if (algebra->parameter[p].whole) qkv__reached_add(sizes, algebra->parameter[p].name);
    for (const qkv__statement *s = model->statements; s != NULL; s = qkv__statement_after(s))
        for (size_t n = 0; n < s->count; n++) {
            const qkv__node *node = s->node[n];
            bool family = s->kind == QKV__STATEMENT_FAMILY,
                 object = s->kind == QKV__STATEMENT_OBJECT;
            for (size_t i = 1; node->kind == QKV__NODE_INDEX && i < node->count; i++)
                if (object || (family && node->child[i]->kind == QKV__NODE_RANGE))
                    qkv__reach_collect(model, node->child[i], QKV__REACH_STATED, sizes);
            if (family && node->kind == QKV__NODE_CALL && strcmp(node->text, "dimension") == 0)
                qkv__reach_collect(model, node->child[0], QKV__REACH_STATED, sizes);
        }
}

/* Sizes and dimensions bound each other: what ties one of them may tie them all. */
static void join_sizes(closure *c)
{
    qkv__reached sizes = {.count = 0};
    collect_sizes(c->s->model, &sizes);
    if (sizes.all) c->ties->names.all = true;
    for (size_t i = 0; i < sizes.count; i++)
        if (qkv__ties_have(c->ties, sizes.name[i])) c->ties->sizes = true;
    for (size_t i = 0; c->ties->sizes && i < sizes.count; i++)
        qkv__reached_add(&c->ties->names, sizes.name[i]);
}

/* Vectors are others where they have more coordinates. */
static void join_dimensions(closure *c)
{
    for (const qkv__statement *f = c->s->model->statements; f != NULL; f = qkv__statement_after(f))
        for (size_t i = 1; f->kind == QKV__STATEMENT_FAMILY && i < f->count; i++) {
            const qkv__node *property = f->node[i];
            if (qkv__node_is(property, "orthonormal")) break;
            if (property->kind == QKV__NODE_CALL && strcmp(property->text, "dimension") == 0 &&
                qkv__reach_meets(c->s->model, property, QKV__REACH_SIZES, &c->ties->names, 0))
                qkv__reach_collect(c->s->model, f->node[0], QKV__REACH_STATED, &c->ties->names);
        }
}

static void close_over(const qkv__situation *s, qkv__ties *ties)
{
    closure c = {s, ties};
    size_t before;
    do {
        before = ties->names.count;
        each_premise(s, join, &c);
        join_sizes(&c);
        join_dimensions(&c);
    } while (ties->names.count != before && !ties->names.all);
}

static const char *limit_name(const qkv__situation *s, size_t limit)
{
    return s->model->algebra.parameter[s->limit[limit].parameter].name;
}

void qkv__ties_collect(const qkv__situation *s, qkv__ties *ties)
{
    *ties = (qkv__ties){.names.all = s->premise_count > QKV__SITUATION_PREMISES};
    for (size_t l = 0; l < s->limit_count; l++) qkv__reached_add(&ties->names, limit_name(s, l));
    ties->limits = ties->names.count;
    close_over(s, ties);
    for (size_t l = 0; ties->limits > 1 && l < s->limit_count; l++) { /* given alpha*beta = 1 */
        qkv__ties own = {.limits = 1};
        qkv__reached_add(&own.names, limit_name(s, l));
        close_over(s, &own);
        for (size_t i = 0; i < ties->limits; i++)
            if (strcmp(ties->names.name[i], limit_name(s, l)) != 0 &&
                qkv__ties_have(&own, ties->names.name[i]))
                ties->names.all = true;
    }
}

bool qkv__ties_have(const qkv__ties *ties, const char *name)
{
    return qkv__reached_have(&ties->names, name);
}

/* ---- What is tied -------------------------------------------------------------------------- */

static bool has_family(const qkv__ties *ties, qkv__symbol symbol)
{
    return symbol.family != NULL && !symbol.family->axis &&
           qkv__ties_have(ties, symbol.family->name);
}

bool qkv__ties_hold_symbol(const qkv__situation *s, const qkv__ties *ties, qkv__symbol symbol)
{
    qkv__ratio length;
    return has_family(ties, symbol) &&
           (symbol.member == QKV__REST ||
            !qkv__symbol_product(&s->model->space, symbol, symbol, &length));
}

bool qkv__ties_hold_node(const qkv__situation *s, const qkv__node *node)
{
    qkv__ties ties;
    qkv__ties_collect(s, &ties);
    bool random = s->model->chance_count > 0 || s->model->scale_count > 0;
    if (ties.names.all || (random && ties.sizes)) return true; /* noise is as wide as the room */
    return ties.names.count > ties.limits &&
           qkv__reach_meets(s->model, node, QKV__REACH_ALL, &ties.names, ties.limits);
}

/* Whether a parameter makes a difference to a ratio, and does not just divide out. */
static bool matters(const qkv__situation *s, qkv__ratio ratio, int parameter)
{
    qkv__algebra *algebra = &s->model->algebra;
    if (!qkv__ratio_depends_on(ratio, parameter)) return false;
    qkv__ratio without =
        qkv__ratio_substitute(algebra, ratio, parameter, qkv__form_whole(algebra, 0));
    return qkv__ratio_is_lost(without) || !qkv__ratio_equal(algebra, ratio, without);
}

/* Inner products that are written in coordinates: those of a vector that is tied. */
static bool holds_coordinates(const qkv__situation *s, const qkv__ties *ties, qkv__ratio ratio)
{
    for (size_t i = 0; i < s->substitution_count; i++) {
        const qkv__substitution *put = &s->substitution[i];
        bool tied = false;
        for (const qkv__unknown_product *u = s->model->space.unknown; u != NULL; u = u->next)
            tied = tied || (u->parameter == put->parameter &&
                            (has_family(ties, u->x) || has_family(ties, u->y)));
        for (int p = 0; put->embedded && tied && p < (int)s->model->algebra.parameter_count; p++)
            if (qkv__form_depends_on(put->form, p) && matters(s, ratio, p)) return true;
    }
    return false;
}

bool qkv__ties_hold_ratio(const qkv__situation *s, const qkv__ties *ties, qkv__ratio ratio)
{
    if (ties->names.all) return true;
    const qkv__algebra *algebra = &s->model->algebra;
    if (holds_coordinates(s, ties, ratio)) return true;
    for (const qkv__unknown_product *u = s->model->space.unknown; u != NULL; u = u->next)
        if ((has_family(ties, u->x) || has_family(ties, u->y)) && matters(s, ratio, u->parameter))
            return true;
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        bool limit = algebra->parameter[p].prime != 0;
        for (size_t l = 0; l < s->limit_count; l++) limit = limit || s->limit[l].parameter == p;
        if (!limit && qkv__ties_have(ties, algebra->parameter[p].name) && matters(s, ratio, p))
            return true;
    }
    return false;
}
