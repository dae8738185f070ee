/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lock summary: for each lock how often it was taken, how long threads waited for it, how long
 * it was held, who made others wait, and where it is waited for.
 *
 * It reads tracks of lock states (held, contended; with their holder, and where a hold
 * begins), and blocked states of threads that name the lock as their object, and their site.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/time.h"
#include "view/frame.h"
#include "view/views.h"

enum { MOST_FIELDS = 16 };

struct holder {
    const char *name;
    int64_t blocking; /* ticks that it held the lock while others waited */
};

struct place {
    uint32_t site;
    int64_t waited;
};

struct lock {
    uint32_t container;
    uint64_t acquisitions;
    int64_t held;
    int64_t *waits;
    size_t n_waits, wait_capacity;
    int64_t waited;
    struct holder *holders;
    size_t n_holders, holder_capacity;
    struct place *places;
    size_t n_places, place_capacity;
};

struct locks {
    const struct weft_source *source;
    const struct weft_schema *schema;
    struct weft_span window;
    struct lock *list;
    size_t n, capacity;
    uint32_t *of_container; /* the lock that a container is, or WEFT_NONE */
};

struct walk {
    struct locks *locks;
    uint32_t container;
    struct lock *lock; /* of a lock's own track */
};

static const struct weft_field_value *field_of(const struct locks *locks,
                                               const struct weft_field_value *fields,
                                               size_t n, enum weft_role role,
                                               enum weft_field_kind kind)
{
    return weft_field_with_role(locks->schema, fields, n, role, kind);
}

static void add_holder(struct lock *lock, const char *name, int64_t ticks)
{
    for (size_t i = 0; i < lock->n_holders; i++)
        if (strcmp(lock->holders[i].name, name) == 0) {
            lock->holders[i].blocking += ticks;
            return;
        }
    lock->holders = weft_grow(lock->holders, &lock->holder_capacity, lock->n_holders + 1,
                              sizeof *lock->holders);
    lock->holders[lock->n_holders++] = (struct holder){ name, ticks };
}

static void add_place(struct lock *lock, uint32_t site, int64_t ticks)
{
    for (size_t i = 0; i < lock->n_places; i++)
        if (lock->places[i].site == site) {
            lock->places[i].waited += ticks;
            return;
        }
    lock->places = weft_grow(lock->places, &lock->place_capacity, lock->n_places + 1,
                             sizeof *lock->places);
    lock->places[lock->n_places++] = (struct place){ site, ticks };
}

static int64_t clipped(const struct locks *locks, const struct weft_state *state)
{
    int64_t from = state->begin > locks->window.begin ? state->begin : locks->window.begin;
    int64_t to = state->end < locks->window.end ? state->end : locks->window.end;
    return to > from ? to - from : 0;
}

static bool lock_state(void *user, const struct weft_state *state)
{
    struct walk *walk = user;
    struct locks *locks = walk->locks;
    enum weft_role role = locks->schema->values[state->value].role;
    struct weft_field_value fields[MOST_FIELDS];
    if (!weft_role_is(role, WEFT_ROLE_HELD))
        return true;
    size_t n = locks->source->ops->fields(locks->source, state->id, fields, MOST_FIELDS);
    const struct weft_field_value *holder =
        field_of(locks, fields, n, WEFT_ROLE_HOLDER, WEFT_FIELD_CONTAINER);
    const struct weft_field_value *acquisition =
        field_of(locks, fields, n, WEFT_ROLE_ACQUISITION, WEFT_FIELD_INTEGER);
    bool begins = acquisition && acquisition->integer != 0;
    walk->lock->acquisitions += begins && state->begin >= locks->window.begin;
    walk->lock->held += clipped(locks, state);
    if (role == WEFT_ROLE_CONTENDED)
        add_holder(walk->lock, holder ? locks->schema->containers[holder->index].name : "",
                   clipped(locks, state));
    return true;
}

