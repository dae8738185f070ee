/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Communicators.  A process records how it made a communicator and its members; the join
 * finds out which processes' communicators are the same.  All members of a communicator
 * make others from it in the same order, so the third one of each member is the same.  The
 * members tell apart the parts of a split, and the tag the communicators that only a group
 * makes.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "domains/messages/join/mpi_join.h"

struct identity { /* of a communicator: equal for all its members */
    uint32_t origin, parent;
    uint64_t count, tag;
    uint64_t members; /* hash of both groups */
};

uint32_t mpi_processor(const struct mpi_join *mpi, uint32_t processor)
{
    uint32_t process =
        processor < mpi->n_processors ? mpi->process_of[processor] : WEFT_NONE;

    return process == WEFT_NONE ? WEFT_NONE : mpi->join->processes[process].container;
}

uint32_t mpi_find_member(struct mpi_join *mpi, const struct join_thread *thread,
                         uint64_t handle)
{
    uint32_t index = weft_id_map_get(&mpi->processes[thread->process].members, handle);

    if (index != WEFT_MAP_NONE && index != MPI_GONE)
        return index;
    mpi->unknown_handles++;
    return WEFT_NONE;
}

uint32_t mpi_peer(struct mpi_join *mpi, uint32_t member, int32_t rank)
{
    const struct mpi_member *by = &mpi->members[member];
    const struct mpi_communicator *comm = &mpi->communicators[by->communicator];
    uint32_t side = comm->between ? !by->side : 0;

    return rank >= 0 && (uint32_t)rank < comm->n[side] ? comm->members[side][rank]
                                                       : WEFT_NONE;
}

/* ---- Containers ---- */

/* Returns the processors as text, "0-3,8"; the caller frees it. */
static char *list_members(const struct mpi_communicator *comm)
{
    enum { RUN_MAX = 32 }; /* bytes of one run's text */
    size_t used = 0, capacity = 0;
    char *text = weft_grow(NULL, &capacity, RUN_MAX, 1);

    *text = '\0';
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0, last; i < comm->n[side]; i = last + 1) {
            const uint32_t *ranks = comm->members[side];
            last = i;
            while (last + 1 < comm->n[side] && ranks[last + 1] == ranks[last] + 1)
                last++;
            if (ranks[i] == WEFT_NONE)
                continue;
            text = weft_grow(text, &capacity, used + RUN_MAX, 1);
            used += (size_t)snprintf(text + used, capacity - used, "%s%" PRIu32,
                                     used ? "," : "", ranks[i]);
            if (last > i)
                used += (size_t)snprintf(text + used, capacity - used, "-%" PRIu32,
                                         ranks[last]);
        }
    return text;
}

uint32_t mpi_container(struct mpi_join *mpi, uint32_t index, int64_t time)
{
    struct mpi_communicator *comm = &mpi->communicators[index];
    struct weft_builder *builder = mpi->join->builder;
    const char *name = comm->name;
    char *members;

    if (comm->container != WEFT_NONE)
        return comm->container;
    comm->number = mpi->n_shown++;
    if (!name)
        name = weft_arena_printf(&mpi->join->arena, "communicator %u", comm->number);
    comm->container =
        weft_builder_container(builder, mpi->types.communicator, 0, name, NULL, time);
    weft_builder_container_field(builder, comm->container,
                                 &(struct weft_field_value){ mpi->types.communicator_number,
                                                             { .integer = comm->number } });
    members = list_members(comm);
    if (!mpi_has_room(mpi, strlen(members) / sizeof *comm->members[0]))
        *members = '\0';
    weft_builder_container_field(
        builder, comm->container,
        &(struct weft_field_value){ mpi->types.communicator_members,
                                    { .index = join_text(mpi->join, members) } });
    free(members);
    return comm->container;
}

