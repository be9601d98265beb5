/* The walk over what a claim speaks of: every name that it meets is resolved, and what nothing
 * defines becomes an unknown. Evaluates nothing, and knows nothing of premises. */
#include "replay/walk.h"

#include <assert.h>
#include <string.h>

#include "language/builtin.h"
#include "language/family_index.h"
#include "language/law.h"
#include "language/names.h"
#include "language/tree.h"
#include "replay/names.h"

static bool visit_index(qkv__walk *w, const qkv__node *node, const qkv__shadow *shadows,
                        size_t position);

/* ---- Unknowns ------------------------------------------------------------------------------ */

static bool touch(qkv__walk *w, int index)
{
    w->touched |= UINT64_C(1) << index;
    if (w->shown) w->replay->unknown[index].shown = true;
    return true;
}

bool qkv__walk_add_unknown(qkv__walk *w, qkv__unknown unknown)
{
    qkv__replay *replay = w->replay;
    if (replay->unknown_count == QKV__UNKNOWNS) return false;
    unknown.rows = unknown.columns = 1;
    replay->unknown[replay->unknown_count] = unknown;
    return touch(w, (int)replay->unknown_count++);
}

static bool add_parameter(qkv__walk *w, const char *name, const qkv__statement *statement,
                          bool size)
{
    qkv__replay *replay = w->replay;
    int index = qkv__replay_unknown(replay, name, statement, NULL);
    if (index < 0) {
        qkv__unknown unknown = {
            .kind = QKV__UNKNOWN_PARAMETER, .name = name, .statement = statement};
        if (!qkv__walk_add_unknown(w, unknown)) return false;
        index = (int)replay->unknown_count - 1;
    }
    if (size) replay->unknown[index].is_size = replay->unknown[index].whole = true;
    return touch(w, index);
}

/* Whether a declaration or a premise of the problem speaks of a name. */
static bool is_declared(const qkv__replay *replay, const char *name)
{
    for (size_t i = 0; i < replay->statement_count; i++) {
        const qkv__statement *s = replay->statement[i];
        const bool says = s->kind == QKV__STATEMENT_GIVEN || s->kind == QKV__STATEMENT_ASSUME ||
                          s->kind == QKV__STATEMENT_FAMILY || s->kind == QKV__STATEMENT_OBJECT ||
                          s->kind == QKV__STATEMENT_PICK;
        for (size_t j = 0; says && j < s->count; j++)
            if (qkv__node_names(s->node[j], name)) return true;
    }
    return false;
}

/* Sizes in a declaration: X[n, d]; in a family its range's end. */
bool qkv__walk_sizes(qkv__walk *w, const qkv__node *declared, size_t position)
{
    for (size_t i = 1; declared->kind == QKV__NODE_INDEX && i < declared->count; i++)
        if (!qkv__walk_node(w, declared->child[i], NULL, position, true)) return false;
    return true;
}

static bool object_kind(const char *word, qkv__unknown_kind *kind)
{
    if (strcmp(word, "vector") == 0) return *kind = QKV__UNKNOWN_VECTOR, true;
    if (strcmp(word, "matrix") == 0) return *kind = QKV__UNKNOWN_MATRIX, true;
    if (strcmp(word, "permutation") == 0) return *kind = QKV__UNKNOWN_PERMUTATION, true;
    return false;
}

bool qkv__walk_add_object(qkv__walk *w, const char *word, const qkv__statement *statement,
                          const qkv__node *quantifier, const qkv__node *declared, size_t position)
{
    const char *name =
        declared->kind == QKV__NODE_INDEX ? declared->child[0]->text : declared->text;
    size_t sizes = declared->kind == QKV__NODE_INDEX ? declared->count - 1 : 0;
    qkv__unknown unknown = {.name = name,
                            .statement = statement,
                            .quantifier = quantifier,
                            .declared = declared,
                            .position = position};
    int known = qkv__replay_unknown(w->replay, name, statement, quantifier);
    if (strcmp(word, "scalar") == 0)
        return sizes == 0 && quantifier == NULL && add_parameter(w, name, statement, false);
    if (known < 0) {
        if (!object_kind(word, &unknown.kind)) return false;
        bool vector = unknown.kind == QKV__UNKNOWN_VECTOR && sizes <= 1;
        if (!vector && sizes != (unknown.kind == QKV__UNKNOWN_MATRIX ? 2u : 1u)) return false;
        if (!qkv__walk_add_unknown(w, unknown)) return false;
    } else {
        touch(w, known);
    }
    return qkv__walk_sizes(w, declared, position);
}

