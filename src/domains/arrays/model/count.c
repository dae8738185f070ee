/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/arrays/model/count.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "domains/arrays/model/count_priv.h"

uint64_t weft_count_all_processors(const struct weft_count_query *query)
{
    uint64_t n = weft_profile_processors(query->profile);
    if (query->distributions && weft_distributions_processors(query->distributions) > n)
        n = weft_distributions_processors(query->distributions);
    if (query->rule == WEFT_COMPUTE_PROCESSOR && query->processor >= n)
        n = query->processor + 1;
    return n ? n : 1;
}

/* Visits the patterns of a query, in order of steps. */
struct pattern_scan {
    const struct weft_count_query *query;
    uint32_t array; /* WEFT_NONE for all */
    struct weft_job *job;
    struct weft_err *err;
};

static bool each_pattern(const struct pattern_scan *scan,
                         bool (*visit)(void *user, const struct count_roles *roles,
                                       struct array_work *work),
                         void *user)
{
    struct array_work work;
    array_work_begin(&work, scan->query->profile, scan->job, NULL);
    const struct weft_count_query *query = scan->query;
    uint64_t first = weft_profile_first(query->profile, query->first_step);
    uint64_t after = weft_profile_first(query->profile, query->after_step);
    for (uint64_t i = first; i < after; i++) {
        struct weft_pattern pattern;
        weft_profile_pattern(query->profile, i, &pattern);
        if (scan->array != WEFT_NONE && pattern.array != scan->array)
            continue;
        struct count_roles roles = count_roles_of(query, &pattern);
        if (!weft_job_step(scan->job, i - first, after - first, scan->err)
            || !visit(user, &roles, &work))
            return false;
        if (!array_work_goes_on(&work))
            break;
    }
    return array_work_end(&work, scan->err);
}

static void add(struct weft_reference_counts *to, const struct count_roles *roles,
                bool local, uint64_t turns)
{
    *count_field(roles, to, local) += roles->pattern.times * turns;
}

/* ---- Processors ---- */

struct by_processor {
    struct weft_reference_counts *out;
    bool by_requester;
    uint64_t steps; /* number of steps with the pattern */
    const struct count_roles *roles;
    struct parts parts;
};

static bool count_box(void *user, const struct array_box *box)
{
    struct by_processor *by = user;
    struct parts_pair pair;
    count_parts(by->roles, box, &by->parts);
    parts_first(&by->parts, &pair);
    do {
        uint32_t server = count_server(by->roles, &pair);
        int64_t requester = count_requester(by->roles, &pair);
        /* An unknown requester is taken to be the server. */
        bool local = count_pair_is_local(by->roles, server, requester);
        bool own_copy = local && by->roles->local < 0;
        bool asks = (by->by_requester || own_copy) && requester >= 0;
        add(&by->out[asks ? (uint64_t)requester : server], by->roles, local,
            pair.turns * by->steps);
    } while (parts_next(&by->parts, &pair));
    return array_work_goes_on(by->parts.work);
}

bool weft_count_processors(const struct weft_count_query *query, uint32_t array,
                           bool by_requester, struct weft_reference_counts *out,
                           struct weft_job *job, struct weft_err *err)
{
    struct by_processor by = { .out = out, .by_requester = by_requester };
    struct count_patterns patterns;
    count_patterns_begin(&patterns, query, array, job, err);
    by.parts.work = &patterns.work;
    struct count_roles roles;
    while (count_patterns_next(&patterns, &roles)) {
        by.roles = &roles;
        by.steps = patterns.steps[patterns.step].times;
        array_boxes(&roles.pattern, roles.array, roles.asked_by ? roles.owner_array : NULL,
                    count_box, &by);
    }
    parts_free(&by.parts);
    return count_patterns_end(&patterns);
}

/* ---- One by one ---- */

struct reference_visitor {
    bool (*visit)(void *user, const struct weft_reference *reference);
    void *user;
};

