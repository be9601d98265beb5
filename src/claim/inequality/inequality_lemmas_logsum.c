/* The lemmas about logarithms of sums of exponentials, one row each at the end of the file. A lemma
 * looks at one logarithm, checks what it needs, and says a fact. Knows nothing of proofs. */
#include <string.h>

#include "claim/inequality/inequality_part.h"
#include "language/builtin.h"
#include "language/tree.h"

/* e^(...), exp(...): its exponent; NULL: it is none. */
const qkv__node *qkv__tree_exponent(const qkv__node *node)
{
    if (node->kind == QKV__NODE_POWER && node->child[0]->kind == QKV__NODE_NAME &&
        strcmp(node->child[0]->text, "e") == 0)
        return node->child[1];
    return node->count == 1 && qkv__builtin_of(node) == QKV__BUILTIN_EXP ? node->child[0] : NULL;
}

bool qkv__tree_is_over_family(qkv__inequality *q, const qkv__node *over)
{
    return over->child[1]->kind == QKV__NODE_COMPARE && over->child[1]->comparison == QKV__IN &&
           qkv__tree_size(q, over->child[1]->child[1]) != NULL;
}

/* Whether a sum over the same indexes is spoken of already. */
bool qkv__inequality_has_sum(qkv__inequality *q, const qkv__node *over)
{
    const qkv__node *call = qkv__tree_make(q, QKV__NODE_CALL, "sum", over, NULL);
    const char *text = call == NULL ? NULL : qkv__tree_text(q, call);
    for (size_t i = 0; text != NULL && i < q->algebra.parameter_count; i++)
        if (q->atom[i].kind == QKV__ATOM_SUM && strcmp(q->atom[i].text, text) == 0) return true;
    return false;
}

/* The logarithm of a sum of n exponentials: at least each exponent; between ln n plus the smallest
 * and ln n plus the largest of them; at least ln n plus their mean. Of a mean the same without
 * ln n. */
static void tell_log_sum_exp(qkv__inequality *q, int atom)
{
    static const struct {
        const char *function, *label;
    } rows[] = {{"max", "a sum is at most the number of its terms times the largest"},
                {"min", "a sum is at least the number of its terms times the smallest"},
                {"mean", "e^x is convex: a mean of exponentials is at least e^(the mean)"}};
    const qkv__node *sum = q->atom[atom].node;
    const bool mean = qkv__builtin_of(sum) == QKV__BUILTIN_MEAN;
    if (sum->kind != QKV__NODE_CALL || !qkv__call_is_over(sum) ||
        !(mean || qkv__builtin_of(sum) == QKV__BUILTIN_SUM) ||
        !qkv__tree_is_over_family(q, sum->child[0]))
        return;
    const qkv__node *over = sum->child[0], *range = over->child[1]->child[1];
    const qkv__node *exponent = qkv__tree_exponent(over->child[0]);
    if (exponent == NULL) return;
    const qkv__node *own = qkv__tree_make(q, QKV__NODE_CALL, "ln", sum, NULL);
    const qkv__node *members =
        qkv__tree_make(q, QKV__NODE_SUM, over->text, exponent, over->child[1]);
    const qkv__node *count =
        qkv__tree_make(q, QKV__NODE_CALL, "ln", qkv__tree_size(q, range), NULL);
    if (own == NULL || members == NULL || count == NULL) return;
    if (!mean)
        qkv__inequality_rule(
            q, (qkv__running){.name = over->text, .range = qkv__tree_text(q, range)},
            qkv__tree_compare(q, exponent, own), "a sum of exponentials is at least each of them");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (i == 2 && !qkv__inequality_has_sum(q, members)) continue;
        const qkv__node *end = qkv__tree_make(q, QKV__NODE_CALL, rows[i].function, members, NULL);
        if (end != NULL && !mean) end = qkv__tree_make(q, QKV__NODE_ADD, "", end, count);
        if (end != NULL)
            qkv__inequality_suppose(
                q, i == 0 ? qkv__tree_compare(q, own, end) : qkv__tree_compare(q, end, own),
                rows[i].label);
    }
}