static bool thread_state(void *user, const struct weft_state *state)
{
    struct walk *walk = user;
    struct locks *locks = walk->locks;
    if (!weft_role_is(locks->schema->values[state->value].role, WEFT_ROLE_BLOCKED))
        return true;
    struct weft_field_value fields[MOST_FIELDS];
    size_t n = locks->source->ops->fields(locks->source, state->id, fields, MOST_FIELDS);
    const struct weft_field_value *object =
        field_of(locks, fields, n, WEFT_ROLE_OBJECT, WEFT_FIELD_CONTAINER);
    const struct weft_field_value *at =
        field_of(locks, fields, n, WEFT_ROLE_SITE, WEFT_FIELD_SITE);
    uint32_t index = object ? locks->of_container[object->index] : WEFT_NONE;
    struct lock *lock = index == WEFT_NONE ? NULL : &locks->list[index];
    uint32_t site = at ? at->index : WEFT_NONE;
    if (!lock)
        return true;
    int64_t waited = clipped(locks, state);
    lock->waits = weft_grow(lock->waits, &lock->wait_capacity, lock->n_waits + 1,
                            sizeof *lock->waits);
    lock->waits[lock->n_waits++] = state->end - state->begin;
    lock->waited += waited;
    if (site != WEFT_NONE)
        add_place(lock, site, waited);
    return true;
}

static bool is_lock_track(const struct weft_schema *schema, uint32_t track)
{
    const struct weft_type *type = &schema->types[schema->tracks[track].type];
    return type->kind == WEFT_STATE && weft_role_is(type->role, WEFT_ROLE_LOCK_STATE);
}

static int by_ticks(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static int by_waited(const void *a, const void *b)
{
    const struct lock *x = a, *y = b;
    if (x->waited != y->waited)
        return x->waited > y->waited ? -1 : 1;
    if (x->acquisitions != y->acquisitions)
        return x->acquisitions > y->acquisitions ? -1 : 1;
    return x->container < y->container ? -1 : 1;
}

static int by_blocking(const void *a, const void *b)
{
    const struct holder *x = a, *y = b;
    return x->blocking > y->blocking ? -1 : x->blocking < y->blocking;
}

static int by_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->waited > y->waited ? -1 : x->waited < y->waited;
}

static void add_lock(struct locks *locks, uint32_t track)
{
    const struct weft_schema *schema = locks->schema;
    uint32_t container = schema->tracks[track].container;
    locks->list =
        weft_grow(locks->list, &locks->capacity, locks->n + 1, sizeof *locks->list);
    locks->list[locks->n] = (struct lock){ .container = container };
    locks->of_container[container] = (uint32_t)locks->n;
    struct walk walk = { locks, container, &locks->list[locks->n++] };
    locks->source->ops->states(locks->source, track, locks->window, lock_state, &walk);
}

static bool gather(const struct weft_request *request, struct locks *locks,
                   struct weft_err *err)
{
    const struct weft_source *source = request->set->sources[0];
    const struct weft_schema *schema = source->schema;
    const struct weft_container *root = &schema->containers[request->under];
    *locks =
        (struct locks){ .source = source, .schema = schema, .window = request->window };
    locks->of_container = weft_alloc(schema->n_containers * sizeof *locks->of_container);
    memset(locks->of_container, 0xff, schema->n_containers * sizeof *locks->of_container);
    uint32_t begin = schema->track_begin[root->order];
    uint32_t end = schema->track_begin[root->subtree_end];
    for (uint32_t t = begin; t < end; t++)
        if (is_lock_track(schema, t))
            add_lock(locks, t);
    for (uint32_t t = begin; t < end; t++) {
        if (schema->types[schema->tracks[t].type].kind != WEFT_STATE
            || is_lock_track(schema, t))
            continue;
        struct walk walk = { locks, schema->tracks[t].container, NULL };
        source->ops->states(source, t, locks->window, thread_state, &walk);
        if (!weft_job_step(request->job, t, end, err))
            return false;
    }
    for (size_t i = 0; i < locks->n; i++) {
        struct lock *lock = &locks->list[i];
        if (lock->n_waits)
            qsort(lock->waits, lock->n_waits, sizeof *lock->waits, by_ticks);
        if (lock->n_holders)
            qsort(lock->holders, lock->n_holders, sizeof *lock->holders, by_blocking);
        if (lock->n_places)
            qsort(lock->places, lock->n_places, sizeof *lock->places, by_place);
    }
    if (locks->n)
        qsort(locks->list, locks->n, sizeof *locks->list, by_waited);
    return true;
}

