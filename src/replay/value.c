/* Linear algebra of concrete cases. Knows nothing of syntax. */
#include "replay/value.h"

#include "base/memory.h"
#include "replay/matrix.h"

/* ---- The bench ----------------------------------------------------------------------------- */

void qkv__bench_clear(qkv__bench *bench)
{
    bench->at = bench->used = 0;
    bench->obstacle = QKV__OBSTACLE_NONE;
    bench->arena.failed = false;
    if (bench->first.block != NULL) {
        qkv__arena_return(&bench->arena, bench->first);
    } else if (qkv__arena_take(&bench->arena, 1) != NULL) {
        bench->first = qkv__arena_here(&bench->arena);
    }
}

qkv__bench_place qkv__bench_here(const qkv__bench *bench)
{
    return (qkv__bench_place){bench->at, bench->used, qkv__arena_here(&bench->arena)};
}

void qkv__bench_return(qkv__bench *bench, qkv__bench_place place)
{
    bench->at = place.at;
    bench->used = place.used;
    qkv__arena_return(&bench->arena, place.arena);
}

void qkv__bench_free(qkv__bench *bench)
{
    for (size_t b = 0; b < bench->block_count; b++) {
        for (size_t i = 0; i < bench->size[b]; i++) qkv__real_clear(&bench->block[b][i]);
        qkv__free(bench->block[b]);
    }
    qkv__arena_free(&bench->arena);
    *bench = (qkv__bench){0};
}

static bool add_block(qkv__bench *bench, size_t least)
{
    /* Most cases are small, and blocks take time to make. */
    const size_t usual = bench->block_count == 0 ? QKV__BENCH_BLOCK / 8 : QKV__BENCH_BLOCK;
    const size_t size = least > usual ? least : usual;
    qkv__real *block = bench->block_count == QKV__BENCH_BLOCKS || size > QKV__BENCH_LARGEST
                           ? NULL
                           : qkv__allocate(size * sizeof *block);
    if (block == NULL) return false;
    for (size_t i = 0; i < size; i++) qkv__real_init(&block[i]);
    bench->block[bench->block_count] = block;
    bench->size[bench->block_count++] = size;
    return true;
}

qkv__real *qkv__bench_take(qkv__bench *bench, size_t count)
{
    bench->operations += count;
    while (bench->at < bench->block_count && bench->used + count > bench->size[bench->at]) {
        bench->at++;
        bench->used = 0;
    }
    if (bench->at >= bench->block_count && !add_block(bench, count)) {
        qkv__bench_fail(bench, QKV__OBSTACLE_ROOM);
        return NULL;
    }
    qkv__real *taken = &bench->block[bench->at][bench->used];
    bench->used += count;
    return taken;
}

/* ---- Making values ------------------------------------------------------------------------- */

static qkv__case_value make(qkv__case_kind kind, size_t rows, size_t columns,
                            const qkv__real *entry)
{
    return (qkv__case_value){.kind = kind, .rows = rows, .columns = columns, .entry = entry};
}

static qkv__case_value like(const qkv__case_value *x, const qkv__real *entry)
{
    qkv__case_value value = *x;
    value.entry = entry;
    return value;
}

static size_t count_of(const qkv__case_value *x)
{
    if (x->kind == QKV__CASE_AXES) return 1;
    return x->rows * x->columns;
}

bool qkv__case_scalar(qkv__bench *bench, qkv__rational number, qkv__case_value *value)
{
    qkv__real *entry = qkv__bench_take(bench, 1);
    if (entry == NULL) return false;
    qkv__real_set_rational(entry, number);
    *value = make(QKV__CASE_SCALAR, 1, 1, entry);
    return true;
}

qkv__case_value qkv__case_plain(const qkv__case_value *value)
{
    if (value->kind != QKV__CASE_RESULT) return *value;
    const qkv__case_result *result = value->result;
    if (result->single) return make(QKV__CASE_VECTOR, result->width, 1, result->output);
    qkv__case_value plain = make(result->matrix ? QKV__CASE_MATRIX : QKV__CASE_FAMILY,
                                 result->queries, result->width, result->output);
    plain.names = result->query_names;
    return plain;
}

bool qkv__case_rows(const qkv__case_value *value, qkv__case_value *rows)
{
    *rows = qkv__case_plain(value);
    return rows->kind == QKV__CASE_MATRIX || rows->kind == QKV__CASE_FAMILY ||
           rows->kind == QKV__CASE_AXES;
}

