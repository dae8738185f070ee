/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joins the logs of a recording into one trace: the core, and the interface of families.  A
 * family has the records of one subject, written by one recorder (recorder_registry.h).
 *
 * The core merges all threads' records in time order (merge.c), makes containers of hosts,
 * processes and threads, with their names, begins and ends (process_containers.c), and
 * turns addresses into places (sites.h).  Each record goes to its family, which keeps its
 * own state, defines its own types, and pushes states, events and links into the builder.
 *
 * Clocks of two processors may differ by some nanoseconds, and a stamp may be taken a
 * little before its event.  So a thread may seem to get a lock before its holder gave it
 * back.  The order of cause and effect decides: a family may refuse a record for now; then
 * the thread waits in a queue (join_place) until the family lets the threads there
 * continue.
 */
#ifndef WEFT_READ_RECORDING_JOIN_H
#define WEFT_READ_RECORDING_JOIN_H

#include "read/recording/logs/records.h"
#include "read/recording/sites/sites.h"
#include "store/build/builder.h"

/*
 * A queue of threads whose next record a family refuses for now, in the order in which they
 * began to wait.  The family owns the struct, zeroed at first; the core appends threads
 * (join_family.join_record), and the family lets them go on by join_let_go() or
 * join_let_one_go().  A thread that waits too long leaves it without the family's doing.
 */
struct join_place {
    struct join_thread *first, *last;
};

/*
 * The meaning of a slot: a number that in one thread's records stands for this pair of
 * object and call site.  A later definition of the same number replaces it.
 */
struct slot_binding {
    uint64_t object, site; /* address of the object; return address of the call */
    uint32_t class;        /* kind of object, a number of the family's own */
    void *known; /* the family may keep a pointer here; a new definition sets it to NULL */
};

/*
 * A thread of the recording while the join reads it; one for each stream.  After an exec,
 * the first thread of the new program is another join_thread with the same container.
 * lifecycle_prepare() makes all, in the join's arena.
 */
struct join_thread {
    struct stream *stream;             /* its records and observations */
    uint32_t image, process;           /* indices in recording->images and ->processes */
    struct join_thread *next_of_image; /* next thread of the same image, or NULL */
    uint32_t index;     /* in join->threads; families keep their state by it */
    uint32_t container; /* WEFT_NONE before its start */
    const char *name;   /* its current name; not NULL once it has started */
    /* Its start was joined; its container has ended, or another program goes on in it. */
    bool started, ended;
    bool used;        /* the recorder inside has told its page faults (WEFT_RECORD_USAGE) */
    bool leaves;      /* the thread has recorded its end; more records may follow */
    uint32_t sharers; /* children of clone() that share its log, and have not left it */
    /* The record was refused too long, or too many were: the family must take it now. */
    bool forced;
    int64_t end;    /* ns, once `ended` is set */
    uint64_t state; /* id of its latest state of type "Thread state"; or WEFT_NO_ID */

    struct record record; /* the record that its family gets next; none before its start */
    int64_t time; /* ns: of that record, or when the thread began; grows while it waits */
    struct join_place *place; /* queue in which the thread waits, or NULL */
    /* its neighbours in that queue, and in that of all waiting threads (join.waiting) */
    struct join_thread *next_at_place, *previous_at_place;
    struct join_thread *next_waiting, *previous_waiting;
    struct slot_binding *slots; /* [n_slots], freed after the thread's last record */
    uint32_t n_slots;
};

/* A process of the recording while the join reads it; in the join's arena. */
struct join_process {
    uint32_t container;       /* WEFT_NONE before its start */
    struct join_thread *main; /* main thread of the current image; NULL before its start */
    uint32_t thread_base;     /* threads of its earlier images: added to the ordinal of a
                                 thread in the current image, so that numbers are unique */
    uint32_t image_threads;   /* highest thread ordinal of the current image + 1 */
    uint32_t left;            /* index in recording->images of the first image of the
                                 process whose threads may still run */
    int64_t time;             /* of its latest record, ns */
    bool awaited;             /* its parent has recorded that it waited for its end */
    uint32_t signal;          /* the signal that ended it, as the parent saw; 0: none */
};

struct join;

/*
 * How a family (the records of one subject, MPI for instance) joins its records: a table
 * of callbacks.  STATE is what `begin` returned; times are in ns.  Callbacks may be NULL,
 * except for `begin` and `join_record`; `scan` and `compare` must be set if `scans` and
 * `compares` are not 0.
 */
