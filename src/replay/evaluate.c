/* Expressions to values at one case. Knows syntax and the case; nothing of truth. Calls are in
 * call.c. */
#include <assert.h>
#include <string.h>

#include "language/family_index.h"
#include "language/law.h"
#include "replay/names.h"
#include "replay/replay.h"

static bool unable(qkv__scene *scene)
{
    return qkv__bench_fail(&scene->replay->bench, QKV__OBSTACLE_UNABLE);
}

void qkv__replay_begin_case(qkv__replay *replay)
{
    if (replay->draw.depth == 0)
        qkv__bench_clear(&replay->bench);
    else
        qkv__bench_return(&replay->bench, replay->floor);
    memset(replay->known, 0, qkv__replay_statements(replay) * sizeof replay->known[0]);
    memset(replay->unknown_known, 0, sizeof replay->unknown_known);
    replay->members = 0;
    replay->draw.law_count = 0;
}

bool qkv__replay_number(qkv__scene *scene, const qkv__node *node, qkv__rational *number)
{
    qkv__case_value value;
    if (!qkv__replay_evaluate(scene, node, &value)) return false;
    if (value.kind != QKV__CASE_SCALAR) return unable(scene);
    *number = value.entry->exact;
    return !qkv__rational_is_lost(*number) ||
           qkv__bench_fail(&scene->replay->bench, QKV__OBSTACLE_VAGUE);
}

/* ---- Unknowns ------------------------------------------------------------------------------ */

void qkv__replay_entry(const qkv__replay *replay, const qkv__unknown *u, size_t i, qkv__real *entry)
{
    assert(i < u->rows * u->columns);
    const qkv__rational *row = replay->slot + u->offset + i / u->columns * u->columns;
    const size_t last = u->columns - 1, column = i % u->columns;
    qkv__real part, square;
    if (u->axes) {
        qkv__real_set_whole(entry, i / u->columns == column);
        return;
    }
    qkv__real_set_rational(entry, row[column]);
    if (!u->spherical) return;
    qkv__real_init(&part);
    qkv__real_init(&square);
    for (size_t j = 0; j < last; j++) {
        qkv__real_set_rational(&part, row[j]);
        qkv__real_multiply(&part, &part, &part);
        qkv__real_add(&square, &square, &part);
    }
    qkv__real_set_whole(&part, 1);
    if (column == last) {
        qkv__real_subtract(&part, &part, &square);
        qkv__real_multiply(entry, entry, &part); /* the sign times 1 - |t|^2 */
        qkv__real_set_whole(&part, 1);
    } else {
        qkv__real_add(entry, entry, entry);
    }
    qkv__real_add(&part, &part, &square);
    qkv__real_divide(entry, entry, &part);
    qkv__real_clear(&part);
    qkv__real_clear(&square);
}

/* Unit vectors times the norm that the declaration states. */
static bool apply_norm(qkv__scene *scene, const qkv__unknown *u, qkv__case_value *value)
{
    qkv__scene outer = {
        .replay = scene->replay, .position = u->position, .depth = scene->depth + 1};
    qkv__case_value norm, units = *value;
    if (u->norm == NULL) return true;
    if (outer.depth > QKV__REPLAY_DEPTH) return unable(scene);
    if (u->axes) { /* their entry is the factor */
        if (!qkv__replay_evaluate(&outer, u->norm, &norm)) return false;
        value->entry = norm.entry;
        return norm.kind == QKV__CASE_SCALAR || unable(scene);
    }
    return qkv__replay_evaluate(&outer, u->norm, &norm) &&
           qkv__case_multiply(&scene->replay->bench, &norm, &units, value);
}

