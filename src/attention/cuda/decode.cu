/*
 * One query over a long cache of keys and values, for Hopper.
 *
 * The work is memory's: each key and value is read once. Keys are cut into splits of a fixed size,
 * which depends on nothing but the number of keys, so that a row's bits do not depend on the
 * batch. A unit is one split of one key head; blocks of threads stay and go from unit to unit. A
 * producer keeps the copy engine busy, several chunks of 128 keys ahead and into the next unit;
 * eight warps have 16 keys of each chunk, with all query heads of the group as rows of one
 * mma.sync (8 of its 16 rows). A second, small kernel adds the splits up, in order: fences and
 * flags at the end of every unit cost half of the bandwidth.
 */
#include "decode.h"

#include "epilogue.cuh"
#include "load.cuh"
#include "matrix.cuh"
#include "softmax.cuh"

namespace qkv
{

constexpr int chunk = 128; /* keys */
constexpr int warps = 8;   /* consumers */
constexpr int merge_warps = 16;
constexpr int rows = 8; /* query heads of a group, at most */

template <class Element_, int Width_> struct decode_shape {
    using Element = Element_;
    static constexpr int Width = Width_;
    static constexpr int ChunkBytes = chunk * Width * 2, Stages = 192 * 1024 / (2 * ChunkBytes);
    static constexpr int PartFloats = rows * (Width + 2); /* sums, then highest and total */
    static constexpr int PartOffset = 2 * Stages * ChunkBytes;
    static constexpr int BarrierOffset = PartOffset + warps * PartFloats * 4;
    static constexpr int SharedBytes = BarrierOffset + 2 * Stages * 8;
    static_assert(SharedBytes <= 227 * 1024, "a multiprocessor has no more");
};

/* One split of one key head. */
struct unit {
    int batch, head, split;
    int begin, end;    /* its keys */
    int first, splits; /* the first split of the head that has keys, and how many have */
    bool active;
};

__device__ __forceinline__ unit find_unit(const qkv__cuda_decode &p, int number)
{
    unit u;
    u.split = number % p.splits;
    u.head = number / p.splits % p.key_heads;
    u.batch = number / p.splits / p.key_heads;
    const qkv__cuda_range range = p.ranges == nullptr ? p.range : p.ranges[u.batch];
    const bool any = range.begin < range.end;
    u.first = any ? range.begin / p.split : 0;
    u.splits = any ? (range.end - 1) / p.split + 1 - u.first : 1; /* none: one that writes zeros */
    u.begin = max(range.begin, u.split * p.split);
    u.end = min(range.end, (u.split + 1) * p.split);
    u.active = u.split >= u.first && u.split < u.first + u.splits;
    return u;
}

__device__ __forceinline__ void multiply(__nv_bfloat16, float (&sum)[4], const uint32_t (&left)[4],
                                         uint32_t low, uint32_t high)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, "
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(low), "r"(high));
}

__device__ __forceinline__ void multiply(__half, float (&sum)[4], const uint32_t (&left)[4],
                                         uint32_t low, uint32_t high)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(low), "r"(high));
}

/* Four 8 x 8 matrices from shared memory, as they lie or turned. */
__device__ __forceinline__ void load_matrices(uint32_t (&to)[4], uint32_t address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address)
                 : "memory");
}

__device__ __forceinline__ void load_turned(uint32_t (&to)[4], uint32_t address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address)
                 : "memory");
}

__device__ __forceinline__ void consumers_wait()
{
    asm volatile("bar.sync 1, 256;" ::: "memory");
}

