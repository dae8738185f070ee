/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums links that end on reduced rows: one line for all from row to row that leave in one
 * slot of time.  Slots are powers of two ticks, counted from the begin of the trace, so
 * that they stay when the window moves.
 */
#include <math.h>
#include <stdlib.h>

#include "analyse/where_selection.h"
#include "base/compare.h"
#include "model/field_cache.h"
#include "store/time.h"
#include "view/timeline/space_time.h"

enum {
    SLOT = 40,        /* pixels, about */
    MOST = 4000,      /* sums in a picture: with more, links are drawn as they are */
    CELLS = 4 * MOST, /* of the map by key */
    THICKEST = 6,     /* pixels: of the greatest sum, */
    MANY = 32,        /* and of at least so many links */
    MAX_HEADS = 400,  /* lines, with arrowheads */
    EARLIER = -1,     /* the slot of links that left before the first one */
};

/* An end of links: a container, or a closed one with all that it holds. */
struct end {
    uint32_t container;
    bool closed, reduced;
};

struct sum {
    struct end from, to;
    uint32_t type;
    int64_t slot;
    uint64_t n, n_dimmed;
    int64_t bytes; /* may wrap around */
    bool has_bytes;
    double begin, end; /* sums of times, in ticks after the window's begin */
    uint64_t id;       /* of the first */
};

struct st_link_sums {
    struct sum *list; /* [n] the greatest first, once all are added */
    size_t n;
    uint32_t *cells;         /* [CELLS] index in LIST, or WEFT_NONE */
    int64_t slot;            /* length in ticks */
    struct weft_span window; /* the picture's, grown to whole slots */
};

struct sum_walk {
    struct st_picture *p;
    struct st_link_sums *sums;
    struct weft_field_window *bytes;
    size_t n_others;
    bool full;
};

/* ---- Which links ---- */

/* Finds the end of a link that is shown for CONTAINER; false if its row is not shown. */
static bool find_end(const struct st_picture *p, uint32_t container, uint64_t entity,
                     struct end *end)
{
    uint32_t index =
        container == WEFT_NONE ? WEFT_NONE : st_row_of_end(p, container, entity);
    if (index == WEFT_NONE || !st_is_shown(p, &p->rows.list[index]))
        return false;
    const struct st_row *row = &p->rows.list[index];
    *end = (struct end){ row->closed ? row->container : container, row->closed, false };
    end->reduced = row->closed && p->schema->reduced && p->schema->reduced[end->container];
    return true;
}

static bool is_summed(const struct st_picture *p, const struct weft_link *link,
                      struct end *from, struct end *to)
{
    return find_end(p, link->from, link->from_entity, from)
           && find_end(p, link->to, link->to_entity, to) && (from->reduced || to->reduced);
}

bool st_link_is_summed(const struct st_picture *p, const struct weft_link *link)
{
    struct end from, to;
    return p->link_sums && is_summed(p, link, &from, &to);
}

/* ---- Adding up ---- */

static bool is_same(const struct sum *a, const struct sum *b)
{
    return a->from.container == b->from.container && a->to.container == b->to.container
           && a->type == b->type && a->slot == b->slot;
}

static size_t cell_of(const struct sum *sum)
{
    uint64_t hash = sum->from.container;
    hash = hash * UINT64_C(0x9e3779b97f4a7c15) + sum->to.container;
    hash = hash * UINT64_C(0x9e3779b97f4a7c15) + sum->type;
    hash = hash * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)sum->slot;
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)((hash >> 32) % CELLS);
}

/* Returns the sum with the key of KEY, or a new one; NULL if there are too many. */
static struct sum *find_sum(struct st_link_sums *sums, const struct sum *key)
{
    size_t cell = cell_of(key);
    while (sums->cells[cell] != WEFT_NONE && !is_same(&sums->list[sums->cells[cell]], key))
        cell = (cell + 1) % CELLS;
    if (sums->cells[cell] != WEFT_NONE)
        return &sums->list[sums->cells[cell]];
    if (sums->n == MOST)
        return NULL;
    sums->cells[cell] = (uint32_t)sums->n;
    sums->list[sums->n] = *key;
    return &sums->list[sums->n++];
}