static bool axis_member(qkv__bench *bench, const qkv__case_value *axes, size_t row,
                        qkv__case_value *member)
{
    qkv__real *entry = qkv__bench_take(bench, axes->columns);
    if (entry == NULL) return false;
    for (size_t i = 0; i < axes->columns; i++) qkv__real_set_whole(&entry[i], 0);
    if (row < axes->columns) qkv__real_set(&entry[row], axes->entry);
    *member = make(QKV__CASE_VECTOR, axes->columns, 1, entry);
    return true;
}

bool qkv__case_member(qkv__bench *bench, const qkv__case_value *value, size_t row,
                      qkv__case_value *member)
{
    if (row >= value->rows) return qkv__bench_fail(bench, QKV__OBSTACLE_SHAPE);
    if (value->kind == QKV__CASE_AXES) return axis_member(bench, value, row, member);
    const qkv__real *entry = value->entry + row * value->columns;
    switch (value->kind) {
    case QKV__CASE_FAMILY:
    case QKV__CASE_MATRIX: *member = make(QKV__CASE_VECTOR, value->columns, 1, entry); return true;
    case QKV__CASE_VECTOR:
    case QKV__CASE_NUMBERS: *member = make(QKV__CASE_SCALAR, 1, 1, entry); return true;
    default: return qkv__bench_fail(bench, QKV__OBSTACLE_UNABLE);
    }
}

/* ---- Sums ---------------------------------------------------------------------------------- */

/* A square matrix plus or minus a multiple of I; `turned` for factor*I - matrix. */
static bool add_identity(qkv__bench *bench, const qkv__case_value *x, const qkv__real *factor,
                         bool subtract, bool turned, qkv__case_value *sum)
{
    if (x->kind != QKV__CASE_MATRIX) return qkv__bench_fail(bench, QKV__OBSTACLE_UNABLE);
    if (x->rows != x->columns) return qkv__bench_fail(bench, QKV__OBSTACLE_SHAPE);
    qkv__real *entry = qkv__bench_take(bench, count_of(x));
    if (entry == NULL) return false;
    for (size_t i = 0; i < count_of(x); i++) {
        bool diagonal = i % (x->columns + 1) == 0;
        qkv__real_set(&entry[i], &x->entry[i]);
        if (turned && subtract) qkv__real_negate(&entry[i], &entry[i]);
        if (!diagonal) continue;
        if (subtract && !turned)
            qkv__real_subtract(&entry[i], &entry[i], factor);
        else
            qkv__real_add(&entry[i], &entry[i], factor);
    }
    *sum = like(x, entry);
    return true;
}

/* A vector, or numbers that can stand for one: softmax([1, 2, 3]). */
static bool is_list(qkv__case_kind kind)
{
    return kind == QKV__CASE_VECTOR || kind == QKV__CASE_NUMBERS;
}

/* Lists of numbers go with vectors and with numbers; a family is not a matrix, but rows are rows.
 */
static bool kinds_add(qkv__case_kind x, qkv__case_kind y)
{
    if (x == QKV__CASE_AXES || y == QKV__CASE_AXES) return false;
    bool lists = is_list(x) && is_list(y);
    bool rows = (x == QKV__CASE_FAMILY || x == QKV__CASE_MATRIX) &&
                (y == QKV__CASE_FAMILY || y == QKV__CASE_MATRIX);
    return x == y || lists || rows;
}

/* Beside a number, a vector of one coordinate is one. */
static void match_number(const qkv__case_value *other, qkv__case_value *value)
{
    if (other->kind == QKV__CASE_SCALAR && value->kind == QKV__CASE_VECTOR && value->rows == 1)
        value->kind = QKV__CASE_SCALAR;
}

/* A vector added to, or subtracted from, every member of a family; `turned` for x - family. */
static bool add_to_members(qkv__bench *bench, const qkv__case_value *family,
                           const qkv__case_value *x, bool subtract, bool turned,
                           qkv__case_value *sum)
{
    if (family->columns != x->rows) return qkv__bench_fail(bench, QKV__OBSTACLE_SHAPE);
    qkv__real *entry = qkv__bench_take(bench, count_of(family));
    if (entry == NULL) return false;
    for (size_t i = 0; i < count_of(family); i++) {
        const qkv__real *own = &family->entry[i], *other = &x->entry[i % family->columns];
        if (subtract)
            qkv__real_subtract(&entry[i], turned ? other : own, turned ? own : other);
        else
            qkv__real_add(&entry[i], own, other);
    }
    *sum = like(family, entry);
    return true;
}

