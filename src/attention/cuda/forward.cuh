/*
 * The forward kernel for Hopper (sm_90a).
 *
 * A block of threads stays on its multiprocessor and goes from tile to tile. One warp, the
 * producer, asks the copy engine for queries, keys and values, several stages ahead and into the
 * next tile; two or three warpgroups, the consumers, have 64 rows of the tile each. A consumer
 * issues the scores of its next block of keys before the outputs of the last one, and makes weights
 * while the matrix unit works on both; the consumers take turns at it, so that one's softmax lies
 * under another's products. Blocks go from the last key to the first: those that a mask cuts
 * come first, and the loop over all others has no mask in it.
 *
 *     producer     K V | K V | K V ...           full[stage] ->          <- empty[stage]
 *     consumer 0   S0  softmax  S1 O0  softmax  S2 O1 ...
 *     consumer 1        S0  softmax  S1 O0  softmax ...
 */
#ifndef QKV_ATTENTION_CUDA_FORWARD_CUH
#define QKV_ATTENTION_CUDA_FORWARD_CUH

#include <type_traits>

#include "dropout.cuh"
#include "epilogue.cuh"
#include "load.cuh"
#include "mask.cuh"
#include "matrix.cuh"
#include "repair.cuh"
#include "schedule.cuh"
#include "softmax.cuh"

namespace qkv
{

/* One kernel's shape. Registers: 65,536 for all threads of a block. */
template <class Element_, int Width_, int ValueWidth_, int Consumers_, int Keys_, int Stages_,
          int Early_, bool Ranged_, bool Capped_, bool Dropped_ = false>
struct forward_shape {
    using Element = Element_;
    static constexpr int Width = Width_, ValueWidth = ValueWidth_;
    static constexpr int Consumers = Consumers_; /* of 64 rows */
    static constexpr int Keys = Keys_;           /* in a block */
    static constexpr int Stages = Stages_;       /* blocks in flight, a power of 2 */
    static constexpr int Early = Early_;    /* products that are left when the turn is passed on */
    static constexpr bool Ranged = Ranged_; /* causal masks and windows */
    static constexpr bool Capped = Capped_, Dropped = Dropped_;
    using Tile = typename std::conditional<Dropped, dropped_tile, tile>::type;
    static constexpr bool Looks = Width == 256 || (Width == 64 && !Ranged); /* before rescaling */
    /* Of the last block of a sequence as many keys as there are, or nearly. */
    static constexpr bool Parts = !Ranged && Keys == 176;
    static constexpr int Few = Parts ? 64 : Keys, Most = Parts ? 144 : Keys;

