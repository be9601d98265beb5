/* Expressions and events of a claim to programs on samples. What is not random is a number of the
 * exact engine; weights, scores, inner products with keys and norms are the lab's quantities; the
 * rest is arithmetic. Knows nothing of laws. */
#include <assert.h>
#include <string.h>

#include "claim/model/binding.h"
#include "claim/model/evaluate.h"
#include "claim/model/random_parameters.h"
#include "claim/sample/sample_part.h"
#include "language/builtin.h"
#include "language/tree.h"

static int constant_of(qkv__sample *sample, const qkv__node *node, bool *known);

static int fail(qkv__sample *sample, const char *message)
{
    return qkv__sample_fail(sample, "%s", message), -1;
}

static bool evaluate(qkv__sample *sample, const qkv__node *node, qkv__value *value)
{
    return qkv__model_value(sample->s->model, node, sample->locals, value);
}

/* ---- What is not random -------------------------------------------------------------------- */

/* A number that the exact engine knows and that has no chance in it; factor * sqrt(radicand). */
static int constant_of(qkv__sample *sample, const qkv__node *node, bool *known)
{
    qkv__value value;
    double factor, radicand;
    *known = false;
    if (!evaluate(sample, node, &value) || value.kind != QKV__VALUE_SCALAR ||
        qkv__random_touches(sample->s->model, value.scalar.factor) ||
        qkv__random_touches(sample->s->model, value.scalar.radicand))
        return -1;
    *known = true;
    if (!qkv__sample_number(sample, value.scalar.factor, &factor) ||
        !qkv__sample_number(sample, value.scalar.radicand, &radicand))
        return -1;
    int root = qkv__sample_constant(sample, radicand);
    return qkv__sample_apply(sample, QKV__SAMPLE_MULTIPLY, qkv__sample_constant(sample, factor),
                             qkv__sample_apply(sample, QKV__SAMPLE_ROOT, root, root));
}

static bool is_random_vector(const qkv__sample *sample, const qkv__vector *vector)
{
    for (size_t i = 0; i < vector->count; i++)
        if (qkv__random_touches(sample->s->model, vector->component[i].factor)) return true;
    return qkv__random_is_noisy(vector);
}

/* A vector that the exact engine knows and that has no chance in it. */
static bool fixed_vector(qkv__sample *sample, const qkv__node *node, const qkv__vector **vector)
{
    qkv__value value;
    return evaluate(sample, node, &value) && value.kind != QKV__VALUE_RESULT &&
           qkv__value_as_vector(&value, vector) && *vector != NULL &&
           !is_random_vector(sample, *vector);
}

/* ---- Members ------------------------------------------------------------------------------- */

/* c.weight[a], c.score[a]; false: it is no such thing. */
static bool read_member(qkv__sample *sample, const qkv__node *node, int *step)
{
    assert(node->kind == QKV__NODE_INDEX);
    const qkv__node *member = node->child[0];
    qkv__sample_result result;
    size_t key;
    *step = -1;
    if (node->count != 2 || member->kind != QKV__NODE_MEMBER) return false;
    bool weight = strcmp(member->text, "weight") == 0;
    if (!weight && strcmp(member->text, "score") != 0) return false;
    if (!qkv__sample_result_of(sample, member->child[0], &result) ||
        !qkv__sample_member(sample, node->child[1], &key))
        return true;
    if (weight)
        *step = qkv__sample_weight(sample, &result, key);
    else if (result.count == 1)
        *step = qkv__sample_quantity(sample, QKV_LAB_SCORE, key, (size_t)result.part[0].head);
    else
        fail(sample, "a mean of heads has no .score of its own");
    return true;
}

static int key_norm(qkv__sample *sample, size_t key)
{
    if (!sample->has_width)
        return fail(sample, "norms of noisy keys depend on the dimension: say dimension d of the "
                            "means, and at d = ...");
    sample->full_keys = true;
    return qkv__sample_quantity(sample, QKV_LAB_KEY_NORM, key, 0);
}

