/* Which indexes of a claim need cases, and the cases. Knows syntax and the marks of index sets;
 * nothing of values or verdicts. */
#include "claim/cases.h"

#include <assert.h>
#include <string.h>

#include "claim/model/index_set.h"
#include "exact/sign.h"
#include "language/builtin.h"
#include "language/family_index.h"
#include "language/tree.h"
#include "language/write.h"

/* ---- Names --------------------------------------------------------------------------------- */

static const char *keep(qkv__model *model, const qkv__node *node)
{
    qkv__text text = {0};
    qkv__node_write(node, &text);
    const char *kept =
        text.failed ? NULL : qkv__arena_text(&model->algebra.arena, text.data, text.length);
    qkv__text_free(&text);
    return kept == NULL ? "" : kept;
}

/* ---- The set of an index ------------------------------------------------------------------- */

/* What binds names around a node. */
typedef struct binder {
    const char *name, *set; /* "1..n"; "": not known */
    const struct binder *outer;
} binder;

/* The range that a name is picked from. */
static const qkv__node *picked_from(const qkv__statement *first, const char *name)
{
    for (const qkv__statement *s = first; s != NULL; s = qkv__statement_after(s)) {
        for (size_t i = 0; s->kind == QKV__STATEMENT_PICK && i + 1 < s->count; i++)
            if (strcmp(s->node[i]->text, name) == 0) return s->node[s->count - 1];
    }
    return NULL;
}

/* i in 1..n; i != j and i not in {a, b} are in the set of j and a. */
static const char *set_of(qkv__model *model, const qkv__node *domain, const binder *binders)
{
    assert(domain->kind == QKV__NODE_COMPARE);
    const qkv__node *over = domain->child[1];
    if (over->kind == QKV__NODE_RANGE) return keep(model, over);
    if (over->kind == QKV__NODE_SET && over->count > 0) over = over->child[0];
    if (over->kind != QKV__NODE_NAME) return "";
    for (const binder *b = binders; b != NULL; b = b->outer)
        if (strcmp(b->name, over->text) == 0) return b->set;
    const qkv__node *range = picked_from(model->statements, over->text);
    return range == NULL ? "" : keep(model, range);
}

/* ---- Which indexes need cases -------------------------------------------------------------- */

/* Whether a domain is, or may be, over the set of an index. */
static bool runs_beside(qkv__model *model, const qkv__node *domain, const binder *index)
{
    const char *set = set_of(model, domain, index);
    return set[0] == '\0' || strcmp(set, index->set) == 0;
}

enum { DEPTH = 16 }; /* of definitions in definitions */

/* Every token looks at all the others. */
static bool is_self_attention(const qkv__node *node, const void *context)
{
    (void)context;
    return qkv__builtin_of(node) == QKV__BUILTIN_SELF_ATTEND;
}

static bool is_option(const qkv__node *node, const void *name)
{
    return node->kind == QKV__NODE_OPTION && strcmp(node->text, name) == 0;
}

/* Whether a name is that of a sum of matrices: M = sum(v[i]*k[i]' for i in 1..n). Times a vector it
 * is a sum of vectors. */
static bool is_matrix_sum(const qkv__statement *first, const qkv__node *node)
{
    for (const qkv__statement *s = first; s != NULL; s = qkv__statement_after(s))
        if (s->kind == QKV__STATEMENT_DEFINE && qkv__node_is(s->node[0], node->text))
            return qkv__node_has_kind(s->node[1], QKV__NODE_TRANSPOSE);
    return false;
}

/* i < j, i != j: it matters which of the members an index is. */
static bool is_compared(const qkv__node *node, const char *name)
{
    for (size_t i = 0; node->kind == QKV__NODE_COMPARE && i < node->count; i++)
        if (node->comparison <= QKV__GREATER_OR_EQUAL && node->child[i]->kind == QKV__NODE_NAME &&
            strcmp(node->child[i]->text, name) == 0)
            return true;
    return false;
}

/* Whether an index over a set meets something in a node that one generic member cannot tell from
 * it: another index over the same set, or a call that looks at all the members. */
