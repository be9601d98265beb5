/* The engine of inequalities: a claim taken apart to comparisons, its premises to facts. Each
 * comparison is proved by itself, from the beginning. Knows nothing of how they are proved. */
#include "claim/inequality/inequality.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "claim/inequality/inequality_part.h"
#include "claim/model/binding.h"
#include "claim/model/limits.h"
#include "language/builtin.h"
#include "language/tree.h"

enum { PREMISES = 48, BOUND = 8 };

/* What a comparison is claimed under. */
typedef struct setting {
    qkv__model *model;
    const qkv__node *claim;
    size_t premise_count;
    const qkv__node *premise[PREMISES];
    size_t index_count;
    const qkv__node *index[BOUND]; /* i in 1..n, i != j */
    const qkv__circumstances *circumstances;
    size_t put_count;
    const qkv__node *put[BOUND]; /* at t = 0: put in after derivatives are taken */
    qkv__text reason;
    qkv__text sum; /* the certificate, if there is one */
    size_t shown;  /* certificates */
    size_t proved; /* comparisons */
} setting;

/* ---- Premises ------------------------------------------------------------------------ */

/* Whether a name stands in brackets, k[t]: then it is an index wherever else it stands. */
static bool is_in_brackets(const qkv__node *node, const char *name)
{
    for (size_t i = 0; i < node->count; i++)
        if ((node->kind == QKV__NODE_INDEX && i > 0 && node->child[i]->kind == QKV__NODE_NAME &&
             strcmp(node->child[i]->text, name) == 0) ||
            is_in_brackets(node->child[i], name))
            return true;
    return false;
}

static bool is_certain_index(const setting *s, const char *name)
{
    bool found = is_in_brackets(s->claim, name);
    for (size_t i = 0; !found && i < s->circumstances->count; i++)
        found = s->circumstances->item[i].node != NULL &&
                is_in_brackets(s->circumstances->item[i].node, name);
    return found;
}

/* An index of a family; t in 0..1 is a number, and a premise. */
static void take_index(const setting *s, qkv__inequality *q, const qkv__node *domain)
{
    qkv__running made;
    if (domain->comparison == QKV__IN &&
        (qkv__tree_size(q, domain->child[1]) == NULL ||
         domain->child[1]->child[1]->kind != QKV__NODE_NAME)) /* t in 1..3 may be any number */
        return;
    if (!qkv__inequality_domain(q, domain, &made)) return;
    made.unclear = !is_certain_index(s, made.name);
    for (size_t i = 0; i < q->index_count; i++)
        if (qkv__inequality_join(&q->index[i], &made)) return;
    if (q->index_count < QKV__INEQUALITY_INDEXES) q->index[q->index_count++] = made;
}

static void take_picks(qkv__inequality *q)
{
    for (const qkv__statement *s = q->model->statements; s != NULL; s = qkv__statement_after(s)) {
        if (s->kind != QKV__STATEMENT_PICK) continue;
        const qkv__node *set = s->node[s->count - 1];
        const char *range = set->kind == QKV__NODE_RANGE ? qkv__tree_text(q, set) : NULL;
        for (size_t i = 0; range != NULL && i + 1 < s->count; i++)
            if (q->index_count < QKV__INEQUALITY_INDEXES)
                q->index[q->index_count++] =
                    (qkv__running){.name = s->node[i]->text, .range = range};
    }
}

/* ---- Comparisons --------------------------------------------------------------------- */

/* Whether a sum over indexes is in a tree. */
static bool has_sum(const qkv__node *node)
{
    if (node->kind == QKV__NODE_CALL && qkv__builtin_of(node) == QKV__BUILTIN_SUM &&
        qkv__call_is_over(node))
        return true;
    for (size_t i = 0; i < node->count; i++)
        if (has_sum(node->child[i])) return true;
    return false;
}

/* Adds a lemma to a list of them, once. */
static void say(qkv__text *reason, const char *lemma)
{
    if (reason->length > 0 && strstr(reason->data, lemma) != NULL) return;
    qkv__text_format(reason, "%s%s", reason->length > 0 ? "; " : "", lemma);
}

