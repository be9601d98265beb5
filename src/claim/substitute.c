/* Equations between vectors among the premises of a claim, put into its problem one after the
 * other, for each way in which indexes may coincide. Knows what premises mean; decides nothing. */
#include "claim/substitute.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "claim/premise/given.h"
#include "claim/substitute_part.h"
#include "language/builtin.h"
#include "language/chance_call.h"
#include "language/tree.h"
#include "language/write.h"

enum {
    INDEXES = 3, /* of the claim, that equations speak of */
    PICKS = 16,  /* from one range */
    WAYS = 80,   /* in which indexes coincide */
};

/* ---- Equations in premises ----------------------------------------------------------------- */

/* x and y of |x - y| = 0, dist(x, y) = 0, x - y = 0 and x = y. */
static bool take_sides(const qkv__node *compare, const qkv__node **x, const qkv__node **y)
{
    const qkv__node *size = compare->child[0];
    *x = compare->child[0];
    *y = compare->child[1];
    const bool zero = qkv__rewriting_is_zero(*y);
    const bool length =
        size->kind == QKV__NODE_SIZE || qkv__builtin_of(size) == QKV__BUILTIN_DISTANCE;
    if (compare->comparison != QKV__EQUAL &&
        !(compare->comparison == QKV__LESS_OR_EQUAL && zero && length)) /* it is not negative */
        return false;
    if (zero && size->kind == QKV__NODE_POWER && size->child[1]->kind == QKV__NODE_NUMBER &&
        qkv__rational_sign(size->child[1]->value) > 0 && size->child[0]->kind == QKV__NODE_SIZE)
        size = size->child[0];
    if (zero && size->kind == QKV__NODE_SIZE) *x = size->child[0];
    if (zero && size->count == 2 && qkv__builtin_of(size) == QKV__BUILTIN_DISTANCE) {
        *x = size->child[0];
        *y = size->child[1];
    }
    return true;
}

static bool is_used(const qkv__rewriting *r, const qkv__node *compare)
{
    for (size_t i = 0; i < r->used_count; i++)
        if (r->used[i] == compare) return true;
    return false;
}

/* Whether a limit is taken of something that an equation speaks of: what is put in would not be
 * held fixed. */
static bool is_in_limit(const qkv__rewriting *r, const qkv__node *compare)
{
    for (size_t i = 0; i < r->circumstances.count; i++) {
        const qkv__circumstance *c = &r->circumstances.item[i];
        if (c->kind != QKV__CONDITION_LIMIT) continue;
        if (c->node->child[0]->kind != QKV__NODE_NAME ||
            qkv__given_names(r->model, compare, c->node->child[0]->text))
            return true;
    }
    return false;
}

/* Whether a vector was put in somewhere: k[i] = k[j] is better followed by k[m] = k[j] than by
 * k[j] = k[m]. */
static bool is_put_in(const qkv__rewriting *r, const qkv__node *target)
{
    for (size_t i = 0; i < r->used_count; i++)
        if (qkv__node_same_text(r->value[i], target)) return true;
    return false;
}

/* Puts one equation in, solved for any of its vectors. */
static bool put_equation(qkv__rewriting *r, const qkv__rewriting_equation *e, qkv__text *told)
{
    const qkv__node *x, *y;
    qkv__rewriting_terms sum = {.count = 0};
    if (is_used(r, e->compare) || is_in_limit(r, e->premise) || !take_sides(e->compare, &x, &y))
        return false;
    for (int way = 0; way < 4; way++) /* q = k[a] is better than k[a] = q */
        for (int side = 0; side < 2; side++) {
            const qkv__node *target = side == 0 ? x : y, *value = side == 0 ? y : x;
            if ((target->kind == QKV__NODE_INDEX) == (way % 2 == 1) &&
                is_put_in(r, target) == (way >= 2) && !qkv__rewriting_is_zero(value) &&
                !(target->kind == QKV__NODE_NAME && qkv__rewriting_has_name(value, target->text)) &&
                !r->failed && qkv__rewriting_put_in(r, e, target, value, told))
                return true;
        }
    if (!qkv__rewriting_add_terms(&sum, x, qkv__rational_whole(1)) ||
        !qkv__rewriting_add_terms(&sum, y, qkv__rational_whole(-1)))
        return false;
    for (size_t i = 0; i < sum.count && !r->failed; i++) {
        const qkv__node *value = qkv__rewriting_is_vector(r, sum.term[i].vector)
                                     ? qkv__rewriting_solved_for(r, &sum, i)
                                     : NULL;
        if (value != NULL && qkv__rewriting_put_in(r, e, sum.term[i].vector, value, told))
            return true;
    }
    return false;
}

