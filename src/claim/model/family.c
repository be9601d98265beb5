/* Families of vectors: declared over an index set with their properties, or listed as numbers.
 * Knows nothing of definitions; keys that are drawn go to random_declare.c. */
#include "claim/model/family.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "claim/model/binding.h"
#include "claim/model/bound.h"
#include "claim/model/evaluate.h"
#include "claim/model/index_set.h"
#include "claim/model/listed.h"
#include "claim/model/model.h"
#include "claim/model/random_declare.h"
#include "claim/model/random_number.h"
#include "claim/model/table_file.h"
#include "language/law.h"
#include "language/tree.h"

/* The vectors of a declared family: a symbol for each mark, one generic. */
static const qkv__vectors *family_vectors(qkv__model *model, const qkv__family *family)
{
    qkv__arena *arena = &model->algebra.arena;
    qkv__vectors *vectors = qkv__arena_take(arena, sizeof *vectors);
    if (vectors == NULL) return NULL;
    *vectors = (qkv__vectors){.set = family->set};
    vectors->mark = qkv__arena_array(arena, family->set->mark_count, sizeof *vectors->mark);
    if (vectors->mark == NULL) return NULL;
    for (size_t i = 0; i < family->set->mark_count; i++)
        vectors->mark[i] = qkv__vector_symbol(&model->space, family, (int)i);
    if (!qkv__ratio_is_zero(qkv__rest_size(&model->algebra, family->set)))
        vectors->generic = qkv__vector_symbol(&model->space, family, QKV__GENERIC);
    return vectors;
}

/* The set of k[1..n] or of u[a, b, c, d]. */
static qkv__index_set *declared_set(qkv__model *model, const qkv__node *declared,
                                    qkv__failure *failure)
{
    if (declared->count == 2 && declared->child[1]->kind == QKV__NODE_RANGE)
        return qkv__set_of_range(model, declared->child[1], true, failure);
    qkv__text text = {0};
    for (size_t i = 1; i < declared->count; i++)
        qkv__text_format(&text, "%s%s", i == 1 ? "" : ",", declared->child[i]->text);
    char *name =
        text.failed ? NULL : qkv__arena_text(&model->algebra.arena, text.data, text.length);
    qkv__text_free(&text);
    qkv__index_set *set = name == NULL ? NULL : qkv__set_find(model, name);
    if (set != NULL || name == NULL) return set;
    set = qkv__set_new(model, name);
    for (size_t i = 1; set != NULL && i < declared->count; i++)
        if (declared->child[i]->kind != QKV__NODE_NAME ||
            !qkv__set_add_mark(model, set, declared->child[i]->text)) {
            qkv__fail_value(failure, QKV__TROUBLE_TEXT, "expected names or a range as indices");
            return NULL;
        }
    if (set != NULL) set->size = qkv__ratio_whole(&model->algebra, (int64_t)set->mark_count);
    return set;
}

/* ---- Properties ------------------------------------------------------------------------------ */

/* A norm that is declared is positive: vectors of length 0 are no family of any use. */
static bool give_positive(qkv__model *model, const qkv__node *norm, qkv__ratio value,
                          qkv__failure *failure)
{
    qkv__rational number;
    qkv__arena *arena = &model->algebra.arena;
    bool constant = qkv__ratio_is_constant(value, &number);
    if (constant && qkv__rational_sign(number) <= 0)
        return qkv__fail_value(failure, QKV__TROUBLE_TEXT, "expected a norm that is positive");
    if (constant) return true;
    if (norm->kind == QKV__NODE_NAME && qkv__parameter_find(&model->algebra, norm->text) >= 0) {
        int parameter = qkv__parameter_find(&model->algebra, norm->text);
        qkv__parameter_narrow(&model->algebra.parameter[parameter], QKV__GREATER,
                              qkv__rational_whole(0));
        return true;
    }
    const qkv__node *zero = qkv__node_number(arena, qkv__rational_whole(0), norm->place);
    return qkv__model_add_premise(model, qkv__model_comparison(model, norm, QKV__GREATER, zero)) ||
           qkv__fail_value(failure, QKV__TROUBLE_UNABLE, "too many premises");
}

