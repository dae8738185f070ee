/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the flows between processors. */
#include <stdlib.h>
#include <string.h>

#include "domains/arrays/model/count_flows.h"

#include "base/compare.h"

/* ---- One by one ---- */

/* An element that one processor needs from another in a step. */
struct need {
    uint32_t from, to;
    uint32_t array, write;
    uint64_t element, references;
};

struct needs {
    struct need *rows;
    size_t n, capacity;
};

static int by_need(const void *left, const void *right)
{
    const struct need *a = left, *b = right;
    return WEFT_COMPARE(a->from, b->from) ?: WEFT_COMPARE(a->to, b->to)
           ?: WEFT_COMPARE(a->array, b->array) ?: WEFT_COMPARE(a->write, b->write)
           ?: WEFT_COMPARE(a->element, b->element);
}

/* Merges equal needs. */
static void combine_needs(struct needs *needs, struct array_work *work)
{
    size_t n = 0;
    if (!array_work_sort(work, needs->rows, needs->n, sizeof *needs->rows, by_need))
        return;
    for (size_t i = 0; i < needs->n; i++) {
        if (n && by_need(&needs->rows[n - 1], &needs->rows[i]) == 0)
            needs->rows[n - 1].references += needs->rows[i].references;
        else
            needs->rows[n++] = needs->rows[i];
    }
    needs->n = n;
}

static void add_needs(struct needs *needs, const struct count_roles *roles,
                      struct array_work *work)
{
    enum { MANY = 1 << 20 }; /* needs after which equal ones are merged */
    const struct weft_pattern *pattern = &roles->pattern;
    bool write = pattern->operation == WEFT_REFERENCE_WRITE;
    size_t limit = needs->n + MANY;
    struct count_turn turn;
    count_turn_begin(&turn, pattern);
    do {
        struct count_reference reference =
            count_reference_of(roles, turn.element, turn.owner);
        if (reference.local || reference.requester < 0)
            continue;
        uint32_t requester = (uint32_t)reference.requester;
        needs->rows =
            weft_grow(needs->rows, &needs->capacity, needs->n + 1, sizeof *needs->rows);
        needs->rows[needs->n++] =
            (struct need){ .from = write ? requester : reference.server,
                           .to = write ? reference.server : requester,
                           .array = pattern->array,
                           .write = write,
                           .element = reference.element,
                           .references = pattern->times };
        if (needs->n >= limit) {
            combine_needs(needs, work);
            limit = 2 * needs->n + MANY;
            (void)array_work_keep(work, needs->n);
        }
    } while (array_work_report(work, 1) && count_turn_next(&turn, pattern));
}

static void flow_one_by_one(struct count_flows *flows)
{
    struct needs needs = { 0 };
    for (size_t i = 0; i < flows->n_patterns; i++)
        add_needs(&needs, &flows->patterns[i], flows->work);
    combine_needs(&needs, flows->work);
    for (size_t i = 0; i < needs.n && array_work_goes_on(flows->work);) {
        const struct need *first = &needs.rows[i];
        struct weft_flow flow = { .from = first->from, .to = first->to, .messages = 1 };
        for (;
             i < needs.n && needs.rows[i].from == flow.from && needs.rows[i].to == flow.to;
             i++) {
            const struct need *need = &needs.rows[i];
            flow.references += need->references;
            flow.elements++;
            flow.bytes += weft_profile_array(flows->profile, need->array)->element_bytes;
        }
        flows->visit(flows->user, &flow);
    }
    free(needs.rows);
}

/* ---- By parts ---- */

/* The contribution of a box to a flow. */
struct contribution {
    uint32_t from, to;
    uint32_t array, write;
    uint32_t box;
    uint64_t references, elements;
    uint32_t entry[ARRAY_BOX_LOOPS];
};

/* A box of the step; it and its parts are kept until the end of the step. */
struct flow_box {
    struct array_box box;
    struct parts parts;
    const struct count_roles *roles;
};

void count_flows_free(struct count_flows *flows)
{
    for (size_t i = 0; i < flows->box_capacity; i++)
        if (flows->boxes[i]) {
            parts_free(&flows->boxes[i]->parts);
            free(flows->boxes[i]);
        }
    free(flows->boxes);
    free(flows->contributions);
    free(flows->patterns);
    weft_arena_free(&flows->arena);
}

struct box_flows {
    struct count_flows *flows;
    const struct count_roles *roles;
};

