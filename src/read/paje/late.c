/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracks whose lines are not in order of time.  The first reading notices them; in the second
 * their events are put aside, and at the end sorted by time and applied.
 */
#include <stdlib.h>
#include <string.h>

#include "read/paje/paje_priv.h"
#include "store/sort.h"

void paje_late_add(struct paje_simulator *s, uint32_t pair,
                   const struct paje_action *action)
{
    s->late = weft_grow(s->late, &s->late_capacity, s->n_late + 1, sizeof *s->late);
    s->late_times = weft_grow(s->late_times, &s->late_time_capacity, s->n_late + 1,
                              sizeof *s->late_times);
    s->late_times[s->n_late] = action->time;
    s->late[s->n_late++] = (struct paje_late){ .line = s->line,
                                               .number = action->number,
                                               .pair = pair,
                                               .value = action->value,
                                               .n_fields = action->n_fields,
                                               .event = action->event,
                                               .first_field = s->n_late_fields };
    if (!action->n_fields)
        return;
    s->late_fields = weft_grow(s->late_fields, &s->late_field_capacity,
                               s->n_late_fields + action->n_fields, sizeof *s->late_fields);
    memcpy(s->late_fields + s->n_late_fields, action->fields,
           action->n_fields * sizeof *action->fields);
    s->n_late_fields += action->n_fields;
}

void paje_late_apply(struct paje_simulator *s)
{
    struct weft_sort_item *order = weft_alloc((s->n_late + 1) * sizeof *order);
    for (size_t i = 0; i < s->n_late; i++)
        order[i] =
            (struct weft_sort_item){ (uint64_t)s->late_times[i] ^ UINT64_C(1) << 63, i };
    weft_sort(order, s->n_late); /* stable: lines of one time stay as they were */
    for (size_t i = 0; i < s->n_late; i++) {
        const struct paje_late *late = &s->late[order[i].payload];
        s->line = late->line;
        paje_apply(s, &s->tracks[late->pair],
                   &(struct paje_action){
                       late->event, s->late_times[order[i].payload], late->number,
                       late->value, s->late_fields + late->first_field, late->n_fields });
    }
    free(order);
}
