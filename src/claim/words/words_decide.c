/* From syntax to the words engine: declarations become atoms, definitions are written out,
 * assumptions become equations. */
#include "claim/model/binding.h"
#include "claim/model/definition.h"
#include "claim/model/evaluate.h"
#include "claim/words/words_engine.h"

#include <stdio.h>
#include <string.h>

#include "claim/words/matrix_witness.h"
#include "exact/words.h"
#include "language/tree.h"

enum { DEPTH = 32 };

/* A translation under way. */
typedef struct translation {
    qkv__model *model;
    qkv__theory theory;
    const qkv__binding *arguments; /* of the function being written out */
    const char *unknown;           /* a name that is asked for and reads as I; NULL for none */
    int depth;
    const qkv__node *culprit;
    char message[QKV_ERROR_CAPACITY];        /* "" while all is well */
    const qkv__circumstances *circumstances; /* of the claim; NULL for none */
    int expected;  /* rows that a softmax of any size takes; -1: not known */
    bool confined; /* something is known of sizes that witnesses are not held to */
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
static void each_premise(const translation *t, void (*use)(const qkv__node *node, void *data),
                         void *data)
{
    for (size_t i = 0; i < t->model->premise_count; i++) use(t->model->premise[i], data);
    for (size_t i = 0; t->circumstances != NULL && i < t->circumstances->count; i++)
        for (const qkv__condition *c = t->circumstances->lists[i]; c != NULL; c = c->next)
            for (size_t n = 0; c->kind != QKV__CONDITION_LIMIT && n < c->count; n++)
                use(c->node[n], data);
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
static const char *one_size(const translation *t, const char *name, const qkv__parameter **known)
{
    equal_sizes e = {.count = 1, .name = {name}};
    for (size_t before = 0; before < e.count;) {
        before = e.count;
        each_premise(t, add_same, &e);
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
static void note_premise(const qkv__node *node, void *data)
{
    translation *t = data;
    bool names = node->kind == QKV__NODE_COMPARE && node->comparison <= QKV__GREATER_OR_EQUAL &&
                 node->child[0]->kind == QKV__NODE_NAME;
    bool same = names && node->comparison == QKV__EQUAL && node->child[1]->kind == QKV__NODE_NAME;
    bool bound =
        names && node->child[1]->kind == QKV__NODE_NUMBER && node->comparison != QKV__NOT_EQUAL;
    bool free = node->kind == QKV__NODE_NAME || node->kind == QKV__NODE_CALL;
    if (!same && !bound && !free) t->confined = true;
}

static int dimension_of(translation *t, const qkv__node *node)
{
    if (node->kind == QKV__NODE_NUMBER && qkv__rational_is_whole(node->value) &&
        node->value.numerator > 0)
        return qkv__theory_size(&t->theory, (size_t)node->value.numerator);
    if (node->kind == QKV__NODE_NAME) {
        const qkv__parameter *known;
        const char *name = one_size(t, node->text, &known);
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
                                      .next = i == 0 ? NULL : &arguments[i - 1]};
    }
    const qkv__binding *outer = t->arguments; /* of another function: not seen from here */
    t->depth++;
    t->arguments = parameters > 0 ? &arguments[parameters - 1] : NULL;
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

static bool is_unknown(const translation *t, const qkv__node *node)
{
    return t->unknown != NULL && strcmp(t->unknown, node->text) == 0;
}

static const qkv__expression *translate_name(translation *t, const qkv__node *node)
{
    if (is_unknown(t, node))
        return check(t, node, qkv__expression_identity(&t->theory, QKV__ANY_SIZE));
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

/* softmax(I) stands where nothing has said yet what its size is. */
static const qkv__expression *size_missing(translation *t, const qkv__node *node)
{
    return beyond(t, node, "the argument of softmax has no known number of rows and columns");
}

/* Translates one of two parts whose sizes go together: the other one first, if it must. */
static bool translate_pair(translation *t, const qkv__node *first, const qkv__node *second,
                           bool product, const qkv__expression **x, const qkv__expression **y)
{
    const int expected = t->expected;
    *x = translate(t, first);
    if (*x == NULL && t->unable) { /* it may be the size that is missing */
        char message[QKV_ERROR_CAPACITY];
        const qkv__node *culprit = t->culprit;
        memcpy(message, t->message, sizeof message);
        t->message[0] = '\0';
        t->unable = false;
        *y = translate(t, second);
        if (*y != NULL && (*y)->rows >= 0) {
            t->expected = (*y)->rows;
            *x = translate(t, first);
        } else {
            t->unable = true;
            t->culprit = culprit;
            memcpy(t->message, message, sizeof message);
        }
    } else if (*x != NULL) {
        t->expected = product ? (*x)->columns : (*x)->rows;
        *y = translate(t, second);
    }
    t->expected = expected;
    return *x != NULL && *y != NULL;
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
        const int expected = t->expected;
        t->expected = -1;
        const qkv__expression *inside = translate(t, node->child[0]);
        t->expected = expected;
        if (inside != NULL && inside->rows < 0) {
            if (expected < 0 || inside->kind != QKV__EXPRESSION_IDENTITY)
                return size_missing(t, node);
            inside = qkv__expression_identity(&t->theory, expected);
        }
        return inside == NULL ? NULL : check(t, node, qkv__expression_softmax(&t->theory, inside));
    }
    if (binding != NULL && binding->function != NULL && !is_unknown(t, node) &&
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
    const qkv__expression *left = NULL, *right = NULL;
    return translate_pair(t, node->child[0], node->child[1], true, &left, &right)
               ? check(t, node, qkv__expression_multiply(&t->theory, left, right))
               : NULL;
}

static const qkv__expression *translate_sum(translation *t, const qkv__node *node)
{
    const qkv__expression *left = NULL, *right = NULL;
    if (!translate_pair(t, node->child[0], node->child[1], false, &left, &right)) return NULL;
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

/* A'*A = I of a square A is A*A' = I as well. */
static bool assume_mirrored(translation *t, const qkv__expression *left,
                            const qkv__expression *right)
{
    bool product = left->kind == QKV__EXPRESSION_PRODUCT && right->kind == QKV__EXPRESSION_IDENTITY;
    const qkv__expression *x = product ? left->left : NULL, *y = product ? left->right : NULL;
    if (!product || x->rows < 0 || x->rows != x->columns || y->rows != y->columns) return true;
    const qkv__expression *mirrored = qkv__expression_multiply(&t->theory, y, x);
    return mirrored == NULL || qkv__theory_assume(&t->theory, mirrored, right) == QKV_OK;
}

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
            if (qkv__theory_assume(&t->theory, left, right) != QKV_OK ||
                !assume_mirrored(t, left, right))
                return check(t, node, NULL) != NULL;
        }
    }
    return true;
}

/* Claims joined by `and` find several things. */
static void begin_found(qkv__finding *finding)
{
    if (finding->found.length > 0) qkv__text_format(&finding->found, "; ");
}

static void write_proof(const translation *t, const qkv__words_proof *proof, qkv__finding *finding)
{
    begin_found(finding);
    qkv__words_write(&t->theory, proof->left, &finding->found);
    qkv__text_format(&finding->reason, "%sBoth sides have this normal form",
                     finding->reason.length > 0 ? " " : "");
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
    if (verdict == QKV__WORDS_UNKNOWN) {
        begin_found(finding);
        qkv__words_write(&t->theory, proof.left, &finding->found);
    }
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
    each_premise(t, note_premise, t);
    if (!assume_all(t)) return false;
    t->claiming = true;
    bool good = translate_pair(t, comparison->child[0], comparison->child[1], false, left, right);
    if (good) t->culprit = comparison;
    return good;
}

void qkv__decide_words(qkv__model *model, const qkv__node *comparison,
                       const qkv__circumstances *circumstances, qkv__finding *finding)
{
    translation t = {
        .model = model, .circumstances = circumstances, .culprit = comparison, .expected = -1};
    const qkv__expression *left, *right;
    if (translate_sides(&t, comparison, &left, &right)) decide_equation(&t, left, right, finding);
    if (t.confined && finding->verdict == QKV__REFUTED) {
        qkv__finding_free(finding);
        finding->verdict = QKV__UNDECIDED;
        finding->engine = "";
        qkv__text_format(&finding->reason, "what is known of the sizes is beyond the search");
    }
    if (t.misshapen && t.confined) {
        qkv__text_format(&finding->reason, "%s, unless what is known of the sizes says otherwise",
                         t.message);
    } else if (t.misshapen) {
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
    translation t = {.model = model, .culprit = comparison, .expected = -1};
    const qkv__expression *left, *right;
    qkv__words_proof proof;
    if (translate_sides(&t, comparison, &left, &right)) {
        qkv__words_verdict verdict = qkv__words_equal(&t.theory, left, right, &proof);
        if (verdict == QKV__WORDS_PROVED || verdict == QKV__WORDS_UNKNOWN)
            listener(data, &t.theory, left, right, &proof);
    }
    qkv__arena_free(&t.theory.arena);
}

/* ---- Finding a matrix ---------------------------------------------------------------- */

/* M*given = wanted, taken apart. */
typedef struct search {
    translation t;
    qkv__finding *finding;
    bool behind; /* given*M = wanted: everything is transposed */
    const qkv__expression *given, *wanted;
    size_t free_count;
    int free_atoms[QKV__ATOMS];
} search;

typedef enum linearity {
    FREE,   /* the unknown does not occur */
    FRONT,  /* each term is M times something */
    BEHIND, /* each term is something times M */
    BARE,   /* each term is a multiple of M */
    OTHER,
} linearity;

static linearity sum_of(linearity x, linearity y)
{
    if (x == y) return x;
    if (x == BARE && (y == FRONT || y == BEHIND)) return y;
    if (y == BARE && (x == FRONT || x == BEHIND)) return x;
    return OTHER;
}

static linearity product_of(linearity x, linearity y)
{
    if (y == FREE) return x == FREE ? FREE : x == FRONT || x == BARE ? FRONT : OTHER;
    if (x == FREE) return y == BEHIND || y == BARE ? BEHIND : OTHER;
    return OTHER;
}

/* Whether a name of the node is defined by way of the unknown: then it is not seen. */
static bool hides_unknown(const search *s, const qkv__node *node, int depth)
{
    if (depth > DEPTH) return true;
    if (node->kind == QKV__NODE_NAME || node->kind == QKV__NODE_CALL) {
        const qkv__binding *binding = qkv__model_find(s->t.model, NULL, node->text);
        const qkv__node *body =
            binding == NULL || binding->function == NULL || is_unknown(&s->t, node)
                ? NULL
                : binding->function->node[1];
        if (body != NULL &&
            (qkv__node_mentions(body, s->t.unknown) || hides_unknown(s, body, depth + 1)))
            return true;
    }
    for (size_t i = 0; i < node->count; i++)
        if (hides_unknown(s, node->child[i], depth)) return true;
    return false;
}

/* Whether the unknown is seen where it stands: an assumption or a definition with it is not put
 * to use, and must not be overlooked. */
static bool is_in_sight(const search *s, const qkv__node *equation)
{
    const qkv__model *model = s->t.model;
    bool hidden = hides_unknown(s, equation, 0);
    for (size_t i = 0; i < model->assumption_count; i++)
        for (size_t j = 0; j < model->assumptions[i]->count; j++) {
            const qkv__node *node = model->assumptions[i]->node[j];
            hidden = hidden || qkv__node_mentions(node, s->t.unknown) || hides_unknown(s, node, 0);
        }
    if (hidden)
        qkv__text_format(&s->finding->reason,
                         "%s stands in a definition or in an assumption, which is not solved for",
                         s->t.unknown);
    return !hidden;
}

/* M, matrix w; no other thing that the question or the problem says it is. */
static bool is_matrix(const search *s, const qkv__node *unknown)
{
    const qkv__binding *binding = qkv__model_find(s->t.model, NULL, s->t.unknown);
    if (unknown->kind == QKV__NODE_CALL) return strcmp(unknown->text, "matrix") == 0;
    if (binding != NULL)
        return binding->symbolic != NULL && strcmp(binding->symbolic_kind, "matrix") == 0;
    return s->t.unknown[0] >= 'A' && s->t.unknown[0] <= 'Z' &&
           qkv__parameter_find(&s->t.model->algebra, s->t.unknown) < 0;
}

/* Whether a declared size is that of what was found. */
static bool has_declared_size(search *s, const qkv__node *unknown)
{
    const qkv__binding *binding = qkv__model_find(s->t.model, NULL, s->t.unknown);
    const qkv__node *declared = unknown->kind == QKV__NODE_CALL ? unknown->child[0] : NULL;
    if (declared == NULL && binding != NULL) declared = binding->symbolic;
    if (declared == NULL || declared->kind != QKV__NODE_INDEX) return true;
    if (declared->count != 3)
        return fail(&s->t, unknown, "a matrix needs its rows and columns: %s[n, d]",
                    s->t.unknown) != NULL;
    int rows = dimension_of(&s->t, declared->child[1]);
    int columns = dimension_of(&s->t, declared->child[2]);
    int above = s->behind ? s->given->rows : s->wanted->rows;
    int beside = s->behind ? s->wanted->rows : s->given->rows;
    if ((above < 0 || rows == above) && (beside < 0 || columns == beside)) return true;
    return fail(&s->t, unknown, "%s is declared with sizes that do not fit", s->t.unknown) != NULL;
}

/* Where the unknown stands in a side of the equation. */
static linearity where(search *s, const qkv__node *node)
{
    qkv__rational number;
    if (!qkv__node_mentions(node, s->t.unknown)) return FREE;
    switch (node->kind) {
    case QKV__NODE_NAME: return BARE;
    case QKV__NODE_CALL: /* M(x + y) */
        return is_unknown(&s->t, node) && node->count == 1 && where(s, node->child[0]) == FREE
                   ? FRONT
                   : OTHER;
    case QKV__NODE_NEGATE: return where(s, node->child[0]);
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT: return sum_of(where(s, node->child[0]), where(s, node->child[1]));
    case QKV__NODE_DIVIDE: return where(s, node->child[0]);
    case QKV__NODE_MULTIPLY:
        if (is_number(&s->t, node->child[0], &number)) return where(s, node->child[1]);
        return product_of(where(s, node->child[0]), where(s, node->child[1]));
    default: return OTHER;
    }
}

static bool is_vector(const search *s, int atom)
{
    int columns = s->t.theory.atom[atom].columns;
    return columns >= 0 && s->t.theory.dimension[columns].size == 1;
}

/* A name that does not occur needs no care. */
static void add_free(search *s, const qkv__node *node)
{
    int atom = qkv__theory_find(&s->t.theory, qkv__unknown_name(node));
    for (size_t i = 0; i < s->free_count; i++)
        if (s->free_atoms[i] == atom) return;
    if (atom >= 0 && s->free_count < QKV__ATOMS) s->free_atoms[s->free_count++] = atom;
}

/* The names that M must do it for. */
static void collect_free(search *s, const qkv__circumstances *circumstances)
{
    for (size_t i = 0; i < circumstances->count; i++)
        for (const qkv__condition *c = circumstances->lists[i]; c != NULL; c = c->next)
            for (size_t j = 0; c->kind == QKV__CONDITION_RANGE && j < c->count; j++)
                if (c->node[j]->kind == QKV__NODE_NAME || c->node[j]->kind == QKV__NODE_CALL)
                    add_free(s, c->node[j]);
    bool named = s->free_count > 0;
    for (int atom = 0; !named && atom < (int)s->t.theory.atom_count; atom++)
        if (is_vector(s, atom)) s->free_atoms[s->free_count++] = atom;
}

/* M*A = B is M*A*x = B*x for all x: without a free vector one is made. */
static bool make_free(search *s)
{
    qkv__theory *theory = &s->t.theory;
    if (s->free_count > 0) return true;
    int columns = s->given->columns >= 0 ? s->given->columns : s->wanted->columns;
    if (s->wanted->columns >= 0 && s->wanted->columns != columns)
        return fail(&s->t, s->t.culprit, "the sides have different numbers of columns%s", "") !=
               NULL;
    int atom = columns < 0 ? -1 : qkv__theory_vector(theory, "x_", columns);
    if (atom < 0) return false;
    const qkv__expression *x = qkv__expression_atom(theory, atom);
    s->given = qkv__expression_multiply(theory, s->given, x);
    s->wanted = qkv__expression_multiply(theory, s->wanted, x);
    s->free_atoms[s->free_count++] = atom;
    return s->given != NULL && s->wanted != NULL;
}

static bool mentions_free(const search *s, const qkv__expression *e)
{
    if (e == NULL) return false;
    for (size_t i = 0; e->kind == QKV__EXPRESSION_ATOM && i < s->free_count; i++)
        if (e->atom == s->free_atoms[i]) return true;
    return mentions_free(s, e->left) || mentions_free(s, e->right);
}

/* No M turns 0 into something else: one example that satisfies the assumptions, with given = 0 and
 * wanted not 0, is enough. */
static bool refute(search *s)
{
    qkv__theory *theory = &s->t.theory;
    qkv__witness witness;
    qkv__text text = {0};
    const qkv__expression *zero = qkv__expression_zero(theory, s->given->rows, s->given->columns);
    const qkv__expression *nothing =
        qkv__expression_zero(theory, s->wanted->rows, s->wanted->columns);
    if (s->t.confined || zero == NULL || nothing == NULL ||
        qkv__theory_assume(theory, s->given, zero) != QKV_OK ||
        qkv__matrix_witness(theory, s->wanted, nothing, NULL, &text, &witness) !=
            QKV__WITNESS_FOUND) {
        qkv__text_free(&text);
        return false;
    }
    qkv__text_format(&s->finding->reason, "There is none: ");
    qkv__expression_write(theory, s->given, &s->finding->reason);
    qkv__text_format(&s->finding->reason, " can be 0 where ");
    qkv__expression_write(theory, s->wanted, &s->finding->reason);
    qkv__text_format(&s->finding->reason, " is not. %s", text.data == NULL ? "" : text.data);
    qkv__text_free(&text);
    s->finding->verdict = QKV__REFUTED;
    s->finding->engine = "search";
    return true;
}

static void write_solution(search *s, const qkv__words_solution *solution)
{
    qkv__finding *finding = s->finding;
    const qkv__expression *m = solution->matrix;
    if (s->behind) m = qkv__expression_transpose(&s->t.theory, m);
    qkv__text_format(&finding->found, "%s = ", s->t.unknown);
    qkv__words_proof tidy; /* a transposed product is written out by its normal form */
    if (s->behind && qkv__words_equal(&s->t.theory, m, m, &tidy) == QKV__WORDS_PROVED)
        qkv__words_write(&s->t.theory, tidy.left, &finding->found);
    else
        qkv__expression_write(&s->t.theory, m, &finding->found);
    qkv__text_format(&finding->reason, "Put in, both sides have one normal form");
    for (size_t i = 0; i < solution->proof.step_count; i++)
        qkv__text_format(&finding->reason, "%s%s", i == 0 ? ", by " : ", ",
                         solution->proof.step[i]);
    qkv__text_format(&finding->reason, ".");
    finding->verdict = QKV__PROVED;
    finding->engine = "exact";
}

/* M = I - N with N*given = given - wanted: what is wanted may be what a projection leaves. */
static bool find_complement(search *s, qkv__words_solution *solution)
{
    qkv__theory *theory = &s->t.theory;
    qkv__words_solution other;
    if (s->given->rows < 0 || s->given->rows != s->wanted->rows) return false;
    const qkv__expression *rest = qkv__expression_subtract(theory, s->given, s->wanted);
    if (rest == NULL || qkv__words_find(theory, s->given, rest, s->free_atoms, s->free_count,
                                        &other) != QKV__WORDS_PROVED)
        return false;
    const qkv__expression *one = qkv__expression_identity(theory, s->given->rows);
    const qkv__expression *m = qkv__expression_subtract(theory, one, other.matrix);
    const qkv__expression *product = qkv__expression_multiply(theory, m, s->given);
    if (product == NULL ||
        qkv__words_equal(theory, product, s->wanted, &solution->proof) != QKV__WORDS_PROVED)
        return false;
    solution->matrix = m;
    return !mentions_free(s, m);
}

static void solve(search *s)
{
    qkv__words_solution solution;
    qkv__words_verdict verdict =
        qkv__words_find(&s->t.theory, s->given, s->wanted, s->free_atoms, s->free_count, &solution);
    if (verdict == QKV__WORDS_UNKNOWN && find_complement(s, &solution)) {
        write_solution(s, &solution);
        return;
    }
    if (verdict == QKV__WORDS_ILL_POSED) {
        fail(&s->t, s->t.culprit, "%s", s->t.theory.error.message);
        return;
    }
    if (verdict == QKV__WORDS_PROVED && !mentions_free(s, solution.matrix)) {
        write_solution(s, &solution);
        return;
    }
    if (verdict == QKV__WORDS_LOST) {
        qkv__text_format(&s->finding->reason, "%s", s->t.theory.error.message);
        return;
    }
    if (refute(s)) return;
    qkv__text_format(&s->finding->reason, "No %s was found", s->t.unknown);
    for (size_t i = 0; i < solution.missing_count; i++)
        qkv__text_format(&s->finding->reason, "%s%s",
                         i == 0 ? "; this would have to be known: " : ", ", solution.missing[i]);
    qkv__text_format(&s->finding->reason, ".");
}

/* The side with the unknown first; then both sides as expressions. */
static bool take_apart(search *s, const qkv__node *equation)
{
    const qkv__node *with = equation->child[0], *without = equation->child[1];
    if (where(s, with) == FREE) {
        with = equation->child[1];
        without = equation->child[0];
    }
    linearity place = where(s, with);
    if (place == FREE)
        return fail(&s->t, equation, "%s does not occur in what is asked", s->t.unknown) != NULL;
    if (place == OTHER || where(s, without) != FREE) {
        qkv__text_format(&s->finding->reason, "only equations of the form %s*x = y are solved",
                         s->t.unknown);
        return false;
    }
    s->behind = place == BEHIND;
    s->given = translate(&s->t, with);
    s->wanted = s->given == NULL ? NULL : translate(&s->t, without);
    if (s->wanted == NULL) return false;
    if (s->behind) {
        s->given = qkv__expression_transpose(&s->t.theory, s->given);
        s->wanted = qkv__expression_transpose(&s->t.theory, s->wanted);
    }
    return s->given != NULL && s->wanted != NULL;
}

void qkv__find_words(qkv__model *model, const qkv__node *const *unknown, size_t unknown_count,
                     const qkv__node *proposition, const qkv__circumstances *circumstances,
                     qkv__finding *finding)
{
    search s = {.t = {.model = model,
                      .circumstances = circumstances,
                      .culprit = proposition,
                      .expected = -1},
                .finding = finding};
    each_premise(&s.t, note_premise, &s.t);
    if (unknown_count != 1 || proposition->kind != QKV__NODE_COMPARE ||
        proposition->comparison != QKV__EQUAL) {
        qkv__text_format(&finding->reason,
                         "of symbolic matrices one unknown in one equation can be found");
        return;
    }
    s.t.unknown = qkv__unknown_name(unknown[0]);
    if (!is_matrix(&s, unknown[0])) {
        qkv__text_format(&finding->reason,
                         "only matrices are found here; say matrix %s if it is one", s.t.unknown);
        return;
    }
    if (is_in_sight(&s, proposition) && assume_all(&s.t) && take_apart(&s, proposition) &&
        has_declared_size(&s, unknown[0])) {
        collect_free(&s, circumstances);
        s.t.culprit = proposition;
        if (make_free(&s))
            solve(&s);
        else if (s.t.message[0] == '\0')
            qkv__text_format(&finding->reason, "the sizes do not say what %s is multiplied by",
                             s.t.unknown);
    }
    if (s.t.message[0] != '\0') {
        finding->culprit = s.t.culprit;
        snprintf(finding->complaint, sizeof finding->complaint, "%s", s.t.message);
    }
    qkv__arena_free(&s.t.theory.arena);
}
