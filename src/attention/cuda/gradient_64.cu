/* The gradient's kernel of width 64. */
#include "gradient_launch.cuh"

extern "C" cudaError_t qkv__cuda_gradient_64(const qkv__cuda_gradient_call *call)
{
    return qkv::gradient_family<64, 3, 3>::launch(call);
}
