/* What a claim depends on: the statements in front of it, its unknowns, its premises and limits.
 * Evaluates nothing. */
#include <string.h>

#include "language/tree.h"
#include "language/write.h"
#include "replay/replay.h"

static bool depends_on(const qkv__replay *replay, const qkv__node *node, const char *name,
                       size_t position, int depth);

/* Names bound around a node. */
typedef struct shadow {
    const char *name;
    const struct shadow *next;
} shadow;

/* A walk over expressions under way. */
typedef struct walk {
    qkv__replay *replay;
    bool visited[QKV__REPLAY_STATEMENTS];
    uint64_t touched; /* unknowns met */
    bool shown;       /* what is met is shown in a counterexample */
    int depth;
} walk;

static bool walk_node(walk *w, const qkv__node *node, const shadow *shadows, size_t position,
                      bool size);
static bool visit_index(walk *w, const qkv__node *node, const shadow *shadows, size_t position);
static bool add_premise(qkv__replay *replay, const qkv__node *node, size_t position, bool shown);

/* ---- Names --------------------------------------------------------------------------------- */

/* The name that a node of a statement declares; NULL for properties. */
static const char *declared_name(const qkv__statement *statement, const qkv__node *node)
{
    bool family = statement->kind == QKV__STATEMENT_FAMILY;
    const qkv__node *inner =
        node->kind == QKV__NODE_INDEX || node->kind == QKV__NODE_COMPARE ? node->child[0] : node;
    if (family && node->kind == QKV__NODE_NAME) return NULL;
    if (family && node->kind == QKV__NODE_CALL) return NULL;
    if (inner->kind == QKV__NODE_INDEX) inner = inner->child[0];
    return inner->text;
}

int qkv__replay_resolve(const qkv__replay *replay, const char *name, size_t position,
                        const qkv__node **declared)
{
    for (size_t i = 0; i < replay->answer_count; i++) {
        const size_t s = replay->statement_count + i;
        if (strcmp(replay->statement[s]->node[0]->text, name) != 0) continue;
        *declared = replay->statement[s]->node[0];
        return (int)s;
    }
    for (size_t s = position; s-- > 0;) {
        const qkv__statement *statement = replay->statement[s];
        size_t count = statement->kind == QKV__STATEMENT_DEFINE ? 1 : statement->count;
        if (statement->kind != QKV__STATEMENT_DEFINE && statement->kind != QKV__STATEMENT_FAMILY &&
            statement->kind != QKV__STATEMENT_OBJECT)
            continue;
        for (size_t i = 0; i < count; i++) {
            const char *known = declared_name(statement, statement->node[i]);
            if (known == NULL || strcmp(known, name) != 0) continue;
            *declared = statement->node[i];
            return (int)s;
        }
    }
    return -1;
}

int qkv__replay_unknown(const qkv__replay *replay, const char *name,
                        const qkv__statement *statement, const qkv__node *quantifier)
{
    for (size_t i = 0; i < replay->unknown_count; i++) {
        const qkv__unknown *u = &replay->unknown[i];
        if (u->kind != QKV__UNKNOWN_INDEX && u->statement == statement &&
            u->quantifier == quantifier && strcmp(u->name, name) == 0)
            return (int)i;
    }
    return -1;
}

int qkv__replay_index(const qkv__replay *replay, const char *name)
{
    for (size_t i = replay->unknown_count; i-- > 0;)
        if (replay->unknown[i].kind == QKV__UNKNOWN_INDEX &&
            strcmp(replay->unknown[i].name, name) == 0)
            return (int)i;
    return -1;
}

const char *qkv__replay_subscript(const char *name, char *family, size_t size)
{
    const char *line = strchr(name, '_');
    if (line == NULL || line == name || (size_t)(line - name) >= size) return NULL;
    memcpy(family, name, (size_t)(line - name));
    family[line - name] = '\0';
    return line + 1;
}

const char *qkv__binding_name(const qkv__node *binding, const char **kind,
                              const qkv__node **declared)
{
    const qkv__node *node = binding;
    *kind = "";
    if (node->kind == QKV__NODE_CALL && node->count == 1) {
        *kind = node->text;
        node = node->child[0];
    }
    *declared = node;
    return node->kind == QKV__NODE_INDEX ? node->child[0]->text : node->text;
}

/* ---- Unknowns ------------------------------------------------------------------------------ */

static bool touch(walk *w, int index)
{
    w->touched |= UINT64_C(1) << index;
    if (w->shown) w->replay->unknown[index].shown = true;
    return true;
}

static bool add_unknown(walk *w, qkv__unknown unknown)
{
    qkv__replay *replay = w->replay;
    if (replay->unknown_count == QKV__UNKNOWNS) return false;
    unknown.rows = unknown.columns = 1;
    replay->unknown[replay->unknown_count] = unknown;
    return touch(w, (int)replay->unknown_count++);
}

static bool add_parameter(walk *w, const char *name, const qkv__statement *statement, bool size)
{
    qkv__replay *replay = w->replay;
    int index = qkv__replay_unknown(replay, name, statement, NULL);
    if (index < 0) {
        qkv__unknown unknown = {
            .kind = QKV__UNKNOWN_PARAMETER, .name = name, .statement = statement};
        if (!add_unknown(w, unknown)) return false;
        index = (int)replay->unknown_count - 1;
    }
    if (size) replay->unknown[index].is_size = replay->unknown[index].whole = true;
    return touch(w, index);
}

/* Sizes in a declaration: X[n, d]; in a family its range's end. */
static bool walk_sizes(walk *w, const qkv__node *declared, size_t position)
{
    for (size_t i = 1; declared->kind == QKV__NODE_INDEX && i < declared->count; i++)
        if (!walk_node(w, declared->child[i], NULL, position, true)) return false;
    return true;
}

