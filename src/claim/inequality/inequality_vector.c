/* Atoms, and vectors as combinations of bases: their products and norms are numbers over atoms.
 * Knows nothing of how numbers are written, nor of proofs. */
#include <string.h>

#include "claim/inequality/inequality_part.h"
#include "language/builtin.h"
#include "language/tree.h"

#define NOT_NEGATIVE ((qkv__bound){.known = true, .value = {0, 1}})

/* ---- Atoms --------------------------------------------------------------------------- */

static int find_atom(const qkv__inequality *q, qkv__atom_kind kind, const char *text)
{
    for (size_t i = 0; i < q->algebra.parameter_count; i++)
        if (q->algebra.parameter[i].prime == 0 && q->atom[i].kind == kind &&
            q->atom[i].text != NULL && strcmp(q->atom[i].text, text) == 0)
            return (int)i;
    return -1;
}

/* The atom of that text, made when first met; -1: there is no room. */
int qkv__atom_take(qkv__inequality *q, qkv__atom_kind kind, const char *text, bool *made)
{
    int atom = text == NULL ? -1 : find_atom(q, kind, text);
    *made = false;
    if (text == NULL || atom >= 0) return atom;
    atom = qkv__parameter_add(&q->algebra, text);
    if (atom < 0) return -1;
    q->atom[atom] = (qkv__atom){.kind = kind, .text = text};
    *made = true;
    return atom;
}

qkv__ratio qkv__atom_number(qkv__inequality *q, int atom)
{
    return qkv__ratio_of_form(&q->algebra, qkv__form_parameter(&q->algebra, atom));
}

/* A term's square root or norm may be squared: then it is what it is the root of. */
static const qkv__form *reduce_term(qkv__inequality *q, const qkv__term *term, bool *changed)
{
    const qkv__form *form = qkv__form_term(&q->algebra, term);
    for (size_t i = 0; i < q->algebra.parameter_count; i++) {
        const qkv__form *square = q->atom[i].square;
        if (square == NULL || term->power[i] < 4) continue;
        const int times = term->power[i] / 4;
        const qkv__form *own =
            qkv__form_power(&q->algebra, qkv__form_parameter(&q->algebra, (int)i), 2 * times);
        if (own == NULL) return NULL;
        *changed = true;
        return qkv__form_multiply(&q->algebra,
                                  qkv__form_divide_by_term(&q->algebra, form, &own->term[0]),
                                  qkv__form_power(&q->algebra, square, times));
    }
    return form;
}

const qkv__form *qkv__inequality_reduce(qkv__inequality *q, const qkv__form *form)
{
    bool changed = true;
    while (changed && form != NULL) {
        qkv__form_sum sum = {0};
        changed = false;
        for (size_t i = 0; i < form->count; i++)
            qkv__form_sum_add(&q->algebra, &sum, reduce_term(q, &form->term[i], &changed));
        if (changed) form = qkv__form_sum_total(&q->algebra, &sum);
    }
    return form;
}

bool qkv__inequality_reduced(qkv__inequality *q, qkv__ratio ratio, qkv__ratio *number)
{
    *number = (qkv__ratio){qkv__inequality_reduce(q, ratio.numerator),
                           qkv__inequality_reduce(q, ratio.denominator)};
    return !qkv__ratio_is_lost(*number);
}

/* ---- Indexes ------------------------------------------------------------------------- */

const char *qkv__inequality_index(qkv__inequality *q, const char *range, const char *differs)
{
    static const char *const names[] = {"j*", "l*", "m*", "p*", "r*", "s*", "t*", "u*"};
    if (q->index_count == QKV__INEQUALITY_INDEXES) return NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        bool taken = false;
        for (size_t k = 0; k < q->index_count; k++)
            taken = taken || strcmp(q->index[k].name, names[i]) == 0;
        if (taken) continue;
        q->index[q->index_count++] =
            (qkv__running){.name = names[i], .range = range, .differs = {differs}};
        return names[i];
    }
    return NULL;
}

