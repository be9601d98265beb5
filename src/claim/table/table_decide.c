/*
 * Claims about tables to verdicts: conditions are taken, propositions taken apart, comparisons
 * handed on; and least numbers. Knows nothing of documents, nor of how two sides are compared.
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ball/enclosure.h"
#include "claim/model/binding.h"
#include "claim/model/bound.h"
#include "claim/model/evaluate.h"
#include "claim/premise/ties.h"
#include "claim/table/table_part.h"
#include "language/tree.h"

/* ---- Propositions -------------------------------------------------------------------------- */

static bool evaluate(qkv__table_situation *s, const qkv__node *node, qkv__quantity *quantity)
{
    qkv__failure failure = {0};
    const qkv__node *culprit = node;
    qkv__evaluation e = {
        .model = s->model, .locals = s->locals, .failure = &failure, .culprit = &culprit};
    if (qkv__table_quantity(&e, node, quantity)) return true;
    qkv__table_failed(s, &failure, culprit);
    return false;
}

static qkv__verdict decide_interval(qkv__table_situation *s, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_COMPARE);
    qkv__quantity x, end[2];
    const qkv__node *range = node->child[1];
    if (!evaluate(s, node->child[0], &x) || !evaluate(s, range->child[0], &end[0]) ||
        !evaluate(s, range->child[1], &end[1]))
        return QKV__UNDECIDED;
    if (x.kind != QKV__QUANTITY_NUMBER || end[0].kind != QKV__QUANTITY_NUMBER ||
        end[1].kind != QKV__QUANTITY_NUMBER)
        return qkv__table_ill_posed(s, node, "only numbers can be in an interval");
    qkv__verdict low =
        qkv__table_compare_numbers(s, x.number, end[0].number, QKV__GREATER_OR_EQUAL);
    if (low == QKV__REFUTED) return low;
    return qkv__verdict_both(
        low, qkv__table_compare_numbers(s, x.number, end[1].number, QKV__LESS_OR_EQUAL));
}

static qkv__verdict decide_comparison(qkv__table_situation *s, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_COMPARE);
    qkv__quantity x, y;
    s->node = node;
    if (node->comparison == QKV__IN && node->child[1]->kind == QKV__NODE_RANGE)
        return decide_interval(s, node);
    if (!evaluate(s, node->child[0], &x) || !evaluate(s, node->child[1], &y)) return QKV__UNDECIDED;
    if (node->comparison == QKV__IN && y.kind == QKV__QUANTITY_HULL && x.vector != NULL)
        return qkv__table_compare_hull(s, x.vector, y.family);
    if (node->comparison > QKV__NEAR)
        return qkv__table_undecided(s, "tables do not support this comparison");
    if (node->comparison == QKV__NEAR && s->moment.limit < 0 && !s->has_tolerance)
        return qkv__table_ill_posed(s, node, "'~' needs 'as beta -> inf' or 'within' a tolerance");
    if (x.kind == QKV__QUANTITY_NUMBER && y.kind == QKV__QUANTITY_NUMBER)
        return qkv__table_compare_numbers(s, x.number, y.number, node->comparison);
    if (x.vector != NULL && y.vector != NULL)
        return qkv__table_compare_vectors(s, node, x.vector, y.vector);
    char message[128];
    snprintf(message, sizeof message, "cannot compare %s with %s", qkv__quantity_name(x.kind),
             qkv__quantity_name(y.kind));
    return qkv__table_ill_posed(s, node, message);
}

static qkv__verdict decide_proposition(qkv__table_situation *s, const qkv__node *node);

