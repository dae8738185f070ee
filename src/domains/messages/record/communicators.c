/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that make communicators and groups. */
#include <stdlib.h>
#include <string.h>

#include "domains/messages/record/mpi_hook_macros.h"

enum { BEFORE_RUNS = 3, RUNS_OF_RECORD = WEFT_RECORD_WORDS_MAX - BEFORE_RUNS - 1 };

/*
 * Returns the ranks of a group's N members in MPI_COMM_WORLD, in order, to be freed; NULL
 * if there is no memory.  Members of other runs are WEFT_MPI_NOT_IN_WORLD.  A program that
 * has only sessions has no MPI_COMM_WORLD, and using it would end the program.
 */
static int *world_ranks(MPI_Group group, int n)
{
    int *own = calloc((size_t)n + 1, 2 * sizeof *own), *ranks = own ? own + n : NULL;
    bool known = false;
    MPI_Group world;

    if (!own)
        return NULL;
    for (int i = 0; i < n; i++)
        own[i] = i;
    if (weft_mpi_has_world && weft_mpi.comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS) {
        known = weft_mpi.group_translate_ranks(group, n, own, world, ranks) == MPI_SUCCESS;
        weft_mpi.group_free(&world);
    }
    for (int i = 0; i < n; i++)
        own[i] = known && ranks[i] >= 0 ? ranks[i] : WEFT_MPI_NOT_IN_WORLD;
    return own;
}

/*
 * Fill in RANKS, where it is WEFT_MPI_NOT_IN_WORLD, the members' ranks in OLD, plus FIRST.
 */
static void find_in(MPI_Group group, int n, MPI_Group old, int first, int *ranks)
{
    int *own = calloc((size_t)n + 1, 2 * sizeof *own), *found = own ? own + n : NULL;

    for (int i = 0; i < n && own; i++)
        own[i] = i;
    if (own && weft_mpi.group_translate_ranks(group, n, own, old, found) == MPI_SUCCESS)
        for (int i = 0; i < n; i++)
            if (ranks[i] == WEFT_MPI_NOT_IN_WORLD && found[i] >= 0)
                ranks[i] = first + found[i];
    free(own);
}

/*
 * Replaces RANKS by the members' ranks in PARENT, with its remote group counted on after
 * the local one.  Returns false, and leaves RANKS, if some member is not in PARENT.
 */
static bool old_ranks(MPI_Group group, int n, MPI_Comm parent, int *ranks)
{
    int *found = calloc((size_t)n + 1, sizeof *found), between = 0, size = 0, known = 0;
    MPI_Group old;

    for (int i = 0; i < n && found; i++)
        found[i] = WEFT_MPI_NOT_IN_WORLD;
    if (found && weft_mpi.comm_group(parent, &old) == MPI_SUCCESS) {
        weft_mpi.group_size(old, &size);
        find_in(group, n, old, 0, found);
        weft_mpi.group_free(&old);
        weft_mpi.comm_test_inter(parent, &between);
    }
    if (found && between && weft_mpi.comm_remote_group(parent, &old) == MPI_SUCCESS) {
        find_in(group, n, old, size, found);
        weft_mpi.group_free(&old);
    }
    while (known < n && found && found[known] != WEFT_MPI_NOT_IN_WORLD)
        known++;
    if (found && known == n)
        memcpy(ranks, found, (size_t)n * sizeof *ranks);
    free(found);
    return known == n;
}

static bool all_in_world(const int *ranks, int n)
{
    for (int i = 0; i < n; i++)
        if (ranks[i] == WEFT_MPI_NOT_IN_WORLD)
            return false;
    return true;
}

/* Returns how many ranks from the first on have one *STEP. */
static int run_length(const int *ranks, int n, int32_t *step)
{
    int length = 1;

    *step = n > 1 ? ranks[1] - ranks[0] : 0;
    if (*step > INT16_MAX || *step < INT16_MIN)
        *step = 0;
    while (length < n && *step == ranks[length] - ranks[length - 1])
        length++;
    return length;
}

/*
 * Record the members of GROUP, in as many records as needed.  MORE: another group follows.
 */
