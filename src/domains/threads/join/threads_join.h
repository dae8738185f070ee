/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The family of threads, joined: what keeps threads from running (states.c), the objects that
 * they wait in or hold (objects.c), what happens to those (changes.c, conditions.c), and who
 * woke whom.
 */
#ifndef WEFT_READ_RECORDING_THREADS_JOIN_H
#define WEFT_READ_RECORDING_THREADS_JOIN_H

#include "domains/threads/format/records.h"
#include "read/recording/join/join.h"
#include "read/recording/join/names.h"
#include "domains/threads/join/frames.h"

enum {
    MOST_NESTED = 8,   /* waits of a thread inside one another: handlers in handlers */
    MOST_PENDING = 64, /* wakers of an object that have not woken all that they may */
};

enum lock_value { LOCK_FREE, LOCK_HELD, LOCK_CONTENDED, LOCK_OWNER_DIED, LOCK_VALUES };

/* Why a thread does not run: index into the values of "Thread state". */
enum reason {
    REASON_RUNNING,
    REASON_OBJECT, /* + enum weft_object */
    REASON_JOIN = REASON_OBJECT + WEFT_OBJECT_KINDS,
    REASON_CALL, /* + enum weft_call */
    REASON_KINDS = REASON_CALL + WEFT_CALL_KINDS,
};

struct cause {                  /* who did something that may wake others */
    struct join_thread *thread; /* NULL: nobody is known */
    int64_t time;
    uint64_t count; /* how many it may wake */
    uint64_t state; /* id of the state in which it did */
    bool died;      /* it ended while it held the lock */
};

struct wait {
    enum reason reason;
    struct object_state *object; /* or NULL */
    uint64_t site;
    int64_t begin;
    uint64_t id; /* of the state */
    /* In a condition: the mutex that it gave back, or NULL, and who told it to go on. */
    struct object_state *mutex;
    struct cause cause;
};

struct thread_state { /* this family's, of a join_thread */
    uint32_t states;  /* track; WEFT_NONE before its start */
    struct wait waits[MOST_NESTED];
    unsigned n_waits;
    struct join_thread *join_target; /* or NULL */
    uint64_t join_handle;
    uint64_t barrier_round;
    struct object_state
        *gave_back; /* the lock of its latest record, if that was a release */
    uint64_t stack[WEFT_STACK_MOST]; /* WEFT_RECORD_STACK, as it was last */
    uint32_t n_stack;
};

struct thread_list { /* in order of arrival */
    struct join_thread **threads;
    size_t n, capacity;
};

struct object_state {
    enum weft_object class;
    uint32_t container, states, waiting; /* tracks; WEFT_NONE where it has none */
    int64_t time;                        /* of its latest change */
    uint32_t process;                    /* WEFT_NONE: it belongs to several */
    bool destroyed;
    struct join_thread *holder;
    uint64_t held_at;    /* the site where it was taken; 0: not known */
    uint32_t held_image; /* of that site */
    uint64_t depth, readers, waiters;
    uint64_t count; /* semaphore's; or a barrier's size */
    uint64_t arrivals;
    struct cause last, rounds[2];
    struct cause *pending; /* [MOST_PENDING], of a semaphore; NULL: there was none yet */
    unsigned first_pending, n_pending;
    struct thread_list inside;    /* condition: who waits in it */
    struct thread_list returning; /* mutex: who was told to go on and needs it for that */
    struct join_place place;      /* who waits for its release to be read */
};

/* What is defined in the store: types.c. */
struct thread_types {
    uint32_t objects[WEFT_OBJECT_KINDS]; /* containers, and facts about them */
    uint32_t address[WEFT_OBJECT_KINDS], symbol[WEFT_OBJECT_KINDS];
    uint32_t thread_states, wake_up;
    uint32_t lock_states[WEFT_OBJECT_KINDS], waiting[WEFT_OBJECT_KINDS], semaphore_states;
    uint32_t reasons[REASON_KINDS], wakes[REASON_KINDS], wake_by_death; /* values */
    uint32_t lock_values[WEFT_OBJECT_KINDS][LOCK_VALUES], semaphore_values[3];
    uint32_t initialized_at[WEFT_OBJECT_KINDS], first_used_at[WEFT_OBJECT_KINDS];
    uint32_t state_object, state_site; /* fields */
    uint32_t lock_holder[WEFT_OBJECT_KINDS], lock_acquisition[WEFT_OBJECT_KINDS];
    uint32_t lock_site[WEFT_OBJECT_KINDS];
};

/* What an object is told by: its process and address, or the file behind shared memory. */
struct object_key {
    uint64_t process, address; /* shared: UINT64_MAX less the host, and the offset */
    uint64_t device, inode;
};

struct initialization { /* of an object that nobody has used yet */
    uint64_t site;
    uint32_t image;
};

