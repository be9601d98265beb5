/*
 * Tiles on the matrix unit of any device from compute capability 8.0 on, with every option but
 * matrices of scores: masks and ALiBi on Hopper, everything in 16 bits elsewhere.
 *
 * A block of four warps has 64 queries of one head and walks over its keys, 64 at a time; a warp
 * has 16 queries. Keys and values come by cp.async: the next keys while outputs are made, values
 * while scores are.
 *
 *     K0 | S0, V0 on its way | weights, K1 on its way | O += P0 V0 | S1, V1 on its way | ...
 *
 * Weights of masked keys are -0, those that underflow +0. Where a block of keys has masked ones,
 * values that are not finite are taken out before the product and added for those rows alone that
 * look at them: 0 * NaN is NaN, and the contents of a masked key may change nothing.
 *
 * Elements are bf16, f16, or f32 whose products are made in tf32: 10 bits of fraction, rounded
 * here, where the matrix unit by itself would cut.
 */
#ifndef QKV_ATTENTION_CUDA_TILED_CUH
#define QKV_ATTENTION_CUDA_TILED_CUH

#include <type_traits>

#include "epilogue.cuh"
#include "mma.cuh"
#include "portable.cuh"
#include "shapes.h"

namespace qkv
{

constexpr int tile = QKV__CUDA_TILED_QUERIES; /* queries of a block, and keys of a step */
constexpr float log2_e = 1.4426950408889634f;
constexpr uint32_t hidden = 0x80000000u; /* -0 */

template <class Element_, int Width_> struct tiled_shape {
    using Element = Element_;
    static constexpr int Width = Width_; /* of keys and of values, rounded up */
    static constexpr bool Single = std::is_same<Element, float>::value;
    static constexpr int RowBytes = Width * sizeof(Element), TileBytes = tile * RowBytes;
    static constexpr int Units = RowBytes / 16; /* of 16 bytes */
    static constexpr int Steps = RowBytes / 32; /* products are as deep as two units are wide */
    static constexpr int KeyOffset = TileBytes, ValueOffset = 2 * TileBytes;
    static constexpr int SharedBytes = 3 * TileBytes;
    static constexpr bool Held = Width <= 64; /* queries stay in registers */
};

/* 16 bytes to shared memory, or zeros. */
__device__ __forceinline__ void copy_unit(uint32_t target, const void *source, bool there)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(source),
                 "r"(there ? 16 : 0)
                 : "memory");
}