static bool meets(qkv__model *model, const qkv__node *node, const binder *index)
{
    if (node->kind == QKV__NODE_SUM && runs_beside(model, node->child[1], index)) return true;
    if (node->kind == QKV__NODE_NAME && is_matrix_sum(model->statements, node)) return true;
    if (is_compared(node, index->name)) return true;
    for (size_t i = 0; node->kind == QKV__NODE_FOR_ALL && i + 1 < node->count; i++)
        if (qkv__is_index_domain(node->child[i]) && runs_beside(model, node->child[i], index))
            return true;
    bool looks = node->kind == QKV__NODE_CALL && qkv__node_has_index(node, index->name);
    qkv__builtin_kind kind = qkv__builtin_kind_of(qkv__builtin_of(node));
    if (looks && kind != QKV__OF_NUMBERS && kind != QKV__OF_MATRICES && kind != QKV__OF_CHANCE)
        return true;
    for (size_t i = 1; node->kind == QKV__NODE_INDEX && i < node->count; i++)
        if (qkv__node_has_index(node->child[i], index->name) &&
            qkv__node_rests_on(model->statements, node->child[0], is_self_attention, NULL))
            return true;
    for (size_t i = 0; i < node->count; i++)
        if (meets(model, node->child[i], index)) return true;
    return false;
}

/* The indexes that need cases, outermost first. */
typedef struct collection {
    qkv__model *model;
    size_t count;
    struct {
        const qkv__node *domain; /* NULL: a number */
        const char *set, *name;
    } index[QKV__FIXED];
} collection;

static void add_index(collection *c, const qkv__node *domain, const char *set)
{
    if (set[0] == '\0' || c->count == QKV__FIXED) return;
    c->index[c->count].domain = domain;
    c->index[c->count].name = domain->child[0]->text;
    c->index[c->count++].set = set;
}

static void collect(collection *c, const qkv__node *node, const binder *binders);

/* for all i in 1..n, j in 1..n: p, from its bound number `at` on. */
static void collect_for_all(collection *c, const qkv__node *node, size_t at, const binder *binders)
{
    assert(node->count >= 2);
    assert(node->kind == QKV__NODE_FOR_ALL);
    const qkv__node *bound = node->child[at];
    if (at + 1 == node->count) {
        collect(c, bound, binders);
        return;
    }
    if (!qkv__is_index_domain(bound)) {
        collect_for_all(c, node, at + 1, binders);
        return;
    }
    binder own = {bound->child[0]->text, set_of(c->model, bound, binders), binders};
    bool needed = meets(c->model, node->child[node->count - 1], &own);
    for (size_t i = at + 1; i + 1 < node->count && !needed; i++)
        needed =
            qkv__is_index_domain(node->child[i]) && runs_beside(c->model, node->child[i], &own);
    if (needed) add_index(c, bound, own.set);
    collect_for_all(c, node, at + 1, &own);
}

/* Where a failure for one index makes the whole fail: not in premises, not behind `not`. */
static void collect(collection *c, const qkv__node *node, const binder *binders)
{
    switch (node->kind) {
    case QKV__NODE_FOR_ALL: collect_for_all(c, node, 0, binders); break;
    case QKV__NODE_AND:
    case QKV__NODE_OR:
        collect(c, node->child[0], binders);
        collect(c, node->child[1], binders);
        break;
    case QKV__NODE_IMPLIES: collect(c, node->child[1], binders); break;
    default: break;
    }
}

/* for i in 1..n behind a claim binds around everything that follows. */
static void collect_conditions(collection *c, const qkv__circumstances *circumstances,
                               const qkv__node *proposition)
{
    enum { MOST = 8 };
    const qkv__node *domain[MOST];
    binder own[MOST];
    size_t count = 0;
    for (size_t i = 0; i < circumstances->count; i++) {
        if (circumstances->item[i].kind != QKV__CONDITION_RANGE) continue;
        const qkv__node *range = circumstances->item[i].node;
        assert(range != NULL);
        if (qkv__is_index_domain(range) && range->child[1]->kind != QKV__NODE_LIST && count < MOST)
            domain[count++] = range;
    }
    for (size_t i = 0; i < count; i++) {
        const binder *outer = i == 0 ? NULL : &own[i - 1];
        own[i] = (binder){domain[i]->child[0]->text, set_of(c->model, domain[i], outer), outer};
        bool needed = meets(c->model, proposition, &own[i]);
        for (size_t j = i + 1; j < count && !needed; j++)
            needed = runs_beside(c->model, domain[j], &own[i]);
        if (needed) add_index(c, domain[i], own[i].set);
    }
    collect(c, proposition, count == 0 ? NULL : &own[count - 1]);
}

