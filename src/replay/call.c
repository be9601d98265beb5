/* Calls at one case: attention, sums, elementary functions, and functions that the document
 * defines. Knows nothing of truth. */
#include <assert.h>
#include <string.h>

#include "ball/elementary.h"
#include "language/builtin.h"
#include "language/tree.h"
#include "replay/matrix.h"
#include "replay/names.h"
#include "replay/replay.h"

static bool range_domain(qkv__scene *scene, const qkv__node *range, size_t *first, size_t *count);

static bool unable(qkv__scene *scene)
{
    return qkv__bench_fail(&scene->replay->bench, QKV__OBSTACLE_UNABLE);
}

/* ---- Numbers and vectors ------------------------------------------------------------------- */

static bool call_elementary(qkv__scene *scene, const qkv__node *node, qkv__case_value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    const qkv__elementary function = qkv__elementary_find(qkv__builtin_word(qkv__builtin_of(node)));
    qkv__case_value x;
    assert(function != NULL); /* it was looked for */
    if (node->count != 1) return unable(scene);
    return qkv__replay_evaluate(scene, node->child[0], &x) &&
           qkv__case_apply(&scene->replay->bench, &x, function, value);
}

/* cos(x), or cos(x, y) of the angle between two vectors. */
static bool call_cosine(qkv__scene *scene, const qkv__node *node, qkv__case_value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    qkv__bench *bench = &scene->replay->bench;
    qkv__case_value x, y, product, x_size, y_size, sizes;
    if (node->count != 2) return call_elementary(scene, node, value);
    return qkv__replay_evaluate(scene, node->child[0], &x) &&
           qkv__replay_evaluate(scene, node->child[1], &y) &&
           qkv__case_dot(bench, &x, &y, &product) && qkv__case_size(bench, &x, &x_size) &&
           qkv__case_size(bench, &y, &y_size) &&
           qkv__case_multiply(bench, &x_size, &y_size, &sizes) &&
           qkv__case_divide(bench, &product, &sizes, value);
}

static bool call_size(qkv__scene *scene, const qkv__node *node, qkv__case_value *value)
{
    qkv__case_value x;
    return node->count == 1 && qkv__replay_evaluate(scene, node->child[0], &x) &&
           qkv__case_size(&scene->replay->bench, &x, value);
}

/* dist(x, y): |x - y|. */
static bool call_distance(qkv__scene *scene, const qkv__node *node, qkv__case_value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    qkv__bench *bench = &scene->replay->bench;
    qkv__case_value x, y, difference;
    if (node->count != 2) return unable(scene);
    return qkv__replay_evaluate(scene, node->child[0], &x) &&
           qkv__replay_evaluate(scene, node->child[1], &y) &&
           qkv__case_add(bench, &x, &y, true, &difference) &&
           qkv__case_size(bench, &difference, value);
}

/* Whether an expression is a list of numbers by its text, be it by way of a name: [x, y], u/2,
 * u - v, softmax(u). A vector may be a column, of which softmax is not clear. */
static bool is_list(const qkv__scene *scene, const qkv__node *node, size_t position, int depth)
{
    enum { DEPTH = 16 };
    const qkv__node *declared;
    if (depth == DEPTH) return false;
    switch (node->kind) {
    case QKV__NODE_LIST: return true;
    case QKV__NODE_NEGATE:
    case QKV__NODE_DIVIDE: return is_list(scene, node->child[0], position, depth + 1);
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT:
        return is_list(scene, node->child[0], position, depth + 1) &&
               is_list(scene, node->child[1], position, depth + 1);
    case QKV__NODE_MULTIPLY:
        return node->child[0]->kind == QKV__NODE_NUMBER &&
               is_list(scene, node->child[1], position, depth + 1);
    case QKV__NODE_CALL:
        return qkv__builtin_of(node) == QKV__BUILTIN_SOFTMAX && node->count == 1 &&
               is_list(scene, node->child[0], position, depth + 1);
    case QKV__NODE_NAME: break;
    default: return false;
    }
    for (const qkv__local *l = scene->locals; l != NULL; l = l->next)
        if (strcmp(l->name, node->text) == 0) return false; /* the argument of a function */
    const int index = qkv__replay_resolve(scene->replay, node->text, position, &declared);
    const qkv__statement *s = index < 0 ? NULL : scene->replay->statement[index];
    return s != NULL && s->kind == QKV__STATEMENT_DEFINE && declared->kind == QKV__NODE_NAME &&
           is_list(scene, s->node[1], (size_t)index, depth + 1);
}

