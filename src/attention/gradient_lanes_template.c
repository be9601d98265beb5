/*
 * The gradient in lanes, included behind lanes_template.c and built from its pieces: queries lie
 * side by side in the lanes of vectors, keys come in blocks. It knows one key head and the query
 * heads that read it; threads are gradient.h's business.
 *
 * Of the forward pass it needs c_i and e_i, the logarithm of the sum of exponentials. With
 * c = log2(e), x_i = c e_i and everything transposed, a block of keys by a tile of queries:
 *
 *     s  = K Q' scale                    p  = 2^(c s - x)            the weights
 *     dp = V G' * d                      ds = p (dp - g_i . c_i)     times 1 - tanh^2 if capped
 *     dV += (p * d) G    dK += ds Q    dQ' += K' ds                  the last two times scale
 *
 * with d the factors of dropout, if there is any.
 *
 * x is kept as the sum of two numbers, the first with so few digits that nothing is lost of c s - x
 * but what p itself cannot hold. That needs an e with more digits than s has, and one that is not
 * too large. In double precision, where scores go beyond NEAR, and where keys are few and digits
 * cost nothing, the sum is found anew, and p = 2^(c (s - h)) / l as in the forward pass: times 1/l,
 * which is kept as the sum of two numbers too, so that p is rounded once.
 *
 * Five products, each of matrices that lie as `multiply` likes them: what is read one number at a
 * time is the caller's K and V, p or ds; what is read in vectors is Q', G', G, Q or ds.
 *
 * What is masked has p = ds = 0 by choice, not by arithmetic. In the last three products that zero
 * would be lost against a number that is not finite. Such numbers of K, Q and G are taken as 0
 * there, and then added pair by pair where they are looked at: no bit changes for the others.
 */
#include "attention/gradient.h"

/* Fewer keys a block than the forward pass has: here four blocks must fit into the cache. */
enum { KEYS = 64, STRETCH = 4 * KEYS };

/* The first part of x is a multiple of STEP, and less than NEAR: 22 binary digits, with which it
 * can be added to a whole number. */
#define STEP 0x1p-9
#define NEAR 0x1p13

/* What is kept of a tile; behind it lie Q' and G' and the sum dQ', with t.columns numbers a row. */
typedef struct kept_tile {
    tile t;                     /* without its heads, which lie in a worker's memory */
    bool finite, strange[TILE]; /* whether all of Q and G are finite; and which rows not */
    bool any_anew, all_anew;    /* whether some, and all rows have their sum found anew */
    REAL anew[TILE];  /* 1: this row; else 0. A matter of the row alone, like all its bits */
    REAL shift[TILE]; /* the first part of x, or h where the sum was found anew */
    REAL rest[TILE];  /* the second part, or that of 1/l */
    REAL least[TILE]; /* a score whose p is 0, or 1/l */
    REAL mean[TILE];  /* g . c, which is the mean of dp */
    REAL *queries, *gradients, *sum;
} kept_tile;

/* A worker's memory, beside the forward kernel's. Rows are padded to whole vectors. */
typedef struct desk {
    size_t width, value_width; /* padded */
    bench *b;
    REAL *weight_gradient;         /* (KEYS, TILE): dp, then ds */
    REAL *slope;                   /* (KEYS, TILE): 1 - tanh^2 */
    REAL *dropped;                 /* (KEYS, TILE): d */
    REAL *query, *gradient;        /* (TILE, width): Q and G as rows, where copied */
    REAL *key, *value;             /* (STRETCH, width): where copied */
    REAL *key_sum, *value_sum;     /* (STRETCH, width): dK and dV */
    REAL *clean_key;               /* (KEYS, width) */
    REAL *ones;                    /* as many as the widest row has numbers */
    bool finite, strange[STRETCH]; /* whether all keys are finite; and which not */
} desk;

static size_t kept_bytes(void)
{
    return round_up(sizeof(kept_tile), 64);
}

static bool gradient_tile_bytes(const qkv__problem *problem, size_t rows, size_t *bytes)
{
    const size_t width = problem->query.shape[QKV__WIDTH];
    const size_t value_width = problem->value.shape[QKV__WIDTH];
    const size_t limit = SIZE_MAX / 64 / (TILE * sizeof(REAL));
    if (width > limit || value_width > limit) return false;
    const size_t numbers = round_up(rows, LANES) * (2 * width + value_width);
    *bytes = kept_bytes() + round_up(numbers * sizeof(REAL), 64);
    return true;
}

