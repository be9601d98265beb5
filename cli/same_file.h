/* Whether two names are one file: results must not take the place of what they were made from. */
#ifndef QKV_CLI_SAME_FILE_H
#define QKV_CLI_SAME_FILE_H

#include <stdbool.h>

/* Links are followed. Names of files that are yet to be made are the same in the same folder;
 * devices and pipes may be written to by many. */
bool cli_same_file(const char *a, const char *b);

/* Whether there is a regular file of that name. */
bool cli_file_exists(const char *path);

#endif
