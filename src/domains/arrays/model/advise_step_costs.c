/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/arrays/model/advise_step_costs.h"

#include <stdlib.h>
#include <string.h>

static void add_flow(void *user, const struct weft_flow *flow);

void advise_stepping_begin(struct advise_stepping *stepping,
                           const struct weft_advice_evaluation *evaluation,
                           const struct weft_advice_costs *costs, uint64_t processors,
                           struct weft_job *job, _Atomic uint64_t *taken)
{
    memset(stepping, 0, sizeof *stepping);
    array_work_begin(&stepping->effort, evaluation->profile, job, taken);
    stepping->evaluation = evaluation;
    stepping->costs = costs;
    stepping->processors = processors;
    for (uint32_t d = 0; d < WEFT_ARRAY_RANK; d++)
        stepping->offset[d + 1] =
            stepping->offset[d] + evaluation->candidates.dimension[d].n;
    stepping->work = weft_zalloc(processors, sizeof *stepping->work);
    stepping->messages = weft_zalloc(processors, sizeof *stepping->messages);
    stepping->bytes = weft_zalloc(processors, sizeof *stepping->bytes);
    stepping->pair_bytes = weft_zalloc(processors * processors, sizeof(uint64_t));
    stepping->sent = weft_zalloc(processors, sizeof *stepping->sent);
    stepping->share_of = weft_zalloc(processors * processors, sizeof(uint32_t));
    stepping->flows = (struct count_flows){ .profile = evaluation->profile,
                                            .work = &stepping->effort,
                                            .visit = add_flow,
                                            .user = stepping };
}

void advise_stepping_end(struct advise_stepping *stepping)
{
    size_t n_terms = stepping->offset[WEFT_ARRAY_RANK];
    for (size_t i = 0; i < stepping->box_capacity; i++) {
        if (!stepping->boxes[i])
            continue;
        for (size_t t = 0; t < n_terms; t++) {
            parts_free(&stepping->boxes[i]->terms[t].parts);
            free(stepping->boxes[i]->terms[t].pairs);
            free(stepping->boxes[i]->terms[t].entries);
        }
        free(stepping->boxes[i]->terms);
        free(stepping->boxes[i]);
    }
    free(stepping->boxes);
    advise_free_singles(stepping);
    free(stepping->patterns);
    free(stepping->work);
    free(stepping->messages);
    free(stepping->bytes);
    free(stepping->pair_bytes);
    free(stepping->pairs);
    free(stepping->share_of);
    free(stepping->shares);
    weft_arena_free(&stepping->arena);
    count_flows_free(&stepping->flows);
}

/* ---- Sums of a step ---- */

void advise_count(struct advise_stepping *stepping, uint32_t server, uint32_t requester,
                  bool local, uint64_t references)
{
    stepping->load[local ? requester : server] += references * stepping->times;
    stepping->work[requester] += references;
    stepping->remote += local ? 0 : references;
}

void advise_exchange(struct advise_stepping *stepping, uint32_t pair, uint64_t bytes)
{
    if (!stepping->pair_bytes[pair]) {
        stepping->pairs = weft_grow(stepping->pairs, &stepping->pairs_capacity,
                                    stepping->n_pairs + 1, sizeof *stepping->pairs);
        stepping->pairs[stepping->n_pairs++] = pair;
    }
    stepping->pair_bytes[pair] += bytes;
}

static void add_flow(void *user, const struct weft_flow *flow)
{
    struct advise_stepping *stepping = user;
    advise_exchange(stepping, flow->from * (uint32_t)stepping->processors + flow->to,
                    flow->bytes);
}

/* Returns the time of the slowest processor, and clears the data of the step. */
static double end_step(struct advise_stepping *stepping)
{
    const struct weft_advice_costs *costs = stepping->costs;
    double longest = 0;
    stepping->sums->remote += stepping->remote * stepping->times;
    stepping->remote = 0;
    for (size_t i = 0; i < stepping->n_pairs; i++) {
        uint32_t pair = stepping->pairs[i];
        uint64_t bytes = stepping->pair_bytes[pair];
        const uint64_t ends[] = { pair / stepping->processors,
                                  pair % stepping->processors };
        for (int e = 0; e < 2; e++) {
            stepping->messages[ends[e]]++;
            stepping->bytes[ends[e]] += bytes;
        }
        stepping->sums->bytes += bytes * stepping->times;
        stepping->pair_bytes[pair] = 0;
    }
    stepping->sums->messages += stepping->n_pairs * stepping->times;
    stepping->n_pairs = 0;
    for (uint64_t p = 0; p < stepping->processors; p++) {
        double takes = costs->access_ns * (double)stepping->work[p]
                       + costs->message_ns * (double)stepping->messages[p]
                       + costs->byte_ns * (double)stepping->bytes[p];
        longest = takes > longest ? takes : longest;
        stepping->sums->references += stepping->work[p] * stepping->times;
        stepping->work[p] = stepping->messages[p] = stepping->bytes[p] = 0;
    }
    return longest;
}

