/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Macros and functions of the hooks of MPI's calls.  These sources are compiled once for
 * each implementation, with its mpi.h.
 *
 * WEFT_MPI_HOOK(Name, parameters) begins the definition of a hook; WEFT_MPI_REAL(Name) is
 * MPI's function.  A hook first calls weft_mpi_is_nested(): if true, it only calls the
 * function.  An error handler may leave a hook by an exception, longjmp, or the end of its
 * thread.
 */
#ifndef WEFT_RECORD_MPI_HOOK_MACROS_H
#define WEFT_RECORD_MPI_HOOK_MACROS_H

#include <mpi.h>
#include <stddef.h>

#include "domains/messages/format/records.h"
#include "domains/messages/record/hook_interface.h"
#include "record/log/log.h"

/* The table of functions of the preloaded library. */
#define CORE weft_record_core_v1

/*
 * A hook and the function of MPI that it stands for.  All are in the section
 * weft_mpi_hooks, which is read as an array: the alignment keeps compilers from padding
 * between them.
 */
struct weft_mpi_row {
    void *function, *hook; /* FUNCTION: NULL until the hooks attach, or MPI has none */
    const char *name;      /* "PMPI_Send" */
    uint64_t number;       /* enum weft_mpi_call */
} __attribute__((aligned(32)));

/*
 * Begins the definition of the hook of MPI_NAME (NAME without the prefix) with the given
 * parameters; the body follows.  Adds its row to the section weft_mpi_hooks.
 */
#define WEFT_MPI_HOOK(name, ...)                                                           \
 static int hook_##name(__VA_ARGS__);                                                      \
 static struct weft_mpi_row row_##name                                                     \
     __attribute__((section("weft_mpi_hooks"), used)) = { NULL, (void *)hook_##name,       \
                                                          "PMPI_" #name,                   \
                                                          WEFT_MPI_##name };               \
 static int hook_##name(__VA_ARGS__)
/* MPI's own function MPI_NAME, for use in the hook of that name only. */
#define WEFT_MPI_REAL(name) ((__typeof__(&MPI_##name))row_##name.function)

/* MPI's own functions, not their hooks, that hooks call; set when the hooks attach. */
struct weft_mpi_functions {
    __typeof__(&MPI_Type_size_x) type_size_x;
    __typeof__(&MPI_Get_elements_x) get_elements_x;
    __typeof__(&MPI_Test_cancelled) test_cancelled;
    __typeof__(&MPI_Error_class) error_class;
    __typeof__(&MPI_Comm_rank) comm_rank;
    __typeof__(&MPI_Comm_size) comm_size;
    __typeof__(&MPI_Comm_group) comm_group;
    __typeof__(&MPI_Comm_remote_group) comm_remote_group;
    __typeof__(&MPI_Comm_remote_size) comm_remote_size;
    __typeof__(&MPI_Comm_test_inter) comm_test_inter;
    __typeof__(&MPI_Group_size) group_size;
    __typeof__(&MPI_Group_translate_ranks) group_translate_ranks;
    __typeof__(&MPI_Group_free) group_free;
    __typeof__(&MPI_Topo_test) topo_test;
    __typeof__(&MPI_Cartdim_get) cartdim_get;
    __typeof__(&MPI_Cart_shift) cart_shift;
    __typeof__(&MPI_Graph_neighbors_count) graph_neighbors_count;
    __typeof__(&MPI_Graph_neighbors) graph_neighbors;
    __typeof__(&MPI_Dist_graph_neighbors_count) dist_graph_neighbors_count;
    __typeof__(&MPI_Dist_graph_neighbors) dist_graph_neighbors;
    __typeof__(&MPI_Send) send;
    __typeof__(&MPI_Recv) recv;
    __typeof__(&MPI_Comm_split) comm_split;
    __typeof__(&MPI_Comm_get_parent) comm_get_parent;
};
/* Set when the hooks attach; no member is NULL then. */
extern WEFT_HIDDEN struct weft_mpi_functions weft_mpi;
/* True between MPI_Init and MPI_Finalize: hooks may use MPI_COMM_WORLD. */
extern WEFT_HIDDEN bool weft_mpi_has_world;
/* True once the process has called MPI_Cancel: only then hooks test for cancellation. */
extern WEFT_HIDDEN bool weft_mpi_cancels;
/* The text of MPI_Get_library_version; borrowed, set when the hooks attach. */
extern WEFT_HIDDEN const char *weft_mpi_version;

/* A handle of MPI (a pointer or an integer) as a word of a record. */
#define WEFT_MPI_HANDLE(handle) ((uint64_t)(uintptr_t)(handle))

/*
 * Clean-up function of WEFT_MPI_IN_CALL, called when a hook's frame ends.  If *IN_CALL, and
 * the thread is still in the call, records that the call was left without a return.
 */
static inline __attribute__((always_inline)) void weft_mpi_unwound(const bool *in_call)
{
    if (*in_call && weft_mpi_inside != 0)
        weft_mpi_left(0);
}

/*
 * Declares in_call in a hook, for weft_mpi_is_nested: true if the program made the call,
 * not MPI itself.  weft_mpi_unwound gets it at the end of the hook's frame.
 */
#define WEFT_MPI_IN_CALL bool in_call __attribute__((cleanup(weft_mpi_unwound))) = false

/*
 * Returns true, and counts the call in weft_mpi_passed, if MPI itself makes it, inside a
 * call of the program.  Else sets *IN_CALL to true and weft_mpi_passed to 0, and the
 * thread is in the call until weft_mpi_return.  If an earlier call is open whose frame is
 * not above this one's, it was left unnoticed, which is recorded first.
 */
static inline __attribute__((always_inline)) bool weft_mpi_is_nested(bool *in_call)
{
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);

    if (__builtin_expect(weft_mpi_inside != 0, 0)) {
        if (weft_mpi_inside > frame) {
            weft_mpi_passed++;
            return true;
        }
        weft_mpi_left(weft_mpi_passed);
    }
    weft_mpi_inside = frame;
    weft_mpi_passed = 0;
    *in_call = true;
    return false;
}

