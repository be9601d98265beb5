/* What a claim depends on: the statements in front of it, its unknowns, and the premises of a
 * counterexample. Evaluates nothing. */
#include <string.h>

#include "claim/search_part.h"

/* Names bound around a node. */
typedef struct shadow {
    const char *name;
    const struct shadow *next;
} shadow;

/* A walk over expressions under way. */
typedef struct walk {
    qkv__hunt *hunt;
    bool visited[QKV__HUNT_STATEMENTS];
    uint64_t touched; /* unknowns met */
    bool shown;       /* what is met is shown in a counterexample */
    int depth;
} walk;

static bool walk_node(walk *w, const qkv__node *node, const shadow *shadows, size_t position,
                      bool size);
static bool add_premise(qkv__hunt *hunt, const qkv__node *node, size_t position, bool shown);

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

int qkv__hunt_resolve(const qkv__hunt *hunt, const char *name, size_t position,
                      const qkv__node **declared)
{
    for (size_t s = position; s-- > 0;) {
        const qkv__statement *statement = hunt->statement[s];
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

int qkv__hunt_unknown(const qkv__hunt *hunt, const char *name, const qkv__statement *statement,
                      const qkv__node *quantifier)
{
    for (size_t i = 0; i < hunt->unknown_count; i++) {
        const qkv__unknown *u = &hunt->unknown[i];
        if (u->kind != QKV__UNKNOWN_INDEX && u->statement == statement &&
            u->quantifier == quantifier && strcmp(u->name, name) == 0)
            return (int)i;
    }
    return -1;
}

int qkv__hunt_index(const qkv__hunt *hunt, const char *name)
{
    for (size_t i = hunt->unknown_count; i-- > 0;)
        if (hunt->unknown[i].kind == QKV__UNKNOWN_INDEX && strcmp(hunt->unknown[i].name, name) == 0)
            return (int)i;
    return -1;
}

const char *qkv__hunt_subscript(const char *name, char *family, size_t size)
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
    if (w->shown) w->hunt->unknown[index].shown = true;
    return true;
}

static bool add_unknown(walk *w, qkv__unknown unknown)
{
    qkv__hunt *hunt = w->hunt;
    if (hunt->unknown_count == QKV__UNKNOWNS) return false;
    unknown.rows = unknown.columns = 1;
    hunt->unknown[hunt->unknown_count] = unknown;
    return touch(w, (int)hunt->unknown_count++);
}

static bool add_parameter(walk *w, const char *name, const qkv__statement *statement, bool size)
{
    qkv__hunt *hunt = w->hunt;
    int index = qkv__hunt_unknown(hunt, name, statement, NULL);
    if (index < 0) {
        const qkv__algebra *algebra = &hunt->model->algebra;
        int known = qkv__parameter_find(algebra, name);
        qkv__unknown unknown = {
            .kind = QKV__UNKNOWN_PARAMETER, .name = name, .statement = statement};
        if (known >= 0) {
            unknown.whole = algebra->parameter[known].whole;
            unknown.lower = algebra->parameter[known].lower;
            unknown.upper = algebra->parameter[known].upper;
        }
        if (!add_unknown(w, unknown)) return false;
        index = (int)hunt->unknown_count - 1;
    }
    if (size) hunt->unknown[index].is_size = hunt->unknown[index].whole = true;
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
    int known = qkv__hunt_unknown(w->hunt, name, statement, quantifier);
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
    return !u->orthogonal || unit || u->norm != NULL;
}

/* u[a, b, c]: the names of the members. */
static bool member_names(qkv__hunt *hunt, const qkv__node *declared, qkv__unknown *u)
{
    bool range = declared->count == 2 && declared->child[1]->kind == QKV__NODE_RANGE;
    if (range) return true;
    const char **names = qkv__arena_array(&hunt->arena, declared->count, sizeof *names);
    for (size_t i = 1; names != NULL && i < declared->count; i++) {
        if (declared->child[i]->kind != QKV__NODE_NAME) return false;
        names[i - 1] = declared->child[i]->text;
    }
    u->names = names;
    return names != NULL;
}

/* A norm is positive: a premise. */
static bool add_positive(qkv__hunt *hunt, const qkv__node *norm, size_t position)
{
    qkv__node *zero = qkv__arena_take(&hunt->arena, sizeof *zero);
    qkv__node *positive = qkv__arena_take(&hunt->arena, sizeof *positive);
    const qkv__node **sides = qkv__arena_array(&hunt->arena, 2, sizeof *sides);
    if (zero == NULL || positive == NULL || sides == NULL) return false;
    if (norm->kind == QKV__NODE_NUMBER) return true;
    *zero = (qkv__node){.kind = QKV__NODE_NUMBER, .text = "", .value = {0, 1}, .depth = 1};
    sides[0] = norm;
    sides[1] = zero;
    *positive = (qkv__node){.kind = QKV__NODE_COMPARE,
                            .text = "",
                            .comparison = QKV__GREATER,
                            .count = 2,
                            .child = sides,
                            .depth = norm->depth + 1};
    return add_premise(hunt, positive, position, false);
}

static bool add_family(walk *w, const qkv__statement *statement, const qkv__node *declared,
                       size_t position)
{
    qkv__hunt *hunt = w->hunt;
    if (declared->kind == QKV__NODE_COMPARE) /* explicit numbers; random ones cannot be tried */
        return declared->comparison == QKV__EQUAL &&
               walk_node(w, declared->child[1], NULL, position, false);
    const char *name = declared->child[0]->text;
    qkv__unknown unknown = {.kind = QKV__UNKNOWN_FAMILY,
                            .name = name,
                            .statement = statement,
                            .declared = declared,
                            .position = position,
                            .holds_values = strcmp(statement->text, "values") == 0};
    int known = qkv__hunt_unknown(hunt, name, statement, NULL);
    if (known < 0) {
        if (!read_properties(statement, &unknown) || !member_names(hunt, declared, &unknown) ||
            !add_unknown(w, unknown))
            return false;
    } else {
        unknown = hunt->unknown[known];
        touch(w, known);
    }
    if (unknown.norm != NULL && !walk_node(w, unknown.norm, NULL, position, false)) return false;
    if (unknown.norm != NULL && known < 0 && !add_positive(hunt, unknown.norm, position))
        return false;
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
    int known = qkv__hunt_index(w->hunt, node->text);
    for (size_t s = position; s-- > 0;) {
        const qkv__statement *statement = w->hunt->statement[s];
        if (statement->kind != QKV__STATEMENT_PICK) continue;
        for (size_t i = 0; i + 1 < statement->count; i++) {
            if (strcmp(statement->node[i]->text, node->text) != 0) continue;
            if (known < 0 && !add_picks(w, statement, s)) return false;
            known = qkv__hunt_index(w->hunt, node->text);
            /* One name for two picks would be two unknowns. */
            if (w->hunt->unknown[known].statement != statement) return false;
            touch(w, known);
            return walk_node(w, statement->node[statement->count - 1], NULL, s, true);
        }
    }
    return known < 0 || touch(w, known);
}

/* ---- The walk ------------------------------------------------------------------------------ */

static bool visit_definition(walk *w, const char *name, int index, const qkv__node *declared)
{
    qkv__hunt *hunt = w->hunt;
    if (w->visited[index]) return true;
    w->visited[index] = true;
    if (declared->kind == QKV__NODE_NAME)
        return walk_node(w, hunt->statement[index]->node[1], NULL, (size_t)index, false);
    if (declared->kind != QKV__NODE_INDEX) return false; /* a function without arguments */
    for (size_t s = 0; s <= (size_t)index; s++) {
        const qkv__statement *statement = hunt->statement[s];
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
    int index = qkv__hunt_resolve(w->hunt, name, position, &declared);
    if (index >= 0) {
        const qkv__statement *statement = w->hunt->statement[index];
        if (statement->kind == QKV__STATEMENT_DEFINE)
            return visit_definition(w, name, index, declared);
        if (statement->kind == QKV__STATEMENT_FAMILY)
            return add_family(w, statement, declared, (size_t)index);
        return add_object(w, statement->text, statement, NULL, declared, (size_t)index);
    }
    const char *member = qkv__hunt_subscript(name, family, sizeof family);
    if (member != NULL && qkv__hunt_resolve(w->hunt, family, position, &declared) >= 0) {
        qkv__node node = {.kind = QKV__NODE_NAME, .text = member};
        return visit_name(w, family, shadows, position, false) &&
               visit_index(w, &node, shadows, position);
    }
    if (strcmp(name, "e") == 0 || strcmp(name, "I") == 0 || strcmp(name, "pi") == 0) return true;
    int bound = qkv__hunt_unknown(w->hunt, name, NULL, NULL);
    if (bound >= 0 && w->hunt->unknown[bound].kind != QKV__UNKNOWN_PARAMETER)
        return touch(w, bound); /* for all permutation R[d], behind the claim */
    return add_parameter(w, name, NULL, size);
}

static bool walk_call(walk *w, const qkv__node *node, const shadow *shadows, size_t position)
{
    static const char *const random[] = {"P", "E", "Var", "Cov", "normal"};
    const qkv__node *declared;
    int index = qkv__hunt_resolve(w->hunt, node->text, position, &declared);
    bool attention = strcmp(node->text, "attend") == 0 || strcmp(node->text, "self_attend") == 0;
    for (size_t i = 0; index < 0 && i < sizeof random / sizeof random[0]; i++)
        if (strcmp(node->text, random[i]) == 0) return false;
    for (size_t i = 0; i < node->count; i++) {
        const qkv__node *argument = node->child[i];
        if (attention && argument->kind == QKV__NODE_NAME && strcmp(argument->text, "causal") == 0)
            continue;
        if (!walk_node(w, argument, shadows, position, false)) return false;
    }
    if (index < 0) return true;
    if (declared->kind != QKV__NODE_CALL)
        return visit_name(w, node->text, shadows, position, false);
    enum { MOST = 8 };
    shadow own[MOST];
    if (declared->count > MOST || w->depth > QKV__HUNT_DEPTH) return false;
    for (size_t i = 0; i < declared->count; i++)
        own[i] = (shadow){declared->child[i]->text, i == 0 ? NULL : &own[i - 1]};
    w->depth++;
    bool good = walk_node(w, w->hunt->statement[index]->node[1],
                          declared->count == 0 ? NULL : &own[declared->count - 1], position, false);
    w->depth--;
    return good;
}

/* i in 1..n, i not in {a, b}, i != j */
static bool walk_domain(walk *w, const qkv__node *domain, const shadow *shadows, size_t position)
{
    const qkv__node *over = domain->child[1];
    if (over->kind == QKV__NODE_RANGE) return walk_node(w, over, shadows, position, true);
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
        if (kind[0] != '\0' && strcmp(kind, "scalar") != 0) {
            own[i] = (shadow){name, inner};
            if (!add_object(w, kind, NULL, bound, declared, position)) return false;
            inner = &own[i];
        } else if (declared->kind != QKV__NODE_NAME) {
            return false;
        } else { /* a name that is defined is not free */
            int index = qkv__hunt_resolve(w->hunt, name, position, &declared);
            if (index >= 0 && w->hunt->statement[index]->kind == QKV__STATEMENT_DEFINE)
                return false;
            if (!visit_name(w, name, inner, position, false)) return false;
        }
    }
    return walk_node(w, node->child[node->count - 1], inner, position, false);
}

static void note_width(qkv__hunt *hunt, size_t width)
{
    for (size_t i = 0; i < hunt->width_count; i++)
        if (hunt->width[i] == width) return;
    if (hunt->width_count < QKV__HUNT_WIDTHS) hunt->width[hunt->width_count++] = width;
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
    case QKV__NODE_GIVEN:
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
            note_width(w->hunt, node->count);
        if (node->count > 0 && node->child[0]->kind != QKV__NODE_LIST) note_width(w->hunt, 1);
        break;
    default: break;
    }
    for (size_t i = 0; i < node->count; i++)
        if (!walk_node(w, node->child[i], shadows, position, size)) return false;
    return true;
}

