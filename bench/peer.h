/*
 * The peer, PyTorch's scaled_dot_product_attention, in a process of its own (attention_peer.py)
 * that answers row by row, so that both are measured next to each other in time.
 */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stdbool.h>

#include "row.h"

/* Starts PYTHON SCRIPT. False where PyTorch is missing: then there is no peer. */
bool peer_start(const char *python, const char *script);

/* "torch 2.11.0", or NULL when there is no peer. */
const char *peer_name(void);

/* The best seconds of the row there, `seconds` long measured; 0 when there is none. */
double peer_measure(const row *r, double seconds);

void peer_stop(void);

#endif