/* Numbers of a desk's arrays. */
static size_t desk_numbers(size_t width, size_t value_width)
{
    const size_t rows = round_up(width, LANES) + round_up(value_width, LANES);
    return round_up(3 * KEYS * TILE + (TILE + 2 * STRETCH + KEYS + 1) * rows, 16);
}

static size_t desk_bytes(size_t width, size_t value_width)
{
    return round_up(sizeof(desk), 64) + desk_numbers(width, value_width) * sizeof(REAL);
}

static bool gradient_workspace(const qkv__problem *problem, size_t *bytes)
{
    const size_t width = problem->query.shape[QKV__WIDTH];
    const size_t value_width = problem->value.shape[QKV__WIDTH];
    const size_t limit = SIZE_MAX / 64 / ((TILE + 4 * STRETCH) * sizeof(REAL));
    size_t own;
    if (width > limit || value_width > limit || !workspace_bytes(problem, &own)) return false;
    return qkv__size_add(desk_bytes(width, value_width), own, bytes);
}

/* Divides a worker's memory. What lies behind the desk is the forward kernel's, which `lay_out`
 * divides once a tile. */
static desk *lay_out_desk(const qkv__head *head, void *workspace)
{
    desk *d = workspace;
    unsigned char *bytes = workspace;
    d->width = round_up(head->width, LANES);
    d->value_width = round_up(head->value_width, LANES);
    d->b = (bench *)(void *)(bytes + desk_bytes(head->width, head->value_width));
    d->weight_gradient = (REAL *)(void *)(bytes + round_up(sizeof(desk), 64));
    d->slope = d->weight_gradient + KEYS * TILE;
    d->dropped = d->slope + KEYS * TILE;
    d->query = d->dropped + KEYS * TILE;
    d->gradient = d->query + TILE * d->width;
    d->key = d->gradient + TILE * d->value_width;
    d->value = d->key + STRETCH * d->width;
    d->key_sum = d->value + STRETCH * d->value_width;
    d->value_sum = d->key_sum + STRETCH * d->width;
    d->clean_key = d->value_sum + STRETCH * d->value_width;
    d->ones = d->clean_key + KEYS * d->width;
    for (size_t i = 0; i < d->width + d->value_width; i++) d->ones[i] = 1;
    return d;
}

static kept_tile *tile_at(const qkv__gradient_work *work, size_t number)
{
    return (kept_tile *)(void *)(work->memory + number * work->tile_bytes);
}

/* ---- Tiles --------------------------------------------------------------------------------- */

static bool all_finite(const REAL *numbers, size_t count)
{
    const REAL infinity = REAL_INFINITY;
    REAL_BITS limit, largest = 0; /* of magnitudes: those of NaN are above infinity's */
    memcpy(&limit, &infinity, sizeof limit);
    for (size_t i = 0; i < count; i++) {
        REAL_BITS bits;
        memcpy(&bits, numbers + i, sizeof bits);
        bits &= (REAL_BITS)-1 >> 1;
        largest = bits > largest ? bits : largest;
    }
    return largest < limit;
}

/* Whether e is known well enough for this lane. What is not finite needs no digits. */
static bool is_near(const tile *t, size_t lane)
{
    const double sum = qkv__matrix_get(&t->head[lane]->log_sum_exp, t->query[lane], 0);
    return REAL_TYPE != QKV_F64 && !(isfinite(sum) && fabs(sum) >= NEAR / 2);
}

/* Whether the sum of a row is to be found anew, which takes all of its keys. */
static void set_anew(kept_tile *kept, size_t lane, bool part)
{
    const tile *t = &kept->t;
    const bool anew = !part && (t->past[lane] - t->first[lane] <= KEYS || !is_near(t, lane));
    kept->anew[lane] = anew ? 1 : 0;
    kept->any_anew = kept->any_anew || anew;
    kept->all_anew = kept->all_anew && anew;
}

/* The parts of x. A row that looks at nothing has no p at all; one whose e is not a number must
 * not find weights of 0. */
