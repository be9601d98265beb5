/* From syntax to the words engine: declarations become atoms, definitions are written out,
 * assumptions become equations. */
#include "claim/decide_words.h"

#include <stdio.h>
#include <string.h>

#include "claim/matrix_witness.h"
#include "exact/words.h"

enum { DEPTH = 32 };

/* A translation under way. */
typedef struct translation {
    qkv__model *model;
    qkv__theory theory;
    const qkv__binding *arguments; /* of the function being written out */
    int depth;
    const qkv__node *culprit;
    char message[QKV_ERROR_CAPACITY]; /* "" while all is well */
    bool claiming; /* what is translated is the claim: shapes that do not fit make it false */
    bool misshapen;
    bool unable; /* the text is well posed, but this engine cannot take it */
} translation;

static const qkv__expression *translate(translation *t, const qkv__node *node);

static const qkv__expression *fail(translation *t, const qkv__node *node, const char *message,
                                   const char *detail)
{
    if (t->message[0] == '\0') {
        t->culprit = node;
        snprintf(t->message, sizeof t->message, message, detail);
    }
    return NULL;
}

static const qkv__expression *beyond(translation *t, const qkv__node *node, const char *message)
{
    if (t->message[0] == '\0') t->unable = true;
    return fail(t, node, "%s", message);
}

/* What the theory refused, at the node that asked for it. */
static const qkv__expression *check(translation *t, const qkv__node *node,
                                    const qkv__expression *made)
{
    if (made == NULL && t->claiming && t->theory.error.status == QKV_ERROR_SHAPE)
        t->misshapen = true;
    return made != NULL ? made : fail(t, node, "%s", t->theory.error.message);
}

/* ---- Declarations -------------------------------------------------------------------- */

static int dimension_of(translation *t, const qkv__node *node)
{
    if (node->kind == QKV__NODE_NUMBER && qkv__rational_is_whole(node->value) &&
        node->value.numerator > 0)
        return qkv__theory_size(&t->theory, (size_t)node->value.numerator);
    if (node->kind == QKV__NODE_NAME) {
        int dimension = qkv__theory_dimension(&t->theory, node->text);
        int parameter = qkv__parameter_find(&t->model->algebra, node->text);
        /* A witness must respect `given n >= 3`. */
        if (dimension >= 0 && parameter >= 0) {
            const qkv__bound *lower = &t->model->algebra.parameter[parameter].lower;
            if (lower->known && lower->value.numerator > 0)
                t->theory.dimension[dimension].least =
                    (size_t)((lower->value.numerator + lower->value.denominator - 1) /
                             lower->value.denominator) +
                    (lower->strict && lower->value.denominator == 1 ? 1 : 0);
        }
        return dimension;
    }
    fail(t, node, "expected a size: a name or a whole number%s", "");
    return -1;
}

/* The atom of a declared matrix X[n,d], permutation P[n] or vector s[m], made when first met. */
static int atom_of(translation *t, const qkv__binding *binding)
{
    const qkv__node *node = binding->symbolic;
    int known = qkv__theory_find(&t->theory, binding->name);
    size_t sizes = node->kind == QKV__NODE_INDEX ? node->count - 1 : 0;
    bool matrix = strcmp(binding->symbolic_kind, "matrix") == 0;
    if (known >= 0) return known;
    if (sizes != (matrix ? 2u : 1u)) {
        fail(t, node,
             matrix ? "a matrix needs its rows and columns: %s[n, d]"
                    : "its size is missing: %s[n]",
             binding->name);
        return -1;
    }
    int rows = dimension_of(t, node->child[1]);
    int columns = matrix ? dimension_of(t, node->child[2]) : 0;
    if (rows < 0 || columns < 0) return -1;
    if (matrix) return qkv__theory_matrix(&t->theory, binding->name, rows, columns);
    if (strcmp(binding->symbolic_kind, "permutation") == 0)
        return qkv__theory_permutation(&t->theory, binding->name, rows);
    return qkv__theory_vector(&t->theory, binding->name, rows);
}

/* ---- Names and calls ----------------------------------------------------------------- */

