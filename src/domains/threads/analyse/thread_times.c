/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/threads/analyse/thread_times.h"

#include <inttypes.h>

#include "analyse/lifetime.h"
#include "analyse/track_state_times.h"
#include "analyse/without_wait.h"
#include "domains/threads/analyse/spinning.h"
#include "store/time.h"

enum { SHORT_NS = 1000000, FEW = 16 };

/* Kinds of time by the roles of values; the first that fits counts. */
static const struct {
    enum weft_role role;
    enum thread_time time;
} kinds[] = {
    { WEFT_ROLE_BUSY, THREAD_RUNNING },
    { WEFT_ROLE_OVERHEAD, THREAD_RUNNING },
    { WEFT_ROLE_READY, THREAD_READY },
    { WEFT_ROLE_BLOCKED_ON_LOCK, THREAD_LOCK },
    { WEFT_ROLE_BLOCKED_ON_CONDITION, THREAD_CONDITION },
    { WEFT_ROLE_BLOCKED_ON_SEMAPHORE, THREAD_SEMAPHORE },
    { WEFT_ROLE_BLOCKED_ON_BARRIER, THREAD_BARRIER },
    { WEFT_ROLE_BLOCKED_ON_END, THREAD_END },
    { WEFT_ROLE_BLOCKED_ON_INPUT_OUTPUT, THREAD_INPUT_OUTPUT },
    { WEFT_ROLE_BLOCKED, THREAD_OTHER },
    { WEFT_ROLE_SLEEPING, THREAD_SLEEPING },
};

static enum thread_time kind_of(const struct weft_schema *schema, uint32_t value)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (weft_role_is(schema->values[value].role, kinds[i].role))
            return kinds[i].time;
    return THREAD_UNKNOWN;
}

static bool is_below(const struct weft_schema *schema, uint32_t container, uint32_t under)
{
    uint32_t place = schema->containers[container].order;
    const struct weft_container *root = &schema->containers[under];

    return place >= root->order && place < root->subtree_end;
}

/* Returns true for the states that tell what an executor did; calls are inside them. */
static bool is_activity(const struct weft_schema *schema, uint32_t track)
{
    const struct weft_track *of = &schema->tracks[track];
    enum weft_role role = schema->types[of->type].role;

    return weft_role_is(role, WEFT_ROLE_ACTIVITY)
           && !weft_role_is(role, WEFT_ROLE_COMMUNICATION)
           && weft_role_is(schema->containers[of->container].role, WEFT_ROLE_EXECUTOR);
}

bool thread_times_known(const struct weft_schema *schema)
{
    for (uint32_t track = 0; track < schema->n_tracks; track++)
        if (is_activity(schema, track))
            return true;
    return false;
}

/* Returns a container's fact with ROLE, a count; -1 if it has none. */
static int64_t count_of(const struct weft_schema *schema, uint32_t container,
                        enum weft_role role)
{
    const struct weft_field_value *fact =
        weft_container_fact(schema, container, role, WEFT_FIELD_INTEGER);

    return fact && fact->integer >= 0 ? fact->integer : -1;
}

/* Sets what performance counters counted of the thread; -1: not known. */
static void add_counters(const struct weft_schema *schema, struct thread_times *times)
{
    size_t n_facts, n = 0;
    const struct weft_field_value *facts =
        weft_container_facts(schema, times->container, &n_facts);

    for (uint32_t f = 0; f < schema->n_fields && n < THREAD_COUNTERS; f++) {
        if (!weft_role_is(schema->fields[f].role, WEFT_ROLE_COUNTED)
            || schema->fields[f].kind != WEFT_FIELD_INTEGER)
            continue;
        for (size_t i = 0; i < n_facts; i++)
            if (facts[i].field == f && facts[i].integer >= 0)
                times->counters[n] = facts[i].integer;
        n++;
    }
}

/* Sets what is known of the thread's whole life, if WINDOW has all of that. */
static void add_counts(const struct weft_schema *schema, struct weft_span window,
                       struct thread_times *times)
{
    const struct weft_container *thread = &schema->containers[times->container];

