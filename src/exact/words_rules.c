/*
 * Assumptions as rewriting rules. An equation left = right becomes "largest word -> the rest", its
 * transpose too, and wherever the left sides of two rules overlap, the two ways to rewrite the
 * overlap give a further equation (Knuth and Bendix 1970; with sums, Buchberger's procedure for
 * words, Mora 1986). The procedure need not end, so it is cut off: what it did not find is merely
 * not proved. Knows how rules are made, not what is asked of them.
 */
#include "exact/words_internal.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"

/* ---- Steps --------------------------------------------------------------------------------- */

static void set_include(qkv__step_set *set, const qkv__step_set *other)
{
    for (size_t i = 0; i < QKV__STEPS / 64; i++) set->bits[i] |= other->bits[i];
}

static bool set_has(const qkv__step_set *set, size_t step)
{
    assert(step < QKV__STEPS);
    return (set->bits[step / 64] >> step % 64 & 1) != 0;
}

int qkv__step_add(qkv__theory *theory, const qkv__text *text, const qkv__step_set *from)
{
    struct qkv__rules *rules = theory->rules;
    if (text->failed) theory->arena.failed = true;
    if (text->failed) return -1;
    for (size_t i = 0; i < rules->step_count; i++)
        if (strcmp(rules->step[i].text, text->data) == 0) return (int)i;
    if (rules->step_count == QKV__STEPS) return -1;
    size_t made = rules->step_count;
    char *copy = qkv__arena_text(&theory->arena, text->data, text->length);
    if (copy == NULL) return -1;
    rules->step[made] = (qkv__step){.text = copy};
    if (from != NULL)
        rules->step[made].from = *from;
    else
        rules->step[made].from.bits[made / 64] = UINT64_C(1) << made % 64;
    rules->step_count++;
    return (int)made;
}

void qkv__step_use(qkv__work *work, int step)
{
    assert(step >= 0 && (size_t)step < work->theory->rules->step_count);
    for (size_t i = 0; i < work->used_count; i++)
        if (work->used[i] == step) return;
    work->used[work->used_count++] = step; /* no step twice: QKV__STEPS of them fit */
}

/* What the steps used so far rest on. */
static void include_used(const qkv__work *work, qkv__step_set *from)
{
    for (size_t i = 0; i < work->used_count; i++)
        set_include(from, &work->theory->rules->step[work->used[i]].from);
}

bool qkv__law_use(qkv__work *work, const char *law)
{
    qkv__text text = {0};
    qkv__text_format(&text, "%s", law);
    int step = qkv__step_add(work->theory, &text, NULL);
    qkv__text_free(&text);
    if (step >= 0) qkv__step_use(work, step);
    return step >= 0;
}

/* ---- Equations to be worked on -------------------------------------------------------------- */

/* words = 0. */
typedef struct pending {
    const qkv__words *words;
    qkv__step_set from;
    int step; /* the assumption's own, for as long as nothing was rewritten in it; -1: derived */
    struct pending *next;
} pending;

typedef struct completion {
    qkv__work work;
    pending *queue;
    size_t enqueued; /* so far; QKV__PENDING at most, which bounds the procedure */
} completion;

static void enqueue(completion *c, const qkv__words *words, const qkv__step_set *from, int step)
{
    if (words == NULL || words->count == 0 || c->enqueued == QKV__PENDING) return;
    pending *made = qkv__arena_take(&c->work.arena, sizeof *made);
    if (made == NULL) return;
    c->enqueued++;
    *made = (pending){.words = words, .from = *from, .step = step, .next = c->queue};
    c->queue = made;
}

static size_t head_length(const qkv__words *words)
{
    return words->word[words->count - 1].length;
}

/* Takes the equation with the shortest head: short rules do most. */
static pending dequeue(completion *c)
{
    pending **best = &c->queue;
    for (pending **p = &c->queue; *p != NULL; p = &(*p)->next)
        if (head_length((*p)->words) <= head_length((*best)->words)) best = p;
    pending taken = **best;
    *best = taken.next;
    return taken;
}

/* ---- Making a rule -------------------------------------------------------------------------- */

