/*
 * The design itself. With tokens x_j that are linearly independent there are dual vectors d_j,
 * d_j.x_i = [i = j], and with them
 *
 *     Q = sum_i (sum_j s_ij e_j) d_i'        gives token i the scores s_ij, e_j dual to the keys,
 *     V = sum_j w_j d_j'                     gives token j the value w_j.
 *
 * A token that needs an output looks at itself, with a score that grows in the limit's parameter,
 * or with a fixed one where the output must be exact: then the values solve a linear system. Knows
 * nothing of whether the design does what is asked; that is decided later.
 */
#include "claim/find/head.h"
#include "claim/model/binding.h"
#include "claim/model/evaluate.h"
#include "language/document.h"

/* ---- Scores -------------------------------------------------------------------------- */

/* The score that wins: it grows in the limit; where the output must be exact, ln 2 does. */
static qkv__ratio winning_score(const qkv__head_task *d)
{
    qkv__algebra *algebra = &d->model->algebra;
    if (!d->limit)
        return qkv__ratio_of_form(algebra, qkv__form_logarithm(algebra, qkv__rational_whole(2)));
    qkv__ratio beta = qkv__ratio_of_form(algebra, qkv__form_parameter(algebra, d->parameter));
    return qkv__head_is_in_norm(d, d->parameter) ? qkv__ratio_power(algebra, beta, 2) : beta;
}

/* Scores for a row of weights: ln of each beside the first, and more for all that must win over
 * zeros. */
static bool scores_for_weights(qkv__head_task *d, const qkv__head_target *t, qkv__ratio *score)
{
    qkv__algebra *algebra = &d->model->algebra;
    qkv__rational number, first = qkv__rational_whole(0);
    bool zeros = false;
    for (size_t j = 0; j < t->weight_count; j++) {
        if (!qkv__ratio_is_constant(t->weight[j], &number))
            return qkv__question_open(d->question, "the weights are not numbers");
        zeros = zeros || number.numerator == 0;
        if (first.numerator == 0) first = number;
    }
    if (zeros && !d->limit) return qkv__question_open(d->question, "a weight is never exactly 0");
    for (size_t j = 0; j < t->weight_count; j++) {
        qkv__ratio *s = &score[d->class[j]];
        *s = qkv__ratio_whole(algebra, 0);
        if (!qkv__ratio_is_constant(t->weight[j], &number) || number.numerator == 0) continue;
        number = qkv__rational_divide(number, first);
        *s = qkv__ratio_of_form(algebra, qkv__form_logarithm(algebra, number));
        if (zeros) *s = qkv__ratio_add(algebra, *s, winning_score(d));
    }
    return true;
}

/* Values are given: tokens whose mean value is what is wanted share the score. */
static bool scores_for_values(qkv__head_task *d, const qkv__head_target *t,
                              const qkv__tokens *values, qkv__ratio *score)
{
    qkv__space *space = &d->model->space;
    size_t seen = d->causal ? t->token + 1 : d->x->set->mark_count;
    for (unsigned set = 1; set < 1u << seen && seen <= 10; set++) {
        const qkv__vector *sum = qkv__vector_zero(space);
        int64_t count = 0;
        for (size_t j = 0; j < seen; j++)
            if (set >> j & 1u) {
                sum = qkv__vector_add(space, sum, values->token[d->class[j]]);
                count++;
            }
        qkv__ratio share = qkv__ratio_constant(space->algebra, qkv__rational_make(1, count));
        if (!qkv__vector_equal(space, qkv__vector_scale(space, sum, share), t->output)) continue;
        for (size_t j = 0; j < values->count; j++) score[j] = qkv__ratio_whole(space->algebra, 0);
        for (size_t j = 0; j < seen; j++)
            if (set >> j & 1u) score[d->class[j]] = winning_score(d);
        return true;
    }
    return qkv__question_open(d->question, "the output of token %s is not a mean of given values",
                              d->x->set->mark[t->token]);
}

