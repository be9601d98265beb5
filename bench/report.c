/* Writing the results. */
#include "report.h"

#include "limits.h"
#include "peer.h"

/* How often ours fits into the other's time: above 1 is better than it. */
static double times(double other_seconds, const row *r)
{
    return r->seconds > 0.0 ? other_seconds / r->seconds : 0.0;
}

/* ---- The table --------------------------------------------------------------------------- */

void report_limits(FILE *file, const int *threads, size_t thread_counts)
{
    fprintf(file, "\n%-40s", "limit");
    for (size_t i = 0; i < thread_counts; i++) fprintf(file, "%8s%-3d", "t", threads[i]);
    fprintf(file, "\n");
    for (int kind = 0; kind < LIMIT_KINDS; kind++) {
        if (limits_best((limit_kind)kind, threads[0]) == 0.0) continue;
        fprintf(file, "%-40s", limits_name((limit_kind)kind));
        for (size_t i = 0; i < thread_counts; i++)
            fprintf(file, "%10.1f ", limits_best((limit_kind)kind, threads[i]) / 1e9);
        fprintf(file, "%s\n", limits_unit((limit_kind)kind));
    }
}

static void report_row(FILE *file, const row *r)
{
    const char *by;
    double least = row_floor(r, &by), value = row_value(r, r->seconds);
    if (r->seconds <= 0.0) {
        fprintf(file, "%-40s %s\n", r->name, r->why);
        return;
    }
    fprintf(file, "%-40s %10.*f %-7s %5.1f %% of %-12s", r->name,
            value < 10.0     ? 2
            : value < 1000.0 ? 1
                             : 0,
            value, row_unit(r), 100.0 * times(least, r), by);
    if (r->peer_seconds > 0.0) fprintf(file, " %7.2f x torch", times(r->peer_seconds, r));
    fprintf(file, "\n");
}

void report_rows(FILE *file, const row_list *list)
{
    static const char *const titles[] = {
        [ROW_PREFILL] = "prefill: 8 heads, d width, L queries and keys, t threads",
        [ROW_DECODE] =
            "decode: 32 query heads over 8 key heads, q queries, k keys; of K and V read",
        [ROW_BACKWARD] = "backward: 8 heads; the gradients of q, k and v",
        [ROW_SMALL] = "small: one head, q queries, k keys; a call",
    };
    for (size_t i = 0; i < list->count; i++) {
        const row *r = &list->rows[i];
        if (i == 0 || r->family != r[-1].family) fprintf(file, "\n%s\n", titles[r->family]);
        report_row(file, r);
    }
}

/* ---- JSON -------------------------------------------------------------------------------- */

static void write_number(FILE *file, const char *name, double number)
{
    if (number > 0.0)
        fprintf(file, ", \"%s\": %.6g", name, number);
    else
        fprintf(file, ", \"%s\": null", name);
}

static void write_word(FILE *file, const char *name, const char *word)
{
    fprintf(file, word != NULL ? ", \"%s\": \"%s\"" : ", \"%s\": null", name, word);
}

static void write_limit(FILE *file, limit_kind kind, int threads)
{
    fprintf(file, "  {\"name\": \"limit %s t%d\", \"value\": %.6g, \"unit\": \"%s\"",
            limits_name(kind), threads, limits_best(kind, threads) / 1e9, limits_unit(kind));
    fprintf(file, ", \"limit\": null, \"fraction\": null, \"peer\": null, \"ratio\": null}");
}

static void write_row(FILE *file, const row *r, const char *kernel)
{
    const char *by;
    double least = row_floor(r, &by), peer = r->peer_seconds;
    fprintf(file, "  {\"name\": \"%s\", \"value\": %.6g, \"unit\": \"%s\"", r->name,
            row_value(r, r->seconds), row_unit(r));
    write_number(file, "limit", row_value(r, least));
    write_number(file, "fraction", times(least, r));
    write_number(file, "peer", peer > 0.0 ? row_value(r, peer) : 0.0);
    write_number(file, "ratio", peer > 0.0 ? times(peer, r) : 0.0);
    write_word(file, "limit_by", by);
    write_word(file, "peer_by", peer > 0.0 ? peer_name() : NULL);
    write_word(file, "kernel", kernel);
    write_number(file, "spread", r->median / r->seconds);
    fprintf(file, "}");
}

bool report_json(const char *path, const row_list *list, const int *threads, size_t thread_counts,
                 const char *kernel)
{
    FILE *file = fopen(path, "w");
    const char *between = "[\n";
    if (file == NULL) return false;
    for (size_t i = 0; i < thread_counts; i++)
        for (int kind = 0; kind < LIMIT_KINDS; kind++) {
            if (limits_best((limit_kind)kind, threads[i]) == 0.0) continue;
            fputs(between, file);
            write_limit(file, (limit_kind)kind, threads[i]);
            between = ",\n";
        }
    for (size_t i = 0; i < list->count; i++) {
        if (list->rows[i].seconds <= 0.0) continue;
        fputs(between, file);
        write_row(file, &list->rows[i], kernel);
        between = ",\n";
    }
    fprintf(file, "]\n");
    return fclose(file) == 0;
}
