/*
 * Normal forms: rules and laws applied to every word until none fits. Each application replaces a
 * word by smaller ones (by length, then by letters), an order that products respect, so that it
 * comes to an end. Knows how rules are used, not how they are made.
 */
#include "exact/words_internal.h"

#include <assert.h>
#include <string.h>

/* ---- Rewriting one word -------------------------------------------------------------------- */

typedef struct item {
    qkv__word word;
    struct item *next;
} item;

/* A stack of words. */
typedef struct pile {
    item *top;
    size_t count;
} pile;

typedef enum outcome { KEPT, CHANGED, LOST } outcome;

static outcome push(qkv__work *work, pile *words, qkv__word word)
{
    item *made = qkv__arena_take(&work->arena, sizeof *made);
    if (made == NULL || words->count == QKV__WORDS_AT_MOST ||
        qkv__rational_is_lost(word.coefficient))
        return LOST;
    *made = (item){.word = word, .next = words->top};
    words->top = made;
    words->count++;
    return CHANGED;
}

/* Room for the letters of a new word; NULL when there are too many. */
static int *take_letters(qkv__work *work, size_t length)
{
    if (length > QKV__LETTERS_AT_MOST) return NULL;
    return qkv__arena_array(&work->arena, length, sizeof(int));
}

static void copy_letters(int *to, const int *from, size_t count)
{
    if (count > 0) memcpy(to, from, count * sizeof *to);
}

/* u head w becomes the sum of u r w over the words r of the rule's rest. */
static outcome replace(qkv__work *work, const qkv__word *word, size_t at, const qkv__rule *rule,
                       pile *todo)
{
    assert(at + rule->length <= word->length);
    assert(rule->alive);
    size_t behind = word->length - at - rule->length;
    for (size_t i = 0; i < rule->rest->count; i++) {
        const qkv__word *middle = &rule->rest->word[i];
        size_t length = at + middle->length + behind;
        int *letter = take_letters(work, length);
        if (letter == NULL) return LOST;
        copy_letters(letter, word->letter, at);
        copy_letters(letter + at, middle->letter, middle->length);
        copy_letters(letter + at + middle->length, word->letter + at + rule->length, behind);
        qkv__rational factor = qkv__rational_multiply(word->coefficient, middle->coefficient);
        if (push(work, todo, (qkv__word){factor, length, letter}) == LOST) return LOST;
    }
    qkv__step_use(work, rule->step);
    return CHANGED;
}

static outcome apply_rules(qkv__work *work, const qkv__word *word, pile *todo)
{
    const struct qkv__rules *rules = work->theory->rules;
    for (size_t r = 0; r < rules->rule_count; r++) {
        const qkv__rule *rule = &rules->rule[r];
        if (!rule->alive) continue;
        for (size_t at = 0; at + rule->length <= word->length; at++)
            if (memcmp(word->letter + at, rule->head, rule->length * sizeof(int)) == 0)
                return replace(work, word, at, rule, todo);
    }
    return KEPT;
}

/* ---- Permutations beside softmax ------------------------------------------------------------- */

/* The word with the letters at ... at + 1 replaced by others. */
static outcome replace_two(qkv__work *work, const qkv__word *word, size_t at, const int *others,
                           size_t count, pile *todo)
{
    assert(at + 2 <= word->length);
    size_t length = word->length - 2 + count;
    int *letter = take_letters(work, length);
    if (letter == NULL) return LOST;
    copy_letters(letter, word->letter, at);
    copy_letters(letter + at, others, count);
    copy_letters(letter + at + count, word->letter + at + 2, word->length - at - 2);
    return push(work, todo, (qkv__word){word->coefficient, length, letter});
}

