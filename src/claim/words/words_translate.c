/* From syntax to the words engine: declarations become atoms, definitions are written out,
 * assumptions become equations. Decides nothing. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "claim/model/binding.h"
#include "claim/model/evaluate.h"
#include "claim/words/words_part.h"
#include "language/builtin.h"
#include "language/tree.h"

const qkv__expression *qkv__words_fail(qkv__translation *t, const qkv__node *node,
                                       const char *message, const char *detail)
{
    if (t->message[0] == '\0') {
        t->culprit = node;
        snprintf(t->message, sizeof t->message, message, detail);
    }
    return NULL;
}

const qkv__expression *qkv__words_beyond(qkv__translation *t, const qkv__node *node,
                                         const char *message)
{
    if (t->message[0] == '\0') t->unable = true;
    return qkv__words_fail(t, node, "%s", message);
}

/* What the theory refused, at the node that asked for it. */
const qkv__expression *qkv__words_check(qkv__translation *t, const qkv__node *node,
                                        const qkv__expression *made)
{
    if (made == NULL && t->claiming && t->theory.error.status == QKV_ERROR_SHAPE)
        t->misshapen = true;
    return made != NULL ? made : qkv__words_fail(t, node, "%s", t->theory.error.message);
}

/* ---- Declarations -------------------------------------------------------------------- */

/* given m = n: the name that an equation says is the same size; NULL: none. */
static const char *same_size(const qkv__node *node, const char *name)
{
    if (node->kind != QKV__NODE_COMPARE || node->comparison != QKV__EQUAL ||
        node->child[0]->kind != QKV__NODE_NAME || node->child[1]->kind != QKV__NODE_NAME)
        return NULL;
    const char *left = node->child[0]->text, *right = node->child[1]->text;
    return strcmp(left, name) == 0 ? right : strcmp(right, name) == 0 ? left : NULL;
}

/* Calls `use` for everything that is given, in the problem and behind the claim. */
void qkv__words_each_premise(const qkv__translation *t,
                             void (*use)(const qkv__node *node, void *data), void *data)
{
    for (size_t i = 0; i < t->model->premise_count; i++) use(t->model->premise[i], data);
    for (size_t i = 0; t->circumstances != NULL && i < t->circumstances->count; i++)
        if (qkv__circumstance_is_premise(&t->circumstances->item[i]))
            use(t->circumstances->item[i].node, data);
}

/* Sizes that equations make one. */
typedef struct equal_sizes {
    size_t count;
    const char *name[QKV__DIMENSIONS];
} equal_sizes;

static void add_same(const qkv__node *node, void *data)
{
    equal_sizes *e = data;
    for (size_t i = 0; i < e->count; i++) {
        const char *other = same_size(node, e->name[i]);
        bool known = other == NULL;
        for (size_t j = 0; j < e->count && !known; j++) known = strcmp(e->name[j], other) == 0;
        if (!known && e->count < QKV__DIMENSIONS) e->name[e->count++] = other;
    }
}

/* Of sizes that are the same the first by the alphabet, or the number that one of them is. */
const char *qkv__words_one_name(const qkv__translation *t, const char *name,
                                const qkv__parameter **known)
{
    equal_sizes e = {.count = 1, .name = {name}};
    for (size_t before = 0; before < e.count;) {
        before = e.count;
        qkv__words_each_premise(t, add_same, &e);
    }
    *known = NULL;
    for (size_t i = 0; i < e.count; i++) {
        int parameter = qkv__parameter_find(&t->model->algebra, e.name[i]);
        const qkv__parameter *p = parameter < 0 ? NULL : &t->model->algebra.parameter[parameter];
        if (strcmp(e.name[i], name) < 0) name = e.name[i];
        if (p != NULL && (*known == NULL || p->upper.known)) *known = p;
    }
    return name;
}

static bool is_fixed(const qkv__parameter *known)
{
    return known->lower.known && known->upper.known && known->lower.value.numerator > 0 &&
           qkv__rational_is_whole(known->lower.value) &&
           qkv__rational_compare(known->lower.value, known->upper.value) == 0;
}