/* orthonormal; orthogonal, norm x; dimension d. */
static bool read_properties(const qkv__statement *statement, qkv__unknown *u)
{
    assert(statement->kind == QKV__STATEMENT_FAMILY);
    bool unit = false;
    for (size_t i = 0; i < statement->count; i++) {
        const qkv__node *node = statement->node[i];
        if (node->kind == QKV__NODE_NAME && strcmp(node->text, "orthonormal") == 0)
            u->orthogonal = unit = true;
        else if (node->kind == QKV__NODE_NAME && strcmp(node->text, "orthogonal") == 0)
            u->orthogonal = true;
        else if (node->kind == QKV__NODE_CALL && strcmp(node->text, "norm") == 0)
            u->norm = node->child[0];
        else if (node->kind == QKV__NODE_CALL && strcmp(node->text, "dimension") == 0)
            u->dimension = node->child[0];
        else if (node->kind == QKV__NODE_NAME || node->kind == QKV__NODE_CALL)
            return false;
    }
    /* Orthogonal vectors of any length would need lengths of their own. */
    u->spherical = !u->orthogonal && u->norm != NULL;
    return !u->orthogonal || unit || u->norm != NULL;
}

/* u[a, b, c]: the names of the members. */
static bool member_names(qkv__replay *replay, const qkv__node *declared, qkv__unknown *u)
{
    bool range = declared->count == 2 && declared->child[1]->kind == QKV__NODE_RANGE;
    if (range) return true;
    const char **names = qkv__arena_array(&replay->arena, declared->count, sizeof *names);
    for (size_t i = 1; names != NULL && i < declared->count; i++) {
        if (declared->child[i]->kind != QKV__NODE_NAME) return false;
        names[i - 1] = declared->child[i]->text;
    }
    u->names = names;
    return names != NULL;
}

/* What one declaration of a law depends on. */
static bool walk_law(qkv__walk *w, const qkv__statement *statement, const qkv__drawn *law,
                     size_t position)
{
    const qkv__node *dimension = qkv__law_dimension(statement), *range = law->range;
    bool picked = law->index != NULL && range == NULL &&
                  qkv__replay_is_picked(w->replay, law->index, position);
    qkv__shadow own = {law->index == NULL ? "" : law->index->text, NULL};
    const qkv__shadow *shadows = law->index == NULL || picked ? NULL : &own;
    if (picked && !visit_index(w, law->index, NULL, position)) return false;
    for (size_t i = 0; i < law->count; i++)
        if (!qkv__walk_node(w, law->value[i], shadows, position, false)) return false;
    if (dimension != NULL && !qkv__walk_node(w, dimension, NULL, position, true)) return false;
    if (law->single || picked) return true;
    if (range == NULL &&
        (law->index == NULL || qkv__law_indexed_by(law->value[0], law->index->text) == NULL))
        range = qkv__law_common_range(w->replay->statement[0]);
    return range == NULL || qkv__walk_node(w, range, NULL, position, true);
}

/* keys k[i] ~ normal(mu[i], alpha*I), and all that was said of these keys before. */
static bool add_random(qkv__walk *w, const char *name, size_t position)
{
    qkv__drawn law;
    w->replay->random = true;
    for (size_t s = 0; s <= position; s++) {
        const qkv__statement *statement = w->replay->statement[s];
        if (statement->kind != QKV__STATEMENT_FAMILY || w->visited[s] ||
            !qkv__law_read(statement->node[0], &law) || strcmp(law.name, name) != 0)
            continue;
        w->visited[s] = true;
        if (!walk_law(w, statement, &law, s)) return false;
    }
    return true;
}

