/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* strcasestr, FNM_CASEFOLD */
#include "view/search.h"

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/sites_by_line.h"
#include "base/parallel.h"
#include "store/time.h"

enum {
    MAX_FIELDS = 16, /* of an entity: as many as its details show */
    MAX_NAME_BYTES =
        4096, /* bytes that a pattern is matched with: some 10 ms for a long one */
};

/*
 * A pattern takes time by its length times the name's, and a hostile file may have both
 * long: the name is cut, before the character that does not fit as a whole.
 */
static bool pattern_matches(const char *pattern, const char *name)
{
    char begin[MAX_NAME_BYTES + 1];
    size_t n = strnlen(name, MAX_NAME_BYTES + 1);
    if (n <= MAX_NAME_BYTES)
        return fnmatch(pattern, name, FNM_CASEFOLD) == 0;
    n = MAX_NAME_BYTES;
    while (n && ((unsigned char)name[n] & 0xc0) == 0x80)
        n--;
    memcpy(begin, name, n);
    begin[n] = '\0';
    return fnmatch(pattern, begin, FNM_CASEFOLD) == 0;
}

bool weft_text_matches(const char *text, const char *name)
{
    return strpbrk(text, "*?") ? pattern_matches(text, name)
                               : strcasestr(name, text) != NULL;
}

/* Returns true if the site is at FILE:LINE.  The line is exact: "f.c:3" is not line 34. */
static bool is_at(const char *text, const struct weft_site *site)
{
    const char *colon = strrchr(text, ':');
    char *end;
    if (!colon || !isdigit((unsigned char)colon[1])
        || strtoul(colon + 1, &end, 10) != site->line || *end || !site->file[0])
        return false;
    const char *slash = strrchr(site->file, '/');
    char *file = weft_strndup(text, (size_t)(colon - text));
    bool there = weft_text_matches(file, site->file)
                 || weft_text_matches(file, slash ? slash + 1 : site->file);
    free(file);
    return there;
}

/*
 * Matches the site's function, its file, FILE:LINE, or the form of tables: "put
 * (buffer.c:34)".
 */
static bool site_matches(const char *text, const struct weft_schema *schema, uint32_t index)
{
    const struct weft_site *site = &schema->sites[index];
    struct weft_arena arena = { 0 };
    bool matches = weft_text_matches(text, site->function)
                   || weft_text_matches(text, site->file) || is_at(text, site)
                   || (strchr(text, '(')
                       && weft_text_matches(text, weft_site_text(&arena, schema, index)));
    weft_arena_free(&arena);
    return matches;
}

/* Notes once for each type what can match: there may be many values, and many tracks of a
   type. */
static void note_interest(struct weft_search *s)
{
    const struct weft_schema *schema = s->source->schema;
    for (uint32_t v = 0; s->any_value && v < schema->n_values; v++)
        s->interest[schema->values[v].type].values |= s->values[v];
    for (uint32_t f = 0; s->any_field && f < schema->n_fields; f++)
        s->interest[schema->fields[f].type].fields |=
            schema->fields[f].kind == WEFT_FIELD_TEXT
            || schema->fields[f].kind == WEFT_FIELD_SITE;
}

/* ---- Durations ---- */

/* Returns the length of one of UNIT in seconds; 0 if it is none. */
static double seconds_of(const char *unit)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = { { "s", 1 },     { "ms", 1e-3 }, { "us", 1e-6 },
                  { "µs", 1e-6 }, { "μs", 1e-6 }, { "ns", 1e-9 } };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i].name) == 0)
            return units[i].seconds;
    return 0;
}

/*
 * Returns SECONDS as ticks: the least whole number of at least that many (UP), or the
 * greatest of at most.
 */