static bool call_softmax(qkv__scene *scene, const qkv__node *node, qkv__case_value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    qkv__case_value x;
    if (node->count != 1) return unable(scene);
    if (!qkv__replay_evaluate(scene, node->child[0], &x)) return false;
    const bool list =
        x.kind == QKV__CASE_VECTOR && is_list(scene, node->child[0], scene->position, 0);
    if (list) x.kind = QKV__CASE_NUMBERS; /* [0, 1] is a row of scores */
    if (!qkv__case_softmax(&scene->replay->bench, &x, value)) return false;
    if (list) value->kind = QKV__CASE_VECTOR; /* a list again */
    return true;
}

/* Numbers that are listed, those of a family, or the weights of one query. */
static bool as_numbers(qkv__scene *scene, const qkv__node *node, qkv__case_value *numbers)
{
    if (!qkv__replay_evaluate(scene, node, numbers)) return false;
    const qkv__case_result *result = numbers->result;
    if (numbers->kind == QKV__CASE_RESULT && result->single && result->weight != NULL)
        *numbers = (qkv__case_value){
            .kind = QKV__CASE_NUMBERS, .rows = result->keys, .columns = 1, .entry = result->weight};
    return numbers->kind == QKV__CASE_NUMBERS || is_list(scene, node, scene->position, 0) ||
           unable(scene);
}

/* entropy(c), entropy(c.weight): -sum(w ln w), where 0 ln 0 is 0. */
static bool call_entropy(qkv__scene *scene, const qkv__node *node, qkv__case_value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    qkv__bench *bench = &scene->replay->bench;
    qkv__case_value weights;
    if (node->count != 1) return unable(scene);
    if (!as_numbers(scene, node->child[0], &weights)) return false;
    if (weights.columns != 1) return unable(scene);
    qkv__real *room = qkv__bench_take(bench, 2);
    if (room == NULL) return false;
    qkv__real_set_whole(&room[0], 0);
    bench->operations += 16 * weights.rows;
    for (size_t i = 0; i < weights.rows; i++) {
        const qkv__real *weight = &weights.entry[i];
        if (weight->slopes == NULL && qkv__real_is_zero(weight)) continue;
        qkv__real_logarithm(&room[1], weight);
        if (!qkv__real_is_defined(&room[1]))
            return qkv__bench_fail(bench, qkv__real_sign(weight) == -1 ? QKV__OBSTACLE_UNDEFINED
                                                                       : QKV__OBSTACLE_VAGUE);
        qkv__real_multiply(&room[1], &room[1], weight);
        qkv__real_subtract(&room[0], &room[0], &room[1]);
    }
    *value =
        (qkv__case_value){.kind = QKV__CASE_SCALAR, .rows = 1, .columns = 1, .entry = &room[0]};
    return true;
}

/* logsumexp(c.score): ln of the sum of e^x over the numbers x. */
static bool call_log_sum(qkv__scene *scene, const qkv__node *node, qkv__case_value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    qkv__bench *bench = &scene->replay->bench;
    qkv__case_value scores, sum;
    if (node->count != 1) return unable(scene);
    if (!qkv__replay_evaluate(scene, node->child[0], &scores)) return false;
    if (scores.kind != QKV__CASE_NUMBERS) return unable(scene);
    qkv__real *room = qkv__bench_take(bench, 2);
    if (room == NULL) return false;
    qkv__real_set_whole(&room[0], 0);
    bench->operations += 8 * scores.rows;
    for (size_t i = 0; i < scores.rows; i++) {
        qkv__real_exponential(&room[1], &scores.entry[i]);
        qkv__real_add(&room[0], &room[0], &room[1]);
    }
    sum = (qkv__case_value){.kind = QKV__CASE_SCALAR, .rows = 1, .columns = 1, .entry = &room[0]};
    return qkv__case_apply(bench, &sum, qkv__real_logarithm, value);
}

/* ---- Matrices ------------------------------------------------------------------------------ */

