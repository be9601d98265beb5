/* The names that premises tie to a limit: the closure over all premises that share a name. Reads
 * the tree; knows nothing of how limits are taken. */
#include "claim/premise/ties.h"

#include <string.h>

#include "claim/model/binding.h"
#include "language/chance_call.h"
#include "language/tree.h"

enum { DEPTH = 24 };

bool qkv__ties_have(const qkv__ties *ties, const char *name)
{
    for (size_t i = 0; i < ties->count; i++)
        if (strcmp(ties->name[i], name) == 0) return true;
    return ties->all;
}

static void add(qkv__ties *ties, const char *name)
{
    if (qkv__ties_have(ties, name)) return;
    if (ties->count == QKV__TIES)
        ties->all = true;
    else
        ties->name[ties->count++] = name;
}

/* ---- Names in a tree ----------------------------------------------------------------------- */

typedef struct walk {
    const qkv__model *model;
    const qkv__ties *among; /* looks for one of these */
    qkv__ties *into;        /* or adds all to these */
    size_t except;          /* among: but not of so many, the first */
    bool sizes;             /* looks at the sizes of families and the ends of ranges as well */
    bool laws;              /* and into laws of random keys */
    bool found;
} walk;

static void walk_node(walk *w, const qkv__node *node, int depth);
static void walk_name(walk *w, const char *name, int depth);

static void take_name(walk *w, const char *name)
{
    if (w->among == NULL) {
        add(w->into, name);
        return;
    }
    bool except = false;
    for (size_t i = 0; i < w->except; i++) except = except || strcmp(w->among->name[i], name) == 0;
    w->found = w->found || (!except && qkv__ties_have(w->among, name));
}

/* The family of k_a, which is k[a]. */
static void take_subscripted(walk *w, const char *name, int depth)
{
    for (const qkv__statement *s = w->model->statements; s != NULL; s = qkv__statement_after(s)) {
        const qkv__node *node = s->count > 0 ? s->node[0] : NULL;
        if (node != NULL && node->kind == QKV__NODE_COMPARE) node = node->child[0];
        if (node != NULL && node->kind == QKV__NODE_INDEX) node = node->child[0];
        size_t length = node == NULL ? 0 : strlen(node->text);
        if (length > 0 && (s->kind == QKV__STATEMENT_FAMILY || s->kind == QKV__STATEMENT_DEFINE) &&
            strncmp(name, node->text, length) == 0 && name[length] == '_')
            walk_name(w, node->text, depth + 1);
    }
}

/* What a name is defined as, and the norm of a family. */
static void walk_statement(walk *w, const qkv__statement *s, const char *name, int depth)
{
    const qkv__node *target = s->count > 0 ? s->node[0] : NULL;
    const qkv__node *inner =
        target != NULL && target->kind == QKV__NODE_INDEX ? target->child[0] : target;
    if (target == NULL) return;
    if (s->kind == QKV__STATEMENT_FAMILY && target->kind == QKV__NODE_COMPARE) {
        const qkv__node *family = target->child[0];
        if (family->kind == QKV__NODE_INDEX) family = family->child[0];
        bool law = target->comparison == QKV__DISTRIBUTED;
        if ((w->laws || !law) && strcmp(family->text, name) == 0)
            walk_node(w, target->child[1], depth + 1);
    }
    if (target->kind == QKV__NODE_COMPARE || strcmp(inner->text, name) != 0) return;
    if (s->kind == QKV__STATEMENT_DEFINE) walk_node(w, s->node[1], depth + 1);
    if (s->kind == QKV__STATEMENT_FAMILY && w->sizes && target->child[1]->kind == QKV__NODE_RANGE)
        walk_node(w, target->child[1], depth + 1);
    for (size_t i = 1; s->kind == QKV__STATEMENT_FAMILY && i < s->count; i++)
        if (s->node[i]->kind == QKV__NODE_CALL &&
            (w->sizes || w->laws || strcmp(s->node[i]->text, "norm") == 0)) /* or a dimension */
            walk_node(w, s->node[i]->child[0], depth + 1);
}