static void set_shift(kept_tile *kept, size_t lane)
{
    const tile *t = &kept->t;
    const double log2_e = 0x1.71547652b82fep+0;
    const double sum = qkv__matrix_get(&t->head[lane]->log_sum_exp, t->query[lane], 0);
    const double x = isfinite(sum) ? sum * log2_e : sum == -INFINITY ? 0.0 : NAN;
    const double first = rint(x / STEP) * STEP;
    kept->shift[lane] = (REAL)first;
    kept->rest[lane] = (REAL)(x - first);
    kept->least[lane] = (REAL)((x - REAL_EXPONENT_BIAS - 20) / log2_e);
}

static void find_scores(bench *b, const tile *t, broadcast key, size_t first, size_t count)
{
    multiply_keys(b, t, key, count);
    if (scores_unfinished(b, t, first, count)) finish_scores(b, t, first, count);
}

/* h and 1/l of a row from its state: l = sum + lost + exp(sink - h). */
static void set_share(kept_tile *kept, size_t lane)
{
    const tile *t = &kept->t;
    const double high = (double)t->now.high[lane], sink = t->head[lane]->sink;
    const double own = (double)t->now.sum[lane], lost = (double)t->now.aside[lane];
    const bool nothing = own == 0, none = sink == -INFINITY;
    const double whole = nothing ? 1 : none ? own + lost : own + lost + exp(sink - high);
    const double missing = nothing || !none ? 0 : lost - (whole - own); /* of whole, in f64 */
    const double share = 1 / whole;
    const double rest = isinf(whole) ? 0 : (fma(-share, whole, 1) - share * missing) * share;
    kept->shift[lane] = nothing ? 0 : t->now.high[lane];
    kept->least[lane] = (REAL)share;
    kept->rest[lane] = (REAL)((share - (double)kept->least[lane]) + rest);
}

/* h and l of those rows of a tile that want them, from the keys. */
static void find_sums(bench *b, kept_tile *kept)
{
    tile *t = &kept->t;
    const qkv__head *head = t->head[0];
    REAL change[TILE];
    for (size_t lane = 0; lane < t->columns; lane++) {
        t->now.high[lane] = -REAL_INFINITY;
        t->now.sum[lane] = t->now.aside[lane] = 0;
    }
    for (size_t first = t->begin / KEYS * KEYS; first < t->end; first += KEYS) {
        const size_t count = at_most(t->end - first, KEYS);
        find_scores(b, t, load_block(&head->key, first, count, b->width, b->key), first, count);
        for (size_t lane = 0; lane < t->columns; lane += LANES) soften(b, t, lane, count, change);
    }
    for (size_t lane = 0; lane < t->rows; lane++)
        if (kept->anew[lane] == 1) set_share(kept, lane);
}

/* a . b in the order of `multiply`: where c is one of the values, g . c is its dp to the bit, and
 * their difference is 0. */
static REAL dot(const REAL *a, size_t a_step, const REAL *b, size_t count)
{
    REAL total = 0;
    for (size_t begin = 0; begin < count; begin += CHUNK) {
        lanes sum[2] = {{0}};
        for (size_t i = begin; i < count && i < begin + CHUNK; i++)
            sum[i % 2] = lanes_fma(lanes_all(a[i * a_step]), lanes_all(b[i]), sum[i % 2]);
        total += sum[0][0] + sum[1][0];
    }
    return total;
}

/* g and g . c of a lane, and whether g and q are finite. */
static void set_gradient(const qkv__gradient_work *work, const desk *d, kept_tile *kept,
                         size_t lane)
{
    const tile *t = &kept->t;
    const bench *b = d->b;
    const qkv__head *head = t->head[lane];
    REAL *row = d->query;
    load_row(&head->query, t->query[lane], 0, b->width, row);
    kept->strange[lane] = !all_finite(row, b->width);
    row = d->gradient;
    load_row(&work->g[head - work->heads], t->query[lane], 0, b->value_width, row);
    kept->strange[lane] = kept->strange[lane] || !all_finite(row, b->value_width);
    kept->finite = kept->finite && !kept->strange[lane];
    for (size_t i = 0; i < b->value_width; i++) kept->gradients[i * t->columns + lane] = row[i];
    load_row(&head->output, t->query[lane], 0, b->value_width, row);
    kept->mean[lane] = dot(kept->gradients + lane, t->columns, row, b->value_width);
}

static void store_zeros(const qkv__matrix *m, size_t row, size_t count)
{
    for (size_t i = 0; i < count; i++)
        qkv__store(m->type, m->data, (ptrdiff_t)row * m->row + (ptrdiff_t)i * m->column, 0.0);
}

