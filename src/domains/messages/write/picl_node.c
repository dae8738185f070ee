/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merges the records of one processor in order of time: those of its calls, tasks and
 * events.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "domains/messages/write/picl_priv.h"
#include "write/dump_and_paje.h"

/* ---- Tracks ---- */

/*
 * Returns how many entities of a track, from *NEXT on, are decoded in w->block from index
 * *AT, at most w->window; 0 at the end. *NEXT skips damaged blocks.
 */
static size_t decode_entities(const struct picl_write *w, uint32_t track, uint64_t *next,
                              size_t *at)
{
    struct weft_run *run = &w->block->run;
    uint64_t count = w->schema->tracks[track].count;
    while (*next < count) {
        if (w->block->track != track || *next < run->first || *next >= run->after) {
            w->source->ops->run(w->source, track, *next, run);
            w->block->track = track;
        }
        if (run->n) {
            *at = (size_t)(*next - run->first);
            return run->n - *at < w->window ? run->n - *at : w->window;
        }
        *next = run->after > *next ? run->after : count; /* damaged */
    }
    return 0;
}

/* ---- Tracks of states ---- */

void picl_states_begin(struct picl_states *s, const struct picl_write *w, uint32_t track)
{
    *s = (struct picl_states){ .w = w, .track = track };
}

/* The state that begins next, or NULL at the end of the track. */
static const struct weft_state *upcoming(struct picl_states *s)
{
    if (s->track == WEFT_NONE)
        return NULL;
    if (s->next - s->first >= s->n) {
        size_t at;
        s->n = decode_entities(s->w, s->track, &s->next, &at);
        s->first = s->next;
        if (!s->n)
            return NULL;
        s->window = weft_realloc(s->window, s->n * sizeof *s->window);
        memcpy(s->window, s->w->block->run.states + at, s->n * sizeof *s->window);
    }
    return &s->window[s->next - s->first];
}

bool picl_states_peek(struct picl_states *s, struct picl_edge *edge)
{
    const struct weft_state *next = upcoming(s);
    if (s->n_open && (!next || s->open[s->n_open - 1].depth >= next->depth)) {
        const struct weft_state *top = &s->open[s->n_open - 1];
        *edge = (struct picl_edge){ top->end, top, false };
        return true;
    }
    if (next)
        *edge = (struct picl_edge){ next->begin, next, true };
    return next;
}

void picl_states_next(struct picl_states *s)
{
    struct picl_edge edge;
    if (!picl_states_peek(s, &edge))
        return;
    if (!edge.begins) {
        s->n_open--;
    } else {
        s->open = weft_grow(s->open, &s->capacity, s->n_open + 1, sizeof *s->open);
        s->open[s->n_open++] = *edge.state;
        s->next++;
    }
    /*
     * States that the trace left open get no exit record; those that damage cut off get
     * one.
     */
    while (s->n_open && !upcoming(s) && s->open[s->n_open - 1].flags & WEFT_END_IMPLIED)
        s->n_open--;
}

void picl_states_end(struct picl_states *s)
{
    free(s->window);
    free(s->open);
}

/* ---- Queues ---- */

void picl_queue_add(struct picl_queue *q, int64_t time, int32_t type, int32_t key,
                    char *text)
{
    if (q->first == q->n)
        q->first = q->n = 0;
    q->records = weft_grow(q->records, &q->capacity, q->n + 1, sizeof *q->records);
    q->records[q->n++] = (struct picl_record){ time, type, key, text };
}

/* ---- Tasks ---- */

/* The number field of a task or mark, else the rank of its name. */
static int32_t number_of(const struct picl_write *w, uint64_t entity, uint32_t value)
{
    struct weft_field_value number;
    if (picl_field_with_role(w, entity, WEFT_ROLE_NUMBER, WEFT_FIELD_INTEGER, &number)
        && number.integer >= 0 && number.integer <= INT32_MAX)
        return (int32_t)number.integer;
    return value < w->schema->n_values ? (int32_t)w->schema->values[value].rank : 0;
}