/* ones(n), zeros(n, m): vectors and matrices; a size is a whole number from 1 on. */
static bool call_constant(qkv__scene *scene, const qkv__node *node, qkv__case_value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    qkv__bench *bench = &scene->replay->bench;
    size_t size[2] = {0, 0};
    if (node->count != 1 && node->count != 2) return unable(scene);
    for (size_t i = 0; i < node->count; i++) {
        qkv__rational number;
        if (!qkv__replay_number(scene, node->child[i], &number)) return false;
        if (number.denominator != 1 || number.numerator < 1)
            return qkv__bench_fail(bench, QKV__OBSTACLE_UNDEFINED);
        if (number.numerator > QKV__BENCH_LARGEST)
            return qkv__bench_fail(bench, QKV__OBSTACLE_ROOM);
        size[i] = (size_t)number.numerator;
    }
    return qkv__case_constant(bench, size[0], size[1], qkv__builtin_of(node) == QKV__BUILTIN_ONES,
                              value);
}

static bool call_of_matrix(qkv__scene *scene, const qkv__node *node, qkv__case_value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    static bool (*const functions[QKV__BUILTINS])(qkv__bench *, const qkv__case_value *,
                                                  qkv__case_value *) = {
        [QKV__BUILTIN_DETERMINANT] = qkv__case_determinant,
        [QKV__BUILTIN_DIAGONAL] = qkv__case_diagonal,
        [QKV__BUILTIN_INVERSE] = qkv__case_inverse,
        [QKV__BUILTIN_RANK] = qkv__case_rank,
        [QKV__BUILTIN_SPECTRAL] = qkv__case_spectral,
        [QKV__BUILTIN_TRACE] = qkv__case_trace,
    };
    qkv__case_value x;
    if (node->count != 1) return unable(scene);
    return qkv__replay_evaluate(scene, node->child[0], &x) &&
           functions[qkv__builtin_of(node)](&scene->replay->bench, &x, value);
}

/* ---- Attention ----------------------------------------------------------------------------- */

/* mask = {a, b} or 1..3: which of so many keys are seen. */
static bool read_mask(qkv__scene *scene, const qkv__node *mask, const qkv__case_value *keys,
                      qkv__case_options *options)
{
    bool *seen = qkv__arena_array(&scene->replay->bench.arena, keys->rows + 1, sizeof *seen);
    size_t from, to, member;
    if (seen == NULL) return qkv__bench_fail(&scene->replay->bench, QKV__OBSTACLE_ROOM);
    for (size_t i = 0; i < keys->rows; i++) seen[i] = false;
    options->seen = seen;
    if (mask->kind == QKV__NODE_RANGE) {
        if (keys->names != NULL) return unable(scene);
        if (!range_domain(scene, mask, &from, &to)) return false;
        for (size_t i = from; i <= to; i++) {
            if (i > keys->rows) return qkv__bench_fail(&scene->replay->bench, QKV__OBSTACLE_VAGUE);
            seen[i - 1] = true;
        }
        return true;
    }
    if (mask->kind != QKV__NODE_SET) return unable(scene);
    for (size_t i = 0; i < mask->count; i++) {
        if (!qkv__replay_member(scene, mask->child[i], keys->names, keys->rows, &member))
            return false;
        seen[member] = true;
    }
    return true;
}

/* What depends on how many keys there are: a bias and a mask. */
static bool read_key_options(qkv__scene *scene, const qkv__node *node, const qkv__case_value *keys,
                             qkv__case_options *options)
{
    assert(node->kind == QKV__NODE_CALL);
    for (size_t i = 0; i < node->count; i++) {
        const qkv__node *option = node->child[i];
        qkv__case_value bias;
        if (option->kind != QKV__NODE_OPTION) continue;
        if (strcmp(option->text, "mask") == 0 && !read_mask(scene, option->child[0], keys, options))
            return false;
        if (strcmp(option->text, "bias") != 0) continue;
        if (!qkv__replay_evaluate(scene, option->child[0], &bias)) return false;
        bias = qkv__case_plain(&bias); /* a list of numbers will do */
        if (bias.kind != QKV__CASE_NUMBERS && bias.kind != QKV__CASE_VECTOR) return unable(scene);
        if (bias.rows != keys->rows)
            return qkv__bench_fail(&scene->replay->bench, QKV__OBSTACLE_SHAPE);
        options->bias = bias.entry;
    }
    return true;
}