static uint32_t add_communicator(struct mpi_join *mpi)
{
    mpi->communicators = weft_grow(mpi->communicators, &mpi->communicators_capacity,
                                   mpi->n_communicators + 1, sizeof *mpi->communicators);
    mpi->communicators[mpi->n_communicators] =
        (struct mpi_communicator){ .container = WEFT_NONE, .track = WEFT_NONE };
    return (uint32_t)mpi->n_communicators++;
}

/* ---- Members ---- */

static uint32_t add_member(struct mpi_join *mpi, const struct join_thread *thread,
                           uint64_t handle, uint32_t communicator, uint32_t side)
{
    mpi->members = weft_grow(mpi->members, &mpi->members_capacity, mpi->n_members + 1,
                             sizeof *mpi->members);
    mpi->members[mpi->n_members] = (struct mpi_member){ .communicator = communicator,
                                                        .process = thread->process,
                                                        .side = side,
                                                        .first = WEFT_NONE,
                                                        .last = WEFT_NONE };
    weft_id_map_put(&mpi->processes[thread->process].members, handle,
                    (uint32_t)mpi->n_members);
    return (uint32_t)mpi->n_members++;
}

/* ---- MPI begins in a process ---- */

uint32_t mpi_find_world(struct mpi_join *mpi, uint64_t identity, uint32_t rank,
                        uint32_t size)
{
    struct mpi_world *world;

    for (uint32_t i = 0; i < mpi->n_worlds; i++) {
        world = &mpi->worlds[i];
        if (world->identity == identity && world->size == size
            && mpi->process_of[world->first + rank] == WEFT_NONE)
            return i;
    }
    mpi->worlds = weft_grow(mpi->worlds, &mpi->worlds_capacity, mpi->n_worlds + 1,
                            sizeof *mpi->worlds);
    /* In process_of, and in the members of MPI_COMM_WORLD. */
    if (!mpi_has_room(mpi, 2 * (uint64_t)size))
        return WEFT_NONE;
    world = &mpi->worlds[mpi->n_worlds];
    *world = (struct mpi_world){ identity, (uint32_t)mpi->n_processors, size,
                                 add_communicator(mpi) };
    mpi->process_of = weft_grow(mpi->process_of, &mpi->processors_capacity,
                                mpi->n_processors + size, sizeof *mpi->process_of);
    for (uint32_t i = 0; i < size; i++)
        mpi->process_of[mpi->n_processors++] = WEFT_NONE;
    return (uint32_t)mpi->n_worlds++;
}

/* Give a run's MPI_COMM_WORLD its members, name and container, once. */
static void make_world(struct mpi_join *mpi, uint32_t index, int64_t time)
{
    const struct mpi_world *world = &mpi->worlds[index];
    struct mpi_communicator *comm = &mpi->communicators[world->communicator];

    if (comm->container != WEFT_NONE)
        return;
    comm->n[0] = world->size;
    comm->members[0] = weft_zalloc(world->size + 1u, sizeof *comm->members[0]);
    for (uint32_t i = 0; i < world->size; i++)
        comm->members[0][i] = world->first + i;
    comm->name = index == 0 ? "MPI_COMM_WORLD"
                            : weft_arena_printf(&mpi->join->arena,
                                                "MPI_COMM_WORLD of run %u", index + 1);
    (void)mpi_container(mpi, world->communicator, time);
}

static void make_self(struct mpi_join *mpi, const struct join_thread *thread,
                      uint64_t handle, uint32_t processor)
{
    uint32_t index = add_communicator(mpi);
    struct mpi_communicator *comm = &mpi->communicators[index];

    comm->n[0] = 1;
    comm->members[0] = weft_zalloc(1, sizeof *comm->members[0]);
    comm->members[0][0] = processor;
    comm->name =
        weft_arena_printf(&mpi->join->arena, "MPI_COMM_SELF of rank %u", processor);
    (void)add_member(mpi, thread, handle, index, 0);
}

