/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collective calls in their three forms: blocking, nonblocking, and persistent.  Each
 * records the bytes that the caller sends to each receiver, on average if they differ.  A
 * hook may read only arguments that MPI reads, too.
 */
#include "domains/messages/record/mpi_hook_macros.h"

/* Returns the caller's rank; negative if the handle is no communicator. */
static int rank_in(MPI_Comm comm)
{
    int rank = -1;

    if (weft_mpi_is_communicator(comm))
        weft_mpi.comm_rank(comm, &rank);
    return rank;
}

static bool is_root(int root, MPI_Comm comm)
{
    return root == MPI_ROOT || (root >= 0 && rank_in(comm) == root);
}

/*
 * Returns the number of ranks that a member sends to: in the remote group if there is one.
 */
static int size_of(MPI_Comm comm)
{
    int size = 0, between = 0;

    if (!weft_mpi_is_communicator(comm))
        return 0;
    weft_mpi.comm_test_inter(comm, &between);
    if (between)
        weft_mpi.comm_remote_size(comm, &size);
    else
        weft_mpi.comm_size(comm, &size);
    return size;
}

/* Returns how many neighbours the caller sends to. */
static int neighbors_of(MPI_Comm comm)
{
    int topology = MPI_UNDEFINED, n = 0, n_in = 0, weighted = 0;

    if (!weft_mpi_is_communicator(comm))
        return 0;
    weft_mpi.topo_test(comm, &topology);
    if (topology == MPI_CART && weft_mpi.cartdim_get(comm, &n) == MPI_SUCCESS)
        n *= 2;
    else if (topology == MPI_GRAPH)
        weft_mpi.graph_neighbors_count(comm, rank_in(comm), &n);
    else if (topology == MPI_DIST_GRAPH)
        weft_mpi.dist_graph_neighbors_count(comm, &n_in, &n, &weighted);
    return n;
}

/* Returns the number of ranks of the caller's own group. */
static int own_size(MPI_Comm comm)
{
    int size = 0;

    if (weft_mpi_is_communicator(comm))
        weft_mpi.comm_size(comm, &size);
    return size;
}

/* Bytes from lists of counts; a list that is NULL MPI refuses, or does not need. */
#define MEAN(suffix, count_type)                                                           \
 static inline uint64_t mean##suffix(const count_type counts[], int n, MPI_Datatype type)  \
 {                                                                                         \
  MPI_Count sum = 0;                                                                       \
  for (int i = 0; counts && i < n; i++)                                                    \
   sum += counts[i];                                                                       \
  return n > 0 ? weft_mpi_bytes(sum, type) / (uint64_t)n : 0;                              \
 }                                                                                         \
 /* Bytes to each receiver, which gets an equal part of what the counts sum up to. */      \
 static inline uint64_t share##suffix(const count_type counts[], MPI_Comm comm,            \
                                      MPI_Datatype type)                                   \
 {                                                                                         \
  MPI_Count sum = 0;                                                                       \
  int n = own_size(comm), others = size_of(comm);                                          \
  for (int i = 0; counts && i < n; i++)                                                    \
   sum += counts[i];                                                                       \
  return others > 0 ? weft_mpi_bytes(sum, type) / (uint64_t)others : 0;                    \
 }                                                                                         \
 /* In place: the bytes of the caller's own part of what all receive. */                   \
 static inline uint64_t own_part##suffix(const count_type counts[], MPI_Comm comm,         \
                                         MPI_Datatype type)                                \
 {                                                                                         \
  int rank = rank_in(comm);                                                                \
  return counts && rank >= 0 ? weft_mpi_bytes(counts[rank], type) : 0;                     \
 }                                                                                         \
 static inline uint64_t mean_of_types##suffix(const count_type counts[], int n,            \
                                              const MPI_Datatype types[])                  \
 {                                                                                         \
  uint64_t sum = 0;                                                                        \
  for (int i = 0; counts && types && i < n; i++)                                           \
   sum += weft_mpi_bytes(counts[i], types[i]);                                             \
  return n > 0 ? sum / (uint64_t)n : 0;                                                    \
 }
