/* SPDX-License-Identifier: Apache-2.0 */
/* Queries of the filtered source about links. */
#include <stdlib.h>

#include "filter/filtered_source_priv.h"

struct link_visitor {
    struct filter_sieve hides, dims;
    bool (*visit)(void *user, const struct weft_link *link);
    void *user;
};

static bool pass_link(void *user, const struct weft_link *link)
{
    struct link_visitor *v = user;
    if (filter_holds_link(&v->hides, link))
        return true;
    if (!filter_holds_link(&v->dims, link))
        return v->visit(v->user, link);
    struct weft_link pale = *link;
    pale.flags |= WEFT_DIMMED;
    return v->visit(v->user, &pale);
}

static struct link_visitor
visitor_of(const struct weft_source *source,
           bool (*visit)(void *user, const struct weft_link *link), void *user)
{
    const struct filtered *f = filtered_of(source);
    struct link_visitor v = { .visit = visit, .user = user };
    filter_sieve_begin(&v.hides, f, &f->hides, WEFT_NONE);
    filter_sieve_begin(&v.dims, f, &f->dims, WEFT_NONE);
    return v;
}

static void end_visitor(struct link_visitor *v)
{
    filter_sieve_end(&v->hides);
    filter_sieve_end(&v->dims);
}

void filtered_links(const struct weft_source *source, uint32_t track,
                    struct weft_span window,
                    bool (*visit)(void *user, const struct weft_link *link), void *user)
{
    const struct filtered *f = filtered_of(source);
    enum filter_track mode = filtered_mode(f, track), dims = filtered_dimming(f, track);
    struct link_visitor v = visitor_of(source, visit, user);
    if (mode == FILTER_SHOWN && dims == FILTER_SHOWN)
        f->below->ops->links(f->below, track, window, visit, user);
    else if (mode != FILTER_HIDDEN)
        f->below->ops->links(f->below, track, window, pass_link, &v);
    end_visitor(&v);
}

void filtered_links_at(const struct weft_source *source, uint32_t container, bool incoming,
                       struct weft_span window,
                       bool (*visit)(void *user, const struct weft_link *link), void *user)
{
    const struct weft_source *below = filtered_of(source)->below;
    struct link_visitor v = visitor_of(source, visit, user);
    if (container < below->schema->n_containers)
        below->ops->links_at(below, container, incoming, window, pass_link, &v);
    end_visitor(&v);
}

void filtered_links_of(const struct weft_source *source, uint64_t entity, bool incoming,
                       bool (*visit)(void *user, const struct weft_link *link), void *user)
{
    const struct weft_source *below = filtered_of(source)->below;
    struct link_visitor v = visitor_of(source, visit, user);
    below->ops->links_of(below, entity, incoming, pass_link, &v);
    end_visitor(&v);
}

/* ---- Sums ---- */

struct pair_walk {
    const struct weft_source *below;
    struct weft_span window; /* of the begins of links */
    bool pending;            /* else: links that are under way at window.begin */
    struct weft_pair_sums *out;
};

/* Returns the bytes that a link carries. */
static int64_t bytes_of(const struct weft_source *source, uint64_t link)
{
    struct weft_field_value fields[WEFT_FIELDS_MAX];
    size_t n = source->ops->fields(source, link, fields, WEFT_FIELDS_MAX);
    const struct weft_field_value *bytes = weft_field_with_role(
        source->schema, fields, n, WEFT_ROLE_BYTES, WEFT_FIELD_INTEGER);
    return bytes ? bytes->integer : 0;
}

static bool add_pair(void *user, const struct weft_link *link)
{
    struct pair_walk *walk = user;
    int64_t time = walk->window.begin;
    bool counts = walk->pending ? link->begin <= time && time < link->end
                                : link->begin >= time && link->begin < walk->window.end;
    if (!counts)
        return true;
    struct weft_pair_sums *out = walk->out;
    out->rows = weft_grow(out->rows, &out->capacity, out->n + 1, sizeof *out->rows);
    out->rows[out->n++] =
        (struct weft_pair_sum){ link->from, link->to, 1, bytes_of(walk->below, link->id) };
    return true;
}

/* Adds the pairs of the tracks that are hidden in part to OUT, link by link. */
static void add_pairs(const struct weft_source *source, const uint32_t *tracks, size_t n,
                      struct weft_span window, bool pending, struct weft_pair_sums *out)
{
    const struct filtered *f = filtered_of(source);
    struct pair_walk walk = { f->below, window, pending, out };
    /* A link that runs backwards may begin just where the window does. */
    struct weft_span reach = { window.begin - !pending, window.end };
    for (size_t i = 0; i < n; i++) {
        enum filter_track mode = filtered_mode(f, tracks[i]);
        if (source->schema->types[source->schema->tracks[tracks[i]].type].kind == WEFT_LINK
            && (mode == FILTER_BY_VALUE || mode == FILTER_BY_ENTITY))
            filtered_links(source, tracks[i], reach, add_pair, &walk);
    }
    weft_pair_sums_combine(out);
}

/* Returns the tracks that are shown whole, *N_SHOWN of N; the caller frees them. */
static uint32_t *shown_tracks(const struct filtered *f, const uint32_t *tracks, size_t n,
                              size_t *n_shown)
{
    uint32_t *shown = weft_alloc((n + 1) * sizeof *shown);
    *n_shown = 0;
    for (size_t i = 0; i < n; i++)
        if (filtered_mode(f, tracks[i]) == FILTER_SHOWN)
            shown[(*n_shown)++] = tracks[i];
    return shown;
}

void filtered_pair_sums(const struct weft_source *source, const uint32_t *tracks, size_t n,
                        struct weft_span window, struct weft_pair_sums *out)
{
    const struct filtered *f = filtered_of(source);
    size_t n_shown;
    uint32_t *shown = shown_tracks(f, tracks, n, &n_shown);
    f->below->ops->pair_sums(f->below, shown, n_shown, window, out);
    free(shown);
    if (n_shown < n)
        add_pairs(source, tracks, n, window, false, out);
}

void filtered_pairs_pending(const struct weft_source *source, const uint32_t *tracks,
                            size_t n, int64_t time, struct weft_pair_sums *out)
{
    const struct filtered *f = filtered_of(source);
    struct weft_span instant = { time, time == INT64_MAX ? time : time + 1 };
    size_t n_shown;
    uint32_t *shown = shown_tracks(f, tracks, n, &n_shown);
    f->below->ops->pairs_pending(f->below, shown, n_shown, time, out);
    free(shown);
    if (n_shown < n)
        add_pairs(source, tracks, n, instant, true, out);
}
