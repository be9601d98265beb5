/*
 * Inequalities between numbers of a theory. To show that a sum is not negative, a letter is
 * replaced by a bound of it, or something given is taken away, so that the sum does not grow, until
 * every term is plainly not negative. What that does not reach is not proved. Knows how bounds are
 * put in, not which there are.
 */
#include <assert.h>

#include "exact/words_bound.h"

enum {
    DEPTH = 6,    /* bounds put in one after another */
    VISITS = 400, /* sums looked at for each depth */
};

static const qkv__words *times(qkv__work *work, const qkv__words *a, const qkv__words *b)
{
    return qkv__words_reduce(work, qkv__words_times(work, a, b));
}

/* ---- What is given -------------------------------------------------------------------------- */

void qkv__theory_bound(qkv__theory *theory, const qkv__expression *left,
                       const qkv__expression *right)
{
    if (left == NULL || right == NULL || theory->bound_count == QKV__EQUATIONS) return;
    theory->bound[theory->bound_count++] = (qkv__equation){left, right};
}

/* right - left of something given, in normal form. */
static const qkv__words *given_difference(qkv__work *work, const qkv__equation *given)
{
    const qkv__expression *left = given->left, *right = given->right;
    if (!qkv__expression_agree(work->theory, &left, &right)) return NULL;
    const qkv__words *one = qkv__words_normal(work, right), *two = qkv__words_normal(work, left);
    return one == NULL || two == NULL ? NULL
                                      : qkv__words_add(work, one, two, qkv__rational_whole(-1));
}

/* The letters of a word that another does not have; false: the other has more. */
static bool letters_left(const qkv__word *word, const qkv__word *part, int *letter, size_t *count)
{
    bool taken[QKV__LETTERS_AT_MOST] = {false};
    for (size_t i = 0; i < part->length; i++) {
        size_t k = 0;
        while (k < word->length && (taken[k] || word->letter[k] != part->letter[i])) k++;
        if (k == word->length) return false;
        taken[k] = true;
    }
    *count = 0;
    for (size_t k = 0; k < word->length; k++)
        if (!taken[k]) letter[(*count)++] = word->letter[k];
    return true;
}

/* ---- The search ---------------------------------------------------------------------------- */

typedef struct attempt {
    qkv__work *work;
    size_t visits;
    int depth;
} attempt;

/* Whether the product of letters, without one of them, is not negative: each by itself or squared.
 * skip: the place of the one; the length for none. */
static bool is_nonnegative(const qkv__theory *theory, const qkv__word *word, size_t skip)
{
    for (size_t i = 0; i < word->length; i++) {
        size_t count = 0;
        if (i == skip || qkv__letter_is_nonnegative(theory, word->letter[i])) continue;
        for (size_t k = 0; k < word->length; k++)
            count += k != skip && word->letter[k] == word->letter[i];
        if (count % 2 != 0) return false;
    }
    return true;
}

static bool is_good(const qkv__theory *theory, const qkv__word *word)
{
    return qkv__rational_sign(word->coefficient) > 0 && is_nonnegative(theory, word, word->length);
}

/* The sum with one word replaced. */
static const qkv__words *exchange(qkv__work *work, const qkv__words *sum, size_t at,
                                  const qkv__words *by)
{
    const qkv__word *word = &sum->word[at];
    const qkv__words *old = qkv__words_one(work, sum->rows, sum->columns, word->coefficient,
                                           word->letter, word->length);
    const qkv__words *made = qkv__words_reduce(work, by);
    if (old == NULL || made == NULL) return NULL;
    old = qkv__words_add(work, sum, old, qkv__rational_whole(-1));
    return old == NULL ? NULL : qkv__words_add(work, old, made, qkv__rational_whole(1));
}

