/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The join of the records of threads: makes the states of threads (states.c), the objects
 * that they wait for or hold (objects.c, object_initialization_and_name.c, object_names.c),
 * the states of these (object_records.c, conditions.c), and links for wake-ups;
 * shared_memory.c knows memory that processes share.  One thread at a time; all TIMEs are
 * ns, and do not decrease.  A SITE is a return address in the thread's process image.
 */
#ifndef WEFT_READ_RECORDING_THREADS_JOIN_H
#define WEFT_READ_RECORDING_THREADS_JOIN_H

#include "domains/threads/format/records.h"
#include "read/recording/join/first_pass.h"
#include "read/recording/join/join.h"
#include "read/recording/join/thread_states.h"
#include "read/recording/sites/callers.h"

/* The most waits of a thread, and posts of a semaphore; one more drops the oldest. */
enum {
    MAX_NESTED = 8,   /* waits of a thread inside each other, in signal handlers */
    MAX_PENDING = 64, /* posts of a semaphore whose wake-ups are not known yet */
};

/*
 * The state of a lock: index into threads_join.types.lock_values[class].  Contended: it is
 * held, and threads wait for it.  LOCK_VALUES is the number of states.
 */
enum lock_value { LOCK_FREE, LOCK_HELD, LOCK_CONTENDED, LOCK_OWNER_DIED, LOCK_VALUES };

/*
 * The reason why a thread does not run: index into threads_join.types.reasons, the values
 * of "Thread state".
 */
enum reason {
    REASON_RUNNING, /* it is in no wait: it runs */
    REASON_OBJECT,  /* + enum weft_object: waits for such an object */
    REASON_JOIN = REASON_OBJECT + WEFT_OBJECT_KINDS, /* for the end of a thread */
    REASON_TEAM,                                     /* for the other threads of its team */
    REASON_WORK, /* its team has ended, and it has no part of another region */
    REASON_CALL, /* + enum weft_call: in such a call */
    REASON_KINDS = REASON_CALL + WEFT_CALL_KINDS, /* their number */
};

/*
 * An action that may wake other threads: a release, a signal, a post, an arrival at a
 * barrier, a thread's end.  All 0: none.
 */
struct cause {
    struct join_thread *thread; /* the thread that acts; NULL: there is none yet */
    int64_t time;               /* ns */
    /* of a semaphore's post: threads that it may still wake; else 1, not used */
    uint64_t count;
    uint64_t state; /* id of the thread's state then; WEFT_NO_ID: it has none */
    bool died;      /* the thread ended while it held the lock */
};

/* A wait of a thread.  Copied by value; nothing is to be freed. */
struct wait {
    enum reason reason;
    struct object_state *object; /* that it waits for; NULL for a join or a call */
    uint64_t site;               /* return address of the call, outside of wrappers */
    int64_t begin;               /* ns */
    /* ns, once it has ended: when it did, or before that when the thread was woken */
    int64_t end;
    uint64_t id; /* of the thread's state; WEFT_NO_ID: not written yet */
    /* for a condition: the mutex that was given back for the wait; NULL: unknown */
    struct object_state *mutex;
    struct cause cause; /* the signal or broadcast to it; its thread is NULL before that */
};

/* A thread, with what this join knows about it; an element of threads_join.threads. */
struct thread_state {
    struct wait waits[MAX_NESTED]; /* [n_waits], the innermost last */
    unsigned n_waits;
    struct join_thread *join_target; /* the thread whose end it waits for, or NULL */
    uint64_t join_handle;            /* the handle of that thread, as recorded */
    uint64_t barrier_round;          /* rounds of its barrier complete before it arrived */
    /* the lock that it gave back by its latest record of an object; NULL: by none */
    struct object_state *gave_back;
    struct cause waker; /* woke it last, as the kernel's switches prove; or no thread */
    /* of its latest wait for a condition: the address in its record, and the program's own
       call (threads_site()); the mutex that it has again is recorded with the former */
    uint64_t condition_site, own_condition_site;
    /* its latest WEFT_RECORD_TEAM_WAIT: the team, and whether it waits for work next */
    uint64_t team;
    bool is_team_worker;
    uint32_t at_team;    /* position in threads_join.at_teams, from 1; 0: not there */
    struct cause passed; /* the arrival that ended that wait; without thread: none yet */
    uint64_t *stack;     /* [n_stack] its latest WEFT_RECORD_STACK; in the join's arena */
    uint32_t n_stack;    /* words of that; 0: none yet */
    uint32_t stack_capacity;
};