static void walk_name(walk *w, const char *name, int depth)
{
    if (depth > DEPTH) return;
    take_name(w, name);
    take_subscripted(w, name, depth);
    for (const qkv__statement *s = w->model->statements; s != NULL; s = qkv__statement_after(s)) {
        walk_statement(w, s, name, depth);
    }
}

/* An index ties nothing; the range that it runs over is tied to a limit in its end alone. */
static void walk_node(walk *w, const qkv__node *node, int depth)
{
    bool domain = node->kind == QKV__NODE_COMPARE &&
                  (node->comparison == QKV__IN || node->comparison == QKV__NOT_IN) &&
                  node->child[1]->kind == QKV__NODE_RANGE;
    if (depth > DEPTH) { /* nobody knows what is further in */
        w->found = true;
        if (w->into != NULL) w->into->all = true;
        return;
    }
    const bool laws = w->laws;
    if (node->kind == QKV__NODE_NAME || node->kind == QKV__NODE_CALL)
        walk_name(w, node->text, depth);
    if (node->kind == QKV__NODE_CALL && w->sizes && qkv__speaks_of_chance(node))
        w->laws = true; /* E(|k[a]|^2) speaks of the law, and of the dimension */
    size_t count = node->kind == QKV__NODE_INDEX ? 1 : node->count;
    for (size_t i = 0; i < count; i++) {
        bool range = domain && i == 1 && node->child[0]->kind == QKV__NODE_NAME &&
                     qkv__parameter_find(&w->model->algebra, node->child[0]->text) < 0 &&
                     qkv__model_find(w->model, NULL, node->child[0]->text) == NULL;
        if (node->child[i]->kind != QKV__NODE_SET && (!range || w->sizes))
            walk_node(w, node->child[i], depth);
    }
    w->laws = laws;
}

/* ---- The closure --------------------------------------------------------------------------- */

/* Joins the names of a premise that has one of them. */
static void join(const qkv__situation *s, qkv__ties *ties, const qkv__node *premise)
{
    if (premise->kind == QKV__NODE_AND) {
        join(s, ties, premise->child[0]);
        join(s, ties, premise->child[1]);
        return;
    }
    walk look = {.model = s->model, .among = ties, .sizes = true};
    walk_node(&look, premise, 0);
    walk take = {.model = s->model, .into = ties};
    if (look.found) walk_node(&take, premise, 0);
}

static void join_statements(const qkv__situation *s, qkv__ties *ties, const qkv__statement *first,
                            bool inside)
{
    for (const qkv__statement *p = first; p != NULL; p = p->next) {
        if (!inside && p->kind == QKV__STATEMENT_PROBLEM && p != first) break;
        if (p->kind == QKV__STATEMENT_GIVEN || p->kind == QKV__STATEMENT_ASSUME)
            for (size_t i = 0; i < p->count; i++) join(s, ties, p->node[i]);
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
        before = ties->count;
        join_statements(s, ties, s->model->statements, false);
        join_circumstances(s, ties);
        for (size_t i = 0; i < s->premise_count && i < QKV__SITUATION_PREMISES; i++)
            join(s, ties, s->premise[i]);
    } while (ties->count != before && !ties->all);
}

void qkv__ties_collect(const qkv__situation *s, qkv__ties *ties)
{
    *ties = (qkv__ties){.all = s->premise_count > QKV__SITUATION_PREMISES};
    for (size_t l = 0; l < s->limit_count; l++) add(ties, limit_name(s, l));
    ties->limits = ties->count;
    close_over(s, ties);
    for (size_t l = 0; ties->limits > 1 && l < s->limit_count; l++) { /* given alpha*beta = 1 */
        qkv__ties own = {.count = 1, .limits = 1, .name = {limit_name(s, l)}};
        close_over(s, &own);
        for (size_t i = 0; i < ties->limits; i++)
            if (strcmp(ties->name[i], limit_name(s, l)) != 0 && qkv__ties_have(&own, ties->name[i]))
                ties->all = true;
    }
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
    walk look = {.model = s->model, .among = &ties, .except = ties.limits, .laws = true};
    if (ties.all) return true;
    if (ties.count == ties.limits) return false;
    walk_node(&look, node, 0);
    return look.found;
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
    if (ties->all) return true;
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