/* ---- Sums over indices --------------------------------------------------------------------- */

/* The body for one key. */
static int one_of(qkv__sample *sample, const qkv__node *sum, size_t key)
{
    assert(sum->kind == QKV__NODE_SUM);
    const qkv__binding *locals = sample->locals;
    const qkv__sample_index *indices = sample->indices;
    size_t marks = sample->keys->set->mark_count;
    int member = key < marks ? (int)key : QKV__GENERIC;
    qkv__binding local = qkv__index_binding(sum->text, sample->keys->set, member, locals);
    qkv__sample_index index = {sum->text, key, indices};
    sample->locals = &local;
    sample->indices = &index;
    int step = qkv__sample_expression(sample, sum->child[0]);
    sample->locals = locals;
    sample->indices = indices;
    return step;
}

/* An index of a sum around this one may be one of the unmarked: it is left out by its number. */
static bool is_left_out(qkv__sample *sample, const qkv__node *domain, const bool *marks, size_t key)
{
    assert(domain->kind == QKV__NODE_COMPARE);
    size_t other;
    const qkv__node *over = domain->child[1];
    bool bound = false;
    for (const qkv__sample_index *i = sample->indices; i != NULL; i = i->next)
        bound = bound || (over->kind == QKV__NODE_NAME && strcmp(i->name, over->text) == 0);
    if (bound && domain->comparison != QKV__IN)
        return qkv__sample_member(sample, over, &other) && other == key;
    return marks[key < sample->keys->set->mark_count ? key : QKV__MARKS];
}

/* Weights of different keys sum to 1 at most. */
static bool is_weight(const qkv__node *sum)
{
    assert(sum->kind == QKV__NODE_SUM);
    const qkv__node *body = sum->child[0];
    return body->kind == QKV__NODE_INDEX && body->count == 2 &&
           body->child[0]->kind == QKV__NODE_MEMBER &&
           strcmp(body->child[0]->text, "weight") == 0 && qkv__node_is(body->child[1], sum->text);
}

static int fold(qkv__sample *sample, const qkv__node *sum, const char *name)
{
    assert(sum->kind == QKV__NODE_SUM);
    const qkv__node *domain = sum->child[1], *culprit = domain;
    qkv__failure failure = {0};
    qkv__evaluation e = {
        .model = sample->s->model, .locals = NULL, .failure = &failure, .culprit = &culprit};
    bool left_out[QKV__MARKS + 1] = {false};
    qkv__index_set *set = sample->keys->set;
    qkv__sample_operation operation = strcmp(name, "max") == 0   ? QKV__SAMPLE_GREATEST
                                      : strcmp(name, "min") == 0 ? QKV__SAMPLE_LEAST
                                                                 : QKV__SAMPLE_ADD;
    bool bound = false;
    for (const qkv__sample_index *i = sample->indices; i != NULL; i = i->next)
        bound = bound || (domain->child[1]->kind == QKV__NODE_NAME &&
                          strcmp(i->name, domain->child[1]->text) == 0);
    if (!bound && !qkv__evaluate_domain(&e, domain, &set, left_out))
        return qkv__sample_fail(sample, "%s", failure.message), -1;
    if (set != sample->keys->set) return fail(sample, "a sum over something other than keys");
    int result = -1;
    size_t met = 0;
    for (size_t key = 0; key < sample->count; key++) {
        if (is_left_out(sample, domain, left_out, key)) continue;
        int step = one_of(sample, sum, key);
        result = met++ == 0 ? step : qkv__sample_apply(sample, operation, result, step);
        if (result < 0) return -1;
    }
    if (met == 0) return qkv__sample_constant(sample, 0.0);
    if (met > 1 && operation == QKV__SAMPLE_ADD && is_weight(sum))
        sample->step[result].high = 1.0 + 1e-12;
    if (strcmp(name, "mean") != 0) return result;
    return qkv__sample_apply(sample, QKV__SAMPLE_DIVIDE, result,
                             qkv__sample_constant(sample, (double)met));
}