/* A warp's part of a unit: this thread has row lane / 4, and of 8 columns j the pair lane mod 4. */
template <class Shape> struct decode_state {
    float sum[Shape::Width / 8][4], highest, total;
    uint32_t query[Shape::Width / 16][4];

    __device__ __forceinline__ void load_query(const qkv__cuda_decode &p, const unit &u)
    {
        using Element = typename Shape::Element;
        const int lane = threadIdx.x % 32, row = lane / 4;
        const Element *from = static_cast<const Element *>(p.query.data) + u.batch * p.query.batch +
                              static_cast<int64_t>(u.head * p.group + row) * p.query.head;
#pragma unroll
        for (int i = 0; i < Shape::Width / 16; i++) {
            const int column = 16 * i + lane % 4 * 2;
            query[i][0] = query[i][1] = query[i][2] = query[i][3] = 0;
            if (row < p.group) {
                query[i][0] = *reinterpret_cast<const uint32_t *>(from + column);
                query[i][2] = *reinterpret_cast<const uint32_t *>(from + column + 8);
            }
        }
    }

    __device__ __forceinline__ void begin()
    {
#pragma unroll
        for (int i = 0; i < Shape::Width / 8; i++)
            sum[i][0] = sum[i][1] = sum[i][2] = sum[i][3] = 0;
        highest = -INFINITY;
        total = 0.0f;
    }

    /* 16 keys, the first of which is `first`, in lines from `line` on of a chunk. */
    __device__ __forceinline__ void take(const qkv__cuda_decode &p, const unit &u, uint32_t keys,
                                         uint32_t values, int line, int first)
    {
        using Element = typename Shape::Element;
        const int lane = threadIdx.x % 32;
        float score[2][4] = {};
        /* Four loads at a time, so that they do not wait for each other. */
#pragma unroll
        for (int i = 0; i < Shape::Width / 16; i += 4) {
            uint32_t four[4][4]; /* keys 0 to 7, then 8 to 15, each of two eights of columns */
#pragma unroll
            for (int n = 0; n < 4; n++)
                load_matrices(four[n], unit_address<chunk>(keys, line + lane % 8 + lane / 16 * 8,
                                                           2 * (i + n) + lane / 8 % 2));
#pragma unroll
            for (int n = 0; n < 4; n++) {
                multiply(Element(), score[0], query[i + n], four[n][0], four[n][1]);
                multiply(Element(), score[1], query[i + n], four[n][2], four[n][3]);
            }
        }
        float s[4] = {score[0][0], score[0][1], score[1][0], score[1][1]};
        if (p.cap_scale != 0.0f) cap_scores(s, p.cap_scale);
        const int key = first + lane % 4 * 2;
        const bool cut = first < u.begin || first + 16 > u.end;
        if (cut) {
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const int mine = key + i / 2 * 8 + i % 2;
                if (mine < u.begin || mine >= u.end) s[i] = -INFINITY;
            }
        }
        const float high = fmaxf(highest, row_max(fmaxf(fmaxf(s[0], s[1]), fmaxf(s[2], s[3]))));
        const float base = high == -INFINITY ? 0.0f : high * p.scale;
        const float factor = exponential2(fmaf(highest, p.scale, -base));
        highest = high;
#pragma unroll
        for (int i = 0; i < 4; i++) s[i] = exponential2(fmaf(s[i], p.scale, -base));
        total = fmaf(total, factor, (s[0] + s[1]) + (s[2] + s[3]));
        const uint32_t weight[4] = {pack(Element(), s[0], s[1]), 0, pack(Element(), s[2], s[3]), 0};
#pragma unroll
        for (int j = 0; j < Shape::Width / 8; j++) {
            sum[j][0] *= factor;
            sum[j][1] *= factor;
        }
#pragma unroll
        for (int j = 0; j < Shape::Width / 16; j += 4) {
            uint32_t four[4][4]; /* keys 0 to 7 and 8 to 15 of eight columns, then of the next */
#pragma unroll
            for (int n = 0; n < 4; n++)
                load_turned(four[n], unit_address<chunk>(values, line + lane % 8 + lane / 8 % 2 * 8,
                                                         2 * (j + n) + lane / 16));
#pragma unroll
            for (int n = 0; n < 4; n++) {
                if (cut) clear(four[n], key, u);
                multiply(Element(), sum[2 * (j + n)], weight, four[n][0], four[n][1]);
                multiply(Element(), sum[2 * (j + n) + 1], weight, four[n][2], four[n][3]);
            }
        }
    }

    /* Values of keys that are not looked at may be anything: 0 * NaN is NaN. */
    __device__ __forceinline__ void clear(uint32_t (&four)[4], int key, const unit &u)
    {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int mine = key + i % 2 * 8;
            if (mine < u.begin || mine >= u.end) four[i] &= 0xffff0000u;
            if (mine + 1 < u.begin || mine + 1 >= u.end) four[i] &= 0x0000ffffu;
        }
    }

    /* Into the warp's part in shared memory. */
    __device__ __forceinline__ void end(float *part)
    {
        const int lane = threadIdx.x % 32, row = lane / 4;
        total = row_sum(total);
        float *to = part + row * (Shape::Width + 2);
#pragma unroll
        for (int j = 0; j < Shape::Width / 8; j++) {
            to[8 * j + lane % 4 * 2] = sum[j][0];
            to[8 * j + lane % 4 * 2 + 1] = sum[j][1];
        }
        if (lane % 4 == 0) {
            to[Shape::Width] = highest;
            to[Shape::Width + 1] = total;
        }
    }
};

