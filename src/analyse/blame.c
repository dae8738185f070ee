/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/blame.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/alike_objects.h"
#include "analyse/sites_by_line.h"
#include "base/compare.h"
#include "base/hash_map.h"
#include "store/time.h"

/* A wait of a row, or a part of one, within the window. */
struct wait {
    uint32_t row;
    struct weft_span span;
};

/* The longest waits so far, as a heap: the shortest of them first. */
struct collecting {
    const struct weft_blame_query *query;
    uint32_t row, track;            /* TRACK: that of ASKER */
    struct weft_where_asker *asker; /* NULL: none yet, or all waits are meant */
    struct wait *heap;              /* [n] */
    size_t n, capacity;
    struct weft_blames *out;
};

static int64_t length_of(const struct wait *wait)
{
    return wait->span.end - wait->span.begin;
}

static void swap(struct wait *a, struct wait *b)
{
    struct wait c = *a;
    *a = *b;
    *b = c;
}

static void sift_up(struct wait *heap, size_t i)
{
    for (; i && length_of(&heap[i]) < length_of(&heap[(i - 1) / 2]); i = (i - 1) / 2)
        swap(&heap[i], &heap[(i - 1) / 2]);
}

static void sift_down(struct wait *heap, size_t n)
{
    for (size_t i = 0, child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && length_of(&heap[child + 1]) < length_of(&heap[child]))
            child++;
        if (length_of(&heap[i]) <= length_of(&heap[child]))
            return;
        swap(&heap[i], &heap[child]);
    }
}

static void take_wait(struct collecting *all, struct weft_span span)
{
    struct wait wait = { all->row, span };
    all->out->waits++;
    all->out->waited_ticks = weft_ticks_add(all->out->waited_ticks, length_of(&wait));
    if (all->n < all->query->most) {
        all->heap = weft_grow(all->heap, &all->capacity, all->n + 1, sizeof *all->heap);
        all->heap[all->n] = wait;
        sift_up(all->heap, all->n++);
    } else if (all->n && length_of(&wait) > length_of(&all->heap[0])) {
        all->heap[0] = wait;
        sift_down(all->heap, all->n);
    }
}

static void end_asker(struct collecting *all)
{
    if (all->asker)
        weft_where_end_asker(all->asker);
    all->asker = NULL;
}

/* Returns true if the selection means the state in which a row waits. */
static bool is_meant(struct collecting *all, const struct weft_state *state)
{
    const struct weft_where *where = all->query->where;
    const struct weft_thing thing = { .id = state->id,
                                      .begin = state->begin,
                                      .end = state->end,
                                      .track = weft_entity_track(state->id),
                                      .value = state->value,
                                      .from = WEFT_NONE,
                                      .to = WEFT_NONE };
    if (!where)
        return true;
    if (!all->asker || all->track != thing.track) {
        end_asker(all);
        all->track = thing.track;
        all->asker =
            weft_where_ask(&(struct weft_where_query){ .where = where }, thing.track);
    }
    return weft_where_holds(all->asker, &thing);
}

static bool collect(struct collecting *all, struct weft_err *err)
{
    const struct weft_blame_query *query = all->query;
    const struct weft_schema *schema = query->source->schema;
    uint32_t end = schema->containers[query->under].subtree_end;
    struct weft_activities did = { 0 };
    bool ok = true;
    for (uint32_t p = schema->containers[query->under].order; ok && p < end; p++) {
        all->row = schema->preorder[p];
        if (!weft_is_activity_row(schema, all->row))
            continue;
        weft_activities_read(query->source, all->row, query->window, &did);
        for (size_t i = 0; i < did.n; i++)
            if (did.list[i].class == WEFT_ACTIVITY_WAITING
                && did.list[i].of.id != WEFT_NO_ID && is_meant(all, &did.list[i].of))
                take_wait(all, did.list[i].span);
        ok = weft_job_step(query->job, p, end, err);
    }
    end_asker(all);
    weft_activities_free(&did);
    return ok;
}