static void name_process(struct mpi_join *mpi, const struct join_thread *thread,
                         uint32_t world, uint32_t rank)
{
    uint32_t container = mpi->join->processes[thread->process].container;
    struct weft_builder *builder = mpi->join->builder;
    struct weft_arena *arena = &mpi->join->arena;

    weft_builder_container_role(builder, container, WEFT_ROLE_RANK);
    /* Ranks stand behind the processes that started them. */
    weft_builder_container_place(builder, container,
                                 1 + (uint32_t)mpi->worlds[world].first + rank);
    weft_builder_container_field(
        builder, container,
        &(struct weft_field_value){ mpi->types.rank,
                                    { .integer = mpi->worlds[world].first + rank } });
    weft_builder_rename(
        builder, container,
        world == 0 ? weft_arena_printf(arena, "rank %u", rank)
                   : weft_arena_printf(arena, "rank %u of run %u", rank, world + 1));
}

void mpi_set_rank(struct mpi_join *mpi, const struct join_thread *thread,
                  const struct record *record, int64_t time)
{
    uint32_t rank = (uint32_t)(record->words[0] >> 32);
    struct mpi_process *process = &mpi->processes[thread->process];
    uint32_t world = process->world;

    if (process->processor == WEFT_NONE || process->begun
        || rank != process->processor - mpi->worlds[world].first)
        return;
    process->begun = true;
    make_world(mpi, world, time);
    (void)add_member(mpi, thread, record->words[2], mpi->worlds[world].communicator, 0);
    make_self(mpi, thread, record->words[3], process->processor);
    name_process(mpi, thread, world, rank);
}

/* ---- A communicator is made ---- */

/*
 * The processors that the ranks in a record stand for: a run's, or a communicator's
 * members.
 */
struct rank_numbering {
    const struct mpi_world *world;
    const uint32_t *members[2]; /* NULL: the run's */
    uint32_t n[2];
};

static struct rank_numbering numbering_of(struct mpi_join *mpi,
                                          const struct join_thread *thread,
                                          const struct record *record)
{
    struct rank_numbering of = { .world =
                                     &mpi->worlds[mpi->processes[thread->process].world] };
    const struct mpi_communicator *comm;
    uint32_t member;

    of.n[0] = of.world->size;
    if (!(record->words[2] & WEFT_MPI_OF_OLD))
        return of;
    of.world = NULL;
    of.n[0] = 0;
    member = mpi_find_member(mpi, thread, record->words[1]);
    if (member == WEFT_NONE)
        return of;
    comm = &mpi->communicators[mpi->members[member].communicator];
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t group = side ^ mpi->members[member].side;
        of.members[side] = comm->members[group];
        of.n[side] = comm->n[group];
    }
    return of;
}

static uint32_t processor_of(const struct rank_numbering *of, int64_t rank)
{
    if (rank < 0 || rank >= (int64_t)of->n[0] + of->n[1])
        return WEFT_NONE;
    if (of->world)
        return of->world->first + (uint32_t)rank;
    return rank < of->n[0] ? of->members[0][rank] : of->members[1][rank - of->n[0]];
}

/* Add the runs of ranks in the record to a group of the communicator that is being made. */
static void add_runs(struct mpi_join *mpi, const struct join_thread *thread,
                     struct mpi_creation *creation, uint32_t group,
                     const struct record *record)
{
    struct rank_numbering of = numbering_of(mpi, thread, record);

    for (uint32_t i = 3; i < record->n_words; i++) {
        uint64_t run = record->words[i];
        uint32_t count = weft_mpi_run_count(run);
        int64_t rank = weft_mpi_run_first(run);
        if ((count > (uint64_t)of.n[0] + of.n[1] && rank != WEFT_MPI_NOT_IN_WORLD)
            || count > MPI_SIZE_MAX - creation->n[group] || !mpi_has_room(mpi, count))
            return; /* damage */
        creation->members[group] =
            weft_grow(creation->members[group], &creation->capacity[group],
                      (size_t)creation->n[group] + count, sizeof *creation->members[group]);
        for (uint32_t k = 0; k < count; k++, rank += weft_mpi_run_step(run))
            creation->members[group][creation->n[group]++] = processor_of(&of, rank);
    }
}

