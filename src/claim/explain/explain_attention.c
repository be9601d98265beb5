/* A result of attention, derived: scores by inner products, exponentials and their sum, weights,
 * output; query by query and head by head. Knows how results arose; nothing of verdicts. */
#include <stdio.h>
#include <string.h>

#include "claim/explain/explain.h"
#include "claim/model/binding.h"
#include "language/builtin.h"
#include "language/tree.h"
#include "language/write.h"

enum { SHORT_TITLE = 24 }; /* a longer one does not stand in front of .weight */

/* ---- Names of keys ------------------------------------------------------------------- */

void qkv__write_index(const qkv__index_set *set, size_t class, qkv__text *text)
{
    qkv__text_format(text, "[%s]",
                     class < set->mark_count ? set->mark[class] : qkv__index_letter(set));
}

void qkv__write_weight(const qkv__shares *shares, size_t class, qkv__text *text)
{
    if (qkv__is_others(shares->keys, class)) {
        qkv__text_format(text, "another's, on average");
        return;
    }
    qkv__text_format(text, "%s", shares->label);
    qkv__write_index(shares->keys, class, text);
}

bool qkv__is_others(const qkv__index_set *set, size_t class)
{
    return class > set->mark_count;
}

/* Where scores differ, one unmarked key stands for itself, and the others are a class of their own.
 */
static bool is_spread(const qkv__index_set *set, const qkv__attention *attention)
{
    return attention->count > set->mark_count + 1;
}

qkv__ratio qkv__class_size(qkv__lesson *lesson, const qkv__index_set *set,
                           const qkv__attention *attention, size_t class)
{
    qkv__algebra *algebra = &lesson->model->algebra;
    qkv__ratio one = qkv__ratio_whole(algebra, 1), rest = qkv__rest_size(algebra, set);
    if (qkv__is_others(set, class)) return qkv__ratio_subtract(algebra, rest, one);
    return class < set->mark_count || is_spread(set, attention) ? one : rest;
}

void qkv__write_others(qkv__lesson *lesson, const qkv__index_set *set,
                       const qkv__attention *attention, size_t class, qkv__text *text)
{
    const qkv__algebra *algebra = &lesson->model->algebra;
    qkv__text_format(text, "%s", "");
    if (class < set->mark_count) return;
    qkv__ratio size = qkv__class_size(lesson, set, attention, class);
    if (class == set->mark_count) {
        size = qkv__rest_size(&lesson->model->algebra, set);
        qkv__text_format(text, "for %s %s", qkv__index_letter(set),
                         set->mark_count == 0 ? "in " : "not in {");
        if (set->mark_count == 0) qkv__text_format(text, "%s", set->name);
        for (size_t i = 0; i < set->mark_count; i++)
            qkv__text_format(text, "%s%s%s", i == 0 ? "" : ", ", set->mark[i],
                             i + 1 == set->mark_count ? "}" : "");
        qkv__text_format(text, ": ");
    }
    qkv__ratio_write(algebra, qkv__situation_apply(lesson->situation, size), text);
    qkv__text_format(text, " keys");
}

/* ---- The call ------------------------------------------------------------------------ */

/* A result under way: where it comes from, what it is called, and which query. */
typedef struct account {
    const qkv__result *result;
    const qkv__node *call; /* attend or self_attend; NULL: not known */
    const char *title;     /* "c", "both.head[2]", or the call itself */
    bool named;            /* the title is short enough to stand in front of .weight */
    size_t row;
} account;

static bool is_self(const account *a)
{
    return a->result->queries != NULL;
}

static bool is_identity(const qkv__node *node)
{
    return node == NULL || qkv__node_is(node, "I");
}

/* x of self_attend(x with x[2] = y, ...): the parts are called after x. */
static const qkv__node *without_change(const qkv__node *node)
{
    while (node->kind == QKV__NODE_WITH) node = node->child[0];
    return node;
}

static void write_operand(const qkv__node *node, qkv__text *text)
{
    bool plain = node->kind == QKV__NODE_NAME || node->kind == QKV__NODE_NUMBER ||
                 node->kind == QKV__NODE_INDEX;
    qkv__text_format(text, "%s", plain ? "" : "(");
    qkv__node_write(node, text);
    qkv__text_format(text, "%s", plain ? "" : ")");
}