bool qkv__replay_unknown_value(qkv__scene *scene, int index, qkv__case_value *value)
{
    assert(index >= 0 && (size_t)index < scene->replay->unknown_count);
    static const qkv__case_kind kinds[] = {QKV__CASE_SCALAR, QKV__CASE_SCALAR, QKV__CASE_VECTOR,
                                           QKV__CASE_FAMILY, QKV__CASE_MATRIX, QKV__CASE_MATRIX};
    qkv__replay *replay = scene->replay;
    const qkv__unknown *u = &replay->unknown[index];
    assert(u->kind != QKV__UNKNOWN_INDEX); /* an index is no number: it is not found by its name */
    if (!replay->unknown_known[index]) {
        size_t count = u->axes ? 1 : u->rows * u->columns;
        qkv__real *entry = qkv__bench_take(&replay->bench, count);
        if (entry == NULL) return false;
        for (size_t i = 0; i < count; i++) qkv__replay_entry(replay, u, i, &entry[i]);
        qkv__case_value made = {.kind = u->axes ? QKV__CASE_AXES : kinds[u->kind],
                                .rows = u->rows,
                                .columns = u->columns,
                                .entry = entry,
                                .names = u->names};
        if (!apply_norm(scene, u, &made)) return false;
        replay->unknown_value[index] = made;
        replay->unknown_known[index] = true;
    }
    *value = replay->unknown_value[index];
    return true;
}

/* ---- Names --------------------------------------------------------------------------------- */

/* x[1] = ..., x[2] = ...: all members defined so far, in order. */
static bool defined_family(qkv__scene *scene, const char *name, size_t last, qkv__case_value *value)
{
    qkv__replay *replay = scene->replay;
    size_t count = 0, width = 0;
    qkv__real *entry = NULL;
    qkv__case_kind kind = QKV__CASE_VECTOR;
    for (size_t s = 0; s <= last; s++) {
        const qkv__node *target = replay->statement[s]->node[0];
        if (replay->statement[s]->kind != QKV__STATEMENT_DEFINE ||
            target->kind != QKV__NODE_INDEX || strcmp(target->child[0]->text, name) != 0)
            continue;
        qkv__scene outer = {.replay = replay, .position = s, .depth = scene->depth + 1};
        qkv__case_value member;
        if (target->count != 2 || target->child[1]->kind != QKV__NODE_NUMBER ||
            target->child[1]->value.numerator != (int64_t)count + 1)
            return unable(scene);
        if (!qkv__replay_evaluate(&outer, replay->statement[s]->node[1], &member)) return false;
        member = qkv__case_plain(&member);
        if (count == 0 && member.kind == QKV__CASE_SCALAR) kind = QKV__CASE_SCALAR;
        if (member.kind != kind) return unable(scene);
        if (count > 0 && member.rows != width)
            return qkv__bench_fail(&replay->bench, QKV__OBSTACLE_SHAPE);
        width = member.rows;
        qkv__real *grown = qkv__bench_take(&replay->bench, (count + 1) * width);
        if (grown == NULL) return false;
        for (size_t i = 0; i < count * width; i++) qkv__real_set(&grown[i], &entry[i]);
        for (size_t i = 0; i < width; i++)
            qkv__real_set(&grown[count * width + i], &member.entry[i]);
        entry = grown;
        count++;
    }
    *value =
        (qkv__case_value){.kind = kind == QKV__CASE_SCALAR ? QKV__CASE_NUMBERS : QKV__CASE_FAMILY,
                          .rows = count,
                          .columns = width,
                          .entry = entry};
    return true;
}

/* keys k = [[1,0],[0,1]]; a list of numbers gives vectors of width 1. */
static bool explicit_family(qkv__scene *outer, const qkv__node *list, qkv__case_value *value)
{
    qkv__case_value given;
    if (!qkv__replay_evaluate(outer, list, &given)) return false;
    if (given.kind == QKV__CASE_VECTOR) given.kind = QKV__CASE_FAMILY;
    if (given.kind != QKV__CASE_FAMILY) return unable(outer);
    *value = given;
    return true;
}

/* The value of what a statement defines or declares. */
static bool statement_value(qkv__scene *scene, const char *name, int index,
                            const qkv__node *declared, qkv__case_value *value)
{
    qkv__replay *replay = scene->replay;
    const qkv__statement *statement = replay->statement[index];
    int unknown = qkv__replay_unknown(replay, name, statement, NULL);
    if (unknown >= 0) return qkv__replay_unknown_value(scene, unknown, value);
    if (scene->depth >= QKV__REPLAY_DEPTH) return unable(scene);
    if (!replay->known[index]) {
        qkv__scene outer = {.replay = replay, .position = (size_t)index, .depth = scene->depth + 1};
        qkv__case_value made;
        qkv__drawn law;
        bool good = false;
        if (statement->kind == QKV__STATEMENT_DEFINE && declared->kind == QKV__NODE_NAME)
            good = qkv__replay_evaluate(&outer, statement->node[1], &made);
        else if (statement->kind == QKV__STATEMENT_DEFINE && declared->kind == QKV__NODE_INDEX)
            good = defined_family(scene, name, (size_t)index, &made);
        else if (declared->kind == QKV__NODE_COMPARE && declared->comparison == QKV__EQUAL)
            good = explicit_family(&outer, declared->child[1], &made);
        else if (qkv__law_read(declared, &law))
            good = qkv__replay_draw_value(scene, name, (size_t)index, &made);
        else
            return unable(scene);
        if (!good) return false;
        replay->known[index] = true;
        replay->value[index] = made;
    }
    *value = replay->value[index];
    return true;
}