/* A member that is named by its number is one that what holds for all holds for. */
void qkv__inequality_note_number(qkv__inequality *q, const qkv__node *range, const qkv__node *index)
{
    const char *text = range == NULL || index->kind != QKV__NODE_NUMBER ||
                               !qkv__rational_is_whole(index->value) || index->value.numerator < 1
                           ? NULL
                           : qkv__tree_text(q, index);
    if (text == NULL || q->index_count == QKV__INEQUALITY_INDEXES) return;
    const char *name = qkv__tree_text(q, range);
    for (size_t i = 0; i < q->index_count; i++)
        if (strcmp(q->index[i].name, text) == 0) return;
    if (name != NULL) q->index[q->index_count++] = (qkv__running){.name = text, .range = name};
}

/* ---- Vectors ------------------------------------------------------------------------- */

bool qkv__inequality_is_vector(qkv__inequality *q, const qkv__node *node)
{
    const qkv__statement *s;
    const qkv__veil *veil;
    switch (node->kind) {
    case QKV__NODE_NAME:
        veil = qkv__tree_veil(q, node->text);
        if (veil != NULL) return veil->range == NULL;
        s = qkv__tree_declaration(q, node->text);
        return s != NULL && s->kind == QKV__STATEMENT_OBJECT && strcmp(s->text, "vector") == 0;
    case QKV__NODE_INDEX:
        return node->count == 2 && node->child[0]->kind == QKV__NODE_NAME &&
               qkv__tree_family_range(q, node->child[0]->text) != NULL;
    case QKV__NODE_NEGATE:
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT:
    case QKV__NODE_DIVIDE: return qkv__inequality_is_vector(q, node->child[0]);
    case QKV__NODE_MULTIPLY:
        return qkv__inequality_is_vector(q, node->child[0]) !=
               qkv__inequality_is_vector(q, node->child[1]);
    case QKV__NODE_CALL:
        if (qkv__call_is_over(node) && (qkv__builtin_of(node) == QKV__BUILTIN_SUM ||
                                        qkv__builtin_of(node) == QKV__BUILTIN_MEAN))
            return qkv__inequality_is_vector(q, node->child[0]->child[0]);
        return qkv__tree_is_attention(q, node);
    default: return false;
    }
}

/* What the declaration of a family says of the length of its members; lost: nothing. */
qkv__ratio qkv__inequality_declared_length(qkv__inequality *q, const qkv__node *node)
{
    const qkv__ratio unknown = {NULL, NULL};
    qkv__ratio length;
    if (node->kind != QKV__NODE_INDEX) return unknown;
    const qkv__veil *veil =
        node->child[0]->kind == QKV__NODE_NAME ? qkv__tree_veil(q, node->child[0]->text) : NULL;
    if (veil != NULL) return veil->unit ? qkv__ratio_whole(&q->algebra, 1) : unknown;
    const qkv__statement *s = qkv__tree_declaration(q, node->child[0]->text);
    for (size_t i = 0; s != NULL && s->kind == QKV__STATEMENT_FAMILY && i < s->count; i++) {
        const qkv__node *property = s->node[i];
        if (property->kind == QKV__NODE_NAME && strcmp(property->text, "orthonormal") == 0)
            return qkv__ratio_whole(&q->algebra, 1);
        if (property->kind == QKV__NODE_CALL && strcmp(property->text, "norm") == 0 &&
            property->count == 1) {
            const qkv__node *value = qkv__tree_expand(q, property->child[0]);
            return value != NULL && qkv__inequality_number(q, value, &length) ? length : unknown;
        }
    }
    return unknown;
}

static int take_base(qkv__inequality *q, const qkv__node *node)
{
    const char *text = qkv__tree_text(q, node);
    if (text == NULL) return -1;
    for (size_t i = 0; i < q->base_count; i++)
        if (strcmp(q->base[i].text, text) == 0) return (int)i;
    if (q->base_count == QKV__INEQUALITY_BASES) return -1;
    if (node->kind == QKV__NODE_INDEX)
        qkv__inequality_note_number(q, qkv__tree_family_range(q, node->child[0]->text),
                                    node->child[1]);
    qkv__ratio length = qkv__inequality_declared_length(q, node);
    q->base[q->base_count] = (qkv__base){text, node, length};
    return (int)q->base_count++;
}

