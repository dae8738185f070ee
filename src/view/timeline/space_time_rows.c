/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses and places the rows of the space-time view. */
#define _GNU_SOURCE /* FNM_CASEFOLD */
#include <fnmatch.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "view/domain_answers.h"
#include "view/timeline/space_time_folds.h"
#include "view/timeline/space_time_row_maker.h"

/* Returns true if the pattern matches the name; without a wildcard, anywhere in it. */
static bool matches(const char *pattern, size_t length, const char *name)
{
    char text[256];
    bool wild = memchr(pattern, '*', length) || memchr(pattern, '?', length)
                || memchr(pattern, '[', length);
    length = length < sizeof text - 3 ? length : sizeof text - 3;
    snprintf(text, sizeof text, "%s%.*s%s", wild ? "" : "*", (int)length, pattern,
             wild ? "" : "*");
    return fnmatch(text, name, FNM_CASEFOLD) == 0;
}

/* Returns true if a pattern of the comma-separated list matches the container. */
static bool is_named(const struct weft_schema *schema, uint32_t container,
                     const char *patterns)
{
    if (!patterns[0])
        return true;
    for (const char *at = patterns; *at;) {
        size_t n = strcspn(at, ",");
        if (n && matches(at, n, schema->containers[container].name))
            return true;
        at += n + (at[n] == ',');
    }
    return false;
}

/* Returns true if the patterns match the container or one around it. */
static bool wanted(const struct weft_schema *schema, uint32_t container,
                   const char *patterns)
{
    for (uint32_t c = container; c != WEFT_NONE; c = schema->containers[c].parent)
        if (is_named(schema, c, patterns))
            return true;
    return false;
}

/* Returns the patterns of the setting rows; "" if it is "all" or empty. */
static const char *patterns_of(const struct weft_request *request)
{
    const char *rows = weft_setting(request, "rows");
    return strcmp(rows, "all") == 0 ? "" : rows;
}

bool *st_rows_named(const struct weft_request *request, struct weft_err *err)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    const char *patterns = patterns_of(request);
    bool *named = weft_zalloc(schema->n_containers, sizeof *named), any = false;
    for (uint32_t c = 0; c < schema->n_containers; c++) {
        named[c] = wanted(schema, c, patterns);
        any |= named[c];
    }
    if (any)
        return named;
    free(named);
    weft_fail(err, WEFT_ERR_USAGE, "no container matches rows=%s", patterns);
    return NULL;
}

/*
 * So many screens of rows may be scrolled through.  More are squeezed into one screen,
 * unless the reader unfolded containers to look at their rows.
 */
enum { MAX_SCREENS = 4 };

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

void st_fill_row(struct row_maker *m, struct st_row *row, enum st_row_kind kind,
                 uint32_t container, uint32_t type, bool first)
{
    row->kind = kind;
    row->container = container;
    row->type = type;
    row->depth = m->schema->containers[container].depth - m->base_depth;
    row->set_height = m->schema->heights ? m->schema->heights[container] : 0;
    row->first = first;
    /* If rows were chosen by name, or all, none is secondary. */
    row->secondary = m->folded && m->relevance->secondary[container];
    if (first)
        m->rows->row_of[container] = (uint32_t)(m->rows->n - 1);
}

bool st_is_wanted(const struct row_maker *m, uint32_t track, enum st_row_kind kind)
{
    const struct weft_track *of = &m->schema->tracks[track];
    /* A cumulative variable is drawn as its slope, which needs two samples. */
    enum weft_role role = m->schema->types[of->type].role;
    uint64_t least = weft_role_is(role, WEFT_ROLE_CUMULATIVE) ? 2 : 1;
    /* Samples are taken all the time: nothing happened there. */
    return kind_of(m->schema, track) == kind && of->count >= least
           && !weft_role_is(role, WEFT_ROLE_SAMPLE) && (kind != ST_EVENTS || m->events)
           && (kind != ST_CURVE || m->variables)
           && (m->shares || !weft_role_is(role, WEFT_ROLE_PROCESSOR_TIME));
}

/* Events go on top of their container's states, as in Paje, and take no row. */
static void put_events_on(struct row_maker *m, struct st_row *row, uint32_t begin,
                          uint32_t end)
{
    row->events = weft_arena_alloc(m->arena, (end - begin) * sizeof *row->events);
    for (uint32_t i = begin; i < end; i++)
        if (st_is_wanted(m, m->schema->track_at[i], ST_EVENTS))
            row->events[row->n_events++] = m->schema->track_at[i];
}

