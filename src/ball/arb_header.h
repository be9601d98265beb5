/* Where Arb's headers lie: in FLINT 3, which holds Arb, or beside FLINT 2, as on Debian 12. Knows
 * nothing else. */
#ifndef QKV_BALL_ARB_HEADER_H
#define QKV_BALL_ARB_HEADER_H

#include <flint/fmpq.h>
#include <flint/fmpz_poly.h>

#if __has_include(<flint/arb.h>)
#include <flint/arb.h>
#include <flint/arb_fmpz_poly.h>
#else
#include <arb.h>
#include <arb_fmpz_poly.h>
#endif

#endif
