/* What is drawn, at one case and in the draw at hand: keys, vectors and numbers, each by its law
 * from the definition. Knows which random numbers a draw has (chance.c); nothing of P and E. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "language/law.h"
#include "replay/names.h"
#include "replay/replay.h"

enum { MOST_KEYS = 4096 };

static bool unable(qkv__scene *scene)
{
    return qkv__bench_fail(&scene->replay->bench, QKV__OBSTACLE_UNABLE);
}

static bool vague(qkv__scene *scene)
{
    return qkv__bench_fail(&scene->replay->bench, QKV__OBSTACLE_VAGUE);
}

/* ---- Keys that are drawn ------------------------------------------------------------------- */

/* The declaration of a family's keys in a statement; NULL if it is none. */
static const qkv__node *declaration_of(const qkv__statement *statement, const char *family,
                                       qkv__drawn *law)
{
    bool named = statement->kind == QKV__STATEMENT_FAMILY &&
                 qkv__law_read(statement->node[0], law) && strcmp(law->name, family) == 0;
    return named ? statement->node[0] : NULL;
}

/* The root of a variance, where it has one: *root is 0 where the variance is. */
static bool deviation(qkv__scene *scene, const qkv__real *variance, qkv__real *root)
{
    int sign = qkv__real_sign(variance);
    if (sign == QKV__SIGN_OPEN) return vague(scene);
    if (sign < 0) return qkv__bench_fail(&scene->replay->bench, QKV__OBSTACLE_UNDEFINED);
    if (sign == 0)
        qkv__real_set_whole(root, 0);
    else
        qkv__real_root(root, variance);
    return true;
}

/* L D^(1/2), where the covariance is L D L': on and below the diagonal, what is above counts for
 * nothing. A column whose entry of D is 0 has 0 on the diagonal. */
static bool factor(qkv__scene *scene, const qkv__case_value *covariance, qkv__real *left)
{
    const size_t width = covariance->rows;
    qkv__real *part = qkv__bench_take(&scene->replay->bench, 2);
    if (part == NULL) return false;
    for (size_t i = 0; i < width * width; i++) qkv__real_set(&left[i], &covariance->entry[i]);
    for (size_t j = 0; j < width; j++) {
        const qkv__real *pivot = &left[j * width + j];
        if (!deviation(scene, pivot, &part[0])) return false;
        if (qkv__real_sign(&part[0]) == 0) continue;
        for (size_t i = j + 1; i < width; i++)
            for (size_t k = j + 1; k < width; k++) {
                qkv__real_divide(&part[1], &left[i * width + j], pivot);
                qkv__real_multiply(&part[1], &part[1], &left[j * width + k]);
                qkv__real_subtract(&left[i * width + k], &left[i * width + k], &part[1]);
            }
        for (size_t i = j; i < width; i++)
            qkv__real_divide(&left[i * width + j], &left[i * width + j], &part[0]);
    }
    return true;
}

/* The spread of a covariance. */
static bool spread_of(qkv__scene *scene, const qkv__case_value *covariance, size_t width,
                      qkv__case_value *spread)
{
    bool plain = covariance->kind == QKV__CASE_IDENTITY;
    if (!plain && covariance->kind != QKV__CASE_MATRIX) return unable(scene);
    if (!plain && (covariance->rows != width || covariance->columns != width))
        return qkv__bench_fail(&scene->replay->bench, QKV__OBSTACLE_SHAPE);
    qkv__real *entry = qkv__bench_take(&scene->replay->bench, plain ? 1 : width * width);
    if (entry == NULL) return false;
    *spread = *covariance;
    spread->entry = entry;
    return plain ? deviation(scene, covariance->entry, entry) : factor(scene, covariance, entry);
}

/* Of how many dimensions vectors are whose mean is 0. */
static bool width_of(qkv__scene *scene, size_t statement, size_t *width)
{
    const qkv__statement *declared = scene->replay->statement[statement];
    const qkv__node *dimension = qkv__law_dimension(declared);
    qkv__rational number;
    *width = strcmp(declared->text, "values") == 0 ? scene->replay->value_dimension
                                                   : scene->replay->dimension;
    if (dimension != NULL) {
        if (!qkv__replay_number(scene, dimension, &number)) return false;
        if (!qkv__rational_is_whole(number) || number.numerator < 1) return vague(scene);
        *width = (size_t)number.numerator;
    }
    return *width <= QKV__REPLAY_SIDE || qkv__bench_fail(&scene->replay->bench, QKV__OBSTACLE_ROOM);
}

