/* Proofs: the difference of two sides is brought to a form that has a certificate. Denominators are
 * cleared, norms squared away, weights bounded through scores, exponentials compared by their
 * exponents, squares completed. Each step replaces a goal by one that implies it. */
#include <limits.h>
#include <string.h>

#include "claim/inequality/inequality_part.h"
#include "language/builtin.h"
#include "language/tree.h"

enum { DEEPEST = 4 };

bool qkv__inequality_is_signed(qkv__inequality *q, const qkv__form *form, bool strict)
{
    const qkv__sign sign = qkv__form_sign(&q->algebra, form);
    return sign == QKV__SIGN_POSITIVE ||
           (!strict && (sign == QKV__SIGN_NONNEGATIVE || sign == QKV__SIGN_ZERO));
}

/* The form divided by an atom, so many times. */
static const qkv__form *divided(qkv__inequality *q, const qkv__form *form, int atom, int times)
{
    const qkv__form *own = qkv__form_parameter(&q->algebra, atom);
    for (int i = 0; i < times && form != NULL; i++)
        form = own == NULL ? NULL : qkv__form_divide_by_term(&q->algebra, form, &own->term[0]);
    return form;
}

static bool is_not_negative(const qkv__inequality *q, size_t atom)
{
    const qkv__bound *lower = &q->algebra.parameter[atom].lower;
    return lower->known && qkv__rational_sign(lower->value) >= 0;
}

/* The form times what makes all powers of atoms whole and not negative: a positive number. */
const qkv__form *qkv__inequality_without_inverses(qkv__inequality *q, const qkv__form *form)
{
    for (size_t a = 0; form != NULL && a < q->algebra.parameter_count; a++) {
        int least = 0;
        for (size_t i = 0; i < form->count; i++)
            if (form->term[i].power[a] < least) least = form->term[i].power[a];
        if (least == 0) continue;
        int times = (-least + 1) / 2;
        if (!is_not_negative(q, a) && times % 2 != 0) times++;
        form = qkv__form_multiply(
            &q->algebra, form,
            qkv__form_power(&q->algebra, qkv__form_parameter(&q->algebra, (int)a), times));
    }
    return qkv__inequality_reduce(q, form);
}

/* ---- Steps --------------------------------------------------------------------------- */

static bool show_form(qkv__inequality *q, const qkv__form *form, bool strict, int depth);

/* Whether a monomial, without its coefficient, is never negative. */
static bool is_plain(const qkv__inequality *q, const qkv__term *term)
{
    for (size_t a = 0; a < q->algebra.parameter_count; a++)
        if (term->power[a] % 4 != 0 && !is_not_negative(q, a)) return false;
    return true;
}

static bool has_norm(const qkv__inequality *q, const qkv__form *form)
{
    for (size_t i = 0; i < form->count; i++)
        for (size_t a = 0; a < q->algebra.parameter_count; a++)
            if (form->term[i].power[a] % 4 != 0 &&
                (q->atom[a].kind == QKV__ATOM_NORM || q->atom[a].kind == QKV__ATOM_LENGTH ||
                 q->atom[a].kind == QKV__ATOM_ROOT))
                return true;
    return false;
}

/* A - B >= 0, neither of them negative: A^2 - B^2 >= 0. */
static bool show_squared(qkv__inequality *q, const qkv__form *form, bool strict, int depth)
{
    qkv__algebra *algebra = &q->algebra;
    const qkv__form *more = qkv__form_whole(algebra, 0), *less = more;
    if (!has_norm(q, form)) return false;
    for (size_t i = 0; i < form->count; i++) {
        const qkv__form *one = qkv__form_term(algebra, &form->term[i]);
        if (!is_plain(q, &form->term[i])) return false;
        if (qkv__rational_sign(form->term[i].coefficient) > 0)
            more = qkv__form_add(algebra, more, one);
        else
            less = qkv__form_subtract(algebra, less, one);
    }
    const qkv__form *difference = qkv__form_subtract(algebra, qkv__form_power(algebra, more, 2),
                                                     qkv__form_power(algebra, less, 2));
    return show_form(q, qkv__inequality_reduce(q, difference), strict, depth + 1);
}

/* ---- Weights ------------------------------------------------------------------------- */