/* A dimension counts. */
static void bound_dimension(qkv__model *model, const qkv__node *dimension)
{
    qkv__value value;
    qkv__failure failure;
    const qkv__node *culprit;
    if (dimension->kind != QKV__NODE_NAME ||
        !qkv__model_evaluate(model, dimension, NULL, &value, &failure, &culprit))
        return;
    int parameter = qkv__parameter_find(&model->algebra, dimension->text);
    if (parameter < 0) return;
    qkv__parameter_counts(&model->algebra.parameter[parameter]);
    qkv__parameter_narrow(&model->algebra.parameter[parameter], QKV__GREATER_OR_EQUAL,
                          qkv__rational_whole(1));
}

/* The one dimension that is declared, if it is a number. One that is a name of its own leaves room
 * for all vectors beside orthogonal ones, unless something is said of it. */
static void keep_dimension(qkv__model *model, const qkv__statement *statement,
                           const qkv__node *dimension, bool orthogonal)
{
    assert(statement->kind == QKV__STATEMENT_FAMILY);
    bool values = strcmp(statement->text, "values") == 0;
    const qkv__node *declared = statement->node[0];
    bool name = orthogonal && dimension->kind == QKV__NODE_NAME;
    for (size_t i = 1; name && i < declared->count; i++)
        name = declared->child[i]->kind != QKV__NODE_RANGE ||
               !qkv__node_is(declared->child[i]->child[1], dimension->text);
    if (name &&
        (model->dimension_name == NULL || strcmp(model->dimension_name, dimension->text) == 0))
        model->dimension_name = dimension->text;
    else
        model->confined = true;
    bool number = dimension->kind == QKV__NODE_NUMBER && qkv__rational_is_whole(dimension->value);
    int64_t value = number ? dimension->value.numerator : 0;
    if (!values) model->dimension = model->dimension == 0 || model->dimension == value ? value : -1;
    if (!values && !number) model->dimension = -1;
}

/* Orthogonal vectors are no more than the dimension. */
static bool give_dimension(qkv__model *model, const qkv__node *declared, const qkv__node *dimension)
{
    const qkv__node *members = declared->child[1];
    if (declared->count == 2 && members->kind == QKV__NODE_RANGE) {
        members = members->child[1];
    } else { /* u[a, b, c] */
        members =
            qkv__node_number(&model->algebra.arena,
                             qkv__rational_whole((int64_t)declared->count - 1), declared->place);
    }
    return qkv__model_add_premise(
        model, qkv__model_comparison(model, dimension, QKV__GREATER_OR_EQUAL, members));
}

/* Values share a dimension, and all other vectors share one, wherever it is declared. */
static bool share_dimension(qkv__model *model, bool values, const qkv__node *dimension)
{
    qkv__frames *frames = &model->frames[values];
    if (frames->dimension != NULL) return true;
    frames->dimension = dimension;
    for (size_t i = 0; i < frames->count; i++)
        if (!give_dimension(model, frames->declared[i], dimension)) return false;
    return true;
}

static bool keep_frame(qkv__model *model, bool values, const qkv__node *declared)
{
    qkv__frames *frames = &model->frames[values];
    if (frames->count == sizeof frames->declared / sizeof frames->declared[0]) return false;
    frames->declared[frames->count++] = declared;
    return frames->dimension == NULL || give_dimension(model, declared, frames->dimension);
}

