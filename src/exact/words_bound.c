/* Bounds of ranks, norms and traces that hold for all matrices, each with the law that it is. Knows
 * one letter at a time, and nothing of what is to be shown. */
#include "exact/words_bound.h"

#include <assert.h>
#include <string.h>

static void add_bound(qkv__bounds *list, const qkv__words *by, const char *law)
{
    if (by != NULL && list->count < QKV__BOUNDS)
        list->item[list->count++] = (qkv__bound_of_letter){by, law};
}

static const qkv__words *times(qkv__work *work, const qkv__words *a, const qkv__words *b)
{
    return qkv__words_reduce(work, qkv__words_times(work, a, b));
}

static const qkv__words *scaled(qkv__work *work, int64_t factor, const qkv__words *words)
{
    if (words == NULL) return NULL;
    return qkv__words_add(work, qkv__words_zero(work, words->rows, words->columns), words,
                          qkv__rational_whole(factor));
}

/* ---- Functions of parts -------------------------------------------------------------------- */

/* Letters from ... to - 1 of a product, as words. */
static const qkv__words *part_of(qkv__work *work, const qkv__word *word, size_t from, size_t to)
{
    return qkv__words_reduce(work, qkv__words_letters(work, word->letter + from, to - from));
}

static const qkv__words *value_of(qkv__work *work, qkv__function function, const qkv__words *words)
{
    return words == NULL ? NULL : qkv__words_function(work, function, words);
}

/* |words|, by Frobenius. */
static const qkv__words *norm_of(qkv__work *work, const qkv__words *words)
{
    if (words == NULL) return NULL;
    const qkv__words *turned = qkv__words_transpose(work, words);
    const qkv__words *gram = qkv__words_reduce(work, qkv__words_multiply(work, turned, words));
    return value_of(work, QKV__FUNCTION_ROOT, value_of(work, QKV__FUNCTION_TRACE, gram));
}

static bool is_bare(const qkv__words *words)
{
    return words->count == 1 && words->word[0].length > 0 &&
           qkv__word_numbers(&words->word[0]) == 0 && words->word[0].coefficient.numerator == 1 &&
           words->word[0].coefficient.denominator == 1;
}

/* One letter, which is a number. */
static bool is_bare_number(const qkv__words *words)
{
    return words->count == 1 && words->word[0].length == 1 &&
           words->word[0].coefficient.numerator == words->word[0].coefficient.denominator;
}

/* ---- Ranks --------------------------------------------------------------------------------- */

/* How many letters all words of a sum have in common, in front or behind. */
static size_t common_letters(const qkv__words *words, bool behind)
{
    const qkv__word *first = &words->word[0];
    for (size_t k = 0; k < first->length; k++)
        for (size_t i = 1; i < words->count; i++) {
            const qkv__word *word = &words->word[i];
            if (k >= word->length) return k;
            int own = first->letter[behind ? first->length - 1 - k : k];
            int other = word->letter[behind ? word->length - 1 - k : k];
            if (own != other) return k;
        }
    return first->length;
}

static void bound_rank_of_sum(qkv__bounds *list, const qkv__words *words)
{
    qkv__work *work = list->work;
    const qkv__words *sum = qkv__words_number(work, qkv__rational_whole(0));
    for (size_t i = 0; i < words->count && sum != NULL; i++) {
        const qkv__word *word = &words->word[i];
        const qkv__words *one = qkv__words_one(work, words->rows, words->columns, word->coefficient,
                                               word->letter, word->length);
        const qkv__words *rank = value_of(work, QKV__FUNCTION_RANK, one);
        sum = rank == NULL ? NULL : qkv__words_add(work, sum, rank, qkv__rational_whole(1));
    }
    add_bound(list, sum, "rank(A + B) <= rank(A) + rank(B)");
    for (int behind = 0; behind < 2; behind++) {
        const qkv__word *word = &words->word[0];
        size_t common = common_letters(words, behind != 0);
        if (common == 0 || qkv__letter_is_number(word->letter[0])) continue;
        size_t from = behind ? word->length - common : 0;
        add_bound(list,
                  value_of(work, QKV__FUNCTION_RANK, part_of(work, word, from, from + common)),
                  "rank(A*B) <= rank(A), rank(B)");
    }
}