/* The largest of some numbers times s is at least each exponent of a sum, s > 0. */
static bool covers(qkv__inequality *q, const qkv__form *sum, int largest, qkv__ratio s)
{
    qkv__algebra *algebra = &q->algebra;
    for (size_t i = 0; i < sum->count; i++) {
        const qkv__node *node;
        bool found = false;
        for (size_t k = 0; !found && (node = qkv__tree_listed(q->atom[largest].node, k)) != NULL;
             k++) {
            qkv__ratio x;
            const qkv__form *exponent = sum->term[i].exponent;
            if (!qkv__inequality_number(q, node, &x)) return false;
            const qkv__ratio own = exponent == NULL ? qkv__ratio_whole(algebra, 0)
                                                    : qkv__ratio_of_form(algebra, exponent);
            found = qkv__ratio_equal(algebra, own, qkv__ratio_multiply(algebra, x, s));
        }
        if (!found) return false;
    }
    return true;
}

/* ln(e^x + e^y) is at least x and y, and at most ln 2 more than the larger one: s*max(x/s, y/s),
 * where s is 1, a positive letter, or 1 over one. */
static void tell_log_sum(qkv__inequality *q, int atom)
{
    qkv__algebra *algebra = &q->algebra;
    const qkv__ratio x = q->atom[atom].argument, own = qkv__atom_number(q, atom);
    qkv__rational one;
    int64_t count = 0;
    if (!qkv__form_is_constant(x.denominator, &one) || one.numerator != 1 || one.denominator != 1)
        return;
    const qkv__form *sum = x.numerator;
    for (size_t i = 0; i < sum->count; i++) {
        const qkv__term *term = &sum->term[i];
        for (size_t a = 0; a < algebra->parameter_count; a++)
            if (term->power[a] != 0) return;
        if (!qkv__rational_is_whole(term->coefficient) ||
            qkv__rational_sign(term->coefficient) <= 0 || term->coefficient.numerator > 1000)
            return;
        count += term->coefficient.numerator;
    }
    for (size_t i = 0; sum->count > 1 && i < sum->count; i++)
        if (sum->term[i].exponent != NULL)
            qkv__inequality_know_ratio(
                q,
                qkv__ratio_subtract(algebra, own,
                                    qkv__ratio_of_form(algebra, sum->term[i].exponent)),
                false, "a sum of exponentials is at least each of them");
    const qkv__node *size = qkv__tree_number(q, count);
    const qkv__node *ln = size == NULL ? NULL : qkv__tree_make(q, QKV__NODE_CALL, "ln", size, NULL);
    qkv__ratio most;
    const size_t atoms = algebra->parameter_count;
    for (size_t a = 0; ln != NULL && sum->count > 1 && a < atoms; a++)
        for (size_t t = 0; q->atom[a].kind == QKV__ATOM_LARGEST && t <= 2 * atoms; t++) {
            qkv__ratio s = qkv__ratio_whole(algebra, 1);
            if (t > 0) {
                const int letter = (int)((t - 1) / 2);
                s = qkv__atom_number(q, letter);
                if (q->atom[letter].kind != QKV__ATOM_NUMBER ||
                    qkv__ratio_sign(algebra, s) != QKV__SIGN_POSITIVE)
                    continue;
                if (t % 2 == 0) s = qkv__ratio_divide(algebra, qkv__ratio_whole(algebra, 1), s);
            }
            if (!covers(q, sum, (int)a, s) || !qkv__inequality_number(q, ln, &most)) continue;
            most = qkv__ratio_add(algebra, most,
                                  qkv__ratio_multiply(algebra, s, qkv__atom_number(q, (int)a)));
            qkv__inequality_know_ratio(
                q, qkv__ratio_subtract(algebra, most, own), false,
                "a sum is at most the number of its terms times the largest");
        }
}

/* The exponent of ln(sum(e^x for i in 1..n)), over a family, at an index of that range; NULL: an
 * atom is something else. */
static const qkv__form *exponent_at(qkv__inequality *q, size_t atom, const char *range,
                                    const char *index)
{
    const qkv__node *sum = q->atom[atom].kind == QKV__ATOM_LOGARITHM ? q->atom[atom].node : NULL;
    if (sum == NULL || sum->kind != QKV__NODE_CALL || !qkv__call_is_over(sum) ||
        qkv__builtin_of(sum) != QKV__BUILTIN_SUM || !qkv__tree_is_over_family(q, sum->child[0]))
        return NULL;
    const qkv__node *over = sum->child[0], *exponent = qkv__tree_exponent(over->child[0]);
    const char *own = qkv__tree_text(q, over->child[1]->child[1]);
    qkv__ratio number;
    qkv__rational one;
    if (exponent == NULL || own == NULL || (range != NULL && strcmp(own, range) != 0)) return NULL;
    if (index == NULL) return qkv__form_whole(&q->algebra, 0); /* it is one */
    exponent = qkv__tree_put(q, exponent, over->text, index);
    if (exponent == NULL || !qkv__inequality_number(q, exponent, &number) ||
        !qkv__form_is_constant(number.denominator, &one))
        return NULL;
    return qkv__form_scale(&q->algebra, number.numerator,
                           qkv__rational_divide(qkv__rational_whole(1), one));
}

