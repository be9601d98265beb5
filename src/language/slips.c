/* Names and quantifiers by syntax alone. Knows nothing of values: what is not plain from the text
 * is let pass. */
#include "language/slips.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "language/builtin.h"
#include "language/law.h"
#include "language/shapes.h"
#include "language/tree.h"

/* ---- Names --------------------------------------------------------------------------------- */

static bool note(qkv__slip *slip, const qkv__node *node, const char *format, const char *name,
                 int line)
{
    slip->node = node;
    snprintf(slip->message, sizeof slip->message, format, name, line);
    return true;
}

static bool say(qkv__slip *slip, const qkv__node *node, const char *message)
{
    return note(slip, node, "%s", message, 0);
}

static bool is_constant(const char *name)
{
    qkv__builtin function = qkv__builtin_find(name, strlen(name));
    qkv__builtin_kind kind = qkv__builtin_kind_of(function);
    return strcmp(name, "e") == 0 || strcmp(name, "pi") == 0 || strcmp(name, "I") == 0 ||
           strcmp(name, "inf") == 0 || kind == QKV__OF_NUMBERS || kind == QKV__OF_MATRICES ||
           kind == QKV__OF_FAMILY;
}

/* keys k[1..n] orthonormal, norm 2: properties that are said twice. */
static bool repeats_property(const qkv__statement *statement, qkv__slip *slip)
{
    for (size_t i = 0; statement->kind == QKV__STATEMENT_FAMILY && i < statement->count; i++)
        for (size_t j = 0; j < i; j++) {
            const qkv__node *one = statement->node[j], *two = statement->node[i];
            bool properties = qkv__node_is_word(one) && qkv__node_is_word(two);
            if (!properties) continue;
            if (strcmp(one->text, two->text) == 0)
                return note(slip, two, "%s occurs twice here, in line %d", two->text,
                            statement->place.line);
            if ((strcmp(one->text, "orthonormal") == 0 && strcmp(two->text, "norm") == 0) ||
                (strcmp(one->text, "norm") == 0 && strcmp(two->text, "orthonormal") == 0))
                return note(slip, two,
                            "orthonormal says that the norm is 1: %s, in line %d, is "
                            "too much; write orthogonal",
                            two->text, statement->place.line);
        }
    return false;
}

/* A size is a whole number or a name that is free: what is made of others is left to ranges. */
static bool is_no_size(const qkv__names *names, const qkv__node *size, qkv__slip *slip)
{
    if (size->kind == QKV__NODE_NUMBER && qkv__rational_is_whole(size->value) &&
        size->value.numerator > 0)
        return false;
    if (size->kind != QKV__NODE_NAME)
        return say(slip, size, "expected a size: a name or a whole number");
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->item[i].name, size->text) == 0)
            return note(slip, size,
                        "%s is already defined in line %d: expected a new name or a whole number",
                        size->text, names->item[i].statement->place.line);
    return false;
}

/* matrix X[n/2, d], keys k[1..n] dimension d-1 */
static bool has_no_size(const qkv__names *names, const qkv__statement *statement, qkv__slip *slip)
{
    for (size_t i = 0; i < statement->count; i++) {
        const qkv__node *node = statement->node[i];
        bool object = statement->kind == QKV__STATEMENT_OBJECT && node->kind == QKV__NODE_INDEX;
        bool dimension = statement->kind == QKV__STATEMENT_FAMILY && node->kind == QKV__NODE_CALL &&
                         strcmp(node->text, "dimension") == 0;
        for (size_t j = object ? 1 : 0; (object || dimension) && j < node->count; j++)
            if (is_no_size(names, node->child[j], slip)) return true;
        bool pick = statement->kind == QKV__STATEMENT_PICK && node->kind == QKV__NODE_RANGE;
        bool range =
            pick || (statement->kind == QKV__STATEMENT_FAMILY && node->kind == QKV__NODE_INDEX &&
                     node->child[1]->kind == QKV__NODE_RANGE);
        const qkv__node *end = pick ? node->child[1] : range ? node->child[1]->child[1] : NULL;
        qkv__drawn law;
        if (qkv__law_read(node, &law) && law.range != NULL) {
            range = true;
            end = law.range->child[1];
        }
        const qkv__known_name *known = range && end->kind == QKV__NODE_NAME
                                           ? qkv__name_find_before(names, end->text, statement)
                                           : NULL;
        if (known != NULL && known->statement->kind != QKV__STATEMENT_DEFINE)
            return is_no_size(names, end, slip);
    }
    return false;
}

