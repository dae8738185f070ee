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

/*
 * A processor's activity: it waits for communication or has ended (idle), is in the
 * communication library without waiting (overhead), or does anything else (busy).  In the
 * order in which pictures stack them, bottom up.
 */
enum weft_class {
    WEFT_CLASS_BUSY,
    WEFT_CLASS_OVERHEAD,
    WEFT_CLASS_IDLE,
    WEFT_CLASSES,
    WEFT_CLASS_UNKNOWN = WEFT_CLASSES /* the trace is damaged here; counts as no class */
};
/* Returns "busy", "overhead" or "idle"; CLASS must not be WEFT_CLASS_UNKNOWN. */
const char *weft_class_name(enum weft_class class);

/*
 * A processor of a run (a rank of MPI, or the like), and the tracks (series of states) that
 * tell what it does.  It is idle before START and from FINISH on.
 */
struct weft_processor {
    uint32_t container;  /* index in the schema's containers */
    uint32_t track;      /* of its calls: index in the schema's tracks, or WEFT_NONE */
    uint32_t task_track; /* of its tasks: index in the schema's tracks, or WEFT_NONE */
    /* of the parallel constructs (OpenMP's) that it executes itself, or WEFT_NONE */
    uint32_t construct_track;
    int64_t number;    /* its rank, else its index, or more if that is taken */
    int64_t start;     /* begin of its container, cut to the trace's span */
    int64_t finish;    /* end of its last state or event; the span's begin if none */
    const char *label; /* unique label of its container; lives as the processors do */
    const char *name;  /* that label, if its container has no `rank-number`; else NULL */
};

/*
 * The processors of a trace; made by weft_processors_make, freed by weft_processors_free.
 */
struct weft_processors {
    const struct weft_source *source; /* borrowed */
    uint32_t n;
    struct weft_processor *processors; /* [n], in order of their numbers */
    /*
     * [n_values]: enum weft_class of each value (kind of call) of the schema;
     * WEFT_CLASS_BUSY if it has no class
     */
    uint8_t *class_of;
    /*
     * [n_values]: 1 for values without a class: the call around such a call decides.  NULL
     * if no call is inside another, or all values have a class.
     */
    uint8_t *passed_over;
    /* [n_containers]: index in PROCESSORS of the one that it is or lies in, or WEFT_NONE */
    uint32_t *index_of;
    struct weft_arena arena; /* of the labels */
};

/*
 * Returns true if TRACK of SCHEMA has states of the role `task` that are no reductions.
 */
bool weft_is_task_track(const struct weft_schema *schema, uint32_t track);
/*
 * Returns true if weft_processors_make finds a processor in the trace SOURCE that has a
 * track of tasks (states of the role `task` that are no reductions) or of constructs.
 * Reads only the schema.
 */
bool weft_has_tasks(const struct weft_source *source);
/*
 * Returns true if weft_processors_make finds processors in the trace SOURCE: ranks, ends of
 * messages, or containers with a track of activity.  Reads only the schema.
 */
bool weft_has_processors(const struct weft_source *source);
/*
 * Finds the processors of the trace SOURCE, which must outlive the result.  O(containers +
 * tracks), as no states are read.  The caller frees the result with weft_processors_free.
 * Returns NULL with WEFT_ERR_USAGE if there are no processors, or WEFT_ERR_CANCELLED if JOB
 * (may be NULL) is cancelled.
 */
struct weft_processors *weft_processors_make(const struct weft_source *source,
                                             struct weft_job *job,
                                             struct weft_err *err) WEFT_MUST_CHECK;
/* Frees PROCESSORS; NULL is fine. */
void weft_processors_free(struct weft_processors *processors);
/* Returns the bytes of memory that PROCESSORS takes, without the source. */
size_t weft_processors_bytes(const struct weft_processors *processors);

/*
 * Fills CLASS[processors->n] with the enum weft_class of each processor at TIME, which may
 * be outside the trace's span: a processor is idle outside its own time, and busy in no
 * state; WEFT_CLASS_UNKNOWN where the trace is damaged.  Costs a search on each track.
 */
void weft_processors_at(const struct weft_processors *processors, int64_t time,
                        uint8_t *class);
/*
 * Some processors, by index in weft_processors.processors, in any order, each once.  Only
 * refers to the array, which the caller owns.
 */
struct weft_processor_list {
    const uint32_t *index; /* [n] */
    uint32_t n;
};

struct weft_class_mips; /* model/busy_idle_mipmaps.h */
/*
 * Fills SHARES[columns][WEFT_CLASSES] with the mean number of the list's processors in each
 * class during each of COLUMNS equal parts of WINDOW.  The numbers of a column add up to
 * list.n, less time that cannot be read.
 *
 * The answer comes from MIPS (weft_class_mips_make; may be NULL), in 255ths, if it can tell
 * and the trace is not damaged.  Else all calls in WINDOW are read, so that it is exact, if
 * the trace is damaged or they are at most 20,000 or 32 a column, whichever is more.  Else
 * it comes from the source's shares of values (kinds of calls), at their precision and
 * cost: these have one number for all of a type's rarest values; where it would be seen, it
 * is divided among the classes by their ticks in WINDOW, and calls without a class count as
 * busy even inside others.  Once JOB (may be NULL) is cancelled, SHARES are incomplete.
 */
void weft_processors_shares(const struct weft_processors *processors,
                            const struct weft_class_mips *mips,
                            struct weft_processor_list list, struct weft_span window,
                            size_t columns, float *shares, struct weft_job *job);
/*
 * Returns PROCESSOR's name, or its number if it has none.  The text lies in ARENA, or lives
 * as the processors do.
 */
const char *weft_processor_text(struct weft_arena *arena,
                                const struct weft_processor *processor);

#endif