/* Whether a premise is one that sizes take into account: n = m, n >= 3, n = 2. */
void qkv__words_note_premise(const qkv__node *node, void *data)
{
    qkv__translation *t = data;
    bool names = node->kind == QKV__NODE_COMPARE && node->comparison <= QKV__GREATER_OR_EQUAL &&
                 node->child[0]->kind == QKV__NODE_NAME;
    bool same = names && node->comparison == QKV__EQUAL && node->child[1]->kind == QKV__NODE_NAME;
    bool bound =
        names && node->child[1]->kind == QKV__NODE_NUMBER && node->comparison != QKV__NOT_EQUAL;
    bool free = qkv__node_is_word(node);
    if (!same && !bound && !free) t->confined = true;
}

int qkv__words_dimension_of(qkv__translation *t, const qkv__node *node)
{
    if (node->kind == QKV__NODE_NUMBER && qkv__rational_is_whole(node->value) &&
        node->value.numerator > 0)
        return qkv__theory_size(&t->theory, (size_t)node->value.numerator);
    if (node->kind == QKV__NODE_NAME) {
        const qkv__parameter *known;
        const char *name = qkv__words_one_name(t, node->text, &known);
        if (known != NULL && is_fixed(known))
            return qkv__theory_size(&t->theory, (size_t)known->lower.value.numerator);
        int dimension = qkv__theory_dimension(&t->theory, name);
        /* A witness must respect `given n >= 3`. */
        if (dimension >= 0 && known != NULL) {
            const qkv__bound *lower = &known->lower, *upper = &known->upper;
            if (upper->known) t->confined = true; /* witnesses are not held to it */
            if (lower->known && lower->value.numerator > 0)
                t->theory.dimension[dimension].least =
                    (size_t)((lower->value.numerator + lower->value.denominator - 1) /
                             lower->value.denominator) +
                    (lower->strict && lower->value.denominator == 1 ? 1 : 0);
        }
        return dimension;
    }
    qkv__words_fail(t, node, "expected a size: a name or a whole number%s", "");
    return -1;
}

/* The atom of a declared matrix X[n,d], permutation P[n] or vector s[m], made when first met. */
static int atom_of(qkv__translation *t, const qkv__binding *binding)
{
    const qkv__node *node = binding->symbolic;
    int known = qkv__theory_find(&t->theory, binding->name);
    size_t sizes = node->kind == QKV__NODE_INDEX ? node->count - 1 : 0;
    bool matrix = strcmp(binding->symbolic_kind, "matrix") == 0;
    if (known >= 0) return known;
    if (sizes != (matrix ? 2u : 1u)) {
        qkv__words_fail(t, node,
                        matrix ? "a matrix needs its rows and columns: %s[n, d]"
                               : "its size is missing: %s[n]",
                        binding->name);
        return -1;
    }
    int rows = qkv__words_dimension_of(t, node->child[1]);
    int columns = matrix ? qkv__words_dimension_of(t, node->child[2]) : 0;
    if (rows < 0 || columns < 0) return -1;
    if (matrix) return qkv__theory_matrix(&t->theory, binding->name, rows, columns);
    if (strcmp(binding->symbolic_kind, "permutation") == 0)
        return qkv__theory_permutation(&t->theory, binding->name, rows);
    return qkv__theory_vector(&t->theory, binding->name, rows);
}

/* ---- Names and calls ----------------------------------------------------------------- */

/* A definition or function written out, with its arguments in place of their names. */
static const qkv__expression *write_out(qkv__translation *t, const qkv__node *node,
                                        const qkv__statement *function)
{
    assert(function->kind == QKV__STATEMENT_DEFINE);
    enum { MOST = 8 };
    const qkv__node *target = function->node[0];
    size_t parameters = target->kind == QKV__NODE_CALL ? target->count : 0;
    size_t given = node->kind == QKV__NODE_CALL ? node->count : 0;
    qkv__binding arguments[MOST];
    if (parameters != given || parameters > MOST)
        return qkv__words_fail(t, node, "%s has another number of arguments", node->text);
    if (t->depth >= QKV__WORDS_DEPTH)
        return qkv__words_fail(t, node, "%s is defined by itself", node->text);
    /* Arguments are syntax: they are kept as functions of nothing, with their own surroundings. */
    qkv__statement values[MOST];
    const qkv__node *pairs[MOST][2];
    for (size_t i = 0; i < parameters; i++) {
        pairs[i][0] = target->child[i];
        pairs[i][1] = node->child[i];
        values[i] = (qkv__statement){.count = 2, .node = pairs[i]};
        arguments[i] = (qkv__binding){.name = target->child[i]->text,
                                      .function = &values[i],
                                      .symbolic_scope = t->arguments,
                                      .next = i == 0 ? NULL : &arguments[i - 1]};
    }
    const qkv__binding *outer = t->arguments; /* of another function: not seen from here */
    t->depth++;
    t->arguments = parameters > 0 ? &arguments[parameters - 1] : NULL;
    const qkv__expression *result = qkv__words_translate(t, function->node[1]);
    t->arguments = outer;
    t->depth--;
    return result;
}

