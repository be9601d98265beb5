/*
 * Softmax of a normal form. The one law: softmax(P*S*R) = P*softmax(S)*R for permutations P and R,
 * since exponentials and row sums do not care about order. So every permutation that makes the
 * argument smaller is moved out, and what is left becomes a letter of its own. Nothing else is
 * known of softmax: softmax(S)' is not softmax(S'), softmax(2*S) is not 2*softmax(S).
 */
#include "exact/words_internal.h"

#include <assert.h>
#include <string.h>

enum { NO_LETTER = -1 };

/* ---- Known softmax factors ----------------------------------------------------------------- */

/* The letter of softmax(argument), new or known; -1 without room. */
static int find_letter(qkv__work *work, const qkv__words *argument)
{
    struct qkv__rules *rules = work->theory->rules;
    for (size_t i = 0; i < rules->softmax_count; i++)
        if (qkv__words_compare(rules->softmax[i], argument) == 0) return 2 * (QKV__ATOMS + (int)i);
    if (rules->softmax_count == QKV__SOFTMAX_FACTORS) return NO_LETTER;
    const qkv__words *kept = qkv__words_keep(work->theory, argument);
    if (kept == NULL) return NO_LETTER;
    rules->softmax[rules->softmax_count] = kept;
    return 2 * (QKV__ATOMS + (int)rules->softmax_count++);
}

/* ---- Moving permutations out --------------------------------------------------------------- */

/* softmax(u * argument * v), where u and v are products of permutations. */
typedef struct pulled {
    const qkv__words *argument;
    size_t left_count, right_count;
    int left[QKV__LETTERS_AT_MOST];  /* u, outermost first */
    int right[QKV__LETTERS_AT_MOST]; /* v, outermost first */
} pulled;

static size_t total_length(const qkv__words *words)
{
    size_t sum = 0;
    for (size_t i = 0; i < words->count; i++) sum += words->word[i].length;
    return sum;
}

/* By the number of letters, then by words. */
static bool is_smaller(const qkv__words *a, const qkv__words *b)
{
    size_t length_a = total_length(a), length_b = total_length(b);
    return length_a != length_b ? length_a < length_b : qkv__words_compare(a, b) < 0;
}

/* outer' * argument * inner', reduced; NO_LETTER leaves a side alone. A permutation's transpose is
 * its inverse, so that this undoes softmax(outer * ... * inner). */
static const qkv__words *strip(qkv__work *work, const qkv__words *argument, int left, int right)
{
    int turned = qkv__letter_transpose(left);
    if (left != NO_LETTER)
        argument = qkv__words_multiply(work, qkv__words_letters(work, &turned, 1), argument);
    turned = qkv__letter_transpose(right);
    if (right != NO_LETTER)
        argument = qkv__words_multiply(work, argument, qkv__words_letters(work, &turned, 1));
    return qkv__words_reduce(work, argument);
}

/* The permutations in an argument, each once, as they stand; NO_LETTER comes first. Rules may have
 * moved a permutation inwards, so that it is not only the ends that count. */
typedef struct candidates {
    size_t count;
    int letter[1 + 2 * QKV__ATOMS];
} candidates;

static void add_candidate(candidates *list, int letter)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->letter[i] == letter) return;
    list->letter[list->count++] = letter;
}

static void list_candidates(const qkv__theory *theory, const qkv__words *words, candidates *list)
{
    *list = (candidates){.count = 1, .letter = {NO_LETTER}};
    for (size_t i = 0; i < words->count; i++)
        for (size_t k = 0; k < words->word[i].length; k++)
            if (qkv__letter_permutes(theory, words->word[i].letter[k]))
                add_candidate(list, words->word[i].letter[k]);
}

static bool has_size(const qkv__theory *theory, int letter, int size)
{
    return letter == NO_LETTER || qkv__letter_rows(theory, letter) == size;
}

typedef struct choice {
    const qkv__words *argument; /* NULL: nothing found yet */
    int left, right;
} choice;