static bool object_kind(const char *word, qkv__unknown_kind *kind)
{
    if (strcmp(word, "vector") == 0) return *kind = QKV__UNKNOWN_VECTOR, true;
    if (strcmp(word, "matrix") == 0) return *kind = QKV__UNKNOWN_MATRIX, true;
    if (strcmp(word, "permutation") == 0) return *kind = QKV__UNKNOWN_PERMUTATION, true;
    return false;
}

static bool add_object(walk *w, const char *word, const qkv__statement *statement,
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
        if (!add_unknown(w, unknown)) return false;
    } else {
        touch(w, known);
    }
    return walk_sizes(w, declared, position);
}

/* orthonormal; orthogonal, norm x; dimension d. */
static bool read_properties(const qkv__statement *statement, qkv__unknown *u)
{
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

/* A norm is positive, a size is not negative: premises. */
static bool add_bound(qkv__replay *replay, const qkv__node *norm, qkv__comparison comparison,
                      size_t position)
{
    qkv__node *zero = qkv__arena_take(&replay->arena, sizeof *zero);
    qkv__node *positive = qkv__arena_take(&replay->arena, sizeof *positive);
    const qkv__node **sides = qkv__arena_array(&replay->arena, 2, sizeof *sides);
    if (zero == NULL || positive == NULL || sides == NULL) return false;
    if (norm->kind == QKV__NODE_NUMBER) return true;
    *zero = (qkv__node){.kind = QKV__NODE_NUMBER, .text = "", .value = {0, 1}, .depth = 1};
    sides[0] = norm;
    sides[1] = zero;
    *positive = (qkv__node){.kind = QKV__NODE_COMPARE,
                            .text = "",
                            .comparison = comparison,
                            .count = 2,
                            .child = sides,
                            .depth = norm->depth + 1};
    return add_premise(replay, positive, position, false);
}

/* keys k[i] ~ normal(mu[i], alpha*I), and all that was said of these keys before. */
static bool add_random(walk *w, const qkv__node *declared, size_t position)
{
    const char *family = declared->child[0]->child[0]->text;
    w->replay->random = true;
    for (size_t s = 0; s <= position; s++) {
        const qkv__statement *statement = w->replay->statement[s];
        if (statement->kind != QKV__STATEMENT_FAMILY || w->visited[s]) continue;
        for (size_t i = 0; i < statement->count; i++) {
            const qkv__node *node = statement->node[i];
            const qkv__node *index = qkv__replay_random_index(node);
            if (index == NULL || strcmp(node->child[0]->child[0]->text, family) != 0) continue;
            w->visited[s] = true;
            shadow own = {index->text, NULL};
            bool picked = qkv__replay_is_picked(w->replay, index, s);
            if (picked && !visit_index(w, index, NULL, s)) return false;
            for (size_t j = 0; j < 2; j++)
                if (!walk_node(w, node->child[1]->child[j], picked ? NULL : &own, s, false))
                    return false;
        }
    }
    return true;
}

static bool add_family(walk *w, const qkv__statement *statement, const qkv__node *declared,
                       size_t position)
{
    qkv__replay *replay = w->replay;
    if (qkv__replay_random_index(declared) != NULL) return add_random(w, declared, position);
    if (declared->kind == QKV__NODE_COMPARE) /* explicit numbers */
        return declared->comparison == QKV__EQUAL &&
               walk_node(w, declared->child[1], NULL, position, false);
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
            !add_unknown(w, unknown))
            return false;
    } else {
        unknown = replay->unknown[known];
        touch(w, known);
    }
    if (unknown.norm != NULL && !walk_node(w, unknown.norm, NULL, position, false)) return false;
    if (unknown.dimension != NULL && !walk_node(w, unknown.dimension, NULL, position, true))
        return false;
    return unknown.names != NULL || walk_node(w, declared->child[1], NULL, position, true);
}

/* ---- Indices ------------------------------------------------------------------------------- */

static bool add_picks(walk *w, const qkv__statement *pick, size_t position)
{
    const qkv__node *range = pick->node[pick->count - 1];
    for (size_t i = 0; i + 1 < pick->count; i++) {
        qkv__unknown unknown = {.kind = QKV__UNKNOWN_INDEX,
                                .name = pick->node[i]->text,
                                .statement = pick,
                                .declared = range,
                                .position = position,
                                .distinct = pick->distinct};
        if (!add_unknown(w, unknown)) return false;
    }
    return range->kind == QKV__NODE_RANGE && walk_node(w, range, NULL, position, true);
}

/* A name in the place of an index: bound, picked, or the member of a family with names. */
static bool visit_index(walk *w, const qkv__node *node, const shadow *shadows, size_t position)
{
    if (node->kind != QKV__NODE_NAME) return true; /* a number; others fail when evaluated */
    for (const shadow *s = shadows; s != NULL; s = s->next)
        if (strcmp(s->name, node->text) == 0) return true;
    int known = qkv__replay_index(w->replay, node->text);
    for (size_t s = position; s-- > 0;) {
        const qkv__statement *statement = w->replay->statement[s];
        if (statement->kind != QKV__STATEMENT_PICK) continue;
        for (size_t i = 0; i + 1 < statement->count; i++) {
            if (strcmp(statement->node[i]->text, node->text) != 0) continue;
            if (known < 0 && !add_picks(w, statement, s)) return false;
            known = qkv__replay_index(w->replay, node->text);
            /* One name for two picks would be two unknowns. */
            if (w->replay->unknown[known].statement != statement) return false;
            touch(w, known);
            return walk_node(w, statement->node[statement->count - 1], NULL, s, true);
        }
    }
    return known < 0 || touch(w, known);
}

/* ---- The walk ------------------------------------------------------------------------------ */

