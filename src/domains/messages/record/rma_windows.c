/* SPDX-License-Identifier: Apache-2.0 */
/* One-sided communication: windows and transfers. */
#include "domains/messages/record/mpi_hook_macros.h"

/* A call that makes the window *made of COMM. */
#define MAKER(name, parameters, arguments)                                                 \
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
   WEFT_MPI_PUT(ticks, WEFT_RECORD_MPI_WINDOW, 0, WEFT_MPI_HANDLE(*made),                  \
                WEFT_MPI_HANDLE(comm));                                                    \
  return weft_mpi_return(ticks, result);                                                   \
 }

MAKER(Win_create,
      (void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *made),
      (base, size, unit, info, comm, made))
MAKER(Win_allocate,
      (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *made),
      (size, unit, info, comm, base, made))
MAKER(Win_allocate_shared,
      (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *made),
      (size, unit, info, comm, base, made))
MAKER(Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win *made), (info, comm, made))

WEFT_MPI_HOOK(Win_free, MPI_Win *window)
{
    uint64_t before;
    int result;
    WEFT_MPI_IN_CALL;

    before = WEFT_MPI_HANDLE(window ? *window : MPI_WIN_NULL);
    if (weft_mpi_is_nested(&in_call)) { /* a callback's, as in communicators.c */
        WEFT_MPI_PUT(weft_ticks(), WEFT_RECORD_MPI_WINDOW_GONE, 1, before);
        return WEFT_MPI_REAL(Win_free)(window);
    }
    /* The call completes all transfers of the window. */
    WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL_COMPLETE, Win_free, before, (uint32_t)WEFT_MPI_ANY);
    WEFT_MPI_PUT(weft_ticks(), WEFT_RECORD_MPI_WINDOW_GONE, 0, before);
    result = WEFT_MPI_REAL(Win_free)(window);
    return weft_mpi_return(weft_ticks(), result);
}

/* ---- Transfers ---- */

#define ENTER(name, bytes)                                                                 \
 do {                                                                                      \
  if (rank == MPI_PROC_NULL)                                                               \
   WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, name);                                             \
  else                                                                                     \
   WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL_TRANSFER, name, WEFT_MPI_HANDLE(window),            \
                  (uint32_t)rank, bytes);                                                  \
 } while (0)

static inline int began(int result, const MPI_Request *request)
{
    uint64_t ticks = weft_ticks();

    if (result == MPI_SUCCESS)
        WEFT_MPI_PUT(ticks, WEFT_RECORD_MPI_REQUEST, 0, WEFT_MPI_HANDLE(*request));
    return weft_mpi_return(ticks, result);
}

#define TRANSFER(name, parameters, arguments, bytes)                                       \
 WEFT_MPI_HOOK(name, WEFT_MPI_UNPACK parameters)                                           \
 {                                                                                         \
  int result;                                                                              \
  WEFT_MPI_IN_CALL;                                                                        \
  if (weft_mpi_is_nested(&in_call))                                                        \
   return WEFT_MPI_REAL(name)(WEFT_MPI_UNPACK arguments);                                  \
  ENTER(name, bytes);                                                                      \
  result = WEFT_MPI_REAL(name)(WEFT_MPI_UNPACK arguments);                                 \
  return weft_mpi_return(weft_ticks(), result);                                            \
 }
#define TRANSFER_REQUEST(name, parameters, arguments, bytes)                               \
 WEFT_MPI_HOOK(name, WEFT_MPI_UNPACK parameters, MPI_Request *request)                     \
 {                                                                                         \
  int result;                                                                              \
  WEFT_MPI_IN_CALL;                                                                        \
  if (weft_mpi_is_nested(&in_call))                                                        \
   return WEFT_MPI_REAL(name)(WEFT_MPI_UNPACK arguments, request);                         \
  ENTER(name, bytes);                                                                      \
  result = WEFT_MPI_REAL(name)(WEFT_MPI_UNPACK arguments, request);                        \
  return began(result, request);                                                           \
 }

/*
 * Parameters (P_) and arguments (A_); c: the type of counts.  Bytes are those of the
 * caller's buffer; of an exchange, those of its result.
 */
#define P_PUT(c)                                                                           \
 const void *own, c n, MPI_Datatype type, int rank, MPI_Aint at, c n_there,                \
     MPI_Datatype type_there, MPI_Win window
#define P_GET(c)                                                                           \
 void *own, c n, MPI_Datatype type, int rank, MPI_Aint at, c n_there,                      \
     MPI_Datatype type_there, MPI_Win window
#define A_PUT own, n, type, rank, at, n_there, type_there, window
#define P_ACCUMULATE(c)                                                                    \
 const void *own, c n, MPI_Datatype type, int rank, MPI_Aint at, c n_there,                \
     MPI_Datatype type_there, MPI_Op op, MPI_Win window
#define A_ACCUMULATE own, n, type, rank, at, n_there, type_there, op, window
#define P_EXCHANGE(c)                                                                      \
 const void *own, c n, MPI_Datatype type, void *result_at, c n_result,                     \
     MPI_Datatype result_type, int rank, MPI_Aint at, c n_there, MPI_Datatype type_there,  \
     MPI_Op op, MPI_Win window
