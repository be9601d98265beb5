/* Stands in for the checker where it was left out of the build: says so, and has no claims. */
#include <qkv/claim.h>

#include "base/error.h"

const char *qkv_verdict_name(qkv_verdict verdict)
{
    static const char *const names[] = {"undecided", "proved", "refuted", "supported"};
    return (unsigned)verdict < 4 ? names[verdict] : names[0];
}

qkv_status qkv_check(const char *name, const char *text, size_t length, qkv_report **report,
                     qkv_error *error)
{
    (void)name, (void)text, (void)length, (void)report;
    return qkv__fail(error, QKV_ERROR_UNSUPPORTED,
                     "this qkv was built without the checker (FLINT with Arb, md4c)");
}

qkv_status qkv_explain(const char *name, const char *text, size_t length,
                       const qkv_selection *which, qkv_report **report, qkv_error *error)
{
    (void)which;
    return qkv_check(name, text, length, report, error);
}

size_t qkv_report_claim_count(const qkv_report *report)
{
    (void)report;
    return 0;
}

const qkv_claim *qkv_report_claim(const qkv_report *report, size_t index)
{
    (void)report, (void)index;
    return NULL;
}

size_t qkv_report_complaint_count(const qkv_report *report)
{
    (void)report;
    return 0;
}

const qkv_complaint *qkv_report_complaint(const qkv_report *report, size_t index)
{
    (void)report, (void)index;
    return NULL;
}

bool qkv_claim_passes(const qkv_claim *claim)
{
    (void)claim;
    return false;
}

void qkv_report_free(qkv_report **report)
{
    (void)report;
}
