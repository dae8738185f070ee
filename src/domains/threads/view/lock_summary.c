/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lock summary: how often each lock was taken, how long threads waited for it and held it,
 * the holders that made others wait, and the places of the waits (analyse/locks.h).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/sites_by_line.h"
#include "analyse/where_selection.h"
#include "base/compare.h"
#include "domains/threads/analyse/locks.h"
#include "domains/threads/view/views.h"
#include "store/time.h"
#include "view/picture_frame.h"

enum { NAMED = 3 /* at most, in a text */ };

/* Returns the places of N shares, worst first. */
static const char *sites_text(struct weft_arena *arena, const struct weft_schema *schema,
                              const struct weft_lock_share *sites, size_t n)
{
    const char *text = "";
    for (size_t i = 0; i < n && i < NAMED; i++)
        text = weft_arena_printf(arena, "%s%s%s", text, i ? "; " : "",
                                 weft_site_text(arena, schema, sites[i].of));
    return text;
}

/* Returns who waited until whom gave the lock back, worst first: "t3 for t1; t2 for t3". */
static const char *met_text(struct weft_arena *arena, const char **labels,
                            const struct weft_lock *lock)
{
    const char *text = "";
    for (size_t i = 0; i < lock->n_met && i < NAMED; i++)
        text = weft_arena_printf(arena, "%s%s%s for %s", text, i ? "; " : "",
                                 labels[lock->met[i].waiter], labels[lock->met[i].by]);
    return text;
}

/* Returns the holder that made others wait longest; NULL if none or unknown. */
static const struct weft_lock_share *worst(const struct weft_lock *lock)
{
    return lock->n_holders && lock->holders[0].ticks && lock->holders[0].of != WEFT_NONE
               ? &lock->holders[0]
               : NULL;
}

/* Returns its name (of weft_container_labels), or "". */
static const char *worst_holder(const char **labels, const struct weft_lock *lock)
{
    return worst(lock) ? labels[worst(lock)->of] : "";
}

/* Returns the place where the lock was taken that made others wait longest, or "". */
static const char *worst_hold_site(struct weft_arena *arena,
                                   const struct weft_schema *schema,
                                   const struct weft_lock *lock)
{
    bool known = lock->n_hold_sites && lock->hold_sites[0].ticks;
    return known ? weft_site_text(arena, schema, lock->hold_sites[0].of) : "";
}

static bool read_locks(const struct weft_request *request, struct weft_locks *locks,
                       struct weft_err *err)
{
    return weft_locks_read(request->set->sources[0], request->under, request->window,
                           request->job, locks, err);
}

static const struct weft_column columns[] = {
    { "lock", "its name, or where it is", .selects = "(object = $ or row = $) and state" },
    { "kind", "what it is: a mutex, a semaphore", .seldom = true },
    { "acquisitions", "how often it was taken", .narrows = "(held or contended)" },
    { "read_acquisitions", "by readers, of them; empty: the trace does not say",
      .seldom = true },
    { "contended",
      "how often a thread waited for it, also in vain: until the end of the run, or "
      "of the time it gave itself; empty: the trace does not say",
      .narrows = "blocked" },
    { "wait_total_ns", "what all these waits took", .narrows = "blocked" },
    { "wait_p99_ns", "99 of a hundred were no longer", .narrows = "blocked",
      .seldom = true },
    { "wait_max_ns", "the longest", .narrows = "blocked" },
    { "hold_total_ns", "how long it was held, in all", .narrows = "(held or contended)" },
    { "hold_read_ns", "by readers, of that; empty: the trace does not say",
      .seldom = true },
    { "hold_ready_ns",
      "while its holder was ready: it wanted a processor and had none; empty: the trace "
      "does not say when threads are",
      .seldom = true },
    { "hold_mean_ns", "how long it was held, on average", .narrows = "(held or contended)",
      .seldom = true },
    { "worst_holder", "who held it while others waited longest, all together" },
    { "worst_holder_ns", "how long it held it while some other waited", .seldom = true },
    { "worst_hold_site", "where it was taken while others waited longest", .seldom = true },
    { "hold_sites", "where it was taken, at most three: those that held it longest first",
      .seldom = true },
    { "wait_sites", "where it was waited for, at most three, the longest first" },
    { "who_for_whom",
      "who waited until whom gave it back, at most three pairs of threads, the longest "
      "waits first",
      .seldom = true },
};