bool qkv__case_add(qkv__bench *bench, const qkv__case_value *from_x, const qkv__case_value *from_y,
                   bool subtract, qkv__case_value *sum)
{
    qkv__case_value x = qkv__case_plain(from_x), y = qkv__case_plain(from_y);
    if (x.kind == QKV__CASE_IDENTITY && y.kind != QKV__CASE_IDENTITY)
        return add_identity(bench, &y, x.entry, subtract, true, sum);
    if (y.kind == QKV__CASE_IDENTITY && x.kind != QKV__CASE_IDENTITY)
        return add_identity(bench, &x, y.entry, subtract, false, sum);
    match_number(&x, &y);
    match_number(&y, &x);
    if (x.kind == QKV__CASE_FAMILY && y.kind == QKV__CASE_VECTOR)
        return add_to_members(bench, &x, &y, subtract, false, sum);
    if (y.kind == QKV__CASE_FAMILY && x.kind == QKV__CASE_VECTOR)
        return add_to_members(bench, &y, &x, subtract, true, sum);
    if (!kinds_add(x.kind, y.kind)) return qkv__bench_fail(bench, QKV__OBSTACLE_UNABLE);
    if (x.rows != y.rows || x.columns != y.columns)
        return qkv__bench_fail(bench, QKV__OBSTACLE_SHAPE);
    qkv__real *entry = qkv__bench_take(bench, count_of(&x));
    if (entry == NULL) return false;
    for (size_t i = 0; i < count_of(&x); i++) {
        if (subtract)
            qkv__real_subtract(&entry[i], &x.entry[i], &y.entry[i]);
        else
            qkv__real_add(&entry[i], &x.entry[i], &y.entry[i]);
    }
    *sum = like(&x, entry);
    return true;
}

/* ---- Products ------------------------------------------------------------------------------ */

static bool scale(qkv__bench *bench, const qkv__real *factor, const qkv__case_value *x,
                  qkv__case_value *product)
{
    qkv__real *entry = qkv__bench_take(bench, count_of(x));
    if (entry == NULL) return false;
    for (size_t i = 0; i < count_of(x); i++) qkv__real_multiply(&entry[i], factor, &x->entry[i]);
    *product = like(x, entry);
    return true;
}

/* (rows, inner) times (inner, columns). */
static bool product_entries(qkv__bench *bench, const qkv__case_value *x, const qkv__case_value *y,
                            qkv__real **entry)
{
    if (x->columns != y->rows) return qkv__bench_fail(bench, QKV__OBSTACLE_SHAPE);
    *entry = qkv__bench_take(bench, x->rows * y->columns);
    if (*entry == NULL) return false;
    bench->operations += x->rows * y->columns * x->columns;
    for (size_t i = 0; i < x->rows; i++)
        for (size_t j = 0; j < y->columns; j++)
            qkv__real_dot(*entry + i * y->columns + j, x->entry + i * x->columns, y->entry + j,
                          x->columns, y->columns);
    return true;
}

static bool is_shaped(qkv__case_kind kind)
{
    return kind == QKV__CASE_VECTOR || kind == QKV__CASE_COVECTOR || kind == QKV__CASE_MATRIX;
}

/* What a product of two shaped values is; x.y of two columns is none. */
static bool product_kind(qkv__case_kind x, qkv__case_kind y, qkv__case_kind *kind)
{
    if (!is_shaped(x) || !is_shaped(y)) return false;
    bool row = x == QKV__CASE_COVECTOR, column = y == QKV__CASE_VECTOR;
    if (x == QKV__CASE_VECTOR && y != QKV__CASE_COVECTOR) return false;
    if (y == QKV__CASE_COVECTOR && x != QKV__CASE_VECTOR) return false;
    *kind = row && column ? QKV__CASE_SCALAR
            : row         ? QKV__CASE_COVECTOR
            : column      ? QKV__CASE_VECTOR
                          : QKV__CASE_MATRIX;
    return true;
}

