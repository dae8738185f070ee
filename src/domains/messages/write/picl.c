/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the PICL records of all processors, in order of time or of nodes. */
#include "domains/messages/write/picl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/compare.h"
#include "base/memory.h"
#include "domains/messages/write/picl_priv.h"
#include "store/time.h"

struct candidate {
    int64_t rank;
    bool has_rank;
    uint32_t container;
};

/* ---- Processors ---- */

static struct candidate candidate_of(const struct weft_schema *schema, uint32_t container)
{
    const struct weft_field_value *fact =
        weft_container_fact(schema, container, WEFT_ROLE_RANK_NUMBER, WEFT_FIELD_INTEGER);
    return (struct candidate){ fact ? fact->integer : 0, fact != NULL, container };
}

static bool note_ends(void *user, const struct weft_link *link)
{
    struct picl_write *w = user;
    if (link->from < w->schema->n_containers)
        w->numbers[link->from] = 0;
    if (link->to < w->schema->n_containers)
        w->numbers[link->to] = 0;
    return true;
}

/* Without ranks, the processors are the containers that send or receive messages. */
static void find_by_messages(struct picl_write *w)
{
    struct weft_span all = { w->schema->span.begin, w->schema->span.end + 1 };
    for (uint32_t t = 0; t < w->schema->n_tracks; t++) {
        const struct weft_type *type = &w->schema->types[w->schema->tracks[t].type];
        if (type->kind == WEFT_LINK && weft_role_is(type->role, WEFT_ROLE_MESSAGE)
            && !weft_role_is(type->role, WEFT_ROLE_TRANSFER))
            w->source->ops->links(w->source, t, all, note_ends, w);
    }
}

/* Compares as model/processors.c: by rank, those without one last, then by creation. */
static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return WEFT_COMPARE(y->has_rank, x->has_rank) ?: WEFT_COMPARE(x->rank, y->rank)
           ?: WEFT_COMPARE(x->container, y->container);
}

/* Returns true if each rank is there, once, and one that PICL can write. */
static bool have_ranks(const struct candidate *list, size_t n)
{
    bool good = true;
    for (size_t i = 0; i < n && good; i++)
        good = list[i].has_rank && list[i].rank >= 0 && list[i].rank <= INT32_MAX
               && (i == 0 || list[i].rank != list[i - 1].rank);
    return good;
}

/*
 * Sets the nodes in their order, and their numbers: by rank if all have one of their own,
 * else by position.  `members` are the numbers that lists of members use for them, which
 * are those of model/processors.c.
 */
static void number_nodes(struct picl_write *w, const struct candidate *list)
{
    bool good = have_ranks(list, w->n_nodes);
    int64_t before = -1;
    w->nodes = weft_alloc((w->n_nodes + 1) * sizeof *w->nodes);
    w->members = weft_alloc((w->n_nodes + 1) * sizeof *w->members);
    for (size_t i = 0; i < w->n_nodes; i++) {
        int64_t after = before < INT64_MAX ? before + 1 : before;
        before = list[i].has_rank ? list[i].rank : (int64_t)i > before ? (int64_t)i : after;
        w->members[i] = before;
        w->nodes[i] = list[i].container;
        w->numbers[list[i].container] = good ? list[i].rank : (int64_t)i;
        w->renumbered |= w->members[i] != w->numbers[list[i].container];
    }
}

/* Finds the processors and numbers them. */
static void number_processors(struct picl_write *w)
{
    size_t n = w->schema->n_containers;
    w->numbers = weft_alloc(n * sizeof *w->numbers);
    for (size_t c = 0; c < n; c++)
        w->numbers[c] = -1;
    for (uint32_t i = 0; i < n;) { /* in preorder, parents come before their children */
        uint32_t c = w->schema->preorder[i++];
        if (!weft_role_is(w->schema->containers[c].role, WEFT_ROLE_RANK))
            continue;
        w->numbers[c] = 0;
        i = w->schema->containers[c].subtree_end; /* a rank in a rank is no processor */
    }
    bool any = false;
    for (size_t c = 0; c < n; c++)
        any |= w->numbers[c] >= 0;
    if (!any)
        find_by_messages(w);
    struct candidate *list = weft_alloc((n + 1) * sizeof *list);
    for (uint32_t c = 0; c < n; c++)
        if (w->numbers[c] >= 0)
            list[w->n_nodes++] = candidate_of(w->schema, c);
    if (w->n_nodes)
        qsort(list, w->n_nodes, sizeof *list, compare_candidates);
    number_nodes(w, list);
    free(list);
}

/* ---- Groups ---- */

