/* SPDX-License-Identifier: Apache-2.0 */
/* The filter "sort by similarity": rows that are in the same states at the same times stand
   together. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "filter/filtered_source_priv.h"

enum {
    PARTS = 8, /* of the trace's time, in each of which shares are compared */
    SHARES = PARTS * WEFT_MAX_SLOTS,
    BLOCK = 1000,       /* rows beside each other that are compared with each other */
    MOST_ROWS = 200000, /* a row takes half a kilobyte */
};

/* By container: the shares of its tracks and of all below it, and the number of tracks. */
struct profiles {
    float (*shares)[SHARES];
    float *tracks;
};

static void add_track(const struct filtered *f, uint32_t track, struct profiles *profiles)
{
    const struct weft_schema *schema = &f->schema;
    uint32_t c = schema->tracks[track].container,
             slots = schema->types[schema->tracks[track].type].slots;
    float shares[SHARES] = { 0 };
    const struct weft_share_query query = { .tracks = &track,
                                            .n_tracks = 1,
                                            .window = { schema->span.begin,
                                                        schema->span.end + 1 },
                                            .columns = PARTS,
                                            .shares = shares };
    f->below->ops->shares(f->below, &query);
    for (uint32_t part = 0; part < PARTS; part++)
        for (uint32_t s = 0; s < slots; s++)
            if (isfinite(shares[part * slots + s]))
                profiles->shares[c][part * WEFT_MAX_SLOTS + s] += shares[part * slots + s];
    profiles->tracks[c]++;
}

static struct profiles read_profiles(const struct filtered *f)
{
    const struct weft_schema *schema = &f->schema;
    uint32_t n = schema->n_containers;
    struct profiles profiles = { weft_zalloc(n + 1, sizeof *profiles.shares),
                                 weft_zalloc(n + 1, sizeof *profiles.tracks) };
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        if (schema->types[schema->tracks[t].type].kind == WEFT_STATE
            && schema->tracks[t].count)
            add_track(f, t, &profiles);
    for (uint32_t p = n; p-- > 1;) {
        uint32_t c = schema->preorder[p], above = f->containers[c].parent;
        if (f->gone[c])
            continue;
        for (uint32_t i = 0; i < SHARES; i++)
            profiles.shares[above][i] += profiles.shares[c][i];
        profiles.tracks[above] += profiles.tracks[c];
    }
    for (uint32_t c = 0; c < n; c++)
        for (uint32_t i = 0; i < SHARES && profiles.tracks[c] > 0; i++)
            profiles.shares[c][i] /= profiles.tracks[c];
    return profiles;
}

/* Returns twice the part of the time in which A and B are in different states. */
static float distance(const float *a, const float *b)
{
    float sum = 0;
    for (uint32_t i = 0; i < SHARES; i++)
        sum += fabsf(a[i] - b[i]);
    return sum;
}

/* Puts ROWS[N] in order: behind each the one of the rest that is most like it, of several
   the first; the first row stays. */
static void chain(const struct profiles *profiles, uint32_t *rows, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        size_t best = i;
        float least = INFINITY;
        for (size_t k = i; k < n; k++) {
            float d = distance(profiles->shares[rows[i - 1]], profiles->shares[rows[k]]);
            if (d < least) {
                least = d;
                best = k;
            }
        }
        uint32_t next = rows[best];
        memmove(rows + i + 1, rows + i, (best - i) * sizeof *rows);
        rows[i] = next;
    }
}

bool filter_rows_sort_alike(struct filtered *f, const struct weft_filter_line *line)
{
    const struct weft_schema *schema = &f->schema;
    uint32_t n = schema->n_containers;
    if (n > MOST_ROWS)
        return weft_filter_fail(f->err, line->number,
                                "%u rows: at most %d can be sorted by similarity", n,
                                MOST_ROWS);
    struct profiles profiles = read_profiles(f);
    uint32_t *rows = weft_alloc((n + 1) * sizeof *rows), place = 0;
    /* The children of each container, in their present order. */
    for (uint32_t above = 0; above < n; above++) {
        size_t count = 0;
        for (uint32_t c = schema->containers[above].first_child; c != WEFT_NONE;
             c = schema->containers[c].next_sibling)
            if (!f->gone[c])
                rows[count++] = c;
        for (size_t i = 0; i < count; i += BLOCK)
            chain(&profiles, rows + i, count - i < BLOCK ? count - i : BLOCK);
        for (size_t i = 0; i < count; i++)
            f->place[rows[i]] = place++;
    }
    f->schema.rows_ordered = true;
    free(profiles.shares);
    free(profiles.tracks);
    free(rows);
    return true;
}