/* head - rest, the equation that a rule is. */
static const qkv__words *rule_equation(completion *c, const qkv__rule *rule)
{
    const qkv__words *head = qkv__words_letters(&c->work, rule->head, rule->length);
    return qkv__words_add(&c->work, head, rule->rest, qkv__rational_whole(-1));
}

/* "R*W' = W'*R (from W*R = R*W, R'*R = I)". */
static int add_derived_step(qkv__theory *theory, const qkv__rule *rule, const qkv__step_set *from)
{
    const char *lead = " (from ";
    qkv__text text = {0};
    qkv__letters_write(theory, rule->head, rule->length, &text);
    qkv__text_append(&text, " = ", 3);
    qkv__words_write(theory, rule->rest, &text);
    for (size_t i = 0; i < theory->rules->step_count; i++) {
        if (!set_has(from, i)) continue;
        qkv__text_format(&text, "%s%s", lead, theory->rules->step[i].text);
        lead = ", ";
    }
    qkv__text_append(&text, ")", 1);
    int step = qkv__step_add(theory, &text, from);
    qkv__text_free(&text);
    return step;
}

/* words = c*head + others, so head -> -others/c. */
static bool orient(completion *c, const qkv__words *words, qkv__rule *rule)
{
    assert(words->count > 0);
    const qkv__word *head = &words->word[words->count - 1];
    qkv__words others = *words;
    others.count--;
    qkv__rational factor =
        qkv__rational_negate(qkv__rational_divide(qkv__rational_whole(1), head->coefficient));
    const qkv__words *zero = qkv__words_zero(&c->work, words->rows, words->columns);
    const qkv__words *rest = qkv__words_add(&c->work, zero, &others, factor);
    int *letter = qkv__arena_array(&c->work.theory->arena, head->length, sizeof *letter);
    rest = qkv__words_keep(c->work.theory, rest);
    if (rest == NULL || letter == NULL) return false;
    memcpy(letter, head->letter, head->length * sizeof *letter);
    *rule = (qkv__rule){.alive = true, .length = head->length, .head = letter, .rest = rest};
    return true;
}

/* ---- Consequences of a new rule ------------------------------------------------------------- */

static bool contains(const qkv__rule *outer, const qkv__rule *inner)
{
    for (size_t at = 0; at + inner->length <= outer->length; at++)
        if (memcmp(outer->head + at, inner->head, inner->length * sizeof(int)) == 0) return true;
    return false;
}

/* Older rules whose left side the new one rewrites go back into the queue. */
static void retire_older(completion *c, const qkv__rule *made)
{
    struct qkv__rules *rules = c->work.theory->rules;
    for (size_t i = 0; i < rules->rule_count; i++) {
        qkv__rule *rule = &rules->rule[i];
        if (rule == made || !rule->alive || !contains(rule, made)) continue;
        rule->alive = false;
        enqueue(c, rule_equation(c, rule), &rules->step[rule->step].from, -1);
    }
}

/* first = u v, second = v w with v of `shared` letters: rest1 w = u rest2. */
static void enqueue_overlap(completion *c, const qkv__rule *first, const qkv__rule *second,
                            size_t shared)
{
    assert(shared > 0 && shared < first->length);
    qkv__work *work = &c->work;
    size_t start = first->length - shared;
    if (memcmp(first->head + start, second->head, shared * sizeof(int)) != 0) return;
    const qkv__words *u = qkv__words_letters(work, first->head, start);
    const qkv__words *w = qkv__words_letters(work, second->head + shared, second->length - shared);
    const qkv__words *one = qkv__words_multiply(work, first->rest, w);
    const qkv__words *two = qkv__words_multiply(work, u, second->rest);
    qkv__step_set from = work->theory->rules->step[first->step].from;
    set_include(&from, &work->theory->rules->step[second->step].from);
    enqueue(c, qkv__words_add(work, one, two, qkv__rational_whole(-1)), &from, -1);
}

static void enqueue_overlaps(completion *c, const qkv__rule *first, const qkv__rule *second)
{
    for (size_t shared = 1; shared < first->length && shared < second->length; shared++)
        enqueue_overlap(c, first, second, shared);
}