static void gradient_prepare(const qkv__gradient_work *work, size_t number, void *workspace)
{
    const qkv__rows rows = qkv__gradient_rows(work, number, TILE);
    desk *d = lay_out_desk(work->heads, workspace);
    kept_tile *kept = tile_at(work, number);
    bench *b = lay_out(d->b, &rows);
    tile *t = &kept->t;
    const size_t columns = round_up(rows.end - rows.begin, LANES);
    kept->queries = (REAL *)(void *)((unsigned char *)kept + kept_bytes());
    kept->gradients = kept->queries + b->width * columns;
    kept->sum = kept->gradients + b->value_width * columns;
    t->transposed = kept->queries;
    take_rows(b, t, &rows);
    kept->finite = true;
    kept->any_anew = false;
    kept->all_anew = true;
    for (size_t lane = 0; lane < columns; lane++) {
        kept->shift[lane] = kept->rest[lane] = kept->least[lane] = kept->mean[lane] = 0;
        kept->anew[lane] = 0;
        for (size_t i = 0; i < b->value_width && lane >= t->rows; i++)
            kept->gradients[i * columns + lane] = 0;
        if (lane >= t->rows) continue;
        set_anew(kept, lane, work->part);
        set_shift(kept, lane);
        set_gradient(work, d, kept, lane);
        if (t->begin == t->end && work->wants_dq)
            store_zeros(&work->dq[t->head[lane] - work->heads], t->query[lane], b->width);
    }
    if (kept->any_anew) find_sums(b, kept);
    qkv__turn_pass(&work->turn[number], t->begin / STRETCH);
}

/* ---- A block of keys by a tile of queries ---------------------------------------------------- */

/* 1 - tanh^2(raw / cap), from raw scores. */
static void find_slopes(desk *d, const tile *t, broadcast key, size_t count)
{
    bench *b = d->b;
    const qkv__head *head = t->head[0];
    const REAL scale = (REAL)head->scale, cap = (REAL)head->softcap;
    multiply_keys(b, t, key, count);
    for (size_t i = 0; i < count * t->columns; i++)
        d->slope[i] = REAL_TANH(b->score[i] * scale / cap);
    for (size_t i = 0; i < count * t->columns; i += LANES) { /* fused: rounded once */
        const lanes capped = lanes_load(d->slope + i);
        lanes_store(d->slope + i, lanes_fma(-capped, capped, lanes_all(1)));
    }
}

/* dp = V G', with sums over the width cut as those of scores are. */
static void multiply_values(desk *d, const kept_tile *kept, broadcast value, size_t count)
{
    const tile *t = &kept->t;
    const size_t width = d->b->value_width, columns = t->columns;
    if (width == 0) memset(d->weight_gradient, 0, count * columns * sizeof(REAL));
    for (size_t i = 0; i < width; i += CHUNK)
        multiply(count, columns, width - i < CHUNK ? width - i : CHUNK,
                 (broadcast){value.data + i, value.row, 1}, kept->gradients + i * columns, columns,
                 d->weight_gradient, columns, i == 0 ? NULL : d->b->ones);
}

/* 2^(c s - x) with x in two parts, and 0 below the normal numbers: lanes_exp2 with another start.
 * s is not so low that the exponent goes round. */
static inline lanes lanes_exp2_less(lanes s, lanes first, lanes rest, const exponent *c)
{
    static const REAL coefficients[] = REAL_EXP2_COEFFICIENTS; /* of r^1, r^2, ... */
    enum { DEGREE = sizeof coefficients / sizeof coefficients[0] };
    const lanes magic = lanes_all(REAL_MAGIC), shifted = lanes_fma(s, c->high, -first) + magic;
    const lanes whole = (shifted - magic) + first;
    const lanes r = lanes_fma(s, c->low, lanes_fma(s, c->high, -whole) - rest);
    lanes p = lanes_all(coefficients[DEGREE - 1]);
    UNROLLED (i, DEGREE - 1) p = lanes_fma(p, r, lanes_all(coefficients[DEGREE - 2 - i]));
    p = lanes_fma(p, r, lanes_all(1));
    const lanes at_least = lanes_max(lanes_all(REAL_MAGIC - REAL_EXPONENT_BIAS), shifted);
    lane_bits power;
    memcpy(&power, &at_least, sizeof power);
    power = (power + REAL_EXPONENT_BIAS) << REAL_FRACTION_BITS;
    lanes scale;
    memcpy(&scale, &power, sizeof scale);
    return p * scale;
}