/* The other one of the only two such logarithms that a claim speaks of, told already, over the
 * same range; -1: there is none. */
static int other_log_sum(qkv__inequality *q, int atom, const char **range)
{
    int other = -1;
    *range = exponent_at(q, (size_t)atom, NULL, NULL) == NULL
                 ? NULL
                 : qkv__tree_text(q, q->atom[atom].node->child[0]->child[1]->child[1]);
    if (*range == NULL) return -1;
    for (size_t i = 0; i < q->algebra.parameter_count; i++) {
        if ((int)i == atom || exponent_at(q, i, NULL, NULL) == NULL) continue;
        if (other >= 0 || !q->atom[i].told || exponent_at(q, i, *range, NULL) == NULL) return -1;
        other = (int)i;
    }
    return other;
}

/* Of two such logarithms A = ln(sum of e^a[i]) and B, e^(A - B) is the mean of e^(a[i] - b[i])
 * under weights e^b[i]: A - B is at most a[i] - b[i] at some index, and at least that at some
 * other. */
static void tell_two_log_sums(qkv__inequality *q, int atom)
{
    qkv__algebra *algebra = &q->algebra;
    const char *range;
    const int other = other_log_sum(q, atom, &range);
    for (int turned = 0; other >= 0 && turned < 2; turned++) {
        const int x = turned ? other : atom, y = turned ? atom : other;
        const char *index = qkv__inequality_index(q, range, NULL);
        const qkv__form *a = index == NULL ? NULL : exponent_at(q, (size_t)x, range, index);
        const qkv__form *b = a == NULL ? NULL : exponent_at(q, (size_t)y, range, index);
        if (b == NULL) return;
        const qkv__form *gap = qkv__form_subtract(algebra, qkv__form_parameter(algebra, x),
                                                  qkv__form_parameter(algebra, y));
        const qkv__form *most = qkv__form_subtract(algebra, a, b);
        qkv__inequality_know(q, qkv__form_subtract(algebra, most, gap), false,
                             "log-sum-exp moves by at most the largest change of its terms");
    }
}

/* |u - v|^2 >= 0 for the bases of two vectors. */
static void know_distances(qkv__inequality *q, const qkv__node *x, const qkv__node *y)
{
    const qkv__ratio one = qkv__ratio_whole(&q->algebra, 1);
    const qkv__ratio minus = qkv__ratio_whole(&q->algebra, -1);
    qkv__mixture u, v;
    if (!qkv__inequality_vector(q, x, &u) || !qkv__inequality_vector(q, y, &v)) return;
    for (size_t i = 0; i < u.count; i++)
        for (size_t j = 0; j < v.count; j++) {
            qkv__mixture gap = {.count = 0};
            qkv__ratio square;
            if (qkv__mixture_add(q, &gap, u.part[i].base, one) &&
                qkv__mixture_add(q, &gap, v.part[j].base, minus) && gap.count == 2 &&
                qkv__inequality_product(q, &gap, &gap, &square))
                qkv__inequality_know_ratio(q, square, false, "a square is not negative");
        }
}

/* The exponents of ln(sum of e^a[i]) at an index of that name; of atom -1, which stands for ln n,
 * 0.
 */
static const qkv__node *exponent_named(qkv__inequality *q, int atom, const char *name)
{
    if (atom < 0) return qkv__tree_number(q, 0);
    const qkv__node *over = q->atom[atom].node->child[0];
    const qkv__node *exponent = qkv__tree_exponent(over->child[0]);
    return exponent == NULL ? NULL : qkv__tree_put(q, exponent, over->text, name);
}

/* A >= B + sum(w[i]*(a[i] - b[i]) for all i), where b[i] = y.k[i] is the score of a key and w its
 * weight: ln(sum of w*e^(a - b)) is at least the mean of a - b, since ln is concave. */