/* ---- Numbers as indexes of families of symbolic size --------------------------------------- */

enum { LARGEST_NUMBER = 4 }; /* of those that make cases */

/* The numbers of members that a claim speaks of, from 1 on; in all families alike. */
typedef struct number_look {
    collection *c;
    bool ordered; /* it matters which come before: all up to the largest are needed */
    bool too_large;
} number_look;

static const char *number_name(int64_t number);

/* A member by its number, where the size of the set is not a number and is known to suffice. */
static void add_number(number_look *n, const char *set_name, int64_t number)
{
    qkv__model *model = n->c->model;
    qkv__algebra *algebra = &model->algebra;
    const qkv__index_set *set = qkv__set_find(model, set_name);
    qkv__rational size;
    if (set == NULL || qkv__ratio_is_lost(set->size) || qkv__ratio_is_constant(set->size, &size))
        return;
    for (size_t i = 0; i < n->c->count; i++)
        if (n->c->index[i].domain == NULL && strcmp(n->c->index[i].set, set_name) == 0 &&
            strcmp(n->c->index[i].name, number_name(number)) == 0)
            return;
    qkv__sign sign = qkv__ratio_sign(
        algebra, qkv__ratio_subtract(algebra, set->size, qkv__ratio_whole(algebra, number)));
    bool there =
        sign == QKV__SIGN_ZERO || sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NONNEGATIVE;
    if (number > LARGEST_NUMBER || n->c->count == QKV__FIXED || !there) {
        n->too_large = true;
        return;
    }
    n->c->index[n->c->count].domain = NULL;
    n->c->index[n->c->count].name = number_name(number);
    n->c->index[n->c->count++].set = set_name;
}

static void note_number(number_look *n, const qkv__node *family, const qkv__node *index)
{
    qkv__model *model = n->c->model;
    if (index->kind != QKV__NODE_NUMBER || !qkv__rational_is_whole(index->value) ||
        index->value.numerator < 1)
        return;
    const qkv__node *range = qkv__family_range(&model->algebra.arena, model->statements, family);
    if (range == NULL || range->kind != QKV__NODE_RANGE) return;
    const char *set = keep(model, range);
    for (int64_t i = n->ordered ? 1 : index->value.numerator;
         i <= index->value.numerator && i <= LARGEST_NUMBER + 1; i++)
        add_number(n, set, i);
}

/* Numbers behind names, and in masks; also where definitions speak of them. */
static void collect_numbers(number_look *n, const qkv__node *node, int depth)
{
    if (depth > DEPTH) return;
    for (size_t i = 1; node->kind == QKV__NODE_INDEX && i < node->count; i++)
        note_number(n, node->child[0], node->child[i]);
    for (size_t i = 0; node->kind == QKV__NODE_CALL && i < node->count; i++) {
        const qkv__node *option = node->child[i];
        if (option->kind != QKV__NODE_OPTION || strcmp(option->text, "mask") != 0) continue;
        for (size_t j = 0; option->child[0]->kind == QKV__NODE_SET && j < option->child[0]->count;
             j++)
            note_number(n, node, option->child[0]->child[j]);
    }
    bool named = qkv__node_is_word(node);
    for (const qkv__statement *s = n->c->model->statements; named && s != NULL;
         s = qkv__statement_after(s)) {
        if (s->kind != QKV__STATEMENT_DEFINE || s->node[0]->kind == QKV__NODE_INDEX) continue;
        if (strcmp(s->node[0]->text, node->text) == 0) collect_numbers(n, s->node[1], depth + 1);
    }
    for (size_t i = 0; i < node->count; i++) collect_numbers(n, node->child[i], depth);
}

/* i in 2..n: these indexes are none of the set 1..n, as the exact engine knows it. */
static bool is_part_of_range(const qkv__node *node, const void *context)
{
    (void)context;
    if (!qkv__is_index_domain(node) || node->child[1]->kind != QKV__NODE_RANGE) return false;
    const qkv__node *first = node->child[1]->child[0];
    return first->kind != QKV__NODE_NUMBER || first->value.numerator != 1;
}