/* Scores become p and dp becomes ds, for one vector of rows; `capped`: with slopes. some, all: of
 * the rows have had their sum found anew. */
static inline __attribute__((always_inline)) void weigh_lanes(const desk *d, const kept_tile *kept,
                                                              size_t lane, size_t count, bool some,
                                                              bool all, bool capped)
{
    const size_t columns = kept->t.columns;
    const exponent c = exponent_make();
    const lanes shift = lanes_load(kept->shift + lane), rest = lanes_load(kept->rest + lane);
    const lanes least = lanes_load(kept->least + lane), mean = lanes_load(kept->mean + lane);
    const lanes scale = lanes_all(d->b->scale);
    const lane_bits anew = (lane_bits)(lanes_load(kept->anew + lane) == lanes_all(1));
    for (size_t j = 0; j < count; j++) {
        REAL *score = d->b->score + j * columns + lane;
        REAL *gradient = d->weight_gradient + j * columns + lane;
        const lanes product = lanes_load(score), s = product * scale;
        lanes p = {0};
        if (!all) p = lanes_exp2_less(lanes_max(least, s), shift, rest, &c);
        if (some) {
            const lanes e = lanes_exp2(s - shift, &c);
            p = choose(anew, lanes_fma(e, least, e * rest), p);
        }
        lanes ds = p * (lanes_load(gradient) - mean);
        if (capped) ds *= lanes_load(d->slope + j * columns + lane);
        const lane_bits seen = (lane_bits)(product != lanes_all(-REAL_INFINITY));
        lane_bits change, weight;
        memcpy(&change, &ds, sizeof change);
        memcpy(&weight, &p, sizeof weight);
        change &= seen;
        weight &= seen;
        memcpy(gradient, &change, sizeof change);
        memcpy(score, &weight, sizeof weight);
    }
}

static void weigh(const desk *d, const kept_tile *kept, size_t count, bool capped)
{
    for (size_t lane = 0; lane < kept->t.columns; lane += LANES)
        if (kept->any_anew || capped)
            weigh_lanes(d, kept, lane, count, kept->any_anew, kept->all_anew, capped);
        else
            weigh_lanes(d, kept, lane, count, false, false, false);
}

/* numbers *= d */
static void drop(const desk *d, REAL *numbers, size_t count)
{
    for (size_t i = 0; i < count; i += LANES)
        lanes_store(numbers + i, lanes_load(numbers + i) * lanes_load(d->dropped + i));
}

/* p and ds of a block, and p times d; `capped`: ds of raw scores, or else of masked ones. */
static void find_gradients(desk *d, const kept_tile *kept, broadcast value, size_t first,
                           size_t count, bool capped)
{
    const tile *t = &d->b->tiles[0];
    const bool drops = t->head[0]->dropout.on;
    const size_t numbers = count * t->columns;
    multiply_values(d, kept, value, count);
    if (drops) find_dropped(t, first, count, d->dropped);
    if (drops) drop(d, d->weight_gradient, numbers);
    weigh(d, kept, count, capped);
    if (drops) drop(d, d->b->score, numbers);
}

/* c += a b, with columns cut into vectors two and two where four are left over: that needs fewer
 * reads than three and one. */
static void add_product(const desk *d, size_t rows, size_t columns, size_t depth, broadcast a,
                        const REAL *b, size_t b_stride, REAL *c)
{
    size_t first = columns / LANES % 3 == 1 && columns > LANES ? 4 * LANES : 0;
    for (size_t j = 0; j < first; j += 2 * LANES)
        multiply(rows, 2 * LANES, depth, a, b + j, b_stride, c + j, columns, d->ones);
    multiply(rows, columns - first, depth, a, b + first, b_stride, c + first, columns, d->ones);
}

/* What is added to: one block's rows of dK and dV, and the tile's dQ'. NULL: not wanted. */
typedef struct block_sums {
    REAL *key, *value, *query;
} block_sums;

/* What is not finite of K (where `keys` says so), Q and G, pair by pair. Pairs that are masked have
 * 0 in b->stage. */