static bool add_link(void *user, const struct weft_link *link)
{
    struct sum_walk *walk = user;
    const struct st_picture *p = walk->p;
    struct st_link_sums *sums = walk->sums;
    struct sum key = { .type = link->type, .slot = EARLIER, .id = link->id };
    if (weft_job_cancelled(p->request->job))
        return false;
    if (!is_summed(p, link, &key.from, &key.to)) {
        walk->n_others++;
        return true;
    }
    bool inside = key.from.container == key.to.container;
    if (inside || link->begin >= sums->window.end
        || (link->begin < sums->window.begin && link->end < sums->window.begin))
        return true;
    if (link->begin >= sums->window.begin)
        key.slot = (link->begin - sums->window.begin) / sums->slot;
    struct sum *sum = find_sum(sums, &key);
    walk->full = !sum;
    if (!sum)
        return false;
    int64_t bytes;
    if (weft_field_window_find(walk->bytes, weft_entity_ordinal(link->id), &bytes)) {
        sum->has_bytes = true;
        sum->bytes = (int64_t)((uint64_t)sum->bytes + (uint64_t)bytes);
    }
    sum->n++;
    sum->n_dimmed += (link->flags & WEFT_DIMMED) != 0;
    sum->begin += (double)(link->begin - p->window.begin);
    sum->end += (double)(link->end - p->window.begin);
    return true;
}

/* Sets the slots: about SLOT pixels long, from the last edge before the window's begin. */
static void choose_slots(const struct st_picture *p, struct st_link_sums *sums)
{
    double ticks = p->scale > 0 ? SLOT / p->scale * M_SQRT2 : 1;
    int64_t zero = p->schema->span.begin, slot = 1;
    while (slot < WEFT_TIME_LIMIT / 4 && (double)slot * 2 <= ticks)
        slot *= 2;
    int64_t before = (p->window.begin - zero) % slot, after = (p->window.end - zero) % slot;
    before += before < 0 ? slot : 0;
    after += after < 0 ? slot : 0;
    sums->slot = slot;
    sums->window.begin = weft_time_clamp(p->window.begin - before);
    sums->window.end = weft_time_clamp(p->window.end + (after ? slot - after : 0));
}

static int by_count(const void *a, const void *b)
{
    const struct sum *x = a, *y = b;
    return WEFT_COMPARE(y->n, x->n) ?: WEFT_COMPARE(x->id, y->id);
}

static bool has_reduced(const struct st_picture *p)
{
    bool any = false;
    for (size_t i = 0; i < p->rows.n && p->schema->reduced && !any; i++) {
        const struct st_row *row = &p->rows.list[i];
        any = row->closed && p->schema->reduced[row->container] && st_is_shown(p, row);
    }
    return any && p->rows.group <= 1;
}

bool st_sum_links(struct st_picture *p, size_t *n_others)
{
    if (!has_reduced(p))
        return false;
    struct st_link_sums *sums = weft_arena_zalloc(p->arena, 1, sizeof *sums);
    struct sum_walk walk = { .p = p, .sums = sums };
    sums->list = weft_arena_alloc(p->arena, MOST * sizeof *sums->list);
    sums->cells = weft_arena_alloc(p->arena, CELLS * sizeof *sums->cells);
    for (size_t i = 0; i < CELLS; i++)
        sums->cells[i] = WEFT_NONE;
    choose_slots(p, sums);
    /* A link that ends with the first tick does not overlap it. */
    struct weft_span window = { weft_time_clamp(sums->window.begin - 1), sums->window.end };
    walk.bytes = weft_alloc(sizeof *walk.bytes);
    for (uint32_t t = 0; t < p->schema->n_tracks && !walk.full; t++) {
        if (p->schema->types[p->schema->tracks[t].type].kind != WEFT_LINK)
            continue;
        weft_field_window_begin(walk.bytes, p->source, t, WEFT_ROLE_BYTES);
        p->source->ops->links(p->source, t, window, add_link, &walk);
    }
    free(walk.bytes);
    if (walk.full)
        return false;
    if (sums->n > 1)
        qsort(sums->list, sums->n, sizeof *sums->list, by_count);
    p->link_sums = sums;
    *n_others = walk.n_others;
    return true;
}

size_t st_link_sums_count(const struct st_link_sums *sums)
{
    return sums->n;
}

/* ---- Painting ---- */

static const char *time_text(const struct st_picture *p, int64_t time,
                             char text[WEFT_TIME_TEXT])
{
    return weft_duration_text(p->schema, time - p->schema->span.begin, text);
}

/* Sets *FROM and *UNTIL to when the links of SUM leave; *FROM has no meaning if EARLIER. */
static void times_of(const struct st_link_sums *sums, const struct sum *sum, int64_t *from,
                     int64_t *until)
{
    *from = sum->slot == EARLIER ? 0 : sums->window.begin + sum->slot * sums->slot;
    *until =
        sum->slot == EARLIER ? sums->window.begin : weft_time_clamp(*from + sums->slot);
}