/* What is done with each equation of the premises, until it is true for one. */
typedef bool taker(qkv__rewriting *r, const qkv__rewriting_equation *e, void *context);

static bool each_in(qkv__rewriting *r, const qkv__node *whole, const qkv__node *premise,
                    taker *take, void *context)
{
    qkv__rewriting_equation e = {.premise = whole, .compare = premise};
    if (premise->kind == QKV__NODE_AND)
        return each_in(r, whole, premise->child[0], take, context) ||
               each_in(r, whole, premise->child[1], take, context);
    if (premise->kind == QKV__NODE_FOR_ALL && premise->count <= 3) {
        for (size_t i = 0; i + 1 < premise->count; i++)
            if (!qkv__is_index_domain(premise->child[i])) return false;
        e.domain = premise->child[0];
        e.second = premise->count == 3 ? premise->child[1] : NULL;
        e.compare = premise->child[premise->count - 1];
        if ((e.domain->comparison != QKV__IN || e.domain->child[1]->kind != QKV__NODE_RANGE) &&
            (e.domain->comparison != QKV__NOT_EQUAL ||
             (e.domain->child[1]->kind != QKV__NODE_NAME &&
              e.domain->child[1]->kind != QKV__NODE_NUMBER)))
            return false;
    }
    return e.compare->kind == QKV__NODE_COMPARE && take(r, &e, context);
}

static bool each_equation(qkv__rewriting *r, taker *take, void *context)
{
    for (size_t i = 0; i < r->circumstances.count; i++) {
        const qkv__circumstance *c = &r->circumstances.item[i];
        if (qkv__circumstance_is_premise(c) && !qkv__is_index_domain(c->node) &&
            each_in(r, c->node, c->node, take, context))
            return true;
    }
    for (const qkv__node *p = r->proposition; p->kind == QKV__NODE_IMPLIES; p = p->child[1])
        if (each_in(r, p->child[0], p->child[0], take, context)) return true;
    for (size_t s = 0; s < r->count; s++)
        for (size_t i = 0;
             r->statement[s]->kind == QKV__STATEMENT_GIVEN && i < r->statement[s]->count; i++)
            if (each_in(r, r->statement[s]->node[i], r->statement[s]->node[i], take, context))
                return true;
    return false;
}

static bool take_put(qkv__rewriting *r, const qkv__rewriting_equation *e, void *told)
{
    return put_equation(r, e, told);
}

/* ---- Indexes of the claim ------------------------------------------------------------------ */

/* Indexes that the claim runs over, of which equations speak: they are picked, one way or another.
 */
typedef struct indexes {
    size_t count;
    const qkv__node *domain[INDEXES];
    bool too_many;
} indexes;

static bool take_indexes(qkv__rewriting *r, const qkv__rewriting_equation *e, void *context)
{
    indexes *found = context;
    const qkv__node *x, *y;
    if (!take_sides(e->compare, &x, &y)) return false;
    for (size_t i = 0; i < r->circumstances.count; i++) {
        const qkv__node *domain = r->circumstances.item[i].node;
        if (r->circumstances.item[i].kind != QKV__CONDITION_RANGE || domain == NULL ||
            !qkv__is_index_domain(domain) || domain->comparison != QKV__IN ||
            domain->child[1]->kind != QKV__NODE_RANGE ||
            !qkv__rewriting_has_name(e->compare, domain->child[0]->text))
            continue;
        bool known = false;
        for (size_t n = 0; n < found->count; n++) known = known || found->domain[n] == domain;
        if (known) continue;
        if (found->count == INDEXES)
            found->too_many = true;
        else
            found->domain[found->count++] = domain;
    }
    return false;
}

/* The picked indexes of a range, and the statement that picks them; NULL: there are none. */
static qkv__statement **picks_of(qkv__rewriting *r, const qkv__node *range)
{
    for (size_t s = 0; s < r->count; s++)
        if (r->statement[s]->kind == QKV__STATEMENT_PICK &&
            qkv__node_same_text(r->statement[s]->node[r->statement[s]->count - 1], range))
            return &r->statement[s];
    return NULL;
}

static size_t pick_count(qkv__rewriting *r, const qkv__node *range)
{
    qkv__statement **picks = picks_of(r, range);
    return picks == NULL ? 0 : (*picks)->count - 1;
}

