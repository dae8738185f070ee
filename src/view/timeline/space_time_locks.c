/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks in the second way of Pajé (Chassin de Kergommeaux, Stein, Bernard 2000, section
 * 2.7): each lock has a colour; a bar of it lies on the row of the thread that holds the
 * lock, a hatched one on the rows of those that wait for it.  Bars that overlap on a row
 * stand in lanes above each other.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/where_selection.h"
#include "base/compare.h"
#include "base/memory.h"
#include "model/field_cache.h"
#include "store/time.h"
#include "view/timeline/space_time.h"

enum {
    MOST_HOLDS = 200000, /* looked at for a picture: denser ones are left out, and told */
    MOST_WAITS = 300000, /* states of threads that are looked at */
    FEW_LOCKS = 32,      /* in a trace: each has one colour in all of its pictures */
    LANES = 3,           /* of bars on a row; what overlaps more shares the last */
    LEGEND_LOCKS = 12,
    LOWEST_ROW = 8, /* pixels: lower rows have no bars */
};

struct lock {
    uint32_t container, track;
    uint32_t number; /* among the locks of the trace */
    uint64_t states; /* in the window */
    struct weft_swatch swatch;
};

struct st_locks {
    struct lock *list; /* [n], those with the fewest states first */
    uint32_t n, shown; /* the first so many are drawn */
    uint32_t *of;      /* by container: index of the lock, or WEFT_NONE */
    bool lacks_waits;  /* some rows have too many states to look for waits */
};

static int by_states(const void *a, const void *b)
{
    const struct lock *x = a, *y = b;
    return x->states != y->states ? WEFT_COMPARE(x->states, y->states)
                                  : WEFT_COMPARE(x->container, y->container);
}

/* Gives the locks colours, of many the largest those that differ most. */
static void color_locks(const struct st_picture *p, struct st_locks *locks, uint32_t all)
{
    for (uint32_t i = 0; i < locks->n; i++)
        locks->list[i].swatch = weft_number_swatch(
            p->request->theme, all <= FEW_LOCKS ? locks->list[i].number : locks->n - 1 - i);
}

void st_locks_begin(struct st_picture *p)
{
    uint32_t all = 0;
    const struct weft_schema *schema = p->schema;
    if (strcmp(weft_setting(p->request, "locks"), "on") != 0 || p->activity)
        return;
    struct st_locks *locks = weft_arena_zalloc(p->arena, 1, sizeof *locks);
    locks->list = weft_arena_zalloc(p->arena, schema->n_tracks + 1, sizeof *locks->list);
    locks->of = weft_arena_alloc(p->arena, schema->n_containers * sizeof *locks->of);
    for (uint32_t t = 0; t < schema->n_tracks; t++) {
        const struct weft_track *track = &schema->tracks[t];
        const struct weft_type *type = &schema->types[track->type];
        if (type->kind != WEFT_STATE || !weft_role_is(type->role, WEFT_ROLE_LOCK_STATE))
            continue;
        uint64_t states = p->source->ops->density(p->source, t, p->window);
        if (states)
            locks->list[locks->n++] = (struct lock){
                .container = track->container, .track = t, .number = all, .states = states
            };
        all++;
    }
    if (locks->n)
        qsort(locks->list, locks->n, sizeof *locks->list, by_states);
    color_locks(p, locks, all);
    for (uint64_t sum = 0; locks->shown < locks->n; locks->shown++) {
        sum += locks->list[locks->shown].states;
        if (sum > MOST_HOLDS)
            break;
    }
    for (uint32_t c = 0; c < schema->n_containers; c++)
        locks->of[c] = WEFT_NONE;
    for (uint32_t i = 0; i < locks->shown; i++)
        locks->of[locks->list[i].container] = i;
    p->locks = locks;
}

size_t st_locks_legend(struct st_picture *p, struct weft_legend_entry **list, size_t n)
{
    const struct st_locks *locks = p->locks;
    if (!locks)
        return n;
    uint32_t entries = locks->shown < LEGEND_LOCKS ? locks->shown : LEGEND_LOCKS;
    struct weft_legend_entry *longer =
        weft_arena_zalloc(p->arena, n + entries + 1, sizeof *longer);
    memcpy(longer, *list, n * sizeof *longer);
    for (uint32_t i = 0; i < entries; i++) {
        const struct lock *lock = &locks->list[locks->shown - 1 - i];
        const struct weft_container *c = &p->schema->containers[lock->container];
        longer[n++] = (struct weft_legend_entry){
            .swatch = lock->swatch,
            .label = weft_arena_printf(
                p->arena, "%s %s", weft_name_cut(p->schema->types[c->type].name, p->arena),
                weft_name_cut(c->name, p->arena)),
            .share = -2, /* tells the page that this is no value */
            .weight = (double)(entries - i)
        };
    }
    *list = longer;
    return n;
}