/* ---- By candidate ---- */

/*
 * Makes the product of sets, one for each dimension, whose elements are those of a share;
 * no loop of a box moves along two dimensions.  Returns false if the sets need too much
 * memory.
 */
static bool product_of(struct advise_stepping *stepping, const struct advise_share *share,
                       const struct candidate *candidate, struct count_product *out)
{
    const struct weft_pattern *pattern = &stepping->patterns[share->box->pattern];
    const struct weft_array *array = advise_array_of(stepping, pattern->array);
    const int8_t *to = stepping->evaluation->dimension[pattern->array];
    for (uint32_t k = 0; k < array->rank; k++) {
        uint32_t d = (uint32_t)to[k];
        struct advise_term *term =
            &share->box->terms[stepping->offset[d] + candidate->choice[d]];
        size_t words = (size_t)((array->shape[k] + 63) / 64);
        uint64_t *set = out->set[k] =
            weft_arena_zalloc(&stepping->arena, words, sizeof *set);
        uint64_t at = share->box->box.element[k];
        bool found = false;
        for (int i = 0; i < term->parts.n; i++) {
            struct dimension_part *part = &term->parts.parts[i];
            if (part->dimension != (int)k)
                continue;
            const uint64_t *indices = part_set(
                &term->parts, part, term->pairs[share->pick[d]].entry[i], array->shape[k]);
            if (!indices)
                return false;
            memcpy(set, indices, words * sizeof *set);
            found = true;
        }
        if (!found)
            set[at / 64] |= UINT64_C(1) << at % 64;
    }
    return true;
}

/* Counts the union of the shares of one pair and array.  Returns false if there is no room
   for the sets. */
static bool unite(struct advise_stepping *stepping, const struct advise_share *last,
                  const struct candidate *candidate, uint64_t *elements)
{
    const struct weft_pattern *pattern = &stepping->patterns[last->box->pattern];
    const struct weft_array *array = advise_array_of(stepping, pattern->array);
    uint64_t left = COUNT_UNION_WORDS, words = count_product_words(array);
    size_t n = 0, capacity = 0;
    struct count_product *products = NULL;
    weft_arena_reset(&stepping->arena);
    const struct advise_share *share = last;
    bool room = true;
    for (; share && room && left >= words;
         share = share->next ? &stepping->shares[share->next - 1] : NULL) {
        left -= words;
        products = weft_grow(products, &capacity, n + 1, sizeof *products);
        room = product_of(stepping, share, candidate, &products[n++]);
    }
    bool ok = !share && room
              && count_union(products, n, array, &stepping->arena, &left, elements)
              && array_work_report(&stepping->effort, COUNT_UNION_WORDS - left);
    free(products);
    return ok;
}

/* After all boxes of one array and operation: adds the elements that each pair exchanges.
   Returns false if this takes too much memory, and nothing was added. */
static bool end_array(struct advise_stepping *stepping, const struct candidate *candidate,
                      uint64_t element_bytes)
{
    bool ok = true;
    for (size_t i = stepping->n_shares; i-- > 0;) {
        const struct advise_share *share = &stepping->shares[i];
        if (stepping->share_of[share->pair] != i + 1)
            continue; /* not the latest share of its pair */
        uint64_t elements = share->elements;
        ok = ok && (!share->next || unite(stepping, share, candidate, &elements));
        stepping->share_of[share->pair] = 0;
        if (ok)
            advise_exchange(stepping, share->pair, elements * element_bytes);
    }
    stepping->n_shares = 0;
    return ok;
}