static bool keep_box(void *user, const struct array_box *box)
{
    enum { MAX_BOXES = 1024 }; /* of a step: 6 MiB; with more, one by one is faster */
    const struct box_flows *box_flows = user;
    struct count_flows *flows = box_flows->flows;
    if (flows->n_boxes == MAX_BOXES)
        return false;
    if (flows->n_boxes == flows->box_capacity) {
        size_t before = flows->box_capacity;
        flows->boxes = weft_grow(flows->boxes, &flows->box_capacity, flows->n_boxes + 1,
                                 sizeof(void *));
        memset(flows->boxes + before, 0,
               (flows->box_capacity - before) * sizeof *flows->boxes);
    }
    if (!flows->boxes[flows->n_boxes])
        flows->boxes[flows->n_boxes] = weft_zalloc(1, sizeof **flows->boxes);
    struct flow_box *to = flows->boxes[flows->n_boxes++];
    to->box = *box;
    to->roles = box_flows->roles;
    to->parts.work = flows->work;
    count_parts(to->roles, &to->box, &to->parts);
    return array_work_goes_on(flows->work);
}

/* Limit of the words of sets in a union per iteration of a loop; beyond it, looking at
   references one by one is faster. */
enum { WORDS_OF_A_TURN = 64 };

static void contribute(struct count_flows *flows, uint32_t number)
{
    const struct flow_box *box = flows->boxes[number];
    const struct weft_pattern *pattern = &box->roles->pattern;
    bool write = pattern->operation == WEFT_REFERENCE_WRITE;
    struct parts_pair pair;
    parts_first(&box->parts, &pair);
    do {
        uint32_t server = count_server(box->roles, &pair);
        int64_t requester = count_requester(box->roles, &pair);
        if (requester < 0 || count_pair_is_local(box->roles, server, requester))
            continue;
        flows->words += pair.turns < COUNT_UNION_WORDS ? pair.turns * WORDS_OF_A_TURN
                                                       : COUNT_UNION_WORDS;
        flows->contributions =
            weft_grow(flows->contributions, &flows->contribution_capacity,
                      flows->n_contributions + 1, sizeof *flows->contributions);
        struct contribution *to = &flows->contributions[flows->n_contributions++];
        *to = (struct contribution){ .from = write ? (uint32_t)requester : server,
                                     .to = write ? server : (uint32_t)requester,
                                     .array = pattern->array,
                                     .write = write,
                                     .box = number,
                                     .references = pair.turns * pattern->times,
                                     .elements = pair.elements };
        memcpy(to->entry, pair.entry, sizeof to->entry);
    } while (array_work_keep(flows->work, flows->n_contributions)
             && parts_next(&box->parts, &pair));
}

static int by_contribution(const void *left, const void *right)
{
    const struct contribution *a = left, *b = right;
    return WEFT_COMPARE(a->from, b->from) ?: WEFT_COMPARE(a->to, b->to)
           ?: WEFT_COMPARE(a->array, b->array) ?: WEFT_COMPARE(a->write, b->write);
}

/* Counts the elements of N contributions to one flow of one array.  Returns false if they
   are no products, or too large. */
static bool union_of(struct count_flows *flows, const struct contribution *first, size_t n,
                     uint64_t *elements)
{
    *elements = first->elements;
    if (n == 1)
        return true;
    const struct weft_array *array = weft_profile_array(flows->profile, first->array);
    uint64_t most = flows->words < COUNT_UNION_WORDS ? flows->words : COUNT_UNION_WORDS;
    uint64_t left = most;
    if (n > most / count_product_words(array))
        return false;
    weft_arena_reset(&flows->arena);
    struct count_product *products = weft_arena_alloc(&flows->arena, n * sizeof *products);
    for (size_t i = 0; i < n; i++) {
        struct parts_pair pair;
        memcpy(pair.entry, first[i].entry, sizeof pair.entry);
        if (!count_product_of(&flows->boxes[first[i].box]->parts, &pair, array,
                              &flows->arena, &left, &products[i]))
            return false;
    }
    if (!count_union(products, n, array, &flows->arena, &left, elements))
        return false;
    flows->words -= most - left;
    return array_work_report(flows->work, most - left);
}

/* Replaces each run of equal contributions, which are sorted, by one with their number of
   elements. */
static bool unite(struct count_flows *flows)
{
    struct contribution *all = flows->contributions;
    size_t n = 0;
    for (size_t i = 0; i < flows->n_contributions;) {
        struct contribution sum = all[i];
        size_t first = i;
        sum.references = 0;
        for (; i < flows->n_contributions && by_contribution(&all[first], &all[i]) == 0;
             i++)
            sum.references += all[i].references;
        if (!union_of(flows, &all[first], i - first, &sum.elements))
            return false;
        all[n++] = sum;
    }
    flows->n_contributions = n;
    return true;
}

