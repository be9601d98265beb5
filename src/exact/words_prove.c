/* The questions: does an equation follow, and is there an M with M*given = wanted. Knows nothing of
 * numbers: what it cannot prove it leaves open. */
#include "exact/words_internal.h"

#include <assert.h>

#include "base/error.h"

/* ---- Equality ------------------------------------------------------------------------------ */

static bool keep_steps(const qkv__work *work, qkv__words_proof *proof)
{
    const char **step = qkv__arena_array(&work->theory->arena, work->used_count, sizeof *step);
    if (step == NULL) return false;
    for (size_t i = 0; i < work->used_count; i++)
        step[i] = work->theory->rules->step[work->used[i]].text;
    proof->step = step;
    proof->step_count = work->used_count;
    return true;
}

/* The normal forms of both sides; false: lost, or one has no value at all. */
static bool bring_to_normal_form(qkv__work *work, const qkv__expression *left,
                                 const qkv__expression *right, qkv__words_proof *proof)
{
    qkv__theory *theory = work->theory;
    if (theory->numbers) { /* an inverse brings rules, which all parts shall know */
        qkv__words_normal(work, left);
        qkv__words_normal(work, right);
        work->used_count = 0;
    }
    proof->left = qkv__words_keep(theory, qkv__words_normal(work, left));
    proof->right = qkv__words_keep(theory, qkv__words_normal(work, right));
    if (proof->left == NULL || proof->right == NULL) {
        qkv__work_fail(work);
        return false;
    }
    if (theory->contradictory)
        qkv__fail(&theory->error, QKV_ERROR_ARGUMENT, "an inverse in the claim exists nowhere");
    return !theory->contradictory;
}

static qkv__words_verdict compare(qkv__work *work, const qkv__expression *left,
                                  const qkv__expression *right, bool at_most,
                                  qkv__words_proof *proof)
{
    if (!bring_to_normal_form(work, left, right, proof)) return QKV__WORDS_LOST;
    bool holds = qkv__words_compare(proof->left, proof->right) == 0 ||
                 (work->theory->numbers && qkv__words_cross_equal(work, proof));
    if (!holds && at_most)
        holds = qkv__words_is_nonnegative(
            work, qkv__words_add(work, proof->right, proof->left, qkv__rational_whole(-1)));
    if (!keep_steps(work, proof)) {
        qkv__work_fail(work);
        return QKV__WORDS_LOST;
    }
    return holds ? QKV__WORDS_PROVED : QKV__WORDS_UNKNOWN;
}

static qkv__words_verdict ask(qkv__theory *theory, const qkv__expression *left,
                              const qkv__expression *right, bool at_most, qkv__words_proof *proof)
{
    *proof = (qkv__words_proof){0};
    if (!qkv__expression_agree(theory, &left, &right))
        return theory->error.status == QKV_ERROR_SHAPE ? QKV__WORDS_ILL_POSED : QKV__WORDS_LOST;
    if (theory->contradictory) {
        qkv__fail(&theory->error, QKV_ERROR_ARGUMENT, "the assumptions contradict each other");
        return QKV__WORDS_LOST;
    }
    qkv__work work;
    qkv__words_verdict verdict = QKV__WORDS_LOST;
    if (qkv__work_begin(&work, theory))
        verdict = compare(&work, left, right, at_most, proof);
    else
        qkv__work_fail(&work);
    qkv__work_end(&work);
    return verdict;
}

qkv__words_verdict qkv__words_equal(qkv__theory *theory, const qkv__expression *left,
                                    const qkv__expression *right, qkv__words_proof *proof)
{
    return ask(theory, left, right, false, proof);
}

qkv__words_verdict qkv__words_at_most(qkv__theory *theory, const qkv__expression *left,
                                      const qkv__expression *right, qkv__words_proof *proof)
{
    return ask(theory, left, right, true, proof);
}

/* ---- Normal forms back to expressions ------------------------------------------------------- */

static const qkv__expression *expression_of(qkv__theory *theory, const qkv__words *words);

static const qkv__expression *letter_expression(qkv__theory *theory, int letter)
{
    int symbol = letter / 2;
    const qkv__expression *e;
    assert(!qkv__letter_is_special(letter)); /* questions for M are asked without numbers */
    if (symbol < QKV__ATOMS) {
        e = qkv__expression_atom(theory, symbol);
    } else {
        e = expression_of(theory, theory->rules->softmax[symbol - QKV__ATOMS]);
        e = qkv__expression_softmax(theory, e);
    }
    return letter % 2 != 0 ? qkv__expression_transpose(theory, e) : e;
}