/* A list of threads [n], in order of arrival; threads_list_free frees it.  Empty: all 0. */
struct thread_list {
    struct join_thread **threads;
    size_t n, capacity;
};

/* A lock was given back while threads waited for it. */
struct contended_release {
    struct cause cause;
    bool alone; /* one thread waited */
};
enum { MAX_RELEASES = 1024 }; /* of a lock that are kept; one more drops the oldest */

/*
 * An object that threads wait for, from its first record to its destruction, when
 * threads_destroy_object frees its lists.  Made by threads_object, in the join's arena.
 */
struct object_state {
    enum weft_object class;
    /*
     * Indices of the builder: its container; the track of its states (locks and
     * semaphores); and WAITING, the track of a semaphore's count, or of how many threads
     * wait for a condition or barrier.  WEFT_NONE: it has no such track.
     */
    uint32_t container, states, waiting;
    int64_t time;     /* of its latest record, in ns */
    uint32_t process; /* index; WEFT_NONE: it lies in memory that processes may share */
    bool destroyed;
    const char *name;  /* of its container; in the join's arena */
    const char *given; /* the name that the program gave it, in the arena; or NULL */
    uint32_t number;   /* from 1; tells it from others of that name, place or class */
    struct join_thread *holder;       /* of a lock: that took it last; NULL: it is free */
    uint64_t held_at;                 /* the site where it was taken; 0 if unknown */
    uint32_t held_image;              /* the image of that site */
    uint64_t depth, readers, waiters; /* holds of one thread, of readers; waiting threads */
    uint64_t count;    /* of a semaphore; or the size of a barrier, 0: unknown */
    uint64_t arrivals; /* at a barrier, of all rounds since its size was recorded */
    /*
     * The latest release or arrival; of a barrier, the arrival that completed round R, from
     * 0, at rounds[R & 1], for the latest two rounds.
     */
    struct cause last, rounds[2];
    /* ring buffer [MAX_PENDING] of posts of a semaphore, n_pending are in it; or NULL */
    struct cause *pending;
    unsigned first_pending, n_pending;
    /*
     * The releases of a lock since threads wait for it, in order of time: a ring buffer
     * [releases_capacity] with n_releases, MAX_RELEASES at most; or NULL.
     */
    struct contended_release *releases;
    size_t first_release, n_releases, releases_capacity;
    struct thread_list inside;    /* of a condition: the threads that wait for it */
    struct thread_list returning; /* of a mutex: woken waiters of conditions that need it */
    struct join_place place;      /* threads whose records are held up until its release */
};

/*
 * Indices of the types, values and fields in the store that threads_define_types makes; [c]
 * is for objects of class c (enum weft_object).  Elements of classes that have no such
 * thing are 0: lock_... are for locks (up to WEFT_OBJECT_SPIN), `waiting` for the others.
 */