/* Every index of a range, one by one. */
static qkv__verdict decide_indices(qkv__table_situation *s, const char *name, size_t first,
                                   size_t last, const qkv__node *excluded,
                                   const qkv__node *proposition)
{
    qkv__verdict verdict = QKV__PROVED;
    qkv__bounds span = {INFINITY, -INFINITY};
    enum { LONGEST = 100000 };
    if (last > first && last - first > LONGEST)
        return qkv__table_undecided(s, "too many indices to check one by one");
    bool many = s->span == NULL && last >= first + 3, asked = false;
    for (size_t i = first; i <= last; i++) {
        bool out = false;
        size_t count = excluded == NULL ? 0 : excluded->kind == QKV__NODE_SET ? excluded->count : 1;
        for (size_t j = 0; j < count; j++) {
            const qkv__node *one = excluded->kind == QKV__NODE_SET ? excluded->child[j] : excluded;
            if (one->kind != QKV__NODE_NUMBER)
                return qkv__table_undecided(s, "the indices of a table must be numbers");
            out = out || (one->value.denominator == 1 && one->value.numerator == (int64_t)i);
        }
        if (out) continue;
        asked = true;
        qkv__quantity index = {.kind = QKV__QUANTITY_INDEX, .index = i};
        qkv__binding local = {
            .name = name, .value = {.kind = QKV__VALUE_TABLE, .table = &index}, .next = s->locals};
        qkv__table_situation inner = *s;
        inner.locals = &local;
        inner.index = NULL;
        if (many) inner.span = &span;
        verdict = qkv__verdict_both(verdict, decide_proposition(&inner, proposition));
        if (s->finding->culprit != NULL) return QKV__UNDECIDED;
        if (verdict != QKV__REFUTED) continue;
        qkv__text_format(&s->finding->reason, "%sIt fails for %s = %zu.",
                         s->finding->reason.length > 0 ? " " : "", name, i);
        return verdict;
    }
    if (first > last) { /* nothing is claimed */
        s->finding->empty = true;
        return qkv__table_undecided(s, "there is no such index: nothing is claimed");
    }
    if (!asked) {
        qkv__text_format(&s->finding->reason, "There is no such index.");
        return qkv__table_conclude(s, QKV__PROVED, "exact");
    }
    if (span.lower <= span.upper) {
        qkv__table_begin_found(s);
        qkv__text_format(&s->finding->found, "from about %.6g to %.6g", span.lower, span.upper);
    }
    return verdict;
}

/* Whether a name stands in the place of an index, x[i]: else it is a number. */
static bool has_index(const qkv__node *node, const void *name)
{
    for (size_t i = 1; node->kind == QKV__NODE_INDEX && i < node->count; i++)
        if (qkv__node_is(node->child[i], name)) return true;
    return false;
}

/* How many members what an index stands behind has: k[i], c.weight[i]; 0: not known. */
static size_t members_of(const qkv__model *model, const qkv__node *base)
{
    while (base->kind == QKV__NODE_MEMBER) base = base->child[0];
    const qkv__binding *b =
        base->kind == QKV__NODE_NAME ? qkv__model_find(model, NULL, base->text) : NULL;
    const qkv__quantity *q = b != NULL && b->value.kind == QKV__VALUE_TABLE ? b->value.table : NULL;
    qkv__rational size;
    if (q != NULL && q->kind == QKV__QUANTITY_RESULT) return q->head[0]->keys->count;
    if (q != NULL && q->kind == QKV__QUANTITY_FAMILY) return q->family->count;
    if (b != NULL && b->value.kind == QKV__VALUE_VECTORS &&
        qkv__ratio_is_constant(b->value.vectors->set->size, &size))
        return (size_t)size.numerator;
    return 0;
}

/* How many members an index has that runs over all but some: those of everything that it stands
 * behind; false where they are not known, or not the same. */
static bool count_of(const qkv__model *model, const qkv__node *node, const char *name,
                     size_t *count)
{
    if (node->kind == QKV__NODE_INDEX && qkv__node_is(node->child[1], name)) {
        size_t found = members_of(model, node->child[0]);
        if (found == 0 || (*count != 0 && *count != found)) return false;
        *count = found;
    }
    for (size_t i = 0; i < node->count; i++)
        if (!count_of(model, node->child[i], name, count)) return false;
    return true;
}

