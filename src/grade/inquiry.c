/* Questions to the checker: small documents made of a problem of the key and of claims about it.
 * Knows how a document is put together; nothing of what the claims are for. */
#include "base/error.h"
#include "grade/part.h"

void qkv__inquiry_begin(qkv__inquiry *inquiry, const qkv_key *key, const qkv__key_problem *problem,
                        const char *preamble)
{
    *inquiry = (qkv__inquiry){.key = key};
    if (preamble == NULL) preamble = problem->preamble.data;
    qkv__text_format(&inquiry->text, "%s", preamble == NULL ? "" : preamble);
}

void qkv__inquiry_declare(qkv__inquiry *inquiry, const char *line)
{
    qkv__text_format(&inquiry->text, "%s\n", line);
}

size_t qkv__inquiry_add(qkv__inquiry *inquiry, const qkv__statement_form *form)
{
    qkv__text_format(&inquiry->text, "claim %zu", inquiry->count);
    qkv__statement_form_write(form, &inquiry->text);
    qkv__text_format(&inquiry->text, "\n");
    return inquiry->count++;
}

/* The label is the number that the claim was given. */
static void take_verdicts(qkv__inquiry *inquiry, const qkv_report *report)
{
    for (size_t i = 0; i < qkv_report_claim_count(report); i++) {
        const qkv_claim *claim = qkv_report_claim(report, i);
        size_t number = 0;
        for (const char *digit = claim->name; *digit >= '0' && *digit <= '9'; digit++)
            number = 10 * number + (size_t)(*digit - '0');
        if (number < inquiry->count) inquiry->verdict[number] = claim->verdict;
    }
}

qkv_status qkv__inquiry_ask(qkv__inquiry *inquiry, qkv_report **report, qkv_error *error)
{
    qkv_report *own = NULL;
    qkv_check_options options = qkv_check_options_default();
    options.seconds = inquiry->key->seconds;
    for (size_t i = 0; i < inquiry->count; i++) inquiry->verdict[i] = QKV_UNDECIDED;
    if (inquiry->text.failed) return qkv__fail_memory(error, inquiry->text.length);
    qkv_status status = qkv_check_with(inquiry->key->asked, inquiry->text.data,
                                       inquiry->text.length, &options, &own, error);
    if (status != QKV_OK) return status;
    take_verdicts(inquiry, own);
    if (report != NULL)
        *report = own;
    else
        qkv_report_free(&own);
    return QKV_OK;
}

void qkv__inquiry_end(qkv__inquiry *inquiry)
{
    qkv__text_free(&inquiry->text);
}