static bool is_member(const qkv__names *names, const qkv__node *node, const char *name,
                      qkv__slip *slip)
{
    const qkv__known_name *family = qkv__name_find_family(names, name);
    return family != NULL &&
           note(slip, node, "%s is a member of the family in line %d: use another name", name,
                family->statement->place.line);
}

/* given x_1 > 3, in front of a family x; and w_1 in f(w), where it is no name at all. */
static bool misuses_member(const qkv__names *names, const qkv__statement *statement,
                           const qkv__node *node, qkv__slip *slip)
{
    const qkv__known_name *family =
        node->kind == QKV__NODE_NAME ? qkv__name_find_family(names, node->text) : NULL;
    if (family != NULL && statement->kind == QKV__STATEMENT_GIVEN &&
        qkv__stands_before(statement->place, family->statement->place))
        return is_member(names, node, node->text, slip);
    const qkv__node *target = statement->kind == QKV__STATEMENT_DEFINE ? statement->node[0] : NULL;
    for (size_t i = 0; target != NULL && target->kind == QKV__NODE_CALL &&
                       node->kind == QKV__NODE_NAME && i < target->count;
         i++) {
        const size_t length = strlen(target->child[i]->text);
        if (strncmp(node->text, target->child[i]->text, length) == 0 && node->text[length] == '_')
            return note(slip, node, "%s in the function in line %d: write the index in brackets",
                        node->text, statement->place.line);
    }
    for (size_t i = 0; i < node->count; i++)
        if (misuses_member(names, statement, node->child[i], slip)) return true;
    return false;
}

/* pick a, b, c distinct in 1..2 */
static bool picks_too_many(const qkv__statement *statement)
{
    if (statement->kind != QKV__STATEMENT_PICK) return false;
    const qkv__node *range = statement->node[statement->count - 1];
    const qkv__node *low = range->child[0], *high = range->child[1];
    const int64_t picks = statement->distinct ? (int64_t)statement->count - 1 : 1;
    return low->kind == QKV__NODE_NUMBER && high->kind == QKV__NODE_NUMBER &&
           low->value.denominator == 1 && high->value.denominator == 1 &&
           high->value.numerator - picks + 1 < low->value.numerator;
}

static bool is_defined_twice(const qkv__names *names, const qkv__statement *statement,
                             qkv__slip *slip)
{
    if (statement->kind == QKV__STATEMENT_PICK &&
        statement->node[statement->count - 1]->kind != QKV__NODE_RANGE)
        return say(slip, statement->node[statement->count - 1], "expected a range such as 1..n");
    if (picks_too_many(statement))
        return say(slip, statement->node[statement->count - 1],
                   "this range has fewer indexes than are picked");
    if (repeats_property(statement, slip)) return true;
    const qkv__node *target = statement->kind == QKV__STATEMENT_DEFINE ? statement->node[0] : NULL;
    for (size_t i = 0; target != NULL && target->kind == QKV__NODE_CALL && i < target->count; i++)
        if (is_constant(target->child[i]->text))
            return note(slip, target->child[i],
                        "%s has a fixed meaning, so line %d cannot use it as a name",
                        target->child[i]->text, statement->place.line);
    for (size_t i = 0; i < statement->count; i++) {
        const char *name = qkv__name_brought(statement, i);
        if (name == NULL) continue;
        if (is_constant(name))
            return note(slip, statement->node[i],
                        "%s has a fixed meaning, so line %d cannot use it as a name", name,
                        statement->place.line);
        if (is_member(names, statement->node[i], name, slip)) return true;
        const qkv__known_name *before = qkv__name_find_before(names, name, statement);
        if (before != NULL)
            return note(slip, statement->node[i], "%s is there already, from line %d", name,
                        before->statement->place.line);
        for (size_t j = 0; j < i; j++) {
            const char *other = qkv__name_brought(statement, j);
            if (other != NULL && strcmp(other, name) == 0)
                return note(slip, statement->node[i], "%s occurs twice here, in line %d", name,
                            statement->place.line);
        }
    }
    return false;
}

