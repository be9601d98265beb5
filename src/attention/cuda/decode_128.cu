/* Few queries over long caches, for widths of 128. */
#include "decode_launch.cuh"

extern "C" cudaError_t qkv__cuda_decode_128(const qkv__cuda_decode_call *call)
{
    return qkv::launch_decode<128, 128>(call);
}
