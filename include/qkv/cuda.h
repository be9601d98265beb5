/*
 * The attention operator on CUDA devices: libqkv_cuda.
 *
 * The same operator as in attention.h, with the same options and the same checks, for data in
 * device memory. It needs no framework, and of NVIDIA's software only the driver. The simple
 * call, 16 heads of 4,096 tokens, width 128, in bf16:
 *
 *     const size_t shape[] = {16, 4096, 128};
 *     qkv_view q = qkv_view_dense(QKV_BF16, q_device, 3, shape);
 *     qkv_view k = qkv_view_dense(QKV_BF16, k_device, 3, shape);
 *     qkv_view v = qkv_view_dense(QKV_BF16, v_device, 3, shape);
 *     qkv_view c = qkv_view_dense(QKV_BF16, c_device, 3, shape);
 *     size_t bytes;
 *     qkv_error error;
 *     if (qkv_cuda_attention_workspace(&q, &k, &v, &c, NULL, &bytes, NULL, &error) != QKV_OK) ...
 *     cudaMalloc(&workspace, bytes);
 *     if (qkv_cuda_attention(&q, &k, &v, &c, NULL, workspace, bytes, stream, &error) != QKV_OK) ...
 *
 * Memory. The data of every view, in the call and in the options (mask, log_sum_exp,
 * key_scales and the others), is on the current device. Arrays that options point to (key_lengths,
 * query_starts, key_starts, alibi_slopes, sinks) are in host memory; they are read before the call
 * returns. Only page_table is in device memory, like the pages: it may change between two replays
 * of a graph. Its numbers are not checked; an invalid page number counts as a page of zeros. The
 * results alibi_slopes_gradient and sinks_gradient are written to device memory.
 *
 * Streams. Work is queued on the stream and nothing waits for it: the call returns at once, and
 * errors of the device appear where CUDA reports them, at the next synchronisation. The calls
 * allocate nothing, and can be captured in a CUDA graph.
 *
 * The workspace belongs to the caller, on the device, at a multiple of 64 bytes. Its contents do
 * not matter before or after a call; calls on several streams need one workspace each.
 *
 * Kernels, by name, for options.kernel and as reported by qkv_cuda_attention_workspace:
 *
 *     hopper    tiles on the matrix unit: compute capability 9.0; bf16 or f16, one type for all;
 *               widths 64, 128, 256, and 192 with values of 128; every option but masks, ALiBi and
 *               results other than log_sum_exp; a positive scale; rows at multiples of 16 bytes,
 *               with contiguous elements; dropout for widths 64 and 128, without a soft cap. Keys
 *               and values of type e4m3 or i8 and, with 256 queries
 *               or more, in pages are first copied into the workspace, in the query's type:
 *               exactly or, with scales (more than 16 queries), rounded after multiplication
 *     decode    the same for few queries: at most 16, counting each query head that shares a key
 *               head; not packed, no dropout. Split over keys. Also keys and values of type e4m3
 * (not of width 192), if all keys of a head have the same scale (a stride of 0); and pages of 8,
 *               16, 32, 64 or a multiple of 128 keys; neither is copied
 *     tiled     tiles on the matrix unit of any device of compute capability 8.0 or later; bf16 or
 *               f16; widths that are multiples of 8, up to 256; masks, ALiBi, dropout and pages
 * too; rows as for hopper portable  everything else: correct, not fast; f32 in f32 tf32      as
 * tiled for f32, widths that are multiples of 4, up to 128: the factors of products are rounded to
 * tf32, with 10-bit fractions
 *
 * NULL chooses the first suitable one of decode, hopper, tiled and portable; tf32 must be named.
 * options.threads is ignored.
 *
 * The promises of attention.h hold here, with these differences:
 *   - "hopper", "decode" and "tiled" round weights to the inputs' type (to f16 if values are e4m3)
 *     and sum in f32; "portable" computes in f32, in f64 for f64. The choice of the kernel depends
 * on types, widths, options, strides, the number of queries and the number of heads that share a
 * key head, never on the batch; so do the bits of a row.
 *   - If a value is not finite and only some rows of a tile may see it, "hopper" recomputes the
 *     other rows one by one: correct, but not bit for bit as with a finite value.
 */
#ifndef QKV_CUDA_H
#define QKV_CUDA_H

#include <stddef.h>

#include <qkv/attention.h>
#include <qkv/lab.h>
#include <qkv/status.h>
#include <qkv/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The bytes of workspace that the call needs (possibly 0) and the kernel that it will run:
 * its name above, or "none" if there is nothing to do. Either may be NULL. Depends on
 * shapes, strides, options and the device, not on any data.
 */
