/*
 * Runs a target on inputs that are kept, each in a copy of its exact size.
 *
 *     replay_... FOLDER...    every file in these folders; prints TAP
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run_file(const char *folder, const char *name)
{
    static uint8_t bytes[1 << 16];
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *stream = fopen(path, "rb");
    const size_t size = stream == NULL ? 0 : fread(bytes, 1, sizeof bytes, stream);
    if (stream == NULL || ferror(stream) || fclose(stream) != 0) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(1);
    }
    uint8_t *exact = malloc(size == 0 ? 1 : size);
    if (exact == NULL) exit(1);
    memcpy(exact, bytes, size);
    fprintf(stderr, "%s\n", path); /* the last one is what ended the program */
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

int main(int count, char **words)
{
    size_t files = 0;
    for (int i = 1; i < count; i++) {
        DIR *folder = opendir(words[i]);
        if (folder == NULL) {
            fprintf(stderr, "%s: is no folder\n", words[i]);
            return 1;
        }
        for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
            if (entry->d_name[0] != '.') run_file(words[i], entry->d_name), files++;
        closedir(folder);
    }
    printf("1..1\n%s 1 - %zu inputs\n", files > 0 ? "ok" : "not ok", files);
    return files > 0 ? 0 : 1;
}