static bool are_of_one_range(const qkv__node *x, const qkv__node *y)
{
    return qkv__node_same_text(x->child[1], y->child[1]);
}

/* How many ways there are: equal to none, to one that is picked, or to one before it. */
static size_t ways_of(qkv__rewriting *r, const indexes *found, size_t n)
{
    size_t ways = 1 + pick_count(r, found->domain[n]->child[1]);
    for (size_t i = 0; i < n; i++) ways += are_of_one_range(found->domain[i], found->domain[n]);
    return ways;
}

/* One more picked index, different from all others of its range. */
static void pick_index(qkv__rewriting *r, const qkv__node *domain)
{
    qkv__statement **picks = picks_of(r, domain->child[1]);
    const size_t before = picks == NULL ? 0 : (*picks)->count - 1;
    const qkv__node *node[PICKS + 2];
    if (before >= PICKS) {
        r->failed = true;
        return;
    }
    for (size_t i = 0; i < before; i++) node[i] = (*picks)->node[i];
    node[before] = domain->child[0];
    node[before + 1] = domain->child[1];
    const qkv__statement s = {.kind = QKV__STATEMENT_PICK,
                              .place = r->claim->place,
                              .text = "",
                              .source = "",
                              .distinct = before > 0,
                              .count = before + 2,
                              .node = node};
    if (picks != NULL)
        *picks = qkv__rewriting_copy(r, &s);
    else
        qkv__rewriting_insert(r, r->count, qkv__rewriting_copy(r, &s));
    if (picks != NULL && *picks == NULL) r->failed = true;
}

/* The claim with one of its indexes by another name. */
static void rename_index(qkv__rewriting *r, const qkv__node *domain, const qkv__node *by)
{
    const char *name = domain->child[0]->text;
    r->proposition = qkv__rewriting_with_name(r, r->proposition, name, by);
    for (size_t i = 0; i < r->circumstances.count && !r->failed; i++) {
        const qkv__node **node = &r->circumstances.item[i].node;
        if (*node != NULL && *node != domain) *node = qkv__rewriting_with_name(r, *node, name, by);
    }
}

static void drop_condition(qkv__rewriting *r, const qkv__node *node)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->circumstances.count; i++)
        if (r->circumstances.item[i].node != node)
            r->circumstances.item[kept++] = r->circumstances.item[i];
    r->circumstances.count = kept;
}

/* What the index number n is called in a way; NULL: it is another one than all. */
static const qkv__node *name_in_way(qkv__rewriting *r, const indexes *found, size_t n, size_t way,
                                    const qkv__node *const *before, size_t picked)
{
    if (way == 0) return NULL;
    if (way <= picked) return (*picks_of(r, found->domain[n]->child[1]))->node[way - 1];
    way -= picked;
    for (size_t i = 0; i < n; i++)
        if (are_of_one_range(found->domain[i], found->domain[n]) && --way == 0) return before[i];
    return NULL;
}

static void fix_indexes(qkv__rewriting *r, const indexes *found, size_t which)
{
    size_t way[INDEXES], picked[INDEXES]; /* before any is added */
    const qkv__node *name[INDEXES];
    for (size_t n = 0; n < found->count; n++) {
        const size_t ways = ways_of(r, found, n);
        picked[n] = pick_count(r, found->domain[n]->child[1]);
        way[n] = which % ways;
        which /= ways;
    }
    for (size_t n = 0; n < found->count && !r->failed; n++) {
        const qkv__node *domain = found->domain[n];
        name[n] = name_in_way(r, found, n, way[n], name, picked[n]);
        if (name[n] == NULL)
            pick_index(r, domain);
        else
            rename_index(r, domain, name[n]);
        if (name[n] == NULL) name[n] = domain->child[0];
        drop_condition(r, domain);
    }
}

/* ---- The whole ----------------------------------------------------------------------------- */

/* for all i in 1..n, j in 1..n: p is p for i in 1..n, j in 1..n. */
static void take_bounds(qkv__rewriting *r)
{
    const qkv__node *all = r->proposition;
    if (all->kind != QKV__NODE_FOR_ALL) return;
    for (size_t i = 0; i + 1 < all->count; i++)
        if (!qkv__is_index_domain(all->child[i])) return;
    for (size_t i = 0; i + 1 < all->count; i++)
        if (!qkv__circumstances_put(&r->circumstances, QKV__CONDITION_RANGE, all->child[i]))
            r->failed = true;
    r->proposition = all->child[all->count - 1];
}

