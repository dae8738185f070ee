/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/messages/analyse/wait_partners.h"

#include <stdlib.h>

#include "base/binary_search.h"
#include "base/compare.h"
#include "base/parallel.h"

enum { INCOMING, OUTGOING, DIRECTIONS };
enum { PART_BYTES = 256 << 20, LINKS_A_REPORT = 1 << 14 };

struct message_end {     /* of a message, on one processor */
    int64_t time, other; /* at this end and at the other */
    uint64_t call;       /* at this end; WEFT_NO_ID: not named */
    int64_t tag;
    uint32_t partner, communicator;
    bool tagged;
};

/*
 * Ends that name a call come first, in order of calls; then the others, in order of time.
 * An unnamed end may belong to several calls, and a call may have many of them, so a tree
 * finds the latest of a range: later[i] is the later one of later[2 i] and later[2 i + 1],
 * where index n_unnamed + i stands for end i, and "later" is is_later().
 */
struct end_list {
    struct message_end *ends;
    size_t n, capacity, n_named;
    uint32_t *later; /* [n_unnamed] */
};

struct weft_wait_ends {
    const struct weft_processors *processors;
    uint32_t part, n_parts;
    struct end_list (*lists)[DIRECTIONS]; /* by processor */
};

/* ---- Reading ---- */

static bool is_message_track(const struct weft_schema *schema, uint32_t track)
{
    const struct weft_type *type = &schema->types[schema->tracks[track].type];
    return type->kind == WEFT_LINK && weft_role_is(type->role, WEFT_ROLE_MESSAGE)
           && !weft_role_is(type->role, WEFT_ROLE_COLLECTIVE)
           && !weft_role_is(type->role, WEFT_ROLE_TRANSFER);
}

uint32_t weft_wait_ends_parts(const struct weft_processors *processors,
                              struct weft_span window)
{
    const struct weft_source *source = processors->source;
    uint64_t bytes = 0;
    for (uint32_t t = 0; t < source->schema->n_tracks; t++)
        if (is_message_track(source->schema, t))
            bytes += source->ops->density(source, t, window) * DIRECTIONS
                     * (sizeof(struct message_end) + sizeof(uint32_t));
    uint64_t parts = bytes / PART_BYTES + 1;
    return parts < processors->n ? (uint32_t)parts : processors->n ? processors->n : 1;
}

struct link_scan {
    struct weft_wait_ends *ends;
    struct weft_field_window tags, communicators; /* fields of the track that is read */
    struct weft_job *job;
    struct weft_err *err;
    uint64_t n;
    bool ok;
};

static void add(struct link_scan *scan, int direction, uint32_t processor,
                struct message_end end)
{
    struct weft_wait_ends *ends = scan->ends;
    struct end_list *list = &ends->lists[processor][direction];
    if (processor % ends->n_parts != ends->part || list->n == UINT32_MAX)
        return;
    list->ends = weft_grow(list->ends, &list->capacity, list->n + 1, sizeof *list->ends);
    list->ends[list->n++] = end;
}

/* Returns the message's communicator, or WEFT_NONE; the value of a missing field is 0. */
static uint32_t communicator_of(struct link_scan *scan, uint64_t ordinal)
{
    const struct weft_schema *schema = scan->ends->processors->source->schema;
    int64_t container = weft_field_window_get(&scan->communicators, ordinal);
    return container >= 0 && container < (int64_t)schema->n_containers
                   && weft_role_is(schema->containers[container].role,
                                   WEFT_ROLE_COMMUNICATOR)
               ? (uint32_t)container
               : WEFT_NONE;
}

static bool add_link(void *user, const struct weft_link *link)
{
    struct link_scan *scan = user;
    const uint32_t *index_of = scan->ends->processors->index_of;
    if (++scan->n % LINKS_A_REPORT == 0 && !weft_job_step(scan->job, 0, 0, scan->err))
        return scan->ok = false;
    if (link->from == WEFT_NONE || link->to == WEFT_NONE)
        return true;
    uint32_t from = index_of[link->from], to = index_of[link->to];
    if (from == WEFT_NONE || to == WEFT_NONE)
        return true;
    struct message_end end = {
        .tag = weft_field_window_get(&scan->tags, weft_entity_ordinal(link->id)),
        .tagged = scan->tags.field != WEFT_NONE,
        .communicator = communicator_of(scan, weft_entity_ordinal(link->id)),
    };
    end.time = link->begin;
    end.other = link->end;
    end.call = link->from_entity;
    end.partner = to;
    add(scan, OUTGOING, from, end);
    end.time = link->end;
    end.other = link->begin;
    end.call = link->to_entity;
    end.partner = from;
    if (!(link->flags & WEFT_END_IMPLIED))
        add(scan, INCOMING, to, end);
    return true;
}