bool qkv__case_multiply(qkv__bench *bench, const qkv__case_value *from_x,
                        const qkv__case_value *from_y, qkv__case_value *product)
{
    qkv__case_value x = qkv__case_plain(from_x), y = qkv__case_plain(from_y);
    qkv__case_kind kind;
    qkv__real *entry;
    if (x.kind == QKV__CASE_SCALAR) return scale(bench, x.entry, &y, product);
    if (y.kind == QKV__CASE_SCALAR) return scale(bench, y.entry, &x, product);
    if (x.kind == QKV__CASE_IDENTITY && (is_shaped(y.kind) || y.kind == QKV__CASE_IDENTITY))
        return scale(bench, x.entry, &y, product);
    if (y.kind == QKV__CASE_IDENTITY && is_shaped(x.kind))
        return scale(bench, y.entry, &x, product);
    if (x.kind == QKV__CASE_MATRIX && y.kind == QKV__CASE_FAMILY) { /* M x for every member x */
        qkv__case_value rows = make(QKV__CASE_MATRIX, y.rows, y.columns, y.entry), turned;
        if (!qkv__case_transpose(bench, &x, &turned) ||
            !product_entries(bench, &rows, &turned, &entry))
            return false;
        *product = y;
        product->columns = x.rows;
        product->entry = entry;
        return true;
    }
    if (x.kind == QKV__CASE_IDENTITY && y.kind == QKV__CASE_FAMILY)
        return scale(bench, x.entry, &y, product);
    if (!product_kind(x.kind, y.kind, &kind)) return qkv__bench_fail(bench, QKV__OBSTACLE_UNABLE);
    if (!product_entries(bench, &x, &y, &entry)) return false;
    *product = make(kind, x.rows, y.columns, entry);
    return true;
}

bool qkv__case_divide(qkv__bench *bench, const qkv__case_value *from_x, const qkv__case_value *y,
                      qkv__case_value *quotient)
{
    qkv__case_value x = qkv__case_plain(from_x);
    if (y->kind != QKV__CASE_SCALAR) return qkv__bench_fail(bench, QKV__OBSTACLE_UNABLE);
    int sign = qkv__real_sign(y->entry);
    if (sign == 0) return qkv__bench_fail(bench, QKV__OBSTACLE_UNDEFINED);
    if (sign == QKV__SIGN_OPEN) return qkv__bench_fail(bench, QKV__OBSTACLE_VAGUE);
    qkv__real *entry = qkv__bench_take(bench, count_of(&x));
    if (entry == NULL) return false;
    for (size_t i = 0; i < count_of(&x); i++) qkv__real_divide(&entry[i], &x.entry[i], y->entry);
    *quotient = like(&x, entry);
    return true;
}

/* Why a function has no value: of 0 and of what is negative it has none, as ln(-1); else the
 * numbers are out of range. */
static qkv__obstacle missing(const qkv__real *argument)
{
    int sign = qkv__real_is_defined(argument) ? qkv__real_sign(argument) : QKV__SIGN_OPEN;
    return sign == 0 || sign == -1 ? QKV__OBSTACLE_UNDEFINED : QKV__OBSTACLE_VAGUE;
}

static bool matrix_power(qkv__bench *bench, const qkv__case_value *x, int64_t exponent,
                         qkv__case_value *power)
{
    qkv__case_value base = *x;
    if (exponent < 0 && !qkv__case_inverse(bench, x, &base)) return false;
    *power = base;
    for (int64_t i = 1; i < (exponent < 0 ? -exponent : exponent); i++) {
        qkv__case_value before = *power;
        if (!qkv__case_multiply(bench, &before, &base, power)) return false;
    }
    return true;
}

bool qkv__case_power(qkv__bench *bench, const qkv__case_value *x, const qkv__case_value *y,
                     qkv__case_value *power)
{
    enum { MATRIX_POWER = 16 };
    if (y->kind != QKV__CASE_SCALAR) return qkv__bench_fail(bench, QKV__OBSTACLE_UNABLE);
    const qkv__rational exponent = y->entry->exact;
    if (x->kind == QKV__CASE_MATRIX && qkv__rational_is_whole(exponent) &&
        exponent.numerator != 0 && exponent.numerator >= -MATRIX_POWER &&
        exponent.numerator <= MATRIX_POWER)
        return matrix_power(bench, x, exponent.numerator, power);
    if (x->kind != QKV__CASE_SCALAR) return qkv__bench_fail(bench, QKV__OBSTACLE_UNABLE);
    qkv__real *entry = qkv__bench_take(bench, 1);
    if (entry == NULL) return false;
    qkv__real_power(entry, x->entry, y->entry);
    *power = make(QKV__CASE_SCALAR, 1, 1, entry);
    return qkv__real_is_defined(entry) || qkv__bench_fail(bench, missing(x->entry));
}

