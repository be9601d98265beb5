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

qkv_check_options qkv_check_options_default(void)
{
    return (qkv_check_options){.struct_size = sizeof(qkv_check_options)};
}

qkv_status qkv_check_with(const char *name, const char *text, size_t length,
                          const qkv_check_options *options, qkv_report **report, qkv_error *error)
{
    (void)options;
    return qkv_check(name, text, length, report, error);
}

qkv_status qkv_explain(const char *name, const char *text, size_t length,
                       const qkv_selection *which, qkv_report **report, qkv_error *error)
{
    (void)which;
    return qkv_check(name, text, length, report, error);
}

qkv_status qkv_explain_with(const char *name, const char *text, size_t length,
                            const qkv_selection *which, const qkv_check_options *options,
                            qkv_report **report, qkv_error *error)
{
    (void)options;
    return qkv_explain(name, text, length, which, report, error);
}

bool qkv_is_markdown(const char *name, const char *text, size_t length)
{
    (void)name, (void)text, (void)length;
    return false;
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

void qkv_report_accept_supported(qkv_report *report)
{
    (void)report;
}

void qkv_report_free(qkv_report **report)
{
    (void)report;
}

qkv_sample_options qkv_sample_options_default(void)
{
    return (qkv_sample_options){.struct_size = sizeof(qkv_sample_options)};
}

qkv_status qkv_sample(const char *name, const char *text, size_t length,
                      const qkv_sample_options *options, qkv_samples **samples, qkv_error *error)
{
    (void)options, (void)samples;
    return qkv_check(name, text, length, NULL, error);
}

const char *qkv_samples_problem(const qkv_samples *samples)
{
    (void)samples;
    return "";
}

const char *qkv_samples_at(const qkv_samples *samples)
{
    return qkv_samples_problem(samples);
}

const char *qkv_samples_exact_at(const qkv_samples *samples)
{
    return qkv_samples_problem(samples);
}

uint64_t qkv_samples_drawn(const qkv_samples *samples)
{
    (void)samples;
    return 0;
}

size_t qkv_samples_row_count(const qkv_samples *samples)
{
    (void)samples;
    return 0;
}

const qkv_sample_row *qkv_samples_row(const qkv_samples *samples, size_t index)
{
    (void)samples, (void)index;
    return NULL;
}

qkv_status qkv_samples_draw(qkv_samples *samples, uint64_t first, size_t count, double *numbers,
                            qkv_error *error)
{
    (void)samples, (void)first, (void)count, (void)numbers;
    return qkv_check(NULL, NULL, 0, NULL, error);
}

void qkv_samples_free(qkv_samples **samples)
{
    (void)samples;
}