struct thread_types {
    uint32_t objects[WEFT_OBJECT_KINDS]; /* types of containers: the objects */
    /* fields of these: the address, the variable's name, the name that the program gave */
    uint32_t address[WEFT_OBJECT_KINDS], symbol[WEFT_OBJECT_KINDS];
    uint32_t given_name[WEFT_OBJECT_KINDS];
    uint32_t thread_states, wake_up; /* types: of states of threads; of links */
    /*
     * Types of tracks: of the states of a lock; of the samples of object_state.waiting; of
     * the states of a semaphore.
     */
    uint32_t lock_states[WEFT_OBJECT_KINDS], waiting[WEFT_OBJECT_KINDS], semaphore_states;
    /* values of thread_states, and of wake_up (only of objects and joins), by reason */
    uint32_t reasons[REASON_KINDS], wakes[REASON_KINDS], wake_by_death;
    /*
     * Values of lock_states, by enum lock_value; and of semaphore_states: [0] threads wait,
     * [1] none waits, the count is 0, [2] none waits, the count is above 0.
     */
    uint32_t lock_values[WEFT_OBJECT_KINDS][LOCK_VALUES], semaphore_values[3];
    /* fields of the objects' containers, of which at most one is set: places in the code */
    uint32_t initialized_at[WEFT_OBJECT_KINDS], first_used_at[WEFT_OBJECT_KINDS];
    uint32_t state_object, state_site; /* fields of thread_states; below: of lock_states */
    uint32_t lock_holder[WEFT_OBJECT_KINDS], lock_acquisition[WEFT_OBJECT_KINDS];
    uint32_t lock_site[WEFT_OBJECT_KINDS];
    uint32_t lock_shared; /* only of read-write locks */
};

/*
 * The identity of an object that threads wait for: process and address; if it lies in
 * memory that processes share: host, file and offset.
 */
struct object_key {
    /* index of the process, and the object's address; if shared: UINT64_MAX less the host's
       index, and the object's offset in the file, in bytes */
    uint64_t process, address;
    uint64_t device, inode; /* of the shared file; else 0 */
};

/*
 * A fact about the object at an address: where it was initialized (`site`), or its name
 * (`name`); an element of threads_join.facts.  All is 0 once the object was destroyed: then
 * nothing is known.
 */
struct object_fact {
    uint64_t site;    /* return address, outside of wrappers if these are known; or 0 */
    const char *name; /* that the program gave it, in the join's arena; or NULL */
    uint32_t image;   /* of the thread that did so, and of SITE */
    int64_t time;     /* ns */
};

/* A mapping of memory that processes share; an element of threads_join.mappings. */
struct mapping {
    uint32_t before; /* index of the image's mapping before it, or WEFT_MAP_NONE */
    /* addresses [begin, end) in the image; OFFSET in the mapped file, and that file */
    uint64_t begin, end, offset, device, inode;
    const char *path; /* of the file; in the join's arena */
};

/*
 * The state of this join: one for each trace that is made. threads.c makes and frees it.
 */
struct threads_join {
    struct join *join;
    struct thread_types types;
    struct thread_state *threads;  /* [join->n_threads] by join_thread.index */
    struct object_state **objects; /* [n_objects] in order of first use; NULL: destroyed */
    size_t n_objects, objects_capacity;
    struct weft_text_map object_map; /* struct object_key to index of objects */
    /* struct object_key to index of facts: where it was initialized, and its name */
    struct weft_text_map initialized, given_names;
    struct object_fact *facts;
    size_t n_facts, facts_capacity;
    struct mapping *mappings; /* shared memory of all images */
    size_t n_mappings, mappings_capacity;
    struct weft_id_map last_mappings; /* image to index of its latest mapping */
    struct thread_list at_teams;      /* threads that wait for others of their team */
    /* struct begun_key (teams.c) to index of regions: what began them, for their workers */
    struct weft_text_map begun;
    struct cause *regions; /* [n_regions] */
    size_t n_regions, regions_capacity;
    uint32_t *groups;              /* by host: container of shared objects, or WEFT_NONE */
    struct frames *frames;         /* finds the callers of wrappers; owned */
    struct weft_text_map path_map; /* struct path_key (states.c) to index of paths */
    uint64_t *paths;               /* [n_paths] the site of the program's call in each */
    size_t n_paths, paths_capacity;
    /*
     * Text of a process and a name, to 1 if an object has that name; of a process and what
     * is numbered (name, place, class), to the greatest number so far.
     */
    struct weft_text_map object_names;
    struct weft_text_map place_map; /* image and return address to index of places */
    const char **places;            /* for names, in the join's arena; or NULL */
    size_t n_places, places_capacity;
};