bool qkv__mixture_add(qkv__inequality *q, qkv__mixture *sum, int base, qkv__ratio factor)
{
    size_t at = 0;
    if (qkv__ratio_is_lost(factor)) return false;
    while (at < sum->count && sum->part[at].base < base) at++;
    if (at < sum->count && sum->part[at].base == base) {
        sum->part[at].factor = qkv__ratio_add(&q->algebra, sum->part[at].factor, factor);
        if (qkv__ratio_is_lost(sum->part[at].factor)) return false;
        if (!qkv__ratio_is_zero(sum->part[at].factor)) return true;
        sum->count--;
        memmove(&sum->part[at], &sum->part[at + 1], (sum->count - at) * sizeof sum->part[0]);
        return true;
    }
    if (qkv__ratio_is_zero(factor)) return true;
    memmove(&sum->part[at + 1], &sum->part[at], (sum->count - at) * sizeof sum->part[0]);
    sum->part[at].base = base;
    sum->part[at].factor = factor;
    sum->count++;
    return true;
}

/* x/|x|, which has a value only where x is not 0. */
static bool unit_vector(qkv__inequality *q, const qkv__node *node, qkv__mixture *vector)
{
    const qkv__ratio one = qkv__ratio_whole(&q->algebra, 1);
    const int base = take_base(q, node);
    if (base < 0) return false;
    q->base[base].length = one;
    return qkv__mixture_add(q, vector, base, one);
}

/* sum += factor * x */
static bool add_vector(qkv__inequality *q, qkv__mixture *sum, const qkv__mixture *x,
                       qkv__ratio factor)
{
    for (size_t i = 0; i < x->count; i++)
        if (!qkv__mixture_add(q, sum, x->part[i].base,
                              qkv__ratio_multiply(&q->algebra, factor, x->part[i].factor)))
            return false;
    return true;
}

static bool scaled_vector(qkv__inequality *q, const qkv__node *node, qkv__mixture *vector)
{
    const bool divide = node->kind == QKV__NODE_DIVIDE;
    const int at = !divide && qkv__inequality_is_vector(q, node->child[1]);
    qkv__mixture x;
    qkv__ratio factor;
    if (!qkv__inequality_vector(q, node->child[at], &x) ||
        !qkv__inequality_number(q, node->child[1 - at], &factor))
        return false;
    if (divide) factor = qkv__ratio_divide(&q->algebra, qkv__ratio_whole(&q->algebra, 1), factor);
    return add_vector(q, vector, &x, factor);
}

/* mean(x for i in S), the sum divided by the number of terms. */
static bool mean_vector(qkv__inequality *q, const qkv__node *node, qkv__mixture *vector)
{
    const qkv__node *domain = node->child[0]->child[1];
    const qkv__node *size = domain->kind == QKV__NODE_COMPARE && domain->comparison == QKV__IN
                                ? qkv__tree_size(q, domain->child[1])
                                : NULL;
    const qkv__node *sum = qkv__tree_make(q, QKV__NODE_CALL, "sum", node->child[0], NULL);
    qkv__ratio count;
    if (size == NULL || sum == NULL || !qkv__inequality_number(q, size, &count)) return false;
    int base = take_base(q, sum);
    return base >= 0 && qkv__mixture_add(q, vector, base,
                                         qkv__ratio_divide(
                                             &q->algebra, qkv__ratio_whole(&q->algebra, 1), count));
}