static const char *members_of(const struct picl_write *w, uint32_t container)
{
    const struct weft_field_value *fact =
        weft_container_fact(w->schema, container, WEFT_ROLE_MEMBERS, WEFT_FIELD_TEXT);
    return fact ? w->schema->strings[fact->index] : NULL;
}

/* Stores the first LIMIT numbers of a list like "0-3,8"; returns how many it has in all. */
static uint64_t list_members(const char *text, int64_t *numbers, uint64_t limit)
{
    uint64_t n = 0;
    while (*text) {
        char *rest;
        int64_t first = strtoll(text, &rest, 10), last = first;
        if (rest == text)
            break;
        if (*rest == '-')
            last = strtoll(rest + 1, &rest, 10);
        uint64_t more = first <= last ? (uint64_t)last - (uint64_t)first : 0;
        for (uint64_t i = 0; first <= last && i <= more && n + i < limit; i++)
            numbers[n + i] = (int64_t)((uint64_t)first + i);
        n = first > last ? n : more < UINT64_MAX - n - 1 ? n + more + 1 : UINT64_MAX;
        text = rest + (*rest == ',');
    }
    return n;
}

/*
 * Returns the node that a list of members calls NUMBER, which need not be in the trace; -1:
 * in a trace whose processors get other numbers it is none of them, or several.
 */
static int64_t node_of_member(const struct picl_write *w, int64_t number)
{
    if (!w->renumbered)
        return number;
    size_t at = WEFT_FIRST(i, 0, w->n_nodes, w->members[i] >= number);
    if (at == w->n_nodes || w->members[at] != number
        || (at + 1 < w->n_nodes && w->members[at + 1] == number))
        return -1;
    return w->numbers[w->nodes[at]];
}

static bool is_everybody(const struct picl_write *w, const char *members, int64_t *scratch)
{
    if (!members || list_members(members, scratch, w->n_nodes + 1) != w->n_nodes)
        return false;
    for (size_t i = 0; i < w->n_nodes; i++)
        if (node_of_member(w, scratch[i]) != w->numbers[w->nodes[i]])
            return false;
    return true;
}

/*
 * Numbers the communicators.  A trace that was PICL keeps its group numbers; in others the
 * first communicator of all processors is the world, and the rest count from 1.
 */
static void number_groups(struct picl_write *w)
{
    size_t n = w->schema->n_containers;
    w->groups = weft_alloc(n * sizeof *w->groups);
    int64_t *scratch = weft_alloc((w->n_nodes + 1) * sizeof *scratch), next = 1;
    bool has_world = false;
    for (uint32_t c = 0; c < n; c++) {
        w->groups[c] = PICL_NO_GROUP;
        if (!weft_role_is(w->schema->containers[c].role, WEFT_ROLE_COMMUNICATOR))
            continue;
        const struct weft_field_value *fact =
            weft_container_fact(w->schema, c, WEFT_ROLE_NUMBER, WEFT_FIELD_INTEGER);
        bool world = !has_world && is_everybody(w, members_of(w, c), scratch);
        if (w->native && fact)
            w->groups[c] = fact->integer;
        else
            w->groups[c] = world ? PICL_WORLD : next++;
        has_world |= world;
    }
    free(scratch);
}

static void put_time(const struct picl_write *w, FILE *stream, int64_t time)
{
    char text[WEFT_TIME_TEXT];
    fputs(weft_time_exact(w->schema, weft_ticks_between(w->origin, time), text), stream);
}

static void put_members(struct picl_write *w, FILE *stream, uint32_t container, int32_t key,
                        int64_t time)
{
    const char *members = members_of(w, container);
    enum { MAX_MEMBERS = 1 << 20 };
    int64_t *numbers = weft_alloc(MAX_MEMBERS * sizeof *numbers);
    uint64_t all = members ? list_members(members, numbers, MAX_MEMBERS) : 0;
    uint64_t given = all < MAX_MEMBERS ? all : MAX_MEMBERS, n = 0;
    for (uint64_t i = 0; i < given; i++) {
        int64_t node = node_of_member(w, numbers[i]);
        if (node >= 0 || !w->renumbered)
            numbers[n++] = node;
    }
    uint64_t lost = w->lost_members + (all - n);
    w->lost_members = lost < w->lost_members ? UINT64_MAX : lost;
    fprintf(stream, "%d %" PRId32 " ", PICL_SUBSET, key);
    put_time(w, stream, time);
    fprintf(stream, " -1 -1 %" PRIu64 " 2 %" PRId64, n + 1, w->groups[container]);
    for (uint64_t i = 0; i < n; i++)
        fprintf(stream, " %" PRId64, numbers[i]);
    putc('\n', stream);
    free(numbers);
}

