/* Which keys a query may look at, by position: from its block's scores to -infinity for the rest.
 */
#ifndef QKV_ATTENTION_CUDA_MASK_CUH
#define QKV_ATTENTION_CUDA_MASK_CUH

namespace qkv
{

/* Keys of column j and the next, of a thread: counted from the thread's own first column. */
__device__ __forceinline__ int own_column(int key, int first)
{
    return key - first - static_cast<int>(threadIdx.x % 4) * 2;
}

/* Keys from `end` on are masked for the first of a thread's two rows, from end + 8 on for the
 * second; keys from `keys` on for both. `first` is the block's first key. */
template <int Count>
__device__ __forceinline__ void mask_behind(float (&score)[Count], int end, int keys, int first)
{
#pragma unroll
    for (int row = 0; row < 2; row++) {
        const int past = own_column(min(end + 8 * row, keys), first);
#pragma unroll
        for (int i = 2 * row; i < Count; i += 4) {
            if (2 * i - 4 * row >= past) score[i] = -INFINITY;
            if (2 * i - 4 * row + 1 >= past) score[i + 1] = -INFINITY;
        }
    }
}

/* Keys before `begin` are masked for the first row, before begin + 8 for the second. */
template <int Count>
__device__ __forceinline__ void mask_before(float (&score)[Count], int begin, int first)
{
#pragma unroll
    for (int row = 0; row < 2; row++) {
        const int least = own_column(begin + 8 * row, first);
#pragma unroll
        for (int i = 2 * row; i < Count; i += 4) {
            if (2 * i - 4 * row < least) score[i] = -INFINITY;
            if (2 * i - 4 * row + 1 < least) score[i + 1] = -INFINITY;
        }
    }
}

/* Keys from `keys` on, for all rows. */
template <int Count>
__device__ __forceinline__ void mask_end(float (&score)[Count], int keys, int first)
{
    const int past = own_column(keys, first);
#pragma unroll
    for (int i = 0; i < Count; i += 4)
#pragma unroll
        for (int e = 0; e < 2; e++)
            if (2 * i + e >= past) score[i + e] = score[i + 2 + e] = -INFINITY;
}

} // namespace qkv
#endif
