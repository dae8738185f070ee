/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/container_relevance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/track_state_times.h"
#include "base/compare.h"

static bool is_secondary(enum weft_role role)
{
    return weft_role_is(role, WEFT_ROLE_SYNCHRONIZATION)
           || weft_role_is(role, WEFT_ROLE_NETWORK) || weft_role_is(role, WEFT_ROLE_MEMORY)
           || weft_role_is(role, WEFT_ROLE_COMMUNICATOR);
}

/* Returns the time that a lock was contended, for which it had at least one waiter. */
static double contended(const struct weft_source *source, uint32_t track,
                        const struct weft_type_values *of_types,
                        struct weft_track_sums *sums)
{
    const struct weft_schema *schema = source->schema;
    double ticks = 0;
    weft_sums_of_track(source, of_types, track, schema->span, sums);
    for (size_t i = 0; i < sums->n; i++) {
        uint32_t v = sums->values[i];
        if (weft_role_is(schema->values[v].role, WEFT_ROLE_CONTENDED))
            ticks += (double)sums->of[v].self_ticks;
    }
    return ticks;
}

/*
 * Returns the integral over the trace of a number of waiters (or of the used part of a
 * network).
 */
static double integral(const struct weft_source *source, uint32_t track)
{
    const struct weft_schema *schema = source->schema;
    const struct weft_container *of = &schema->containers[schema->tracks[track].container];
    struct weft_envelope whole;
    if (of->end <= of->begin)
        return 0;
    source->ops->envelope(source, track, (struct weft_span){ of->begin, of->end }, 1,
                          &whole);
    return isfinite(whole.mean) && whole.mean > 0
               ? (double)whole.mean * (double)(of->end - of->begin)
               : 0;
}

static double waited_at(const struct weft_source *source, uint32_t container,
                        const struct weft_type_values *of_types,
                        struct weft_track_sums *sums)
{
    const struct weft_schema *schema = source->schema;
    uint32_t position = schema->containers[container].order;
    double ticks = 0;
    for (uint32_t i = schema->track_begin[position]; i < schema->track_begin[position + 1];
         i++) {
        uint32_t t = schema->track_at[i];
        const struct weft_type *type = &schema->types[schema->tracks[t].type];
        if (weft_role_is(type->role, WEFT_ROLE_SYNCHRONIZATION_STATE))
            ticks += contended(source, t, of_types, sums);
        else if (weft_role_is(type->role, WEFT_ROLE_WAITERS)
                 || weft_role_is(type->role, WEFT_ROLE_USAGE))
            ticks += integral(source, t);
    }
    return ticks;
}

/* Returns true if a container that is not secondary has tracks to show. */
static bool something_works(const struct weft_schema *schema, const bool *secondary)
{
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        if (schema->tracks[t].count && !secondary[schema->tracks[t].container]
            && schema->types[schema->tracks[t].type].kind != WEFT_LINK)
            return true;
    return false;
}

/* The value that all samples of a track have. */
struct same_value {
    double value;
    bool any, differs;
};

static bool compare_sample(void *user, const struct weft_sample *sample)
{
    struct same_value *same = user;
    same->differs |= same->any && sample->value != same->value;
    same->value = sample->value;
    same->any = true;
    return !same->differs;
}

/* Returns the value of a variable that never changes, or NAN. */
static double constant_of(const struct weft_source *source, uint32_t track)
{
    const struct weft_schema *schema = source->schema;
    const struct weft_type *type = &schema->types[schema->tracks[track].type];
    const struct weft_span all = { schema->span.begin, schema->span.end + 1 };
    struct same_value same = { 0 };
    struct weft_envelope bounds;
    if (type->kind != WEFT_VARIABLE || !schema->tracks[track].count
        || weft_role_is(type->role, WEFT_ROLE_CUMULATIVE))
        return NAN;
    source->ops->envelope(source, track, all, 1, &bounds);
    if (!(bounds.min == bounds.max))
        return NAN;
    source->ops->samples(source, track, all, compare_sample, &same);
    return same.any && !same.differs ? same.value : NAN;
}

static bool find_constants(const struct weft_source *source, struct weft_arena *arena,
                           struct weft_job *job, struct weft_relevance *out,
                           struct weft_err *err)
{
    uint32_t n = source->schema->n_tracks;
    bool ok = true;
    out->constant = weft_arena_alloc(arena, ((size_t)n + 1) * sizeof *out->constant);
    for (uint32_t t = 0; t < n && ok; t++) {
        out->constant[t] = constant_of(source, t);
        ok = t % 16 || weft_job_step(job, t, n, err);
    }
    return ok;
}

bool weft_relevance(const struct weft_source *source, struct weft_arena *arena,
                    struct weft_job *job, struct weft_relevance *out, struct weft_err *err)
{
    const struct weft_schema *schema = source->schema;
    uint32_t n = schema->n_containers;
    out->secondary = weft_arena_zalloc(arena, n + 1, sizeof *out->secondary);
    out->waited = weft_arena_zalloc(arena, n + 1, sizeof *out->waited);
    out->may_be_idle = weft_arena_zalloc(arena, n + 1, sizeof *out->may_be_idle);
    for (uint32_t c = 0; c < n; c++) {
        enum weft_role role = schema->containers[c].role;
        out->secondary[c] = is_secondary(role);
        out->may_be_idle[c] = weft_role_is(role, WEFT_ROLE_CONDITION)
                              || weft_role_is(role, WEFT_ROLE_SEMAPHORE);
    }
    if (!find_constants(source, arena, job, out, err))
        return false;
    if (!something_works(schema, out->secondary)) {
        memset(out->secondary, 0, n * sizeof *out->secondary);
        return true;
    }
    const struct weft_type_values of_types = weft_type_values(schema, arena);
    struct weft_track_sums sums;
    weft_track_sums_begin(&sums, schema);
    bool ok = true;
    for (uint32_t c = 0; c < n && ok; c++) {
        if (out->secondary[c])
            out->waited[c] = waited_at(source, c, &of_types, &sums);
        ok = c % 16 || weft_job_step(job, c, n, err);
    }
    weft_track_sums_end(&sums);
    return ok;
}

int weft_relevance_compare(const struct weft_relevance *relevance, uint32_t a, uint32_t b)
{
    const double *waited = relevance->waited;
    const bool *may_be_idle = relevance->may_be_idle;
    return WEFT_COMPARE(waited[b] > 0, waited[a] > 0)
           ?: WEFT_COMPARE(may_be_idle[a], may_be_idle[b])
           ?: WEFT_COMPARE(waited[b], waited[a]);
}

unsigned weft_type_order(const struct weft_schema *schema, uint32_t type)
{
    const struct weft_type *of = &schema->types[type];
    if (weft_role_is(of->role, WEFT_ROLE_ACTIVITY))
        return 0;
    bool secondary =
        weft_role_is(of->role, WEFT_ROLE_SYNCHRONIZATION_STATE)
        || (of->parent != WEFT_NONE && is_secondary(schema->types[of->parent].role));
    return secondary ? 2 : 1;
}

unsigned weft_value_order(const struct weft_schema *schema, uint32_t value)
{
    enum weft_role role = schema->values[value].role;
    return role == WEFT_ROLE_IDLE || weft_role_is(role, WEFT_ROLE_SLEEPING)
           || weft_role_is(role, WEFT_ROLE_FREE);
}