/* Returns true if no member of the other group is known, since it is of another run. */
static bool met_strangers(const struct mpi_creation *creation, uint32_t flags)
{
    if (!(flags & (WEFT_MPI_ASKED | WEFT_MPI_ANSWERED)) || creation->n[1] == 0)
        return false;
    for (uint32_t i = 0; i < creation->n[1]; i++)
        if (creation->members[1][i] != WEFT_NONE)
            return false;
    return true;
}

static void move_members(struct mpi_communicator *comm, struct mpi_creation *creation,
                         uint32_t first)
{
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t group = side ^ first;
        comm->n[side] = creation->n[group];
        comm->members[side] = creation->members[group];
        creation->members[group] = NULL;
        creation->n[group] = 0;
        creation->capacity[group] = 0;
    }
}

/* Forget the members read so far, and their memory unless it is small. */
static void drop_creation(struct mpi_join *mpi, struct mpi_creation *creation)
{
    enum { SMALL = 4096 };

    for (uint32_t group = 0; group < 2; group++) {
        mpi->n_ranks -= creation->n[group];
        creation->n[group] = 0;
        if (creation->capacity[group] <= SMALL)
            continue;
        free(creation->members[group]);
        creation->members[group] = NULL;
        creation->capacity[group] = 0;
    }
}

/* Replace the members by those of the communicator that is duplicated. */
static void copy_members(struct mpi_join *mpi, uint32_t parent,
                         struct mpi_creation *creation)
{
    const struct mpi_member *by = &mpi->members[parent];
    const struct mpi_communicator *comm = &mpi->communicators[by->communicator];

    drop_creation(mpi, creation);
    if (!mpi_has_room(mpi, (uint64_t)comm->n[0] + comm->n[1]))
        return;
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t group = side ^ by->side;
        creation->members[group] =
            weft_grow(creation->members[group], &creation->capacity[group],
                      comm->n[side] + 1u, sizeof *creation->members[group]);
        if (comm->n[side] > 0)
            memcpy(creation->members[group], comm->members[side],
                   comm->n[side] * sizeof *comm->members[side]);
        creation->n[group] = comm->n[side];
    }
}

/* Returns the group with the lower first processor, which all members agree on. */
static uint32_t first_group(const struct mpi_creation *creation)
{
    if (creation->n[1] == 0)
        return 0;
    return creation->n[0] == 0 || creation->members[1][0] < creation->members[0][0];
}

static struct identity identify(struct mpi_join *mpi, uint32_t process, uint64_t origin,
                                uint32_t parent, const struct mpi_creation *creation)
{
    uint32_t first = first_group(creation);
    struct identity identity = { .origin = origin & WEFT_MPI_ORIGIN_MASK,
                                 .parent = WEFT_NONE,
                                 .tag = origin >> 32 };
    struct {
        struct identity of;
        uint64_t process;
    } key = { .process = process };
    uint32_t count;

    for (uint32_t side = 0; side < 2; side++)
        identity.members =
            identity.members * 31
            + (creation->n[side ^ first]
                   ? weft_hash(creation->members[side ^ first],
                               creation->n[side ^ first] * sizeof *creation->members[0])
                   : 1);
    if (identity.origin == WEFT_MPI_OF_ALL && parent != WEFT_NONE) {
        identity.parent = mpi->members[parent].communicator;
        identity.count = mpi->members[parent].made++;
        return identity;
    }
    key.of = identity;
    count = weft_text_map_get(&mpi->makings, &key, sizeof key);
    count = count == WEFT_MAP_NONE ? 0 : count + 1;
    weft_text_map_put(&mpi->makings, &key, sizeof key, count);
    identity.count = count;
    return identity;
}