static void bound_rank(qkv__bounds *list, const qkv__words *words)
{
    qkv__work *work = list->work;
    if (words->count > 1) bound_rank_of_sum(list, words);
    const qkv__word *word = &words->word[0];
    const size_t first = words->count == 1 ? qkv__word_numbers(word) : 0;
    for (size_t length = 1; words->count == 1 && length < word->length - first + (first > 0);
         length++)
        for (size_t from = first; from + length <= word->length; from++) {
            add_bound(list,
                      value_of(work, QKV__FUNCTION_RANK, part_of(work, word, from, from + length)),
                      "rank(A*B) <= rank(A), rank(B)");
            add_bound(list,
                      qkv__words_size(work, qkv__letter_columns(work->theory, word->letter[from])),
                      "the rank is at most the number of rows and of columns");
        }
    static const char law[] = "the rank is at most the number of rows and of columns";
    add_bound(list, qkv__words_size(work, words->rows), law);
    add_bound(list, qkv__words_size(work, words->columns), law);
}

/* From below. */
static void bound_rank_below(qkv__bounds *list, const qkv__words *words)
{
    qkv__work *work = list->work;
    const qkv__word *word = &words->word[0];
    add_bound(list, qkv__words_number(work, qkv__rational_whole(0)), "a rank is not negative");
    if (words->count == 2)
        for (int i = 0; i < 2; i++) {
            const qkv__words *rank[2];
            for (int k = 0; k < 2; k++) {
                const qkv__word *own = &words->word[k];
                rank[k] = value_of(work, QKV__FUNCTION_RANK,
                                   qkv__words_one(work, words->rows, words->columns,
                                                  own->coefficient, own->letter, own->length));
            }
            if (rank[0] != NULL && rank[1] != NULL)
                add_bound(list, qkv__words_add(work, rank[i], rank[1 - i], qkv__rational_whole(-1)),
                          "rank(A + B) >= rank(A) - rank(B)");
        }
    if (words->count > 1 || qkv__word_numbers(word) > 0) return;
    for (size_t at = 1; at < word->length; at++) { /* Sylvester */
        const qkv__words *a = value_of(work, QKV__FUNCTION_RANK, part_of(work, word, 0, at));
        const qkv__words *b =
            value_of(work, QKV__FUNCTION_RANK, part_of(work, word, at, word->length));
        const qkv__words *size =
            qkv__words_size(work, qkv__letter_rows(work->theory, word->letter[at]));
        if (a == NULL || b == NULL || size == NULL) return;
        a = qkv__words_add(work, a, b, qkv__rational_whole(1));
        add_bound(list, a == NULL ? NULL : qkv__words_add(work, a, size, qkv__rational_whole(-1)),
                  "rank(A*B) >= rank(A) + rank(B) - m");
    }
    for (int behind = 0; behind < 2 && word->length > 1; behind++) { /* A'*A may be I */
        int turned = qkv__letter_transpose(word->letter[behind ? word->length - 1 : 0]);
        const qkv__words *one = qkv__words_letters(work, &turned, 1);
        const qkv__words *product =
            behind ? qkv__words_multiply(work, words, one) : qkv__words_multiply(work, one, words);
        product = qkv__words_reduce(work, product);
        if (product == NULL || product->count != 1 || product->word[0].length >= word->length)
            continue;
        add_bound(list, value_of(work, QKV__FUNCTION_RANK, product), "rank(A'*A*B) <= rank(A*B)");
    }
}

/* ---- Norms --------------------------------------------------------------------------------- */

