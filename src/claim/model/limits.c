/* The limits of a check, and the clock that they are measured by. Knows nothing of documents. */
#include "claim/model/limits.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/options.h"

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

qkv_check_options qkv_check_options_default(void)
{
    return (qkv_check_options){.struct_size = sizeof(qkv_check_options)};
}

qkv_status qkv__limits_begin(const qkv_check_options *options, qkv__limits *limits,
                             qkv_error *error)
{
    const unsigned all = QKV_ENGINE_BALL | QKV_ENGINE_SEARCH | QKV_ENGINE_SAMPLE;
    qkv_check_options o = qkv_check_options_default();
    qkv_status status = QKV_OK;
    if (options != NULL)
        status =
            qkv__options_take(&o, sizeof o, options, "options", "qkv_check_options_default", error);
    if (status != QKV_OK) return status;
    if ((o.without & ~all) != 0)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "options.without is %#x; expected a sum of QKV_ENGINE constants",
                         o.without);
    if (!isfinite(o.seconds) || o.seconds < 0.0)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "options.seconds is %g; expected a positive number, or 0 for no limit",
                         o.seconds);
    if (o.threads < 0)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "options.threads is %d; expected 1 or more, or 0 for the default",
                         o.threads);
    *limits = (qkv__limits){.without = o.without,
                            .end = o.seconds == 0.0 ? 0.0 : now() + o.seconds,
                            .threads = o.threads == 0 ? 1 : (size_t)o.threads};
    return QKV_OK;
}

bool qkv__limits_spent(const qkv__limits *limits)
{
    return limits != NULL && limits->end != 0.0 && now() >= limits->end;
}

bool qkv__limits_allow(const qkv__limits *limits, qkv_engine engine)
{
    return limits == NULL || ((limits->without & engine) == 0 && !qkv__limits_spent(limits));
}

unsigned qkv__engine_bit(const char *name)
{
    static const struct {
        const char *name;
        qkv_engine engine;
    } rows[] = {
        {"ball", QKV_ENGINE_BALL}, {"search", QKV_ENGINE_SEARCH}, {"sample", QKV_ENGINE_SAMPLE}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].name, name) == 0) return rows[i].engine;
    return 0;
}
