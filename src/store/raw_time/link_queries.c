/* SPDX-License-Identifier: Apache-2.0 */
/* Links in raw time: each end by the clock of its container. */
#include <stdlib.h>

#include "base/compare.h"
#include "store/raw_time/raw_source_priv.h"

struct weft_link weft_raw_link(const struct weft_source *source,
                               const struct weft_link *link)
{
    const struct weft_clock *from = weft_raw_clock(source, link->from);
    const struct weft_clock *to = weft_raw_clock(source, link->to);
    struct weft_link out = *link;
    /* Half a link has the time of its existing end. */
    out.begin = weft_raw(link->from == WEFT_NONE ? to : from, link->begin);
    out.end = weft_raw(link->to == WEFT_NONE ? from : to, link->end);
    return out;
}

struct raw_link_visitor { /* visits with raw times */
    const struct weft_source *source;
    bool (*visit)(void *user, const struct weft_link *link);
    void *user;
};

static bool pass_link(void *user, const struct weft_link *link)
{
    const struct raw_link_visitor *visitor = user;
    struct weft_link out = weft_raw_link(visitor->source, link);
    return visitor->visit(visitor->user, &out);
}

static int64_t earlier(const struct weft_link *link)
{
    return link->begin < link->end ? link->begin : link->end;
}

struct links {
    const struct weft_source *source;
    struct weft_span part; /* only links whose earlier time is in here */
    struct weft_link *list;
    size_t n, capacity;
};

static bool gather_link(void *user, const struct weft_link *link)
{
    struct links *links = user;
    struct weft_link raw = weft_raw_link(links->source, link);
    if (earlier(&raw) < links->part.begin || earlier(&raw) >= links->part.end)
        return true;
    links->list =
        weft_grow(links->list, &links->capacity, links->n + 1, sizeof *links->list);
    links->list[links->n++] = raw;
    return true;
}

static int compare_links(const void *left, const void *right)
{
    const struct weft_link *a = left, *b = right;
    return WEFT_COMPARE(earlier(a), earlier(b)) ?: WEFT_COMPARE(a->id, b->id);
}

/* Returns the corrected times that lie in a raw window by any of the clocks. */
static struct weft_span widest_window(const struct weft_source *source,
                                      struct weft_span window)
{
    struct weft_span widest = window;
    for (uint32_t c = 0; c < source->schema->n_clocks; c++) {
        struct weft_span one = weft_raw_window(&source->schema->clocks[c], window);
        widest.begin = one.begin < widest.begin ? one.begin : widest.begin;
        widest.end = one.end > widest.end ? one.end : widest.end;
    }
    /* A link that ends at the window's begin by one clock may begin there by another. */
    widest.begin -= widest.begin > INT64_MIN;
    return widest;
}

/*
 * Returns the links of a track that may be in a raw window, and whose earlier time is in
 * PART, with raw times, in their order.
 */
static struct links links_in(const struct weft_source *source, uint32_t track,
                             struct weft_span window, struct weft_span part)
{
    const struct weft_source *below = weft_raw_of(source)->below;
    struct links links = { .source = source, .part = part };
    below->ops->links(below, track, widest_window(source, window), gather_link, &links);
    if (links.n)
        qsort(links.list, links.n, sizeof *links.list, compare_links);
    return links;
}

static const struct weft_span always = { INT64_MIN, INT64_MAX };

struct window_visitor {
    const struct weft_source *source;
    uint32_t track;
    struct weft_span window; /* the window of the query */
    bool (*visit)(void *user, const struct weft_link *link);
    void *user;
};

/* Visits the links whose earlier time is in PART; returns false if VISIT stopped. */
static bool visit_part(const struct window_visitor *v, struct weft_span part)
{
    struct weft_span window = v->window;
    struct weft_span in = { part.begin > window.begin ? part.begin : window.begin,
                            part.end };
    struct links links = links_in(v->source, v->track, in, part);
    bool more = true;
    for (size_t i = 0; i < links.n && more; i++) {
        const struct weft_link *link = &links.list[i];
        int64_t low = earlier(link),
                high = link->begin < link->end ? link->end : link->begin;
        if (low >= window.end || high < window.begin
            || (high == window.begin && low < high))
            continue;
        more = v->visit(v->user, link);
    }
    free(links.list);
    return more;
}

/*
 * Clocks may differ by any amount, so links are sorted before the first one is visited; a
 * window with very many links is split into parts.
 */
static bool visit_parts(const struct window_visitor *v, struct weft_span part, int halvings)
{
    enum { MAX_SORTED = 1 << 17 }; /* links that are sorted at once: 12 MiB */
    const struct weft_source *below = weft_raw_of(v->source)->below;
    int64_t begin = part.begin > v->window.begin ? part.begin : v->window.begin;
    struct weft_span in = { begin, part.end };
    uint64_t length = begin < in.end ? (uint64_t)in.end - (uint64_t)begin : 0;
    if (!halvings || length < 2
        || below->ops->density(below, v->track, widest_window(v->source, in)) <= MAX_SORTED)
        return visit_part(v, part);
    int64_t middle = begin + (int64_t)(length / 2);
    return visit_parts(v, (struct weft_span){ part.begin, middle }, halvings - 1)
           && visit_parts(v, (struct weft_span){ middle, part.end }, halvings - 1);
}