/* A definition or function written out, with its arguments in place of their names. */
static const qkv__expression *write_out(translation *t, const qkv__node *node,
                                        const qkv__statement *function)
{
    enum { MOST = 8 };
    const qkv__node *target = function->node[0];
    size_t parameters = target->kind == QKV__NODE_CALL ? target->count : 0;
    size_t given = node->kind == QKV__NODE_CALL ? node->count : 0;
    qkv__binding arguments[MOST];
    if (parameters != given || parameters > MOST)
        return fail(t, node, "%s has another number of arguments", node->text);
    if (t->depth >= DEPTH) return fail(t, node, "%s is defined by itself", node->text);
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
                                      .next = i == 0 ? t->arguments : &arguments[i - 1]};
    }
    const qkv__binding *outer = t->arguments;
    t->depth++;
    if (parameters > 0) t->arguments = &arguments[parameters - 1];
    const qkv__expression *result = translate(t, function->node[1]);
    t->arguments = outer;
    t->depth--;
    return result;
}

/* An argument's own names mean what they meant outside the function that it was given to. */
static const qkv__expression *translate_argument(translation *t, const qkv__node *node,
                                                 const qkv__binding *argument)
{
    const qkv__binding *inner = t->arguments;
    if (t->depth >= DEPTH) return fail(t, node, "%s is defined by itself", node->text);
    t->depth++;
    t->arguments = argument->symbolic_scope;
    const qkv__expression *result = translate(t, argument->function->node[1]);
    t->arguments = inner;
    t->depth--;
    return result;
}

static const qkv__expression *translate_name(translation *t, const qkv__node *node)
{
    for (const qkv__binding *b = t->arguments; b != NULL; b = b->next)
        if (strcmp(b->name, node->text) == 0) return translate_argument(t, node, b);
    const qkv__binding *binding = qkv__model_find(t->model, NULL, node->text);
    if (binding != NULL && binding->symbolic != NULL) {
        int atom = atom_of(t, binding);
        return atom < 0 ? check(t, node, NULL)
                        : check(t, node, qkv__expression_atom(&t->theory, atom));
    }
    if (binding != NULL && binding->function != NULL) return write_out(t, node, binding->function);
    if (strcmp(node->text, "I") == 0)
        return check(t, node, qkv__expression_identity(&t->theory, QKV__ANY_SIZE));
    qkv__value value;
    qkv__failure failure = {0};
    const qkv__node *culprit;
    if (qkv__model_evaluate(t->model, node, NULL, &value, &failure, &culprit) ||
        failure.trouble == QKV__TROUBLE_UNABLE)
        return beyond(t, node, "the words engine takes matrices and plain numbers alone");
    return fail(t, node, "%s is no matrix of this problem", node->text);
}