static void give(struct count_flows *flows)
{
    const struct contribution *all = flows->contributions;
    for (size_t i = 0; i < flows->n_contributions;) {
        struct weft_flow flow = { .from = all[i].from, .to = all[i].to, .messages = 1 };
        for (;
             i < flows->n_contributions && all[i].from == flow.from && all[i].to == flow.to;
             i++) {
            flow.references += all[i].references;
            flow.elements += all[i].elements;
            flow.bytes += all[i].elements
                          * weft_profile_array(flows->profile, all[i].array)->element_bytes;
        }
        flows->visit(flows->user, &flow);
    }
}

static bool flow_by_parts(struct count_flows *flows)
{
    flows->n_boxes = flows->n_contributions = 0;
    flows->words = 0;
    for (size_t i = 0; i < flows->n_patterns; i++) {
        const struct count_roles *roles = &flows->patterns[i];
        struct box_flows box_flows = { flows, roles };
        if (!array_boxes(&roles->pattern, roles->array,
                         roles->asked_by ? roles->owner_array : NULL, keep_box, &box_flows))
            return false;
    }
    for (size_t i = 0; i < flows->n_boxes; i++)
        contribute(flows, (uint32_t)i);
    if (!array_work_sort(flows->work, flows->contributions, flows->n_contributions,
                         sizeof *flows->contributions, by_contribution)
        || !unite(flows))
        return false;
    give(flows);
    return true;
}

void count_flows_add(struct count_flows *flows, const struct count_roles *roles)
{
    flows->patterns = weft_grow(flows->patterns, &flows->pattern_capacity,
                                flows->n_patterns + 1, sizeof *flows->patterns);
    flows->patterns[flows->n_patterns++] = *roles;
}

void count_flows_end_step(struct count_flows *flows)
{
    if (flows->n_patterns && !flow_by_parts(flows) && array_work_goes_on(flows->work))
        flow_one_by_one(flows);
    flows->n_patterns = 0;
}

/* ---- Of all steps ---- */

struct flow_sums {
    struct array_work *work;
    struct weft_flow *rows;
    size_t n, capacity, combined;
    uint64_t steps;
};

static int by_pair(const void *left, const void *right)
{
    const struct weft_flow *a = left, *b = right;
    return WEFT_COMPARE(a->from, b->from) ?: WEFT_COMPARE(a->to, b->to);
}

static void combine(struct flow_sums *sums)
{
    size_t n = 0;
    if (!array_work_sort(sums->work, sums->rows, sums->n, sizeof *sums->rows, by_pair))
        return;
    for (size_t i = 0; i < sums->n; i++) {
        const struct weft_flow *flow = &sums->rows[i];
        if (!n || by_pair(&sums->rows[n - 1], flow) != 0) {
            sums->rows[n++] = *flow;
            continue;
        }
        struct weft_flow *to = &sums->rows[n - 1];
        to->references += flow->references;
        to->elements += flow->elements;
        to->messages += flow->messages;
        to->bytes += flow->bytes;
    }
    sums->n = sums->combined = n;
}

static void add_flow(void *user, const struct weft_flow *flow)
{
    struct flow_sums *sums = user;
    if (!array_work_keep(sums->work, sums->n))
        return;
    sums->rows = weft_grow(sums->rows, &sums->capacity, sums->n + 1, sizeof *sums->rows);
    sums->rows[sums->n++] = (struct weft_flow){ flow->from,
                                                flow->to,
                                                flow->references * sums->steps,
                                                flow->elements * sums->steps,
                                                flow->messages * sums->steps,
                                                flow->bytes * sums->steps };
    if (sums->n > 2 * sums->combined + 4096)
        combine(sums);
}

bool weft_count_flows(const struct weft_count_query *query, uint32_t array,
                      struct weft_flow **out, size_t *n, struct weft_job *job,
                      struct weft_err *err)
{
    struct flow_sums sums = { 0 };
    struct count_flows flows = { .profile = query->profile,
                                 .visit = add_flow,
                                 .user = &sums };
    struct count_patterns patterns;
    struct count_roles roles;
    size_t step = SIZE_MAX;
    count_patterns_begin(&patterns, query, array, job, err);
    flows.work = sums.work = &patterns.work;
    while (count_patterns_next(&patterns, &roles)) {
        if (patterns.step != step)
            count_flows_end_step(&flows); /* sums.steps is that of the step before */
        step = patterns.step;
        sums.steps = patterns.steps[step].times;
        count_flows_add(&flows, &roles);
    }
    if (patterns.ok) {
        count_flows_end_step(&flows);
        combine(&sums);
    }
    count_flows_free(&flows);
    bool ok = count_patterns_end(&patterns);
    *out = ok ? sums.rows : NULL;
    *n = ok ? sums.n : 0;
    if (!ok)
        free(sums.rows);
    return ok;
}