static void know_tangent(qkv__inequality *q, int more, int less)
{
    const qkv__node *range = q->atom[less].node->child[0]->child[1]->child[1], *family, *other;
    const char *name = qkv__tree_fresh_name(q);
    const qkv__node *index =
        name == NULL ? NULL : qkv__tree_make(q, QKV__NODE_NAME, name, NULL, NULL);
    const qkv__node *a = index == NULL ? NULL : exponent_named(q, more, name);
    const qkv__node *b = a == NULL ? NULL : exponent_named(q, less, name);
    const qkv__node *query = b == NULL ? NULL : qkv__tree_query(q, b, name, &family);
    const qkv__node *weight =
        query == NULL ? NULL : qkv__tree_running_weight(q, query, family, name);
    const qkv__node *domain = weight == NULL ? NULL : qkv__tree_domain(q, index, range);
    const qkv__node *all =
        domain == NULL ? NULL : qkv__tree_make(q, QKV__NODE_SUM, name, weight, domain);
    if (all == NULL || !qkv__inequality_is_weight_over(q, weight, all)) return;
    const qkv__node *change = qkv__tree_make(q, QKV__NODE_SUBTRACT, "", a, b);
    const qkv__node *body =
        change == NULL ? NULL : qkv__tree_make(q, QKV__NODE_MULTIPLY, "", weight, change);
    const qkv__node *mean = qkv__tree_sum(q, name, body, domain);
    const qkv__node *above = qkv__tree_make(
        q, QKV__NODE_CALL, "ln", more < 0 ? qkv__tree_size(q, range) : q->atom[more].node, NULL);
    const qkv__node *below = qkv__tree_make(q, QKV__NODE_CALL, "ln", q->atom[less].node, NULL);
    const qkv__node *least =
        mean == NULL || below == NULL ? NULL : qkv__tree_make(q, QKV__NODE_ADD, "", below, mean);
    if (least == NULL || above == NULL) return;
    qkv__inequality_suppose(q, qkv__tree_compare(q, least, above),
                            "log-sum-exp lies above its tangents");
    const qkv__node *second = more < 0 ? NULL : qkv__tree_query(q, a, name, &other);
    if (second != NULL) know_distances(q, query, second);
}

/* Whether a claim speaks of the output of an attention. */
static bool has_attention(qkv__inequality *q)
{
    for (size_t i = 0; i < q->base_count; i++)
        if (qkv__tree_is_attention(q, q->base[i].node)) return true;
    return false;
}

/* Where sums are multiplied out: then the mean of scores is a product with an output. */
static void tell_tangent(qkv__inequality *q, int atom)
{
    const char *range;
    if (!q->multiplied || exponent_at(q, (size_t)atom, NULL, NULL) == NULL) return;
    if (has_attention(q)) know_tangent(q, -1, atom);
    const int other = other_log_sum(q, atom, &range);
    if (other < 0) return;
    know_tangent(q, atom, other);
    know_tangent(q, other, atom);
}

/* t of x = t*y, made of numbers of the document alone; NULL: there is none. */
static const qkv__form *multiple_of(qkv__inequality *q, const qkv__form *x, const qkv__form *y)
{
    qkv__algebra *algebra = &q->algebra;
    const qkv__form *t = qkv__form_whole(algebra, 0);
    if (x == NULL || y == NULL || y->count == 0 || y->term[0].exponent != NULL) return NULL;
    for (size_t i = 0; i < x->count; i++) { /* the terms that have what the first one of y has */
        bool has = x->term[i].exponent == NULL;
        for (size_t a = 0; a < algebra->parameter_count; a++)
            has = has && (q->atom[a].kind == QKV__ATOM_NUMBER ||
                          x->term[i].power[a] == y->term[0].power[a]);
        if (has)
            t = qkv__form_add(algebra, t,
                              qkv__form_divide_by_term(
                                  algebra, qkv__form_term(algebra, &x->term[i]), &y->term[0]));
    }
    const qkv__form *again = t == NULL ? NULL : qkv__form_multiply(algebra, t, y);
    return again != NULL && qkv__form_equal(again, x) ? t : NULL;
}

static bool is_certain(qkv__inequality *q, const qkv__form *form)
{
    const size_t told = q->reason.length;
    const bool good = qkv__form_is_zero(form) || qkv__inequality_certify(q, form, false, 1);
    const qkv__sign sign = qkv__form_sign(&q->algebra, form);
    qkv__text_take_out(&q->reason, told, q->reason.length);
    return good || sign == QKV__SIGN_NONNEGATIVE || sign == QKV__SIGN_POSITIVE ||
           sign == QKV__SIGN_ZERO;
}