    static constexpr int Rows = 64 * Consumers, Threads = 128 * (Consumers + 1);
    static constexpr int QueryBytes = Rows * Width * 2, KeyBytes = Keys * Width * 2;
    static constexpr int ValueBytes = Keys * ValueWidth * 2;
    static constexpr int KeyOffset = QueryBytes;
    static constexpr int ValueOffset = KeyOffset + Stages * KeyBytes;
    static constexpr int BarrierOffset = ValueOffset + Stages * ValueBytes;
    static constexpr int SharedBytes = BarrierOffset + 768;
    static constexpr int ConsumerRegisters = Consumers == 2 ? 232 : 160;
    static constexpr int ProducerRegisters = Consumers == 2 ? 40 : 32;
    static_assert(SharedBytes <= 227 * 1024, "a multiprocessor has no more");
};

/* Tiles that are known ahead: the one that ends, the one that begins and the one to be fetched. */
constexpr int tile_slots = 4;

/* Barriers and the answers of the schedule, behind the tiles. */
template <int Stages, int Consumers, class Tile> struct forward_signals {
    uint64_t query_full[Consumers], query_empty[Consumers]; /* each has its own 64 rows */
    uint64_t key_full[Stages], key_empty[Stages];
    uint64_t value_full[Stages], value_empty[Stages];
    uint64_t value_raw; /* values that are not ready: keys past the end are to be cleared */
    uint64_t tile_full[tile_slots], tile_empty[tile_slots];
    Tile next[tile_slots];
};

template <class Shape> struct forward_memory {
    uint8_t *query, *key, *value;
    using signals_type = forward_signals<Shape::Stages, Shape::Consumers, typename Shape::Tile>;
    signals_type *signals;

    /* `base` is a multiple of 1,024, as the swizzle wants it. */
    __device__ __forceinline__ forward_memory(uint8_t *base)
    {
        static_assert(sizeof *signals <= 768, "the room behind the tiles");
        query = base;
        key = base + Shape::KeyOffset;
        value = base + Shape::ValueOffset;
        signals = reinterpret_cast<signals_type *>(base + Shape::BarrierOffset);
    }

    __device__ __forceinline__ void init() const
    {
        constexpr int warps = 4 * Shape::Consumers;
        for (int i = 0; i < Shape::Consumers; i++) {
            barrier_init(&signals->query_full[i], 1);
            barrier_init(&signals->query_empty[i], 1);
        }
        barrier_init(&signals->value_raw, 1);
        for (int i = 0; i < Shape::Stages; i++) {
            barrier_init(&signals->key_full[i], 1);
            barrier_init(&signals->value_full[i], 1);
            barrier_init(&signals->key_empty[i], Shape::Consumers);
            barrier_init(&signals->value_empty[i], Shape::Consumers);
        }
        for (int i = 0; i < tile_slots; i++) {
            barrier_init(&signals->tile_full[i], 1);
            barrier_init(&signals->tile_empty[i], warps);
        }
        barrier_init_end();
    }
};

/*
 * Values of keys past the end of a sequence may be anything, and 0 * NaN is NaN: the producer waits
 * for such a block and clears them before the consumers are told. (Past the end of the memory the
 * copy engine has written zeros.)
 */
template <class Shape>
__device__ __forceinline__ void clear_values(const forward_memory<Shape> &memory, int stage,
                                             int from)
{
    uint8_t *value = memory.value + stage * Shape::ValueBytes;
    constexpr int units = line_bytes / 16;
    for (int panel = 0; panel < Shape::ValueWidth / panel_columns; panel++)
        for (int i = from * units + threadIdx.x % 32; i < Shape::Keys * units; i += 32)
            reinterpret_cast<uint4 *>(value + panel * Shape::Keys * line_bytes)[i] =
                make_uint4(0, 0, 0, 0);
    shared_publish();
    __syncwarp();
}

/* What a tile will need first, to the cache. */
template <class Shape>
__device__ __forceinline__ void prefetch_tile(const tile &t, const CUtensorMap *query,
                                              const CUtensorMap *key, const CUtensorMap *value)
{
    if (t.rows == 0 || t.end <= t.begin) return;
    const int row = t.key + (t.end - 1) * Shape::Keys;
    for (int i = 0; i < Shape::Consumers; i++)
        prefetch_rows<Shape::Width>(query, t.row + 64 * i, t.head, t.batch);
    prefetch_rows<Shape::Width>(key, row, t.key_head, t.batch);
    prefetch_rows<Shape::ValueWidth>(value, row, t.key_head, t.batch);
}

/*
 * One warp; its first lane speaks with the copy engine. The next tile is found while this one is
 * being loaded, so that its first rows can be brought from memory to the cache meanwhile.
 */
template <class Shape>
__device__ __forceinline__ void produce(const forward_memory<Shape> &memory,
                                        const CUtensorMap *query, const CUtensorMap *key,
                                        const CUtensorMap *value, const qkv__cuda_forward &p)
{
    auto *signals = memory.signals;
    const bool leader = threadIdx.x % 32 == 0;
    ring<Shape::Stages> at;
    ring<tile_slots> slot;
    uint32_t query_phase = 0, raw_phase = 0;

    /* Finds the next tile and tells all; of no rows past the last. Its number was asked for when
     * the one before was announced: the counter is far away. */
    int number = blockIdx.x;
    auto announce = [&] {
        barrier_wait(&signals->tile_empty[slot.stage], slot.phase ^ 1);
        if (leader) {
            typename Shape::Tile t;
            t.rows = 0;
            if (number < p.schedule.tiles) {
                static_cast<tile &>(t) =
                    tile_find(p.schedule, number, Shape::Rows, Shape::Keys, p.left, p.right);
                if constexpr (Shape::Dropped) tile_complete(p.schedule, number, &t);
            }
            signals->next[slot.stage] = t;
            barrier_arrive(&signals->tile_full[slot.stage]);
            number = p.schedule.counter == nullptr ? number + gridDim.x
                                                   : gridDim.x + atomicAdd(p.schedule.counter, 1u);
        }
        __syncwarp();
        slot.advance();
    };

    announce();
    for (int count = 0;; count++) {
        const volatile tile &t = signals->next[count % tile_slots];
        if (t.rows == 0) break;
        const int begin = t.begin, end = t.end, key_head = t.key_head, batch = t.batch;
        if (end <= begin) announce();
        for (int block = end - 1; block >= begin; block--, at.advance()) {
            const int row = t.key + block * Shape::Keys, stage = at.stage;
            barrier_wait(&signals->key_empty[stage], at.phase ^ 1);
            if (leader) {
                barrier_expect(&signals->key_full[stage], Shape::KeyBytes);
                load_rows<Shape::Width, Shape::Keys>(memory.key + stage * Shape::KeyBytes, key,
                                                     &signals->key_full[stage], row, key_head,
                                                     batch);
            }
            if (block == end - 1) {
                for (int i = 0; i < Shape::Consumers; i++) {
                    barrier_wait(&signals->query_empty[i], query_phase ^ 1);
                    if (leader) {
                        barrier_expect(&signals->query_full[i], 64 * Shape::Width * 2);
                        load_rows<Shape::Width, 64>(memory.query + i * 64 * Shape::Width * 2, query,
                                                    &signals->query_full[i], t.row + 64 * i, t.head,
                                                    batch);
                    }
                }
                query_phase ^= 1;
            }
            barrier_wait(&signals->value_empty[stage], at.phase ^ 1);
            const int last = t.keys - block * Shape::Keys;
            const bool clear = p.schedule.items != nullptr && last < Shape::Keys;
            uint64_t *full = clear ? &signals->value_raw : &signals->value_full[stage];
            if (leader) {
                barrier_expect(full, Shape::ValueBytes);
                load_rows<Shape::ValueWidth, Shape::Keys>(memory.value + stage * Shape::ValueBytes,
                                                          value, full, row, key_head, batch);
            }
            if (clear) {
                barrier_wait(&signals->value_raw, raw_phase);
                raw_phase ^= 1;
                clear_values(memory, stage, last);
                if (leader) barrier_arrive(&signals->value_full[stage]);
            }
            if (block == max(end - 2, begin)) {
                announce();
                if (leader)
                    prefetch_tile<Shape>(signals->next[(count + 1) % tile_slots], query, key,
                                         value);
            }
        }
    }
}

/* Named barriers of the consumers' turns; number 0 is __syncthreads'. */
template <int Consumers> struct turns {
    int consumer;

    /* The last consumer lets the first one begin. */
    __device__ __forceinline__ turns(int consumer_) : consumer(consumer_)
    {
        if (consumer == Consumers - 1) pass();
    }
    __device__ __forceinline__ void take() const
    {
        asm volatile("bar.sync %0, 256;" ::"r"(1 + consumer) : "memory");
    }
    __device__ __forceinline__ void pass() const
    {
        const int following = consumer == Consumers - 1 ? 0 : consumer + 1;
        asm volatile("bar.arrive %0, 256;" ::"r"(1 + following) : "memory");
    }
    /* A barrier must not be left half way. */
    __device__ __forceinline__ void end() const
    {
        if (consumer == 0) take();
    }
};

/* The end of a tile for a warp: outputs, log-sum-exp, and rows that have to be done again. */
template <class Shape>
__device__ __forceinline__ void
store_tile(const qkv__cuda_forward &p, const volatile tile &t, const softmax &state,
           const float (&output)[Shape::ValueWidth / 2], int warp_row)
{
    using Element = typename Shape::Element;
    const int head = t.head, batch = t.batch, first = t.row, rows = t.rows;
    const int row = warp_row + threadIdx.x % 32 / 4; /* and 8 below it */
    const float sink = p.sinks == nullptr ? -INFINITY : p.sinks[head];
    const row_end end[2] = {
        row_end(state.highest[0], state.total[0], p.scale, sink),
        row_end(state.highest[1], state.total[1], p.scale, sink),
    };
    const float kept = Shape::Dropped ? static_cast<float>(p.dropout.factor) : 1.0f;
    Element *to = static_cast<Element *>(p.output.data) + batch * p.output.batch +
                  head * p.output.head + (first + row) * p.output.row;
#pragma unroll
    for (int i = 0; i < 2; i++)
        store_row<Element, Shape::ValueWidth>(output, i,
                                              Shape::Dropped ? end[i].factor * kept : end[i].factor,
                                              to + 8 * i * p.output.row, row + 8 * i < rows);
    if (p.log_sum_exp.data != nullptr && threadIdx.x % 4 == 0) {
        const int64_t base = batch * p.log_sum_exp.batch + head * p.log_sum_exp.head;
#pragma unroll
        for (int i = 0; i < 2; i++)
            if (row + 8 * i < rows)
                store_number(p.log_sum_exp, base + (first + row + 8 * i) * p.log_sum_exp.row,
                             end[i].log_sum_exp());
    }
    if constexpr (Shape::Ranged) {
        unsigned bad = rows_to_repair(output);
        if (bad != 0) __syncwarp(); /* their first outputs are written */
        for (; bad != 0; bad &= bad - 1)
            if (warp_row + __ffs(bad) - 1 < rows)
                repair_row<Shape>(p, t, warp_row + __ffs(bad) - 1);
    }
}

/*
 * A warpgroup with 64 rows of every tile.
 *
 * Tiles follow each other without a gap: the first scores of the next tile are issued together with
 * the last outputs of this one, and this one's outputs are stored while the other consumers have
 * the matrix unit.
 */
template <class Shape>
__device__ __forceinline__ void consume(const forward_memory<Shape> &memory,
                                        const qkv__cuda_forward &p)
{
    using Element = typename Shape::Element;
    auto *signals = memory.signals;
    const int consumer = uniform(threadIdx.x / 128 - 1), thread = threadIdx.x % 128;
    const bool leader = thread == 0, warp_leader = threadIdx.x % 32 == 0;
    const int warp_row = uniform(consumer * 64 + thread / 32 * 16); /* in the tile */
    const uint32_t queries =
        factor_lower(shared_address(memory.query) + consumer * 64 * Shape::Width * 2, 16);
    const uint32_t key_base = factor_lower(shared_address(memory.key), 16);
    const uint32_t value_base =
        factor_lower(shared_address(memory.value), Shape::Keys * line_bytes);
    const turns<Shape::Consumers> turn(consumer);
    uint32_t number = 0; /* of the block of keys, over all tiles; the values' is one behind */
    uint32_t seen = 0;   /* tiles that had queries to wait for */
    auto stage_of = [](uint32_t n) { return n % Shape::Stages; };
    auto phase_of = [](uint32_t n) { return n / Shape::Stages & 1; };

    float score[Shape::Keys / 2], output[Shape::ValueWidth / 2];
    uint32_t weight[Shape::Keys / 4];
    softmax state;

    /* Of a block's keys the first `count`, a constant: see part_of. */
    auto issue_scores = [&](auto count) {
        constexpr int some = decltype(count)::value;
        const uint32_t keys = key_base + stage_of(number) * (Shape::KeyBytes / 16);
        multiply_keys<Element, Shape::Width, 64, some, Shape::Keys>(first_of<some / 2>(score),
                                                                    queries, keys);
    };
    /* The turn is passed on a few products before the last, so that the matrix unit has work while
     * the next consumer wakes up. */
    auto issue_outputs = [&](auto passes, auto count) {
        constexpr int steps = decltype(count)::value / 16, most = steps - Shape::Early;
        const uint32_t values = value_base + stage_of(number - 1) * (Shape::ValueBytes / 16);
        products_begin();
        multiply_values<Element, Shape::ValueWidth, Shape::Keys, 0, most>(output, weight, values);
        if constexpr (decltype(passes)::value) turn.pass();
        multiply_values<Element, Shape::ValueWidth, Shape::Keys, most, steps>(output, weight,
                                                                              values);
        products_commit();
    };
    auto wait_keys = [&] { barrier_wait(&signals->key_full[stage_of(number)], phase_of(number)); };
    auto wait_values = [&] {
        barrier_wait(&signals->value_full[stage_of(number - 1)], phase_of(number - 1));
    };
    auto release_keys = [&] {
        if (leader) barrier_arrive(&signals->key_empty[stage_of(number)]);
    };
    auto release_values = [&] {
        if (leader) barrier_arrive(&signals->value_empty[stage_of(number - 1)]);
    };
    auto release_queries = [&] {
        if (leader) barrier_arrive(&signals->query_empty[consumer]);
    };
    auto wait_queries = [&] { barrier_wait(&signals->query_full[consumer], seen++ & 1); };
    auto cap = [&](auto count) {
        if constexpr (Shape::Capped)
            cap_scores(first_of<decltype(count)::value / 2>(score), p.cap_scale);
    };
    auto row_position = [&](const volatile tile &t) {
        return t.position + warp_row + threadIdx.x % 32 / 4;
    };
    auto mask_right = [&](const volatile tile &t, int block) {
        mask_behind(score, row_position(t) + p.right + 1, t.keys, block * Shape::Keys);
    };
    auto mask_left = [&](const volatile tile &t, int block) {
        mask_before(score, row_position(t) - p.left, block * Shape::Keys);
    };
    /* Of this consumer's rows, blocks from `cut` on are cut on the right, those under `whole` on
     * the left. */
    auto cut = [&](const volatile tile &t) {
        const int first = t.position + consumer * 64;
        return max(min(first + p.right + 1, t.keys), 0) / Shape::Keys;
    };
    auto whole = [&](const volatile tile &t) {
        const int last = t.position + consumer * 64 + 63;
        return max(last - p.left + Shape::Keys - 1, 0) / Shape::Keys;
    };
    /* Weights of block `block` that are dropped become 0, after they were counted in the total. Not
     * to be called without dropout: reading its arguments alone would cost registers. */
    auto drop = [&](const volatile tile &t, int block) {
        if constexpr (Shape::Dropped) {
            const auto &of = static_cast<const volatile dropped_tile &>(t);
            drop_weights(score, p.dropout, of.first + warp_row + threadIdx.x % 32 / 4,
                         block * Shape::Keys, of.head, of.sequence);
        }
    };
    auto first_mask = [&](const volatile tile &t, auto count) {
        [[maybe_unused]] constexpr int some = decltype(count)::value;
        if constexpr (Shape::Ranged) {
            mask_right(t, t.end - 1);
            if (t.end - 1 < whole(t)) mask_left(t, t.end - 1);
        } else if (t.keys < (t.end - 1) * Shape::Keys + some) {
            mask_end(first_of<some / 2>(score), t.keys, (t.end - 1) * Shape::Keys);
        }
    };
    const std::integral_constant<int, Shape::Keys> all;
    const std::integral_constant<int, Shape::Few> few;
    const std::integral_constant<int, Shape::Most> most;
    /* How many keys of a tile's last block, the first to be taken, are computed: it may reach far
     * past the end. */
    auto part_of = [&](const volatile tile &t, bool may) {
        const int there = may ? t.keys - (t.end - 1) * Shape::Keys : Shape::Keys;
        return uniform(there <= Shape::Few    ? Shape::Few
                       : there <= Shape::Most ? Shape::Most
                                              : Shape::Keys);
    };

    bool any = false; /* whether the tile before has outputs to come */
    for (uint32_t count = 0;; count++) {
        barrier_wait(&signals->tile_full[count % tile_slots], count / tile_slots & 1);
        /* Read where they are needed: registers that the loop over the keys can use. */
        const volatile tile &t = signals->next[count % tile_slots];
        const volatile tile &before = signals->next[(count - 1) % tile_slots];
        int left = uniform(t.end - t.begin - 1); /* blocks behind the first */
        const bool more = t.rows > 0, begins = more && left >= 0;
        softmax fresh;
        const int part = Shape::Parts ? part_of(t, any && left > 0) : Shape::Keys;
        auto join = [&](auto count) {
            wait_queries();
            wait_keys();
            turn.take();
            issue_scores(count);
            wait_values();
            issue_outputs(std::true_type(), all);
            products_wait<1>();
            release_keys();
            if (left == 0) release_queries();
            cap(count);
            first_mask(t, count);
            fresh.take(first_of<decltype(count)::value / 2>(score), p.scale);
            if constexpr (Shape::Dropped) drop(t, t.end - 1);
#pragma unroll
            for (int i = decltype(count)::value / 2; i < Shape::Keys / 2; i++) score[i] = 0.0f;
            products_wait<0>();
            release_values();
        };
        if (any && begins) {
            if (part == Shape::Keys)
                join(all);
            else if (part == Shape::Most)
                join(most);
            else
                join(few);
        } else if (any) {
            wait_values();
            issue_outputs(std::false_type(), all);
            products_wait<0>();
            release_values();
        }
        if (count > 0) {
            store_tile<Shape>(p, before, state, output, warp_row);
            __syncwarp();
            if (warp_leader) barrier_arrive(&signals->tile_empty[(count - 1) % tile_slots]);
        }
        if (!more) break;
        if (begins && !any) {
            wait_queries();
            wait_keys();
            turn.take();
            issue_scores(all);
            turn.pass();
            products_wait<0>();
            release_keys();
            if (left == 0) release_queries();
            cap(all);
            first_mask(t, all);
            fresh.take(score, p.scale);
            if constexpr (Shape::Dropped) drop(t, t.end - 1);
        }
        state = fresh;
#pragma unroll
        for (int i = 0; i < Shape::ValueWidth / 2; i++) output[i] = 0.0f;
        any = begins;
        if (!begins) continue;
        pack_weights<Element>(weight, score);
        number++;

        /* Scores of one block, outputs of the one before it. Blocks are counted from the first that
         * the tile looks at; little else is kept in registers. */
        auto step = [&](auto right, auto before, auto count) {
            left--;
            wait_keys();
            turn.take();
            issue_scores(all);
            wait_values();
            issue_outputs(std::true_type(), count);
            products_wait<1>();
            release_keys();
            if (left == 0) release_queries();
            cap(all);
            if constexpr (decltype(right)::value) mask_right(t, t.begin + left);
            if constexpr (decltype(before)::value)
                if (t.begin + left < whole(t)) mask_left(t, t.begin + left);
            state.take(score, p.scale);
            if constexpr (Shape::Dropped) drop(t, t.begin + left);
            products_wait<0>();
            release_values();
            pack_weights<Element>(weight, score);
            state.template rescale<Shape::Looks>(output);
            number++;
        };
        const std::true_type yes;
        const std::false_type no;
        if constexpr (Shape::Ranged) {
            for (int until = uniform(max(cut(t) - t.begin, 0)); left > until;) step(yes, yes, all);
            for (int until = uniform(max(whole(t) - t.begin, 0)); left > until;) step(no, no, all);
            while (left > 0) step(no, yes, all);
        } else {
            if (Shape::Parts && part == Shape::Most) step(no, no, most);
            if (Shape::Parts && part == Shape::Few) step(no, no, few);
            while (left > 0) step(no, no, all);
        }
    }
    turn.end();
}

template <class Shape>
__global__ void __launch_bounds__(Shape::Threads, 1)
    forward_kernel(const __grid_constant__ CUtensorMap query,
                   const __grid_constant__ CUtensorMap key,
                   const __grid_constant__ CUtensorMap value,
                   const __grid_constant__ qkv__cuda_forward p)
{
    extern __shared__ __align__(1024) uint8_t shared[]; /* known at compile time: no registers */
    const forward_memory<Shape> memory(shared);
    if (threadIdx.x == 0) {
        if (shared_address(shared) % 1024 != 0) __trap();
        prefetch_map(&query);
        prefetch_map(&key);
        prefetch_map(&value);
        memory.init();
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Shape::ProducerRegisters));
        if (threadIdx.x < 32) produce<Shape>(memory, &query, &key, &value, p);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Shape::ConsumerRegisters));
        consume<Shape>(memory, p);
    }
}

} // namespace qkv
#endif