static const qkv__expression *word_expression(qkv__theory *theory, const qkv__word *word)
{
    const qkv__expression *product = qkv__expression_identity(theory, QKV__ANY_SIZE);
    for (size_t i = 0; i < word->length; i++)
        product =
            qkv__expression_multiply(theory, product, letter_expression(theory, word->letter[i]));
    return qkv__expression_scale(theory, word->coefficient, product);
}

/* A sum without words is the 0 of that shape; one word stands without a 0 before it. */
static const qkv__expression *expression_of(qkv__theory *theory, const qkv__words *words)
{
    const qkv__expression *sum = qkv__expression_zero(theory, words->rows, words->columns);
    for (size_t i = 0; i < words->count; i++) {
        const qkv__expression *word = word_expression(theory, &words->word[i]);
        if (!qkv__expression_agree(theory, &sum, &word)) return NULL;
        sum = i == 0 ? word : qkv__expression_add(theory, sum, word);
    }
    return sum;
}

/* ---- Finding M ------------------------------------------------------------------------------ */

typedef struct finder {
    qkv__theory *theory;
    qkv__work *work;
    const int *free_atoms;
    size_t free_count;
    const qkv__expression *given[QKV__ATOMS];  /* C_v: given = sum C_v*v; NULL for C_v = 0 */
    const qkv__expression *wanted[QKV__ATOMS]; /* D_v */
    const char **missing;
    size_t missing_count;
} finder;

static bool add_missing(finder *f, const qkv__text *text)
{
    char *copy = text->failed ? NULL : qkv__arena_text(&f->theory->arena, text->data, text->length);
    if (copy == NULL) return false;
    f->missing[f->missing_count++] = copy;
    return true;
}

/* The words that end in the atom, without it, as an expression; how many they were. */
static const qkv__expression *coefficient_of(finder *f, const qkv__words *words, int atom,
                                             size_t *count)
{
    const qkv__expression *sum = NULL;
    int size = f->theory->atom[atom].rows;
    for (size_t i = 0; i < words->count; i++) {
        qkv__word word = words->word[i];
        if (word.length == 0 || word.letter[word.length - 1] != 2 * atom) continue;
        word.length--;
        const qkv__expression *part = word_expression(f->theory, &word);
        const qkv__expression *shape = qkv__expression_zero(f->theory, words->rows, size);
        if (!qkv__expression_agree(f->theory, &part, &shape)) return NULL;
        sum = sum == NULL ? part : qkv__expression_add(f->theory, sum, part);
        ++*count;
    }
    return sum;
}

/* Splits an expression by its last atoms; false when some word ends in none of them. */
static bool split(finder *f, const qkv__expression *e, const qkv__expression **coefficient)
{
    const qkv__words *words = qkv__words_normal(f->work, e);
    if (words == NULL) return false;
    size_t count = 0;
    for (size_t i = 0; i < f->free_count; i++)
        coefficient[i] = coefficient_of(f, words, f->free_atoms[i], &count);
    if (count == words->count) return true;
    if (f->theory->arena.failed) return false;
    qkv__text text = {0};
    qkv__words_write(f->theory, words, &text);
    qkv__text_format(&text, " as a sum of products that end in");
    for (size_t i = 0; i < f->free_count; i++)
        qkv__text_format(&text, "%s %s", i == 0 ? "" : " or",
                         f->theory->atom[f->free_atoms[i]].name);
    add_missing(f, &text);
    qkv__text_free(&text);
    return false;
}

/* Notes left = right as missing unless it follows. */
static bool require(finder *f, const qkv__expression *left, const qkv__expression *right)
{
    qkv__words_proof proof;
    if (qkv__words_equal(f->theory, left, right, &proof) == QKV__WORDS_PROVED) return true;
    qkv__text text = {0};
    qkv__expression_write(f->theory, left, &text);
    qkv__text_append(&text, " = ", 3);
    qkv__expression_write(f->theory, right, &text);
    bool added = add_missing(f, &text);
    qkv__text_free(&text);
    return added;
}

/* Notes that the given sum does not know v at all. */
static bool require_term(finder *f, size_t v)
{
    qkv__text text = {0};
    qkv__text_format(&text, "a term with %s", f->theory->atom[f->free_atoms[v]].name);
    bool added = add_missing(f, &text);
    qkv__text_free(&text);
    return added;
}

