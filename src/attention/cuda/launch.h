/* The door from plain C to the CUDA runtime. Streams are void * here. */
#ifndef QKV_ATTENTION_CUDA_LAUNCH_H
#define QKV_ATTENTION_CUDA_LAUNCH_H

#include "attention/cuda/gradient_plan.h"
#include "attention/cuda/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The current device. */
qkv_status qkv__cuda_device_read(qkv__cuda_device *device, qkv_error *error);

/* Fills the workspace and starts the kernel of a plan on the stream; waits for nothing. */
qkv_status qkv__cuda_launch(const qkv__cuda_plan *plan, const qkv__problem *problem,
                            void *workspace, void *stream, qkv_error *error);

/* The same for the gradient; in launch_gradient.cu. */
qkv_status qkv__cuda_gradient_launch(const qkv__cuda_gradient_plan *plan,
                                     const qkv__gradient *gradient, void *workspace, void *stream,
                                     qkv_error *error);

#ifdef __cplusplus
}
#endif
#endif
