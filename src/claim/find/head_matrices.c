/* find K, Q, V: what is found is written down, read again as the language reads it, put in place of
 * the names, and decided like any claim. Knows what is asked and what cannot be; the design is in
 * head_design.c. */
#include <string.h>

#include "claim/find/head.h"
#include "claim/model/binding.h"
#include "claim/premise/given.h"
#include "language/tree.h"

bool qkv__find_is_about_matrices(const qkv__question *question)
{
    qkv__question copy = *question;
    qkv__head_task d = {.question = &copy, .model = question->model};
    return qkv__head_locate(&d);
}

/* ---- The limit ----------------------------------------------------------------------- */

static bool depends_on(qkv__ratio ratio, int parameter)
{
    return !qkv__ratio_is_lost(ratio) && qkv__ratio_depends_on(ratio, parameter);
}

/* Whether some family's norm is this parameter, or involves it. */
bool qkv__head_is_in_norm(const qkv__head_task *d, int parameter)
{
    const qkv__space *space = &d->model->space;
    for (size_t i = 0; i < space->family_count; i++)
        if (space->family[i].gram == QKV__GRAM_UNIFORM &&
            depends_on(space->family[i].same, parameter))
            return true;
    return false;
}

static void make_positive(qkv__parameter *known)
{
    if (known->lower.known && qkv__rational_sign(known->lower.value) > 0) return;
    known->lower = (qkv__bound){.known = true, .strict = true, .value = qkv__rational_whole(0)};
}

/* The parameter of the limit: the one that is stated, else that of the norms, else beta. What
 * grows is positive in the end, and norms are taken to be positive. */
static bool choose_parameter(qkv__head_task *d)
{
    qkv__algebra *algebra = &d->model->algebra;
    const qkv__node *limit = d->question->limit;
    d->parameter = -1;
    for (int p = (int)algebra->parameter_count - 1; p >= 0; p--)
        if (qkv__head_is_in_norm(d, p)) {
            make_positive(&algebra->parameter[p]);
            d->parameter = p;
        }
    if (limit != NULL) {
        if (limit->child[1]->kind != QKV__NODE_INFINITY || limit->child[0]->kind != QKV__NODE_NAME)
            return qkv__question_open(d->question, "only limits to infinity are supported");
        d->parameter = qkv__model_parameter(d->model, limit->child[0]->text);
    }
    if (d->limit && d->parameter < 0 && qkv__model_find(d->model, NULL, "beta") == NULL)
        d->parameter = qkv__model_parameter(d->model, "beta");
    if (d->limit && (d->parameter < 0 || (d->exact && limit == NULL)))
        return qkv__question_open(d->question, "'~' needs a limit here: as beta -> inf");
    if (d->limit && (algebra->parameter[d->parameter].upper.known ||
                     qkv__given_speaks_of(d->model, d->question->circumstances,
                                          algebra->parameter[d->parameter].name)))
        return qkv__question_open(d->question, "a premise may keep the limit from being reached");
    if (d->limit) make_positive(&algebra->parameter[d->parameter]);
    return true;
}

/* The conditions of the question, and the limit that was chosen where none is stated. */
static bool state_limit(qkv__head_task *d)
{
    d->circumstances = *d->question->circumstances;
    if (!d->limit || d->question->limit != NULL) return true;
    const qkv__node *limit =
        qkv__node_grows(&d->model->algebra.arena, d->model->algebra.parameter[d->parameter].name,
                        d->question->proposition->place);
    return (limit != NULL &&
            qkv__circumstances_put(&d->circumstances, QKV__CONDITION_LIMIT, limit)) ||
           qkv__question_open(d->question, "too many conditions");
}

/* ---- Impossible ---------------------------------------------------------------------- */

/* Equal tokens have equal outputs, whatever the matrices are. */
static bool refute_equal_tokens(qkv__head_task *d)
{
    for (size_t i = 0; i < d->target_count && !d->question->has_tolerance; i++)
        for (size_t j = i + 1; j < d->target_count; j++) {
            const qkv__head_target *s = &d->target[i], *t = &d->target[j];
            bool equal =
                s->compared->comparison == QKV__EQUAL || s->compared->comparison == QKV__NEAR;
            if (s->output == NULL || t->output == NULL || !equal ||
                s->compared->comparison != t->compared->comparison ||
                d->class[s->token] != d->class[t->token] || (d->causal && s->token != t->token))
                continue;
            const qkv__node *same = qkv__node_pair(&d->model->algebra.arena, s->compared,
                                                   QKV__NODE_COMPARE, s->node, t->node);
            qkv__finding finding;
            if (same == NULL) return false;
            bool trying = d->model->trying;
            d->model->trying = true;
            d->question->again(d->model, same, &d->circumstances, &finding);
            d->model->trying = trying;
            bool differ = finding.verdict == QKV__REFUTED && finding.culprit == NULL;
            qkv__finding_free(&finding);
            if (!differ) continue;
            if (s->token == t->token)
                qkv__text_format(&d->question->finding->reason,
                                 "There are none: token %s has one output, not two.",
                                 d->x->set->mark[s->token]);
            else
                qkv__text_format(&d->question->finding->reason,
                                 "There are none: tokens %s and %s are the same vector, so that "
                                 "their outputs are equal whatever the matrices are.",
                                 d->x->set->mark[s->token], d->x->set->mark[t->token]);
            qkv__question_conclude(d->question, QKV__REFUTED, "exact");
            d->question->finding->part = same;
            return true;
        }
    return false;
}