/*
 * Has the mapped file that SITE, the hook's return address, lies in recorded.  If that is
 * the program's own, or stacks cannot be recorded on this processor, returns true: it need
 * not be called for SITE again.  Else records also the stack above FRAME, the hook's frame
 * address, unless that equals the thread's last, and returns false.
 */
WEFT_HIDDEN bool weft_mpi_see_new(uint64_t site, const void *frame);

/*
 * Has the mapped file that SITE, the hook's return address, lies in recorded, and if that
 * is a library's, the stack above FRAME, the hook's frame address.  A small cache skips
 * sites in the program's own file that were seen before.
 */
static inline void weft_mpi_see(uint64_t site, const void *frame)
{
    enum { PLACES = 256 };
    static uint64_t seen[PLACES];
    uint64_t *place = &seen[(site ^ site >> 8) % PLACES];

    if (__builtin_expect(__atomic_load_n(place, __ATOMIC_RELAXED) == site, 1))
        return;
    if (weft_mpi_see_new(site, frame))
        __atomic_store_n(place, site, __ATOMIC_RELAXED);
}

/*
 * Writes the first record of a call in its hook, with the present time.  KIND is a
 * WEFT_RECORD_MPI_CALL..., NAME the call without "MPI_"; the words are the hook's return
 * address, then the further arguments.  Records also which file that address is in.
 */
#define WEFT_MPI_ENTER(kind, name, ...)                                                    \
 do {                                                                                      \
  const uint64_t words_[] = { WEFT_SITE, __VA_ARGS__ };                                    \
  weft_mpi_see(words_[0], __builtin_frame_address(0));                                     \
  weft_log_put_words(weft_log_get(), weft_ticks(), kind, WEFT_MPI_##name, words_,          \
                     sizeof words_ / sizeof *words_);                                      \
 } while (0)