static char *text_of(const struct picl_write *w, uint64_t entity, uint32_t field)
{
    struct weft_field_value value;
    return field != WEFT_NONE && picl_field(w, entity, field, &value)
               ? picl_text(w, value.index)
               : NULL;
}

static char *task_text(const struct picl_write *w, const struct picl_edge *edge)
{
    enum { WHOLE = 53 /* bits of an integer that a double keeps */ };
    struct weft_field_value work;
    char number[32];
    char *text = text_of(w, edge->state->id, edge->begins ? w->task_entry : w->task_exit);
    if (text || edge->begins
        || !picl_field_with_role(w, edge->state->id, WEFT_ROLE_WORK, WEFT_FIELD_REAL,
                                 &work))
        return text ? text : weft_strdup("0");
    double limit = (double)(INT64_C(1) << WHOLE);
    if (work.real >= -limit && work.real <= limit
        && work.real == (double)(int64_t)work.real)
        return weft_asprintf("1 2 %" PRId64, (int64_t)work.real);
    return weft_asprintf("1 \"%%f\" %s", weft_real_text(work.real, number));
}

/* ---- Events ---- */

static const struct weft_event *event_of(const struct picl_events *e)
{
    return &e->window[e->next - e->first];
}

/* Loads the next event into the window if needed; false at the end of the track. */
static bool load_event(const struct picl_write *w, struct picl_events *e)
{
    if (e->next - e->first < e->n)
        return true;
    size_t at;
    e->n = decode_entities(w, e->track, &e->next, &at);
    e->first = e->next;
    if (!e->n)
        return false;
    e->window = weft_realloc(e->window, e->n * sizeof *e->window);
    memcpy(e->window, w->block->run.events + at, e->n * sizeof *e->window);
    return true;
}

/* The record type of a mark in a trace that was not PICL. */
static int32_t mark_type(const struct picl_write *w, const struct picl_events *e)
{
    enum weft_role role = w->schema->types[w->schema->tracks[e->track].type].role;
    return weft_role_is(role, WEFT_ROLE_DATA)    ? PICL_DATA
           : weft_role_is(role, WEFT_ROLE_NOTE)  ? PICL_MESSAGE
           : weft_role_is(role, WEFT_ROLE_LABEL) ? PICL_LABEL
                                                 : PICL_MARK;
}

/* In a trace that was PICL, the alias of an event's value is "TYPE KEY" of its record. */
static struct picl_record event_record(const struct picl_write *w,
                                       const struct picl_events *e,
                                       const struct weft_event *event)
{
    struct picl_record record = { event->time, PICL_MARK, 0, NULL };
    if (w->native && event->value < w->schema->n_values) {
        char *rest;
        record.type = (int32_t)strtol(w->schema->values[event->value].alias, &rest, 10);
        record.key = (int32_t)strtol(rest, NULL, 10);
    } else {
        record.type = mark_type(w, e);
        record.key = number_of(w, event->id, event->value);
    }
    record.text = text_of(w, event->id, w->parameters[w->schema->tracks[e->track].type]);
    return record;
}

static enum picl_rank event_rank(const struct picl_write *w, const struct weft_event *event)
{
    bool ends = w->native && event->value < w->schema->n_values
                && strncmp(w->schema->values[event->value].alias, "-4 ", 3) == 0;
    return ends ? PICL_RANK_LAST : PICL_RANK_EVENT;
}

static bool comes_before(const struct picl_write *w, const struct picl_events *a,
                         const struct picl_events *b)
{
    const struct weft_event *x = event_of(a), *y = event_of(b);
    enum picl_rank left = event_rank(w, x), right = event_rank(w, y);
    if (x->time != y->time)
        return x->time < y->time;
    return left != right ? left < right : a->place < b->place;
}