/* |u*v| <= |u|*|v|, and with a spectral norm in the place of one; squared where asked. */
static void bound_norm(qkv__bounds *list, const qkv__words *words, bool squared)
{
    qkv__work *work = list->work;
    const qkv__word *word = &words->word[0];
    static const char law[] = "|A*B| <= spectral(A)*|B| <= |A|*|B|";
    for (size_t at = 1; at < word->length; at++)
        for (int which = 0; which < 3; which++) {
            const qkv__words *u = part_of(work, word, 0, at);
            const qkv__words *v = part_of(work, word, at, word->length);
            u = which == 1 ? value_of(work, QKV__FUNCTION_SPECTRAL, u) : norm_of(work, u);
            v = which == 2 ? value_of(work, QKV__FUNCTION_SPECTRAL, v) : norm_of(work, v);
            const qkv__words *product = times(work, u, v);
            add_bound(list, squared ? times(work, product, product) : product, law);
        }
    if (word->length == 1 && qkv__letter_is_softmax(word->letter[0])) {
        const qkv__words *rows =
            qkv__words_size(work, qkv__letter_rows(work->theory, word->letter[0] & ~1));
        add_bound(list, squared ? rows : value_of(work, QKV__FUNCTION_ROOT, rows),
                  "the weights of a row are not negative and sum to 1");
    }
    const int sides[2] = {words->rows, words->columns};
    for (int i = 0; i < 2; i++) {
        const qkv__words *size = qkv__words_size(work, sides[i]);
        const qkv__words *spectral = value_of(work, QKV__FUNCTION_SPECTRAL, words);
        if (!squared) size = value_of(work, QKV__FUNCTION_ROOT, size);
        if (squared) spectral = times(work, spectral, spectral);
        add_bound(list, times(work, size, spectral), "|A| <= sqrt(n)*spectral(A)");
        if (i > 0) continue;
        const qkv__words *rank = value_of(work, QKV__FUNCTION_RANK, words);
        if (!squared) rank = value_of(work, QKV__FUNCTION_ROOT, rank);
        add_bound(list, times(work, rank, spectral), "|A| <= sqrt(rank(A))*spectral(A)");
    }
}

static void bound_spectral(qkv__bounds *list, const qkv__words *words)
{
    qkv__work *work = list->work;
    const qkv__word *word = &words->word[0];
    add_bound(list, norm_of(work, words), "spectral(A) <= |A|");
    for (size_t at = 1; is_bare(words) && at < word->length; at++) {
        const qkv__words *u = value_of(work, QKV__FUNCTION_SPECTRAL, part_of(work, word, 0, at));
        const qkv__words *v =
            value_of(work, QKV__FUNCTION_SPECTRAL, part_of(work, word, at, word->length));
        add_bound(list, times(work, u, v), "spectral(A*B) <= spectral(A)*spectral(B)");
    }
    if (words->count == 1) return;
    const qkv__words *sum = qkv__words_number(work, qkv__rational_whole(0));
    for (size_t i = 0; i < words->count && sum != NULL; i++) {
        const qkv__words *one =
            qkv__words_one(work, words->rows, words->columns, words->word[i].coefficient,
                           words->word[i].letter, words->word[i].length);
        const qkv__words *part = value_of(work, QKV__FUNCTION_SPECTRAL, one);
        sum = part == NULL ? NULL : qkv__words_add(work, sum, part, qkv__rational_whole(1));
    }
    add_bound(list, sum, "spectral(A + B) <= spectral(A) + spectral(B)");
}

/* The v of trace(v'*v); NULL: it is not of that form. */
static const qkv__words *half_of(qkv__work *work, const qkv__words *argument)
{
    const qkv__word *word = &argument->word[0];
    int letter[QKV__LETTERS_AT_MOST];
    for (size_t by = 0; by < word->length; by++) {
        for (size_t i = 0; i < word->length; i++) letter[i] = word->letter[(i + by) % word->length];
        if (qkv__letters_are_gram(letter, word->length))
            return qkv__words_letters(work, letter + word->length / 2, word->length / 2);
    }
    return NULL;
}

