/*
 * What a call would cost. The model is that of travel.h: a rank computes for its rows, every parcel
 * of keys goes once into every rank that needs it, and the first comes to the last rank after one
 * step per rank. docs/scale.md compares it with measurements.
 */
#include <qkv/mpi.h>

#include <math.h>

#include "base/error.h"
#include "base/number.h"
#include "base/options.h"
#include "mpi/order.h"
#include "mpi/travel.h"

qkv_mpi_prospect qkv_mpi_prospect_default(void)
{
    return (qkv_mpi_prospect){.struct_size = sizeof(qkv_mpi_prospect)};
}

static void complete(qkv_mpi_prospect *p)
{
    if (p->ranks == 0) p->ranks = 1;
    if (p->batch == 0) p->batch = 1;
    if (p->heads == 0) p->heads = 1;
    if (p->kv_heads == 0) p->kv_heads = p->heads;
    if (p->width == 0) p->width = 64;
    if (p->value_width == 0) p->value_width = p->width;
    if (p->type == QKV_NONE) p->type = QKV_F32;
    if (p->at_once == 0 || p->at_once > p->ranks) p->at_once = p->ranks;
    if (p->options.struct_size == 0) p->options.struct_size = sizeof p->options;
}

static qkv_status check(const qkv_mpi_prospect *p, qkv_error *error)
{
    if (p->length == 0)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "length is 0; expected at least 1");
    if (!(p->speed > 0.0) || !isfinite(p->speed))
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "speed is %g; expected a positive number",
                         p->speed);
    if (p->ranks > 1 && !(p->bandwidth > 0.0))
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "bandwidth is %g; expected a positive number",
                         p->bandwidth);
    if (!(p->latency >= 0.0) || !isfinite(p->latency))
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "latency is %g; expected 0 or more",
                         p->latency);
    if (p->heads % p->kv_heads != 0)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "%zu heads are not a multiple of %zu key heads",
                         p->heads, p->kv_heads);
    return QKV_OK;
}

/* The rows of the rank that has most, and the number of ranks that have any. */
static double most_rows(const qkv__order *order, size_t *busy)
{
    size_t most = 0;
    *busy = order->units < order->ranks ? order->units : order->ranks;
    for (size_t r = 0; r < order->ranks; r++) {
        const size_t rows = qkv__order_rows(order, r);
        if (rows > most) most = rows;
    }
    return (double)most;
}

/* Pairs of a query and a key of the rank with most work. Pieces are computed whole only where no
 * mask leaves keys out, so a causal diagonal block costs half. */
static double most_pairs(const qkv_mpi_prospect *p, const qkv__order *order, double rows)
{
    const double length = (double)p->length;
    if (p->window > 0 && (double)p->window < length)
        return rows * (double)p->window * (p->causal ? 1.0 : 2.0);
    if (!p->causal) return rows * length;
    if (order->layout == QKV_MPI_ZIGZAG) return rows * (length + 1.0) / 2.0;
    return rows * (length - rows / 2.0); /* the last rank */
}

qkv_status qkv_mpi_plan(const qkv_mpi_prospect *prospect, qkv_mpi_forecast *forecast,
                        qkv_error *error)
{
    qkv_mpi_prospect p = qkv_mpi_prospect_default();
    qkv__order order;
    if (prospect == NULL || forecast == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "%s is NULL",
                         prospect == NULL ? "prospect" : "forecast");
    qkv_status status =
        qkv__options_take(&p, sizeof p, prospect, "prospect", "qkv_mpi_prospect_default", error);
    complete(&p);
    if (status == QKV_OK) status = check(&p, error);
    if (status == QKV_OK) status = qkv__order_make(&p.options, p.length, p.ranks, &order, error);
    if (status != QKV_OK) return status;

    qkv_mpi_forecast f = {.block = order.block};
    const double rows = most_rows(&order, &f.busy_ranks), heads = (double)(p.batch * p.heads);
    const double widths = (double)(p.width + p.value_width);
    const double key_bytes =
        (double)(p.batch * p.kv_heads) * widths * (double)qkv__type_size(p.type);
    const double runs = order.layout == QKV_MPI_ZIGZAG ? 2.0 : 1.0;
    const double parcel_rows = (double)(qkv__travel_group(&order) * order.block) * runs;
    const double parcel = fmin(parcel_rows, (double)p.length) * key_bytes;
    const bool local = p.window > 0 && p.window < p.length && order.layout == QKV_MPI_CONTIGUOUS;
    const double shared = (double)p.ranks / (double)p.at_once;

    f.compute_seconds = 2.0 * heads * widths * most_pairs(&p, &order, rows) / p.speed * shared;
    double foreign = (double)p.length - rows; /* keys that come from others */
    if (local)                                /* whole parcels on one side, or both */
        foreign = fmin(foreign, ((double)p.window + parcel_rows) * (p.causal ? 1.0 : 2.0));
    f.traffic_bytes = p.ranks > 1 ? foreign * key_bytes : 0.0;
    f.messages = p.ranks > 1 ? (size_t)ceil(foreign / parcel_rows) : 0;
    if (p.ranks > 1) {
        const double moving = f.traffic_bytes / p.bandwidth + (double)f.messages * p.latency;
        const double steps = local ? 1.0 : (double)(p.ranks - 1);
        f.wait_seconds =
            steps * (p.latency + parcel / p.bandwidth) + fmax(0.0, moving - f.compute_seconds);
    }
    f.seconds = f.compute_seconds + f.wait_seconds;
    f.memory_bytes = rows * heads * widths * (double)qkv__type_size(p.type) /* query, output */
                     + rows * key_bytes                                     /* key, value */
                     + rows * heads * (double)(p.value_width + 2) * 8.0     /* sums */
                     + (double)(QKV__SLOTS + QKV__FEEDS) * parcel;          /* on their way */
    *forecast = f;
    return QKV_OK;
}