/* 64 rows of an operand to swizzled lines in panels of 64 columns; what lies past them is 0. */
template <class Shape>
__device__ __forceinline__ void load_tile(uint32_t target, const void *from, int64_t stride,
                                          int64_t rows, int64_t width)
{
    constexpr int units = Shape::Units, size = sizeof(typename Shape::Element), across = 16 / size;
    for (int i = threadIdx.x; i < tile * units; i += 32 * warps) {
        const int row = i / units, unit = i % units;
        const bool there = row < rows && across * unit < width;
        const char *source =
            static_cast<const char *>(from) + (there ? size * (row * stride + across * unit) : 0);
        copy_unit(unit_address<tile>(target, row, unit), source, there);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* The same for keys or values in pages, from key `first` of a sequence on. */
template <class Shape>
__device__ __forceinline__ void load_pages(uint32_t target, const qkv__cuda_portable &p,
                                           const qkv__cuda_operand &of, int64_t batch, int64_t head,
                                           int first, int64_t rows, int64_t width)
{
    constexpr int units = Shape::Units, size = sizeof(typename Shape::Element), across = 16 / size;
    for (int i = threadIdx.x; i < tile * units; i += 32 * warps) {
        const int row = i / units, unit = i % units;
        const bool wanted = row < rows && across * unit < width;
        const int64_t from = wanted ? key_place(p, of, batch, head, first + row) : no_place;
        const bool there = from != no_place;
        const char *source =
            static_cast<const char *>(of.data) + (there ? size * (from + across * unit) : 0);
        copy_unit(unit_address<tile>(target, row, unit), source, there);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* Until all but the last `Pending` tiles have arrived, for this thread's part. */
template <int Pending> __device__ __forceinline__ void loads_wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

__device__ __forceinline__ bool is_finite(__nv_bfloat16, uint32_t pair)
{
    return (pair & 0x7f80u) != 0x7f80u && (pair & 0x7f800000u) != 0x7f800000u;
}
__device__ __forceinline__ bool is_finite(__half, uint32_t pair)
{
    return (pair & 0x7c00u) != 0x7c00u && (pair & 0x7c000000u) != 0x7c000000u;
}

__device__ __forceinline__ bool is_finite(float, uint32_t number)
{
    return (number & 0x7f800000u) != 0x7f800000u;
}

/* A number of f32 to the nearest of tf32. */
__device__ __forceinline__ uint32_t to_tf32(uint32_t number)
{
    uint32_t rounded;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(__uint_as_float(number)));
    return rounded;
}

/* 16 rows by 8 columns, 8 deep; `left` is rounded already. */
__device__ __forceinline__ void multiply(float, float (&sum)[4], const uint32_t (&left)[4],
                                         uint32_t low, uint32_t high)
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, "
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(to_tf32(low)),
                   "r"(to_tf32(high)));
}

/* A block's queries, and the keys that they may look at. */
struct tiled_place {
    int batch, head, key_head;
    int number;       /* of the first query, in its sequence */
    int64_t row, key; /* of the first query and key, in the views */
    int rows, keys;   /* that there are */
    int position;     /* of the first query */
    int begin, end;   /* keys that some query may look at by position */
    int low, high;    /* keys that every query may look at */
};

__device__ __forceinline__ int first_key(const qkv__cuda_portable &p, const tiled_place &at,
                                         int row)
{
    const int64_t position = at.position + row;
    return static_cast<int>(position > p.left ? min(position - p.left, int64_t(at.keys)) : 0);
}
__device__ __forceinline__ int past_key(const qkv__cuda_portable &p, const tiled_place &at, int row)
{
    const int64_t past = at.position + row + p.right + 1;
    return static_cast<int>(max(int64_t(0), min(past, int64_t(at.keys))));
}

__device__ __forceinline__ tiled_place find_place(const qkv__cuda_portable &p, int number)
{
    const qkv__cuda_sequence_table sequence = p.table[blockIdx.z];
    tiled_place at;
    at.batch = p.packed ? 0 : static_cast<int>(blockIdx.z);
    at.head = static_cast<int>(blockIdx.y);
    at.key_head = at.head / static_cast<int>(p.group);
    at.number = number * tile;
    at.row = sequence.query + number * tile;
    at.key = sequence.key;
    at.rows = static_cast<int>(min(int64_t(tile), sequence.queries - number * tile));
    at.keys = static_cast<int>(sequence.keys);
    at.position = static_cast<int>(number * tile + sequence.offset);
    at.begin = first_key(p, at, 0);
    at.end = at.rows > 0 ? past_key(p, at, at.rows - 1) : 0;
    at.low = first_key(p, at, max(at.rows - 1, 0));
    at.high = past_key(p, at, 0);
    return at;
}

/* What an entry of the mask adds to a score in base 2. Finite entries stay finite. */
__device__ __forceinline__ float mask_number(unsigned char mask)
{
    return mask != 0 ? 0.0f : -INFINITY;
}
__device__ __forceinline__ float mask_number(float mask)
{
    return mask == -INFINITY ? mask : fmaxf(mask * log2_e, -3.402823466e38f);
}
__device__ __forceinline__ float mask_number(__nv_bfloat16 mask)
{
    return mask_number(__bfloat162float(mask));
}

/* What is hidden stays hidden, whatever the score is: a key may be NaN. */
__device__ __forceinline__ float add_to_score(float s, float added)
{
    return s == -INFINITY || added == -INFINITY ? -INFINITY : s + added;
}

/* An entry of any type. Not inlined: there would be 32 of them. */
static __device__ __noinline__ float mask_at(const qkv__cuda_portable &p, int64_t entry)
{
    const float mask = read_mask<float>(p, entry);
    if (p.mask.type == boolean) return mask != 0.0f ? 0.0f : -INFINITY;
    return mask_number(mask);
}

/* One word of shared memory. */
__device__ __forceinline__ uint32_t load_word(uint32_t address)
{
    uint32_t word;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address) : "memory");
    return word;
}