struct mapping { /* of memory that processes share */
    uint32_t before; /* index of the one before it of the image; WEFT_MAP_NONE */
    uint64_t begin, end, offset, device, inode;
    const char *path;
};

struct threads_join {
    struct join *join;
    struct thread_types types;
    struct thread_state *threads;  /* as join->threads */
    struct object_state **objects; /* NULL: destroyed */
    size_t n_objects, objects_capacity;
    struct weft_text_map object_map;  /* struct object_key */
    struct weft_text_map initialized; /* struct object_key to index of initializations */
    struct initialization *initializations;
    size_t n_initializations, initializations_capacity;
    struct mapping *mappings; /* shared.c */
    size_t n_mappings, mappings_capacity;
    struct weft_id_map last_mappings; /* by image: index of its latest */
    uint32_t *groups; /* by host: container of what processes share; WEFT_NONE */
    struct frames *frames;
    struct weft_text_map object_names; /* how many of a process bear a name */
};

void threads_define_types(struct threads_join *threads);

/* states.c */
void threads_show_state(struct threads_join *threads, struct join_thread *thread,
                        int64_t time);
/* The thread does at this time what may wake up to COUNT others. */
struct cause threads_cause(struct join_thread *thread, int64_t time, uint64_t count);
/* A wait begins; SITE is its hook's return address.  The wait, until the next one begins. */
struct wait *threads_block(struct threads_join *threads, struct join_thread *thread,
                           int64_t time, enum reason reason, struct object_state *object,
                           uint64_t site);
/* The innermost wait of this reason and object ends; false: there was none. */
bool threads_unblock(struct threads_join *threads, struct join_thread *thread, int64_t time,
                     enum reason reason, const struct object_state *object,
                     struct wait *ended);
/* The wait of a thread in an object, if nothing is inside that; NULL. */
struct wait *threads_waits_in(struct threads_join *threads,
                              const struct join_thread *thread,
                              const struct object_state *object);
/* A jump has left the N innermost waits of a thread. */
void threads_leave(struct threads_join *threads, struct join_thread *thread, uint64_t n,
                   int64_t time);
void threads_wake(struct threads_join *threads, const struct cause *cause,
                  struct join_thread *woken, int64_t time, const struct wait *wait,
                  uint32_t flags);
/* The place of a call in a thread, around wrappers. */
uint64_t threads_site(struct threads_join *threads, const struct join_thread *thread,
                      uint64_t site);

/* objects.c */
/* The object that a slot means, made at its first use. */
struct object_state *threads_object(struct threads_join *threads,
                                    const struct join_thread *thread,
                                    struct join_meaning *meaning, int64_t time);
void threads_initialize_object(struct threads_join *threads,
                               const struct join_thread *thread,
                               const struct record *record, int64_t time);
void threads_destroy_meaning(struct threads_join *threads, const struct join_thread *thread,
                             const struct join_meaning *meaning, int64_t time);
void threads_destroy_object(struct threads_join *threads, struct object_state *object,
                            int64_t time);

/* shared.c */
void threads_add_mapping(struct threads_join *threads, const struct join_thread *thread,
                         const struct record *record);
/* The memory of several processes that an address of an image is in; NULL: in none. */
const struct mapping *threads_mapping(const struct threads_join *threads, uint32_t image,
                                      uint64_t address);
/* The container of what the processes of a host share. */
uint32_t threads_shared_group(struct threads_join *threads, uint32_t process, int64_t time);

/* changes.c */
struct join_place *threads_object_record(struct threads_join *threads,
                                         struct join_thread *thread,
                                         const struct record *record, int64_t time);
/* Show the object's state as it is. */
void threads_show_object(struct threads_join *threads, struct object_state *object,
                         int64_t time);
void threads_wait_begins(struct threads_join *threads, struct join_thread *thread,
                         struct object_state *object, uint64_t site, int64_t time);
/* The object's part of the end of a wait in it. */
void threads_waits_no_more(struct join_thread *thread, const struct wait *wait);
/* The wait of a thread in an object is over; false: it did not wait there. */
bool threads_wait_ends(struct threads_join *threads, struct join_thread *thread,
                       struct object_state *object, int64_t time, struct wait *wait);

/* conditions.c */
void threads_enter_condition(struct threads_join *threads, struct join_thread *thread,
                             struct object_state *condition);
void threads_leave_condition(struct join_thread *thread, const struct wait *wait);
/* A signal, or ALL: a broadcast. */
void threads_tell_condition(struct threads_join *threads, struct object_state *condition,
                            struct join_thread *thread, bool all, int64_t time);
/* The thread has taken the mutex: who came back from a condition and needs it, waits for it. */
void threads_mutex_taken(struct threads_join *threads, struct object_state *mutex,
                         struct join_thread *thread, int64_t time);
void threads_list_free(struct thread_list *list);

#endif
