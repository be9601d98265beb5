/* The members of the zip. Knows what Gradescope runs, and where Linux says which libraries a
 * program is using. */
#include "grade_bundle.h"

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

/* A library as the memory map of this process names it: "... /usr/lib/libm.so.6\n". */
static char *library_of(char *line)
{
    char *path = strchr(line, '/');
    if (path == NULL) return NULL;
    path[strcspn(path, "\n")] = '\0';
    return strstr(base_of(path), ".so") == NULL ? NULL : path;
}

static bool has_member(const cli_zip *zip, const char *name)
{
    for (size_t i = 0; i < zip->count; i++)
        if (strcmp(zip->member[i].name, name) == 0) return true;
    return false;
}

/* The libraries are known by the names that programs ask for, which need not be those of the files:
 * libm.so.6, also where the file is libm-2.36.so. Both are added where they differ. */
static void short_name(const char *name, char *wanted, size_t capacity)
{
    const char *so = strstr(name, ".so.");
    size_t length = strlen(name);
    if (so != NULL) {
        const char *dot = strchr(so + 4, '.');
        if (dot != NULL) length = (size_t)(dot - name);
    }
    snprintf(wanted, capacity, "lib/%.*s", (int)length, name);
}

static bool add_libraries(const char *who, cli_zip *zip)
{
    char line[4096], name[200];
    bool good = true;
    FILE *map = fopen("/proc/self/maps", "r");
    if (map == NULL) return cli_fail(who, "cannot tell which libraries this program uses"), false;
    while (good && fgets(line, sizeof line, map) != NULL) {
        const char *path = library_of(line);
        if (path == NULL) continue;
        short_name(base_of(path), name, sizeof name);
        if (!has_member(zip, name)) good = add_file(who, zip, name, path, true);
    }
    fclose(map);
    return good;
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