QKV_API qkv_status qkv_cuda_attention_workspace(const qkv_view *query, const qkv_view *key,
                                                const qkv_view *value, const qkv_view *output,
                                                const qkv_attention_options *options, size_t *bytes,
                                                const char **kernel, qkv_error *error);

/*
 * Attention, as qkv_attention. `stream` is a cudaStream_t, or NULL for the default stream. options
 * may be NULL for the defaults, workspace if 0 bytes are needed, error always.
 */
QKV_API qkv_status qkv_cuda_attention(const qkv_view *query, const qkv_view *key,
                                      const qkv_view *value, const qkv_view *output,
                                      const qkv_attention_options *options, void *workspace,
                                      size_t workspace_bytes, void *stream, qkv_error *error);

/*
 * The gradient, as qkv_attention_gradient; workspace, stream and host arrays as above. With
 * options.given_output and options.given_log_sum_exp, on the device, it needs no forward pass;
 * without them it runs one first, into the workspace.
 *
 * The kernel "hopper" takes compute capability 9.0, bf16 or f16 (one type for everything but the
 * two given views), widths 64 and 128, every option but masks, ALiBi, and a soft cap together with
 * dropout, rows at multiples of 16 bytes. "portable" takes everything else: correct, not fast. NULL
 * chooses the first suitable one. The gradients of what options add to scores are sums in f64; that
 * of sinks is found by both kernels, by "hopper" from outputs rounded to the inputs' type.
 *
 * Sums are added in a fixed order: the bits depend neither on the run nor on the batch. "hopper"
 * rounds weights and their gradients to the inputs' type. It multiplies a masked pair by 0 instead
 * of skipping it: if a query, key, value or gradient is not finite, results that share a tile
 * with it (64 queries by 128 keys) may not be finite either; keys and values past key_lengths may
 * be anything. "portable" keeps every promise.
 */
QKV_API qkv_status qkv_cuda_attention_gradient_workspace(
    const qkv_view *query, const qkv_view *key, const qkv_view *value,
    const qkv_view *output_gradient, const qkv_view *query_gradient, const qkv_view *key_gradient,
    const qkv_view *value_gradient, const qkv_attention_options *options, size_t *bytes,
    const char **kernel, qkv_error *error);

QKV_API qkv_status qkv_cuda_attention_gradient(
    const qkv_view *query, const qkv_view *key, const qkv_view *value,
    const qkv_view *output_gradient, const qkv_view *query_gradient, const qkv_view *key_gradient,
    const qkv_view *value_gradient, const qkv_attention_options *options, void *workspace,
    size_t workspace_bytes, void *stream, qkv_error *error);

/*
 * Samples of the lab (lab.h) on the device: samples first to first + count - 1 as rows of one
 * number per quantity, count x quantities, dense, with the bits of qkv_lab_sampler_draw. Statistics
 * do not change.
 *
 *     qkv_lab_tables tables = qkv_lab_sampler_tables(sampler);
 *     qkv_cuda_lab_draw_workspace(&tables, &bytes, &error);
 *     qkv_cuda_lab_draw(&tables, 0, count, rows, workspace, bytes, stream, &error);
 *
 * Any device of compute capability 8.0 or later. Streams and the workspace as above. Full keys are
 * refused, and so are samples that need more numbers at a time than a block of threads has room for
 * (about 700: twice keys times heads, plus the quantities computed from others).
 */
QKV_API qkv_status qkv_cuda_lab_draw_workspace(const qkv_lab_tables *tables, size_t *bytes,
                                               qkv_error *error);

QKV_API qkv_status qkv_cuda_lab_draw(const qkv_lab_tables *tables, uint64_t first, size_t count,
                                     double *rows, void *workspace, size_t workspace_bytes,
                                     void *stream, qkv_error *error);

/*
 * Sums of whole chunks of 1,024 samples, from chunk `first` on, for the statistics of a sampler:
 * chunks x tables.sums numbers, dense, with the CPU's bits.
 *
 *     qkv_cuda_lab_sums_workspace(&tables, &bytes, &error);
 *     qkv_cuda_lab_sums(&tables, drawn / 1024, chunks, sums, workspace, bytes, stream, &error);
 *     // copied to the host:
 *     qkv_lab_sampler_add_sums(sampler, chunks, host, &error);
 *
 * As above; a block of threads needs room for the quantities and the sums as well. Histograms and
 * quantiles are refused.
 */
QKV_API qkv_status qkv_cuda_lab_sums_workspace(const qkv_lab_tables *tables, size_t *bytes,
                                               qkv_error *error);

QKV_API qkv_status qkv_cuda_lab_sums(const qkv_lab_tables *tables, uint64_t first, size_t chunks,
                                     double *sums, void *workspace, size_t workspace_bytes,
                                     void *stream, qkv_error *error);

#ifdef __cplusplus
}
#endif
#endif