bool qkv__walk_add_family(qkv__walk *w, const qkv__statement *statement, const qkv__node *declared,
                          size_t position)
{
    assert(statement->kind == QKV__STATEMENT_FAMILY);
    qkv__replay *replay = w->replay;
    qkv__drawn law;
    if (qkv__law_read(declared, &law)) return add_random(w, law.name, position);
    if (declared->kind == QKV__NODE_COMPARE) /* explicit numbers */
        return declared->comparison == QKV__EQUAL &&
               qkv__walk_node(w, declared->child[1], NULL, position, false);
    const char *name = declared->child[0]->text;
    qkv__unknown unknown = {.kind = QKV__UNKNOWN_FAMILY,
                            .name = name,
                            .statement = statement,
                            .declared = declared,
                            .position = position,
                            .holds_values = strcmp(statement->text, "values") == 0};
    int known = qkv__replay_unknown(replay, name, statement, NULL);
    if (known < 0) {
        if (!read_properties(statement, &unknown) || !member_names(replay, declared, &unknown) ||
            !qkv__walk_add_unknown(w, unknown))
            return false;
    } else {
        unknown = replay->unknown[known];
        touch(w, known);
    }
    if (unknown.norm != NULL && !qkv__walk_node(w, unknown.norm, NULL, position, false))
        return false;
    if (unknown.dimension != NULL && !qkv__walk_node(w, unknown.dimension, NULL, position, true))
        return false;
    return unknown.names != NULL || qkv__walk_node(w, declared->child[1], NULL, position, true);
}

/* ---- Indices ------------------------------------------------------------------------------- */

bool qkv__walk_add_picks(qkv__walk *w, const qkv__statement *pick, size_t position)
{
    assert(pick->kind == QKV__STATEMENT_PICK);
    const qkv__node *range = pick->node[pick->count - 1];
    for (size_t i = 0; i + 1 < pick->count; i++) {
        qkv__unknown unknown = {.kind = QKV__UNKNOWN_INDEX,
                                .name = pick->node[i]->text,
                                .statement = pick,
                                .declared = range,
                                .position = position,
                                .distinct = pick->distinct};
        if (!qkv__walk_add_unknown(w, unknown)) return false;
    }
    return range->kind == QKV__NODE_RANGE && qkv__walk_node(w, range, NULL, position, true);
}

/* A name in the place of an index: bound, picked, or the member of a family with names. */
static bool visit_index(qkv__walk *w, const qkv__node *node, const qkv__shadow *shadows,
                        size_t position)
{
    if (node->kind != QKV__NODE_NAME) return true; /* a number; others fail when evaluated */
    for (const qkv__shadow *s = shadows; s != NULL; s = s->next)
        if (strcmp(s->name, node->text) == 0) return true;
    int known = qkv__replay_index(w->replay, node->text);
    for (size_t s = position; s-- > 0;) {
        const qkv__statement *statement = w->replay->statement[s];
        if (statement->kind != QKV__STATEMENT_PICK) continue;
        for (size_t i = 0; i + 1 < statement->count; i++) {
            if (strcmp(statement->node[i]->text, node->text) != 0) continue;
            if (known < 0 && !qkv__walk_add_picks(w, statement, s)) return false;
            known = qkv__replay_index(w->replay, node->text);
            /* One name for two picks would be two unknowns. */
            if (w->replay->unknown[known].statement != statement) return false;
            touch(w, known);
            return qkv__walk_node(w, statement->node[statement->count - 1], NULL, s, true);
        }
    }
    return known < 0 || touch(w, known);
}

/* ---- The walk ------------------------------------------------------------------------------ */

