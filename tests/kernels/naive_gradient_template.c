/* The gradient's loop of naive.h in one precision; see naive_template.c for the names. */
void NAIVE(const naive_problem *p, const double *g, const naive_gradients *d, void *workspace)
{
    REAL *weight = workspace, *slope = weight + p->keys, *change = slope + p->keys;
    REAL *output = change + p->keys, *dq = output + p->value_width, *dk = dq + p->width;
    REAL *dv = dk + p->keys * p->width;
    for (size_t i = 0; i < p->keys * p->width; i++) dk[i] = 0;
    for (size_t i = 0; i < p->keys * p->value_width; i++) dv[i] = 0;
    for (size_t i = 0; i < p->queries; i++) {
        long last = (long)i + p->causal_offset;
        size_t keys = last < 0 ? 0 : (size_t)last + 1 < p->keys ? (size_t)last + 1 : p->keys;
        REAL max = -(REAL)INFINITY, sum = 0, mean = 0;
        for (size_t j = 0; j < keys; j++) {
            REAL score = 0;
            for (size_t t = 0; t < p->width; t++)
                score += (REAL)p->q[i * p->width + t] * (REAL)p->kt[t * p->keys + j];
            weight[j] = ROUND(score * (REAL)p->scale);
            slope[j] = 1;
            if (p->softcap > 0) {
                const REAL capped = TANH(weight[j] / (REAL)p->softcap);
                weight[j] = ROUND((REAL)p->softcap * capped);
                slope[j] = ROUND(1 - capped * capped);
            }
            if (weight[j] > max) max = weight[j];
        }
        for (size_t j = 0; j < keys; j++) {
            weight[j] = EXP(weight[j] - max);
            sum += weight[j];
        }
        for (size_t j = 0; j < keys; j++) {
            weight[j] = ROUND(weight[j] / sum);
            change[j] = 0;
            for (size_t t = 0; t < p->value_width; t++)
                change[j] += (REAL)g[i * p->value_width + t] * (REAL)p->v[j * p->value_width + t];
            change[j] = ROUND(change[j]);
        }
        for (size_t t = 0; t < p->value_width; t++) {
            output[t] = 0;
            for (size_t j = 0; j < keys; j++)
                output[t] += weight[j] * (REAL)p->v[j * p->value_width + t];
            mean += (REAL)g[i * p->value_width + t] * ROUND(output[t]);
        }
        for (size_t t = 0; t < p->width; t++) dq[t] = 0;
        for (size_t j = 0; j < keys; j++) {
            const REAL ds = ROUND(weight[j] * (change[j] - mean) * slope[j] * (REAL)p->scale);
            for (size_t t = 0; t < p->value_width; t++)
                dv[j * p->value_width + t] += weight[j] * (REAL)g[i * p->value_width + t];
            for (size_t t = 0; t < p->width; t++) {
                dq[t] += ds * (REAL)p->kt[t * p->keys + j];
                dk[j * p->width + t] += ds * (REAL)p->q[i * p->width + t];
            }
        }
        for (size_t t = 0; t < p->width; t++) d->q[i * p->width + t] = (long double)ROUND(dq[t]);
    }
    for (size_t i = 0; i < p->keys * p->width; i++) d->k[i] = (long double)ROUND(dk[i]);
    for (size_t i = 0; i < p->keys * p->value_width; i++) d->v[i] = (long double)ROUND(dv[i]);
}

#undef REAL
#undef ROUND
#undef NAIVE
#undef EXP
#undef TANH