static const qkv__local *find_local(const qkv__scene *scene, const char *name)
{
    for (const qkv__local *l = scene->locals; l != NULL; l = l->next)
        if (strcmp(l->name, name) == 0) return l;
    return NULL;
}

static bool constant(qkv__scene *scene, const char *name, bool *found, qkv__case_value *value)
{
    *found = strcmp(name, "e") == 0 || strcmp(name, "I") == 0 || strcmp(name, "pi") == 0;
    if (!*found) return true;
    qkv__real *entry = qkv__bench_take(&scene->replay->bench, 1);
    if (entry == NULL) return false;
    qkv__real_set_whole(entry, 1);
    if (name[0] == 'e') qkv__real_exponential(entry, entry);
    if (name[0] == 'p') qkv__real_set_pi(entry);
    *value = (qkv__case_value){.kind = name[0] == 'I' ? QKV__CASE_IDENTITY : QKV__CASE_SCALAR,
                               .rows = 1,
                               .columns = 1,
                               .entry = entry};
    return true;
}

/* v_a for v[a]. */
static bool subscript(qkv__scene *scene, const char *name, bool *found, qkv__case_value *value)
{
    char family[64];
    const char *member = qkv__replay_subscript(name, family, sizeof family);
    const qkv__node *declared;
    qkv__case_value rows;
    size_t at;
    *found = false;
    int index = member == NULL
                    ? -1
                    : qkv__replay_resolve(scene->replay, family, scene->position, &declared);
    if (index < 0) return true;
    *found = true;
    qkv__node node = qkv__replay_subscript_node(member);
    return statement_value(scene, family, index, declared, &rows) &&
           qkv__replay_member(scene, &node, rows.names, rows.rows, &at) &&
           qkv__case_member(&scene->replay->bench, &rows, at, value);
}

static bool evaluate_name(qkv__scene *scene, const qkv__node *node, qkv__case_value *value)
{
    assert(node->kind == QKV__NODE_NAME);
    const qkv__local *local = find_local(scene, node->text);
    const qkv__node *declared;
    bool found;
    if (local != NULL && local->value == NULL && local->number)
        return qkv__case_scalar(&scene->replay->bench,
                                qkv__rational_whole((int64_t)local->member + 1), value);
    if (local != NULL && local->value == NULL) return unable(scene); /* an index is no number */
    if (local != NULL) return *value = *local->value, true;
    int index = qkv__replay_resolve(scene->replay, node->text, scene->position, &declared);
    if (index >= 0) return statement_value(scene, node->text, index, declared, value);
    if (!subscript(scene, node->text, &found, value)) return false;
    if (found) return true;
    if (!constant(scene, node->text, &found, value)) return false;
    if (found) return true;
    int unknown = qkv__replay_unknown(scene->replay, node->text, NULL, NULL);
    return unknown >= 0 ? qkv__replay_unknown_value(scene, unknown, value) : unable(scene);
}

/* ---- Indices ------------------------------------------------------------------------------- */

bool qkv__replay_member(qkv__scene *scene, const qkv__node *node, const char *const *names,
                        size_t count, size_t *member)
{
    qkv__replay *replay = scene->replay;
    if (node->kind == QKV__NODE_NUMBER && names == NULL && qkv__rational_is_whole(node->value) &&
        node->value.numerator >= 1) {
        *member = (size_t)node->value.numerator - 1;
        return *member < count || qkv__bench_fail(&replay->bench, QKV__OBSTACLE_VAGUE);
    }
    if (node->kind != QKV__NODE_NAME) return unable(scene);
    const qkv__local *local = find_local(scene, node->text);
    if (local != NULL && local->value == NULL) {
        *member = local->member;
        return local->count == count || unable(scene);
    }
    for (size_t i = 0; names != NULL && i < count; i++)
        if (strcmp(names[i], node->text) == 0) return *member = i, true;
    int index = qkv__replay_index(replay, node->text);
    if (local != NULL || names != NULL || index < 0) return unable(scene);
    *member = (size_t)replay->slot[replay->unknown[index].offset].numerator - 1;
    return *member < count || qkv__bench_fail(&replay->bench, QKV__OBSTACLE_VAGUE);
}

