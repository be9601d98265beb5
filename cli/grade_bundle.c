/* The members of the zip. Knows what Gradescope runs, and how to ask the dynamic linker which
 * libraries a program is using. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "grade_bundle.h"

#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "document.h"
#include "draft.h"
#include "report.h"
#include "target.h"
#include "zip.h"

/* Gradescope unpacks the zip into /autograder/source and runs setup.sh there once, then
 * /autograder/run_autograder for each submission. */
static const char setup[] = "#!/bin/sh\n"
                            "# Made by qkv grade. Nothing needs to be installed.\n"
                            "set -eu\n"
                            "here=$(cd \"$(dirname \"$0\")\" && pwd)\n"
                            "chmod +x \"$here/run_autograder\" \"$here/bin/qkv\" \"$here\"/lib/ld-*\n";

static const char run_autograder[] =
    "#!/bin/sh\n"
    "# Made by qkv grade. Judges the one .md or .qkv file of a submission by the key.\n"
    "set -eu\n"
    "base=${AUTOGRADER:-/autograder}\n"
    "source=$base/source\n"
    "mkdir -p \"$base/results\"\n"
    "file=$(find \"$base/submission\" -type f \\( -name '*.md' -o -name '*.qkv' \\) | sort | head "
    "-n 1)\n"
    "if [ -z \"$file\" ]; then\n"
    "    file=$base/results/nothing-handed-in.md\n"
    "    : > \"$file\"\n"
    "fi\n"
    "loader=$(ls \"$source\"/lib/ld-* | head -n 1)\n"
    "rm -f \"$base/results/results.json\"\n"
    "\"$loader\" --library-path \"$source/lib\" \"$source/bin/qkv\" grade --quiet \\\n"
    "    --gradescope \"$base/results/results.json\" \"$source/KEY\" \"$file\" || true\n"
    "if [ ! -s \"$base/results/results.json\" ]; then\n"
    "    echo '{\"score\": 0, \"output\": \"The autograder failed: please tell your teacher.\"}' \\\n"
    "        > \"$base/results/results.json\"\n"
    "fi\n";

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static bool add_file(const char *who, cli_zip *zip, const char *name, const char *path,
                     bool executable)
{
    size_t length;
    char *bytes = cli_document_read(who, path, &length);
    if (bytes == NULL) return false;
    cli_zip_add(zip, name, bytes, length, executable);
    free(bytes);
    return true;
}

/* What a walk over the libraries of this process fills in. */
typedef struct library_walk {
    const char *who;
    cli_zip *zip;
    bool good;
} library_walk;

/* A library as the dynamic linker found it: the name of the file is the one that programs ask for,
 * such as libm.so.6, also where it is a link to another. */
static int add_library(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    char name[200];
    library_walk *walk = data;
    if (strchr(info->dlpi_name, '/') == NULL) return 0; /* the program itself, the kernel's page */
    snprintf(name, sizeof name, "lib/%s", base_of(info->dlpi_name));
    walk->good = walk->good && add_file(walk->who, walk->zip, name, info->dlpi_name, true);
    return 0;
}

static bool add_libraries(const char *who, cli_zip *zip)
{
    library_walk walk = {who, zip, true};
    dl_iterate_phdr(add_library, &walk);
    return walk.good;
}

static bool add_script(cli_zip *zip, const char *key)
{
    const char *mark = strstr(run_autograder, "KEY");
    const size_t front = (size_t)(mark - run_autograder), length = strlen(key);
    char *script = malloc(sizeof run_autograder + length);
    if (script == NULL) return false;
    memcpy(script, run_autograder, front);
    memcpy(script + front, key, length);
    strcpy(script + front + length, mark + 3);
    cli_zip_add(zip, "run_autograder", script, strlen(script), true);
    free(script);
    return true;
}

int cli_grade_bundle(const char *who, const char *key, const char *path)
{
    cli_draft draft;
    char *const documents[] = {(char *)key};
    const char *name = strcmp(base_of(key), "-") == 0 ? "" : base_of(key);
    const bool plain = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                    "0123456789._-") == strlen(name);
    int status = cli_target_check(who, "--gradescope-zip", path, CLI_TARGET_ZIP, 1, documents);
    if (status != CLI_PROCEED) return status;
    if (name[0] == '\0' || !plain)
        return cli_fail(who, "--gradescope-zip: the key's name may have letters, digits, . _ and - "
                             "only");
    status = cli_draft_begin(who, path, &draft);
    cli_zip *zip = status == CLI_PROCEED ? calloc(1, sizeof *zip) : NULL;
    if (zip != NULL) {
        zip->stream = draft.stream;
        cli_zip_add(zip, "made-by-qkv-grade", "", 0, false); /* known again by this */
        bool good = add_script(zip, name);
        cli_zip_add(zip, "setup.sh", setup, sizeof setup - 1, true);
        good = good && add_file(who, zip, name, key, false) &&
               add_file(who, zip, "bin/qkv", "/proc/self/exe", true) && add_libraries(who, zip);
        if (good && !cli_zip_finish(zip)) good = (cli_fail(who, "%s: too large", path), false);
        status = good ? cli_draft_commit(who, &draft) : CLI_FAILURE;
    } else if (status == CLI_PROCEED) {
        status = cli_fail(who, "out of memory");
    }
    free(zip);
    cli_draft_end(&draft);
    return status;
}
