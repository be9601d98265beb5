/*
 * One query, or a few, over a long cache of keys and values, for Hopper.
 *
 * The work is memory's: each key and value is read once. Keys are cut into splits of a fixed size,
 * which depends on nothing but the number of keys, so that a row's bits do not depend on the
 * batch. A unit is one split of one key head, and one block of threads: two blocks share a
 * multiprocessor, so that one reads while the other begins or ends, and the device hands out the
 * next unit wherever one has ended (some multiprocessors read a quarter faster than others). A
 * producer keeps the copy engine busy, some chunks of keys or values ahead; four warps have 16 to
 * 64 keys of each chunk. A second kernel adds the splits up, in their order. Where heads are many,
 * the first of them have one block each, which adds up their splits in the same way without a
 * detour through memory: writing to it disturbs the reading.
 *
 * Products are turned: keys are the 16 rows of an mma.sync and queries its 8 columns, for all
 * queries of all heads of the group; then columns of the values are rows. Nothing is computed for
 * 8 queries that are not there, and sums take half of the registers.
 *
 * Keys and values may be in pages: then each lane of the producer asks for the rows of one page.
 * They may be in fp8: bytes become f16, exactly, on their way into the products. Where each row has
 * a scale of its own, a key's multiplies its scores, and a value's multiplies its weights, which
 * f16 may not hold then: sums are kept relative to about the largest of them, the grain.
 */
#ifndef QKV_ATTENTION_CUDA_DECODE_CUH
#define QKV_ATTENTION_CUDA_DECODE_CUH

#include "decode.h"

#include <type_traits>

#include "decode_load.cuh"
#include "decode_merge.cuh"
#include "eight.cuh"
#include "epilogue.cuh"
#include "load.cuh"
#include "matrix.cuh"
#include "mma.cuh"
#include "shapes.h"
#include "softmax.cuh"