static void locks_free(struct locks *locks)
{
    for (size_t i = 0; i < locks->n; i++) {
        free(locks->list[i].waits);
        free(locks->list[i].holders);
        free(locks->list[i].places);
    }
    free(locks->list);
    free(locks->of_container);
}

static int64_t wait_quantile(const struct lock *lock, double q)
{
    if (!lock->n_waits)
        return 0;
    size_t rank = (size_t)ceil(q * (double)lock->n_waits);
    return lock->waits[rank ? rank - 1 : 0];
}

static const char *site_text(struct weft_arena *arena, const struct weft_schema *schema,
                             uint32_t index)
{
    const struct weft_site *site = &schema->sites[index];
    const char *slash = strrchr(site->file, '/');
    const char *file = slash ? slash + 1 : site->file;
    if (file[0] && site->function[0])
        return weft_arena_printf(arena, "%s (%s:%u)", site->function, file, site->line);
    if (file[0])
        return weft_arena_printf(arena, "%s:%u", file, site->line);
    slash = strrchr(site->object, '/');
    const char *object = slash ? slash + 1 : site->object;
    if (site->function[0])
        return weft_arena_printf(arena, "%s (%s)", site->function, object);
    return weft_arena_printf(arena, "%s+0x%llx", object, (unsigned long long)site->address);
}

/* Where the lock is waited for, worst first: at most three places. */
static const char *sites_text(struct weft_arena *arena, const struct locks *locks,
                              const struct lock *lock)
{
    const char *text = "";
    for (size_t i = 0; i < lock->n_places && i < 3; i++)
        text = weft_arena_printf(arena, "%s%s%s", text, i ? "; " : "",
                                 site_text(arena, locks->schema, lock->places[i].site));
    return text;
}

static const char *worst_holder(const struct lock *lock)
{
    return lock->n_holders && lock->holders[0].blocking ? lock->holders[0].name : "";
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    static const char *const names[] = {
        "lock",        "kind",        "acquisitions", "contended",    "wait_total_ns",
        "wait_p99_ns", "wait_max_ns", "hold_mean_ns", "worst_holder", "wait_sites",
    };
    struct weft_arena arena = { 0 };
    struct locks locks;
    bool ok = gather(request, &locks, err);
    const struct weft_schema *schema = locks.schema;
    if (ok)
        out->begin(out, names, sizeof names / sizeof *names);
    for (size_t i = 0; ok && i < locks.n; i++) {
        const struct lock *lock = &locks.list[i];
        const struct weft_container *container = &schema->containers[lock->container];
        int64_t mean = lock->acquisitions ? lock->held / (int64_t)lock->acquisitions : 0;
        int64_t longest = lock->n_waits ? lock->waits[lock->n_waits - 1] : 0;
        const struct weft_cell cells[] = {
            weft_text_cell(container->name),
            weft_text_cell(schema->types[container->type].name),
            weft_integer_cell((int64_t)lock->acquisitions),
            weft_integer_cell((int64_t)lock->n_waits),
            weft_integer_cell(weft_ticks_to_ns(schema, lock->waited)),
            weft_integer_cell(weft_ticks_to_ns(schema, wait_quantile(lock, 0.99))),
            weft_integer_cell(weft_ticks_to_ns(schema, longest)),
            weft_integer_cell(weft_ticks_to_ns(schema, mean)),
            weft_text_cell(worst_holder(lock)),
            weft_text_cell(sites_text(&arena, &locks, lock)),
        };
        if (!out->row(out, cells))
            break;
    }
    if (ok)
        out->end(out);
    locks_free(&locks);
    weft_arena_free(&arena);
    return ok;
}

