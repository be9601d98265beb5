/*
 * What the command tells the libraries below qkv and the system. qkv as a library leaves both
 * alone: a process is the command's to configure. Libraries are known by weak symbols, absent where
 * the command is built without them; only their names appear here, no headers.
 *
 * FLINT, GMP and C++ (CLP) have no way to report that memory ran out; left alone, they abort. Here
 * they end the process with one line and the status of a failure. So does an input file that
 * shrinks while it is read: it is mapped, and the system then sends SIGBUS. Nothing is lost by
 * that: results are written to a temporary file and renamed, with nothing of this at work
 * meanwhile. See docs/decisions/0017-out-of-memory-in-libraries.md.
 */
#include "process.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report.h"

/* Without stdio, which may want memory, or be at work already. */
static _Noreturn void end_with(const char *line)
{
    (void)!write(STDERR_FILENO, line, strlen(line));
    _exit(CLI_FAILURE);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static void end_without_file(int signal_number)
{
    (void)signal_number;
    end_with("qkv: an input file was changed while it was read\n");
}

static void watch_files(void)
{
    struct sigaction action = {.sa_handler = end_without_file};
    sigaction(SIGBUS, &action, NULL);
}

/* ---- Libraries ------------------------------------------------------------------------------- */

#if defined(__GNUC__)

static _Noreturn void end_without_memory(void)
{
    end_with("qkv: out of memory\n");
}

static void *must(void *memory)
{
    if (memory == NULL) end_without_memory();
    return memory;
}

static void *must_allocate(size_t bytes)
{
    return must(malloc(bytes == 0 ? 1 : bytes));
}

static void *must_allocate_zero(size_t count, size_t bytes)
{
    return must(calloc(count == 0 ? 1 : count, bytes == 0 ? 1 : bytes));
}

static void *must_reallocate(void *memory, size_t bytes)
{
    return must(realloc(memory, bytes == 0 ? 1 : bytes));
}

/* GMP also tells the sizes, which malloc knows. */
static void *must_reallocate_sized(void *memory, size_t old_bytes, size_t bytes)
{
    (void)old_bytes;
    return must_reallocate(memory, bytes);
}

static void free_sized(void *memory, size_t bytes)
{
    (void)bytes;
    free(memory);
}

extern void __gmp_set_memory_functions(void *(*allocate)(size_t),
                                       void *(*reallocate)(void *, size_t, size_t),
                                       void (*release)(void *, size_t)) __attribute__((weak));
extern void __flint_set_memory_functions(void *(*allocate)(size_t),
                                         void *(*allocate_zero)(size_t, size_t),
                                         void *(*reallocate)(void *, size_t),
                                         void (*release)(void *)) __attribute__((weak));
/* std::set_new_handler */
extern void (*set_new_handler(void (*handler)(void)))(void) __asm__("_ZSt15set_new_handlerPFvvE")
    __attribute__((weak));
extern void openblas_set_num_threads(int count) __attribute__((weak));
extern int blas_thread_shutdown_(void) __attribute__((weak));

static void tell_libraries(void)
{
    if (__gmp_set_memory_functions != NULL)
        __gmp_set_memory_functions(must_allocate, must_reallocate_sized, free_sized);
    if (__flint_set_memory_functions != NULL)
        __flint_set_memory_functions(must_allocate, must_allocate_zero, must_reallocate, free);
    if (set_new_handler != NULL) set_new_handler(end_without_memory);
    /* OpenBLAS starts its threads as it is loaded, and each waits for work in a loop for a tenth of
     * a second. Our matrices are small: they need none. The order counts, since the first call
     * would start them again. */
    if (openblas_set_num_threads != NULL) openblas_set_num_threads(1);
    if (blas_thread_shutdown_ != NULL) blas_thread_shutdown_();
}

#else

static void tell_libraries(void)
{
}

#endif

void cli_process_begin(void)
{
    watch_files();
    tell_libraries();
}
