/* Sums of words: their order, merging, adding, multiplying and transposing, and the scratch memory
 * that all of it lives in. Knows nothing of rules: nothing here is reduced. */
#include "exact/words_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* ---- One question -------------------------------------------------------------------------- */

bool qkv__work_begin(qkv__work *work, qkv__theory *theory)
{
    work->theory = theory;
    work->arena = (qkv__arena){.limit = theory->scratch > 0 ? theory->scratch : QKV__SCRATCH_BYTES};
    work->rewrites_left = QKV__REWRITES;
    work->nesting = 0;
    work->used_count = 0;
    if (theory->rules == NULL)
        theory->rules = qkv__arena_take(&theory->arena, sizeof *theory->rules);
    return theory->rules != NULL && (!theory->numbers || qkv__theory_size(theory, 1) >= 0);
}

void qkv__work_end(qkv__work *work)
{
    qkv__arena_free(&work->arena);
}

qkv_status qkv__work_fail(qkv__work *work)
{
    qkv_error *error = &work->theory->error;
    bool filled = work->arena.used > QKV__SCRATCH_BYTES / 2; /* its own limit, not the machine's */
    if ((work->arena.failed || work->theory->arena.failed) && !filled)
        return qkv__fail(error, QKV_ERROR_MEMORY, "out of memory for matrix words");
    return qkv__fail(error, QKV_ERROR_UNSUPPORTED,
                     "the matrix words grew too large to be compared");
}

/* ---- Letters ------------------------------------------------------------------------------- */

int qkv__letter_rows(const qkv__theory *theory, int letter)
{
    assert(letter >= 0);
    assert(letter / 2 >= QKV__ATOMS || (size_t)(letter / 2) < theory->atom_count);
    int symbol = letter / 2;
    bool turned = letter % 2 != 0;
    if (symbol < QKV__ATOMS)
        return turned ? theory->atom[symbol].columns : theory->atom[symbol].rows;
    if (qkv__letter_is_special(letter)) {
        const qkv__special *special = qkv__letter_special(theory, letter);
        return turned ? special->columns : special->rows;
    }
    const qkv__words *argument = theory->rules->softmax[symbol - QKV__ATOMS];
    return turned ? argument->columns : argument->rows;
}

int qkv__letter_columns(const qkv__theory *theory, int letter)
{
    return qkv__letter_rows(theory, qkv__letter_transpose(letter));
}

bool qkv__letter_permutes(const qkv__theory *theory, int letter)
{
    return letter / 2 < QKV__ATOMS && theory->atom[letter / 2].permutation;
}

/* ---- Order --------------------------------------------------------------------------------- */

/* Letters of a word that are no numbers. */
static size_t count_matrices(const qkv__word *word)
{
    size_t count = 0;
    for (size_t i = 0; i < word->length; i++) count += !qkv__letter_is_number(word->letter[i]);
    return count;
}

int qkv__word_compare(const qkv__word *a, const qkv__word *b)
{
    const size_t own = count_matrices(a), other = count_matrices(b);
    if (own != other) return own < other ? -1 : 1;
    if (a->length != b->length) return a->length < b->length ? -1 : 1;
    for (size_t i = 0; i < a->length; i++)
        if (a->letter[i] != b->letter[i]) return a->letter[i] < b->letter[i] ? -1 : 1;
    return 0;
}

static int compare_for_sort(const void *a, const void *b)
{
    return qkv__word_compare(a, b);
}

int qkv__words_compare(const qkv__words *a, const qkv__words *b)
{
    if (a->rows != b->rows) return a->rows < b->rows ? -1 : 1;
    if (a->columns != b->columns) return a->columns < b->columns ? -1 : 1;
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (size_t i = 0; i < a->count; i++) {
        int order = qkv__word_compare(&a->word[i], &b->word[i]);
        if (order == 0)
            order = qkv__rational_compare(a->word[i].coefficient, b->word[i].coefficient);
        if (order != 0) return order;
    }
    return 0;
}

/* ---- Building ------------------------------------------------------------------------------ */

static qkv__words *new_words(qkv__arena *arena, int rows, int columns, size_t count)
{
    if (count > QKV__WORDS_AT_MOST) return NULL;
    qkv__words *words = qkv__arena_take(arena, sizeof *words);
    qkv__word *word = qkv__arena_array(arena, count, sizeof *word);
    if (words == NULL || word == NULL) return NULL;
    *words = (qkv__words){.rows = rows, .columns = columns, .count = count, .word = word};
    return words;
}

const qkv__words *qkv__words_merge(qkv__words *words)
{
    if (words == NULL) return NULL;
    if (words->count > 1) qsort(words->word, words->count, sizeof words->word[0], compare_for_sort);
    size_t kept = 0;
    for (size_t i = 0; i < words->count; i++) {
        qkv__word word = words->word[i];
        for (; i + 1 < words->count && qkv__word_compare(&word, &words->word[i + 1]) == 0; i++)
            word.coefficient = qkv__rational_add(word.coefficient, words->word[i + 1].coefficient);
        if (qkv__rational_is_lost(word.coefficient)) return NULL;
        if (!qkv__rational_is_zero(word.coefficient)) words->word[kept++] = word;
    }
    words->count = kept;
    return words;
}