bool qkv__inequality_vector(qkv__inequality *q, const qkv__node *node, qkv__mixture *vector)
{
    qkv__mixture x, y;
    const qkv__ratio one = qkv__ratio_whole(&q->algebra, 1);
    vector->count = 0;
    if (!qkv__inequality_is_vector(q, node)) return false;
    switch (node->kind) {
    case QKV__NODE_NEGATE:
        return qkv__inequality_vector(q, node->child[0], &x) &&
               add_vector(q, vector, &x, qkv__ratio_whole(&q->algebra, -1));
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT:
        return qkv__inequality_vector(q, node->child[0], &x) &&
               qkv__inequality_vector(q, node->child[1], &y) && add_vector(q, vector, &x, one) &&
               add_vector(q, vector, &y,
                          node->kind == QKV__NODE_ADD ? one : qkv__ratio_whole(&q->algebra, -1));
    case QKV__NODE_DIVIDE:
        if (q->units && qkv__tree_is_unit(q, node)) return unit_vector(q, node, vector);
        return scaled_vector(q, node, vector);
    case QKV__NODE_MULTIPLY: return scaled_vector(q, node, vector);
    default: {
        const bool over = node->kind == QKV__NODE_CALL && qkv__call_is_over(node);
        if (over && qkv__builtin_of(node) == QKV__BUILTIN_MEAN) return mean_vector(q, node, vector);
        const qkv__node *mean = over ? qkv__tree_mean(q, node->child[0]) : NULL;
        int base = take_base(q, mean == NULL ? node : mean);
        return base >= 0 && qkv__mixture_add(q, vector, base, one);
    }
    }
}

/* ---- Products and norms -------------------------------------------------------------- */

/* |base|: what the document says, or an atom. */
static bool length_of(qkv__inequality *q, int base, qkv__ratio *length)
{
    bool made;
    qkv__text name = {0};
    if (!qkv__ratio_is_lost(q->base[base].length)) {
        *length = q->base[base].length;
        return true;
    }
    qkv__text_format(&name, "|%s|", q->base[base].text);
    const char *text =
        name.failed ? NULL : qkv__arena_text(&q->algebra.arena, name.data, name.length);
    qkv__text_free(&name);
    int atom = qkv__atom_take(q, QKV__ATOM_LENGTH, text, &made);
    if (atom < 0) return false;
    q->algebra.parameter[atom].lower = NOT_NEGATIVE;
    q->atom[atom].vector.count = 0;
    qkv__mixture_add(q, &q->atom[atom].vector, base, qkv__ratio_whole(&q->algebra, 1));
    q->base[base].length = *length = qkv__atom_number(q, atom);
    return true;
}

bool qkv__inequality_differ(qkv__inequality *q, const qkv__node *a, const qkv__node *b)
{
    if (a->kind == QKV__NODE_NUMBER && b->kind == QKV__NODE_NUMBER)
        return qkv__rational_compare(a->value, b->value) != 0;
    if (a->kind != QKV__NODE_NAME || b->kind != QKV__NODE_NAME) return false;
    for (size_t i = 0; i < q->index_count; i++) {
        const qkv__running *known = &q->index[i];
        if (known->name == NULL) continue;
        if ((strcmp(known->name, a->text) == 0 && qkv__inequality_differs(known, b->text)) ||
            (strcmp(known->name, b->text) == 0 && qkv__inequality_differs(known, a->text)))
            return true;
    }
    return qkv__tree_is_distinct(q, a->text, b->text);
}

/* Two members of one orthogonal family, for certain. */
static bool are_orthogonal(qkv__inequality *q, int a, int b)
{
    const qkv__node *x = q->base[a].node, *y = q->base[b].node;
    if (x->kind != QKV__NODE_INDEX || y->kind != QKV__NODE_INDEX ||
        strcmp(x->child[0]->text, y->child[0]->text) != 0 ||
        !qkv__inequality_differ(q, x->child[1], y->child[1]))
        return false;
    const qkv__statement *s = qkv__tree_declaration(q, x->child[0]->text);
    for (size_t i = 0; s != NULL && i < s->count; i++)
        if (s->node[i]->kind == QKV__NODE_NAME && (strcmp(s->node[i]->text, "orthonormal") == 0 ||
                                                   strcmp(s->node[i]->text, "orthogonal") == 0))
            return true;
    return false;
}