/* matrix*x[2], or x[2] where the matrix is I or none. */
static void write_projected(const qkv__node *matrix, const qkv__node *family,
                            const qkv__index_set *set, size_t class, qkv__text *text)
{
    if (!is_identity(matrix)) {
        write_operand(matrix, text);
        qkv__text_format(text, "*");
    }
    write_operand(without_change(family), text);
    qkv__write_index(set, class, text);
}

/* The matrix of self_attend(x, Q, K, V): 1, 2 or 3. */
static const qkv__node *matrix_of(const account *a, size_t number)
{
    return a->call == NULL ? NULL : qkv__plain_argument(a->call, number);
}

/* Whether `name` means nothing yet, so that it may stand for the query. */
static bool is_free(const qkv__lesson *lesson, const char *name)
{
    return qkv__model_find(lesson->model, lesson->locals, name) == NULL &&
           qkv__parameter_find(&lesson->model->algebra, name) < 0;
}

static void write_query(const qkv__lesson *lesson, const account *a, qkv__text *text)
{
    if (is_self(a)) {
        write_projected(matrix_of(a, 1), qkv__plain_argument(a->call, 0), a->result->queries,
                        a->row, text);
        return;
    }
    const qkv__node *query = qkv__plain_argument(a->call, 0);
    if (query->kind == QKV__NODE_NAME || query->kind == QKV__NODE_INDEX)
        qkv__node_write(query, text);
    else
        qkv__text_format(text, "%s", is_free(lesson, "q") ? "q" : "query");
}

static void append_factor(const qkv__text *factor, bool bracketed, qkv__text *text)
{
    qkv__text_format(text, bracketed ? "(%s)" : "%s", qkv__shown(factor));
}

/* k[a].q, or (K*x[1]).(Q*x[2]); with a scale (1/2)*(k[a].q). */
static void write_product(qkv__lesson *lesson, const account *a, size_t class, qkv__text *text)
{
    qkv__text key = {0}, query = {0};
    bool self = is_self(a);
    const qkv__node *scale = NULL;
    for (size_t i = 0; i < a->call->count; i++)
        if (a->call->child[i]->kind == QKV__NODE_OPTION) scale = a->call->child[i]->child[0];
    write_projected(self ? matrix_of(a, 2) : NULL, qkv__plain_argument(a->call, self ? 0 : 1),
                    a->result->keys, class, &key);
    write_query(lesson, a, &query);
    if (scale != NULL) {
        write_operand(scale, text);
        qkv__text_format(text, "*(");
    }
    append_factor(&key, self && !is_identity(matrix_of(a, 2)), text);
    qkv__text_format(text, ".");
    append_factor(&query, self && !is_identity(matrix_of(a, 1)), text);
    if (scale != NULL) qkv__text_format(text, ")");
    qkv__shown_free(lesson, &key);
    qkv__shown_free(lesson, &query);
}

/* c.weight, z.weight[2], or weight where the result has no short name. */
static void write_member(const account *a, const char *member, qkv__text *text)
{
    qkv__text_format(text, "%s%s%s", a->named ? a->title : "", a->named ? "." : "", member);
    if (is_self(a)) qkv__write_index(a->result->queries, a->row, text);
}

static void write_output(const account *a, qkv__text *text)
{
    qkv__text_format(text, "%s", a->named ? a->title : "output");
    if (is_self(a)) qkv__write_index(a->result->queries, a->row, text);
}

/* ---- Queries, keys and values -------------------------------------------------------- */

/* u[i].u[i] = beta^2 and u[i].u[j] = 0, for the families in a vector whose products are known. */
static void tell_products(qkv__lesson *lesson, const qkv__vector *vector)
{
    const qkv__algebra *algebra = &lesson->model->algebra;
    const qkv__family *last = NULL;
    for (size_t i = 0; i < vector->count; i++) {
        const qkv__family *family = vector->component[i].symbol.family;
        if (family == last || family->gram != QKV__GRAM_UNIFORM || family->set == NULL ||
            family->axis)
            continue;
        qkv__text same = {0}, different = {0};
        last = family;
        qkv__ratio_write(algebra, family->same, &same);
        qkv__ratio_write(algebra, family->different, &different);
        qkv__sheet_line(lesson->sheet, "%s[i].%s[i] = %s, and %s[i].%s[j] = %s for i != j",
                        family->name, family->name, qkv__shown(&same), family->name, family->name,
                        qkv__shown(&different));
        qkv__shown_free(lesson, &same);
        qkv__shown_free(lesson, &different);
    }
}