bool qkv__replay_index_number(const qkv__scene *scene, const qkv__node *node, int64_t *number)
{
    const qkv__replay *replay = scene->replay;
    const qkv__node *declared;
    if (node->kind == QKV__NODE_NUMBER && qkv__rational_is_whole(node->value))
        return *number = node->value.numerator, true;
    if (node->kind != QKV__NODE_NAME) return false;
    const qkv__local *local = find_local(scene, node->text);
    if (local != NULL) return *number = (int64_t)local->member + 1, local->value == NULL;
    const int index = qkv__replay_index(replay, node->text);
    if (index < 0 || qkv__replay_resolve(replay, node->text, scene->position, &declared) >= 0)
        return false;
    return *number = replay->slot[replay->unknown[index].offset].numerator, true;
}

bool qkv__replay_compares_indexes(const qkv__scene *scene, const qkv__node *node, int64_t *left,
                                  int64_t *right)
{
    return node->kind == QKV__NODE_COMPARE && node->comparison <= QKV__GREATER_OR_EQUAL &&
           (node->child[0]->kind == QKV__NODE_NAME || node->child[1]->kind == QKV__NODE_NAME) &&
           qkv__replay_index_number(scene, node->child[0], left) &&
           qkv__replay_index_number(scene, node->child[1], right);
}

/* Row of scores or weights as numbers, one a key. */
static bool result_row(qkv__scene *scene, const qkv__case_result *result, const qkv__real *from,
                       size_t row, qkv__case_value *value)
{
    if (from == NULL) return unable(scene); /* a mean has no scores */
    *value = (qkv__case_value){.kind = QKV__CASE_NUMBERS,
                               .rows = result->keys,
                               .columns = 1,
                               .entry = from + row * result->keys,
                               .names = result->key_names};
    return true;
}

/* .head[1], .weight, .weight[2] of self-attention; `used` indices are consumed. */
static bool evaluate_member(qkv__scene *scene, const qkv__node *node,
                            const qkv__node *const *indices, size_t count, size_t *used,
                            qkv__case_value *value)
{
    assert(node->kind == QKV__NODE_MEMBER);
    qkv__case_value base;
    size_t at = 0;
    if (!qkv__replay_evaluate(scene, node->child[0], &base)) return false;
    if (base.kind != QKV__CASE_RESULT) return unable(scene);
    const qkv__case_result *result = base.result;
    if (strcmp(node->text, "output") == 0) return *value = base, true;
    if (strcmp(node->text, "head") == 0) {
        if (count == 0 || !qkv__replay_member(scene, indices[0], NULL, result->head_count, &at))
            return unable(scene);
        *used = 1;
        *value = result->head[at];
        return true;
    }
    const qkv__real *from = strcmp(node->text, "score") == 0 ? result->score : result->weight;
    if (result->single) return result_row(scene, result, from, 0, value);
    if (count == 0 && from != NULL) {
        *value = (qkv__case_value){.kind = QKV__CASE_MATRIX,
                                   .rows = result->queries,
                                   .columns = result->keys,
                                   .entry = from};
        return true;
    }
    if (count == 0 ||
        !qkv__replay_member(scene, indices[0], result->query_names, result->queries, &at))
        return unable(scene);
    *used = 1;
    return result_row(scene, result, from, at, value);
}

enum { INDICES = 8 };

static const qkv__node *flatten(const qkv__node *node, const qkv__node **indices, size_t *count)
{
    const qkv__node *base = node;
    if (node->kind == QKV__NODE_INDEX) {
        base = flatten(node->child[0], indices, count);
        for (size_t i = 1; i < node->count && *count < INDICES; i++)
            indices[(*count)++] = node->child[i];
    }
    return base;
}