static void add_share(struct advise_stepping *stepping, const struct advise_box *box,
                      uint32_t pair, uint64_t elements, const uint32_t *pick)
{
    stepping->shares = weft_grow(stepping->shares, &stepping->share_capacity,
                                 stepping->n_shares + 1, sizeof *stepping->shares);
    struct advise_share *share = &stepping->shares[stepping->n_shares++];
    share->pair = pair;
    share->box = box;
    share->elements = elements;
    memcpy(share->pick, pick, sizeof share->pick);
    share->next = stepping->share_of[pair];
    stepping->share_of[pair] = (uint32_t)stepping->n_shares;
}

/* Products of the terms of the dimensions before DEPTH. */
struct product {
    uint64_t server, requester, turns, elements;
    bool local;
};

struct term_product {
    struct advise_stepping *stepping;
    const struct advise_box *box;
    const struct advise_term *terms[WEFT_ARRAY_RANK];
    uint64_t weight[WEFT_ARRAY_RANK];
    uint32_t rank;
    bool write;
    uint64_t times;
    uint32_t pick[WEFT_ARRAY_RANK];
};

static void combine(struct term_product *c, uint32_t d, const struct product *before)
{
    const struct advise_term *term = c->terms[d];
    bool copies = term->axis[0].kind == WEFT_AXIS_REPLICATED;
    for (size_t i = 0; i < term->n && array_work_report(&c->stepping->effort, 1); i++) {
        const struct advise_entry *entry = &term->entries[i];
        struct product product = {
            before->server + entry->server * c->weight[d],
            before->requester + entry->requester * c->weight[d],
            before->turns * entry->turns,
            before->elements * entry->elements,
            before->local && (copies || entry->server == entry->requester),
        };
        c->pick[d] = (uint32_t)i;
        if (d + 1 < c->rank) {
            combine(c, d + 1, &product);
            continue;
        }
        uint32_t server = (uint32_t)product.server, requester = (uint32_t)product.requester;
        advise_count(c->stepping, server, requester, product.local,
                     product.turns * c->times);
        if (product.local)
            continue;
        uint32_t from = c->write ? requester : server, to = c->write ? server : requester;
        add_share(c->stepping, c->box, from * (uint32_t)c->stepping->processors + to,
                  product.elements, c->pick);
    }
}

static void cost_box(struct advise_stepping *stepping, const struct advise_box *box,
                     const struct candidate *candidate)
{
    const struct candidates *candidates = &stepping->evaluation->candidates;
    const struct weft_pattern *pattern = &stepping->patterns[box->pattern];
    struct term_product c = { .stepping = stepping,
                              .box = box,
                              .rank = candidates->rank,
                              .write = pattern->operation == WEFT_REFERENCE_WRITE,
                              .times = pattern->times };
    uint64_t weight = 1;
    for (uint32_t d = candidates->rank; d-- > 0;) {
        uint16_t choice = candidate->choice[d];
        c.weight[d] = weight;
        c.terms[d] = &box->terms[stepping->offset[d] + choice];
        weight *= candidates->dimension[d].rows[choice].processors;
    }
    combine(&c, 0, &(struct product){ 0, 0, 1, 1, true });
}

/* Returns false if the exchange between processors takes too much memory; their work is
   computed all the same. */
static bool cost_by_terms(struct advise_stepping *stepping,
                          const struct candidate *candidate)
{
    bool ok = true;
    for (size_t b = 0; b < stepping->n_boxes; b++) {
        const struct weft_pattern *pattern =
            &stepping->patterns[stepping->boxes[b]->pattern];
        cost_box(stepping, stepping->boxes[b], candidate);
        const struct advise_box *next =
            b + 1 < stepping->n_boxes ? stepping->boxes[b + 1] : NULL;
        if (!next || advise_by_array(pattern, &stepping->patterns[next->pattern]) != 0)
            ok &= end_array(stepping, candidate,
                            advise_array_of(stepping, pattern->array)->element_bytes);
    }
    return ok;
}

/* ---- By any distributions ---- */

struct box_sums {
    struct advise_stepping *stepping;
    const struct count_roles *roles;
    struct parts parts;
};

