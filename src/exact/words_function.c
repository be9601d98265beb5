/*
 * Functions of matrix words: trace, determinant, inverse, rank, spectral norm, and of numbers the
 * reciprocal and the root. Each is taken apart as far as laws without exceptions go (a case in
 * which something has no value is none); what is left becomes a letter that is known by its
 * argument. Knows nothing of verdicts.
 */
#include "exact/words_internal.h"

#include <assert.h>
#include <string.h>

static const qkv__words *letter_words(qkv__work *work, int letter)
{
    if (letter < 0) return NULL;
    return qkv__words_one(work, qkv__letter_rows(work->theory, letter),
                          qkv__letter_columns(work->theory, letter), qkv__rational_whole(1),
                          &letter, 1);
}

/* The value of a function of numbers or of matrices that is a number, as a new letter. */
static const qkv__words *number_letter(qkv__work *work, qkv__function function,
                                       const qkv__words *argument, bool nonnegative, bool nonzero)
{
    int unit = qkv__theory_size(work->theory, 1);
    if (unit < 0 || argument == NULL) return NULL;
    int letter = qkv__special_letter(work, (qkv__special){.function = function,
                                                          .argument = argument,
                                                          .rows = unit,
                                                          .columns = unit,
                                                          .nonnegative = nonnegative,
                                                          .nonzero = nonzero});
    return qkv__words_reduce(work, letter_words(work, letter));
}

/* A word split into its numbers, with the coefficient, and the product of matrices behind them. */
static const qkv__words *numbers_of(qkv__work *work, const qkv__word *word)
{
    int unit = qkv__theory_size(work->theory, 1);
    return qkv__words_one(work, unit, unit, word->coefficient, word->letter,
                          qkv__word_numbers(word));
}

static qkv__words *matrices_of(qkv__work *work, const qkv__words *from, const qkv__word *word)
{
    size_t numbers = qkv__word_numbers(word);
    return qkv__words_one(work, from->rows, from->columns, qkv__rational_whole(1),
                          numbers == 0 ? word->letter : word->letter + numbers,
                          word->length - numbers);
}

static const qkv__words *times(qkv__work *work, const qkv__words *number, const qkv__words *words)
{
    return qkv__words_reduce(work, qkv__words_times(work, number, words));
}

static const qkv__words *scaled(qkv__work *work, qkv__rational factor, const qkv__words *words)
{
    if (words == NULL) return NULL;
    return qkv__words_add(work, qkv__words_zero(work, words->rows, words->columns), words, factor);
}

/* Of a matrix and its transpose, which have the same value, the one that comes first. */
static const qkv__words *smaller_of_transposes(qkv__work *work, const qkv__words *words)
{
    const qkv__words *turned = qkv__words_reduce(work, qkv__words_transpose(work, words));
    if (words == NULL || turned == NULL) return NULL;
    return qkv__words_compare(turned, words) < 0 ? turned : words;
}

/* Whether all factors of a product are square and of one size. */
static bool is_of_squares(const qkv__theory *theory, const qkv__words *product)
{
    const qkv__word *word = &product->word[0];
    for (size_t i = 0; i < word->length; i++)
        if (qkv__letter_rows(theory, word->letter[i]) != product->rows ||
            qkv__letter_columns(theory, word->letter[i]) != product->rows)
            return false;
    return true;
}

/* ---- Trace --------------------------------------------------------------------------------- */

static const qkv__words *trace_of(qkv__work *work, const qkv__words *words, int depth);

static void rotate(const qkv__word *word, size_t by, bool turned, int *letter)
{
    for (size_t i = 0; i < word->length; i++) {
        size_t from = (i + by) % word->length;
        letter[i] = turned ? qkv__letter_transpose(word->letter[word->length - 1 - from])
                           : word->letter[from];
    }
}

/* Whether two products are the same round a circle, in either direction. */
static bool is_rotation(const qkv__word *a, const qkv__word *b)
{
    int letter[QKV__LETTERS_AT_MOST];
    if (a->length != b->length) return false;
    for (size_t i = 0; i < 2 * a->length; i++) {
        rotate(a, i / 2, i % 2 != 0, letter);
        if (memcmp(letter, b->letter, a->length * sizeof *letter) == 0) return true;
    }
    return false;
}