/* Returns true if A kept the caller longer than B; ties go to the lower partner. */
static bool is_later(const struct message_end *a, const struct message_end *b)
{
    if (a->other != b->other)
        return a->other > b->other;
    if (a->partner != b->partner)
        return a->partner < b->partner;
    return a->tag != b->tag ? a->tag < b->tag : a->communicator < b->communicator;
}

static int by_call_and_time(const void *a, const void *b)
{
    const struct message_end *x = a, *y = b;
    return WEFT_COMPARE(x->call, y->call) ?: WEFT_COMPARE(x->time, y->time);
}

/* Sort, and build the tree.  WEFT_NO_ID is the highest id, so unnamed ends come last. */
static void order_list(struct end_list *list)
{
    if (list->n)
        qsort(list->ends, list->n, sizeof *list->ends, by_call_and_time);
    while (list->n_named < list->n && list->ends[list->n_named].call != WEFT_NO_ID)
        list->n_named++;
    size_t n = list->n - list->n_named;
    const struct message_end *ends = list->ends + list->n_named;
    list->later = weft_alloc((n + 1) * sizeof *list->later);
    for (size_t i = n; i-- > 1;) {
        uint32_t left = 2 * i < n ? list->later[2 * i] : (uint32_t)(2 * i - n);
        uint32_t right = 2 * i + 1 < n ? list->later[2 * i + 1] : (uint32_t)(2 * i + 1 - n);
        list->later[i] = is_later(&ends[right], &ends[left]) ? right : left;
    }
}

static void sort_lists(void *user, size_t processor)
{
    struct weft_wait_ends *ends = user;
    for (int d = 0; d < DIRECTIONS; d++)
        order_list(&ends->lists[processor][d]);
}

struct weft_wait_ends *weft_wait_ends_read(const struct weft_processors *processors,
                                           struct weft_span window, uint32_t part,
                                           uint32_t n_parts, struct weft_job *job,
                                           struct weft_err *err)
{
    const struct weft_source *source = processors->source;
    struct weft_wait_ends *ends = weft_zalloc(1, sizeof *ends);
    struct link_scan *scan = weft_zalloc(1, sizeof *scan);
    ends->processors = processors;
    ends->part = part;
    ends->n_parts = n_parts;
    ends->lists = weft_zalloc((size_t)processors->n + 1, sizeof *ends->lists);
    scan->ends = ends;
    scan->job = job;
    scan->err = err;
    scan->ok = true;
    for (uint32_t t = 0; t < source->schema->n_tracks && scan->ok; t++)
        if (is_message_track(source->schema, t)) {
            weft_field_window_begin(&scan->tags, source, t, WEFT_ROLE_TAG);
            weft_field_window_begin_containers(&scan->communicators, source, t,
                                               WEFT_ROLE_COMMUNICATOR_OF);
            source->ops->links(source, t, window, add_link, scan);
        }
    bool ok = scan->ok;
    free(scan);
    if (!ok) {
        weft_wait_ends_free(ends);
        return NULL;
    }
    weft_parallel(processors->n, 16, sort_lists, ends);
    return ends;
}

void weft_wait_ends_free(struct weft_wait_ends *ends)
{
    for (uint32_t i = 0; ends && i < ends->processors->n; i++)
        for (int d = 0; d < DIRECTIONS; d++) {
            free(ends->lists[i][d].ends);
            free(ends->lists[i][d].later);
        }
    if (ends)
        free(ends->lists);
    free(ends);
}

/* ---- Asking ---- */

/* Returns the index of the first end that names CALL (or WEFT_NO_ID) at TIME or later. */
static size_t first_at(const struct end_list *list, uint64_t call, int64_t time)
{
    const struct message_end sought = { .call = call, .time = time };
    return WEFT_FIRST(i, 0, list->n, by_call_and_time(&list->ends[i], &sought) >= 0);
}

static const struct message_end *later_of(const struct message_end *a,
                                          const struct message_end *b)
{
    return !a || (b && is_later(b, a)) ? b : a;
}