/* softmax(S)*P becomes softmax(S) where S*P = S, and P*softmax(S) where P*S*P' = S. */
static outcome move_permutations(qkv__work *work, const qkv__word *word, pile *todo)
{
    for (size_t i = 0; i + 1 < word->length; i++) {
        int first = word->letter[i], second = word->letter[i + 1];
        bool behind = qkv__letter_is_softmax(first) && qkv__letter_permutes(work->theory, second);
        bool before = qkv__letter_is_softmax(second) && qkv__letter_permutes(work->theory, first);
        if ((behind || before) && qkv__softmax_absorbs(work, first, second))
            return replace_two(work, word, i, behind ? &first : &second, 1, todo);
        if (behind && qkv__softmax_commutes(work, first, second))
            return replace_two(work, word, i, (int[]){second, first}, 2, todo);
    }
    return KEPT;
}

/* ---- Products that are numbers ------------------------------------------------------------- */

/* Whether the product of the letters in front of `at` ends, and the rest begins, with size 1. */
static bool is_cut(const qkv__work *work, const qkv__word *word, size_t at)
{
    int dimension = at == word->length ? qkv__letter_columns(work->theory, word->letter[at - 1])
                                       : qkv__letter_rows(work->theory, word->letter[at]);
    return work->theory->dimension[dimension].size == 1;
}

/* The next cut behind `at`, or one past the end. */
static size_t next_cut(const qkv__work *work, const qkv__word *word, size_t at)
{
    for (at++; at <= word->length && !is_cut(work, word, at);) at++;
    return at;
}

/* Pushes the changed letters if they are smaller than the word's. */
static outcome push_if_smaller(qkv__work *work, const qkv__word *word, const int *letter,
                               const char *law, pile *todo)
{
    qkv__word changed = {word->coefficient, word->length, letter};
    if (qkv__word_compare(&changed, word) >= 0) return KEPT;
    if (!qkv__law_use(work, law)) return LOST;
    return push(work, todo, changed);
}

/* x'*y becomes y'*x, if that is smaller, at letters from ... to - 1. */
static outcome turn_number(qkv__work *work, const qkv__word *word, size_t from, size_t to,
                           pile *todo)
{
    assert(from < to && to <= word->length);
    int *letter = take_letters(work, word->length);
    if (letter == NULL) return LOST;
    copy_letters(letter, word->letter, word->length);
    for (size_t i = from; i < to; i++)
        letter[i] = qkv__letter_transpose(word->letter[from + to - 1 - i]);
    return push_if_smaller(work, word, letter, "a 1 by 1 product equals its transpose", todo);
}

/* The numbers at from ... middle - 1 and middle ... to - 1 change places, if that is smaller. */
static outcome swap_numbers(qkv__work *work, const qkv__word *word, size_t from, size_t middle,
                            size_t to, pile *todo)
{
    assert(from < middle && middle < to && to <= word->length);
    int *letter = take_letters(work, word->length);
    if (letter == NULL) return LOST;
    copy_letters(letter, word->letter, word->length);
    copy_letters(letter + from, word->letter + middle, to - middle);
    copy_letters(letter + from + to - middle, word->letter + from, middle - from);
    return push_if_smaller(work, word, letter, "1 by 1 products commute", todo);
}

/* Between two cuts stands a 1 by 1 product, a number: it may be transposed and moved. */
static outcome order_numbers(qkv__work *work, const qkv__word *word, pile *todo)
{
    if (word->length == 0) return KEPT;
    size_t from = is_cut(work, word, 0) ? 0 : next_cut(work, word, 0);
    for (;;) {
        size_t middle = next_cut(work, word, from);
        if (middle > word->length) return KEPT;
        outcome result = turn_number(work, word, from, middle, todo);
        size_t to = middle == word->length ? middle + 1 : next_cut(work, word, middle);
        if (result == KEPT && to <= word->length)
            result = swap_numbers(work, word, from, middle, to, todo);
        if (result != KEPT) return result;
        from = middle;
    }
}

/* The same where numbers are letters of their own. */
static outcome apply_number_laws(qkv__work *work, const qkv__word *word, pile *todo)
{
    bool changed = false;
    const qkv__words *made = qkv__words_number_law(work, word, &changed);
    if (made == NULL) return LOST;
    for (size_t i = 0; changed && i < made->count; i++)
        if (push(work, todo, made->word[i]) == LOST) return LOST;
    return changed ? CHANGED : KEPT;
}

