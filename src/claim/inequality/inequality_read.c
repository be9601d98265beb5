/* Trees as numbers over atoms. Whatever is not understood fails, and so does the proof. Knows
 * nothing of proofs. */
#include <string.h>

#include "claim/inequality/inequality_part.h"
#include "language/builtin.h"
#include "language/tree.h"

#define POSITIVE ((qkv__bound){.known = true, .strict = true, .value = {0, 1}})

/* ---- Largest members, sums ----------------------------------------------------------- */

/* The index at which max(f for i in S) is taken on: then f there is the largest, and f at every
 * other index is not above it. */
static bool read_extreme(qkv__inequality *q, const qkv__node *call, bool largest,
                         qkv__ratio *number)
{
    const qkv__node *over = call->child[0], *domain = over->child[1];
    const char *text = qkv__tree_text(q, call);
    const char *index = NULL;
    if (domain->comparison != QKV__IN || domain->child[1]->kind != QKV__NODE_RANGE || text == NULL)
        return false;
    const char *range = qkv__tree_text(q, domain->child[1]);
    for (size_t i = 0; i < q->witness_count; i++)
        if (strcmp(q->witness[i].text, text) == 0) index = q->witness[i].index;
    const bool known = index != NULL;
    if (!known && (range == NULL || q->witness_count == QKV__INEQUALITY_WITNESSES ||
                   (index = qkv__inequality_index(q, range, NULL)) == NULL))
        return false;
    const qkv__node *best = qkv__tree_put(q, over->child[0], over->text, index);
    if (best == NULL) return false;
    if (!known) {
        q->witness[q->witness_count++] = (qkv__witness){text, index};
        qkv__inequality_rule(q, (qkv__running){.name = over->text, .range = range},
                             largest ? qkv__tree_compare(q, over->child[0], best)
                                     : qkv__tree_compare(q, best, over->child[0]),
                             largest ? "no member exceeds the maximum"
                                     : "no member is below the minimum");
        const qkv__node *size = qkv__tree_size(q, domain->child[1]);
        const qkv__node *all = qkv__tree_make(q, QKV__NODE_CALL, "sum", over, NULL);
        const qkv__node *bound =
            size == NULL ? NULL : qkv__tree_make(q, QKV__NODE_MULTIPLY, "", size, best);
        if (bound != NULL && all != NULL)
            qkv__inequality_suppose(
                q, largest ? qkv__tree_compare(q, all, bound) : qkv__tree_compare(q, bound, all),
                "a mean lies between minimum and maximum");
    }
    return qkv__inequality_number(q, best, number);
}

static bool read_sum(qkv__inequality *q, const qkv__node *over, qkv__ratio *number);

/* The sum of another body over the same indexes. */
static bool sum_of(qkv__inequality *q, const qkv__node *over, const qkv__node *body,
                   qkv__ratio *number)
{
    const qkv__node *part =
        body == NULL ? NULL : qkv__tree_make(q, QKV__NODE_SUM, over->text, body, over->child[1]);
    return part != NULL && !qkv__inequality_is_vector(q, body) && read_sum(q, part, number);
}

/* A sum or difference of x and y, or -x. */
static bool join(qkv__inequality *q, qkv__node_kind kind, qkv__ratio x, qkv__ratio y,
                 qkv__ratio *number)
{
    *number = kind == QKV__NODE_NEGATE ? qkv__ratio_negate(&q->algebra, x)
              : kind == QKV__NODE_ADD  ? qkv__ratio_add(&q->algebra, x, y)
                                       : qkv__ratio_subtract(&q->algebra, x, y);
    return !qkv__ratio_is_lost(*number);
}

static bool is_additive(const qkv__node *node)
{
    return node->kind == QKV__NODE_NEGATE || node->kind == QKV__NODE_ADD ||
           node->kind == QKV__NODE_SUBTRACT;
}

/* sum of (x + y)*z, of -x*z and the like, by the sums of its parts; `at` is the factor x + y. */
static bool sum_distributed(qkv__inequality *q, const qkv__node *over, int at, qkv__ratio *number)
{
    const qkv__node *body = over->child[0], *factor = body->child[at], *other = body->child[1 - at];
    qkv__ratio part[2];
    for (size_t i = 0; i < factor->count; i++) {
        const qkv__node *left = at == 0 ? factor->child[i] : other;
        const qkv__node *right = at == 0 ? other : factor->child[i];
        if (!sum_of(q, over, qkv__tree_make(q, body->kind, "", left, right), &part[i]))
            return false;
    }
    return join(q, factor->kind, part[0], part[factor->count - 1], number);
}