static qkv__verdict decide_for_index(qkv__table_situation *s, const qkv__node *condition,
                                     const qkv__node *proposition)
{
    assert(condition->kind == QKV__NODE_COMPARE);
    const qkv__node *set = condition->child[1];
    const char *name = condition->child[0]->text;
    size_t first = 0, last = 0;
    bool range = condition->comparison == QKV__IN && set->kind == QKV__NODE_RANGE;
    if (range) {
        qkv__failure failure = {0};
        const qkv__node *culprit = set;
        qkv__evaluation e = {
            .model = s->model, .locals = s->locals, .failure = &failure, .culprit = &culprit};
        if (!qkv__table_index(&e, set->child[0], INT32_MAX, &first) ||
            !qkv__table_index(&e, set->child[1], INT32_MAX, &last))
            return qkv__table_failed(s, &failure, culprit);
        return decide_indices(s, name, first + 1, last + 1, NULL, proposition);
    }
    bool known = count_of(s->model, proposition, name, &last);
    if (condition->comparison == QKV__IN || !known || last == 0)
        return qkv__table_undecided(s, "it is unclear which indices are meant");
    return decide_indices(s, name, 1, last, set, proposition);
}

static qkv__verdict decide_for_all(qkv__table_situation *s, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_FOR_ALL);
    const qkv__node *bound = node->child[0], *body = node->child[node->count - 1];
    if (node->count == 2 && qkv__is_index_domain(bound) &&
        qkv__node_has(body, has_index, bound->child[0]->text))
        return decide_for_index(s, bound, body);
    for (size_t i = 0; i + 1 < node->count; i++)
        if (node->child[i]->kind != QKV__NODE_NAME)
            return qkv__table_undecided(s, "tables do not support this quantifier");
    return decide_proposition(s, body); /* names are free, and free names are meant for all */
}

/* not x <= y is x > y, whatever the parameters are. */
static qkv__verdict decide_not(qkv__table_situation *s, const qkv__node *node)
{
    static const qkv__comparison opposite[] = {
        [QKV__EQUAL] = QKV__NOT_EQUAL,       [QKV__NOT_EQUAL] = QKV__EQUAL,
        [QKV__LESS] = QKV__GREATER_OR_EQUAL, [QKV__LESS_OR_EQUAL] = QKV__GREATER,
        [QKV__GREATER] = QKV__LESS_OR_EQUAL, [QKV__GREATER_OR_EQUAL] = QKV__LESS,
    };
    qkv__node negated = *node;
    if (node->kind != QKV__NODE_COMPARE || node->comparison > QKV__GREATER_OR_EQUAL ||
        s->has_tolerance || s->moment.limit >= 0)
        return qkv__table_undecided(s, "tables support 'not' only before a plain comparison");
    negated.comparison = opposite[node->comparison];
    return decide_comparison(s, &negated);
}

static qkv__verdict decide_proposition(qkv__table_situation *s, const qkv__node *node)
{
    qkv__verdict first;
    switch (node->kind) {
    case QKV__NODE_COMPARE: return decide_comparison(s, node);
    case QKV__NODE_AND:
        first = decide_proposition(s, node->child[0]);
        return first == QKV__REFUTED
                   ? first
                   : qkv__verdict_both(first, decide_proposition(s, node->child[1]));
    case QKV__NODE_OR: /* both may fail, each elsewhere: that refutes nothing */
        first = decide_proposition(s, node->child[0]);
        if (first != QKV__PROVED) first = decide_proposition(s, node->child[1]);
        return first == QKV__PROVED ? first : qkv__table_undecided(s, "neither holds everywhere");
    case QKV__NODE_NOT: return decide_not(s, node->child[0]);
    case QKV__NODE_FOR_ALL: return decide_for_all(s, node);
    default: return qkv__table_undecided(s, "tables do not support this kind of proposition");
    }
}

/* ---- Conditions ---------------------------------------------------------------------------- */

static bool take_limit(qkv__table_situation *s, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_COMPARE);
    int parameter = node->child[0]->kind == QKV__NODE_NAME
                        ? qkv__model_parameter(s->model, node->child[0]->text)
                        : -1;
    if (parameter < 0 || node->child[1]->kind != QKV__NODE_INFINITY || s->moment.limit >= 0) {
        qkv__table_undecided(s, "tables support only one limit, to infinity");
        return false;
    }
    s->moment.limit = parameter;
    return true;
}