/* The running softmax of a warp's 16 rows over 64 keys, and their outputs. */
template <class Shape> struct tiled_state {
    using Element = typename Shape::Element;
    float output[Shape::Width / 8][4];
    float score[tile / 8][4];
    uint32_t query[Shape::Held ? Shape::Steps : 1][4];
    float highest[2], total[2];

    __device__ __forceinline__ void begin()
    {
#pragma unroll
        for (int i = 0; i < Shape::Width / 8; i++)
            output[i][0] = output[i][1] = output[i][2] = output[i][3] = 0.0f;
        highest[0] = highest[1] = -INFINITY;
        total[0] = total[1] = 0.0f;
    }

    __device__ __forceinline__ void load_query(uint32_t queries, int step, uint32_t (&to)[4])
    {
        const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane % 16;
        load_matrices(to, unit_address<tile>(queries, row, 2 * step + lane / 16));
        if constexpr (Shape::Single)
#pragma unroll
            for (int i = 0; i < 4; i++) to[i] = to_tf32(to[i]);
    }

    __device__ __forceinline__ void hold_queries(uint32_t queries)
    {
        if constexpr (Shape::Held)
#pragma unroll
            for (int i = 0; i < Shape::Steps; i++) load_query(queries, i, query[i]);
    }

    __device__ __forceinline__ void make_scores(uint32_t queries, uint32_t keys)
    {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int j = 0; j < tile / 8; j++)
            score[j][0] = score[j][1] = score[j][2] = score[j][3] = 0.0f;
#pragma unroll
        for (int i = 0; i < Shape::Steps; i++) {
            if constexpr (!Shape::Held) load_query(queries, i, query[0]);
#pragma unroll
            for (int j = 0; j < tile / 16; j++) {
                uint32_t four[4]; /* keys 0 to 7, then 8 to 15, each of two units of columns */
                load_matrices(four, unit_address<tile>(keys, 16 * j + lane % 8 + lane / 16 * 8,
                                                       2 * i + lane / 8 % 2));
                multiply(Element(), score[2 * j], query[Shape::Held ? i : 0], four[0], four[1]);
                multiply(Element(), score[2 * j + 1], query[Shape::Held ? i : 0], four[2], four[3]);
            }
        }
    }

    /* What each kind of mask adds, or hides. */
    template <class Entry>
    __device__ __forceinline__ void add_mask(const Entry *mask, int64_t column, int half)
    {
        float added[tile / 4];
#pragma unroll
        for (int i = 0; i < tile / 4; i++)
            added[i] = mask_number(mask[(i / 2 * 8 + i % 2) * column]);
#pragma unroll
        for (int i = 0; i < tile / 4; i++) {
            float &s = score[i / 2][2 * half + i % 2];
            s = add_to_score(s, added[i]);
        }
    }

    __device__ __forceinline__ void add_masks(const qkv__cuda_portable &p, const tiled_place &at,
                                              int row, int first, int half)
    {
        const int64_t column = p.mask.column;
        const int64_t entry = place(p.mask, at.batch, at.head, at.row + row) +
                              (at.key + first + threadIdx.x % 4 * 2) * column;
        const void *data = p.mask.data;
        const bool whole = first + tile <= at.keys; /* entries past the keys are not there */
        if (whole && p.mask.type == boolean)
            add_mask(static_cast<const unsigned char *>(data) + entry, column, half);
        else if (whole && p.mask.type == f32)
            add_mask(static_cast<const float *>(data) + entry, column, half);
        else if (whole && p.mask.type == bf16)
            add_mask(static_cast<const __nv_bfloat16 *>(data) + entry, column, half);
        else
#pragma unroll
            for (int i = 0; i < tile / 4; i++) {
                float &s = score[i / 2][2 * half + i % 2];
                if (s != -INFINITY)
                    s = add_to_score(s, mask_at(p, entry + (i / 2 * 8 + i % 2) * column));
            }
    }

    /* Scores, in base 2, with all that is added to them; -infinity where a query may not look. */
    __device__ __forceinline__ void finish_scores(const qkv__cuda_portable &p,
                                                  const tiled_place &at, int first, bool cut)
    {
        const int lane = threadIdx.x % 32, key = first + lane % 4 * 2;
        const float scale = static_cast<float>(p.scale * 1.4426950408889634);
        const float cap = static_cast<float>(p.softcap);
        if (cap > 0.0f) {
#pragma unroll
            for (int i = 0; i < tile / 2; i++) {
                float &s = score[i / 4][i % 4];
                s = cap * log2_e *
                    (1.0f - 2.0f * reciprocal(exponential2(2.0f * scale / cap * s) + 1.0f));
            }
        } else {
#pragma unroll
            for (int i = 0; i < tile / 2; i++) score[i / 4][i % 4] *= scale;
        }
        if (!cut && p.slopes == nullptr && p.mask.data == nullptr) return;
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const int row =
                min(static_cast<int>(threadIdx.x) / 32 * 16 + lane / 4 + 8 * half, at.rows - 1);
            if (p.slopes != nullptr) {
                const float slope = static_cast<float>(p.slopes[at.head]) * log2_e;
                const int away = at.position + row - key;
#pragma unroll
                for (int i = 0; i < tile / 4; i++)
                    score[i / 2][2 * half + i % 2] -=
                        slope * static_cast<float>(abs(away - (i / 2 * 8 + i % 2)));
            }
            if (cut) {
                const int low = first_key(p, at, row) - key, high = past_key(p, at, row) - key;
#pragma unroll
                for (int i = 0; i < tile / 4; i++) {
                    const int own = i / 2 * 8 + i % 2;
                    if (own < low || own >= high) score[i / 2][2 * half + i % 2] = -INFINITY;
                }
            }
            if (p.mask.data != nullptr) add_masks(p, at, row, first, half);
        }
    }

    /* Scores become weights. */
    __device__ __forceinline__ void weigh()
    {
#pragma unroll
        for (int half = 0; half < 2; half++) {
            float high = highest[half];
#pragma unroll
            for (int j = 0; j < tile / 8; j++)
                high = fmaxf(high, fmaxf(score[j][2 * half], score[j][2 * half + 1]));
            high = row_max(high);
            const float base = high == -INFINITY ? 0.0f : high;
            const float factor = exponential2(highest[half] - base);
            highest[half] = high;
            float sum = 0.0f;
#pragma unroll
            for (int i = 0; i < tile / 4; i++) {
                float &s = score[i / 2][2 * half + i % 2];
                s = s == -INFINITY ? -0.0f : exponential2(s - base);
                sum += s;
            }
            total[half] = fmaf(total[half], factor, sum);
#pragma unroll
            for (int j = 0; j < Shape::Width / 8; j++) {
                output[j][2 * half] *= factor;
                output[j][2 * half + 1] *= factor;
            }
        }
    }

    /* Weights that are dropped become +0: their keys are not hidden. */
    __device__ __forceinline__ void drop(const qkv__cuda_portable &p, const tiled_place &at,
                                         int first)
    {
        const int query = at.number + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
        const kept_columns kept(p.dropout, query, first, at.head, blockIdx.z);
#pragma unroll
        for (int i = 0; i < tile / 4; i++) {
            float *weight = &score[i / 2][i % 2];
            if (!kept.above(i) && __float_as_uint(weight[0]) != hidden) weight[0] = 0.0f;
            if (!kept.below(i) && __float_as_uint(weight[2]) != hidden) weight[2] = 0.0f;
        }
    }

    /* The weights of keys 16 t to 16 t + 15 as the left factor of a product. */
    __device__ __forceinline__ void pack_weights(int t, uint32_t (&weight)[4])
    {
        weight[0] = pack(Element(), score[2 * t][0], score[2 * t][1]);
        weight[1] = pack(Element(), score[2 * t][2], score[2 * t][3]);
        weight[2] = pack(Element(), score[2 * t + 1][0], score[2 * t + 1][1]);
        weight[3] = pack(Element(), score[2 * t + 1][2], score[2 * t + 1][3]);
    }

    __device__ __forceinline__ void add_outputs(uint32_t values)
    {
        if constexpr (Shape::Single)
            add_singles(values);
        else
            add_pairs(values);
    }

    __device__ __forceinline__ void add_pairs(uint32_t values)
    {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int t = 0; t < tile / 16; t++) {
            uint32_t weight[4];
            pack_weights(t, weight);
#pragma unroll
            for (int j = 0; j < Shape::Width / 16; j++) {
                uint32_t four[4]; /* keys 0 to 7 and 8 to 15 of eight columns, then of the next */
                load_turned(four, unit_address<tile>(values, 16 * t + lane % 8 + lane / 8 % 2 * 8,
                                                     2 * j + lane / 16));
                multiply(Element(), output[2 * j], weight, four[0], four[1]);
                multiply(Element(), output[2 * j + 1], weight, four[2], four[3]);
            }
        }
    }

    /* A product takes 8 keys: of those, lane l has numbers 2 (l mod 4) and the next, which are
     * where its weights are; of the columns, number l / 4 of each 8. */
    __device__ __forceinline__ void add_singles(uint32_t values)
    {
        const int lane = threadIdx.x % 32, key = lane % 4 * 2, column = lane / 4;
        /* As unit_address has it: two units for 8 columns, turned by the row. */
        const uint32_t first =
            values + key * line_bytes + ((column / 4 ^ key) << 4) + column % 4 * 4;
        const uint32_t second =
            values + (key + 1) * line_bytes + ((column / 4 ^ (key + 1)) << 4) + column % 4 * 4;
#pragma unroll
        for (int t = 0; t < tile / 8; t++) {
            const uint32_t weight[4] = {
                to_tf32(__float_as_uint(score[t][0])), to_tf32(__float_as_uint(score[t][2])),
                to_tf32(__float_as_uint(score[t][1])), to_tf32(__float_as_uint(score[t][3]))};
#pragma unroll
            for (int j = 0; j < Shape::Width / 8; j++) {
                const uint32_t place = j / 4 * (tile * line_bytes) + 8 * t * line_bytes;
                const uint32_t turn = 2 * j % 8 << 4;
                multiply(Element(), output[j], weight, load_word((first ^ turn) + place),
                         load_word((second ^ turn) + place));
            }
        }
    }

    /* The weights of key `key` of the block for this thread's two rows; -0 where it is hidden.
     * Weights are in the lanes and registers of the score, rounded as the product has them. */
    __device__ __forceinline__ float2 weights_of(int key)
    {
        const int from = threadIdx.x % 32 / 4 * 4 + key % 8 / 2;
        uint32_t above = 0, below = 0;
#pragma unroll
        for (int j = 0; j < tile / 8; j++) {
            const uint32_t own = j == key / 8 ? ~0u : 0; /* no branch: registers have no index */
            const uint32_t odd = key % 2 != 0 ? own : 0, even = own ^ odd;
            above |= (__float_as_uint(score[j][0]) & even) | (__float_as_uint(score[j][1]) & odd);
            below |= (__float_as_uint(score[j][2]) & even) | (__float_as_uint(score[j][3]) & odd);
        }
        const float upper = __uint_as_float(__shfl_sync(~0u, above, from));
        const float lower = __uint_as_float(__shfl_sync(~0u, below, from));
        if constexpr (Shape::Single)
            return make_float2(upper, lower);
        else
            return unpack(Element(), pack(Element(), upper, lower));
    }

    /* Value `key` of the block, which is not finite somewhere, for the rows that look at it. */
    __device__ __forceinline__ void add_value(const Element *value, int key, int width)
    {
        const float2 weight = weights_of(key);
        const bool above = __float_as_uint(weight.x) != hidden,
                   below = __float_as_uint(weight.y) != hidden;
#pragma unroll
        for (int j = 0; j < Shape::Width / 8; j++) {
            const int column = 8 * j + threadIdx.x % 4 * 2;
#pragma unroll
            for (int i = 0; i < 2; i++) {
                if (column + i >= width) continue;
                const float x = static_cast<float>(value[column + i]);
                output[j][i] += above ? weight.x * x : 0.0f;
                output[j][i + 2] += below ? weight.y * x : 0.0f;
            }
        }
    }

    /* Widths are multiples of 8, or of 4 in f32: a pair is there or not. */
    __device__ __forceinline__ void store_pair(Element *row, int column, int width, float x,
                                               float y)
    {
        if (column >= width) return;
        if constexpr (Shape::Single)
            *reinterpret_cast<float2 *>(row + column) = make_float2(x, y);
        else
            *reinterpret_cast<uint32_t *>(row + column) = pack(Element(), x, y);
    }

    __device__ __forceinline__ void store(const qkv__cuda_portable &p, const tiled_place &at)
    {
        const int lane = threadIdx.x % 32;
        const float sink =
            p.sinks == nullptr ? -INFINITY : static_cast<float>(p.sinks[at.head]) * log2_e;
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const int row = threadIdx.x / 32 * 16 + lane / 4 + 8 * half;
            const row_end end(highest[half], total[half], 1.0f, sink);
            const float factor =
                p.dropout.on ? end.factor * static_cast<float>(p.dropout.factor) : end.factor;
            if (row >= at.rows) continue;
            Element *to = static_cast<Element *>(p.output.data) +
                          place(p.output, at.batch, at.head, at.row + row);
#pragma unroll
            for (int j = 0; j < Shape::Width / 8; j++)
                store_pair(to, 8 * j + lane % 4 * 2, static_cast<int>(p.value_width),
                           output[j][2 * half] * factor, output[j][2 * half + 1] * factor);
            if (lane % 4 == 0 && p.log_sum_exp.data != nullptr)
                store_number(p.log_sum_exp, place(p.log_sum_exp, at.batch, at.head, at.row + row),
                             end.log_sum_exp());
        }
    }
};

