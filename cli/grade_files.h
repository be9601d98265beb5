/* The files that `qkv grade` writes: results.json, grades.csv, and reports. */
#ifndef QKV_CLI_GRADE_FILES_H
#define QKV_CLI_GRADE_FILES_H

#include <stdio.h>

#include "grade_worker.h"

/* What a Gradescope autograder returns: one test per question. */
void cli_grade_gradescope(FILE *stream, const qkv_key *key, const cli_graded *graded);

/* One line per student: name, points, then points and mark of every question. */
void cli_grade_csv(FILE *stream, const qkv_key *key, char *const *names, const cli_graded *graded,
                   size_t count);

#endif