/* The mean of a vector, which may be written 0. */
static bool mean_of(qkv__scene *scene, size_t statement, const qkv__node *node,
                    qkv__case_value *mean)
{
    size_t width;
    if (node->kind != QKV__NODE_NUMBER || !qkv__rational_is_zero(node->value)) {
        if (!qkv__replay_evaluate(scene, node, mean)) return false;
        return mean->kind == QKV__CASE_VECTOR || unable(scene);
    }
    if (!width_of(scene, statement, &width)) return false;
    qkv__real *entry = qkv__bench_take(&scene->replay->bench, width);
    for (size_t i = 0; entry != NULL && i < width; i++) qkv__real_set_whole(&entry[i], 0);
    *mean =
        (qkv__case_value){.kind = QKV__CASE_VECTOR, .rows = width, .columns = 1, .entry = entry};
    return entry != NULL;
}

/* The law of one key; `index` is the name that stands for it in mean and covariance. */
static bool law_of(qkv__scene *outer, size_t statement, const qkv__node *declared,
                   const qkv__local *index, size_t member, qkv__replay_law *law)
{
    assert(declared->kind == QKV__NODE_COMPARE);
    qkv__replay *replay = outer->replay;
    qkv__scene scene = *outer;
    const qkv__node *call = declared->child[1];
    qkv__case_value covariance;
    for (size_t i = 0; i < replay->draw.law_count; i++)
        if (replay->law[i].statement == statement && replay->law[i].member == member) {
            *law = replay->law[i];
            return true;
        }
    scene.position = statement;
    scene.locals = index;
    *law = (qkv__replay_law){.statement = statement, .member = member};
    if (!mean_of(&scene, statement, call->child[0], &law->mean) ||
        !qkv__replay_evaluate(&scene, call->child[1], &covariance))
        return false;
    if (!spread_of(&scene, &covariance, law->mean.rows, &law->spread)) return false;
    if (replay->draw.is_first && replay->draw.law_count < QKV__REPLAY_LAWS)
        replay->law[replay->draw.law_count++] = *law;
    return true;
}

/* row += factor g, coordinate by coordinate, for entries of the spread that stand `step` apart. */
static void add_noise(qkv__real *part, double g, const qkv__real *spread, size_t step,
                      qkv__real *row, size_t count)
{
    qkv__real_set_near(&part[0], g, 0.0);
    for (size_t i = 0; i < count; i++) {
        qkv__real_multiply(&part[1], &spread[i * step], &part[0]);
        qkv__real_add(&row[i], &row[i], &part[1]);
    }
}

/* One key in the draw at hand. */
static bool draw_key(qkv__scene *scene, size_t statement, const qkv__node *declared,
                     const qkv__local *index, size_t member, qkv__case_value *key)
{
    qkv__replay_law law;
    if (!law_of(scene, statement, declared, index, member, &law)) return false;
    const size_t width = law.mean.rows;
    const bool plain = law.spread.kind == QKV__CASE_IDENTITY;
    qkv__real *row = qkv__bench_take(&scene->replay->bench, width + 2);
    if (row == NULL) return false;
    for (size_t i = 0; i < width; i++) qkv__real_set(&row[i], &law.mean.entry[i]);
    for (size_t i = 0; i < width; i++) {
        const qkv__real *diagonal = &law.spread.entry[plain ? 0 : i * width + i];
        if (qkv__real_sign(diagonal) == 0) continue;
        double g = qkv__replay_noise(scene->replay, statement, member, i);
        add_noise(row + width, g, diagonal, width, row + i, plain ? 1 : width - i);
    }
    *key = (qkv__case_value){.kind = QKV__CASE_VECTOR, .rows = width, .columns = 1, .entry = row};
    return true;
}

