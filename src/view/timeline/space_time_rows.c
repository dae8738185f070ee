/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows the space-time view has, and where. */
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view/timeline/space_time.h"

enum {
    STATE_HEIGHT = 20,
    CURVE_HEIGHT = 22,
    EVENT_HEIGHT = 16,
    HEADER_HEIGHT = 17,
    TALLEST = 60, /* few rows do not grow beyond this */
    CROWDED = 9,  /* below this on average, curves and events make room for states */
    THINNEST = 3, /* below this only states are shown, and tracks may share a row */
};

static struct st_row *add_row(struct st_rows *rows, struct weft_arena *arena)
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

/* A comma-separated list of patterns; one that any part of the path matches is enough. */
static bool wanted(const struct weft_schema *schema, uint32_t container,
                   const char *patterns)
{
    if (!patterns[0])
        return true;
    char pattern[256];
    for (const char *at = patterns; *at;) {
        size_t n = strcspn(at, ",");
        size_t kept = n < sizeof pattern - 3 ? n : sizeof pattern - 3;
        memcpy(pattern, at, kept);
        pattern[kept] = '\0';
        for (uint32_t c = container; c != WEFT_NONE; c = schema->containers[c].parent)
            if (fnmatch(pattern, schema->containers[c].name, 0) == 0)
                return true;
        at += n + (at[n] == ',');
    }
    return false;
}

struct maker {
    struct st_rows *rows;
    const struct weft_schema *schema;
    struct weft_arena *arena;
    const char *patterns;
    uint32_t base_depth, close_depth;
    uint8_t *toggled; /* by container: closed, or open where close_depth closes */
    struct st_move *moves;
    size_t n_moves;
    bool events, variables;
};

static enum st_row_kind kind_of(const struct weft_schema *schema, uint32_t track)
{
    switch (schema->types[schema->tracks[track].type].kind) {
    case WEFT_STATE: return ST_STATES;
    case WEFT_EVENT: return ST_EVENTS;
    case WEFT_VARIABLE: return ST_CURVE;
    case WEFT_CONTAINER:
    case WEFT_LINK: break;
    }
    return ST_HEADER;
}

static void fill_row(struct maker *m, struct st_row *row, enum st_row_kind kind,
                     uint32_t container, uint32_t type, bool first)
{
    row->kind = kind;
    row->container = container;
    row->type = type;
    row->depth = m->schema->containers[container].depth - m->base_depth;
    row->first = first;
    if (first)
        m->rows->row_of[container] = (uint32_t)(m->rows->n - 1);
}

static bool is_wanted(const struct maker *m, uint32_t track, enum st_row_kind kind)
{
    return kind_of(m->schema, track) == kind && m->schema->tracks[track].count
           && (kind != ST_EVENTS || m->events) && (kind != ST_CURVE || m->variables);
}

/* Events go on top of their container's states, as in Paje, and take no row. */
static void put_events_on(struct maker *m, struct st_row *row, uint32_t begin, uint32_t end)
{
    row->events = weft_arena_alloc(m->arena, (end - begin) * sizeof *row->events);
    for (uint32_t t = begin; t < end; t++)
        if (is_wanted(m, t, ST_EVENTS))
            row->events[row->n_events++] = t;
}

/* An open container: a row for each of its tracks, or only its name. */
static void add_container(struct maker *m, uint32_t container)
{
    static const enum st_row_kind order[] = { ST_STATES, ST_EVENTS, ST_CURVE };
    const struct weft_schema *schema = m->schema;
    uint32_t position = schema->containers[container].order;
    uint32_t begin = schema->track_begin[position], end = schema->track_begin[position + 1];
    bool first = true, has_states = false;
    for (int pass = 0; pass < 3; pass++)
        for (uint32_t t = begin; t < end; t++) {
            if (!is_wanted(m, t, order[pass]) || (order[pass] == ST_EVENTS && has_states))
                continue;
            struct st_row *row = add_row(m->rows, m->arena);
            fill_row(m, row, order[pass], container, schema->tracks[t].type, first);
            row->tracks = weft_arena_alloc(m->arena, sizeof *row->tracks);
            row->tracks[0] = t;
            row->n_tracks = 1;
            row->max_depth = schema->tracks[t].max_depth;
            if (order[pass] == ST_STATES && first)
                put_events_on(m, row, begin, end);
            has_states |= order[pass] == ST_STATES;
            first = false;
        }
    if (first && (container != 0 || schema->n_containers == 1))
        fill_row(m, add_row(m->rows, m->arena), ST_HEADER, container, WEFT_NONE, true);
}