static int64_t ticks_of(const struct weft_schema *schema, double seconds, bool up)
{
    double ticks = seconds / weft_ticks_to_seconds(schema, 1);
    double whole = round(ticks); /* decimals are no binary numbers: 0.1 us is 100 ns */
    if (fabs(ticks - whole) > 1e-6 * fmax(1, fabs(ticks)))
        whole = up ? ceil(ticks) : floor(ticks);
    return whole < (double)WEFT_TIME_LIMIT ? (int64_t)whole : WEFT_TIME_LIMIT;
}

/* Sets the range of durations that TEXT means; leaves them alone if it is no duration. */
static void read_duration(struct weft_search *s, const char *text)
{
    bool less = *text == '<', more = *text == '>';
    text += less || more;
    bool equal = (less || more) && *text == '=';
    text += equal;
    text += strspn(text, " ");
    size_t digits = strspn(text, "0123456789."), decimals = 0;
    const char *point = memchr(text, '.', digits);
    const char *unit = text + digits + strspn(text + digits, " ");
    double each = seconds_of(unit);
    if (!digits || digits > 15 || !each || (point && strchr(point + 1, '.')))
        return;
    if (point)
        decimals = (size_t)(text + digits - point) - 1;
    double value = strtod(text, NULL) * each;
    double half = less || more ? 0 : each * pow(10, -(double)decimals) / 2;
    const struct weft_schema *schema = s->source->schema;
    s->by_duration = true;
    s->shortest = less ? 0 : ticks_of(schema, value - half, true);
    s->longest = more ? WEFT_TIME_LIMIT : ticks_of(schema, value + half, false);
    if (more && !equal)
        s->shortest = ticks_of(schema, value, false) + 1;
    if (less && !equal)
        s->longest = ticks_of(schema, value, true) - 1;
}

struct weft_search *weft_search_new(const struct weft_source *source, const char *text)
{
    const struct weft_schema *schema = source->schema;
    struct weft_search *s = weft_zalloc(1, sizeof *s);
    s->source = source;
    s->text = weft_strdup(text);
    s->values = weft_zalloc(schema->n_values + 1, 1);
    s->strings = weft_zalloc(schema->n_strings + 1, 1);
    s->sites = weft_zalloc(schema->n_sites + 1, 1);
    s->containers = weft_zalloc(schema->n_containers + 1, 1);
    s->interest = weft_zalloc(schema->n_types + 1, sizeof *s->interest);
    read_duration(s, text);
    return s;
}

void weft_search_free(struct weft_search *s)
{
    if (!s)
        return;
    free(s->text);
    free(s->values);
    free(s->strings);
    free(s->sites);
    free(s->containers);
    free(s->interest);
    free(s);
}

static bool fields_match(const struct weft_search *s, uint64_t id)
{
    const struct weft_schema *schema = s->source->schema;
    struct weft_field_value values[MAX_FIELDS];
    size_t n = s->source->ops->fields(s->source, id, values, MAX_FIELDS);
    for (size_t i = 0; i < n; i++) {
        enum weft_field_kind kind = schema->fields[values[i].field].kind;
        if ((kind == WEFT_FIELD_TEXT && s->strings[values[i].index])
            || (kind == WEFT_FIELD_SITE && s->sites[values[i].index]))
            return true;
    }
    return false;
}

/* A walk over a track, to count hits or to find the nearest one. */
struct hit_walk {
    const struct weft_search *search;
    struct weft_interest interest;
    bool lengths; /* things of the track last, and the search is for a duration */
    bool (*hit)(struct hit_walk *walk, const struct weft_hit *hit);
    uint32_t container;
    void *user;
    struct weft_job *job;
    uint32_t looked;
};

static bool look(struct hit_walk *walk, uint64_t id, uint32_t value, int64_t begin,
                 int64_t end, uint32_t container)
{
    const struct weft_search *s = walk->search;
    bool matches = (walk->interest.values && value != WEFT_NONE && s->values[value])
                   || (walk->interest.fields && fields_match(s, id))
                   || (walk->lengths && weft_ticks_between(begin, end) >= s->shortest
                       && weft_ticks_between(begin, end) <= s->longest);
    if (!(++walk->looked & 0xffff) && weft_job_cancelled(walk->job))
        return false;
    return !matches || walk->hit(walk, &(struct weft_hit){ id, begin, end, container, 0 });
}