struct join_family {
    uint32_t number;           /* below WEFT_FAMILIES_MAX */
    struct record_kinds kinds; /* the records that it takes, with their least sizes */
    /*
     * Kinds of the family (bits 1 << number) whose records `scan` gets in a pass before the
     * join, stream by stream (first_pass.h).
     */
    uint32_t scans;
    void (*scan)(struct recording *recording, const struct stream *stream,
                 const struct record *record);
    /*
     * Kinds of the family (bits 1 << number) that `compare` gets before all else, even
     * before `scan`, if there are several clock domains; then `relate` relates these
     * (clocks.h).  With one clock domain neither is called.
     */
    uint32_t compares;
    void (*compare)(struct recording *recording, const struct stream *stream,
                    const struct record *record);
    void (*relate)(struct recording *recording);
    /*
     * Defines types; returns STATE, which `end` frees.  join->threads has all threads; none
     * has started.  It is called for each recording, with or without the family's records.
     */
    void *(*begin)(struct join *join);
    /* The thread has a container now. */
    void (*thread_starts)(void *state, struct join_thread *thread, int64_t time);
    /*
     * The program of BEFORE has executed another one, which continues as THREAD, in the
     * same container.  BEFORE gets no more records, and no `thread_ends`; THREAD gets
     * `thread_starts` right after.
     */
    void (*thread_becomes)(void *state, struct join_thread *thread,
                           const struct join_thread *before, int64_t time);
    /*
     * The thread's container is about to end; the thread gets no more records.  It is
     * called after `finish` and `write` for a thread that ends with its process, and never
     * for one whose end is not known.
     */
    void (*thread_ends)(void *state, struct join_thread *thread, int64_t time);
    /*
     * Takes a record and returns NULL; or leaves it, and returns the queue in which the
     * thread must wait until join_let_go() or join_let_one_go(), to be asked again.  If
     * thread->forced is set, it must take the record: the queue is ignored.
     */
    struct join_place *(*join_record)(void *state, struct join_thread *thread,
                                      const struct record *record, int64_t time);
    /*
     * The program of THREAD has given the NAME, valid for the call, to its object at
     * ADDRESS (weft.h).
     */
    void (*object_named)(void *state, struct join_thread *thread, uint64_t address,
                         const char *name, int64_t time);
    /*
     * Called last, after `write`: a process (index into join->processes) ended at TIME, as
     * its own log says.
     */
    void (*process_ends)(void *state, uint32_t process, int64_t time);
    void (*finish)(void *state); /* after the last record: writes what was kept */
    /*
     * Appends data that take long, after the `finish` of all families.  Returns false with
     * *ERR (WEFT_ERR_WRITE or WEFT_ERR_CANCELLED); then the join is given up.
     */
    bool (*write)(void *state, struct weft_job *job, struct weft_err *err);
    void (*end)(void *state); /* frees STATE, which is not NULL; also after a failure */
};

/*
 * Returns the family INDEX, from 0, of all that were built in, sorted by number, without
 * the core; NULL behind the last.  It is static.
 */
const struct join_family *join_family_at(size_t index);

/* The join of one recording into one store; weft_recording_join() makes and frees it. */
struct join {
    struct recording *recording;
    struct weft_builder *builder;
    struct sites *sites;
    struct weft_arena arena; /* names and the like; freed when the join ends */

    struct join_process *processes; /* by index in recording->processes */
    struct join_thread **threads;   /* by index in recording->streams */
    struct join_thread **of_image;  /* first thread of each image (see next_of_image) */
    size_t n_threads;

    /*
     * Indices in the builder of the core's types, the containers' first (names: events,
     * processor_time: a variable, spawn: links), then of its fields (process_containers.c).
     * host_type is WEFT_NONE if there is one host, which is then the root.
     */
    uint32_t host_type, process_type, thread_type, names, processor_time, spawn;
    uint32_t process_id, thread_id, thread_number, thread_start, thread_created_at;
    uint32_t system_time, page_faults; /* fields of threads */

    struct activities *activities; /* states of the threads (thread_states.h) */
    struct stacks *stacks;         /* their call stacks (call_stack_texts.h) */
    struct samples *samples;       /* samples of them (samples.h); NULL: none were taken */

    /* Internal to the core. */
    struct record_families known;
    const struct join_family *families[WEFT_FAMILIES_MAX]; /* all, by number */
    size_t n_families;
    const struct join_family *by_number[WEFT_FAMILIES_MAX];
    void *states[WEFT_FAMILIES_MAX];
    struct join_thread **heap; /* by time */
    size_t n_heap, n_waiting;
    uint64_t n_given, n_refused;      /* records taken by families, and refused for now */
    uint64_t n_looks, looks_left_out; /* calls of join_may_look: true, false */
    struct join_thread *waiting, *last_waiting; /* queue, longest waiting first */
    uint32_t *hosts;  /* containers by index in recording->hosts; WEFT_NONE until made; a
                         single host is the root container, 0 */
    uint32_t *clocks; /* clocks of the builder by index in recording->domains */
    /* struct value_key: value; program's name: processes with it so far; struct handle_key
       (process and pthread_t): index in `threads` of the latest thread with it */
    struct weft_text_map values, programs, handles;
    /* by handle: index in early_names of the name of a thread that has not begun */
    struct weft_text_map early;
    const char **early_names;
    size_t n_early_names, early_names_capacity;
    struct weft_text_map pids; /* struct pid_key: latest process with that id */
    const char **value_names;  /* by value; NULL if join_value() did not make it */
    size_t n_value_names, value_names_capacity;
};