static void enqueue_consequences(completion *c, const qkv__rule *made)
{
    struct qkv__rules *rules = c->work.theory->rules;
    const qkv__words *turned = qkv__words_transpose(&c->work, rule_equation(c, made));
    enqueue(c, turned, &rules->step[made->step].from, -1);
    for (size_t i = 0; i < rules->rule_count; i++) {
        const qkv__rule *rule = &rules->rule[i];
        if (!rule->alive) continue;
        enqueue_overlaps(c, made, rule);
        if (rule != made) enqueue_overlaps(c, rule, made);
    }
}

/* If the largest word of an equation has no matrix in it, none has: x*I = y*I is x = y. */
static const qkv__words *without_identity(completion *c, const qkv__words *words)
{
    const qkv__word *head = &words->word[words->count - 1];
    if (head->length == 0 || qkv__word_numbers(head) < head->length) return words;
    qkv__words *numbers = qkv__arena_take(&c->work.arena, sizeof *numbers);
    const int unit = qkv__theory_size(c->work.theory, 1);
    if (numbers == NULL || unit < 0) return NULL;
    *numbers = *words;
    numbers->rows = numbers->columns = unit;
    return numbers;
}

/* ---- The procedure -------------------------------------------------------------------------- */

/* Adds the equation, reduced by the rules there are, as a rule; false ends the procedure. */
static bool add_rule(completion *c, const pending *equation)
{
    qkv__theory *theory = c->work.theory;
    struct qkv__rules *rules = theory->rules;
    qkv__step_set from = equation->from;
    c->work.used_count = 0;
    const qkv__words *words = qkv__words_reduce(&c->work, equation->words);
    if (words == NULL || words->count == 0) return c->work.rewrites_left > 0;
    include_used(&c->work, &from);
    if (head_length(words) == 0) theory->contradictory = true;
    if (theory->contradictory || rules->rule_count == QKV__RULES) return false;
    qkv__rule *made = &rules->rule[rules->rule_count];
    words = without_identity(c, words);
    if (words == NULL || head_length(words) > QKV__HEAD_AT_MOST || !orient(c, words, made))
        return true;
    bool assumed = equation->step >= 0 && c->work.used_count == 0;
    made->step = assumed ? equation->step : add_derived_step(theory, made, &from);
    if (made->step < 0) return false;
    rules->rule_count++;
    retire_older(c, made);
    enqueue_consequences(c, made);
    return true;
}

static void drain(completion *c)
{
    while (c->queue != NULL) {
        pending next = dequeue(c);
        if (!add_rule(c, &next)) c->queue = NULL;
    }
}

/* New rules may reduce the argument of a softmax factor that was made before them: softmax(S) is
 * then softmax(the reduced S), another letter. Whether there was anything to enqueue. */
static bool enqueue_congruences(completion *c)
{
    struct qkv__rules *rules = c->work.theory->rules;
    const size_t known = rules->softmax_count;
    if (c->work.theory->contradictory || rules->rule_count == QKV__RULES) return false;
    for (size_t i = 0; i < known; i++) {
        const int letter = 2 * (QKV__ATOMS + (int)i);
        c->work.used_count = 0;
        const qkv__words *own = qkv__words_letters(&c->work, &letter, 1);
        own = qkv__words_reduce(&c->work, own);
        const qkv__words *argument = qkv__words_reduce(&c->work, rules->softmax[i]);
        const qkv__words *other = qkv__words_softmax(&c->work, argument);
        qkv__step_set from = {{0}};
        include_used(&c->work, &from);
        enqueue(c, qkv__words_add(&c->work, own, other, qkv__rational_whole(-1)), &from, -1);
    }
    return c->queue != NULL;
}

static int add_assumption_step(qkv__theory *theory, const qkv__expression *left,
                               const qkv__expression *right)
{
    qkv__text text = {0};
    qkv__expression_write(theory, left, &text);
    qkv__text_append(&text, " = ", 3);
    qkv__expression_write(theory, right, &text);
    int step = qkv__step_add(theory, &text, NULL);
    qkv__text_free(&text);
    return step;
}

