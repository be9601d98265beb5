/* Blocks, units and shards of a sequence. Knows lengths and nothing of tensors or messages. */
#include "mpi/order.h"

#include "base/error.h"
#include "base/options.h"

/* Folding a block in costs what 50 of its keys cost; few blocks leave ranks without any. */
enum { LEAST_BLOCK = 1024, LONG_BLOCK = 2048, LONG = 32768, MOST_BLOCKS = 65536 };

qkv_mpi_options qkv_mpi_default(void)
{
    return (qkv_mpi_options){.struct_size = sizeof(qkv_mpi_options)};
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t default_block(const qkv__order *order)
{
    size_t block = LEAST_BLOCK;
    if (order->layout == QKV_MPI_CYCLIC) return block; /* a cache that grows must not change it */
    if (order->length >= LONG) block = LONG_BLOCK;
    while (order->length / block > MOST_BLOCKS || order->length > block * MOST_BLOCKS) block *= 2;
    return block;
}

qkv_status qkv__order_make(const qkv_mpi_options *options, size_t length, size_t ranks,
                           qkv__order *order, qkv_error *error)
{
    qkv_mpi_options known = qkv_mpi_default();
    if (options != NULL) {
        const qkv_status status =
            qkv__options_take(&known, sizeof known, options, "options", "qkv_mpi_default", error);
        if (status != QKV_OK) return status;
    }
    if ((int)known.layout < 0 || known.layout > QKV_MPI_CYCLIC)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "options.layout is %d; expected a qkv_mpi_layout", (int)known.layout);
    *order = (qkv__order){.layout = (int)known.layout == 0 ? QKV_MPI_CONTIGUOUS : known.layout,
                          .length = length,
                          .ranks = ranks};
    order->block = known.block != 0 ? known.block : default_block(order);
    order->blocks = length / order->block + (length % order->block != 0);
    order->units =
        order->layout == QKV_MPI_ZIGZAG ? order->blocks / 2 + order->blocks % 2 : order->blocks;
    return QKV_OK;
}

/* u * rank / ranks without overflow: units are at most 2^53 or so, ranks at most 2^31. */
static size_t share(size_t units, size_t rank, size_t ranks)
{
    return units / ranks * rank + units % ranks * rank / ranks;
}

void qkv__order_units(const qkv__order *order, size_t rank, size_t *begin, size_t *end,
                      size_t *step)
{
    const bool cyclic = order->layout == QKV_MPI_CYCLIC;
    *begin = cyclic ? rank : share(order->units, rank, order->ranks);
    *end = cyclic ? order->units : share(order->units, rank + 1, order->ranks);
    *step = cyclic ? order->ranks : 1;
}

size_t qkv__order_owner(const qkv__order *order, size_t unit)
{
    if (order->layout == QKV_MPI_CYCLIC) return unit % order->ranks;
    size_t low = 0, high = order->ranks; /* share(low) <= unit < share(high) */
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (share(order->units, middle, order->ranks) <= unit)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static size_t block_rows(const qkv__order *order, size_t block)
{
    return least(order->block, order->length - block * order->block);
}

size_t qkv__order_unit_runs(const qkv__order *order, size_t unit, qkv__run runs[QKV__RUNS])
{
    const size_t size = order->block;
    if (order->layout == QKV_MPI_CYCLIC) {
        runs[0] = (qkv__run){unit * size, block_rows(order, unit), unit / order->ranks * size};
        return 1;
    }
    qkv__run shard[QKV__RUNS] = {{0}};
    const size_t count = qkv__order_shard_runs(order, qkv__order_owner(order, unit), shard);
    const size_t mirror = order->blocks - 1 - unit;
    runs[0] = (qkv__run){unit * size, block_rows(order, unit), unit * size - shard[0].first};
    if (order->layout == QKV_MPI_CONTIGUOUS || mirror == unit || count < 2) return 1;
    runs[1] = (qkv__run){mirror * size, block_rows(order, mirror),
                         shard[1].local + mirror * size - shard[1].first};
    return 2;
}

static qkv__run blocks_run(const qkv__order *order, size_t begin, size_t end, size_t local)
{
    const size_t first = least(begin * order->block, order->length);
    return (qkv__run){first, least(end * order->block, order->length) - first, local};
}

size_t qkv__order_shard_runs(const qkv__order *order, size_t rank, qkv__run runs[QKV__RUNS])
{
    size_t begin, end, step;
    qkv__order_units(order, rank, &begin, &end, &step);
    if (begin >= end) return 0;
    runs[0] = blocks_run(order, begin, end, 0);
    if (order->layout != QKV_MPI_ZIGZAG) return 1;
    /* The middle block of an odd number is its own mirror, and belongs to the first run. */
    const size_t back = order->blocks - end < end ? end : order->blocks - end;
    if (back >= order->blocks - begin) return 1;
    runs[1] = blocks_run(order, back, order->blocks - begin, runs[0].rows);
    return 2;
}

size_t qkv__order_rows(const qkv__order *order, size_t rank)
{
    qkv__run runs[QKV__RUNS];
    size_t rows = 0;
    if (order->layout == QKV_MPI_CYCLIC) {
        if (rank >= order->blocks) return 0;
        const size_t blocks = (order->blocks - 1 - rank) / order->ranks + 1;
        const size_t last = rank + (blocks - 1) * order->ranks;
        return (blocks - 1) * order->block + block_rows(order, last);
    }
    const size_t count = qkv__order_shard_runs(order, rank, runs);
    for (size_t i = 0; i < count; i++) rows += runs[i].rows;
    return rows;
}

/* ---- The public questions ------------------------------------------------------------------ */

size_t qkv_mpi_rows(const qkv_mpi_options *options, size_t length, int ranks, int rank)
{
    qkv__order order;
    if (ranks < 1 || rank < 0 || rank >= ranks ||
        qkv__order_make(options, length, (size_t)ranks, &order, NULL) != QKV_OK)
        return 0;
    return qkv__order_rows(&order, (size_t)rank);
}

size_t qkv_mpi_row(const qkv_mpi_options *options, size_t length, int ranks, int rank, size_t row)
{
    qkv__order order;
    qkv__run runs[QKV__RUNS] = {{0}};
    if (row >= qkv_mpi_rows(options, length, ranks, rank)) return length;
    qkv__order_make(options, length, (size_t)ranks, &order, NULL);
    if (order.layout == QKV_MPI_CYCLIC)
        return (row / order.block * order.ranks + (size_t)rank) * order.block + row % order.block;
    qkv__order_shard_runs(&order, (size_t)rank, runs);
    return row < runs[0].rows ? runs[0].first + row : runs[1].first + row - runs[0].rows;
}