/* beta in 0..10: two bounds. */
static bool take_interval(qkv__table_situation *s, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_COMPARE);
    static const qkv__comparison comparisons[] = {QKV__GREATER_OR_EQUAL, QKV__LESS_OR_EQUAL};
    for (int i = 0; i < 2; i++) {
        const qkv__node *children[] = {node->child[0], node->child[1]->child[i]};
        qkv__node bound = *node;
        qkv__failure failure = {0};
        bound.comparison = comparisons[i];
        bound.child = children;
        if (qkv__model_bound(s->model, &bound, &failure)) continue;
        qkv__table_failed(s, &failure, node);
        return false;
    }
    return true;
}

static bool take_range(qkv__table_situation *s, const qkv__node *node)
{
    qkv__failure failure = {0};
    bool index =
        qkv__is_index_domain(node) && qkv__node_has(s->asked, has_index, node->child[0]->text);
    if (qkv__is_index_domain(node) && !index && node->comparison == QKV__IN &&
        node->child[1]->kind == QKV__NODE_RANGE)
        return take_interval(s, node);
    if (qkv__is_index_domain(node) && !index) {
        qkv__table_undecided(s, "tables do not support this condition");
        return false;
    }
    if (node->kind == QKV__NODE_NAME) return true; /* for all v */
    if (node->kind == QKV__NODE_COMPARE && node->child[0]->kind == QKV__NODE_NAME &&
        (node->comparison == QKV__NOT_IN || node->comparison == QKV__IN ||
         node->comparison == QKV__NOT_EQUAL)) {
        if (s->index != NULL) {
            qkv__table_undecided(s, "tables support only one index at a time");
            return false;
        }
        s->index = node;
        return true;
    }
    if (qkv__model_bound(s->model, node, &failure)) return true;
    qkv__table_failed(s, &failure, node);
    return false;
}

/* ---- What is given in the problem ---------------------------------------------------------- */

/* v[3] of a family, by a number. */
static const char *row_of(const qkv__node *node, size_t *row)
{
    bool plain =
        node->kind == QKV__NODE_INDEX && node->count == 2 &&
        node->child[0]->kind == QKV__NODE_NAME && node->child[1]->kind == QKV__NODE_NUMBER &&
        qkv__rational_is_whole(node->child[1]->value) && node->child[1]->value.numerator >= 1;
    if (plain) *row = (size_t)node->child[1]->value.numerator - 1;
    return plain ? node->child[0]->text : NULL;
}

/* v[3] = v[4]: the last row that is the same takes the place of the others. */
static bool take_same(qkv__table_situation *s, const qkv__node *node)
{
    size_t x = 0, y = 0;
    if (node->kind != QKV__NODE_COMPARE || node->comparison != QKV__EQUAL) return false;
    const char *left = row_of(node->child[0], &x), *right = row_of(node->child[1], &y);
    const qkv__binding *family = left == NULL ? NULL : qkv__model_find(s->model, NULL, left);
    if (right == NULL || family == NULL || family->value.kind != QKV__VALUE_VECTORS ||
        strcmp(left, right) != 0 || s->same_count == QKV__TABLE_SAME)
        return false;
    for (size_t i = 0; i < s->same_count; i++) { /* both may have been replaced before */
        if (strcmp(s->same[i].family, left) != 0) continue;
        if (s->same[i].other == x) x = s->same[i].kept;
        if (s->same[i].other == y) y = s->same[i].kept;
    }
    if (x == y) return true;
    s->same[s->same_count].family = left;
    s->same[s->same_count].kept = y;
    s->same[s->same_count++].other = x;
    return true;
}