/* Derives what follows from left = right and the rules there are. */
static qkv_status complete(completion *c, const qkv__expression *left, const qkv__expression *right)
{
    qkv__theory *theory = c->work.theory;
    int step = add_assumption_step(theory, left, right);
    if (step < 0) return qkv__work_fail(&c->work);
    const qkv__words *one = qkv__words_normal(&c->work, left);
    const qkv__words *two = qkv__words_normal(&c->work, right);
    const qkv__words *words = qkv__words_add(&c->work, one, two, qkv__rational_whole(-1));
    if (words == NULL) return qkv__work_fail(&c->work);
    qkv__step_set from = theory->rules->step[step].from;
    include_used(&c->work, &from);
    enqueue(c, words, &from, c->work.used_count == 0 ? step : -1);
    do drain(c);
    while (enqueue_congruences(c));
    if (theory->contradictory)
        return qkv__fail(&theory->error, QKV_ERROR_ARGUMENT,
                         "%s contradicts what is known: together they give I = 0",
                         theory->rules->step[step].text);
    bool short_of_memory = c->work.arena.failed || theory->arena.failed;
    return short_of_memory ? qkv__work_fail(&c->work) : QKV_OK;
}

qkv_status qkv__theory_add_rules(qkv__theory *theory, const qkv__expression *left,
                                 const qkv__expression *right)
{
    if (!qkv__expression_agree(theory, &left, &right)) return theory->error.status;
    completion c = {.queue = NULL};
    qkv_status status =
        qkv__work_begin(&c.work, theory) ? complete(&c, left, right) : qkv__work_fail(&c.work);
    qkv__work_end(&c.work);
    return status;
}

bool qkv__theory_learn(qkv__theory *theory, const qkv__words *words, const qkv__text *text)
{
    completion c = {.queue = NULL};
    bool good = qkv__work_begin(&c.work, theory);
    int step = good ? qkv__step_add(theory, text, NULL) : -1;
    if (step >= 0) {
        enqueue(&c, words, &theory->rules->step[step].from, step);
        do drain(&c);
        while (enqueue_congruences(&c));
    }
    good = step >= 0 && !c.work.arena.failed && !theory->arena.failed;
    qkv__work_end(&c.work);
    return good;
}

/* det(left) - det(right), which is 0 where left = right; to be taken before that is a rule. NULL:
 * nothing to be said. */
static const qkv__words *compare_determinants(qkv__theory *theory, const qkv__expression *left,
                                              const qkv__expression *right)
{
    qkv__work work;
    const qkv__words *difference = NULL;
    if (!theory->numbers || left->rows != left->columns || left->form != QKV__FORM_MATRIX)
        return NULL;
    if (qkv__work_begin(&work, theory)) {
        const qkv__words *one =
            qkv__words_function(&work, QKV__FUNCTION_DETERMINANT, qkv__words_normal(&work, left));
        const qkv__words *two =
            qkv__words_function(&work, QKV__FUNCTION_DETERMINANT, qkv__words_normal(&work, right));
        difference = qkv__words_add(&work, one, two, qkv__rational_whole(-1));
        difference = qkv__words_keep(theory, difference);
    }
    qkv__work_end(&work);
    return difference;
}

static void learn_determinants(qkv__theory *theory, const qkv__expression *left,
                               const qkv__expression *right, const qkv__words *difference)
{
    qkv__text text = {0};
    if (difference == NULL || difference->count == 0) return;
    qkv__text_append(&text, "det(", 4);
    qkv__expression_write(theory, left, &text);
    qkv__text_append(&text, ") = det(", 8);
    qkv__expression_write(theory, right, &text);
    qkv__text_append(&text, ")", 1);
    qkv__theory_learn(theory, difference, &text); /* if there is room */
    qkv__text_free(&text);
}

qkv_status qkv__theory_assume(qkv__theory *theory, const qkv__expression *left,
                              const qkv__expression *right)
{
    if (!qkv__expression_agree(theory, &left, &right)) return theory->error.status;
    if (theory->equation_count == QKV__EQUATIONS)
        return qkv__fail(&theory->error, QKV_ERROR_UNSUPPORTED, "more than %d assumptions",
                         QKV__EQUATIONS);
    /* Recorded first: a witness has to satisfy whatever the rules were told, even in part. */
    theory->equation[theory->equation_count++] = (qkv__equation){left, right};
    const qkv__words *determinants = compare_determinants(theory, left, right);
    qkv_status status = qkv__theory_add_rules(theory, left, right);
    if (status == QKV_OK) learn_determinants(theory, left, right, determinants);
    return status;
}
