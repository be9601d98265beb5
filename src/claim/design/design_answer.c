/* What all parts of the designer use: how an answer is told, signs under the question's conditions,
 * what depends on a parameter. Knows nothing of how a design is found. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "claim/design/design_part.h"
#include "claim/model/binding.h"
#include "claim/premise/given.h"

/* ---- Answers ------------------------------------------------------------------------------ */

void qkv__design_conclude(qkv__design_task *task, qkv__verdict verdict, const char *engine)
{
    task->finding->verdict = verdict;
    task->finding->engine = engine;
    task->finding->uniform = false;
}

void qkv__design_refute(qkv__design_task *task, bool uniform)
{
    qkv__design_conclude(task, QKV__REFUTED, "exact");
    task->finding->uniform = uniform;
}

void qkv__design_say(qkv__design_task *task, const char *format, ...)
{
    char sentence[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    qkv__text *reason = &task->finding->reason;
    if (reason->data != NULL && strstr(reason->data, sentence) != NULL) return; /* once is enough */
    qkv__text_format(reason, "%s%s", reason->length > 0 ? " " : "", sentence);
}

void qkv__design_leave(qkv__design_task *task, const char *reason)
{
    if (task->finding->reason.length == 0) qkv__design_say(task, "%s", reason);
    qkv__design_conclude(task, QKV__UNDECIDED, "");
}

/* ---- Signs -------------------------------------------------------------------------------- */

qkv__ratio qkv__design_fixed(qkv__model *model, qkv__ratio ratio)
{
    qkv__algebra *algebra = &model->algebra;
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        const qkv__parameter *known = &algebra->parameter[p];
        if (known->lower.known && known->upper.known && qkv__ratio_depends_on(ratio, p) &&
            qkv__rational_compare(known->lower.value, known->upper.value) == 0)
            ratio = qkv__ratio_substitute(algebra, ratio, p,
                                          qkv__form_constant(algebra, known->lower.value));
    }
    return ratio;
}

const qkv__vector *qkv__design_fixed_vector(qkv__model *model, const qkv__vector *vector)
{
    const qkv__vector *sum = qkv__vector_zero(&model->space);
    for (size_t i = 0; vector != NULL && i < vector->count; i++) {
        const qkv__component *part = &vector->component[i];
        const qkv__vector *symbol =
            qkv__vector_symbol(&model->space, part->symbol.family, part->symbol.member);
        qkv__ratio factor = qkv__design_fixed(model, part->factor);
        sum = qkv__vector_add(&model->space, sum, qkv__vector_scale(&model->space, symbol, factor));
    }
    return vector == NULL ? NULL : sum;
}

qkv__ratio qkv__design_tidy(qkv__algebra *algebra, qkv__ratio ratio)
{
    if (qkv__ratio_is_lost(ratio) || ratio.numerator->count == 0) return ratio;
    const qkv__form *above = ratio.numerator, *below = ratio.denominator;
    qkv__term shift = {.coefficient = {1, 1}};
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        for (size_t t = 0; t < above->count + below->count; t++) {
            const qkv__term *term =
                t < above->count ? &above->term[t] : &below->term[t - above->count];
            if (term->power[p] < shift.power[p]) shift.power[p] = term->power[p];
        }
    qkv__rational lead = below->term[0].coefficient;
    qkv__rational constant = qkv__rational_divide(above->term[0].coefficient, lead);
    qkv__ratio number = qkv__ratio_constant(algebra, constant);
    if (!qkv__rational_is_lost(constant) && qkv__ratio_equal(algebra, ratio, number)) return number;
    shift.coefficient = lead;
    return (qkv__ratio){qkv__form_divide_by_term(algebra, above, &shift),
                        qkv__form_divide_by_term(algebra, below, &shift)};
}

/* Whether a number depends on inner products: these depend on each other, so that no point of
 * theirs is safe to choose. */
static bool has_products(const qkv__algebra *algebra, qkv__ratio ratio)
{
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if ((algebra->parameter[p].generic || strchr(algebra->parameter[p].name, '.') != NULL) &&
            qkv__ratio_depends_on(ratio, p))
            return true;
    return false;
}

static bool sign_over_box(qkv__design_task *task, qkv__ratio ratio, qkv__sign_result *result)
{
    qkv__box box;
    *result = (qkv__sign_result){.sign = QKV__SIGN_UNKNOWN};
    if (qkv__ratio_is_lost(ratio) || !qkv__box_of_algebra(&task->model->algebra, &box))
        return false;
    qkv__ball_sign(&task->model->algebra, ratio, &box, 0, result);
    return true;
}

qkv__sign qkv__design_sign(qkv__design_task *task, qkv__ratio ratio)
{
    qkv__sign_result result;
    if (qkv__ratio_is_lost(ratio)) return QKV__SIGN_UNKNOWN;
    qkv__sign sign = qkv__ratio_sign(&task->model->algebra, ratio);
    if (sign != QKV__SIGN_UNKNOWN) return sign;
    return sign_over_box(task, ratio, &result) ? result.sign : QKV__SIGN_UNKNOWN;
}