static void title_sum(const struct st_picture *p, struct weft_mark *mark,
                      const struct sum *sum)
{
    char first[WEFT_TIME_TEXT], last[WEFT_TIME_TEXT];
    const struct weft_type *type = &p->schema->types[sum->type];
    int64_t from, until;
    times_of(p->link_sums, sum, &from, &until);
    weft_mark_title(
        p->scene, mark, "%s %s%s%s · %s → %s · %s%s%s",
        weft_number_text(p->arena, (double)sum->n, 0),
        weft_role_is(type->role, WEFT_ROLE_MESSAGE) ? "messages"
                                                    : weft_name_cut(type->name, p->arena),
        sum->has_bytes ? ", " : "",
        sum->has_bytes ? weft_bytes_text(p->arena, sum->bytes) : "",
        weft_name_cut(p->schema->containers[sum->from.container].name, p->arena),
        weft_name_cut(p->schema->containers[sum->to.container].name, p->arena),
        sum->slot == EARLIER ? "before" : time_text(p, from, first),
        sum->slot == EARLIER ? " " : " to ", time_text(p, until, last));
}

/* Returns the selection of exactly the links of SUM; NULL if a name is too long. */
static const char *where_of(const struct st_picture *p, const char *const *labels,
                            const struct sum *sum)
{
    char text[WEFT_TIME_TEXT];
    int64_t zero = p->schema->span.begin, from, until;
    times_of(p->link_sums, sum, &from, &until);
    const char *where =
        weft_where_and(p->arena, "link", "type =", p->schema->types[sum->type].name);
    where = weft_where_and(p->arena, where, sum->from.closed ? "from in" : "from =",
                           labels[sum->from.container]);
    where = weft_where_and(p->arena, where,
                           sum->to.closed ? "to in" : "to =", labels[sum->to.container]);
    if (sum->slot == EARLIER)
        where = weft_where_and(p->arena, where,
                               "end >=", weft_time_exact(p->schema, until - zero, text));
    else
        where = weft_where_and(p->arena, where,
                               "begin >=", weft_time_exact(p->schema, from - zero, text));
    return weft_where_and(p->arena, where, "begin <",
                          weft_time_exact(p->schema, until - zero, text));
}

/*
 * Returns how far, in pixels, an upright line stands aside, so that lines of one slot do
 * not hide one another: down to the right, up to the left, the farther the longer.
 */
static double aside(const struct st_picture *p, const struct sum *sum, double dx)
{
    const double room = SLOT / 2.0 - 2, pitch = 7;
    double from = st_row_of_end(p, sum->from.container, WEFT_NO_ID),
           to = st_row_of_end(p, sum->to.container, WEFT_NO_ID);
    double upright = fmax(0, 1 - fabs(dx) / SLOT);
    return copysign(fmin(room, pitch * log2(1 + fabs(to - from))), to - from) * upright;
}

static void draw_sum(struct st_picture *p, const char *const *labels, const struct sum *sum)
{
    struct weft_point a, b;
    if (!st_link_row(p, sum->from.container, WEFT_NO_ID, &a.y)
        || !st_link_row(p, sum->to.container, WEFT_NO_ID, &b.y))
        return;
    a.x = p->frame.plot.x + sum->begin / (double)sum->n * p->scale;
    b.x = p->frame.plot.x + sum->end / (double)sum->n * p->scale;
    double shift = aside(p, sum, b.x - a.x), right = p->frame.plot.x + p->frame.plot.width;
    if (a.x + shift < p->frame.plot.x || a.x + shift > right)
        shift = -shift; /* not out of the plot */
    a.x += shift;
    b.x += shift;
    double most = fmax((double)p->link_sums->list[0].n, MANY);
    double width = 1 + (THICKEST - 1) * log((double)sum->n) / log(most);
    uint32_t alpha = sum->n_dimmed == sum->n ? 0x30 : 0xb0;
    weft_color color = (p->request->theme->text & 0xffffffu) | alpha << 24;
    struct weft_mark *mark = weft_scene_line(
        p->scene, a, b,
        (struct weft_paint){ .stroke = color, .stroke_width = (float)width });
    if (!mark)
        return;
    mark->action = weft_list_action(where_of(p, labels, sum));
    title_sum(p, mark, sum);
    if (p->link_sums->n <= MAX_HEADS)
        weft_scene_glyph(p->scene, WEFT_GLYPH_ARROWHEAD, b, 5 + 2 * width,
                         atan2(b.y - a.y, b.x - a.x), (struct weft_paint){ .fill = color });
}

void st_paint_link_sums(struct st_picture *p,
                        bool (*single)(void *user, const struct weft_link *link),
                        void *user)
{
    const char *const *labels =
        (const char *const *)weft_container_labels(p->schema, p->arena);
    for (size_t i = 0; i < p->link_sums->n; i++) {
        const struct sum *sum = &p->link_sums->list[i];
        struct weft_link link;
        if (sum->n > 1)
            draw_sum(p, labels, sum);
        else if (p->source->ops->link(p->source, sum->id, &link))
            single(user, &link);
    }
}