/* threads_store_types.c */
/*
 * Defines all types, values and fields in the store, and sets threads->types.  Call once.
 */
void threads_define_types(struct threads_join *threads);

/* known_wrappers.c */
/*
 * Tells SITES which functions of libraries wrap those of threads and locks
 * (std::mutex::lock, uv_mutex_lock), so that sites are looked for in their callers.  Call
 * once.
 */
void threads_know_wrappers(struct sites *sites);

/* states.c */
/*
 * Writes the thread's state from TIME on: its innermost wait, or running.  Sets
 * thread->state, and the id of that wait, to the state's id.  The thread's states must have
 * begun (activity_begin).
 */
void threads_show_state(struct threads_join *threads, struct join_thread *thread,
                        int64_t time);
/*
 * Returns a struct cause: the thread acts at TIME, in its current state, and may wake up to
 * COUNT others.
 */
struct cause threads_cause(struct join_thread *thread, int64_t time, uint64_t count);
/*
 * Begins a wait of the thread at TIME for REASON, for OBJECT unless that is NULL, and
 * writes the thread's state, not the object's.  SITE is the return address of the call that
 * waits, or a path's number.  If MAX_NESTED waits are open, the outermost is dropped.
 * Returns the new wait, valid until the thread's next wait begins or ends.
 */
struct wait *threads_block(struct threads_join *threads, struct join_thread *thread,
                           int64_t time, enum reason reason, struct object_state *object,
                           uint64_t site);
/*
 * Ends the thread's innermost wait with this REASON and OBJECT (NULL: without an object) at
 * TIME, and all waits inside it.  Copies it to *ENDED and writes the thread's state.
 * Leaves the object of *ENDED as it is: call threads_waits_no_more for that.  Objects of
 * the waits inside lose the waiter, and their states are written.  Returns false, with
 * *ENDED untouched, if there is no such wait.
 */
bool threads_unblock(struct threads_join *threads, struct join_thread *thread, int64_t time,
                     enum reason reason, const struct object_state *object,
                     struct wait *ended);
/* Sets the end (TIME, or before) and the id of WAIT, the thread's innermost one. */
void threads_end_wait(struct threads_join *threads, struct join_thread *thread,
                      int64_t time, struct wait *wait);
/*
 * Returns the thread's innermost wait if that is for OBJECT; else NULL.  Valid until the
 * thread's next wait begins or ends.
 */
struct wait *threads_waits_in(struct threads_join *threads,
                              const struct join_thread *thread,
                              const struct object_state *object);
/*
 * Ends the N innermost waits of the thread, or all if it has fewer, at TIME: a longjmp has
 * left them.  Writes the states of their objects and of the thread.
 */
void threads_leave(struct threads_join *threads, struct join_thread *thread, uint64_t n,
                   int64_t time);
/*
 * Writes a wake-up link from CAUSE (its thread, which is not NULL, and time) to the thread
 * WOKEN, whose WAIT, for an object or a join, ended at wait->end.  FLAGS: 0, or
 * WEFT_INFERRED.  No effect if both are one thread, if the thread of CAUSE has no
 * container, or if the wait was never written: it was over before the thread ran again.
 */
void threads_wake(struct threads_join *threads, const struct cause *cause,
                  struct join_thread *woken, const struct wait *wait, uint32_t flags);
/*
 * Takes a WEFT_RECORD_PATH: keeps which of its calls is the program's, the innermost that
 * is not in a wrapper, under the path's number.  Ignores a number that the image has
 * already.
 */