/* Names bound around a node. */
typedef struct bound {
    const char *name;
    const struct bound *outer;
} bound;

typedef struct look {
    const qkv__names *names;
    const qkv__statement *statement;
    qkv__slip *slip;
    const qkv__circumstances *circumstances; /* NULL for none */
} look;

static bool is_bound(const bound *b, const char *name)
{
    for (; b != NULL; b = b->outer)
        if (strcmp(b->name, name) == 0) return true;
    return false;
}

static bool is_declaration(const qkv__statement *s)
{
    return s->kind == QKV__STATEMENT_FAMILY || s->kind == QKV__STATEMENT_OBJECT ||
           s->kind == QKV__STATEMENT_PICK;
}

/* A name that only something further down brings: two readers would take it for two. */
static bool is_early(const look *l, const qkv__node *node, const bound *b)
{
    if (is_bound(b, node->text) ||
        qkv__name_find_before(l->names, node->text, l->statement) != NULL)
        return false;
    for (size_t i = 0; is_declaration(l->statement) && i < l->names->count; i++)
        if (l->names->item[i].statement == l->statement &&
            strcmp(l->names->item[i].name, node->text) == 0)
            return false; /* what is declared here */
    for (size_t i = 0; i < l->names->count; i++) {
        const qkv__known_name *known = &l->names->item[i];
        bool pick = known->statement->kind == QKV__STATEMENT_PICK; /* known from the start */
        if (!pick && strcmp(known->name, node->text) == 0)
            return note(l->slip, node, "%s is used before its definition in line %d", node->text,
                        known->statement->place.line);
    }
    return false;
}

static bool is_name(const qkv__node *node, const void *name)
{
    return qkv__node_is(node, name);
}

/* Whether a statement has a name in it that stands for a number: E in E*t and given E > 0. */
static bool has_name(const qkv__statement *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++)
        if (qkv__node_has(s->node[i], is_name, name)) return true;
    for (const qkv__condition *c = s->conditions; c != NULL; c = c->next)
        for (size_t i = 0; i < c->count; i++)
            if (qkv__node_has(c->node[i], is_name, name)) return true;
    return false;
}

/* E(x) where E is a name of the document: a product, or an expectation? */
static bool is_shadowed(const look *l, const qkv__node *node)
{
    static const char *const names[] = {"P", "E", "Var", "Cov"};
    for (size_t i = 0; node->kind == QKV__NODE_CALL && i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(node->text, names[i]) != 0) continue;
        const qkv__known_name *known = qkv__name_find_before(l->names, node->text, l->statement);
        if (known != NULL && known->node->kind != QKV__NODE_CALL)
            return note(l->slip, node,
                        "%s is a name of the document, from line %d: for a product "
                        "write * between the factors",
                        node->text, known->statement->place.line);
        for (const qkv__statement *s = l->names->first; known == NULL && s != NULL;
             s = qkv__statement_after(s))
            if (has_name(s, node->text))
                return note(l->slip, node,
                            "%s stands for a number as well, in line %d: use another letter there",
                            node->text, s->place.line);
    }
    return false;
}

