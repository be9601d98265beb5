/*
 * Derivatives at one case: d(x, t) by a parameter, grad(x, q) by the coordinates of a vector. The
 * parameter is made to move, and what depends on it is evaluated anew (ball/slope.h). All other
 * unknowns stand still, also where a premise ties them to it. Knows nothing of truth.
 */
#include <assert.h>
#include <string.h>

#include "ball/slope.h"
#include "language/builtin.h"
#include "replay/names.h"
#include "replay/replay.h"

static bool unable(qkv__scene *scene)
{
    return qkv__bench_fail(&scene->replay->bench, QKV__OBSTACLE_UNABLE);
}

/* What was evaluated while nothing moved, or while less did. */
typedef struct memory {
    bool *known, *unknown_known;
    qkv__case_value *value, *unknown_value;
} memory;

/* Whether an unknown is made of others: vectors of a norm that may move. */
static bool is_made(const qkv__unknown *u)
{
    return u->norm != NULL;
}

/* Definitions are evaluated anew, and so are vectors that are made of a norm. */
static void forget(qkv__replay *replay)
{
    memset(replay->known, 0, sizeof replay->known);
    for (size_t i = 0; i < replay->unknown_count; i++)
        if (is_made(&replay->unknown[i])) replay->unknown_known[i] = false;
}

static bool remember(qkv__replay *replay, memory *m)
{
    qkv__arena *arena = &replay->bench.arena;
    const size_t statements = qkv__replay_statements(replay);
    m->known = qkv__arena_array(arena, statements + 1, sizeof *m->known);
    m->value = qkv__arena_array(arena, statements + 1, sizeof *m->value);
    m->unknown_known = qkv__arena_array(arena, QKV__UNKNOWNS, sizeof *m->unknown_known);
    m->unknown_value = qkv__arena_array(arena, QKV__UNKNOWNS, sizeof *m->unknown_value);
    if (m->known == NULL || m->value == NULL || m->unknown_known == NULL ||
        m->unknown_value == NULL)
        return qkv__bench_fail(&replay->bench, QKV__OBSTACLE_ROOM);
    memcpy(m->known, replay->known, statements * sizeof *m->known);
    memcpy(m->value, replay->value, statements * sizeof *m->value);
    memcpy(m->unknown_known, replay->unknown_known, sizeof replay->unknown_known);
    memcpy(m->unknown_value, replay->unknown_value, sizeof replay->unknown_value);
    return true;
}

static void restore(qkv__replay *replay, const memory *m)
{
    const size_t statements = qkv__replay_statements(replay);
    memcpy(replay->known, m->known, statements * sizeof *m->known);
    memcpy(replay->value, m->value, statements * sizeof *m->value);
    memcpy(replay->unknown_known, m->unknown_known, sizeof replay->unknown_known);
    memcpy(replay->unknown_value, m->unknown_value, sizeof replay->unknown_value);
}

/* ---- What moves ---------------------------------------------------------------------------- */

/* The unknown that is moved, and which of its entries: those of one member of a family. */
static bool find_moved(qkv__scene *scene, const qkv__node *by, bool gradient, int *unknown,
                       size_t *first, size_t *count)
{
    qkv__replay *replay = scene->replay;
    const bool member =
        by->kind == QKV__NODE_INDEX && by->count == 2 && by->child[0]->kind == QKV__NODE_NAME;
    if (!member && by->kind != QKV__NODE_NAME) return unable(scene);
    *unknown = qkv__replay_unknown_named(scene->replay, member ? by->child[0]->text : by->text,
                                         scene->position);
    if (*unknown < 0) return unable(scene);
    const qkv__unknown *u = &replay->unknown[*unknown];
    const qkv__unknown_kind wanted = !gradient ? QKV__UNKNOWN_PARAMETER
                                     : member  ? QKV__UNKNOWN_FAMILY
                                               : QKV__UNKNOWN_VECTOR;
    if (u->kind != wanted || (member && !gradient) || u->whole || u->is_size || u->in_size ||
        u->axes || is_made(u))
        return unable(scene);
    *first = 0;
    *count = u->kind == QKV__UNKNOWN_VECTOR ? u->rows * u->columns : u->columns;
    if (u->kind == QKV__UNKNOWN_PARAMETER) *count = 1;
    if (!member) return true;
    size_t row;
    if (!qkv__replay_member(scene, by->child[1], u->names, u->rows, &row)) return false;
    *first = row * u->columns;
    return true;
}