/* Plain arguments come first; scale = x, causal and others may follow. */
static bool read_options(qkv__scene *scene, const qkv__node *node, size_t *plain,
                         qkv__case_options *options)
{
    assert(node->kind == QKV__NODE_CALL);
    *options = (qkv__case_options){0};
    *plain = 0;
    for (size_t i = 0; i < node->count; i++) {
        const qkv__node *argument = node->child[i];
        qkv__case_value number;
        if (argument->kind == QKV__NODE_NAME && strcmp(argument->text, "causal") == 0) {
            options->causal = true;
        } else if (argument->kind != QKV__NODE_OPTION) {
            ++*plain;
        } else if (strcmp(argument->text, "scale") == 0 || strcmp(argument->text, "sink") == 0) {
            if (!qkv__replay_evaluate(scene, argument->child[0], &number)) return false;
            if (number.kind != QKV__CASE_SCALAR) return unable(scene);
            *(argument->text[1] == 'c' ? &options->scale : &options->sink) = number.entry;
        } else if (strcmp(argument->text, "window") == 0) {
            qkv__rational width;
            if (!qkv__replay_number(scene, argument->child[0], &width)) return false;
            if (!qkv__rational_is_whole(width) || width.numerator < 1) return unable(scene);
            options->window = (size_t)width.numerator;
        } else if (strcmp(argument->text, "mask") != 0 && strcmp(argument->text, "bias") != 0) {
            return unable(scene);
        }
    }
    return true;
}

static bool keep_result(qkv__scene *scene, const qkv__case_result *result, qkv__case_value *value)
{
    qkv__case_result *kept = qkv__arena_take(&scene->replay->bench.arena, sizeof *kept);
    if (kept == NULL) return qkv__bench_fail(&scene->replay->bench, QKV__OBSTACLE_ROOM);
    *kept = *result;
    *value = (qkv__case_value){.kind = QKV__CASE_RESULT, .result = kept};
    return true;
}

/* attend(q, k, v): one query, or the rows of a matrix. */
static bool call_attend(qkv__scene *scene, const qkv__node *node, qkv__case_value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    qkv__case_value argument[3], keys, values;
    qkv__case_options options;
    qkv__case_result result;
    size_t plain;
    if (!read_options(scene, node, &plain, &options)) return false;
    if (plain != 3) return unable(scene);
    for (int i = 0; i < 3; i++)
        if (!qkv__replay_evaluate(scene, node->child[i], &argument[i])) return false;
    qkv__case_value queries = qkv__case_plain(&argument[0]);
    if (queries.kind == QKV__CASE_SCALAR && qkv__real_is_resting_zero(queries.entry) &&
        qkv__case_rows(&argument[1], &keys)) { /* 0 is a query of any width */
        qkv__real *zero = qkv__bench_take(&scene->replay->bench, keys.columns);
        if (zero == NULL) return false;
        for (size_t i = 0; i < keys.columns; i++) qkv__real_set_whole(&zero[i], 0);
        queries = (qkv__case_value){
            .kind = QKV__CASE_VECTOR, .rows = keys.columns, .columns = 1, .entry = zero};
    }
    if (queries.kind == QKV__CASE_SCALAR && qkv__case_rows(&argument[1], &keys) &&
        keys.columns == 1) /* a number is a vector of one */
        queries.kind = QKV__CASE_VECTOR;
    bool single = queries.kind == QKV__CASE_VECTOR;
    if (!qkv__case_rows(&argument[1], &keys) || !qkv__case_rows(&argument[2], &values) ||
        (!single && queries.kind != QKV__CASE_MATRIX) || (single && options.causal) ||
        options.window > 0)
        return unable(scene);
    if (!read_key_options(scene, node, &keys, &options)) return false;
    if (single) { /* a column is the one row of queries */
        queries.columns = queries.rows;
        queries.rows = 1;
    }
    if (!qkv__case_attend(&scene->replay->bench, &queries, &keys, &values, &options, &result))
        return false;
    result.single = single;
    result.matrix = !single;
    return keep_result(scene, &result, value);
}

/* M x for every member of a family, or X M for rows of a matrix. */
static bool project(qkv__scene *scene, const qkv__case_value *matrix, const qkv__case_value *x,
                    qkv__case_value *projected)
{
    qkv__bench *bench = &scene->replay->bench;
    qkv__case_value rows = *x, turned;
    rows.kind = QKV__CASE_MATRIX;
    if (matrix->kind == QKV__CASE_IDENTITY)
        return qkv__case_multiply(bench, matrix, &rows, projected);
    if (matrix->kind != QKV__CASE_MATRIX) return unable(scene);
    if (!qkv__case_transpose(bench, matrix, &turned)) return false;
    return qkv__case_multiply(bench, &rows, &turned, projected);
}

