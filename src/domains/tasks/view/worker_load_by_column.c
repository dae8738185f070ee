/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/tasks/view/worker_load_by_column.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"

struct busy_query {
    const struct weft_source *source;
    const struct dag_contracted *contracted;
    struct weft_span window;
    size_t columns;
    struct weft_job *job;
    const struct dag_busy_row *rows;
};

static void fill_row(void *user, size_t index)
{
    const struct busy_query *query = user;
    const struct dag_busy_row *row = &query->rows[index];
    const struct weft_schema *schema = query->source->schema;
    size_t columns = query->columns;
    memset(row->busy, 0, columns * sizeof *row->busy);
    if (!row->n_tracks)
        return;
    uint32_t type = schema->tracks[row->tracks[0]].type, slots = schema->types[type].slots;
    double *weights = weft_alloc(slots * sizeof *weights);
    float *shares = weft_alloc(columns * slots * sizeof *shares);
    dag_contracted_weigh(query->contracted, schema, type, row->workers, row->n, weights);
    query->source->ops->shares(query->source, &(struct weft_share_query){
                                                  row->tracks, row->n_tracks, query->window,
                                                  columns, shares, query->job });
    for (size_t c = 0; c < columns; c++) {
        for (uint32_t s = 0; s < slots; s++)
            row->busy[c] += weights[s] * (double)shares[c * slots + s];
        row->busy[c] = fmin(1, row->busy[c] / (double)row->n);
    }
    free(shares);
    free(weights);
}

void dag_busy_rows(const struct weft_source *source,
                   const struct dag_contracted *contracted, struct weft_span window,
                   size_t columns, struct weft_job *job, const struct dag_busy_row *rows,
                   size_t n)
{
    struct busy_query query = { source, contracted, window, columns, job, rows };
    weft_parallel(n, 1, fill_row, &query);
}
