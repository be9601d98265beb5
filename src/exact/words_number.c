/*
 * Numbers among matrix words: parameters, products of size 1 by 1, and values of functions are
 * letters that stand in front of a word, in order, and cancel against each other. Knows the laws of
 * such letters; nothing of how functions are taken of matrices.
 */
#include "exact/words_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- Letters ------------------------------------------------------------------------------- */

bool qkv__letter_is(const qkv__theory *theory, int letter, qkv__function function)
{
    return qkv__letter_is_special(letter) &&
           qkv__letter_special(theory, letter)->function == function;
}

bool qkv__letter_is_nonnegative(const qkv__theory *theory, int letter)
{
    return qkv__letter_is_number(letter) && qkv__letter_special(theory, letter)->nonnegative;
}

size_t qkv__word_numbers(const qkv__word *word)
{
    size_t count = 0;
    while (count < word->length && qkv__letter_is_number(word->letter[count])) count++;
    return count;
}

bool qkv__letters_are_gram(const int *letter, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (letter[i] != qkv__letter_transpose(letter[length - 1 - i])) return false;
    return length % 2 == 0;
}

static bool is_same(const qkv__special *a, const qkv__special *b)
{
    if (a->function != b->function || a->rows != b->rows || a->columns != b->columns) return false;
    if (a->name != NULL) return strcmp(a->name, b->name) == 0;
    return a->argument == NULL || qkv__words_compare(a->argument, b->argument) == 0;
}

int qkv__special_letter(qkv__work *work, qkv__special special)
{
    struct qkv__rules *rules = work->theory->rules;
    const bool number = special.function < QKV__FUNCTION_INVERSE;
    const size_t first = number ? QKV__MATRICES : 0, most = number ? QKV__NUMBERS : QKV__MATRICES;
    size_t *count = number ? &rules->number_count : &rules->matrix_count;
    for (size_t i = first; i < first + *count; i++) {
        if (!is_same(&special, &rules->special[i])) continue;
        rules->special[i].nonnegative |= special.nonnegative;
        rules->special[i].nonzero |= special.nonzero;
        return 2 * (QKV__FIRST_SPECIAL + (int)i);
    }
    if (*count == most) return -1;
    if (special.argument != NULL) {
        special.argument = qkv__words_keep(work->theory, special.argument);
        if (special.argument == NULL) return -1;
    }
    rules->special[first + *count] = special;
    return 2 * (QKV__FIRST_SPECIAL + (int)(first + (*count)++));
}

/* ---- Words of numbers ---------------------------------------------------------------------- */

qkv__words *qkv__words_one(qkv__work *work, int rows, int columns, qkv__rational coefficient,
                           const int *letter, size_t length)
{
    qkv__words *words = qkv__arena_take(&work->arena, sizeof *words);
    qkv__word *word = qkv__arena_take(&work->arena, sizeof *word);
    int *copy = qkv__arena_array(&work->arena, length + 1, sizeof *copy);
    if (words == NULL || word == NULL || copy == NULL || length > QKV__LETTERS_AT_MOST) return NULL;
    if (length > 0) memcpy(copy, letter, length * sizeof *copy);
    *word = (qkv__word){coefficient, length, copy};
    *words = (qkv__words){rows, columns, 1, word};
    return words;
}

const qkv__words *qkv__words_number(qkv__work *work, qkv__rational number)
{
    int unit = qkv__theory_size(work->theory, 1);
    if (unit < 0 || qkv__rational_is_lost(number)) return NULL;
    if (qkv__rational_is_zero(number)) return qkv__words_zero(work, unit, unit);
    return qkv__words_one(work, unit, unit, number, NULL, 0);
}

