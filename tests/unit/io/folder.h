/*
 * A folder of its own for each test of files: made empty and entered before the test, and left
 * and removed after it, when no temporary file may lie in it and no memory may be held.
 */
#ifndef QKV_TESTS_UNIT_FOLDER_H
#define QKV_TESTS_UNIT_FOLDER_H

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <qkv/status.h>

#include "base/memory.h"

typedef struct folder {
    char path[512];
    long live; /* allocations before the test */
} folder;

static inline int folder_remove_one(const char *path, const struct stat *about, int kind,
                                    struct FTW *place)
{
    (void)about, (void)kind, (void)place;
    return remove(path);
}

static inline int folder_enter(void **state)
{
    static folder room;
    const char *parent = getenv("TMPDIR");
    snprintf(room.path, sizeof room.path, "%s/qkv-test-XXXXXX", parent == NULL ? "/tmp" : parent);
    if (mkdtemp(room.path) == NULL || chdir(room.path) != 0) return -1;
    room.live = qkv__memory_live();
    *state = &room;
    return 0;
}

/* The entries whose names end in `ending`, "." and ".." aside. */
static inline size_t folder_count(const char *path, const char *ending)
{
    size_t count = 0;
    DIR *directory = opendir(path);
    if (directory == NULL) return (size_t)-1;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        size_t length = strlen(entry->d_name), tail = strlen(ending);
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (length >= tail && strcmp(entry->d_name + length - tail, ending) == 0) count++;
    }
    closedir(directory);
    return count;
}

static inline int folder_leave(void **state)
{
    const folder *room = *state;
    size_t left = folder_count(".", ".part");
    if (left != 0) fprintf(stderr, "%zu temporary files were left\n", left);
    long held = qkv__memory_live() - room->live;
    if (held != 0) fprintf(stderr, "%ld allocations were not freed\n", held);
    int removed =
        chdir("/") == 0 ? nftw(room->path, folder_remove_one, 8, FTW_DEPTH | FTW_PHYS) : -1;
    return left == 0 && held == 0 && removed == 0 ? 0 : -1;
}

static inline void file_put(const char *path, const void *bytes, size_t count)
{
    FILE *stream = fopen(path, "wb");
    if (stream == NULL || fwrite(bytes, 1, count, stream) != count || fclose(stream) != 0) abort();
}

/* The bytes of a whole file, up to `capacity`; (size_t)-1 when there is none. */
static inline size_t file_get(const char *path, void *bytes, size_t capacity)
{
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) return (size_t)-1;
    size_t count = fread(bytes, 1, capacity, stream);
    fclose(stream);
    return count;
}

/*
 * Runs `work` in a process of its own, and as a user without rights where the test has them all:
 * a superuser is refused nothing. Returns what it reports.
 */
static inline qkv_error run_apart(void (*work)(qkv_error *report))
{
    qkv_error report = {.status = QKV_OK, .message = ""};
    int ends[2];
    fflush(NULL);
    if (pipe(ends) != 0) abort();
    pid_t child = fork();
    if (child < 0) abort();
    if (child == 0) {
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(1);
        work(&report);
        _exit(write(ends[1], &report, sizeof report) == (ssize_t)sizeof report ? 0 : 1);
    }
    close(ends[1]);
    int outcome = -1;
    ssize_t got = read(ends[0], &report, sizeof report);
    close(ends[0]);
    if (waitpid(child, &outcome, 0) != child || outcome != 0 || got != (ssize_t)sizeof report)
        abort();
    return report;
}

#endif
