/* Few queries over long caches, for widths of 64. */
#include "decode_launch.cuh"

extern "C" cudaError_t qkv__cuda_decode_64(const qkv__cuda_decode_call *call)
{
    return qkv::launch_decode<64, 64>(call);
}