/* The warps' parts of one row, `stride` apart, in order: of a column and of the total. */
template <class Shape, int warps, int stride>
__device__ __forceinline__ float add_parts(const float *from, int column, float scale, float *high,
                                           float *total)
{
    float top = -INFINITY, sum = 0.0f, all = 0.0f;
#pragma unroll
    for (int w = 0; w < warps; w++) top = fmaxf(top, from[w * stride + Shape::Width]);
    const float base = top == -INFINITY ? 0.0f : top * scale;
#pragma unroll
    for (int w = 0; w < warps; w++) {
        const float share = exponential2(fmaf(from[w * stride + Shape::Width], scale, -base));
        sum = fmaf(share, from[w * stride + column], sum);
        all = fmaf(share, from[w * stride + Shape::Width + 1], all);
    }
    *high = top;
    *total = all;
    return sum;
}

/* One number of the output of a head, and with the first its log-sum-exp: as row_end, for a total
 * that is complete already. */
template <class Element>
__device__ __forceinline__ void write_output(const qkv__cuda_decode &p, int batch, int64_t head,
                                             int column, float sum, float high, float total)
{
    const float sink = p.sinks == nullptr ? -INFINITY : p.sinks[head];
    float base = high == -INFINITY ? -INFINITY : high * p.scale, share = 1.0f;
    if (sink > -INFINITY) {
        const float top = fmaxf(base, sink);
        share = exponential2(base - top);
        total = fmaf(total, share, exponential2(sink - top));
        base = top;
    }
    const float value = total == 0.0f ? 0.0f : sum * (share / total);
    static_cast<Element *>(
        p.output.data)[batch * p.output.batch + head * p.output.head + column * p.output.column] =
        static_cast<Element>(value);
    if (column == 0 && p.log_sum_exp.data != nullptr)
        store_number(p.log_sum_exp, batch * p.log_sum_exp.batch + head * p.log_sum_exp.head,
                     total == 0.0f ? -INFINITY : (base + log2f(total)) * natural_of_base_2);
}

/* The warps' parts added up: to the outputs, or, of several splits, to the device's memory. */
template <class Shape>
__device__ __forceinline__ void end_unit(const qkv__cuda_decode &p, const unit &u,
                                         const float *parts)
{
    const int64_t head = static_cast<int64_t>(u.batch) * p.key_heads + u.head;
    float *mine = p.partial + (head * p.splits + u.split) * p.group * (Shape::Width + 2);
    for (int i = threadIdx.x; i < p.group * Shape::Width; i += 32 * warps) {
        const int row = i / Shape::Width, column = i % Shape::Width;
        float high, total;
        const float sum = add_parts<Shape, warps, Shape::PartFloats>(
            parts + row * (Shape::Width + 2), column, p.scale, &high, &total);
        if (u.splits == 1) {
            write_output<typename Shape::Element>(
                p, u.batch, static_cast<int64_t>(u.head) * p.group + row, column, sum, high, total);
            continue;
        }
        float *to = mine + row * (Shape::Width + 2);
        to[column] = sum;
        if (column == 0) {
            to[Shape::Width] = high;
            to[Shape::Width + 1] = total;
        }
    }
}