/* The sum with one letter of one word replaced. */
static const qkv__words *substitute(qkv__work *work, const qkv__words *sum, size_t at, size_t place,
                                    const qkv__words *by)
{
    const qkv__word *word = &sum->word[at];
    int letter[QKV__LETTERS_AT_MOST];
    size_t length = 0;
    for (size_t i = 0; i < word->length; i++)
        if (i != place) letter[length++] = word->letter[i];
    return exchange(work, sum, at,
                    qkv__words_times(work, by,
                                     qkv__words_one(work, sum->rows, sum->columns,
                                                    word->coefficient, letter, length)));
}

static bool prove(attempt *a, const qkv__words *sum, int depth);

/* Bounds for the letters of one word, one after another. */
static bool prove_by_bounds(attempt *a, const qkv__words *sum, size_t at, int depth)
{
    qkv__work *work = a->work;
    const qkv__word *word = &sum->word[at];
    const bool upper = qkv__rational_sign(word->coefficient) < 0;
    for (size_t place = 0; place < word->length; place++) {
        qkv__bounds *list = qkv__arena_take(&work->arena, sizeof *list);
        if (list == NULL || !is_nonnegative(work->theory, word, place)) continue;
        if (place > 0 && word->letter[place] == word->letter[place - 1]) continue;
        const size_t before = work->used_count;
        *list = (qkv__bounds){.work = work};
        if (upper)
            qkv__bounds_above(list, word->letter[place]);
        else
            qkv__bounds_below(list, word->letter[place]);
        work->used_count = before;
        for (size_t i = 0; i < list->count; i++) {
            const size_t used = work->used_count;
            const qkv__arena_place here = qkv__arena_here(&work->arena);
            const qkv__words *next = substitute(work, sum, at, place, list->item[i].by);
            if (next != NULL && qkv__words_compare(next, sum) != 0 &&
                qkv__law_use(work, list->item[i].law) && prove(a, next, depth + 1))
                return true;
            work->used_count = used;
            qkv__arena_return(&work->arena, here);
        }
    }
    return false;
}

/* Bounds for a product of two letters of a word that is not negative. */
static bool prove_by_pairs(attempt *a, const qkv__words *sum, size_t at, int depth)
{
    qkv__work *work = a->work;
    const qkv__word *word = &sum->word[at];
    for (size_t i = 0; i < word->length; i++)
        for (size_t k = i + 1; k < word->length; k++) {
            int letter[QKV__LETTERS_AT_MOST];
            size_t length = 0;
            qkv__bounds list = {.work = work};
            const size_t used = work->used_count;
            qkv__bounds_of_pair(&list, word->letter[i], word->letter[k]);
            for (size_t j = 0; j < word->length; j++)
                if (j != i && j != k) letter[length++] = word->letter[j];
            const qkv__word rest = {.length = length, .letter = letter};
            for (size_t j = 0; j < list.count && is_nonnegative(work->theory, &rest, length); j++) {
                work->used_count = used;
                const qkv__words *next =
                    exchange(work, sum, at,
                             qkv__words_times(work, list.item[j].by,
                                              qkv__words_one(work, sum->rows, sum->columns,
                                                             word->coefficient, letter, length)));
                if (next != NULL && qkv__law_use(work, list.item[j].law) &&
                    prove(a, next, depth + 1))
                    return true;
            }
            work->used_count = used;
        }
    return false;
}

static void write_given(const qkv__theory *theory, const qkv__equation *given, qkv__text *text)
{
    qkv__expression_write(theory, given->left, text);
    qkv__text_append(text, " <= ", 4);
    qkv__expression_write(theory, given->right, text);
}

