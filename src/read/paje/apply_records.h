/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The semantics of Paje: applies the records of a trace to the builder.
 *
 * A pair (container name, type name) is direct while its events need only its track: both
 * names are known, the container is alive, and its events come in time order.  Events
 * of direct pairs are applied lane by lane, by any number of threads (parallel_lanes.c).
 * The joining thread does all else in the order of lines: whole parts that define, create
 * or destroy something; of other parts, the records that the lexer marked (attend).
 */
#ifndef WEFT_READ_PAJE_APPLY_RECORDS_H
#define WEFT_READ_PAJE_APPLY_RECORDS_H

#include "read/paje/lexed_lines.h"
#include "read/paje/links.h"
#include "read/paje/lookup_by_name.h"
#include "read/paje/unsorted.h"

/* The state of a pair: (container name, type name), numbered as in symbols.h. */
struct paje_track {
    /*
     * Time of its latest event, at first of its container's creation.  INT64_MAX if each
     * event needs a closer look: it is not resolved, is sorted, or its container was
     * destroyed.  INT64_MIN for links, which may come in any order.
     */
    int64_t last;
    int64_t newest; /* latest time seen; INT64_MIN: none yet */
    /* from here to `kind` valid if `resolved`; indices are the builder's */
    uint32_t track;
    uint32_t container;
    uint32_t type;
    uint32_t next;           /* next pair of the same container, or WEFT_NONE */
    uint8_t kind;            /* enum weft_kind of the type */
    bool resolved;           /* container, type and track are known */
    bool sorted;             /* its events are set aside and sorted by time (unsorted.h) */
    bool direct;             /* its events need only this track: lanes apply them */
    unsigned char apart[20]; /* pads to 64 bytes: no two lanes write to one cache line */
};

/* A thread's faults so far, and the line (in the trace, from 1) that it works on. */
struct paje_scribe {
    struct paje_findings findings;
    uint64_t line;
};

/*
 * Results of the thread that runs a lane (a group of containers, paje_lane_of()), until
 * paje_lanes_settle().
 */
struct paje_lane {
    struct paje_scribe scribe;
    struct paje_list learned; /* pairs (struct paje_track) whose events are not in order */
};

/* The destruction of a container (the builder's index) at a time, put off to the end. */
struct paje_destruction {
    uint32_t container;
    int64_t time; /* ticks */
};

/*
 * Knowledge that one pass over the file leaves to the next.  The reader owns it, all 0 at
 * first, and frees the maps after the last pass.
 */
struct paje_lesson {
    /* pairs (number of a container's and a type's name) whose events must be sorted by
       time: value 1 */
    struct weft_id_map sorted;
    /* containers (the builder's index) with events that stand below their destruction,
       and have an earlier time: value 1 */
    struct weft_id_map late;
    bool again; /* another pass is needed: this one's store is wrong */
};

/*
 * The state of one pass over the file: applies the records of its lines to a builder.
 * Pointers that paje_simulator_init() gets must outlive it.
 */
struct paje_simulator {
    struct weft_builder *builder;
    struct paje_names *names; /* numbers of the trace's names (symbols.h) */
    const struct paje_definitions *definitions;
    struct paje_lesson *lesson;
    const struct paje_part *part; /* the part that is being joined */
    struct paje_scribe scribe;    /* of the joining thread */
    struct paje_findings found;   /* faults of all threads, in order of lines */

    struct paje_track *tracks; /* [n_tracks] by pair */
    size_t n_tracks, track_capacity;
    bool *direct; /* by pair, for the lexer: copy of the flags in tracks */
    size_t direct_capacity;
    uint64_t epoch; /* how often a pair has ceased to be direct */
    struct paje_tables tables;

    struct paje_links links;
    struct paje_destruction *destructions; /* to be applied at the end */
    size_t n_destructions, destruction_capacity;
    struct paje_lates lates;

    struct paje_lane lanes[PAJE_LANES + 1]; /* the last one has the links */
    /* parts that were joined, but whose lanes were not run yet */
    struct paje_part **waiting;
    size_t n_waiting, waiting_capacity;
};

/*
 * Begins a pass over the file, and lanes in the builder (weft_builder_lanes).  All
 * arguments are kept; NAMES has only the symbol 0, "0", for the root container and its
 * type.
 */
void paje_simulator_init(struct paje_simulator *simulator, struct weft_builder *builder,
                         struct paje_names *names,
                         const struct paje_definitions *definitions,
                         struct paje_lesson *lesson);
/* Frees the simulator's own memory, not what paje_simulator_init() was given. */
void paje_simulator_free(struct paje_simulator *simulator);

/*
 * Joins PART (some lines of the trace, as records), the next one in the order of the text:
 * does what depends on the order of lines of different containers.  Call it after
 * paje_part_adopt().  A part that defines, creates or destroys something, or was lexed
 * before simulator->epoch grew, is applied at once, after all waiting ones.  Any other
 * waits for paje_lane_run(), and must stay as it is until paje_lanes_settle().
 */
void paje_join(struct paje_simulator *simulator, struct paje_part *part);
/* Number of calls of paje_lane_run(): for each lane of containers, and for the links. */
enum { PAJE_LANE_TASKS = PAJE_LANES + 1 };
/*
 * Applies the records of lane I (containers of one group, paje_lane_of(); PAJE_LANES: all
 * links) in the parts that paje_join() let wait to the builder.  Call it once for each I
 * below PAJE_LANE_TASKS, from any threads, while nothing else changes the simulator; then
 * call paje_lanes_settle() once.
 */
