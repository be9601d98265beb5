/* What the command arranges for its process before anything else. */
#ifndef QKV_CLI_PROCESS_H
#define QKV_CLI_PROCESS_H

/* Tells the libraries below qkv, and the system, how this process ends when something is lost. */
void cli_process_begin(void);

#endif