/* How many keys there are: as written, as there are means, or as all families of the problem. */
static bool count_keys(qkv__scene *outer, const qkv__drawn *law, size_t *count,
                       const char *const **names)
{
    const qkv__node *range = law->range;
    const qkv__node *base =
        law->index == NULL ? NULL : qkv__law_indexed_by(law->value[0], law->index->text);
    qkv__case_value means;
    qkv__rational number;
    *names = NULL;
    if (range == NULL && base != NULL) {
        if (!qkv__replay_evaluate(outer, base, &means)) return false;
        if (means.kind != QKV__CASE_FAMILY) return unable(outer);
        *count = means.rows;
        *names = means.names;
        return *count > 0 || unable(outer);
    }
    if (range == NULL) range = qkv__law_common_range(outer->replay->statement[0]);
    if (range == NULL || range->child[0]->kind != QKV__NODE_NUMBER ||
        qkv__rational_compare(range->child[0]->value, qkv__rational_whole(1)) != 0)
        return unable(outer);
    if (!qkv__replay_number(outer, range->child[1], &number)) return false;
    if (!qkv__rational_is_whole(number) || number.numerator < 1) return vague(outer);
    if (number.numerator > MOST_KEYS)
        return qkv__bench_fail(&outer->replay->bench, QKV__OBSTACLE_ROOM);
    *count = (size_t)number.numerator;
    return true;
}

/* All keys of a family by the declaration for every index. */
static bool draw_all(qkv__scene *scene, size_t statement, const qkv__node *declared,
                     const qkv__drawn *law, qkv__case_value *keys)
{
    assert(declared->kind == QKV__NODE_COMPARE);
    qkv__scene outer = {.replay = scene->replay, .position = statement, .depth = scene->depth + 1};
    const char *const *names;
    size_t count;
    qkv__case_value key;
    qkv__real *entry = NULL;
    if (!count_keys(&outer, law, &count, &names)) return false;
    for (size_t i = 0; i < count; i++) {
        qkv__local index = {
            .name = law->index == NULL ? "" : law->index->text, .member = i, .count = count};
        if (!draw_key(&outer, statement, declared, law->index == NULL ? NULL : &index, i, &key))
            return false;
        if (i == 0) entry = qkv__bench_take(&scene->replay->bench, count * key.rows);
        if (entry == NULL) return false;
        for (size_t j = 0; j < key.rows; j++)
            qkv__real_set(&entry[i * key.rows + j], &key.entry[j]);
    }
    *keys = (qkv__case_value){.kind = QKV__CASE_FAMILY,
                              .rows = count,
                              .columns = key.rows,
                              .entry = entry,
                              .names = names};
    return true;
}

/* One key by a declaration of its own: keys k[a] ~ normal(...). */
static bool draw_one(qkv__scene *scene, size_t statement, const qkv__node *declared,
                     const qkv__drawn *law, qkv__case_value *keys)
{
    qkv__scene outer = {.replay = scene->replay, .position = statement, .depth = scene->depth + 1};
    qkv__case_value key;
    size_t member;
    if (keys->entry == NULL) return unable(scene);
    if (!qkv__replay_member(&outer, law->index, keys->names, keys->rows, &member) ||
        !draw_key(&outer, statement, declared, NULL, member, &key))
        return false;
    if (key.rows != keys->columns)
        return qkv__bench_fail(&scene->replay->bench, QKV__OBSTACLE_SHAPE);
    qkv__real *entry = qkv__bench_take(&scene->replay->bench, keys->rows * keys->columns);
    if (entry == NULL) return false;
    for (size_t i = 0; i < keys->rows * keys->columns; i++)
        qkv__real_set(&entry[i], i / keys->columns == member ? &key.entry[i % keys->columns]
                                                             : &keys->entry[i]);
    keys->entry = entry;
    return true;
}

static bool draw_family(qkv__scene *scene, const char *family, size_t last, qkv__case_value *keys)
{
    for (size_t s = 0; s <= last; s++) {
        qkv__drawn law;
        const qkv__node *declared = declaration_of(scene->replay->statement[s], family, &law);
        if (declared == NULL) continue;
        bool picked = law.index != NULL && law.range == NULL &&
                      qkv__replay_is_picked(scene->replay, law.index, s);
        if (!(picked ? draw_one(scene, s, declared, &law, keys)
                     : draw_all(scene, s, declared, &law, keys)))
            return false;
    }
    assert(keys->entry != NULL); /* the last statement declares some */
    return true;
}

/* ---- Numbers that are drawn ---------------------------------------------------------------- */

static bool undefined(qkv__scene *scene)
{
    return qkv__bench_fail(&scene->replay->bench, QKV__OBSTACLE_UNDEFINED);
}