/* A closed container: one row per state type, the sum of all tracks below it. */
static void add_closed(struct maker *m, uint32_t container)
{
    const struct weft_schema *schema = m->schema;
    const struct weft_container *c = &schema->containers[container];
    uint32_t begin = schema->track_begin[c->order],
             end = schema->track_begin[c->subtree_end];
    bool first = true;
    size_t rows_before = m->rows->n;
    for (uint32_t type = 0; type < schema->n_types; type++) {
        if (schema->types[type].kind != WEFT_STATE)
            continue;
        uint32_t n = 0;
        for (uint32_t t = begin; t < end; t++)
            n += schema->tracks[t].type == type && schema->tracks[t].count;
        if (!n)
            continue;
        struct st_row *row = add_row(m->rows, m->arena);
        fill_row(m, row, ST_STATES, container, type, first);
        row->tracks = weft_arena_alloc(m->arena, n * sizeof *row->tracks);
        row->max_depth = 1;
        for (uint32_t t = begin; t < end; t++)
            if (schema->tracks[t].type == type && schema->tracks[t].count) {
                row->tracks[row->n_tracks++] = t;
                if (schema->tracks[t].max_depth > row->max_depth)
                    row->max_depth = schema->tracks[t].max_depth;
            }
        first = false;
    }
    if (first)
        fill_row(m, add_row(m->rows, m->arena), ST_HEADER, container, WEFT_NONE, true);
    for (size_t i = rows_before; i < m->rows->n; i++)
        m->rows->list[i].closed = true;
    for (uint32_t p = c->order; p < c->subtree_end; p++)
        m->rows->row_of[schema->preorder[p]] = m->rows->row_of[container];
}

struct child {
    uint32_t container, type;
};

static int by_type(const void *a, const void *b)
{
    const struct child *x = a, *y = b;
    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    return x->container < y->container ? -1 : x->container > y->container;
}

/* A stack of containers to show; the one on top comes next. */
struct todo {
    struct child *list;
    size_t n, capacity;
};

/* Move one child of the N in LIST right before another, by the wishes for their parent. */
static void apply_moves(const struct maker *m, uint32_t parent, struct child *list,
                        size_t n)
{
    for (size_t k = 0; k < m->n_moves; k++) {
        if (m->moves[k].parent != parent)
            continue;
        size_t from = n, to = n;
        for (size_t i = 0; i < n; i++) {
            from = list[i].container == m->moves[k].what ? i : from;
            to = list[i].container == m->moves[k].before ? i : to;
        }
        if (from == n || to == n || from == to)
            continue;
        struct child what = list[from];
        if (from < to) {
            to--;
            memmove(list + from, list + from + 1, (to - from) * sizeof *list);
        } else {
            memmove(list + to + 1, list + to, (from - to) * sizeof *list);
        }
        list[to] = what;
    }
}

/*
 * Put the children of a container on the stack: those of one type together, in the order of
 * their creation, unless the reader wants another.  A lock that was first taken between two
 * threads' starts does not come between their rows.
 */
static void push_children(const struct maker *m, struct todo *todo, uint32_t container)
{
    const struct weft_schema *schema = m->schema;
    size_t begin = todo->n;
    for (uint32_t c = schema->containers[container].first_child; c != WEFT_NONE;
         c = schema->containers[c].next_sibling) {
        todo->list =
            weft_grow(todo->list, &todo->capacity, todo->n + 1, sizeof *todo->list);
        todo->list[todo->n++] = (struct child){ c, schema->containers[c].type };
    }
    if (todo->n == begin)
        return;
    qsort(todo->list + begin, todo->n - begin, sizeof *todo->list, by_type);
    apply_moves(m, container, todo->list + begin, todo->n - begin);
    for (size_t i = begin, j = todo->n - 1; i < j; i++, j--) {
        struct child swap = todo->list[i];
        todo->list[i] = todo->list[j];
        todo->list[j] = swap;
    }
}

