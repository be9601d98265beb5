/* Indexes compared. Knows index sets and what names stand for; nothing of numbers or vectors. */
#include "claim/premise/order.h"

#include <string.h>

#include "claim/model/binding.h"
#include "claim/model/definition.h"
#include "claim/model/index_set.h"
#include "language/tree.h"

/* One side: a member of a set, or a number as it is written (then there is no set). */
typedef struct side {
    const qkv__index_set *set;
    int member;
    int64_t number; /* where there is no set */
} side;

static bool is_picked(const qkv__statement *first, const char *name)
{
    for (const qkv__statement *s = first; s != NULL; s = qkv__statement_after(s))
        for (size_t i = 0; s->kind == QKV__STATEMENT_PICK && i + 1 < s->count; i++)
            if (strcmp(s->node[i]->text, name) == 0) return true;
    return false;
}

/* The member that a picked index marks. */
static bool find_picked(const qkv__situation *s, const char *name, side *found)
{
    const qkv__model *model = s->model;
    if (!is_picked(model->statements, name) || qkv__model_is_defined(model, name)) return false;
    for (size_t i = 0; i < model->set_count; i++) {
        const int mark = model->sets[i]->axes ? -1 : qkv__mark_find(model->sets[i], name);
        if (mark < 0) continue;
        *found = (side){.set = model->sets[i], .member = mark};
        return true;
    }
    return false;
}

static bool read_side(const qkv__situation *s, const qkv__node *node, side *found)
{
    if (node->kind == QKV__NODE_NUMBER && qkv__rational_is_whole(node->value)) {
        *found = (side){.number = node->value.numerator};
        return true;
    }
    if (node->kind != QKV__NODE_NAME) return false;
    for (const qkv__binding *b = s->locals; b != NULL; b = b->next) {
        if (strcmp(b->name, node->text) != 0) continue;
        *found = (side){.set = b->value.set, .member = b->value.member};
        return b->value.kind == QKV__VALUE_INDEX;
    }
    return find_picked(s, node->text, found);
}

static bool read_sides(const qkv__situation *s, const qkv__node *node, side *x, side *y)
{
    return node->kind == QKV__NODE_COMPARE && node->count == 2 &&
           node->comparison <= QKV__GREATER_OR_EQUAL && read_side(s, node->child[0], x) &&
           read_side(s, node->child[1], y) && (x->set != NULL || y->set != NULL);
}

static bool is_range(const side *x)
{
    return x->set == NULL || strstr(x->set->name, "..") != NULL;
}

bool qkv__comparison_has_order(const qkv__situation *s, const qkv__node *node)
{
    side x, y;
    return read_sides(s, node, &x, &y) && is_range(&x) && is_range(&y);
}

static bool number_of(const side *x, int64_t *number)
{
    *number = x->number;
    return x->set == NULL || (is_range(x) && qkv__mark_number(x->set, x->member, number));
}

/* Whether the numbers from 1 to `last` are marks: another member of the set comes behind them. */
static bool has_all_up_to(const qkv__index_set *set, int64_t last)
{
    for (int64_t number = 1; number <= last; number++) {
        bool there = false;
        int64_t other;
        for (size_t i = 0; i < set->mark_count && !there; i++)
            there = qkv__mark_number(set, (int)i, &other) && other == number;
        if (!there) return false;
    }
    return true;
}

/* The sign of where x stands minus where y does; false: that is not known. */
static bool compare_places(const side *x, const side *y, int *sign)
{
    int64_t first, second;
    const bool known[] = {number_of(x, &first), number_of(y, &second)};
    *sign = 0;
    if (x->set != NULL && x->set == y->set && x->member == y->member) return true;
    if (known[0] && known[1]) {
        *sign = (first > second) - (first < second);
        return true;
    }
    if (known[0] == known[1] || (x->set != NULL && y->set != NULL && x->set != y->set))
        return false;
    *sign = known[1] ? 1 : -1;
    const qkv__index_set *set = known[1] ? x->set : y->set;
    const int64_t last = known[1] ? second : first;
    return is_range(known[1] ? x : y) && (last < 1 || has_all_up_to(set, last));
}

/* Whether two members of one set are different, as those with different names are; a member without
 * a name is none of those with one. */
static bool are_different(const side *x, const side *y)
{
    return x->set != NULL && x->set == y->set && x->member != y->member;
}

static bool holds(qkv__comparison comparison, int sign)
{
    switch (comparison) {
    case QKV__EQUAL: return sign == 0;
    case QKV__NOT_EQUAL: return sign != 0;
    case QKV__LESS: return sign < 0;
    case QKV__LESS_OR_EQUAL: return sign <= 0;
    case QKV__GREATER: return sign > 0;
    default: return sign >= 0;
    }
}

bool qkv__compares_indexes(const qkv__situation *s, const qkv__node *node, int *truth)
{
    side x, y;
    int sign;
    if (!read_sides(s, node, &x, &y)) return false;
    const bool equation = node->comparison == QKV__EQUAL || node->comparison == QKV__NOT_EQUAL;
    *truth = 0;
    if (equation && are_different(&x, &y))
        *truth = node->comparison == QKV__NOT_EQUAL ? 1 : -1;
    else if (compare_places(&x, &y, &sign))
        *truth = holds(node->comparison, sign) ? 1 : -1;
    return true;
}
