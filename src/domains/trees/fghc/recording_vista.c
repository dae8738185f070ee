/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a recording in VISTA's format. */
#include "domains/trees/fghc/recording_convert.h"

enum { LOOK_EVERY = 1 << 16 }; /* records between two looks at the job */

static bool write_records(struct fghc_order *order, FILE *out, struct weft_job *job,
                          struct weft_err *err)
{
    uint64_t all = fghc_recording_records(order->recording), ignored;
    for (uint64_t n = 0; fghc_order_next(order); n++) {
        while (fghc_order_idle(order, order->pe, &ignored)) /* not in VISTA's format */
            continue;
        if (n % LOOK_EVERY == 0 && !weft_job_step(job, n, all, err))
            return false;
        fprintf(out, "%llu\t%u\t%u\t%llu\t%u\t%u\n",
                (unsigned long long)(order->record.time / 1000), order->record.clause,
                order->pe, (unsigned long long)order->index, order->record.parent_pe,
                order->record.parent_index);
    }
    if (fghc_order_failed(order, err))
        return false;
    return !ferror(out) || weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write");
}

bool fghc_write_vista(struct fghc_recording *recording, FILE *out, struct weft_job *job,
                      struct weft_err *err)
{
    struct fghc_order order;
    fprintf(out, "%u\n", fghc_recording_pes(recording));
    fghc_order_open(&order, recording);
    bool ok = write_records(&order, out, job, err);
    fghc_order_close(&order);
    return ok;
}
