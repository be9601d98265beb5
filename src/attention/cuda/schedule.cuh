/* From numbers of tiles to rows, heads and blocks of keys. One thread of a block asks; the others
 * read the answer from shared memory. */
#ifndef QKV_ATTENTION_CUDA_SCHEDULE_CUH
#define QKV_ATTENTION_CUDA_SCHEDULE_CUH

#include "params.h"

namespace qkv
{

struct tile {
    int rows; /* 0: there are no more tiles */
    int row, position;
    int key, keys;
    int head, key_head, batch;
    int begin, end; /* blocks of keys; none where end <= begin */
};

__device__ __forceinline__ tile tile_find(const qkv__cuda_schedule &schedule, int number, int rows,
                                          int block, int left, int right)
{
    tile result;
    if (schedule.items != nullptr) {
        const qkv__cuda_item item = schedule.items[number / schedule.heads];
        result.head = number % schedule.heads;
        result.batch = item.batch;
        result.row = item.row;
        result.rows = item.rows;
        result.position = item.position;
        result.key = item.key;
        result.keys = item.keys;
    } else {
        const int full = schedule.section * schedule.tiles_per_head;
        const int section = number / full, within = number % full;
        const int first = section * schedule.section;
        const int size = min(schedule.section, schedule.units - first);
        const int unit = first + within % size;
        int part = within / size;
        if (schedule.descending) part = schedule.tiles_per_head - 1 - part;
        result.head = unit % schedule.heads;
        result.batch = unit / schedule.heads;
        result.row = part * rows;
        result.rows = min(rows, schedule.queries - result.row);
        result.position = result.row + schedule.offset;
        result.key = 0;
        result.keys = schedule.keys;
    }
    result.key_head = result.head / schedule.group;
    const int first = max(result.position - left, 0);
    const int past = min(result.position + result.rows + right, result.keys);
    result.begin = first / block;
    result.end = first < past ? (past + block - 1) / block : result.begin;
    return result;
}

/* With dropout: the sequence's number, and which of its queries is the first row. */
struct dropped_tile : tile {
    int sequence, first;
};

__device__ __forceinline__ void tile_complete(const qkv__cuda_schedule &schedule, int number,
                                              dropped_tile *t)
{
    const bool listed = schedule.items != nullptr;
    t->sequence = listed ? schedule.items[number / schedule.heads].sequence : t->batch;
    t->first = listed ? schedule.items[number / schedule.heads].first : t->row;
}

} // namespace qkv
#endif