/* orthonormal; orthogonal, norm x; nothing. */
static bool read_properties(qkv__model *model, const qkv__statement *statement, size_t first,
                            qkv__family *family, qkv__failure *failure)
{
    assert(statement->kind == QKV__STATEMENT_FAMILY);
    bool orthogonal = false, normed = false;
    bool values = strcmp(statement->text, "values") == 0;
    qkv__ratio norm = qkv__ratio_whole(&model->algebra, 1);
    for (size_t i = first; i < statement->count; i++) {
        const qkv__node *node = statement->node[i], *culprit;
        qkv__value value;
        if (qkv__node_is(node, "orthonormal")) {
            orthogonal = normed = true;
        } else if (qkv__node_is(node, "orthogonal")) {
            orthogonal = true;
        } else if (node->kind == QKV__NODE_CALL && strcmp(node->text, "norm") == 0) {
            if (!qkv__model_evaluate(model, node->child[0], NULL, &value, failure, &culprit))
                return false;
            if (!qkv__value_as_ratio(&value, &norm))
                return qkv__fail_value(failure, QKV__TROUBLE_TEXT, "a norm is a number");
            if (!give_positive(model, node->child[0], norm, failure)) return false;
            normed = true;
        } else if (node->kind != QKV__NODE_CALL || strcmp(node->text, "dimension") != 0) {
            return qkv__fail_value(failure, QKV__TROUBLE_TEXT, "unknown property %s", node->text);
        }
    }
    for (size_t i = first; i < statement->count; i++) {
        const qkv__node *node = statement->node[i];
        if (node->kind != QKV__NODE_CALL || strcmp(node->text, "dimension") != 0) continue;
        bound_dimension(model, node->child[0]);
        keep_dimension(model, statement, node->child[0], orthogonal);
        if (!share_dimension(model, values, node->child[0]) ||
            (orthogonal && !give_dimension(model, statement->node[0], node->child[0])))
            return qkv__fail_value(failure, QKV__TROUBLE_UNABLE, "too many premises");
    }
    if (orthogonal && !keep_frame(model, values, statement->node[0]))
        return qkv__fail_value(failure, QKV__TROUBLE_UNABLE, "too many premises");
    model->frames[values].free = model->frames[values].free || !orthogonal;
    if (!orthogonal && !normed) return true;
    if (!normed)
        return qkv__fail_value(
            failure, QKV__TROUBLE_TEXT,
            "orthogonal vectors need a norm, unless they are at most 8 and counted "
            "by a number: orthogonal, norm beta");
    family->gram = orthogonal ? QKV__GRAM_UNIFORM : QKV__GRAM_LENGTHS;
    family->same = qkv__ratio_power(&model->algebra, norm, 2);
    family->different = qkv__ratio_whole(&model->algebra, 0);
    return true;
}

/* ---- Listed families ------------------------------------------------------------------------- */

/* keys k = [[1, 0], [0, 1]]; a list of numbers gives vectors of width 1. */
static bool explicit_family(qkv__model *model, const qkv__node *node, qkv__failure *failure)
{
    assert(node->kind == QKV__NODE_COMPARE);
    qkv__value list;
    const qkv__node *culprit;
    const qkv__node *written = node->child[1];
    if (!qkv__model_evaluate(model, written, NULL, &list, failure, &culprit)) return false;
    /* So that the width of all is plain from the text. */
    bool plain = written->kind == QKV__NODE_LIST && written->count == list.count;
    for (size_t i = 0; plain && i < list.count; i++)
        plain = (list.element[i].kind == QKV__VALUE_LIST) ==
                    (written->child[0]->kind == QKV__NODE_LIST) &&
                (written->child[i]->kind == QKV__NODE_LIST) ==
                    (written->child[0]->kind == QKV__NODE_LIST);
    if (!plain)
        return qkv__fail_value(failure, QKV__TROUBLE_TEXT,
                               "expected a list of numbers, [1, 0], or of lists of numbers, "
                               "[[1, 0], [0, 1]]");
    return qkv__model_as_family(model, &list, failure) &&
           qkv__model_bind(model, (qkv__binding){.name = node->child[0]->text, .value = list});
}

/* Keys that are listed say of how many dimensions all others are. */
static bool share_listed(qkv__model *model, const qkv__statement *statement)
{
    assert(statement->kind == QKV__STATEMENT_FAMILY);
    const bool values = strcmp(statement->text, "values") == 0;
    const size_t width = qkv__model_list_width(model, values);
    model->frames[values].lists++;
    if (width == 0) return true;
    const qkv__node *number = qkv__node_number(
        &model->algebra.arena, qkv__rational_whole((int64_t)width), statement->place);
    if (number == NULL) return false;
    return share_dimension(model, values, number) ||
           qkv__model_complain(model, statement->place, "too many premises");
}