/* The sign of x - y; false where there is none for certain. */
static bool sign_between(qkv__scene *scene, const qkv__real *x, const qkv__real *y, int *sign)
{
    qkv__real *part = qkv__bench_take(&scene->replay->bench, 1);
    if (part == NULL) return false;
    qkv__real_subtract(part, x, y);
    *sign = qkv__real_sign(part);
    return *sign != QKV__SIGN_OPEN || vague(scene);
}

/* -ln(1 - Phi(g)), without the loss of digits where Phi(g) is small. */
static double waited(double g)
{
    return g > 0.0 ? -log(0.5 * erfc(g / sqrt(2.0))) : -log1p(-0.5 * erfc(-g / sqrt(2.0)));
}

/* Each law as a function of a standard normal number g: mean + deviation*g; a + (b - a)*Phi(g); 1
 * where Phi(g) is below p; and -ln(1 - Phi(g))/rate. */
static bool draw_by_law(qkv__scene *scene, const qkv__drawn *law, double g,
                        const qkv__case_value *value, qkv__real *part)
{
    const qkv__real *x = value[0].entry;
    const double below = 0.5 * erfc(-g / sqrt(2.0));
    int sign;
    qkv__real_set_near(&part[1], law->kind == QKV__LAW_NORMAL ? g : below, 0.0);
    switch (law->kind) {
    case QKV__LAW_NORMAL:
        if (!deviation(scene, value[1].entry, &part[0])) return false;
        break;
    case QKV__LAW_UNIFORM:
        if (!sign_between(scene, x, value[1].entry, &sign)) return false;
        if (sign >= 0) return undefined(scene);
        qkv__real_subtract(&part[0], value[1].entry, x);
        break;
    case QKV__LAW_BERNOULLI:
        qkv__real_set_whole(&part[0], 1);
        if (!sign_between(scene, x, &part[0], &sign)) return false;
        if (sign > 0) return undefined(scene);
        qkv__real_set_whole(&part[0], 0);
        if (!sign_between(scene, x, &part[0], &sign)) return false;
        if (sign < 0) return undefined(scene);
        qkv__real_set_whole(&part[2], below < qkv__real_middle(x) ? 1 : 0);
        return true;
    case QKV__LAW_EXPONENTIAL:
        qkv__real_set_whole(&part[0], 0);
        if (!sign_between(scene, x, &part[0], &sign)) return false;
        if (sign <= 0) return undefined(scene);
        qkv__real_set_near(&part[1], waited(g), 0.0);
        qkv__real_divide(&part[2], &part[1], x);
        return true;
    }
    qkv__real_multiply(&part[2], &part[0], &part[1]);
    qkv__real_add(&part[2], &part[2], x);
    return true;
}

static bool draw_number(qkv__scene *scene, size_t statement, const qkv__drawn *law,
                        qkv__case_value *number)
{
    qkv__scene outer = {.replay = scene->replay, .position = statement, .depth = scene->depth + 1};
    qkv__case_value value[2];
    qkv__real *part = qkv__bench_take(&scene->replay->bench, 3);
    if (part == NULL) return false;
    for (size_t i = 0; i < law->count; i++) {
        if (!qkv__replay_evaluate(&outer, law->value[i], &value[i])) return false;
        if (value[i].kind != QKV__CASE_SCALAR) return unable(scene);
    }
    double g = qkv__replay_noise(scene->replay, statement, 0, 0);
    if (!draw_by_law(&outer, law, g, value, part)) return false;
    *number =
        (qkv__case_value){.kind = QKV__CASE_SCALAR, .rows = 1, .columns = 1, .entry = &part[2]};
    return true;
}

bool qkv__replay_draw_value(qkv__scene *scene, const char *name, size_t last,
                            qkv__case_value *value)
{
    assert(last < qkv__replay_statements(scene->replay));
    const qkv__statement *statement = scene->replay->statement[last];
    qkv__scene outer = {.replay = scene->replay, .position = last, .depth = scene->depth + 1};
    qkv__drawn law;
    *value = (qkv__case_value){0};
    assert(scene->depth < QKV__REPLAY_DEPTH); /* who asks has looked */
    if (!qkv__law_read(statement->node[0], &law)) return unable(scene);
    if (qkv__law_is_of_number(statement)) return draw_number(scene, last, &law, value);
    return law.single ? draw_key(&outer, last, statement->node[0], NULL, 0, value)
                      : draw_family(scene, name, last, value);
}
