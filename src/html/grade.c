/* Reports of grades: one for a student, one for the teacher of a class. Knows the public grade. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "html/part.h"

/* The tone of a mark, which is that of a verdict, and its sign. */
static const struct {
    const char *tone, *sign;
} looks[] = {
    [QKV_MARK_LOOK] = {"supported", "?"},    [QKV_MARK_RIGHT] = {"proved", "✓"},
    [QKV_MARK_LIMIT] = {"supported", "◐"},   [QKV_MARK_WRONG] = {"refuted", "✗"},
    [QKV_MARK_NOTHING] = {"undecided", "∅"}, [QKV_MARK_MISSING] = {"undecided", "–"},
    [QKV_MARK_ERROR] = {"refuted", "!"},
};

static qkv_status finish(qkv__text *out, qkv_picture *page, qkv_error *error)
{
    qkv__html_foot(out);
    if (out->failed) {
        qkv_status status = qkv__fail_memory(error, out->length);
        qkv__text_free(out);
        return status;
    }
    *page = (qkv_picture){out->data, out->length};
    return QKV_OK;
}

static void put_escaped(qkv__text *out, const char *before, const char *text, const char *behind)
{
    qkv__text_append(out, before, strlen(before));
    qkv__html_escape(out, text);
    qkv__text_append(out, behind, strlen(behind));
}

static void put_prose(qkv__text *out, const char *before, const char *text, const char *behind)
{
    qkv__text_append(out, before, strlen(before));
    qkv__html_prose(out, text);
    qkv__text_append(out, behind, strlen(behind));
}

/* ---- One student ---------------------------------------------------------------------------- */

static void put_answer(qkv__text *out, const qkv_answer *a)
{
    const char *tone = looks[a->mark].tone;
    qkv__text_format(
        out, "<article class=\"claim %s%s\">\n<header><span class=\"verdict\">%s %s</span> ", tone,
        a->mark == QKV_MARK_RIGHT ? "" : " amiss", looks[a->mark].sign, qkv_mark_name(a->mark));
    put_escaped(out, "<span class=\"label\">", a->label, "</span> ");
    qkv__text_format(out, "<span class=\"standing\">%.15g of %.15g</span>", a->points, a->worth);
    if (a->line > 0) qkv__text_format(out, " <span class=\"line\">line %d</span>", a->line);
    qkv__text_format(out, "</header>\n");
    if (a->claim[0] != '\0') {
        qkv__text_format(out, "<p class=\"source\">");
        qkv__html_formula(out, a->claim);
        qkv__text_format(out, "</p>\n");
    }
    if (a->found[0] != '\0' && a->mark == QKV_MARK_WRONG) {
        qkv__text_format(out, "<p class=\"found\"><span class=\"what\">In fact</span> ");
        qkv__html_found(out, a->found);
        qkv__text_format(out, "</p>\n");
    }
    if (a->reason[0] != '\0') put_prose(out, "<p class=\"reason\">", a->reason, "</p>\n");
    if (a->hint[0] != '\0')
        put_escaped(out, "<p class=\"hint\"><span class=\"what\">Hint</span> ", a->hint, "</p>\n");
    qkv__text_format(out, "</article>\n");
}

static void put_notes(qkv__text *out, const qkv_grade *grade)
{
    const size_t count = qkv_grade_note_count(grade);
    if (count == 0) return;
    qkv__text_format(out, "<section class=\"open\"><h2>Not used</h2>\n<ul>\n");
    for (size_t i = 0; i < count; i++)
        put_escaped(out, "<li>", qkv_grade_note(grade, i), "</li>\n");
    qkv__text_format(out, "</ul></section>\n");
}