static void sift_down(struct picl_node *node, size_t at)
{
    struct picl_events *heap = node->events, moved = heap[at];
    for (size_t child; (child = 2 * at + 1) < node->n_events; at = child) {
        child += child + 1 < node->n_events
                 && comes_before(node->w, &heap[child + 1], &heap[child]);
        if (!comes_before(node->w, &heap[child], &moved))
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

static void next_event_record(struct picl_node *node, struct picl_record *record)
{
    struct picl_events *top = &node->events[0];
    *record = event_record(node->w, top, event_of(top));
    top->next++;
    if (!load_event(node->w, top)) {
        free(top->window);
        *top = node->events[--node->n_events];
    }
    if (node->n_events)
        sift_down(node, 0);
}

static void begin_events(struct picl_node *node, uint32_t track)
{
    struct picl_events e = { .track = track, .place = (uint32_t)node->n_events };
    if (!load_event(node->w, &e))
        return;
    node->events = weft_grow(node->events, &node->event_capacity, node->n_events + 1,
                             sizeof *node->events);
    node->events[node->n_events++] = e;
}

/* ---- The processor ---- */

static const struct weft_type *type_of(const struct weft_schema *schema, uint32_t track)
{
    return &schema->types[schema->tracks[track].type];
}

static bool is_better(const struct weft_schema *schema, uint32_t track, uint32_t than,
                      enum weft_role role)
{
    if (than == WEFT_NONE)
        return true;
    bool now = weft_role_is(type_of(schema, track)->role, role);
    bool before = weft_role_is(type_of(schema, than)->role, role);
    return now != before ? now : schema->tracks[track].begin < schema->tracks[than].begin;
}

/* Tracks of a processor's calls and tasks, or WEFT_NONE. */
struct node_tracks {
    uint32_t calls, tasks;
};

static void look_at_track(struct picl_node *node, uint32_t t, struct node_tracks *tracks)
{
    const struct weft_schema *schema = node->w->schema;
    const struct weft_track *track = &schema->tracks[t];
    const struct weft_type *type = type_of(schema, t);
    bool own = track->container == node->container;
    if (!track->count)
        return;
    if ((type->kind == WEFT_STATE || type->kind == WEFT_EVENT) && track->end > node->finish)
        node->finish = track->end;
    if (type->kind == WEFT_STATE && weft_role_is(type->role, WEFT_ROLE_ACTIVITY)) {
        if (is_better(schema, t, tracks->calls, WEFT_ROLE_COMMUNICATION))
            tracks->calls = t;
    } else if (type->kind == WEFT_STATE && weft_role_is(type->role, WEFT_ROLE_TASK)) {
        if (is_better(schema, t, tracks->tasks, WEFT_ROLE_TASK))
            tracks->tasks = t;
    } else if (type->kind == WEFT_EVENT
               && ((node->w->native && own) || weft_role_is(type->role, WEFT_ROLE_MARK))) {
        begin_events(node, t);
        node->w->used[t] = 1;
    }
}

/*
 * Finds the tracks in the processor's subtree, without the subtrees of other processors.
 * Among tracks of calls, communication is preferred to other activity, then the earliest
 * begin.
 */
static void find_tracks(struct picl_node *node)
{
    const struct weft_schema *schema = node->w->schema;
    struct node_tracks tracks = { WEFT_NONE, WEFT_NONE };
    const struct weft_container *of = &schema->containers[node->container];
    for (uint32_t place = of->order; place < of->subtree_end;) {
        uint32_t c = schema->preorder[place];
        if (c != node->container && node->w->numbers[c] >= 0) {
            place = schema->containers[c].subtree_end;
            continue;
        }
        for (uint32_t i = schema->track_begin[place]; i < schema->track_begin[place + 1];
             i++) {
            uint32_t t = schema->track_at[i];
            look_at_track(node, t, &tracks);
        }
        place++;
    }
    if (tracks.calls != WEFT_NONE)
        node->w->used[tracks.calls] = 1;
    if (tracks.tasks != WEFT_NONE)
        node->w->used[tracks.tasks] = 1;
    picl_states_begin(&node->calls, node->w, tracks.calls);
    picl_states_begin(&node->tasks, node->w, tracks.tasks);
    for (size_t i = node->n_events / 2; i-- > 0;)
        sift_down(node, i);
}

void picl_node_begin(struct picl_node *node, const struct picl_write *w, uint32_t container)
{
    struct weft_span span = w->schema->span;
    int64_t begin = w->schema->containers[container].begin;
    *node = (struct picl_node){
        .w = w,
        .container = container,
        .start = begin < span.begin ? span.begin
                 : begin > span.end ? span.end
                                    : begin,
        .finish = span.begin,
    };
    find_tracks(node);
    if (!w->native)
        picl_classes_begin(node);
}

static bool next_call(struct picl_node *node)
{
    while (node->call_queue.first == node->call_queue.n)
        if (!(node->w->native ? picl_calls_next(node) : picl_classes_next(node)))
            return false;
    return true;
}

enum from { CALLS, TASKS, EVENTS };
struct merge_candidate {
    int64_t time;
    enum picl_rank rank;
    enum from from;
};

static void consider(struct merge_candidate *best, int64_t time, enum picl_rank rank,
                     enum from from)
{
    if (best->rank == PICL_RANKS || time < best->time
        || (time == best->time && rank < best->rank))
        *best = (struct merge_candidate){ time, rank, from };
}

static enum picl_rank call_rank(const struct picl_record *record)
{
    if (record->type == PICL_ENTRY)
        return PICL_RANK_CALL_ENTRY;
    return record->key == PICL_TRACING ? PICL_RANK_LAST : PICL_RANK_CALL_EXIT;
}

static struct merge_candidate choose(struct picl_node *node)
{
    struct merge_candidate best = { .rank = PICL_RANKS };
    struct picl_edge edge;
    if (next_call(node)) {
        const struct picl_record *r = &node->call_queue.records[node->call_queue.first];
        consider(&best, r->time, call_rank(r), CALLS);
    }
    if (picl_states_peek(&node->tasks, &edge))
        consider(&best, edge.time, edge.begins ? PICL_RANK_TASK_ENTRY : PICL_RANK_TASK_EXIT,
                 TASKS);
    if (node->n_events) {
        const struct weft_event *event = event_of(&node->events[0]);
        consider(&best, event->time, event_rank(node->w, event), EVENTS);
    }
    return best;
}

bool picl_node_next(struct picl_node *node, struct picl_record *record)
{
    struct merge_candidate choice = choose(node);
    if (choice.rank == PICL_RANKS)
        return false;
    if (choice.from == CALLS) {
        *record = node->call_queue.records[node->call_queue.first++];
    } else if (choice.from == TASKS) {
        struct picl_edge edge;
        picl_states_peek(&node->tasks, &edge);
        *record =
            (struct picl_record){ edge.time, edge.begins ? PICL_ENTRY : PICL_EXIT,
                                  number_of(node->w, edge.state->id, edge.state->value),
                                  task_text(node->w, &edge) };
        picl_states_next(&node->tasks);
    } else {
        next_event_record(node, record);
    }
    if (!record->text)
        record->text = weft_strdup("0");
    return true;
}

void picl_node_end(struct picl_node *node)
{
    picl_states_end(&node->calls);
    picl_states_end(&node->tasks);
    for (size_t i = node->call_queue.first; i < node->call_queue.n; i++)
        free(node->call_queue.records[i].text);
    free(node->call_queue.records);
    for (size_t i = 0; i < node->n_events; i++)
        free(node->events[i].window);
    free(node->events);
    weft_id_map_free(&node->begun);
    free(node->ends);
}