/* ln(sum of e^x) is convex in x: Hoelder's inequality, where x = (1 - t)*y + t*z, t in 0..1. */
static void know_convex(qkv__inequality *q, const qkv__form *const *exponent, size_t x, size_t y,
                        size_t z)
{
    qkv__algebra *algebra = &q->algebra;
    const qkv__form *t = multiple_of(q, qkv__form_subtract(algebra, exponent[x], exponent[y]),
                                     qkv__form_subtract(algebra, exponent[z], exponent[y]));
    const qkv__form *rest =
        t == NULL ? NULL : qkv__form_subtract(algebra, qkv__form_whole(algebra, 1), t);
    if (rest == NULL || !is_certain(q, t) || !is_certain(q, rest)) return;
    const qkv__form *most = qkv__form_add(
        algebra, qkv__form_multiply(algebra, rest, qkv__form_parameter(algebra, (int)y)),
        qkv__form_multiply(algebra, t, qkv__form_parameter(algebra, (int)z)));
    qkv__inequality_know(q, qkv__form_subtract(algebra, most, qkv__form_parameter(algebra, (int)x)),
                         false, "log-sum-exp is convex");
}

/* ln(sum of e^(y + z)) <= ln(sum of e^y) + ln(sum of e^z): products of terms at one index are some
 * of all products. */
static void know_product(qkv__inequality *q, const qkv__form *const *exponent, size_t x, size_t y,
                         size_t z)
{
    qkv__algebra *algebra = &q->algebra;
    const qkv__form *sum = qkv__form_add(algebra, exponent[y], exponent[z]);
    if (sum == NULL || !qkv__form_equal(sum, exponent[x])) return;
    const qkv__form *most = qkv__form_add(algebra, qkv__form_parameter(algebra, (int)y),
                                          qkv__form_parameter(algebra, (int)z));
    qkv__inequality_know(
        q, qkv__form_subtract(algebra, most, qkv__form_parameter(algebra, (int)x)), false,
        "a sum of products is at most the product of the sums, no term being negative");
}

/* Three such sums over one range; ln n is one, with exponents 0. */
void qkv__inequality_tell_log_sums(qkv__inequality *q)
{
    const qkv__form *exponent[QKV__PARAMETERS] = {NULL};
    const size_t atoms = q->algebra.parameter_count;
    const qkv__node *range = NULL;
    const char *text = NULL;
    qkv__ratio size;
    size_t count = 0;
    for (size_t a = 0; a < atoms; a++) {
        if (exponent_at(q, a, text, NULL) == NULL) continue;
        if (range == NULL) range = q->atom[a].node->child[0]->child[1]->child[1];
        text = qkv__tree_text(q, range);
        count++;
    }
    const qkv__node *last = count < 2 || text == NULL ? NULL : qkv__tree_size(q, range);
    if (last == NULL || !qkv__inequality_number(q, last, &size)) return;
    if (q->any.name == NULL || strcmp(q->any.range, text) != 0)
        q->any = (qkv__running){.name = qkv__inequality_index(q, text, NULL), .range = text};
    const char *index = q->any.name;
    if (index == NULL) return;
    for (size_t a = 0; a < atoms; a++) {
        exponent[a] = exponent_at(q, a, text, index);
        if (exponent[a] == NULL && q->atom[a].kind == QKV__ATOM_LOGARITHM &&
            qkv__ratio_equal(&q->algebra, q->atom[a].argument, size))
            exponent[a] = qkv__form_whole(&q->algebra, 0);
    }
    for (size_t x = 0; x < atoms; x++)
        for (size_t y = 0; y < atoms; y++)
            for (size_t z = 0; z < y; z++) {
                if (exponent[x] == NULL || exponent[y] == NULL || exponent[z] == NULL || x == y ||
                    x == z)
                    continue;
                know_convex(q, exponent, x, y, z);
                know_product(q, exponent, x, y, z);
            }
}

/* ---- All of them --------------------------------------------------------------------- */

static void (*const lemmas[])(qkv__inequality *q, int atom) = {
    tell_tangent,
    tell_two_log_sums, /* before other indexes are taken */
    tell_log_sum_exp,
    tell_log_sum,
};

void qkv__inequality_tell_log_sum(qkv__inequality *q, int atom)
{
    for (size_t row = 0; row < sizeof lemmas / sizeof lemmas[0]; row++) lemmas[row](q, atom);
}