bool qkv__case_dot(qkv__bench *bench, const qkv__case_value *from_x, const qkv__case_value *from_y,
                   qkv__case_value *product)
{
    qkv__case_value x = qkv__case_plain(from_x), y = qkv__case_plain(from_y);
    if (!is_list(x.kind) || !is_list(y.kind)) return qkv__bench_fail(bench, QKV__OBSTACLE_UNABLE);
    if (x.rows != y.rows) return qkv__bench_fail(bench, QKV__OBSTACLE_SHAPE);
    qkv__real *entry = qkv__bench_take(bench, 1);
    if (entry == NULL) return false;
    qkv__real_dot(entry, x.entry, y.entry, x.rows, 1);
    bench->operations += x.rows;
    *product = make(QKV__CASE_SCALAR, 1, 1, entry);
    return true;
}

/* ---- Of one value -------------------------------------------------------------------------- */

bool qkv__case_transpose(qkv__bench *bench, const qkv__case_value *from,
                         qkv__case_value *transposed)
{
    qkv__case_value x = qkv__case_plain(from);
    if (x.kind == QKV__CASE_SCALAR || x.kind == QKV__CASE_IDENTITY) return *transposed = x, true;
    if (!is_shaped(x.kind)) return qkv__bench_fail(bench, QKV__OBSTACLE_UNABLE);
    qkv__case_kind kind = x.kind == QKV__CASE_VECTOR     ? QKV__CASE_COVECTOR
                          : x.kind == QKV__CASE_COVECTOR ? QKV__CASE_VECTOR
                                                         : QKV__CASE_MATRIX;
    qkv__real *entry = qkv__bench_take(bench, count_of(&x));
    if (entry == NULL) return false;
    for (size_t i = 0; i < x.rows; i++)
        for (size_t j = 0; j < x.columns; j++)
            qkv__real_set(&entry[j * x.rows + i], &x.entry[i * x.columns + j]);
    *transposed = make(kind, x.columns, x.rows, entry);
    return true;
}

bool qkv__case_size(qkv__bench *bench, const qkv__case_value *from, qkv__case_value *size)
{
    qkv__case_value x = qkv__case_plain(from);
    qkv__real *entry = qkv__bench_take(bench, 1);
    if (entry == NULL) return false;
    if (x.kind == QKV__CASE_SCALAR)
        qkv__real_magnitude(entry, x.entry);
    else if (is_shaped(x.kind) || x.kind == QKV__CASE_NUMBERS) /* of a matrix: Frobenius */
        qkv__real_norm(entry, x.entry, count_of(&x));
    else
        return qkv__bench_fail(bench, QKV__OBSTACLE_UNABLE);
    *size = make(QKV__CASE_SCALAR, 1, 1, entry);
    return true;
}

/* By rows. Of a column it is not clear what is meant, so that nothing is made of it. */
bool qkv__case_softmax(qkv__bench *bench, const qkv__case_value *from, qkv__case_value *weights)
{
    qkv__case_value x = qkv__case_plain(from);
    size_t rows = x.kind == QKV__CASE_MATRIX ? x.rows : 1;
    if (x.kind != QKV__CASE_MATRIX && x.kind != QKV__CASE_NUMBERS && x.kind != QKV__CASE_COVECTOR)
        return qkv__bench_fail(bench, QKV__OBSTACLE_UNABLE);
    qkv__real *entry = qkv__bench_take(bench, count_of(&x));
    if (entry == NULL) return false;
    for (size_t i = 0; i < count_of(&x); i++) qkv__real_set(&entry[i], &x.entry[i]);
    for (size_t i = 0; i < rows; i++)
        qkv__real_softmax(entry + i * (count_of(&x) / rows), count_of(&x) / rows);
    bench->operations += 8 * count_of(&x);
    *weights = like(&x, entry);
    return true;
}

bool qkv__case_apply(qkv__bench *bench, const qkv__case_value *x,
                     void (*function)(qkv__real *, const qkv__real *), qkv__case_value *value)
{
    if (x->kind != QKV__CASE_SCALAR) return qkv__bench_fail(bench, QKV__OBSTACLE_UNABLE);
    qkv__real *entry = qkv__bench_take(bench, 1);
    if (entry == NULL) return false;
    bench->operations += 8;
    function(entry, x->entry);
    *value = make(QKV__CASE_SCALAR, 1, 1, entry);
    return qkv__real_is_defined(entry) || qkv__bench_fail(bench, missing(x->entry));
}

