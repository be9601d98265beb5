/*
 * Inequalities that hold for every law: E|x| <= sqrt(E x^2) (Jensen), and P(|x| >= t) <= E x^2/t^2
 * (Chebyshev). A claim of that form follows from one about E x^2, which has a formula more often.
 * Knows syntax and signs; compares nothing itself.
 */
#include <assert.h>

#include "claim/chance/chance_part.h"
#include "claim/model/compose.h"
#include "claim/model/evaluate.h"
#include "claim/model/random_parameters.h"
#include "exact/sign.h"
#include "language/builtin.h"
#include "language/chance_call.h"

/* E(x^2) <= y */
static const qkv__node *square_at_most(qkv__situation *s, const qkv__node *x, const qkv__node *y)
{
    if (y == NULL) return NULL;
    const qkv__node *mean =
        qkv__compose_unary(s->model, QKV__NODE_CALL, "E", qkv__compose_square(s->model, x));
    qkv__node *made = qkv__compose_binary(s->model, QKV__NODE_COMPARE, mean, y);
    if (made != NULL) made->comparison = QKV__LESS_OR_EQUAL;
    return made;
}

/* ---- Signs ----------------------------------------------------------------------------- */

/* Whether an expression without chance in it is never negative, or always positive. */
static bool has_sign(qkv__situation *s, const qkv__node *node, bool strict)
{
    qkv__value value;
    if (qkv__speaks_of_chance(node) || !qkv__model_value(s->model, node, s->locals, &value) ||
        value.kind != QKV__VALUE_SCALAR || qkv__random_touches(s->model, value.scalar.factor) ||
        qkv__random_touches(s->model, value.scalar.radicand))
        return false;
    const qkv__sign sign =
        qkv__ratio_sign(&s->model->algebra, qkv__situation_apply(s, value.scalar.factor));
    if (strict) {
        const qkv__sign root =
            qkv__ratio_sign(&s->model->algebra, qkv__situation_apply(s, value.scalar.radicand));
        return sign == QKV__SIGN_POSITIVE && root == QKV__SIGN_POSITIVE;
    }
    return sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NONNEGATIVE || sign == QKV__SIGN_ZERO;
}

static bool is_size(const qkv__node *node)
{
    return node->kind == QKV__NODE_SIZE || qkv__builtin_of(node) == QKV__BUILTIN_ABS;
}

/* ---- The lemmas ------------------------------------------------------------------------ */

const qkv__node *qkv__chance_sufficient(qkv__situation *s, const qkv__node *node,
                                        const char **lemma)
{
    assert(node->kind == QKV__NODE_COMPARE && node->count == 2);
    const bool turned = node->comparison == QKV__GREATER_OR_EQUAL;
    if ((node->comparison != QKV__LESS_OR_EQUAL && !turned) || s->limit_count > 0 ||
        s->has_tolerance)
        return NULL;
    const qkv__node *small = node->child[turned], *bound = node->child[!turned];
    const qkv__chance_call call = qkv__chance_read(small);
    const qkv__node *what = call.kind == 0 ? NULL : call.argument[0];
    if (what == NULL || call.given != NULL) return NULL;
    if (call.kind == 'E' && is_size(what) && has_sign(s, bound, false)) {
        *lemma = "By Jensen's inequality, E|x| <= sqrt(E(x^2)).";
        return square_at_most(s, what, qkv__compose_square(s->model, bound));
    }
    const bool above =
        call.kind == 'P' && what->kind == QKV__NODE_COMPARE &&
        (what->comparison == QKV__GREATER || what->comparison == QKV__GREATER_OR_EQUAL);
    if (!above || !is_size(what->child[0]) || !has_sign(s, what->child[1], true)) return NULL;
    *lemma = "By Chebyshev's inequality, P(|x| >= t) <= E(x^2)/t^2.";
    return square_at_most(s, what->child[0],
                          qkv__compose_binary(s->model, QKV__NODE_MULTIPLY, bound,
                                              qkv__compose_square(s->model, what->child[1])));
}