/* A factor that is the same for all indexes is taken out of the sum. */
static bool sum_of_product(qkv__inequality *q, const qkv__node *over, qkv__ratio *number,
                           bool *taken)
{
    const qkv__node *body = over->child[0];
    const bool divide = body->kind == QKV__NODE_DIVIDE;
    qkv__ratio x, y;
    *taken = true;
    for (int at = 0; at < (divide ? 1 : 2); at++) {
        if (qkv__node_names(body->child[1 - at], over->text)) continue;
        return sum_of(q, over, body->child[at], &x) &&
               qkv__inequality_number(q, body->child[1 - at], &y) &&
               qkv__inequality_reduced(q,
                                       divide ? qkv__ratio_divide(&q->algebra, x, y)
                                              : qkv__ratio_multiply(&q->algebra, x, y),
                                       number);
    }
    for (int at = 0; at < (divide ? 1 : 2); at++)
        if (is_additive(body->child[at])) return sum_distributed(q, over, at, number);
    return *taken = false;
}

/* Whether every term is one number: it does not depend on the index, or is a declared length. */
static bool is_alike(qkv__inequality *q, const qkv__node *over, qkv__ratio *term)
{
    const qkv__node *body = over->child[0];
    if (!qkv__node_names(body, over->text)) return qkv__inequality_number(q, body, term);
    if (body->kind != QKV__NODE_SIZE || !qkv__inequality_is_vector(q, body->child[0])) return false;
    *term = qkv__inequality_declared_length(q, body->child[0]);
    return !qkv__ratio_is_lost(*term);
}

bool qkv__inequality_is_weight_over(qkv__inequality *q, const qkv__node *node,
                                    const qkv__node *over)
{
    const qkv__node *attention, *index;
    if (!qkv__tree_is_weight(q, node, &attention, &index) || index->kind != QKV__NODE_NAME ||
        strcmp(index->text, over->text) != 0 || qkv__node_names(attention, over->text))
        return false;
    const char *keys = qkv__tree_text(q, qkv__tree_family_range(q, attention->child[1]->text));
    const char *range = qkv__tree_text(q, over->child[1]->child[1]);
    return keys != NULL && range != NULL && strcmp(keys, range) == 0;
}

/* sum(f for i in S): by the sums of its parts, and without factors that are alike. */
static bool read_sum(qkv__inequality *q, const qkv__node *over, qkv__ratio *number)
{
    const qkv__node *body = over->child[0], *domain = over->child[1];
    qkv__ratio x, y = {NULL, NULL};
    bool made, taken;
    if (domain->kind != QKV__NODE_COMPARE) return false;
    if (is_additive(body))
        return sum_of(q, over, body->child[0], &x) &&
               (body->count == 1 || sum_of(q, over, body->child[1], &y)) &&
               join(q, body->kind, x, y, number);
    if (body->kind == QKV__NODE_MULTIPLY || body->kind == QKV__NODE_DIVIDE) {
        const bool good = sum_of_product(q, over, number, &taken);
        if (taken) return good;
    }
    const qkv__node *size =
        domain->comparison == QKV__IN ? qkv__tree_size(q, domain->child[1]) : NULL;
    if (size != NULL && is_alike(q, over, &x))
        return qkv__inequality_number(q, size, &y) &&
               qkv__inequality_reduced(q, qkv__ratio_multiply(&q->algebra, x, y), number);
    if (size != NULL && qkv__inequality_is_weight_over(q, over->child[0], over)) {
        *number = qkv__ratio_whole(&q->algebra, 1);
        return true;
    }
    const qkv__node *call = qkv__tree_make(q, QKV__NODE_CALL, "sum", over, NULL);
    if (call == NULL || qkv__inequality_is_vector(q, body)) return false;
    int atom = qkv__atom_take(q, QKV__ATOM_SUM, qkv__tree_text(q, call), &made);
    if (atom < 0) return false;
    if (made) q->atom[atom].node = call;
    *number = qkv__atom_number(q, atom);
    return true;
}

