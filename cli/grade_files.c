/* Grades as JSON and CSV. Knows these formats; nothing of how grades are reached. */
#include "grade_files.h"

#include <string.h>

#include "json.h"

/* ---- Gradescope ----------------------------------------------------------------------------- */

static void put_line(FILE *stream, const char *before, const char *text, bool *first)
{
    if (text[0] == '\0') return;
    if (!*first) cli_json_part(stream, "\n");
    cli_json_part(stream, before);
    cli_json_part(stream, text);
    *first = false;
}

static void put_output(FILE *stream, const qkv_answer *a)
{
    bool first = true;
    fputc('"', stream);
    put_line(stream, "", a->claim, &first);
    put_line(stream, "", qkv_mark_name(a->mark), &first);
    if (a->mark == QKV_MARK_WRONG) put_line(stream, "in fact: ", a->found, &first);
    put_line(stream, "", a->reason, &first);
    put_line(stream, "hint: ", a->hint, &first);
    fputc('"', stream);
}

static void put_test(FILE *stream, const qkv_answer *a, size_t number)
{
    fprintf(stream, "%s\n    {\"name\": ", number == 1 ? "" : ",");
    cli_json_string(stream, a->label);
    fprintf(stream, ", \"number\": \"%zu\", \"score\": %.15g, \"max_score\": %.15g, ", number,
            a->points, a->worth);
    fprintf(stream, "\"status\": \"%s\", \"visibility\": \"visible\", \"output\": ",
            a->mark == QKV_MARK_RIGHT ? "passed" : "failed");
    put_output(stream, a);
    fputc('}', stream);
}

/* A document that was not judged fails every test. */
static void put_failures(FILE *stream, const qkv_key *key, const char *failure)
{
    for (size_t i = 0; i < qkv_key_count(key); i++) {
        const qkv_question *q = qkv_key_question(key, i);
        const qkv_answer a = {.label = q->label,
                              .mark = QKV_MARK_LOOK,
                              .worth = q->points,
                              .claim = "",
                              .found = "",
                              .reason = failure,
                              .hint = "",
                              .mistake = ""};
        put_test(stream, &a, i + 1);
    }
}

void cli_grade_gradescope(FILE *stream, const qkv_key *key, const cli_graded *graded)
{
    double points = 0.0;
    fprintf(stream, "{\"tests\": [");
    for (size_t i = 0; graded->answers != NULL && i < qkv_key_count(key); i++) {
        put_test(stream, &graded->answers[i], i + 1);
        points += graded->answers[i].points;
    }
    if (graded->answers == NULL) put_failures(stream, key, graded->failure);
    fprintf(stream, "\n  ], \"score\": %.15g, \"visibility\": \"visible\", \"output\": \"", points);
    const char *note = graded->notes;
    for (size_t i = 0; i < graded->note_count; i++, note += strlen(note) + 1) {
        if (i > 0) cli_json_part(stream, "\n");
        cli_json_part(stream, note);
    }
    fprintf(stream, "\"}\n");
}

/* ---- CSV ------------------------------------------------------------------------------------ */

/* A field in quotes. A spreadsheet takes what begins with one of = + - @ for a formula, so that
 * such a field begins with an apostrophe instead; line ends and control characters become blanks. */
static void put_field(FILE *stream, const char *text)
{
    fputc('"', stream);
    if (text[0] != '\0' && strchr("=+-@\t\r", text[0]) != NULL) fputc('\'', stream);
    for (; *text != '\0'; text++) {
        if (*text == '"') fputc('"', stream);
        fputc((unsigned char)*text < ' ' || *text == 0x7f ? ' ' : *text, stream);
    }
    fputc('"', stream);
}

static void put_header(FILE *stream, const qkv_key *key)
{
    fprintf(stream, "student,points,of,to look at");
    for (size_t i = 0; i < qkv_key_count(key); i++) {
        const char *label = qkv_key_question(key, i)->label;
        fprintf(stream, ",%s,%s mark", label, label); /* a label has no commas or quotes */
    }
    fprintf(stream, ",notes\n");
}

static void put_notes(FILE *stream, const cli_graded *graded)
{
    char first[240] = "";
    if (graded->failure != NULL) {
        put_field(stream, graded->failure);
        return;
    }
    if (graded->note_count == 1) snprintf(first, sizeof first, "%s", graded->notes);
    if (graded->note_count > 1)
        snprintf(first, sizeof first, "%.180s (and %zu more)", graded->notes,
                 graded->note_count - 1);
    put_field(stream, first);
}

static void put_student(FILE *stream, const qkv_key *key, const char *name,
                        const cli_graded *graded)
{
    double points = 0.0;
    size_t look = graded->answers == NULL;
    const size_t questions = qkv_key_count(key);
    for (size_t i = 0; graded->answers != NULL && i < questions; i++) {
        points += graded->answers[i].points;
        look += graded->answers[i].mark == QKV_MARK_LOOK;
    }
    put_field(stream, name);
    fprintf(stream, ",%.15g,%.15g,%zu", points, qkv_key_points(key), look);
    for (size_t i = 0; i < questions; i++)
        if (graded->answers == NULL)
            fprintf(stream, ",0,not judged");
        else
            fprintf(stream, ",%.15g,%s", graded->answers[i].points,
                    qkv_mark_name(graded->answers[i].mark));
    fputc(',', stream);
    put_notes(stream, graded);
    fputc('\n', stream);
}

void cli_grade_csv(FILE *stream, const qkv_key *key, char *const *names, const cli_graded *graded,
                   size_t count)
{
    put_header(stream, key);
    for (size_t i = 0; i < count; i++) put_student(stream, key, names[i], &graded[i]);
}
