/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The joining of a recording: what the core does, and what it asks of families.
 *
 * The core merges all threads' records in time order (merge.c), makes containers of hosts,
 * processes and threads, with their names, births and ends (lives.c), and turns addresses into
 * places (sites.h).  Each record then goes to its family, which keeps its own state, defines
 * its own types, and pushes states, events and links into the builder.
 *
 * Clocks of two processors may disagree by some nanoseconds, and a stamp may be taken a little
 * before what it stamps.  So a thread may seem to get a lock before its holder gave it back.
 * Cause decides: a family may refuse a record for now, and its thread waits at a place until
 * the family lets go whoever waits there.
 */
#ifndef WEFT_READ_RECORDING_JOIN_H
#define WEFT_READ_RECORDING_JOIN_H

#include "read/recording/logs/records.h"
#include "read/recording/sites/sites.h"
#include "store/build/builder.h"

struct join_place { /* where threads wait for a record of another one, in order of time */
    struct join_thread *first, *last;
};

struct join_meaning { /* of a slot; class as the family that uses it has it */
    uint64_t object, site;
    uint32_t class;
    void *known; /* the family's own; NULL when the slot has got its meaning */
};

struct join_thread {
    struct stream *stream;
    uint32_t image, process;
    struct join_thread *next_of_image;
    uint32_t index;     /* in join->threads: families keep their state by it */
    uint32_t container; /* WEFT_NONE before its start */
    const char *name;   /* at this moment; never NULL once it has started */
    bool started, ended;
    bool leaves;      /* it said that it ends */
    uint32_t sharers; /* children that wrote into its log */
    /* Its record was refused for too long: the family must take it. */
    bool forced;
    int64_t end;
    uint64_t state; /* id of what it is doing, as some family shows it, or WEFT_NO_ID */

    struct record record;     /* the next one, not yet used */
    int64_t time;             /* of the record, as far as it is decided */
    struct join_place *place; /* where it waits; NULL */
    struct join_thread *next_at_place, *previous_at_place;
    struct join_thread *next_waiting, *previous_waiting;
    struct join_meaning
        *slots; /* so far as they were defined; freed behind its last record */
    uint32_t n_slots;
};

struct join_process {
    uint32_t container; /* WEFT_NONE before its start */
    struct join_thread *main;
    uint32_t thread_base;   /* ordinals of this image begin here */
    uint32_t image_threads; /* highest ordinal of this image + 1 */
    uint32_t left;          /* images before this one were left: their threads have ended */
    int64_t time;           /* of its latest record */
    bool awaited;           /* another process has waited for its end ... */
    uint32_t signal;        /* ... which this signal was, or 0 */
};

struct join;

/* A family.  STATE is what begin returned.  All functions but begin and take may be NULL. */
struct join_family {
    enum weft_family number;
    struct record_kinds kinds;
    /* Kinds (bits, by number) that are wanted in the first reading, see names.h. */
    uint32_t scans;
    void (*scan)(struct recording *recording, const struct stream *stream,
                 const struct record *record);
    /*
     * Kinds (bits) that are wanted before anything else, when there are several clocks; when all
     * were given, relate the recording's domains (clocks.h).
     */
    uint32_t compares;
    void (*compare)(struct recording *recording, const struct stream *stream,
                    const struct record *record);
    void (*relate)(struct recording *recording);
    /* Define types; join->threads are all there, none has started. */
    void *(*begin)(struct join *join);
    /* It has a container now. */
    void (*thread_starts)(void *state, struct join_thread *thread, int64_t time);
    /* BEFORE has become another program, and goes on as THREAD in the same container. */
    void (*thread_becomes)(void *state, struct join_thread *thread,
                           const struct join_thread *before, int64_t time);
    /* Its container is about to end. */
    void (*thread_ends)(void *state, struct join_thread *thread, int64_t time);
    /* NULL, or the place where the thread waits until it can take the record. */
    struct join_place *(*take)(void *state, struct join_thread *thread,
                               const struct record *record, int64_t time);
    /* The process ended at a known time. */
    void (*process_ends)(void *state, uint32_t process, int64_t time);
    void (*finish)(void *state); /* after the last record of all */
    /* Push what takes long, after finish; WEFT_ERR_WRITE, WEFT_ERR_CANCELLED. */
    bool (*write)(void *state, struct weft_job *job, struct weft_err *err);
    void (*end)(void *state); /* give back the state; also after a failure */
};