static bool see_state(void *user, const struct weft_state *state)
{
    struct hit_walk *walk = user;
    return look(walk, state->id, state->value, state->begin, state->end, walk->container);
}

static bool see_event(void *user, const struct weft_event *event)
{
    struct hit_walk *walk = user;
    return look(walk, event->id, event->value, event->time, event->time, walk->container);
}

static bool see_link(void *user, const struct weft_link *link)
{
    struct hit_walk *walk = user;
    return look(walk, link->id, link->value, link->begin, link->end,
                link->from == WEFT_NONE ? link->to : link->from);
}

static void walk_track(struct hit_walk *walk, uint32_t track, struct weft_span window)
{
    const struct weft_source *source = walk->search->source;
    const struct weft_track *t = &source->schema->tracks[track];
    walk->interest = walk->search->interest[t->type];
    walk->container = t->container;
    enum weft_kind kind = source->schema->types[t->type].kind;
    walk->lengths = walk->search->by_duration && kind != WEFT_EVENT;
    if (!walk->interest.values && !walk->interest.fields && !walk->lengths)
        return;
    switch (kind) {
    case WEFT_STATE: source->ops->states(source, track, window, see_state, walk); break;
    case WEFT_EVENT: source->ops->events(source, track, window, see_event, walk); break;
    case WEFT_LINK: source->ops->links(source, track, window, see_link, walk); break;
    case WEFT_CONTAINER:
    case WEFT_VARIABLE: break;
    }
}

static size_t bin_of(const struct weft_schema *schema, int64_t time)
{
    __int128 span = (__int128)schema->span.end - schema->span.begin + 1;
    __int128 at = ((__int128)time - schema->span.begin) * WEFT_SEARCH_BINS / span;
    return at < 0 ? 0 : at >= WEFT_SEARCH_BINS ? WEFT_SEARCH_BINS - 1 : (size_t)at;
}

static struct weft_span bin_span(const struct weft_schema *schema, size_t bin)
{
    __int128 span = (__int128)schema->span.end - schema->span.begin + 1;
    /* The first ticks t with bin_of(t) = bin, and with bin_of(t) = bin + 1. */
    __int128 low = (span * (int64_t)bin + WEFT_SEARCH_BINS - 1) / WEFT_SEARCH_BINS;
    __int128 high = (span * ((int64_t)bin + 1) + WEFT_SEARCH_BINS - 1) / WEFT_SEARCH_BINS;
    return (struct weft_span){ (int64_t)(schema->span.begin + low),
                               (int64_t)(schema->span.begin + high) };
}

static bool count_hit(struct hit_walk *walk, const struct weft_hit *hit)
{
    struct weft_search *s = walk->user;
    atomic_fetch_add_explicit(&s->count, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&s->bins[bin_of(s->source->schema, hit->begin)], 1,
                              memory_order_relaxed);
    return true;
}

struct search_run {
    struct weft_search *search;
    struct weft_job *job;
    _Atomic uint64_t done;
};

static void run_track(void *user, size_t track)
{
    struct search_run *run = user;
    const struct weft_schema *schema = run->search->source->schema;
    struct hit_walk walk = {
        .search = run->search, .hit = count_hit, .user = run->search, .job = run->job
    };
    if (weft_job_cancelled(run->job))
        return;
    walk_track(&walk, (uint32_t)track,
               (struct weft_span){ schema->span.begin, schema->span.end + 1 });
    (void)!weft_job_step(run->job, atomic_fetch_add(&run->done, 1) + 1, schema->n_tracks,
                         NULL);
}

/*
 * Matches the names, before entities are looked at.  They may be many and long: it may stop
 * when the job is cancelled.
 */