const char *st_locks_note(const struct st_picture *p)
{
    const struct st_locks *locks = p->locks;
    if (!locks)
        return "";
    if (locks->shown == locks->n)
        return locks->lacks_waits ? "rows without bars of waits: zoom in" : "";
    return weft_arena_printf(p->arena, "%u of %u locks without bars: zoom in",
                             locks->n - locks->shown, locks->n);
}

/* A bar of a hold or of a wait, or of several less than a pixel apart, on a row of
   p->rows. */
struct bar {
    int64_t begin, end, ticks; /* ticks: of them together */
    uint64_t id;               /* of the first */
    uint32_t row, lock;        /* lock: its index in the list */
    bool waits;
};

struct painting {
    struct st_picture *p;
    uint32_t *rows; /* by container: its row of states, or WEFT_NONE */
    struct bar *bars;
    size_t n, capacity;
    /* by row the last bar of a hold, by lock that of a wait: indices in BARS, or beyond */
    size_t *last_hold, *last_wait;
    uint32_t lock, row;             /* whose holds, or whose waits, are visited */
    struct weft_field_window field; /* the holder, or the object */
};

static int by_begin(const void *a, const void *b)
{
    const struct bar *x = a, *y = b;
    return x->begin != y->begin ? WEFT_COMPARE(x->begin, y->begin)
                                : WEFT_COMPARE(x->id, y->id);
}

static void add_bar(struct painting *painting, const struct weft_state *state, uint32_t row,
                    uint32_t lock, bool waits)
{
    size_t *last = waits ? &painting->last_wait[lock] : &painting->last_hold[row];
    struct bar *before = *last < painting->n ? &painting->bars[*last] : NULL;
    if (before && before->row == row && before->lock == lock
        && (double)(state->begin - before->end) * painting->p->scale < 1) {
        before->end = state->end > before->end ? state->end : before->end;
        before->ticks = weft_ticks_add(before->ticks, state->end - state->begin);
        return;
    }
    painting->bars = weft_grow(painting->bars, &painting->capacity, painting->n + 1,
                               sizeof *painting->bars);
    *last = painting->n;
    painting->bars[painting->n++] =
        (struct bar){ state->begin, state->end, state->end - state->begin, state->id, row,
                      lock,         waits };
}

/* Returns the lowest lane in which the bars before, which end at ENDS, leave room. */
static int lane_of(int64_t ends[static LANES], const struct bar *bar)
{
    int lane = 0;
    while (lane < LANES - 1 && ends[lane] > bar->begin)
        lane++;
    ends[lane] = bar->end > ends[lane] ? bar->end : ends[lane];
    return lane;
}

static void draw_bar(struct st_picture *p, const struct bar *bar, int lane)
{
    const struct st_row *row = &p->rows.list[bar->row];
    const struct lock *lock = &p->locks->list[bar->lock];
    const struct weft_schema *schema = p->schema;
    double height = st_bar_height(p, row), side = fmin(6, floor(height / (LANES + 1)));
    double x0 = fmax(st_x(p, bar->begin), p->frame.plot.x),
           x1 = fmin(st_x(p, bar->end), p->frame.plot.x + p->frame.plot.width);
    double y = p->frame.plot.y + row->y + height - side * (lane + 1);
    struct weft_paint paint = { .fill = lock->swatch.tone };
    if (bar->waits) {
        paint.hatch = WEFT_HATCH_DIAGONAL;
        paint.stroke = x1 - x0 > 4 ? p->request->theme->panel : 0;
        paint.stroke_width = x1 - x0 > 4;
    }
    struct weft_mark *mark = weft_scene_rect(
        p->scene, (struct weft_rect){ x0, y, fmax(1, x1 - x0), side }, paint);
    char length[WEFT_TIME_TEXT];
    if (!mark)
        return;
    mark->id = bar->id;
    weft_mark_title(
        p->scene, mark, bar->waits ? "%s waits for %s · %s" : "%s holds %s · %s",
        schema->containers[row->container].name, schema->containers[lock->container].name,
        weft_duration_text(schema, bar->ticks, length));
}