static void put_members(uint64_t ticks, uint64_t origin, uint64_t comm, MPI_Comm parent,
                        MPI_Group group, bool more)
{
    uint64_t words[BEFORE_RUNS + RUNS_OF_RECORD] = { comm, WEFT_MPI_HANDLE(parent) };
    int n = 0, at = 0;
    int *ranks;

    weft_mpi.group_size(group, &n);
    ranks = world_ranks(group, n);
    if (ranks && parent != MPI_COMM_NULL && !all_in_world(ranks, n)
        && old_ranks(group, n, parent, ranks))
        origin |= WEFT_MPI_OF_OLD;
    do {
        uint32_t n_words = BEFORE_RUNS;
        while (ranks && at < n && n_words < BEFORE_RUNS + RUNS_OF_RECORD) {
            int32_t step;
            int length = run_length(ranks + at, n - at, &step);
            words[n_words++] = weft_mpi_run((uint32_t)ranks[at], (uint32_t)length, step);
            at += length;
        }
        words[2] = origin | (more || at < n ? WEFT_MPI_MORE : 0);
        weft_log_put_words(weft_log_get(), ticks, WEFT_RECORD_MPI_COMMUNICATOR, 0, words,
                           n_words);
    } while (ranks && at < n);
    free(ranks);
}

void weft_mpi_new_communicator(uint64_t ticks, uint64_t origin, MPI_Comm comm,
                               MPI_Comm parent)
{
    uint64_t handle = comm == MPI_COMM_NULL ? 0 : WEFT_MPI_HANDLE(comm);
    int between = 0;
    MPI_Group group, other;

    if (handle == 0 || (origin & WEFT_MPI_SAME)) {
        WEFT_MPI_PUT(ticks, WEFT_RECORD_MPI_COMMUNICATOR, 0, handle,
                     WEFT_MPI_HANDLE(parent), origin);
        return;
    }
    weft_mpi.comm_test_inter(comm, &between);
    origin |= between ? WEFT_MPI_BETWEEN : 0;
    if (weft_mpi.comm_group(comm, &group) != MPI_SUCCESS)
        return;
    put_members(ticks, origin, handle, parent, group, between != 0);
    weft_mpi.group_free(&group);
    if (between && weft_mpi.comm_remote_group(comm, &other) == MPI_SUCCESS) {
        put_members(ticks, origin | WEFT_MPI_OTHER, handle, parent, other, false);
        weft_mpi.group_free(&other);
    }
    if (!between)
        weft_mpi_put_neighbors(ticks, comm);
}

/* A call that makes *made from PARENT. */
#define MAKER(name, origin, made, parent, parameters, arguments)                           \
 WEFT_MPI_HOOK(name, WEFT_MPI_UNPACK parameters)                                           \
 {                                                                                         \
  uint64_t ticks;                                                                          \
  int result;                                                                              \
  WEFT_MPI_IN_CALL;                                                                        \
  if (weft_mpi_is_nested(&in_call))                                                        \
   return WEFT_MPI_REAL(name) arguments;                                                   \
  WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, name);                                              \
  result = WEFT_MPI_REAL(name) arguments;                                                  \
  ticks = weft_ticks();                                                                    \
  if (result == MPI_SUCCESS)                                                               \
   weft_mpi_new_communicator(ticks, origin, *(made), parent);                              \
  return weft_mpi_return(weft_ticks(), result);                                            \
 }

MAKER(Comm_dup, WEFT_MPI_OF_ALL | WEFT_MPI_SAME, made, comm,
      (MPI_Comm comm, MPI_Comm *made), (comm, made))
MAKER(Comm_dup_with_info, WEFT_MPI_OF_ALL | WEFT_MPI_SAME, made, comm,
      (MPI_Comm comm, MPI_Info info, MPI_Comm *made), (comm, info, made))
MAKER(Comm_idup, WEFT_MPI_OF_ALL | WEFT_MPI_SAME, made, comm,
      (MPI_Comm comm, MPI_Comm *made, MPI_Request *request), (comm, made, request))
MAKER(Comm_create, WEFT_MPI_OF_ALL, made, comm,
      (MPI_Comm comm, MPI_Group group, MPI_Comm *made), (comm, group, made))