static bool visit_definition(qkv__walk *w, const char *name, int index, const qkv__node *declared)
{
    qkv__replay *replay = w->replay;
    if (w->visited[index]) return true;
    w->visited[index] = true;
    if (declared->kind == QKV__NODE_NAME)
        return qkv__walk_node(w, replay->statement[index]->node[1], NULL, (size_t)index, false);
    if (declared->kind != QKV__NODE_INDEX) return false; /* a function without arguments */
    for (size_t s = 0; s <= (size_t)index; s++) {
        const qkv__statement *statement = replay->statement[s];
        const qkv__node *target = statement->node[0];
        if (statement->kind == QKV__STATEMENT_DEFINE && target->kind == QKV__NODE_INDEX &&
            strcmp(target->child[0]->text, name) == 0 &&
            !qkv__walk_node(w, statement->node[1], NULL, s, false))
            return false;
    }
    return true;
}

static bool visit_name(qkv__walk *w, const char *name, const qkv__shadow *shadows, size_t position,
                       bool size)
{
    const qkv__node *declared;
    char family[64];
    for (const qkv__shadow *s = shadows; s != NULL; s = s->next)
        if (strcmp(s->name, name) == 0) return true;
    int index = qkv__replay_resolve(w->replay, name, position, &declared);
    if (index >= 0) {
        const qkv__statement *statement = w->replay->statement[index];
        if (statement->kind == QKV__STATEMENT_DEFINE)
            return visit_definition(w, name, index, declared);
        if (statement->kind == QKV__STATEMENT_FAMILY)
            return qkv__walk_add_family(w, statement, declared, (size_t)index);
        return qkv__walk_add_object(w, statement->text, statement, NULL, declared, (size_t)index);
    }
    const char *member = qkv__replay_subscript(name, family, sizeof family);
    if (member != NULL && qkv__replay_resolve(w->replay, family, position, &declared) >= 0) {
        qkv__node node = qkv__replay_subscript_node(member);
        return visit_name(w, family, shadows, position, false) &&
               visit_index(w, &node, shadows, position);
    }
    if (strcmp(name, "e") == 0 || strcmp(name, "I") == 0 || strcmp(name, "pi") == 0) return true;
    qkv__node index_name = {.kind = QKV__NODE_NAME, .text = name};
    if (qkv__replay_is_picked(w->replay, &index_name, w->replay->statement_count) ||
        qkv__replay_index(w->replay, name) >= 0)
        return false; /* an index is no number */
    int bound = qkv__replay_unknown(w->replay, name, NULL, NULL);
    if (bound >= 0 && w->replay->unknown[bound].kind != QKV__UNKNOWN_PARAMETER)
        return touch(w, bound); /* for all permutation R[d], behind the claim */
    if (bound < 0 && !size && !qkv__is_letter_name(name, strlen(name)) &&
        !is_declared(w->replay, name))
        return false; /* nobody said that it is a number */
    return add_parameter(w, name, NULL, size);
}

/* Whether a name in front of a bracket may be a factor: a longer word that nothing declares is a
 * function that nobody knows. */
static bool is_number(const qkv__walk *w, const char *name, const qkv__shadow *shadows)
{
    for (const qkv__shadow *s = shadows; s != NULL; s = s->next)
        if (strcmp(s->name, name) == 0) return true;
    return qkv__is_letter_name(name, strlen(name)) ||
           qkv__replay_unknown(w->replay, name, NULL, NULL) >= 0;
}

