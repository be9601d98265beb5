/* Few queries over long caches in fp8, with a scale for each row. */
#include "decode_launch.cuh"

extern "C" cudaError_t qkv__cuda_decode_scaled(const qkv__cuda_decode_call *call)
{
    return call->width == 64    ? qkv::launch_scaled<64>(call)
           : call->width == 128 ? qkv::launch_scaled<128>(call)
                                : qkv::launch_scaled<256>(call);
}
