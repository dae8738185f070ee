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
#ifndef WEFT_RECORD_MPI_H
#define WEFT_RECORD_MPI_H

#include <mpi.h>
#include <stddef.h>

#include "domains/messages/format/records.h"
#include "domains/messages/record/entries.h"
#include "record/log/log.h"

#define CORE weft_record_core_v1

/*
 * A hook and MPI's function, an entry of the section weft_mpi_hooks, which is read as an
 * array: the alignment keeps compilers from padding between entries.
 */
struct weft_mpi_row {
    void *function, *hook;
    const char *name;
    uint64_t number; /* enum weft_mpi_call */
} __attribute__((aligned(32)));

#define WEFT_MPI_HOOK(name, ...)                                                           \
 static int hook_##name(__VA_ARGS__);                                                      \
 static struct weft_mpi_row row_##name                                                     \
     __attribute__((section("weft_mpi_hooks"), used)) = { NULL, (void *)hook_##name,       \
                                                          "PMPI_" #name,                   \
                                                          WEFT_MPI_##name };               \
 static int hook_##name(__VA_ARGS__)
#define WEFT_MPI_REAL(name) ((__typeof__(&MPI_##name))row_##name.function)

/* Functions of MPI that hooks call. */
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
extern WEFT_HIDDEN struct weft_mpi_functions weft_mpi;
/* MPI_COMM_WORLD may be used: between MPI_Init and MPI_Finalize. */
extern WEFT_HIDDEN bool weft_mpi_has_world;
/* MPI_Cancel was called: statuses are tested for cancellation from now on. */
extern WEFT_HIDDEN bool weft_mpi_cancels;
/* The text of MPI_Get_library_version. */
extern WEFT_HIDDEN const char *weft_mpi_version;

/* A handle as a word of a record. */
#define WEFT_MPI_HANDLE(handle) ((uint64_t)(uintptr_t)(handle))

/* The hook's stack frame ends.  If its call has not returned, it was left. */
static inline __attribute__((always_inline)) void weft_mpi_unwound(const bool *in_call)
{
    if (*in_call && weft_mpi_inside != 0)
        weft_mpi_left(0);
}

/*
 * Declares in_call in a hook: true if the hook's call is the program's. weft_mpi_unwound
 * reads it at the end of the frame.
 */
#define WEFT_MPI_IN_CALL bool in_call __attribute__((cleanup(weft_mpi_unwound))) = false

/*
 * Returns true if MPI itself makes this call.  Else the thread is in the call until
 * weft_mpi_return.  A call whose frame is not above this one's was left unseen: that is
 * recorded first.
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
 * Have the memory map that holds the call's site recorded.  A small cache skips sites seen
 * before.
 */
static inline void weft_mpi_see(uint64_t site)
{
    enum { PLACES = 256 };
    static uint64_t seen[PLACES];
    uint64_t *place = &seen[(site ^ site >> 8) % PLACES];

    if (__builtin_expect(__atomic_load_n(place, __ATOMIC_RELAXED) == site, 1))
        return;
    CORE.see(site);
    __atomic_store_n(place, site, __ATOMIC_RELAXED);
}

/* Writes the call's first record, of KIND: the site, then further words. */
#define WEFT_MPI_ENTER(kind, name, ...)                                                    \
 do {                                                                                      \
  const uint64_t words_[] = { WEFT_SITE, __VA_ARGS__ };                                    \
  weft_mpi_see(words_[0]);                                                                 \
  weft_log_put_words(weft_log_get(), weft_ticks(), kind, WEFT_MPI_##name, words_,          \
                     sizeof words_ / sizeof *words_);                                      \
 } while (0)

/* Writes a record inside a call, with a time stamp taken before. */
#define WEFT_MPI_PUT(ticks, kind, argument, ...)                                           \
 do {                                                                                      \
  const uint64_t words_[] = { __VA_ARGS__ };                                               \
  weft_log_put_words(weft_log_get(), ticks, kind, argument, words_,                        \
                     sizeof words_ / sizeof *words_);                                      \
 } while (0)

/* The call returns: records it, and returns RESULT. */
static inline int weft_mpi_return(uint64_t ticks, int result)
{
    weft_log_put(weft_log_get(), ticks, WEFT_RECORD_MPI_RETURN,
                 (uint32_t)result & WEFT_ARGUMENT_MOST);
    weft_mpi_inside = 0;
    return result;
}

/*
 * Return true if the handle is of a datatype, or a communicator.  The program's call
 * refuses any other handle; if a hook asked MPI about one, the error handler would be
 * called twice.
 */
#ifdef OPEN_MPI
static inline bool weft_mpi_is_type(MPI_Datatype type)
{
    return type && type != MPI_DATATYPE_NULL;
}

static inline bool weft_mpi_is_communicator(MPI_Comm comm)
{
    return comm && comm != MPI_COMM_NULL;
}
#else
/*
 * MPICH's handles: the highest two bits are 0 for no object, and four bits below are its
 * kind.
 */
enum { WEFT_MPICH_COMMUNICATOR = 1, WEFT_MPICH_TYPE = 3 };
static inline bool weft_mpich_is_of(int handle, unsigned what)
{
    return (unsigned)handle >> 30 != 0 && ((unsigned)handle >> 26 & 0xf) == what;
}

static inline bool weft_mpi_is_type(MPI_Datatype type)
{
    return weft_mpich_is_of(type, WEFT_MPICH_TYPE);
}

static inline bool weft_mpi_is_communicator(MPI_Comm comm)
{
    return weft_mpich_is_of(comm, WEFT_MPICH_COMMUNICATOR);
}
#endif

/* Returns the bytes of COUNT elements; 0 if MPI cannot tell. */
static inline uint64_t weft_mpi_bytes(MPI_Count count, MPI_Datatype type)
{
    MPI_Count size = 0;

    if (!weft_mpi_is_type(type) || count <= 0
        || weft_mpi.type_size_x(type, &size) != MPI_SUCCESS || size < 0)
        return 0;
    return (uint64_t)count * (uint64_t)size;
}

/*
 * Returns true if the call that returned RESULT has received its message, even if
 * truncated: then the call fails, but the status is set.
 */
static inline bool weft_mpi_has_received(int result)
{
    int class = MPI_SUCCESS;

    return result == MPI_SUCCESS
           || (weft_mpi.error_class(result, &class) == MPI_SUCCESS
               && class == MPI_ERR_TRUNCATE);
}

/* The contents of a receive's status, as words of a record. */
struct weft_mpi_received {
    uint64_t peer_and_tag, bytes;
    uint32_t cancelled;
};
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

/* The source and tag of a receive, with WEFT_MPI_ANY for MPI's own constants. */
static inline int32_t weft_mpi_rank_or_any(int rank)
{
    return rank == MPI_ANY_SOURCE ? WEFT_MPI_ANY : rank;
}

static inline uint64_t weft_mpi_pattern(int source, int tag)
{
    return weft_mpi_peer_and_tag(weft_mpi_rank_or_any(source),
                                 tag == MPI_ANY_TAG ? WEFT_MPI_ANY : tag);
}

/* A hook that records only the call and its return. */
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
#define WEFT_MPI_UNPACK(...) __VA_ARGS__

/* ---- Communicators (communicators.c) ---- */

/*
 * Records a new communicator made from PARENT, and its neighbours.  COMM is MPI_COMM_NULL
 * if the caller is not in it; ORIGIN is an enum weft_mpi_origin with bits.
 */
WEFT_HIDDEN void weft_mpi_new_communicator(uint64_t ticks, uint64_t origin, MPI_Comm comm,
                                           MPI_Comm parent);

/* ---- Neighbours (neighbors.c) ---- */

/* Records the caller's neighbours in a new communicator if it has a topology. */
WEFT_HIDDEN void weft_mpi_put_neighbors(uint64_t ticks, MPI_Comm comm);

/* ---- Clocks (clocks.c) ---- */

/*
 * Compares the clocks of hosts if they may differ (clocks.c).  Collective: all ranks call
 * it.
 */
WEFT_HIDDEN void weft_mpi_align_clocks(void);

#endif