/* ---- Premises ------------------------------------------------------------------------------ */

static bool add_premise(qkv__hunt *hunt, const qkv__node *node, size_t position, bool shown)
{
    walk w = {.hunt = hunt, .shown = shown};
    if (hunt->premise_count == QKV__HUNT_PREMISES || !walk_node(&w, node, NULL, position, false))
        return false;
    hunt->premise[hunt->premise_count++] = (qkv__hunt_premise){node, position, w.touched};
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

static bool mentions(const qkv__node *node, const char *name)
{
    if (node->kind == QKV__NODE_NAME && strcmp(node->text, name) == 0) return true;
    for (size_t i = 0; i < node->count; i++)
        if (mentions(node->child[i], name)) return true;
    return false;
}

/* for i not in {a, b}: i is an unknown index of the set that a belongs to. */
static bool add_bound_index(qkv__hunt *hunt, const qkv__node *node)
{
    walk w = {.hunt = hunt, .shown = true};
    size_t position = hunt->statement_count;
    const qkv__node *over = node->child[1];
    const char *name = node->child[0]->text;
    bool range = over->kind == QKV__NODE_RANGE;
    if (range != (node->comparison == QKV__IN) || qkv__hunt_index(hunt, name) >= 0) return false;
    if (!walk_domain(&w, node, NULL, position)) return false;
    const qkv__node *declared = range ? over : NULL;
    if (!range) {
        const qkv__node *first =
            over->kind == QKV__NODE_SET && over->count > 0 ? over->child[0] : over;
        int known = first->kind == QKV__NODE_NAME ? qkv__hunt_index(hunt, first->text) : -1;
        if (known < 0) return false;
        declared = hunt->unknown[known].declared;
        position = hunt->unknown[known].position;
    }
    return add_unknown(&w, (qkv__unknown){.kind = QKV__UNKNOWN_INDEX,
                                          .name = name,
                                          .declared = declared,
                                          .position = position,
                                          .outside = range ? NULL : over});
}

/* What stands behind `for`. */
static bool take_range(qkv__hunt *hunt, const qkv__node *node, const qkv__node *proposition)
{
    const char *kind;
    const qkv__node *declared, *known;
    size_t position = hunt->statement_count;
    walk w = {.hunt = hunt, .shown = true};
    if (is_index_domain(node) && (used_as_index(proposition, node->child[0]->text) ||
                                  !mentions(proposition, node->child[0]->text)))
        return add_bound_index(hunt, node);
    if (node->kind == QKV__NODE_NAME) { /* for all v: must be free */
        int index = qkv__hunt_resolve(hunt, node->text, position, &known);
        return index < 0 || hunt->statement[index]->kind != QKV__STATEMENT_DEFINE;
    }
    if (node->kind != QKV__NODE_CALL) return add_premise(hunt, node, position, true);
    const char *name = qkv__binding_name(node, &kind, &declared);
    if (qkv__hunt_resolve(hunt, name, position, &known) >= 0) return false;
    return add_object(&w, kind, NULL, NULL, declared, position);
}

static bool take_condition(qkv__hunt *hunt, const qkv__condition *condition,
                           const qkv__node *proposition)
{
    bool good = true;
    switch (condition->kind) {
    case QKV__CONDITION_LIMIT: return false;
    case QKV__CONDITION_RANGE:
        for (size_t i = 0; good && i < condition->count; i++)
            good = take_range(hunt, condition->node[i], proposition);
        return good;
    case QKV__CONDITION_AT:
    case QKV__CONDITION_GIVEN:
        for (size_t i = 0; good && i < condition->count; i++)
            good = add_premise(hunt, condition->node[i], hunt->statement_count, true);
        return good;
    case QKV__CONDITION_WITHIN: hunt->tolerance = condition->node[0]; return true;
    case QKV__CONDITION_EXPECT: return true;
    }
    return false;
}

/* given and assume of the problem hold for every claim, whatever it depends on. */
static bool take_statement(qkv__hunt *hunt, size_t index)
{
    const qkv__statement *statement = hunt->statement[index];
    bool good = true;
    walk w = {.hunt = hunt};
    if (statement->kind == QKV__STATEMENT_GIVEN || statement->kind == QKV__STATEMENT_ASSUME)
        for (size_t i = 0; good && i < statement->count; i++)
            good = add_premise(hunt, statement->node[i], hunt->statement_count, false);
    /* n vectors at right angles need n dimensions, which may restrict n. */
    for (size_t i = 0; good && statement->kind == QKV__STATEMENT_FAMILY && i < statement->count;
         i++)
        if (statement->node[i]->kind == QKV__NODE_CALL &&
            strcmp(statement->node[i]->text, "dimension") == 0)
            good = add_family(&w, statement, statement->node[0], index);
    return good;
}

/* ---- The plan ------------------------------------------------------------------------------ */

static bool is_before(qkv__place a, qkv__place b)
{
    return a.line < b.line || (a.line == b.line && a.column < b.column);
}

/* All statements in front of the claim, those inside blocks too. */
static bool collect(qkv__hunt *hunt, const qkv__statement *first, bool inside)
{
    for (const qkv__statement *s = first; s != NULL; s = s->next) {
        if (!inside && s != first && s->kind == QKV__STATEMENT_PROBLEM) return true;
        if (!is_before(s->place, hunt->proposition->place)) return true;
        if (s->kind == QKV__STATEMENT_BLOCK && !collect(hunt, s->inside, true)) return false;
        if (s->kind == QKV__STATEMENT_BLOCK || s->count == 0) continue;
        if (hunt->statement_count == QKV__HUNT_STATEMENTS) return false;
        hunt->statement[hunt->statement_count++] = s;
    }
    return true;
}

/* What a premise ties to something that is shown is shown too; a size in common ties nothing. */
static void spread_shown(qkv__hunt *hunt)
{
    uint64_t shown = 0, sizes = 0, before;
    for (size_t i = 0; i < hunt->unknown_count; i++) {
        if (hunt->unknown[i].shown) shown |= UINT64_C(1) << i;
        if (hunt->unknown[i].is_size) sizes |= UINT64_C(1) << i;
    }
    do {
        before = shown;
        for (size_t i = 0; i < hunt->premise_count; i++)
            if ((hunt->premise[i].unknowns & shown & ~sizes) != 0)
                shown |= hunt->premise[i].unknowns;
    } while (shown != before);
    for (size_t i = 0; i < hunt->unknown_count; i++) hunt->unknown[i].shown = (shown >> i & 1) != 0;
}

/* for beta >= 20, at n = 10: a name against a number. What is missed here is checked all the same,
 * case by case. */
static void narrow(qkv__hunt *hunt, const qkv__node *node)
{
    if (node->kind == QKV__NODE_AND) {
        narrow(hunt, node->child[0]);
        narrow(hunt, node->child[1]);
    }
    if (node->kind != QKV__NODE_COMPARE || node->child[0]->kind != QKV__NODE_NAME ||
        node->child[1]->kind != QKV__NODE_NUMBER)
        return;
    int index = qkv__hunt_unknown(hunt, node->child[0]->text, NULL, NULL);
    if (index < 0 || hunt->unknown[index].kind != QKV__UNKNOWN_PARAMETER) return;
    qkv__unknown *u = &hunt->unknown[index];
    bool strict = node->comparison == QKV__LESS || node->comparison == QKV__GREATER;
    bool equal = node->comparison == QKV__EQUAL;
    qkv__bound bound = {.known = true, .strict = strict, .value = node->child[1]->value};
    if ((equal || node->comparison == QKV__GREATER || node->comparison == QKV__GREATER_OR_EQUAL) &&
        (!u->lower.known || qkv__rational_compare(bound.value, u->lower.value) >= 0))
        u->lower = bound;
    if ((equal || node->comparison == QKV__LESS || node->comparison == QKV__LESS_OR_EQUAL) &&
        (!u->upper.known || qkv__rational_compare(bound.value, u->upper.value) <= 0))
        u->upper = bound;
}

bool qkv__hunt_plan(qkv__hunt *hunt, qkv__model *model, const qkv__node *proposition,
                    const qkv__circumstances *circumstances)
{
    hunt->model = model;
    hunt->proposition = proposition;
    if (!collect(hunt, model->statements, false)) return false;
    for (size_t i = 0; i < circumstances->count; i++)
        for (const qkv__condition *c = circumstances->lists[i]; c != NULL; c = c->next)
            if (!take_condition(hunt, c, proposition)) return false;
    walk w = {.hunt = hunt, .shown = true};
    if (hunt->tolerance != NULL &&
        !walk_node(&w, hunt->tolerance, NULL, hunt->statement_count, false))
        return false;
    if (!walk_node(&w, proposition, NULL, hunt->statement_count, false)) return false;
    for (size_t i = 0; i < hunt->statement_count; i++)
        if (!take_statement(hunt, i)) return false;
    spread_shown(hunt);
    for (size_t i = 0; i < hunt->premise_count; i++) narrow(hunt, hunt->premise[i].node);
    return true;
}