static bool picks_part_of_range(const qkv__statement *first)
{
    for (const qkv__statement *s = first; s != NULL; s = qkv__statement_after(s)) {
        if (s->kind != QKV__STATEMENT_PICK) continue;
        const qkv__node *range = s->node[s->count - 1];
        if (range->kind != QKV__NODE_RANGE || range->child[0]->kind != QKV__NODE_NUMBER ||
            range->child[0]->value.numerator != 1)
            return true;
    }
    return false;
}

/* Whether the problem has a mask that depends on which token comes first. */
static bool is_ordered(const qkv__statement *first)
{
    for (const qkv__statement *s = first; s != NULL; s = qkv__statement_after(s))
        for (size_t i = 0; i < s->count; i++)
            if (qkv__node_has_index(s->node[i], "causal") ||
                qkv__node_has(s->node[i], is_option, "window"))
                return true;
    return false;
}

/* ---- Picks from listed vectors ------------------------------------------------------------- */

/* Whether the problem lists so many vectors, one by one or in brackets. */
static bool is_listed(const qkv__statement *first, qkv__rational count)
{
    for (const qkv__statement *s = first; s != NULL; s = qkv__statement_after(s)) {
        if (s->count == 0) continue;
        const qkv__node *node = s->node[0];
        if (s->kind == QKV__STATEMENT_DEFINE && node->kind == QKV__NODE_INDEX &&
            node->child[1]->kind == QKV__NODE_NUMBER &&
            qkv__rational_compare(node->child[1]->value, count) == 0)
            return true;
        if (s->kind == QKV__STATEMENT_FAMILY && node->kind == QKV__NODE_COMPARE &&
            node->comparison == QKV__EQUAL && node->child[1]->kind == QKV__NODE_LIST &&
            (int64_t)node->child[1]->count == count.numerator)
            return true;
    }
    return false;
}

/* A picked index, and how many members its set has. */
typedef struct pick {
    const qkv__statement *statement;
    const char *name;
    int64_t size;
} pick;

static pick pick_of(const qkv__statement *statement, const char *name)
{
    assert(statement->kind == QKV__STATEMENT_PICK);
    const qkv__node *range = statement->node[statement->count - 1];
    return (pick){statement, name, range->child[1]->value.numerator};
}

static size_t collect_picks(const qkv__statement *first, pick *picks)
{
    size_t count = 0;
    for (const qkv__statement *s = first; s != NULL; s = qkv__statement_after(s)) {
        if (s->kind != QKV__STATEMENT_PICK) continue;
        const qkv__node *range = s->node[s->count - 1];
        bool numbers = range->kind == QKV__NODE_RANGE &&
                       range->child[0]->kind == QKV__NODE_NUMBER &&
                       range->child[1]->kind == QKV__NODE_NUMBER &&
                       qkv__rational_is_whole(range->child[1]->value);
        if (!numbers || !is_listed(first, range->child[1]->value)) continue;
        for (size_t i = 0; i + 1 < s->count && count < QKV__FIXED; i++)
            picks[count++] = pick_of(s, s->node[i]->text);
    }
    return count;
}

/* Marks of listed vectors are their numbers. */
static const char *number_name(int64_t number)
{
    static const char *const names[] = {
        "1",  "2",  "3",  "4",  "5",  "6",  "7",  "8",  "9",  "10", "11", "12", "13",
        "14", "15", "16", "17", "18", "19", "20", "21", "22", "23", "24", "25", "26",
        "27", "28", "29", "30", "31", "32", "33", "34", "35", "36", "37", "38", "39",
        "40", "41", "42", "43", "44", "45", "46", "47", "48", "49", "50", "51", "52",
        "53", "54", "55", "56", "57", "58", "59", "60", "61", "62", "63", "64"};
    return number >= 1 && number <= (int64_t)(sizeof names / sizeof names[0]) ? names[number - 1]
                                                                              : NULL;
}

static bool is_taken(const qkv__index_case *item, const pick *picks, size_t at, const char *mark)
{
    for (size_t i = 0; i < at; i++)
        if (picks[i].statement == picks[at].statement && picks[at].statement->distinct &&
            strcmp(item->fixed[i].mark, mark) == 0)
            return true;
    return false;
}

