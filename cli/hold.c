/*
 * Signals that wait until no temporary file is left. Blocking them would not do: threads of other
 * libraries do not block them, and the system would give them to those. Handlers do, which is why
 * this is the command's business and not the library's.
 */
#include "hold.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <qkv/threads.h>

/* Those that people and systems end a process with. */
static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { COUNT = sizeof ending / sizeof ending[0] };

static struct sigaction before[COUNT];
static atomic_int noted; /* 0: none */

static void note(int number)
{
    atomic_store(&noted, number);
}

/* What is ignored or handled already stays so. Calls are not restarted: one that waits for a reader
 * fails, and so ends. */
void cli_hold_begin(void)
{
    struct sigaction action = {.sa_handler = note};
    sigemptyset(&action.sa_mask);
    atomic_store(&noted, 0);
    for (int i = 0; i < COUNT; i++) {
        sigaction(ending[i], NULL, &before[i]);
        if (before[i].sa_handler == SIG_DFL) sigaction(ending[i], &action, NULL);
    }
}

void cli_hold_end(void)
{
    for (int i = 0; i < COUNT; i++) sigaction(ending[i], &before[i], NULL);
    if (atomic_load(&noted) != 0) raise(atomic_load(&noted));
}

static bool is_noted(void *context)
{
    (void)context;
    return atomic_load(&noted) != 0;
}

qkv_status cli_write_tensors(const qkv_tensor_output *outputs, size_t count, qkv_error *error)
{
    cli_hold_begin();
    qkv_set_interrupt(is_noted, NULL);
    qkv_status status = qkv_tensor_write(outputs, count, error);
    qkv_set_interrupt(NULL, NULL);
    cli_hold_end();
    return status;
}