/* The trace of a product that rules change when it is read from another place; *found. */
static const qkv__words *trace_turned(qkv__work *work, const qkv__word *word, int depth,
                                      bool *found)
{
    enum { DEPTH = 24 };
    int letter[QKV__LETTERS_AT_MOST];
    for (size_t i = 0; depth < DEPTH && i < word->length; i++) {
        rotate(word, i, false, letter);
        const qkv__words *read = qkv__words_letters(work, letter, word->length);
        read = qkv__words_reduce(work, read);
        if (read == NULL) return NULL;
        bool one = read->count == 1 && qkv__rational_sign(read->word[0].coefficient) > 0 &&
                   read->word[0].coefficient.numerator == read->word[0].coefficient.denominator;
        if (one && is_rotation(word, &read->word[0])) continue;
        *found = true;
        return trace_of(work, read, depth + 1);
    }
    return NULL;
}

/* trace(A*B) = trace(B*A), and trace(A') = trace(A): the first of all ways to read it. */
static const qkv__words *trace_letter(qkv__work *work, const qkv__word *word)
{
    int best[QKV__LETTERS_AT_MOST], letter[QKV__LETTERS_AT_MOST];
    rotate(word, 0, false, best);
    for (size_t i = 0; i < 2 * word->length; i++) {
        rotate(word, i / 2, i % 2 != 0, letter);
        const qkv__word one = {.length = word->length, .letter = letter};
        const qkv__word other = {.length = word->length, .letter = best};
        if (qkv__word_compare(&one, &other) < 0) memcpy(best, letter, sizeof best);
    }
    bool gram = false;
    const qkv__word all = {.length = word->length, .letter = best};
    for (size_t i = 0; i < word->length && !gram; i++) {
        rotate(&all, i, false, letter);
        gram = qkv__letters_are_gram(letter, word->length);
    }
    const qkv__words *argument = qkv__words_letters(work, best, word->length);
    return number_letter(work, QKV__FUNCTION_TRACE, argument, gram, false);
}

/* The trace of a product of matrices, of which none is a number. */
static const qkv__words *trace_of_product(qkv__work *work, const qkv__words *product, int depth)
{
    const qkv__word *word = &product->word[0];
    int letter[QKV__LETTERS_AT_MOST];
    if (word->length == 0) return qkv__words_size(work, product->rows);
    if (word->length == 1 &&
        qkv__letter_is(work->theory, word->letter[0], QKV__FUNCTION_DIAGONAL)) {
        const qkv__words *ones = qkv__words_ones(work, product->rows);
        if (ones == NULL) return NULL;
        const qkv__words *u = qkv__letter_special(work->theory, word->letter[0])->argument;
        return qkv__words_reduce(work,
                                 qkv__words_multiply(work, qkv__words_transpose(work, ones), u));
    }
    for (size_t i = 0; i < word->length; i++) { /* from a size of 1 on it is a number already */
        int rows = qkv__letter_rows(work->theory, word->letter[i]);
        if (work->theory->dimension[rows].size != 1) continue;
        rotate(word, i, false, letter);
        return qkv__words_reduce(work, qkv__words_letters(work, letter, word->length));
    }
    bool found = false;
    const qkv__words *turned = trace_turned(work, word, depth, &found);
    return found ? turned : work->arena.failed ? NULL : trace_letter(work, word);
}

static const qkv__words *trace_of(qkv__work *work, const qkv__words *words, int depth)
{
    if (words == NULL) return NULL;
    const qkv__words *sum = qkv__words_number(work, qkv__rational_whole(0));
    for (size_t i = 0; sum != NULL && i < words->count; i++) {
        const qkv__words *product = matrices_of(work, words, &words->word[i]);
        const qkv__words *part = product == NULL ? NULL : trace_of_product(work, product, depth);
        part = times(work, numbers_of(work, &words->word[i]), part);
        sum = part == NULL ? NULL : qkv__words_add(work, sum, part, qkv__rational_whole(1));
    }
    return sum;
}