static bool uses_early(const look *l, const qkv__node *node, const bound *b)
{
    if (is_shadowed(l, node)) return true;
    enum { MOST = 8 };
    bound own[MOST];
    const bound *inner = b;
    bool quantifier = node->kind == QKV__NODE_EXISTS || node->kind == QKV__NODE_FOR_ALL;
    if (qkv__node_is_word(node))
        if (is_early(l, node, b)) return true;
    if (node->kind == QKV__NODE_SUM) {
        own[0] = (bound){node->text, b};
        inner = &own[0];
    }
    for (size_t i = 0; quantifier && i + 1 < node->count && i < MOST; i++) {
        own[i] = (bound){qkv__bound_name(node->child[i]), inner};
        inner = &own[i];
    }
    for (size_t i = 0; i < node->count; i++) {
        bool index = (node->kind == QKV__NODE_INDEX && i > 0) || node->kind == QKV__NODE_SET;
        if (index && node->child[i]->kind == QKV__NODE_NAME) continue; /* a member's own name */
        if (uses_early(l, node->child[i], inner)) return true;
    }
    return false;
}

/* ---- Quantifiers --------------------------------------------------------------------------- */

/* Whether a name stands in a node without being bound there. */
static bool is_free_in(const qkv__node *node, const char *name)
{
    if (qkv__node_is(node, name)) return true;
    if (qkv__node_binds(node, name)) return false;
    for (size_t i = 0; i < node->count; i++)
        if (is_free_in(node->child[i], name)) return true;
    return false;
}

/* Whether a name stands in a node as a number: not bound there, and not as an index. */
static bool is_number_in(const qkv__node *node, const char *name)
{
    if (qkv__node_is(node, name)) return true;
    if (qkv__node_binds(node, name)) return false;
    for (size_t i = 0; i < node->count; i++) {
        bool index =
            node->kind == QKV__NODE_INDEX && i > 0 && node->child[i]->kind != QKV__NODE_RANGE;
        if (!index && is_number_in(node->child[i], name)) return true;
    }
    return false;
}

const qkv__statement *qkv__bound_is_number(const qkv__statement *first, const qkv__node *range)
{
    if (range->kind != QKV__NODE_COMPARE || range->comparison != QKV__IN ||
        range->child[0]->kind != QKV__NODE_NAME || range->child[1]->kind != QKV__NODE_RANGE)
        return NULL;
    const char *name = range->child[0]->text;
    for (const qkv__statement *s = first; s != NULL; s = qkv__statement_after(s)) {
        bool argument = false; /* of a function */
        if (s->kind > QKV__STATEMENT_DEFINE || s->kind == QKV__STATEMENT_PICK ||
            s->kind == QKV__STATEMENT_PROBLEM)
            continue;
        for (size_t i = 0; s->kind == QKV__STATEMENT_DEFINE && s->node[0]->kind == QKV__NODE_CALL &&
                           i < s->node[0]->count;
             i++)
            argument = argument || strcmp(s->node[0]->child[i]->text, name) == 0;
        for (size_t i = 0; i < s->count && !argument; i++)
            if (is_number_in(s->node[i], name)) return s;
    }
    return NULL;
}

/* for all t in 1..2, where t is a number of the problem: what is made of it does not follow. The
 * outermost bounds of a claim are conditions. */
static bool hides_number(const look *l, const qkv__node *node, bool outermost)
{
    bool quantifier = node->kind == QKV__NODE_EXISTS || node->kind == QKV__NODE_FOR_ALL;
    for (size_t i = 0; (quantifier || node->kind == QKV__NODE_SUM) && i < node->count; i++) {
        const qkv__node *range = node->child[i];
        const qkv__statement *s = qkv__bound_is_number(l->names->first, range);
        bool condition = outermost && node->kind == QKV__NODE_FOR_ALL;
        for (size_t j = 0; j + 1 < node->count; j++) /* for all m > 0, t in 1..m */
            condition =
                condition && !(s != NULL && j != i &&
                               is_free_in(range->child[1], qkv__bound_name(node->child[j])));
        if (s != NULL && !condition)
            return note(l->slip, range, "%s is also a number in line %d: use another name here",
                        range->child[0]->text, s->place.line);
    }
    for (size_t i = 0; i < node->count; i++)
        if (hides_number(l, node->child[i], false)) return true;
    return false;
}