namespace qkv
{

/* KeyWidth and Width: of keys and of values. Halves: groups of 8 queries. Several: more than one
 * query. Stored: Element, or eight for fp8. Scaled: of fp8, each row by a number of its own. */
template <class Element_, class Stored_, int KeyWidth_, int Width_, int Halves_, bool Several_,
          bool Scaled_>
struct decode_shape {
    using Element = Element_;
    using Stored = Stored_;
    using Row = decode_row<Element_, Width_>;
    static constexpr bool Eight = std::is_same<Stored, eight>::value;
    /* What is multiplied: what bytes become at the least cost. */
    using Product = typename std::conditional<Eight, __half, Element>::type;
    static constexpr int KeyWidth = KeyWidth_, Width = Width_, Halves = Halves_;
    static constexpr bool Several = Several_, Scaled = Scaled_;
    static constexpr int KeyRow = KeyWidth * sizeof(Stored), ValueRow = Width * sizeof(Stored);
    static constexpr int Chunk = decode_chunk(KeyRow), Box = decode_box(Chunk); /* keys */
    static constexpr int Steps = Chunk / (16 * warps); /* 16s of keys that a warp has of a chunk */
    static constexpr int KeyBytes = Chunk * KeyRow, ValueBytes = Chunk * ValueRow;
    static constexpr int StageBytes = KeyBytes > ValueBytes ? KeyBytes : ValueBytes;
    /* Of a stage: where blocks are few, each is waited for, and given back, on its own. */
    static constexpr int Panels =
        Halves == 1 && KeyRow == 2 * line_bytes && ValueRow == KeyRow ? 2 : 1;
    static constexpr int Stages = 96 * 1024 / StageBytes; /* two blocks: 192 KB on their way */
    static constexpr int StageOffset = 1024;              /* behind the barriers */
    static constexpr int KeptOffset = StageOffset + Stages * StageBytes;
    static_assert((2 * Stages * Panels + 1) * 8 <= StageOffset, "barriers have room");
    /* Of a warp: sums, highest and total of each query, where the stages were. */
    static constexpr int PartRow = Width + 4, PartFloats = 8 * Halves * PartRow;
    /* A block may have a whole head: parts take the room of one stage, and behind the stages there
     * is some for what splits have added up to, three numbers for each column of each row. */
    static constexpr bool Joins = Halves == 1 && Width <= QKV__CUDA_DECODE_WHOLE_WIDTH;
    static constexpr int KeptBytes = Joins ? 3 * 4 * 8 * Width : 0;
    static_assert(QKV__CUDA_DECODE_WHOLE_ROWS == 8, "one half");
    static_assert(!Joins || warps * PartFloats * 4 <= StageBytes, "parts have a stage's room");
    /* On a multiprocessor there is room for two blocks; where three blocks' registers fit, there
     * are some for a block of the merge. */
    static constexpr int Blocks = Halves * Width > 256 ? 1 : Scaled || Halves *Width > 128 ? 2 : 3;
    static_assert(Eight || !Scaled, "16 bits have no scales");
    static_assert(warps * PartFloats * 4 <= Stages * StageBytes, "parts have the stages' room");
};

/*
 * A warp's part of a unit. Of 16 keys and 8 queries this thread has the scores of keys lane / 4 and
 * 8 below it with queries 2 (lane mod 4) and the next; of 16 columns and 8 queries it has the sums
 * of columns lane / 4 and 8 below it for the same queries. Query r is number r mod `queries` of
 * head r / `queries` of the group.
 */
template <class Shape> struct decode_state {
    using Element = typename Shape::Element;
    using Product = typename Shape::Product;
    static constexpr int Halves = Shape::Halves, Steps = Shape::Steps;
    static constexpr int Queries = 2 * Halves; /* of this thread: i % 2 + 8 (i / 2) */
    float sum[Shape::Width / 16][Halves][4];
    float highest[Queries], base[Queries], total[Queries]; /* base: highest, scaled; 0 if none */
    uint32_t query[Shape::KeyWidth / 16][Halves][2];
    uint32_t weight[Steps][Halves][2];       /* of the last keys, 16 each, turned */
    float score_scale[Queries], value_scale; /* of fp8 */
    /* Scales of rows: of the warp's next 16 Steps, this lane has number `lane` of each 32; and what
     * a query's sums count in, a power of 2 above all weights times scales so far. */
    static constexpr int Ahead = Shape::Scaled ? Steps / 2 : 1, Eights = 2 * Steps;
    float key_ahead[Ahead], value_ahead[Ahead], grain[Queries];
    float moved_by[Queries]; /* what sums were last multiplied by for a higher score */
    bool cut;                /* some query may not look at some of the last keys */

    /* As the right factor of products: queries lane / 4. */
    __device__ __forceinline__ void load_query(const qkv__cuda_decode &p, const unit &u)
    {
        /* A lane has two pairs of 16 columns: 8 apart, or, where bytes are keys, side by side. */
        constexpr int step = Shape::Eight ? 4 : 2, apart = Shape::Eight ? 2 : 8;
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int half = 0; half < Halves; half++) {
            const int row = lane / 4 + 8 * half;
            const Element *from =
                static_cast<const Element *>(p.query.data) + u.batch * p.query.batch +
                static_cast<int64_t>(u.head * p.group + row / p.queries) * p.query.head +
                row % p.queries * p.query.row;
#pragma unroll
            for (int i = 0; i < Shape::KeyWidth / 16; i++) {
                const int column = 16 * i + lane % 4 * step;
                query[i][half][0] = query[i][half][1] = 0;
                if (row < p.rows) {
                    query[i][half][0] = *reinterpret_cast<const uint32_t *>(from + column);
                    query[i][half][1] = *reinterpret_cast<const uint32_t *>(from + column + apart);
                }
            }
        }
        if constexpr (Shape::Eight) {
            const float all = Shape::Scaled ? 1.0f : load_scale(p.key_scale, u.batch, u.head, 0);
            value_scale = Shape::Scaled ? 1.0f : load_scale(p.value_scale, u.batch, u.head, 0);
#pragma unroll
            for (int half = 0; half < Halves; half++) {
                const float scale = all * narrow_query(Element(), half);
                score_scale[2 * half] = __shfl_sync(~0u, scale, lane % 4 * 8);
                score_scale[2 * half + 1] = __shfl_sync(~0u, scale, lane % 4 * 8 + 4);
            }
        }
    }