/* ---- Vectors ------------------------------------------------------------------------------- */

/* The family of values that outputs are combinations of: orthogonal, all of one length. */
static const qkv__family *values_of(qkv__sample *sample, const qkv__node *node)
{
    qkv__sample_result result;
    if (qkv__sample_is_result(sample, node)) {
        if (!qkv__sample_result_of(sample, node, &result)) return NULL;
        const qkv__vectors *values = result.part[0].values;
        const qkv__vector *one = values->set->mark_count > 0 ? values->mark[0] : values->generic;
        return one == NULL || one->count == 0 ? NULL : one->component[0].symbol.family;
    }
    for (size_t i = 0; i < node->count; i++) {
        const qkv__family *family = values_of(sample, node->child[i]);
        if (family != NULL) return family;
    }
    return NULL;
}

/* The output of a result: each value with its key's weight. */
static bool output_steps(qkv__sample *sample, const qkv__node *node, const qkv__family *family,
                         int *steps)
{
    qkv__sample_result result;
    if (!qkv__sample_result_of(sample, node, &result)) return false;
    size_t n = sample->count, marks = sample->keys->set->mark_count;
    double *row = qkv__arena_array(&sample->arena, n, sizeof *row);
    if (row == NULL) return qkv__sample_fail(sample, "out of memory");
    for (size_t i = 0; i < n; i++) steps[i] = qkv__sample_constant(sample, 0.0);
    for (size_t p = 0; p < result.count; p++)
        for (size_t key = 0; key < n; key++) {
            const qkv__vectors *values = result.part[p].values;
            qkv__sample_result alone = {.count = 1};
            alone.part[0] = result.part[p];
            int weight = qkv__sample_weight(sample, &alone, key);
            memset(row, 0, n * sizeof *row);
            if (!qkv__sample_coefficients(sample, key < marks ? values->mark[key] : values->generic,
                                          family, (ptrdiff_t)key, row))
                return false;
            for (size_t i = 0; i < n; i++) {
                if (row[i] == 0.0) continue;
                int part = qkv__sample_apply(sample, QKV__SAMPLE_MULTIPLY, weight,
                                             qkv__sample_constant(sample, row[i]));
                steps[i] = qkv__sample_apply(sample, QKV__SAMPLE_ADD, steps[i], part);
                if (steps[i] < 0) return false;
            }
        }
    return true;
}

static bool vector_steps(qkv__sample *sample, const qkv__node *node, const qkv__family *family,
                         int *steps)
{
    qkv__arena *arena = &sample->arena;
    size_t n = sample->count;
    const qkv__vector *fixed;
    if (fixed_vector(sample, node, &fixed)) {
        double *row = qkv__arena_array(arena, n, sizeof *row);
        if (row == NULL || !qkv__sample_coefficients(sample, fixed, family, -1, row))
            return qkv__sample_fail(sample, "out of memory");
        for (size_t i = 0; i < n; i++)
            if ((steps[i] = qkv__sample_constant(sample, row[i])) < 0) return false;
        return true;
    }
    if (qkv__sample_is_result(sample, node)) return output_steps(sample, node, family, steps);
    bool sum = node->kind == QKV__NODE_ADD || node->kind == QKV__NODE_SUBTRACT;
    if (sum || node->kind == QKV__NODE_NEGATE) {
        int *other = qkv__arena_array(arena, n, sizeof *other);
        if (other == NULL) return qkv__sample_fail(sample, "out of memory");
        if (!vector_steps(sample, node->child[sum ? 1 : 0], family, other) ||
            (sum && !vector_steps(sample, node->child[0], family, steps)))
            return false;
        for (size_t i = 0; i < n; i++) {
            int left = sum ? steps[i] : qkv__sample_constant(sample, 0.0);
            steps[i] = qkv__sample_apply(
                sample, node->kind == QKV__NODE_ADD ? QKV__SAMPLE_ADD : QKV__SAMPLE_SUBTRACT, left,
                other[i]);
            if (steps[i] < 0) return false;
        }
        return true;
    }
    if (node->kind == QKV__NODE_MULTIPLY || node->kind == QKV__NODE_DIVIDE) {
        bool divide = node->kind == QKV__NODE_DIVIDE;
        int factor = qkv__sample_expression(sample, node->child[divide ? 1 : 0]);
        if (factor < 0 || !vector_steps(sample, node->child[divide ? 0 : 1], family, steps))
            return false;
        for (size_t i = 0; i < n; i++)
            steps[i] = qkv__sample_apply(sample, divide ? QKV__SAMPLE_DIVIDE : QKV__SAMPLE_MULTIPLY,
                                         steps[i], factor);
        return true;
    }
    return qkv__sample_fail(sample, "a vector that cannot be sampled");
}

