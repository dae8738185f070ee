/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The semantics of Paje: applies the records of a trace to the builder.
 *
 * A pair (container name, type name) is direct while its events need only its track: both
 * names are known, the container is alive, and its events come in time order.  Events
 * of direct pairs are applied lane by lane, by any number of threads (lanes.c).  The
 * joining thread does all else in the order of lines: whole parts that define, create or
 * destroy something; of other parts, the records that the lexer marked (attend).
 */
#ifndef WEFT_READ_PAJE_SIMULATE_H
#define WEFT_READ_PAJE_SIMULATE_H

#include "read/paje/links.h"
#include "read/paje/part.h"
#include "read/paje/tables.h"
#include "read/paje/unsorted.h"

struct paje_track { /* by pair */
    int64_t last;   /* time of its latest event; INT64_MAX in special cases */
    int64_t newest; /* latest time seen; INT64_MIN: none yet */
    uint32_t track; /* of the builder */
    uint32_t container;
    uint32_t type;
    uint32_t next; /* next pair of the same container */
    uint8_t kind;
    bool resolved;           /* container, type and track are known */
    bool sorted;             /* its events are set aside and sorted by time (unsorted.h) */
    bool direct;             /* as defined at the head of this file */
    unsigned char apart[20]; /* pads to 64 bytes: no two lanes write to one cache line */
};

/* A thread's faults so far, and the line that it works on. */
struct paje_scribe {
    struct paje_findings findings;
    uint64_t line;
};

struct paje_lane {
    struct paje_scribe scribe;
    struct paje_list learned; /* pairs whose events are not in time order */
};

struct paje_destruction {
    uint32_t container;
    int64_t time;
};

/* Findings of one pass over the file for the next pass. */
struct paje_lesson {
    struct weft_id_map sorted; /* pairs that must be sorted: value 1 */
    struct weft_id_map late;   /* containers with events after their destruction */
    bool again;                /* another pass is needed */
};

struct paje_simulator {
    struct weft_builder *builder;
    struct paje_names *names;
    const struct paje_definitions *definitions;
    struct paje_lesson *lesson;
    const struct paje_part *part; /* the part that is being joined */
    struct paje_scribe scribe;    /* of the joining thread */
    struct paje_findings found;   /* faults of all threads, in order of lines */

    struct paje_track *tracks; /* by pair */
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

/* Begins a pass over the file, and lanes in the builder (weft_builder_lanes). */
void paje_simulator_init(struct paje_simulator *simulator, struct weft_builder *builder,
                         struct paje_names *names,
                         const struct paje_definitions *definitions,
                         struct paje_lesson *lesson);
void paje_simulator_free(struct paje_simulator *simulator);

/*
 * Join the next part, after paje_part_adopt().  Afterwards the part is either done, or
 * waits for paje_lane_run().
 */
void paje_join(struct paje_simulator *simulator, struct paje_part *part);
/*
 * Apply the records of lane I in the waiting parts; the last lane has the links.  Call it
 * for each I below PAJE_LANE_TASKS, from any threads, while nothing else uses the
 * simulator; then call paje_lanes_settle() once.
 */
enum { PAJE_LANE_TASKS = PAJE_LANES + 1 };
void paje_lane_run(struct paje_simulator *simulator, size_t i);
void paje_lanes_settle(struct paje_simulator *simulator);
/*
 * After the last part: apply events set aside, links with one end, and destructions.
 * Returns false with WEFT_ERR_CANCELLED.
 */
bool paje_simulate_end(struct paje_simulator *simulator, struct weft_job *job,
                       struct weft_err *err) WEFT_MUST_CHECK;

/* Note a fault at the scribe's current line. */
static inline void paje_fault(struct paje_scribe *scribe, enum paje_fault fault,
                              const char *text, size_t length)
{
    paje_note(&scribe->findings, scribe->line, fault, text, length);
}
/* Like paje_fault(), with the text of SYMBOL. */
void paje_fault_symbol(const struct paje_simulator *simulator, struct paje_scribe *scribe,
                       enum paje_fault fault, uint32_t symbol);

/* An event on a track, ready for the builder. */
struct paje_action {
    enum paje_event event;
    int64_t time;
    double number;
    uint32_t value;
    const struct weft_field_value *fields;
    uint32_t n_fields;
};
/* Pass an event to the builder's TRACK; PAIR names the container if that is a fault. */
void paje_apply(const struct paje_simulator *simulator, struct paje_scribe *scribe,
                uint32_t pair, uint32_t track, const struct paje_action *action);
/* Returns the event of a record that paje_complete() has completed. */
struct paje_action paje_action_of(const struct paje_simulator *simulator,
                                  const struct paje_part *part,
                                  const struct paje_record *record);

enum weft_kind paje_kind_of(enum paje_event event);
static inline const struct paje_definition *
paje_definition_of(const struct paje_simulator *simulator, const struct paje_record *record)
{
    return simulator->definitions->list[record->definition];
}

/* Complete and apply the record of an entity; called by the joining thread. */
void paje_entity(struct paje_simulator *simulator, struct paje_part *part,
                 struct paje_record *record);
/*
 * A StartLink or EndLink record takes two steps.  In the first the joining thread completes
 * it from the tables, if possible; in the second the lane of links reports that it is
 * faulty, or calls paje_link().
 */
void paje_prepare_link(struct paje_simulator *simulator, struct paje_part *part,
                       struct paje_record *record);
void paje_link_record(struct paje_simulator *simulator, struct paje_scribe *scribe,
                      const struct paje_part *part, const struct paje_record *record);

/* Returns the state of a pair, made if needed; its track may be unknown yet. */
struct paje_track *paje_track_of(struct paje_simulator *simulator, uint32_t pair);
/*
 * Returns true if the pair's names are those of a container and of an entity type; else
 * notes a fault in SCRIBE, unless NULL.
 */
bool paje_resolvable(const struct paje_simulator *simulator, struct paje_scribe *scribe,
                     uint32_t pair);
/* Find a pair's container, type and track; false, with a fault, if its names are unknown.
 */
bool paje_resolve(struct paje_simulator *simulator, uint32_t pair);
/*
 * Set whether PAIR, which must have a track (paje_track_of), is direct, as defined at the
 * head of this file.  If it ceases to be direct, an epoch of the simulator ends: parts that
 * were lexed before are simulated record by record.
 */
void paje_set_direct(struct paje_simulator *simulator, uint32_t pair, bool direct);
/* Note that the next pass must sort the events of this pair by time (unsorted.h). */
void paje_learn(struct paje_simulator *simulator, uint32_t pair);

#endif