/* ---- Reciprocals and roots ----------------------------------------------------------------- */

static const qkv__words *reciprocal_of_letter(qkv__work *work, int letter)
{
    const qkv__special *special = qkv__letter_special(work->theory, letter);
    const qkv__words *own = letter_words(work, letter);
    if (special->function == QKV__FUNCTION_RECIPROCAL) return special->argument;
    if (special->function == QKV__FUNCTION_ROOT) /* 1/sqrt(x) = sqrt(x)/x */
        return times(work, own,
                     qkv__words_function(work, QKV__FUNCTION_RECIPROCAL, special->argument));
    return number_letter(work, QKV__FUNCTION_RECIPROCAL, own, special->nonnegative, true);
}

static const qkv__words *reciprocal_of(qkv__work *work, const qkv__words *words)
{
    if (words == NULL) return NULL;
    if (words->count == 0) return NULL; /* 1/0 */
    const qkv__word *last = &words->word[words->count - 1];
    qkv__rational factor = qkv__rational_divide(qkv__rational_whole(1), last->coefficient);
    if (words->count > 1)
        return scaled(work, factor,
                      number_letter(work, QKV__FUNCTION_RECIPROCAL, scaled(work, factor, words),
                                    false, true));
    const qkv__words *product = qkv__words_number(work, factor);
    for (size_t i = 0; i < last->length; i++)
        product = times(work, product, reciprocal_of_letter(work, last->letter[i]));
    return product;
}

/* The root of a whole number that is a square; -1: it is none. */
static int64_t whole_root(int64_t number)
{
    int64_t low = 0, high = INT64_C(3037000499); /* the root of the largest number */
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        if (middle * middle <= number)
            low = middle;
        else
            high = middle - 1;
    }
    return low * low == number ? low : -1;
}

/* The largest part of a positive number whose root is rational; the rest stays under the root. */
static qkv__rational take_square(qkv__rational *number)
{
    int64_t numerator = whole_root(number->numerator);
    int64_t denominator = whole_root(number->denominator);
    qkv__rational root =
        qkv__rational_make(numerator > 0 ? numerator : 1, denominator > 0 ? denominator : 1);
    *number = qkv__rational_divide(*number, qkv__rational_multiply(root, root));
    return root;
}

static const qkv__words *root_of(qkv__work *work, const qkv__words *words);

static const qkv__words *root_letter(qkv__work *work, const qkv__words *argument)
{
    return number_letter(work, QKV__FUNCTION_ROOT, argument, true, false);
}

/* sqrt(s*s) = |s|, which is s where that cannot be negative. */
static const qkv__words *magnitude_of_letter(qkv__work *work, int letter)
{
    const qkv__words *own = letter_words(work, letter);
    if (qkv__letter_is_nonnegative(work->theory, letter)) return own;
    const qkv__words *square = times(work, own, own);
    if (square == NULL) return NULL;
    const bool plain = square->count == 1 && square->word[0].length == 2;
    return plain ? root_letter(work, square) : root_of(work, square);
}

/* sqrt(c*s*s*t*...) = sqrt(c)*|s|*sqrt(t)*..., if no factor under a root of its own can be
 * negative; *apart. */
static const qkv__words *root_of_product(qkv__work *work, const qkv__word *word, bool *apart)
{
    qkv__rational rest = word->coefficient;
    *apart = qkv__rational_sign(rest) > 0;
    for (size_t i = 0; i < word->length && *apart; i++) {
        bool pair = i + 1 < word->length && word->letter[i] == word->letter[i + 1];
        if (!pair && !qkv__letter_is_nonnegative(work->theory, word->letter[i])) *apart = false;
        i += pair;
    }
    if (!*apart) return NULL;
    const qkv__words *product = qkv__words_number(work, take_square(&rest));
    if (rest.numerator != rest.denominator)
        product = times(work, product, root_letter(work, qkv__words_number(work, rest)));
    for (size_t i = 0; i < word->length; i++) {
        bool pair = i + 1 < word->length && word->letter[i] == word->letter[i + 1];
        product = times(work, product,
                        pair ? magnitude_of_letter(work, word->letter[i])
                             : root_letter(work, letter_words(work, word->letter[i])));
        i += pair;
    }
    return product;
}