static bool score_of(qkv__inequality *q, const qkv__node *attention, const qkv__node *index,
                     const qkv__form **score)
{
    qkv__ratio number;
    const qkv__node *node = qkv__tree_score(q, attention, index);
    if (node == NULL || !qkv__inequality_number(q, node, &number) || number.denominator->count != 1)
        return false;
    *score = qkv__form_divide_by_term(&q->algebra, number.numerator, &number.denominator->term[0]);
    return *score != NULL;
}

/* The one weight that a form depends on, the others of its attention being it times e^(difference
 * of scores); -1: none, or of several attentions. */
static int single_weight(qkv__inequality *q, const qkv__form **form)
{
    int first = -1;
    const qkv__form *base, *other;
    for (size_t a = 0; a < q->algebra.parameter_count; a++) {
        if (q->atom[a].kind != QKV__ATOM_WEIGHT || !qkv__form_depends_on(*form, (int)a)) continue;
        if (first < 0) {
            first = (int)a;
            continue;
        }
        if (!qkv__tree_weighs_alike(q, q->atom[first].attention, q->atom[a].attention) ||
            !score_of(q, q->atom[first].attention, q->atom[first].index, &base) ||
            !score_of(q, q->atom[a].attention, q->atom[a].index, &other))
            return -1;
        const qkv__form *times =
            qkv__form_exponential(&q->algebra, qkv__form_subtract(&q->algebra, other, base));
        *form = qkv__form_substitute(
            &q->algebra, *form, (int)a,
            qkv__form_multiply(&q->algebra, qkv__form_parameter(&q->algebra, first), times));
        if (*form == NULL) return -1;
    }
    return first;
}

/* A form as p - a*w; false: it is not linear in w. */
static bool split_weight(qkv__inequality *q, const qkv__form *form, int weight, const qkv__form **p,
                         const qkv__form **a)
{
    qkv__algebra *algebra = &q->algebra;
    *p = *a = qkv__form_whole(algebra, 0);
    for (size_t i = 0; i < form->count; i++) {
        const qkv__form *one = qkv__form_term(algebra, &form->term[i]);
        const int power = form->term[i].power[weight];
        if (power != 0 && power != 2) return false;
        if (power == 0)
            *p = qkv__form_add(algebra, *p, one);
        else
            *a = qkv__form_subtract(algebra, *a, divided(q, one, weight, 1));
    }
    return *p != NULL && *a != NULL;
}

/* form/(n - 1), where that is a form without n; else NULL. */
static const qkv__form *without_factor(qkv__inequality *q, const qkv__form *form,
                                       const qkv__form *n)
{
    qkv__algebra *algebra = &q->algebra;
    const qkv__form *one = qkv__form_whole(algebra, 1), *two = qkv__form_whole(algebra, 2);
    for (int p = 0; form != NULL && p < (int)algebra->parameter_count; p++) {
        if (!qkv__form_equal(n, qkv__form_parameter(algebra, p))) continue;
        const qkv__form *each = qkv__form_substitute(algebra, form, p, two);
        const qkv__form *again =
            each == NULL ? NULL
                         : qkv__form_multiply(algebra, each, qkv__form_subtract(algebra, n, one));
        return again != NULL && qkv__form_equal(form, again) ? each : NULL;
    }
    return NULL;
}

/* p - a*w[i] >= 0 with the weight of some key. */
typedef struct weighing {
    const qkv__node *attention, *index; /* the weight, w[i] */
    const qkv__node *range;             /* of the keys */
    const qkv__form *n;                 /* how many they are */
    const qkv__form *p, *a;
    bool two; /* two or more, for certain */
} weighing;