/*
 * Starts all threads and gives all records to their families, in time order.  Times that a
 * family gets do not decrease: a record that comes late gets the time of the latest before.
 * JOB may be NULL.  Returns false with *ERR (WEFT_ERR_CANCELLED) if JOB was cancelled.
 */
bool join_merge(struct join *join, struct weft_job *job, struct weft_err *err);
/*
 * Lets all threads that wait in the queue PLACE, maybe none, go on: the merge will give the
 * record of each to the family again, at TIME (ns) or later.  PLACE is empty on return; the
 * family is not called before it returns to the merge.
 */
void join_let_go(struct join *join, struct join_place *place, int64_t time);
/*
 * Lets THREAD, which must wait in a queue (thread->place is not NULL), leave it and go on:
 * the merge will give its record to the family again, at TIME (ns) or later.
 */
void join_let_one_go(struct join *join, struct join_thread *thread, int64_t time);

/*
 * Tells all families that the program has given the object at ADDRESS in the process of
 * THREAD the NAME at TIME, in ns (join_family.object_named).
 */
void join_object_named(struct join *join, struct join_thread *thread, uint64_t address,
                       const char *name, int64_t time);

/*
 * Counts one step of a family's search among open messages, requests or waits.  Returns
 * false when the search must be given up: all searches of the join together made too many
 * steps for the records read so far, since damage may open any number of messages.  The
 * trace gets a problem with the number of refusals.
 */
bool join_may_look(struct join *join);

/*
 * Returns the pair of object and call site that SLOT (number in a record) of THREAD stands
 * for now; NULL if its definition was lost.  Valid until the thread's next record, which
 * may move or redefine it; its `known` may be set.
 */
struct slot_binding *join_slot(struct join_thread *thread, uint32_t slot);
/*
 * Returns the thread of PROCESS (index into join->processes) that started last with the
 * pthread_t HANDLE, even if it has ended; NULL if none has started.  In the join's arena.
 */
struct join_thread *join_find_thread(const struct join *join, uint32_t process,
                                     uint64_t handle);
/*
 * Returns the index of the builder's value (the name of a state, event or link) called NAME
 * of TYPE; the first call with a NAME makes it, without a color.  Names that agree in their
 * first 256 bytes are one value.
 */
uint32_t join_value(struct join *join, uint32_t type, const char *name);
/*
 * Returns the name of a value that join_value() made, in the join's arena; "" for any
 * other, WEFT_NONE included.
 */
const char *join_value_name(const struct join *join, uint32_t value);
/* Returns the index of TEXT, which is copied, in the store's strings; added if new. */
uint32_t join_text(struct join *join, const char *text);
/*
 * Defines a new type of KIND (not links) in the builder, and returns its index.  PARENT is
 * the container type that it belongs to, 0 for the root.  ROLE says what the type means,
 * and must fit KIND (aborts).  NAME is copied.
 */
uint32_t join_type(struct join *join, enum weft_kind kind, uint32_t parent,
                   const char *name, enum weft_role role);
/*
 * Defines a new type of links from thread to thread in the builder, with the meaning ROLE;
 * returns its index.  join->thread_type must be defined.
 */
uint32_t join_link_type(struct join *join, const char *name, enum weft_role role);
/*
 * Returns the index of the builder's value called NAME of TYPE, made if new (join_value()),
 * and sets its role to ROLE, also if it is not new.
 */
uint32_t join_value_with_role(struct join *join, uint32_t type, const char *name,
                              enum weft_role role);
/*
 * Defines a new field of TYPE in the builder, whose values are of KIND, with the meaning
 * ROLE or WEFT_ROLE_NONE; returns its index.  NAME is copied.
 */
uint32_t join_field(struct join *join, uint32_t type, const char *name,
                    enum weft_field_kind kind, enum weft_role role);
/*
 * Returns a value for FIELD, a field of kind WEFT_FIELD_SITE: the call that returns to
 * ADDRESS in process image IMAGE (index in the recording), found by sites_find().  Its
 * index is WEFT_NONE if ADDRESS is 0.
 */
struct weft_field_value join_site_field(struct join *join, uint32_t field, uint32_t image,
                                        uint64_t address);

#endif