/* In the order of their begins, since a lane is free where the last bar in it has ended. */
static void draw_bars(struct painting *painting)
{
    struct st_picture *p = painting->p;
    int64_t(*lanes)[LANES] = weft_alloc((p->rows.n + 1) * sizeof *lanes);
    for (size_t i = 0; i < p->rows.n; i++)
        for (int lane = 0; lane < LANES; lane++)
            lanes[i][lane] = INT64_MIN;
    if (painting->n)
        qsort(painting->bars, painting->n, sizeof *painting->bars, by_begin);
    for (size_t i = 0; i < painting->n; i++) {
        const struct bar *bar = &painting->bars[i];
        draw_bar(p, bar, lane_of(lanes[bar->row], bar));
    }
    free(lanes);
}

static bool see_hold(void *user, const struct weft_state *state)
{
    struct painting *painting = user;
    struct st_picture *p = painting->p;
    int64_t holder;
    if (!weft_role_is(p->schema->values[state->value].role, WEFT_ROLE_HELD)
        || !weft_field_window_find(&painting->field, weft_entity_ordinal(state->id),
                                   &holder)
        || holder < 0 || holder >= (int64_t)p->schema->n_containers
        || painting->rows[holder] == WEFT_NONE)
        return !weft_job_cancelled(p->request->job);
    add_bar(painting, state, painting->rows[holder], painting->lock, false);
    return true;
}

static bool see_wait(void *user, const struct weft_state *state)
{
    struct painting *painting = user;
    struct st_picture *p = painting->p;
    int64_t object;
    if (!weft_role_is(p->schema->values[state->value].role, WEFT_ROLE_BLOCKED)
        || !weft_field_window_find(&painting->field, weft_entity_ordinal(state->id),
                                   &object)
        || object < 0 || object >= (int64_t)p->schema->n_containers
        || p->locks->of[object] == WEFT_NONE)
        return !weft_job_cancelled(p->request->job);
    add_bar(painting, state, painting->row, p->locks->of[object], true);
    return true;
}

/* Adds the waits of the rows as long as few enough states are to be looked at. */
static void add_waits(struct painting *painting)
{
    struct st_picture *p = painting->p;
    uint64_t seen = 0;
    for (size_t i = 0; i < p->rows.n; i++) {
        const struct st_row *row = &p->rows.list[i];
        if (row->kind != ST_STATES || painting->rows[row->container] != i)
            continue;
        seen += p->source->ops->density(p->source, row->tracks[0], p->window);
        p->locks->lacks_waits |= seen > MOST_WAITS;
        if (seen > MOST_WAITS)
            return;
        painting->row = (uint32_t)i;
        weft_field_window_begin_field(
            &painting->field, p->source, row->tracks[0],
            weft_where_object_field(p->schema, p->schema->tracks[row->tracks[0]].type));
        p->source->ops->states(p->source, row->tracks[0], p->window, see_wait, painting);
    }
}

/* Returns the rows of single threads, by container. */
static uint32_t *rows_of(const struct st_picture *p)
{
    uint32_t *rows = weft_arena_alloc(p->arena, p->schema->n_containers * sizeof *rows);
    for (uint32_t c = 0; c < p->schema->n_containers; c++)
        rows[c] = WEFT_NONE;
    for (size_t i = 0; i < p->rows.n; i++) {
        const struct st_row *row = &p->rows.list[i];
        bool single = row->kind == ST_STATES && row->n_tracks == 1 && !row->closed
                      && !row->lanes && !row->reduction;
        if (single && st_is_shown(p, row) && row->height >= LOWEST_ROW
            && rows[row->container] == WEFT_NONE)
            rows[row->container] = (uint32_t)i;
    }
    return rows;
}

void st_paint_locks(struct st_picture *p)
{
    if (!p->locks)
        return;
    struct painting *painting = weft_zalloc(1, sizeof *painting);
    painting->p = p;
    painting->rows = rows_of(p);
    painting->last_hold = weft_alloc((p->rows.n + 1) * sizeof *painting->last_hold);
    painting->last_wait = weft_alloc((p->locks->n + 1) * sizeof *painting->last_wait);
    memset(painting->last_hold, 0xff, (p->rows.n + 1) * sizeof *painting->last_hold);
    memset(painting->last_wait, 0xff, (p->locks->n + 1) * sizeof *painting->last_wait);
    add_waits(painting);
    for (uint32_t i = 0; i < p->locks->shown; i++) {
        uint32_t track = p->locks->list[i].track;
        painting->lock = i;
        weft_field_window_begin_containers(&painting->field, p->source, track,
                                           WEFT_ROLE_HOLDER);
        p->source->ops->states(p->source, track, p->window, see_hold, painting);
    }
    draw_bars(painting);
    free(painting->last_hold);
    free(painting->last_wait);
    free(painting->bars);
    free(painting);
}