static const qkv__words *root_of(qkv__work *work, const qkv__words *words)
{
    if (words == NULL) return NULL;
    if (words->count == 0) return words;
    if (words->count == 1) {
        bool apart;
        const qkv__words *product = root_of_product(work, &words->word[0], &apart);
        if (apart) return product;
    }
    qkv__rational size = words->word[words->count - 1].coefficient;
    if (qkv__rational_sign(size) < 0) size = qkv__rational_negate(size);
    qkv__rational rest = size, factor = take_square(&rest);
    return scaled(work, factor,
                  root_letter(work, scaled(work, qkv__rational_divide(rest, size), words)));
}

/* ---- Determinants -------------------------------------------------------------------------- */

static const qkv__words *determinant_of(qkv__work *work, const qkv__words *words);

static const qkv__words *determinant_of_letter(qkv__work *work, int letter)
{
    letter &= ~1; /* det(A') = det(A) */
    if (qkv__letter_is(work->theory, letter, QKV__FUNCTION_INVERSE)) {
        const qkv__words *inner =
            determinant_of(work, qkv__letter_special(work->theory, letter)->argument);
        return inner == NULL ? NULL : reciprocal_of(work, inner);
    }
    return number_letter(work, QKV__FUNCTION_DETERMINANT, letter_words(work, letter), false, false);
}

/* det(c*A) = c^n*det(A), for n that is a number or c = 1. */
static const qkv__words *determinant_of(qkv__work *work, const qkv__words *words)
{
    if (words == NULL) return NULL;
    if (words->count == 0) return qkv__words_number(work, qkv__rational_whole(0));
    const qkv__words *product = matrices_of(work, words, &words->word[0]);
    const qkv__words *factor = numbers_of(work, &words->word[0]);
    if (product == NULL || factor == NULL) return NULL;
    bool one = factor->word[0].length == 0 && factor->word[0].coefficient.numerator == 1 &&
               factor->word[0].coefficient.denominator == 1;
    const size_t size = work->theory->dimension[words->rows].size;
    if (words->count > 1 || !is_of_squares(work->theory, product) || (!one && size == 0))
        return number_letter(work, QKV__FUNCTION_DETERMINANT, smaller_of_transposes(work, words),
                             false, false);
    const qkv__words *result = qkv__words_number(work, qkv__rational_whole(1));
    for (size_t i = 0; !one && i < size && result != NULL; i++)
        result = times(work, factor, result);
    for (size_t i = 0; i < product->word[0].length && result != NULL; i++)
        result = times(work, determinant_of_letter(work, product->word[0].letter[i]), result);
    return result;
}

/* ---- Inverses ------------------------------------------------------------------------------ */

/* inverse(A)*A = I and A*inverse(A) = I, as rules. */
static bool learn_inverse(qkv__work *work, int letter)
{
    const qkv__words *argument = qkv__letter_special(work->theory, letter)->argument;
    const qkv__words *own = letter_words(work, letter);
    const qkv__words *identity = qkv__words_identity(work, argument->rows);
    qkv__text text = {0};
    qkv__text_append(&text, "A*inverse(A) = I", 16);
    bool good = !text.failed;
    for (int side = 0; side < 2 && good; side++) {
        const qkv__words *product = side == 0 ? qkv__words_multiply(work, argument, own)
                                              : qkv__words_multiply(work, own, argument);
        product = qkv__words_add(work, product, identity, qkv__rational_whole(-1));
        good = product != NULL && qkv__theory_learn(work->theory, product, &text);
    }
    qkv__text_free(&text);
    return good;
}