    times->system_ns = times->page_faults = -1;
    times->voluntary_switches = times->preemptions = times->migrations = -1;
    for (int i = 0; i < THREAD_COUNTERS; i++)
        times->counters[i] = -1;
    if (thread->begin < window.begin || thread->end > window.end)
        return;
    times->system_ns = count_of(schema, times->container, WEFT_ROLE_SYSTEM_TIME);
    times->page_faults = count_of(schema, times->container, WEFT_ROLE_PAGE_FAULTS);
    times->voluntary_switches =
        count_of(schema, times->container, WEFT_ROLE_VOLUNTARY_SWITCHES);
    times->preemptions = count_of(schema, times->container, WEFT_ROLE_PREEMPTIONS);
    times->migrations = count_of(schema, times->container, WEFT_ROLE_PROCESSOR_CHANGES);
    add_counters(schema, times);
}

static struct thread_times times_of(const struct weft_source *source,
                                    const struct weft_type_values *of_types, uint32_t track,
                                    struct weft_span window, struct weft_track_sums *sums)
{
    const struct weft_schema *schema = source->schema;
    struct thread_times times = { .container = schema->tracks[track].container,
                                  .lifetime = weft_track_lifetime(schema, track, window) };
    int64_t known = 0;

    add_counts(schema, window, &times);
    weft_sums_of_track(source, of_types, track, window, sums);
    for (size_t i = 0; i < sums->n; i++) {
        enum thread_time kind = kind_of(schema, sums->values[i]);
        int64_t ticks = sums->of[sums->values[i]].self_ticks;
        if (kind == THREAD_UNKNOWN)
            continue;
        times.of[kind] += ticks;
        if (weft_role_is(schema->values[sums->values[i]].role, WEFT_ROLE_SPINNING))
            times.spinning += ticks;
        known += ticks;
    }
    if (times.lifetime < known)
        times.lifetime = known;
    times.of[THREAD_UNKNOWN] = times.lifetime - known;
    return times;
}

/*
 * Returns how long the thread of TRACK, which has TIMES, spun: by its own states (in
 * TIMES), and besides in waits that runtimes report.  Waits that two runtimes report at
 * once count twice, but no more than it ran.
 */
static int64_t spinning_of(const struct weft_spinning *spinning, uint32_t track,
                           struct weft_span window, const struct thread_times *times)
{
    int64_t ticks =
        weft_ticks_add(times->spinning, weft_spinning_ticks(spinning, track, window));

    return ticks < times->of[THREAD_RUNNING] ? ticks : times->of[THREAD_RUNNING];
}

static bool is_short(const struct weft_schema *schema, const struct thread_times *times)
{
    return weft_ticks_to_ns(schema, times->lifetime) < SHORT_NS;
}

/* Returns how many short threads from LIST[AT] on, to N, are in the same process. */
static size_t count_short(const struct weft_schema *schema, const struct thread_times *list,
                          size_t at, size_t n)
{
    uint32_t process = schema->containers[list[at].container].parent;
    size_t many = 0;

    for (; at < n && schema->containers[list[at].container].parent == process; at++)
        many += is_short(schema, &list[at]);
    return many;
}

/* A sum with an unknown number is unknown. */
static int64_t add_known(int64_t a, int64_t b)
{
    return a < 0 || b < 0 ? -1 : weft_ticks_add(a, b);
}

static void add(struct thread_times *to, const struct thread_times *times)
{
    to->folded++;
    to->lifetime = weft_ticks_add(to->lifetime, times->lifetime);
    to->spinning = weft_ticks_add(to->spinning, times->spinning);
    to->system_ns = add_known(to->system_ns, times->system_ns);
    to->page_faults = add_known(to->page_faults, times->page_faults);
    to->voluntary_switches = add_known(to->voluntary_switches, times->voluntary_switches);
    to->preemptions = add_known(to->preemptions, times->preemptions);
    to->migrations = add_known(to->migrations, times->migrations);
    for (int i = 0; i < THREAD_COUNTERS; i++)
        to->counters[i] = add_known(to->counters[i], times->counters[i]);
    for (int i = 0; i < THREAD_TIMES; i++)
        to->of[i] = weft_ticks_add(to->of[i], times->of[i]);
}