void paje_lane_run(struct paje_simulator *simulator, size_t i);
/*
 * Ends a round of lanes, after all calls of paje_lane_run(): adds the faults that the lanes
 * and paje_join() found since the last call to simulator->found, in order of lines, and
 * notes pairs whose events are out of order in simulator->lesson.  The parts (lines of the
 * trace) that paje_join() let wait are done: they wait no more and may be reused.
 */
void paje_lanes_settle(struct paje_simulator *simulator);
/*
 * After the last part, when no part waits: applies the events set aside, links with one
 * end, and the destructions that were put off.  Returns false with WEFT_ERR_CANCELLED, in
 * the middle, if JOB (or NULL) is cancelled.
 */
bool paje_simulate_end(struct paje_simulator *simulator, struct weft_job *job,
                       struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Notes FAULT at the current line of SCRIBE (a thread's list of faults), with the LENGTH
 * bytes of TEXT at fault, which are copied and cut to 200.
 */
static inline void paje_fault(struct paje_scribe *scribe, enum paje_fault fault,
                              const char *text, size_t length)
{
    paje_note(&scribe->findings, scribe->line, fault, text, length);
}
/*
 * Notes FAULT at the current line of SCRIBE (a thread's list of faults); its text is the
 * name with the number SYMBOL in simulator->names.
 */
void paje_fault_symbol(const struct paje_simulator *simulator, struct paje_scribe *scribe,
                       enum paje_fault fault, uint32_t symbol);

/* An event of a state, event or variable (no link), ready for the builder. */
struct paje_action {
    enum paje_event event; /* PAJE_NEW_EVENT to PAJE_SUB_VARIABLE */
    int64_t time;          /* ticks */
    double number;         /* of a variable: the new value, or the change */
    uint32_t value;        /* of an event (or WEFT_NONE) or new state; else WEFT_NONE */
    const struct weft_field_value *fields; /* [n_fields] not owned */
    uint32_t n_fields;
};
/*
 * Passes ACTION to the builder's TRACK.  If the builder refuses it, notes a fault in SCRIBE
 * that names the container of PAIR, the number of (container name, type name); a reset
 * without a state is no fault.  A change of a variable that was not set is a fault, too,
 * and sets it as if it had been 0.
 */
void paje_apply(const struct paje_simulator *simulator, struct paje_scribe *scribe,
                uint32_t pair, uint32_t track, const struct paje_action *action);
/*
 * Returns what RECORD of PART, of a state, event or variable, does; paje_complete() must
 * have completed it.  The result's fields are in PART, and valid until more are added
 * there.
 */
struct paje_action paje_action_of(const struct paje_simulator *simulator,
                                  const struct paje_part *part,
                                  const struct paje_record *record);

/*
 * Returns the kind (state, event, variable or link) that the type of an EVENT must have,
 * for which paje_is_entity() is true.
 */
enum weft_kind paje_kind_of(enum paje_event event);
/*
 * Returns the event definition (which fields a line has) of the line that RECORD was made
 * of; it lives as long as simulator->definitions.
 */
static inline const struct paje_definition *
paje_definition_of(const struct paje_simulator *simulator, const struct paje_record *record)
{
    return simulator->definitions->list[record->definition];
}

/*
 * Takes RECORD of PART, of a state, event, variable or end of a link, on the joining
 * thread, whose scribe has the record's line: completes it (paje_complete) and applies it
 * to the builder, or sets it aside to be sorted (paje_late_add).  Else drops it: with a
 * fault, or because it is out of order, which asks for another pass (paje_learn).
 */
void paje_entity(struct paje_simulator *simulator, struct paje_part *part,
                 struct paje_record *record);
/*
 * The first of two steps of RECORD, a StartLink or EndLink of PART, on the joining thread:
 * completes it (paje_complete) if its type, its container and the container at this end are
 * known; else leaves it as it is.
 */
void paje_prepare_link(struct paje_simulator *simulator, struct paje_part *part,
                       struct paje_record *record);
/*
 * The second step, after paje_prepare_link(), on the thread that runs the links: takes the
 * record by paje_link(), or, if its type or container is unknown or no type of links, drops
 * it and notes a fault in SCRIBE.
 */
void paje_link_record(struct paje_simulator *simulator, struct paje_scribe *scribe,
                      const struct paje_part *part, const struct paje_record *record);

/*
 * Returns the state of PAIR (number of a container's and a type's name), made if needed; it
 * may not be resolved yet.  The pointer is valid until the state of a new pair is made.
 */
struct paje_track *paje_track_of(struct paje_simulator *simulator, uint32_t pair);
/*
 * Returns true if the two names of PAIR (in simulator->names) are those of a container and
 * of a type of states, events, variables or links that are known now; else false, with a
 * fault in SCRIBE, unless that is NULL.
 */
bool paje_resolvable(const struct paje_simulator *simulator, struct paje_scribe *scribe,
                     uint32_t pair);
/*
 * Resolves PAIR, which has a state (paje_track_of): finds its container and type, makes the
 * builder's track, and sets whether it is direct.  Returns false, with a fault at the
 * joining thread's line, if paje_resolvable() is false.
 */
bool paje_resolve(struct paje_simulator *simulator, uint32_t pair);
/*
 * Sets whether PAIR (number of a container's and a type's name), which must have a state
 * (paje_track_of), is direct: DIRECT is true if its names are known, its container lives,
 * and its events are in time order, so that lanes apply them.  If it ceases to be direct,
 * simulator->epoch grows: parts that were lexed before are applied record by record.
 */
void paje_set_direct(struct paje_simulator *simulator, uint32_t pair, bool direct);
/*
 * Notes that there must be another pass over the file, and that it must sort the events of
 * PAIR (number of a container's and a type's name) by time (unsorted.h).
 */
void paje_learn(struct paje_simulator *simulator, uint32_t pair);

#endif