/* The families that can be joined: families.c. */
extern const struct join_family *const join_families[];
extern const size_t join_n_families;

struct join {
    struct recording *recording;
    struct weft_builder *builder;
    struct sites *sites;
    struct weft_arena arena; /* of the whole join: for names and the like */

    struct join_process *processes; /* as recording->processes */
    struct join_thread **threads;   /* as recording->streams */
    struct join_thread **of_image;  /* the first one of each image: next_of_image */
    size_t n_threads;

    /* Types and fields of the core, see lives.c. */
    uint32_t host_type, process_type, thread_type, names, processor_time, spawn;
    uint32_t process_id, thread_id, thread_number, thread_start, thread_created_at;

    /* The core's own. */
    struct record_families known;
    const struct join_family *by_number[WEFT_FAMILIES_MOST];
    void *states[WEFT_FAMILIES_MOST];
    struct join_thread **heap; /* by time */
    size_t n_heap, n_waiting;
    uint64_t n_given, n_refused; /* records: taken by their families, and refused for now */
    uint64_t n_looks, looks_left_out;           /* see join_may_look() */
    struct join_thread *waiting, *last_waiting; /* the list of them, longest first */
    uint32_t *hosts;  /* containers, as recording->hosts; WEFT_NONE: not made yet */
    uint32_t *clocks; /* of the builder, as recording->domains */
    struct weft_text_map values, programs, handles;
    struct weft_text_map pids; /* struct pid_key: the latest process that had the number */
    const char **value_names;  /* by value; NULL: not made by join_value */
    size_t n_value_names, value_names_capacity;
};

/* Merge all records; false when the job was cancelled. */
bool join_merge(struct join *join, struct weft_job *job, struct weft_err *err);
/* All threads that wait at PLACE try again, now or at TIME when that is later. */
void join_let_go(struct join *join, struct join_place *place, int64_t time);
/* That thread alone does. */
void join_let_one_go(struct join *join, struct join_thread *thread, int64_t time);

/*
 * One more look at what is open, for what a record belongs to.  False: there were so many that
 * the caller gives up, for damage may open anything; it is told.
 */
bool join_may_look(struct join *join);

/* What a slot means in a thread, until the next one is defined; NULL: that was lost. */
struct join_meaning *join_slot(struct join_thread *thread, uint32_t slot);
/* The thread with this pthread_t in a process, the latest one; NULL. */
struct join_thread *join_find_thread(const struct join *join, uint32_t process,
                                     uint64_t handle);
/* The value NAME of a type, made when it is new; its name again; and a text. */
uint32_t join_value(struct join *join, uint32_t type, const char *name);
const char *join_value_name(const struct join *join, uint32_t value);
uint32_t join_text(struct join *join, const char *text);
/* A type of the trace; PARENT is a container type.  States have 16 shares in summaries. */
uint32_t join_type(struct join *join, enum weft_kind kind, uint32_t parent,
                   const char *name, enum weft_role role);
/* A type of links between threads. */
uint32_t join_link_type(struct join *join, const char *name, enum weft_role role);
/* A value, and a field, with what they mean. */
uint32_t join_value_with_role(struct join *join, uint32_t type, const char *name,
                              enum weft_role role);
uint32_t join_field(struct join *join, uint32_t type, const char *name,
                    enum weft_field_kind kind, enum weft_role role);
/* A field that holds the place of a return address in an image. */
struct weft_field_value join_site_field(struct join *join, uint32_t field, uint32_t image,
                                        uint64_t address);

#endif
