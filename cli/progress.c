/* The note comes from the alarm's signal, since the work itself is one call of the library. */
#include "progress.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char note[256];
static volatile sig_atomic_t shown;

static void show(int signal_number)
{
    (void)signal_number;
    if (write(STDERR_FILENO, note, strlen(note)) > 0) shown = 1;
}

void cli_progress_begin(const char *who, const char *what)
{
    if (!isatty(STDERR_FILENO)) return;
    snprintf(note, sizeof note, "%s: %.150s: still at work ...", who, what);
    shown = 0;
    struct sigaction action = {.sa_handler = show, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGALRM, &action, NULL) == 0) alarm(1);
}

void cli_progress_end(void)
{
    alarm(0);
    if (shown) fprintf(stderr, "\r\033[K");
    shown = 0;
}