/* By the terms of the other keys, for each of which some key that differs from i stands. */
static bool show_by_others(qkv__inequality *q, const weighing *w, bool strict, int depth)
{
    qkv__algebra *algebra = &q->algebra;
    const qkv__form *p = w->p, *a = w->a, *n = w->n, *own, *other;
    const char *differs = w->index->kind == QKV__NODE_NAME ? w->index->text : NULL;
    const char *name = qkv__inequality_index(q, qkv__tree_text(q, w->range), differs);
    const qkv__node *key =
        name == NULL ? NULL : qkv__tree_make(q, QKV__NODE_NAME, name, NULL, NULL);
    if (key == NULL || !score_of(q, w->attention, w->index, &own) ||
        !score_of(q, w->attention, key, &other))
        return false;
    const qkv__form *rise = qkv__form_exponential(algebra, qkv__form_subtract(algebra, other, own));
    const qkv__form *raised = qkv__form_multiply(algebra, p, rise);
    const qkv__form *one = qkv__form_whole(algebra, 1);
    qkv__inequality_saturate(q);
    const size_t told = q->reason.length;
    const qkv__form *each = without_factor(q, qkv__form_subtract(algebra, p, a), n);
    if (w->two && each != NULL &&
        qkv__inequality_is_signed(q, qkv__form_scale(algebra, a, qkv__rational_whole(-1)), false) &&
        show_form(q, qkv__form_add(algebra, each, qkv__form_multiply(algebra, a, rise)), strict,
                  depth + 1)) {
        qkv__inequality_say(&q->reason,
                            "a weight is at least 1 - the sum of e^(differences of scores)");
        return true;
    }
    qkv__text_take_out(&q->reason, told, q->reason.length);
    const qkv__form *all = qkv__form_subtract(algebra, qkv__form_multiply(algebra, n, raised), a);
    const qkv__form *rest = qkv__form_add(
        algebra, qkv__form_multiply(algebra, qkv__form_subtract(algebra, n, one), raised),
        qkv__form_subtract(algebra, p, a));
    /* `all` is meant for the key itself too, where the exponential is 1. */
    const qkv__form *same = qkv__form_subtract(algebra, qkv__form_multiply(algebra, n, p), a);
    const bool good =
        show_form(q, all, strict, depth + 1) && (!w->two || show_form(q, same, strict, depth + 1));
    if (!good) qkv__text_take_out(&q->reason, told, q->reason.length);
    if (!good && (!w->two || !show_form(q, rest, strict, depth + 1))) return false;
    qkv__inequality_say(&q->reason, "a weight is 1 over the sum of e^(differences of scores)");
    return true;
}

/* The same where there may be no other key: the term of the key itself is shown without one, and
 * what is known of one is forgotten afterwards. */
static bool show_by_others_if_any(qkv__inequality *q, const weighing *w, bool strict, int depth)
{
    qkv__algebra *algebra = &q->algebra;
    const size_t told = q->reason.length;
    if (!show_form(q, qkv__form_subtract(algebra, qkv__form_multiply(algebra, w->n, w->p), w->a),
                   strict, depth + 1)) {
        qkv__text_take_out(&q->reason, told, q->reason.length);
        return false;
    }
    const qkv__inequality before = *q;
    const bool good = show_by_others(q, w, strict, depth);
    const qkv__inequality after = *q;
    *q = before;
    q->algebra.arena = after.algebra.arena; /* what grew and is owned */
    q->reason = after.reason;
    q->sum = after.sum;
    q->effort = after.effort;
    q->told = after.told;
    if (!good) qkv__text_take_out(&q->reason, told, q->reason.length);
    return good;
}

/*
 * p - a*w[i] >= 0. The weight is 1 over the sum of e^(s[j] - s[i]) over all n keys, so that this
 * is the sum over j of p*e^(s[j] - s[i]) - a/n, and holds if n*p*e^(s[j] - s[i]) - a >= 0 for
 * every j. With the term of i itself apart, and two keys or more, it is the sum over the others of
 * p*e^(s[j] - s[i]) + (p - a)/(n - 1). And where a <= 0, since 1/(1 + x) >= 1 - x, it is enough
 * that p - a + a*(n - 1)*e^(s[j] - s[i]) >= 0 for each of the others.
 */
static bool show_by_scores(qkv__inequality *q, const qkv__form *form, bool strict, int depth)
{
    qkv__algebra *algebra = &q->algebra;
    qkv__ratio count;
    const int weight = single_weight(q, &form);
    weighing w;
    if (weight < 0 || !split_weight(q, form, weight, &w.p, &w.a)) return false;
    w.attention = q->atom[weight].attention;
    w.index = q->atom[weight].index;
    w.range = qkv__tree_family_range(q, w.attention->child[1]->text);
    const qkv__node *size = qkv__tree_size(q, w.range);
    if (size == NULL || !qkv__inequality_number(q, size, &count)) return false;
    w.n = count.numerator;
    qkv__inequality_saturate(q);
    w.two = qkv__inequality_is_signed(
        q, qkv__form_subtract(algebra, w.n, qkv__form_whole(algebra, 2)), false);
    return w.two ? show_by_others(q, &w, strict, depth)
                 : show_by_others_if_any(q, &w, strict, depth);
}

