/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the hooks of MPI's calls stand on.  These sources are compiled once for each
 * implementation, with its mpi.h.
 *
 * A hook is defined by WEFT_MPI_HOOK(Name, parameters); WEFT_MPI_REAL(Name) is the function.
 * First it asks weft_mpi_is_nested(): then it calls the function and does nothing else.  An error
 * handler may leave it for good, by an exception, a jump, or the end of its thread.
 */
#ifndef WEFT_RECORD_MPI_H
#define WEFT_RECORD_MPI_H

#include <mpi.h>
#include <stddef.h>

#include "domains/messages/format/records.h"
#include "domains/messages/record/entries.h"
#include "record/log/log.h"

#define CORE weft_record_core_v1

/* A hook and its function; of a size that compilers have no reason to pad. */
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
/* MPI_COMM_WORLD is there: MPI has begun, by MPI_Init, and not ended. */
extern WEFT_HIDDEN bool weft_mpi_has_world;
/* Some request was cancelled: from now on statuses are asked whether theirs was. */
extern WEFT_HIDDEN bool weft_mpi_cancels;
/* What the library says of itself. */
extern WEFT_HIDDEN const char *weft_mpi_version;

/* A handle, as records have it. */
#define WEFT_MPI_HANDLE(handle) ((uint64_t)(uintptr_t)(handle))

/* The hook is over: it has returned, and said so, or its stack is unwound. */
static inline __attribute__((always_inline)) void weft_mpi_unwound(const bool *in_call)
{
    if (*in_call && weft_mpi_inside != 0)
        weft_mpi_left(0);
}

/* In each hook, before it asks: whether its call is the program's. */
#define WEFT_MPI_IN_CALL bool in_call __attribute__((cleanup(weft_mpi_unwound))) = false

/*
 * Is this call of MPI one that MPI itself makes?  Else the thread is in it from now on, until
 * weft_mpi_return.  A call whose frame does not lie above this one's was left unseen.
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

/* Code that calls MPI is in the copies of the memory map; calls come from few places. */
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

/* The call's first record, with what is known of it. */
#define WEFT_MPI_ENTER(kind, name, ...)                                                    \
 do {                                                                                      \
  const uint64_t words_[] = { WEFT_SITE, __VA_ARGS__ };                                    \
  weft_mpi_see(words_[0]);                                                                 \
  weft_log_put_words(weft_log_get(), weft_ticks(), kind, WEFT_MPI_##name, words_,          \
                     sizeof words_ / sizeof *words_);                                      \
 } while (0)

/* A record inside a call, at a stamp that was taken before. */
#define WEFT_MPI_PUT(ticks, kind, argument, ...)                                           \
 do {                                                                                      \
  const uint64_t words_[] = { __VA_ARGS__ };                                               \
  weft_log_put_words(weft_log_get(), ticks, kind, argument, words_,                        \
                     sizeof words_ / sizeof *words_);                                      \
 } while (0)

/* The call returns RESULT. */
static inline int weft_mpi_return(uint64_t ticks, int result)
{
    weft_log_put(weft_log_get(), ticks, WEFT_RECORD_MPI_RETURN,
                 (uint32_t)result & WEFT_ARGUMENT_MOST);
    weft_mpi_inside = 0;
    return result;
}

/*
 * Is the handle one of a type, or of a communicator?  The call that it was given to refuses any
 * other; a hook that asked MPI about one would have the program's error handler called twice.
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
/* MPICH's handles say in their bits what they are of, and in the highest two, unless these are
   clear, that there is such an object. */
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

/* Bytes of COUNT elements; 0: MPI cannot say. */
static inline uint64_t weft_mpi_bytes(MPI_Count count, MPI_Datatype type)
{
    MPI_Count size = 0;

    if (!weft_mpi_is_type(type) || count <= 0
        || weft_mpi.type_size_x(type, &size) != MPI_SUCCESS || size < 0)
        return 0;
    return (uint64_t)count * (uint64_t)size;
}

/*
 * Has the call that returned RESULT received its message?  Also where that was longer than there
 * was room for: the call fails, but the message is gone, and its status is there.
 */
static inline bool weft_mpi_has_received(int result)
{
    int class = MPI_SUCCESS;

    return result == MPI_SUCCESS
           || (weft_mpi.error_class(result, &class) == MPI_SUCCESS
               && class == MPI_ERR_TRUNCATE);
}

/* What a status says of a message that was received. */
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

/* Ranks and tags as records have them. */
static inline int32_t weft_mpi_rank_or_any(int rank)
{
    return rank == MPI_ANY_SOURCE ? WEFT_MPI_ANY : rank;
}

static inline uint64_t weft_mpi_pattern(int source, int tag)
{
    return weft_mpi_peer_and_tag(weft_mpi_rank_or_any(source),
                                 tag == MPI_ANY_TAG ? WEFT_MPI_ANY : tag);
}

/* A call that is recorded as such, with nothing else. */
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

/* A new communicator (MPI_COMM_NULL: not for the caller), made from PARENT; ORIGIN: bits. */
WEFT_HIDDEN void weft_mpi_new_communicator(uint64_t ticks, uint64_t origin, MPI_Comm comm,
                                           MPI_Comm parent);

/* ---- Neighbours (neighbors.c) ---- */

/* Records of the caller's neighbours in a new communicator, if it has a topology. */
WEFT_HIDDEN void weft_mpi_put_neighbors(uint64_t ticks, MPI_Comm comm);

/* ---- Clocks (clocks.c) ---- */

/* Compare this process's clock with that of rank 0, where they may differ: all ranks do. */
WEFT_HIDDEN void weft_mpi_align_clocks(void);

#endif