static void add_strange(const desk *d, const kept_tile *kept, broadcast key, size_t count,
                        bool keys, block_sums sums)
{
    const size_t columns = kept->t.columns, width = d->b->width, value_width = d->b->value_width;
    for (size_t pair = 0; pair < count * columns; pair++) {
        const size_t j = pair / columns, lane = pair % columns;
        const REAL p = d->b->score[pair], ds = d->weight_gradient[pair];
        const REAL *k = key.data + (ptrdiff_t)j * key.row;
        const REAL *q = kept->queries + lane, *g = kept->gradients + lane;
        if (lane >= kept->t.rows || d->b->stage[pair] == 0) continue;
        for (size_t i = 0; keys && sums.query != NULL && i < width; i++)
            if (!isfinite(k[i])) sums.query[i * columns + lane] += ds * k[i];
        if (!kept->strange[lane]) continue;
        for (size_t i = 0; sums.value != NULL && i < value_width; i++)
            if (!isfinite(g[i * columns])) sums.value[j * d->value_width + i] += p * g[i * columns];
        for (size_t i = 0; sums.key != NULL && i < width; i++)
            if (!isfinite(q[i * columns])) sums.key[j * d->width + i] += ds * q[i * columns];
    }
}

static void add_products(const desk *d, const kept_tile *kept, broadcast key, size_t count,
                         broadcast query, broadcast gradient, block_sums sums)
{
    const size_t columns = kept->t.columns, rows = kept->t.rows;
    const broadcast p = {d->b->score, (ptrdiff_t)columns, 1};
    const broadcast ds = {d->weight_gradient, (ptrdiff_t)columns, 1};
    if (sums.value != NULL)
        add_product(d, count, d->value_width, rows, p, gradient.data, (size_t)gradient.row,
                    sums.value);
    if (sums.key != NULL)
        add_product(d, count, d->width, rows, ds, query.data, (size_t)query.row, sums.key);
    if (sums.query != NULL)
        multiply(d->b->width, columns, count, (broadcast){key.data, 1, key.row}, d->weight_gradient,
                 columns, sums.query, columns, d->b->ones);
}

/* ---- A stretch of keys ----------------------------------------------------------------------- */

/* A stretch and the results that its tiles share. */
typedef struct stretch {
    size_t number, begin, end;
    broadcast key, value;
} stretch;

static void clean(REAL *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) numbers[i] = isfinite(numbers[i]) ? numbers[i] : 0;
}

/* A block of keys with 0 for what is not finite. */
static broadcast clean_keys(const desk *d, broadcast key, size_t count)
{
    const size_t width = d->b->width;
    for (size_t j = 0; j < count; j++) {
        memcpy(d->clean_key + j * width, key.data + (ptrdiff_t)j * key.row, width * sizeof(REAL));
        clean(d->clean_key + j * width, width);
    }
    return (broadcast){d->clean_key, (ptrdiff_t)width, 1};
}

/* Rows of a tile's Q or G, padded to whole vectors, with 0 for what is not finite: in place if they
 * can be read so, or else copied. */
static broadcast load_tile(const desk *d, const qkv__gradient_work *work, const tile *t,
                           bool finite, bool gradients)
{
    const size_t width = gradients ? d->b->value_width : d->b->width;
    const size_t padded = gradients ? d->value_width : d->width;
    REAL *copy = gradients ? d->gradient : d->query;
    for (size_t lane = 0; lane < t->rows; lane++) {
        const qkv__head *head = t->head[lane];
        const qkv__matrix *from = gradients ? &work->g[head - work->heads] : &head->query;
        const bool whole = head == t->head[t->rows - 1] && from->type == REAL_TYPE &&
                           from->column == 1 && from->row >= 0 && from->data != NULL;
        if (lane == 0 && finite && whole && width == padded)
            return (broadcast){(const REAL *)from->data + (ptrdiff_t)t->query[0] * from->row,
                               from->row, 1};
        load_row(from, t->query[lane], 0, width, copy + lane * padded);
        for (size_t i = width; i < padded; i++) copy[lane * padded + i] = 0;
    }
    if (!finite) clean(copy, t->rows * padded);
    return (broadcast){copy, (ptrdiff_t)padded, 1};
}

