/* SPDX-License-Identifier: Apache-2.0 */
/* The legend of the space-time view: the shown values, and their shares of the time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/lifetime.h"
#include "base/hash_map.h"
#include "view/timeline/space_time.h"

/* The legend's entries, and an index by name. */
struct entries {
    struct weft_legend_entry *list;
    uint32_t n;
    struct weft_text_map named; /* by look and name */
};

/*
 * Adds an entry, or merges it with one of the same name and look, as for mutexes and
 * semaphores that are "held"; the share is that of the main type's.
 */
static void add_entry(struct entries *entries, const struct weft_legend_entry *entry)
{
    char *key = weft_asprintf("%x %d %s", (unsigned)entry->swatch.fill,
                              (int)entry->swatch.hatch, entry->label);
    uint32_t known = weft_text_map_get(&entries->named, key, strlen(key));
    if (known == WEFT_MAP_NONE)
        weft_text_map_put(&entries->named, key, strlen(key), entries->n);
    free(key);
    if (known != WEFT_MAP_NONE) {
        struct weft_legend_entry *same = &entries->list[known];
        same->share = fmax(same->share, entry->share);
        return;
    }
    entries->list[entries->n++] = *entry;
}

/* Input of the legend: sums by value and lives by type, of the shown tracks. */
struct legend_shares {
    struct weft_sum *sums;
    double *lived; /* ticks that the containers with such states lived */
    uint32_t type; /* the type of states whose shares are shown, or WEFT_NONE */
};

/*
 * Returns the type of states whose shares are shown: the most relevant, and among those the
 * one with most of the picture.  Shares are of the time that the containers with such
 * states lived; those of several types would add to more than all.
 */
static uint32_t main_type(const struct weft_schema *schema, const double *lived)
{
    uint32_t best = WEFT_NONE;
    unsigned best_order = 2; /* locks and the like: none */
    for (uint32_t t = 0; t < schema->n_types; t++) {
        unsigned order = weft_type_order(schema, t);
        if (lived[t] > 0
            && (order < best_order
                || (order == best_order && best != WEFT_NONE && lived[t] > lived[best]))) {
            best = t;
            best_order = order;
        }
    }
    return best;
}

struct weft_swatch st_swatch(const struct st_picture *p, uint32_t value, uint32_t container,
                             int64_t duration)
{
    if (p->color == ST_BY_CONTAINER)
        return weft_name_swatch(p->request->theme, p->schema->containers[container].name);
    if (p->color == ST_BY_DURATION) {
        /* Decades, from a millionth of the window to all of it. */
        double part = (double)(duration > 0 ? duration : 1)
                      / (double)(p->schema->span.end - p->schema->span.begin + 1);
        weft_color color = weft_ramp(p->request->theme, 1 + log10(part) / 6);
        return (struct weft_swatch){ .fill = color, .tone = color, .ink = weft_ink(color) };
    }
    return p->swatches[value];
}

bool st_is_shaded(const struct st_picture *p, const struct st_row *row)
{
    if (row->kind != ST_STATES || !row->reduction || !row->reduction->shades)
        return false;
    for (uint32_t v = 0; v < p->schema->n_values; v++)
        if (p->schema->values[v].type == row->type && row->reduction->active[v])
            return true;
    return false; /* nothing that would be counted: bars tell more */
}

weft_color st_shade(const struct weft_theme *theme, double active, double members)
{
    return weft_ramp(theme, members > 0 ? sqrt(fmax(0, active) / members) : 0);
}

/* Adds entries for the shades, which come first; returns how many. */
static uint32_t add_shades(struct st_picture *p, struct weft_legend_entry *list)
{
    static const char *const names[] = { "few", "half", "all" };
    const struct st_row *row = NULL;
    uint32_t n = 0;
    for (size_t i = 0; i < p->rows.n && !row; i++)
        if (st_is_shaded(p, &p->rows.list[i]))
            row = &p->rows.list[i];
    for (; row && n < 3; n++) {
        weft_color color = st_shade(p->request->theme, n ? n : 0.1, 2);
        struct weft_swatch swatch = { color, color, weft_ink(color), WEFT_HATCH_NONE };
        list[n] = (struct weft_legend_entry){
            .swatch = swatch,
            .label = weft_arena_printf(p->arena, "%s %s", names[n],
                                       weft_name_cut(row->reduction->what, p->arena)),
            .share = -2, /* tells the page that this is no value */
            .number = n + 1
        };
    }
    return n;
}

weft_color st_pale(const struct st_picture *p, weft_color color)
{
    /* In linear light, where a part of a colour on black looks like more of it. */
    const float part = p->request->theme->dark ? 0.07f : 0.22f;
    return weft_mix(&color, &part, 1, p->request->theme->panel);
}

static struct legend_shares shares_of(struct st_picture *p)
{
    const struct weft_schema *schema = p->schema;
    struct legend_shares shares = {
        weft_arena_zalloc(p->arena, schema->n_values + 1, sizeof *shares.sums),
        weft_arena_zalloc(p->arena, schema->n_types, sizeof *shares.lived), WEFT_NONE
    };
    uint32_t *tracks = weft_arena_alloc(p->arena, (schema->n_tracks + 1) * sizeof *tracks);
    size_t n = 0;
    for (size_t i = 0; i < p->rows.n; i++) {
        const struct st_row *row = &p->rows.list[i];
        bool counts = row->kind == ST_STATES && !st_is_shaded(p, row);
        for (uint32_t t = 0; counts && t < row->n_tracks; t++)
            tracks[n++] = row->tracks[t];
    }
    p->source->ops->sums(p->source, tracks, n, p->shown, shares.sums);
    for (size_t i = 0; i < n; i++)
        shares.lived[schema->tracks[tracks[i]].type] +=
            (double)weft_track_lifetime(schema, tracks[i], p->shown);
    shares.type = main_type(schema, shares.lived);
    return shares;
}

size_t st_legend(struct st_picture *p, struct weft_legend_entry **out)
{
    const struct weft_schema *schema = p->schema;
    struct legend_shares shares = shares_of(p);
    size_t most = (size_t)schema->n_values + 4;
    struct entries entries = {
        .list = weft_arena_alloc(p->arena, most * sizeof *entries.list),
    };
    entries.n = add_shades(p, entries.list);
    for (unsigned order = 0; order <= 2 && p->color == ST_BY_VALUE; order++)
        for (uint32_t v = 0; v < schema->n_values; v++) {
            uint32_t type = schema->values[v].type;
            int64_t ticks = shares.sums[v].self_ticks;
            if (ticks <= 0 || weft_type_order(schema, type) != order)
                continue;
            /* A lock's idle state needs no entry. */
            if (order == 2 && weft_value_order(schema, v))
                continue;
            struct weft_legend_entry entry = { st_swatch(p, v, 0, 1),
                                               schema->values[v].name, -1 };
            /* Locks come last, the others by their part of the picture. */
            entry.weight = order == 2 ? -1 : (double)ticks / fmax(1, shares.lived[type]);
            if (type == shares.type)
                entry.share = entry.weight;
            add_entry(&entries, &entry);
        }
    weft_text_map_free(&entries.named);
    *out = entries.list;
    return entries.n;
}