MAKER(Comm_create_group, WEFT_MPI_OF_GROUP | weft_mpi_group_tag(tag), made, comm,
      (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made), (comm, group, tag, made))
MAKER(Comm_split, WEFT_MPI_OF_ALL, made, comm,
      (MPI_Comm comm, int color, int key, MPI_Comm *made), (comm, color, key, made))
MAKER(Comm_split_type, WEFT_MPI_OF_ALL, made, comm,
      (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made),
      (comm, type, key, info, made))
MAKER(Intercomm_create, WEFT_MPI_OF_GROUPS | weft_mpi_group_tag(tag), made, comm,
      (MPI_Comm comm, int leader, MPI_Comm peers, int other, int tag, MPI_Comm *made),
      (comm, leader, peers, other, tag, made))
MAKER(Intercomm_merge, WEFT_MPI_OF_ALL, made, comm,
      (MPI_Comm comm, int high, MPI_Comm *made), (comm, high, made))
MAKER(Cart_create, WEFT_MPI_OF_ALL, made, comm,
      (MPI_Comm comm, int n, const int sizes[], const int periods[], int reorder,
       MPI_Comm *made),
      (comm, n, sizes, periods, reorder, made))
MAKER(Cart_sub, WEFT_MPI_OF_ALL, made, comm,
      (MPI_Comm comm, const int remain[], MPI_Comm *made), (comm, remain, made))
MAKER(Graph_create, WEFT_MPI_OF_ALL, made, comm,
      (MPI_Comm comm, int n, const int index[], const int edges[], int reorder,
       MPI_Comm *made),
      (comm, n, index, edges, reorder, made))
MAKER(Dist_graph_create, WEFT_MPI_OF_ALL, made, comm,
      (MPI_Comm comm, int n, const int sources[], const int degrees[],
       const int destinations[], const int weights[], MPI_Info info, int reorder,
       MPI_Comm *made),
      (comm, n, sources, degrees, destinations, weights, info, reorder, made))
MAKER(Dist_graph_create_adjacent, WEFT_MPI_OF_ALL, made, comm,
      (MPI_Comm comm, int n_in, const int sources[], const int in_weights[], int n_out,
       const int destinations[], const int out_weights[], MPI_Info info, int reorder,
       MPI_Comm *made),
      (comm, n_in, sources, in_weights, n_out, destinations, out_weights, info, reorder,
       made))
MAKER(Comm_spawn, WEFT_MPI_OF_GROUPS | WEFT_MPI_ASKED, made, comm,
      (const char *command, char *arguments[], int n, MPI_Info info, int root,
       MPI_Comm comm, MPI_Comm *made, int errors[]),
      (command, arguments, n, info, root, comm, made, errors))
MAKER(Comm_spawn_multiple, WEFT_MPI_OF_GROUPS | WEFT_MPI_ASKED, made, comm,
      (int n, char *commands[], char **arguments[], const int numbers[],
       const MPI_Info info[], int root, MPI_Comm comm, MPI_Comm *made, int errors[]),
      (n, commands, arguments, numbers, info, root, comm, made, errors))
MAKER(Comm_accept, WEFT_MPI_OF_GROUPS | WEFT_MPI_ANSWERED | WEFT_MPI_BY_PORT, made, comm,
      (const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *made),
      (port, info, root, comm, made))
MAKER(Comm_connect, WEFT_MPI_OF_GROUPS | WEFT_MPI_ASKED | WEFT_MPI_BY_PORT, made, comm,
      (const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *made),
      (port, info, root, comm, made))

#if MPI_VERSION >= 4
MAKER(Comm_idup_with_info, WEFT_MPI_OF_ALL | WEFT_MPI_SAME, made, comm,
      (MPI_Comm comm, MPI_Info info, MPI_Comm *made, MPI_Request *request),
      (comm, info, made, request))
/* Returns a hash of a name (FNV-1a) in place of a tag. */
static uint64_t name_tag(const char *name)
{
    uint32_t hash = 2166136261U;

    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619U;
    return weft_mpi_group_tag((int32_t)hash);
}