/* An argument's own names mean what they meant outside the function that it was given to. */
static const qkv__expression *translate_argument(qkv__translation *t, const qkv__node *node,
                                                 const qkv__binding *argument)
{
    const qkv__binding *inner = t->arguments;
    if (t->depth >= QKV__WORDS_DEPTH)
        return qkv__words_fail(t, node, "%s is defined by itself", node->text);
    t->depth++;
    t->arguments = argument->symbolic_scope;
    const qkv__expression *result = qkv__words_translate(t, argument->function->node[1]);
    t->arguments = inner;
    t->depth--;
    return result;
}

bool qkv__words_is_unknown(const qkv__translation *t, const qkv__node *node)
{
    return t->unknown != NULL && strcmp(t->unknown, node->text) == 0;
}

const qkv__expression *qkv__words_translate_name(qkv__translation *t, const qkv__node *node)
{
    if (qkv__words_is_unknown(t, node))
        return qkv__words_check(t, node, qkv__expression_identity(&t->theory, QKV__ANY_SIZE));
    for (const qkv__binding *b = t->arguments; b != NULL; b = b->next)
        if (strcmp(b->name, node->text) == 0) return translate_argument(t, node, b);
    const qkv__binding *binding = qkv__model_find(t->model, NULL, node->text);
    if (binding != NULL && binding->symbolic != NULL) {
        int atom = atom_of(t, binding);
        return atom < 0 ? qkv__words_check(t, node, NULL)
                        : qkv__words_check(t, node, qkv__expression_atom(&t->theory, atom));
    }
    if (binding != NULL && binding->function != NULL) return write_out(t, node, binding->function);
    if (strcmp(node->text, "I") == 0)
        return qkv__words_check(t, node, qkv__expression_identity(&t->theory, QKV__ANY_SIZE));
    qkv__value value;
    qkv__failure failure = {0};
    const qkv__node *culprit;
    if (t->theory.numbers) return qkv__words_translate_parameter(t, node);
    if (qkv__model_evaluate(t->model, node, NULL, &value, &failure, &culprit) ||
        failure.trouble == QKV__TROUBLE_UNABLE)
        return qkv__words_beyond(t, node, "the words engine takes only matrices and plain numbers");
    return qkv__words_fail(t, node, "%s is not a matrix of this problem", node->text);
}

/* softmax(I) stands where nothing has said yet what its size is. */
static const qkv__expression *size_missing(qkv__translation *t, const qkv__node *node)
{
    return qkv__words_beyond(t, node,
                             "the argument of softmax has no known number of rows and columns");
}

/* Translates one of two parts whose sizes go together: the other one first, if it must. */
bool qkv__words_translate_pair(qkv__translation *t, const qkv__node *first, const qkv__node *second,
                               bool product, const qkv__expression **x, const qkv__expression **y)
{
    const int expected = t->expected;
    *x = qkv__words_translate(t, first);
    if (*x == NULL && t->unable) { /* it may be the size that is missing */
        char message[QKV_ERROR_CAPACITY];
        const qkv__node *culprit = t->culprit;
        memcpy(message, t->message, sizeof message);
        t->message[0] = '\0';
        t->unable = false;
        *y = qkv__words_translate(t, second);
        if (*y != NULL && (*y)->rows >= 0) {
            t->expected = (*y)->rows;
            *x = qkv__words_translate(t, first);
        } else {
            t->unable = true;
            t->culprit = culprit;
            memcpy(t->message, message, sizeof message);
        }
    } else if (*x != NULL) {
        t->expected = product ? (*x)->columns : (*x)->rows;
        *y = qkv__words_translate(t, second);
    }
    t->expected = expected;
    return *x != NULL && *y != NULL;
}

