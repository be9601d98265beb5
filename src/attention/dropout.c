/* The mask of dropout, for those who want to see it. */
#include <qkv/attention.h>

#include "attention/dropout.h"
#include "attention/problem.h"
#include "base/error.h"
#include "base/view.h"

/* One row of the mask: (batch, head, query). */
static void write_row(const qkv_view *mask, double share, uint64_t seed, const size_t *row)
{
    const qkv__dropout dropout = qkv__dropout_make(share, seed, row[0], row[1]);
    for (size_t j = 0; j < mask->shape[QKV__WIDTH]; j++) {
        const size_t index[] = {row[0], row[1], row[2], j};
        unsigned char *to = (unsigned char *)mask->data + qkv__view_offset(mask, index);
        *to = qkv__dropout_factor(&dropout, row[2], j) != 0.0;
    }
}

qkv_status qkv_dropout_mask(double dropout, uint64_t seed, const qkv_view *mask, qkv_error *error)
{
    qkv_status status = qkv__view_check(mask, "mask", error);
    if (status != QKV_OK) return status;
    if (mask->type != QKV_BOOL || mask->rank < 2)
        return qkv__fail(error, QKV_ERROR_TYPE,
                         "mask has type %s and rank %d; expected bool and 2 to 4",
                         qkv_type_name(mask->type), mask->rank);
    status = qkv__view_check_distinct(mask, "mask", error);
    if (status != QKV_OK) return status;
    if (!(dropout >= 0.0 && dropout <= 1.0))
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "dropout is %g; expected 0 to 1", dropout);
    const qkv_view full = qkv__view_promote(mask, 4);
    if (qkv_view_count(&full) == 0) return QKV_OK;
    for (size_t b = 0; b < full.shape[QKV__BATCH]; b++)
        for (size_t h = 0; h < full.shape[QKV__HEADS]; h++)
            for (size_t i = 0; i < full.shape[QKV__LENGTH]; i++)
                write_row(&full, dropout, seed, (size_t[]){b, h, i});
    return QKV_OK;
}