bool qkv__sample_vector(qkv__sample *sample, const qkv__node *node, int *steps, double *square)
{
    const qkv__family *family = values_of(sample, node);
    double different;
    if (family == NULL) return qkv__sample_fail(sample, "a vector that cannot be sampled");
    if (family->gram != QKV__GRAM_UNIFORM || family->set != sample->keys->set ||
        !qkv__sample_number(sample, family->different, &different) || different != 0.0)
        return qkv__sample_fail(sample, "the distance of outputs needs orthogonal values: "
                                        "values v[1..n] orthonormal");
    return qkv__sample_number(sample, family->same, square) &&
           vector_steps(sample, node, family, steps);
}

/* |x|, the norm of a key or of a difference of outputs. */
static int vector_norm(qkv__sample *sample, const qkv__node *node)
{
    size_t key;
    double square = 0.0;
    if (qkv__sample_key(sample, node, &key)) return key_norm(sample, key);
    int *steps = qkv__arena_array(&sample->arena, sample->count, sizeof *steps);
    if (steps == NULL || !qkv__sample_vector(sample, node, steps, &square)) return -1;
    int sum = qkv__sample_constant(sample, 0.0);
    for (size_t i = 0; i < sample->count; i++)
        sum =
            qkv__sample_apply(sample, QKV__SAMPLE_ADD, sum,
                              qkv__sample_apply(sample, QKV__SAMPLE_MULTIPLY, steps[i], steps[i]));
    sum =
        qkv__sample_apply(sample, QKV__SAMPLE_MULTIPLY, sum, qkv__sample_constant(sample, square));
    return qkv__sample_apply(sample, QKV__SAMPLE_ROOT, sum, sum);
}

/* ---- Inner products ------------------------------------------------------------------------ */

/* x.w for a vector w that is not random and an x that is linear in keys. */
static int dot_fixed(qkv__sample *sample, const qkv__node *x, const qkv__vector *w)
{
    size_t key;
    if (qkv__sample_key(sample, x, &key)) {
        int head = qkv__sample_head(sample, w, 1.0);
        return head < 0 ? -1 : qkv__sample_quantity(sample, QKV_LAB_SCORE, key, (size_t)head);
    }
    const qkv__vector *fixed;
    if (fixed_vector(sample, x, &fixed)) {
        double number;
        qkv__ratio dot = qkv__vector_dot(&sample->s->model->space, fixed, w);
        return qkv__sample_number(sample, dot, &number) ? qkv__sample_constant(sample, number) : -1;
    }
    switch (x->kind) {
    case QKV__NODE_ADD:
        return qkv__sample_apply(sample, QKV__SAMPLE_ADD, dot_fixed(sample, x->child[0], w),
                                 dot_fixed(sample, x->child[1], w));
    case QKV__NODE_SUBTRACT:
        return qkv__sample_apply(sample, QKV__SAMPLE_SUBTRACT, dot_fixed(sample, x->child[0], w),
                                 dot_fixed(sample, x->child[1], w));
    case QKV__NODE_NEGATE:
        return qkv__sample_apply(sample, QKV__SAMPLE_SUBTRACT, qkv__sample_constant(sample, 0.0),
                                 dot_fixed(sample, x->child[0], w));
    case QKV__NODE_MULTIPLY:
        return qkv__sample_apply(sample, QKV__SAMPLE_MULTIPLY,
                                 qkv__sample_expression(sample, x->child[0]),
                                 dot_fixed(sample, x->child[1], w));
    case QKV__NODE_DIVIDE:
        return qkv__sample_apply(sample, QKV__SAMPLE_DIVIDE, dot_fixed(sample, x->child[0], w),
                                 qkv__sample_expression(sample, x->child[1]));
    default: return fail(sample, "an inner product that cannot be sampled");
    }
}

