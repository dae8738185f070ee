/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what a trace holds and its PICL records lack. */
#include <stdlib.h>

#include "base/memory.h"
#include "domains/messages/write/picl_priv.h"
#include "write/losses.h"

/*
 * Whether records stand for a track that belongs to no processor's records: messages,
 * collective operations, and groups.
 */
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

struct visit {
    const struct picl_write *w;
    uint64_t *lost; /* by type */
};

static bool count_link(void *user, const struct weft_link *link)
{
    const struct visit *visit = user;
    visit->lost[link->type] += !picl_is_message(visit->w, link);
    return true;
}

/* Counts links that are no message between processors; a trace that was PICL loses none. */
static void count_messages(const struct picl_write *w, uint32_t track, uint64_t *lost)
{
    struct weft_span all = { w->schema->span.begin, w->schema->span.end + 1 };
    struct visit visit = { w, lost };
    if (!w->native && w->schema->types[w->schema->tracks[track].type].kind == WEFT_LINK)
        w->source->ops->links(w->source, track, all, count_link, &visit);
}

/* Counts the names of calls: PICL only has keys of its own library. */
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

/* Adds "3 links (MPI spawn, wake-up)" from LOST[n_types], with at most three names. */
static void add_kind(FILE *text, const struct weft_schema *schema, enum weft_kind kind,
                     const char *what, const uint64_t *lost)
{
    enum { MAX_NAMES = 3 };
    uint64_t n = 0;
    uint32_t n_types = 0;
    for (uint32_t t = 0; t < schema->n_types; t++)
        n += schema->types[t].kind == kind ? lost[t] : 0;
    losses_add(text, n, what, "");
    for (uint32_t t = 0; t < schema->n_types; t++) {
        if (schema->types[t].kind != kind || !lost[t])
            continue;
        if (n_types < MAX_NAMES)
            fprintf(text, "%s%s", n_types ? ", " : " (", schema->types[t].name);
        n_types++;
    }
    if (n_types > MAX_NAMES)
        fprintf(text, " and %" PRIu32 " more", n_types - MAX_NAMES);
    if (n_types)
        fputc(')', text);
}

char *picl_losses(const struct picl_write *w)
{
    const struct weft_schema *schema = w->schema;
    uint64_t *lost = weft_zalloc((size_t)schema->n_types + 1, sizeof *lost);
    char *losses;
    size_t size;
    for (uint32_t t = 0; t < schema->n_tracks; t++) {
        const struct weft_track *track = &schema->tracks[t];
        if (!w->used[t] && !is_told(w, track))
            lost[track->type] += track->count;
        else
            count_messages(w, t, lost);
    }
    FILE *text = weft_text_begin(&losses, &size);
    add_kind(text, schema, WEFT_STATE, "state", lost);
    add_kind(text, schema, WEFT_EVENT, "event", lost);
    add_kind(text, schema, WEFT_VARIABLE, "sample", lost);
    add_kind(text, schema, WEFT_LINK, "link", lost);
    losses_add(text, w->lost_members, "member", " of groups");
    uint64_t names = count_names(w);
    losses_add(text, names, "name", names == 1 ? " of a call" : " of calls");
    losses_add(text, schema->n_sites, "place", "");
    weft_text_end(text);
    free(lost);
    return losses;
}