/* The name of an answer that takes the place of Q, K or V: by its first or its last letter, unless
 * it has a place in the call. */
static const char *answer_for(const qkv__replay *replay, const qkv__node *call, size_t plain,
                              char place)
{
    assert(call->kind == QKV__NODE_CALL);
    for (size_t i = 0; i < replay->answer_count; i++) {
        const char *name = replay->statement[replay->statement_count + i]->node[0]->text;
        bool placed = false;
        for (size_t j = 1; j < plain; j++)
            placed = placed || (call->child[j]->kind == QKV__NODE_NAME &&
                                strcmp(call->child[j]->text, name) == 0);
        const char first = name[0], last = name[strlen(name) - 1];
        bool two = strchr("QKV", first) != NULL && strchr("QKV", last) != NULL && first != last;
        if (!placed && !two && (first == place || last == place)) return name;
    }
    return NULL;
}

/* self_attend(x) or self_attend(x, Q, K, V) of a family: queries Q x, keys K x, values V x. */
static bool call_self_attend(qkv__scene *scene, const qkv__node *node, qkv__case_value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    qkv__case_value x, part[3], matrix;
    qkv__case_options options;
    qkv__case_result result;
    size_t plain;
    if (!read_options(scene, node, &plain, &options)) return false;
    if (plain != 1 && plain != 4) return unable(scene);
    if (!qkv__replay_evaluate(scene, node->child[0], &x)) return false;
    x = qkv__case_plain(&x);
    if (x.kind != QKV__CASE_FAMILY) return unable(scene);
    for (size_t i = 0; i < 3; i++) {
        qkv__node asked = {.kind = QKV__NODE_NAME};
        part[i] = x;
        const qkv__node *stated = plain == 1 ? NULL : node->child[i + 1];
        bool open =
            stated == NULL || (stated->kind == QKV__NODE_NAME && strcmp(stated->text, "I") == 0);
        if (open) asked.text = answer_for(scene->replay, node, plain, "QKV"[i]);
        if (asked.text == NULL && stated == NULL) continue;
        if (!qkv__replay_evaluate(scene, asked.text != NULL ? &asked : stated, &matrix) ||
            !project(scene, &matrix, &x, &part[i]))
            return false;
    }
    if (!read_key_options(scene, node, &x, &options) ||
        !qkv__case_attend(&scene->replay->bench, &part[0], &part[1], &part[2], &options, &result))
        return false;
    result.key_names = result.query_names = x.names;
    return keep_result(scene, &result, value);
}

/* ---- Domains of bound indices -------------------------------------------------------------- */

/* The size of the set that an index or the member of a named family belongs to. */
static bool size_of_set(qkv__scene *scene, const char *name, const char *const **names,
                        size_t *count)
{
    qkv__replay *replay = scene->replay;
    *names = NULL;
    for (const qkv__local *l = scene->locals; l != NULL; l = l->next)
        if (l->value == NULL && strcmp(l->name, name) == 0) return *count = l->count, true;
    int index = qkv__replay_index(replay, name);
    if (index >= 0) {
        const qkv__unknown *u = &replay->unknown[index];
        qkv__scene outer = {.replay = replay, .position = u->position, .depth = scene->depth + 1};
        qkv__rational end;
        if (u->declared == NULL || u->declared->kind != QKV__NODE_RANGE) return unable(scene);
        if (!qkv__replay_number(&outer, u->declared->child[1], &end)) return false;
        *count = end.numerator > 0 ? (size_t)end.numerator : 0;
        return true;
    }
    for (size_t i = 0; i < replay->unknown_count; i++) {
        const qkv__unknown *u = &replay->unknown[i];
        for (size_t j = 0; u->names != NULL && j < u->rows; j++)
            if (strcmp(u->names[j], name) == 0) return *names = u->names, *count = u->rows, true;
    }
    return unable(scene);
}