/* The kernel after this one may be brought to the multiprocessors. */
__device__ __forceinline__ void next_kernel_may_start()
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

/* Until the kernel before this one has ended. */
__device__ __forceinline__ void wait_for_kernel_before()
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
}

/*
 * The splits of one query head, a block each: warp w adds up splits w, w + 16, ..., then the warps'
 * sums are added, always in that order.
 */
template <class Shape>
__global__ void __launch_bounds__(32 * merge_warps)
    decode_merge(const __grid_constant__ qkv__cuda_decode p)
{
    constexpr int columns = Shape::Width / 32;
    __shared__ float parts[merge_warps * (Shape::Width + 2)];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int row = blockIdx.x % p.group, number = blockIdx.x / p.group * p.splits;
    const unit u = find_unit(p, number);
    /* Even where nothing is to be done: when this kernel has ended, so has the one before. */
    wait_for_kernel_before();
    if (u.splits == 1) return; /* written already */
    const int64_t stride = static_cast<int64_t>(p.group) * (Shape::Width + 2);
    const float *first = p.partial + (number + u.first) * stride + row * (Shape::Width + 2);
    float sum[columns] = {}, high = -INFINITY, total = 0.0f;
#pragma unroll 8
    for (int s = warp; s < u.splits; s += merge_warps) {
        const float *from = first + s * stride;
        const float top = __ldcg(from + Shape::Width), all = __ldcg(from + Shape::Width + 1);
        float x[columns];
#pragma unroll
        for (int i = 0; i < columns; i++) x[i] = __ldcg(from + lane + 32 * i);
        const float next = fmaxf(high, top), base = next == -INFINITY ? 0.0f : next * p.scale;
        const float old = exponential2(fmaf(high, p.scale, -base));
        const float share = exponential2(fmaf(top, p.scale, -base));
        high = next;
        total = fmaf(total, old, all * share);
#pragma unroll
        for (int i = 0; i < columns; i++) sum[i] = fmaf(sum[i], old, x[i] * share);
    }
    float *to = parts + warp * (Shape::Width + 2);
#pragma unroll
    for (int i = 0; i < columns; i++) to[lane + 32 * i] = sum[i];
    if (lane == 0) {
        to[Shape::Width] = high;
        to[Shape::Width + 1] = total;
    }
    __syncthreads();
    if (threadIdx.x >= Shape::Width) return;
    const float value =
        add_parts<Shape, merge_warps, Shape::Width + 2>(parts, threadIdx.x, p.scale, &high, &total);
    write_output<typename Shape::Element>(p, u.batch, static_cast<int64_t>(u.head) * p.group + row,
                                          threadIdx.x, value, high, total);
}