qkv_status qkv_html_grade(const qkv_key *key, const char *name, const qkv_grade *grade,
                          qkv_picture *page, qkv_error *error)
{
    if (key == NULL || name == NULL || grade == NULL || page == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "key, name, grade or page is NULL");
    qkv__text out = {0};
    size_t looked = 0;
    for (size_t i = 0; i < qkv_grade_count(grade); i++)
        looked += qkv_grade_answer(grade, i)->mark == QKV_MARK_LOOK;
    qkv__html_head(&out, name);
    put_escaped(&out, "<header class=\"summary\">\n<h1>", name, "</h1>\n");
    qkv__text_format(&out, "<p class=\"lede\">%.15g of %.15g points", qkv_grade_points(grade),
                     qkv_key_points(key));
    if (looked > 0) qkv__text_format(&out, "; %zu to be looked at by a person", looked);
    qkv__text_format(&out, ".</p>\n");
    put_notes(&out, grade);
    qkv__text_format(&out, "</header>\n<main id=\"documents\">\n");
    for (size_t i = 0; i < qkv_grade_count(grade); i++)
        put_answer(&out, qkv_grade_answer(grade, i));
    return finish(&out, page, error);
}

/* ---- A class: the matrix -------------------------------------------------------------------- */

static double points_of(const qkv_class_row *row, size_t questions)
{
    double sum = 0.0;
    for (size_t i = 0; row->answers != NULL && i < questions; i++) sum += row->answers[i].points;
    return sum;
}

static void put_cell(qkv__text *out, const qkv_answer *a)
{
    qkv__text_format(out, "<td class=\"%s\" title=\"", looks[a->mark].tone);
    qkv__html_escape(out, a->label);
    qkv__text_format(out, ": %s, ", qkv_mark_name(a->mark));
    qkv__html_escape(out, a->reason);
    qkv__text_format(out, "\"><span class=\"verdict\">%s %.15g</span></td>", looks[a->mark].sign,
                     a->points);
}

static void put_row(qkv__text *out, const qkv_class_row *row, size_t questions)
{
    qkv__text_format(out, "<tr><th scope=\"row\">");
    if (row->report != NULL) {
        put_escaped(out, "<a href=\"", row->report, "\">");
        put_escaped(out, "", row->name, "</a>");
    } else {
        qkv__html_escape(out, row->name);
    }
    qkv__text_format(out, "</th>");
    if (row->answers == NULL) {
        qkv__text_format(out, "<td class=\"failure\" colspan=\"%zu\">", questions + 1);
        put_escaped(out, "", row->failure == NULL ? "not judged" : row->failure, "</td></tr>\n");
        return;
    }
    for (size_t i = 0; i < questions; i++) put_cell(out, &row->answers[i]);
    qkv__text_format(out, "<td>%.15g</td></tr>\n", points_of(row, questions));
}

static void put_matrix(qkv__text *out, const qkv_key *key, const qkv_class_row *rows, size_t count)
{
    const size_t questions = qkv_key_count(key);
    qkv__text_format(out, "<div class=\"wide\"><table class=\"documents\">\n<thead><tr><th "
                          "scope=\"col\">student</th>");
    for (size_t i = 0; i < questions; i++)
        put_escaped(out, "<th scope=\"col\">", qkv_key_question(key, i)->label, "</th>");
    qkv__text_format(out, "<th scope=\"col\">of %.15g</th></tr></thead>\n<tbody>\n",
                     qkv_key_points(key));
    for (size_t i = 0; i < count; i++) put_row(out, &rows[i], questions);
    qkv__text_format(out, "</tbody></table></div>\n");
}

/* ---- A class: the commonest mistakes -------------------------------------------------------- */

/* Answers that fail for the same reason: by the key's mistake, or by where they fail. */
typedef struct group {
    const qkv_answer *answer; /* the first of them */
    size_t question, count;
    const char *example; /* whose it is */
} group;

static bool fails_alike(const qkv_answer *a, const qkv_answer *b)
{
    if (a->mistake[0] != '\0' || b->mistake[0] != '\0') return strcmp(a->mistake, b->mistake) == 0;
    return strcmp(a->found, b->found) == 0 && strcmp(a->reason, b->reason) == 0;
}

static size_t gather(const qkv_class_row *rows, size_t count, size_t questions, group *groups)
{
    size_t found = 0;
    for (size_t r = 0; r < count; r++)
        for (size_t q = 0; rows[r].answers != NULL && q < questions; q++) {
            const qkv_answer *a = &rows[r].answers[q];
            if (a->mark != QKV_MARK_WRONG) continue;
            size_t i = 0;
            while (i < found && (groups[i].question != q || !fails_alike(groups[i].answer, a))) i++;
            if (i == found) groups[found++] = (group){a, q, 0, rows[r].name};
            groups[i].count++;
        }
    return found;
}