static int by_row_and_time(const void *a, const void *b)
{
    const struct wait *x = a, *y = b;
    return WEFT_COMPARE(x->row, y->row) ?: WEFT_COMPARE(x->span.begin, y->span.begin)
           ?: WEFT_COMPARE(x->span.end, y->span.end);
}

/* Two blames differ in one of these; compared as bytes, so without padding. */
struct blame_key {
    uint32_t kind, class, row, value, object, site, function, zero;
};

struct blaming {
    struct weft_blames *out;
    struct weft_text_map index; /* struct blame_key: index in out->list */
    struct weft_text_map names; /* of functions: index in `texts` */
    const char **texts;
    size_t n_texts, capacity;
};

static uint32_t name_of(struct blaming *all, const char *function)
{
    if (!function)
        return WEFT_NONE;
    size_t length = strlen(function);
    uint32_t index = weft_text_map_get(&all->names, function, length);
    if (index == WEFT_MAP_NONE) {
        index = (uint32_t)all->n_texts;
        weft_text_map_put(&all->names, function, length, index);
        all->texts =
            weft_grow(all->texts, &all->capacity, all->n_texts + 1, sizeof *all->texts);
        all->texts[all->n_texts++] = weft_arena_strdup(&all->out->arena, function);
    }
    return index;
}

static void note_met(struct weft_blames *out, uint32_t blame, uint32_t wait)
{
    if (out->list[blame].waits > 0 && out->list[blame].last_wait == wait)
        return;
    out->list[blame].waits++;
    out->list[blame].last_wait = wait;
    out->met = weft_grow(out->met, &out->met_capacity, out->n_met + 1, sizeof *out->met);
    out->met[out->n_met++] = (struct weft_blame_met){ blame, wait };
}

/* Adds a cause of the wait with that number. */
static void add_cause(struct blaming *all, const struct weft_cause *cause, uint32_t wait)
{
    struct weft_blames *out = all->out;
    uint32_t function = name_of(all, cause->function);
    struct blame_key key = { cause->kind,   cause->class, cause->row, cause->value,
                             cause->object, cause->site,  function,   0 };
    uint32_t index = weft_text_map_get(&all->index, &key, sizeof key);
    if (index == WEFT_MAP_NONE) {
        index = (uint32_t)out->n;
        weft_text_map_put(&all->index, &key, sizeof key, index);
        out->list = weft_grow(out->list, &out->capacity, out->n + 1, sizeof *out->list);
        out->list[out->n++] =
            (struct weft_blame){ .cause = *cause, .number = index, .rows = 1 };
        out->list[index].cause.ticks = 0;
        out->list[index].cause.steps = 0;
        out->list[index].cause.function =
            function == WEFT_NONE ? NULL : all->texts[function];
    }
    out->list[index].cause.ticks =
        weft_ticks_add(out->list[index].cause.ticks, cause->ticks);
    out->list[index].cause.steps += cause->steps;
    note_met(out, index, wait);
}

static int by_ticks(const void *a, const void *b)
{
    const struct weft_blame *x = a, *y = b;
    return WEFT_COMPARE(y->cause.ticks, x->cause.ticks)
           ?: WEFT_COMPARE(x->cause.row, y->cause.row)
           ?: WEFT_COMPARE(x->cause.value, y->cause.value);
}

/* Walks for each of the waits, and adds its causes. */
static bool blame_all(const struct collecting *waits, struct weft_blames *out,
                      struct weft_err *err)
{
    const struct weft_source *source = waits->query->source;
    struct blaming all = { .out = out };
    struct weft_arena arena = { 0 };
    struct weft_release_memory memory = { 0 };
    const uint32_t *alike = weft_sites_alike(&arena, source->schema);
    bool ok = true;
    for (size_t i = 0; ok && i < waits->n; i++) {
        const struct weft_walk_query query = {
            source, waits->query->releases, waits->heap[i].row, waits->heap[i].span, NULL,
            &memory
        };
        struct weft_causes causes;
        ok = weft_job_step(waits->query->job, i, waits->n, err)
             && weft_causes_read(&query, alike, &causes, err);
        if (!ok)
            break;
        weft_causes_sum(&causes);
        for (size_t c = 0; c < causes.n; c++)
            add_cause(&all, &causes.list[c], (uint32_t)i);
        weft_causes_free(&causes);
        out->walked++;
        out->walked_ticks = weft_ticks_add(out->walked_ticks, length_of(&waits->heap[i]));
    }
    weft_release_memory_free(&memory);
    weft_text_map_free(&all.index);
    weft_text_map_free(&all.names);
    free(all.texts);
    weft_arena_free(&arena);
    return ok;
}