    /* Queries in f16 as they are: nothing to be done. */
    __device__ __forceinline__ float narrow_query(__half, int)
    {
        return 1.0f;
    }

    /*
     * Queries from bf16 to f16, times the power of two that brings the largest number of each to
     * 2^14; returns the inverse for query lane / 4. What f16 cannot hold then is under 2^-39 of the
     * largest, far under what sums in f32 keep.
     */
    __device__ __forceinline__ float narrow_query(__nv_bfloat16, int half)
    {
        float largest = 0.0f;
#pragma unroll
        for (int i = 0; i < Shape::KeyWidth / 16; i++)
#pragma unroll
            for (int n = 0; n < 2; n++) {
                const float2 pair = unpack(__nv_bfloat16(), query[i][half][n]);
                largest = fmaxf(largest, fmaxf(fabsf(pair.x), fabsf(pair.y)));
            }
        const int exponent = __float_as_int(row_max(largest)) >> 23;
        /* Biased by 127, as is the power's: 14 + 127 - exponent + 127. */
        const int power = exponent == 0 || exponent == 255 ? 127 : min(268 - exponent, 253);
        const float factor = __int_as_float(power << 23);
#pragma unroll
        for (int i = 0; i < Shape::KeyWidth / 16; i++)
#pragma unroll
            for (int n = 0; n < 2; n++) {
                const float2 pair = unpack(__nv_bfloat16(), query[i][half][n]);
                query[i][half][n] = pack(__half(), pair.x * factor, pair.y * factor);
            }
        return __int_as_float((254 - power) << 23);
    }

    __device__ __forceinline__ void begin()
    {
#pragma unroll
        for (int j = 0; j < Shape::Width / 16; j++)
#pragma unroll
            for (int i = 0; i < 4 * Halves; i++) sum[j][i / 4][i % 4] = 0.0f;
#pragma unroll
        for (int i = 0; i < Queries; i++) {
            highest[i] = -INFINITY;
            base[i] = total[i] = 0.0f;
            grain[i] = 1.1754944e-38f; /* 2^-126 */
            moved_by[i] = 1.0f;
        }
    }

    /* Scales of the rows that come next, the first of which is `first`: asked for as soon as the
     * last ones are used. Those of rows that no query looks at may be anything. */
    __device__ __forceinline__ void load_scales(const qkv__cuda_decode &p, const unit &u, int first)
    {
        if constexpr (Shape::Scaled) {
#pragma unroll
            for (int n = 0; n < Ahead; n++) {
                const int row = first + static_cast<int>(threadIdx.x % 32) + 32 * n;
                int batch = u.batch, line = row;
                key_ahead[n] = value_ahead[n] = 0.0f;
                if (row < u.begin || row >= u.end) continue;
                if (p.page_table != nullptr) {
                    const int64_t table = static_cast<int64_t>(u.batch) * p.page_columns;
                    batch = __ldg(p.page_table + table + row / p.page_size);
                    line = row % p.page_size;
                    if (batch < 0 || batch >= p.pages) continue;
                }
                key_ahead[n] = load_scale(p.key_scale, batch, u.head, line);
                value_ahead[n] = load_scale(p.value_scale, batch, u.head, line);
            }
        }
    }

