/* Processes and the pipes between them. Knows how a grade travels; nothing of how it is reached. */
#include "grade_worker.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <qkv/html.h>

#include "report.h"

/* No answer is as long as this; something that reads like one is an attack or a mistake. */
enum { LARGEST_FILE = 1 << 20, MOST_JOBS = 64 };
/* The address sanitizer takes terabytes of addresses for itself, which are no memory. */
#if defined(__SANITIZE_ADDRESS__)
#define ADDRESSES_ARE_MEMORY 0
#elif defined(__has_feature)
#define ADDRESSES_ARE_MEMORY !__has_feature(address_sanitizer)
#else
#define ADDRESSES_ARE_MEMORY 1
#endif
static const rlim_t MEMORY = ADDRESSES_ARE_MEMORY ? (rlim_t)4 << 30 : RLIM_INFINITY;

/* ---- In the child: a grade as bytes --------------------------------------------------------- */

static void put_bytes(FILE *stream, const void *bytes, size_t length)
{
    fwrite(bytes, 1, length, stream);
}

static void put_string(FILE *stream, const char *text)
{
    put_bytes(stream, text, strlen(text) + 1);
}

static void put_failure(FILE *stream, const char *reason)
{
    fputc('!', stream);
    put_string(stream, reason);
}

static void put_answer(FILE *stream, const qkv_answer *a)
{
    put_bytes(stream, a, sizeof *a); /* its pointers are replaced by those of the receiver */
    put_string(stream, a->claim);
    put_string(stream, a->found);
    put_string(stream, a->reason);
    put_string(stream, a->hint);
    put_string(stream, a->mistake);
}

static void put_grade(FILE *stream, const qkv_grade *grade, const qkv_picture *page)
{
    const size_t notes = qkv_grade_note_count(grade);
    fputc('=', stream);
    for (size_t i = 0; i < qkv_grade_count(grade); i++)
        put_answer(stream, qkv_grade_answer(grade, i));
    put_bytes(stream, &notes, sizeof notes);
    for (size_t i = 0; i < notes; i++) put_string(stream, qkv_grade_note(grade, i));
    put_bytes(stream, &page->length, sizeof page->length);
    put_bytes(stream, page->data, page->length);
}

/* The document, or NULL with the reason told. */
static char *read_document(FILE *out, const char *path, size_t *length)
{
    char reason[200];
    FILE *stream = fopen(path, "rb");
    char *text = stream == NULL ? NULL : malloc(LARGEST_FILE + 1);
    *length = text == NULL ? 0 : fread(text, 1, LARGEST_FILE + 1, stream);
    bool good = text != NULL && !ferror(stream) && *length <= LARGEST_FILE;
    if (!good) {
        const bool large = text != NULL && *length > LARGEST_FILE;
        snprintf(reason, sizeof reason, large ? "larger than a megabyte" : "cannot be read: %s",
                 strerror(errno));
        put_failure(out, reason);
        free(text);
        text = NULL;
    }
    if (stream != NULL) fclose(stream);
    return text;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static void judge(const cli_grading *g, const char *path, FILE *out)
{
    size_t length;
    qkv_error error;
    qkv_grade *grade = NULL;
    qkv_picture page = {.data = NULL};
    char *text = read_document(out, path, &length);
    if (text == NULL) return;
    qkv_status status = qkv_grade_document(g->key, path, text, length, &grade, &error);
    if (status == QKV_OK)
        status = qkv_html_grade(g->key, cli_shown(base_name(path)).text, grade, &page, &error);
    if (status == QKV_OK)
        put_grade(out, grade, &page);
    else
        put_failure(out, error.message);
    qkv_picture_free(&page);
    qkv_grade_free(&grade);
    free(text);
}

/* Never comes back. Its exit status says why what it has to tell could not be passed on. */
static void be_child(const cli_grading *g, const char *path, int pipe_end)
{
    const rlim_t seconds = (rlim_t)g->seconds + 2;
    setrlimit(RLIMIT_AS, &(struct rlimit){MEMORY, MEMORY});
    setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds});
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    FILE *out = fdopen(pipe_end, "wb");
    if (out == NULL) _exit(errno);
    judge(g, path, out);
    _exit(fclose(out) == 0 ? 0 : errno);
}

/* ---- In the parent: bytes as a grade -------------------------------------------------------- */

typedef struct reader {
    char *at, *end;
    bool failed;
} reader;

static char *take_bytes(reader *r, size_t length)
{
    char *bytes = r->at;
    if (r->failed || (size_t)(r->end - r->at) < length) return r->failed = true, NULL;
    r->at += length;
    return bytes;
}

static char *take_string(reader *r)
{
    char *end = r->failed ? NULL : memchr(r->at, '\0', (size_t)(r->end - r->at));
    if (end == NULL) return r->failed = true, NULL;
    char *text = r->at;
    r->at = end + 1;
    return text;
}

static size_t take_size(reader *r)
{
    size_t size = 0;
    const char *bytes = take_bytes(r, sizeof size);
    if (bytes != NULL) memcpy(&size, bytes, sizeof size);
    return size;
}

static void take_answer(reader *r, const qkv_question *question, qkv_answer *a)
{
    const char *bytes = take_bytes(r, sizeof *a);
    if (bytes == NULL) return;
    memcpy(a, bytes, sizeof *a);
    a->label = question->label;
    a->claim = take_string(r);
    a->found = take_string(r);
    a->reason = take_string(r);
    a->hint = take_string(r);
    a->mistake = take_string(r);
}

