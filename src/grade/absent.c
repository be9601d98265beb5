/* Stands in for the teacher's desk where the checker was left out of the build: says so. */
#include <qkv/grade.h>

#include "base/error.h"

static qkv_status refuse(qkv_error *error)
{
    return qkv__fail(error, QKV_ERROR_UNSUPPORTED,
                     "this qkv was built without the checker (FLINT with Arb)");
}

const char *qkv_mark_name(qkv_mark mark)
{
    (void)mark;
    return "";
}

qkv_status qkv_key_read(const char *name, const char *text, size_t length, double seconds,
                        qkv_key **key, qkv_error *error)
{
    (void)name, (void)text, (void)length, (void)seconds, (void)key;
    return refuse(error);
}

size_t qkv_key_count(const qkv_key *key)
{
    (void)key;
    return 0;
}

const qkv_question *qkv_key_question(const qkv_key *key, size_t index)
{
    (void)key, (void)index;
    return NULL;
}

double qkv_key_points(const qkv_key *key)
{
    (void)key;
    return 0.0;
}

void qkv_key_free(qkv_key **key)
{
    (void)key;
}

qkv_status qkv_grade_document(const qkv_key *key, const char *name, const char *text, size_t length,
                              qkv_grade **grade, qkv_error *error)
{
    (void)key, (void)name, (void)text, (void)length, (void)grade;
    return refuse(error);
}

size_t qkv_grade_count(const qkv_grade *grade)
{
    (void)grade;
    return 0;
}

const qkv_answer *qkv_grade_answer(const qkv_grade *grade, size_t index)
{
    (void)grade, (void)index;
    return NULL;
}

double qkv_grade_points(const qkv_grade *grade)
{
    (void)grade;
    return 0.0;
}

size_t qkv_grade_note_count(const qkv_grade *grade)
{
    (void)grade;
    return 0;
}

const char *qkv_grade_note(const qkv_grade *grade, size_t index)
{
    (void)grade, (void)index;
    return NULL;
}

void qkv_grade_free(qkv_grade **grade)
{
    (void)grade;
}