static void tell_query(qkv__lesson *lesson, const account *a)
{
    qkv__value value;
    const qkv__vector *vector;
    const qkv__node *query = qkv__plain_argument(a->call, 0);
    if (!qkv__lesson_value(lesson, query, &value) || !qkv__value_as_vector(&value, &vector) ||
        vector == NULL)
        return;
    qkv__text name = {0}, itself = {0};
    write_query(lesson, a, &name);
    qkv__vector_write(&lesson->model->space, vector, &itself);
    if (vector->count <= 8 && strcmp(qkv__shown(&name), qkv__shown(&itself)) != 0)
        qkv__sheet_vector(lesson, qkv__shown(&name), "=", vector);
    tell_products(lesson, vector);
    qkv__shown_free(lesson, &name);
    qkv__shown_free(lesson, &itself);
}

/* matrix*x[2] as a value. */
static void tell_projected(qkv__lesson *lesson, const account *a, const qkv__node *matrix,
                           size_t class)
{
    const qkv__node *family = qkv__plain_argument(a->call, 0);
    qkv__node index = {.kind = QKV__NODE_NAME, .text = a->result->keys->mark[class]};
    const qkv__node *parts[] = {family, &index};
    qkv__node member = {.kind = QKV__NODE_INDEX, .text = "", .count = 2, .child = parts};
    const qkv__node *factors[] = {matrix, &member};
    qkv__node product = {.kind = QKV__NODE_MULTIPLY, .text = "", .count = 2, .child = factors};
    qkv__value value;
    const qkv__vector *vector;
    if (!qkv__lesson_value(lesson, is_identity(matrix) ? &member : &product, &value) ||
        !qkv__value_as_vector(&value, &vector))
        return;
    qkv__text name = {0};
    write_projected(matrix, family, a->result->keys, class, &name);
    qkv__sheet_vector(lesson, qkv__shown(&name), "=", vector);
    qkv__shown_free(lesson, &name);
}

/* The tokens are combinations of these: what is known of their products. */
static void tell_token_products(qkv__lesson *lesson, const account *a)
{
    qkv__value value;
    const qkv__node *family = qkv__plain_argument(a->call, 0);
    if (!qkv__lesson_value(lesson, family, &value) || value.kind != QKV__VALUE_VECTORS) return;
    if (value.vectors->set->mark_count > 0 && value.vectors->mark[0] != NULL)
        tell_products(lesson, value.vectors->mark[0]);
    for (; family->kind == QKV__NODE_WITH; family = family->child[0]) {
        qkv__text target = {0}, change = {0};
        qkv__node_write(family->child[1], &target);
        qkv__node_write(family->child[2], &change);
        qkv__sheet_line(lesson->sheet, "here %s = %s", qkv__shown(&target), qkv__shown(&change));
        qkv__shown_free(lesson, &target);
        qkv__shown_free(lesson, &change);
    }
}

/* What self_attend makes of the tokens: one step for all queries. */
static void tell_tokens(qkv__lesson *lesson, const account *a, const qkv__subject *subject)
{
    const qkv__index_set *keys = a->result->keys;
    qkv__sheet_step(lesson->sheet, "Queries, keys and values of %s", a->title);
    for (size_t i = 0; i < a->result->count; i++)
        if (subject == NULL || subject->all || subject->row[i])
            tell_projected(lesson, a, matrix_of(a, 1), i);
    for (size_t number = 2; number <= 3; number++)
        for (size_t j = 0; j < keys->mark_count && !is_identity(matrix_of(a, number)); j++)
            tell_projected(lesson, a, matrix_of(a, number), j);
}

/* ---- Scores, sum, weights ------------------------------------------------------------ */

/* No exponential is 0, so a weight of 0 belongs to a key that is not looked at. */
static bool is_masked(const qkv__attention *attention, size_t class)
{
    return qkv__ratio_is_zero(attention->weight[class]);
}

/* A score that is only a name for itself, such as k[j].q, may be any number. */
static void tell_score(qkv__lesson *lesson, const char *left, qkv__ratio score, const char *note)
{
    qkv__text right = {0};
    qkv__ratio_write(&lesson->model->algebra, score, &right);
    bool same = strcmp(left, qkv__shown(&right)) == 0;
    qkv__sheet_row(lesson->sheet, left, same ? "is" : "=", same ? "any number" : qkv__shown(&right),
                   note);
    qkv__shown_free(lesson, &right);
}