static bool has_exponential(const qkv__form *form)
{
    for (size_t i = 0; i < form->count; i++)
        if (form->term[i].exponent != NULL) return true;
    return false;
}

/* p - a*w[i] with a >= 0 and exponentials in p: w[i] = w[j]*e^(s[i] - s[j]) <= e^(s[i] - s[j]) for
 * any key j. */
static bool show_by_another(qkv__inequality *q, const qkv__form *form, bool strict, int depth)
{
    qkv__algebra *algebra = &q->algebra;
    const qkv__form *p, *a, *own, *other;
    const int weight = single_weight(q, &form);
    if (depth > 0 || weight < 0 || !split_weight(q, form, weight, &p, &a) || !has_exponential(p) ||
        !qkv__inequality_is_signed(q, a, false))
        return false;
    const qkv__node *attention = q->atom[weight].attention, *index = q->atom[weight].index;
    const qkv__node *range = qkv__tree_family_range(q, attention->child[1]->text);
    const char *text = range == NULL ? NULL : qkv__tree_text(q, range);
    const size_t indexes = q->index_count, told = q->reason.length;
    for (size_t j = 0; text != NULL && j < indexes; j++) {
        const qkv__running *key = &q->index[j];
        if (key->name == NULL || key->range == NULL || strcmp(key->range, text) != 0 ||
            qkv__node_is(index, key->name))
            continue;
        const qkv__node *name = qkv__tree_make(q, QKV__NODE_NAME, key->name, NULL, NULL);
        if (name == NULL || !score_of(q, attention, index, &own) ||
            !score_of(q, attention, name, &other))
            return false;
        const qkv__form *gap = qkv__form_subtract(algebra, own, other);
        const qkv__form *most = qkv__form_multiply(algebra, a, qkv__form_exponential(algebra, gap));
        qkv__inequality_saturate(q);
        if (most != NULL && show_form(q, qkv__form_subtract(algebra, p, most), strict, depth + 1)) {
            qkv__inequality_say(&q->reason, "a weight is at most e^(difference of scores)");
            return true;
        }
        qkv__text_take_out(&q->reason, told, q->reason.length);
    }
    return false;
}

/* p - a*x with a >= 0, by a bound of x: a norm that is at most a product of others. */
static bool show_bounded(qkv__inequality *q, const qkv__form *form, bool strict, int depth)
{
    qkv__algebra *algebra = &q->algebra;
    const size_t told = q->reason.length, atoms = algebra->parameter_count;
    for (size_t x = 0; x < atoms; x++) {
        const qkv__form *p, *a, *bound = q->atom[x].bound.most;
        if (bound == NULL || !qkv__form_depends_on(form, (int)x) ||
            !split_weight(q, form, (int)x, &p, &a) || !qkv__inequality_is_signed(q, a, false))
            continue;
        if (show_form(q, qkv__form_subtract(algebra, p, qkv__form_multiply(algebra, a, bound)),
                      strict, depth + 1)) {
            qkv__inequality_say(&q->reason, q->atom[x].bound.label);
            return true;
        }
        qkv__text_take_out(&q->reason, told, q->reason.length);
    }
    return false;
}

/* ---- Squares ------------------------------------------------------------------------- */

/* a*x^2 + b*x + c with a > 0: 4*a*c - b^2 >= 0. */
static bool show_completed(qkv__inequality *q, const qkv__form *form, bool strict, int depth)
{
    qkv__algebra *algebra = &q->algebra;
    for (size_t atom = 0; atom < algebra->parameter_count; atom++) {
        const qkv__form *part[3];
        bool good = q->atom[atom].square == NULL && qkv__form_depends_on(form, (int)atom);
        for (int i = 0; i < 3; i++) part[i] = qkv__form_whole(algebra, 0);
        for (size_t i = 0; good && i < form->count; i++) {
            const qkv__term *term = &form->term[i];
            const int power = term->power[atom];
            good = power == 0 || power == 2 || power == 4;
            good = good &&
                   (term->exponent == NULL || !qkv__form_depends_on(term->exponent, (int)atom));
            if (!good) break;
            part[power / 2] =
                qkv__form_add(algebra, part[power / 2],
                              divided(q, qkv__form_term(algebra, term), (int)atom, power / 2));
        }
        if (!good || part[2] == NULL || !qkv__inequality_is_signed(q, part[2], true)) continue;
        const qkv__form *goal = qkv__form_subtract(
            algebra,
            qkv__form_scale(algebra, qkv__form_multiply(algebra, part[2], part[0]),
                            qkv__rational_whole(4)),
            qkv__form_power(algebra, part[1], 2));
        if (show_form(q, qkv__inequality_reduce(q, goal), strict, depth + 1)) {
            qkv__inequality_say(&q->reason, "completing the square");
            return true;
        }
    }
    return false;
}