static int by_count(const void *a, const void *b)
{
    const group *x = a, *y = b;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    return x->question < y->question ? -1 : x->question > y->question;
}

static bool put_mistakes(qkv__text *out, const qkv_key *key, const qkv_class_row *rows,
                         size_t count)
{
    const size_t questions = qkv_key_count(key);
    group *groups = qkv__allocate_zero((count * questions + 1) * sizeof *groups);
    if (groups == NULL) return false;
    size_t found = gather(rows, count, questions, groups);
    qsort(groups, found, sizeof *groups, by_count);
    qkv__text_format(out,
                     "<section class=\"open\" aria-labelledby=\"mistakes\">\n<h2 "
                     "id=\"mistakes\">Commonest mistakes</h2>\n%s<ol>\n",
                     found == 0 ? "<p>No answer was refuted.</p>\n" : "");
    for (size_t i = 0; i < found && i < 50; i++) {
        const group *g = &groups[i];
        qkv__text_format(out, "<li><strong>%zu ×</strong> ", g->count);
        put_escaped(out, "", g->answer->label, ": ");
        qkv__html_formula(out, g->answer->claim);
        put_escaped(out, " (", g->example, g->count > 1 ? " and others). " : "). ");
        if (g->answer->found[0] != '\0') {
            qkv__text_format(out, "In fact ");
            qkv__html_found(out, g->answer->found);
            qkv__text_format(out, ". ");
        }
        if (g->answer->hint[0] != '\0')
            put_escaped(out, "", g->answer->hint, "</li>\n");
        else
            put_prose(out, "", g->answer->reason, "</li>\n");
    }
    qkv__text_format(out, "</ol></section>\n");
    qkv__free(groups);
    return true;
}

static void put_to_look_at(qkv__text *out, const qkv_key *key, const qkv_class_row *rows,
                           size_t count)
{
    size_t found = 0;
    for (size_t r = 0; r < count; r++)
        for (size_t q = 0; rows[r].answers != NULL && q < qkv_key_count(key); q++) {
            const qkv_answer *a = &rows[r].answers[q];
            if (a->mark != QKV_MARK_LOOK && a->mark != QKV_MARK_ERROR) continue;
            if (found++ == 0)
                qkv__text_format(out, "<section class=\"open\" aria-labelledby=\"look\">\n<h2 "
                                      "id=\"look\">To look at</h2>\n<ol>\n");
            put_escaped(out, "<li>", rows[r].name, ", ");
            put_escaped(out, "", a->label, ": ");
            qkv__html_formula(out, a->claim);
            put_prose(out, ". ", a->reason, "</li>\n");
        }
    if (found > 0) qkv__text_format(out, "</ol></section>\n");
}

static void put_averages(qkv__text *out, const qkv_key *key, const qkv_class_row *rows,
                         size_t count)
{
    double sum = 0.0;
    size_t judged = 0;
    for (size_t i = 0; i < count; i++) {
        judged += rows[i].answers != NULL;
        sum += points_of(&rows[i], qkv_key_count(key));
    }
    qkv__text_format(out, "<p class=\"lede\">%zu student%s", count, count == 1 ? "" : "s");
    if (judged > 0)
        qkv__text_format(out, ", on average %.3g of %.15g points", sum / (double)judged,
                         qkv_key_points(key));
    if (judged < count) qkv__text_format(out, "; %zu not judged", count - judged);
    qkv__text_format(out, ".</p>\n");
}

qkv_status qkv_html_class(const qkv_key *key, const qkv_class_row *rows, size_t count,
                          qkv_picture *page, qkv_error *error)
{
    if (key == NULL || (rows == NULL && count > 0) || page == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "key, rows or page is NULL");
    qkv__text out = {0};
    qkv__html_head(&out, "Grades");
    qkv__text_format(&out, "<header class=\"summary\">\n<h1>Grades</h1>\n");
    put_averages(&out, key, rows, count);
    qkv__text_format(&out, "</header>\n<main id=\"documents\">\n");
    put_matrix(&out, key, rows, count);
    if (!put_mistakes(&out, key, rows, count)) out.failed = true;
    put_to_look_at(&out, key, rows, count);
    return finish(&out, page, error);
}