/* A duplicate has the topology of its original. */
static void copy_neighbors(struct mpi_join *mpi, uint32_t parent, uint32_t member)
{
    for (int d = WEFT_MPI_TO; d <= WEFT_MPI_FROM; d++) {
        const struct mpi_ranks *from = &mpi->members[parent].neighbors[d];
        struct mpi_ranks *to = &mpi->members[member].neighbors[d];
        if (!mpi_has_room(mpi, from->n))
            continue;
        to->list = weft_grow(to->list, &to->capacity, from->n + 1, sizeof *to->list);
        if (from->n)
            memcpy(to->list, from->list, from->n * sizeof *to->list);
        to->n = from->n;
    }
}

/* All members are known: find the communicator, or make it. */
static void finish_making(struct mpi_join *mpi, const struct join_thread *thread,
                          uint64_t handle, uint64_t origin, uint32_t parent, int64_t time)
{
    struct mpi_creation *creation = &mpi->threads[thread->index].creation;
    uint32_t first = first_group(creation);
    struct identity identity = identify(mpi, thread->process, origin, parent, creation);
    uint32_t index = weft_text_map_get(&mpi->identities, &identity, sizeof identity);

    if (index == WEFT_MAP_NONE) {
        index = add_communicator(mpi);
        weft_text_map_put(&mpi->identities, &identity, sizeof identity, index);
        mpi->communicators[index].between = creation->n[1] > 0;
        move_members(&mpi->communicators[index], creation, first);
        (void)mpi_container(mpi, index, time);
    }
    drop_creation(mpi, creation);
    uint32_t member =
        add_member(mpi, thread, handle, index, mpi->communicators[index].between && first);
    if ((origin & WEFT_MPI_SAME) && parent != WEFT_NONE)
        copy_neighbors(mpi, parent, member);
}

void mpi_add_communicator(struct mpi_join *mpi, const struct join_thread *thread,
                          const struct record *record, int64_t time)
{
    struct mpi_creation *creation = &mpi->threads[thread->index].creation;
    uint32_t flags = (uint32_t)record->words[2], parent = WEFT_NONE;

    if (mpi->processes[thread->process].processor == WEFT_NONE) {
        mpi->worldless += !(flags & WEFT_MPI_MORE) && record->words[0] != 0;
        return;
    }
    add_runs(mpi, thread, creation, (flags & WEFT_MPI_OTHER) != 0, record);
    if (flags & WEFT_MPI_MORE)
        return;
    if ((flags & WEFT_MPI_ORIGIN_MASK) == WEFT_MPI_OF_ALL)
        parent = mpi_find_member(mpi, thread, record->words[1]);
    if (record->words[0] == 0) { /* the caller is not in it, but took part in the making */
        if (parent != WEFT_NONE)
            mpi->members[parent].made++;
        drop_creation(mpi, creation);
        return;
    }
    if ((flags & WEFT_MPI_SAME) && parent != WEFT_NONE)
        copy_members(mpi, parent, creation);
    if (met_strangers(creation, flags))
        (void)mpi_meet(mpi, thread->process, creation->members[1], creation->n[1]);
    finish_making(mpi, thread, record->words[0], record->words[2], parent, time);
}

void mpi_set_name(struct mpi_join *mpi, const struct join_thread *thread,
                  const struct record *record)
{
    uint32_t member = mpi_find_member(mpi, thread, record->words[0]);
    struct mpi_communicator *comm;
    char text[RECORD_TEXT];
    const char *name = record_text(record, 1, text);

    /* The program takes a name away by an empty one: the one that is shown stays. */
    if (member == WEFT_NONE || !*name)
        return;
    comm = &mpi->communicators[mpi->members[member].communicator];
    comm->name = weft_arena_strdup(&mpi->join->arena, name);
    if (comm->container != WEFT_NONE)
        weft_builder_rename(mpi->join->builder, comm->container, comm->name);
}

/* ---- Collective operations ---- */

static uint32_t operation_value(struct mpi_join *mpi, uint32_t call)
{
    const struct mpi_call *known = &mpi_calls[call];

    if (mpi->operations[call] == WEFT_NONE)
        mpi->operations[call] = join_value_with_role(mpi->join, mpi->types.operation,
                                                     known->name, known->pattern);
    return mpi->operations[call];
}

