/* Few queries over long caches, for widths of 256. */
#include "decode_launch.cuh"

extern "C" cudaError_t qkv__cuda_decode_256(const qkv__cuda_decode_call *call)
{
    return qkv::launch_decode<256, 256>(call);
}
