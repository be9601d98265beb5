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

/* The least quota of a cgroup and those around it. `path` is changed. */
static int group_cores(char *path)
{
    int least = 0;
    for (;;) {
        char file[LINE + 64], line[LINE];
        snprintf(file, sizeof file, "/sys/fs/cgroup%s/cpu.max", path);
        const int cores = read_line(file, line) ? qkv__cgroup_cores(line) : 0;
        if (cores > 0 && (least == 0 || cores < least)) least = cores;
        char *slash = strrchr(path, '/');
        if (slash == NULL) return least;
        *slash = '\0';
    }
}

/* By version 2 of cgroups, where a line "0::/path" says which one, or else by version 1. */
static int cgroup_cores(void)
{
    char line[LINE] = "", period[LINE] = "";
    FILE *file = fopen("/proc/self/cgroup", "re");
    int cores = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "0::", 3) == 0) cores = group_cores(line + 3);
    }
    if (file != NULL) fclose(file);
    if (cores > 0) return cores;
    if (!read_line("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", line) ||
        !read_line("/sys/fs/cgroup/cpu/cpu.cfs_period_us", period))
        return 0;
    return quota_cores(strtod(line, NULL), strtod(period, NULL));
}
#else
static int cgroup_cores(void)
{
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
    quota = cgroup_cores();
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