/* How a comparison is tried: with all norms, multiplied out, with directions x/|x| as vectors of
 * their own, with attention by its definition or with any scores; as an equation of vectors, or as
 * that the left side lies in a hull. */
typedef struct manner {
    bool with_norms, multiplied, units, written, veiled, same, hull;
} manner;

/* A tree with the numbers of `at t = 0` in it. */
static const qkv__node *put_in(qkv__inequality *q, const setting *s, const qkv__node *node)
{
    for (size_t i = 0; node != NULL && i < s->put_count; i++)
        node = qkv__tree_at(q, node, s->put[i]);
    return node;
}

/* What the two sides of a comparison have in them, of which a manner may tell more than others. */
typedef struct traits {
    bool known, sum, attention, odd, unit;
} traits;

static void look_at(qkv__inequality *q, const qkv__node *side, traits *has)
{
    has->sum = has->sum || has_sum(side);
    has->odd = has->odd || qkv__tree_has_attention(q, side, true);
    has->attention = has->attention || has->odd || qkv__tree_has_attention(q, side, false);
    has->unit = has->unit || qkv__tree_has_unit(q, side);
}

static bool is_fit(const traits *has, manner how)
{
    if (!has->known) return true;
    if ((how.written || how.veiled) && !(how.same ? has->attention : has->odd)) return false;
    if (how.units && !has->unit) return false;
    return how.same || how.written || !how.multiplied || has->sum;
}

/* A tree without definitions, in a manner. */
static const qkv__node *rewritten(qkv__inequality *q, const qkv__node *node, manner how)
{
    if (node == NULL) return NULL;
    return how.written  ? qkv__tree_written_out(q, node)
           : how.veiled ? qkv__tree_veiled(q, node)
                        : node;
}

static bool attempt(setting *s, const qkv__node *left, const qkv__node *right, bool strict,
                    manner how, traits *has)
{
    if (!is_fit(has, how)) return false;
    qkv__inequality *q = qkv__allocate(sizeof *q);
    if (q == NULL) return false;
    memset(q, 0, sizeof *q);
    q->model = s->model;
    q->claim = s->claim;
    q->with_norms = how.with_norms;
    q->multiplied = how.multiplied;
    q->units = how.units;
    q->numbers = true;
    q->premise_count = s->premise_count;
    q->premise = s->premise;
    q->algebra.arena.limit = (size_t)64 << 20;
    take_picks(q);
    for (size_t i = 0; i < s->index_count; i++) take_index(s, q, s->index[i]);
    left = put_in(q, s, qkv__tree_expand(q, left));
    right = put_in(q, s, qkv__tree_expand(q, right));
    bool good = left != NULL && right != NULL;
    if (good && !has->known) {
        look_at(q, left, has);
        look_at(q, right, has);
        has->known = true;
        good = is_fit(has, how);
    }
    if (good) {
        left = rewritten(q, left, how);
        right = rewritten(q, right, how);
        good = left != NULL && right != NULL;
    }
    for (size_t i = 0; good && i < s->premise_count; i++) {
        const qkv__node *premise = qkv__tree_expand(q, s->premise[i]);
        const qkv__node *made = put_in(q, s, premise);
        qkv__inequality_suppose(q, rewritten(q, made == NULL ? premise : made, how), "a premise");
    }
    for (size_t i = 0; good && i < s->put_count; i++)
        qkv__inequality_suppose(q, s->put[i], "a premise");
    if (s->reason.length > 0) qkv__text_format(&q->reason, "%s", s->reason.data);
    good = good && (how.same   ? qkv__inequality_show_same(q, left, right)
                    : how.hull ? qkv__inequality_show_in_hull(q, left, right)
                               : qkv__inequality_show(q, left, right, strict));
    if (good && q->derived)
        say(&q->reason, "a weight w moves by w*(ds - the mean of ds), s being its score");
    else if (good && how.same)
        say(&q->reason, "sums are taken term by term");
    else if (good && how.hull)
        say(&q->reason, "a mean under weights that are not negative lies in the hull");
    if (good) {
        const qkv__text before = s->reason;
        s->reason = q->reason;
        q->reason = before;
    }
    if (good && q->told && !how.veiled && q->sum.length > 0 && s->shown++ == 0)
        qkv__text_format(&s->sum, "%s", q->sum.data);
    qkv__text_free(&q->reason);
    qkv__text_free(&q->sum);
    qkv__arena_free(&q->algebra.arena);
    qkv__free(q);
    return good;
}

