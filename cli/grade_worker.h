/*
 * Students' documents, each judged in a process of its own: one that takes too long, or too much
 * memory, or brings the checker down, is told and harms no other. Several run at a time.
 */
#ifndef QKV_CLI_GRADE_WORKER_H
#define QKV_CLI_GRADE_WORKER_H

#include <stddef.h>

#include <qkv/grade.h>

/* What came back. Strings are its own. */
typedef struct cli_graded {
    qkv_answer *answers; /* as many as the key has questions; NULL: it was not judged */
    const char *failure; /* why not; NULL: it was */
    char told[256];      /* the failure, which needs no memory of its own */
    char *page;          /* the HTML report; NULL: none */
    size_t page_length;
    size_t note_count;
    char *notes;         /* separated by '\0' */
    char *bytes;         /* all of the above */
    size_t length;
} cli_graded;

typedef struct cli_grading {
    const char *who;
    const qkv_key *key;
    size_t count, jobs;
    char **files;
    double seconds; /* for each document */
    void (*done)(size_t finished, size_t count); /* after each of them; NULL: nobody is told */
} cli_grading;

/* graded has room for `count`. CLI_PROCEED, or CLI_FAILURE once that is told. */
int cli_grade_all(const cli_grading *grading, cli_graded *graded);
void cli_graded_free(cli_graded *graded, size_t count);

#endif