/* Members of families and of results, and entries of lists, by their numbers. */
static bool evaluate_indexed(qkv__scene *scene, const qkv__node *node, qkv__case_value *value)
{
    const qkv__node *indices[INDICES];
    size_t count = 0, used = 0, at;
    const qkv__node *base = flatten(node, indices, &count);
    bool good = base->kind == QKV__NODE_MEMBER
                    ? evaluate_member(scene, base, indices, count, &used, value)
                    : qkv__replay_evaluate(scene, base, value);
    for (; good && used < count; used++) {
        qkv__case_value from = qkv__case_plain(value);
        if (value->kind == QKV__CASE_RESULT && value->result->single) return unable(scene);
        const bool entry = from.kind == QKV__CASE_VECTOR && indices[used]->kind == QKV__NODE_NUMBER;
        if (from.kind != QKV__CASE_FAMILY && from.kind != QKV__CASE_NUMBERS && !entry &&
            from.kind != QKV__CASE_AXES && value->kind != QKV__CASE_RESULT)
            return unable(scene);
        good = qkv__replay_member(scene, indices[used], from.names, from.rows, &at) &&
               qkv__case_member(&scene->replay->bench, &from, at, value);
    }
    return good;
}

/* ---- Operators ----------------------------------------------------------------------------- */

static bool are_vectors(const qkv__case_value *x, const qkv__case_value *y)
{
    return qkv__case_plain(x).kind == QKV__CASE_VECTOR &&
           qkv__case_plain(y).kind == QKV__CASE_VECTOR;
}

static bool evaluate_binary(qkv__scene *scene, const qkv__node *node, qkv__case_value *value)
{
    qkv__bench *bench = &scene->replay->bench;
    qkv__case_value x, y;
    if (!qkv__replay_evaluate(scene, node->child[0], &x) ||
        !qkv__replay_evaluate(scene, node->child[1], &y))
        return false;
    switch (node->kind) {
    case QKV__NODE_ADD: return qkv__case_add(bench, &x, &y, false, value);
    case QKV__NODE_SUBTRACT: return qkv__case_add(bench, &x, &y, true, value);
    case QKV__NODE_MULTIPLY:
        return (node->text[0] == '.' && are_vectors(&x, &y) ? qkv__case_dot : qkv__case_multiply)(
            bench, &x, &y, value);
    case QKV__NODE_DIVIDE: return qkv__case_divide(bench, &x, &y, value);
    default: return qkv__case_dot(bench, &x, &y, value);
    }
}

/* e^x is the exponential itself, not a power of an enclosure of e. */
static bool evaluate_power(qkv__scene *scene, const qkv__node *node, qkv__case_value *value)
{
    assert(node->kind == QKV__NODE_POWER);
    qkv__case_value base, exponent;
    const qkv__node *declared, *below = node->child[0];
    bool natural = below->kind == QKV__NODE_NAME && strcmp(below->text, "e") == 0 &&
                   find_local(scene, "e") == NULL &&
                   qkv__replay_resolve(scene->replay, "e", scene->position, &declared) < 0;
    if (!natural && !qkv__replay_evaluate(scene, below, &base)) return false;
    if (!natural && base.kind != QKV__CASE_SCALAR && node->child[1]->kind == QKV__NODE_NAME &&
        strcmp(node->child[1]->text, "T") == 0 && find_local(scene, "T") == NULL &&
        qkv__replay_resolve(scene->replay, "T", scene->position, &declared) < 0)
        /* k^T: of a number, or where T is one, it is a power */
        return qkv__case_transpose(&scene->replay->bench, &base, value);
    if (!qkv__replay_evaluate(scene, node->child[1], &exponent)) return false;
    if (natural)
        return qkv__case_apply(&scene->replay->bench, &exponent, qkv__real_exponential, value);
    return qkv__case_power(&scene->replay->bench, &base, &exponent, value);
}

static bool evaluate_unary(qkv__scene *scene, const qkv__node *node, qkv__case_value *value)
{
    qkv__bench *bench = &scene->replay->bench;
    qkv__case_value x, minus;
    if (!qkv__replay_evaluate(scene, node->child[0], &x)) return false;
    if (node->kind == QKV__NODE_TRANSPOSE) return qkv__case_transpose(bench, &x, value);
    if (node->kind == QKV__NODE_SIZE) return qkv__case_size(bench, &x, value);
    return qkv__case_scalar(bench, qkv__rational_whole(-1), &minus) &&
           qkv__case_multiply(bench, &minus, &x, value);
}

