/* SPDX-License-Identifier: Apache-2.0 */
/* Makes one row of space-time for a container's variables that never change. */
#include <math.h>

#include "view/timeline/space_time_row_maker.h"

static bool is_constant(const struct row_maker *m, uint32_t track)
{
    return !isnan(m->relevance->constant[track]) && st_is_wanted(m, track, ST_CURVE);
}

bool st_has_constants(const struct row_maker *m, uint32_t container)
{
    const struct weft_schema *schema = m->schema;
    const struct weft_container *c = &schema->containers[container];
    bool constants = false, others = c->first_child != WEFT_NONE;
    if (!m->folded || m->unfolded[container])
        return false;
    for (uint32_t i = schema->track_begin[c->order]; i < schema->track_begin[c->order + 1];
         i++) {
        uint32_t t = schema->track_at[i];
        if (st_is_wanted(m, t, ST_STATES))
            return false;
        if (is_constant(m, t))
            constants = true;
        else
            others |= st_is_wanted(m, t, ST_CURVE) || st_is_wanted(m, t, ST_EVENTS);
    }
    return constants && others;
}

void st_add_constants(struct row_maker *m, uint32_t container)
{
    const struct weft_schema *schema = m->schema;
    uint32_t position = schema->containers[container].order;
    const char *label = "", *separator = "";
    for (uint32_t i = schema->track_begin[position]; i < schema->track_begin[position + 1];
         i++) {
        uint32_t t = schema->track_at[i];
        double value = m->relevance->constant[t];
        if (!is_constant(m, t))
            continue;
        label = weft_arena_printf(
            m->arena, "%s%s%s %s", label, separator,
            weft_name_cut(schema->types[schema->tracks[t].type].name, m->arena),
            weft_number_text(m->arena, value, st_value_decimals(value)));
        separator = ", ";
    }
    struct st_row *row = st_row_add(m->rows, m->arena);
    st_fill_row(m, row, ST_FOLD, container, WEFT_NONE, false);
    row->depth++;
    row->label = label;
}