static bool product_of_bases(qkv__inequality *q, int a, int b, qkv__ratio *product)
{
    qkv__text name = {0};
    bool made;
    if (a == b) {
        if (!length_of(q, a, product)) return false;
        *product = qkv__ratio_power(&q->algebra, *product, 2);
        return !qkv__ratio_is_lost(*product);
    }
    if (are_orthogonal(q, a, b)) {
        *product = qkv__ratio_whole(&q->algebra, 0);
        return true;
    }
    if (strcmp(q->base[a].text, q->base[b].text) > 0) {
        int kept = a;
        a = b;
        b = kept;
    }
    qkv__text_format(&name, "%s.%s", q->base[a].text, q->base[b].text);
    const char *text =
        name.failed ? NULL : qkv__arena_text(&q->algebra.arena, name.data, name.length);
    qkv__text_free(&name);
    int atom = qkv__atom_take(q, QKV__ATOM_PRODUCT, text, &made);
    if (atom < 0) return false;
    q->atom[atom].base[0] = a;
    q->atom[atom].base[1] = b;
    *product = qkv__atom_number(q, atom);
    return true;
}

bool qkv__inequality_product(qkv__inequality *q, const qkv__mixture *x, const qkv__mixture *y,
                             qkv__ratio *product)
{
    qkv__algebra *algebra = &q->algebra;
    qkv__ratio sum = qkv__ratio_whole(algebra, 0), one;
    for (size_t i = 0; i < x->count; i++)
        for (size_t j = 0; j < y->count; j++) {
            if (!product_of_bases(q, x->part[i].base, y->part[j].base, &one)) return false;
            one = qkv__ratio_multiply(
                algebra, one, qkv__ratio_multiply(algebra, x->part[i].factor, y->part[j].factor));
            sum = qkv__ratio_add(algebra, sum, one);
        }
    return qkv__inequality_reduced(q, sum, product);
}

static qkv__sign sign_of(qkv__inequality *q, qkv__ratio ratio)
{
    return qkv__ratio_sign(&q->algebra, ratio);
}

/* The atom that is not negative and has this square: a root, an absolute value or a norm. */
bool qkv__atom_take_root(qkv__inequality *q, qkv__atom_kind kind, qkv__ratio square,
                         const char *text, int *atom)
{
    bool made;
    qkv__ratio plain = square;
    if (square.denominator == NULL || square.denominator->count != 1) return false;
    const qkv__form *form =
        qkv__form_divide_by_term(&q->algebra, plain.numerator, &square.denominator->term[0]);
    if (form == NULL) return false;
    *atom = qkv__atom_take(q, kind, text, &made);
    if (*atom < 0) return false;
    if (!made) return true;
    q->atom[*atom].square = form;
    q->algebra.parameter[*atom].lower = NOT_NEGATIVE;
    return true;
}

const char *qkv__inequality_written(qkv__inequality *q, const char *before, qkv__ratio ratio,
                                    const char *after)
{
    qkv__text text = {0};
    const char *copy = NULL;
    qkv__text_format(&text, "%s", before);
    qkv__ratio_write(&q->algebra, ratio, &text);
    qkv__text_format(&text, "%s", after);
    if (!text.failed) copy = qkv__arena_text(&q->algebra.arena, text.data, text.length);
    qkv__text_free(&text);
    return copy;
}

/* |x| of a number. */
bool qkv__inequality_size(qkv__inequality *q, qkv__ratio x, qkv__ratio *size)
{
    int atom;
    qkv__ratio square;
    qkv__sign sign = sign_of(q, x);
    *size = x;
    if (sign == QKV__SIGN_ZERO || sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NONNEGATIVE)
        return true;
    const qkv__ratio mirror = qkv__ratio_negate(&q->algebra, x);
    if (sign == QKV__SIGN_NEGATIVE || sign == QKV__SIGN_NONPOSITIVE) {
        *size = mirror;
        return true;
    }
    if (qkv__ratio_is_lost(x) || qkv__ratio_is_lost(mirror)) return false;
    if (x.numerator->count > 0 && qkv__rational_sign(x.numerator->term[0].coefficient) < 0)
        x = mirror; /* |x| and |-x| are one atom */
    if (!qkv__inequality_reduced(q, qkv__ratio_multiply(&q->algebra, x, x), &square) ||
        !qkv__atom_take_root(q, QKV__ATOM_ROOT, square, qkv__inequality_written(q, "|", x, "|"),
                             &atom))
        return false;
    q->atom[atom].argument = x;
    *size = qkv__atom_number(q, atom);
    return true;
}