static bool read_over(qkv__inequality *q, const qkv__node *call, qkv__ratio *number)
{
    const qkv__node *over = call->child[0], *size;
    qkv__ratio count;
    switch (qkv__builtin_of(call)) {
    case QKV__BUILTIN_MAX: return read_extreme(q, call, true, number);
    case QKV__BUILTIN_MIN: return read_extreme(q, call, false, number);
    case QKV__BUILTIN_SUM: return read_sum(q, over, number);
    case QKV__BUILTIN_MEAN:
        if (over->child[1]->kind != QKV__NODE_COMPARE || over->child[1]->comparison != QKV__IN ||
            (size = qkv__tree_size(q, over->child[1]->child[1])) == NULL ||
            !read_sum(q, over, number) || !qkv__inequality_number(q, size, &count))
            return false;
        *number = qkv__ratio_divide(&q->algebra, *number, count);
        return qkv__inequality_reduced(q, *number, number);
    default: return false;
    }
}

/* ---- Numbers ------------------------------------------------------------------------- */

static bool is_euler(const qkv__node *node)
{
    return node->kind == QKV__NODE_NAME && strcmp(node->text, "e") == 0;
}

/* A whole number of at least 1: the size of a declared family. */
static bool is_size(qkv__inequality *q, const char *name)
{
    for (const qkv__statement *s = q->model->statements; s != NULL; s = qkv__statement_after(s))
        for (size_t i = 0; s->kind == QKV__STATEMENT_FAMILY && i < s->count; i++) {
            const qkv__node *member = s->node[i];
            if (member->kind != QKV__NODE_INDEX || member->count != 2 ||
                member->child[1]->kind != QKV__NODE_RANGE)
                continue;
            const qkv__node *last = member->child[1]->child[1];
            if (last->kind == QKV__NODE_NAME && strcmp(last->text, name) == 0 &&
                qkv__tree_size(q, member->child[1]) != NULL)
                return true;
        }
    return false;
}

/* The number of an index of 1..n: at least 1, and at most n. */
static bool read_index(qkv__inequality *q, const qkv__running *index, qkv__ratio *number)
{
    bool made;
    if (!q->numbers || index->unclear || index->range == NULL ||
        strncmp(index->range, "1..", 3) != 0)
        return false;
    const char *name = index->name, *range = index->range;
    int atom = qkv__atom_take(q, QKV__ATOM_INDEX, name, &made);
    if (atom < 0) return false;
    *number = qkv__atom_number(q, atom);
    if (!made) return true;
    qkv__parameter *parameter = &q->algebra.parameter[atom];
    parameter->lower = (qkv__bound){.known = true, .value = qkv__rational_whole(1)};
    const qkv__node *size = qkv__tree_size_of(q, range);
    const qkv__node *own = qkv__tree_make(q, QKV__NODE_NAME, name, NULL, NULL);
    if (size != NULL && own != NULL)
        qkv__inequality_suppose(q, qkv__tree_compare(q, own, size), "indexes run from 1 to n");
    return true;
}

/* A parameter, with the bounds that the problem gives it. */
static bool read_name(qkv__inequality *q, const qkv__node *node, qkv__ratio *number)
{
    const qkv__statement *s = qkv__tree_declaration(q, node->text);
    bool made;
    if (is_euler(node)) {
        *number = qkv__ratio_exponential(&q->algebra, qkv__ratio_whole(&q->algebra, 1));
        return !qkv__ratio_is_lost(*number);
    }
    if (s != NULL && (s->kind != QKV__STATEMENT_OBJECT || strcmp(s->text, "scalar") != 0))
        return false;
    if (qkv__tree_veil(q, node->text) != NULL) return false;
    for (size_t i = 0; i < q->index_count; i++)
        if (strcmp(q->index[i].name, node->text) == 0) return read_index(q, &q->index[i], number);
    int known = qkv__parameter_find(&q->model->algebra, node->text);
    if (strcmp(node->text, "pi") == 0 || strcmp(node->text, "I") == 0) return false;
    int atom = qkv__atom_take(q, QKV__ATOM_NUMBER, node->text, &made);
    if (atom < 0) return false;
    qkv__parameter *parameter = &q->algebra.parameter[atom];
    if (made && known >= 0) {
        const qkv__parameter *there = &q->model->algebra.parameter[known];
        if (there->prime != 0) return false;
        parameter->lower = there->lower;
        parameter->upper = there->upper;
        parameter->whole = there->whole;
    }
    if (made && is_size(q, node->text) &&
        (!parameter->lower.known ||
         qkv__rational_compare(parameter->lower.value, qkv__rational_whole(1)) < 0))
        parameter->lower = (qkv__bound){.known = true, .value = qkv__rational_whole(1)};
    *number = qkv__atom_number(q, atom);
    return true;
}

