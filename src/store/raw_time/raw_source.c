/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "store/raw_time/raw_source_priv.h"

bool weft_raw_time_differs(const struct weft_schema *schema)
{
    for (uint32_t c = 0; c < schema->n_clocks; c++)
        if (schema->clocks[c].n_knots)
            return true;
    return false;
}

static void widen(struct weft_span *span, int64_t begin, int64_t end)
{
    span->begin = begin < span->begin ? begin : span->begin;
    span->end = end > span->end ? end : span->end;
}

/*
 * Translates containers to raw time; those without a clock last as long as their content.
 */
static void translate_containers(struct weft_raw_source *raw_source)
{
    struct weft_container *containers = raw_source->containers;
    for (uint32_t c = 0; c < raw_source->schema.n_containers; c++) {
        const struct weft_clock *clock = weft_raw_clock(raw_source->below, c);
        containers[c].begin = weft_raw(clock, containers[c].begin);
        containers[c].end = weft_raw(clock, containers[c].end);
    }
    for (uint32_t c = raw_source->schema.n_containers; c-- > 1;) {
        struct weft_container *parent = &containers[containers[c].parent];
        if (parent->clock != WEFT_NONE)
            continue;
        struct weft_span span = { parent->begin, parent->end };
        widen(&span, containers[c].begin, containers[c].end);
        parent->begin = span.begin;
        parent->end = span.end;
    }
}

/* Translates tracks to raw time; links may have any clock that a container has. */
static void translate_tracks(struct weft_raw_source *raw_source)
{
    const struct weft_schema *schema = &raw_source->schema;
    bool *used = weft_zalloc((size_t)schema->n_clocks + 1, sizeof *used);
    for (uint32_t c = 0; c < schema->n_containers; c++)
        if (schema->containers[c].clock != WEFT_NONE)
            used[schema->containers[c].clock] = true;
    for (uint32_t t = 0; t < schema->n_tracks; t++) {
        struct weft_track *track = &raw_source->tracks[t];
        if (track->begin > track->end)
            continue;
        const struct weft_clock *clock = weft_raw_clock_of_track(raw_source->below, t);
        struct weft_span own = { track->begin, track->end };
        struct weft_span span = { weft_raw(clock, own.begin), weft_raw(clock, own.end) };
        bool links = schema->types[track->type].kind == WEFT_LINK;
        for (uint32_t c = 0; links && c < schema->n_clocks; c++)
            if (used[c])
                widen(&span, weft_raw(&schema->clocks[c], own.begin),
                      weft_raw(&schema->clocks[c], own.end));
        track->begin = span.begin;
        track->end = span.end;
    }
    free(used);
}

struct weft_source *weft_raw_time_new(const struct weft_source *below)
{
    struct weft_raw_source *raw_source = weft_zalloc(1, sizeof *raw_source);
    const struct weft_schema *schema = below->schema;
    size_t containers_size = schema->n_containers * sizeof *raw_source->containers;
    size_t tracks_size = schema->n_tracks * sizeof *raw_source->tracks;
    raw_source->below = below;
    raw_source->schema = *schema;
    raw_source->containers = weft_alloc(containers_size);
    memcpy(raw_source->containers, schema->containers, containers_size);
    raw_source->tracks = weft_alloc(tracks_size + 1);
    if (tracks_size)
        memcpy(raw_source->tracks, schema->tracks, tracks_size);
    raw_source->schema.containers = raw_source->containers;
    raw_source->schema.tracks = raw_source->tracks;
    translate_containers(raw_source);
    translate_tracks(raw_source);
    bool any = false;
    for (uint32_t t = 0; t < schema->n_tracks; t++) {
        const struct weft_track *track = &raw_source->tracks[t];
        if (track->begin > track->end)
            continue;
        if (!any)
            raw_source->schema.span = (struct weft_span){ track->begin, track->end };
        any = true;
        widen(&raw_source->schema.span, track->begin, track->end);
    }
    for (uint32_t c = 0; any && c < schema->n_containers; c++)
        if (schema->containers[c].clock != WEFT_NONE)
            widen(&raw_source->schema.span, raw_source->containers[c].begin,
                  raw_source->containers[c].end);
    raw_source->source = (struct weft_source){ &weft_raw_ops, &raw_source->schema };
    return &raw_source->source;
}

void weft_raw_time_free(struct weft_source *source)
{
    struct weft_raw_source *raw_source = (struct weft_raw_source *)(void *)source;
    if (!raw_source)
        return;
    free(raw_source->containers);
    free(raw_source->tracks);
    free(raw_source);
}