bool qkv__frames_are_crowded(const qkv__frames *frames)
{
    return frames->dimension != NULL &&
           (frames->free || (frames->count > 0 && frames->count + frames->lists > 1));
}

/* What is drawn may say its dimension, and nothing else beside its law. */
static bool read_law_properties(qkv__model *model, const qkv__statement *statement,
                                qkv__failure *failure, const qkv__node **culprit)
{
    assert(statement->kind == QKV__STATEMENT_FAMILY);
    const qkv__node *dimension = qkv__law_dimension(statement);
    bool values = strcmp(statement->text, "values") == 0;
    qkv__drawn law;
    for (size_t i = 1; i < statement->count; i++) {
        *culprit = statement->node[i];
        if (qkv__law_is_of_number(statement))
            return qkv__fail_value(failure, QKV__TROUBLE_TEXT, "a number has no such property");
        if (statement->node[i]->kind != QKV__NODE_CALL ||
            strcmp(statement->node[i]->text, "dimension") != 0)
            return qkv__fail_value(failure, QKV__TROUBLE_TEXT,
                                   "what is drawn has no property besides its dimension");
    }
    if (dimension == NULL) return true;
    bool room = !qkv__law_read(statement->node[0], &law) || law.range == NULL ||
                !qkv__node_is(law.range->child[1], dimension->text);
    bound_dimension(model, dimension);
    keep_dimension(model, statement, dimension, room);
    *culprit = dimension;
    return share_dimension(model, values, dimension) ||
           qkv__fail_value(failure, QKV__TROUBLE_UNABLE, "too many premises");
}

/* vector q[d] among vectors that are drawn: q lives where they do. */
bool qkv__family_measure(qkv__model *model, const qkv__node *dimension)
{
    qkv__statement among = {.kind = QKV__STATEMENT_FAMILY, .text = "vector", .node = &dimension};
    bound_dimension(model, dimension);
    keep_dimension(model, &among, dimension, true);
    return share_dimension(model, false, dimension);
}

bool qkv__family_declare(qkv__model *model, const qkv__statement *statement)
{
    assert(statement->kind == QKV__STATEMENT_FAMILY);
    qkv__failure failure = {0};
    const qkv__node *declared = statement->node[0], *culprit;
    if (declared->kind == QKV__NODE_COMPARE && declared->comparison == QKV__EQUAL &&
        !share_listed(model, statement))
        return false;
    if (declared->kind == QKV__NODE_COMPARE && declared->comparison == QKV__EQUAL &&
        model->table_reader != NULL && model->table_reader->makes(declared->child[1]))
        return model->table_reader->declare(model, declared->child[0]->text, declared->child[1],
                                            &failure, &culprit) ||
               qkv__model_complain_failure(model, culprit->place, &failure);
    if (declared->kind == QKV__NODE_COMPARE && declared->comparison == QKV__EQUAL)
        return explicit_family(model, declared, &failure) ||
               qkv__model_complain_failure(model, statement->place, &failure);
    if (declared->kind == QKV__NODE_COMPARE) {
        culprit = declared;
        bool number = qkv__law_is_of_number(statement);
        return (read_law_properties(model, statement, &failure, &culprit) &&
                (number ? qkv__random_number_declare(model, declared, &failure, &culprit)
                        : qkv__random_declare(model, declared, &failure, &culprit))) ||
               qkv__model_complain_failure(model, culprit->place, &failure);
    }
    qkv__index_set *set = declared_set(model, declared, &failure);
    if (set == NULL) return qkv__model_complain_failure(model, declared->place, &failure);
    qkv__family *family = qkv__family_add(&model->space, declared->child[0]->text, set);
    if (family == NULL)
        return qkv__model_complain(model, statement->place, "too many families of vectors");
    if (!read_properties(model, statement, 1, family, &failure))
        return qkv__model_complain_failure(model, statement->place, &failure);
    const qkv__vectors *vectors = family_vectors(model, family);
    return vectors != NULL &&
           qkv__model_bind(
               model, (qkv__binding){.name = family->name,
                                     .value = {.kind = QKV__VALUE_VECTORS, .vectors = vectors}});
}