bool weft_blame_read(const struct weft_blame_query *query, struct weft_blames *out,
                     struct weft_err *err)
{
    struct collecting waits = { .query = query, .out = out };
    *out = (struct weft_blames){ 0 };
    bool ok = collect(&waits, err);
    /* In order of rows and times what is read is near what was read before. */
    if (waits.n > 1)
        qsort(waits.heap, waits.n, sizeof *waits.heap, by_row_and_time);
    ok = ok && blame_all(&waits, out, err);
    free(waits.heap);
    if (out->n > 1)
        qsort(out->list, out->n, sizeof *out->list, by_ticks);
    if (!ok)
        weft_blames_free(out);
    return ok;
}

/* Two places differ in one of these; compared as bytes, so without padding. */
struct place_key {
    uint32_t kind, class, value, object, site, zero;
    const char *function; /* a name has one pointer in a result */
};

/* Counts in how many waits each of N places was met; PLACES has that of each blame. */
static void count_waits_of_places(struct weft_blames *blames, size_t n,
                                  const uint32_t *places, struct weft_arena *arena)
{
    uint32_t *last = weft_arena_alloc(arena, (n + 1) * sizeof *last);
    memset(last, 0xff, (n + 1) * sizeof *last);
    for (size_t i = 0; i < n; i++)
        blames->list[i].waits = 0;
    for (size_t i = 0; i < blames->n_met; i++) {
        uint32_t place = places[blames->met[i].blame];
        blames->list[place].waits += last[place] != blames->met[i].wait;
        last[place] = blames->met[i].wait;
    }
}

void weft_blames_by_place(const struct weft_schema *schema, struct weft_blames *blames)
{
    struct weft_arena arena = { 0 };
    const uint32_t *alike =
        weft_objects_alike(&arena, schema, weft_sites_alike(&arena, schema));
    struct weft_text_map index = { 0 };
    uint32_t *places = weft_arena_alloc(&arena, (blames->n + 1) * sizeof *places);
    size_t n = 0;
    for (size_t i = 0; i < blames->n; i++) {
        struct weft_blame *blame = &blames->list[i];
        struct weft_cause *cause = &blame->cause;
        if (cause->object != WEFT_NONE) {
            blame->alike = true;
            cause->object = alike[cause->object];
        }
        struct place_key key = { cause->kind,    cause->class, cause->value,
                                 cause->object,  cause->site,  0,
                                 cause->function };
        uint32_t place = weft_text_map_get(&index, &key, sizeof key);
        places[blame->number] = place == WEFT_MAP_NONE ? (uint32_t)n : place;
        if (place == WEFT_MAP_NONE) {
            weft_text_map_put(&index, &key, sizeof key, (uint32_t)n);
            blames->list[n++] = *blame;
            continue;
        }
        struct weft_blame *sum = &blames->list[place];
        sum->cause.ticks = weft_ticks_add(sum->cause.ticks, cause->ticks);
        sum->cause.steps += cause->steps;
        sum->rows++;
    }
    blames->n = n;
    count_waits_of_places(blames, n, places, &arena);
    if (n > 1)
        qsort(blames->list, n, sizeof *blames->list, by_ticks);
    weft_text_map_free(&index);
    weft_arena_free(&arena);
}

void weft_blames_free(struct weft_blames *blames)
{
    free(blames->list);
    free(blames->met);
    weft_arena_free(&blames->arena);
    *blames = (struct weft_blames){ 0 };
}