/* beta^2 >= 400 where beta is positive: beta >= 20. */
static bool take_square(qkv__table_situation *s, const qkv__node *node)
{
    const qkv__node *power = node->child[0];
    if (node->kind != QKV__NODE_COMPARE || node->comparison > QKV__GREATER_OR_EQUAL ||
        node->comparison == QKV__NOT_EQUAL || power->kind != QKV__NODE_POWER ||
        power->child[0]->kind != QKV__NODE_NAME || power->child[1]->kind != QKV__NODE_NUMBER ||
        power->child[1]->value.numerator != 2 || power->child[1]->value.denominator != 1 ||
        node->child[1]->kind != QKV__NODE_NUMBER)
        return false;
    int parameter = qkv__parameter_find(&s->model->algebra, power->child[0]->text);
    qkv__parameter *known = parameter < 0 ? NULL : &s->model->algebra.parameter[parameter];
    const qkv__rational square = node->child[1]->value;
    if (known == NULL || !known->lower.known || qkv__rational_sign(known->lower.value) < 0 ||
        qkv__rational_sign(square) < 0)
        return false;
    const qkv__rational root =
        qkv__rational_make((int64_t)llround(sqrt((double)square.numerator)),
                           (int64_t)llround(sqrt((double)square.denominator)));
    if (qkv__rational_compare(qkv__rational_multiply(root, root), square) != 0) return false;
    qkv__parameter_narrow(known, node->comparison, root);
    return true;
}

static void take_premises(qkv__table_situation *s)
{
    s->weakened = s->model->gappy;
    for (size_t i = 0; i < s->model->premise_count; i++) {
        const qkv__node *premise = s->model->premise[i];
        if (!take_same(s, premise) && !take_square(s, premise)) s->weakened = true;
    }
}

static bool take_tolerance(qkv__table_situation *s, const qkv__node *node)
{
    qkv__quantity tolerance;
    if (!evaluate(s, node, &tolerance)) return false;
    s->has_tolerance = tolerance.kind == QKV__QUANTITY_NUMBER &&
                       qkv__number_as_ratio(tolerance.number, &s->tolerance);
    if (!s->has_tolerance) qkv__table_undecided(s, "the tolerance is not a plain number");
    return s->has_tolerance;
}

static bool take_condition(qkv__table_situation *s, const qkv__circumstance *condition)
{
    switch (condition->kind) {
    case QKV__CONDITION_LIMIT: return take_limit(s, condition->node);
    case QKV__CONDITION_WITHIN: return take_tolerance(s, condition->node);
    case QKV__CONDITION_EXPECT: return true;
    default: return take_range(s, condition->node);
    }
}

/* The parameters that the conditions leave one value. */
static void fix_parameters(qkv__table_situation *s)
{
    const qkv__algebra *algebra = &s->model->algebra;
    for (int p = 0; p < QKV__PARAMETERS; p++) {
        const qkv__parameter *known = &algebra->parameter[p];
        s->moment.value[p] = QKV__RATIONAL_LOST;
        if (p < (int)algebra->parameter_count && p != s->moment.limit && known->lower.known &&
            known->upper.known && known->prime == 0 &&
            qkv__rational_compare(known->lower.value, known->upper.value) == 0)
            s->moment.value[p] = known->lower.value;
    }
}

/* Bounds that a claim brought end with it. */
static void restore(qkv__algebra *algebra, const qkv__parameter *kept, size_t known)
{
    for (size_t p = 0; p < algebra->parameter_count; p++) {
        if (p < known) {
            algebra->parameter[p] = kept[p];
        } else if (algebra->parameter[p].prime == 0) {
            algebra->parameter[p].lower.known = false;
            algebra->parameter[p].upper.known = false;
        }
    }
}

/* A question or claim from its conditions to its end. */
typedef struct session {
    qkv__table_situation s;
    qkv__parameter kept[QKV__PARAMETERS];
    size_t known;
} session;

