/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processors of a run, as ParaGraph has them (Heath and Finger 2003, section 5.1): each is
 * at each moment
 *
 *     idle      it waits for a communication operation to complete, or has ended;
 *     overhead  it is in the communication library, and does not wait;
 *     busy      it does anything else.
 *
 * Which calls are which is said by the roles of their values: kinds of `idle`, of `overhead` and
 * of `busy` (doc/roles.md has the table, and how to change it).  The innermost call decides that
 * has a class; those of other roles, or none, say nothing.  A processor is busy where no call
 * decides, as before its first one, and idle after its last event and before it was there at
 * all (a process that is started late).
 *
 * Processors are the containers with the role `rank`, by their `rank-number`, and those without
 * one after them in order of creation, with greater numbers.  A trace without ranks has the
 * containers at the ends of its messages as processors, and one without messages those that
 * have a track of activity.
 *
 * The calls of a processor are those of a track of the role `communication`, else `activity`: of
 * the container itself, else the one of what it holds that begins first: where threads of a
 * process communicate, the thread that began to (the one that called MPI_Init).
 */
#ifndef WEFT_MODEL_PROCESSORS_H
#define WEFT_MODEL_PROCESSORS_H

#include "store/source.h"

/* From the bottom of a picture to its top. */
enum weft_class {
    WEFT_CLASS_BUSY,
    WEFT_CLASS_OVERHEAD,
    WEFT_CLASS_IDLE,
    WEFT_CLASSES,
    WEFT_CLASS_UNKNOWN = WEFT_CLASSES /* the trace is damaged here: it counts nowhere */
};
/* "busy", "overhead", "idle"; of one that is known. */
const char *weft_class_name(enum weft_class class);

struct weft_processor {
    uint32_t container;
    uint32_t track;      /* of its calls, or WEFT_NONE */
    uint32_t task_track; /* of its tasks, or WEFT_NONE */
    int64_t number;      /* what it is called: its rank, else its index, or more */
    int64_t start;       /* when it came to be: idle until then; in the span */
    int64_t finish;      /* its last event: idle from here on; in the span */
    const char *label;   /* of its container, told apart from those of the same name */
};

struct weft_processors {
    const struct weft_source *source;
    uint32_t n;
    struct weft_processor *processors; /* [n], in order of their numbers */
    uint8_t
        *class_of; /* [n_values]: enum weft_class of the values of states; no class: busy */
    /* [n_values]: those without a class; NULL where none of them is inside another state */
    uint8_t *passed_over;
    uint32_t
        *index_of; /* [n_containers]: the processor that it is or belongs to, WEFT_NONE */
    struct weft_arena arena;
};

/* Has the trace processors?  Looks at tables only. */
bool weft_has_processors(const struct weft_source *source);
/*
 * The processors of a trace; free them with weft_processors_free.  O(containers + tracks): no
 * states are read.  Errors: WEFT_ERR_USAGE when there are none, WEFT_ERR_CANCELLED.
 */
struct weft_processors *weft_processors_make(const struct weft_source *source,
                                             struct weft_job *job,
                                             struct weft_err *err) WEFT_MUST_CHECK;
void weft_processors_free(struct weft_processors *processors);
size_t weft_processors_bytes(const struct weft_processors *processors);

/*
 * The enum weft_class of each processor at TIME, CLASS[n], WEFT_CLASS_UNKNOWN among them.  A search
 * on each track.
 */
void weft_processors_at(const struct weft_processors *processors, int64_t time,
                        uint8_t *class);
/* Some processors, by index, in any order, each once. */
struct weft_processor_list {
    const uint32_t *index;
    uint32_t n;
};

struct weft_class_mips;
/*
 * The shares of time of the classes in each of COLUMNS equal parts of WINDOW, summed over some
 * processors: SHARES[columns][WEFT_CLASSES] gets numbers from 0 to list.n, whose sum over the
 * classes is list.n.  From the MIPS where they tell (model/class_mips.h), in 255ths; from the
 * changes, and so exact, where a column has some tens of them or fewer.  Without mips, or where
 * they do not tell, as exact as the source's shares, and at their cost, unless a type has more
 * values than slots (store/source.h): then those that share a slot are told apart where changes
 * are few, and are spread evenly where they are many.  Calls without a class then count as
 * busy, even inside others.
 */
void weft_processors_shares(const struct weft_processors *processors,
                            const struct weft_class_mips *mips,
                            struct weft_processor_list list, struct weft_span window,
                            size_t columns, float *shares, struct weft_job *job);

#endif
