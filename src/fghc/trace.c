/* SPDX-License-Identifier: Apache-2.0 */
/* A recording in the order of its reductions, and as VISTA's file. */
#include <stdlib.h>

#include "fghc/trace.h"

void fghc_order_open(struct fghc_order *order, const struct fghc_result *result)
{
    order->result = result;
    order->at = weft_zalloc(result->pes, sizeof *order->at);
}

void fghc_order_close(struct fghc_order *order)
{
    free(order->at);
}

/* In order of time; but no record before its parent, in case two processors' clocks differ. */
bool fghc_order_next(struct fghc_order *order)
{
    const struct fghc_recording *recordings = order->result->recordings;
    const struct fghc_record *first = NULL, *waits = NULL;
    unsigned waiting_pe = 0;
    for (unsigned i = 0; i < order->result->pes; i++) {
        if (order->at[i] == recordings[i].n_records)
            continue;
        const struct fghc_record *r = &recordings[i].records[order->at[i]];
        bool is_ready = order->at[r->parent_pe] >= r->parent_index;
        if (is_ready && (!first || r->time < first->time)) {
            first = r;
            order->pe = i;
        } else if (!is_ready) {
            waits = r;
            waiting_pe = i;
        }
    }
    if (!first && waits) {
        first = waits;
        order->pe = waiting_pe;
    }
    order->record = first;
    if (first)
        order->index = ++order->at[order->pe];
    return first != NULL;
}

bool fghc_write_vista(const struct fghc_result *result, FILE *out)
{
    struct fghc_order order;
    fprintf(out, "%u\n", result->pes);
    fghc_order_open(&order, result);
    while (fghc_order_next(&order))
        fprintf(out, "%llu\t%u\t%u\t%llu\t%u\t%u\n",
                (unsigned long long)(order.record->time / 1000), order.record->clause,
                order.pe, (unsigned long long)order.index, order.record->parent_pe,
                order.record->parent_index);
    fghc_order_close(&order);
    return !ferror(out);
}