/* ---- Comparing ----------------------------------------------------------------------------- */

/* A 0 as large as the other value, or I as a matrix of its size. */
static bool fill_out(qkv__bench *bench, const qkv__case_value *small, const qkv__case_value *other,
                     qkv__case_value *filled)
{
    bool identity = small->kind == QKV__CASE_IDENTITY;
    if (identity && (other->kind != QKV__CASE_MATRIX || other->rows != other->columns))
        return qkv__bench_fail(bench, QKV__OBSTACLE_SHAPE);
    if (!identity && !qkv__real_is_resting_zero(small->entry))
        return qkv__bench_fail(bench, QKV__OBSTACLE_UNABLE);
    qkv__real *entry = qkv__bench_take(bench, count_of(other));
    if (entry == NULL) return false;
    for (size_t i = 0; i < count_of(other); i++) {
        if (identity && i % (other->columns + 1) == 0)
            qkv__real_set(&entry[i], small->entry);
        else
            qkv__real_set_whole(&entry[i], 0);
    }
    *filled = like(other, entry);
    return true;
}

static bool is_small(const qkv__case_value *x, const qkv__case_value *other)
{
    return x->kind != other->kind && (x->kind == QKV__CASE_SCALAR || x->kind == QKV__CASE_IDENTITY);
}

bool qkv__case_align(qkv__bench *bench, const qkv__case_value *x, const qkv__case_value *y,
                     qkv__case_value *left, qkv__case_value *right)
{
    *left = qkv__case_plain(x);
    *right = qkv__case_plain(y);
    match_number(left, right);
    match_number(right, left);
    qkv__case_value from = *left;
    if (left->kind == QKV__CASE_AXES || right->kind == QKV__CASE_AXES)
        return qkv__bench_fail(bench, QKV__OBSTACLE_ROOM);
    if (is_small(&from, right)) return fill_out(bench, &from, right, left);
    from = *right;
    if (is_small(&from, left)) return fill_out(bench, &from, left, right);
    if (!kinds_add(left->kind, right->kind)) return qkv__bench_fail(bench, QKV__OBSTACLE_UNABLE);
    if (left->rows != right->rows || left->columns != right->columns)
        return qkv__bench_fail(bench, QKV__OBSTACLE_SHAPE);
    return true;
}

/* ---- Attention ----------------------------------------------------------------------------- */

static void score_row(const qkv__case_value *keys, const qkv__real *query,
                      const qkv__case_options *options, qkv__real *score)
{
    for (size_t j = 0; j < keys->rows; j++) {
        if (keys->kind == QKV__CASE_AXES)
            qkv__real_multiply(&score[j], &query[j], keys->entry);
        else
            qkv__real_dot(&score[j], query, keys->entry + j * keys->columns, keys->columns, 1);
        if (options->scale != NULL) qkv__real_multiply(&score[j], &score[j], options->scale);
        if (options->bias != NULL) qkv__real_add(&score[j], &score[j], &options->bias[j]);
    }
}

/* Whether the query of row i sees key j. */
static bool sees(const qkv__case_options *options, size_t i, size_t j)
{
    const size_t away = i < j ? j - i : i - j;
    return (!options->causal || j <= i) && (options->window == 0 || away < options->window) &&
           (options->seen == NULL || options->seen[j]);
}

/* The weights of one query over the keys it sees, and beside a sink; the others have weight 0. */
static bool weigh_row(qkv__bench *bench, size_t row, size_t count, const qkv__case_options *options,
                      const qkv__real *score, qkv__real *weight)
{
    const bool plain = options->window == 0 && options->seen == NULL && options->sink == NULL;
    const size_t first = options->causal && row + 1 < count ? row + 1 : count;
    size_t seen = 0;
    for (size_t j = 0; j < count; j++) qkv__real_set(&weight[j], &score[j]);
    if (plain) { /* in place */
        qkv__real_softmax(weight, first);
        for (size_t j = first; j < count; j++) qkv__real_set_whole(&weight[j], 0);
        return true;
    }
    qkv__real *part = qkv__bench_take(bench, count + 1);
    if (part == NULL) return false;
    for (size_t j = 0; j < count; j++)
        if (sees(options, row, j)) qkv__real_set(&part[seen++], &score[j]);
    if (seen == 0) return qkv__bench_fail(bench, QKV__OBSTACLE_UNDEFINED);
    if (options->sink != NULL) qkv__real_set(&part[seen], options->sink);
    qkv__real_softmax(part, seen + (options->sink != NULL));
    seen = 0;
    for (size_t j = 0; j < count; j++) {
        if (sees(options, row, j))
            qkv__real_set(&weight[j], &part[seen++]);
        else
            qkv__real_set_whole(&weight[j], 0);
    }
    return true;
}

