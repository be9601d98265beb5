/*
 * The assignment's "average of two": n orthonormal keys, and the query q = beta (k_a + k_b). Both
 * weights are e^beta / (n - 2 + 2 e^beta): never exactly 1/2, but as near as you like.
 *
 *     cc average_of_two.c $(pkg-config --cflags --libs qkv) -lm
 */
#include <math.h>
#include <stdio.h>

#include <qkv/qkv.h>

enum { N = 10, A = 2, B = 7 };

int main(void)
{
    double key[N][N] = {{0}}, query[1][N] = {{0}}, output[1][N];
    for (int i = 0; i < N; i++) key[i][i] = 1.0;

    printf(" beta   weight of a   by the formula   on the others\n");
    for (double beta = 0.0; beta <= 10.0; beta += 2.0) {
        query[0][A] = query[0][B] = beta;
        qkv_view q = qkv_view_dense(QKV_F64, query, 2, (size_t[]){1, N});
        qkv_view k = qkv_view_dense(QKV_F64, key, 2, (size_t[]){N, N});
        qkv_view c = qkv_view_dense(QKV_F64, output, 2, (size_t[]){1, N});
        qkv_attention_options options = qkv_attention_default();
        options.scale = 1.0; /* the textbook's attention: no 1/sqrt(width) */
        qkv_error error;
        /* The keys serve as values too, so that the output shows the weights themselves. */
        if (qkv_attention(&q, &k, &k, &c, &options, &error) != QKV_OK) {
            fprintf(stderr, "%s\n", error.message);
            return 1;
        }
        double formula = exp(beta) / (N - 2 + 2 * exp(beta));
        printf("%5.1f   %11.9f   %14.9f   %13.9f\n", beta, output[0][A], formula,
               1.0 - output[0][A] - output[0][B]);
        if (fabs(output[0][A] - formula) > 1e-15) return 1;
    }
    return 0;
}
