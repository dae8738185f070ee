/* SPDX-License-Identifier: Apache-2.0 */
/* The time of a row and its partners in messages, for its details. */
#include <stdlib.h>

#include "analyse/activity_intervals.h"
#include "store/time.h"
#include "view/axis_ticks.h"
#include "view/detail_maker.h"

enum { MAX_VALUES = 4, MAX_PARTNERS = 5 }; /* a panel has room for no more */

/* ---- Time ---- */

/* Returns the value with most self time in SUMS, or WEFT_NONE, and takes it out. */
static uint32_t take_longest(struct weft_sum *sums, uint32_t n, int64_t *ticks)
{
    uint32_t longest = WEFT_NONE;
    *ticks = 0;
    for (uint32_t v = 0; v < n; v++)
        if (sums[v].self_ticks > *ticks) {
            *ticks = sums[v].self_ticks;
            longest = v;
        }
    if (longest != WEFT_NONE)
        sums[longest].self_ticks = 0;
    return longest;
}

static void say_shares_of(struct weft_maker *maker, uint32_t track, int64_t life)
{
    const struct weft_schema *schema = maker->schema;
    struct weft_sum *sums = weft_zalloc(schema->n_values + 1, sizeof *sums);
    int64_t ticks;
    maker->source->ops->sums(maker->source, &track, 1, schema->span, sums);
    for (int i = 0; i < MAX_VALUES; i++) {
        char text[WEFT_TIME_TEXT];
        uint32_t value = take_longest(sums, schema->n_values, &ticks);
        if (value == WEFT_NONE)
            break;
        weft_duration_text(schema, ticks, text);
        weft_maker_say(maker, schema->values[value].name,
                       weft_arena_printf(maker->arena, "%.1f %% of its time, %s",
                                         100.0 * (double)ticks / (double)life, text));
    }
    free(sums);
}

void weft_maker_say_time(struct weft_maker *maker, uint32_t container)
{
    const struct weft_schema *schema = maker->schema;
    const struct weft_container *c = &schema->containers[container];
    if (c->end <= c->begin)
        return;
    for (uint32_t i = schema->track_begin[c->order]; i < schema->track_begin[c->order + 1];
         i++)
        if (weft_is_activity_track(schema, schema->track_at[i]))
            say_shares_of(maker, schema->track_at[i], weft_ticks_length(c->begin, c->end));
}

/* ---- Messages ---- */

struct partner {
    uint32_t container;
    uint64_t sent, received; /* messages */
    int64_t bytes_sent, bytes_received;
};

static bool is_message(const struct weft_type *type)
{
    return type->kind == WEFT_LINK && weft_role_is(type->role, WEFT_ROLE_MESSAGE);
}

static struct partner *partner_of(struct partner *partners, size_t *n, uint32_t container)
{
    for (size_t i = 0; i < *n; i++)
        if (partners[i].container == container)
            return &partners[i];
    partners[*n] = (struct partner){ .container = container };
    return &partners[(*n)++];
}

/* Adds up the messages of CONTAINER by partner; [sums->n] has room for all. */
static size_t add_up(const struct weft_pair_sums *sums, uint32_t container,
                     struct partner *partners)
{
    size_t n = 0;
    for (size_t i = 0; i < sums->n; i++) {
        const struct weft_pair_sum *row = &sums->rows[i];
        if (row->from == container && row->to != WEFT_NONE) {
            struct partner *to = partner_of(partners, &n, row->to);
            to->sent += row->count;
            to->bytes_sent += row->bytes;
        }
        if (row->to == container && row->from != WEFT_NONE) {
            struct partner *from = partner_of(partners, &n, row->from);
            from->received += row->count;
            from->bytes_received += row->bytes;
        }
    }
    return n;
}

static uint64_t messages(const struct partner *partner)
{
    return partner->sent + partner->received;
}

/* The one with most messages first; equal ones in order of their numbers. */
static int by_messages(const void *a, const void *b)
{
    const struct partner *x = a, *y = b;
    if (messages(x) != messages(y))
        return messages(x) < messages(y) ? 1 : -1;
    return x->container < y->container ? -1 : x->container > y->container;
}

/* Returns " (3 KiB)", or "" for none, as in a trace that does not tell them. */
static const char *bytes_text(struct weft_maker *maker, int64_t bytes)
{
    return bytes ? weft_arena_printf(maker->arena, " (%s)",
                                     weft_bytes_text(maker->arena, bytes))
                 : "";
}

static void say_partner(struct weft_maker *maker, const struct partner *partner)
{
    const char *name = maker->schema->containers[partner->container].name;
    const char *text = weft_arena_printf(
        maker->arena, "%llu to it%s, %llu from it%s", (unsigned long long)partner->sent,
        bytes_text(maker, partner->bytes_sent), (unsigned long long)partner->received,
        bytes_text(maker, partner->bytes_received));
    weft_maker_say(maker, weft_arena_printf(maker->arena, "messages with %s", name), text)
        ->id = weft_container_id(partner->container, false);
}

void weft_maker_say_partners(struct weft_maker *maker, uint32_t container)
{
    const struct weft_schema *schema = maker->schema;
    struct weft_pair_sums sums = { 0 };
    uint32_t *tracks = weft_alloc((schema->n_tracks + 1) * sizeof *tracks);
    size_t n_tracks = 0;
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        if (is_message(&schema->types[schema->tracks[t].type]))
            tracks[n_tracks++] = t;
    struct weft_span all = schema->span;
    all.end += all.end < INT64_MAX;
    if (n_tracks)
        maker->source->ops->pair_sums(maker->source, tracks, n_tracks, all, &sums);
    struct partner *partners = weft_alloc((sums.n + 1) * sizeof *partners);
    size_t n = add_up(&sums, container, partners);
    qsort(partners, n, sizeof *partners, by_messages);
    for (size_t i = 0; i < n && i < MAX_PARTNERS; i++)
        say_partner(maker, &partners[i]);
    if (n > MAX_PARTNERS)
        weft_maker_say(
            maker, "messages with others",
            weft_arena_printf(maker->arena, "%zu more partners", n - MAX_PARTNERS));
    free(partners);
    free(tracks);
    free(sums.rows);
}