void qkv__cases_begin(const qkv__statement *first, qkv__index_case *picked)
{
    pick picks[QKV__FIXED];
    size_t count = collect_picks(first, picks);
    *picked = (qkv__index_case){.count = 0};
    for (size_t i = 0; i < count; i++)
        for (int64_t n = 1; n <= picks[i].size && picked->count == i; n++) {
            const char *mark = number_name(n);
            if (mark == NULL || is_taken(picked, picks, i, mark)) continue;
            picked->fixed[picked->count++] =
                (qkv__fixed_index){.name = picks[i].name, .pick = picks[i].statement, .mark = mark};
        }
}

/* ---- All cases ----------------------------------------------------------------------------- */

typedef struct enumeration {
    qkv__model *model;
    size_t pick_count;
    pick picks[QKV__FIXED];
    collection indexes;
    qkv__cases *cases;
} enumeration;

static void choose_index(enumeration *e, qkv__index_case *item, size_t at);

static void take_mark(enumeration *e, qkv__index_case *item, size_t at, const char *mark)
{
    const qkv__node *domain = e->indexes.index[at].domain;
    for (size_t i = 0; domain == NULL && i < item->count; i++) /* numbers differ */
        if (item->fixed[i].domain == NULL && item->fixed[i].pick == NULL &&
            strcmp(item->fixed[i].set, e->indexes.index[at].set) == 0 &&
            strcmp(item->fixed[i].mark, mark) == 0)
            return;
    item->fixed[item->count++] = (qkv__fixed_index){.domain = domain,
                                                    .name = e->indexes.index[at].name,
                                                    .set = e->indexes.index[at].set,
                                                    .mark = mark};
    choose_index(e, item, at + 1);
    item->count--;
}

static bool is_mark(const qkv__index_set *set, const char *name)
{
    for (size_t i = 0; i < set->mark_count; i++)
        if (strcmp(set->mark[i], name) == 0) return true;
    return false;
}

/* Whether the problem has another use for a name. */
static bool is_used(const qkv__statement *first, const char *name)
{
    for (const qkv__statement *s = first; s != NULL; s = qkv__statement_after(s)) {
        if (qkv__statement_is_entry(s)) continue;
        for (size_t i = 0; i < s->count; i++)
            if (qkv__node_has_index(s->node[i], name)) return true;
    }
    return false;
}

/* An index that is none of the marks gets one of its own: its name, or one like it. */
static const char *own_mark(enumeration *e, const qkv__index_case *item, const qkv__index_set *set,
                            const char *name)
{
    bool taken = is_mark(set, name) || is_used(e->model->statements, name);
    for (size_t i = 0; i < item->count; i++)
        taken = taken || strcmp(item->fixed[i].mark, name) == 0;
    if (!taken) return name;
    qkv__text text = {0};
    qkv__text_format(&text, "%s'", name);
    const char *other =
        text.failed ? NULL : qkv__arena_text(&e->model->algebra.arena, text.data, text.length);
    qkv__text_free(&text);
    return other == NULL ? name : own_mark(e, item, set, other);
}

/* Each of the marks, what an index chosen before is, or another one. */
static void choose_index(enumeration *e, qkv__index_case *item, size_t at)
{
    if (at == e->indexes.count) {
        if (e->cases->count == QKV__CASES)
            e->cases->too_many = true;
        else
            e->cases->item[e->cases->count++] = *item;
        return;
    }
    const char *name = e->indexes.index[at].name;
    const bool number = e->indexes.index[at].domain == NULL;
    const qkv__index_set *set = qkv__set_find(e->model, e->indexes.index[at].set);
    if (set == NULL) return;
    take_mark(e, item, at, number ? name : own_mark(e, item, set, name));
    for (size_t i = 0; i < set->mark_count; i++) take_mark(e, item, at, set->mark[i]);
    for (size_t i = 0; i < item->count; i++) {
        const qkv__fixed_index *before = &item->fixed[i];
        bool same = before->pick == NULL && strcmp(before->set, e->indexes.index[at].set) == 0;
        if (same && !number && !is_mark(set, before->mark)) take_mark(e, item, at, before->mark);
    }
}

static void choose_pick(enumeration *e, qkv__index_case *item, size_t at)
{
    if (at == e->pick_count) {
        choose_index(e, item, 0);
        return;
    }
    for (int64_t n = 1; n <= e->picks[at].size && !e->cases->too_many; n++) {
        const char *mark = number_name(n);
        if (mark == NULL) {
            e->cases->too_many = true;
            return;
        }
        if (is_taken(item, e->picks, at, mark)) continue;
        assert(e->picks[at].statement != NULL); /* a fixed index without one is a number */
        item->fixed[item->count++] = (qkv__fixed_index){
            .name = e->picks[at].name, .pick = e->picks[at].statement, .mark = mark};
        choose_pick(e, item, at + 1);
        item->count--;
    }
}