/* False when the conditions are not understood, or exclude each other; the finding says so. */
static bool begin(session *one, qkv__model *model, const qkv__node *asked,
                  const qkv__circumstances *circumstances, qkv__finding *finding)
{
    memcpy(one->kept, model->algebra.parameter, sizeof one->kept);
    one->known = model->algebra.parameter_count;
    one->s = (qkv__table_situation){.model = model, .asked = asked, .finding = finding};
    one->s.moment.limit = -1;
    *finding = (qkv__finding){.engine = ""};
    bool good = true;
    for (size_t i = 0; i < circumstances->count && good; i++)
        good = take_condition(&one->s, &circumstances->item[i]);
    take_premises(&one->s);
    qkv__box box;
    bool reached =
        one->s.moment.limit < 0 || !model->algebra.parameter[one->s.moment.limit].upper.known;
    if (good && (!reached || !qkv__box_of_algebra(&model->algebra, &box))) {
        qkv__table_undecided(&one->s,
                             "the conditions exclude each other: nothing is left to decide");
        good = false;
    }
    qkv__situation limit = {.model = model,
                            .circumstances = circumstances,
                            .limit_count = one->s.moment.limit >= 0,
                            .limit = {{.parameter = one->s.moment.limit}}};
    if (good && limit.limit_count > 0 && qkv__ties_hold_node(&limit, asked)) {
        qkv__table_undecided(&one->s, "a premise makes something in the claim depend on the limit");
        good = false;
    }
    fix_parameters(&one->s);
    return good;
}

static void end(session *one)
{
    qkv__finding *finding = one->s.finding;
    if (finding->culprit != NULL) finding->verdict = QKV__UNDECIDED;
    if (finding->verdict == QKV__REFUTED && one->s.weakened) {
        qkv__finding_free(finding);
        finding->verdict = QKV__UNDECIDED;
        qkv__text_format(&finding->reason,
                         "it fails, but without a premise that tables do not support");
    }
    if (finding->verdict == QKV__UNDECIDED) finding->engine = "";
    restore(&one->s.model->algebra, one->kept, one->known);
}

void qkv__table_decide(qkv__model *model, const qkv__node *proposition,
                       const qkv__circumstances *circumstances, qkv__finding *finding)
{
    session one;
    if (begin(&one, model, proposition, circumstances, finding))
        finding->verdict = one.s.index != NULL ? decide_for_index(&one.s, one.s.index, proposition)
                                               : decide_proposition(&one.s, proposition);
    end(&one);
}

/* ---- Thresholds ---------------------------------------------------------------------------- */

/* What must not be negative for a comparison to hold; NULL for others than orders of numbers. */
static const qkv__number *margin(qkv__table_situation *s, const qkv__node *node)
{
    qkv__quantity x, y;
    bool less = node->comparison == QKV__LESS || node->comparison == QKV__LESS_OR_EQUAL;
    bool greater = node->comparison == QKV__GREATER || node->comparison == QKV__GREATER_OR_EQUAL;
    if (node->kind != QKV__NODE_COMPARE || (!less && !greater)) {
        qkv__table_undecided(s, "tables support 'find least' only for one inequality");
        return NULL;
    }
    s->node = node;
    s->strict = node->comparison == QKV__LESS || node->comparison == QKV__GREATER;
    if (!evaluate(s, node->child[0], &x) || !evaluate(s, node->child[1], &y)) return NULL;
    if (x.kind != QKV__QUANTITY_NUMBER || y.kind != QKV__QUANTITY_NUMBER) {
        qkv__table_ill_posed(s, node, "only numbers can be ordered");
        return NULL;
    }
    return qkv__number_add(s->model, less ? y.number : x.number, less ? x.number : y.number, true);
}

static qkv__verdict find_turn(qkv__table_situation *s, int parameter,
                              const qkv__exponential_sum *sum, const qkv__sum_shape *shape)
{
    assert(parameter >= 0 && parameter < QKV__PARAMETERS);
    const qkv__parameter *range = &s->model->algebra.parameter[parameter];
    qkv__rational below, above;
    qkv__enclosure enclosure;
    if (!qkv__exponential_sum_turn(sum, shape, &below, &above))
        return qkv__table_undecided(s, "the threshold was not found");
    if (range->lower.known && qkv__rational_compare(range->lower.value, above) >= 0) {
        qkv__table_say(s, "It holds over the whole range.");
        return qkv__table_conclude(s, QKV__PROVED, "ball");
    }
    qkv__enclosure_set_rationals(&enclosure, below, above);
    qkv__text_format(&s->finding->found, "%s = %s", range->name, enclosure.text);
    qkv__table_say(s, "It fails just below and holds from there on.");
    return qkv__table_conclude(s, QKV__PROVED, "ball");
}

