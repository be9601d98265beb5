/* One launch of a forward kernel: tensor maps, parameters, and which variant. */
#ifndef QKV_ATTENTION_CUDA_FORWARD_CALL_H
#define QKV_ATTENTION_CUDA_FORWARD_CALL_H

#include <cuda.h>
#include <cuda_runtime.h>

#include "params.h"

typedef struct qkv__cuda_forward_call {
    CUtensorMap query, key, value;
    qkv__cuda_forward parameters;
    bool half; /* f16, not bf16 */
    bool ranged, capped;
    unsigned blocks;
    cudaStream_t stream;
} qkv__cuda_forward_call;

extern "C" {
cudaError_t qkv__cuda_forward_64(const qkv__cuda_forward_call *call);
cudaError_t qkv__cuda_forward_128(const qkv__cuda_forward_call *call);
cudaError_t qkv__cuda_forward_192(const qkv__cuda_forward_call *call);
cudaError_t qkv__cuda_forward_256(const qkv__cuda_forward_call *call);
/* With dropout: every call, whether ranged or not; none that is capped. */
cudaError_t qkv__cuda_forward_dropped_64(const qkv__cuda_forward_call *call);
cudaError_t qkv__cuda_forward_dropped_128(const qkv__cuda_forward_call *call);
}

#endif