struct definition {
    struct picl_write *w;
    FILE *stream;
    uint32_t container;
};

static bool put_definition(void *user, const struct weft_event *event)
{
    const struct definition *d = user;
    const struct weft_schema *schema = d->w->schema;
    const char *alias =
        event->value < schema->n_values ? schema->values[event->value].alias : "";
    put_members(d->w, d->stream, d->container, (int32_t)strtol(alias, NULL, 10),
                event->time);
    return !ferror(d->stream);
}

/*
 * Writes the members of groups before all other records.  In a trace that was PICL these
 * are the records that belong to no processor; the others are events of processors.
 */
static bool put_groups(struct picl_write *w, FILE *stream, struct weft_job *job,
                       struct weft_err *err)
{
    enum { SPLIT = -812 };
    struct weft_span all = { w->schema->span.begin, w->schema->span.end + 1 };
    bool ok = true;
    for (uint32_t c = 0; ok && c < w->schema->n_containers && !ferror(stream); c++) {
        if (w->groups[c] == PICL_NO_GROUP || w->groups[c] == PICL_WORLD)
            continue;
        struct definition definition = { w, stream, c };
        const struct weft_container *of = &w->schema->containers[c];
        if (!w->native)
            put_members(w, stream, c, SPLIT, w->schema->span.begin);
        for (uint32_t i = w->schema->track_begin[of->order];
             w->native && i < w->schema->track_begin[of->order + 1]; i++) {
            uint32_t t = w->schema->track_at[i];
            if (w->schema->types[w->schema->tracks[t].type].role == WEFT_ROLE_NONE
                && w->schema->types[w->schema->tracks[t].type].kind == WEFT_EVENT)
                w->source->ops->events(w->source, t, all, put_definition, &definition);
        }
        ok = weft_job_step(job, 0, 1, err);
    }
    return ok;
}

/* ---- Records ---- */

static void put_record(const struct picl_write *w, FILE *stream, int64_t number,
                       struct picl_record *record)
{
    fprintf(stream, "%" PRId32 " %" PRId32 " ", record->type, record->key);
    put_time(w, stream, record->time);
    fprintf(stream, " %" PRId64 " 0 %s\n", number, record->text);
    free(record->text);
    record->text = NULL;
}

static bool put_by_node(const struct picl_write *w, FILE *stream, struct weft_job *job,
                        struct weft_err *err)
{
    bool ok = true;
    for (size_t i = 0; i < w->n_nodes && ok && !ferror(stream); i++) {
        struct picl_node node;
        struct picl_record record;
        picl_node_begin(&node, w, w->nodes[i]);
        while (picl_node_next(&node, &record))
            put_record(w, stream, w->numbers[w->nodes[i]], &record);
        picl_node_end(&node);
        ok = weft_job_step(job, i, w->n_nodes, err);
    }
    return ok;
}

struct head { /* a processor and its next record */
    struct picl_node node;
    struct picl_record record;
    int64_t number;
};

/*
 * Compares like the sort in ParaGraph's guide: by time, then falling by key, then by type.
 */
static bool comes_before(const struct head *a, const struct head *b)
{
    const struct picl_record *x = &a->record, *y = &b->record;
    if (x->time != y->time)
        return x->time < y->time;
    if (x->key != y->key)
        return x->key > y->key;
    if (x->type != y->type)
        return x->type > y->type;
    return a->number < b->number;
}