/* Returns a cell of TICKS in ns; empty unless KNOWN. */
static struct weft_cell ticks_cell(const struct weft_schema *schema, int64_t ticks,
                                   bool known)
{
    return known ? weft_integer_cell(weft_ticks_to_ns(schema, ticks))
                 : (struct weft_cell){ .kind = WEFT_CELL_EMPTY };
}

/* Returns a cell of a number; empty unless KNOWN. */
static struct weft_cell count_cell(uint64_t count, bool known)
{
    return known ? weft_integer_cell((int64_t)count)
                 : (struct weft_cell){ .kind = WEFT_CELL_EMPTY };
}

/* Write the row of LOCK; ARENA is for its texts.  Returns false if no more are wanted. */
static bool put_row(struct weft_table *out, struct weft_arena *arena,
                    const struct weft_schema *schema, const char **labels,
                    const struct weft_locks *locks, const struct weft_lock *lock)
{
    bool waits = locks->waits_known;
    const struct weft_cell cells[] = {
        weft_text_cell(labels[lock->container]),
        weft_text_cell(schema->types[schema->containers[lock->container].type].name),
        count_cell(lock->acquisitions, true),
        count_cell(lock->read_acquisitions, lock->mode_known),
        count_cell(lock->waits, waits),
        ticks_cell(schema, lock->waited_ticks, waits),
        ticks_cell(schema, lock->wait_p99, waits),
        ticks_cell(schema, lock->wait_max, waits),
        ticks_cell(schema, lock->held_ticks, true),
        ticks_cell(schema, lock->read_ticks, lock->mode_known),
        ticks_cell(schema, lock->ready_ticks, locks->ready_known),
        weft_integer_cell(
            weft_mean_to_ns(schema, (double)lock->held_ticks, lock->acquisitions)),
        weft_text_cell(worst_holder(labels, lock)),
        ticks_cell(schema, worst(lock) ? worst(lock)->ticks : 0, worst(lock)),
        weft_text_cell(worst_hold_site(arena, schema, lock)),
        weft_text_cell(sites_text(arena, schema, lock->held_sites, lock->n_held_sites)),
        weft_text_cell(sites_text(arena, schema, lock->sites, lock->n_sites)),
        weft_text_cell(met_text(arena, labels, lock)),
    };
    return out->row(out, cells);
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    struct weft_arena arena = { 0 }, row = { 0 };
    struct weft_locks locks;
    if (!read_locks(request, &locks, err))
        return false;
    const char **labels = weft_container_labels(schema, &arena);
    weft_view_begin_table(request, out);
    for (size_t i = 0; i < locks.n; i++) {
        bool more = put_row(out, &row, schema, labels, &locks, &locks.list[i]);
        weft_arena_reset(&row);
        if (!more)
            break;
    }
    out->end(out);
    weft_locks_free(&locks);
    weft_arena_free(&arena);
    weft_arena_free(&row);
    return true;
}

/* Returns as many of the numbers as fit, the most important first. */
static const char *numbers_of(struct weft_arena *arena, const struct weft_schema *schema,
                              const char **labels, const struct weft_lock *lock,
                              bool waits_known, double width)
{
    char waited[WEFT_TIME_TEXT], held[WEFT_TIME_TEXT], blocked[WEFT_TIME_TEXT];
    const char *sites = sites_text(arena, schema, lock->sites, lock->n_sites),
               *holder = worst_holder(labels, lock),
               *held_at = worst_hold_site(arena, schema, lock);
    const char *taken = weft_number_text(arena, (double)lock->acquisitions, 0);
    const char *times = weft_arena_printf(arena, "taken %s time%s", taken,
                                          lock->acquisitions == 1 ? "" : "s");
    const char *const parts[] = {
        lock->waits
            ? weft_arena_printf(arena, "waited %s in %s of %s",
                                weft_duration_text(schema, lock->waited_ticks, waited),
                                weft_number_text(arena, (double)lock->waits, 0), taken)
        : waits_known ? "nobody waited"
                      : times,
        lock->waits || !waits_known ? NULL : times,
        holder[0] ? weft_arena_printf(
            arena, "others waited %s while %s held it",
            weft_duration_text(schema, lock->holders[0].ticks, blocked), holder)
                  : NULL,
        held_at[0] ? weft_arena_printf(arena, "taken at %s", held_at) : NULL,
        sites[0] ? weft_arena_printf(arena, "waited for at %s", sites) : NULL,
        weft_arena_printf(arena, "held %s",
                          weft_duration_text(schema, lock->held_ticks, held)),
    };
    return weft_text_parts(arena, WEFT_FONT_SANS, WEFT_SMALL_SIZE, parts,
                           sizeof parts / sizeof *parts, width);
}