static void tell_scores(qkv__lesson *lesson, const account *a)
{
    const qkv__attention *attention = a->result->row[a->row];
    const qkv__index_set *keys = a->result->keys;
    for (size_t i = 0; i < attention->count; i++) {
        qkv__text left = {0}, note = {0};
        if (qkv__is_others(keys, i)) {
            qkv__text_format(&left, "the others' score");
        } else if (a->call != NULL) {
            write_product(lesson, a, i, &left);
        } else {
            write_member(a, "score", &left);
            qkv__write_index(keys, i, &left);
        }
        qkv__write_others(lesson, keys, attention, i, &note);
        if (qkv__is_others(keys, i))
            qkv__text_format(&note, ", as ln of the mean of their e^score");
        if (is_masked(attention, i))
            qkv__sheet_row(lesson->sheet, qkv__shown(&left), "is", "not looked at",
                           qkv__shown(&note));
        else
            tell_score(lesson, qkv__shown(&left), attention->score[i], qkv__shown(&note));
        qkv__shown_free(lesson, &left);
        qkv__shown_free(lesson, &note);
    }
}

/* (n - 2)*e^0 */
static void write_share(const qkv__lesson *lesson, qkv__ratio count, qkv__ratio score,
                        qkv__ratio power, qkv__text *text)
{
    const qkv__algebra *algebra = &lesson->model->algebra;
    qkv__rational number;
    bool one = qkv__ratio_is_constant(count, &number) && number.numerator == number.denominator;
    bool sum = count.numerator->count > 1;
    qkv__text_format(text, "%s", text->length > 0 ? " + " : "");
    if (!one) {
        qkv__text_format(text, "%s", sum ? "(" : "");
        qkv__ratio_write(algebra, count, text);
        qkv__text_format(text, "%s", sum ? ")*" : "*");
    }
    bool several = power.numerator->count > 1 || power.denominator->count > 1;
    if (qkv__ratio_is_zero(score)) {
        qkv__text_format(text, "e^0");
        return;
    }
    qkv__text_format(text, "%s", several ? "(" : "");
    qkv__ratio_write(algebra, power, text);
    qkv__text_format(text, "%s", several ? ")" : "");
}

/* The sum of exponentials, keys with one score taken together: 2*e^beta + (n - 2)*e^0. */
static qkv__ratio tell_sum(qkv__lesson *lesson, const account *a)
{
    qkv__algebra *algebra = &lesson->model->algebra;
    const qkv__attention *attention = a->result->row[a->row];
    qkv__ratio total = qkv__ratio_whole(algebra, 0);
    qkv__text parts = {0};
    for (size_t i = 0; i < attention->count; i++) {
        bool seen = is_masked(attention, i);
        for (size_t j = 0; j < i && !seen; j++)
            seen = !is_masked(attention, j) &&
                   qkv__ratio_equal(algebra, attention->score[i], attention->score[j]);
        if (seen) continue;
        qkv__ratio count = qkv__ratio_whole(algebra, 0);
        for (size_t j = i; j < attention->count; j++)
            if (!is_masked(attention, j) &&
                qkv__ratio_equal(algebra, attention->score[i], attention->score[j]))
                count = qkv__ratio_add(algebra, count,
                                       qkv__class_size(lesson, a->result->keys, attention, j));
        qkv__ratio power = qkv__ratio_exponential(algebra, attention->score[i]);
        qkv__ratio share = qkv__ratio_multiply(algebra, count, power);
        total = qkv__ratio_add(algebra, total, share);
        if (!qkv__ratio_is_lost(share))
            write_share(lesson, count, attention->score[i], power, &parts);
    }
    if (parts.length > 0)
        qkv__sheet_row(lesson->sheet, "sum of e^score", "=", qkv__shown(&parts), "");
    qkv__text sum = {0};
    qkv__ratio_write(algebra, total, &sum);
    if (!qkv__ratio_is_lost(total) && strcmp(qkv__shown(&sum), qkv__shown(&parts)) != 0)
        qkv__sheet_row(lesson->sheet, "", "=", qkv__shown(&sum), "");
    qkv__shown_free(lesson, &parts);
    qkv__shown_free(lesson, &sum);
    return total;
}