static int dot(qkv__sample *sample, const qkv__node *x, const qkv__node *y)
{
    const qkv__vector *fixed;
    if (fixed_vector(sample, y, &fixed)) return dot_fixed(sample, x, fixed);
    if (fixed_vector(sample, x, &fixed)) return dot_fixed(sample, y, fixed);
    return fail(sample, "an inner product of two random vectors cannot be sampled");
}

/* The cosine of a key's angle with a vector that is not random. */
static int cosine(qkv__sample *sample, const qkv__node *x, const qkv__node *y)
{
    const qkv__vector *fixed;
    size_t key;
    double square;
    if (!fixed_vector(sample, y, &fixed)) {
        const qkv__node *other = x;
        x = y;
        y = other;
    }
    if (!fixed_vector(sample, y, &fixed) || !qkv__sample_key(sample, x, &key))
        return fail(sample, "a cosine is sampled of a key and a vector that is not random");
    if (!qkv__sample_number(sample, qkv__vector_dot(&sample->s->model->space, fixed, fixed),
                            &square))
        return -1;
    int length = qkv__sample_constant(sample, square), norm = key_norm(sample, key);
    length = qkv__sample_apply(sample, QKV__SAMPLE_ROOT, length, length);
    int quotient = qkv__sample_apply(sample, QKV__SAMPLE_DIVIDE, dot_fixed(sample, x, fixed),
                                     qkv__sample_apply(sample, QKV__SAMPLE_MULTIPLY, norm, length));
    int high =
        qkv__sample_apply(sample, QKV__SAMPLE_LEAST, quotient, qkv__sample_constant(sample, 1.0));
    return qkv__sample_apply(sample, QKV__SAMPLE_GREATEST, high,
                             qkv__sample_constant(sample, -1.0));
}

/* ---- Numbers ------------------------------------------------------------------------------- */

static int call(qkv__sample *sample, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_CALL);
    static const struct {
        bool taken, several;
        qkv__sample_operation operation;
    } rows[QKV__BUILTINS] = {
        [QKV__BUILTIN_ABS] = {true, false, QKV__SAMPLE_SIZE},
        [QKV__BUILTIN_EXP] = {true, false, QKV__SAMPLE_EXPONENTIAL},
        [QKV__BUILTIN_LN] = {true, false, QKV__SAMPLE_LOGARITHM},
        [QKV__BUILTIN_MAX] = {true, true, QKV__SAMPLE_GREATEST},
        [QKV__BUILTIN_MEAN] = {true, true, QKV__SAMPLE_ADD},
        [QKV__BUILTIN_MIN] = {true, true, QKV__SAMPLE_LEAST},
        [QKV__BUILTIN_SQRT] = {true, false, QKV__SAMPLE_ROOT},
    };
    qkv__builtin function = qkv__builtin_of(node);
    if (qkv__call_is_over(node)) return fold(sample, node->child[0], node->text);
    if (function == QKV__BUILTIN_COS && node->count == 2)
        return cosine(sample, node->child[0], node->child[1]);
    if (function == QKV__BUILTIN_NORM && node->count == 1)
        return vector_norm(sample, node->child[0]);
    if (!rows[function].taken || node->count == 0)
        return fail(sample, "a call that cannot be sampled");
    qkv__sample_operation operation = rows[function].operation;
    int step = qkv__sample_expression(sample, node->child[0]);
    if (!rows[function].several)
        return node->count == 1 ? qkv__sample_apply(sample, operation, step, step)
                                : fail(sample, "a function of one argument");
    for (size_t k = 1; k < node->count; k++)
        step = qkv__sample_apply(sample, operation, step,
                                 qkv__sample_expression(sample, node->child[k]));
    if (function != QKV__BUILTIN_MEAN) return step;
    return qkv__sample_apply(sample, QKV__SAMPLE_DIVIDE, step,
                             qkv__sample_constant(sample, (double)node->count));
}