/* a*x >= 0 with a >= 0 (strict: a > 0), a number that all terms have: x >= 0. */
static bool show_without_factor(qkv__inequality *q, const qkv__form *form, bool strict, int depth)
{
    const qkv__form *rest = form;
    for (size_t a = 0; rest != NULL && a < q->algebra.parameter_count; a++) {
        int least = INT_MAX;
        for (size_t i = 0; i < form->count; i++)
            if (form->term[i].power[a] / 2 < least) least = form->term[i].power[a] / 2;
        if (least <= 0 ||
            !qkv__inequality_is_signed(q, qkv__form_parameter(&q->algebra, (int)a), strict))
            continue;
        rest = divided(q, rest, (int)a, least);
    }
    return rest != NULL && !qkv__form_equal(rest, form) && show_form(q, rest, strict, depth + 1);
}

/* The logarithm of a product of weights and a power of e; NULL: a factor is something else. */
static const qkv__form *logarithm_of(qkv__inequality *q, const qkv__term *term)
{
    qkv__algebra *algebra = &q->algebra;
    const qkv__form *sum = term->exponent == NULL ? qkv__form_whole(algebra, 0) : term->exponent;
    const size_t atoms = algebra->parameter_count;
    for (size_t a = 0; sum != NULL && a < atoms; a++) {
        qkv__ratio own;
        if (term->power[a] == 0) continue;
        if (q->atom[a].kind != QKV__ATOM_WEIGHT || term->power[a] % 2 != 0) return NULL;
        const qkv__node *node = qkv__tree_log_weight(q, q->atom[a].attention, q->atom[a].index);
        if (node == NULL || !qkv__inequality_number(q, node, &own) || own.denominator->count != 1)
            return NULL;
        sum = qkv__form_add(algebra, sum,
                            qkv__form_scale(algebra,
                                            qkv__form_divide_by_term(algebra, own.numerator,
                                                                     &own.denominator->term[0]),
                                            qkv__rational_whole(term->power[a] / 2)));
    }
    return sum;
}

/* x - y >= 0, each a product of weights and a power of e: ln x - ln y >= 0. Weights of one
 * attention alone are compared by their scores. */
static bool show_by_logarithms(qkv__inequality *q, const qkv__form *form, bool strict, int depth)
{
    qkv__algebra *algebra = &q->algebra;
    const qkv__node *first = NULL;
    bool two = false;
    const size_t atoms = algebra->parameter_count;
    if (form->count != 2 || !qkv__rational_is_zero(qkv__rational_add(form->term[0].coefficient,
                                                                     form->term[1].coefficient)))
        return false;
    for (size_t a = 0; a < atoms; a++) {
        if (q->atom[a].kind != QKV__ATOM_WEIGHT || !qkv__form_depends_on(form, (int)a)) continue;
        two = two || (first != NULL && !qkv__tree_weighs_alike(q, first, q->atom[a].attention));
        first = q->atom[a].attention;
    }
    if (!two) return false;
    const bool turned = qkv__rational_sign(form->term[0].coefficient) < 0;
    const qkv__form *more = logarithm_of(q, &form->term[turned]);
    const qkv__form *less = more == NULL ? NULL : logarithm_of(q, &form->term[!turned]);
    if (less == NULL) return false;
    qkv__inequality_saturate(q);
    if (!show_form(q, qkv__form_subtract(algebra, more, less), strict, depth + 1)) return false;
    qkv__inequality_say(&q->reason, "ln is increasing");
    return true;
}

