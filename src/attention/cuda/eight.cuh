/*
 * Numbers of eight bits (fp8, E4M3) on their way into products of f16, and rows of them in shared
 * memory.
 */
#ifndef QKV_ATTENTION_CUDA_EIGHT_CUH
#define QKV_ATTENTION_CUDA_EIGHT_CUH

#include "epilogue.cuh"

namespace qkv
{

struct eight {
    uint8_t bits;
};

/* Four bytes as two pairs of f16: exact, and NaN stays NaN. */
struct wide_pairs {
    uint32_t low, high;
};

__device__ __forceinline__ wide_pairs widen(uint32_t bytes)
{
    wide_pairs pairs;
    asm("{\n.reg .b16 low, high;\nmov.b32 {low, high}, %2;\n"
        "cvt.rn.f16x2.e4m3x2 %0, low;\ncvt.rn.f16x2.e4m3x2 %1, high;\n}"
        : "=r"(pairs.low), "=r"(pairs.high)
        : "r"(bytes));
    return pairs;
}

/* Where the copy engine has put a 16-byte unit of a row of `Row` bytes: as unit_address, or, in
 * rows of 64 bytes, swizzled over these (unit u of row r lies at unit u ^ (r / 2 mod 4)). */
template <int Row, int Lines>
__device__ __forceinline__ uint32_t line_address(uint32_t base, int row, int unit)
{
    if constexpr (Row == 64) return base + row * 64 + ((unit ^ (row >> 1 & 3)) << 4);
    return unit_address<Lines>(base, row, unit);
}

/* The scale of a row of a head; 1 where there is none. */
__device__ __forceinline__ float load_scale(const qkv__cuda_operand &of, int batch, int head,
                                            int row)
{
    if (of.data == nullptr) return 1.0f;
    const int64_t at = batch * of.batch + head * of.head + row * of.row;
    switch (of.type) {
    case type_f64: return static_cast<float>(static_cast<const double *>(of.data)[at]);
    case type_f32: return static_cast<const float *>(of.data)[at];
    case type_f16: return __half2float(static_cast<const __half *>(of.data)[at]);
    default: return __bfloat162float(static_cast<const __nv_bfloat16 *>(of.data)[at]);
    }
}

} // namespace qkv
#endif
