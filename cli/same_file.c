/* Files by their identity in the file system. Knows nothing of what is in them. */
#include "same_file.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

static bool is_one(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* What is known of the folder that the name is in. */
static bool stat_folder(const char *path, struct stat *found)
{
    char folder[PATH_MAX + 2]; /* the system takes no longer ones */
    size_t length = (size_t)(base_of(path) - path);
    if (length > PATH_MAX) return false;
    memcpy(folder, path, length);
    strcpy(folder + length, "."); /* "." for a name alone, else "folder/." */
    return stat(folder, found) == 0;
}

bool cli_same_file(const char *a, const char *b)
{
    struct stat first, second;
    bool first_there = stat(a, &first) == 0, second_there = stat(b, &second) == 0;
    if (first_there || second_there)
        return first_there && second_there && S_ISREG(first.st_mode) && is_one(&first, &second);
    return strcmp(base_of(a), base_of(b)) == 0 && stat_folder(a, &first) &&
           stat_folder(b, &second) && is_one(&first, &second);
}

bool cli_file_exists(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}