/* The form as a*|x|^2 + 2*b.x + c in one base x; false: it is none. */
static bool split_quadratic(qkv__inequality *q, const qkv__form *form, int base,
                            const qkv__form **a, qkv__mixture *b, const qkv__form **c)
{
    qkv__algebra *algebra = &q->algebra;
    *a = *c = qkv__form_whole(algebra, 0);
    b->count = 0;
    for (size_t i = 0; i < form->count; i++) {
        const qkv__term *term = &form->term[i];
        int square = -1, product = -1;
        for (size_t k = 0; k < algebra->parameter_count; k++) {
            const qkv__atom *atom = &q->atom[k];
            bool inside = false;
            for (size_t n = 0; n < atom->vector.count; n++)
                inside = inside || atom->vector.part[n].base == base;
            inside = inside || (atom->kind == QKV__ATOM_PRODUCT &&
                                (atom->base[0] == base || atom->base[1] == base));
            if (term->exponent != NULL && inside && qkv__form_depends_on(term->exponent, (int)k))
                return false;
            if (term->power[k] == 0 || !inside) continue;
            if (square >= 0 || product >= 0) return false;
            if (atom->kind == QKV__ATOM_LENGTH && term->power[k] == 4)
                square = (int)k;
            else if (atom->kind == QKV__ATOM_PRODUCT && term->power[k] == 2)
                product = (int)k;
            else
                return false;
        }
        const qkv__form *rest = qkv__form_term(algebra, term);
        if (square >= 0) rest = divided(q, rest, square, 2);
        if (product >= 0) rest = divided(q, rest, product, 1);
        if (square >= 0)
            *a = qkv__form_add(algebra, *a, rest);
        else if (product < 0)
            *c = qkv__form_add(algebra, *c, rest);
        else if (!qkv__mixture_add(
                     q, b, q->atom[product].base[q->atom[product].base[0] == base],
                     qkv__ratio_of_form(algebra,
                                        qkv__form_scale(algebra, rest, qkv__rational_make(1, 2)))))
            return false;
    }
    return *a != NULL && *c != NULL && !qkv__form_is_zero(*a);
}

/* a*|x|^2 + 2*b.x + c with a > 0: a*c - |b|^2 >= 0. */
static bool show_schur(qkv__inequality *q, const qkv__form *form, bool strict, int depth)
{
    for (size_t base = 0; base < q->base_count; base++) {
        const qkv__form *a, *c;
        qkv__mixture b;
        qkv__ratio square;
        if (!split_quadratic(q, form, (int)base, &a, &b, &c)) continue;
        if (!qkv__inequality_is_signed(q, a, true) && !qkv__inequality_certify(q, a, true, 1))
            continue;
        if (!qkv__inequality_product(q, &b, &b, &square) || square.denominator->count != 1)
            continue;
        const qkv__form *goal = qkv__form_subtract(
            &q->algebra, qkv__form_multiply(&q->algebra, a, c),
            qkv__form_divide_by_term(&q->algebra, square.numerator, &square.denominator->term[0]));
        if (show_form(q, qkv__inequality_without_inverses(q, qkv__inequality_reduce(q, goal)),
                      strict, depth + 1)) {
            qkv__inequality_say(&q->reason, "completing the square");
            return true;
        }
    }
    return false;
}

/* ---- Sums, term by term ---------------------------------------------------------------- */

/* A number at an index that stands for any of a sum's, as a form; NULL: it is beyond the engine. */
static const qkv__form *body_at(qkv__inequality *q, const qkv__node *over, const char *index)
{
    qkv__ratio number;
    const qkv__node *body = qkv__tree_put(q, over->child[0], over->text, index);
    if (body != NULL && q->multiplied) body = qkv__tree_multiplied(q, body);
    if (body == NULL || !qkv__inequality_number(q, body, &number) || number.denominator->count != 1)
        return NULL;
    return qkv__form_divide_by_term(&q->algebra, number.numerator, &number.denominator->term[0]);
}

/* The range that a sum atom is over, all members of a family; NULL: it is of another kind. */
static const char *range_of(qkv__inequality *q, size_t atom)
{
    if (q->atom[atom].kind != QKV__ATOM_SUM) return NULL;
    const qkv__node *domain = q->atom[atom].node->child[0]->child[1];
    if (domain->kind != QKV__NODE_COMPARE || domain->comparison != QKV__IN ||
        qkv__tree_size(q, domain->child[1]) == NULL)
        return NULL;
    return qkv__tree_text(q, domain->child[1]);
}