/* Those behind a claim, and those of the blocks around it. */
static bool is_free_in_conditions(const look *l, const char *name, bool limits_alone)
{
    for (size_t i = 0; l->circumstances != NULL && i < l->circumstances->count; i++) {
        const qkv__circumstance *c = &l->circumstances->item[i];
        if ((c->kind == QKV__CONDITION_LIMIT || !limits_alone) && c->node != NULL &&
            is_free_in(c->node, name))
            return true;
    }
    return false;
}

/* for all matrix A[n,m], where an A is there already: what is known of the one is not of the other.
 */
static bool is_declared_again(const look *l, const qkv__node *binding)
{
    const char *name = qkv__bound_name(binding);
    const qkv__known_name *known = qkv__name_find_before(l->names, name, l->statement);
    return known != NULL && note(l->slip, binding, "%s is there already, from line %d", name,
                                 known->statement->place.line);
}

/* exists a, find k: an index and a family cannot be asked for. */
static bool is_taken(const look *l, const qkv__node *binding)
{
    const char *name = qkv__bound_name(binding);
    const qkv__known_name *known = qkv__name_find_before(l->names, name, l->statement);
    bool find = l->statement->kind == QKV__STATEMENT_FIND;
    if (find && !l->statement->least && is_free_in_conditions(l, name, true))
        return say(l->slip, binding, "the unknown cannot be the variable of the limit");
    if (is_constant(name))
        return note(l->slip, binding, "%s has a fixed meaning, so line %d cannot use it as a name",
                    name, l->statement->place.line);
    bool matrix = find && name[0] >= 'A' && name[0] <= 'Z'; /* Q = ..., and find another Q */
    bool members = known != NULL && (known->statement->kind == QKV__STATEMENT_PICK ||
                                     known->statement->kind == QKV__STATEMENT_FAMILY ||
                                     (known->statement->kind == QKV__STATEMENT_DEFINE && !matrix &&
                                      !l->statement->least)); /* which says more */
    return members && note(l->slip, binding, "%s is there already, from line %d", name,
                           known->statement->place.line);
}

static bool conditions_declare_again(const look *l)
{
    for (const qkv__condition *c = l->statement->conditions; c != NULL; c = c->next)
        for (size_t i = 0; c->kind == QKV__CONDITION_RANGE && i < c->count; i++)
            if ((c->node[i]->kind == QKV__NODE_CALL && is_declared_again(l, c->node[i])) ||
                (c->node[i]->kind == QKV__NODE_NAME &&
                 is_member(l->names, c->node[i], c->node[i]->text, l->slip)))
                return true;
    return false;
}

/* p implies (for all r > 0: q), where r is the norm of vectors in p: whose r is meant? */
static bool stands_in_declaration(const look *l, const qkv__node *binding, const char *name)
{
    for (size_t i = 0; i < l->names->count; i++) {
        const qkv__statement *s = l->names->item[i].statement;
        bool there = strcmp(l->names->item[i].name, name) == 0;
        if (s->kind == QKV__STATEMENT_PICK || !qkv__stands_before(s->place, l->statement->place))
            continue;
        for (size_t n = 0; n < s->count && !there; n++) there = is_free_in(s->node[n], name);
        if (there)
            return note(l->slip, binding, "%s is also used in line %d: use another name here", name,
                        s->place.line);
    }
    return false;
}

/* A name that a quantifier binds means nothing outside of it: where it stands there too, or is
 * bound once more inside, a reader takes the one for the other. */