static void add_all(struct maker *m, uint32_t under)
{
    const struct weft_schema *schema = m->schema;
    struct todo todo = { 0 };
    todo.list = weft_grow(NULL, &todo.capacity, 1, sizeof *todo.list);
    todo.list[todo.n++] = (struct child){ under, 0 };
    while (todo.n) {
        uint32_t container = todo.list[--todo.n].container;
        const struct weft_container *c = &schema->containers[container];
        bool shown = wanted(schema, container, m->patterns);
        bool below = c->depth - m->base_depth >= m->close_depth;
        bool closed =
            shown && below != (m->toggled[container] > 0) && c->first_child != WEFT_NONE;
        if (closed)
            add_closed(m, container);
        else if (shown)
            add_container(m, container);
        if (!closed)
            push_children(m, &todo, container);
    }
    free(todo.list);
}

static double ideal_height(const struct st_row *row)
{
    switch (row->kind) {
    case ST_HEADER: return HEADER_HEIGHT;
    case ST_STATES:
        return STATE_HEIGHT + (row->max_depth > 2 ? 4 * (row->max_depth - 2) : 0);
    case ST_EVENTS: return EVENT_HEIGHT;
    case ST_CURVE: return CURVE_HEIGHT;
    }
    return STATE_HEIGHT;
}

/* Leave only rows of states, unless there are none. */
static void keep_states(struct st_rows *rows)
{
    size_t out = 0;
    for (size_t i = 0; i < rows->n; i++)
        out += rows->list[i].kind == ST_STATES;
    if (!out)
        return;
    out = 0;
    for (size_t i = 0; i < rows->n; i++) {
        if (rows->list[i].kind != ST_STATES)
            continue;
        rows->list[out] = rows->list[i];
        rows->row_of[rows->list[out].container] = (uint32_t)out;
        out++;
    }
    rows->n = out;
}

/* Rows thinner than three pixels: states only, and where they must, 4, 16 ... to a row. */
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
    size_t out = 0, in_group = 0;
    for (size_t i = 0; i < rows->n; i++) {
        struct st_row row = rows->list[i];
        if (row.kind != ST_STATES)
            continue;
        struct st_row *last = out ? &rows->list[out - 1] : NULL;
        if (last && in_group < rows->group && last->type == row.type) {
            uint32_t *tracks =
                weft_arena_alloc(arena, (last->n_tracks + row.n_tracks) * sizeof *tracks);
            memcpy(tracks, last->tracks, last->n_tracks * sizeof *tracks);
            memcpy(tracks + last->n_tracks, row.tracks, row.n_tracks * sizeof *tracks);
            last->tracks = tracks;
            last->n_tracks += row.n_tracks;
            in_group++;
        } else {
            rows->list[out++] = row;
            in_group = 1;
        }
        rows->row_of[row.container] = (uint32_t)(out - 1);
    }
    rows->n = out;
}

/* Containers without a row of their own point at the row of the nearest one above. */
static void inherit_rows(struct st_rows *rows, const struct weft_schema *schema)
{
    for (uint32_t p = 0; p < schema->n_containers; p++) {
        uint32_t c = schema->preorder[p];
        if (rows->row_of[c] == WEFT_NONE && schema->containers[c].parent != WEFT_NONE)
            rows->row_of[c] = rows->row_of[schema->containers[c].parent];
    }
}