/* Sets whose members all have marks need no cases: every index is one of them already. */
static void leave_out_finite(enumeration *e)
{
    size_t kept = 0;
    for (size_t i = 0; i < e->indexes.count; i++) {
        const qkv__index_set *set = qkv__set_find(e->model, e->indexes.index[i].set);
        if (set == NULL || qkv__ratio_is_lost(set->size) ||
            qkv__ratio_is_zero(qkv__rest_size(&e->model->algebra, set)))
            continue;
        e->indexes.index[kept++] = e->indexes.index[i];
    }
    e->indexes.count = kept;
}

/* Whether a set has no mark, and perhaps nothing else. */
static bool may_be_empty(const enumeration *e, size_t at)
{
    const qkv__index_set *set = qkv__set_find(e->model, e->indexes.index[at].set);
    return set != NULL && set->mark_count == 0 && !qkv__set_has_rest(e->model, set);
}

/* Whether all that is claimed is claimed for an index: where there is none, nothing is. */
static bool is_outermost(const qkv__node *proposition, const qkv__circumstances *circumstances,
                         const qkv__node *domain)
{
    for (size_t i = 0; i < circumstances->count; i++)
        if (circumstances->item[i].node == domain) return true;
    for (const qkv__node *node = proposition; node->kind == QKV__NODE_FOR_ALL;
         node = node->child[node->count - 1])
        for (size_t i = 0; i + 1 < node->count; i++)
            if (node->child[i] == domain) return true;
    return false;
}

void qkv__cases_of_claim(qkv__model *model, const qkv__node *proposition,
                         const qkv__circumstances *circumstances, qkv__cases *cases)
{
    enumeration e = {.model = model, .indexes = {.model = model}, .cases = cases};
    qkv__index_case item = {.count = 0};
    cases->count = 0;
    cases->too_many = cases->hollow = false;
    for (size_t i = 0; i < model->fixed_count; i++)
        if (model->fixed[i].pick != NULL)
            e.picks[e.pick_count++] = pick_of(model->fixed[i].pick, model->fixed[i].name);
    number_look n = {.c = &e.indexes, .ordered = is_ordered(model->statements)};
    n.too_large = qkv__node_has(proposition, is_part_of_range, NULL) ||
                  picks_part_of_range(model->statements);
    collect_numbers(&n, proposition, 0);
    for (size_t i = 0; i < circumstances->count; i++) {
        const qkv__node *node = circumstances->item[i].node;
        if (node != NULL) collect_numbers(&n, node, 0);
        n.too_large = n.too_large || (node != NULL && qkv__node_has(node, is_part_of_range, NULL));
    }
    if (n.too_large) e.indexes.count = 0;
    collect_conditions(&e.indexes, circumstances, proposition);
    leave_out_finite(&e);
    for (size_t i = 0; i < e.indexes.count; i++)
        if (e.indexes.index[i].domain != NULL && may_be_empty(&e, i) &&
            !is_outermost(proposition, circumstances, e.indexes.index[i].domain))
            cases->hollow = true;
    if (e.indexes.count + e.pick_count > QKV__FIXED) cases->too_many = true;
    if (e.indexes.count + e.pick_count > 0 && !cases->too_many) choose_pick(&e, &item, 0);
}

void qkv__case_write(const qkv__index_case *item, qkv__text *text)
{
    bool first = true;
    for (size_t i = 0; i < item->count; i++) {
        const qkv__fixed_index *fixed = &item->fixed[i];
        const char *lead = first ? "With" : ",";
        bool own = fixed->domain != NULL;
        if (!own && fixed->pick == NULL && strcmp(fixed->mark, fixed->name) == 0) continue;
        for (size_t j = 0; j < i; j++) own = own && strcmp(item->fixed[j].mark, fixed->mark) != 0;
        if (own && strcmp(fixed->mark, fixed->name) == 0)
            qkv__text_format(text, "%s %s different from the others", lead, fixed->name);
        else
            qkv__text_format(text, "%s %s = %s", lead, fixed->name, fixed->mark);
        first = false;
    }
    if (!first) qkv__text_format(text, ": ");
}
