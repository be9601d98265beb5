/*
 * Talking with the peer through two pipes: a line with the row's numbers there, a line with seconds
 * back. A peer that dies or does not speak is no peer from then on.
 */
#include "peer.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "problem.h"

static FILE *to_peer, *from_peer;
static pid_t process;
static char name[64];

static bool hear(char *line, int room)
{
    if (from_peer == NULL || fgets(line, room, from_peer) == NULL) return false;
    line[strcspn(line, "\n")] = '\0';
    return true;
}

static bool open_pipes(const char *python, const char *script)
{
    int down[2], up[2];
    if (pipe(down) != 0 || pipe(up) != 0) return false;
    process = fork();
    if (process < 0) return false;
    if (process == 0) {
        dup2(down[0], STDIN_FILENO);
        dup2(up[1], STDOUT_FILENO);
        close(down[1]);
        close(up[0]);
        execlp(python, python, script, (char *)NULL);
        _exit(127);
    }
    close(down[0]);
    close(up[1]);
    to_peer = fdopen(down[1], "w");
    from_peer = fdopen(up[0], "r");
    return to_peer != NULL && from_peer != NULL;
}

bool peer_start(const char *python, const char *script)
{
    signal(SIGPIPE, SIG_IGN); /* a peer that is gone is seen by its silence */
    if (open_pipes(python, script) && hear(name, sizeof name) && name[0] != '\0') return true;
    peer_stop();
    return false;
}

const char *peer_name(void)
{
    return name[0] != '\0' ? name : NULL;
}

double peer_measure(const row *r, double seconds)
{
    static const char *const families[] = {"forward", "decode", "backward", "small"};
    static const char *const forms[] = {"full", "causal", "window", "gqa", "mask"};
    char line[64];
    if (to_peer == NULL || r->type == QKV_I8) return 0.0; /* which it does not have */
    fprintf(to_peer, "%s %s %s %zu %zu %zu %zu %zu %d %zu %d %g\n", families[r->family],
            qkv_type_name(r->type), forms[r->form], r->heads, r->kv_heads, r->queries, r->keys,
            r->width, ROW_WINDOW, problem_caches(r), r->threads, seconds);
    fflush(to_peer);
    if (hear(line, sizeof line)) return strtod(line, NULL);
    peer_stop();
    return 0.0;
}

void peer_stop(void)
{
    if (to_peer != NULL) fclose(to_peer);
    if (from_peer != NULL) fclose(from_peer);
    if (process > 0) waitpid(process, NULL, 0);
    to_peer = from_peer = NULL;
    process = 0;
    name[0] = '\0';
}
