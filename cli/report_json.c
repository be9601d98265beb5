/* Reports on claims as JSON. Knows nothing of where documents come from. */
#include "report_json.h"

#include "json.h"

void cli_tally_add(cli_tally *tally, const qkv_report *report)
{
    for (size_t i = 0; i < qkv_report_claim_count(report); i++) {
        const qkv_claim *claim = qkv_report_claim(report, i);
        tally->claims++;
        tally->verdicts[claim->verdict]++;
        tally->passed += qkv_claim_passes(claim);
        tally->disputed += claim->disputed;
    }
    tally->mistakes += qkv_report_complaint_count(report);
}

/* From {"document" to "reason": what checks and derivations have in common. */
static void write_claim(FILE *stream, const char *path, const qkv_claim *claim, bool first)
{
    const struct {
        const char *name, *value;
    } fields[] = {{"name", claim->name},
                  {"claim", claim->claim},
                  {"verdict", qkv_verdict_name(claim->verdict)},
                  {"engine", claim->engine},
                  {"found", claim->found},
                  {"reason", claim->reason}};
    fprintf(stream, "%s\n    {\"document\": ", first ? "" : ",");
    cli_json_string(stream, path);
    fprintf(stream, ", \"line\": %d", claim->line);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        fprintf(stream, ", \"%s\": ", fields[i].name);
        cli_json_string(stream, fields[i].value);
    }
}

/* ---- Checks -------------------------------------------------------------------------- */

void cli_json_begin(FILE *stream)
{
    fputs("{\"claims\": [", stream);
}

void cli_json_claims(FILE *stream, const char *path, const qkv_report *report, bool first)
{
    for (size_t i = 0; i < qkv_report_claim_count(report); i++) {
        const qkv_claim *claim = qkv_report_claim(report, i);
        write_claim(stream, path, claim, first && i == 0);
        fputs(", \"expected\": ", stream);
        if (claim->has_expectation)
            cli_json_string(stream, qkv_verdict_name(claim->expected));
        else
            fputs("null", stream);
        fprintf(stream, ", \"replayed\": %zu}", claim->replayed);
    }
}

void cli_json_end(FILE *stream, const cli_tally *t)
{
    fprintf(stream,
            "\n  ], \"summary\": {\"claims\": %zu, \"proved\": %zu, \"refuted\": %zu, "
            "\"supported\": %zu, \"undecided\": %zu, \"as_expected\": %zu, \"mistakes\": %zu}}\n",
            t->claims, t->verdicts[QKV_PROVED], t->verdicts[QKV_REFUTED],
            t->verdicts[QKV_SUPPORTED], t->verdicts[QKV_UNDECIDED], t->passed, t->mistakes);
}

void cli_json_report(FILE *stream, const char *path, const qkv_report *report)
{
    cli_tally tally = {.claims = 0};
    cli_tally_add(&tally, report);
    cli_json_begin(stream);
    cli_json_claims(stream, path, report, true);
    cli_json_end(stream, &tally);
}

/* ---- Derivations --------------------------------------------------------------------- */

static void write_step(FILE *stream, const qkv_step *step, bool first)
{
    fprintf(stream, "%s\n      {\"title\": ", first ? "" : ",");
    cli_json_string(stream, step->title);
    fputs(", \"lines\": [", stream);
    for (size_t i = 0; i < step->line_count; i++) {
        fputs(i == 0 ? "" : ", ", stream);
        cli_json_string(stream, step->lines[i]);
    }
    fputs("]}", stream);
}

void cli_json_explanation(FILE *stream, const char *path, const qkv_report *report)
{
    fputs("{\"claims\": [", stream);
    for (size_t i = 0; i < qkv_report_claim_count(report); i++) {
        const qkv_claim *claim = qkv_report_claim(report, i);
        write_claim(stream, path, claim, i == 0);
        fputs(", \"steps\": [", stream);
        for (size_t j = 0; j < claim->step_count; j++) write_step(stream, &claim->steps[j], j == 0);
        fputs("]}", stream);
    }
    fputs("\n  ]}\n", stream);
}
