/* Equations of matrices to verdicts, and matrices that are asked for. Knows expressions of the
 * words engine and how they were translated; nothing of other engines. */
#include "claim/words/words_engine.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "claim/model/binding.h"
#include "claim/words/matrix_witness.h"
#include "claim/words/words_part.h"
#include "exact/words.h"
#include "language/tree.h"

/* ---- Deciding ------------------------------------------------------------------------ */

/* Claims joined by `and` find several things. */
static void begin_found(qkv__finding *finding)
{
    if (finding->found.length > 0) qkv__text_format(&finding->found, "; ");
}

static void write_proof(const qkv__translation *t, const qkv__words_proof *proof,
                        qkv__finding *finding)
{
    begin_found(finding);
    qkv__words_write(&t->theory, proof->left, &finding->found);
    qkv__text_format(&finding->reason, "%sBoth sides have this normal form",
                     finding->reason.length > 0 ? " " : "");
    for (size_t i = 0; i < proof->step_count; i++)
        qkv__text_format(&finding->reason, "%s%s", i == 0 ? ", by " : ", ", proof->step[i]);
    qkv__text_format(&finding->reason, ".");
}

static void decide_equation(qkv__translation *t, const qkv__expression *left,
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
        if (witness.tries == 0) {
            qkv__text_format(&finding->reason,
                             "no examples were tried: the matrices are too large");
            break;
        }
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

/* Norms, ranks and traces: by bounds that hold for all matrices. */
static bool prove_order(qkv__translation *t, const qkv__expression *left,
                        const qkv__expression *right, qkv__finding *finding)
{
    qkv__words_proof proof;
    bool zero = left->kind == QKV__EXPRESSION_ZERO || right->kind == QKV__EXPRESSION_ZERO;
    if ((left->form != QKV__FORM_NUMBER && right->form != QKV__FORM_NUMBER) ||
        (left->form != right->form && !zero) ||
        qkv__words_at_most(&t->theory, left, right, &proof) != QKV__WORDS_PROVED)
        return false;
    qkv__text_format(&finding->reason, "%s", finding->reason.length > 0 ? " " : "");
    for (size_t i = 0; i < proof.step_count; i++)
        qkv__text_format(&finding->reason, "%s%s", i == 0 ? "By these bounds: " : "; ",
                         proof.step[i]);
    qkv__text_format(&finding->reason,
                     proof.step_count == 0 ? "No term of the difference can be negative." : ".");
    finding->verdict = QKV__PROVED;
    finding->engine = "exact";
    return true;
}

/* The same where a claim speaks of numbers too: it is proved, or left to the search. */
static void decide_with_numbers(qkv__translation *t, const qkv__expression *left,
                                const qkv__expression *right, qkv__finding *finding)
{
    qkv__words_proof proof;
    const qkv__words_verdict verdict = qkv__words_equal(&t->theory, left, right, &proof);
    if (verdict == QKV__WORDS_PROVED) write_proof(t, &proof, finding);
    if (verdict == QKV__WORDS_ILL_POSED)
        qkv__text_format(&finding->reason, "%s.", t->theory.error.message);
    if (verdict == QKV__WORDS_PROVED || verdict == QKV__WORDS_ILL_POSED) {
        finding->verdict = verdict == QKV__WORDS_PROVED ? QKV__PROVED : QKV__REFUTED;
        finding->engine = "exact";
        return;
    }
    if (prove_order(t, left, right, finding) && prove_order(t, right, left, finding)) return;
    qkv__finding_free(finding);
    finding->verdict = QKV__UNDECIDED;
    finding->engine = "";
    qkv__text_format(&finding->reason, "the two sides have different normal forms");
}

void qkv__decide_words_order(qkv__model *model, const qkv__node *comparison,
                             const qkv__circumstances *circumstances, qkv__finding *finding)
{
    assert(comparison->kind == QKV__NODE_COMPARE);
    qkv__translation t = {.model = model,
                          .theory = {.numbers = true},
                          .circumstances = circumstances,
                          .culprit = comparison,
                          .expected = -1};
    const qkv__expression *left, *right;
    const bool below = comparison->comparison == QKV__LESS_OR_EQUAL;
    bool proved = (below || comparison->comparison == QKV__GREATER_OR_EQUAL) &&
                  qkv__words_translate_sides(&t, comparison, &left, &right) &&
                  prove_order(&t, below ? left : right, below ? right : left, finding);
    if (!proved && t.message[0] != '\0' && !t.unable && !t.misshapen) {
        finding->culprit = t.culprit;
        snprintf(finding->complaint, sizeof finding->complaint, "%s", t.message);
    } else if (!proved) {
        qkv__text_format(&finding->reason, "%s",
                         t.message[0] != '\0' ? t.message
                                              : "no bound on norms, traces or ranks decides it");
    }
    qkv__arena_free(&t.theory.arena);
}

void qkv__decide_words(qkv__model *model, const qkv__node *comparison,
                       const qkv__circumstances *circumstances, qkv__finding *finding)
{
    qkv__translation t = {
        .model = model, .circumstances = circumstances, .culprit = comparison, .expected = -1};
    const qkv__expression *left, *right;
    if (qkv__words_translate_sides(&t, comparison, &left, &right)) {
        decide_equation(&t, left, right, finding);
    } else { /* there may be numbers in it */
        qkv__arena_free(&t.theory.arena);
        t = (qkv__translation){.model = model,
                               .theory = {.numbers = true},
                               .circumstances = circumstances,
                               .culprit = comparison,
                               .expected = -1};
        if (qkv__words_translate_sides(&t, comparison, &left, &right))
            decide_with_numbers(&t, left, right, finding);
    }
    if (t.confined && finding->verdict == QKV__REFUTED) {
        qkv__finding_free(finding);
        finding->verdict = QKV__UNDECIDED;
        finding->engine = "";
        qkv__text_format(&finding->reason, "the conditions on the sizes are beyond the search");
    }
    if (t.misshapen && t.confined) {
        qkv__text_format(&finding->reason, "%s, unless the conditions on the sizes exclude it",
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
    for (int numbers = 0; numbers < 2; numbers++) {
        qkv__translation t = {.model = model,
                              .theory = {.numbers = numbers != 0},
                              .culprit = comparison,
                              .expected = -1};
        const qkv__expression *left, *right;
        qkv__words_proof proof;
        const bool read = qkv__words_translate_sides(&t, comparison, &left, &right);
        if (read) {
            qkv__words_verdict verdict = qkv__words_equal(&t.theory, left, right, &proof);
            if (verdict == QKV__WORDS_PROVED || verdict == QKV__WORDS_UNKNOWN)
                listener(data, &t.theory, left, right, &proof);
        }
        qkv__arena_free(&t.theory.arena);
        if (read) return;
    }
}

/* ---- Finding a matrix ---------------------------------------------------------------- */

/* M*given = wanted, taken apart. */
typedef struct search {
    qkv__translation t;
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
    if (depth > QKV__WORDS_DEPTH) return true;
    if (qkv__node_is_word(node)) {
        const qkv__binding *binding = qkv__model_find(s->t.model, NULL, node->text);
        const qkv__node *body =
            binding == NULL || binding->function == NULL || qkv__words_is_unknown(&s->t, node)
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
                         "%s occurs in a definition or an assumption, which is not supported",
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
    const qkv__node *declared = unknown->kind == QKV__NODE_CALL    ? unknown->child[0]
                                : unknown->kind == QKV__NODE_INDEX ? unknown
                                                                   : NULL;
    if (declared == NULL && binding != NULL) declared = binding->symbolic;
    if (declared == NULL || declared->kind != QKV__NODE_INDEX) return true;
    if (declared->count != 3)
        return qkv__words_fail(&s->t, unknown, "a matrix needs its rows and columns: %s[n, d]",
                               s->t.unknown) != NULL;
    int rows = qkv__words_dimension_of(&s->t, declared->child[1]);
    int columns = qkv__words_dimension_of(&s->t, declared->child[2]);
    int above = s->behind ? s->given->rows : s->wanted->rows;
    int beside = s->behind ? s->wanted->rows : s->given->rows;
    if ((above < 0 || rows == above) && (beside < 0 || columns == beside)) return true;
    return qkv__words_fail(&s->t, unknown, "%s is declared with sizes that do not fit",
                           s->t.unknown) != NULL;
}

/* Where the unknown stands in a side of the equation. */
static linearity where(search *s, const qkv__node *node)
{
    qkv__rational number;
    if (!qkv__node_mentions(node, s->t.unknown)) return FREE;
    switch (node->kind) {
    case QKV__NODE_NAME: return BARE;
    case QKV__NODE_CALL: /* M(x + y) */
        return qkv__words_is_unknown(&s->t, node) && node->count == 1 &&
                       where(s, node->child[0]) == FREE
                   ? FRONT
                   : OTHER;
    case QKV__NODE_NEGATE: return where(s, node->child[0]);
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT: return sum_of(where(s, node->child[0]), where(s, node->child[1]));
    case QKV__NODE_DIVIDE: return where(s, node->child[0]);
    case QKV__NODE_MULTIPLY:
        if (qkv__words_is_number(&s->t, node->child[0], &number)) return where(s, node->child[1]);
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
    for (size_t i = 0; i < circumstances->count; i++) {
        const qkv__circumstance *c = &circumstances->item[i];
        if (c->kind == QKV__CONDITION_RANGE && qkv__node_is_word(c->node)) add_free(s, c->node);
    }
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
        return qkv__words_fail(&s->t, s->t.culprit, "the sides have different numbers of columns%s",
                               "") != NULL;
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
        qkv__words_fail(&s->t, s->t.culprit, "%s", s->t.theory.error.message);
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
    assert(equation->kind == QKV__NODE_COMPARE);
    const qkv__node *with = equation->child[0], *without = equation->child[1];
    if (where(s, with) == FREE) {
        with = equation->child[1];
        without = equation->child[0];
    }
    linearity place = where(s, with);
    if (place == FREE)
        return qkv__words_fail(&s->t, equation, "%s does not occur in the question",
                               s->t.unknown) != NULL;
    if (place == OTHER || where(s, without) != FREE) {
        qkv__text_format(&s->finding->reason, "only equations of the form %s*x = y are solved",
                         s->t.unknown);
        return false;
    }
    s->behind = place == BEHIND;
    s->given = qkv__words_translate(&s->t, with);
    s->wanted = s->given == NULL ? NULL : qkv__words_translate(&s->t, without);
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
    qkv__words_each_premise(&s.t, qkv__words_note_premise, &s.t);
    if (unknown_count != 1 || proposition->kind != QKV__NODE_COMPARE ||
        proposition->comparison != QKV__EQUAL) {
        qkv__text_format(&finding->reason,
                         "with symbolic matrices, only one unknown in one equation can be found");
        return;
    }
    s.t.unknown = qkv__unknown_name(unknown[0]);
    if (!is_matrix(&s, unknown[0])) {
        qkv__text_format(&finding->reason,
                         "only matrices can be found here: write matrix %s if it is one",
                         s.t.unknown);
        return;
    }
    if (is_in_sight(&s, proposition) && qkv__words_assume_all(&s.t) &&
        take_apart(&s, proposition) && has_declared_size(&s, unknown[0])) {
        collect_free(&s, circumstances);
        s.t.culprit = proposition;
        if (s.wanted->kind == QKV__EXPRESSION_ZERO) {
            qkv__text_format(&finding->found, "%s = 0", s.t.unknown);
            qkv__text_format(&finding->reason, "This makes both sides 0.");
            finding->verdict = QKV__PROVED;
            finding->engine = "exact";
        } else if (make_free(&s))
            solve(&s);
        else if (s.t.message[0] == '\0')
            qkv__text_format(&finding->reason,
                             "the sizes do not determine what %s is multiplied by", s.t.unknown);
    }
    if (s.t.message[0] != '\0' && s.t.unable) {
        if (finding->reason.length == 0) qkv__text_format(&finding->reason, "%s", s.t.message);
    } else if (s.t.message[0] != '\0') {
        finding->culprit = s.t.culprit;
        snprintf(finding->complaint, sizeof finding->complaint, "%s", s.t.message);
    }
    qkv__arena_free(&s.t.theory.arena);
}
