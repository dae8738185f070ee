/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides how high the rows of the space-time view are, and which are dropped without room.
 */
#include <math.h>
#include <string.h>

#include "view/timeline/space_time.h"

/*
 * Pixels.  A row of a lock is never taller than one of a thread, a curve never taller than
 * either.
 */
enum {
    STATE_HEIGHT = 20,
    SECONDARY_HEIGHT = 14,
    CURVE_HEIGHT = 13,
    SECOND_CURVE_HEIGHT =
        9, /* below its container's states: many must not take their room */
    EVENT_HEIGHT = 14,
    HEADER_HEIGHT = 17,
    FOLD_HEIGHT = 14,
    TALLEST = 60,       /* few rows do not grow beyond this */
    TALLEST_CURVE = 26, /* the same: states matter more */
    READABLE = 11,      /* a lower row has no name: others are dropped before */
    LOWEST_CURVE = 6,   /* of a curve below states, which needs no name */
    THINNEST = 3,       /* lower: only states are shown, and tracks may share a row */
};
/* Rows that scroll need not be as tall as a few that fill a picture. */
static const double comfort = 0.75;

struct st_row *st_row_add(struct st_rows *rows, struct weft_arena *arena)
{
    if (rows->n == rows->capacity) {
        size_t capacity = rows->capacity ? rows->capacity * 2 : 64;
        struct st_row *larger = weft_arena_alloc(arena, capacity * sizeof *larger);
        if (rows->n)
            memcpy(larger, rows->list, rows->n * sizeof *larger);
        rows->list = larger;
        rows->capacity = capacity;
    }
    struct st_row *row = &rows->list[rows->n++];
    *row = (struct st_row){ .type = WEFT_NONE };
    return row;
}

static double ideal_height(const struct st_row *row)
{
    if (row->set_height > 0)
        return row->set_height;
    switch (row->kind) {
    case ST_HEADER: return HEADER_HEIGHT;
    case ST_FOLD: return FOLD_HEIGHT;
    case ST_STATES:
        if (row->secondary)
            return SECONDARY_HEIGHT;
        return STATE_HEIGHT + (row->max_depth > 2 ? 4 * (row->max_depth - 2) : 0);
    case ST_EVENTS: return EVENT_HEIGHT;
    case ST_CURVE: return row->first ? CURVE_HEIGHT : SECOND_CURVE_HEIGHT;
    }
    return STATE_HEIGHT;
}

/*
 * Returns a rank: rows with the highest rank are left out first; those of rank 0 never are.
 */
static unsigned dispensable(const struct st_row *row)
{
    switch (row->kind) {
    case ST_CURVE: return row->secondary ? 5 : row->first ? 3 : 4;
    case ST_EVENTS: return row->first ? 2 : 3;
    case ST_STATES: return row->secondary ? 2 : 0;
    case ST_FOLD: return 1;
    case ST_HEADER: return 1;
    }
    return 0;
}

/* Row I of a list before is row MOVED[I] now, or WEFT_NONE: corrects rows->row_of. */
static void renumber(struct st_rows *rows, const uint32_t *moved)
{
    for (uint32_t c = 0; c < rows->n_containers; c++)
        if (rows->row_of[c] != WEFT_NONE)
            rows->row_of[c] = moved[rows->row_of[c]];
}

/* Leaves out the rows of RANK and above, unless there are no others. */
static void leave_out(struct st_rows *rows, struct weft_arena *arena, unsigned rank)
{
    uint32_t *moved = weft_arena_alloc(arena, (rows->n + 1) * sizeof *moved);
    size_t kept = 0;
    for (size_t i = 0; i < rows->n; i++)
        kept += dispensable(&rows->list[i]) < rank;
    if (!kept || kept == rows->n)
        return;
    size_t out = 0;
    for (size_t i = 0; i < rows->n; i++) {
        struct st_row row = rows->list[i];
        moved[i] = WEFT_NONE;
        if (dispensable(&row) >= rank)
            continue;
        rows->list[out] = row;
        moved[i] = (uint32_t)out++;
    }
    renumber(rows, moved);
    rows->n = out;
}

/* Returns the height below which other rows are dropped first. */
static double least_height(const struct st_row *row)
{
    if (row->set_height > 0)
        return row->set_height;
    return row->kind == ST_CURVE && !row->first ? LOWEST_CURVE : READABLE;
}