/* Appends the entries of a member to those of a family under way. */
static bool append(qkv__scene *scene, const qkv__case_value *member, qkv__case_value *family)
{
    qkv__bench *bench = &scene->replay->bench;
    const size_t width = family->columns, before = family->rows * width;
    qkv__real *grown = qkv__bench_take(bench, before + member->rows * member->columns);
    if (grown == NULL) return false;
    for (size_t i = 0; i < before; i++) qkv__real_set(&grown[i], &family->entry[i]);
    for (size_t i = 0; i < member->rows * member->columns; i++)
        qkv__real_set(&grown[before + i], &member->entry[i]);
    family->entry = grown;
    return true;
}

/* The names of {a, b, c}; NULL for a range. */
static bool member_names(qkv__scene *scene, const qkv__node *set, const char *const **names)
{
    *names = NULL;
    if (set->kind != QKV__NODE_SET) return true;
    const char **made = qkv__arena_array(&scene->replay->bench.arena, set->count, sizeof *made);
    if (made == NULL) return qkv__bench_fail(&scene->replay->bench, QKV__OBSTACLE_ROOM);
    for (size_t i = 0; i < set->count; i++) made[i] = set->child[i]->text;
    *names = made;
    return true;
}

/* [x for i in 1..n]: vectors make a family, numbers a family of numbers. */
static bool evaluate_family(qkv__scene *scene, const qkv__node *node, qkv__case_value *value)
{
    assert(qkv__list_is_family(node));
    qkv__bench *bench = &scene->replay->bench;
    const qkv__node *sum = node->child[0];
    const bool *in;
    size_t count;
    qkv__real *entry = NULL;
    if (!qkv__replay_domain(scene, sum->child[1], sum->child[0], &count, &in)) return false;
    if (count == 0) return qkv__bench_fail(bench, QKV__OBSTACLE_VAGUE);
    for (size_t i = 0; i < count; i++) {
        qkv__local local = {.name = sum->text, .member = i, .count = count, .next = scene->locals};
        qkv__scene inner = *scene;
        qkv__case_value member;
        inner.locals = &local;
        local.number = sum->child[1]->child[1]->kind == QKV__NODE_RANGE;
        if (!in[i]) return unable(scene);
        if (!qkv__replay_evaluate(&inner, sum->child[0], &member)) return false;
        member = qkv__case_plain(&member);
        const qkv__case_kind kind =
            member.kind == QKV__CASE_SCALAR ? QKV__CASE_NUMBERS : QKV__CASE_FAMILY;
        if (member.kind != QKV__CASE_SCALAR && member.kind != QKV__CASE_VECTOR)
            return unable(scene);
        if (i == 0) {
            *value = (qkv__case_value){.kind = kind, .rows = count, .columns = member.rows};
            entry = qkv__bench_take(bench, count * member.rows);
        }
        if (entry == NULL) return false;
        if (value->kind != kind || value->columns != member.rows)
            return qkv__bench_fail(bench, QKV__OBSTACLE_SHAPE);
        for (size_t j = 0; j < member.rows; j++)
            qkv__real_set(&entry[i * member.rows + j], &member.entry[j]);
    }
    value->entry = entry;
    return member_names(scene, sum->child[1]->child[1], &value->names);
}

/* [k, m, u]: families one behind the other, and vectors among them. */
static bool join(qkv__scene *scene, const qkv__node *node, qkv__case_value *value)
{
    assert(node->kind == QKV__NODE_LIST);
    *value = (qkv__case_value){.kind = QKV__CASE_FAMILY};
    for (size_t i = 0; i < node->count; i++) {
        qkv__case_value part;
        if (!qkv__replay_evaluate(scene, node->child[i], &part)) return false;
        part = qkv__case_plain(&part);
        const bool vector = part.kind == QKV__CASE_VECTOR;
        if (!vector && part.kind != QKV__CASE_FAMILY) return unable(scene);
        const size_t width = vector ? part.rows : part.columns;
        if (i > 0 && width != value->columns)
            return qkv__bench_fail(&scene->replay->bench, QKV__OBSTACLE_SHAPE);
        value->columns = width;
        if (!append(scene, &part, value)) return false;
        value->rows += vector ? 1 : part.rows;
    }
    return true;
}