/* ---- Normal forms -------------------------------------------------------------------------- */

static outcome rewrite(qkv__work *work, const qkv__word *word, pile *todo)
{
    if (work->rewrites_left == 0) return LOST;
    const bool numbers = work->theory->numbers;
    outcome result = apply_rules(work, word, todo);
    if (result == KEPT) result = move_permutations(work, word, todo);
    if (result == KEPT && numbers) result = apply_number_laws(work, word, todo);
    if (result == KEPT && !numbers) result = order_numbers(work, word, todo);
    if (result == CHANGED) work->rewrites_left--;
    return result;
}

static const qkv__words *collect(qkv__work *work, const qkv__words *shape, const pile *done)
{
    qkv__words *words = qkv__arena_take(&work->arena, sizeof *words);
    qkv__word *word = qkv__arena_array(&work->arena, done->count, sizeof *word);
    if (words == NULL || word == NULL) return NULL;
    *words = (qkv__words){shape->rows, shape->columns, done->count, word};
    for (const item *i = done->top; i != NULL; i = i->next) *word++ = i->word;
    return qkv__words_merge(words);
}

const qkv__words *qkv__words_reduce(qkv__work *work, const qkv__words *words)
{
    pile todo = {0}, done = {0};
    if (words == NULL) return NULL;
    for (size_t i = words->count; i > 0; i--)
        if (push(work, &todo, words->word[i - 1]) == LOST) return NULL;
    while (todo.top != NULL) {
        const qkv__word *word = &todo.top->word;
        todo.top = todo.top->next;
        todo.count--;
        outcome result = rewrite(work, word, &todo);
        if (result == KEPT) result = push(work, &done, *word);
        if (result == LOST) return NULL;
    }
    return collect(work, words, &done);
}

static const qkv__words *scale(qkv__work *work, const qkv__words *words, qkv__rational factor)
{
    if (words == NULL) return NULL;
    const qkv__words *zero = qkv__words_zero(work, words->rows, words->columns);
    return qkv__words_add(work, zero, words, factor);
}

const qkv__words *qkv__words_normal(qkv__work *work, const qkv__expression *e)
{
    if (e == NULL) return NULL;
    const qkv__words *left = e->left == NULL ? NULL : qkv__words_normal(work, e->left);
    if (e->left != NULL && left == NULL) return NULL;
    switch (e->kind) {
    case QKV__EXPRESSION_ATOM:
        return qkv__words_reduce(work, qkv__words_letters(work, &(int){2 * e->atom}, 1));
    case QKV__EXPRESSION_IDENTITY: return qkv__words_identity(work, e->rows);
    case QKV__EXPRESSION_ZERO: return qkv__words_zero(work, e->rows, e->columns);
    case QKV__EXPRESSION_SUM:
        return qkv__words_add(work, left, qkv__words_normal(work, e->right),
                              qkv__rational_whole(1));
    case QKV__EXPRESSION_PRODUCT:
        left = qkv__words_multiply(work, left, qkv__words_normal(work, e->right));
        return qkv__words_reduce(work, left);
    case QKV__EXPRESSION_SCALE: return scale(work, left, e->factor);
    case QKV__EXPRESSION_TRANSPOSE:
        return qkv__words_reduce(work, qkv__words_transpose(work, left));
    case QKV__EXPRESSION_SOFTMAX: return qkv__words_softmax(work, left);
    case QKV__EXPRESSION_TIMES:
        return qkv__words_reduce(work,
                                 qkv__words_times(work, left, qkv__words_normal(work, e->right)));
    case QKV__EXPRESSION_FUNCTION:
        if (e->function == QKV__FUNCTION_PARAMETER)
            return qkv__words_parameter(work, e->name, e->nonnegative);
        return e->function == QKV__FUNCTION_ONES ? qkv__words_ones(work, e->rows)
                                                 : qkv__words_function(work, e->function, left);
    }
    return NULL;
}