/* The keys first to first + count - 1 of a stretch, by a tile. */
static void gradient_block(desk *d, const qkv__gradient_work *work, const kept_tile *kept,
                           const stretch *s, size_t first, size_t count, broadcast query,
                           broadcast gradient)
{
    bench *b = d->b;
    const tile *t = &b->tiles[0];
    const size_t from = first - s->begin;
    const broadcast key = {s->key.data + (ptrdiff_t)from * s->key.row, s->key.row, 1};
    const broadcast value = {s->value.data + (ptrdiff_t)from * s->value.row, s->value.row, 1};
    const bool capped = t->head[0]->softcap > 0.0;
    bool clean_block = true;
    for (size_t j = from; !d->finite && j < from + count; j++)
        clean_block = clean_block && !d->strange[j];
    const bool careful = !kept->finite || !clean_block;
    const block_sums sums = {work->wants_dk ? d->key_sum + from * d->width : NULL,
                             work->wants_dv ? d->value_sum + from * d->value_width : NULL,
                             work->wants_dq ? kept->sum : NULL};
    if (capped) find_slopes(d, t, key, count);
    find_scores(b, t, key, first, count);
    for (size_t i = 0; careful && i < count * t->columns; i++)
        b->stage[i] = b->score[i] == -REAL_INFINITY ? 0 : 1;
    find_gradients(d, kept, value, first, count, capped);
    add_products(d, kept, clean_block ? key : clean_keys(d, key, count), count, query, gradient,
                 sums);
    if (careful) add_strange(d, kept, key, count, !clean_block, sums);
}

/* Writes the dq of a tile that has been summed up: transposed back square by square. */
static void finish_queries(const qkv__gradient_work *work, const desk *d, const kept_tile *kept)
{
    const tile *t = &d->b->tiles[0];
    const size_t width = d->b->width, columns = t->columns;
    const lanes scale = lanes_all((REAL)work->heads[0].scale);
    for (size_t lane = 0; lane < columns; lane += LANES)
        for (size_t first = 0; first < width; first += LANES) {
            lanes square[LANES] = {{0}};
            for (size_t i = 0; i < LANES && first + i < width; i++)
                square[i] = lanes_load(kept->sum + (first + i) * columns + lane) * scale;
            transpose(square);
            for (size_t i = 0; i < LANES; i++)
                lanes_store(d->query + (lane + i) * d->width + first, square[i]);
        }
    for (size_t lane = 0; lane < t->rows; lane++)
        store_row(&work->dq[t->head[lane] - work->heads], t->query[lane], 0, width,
                  d->query + lane * d->width);
}

/* Puts a tile on the desk; NULL if it does not look at the stretch. */
static kept_tile *take_tile(desk *d, const qkv__gradient_work *work, size_t number,
                            const stretch *s)
{
    kept_tile *kept = tile_at(work, number);
    if (kept->t.begin >= s->end || kept->t.end <= s->begin || kept->t.begin == kept->t.end)
        return NULL;
    const qkv__rows rows = qkv__gradient_rows(work, number, TILE);
    tile *t = &lay_out(d->b, &rows)->tiles[0];
    *t = kept->t;
    for (size_t lane = 0; lane < t->rows; lane++)
        t->head[lane] = work->heads + (rows.begin + lane) / work->heads[0].queries;
    return kept;
}

static void walk_tile(desk *d, const qkv__gradient_work *work, size_t number, const stretch *s)
{
    kept_tile *kept = take_tile(d, work, number, s);
    if (kept == NULL) return;
    const bench *b = d->b;
    const tile *t = &b->tiles[0];
    const broadcast query = load_tile(d, work, t, kept->finite, false);
    const broadcast gradient = load_tile(d, work, t, kept->finite, true);
    const size_t begin = t->begin > s->begin ? t->begin : s->begin;
    const size_t end = t->end < s->end ? t->end : s->end;
    if (work->wants_dq) {
        qkv__turn_await(&work->turn[number], s->number);
        if (begin == t->begin) memset(kept->sum, 0, b->width * t->columns * sizeof(REAL));
    }
    /* Blocks end at multiples of KEYS, wherever the tile's first row begins to look. */
    for (size_t first = begin, next; first < end; first = next) {
        next = at_most(first / KEYS * KEYS + KEYS, end);
        gradient_block(d, work, kept, s, first, next - first, query, gradient);
    }
    if (work->wants_dq && end == t->end) finish_queries(work, d, kept);
    qkv__turn_pass(&work->turn[number], s->number + 1);
}

/* Writes the stretch's rows of dk or dv. */
static void finish_keys(const qkv__matrix *to, const stretch *s, size_t width, size_t padded,
                        REAL scale, REAL *sums)
{
    for (size_t i = 0; i < (s->end - s->begin) * padded; i++) sums[i] *= scale;
    for (size_t j = s->begin; j < s->end; j++)
        store_row(to, j, 0, width, sums + (j - s->begin) * padded);
}