/* A copy of the unknown of which one entry moves. */
static bool move(qkv__scene *scene, int unknown, size_t entry, int direction)
{
    qkv__replay *replay = scene->replay;
    qkv__case_value value;
    if (!qkv__replay_unknown_value(scene, unknown, &value)) return false;
    const size_t count = value.rows * value.columns;
    qkv__real *copy = qkv__bench_take(&replay->bench, count);
    if (copy == NULL) return false;
    assert(entry < count);
    for (size_t i = 0; i < count; i++) qkv__real_set(&copy[i], &value.entry[i]);
    qkv__slopes_start(&copy[entry], direction);
    replay->unknown_value[unknown].entry = copy;
    return true;
}

/* ---- Derivatives --------------------------------------------------------------------------- */

/* The derivatives of all entries of a value; where one is missing, there is no value. */
static bool take(qkv__scene *scene, const qkv__case_value *x, int direction, qkv__real *entry)
{
    for (size_t i = 0; i < x->rows * x->columns; i++) {
        qkv__slopes_take(&entry[i], &x->entry[i], direction);
        if (!qkv__real_is_defined(&entry[i]))
            return qkv__bench_fail(&scene->replay->bench, QKV__OBSTACLE_UNDEFINED);
    }
    return true;
}

/* One entry moves, and the value does: a number, a vector, or a matrix. */
static bool differentiate(qkv__scene *scene, const qkv__node *of, int unknown, size_t moved,
                          qkv__case_value *value)
{
    qkv__replay *replay = scene->replay;
    const int direction = replay->directions++;
    memory m;
    qkv__case_value x;
    bool good = remember(replay, &m);
    if (good) {
        forget(replay);
        good = move(scene, unknown, moved, direction) && qkv__replay_evaluate(scene, of, &x);
        restore(replay, &m);
    }
    replay->directions--;
    if (!good) return false;
    x = qkv__case_plain(&x);
    if (x.kind == QKV__CASE_AXES || x.kind == QKV__CASE_IDENTITY) return unable(scene);
    qkv__real *entry = qkv__bench_take(&replay->bench, x.rows * x.columns);
    if (entry == NULL || !take(scene, &x, direction, entry)) return false;
    *value = x;
    value->entry = entry;
    return true;
}

/* Whether an argument of a function is in sight: whether it moves cannot be told from its value. */
static bool has_arguments(const qkv__scene *scene)
{
    for (const qkv__local *l = scene->locals; l != NULL; l = l->next)
        if (l->value != NULL) return true;
    return false;
}

bool qkv__replay_derivative(qkv__scene *scene, const qkv__node *node, qkv__case_value *value)
{
    assert(node->kind == QKV__NODE_CALL && node->count == 2);
    qkv__replay *replay = scene->replay;
    const bool gradient = qkv__builtin_of(node) == QKV__BUILTIN_GRADIENT;
    size_t first, count;
    int unknown;
    if (replay->random || has_arguments(scene) || replay->directions >= QKV__DIRECTIONS)
        return unable(scene);
    if (!find_moved(scene, node->child[1], gradient, &unknown, &first, &count)) return false;
    if (!gradient) return differentiate(scene, node->child[0], unknown, first, value);
    qkv__real *entry = qkv__bench_take(&replay->bench, count);
    if (entry == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        qkv__case_value part;
        if (!differentiate(scene, node->child[0], unknown, first + i, &part)) return false;
        if (part.kind != QKV__CASE_SCALAR) return unable(scene);
        qkv__real_set(&entry[i], part.entry);
    }
    *value =
        (qkv__case_value){.kind = QKV__CASE_VECTOR, .rows = count, .columns = 1, .entry = entry};
    return true;
}