MEAN(, int)

static inline int at_once(int result)
{
    return weft_mpi_return(weft_ticks(), result);
}

static inline int began(int result, const MPI_Request *request)
{
    uint64_t ticks = weft_ticks();

    if (result == MPI_SUCCESS)
        WEFT_MPI_PUT(ticks, WEFT_RECORD_MPI_REQUEST, 0, WEFT_MPI_HANDLE(*request));
    return weft_mpi_return(ticks, result);
}

#define ENTER(name, bytes, root)                                                           \
 WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL_COLLECTIVE, name, WEFT_MPI_HANDLE(comm), bytes, root)

#define FORM(name, parameters, arguments, bytes, root, end)                                \
 WEFT_MPI_HOOK(name, WEFT_MPI_UNPACK parameters)                                           \
 {                                                                                         \
  int result;                                                                              \
  WEFT_MPI_IN_CALL;                                                                        \
  if (weft_mpi_is_nested(&in_call))                                                        \
   return WEFT_MPI_REAL(name)(WEFT_MPI_UNPACK arguments);                                  \
  ENTER(name, bytes, root);                                                                \
  result = WEFT_MPI_REAL(name)(WEFT_MPI_UNPACK arguments);                                 \
  return end;                                                                              \
 }
#define FORMS(name, iname, c, parameters, arguments, bytes, root)                          \
 FORM(name##c, parameters, arguments, bytes, root, at_once(result))                        \
 FORM(iname##c, (WEFT_MPI_UNPACK parameters, MPI_Request * request),                       \
      (WEFT_MPI_UNPACK arguments, request), bytes, root, began(result, request))           \
 FORM_INIT(name##_init##c, parameters, arguments, bytes, root)
#if MPI_VERSION >= 4
# define FORM_INIT(name, parameters, arguments, bytes, root)                               \
  FORM(name, (WEFT_MPI_UNPACK parameters, MPI_Info info, MPI_Request * request),           \
       (WEFT_MPI_UNPACK arguments, info, request), bytes, root, began(result, request))
#else
# define FORM_INIT(name, parameters, arguments, bytes, root)
#endif

/* The root as recorded: MPI_ROOT and MPI_PROC_NULL, in intercommunicators, are none. */
#define ROOT (root >= 0 ? (uint64_t)root : WEFT_MPI_NO_ROOT)

/*
 * Parts of lists of parameters and arguments; c: the type of counts, d: of displacements.
 */
#define OUT(c)     const void *out, c n_out, MPI_Datatype out_type
#define IN(c)      void *in, c n_in, MPI_Datatype in_type
#define OUTS(c, d) const void *out, const c n_out[], const d out_at[], MPI_Datatype out_type
#define INS(c, d)  void *in, const c n_in[], const d in_at[], MPI_Datatype in_type
#define OUTS_OF_TYPES(c, d)                                                                \
 const void *out, const c n_out[], const d out_at[], const MPI_Datatype out_types[]
#define INS_OF_TYPES(c, d)                                                                 \
 void *in, const c n_in[], const d in_at[], const MPI_Datatype in_types[]
#define OUT_IN(c) const void *out, void *in, c n, MPI_Datatype type, MPI_Op op

#define A_OUT           out, n_out, out_type
#define A_IN            in, n_in, in_type
#define A_OUTS          out, n_out, out_at, out_type
#define A_INS           in, n_in, in_at, in_type
#define A_OUTS_OF_TYPES out, n_out, out_at, out_types
#define A_INS_OF_TYPES  in, n_in, in_at, in_types
#define A_OUT_IN        out, in, n, type, op

/* Bytes to each receiver if all get the same count; in place, the count received. */
#define OUT_BYTES                                                                          \
 (out == MPI_IN_PLACE ? weft_mpi_bytes(n_in, in_type) : weft_mpi_bytes(n_out, out_type))
#define SENT_BYTES (out == MPI_IN_PLACE ? 0 : weft_mpi_bytes(n_out, out_type))

#define ROOTED(t, d, c)                                                                    \
 FORMS(Bcast, Ibcast, c, (void *buffer, t n, MPI_Datatype type, int root, MPI_Comm comm),  \
       (buffer, n, type, root, comm), is_root(root, comm) ? weft_mpi_bytes(n, type) : 0,   \
       ROOT)                                                                               \
 FORMS(Gather, Igather, c, (OUT(t), IN(t), int root, MPI_Comm comm),                       \
       (A_OUT, A_IN, root, comm),                                                          \
       root == MPI_ROOT || root == MPI_PROC_NULL ? 0 : OUT_BYTES, ROOT)                    \
 FORMS(Gatherv, Igatherv, c, (OUT(t), INS(t, d), int root, MPI_Comm comm),                 \
       (A_OUT, A_INS, root, comm),                                                         \
       root == MPI_ROOT || root == MPI_PROC_NULL ? 0 : SENT_BYTES, ROOT)                   \
 FORMS(Scatter, Iscatter, c, (OUT(t), IN(t), int root, MPI_Comm comm),                     \
       (A_OUT, A_IN, root, comm),                                                          \
       is_root(root, comm) ? weft_mpi_bytes(n_out, out_type) : 0, ROOT)                    \
 FORMS(Scatterv, Iscatterv, c, (OUTS(t, d), IN(t), int root, MPI_Comm comm),               \
       (A_OUTS, A_IN, root, comm),                                                         \
       is_root(root, comm) ? mean##c(n_out, size_of(comm), out_type) : 0, ROOT)            \
 FORMS(Reduce, Ireduce, c, (OUT_IN(t), int root, MPI_Comm comm), (A_OUT_IN, root, comm),   \
       root == MPI_ROOT || root == MPI_PROC_NULL ? 0 : weft_mpi_bytes(n, type), ROOT)

#define ROOTLESS(t, d, c)                                                                  \
 FORMS(Allgather, Iallgather, c, (OUT(t), IN(t), MPI_Comm comm), (A_OUT, A_IN, comm),      \
       OUT_BYTES, WEFT_MPI_NO_ROOT)                                                        \
 FORMS(Allgatherv, Iallgatherv, c, (OUT(t), INS(t, d), MPI_Comm comm),                     \
       (A_OUT, A_INS, comm),                                                               \
       out == MPI_IN_PLACE ? own_part##c(n_in, comm, in_type)                              \
                           : weft_mpi_bytes(n_out, out_type),                              \
       WEFT_MPI_NO_ROOT)                                                                   \
 FORMS(Alltoall, Ialltoall, c, (OUT(t), IN(t), MPI_Comm comm), (A_OUT, A_IN, comm),        \
       OUT_BYTES, WEFT_MPI_NO_ROOT)                                                        \
 FORMS(Alltoallv, Ialltoallv, c, (OUTS(t, d), INS(t, d), MPI_Comm comm),                   \
       (A_OUTS, A_INS, comm),                                                              \
       out == MPI_IN_PLACE ? mean##c(n_in, size_of(comm), in_type)                         \
                           : mean##c(n_out, size_of(comm), out_type),                      \
       WEFT_MPI_NO_ROOT)                                                                   \
 FORMS(Alltoallw, Ialltoallw, c, (OUTS_OF_TYPES(t, d), INS_OF_TYPES(t, d), MPI_Comm comm), \
       (A_OUTS_OF_TYPES, A_INS_OF_TYPES, comm),                                            \
       out == MPI_IN_PLACE ? mean_of_types##c(n_in, size_of(comm), in_types)               \
                           : mean_of_types##c(n_out, size_of(comm), out_types),            \
       WEFT_MPI_NO_ROOT)                                                                   \
 FORMS(Allreduce, Iallreduce, c, (OUT_IN(t), MPI_Comm comm), (A_OUT_IN, comm),             \
       weft_mpi_bytes(n, type), WEFT_MPI_NO_ROOT)                                          \
 FORMS(Reduce_scatter, Ireduce_scatter, c,                                                 \
       (const void *out, void *in, const t n[], MPI_Datatype type, MPI_Op op,              \
        MPI_Comm comm),                                                                    \
       (A_OUT_IN, comm), share##c(n, comm, type), WEFT_MPI_NO_ROOT)                        \
 FORMS(Reduce_scatter_block, Ireduce_scatter_block, c, (OUT_IN(t), MPI_Comm comm),         \
       (A_OUT_IN, comm), weft_mpi_bytes(n, type), WEFT_MPI_NO_ROOT)                        \
 FORMS(Scan, Iscan, c, (OUT_IN(t), MPI_Comm comm), (A_OUT_IN, comm),                       \
       weft_mpi_bytes(n, type), WEFT_MPI_NO_ROOT)                                          \
 FORMS(Exscan, Iexscan, c, (OUT_IN(t), MPI_Comm comm), (A_OUT_IN, comm),                   \
       weft_mpi_bytes(n, type), WEFT_MPI_NO_ROOT)

#define NEIGHBORLY(t, d, c)                                                                \
 FORMS(Neighbor_allgather, Ineighbor_allgather, c, (OUT(t), IN(t), MPI_Comm comm),         \
       (A_OUT, A_IN, comm), weft_mpi_bytes(n_out, out_type), WEFT_MPI_NO_ROOT)             \
 FORMS(Neighbor_allgatherv, Ineighbor_allgatherv, c, (OUT(t), INS(t, d), MPI_Comm comm),   \
       (A_OUT, A_INS, comm), weft_mpi_bytes(n_out, out_type), WEFT_MPI_NO_ROOT)            \
 FORMS(Neighbor_alltoall, Ineighbor_alltoall, c, (OUT(t), IN(t), MPI_Comm comm),           \
       (A_OUT, A_IN, comm), weft_mpi_bytes(n_out, out_type), WEFT_MPI_NO_ROOT)             \
 FORMS(Neighbor_alltoallv, Ineighbor_alltoallv, c, (OUTS(t, d), INS(t, d), MPI_Comm comm), \
       (A_OUTS, A_INS, comm), mean##c(n_out, neighbors_of(comm), out_type),                \
       WEFT_MPI_NO_ROOT)                                                                   \
 FORMS(Neighbor_alltoallw, Ineighbor_alltoallw, c,                                         \
       (OUTS_OF_TYPES(t, MPI_Aint), INS_OF_TYPES(t, MPI_Aint), MPI_Comm comm),             \
       (A_OUTS_OF_TYPES, A_INS_OF_TYPES, comm),                                            \
       mean_of_types##c(n_out, neighbors_of(comm), out_types), WEFT_MPI_NO_ROOT)

FORMS(Barrier, Ibarrier, , (MPI_Comm comm), (comm), 0, WEFT_MPI_NO_ROOT)
ROOTED(int, int, )
ROOTLESS(int, int, )
NEIGHBORLY(int, int, )
WEFT_MPI_PLAIN(Reduce_local,
               (const void *out, void *in, int n, MPI_Datatype type, MPI_Op op), (A_OUT_IN))

#if MPI_VERSION >= 4
MEAN(_c, MPI_Count)
ROOTED(MPI_Count, MPI_Aint, _c)
ROOTLESS(MPI_Count, MPI_Aint, _c)
NEIGHBORLY(MPI_Count, MPI_Aint, _c)
WEFT_MPI_PLAIN(Reduce_local_c,
               (const void *out, void *in, MPI_Count n, MPI_Datatype type, MPI_Op op),
               (A_OUT_IN))
#endif