static double fewest_pixels(const struct st_rows *rows)
{
    double least = 0;
    for (size_t i = 0; i < rows->n; i++)
        least += least_height(&rows->list[i]);
    return least;
}

/* Returns the height of a scrolling row if there is enough room. */
static double comfortable_height(const struct st_row *row)
{
    return fmax(least_height(row), comfort * ideal_height(row));
}

/*
 * Leaves out no row if all take at most MOST pixels with scrolling; else leaves out curves
 * and events until the rest does.  Returns false if the rows of states alone take more.
 */
static bool choose_to_scroll(struct st_rows *rows, struct weft_arena *arena, double most)
{
    for (unsigned rank = 6; rank > 2; rank--) {
        double wanted = 0;
        leave_out(rows, arena, rank);
        for (size_t i = 0; i < rows->n; i++)
            wanted += comfortable_height(&rows->list[i]);
        double least = fewest_pixels(rows);
        if (least > most)
            continue;
        rows->ease = wanted > most ? (most - least) / (wanted - least) : 1;
        return rows->n > 0;
    }
    return false;
}

/* Appends the tracks of a row to INTO, which has capacity *ROOM. */
static void add_tracks(struct st_row *into, size_t *room, const struct st_row *row,
                       struct weft_arena *arena)
{
    size_t n = (size_t)into->n_tracks + row->n_tracks;
    if (n > *room) {
        *room = 2 * n;
        uint32_t *tracks = weft_arena_alloc(arena, *room * sizeof *tracks);
        if (into->n_tracks)
            memcpy(tracks, into->tracks, into->n_tracks * sizeof *tracks);
        into->tracks = tracks;
    }
    if (row->n_tracks)
        memcpy(into->tracks + into->n_tracks, row->tracks,
               row->n_tracks * sizeof *row->tracks);
    if (into->lanes || row->lanes)
        into->lanes = st_row_lanes(into) + st_row_lanes(row);
    into->n_tracks += row->n_tracks;
    into->n_processors += row->n_processors;
}

/*
 * For rows that would be thinner than three pixels: keeps only states, and puts 4, 16 ...
 * tracks into one row if there are more rows than pixels.
 */
static void condense(struct st_rows *rows, struct weft_arena *arena, size_t pixels)
{
    size_t n = 0;
    for (size_t i = 0; i < rows->n; i++)
        n += rows->list[i].kind == ST_STATES;
    if (!n)
        return;
    rows->group = 1;
    while ((n + rows->group - 1) / rows->group > pixels)
        rows->group *= 4;
    uint32_t *moved = weft_arena_alloc(arena, rows->n * sizeof *moved);
    size_t out = 0, in_group = 0, room = 0;
    for (size_t i = 0; i < rows->n; i++) {
        struct st_row row = rows->list[i];
        moved[i] = WEFT_NONE;
        if (row.kind != ST_STATES)
            continue;
        struct st_row *last = out ? &rows->list[out - 1] : NULL;
        if (last && in_group < rows->group && last->type == row.type
            && last->reduction == row.reduction) {
            add_tracks(last, &room, &row, arena);
            in_group++;
        } else {
            rows->list[out++] = row;
            room = row.n_tracks;
            in_group = 1;
        }
        moved[i] = (uint32_t)(out - 1);
        if (rows->row_of[row.container] == WEFT_NONE
            || moved[rows->row_of[row.container]] == WEFT_NONE)
            rows->row_of[row.container] = (uint32_t)i;
    }
    renumber(rows, moved);
    rows->n = out;
}

/* Returns the height to which a row grows at most, in a picture with few rows. */
static double tallest(const struct st_row *row)
{
    if (row->kind == ST_HEADER || row->kind == ST_FOLD)
        return HEADER_HEIGHT;
    if (row->kind == ST_CURVE && !row->first)
        return TALLEST_CURVE;
    return TALLEST + 6.0 * row->max_depth;
}

/* Returns the pixels of rows whose height a filter sets; 0 if they take nearly all. */
static double set_heights(struct st_rows *rows, double height)
{
    double set = 0;
    for (size_t i = 0; i < rows->n; i++)
        set += rows->list[i].set_height;
    if (set <= 0.8 * height || rows->scrolls)
        return set;
    for (size_t i = 0; i < rows->n; i++)
        rows->list[i].set_height = 0;
    return 0;
}