/* The letter of inverse(words); that of the transpose is the transposed letter. */
static const qkv__words *inverse_letter(qkv__work *work, const qkv__words *words)
{
    const qkv__words *turned = qkv__words_reduce(work, qkv__words_transpose(work, words));
    if (words == NULL || turned == NULL) return NULL;
    const int order = qkv__words_compare(turned, words);
    const size_t known = work->theory->rules->matrix_count;
    int letter = qkv__special_letter(work, (qkv__special){.function = QKV__FUNCTION_INVERSE,
                                                          .argument = order < 0 ? turned : words,
                                                          .rows = words->rows,
                                                          .columns = words->rows});
    if (letter < 0) return NULL;
    if (work->theory->rules->matrix_count > known) {
        if (!learn_inverse(work, letter)) return NULL;
        if (order == 0) { /* of a symmetric matrix */
            qkv__text text = {0};
            qkv__text_append(&text, "the inverse of a symmetric matrix is symmetric", 46);
            const int other = qkv__letter_transpose(letter);
            const qkv__words *difference =
                qkv__words_add(work, letter_words(work, other), letter_words(work, letter),
                               qkv__rational_whole(-1));
            bool good = difference != NULL && qkv__theory_learn(work->theory, difference, &text);
            qkv__text_free(&text);
            if (!good) return NULL;
        }
    }
    return qkv__words_reduce(
        work, letter_words(work, order < 0 ? qkv__letter_transpose(letter) : letter));
}

static const qkv__words *inverse_of_letter(qkv__work *work, int letter)
{
    if (qkv__letter_permutes(work->theory, letter))
        return letter_words(work, qkv__letter_transpose(letter));
    if (qkv__letter_is(work->theory, letter, QKV__FUNCTION_INVERSE)) {
        const qkv__words *inner = qkv__letter_special(work->theory, letter)->argument;
        return letter % 2 == 0 ? inner : qkv__words_transpose(work, inner);
    }
    return inverse_letter(work, letter_words(work, letter));
}

/* (A*B)^-1 = B^-1*A^-1 of square matrices; a product has an inverse where its factors have. */
static const qkv__words *inverse_of(qkv__work *work, const qkv__words *words)
{
    if (words == NULL) return NULL;
    if (words->count == 0) return NULL;
    const qkv__words *product = matrices_of(work, words, &words->word[0]);
    if (product == NULL) return NULL;
    if (words->count > 1 || !is_of_squares(work->theory, product))
        return inverse_letter(work, words);
    const qkv__words *result = qkv__words_identity(work, words->rows);
    for (size_t i = 0; i < product->word[0].length && result != NULL; i++)
        result =
            qkv__words_multiply(work, inverse_of_letter(work, product->word[0].letter[i]), result);
    const qkv__words *factor = numbers_of(work, &words->word[0]);
    return factor == NULL ? NULL : times(work, reciprocal_of(work, factor), result);
}

/* ---- Ranks and spectral norms -------------------------------------------------------------- */

/* The multiple of I that a product is; false: it is none, or it may be 0. */
static bool is_multiple_of_identity(const qkv__words *words, qkv__rational *factor)
{
    if (words == NULL || words->count != 1 || words->word[0].length != 0) return false;
    *factor = words->word[0].coefficient;
    return true;
}

/* Whether a factor in front changes no rank, or no spectral norm, of what is behind it: L'*L = I;
 * for a rank, an inverse or what has one. */
static bool is_idle(qkv__work *work, int letter, bool rank)
{
    const qkv__theory *theory = work->theory;
    qkv__rational factor;
    if (qkv__letter_permutes(theory, letter)) return true;
    if (rank && qkv__letter_is(theory, letter, QKV__FUNCTION_INVERSE)) return true;
    for (size_t i = 0; rank && i < theory->rules->matrix_count; i++) {
        const qkv__special *special = &theory->rules->special[i];
        if (special->function == QKV__FUNCTION_INVERSE && special->argument->count == 1 &&
            special->argument->word[0].length == 1 &&
            special->argument->word[0].letter[0] / 2 == letter / 2)
            return true;
    }
    const int both[2] = {qkv__letter_transpose(letter), letter};
    const qkv__words *gram = qkv__words_reduce(work, qkv__words_letters(work, both, 2));
    return is_multiple_of_identity(gram, &factor) && factor.numerator == factor.denominator;
}

