/* The journal of a sweep. Knows lines and nothing of what is in them. */
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_ROOM = 1024 };

/* FNV-1a, of 64 bits. */
static uint64_t checksum(const char *text, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* One write, one flush: the line is in the file as a whole or, after a crash, cut short. */
static bool append(int file, const char *line)
{
    const size_t length = strlen(line);
    return write(file, line, length) == (ssize_t)length && fsync(file) == 0;
}

static char *copy(const char *text, size_t length)
{
    char *made = malloc(length + 1);
    if (made == NULL) return NULL;
    memcpy(made, text, length);
    made[length] = '\0';
    return made;
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* "CELL TEXT CHECKSUM", without its newline; false if it is anything else. */
static bool take_line(journal *j, const char *line, size_t length)
{
    char *end = NULL;
    size_t last = length;
    while (last > 0 && line[last - 1] != ' ') last--;
    if (last == 0 || length - last != 16 ||
        strtoull(line + last, NULL, 16) != checksum(line, last - 1))
        return false;
    const size_t cell = (size_t)strtoull(line, &end, 10);
    if (end == line || *end != ' ' || cell >= j->cells) return false;
    if (j->line[cell] != NULL) return true; /* the same, since cells do not depend on the run */
    j->line[cell] = copy(end + 1, (size_t)(line + last - 1 - (end + 1)));
    j->finished += j->line[cell] != NULL;
    return j->line[cell] != NULL;
}

static char *read_whole(int file, size_t *length)
{
    struct stat about;
    if (fstat(file, &about) != 0) return NULL;
    char *text = malloc((size_t)about.st_size + 1);
    *length = 0;
    while (text != NULL && *length < (size_t)about.st_size) {
        const ssize_t got =
            pread(file, text + *length, (size_t)about.st_size - *length, (off_t)*length);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        *length += (size_t)got;
    }
    if (text != NULL) text[*length] = '\0';
    return text;
}

/* The lines behind the head; what does not end as it should is cut off, and computed again. */
static const char *take_lines(journal *j, const char *text, size_t length, size_t at)
{
    while (at < length) {
        const char *end = memchr(text + at, '\n', length - at);
        if (end == NULL || !take_line(j, text + at, (size_t)(end - (text + at)))) break;
        at = (size_t)(end - text) + 1;
    }
    if (at == length) return NULL;
    if (memchr(text + at, '\n', length - at) != NULL &&
        (const char *)memchr(text + at, '\n', length - at) != text + length - 1)
        return "has a damaged line that is not the last; expected a journal of qkv-mpi sweep";
    j->mended = true;
    return ftruncate(j->file, (off_t)at) == 0 ? NULL : "cannot be mended";
}

static const char *take_text(journal *j, const char *head, const char *text, size_t length)
{
    const size_t head_length = strlen(head);
    /* A crash may have cut the head itself short. */
    if (length < head_length && memcmp(text, head, length) == 0) {
        j->mended = length > 0;
        return ftruncate(j->file, 0) == 0 && append(j->file, head) ? NULL : "cannot be written";
    }
    if (memcmp(text, head, 12) != 0) return "is not a journal of qkv-mpi sweep";
    if (memcmp(text, head, head_length) != 0)
        return "belongs to another sweep; expected the same options, or a new file";
    return take_lines(j, text, length, head_length);
}

const char *journal_open(const char *path, const char *parameters, size_t cells, journal *j)
{
    char head[64];
    size_t length = 0;
    *j = (journal){.file = open(path, O_CREAT | O_RDWR | O_APPEND, 0666), .cells = cells};
    static char reason[128];
    if (j->file < 0) {
        snprintf(reason, sizeof reason, "cannot be opened: %s", strerror(errno));
        return reason;
    }
    if (flock(j->file, LOCK_EX | LOCK_NB) != 0) return "another sweep is writing it";
    j->line = calloc(cells + 1, sizeof *j->line);
    char *text = read_whole(j->file, &length);
    if (j->line == NULL || text == NULL) {
        free(text);
        return "out of memory";
    }
    snprintf(head, sizeof head, "qkv-sweep 1 %016llx\n",
             (unsigned long long)checksum(parameters, strlen(parameters)));
    const char *wrong = take_text(j, head, text, length);
    free(text);
    return wrong;
}

/* ---- Writing -------------------------------------------------------------------------------- */

bool journal_add(journal *j, size_t cell, const char *text)
{
    char line[LINE_ROOM];
    const int length = snprintf(line, sizeof line, "%zu %s", cell, text);
    if (length < 0 || (size_t)length + 20 > sizeof line) return false;
    snprintf(line + length, sizeof line - (size_t)length, " %016llx\n",
             (unsigned long long)checksum(line, (size_t)length));
    if (!append(j->file, line)) return false;
    if (j->line[cell] != NULL) return true;
    j->line[cell] = copy(text, strlen(text));
    j->finished += j->line[cell] != NULL;
    return j->line[cell] != NULL;
}

void journal_close(journal *j)
{
    for (size_t i = 0; j->line != NULL && i < j->cells; i++) free(j->line[i]);
    free(j->line);
    if (j->file >= 0) close(j->file);
    *j = (journal){.file = -1};
}