const qkv__words *qkv__words_times(qkv__work *work, const qkv__words *number,
                                   const qkv__words *words)
{
    if (number == NULL || words == NULL) return NULL;
    const qkv__words *sum = qkv__words_zero(work, words->rows, words->columns);
    for (size_t i = 0; i < number->count * words->count; i++) {
        const qkv__word *a = &number->word[i / words->count], *b = &words->word[i % words->count];
        int letter[2 * QKV__LETTERS_AT_MOST];
        if (a->length + b->length > QKV__LETTERS_AT_MOST) return NULL;
        if (a->length > 0) memcpy(letter, a->letter, a->length * sizeof *letter);
        if (b->length > 0) memcpy(letter + a->length, b->letter, b->length * sizeof *letter);
        qkv__words *one = qkv__words_one(work, words->rows, words->columns,
                                         qkv__rational_multiply(a->coefficient, b->coefficient),
                                         letter, a->length + b->length);
        sum = one == NULL ? NULL : qkv__words_add(work, sum, one, qkv__rational_whole(1));
        if (sum == NULL) return NULL;
    }
    return sum;
}

const qkv__words *qkv__words_parameter(qkv__work *work, const char *name, bool nonnegative)
{
    int unit = qkv__theory_size(work->theory, 1);
    int letter = unit < 0
                     ? -1
                     : qkv__special_letter(work, (qkv__special){.function = QKV__FUNCTION_PARAMETER,
                                                                .name = name,
                                                                .rows = unit,
                                                                .columns = unit,
                                                                .nonnegative = nonnegative});
    return letter < 0 ? NULL
                      : qkv__words_reduce(work, qkv__words_one(work, unit, unit,
                                                               qkv__rational_whole(1), &letter, 1));
}

const qkv__words *qkv__words_size(qkv__work *work, int dimension)
{
    const qkv__dimension *d = &work->theory->dimension[dimension];
    if (d->size > 0) return qkv__words_number(work, qkv__rational_whole((int64_t)d->size));
    const qkv__words *size = qkv__words_parameter(work, d->name, true);
    if (size != NULL && size->count == 1 && size->word[0].length == 1 &&
        qkv__letter_is(work->theory, size->word[0].letter[0], QKV__FUNCTION_PARAMETER))
        work->theory->rules->special[size->word[0].letter[0] / 2 - QKV__FIRST_SPECIAL].nonzero =
            true;
    return size;
}

const qkv__words *qkv__words_ones(qkv__work *work, int rows)
{
    int unit = qkv__theory_size(work->theory, 1);
    int letter = qkv__special_letter(
        work, (qkv__special){.function = QKV__FUNCTION_ONES, .rows = rows, .columns = unit});
    return letter < 0 || unit < 0
               ? NULL
               : qkv__words_one(work, rows, unit, qkv__rational_whole(1), &letter, 1);
}

const qkv__words *qkv__words_uniform(qkv__work *work, int rows, int columns)
{
    const qkv__words *left = qkv__words_ones(work, rows), *right = qkv__words_ones(work, columns);
    if (left == NULL || right == NULL || !qkv__law_use(work, "softmax(0) = ones*ones'/n"))
        return NULL;
    const qkv__words *all = qkv__words_multiply(work, left, qkv__words_transpose(work, right));
    const qkv__words *share =
        qkv__words_function(work, QKV__FUNCTION_RECIPROCAL, qkv__words_size(work, columns));
    return qkv__words_reduce(work, qkv__words_times(work, share, all));
}

static bool is_ones(const qkv__theory *theory, int letter, bool turned)
{
    return qkv__letter_is(theory, letter, QKV__FUNCTION_ONES) && (letter % 2 != 0) == turned;
}

const qkv__words *qkv__words_of_block(qkv__work *work, const int *letter, size_t length)
{
    const qkv__theory *theory = work->theory;
    int unit = qkv__theory_size(work->theory, 1), turned[QKV__LETTERS_AT_MOST];
    assert(length > 0 && length <= QKV__LETTERS_AT_MOST);
    if (length == 1 && qkv__letter_is(theory, letter[0], QKV__FUNCTION_ONES))
        return qkv__words_number(work, qkv__rational_whole(1));
    if (length == 2 && is_ones(theory, letter[0], true) && is_ones(theory, letter[1], false))
        return qkv__words_size(work, qkv__letter_rows(theory, letter[1]));
    for (size_t i = 0; i < length; i++) turned[i] = qkv__letter_transpose(letter[length - 1 - i]);
    const qkv__word own = {.length = length, .letter = letter};
    const qkv__word other = {.length = length, .letter = turned};
    if (qkv__word_compare(&other, &own) < 0) letter = turned;
    int made = qkv__special_letter(
        work, (qkv__special){.function = QKV__FUNCTION_TRACE,
                             .argument = qkv__words_one(work, unit, unit, qkv__rational_whole(1),
                                                        letter, length),
                             .rows = unit,
                             .columns = unit,
                             .nonnegative = qkv__letters_are_gram(letter, length)});
    return made < 0 ? NULL : qkv__words_one(work, unit, unit, qkv__rational_whole(1), &made, 1);
}