/* The product without such factors at its ends. */
static qkv__words *strip_ends(qkv__work *work, qkv__words *product, bool rank)
{
    const qkv__theory *theory = work->theory;
    qkv__word word = product->word[0];
    int rows = product->rows, columns = product->columns;
    for (; word.length > 0 && is_idle(work, word.letter[0], rank); word.letter++, word.length--)
        rows = qkv__letter_columns(theory, word.letter[0]);
    for (; word.length > 0; word.length--) {
        const int last = word.letter[word.length - 1];
        if (!is_idle(work, qkv__letter_transpose(last), rank)) break;
        columns = qkv__letter_rows(theory, last);
    }
    assert(word.length > 0 || rows == columns);
    return qkv__words_one(work, rows, columns, qkv__rational_whole(1), word.letter, word.length);
}

/* words' * words, or words * words'. */
static const qkv__words *gram_of(qkv__work *work, const qkv__words *words, bool behind)
{
    const qkv__words *turned = qkv__words_transpose(work, words);
    return qkv__words_reduce(work, behind ? qkv__words_multiply(work, words, turned)
                                          : qkv__words_multiply(work, turned, words));
}

static bool are_nonzero(const qkv__theory *theory, const qkv__words *numbers)
{
    const qkv__word *word = &numbers->word[0];
    for (size_t i = 0; i < word->length; i++)
        if (!qkv__letter_special(theory, word->letter[i])->nonzero) return false;
    return true;
}

/* rank(c*A) = rank(A) for c that is not 0, rank(A'*A) = rank(A), rank(A') = rank(A); if A'*A is a
 * multiple of I, it is the number of columns. */
static const qkv__words *rank_of(qkv__work *work, const qkv__words *words)
{
    if (words == NULL) return NULL;
    if (words->count == 0) return qkv__words_number(work, qkv__rational_whole(0));
    qkv__rational factor;
    const qkv__words *numbers = numbers_of(work, &words->word[0]), *inner = words;
    if (numbers == NULL) return NULL;
    if (words->count == 1 && are_nonzero(work->theory, numbers)) {
        qkv__words *product = matrices_of(work, words, &words->word[0]);
        product = product == NULL ? NULL : strip_ends(work, product, true);
        if (product == NULL) return NULL;
        const qkv__word *word = &product->word[0];
        if (word->length == 0) return qkv__words_size(work, product->rows);
        if (word->length == 1 && qkv__letter_is(work->theory, word->letter[0], QKV__FUNCTION_ONES))
            return qkv__words_number(work, qkv__rational_whole(1));
        if (qkv__letters_are_gram(word->letter, word->length)) {
            if (!qkv__law_use(work, "rank(A'*A) = rank(A)")) return NULL;
            return rank_of(
                work, qkv__words_letters(work, word->letter + word->length / 2, word->length / 2));
        }
        inner = product;
    } else {
        inner = scaled(
            work,
            qkv__rational_divide(qkv__rational_whole(1), words->word[words->count - 1].coefficient),
            words);
    }
    if (inner == NULL) return NULL;
    for (int behind = 0; behind < 2; behind++)
        if (is_multiple_of_identity(gram_of(work, inner, behind != 0), &factor))
            return qkv__words_size(work, behind ? inner->rows : inner->columns);
    return number_letter(work, QKV__FUNCTION_RANK, smaller_of_transposes(work, inner), true, false);
}

/* |words| by Frobenius: sqrt(trace(words'*words)). */
static const qkv__words *frobenius_of(qkv__work *work, const qkv__words *words)
{
    const qkv__words *gram = gram_of(work, words, false);
    const qkv__words *trace = gram == NULL ? NULL : trace_of(work, gram, 0);
    return trace == NULL ? NULL : root_of(work, trace);
}

/* spectral(c*A) = |c|*spectral(A), spectral(A') = spectral(A), spectral(P*A) = spectral(A); of a
 * vector it is the norm; if A'*A = c*I, it is sqrt(c). */
