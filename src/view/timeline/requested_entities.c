/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads take parts of the tracks; each keeps the best of its things in a heap whose root
 * is the one to be given up next.
 */
#include "view/timeline/requested_entities.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/parallel.h"
#include "view/prepare.h"

/* The fixed parameters of the preparation; the selection's text is behind them. */
struct question {
    struct weft_span window;
    uint64_t under, by_time, most;
};

struct part {
    struct weft_thing *heap;
    size_t n, capacity;
    uint64_t matched;
};

struct search {
    struct weft_where_query query;
    struct question question;
    uint32_t *tracks;
    size_t n_tracks, n_parts;
    struct part *parts;
};

struct part_walk {
    const struct search *search;
    struct part *part;
};

/* Returns less than 0 if A is listed before B. */
static int compare(const struct question *question, const struct weft_thing *a,
                   const struct weft_thing *b)
{
    int64_t x = a->end - a->begin, y = b->end - b->begin;
    int order = question->by_time ? 0 : WEFT_COMPARE(y, x);
    return order ?: WEFT_COMPARE(a->begin, b->begin) ?: WEFT_COMPARE(a->id, b->id);
}

static int by_length(const void *a, const void *b)
{
    return compare(&(struct question){ .by_time = 0 }, a, b);
}

static int by_time(const void *a, const void *b)
{
    return compare(&(struct question){ .by_time = 1 }, a, b);
}

static void swap(struct weft_thing *a, struct weft_thing *b)
{
    struct weft_thing kept = *a;
    *a = *b;
    *b = kept;
}

static void rise(const struct question *question, struct weft_thing *heap, size_t i)
{
    for (; i && compare(question, &heap[(i - 1) / 2], &heap[i]) < 0; i = (i - 1) / 2)
        swap(&heap[(i - 1) / 2], &heap[i]);
}

static void sink(const struct question *question, struct weft_thing *heap, size_t n)
{
    for (size_t i = 0, last = 0;; i = last) {
        for (size_t child = 2 * i + 1; child < n && child <= 2 * i + 2; child++)
            if (compare(question, &heap[last], &heap[child]) < 0)
                last = child;
        if (last == i)
            return;
        swap(&heap[i], &heap[last]);
    }
}

static bool keep(void *user, const struct weft_thing *thing)
{
    struct part_walk *walk = user;
    const struct question *question = &walk->search->question;
    struct part *part = walk->part;
    part->matched++;
    if (part->n < question->most) {
        part->heap =
            weft_grow(part->heap, &part->capacity, part->n + 1, sizeof *part->heap);
        part->heap[part->n] = *thing;
        rise(question, part->heap, part->n++);
    } else if (compare(question, thing, &part->heap[0]) < 0) {
        part->heap[0] = *thing;
        sink(question, part->heap, part->n);
    }
    return true;
}

static void search_part(void *user, size_t index)
{
    struct search *search = user;
    struct part_walk walk = { search, &search->parts[index] };
    size_t from = search->n_tracks * index / search->n_parts;
    size_t to = search->n_tracks * (index + 1) / search->n_parts;
    for (size_t i = from; i < to && !weft_job_cancelled(search->query.job); i++)
        weft_where_walk(&search->query, search->tracks[i], keep, &walk);
}

/* Puts what the parts have kept into one list. */
static struct things *join_parts(const struct search *search)
{
    struct things *things = weft_zalloc(1, sizeof *things);
    size_t n = 0;
    for (size_t i = 0; i < search->n_parts; i++) {
        n += search->parts[i].n;
        things->matched += search->parts[i].matched;
    }
    things->list = weft_alloc((n + 1) * sizeof *things->list);
    for (size_t i = 0; i < search->n_parts; i++) {
        const struct part *part = &search->parts[i];
        if (part->n)
            memcpy(things->list + things->n, part->heap, part->n * sizeof *part->heap);
        things->n += part->n;
        free(part->heap);
    }
    qsort(things->list, things->n, sizeof *things->list,
          search->question.by_time ? by_time : by_length);
    if (things->n > search->question.most)
        things->n = search->question.most;
    return things;
}

static void free_things(void *thing)
{
    struct things *things = thing;
    free(things->list);
    free(things);
}

static bool find(const struct weft_prepare_args *args, const struct weft_where *where,
                 void **thing, size_t *bytes, struct weft_err *err)
{
    struct weft_arena arena = { 0 };
    struct search search = { 0 };
    memcpy(&search.question, args->parameters, sizeof search.question);
    search.query = (struct weft_where_query){ where, search.question.window,
                                              (uint32_t)search.question.under, args->job };
    search.tracks = weft_where_tracks(&search.query, &arena, &search.n_tracks);
    search.n_parts = 4 * (size_t)weft_parallel_width();
    search.parts = weft_arena_zalloc(&arena, search.n_parts, sizeof *search.parts);
    weft_parallel(search.n_parts, 1, search_part, &search);
    struct things *things = join_parts(&search);
    weft_arena_free(&arena);
    if (!weft_job_step(args->job, 1, 1, err)) {
        free_things(things);
        return false;
    }
    *thing = things;
    *bytes = sizeof *things + (things->n + 1) * sizeof *things->list;
    return true;
}

static bool make(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                 struct weft_err *err)
{
    const char *text = (const char *)args->parameters + sizeof(struct question);
    struct weft_where *where = weft_where_new(args->set->sources[0], text, err);
    bool ok = where && find(args, where, thing, bytes, err);
    weft_where_free(where);
    return ok;
}

static const struct weft_preparation selected = { "selected things", make, free_things };

const struct things *things_find(const struct weft_request *request, bool by_time_,
                                 size_t most, struct weft_err *err)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    const char *text = weft_setting(request, "where");
    struct question question = { .window = weft_window_with_end(schema, request->window),
                                 .under = request->under,
                                 .by_time = by_time_,
                                 .most = most };
    size_t size = strlen(text) + 1;
    char *parameters = weft_arena_alloc(request->arena, sizeof question + size);
    memcpy(parameters, &question, sizeof question);
    memcpy(parameters + sizeof question, text, size);
    return weft_use_get(request->use, &selected, request->set, parameters,
                        sizeof question + size, err);
}

static bool make_wait_ends(const struct weft_prepare_args *args, void **thing,
                           size_t *bytes, struct weft_err *err)
{
    struct weft_wait_ends_finder *finder =
        weft_wait_ends_finder_new(args->set->sources[0], args->job, err);
    *thing = finder;
    *bytes = finder ? weft_wait_ends_finder_bytes(finder) : 0;
    return finder;
}

static void free_wait_ends(void *thing)
{
    weft_wait_ends_finder_free(thing);
}

static const struct weft_preparation wait_ends = { "partners of waits", make_wait_ends,
                                                   free_wait_ends };

const struct weft_wait_ends_finder *things_wait_ends(const struct weft_request *request,
                                                     struct weft_err *err)
{
    const struct weft_set one = { request->set->sources, 1 };
    return weft_use_get(request->use, &wait_ends, &one, NULL, 0, err);
}

bool things_fill(const struct weft_set *set)
{
    const struct weft_schema *schema = set->sources[0]->schema;
    return schema->n_states || schema->n_events || schema->n_links;
}