    /* Of the rows lane / 4 of each eight. */
    static __device__ __forceinline__ void spread_scales(const float (&ahead)[Ahead],
                                                         float (&scale)[Eights])
    {
#pragma unroll
        for (int n = 0; n < Eights; n++)
            scale[n] = __shfl_sync(~0u, ahead[n / 4], n % 4 * 8 + threadIdx.x % 32 / 4);
    }

    /* Adds products of 16 keys, in lines from `line` on of a chunk, with all queries: columns of
     * one panel. */
    __device__ __forceinline__ void make_scores(uint32_t keys, int line, int panel,
                                                float (&score)[Halves][4])
    {
        const int lane = threadIdx.x % 32, row = line + lane % 16;
        constexpr int pairs = Shape::KeyRow / 32 / Shape::Panels, ahead = 4 < pairs ? 4 : pairs;
        /* Some loads at a time, so that they do not wait for each other. */
#pragma unroll
        for (int i = panel * pairs; i < (panel + 1) * pairs; i += ahead) {
            uint32_t four[ahead][4]; /* keys 0 to 7, keys 8 to 15, of two units of columns */
#pragma unroll
            for (int n = 0; n < ahead; n++)
                load_matrices(four[n], line_address<Shape::KeyRow, Shape::Chunk>(
                                           keys, row, 2 * (i + n) + lane / 16));
#pragma unroll
            for (int n = 0; n < ahead; n++) {
                if constexpr (Shape::Eight) { /* a unit is 16 columns, a lane's four side by side */
#pragma unroll
                    for (int m = 0; m < 2; m++) {
                        const wide_pairs above = widen(four[n][2 * m]);
                        const wide_pairs below = widen(four[n][2 * m + 1]);
                        const uint32_t key[4] = {above.low, below.low, above.high, below.high};
                        add_scores(score, key, 2 * (i + n) + m);
                    }
                } else {
                    add_scores(score, four[n], i + n);
                }
            }
        }
    }

    __device__ __forceinline__ void add_scores(float (&score)[Halves][4], const uint32_t (&key)[4],
                                               int i)
    {
#pragma unroll
        for (int half = 0; half < Halves; half++)
            multiply(Product(), score[half], key, query[i][half][0], query[i][half][1]);
    }

    /* The weights of the warp's keys, the first of which is `first`, when they have come. */
    __device__ __forceinline__ void take_keys(const qkv__cuda_decode &p, const unit &u,
                                              decode_ring<Shape> &ring, int line, int first)
    {
        const int past = first + 16 * Steps;
        float score[Steps][Halves][4] = {};
#pragma unroll
        for (int panel = 0; panel < Shape::Panels; panel++) {
            ring.wait_full(panel);
#pragma unroll
            for (int n = 0; n < Steps; n++)
                make_scores(shared_address(ring.stage()), line + 16 * n, panel, score[n]);
            ring.release(panel);
        }
        ring.at.advance();
        if constexpr (Shape::Eight) {
            float row_scale[Eights];
            if constexpr (Shape::Scaled) spread_scales(key_ahead, row_scale);
#pragma unroll
            for (int n = 0; n < Steps; n++)
#pragma unroll
                for (int i = 0; i < 4 * Halves; i++) {
                    const float row = Shape::Scaled ? row_scale[2 * n + i % 4 / 2] : 1.0f;
                    score[n][i / 4][i % 4] *= score_scale[i / 4 * 2 + i % 2] * row;
                }
        }
        if (p.cap_scale != 0.0f) {
#pragma unroll
            for (int n = 0; n < Steps; n++)
#pragma unroll
                for (int half = 0; half < Halves; half++) cap_scores(score[n][half], p.cap_scale);
        }
        cut = Shape::Several ? first < range_begin(p, u, p.queries - 1) || past > range_end(p, u, 0)
                             : first < u.begin || past > u.end;
        if (cut) mask(p, u, first, score);
        weigh(p, score);
    }

