/*
 * One query, or a few, over a long cache of keys and values, for Hopper.
 *
 * The work is memory's: each key and value is read once. Keys are cut into splits of a fixed size,
 * which depends on nothing but the number of keys, so that a row's bits do not depend on the
 * batch. A unit is one split of one key head; blocks of threads stay and go from unit to unit. A
 * producer keeps the copy engine busy, several chunks of 128 keys ahead and into the next unit;
 * eight warps have 16 keys of each chunk, with all queries of all heads of the group as rows of one
 * mma.sync: one or both halves of its 16 rows. A second, small kernel adds the splits up, in order:
 * fences and flags at the end of every unit cost half of the bandwidth.
 */
#include "decode.h"

#include "epilogue.cuh"
#include "load.cuh"
#include "matrix.cuh"
#include "mma.cuh"
#include "softmax.cuh"

namespace qkv
{

constexpr int chunk = 128; /* keys */
constexpr int warps = 8;   /* consumers */
constexpr int merge_warps = 16;

/* Halves: of the rows of a product, 8 each, that are in use. Several: more than one query. */
template <class Element_, int Width_, int Halves_, bool Several_> struct decode_shape {
    using Element = Element_;
    static constexpr int Width = Width_, Halves = Halves_;
    static constexpr bool Several = Several_;
    static constexpr int ChunkBytes = chunk * Width * 2;
    static constexpr int Stages = (Halves == 1 ? 192 : 192 - Width / 2) * 1024 / (2 * ChunkBytes);
    static constexpr int PartFloats = 8 * Halves * (Width + 2); /* sums, highest and total */
    static constexpr int PartOffset = 2 * Stages * ChunkBytes;
    static constexpr int BarrierOffset = PartOffset + warps * PartFloats * 4;
    static constexpr int SharedBytes = BarrierOffset + 2 * Stages * 8;
    static_assert(SharedBytes <= 227 * 1024, "a multiprocessor has no more");
};

/* One split of one key head. */
struct unit {
    int batch, head, split;
    int begin, end;    /* keys of it that some query may look at */
    int first, splits; /* the first split of the head that has keys, and how many have */
    qkv__cuda_range range;
    bool active;
};

/* Keys that a query may look at. */
__device__ __forceinline__ int range_begin(const qkv__cuda_decode &p, const unit &u, int query)
{
    return max(0, u.range.offset + query - p.left);
}
__device__ __forceinline__ int range_end(const qkv__cuda_decode &p, const unit &u, int query)
{
    return min(u.range.keys, u.range.offset + query + p.right + 1);
}

__device__ __forceinline__ unit find_unit(const qkv__cuda_decode &p, int number)
{
    unit u;
    u.split = number % p.splits;
    u.head = number / p.splits % p.key_heads;
    u.batch = number / p.splits / p.key_heads;
    u.range = p.ranges == nullptr ? p.range : p.ranges[u.batch];
    const int begin = range_begin(p, u, 0), end = range_end(p, u, p.queries - 1);
    const bool any = begin < end;
    u.first = any ? begin / p.split : 0;
    u.splits = any ? (end - 1) / p.split + 1 - u.first : 1; /* none: one that writes zeros */
    u.begin = max(begin, u.split * p.split);
    u.end = min(end, (u.split + 1) * p.split);
    u.active = u.split >= u.first && u.split < u.first + u.splits;
    return u;
}

__device__ __forceinline__ void consumers_wait()
{
    asm volatile("bar.sync 1, 256;" ::: "memory");
}

/* A warp's part of a unit: this thread has rows lane / 4 and 8 below it, and of 8 columns j the
 * pair lane mod 4. Row r is query r mod `queries` of head r / `queries` of the group. */
template <class Shape> struct decode_state {
    using Element = typename Shape::Element;
    static constexpr int Halves = Shape::Halves, Ahead = Halves == 1 ? 4 : 2;
    float sum[Shape::Width / 8][4], highest[Halves], total[Halves];
    uint32_t query[Shape::Width / 16][4];

    __device__ __forceinline__ void load_query(const qkv__cuda_decode &p, const unit &u)
    {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const int row = lane / 4 + 8 * half;
            const bool there = half < Halves && row < p.rows;
            const Element *from =
                static_cast<const Element *>(p.query.data) + u.batch * p.query.batch +
                static_cast<int64_t>(u.head * p.group + row / p.queries) * p.query.head +
                row % p.queries * p.query.row;
#pragma unroll
            for (int i = 0; i < Shape::Width / 16; i++) {
                const int column = 16 * i + lane % 4 * 2;
                query[i][half] = query[i][half + 2] = 0;
                if (there) {
                    query[i][half] = *reinterpret_cast<const uint32_t *>(from + column);
                    query[i][half + 2] = *reinterpret_cast<const uint32_t *>(from + column + 8);
                }
            }
        }
    }

