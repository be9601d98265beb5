/* The derivative of a form by one parameter, which is a form again. The algebra gives memory. */
#ifndef QKV_BALL_DERIVATIVE_H
#define QKV_BALL_DERIVATIVE_H

#include "exact/form.h"

const qkv__form *qkv__form_derivative(qkv__algebra *algebra, const qkv__form *form, int parameter);

#endif