static bool is_ambiguous(const look *l, const qkv__node *root, const qkv__node *node,
                         const bound *outer, bool whole)
{
    enum { MOST = 8 };
    bound own[MOST];
    bool quantifier = node->kind == QKV__NODE_EXISTS || node->kind == QKV__NODE_FOR_ALL;
    if (quantifier && node->count > MOST + 1)
        return say(l->slip, node, "too many names for one quantifier: expected at most 8");
    for (size_t i = 0; quantifier && i + 1 < node->count; i++) {
        const char *name = qkv__bound_name(node->child[i]);
        bool index =
            node->child[i]->kind == QKV__NODE_COMPARE && node->child[i]->comparison >= QKV__IN;
        if (node->child[i]->kind == QKV__NODE_CALL && is_declared_again(l, node->child[i]))
            return true;
        if (!index && (node->kind == QKV__NODE_EXISTS || is_constant(name)) &&
            is_taken(l, node->child[i]))
            return true;
        if (!index && is_member(l->names, node->child[i], name, l->slip)) return true;
        if (is_bound(outer, name))
            return note(l->slip, node->child[i], "%s is bound twice here, in line %d", name,
                        node->place.line);
        if (!index && (is_free_in(root, name) || is_free_in_conditions(l, name, false)))
            return note(l->slip, node->child[i],
                        "%s also occurs outside this quantifier, in line %d: use another name",
                        name, root->place.line);
        if (!index && !whole && stands_in_declaration(l, node->child[i], name)) return true;
        own[i] = (bound){name, outer};
        outer = &own[i];
    }
    whole = whole && (quantifier || node->kind == QKV__NODE_NOT);
    for (size_t i = 0; i < node->count; i++)
        if (is_ambiguous(l, root, node->child[i], outer, whole)) return true;
    return false;
}

/* Whether a name is that of an index or of a member: pick a in 1..n, keys u[a, b]. */
static bool is_index_name(const look *l, const qkv__node *node, const char *name)
{
    for (const qkv__statement *s = l->names->first; s != NULL; s = qkv__statement_after(s)) {
        bool pick = s->kind == QKV__STATEMENT_PICK;
        const qkv__node *family = s->kind == QKV__STATEMENT_FAMILY ? s->node[0] : NULL;
        bool members = family != NULL && family->kind == QKV__NODE_INDEX;
        size_t count = pick ? s->count - 1 : members ? family->count - 1 : 0;
        for (size_t i = 0; i < count; i++) {
            const qkv__node *index = pick ? s->node[i] : family->child[i + 1];
            if (qkv__node_is(index, name))
                return note(l->slip, node, "%s is already an index, in line %d: use another name",
                            name, s->place.line);
        }
    }
    return false;
}

/* Whether a name is read as a member of a family: x_1 is x[1] beside vectors x[1..2]. */
static bool is_member_name(const look *l, const qkv__node *node, const char *name)
{
    const qkv__known_name *family = qkv__name_find_family(l->names, name);
    return family != NULL && note(l->slip, node,
                                  "%s is read as a member of the family of line %d: use "
                                  "another name",
                                  name, family->statement->place.line);
}

/* Whether a sum or a quantifier binds an index that already has a meaning: definitions that use the
 * one could be mistaken for definitions that use the other. */
static bool binds_again(const look *l, const qkv__node *node, const bound *outer)
{
    enum { MOST = 8 };
    bound own[MOST];
    bool quantifier = node->kind == QKV__NODE_EXISTS || node->kind == QKV__NODE_FOR_ALL;
    size_t count = node->kind == QKV__NODE_SUM ? 1 : quantifier ? node->count - 1 : 0;
    for (size_t i = 0; i < count && i < MOST; i++) {
        const char *name = quantifier ? qkv__bound_name(node->child[i]) : node->text;
        const qkv__node *place = quantifier ? node->child[i] : node;
        if (is_bound(outer, name))
            return note(l->slip, place, "%s is bound twice here, in line %d", name,
                        node->place.line);
        if (is_index_name(l, place, name) || is_member_name(l, place, name)) return true;
        own[i] = (bound){name, outer};
        outer = &own[i];
    }
    for (size_t i = 0; i < node->count; i++)
        if (binds_again(l, node->child[i], outer)) return true;
    return false;
}