/* How high each row is, before any is left out by scrolling. */
static void size_rows(struct st_rows *rows, double height, double fixed_height)
{
    double ideal = 0;
    for (size_t i = 0; i < rows->n; i++)
        ideal += ideal_height(&rows->list[i]);
    double stretch = ideal > 0 ? height / ideal : 1;
    for (size_t i = 0; i < rows->n; i++) {
        struct st_row *row = &rows->list[i];
        double size = fixed_height > 0 ? fixed_height : ideal_height(row) * stretch;
        if (row->kind == ST_HEADER)
            size = fmin(size, HEADER_HEIGHT);
        row->height = fixed_height > 0 ? size : fmin(size, TALLEST + 6.0 * row->max_depth);
        if (rows->group > 1 || size < THINNEST)
            row->height = size;
    }
}

/*
 * Where each row is.  The first that is shown is shown whole, so what scrolls is a number of
 * rows; of those that scroll, none is shown in part at the bottom.
 */
static void place(struct st_rows *rows, double height, double scroll, bool scrolls)
{
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

/* The rows of pinned containers once more, from the top; at most 0.4 of HEIGHT. */
static void pin(struct st_rows *pinned, const struct st_rows *rows, const uint8_t *member,
                struct weft_arena *arena, size_t n_containers, double height)
{
    double y = 0;
    *pinned = (struct st_rows){ .group = 1 };
    for (size_t i = 0; i < rows->n; i++) {
        const struct st_row *row = &rows->list[i];
        if (!member[row->container] || y + row->height > 0.4 * height)
            continue;
        struct st_row *copy = add_row(pinned, arena);
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

double st_pinned_height(const struct st_rows *pinned)
{
    return pinned->n ? pinned->height + 3 : 0;
}

static bool start(struct maker *maker, const struct weft_view *view,
                  const struct weft_request *request, struct weft_err *err)
{
    const struct weft_schema *schema = maker->schema;
    maker->patterns = weft_setting(view, request, "rows");
    maker->base_depth = schema->containers[request->under].depth;
    maker->close_depth = (uint32_t)weft_setting_number(view, request, "close");
    maker->events = strcmp(weft_setting(view, request, "events"), "on") == 0;
    maker->variables = strcmp(weft_setting(view, request, "variables"), "on") == 0;
    maker->toggled = weft_arena_alloc(maker->arena, schema->n_containers);
    if (!maker->close_depth)
        maker->close_depth = UINT32_MAX;
    return weft_setting_containers(schema, weft_setting(view, request, "closed"),
                                   maker->toggled, err)
           && st_moves_parse(schema, weft_setting(view, request, "order"), maker->arena,
                             &maker->moves, &maker->n_moves, err);
}

bool st_rows_make(struct st_rows *rows, struct st_rows *pinned,
                  const struct weft_view *view, const struct weft_request *request,
                  struct weft_arena *arena, double height, struct weft_err *err)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    *rows = (struct st_rows){ .group = 1 };
    rows->row_of = weft_arena_alloc(arena, schema->n_containers * sizeof *rows->row_of);
    for (uint32_t c = 0; c < schema->n_containers; c++)
        rows->row_of[c] = WEFT_NONE;
    struct maker maker = { .rows = rows, .schema = schema, .arena = arena };
    uint8_t *member = weft_arena_alloc(arena, schema->n_containers);
    if (!start(&maker, view, request, err)
        || !weft_setting_containers(schema, weft_setting(view, request, "pinned"), member,
                                    err))
        return false;
    add_all(&maker, request->under);
    if (!rows->n)
        return weft_fail(err, WEFT_ERR_USAGE, "no container matches rows=%s",
                         maker.patterns);
    rows->total = rows->n;
    double fixed = weft_setting_number(view, request, "row_height");
    double scroll = weft_setting_number(view, request, "scroll");
    if (fixed <= 0 && height / (double)rows->n < CROWDED)
        keep_states(rows); /* what is left has room to be read */
    if (fixed <= 0 && height / (double)rows->n < THINNEST + 1)
        condense(rows, arena, height < 1 ? 1 : (size_t)height);
    size_rows(rows, height, fixed);
    pin(pinned, rows, member, arena, schema->n_containers, height);
    height = fmax(1, height - st_pinned_height(pinned));
    if (pinned->n)
        size_rows(rows, height, fixed);
    place(rows, height, scroll, fixed > 0);
    inherit_rows(rows, schema);
    return weft_job_step(request->job, 0, 0, err);
}
