/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/messages/analyse/last_comers.h"

#include <stdlib.h>

#include "base/binary_search.h"
#include "base/compare.h"
#include "domains/messages/model/traffic.h"

/* A call that waited, and who came last, when. */
struct last_comer {
    uint64_t call; /* id of the state */
    int64_t entry;
    uint32_t processor;
};

struct weft_last_comers {
    struct last_comer *list; /* by call */
    size_t n, capacity;
};

/* The two of a set of calls that entered last; NULL: there are fewer. */
struct latest {
    const struct weft_collective_call *first, *second;
};

static void see_sender(struct latest *latest, const struct weft_collective_call *call)
{
    if (!latest->first || call->entry > latest->first->entry) {
        latest->second = latest->first;
        latest->first = call;
    } else if (!latest->second || call->entry > latest->second->entry) {
        latest->second = call;
    }
}

/* Add CALL if another of the senders entered later. */
static void add_waiter(struct weft_last_comers *comers, const struct latest *senders,
                       const struct weft_collective_call *call)
{
    const struct weft_collective_call *last =
        senders->first == call ? senders->second : senders->first;
    if (!last || last->entry <= call->entry || call->state == WEFT_NO_ID)
        return;
    comers->list =
        weft_grow(comers->list, &comers->capacity, comers->n + 1, sizeof *comers->list);
    comers->list[comers->n++] =
        (struct last_comer){ call->state, last->entry, last->processor };
}

/* In an operation of pattern prefix, a call needs the data of lower ranks only. */
static void add_operation(struct weft_last_comers *comers, const struct weft_collective *of,
                          const struct weft_collective_call *calls)
{
    struct latest senders = { NULL, NULL };
    if (of->pattern == WEFT_ROLE_NONE)
        return;
    for (uint32_t i = 0; i < of->n_calls; i++) {
        if (weft_collective_sends(of, &calls[i]))
            see_sender(&senders, &calls[i]);
        if (of->pattern == WEFT_ROLE_PREFIX)
            add_waiter(comers, &senders, &calls[i]);
    }
    for (uint32_t i = 0; of->pattern != WEFT_ROLE_PREFIX && i < of->n_calls; i++)
        if (weft_collective_receives(of, &calls[i]))
            add_waiter(comers, &senders, &calls[i]);
}

static int by_call(const void *a, const void *b)
{
    const struct last_comer *x = a, *y = b;
    return WEFT_COMPARE(x->call, y->call) ?: WEFT_COMPARE(x->entry, y->entry)
           ?: WEFT_COMPARE(x->processor, y->processor);
}

static bool has_collectives(const struct weft_schema *schema)
{
    for (uint32_t t = 0; t < schema->n_tracks; t++) {
        const struct weft_type *type = &schema->types[schema->tracks[t].type];
        if (type->kind == WEFT_EVENT && schema->tracks[t].count
            && weft_role_is(type->role, WEFT_ROLE_COLLECTIVE_OPERATION))
            return true;
    }
    return false;
}

bool weft_last_comers_read(const struct weft_processors *processors, struct weft_job *job,
                           struct weft_last_comers **out, struct weft_err *err)
{
    *out = NULL;
    if (!has_collectives(processors->source->schema))
        return true;
    struct weft_traffic *traffic =
        weft_traffic_make(processors->source, processors, job, err);
    if (!traffic)
        return false;
    struct weft_last_comers *comers = weft_zalloc(1, sizeof *comers);
    for (size_t i = 0; i < traffic->n_collectives; i++)
        add_operation(comers, &traffic->collectives[i],
                      traffic->calls + traffic->collectives[i].first_call);
    weft_traffic_free(traffic);
    if (comers->n)
        qsort(comers->list, comers->n, sizeof *comers->list, by_call);
    *out = comers;
    return true;
}

uint32_t weft_last_comer_of(const struct weft_last_comers *comers,
                            const struct weft_state *call, int64_t *entry)
{
    size_t n = comers ? comers->n : 0;
    size_t after = WEFT_FIRST(i, 0, n, comers->list[i].call > call->id);
    if (!after || comers->list[after - 1].call != call->id
        || comers->list[after - 1].entry > call->end)
        return WEFT_NONE;
    if (entry)
        *entry = comers->list[after - 1].entry;
    return comers->list[after - 1].processor;
}

size_t weft_last_comers_bytes(const struct weft_last_comers *comers)
{
    return comers ? sizeof *comers + comers->capacity * sizeof *comers->list : 0;
}

void weft_last_comers_free(struct weft_last_comers *comers)
{
    if (comers)
        free(comers->list);
    free(comers);
}
