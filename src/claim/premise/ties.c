/* The names that premises tie to a limit: the closure over all premises that share a name. Reads
 * the tree; knows nothing of how limits are taken. */
#include "claim/premise/ties.h"

#include <string.h>

#include "language/tree.h"

/* ---- The closure --------------------------------------------------------------------------- */

/* Joins the names of a premise that has one of them. */
static void join(const qkv__situation *s, qkv__ties *ties, const qkv__node *premise)
{
    if (premise->kind == QKV__NODE_AND) {
        join(s, ties, premise->child[0]);
        join(s, ties, premise->child[1]);
        return;
    }
    if (qkv__reach_meets(s->model, premise, QKV__REACH_SIZES, &ties->names, 0))
        qkv__reach_collect(s->model, premise, QKV__REACH_STATED, &ties->names);
}

/* Vectors are others where they have more coordinates, unless nothing of them is known but
 * products.
 */
static void join_dimension(const qkv__situation *s, qkv__ties *ties, const qkv__statement *family)
{
    for (size_t i = 1; i < family->count; i++) {
        const qkv__node *property = family->node[i];
        if (property->kind == QKV__NODE_NAME && strcmp(property->text, "orthonormal") == 0) return;
        if (property->kind == QKV__NODE_CALL && strcmp(property->text, "dimension") == 0 &&
            qkv__reach_meets(s->model, property, QKV__REACH_SIZES, &ties->names, 0))
            qkv__reach_collect(s->model, family->node[0], QKV__REACH_STATED, &ties->names);
    }
}

static void join_statements(const qkv__situation *s, qkv__ties *ties, const qkv__statement *first,
                            bool inside)
{
    for (const qkv__statement *p = first; p != NULL; p = p->next) {
        if (!inside && p->kind == QKV__STATEMENT_PROBLEM && p != first) break;
        if (p->kind == QKV__STATEMENT_GIVEN || p->kind == QKV__STATEMENT_ASSUME)
            for (size_t i = 0; i < p->count; i++) join(s, ties, p->node[i]);
        if (p->kind == QKV__STATEMENT_FAMILY) join_dimension(s, ties, p);
        join_statements(s, ties, p->inside, true);
    }
}

static void join_circumstances(const qkv__situation *s, qkv__ties *ties)
{
    for (size_t i = 0; s->circumstances != NULL && i < s->circumstances->count; i++)
        if (qkv__circumstance_is_premise(&s->circumstances->item[i]))
            join(s, ties, s->circumstances->item[i].node);
}

static const char *limit_name(const qkv__situation *s, size_t limit)
{
    return s->model->algebra.parameter[s->limit[limit].parameter].name;
}

static void close_over(const qkv__situation *s, qkv__ties *ties)
{
    size_t before;
    do {
        before = ties->names.count;
        join_statements(s, ties, s->model->statements, false);
        join_circumstances(s, ties);
        for (size_t i = 0; i < s->premise_count && i < QKV__SITUATION_PREMISES; i++)
            join(s, ties, s->premise[i]);
    } while (ties->names.count != before && !ties->names.all);
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
    if (ties.names.all) return true;
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
