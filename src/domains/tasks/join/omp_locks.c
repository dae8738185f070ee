/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenMP's locks and critical sections as objects: containers whose states say which thread
 * held them, the waits for them, and which thread ended each wait by giving the lock back.
 *
 * The runtime tells that a lock is given back only after it was, so the record of the next
 * acquisition may come first; the lock has then changed hands at that moment.
 */
#include <stdlib.h>
#include <string.h>

#include "domains/tasks/join/omp_join.h"
#include "read/recording/join/process_containers.h"

/* A shorter wait for the turn in an ordered section is none: the turn was there. */
enum { SHORTEST_TURN = 1000 /* ns */ };

static const struct {
    const char *type, *class;
    enum weft_role role;
} kinds[WEFT_OMP_LOCKS] = {
    [WEFT_OMP_MUTEX] = { "OpenMP lock", "lock", WEFT_ROLE_MUTEX },
    [WEFT_OMP_CRITICAL] = { "Critical section", "critical section", WEFT_ROLE_MUTEX },
    [WEFT_OMP_ATOMIC] = { "Atomic update", "atomic update", WEFT_ROLE_MUTEX },
    /* The turn in an ordered section is no object: it is not taken, it comes. */
    [WEFT_OMP_ORDERED] = { NULL, NULL, WEFT_ROLE_NONE },
};

enum { FREE, HELD, CONTENDED };

/* A lock of the recorded program; the join's arena owns it. */
struct omp_lock {
    uint32_t kind;                    /* enum weft_omp_lock */
    uint32_t container, track;        /* the builder's; the track is of its states */
    const struct join_thread *holder; /* NULL: it is free */
    const struct join_thread *last;   /* that gave it back last, or NULL */
    int64_t given_back;               /* time of that */
    int64_t time;                     /* of its latest state */
    uint64_t taken;                   /* how often it was taken */
    uint64_t taken_at;                /* address of the code that took it */
    uint32_t depth;                   /* how often its holder has it: a nested lock */
    uint32_t waiting;                 /* threads that wait for it now */
    uint32_t value;                   /* FREE, HELD, CONTENDED */
};

struct lock_key {
    uint64_t address;
    uint32_t image, kind;
};

static void define_type(struct omp_join *omp, uint32_t kind)
{
    struct join *join = omp->join;
    struct omp_lock_types *types = &omp->lock_types[kind];

    types->object = join_type(join, WEFT_CONTAINER, join->process_type, kinds[kind].type,
                              kinds[kind].role);
    types->address =
        join_field(join, types->object, "address", WEFT_FIELD_INTEGER, WEFT_ROLE_ADDRESS);
    types->first_used_at =
        join_field(join, types->object, "first used at", WEFT_FIELD_SITE, WEFT_ROLE_SITE);
    types->states =
        join_type(join, WEFT_STATE, types->object, "Lock state", WEFT_ROLE_LOCK_STATE);
    types->values[FREE] = join_value_with_role(join, types->states, "free", WEFT_ROLE_FREE);
    types->values[HELD] = join_value_with_role(join, types->states, "held", WEFT_ROLE_HELD);
    types->values[CONTENDED] = join_value_with_role(
        join, types->states, "held, others blocked", WEFT_ROLE_CONTENDED);
    types->holder =
        join_field(join, types->states, "holder", WEFT_FIELD_CONTAINER, WEFT_ROLE_HOLDER);
    types->acquisition = join_field(join, types->states, "acquisition", WEFT_FIELD_INTEGER,
                                    WEFT_ROLE_ACQUISITION);
    types->site = join_field(join, types->states, "site", WEFT_FIELD_SITE, WEFT_ROLE_SITE);
    if (omp->given_back == WEFT_NONE) {
        omp->given_back = join_link_type(join, "Lock given back", WEFT_ROLE_WAKE_UP);
        omp->gave_back = join_value(join, omp->given_back, "lock");
    }
    types->known = true;
}

/* Returns the name of a lock: its variable, else its kind and place, else its kind; with a
   number from the second of a name on. */
