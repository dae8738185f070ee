/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of processors, and flows between them. */
#include <stdlib.h>
#include <string.h>

#include "domains/arrays/view/prepared_priv.h"

/* Limit of the counts of all processors and steps together: 32 MiB. */
enum { HISTORY_COUNTS = 1 << 20 };

struct counts_key {
    uint64_t processor;
    uint32_t array, rule, by_requester, processors, first, after;
    uint32_t history; /* counts up to and including each step from FIRST to AFTER */
    uint32_t unused;  /* zero, instead of padding, since keys are compared as bytes */
};

static struct counts_key key_of(const struct arrays_question *q,
                                enum arrays_statistic statistic)
{
    return (struct counts_key){ .processor = q->processor,
                                .array = q->number,
                                .rule = q->rule,
                                .processors = q->processors,
                                .first = arrays_first_step(q, statistic),
                                .after = q->step + 1 };
}

/* ---- Processors ---- */

static bool count_steps(const struct counts_key *key, struct weft_count_query *query,
                        struct weft_reference_counts *out, struct weft_job *job,
                        struct weft_err *err)
{
    uint32_t each = key->history ? 1 : key->after - key->first;
    for (uint32_t s = key->first; s < key->after; s += each) {
        query->first_step = s;
        query->after_step = s + each;
        if (!weft_job_step(job, s, key->after, err)
            || !weft_count_processors(query, key->array, key->by_requester,
                                      out + (size_t)(s - key->first) * key->processors, job,
                                      err))
            return false;
    }
    return true;
}

static void add_counts(struct weft_reference_counts *sum,
                       const struct weft_reference_counts *more)
{
    sum->local_reads += more->local_reads;
    sum->remote_reads += more->remote_reads;
    sum->local_writes += more->local_writes;
    sum->remote_writes += more->remote_writes;
    sum->unowned_reads += more->unowned_reads;
}

static void subtract_counts(struct weft_reference_counts *from,
                            const struct weft_reference_counts *less)
{
    from->local_reads -= less->local_reads;
    from->remote_reads -= less->remote_reads;
    from->local_writes -= less->local_writes;
    from->remote_writes -= less->remote_writes;
    from->unowned_reads -= less->unowned_reads;
}

static bool make_processors(const struct weft_prepare_args *args, void **thing,
                            size_t *bytes, struct weft_err *err)
{
    struct counts_key key;
    struct arrays_held held;
    memcpy(&key, args->parameters, sizeof key);
    if (!arrays_hold(args, sizeof key, &held, err))
        return false;
    held.query.rule = (enum weft_compute_rule)key.rule;
    held.query.processor = key.processor;
    size_t n = (size_t)key.processors * (key.history ? key.after - key.first : 1);
    struct weft_reference_counts *out = weft_zalloc(n, sizeof *out);
    bool ok = count_steps(&key, &held.query, out, args->job, err);
    arrays_let_go(&held);
    if (!ok) {
        free(out);
        return false;
    }
    for (size_t i = key.processors; i < n; i++) /* up to and including each step */
        add_counts(&out[i], &out[i - key.processors]);
    *thing = out;
    *bytes = n * sizeof *out;
    return true;
}

static const struct weft_preparation processors_preparation = { "references of processors",
                                                                make_processors, free };

struct weft_reference_counts *arrays_use_processors(struct arrays_question *q,
                                                    enum arrays_statistic statistic,
                                                    bool by_requester, struct weft_err *err)
{
    const struct weft_set one = { q->request->set->sources, 1 };
    struct counts_key key = key_of(q, statistic);
    key.by_requester = by_requester;
    key.history = q->steps <= HISTORY_COUNTS / q->processors;
    if (key.history) {
        key.first = 0;
        key.after = q->steps;
    }
    size_t size;
    const void *bytes = arrays_make_key(q, &key, sizeof key, &size);
    const struct weft_reference_counts *of =
        weft_use_get(q->request->use, &processors_preparation, &one, bytes, size, err);
    if (!of)
        return NULL;
    struct weft_reference_counts *out =
        weft_arena_alloc(q->arena, q->processors * sizeof *out);
    of += key.history ? (size_t)q->step * q->processors : 0;
    memcpy(out, of, q->processors * sizeof *out);
    for (uint32_t p = 0;
         key.history && statistic == ARRAYS_STEP && q->step && p < q->processors; p++)
        subtract_counts(&out[p], &of[(int64_t)p - q->processors]);
    return out;
}

/* ---- Flows ---- */

static void free_flows(void *thing)
{
    struct arrays_flows *flows = thing;
    free(flows->flows);
    free(flows);
}

static bool make_flows(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                       struct weft_err *err)
{
    struct counts_key key;
    struct arrays_held held;
    memcpy(&key, args->parameters, sizeof key);
    if (!arrays_hold(args, sizeof key, &held, err))
        return false;
    held.query.rule = (enum weft_compute_rule)key.rule;
    held.query.processor = key.processor;
    held.query.first_step = key.first;
    held.query.after_step = key.after;
    struct arrays_flows *flows = weft_zalloc(1, sizeof *flows);
    bool ok =
        weft_count_flows(&held.query, key.array, &flows->flows, &flows->n, args->job, err);
    arrays_let_go(&held);
    if (!ok) {
        free_flows(flows);
        return false;
    }
    *thing = flows;
    *bytes = sizeof *flows + flows->n * sizeof *flows->flows;
    return true;
}

static const struct weft_preparation flows_preparation = { "messages of references",
                                                           make_flows, free_flows };

const struct arrays_flows *arrays_use_flows(struct arrays_question *q, struct weft_err *err)
{
    const struct weft_set one = { q->request->set->sources, 1 };
    const struct counts_key key = key_of(q, q->statistic);
    size_t size;
    const void *bytes = arrays_make_key(q, &key, sizeof key, &size);
    return weft_use_get(q->request->use, &flows_preparation, &one, bytes, size, err);
}