static bool prove_order(setting *s, const qkv__node *left, const qkv__node *right, bool strict)
{
    traits has = {.known = false};
    s->proved++;
    static const manner ways[] = {{.with_norms = false},
                                  {.with_norms = true},
                                  {.multiplied = true},
                                  {.units = true},
                                  {.units = true, .written = true},
                                  {.written = true},
                                  {.written = true, .multiplied = true},
                                  {.veiled = true},
                                  {.veiled = true, .with_norms = true},
                                  {.veiled = true, .units = true}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (attempt(s, left, right, strict, ways[i], &has)) return true;
    return false;
}

static bool prove_equation(setting *s, const qkv__node *x, const qkv__node *y)
{
    traits has = {.known = false};
    return (prove_order(s, x, y, false) && prove_order(s, y, x, false)) ||
           attempt(s, x, y, false, (manner){.multiplied = true, .same = true}, &has) ||
           attempt(s, x, y, false, (manner){.written = true, .multiplied = true, .same = true},
                   &has);
}

static bool prove_comparison(setting *s, const qkv__node *node)
{
    const qkv__node *x = node->child[0], *y = node->child[1];
    switch (node->comparison) {
    case QKV__LESS: return prove_order(s, x, y, true);
    case QKV__LESS_OR_EQUAL: return prove_order(s, x, y, false);
    case QKV__GREATER: return prove_order(s, y, x, true);
    case QKV__GREATER_OR_EQUAL: return prove_order(s, y, x, false);
    case QKV__EQUAL: return prove_equation(s, x, y);
    case QKV__IN:
        if (qkv__builtin_of(y) == QKV__BUILTIN_HULL)
            return attempt(s, x, y, false, (manner){.hull = true}, &(traits){.known = false});
        return y->kind == QKV__NODE_RANGE && prove_order(s, y->child[0], x, false) &&
               prove_order(s, x, y->child[1], false);
    default: return false;
    }
}

/* ---- Propositions -------------------------------------------------------------------- */

static bool prove(setting *s, const qkv__node *node)
{
    const size_t premises = s->premise_count, indexes = s->index_count;
    bool good = true;
    switch (node->kind) {
    case QKV__NODE_COMPARE: return prove_comparison(s, node);
    case QKV__NODE_AND: return prove(s, node->child[0]) && prove(s, node->child[1]);
    case QKV__NODE_OR: return prove(s, node->child[0]) || prove(s, node->child[1]);
    case QKV__NODE_IMPLIES:
        if (s->premise_count == PREMISES) return false;
        s->premise[s->premise_count++] = node->child[0];
        good = prove(s, node->child[1]);
        break;
    case QKV__NODE_FOR_ALL:
        for (size_t i = 0; good && i + 1 < node->count; i++) {
            good = node->child[i]->kind == QKV__NODE_COMPARE && s->index_count < BOUND &&
                   (node->child[i]->comparison == QKV__IN ||
                    node->child[i]->comparison == QKV__NOT_IN ||
                    node->child[i]->comparison == QKV__NOT_EQUAL);
            if (good) s->index[s->index_count++] = node->child[i];
        }
        good = good && prove(s, node->child[node->count - 1]);
        break;
    default: return false;
    }
    s->premise_count = premises;
    s->index_count = indexes;
    return good;
}

static bool has_name(const qkv__node *node)
{
    if (node->kind == QKV__NODE_NAME) return true;
    for (size_t i = 0; i < node->count; i++)
        if (has_name(node->child[i])) return true;
    return false;
}

/* t = 0, of a number that stands for itself; n = 3 of a size is a premise. */
static bool is_setting(const qkv__model *model, const qkv__node *node)
{
    if (node->kind != QKV__NODE_COMPARE || node->comparison != QKV__EQUAL ||
        node->child[0]->kind != QKV__NODE_NAME || has_name(node->child[1]))
        return false;
    const char *name = node->child[0]->text;
    const int parameter = qkv__parameter_find(&model->algebra, name);
    return parameter < 0 ? qkv__model_find(model, NULL, name) == NULL
                         : !model->algebra.parameter[parameter].whole;
}

/* Conditions of the claim: premises and indexes. False: one of them is of another kind. */
static bool take_conditions(setting *s, const qkv__circumstances *circumstances)
{
    if (circumstances->too_many) return false;
    for (size_t i = 0; i < circumstances->count; i++) {
        const qkv__circumstance *item = &circumstances->item[i];
        if (item->kind == QKV__CONDITION_EXPECT) continue;
        if (item->kind == QKV__CONDITION_LIMIT || item->kind == QKV__CONDITION_WITHIN) return false;
        if (item->node == NULL) return false;
        const bool range = item->kind == QKV__CONDITION_RANGE;
        if (range && item->node->kind != QKV__NODE_COMPARE) return false; /* for all v */
        if (s->premise_count == PREMISES || s->index_count == BOUND) return false;
        if (item->kind == QKV__CONDITION_AT && is_setting(s->model, item->node) &&
            s->put_count < BOUND) {
            s->put[s->put_count++] = item->node;
            continue;
        }
        s->premise[s->premise_count++] = item->node;
        if (range && qkv__node_is_domain(item->node)) s->index[s->index_count++] = item->node;
    }
    return true;
}

static void take_given(setting *s, const qkv__node *premise)
{
    if (s->premise_count < PREMISES) s->premise[s->premise_count++] = premise;
}

/* What the problem says in front of the claim, and what its declarations imply. */
static void take_givens(setting *s)
{
    const qkv__model *model = s->model;
    for (const qkv__statement *g = model->statements; g != NULL; g = qkv__statement_after(g)) {
        const bool given = g->kind == QKV__STATEMENT_GIVEN || g->kind == QKV__STATEMENT_ASSUME;
        for (size_t i = 0; given && qkv__tree_precedes(g, s->claim) && i < g->count; i++)
            take_given(s, g->node[i]);
    }
    for (size_t i = 0; i < model->premise_count; i++) take_given(s, model->premise[i]);
}

bool qkv__inequality_prove(qkv__model *model, const qkv__node *proposition,
                           const qkv__circumstances *circumstances, qkv__finding *finding)
{
    if (model->chance_count > 0 || model->noise != 0 || model->scale_count > 0 || model->trying ||
        model->tables != NULL || qkv__limits_spent(model->limits))
        return false;
    setting *s = qkv__allocate(sizeof *s);
    if (s == NULL) return false;
    memset(s, 0, sizeof *s);
    s->model = model;
    s->claim = proposition;
    s->circumstances = circumstances;
    take_givens(s);
    const bool good = take_conditions(s, circumstances) && prove(s, proposition);
    if (good) {
        qkv__finding_free(finding);
        *finding = (qkv__finding){.verdict = QKV__PROVED, .engine = "exact"};
        if (s->sum.length > 0 && s->proved == 1)
            qkv__text_format(&finding->reason, "The difference is %s, which is not negative. ",
                             s->sum.data);
        if (s->reason.length > 0)
            qkv__text_format(&finding->reason, "By lemmas: %s.", s->reason.data);
        else
            qkv__text_format(&finding->reason,
                             proposition->kind == QKV__NODE_COMPARE &&
                                     proposition->comparison == QKV__EQUAL
                                 ? "Both sides are the same, sums taken term by term."
                                 : "The difference keeps its sign.");
    }
    qkv__text_free(&s->reason);
    qkv__text_free(&s->sum);
    qkv__free(s);
    return good;
}