    __device__ __forceinline__ void mask(const qkv__cuda_decode &p, const unit &u, int first,
                                         float (&score)[Steps][Halves][4])
    {
        const int lane = threadIdx.x % 32, key = first + lane / 4;
#pragma unroll
        for (int i = 0; i < Queries; i++) {
            const int own = Shape::Several ? (lane % 4 * 2 + i % 2 + i / 2 * 8) % p.queries : 0;
            const int low = Shape::Several ? range_begin(p, u, own) : u.begin;
            const int high = Shape::Several ? range_end(p, u, own) : u.end;
#pragma unroll
            for (int n = 0; n < 2 * Steps; n++) { /* 8 keys each */
                const int mine = key + 8 * n;
                if (mine < low || mine >= high) score[n / 2][i / 2][n % 2 * 2 + i % 2] = -INFINITY;
            }
        }
    }

    /* Scores become weights. Highest scores are looked for across lanes only where some score is
     * above its query's: then they move, and with them what was summed. */
    __device__ __forceinline__ void weigh(const qkv__cuda_decode &p,
                                          float (&score)[Steps][Halves][4])
    {
        float high[Queries];
        bool above = false;
#pragma unroll
        for (int i = 0; i < Queries; i++) {
            high[i] = score[0][i / 2][i % 2];
#pragma unroll
            for (int n = 1; n < 2 * Steps; n++)
                high[i] = fmaxf(high[i], score[n / 2][i / 2][n % 2 * 2 + i % 2]);
            above |= high[i] > highest[i];
        }
        const bool moved = __any_sync(~0u, above);
        if (moved) rescale(p, high);
#pragma unroll
        for (int n = 0; n < Steps; n++)
#pragma unroll
            for (int half = 0; half < Halves; half++) {
                float(&s)[4] = score[n][half];
#pragma unroll
                for (int i = 0; i < 4; i++)
                    s[i] = exponential2(fmaf(s[i], p.scale, -base[2 * half + i % 2]));
                total[2 * half] += s[0] + s[2];
                total[2 * half + 1] += s[1] + s[3];
            }
        if constexpr (Shape::Scaled) scale_weights(score, moved);
#pragma unroll
        for (int n = 0; n < Steps; n++)
#pragma unroll
            for (int half = 0; half < Halves; half++) {
                const float(&s)[4] = score[n][half];
                weight[n][half][0] = turn(pack(Product(), s[0], s[1]));
                weight[n][half][1] = turn(pack(Product(), s[2], s[3]));
            }
    }

    /* Weights times the scales of their values, in grains. With several queries a weight of 0 may
     * belong to a row that only others look at, whose scale may be anything. */
    __device__ __forceinline__ void scale_weights(float (&weights)[Steps][Halves][4], bool moved)
    {
        float row_scale[Eights], largest[Queries] = {};
        bool above = moved;
        spread_scales(value_ahead, row_scale);
#pragma unroll
        for (int i = 0; i < Queries; i++) {
#pragma unroll
            for (int n = 0; n < Eights; n++) {
                float &w = weights[n / 2][i / 2][n % 2 * 2 + i % 2];
                w = Shape::Several && w == 0.0f ? 0.0f : w * row_scale[n];
                largest[i] = fmaxf(largest[i], fabsf(w));
            }
            above |= largest[i] >= grain[i];
        }
        if (__any_sync(~0u, above)) change_grain(largest);
#pragma unroll
        for (int n = 0; n < Steps; n++)
#pragma unroll
            for (int i = 0; i < 4 * Halves; i++)
                weights[n][i / 4][i % 4] *= inverse(grain[i / 4 * 2 + i % 2]);
    }

    static __device__ __forceinline__ float inverse(float power_of_2)
    {
        return __int_as_float((254 << 23) - __float_as_int(power_of_2));
    }

