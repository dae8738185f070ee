/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the processors of a run and what each does when, as in ParaGraph (Heath and Finger
 * 2003, section 5.1).  At each moment a processor is
 *
 * idle      it waits for a communication operation to complete, or has ended;
 * overhead  it is in the communication library, and does not wait;
 * busy      it does anything else.
 *
 * The role of a call's value gives its class: kinds of `idle`, `overhead` and `busy`
 * (doc/roles.md has the table, and how to change it).  Calls of other roles, or none, have
 * no class.  The innermost call that has a class decides.  A processor is busy where no
 * call decides, also before its first call, and idle after its last event and before it
 * began to exist (if it was started late).
 *
 * Processors are the containers with the role `rank`, numbered by their `rank-number`;
 * those without one follow in order of creation, with greater numbers.  In a trace without
 * ranks, processors are the containers at the ends of messages, and without messages the
 * containers that have a track of activity.
 *
 * The calls of a processor are those of one track, of the role `communication`, else
 * `activity`: a track of the container itself, else the one that begins first of the
 * containers in it.  Where threads of a process communicate, that is the thread that began
 * to (the one that called MPI_Init).
 */
#ifndef WEFT_MODEL_PROCESSORS_H
#define WEFT_MODEL_PROCESSORS_H

#include "store/source.h"

/* Activities of a processor, in the order in which pictures stack them, bottom up. */
enum weft_class {
    WEFT_CLASS_BUSY,
    WEFT_CLASS_OVERHEAD,
    WEFT_CLASS_IDLE,
    WEFT_CLASSES,
    WEFT_CLASS_UNKNOWN = WEFT_CLASSES /* the trace is damaged here; counts as no class */
};
/* Returns "busy", "overhead" or "idle"; CLASS must not be WEFT_CLASS_UNKNOWN. */
const char *weft_class_name(enum weft_class class);

struct weft_processor {
    uint32_t container;
    uint32_t track;      /* the track of its calls, or WEFT_NONE */
    uint32_t task_track; /* the track of its tasks, or WEFT_NONE */
    int64_t number;      /* its rank, else its index, or more if that is taken */
    int64_t start;       /* begin of its container, cut to the span; idle before */
    int64_t finish;      /* end of its last state or event; idle from then on */
    const char *label;   /* unique label of its container */
};

struct weft_processors {
    const struct weft_source *source;
    uint32_t n;
    struct weft_processor *processors; /* [n], in order of their numbers */
    /* [n_values]: enum weft_class of each value; WEFT_CLASS_BUSY if it has no class */
    uint8_t *class_of;
    /* [n_values]: 1 for values without a class; NULL if no such call is inside another */
    uint8_t *passed_over;
    /* [n_containers]: index of the processor that it is or lies in, or WEFT_NONE */
    uint32_t *index_of;
    struct weft_arena arena; /* of the labels */
};

/* Returns true if the trace has processors; reads only the schema. */
bool weft_has_processors(const struct weft_source *source);
/*
 * Finds the processors of a trace.  O(containers + tracks), as no states are read.  Returns
 * NULL with WEFT_ERR_USAGE if there are none, or WEFT_ERR_CANCELLED.
 */
struct weft_processors *weft_processors_make(const struct weft_source *source,
                                             struct weft_job *job,
                                             struct weft_err *err) WEFT_MUST_CHECK;
void weft_processors_free(struct weft_processors *processors);
size_t weft_processors_bytes(const struct weft_processors *processors);

/*
 * Fills CLASS[processors] with the enum weft_class of each processor at TIME, also
 * WEFT_CLASS_UNKNOWN.  Costs a search on each track.
 */
void weft_processors_at(const struct weft_processors *processors, int64_t time,
                        uint8_t *class);
/* Some processors, by index in weft_processors.processors, in any order, each once. */
struct weft_processor_list {
    const uint32_t *index;
    uint32_t n;
};

struct weft_class_mips;
/*
 * Fills SHARES[columns][WEFT_CLASSES] with the mean number of the list's processors in each
 * class during each of COLUMNS equal parts of WINDOW.  The numbers of a column add up to
 * list.n, less time that cannot be read.
 *
 * Answers come from MIPS (model/class_mips.h; may be NULL) if possible, in 255ths; else
 * exactly from all calls if there are at most some tens a column; else from the source's
 * shares of values, at their precision and cost.  These are known by slot (store/source.h),
 * and a type's rarest values have one slot together: if that can be seen, it is divided
 * among the classes as in WINDOW; calls without a class count as busy even inside others.
 * Once JOB (may be NULL) is cancelled, SHARES are incomplete.
 */
void weft_processors_shares(const struct weft_processors *processors,
                            const struct weft_class_mips *mips,
                            struct weft_processor_list list, struct weft_span window,
                            size_t columns, float *shares, struct weft_job *job);

#endif
