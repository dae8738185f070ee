/* SPDX-License-Identifier: Apache-2.0 */
/* What a trace holds that its PICL records do not. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "write/picl_priv.h"

/* The events of other tracks of which records were made: collective operations, groups. */
static bool is_told(const struct picl_write *w, const struct weft_track *track)
{
    const struct weft_type *type = &w->schema->types[track->type];
    switch (type->kind) {
    case WEFT_LINK:
        return weft_role_is(type->role, WEFT_ROLE_MESSAGE)
               && !weft_role_is(type->role, WEFT_ROLE_TRANSFER);
    case WEFT_EVENT:
        return weft_role_is(type->role, WEFT_ROLE_COLLECTIVE_OPERATION)
               || (w->native && w->groups[track->container] != PICL_NO_GROUP);
    default: return false;
    }
}

/* The names of calls, which PICL knows by the keys of its own library only. */
static uint64_t count_names(const struct picl_write *w)
{
    const struct weft_schema *schema = w->schema;
    uint64_t n = 0;
    for (uint32_t v = 0; v < schema->n_values && !w->native; v++) {
        const struct weft_type *type = &schema->types[schema->values[v].type];
        n += type->kind == WEFT_STATE && weft_role_is(type->role, WEFT_ROLE_ACTIVITY);
    }
    return n;
}

struct weft_picl_losses picl_count_losses(const struct picl_write *w)
{
    const struct weft_schema *schema = w->schema;
    struct weft_picl_losses losses = { .places = schema->n_sites, .names = count_names(w) };
    for (uint32_t t = 0; t < schema->n_tracks; t++) {
        const struct weft_track *track = &schema->tracks[t];
        if (w->used[t] || is_told(w, track))
            continue;
        switch (schema->types[track->type].kind) {
        case WEFT_STATE: losses.states += track->count; break;
        case WEFT_EVENT: losses.events += track->count; break;
        case WEFT_VARIABLE: losses.samples += track->count; break;
        case WEFT_LINK: losses.links += track->count; break;
        case WEFT_CONTAINER: break;
        }
    }
    return losses;
}

static void add(char text[WEFT_PICL_LOSSES_TEXT], uint64_t n, const char *what)
{
    size_t length = strlen(text);
    if (n)
        snprintf(text + length, WEFT_PICL_LOSSES_TEXT - length, "%s%" PRIu64 " %s%s",
                 length ? ", " : "", n, what, n == 1 ? "" : "s");
}

const char *weft_picl_losses_text(const struct weft_picl_losses *losses,
                                  char text[WEFT_PICL_LOSSES_TEXT])
{
    text[0] = '\0';
    add(text, losses->states, "state");
    add(text, losses->events, "event");
    add(text, losses->samples, "sample");
    add(text, losses->links, "link");
    add(text, losses->names, "name");
    add(text, losses->places, "place");
    return text;
}
