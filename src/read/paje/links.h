/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes links of StartLink and EndLink lines with the same container, type and key, in any
 * order.  The end that comes first waits in a hash table for the other.
 */
#ifndef WEFT_READ_PAJE_LINKS_H
#define WEFT_READ_PAJE_LINKS_H

#include "read/paje/part.h"

struct paje_simulator;
struct paje_scribe;

struct paje_half { /* one end of a link */
    uint64_t hash, line;
    int64_t time;
    char *key;
    uint32_t key_length;
    uint32_t pair, value, container;
    uint32_t n_fields;
    uint32_t next;  /* first end of the next key in the bucket; or next free element */
    uint32_t later; /* next end with the same key */
    uint32_t last;  /* in the first end: the last end with the same key */
    bool start;     /* from a StartLink line */
    struct weft_field_value *fields;
};

struct paje_links {
    struct paje_half *halves;
    size_t n_halves, half_capacity;
    uint32_t free;
    uint32_t *buckets;
    size_t n_buckets, n_open;
    uint64_t *used; /* hashes of keys used before */
    size_t used_capacity, n_used;
};

/* Take a StartLink or EndLink record, completed and with a known container and type. */
void paje_link(struct paje_simulator *simulator, struct paje_scribe *scribe,
               const struct paje_part *part, const struct paje_record *record);
/* Prefetch the hash bucket of an end of a link whose key has HASH, before paje_link() takes
   it.  Changes nothing. */
void paje_link_expect(const struct paje_links *links, uint64_t hash);
/* At the end of the trace: write each StartLink or EndLink without a partner to the builder
   as a link with one end. */
void paje_links_finish(struct paje_simulator *simulator);
void paje_links_free(struct paje_links *links);

#endif