/* The number of sums over a range among the factors of a term; -1 if the term depends on such a sum
 * otherwise. */
static int sums_in(qkv__inequality *q, const qkv__term *term, const char *range)
{
    int count = 0;
    for (size_t a = 0; a < q->algebra.parameter_count; a++) {
        const bool inside = term->exponent != NULL && qkv__form_depends_on(term->exponent, (int)a);
        if (term->power[a] == 0 && !inside) continue;
        const char *own = range_of(q, a);
        if (own == NULL || strcmp(own, range) != 0) continue;
        if (inside || term->power[a] != 2) return -1;
        count++;
    }
    return count;
}

/* f >= 0, linear in sums over one range: at each index, with their terms in place of the sums, and
 * the n-th part of what is none. */
static bool show_by_terms(qkv__inequality *q, const qkv__form *form, bool strict, int depth)
{
    qkv__algebra *algebra = &q->algebra;
    const char *range = NULL, *index;
    const qkv__node *size = NULL;
    const qkv__form *sums = qkv__form_whole(algebra, 0), *rest = sums;
    qkv__ratio count;
    const size_t atoms = algebra->parameter_count;
    for (size_t a = 0; a < atoms && range == NULL; a++)
        if (qkv__form_depends_on(form, (int)a) && (range = range_of(q, a)) != NULL)
            size = qkv__tree_size(q, q->atom[a].node->child[0]->child[1]->child[1]);
    if (range == NULL || !qkv__inequality_number(q, size, &count) ||
        (index = qkv__inequality_index(q, range, NULL)) == NULL)
        return false;
    for (size_t i = 0; i < form->count; i++) {
        const int found = sums_in(q, &form->term[i], range);
        const qkv__form *one = qkv__form_term(algebra, &form->term[i]);
        if (found < 0 || found > 1) return false;
        if (found == 1)
            sums = qkv__form_add(algebra, sums, one);
        else
            rest = qkv__form_add(algebra, rest, one);
    }
    for (size_t a = 0; a < atoms; a++) {
        const char *own = qkv__form_depends_on(sums, (int)a) ? range_of(q, a) : NULL;
        if (own == NULL || strcmp(own, range) != 0) continue;
        const qkv__form *body = body_at(q, q->atom[a].node->child[0], index);
        if (body == NULL || (sums = qkv__form_substitute(algebra, sums, (int)a, body)) == NULL)
            return false;
    }
    const qkv__form *goal =
        qkv__form_is_zero(rest)
            ? sums
            : qkv__form_add(algebra, qkv__form_multiply(algebra, sums, count.numerator), rest);
    qkv__inequality_saturate(q);
    if (goal == NULL || !show_form(q, goal, strict, depth + 1)) return false;
    qkv__inequality_say(&q->reason, "what holds for every term holds for their sum");
    return true;
}

static bool divides(const qkv__ratio *number, size_t atom)
{
    if (qkv__form_depends_on(number->denominator, (int)atom)) return true;
    for (size_t i = 0; i < number->numerator->count; i++)
        if (number->numerator->term[i].power[atom] < 0) return true;
    return false;
}

/* A sum by which a claim divides is positive if each of its terms is. */
static void know_positive_sums(qkv__inequality *q, const qkv__ratio *number)
{
    const size_t atoms = q->algebra.parameter_count;
    for (size_t a = 0; a < atoms; a++) {
        const char *range = divides(number, a) ? range_of(q, a) : NULL;
        const char *index = range == NULL ? NULL : qkv__inequality_index(q, range, NULL);
        const qkv__form *body = index == NULL ? NULL : body_at(q, q->atom[a].node->child[0], index);
        if (body == NULL) continue;
        qkv__inequality_saturate(q);
        if (!qkv__inequality_is_signed(q, body, true) && !qkv__inequality_certify(q, body, true, 1))
            continue;
        const qkv__node *call = q->atom[a].node, *over = call->child[0];
        qkv__inequality_know(q, qkv__form_parameter(&q->algebra, (int)a), true,
                             "a sum of positive terms is positive");
        qkv__inequality_rule(q, (qkv__running){.name = over->text, .range = range},
                             qkv__tree_compare(q, over->child[0], call),
                             "a sum is at least each of its terms, none of which is negative");
        qkv__inequality_saturate(q);
    }
}

