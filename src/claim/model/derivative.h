/*
 * Derivatives of exact values: d(x, t) by a parameter, grad(x, q) by a vector. All else stands
 * still: other parameters, and the vectors of the document.
 */
#ifndef QKV_CLAIM_DERIVATIVE_H
#define QKV_CLAIM_DERIVATIVE_H

#include "claim/model/evaluate.h"

/* The derivative of a number by a parameter; lost where it is not known, such as for a sum over
 * keys whose scores depend on the parameter in another way than linearly in the keys. */
qkv__ratio qkv__ratio_derivative(qkv__space *space, qkv__ratio x, int parameter);

/* The parameter that d(x, t) is taken by; -1, and a failure, where t is none, or where vectors
 * depend on it in a way that the exact engine does not see. */
int qkv__derivative_parameter(qkv__evaluation *e, const qkv__node *node);

/* The symbol that grad(x, q) is taken by; false, and a failure, likewise. */
bool qkv__gradient_symbol(qkv__evaluation *e, const qkv__node *node, qkv__symbol *symbol);

/* The gradient of a number by a symbol, by way of the inner products that it is made of; NULL where
 * it is not known. */
const qkv__vector *qkv__ratio_gradient(qkv__space *space, qkv__ratio x, qkv__symbol symbol);

/* Whether a number stands for an inner product with a vector whose length is made of a parameter:
 * the product would change with it. */
bool qkv__derivative_is_veiled(const qkv__space *space, qkv__ratio x, int parameter);

bool qkv__evaluate_derivative(qkv__evaluation *e, const qkv__node *node, qkv__value *value);
bool qkv__evaluate_gradient(qkv__evaluation *e, const qkv__node *node, qkv__value *value);

#endif