static void write_point(const qkv__design_task *task, qkv__ratio ratio, const qkv__point *point,
                        qkv__text *text)
{
    const qkv__algebra *algebra = &task->model->algebra;
    bool first = true;
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        if (!qkv__ratio_depends_on(ratio, p) || qkv__rational_is_lost(point->value[p])) continue;
        qkv__text_format(text, "%s%s = ", first ? " at " : ", ", algebra->parameter[p].name);
        qkv__design_rational_write(point->value[p], text);
        first = false;
    }
}

bool qkv__design_somewhere_nonzero(qkv__design_task *task, qkv__ratio ratio, qkv__text *at)
{
    qkv__sign_result result;
    qkv__rational value;
    if (qkv__ratio_is_lost(ratio)) return false;
    if (qkv__ratio_is_constant(ratio, &value)) return qkv__rational_sign(value) != 0;
    if (has_products(&task->model->algebra, ratio)) return false;
    if (!sign_over_box(task, ratio, &result)) return false;
    if (!result.has_positive && !result.has_negative) return false;
    if (at != NULL)
        write_point(task, ratio, result.has_positive ? &result.positive : &result.negative, at);
    return true;
}

bool qkv__design_somewhere_negative(qkv__design_task *task, qkv__ratio ratio, qkv__text *at)
{
    qkv__sign_result result;
    qkv__rational value;
    if (qkv__ratio_is_lost(ratio)) return false;
    if (qkv__ratio_is_constant(ratio, &value)) return qkv__rational_sign(value) < 0;
    if (has_products(&task->model->algebra, ratio)) return false;
    if (!sign_over_box(task, ratio, &result) || !result.has_negative) return false;
    if (at != NULL) write_point(task, ratio, &result.negative, at);
    return true;
}

void qkv__design_bound_norms(qkv__model *model)
{
    for (size_t i = 0; i < model->space.family_count; i++) {
        const qkv__family *family = &model->space.family[i];
        for (int p = 0;
             family->gram == QKV__GRAM_UNIFORM && p < (int)model->algebra.parameter_count; p++) {
            qkv__parameter *known = &model->algebra.parameter[p];
            qkv__ratio square = qkv__ratio_power(
                &model->algebra,
                qkv__ratio_of_form(&model->algebra, qkv__form_parameter(&model->algebra, p)), 2);
            bool weak = !known->lower.known ||
                        (!known->lower.strict && qkv__rational_is_zero(known->lower.value));
            if (weak && qkv__ratio_equal(&model->algebra, family->same, square))
                known->lower =
                    (qkv__bound){.known = true, .strict = true, .value = qkv__rational_whole(0)};
        }
    }
}

/* ---- What depends on a parameter ---------------------------------------------------------- */

static bool vector_depends(const qkv__vector *vector, int parameter)
{
    for (size_t i = 0; vector != NULL && i < vector->count; i++) {
        const qkv__component *part = &vector->component[i];
        if (qkv__ratio_depends_on(part->factor, parameter)) return true;
        if (part->symbol.family->gram == QKV__GRAM_UNIFORM &&
            qkv__ratio_depends_on(part->symbol.family->same, parameter))
            return true;
    }
    return false;
}

static bool value_depends(const qkv__value *value, int parameter)
{
    switch (value->kind) {
    case QKV__VALUE_SCALAR:
        return qkv__ratio_depends_on(value->scalar.factor, parameter) ||
               qkv__ratio_depends_on(value->scalar.radicand, parameter);
    case QKV__VALUE_VECTOR:
    case QKV__VALUE_COVECTOR: return vector_depends(value->vector, parameter);
    case QKV__VALUE_VECTORS: {
        bool depends = vector_depends(value->vectors->generic, parameter);
        for (size_t i = 0; i < value->vectors->set->mark_count; i++)
            depends = depends || vector_depends(value->vectors->mark[i], parameter);
        return depends;
    }
    case QKV__VALUE_RESULT: {
        bool depends = false;
        for (size_t i = 0; i < value->result->count; i++) {
            const qkv__attention *row = value->result->row[i];
            depends = depends || vector_depends(row->output, parameter);
            for (size_t j = 0; j < row->count; j++)
                depends = depends || qkv__ratio_depends_on(row->weight[j], parameter);
        }
        return depends;
    }
    default: return true; /* not looked into */
    }
}

bool qkv__design_depends(const qkv__model *model, const qkv__node *node, int parameter)
{
    assert(qkv__is_parameter(&model->algebra, parameter));
    if (node->kind == QKV__NODE_NAME) {
        const qkv__binding *binding = qkv__model_find(model, NULL, node->text);
        if (strcmp(node->text, model->algebra.parameter[parameter].name) == 0) return true;
        if (binding != NULL &&
            (binding->function != NULL || value_depends(&binding->value, parameter)))
            return true;
    }
    for (size_t i = 0; i < node->count; i++)
        if (qkv__design_depends(model, node->child[i], parameter)) return true;
    return false;
}

bool qkv__design_has_premises(const qkv__design_task *task)
{
    return qkv__has_premises(task->model, task->question->circumstances);
}