enum { ROW = 24, WAIT_HEIGHT = 10, HOLD_HEIGHT = 6 };

/* Draws a bar of LOCK; a click lists what WHERE selects. */
static void draw_bar(struct weft_frame *frame, enum weft_role role, struct weft_rect bar,
                     uint32_t lock, const char *where)
{
    struct weft_swatch swatch = weft_role_swatch(frame->theme, role);
    if (bar.width <= 0) /* 0 draws no bar; any more at least a pixel */
        return;
    struct weft_mark *mark = weft_scene_rect(
        frame->scene, (struct weft_rect){ bar.x, bar.y, fmax(1, bar.width), bar.height },
        (struct weft_paint){ .fill = swatch.fill,
                             .stroke = frame->theme->quiet,
                             .stroke_width = 0.5f,
                             .hatch = swatch.hatch });
    if (!mark)
        return;
    mark->id = weft_container_id(lock, false);
    mark->action = weft_list_action(where);
}

/* Draw a lock's line.  SCALE: pixels per tick. */
static void draw_lock(struct weft_frame *frame, struct weft_arena *arena,
                      const struct weft_schema *schema, const char **labels,
                      const struct weft_lock *lock, bool waits_known, double y,
                      double scale)
{
    const struct weft_theme *theme = frame->theme;
    struct weft_rect plot = frame->plot;
    double waited = (double)lock->waited_ticks * scale,
           held = (double)lock->held_ticks * scale;
    double end = plot.x + fmax(waited, held) + 8;
    /* The whole line links to the lock. */
    struct weft_mark *line = weft_scene_rect(
        frame->scene, (struct weft_rect){ 0, y, plot.x + plot.width, ROW - 1 },
        (struct weft_paint){ 0 });
    if (line)
        line->id = weft_container_id(lock->container, false);
    const char *name = weft_text_fit(arena, WEFT_FONT_SANS, WEFT_FONT_SIZE,
                                     labels[lock->container], plot.x - 16);
    if (name)
        weft_scene_text(frame->scene, (struct weft_point){ plot.x - 8, y + 14 },
                        WEFT_ANCHOR_END, WEFT_FONT_SANS, WEFT_FONT_SIZE, theme->text, name);
    const char *label = labels[lock->container];
    draw_bar(frame, WEFT_ROLE_BLOCKED_ON_LOCK,
             (struct weft_rect){ plot.x, y + 2, waited, WAIT_HEIGHT }, lock->container,
             weft_where_and(arena, "blocked", "object =", label));
    draw_bar(frame, WEFT_ROLE_HELD,
             (struct weft_rect){ plot.x, y + 3 + WAIT_HEIGHT, held, HOLD_HEIGHT },
             lock->container, weft_where_and(arena, "(held or contended)", "row =", label));
    const char *text =
        numbers_of(arena, schema, labels, lock, waits_known, plot.x + plot.width - end);
    if (text)
        weft_scene_text(frame->scene, (struct weft_point){ end, y + 14 }, WEFT_ANCHOR_START,
                        WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->quiet, text);
}

/* In the order of the bars: by ticks waited for, then by ticks held. */
static int by_bars(const void *a, const void *b)
{
    const struct weft_lock *x = *(const struct weft_lock *const *)a;
    const struct weft_lock *y = *(const struct weft_lock *const *)b;
    return WEFT_COMPARE(y->waited_ticks, x->waited_ticks)
           ?: WEFT_COMPARE(y->held_ticks, x->held_ticks)
           ?: WEFT_COMPARE(x->container, y->container);
}