static bool count_box(void *user, const struct array_box *box)
{
    struct box_sums *box_sums = user;
    struct parts_pair pair;
    count_parts(box_sums->roles, box, &box_sums->parts);
    parts_first(&box_sums->parts, &pair);
    do {
        uint32_t server = count_server(box_sums->roles, &pair);
        uint32_t requester = (uint32_t)count_requester(box_sums->roles, &pair);
        advise_count(box_sums->stepping, server, requester,
                     count_pair_is_local(box_sums->roles, server, requester),
                     pair.turns * box_sums->roles->pattern.times);
    } while (parts_next(&box_sums->parts, &pair));
    return array_work_goes_on(box_sums->parts.work);
}

/* Computes the exchange in the step under DISTRIBUTIONS. */
static void exchange_by(struct advise_stepping *stepping,
                        const struct weft_distributions *distributions, uint32_t step)
{
    const struct weft_count_query query = { .profile = stepping->evaluation->profile,
                                            .distributions = distributions };
    for (size_t i = 0; i < stepping->n_patterns; i++) {
        struct weft_pattern pattern = stepping->patterns[i];
        pattern.step = step;
        struct count_roles roles = count_roles_of(&query, &pattern);
        count_flows_add(&stepping->flows, &roles);
    }
    count_flows_end_step(&stepping->flows);
}

double advise_step_by(struct advise_stepping *stepping,
                      const struct weft_distributions *distributions, uint32_t step,
                      uint64_t times, uint64_t *load, struct advise_sums *sums)
{
    struct box_sums box_sums = { .stepping = stepping, .parts.work = &stepping->effort };
    const struct weft_count_query query = { .profile = stepping->evaluation->profile,
                                            .distributions = distributions };
    stepping->times = times;
    stepping->load = load;
    stepping->sums = sums;
    for (size_t i = 0; i < stepping->n_patterns; i++) {
        struct weft_pattern pattern = stepping->patterns[i];
        pattern.step = step;
        struct count_roles roles = count_roles_of(&query, &pattern);
        box_sums.roles = &roles;
        array_boxes(&pattern, roles.array, roles.asked_by ? roles.owner_array : NULL,
                    count_box, &box_sums);
    }
    parts_free(&box_sums.parts);
    exchange_by(stepping, distributions, step);
    return end_step(stepping);
}

/* Makes the distributions of a candidate. */
static struct weft_distributions *distributions_of(const struct advise_stepping *stepping,
                                                   const struct candidate *candidate)
{
    const struct weft_advice_evaluation *evaluation = stepping->evaluation;
    struct weft_distributions *set = weft_distributions_new(evaluation->profile);
    for (uint32_t a = 0; a < weft_profile_arrays(evaluation->profile); a++) {
        const struct weft_array *array = weft_profile_array(evaluation->profile, a);
        if (evaluation->dimension[a][0] == -2)
            continue;
        struct weft_distribution distribution = advise_distribution(
            &evaluation->candidates, candidate, array, evaluation->dimension[a]);
        weft_distributions_add(set, a, 0, &distribution);
    }
    return set;
}

static double cost_by_distributions(struct advise_stepping *stepping,
                                    const struct candidate *candidate, uint64_t times,
                                    uint64_t *load, struct advise_sums *sums)
{
    struct weft_distributions *set = distributions_of(stepping, candidate);
    double cost = advise_step_by(stepping, set, 0, times, load, sums);
    weft_distributions_free(set);
    return cost;
}

/* Computes the exchange without terms, if those took too much memory. */
static void exchange_by_candidate(struct advise_stepping *stepping,
                                  const struct candidate *candidate)
{
    struct weft_distributions *set = distributions_of(stepping, candidate);
    for (size_t i = 0; i < stepping->n_pairs; i++)
        stepping->pair_bytes[stepping->pairs[i]] = 0;
    stepping->n_pairs = 0;
    exchange_by(stepping, set, 0);
    weft_distributions_free(set);
}

double advise_step_cost(struct advise_stepping *stepping, const struct candidate *candidate,
                        uint64_t times, uint64_t *load, struct advise_sums *sums)
{
    stepping->times = times;
    stepping->load = load;
    stepping->sums = sums;
    if (stepping->n_singles > 0 && advise_cost_singles(stepping, candidate))
        return end_step(stepping);
    if (!stepping->separable)
        return cost_by_distributions(stepping, candidate, times, load, sums);
    if (!cost_by_terms(stepping, candidate) && array_work_goes_on(&stepping->effort))
        exchange_by_candidate(stepping, candidate);
    return end_step(stepping);
}