const qkv__expression *qkv__words_translate_call(qkv__translation *t, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_CALL);
    const qkv__binding *binding = qkv__model_find(t->model, NULL, node->text);
    qkv__builtin function = binding == NULL ? qkv__builtin_of(node) : QKV__BUILTIN_NONE;
    if (function == QKV__BUILTIN_SOFTMAX && node->count == 1) {
        const int expected = t->expected;
        t->expected = -1;
        const qkv__expression *inside = qkv__words_translate(t, node->child[0]);
        t->expected = expected;
        if (inside != NULL && inside->rows < 0) {
            if (expected < 0 || inside->kind != QKV__EXPRESSION_IDENTITY)
                return size_missing(t, node);
            inside = qkv__expression_identity(&t->theory, expected);
        }
        return inside == NULL
                   ? NULL
                   : qkv__words_check(t, node, qkv__expression_softmax(&t->theory, inside));
    }
    if (binding != NULL && binding->function != NULL && !qkv__words_is_unknown(t, node) &&
        binding->function->node[0]->kind == QKV__NODE_CALL)
        return write_out(t, node, binding->function);
    if (function != QKV__BUILTIN_NONE && qkv__builtin_kind_of(function) != QKV__OF_CHANCE)
        return qkv__words_beyond(t, node,
                                 "this function is not known for matrices of symbolic size");
    if (node->count != 1) return qkv__words_fail(t, node, "unknown function %s", node->text);
    const qkv__expression *left = qkv__words_translate_name(t, node); /* P(X + Y): a product */
    const qkv__expression *right = left == NULL ? NULL : qkv__words_translate(t, node->child[0]);
    if (right == NULL) return NULL;
    return t->theory.numbers
               ? qkv__words_product(t, node, left, right)
               : qkv__words_check(t, node, qkv__expression_multiply(&t->theory, left, right));
}

/* ---- Operators ----------------------------------------------------------------------- */

/* Numbers alone: 2, (1 + 1)/3. */
static bool is_arithmetic(const qkv__node *node)
{
    bool operation = node->kind == QKV__NODE_ADD || node->kind == QKV__NODE_SUBTRACT ||
                     node->kind == QKV__NODE_MULTIPLY || node->kind == QKV__NODE_DIVIDE ||
                     node->kind == QKV__NODE_NEGATE || node->kind == QKV__NODE_POWER;
    for (size_t i = 0; operation && i < node->count; i++) operation = is_arithmetic(node->child[i]);
    return operation || node->kind == QKV__NODE_NUMBER;
}

bool qkv__words_is_number(qkv__translation *t, const qkv__node *node, qkv__rational *number)
{
    qkv__value value;
    qkv__failure failure;
    qkv__ratio ratio;
    const qkv__node *culprit;
    return is_arithmetic(node) &&
           qkv__model_evaluate(t->model, node, NULL, &value, &failure, &culprit) &&
           qkv__value_as_ratio(&value, &ratio) && qkv__ratio_is_constant(ratio, number);
}

static const qkv__expression *translate_product(qkv__translation *t, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_MULTIPLY);
    qkv__rational number;
    for (size_t i = 0; i < 2; i++) {
        if (!qkv__words_is_number(t, node->child[i], &number)) continue;
        const qkv__expression *other = qkv__words_translate(t, node->child[1 - i]);
        return other == NULL
                   ? NULL
                   : qkv__words_check(t, node, qkv__expression_scale(&t->theory, number, other));
    }
    const qkv__expression *left = NULL, *right = NULL;
    return qkv__words_translate_pair(t, node->child[0], node->child[1], true, &left, &right)
               ? qkv__words_check(t, node, qkv__expression_multiply(&t->theory, left, right))
               : NULL;
}

static const qkv__expression *translate_sum(qkv__translation *t, const qkv__node *node)
{
    const qkv__expression *left = NULL, *right = NULL;
    if (!qkv__words_translate_pair(t, node->child[0], node->child[1], false, &left, &right))
        return NULL;
    return qkv__words_check(t, node,
                            node->kind == QKV__NODE_ADD
                                ? qkv__expression_add(&t->theory, left, right)
                                : qkv__expression_subtract(&t->theory, left, right));
}

static const qkv__expression *translate_quotient(qkv__translation *t, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_DIVIDE);
    qkv__rational number;
    const qkv__expression *left = qkv__words_translate(t, node->child[0]);
    if (left == NULL) return NULL;
    if (!qkv__words_is_number(t, node->child[1], &number) || qkv__rational_is_zero(number))
        return qkv__words_beyond(t, node, "the words engine divides only by numbers");
    number = qkv__rational_divide(qkv__rational_whole(1), number);
    return qkv__words_check(t, node, qkv__expression_scale(&t->theory, number, left));
}