/* The size of the set of an index that runs over all but some numbers, from its use in x[i]. */
static bool size_by_use(qkv__scene *scene, const qkv__node *node, const char *name, size_t *count)
{
    bool used = node->kind == QKV__NODE_INDEX && node->child[1]->kind == QKV__NODE_NAME &&
                strcmp(node->child[1]->text, name) == 0;
    if (used) {
        qkv__case_value value;
        if (!qkv__replay_evaluate(scene, node->child[0], &value)) return false;
        value = qkv__case_plain(&value);
        *count = value.rows;
        return ((value.kind == QKV__CASE_FAMILY || value.kind == QKV__CASE_NUMBERS ||
                 value.kind == QKV__CASE_AXES) &&
                value.names == NULL) ||
               unable(scene);
    }
    for (size_t i = 0; i < node->count; i++)
        if (size_by_use(scene, node->child[i], name, count)) return true;
    return false;
}

/* i in 1..n: numbers below the first are left out. */
static bool range_domain(qkv__scene *scene, const qkv__node *range, size_t *first, size_t *count)
{
    qkv__rational from, to;
    assert(range->kind == QKV__NODE_RANGE);
    if (!qkv__replay_number(scene, range->child[0], &from) ||
        !qkv__replay_number(scene, range->child[1], &to))
        return false;
    if (from.numerator < 1 || from.denominator != 1 || to.denominator != 1) return unable(scene);
    *first = (size_t)from.numerator;
    if (to.numerator > QKV__REPLAY_SLOTS)
        return qkv__bench_fail(&scene->replay->bench, QKV__OBSTACLE_ROOM);
    *count = to.numerator > 0 ? (size_t)to.numerator : 0;
    return true;
}

bool qkv__replay_domain(qkv__scene *scene, const qkv__node *domain, const qkv__node *body,
                        size_t *count, const bool **in)
{
    assert(domain->kind == QKV__NODE_COMPARE);
    const qkv__node *over = domain->child[1];
    const char *const *names = NULL;
    bool without = domain->comparison == QKV__NOT_IN || domain->comparison == QKV__NOT_EQUAL;
    size_t listed = over->kind == QKV__NODE_SET ? over->count : 1, from = 1;
    const qkv__node *first = over->kind == QKV__NODE_SET ? over->child[0] : over;
    assert(without || domain->comparison == QKV__IN);
    if (!without && over->kind == QKV__NODE_RANGE) {
        if (!range_domain(scene, over, &from, count)) return false;
        listed = 0;
        without = true;
    } else if (first->kind == QKV__NODE_NUMBER) {
        if (!size_by_use(scene, body, domain->child[0]->text, count)) return unable(scene);
    } else if (!size_of_set(scene, first->text, &names, count)) {
        return false;
    }
    bool *flags = qkv__arena_array(&scene->replay->bench.arena, *count + 1, sizeof *flags);
    if (flags == NULL) return qkv__bench_fail(&scene->replay->bench, QKV__OBSTACLE_ROOM);
    for (size_t i = 0; i < *count; i++) flags[i] = without && i + 1 >= from;
    for (size_t i = 0; i < listed; i++) {
        size_t member;
        const qkv__node *node = over->kind == QKV__NODE_SET ? over->child[i] : over;
        if (!qkv__replay_member(scene, node, names, *count, &member)) return false;
        flags[member] = !without;
    }
    *in = flags;
    const char *name = domain->child[0]->text;
    bool some = over->kind == QKV__NODE_RANGE || !qkv__node_names(body, name);
    for (size_t i = 0; i < *count && !some; i++) some = flags[i];
    /* Where none is left, no use of the index would show that it is that of another family. */
    size_t used;
    return some || (size_by_use(scene, body, name, &used) && used == *count) || unable(scene);
}

/* ---- Sums, means, extremes ----------------------------------------------------------------- */

static bool gather(qkv__scene *scene, qkv__builtin how, const qkv__case_value *part, bool first,
                   qkv__case_value *value)
{
    qkv__bench *bench = &scene->replay->bench;
    qkv__case_value before = *value;
    if (first) return *value = qkv__case_plain(part), true;
    if (how == QKV__BUILTIN_SUM || how == QKV__BUILTIN_MEAN)
        return qkv__case_add(bench, &before, part, false, value);
    if (part->kind != QKV__CASE_SCALAR || before.kind != QKV__CASE_SCALAR) return unable(scene);
    qkv__real *entry = qkv__bench_take(bench, 1);
    if (entry == NULL) return false;
    if (how == QKV__BUILTIN_MAX)
        qkv__real_larger(entry, before.entry, part->entry);
    else
        qkv__real_smaller(entry, before.entry, part->entry);
    value->entry = entry;
    return true;
}

