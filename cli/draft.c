/* Writing a file beside its target and renaming it. Knows nothing of what is in it. */
#include "draft.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"

static int fail_write(const char *who, const char *path)
{
    return cli_fail(who, "%s: cannot write: %s", path, strerror(errno));
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

static int open_temporary(const char *who, cli_draft *draft, mode_t mode)
{
    draft->temporary = join(draft->target, ".XXXXXX");
    if (draft->temporary == NULL) return cli_fail(who, "out of memory");
    int file = mkstemp(draft->temporary);
    if (file < 0) {
        int failure = fail_write(who, draft->target);
        free(draft->temporary);
        draft->temporary = NULL;
        return failure;
    }
    if (fchmod(file, mode) == 0) draft->stream = fdopen(file, "wb");
    if (draft->stream != NULL) return CLI_PROCEED;
    int failure = fail_write(who, draft->target);
    close(file);
    return failure;
}

int cli_draft_begin(const char *who, const char *path, cli_draft *draft)
{
    struct stat there;
    bool exists = stat(path, &there) == 0;
    *draft = (cli_draft){.stream = NULL};
    bool regular = exists && S_ISREG(there.st_mode);
    draft->target = regular ? realpath(path, NULL) : join(path, "");
    if (draft->target == NULL) return fail_write(who, path);
    if (regular || !exists) return open_temporary(who, draft, permissions(&there, exists));
    draft->stream = fopen(path, "wb");
    return draft->stream == NULL ? fail_write(who, path) : CLI_PROCEED;
}

int cli_draft_commit(const char *who, cli_draft *draft)
{
    bool good = fflush(draft->stream) == 0 && !ferror(draft->stream);
    if (good && draft->temporary != NULL) good = fsync(fileno(draft->stream)) == 0;
    if (fclose(draft->stream) != 0) good = false;
    draft->stream = NULL;
    if (good && draft->temporary != NULL) good = rename(draft->temporary, draft->target) == 0;
    if (!good) return fail_write(who, draft->target);
    free(draft->temporary);
    draft->temporary = NULL;
    return CLI_SUCCESS;
}

void cli_draft_end(cli_draft *draft)
{
    if (draft->stream != NULL) fclose(draft->stream);
    if (draft->temporary != NULL) unlink(draft->temporary);
    free(draft->temporary);
    free(draft->target);
    *draft = (cli_draft){.stream = NULL};
}
