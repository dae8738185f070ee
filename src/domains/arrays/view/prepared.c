/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "domains/arrays/view/prepared_priv.h"

static struct weft_set one_of(const struct weft_use *use)
{
    return (struct weft_set){ use->request->set->sources, 1 };
}

/* ---- Profiles ---- */

static bool make_profile(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                         struct weft_err *err)
{
    struct weft_profile *profile = weft_profile_open(args->set->sources[0], args->job, err);
    if (!profile)
        return false;
    *thing = profile;
    *bytes = weft_profile_patterns(profile) * sizeof(uint64_t) + 4096;
    return true;
}

static void free_profile(void *thing)
{
    weft_profile_close(thing);
}

static const struct weft_preparation profile_preparation = { "references", make_profile,
                                                             free_profile };

const struct weft_profile *arrays_use_profile(struct weft_use *use, struct weft_err *err)
{
    const struct weft_set one = one_of(use);
    return weft_use_get(use, &profile_preparation, &one, NULL, 0, err);
}

static const struct weft_held *hold_profile(const struct weft_prepare_args *args,
                                            struct weft_err *err)
{
    return weft_prepare(args->shelf, &profile_preparation, args->set, NULL, 0, args->job,
                        err);
}

/* ---- Distributions ---- */

struct kept_distributions {
    struct weft_distributions *distributions;
    const struct weft_held *profile; /* the profile that has the arrays */
};

static void free_distributions(void *thing)
{
    struct kept_distributions *kept = thing;
    weft_distributions_free(kept->distributions);
    weft_release(kept->profile);
    free(kept);
}

static bool make_distributions(const struct weft_prepare_args *args, void **thing,
                               size_t *bytes, struct weft_err *err)
{
    const struct weft_held *profile = hold_profile(args, err);
    if (!profile)
        return false;
    struct kept_distributions *kept = weft_alloc(sizeof *kept);
    *kept = (struct kept_distributions){
        weft_distributions_parse("distribution", args->parameters, args->size,
                                 profile->thing, err),
        profile,
    };
    if (!kept->distributions) {
        free_distributions(kept);
        return false;
    }
    *thing = kept;
    *bytes = sizeof *kept + 4 * args->size; /* a map in memory is shorter than its text */
    return true;
}

static const struct weft_preparation distributions_preparation = { "distributions",
                                                                   make_distributions,
                                                                   free_distributions };

const struct weft_distributions *
arrays_use_distributions(struct weft_use *use, const char *text, struct weft_err *err)
{
    const struct weft_set one = one_of(use);
    const struct kept_distributions *kept =
        weft_use_get(use, &distributions_preparation, &one, text, strlen(text), err);
    return kept ? kept->distributions : NULL;
}

/* ---- What the trace says ---- */

struct found_key {
    uint32_t array, step;
};

static void free_found(void *thing)
{
    struct arrays_found *found = thing;
    free(found->owner);
    free(found);
}

/* Iterations between two checks of the job, and in all: a pattern may refer to an element
   many times. */
enum { STEP = 1 << 16 };
#define MAX_TURNS (UINT64_C(1) << 36)

/*
 * Sets the owner of all elements of a pattern; loops that stay at one element are skipped.
 */
static bool own_pattern(uint32_t *owner, const struct weft_pattern *pattern,
                        uint64_t *turns, struct weft_job *job, struct weft_err *err)
{
    struct weft_pattern still = *pattern;
    const struct weft_pattern *of = &still;
    uint64_t i[WEFT_PATTERN_LOOPS] = { 0 };
    for (int k = 0; k < WEFT_PATTERN_LOOPS; k++)
        if (!still.stride[k])
            still.extent[k] = 1;
    for (;;) {
        if (++*turns % STEP == 0 && !weft_job_step(job, 0, 0, err))
            return false;
        if (*turns > MAX_TURNS)
            return weft_fail(
                err, WEFT_ERR_LIMIT,
                "the trace says too often who owns the elements of this array");
        uint64_t element = of->element;
        for (int k = 0; k < WEFT_PATTERN_LOOPS; k++)
            element += i[k] * (uint64_t)of->stride[k];
        owner[element] = (uint32_t)of->owner_processor;
        int k = 0;
        while (k < WEFT_PATTERN_LOOPS && ++i[k] == of->extent[k])
            i[k++] = 0;
        if (k == WEFT_PATTERN_LOOPS)
            return true;
    }
}

static bool find_owners(struct arrays_found *found, const struct weft_profile *profile,
                        const struct found_key *key, struct weft_job *job,
                        struct weft_err *err)
{
    uint64_t n = weft_profile_first(profile, key->step + 1), turns = 0;
    for (uint64_t i = 0; i < n; i++) {
        struct weft_pattern pattern;
        weft_profile_pattern(profile, i, &pattern);
        if (pattern.array == key->array && pattern.owner_processor >= 0
            && !own_pattern(found->owner, &pattern, &turns, job, err))
            return false;
        if (i % 4096 == 0 && !weft_job_step(job, i, n, err))
            return false;
    }
    return true;
}

static bool make_found(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                       struct weft_err *err)
{
    const struct found_key *key = args->parameters;
    const struct weft_held *profile = hold_profile(args, err);
    if (!profile)
        return false;
    uint64_t n = weft_array_elements(weft_profile_array(profile->thing, key->array));
    struct arrays_found *found = weft_zalloc(1, sizeof *found);
    bool ok = n <= ARRAYS_ELEMENTS_MAX
              || weft_fail(err, WEFT_ERR_LIMIT, "%llu elements are too many for a picture",
                           (unsigned long long)n);
    if (ok) {
        found->owner = weft_alloc(n * sizeof *found->owner);
        for (uint64_t i = 0; i < n; i++)
            found->owner[i] = WEFT_NONE;
        ok = find_owners(found, profile->thing, key, args->job, err);
    }
    weft_release(profile);
    if (!ok) {
        free_found(found);
        return false;
    }
    *thing = found;
    *bytes = sizeof *found + n * sizeof *found->owner;
    return true;
}

static const struct weft_preparation found_preparation = { "owners in the trace",
                                                           make_found, free_found };

const struct arrays_found *arrays_use_found(struct weft_use *use, uint32_t array,
                                            uint32_t step, struct weft_err *err)
{
    const struct weft_set one = one_of(use);
    const struct found_key key = { array, step };
    return weft_use_get(use, &found_preparation, &one, &key, sizeof key, err);
}

/* ---- What counts are made from ---- */

void *arrays_make_key(const struct arrays_question *q, const void *key, size_t size,
                      size_t *total)
{
    size_t length = strlen(q->text);
    char *bytes = weft_arena_alloc(q->arena, size + length);
    memcpy(bytes, key, size);
    memcpy(bytes + size, q->text, length);
    *total = size + length;
    return bytes;
}

bool arrays_hold(const struct weft_prepare_args *args, size_t size,
                 struct arrays_held *held, struct weft_err *err)
{
    const char *text = (const char *)args->parameters + size;
    *held = (struct arrays_held){ .profile = hold_profile(args, err) };
    if (held->profile && args->size > size)
        held->distributions =
            weft_prepare(args->shelf, &distributions_preparation, args->set, text,
                         args->size - size, args->job, err);
    if (held->profile && (held->distributions || args->size == size)) {
        held->query.profile = held->profile->thing;
        if (held->distributions)
            held->query.distributions =
                ((const struct kept_distributions *)held->distributions->thing)
                    ->distributions;
        return true;
    }
    arrays_let_go(held);
    return false;
}

void arrays_let_go(struct arrays_held *held)
{
    weft_release(held->distributions);
    weft_release(held->profile);
}
