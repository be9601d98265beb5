/*
 * Limits as p grows of numbers with p^s in them, s being any number that is held fixed. With l =
 * ln p, which grows without bound as well,
 *
 *     p^(m/2) l^k e^(g(l)) = l^k e^(m l/2 + g(l)),
 *
 * so that a quotient of forms in p and l is one in l alone, and its limit is known. Knows nothing
 * of logarithms of anything else.
 */
#include <assert.h>

#include "claim/calculus/calculus.h"
#include "claim/calculus/part.h"
#include "claim/premise/ties.h"
#include "exact/limit.h"

enum { EFFORT = 100, DEPTH = 4 };

/* The letter that stands for ln p; -1: there is none, or another function moves along. */
static int logarithm_of(const qkv__calculus *c, int parameter)
{
    int found = -1;
    const qkv__ratio own =
        qkv__ratio_of_form(c->algebra, qkv__form_parameter(c->algebra, parameter));
    for (size_t i = 0; i < c->count; i++) {
        const qkv__atom *atom = &c->atom[i];
        if (!qkv__calculus_depends(c, atom->argument, parameter)) continue;
        if (atom->kind != QKV__ATOM_LOGARITHM || found >= 0 ||
            !qkv__ratio_equal(c->algebra, atom->argument, own))
            return -1;
        found = atom->parameter;
    }
    return found;
}

/* p^(m/2) as e^(m l/2), in every term; NULL where p stands in an exponent. */
static const qkv__form *in_logarithm(qkv__calculus *c, const qkv__form *form, int parameter, int l)
{
    const qkv__form *sum = qkv__form_whole(c->algebra, 0);
    for (size_t i = 0; sum != NULL && i < form->count; i++) {
        qkv__term term = form->term[i];
        const int halves = term.power[parameter];
        if (term.exponent != NULL && qkv__form_depends_on(term.exponent, parameter)) return NULL;
        term.power[parameter] = 0;
        const qkv__form *exponent = qkv__form_scale(c->algebra, qkv__form_parameter(c->algebra, l),
                                                    qkv__rational_make(halves, 2));
        const qkv__form *rest = qkv__form_term(c->algebra, &term);
        if (exponent == NULL || rest == NULL) return NULL;
        sum = qkv__form_add(c->algebra, sum,
                            halves == 0
                                ? rest
                                : qkv__form_multiply(c->algebra, rest,
                                                     qkv__form_exponential(c->algebra, exponent)));
    }
    return sum;
}

/* Whether nothing but plain numbers, which are held fixed, stands beside p and its logarithm: no
 * inner products or scores, which may change along, and no other size. */
static bool is_made_of_numbers(const qkv__calculus *c, qkv__ratio x, int moving)
{
    for (const qkv__unknown_product *u = c->space->unknown; u != NULL; u = u->next)
        if (qkv__calculus_depends(c, x, u->parameter)) return false;
    for (const qkv__spread *b = c->space->spreads; b != NULL; b = b->next)
        if (qkv__calculus_depends(c, x, b->parameter)) return false;
    for (int p = 0; p < (int)c->algebra->parameter_count; p++)
        if (p != moving && c->algebra->parameter[p].whole && qkv__calculus_depends(c, x, p))
            return false;
    return !qkv__ratio_is_generic(c->algebra, x);
}

static bool is_held(const qkv__calculus *c, qkv__ratio x, int moving)
{
    for (size_t i = 0; i < c->count; i++)
        if (!is_made_of_numbers(c, c->atom[i].argument, moving)) return false;
    for (size_t i = 0; i < c->domain_count; i++) /* x ln x has a value at 0, and ln x has none */
        if (c->domain[i].closed) return false;
    return is_made_of_numbers(c, x, moving);
}

static bool tends(qkv__calculus *c, qkv__ratio x, qkv__ratio *value)
{
    const qkv__passage *passage = &c->s->limit[0];
    const int parameter = passage->parameter, l = logarithm_of(c, parameter);
    if (!passage->infinite || l < 0 || qkv__ratio_is_lost(x) || !is_held(c, x, parameter) ||
        c->algebra->parameter[parameter].upper.known || c->algebra->parameter[l].upper.known)
        return false;
    const qkv__ratio raised = {in_logarithm(c, x.numerator, parameter, l),
                               in_logarithm(c, x.denominator, parameter, l)};
    if (qkv__ratio_is_lost(raised)) return false;
    const qkv__limit limit = qkv__ratio_limit(c->algebra, raised, l);
    *value = limit.value;
    return limit.kind == QKV__LIMIT_FINITE && !qkv__ratio_is_lost(limit.value) &&
           !qkv__ratio_depends_on(limit.value, l) && !qkv__ratio_depends_on(limit.value, parameter);
}

/* The sides of x ~ y are as near as one likes, or they are certainly not. */
static qkv__verdict decide(qkv__calculus *c, const qkv__node *node)
{
    qkv__curve x, y;
    qkv__ratio value;
    if (!qkv__calculus_translate(c, node->child[0], c->s->locals, &x) ||
        !qkv__calculus_translate(c, node->child[1], c->s->locals, &y) || x.vector != NULL ||
        y.vector != NULL ||
        !tends(c, qkv__calculus_rewrite(c, qkv__ratio_subtract(c->algebra, x.number, y.number)),
               &value))
        return QKV__UNDECIDED;
    if (qkv__ratio_is_zero(value)) return QKV__PROVED;
    if (!qkv__calculus_prove(c, value, QKV__GREATER, DEPTH) &&
        !qkv__calculus_prove(c, value, QKV__LESS, DEPTH))
        return QKV__UNDECIDED;
    qkv__text text = {0};
    qkv__ratio_write(c->algebra, value, &text);
    if (!text.failed)
        qkv__text_format(&c->s->finding->reason, "The difference tends to %s, not to 0", text.data);
    qkv__text_free(&text);
    return QKV__REFUTED;
}

qkv__verdict qkv__compare_powers(qkv__situation *s, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_COMPARE && node->count == 2);
    if ((node->comparison != QKV__EQUAL && node->comparison != QKV__NEAR) || s->limit_count != 1 ||
        s->has_tolerance || s->weakened || s->veiled || s->substitution_count > 0 ||
        s->left_out_count > 0 || qkv__ties_hold_node(s, node))
        return QKV__UNDECIDED;
    qkv__memory memory = qkv__situation_remember(s);
    qkv__calculus c = {
        .s = s, .space = &s->model->space, .algebra = &s->model->algebra, .effort = EFFORT};
    const qkv__verdict verdict = decide(&c, node);
    qkv__situation_forget(s, &memory);
    if (verdict == QKV__UNDECIDED) return verdict;
    if (verdict == QKV__PROVED) qkv__situation_say(s, "The limit follows from the leading terms.");
    return qkv__situation_conclude(s, verdict, "ball");
}