/* x^2, x^-1: small whole powers. */
static int power(qkv__sample *sample, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_POWER);
    const qkv__node *exponent = node->child[1];
    int64_t most = 16, count = exponent->value.numerator;
    if (exponent->kind != QKV__NODE_NUMBER || !qkv__rational_is_whole(exponent->value) ||
        count < 1 || count > most)
        return fail(sample, "only whole powers up to 16 are sampled");
    int base = qkv__sample_expression(sample, node->child[0]);
    if (count == 1) return base;
    int square = qkv__sample_apply(sample, QKV__SAMPLE_MULTIPLY, base, base), result = square;
    for (int64_t i = 2; i + 1 < count; i += 2)
        result = qkv__sample_apply(sample, QKV__SAMPLE_MULTIPLY, result, square);
    return count % 2 == 0 ? result : qkv__sample_apply(sample, QKV__SAMPLE_MULTIPLY, result, base);
}

static bool is_vector(qkv__sample *sample, const qkv__node *node)
{
    qkv__value value;
    size_t key;
    const qkv__vector *vector;
    if (qkv__sample_key(sample, node, &key) || qkv__sample_is_result(sample, node)) return true;
    if (evaluate(sample, node, &value)) return qkv__value_as_vector(&value, &vector);
    bool inside = node->kind == QKV__NODE_ADD || node->kind == QKV__NODE_SUBTRACT ||
                  node->kind == QKV__NODE_NEGATE || node->kind == QKV__NODE_MULTIPLY ||
                  node->kind == QKV__NODE_DIVIDE;
    for (size_t i = 0; inside && i < node->count; i++)
        if (is_vector(sample, node->child[i])) return true;
    return false;
}

int qkv__sample_expression(qkv__sample *sample, const qkv__node *node)
{
    static const struct {
        qkv__node_kind kind;
        qkv__sample_operation operation;
    } arithmetic[] = {{QKV__NODE_ADD, QKV__SAMPLE_ADD},
                      {QKV__NODE_SUBTRACT, QKV__SAMPLE_SUBTRACT},
                      {QKV__NODE_MULTIPLY, QKV__SAMPLE_MULTIPLY},
                      {QKV__NODE_DIVIDE, QKV__SAMPLE_DIVIDE}};
    bool known;
    int step = constant_of(sample, node, &known);
    if (known) return step;
    for (size_t i = 0; i < sizeof arithmetic / sizeof arithmetic[0]; i++)
        if (node->kind == arithmetic[i].kind) {
            int left = qkv__sample_expression(sample, node->child[0]);
            int right = left < 0 ? -1 : qkv__sample_expression(sample, node->child[1]);
            return qkv__sample_apply(sample, arithmetic[i].operation, left, right);
        }
    switch (node->kind) {
    case QKV__NODE_NEGATE:
        return qkv__sample_apply(sample, QKV__SAMPLE_SUBTRACT, qkv__sample_constant(sample, 0.0),
                                 qkv__sample_expression(sample, node->child[0]));
    case QKV__NODE_POWER: return power(sample, node);
    case QKV__NODE_DOT: return dot(sample, node->child[0], node->child[1]);
    case QKV__NODE_SIZE:
        if (is_vector(sample, node->child[0])) return vector_norm(sample, node->child[0]);
        step = qkv__sample_expression(sample, node->child[0]);
        return qkv__sample_apply(sample, QKV__SAMPLE_SIZE, step, step);
    case QKV__NODE_INDEX:
        if (read_member(sample, node, &step)) return step;
        return fail(sample, "an index that cannot be sampled");
    case QKV__NODE_CALL: return call(sample, node);
    default: return fail(sample, "an expression that cannot be sampled");
    }
}