#define A_EXCHANGE                                                                         \
 own, n, type, result_at, n_result, result_type, rank, at, n_there, type_there, op, window

#define ALL(t, c)                                                                          \
 TRANSFER(Put##c, (P_PUT(t)), (A_PUT), weft_mpi_bytes(n, type))                            \
 TRANSFER(Get##c, (P_GET(t)), (A_PUT), weft_mpi_bytes(n, type))                            \
 TRANSFER(Accumulate##c, (P_ACCUMULATE(t)), (A_ACCUMULATE), weft_mpi_bytes(n, type))       \
 TRANSFER(Get_accumulate##c, (P_EXCHANGE(t)), (A_EXCHANGE),                                \
          weft_mpi_bytes(n_result, result_type))                                           \
 TRANSFER_REQUEST(Rput##c, (P_PUT(t)), (A_PUT), weft_mpi_bytes(n, type))                   \
 TRANSFER_REQUEST(Rget##c, (P_GET(t)), (A_PUT), weft_mpi_bytes(n, type))                   \
 TRANSFER_REQUEST(Raccumulate##c, (P_ACCUMULATE(t)), (A_ACCUMULATE),                       \
                  weft_mpi_bytes(n, type))                                                 \
 TRANSFER_REQUEST(Rget_accumulate##c, (P_EXCHANGE(t)), (A_EXCHANGE),                       \
                  weft_mpi_bytes(n_result, result_type))

ALL(int, )
TRANSFER(Fetch_and_op,
         (const void *own, void *result_at, MPI_Datatype type, int rank, MPI_Aint at,
          MPI_Op op, MPI_Win window),
         (own, result_at, type, rank, at, op, window), weft_mpi_bytes(1, type))
TRANSFER(Compare_and_swap,
         (const void *own, const void *compared, void *result_at, MPI_Datatype type,
          int rank, MPI_Aint at, MPI_Win window),
         (own, compared, result_at, type, rank, at, window), weft_mpi_bytes(1, type))

#if MPI_VERSION >= 4
ALL(MPI_Count, _c)
MAKER(Win_create_c,
      (void *base, MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm,
       MPI_Win *made),
      (base, size, unit, info, comm, made))
MAKER(Win_allocate_c,
      (MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, void *base,
       MPI_Win *made),
      (size, unit, info, comm, base, made))
MAKER(Win_allocate_shared_c,
      (MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, void *base,
       MPI_Win *made),
      (size, unit, info, comm, base, made))
#endif

/* ---- When transfers are complete ---- */

#define COMPLETE(name, parameters, arguments, whose)                                       \
 WEFT_MPI_HOOK(name, WEFT_MPI_UNPACK parameters)                                           \
 {                                                                                         \
  int result;                                                                              \
  WEFT_MPI_IN_CALL;                                                                        \
  if (weft_mpi_is_nested(&in_call))                                                        \
   return WEFT_MPI_REAL(name) arguments;                                                   \
  WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL_COMPLETE, name, WEFT_MPI_HANDLE(window),             \
                 (uint32_t)(whose));                                                       \
  result = WEFT_MPI_REAL(name) arguments;                                                  \
  return weft_mpi_return(weft_ticks(), result);                                            \
 }
COMPLETE(Win_fence, (int assertion, MPI_Win window), (assertion, window), WEFT_MPI_ANY)
COMPLETE(Win_complete, (MPI_Win window), (window), WEFT_MPI_ANY)
COMPLETE(Win_unlock, (int rank, MPI_Win window), (rank, window), rank)
COMPLETE(Win_unlock_all, (MPI_Win window), (window), WEFT_MPI_ANY)
COMPLETE(Win_flush, (int rank, MPI_Win window), (rank, window), rank)
COMPLETE(Win_flush_all, (MPI_Win window), (window), WEFT_MPI_ANY)

/*
 * These complete no transfer at the target: they open access, or wait for others, or say
 * only that the caller's memory may be reused.
 */
WEFT_MPI_PLAIN(Win_flush_local, (int rank, MPI_Win window), (rank, window))
WEFT_MPI_PLAIN(Win_flush_local_all, (MPI_Win window), (window))
WEFT_MPI_PLAIN(Win_start, (MPI_Group group, int assertion, MPI_Win window),
               (group, assertion, window))
WEFT_MPI_PLAIN(Win_post, (MPI_Group group, int assertion, MPI_Win window),
               (group, assertion, window))
WEFT_MPI_PLAIN(Win_wait, (MPI_Win window), (window))
WEFT_MPI_PLAIN(Win_test, (MPI_Win window, int *flag), (window, flag))
WEFT_MPI_PLAIN(Win_lock, (int type, int rank, int assertion, MPI_Win window),
               (type, rank, assertion, window))
WEFT_MPI_PLAIN(Win_lock_all, (int assertion, MPI_Win window), (assertion, window))
WEFT_MPI_PLAIN(Win_sync, (MPI_Win window), (window))
