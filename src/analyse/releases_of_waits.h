/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds what let a wait end: who gave the lock back, signalled, sent the message, came last
 * to the barrier, or created the thread, and when.  Domains answer (base/domain.h), each
 * for the waits of its subject.
 */
#ifndef WEFT_ANALYSE_RELEASES_OF_WAITS_H
#define WEFT_ANALYSE_RELEASES_OF_WAITS_H

#include "base/err.h"
#include "base/hash_map.h"
#include "base/progress_and_cancel.h"
#include "store/source.h"

/* How the other row let the wait end. */
enum weft_release_kind {
    WEFT_RELEASED_BY_WAKING,    /* it gave a lock back, signalled, posted, or ended */
    WEFT_RELEASED_BY_MESSAGE,   /* it sent the message */
    WEFT_RELEASED_BY_RECEIVING, /* it began to receive the message that was being sent */
    WEFT_RELEASED_BY_ARRIVAL,   /* it came last to the barrier or collective operation */
    WEFT_RELEASED_BY_CREATION,  /* it created the thread or the task */
    WEFT_RELEASED_BY_PROGRESS,  /* it entered its library, which then sent the message on */
    WEFT_RELEASED_BY_HOLDER,    /* it held the lock as the wait ended, or just before */
    WEFT_RELEASE_KINDS,
};
/* Returns a few words for tables: "woken by", "message from"; "" for an invalid kind. */
const char *weft_release_text(enum weft_release_kind kind);

/* The deed that let a wait end, or a row begin; a plain value. */
struct weft_release {
    enum weft_release_kind kind;
    uint32_t row;  /* the container that acted, whose tracks tell what it did before */
    int64_t time;  /* when it acted; may be before the begin of the wait */
    uint64_t link; /* id of the link that tells so; WEFT_NO_ID: it was concluded */
};

/* A domain's functions, a constant; `bytes` and `end` are NULL if STATE is the source. */
struct weft_release_finder {
    /* Returns false if no wait of the trace can have a release; looks at tables only. */
    bool (*may_have)(const struct weft_schema *schema);
    /*
     * Prepares to answer about SOURCE, which must outlive *STATE.  Returns false with
     * WEFT_ERR_CANCELLED, and nothing to end, if JOB (may be NULL) is cancelled.
     */
    bool (*begin)(const struct weft_source *source, struct weft_job *job, void **state,
                  struct weft_err *err);
    /*
     * Sets *OUT to what ended WAIT, a state of the container ROW.  Returns false if the
     * domain knows nothing of it.  Any number of threads at once.
     */
    bool (*of_wait)(const void *state, uint32_t row, const struct weft_state *wait,
                    struct weft_release *out);
    size_t (*bytes)(const void *state); /* returns the memory that STATE takes */
    void (*end)(void *state);
};

/* The finders of all domains for one trace. */
struct weft_releases;
/*
 * Returns the finders for SOURCE, which is borrowed; weft_releases_free() frees them.
 * Returns NULL with WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled.
 */
struct weft_releases *weft_releases_new(const struct weft_source *source,
                                        struct weft_job *job,
                                        struct weft_err *err) WEFT_MUST_CHECK;
/* Frees RELEASES; NULL is fine. */
void weft_releases_free(struct weft_releases *releases);
/* Returns the bytes of memory that RELEASES takes, without the source. */
size_t weft_releases_bytes(const struct weft_releases *releases);
/*
 * Sets *OUT to what ended WAIT, a state of the container ROW, by the first finder of
 * RELEASES that knows.  Returns false if none does; *OUT has no meaning then.  O(log n) and
 * what happened during the wait.  Any number of threads at once.
 */
bool weft_release_of(const struct weft_releases *releases, uint32_t row,
                     const struct weft_state *wait, struct weft_release *out);
/*
 * Releases that were asked for, for one thread that asks about the same waits again and
 * again.  All 0: none; freed by weft_release_memory_free().
 */
struct weft_release_memory {
    struct weft_id_map index;  /* id of a wait: place in the list */
    struct weft_release *list; /* [n]; kind WEFT_RELEASE_KINDS: none is known */
    size_t n, capacity;
};
/* Like weft_release_of(), and remembers the answer in MEMORY (NULL: does not), in O(1). */
bool weft_release_of_remembered(const struct weft_releases *releases,
                                struct weft_release_memory *memory, uint32_t row,
                                const struct weft_state *wait, struct weft_release *out);
/* Frees what MEMORY holds, and zeroes it. */
void weft_release_memory_free(struct weft_release_memory *memory);
/*
 * Sets *OUT to the creation of the container ROW, by a link of the role spawn that arrives
 * as ROW begins.  Returns false, *OUT untouched, if there is none.
 */
bool weft_creation_of(const struct weft_source *source, uint32_t row,
                      struct weft_release *out);

#endif