/* A function of the language that this engine does not know. */
static bool is_function(const char *name)
{
    static const char *const names[] = {"abs",  "attend", "cos", "dist", "erf",         "exp",
                                        "hull", "ln",     "log", "max",  "mean",        "min",
                                        "norm", "sqrt",   "sum", "tanh", "self_attend", "softmax"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

static const qkv__expression *translate_call(translation *t, const qkv__node *node)
{
    const qkv__binding *binding = qkv__model_find(t->model, NULL, node->text);
    if (strcmp(node->text, "softmax") == 0 && node->count == 1 && binding == NULL) {
        const qkv__expression *inside = translate(t, node->child[0]);
        return inside == NULL ? NULL : check(t, node, qkv__expression_softmax(&t->theory, inside));
    }
    if (binding != NULL && binding->function != NULL &&
        binding->function->node[0]->kind == QKV__NODE_CALL)
        return write_out(t, node, binding->function);
    if (binding == NULL && is_function(node->text))
        return beyond(t, node, "this call is beyond the words engine");
    if (node->count != 1) return fail(t, node, "unknown function %s", node->text);
    const qkv__expression *left = translate_name(t, node); /* P(X + Y): a product */
    const qkv__expression *right = left == NULL ? NULL : translate(t, node->child[0]);
    return right == NULL ? NULL : check(t, node, qkv__expression_multiply(&t->theory, left, right));
}

/* ---- Operators ----------------------------------------------------------------------- */

static bool is_number(translation *t, const qkv__node *node, qkv__rational *number)
{
    qkv__value value;
    qkv__failure failure;
    qkv__ratio ratio;
    const qkv__node *culprit;
    if (node->kind == QKV__NODE_NAME || qkv__model_is_symbolic(t->model, node)) return false;
    for (const qkv__binding *b = t->arguments; b != NULL; b = b->next)
        if (node->kind == QKV__NODE_CALL || node->kind == QKV__NODE_INDEX) return false;
    return node->kind == QKV__NODE_NUMBER || node->kind == QKV__NODE_DIVIDE ||
                   node->kind == QKV__NODE_NEGATE
               ? qkv__model_evaluate(t->model, node, NULL, &value, &failure, &culprit) &&
                     qkv__value_as_ratio(&value, &ratio) && qkv__ratio_is_constant(ratio, number)
               : false;
}

static const qkv__expression *translate_product(translation *t, const qkv__node *node)
{
    qkv__rational number;
    if (is_number(t, node->child[0], &number)) {
        const qkv__expression *right = translate(t, node->child[1]);
        return right == NULL ? NULL
                             : check(t, node, qkv__expression_scale(&t->theory, number, right));
    }
    const qkv__expression *left = translate(t, node->child[0]);
    const qkv__expression *right = left == NULL ? NULL : translate(t, node->child[1]);
    return right == NULL ? NULL : check(t, node, qkv__expression_multiply(&t->theory, left, right));
}

static const qkv__expression *translate_sum(translation *t, const qkv__node *node)
{
    const qkv__expression *left = translate(t, node->child[0]);
    const qkv__expression *right = left == NULL ? NULL : translate(t, node->child[1]);
    if (right == NULL) return NULL;
    return check(t, node,
                 node->kind == QKV__NODE_ADD ? qkv__expression_add(&t->theory, left, right)
                                             : qkv__expression_subtract(&t->theory, left, right));
}

static const qkv__expression *translate_quotient(translation *t, const qkv__node *node)
{
    qkv__rational number;
    const qkv__expression *left = translate(t, node->child[0]);
    if (left == NULL) return NULL;
    if (!is_number(t, node->child[1], &number) || qkv__rational_is_zero(number))
        return beyond(t, node, "the words engine divides by numbers alone");
    number = qkv__rational_divide(qkv__rational_whole(1), number);
    return check(t, node, qkv__expression_scale(&t->theory, number, left));
}

static const qkv__expression *translate(translation *t, const qkv__node *node)
{
    const qkv__expression *inside;
    switch (node->kind) {
    case QKV__NODE_NAME: return translate_name(t, node);
    case QKV__NODE_CALL: return translate_call(t, node);
    case QKV__NODE_MULTIPLY: return translate_product(t, node);
    case QKV__NODE_DIVIDE: return translate_quotient(t, node);
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT: return translate_sum(t, node);
    case QKV__NODE_TRANSPOSE:
        inside = translate(t, node->child[0]);
        return inside == NULL ? NULL
                              : check(t, node, qkv__expression_transpose(&t->theory, inside));
    case QKV__NODE_NEGATE:
        inside = translate(t, node->child[0]);
        return inside == NULL
                   ? NULL
                   : check(t, node,
                           qkv__expression_scale(&t->theory, qkv__rational_whole(-1), inside));
    case QKV__NODE_NUMBER:
        if (qkv__rational_is_zero(node->value))
            return check(t, node, qkv__expression_zero(&t->theory, QKV__ANY_SIZE, QKV__ANY_SIZE));
        return fail(t, node, "a number where a matrix is expected%s", "");
    default: return beyond(t, node, "this is beyond the words engine");
    }
}

/* ---- Deciding ------------------------------------------------------------------------ */

static bool assume_all(translation *t)
{
    for (size_t i = 0; i < t->model->assumption_count; i++) {
        const qkv__statement *statement = t->model->assumptions[i];
        for (size_t j = 0; j < statement->count; j++) {
            const qkv__node *node = statement->node[j];
            if (node->kind != QKV__NODE_COMPARE || node->comparison != QKV__EQUAL)
                return beyond(t, node, "the words engine assumes equations alone") != NULL;
            const qkv__expression *left = translate(t, node->child[0]);
            const qkv__expression *right = left == NULL ? NULL : translate(t, node->child[1]);
            if (right == NULL) return false;
            if (qkv__theory_assume(&t->theory, left, right) != QKV_OK)
                return check(t, node, NULL) != NULL;
        }
    }
    return true;
}

static void write_proof(const translation *t, const qkv__words_proof *proof, qkv__finding *finding)
{
    qkv__words_write(&t->theory, proof->left, &finding->found);
    qkv__text_format(&finding->reason, "Both sides have this normal form");
    for (size_t i = 0; i < proof->step_count; i++)
        qkv__text_format(&finding->reason, "%s%s", i == 0 ? ", by " : ", ", proof->step[i]);
    qkv__text_format(&finding->reason, ".");
}

static void decide_equation(translation *t, const qkv__expression *left,
                            const qkv__expression *right, qkv__finding *finding)
{
    qkv__words_proof proof;
    qkv__witness witness;
    qkv__words_verdict verdict = qkv__words_equal(&t->theory, left, right, &proof);
    if (verdict == QKV__WORDS_PROVED) {
        write_proof(t, &proof, finding);
        finding->verdict = QKV__PROVED;
        finding->engine = "exact";
        return;
    }
    if (verdict == QKV__WORDS_ILL_POSED) { /* each side means something, but not the same shape */
        qkv__text_format(&finding->reason, "%s.", t->theory.error.message);
        finding->verdict = QKV__REFUTED;
        finding->engine = "exact";
        return;
    }
    if (verdict == QKV__WORDS_UNKNOWN) qkv__words_write(&t->theory, proof.left, &finding->found);
    switch (qkv__matrix_witness(&t->theory, left, right, NULL, &finding->reason, &witness)) {
    case QKV__WITNESS_FOUND:
        finding->verdict = QKV__REFUTED;
        finding->engine = "search";
        break;
    case QKV__WITNESS_NONE:
        finding->verdict = QKV__SUPPORTED;
        finding->engine = "search";
        qkv__text_format(&finding->reason, "No counterexample among %zu small cases.",
                         witness.tries);
        break;
    case QKV__WITNESS_LOST:
        qkv__text_format(&finding->reason, "%s", t->theory.error.message);
        break;
    }
}

/* Both sides of a comparison, under the assumptions; false with a message where that fails. */
static bool translate_sides(translation *t, const qkv__node *comparison,
                            const qkv__expression **left, const qkv__expression **right)
{
    *left = *right = NULL;
    if (!assume_all(t)) return false;
    t->claiming = true;
    *left = translate(t, comparison->child[0]);
    if (*left != NULL) *right = translate(t, comparison->child[1]);
    if (*right != NULL) t->culprit = comparison;
    return *right != NULL;
}

void qkv__decide_words(qkv__model *model, const qkv__node *comparison, qkv__finding *finding)
{
    translation t = {.model = model, .culprit = comparison};
    const qkv__expression *left, *right;
    if (translate_sides(&t, comparison, &left, &right)) decide_equation(&t, left, right, finding);
    if (t.misshapen) {
        qkv__text_format(&finding->reason, "A side does not exist for all sizes: %s.", t.message);
        finding->verdict = QKV__REFUTED;
        finding->engine = "exact";
    } else if (t.unable) {
        qkv__text_format(&finding->reason, "%s", t.message);
    } else if (t.message[0] != '\0') {
        finding->culprit = t.culprit;
        snprintf(finding->complaint, sizeof finding->complaint, "%s", t.message);
    }
    qkv__arena_free(&t.theory.arena);
}

void qkv__derive_words(qkv__model *model, const qkv__node *comparison,
                       qkv__words_listener *listener, void *data)
{
    translation t = {.model = model, .culprit = comparison};
    const qkv__expression *left, *right;
    qkv__words_proof proof;
    if (translate_sides(&t, comparison, &left, &right)) {
        qkv__words_verdict verdict = qkv__words_equal(&t.theory, left, right, &proof);
        if (verdict == QKV__WORDS_PROVED || verdict == QKV__WORDS_UNKNOWN)
            listener(data, &t.theory, left, right, &proof);
    }
    qkv__arena_free(&t.theory.arena);
}