/* The logarithm that a term is a whole multiple of; -1: none. */
static int logarithm_of(const qkv__inequality *q, const qkv__term *term)
{
    int found = -1;
    if (term->exponent != NULL || !qkv__rational_is_whole(term->coefficient) ||
        term->coefficient.numerator > 4 || term->coefficient.numerator < -4)
        return -1;
    for (size_t a = 0; a < q->algebra.parameter_count; a++) {
        if (term->power[a] == 0) continue;
        if (found >= 0 || term->power[a] != 2 || q->atom[a].kind != QKV__ATOM_LOGARITHM) return -1;
        found = (int)a;
    }
    return found;
}

/* e^(x + 2*ln y) = y^2*e^x */
static bool read_exponential(qkv__inequality *q, const qkv__node *exponent, qkv__ratio *number)
{
    qkv__algebra *algebra = &q->algebra;
    qkv__ratio x, factor = qkv__ratio_whole(algebra, 1);
    if (!qkv__inequality_number(q, exponent, &x)) return false;
    qkv__rational one;
    if (qkv__form_is_constant(x.denominator, &one) && one.numerator == 1 && one.denominator == 1) {
        qkv__ratio rest = qkv__ratio_whole(algebra, 0);
        for (size_t i = 0; i < x.numerator->count; i++) {
            const qkv__term *term = &x.numerator->term[i];
            const int atom = logarithm_of(q, term);
            if (atom < 0)
                rest = qkv__ratio_add(algebra, rest,
                                      qkv__ratio_of_form(algebra, qkv__form_term(algebra, term)));
            else
                factor = qkv__ratio_multiply(algebra, factor,
                                             qkv__ratio_power(algebra, q->atom[atom].argument,
                                                              (int)term->coefficient.numerator));
        }
        x = rest;
    }
    return qkv__inequality_reduced(
        q, qkv__ratio_multiply(algebra, factor, qkv__ratio_exponential(algebra, x)), number);
}

static bool read_root(qkv__inequality *q, const qkv__node *node, qkv__ratio *number)
{
    qkv__ratio square;
    int atom;
    if (!qkv__inequality_number(q, node, &square)) return false;
    if (!qkv__atom_take_root(q, QKV__ATOM_ROOT, square,
                             qkv__inequality_written(q, "sqrt(", square, ")"), &atom))
        return false;
    *number = qkv__atom_number(q, atom);
    return true;
}

static bool read_power(qkv__inequality *q, const qkv__node *node, qkv__ratio *number)
{
    const qkv__node *exponent = node->child[1];
    const bool minus = exponent->kind == QKV__NODE_NEGATE;
    qkv__ratio base;
    if (is_euler(node->child[0])) return read_exponential(q, exponent, number);
    if (minus) exponent = exponent->child[0];
    if (exponent->kind != QKV__NODE_NUMBER || !qkv__rational_is_whole(exponent->value) ||
        exponent->value.numerator < 1 || exponent->value.numerator > 8 ||
        !qkv__inequality_number(q, node->child[0], &base))
        return false;
    const int times = (int)exponent->value.numerator;
    return qkv__inequality_reduced(q, qkv__ratio_power(&q->algebra, base, minus ? -times : times),
                                   number);
}

static bool read_size(qkv__inequality *q, const qkv__node *node, qkv__ratio *number)
{
    qkv__mixture vector;
    qkv__ratio x;
    if (qkv__inequality_is_vector(q, node))
        return qkv__inequality_vector(q, node, &vector) && qkv__inequality_norm(q, &vector, number);
    if (qkv__inequality_is_list(q, node)) return qkv__inequality_list_size(q, node, number);
    return qkv__inequality_number(q, node, &x) && qkv__inequality_size(q, x, number);
}

static bool read_dot(qkv__inequality *q, const qkv__node *x, const qkv__node *y, qkv__ratio *number)
{
    qkv__mixture left, right;
    return qkv__inequality_vector(q, x, &left) && qkv__inequality_vector(q, y, &right) &&
           qkv__inequality_product(q, &left, &right, number);
}