/* Numbers make a vector, vectors of one width a family. */
static bool evaluate_list(qkv__scene *scene, const qkv__node *node, qkv__case_value *value)
{
    assert(node->kind == QKV__NODE_LIST);
    qkv__bench *bench = &scene->replay->bench;
    qkv__real *entry = NULL;
    size_t width = 0;
    bool numbers = false;
    assert(node->count > 0); /* by the grammar */
    for (size_t i = 0; i < node->count; i++) {
        qkv__case_value part;
        if (!qkv__replay_evaluate(scene, node->child[i], &part)) return false;
        part = qkv__case_plain(&part);
        bool number = part.kind == QKV__CASE_SCALAR;
        if (part.kind == QKV__CASE_FAMILY) return join(scene, node, value);
        if (!number && part.kind != QKV__CASE_VECTOR) return unable(scene);
        if (i > 0 && (number != numbers || part.rows != width)) return unable(scene);
        if (i == 0) entry = qkv__bench_take(bench, node->count * part.rows);
        if (entry == NULL) return false;
        numbers = number;
        width = part.rows;
        for (size_t j = 0; j < width; j++) qkv__real_set(&entry[i * width + j], &part.entry[j]);
    }
    *value = (qkv__case_value){.kind = numbers ? QKV__CASE_VECTOR : QKV__CASE_FAMILY,
                               .rows = node->count,
                               .columns = width,
                               .entry = entry};
    return true;
}

/* x with x[2] = y */
static bool evaluate_with(qkv__scene *scene, const qkv__node *node, qkv__case_value *value)
{
    assert(node->kind == QKV__NODE_WITH);
    qkv__bench *bench = &scene->replay->bench;
    const qkv__node *target = node->child[1];
    qkv__case_value base, changed;
    size_t member;
    if (!qkv__replay_evaluate(scene, node->child[0], &base) ||
        !qkv__replay_evaluate(scene, node->child[2], &changed))
        return false;
    changed = qkv__case_plain(&changed);
    if (base.kind != QKV__CASE_FAMILY || changed.kind != QKV__CASE_VECTOR ||
        target->kind != QKV__NODE_INDEX || target->count != 2)
        return unable(scene);
    if (!qkv__replay_member(scene, target->child[1], base.names, base.rows, &member)) return false;
    if (changed.rows != base.columns) return qkv__bench_fail(bench, QKV__OBSTACLE_SHAPE);
    qkv__real *entry = qkv__bench_take(bench, base.rows * base.columns);
    if (entry == NULL) return false;
    for (size_t i = 0; i < base.rows * base.columns; i++) {
        bool inside = i / base.columns == member;
        qkv__real_set(&entry[i], inside ? &changed.entry[i % base.columns] : &base.entry[i]);
    }
    *value = base;
    value->entry = entry;
    return true;
}

/* ---- The switch ---------------------------------------------------------------------------- */

bool qkv__replay_evaluate(qkv__scene *scene, const qkv__node *node, qkv__case_value *value)
{
    assert(scene->position <= qkv__replay_statements(scene->replay));
    switch (node->kind) {
    case QKV__NODE_NUMBER: return qkv__case_scalar(&scene->replay->bench, node->value, value);
    case QKV__NODE_NAME: return evaluate_name(scene, node, value);
    case QKV__NODE_INDEX:
    case QKV__NODE_MEMBER: return evaluate_indexed(scene, node, value);
    case QKV__NODE_CALL: return qkv__replay_call(scene, node, value);
    case QKV__NODE_NEGATE:
    case QKV__NODE_TRANSPOSE:
    case QKV__NODE_SIZE: return evaluate_unary(scene, node, value);
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT:
    case QKV__NODE_MULTIPLY:
    case QKV__NODE_DIVIDE:
    case QKV__NODE_DOT: return evaluate_binary(scene, node, value);
    case QKV__NODE_POWER: return evaluate_power(scene, node, value);
    case QKV__NODE_LIST:
        if (qkv__list_is_family(node)) return evaluate_family(scene, node, value);
        return node->table != NULL ? qkv__replay_table_value(scene, node, value)
                                   : evaluate_list(scene, node, value);
    case QKV__NODE_WITH: return evaluate_with(scene, node, value);
    default: return unable(scene);
    }
}