/* |trace(u*v)| <= |u|*|v|, wherever the product is cut round the circle. */
static void bound_trace(qkv__bounds *list, const qkv__words *argument, int sign)
{
    qkv__work *work = list->work;
    const qkv__word *word = &argument->word[0];
    int letter[QKV__LETTERS_AT_MOST];
    for (size_t by = 0; by < word->length; by++)
        for (size_t length = 1; length <= word->length / 2; length++) {
            for (size_t i = 0; i < word->length; i++)
                letter[i] = word->letter[(i + by) % word->length];
            const qkv__word turned = {.length = word->length, .letter = letter};
            const qkv__words *u = norm_of(work, part_of(work, &turned, 0, length));
            const qkv__words *v = norm_of(work, part_of(work, &turned, length, word->length));
            add_bound(list, scaled(work, sign, times(work, u, v)),
                      "|trace(A'*B)| <= |A|*|B| (Cauchy and Schwarz)");
        }
    if (work->theory->dimension[argument->rows].size == 1) return;
    const qkv__words *side =
        value_of(work, QKV__FUNCTION_ROOT, qkv__words_size(work, argument->rows));
    add_bound(list, scaled(work, sign, times(work, side, norm_of(work, argument))),
              "|trace(A)| <= sqrt(n)*|A|");
}

/* The v with trace(v'*v) = the one letter of a word, read so that it has a shape; any, where rows
 * is -1. */
static const qkv__words *half_with_shape(qkv__work *work, const qkv__words *argument, int rows,
                                         int columns)
{
    const qkv__words *half = half_of(work, argument);
    if (half == NULL || rows < 0 || (half->rows == rows && half->columns == columns)) return half;
    half = qkv__words_transpose(work, half);
    return half != NULL && half->rows == rows && half->columns == columns ? half : NULL;
}

/* The argument of a word c*trace(v'*v) with c > 0; NULL: it is none. */
static const qkv__words *square_in(qkv__work *work, const qkv__word *word)
{
    if (word->length != 1 || qkv__rational_sign(word->coefficient) <= 0 ||
        !qkv__letter_is(work->theory, word->letter[0], QKV__FUNCTION_TRACE))
        return NULL;
    const qkv__words *argument = qkv__letter_special(work->theory, word->letter[0])->argument;
    return half_of(work, argument) == NULL ? NULL : argument;
}

/* V with trace(V'*V) = sum, from its squares: the sum of their halves with all signs is tried. */
static const qkv__words *square_root_of_sum(qkv__work *work, const qkv__words *sum)
{
    enum { TERMS = 4 };
    const qkv__words *term[TERMS];
    size_t count = 0;
    for (size_t i = 0; i < sum->count; i++) {
        const qkv__words *argument = square_in(work, &sum->word[i]);
        if (argument == NULL) continue;
        const qkv__words *factor =
            value_of(work, QKV__FUNCTION_ROOT, qkv__words_number(work, sum->word[i].coefficient));
        if (count == TERMS || factor == NULL || factor->word[0].length > 0) return NULL;
        const qkv__words *half = half_with_shape(work, argument, count == 0 ? -1 : term[0]->rows,
                                                 count == 0 ? -1 : term[0]->columns);
        if (half == NULL) return NULL;
        term[count] = qkv__words_add(work, qkv__words_zero(work, half->rows, half->columns), half,
                                     factor->word[0].coefficient);
        if (term[count++] == NULL) return NULL;
    }
    for (size_t signs = 0; count > 1 && signs < (size_t)1 << (count - 1); signs++) {
        const qkv__words *v = term[0];
        for (size_t i = 1; i < count && v != NULL; i++)
            v = qkv__words_add(work, v, term[i],
                               qkv__rational_whole((signs >> (i - 1) & 1) != 0 ? -1 : 1));
        v = qkv__words_reduce(work, v);
        const qkv__words *turned = v == NULL ? NULL : qkv__words_transpose(work, v);
        const qkv__words *square = qkv__words_reduce(work, qkv__words_multiply(work, turned, v));
        square = value_of(work, QKV__FUNCTION_TRACE, square);
        if (square != NULL && qkv__words_compare(square, sum) == 0) return v;
    }
    return NULL;
}