/* Writes a record of KIND with ARGUMENT and one or more words, time-stamped TICKS. */
#define WEFT_MPI_PUT(ticks, kind, argument, ...)                                           \
 do {                                                                                      \
  const uint64_t words_[] = { __VA_ARGS__ };                                               \
  weft_log_put_words(weft_log_get(), ticks, kind, argument, words_,                        \
                     sizeof words_ / sizeof *words_);                                      \
 } while (0)

/*
 * Records that the program's call returned RESULT, MPI_SUCCESS or an error code, at TICKS.
 * The thread is in no call any more.  Returns RESULT.
 */
static inline int weft_mpi_return(uint64_t ticks, int result)
{
    weft_log_put(weft_log_get(), ticks, WEFT_RECORD_MPI_RETURN,
                 (uint32_t)result & WEFT_ARGUMENT_MAX);
    weft_mpi_inside = 0;
    return result;
}

/*
 * weft_mpi_is_type and weft_mpi_is_communicator tell if a handle seems to be valid.  A hook
 * must not ask MPI about any other: the program's call will refuse it, and the error
 * handler would be called twice.
 */
#ifdef OPEN_MPI
/*
 * Returns true if TYPE is neither NULL nor MPI_DATATYPE_NULL; no other sign is looked at.
 */
static inline bool weft_mpi_is_type(MPI_Datatype type)
{
    return type && type != MPI_DATATYPE_NULL;
}

/* Returns true if COMM is neither NULL nor MPI_COMM_NULL; no other sign is looked at. */
static inline bool weft_mpi_is_communicator(MPI_Comm comm)
{
    return comm && comm != MPI_COMM_NULL;
}
#else
/*
 * MPICH's handles: the highest two bits are 0 for no object, and the four bits below are
 * the object's kind, WHAT.
 */
enum { WEFT_MPICH_COMMUNICATOR = 1, WEFT_MPICH_TYPE = 3 };
/* Returns true if HANDLE is that of an object of the kind WHAT. */
static inline bool weft_mpich_is_of(int handle, unsigned what)
{
    return (unsigned)handle >> 30 != 0 && ((unsigned)handle >> 26 & 0xf) == what;
}

/* Returns true if TYPE has the bits of a datatype of MPICH, so that MPI may be asked. */
static inline bool weft_mpi_is_type(MPI_Datatype type)
{
    return weft_mpich_is_of(type, WEFT_MPICH_TYPE);
}

/*
 * Returns true if COMM has the bits of a communicator of MPICH, so that MPI may be asked.
 */
static inline bool weft_mpi_is_communicator(MPI_Comm comm)
{
    return weft_mpich_is_of(comm, WEFT_MPICH_COMMUNICATOR);
}
#endif

/*
 * Returns the bytes of COUNT elements of TYPE, as MPI_Type_size counts them; 0 if COUNT is
 * not positive, TYPE is invalid, or MPI cannot tell.
 */
static inline uint64_t weft_mpi_bytes(MPI_Count count, MPI_Datatype type)
{
    MPI_Count size = 0;

    if (!weft_mpi_is_type(type) || count <= 0
        || weft_mpi.type_size_x(type, &size) != MPI_SUCCESS || size < 0)
        return 0;
    return (uint64_t)count * (uint64_t)size;
}

/*
 * Returns true if the call that returned RESULT, MPI_SUCCESS or an error code, has received
 * its message, even if truncated: then the call fails, but the status is set.
 */
static inline bool weft_mpi_has_received(int result)
{
    int class = MPI_SUCCESS;

    return result == MPI_SUCCESS
           || (weft_mpi.error_class(result, &class) == MPI_SUCCESS
               && class == MPI_ERR_TRUNCATE);
}

