/* SPDX-License-Identifier: Apache-2.0 */
#include "model/field_cache.h"

#include <string.h>

void weft_field_window_begin_field(struct weft_field_window *window,
                                   const struct weft_source *source, uint32_t track,
                                   uint32_t field)
{
    window->source = source;
    window->track = track;
    window->field = field;
    window->first = window->after = 0;
}

static void begin(struct weft_field_window *window, const struct weft_source *source,
                  uint32_t track, enum weft_role role, enum weft_field_kind kind)
{
    const struct weft_schema *schema = source->schema;
    weft_field_window_begin_field(
        window, source, track,
        weft_field_of_type(schema, schema->tracks[track].type, role, kind));
}

void weft_field_window_begin(struct weft_field_window *window,
                             const struct weft_source *source, uint32_t track,
                             enum weft_role role)
{
    begin(window, source, track, role, WEFT_FIELD_INTEGER);
}

void weft_field_window_begin_containers(struct weft_field_window *window,
                                        const struct weft_source *source, uint32_t track,
                                        enum weft_role role)
{
    begin(window, source, track, role, WEFT_FIELD_CONTAINER);
}

static bool keep_values(void *user, const struct weft_field_run *run)
{
    struct weft_field_window *window = user;
    for (size_t i = 0; i < run->n; i++)
        if (run->ordinals[i] >= window->first && run->ordinals[i] < window->after) {
            window->values[run->ordinals[i] - window->first] = run->values[i];
            window->said[run->ordinals[i] - window->first] = true;
        }
    return true;
}

bool weft_field_window_find(struct weft_field_window *window, uint64_t ordinal,
                            int64_t *value)
{
    if (window->field == WEFT_NONE)
        return false;
    if (ordinal < window->first || ordinal >= window->after) {
        window->first = ordinal - ordinal % WEFT_RUN_MAX;
        window->after = window->first + WEFT_RUN_MAX;
        memset(window->said, 0, sizeof window->said);
        window->source->ops->field_range(window->source, window->track, window->field,
                                         window->first, window->after, keep_values, window);
    }
    *value = window->values[ordinal - window->first];
    return window->said[ordinal - window->first];
}

int64_t weft_field_window_get(struct weft_field_window *window, uint64_t ordinal)
{
    int64_t value;
    return weft_field_window_find(window, ordinal, &value) ? value : 0;
}