static void draw_locks(struct weft_frame *frame, struct weft_arena *arena,
                       const struct weft_schema *schema, const char **labels,
                       const struct weft_locks *locks)
{
    struct weft_rect plot = frame->plot;
    const struct weft_lock **order =
        weft_arena_alloc(arena, (locks->n + 1) * sizeof *order);
    double most = 1, room = fmin(700, plot.width * 0.6);
    for (size_t i = 0; i < locks->n; i++) {
        order[i] = &locks->list[i];
        most =
            fmax(most, fmax((double)order[i]->waited_ticks, (double)order[i]->held_ticks));
    }
    qsort(order, locks->n, sizeof *order, by_bars);
    size_t fit = (size_t)fmax(1, plot.height / ROW);
    size_t shown = locks->n <= fit ? locks->n : fit > 1 ? fit - 1 : fit;
    weft_scene_layer(frame->scene, "locks",
                     (struct weft_rect){ 0, plot.y, frame->scene->width, plot.height },
                     WEFT_LAYER_FIXED);
    for (size_t i = 0; i < shown; i++)
        draw_lock(frame, arena, schema, labels, order[i], locks->waits_known,
                  plot.y + (double)(i * ROW), (plot.width - room) / most);
    if (shown < locks->n && fit > 1)
        weft_scene_text(
            frame->scene,
            (struct weft_point){ plot.x, plot.y + (double)(shown * ROW) + 14 },
            WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE, frame->theme->quiet,
            weft_arena_printf(arena, "and %zu more, in the table", locks->n - shown));
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    struct weft_locks locks;
    if (!read_locks(request, &locks, err))
        return false;
    const char **labels = weft_container_labels(schema, request->arena);
    double gutter = 60;
    for (size_t i = 0; i < locks.n; i++) {
        const char *name = labels[locks.list[i].container];
        gutter = fmax(gutter, weft_text_width(WEFT_FONT_SANS, WEFT_FONT_SIZE, name) + 10);
    }
    gutter = fmin(gutter, request->width * 0.3);
    bool waited = locks.n && locks.list[0].waited_ticks > 0, held = false;
    for (size_t i = 0; i < locks.n; i++)
        held |= locks.list[i].held_ticks > 0;
    struct weft_legend_entry legend[2];
    size_t n_legend = 0;
    if (waited) /* the worst lock is the first */
        legend[n_legend++] =
            (struct weft_legend_entry){ weft_role_swatch(request->theme,
                                                         WEFT_ROLE_BLOCKED_ON_LOCK),
                                        "waited for, all threads", -1 };
    if (held)
        legend[n_legend++] =
            (struct weft_legend_entry){ weft_role_swatch(request->theme, WEFT_ROLE_HELD),
                                        "held", -1 };
    struct weft_frame frame;
    weft_frame_begin(
        &frame, out, request, gutter, false, legend, n_legend,
        locks.waits_known
            ? weft_range_text(request->arena, schema, request->window)
            : weft_arena_printf(request->arena,
                                "%s · the trace does not say who waited for which lock",
                                weft_range_text(request->arena, schema, request->window)));
    if (locks.n)
        draw_locks(&frame, request->arena, schema, labels, &locks);
    else
        weft_frame_empty(&frame, "No lock was recorded in this range.");
    weft_locks_free(&locks);
    return true;
}

static bool fills(const struct weft_set *set)
{
    const struct weft_schema *schema = set->sources[0]->schema;
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        if (weft_is_lock_track(schema, t))
            return true;
    return false;
}

const struct weft_view weft_view_lock_summary = {
    .name = "lock-summary",
    .title = "Lock summary",
    .group = "Statistics",
    .explanation =
        "Each row is a lock: above, how long threads waited for it, all together; "
        "below, how long it was held.",
    .needs = "a recording of threads that use locks (weft record)",
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .fills = fills,
    .usual_place = WEFT_PLACE_BELOW,
    .scene = scene,
    .table = table,
};