    /* The power of 2 above all that is known: weights now, and what has been summed. The sums have
     * just been scaled down where the highest score has moved, and the grain with them. */
    __device__ __forceinline__ void change_grain(const float (&largest)[Queries])
    {
#pragma unroll
        for (int i = 0; i < Queries; i++) {
            const float top = fmaxf(grain[i] * moved_by[i], column_max(largest[i]));
            /* Biased by 127; it falls by at most 64 at once, so that no factor is infinite. */
            const int least = (__float_as_int(grain[i]) >> 23) - 64;
            const int exponent = max(min(__float_as_int(top) >> 23, 252) + 1, least);
            const float next = __int_as_float(exponent << 23), factor = grain[i] * inverse(next);
            grain[i] = next;
            moved_by[i] = 1.0f;
#pragma unroll
            for (int j = 0; j < Shape::Width / 16; j++) {
                sum[j][i / 2][i % 2] *= factor;
                sum[j][i / 2][2 + i % 2] *= factor;
            }
        }
    }

    __device__ __forceinline__ void rescale(const qkv__cuda_decode &p, const float (&high)[Queries])
    {
        float factor[Queries];
#pragma unroll
        for (int i = 0; i < Queries; i++) {
            const float next = fmaxf(highest[i], column_max(high[i]));
            base[i] = next == -INFINITY ? 0.0f : next * p.scale;
            factor[i] = exponential2(fmaf(highest[i], p.scale, -base[i]));
            highest[i] = next;
            total[i] *= factor[i];
            moved_by[i] = factor[i];
        }
#pragma unroll
        for (int j = 0; j < Shape::Width / 16; j++)
#pragma unroll
            for (int i = 0; i < 4 * Halves; i++) sum[j][i / 4][i % 4] *= factor[i / 4 * 2 + i % 2];
    }

    /* Adds values of 16 columns (in bytes: the even ones, then the odd ones) by 16 keys. */
    __device__ __forceinline__ void add_columns(float (&to)[Halves][4], int n,
                                                const uint32_t (&value)[4])
    {
#pragma unroll
        for (int half = 0; half < Halves; half++)
            multiply(Product(), to[half], value, weight[n][half][0], weight[n][half][1]);
    }

    /* Two units of a row for 16 keys, as load_turned gives them, to the sums from `at` on. */
    __device__ __forceinline__ void add_units(float (*at)[Halves][4], int n,
                                              const uint32_t (&four)[4])
    {
        if constexpr (Shape::Eight) {
#pragma unroll
            for (int m = 0; m < 2; m++) { /* a byte of each key of a pair, and the next */
                const wide_pairs above = widen(__byte_perm(four[2 * m], 0, 0x3120));
                const wide_pairs below = widen(__byte_perm(four[2 * m + 1], 0, 0x3120));
                const uint32_t value[4] = {above.low, above.high, below.low, below.high};
                add_columns(at[m], n, value);
            }
        } else {
            add_columns(at[0], n, four);
        }
    }

    /* Lines and units of a lane's loads of values: in 16 bits both units of keys 0 to 7 come first,
     * in bytes both halves of the keys of one unit. */
    static __device__ __forceinline__ int value_line()
    {
        const int lane = threadIdx.x % 32;
        return lane % 8 + (Shape::Eight ? lane / 8 % 2 : lane / 16) * 8;
    }
    static __device__ __forceinline__ int value_unit()
    {
        return threadIdx.x % 32 / (Shape::Eight ? 16 : 8) % 2;
    }

    /* The values of the warp's keys, when they have come. */
    __device__ __forceinline__ void take_values(const qkv__cuda_decode &p, const unit &u,
                                                const decode_ring<Shape> &ring, int line, int first,
                                                bool keep)
    {
#pragma unroll
        for (int panel = 0; panel < Shape::Panels; panel++) {
            ring.wait_full(panel);
            take_panel(p, u, shared_address(ring.stage()), line, first, panel);
            if (!keep) ring.release(panel);
        }
    }

