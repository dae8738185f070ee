/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes links of StartLink and EndLink lines with the same container, type and key, in any
 * order.  The end that comes first waits in a hash table for the other; if several wait
 * with one key, the first is taken first.
 */
#ifndef WEFT_READ_PAJE_LINKS_H
#define WEFT_READ_PAJE_LINKS_H

#include "read/paje/lexed_lines.h"

struct paje_simulator;
struct paje_scribe;

/* An end of a link that waits for the other. */
struct paje_half {
    uint64_t hash, line; /* hash of container, type and key; its line, from 1 */
    int64_t time;        /* ticks */
    char *key;           /* [key_length] and a NUL; owned; NULL: this element is free */
    uint32_t key_length;
    /* number of (name of the link's own container, name of its type), symbols.h; the
       builder's indices of the value, and of the container at this end */
    uint32_t pair, value, container;
    uint32_t n_fields;
    uint32_t next;  /* first end of the next key in the bucket; or next free element */
    uint32_t later; /* next end with the same key */
    uint32_t last;  /* in the first end: the last end with the same key */
    bool start;     /* from a StartLink line */
    uint64_t from_entity, to_entity; /* that its line names, or WEFT_NO_ID */
    struct weft_field_value *fields; /* [n_fields] owned; NULL if there are none */
};

/*
 * The ends that wait.  Indices are of `halves`, or WEFT_NONE.  All 0 but `free`, which is
 * WEFT_NONE, is empty.
 */
struct paje_links {
    struct paje_half *halves;
    size_t n_halves, half_capacity;
    uint32_t free;            /* first free element */
    uint32_t *buckets;        /* [n_buckets] by hash: first end of the first key */
    size_t n_buckets, n_open; /* n_open: number of ends that wait */
    /* hash table of the hashes of keys used before, at most 2^24; 0: free slot */
    uint64_t *used;
    size_t used_capacity, n_used;
};

/*
 * Takes RECORD of PART, a StartLink or EndLink whose pair (container, type) has a type of
 * links, and whose value and fields are complete (paje_prepare_link): writes the link to
 * the builder if its other end waits, else keeps a copy of the end.  Without a known
 * container at the end, only a fault is noted in SCRIBE.
 */
void paje_link(struct paje_simulator *simulator, struct paje_scribe *scribe,
               const struct paje_part *part, const struct paje_record *record);
/*
 * Prefetches the hash buckets of an end of a link with HASH (paje_link_end.hash), before
 * paje_link() takes it.  Changes nothing.
 */
void paje_link_expect(const struct paje_links *links, uint64_t hash);
/*
 * At the end of the trace: writes each StartLink or EndLink that still waits to the
 * builder, in order of lines, as a link with one end, and notes a fault for it.
 */
void paje_links_finish(struct paje_simulator *simulator);
/* Frees the memory of LINKS, which may not be used afterwards. */
void paje_links_free(struct paje_links *links);

#endif