/* ---- Laws ---------------------------------------------------------------------------------- */

static int compare_letters(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Numbers in front, in order; a number is its own transpose. */
static const qkv__words *sort_numbers(qkv__work *work, const qkv__word *word, bool *changed)
{
    int letter[QKV__LETTERS_AT_MOST];
    size_t front = 0, length = 0;
    for (size_t i = 0; i < word->length; i++)
        if (qkv__letter_is_number(word->letter[i])) letter[front++] = word->letter[i] & ~1;
    qsort(letter, front, sizeof letter[0], compare_letters);
    for (size_t i = 0; i < word->length; i++)
        if (!qkv__letter_is_number(word->letter[i])) letter[front + length++] = word->letter[i];
    *changed = word->length > 0 && memcmp(letter, word->letter, word->length * sizeof *letter) != 0;
    return qkv__words_one(work, 0, 0, word->coefficient, letter, word->length);
}

/* The word with letters at two places (or at one, twice the same) replaced by numbers. */
static const qkv__words *replace_pair(qkv__work *work, const qkv__word *word, size_t first,
                                      size_t second, const qkv__words *by)
{
    int letter[QKV__LETTERS_AT_MOST];
    size_t length = 0;
    for (size_t i = 0; i < word->length; i++)
        if (i != first && i != second) letter[length++] = word->letter[i];
    return qkv__words_times(work, by,
                            qkv__words_one(work, 0, 0, word->coefficient, letter, length));
}

/* What the product of two numbers is; NULL: nothing shorter. */
static const qkv__words *product_of(qkv__work *work, int a, int b)
{
    const qkv__theory *theory = work->theory;
    const qkv__special *x = qkv__letter_special(theory, a), *y = qkv__letter_special(theory, b);
    if (a == b && x->function == QKV__FUNCTION_ROOT) return x->argument;
    if (a == b && x->function == QKV__FUNCTION_DETERMINANT && x->argument->count == 1 &&
        x->argument->word[0].length == 1 &&
        qkv__letter_permutes(theory, x->argument->word[0].letter[0]))
        return qkv__words_number(work, qkv__rational_whole(1));
    const qkv__special *over = x->function == QKV__FUNCTION_RECIPROCAL ? x : y;
    const int other = over == x ? b : a;
    bool cancels = over->function == QKV__FUNCTION_RECIPROCAL && over->argument->count == 1 &&
                   over->argument->word[0].length == 1 &&
                   over->argument->word[0].letter[0] == other;
    return cancels ? qkv__words_number(work, qkv__rational_whole(1)) : NULL;
}

static const qkv__words *cancel_numbers(qkv__work *work, const qkv__word *word, bool *changed)
{
    size_t numbers = qkv__word_numbers(word);
    for (size_t i = 0; i < numbers; i++)
        for (size_t j = i + 1; j < numbers; j++) {
            const qkv__words *by = product_of(work, word->letter[i], word->letter[j]);
            if (by == NULL) continue;
            *changed = true;
            return replace_pair(work, word, i, j, by);
        }
    return qkv__words_one(work, 0, 0, word->coefficient, NULL, 0);
}

/* Two neighbours of which one is all ones: softmax(S)*ones = ones, P*ones = ones,
 * diag(u)*ones = u. How many letters take their place, or -1. */
static int meet_ones(const qkv__theory *theory, int first, int second, int *letter,
                     const char **law)
{
    const bool behind = is_ones(theory, second, false);
    if (!behind && !is_ones(theory, first, true)) return -1;
    const int other = behind ? first : qkv__letter_transpose(second);
    if (qkv__letter_permutes(theory, other)) {
        *law = "a permutation times ones is ones";
    } else if (qkv__letter_is_softmax(other) && other % 2 == 0) {
        *law = "the rows of softmax sum to 1";
    } else if (qkv__letter_is(theory, other, QKV__FUNCTION_DIAGONAL)) {
        const qkv__word *u = &qkv__letter_special(theory, other)->argument->word[0];
        for (size_t i = 0; i < u->length; i++)
            letter[i] = behind ? u->letter[i] : qkv__letter_transpose(u->letter[u->length - 1 - i]);
        *law = "diag(x)*ones is x";
        return (int)u->length;
    } else {
        return -1;
    }
    return 0;
}

/* ones of another size, after a softmax that is not square. */
static const qkv__words *absorb_ones(qkv__work *work, const qkv__word *word, bool *changed)
{
    for (size_t i = 0; i + 1 < word->length; i++) {
        int letter[QKV__LETTERS_AT_MOST + 1], middle[QKV__LETTERS_AT_MOST];
        const char *law;
        const int first = word->letter[i], second = word->letter[i + 1];
        int count = meet_ones(work->theory, first, second, middle, &law);
        if (count < 0) continue;
        if (count == 0) {
            const bool behind = is_ones(work->theory, second, false);
            const int rows =
                qkv__letter_rows(work->theory, behind ? first : qkv__letter_transpose(second));
            const qkv__words *ones = qkv__words_ones(work, rows);
            if (ones == NULL) return NULL;
            middle[0] = ones->word[0].letter[0] | !behind;
            count = 1;
        }
        if (word->length - 2 + (size_t)count > QKV__LETTERS_AT_MOST) return NULL;
        memcpy(letter, word->letter, i * sizeof *letter);
        memcpy(letter + i, middle, (size_t)count * sizeof *letter);
        memcpy(letter + i + count, word->letter + i + 2, (word->length - i - 2) * sizeof *letter);
        *changed = true;
        if (!qkv__law_use(work, law)) return NULL;
        return qkv__words_one(work, 0, 0, word->coefficient, letter,
                              word->length - 2 + (size_t)count);
    }
    return qkv__words_one(work, 0, 0, word->coefficient, NULL, 0);
}

/* Whether a product may be cut in front of a letter, or behind the last: a size of 1. */
static bool is_cut(const qkv__theory *theory, const qkv__word *word, size_t at)
{
    int dimension = at == word->length ? qkv__letter_columns(theory, word->letter[at - 1])
                                       : qkv__letter_rows(theory, word->letter[at]);
    return theory->dimension[dimension].size == 1;
}

/* A product of size 1 by 1 becomes a number. */
static const qkv__words *extract_block(qkv__work *work, const qkv__word *word, bool *changed)
{
    const qkv__theory *theory = work->theory;
    const size_t numbers = qkv__word_numbers(word);
    size_t from = numbers, to;
    while (from < word->length && !is_cut(theory, word, from)) from++;
    for (to = from + 1; to <= word->length && !is_cut(theory, word, to);) to++;
    if (from >= word->length || to > word->length)
        return qkv__words_one(work, 0, 0, word->coefficient, NULL, 0);
    int letter[QKV__LETTERS_AT_MOST];
    size_t length = 0;
    for (size_t i = 0; i < word->length; i++)
        if (i < from || i >= to) letter[length++] = word->letter[i];
    *changed = true;
    return qkv__words_times(work, qkv__words_of_block(work, word->letter + from, to - from),
                            qkv__words_one(work, 0, 0, word->coefficient, letter, length));
}

/* A matrix that is its own transpose. */
static const qkv__words *turn_symmetric(qkv__work *work, const qkv__word *word, bool *changed)
{
    int letter[QKV__LETTERS_AT_MOST];
    for (size_t i = 0; i < word->length; i++) {
        letter[i] = word->letter[i];
        if (letter[i] % 2 == 0 || !qkv__letter_is(work->theory, letter[i], QKV__FUNCTION_DIAGONAL))
            continue;
        letter[i] = qkv__letter_transpose(letter[i]);
        *changed = true;
    }
    return qkv__words_one(work, 0, 0, word->coefficient, letter, word->length);
}

const qkv__words *qkv__words_number_law(qkv__work *work, const qkv__word *word, bool *changed)
{
    static const qkv__words *(*const laws[])(qkv__work *, const qkv__word *, bool *) = {
        sort_numbers, cancel_numbers, turn_symmetric, absorb_ones, extract_block};
    const qkv__words *made = NULL;
    *changed = false;
    for (size_t i = 0; i < sizeof laws / sizeof laws[0] && !*changed; i++) {
        made = laws[i](work, word, changed);
        if (made == NULL) return NULL;
    }
    return made;
}

const qkv__words *qkv__words_unshifted(qkv__work *work, const qkv__words *argument)
{
    const qkv__words *rest = argument;
    for (size_t i = 0; argument != NULL && work->theory->numbers && i < argument->count; i++) {
        const qkv__word *word = &argument->word[i];
        if (word->length == 0 || !is_ones(work->theory, word->letter[word->length - 1], true))
            continue;
        const qkv__words *one = qkv__words_one(work, argument->rows, argument->columns,
                                               word->coefficient, word->letter, word->length);
        if (one == NULL) return NULL;
        rest = qkv__words_add(work, rest, one, qkv__rational_whole(-1));
        if (rest == NULL || !qkv__law_use(work, "softmax(S + x*ones') = softmax(S)")) return NULL;
    }
    return rest;
}

/* ---- Equations with denominators ----------------------------------------------------------- */

/* A letter 1/(x + y) in a sum, and its highest power; -1: none. */
static int find_denominator(const qkv__theory *theory, const qkv__words *words, size_t *power)
{
    int found = -1;
    *power = 0;
    for (size_t i = 0; i < words->count; i++) {
        size_t count = 0;
        for (size_t k = 0; k < words->word[i].length; k++) {
            const int letter = words->word[i].letter[k];
            if (found < 0 && qkv__letter_is(theory, letter, QKV__FUNCTION_RECIPROCAL) &&
                qkv__letter_special(theory, letter)->argument->count > 1)
                found = letter;
            count += letter == found;
        }
        if (count > *power) *power = count;
    }
    return found;
}

/* The words times (x + y)^power, where the letter is 1/(x + y). */
static const qkv__words *clear_denominator(qkv__work *work, const qkv__words *words, int over,
                                           size_t power)
{
    const qkv__words *sum = qkv__words_zero(work, words->rows, words->columns);
    for (size_t i = 0; sum != NULL && i < words->count; i++) {
        int letter[QKV__LETTERS_AT_MOST];
        size_t length = 0, left = power;
        for (size_t k = 0; k < words->word[i].length; k++)
            if (words->word[i].letter[k] == over)
                left--;
            else
                letter[length++] = words->word[i].letter[k];
        const qkv__words *part = qkv__words_one(work, words->rows, words->columns,
                                                words->word[i].coefficient, letter, length);
        for (; left > 0; left--)
            part = qkv__words_times(work, qkv__letter_special(work->theory, over)->argument, part);
        sum = part == NULL ? NULL : qkv__words_add(work, sum, part, qkv__rational_whole(1));
    }
    return qkv__words_reduce(work, sum);
}

bool qkv__words_cross_equal(qkv__work *work, const qkv__words_proof *proof)
{
    enum { DENOMINATORS = 16 };
    const qkv__words *difference =
        qkv__words_add(work, proof->left, proof->right, qkv__rational_whole(-1));
    for (int i = 0; difference != NULL && i < DENOMINATORS; i++) {
        size_t power;
        int over = find_denominator(work->theory, difference, &power);
        if (over < 0) return difference->count == 0;
        difference = clear_denominator(work, difference, over, power);
    }
    return false;
}
