/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The joining of a recording.  All threads' records are merged in time order (join.c) and
 * turned into containers, states and links: threads and annotations in join_threads.c, locks
 * and the rest that threads wait in in join_objects.c.
 *
 * Clocks of two processors may disagree by some nanoseconds, and a stamp may be taken a little
 * before what it stamps.  So a thread may seem to get a lock before its holder gave it back.
 * Cause decides: the thread that got it is parked, and goes on when the holder's record came.
 */
#ifndef WEFT_READ_RECORDING_JOIN_H
#define WEFT_READ_RECORDING_JOIN_H

#include "read/recording/load.h"
#include "read/recording/sites.h"
#include "store/builder.h"

enum { MOST_NESTED = 8, MOST_PENDING = 64 };
/* Longer than this nobody is parked: the record that it waits for was lost. */
#define MOST_PARKED_NS 1000000

/* Why a thread does not run: index into the values of "Thread state". */
enum reason {
    REASON_RUNNING,
    REASON_OBJECT, /* + enum weft_object */
    REASON_JOIN = REASON_OBJECT + WEFT_OBJECT_KINDS,
    REASON_CALL, /* + enum weft_call */
    REASON_KINDS = REASON_CALL + WEFT_CALL_KINDS,
};

struct wait {
    enum reason reason;
    struct object_state *object; /* or NULL */
    uint64_t site;
    int64_t begin;
    uint64_t id; /* of the state */
};

struct meaning { /* of a slot */
    uint64_t object, site;
    enum weft_object class;
};

struct thread {
    struct stream *stream;
    uint32_t image, process, index;
    uint32_t container; /* WEFT_NONE before its start */
    uint32_t states, regions, tasks;
    char *name;
    struct record record; /* the next one, not yet used */
    int64_t time;         /* of the record, as far as it is decided */
    bool started, ended, forced;
    int64_t end;
    struct wait waits[MOST_NESTED];
    unsigned n_waits;
    uint32_t join_target; /* index of a thread, or WEFT_NONE */
    uint64_t join_handle;
    uint64_t barrier_round;
    struct thread *next_parked;
    struct object_state *parked_at;
    struct meaning slots[WEFT_LOG_SLOTS + 1];
};

struct cause { /* who did something that may wake others */
    struct thread *thread;
    int64_t time;
    uint64_t count; /* how many it may wake */
};

struct object_state {
    enum weft_object class;
    uint32_t container, states, waiting; /* tracks; WEFT_NONE where it has none */
    char *name;
    int64_t time; /* of its latest change */
    uint32_t process;
    struct thread *holder;
    uint64_t depth, readers, waiters;
    uint64_t count; /* semaphore's; or a barrier's size */
    uint64_t arrivals;
    struct cause last, rounds[2];
    struct cause pending[MOST_PENDING];
    unsigned first_pending, n_pending;
    struct thread *parked;
};

struct process_state {
    uint32_t container; /* WEFT_NONE before its start */
    struct thread *main;
    uint32_t thread_base;   /* ordinals of this image begin here */
    uint32_t image_threads; /* highest ordinal of this image + 1 */
    uint32_t n_objects[WEFT_OBJECT_KINDS];
    int64_t time; /* of its latest record */
    char *name;
};

struct join {
    struct recording *recording;
    struct weft_builder *builder;
    struct sites *sites;
    struct weft_arena arena;
    struct process_state *processes;
    struct thread **threads;
    size_t n_threads;
    struct thread **heap; /* by time */
    size_t n_heap;
    size_t n_parked;
    struct weft_text_map objects, values, counters, programs, created, sends, receives;
    struct weft_id_map handles;
    struct object_state **object_list;
    size_t n_objects, objects_capacity;
    struct cause *creations;
    size_t n_creations, creations_capacity;
    struct message {
        struct weft_link link;
        uint64_t bytes;
        uint32_t next;
    } * messages;
    size_t n_messages, messages_capacity;

    uint32_t process_type, thread_type, object_types[WEFT_OBJECT_KINDS];
    uint32_t thread_states, regions, tasks, names, instants, cpu_time;
    uint32_t lock_states[WEFT_OBJECT_KINDS], waiting_types[WEFT_OBJECT_KINDS];
    uint32_t semaphore_states;
    uint32_t wake_up, message, spawn;
    uint32_t reasons[REASON_KINDS];
    uint32_t lock_values[WEFT_OBJECT_KINDS][3], semaphore_values[3];
    uint32_t wake_values[REASON_KINDS];
    uint32_t state_object, state_site, region_site, task_site, task_work, instant_site;
    uint32_t lock_holder[WEFT_OBJECT_KINDS], lock_acquisition[WEFT_OBJECT_KINDS];
    uint32_t lock_site[WEFT_OBJECT_KINDS], message_bytes;
};

void join_define_types(struct join *join);

/* join_threads.c */
void join_thread_start(struct join *join, struct thread *thread, int64_t time);
void join_thread_end(struct join *join, struct thread *thread, int64_t time);
void join_block(struct join *join, struct thread *thread, int64_t time, enum reason reason,
                struct object_state *object, uint64_t site);
/* The innermost wait of this reason and object ends; false: there was none. */
bool join_unblock(struct join *join, struct thread *thread, int64_t time,
                  enum reason reason, const struct object_state *object,
                  struct wait *ended);
void join_wake(struct join *join, const struct cause *cause, struct thread *woken,
               int64_t time, const struct wait *wait, uint32_t flags);
void join_thread_record(struct join *join, struct thread *thread,
                        const struct record *record, int64_t time);
void join_half_messages(struct join *join);
uint32_t join_value(struct join *join, uint32_t type, const char *name);
uint32_t join_text(struct join *join, const char *text);

/* join_objects.c: false: the thread must be parked at *blocker until that is released. */
bool join_object_record(struct join *join, struct thread *thread,
                        const struct record *record, int64_t time,
                        struct object_state **blocker);

void join_destroy_object(struct join *join, struct object_state *object, int64_t time);

/* join.c */
void join_unpark(struct join *join, struct object_state *object, int64_t time);

#endif
