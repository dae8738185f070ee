/* SPDX-License-Identifier: Apache-2.0 */
#include "read/paje/links.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "read/paje/apply_records.h"

enum {
    FIRST_BUCKETS = 1024,
    MAX_USED_KEYS = 1 << 24, /* keys remembered to detect reuse: 128 MiB */
};

void paje_links_free(struct paje_links *links)
{
    for (size_t i = 0; i < links->n_halves; i++) {
        free(links->halves[i].key);
        free(links->halves[i].fields);
    }
    free(links->halves);
    free(links->buckets);
    free(links->used);
}

static void rehash(struct paje_links *links)
{
    size_t old = links->n_buckets;
    uint32_t *before = links->buckets;
    links->n_buckets = old ? old * 2 : FIRST_BUCKETS;
    links->buckets = weft_alloc(links->n_buckets * sizeof *links->buckets);
    for (size_t i = 0; i < links->n_buckets; i++)
        links->buckets[i] = WEFT_NONE;
    for (size_t i = 0; i < old; i++) {
        /* Bucket i is split into i and i + old; both keep the order of arrival. */
        uint32_t *ends[2] = { &links->buckets[i], &links->buckets[i + old] };
        for (uint32_t at = before[i]; at != WEFT_NONE;) {
            struct paje_half *half = &links->halves[at];
            uint32_t next = half->next;
            bool high = (half->hash & (links->n_buckets - 1)) != i;
            *ends[high] = at;
            half->next = WEFT_NONE;
            ends[high] = &half->next;
            at = next;
        }
    }
    free(before);
}

/* Returns true if the key was used before; remembers it. */
static bool used_before(struct paje_links *links, uint64_t hash)
{
    hash += hash == 0;
    if (links->n_used * 2 >= links->used_capacity && links->n_used < MAX_USED_KEYS) {
        size_t old = links->used_capacity, n = old ? old * 2 : FIRST_BUCKETS;
        uint64_t *bigger = weft_zalloc(n, sizeof *bigger);
        for (size_t i = 0; i < old; i++) {
            if (!links->used[i])
                continue;
            size_t at = links->used[i] & (n - 1);
            while (bigger[at])
                at = (at + 1) & (n - 1);
            bigger[at] = links->used[i];
        }
        free(links->used);
        links->used = bigger;
        links->used_capacity = n;
    }
    size_t mask = links->used_capacity - 1, at = hash & mask;
    while (links->used[at]) {
        if (links->used[at] == hash)
            return true;
        at = (at + 1) & mask;
    }
    if (links->n_used < MAX_USED_KEYS) {
        links->used[at] = hash;
        links->n_used++;
    }
    return false;
}

static bool matches(const struct paje_half *half, uint64_t hash, uint32_t pair,
                    const char *key, size_t length)
{
    return half->hash == hash && half->pair == pair && half->key_length == length
           && memcmp(half->key, key, length) == 0;
}

static struct paje_half *new_half(struct paje_links *links, uint32_t *index)
{
    if (links->free != WEFT_NONE) {
        *index = links->free;
        links->free = links->halves[*index].next;
    } else {
        links->halves = weft_grow(links->halves, &links->half_capacity, links->n_halves + 1,
                                  sizeof *links->halves);
        *index = (uint32_t)links->n_halves++;
    }
    return &links->halves[*index];
}

/* Keep an end.  FIRST is the first waiting end with the same key, or WEFT_NONE. */
static void keep(struct paje_simulator *s, const struct paje_half *half, const char *key,
                 uint32_t first)
{
    struct paje_links *links = &s->links;
    if (links->n_open >= links->n_buckets)
        rehash(links);
    uint32_t index;
    struct paje_half *kept = new_half(links, &index);
    *kept = *half;
    kept->key = weft_strndup(key, half->key_length);
    kept->next = kept->later = WEFT_NONE;
    kept->last = index;
    kept->fields = NULL;
    if (half->n_fields) {
        size_t size = half->n_fields * sizeof *half->fields;
        kept->fields = memcpy(weft_alloc(size), half->fields, size);
    }
    links->n_open++;
    if (first != WEFT_NONE) {
        links->halves[links->halves[first].last].later = index;
        links->halves[first].last = index;
        return;
    }
    uint32_t *at = &links->buckets[half->hash & (links->n_buckets - 1)];
    kept->next = *at;
    *at = index;
}

/* Returns true for a key that the writer made for a link without one. */
static bool is_made(const char *key)
{
    return strncmp(key, PAJE_NO_KEY, strlen(PAJE_NO_KEY)) == 0;
}

static void build(struct paje_simulator *s, const struct paje_half *start,
                  const struct paje_half *end, const char *key, size_t length)
{
    const struct paje_half *any = start ? start : end;
    const struct paje_track *track = &s->tracks[any->pair];
    struct weft_link link = {
        .type = track->type,
        .container = track->container,
        .value = any->value,
        .key = is_made(key) ? WEFT_NONE : weft_builder_text(s->builder, key, length),
        .from = start ? start->container : WEFT_NONE,
        .to = end ? end->container : WEFT_NONE,
        .begin = start ? start->time : 0,
        .end = end ? end->time : 0,
        .from_entity = any->from_entity,
        .to_entity = any->to_entity,
        .flags = (start ? 0 : WEFT_BEGIN_IMPLIED) | (end ? 0 : WEFT_END_IMPLIED)
    };
    struct weft_field_value fields[2 * PAJE_MAX_FIELDS];
    size_t n = 0;
    if (start && start->n_fields)
        memcpy(fields, start->fields, start->n_fields * sizeof *fields);
    n += start ? start->n_fields : 0;
    /* Fields that the start has are not repeated. */
    for (uint32_t i = 0; end && i < end->n_fields; i++) {
        bool known = false;
        for (uint32_t j = 0; start && j < start->n_fields; j++)
            known |= fields[j].field == end->fields[i].field;
        if (!known)
            fields[n++] = end->fields[i];
    }
    weft_builder_link(s->builder, &link, fields, n);
}