/* Returns the latest end that names the call.  Each end is looked at for one call only. */
static const struct message_end *named_end(const struct end_list *list,
                                           const struct weft_state *state)
{
    const struct message_end *best = NULL;
    for (size_t i = first_at(list, state->id, state->begin);
         i < list->n_named && list->ends[i].call == state->id
         && list->ends[i].time <= state->end;
         i++)
        best = later_of(best, &list->ends[i]);
    return best;
}

/* Returns the latest of the unnamed ends [first, after).  O(log ends). */
static const struct message_end *latest_of(const struct end_list *list, size_t first,
                                           size_t after)
{
    const struct message_end *ends = list->ends + list->n_named, *best = NULL;
    size_t n = list->n - list->n_named;
    for (first += n, after += n; first < after; first /= 2, after /= 2) {
        if (first % 2) {
            best = later_of(best, &ends[first < n ? list->later[first] : first - n]);
            first++;
        }
        if (after % 2) {
            after--;
            best = later_of(best, &ends[after < n ? list->later[after] : after - n]);
        }
    }
    return best;
}

/*
 * Returns the latest unnamed end in the call's time.  Unless the call takes no time, a
 * message that arrives at its begin or leaves at its end is not in it.
 */
static const struct message_end *unnamed_end(const struct end_list *list, int direction,
                                             const struct weft_state *state)
{
    int64_t begin = state->begin, end = state->end;
    if (begin != end && direction == INCOMING)
        begin++;
    if (begin == end || direction == INCOMING)
        end++;
    size_t first = first_at(list, WEFT_NO_ID, begin);
    size_t after = first_at(list, WEFT_NO_ID, end);
    return first < after ? latest_of(list, first - list->n_named, after - list->n_named)
                         : NULL;
}

static const struct message_end *end_of(const struct weft_wait_asker *asker, int direction,
                                        const struct weft_state *state)
{
    const struct end_list *list = &asker->ends->lists[asker->processor][direction];
    return later_of(named_end(list, state), unnamed_end(list, direction, state));
}

void weft_wait_asker_begin(struct weft_wait_asker *asker, const struct weft_wait_ends *ends,
                           uint32_t track)
{
    const struct weft_source *source = ends->processors->source;
    const struct weft_track *of = &source->schema->tracks[track];
    asker->ends = ends;
    asker->processor = ends->processors->index_of[of->container];
    asker->track = track;
    asker->partner_field = weft_field_of_type(source->schema, of->type, WEFT_ROLE_PARTNER,
                                              WEFT_FIELD_CONTAINER);
    weft_field_window_begin(&asker->tags, source, track, WEFT_ROLE_TAG);
}

struct partner_lookup {
    uint64_t ordinal;
    int64_t container; /* -1: none */
};

static bool find_partner(void *user, const struct weft_field_run *run)
{
    struct partner_lookup *lookup = user;
    for (size_t i = 0; i < run->n; i++)
        if (run->ordinals[i] == lookup->ordinal)
            lookup->container = run->values[i];
    return true;
}

/* Returns the partner in the call's own fields. */
static struct weft_wait_partner ask_call(struct weft_wait_asker *asker,
                                         const struct weft_state *state)
{
    const struct weft_processors *processors = asker->ends->processors;
    const struct weft_source *source = processors->source;
    struct weft_wait_partner partner = { WEFT_NONE, false, 0, WEFT_NONE };
    struct partner_lookup lookup = { weft_entity_ordinal(state->id), -1 };
    if (asker->partner_field == WEFT_NONE)
        return partner;
    source->ops->field_range(source, asker->track, asker->partner_field, lookup.ordinal,
                             lookup.ordinal + 1, find_partner, &lookup);
    if (lookup.container < 0 || lookup.container >= (int64_t)source->schema->n_containers
        || processors->index_of[lookup.container] == WEFT_NONE)
        return partner;
    partner.processor = processors->index_of[lookup.container];
    partner.tagged = asker->tags.field != WEFT_NONE;
    partner.tag = weft_field_window_get(&asker->tags, lookup.ordinal);
    return partner;
}

struct weft_wait_partner weft_wait_partner_of(struct weft_wait_asker *asker,
                                              const struct weft_state *state)
{
    if (asker->processor == WEFT_NONE)
        return (struct weft_wait_partner){ WEFT_NONE, false, 0, WEFT_NONE };
    const struct message_end *end = end_of(asker, INCOMING, state);
    if (!end)
        end = end_of(asker, OUTGOING, state);
    if (!end)
        return ask_call(asker, state);
    return (struct weft_wait_partner){ end->partner, end->tagged, end->tag,
                                       end->communicator };
}