void threads_add_path(struct threads_join *threads, const struct join_thread *thread,
                      const struct record *record);
/*
 * Returns SITE; or, if it is a path's number (WEFT_PATH_BIT), the site of the program's
 * call in that path, 0 if the path is unknown.
 */
uint64_t threads_path(struct threads_join *threads, const struct join_thread *thread,
                      uint64_t site);
/*
 * Returns the return address of the first call from SITE outwards that is not in a wrapper
 * function: threads_path() of a path, else by the thread's latest WEFT_RECORD_STACK; SITE
 * if that is of another call.
 */
uint64_t threads_site(struct threads_join *threads, const struct join_thread *thread,
                      uint64_t site);

/* objects.c */
/*
 * Returns the object at the address and of the class that BINDING says (a slot of the
 * thread: a number in its records that stands for an object and a call site), and keeps it
 * in binding->known.  Makes the object, with its container and tracks, at TIME if this
 * address, or place in shared memory, has no object of this class.  It is valid until the
 * join ends.
 */
struct object_state *threads_object(struct threads_join *threads,
                                    const struct join_thread *thread,
                                    struct slot_binding *binding, int64_t time);
/*
 * Takes a WEFT_RECORD_INIT at TIME: keeps the site of the initialization, forgets the name
 * that the program gave what was there, and destroys an older object at the address, unless
 * it lies in shared memory; threads whose records wait for its release go on.  Makes no
 * object.
 */
void threads_initialize_object(struct threads_join *threads,
                               const struct join_thread *thread,
                               const struct record *record, int64_t time);
/*
 * Takes a WEFT_RECORD_DESTROY of the object at the address that BINDING says, at TIME:
 * forgets where it was initialized and which name the program gave it, and destroys it,
 * unless it lies in shared memory or does not exist.  Threads whose records wait for its
 * release go on.
 */
void threads_destroy_binding(struct threads_join *threads, const struct join_thread *thread,
                             const struct slot_binding *binding, int64_t time);
/*
 * Ends the object's container and states at TIME, but not before its latest record, and
 * frees its lists.  The caller sets its element of threads->objects to NULL; the
 * structure stays in the join's arena, marked as destroyed.
 */
void threads_destroy_object(struct threads_join *threads, struct object_state *object,
                            int64_t time);

/*
 * Takes the NAME, which is copied, that the program gives the object at ADDRESS in the
 * thread's process at TIME: the object gets it, or if there is none yet the next one there,
 * unless that is initialized first.  An empty name has no effect.  USER is the struct
 * threads_join.  For join_family.object_named.
 */
void threads_object_named(void *user, struct join_thread *thread, uint64_t address,
                          const char *name, int64_t time);

/* object_initialization_and_name.c */
/*
 * Returns the identity of the object that the thread has at ADDRESS.  MAPPING is that of
 * threads_mapping() for the address, or NULL.
 */
struct object_key threads_object_key(const struct threads_join *threads,
                                     const struct join_thread *thread, uint64_t address,
                                     const struct mapping *mapping);
/*
 * Keeps that the thread initialized the object KEY by the call that returns to SITE, at
 * TIME, in place of an earlier initialization; forgets a name that the program gave it
 * before.
 */
void threads_keep_initialization(struct threads_join *threads,
                                 const struct join_thread *thread,
                                 const struct object_key *key, uint64_t site, int64_t time);
/*
 * Keeps that the thread gave the object KEY the NAME (not copied: it lies in the join's
 * arena) at TIME, in place of an earlier one.  Does not rename an object that exists.
 */
void threads_keep_given_name(struct threads_join *threads, const struct join_thread *thread,
                             const struct object_key *key, const char *name, int64_t time);