/* The contents of the status of a complete receive, as words of a record; a plain value. */
struct weft_mpi_received {
    uint64_t peer_and_tag, bytes; /* see weft_mpi_peer_and_tag; BYTES: 0 if cancelled */
    uint32_t cancelled;           /* 1: the receive was cancelled */
};
/* Returns the source, tag and bytes in STATUS, which MPI has set; no MPI_STATUS_IGNORE. */
static inline struct weft_mpi_received weft_mpi_received(const MPI_Status *status)
{
    struct weft_mpi_received received = {
        weft_mpi_peer_and_tag(status->MPI_SOURCE, status->MPI_TAG), 0, 0
    };
    MPI_Count bytes = 0;
    int cancelled = 0;

    if (__builtin_expect(weft_mpi_cancels, 0)
        && weft_mpi.test_cancelled(status, &cancelled) == MPI_SUCCESS)
        received.cancelled = cancelled != 0;
    if (!cancelled && weft_mpi.get_elements_x(status, MPI_BYTE, &bytes) == MPI_SUCCESS
        && bytes > 0)
        received.bytes = (uint64_t)bytes;
    return received;
}

/* Returns RANK, or WEFT_MPI_ANY if that is MPI_ANY_SOURCE. */
static inline int32_t weft_mpi_rank_or_any(int rank)
{
    return rank == MPI_ANY_SOURCE ? WEFT_MPI_ANY : rank;
}

/*
 * Packs the source and tag that a receive asks for into a word of a record, with
 * WEFT_MPI_ANY for MPI_ANY_SOURCE and for MPI_ANY_TAG.
 */
static inline uint64_t weft_mpi_pattern(int source, int tag)
{
    return weft_mpi_peer_and_tag(weft_mpi_rank_or_any(source),
                                 tag == MPI_ANY_TAG ? WEFT_MPI_ANY : tag);
}

/*
 * Defines a hook that records only the call and its return.  NAME is without "MPI_";
 * PARAMETERS and ARGUMENTS are in parentheses, as in a definition and in a call.
 */
#define WEFT_MPI_PLAIN(name, parameters, arguments)                                        \
 WEFT_MPI_HOOK(name, WEFT_MPI_UNPACK parameters)                                           \
 {                                                                                         \
  int result;                                                                              \
  WEFT_MPI_IN_CALL;                                                                        \
  if (weft_mpi_is_nested(&in_call))                                                        \
   return WEFT_MPI_REAL(name) arguments;                                                   \
  WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, name);                                              \
  result = WEFT_MPI_REAL(name) arguments;                                                  \
  return weft_mpi_return(weft_ticks(), result);                                            \
 }
/* Removes the parentheses of a list: WEFT_MPI_UNPACK (a, b) is a, b. */
#define WEFT_MPI_UNPACK(...) __VA_ARGS__

/* ---- Communicators (communicators.c) ---- */

/*
 * Records the new communicator COMM, made from PARENT (or MPI_COMM_NULL), with its
 * members, those of an intercommunicator's remote group, too, or else the caller's
 * neighbours if it has a Cartesian or graph topology.  COMM is MPI_COMM_NULL if the caller
 * is not a member; then no members are recorded.  ORIGIN is an enum weft_mpi_origin with
 * its bits, but WEFT_MPI_BETWEEN is added here; with WEFT_MPI_SAME neither members nor
 * neighbours are recorded.  TICKS is the time stamp.
 */
WEFT_HIDDEN void weft_mpi_new_communicator(uint64_t ticks, uint64_t origin, MPI_Comm comm,
                                           MPI_Comm parent);

/* ---- Neighbours (topology_neighbors.c) ---- */

/*
 * Records the ranks that the caller sends to and receives from in the neighbourhood
 * collectives of the new communicator COMM, time-stamped TICKS.  No effect if COMM has no
 * Cartesian or graph topology.
 */
WEFT_HIDDEN void weft_mpi_put_neighbors(uint64_t ticks, MPI_Comm comm);

/* ---- Clocks (clocks.c) ---- */

/*
 * Compares the clocks of hosts with that of MPI_COMM_WORLD's rank 0 by messages, and
 * records the result.  All ranks must call it, between MPI_Init and MPI_Finalize; the first
 * call makes a communicator.  No effect if the environment says that there is one host, or
 * does not say that all ranks are recorded (WEFT_MPI_CLOCKS_VARIABLE).
 */
WEFT_HIDDEN void weft_mpi_align_clocks(void);

#endif
