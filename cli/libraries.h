/* How the libraries below qkv behave in this process. */
#ifndef QKV_CLI_LIBRARIES_H
#define QKV_CLI_LIBRARIES_H

/* To be called once, before any of them is used. */
void cli_libraries_begin(void);

#endif
