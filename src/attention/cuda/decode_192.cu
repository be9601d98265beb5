/* Few queries over long caches, for keys of width 192 and values of width 128. */
#include "decode_launch.cuh"

extern "C" cudaError_t qkv__cuda_decode_192(const qkv__cuda_decode_call *call)
{
    return qkv::launch_decode<192, 128>(call);
}
