/*
 * Attention over the ranks of MPI, each with its shard of the sequence; then the gradient of the
 * sum of all outputs with respect to the values, whose entries add up to the number of queries:
 * every query's weights have the sum 1.
 *
 *     mpicc many_ranks.c $(pkg-config --cflags --libs qkv_mpi) -lm -o many_ranks
 *     mpirun -n 4 ./many_ranks
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <qkv/mpi.h>

enum { LENGTH = 2000, WIDTH = 16 };

static qkv_view make(qkv_type type, size_t rows, size_t width)
{
    void *data = calloc(rows * width + 1, qkv_type_size(type));
    return qkv_view_dense(type, data, 2, (size_t[]){rows, width});
}

int main(int count, char **words)
{
    int ranks, rank;
    MPI_Init(&count, &words);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    qkv_mpi_options how = qkv_mpi_default();
    how.layout = QKV_MPI_ZIGZAG; /* balanced under a causal mask */
    how.block = 64;
    const size_t rows = qkv_mpi_rows(&how, LENGTH, ranks, rank);
    qkv_view q = make(QKV_F32, rows, WIDTH), k = make(QKV_F32, rows, WIDTH);
    qkv_view v = make(QKV_F32, rows, 1), c = make(QKV_F32, rows, 1), sums = make(QKV_F64, rows, 1);
    qkv_view ones = make(QKV_F32, rows, 1), dv = make(QKV_F32, rows, 1);
    for (size_t i = 0; i < rows; i++) {
        const size_t place = qkv_mpi_row(&how, LENGTH, ranks, rank, i); /* in the sequence */
        for (size_t t = 0; t < WIDTH; t++) {
            ((float *)q.data)[i * WIDTH + t] = sinf((float)(place * WIDTH + t));
            ((float *)k.data)[i * WIDTH + t] = cosf((float)(place + 7 * t));
        }
        ((float *)v.data)[i] = (float)place;
        ((float *)ones.data)[i] = 1;
    }

    qkv_attention_options attention = qkv_attention_default();
    qkv_error error;
    attention.causal = true;
    attention.log_sum_exp = sums;
    attention.log_sum_exp.rank = 1; /* (rows) */
    qkv_status status = qkv_mpi_attention(MPI_COMM_WORLD, &q, &k, &v, &c, &attention, &how, &error);
    attention.given_output = c;
    attention.given_log_sum_exp = attention.log_sum_exp;
    attention.log_sum_exp = (qkv_view){0};
    if (status == QKV_OK)
        status = qkv_mpi_attention_gradient(MPI_COMM_WORLD, &q, &k, &v, &ones, NULL, NULL, &dv,
                                            &attention, &how, &error);
    if (status != QKV_OK) {
        fprintf(stderr, "%s\n", error.message);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    double own = 0, total = 0;
    for (size_t i = 0; i < rows; i++) own += (double)((float *)dv.data)[i];
    MPI_Allreduce(&own, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("the weights of %d queries add up to %.2f\n", LENGTH, total);
    free(q.data), free(k.data), free(v.data), free(c.data);
    free(sums.data), free(ones.data), free(dv.data);
    MPI_Finalize();
    return fabs(total - LENGTH) < 0.01 ? 0 : 1;
}