bool qkv__case_attend(qkv__bench *bench, const qkv__case_value *queries,
                      const qkv__case_value *keys, const qkv__case_value *values,
                      const qkv__case_options *options, qkv__case_result *result)
{
    size_t rows = queries->rows, count = keys->rows, width = values->columns;
    if (queries->columns != keys->columns || values->rows != count)
        return qkv__bench_fail(bench, QKV__OBSTACLE_SHAPE);
    if (count == 0) return qkv__bench_fail(bench, QKV__OBSTACLE_UNDEFINED);
    qkv__real *score = qkv__bench_take(bench, rows * count);
    qkv__real *weight = qkv__bench_take(bench, rows * count);
    qkv__real *output = qkv__bench_take(bench, rows * width);
    if (score == NULL || weight == NULL || output == NULL) return false;
    const bool axes = values->kind == QKV__CASE_AXES;
    bench->operations +=
        rows * count *
        ((keys->kind == QKV__CASE_AXES ? 1 : keys->columns) + (axes ? 1 : width) + 8);
    for (size_t i = 0; i < rows; i++) {
        score_row(keys, queries->entry + i * queries->columns, options, score + i * count);
        if (!weigh_row(bench, i, count, options, score + i * count, weight + i * count))
            return false;
        for (size_t j = 0; j < width; j++)
            if (!axes)
                qkv__real_dot(&output[i * width + j], weight + i * count, values->entry + j, count,
                              width);
            else if (j < count)
                qkv__real_multiply(&output[i * width + j], &weight[i * count + j], values->entry);
            else
                qkv__real_set_whole(&output[i * width + j], 0);
    }
    *result = (qkv__case_result){.queries = rows,
                                 .keys = count,
                                 .width = width,
                                 .score = score,
                                 .weight = weight,
                                 .output = output,
                                 .key_names = keys->names};
    return true;
}

static void add_head(const qkv__real *from, qkv__real *to, size_t count, const qkv__real *share)
{
    qkv__real part;
    qkv__real_init(&part);
    for (size_t i = 0; i < count; i++) {
        qkv__real_multiply(&part, &from[i], share);
        qkv__real_add(&to[i], &to[i], &part);
    }
    qkv__real_clear(&part);
}

bool qkv__case_mean(qkv__bench *bench, const qkv__case_value *heads, size_t count,
                    qkv__case_value *mean)
{
    const qkv__case_result *first = heads[0].result;
    qkv__case_result *result = qkv__arena_take(&bench->arena, sizeof *result);
    size_t weights = first->queries * first->keys, outputs = first->queries * first->width;
    qkv__real *weight = qkv__bench_take(bench, weights);
    qkv__real *output = qkv__bench_take(bench, outputs);
    qkv__case_value share;
    if (result == NULL || weight == NULL || output == NULL ||
        !qkv__case_scalar(bench, qkv__rational_make(1, (int64_t)count), &share))
        return qkv__bench_fail(bench, QKV__OBSTACLE_ROOM);
    for (size_t i = 0; i < weights; i++) qkv__real_set_whole(&weight[i], 0);
    for (size_t i = 0; i < outputs; i++) qkv__real_set_whole(&output[i], 0);
    for (size_t h = 0; h < count; h++) {
        const qkv__case_result *head = heads[h].result;
        if (head->queries != first->queries || head->keys != first->keys ||
            head->width != first->width || head->single != first->single)
            return qkv__bench_fail(bench, QKV__OBSTACLE_SHAPE);
        add_head(head->weight, weight, weights, share.entry);
        add_head(head->output, output, outputs, share.entry);
    }
    *result = *first;
    result->score = NULL;
    result->weight = weight;
    result->output = output;
    result->head_count = count;
    result->head = heads;
    *mean = (qkv__case_value){.kind = QKV__CASE_RESULT, .result = result};
    return true;
}