static void tell_weights(qkv__lesson *lesson, const qkv__shares *shares)
{
    for (size_t i = 0; i < shares->attention->count; i++) {
        qkv__text left = {0}, note = {0};
        qkv__write_weight(shares, i, &left);
        qkv__write_others(lesson, shares->keys, shares->attention, i, &note);
        qkv__sheet_ratio(lesson, qkv__shown(&left), "=", shares->attention->weight[i],
                         qkv__shown(&note));
        qkv__shown_free(lesson, &left);
        qkv__shown_free(lesson, &note);
    }
}

/* ---- Rows, heads, subjects ----------------------------------------------------------- */

static void tell_row(qkv__lesson *lesson, const account *a)
{
    qkv__text label = {0}, output = {0}, query = {0};
    const qkv__attention *attention = a->result->row[a->row];
    if (is_self(a)) qkv__text_format(&query, ", query %s", a->result->queries->mark[a->row]);
    const char *of_query = qkv__shown(&query);
    qkv__shares shares = {.keys = a->result->keys, .attention = attention};
    if (attention->score != NULL) {
        qkv__sheet_step(lesson->sheet, "Scores of %s%s", a->title, of_query);
        if (a->call != NULL && is_self(a)) tell_token_products(lesson, a);
        if (a->call != NULL && !is_self(a)) tell_query(lesson, a);
        tell_scores(lesson, a);
    }
    qkv__sheet_step(lesson->sheet, "Weights of %s%s: %s", a->title, of_query,
                    attention->score != NULL ? "e^score over the sum" : "the mean of the heads'");
    if (attention->score != NULL) shares.total = tell_sum(lesson, a);
    write_member(a, "weight", &label);
    write_output(a, &output);
    shares.label = qkv__shown(&label);
    shares.output = qkv__shown(&output);
    tell_weights(lesson, &shares);
    qkv__sheet_step(lesson->sheet, "Output of %s%s: the sum of weights times values", a->title,
                    of_query);
    qkv__sheet_vector(lesson, qkv__shown(&output), "=", attention->output);
    qkv__derive_limit(lesson, &shares);
    qkv__derive_numbers(lesson, &shares);
    qkv__shown_free(lesson, &label);
    qkv__shown_free(lesson, &output);
    qkv__shown_free(lesson, &query);
}

static void tell_result(qkv__lesson *lesson, account *a, const qkv__subject *subject)
{
    size_t plain = 0;
    if (a->result->adjusted) return; /* products and sums are not all there is to them */
    for (size_t i = 0; i < a->result->count; i++)
        if (a->result->row[i]->whole) return;
    while (a->call != NULL && qkv__plain_argument(a->call, plain) != NULL) plain++;
    if (is_self(a) && plain == 4) tell_tokens(lesson, a, subject);
    for (a->row = 0; a->row < a->result->count; a->row++)
        if (subject == NULL || subject->all || subject->row[a->row]) tell_row(lesson, a);
}

static bool is_mean(const qkv__node *call)
{
    return call != NULL && qkv__builtin_of(call) == QKV__BUILTIN_MEAN;
}

/* A mean: each head first, called two.head[1]; then their average. */
static void tell_heads(qkv__lesson *lesson, const account *whole)
{
    for (size_t i = 0; i < whole->result->head_count; i++) {
        qkv__text title = {0};
        const qkv__node *argument =
            whole->call == NULL ? NULL : qkv__plain_argument(whole->call, i);
        const qkv__node *call = argument == NULL ? NULL : qkv__lesson_origin(lesson, argument);
        account head = {.result = whole->result->head[i], .named = whole->named};
        head.call = is_mean(call) ? NULL : call;
        if (whole->named)
            qkv__text_format(&title, "%s.head[%zu]", whole->title, i + 1);
        else
            qkv__text_format(&title, "head %zu", i + 1);
        head.title = qkv__shown(&title);
        tell_result(lesson, &head, NULL);
        qkv__shown_free(lesson, &title);
    }
}

void qkv__derive_subject(qkv__lesson *lesson, const qkv__subject *subject)
{
    qkv__text title = {0};
    qkv__node_write(subject->node, &title);
    const qkv__node *call = qkv__lesson_origin(lesson, subject->node);
    account a = {.result = subject->result, .call = call};
    a.title = qkv__shown(&title);
    a.named = subject->node->kind != QKV__NODE_CALL || strlen(a.title) <= SHORT_TITLE;
    if (a.result->head_count > 0) {
        tell_heads(lesson, &a);
        a.call = NULL;
    } else if (is_mean(call)) {
        a.call = NULL;
    }
    tell_result(lesson, &a, subject);
    qkv__shown_free(lesson, &title);
}