/* As much of the numbers as fits, the most telling first. */
static const char *numbers_of(struct weft_arena *arena, const struct locks *locks,
                              const struct lock *lock, double width)
{
    char waited[WEFT_TIME_TEXT], held[WEFT_TIME_TEXT];
    const char *sites = sites_text(arena, locks, lock), *worst = worst_holder(lock);
    const char *taken = weft_number_text(arena, (double)lock->acquisitions, 0);
    const char *const parts[] = {
        lock->n_waits
            ? weft_arena_printf(arena, "waited %s in %s of %s",
                                weft_duration_text(locks->schema, lock->waited, waited),
                                weft_number_text(arena, (double)lock->n_waits, 0), taken)
            : "nobody waited",
        lock->n_waits ? NULL
                      : weft_arena_printf(arena, "taken %s time%s", taken,
                                          lock->acquisitions == 1 ? "" : "s"),
        sites[0] ? weft_arena_printf(arena, "at %s", sites) : NULL,
        weft_arena_printf(arena, "held %s",
                          weft_duration_text(locks->schema, lock->held, held)),
        worst[0] ? weft_arena_printf(arena, "mostly by %s", worst) : NULL,
    };
    return weft_text_parts(arena, WEFT_FONT_SANS, WEFT_SMALL_SIZE, parts,
                           sizeof parts / sizeof *parts, width);
}

enum { ROW = 24, WAIT_HEIGHT = 10, HOLD_HEIGHT = 6 };

static void draw_bar(struct weft_frame *frame, enum weft_role role, struct weft_rect bar)
{
    struct weft_swatch swatch = weft_role_swatch(frame->theme, role);
    if (bar.width > 0) /* nothing is no bar; a little is one that is seen */
        weft_scene_rect(frame->scene,
                        (struct weft_rect){ bar.x, bar.y, fmax(1, bar.width), bar.height },
                        (struct weft_paint){ .fill = swatch.fill,
                                             .stroke = frame->theme->quiet,
                                             .stroke_width = 0.5f,
                                             .hatch = swatch.hatch });
}

/* SCALE: pixels a tick. */
static void draw_lock(struct weft_frame *frame, struct weft_arena *arena,
                      const struct locks *locks, const struct lock *lock, double y,
                      double scale)
{
    const struct weft_theme *theme = frame->theme;
    struct weft_rect plot = frame->plot;
    double waited = (double)lock->waited * scale, held = (double)lock->held * scale;
    double end = plot.x + fmax(waited, held) + 8;
    const char *name =
        weft_text_fit(arena, WEFT_FONT_SANS, WEFT_FONT_SIZE,
                      locks->schema->containers[lock->container].name, plot.x - 16);
    if (name)
        weft_scene_text(frame->scene, (struct weft_point){ plot.x - 8, y + 14 },
                        WEFT_ANCHOR_END, WEFT_FONT_SANS, WEFT_FONT_SIZE, theme->text, name);
    draw_bar(frame, WEFT_ROLE_BLOCKED_ON_LOCK,
             (struct weft_rect){ plot.x, y + 2, waited, WAIT_HEIGHT });
    draw_bar(frame, WEFT_ROLE_HELD,
             (struct weft_rect){ plot.x, y + 3 + WAIT_HEIGHT, held, HOLD_HEIGHT });
    const char *text = numbers_of(arena, locks, lock, plot.x + plot.width - end);
    if (text)
        weft_scene_text(frame->scene, (struct weft_point){ end, y + 14 }, WEFT_ANCHOR_START,
                        WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->quiet, text);
}

