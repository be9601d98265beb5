/* The gradient's kernels of width 64 for lists of sequences and for soft caps. */
#include "gradient_launch.cuh"

extern "C" cudaError_t qkv__cuda_gradient_listed_64(const qkv__cuda_gradient_call *call)
{
    return qkv::gradient_family<64, 3, 3>::launch_listed(call);
}