static void take_grade(const qkv_key *key, reader *r, cli_graded *graded)
{
    const size_t questions = qkv_key_count(key);
    graded->answers = calloc(questions + 1, sizeof *graded->answers);
    if (graded->answers == NULL) r->failed = true;
    for (size_t i = 0; i < questions && !r->failed; i++)
        take_answer(r, qkv_key_question(key, i), &graded->answers[i]);
    graded->note_count = take_size(r);
    graded->notes = r->at;
    for (size_t i = 0; i < graded->note_count && !r->failed; i++) take_string(r);
    graded->page_length = take_size(r);
    graded->page = take_bytes(r, graded->page_length);
}

static void take_failure(cli_graded *graded, const char *reason)
{
    free(graded->answers);
    graded->answers = NULL;
    graded->page = NULL;
    graded->note_count = 0;
    snprintf(graded->told, sizeof graded->told, "%s", reason);
    graded->failure = graded->told;
}

static void take_result(const qkv_key *key, cli_graded *graded)
{
    reader r = {graded->bytes, graded->bytes + graded->length, graded->length == 0};
    const char *kind = take_bytes(&r, 1);
    if (kind != NULL && *kind == '!') {
        const char *reason = take_string(&r);
        take_failure(graded, reason == NULL ? "not judged" : reason);
    } else {
        take_grade(key, &r, graded);
        if (r.failed) take_failure(graded, "the checker broke down on it");
    }
}

/* ---- Several at a time ---------------------------------------------------------------------- */

typedef struct job {
    pid_t process; /* 0: none */
    int pipe_end;
    size_t file;
    double deadline;
    bool gone;   /* it has ended */
    int trouble; /* 0, or an errno: why it could not be listened to, or could not tell */
} job;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool start(const cli_grading *g, size_t file, job *j)
{
    int ends[2];
    if (pipe(ends) != 0) return false;
    fflush(NULL);
    pid_t process = fork();
    if (process == 0) {
        close(ends[0]);
        be_child(g, g->files[file], ends[1]);
    }
    close(ends[1]);
    if (process < 0) {
        close(ends[0]);
        return false;
    }
    *j = (job){
        .process = process, .pipe_end = ends[0], .file = file, .deadline = now() + g->seconds};
    return true;
}

/* More of what a child says; false at the end of it. */
static bool listen(job *j, cli_graded *graded)
{
    char buffer[1 << 16];
    ssize_t got = read(j->pipe_end, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) return true;
    if (got < 0) j->trouble = errno;
    if (got <= 0) return false;
    char *grown = realloc(graded->bytes, graded->length + (size_t)got);
    if (grown == NULL) j->trouble = ENOMEM;
    if (grown == NULL) return false;
    memcpy(grown + graded->length, buffer, (size_t)got);
    graded->bytes = grown;
    graded->length += (size_t)got;
    return true;
}

/* Whether a child has ended; waits for that unless `options` says WNOHANG. */
static bool is_gone(job *j, int options)
{
    int status = 0;
    pid_t found = 0;
    while (!j->gone && (found = waitpid(j->process, &status, options)) < 0 && errno == EINTR) {
    }
    if (found == j->process && WIFEXITED(status) && j->trouble == 0)
        j->trouble = WEXITSTATUS(status);
    j->gone = j->gone || found != 0;
    return j->gone;
}

static void finish(const cli_grading *g, job *j, cli_graded *graded, bool late)
{
    if (late) kill(j->process, SIGKILL);
    is_gone(j, 0);
    close(j->pipe_end);
    if (late)
        take_failure(graded, "it took too long to judge");
    else if (j->trouble != 0)
        take_failure(graded, strerror(j->trouble));
    else
        take_result(g->key, graded);
    j->process = 0;
}

/* Waits until a child says something, or until one is late. */
static void wait_for(job *jobs, size_t count)
{
    struct pollfd ends[MOST_JOBS];
    double left = 1.0;
    nfds_t open = 0;
    for (size_t i = 0; i < count; i++) {
        if (jobs[i].process == 0) continue;
        const double own = jobs[i].deadline - now();
        if (own < left) left = own;
        ends[open++] = (struct pollfd){.fd = jobs[i].pipe_end, .events = POLLIN};
    }
    poll(ends, open, left <= 0.0 ? 0 : (int)(1000.0 * left) + 1);
}

static bool has_news(const job *j)
{
    struct pollfd end = {.fd = j->pipe_end, .events = POLLIN};
    return poll(&end, 1, 0) > 0;
}

int cli_grade_all(const cli_grading *g, cli_graded *graded)
{
    job jobs[MOST_JOBS] = {{0}};
    const size_t most = g->jobs < MOST_JOBS ? g->jobs : MOST_JOBS;
    size_t started = 0, finished = 0;
    bool failed = false;
    while (finished < started || (started < g->count && !failed)) {
        for (size_t i = 0; i < most && started < g->count && !failed; i++)
            if (jobs[i].process == 0) failed = !start(g, started, &jobs[i]), started += !failed;
        wait_for(jobs, most);
        for (size_t i = 0; i < most; i++) {
            if (jobs[i].process == 0) continue;
            cli_graded *own = &graded[jobs[i].file];
            const bool gone = is_gone(&jobs[i], WNOHANG); /* then nothing more will come */
            const bool ended = has_news(&jobs[i]) ? !listen(&jobs[i], own) : gone;
            const bool late = !ended && now() > jobs[i].deadline;
            if (!ended && !late) continue;
            finish(g, &jobs[i], own, late);
            finished++;
            if (g->done != NULL) g->done(finished, g->count);
        }
    }
    if (failed) return cli_fail(g->who, "cannot start a process: %s", strerror(errno));
    return CLI_PROCEED;
}

void cli_graded_free(cli_graded *graded, size_t count)
{
    for (size_t i = 0; graded != NULL && i < count; i++) {
        free(graded[i].answers);
        free(graded[i].bytes);
    }
    free(graded);
}