static const char *vector_text(qkv__inequality *q, const qkv__mixture *x)
{
    qkv__text text = {0};
    const char *copy = NULL;
    qkv__rational number;
    for (size_t i = 0; i < x->count; i++) {
        const qkv__ratio factor = x->part[i].factor;
        const char *base = q->base[x->part[i].base].text;
        const bool plain = qkv__ratio_is_constant(factor, &number) &&
                           (number.numerator == 1 || number.numerator == -1) &&
                           number.denominator == 1;
        if (plain && number.numerator < 0)
            qkv__text_format(&text, "%s%s", i == 0 ? "-" : " - ", base);
        else if (plain)
            qkv__text_format(&text, "%s%s", i == 0 ? "" : " + ", base);
        else {
            qkv__text_format(&text, "%s(", i == 0 ? "" : " + ");
            qkv__ratio_write(&q->algebra, factor, &text);
            qkv__text_format(&text, ")*%s", base);
        }
    }
    qkv__text whole = {0};
    if (!text.failed && text.data != NULL) qkv__text_format(&whole, "|%s|", text.data);
    if (!whole.failed && whole.data != NULL)
        copy = qkv__arena_text(&q->algebra.arena, whole.data, whole.length);
    qkv__text_free(&text);
    qkv__text_free(&whole);
    return copy;
}

/* t*x + 2*t*y as t times x + 2*y; false: there is no such t that is more than a constant. */
static bool take_common_factor(qkv__inequality *q, qkv__mixture *x, qkv__ratio *common)
{
    qkv__mixture rest = *x;
    qkv__rational constant;
    *common = x->part[0].factor;
    if (qkv__ratio_is_constant(*common, &constant)) return false;
    for (size_t i = 0; i < x->count; i++) {
        const qkv__ratio quotient = qkv__ratio_divide(&q->algebra, x->part[i].factor, *common);
        if (qkv__ratio_is_lost(quotient) || !qkv__ratio_is_constant(quotient, &constant))
            return false;
        rest.part[i].factor = qkv__ratio_constant(&q->algebra, constant);
    }
    *x = rest;
    return true;
}

bool qkv__inequality_norm(qkv__inequality *q, const qkv__mixture *vector, qkv__ratio *norm)
{
    qkv__mixture x = *vector;
    qkv__ratio square, size, length, common;
    int atom;
    if (x.count == 0) {
        *norm = qkv__ratio_whole(&q->algebra, 0);
        return true;
    }
    if (x.count == 1) {
        if (!qkv__inequality_size(q, x.part[0].factor, &size) ||
            !length_of(q, x.part[0].base, &length))
            return false;
        *norm = qkv__ratio_multiply(&q->algebra, size, length);
        return !qkv__ratio_is_lost(*norm);
    }
    if (take_common_factor(q, &x, &common))
        return qkv__inequality_norm(q, &x, &length) && qkv__inequality_size(q, common, &size) &&
               qkv__inequality_reduced(q, qkv__ratio_multiply(&q->algebra, size, length), norm);
    const qkv__form *lead = x.part[0].factor.numerator;
    if (lead != NULL && qkv__rational_sign(lead->term[0].coefficient) < 0) /* |y - x| is |x - y| */
        for (size_t i = 0; i < x.count; i++)
            x.part[i].factor = qkv__ratio_negate(&q->algebra, x.part[i].factor);
    if (!qkv__inequality_product(q, &x, &x, &square) ||
        !qkv__atom_take_root(q, QKV__ATOM_NORM, square, vector_text(q, &x), &atom))
        return false;
    q->atom[atom].vector = x;
    *norm = qkv__atom_number(q, atom);
    return true;
}
