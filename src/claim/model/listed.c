/* Vectors that are listed by their coordinates. Knows values and index sets; nothing of
 * declarations. */
#include "claim/model/listed.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "claim/model/index_set.h"
#include "claim/model/table_file.h"
#include "language/builtin.h"
#include "language/tree.h"

/* The coordinate axes of explicit vectors of one width: orthonormal. Vectors of different widths
 * have different axes, so that nothing is known of what they are to each other. */
static const qkv__family *axes(qkv__model *model, size_t width)
{
    for (size_t i = 0; i < model->space.family_count; i++)
        if (model->space.family[i].axis && model->space.family[i].set->mark_count == width)
            return &model->space.family[i];
    qkv__index_set *set = qkv__set_new(model, "coordinate axes");
    qkv__family *family = set == NULL ? NULL : qkv__family_add(&model->space, "axis", set);
    if (family == NULL) return NULL;
    family->axis = set->axes = true;
    for (size_t i = 1; i <= width; i++) {
        char text[16];
        snprintf(text, sizeof text, "%zu", i);
        if (!qkv__set_add_mark(model, set, text)) return NULL;
    }
    set->size = qkv__ratio_whole(&model->algebra, (int64_t)width);
    family->gram = QKV__GRAM_UNIFORM;
    family->same = qkv__ratio_whole(&model->algebra, 1);
    family->different = qkv__ratio_whole(&model->algebra, 0);
    return family;
}

/* [1, 0, t] as a vector of coordinates. */
bool qkv__model_coordinates(qkv__model *model, const qkv__value *list, const qkv__vector **vector,
                            qkv__failure *failure)
{
    assert(list->kind == QKV__VALUE_LIST);
    const qkv__family *axis = list->count > QKV__MARKS ? NULL : axes(model, list->count);
    *vector = qkv__vector_zero(&model->space);
    if (axis == NULL)
        return qkv__fail_value(failure, QKV__TROUBLE_UNABLE,
                               "explicit vectors wider than %d are beyond the exact engine",
                               QKV__MARKS);
    for (size_t i = 0; i < list->count; i++) {
        qkv__ratio entry;
        if (!qkv__value_as_ratio(&list->element[i], &entry))
            return qkv__fail_value(failure, QKV__TROUBLE_TEXT, "expected numbers in a vector");
        *vector = qkv__vector_add(&model->space, *vector,
                                  qkv__vector_scale(&model->space,
                                                    qkv__vector_symbol(&model->space, axis, (int)i),
                                                    entry));
    }
    return *vector != NULL || qkv__fail_value(failure, QKV__TROUBLE_UNABLE, "out of range");
}

size_t qkv__value_entry_count(const qkv__value *value)
{
    const qkv__vector *vector;
    if (value->kind == QKV__VALUE_LIST) return value->count;
    if (value->kind != QKV__VALUE_VECTOR || !qkv__value_as_vector(value, &vector) ||
        vector->count == 0)
        return 0;
    const qkv__family *axis = vector->component[0].symbol.family;
    for (size_t i = 0; i < vector->count; i++)
        if (!axis->axis || vector->component[i].symbol.family != axis) return 0;
    return axis->set->mark_count;
}

bool qkv__value_entry(qkv__algebra *algebra, const qkv__value *value, size_t i, qkv__ratio *entry)
{
    assert(i < qkv__value_entry_count(value));
    const qkv__vector *vector;
    if (value->kind == QKV__VALUE_LIST) return qkv__value_as_ratio(&value->element[i], entry);
    if (!qkv__value_as_vector(value, &vector)) return false;
    *entry = qkv__ratio_whole(algebra, 0);
    for (size_t j = 0; j < vector->count; j++)
        if (vector->component[j].symbol.member == (int)i) *entry = vector->component[j].factor;
    return true;
}

bool qkv__model_as_vector(qkv__model *model, qkv__value *value, qkv__failure *failure)
{
    bool numbers = value->kind == QKV__VALUE_LIST && value->count > 0;
    for (size_t i = 0; numbers && i < value->count; i++)
        numbers = value->element[i].kind == QKV__VALUE_SCALAR;
    const qkv__vector *vector;
    if (!numbers) return true;
    if (!qkv__model_coordinates(model, value, &vector, failure)) return false;
    *value = qkv__value_vector(vector);
    return true;
}

