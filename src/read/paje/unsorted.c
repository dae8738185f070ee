/* SPDX-License-Identifier: Apache-2.0 */
#include "read/paje/unsorted.h"

#include <stdlib.h>
#include <string.h>

#include "base/radix_sort.h"
#include "read/paje/apply_records.h"

void paje_late_add(struct paje_simulator *s, uint32_t pair,
                   const struct paje_action *action)
{
    struct paje_lates *lates = &s->lates;
    lates->list =
        weft_grow(lates->list, &lates->capacity, lates->n + 1, sizeof *lates->list);
    lates->times =
        weft_grow(lates->times, &lates->time_capacity, lates->n + 1, sizeof *lates->times);
    lates->times[lates->n] = action->time;
    lates->list[lates->n++] = (struct paje_late){ .line = s->scribe.line,
                                                  .number = action->number,
                                                  .pair = pair,
                                                  .track = s->tracks[pair].track,
                                                  .value = action->value,
                                                  .n_fields = action->n_fields,
                                                  .event = action->event,
                                                  .first_field = lates->n_fields };
    if (!action->n_fields)
        return;
    lates->fields = weft_grow(lates->fields, &lates->field_capacity,
                              lates->n_fields + action->n_fields, sizeof *lates->fields);
    memcpy(lates->fields + lates->n_fields, action->fields,
           action->n_fields * sizeof *action->fields);
    lates->n_fields += action->n_fields;
}

bool paje_late_apply(struct paje_simulator *s, struct weft_job *job, struct weft_err *err)
{
    enum { STRIDE = 1 << 14 /* events between two checks of the job: some milliseconds */ };
    const struct paje_lates *lates = &s->lates;
    bool ok = true;
    struct weft_sort_item *order = weft_alloc((lates->n + 1) * sizeof *order);
    for (size_t i = 0; i < lates->n; i++)
        order[i] =
            (struct weft_sort_item){ (uint64_t)lates->times[i] ^ UINT64_C(1) << 63, i };
    weft_sort(order, lates->n); /* stable: events of one time stay in order of lines */
    for (size_t i = 0; i < lates->n && ok; i++) {
        if (i % STRIDE == 0)
            ok = weft_job_step(job, i, lates->n, err);
        const struct paje_late *late = &lates->list[order[i].payload];
        s->scribe.line = late->line;
        paje_apply(s, &s->scribe, late->pair, late->track,
                   &(struct paje_action){ late->event, lates->times[order[i].payload],
                                          late->number, late->value,
                                          late->n_fields ? lates->fields + late->first_field
                                                         : NULL,
                                          late->n_fields });
    }
    free(order);
    return ok;
}

void paje_lates_free(struct paje_lates *lates)
{
    free(lates->list);
    free(lates->times);
    free(lates->fields);
}