/* What fails for all large values holds, if at all, at the least one that is allowed. */
static qkv__verdict find_at_the_end(qkv__table_situation *s, const qkv__number *number,
                                    int parameter)
{
    assert(parameter >= 0 && parameter < QKV__PARAMETERS);
    const qkv__parameter *range = &s->model->algebra.parameter[parameter];
    qkv__failure failure = {0};
    int sign = -1;
    if (range->lower.known && !range->lower.strict) {
        s->moment.value[parameter] = range->lower.value;
        sign = qkv__number_sign(s->model, number, &s->moment, &failure);
    }
    if (sign == 0 || sign == QKV__SIGN_OPEN)
        return qkv__table_undecided(s, "it is open whether it holds at the least allowed value");
    if (sign < 0)
        return qkv__table_undecided(s, "it fails at the least value and at all large values");
    qkv__text_format(&s->finding->found, "%s = ", range->name);
    qkv__rational_write(range->lower.value, &s->finding->found);
    qkv__table_say(s, "It holds at the least allowed value, but not for all larger ones.");
    s->finding->alone = true;
    return qkv__table_conclude(s, QKV__PROVED, "ball");
}

static qkv__verdict find_least(qkv__table_situation *s, const qkv__number *number, int parameter)
{
    qkv__failure failure = {0};
    qkv__exponential_sum sum;
    qkv__sum_shape shape;
    bool good = qkv__number_as_sum(s->model, number, &s->moment, parameter, &sum, &failure);
    qkv__verdict verdict = QKV__UNDECIDED;
    if (!good)
        qkv__table_failed(s, &failure, NULL);
    else if (!qkv__exponential_sum_shape(&sum, &shape) || shape.changes > 1)
        qkv__table_undecided(s, "the difference may change its sign more than once");
    else if (shape.upward < 0) {
        verdict = find_at_the_end(s, number, parameter);
    } else if (shape.upward == 0 && s->strict) {
        qkv__table_say(s, "Both sides are equal everywhere.");
        verdict = qkv__table_conclude(s, QKV__REFUTED, "exact");
    } else if (shape.changes == 0) {
        qkv__table_say(s, "It holds everywhere.");
        verdict = qkv__table_conclude(s, QKV__PROVED, "exact");
    } else {
        verdict = find_turn(s, parameter, &sum, &shape);
    }
    qkv__exponential_sum_free(&sum);
    return verdict;
}

void qkv__table_find(qkv__model *model, const qkv__statement *statement,
                     const qkv__circumstances *circumstances, qkv__finding *finding)
{
    assert(statement->kind == QKV__STATEMENT_FIND);
    session one;
    qkv__table_situation *s = &one.s;
    bool good = begin(&one, model, statement->node[statement->count - 1], circumstances, finding);
    bool least = statement->least && !statement->largest && statement->count == 2 &&
                 statement->node[0]->kind == QKV__NODE_NAME && s->index == NULL &&
                 s->moment.limit < 0;
    if (good && !least) qkv__table_undecided(s, "tables support only 'find least' of one number");
    const qkv__number *number = good && least ? margin(s, statement->node[1]) : NULL;
    if (number != NULL && s->weakened) {
        qkv__table_undecided(s, "tables do not support a premise");
    } else if (number != NULL) {
        int parameter = qkv__model_parameter(model, statement->node[0]->text);
        bool upward = parameter >= 0 && !model->algebra.parameter[parameter].upper.known &&
                      !model->algebra.parameter[parameter].whole;
        finding->verdict =
            upward ? find_least(s, number, parameter)
                   : qkv__table_undecided(s, "a parameter with an upper bound, or whole");
    }
    end(&one);
}