/* Adds an open container: a row for each of its tracks, or only its name. */
static void add_container(struct row_maker *m, uint32_t container)
{
    static const enum st_row_kind order[] = { ST_STATES, ST_EVENTS, ST_CURVE };
    const struct weft_schema *schema = m->schema;
    uint32_t position = schema->containers[container].order;
    uint32_t begin = schema->track_begin[position], end = schema->track_begin[position + 1];
    bool first = true, has_states = false, constants = st_has_constants(m, container);
    for (int pass = 0; pass < 3; pass++)
        for (uint32_t i = begin; i < end; i++) {
            uint32_t t = schema->track_at[i];
            if (!st_is_wanted(m, t, order[pass]) || (order[pass] == ST_EVENTS && has_states)
                || (constants && !isnan(m->relevance->constant[t])))
                continue;
            struct st_row *row = st_row_add(m->rows, m->arena);
            st_fill_row(m, row, order[pass], container, schema->tracks[t].type, first);
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
        st_fill_row(m, st_row_add(m->rows, m->arena), ST_HEADER, container, WEFT_NONE,
                    true);
    if (constants)
        st_add_constants(m, container);
}

/* Returns true if a container is drawn in the rows of one that lived before it. */
static bool is_in_lane(const struct row_maker *m, uint32_t container)
{
    return m->lanes && m->schema->lane_of[container] != container;
}

struct child {
    uint32_t container, type;
    uint32_t
        placed_as;  /* the container by which it has its place; its own, or of a group */
    bool fold;      /* a row for the folded children of the container */
    bool secondary; /* after those that work */
    uint32_t place; /* by relevance among secondary ones */
    int64_t number; /* in its program; INT64_MAX: not known */
    bool chosen;    /* the reader chose the order of siblings ... */
    uint32_t order; /* ... and so the place in preorder counts alone */
};

static int by_relevance(const void *a, const void *b)
{
    const struct child *x = a, *y = b;
    if (x->chosen)
        return WEFT_COMPARE(x->order, y->order);
    return WEFT_COMPARE(x->secondary, y->secondary) ?: WEFT_COMPARE(x->place, y->place)
           ?: WEFT_COMPARE(x->type, y->type) ?: WEFT_COMPARE(x->number, y->number)
           ?: WEFT_COMPARE(x->placed_as, y->placed_as);
}

/* A stack of containers that are still to be shown, the next on top. */
struct todo {
    struct child *list;
    size_t n, capacity;
};

/* Applies the reader's moves for PARENT to its N children in LIST. */
static void apply_moves(const struct row_maker *m, uint32_t parent, struct child *list,
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

static void push(struct todo *todo, struct child child)
{
    todo->list = weft_grow(todo->list, &todo->capacity, todo->n + 1, sizeof *todo->list);
    todo->list[todo->n++] = child;
}

/* Returns the place of a secondary container: those with most waiting come first. */
static uint32_t place_of(const struct row_maker *m, uint32_t container)
{
    if (!m->place || !m->relevance->secondary[container])
        return 0;
    return m->place[container] ? m->place[container] : UINT32_MAX;
}

/*
 * Returns a thread's number in order of creation, or a rank; INT64_MAX if the trace has
 * none.
 */
static int64_t number_of(const struct weft_schema *schema, uint32_t container)
{
    const struct weft_field_value *number =
        weft_container_fact(schema, container, WEFT_ROLE_NUMBER, WEFT_FIELD_INTEGER);
    return number ? number->integer : INT64_MAX;
}

/* Returns CONTAINER, or, if it is a group, the first that it holds, whose place it has. */
static uint32_t placed_as(const struct weft_schema *schema, uint32_t container)
{
    const struct weft_container *c = &schema->containers[container];
    for (; c->role == WEFT_ROLE_GROUP && c->first_child != WEFT_NONE;
         c = &schema->containers[container])
        container = c->first_child;
    return container;
}

/*
 * Pushes the children of a container: those that work, then locks and the like; each type
 * together, by their number in the program, else in the order of creation, unless the
 * reader wants another.  Threads are numbered when they are created, but begin to run in
 * any order.  A lock that was first taken between two threads' starts does not come between
 * their rows.
 */
static void push_children(const struct row_maker *m, struct todo *todo, uint32_t container)
{
    const struct weft_schema *schema = m->schema;
    bool folds = m->folded && !m->unfolded[container], any_folded = false;
    size_t begin = todo->n;
    for (uint32_t c = schema->containers[container].first_child; c != WEFT_NONE;
         c = schema->containers[c].next_sibling)
        any_folded |= folds && m->folded[c];
    if (any_folded)
        push(todo, (struct child){ .container = container, .fold = true });
    size_t first = todo->n;
    for (uint32_t c = schema->containers[container].first_child; c != WEFT_NONE;
         c = schema->containers[c].next_sibling)
        if ((!folds || !m->folded[c]) && !is_in_lane(m, c)) {
            uint32_t as = placed_as(schema, c);
            push(todo, (struct child){ .container = c,
                                       .placed_as = as,
                                       .type = schema->containers[as].type,
                                       .secondary = m->relevance->secondary[as],
                                       .place = place_of(m, as),
                                       .number = number_of(schema, as),
                                       .chosen = schema->rows_ordered,
                                       .order = schema->containers[c].order });
        }
    if (todo->n == begin)
        return;
    qsort(todo->list + first, todo->n - first, sizeof *todo->list, by_relevance);
    apply_moves(m, container, todo->list + first, todo->n - first);
    for (size_t i = first, j = todo->n - 1; i < j && todo->n; i++, j--) {
        struct child swap = todo->list[i];
        todo->list[i] = todo->list[j];
        todo->list[j] = swap;
    }
}

/* Returns "148 more: 120 Mutex, 28 Condition", or "8 more: Mutex"; KINDS are in order of
   their types. */
static const char *fold_label(const struct row_maker *m, size_t n_kinds, uint32_t n)
{
    enum { MAX_NAMED = 8 };
    const struct weft_type *types = m->schema->types;
    if (n_kinds == 1)
        return weft_arena_printf(m->arena, "%u more: %s", n,
                                 weft_name_cut(types[m->kinds[0]].name, m->arena));
    const char *label = weft_arena_printf(m->arena, "%u more:", n);
    for (size_t k = 0; k < n_kinds && k < MAX_NAMED; k++)
        label = weft_arena_printf(m->arena, "%s%s %u %s", label, k ? "," : "",
                                  m->counts[m->kinds[k]],
                                  weft_name_cut(types[m->kinds[k]].name, m->arena));
    return n_kinds <= MAX_NAMED ? label
                                : weft_arena_printf(m->arena, "%s, and %zu other kinds",
                                                    label, n_kinds - MAX_NAMED);
}

/* Adds the row that stands for the children of a container without rows. */
static void add_fold(struct row_maker *m, uint32_t container)
{
    const struct weft_container *containers = m->schema->containers;
    size_t n_kinds = 0;
    uint32_t n = 0;
    for (uint32_t c = containers[container].first_child; c != WEFT_NONE;
         c = containers[c].next_sibling)
        if (m->folded[c]) {
            st_count_type(m, containers[c].type, &n_kinds);
            n++;
        }
    qsort(m->kinds, n_kinds, sizeof *m->kinds, weft_by_u32);
    struct st_row *row = st_row_add(m->rows, m->arena);
    st_fill_row(m, row, ST_FOLD, container, WEFT_NONE, false);
    row->depth++;
    row->label = fold_label(m, n_kinds, n);
    st_forget_types(m, n_kinds);
}

static void add_all(struct row_maker *m, uint32_t under)
{
    const struct weft_schema *schema = m->schema;
    struct todo todo = { 0 };
    m->wanted = weft_arena_zalloc(m->arena, schema->n_containers, 1);
    push(&todo, (struct child){ .container = under });
    while (todo.n) {
        struct child next = todo.list[--todo.n];
        uint32_t container = next.container;
        if (next.fold) {
            add_fold(m, container);
            continue;
        }
        const struct weft_container *c = &schema->containers[container];
        bool shown = container == under
                         ? wanted(schema, container, m->patterns)
                         : m->wanted[c->parent] || is_named(schema, container, m->patterns);
        m->wanted[container] = shown;
        bool below = c->depth - m->base_depth >= m->close_depth;
        below |= schema->reduced && schema->reduced[container];
        bool closed =
            shown && below != (m->toggled[container] > 0) && c->first_child != WEFT_NONE;
        if (closed)
            st_add_closed(m, container);
        else if (shown && m->lanes && schema->lane_next[container] != WEFT_NONE)
            st_add_lane(m, container);
        else if (shown)
            add_container(m, container);
        if (!closed)
            push_children(m, &todo, container);
    }
    free(todo.list);
}

/*
 * Finds for each row with only a name the first row of states of what its container holds.
 */
static void find_states_below(struct st_rows *rows, const struct weft_schema *schema)
{
    uint32_t next = WEFT_NONE; /* the first row of states behind I */
    for (size_t i = rows->n; i-- > 0;) {
        struct st_row *row = &rows->list[i];
        const struct weft_container *of = &schema->containers[row->container];
        uint32_t order = next == WEFT_NONE
                             ? WEFT_NONE
                             : schema->containers[rows->list[next].container].order;
        row->states_below = order > of->order && order < of->subtree_end ? next : WEFT_NONE;
        if (row->kind == ST_STATES)
            next = (uint32_t)i;
    }
}

/* Containers without a row of their own get the row of the nearest container above. */
static void inherit_rows(struct st_rows *rows, const struct weft_schema *schema)
{
    for (uint32_t p = 0; p < schema->n_containers; p++) {
        uint32_t c = schema->preorder[p];
        if (rows->row_of[c] == WEFT_NONE && schema->containers[c].parent != WEFT_NONE)
            rows->row_of[c] = rows->row_of[schema->containers[c].parent];
    }
}

/* Returns true if rows of processors say when threads had one. */
static bool knows_processors(const struct weft_schema *schema)
{
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        if (schema->tracks[t].count > 0
            && weft_role_is(schema->types[schema->tracks[t].type].role,
                            WEFT_ROLE_OCCUPATION))
            return true;
    return false;
}

static bool start(struct row_maker *maker, const struct weft_request *request,
                  struct weft_err *err)
{
    const struct weft_schema *schema = maker->schema;
    maker->patterns = patterns_of(request);
    maker->base_depth = schema->containers[request->under].depth;
    maker->close_depth = (uint32_t)weft_setting_number(request, "close");
    maker->events = strcmp(weft_setting(request, "events"), "on") == 0;
    maker->shares = !knows_processors(schema);
    maker->variables = strcmp(weft_setting(request, "variables"), "on") == 0;
    maker->toggled = weft_arena_alloc(maker->arena, schema->n_containers);
    maker->unfolded = weft_arena_alloc(maker->arena, schema->n_containers);
    if (!maker->close_depth)
        maker->close_depth = UINT32_MAX;
    /* Rows that were chosen by name are each their own. */
    maker->lanes = schema->lane_of && !weft_setting(request, "rows")[0];
    if (!weft_setting(request, "rows")[0])
        st_folds_make(schema, maker->relevance, request->under, maker->arena,
                      &maker->folded, &maker->place);
    return weft_setting_containers(schema, weft_setting(request, "closed"), maker->toggled,
                                   err)
           && weft_setting_containers(schema, weft_setting(request, "unfolded"),
                                      maker->unfolded, err)
           && st_moves_parse(schema, weft_setting(request, "order"), maker->arena,
                             &maker->moves, &maker->n_moves, err);
}

double st_pinned_height(const struct st_rows *pinned)
{
    return pinned->n ? pinned->height + 3 : 0;
}

bool st_rows_make(struct st_rows *rows, struct st_rows *pinned,
                  const struct weft_request *request,
                  const struct weft_relevance *relevance,
                  const struct st_activity *activity, struct weft_arena *arena,
                  double height, struct weft_err *err)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    *rows = (struct st_rows){ .group = 1 };
    rows->n_containers = schema->n_containers;
    rows->row_of = weft_arena_alloc(arena, schema->n_containers * sizeof *rows->row_of);
    for (uint32_t c = 0; c < schema->n_containers; c++)
        rows->row_of[c] = WEFT_NONE;
    struct row_maker maker = {
        .rows = rows, .schema = schema, .arena = arena, .relevance = relevance
    };
    uint8_t *member = weft_arena_alloc(arena, schema->n_containers);
    if ((!activity && !start(&maker, request, err))
        || !weft_setting_containers(schema, weft_setting(request, "pinned"), member, err))
        return false;
    if (activity)
        weft_answer_space_time()->activity_rows(rows, activity, arena);
    else
        add_all(&maker, request->under);
    if (!rows->n)
        return weft_fail(err, WEFT_ERR_USAGE, "no container matches rows=%s",
                         maker.patterns);
    rows->total = rows->n;
    struct st_room room = { .height = height,
                            .fixed = weft_setting_number(request, "row_height") };
    /*
     * A page that scrolls asks for more height than is visible.  Whether rows scroll
     * depends only on the visible part, so that the answer stays the same.
     */
    if (request->bare)
        room.seen = request->seen_height > 0
                        ? fmax(1, height - (request->height - request->seen_height))
                        : height;
    room.screens = weft_setting(request, "unfolded")[0] ? INFINITY : MAX_SCREENS;
    st_rows_fit(rows, arena, &room);
    st_rows_pin(pinned, rows, member, arena, schema->n_containers, height);
    height = fmax(1, height - st_pinned_height(pinned));
    if (pinned->n)
        st_rows_size(rows, height, room.fixed);
    st_rows_place(rows, height, weft_setting_number(request, "scroll"));
    find_states_below(rows, schema);
    find_states_below(pinned, schema);
    inherit_rows(rows, schema);
    return weft_job_step(request->job, 0, 0, err);
}