    __device__ __forceinline__ void begin()
    {
#pragma unroll
        for (int i = 0; i < Shape::Width / 8; i++)
            sum[i][0] = sum[i][1] = sum[i][2] = sum[i][3] = 0;
#pragma unroll
        for (int half = 0; half < Halves; half++) {
            highest[half] = -INFINITY;
            total[half] = 0.0f;
        }
    }

    /* 16 keys, the first of which is `first`, in lines from `line` on of a chunk. */
    __device__ __forceinline__ void take(const qkv__cuda_decode &p, const unit &u, uint32_t keys,
                                         uint32_t values, int line, int first)
    {
        const int lane = threadIdx.x % 32;
        float score[2][4] = {};
        /* Some loads at a time, so that they do not wait for each other. */
#pragma unroll
        for (int i = 0; i < Shape::Width / 16; i += Ahead) {
            uint32_t four[Ahead][4]; /* keys 0 to 7, then 8 to 15, each of two eights of columns */
#pragma unroll
            for (int n = 0; n < Ahead; n++)
                load_matrices(four[n], unit_address<chunk>(keys, line + lane % 8 + lane / 16 * 8,
                                                           2 * (i + n) + lane / 8 % 2));
#pragma unroll
            for (int n = 0; n < Ahead; n++) {
                multiply(Element(), score[0], query[i + n], four[n][0], four[n][1]);
                multiply(Element(), score[1], query[i + n], four[n][2], four[n][3]);
            }
        }
        /* Some query may not look at some of the keys. */
        const bool cut = Shape::Several ? first < range_begin(p, u, p.queries - 1) ||
                                              first + 16 > range_end(p, u, 0)
                                        : first < u.begin || first + 16 > u.end;
        const int key = first + lane % 4 * 2;
        uint32_t weight[4] = {0, 0, 0, 0};
        float factor[2] = {1.0f, 1.0f};
#pragma unroll
        for (int half = 0; half < Halves; half++) {
            float s[4] = {score[0][2 * half], score[0][2 * half + 1], score[1][2 * half],
                          score[1][2 * half + 1]};
            if (p.cap_scale != 0.0f) cap_scores(s, p.cap_scale);
            if (cut) {
                const int own = Shape::Several ? (lane / 4 + 8 * half) % p.queries : 0;
                const int low = Shape::Several ? range_begin(p, u, own) : u.begin;
                const int high = Shape::Several ? range_end(p, u, own) : u.end;
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    const int mine = key + i / 2 * 8 + i % 2;
                    if (mine < low || mine >= high) s[i] = -INFINITY;
                }
            }
            const float high =
                fmaxf(highest[half], row_max(fmaxf(fmaxf(s[0], s[1]), fmaxf(s[2], s[3]))));
            const float base = high == -INFINITY ? 0.0f : high * p.scale;
            factor[half] = exponential2(fmaf(highest[half], p.scale, -base));
            highest[half] = high;
#pragma unroll
            for (int i = 0; i < 4; i++) s[i] = exponential2(fmaf(s[i], p.scale, -base));
            total[half] = fmaf(total[half], factor[half], (s[0] + s[1]) + (s[2] + s[3]));
            weight[half] = pack(Element(), s[0], s[1]);
            weight[half + 2] = pack(Element(), s[2], s[3]);
        }
#pragma unroll
        for (int j = 0; j < Shape::Width / 8; j++) {
            sum[j][0] *= factor[0];
            sum[j][1] *= factor[0];
            if (Halves == 2) {
                sum[j][2] *= factor[1];
                sum[j][3] *= factor[1];
            }
        }
        if (Shape::Several && cut) {
            for (int q = 0; q < p.queries; q++)
                if (range_begin(p, u, q) < first + 16 && range_end(p, u, q) > first)
                    add_query(p, u, values, line, key, q, weight);
            return;
        }
#pragma unroll
        for (int j = 0; j < Shape::Width / 16; j += Ahead) {
            uint32_t four[Ahead][4]; /* keys 0 to 7 and 8 to 15 of eight columns, then the next */
#pragma unroll
            for (int n = 0; n < Ahead; n++)
                load_turned(four[n], unit_address<chunk>(values, line + lane % 8 + lane / 8 % 2 * 8,
                                                         2 * (j + n) + lane / 16));
#pragma unroll
            for (int n = 0; n < Ahead; n++) {
                if (!Shape::Several && cut) clear(four[n], key, u.begin, u.end);
                multiply(Element(), sum[2 * (j + n)], weight, four[n][0], four[n][1]);
                multiply(Element(), sum[2 * (j + n) + 1], weight, four[n][2], four[n][3]);
            }
        }
    }

    /* Values of keys that a query does not look at may be anything, and 0 * NaN is NaN: such keys
     * are cleared for one query at a time, and only its rows get the sums. */
    __device__ __forceinline__ void add_query(const qkv__cuda_decode &p, const unit &u,
                                              uint32_t values, int line, int key, int q,
                                              const uint32_t (&weight)[4])
    {
        const int lane = threadIdx.x % 32, low = range_begin(p, u, q), high = range_end(p, u, q);
        const bool own[2] = {lane / 4 % p.queries == q, (lane / 4 + 8) % p.queries == q};
#pragma unroll
        for (int j = 0; j < Shape::Width / 16; j++) {
            uint32_t four[4];
            load_turned(four, unit_address<chunk>(values, line + lane % 8 + lane / 8 % 2 * 8,
                                                  2 * j + lane / 16));
            clear(four, key, low, high);
#pragma unroll
            for (int n = 0; n < 2; n++) {
                float part[4] = {};
                multiply(Element(), part, weight, four[2 * n], four[2 * n + 1]);
#pragma unroll
                for (int i = 0; i < 2 * Halves; i++)
                    if (own[i / 2]) sum[2 * j + n][i] += part[i];
            }
        }
    }

    __device__ __forceinline__ void clear(uint32_t (&four)[4], int key, int low, int high)
    {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int mine = key + i % 2 * 8;
            if (mine < low || mine >= high) four[i] &= 0xffff0000u;
            if (mine + 1 < low || mine + 1 >= high) four[i] &= 0x0000ffffu;
        }
    }

    /* Into the warp's part in shared memory. */
    __device__ __forceinline__ void end(float *part)
    {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int half = 0; half < Halves; half++) {
            const float all = row_sum(total[half]);
            float *to = part + (lane / 4 + 8 * half) * (Shape::Width + 2);
#pragma unroll
            for (int j = 0; j < Shape::Width / 8; j++) {
                to[8 * j + lane % 4 * 2] = sum[j][2 * half];
                to[8 * j + lane % 4 * 2 + 1] = sum[j][2 * half + 1];
            }
            if (lane % 4 == 0) {
                to[Shape::Width] = highest[half];
                to[Shape::Width + 1] = all;
            }
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

/* One number of the output of a row, and with the first its log-sum-exp: as row_end, for a total
 * that is complete already. */
template <class Element>
__device__ __forceinline__ void write_output(const qkv__cuda_decode &p, const unit &u, int row,
                                             int column, float sum, float high, float total)
{
    const int64_t head = static_cast<int64_t>(u.head) * p.group + row / p.queries;
    const int batch = u.batch, query = row % p.queries;
    const float sink = p.sinks == nullptr ? -INFINITY : p.sinks[head];
    float base = high == -INFINITY ? -INFINITY : high * p.scale, share = 1.0f;
    if (sink > -INFINITY) {
        const float top = fmaxf(base, sink);
        share = exponential2(base - top);
        total = fmaf(total, share, exponential2(sink - top));
        base = top;
    }
    const float value = total == 0.0f ? 0.0f : sum * (share / total);
    static_cast<Element *>(p.output.data)[batch * p.output.batch + head * p.output.head +
                                          query * p.output.row + column * p.output.column] =
        static_cast<Element>(value);
    if (column == 0 && p.log_sum_exp.data != nullptr)
        store_number(p.log_sum_exp,
                     batch * p.log_sum_exp.batch + head * p.log_sum_exp.head +
                         query * p.log_sum_exp.row,
                     total == 0.0f ? -INFINITY : (base + log2f(total)) * natural_of_base_2);
}

/* The warps' parts added up: to the outputs, or, of several splits, to the device's memory. */
template <class Shape>
__device__ __forceinline__ void end_unit(const qkv__cuda_decode &p, const unit &u,
                                         const float *parts)
{
    const int64_t head = static_cast<int64_t>(u.batch) * p.key_heads + u.head;
    float *mine = p.partial + (head * p.splits + u.split) * p.rows * (Shape::Width + 2);
    for (int i = threadIdx.x; i < p.rows * Shape::Width; i += 32 * warps) {
        const int row = i / Shape::Width, column = i % Shape::Width;
        float high, total;
        const float sum = add_parts<Shape, warps, Shape::PartFloats>(
            parts + row * (Shape::Width + 2), column, p.scale, &high, &total);
        if (u.splits == 1) {
            write_output<typename Shape::Element>(p, u, row, column, sum, high, total);
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
 * The splits of one row, a block each: warp w adds up splits w, w + 16, ..., then the warps'
 * sums are added, always in that order.
 */
template <class Shape>
__global__ void __launch_bounds__(32 * merge_warps)
    decode_merge(const __grid_constant__ qkv__cuda_decode p)
{
    constexpr int columns = Shape::Width / 32;
    __shared__ float parts[merge_warps * (Shape::Width + 2)];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int row = blockIdx.x % p.rows, number = blockIdx.x / p.rows * p.splits;
    const unit u = find_unit(p, number);
    /* Even where nothing is to be done: when this kernel has ended, so has the one before. */
    wait_for_kernel_before();
    if (u.splits == 1) return; /* written already */
    const int64_t stride = static_cast<int64_t>(p.rows) * (Shape::Width + 2);
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
    write_output<typename Shape::Element>(p, u, row, threadIdx.x, value, high, total);
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

template <class Element, int Width, int Halves, bool Several>
static cudaError_t launch_shape(const qkv__cuda_decode_call *call)
{
    using Shape = decode_shape<Element, Width, Halves, Several>;
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
        dim3(call->parameters.batches * call->parameters.key_heads * call->parameters.rows);
    config.blockDim = dim3(32 * merge_warps);
    config.dynamicSmemBytes = 0;
    return cudaLaunchKernelEx(&config, decode_merge<Shape>, call->parameters);
}

template <class Element, int Width> static cudaError_t launch(const qkv__cuda_decode_call *call)
{
    const qkv__cuda_decode &p = call->parameters;
    if (p.queries == 1 && p.rows <= 8) return launch_shape<Element, Width, 1, false>(call);
    return p.rows <= 8 ? launch_shape<Element, Width, 1, true>(call)
                       : launch_shape<Element, Width, 2, true>(call);
}

} // namespace qkv

extern "C" cudaError_t qkv__cuda_decode_launch(const qkv__cuda_decode_call *call, int width)
{
    if (width == 64)
        return call->half ? qkv::launch<__half, 64>(call) : qkv::launch<__nv_bfloat16, 64>(call);
    return call->half ? qkv::launch<__half, 128>(call) : qkv::launch<__nv_bfloat16, 128>(call);
}
