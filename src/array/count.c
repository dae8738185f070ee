/* SPDX-License-Identifier: Apache-2.0 */
#include "array/count.h"

#include <stdlib.h>
#include <string.h>

#include "array/count_priv.h"

uint64_t weft_count_all_processors(const struct weft_count_query *query)
{
    uint64_t n = weft_profile_processors(query->profile);
    if (query->distributions && weft_distributions_processors(query->distributions) > n)
        n = weft_distributions_processors(query->distributions);
    if (query->rule == WEFT_COMPUTE_PROCESSOR && query->processor >= n)
        n = query->processor + 1;
    return n ? n : 1;
}

/* What is done with the patterns of a query, in order of steps. */
struct each {
    const struct weft_count_query *query;
    uint32_t array; /* or WEFT_NONE: all */
    struct weft_job *job;
    struct weft_err *err;
};

static bool each_pattern(const struct each *each,
                         bool (*visit)(void *user, const struct count_roles *roles),
                         void *user)
{
    const struct weft_count_query *query = each->query;
    uint64_t first = weft_profile_first(query->profile, query->first_step);
    uint64_t after = weft_profile_first(query->profile, query->after_step);
    for (uint64_t i = first; i < after; i++) {
        struct weft_pattern pattern;
        weft_profile_pattern(query->profile, i, &pattern);
        if (each->array != WEFT_NONE && pattern.array != each->array)
            continue;
        struct count_roles roles = count_roles_of(query, &pattern);
        if (!weft_job_step(each->job, i - first, after - first, each->err)
            || !visit(user, &roles))
            return false;
    }
    return true;
}

static void add(struct weft_reference_counts *to, const struct count_roles *roles,
                bool local)
{
    uint64_t times = roles->pattern.times;
    if (roles->pattern.operation == WEFT_REFERENCE_READ)
        *(local ? &to->local_reads : &to->remote_reads) += times;
    else
        *(local ? &to->local_writes : &to->remote_writes) += times;
}

/* ---- Elements ---- */

static bool count_elements(void *user, const struct count_roles *roles)
{
    struct weft_reference_counts *out = user;
    struct count_turn turn;
    count_turn_begin(&turn, &roles->pattern);
    do {
        struct count_reference reference =
            count_reference_of(roles, turn.element, turn.owner);
        add(&out[reference.element], roles, reference.local);
    } while (count_turn_next(&turn, &roles->pattern));
    return true;
}

bool weft_count_elements(const struct weft_count_query *query, uint32_t array,
                         struct weft_reference_counts *out, struct weft_job *job,
                         struct weft_err *err)
{
    return each_pattern(&(struct each){ query, array, job, err }, count_elements, out);
}

/* ---- Processors ---- */

struct by_processor {
    struct weft_reference_counts *out;
    bool by_requester;
};

static bool count_processors(void *user, const struct count_roles *roles)
{
    struct by_processor *by = user;
    struct count_turn turn;
    count_turn_begin(&turn, &roles->pattern);
    do {
        struct count_reference reference =
            count_reference_of(roles, turn.element, turn.owner);
        /* Who is not known is taken for the one that serves it. */
        bool asks = by->by_requester && reference.requester >= 0;
        add(&by->out[asks ? (uint64_t)reference.requester : reference.server], roles,
            reference.local);
    } while (count_turn_next(&turn, &roles->pattern));
    return true;
}

bool weft_count_processors(const struct weft_count_query *query, uint32_t array,
                           bool by_requester, struct weft_reference_counts *out,
                           struct weft_job *job, struct weft_err *err)
{
    struct by_processor by = { out, by_requester };
    return each_pattern(&(struct each){ query, array, job, err }, count_processors, &by);
}

/* ---- Flows ---- */

/* An element that one processor must have of another in a step. */
struct need {
    uint32_t from, to;
    uint32_t array, write;
    uint64_t element, references;
};

struct flows {
    const struct weft_profile *profile;
    uint32_t step;
    struct need *needs; /* of the step */
    size_t n_needs, need_capacity;
    struct weft_flow *flows; /* of steps before, sorted when there are many */
    size_t n, capacity, sorted;
};

static int by_need(const void *left, const void *right)
{
    const struct need *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    if (a->array != b->array)
        return a->array < b->array ? -1 : 1;
    if (a->write != b->write)
        return a->write < b->write ? -1 : 1;
    return (a->element > b->element) - (a->element < b->element);
}