static const char *name_of(struct omp_join *omp, const struct join_thread *thread,
                           const struct lock_key *key, uint64_t site)
{
    struct weft_arena *arena = &omp->join->arena;
    struct sites *sites = omp->join->sites;
    const char *class = kinds[key->kind].class, *name;
    char *variable = key->kind == WEFT_OMP_MUTEX
                         ? sites_variable_part(sites, key->image, key->address)
                         : NULL;
    const char *place = variable ? NULL : sites_text(sites, arena, key->image, site);
    uint32_t process = thread->process, number;
    char *counted;

    name = variable ? weft_arena_strdup(arena, variable)
           : place  ? weft_arena_printf(arena, "%s of %s", class, place)
                    : class;
    free(variable);
    counted = weft_arena_printf(arena, "%u %s", process, name);
    number = weft_text_map_get(&omp->lock_names, counted, strlen(counted));
    number = number == WEFT_MAP_NONE ? 1 : number + 1;
    weft_text_map_put(&omp->lock_names, counted, strlen(counted), number);
    if (number == 1)
        return name;
    return place ? weft_arena_printf(arena, "%s %u of %s", class, number, place)
                 : weft_arena_printf(arena, "%s %u", name, number);
}

/* Makes the container of a lock that is taken, or waited for, at SITE for the first
   time. */
static void show_lock(struct omp_join *omp, const struct join_thread *thread,
                      const struct lock_key *key, struct omp_lock *lock, uint64_t site,
                      int64_t time)
{
    struct join *join = omp->join;
    const struct omp_lock_types *types = &omp->lock_types[key->kind];
    char *alias =
        weft_arena_printf(&join->arena, "0x%llx", (unsigned long long)key->address);
    struct weft_field_value facts[2] = { { types->address,
                                           { .integer = (int64_t)key->address } } };
    uint32_t container = weft_builder_container(
        join->builder, types->object, join->processes[thread->process].container,
        name_of(omp, thread, key, site), alias, time);

    weft_builder_container_field(join->builder, container, &facts[0]);
    if (site) {
        facts[1] = join_site_field(join, types->first_used_at, key->image, site);
        weft_builder_container_field(join->builder, container, &facts[1]);
    }
    lock->container = container;
    lock->track = weft_builder_track(join->builder, container, types->states);
}

/* Returns the lock of a record; NULL for the turn in an ordered section. */
static struct omp_lock *lock_of(struct omp_join *omp, const struct join_thread *thread,
                                const struct record *record, uint64_t site, int64_t time)
{
    struct lock_key key = { record->words[0], thread->image, record->argument };
    uint32_t index;
    struct omp_lock *lock;

    if (!kinds[key.kind].type)
        return NULL;
    index = weft_text_map_get(&omp->lock_map, &key, sizeof key);
    if (index != WEFT_MAP_NONE)
        return omp->locks[index];
    if (!omp->lock_types[key.kind].known)
        define_type(omp, key.kind);
    lock = weft_arena_zalloc(&omp->join->arena, 1, sizeof *lock);
    lock->kind = key.kind;
    lock->time = time;
    show_lock(omp, thread, &key, lock, site, time);
    omp->locks =
        weft_grow(omp->locks, &omp->locks_capacity, omp->n_locks + 1, sizeof *omp->locks);
    omp->locks[omp->n_locks] = lock;
    weft_text_map_put(&omp->lock_map, &key, sizeof key, (uint32_t)omp->n_locks++);
    return lock;
}

/* Writes the lock's state if it has changed, or if a hold STARTS. */
static void set_state(struct omp_join *omp, struct omp_lock *lock, int64_t time,
                      bool starts)
{
    const struct omp_lock_types *types = &omp->lock_types[lock->kind];
    uint32_t value = !lock->holder ? FREE : lock->waiting > 0 ? CONTENDED : HELD;
    struct weft_field_value fields[3];
    size_t n = 0;

    if (!starts && value == lock->value)
        return;
    lock->value = value;
    lock->time = time > lock->time ? time : lock->time;
    if (lock->holder) {
        fields[n++] = (struct weft_field_value){ types->holder,
                                                 { .index = lock->holder->container } };
        fields[n++] =
            (struct weft_field_value){ types->acquisition, { .integer = starts } };
        if (lock->taken_at)
            fields[n++] = join_site_field(omp->join, types->site, lock->holder->image,
                                          lock->taken_at);
    }
    (void)weft_builder_set(omp->join->builder, lock->track, lock->time,
                           types->values[value], fields, n, NULL);
}