/* C_v'*C_u = I for u = v, else 0, for every v with D_v not 0. */
static bool require_all(finder *f)
{
    qkv__theory *theory = f->theory;
    const qkv__expression *one = qkv__expression_identity(theory, QKV__ANY_SIZE);
    const qkv__expression *zero = qkv__expression_zero(theory, QKV__ANY_SIZE, QKV__ANY_SIZE);
    for (size_t v = 0; v < f->free_count; v++) {
        if (f->wanted[v] != NULL && f->given[v] == NULL && !require_term(f, v)) return false;
        if (f->wanted[v] == NULL || f->given[v] == NULL) continue;
        const qkv__expression *turned = qkv__expression_transpose(theory, f->given[v]);
        for (size_t u = 0; u < f->free_count; u++) {
            if (f->given[u] == NULL) continue;
            const qkv__expression *product = qkv__expression_multiply(theory, turned, f->given[u]);
            if (product == NULL || !require(f, product, u == v ? one : zero)) return false;
        }
    }
    return true;
}

/* sum D_v*C_v', tidied up by way of its normal form; NULL for a sum without terms. */
static const qkv__expression *propose(finder *f)
{
    const qkv__expression *sum = NULL;
    for (size_t v = 0; v < f->free_count; v++) {
        if (f->wanted[v] == NULL || f->given[v] == NULL) continue;
        const qkv__expression *turned = qkv__expression_transpose(f->theory, f->given[v]);
        const qkv__expression *part = qkv__expression_multiply(f->theory, f->wanted[v], turned);
        sum = sum == NULL ? part : qkv__expression_add(f->theory, sum, part);
    }
    const qkv__words *words = sum == NULL ? NULL : qkv__words_normal(f->work, sum);
    return words == NULL ? NULL : expression_of(f->theory, words);
}

static qkv__words_verdict find(finder *f, const qkv__expression *given,
                               const qkv__expression *wanted, qkv__words_solution *solution)
{
    if (!split(f, given, f->given) || !split(f, wanted, f->wanted))
        return f->missing_count > 0 ? QKV__WORDS_UNKNOWN : QKV__WORDS_LOST;
    const qkv__expression *matrix = propose(f);
    if (matrix == NULL) /* nothing is wanted: the zero matrix does it */
        matrix = qkv__expression_zero(f->theory, wanted->rows, given->rows);
    const qkv__expression *product = qkv__expression_multiply(f->theory, matrix, given);
    qkv__words_verdict verdict = qkv__words_equal(f->theory, product, wanted, &solution->proof);
    if (verdict == QKV__WORDS_PROVED) solution->matrix = matrix;
    if (verdict == QKV__WORDS_UNKNOWN && !require_all(f)) verdict = QKV__WORDS_LOST;
    return verdict;
}

/* M*given = wanted needs as many columns on both sides; the rows are M's. */
static bool can_find(qkv__theory *theory, const qkv__expression *given,
                     const qkv__expression *wanted)
{
    if (given == NULL || wanted == NULL) return false;
    if (given->rows >= 0 && wanted->rows >= 0 && given->columns >= 0 &&
        given->columns == wanted->columns)
        return true;
    qkv__fail(&theory->error, QKV_ERROR_SHAPE, "no matrix turns %s columns into %s",
              given->columns < 0 ? "?" : theory->dimension[given->columns].name,
              wanted->columns < 0 ? "?" : theory->dimension[wanted->columns].name);
    return false;
}

qkv__words_verdict qkv__words_find(qkv__theory *theory, const qkv__expression *given,
                                   const qkv__expression *wanted, const int *free_atoms,
                                   size_t free_count, qkv__words_solution *solution)
{
    assert(free_count <= QKV__ATOMS);
    *solution = (qkv__words_solution){0};
    if (!can_find(theory, given, wanted))
        return theory->error.status == QKV_ERROR_SHAPE ? QKV__WORDS_ILL_POSED : QKV__WORDS_LOST;
    qkv__work work;
    finder f = {
        .theory = theory, .work = &work, .free_atoms = free_atoms, .free_count = free_count};
    if (free_count > QKV__ATOMS || !qkv__work_begin(&work, theory)) {
        qkv__fail(&theory->error, QKV_ERROR_MEMORY, "no room to find a matrix");
        return QKV__WORDS_LOST;
    }
    /* At most a line for every pair, one for every v, and one for what cannot be split. */
    size_t lines = free_count * (free_count + 1) + 1;
    f.missing = qkv__arena_array(&theory->arena, lines, sizeof *f.missing);
    qkv__words_verdict verdict =
        f.missing == NULL ? QKV__WORDS_LOST : find(&f, given, wanted, solution);
    if (verdict == QKV__WORDS_LOST && !theory->contradictory) qkv__work_fail(&work);
    qkv__work_end(&work);
    solution->missing = f.missing;
    solution->missing_count = f.missing_count;
    return verdict;
}