static uint64_t put_operation(struct mpi_join *mpi, uint32_t index, uint32_t call,
                              uint64_t root, int64_t time)
{
    struct weft_builder *builder = mpi->join->builder;
    uint32_t container = mpi_container(mpi, index, time);
    struct mpi_communicator *comm = &mpi->communicators[index];
    struct weft_field_value field = { mpi->types.operation_root,
                                      { .integer = (int64_t)root } };
    uint64_t event = WEFT_NO_ID;

    if (comm->track == WEFT_NONE)
        comm->track = weft_builder_track(builder, container, mpi->types.operation);
    (void)weft_builder_event(builder, comm->track, time, operation_value(mpi, call), &field,
                             root != WEFT_MPI_NO_ROOT, &event);
    return event;
}

/*
 * Drop the operations that all members entered, once they are half of the list, at least
 * 64.
 */
static void drop_operations(struct mpi_communicator *comm)
{
    uint32_t size = comm->n[0] + comm->n[1];
    uint64_t done = 0;

    while (done < comm->n_operations && comm->operations[done].entered >= size)
        done++;
    if (done < 64 || done < comm->n_operations / 2)
        return;
    memmove(comm->operations, comm->operations + done,
            (comm->n_operations - done) * sizeof *comm->operations);
    comm->n_operations -= done;
    comm->first_operation += done;
}

uint64_t mpi_operation(struct mpi_join *mpi, uint32_t member, uint32_t call, uint64_t root,
                       int64_t time)
{
    struct mpi_member *by = &mpi->members[member];
    uint64_t number = by->operations++;
    uint32_t index = by->communicator;
    bool hidden = mpi->processes[by->process].hidden;
    struct mpi_communicator *comm = &mpi->communicators[index];
    struct mpi_operation *operation;

    if (number < comm->first_operation) /* damage: more calls than members */
        return WEFT_NO_ID;
    number -= comm->first_operation;
    if (number >= comm->n_operations) {
        comm->operations = weft_grow(comm->operations, &comm->operations_capacity,
                                     comm->n_operations + 1, sizeof *comm->operations);
        number = comm->n_operations++;
        comm->operations[number] = (struct mpi_operation){ WEFT_NO_ID, 0 };
    }
    operation = &comm->operations[number];
    operation->entered++;
    if (operation->event == WEFT_NO_ID && !hidden)
        operation->event = put_operation(mpi, index, call, root, time);
    number = hidden ? WEFT_NO_ID : operation->event;
    drop_operations(comm);
    return number;
}

/* ---- The end ---- */

/* Report ranks without a recording, one problem for each run. */
void mpi_report_ranks(struct mpi_join *mpi)
{
    for (uint32_t i = 0; i < mpi->n_worlds; i++) {
        const struct mpi_world *world = &mpi->worlds[i];
        uint32_t missing = 0, first = 0;
        for (uint32_t rank = world->size; rank-- > 0;)
            if (mpi->process_of[world->first + rank] == WEFT_NONE) {
                missing++;
                first = rank;
            }
        if (missing > 0)
            weft_builder_problem(mpi->join->builder, WEFT_WARNING, "missing-ranks", 0,
                                 "of %" PRIu32 " of %" PRIu32
                                 " ranks there is no recording, as of rank %" PRIu32,
                                 missing, world->size, first);
    }
}

void mpi_free_communicators(struct mpi_join *mpi)
{
    for (size_t i = 0; i < mpi->n_members; i++) {
        free(mpi->members[i].neighbors[WEFT_MPI_TO].list);
        free(mpi->members[i].neighbors[WEFT_MPI_FROM].list);
    }
    for (size_t i = 0; i < mpi->n_communicators; i++) {
        free(mpi->communicators[i].members[0]);
        free(mpi->communicators[i].members[1]);
        free(mpi->communicators[i].operations);
    }
    for (size_t i = 0; i < mpi->join->n_threads; i++) {
        free(mpi->threads[i].creation.members[0]);
        free(mpi->threads[i].creation.members[1]);
    }
}