static bool try_choice(qkv__work *work, const qkv__words *from, int left, int right, choice *best)
{
    if (left == NO_LETTER && right == NO_LETTER) return true;
    if (work->rewrites_left == 0) return false;
    work->rewrites_left--;
    size_t used = work->used_count;
    const qkv__words *stripped = strip(work, from, left, right);
    work->used_count = used; /* what is tried is not cited */
    if (stripped == NULL) return false;
    if (is_smaller(stripped, best->argument == NULL ? from : best->argument))
        *best = (choice){stripped, left, right};
    return true;
}

/* The pair of permutations whose removal leaves the smallest argument, if smaller at all. */
static bool find_choice(qkv__work *work, const qkv__words *argument, choice *best)
{
    candidates list;
    list_candidates(work->theory, argument, &list);
    *best = (choice){NULL, NO_LETTER, NO_LETTER};
    for (size_t i = 0; i < list.count; i++) {
        if (!has_size(work->theory, list.letter[i], argument->rows)) continue;
        for (size_t k = 0; k < list.count; k++)
            if (has_size(work->theory, list.letter[k], argument->columns) &&
                !try_choice(work, argument, list.letter[i], list.letter[k], best))
                return false;
    }
    return true;
}

static bool take_choice(qkv__work *work, const choice *best, pulled *state)
{
    state->argument = strip(work, state->argument, best->left, best->right); /* now cited */
    if (best->left != NO_LETTER) state->left[state->left_count++] = best->left;
    if (best->right != NO_LETTER) state->right[state->right_count++] = best->right;
    return state->argument != NULL && state->left_count < QKV__LETTERS_AT_MOST &&
           state->right_count < QKV__LETTERS_AT_MOST;
}

static bool pull_all(qkv__work *work, pulled *state)
{
    choice best;
    for (;;) {
        if (!find_choice(work, state->argument, &best)) return false;
        if (best.argument == NULL) return true;
        if (!take_choice(work, &best, state)) return false;
    }
}

/* ---- Citing the law ------------------------------------------------------------------------ */

/* A name for any matrix that the theory has no other use for. */
static const char *free_name(const qkv__theory *theory)
{
    static const char *const names[] = {"S", "T", "Z", "any_matrix"};
    size_t i = 0;
    while (i < 3 && qkv__theory_find(theory, names[i]) >= 0) i++;
    return names[i];
}

static void write_side(const qkv__theory *theory, const int *left, size_t left_count,
                       const char *middle, const int *right, size_t right_count, qkv__text *text)
{
    qkv__letters_write(theory, left, left_count, text);
    qkv__text_format(text, "%s%s%s", left_count > 0 ? "*" : "", middle, right_count > 0 ? "*" : "");
    qkv__letters_write(theory, right, right_count, text);
}

/* "softmax(P*S*P') = P*softmax(S)*P'"; right comes innermost first, as it is read. */
static bool cite(qkv__work *work, const pulled *state, const int *right)
{
    const qkv__theory *theory = work->theory;
    const char *name = free_name(theory);
    qkv__text text = {0}, factor = {0};
    qkv__text_format(&factor, "softmax(%s)", name);
    qkv__text_append(&text, "softmax(", 8);
    write_side(theory, state->left, state->left_count, name, right, state->right_count, &text);
    qkv__text_append(&text, ") = ", 4);
    write_side(theory, state->left, state->left_count, factor.failed ? "?" : factor.data, right,
               state->right_count, &text);
    text.failed |= factor.failed;
    int step = qkv__step_add(work->theory, &text, NULL);
    qkv__text_free(&factor);
    qkv__text_free(&text);
    if (step >= 0) qkv__step_use(work, step);
    return step >= 0;
}

