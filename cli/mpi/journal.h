/*
 * A journal: a file of finished cells that is never in a state from which work cannot go on. Every
 * cell is one line with a checksum, appended by one write and flushed to disk before the next; a
 * line that was cut short by a crash is recognised and dropped.
 *
 *     qkv-sweep 1 DIGEST           the first line: DIGEST is that of the sweep's parameters
 *     CELL TEXT CHECKSUM           one line per cell, in the order in which they were finished
 */
#ifndef QKV_CLI_MPI_JOURNAL_H
#define QKV_CLI_MPI_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct journal {
    int file;
    size_t cells;    /* of the sweep */
    char **line;     /* of each cell its text, or NULL: not finished */
    size_t finished; /* how many are */
    bool mended;     /* the last line was cut short, and is gone */
} journal;

/*
 * Opens or begins a journal, and locks it against a second sweep. Returns NULL, or what is wrong,
 * in words, to be put behind the path.
 */
const char *journal_open(const char *path, const char *parameters, size_t cells, journal *j);

/* A cell is finished: false if that could not be written. */
bool journal_add(journal *j, size_t cell, const char *text);

void journal_close(journal *j);

#endif