/* Values of the block that are not finite: marks their keys and clears them. All threads. */
template <class Shape>
__device__ __forceinline__ uint64_t take_out(unsigned char *values, uint32_t *found)
{
    using Element = typename Shape::Element;
    constexpr int units = Shape::Units;
    for (int i = threadIdx.x; i < tile * units; i += 32 * warps) {
        const int row = i / units;
        const uint4 four =
            *reinterpret_cast<const uint4 *>(values + unit_address<tile>(0, row, i % units));
        if (!is_finite(Element(), four.x) || !is_finite(Element(), four.y) ||
            !is_finite(Element(), four.z) || !is_finite(Element(), four.w))
            atomicOr(found + row / 32, 1u << row % 32);
    }
    __syncthreads();
    const uint64_t all = found[0] | static_cast<uint64_t>(found[1]) << 32;
    if (all == 0) return 0;
    for (int i = threadIdx.x; i < tile * units; i += 32 * warps)
        if (all >> i / units & 1)
            *reinterpret_cast<uint4 *>(values + unit_address<tile>(0, i / units, i % units)) =
                make_uint4(0, 0, 0, 0);
    __syncthreads();
    return all;
}

template <class Shape>
__global__ void __launch_bounds__(32 * warps, Shape::RowBytes == 512 ? 2 : 3)
    tiled(const __grid_constant__ qkv__cuda_portable p)
{
    using Element = typename Shape::Element;
    extern __shared__ __align__(1024) unsigned char tiles[];
    __shared__ uint32_t found[2];
    /* The last queries first: with a causal mask theirs is the most work. */
    const tiled_place at = find_place(p, static_cast<int>(gridDim.x - 1 - blockIdx.x));
    if (at.rows <= 0) return;
    const uint32_t queries = shared_address(tiles), keys = queries + Shape::KeyOffset;
    const uint32_t values = queries + Shape::ValueOffset;
    const Element *query =
        static_cast<const Element *>(p.query.data) + place(p.query, at.batch, at.head, at.row);
    const Element *key =
        static_cast<const Element *>(p.key.data) + place(p.key, at.batch, at.key_head, at.key);
    const Element *value =
        static_cast<const Element *>(p.value.data) + place(p.value, at.batch, at.key_head, at.key);
    const int begin = at.begin / tile * tile;
    const auto load_keys = [&](int first) {
        if (p.page_table != nullptr)
            load_pages<Shape>(keys, p, p.key, at.batch, at.key_head, first, at.keys - first,
                              p.width);
        else
            load_tile<Shape>(keys, key + first * p.key.row, p.key.row, at.keys - first, p.width);
    };
    const auto load_values = [&](int first) {
        if (p.page_table != nullptr)
            load_pages<Shape>(values, p, p.value, at.batch, at.key_head, first, at.keys - first,
                              p.value_width);
        else
            load_tile<Shape>(values, value + first * p.value.row, p.value.row, at.keys - first,
                             p.value_width);
    };
    tiled_state<Shape> state;
    state.begin();
    if (begin < at.end) {
        load_tile<Shape>(queries, query, p.query.row, at.rows, p.width);
        load_keys(begin);
    }
    for (int first = begin; first < at.end; first += tile) {
        const bool cut = first < at.low || first + tile > at.high;
        loads_wait<0>();
        __syncthreads(); /* keys are there; values of the last block were read */
        if (first == begin) state.hold_queries(queries);
        if (threadIdx.x < 2) found[threadIdx.x] = 0;
        load_values(first);
        state.make_scores(queries, keys);
        __syncthreads(); /* keys were read */
        const int next = first + tile;
        if (next < at.end) load_keys(next);
        state.finish_scores(p, at, first, cut);
        state.weigh();
        if (p.dropout.on) state.drop(p, at, first);
        if (next < at.end)
            loads_wait<1>();
        else
            loads_wait<0>();
        __syncthreads(); /* values are there */
        const bool masked = cut || p.mask.data != nullptr;
        uint64_t strange = masked ? take_out<Shape>(tiles + Shape::ValueOffset, found) : 0;
        state.add_outputs(values);
        for (; strange != 0; strange &= strange - 1) {
            const int which = __ffsll(static_cast<long long>(strange)) - 1;
            const Element *row = value + (first + which) * p.value.row;
            if (p.page_table != nullptr)
                row = static_cast<const Element *>(p.value.data) +
                      key_place(p, p.value, at.batch, at.key_head, first + which);
            state.add_value(row, which, static_cast<int>(p.value_width));
        }
    }
    state.store(p, at);
}

template <class Element, int Width>
static cudaError_t launch_tiled(const qkv__cuda_portable *p, unsigned count, cudaStream_t stream)
{
    using Shape = tiled_shape<Element, Width>;
    const auto kernel = tiled<Shape>;
    const cudaError_t status = cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Shape::SharedBytes);
    if (status != cudaSuccess) return status;
    const dim3 grid(count, static_cast<unsigned>(p->heads), static_cast<unsigned>(p->sequences));
    kernel<<<grid, 32 * warps, Shape::SharedBytes, stream>>>(*p);
    return cudaGetLastError();
}

} // namespace qkv
#endif
