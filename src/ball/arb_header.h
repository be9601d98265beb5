/* Where Arb's header lies: in FLINT 3, which holds Arb, or beside FLINT 2, as on Debian 12. Knows
 * nothing else. */
#ifndef QKV_BALL_ARB_HEADER_H
#define QKV_BALL_ARB_HEADER_H

#if __has_include(<flint/arb.h>)
#include <flint/arb.h>
#else
#include <arb.h>
#endif

#endif