/* As their bars are: by how long they were waited for, then by how long they were held. */
static int by_bars(const void *a, const void *b)
{
    const struct lock *x = *(struct lock *const *)a, *y = *(struct lock *const *)b;
    if (x->waited != y->waited)
        return x->waited > y->waited ? -1 : 1;
    if (x->held != y->held)
        return x->held > y->held ? -1 : 1;
    return x->container < y->container ? -1 : x->container > y->container;
}

static void draw_locks(struct weft_frame *frame, struct weft_arena *arena,
                       struct locks *locks)
{
    struct weft_rect plot = frame->plot;
    struct lock **order = weft_arena_alloc(arena, (locks->n + 1) * sizeof(struct lock *));
    double most = 1, room = fmin(520, plot.width * 0.6);
    for (size_t i = 0; i < locks->n; i++) {
        order[i] = &locks->list[i];
        most = fmax(most, fmax((double)order[i]->waited, (double)order[i]->held));
    }
    qsort(order, locks->n, sizeof *order, by_bars);
    size_t fit = (size_t)fmax(1, plot.height / ROW);
    size_t shown = locks->n <= fit ? locks->n : fit > 1 ? fit - 1 : fit;
    weft_scene_layer(frame->scene, "locks",
                     (struct weft_rect){ 0, plot.y, frame->scene->width, plot.height },
                     WEFT_LAYER_FIXED);
    for (size_t i = 0; i < shown; i++)
        draw_lock(frame, arena, locks, order[i], plot.y + (double)(i * ROW),
                  (plot.width - room) / most);
    if (shown < locks->n && fit > 1)
        weft_scene_text(
            frame->scene,
            (struct weft_point){ plot.x, plot.y + (double)(shown * ROW) + 14 },
            WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE, frame->theme->quiet,
            weft_arena_printf(arena, "and %zu more, in the table", locks->n - shown));
}

static bool scene(const struct weft_request *request, struct weft_arena *arena,
                  struct weft_scene *out, struct weft_err *err)
{
    struct locks locks;
    if (!gather(request, &locks, err)) {
        locks_free(&locks);
        return false;
    }
    double gutter = 60;
    for (size_t i = 0; i < locks.n; i++) {
        const char *name = locks.schema->containers[locks.list[i].container].name;
        gutter = fmax(gutter, weft_text_width(WEFT_FONT_SANS, WEFT_FONT_SIZE, name) + 10);
    }
    gutter = fmin(gutter, request->width * 0.3);
    struct weft_legend_entry legend[] = {
        { weft_role_swatch(request->theme, WEFT_ROLE_BLOCKED_ON_LOCK),
          "waited for, all threads", -1 },
        { weft_role_swatch(request->theme, WEFT_ROLE_HELD), "held", -1 },
    };
    struct weft_frame frame;
    weft_frame_begin(&frame, out, arena, &weft_view_lock_summary, request, gutter, false,
                     legend, 2, weft_range_text(arena, locks.schema, request->window));
    if (locks.n)
        draw_locks(&frame, arena, &locks);
    else
        weft_frame_empty(&frame, "No lock was recorded in this range.");
    locks_free(&locks);
    return true;
}

static bool fills(const struct weft_set *set)
{
    const struct weft_schema *schema = set->sources[0]->schema;
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        if (is_lock_track(schema, t))
            return true;
    return false;
}

static enum weft_place place(const struct weft_set *set)
{
    (void)set;
    return WEFT_PLACE_BELOW;
}

const struct weft_view weft_view_lock_summary = {
    .name = "lock-summary",
    .title = "Lock summary",
    .group = "Statistics",
    .explanation =
        "Each row is a lock: above, how long threads waited for it, all together; "
        "below, how long it was held.",
    .needs = "a recording of threads that use locks (weft record)",
    .fills = fills,
    .place = place,
    .scene = scene,
    .table = table,
};