static bool share(qkv__scene *scene, qkv__builtin how, size_t count, qkv__case_value *value)
{
    qkv__case_value number, sum = *value;
    if (how != QKV__BUILTIN_MEAN) return true;
    return qkv__case_scalar(&scene->replay->bench, qkv__rational_whole((int64_t)count), &number) &&
           qkv__case_divide(&scene->replay->bench, &sum, &number, value);
}

/* sum(x[i] for i in S); the empty sum is 0, empty means and extremes have no value. */
static bool gather_over(qkv__scene *scene, qkv__builtin how, const qkv__node *node,
                        qkv__case_value *value)
{
    assert(node->kind == QKV__NODE_SUM);
    const bool *in;
    size_t count, met = 0;
    if (!qkv__replay_domain(scene, node->child[1], node->child[0], &count, &in)) return false;
    for (size_t i = 0; i < count; i++) {
        qkv__local local = {.name = node->text, .member = i, .count = count, .next = scene->locals};
        qkv__scene inner = *scene;
        qkv__case_value part;
        inner.locals = &local;
        if (!in[i]) continue;
        if (!qkv__replay_evaluate(&inner, node->child[0], &part) ||
            !gather(scene, how, &part, met == 0, value))
            return false;
        met++;
    }
    if (met > 0) return share(scene, how, met, value);
    if (how != QKV__BUILTIN_SUM)
        return qkv__bench_fail(&scene->replay->bench, QKV__OBSTACLE_UNDEFINED);
    return qkv__case_scalar(&scene->replay->bench, qkv__rational_whole(0), value);
}

/* mean(x, y), max(x, y), min(x, y); the mean of results has heads. */
static bool gather_arguments(qkv__scene *scene, qkv__builtin how, const qkv__node *node,
                             qkv__case_value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    qkv__bench *bench = &scene->replay->bench;
    qkv__case_value *part = qkv__arena_array(&bench->arena, node->count, sizeof *part);
    bool results = how == QKV__BUILTIN_MEAN;
    if (node->count == 0 || (how == QKV__BUILTIN_SUM && node->count != 1)) return unable(scene);
    if (part == NULL) return qkv__bench_fail(bench, QKV__OBSTACLE_ROOM);
    for (size_t i = 0; i < node->count; i++) {
        if (!qkv__replay_evaluate(scene, node->child[i], &part[i])) return false;
        results = results && part[i].kind == QKV__CASE_RESULT;
    }
    if (results) return qkv__case_mean(bench, part, node->count, value);
    if (node->count == 1) return unable(scene); /* max(x): over what? */
    for (size_t i = 0; i < node->count; i++) {
        if (how != QKV__BUILTIN_MEAN && part[i].kind != QKV__CASE_SCALAR) return unable(scene);
        if (!gather(scene, how, &part[i], i == 0, value)) return false;
    }
    return share(scene, how, node->count, value);
}

static bool call_gathering(qkv__scene *scene, const qkv__node *node, qkv__case_value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    qkv__builtin how = qkv__builtin_of(node);
    return qkv__call_is_over(node) ? gather_over(scene, how, node->child[0], value)
                                   : gather_arguments(scene, how, node, value);
}

/* ---- Which function ------------------------------------------------------------------------ */

/* f(i), where i is a bound index. */
static bool take_index(const qkv__scene *scene, const qkv__node *node, qkv__local *local)
{
    const qkv__local *outer = node->kind == QKV__NODE_NAME ? scene->locals : NULL;
    while (outer != NULL && strcmp(outer->name, node->text) != 0) outer = outer->next;
    if (outer == NULL || outer->value != NULL) return false;
    local->member = outer->member;
    local->count = outer->count;
    return true;
}

/* A function sees its own arguments and the names around the call. */
static bool call_function(qkv__scene *scene, const qkv__node *node, const qkv__statement *function,
                          qkv__case_value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    assert(function->kind == QKV__STATEMENT_DEFINE);
    enum { MOST = 8 };
    qkv__local locals[MOST];
    qkv__case_value values[MOST];
    const qkv__node *target = function->node[0];
    if (target->count != node->count || node->count > MOST || scene->depth >= QKV__REPLAY_DEPTH)
        return unable(scene);
    qkv__scene inner = {
        .replay = scene->replay, .position = scene->position, .depth = scene->depth + 1};
    for (size_t i = 0; i < node->count; i++) {
        locals[i] =
            (qkv__local){.name = target->child[i]->text, .next = i == 0 ? NULL : &locals[i - 1]};
        inner.locals = &locals[i];
        if (take_index(scene, node->child[i], &locals[i])) continue;
        if (!qkv__replay_evaluate(scene, node->child[i], &values[i])) return false;
        locals[i].value = &values[i];
    }
    return qkv__replay_evaluate(&inner, function->node[1], value);
}

