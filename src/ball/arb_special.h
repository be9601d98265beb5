/* Where Arb's special functions are declared: in FLINT 3, or beside FLINT 2. Knows nothing else. */
#ifndef QKV_BALL_ARB_SPECIAL_H
#define QKV_BALL_ARB_SPECIAL_H

#if __has_include(<flint/arb_hypgeom.h>)
#include <flint/arb_hypgeom.h>
#else
#include <arb_hypgeom.h>
#endif

#endif