static void give_back(struct omp_lock *lock, int64_t time)
{
    lock->last = lock->holder;
    lock->given_back = time;
    lock->holder = NULL;
}

/* Links the thread that gave the lock back to the one that waited for it. */
static void link_wait(struct omp_join *omp, const struct join_thread *thread,
                      const struct omp_lock *lock, uint64_t wait, int64_t time)
{
    struct weft_link link = { .type = omp->given_back,
                              .value = omp->gave_back,
                              .key = WEFT_NONE,
                              .to = thread->container,
                              .end = time,
                              .from_entity = WEFT_NO_ID,
                              .to_entity = wait };

    if (!lock || !lock->last || lock->last == thread || lock->last->container == WEFT_NONE)
        return;
    link.from = lock->last->container;
    link.begin = lock->given_back < time ? lock->given_back : time;
    weft_builder_link(omp->join->builder, &link, NULL, 0);
}

static void begin_wait(struct omp_join *omp, const struct join_thread *thread,
                       const struct record *record, int64_t time)
{
    struct omp_thread *own = &omp->threads[thread->index];
    struct omp_lock *lock = lock_of(omp, thread, record, record->words[1], time);

    omp_end_lock_wait(omp, thread, time); /* its end was lost */
    own->wait = (struct omp_lock_wait){ .waits = true,
                                        .kind = record->argument,
                                        .lock = lock,
                                        .site = record->words[1],
                                        .begin = time };
    if (!lock)
        return;
    own->wait.taken = lock->taken;
    own->wait.contended = lock->holder && lock->holder != thread;
    lock->waiting++;
    if (lock->holder)
        set_state(omp, lock, time, false);
}

int64_t omp_end_lock_wait(struct omp_join *omp, const struct join_thread *thread,
                          int64_t time)
{
    struct omp_lock_wait *wait = &omp->threads[thread->index].wait;
    struct omp_lock *lock = wait->lock;
    uint64_t id;

    if (!wait->waits)
        return 0;
    wait->waits = false;
    if (lock && lock->waiting > 0)
        lock->waiting--;
    if (lock)
        wait->contended |=
            lock->taken != wait->taken || (lock->holder && lock->holder != thread);
    if (lock ? !wait->contended : time - wait->begin < SHORTEST_TURN)
        return 0;
    if (lock && lock->holder && lock->holder != thread)
        give_back(lock, time);
    id = omp_push_lock_wait(omp, thread, wait, lock ? lock->container : WEFT_NONE, time);
    if (id != WEFT_NO_ID)
        link_wait(omp, thread, lock, id, time);
    return time - wait->begin;
}

static int64_t take(struct omp_join *omp, const struct join_thread *thread,
                    const struct record *record, int64_t time)
{
    struct omp_thread *own = &omp->threads[thread->index];
    uint64_t site = own->wait.waits ? own->wait.site : 0;
    struct omp_lock *lock = lock_of(omp, thread, record, site, time);
    int64_t waited = omp_end_lock_wait(omp, thread, time);

    own->wait.site = site;
    if (!lock)
        return waited;
    if (lock->holder == thread) { /* the hold goes on */
        lock->depth++;
        return waited;
    }
    if (lock->holder)
        give_back(lock, time);
    lock->holder = thread;
    lock->taken++;
    lock->depth = 1;
    lock->taken_at = site;
    set_state(omp, lock, time, true);
    return waited;
}

int64_t omp_join_lock(struct omp_join *omp, const struct join_thread *thread,
                      const struct record *record, int64_t time)
{
    struct omp_lock *lock;

    if (record->argument >= WEFT_OMP_LOCKS)
        return 0;
    switch (record->kind) {
    case WEFT_RECORD_OMP_LOCK_WAIT: begin_wait(omp, thread, record, time); return 0;
    case WEFT_RECORD_OMP_LOCK: return take(omp, thread, record, time);
    case WEFT_RECORD_OMP_UNLOCK:
        lock = lock_of(omp, thread, record, 0, time);
        if (lock && lock->holder == thread && --lock->depth == 0) {
            give_back(lock, time);
            set_state(omp, lock, time, false);
        }
        return 0;
    default: return 0;
    }
}
