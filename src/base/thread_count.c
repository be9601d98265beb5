/* How many threads a call may use: what the caller, the environment and the system say. Knows
 * nothing of the threads themselves. */
#define _GNU_SOURCE /* sched_getaffinity */
#include <qkv/threads.h>

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/once.h"
#include "base/threads.h"

enum { LINE = 4096 };

/* ---- The system ----------------------------------------------------------------------------- */

/* Cores that a quota of processor time is worth, rounded up; 0: there is no quota. */
static int quota_cores(double quota, double period)
{
    if (!(quota > 0.0) || !(period > 0.0)) return 0;
    const double cores = quota / period;
    return cores >= QKV__WORKERS_AT_MOST ? 0 : (int)cores + (cores > (int)cores);
}

/* "max 100000", or "150000 100000": microseconds in each period. */
int qkv__cgroup_cores(const char *text)
{
    double quota, period;
    return sscanf(text, "%lf %lf", &quota, &period) == 2 ? quota_cores(quota, period) : 0;
}

#if defined(__linux__)
/* The first line of a file, or false. */
static bool read_line(const char *path, char *line)
{
    FILE *file = fopen(path, "re");
    const bool good = file != NULL && fgets(line, LINE, file) != NULL;
    if (file != NULL) fclose(file);
    return good;
}

/* Cores of one cgroup, whose files are in that folder: of version 2, or of version 1. */
static int folder_cores(const char *folder, bool second)
{
    char file[2 * LINE + 64], line[LINE], period[LINE];
    snprintf(file, sizeof file, "%s/%s", folder, second ? "cpu.max" : "cpu.cfs_quota_us");
    if (!read_line(file, line)) return 0;
    if (second) return qkv__cgroup_cores(line);
    snprintf(file, sizeof file, "%s/cpu.cfs_period_us", folder);
    return read_line(file, period) ? quota_cores(strtod(line, NULL), strtod(period, NULL)) : 0;
}

/* 0 is no limit. */
static int lesser(int a, int b)
{
    return a > 0 && (b == 0 || a < b) ? a : b;
}

/* The least quota of a cgroup and those around it. A container may see its own group as the root,
 * and yet be told the path outside: folders that are not there set no limit. `path` is changed. */
static int path_cores(const char *root, char *path, bool second)
{
    for (int least = 0;;) {
        char folder[2 * LINE];
        snprintf(folder, sizeof folder, "%s%s%s", root, second ? "" : "/cpu", path);
        least = lesser(folder_cores(folder, second), least);
        char *slash = strrchr(path, '/');
        if (slash == NULL) return least;
        *slash = '\0';
    }
}

/* Whether "cpu" is one of the names in "cpu,cpuacct", which ends before `end`. */
static bool names_cpu(const char *names, const char *end)
{
    while (names < end) {
        const size_t length = strcspn(names, ",:");
        if (length == 3 && memcmp(names, "cpu", 3) == 0) return true;
        names += length + 1;
    }
    return false;
}

/* A line is "0::/path" in version 2 of cgroups, "4:cpu,cpuacct:/path" in version 1. */
int qkv__cgroup_quota(const char *membership, const char *root)
{
    char line[LINE];
    int least = 0;
    FILE *file = fopen(membership, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *names = strchr(line, ':'), *path = names == NULL ? NULL : strchr(names + 1, ':');
        if (path == NULL) continue;
        const bool second = strncmp(line, "0::", 3) == 0;
        if (second || names_cpu(names + 1, path))
            least = lesser(path_cores(root, path + 1, second), least);
    }
    if (file != NULL) fclose(file);
    return least;
}
#else
int qkv__cgroup_quota(const char *membership, const char *root)
{
    (void)membership, (void)root;
    return 0;
}
#endif

static int allowed_cores(void)
{
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return CPU_COUNT(&set);
#endif
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

/* ---- The environment ------------------------------------------------------------------------ */

static int environment; /* 0: says nothing */
static int quota;       /* cores of the cgroup; 0: no limit */

/* A whole number from 1, or the first of a list of them; 0: none. */
int qkv__threads_parse(const char *text)
{
    char *end;
    if (text == NULL) return 0;
    const long number = strtol(text, &end, 10);
    if (end == text || (*end != '\0' && *end != ',' && *end != ' ') || number < 1) return 0;
    return number > QKV__WORKERS_AT_MOST ? QKV__WORKERS_AT_MOST : (int)number;
}

static void look(void)
{
    environment = qkv__threads_parse(getenv("QKV_THREADS"));
    if (environment == 0) environment = qkv__threads_parse(getenv("OMP_NUM_THREADS"));
    quota = qkv__cgroup_quota("/proc/self/cgroup", "/sys/fs/cgroup");
}

/* ---- The caller ----------------------------------------------------------------------------- */

static atomic_int chosen; /* by qkv_set_threads; 0: not */

qkv_status qkv_set_threads(int threads, qkv_error *error)
{
    if (threads < 0)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "threads is %d; expected 1 or more, or 0 for the default", threads);
    atomic_store(&chosen, threads > QKV__WORKERS_AT_MOST ? QKV__WORKERS_AT_MOST : threads);
    return QKV_OK;
}

int qkv_get_threads(void)
{
    static qkv__once_flag once = QKV__ONCE_INIT;
    const int threads = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (threads > 0) return threads;
    qkv__once(&once, look);
    if (environment > 0) return environment;
    const int cores = allowed_cores();
    return quota > 0 && quota < cores ? quota : cores;
}

int qkv__core_count(void)
{
    return qkv_get_threads();
}
