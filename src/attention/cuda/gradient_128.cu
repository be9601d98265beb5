/* The gradient's kernel of width 128. */
#include "gradient_launch.cuh"

extern "C" cudaError_t qkv__cuda_gradient_128(const qkv__cuda_gradient_call *call)
{
    return qkv::gradient_family<128, 3, 2>::launch(call);
}
