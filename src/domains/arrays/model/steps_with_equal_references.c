/* SPDX-License-Identifier: Apache-2.0 */
/* Finds equal steps. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/hash_map.h"
#include "domains/arrays/model/count_priv.h"

static const struct weft_distribution *of(const struct weft_count_query *query,
                                          uint32_t array, uint32_t step)
{
    return query->distributions && array != WEFT_NONE
               ? weft_distributions_of(query->distributions, array, step)
               : NULL;
}

/* A pattern without its step, but with the distributions of its arrays. */
struct step_pattern {
    struct weft_pattern pattern;
    const struct weft_distribution *served_by, *asked_by;
};

static struct step_pattern happening_of(const struct weft_count_query *query,
                                        uint64_t number)
{
    struct step_pattern happening;
    memset(&happening, 0, sizeof happening);
    struct weft_pattern pattern;
    weft_profile_pattern(query->profile, number, &pattern);
    happening.served_by = of(query, pattern.array, pattern.step);
    happening.asked_by = of(query, pattern.owner_array, pattern.step);
    struct weft_pattern *to = &happening.pattern;
    to->array = pattern.array;
    to->owner_array = pattern.owner_array;
    to->operation = pattern.operation;
    to->owner_processor = pattern.owner_processor;
    to->requester_processor = pattern.requester_processor;
    to->local = pattern.local;
    to->times = pattern.times;
    to->element = pattern.element;
    to->owner = pattern.owner;
    memcpy(to->extent, pattern.extent, sizeof to->extent);
    memcpy(to->stride, pattern.stride, sizeof to->stride);
    memcpy(to->owner_stride, pattern.owner_stride, sizeof to->owner_stride);
    return happening;
}

static uint64_t hash_step(const struct weft_count_query *query, uint32_t step)
{
    uint64_t hash = 0, after = weft_profile_first(query->profile, step + 1);
    for (uint64_t i = weft_profile_first(query->profile, step); i < after; i++) {
        struct step_pattern happening = happening_of(query, i);
        hash =
            hash * UINT64_C(0x9e3779b97f4a7c15) + weft_hash(&happening, sizeof happening);
    }
    return hash;
}

static bool same_steps(const struct weft_count_query *query, uint32_t a, uint32_t b)
{
    uint64_t i = weft_profile_first(query->profile, a);
    uint64_t k = weft_profile_first(query->profile, b);
    uint64_t n = weft_profile_first(query->profile, a + 1) - i;
    bool same = weft_profile_first(query->profile, b + 1) - k == n;
    for (; n && same; n--, i++, k++) {
        struct step_pattern left = happening_of(query, i), right = happening_of(query, k);
        same = memcmp(&left, &right, sizeof left) == 0;
    }
    return same;
}

struct count_step *count_steps(const struct weft_count_query *query, size_t *n,
                               uint32_t *number, const struct weft_job *job)
{
    struct weft_id_map map = { 0 }; /* from a hash to the latest step with it */
    struct count_step *steps = NULL;
    size_t capacity = 0;
    uint32_t after = weft_profile_steps(query->profile);
    after = query->after_step < after ? query->after_step : after;
    *n = 0;
    for (uint32_t step = weft_profile_next_step(query->profile, query->first_step);
         step < after && !weft_job_cancelled(job);
         step = weft_profile_next_step(query->profile, step + 1)) {
        uint64_t hash = hash_step(query, step);
        uint32_t at = weft_id_map_get(&map, hash);
        bool known = at != WEFT_MAP_NONE && same_steps(query, steps[at].step, step);
        if (number)
            number[step] = known ? at : (uint32_t)*n;
        if (known) {
            steps[at].times++;
            continue;
        }
        steps = weft_grow(steps, &capacity, *n + 1, sizeof *steps);
        weft_id_map_put(&map, hash, (uint32_t)*n);
        steps[(*n)++] = (struct count_step){ step, 1 };
    }
    weft_id_map_free(&map);
    return steps;
}

/* ---- Their patterns ---- */

void count_patterns_begin(struct count_patterns *patterns,
                          const struct weft_count_query *query, uint32_t array,
                          struct weft_job *job, struct weft_err *err)
{
    *patterns = (struct count_patterns){
        .query = query, .array = array, .job = job, .err = err, .ok = true
    };
    array_work_begin(&patterns->work, query->profile, job, NULL);
    patterns->steps = count_steps(query, &patterns->n, NULL, job);
    patterns->step = SIZE_MAX;
}

bool count_patterns_next(struct count_patterns *patterns, struct count_roles *roles)
{
    const struct weft_count_query *query = patterns->query;
    for (;;) {
        while (patterns->next == patterns->after) {
            if (++patterns->step >= patterns->n)
                return false;
            uint32_t step = patterns->steps[patterns->step].step;
            patterns->next = weft_profile_first(query->profile, step);
            patterns->after = weft_profile_first(query->profile, step + 1);
        }
        patterns->ok =
            weft_job_step(patterns->job, patterns->step, patterns->n, patterns->err)
            && array_work_end(&patterns->work, patterns->err);
        struct weft_pattern pattern;
        weft_profile_pattern(query->profile, patterns->next++, &pattern);
        if (!patterns->ok)
            return false;
        if (patterns->array != WEFT_NONE && pattern.array != patterns->array)
            continue;
        *roles = count_roles_of(query, &pattern);
        return true;
    }
}

bool count_patterns_end(struct count_patterns *patterns)
{
    free(patterns->steps);
    return patterns->ok && array_work_end(&patterns->work, patterns->err);
}