bool qkv__value_as_number(const qkv__value *value, qkv__ratio *number)
{
    const qkv__vector *vector;
    if (!qkv__value_as_vector(value, &vector) || vector->count != 1) return false;
    const qkv__family *family = vector->component[0].symbol.family;
    if (!family->axis || family->set->mark_count != 1) return false;
    *number = vector->component[0].factor;
    return true;
}

/* One member of a listed family. */
static bool listed_member(qkv__model *model, const qkv__value *element, const qkv__vector **vector,
                          qkv__failure *failure)
{
    qkv__value single = {.kind = QKV__VALUE_LIST, .count = 1, .element = element};
    if (qkv__value_as_vector(element, vector)) return true;
    return qkv__model_coordinates(model, element->kind == QKV__VALUE_LIST ? element : &single,
                                  vector, failure);
}

bool qkv__model_as_family(qkv__model *model, qkv__value *value, qkv__failure *failure)
{
    if (value->kind != QKV__VALUE_LIST || value->count == 0 || value->count > QKV__MARKS)
        return qkv__fail_value(failure, QKV__TROUBLE_UNABLE, "expected a list of 1 to %d vectors",
                               QKV__MARKS);
    qkv__arena *arena = &model->algebra.arena;
    char name[32];
    snprintf(name, sizeof name, "1..%zu", value->count);
    qkv__index_set *set = qkv__set_find(model, name);
    if (set == NULL) set = qkv__set_new(model, qkv__arena_text(arena, name, strlen(name)));
    qkv__vectors *vectors = qkv__arena_take(arena, sizeof *vectors);
    if (set == NULL || vectors == NULL) return false;
    set->size = qkv__ratio_whole(&model->algebra, (int64_t)value->count);
    *vectors = (qkv__vectors){.set = set};
    vectors->mark = qkv__arena_array(arena, value->count, sizeof *vectors->mark);
    if (vectors->mark == NULL) return false;
    for (size_t i = 0; i < value->count; i++) {
        if (value->element[i].kind != value->element[0].kind)
            return qkv__fail_value(failure, QKV__TROUBLE_TEXT,
                                   "expected members of one kind in a list of vectors");
        snprintf(name, sizeof name, "%zu", i + 1);
        if (!qkv__set_add_mark(model, set, name) || qkv__mark_find(set, name) != (int)i)
            return qkv__fail_value(failure, QKV__TROUBLE_UNABLE,
                                   "indices of %s were picked before its members are listed",
                                   set->name);
        if (!listed_member(model, &value->element[i], &vectors->mark[i], failure)) return false;
    }
    *value = (qkv__value){.kind = QKV__VALUE_VECTORS, .vectors = vectors};
    return true;
}

/* Whether there are vectors that are not listed, whose dimension others fix. */
static bool has_open_vectors(const qkv__model *model)
{
    for (const qkv__statement *s = model->statements; s != NULL; s = qkv__statement_after(s))
        if (s->kind == QKV__STATEMENT_OBJECT || s->kind == QKV__STATEMENT_FIND ||
            (s->kind == QKV__STATEMENT_FAMILY && s->node[0]->kind == QKV__NODE_INDEX))
            return true;
    return false;
}

static size_t file_width(qkv__model *model, const qkv__node *call)
{
    qkv__failure failure = {0};
    bool flat = false;
    qkv__grid *grid =
        has_open_vectors(model) ? qkv__table_read(model, call, &flat, &failure) : NULL;
    size_t width = grid == NULL ? 0 : flat ? 1 : grid->columns;
    qkv__grid_free(grid);
    return width;
}

size_t qkv__model_list_width(qkv__model *model, bool values)
{
    size_t width = 0;
    for (const qkv__statement *s = model->statements; s != NULL; s = qkv__statement_after(s)) {
        if (s->kind != QKV__STATEMENT_FAMILY || (strcmp(s->text, "values") == 0) != values ||
            s->node[0]->kind != QKV__NODE_COMPARE || s->node[0]->comparison != QKV__EQUAL)
            continue;
        const qkv__node *list = s->node[0]->child[1];
        bool file = qkv__builtin_of(list) == QKV__BUILTIN_FILE;
        size_t here = file ? file_width(model, list) : qkv__list_width(list);
        if (here == 0 || (width != 0 && width != here)) return 0;
        width = here;
    }
    return width;
}