const qkv__words *qkv__words_softmax(qkv__work *work, const qkv__words *argument)
{
    pulled *state = qkv__arena_take(&work->arena, sizeof *state);
    int *letter = qkv__arena_array(&work->arena, 2 * QKV__LETTERS_AT_MOST + 1, sizeof *letter);
    if (state == NULL || letter == NULL || argument == NULL) return NULL;
    state->argument = qkv__words_unshifted(work, argument);
    if (state->argument != NULL && state->argument->count == 0 && work->theory->numbers)
        return qkv__words_uniform(work, argument->rows, argument->columns);
    if (state->argument == NULL || !pull_all(work, state)) return NULL;
    int own = find_letter(work, state->argument);
    if (own == NO_LETTER) return NULL;
    size_t length = state->left_count + 1 + state->right_count;
    memcpy(letter, state->left, state->left_count * sizeof *letter);
    letter[state->left_count] = own;
    for (size_t i = 0; i < state->right_count; i++) letter[length - 1 - i] = state->right[i];
    if (length > 1 && !cite(work, state, letter + state->left_count + 1)) return NULL;
    return qkv__words_reduce(work, qkv__words_letters(work, letter, length));
}

/* ---- Permutations beside a softmax factor ---------------------------------------------------- */

/* "softmax(S)*P = P*softmax(S)", or with an empty right side "softmax(0)*P = softmax(0)". */
static bool cite_equality(qkv__work *work, const int *left, const int *right, size_t right_count)
{
    qkv__text text = {0};
    qkv__letters_write(work->theory, left, 2, &text);
    qkv__text_append(&text, " = ", 3);
    qkv__letters_write(work->theory, right, right_count, &text);
    int step = qkv__step_add(work->theory, &text, NULL);
    qkv__text_free(&text);
    if (step >= 0) qkv__step_use(work, step);
    return step >= 0;
}

/* Whether left' * S * right' = S for the argument S of a softmax letter. Reducing S may ask the
 * same of softmax factors in it, and under A*B = softmax(A*B) does so without end. */
static bool is_fixed(qkv__work *work, int letter, int left, int right)
{
    assert(qkv__letter_is_softmax(letter));
    const qkv__words *argument = work->theory->rules->softmax[letter / 2 - QKV__ATOMS];
    if (!has_size(work->theory, left, argument->rows) ||
        !has_size(work->theory, right, argument->columns))
        return false;
    if (work->rewrites_left == 0 || work->nesting == QKV__NESTING) return false;
    work->rewrites_left--;
    work->nesting++;
    size_t used = work->used_count;
    const qkv__words *moved = strip(work, argument, left, right);
    argument = qkv__words_reduce(work, argument); /* there may be new rules since it was made */
    work->nesting--;
    bool same = moved != NULL && argument != NULL && qkv__words_compare(moved, argument) == 0;
    if (!same) work->used_count = used;
    return same;
}

/* If P*S*P' = S then P*softmax(S)*P' = softmax(P*S*P') = softmax(S); transposed, the same holds
 * for softmax(S)'. */
bool qkv__softmax_commutes(qkv__work *work, int letter, int permutation)
{
    if (!is_fixed(work, letter, qkv__letter_transpose(permutation), permutation)) return false;
    return cite_equality(work, (int[]){letter, permutation}, (int[]){permutation, letter}, 2);
}

/* If S*P = S then softmax(S)*P = softmax(S*P) = softmax(S), and softmax(S)' = P'*softmax(S)'; if
 * P*S = S, the same on the other sides. */
bool qkv__softmax_absorbs(qkv__work *work, int first, int second)
{
    bool behind = qkv__letter_is_softmax(first);
    int letter = behind ? first : second, permutation = behind ? second : first;
    bool turned = letter % 2 != 0;
    int inner = turned ? permutation : qkv__letter_transpose(permutation);
    bool at_columns = behind != turned;
    if (!is_fixed(work, letter, at_columns ? NO_LETTER : inner, at_columns ? inner : NO_LETTER))
        return false;
    return cite_equality(work, (int[]){first, second}, &letter, 1);
}