template <class Shape>
__global__ void __launch_bounds__(32 * (warps + 1), 1)
    decode(const __grid_constant__ CUtensorMap key, const __grid_constant__ CUtensorMap value,
           const __grid_constant__ qkv__cuda_decode p)
{
    extern __shared__ __align__(1024) uint8_t shared[];
    uint64_t *full = reinterpret_cast<uint64_t *>(shared + Shape::BarrierOffset);
    uint64_t *empty = full + Shape::Stages;
    float *parts = reinterpret_cast<float *>(shared + Shape::PartOffset);
    if (threadIdx.x == 0) {
        for (int i = 0; i < Shape::Stages; i++) {
            barrier_init(full + i, 1);
            barrier_init(empty + i, warps);
        }
        barrier_init_end();
    }
    __syncthreads();
    wait_for_kernel_before(); /* all above lies under its end */
    ring<Shape::Stages> at;
    const int warp = threadIdx.x / 32;
    if (warp == warps) { /* the producer */
        if (threadIdx.x % 32 != 0) return;
        for (int number = blockIdx.x; number < p.units; number += gridDim.x) {
            const unit u = find_unit(p, number);
            if (!u.active) continue;
            for (int row = u.begin / chunk * chunk; row < u.end; row += chunk, at.advance()) {
                uint8_t *to = shared + at.stage * 2 * Shape::ChunkBytes;
                barrier_wait(empty + at.stage, at.phase ^ 1);
                barrier_expect(full + at.stage, 2 * Shape::ChunkBytes);
                load_rows<Shape::Width, chunk>(to, &key, full + at.stage, row, u.head, u.batch);
                load_rows<Shape::Width, chunk>(to + Shape::ChunkBytes, &value, full + at.stage, row,
                                               u.head, u.batch);
            }
        }
        next_kernel_may_start();
        return;
    }
    /* The next unit that has work, or none. */
    int number = blockIdx.x;
    auto next_unit = [&](unit &u) {
        for (; number < p.units; number += gridDim.x) {
            u = find_unit(p, number);
            if (u.active) return true;
        }
        return false;
    };
    decode_state<Shape> state;
    unit u, following;
    bool more = next_unit(u);
    if (more) state.load_query(p, u);
    for (; more; u = following) {
        state.begin();
        for (int row = u.begin / chunk * chunk; row < u.end; row += chunk, at.advance()) {
            const uint32_t keys = shared_address(shared) + at.stage * 2 * Shape::ChunkBytes;
            barrier_wait(full + at.stage, at.phase);
            state.take(p, u, keys, keys + Shape::ChunkBytes, 16 * warp, row + 16 * warp);
            __syncwarp();
            if (threadIdx.x % 32 == 0) barrier_arrive(empty + at.stage);
        }
        number += gridDim.x;
        more = next_unit(following);
        if (more) state.load_query(p, following); /* on its way while this unit ends */
        consumers_wait();                         /* the parts of the unit before are read */
        state.end(parts + warp * Shape::PartFloats);
        consumers_wait(); /* all parts are written */
        end_unit<Shape>(p, u, parts);
    }
    next_kernel_may_start();
}

template <class Element, int Width> static cudaError_t launch(const qkv__cuda_decode_call *call)
{
    using Shape = decode_shape<Element, Width>;
    const auto kernel = decode<Shape>;
    const cudaError_t status = cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Shape::SharedBytes);
    if (status != cudaSuccess) return status;
    /* Each kernel may be brought to the multiprocessors while the one before it ends; it waits for
     * that end before it touches memory. */
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(call->blocks);
    config.blockDim = dim3(32 * (warps + 1));
    config.dynamicSmemBytes = Shape::SharedBytes;
    config.stream = call->stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    const cudaError_t started =
        cudaLaunchKernelEx(&config, kernel, call->key, call->value, call->parameters);
    if (started != cudaSuccess || call->parameters.splits == 1) return started;
    config.gridDim =
        dim3(call->parameters.batches * call->parameters.key_heads * call->parameters.group);
    config.blockDim = dim3(32 * merge_warps);
    config.dynamicSmemBytes = 0;
    return cudaLaunchKernelEx(&config, decode_merge<Shape>, call->parameters);
}

} // namespace qkv

extern "C" cudaError_t qkv__cuda_decode_launch(const qkv__cuda_decode_call *call, int width)
{
    if (width == 64)
        return call->half ? qkv::launch<__half, 64>(call) : qkv::launch<__nv_bfloat16, 64>(call);
    return call->half ? qkv::launch<__half, 128>(call) : qkv::launch<__nv_bfloat16, 128>(call);
}