/* M(x + y): a product. */
static bool call_product(qkv__scene *scene, const qkv__node *node, qkv__case_value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    qkv__node name = {.kind = QKV__NODE_NAME, .text = node->text, .place = node->place};
    qkv__case_value left, right;
    return node->count == 1 && qkv__replay_evaluate(scene, &name, &left) &&
           qkv__replay_evaluate(scene, node->child[0], &right) &&
           qkv__case_multiply(&scene->replay->bench, &left, &right, value);
}

typedef bool (*evaluator)(qkv__scene *scene, const qkv__node *node, qkv__case_value *value);

/* Those with a row in src/ball/elementary.c need none here. */
static const evaluator evaluators[QKV__BUILTINS] = {
    [QKV__BUILTIN_ABS] = call_size,
    [QKV__BUILTIN_ATTEND] = call_attend,
    [QKV__BUILTIN_COS] = call_cosine,
    [QKV__BUILTIN_COVARIANCE] = qkv__replay_chance,
    [QKV__BUILTIN_DETERMINANT] = call_of_matrix,
    [QKV__BUILTIN_DIAGONAL] = call_of_matrix,
    [QKV__BUILTIN_DERIVATIVE] = qkv__replay_derivative,
    [QKV__BUILTIN_DISTANCE] = call_distance,
    [QKV__BUILTIN_ENTROPY] = call_entropy,
    [QKV__BUILTIN_EXPECTATION] = qkv__replay_chance,
    [QKV__BUILTIN_FILE] = qkv__replay_table_value,
    [QKV__BUILTIN_INVERSE] = call_of_matrix,
    [QKV__BUILTIN_GRADIENT] = qkv__replay_derivative,
    [QKV__BUILTIN_LOG_SUM_EXP] = call_log_sum,
    [QKV__BUILTIN_MAX] = call_gathering,
    [QKV__BUILTIN_MEAN] = call_gathering,
    [QKV__BUILTIN_MIN] = call_gathering,
    [QKV__BUILTIN_NORM] = call_size,
    [QKV__BUILTIN_ONES] = call_constant,
    [QKV__BUILTIN_PROBABILITY] = qkv__replay_chance,
    [QKV__BUILTIN_RANK] = call_of_matrix,
    [QKV__BUILTIN_SELF_ATTEND] = call_self_attend,
    [QKV__BUILTIN_SOFTMAX] = call_softmax,
    [QKV__BUILTIN_SPECTRAL] = call_of_matrix,
    [QKV__BUILTIN_SUM] = call_gathering,
    [QKV__BUILTIN_TRACE] = call_of_matrix,
    [QKV__BUILTIN_VARIANCE] = qkv__replay_chance,
    [QKV__BUILTIN_ZEROS] = call_constant,
};

bool qkv__replay_call(qkv__scene *scene, const qkv__node *node, qkv__case_value *value)
{
    assert(scene->position <= qkv__replay_statements(scene->replay));
    assert(node->kind == QKV__NODE_CALL);
    const qkv__node *declared;
    const qkv__builtin function = qkv__builtin_of(node);
    const bool derivative =
        function == QKV__BUILTIN_DERIVATIVE || function == QKV__BUILTIN_GRADIENT;
    for (const qkv__local *l = scene->locals; l != NULL && !derivative; l = l->next)
        if (strcmp(l->name, node->text) == 0) return call_product(scene, node, value);
    int index = qkv__replay_resolve(scene->replay, node->text, scene->position, &declared);
    if (index >= 0 && declared->kind == QKV__NODE_CALL)
        return call_function(scene, node, scene->replay->statement[index], value);
    if (index >= 0 && !derivative) return call_product(scene, node, value);
    evaluator evaluate = evaluators[function];
    if (evaluate != NULL) return evaluate(scene, node, value);
    if (qkv__elementary_find(qkv__builtin_word(function)) != NULL)
        return call_elementary(scene, node, value);
    bool letter = qkv__replay_unknown(scene->replay, node->text, NULL, NULL) >= 0;
    return letter ? call_product(scene, node, value) : unable(scene);
}