void weft_raw_links(const struct weft_source *source, uint32_t track,
                    struct weft_span window,
                    bool (*visit)(void *user, const struct weft_link *link), void *user)
{
    enum { HALVINGS = 12 };
    struct window_visitor visitor = { source, track, window, visit, user };
    /* The first part includes links that begin before the window. */
    visit_parts(&visitor, (struct weft_span){ INT64_MIN, window.end }, HALVINGS);
}

void weft_raw_links_at(const struct weft_source *source, uint32_t container, bool incoming,
                       struct weft_span window,
                       bool (*visit)(void *user, const struct weft_link *link), void *user)
{
    const struct weft_source *below = weft_raw_of(source)->below;
    struct raw_link_visitor visitor = { .source = source, .visit = visit, .user = user };
    below->ops->links_at(below, container, incoming,
                         weft_raw_window(weft_raw_clock(source, container), window),
                         pass_link, &visitor);
}

void weft_raw_links_of(const struct weft_source *source, uint64_t entity, bool incoming,
                       bool (*visit)(void *user, const struct weft_link *link), void *user)
{
    const struct weft_source *below = weft_raw_of(source)->below;
    struct raw_link_visitor visitor = { .source = source, .visit = visit, .user = user };
    below->ops->links_of(below, entity, incoming, pass_link, &visitor);
}

/* Returns the clock for the begins of a pair's links. */
static const struct weft_clock *clock_of_pair(const struct weft_source *source,
                                              const struct weft_pair_sum *pair)
{
    return weft_raw_clock(source, pair->from == WEFT_NONE ? pair->to : pair->from);
}

/*
 * Returns [n_clocks + 1]: 1 for clocks that a container has; the last for containers
 * without a clock.
 */
static uint8_t *clocks_in_use(const struct weft_source *source)
{
    const struct weft_schema *schema = source->schema;
    uint8_t *used = weft_zalloc((size_t)schema->n_clocks + 1, 1);
    used[schema->n_clocks] = 1; /* a link may have no ends */
    for (uint32_t c = 0; c < schema->n_containers; c++) {
        const struct weft_clock *clock = weft_raw_clock(source, c);
        used[clock ? (uint32_t)(clock - schema->clocks) : schema->n_clocks] = 1;
    }
    return used;
}

/*
 * Asks for each clock's own window, and takes from each answer the pairs whose links have
 * that clock.
 */
void weft_raw_pair_sums(const struct weft_source *source, const uint32_t *tracks, size_t n,
                        struct weft_span window, struct weft_pair_sums *out)
{
    const struct weft_source *below = weft_raw_of(source)->below;
    const struct weft_schema *schema = source->schema;
    struct weft_pair_sums part = { 0 };
    uint8_t *used = clocks_in_use(source);
    out->n = 0;
    for (uint32_t c = 0; c <= schema->n_clocks; c++) {
        const struct weft_clock *clock = c < schema->n_clocks ? &schema->clocks[c] : NULL;
        if (!used[c])
            continue;
        below->ops->pair_sums(below, tracks, n, weft_raw_window(clock, window), &part);
        out->rows =
            weft_grow(out->rows, &out->capacity, out->n + part.n + 1, sizeof *out->rows);
        for (size_t i = 0; i < part.n; i++)
            if (clock_of_pair(source, &part.rows[i]) == clock)
                out->rows[out->n++] = part.rows[i];
    }
    free(used);
    free(part.rows);
    weft_pair_sums_combine(out);
}

/* Returns the bytes that a link carries. */
static int64_t bytes_of(const struct weft_source *source, const struct weft_link *link)
{
    struct weft_field_value fields[WEFT_FIELDS_MAX];
    size_t n = source->ops->fields(source, link->id, fields, WEFT_FIELDS_MAX);
    const struct weft_field_value *bytes = weft_field_with_role(
        source->schema, fields, n, WEFT_ROLE_BYTES, WEFT_FIELD_INTEGER);
    return bytes ? bytes->integer : 0;
}

void weft_raw_pairs_pending(const struct weft_source *source, const uint32_t *tracks,
                            size_t n, int64_t time, struct weft_pair_sums *out)
{
    struct weft_span instant = { time, time == INT64_MAX ? time : time + 1 };
    out->n = 0;
    for (size_t t = 0; t < n; t++) {
        const struct weft_schema *schema = source->schema;
        if (schema->types[schema->tracks[tracks[t]].type].kind != WEFT_LINK)
            continue;
        struct links links = links_in(source, tracks[t], instant, always);
        for (size_t i = 0; i < links.n; i++) {
            const struct weft_link *link = &links.list[i];
            if (link->begin > time || link->end <= time)
                continue;
            out->rows = weft_grow(out->rows, &out->capacity, out->n + 1, sizeof *out->rows);
            out->rows[out->n++] =
                (struct weft_pair_sum){ link->from, link->to, 1, bytes_of(source, link) };
        }
        free(links.list);
    }
    weft_pair_sums_combine(out);
}

bool weft_raw_link_of_id(const struct weft_source *source, uint64_t id,
                         struct weft_link *out)
{
    const struct weft_source *below = weft_raw_of(source)->below;
    if (!below->ops->link(below, id, out))
        return false;
    *out = weft_raw_link(source, out);
    return true;
}
