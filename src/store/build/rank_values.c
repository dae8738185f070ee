/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks values.  There may be a million of them, so sorting looks at the job. */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "store/build/builder_priv.h"
#include "store/time.h"

enum { RUN = 1 << 13 /* values that are sorted between two looks: some milliseconds */ };

struct ranked_value {
    int64_t self_ticks;
    const char *name;
    uint32_t type, value;
};

static int compare_values(const void *left, const void *right)
{
    const struct ranked_value *a = left, *b = right;
    return WEFT_COMPARE(a->type, b->type) ?: WEFT_COMPARE(b->self_ticks, a->self_ticks)
           ?: strcmp(a->name, b->name) ?: WEFT_COMPARE(a->value, b->value);
}

/* Merges two adjacent sorted runs into TO. */
static bool merge(const struct ranked_value *from, size_t n_left, size_t n,
                  struct ranked_value *to, struct weft_job *job, struct weft_err *err)
{
    for (size_t i = 0, left = 0, right = n_left; i < n; i++) {
        if (i % RUN == 0 && !weft_job_step(job, i, n, err))
            return false;
        bool from_left =
            right == n || (left < n_left && compare_values(&from[left], &from[right]) < 0);
        to[i] = from[from_left ? left++ : right++];
    }
    return true;
}

/* Sorts *LIST, which may move. */
static bool sort_values(struct ranked_value **list, size_t n, struct weft_job *job,
                        struct weft_err *err)
{
    bool ok = true;
    for (size_t at = 0; at < n && ok; at += RUN) {
        qsort(*list + at, n - at < RUN ? n - at : RUN, sizeof **list, compare_values);
        ok = weft_job_step(job, at, n, err);
    }
    if (!ok || n <= RUN)
        return ok;
    struct ranked_value *to = weft_alloc(n * sizeof *to);
    for (size_t run = RUN; run < n && ok; run *= 2) {
        for (size_t at = 0; at < n && ok; at += 2 * run) {
            size_t both = n - at < 2 * run ? n - at : 2 * run;
            ok = merge(*list + at, both < run ? both : run, both, to + at, job, err);
        }
        struct ranked_value *swap = *list;
        *list = to;
        to = swap;
    }
    free(to);
    return ok;
}

/* Rank the values of each type by their self time over the whole trace. */
bool weft_build_ranks(struct weft_builder *b, struct weft_job *job, struct weft_err *err)
{
    for (size_t t = 0; t < b->n_tracks; t++) {
        const struct build_track *track = &b->tracks[t];
        for (size_t i = 0; i < track->n_codes; i++) {
            struct weft_file_value *value = &b->values[track->code_values[i]];
            value->self_ticks = weft_ticks_add(value->self_ticks, track->codes[i].self);
        }
    }
    struct ranked_value *list = weft_alloc(b->n_values * sizeof *list);
    for (size_t v = 0; v < b->n_values; v++)
        list[v] =
            (struct ranked_value){ b->values[v].self_ticks, b->text + b->values[v].name,
                                   b->values[v].type, (uint32_t)v };
    bool ok = sort_values(&list, b->n_values, job, err);
    for (size_t i = 0, first = 0; i < b->n_values && ok; i++) {
        if (list[i].type != list[first].type)
            first = i;
        b->values[list[i].value].rank = (uint32_t)(i - first);
    }
    free(list);
    for (size_t t = 0; t < b->n_types; t++)
        b->types[t].slots = b->type_values[t] <= 8 ? 8 : 16;
    return ok;
}