static void match_names(struct weft_search *s, const struct weft_job *job)
{
    const struct weft_schema *schema = s->source->schema;
    const char *text = s->text;
    if (!text[0])
        return;
    for (uint32_t i = 0; i < schema->n_containers && !weft_job_cancelled(job); i++)
        s->n_containers += s->containers[i] =
            weft_text_matches(text, schema->containers[i].name);
    for (uint32_t i = 0; i < schema->n_values && !weft_job_cancelled(job); i++)
        s->any_value |= s->values[i] = weft_text_matches(text, schema->values[i].name);
    for (uint32_t i = 0; i < schema->n_strings && !weft_job_cancelled(job); i++)
        s->any_field |= s->strings[i] = weft_text_matches(text, schema->strings[i]);
    for (uint32_t i = 0; i < schema->n_sites && !weft_job_cancelled(job); i++)
        s->any_field |= s->sites[i] = site_matches(text, schema, i);
    note_interest(s);
}

bool weft_search_run(struct weft_search *search, struct weft_job *job, struct weft_err *err)
{
    struct search_run run = { search, job, 0 };
    match_names(search, job);
    if (!weft_job_cancelled(job)
        && (search->any_value || search->any_field || search->by_duration))
        weft_parallel(search->source->schema->n_tracks, 1, run_track, &run);
    if (weft_job_cancelled(job))
        return weft_fail(err, WEFT_ERR_CANCELLED, "cancelled");
    return true;
}

struct nearest {
    int64_t begin; /* of the hit to go on from */
    uint64_t id;
    bool backward, any;
    uint64_t ahead, others; /* hits of the bin that are in the direction, and not */
    struct weft_span window;
    struct weft_hit best;
};

static bool is_before(int64_t begin_a, uint64_t id_a, int64_t begin_b, uint64_t id_b)
{
    return begin_a < begin_b || (begin_a == begin_b && id_a < id_b);
}

static bool near_hit(struct hit_walk *walk, const struct weft_hit *hit)
{
    struct nearest *n = walk->user;
    if (hit->begin < n->window.begin || hit->begin >= n->window.end)
        return true; /* it begins in another bin */
    bool ahead = n->backward ? is_before(hit->begin, hit->id, n->begin, n->id)
                             : is_before(n->begin, n->id, hit->begin, hit->id);
    n->ahead += ahead;
    n->others += !ahead;
    bool nearer =
        !n->any || is_before(hit->begin, hit->id, n->best.begin, n->best.id) != n->backward;
    if (ahead && nearer) {
        n->best = *hit;
        n->any = true;
    }
    return true;
}

bool weft_search_next(struct weft_search *search, int64_t begin, uint64_t id, bool backward,
                      struct weft_job *job, struct weft_hit *hit)
{
    const struct weft_schema *schema = search->source->schema;
    struct nearest nearest = { .begin = begin, .id = id, .backward = backward };
    size_t bin = bin_of(schema, begin);
    for (;;) {
        nearest.window = bin_span(schema, bin);
        for (uint32_t t = 0; search->bins[bin] && t < schema->n_tracks; t++) {
            struct hit_walk walk = {
                .search = search, .hit = near_hit, .user = &nearest, .job = job
            };
            if (weft_job_cancelled(job))
                return false;
            walk_track(&walk, t, nearest.window);
        }
        if (weft_job_cancelled(job)) /* the nearest so far may not be the nearest */
            return false;
        if (nearest.any) {
            *hit = nearest.best;
            hit->number = backward ? nearest.ahead : nearest.others + 1;
            while (bin--)
                hit->number += search->bins[bin];
            return true;
        }
        nearest.ahead = nearest.others = 0;
        if (backward ? bin == 0 : bin + 1 == WEFT_SEARCH_BINS)
            return false;
        bin = backward ? bin - 1 : bin + 1;
    }
}
