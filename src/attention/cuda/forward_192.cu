/* The forward kernels of width 192, with values of width 128. */
#include "forward_launch.cuh"
#include "shapes.h"

using shape = qkv::forward_family<192, 128, QKV__CUDA_192_CONSUMERS, QKV__CUDA_192_KEYS_FULL,
                                  QKV__CUDA_192_KEYS_RANGED, 2, QKV__CUDA_192_EARLY>;

extern "C" cudaError_t qkv__cuda_forward_192(const qkv__cuda_forward_call *call)
{
    return shape::launch(call);
}