static bool begin(qkv__rewriting *r, const qkv__model *model, qkv__arena *arena,
                  const qkv__statement *claim, const qkv__node *proposition,
                  const qkv__circumstances *circumstances, indexes *found)
{
    assert(claim->kind == QKV__STATEMENT_CLAIM);
    memset(r, 0, sizeof *r);
    r->model = model;
    r->arena = arena;
    r->claim = claim;
    r->proposition = proposition;
    r->circumstances = *circumstances;
    *found = (indexes){.count = 0};
    if (circumstances->too_many || model->chance_count > 0 || model->noise != 0 ||
        model->scale_count > 0 || qkv__speaks_of_chance(proposition) ||
        qkv__node_has_kind(proposition, QKV__NODE_EXISTS))
        return false;
    take_bounds(r);
    qkv__rewriting_gather(r);
    if (!r->failed) each_equation(r, take_indexes, found);
    return !r->failed && r->count > 0 && !found->too_many;
}

static bool is_dropped(const qkv__rewriting *r, const qkv__node *premise)
{
    for (size_t i = 0; i < r->used_count; i++)
        if (r->premise[i] == premise) return true;
    return false;
}

/* Premises that became true by what was put in are left out. */
static void drop_used(qkv__rewriting *r)
{
    while (r->proposition->kind == QKV__NODE_IMPLIES && is_dropped(r, r->proposition->child[0]))
        r->proposition = r->proposition->child[1];
    for (size_t i = 0; i < r->used_count; i++)
        if (r->premise[i] != NULL) drop_condition(r, r->premise[i]);
    for (size_t s = 0; s < r->count; s++) {
        qkv__statement *given = r->statement[s];
        const qkv__node **node = (const qkv__node **)(uintptr_t)given->node;
        size_t kept = 0;
        if (given->kind != QKV__STATEMENT_GIVEN) continue;
        for (size_t i = 0; i < given->count; i++)
            if (!is_dropped(r, given->node[i])) node[kept++] = given->node[i];
        given->count = kept;
    }
}

/* The statements one after the other, those that say nothing left out. */
static const qkv__statement *linked(qkv__rewriting *r, qkv__statement *claim)
{
    qkv__statement *next = claim;
    for (size_t s = r->count; s-- > 0;) {
        if (r->statement[s]->kind == QKV__STATEMENT_GIVEN && r->statement[s]->count == 0) continue;
        r->statement[s]->next = next;
        next = r->statement[s];
    }
    return next;
}

size_t qkv__substitutions(const qkv__model *model, qkv__arena *arena, const qkv__statement *claim,
                          const qkv__node *proposition, const qkv__circumstances *circumstances)
{
    qkv__rewriting r;
    indexes found;
    size_t ways = 1;
    qkv__text told = {0};
    if (!begin(&r, model, arena, claim, proposition, circumstances, &found)) return 0;
    for (size_t n = 0; n < found.count; n++) ways *= ways_of(&r, &found, n);
    fix_indexes(&r, &found, 0);
    const bool some = !r.failed && each_equation(&r, take_put, &told);
    qkv__text_free(&told);
    return some && ways <= WAYS ? ways : 0;
}

bool qkv__substitute(const qkv__model *model, qkv__arena *arena, const qkv__statement *claim,
                     const qkv__node *proposition, const qkv__circumstances *circumstances,
                     size_t which, qkv__substituted *made, qkv__text *told)
{
    qkv__rewriting r;
    indexes found;
    if (!begin(&r, model, arena, claim, proposition, circumstances, &found)) return false;
    fix_indexes(&r, &found, which);
    while (!r.failed && r.used_count < QKV__REWRITING_EQUATIONS &&
           each_equation(&r, take_put, told)) {
    }
    if (r.failed) return false;
    drop_used(&r);
    const qkv__node **node = qkv__arena_array(arena, 1, sizeof *node);
    qkv__statement *own = qkv__arena_take(arena, sizeof *own);
    if (node == NULL || own == NULL) return false;
    node[0] = r.proposition;
    *own = *claim;
    own->node = node;
    own->count = 1;
    own->conditions = NULL;
    own->written = NULL;
    own->next = NULL;
    made->first = linked(&r, own);
    made->claim = own;
    made->circumstances = r.circumstances;
    return true;
}

void qkv__substitution_unmark(qkv__text *text)
{
    if (text->data == NULL) return;
    size_t kept = 0;
    for (size_t i = 0; i < text->length; i++)
        if (text->data[i] != QKV__REWRITING_MARK) text->data[kept++] = text->data[i];
    text->data[kept] = '\0';
    text->length = kept;
}