/* cos(x, y) = x.y/(|x| |y|) */
static bool read_cosine(qkv__inequality *q, const qkv__node *node, qkv__ratio *number)
{
    qkv__ratio x, y;
    if (node->count != 2 || !read_dot(q, node->child[0], node->child[1], number) ||
        !read_size(q, node->child[0], &x) || !read_size(q, node->child[1], &y))
        return false;
    return qkv__inequality_reduced(
        q, qkv__ratio_divide(&q->algebra, *number, qkv__ratio_multiply(&q->algebra, x, y)), number);
}

static bool read_logarithm(qkv__inequality *q, const qkv__node *node, qkv__ratio *number)
{
    qkv__ratio x;
    bool made;
    qkv__rational value;
    if (!qkv__inequality_number(q, node, &x)) return false;
    if (qkv__ratio_is_constant(x, &value) &&
        qkv__rational_compare(value, (qkv__rational){1, 1}) == 0) {
        *number = qkv__ratio_whole(&q->algebra, 0);
        return true;
    }
    int atom =
        qkv__atom_take(q, QKV__ATOM_LOGARITHM, qkv__inequality_written(q, "ln(", x, ")"), &made);
    if (atom < 0) return false;
    if (made) {
        q->atom[atom].argument = x;
        q->atom[atom].node = node;
    }
    *number = qkv__atom_number(q, atom);
    return true;
}

/* ln(e^x + e^y + e^z) of logsumexp([x, y, z]). */
static bool read_listed_log_sum(qkv__inequality *q, const qkv__node *call, qkv__ratio *number)
{
    const qkv__node *sum = NULL, *base = qkv__tree_make(q, QKV__NODE_NAME, "e", NULL, NULL), *x;
    for (size_t i = 0; base != NULL && (x = qkv__tree_listed(call, i)) != NULL; i++) {
        const qkv__node *power = qkv__tree_make(q, QKV__NODE_POWER, "", base, x);
        if (power == NULL || qkv__inequality_is_vector(q, x)) return false;
        sum = sum == NULL ? power : qkv__tree_make(q, QKV__NODE_ADD, "", sum, power);
        if (sum == NULL) return false;
    }
    const qkv__node *ln = sum == NULL ? NULL : qkv__tree_make(q, QKV__NODE_CALL, "ln", sum, NULL);
    return ln != NULL && read_logarithm(q, ln, number);
}

/* max(x, y, z), which is at least each of them. */
static bool read_largest(qkv__inequality *q, const qkv__node *call, qkv__ratio *number)
{
    const qkv__node *node;
    qkv__ratio x;
    bool made;
    for (size_t i = 0; (node = qkv__tree_listed(call, i)) != NULL; i++)
        if (!qkv__inequality_number(q, node, &x)) return false;
    int atom = qkv__atom_take(q, QKV__ATOM_LARGEST, qkv__tree_text(q, call), &made);
    if (atom < 0) return false;
    q->atom[atom].node = call;
    *number = qkv__atom_number(q, atom);
    for (size_t i = 0; made && (node = qkv__tree_listed(call, i)) != NULL; i++)
        if (qkv__inequality_number(q, node, &x))
            qkv__inequality_know_ratio(q, qkv__ratio_subtract(&q->algebra, *number, x), false,
                                       "no member exceeds the maximum");
    return true;
}

static bool read_call(qkv__inequality *q, const qkv__node *node, qkv__ratio *number)
{
    if (node->count == 1 && qkv__call_is_over(node)) return read_over(q, node, number);
    switch (qkv__builtin_of(node)) {
    case QKV__BUILTIN_MAX: return read_largest(q, node, number);
    case QKV__BUILTIN_LOG_SUM_EXP: return read_listed_log_sum(q, node, number);
    case QKV__BUILTIN_COS: return read_cosine(q, node, number);
    case QKV__BUILTIN_ENTROPY: return qkv__inequality_list_entropy(q, node, number);
    case QKV__BUILTIN_DISTANCE: {
        const qkv__node *difference =
            node->count != 2
                ? NULL
                : qkv__tree_make(q, QKV__NODE_SUBTRACT, "", node->child[0], node->child[1]);
        return difference != NULL && read_size(q, difference, number);
    }
    default: break;
    }
    if (node->count != 1) return false;
    switch (qkv__builtin_of(node)) {
    case QKV__BUILTIN_EXP: return read_exponential(q, node->child[0], number);
    case QKV__BUILTIN_LN: return read_logarithm(q, node->child[0], number);
    case QKV__BUILTIN_SQRT: return read_root(q, node->child[0], number);
    case QKV__BUILTIN_ABS:
    case QKV__BUILTIN_NORM: return read_size(q, node->child[0], number);
    default: return false;
    }
}