static bool visit_definition(walk *w, const char *name, int index, const qkv__node *declared)
{
    qkv__replay *replay = w->replay;
    if (w->visited[index]) return true;
    w->visited[index] = true;
    if (declared->kind == QKV__NODE_NAME)
        return walk_node(w, replay->statement[index]->node[1], NULL, (size_t)index, false);
    if (declared->kind != QKV__NODE_INDEX) return false; /* a function without arguments */
    for (size_t s = 0; s <= (size_t)index; s++) {
        const qkv__statement *statement = replay->statement[s];
        const qkv__node *target = statement->node[0];
        if (statement->kind == QKV__STATEMENT_DEFINE && target->kind == QKV__NODE_INDEX &&
            strcmp(target->child[0]->text, name) == 0 &&
            !walk_node(w, statement->node[1], NULL, s, false))
            return false;
    }
    return true;
}

static bool visit_name(walk *w, const char *name, const shadow *shadows, size_t position, bool size)
{
    const qkv__node *declared;
    char family[64];
    for (const shadow *s = shadows; s != NULL; s = s->next)
        if (strcmp(s->name, name) == 0) return true;
    int index = qkv__replay_resolve(w->replay, name, position, &declared);
    if (index >= 0) {
        const qkv__statement *statement = w->replay->statement[index];
        if (statement->kind == QKV__STATEMENT_DEFINE)
            return visit_definition(w, name, index, declared);
        if (statement->kind == QKV__STATEMENT_FAMILY)
            return add_family(w, statement, declared, (size_t)index);
        return add_object(w, statement->text, statement, NULL, declared, (size_t)index);
    }
    const char *member = qkv__replay_subscript(name, family, sizeof family);
    if (member != NULL && qkv__replay_resolve(w->replay, family, position, &declared) >= 0) {
        qkv__node node = {.kind = QKV__NODE_NAME, .text = member};
        return visit_name(w, family, shadows, position, false) &&
               visit_index(w, &node, shadows, position);
    }
    if (strcmp(name, "e") == 0 || strcmp(name, "I") == 0 || strcmp(name, "pi") == 0) return true;
    qkv__node index_name = {.kind = QKV__NODE_NAME, .text = name};
    if (qkv__replay_is_picked(w->replay, &index_name, w->replay->statement_count))
        return false; /* an index is no number */
    int bound = qkv__replay_unknown(w->replay, name, NULL, NULL);
    if (bound >= 0 && w->replay->unknown[bound].kind != QKV__UNKNOWN_PARAMETER)
        return touch(w, bound); /* for all permutation R[d], behind the claim */
    return add_parameter(w, name, NULL, size);
}