/* A family of vectors by a matrix of the call; the tokens themselves where that is unknown. */
static bool projected(qkv__head_task *d, int role, qkv__tokens *result)
{
    qkv__value matrix, to;
    qkv__failure failure = {0};
    *result = d->tokens;
    if (d->unknown[role] != NULL) return true;
    if (!qkv__head_evaluate(d, d->changed->child[1 + role], &matrix)) return false;
    for (size_t i = 0; i < d->tokens.count; i++) {
        qkv__value from = qkv__value_vector(d->tokens.token[i]);
        if (!qkv__value_multiply(&d->model->space, &matrix, &from, &to, &failure) ||
            !qkv__value_as_vector(&to, &result->token[i]))
            return qkv__question_open(d->question, "a given matrix is beyond the exact engine");
    }
    return true;
}

/* The scores that every token with a target needs. */
static bool plan_scores(qkv__head_task *d, qkv__ratio score[][QKV__TOKENS])
{
    qkv__tokens values;
    if (!projected(d, QKV__VALUE, &values)) return false;
    for (size_t i = 0; i < d->target_count; i++) {
        const qkv__head_target *t = &d->target[i];
        qkv__ratio *row = score[d->class[t->token]];
        if (t->output == NULL) {
            if (!scores_for_weights(d, t, row)) return false;
        } else if (d->unknown[QKV__VALUE] == NULL) {
            if (!scores_for_values(d, t, &values, row)) return false;
        } else if (qkv__ratio_is_lost(row[0])) { /* not yet planned: look at yourself */
            for (size_t j = 0; j < d->tokens.count; j++)
                row[j] = j == d->class[t->token] ? winning_score(d)
                                                 : qkv__ratio_whole(&d->model->algebra, 0);
        }
    }
    return true;
}

static const qkv__vector *dual_of(qkv__head_task *d, const qkv__tokens *of, size_t i)
{
    const qkv__vector *dual = qkv__tokens_dual(&d->model->space, of, i);
    if (dual == NULL)
        qkv__question_open(d->question,
                           "a token, or its key, is not known to be linearly independent of the "
                           "others");
    return dual;
}

/* Q = sum_i (sum_j s_ij e_j) d_i', with e dual to the keys; or, with Q given, K = sum_j (sum_i s_ij
 * e_i) d_j', with e dual to the queries. */
static bool make_scores(qkv__head_task *d)
{
    qkv__space *space = &d->model->space;
    bool for_query = d->unknown[QKV__QUERY] != NULL;
    if (!for_query && d->unknown[QKV__KEY] == NULL) return true;
    qkv__ratio score[QKV__TOKENS][QKV__TOKENS] = {{{NULL, NULL}}};
    qkv__tokens others;
    qkv__outer_sum *sum = qkv__arena_take(&space->algebra->arena, sizeof *sum);
    if (sum == NULL || !plan_scores(d, score) ||
        !projected(d, for_query ? QKV__KEY : QKV__QUERY, &others))
        return false;
    for (size_t i = 0; i < d->tokens.count; i++)
        for (size_t j = 0; j < d->tokens.count; j++) {
            if (qkv__ratio_is_lost(score[i][j]) || qkv__ratio_is_zero(score[i][j])) continue;
            const qkv__vector *left = dual_of(d, &others, for_query ? j : i);
            const qkv__vector *right =
                left == NULL ? NULL : dual_of(d, &d->tokens, for_query ? i : j);
            if (right == NULL) return false;
            qkv__outer_sum_add(space, sum, qkv__ratio_divide(space->algebra, score[i][j], d->scale),
                               left, right);
        }
    qkv__outer_sum_write(space, sum, &d->text[for_query ? QKV__QUERY : QKV__KEY]);
    if (for_query && d->unknown[QKV__KEY] != NULL) qkv__text_format(&d->text[QKV__KEY], "I");
    return true;
}

/* ---- Reading what was written --------------------------------------------------------- */

/* The value of a text of the language. */
static bool read_text(qkv__head_task *d, const qkv__text *text, qkv__value *value)
{
    qkv__document document;
    qkv_error error;
    qkv__text line = {0};
    qkv__text_format(&line, "M = %s\n", text->data == NULL ? "?" : text->data);
    bool good = !line.failed &&
                qkv__document_read("found", line.data, line.length, &document, &error) == QKV_OK;
    if (good) {
        const qkv__statement *first = document.first;
        good = document.complaint_count == 0 && first != NULL &&
               first->kind == QKV__STATEMENT_DEFINE &&
               qkv__model_value(d->model, first->node[1], NULL, value);
        qkv__document_free(&document);
    }
    qkv__text_free(&line);
    return good || qkv__question_open(d->question, "what was found cannot be read again");
}