const qkv__expression *qkv__words_translate(qkv__translation *t, const qkv__node *node)
{
    const qkv__expression *inside;
    if (t->theory.numbers) return qkv__words_translate_with_numbers(t, node);
    switch (node->kind) {
    case QKV__NODE_NAME: return qkv__words_translate_name(t, node);
    case QKV__NODE_CALL: return qkv__words_translate_call(t, node);
    case QKV__NODE_MULTIPLY: return translate_product(t, node);
    case QKV__NODE_DIVIDE: return translate_quotient(t, node);
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT: return translate_sum(t, node);
    case QKV__NODE_TRANSPOSE:
        inside = qkv__words_translate(t, node->child[0]);
        return inside == NULL
                   ? NULL
                   : qkv__words_check(t, node, qkv__expression_transpose(&t->theory, inside));
    case QKV__NODE_NEGATE:
        inside = qkv__words_translate(t, node->child[0]);
        return inside == NULL ? NULL
                              : qkv__words_check(t, node,
                                                 qkv__expression_scale(
                                                     &t->theory, qkv__rational_whole(-1), inside));
    case QKV__NODE_NUMBER:
        if (qkv__rational_is_zero(node->value))
            return qkv__words_check(t, node,
                                    qkv__expression_zero(&t->theory, QKV__ANY_SIZE, QKV__ANY_SIZE));
        return qkv__words_fail(t, node, "a number where a matrix is expected%s", "");
    case QKV__NODE_INDEX:
        return qkv__words_beyond(
            t, node,
            "entries of vectors and matrices of symbolic size are not supported: the softmax of "
            "the scores k[i].q, i in 1..n, is attend(q, k, k).weight");
    default:
        return qkv__words_beyond(t, node,
                                 "this is not supported together with matrices of symbolic size");
    }
}

/* ---- Theories ------------------------------------------------------------------------ */

/* A'*A = I of a square A is A*A' = I as well. */
static bool assume_mirrored(qkv__translation *t, const qkv__expression *left,
                            const qkv__expression *right)
{
    bool product = left->kind == QKV__EXPRESSION_PRODUCT && right->kind == QKV__EXPRESSION_IDENTITY;
    const qkv__expression *x = product ? left->left : NULL, *y = product ? left->right : NULL;
    if (!product || x->rows < 0 || x->rows != x->columns || y->rows != y->columns) return true;
    const qkv__expression *mirrored = qkv__expression_multiply(&t->theory, y, x);
    return mirrored == NULL || qkv__theory_assume(&t->theory, mirrored, right) == QKV_OK;
}

bool qkv__words_assume_all(qkv__translation *t)
{
    for (size_t i = 0; i < t->model->assumption_count; i++) {
        const qkv__statement *statement = t->model->assumptions[i];
        for (size_t j = 0; j < statement->count; j++) {
            const qkv__node *node = statement->node[j];
            if (node->kind != QKV__NODE_COMPARE || node->comparison != QKV__EQUAL)
                return qkv__words_beyond(t, node, "the words engine assumes only equations") !=
                       NULL;
            const qkv__expression *left = qkv__words_translate(t, node->child[0]);
            const qkv__expression *right =
                left == NULL ? NULL : qkv__words_translate(t, node->child[1]);
            if (right == NULL ||
                (t->theory.numbers && !qkv__words_can_be_compared(t, node, left, right)))
                return false;
            if (qkv__theory_assume(&t->theory, left, right) != QKV_OK ||
                !assume_mirrored(t, left, right))
                return qkv__words_check(t, node, NULL) != NULL;
        }
    }
    return true;
}

/* Both sides of a comparison, under the assumptions; false with a message where that fails. */
bool qkv__words_translate_sides(qkv__translation *t, const qkv__node *comparison,
                                const qkv__expression **left, const qkv__expression **right)
{
    assert(comparison->kind == QKV__NODE_COMPARE);
    *left = *right = NULL;
    qkv__words_each_premise(t, qkv__words_note_premise, t);
    if (!qkv__words_assume_all(t)) return false;
    if (t->theory.numbers) qkv__words_take_premises(t);
    t->claiming = true;
    bool good = qkv__words_translate_pair(t, comparison->child[0], comparison->child[1], false,
                                          left, right);
    if (good && t->theory.numbers && (*left)->rows < 0 && (*right)->rows < 0) {
        qkv__words_beyond(t, comparison, "neither side has a known size");
        good = false;
    }
    if (good) t->culprit = comparison;
    return good && (!t->theory.numbers || qkv__words_can_be_compared(t, comparison, *left, *right));
}