static bool is_builtin(const char *name)
{
    static const char *const names[] = {"exp",  "ln",     "log",         "sqrt",    "abs",  "norm",
                                        "cos",  "tanh",   "erf",         "sum",     "mean", "max",
                                        "min",  "attend", "self_attend", "softmax", "hull", "dist",
                                        "file", "normal", "P",           "E",       "Var",  "Cov"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

static bool walk_call(walk *w, const qkv__node *node, const shadow *shadows, size_t position)
{
    const qkv__node *declared;
    int index = qkv__replay_resolve(w->replay, node->text, position, &declared);
    bool attention = strcmp(node->text, "attend") == 0 || strcmp(node->text, "self_attend") == 0;
    if (index < 0 && qkv__replay_is_chance(node->text)) w->replay->chance = true;
    if (index < 0 && strcmp(node->text, "normal") == 0) return false;
    for (size_t i = 0; i < node->count; i++) {
        const qkv__node *argument = node->child[i];
        if (attention && argument->kind == QKV__NODE_NAME && strcmp(argument->text, "causal") == 0)
            continue;
        if (!walk_node(w, argument, shadows, position, false)) return false;
    }
    if (index < 0 && node->count == 1 && !is_builtin(node->text)) /* beta(x + y): a product */
        return visit_name(w, node->text, shadows, position, false);
    if (index < 0) return true;
    if (declared->kind != QKV__NODE_CALL)
        return visit_name(w, node->text, shadows, position, false);
    enum { MOST = 8 };
    shadow own[MOST];
    if (declared->count > MOST || w->depth > QKV__REPLAY_DEPTH) return false;
    for (size_t i = 0; i < declared->count; i++)
        own[i] = (shadow){declared->child[i]->text, i == 0 ? NULL : &own[i - 1]};
    w->depth++;
    bool good = walk_node(w, w->replay->statement[index]->node[1],
                          declared->count == 0 ? NULL : &own[declared->count - 1], position, false);
    w->depth--;
    return good;
}

/* i in 1..n, i not in {a, b}, i != j */
static bool walk_domain(walk *w, const qkv__node *domain, const shadow *shadows, size_t position)
{
    const qkv__node *over = domain->child[1];
    if (over->kind == QKV__NODE_RANGE) return walk_node(w, over, shadows, position, false);
    size_t count = over->kind == QKV__NODE_SET ? over->count : 1;
    for (size_t i = 0; i < count; i++)
        if (!visit_index(w, over->kind == QKV__NODE_SET ? over->child[i] : over, shadows, position))
            return false;
    return true;
}

static bool is_index_domain(const qkv__node *bound)
{
    return bound->kind == QKV__NODE_COMPARE && bound->child[0]->kind == QKV__NODE_NAME &&
           (bound->comparison == QKV__IN || bound->comparison == QKV__NOT_IN ||
            bound->comparison == QKV__NOT_EQUAL);
}

/* attend(q, k, v), q.k: a name whose kind is not said is a vector there. */
static bool is_used_as_vector(const qkv__node *node, const char *name)
{
    bool attention = node->kind == QKV__NODE_CALL && strcmp(node->text, "attend") == 0;
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
static bool walk_for_all(walk *w, const qkv__node *node, const shadow *shadows, size_t position)
{
    enum { MOST = 8 };
    shadow own[MOST];
    const shadow *inner = shadows;
    if (node->count > MOST) return false;
    for (size_t i = 0; i + 1 < node->count; i++) {
        const qkv__node *bound = node->child[i], *declared;
        const char *kind, *name;
        if (is_index_domain(bound)) {
            own[i] = (shadow){bound->child[0]->text, inner};
            if (!walk_domain(w, bound, inner, position)) return false;
            inner = &own[i];
            continue;
        }
        if (bound->kind == QKV__NODE_COMPARE) {
            if (!walk_node(w, bound, inner, position, false)) return false;
            continue;
        }
        name = qkv__binding_name(bound, &kind, &declared);
        bool vector = kind[0] == '\0' && declared->kind == QKV__NODE_NAME &&
                      node->kind == QKV__NODE_EXISTS &&
                      is_used_as_vector(node->child[node->count - 1], name);
        if (vector) kind = "vector";
        if (kind[0] != '\0' && strcmp(kind, "scalar") != 0) {
            own[i] = (shadow){name, inner};
            if (!add_object(w, kind, NULL, bound, declared, position)) return false;
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
    return walk_node(w, node->child[node->count - 1], inner, position, false);
}

static void note_width(qkv__replay *replay, size_t width)
{
    for (size_t i = 0; i < replay->width_count; i++)
        if (replay->width[i] == width) return;
    if (replay->width_count < QKV__REPLAY_WIDTHS) replay->width[replay->width_count++] = width;
}

static bool walk_node(walk *w, const qkv__node *node, const shadow *shadows, size_t position,
                      bool size)
{
    shadow bound = {node->text, shadows};
    switch (node->kind) {
    case QKV__NODE_NAME: return visit_name(w, node->text, shadows, position, size);
    case QKV__NODE_CALL: return walk_call(w, node, shadows, position);
    case QKV__NODE_FOR_ALL: return walk_for_all(w, node, shadows, position);
    case QKV__NODE_EXISTS:
        w->replay->existential = true;
        return walk_for_all(w, node, shadows, position);
    case QKV__NODE_INFINITY: return false;
    case QKV__NODE_SUM:
        return walk_domain(w, node->child[1], shadows, position) &&
               walk_node(w, node->child[0], &bound, position, false);
    case QKV__NODE_INDEX:
        for (size_t i = 1; i < node->count; i++)
            if (!visit_index(w, node->child[i], shadows, position)) return false;
        return walk_node(w, node->child[0], shadows, position, false);
    case QKV__NODE_LIST:
        if (node->count > 0 && node->child[0]->kind != QKV__NODE_LIST)
            note_width(w->replay, node->count);
        if (node->count > 0 && node->child[0]->kind != QKV__NODE_LIST) note_width(w->replay, 1);
        break;
    default: break;
    }
    /* In 1..n it is n that is a size; in 1..n/2 it is not. */
    size = size && node->kind == QKV__NODE_RANGE;
    for (size_t i = 0; i < node->count; i++)
        if (!walk_node(w, node->child[i], shadows, position, size)) return false;
    return true;
}

/* Whether an index that is picked or bound stands where a number is meant. */
static bool names_index(const qkv__replay *replay, const qkv__node *node, bool index)
{
    const qkv__node *declared;
    if (node->kind == QKV__NODE_NAME)
        return !index && qkv__replay_index(replay, node->text) >= 0 &&
               qkv__replay_resolve(replay, node->text, replay->statement_count, &declared) < 0;
    bool domain = is_index_domain(node);
    for (size_t i = 0; i < node->count; i++) {
        bool place = (node->kind == QKV__NODE_INDEX && i > 0) || node->kind == QKV__NODE_SET;
        if (domain && node->child[i]->kind == QKV__NODE_NAME && i == 0 &&
            node->child[1]->kind == QKV__NODE_NAME)
            return qkv__replay_index(replay, node->child[0]->text) >= 0 ||
                   qkv__replay_index(replay, node->child[1]->text) >= 0;
        if (names_index(replay, node->child[i], place)) return true;
    }
    return false;
}

/* ---- What is random ------------------------------------------------------------------------ */

bool qkv__replay_is_picked(const qkv__replay *replay, const qkv__node *index, size_t position)
{
    for (size_t s = 0; s < position; s++) {
        const qkv__statement *statement = replay->statement[s];
        if (statement->kind != QKV__STATEMENT_PICK) continue;
        for (size_t i = 0; i + 1 < statement->count; i++)
            if (strcmp(statement->node[i]->text, index->text) == 0) return true;
    }
    return false;
}

/* Whether an expression changes from draw to draw. P and E do not. */
static bool is_random_node(const qkv__replay *replay, const qkv__node *node, size_t position)
{
    const qkv__node *declared;
    char family[64];
    bool named = node->kind == QKV__NODE_NAME || node->kind == QKV__NODE_CALL;
    int index = named ? qkv__replay_resolve(replay, node->text, position, &declared) : -1;
    if (index < 0 && node->kind == QKV__NODE_NAME &&
        qkv__replay_subscript(node->text, family, sizeof family) != NULL)
        index = qkv__replay_resolve(replay, family, position, &declared);
    if (index >= 0 && replay->is_random[index]) return true;
    if (index < 0 && node->kind == QKV__NODE_CALL && qkv__replay_is_chance(node->text))
        return false;
    for (size_t i = 0; i < node->count; i++)
        if (is_random_node(replay, node->child[i], position)) return true;
    return false;
}

/* Whether a letter stands in the covariance of some key. */
static bool scales_noise(const qkv__replay *replay, const char *name)
{
    for (size_t s = 0; s < replay->statement_count; s++) {
        const qkv__statement *statement = replay->statement[s];
        if (statement->kind != QKV__STATEMENT_FAMILY) continue;
        for (size_t i = 0; i < statement->count; i++)
            if (qkv__replay_random_index(statement->node[i]) != NULL &&
                depends_on(replay, statement->node[i]->child[1]->child[1], name, s, 0))
                return true;
    }
    return false;
}

static void mark_random(qkv__replay *replay)
{
    const qkv__node *declared;
    for (size_t s = 0; s < qkv__replay_statements(replay); s++) {
        const qkv__statement *statement = replay->statement[s];
        bool *random = &replay->is_random[s];
        if (statement->kind == QKV__STATEMENT_FAMILY)
            for (size_t i = 0; i < statement->count && !*random; i++)
                *random = qkv__replay_random_index(statement->node[i]) != NULL;
        if (statement->kind != QKV__STATEMENT_DEFINE) continue;
        int before =
            qkv__replay_resolve(replay, declared_name(statement, statement->node[0]), s, &declared);
        *random = is_random_node(replay, statement->node[1], s) ||
                  (before >= 0 && replay->is_random[before]);
    }
}

/* ---- Premises ------------------------------------------------------------------------------ */

static bool add_premise(qkv__replay *replay, const qkv__node *node, size_t position, bool shown)
{
    walk w = {.replay = replay, .shown = shown};
    if (names_index(replay, node, false)) return false; /* an index is no number */
    if (replay->premise_count == QKV__REPLAY_PREMISES ||
        !walk_node(&w, node, NULL, position, false))
        return false;
    qkv__replay_premise premise = {node, position, w.touched};
    replay->premise[replay->premise_count++] = premise;
    if (!is_random_node(replay, node, position)) return true;
    if (replay->condition_count == QKV__REPLAY_LIMITS) return false;
    replay->condition[replay->condition_count++] = premise;
    return true;
}

static bool used_as_index(const qkv__node *node, const char *name)
{
    if (node->kind == QKV__NODE_INDEX)
        for (size_t i = 1; i < node->count; i++)
            if (node->child[i]->kind == QKV__NODE_NAME && strcmp(node->child[i]->text, name) == 0)
                return true;
    for (size_t i = 0; i < node->count; i++)
        if (used_as_index(node->child[i], name)) return true;
    return false;
}

/* A further condition on an index: i in 1..n, i != a. */
static bool add_condition(qkv__replay *replay, int index, const qkv__node *node)
{
    qkv__unknown *u = &replay->unknown[index];
    const qkv__node *over = node->child[1];
    if (over->kind == QKV__NODE_RANGE) { /* the same range says nothing new */
        qkv__text one = {0}, other = {0};
        qkv__node_write(over, &one);
        if (u->declared != NULL) qkv__node_write(u->declared, &other);
        bool same = one.data != NULL && other.data != NULL && strcmp(one.data, other.data) == 0;
        qkv__text_free(&one);
        qkv__text_free(&other);
        return same && node->comparison == QKV__IN;
    }
    if (node->comparison == QKV__IN) return false;
    walk w = {.replay = replay, .shown = true};
    if (!walk_domain(&w, node, NULL, replay->statement_count)) return false;
    if (u->outside == NULL)
        u->outside = over;
    else if (u->also_outside == NULL)
        u->also_outside = over;
    else
        return false;
    return true;
}

/* for i != 2: what i runs over is seen where it is used, as in for all i != 2: p. */
static bool wrap_in_for_all(qkv__replay *replay, const qkv__node *domain)
{
    qkv__node *node = qkv__arena_take(&replay->arena, sizeof *node);
    const qkv__node **parts = qkv__arena_array(&replay->arena, 2, sizeof *parts);
    if (node == NULL || parts == NULL) return false;
    parts[0] = domain;
    parts[1] = replay->proposition;
    *node = *replay->proposition;
    node->kind = QKV__NODE_FOR_ALL;
    node->text = "";
    node->count = 2;
    node->child = parts;
    node->depth = replay->proposition->depth + 1;
    replay->proposition = node;
    return true;
}

/* for i not in {a, b}: i is an unknown index of the set that a belongs to. */
static bool add_bound_index(qkv__replay *replay, const qkv__node *node)
{
    walk w = {.replay = replay, .shown = true};
    size_t position = replay->statement_count;
    const qkv__node *over = node->child[1];
    const char *name = node->child[0]->text;
    bool range = over->kind == QKV__NODE_RANGE;
    int same = qkv__replay_index(replay, name);
    if (same >= 0 && replay->unknown[same].bound) return add_condition(replay, same, node);
    if (range != (node->comparison == QKV__IN) || same >= 0) return false;
    if (!walk_domain(&w, node, NULL, position)) return false;
    const qkv__node *declared = range ? over : NULL;
    if (!range) {
        const qkv__node *first =
            over->kind == QKV__NODE_SET && over->count > 0 ? over->child[0] : over;
        int known = first->kind == QKV__NODE_NAME ? qkv__replay_index(replay, first->text) : -1;
        if (first->kind == QKV__NODE_NUMBER) return wrap_in_for_all(replay, node);
        if (known < 0) return false;
        declared = replay->unknown[known].declared;
        position = replay->unknown[known].position;
    }
    return add_unknown(&w, (qkv__unknown){.kind = QKV__UNKNOWN_INDEX,
                                          .name = name,
                                          .declared = declared,
                                          .position = position,
                                          .bound = true,
                                          .outside = range ? NULL : over});
}

/* Whether a name stands in a node, or in what the names in it are defined as. */
static bool depends_on(const qkv__replay *replay, const qkv__node *node, const char *name,
                       size_t position, int depth)
{
    const qkv__node *declared;
    bool named = node->kind == QKV__NODE_NAME || node->kind == QKV__NODE_CALL;
    if (node->kind == QKV__NODE_SUM && strcmp(node->text, name) == 0) /* a name of its own */
        return depends_on(replay, node->child[1]->child[1], name, position, depth + 1);
    if (depth > QKV__REPLAY_DEPTH || (named && strcmp(node->text, name) == 0)) return true;
    int index = named ? qkv__replay_resolve(replay, node->text, position, &declared) : -1;
    if (index >= 0 && replay->statement[index]->kind == QKV__STATEMENT_DEFINE)
        for (size_t s = 0; s <= (size_t)index; s++) { /* x[1] = ..., x[2] = ... make one family */
            const qkv__statement *statement = replay->statement[s];
            if (statement->kind == QKV__STATEMENT_DEFINE &&
                strcmp(declared_name(statement, statement->node[0]), node->text) == 0 &&
                depends_on(replay, statement->node[1], name, s, depth + 1))
                return true;
        }
    for (size_t i = 0; i < node->count; i++)
        if (depends_on(replay, node->child[i], name, position, depth + 1)) return true;
    return false;
}

/* What stands behind `for`. */
static bool take_range(qkv__replay *replay, const qkv__node *node, const qkv__node *proposition)
{
    const char *kind;
    const qkv__node *declared, *known;
    size_t position = replay->statement_count;
    walk w = {.replay = replay, .shown = true};
    if (is_index_domain(node) && used_as_index(proposition, node->child[0]->text))
        return add_bound_index(replay, node);
    if (is_index_domain(node) &&
        !depends_on(replay, proposition, node->child[0]->text, position, 0)) {
        /* An index that stands nowhere, or a number: that is told by what it may not be. */
        const qkv__node *over = node->child[1];
        const qkv__node *first =
            over->kind == QKV__NODE_SET && over->count > 0 ? over->child[0] : over;
        bool picked = first->kind == QKV__NODE_NAME &&
                      qkv__replay_is_picked(replay, first, replay->statement_count);
        return picked && node->comparison != QKV__IN && add_bound_index(replay, node);
    }

    if (node->kind == QKV__NODE_NAME) { /* for all v: must be free */
        int index = qkv__replay_resolve(replay, node->text, position, &known);
        return index < 0 || replay->statement[index]->kind != QKV__STATEMENT_DEFINE;
    }
    if (node->kind != QKV__NODE_CALL) return add_premise(replay, node, position, true);
    const char *name = qkv__binding_name(node, &kind, &declared);
    if (qkv__replay_resolve(replay, name, position, &known) >= 0) return false;
    return add_object(&w, kind, NULL, NULL, declared, position);
}

bool qkv__replay_grow(qkv__replay *replay, const char *name)
{
    int unknown = qkv__replay_unknown(replay, name, NULL, NULL);
    if (unknown < 0 || replay->unknown[unknown].kind != QKV__UNKNOWN_PARAMETER ||
        replay->limit_count == QKV__REPLAY_LIMITS)
        return false;
    replay->limit[replay->limit_count++] =
        (qkv__replay_limit){.unknown = unknown, .infinite = true};
    return true;
}

/* as beta -> inf */
static bool take_limit(qkv__replay *replay, const qkv__node *node)
{
    walk w = {.replay = replay};
    const qkv__node *name = node->child[0], *to = node->child[1];
    bool negative = to->kind == QKV__NODE_NEGATE;
    const qkv__node *number = negative ? to->child[0] : to;
    if (replay->limit_count == QKV__REPLAY_LIMITS || name->kind != QKV__NODE_NAME ||
        (to->kind != QKV__NODE_INFINITY && number->kind != QKV__NODE_NUMBER) ||
        !walk_node(&w, name, NULL, replay->statement_count, false))
        return false;
    int unknown = qkv__replay_unknown(replay, name->text, NULL, NULL);
    if (unknown < 0 || replay->unknown[unknown].kind != QKV__UNKNOWN_PARAMETER) return false;
    replay->limit[replay->limit_count++] = (qkv__replay_limit){
        .node = node,
        .unknown = unknown,
        .infinite = to->kind == QKV__NODE_INFINITY,
        .point = negative ? qkv__rational_negate(number->value) : number->value};
    return true;
}

static bool take_condition(qkv__replay *replay, const qkv__condition *condition,
                           const qkv__node *proposition)
{
    bool good = true;
    switch (condition->kind) {
    case QKV__CONDITION_LIMIT:
        for (size_t i = 0; good && i < condition->count; i++)
            good = take_limit(replay, condition->node[i]);
        return good;
    case QKV__CONDITION_RANGE:
        for (size_t i = 0; good && i < condition->count; i++)
            good = take_range(replay, condition->node[i], proposition);
        return good;
    case QKV__CONDITION_AT:
    case QKV__CONDITION_GIVEN:
        for (size_t i = 0; good && i < condition->count; i++)
            good = add_premise(replay, condition->node[i], replay->statement_count, true);
        return good;
    case QKV__CONDITION_WITHIN: replay->tolerance = condition->node[0]; return true;
    case QKV__CONDITION_EXPECT: return true;
    }
    return false;
}

/* Parameters that a size is made of, by way of definitions, do not change while a case lasts. */
static void mark_in_size(qkv__replay *replay, const qkv__node *node, size_t position, int depth)
{
    const qkv__node *declared;
    int index = node->kind == QKV__NODE_NAME
                    ? qkv__replay_resolve(replay, node->text, position, &declared)
                    : -1;
    if (depth > QKV__REPLAY_DEPTH) return;
    if (index >= 0 && replay->statement[index]->kind == QKV__STATEMENT_DEFINE)
        mark_in_size(replay, replay->statement[index]->node[1], (size_t)index, depth + 1);
    int parameter =
        node->kind == QKV__NODE_NAME ? qkv__replay_unknown(replay, node->text, NULL, NULL) : -1;
    if (parameter >= 0) replay->unknown[parameter].in_size = true;
    for (size_t i = 0; i < node->count; i++)
        mark_in_size(replay, node->child[i], position, depth + 1);
}

/* What is a size somewhere is one everywhere, and norms are positive. */
static bool take_sizes(walk *w, const qkv__statement *statement, size_t position)
{
    bool family = statement->kind == QKV__STATEMENT_FAMILY;
    bool object = statement->kind == QKV__STATEMENT_OBJECT;
    /* Indexes that are picked must be there, whatever speaks of them. */
    if (statement->kind == QKV__STATEMENT_PICK &&
        qkv__replay_index(w->replay, statement->node[0]->text) < 0)
        return add_picks(w, statement, position);
    for (size_t i = 0; (family || object) && i < statement->count; i++) {
        const qkv__node *node = statement->node[i];
        bool range = family && node->kind == QKV__NODE_INDEX && node->count == 2 &&
                     node->child[1]->kind == QKV__NODE_RANGE;
        bool norm = family && node->kind == QKV__NODE_CALL && strcmp(node->text, "norm") == 0;
        bool dimension =
            family && node->kind == QKV__NODE_CALL && strcmp(node->text, "dimension") == 0;
        if (dimension && !walk_node(w, node->child[0], NULL, position, true)) return false;
        if (norm && (!walk_node(w, node->child[0], NULL, position, false) ||
                     !add_bound(w->replay, node->child[0], QKV__GREATER, position)))
            return false;
        if (range && !walk_node(w, node->child[1], NULL, position, true)) return false;
        if (range) mark_in_size(w->replay, node->child[1], position, 0);
        const qkv__node *end = range ? node->child[1]->child[1] : NULL;
        const qkv__node *defined;
        bool name = range && end->kind == QKV__NODE_NAME;
        bool made = range && end->kind != QKV__NODE_NUMBER &&
                    (!name || qkv__replay_resolve(w->replay, end->text, position, &defined) >= 0);
        /* A size that is made of others must be one: the family is looked at with every case. */
        if (made &&
            (!add_bound(w->replay, end, name ? QKV__GREATER : QKV__GREATER_OR_EQUAL, position) ||
             !add_family(w, statement, node, position)))
            return false;
        if (object && !walk_sizes(w, node, position)) return false;
    }
    return true;
}

/* given and assume of the problem hold for every claim, whatever it depends on. */
static bool take_statement(qkv__replay *replay, size_t index)
{
    const qkv__statement *statement = replay->statement[index];
    bool good = true;
    walk w = {.replay = replay};
    if (statement->kind == QKV__STATEMENT_GIVEN || statement->kind == QKV__STATEMENT_ASSUME)
        for (size_t i = 0; good && i < statement->count; i++)
            good = add_premise(replay, statement->node[i], replay->statement_count, false);
    good = good && take_sizes(&w, statement, index);
    /* n vectors at right angles need n dimensions, which may restrict n. */
    if (good && statement->kind == QKV__STATEMENT_FAMILY && replay->has_dimension &&
        statement->node[0]->kind == QKV__NODE_INDEX)
        good = add_family(&w, statement, statement->node[0], index);
    return good;
}

/* ---- The plan ------------------------------------------------------------------------------ */

static bool is_before(qkv__place a, qkv__place b)
{
    return a.line < b.line || (a.line == b.line && a.column < b.column);
}

/* All statements in front of the claim, those inside blocks too. */
static bool collect(qkv__replay *replay, const qkv__statement *first, bool inside)
{
    for (const qkv__statement *s = first; s != NULL; s = s->next) {
        if (!inside && s != first && s->kind == QKV__STATEMENT_PROBLEM) return true;
        if (!is_before(s->place, replay->place)) return true;
        if (s->kind == QKV__STATEMENT_BLOCK && !collect(replay, s->inside, true)) return false;
        if (s->kind == QKV__STATEMENT_BLOCK || s->count == 0 || qkv__statement_is_entry(s))
            continue;
        if (replay->statement_count == QKV__REPLAY_STATEMENTS) return false;
        replay->statement[replay->statement_count++] = s;
    }
    return true;
}

/* What a premise ties to something that is shown is shown too; a size in common ties nothing. */
static void spread_shown(qkv__replay *replay)
{
    uint64_t shown = 0, sizes = 0, before;
    for (size_t i = 0; i < replay->unknown_count; i++) {
        if (replay->unknown[i].shown) shown |= UINT64_C(1) << i;
        if (replay->unknown[i].is_size) sizes |= UINT64_C(1) << i;
    }
    do {
        before = shown;
        for (size_t i = 0; i < replay->premise_count; i++)
            if ((replay->premise[i].unknowns & shown & ~sizes) != 0)
                shown |= replay->premise[i].unknowns;
    } while (shown != before);
    for (size_t i = 0; i < replay->unknown_count; i++)
        replay->unknown[i].shown = (shown >> i & 1) != 0;
}

/* 1/100, -2: numbers that are written with operators. */
static qkv__rational written_number(const qkv__node *node)
{
    if (node->kind == QKV__NODE_NUMBER) return node->value;
    if (node->kind == QKV__NODE_NEGATE) return qkv__rational_negate(written_number(node->child[0]));
    if (node->kind != QKV__NODE_DIVIDE && node->kind != QKV__NODE_MULTIPLY)
        return QKV__RATIONAL_LOST;
    qkv__rational x = written_number(node->child[0]), y = written_number(node->child[1]);
    if (qkv__rational_is_lost(x) || qkv__rational_is_lost(y)) return QKV__RATIONAL_LOST;
    if (node->kind == QKV__NODE_MULTIPLY) return qkv__rational_multiply(x, y);
    return y.numerator == 0 ? QKV__RATIONAL_LOST : qkv__rational_divide(x, y);
}

/* for beta >= 20, at n = 10: a name against a number. What is missed here is checked all the same,
 * case by case. */
static void narrow(qkv__replay *replay, const qkv__node *node)
{
    if (node->kind == QKV__NODE_AND) {
        narrow(replay, node->child[0]);
        narrow(replay, node->child[1]);
    }
    if (node->kind != QKV__NODE_COMPARE || node->child[0]->kind != QKV__NODE_NAME) return;
    qkv__rational number = written_number(node->child[1]);
    if (qkv__rational_is_lost(number)) return;
    int index = qkv__replay_unknown(replay, node->child[0]->text, NULL, NULL);
    if (index < 0 || replay->unknown[index].kind != QKV__UNKNOWN_PARAMETER) return;
    qkv__unknown *u = &replay->unknown[index];
    bool strict = node->comparison == QKV__LESS || node->comparison == QKV__GREATER;
    bool equal = node->comparison == QKV__EQUAL;
    qkv__edge bound = {.known = true, .strict = strict, .value = number};
    if ((equal || node->comparison == QKV__GREATER || node->comparison == QKV__GREATER_OR_EQUAL) &&
        (!u->lower.known || qkv__rational_compare(bound.value, u->lower.value) >= 0))
        u->lower = bound;
    if ((equal || node->comparison == QKV__LESS || node->comparison == QKV__LESS_OR_EQUAL) &&
        (!u->upper.known || qkv__rational_compare(bound.value, u->upper.value) <= 0))
        u->upper = bound;
}

/* at alpha = 0: keys without noise, whatever the problem says of alpha elsewhere. */
static void drop_bounds_of_noise(qkv__replay *replay)
{
    const char *still = NULL;
    for (size_t i = 0; i < replay->premise_count; i++) {
        const qkv__node *node = replay->premise[i].node;
        if (node->kind == QKV__NODE_COMPARE && node->comparison == QKV__EQUAL &&
            node->child[0]->kind == QKV__NODE_NAME && node->child[1]->kind == QKV__NODE_NUMBER &&
            node->child[1]->value.numerator == 0 && scales_noise(replay, node->child[0]->text))
            still = node->child[0]->text;
    }
    size_t kept = 0;
    for (size_t i = 0; i < replay->premise_count; i++) {
        const qkv__node *node = replay->premise[i].node;
        bool bound = still != NULL && node->kind == QKV__NODE_COMPARE &&
                     node->comparison != QKV__EQUAL && node->child[0]->kind == QKV__NODE_NAME &&
                     strcmp(node->child[0]->text, still) == 0 &&
                     node->child[1]->kind == QKV__NODE_NUMBER;
        if (!bound) replay->premise[kept++] = replay->premise[i];
    }
    replay->premise_count = kept;
}

/* keys k = [[1, 0], [0, 1]]: the width; 0: it lists none. */
static size_t listed_width(const qkv__statement *statement)
{
    const qkv__node *node = statement->node[0];
    if (statement->kind != QKV__STATEMENT_FAMILY || node->kind != QKV__NODE_COMPARE ||
        node->comparison != QKV__EQUAL || node->child[1]->kind != QKV__NODE_LIST)
        return 0;
    const qkv__node *list = node->child[1];
    if (list->table != NULL) return list->table->flat ? 1 : list->table->columns;
    if (list->count == 0) return 0;
    return list->child[0]->kind == QKV__NODE_LIST ? list->child[0]->count : 1;
}

static void note_listed(qkv__replay *replay)
{
    bool differ[2] = {false, false};
    for (size_t i = 0; i < replay->statement_count; i++) {
        size_t width = listed_width(replay->statement[i]);
        size_t values = strcmp(replay->statement[i]->text, "values") == 0;
        if (width == 0) continue;
        differ[values] =
            differ[values] || (replay->listed[values] != 0 && replay->listed[values] != width);
        replay->listed[values] = width;
        replay->has_dimension = true;
    }
    for (size_t i = 0; i < 2; i++)
        if (differ[i]) replay->listed[i] = 0;
}

static bool has_dimension(const qkv__statement *statement)
{
    for (size_t i = 0; statement->kind == QKV__STATEMENT_FAMILY && i < statement->count; i++)
        if (statement->node[i]->kind == QKV__NODE_CALL &&
            strcmp(statement->node[i]->text, "dimension") == 0)
            return true;
    return false;
}

bool qkv__replay_read(qkv__replay *replay, const qkv__statement *first,
                      const qkv__node *proposition, const qkv__circumstances *circumstances)
{
    replay->proposition = proposition;
    if (replay->place.line == 0) replay->place = proposition->place;
    if (!collect(replay, first, false)) return false;
    for (const qkv__statement *s = replay->answers; s != NULL; s = s->next) {
        size_t at = replay->statement_count + replay->answer_count;
        if (at == QKV__REPLAY_STATEMENTS || s->kind != QKV__STATEMENT_DEFINE ||
            s->node[0]->kind != QKV__NODE_NAME)
            return false;
        replay->statement[at] = s;
        replay->answer_count++;
    }
    mark_random(replay);
    for (size_t i = 0; i < circumstances->count; i++)
        for (const qkv__condition *c = circumstances->lists[i]; c != NULL; c = c->next)
            if (!take_condition(replay, c, proposition)) return false;
    walk w = {.replay = replay, .shown = true};
    if (replay->tolerance != NULL &&
        !walk_node(&w, replay->tolerance, NULL, replay->statement_count, false))
        return false;
    if (!walk_node(&w, replay->proposition, NULL, replay->statement_count, false)) return false;
    for (size_t i = 0; i < replay->statement_count; i++)
        replay->has_dimension = replay->has_dimension || has_dimension(replay->statement[i]);
    note_listed(replay);
    for (size_t i = 0; i < replay->statement_count; i++)
        if (!take_statement(replay, i)) return false;
    if (replay->random) drop_bounds_of_noise(replay);
    spread_shown(replay);
    for (size_t i = 0; i < replay->premise_count; i++) narrow(replay, replay->premise[i].node);
    replay->drawn = is_random_node(replay, proposition, replay->statement_count);
    return true;
}