/* ---- Events -------------------------------------------------------------------------------- */

static int opposite(qkv__sample *sample, int event)
{
    return qkv__sample_apply(sample, QKV__SAMPLE_SUBTRACT, qkv__sample_constant(sample, 1.0),
                             event);
}

/* left (relation) right. */
static int relate(qkv__sample *sample, qkv__comparison comparison, const qkv__node *left,
                  const qkv__node *right)
{
    int x = qkv__sample_expression(sample, left);
    int y = x < 0 ? -1 : qkv__sample_expression(sample, right);
    switch (comparison) {
    case QKV__LESS:
    case QKV__LESS_OR_EQUAL: return qkv__sample_apply(sample, QKV__SAMPLE_BELOW, x, y);
    case QKV__GREATER:
    case QKV__GREATER_OR_EQUAL: return qkv__sample_apply(sample, QKV__SAMPLE_BELOW, y, x);
    case QKV__EQUAL: return qkv__sample_apply(sample, QKV__SAMPLE_EQUAL, x, y);
    case QKV__NOT_EQUAL:
        return opposite(sample, qkv__sample_apply(sample, QKV__SAMPLE_EQUAL, x, y));
    default: return fail(sample, "a relation that cannot be sampled");
    }
}

static int compare(qkv__sample *sample, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_COMPARE);
    const qkv__node *range = node->child[1];
    bool in = node->comparison == QKV__IN || node->comparison == QKV__NOT_IN;
    if (!in) return relate(sample, node->comparison, node->child[0], node->child[1]);
    if (range->kind != QKV__NODE_RANGE) return fail(sample, "a relation that cannot be sampled");
    int lower = relate(sample, QKV__GREATER_OR_EQUAL, node->child[0], range->child[0]);
    int upper = relate(sample, QKV__LESS_OR_EQUAL, node->child[0], range->child[1]);
    int both = qkv__sample_apply(sample, QKV__SAMPLE_LEAST, lower, upper);
    return node->comparison == QKV__IN ? both : opposite(sample, both);
}

int qkv__sample_event(qkv__sample *sample, const qkv__node *node)
{
    int x;
    switch (node->kind) {
    case QKV__NODE_COMPARE: return compare(sample, node);
    case QKV__NODE_NOT: return opposite(sample, qkv__sample_event(sample, node->child[0]));
    case QKV__NODE_AND:
    case QKV__NODE_OR:
        x = qkv__sample_event(sample, node->child[0]);
        return qkv__sample_apply(
            sample, node->kind == QKV__NODE_AND ? QKV__SAMPLE_LEAST : QKV__SAMPLE_GREATEST, x,
            x < 0 ? -1 : qkv__sample_event(sample, node->child[1]));
    case QKV__NODE_IMPLIES:
        x = opposite(sample, qkv__sample_event(sample, node->child[0]));
        return qkv__sample_apply(sample, QKV__SAMPLE_GREATEST, x,
                                 x < 0 ? -1 : qkv__sample_event(sample, node->child[1]));
    default: return fail(sample, "an event that cannot be sampled");
    }
}
