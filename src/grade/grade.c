/* A student's document to a grade: question by question. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "grade/part.h"
#include "language/complaint.h"
#include "language/document.h"

struct qkv_grade {
    qkv__arena arena;
    size_t count, note_count;
    qkv_answer *answer;
    qkv__text notes; /* separated by '\0' */
};

const char *qkv_mark_name(qkv_mark mark)
{
    static const char *const names[] = {
        [QKV_MARK_LOOK] = "to look at",    [QKV_MARK_RIGHT] = "right",
        [QKV_MARK_LIMIT] = "in the limit", [QKV_MARK_WRONG] = "wrong",
        [QKV_MARK_NOTHING] = "no answer",  [QKV_MARK_MISSING] = "missing",
        [QKV_MARK_ERROR] = "error",
    };
    return (unsigned)mark < sizeof names / sizeof names[0] ? names[mark] : "";
}

static qkv_status judge_all(const qkv_key *key, const qkv__document *document, qkv_grade *grade,
                            qkv_error *error)
{
    qkv_status status = QKV_OK;
    grade->answer = qkv__arena_array(&grade->arena, key->question_count, sizeof *grade->answer);
    if (grade->answer == NULL) return qkv__fail_memory(error, sizeof *grade->answer);
    for (size_t i = 0; i < key->question_count && status == QKV_OK; i++) {
        status =
            qkv__judge(key, &key->question[i], document, &grade->arena, &grade->answer[i], error);
        grade->count++;
    }
    if (status == QKV_OK) qkv__answer_notes(key, document, &grade->notes, &grade->note_count);
    if (status == QKV_OK && (grade->arena.failed || grade->notes.failed))
        status = qkv__fail_memory(error, grade->arena.used);
    return status;
}

qkv_status qkv_grade_document(const qkv_key *key, const char *name, const char *text, size_t length,
                              qkv_grade **grade, qkv_error *error)
{
    qkv__document document;
    if (key == NULL || name == NULL || text == NULL || grade == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "key, name, text or grade is NULL");
    const size_t failures = qkv__memory_failures();
    qkv_grade *made = qkv__allocate_zero(sizeof *made);
    if (made == NULL) return qkv__fail_memory(error, sizeof *made);
    qkv_status status = qkv__document_read(name, text, length, &document, error);
    if (status == QKV_OK && document.first == NULL && document.complaint_count == 0 && length > 0 &&
        qkv_is_markdown(name, text, length))
        qkv__document_complain(&document, (qkv__place){1, 1, 1},
                               "there is no block of claims here: begin one with ```qkv");
    if (status == QKV_OK) {
        status = judge_all(key, &document, made, error);
        qkv__document_free(&document);
    }
    /* A lack of memory anywhere might have made an answer another one. */
    if (status == QKV_OK && qkv__memory_failures() != failures)
        status = qkv__fail_memory(error, length);
    if (status != QKV_OK)
        qkv_grade_free(&made);
    else
        *grade = made;
    return status;
}

size_t qkv_grade_count(const qkv_grade *grade)
{
    return grade->count;
}

const qkv_answer *qkv_grade_answer(const qkv_grade *grade, size_t index)
{
    return index < grade->count ? &grade->answer[index] : NULL;
}

double qkv_grade_points(const qkv_grade *grade)
{
    double sum = 0.0;
    for (size_t i = 0; i < grade->count; i++) sum += grade->answer[i].points;
    return sum;
}

size_t qkv_grade_note_count(const qkv_grade *grade)
{
    return grade->note_count;
}

const char *qkv_grade_note(const qkv_grade *grade, size_t index)
{
    if (index >= grade->note_count) return NULL;
    const char *note = grade->notes.data;
    for (size_t i = 0; i < index; i++) note += strlen(note) + 1;
    return note;
}

void qkv_grade_free(qkv_grade **grade)
{
    if (grade == NULL || *grade == NULL) return;
    qkv__arena_free(&(*grade)->arena);
    qkv__text_free(&(*grade)->notes);
    qkv__free(*grade);
    *grade = NULL;
}