/* Forgets where the object KEY was initialized, and the name that the program gave it. */
void threads_drop_facts(struct threads_join *threads, const struct object_key *key);
/*
 * Returns where the object at ADDRESS in the thread's image was initialized: in that image,
 * else in the one that it was forked from, before the fork, and so on; NULL if unknown.
 * MAPPING as for threads_object_key: if not NULL, any process may have initialized it.
 * Valid until the next fact is kept.
 */
const struct object_fact *threads_initialization(const struct threads_join *threads,
                                                 const struct join_thread *thread,
                                                 uint64_t address,
                                                 const struct mapping *mapping);
/*
 * Returns the name that the program gave the object at ADDRESS in the thread's image: in
 * that image, else in the one that it was forked from, before the fork, and so on; NULL if
 * none.  MAPPING as for threads_object_key: if not NULL, any process may have named it.
 * The name is in the join's arena.
 */
const char *threads_given_name(const struct threads_join *threads,
                               const struct join_thread *thread, uint64_t address,
                               const struct mapping *mapping);

/* object_names.c */
/*
 * Returns the name of the static variable or its member at ADDRESS in the thread's image
 * ("table[3].lock"), or, if MAPPING is not NULL, of the place in that shared file: its name
 * without folder and, unless 0, the offset ("queue+64").  It is in the join's arena.  NULL
 * if there is none.
 */
const char *threads_variable(struct threads_join *threads, const struct join_thread *thread,
                             uint64_t address, const struct mapping *mapping);
/*
 * Returns the place of the call that returns to SITE in the process image with index IMAGE,
 * for names: "heat.c:41", or without a line its function, else the file of code and the
 * address in it; in the join's arena.  NULL if SITE is 0, or the call is not the program's
 * own (sites_place).
 */
const char *threads_place(struct threads_join *threads, uint32_t image, uint64_t site);
/*
 * Returns a name for OBJECT that no other object of its process has, and sets object->name
 * and object->number: object->given, else VARIABLE, else one after PLACE, else after its
 * class; each may be NULL.  The second and later ones have a number: "table 2", "mutex 2 of
 * heat.c:41"; those after their class all have one.
 */
const char *threads_name_object(struct threads_join *threads, struct object_state *object,
                                const char *variable, const char *place);
/*
 * Sets object->given to GIVEN (not copied: it lies in the join's arena), and object->name
 * and object->number to a new name after it that no other object of the process has:
 * GIVEN, or with a number, "table 2".  Returns the name, in the join's arena.  Another
 * object of the process may get the old name then.
 */
const char *threads_rename_object(struct threads_join *threads, struct object_state *object,
                                  const char *given);

/* shared_memory.c */
/*
 * Takes a WEFT_RECORD_SHARED: adds a mapping of shared memory of the thread's process
 * image, in place of one that begins at the same address.  Ignores empty mappings, and
 * new ones beyond 4,096 in all images.  Pointers to mappings become invalid.
 */
void threads_add_mapping(struct threads_join *threads, const struct join_thread *thread,
                         const struct record *record);
/*
 * Returns the mapping of shared memory that ADDRESS lies in, in the process image with
 * index IMAGE or one that it was forked from; if several, the one recorded last.  NULL if
 * none is known.  Valid until threads_add_mapping.
 */
const struct mapping *threads_mapping(const struct threads_join *threads, uint32_t image,
                                      uint64_t address);
/*
 * Returns the container of the objects in memory that processes on the host of PROCESS (an
 * index) share; made at TIME if there is none.
 */
uint32_t threads_shared_group(struct threads_join *threads, uint32_t process, int64_t time);

/* object_records.c */
/*
 * Takes a record of an object, whose argument is a slot, at TIME (or the time of the
 * object's latest record, if that is later), and returns NULL.  If it takes a lock that
 * another thread still holds, has no effect, and returns the queue in which the thread's
 * records must wait for the release; if thread->forced, the lock is taken all the same.
 * Ignores a slot whose definition was lost.
 */
