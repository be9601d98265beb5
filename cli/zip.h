/* Zip files: members one after the other, then a directory of them. */
#ifndef QKV_CLI_ZIP_H
#define QKV_CLI_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { CLI_ZIP_MEMBERS = 256 };

typedef struct cli_zip_member {
    char name[200];
    uint32_t sum, length, stored, offset; /* stored: bytes in the file */
    bool executable;
} cli_zip_member;

typedef struct cli_zip {
    FILE *stream;
    uint64_t offset;
    size_t count;
    cli_zip_member member[CLI_ZIP_MEMBERS];
    bool failed; /* too many members, or too large */
} cli_zip;

void cli_zip_add(cli_zip *zip, const char *name, const void *bytes, size_t length, bool executable);

/* The directory. False: something did not fit, and the file is no good. */
bool cli_zip_finish(cli_zip *zip);

#endif
