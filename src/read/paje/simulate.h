/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Paje means by the records of a trace, and how they go into the builder.
 *
 * A pair of names is direct while events on it need nothing but its track and its container's
 * lane: it is resolved, the container lives, and its events come in order of time.  The events
 * of direct pairs are applied lane by lane, by any number of threads (lanes.c).  All else is
 * done by the one thread that joins, in the order of lines: parts in which something is defined,
 * created or destroyed, as a whole; of other parts the records that the lexer marked (attend).
 */
#ifndef WEFT_READ_PAJE_SIMULATE_H
#define WEFT_READ_PAJE_SIMULATE_H

#include "read/paje/late.h"
#include "read/paje/links.h"
#include "read/paje/part.h"
#include "read/paje/tables.h"

struct paje_track { /* by pair */
    int64_t last;   /* INT64_MAX: look closer before anything happens on it */
    int64_t newest; /* latest time seen; INT64_MIN: none yet */
    uint32_t track; /* of the builder */
    uint32_t container;
    uint32_t type;
    uint32_t next; /* pair of the same container */
    uint8_t kind;
    bool resolved;
    bool sorted; /* its events are put aside and sorted by time */
    bool direct;
    unsigned char apart[20]; /* 64 in all: two lanes do not write to one cache line */
};

/* What a thread finds while it works on a line. */
struct paje_scribe {
    struct paje_findings findings;
    uint64_t line;
};

struct paje_lane {
    struct paje_scribe scribe;
    struct paje_list learned; /* pairs whose events are not in order of time */
};

struct paje_destruction {
    uint32_t container;
    int64_t time;
};

/* What one reading of the file learns for the next. */
struct paje_lesson {
    struct weft_id_map sorted; /* pairs that must be sorted: value 1 */
    struct weft_id_map late;   /* containers with events after their destruction */
    bool again;
};

struct paje_simulator {
    struct weft_builder *builder;
    struct paje_names *names;
    const struct paje_definitions *definitions;
    struct paje_lesson *lesson;
    const struct paje_part *part; /* that is being joined */
    struct paje_scribe scribe;    /* of the thread that joins */
    struct paje_findings found;   /* all that was found, in order */

    struct paje_track *tracks; /* by pair */
    size_t n_tracks, track_capacity;
    bool *direct; /* by pair, for the lexer: the same as in tracks */
    size_t direct_capacity;
    uint64_t epoch; /* how often a pair ceased to be direct */
    struct paje_tables tables;

    struct paje_links links;
    struct paje_destruction *destructions; /* put off to the end */
    size_t n_destructions, destruction_capacity;
    struct paje_lates lates;

    struct paje_lane lanes[PAJE_LANES + 1]; /* the last is of links */
    struct paje_part *
        *waiting; /* parts that were joined, but whose lanes were not run yet */
    size_t n_waiting, waiting_capacity;
};

/* The builder is told which lane each track is of; see weft_builder_lanes(). */
void paje_simulator_init(struct paje_simulator *simulator, struct weft_builder *builder,
                         struct paje_names *names,
                         const struct paje_definitions *definitions,
                         struct paje_lesson *lesson);
void paje_simulator_free(struct paje_simulator *simulator);

/*
 * Join the next part, whose own names have been given the trace's numbers.  Afterwards it is
 * done, or it waits with others for paje_lanes_run().
 */
void paje_join(struct paje_simulator *simulator, struct paje_part *part);
/*
 * Work on the waiting parts: call it for each i below PAJE_LANE_TASKS, from any threads, while
 * nothing else is done with the simulator; and then paje_lanes_settle(), once.
 */
enum { PAJE_LANE_TASKS = PAJE_LANES + 1 };
void paje_lane_run(struct paje_simulator *simulator, size_t i);
void paje_lanes_settle(struct paje_simulator *simulator);
/* After the last part: what was put aside, half links, destructions that were put off. */
bool paje_simulate_end(struct paje_simulator *simulator, struct weft_job *job,
                       struct weft_err *err) WEFT_MUST_CHECK;

/* Report at the line that the scribe is at. */
static inline void paje_fault(struct paje_scribe *scribe, enum paje_fault fault,
                              const char *text, size_t length)
{
    paje_note(&scribe->findings, scribe->line, fault, text, length);
}
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
/* TRACK is the builder's; PAIR names the container if it is refused. */
void paje_apply(const struct paje_simulator *simulator, struct paje_scribe *scribe,
                uint32_t pair, uint32_t track, const struct paje_action *action);
/* The action of a record that is complete. */
struct paje_action paje_action_of(const struct paje_simulator *simulator,
                                  const struct paje_part *part,
                                  const struct paje_record *record);

enum weft_kind paje_kind_of(enum paje_event event);
static inline const struct paje_definition *
paje_definition_of(const struct paje_simulator *simulator, const struct paje_record *record)
{
    return simulator->definitions->list[record->definition];
}

/* Everything about one record of an entity, by the thread that joins. */
void paje_entity(struct paje_simulator *simulator, struct paje_part *part,
                 struct paje_record *record);
/*
 * The record of a link in two steps.  The first, by the thread that joins, gives it all that it
 * needs of the tables, if it can be had; the second, in the lane of links, reports what could
 * not, or puts the link together.
 */
void paje_prepare_link(struct paje_simulator *simulator, struct paje_part *part,
                       struct paje_record *record);
void paje_link_record(struct paje_simulator *simulator, struct paje_scribe *scribe,
                      const struct paje_part *part, const struct paje_record *record);

/* Let there be a track for the pair; it may be unresolved. */
struct paje_track *paje_track_of(struct paje_simulator *simulator, uint32_t pair);
/* Do both names of the pair mean something that fits?  SCRIBE reports what does not, or NULL. */
bool paje_resolvable(const struct paje_simulator *simulator, struct paje_scribe *scribe,
                     uint32_t pair);
/* Find out what a pair is.  False, with a report, when it is nothing (yet). */
bool paje_resolve(struct paje_simulator *simulator, uint32_t pair);
void paje_set_direct(struct paje_simulator *simulator, uint32_t pair, bool direct);
/* In the next reading, put the events of this pair in order of time. */
void paje_learn(struct paje_simulator *simulator, uint32_t pair);

#endif