    __device__ __forceinline__ void take_panel(const qkv__cuda_decode &p, const unit &u,
                                               uint32_t values, int line, int first, int panel)
    {
        const int row = line + value_line();
        if (cut) {
            const int key = first + threadIdx.x % 4 * 2;
#pragma unroll
            for (int n = 0; n < Steps; n++) {
                if (Shape::Several)
                    for (int q = 0; q < p.queries; q++)
                        add_query(p, u, values, row + 16 * n, key + 16 * n, q, n, panel);
                else
                    add_values<true>(u, values, row + 16 * n, key + 16 * n, n, panel);
            }
            return;
        }
#pragma unroll
        for (int n = 0; n < Steps; n++) add_values<false>(u, values, row + 16 * n, 0, n, panel);
    }

    /* 16 of them, without those that the one query does not look at. */
    template <bool Cut>
    __device__ __forceinline__ void add_values(const unit &u, uint32_t values, int row, int key,
                                               int step, int panel)
    {
        constexpr int pairs = Shape::ValueRow / 32 / Shape::Panels, ahead = 4 < pairs ? 4 : pairs;
        constexpr int sums = Shape::Eight ? 2 : 1;
#pragma unroll
        for (int j = panel * pairs; j < (panel + 1) * pairs; j += ahead) {
            uint32_t four[ahead][4];
#pragma unroll
            for (int n = 0; n < ahead; n++)
                load_turned(four[n], line_address<Shape::ValueRow, Shape::Chunk>(
                                         values, row, 2 * (j + n) + value_unit()));
#pragma unroll
            for (int n = 0; n < ahead; n++) {
                if (Cut) clear(four[n], key, u.begin, u.end);
                add_units(sum + sums * (j + n), step, four[n]);
            }
        }
    }

    /* Values of keys that a query does not look at may be anything, and 0 * NaN is NaN: such keys
     * are cleared for one query at a time, and only it gets the sums. */
    __device__ __forceinline__ void add_query(const qkv__cuda_decode &p, const unit &u,
                                              uint32_t values, int row, int key, int q, int step,
                                              int panel)
    {
        constexpr int pairs = Shape::ValueRow / 32 / Shape::Panels, sums = Shape::Eight ? 2 : 1;
        const int lane = threadIdx.x % 32, low = range_begin(p, u, q), high = range_end(p, u, q);
#pragma unroll
        for (int j = panel * pairs; j < (panel + 1) * pairs; j++) {
            uint32_t four[4];
            load_turned(four, line_address<Shape::ValueRow, Shape::Chunk>(values, row,
                                                                          2 * j + value_unit()));
            clear(four, key, low, high);
            float part[sums][Halves][4] = {};
            add_units(part, step, four);
#pragma unroll
            for (int i = 0; i < 4 * Halves; i++)
                if ((lane % 4 * 2 + i % 2 + i / 4 * 8) % p.queries == q)
#pragma unroll
                    for (int m = 0; m < sums; m++)
                        sum[sums * j + m][i / 4][i % 4] += part[m][i / 4][i % 4];
        }
    }

    /* `key` is the lane's first, of 8 keys; a word has it and the next. */
    __device__ __forceinline__ void clear(uint32_t (&four)[4], int key, int low, int high)
    {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int mine = key + (Shape::Eight ? i % 2 : i / 2) * 8;
            if (mine < low || mine >= high) four[i] &= 0xffff0000u;
            if (mine + 1 < low || mine + 1 >= high) four[i] &= 0x0000ffffu;
        }
    }

    /* Into the warp's part in shared memory. */
    __device__ __forceinline__ void end(float *part)
    {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int i = 0; i < Queries; i++) {
            const float scale = Shape::Scaled ? grain[i] : Shape::Eight ? value_scale : 1.0f;
            const float all = column_sum(total[i]);
            float *to = part + (lane % 4 * 2 + i % 2 + i / 2 * 8) * Shape::PartRow;
#pragma unroll
            for (int j = 0; j < Shape::Width / 16; j++) {
                /* As add_units has put them: even and odd columns, or columns 8 apart. */
                const int column = 16 * j + lane / 4 * (Shape::Eight ? 2 : 1);
                to[column] = sum[j][i / 2][i % 2] * scale;
                to[column + (Shape::Eight ? 1 : 8)] = sum[j][i / 2][2 + i % 2] * scale;
            }
            if (lane / 4 == 0) {
                to[Shape::Width] = highest[i];
                to[Shape::Width + 1] = all;
            }
        }
    }
};

