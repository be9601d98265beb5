/* Stands in for proved bounds of laws where FLINT was left out of the build: says so. */
#include <qkv/law.h>

#include "base/error.h"

qkv_status qkv_law_enclose(const qkv_law_options *options, qkv_law_bounds *bounds, qkv_error *error)
{
    (void)options, (void)bounds;
    return qkv__fail(error, QKV_ERROR_UNSUPPORTED,
                     "this qkv was built without proved bounds (FLINT with Arb)");
}