/*
 * Folds the short threads of each process with many of them into its first; returns the
 * number of rows that are left.
 */
static size_t fold(const struct weft_schema *schema, struct thread_times *list, size_t n)
{
    size_t kept = 0, into = 0;
    uint32_t process = WEFT_NONE;
    bool folds = false, has_row = false;

    for (size_t i = 0; i < n; i++) {
        uint32_t parent = schema->containers[list[i].container].parent;
        struct thread_times times = list[i];
        if (i == 0 || parent != process) {
            process = parent;
            folds = count_short(schema, list, i, n) > FEW;
            has_row = false;
        }
        if (!folds || !is_short(schema, &times)) {
            list[kept++] = times;
            continue;
        }
        if (!has_row) {
            has_row = true;
            into = kept;
            list[kept++] = (struct thread_times){ .container = parent };
        }
        add(&list[into], &times);
    }
    return kept;
}

bool thread_times_read(const struct weft_source *source, uint32_t under,
                       struct weft_span window, struct weft_arena *arena,
                       struct weft_job *job, struct thread_times **list, size_t *n,
                       struct weft_err *err)
{
    const struct weft_schema *schema = source->schema;
    struct weft_type_values of_types = weft_type_values(schema, arena);
    struct weft_track_sums sums;
    const uint8_t *waits = weft_wait_classes(schema, arena);
    struct weft_spinning spinning;
    bool ok = true;

    *n = 0;
    weft_spinning_find(source, arena, &spinning);
    *list = weft_arena_alloc(arena, (schema->n_tracks + 1) * sizeof **list);
    weft_track_sums_begin(&sums, schema);
    for (uint32_t track = 0; track < schema->n_tracks && ok; track++) {
        ok = track % 64 || weft_job_step(job, track, schema->n_tracks, err);
        if (!is_activity(schema, track)
            || !is_below(schema, schema->tracks[track].container, under))
            continue;
        (*list)[*n] = times_of(source, &of_types, track, window, &sums);
        (void)weft_longest_without_wait(source, waits, track, window,
                                        &(*list)[*n].without_wait);
        (*list)[*n].spinning = spinning_of(&spinning, track, window, &(*list)[*n]);
        *n += (*list)[*n].lifetime > 0;
    }
    weft_track_sums_end(&sums);
    if (ok)
        *n = fold(schema, *list, *n);
    return ok;
}

bool thread_times_beyond(const struct weft_schema *schema, const struct thread_times *list,
                         size_t n, struct weft_span window, struct running_bound *bound)
{
    int64_t begin = window.begin > schema->span.begin ? window.begin : schema->span.begin;
    int64_t end = window.end < schema->span.end ? window.end : schema->span.end;
    uint64_t processors = 0;

    *bound = (struct running_bound){ 0 };
    for (uint32_t h = 0; h < schema->n_hosts; h++) {
        if (schema->hosts[h].processors == 0)
            return false;
        processors += schema->hosts[h].processors;
    }
    if (processors == 0 || begin >= end
        || (uint64_t)(end - begin) > (uint64_t)INT64_MAX / processors)
        return false;
    bound->processors = processors;
    bound->possible = (end - begin) * (int64_t)processors;
    for (size_t i = 0; i < n; i++)
        bound->ran = weft_ticks_add(bound->ran, list[i].of[THREAD_RUNNING]);
    return (double)bound->ran > 1.01 * (double)bound->possible;
}

const char *thread_times_beyond_text(const struct weft_schema *schema,
                                     const struct running_bound *bound,
                                     struct weft_arena *arena)
{
    char ran[WEFT_TIME_TEXT], possible[WEFT_TIME_TEXT];

    return weft_arena_printf(arena,
                             "threads are running for %s, but %" PRIu64
                             " processor%s only %s: it is not known when they had one",
                             weft_duration_text(schema, bound->ran, ran), bound->processors,
                             bound->processors == 1 ? " has" : "s have",
                             weft_duration_text(schema, bound->possible, possible));
}