static bool bind(qkv__head_task *d, int role)
{
    qkv__value value;
    if (d->unknown[role] == NULL || d->text[role].length == 0) return true;
    return read_text(d, &d->text[role], &value) &&
           qkv__model_bind(d->model, (qkv__binding){.name = d->unknown[role], .value = value});
}

/* ---- Values -------------------------------------------------------------------------- */

/* The weights that Q and K give, by attention itself with V = I. */
static const qkv__result *weights_of(qkv__head_task *d)
{
    const qkv__node *identity = qkv__head_node(d, QKV__NODE_NAME, "I", 0);
    qkv__value value;
    if (identity == NULL) return NULL;
    const qkv__node *call =
        qkv__head_replaced(d, d->changed, d->changed->child[1 + QKV__VALUE], identity);
    if (!qkv__head_evaluate(d, call, &value) || value.kind != QKV__VALUE_RESULT) return NULL;
    return value.result;
}

/* sum_j a_ij w_j = t_i; equal tokens have one value, and their weights count together. */
static bool solve_values(qkv__head_task *d, const qkv__vector **values)
{
    const qkv__result *result = weights_of(d);
    qkv__system *system = qkv__arena_take(&d->model->algebra.arena, sizeof *system);
    if (result == NULL || system == NULL) return false;
    system->columns = d->tokens.count;
    for (size_t i = 0; i < d->target_count; i++) {
        const qkv__head_target *t = &d->target[i];
        if (t->output == NULL) continue;
        qkv__ratio *row = system->row[system->rows];
        for (size_t j = 0; j < d->tokens.count; j++)
            row[j] = qkv__ratio_whole(&d->model->algebra, 0);
        for (size_t j = 0; j < d->x->set->mark_count; j++)
            row[d->class[j]] = qkv__ratio_add(&d->model->algebra, row[d->class[j]],
                                              result->row[t->token]->weight[j]);
        system->right[system->rows++] = t->output;
    }
    return qkv__system_solve(&d->model->space, system, values) ||
           qkv__question_open(d->question, "no values give these outputs with these weights");
}

static bool make_values(qkv__head_task *d)
{
    qkv__space *space = &d->model->space;
    const qkv__vector *values[QKV__TOKENS];
    qkv__outer_sum *sum = qkv__arena_take(&space->algebra->arena, sizeof *sum);
    if (d->unknown[QKV__VALUE] == NULL) return true;
    if (sum == NULL || !bind(d, QKV__QUERY) || !bind(d, QKV__KEY)) return false;
    bool looking = d->unknown[QKV__QUERY] != NULL || d->unknown[QKV__KEY] != NULL;
    bool weighed = false;
    for (size_t i = 0; i < d->tokens.count; i++) values[i] = qkv__vector_zero(space);
    for (size_t i = 0; i < d->target_count; i++) {
        weighed = weighed || d->target[i].output == NULL;
        if (d->target[i].output != NULL) values[d->class[d->target[i].token]] = d->target[i].output;
    }
    /* In the limit a token that looks at itself gets its own value. */
    if (!(looking && d->limit && !weighed) && !solve_values(d, values)) return false;
    for (size_t j = 0; j < d->tokens.count; j++) {
        if (values[j] == NULL || values[j]->count == 0) continue;
        const qkv__vector *dual = dual_of(d, &d->tokens, j);
        if (dual == NULL) return false;
        qkv__outer_sum_add(space, sum, qkv__ratio_whole(space->algebra, 1), values[j], dual);
    }
    qkv__outer_sum_write(space, sum, &d->text[QKV__VALUE]);
    return true;
}

bool qkv__head_design(qkv__head_task *d)
{
    return make_scores(d) && make_values(d) && bind(d, QKV__QUERY) && bind(d, QKV__KEY) &&
           bind(d, QKV__VALUE);
}
