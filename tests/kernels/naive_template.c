/* The loop of naive.h in one precision: REAL for sums, ROUND for what is stored, RESULT for what
 * comes out, NAIVE the function's name. Included by naive.c once a type. Loops are nested so that
 * neighbouring sums grow side by side, which is quicker and leaves the order within each alone. */
void NAIVE(const naive_problem *p, RESULT *c, void *workspace)
{
    REAL *weight = workspace, *total = weight + p->keys;
    for (size_t i = 0; i < p->queries; i++) {
        long last = (long)i + p->causal_offset;
        size_t keys = last < 0 ? 0 : (size_t)last + 1 < p->keys ? (size_t)last + 1 : p->keys;
        REAL max = -(REAL)INFINITY, sum = 0;
        for (size_t j = 0; j < keys; j++) weight[j] = 0;
        for (size_t t = 0; t < p->width; t++) {
            const REAL q = (REAL)p->q[i * p->width + t];
            for (size_t j = 0; j < keys; j++) weight[j] += q * (REAL)p->kt[t * p->keys + j];
        }
        for (size_t j = 0; j < keys; j++) {
            weight[j] = ROUND(weight[j] * (REAL)p->scale);
            if (p->softcap > 0)
                weight[j] = ROUND((REAL)p->softcap * TANH(weight[j] / (REAL)p->softcap));
            if (weight[j] > max) max = weight[j];
        }
        for (size_t j = 0; j < keys; j++) {
            weight[j] = EXP(weight[j] - max);
            sum += weight[j];
        }
        for (size_t t = 0; t < p->value_width; t++) total[t] = 0;
        for (size_t j = 0; j < keys; j++) {
            const REAL a = ROUND(weight[j] / sum);
            for (size_t t = 0; t < p->value_width; t++)
                total[t] += a * (REAL)p->v[j * p->value_width + t];
        }
        for (size_t t = 0; t < p->value_width; t++)
            c[i * p->value_width + t] = (RESULT)ROUND(total[t]);
    }
}

#undef REAL
#undef ROUND
#undef RESULT
#undef NAIVE
#undef EXP
#undef TANH