/* f(a) = x*k[a], where an a was picked; f(k_1), where there is a family k. */
static bool argument_is_index(const look *l)
{
    const qkv__statement *s = l->statement;
    if (s->kind != QKV__STATEMENT_DEFINE || s->node[0]->kind != QKV__NODE_CALL) return false;
    for (size_t i = 0; i < s->node[0]->count; i++) {
        const qkv__node *argument = s->node[0]->child[i];
        if (is_index_name(l, argument, argument->text) ||
            is_member_name(l, argument, argument->text))
            return true;
    }
    return false;
}

/* expect proved, expect refuted: which one? */
static bool expects_twice(const qkv__statement *statement, qkv__slip *slip)
{
    size_t count = 0;
    for (const qkv__condition *c = statement->conditions; c != NULL; c = c->next)
        count += c->kind == QKV__CONDITION_EXPECT;
    return count > 1 &&
           say(slip, statement->node[statement->count - 1], "a claim can expect only one verdict");
}

/* ---- Statements ---------------------------------------------------------------------------- */

/* Names that a statement binds itself: those that find asks for, the arguments of a function. */
static const bound *own_names(const qkv__statement *s, bound *own, size_t most)
{
    const bound *inner = NULL;
    bool find = s->kind == QKV__STATEMENT_FIND;
    bool function = s->kind == QKV__STATEMENT_DEFINE && s->node[0]->kind == QKV__NODE_CALL;
    size_t count = find ? s->count - 1 : function ? s->node[0]->count : 0;
    for (size_t i = 0; i < count && i < most; i++) {
        own[i] = (bound){find ? qkv__bound_name(s->node[i]) : s->node[0]->child[i]->text, inner};
        inner = &own[i];
    }
    for (const qkv__condition *c = s->conditions; c != NULL; c = c->next)
        for (size_t i = 0; c->kind == QKV__CONDITION_RANGE && i < c->count && count < most; i++) {
            own[count] = (bound){qkv__bound_name(c->node[i]), inner};
            inner = &own[count++];
        }
    return inner;
}

bool qkv__slip_find(const qkv__names *names, const qkv__statement *statement,
                    const qkv__circumstances *circumstances, qkv__slip *slip)
{
    enum { MOST = 24 };
    bound own[MOST];
    look l = {names, statement, slip, circumstances};
    const bound *inner = own_names(statement, own, MOST);
    bool entry = qkv__statement_is_entry(statement);
    bool definition = statement->kind == QKV__STATEMENT_DEFINE;
    if (is_defined_twice(names, statement, slip) || has_no_size(names, statement, slip) ||
        qkv__dimension_slip(names, statement, slip))
        return true;
    if (entry && expects_twice(statement, slip)) return true;
    if (argument_is_index(&l)) return true;
    for (size_t i = 0; circumstances != NULL && i < circumstances->count; i++)
        if (circumstances->item[i].node != NULL &&
            hides_number(&l, circumstances->item[i].node, false))
            return true;
    for (size_t i = 0; statement->kind == QKV__STATEMENT_FIND && i + 1 < statement->count; i++)
        if (is_taken(&l, statement->node[i]) ||
            is_member(names, statement->node[i], qkv__bound_name(statement->node[i]), slip))
            return true;
    for (size_t i = definition ? 1 : 0; i < statement->count; i++) {
        bool premise = statement->kind == QKV__STATEMENT_GIVEN ||
                       statement->kind == QKV__STATEMENT_ASSUME; /* may stand before */
        if ((entry || definition || is_declaration(statement)) &&
            uses_early(&l, statement->node[i], inner))
            return true;
        if (misuses_member(names, statement, statement->node[i], slip)) return true;
        if (hides_number(&l, statement->node[i], statement->kind == QKV__STATEMENT_CLAIM))
            return true;
        if (entry && i + 1 == statement->count && conditions_declare_again(&l)) return true;
        if (entry && i + 1 == statement->count &&
            is_ambiguous(&l, statement->node[i], statement->node[i], NULL, true))
            return true;
        if (binds_again(&l, statement->node[i], inner)) return true;
        if (!premise && statement->kind != QKV__STATEMENT_PICK &&
            qkv__shape_slip(names, statement, statement->node[i], slip))
            return true;
    }
    return false;
}