/* The words without letters that all of them have in front, or behind. */
static const qkv__words *without_common(qkv__work *work, const qkv__words *words, size_t count,
                                        bool behind)
{
    const qkv__words *sum = NULL;
    for (size_t i = 0; i < words->count; i++) {
        const qkv__word *word = &words->word[i];
        if (word->length <= count) return NULL;
        const qkv__words *rest =
            qkv__words_letters(work, word->letter + (behind ? 0 : count), word->length - count);
        if (rest == NULL) return NULL;
        const qkv__words *zero = qkv__words_zero(work, rest->rows, rest->columns);
        sum = qkv__words_add(work, sum == NULL ? zero : sum, rest, word->coefficient);
        if (sum == NULL) return NULL;
    }
    return sum;
}

/* |A*x - A*y| <= spectral(A)*|x - y|. */
static void bound_norm_of_sum(qkv__bounds *list, const qkv__words *argument)
{
    qkv__work *work = list->work;
    const qkv__words *v = square_root_of_sum(work, argument);
    for (int behind = 0; v != NULL && v->count > 1 && behind < 2; behind++) {
        const qkv__word *word = &v->word[0];
        const size_t common = common_letters(v, behind != 0);
        if (common == 0) continue;
        const size_t from = behind ? word->length - common : 0;
        const qkv__words *factor = part_of(work, word, from, from + common);
        const qkv__words *rest = norm_of(work, without_common(work, v, common, behind != 0));
        add_bound(list, times(work, value_of(work, QKV__FUNCTION_SPECTRAL, factor), rest),
                  "|A*B| <= spectral(A)*|B| <= |A|*|B|");
        add_bound(list, times(work, norm_of(work, factor), rest),
                  "|A*B| <= spectral(A)*|B| <= |A|*|B|");
    }
}

/* -|s| <= s <= |s|, of a number that may be negative. */
static void bound_by_magnitude(qkv__bounds *list, int letter, int sign)
{
    qkv__work *work = list->work;
    int unit = qkv__theory_size(work->theory, 1);
    if (qkv__letter_is_nonnegative(work->theory, letter)) return;
    const qkv__words *own = qkv__words_one(work, unit, unit, qkv__rational_whole(1), &letter, 1);
    const qkv__words *size = value_of(work, QKV__FUNCTION_ROOT, times(work, own, own));
    add_bound(list, scaled(work, sign, size), "-|s| <= s <= |s|");
}

/* ---- Bounds of a letter -------------------------------------------------------------------- */

static void bound_root(qkv__bounds *list, const qkv__words *argument)
{
    const qkv__theory *theory = list->work->theory;
    const qkv__word *word = &argument->word[0];
    if (argument->count > 1) bound_norm_of_sum(list, argument);
    if (argument->count != 1 || word->coefficient.numerator != word->coefficient.denominator)
        return;
    const bool pair = word->length == 2 && word->letter[0] == word->letter[1];
    if ((word->length != 1 && !pair) ||
        !qkv__letter_is(theory, word->letter[0], QKV__FUNCTION_TRACE))
        return;
    const qkv__words *inner = qkv__letter_special(theory, word->letter[0])->argument;
    if (pair) {
        bound_trace(list, inner, 1);
        return;
    }
    const qkv__words *half = half_of(list->work, inner);
    if (half != NULL) bound_norm(list, half, false);
}

void qkv__bounds_above(qkv__bounds *list, int letter)
{
    const qkv__special *special = qkv__letter_special(list->work->theory, letter);
    const qkv__words *half;
    switch (special->function) {
    case QKV__FUNCTION_RANK: bound_rank(list, special->argument); break;
    case QKV__FUNCTION_SPECTRAL: bound_spectral(list, special->argument); break;
    case QKV__FUNCTION_ROOT: bound_root(list, special->argument); break;
    case QKV__FUNCTION_TRACE:
        half = half_of(list->work, special->argument);
        if (half != NULL)
            bound_norm(list, half, true);
        else
            bound_trace(list, special->argument, 1);
        break;
    default: break;
    }
    bound_by_magnitude(list, letter, 1);
}