/* Weights are not negative and sum to 1, in the limit too. */
static bool refute_weights(qkv__head_task *d)
{
    for (size_t i = 0; i < d->target_count; i++) {
        const qkv__head_target *t = &d->target[i];
        qkv__rational sum = qkv__rational_whole(0), number;
        bool constant = t->output == NULL && !d->question->has_tolerance, negative = false;
        bool positive =
            !d->causal && d->question->limit == NULL && t->compared->comparison == QKV__EQUAL;
        for (size_t j = 0; constant && j < t->weight_count; j++) {
            constant = qkv__ratio_is_constant(t->weight[j], &number);
            sum = qkv__rational_add(sum, number);
            negative =
                negative || qkv__rational_sign(number) < 0 || (positive && number.numerator == 0);
        }
        bool one = sum.numerator == 1 && sum.denominator == 1;
        if (!constant || qkv__rational_is_lost(sum) || (one && !negative)) continue;
        qkv__text_format(&d->question->finding->reason,
                         "There are none: weights are %s and sum to 1.",
                         positive ? "positive" : "not negative");
        qkv__question_conclude(d->question, QKV__REFUTED, "exact");
        d->question->finding->uniform = true;
        return true;
    }
    return false;
}

/* ---- Checking ------------------------------------------------------------------------ */

/* The proposition with the matrices in place. */
static bool verify(qkv__head_task *d)
{
    const qkv__node *proposition = qkv__head_replaced(
        d, d->question->proposition, d->definition == NULL ? d->call : NULL, d->changed);
    qkv__finding finding;
    bool trying = d->model->trying;
    d->model->trying = true;
    d->question->again(d->model, proposition, &d->circumstances, &finding);
    d->model->trying = trying;
    bool good = finding.verdict == QKV__PROVED && finding.culprit == NULL;
    qkv__finding_free(&finding);
    return good || qkv__question_open(d->question, "the design that was tried does not do it");
}

/* " for beta > 0", of norms whose being 0 was not excluded by the document. */
static void write_answer(qkv__head_task *d, const qkv__parameter *before, size_t known)
{
    static const int order[] = {QKV__QUERY, QKV__KEY, QKV__VALUE};
    qkv__finding *finding = d->question->finding;
    const qkv__algebra *algebra = &d->model->algebra;
    for (int i = 0; i < QKV__ROLES; i++)
        if (d->unknown[order[i]] != NULL)
            qkv__text_format(&finding->found, "%s%s = %s", finding->found.length > 0 ? "; " : "",
                             d->unknown[order[i]], d->text[order[i]].data);
    qkv__text_format(&finding->reason, "Put in and checked");
    if (d->limit)
        qkv__text_format(&finding->reason, " as %s -> inf", algebra->parameter[d->parameter].name);
    for (size_t p = 0; p < known; p++)
        if (qkv__head_is_in_norm(d, (int)p) && !(d->limit && (int)p == d->parameter) &&
            !(before[p].lower.known &&
              (before[p].lower.strict || qkv__rational_sign(before[p].lower.value) > 0)))
            qkv__text_format(&finding->reason, " for %s > 0", algebra->parameter[p].name);
    qkv__text_format(&finding->reason, ".");
    qkv__question_conclude(d->question, QKV__PROVED, "exact");
}

static void answer(qkv__head_task *d)
{
    qkv__parameter before[QKV__PARAMETERS];
    memcpy(before, d->model->algebra.parameter, sizeof before);
    size_t known = d->model->algebra.parameter_count;
    if (!qkv__head_read(d) || !choose_parameter(d) || !state_limit(d) || refute_weights(d) ||
        refute_equal_tokens(d))
        return;
    if (qkv__head_design(d) && qkv__head_define_again(d) && verify(d))
        write_answer(d, before, known);
}

void qkv__find_matrices(qkv__question *question)
{
    qkv__head_task *d = qkv__arena_take(&question->model->algebra.arena, sizeof *d);
    if (d == NULL) {
        qkv__question_open(question, "out of memory");
        return;
    }
    *d = (qkv__head_task){.question = question, .model = question->model};
    if (qkv__head_locate(d)) answer(d);
    for (int r = 0; r < QKV__ROLES; r++) qkv__text_free(&d->text[r]);
}