const qkv__words *qkv__words_zero(qkv__work *work, int rows, int columns)
{
    return new_words(&work->arena, rows, columns, 0);
}

const qkv__words *qkv__words_identity(qkv__work *work, int size)
{
    qkv__words *words = new_words(&work->arena, size, size, 1);
    if (words != NULL) words->word[0] = (qkv__word){.coefficient = qkv__rational_whole(1)};
    return words;
}

/* Letters of both, one behind the other; NULL when there are too many. */
static const int *join(qkv__arena *arena, const qkv__word *a, const qkv__word *b)
{
    if (a->length + b->length > QKV__LETTERS_AT_MOST) return NULL;
    int *letter = qkv__arena_array(arena, a->length + b->length, sizeof *letter);
    if (letter == NULL) return NULL;
    if (a->length > 0) memcpy(letter, a->letter, a->length * sizeof *letter);
    if (b->length > 0) memcpy(letter + a->length, b->letter, b->length * sizeof *letter);
    return letter;
}

const qkv__words *qkv__words_letters(qkv__work *work, const int *letter, size_t length)
{
    assert(length > 0);
    const qkv__word all = {.length = length, .letter = letter}, nothing = {.length = 0};
    size_t first = qkv__word_numbers(&all); /* numbers in front have no say */
    if (first == length) first = 0;
    qkv__words *words = new_words(&work->arena, qkv__letter_rows(work->theory, letter[first]),
                                  qkv__letter_columns(work->theory, letter[length - 1]), 1);
    const int *copy = join(&work->arena, &all, &nothing);
    if (words == NULL || copy == NULL) return NULL;
    words->word[0] = (qkv__word){qkv__rational_whole(1), length, copy};
    return words;
}

const qkv__words *qkv__words_add(qkv__work *work, const qkv__words *a, const qkv__words *b,
                                 qkv__rational factor)
{
    assert(a == NULL || b == NULL || (a->rows == b->rows && a->columns == b->columns));
    if (a == NULL || b == NULL) return NULL;
    qkv__words *sum = new_words(&work->arena, a->rows, a->columns, a->count + b->count);
    if (sum == NULL) return NULL;
    if (a->count > 0) memcpy(sum->word, a->word, a->count * sizeof a->word[0]);
    for (size_t i = 0; i < b->count; i++) {
        qkv__word word = b->word[i];
        word.coefficient = qkv__rational_multiply(word.coefficient, factor);
        sum->word[a->count + i] = word;
    }
    return qkv__words_merge(sum);
}

const qkv__words *qkv__words_multiply(qkv__work *work, const qkv__words *a, const qkv__words *b)
{
    if (a == NULL || b == NULL) return NULL;
    if (a->columns != b->rows && work->theory->numbers) { /* one of them is a number */
        const bool number = work->theory->dimension[a->rows].size == 1 && a->rows == a->columns;
        return number ? qkv__words_times(work, a, b) : qkv__words_times(work, b, a);
    }
    assert(a->columns == b->rows);
    qkv__words *product = new_words(&work->arena, a->rows, b->columns, a->count * b->count);
    if (product == NULL) return NULL;
    for (size_t i = 0; i < product->count; i++) {
        const qkv__word *left = &a->word[i / b->count], *right = &b->word[i % b->count];
        const int *letter = join(&work->arena, left, right);
        if (letter == NULL) return NULL;
        product->word[i] = (qkv__word){
            .coefficient = qkv__rational_multiply(left->coefficient, right->coefficient),
            .length = left->length + right->length,
            .letter = letter};
    }
    return qkv__words_merge(product);
}

const qkv__words *qkv__words_transpose(qkv__work *work, const qkv__words *a)
{
    if (a == NULL) return NULL;
    qkv__words *turned = new_words(&work->arena, a->columns, a->rows, a->count);
    if (turned == NULL) return NULL;
    for (size_t i = 0; i < a->count; i++) {
        size_t length = a->word[i].length;
        int *letter = qkv__arena_array(&work->arena, length, sizeof *letter);
        if (letter == NULL) return NULL;
        for (size_t k = 0; k < length; k++)
            letter[k] = qkv__letter_transpose(a->word[i].letter[length - 1 - k]);
        turned->word[i] = (qkv__word){a->word[i].coefficient, length, letter};
    }
    return qkv__words_merge(turned);
}

const qkv__words *qkv__words_keep(qkv__theory *theory, const qkv__words *words)
{
    if (words == NULL) return NULL;
    const qkv__word nothing = {.length = 0};
    qkv__words *copy = new_words(&theory->arena, words->rows, words->columns, words->count);
    for (size_t i = 0; copy != NULL && i < words->count; i++) {
        copy->word[i] = words->word[i];
        copy->word[i].letter = join(&theory->arena, &words->word[i], &nothing);
        if (copy->word[i].letter == NULL) return NULL;
    }
    return copy;
}