/* A size is a whole number from 1 on. */
static void bound_size_below(qkv__bounds *list, const char *name)
{
    const qkv__theory *theory = list->work->theory;
    for (size_t i = 0; i < theory->dimension_count; i++)
        if (theory->dimension[i].size == 0 && strcmp(theory->dimension[i].name, name) == 0)
            add_bound(list, qkv__words_number(list->work, qkv__rational_whole(1)),
                      "a size is at least 1");
}

void qkv__bounds_below(qkv__bounds *list, int letter)
{
    const qkv__special *special = qkv__letter_special(list->work->theory, letter);
    switch (special->function) {
    case QKV__FUNCTION_RANK: bound_rank_below(list, special->argument); break;
    case QKV__FUNCTION_TRACE:
        if (!special->nonnegative) bound_trace(list, special->argument, -1);
        break;
    case QKV__FUNCTION_PARAMETER: bound_size_below(list, special->name); break;
    default: break;
    }
    bound_by_magnitude(list, letter, -1);
}

bool qkv__words_is_square(qkv__work *work, const qkv__words *sum)
{
    for (size_t i = 0; i < sum->count; i++) {
        if (square_in(work, &sum->word[i]) == NULL) continue;
        const qkv__words *zero = qkv__words_zero(work, sum->rows, sum->columns);
        const qkv__words *multiple =
            qkv__words_add(work, zero, sum,
                           qkv__rational_divide(qkv__rational_whole(1), sum->word[i].coefficient));
        return multiple != NULL && square_root_of_sum(work, multiple) != NULL &&
               qkv__law_use(work, "the difference is a square");
    }
    return false;
}

/* ---- Two letters at once -------------------------------------------------------------------- */

/* The product whose norm a letter is, by Frobenius or spectral; NULL: it is no norm. */
static const qkv__words *normed(qkv__work *work, int letter, bool spectral)
{
    const qkv__special *special = qkv__letter_special(work->theory, letter);
    const qkv__words *argument = special->argument;
    if (special->function != (spectral ? QKV__FUNCTION_SPECTRAL : QKV__FUNCTION_ROOT)) return NULL;
    if (spectral) return is_bare(argument) ? argument : NULL;
    if (!is_bare_number(argument)) return NULL;
    const int inner = argument->word[0].letter[0];
    return qkv__letter_is(work->theory, inner, QKV__FUNCTION_TRACE)
               ? half_of(work, qkv__letter_special(work->theory, inner)->argument)
               : NULL;
}

/* |A|*|B| >= |A*B|, where the product is shorter than its factors: it may be I. */
void qkv__bounds_of_pair(qkv__bounds *list, int first, int second)
{
    qkv__work *work = list->work;
    for (int way = 0; way < 16; way++) {
        const bool spectral = way % 2 != 0;
        const qkv__words *a = normed(work, first, spectral), *b = normed(work, second, spectral);
        if (a == NULL || b == NULL) continue;
        if ((way & 2) != 0) a = qkv__words_transpose(work, a);
        if ((way & 4) != 0) b = qkv__words_transpose(work, b);
        const qkv__words *front = (way & 8) != 0 ? b : a, *behind = (way & 8) != 0 ? a : b;
        if (a == NULL || b == NULL || front->columns != behind->rows) continue;
        const qkv__words *product =
            qkv__words_reduce(work, qkv__words_multiply(work, front, behind));
        if (product == NULL || product->count != 1 ||
            product->word[0].length >= a->word[0].length + b->word[0].length)
            continue;
        add_bound(list,
                  spectral ? value_of(work, QKV__FUNCTION_SPECTRAL, product)
                           : norm_of(work, product),
                  spectral ? "spectral(A*B) <= spectral(A)*spectral(B)" : "|A*B| <= |A|*|B|");
    }
}
