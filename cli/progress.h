/* A note on standard error that work is still going on, for terminals alone. */
#ifndef QKV_CLI_PROGRESS_H
#define QKV_CLI_PROGRESS_H

/* The note appears after a second unless it is ended before. */
void cli_progress_begin(const char *who, const char *what);

/* Takes the note away again. */
void cli_progress_end(void);

#endif