/* Sets the height of each row, before scrolling leaves out any. */
void st_rows_size(struct st_rows *rows, double height, double fixed)
{
    double set = set_heights(rows, height);
    double ideal = -set, least = fewest_pixels(rows) - set;
    height = fmax(1, height - set);
    for (size_t i = 0; i < rows->n; i++)
        ideal += ideal_height(&rows->list[i]);
    double stretch = ideal > 0 ? height / ideal : 1;
    /*
     * If the rows do not fit at their ideal heights, but all could have names: each gets
     * the height of a name, and a share of the rest.
     */
    bool tight = stretch < 1 && least <= height && ideal > least;
    double rest = tight ? (height - least) / (ideal - least) : 0;
    for (size_t i = 0; i < rows->n; i++) {
        struct st_row *row = &rows->list[i];
        bool named = row->kind == ST_HEADER || row->kind == ST_FOLD;
        double lowest = least_height(row);
        double size = tight ? lowest + (ideal_height(row) - lowest) * rest
                            : ideal_height(row) * stretch;
        if (row->set_height > 0)
            row->height = row->set_height;
        else if (fixed > 0)
            row->height = named ? fmin(fixed, HEADER_HEIGHT) : fixed;
        else if (rows->scrolls)
            row->height = lowest + (comfortable_height(row) - lowest) * rows->ease;
        else if (rows->group > 1 || size < THINNEST)
            row->height = size;
        else
            row->height = fmin(size, tallest(row));
    }
}

/*
 * Places each row.  Only whole rows are shown: scrolling goes by rows, and a row that does
 * not fit at the bottom is left out.
 */
void st_rows_place(struct st_rows *rows, double height, double scroll)
{
    bool scrolls = rows->scrolls;
    double y = 0, content = 0;
    rows->scroll = 0;
    for (size_t i = 0; i < rows->n; i++) {
        struct st_row *row = &rows->list[i];
        bool above = scrolls && content + row->height <= scroll && i + 1 < rows->n;
        content += row->height;
        if (above) {
            rows->scroll = content;
            row->y = -1e9;
            continue;
        }
        row->y = scrolls && y > 0 && y + row->height > height + 0.5 ? 1e9 : y;
        y += row->height;
    }
    rows->content = content;
    rows->height = fmin(y, height);
}

/* Copies the rows of pinned containers, from the top; at most 0.4 of HEIGHT. */
void st_rows_pin(struct st_rows *pinned, const struct st_rows *rows, const uint8_t *member,
                 struct weft_arena *arena, size_t n_containers, double height)
{
    double y = 0;
    *pinned = (struct st_rows){ .group = 1 };
    for (size_t i = 0; i < rows->n; i++) {
        const struct st_row *row = &rows->list[i];
        if (!member[row->container] || y + row->height > 0.4 * height)
            continue;
        struct st_row *copy = st_row_add(pinned, arena);
        *copy = *row;
        copy->y = y;
        copy->depth = 0;
        y += row->height;
    }
    pinned->height = pinned->content = y;
    pinned->row_of = weft_arena_alloc(arena, n_containers * sizeof *pinned->row_of);
    for (size_t c = 0; c < n_containers; c++)
        pinned->row_of[c] = WEFT_NONE;
    for (size_t i = 0; i < pinned->n; i++)
        pinned->row_of[pinned->list[i].container] = (uint32_t)i;
}

void st_rows_fit(struct st_rows *rows, struct weft_arena *arena, const struct st_room *room)
{
    double height = room->height, fixed = room->fixed;
    rows->scrolls = fixed > 0;
    if (!rows->scrolls && room->seen > 0 && fewest_pixels(rows) > room->seen)
        rows->scrolls = choose_to_scroll(rows, arena, room->screens * room->seen);
    for (unsigned rank = 5; rank > 0 && !rows->scrolls; rank--)
        if (fewest_pixels(rows) > height)
            leave_out(rows, arena, rank);
    if (!rows->scrolls && height / (double)rows->n < THINNEST + 1)
        condense(rows, arena, height < 1 ? 1 : (size_t)height);
    st_rows_size(rows, height, fixed);
}