/* The keys of a stretch, and their values. */
static stretch take_stretch(desk *d, const qkv__head *head, size_t number)
{
    const size_t begin = number * STRETCH, left = head->keys - begin;
    stretch s = {
        .number = number, .begin = begin, .end = left < STRETCH ? begin + left : begin + STRETCH};
    s.key = load_block(&head->key, begin, s.end - begin, head->width, d->key);
    s.value = load_block(&head->value, begin, s.end - begin, head->value_width, d->value);
    return s;
}

static void gradient_walk(const qkv__gradient_work *work, size_t number, void *workspace)
{
    const qkv__head *head = &work->heads[0];
    desk *d = lay_out_desk(head, workspace);
    const stretch s = take_stretch(d, head, number);
    const size_t count = s.end - s.begin;
    d->finite = true;
    for (size_t j = 0; j < count; j++) {
        d->strange[j] = !all_finite(s.key.data + (ptrdiff_t)j * s.key.row, head->width);
        d->finite = d->finite && !d->strange[j];
    }
    memset(d->key_sum, 0, count * d->width * sizeof(REAL));
    memset(d->value_sum, 0, count * d->value_width * sizeof(REAL));
    for (size_t i = 0; i < work->tiles; i++) walk_tile(d, work, i, &s);
    if (work->wants_dk)
        finish_keys(&work->dk, &s, head->width, d->width, (REAL)head->scale, d->key_sum);
    if (work->wants_dv)
        finish_keys(&work->dv, &s, head->value_width, d->value_width, 1, d->value_sum);
    for (size_t j = head->keys; number == 0 && j < head->keys + head->padding; j++) {
        if (work->wants_dk) store_zeros(&work->dk, j, head->width);
        if (work->wants_dv) store_zeros(&work->dv, j, head->value_width);
    }
}

/* ---- What is added to the scores ------------------------------------------------------------- */

/* ds of one block into the sums of the mask and of the slopes. */
static void add_bias(const desk *d, const qkv__gradient_work *work, const qkv__bias *to,
                     size_t first, size_t count)
{
    const tile *t = &d->b->tiles[0];
    for (size_t lane = 0; lane < t->rows; lane++) {
        const qkv__head *head = t->head[lane];
        const size_t number = (size_t)(head - work->heads), query = t->query[lane];
        const double position = (double)((ptrdiff_t)query + head->offset);
        double *mask = to->mask == NULL
                           ? NULL
                           : to->mask + number * to->head + query * to->query + first * to->key;
        for (size_t j = 0; j < count; j++) {
            const double ds = (double)d->weight_gradient[j * t->columns + lane];
            if (mask != NULL) mask[j * to->key] += ds;
            if (to->slope != NULL) to->slope[number] -= ds * fabs(position - (double)(first + j));
        }
    }
}

static void gradient_bias(const qkv__gradient_work *work, size_t number, const qkv__bias *to,
                          void *workspace)
{
    desk *d = lay_out_desk(&work->heads[0], workspace);
    const stretch s = take_stretch(d, &work->heads[0], number);
    for (size_t i = 0; i < work->tiles; i++) {
        const kept_tile *kept = take_tile(d, work, i, &s);
        if (kept == NULL) continue;
        const size_t begin = kept->t.begin > s.begin ? kept->t.begin : s.begin;
        const size_t end = kept->t.end < s.end ? kept->t.end : s.end;
        for (size_t first = begin, next; first < end; first = next) {
            next = at_most(first / KEYS * KEYS + KEYS, end);
            const size_t from = first - s.begin, count = next - first;
            find_scores(d->b, &d->b->tiles[0],
                        (broadcast){s.key.data + (ptrdiff_t)from * s.key.row, s.key.row, 1}, first,
                        count);
            find_gradients(
                d, kept, (broadcast){s.value.data + (ptrdiff_t)from * s.value.row, s.value.row, 1},
                first, count, false);
            add_bias(d, work, to, first, count);
        }
    }
}

const qkv__gradient_kernel KERNEL_GRADIENT = {
    .forward = KERNEL_NAME,
    .tile = TILE,
    .stretch = STRETCH,
    .tile_bytes = gradient_tile_bytes,
    .workspace = gradient_workspace,
    .prepare = gradient_prepare,
    .walk = gradient_walk,
    .bias = gradient_bias,
};
