/*
 * A library to preload: one system call of the program fails, or does less than it was asked to. It
 * sees those that the C library makes by itself, for stdio, as well. Knows nothing of the program.
 *
 *     QKV_FAIL_CALL  one of the names in the table below, or "any"
 *     QKV_FAIL_AT    which of these calls, from 1; 0: none, they are only counted
 *     QKV_FAIL_HOW   a number of errno; or "short": a transfer of 1 byte, or "lasting NUMBER": all
 *                    that follow fail as well, or "signal NUMBER": the process gets it before
 *     QKV_FAIL_UNNAMED   if set, there are no files without a name, as on some file systems. Needs
 *                    "any" or "openat"
 *     QKV_FAIL_LOG   a file for the number of calls that were made
 *
 * A seccomp filter turns the calls into a signal, in whose handler they are made after all, from an
 * address that the filter lets pass. Linux, x86-64 and 64-bit ARM.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static const struct {
    const char *name;
    int number;
} calls[] = {
    {"read", SYS_read},     {"write", SYS_write},           {"writev", SYS_writev},
    {"openat", SYS_openat}, {"newfstatat", SYS_newfstatat}, {"mmap", SYS_mmap},
    {"fsync", SYS_fsync},   {"fchmod", SYS_fchmod},         {"lseek", SYS_lseek},
    {"close", SYS_close},   {"ftruncate", SYS_ftruncate},   {"linkat", SYS_linkat},
#ifdef SYS_rename
    {"rename", SYS_rename},
#else
    {"rename", SYS_renameat},
#endif
};
enum { CALL_COUNT = sizeof calls / sizeof calls[0] };

/* The call itself, at an address that can be told to the filter: just behind its instruction. */
long fail_calls_pass(long number, long a, long b, long c, long d, long e, long f);
extern const char fail_calls_passed[];
#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
__asm__(".text\n.globl fail_calls_pass\n.hidden fail_calls_pass\n"
        ".globl fail_calls_passed\n.hidden fail_calls_passed\n"
        "fail_calls_pass:\n"
        "mov %rdi, %rax\n mov %rsi, %rdi\n mov %rdx, %rsi\n mov %rcx, %rdx\n"
        "mov %r8, %r10\n mov %r9, %r8\n mov 8(%rsp), %r9\n"
        "syscall\n"
        "fail_calls_passed:\n ret\n");
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
__asm__(".text\n.globl fail_calls_pass\n.hidden fail_calls_pass\n"
        ".globl fail_calls_passed\n.hidden fail_calls_passed\n"
        "fail_calls_pass:\n"
        "mov x8, x0\n mov x0, x1\n mov x1, x2\n mov x2, x3\n mov x3, x4\n mov x4, x5\n mov x5, x6\n"
        "svc #0\n"
        "fail_calls_passed:\n ret\n");
#endif

static int watched = -1; /* a number from the table; -1: all of them */
static long fail_at;
static int fail_with;   /* errno; 0: short */
static int signal_with; /* 0: none */
static bool lasting, unnamed_fail;
static atomic_long made;
static int record = -1;

/* Standard error always works: how else would a failure be told? */
static long act(long number, const long *a)
{
    if ((number == SYS_write || number == SYS_writev) && a[0] == STDERR_FILENO)
        return fail_calls_pass(number, a[0], a[1], a[2], 0, 0, 0);
    if (unnamed_fail && number == SYS_openat && (a[2] & O_TMPFILE) == O_TMPFILE) return -EOPNOTSUPP;
    const long count = atomic_fetch_add(&made, 1) + 1;
    const bool chosen = count == fail_at || (lasting && fail_at > 0 && count > fail_at);
    const bool transfer = number == SYS_read || number == SYS_write;
    if (chosen && signal_with != 0) kill(getpid(), signal_with);
    if (chosen && fail_with != 0) return -fail_with;
    if (chosen && signal_with == 0 && transfer && a[2] > 1)
        return fail_calls_pass(number, a[0], a[1], 1, 0, 0, 0);
    return fail_calls_pass(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static void handle(int signal_number, siginfo_t *about, void *context)
{
    mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;
    (void)signal_number;
#if defined(__x86_64__)
    const greg_t *r = machine->gregs;
    const long arguments[] = {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]};
    machine->gregs[REG_RAX] = act(about->si_syscall, arguments);
#else
    const unsigned long long *r = machine->regs;
    const long arguments[] = {(long)r[0], (long)r[1], (long)r[2],
                              (long)r[3], (long)r[4], (long)r[5]};
    machine->regs[0] = (unsigned long long)act(about->si_syscall, arguments);
#endif
}

/* ---- The filter ------------------------------------------------------------------------------ */

static bool install(void)
{
    const uint64_t pass = (uint64_t)(uintptr_t)fail_calls_passed;
    struct sock_filter code[2 * CALL_COUNT + 16];
    size_t n = 0;
#define FIELD(name) (uint32_t) offsetof(struct seccomp_data, name)
#define PUT(...) code[n++] = (struct sock_filter)__VA_ARGS__
    PUT(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIELD(arch)));
    PUT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
    PUT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    /* From the passing address: both halves. */
    PUT(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIELD(instruction_pointer)));
    PUT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)pass, 0, 3));
    PUT(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIELD(instruction_pointer) + 4));
    PUT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(pass >> 32), 0, 1));
    PUT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    PUT(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIELD(nr)));
    for (size_t i = 0; i < CALL_COUNT; i++) {
        if (watched >= 0 && watched != calls[i].number) continue;
        PUT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i].number, 0, 1));
        PUT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP));
    }
    PUT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    struct sock_fprog program = {.len = (unsigned short)n, .filter = code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

static void read_settings(void)
{
    const char *name = getenv("QKV_FAIL_CALL"), *at = getenv("QKV_FAIL_AT");
    const char *how = getenv("QKV_FAIL_HOW"), *log = getenv("QKV_FAIL_LOG");
    for (size_t i = 0; name != NULL && i < CALL_COUNT; i++)
        if (strcmp(name, calls[i].name) == 0) watched = calls[i].number;
    fail_at = at == NULL ? 0 : atol(at);
    lasting = how != NULL && strncmp(how, "lasting ", 8) == 0;
    unnamed_fail = getenv("QKV_FAIL_UNNAMED") != NULL;
    if (how != NULL && strncmp(how, "signal ", 7) == 0)
        signal_with = atoi(how + 7);
    else if (how != NULL && strcmp(how, "short") != 0)
        fail_with = atoi(lasting ? how + 8 : how);
    if (log != NULL) record = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

__attribute__((constructor)) static void begin(void)
{
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_NODEFER};
    if (getenv("QKV_FAIL_CALL") == NULL) return;
    read_settings();
    if (sigaction(SIGSYS, &action, NULL) != 0 || !install()) {
        dprintf(record, "no filter: %s\n", strerror(errno));
        _exit(77);
    }
}

__attribute__((destructor)) static void end(void)
{
    char text[64];
    const int length = snprintf(text, sizeof text, "made %ld\n", atomic_load(&made));
    if (record >= 0) fail_calls_pass(SYS_write, record, (long)text, length, 0, 0, 0);
}
