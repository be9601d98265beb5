/* Signals that would end the command wait while a file beside its target has a name. */
#ifndef QKV_CLI_HOLD_H
#define QKV_CLI_HOLD_H

#include <qkv/file.h>

/* Between them such a signal is only noted; cli_hold_end then ends the process by it. */
void cli_hold_begin(void);
void cli_hold_end(void);

/* qkv_tensor_write, between the two: a signal ends a long one early, and nothing is left. */
qkv_status cli_write_tensors(const qkv_tensor_output *outputs, size_t count, qkv_error *error);

#endif