/* Four warps: keys and values as they come, then what they add up to. */
template <class Shape>
__device__ __forceinline__ void consume(const qkv__cuda_decode &p, const unit &u, const span &mine,
                                        decode_ring<Shape> &ring)
{
    const int warp = threadIdx.x / 32, line = 16 * Shape::Steps * warp;
    const bool last = u.split == mine.first + mine.count - 1;
    decode_state<Shape> state;
    state.load_query(p, u);
    state.begin();
    state.load_scales(p, u, u.begin / Shape::Chunk * Shape::Chunk + line);
    for (int row = u.begin / Shape::Chunk * Shape::Chunk; row < u.end; row += Shape::Chunk) {
        const bool more = row + Shape::Chunk < u.end;
        if (last && row + p.let_in * Shape::Chunk >= u.end) next_kernel_may_start();
        state.take_keys(p, u, ring, line, row + line);
        if (more) state.load_scales(p, u, row + Shape::Chunk + line);
        state.take_values(p, u, ring, line, row + line, !more);
        if (more) ring.at.advance();
    }
    consumers_wait(); /* the last stage is read; in a block of one unit, nothing is on its way */
    float *const parts = reinterpret_cast<float *>(Shape::Joins ? ring.stage() : ring.stages);
    state.end(parts + warp * Shape::PartFloats);
    consumers_wait();
    if (Shape::Joins && p.clustered) cluster_wait(); /* all of its blocks have begun */
    end_unit<Shape>(p, u, mine, parts, ring.kept(), ring.arrived());
    if (Shape::Joins && !last) {
        shared_publish(); /* the copy engine may write where parts were */
        for (int panel = 0; panel < Shape::Panels; panel++) ring.release(panel);
        ring.at.advance();
    }
}

template <class Shape>
__global__ void __launch_bounds__(32 * (warps + 1), Shape::Blocks)
    decode(const __grid_constant__ CUtensorMap key, const __grid_constant__ CUtensorMap value,
           const __grid_constant__ qkv__cuda_decode p)
{
    extern __shared__ __align__(1024) uint8_t shared[];
    decode_ring<Shape> ring(shared, p.apart);
    const bool producer = threadIdx.x / 32 == warps, leader = threadIdx.x == 32 * warps;
    if (leader) {
        prefetch<Shape>(&key, &value, p);
        ring.init();
    }
    __syncthreads();
    if (p.clustered) cluster_arrive();
    const span mine = find_span(p, blockIdx.x);
    unit u;
    if (p.ranges == nullptr) u = find_unit(p, mine.head, mine.first);
    wait_for_kernel_before(); /* all above lies under its end */
    for (int i = 0; i < mine.count; i++) {
        if (i > 0 || p.ranges != nullptr) u = find_unit(p, mine.head, mine.first + i);
        if (!u.active) continue;
        if (!producer)
            consume<Shape>(p, u, mine, ring);
        else if (p.page_table != nullptr)
            produce_pages<Shape>(&key, &value, p, u, ring);
        else if (leader)
            produce<Shape>(&key, &value, u, ring);
        if (!Shape::Joins) return;
    }
    if (Shape::Joins && p.clustered) end_cluster<Shape>(p, u, ring.kept(), ring.arrived());
}

} // namespace qkv
#endif
