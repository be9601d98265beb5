/* Collecting a file, writing it beside its target and renaming it. Knows nothing of what is in it.
 */
#include "draft.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hold.h"
#include "report.h"

static int fail_write(const char *who, const char *path)
{
    return cli_fail(who, "%s: cannot write: %s", path,
                    errno != 0 ? strerror(errno) : "an earlier write failed");
}

/* text + ending, to be freed; NULL without memory. */
static char *join(const char *text, const char *ending)
{
    size_t length = strlen(text);
    char *joined = malloc(length + strlen(ending) + 1);
    if (joined != NULL) {
        memcpy(joined, text, length);
        strcpy(joined + length, ending);
    }
    return joined;
}

/* Permissions of the file to come: those of the one it replaces, or what the umask leaves. */
static mode_t permissions(const struct stat *there, bool exists)
{
    mode_t mask = umask(0);
    umask(mask);
    return exists ? there->st_mode & 07777 : 0666 & ~mask;
}

/* A new file beside the target, which is opened for writing; NULL once that is told. */
static FILE *open_temporary(const char *who, cli_draft *draft)
{
    struct stat there;
    bool exists = stat(draft->target, &there) == 0;
    FILE *stream = NULL;
    draft->temporary = join(draft->target, ".XXXXXX");
    int file = draft->temporary == NULL ? -1 : mkstemp(draft->temporary);
    if (file < 0) {
        fail_write(who, draft->target);
        free(draft->temporary);
        draft->temporary = NULL;
        return NULL;
    }
    if (fchmod(file, permissions(&there, exists)) == 0) stream = fdopen(file, "wb");
    if (stream == NULL) {
        fail_write(who, draft->target);
        close(file);
    }
    return stream;
}

static void remove_temporary(cli_draft *draft)
{
    if (draft->temporary != NULL) unlink(draft->temporary);
    free(draft->temporary);
    draft->temporary = NULL;
}

/* Whether a file can be made there at all, which is better known before the work than after. */
static int try_temporary(const char *who, cli_draft *draft)
{
    cli_hold_begin();
    FILE *stream = open_temporary(who, draft);
    if (stream != NULL) fclose(stream);
    remove_temporary(draft);
    cli_hold_end();
    return stream == NULL ? CLI_FAILURE : CLI_PROCEED;
}

int cli_draft_begin(const char *who, const char *path, cli_draft *draft)
{
    struct stat there;
    bool exists = stat(path, &there) == 0;
    *draft = (cli_draft){.stream = NULL};
    bool regular = exists && S_ISREG(there.st_mode);
    draft->target = regular ? realpath(path, NULL) : join(path, "");
    if (draft->target == NULL) return fail_write(who, path);
    draft->direct = exists && !regular;
    if (!draft->direct && try_temporary(who, draft) != CLI_PROCEED) return CLI_FAILURE;
    draft->stream = draft->direct ? fopen(path, "wb") : tmpfile();
    return draft->stream == NULL ? fail_write(who, path) : CLI_PROCEED;
}

/* Both streams keep in mind whether anything failed. */
static bool copy(FILE *from, FILE *to)
{
    char bytes[1 << 14];
    size_t count;
    if (fseek(from, 0, SEEK_SET) != 0) return false;
    while ((count = fread(bytes, 1, sizeof bytes, from)) > 0 && !ferror(to))
        fwrite(bytes, 1, count, to);
    return !ferror(from) && !ferror(to);
}

/* All that was written, to the temporary file and from there to its place. */
static int put_in_place(const char *who, cli_draft *draft)
{
    FILE *stream = open_temporary(who, draft);
    if (stream == NULL) return CLI_FAILURE;
    bool good = copy(draft->stream, stream) && fflush(stream) == 0 && fsync(fileno(stream)) == 0;
    int reason = errno;
    if (fclose(stream) != 0 && good) {
        good = false;
        reason = errno;
    }
    errno = reason;
    if (good) good = rename(draft->temporary, draft->target) == 0;
    if (!good) return fail_write(who, draft->target);
    free(draft->temporary);
    draft->temporary = NULL;
    return CLI_SUCCESS;
}

int cli_draft_commit(const char *who, cli_draft *draft)
{
    errno = 0; /* of an earlier write that failed only the flag is left */
    if (fflush(draft->stream) != 0 || ferror(draft->stream)) return fail_write(who, draft->target);
    if (!draft->direct) {
        cli_hold_begin();
        int status = put_in_place(who, draft);
        remove_temporary(draft);
        cli_hold_end();
        return status;
    }
    FILE *stream = draft->stream;
    draft->stream = NULL;
    return fclose(stream) == 0 ? CLI_SUCCESS : fail_write(who, draft->target);
}

void cli_draft_end(cli_draft *draft)
{
    if (draft->stream != NULL) fclose(draft->stream);
    remove_temporary(draft);
    free(draft->target);
    *draft = (cli_draft){.stream = NULL};
}