static void sift_down(struct head **heap, size_t n, size_t at)
{
    struct head *moved = heap[at];
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        child += child + 1 < n && comes_before(heap[child + 1], heap[child]);
        if (!comes_before(heap[child], moved))
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

static bool put_by_time(const struct picl_write *w, FILE *stream, struct weft_job *job,
                        struct weft_err *err)
{
    enum { STEP = 4096 /* records between steps of the job */ };
    struct head *heads = weft_zalloc(w->n_nodes + 1, sizeof *heads);
    struct head **heap = weft_alloc((w->n_nodes + 1) * sizeof *heap);
    size_t n = 0;
    for (size_t i = 0; i < w->n_nodes; i++) {
        heads[i].number = w->numbers[w->nodes[i]];
        picl_node_begin(&heads[i].node, w, w->nodes[i]);
        if (picl_node_next(&heads[i].node, &heads[i].record))
            heap[n++] = &heads[i];
    }
    for (size_t i = n / 2; i-- > 0;)
        sift_down(heap, n, i);
    bool ok = true;
    uint64_t all = 2 * w->schema->n_states + w->schema->n_events;
    for (uint64_t done = 0; n && ok && !ferror(stream); done++) {
        put_record(w, stream, heap[0]->number, &heap[0]->record);
        if (!picl_node_next(&heap[0]->node, &heap[0]->record))
            heap[0] = heap[--n];
        if (n)
            sift_down(heap, n, 0);
        if (done % STEP == 0)
            ok = weft_job_step(job, done, all, err);
    }
    for (size_t i = 0; i < w->n_nodes; i++) {
        free(heads[i].record.text);
        picl_node_end(&heads[i].node);
    }
    free(heap);
    free(heads);
    return ok;
}

/* ---- The file ---- */

static uint32_t field_named(const struct weft_schema *schema, enum weft_kind kind,
                            enum weft_role role, const char *name)
{
    for (uint32_t f = 0; f < schema->n_fields; f++) {
        const struct weft_type *type = &schema->types[schema->fields[f].type];
        if (type->kind == kind && type->role == role
            && strcmp(schema->fields[f].name, name) == 0)
            return f;
    }
    return WEFT_NONE;
}

static void find_fields(struct picl_write *w)
{
    const struct weft_schema *schema = w->schema;
    bool native = w->native;
    w->call_entry = native
                        ? field_named(schema, WEFT_STATE, WEFT_ROLE_COMMUNICATION, "entry")
                        : WEFT_NONE;
    w->call_exit = native ? field_named(schema, WEFT_STATE, WEFT_ROLE_COMMUNICATION, "exit")
                          : WEFT_NONE;
    w->call_request =
        native ? field_named(schema, WEFT_STATE, WEFT_ROLE_COMMUNICATION, "request")
               : WEFT_NONE;
    w->task_entry =
        native ? field_named(schema, WEFT_STATE, WEFT_ROLE_TASK, "entry") : WEFT_NONE;
    w->task_exit =
        native ? field_named(schema, WEFT_STATE, WEFT_ROLE_TASK, "exit") : WEFT_NONE;
    w->link_peer =
        native ? field_named(schema, WEFT_LINK, WEFT_ROLE_MESSAGE, "peer") : WEFT_NONE;
}

/*
 * Finds the text field of each type of events: in a trace that was PICL any text field,
 * else the one of the role `parameters`.
 */
static void find_parameters(struct picl_write *w)
{
    const struct weft_schema *schema = w->schema;
    w->parameters = weft_alloc((size_t)schema->n_types * sizeof *w->parameters);
    for (uint32_t t = 0; t < schema->n_types; t++)
        w->parameters[t] = WEFT_NONE;
    for (uint32_t f = 0; f < schema->n_fields; f++)
        if (schema->fields[f].kind == WEFT_FIELD_TEXT
            && (w->native || schema->fields[f].role == WEFT_ROLE_PARAMETERS))
            w->parameters[schema->fields[f].type] = f;
}

/* Allots the windows of tracks: a track keeps fewer entities where tracks are very many. */
static void make_room(struct picl_write *w)
{
    enum { ROOM = 128 << 20 /* bytes for all tracks */, MIN_WINDOW = 8 };
    size_t n = ROOM / sizeof(struct weft_state) / ((size_t)w->schema->n_tracks + 1);
    w->window = n < MIN_WINDOW ? MIN_WINDOW : n < WEFT_RUN_MAX ? n : WEFT_RUN_MAX;
    w->block = weft_alloc(sizeof *w->block);
    w->block->track = WEFT_NONE;
}

bool weft_write_picl(const struct weft_source *source, FILE *stream,
                     enum weft_picl_order order, char **losses, struct weft_job *job,
                     struct weft_err *err)
{
    struct picl_write w = { .source = source,
                            .schema = source->schema,
                            .native = strcmp(source->schema->format, "picl") == 0 };
    number_processors(&w);
    bool ok =
        w.n_nodes
        || weft_fail(err, WEFT_ERR_FORMAT,
                     "the trace has no processors that send messages, which is what PICL "
                     "holds");
    if (ok) {
        w.used = weft_zalloc((size_t)w.schema->n_tracks + 1, 1);
        number_groups(&w);
        find_fields(&w);
        find_parameters(&w);
        make_room(&w);
        w.origin = w.native ? 0 : w.schema->span.begin;
        ok = put_groups(&w, stream, job, err);
    }
    if (ok)
        ok = order == WEFT_PICL_BY_NODE ? put_by_node(&w, stream, job, err)
                                        : put_by_time(&w, stream, job, err);
    if (losses)
        *losses = ok ? picl_losses(&w) : NULL;
    free(w.used);
    free(w.parameters);
    free(w.block);
    free(w.numbers);
    free(w.groups);
    free(w.nodes);
    free(w.members);
    if (ok && (fflush(stream) != 0 || ferror(stream)))
        ok = weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write the trace");
    return ok;
}