static bool visit_each(void *user, const struct count_roles *roles, struct array_work *work)
{
    const struct reference_visitor *visitor = user;
    const struct weft_pattern *pattern = &roles->pattern;
    struct count_turn turn;
    count_turn_begin(&turn, pattern);
    do {
        struct count_reference reference =
            count_reference_of(roles, turn.element, turn.owner);
        const struct weft_reference out = { .step = pattern->step,
                                            .array = pattern->array,
                                            .operation = pattern->operation,
                                            .element = turn.element,
                                            .times = pattern->times,
                                            .server = reference.server,
                                            .requester = reference.requester,
                                            .local = reference.local,
                                            .unowned = roles->unowned };
        if (!visitor->visit(visitor->user, &out))
            return false;
    } while (count_turn_next(&turn, pattern) && array_work_report(work, 1));
    return true;
}

bool weft_count_each(const struct weft_count_query *query, uint32_t array,
                     bool (*visit)(void *user, const struct weft_reference *reference),
                     void *user, struct weft_job *job, struct weft_err *err)
{
    struct reference_visitor visitor = { visit, user };
    return each_pattern(&(struct pattern_scan){ query, array, job, err }, visit_each,
                        &visitor);
}

/* ---- Requesters ---- */

struct requester_search {
    uint64_t element;
    uint32_t requester;
};

struct requesters {
    uint32_t step;
    struct requester_search *searches; /* requesters of elements in the step */
    size_t n, capacity;
    uint32_t *out;
};

static int by_asking(const void *left, const void *right)
{
    const struct requester_search *a = left, *b = right;
    return WEFT_COMPARE(a->element, b->element) ?: WEFT_COMPARE(a->requester, b->requester);
}

static void combine_asking(struct requesters *r, struct array_work *work)
{
    size_t n = 0;
    if (!array_work_sort(work, r->searches, r->n, sizeof *r->searches, by_asking))
        return;
    for (size_t i = 0; i < r->n; i++)
        if (!n || by_asking(&r->searches[n - 1], &r->searches[i]) != 0)
            r->searches[n++] = r->searches[i];
    r->n = n;
}

static void end_asking(struct requesters *r, struct array_work *work)
{
    combine_asking(r, work);
    for (size_t i = 0; i < r->n;) {
        uint64_t element = r->searches[i].element;
        uint32_t count = 0;
        for (; i < r->n && r->searches[i].element == element; i++)
            count++;
        if (count > r->out[element])
            r->out[element] = count;
    }
    r->n = 0;
}

static bool count_requesters(void *user, const struct count_roles *roles,
                             struct array_work *work)
{
    enum { MANY = 1 << 20 };
    struct requesters *r = user;
    if (roles->pattern.step != r->step)
        end_asking(r, work);
    r->step = roles->pattern.step;
    struct count_turn turn;
    count_turn_begin(&turn, &roles->pattern);
    size_t limit = r->n + MANY;
    do {
        struct count_reference reference =
            count_reference_of(roles, turn.element, turn.owner);
        if (reference.requester < 0)
            continue;
        r->searches = weft_grow(r->searches, &r->capacity, r->n + 1, sizeof *r->searches);
        r->searches[r->n++] =
            (struct requester_search){ reference.element, (uint32_t)reference.requester };
        if (r->n >= limit) {
            combine_asking(r, work);
            limit = 2 * r->n + MANY;
            (void)array_work_keep(work, r->n);
        }
    } while (array_work_report(work, 1) && count_turn_next(&turn, &roles->pattern));
    return true;
}

bool weft_count_requesters(const struct weft_count_query *query, uint32_t array,
                           uint32_t *out, struct weft_job *job, struct weft_err *err)
{
    struct requesters r = { .step = query->first_step, .out = out };
    memset(out, 0,
           weft_array_elements(weft_profile_array(query->profile, array)) * sizeof *out);
    bool ok = each_pattern(&(struct pattern_scan){ query, array, job, err },
                           count_requesters, &r);
    struct array_work work;
    array_work_begin(&work, query->profile, job, NULL);
    if (ok)
        end_asking(&r, &work);
    free(r.searches);
    return ok && array_work_end(&work, err);
}