struct join_place *threads_object_record(struct threads_join *threads,
                                         struct join_thread *thread,
                                         const struct record *record, int64_t time);
/*
 * Writes the object's state from TIME on: of a lock or semaphore its state, if it has
 * changed, of a semaphore also its count, of a condition or barrier how many threads wait
 * for it.  No effect if the object is destroyed.
 */
void threads_show_object(struct threads_join *threads, struct object_state *object,
                         int64_t time);
/*
 * Begins a wait of the thread for the object at TIME (at a barrier: also its arrival), and
 * writes the states of both.  SITE is the return address of the call that waits, or a
 * path's number.
 */
void threads_wait_begins(struct threads_join *threads, struct join_thread *thread,
                         struct object_state *object, uint64_t site, int64_t time);
/*
 * Takes the thread, whose WAIT ends, out of the waiters of the wait's object, which must
 * not be NULL.  Writes no state: threads_show_object does.
 */
void threads_waits_no_more(struct join_thread *thread, const struct wait *wait);
/*
 * Ends the thread's wait for the object, and all waits inside it, at TIME, and takes the
 * thread out of the object's waiters.  Copies the wait to *WAIT, and writes the thread's
 * state, not the object's.  Returns false, with *WAIT untouched, if there is no such wait.
 */
bool threads_wait_ends(struct threads_join *threads, struct join_thread *thread,
                       struct object_state *object, int64_t time, struct wait *wait);

/* when_woken.c */
/* Lets the activities of threads ask when waiting threads were woken. */
void threads_tell_wakings(struct threads_join *threads);
/*
 * Notes that CAUSE gave the lock OBJECT, for which threads wait, back, or is about to.
 * Times must not decrease.
 */
void threads_note_release(struct object_state *object, const struct cause *cause);

/* teams.c */
/*
 * Takes a WEFT_RECORD_TEAM_WAIT of the thread at TIME: it waits for its team.  If it is the
 * last that comes, all that wait for that team are woken by it; workers wait for work then.
 */
void threads_team_waits(struct threads_join *threads, struct join_thread *thread,
                        const struct record *record, int64_t time);
/*
 * Takes a WEFT_RECORD_TEAM_GO at TIME: the thread's wait for its team or for work ends; the
 * latter by the thread that began the region.
 */
void threads_team_goes(struct threads_join *threads, struct join_thread *thread,
                       const struct record *record, int64_t time);

/* conditions.c */
/*
 * Adds the thread, whose innermost wait is for CONDITION, to condition->inside, and notes
 * in the wait the mutex that the thread has just released, if any.
 */
void threads_enter_condition(struct threads_join *threads, struct join_thread *thread,
                             struct object_state *condition);
/*
 * Takes the thread, whose WAIT for a condition ends, out of that condition's `inside`, and
 * out of `returning` of the wait's mutex.
 */
void threads_leave_condition(struct join_thread *thread, const struct wait *wait);
/*
 * Assigns a signal that THREAD sends to CONDITION at TIME to the waiter that returns first,
 * or with ALL, a broadcast, to all waiters.  Leaves out waiters that have a signal already,
 * or whose next record is that they give up; no effect if none is left.  If another thread
 * holds a waiter's mutex, the waiter waits for that from TIME on, and its wake-up link is
 * written; else its wait for the condition goes on, and the link is written at its end.
 */
void threads_tell_condition(struct threads_join *threads, struct object_state *condition,
                            struct join_thread *thread, bool all, int64_t time);
/*
 * To be called when THREAD has taken MUTEX at TIME.  Waiters of conditions that were
 * signalled and need this mutex, except THREAD, wait for it from then on.
 */
void threads_mutex_acquired(struct threads_join *threads, struct object_state *mutex,
                            struct join_thread *thread, int64_t time);
/* Frees the elements of LIST, not LIST itself, and empties it. */
void threads_list_free(struct thread_list *list);

#endif
