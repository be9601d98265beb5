/* Starting the kernel that draws samples. */
#ifndef QKV_LAB_CUDA_DRAW_H
#define QKV_LAB_CUDA_DRAW_H

#include <qkv/status.h>

#include "lab/cuda/draw_plan.h"

/* Queues the copy of `bytes` bytes, a multiple of 4, to the workspace in pieces, and the kernel. */
qkv_status qkv__cuda_lab_launch(const qkv__cuda_lab *call, const void *tables, size_t bytes,
                                void *workspace, void *stream, qkv_error *error);

#endif