MAKER(Comm_create_from_group, WEFT_MPI_OF_GROUP | name_tag(name), made, MPI_COMM_NULL,
      (MPI_Group group, const char *name, MPI_Info info, MPI_Errhandler handler,
       MPI_Comm *made),
      (group, name, info, handler, made))
MAKER(Intercomm_create_from_groups, WEFT_MPI_OF_GROUPS | name_tag(name), made,
      MPI_COMM_NULL,
      (MPI_Group group, int leader, MPI_Group others, int other, const char *name,
       MPI_Info info, MPI_Errhandler handler, MPI_Comm *made),
      (group, leader, others, other, name, info, handler, made))
WEFT_MPI_PLAIN(Group_from_session_pset,
               (MPI_Session session, const char *name, MPI_Group *made),
               (session, name, made))
#endif

/*
 * A call that gives back a handle.  The handle is recorded as gone before the call, since
 * other threads may get the same one for a new communicator during it; if the call fails,
 * the join restores its meaning.  A nested call, from a callback as that of an attribute,
 * is recorded as well, since the handle may be reused.
 */
#define ENDER(name)                                                                        \
 WEFT_MPI_HOOK(name, MPI_Comm *comm)                                                       \
 {                                                                                         \
  int result;                                                                              \
  WEFT_MPI_IN_CALL;                                                                        \
  if (weft_mpi_is_nested(&in_call)) {                                                      \
   if (comm)                                                                               \
    WEFT_MPI_PUT(weft_ticks(), WEFT_RECORD_MPI_COMMUNICATOR_GONE, 1,                       \
                 WEFT_MPI_HANDLE(*comm));                                                  \
   return WEFT_MPI_REAL(name)(comm);                                                       \
  }                                                                                        \
  WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, name);                                              \
  if (comm)                                                                                \
   WEFT_MPI_PUT(weft_ticks(), WEFT_RECORD_MPI_COMMUNICATOR_GONE, 0,                        \
                WEFT_MPI_HANDLE(*comm));                                                   \
  result = WEFT_MPI_REAL(name)(comm);                                                      \
  return weft_mpi_return(weft_ticks(), result);                                            \
 }
ENDER(Comm_free)
ENDER(Comm_disconnect)

WEFT_MPI_HOOK(Comm_set_name, MPI_Comm comm, const char *name)
{
    uint64_t handle = WEFT_MPI_HANDLE(comm);
    int result;
    WEFT_MPI_IN_CALL;

    if (weft_mpi_is_nested(&in_call))
        return WEFT_MPI_REAL(Comm_set_name)(comm, name);
    WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, Comm_set_name);
    result = WEFT_MPI_REAL(Comm_set_name)(comm, name);
    if (result == MPI_SUCCESS)
        CORE.log_text(weft_ticks(), WEFT_RECORD_MPI_COMMUNICATOR_NAME, &handle, 1, name);
    return weft_mpi_return(weft_ticks(), result);
}

/* ---- Groups ---- */

WEFT_MPI_PLAIN(Group_union, (MPI_Group a, MPI_Group b, MPI_Group *made), (a, b, made))
WEFT_MPI_PLAIN(Group_intersection, (MPI_Group a, MPI_Group b, MPI_Group *made),
               (a, b, made))
WEFT_MPI_PLAIN(Group_difference, (MPI_Group a, MPI_Group b, MPI_Group *made), (a, b, made))
WEFT_MPI_PLAIN(Group_incl, (MPI_Group group, int n, const int ranks[], MPI_Group *made),
               (group, n, ranks, made))
WEFT_MPI_PLAIN(Group_excl, (MPI_Group group, int n, const int ranks[], MPI_Group *made),
               (group, n, ranks, made))
WEFT_MPI_PLAIN(Group_range_incl, (MPI_Group group, int n, int ranges[][3], MPI_Group *made),
               (group, n, ranges, made))
WEFT_MPI_PLAIN(Group_range_excl, (MPI_Group group, int n, int ranges[][3], MPI_Group *made),
               (group, n, ranges, made))
WEFT_MPI_PLAIN(Group_translate_ranks,
               (MPI_Group from, int n, const int ranks[], MPI_Group to, int translated[]),
               (from, n, ranks, to, translated))