static void match(struct paje_simulator *s, struct paje_scribe *scribe,
                  const struct paje_half *here, const struct paje_half *there,
                  const char *key, size_t length)
{
    const struct paje_half *start = here->start ? here : there;
    const struct paje_half *end = here->start ? there : here;
    if (start->value != end->value)
        paje_fault(scribe, PAJE_FAULT_LINK_VALUES, key, length);
    if (end->time < start->time)
        paje_fault(scribe, PAJE_FAULT_LINK_BACKWARD, key, length);
    build(s, start, end, key, length);
}

/* Fill the end of a record; returns false, with a report, if its container is unknown. */
static bool read_half(const struct paje_simulator *s, struct paje_scribe *scribe,
                      const struct paje_part *part, const struct paje_record *record,
                      struct paje_half *half)
{
    const struct paje_definition *d = paje_definition_of(s, record);
    const struct paje_link_end *end = &part->links[record->more];
    uint32_t container = paje_container_index(s, end->other);
    if (container == WEFT_NONE) {
        paje_fault_symbol(s, scribe, PAJE_FAULT_CONTAINER, end->other);
        return false;
    }
    if (record->time > s->tables.containers[container].end)
        paje_fault_symbol(s, scribe, PAJE_FAULT_DESTROYED, end->other);
    *half = (struct paje_half){
        .hash = end->hash,
        .line = scribe->line,
        .time = record->time,
        .key_length = paje_text_of(s, part, record, PAJE_KEY)->length,
        .pair = record->pair,
        .value = record->value,
        .container = container,
        .from_entity = end->from_entity,
        .to_entity = end->to_entity,
        .start = d->event == PAJE_START_LINK,
    };
    if (d->has_extras) {
        half->n_fields = part->runs[end->run].n;
        half->fields = part->fields + part->runs[end->run].first;
    }
    return true;
}

void paje_link(struct paje_simulator *s, struct paje_scribe *scribe,
               const struct paje_part *part, const struct paje_record *record)
{
    struct paje_links *links = &s->links;
    struct paje_half here;
    if (!read_half(s, scribe, part, record, &here))
        return;
    const char *key = part->text + paje_text_of(s, part, record, PAJE_KEY)->offset;
    size_t length = here.key_length;
    uint32_t *at =
        links->n_buckets ? &links->buckets[here.hash & (links->n_buckets - 1)] : NULL;
    uint32_t first = WEFT_NONE;
    for (; at && *at != WEFT_NONE; at = &links->halves[*at].next) {
        struct paje_half *there = &links->halves[*at];
        if (!matches(there, here.hash, here.pair, key, length))
            continue;
        /* Waiting ends with one key are either all starts or all ends. */
        if (there->start == here.start) {
            first = *at;
            break;
        }
        match(s, scribe, &here, there, key, length);
        uint32_t index = *at;
        *at = there->next;
        if (there->later != WEFT_NONE) {
            struct paje_half *later = &links->halves[there->later];
            *at = there->later;
            later->next = there->next;
            later->last = there->last;
        }
        free(there->key);
        free(there->fields);
        there->key = NULL;
        there->fields = NULL;
        there->next = links->free;
        links->free = index;
        links->n_open--;
        return;
    }
    if (used_before(links, here.hash))
        paje_fault(scribe, PAJE_FAULT_LINK_REUSED, key, length);
    keep(s, &here, key, first);
}

void paje_link_expect(const struct paje_links *links, uint64_t hash)
{
    if (links->n_buckets)
        __builtin_prefetch(&links->buckets[hash & (links->n_buckets - 1)], 1);
    if (links->used_capacity)
        __builtin_prefetch(&links->used[hash & (links->used_capacity - 1)], 1);
}

static int by_line(const void *a, const void *b)
{
    uint64_t x = (*(const struct paje_half *const *)a)->line;
    uint64_t y = (*(const struct paje_half *const *)b)->line;
    return WEFT_COMPARE(x, y);
}

void paje_links_finish(struct paje_simulator *s)
{
    struct paje_links *links = &s->links;
    const struct paje_half **open = weft_alloc((links->n_open + 1) * sizeof *open);
    size_t n = 0;
    for (size_t i = 0; i < links->n_halves; i++)
        if (links->halves[i].key)
            open[n++] = &links->halves[i];
    qsort(open, n, sizeof *open, by_line);
    for (size_t i = 0; i < n; i++) {
        const struct paje_half *half = open[i];
        s->scribe.line = half->line;
        paje_fault(&s->scribe, PAJE_FAULT_HALF_LINK, half->key, half->key_length);
        build(s, half->start ? half : NULL, half->start ? NULL : half, half->key,
              half->key_length);
    }
    free(open);
}