static const qkv__words *spectral_of(qkv__work *work, const qkv__words *words)
{
    const qkv__dimension *dimension = work->theory->dimension;
    qkv__rational multiple;
    if (words->count == 0) return qkv__words_number(work, qkv__rational_whole(0));
    if (dimension[words->rows].size == 1 || dimension[words->columns].size == 1)
        return frobenius_of(work, words);
    const qkv__words *inner, *outer;
    if (words->count == 1) {
        outer = numbers_of(work, &words->word[0]);
        outer = outer == NULL ? NULL : root_of(work, times(work, outer, outer));
        qkv__words *product = matrices_of(work, words, &words->word[0]);
        inner = product == NULL ? NULL : strip_ends(work, product, false);
    } else {
        qkv__rational factor = words->word[words->count - 1].coefficient;
        inner = scaled(work, qkv__rational_divide(qkv__rational_whole(1), factor), words);
        if (qkv__rational_sign(factor) < 0) factor = qkv__rational_negate(factor);
        outer = qkv__words_number(work, factor);
    }
    if (inner == NULL || outer == NULL) return NULL;
    const qkv__word *word = &inner->word[0];
    for (size_t i = 1; inner->count == 1 && i < word->length; i++)
        if (dimension[qkv__letter_rows(work->theory, word->letter[i])].size == 1)
            return times(work, outer, frobenius_of(work, inner)); /* x*y' */
    for (int behind = 0; behind < 2; behind++)
        if (is_multiple_of_identity(gram_of(work, inner, behind != 0), &multiple))
            return times(work, outer, root_of(work, qkv__words_number(work, multiple)));
    return times(work, outer,
                 number_letter(work, QKV__FUNCTION_SPECTRAL, smaller_of_transposes(work, inner),
                               true, false));
}

/* ---- Diagonals ----------------------------------------------------------------------------- */

/* diag is linear, and diag(ones) = I. */
static const qkv__words *diagonal_of(qkv__work *work, const qkv__words *words)
{
    if (words == NULL) return NULL;
    const qkv__words *sum = qkv__words_zero(work, words->rows, words->rows);
    for (size_t i = 0; sum != NULL && i < words->count; i++) {
        const qkv__words *u = matrices_of(work, words, &words->word[i]);
        if (u == NULL) return NULL;
        bool ones = u->word[0].length == 1 &&
                    qkv__letter_is(work->theory, u->word[0].letter[0], QKV__FUNCTION_ONES);
        int letter =
            ones ? -1
                 : qkv__special_letter(work, (qkv__special){.function = QKV__FUNCTION_DIAGONAL,
                                                            .argument = u,
                                                            .rows = words->rows,
                                                            .columns = words->rows});
        const qkv__words *part =
            ones ? qkv__words_identity(work, words->rows) : letter_words(work, letter);
        part = times(work, numbers_of(work, &words->word[i]), part);
        sum = part == NULL ? NULL : qkv__words_add(work, sum, part, qkv__rational_whole(1));
    }
    return sum;
}

const qkv__words *qkv__words_function(qkv__work *work, qkv__function function,
                                      const qkv__words *argument)
{
    if (argument == NULL) return NULL;
    switch (function) {
    case QKV__FUNCTION_TRACE: return trace_of(work, argument, 0);
    case QKV__FUNCTION_DETERMINANT: return determinant_of(work, argument);
    case QKV__FUNCTION_RECIPROCAL: return reciprocal_of(work, argument);
    case QKV__FUNCTION_ROOT: return root_of(work, argument);
    case QKV__FUNCTION_RANK: return rank_of(work, argument);
    case QKV__FUNCTION_SPECTRAL: return spectral_of(work, argument);
    case QKV__FUNCTION_INVERSE: return inverse_of(work, argument);
    case QKV__FUNCTION_DIAGONAL: return diagonal_of(work, argument);
    case QKV__FUNCTION_PARAMETER:
    case QKV__FUNCTION_ONES: break;
    }
    return NULL;
}