static bool walk_call(qkv__walk *w, const qkv__node *node, const qkv__shadow *shadows,
                      size_t position)
{
    assert(node->kind == QKV__NODE_CALL);
    const qkv__node *declared;
    int index = qkv__replay_resolve(w->replay, node->text, position, &declared);
    qkv__builtin function = qkv__builtin_of(node);
    bool attention = function == QKV__BUILTIN_ATTEND || function == QKV__BUILTIN_SELF_ATTEND;
    bool sized = function == QKV__BUILTIN_ONES || function == QKV__BUILTIN_ZEROS;
    if (index < 0 && qkv__builtin_kind_of(function) == QKV__OF_CHANCE) w->replay->chance = true;
    if (index < 0 && function == QKV__BUILTIN_NORMAL) return false;
    for (size_t i = 0; i < node->count; i++) {
        const qkv__node *argument = node->child[i];
        if (attention && argument->kind == QKV__NODE_NAME && strcmp(argument->text, "causal") == 0)
            continue;
        const qkv__node *set = argument->kind == QKV__NODE_OPTION ? argument->child[0] : NULL;
        if (attention && set != NULL && set->kind == QKV__NODE_SET) { /* a mask: indexes */
            for (size_t j = 0; j < set->count; j++)
                if (!visit_index(w, set->child[j], shadows, position)) return false;
            continue;
        }
        if (!qkv__walk_node(w, argument, shadows, position, index < 0 && sized)) return false;
    }
    if (index < 0 && node->count == 1 && function == QKV__BUILTIN_NONE) /* beta(x + y): a product */
        return is_number(w, node->text, shadows) &&
               visit_name(w, node->text, shadows, position, false);
    if (index < 0) return true;
    if (declared->kind != QKV__NODE_CALL && node->count == 2 && function != QKV__BUILTIN_NONE)
        return true; /* d(x, t), whatever else is called d */
    if (declared->kind != QKV__NODE_CALL)
        return visit_name(w, node->text, shadows, position, false);
    enum { MOST = 8 };
    qkv__shadow own[MOST];
    if (declared->count > MOST || w->depth > QKV__REPLAY_DEPTH) return false;
    for (size_t i = 0; i < declared->count; i++)
        own[i] = (qkv__shadow){declared->child[i]->text, i == 0 ? NULL : &own[i - 1]};
    w->depth++;
    bool good =
        qkv__walk_node(w, w->replay->statement[index]->node[1],
                       declared->count == 0 ? NULL : &own[declared->count - 1], position, false);
    w->depth--;
    return good;
}

/* i in 1..n, i not in {a, b}, i != j */
bool qkv__walk_domain(qkv__walk *w, const qkv__node *domain, const qkv__shadow *shadows,
                      size_t position)
{
    assert(domain->kind == QKV__NODE_COMPARE);
    const qkv__node *over = domain->child[1];
    if (over->kind == QKV__NODE_RANGE) return qkv__walk_node(w, over, shadows, position, false);
    size_t count = over->kind == QKV__NODE_SET ? over->count : 1;
    for (size_t i = 0; i < count; i++)
        if (!visit_index(w, over->kind == QKV__NODE_SET ? over->child[i] : over, shadows, position))
            return false;
    return true;
}

/* attend(q, k, v), q.k: a name whose kind is not said is a vector there. */
static bool is_used_as_vector(const qkv__node *node, const char *name)
{
    bool attention = qkv__builtin_of(node) == QKV__BUILTIN_ATTEND;
    for (size_t i = 0; i < node->count; i++) {
        const qkv__node *part = node->child[i];
        if (part->kind == QKV__NODE_NAME && strcmp(part->text, name) == 0 &&
            (node->kind == QKV__NODE_DOT || (attention && i == 0)))
            return true;
        if (is_used_as_vector(part, name)) return true;
    }
    return false;
}