/* The atom of a weight that is spoken of already, be it with other values: a weight does not depend
 * on them. -1: there is none. */
static int known_weight(qkv__inequality *q, const qkv__node *attention, const qkv__node *index)
{
    const char *own = qkv__tree_text(q, index);
    for (size_t i = 0; own != NULL && i < q->algebra.parameter_count; i++) {
        if (q->atom[i].kind != QKV__ATOM_WEIGHT) continue;
        const char *other = qkv__tree_text(q, q->atom[i].index);
        if (other != NULL && strcmp(own, other) == 0 &&
            qkv__tree_weighs_alike(q, q->atom[i].attention, attention))
            return (int)i;
    }
    return -1;
}

/* c.weight[i], c.score[i] */
static bool read_member(qkv__inequality *q, const qkv__node *node, qkv__ratio *number)
{
    const qkv__node *attention, *index;
    bool made;
    if (qkv__tree_is_weight(q, node, &attention, &index)) {
        if (index->kind != QKV__NODE_NAME && index->kind != QKV__NODE_NUMBER) return false;
        const int known = known_weight(q, attention, index);
        if (known >= 0) {
            *number = qkv__atom_number(q, known);
            return true;
        }
        int atom = qkv__atom_take(q, QKV__ATOM_WEIGHT, qkv__tree_text(q, node), &made);
        if (atom < 0) return false;
        q->atom[atom].attention = attention;
        q->atom[atom].index = index;
        qkv__inequality_note_number(q, qkv__tree_family_range(q, attention->child[1]->text), index);
        if (made) {
            q->algebra.parameter[atom].lower = POSITIVE;
            q->algebra.parameter[atom].upper =
                (qkv__bound){.known = true, .value = qkv__rational_whole(1)};
        }
        *number = qkv__atom_number(q, atom);
        return true;
    }
    const qkv__node *base = node->child[0];
    if (node->count != 2 || base->kind != QKV__NODE_MEMBER ||
        strncmp(base->text, "score", 5) != 0 || !qkv__tree_is_attention(q, base->child[0]))
        return false;
    const qkv__node *score = qkv__tree_score(q, base->child[0], node->child[1]);
    return score != NULL && qkv__inequality_number(q, score, number);
}

bool qkv__inequality_number(qkv__inequality *q, const qkv__node *node, qkv__ratio *number)
{
    qkv__algebra *algebra = &q->algebra;
    qkv__ratio x, y;
    if (algebra->arena.failed) return false;
    switch (node->kind) {
    case QKV__NODE_NUMBER: *number = qkv__ratio_constant(algebra, node->value); break;
    case QKV__NODE_NAME: return read_name(q, node, number);
    case QKV__NODE_NEGATE:
        if (!qkv__inequality_number(q, node->child[0], &x)) return false;
        *number = qkv__ratio_negate(algebra, x);
        break;
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT:
    case QKV__NODE_MULTIPLY:
    case QKV__NODE_DIVIDE:
        if (!qkv__inequality_number(q, node->child[0], &x) ||
            !qkv__inequality_number(q, node->child[1], &y))
            return false;
        *number = node->kind == QKV__NODE_ADD        ? qkv__ratio_add(algebra, x, y)
                  : node->kind == QKV__NODE_SUBTRACT ? qkv__ratio_subtract(algebra, x, y)
                  : node->kind == QKV__NODE_MULTIPLY ? qkv__ratio_multiply(algebra, x, y)
                                                     : qkv__ratio_divide(algebra, x, y);
        break;
    case QKV__NODE_POWER: return read_power(q, node, number);
    case QKV__NODE_DOT: return read_dot(q, node->child[0], node->child[1], number);
    case QKV__NODE_SIZE: return read_size(q, node->child[0], number);
    case QKV__NODE_CALL: return read_call(q, node, number);
    case QKV__NODE_INDEX: return read_member(q, node, number);
    default: return false;
    }
    return !qkv__ratio_is_lost(*number) && qkv__inequality_reduced(q, *number, number);
}
