/* How a design of queries spreads its weights: the parts of design.c that the search uses. */
#ifndef QKV_LAW_LAW_H
#define QKV_LAW_LAW_H

#include <qkv/law.h>

/* Beyond any beta that matters, and small enough for its multiples to be finite: the limit. */
#define QKV__BETA_LIMIT 1e300

qkv_status qkv__law_check(const qkv_law_options *options, qkv_error *error);

/* The law for options that have been checked, whatever their beta. */
void qkv__law_of(const qkv_law_options *options, qkv_law *law);

#endif