/* for all i in 1..n, permutation R[d], beta >= 3: p */
static bool walk_for_all(qkv__walk *w, const qkv__node *node, const qkv__shadow *shadows,
                         size_t position)
{
    enum { MOST = 8 };
    qkv__shadow own[MOST];
    const qkv__shadow *inner = shadows;
    if (node->count > MOST) return false;
    for (size_t i = 0; i + 1 < node->count; i++) {
        const qkv__node *bound = node->child[i], *declared;
        const char *kind, *name;
        if (qkv__is_index_domain(bound)) {
            own[i] = (qkv__shadow){bound->child[0]->text, inner};
            if (!qkv__walk_domain(w, bound, inner, position)) return false;
            inner = &own[i];
            continue;
        }
        if (bound->kind == QKV__NODE_COMPARE) {
            if (!qkv__walk_node(w, bound, inner, position, false)) return false;
            continue;
        }
        name = qkv__binding_name(bound, &kind, &declared);
        bool vector = kind[0] == '\0' && declared->kind == QKV__NODE_NAME &&
                      node->kind == QKV__NODE_EXISTS &&
                      is_used_as_vector(node->child[node->count - 1], name);
        if (vector) kind = "vector";
        if (kind[0] != '\0' && strcmp(kind, "scalar") != 0) {
            own[i] = (qkv__shadow){name, inner};
            if (!qkv__walk_add_object(w, kind, NULL, bound, declared, position)) return false;
            inner = &own[i];
        } else if (declared->kind != QKV__NODE_NAME) {
            return false;
        } else { /* a name that is defined is not free */
            int index = qkv__replay_resolve(w->replay, name, position, &declared);
            if (index >= 0 && w->replay->statement[index]->kind == QKV__STATEMENT_DEFINE)
                return false;
            if (!visit_name(w, name, inner, position, false)) return false;
        }
    }
    return qkv__walk_node(w, node->child[node->count - 1], inner, position, false);
}

static void note_width(qkv__replay *replay, size_t width)
{
    for (size_t i = 0; i < replay->width_count; i++)
        if (replay->width[i] == width) return;
    if (replay->width_count < QKV__REPLAY_WIDTHS) replay->width[replay->width_count++] = width;
}

/* i < j: whether a side of a comparison is an index, unless the name is bound further in. */
static bool is_compared_index(const qkv__walk *w, const qkv__node *comparison,
                              const qkv__node *side)
{
    const qkv__node *declared;
    return comparison->kind == QKV__NODE_COMPARE && side->kind == QKV__NODE_NAME &&
           qkv__replay_resolve(w->replay, side->text, w->replay->statement_count, &declared) < 0 &&
           (qkv__replay_is_picked(w->replay, side, w->replay->statement_count) ||
            qkv__replay_index(w->replay, side->text) >= 0);
}

bool qkv__walk_node(qkv__walk *w, const qkv__node *node, const qkv__shadow *shadows,
                    size_t position, bool size)
{
    qkv__shadow bound = {node->text, shadows};
    switch (node->kind) {
    case QKV__NODE_NAME: return visit_name(w, node->text, shadows, position, size);
    case QKV__NODE_CALL: return walk_call(w, node, shadows, position);
    case QKV__NODE_FOR_ALL: return walk_for_all(w, node, shadows, position);
    case QKV__NODE_EXISTS:
        w->replay->existential = true;
        return walk_for_all(w, node, shadows, position);
    case QKV__NODE_INFINITY: return false;
    case QKV__NODE_SUM:
        return qkv__walk_domain(w, node->child[1], shadows, position) &&
               qkv__walk_node(w, node->child[0], &bound, position, false);
    case QKV__NODE_INDEX:
        for (size_t i = 1; i < node->count; i++)
            if (!visit_index(w, node->child[i], shadows, position)) return false;
        return qkv__walk_node(w, node->child[0], shadows, position, false);
    case QKV__NODE_LIST:
        if (qkv__list_is_family(node)) break;
        if (node->count > 0 && node->child[0]->kind != QKV__NODE_LIST)
            note_width(w->replay, node->count);
        if (node->count > 0 && node->child[0]->kind != QKV__NODE_LIST) note_width(w->replay, 1);
        break;
    default: break;
    }
    /* In 1..n it is n that is a size; in 1..n/2 it is not. */
    size = size && node->kind == QKV__NODE_RANGE;
    for (size_t i = 0; i < node->count; i++)
        if (is_compared_index(w, node, node->child[i])
                ? !visit_index(w, node->child[i], shadows, position)
                : !qkv__walk_node(w, node->child[i], shadows, position, size))
            return false;
    return true;
}