static int by_pair(const void *left, const void *right)
{
    const struct weft_flow *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

/* Equal needs become one. */
static void combine_needs(struct flows *flows)
{
    size_t n = 0;
    if (flows->n_needs)
        qsort(flows->needs, flows->n_needs, sizeof *flows->needs, by_need);
    for (size_t i = 0; i < flows->n_needs; i++) {
        if (n && by_need(&flows->needs[n - 1], &flows->needs[i]) == 0)
            flows->needs[n - 1].references += flows->needs[i].references;
        else
            flows->needs[n++] = flows->needs[i];
    }
    flows->n_needs = n;
}

static void combine_flows(struct flows *flows)
{
    size_t n = 0;
    if (flows->n)
        qsort(flows->flows, flows->n, sizeof *flows->flows, by_pair);
    for (size_t i = 0; i < flows->n; i++) {
        const struct weft_flow *flow = &flows->flows[i];
        if (!n || by_pair(&flows->flows[n - 1], flow) != 0) {
            flows->flows[n++] = *flow;
            continue;
        }
        struct weft_flow *to = &flows->flows[n - 1];
        to->references += flow->references;
        to->elements += flow->elements;
        to->messages += flow->messages;
        to->bytes += flow->bytes;
    }
    flows->n = flows->sorted = n;
}

/* The needs of a step become a flow for each pair, of one message. */
static void end_step(struct flows *flows)
{
    combine_needs(flows);
    for (size_t i = 0; i < flows->n_needs;) {
        const struct need *first = &flows->needs[i];
        struct weft_flow flow = { .from = first->from, .to = first->to, .messages = 1 };
        for (; i < flows->n_needs && flows->needs[i].from == flow.from
               && flows->needs[i].to == flow.to;
             i++) {
            const struct need *need = &flows->needs[i];
            flow.references += need->references;
            flow.elements++;
            flow.bytes += weft_profile_array(flows->profile, need->array)->element_bytes;
        }
        flows->flows =
            weft_grow(flows->flows, &flows->capacity, flows->n + 1, sizeof *flows->flows);
        flows->flows[flows->n++] = flow;
    }
    flows->n_needs = 0;
    if (flows->n > 2 * flows->sorted + 4096)
        combine_flows(flows);
}

static bool count_flows(void *user, const struct count_roles *roles)
{
    enum { MANY = 1 << 20 }; /* needs, after which equal ones are looked for */
    struct flows *flows = user;
    const struct weft_pattern *pattern = &roles->pattern;
    if (pattern->step != flows->step)
        end_step(flows);
    flows->step = pattern->step;
    struct count_turn turn;
    count_turn_begin(&turn, pattern);
    size_t limit = MANY;
    do {
        struct count_reference reference =
            count_reference_of(roles, turn.element, turn.owner);
        if (reference.local || reference.requester < 0)
            continue;
        bool write = pattern->operation == WEFT_REFERENCE_WRITE;
        uint32_t requester = (uint32_t)reference.requester;
        flows->needs = weft_grow(flows->needs, &flows->need_capacity, flows->n_needs + 1,
                                 sizeof *flows->needs);
        flows->needs[flows->n_needs++] =
            (struct need){ .from = write ? requester : reference.server,
                           .to = write ? reference.server : requester,
                           .array = pattern->array,
                           .write = write,
                           .element = reference.element,
                           .references = pattern->times };
        if (flows->n_needs >= limit) {
            combine_needs(flows);
            limit = 2 * flows->n_needs + MANY;
        }
    } while (count_turn_next(&turn, pattern));
    return true;
}

bool weft_count_flows(const struct weft_count_query *query, uint32_t array,
                      struct weft_flow **out, size_t *n, struct weft_job *job,
                      struct weft_err *err)
{
    struct flows flows = { .profile = query->profile, .step = query->first_step };
    bool ok = each_pattern(&(struct each){ query, array, job, err }, count_flows, &flows);
    if (ok) {
        end_step(&flows);
        combine_flows(&flows);
    }
    free(flows.needs);
    *out = flows.flows;
    *n = flows.n;
    if (!ok) {
        free(flows.flows);
        *out = NULL;
        *n = 0;
    }
    return ok;
}

/* ---- Requesters ---- */

struct asking {
    uint64_t element;
    uint32_t requester;
};

struct requesters {
    uint32_t step;
    struct asking *asking; /* in the step */
    size_t n, capacity;
    uint32_t *out;
};

static int by_asking(const void *left, const void *right)
{
    const struct asking *a = left, *b = right;
    if (a->element != b->element)
        return a->element < b->element ? -1 : 1;
    return (a->requester > b->requester) - (a->requester < b->requester);
}

static void combine_asking(struct requesters *r)
{
    size_t n = 0;
    if (r->n)
        qsort(r->asking, r->n, sizeof *r->asking, by_asking);
    for (size_t i = 0; i < r->n; i++)
        if (!n || by_asking(&r->asking[n - 1], &r->asking[i]) != 0)
            r->asking[n++] = r->asking[i];
    r->n = n;
}

static void end_asking(struct requesters *r)
{
    combine_asking(r);
    for (size_t i = 0; i < r->n;) {
        uint64_t element = r->asking[i].element;
        uint32_t count = 0;
        for (; i < r->n && r->asking[i].element == element; i++)
            count++;
        if (count > r->out[element])
            r->out[element] = count;
    }
    r->n = 0;
}

static bool count_requesters(void *user, const struct count_roles *roles)
{
    enum { MANY = 1 << 20 };
    struct requesters *r = user;
    if (roles->pattern.step != r->step)
        end_asking(r);
    r->step = roles->pattern.step;
    struct count_turn turn;
    count_turn_begin(&turn, &roles->pattern);
    size_t limit = MANY;
    do {
        struct count_reference reference =
            count_reference_of(roles, turn.element, turn.owner);
        if (reference.requester < 0)
            continue;
        r->asking = weft_grow(r->asking, &r->capacity, r->n + 1, sizeof *r->asking);
        r->asking[r->n++] =
            (struct asking){ reference.element, (uint32_t)reference.requester };
        if (r->n >= limit) {
            combine_asking(r);
            limit = 2 * r->n + MANY;
        }
    } while (count_turn_next(&turn, &roles->pattern));
    return true;
}

bool weft_count_requesters(const struct weft_count_query *query, uint32_t array,
                           uint32_t *out, struct weft_job *job, struct weft_err *err)
{
    struct requesters r = { .step = query->first_step, .out = out };
    memset(out, 0,
           weft_array_elements(weft_profile_array(query->profile, array)) * sizeof *out);
    bool ok = each_pattern(&(struct each){ query, array, job, err }, count_requesters, &r);
    if (ok)
        end_asking(&r);
    free(r.asking);
    return ok;
}