/* A multiple of something given, which is not negative, is taken away, so that a word goes. */
static bool prove_by_given(attempt *a, const qkv__words *sum, size_t at, int depth)
{
    qkv__work *work = a->work;
    const qkv__word *word = &sum->word[at];
    const int unit = qkv__theory_size(work->theory, 1);
    for (size_t g = 0; g < work->theory->bound_count; g++) {
        const size_t used = work->used_count;
        const qkv__words *given = given_difference(work, &work->theory->bound[g]);
        for (size_t i = 0; given != NULL && i < given->count; i++) {
            int letter[QKV__LETTERS_AT_MOST];
            qkv__word rest = {.letter = letter};
            qkv__rational factor =
                qkv__rational_divide(word->coefficient, given->word[i].coefficient);
            work->used_count = used;
            if (qkv__rational_is_lost(factor) || qkv__rational_sign(factor) <= 0 ||
                !letters_left(word, &given->word[i], letter, &rest.length) ||
                !is_nonnegative(work->theory, &rest, rest.length))
                continue;
            const qkv__words *multiple =
                qkv__words_one(work, unit, unit, qkv__rational_negate(factor), letter, rest.length);
            multiple = times(work, multiple, given);
            const qkv__words *next =
                multiple == NULL ? NULL
                                 : qkv__words_add(work, sum, multiple, qkv__rational_whole(1));
            qkv__text text = {0};
            write_given(work->theory, &work->theory->bound[g], &text);
            bool proved = next != NULL && !text.failed && qkv__law_use(work, text.data) &&
                          prove(a, next, depth + 1);
            qkv__text_free(&text);
            if (proved) return true;
        }
        work->used_count = used;
    }
    return false;
}

/* rest >= c*sqrt(S) follows from rest^2 >= c^2*S, if the rest and c are not negative. */
static bool prove_by_squares(attempt *a, const qkv__words *sum, size_t bad, int depth)
{
    qkv__work *work = a->work;
    const qkv__word *word = &sum->word[bad];
    bool root = false;
    for (size_t i = 0; i < word->length; i++)
        root = root || qkv__letter_is(work->theory, word->letter[i], QKV__FUNCTION_ROOT);
    for (size_t i = 0; i < sum->count; i++)
        if (i != bad && !is_good(work->theory, &sum->word[i])) return false;
    if (!root || qkv__rational_sign(word->coefficient) > 0 ||
        !is_nonnegative(work->theory, word, word->length))
        return false;
    const qkv__words *one = qkv__words_one(work, sum->rows, sum->columns, word->coefficient,
                                           word->letter, word->length);
    if (one == NULL) return false;
    const qkv__words *rest = qkv__words_add(work, sum, one, qkv__rational_whole(-1));
    const qkv__words *left = times(work, one, one), *right = times(work, rest, rest);
    if (left == NULL || right == NULL) return false;
    const qkv__words *next = qkv__words_add(work, right, left, qkv__rational_whole(-1));
    const size_t used = work->used_count;
    if (next != NULL && qkv__law_use(work, "both sides squared") && prove(a, next, depth + 1))
        return true;
    work->used_count = used;
    return false;
}

/* Whether a sum is not negative. */
static bool prove(attempt *a, const qkv__words *sum, int depth)
{
    size_t bad = 0;
    const qkv__theory *theory = a->work->theory;
    while (bad < sum->count && is_good(theory, &sum->word[bad])) bad++;
    if (bad == sum->count || qkv__words_is_square(a->work, sum)) return true;
    if (depth == a->depth || a->visits++ >= VISITS || a->work->arena.failed) return false;
    for (size_t i = bad; i < sum->count; i++)
        if (!is_good(theory, &sum->word[i]) && prove_by_given(a, sum, i, depth)) return true;
    for (size_t i = bad; i < sum->count; i++)
        if (!is_good(theory, &sum->word[i]) && prove_by_bounds(a, sum, i, depth)) return true;
    for (size_t i = 0; i < sum->count; i++)
        if (is_good(theory, &sum->word[i]) &&
            (prove_by_bounds(a, sum, i, depth) || prove_by_pairs(a, sum, i, depth)))
            return true;
    return prove_by_squares(a, sum, bad, depth);
}

bool qkv__words_is_nonnegative(qkv__work *work, const qkv__words *sum)
{
    if (sum == NULL) return false;
    for (int depth = 0; depth <= DEPTH; depth++) { /* a short proof first */
        attempt a = {.work = work, .depth = depth};
        if (prove(&a, sum, 0)) return true;
    }
    return false;
}
