/* Which keys a query may look at, by position: from its block's scores to -infinity for the rest.
 */
#ifndef QKV_ATTENTION_CUDA_MASK_CUH
#define QKV_ATTENTION_CUDA_MASK_CUH

namespace qkv
{

/*
 * Of a thread's two rows (8 apart, the first at `position`), keys outside
 * position - left ... position + right, and past the end, get -infinity, whatever they were.
 * `first` is the block's first key.
 */
template <int Count>
__device__ __forceinline__ void mask_scores(float (&score)[Count], int position, int left,
                                            int right, int keys, int first)
{
    const int column = first + threadIdx.x % 4 * 2;
#pragma unroll
    for (int row = 0; row < 2; row++) {
        const int begin = max(position + 8 * row - left, 0);
        const int end = min(position + 8 * row + right + 1, keys);
        /* One comparison for both sides: what lies before begin is a large unsigned number. */
        const unsigned width = end > begin ? end - begin : 0;
        const int shift = column - begin;
#pragma unroll
        for (int j = 0; j < Count / 4; j++)
#pragma unroll
            for (int e = 0; e < 2; e++)
                if (static_cast<unsigned>(shift + 8 * j + e) >= width)
                    score[4 * j + 2 * row + e] = -INFINITY;
    }
}

} // namespace qkv
#endif