/* ---- Goals --------------------------------------------------------------------------- */

static bool show_form(qkv__inequality *q, const qkv__form *form, bool strict, int depth)
{
    form = qkv__inequality_reduce(q, form);
    if (form == NULL || depth > DEEPEST || q->effort > QKV__CERTIFICATES) return false;
    if (form->count == 0) return !strict;
    const qkv__form *given = form;
    form = qkv__inequality_without_inverses(q, form);
    if (form == NULL) return false;
    q->plain = q->plain && qkv__form_equal(form, given);
    if (qkv__inequality_is_signed(q, form, strict)) return true;
    qkv__inequality_know_exponentials(q, form);
    for (int degree = 1; degree <= 2; degree++)
        if (qkv__inequality_certify(q, form, strict, degree)) {
            q->told = q->plain && !q->halved && depth == 0;
            return true;
        }
    if (show_by_another(q, form, strict, depth)) return true;
    if (show_by_scores(q, form, strict, depth)) return true;
    if (show_by_logarithms(q, form, strict, depth)) return true;
    if (show_bounded(q, form, strict, depth)) return true;
    if (show_squared(q, form, strict, depth)) return true;
    if (show_schur(q, form, strict, depth)) return true;
    if (show_completed(q, form, strict, depth)) return true;
    if (show_by_terms(q, form, strict, depth)) return true;
    if (show_without_factor(q, form, strict, depth)) return true;
    return qkv__inequality_certify(q, form, strict, 3);
}

/* |x| of a number: what is inside; NULL: it is none. */
static const qkv__node *inside_size(qkv__inequality *q, const qkv__node *node)
{
    const bool size = node->kind == QKV__NODE_SIZE ||
                      (node->count == 1 && qkv__builtin_of(node) == QKV__BUILTIN_ABS);
    return size && !qkv__inequality_is_vector(q, node->child[0]) &&
                   !qkv__inequality_is_list(q, node->child[0])
               ? node->child[0]
               : NULL;
}

/* max(x, y, z) of numbers. */
static bool is_largest(const qkv__node *node)
{
    return node->kind == QKV__NODE_CALL && qkv__builtin_of(node) == QKV__BUILTIN_MAX &&
           !(node->count == 1 && qkv__call_is_over(node)) && qkv__tree_listed(node, 0) != NULL;
}

bool qkv__inequality_show(qkv__inequality *q, const qkv__node *left, const qkv__node *right,
                          bool strict)
{
    qkv__ratio x, y;
    qkv__algebra *algebra = &q->algebra;
    const qkv__node *inside = inside_size(q, left);
    if (inside != NULL) {
        q->halved = true;
        const qkv__node *minus = qkv__tree_make(q, QKV__NODE_NEGATE, "", inside, NULL);
        return minus != NULL && qkv__inequality_show(q, inside, right, strict) &&
               qkv__inequality_show(q, minus, right, strict);
    }
    if (is_largest(left)) { /* it is one of them */
        const qkv__node *node;
        q->halved = true;
        for (size_t i = 0; (node = qkv__tree_listed(left, i)) != NULL; i++)
            if (!qkv__inequality_show(q, node, right, strict)) return false;
        return true;
    }
    if (q->multiplied) left = qkv__tree_multiplied(q, left);
    if (q->multiplied) right = qkv__tree_multiplied(q, right);
    if (!qkv__inequality_number(q, left, &x) || !qkv__inequality_number(q, right, &y)) return false;
    const qkv__ratio gap = qkv__ratio_subtract(algebra, y, x);
    if (qkv__ratio_is_lost(gap)) return false;
    qkv__inequality_saturate(q);
    know_positive_sums(q, &gap);
    const qkv__form *form = gap.numerator;
    qkv__rational one;
    q->plain = qkv__form_is_constant(gap.denominator, &one);
    if (gap.denominator->count == 1)
        form = qkv__form_divide_by_term(algebra, form, &gap.denominator->term[0]);
    else if (!qkv__inequality_is_signed(q, gap.denominator,
                                        false)) /* where it is 0 there is no value */
        form = qkv__form_multiply(algebra, form, gap.denominator);
    return show_form(q, form, strict, 0);
}
