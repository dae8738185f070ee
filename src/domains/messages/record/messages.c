/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that send and receive. */
#include "domains/messages/record/mpi_hook_macros.h"

#define SENT(count, type, to, tag, comm)                                                   \
 weft_mpi_peer_and_tag(to, tag), WEFT_MPI_HANDLE(comm),                                    \
     (to) == MPI_PROC_NULL ? 0 : weft_mpi_bytes(count, type)

/* MPI_PROC_NULL: record the call, no message. */
#define SEND(name, count_type)                                                             \
 WEFT_MPI_HOOK(name, const void *buffer, count_type count, MPI_Datatype type, int to,      \
               int tag, MPI_Comm comm)                                                     \
 {                                                                                         \
  int result;                                                                              \
  WEFT_MPI_IN_CALL;                                                                        \
  if (weft_mpi_is_nested(&in_call))                                                        \
   return WEFT_MPI_REAL(name)(buffer, count, type, to, tag, comm);                         \
  if (to == MPI_PROC_NULL)                                                                 \
   WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, name);                                             \
  else                                                                                     \
   WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL_SEND, name, SENT(count, type, to, tag, comm));      \
  result = WEFT_MPI_REAL(name)(buffer, count, type, to, tag, comm);                        \
  return weft_mpi_return(weft_ticks(), result);                                            \
 }

/* The call returns; record the request that it made. */
static inline int began(int result, const MPI_Request *request)
{
    uint64_t ticks = weft_ticks();

    if (result == MPI_SUCCESS)
        WEFT_MPI_PUT(ticks, WEFT_RECORD_MPI_REQUEST, 0, WEFT_MPI_HANDLE(*request));
    return weft_mpi_return(ticks, result);
}

#define SEND_REQUEST(name, count_type)                                                     \
 WEFT_MPI_HOOK(name, const void *buffer, count_type count, MPI_Datatype type, int to,      \
               int tag, MPI_Comm comm, MPI_Request *request)                               \
 {                                                                                         \
  int result;                                                                              \
  WEFT_MPI_IN_CALL;                                                                        \
  if (weft_mpi_is_nested(&in_call))                                                        \
   return WEFT_MPI_REAL(name)(buffer, count, type, to, tag, comm, request);                \
  if (to == MPI_PROC_NULL)                                                                 \
   WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, name);                                             \
  else                                                                                     \
   WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL_SEND, name, SENT(count, type, to, tag, comm));      \
  result = WEFT_MPI_REAL(name)(buffer, count, type, to, tag, comm, request);               \
  return began(result, request);                                                           \
 }

/* A receive returns, with a message if it succeeded or was truncated. */
static inline int received(int result, const MPI_Status *status)
{
    uint64_t ticks = weft_ticks();
    struct weft_mpi_received what;

    if (!weft_mpi_has_received(result))
        return weft_mpi_return(ticks, result);
    what = weft_mpi_received(status);
    WEFT_MPI_PUT(ticks, WEFT_RECORD_MPI_RETURN_RECEIVED, what.cancelled, what.peer_and_tag,
                 what.bytes);
    weft_mpi_inside = 0;
    return result;
}

#define RECEIVE(name, count_type)                                                          \
 WEFT_MPI_HOOK(name, void *buffer, count_type count, MPI_Datatype type, int from, int tag, \
               MPI_Comm comm, MPI_Status *status)                                          \
 {                                                                                         \
  MPI_Status own;                                                                          \
  int result;                                                                              \
  WEFT_MPI_IN_CALL;                                                                        \
  if (weft_mpi_is_nested(&in_call))                                                        \
   return WEFT_MPI_REAL(name)(buffer, count, type, from, tag, comm, status);               \
  if (status == MPI_STATUS_IGNORE)                                                         \
   status = &own;                                                                          \
  if (from == MPI_PROC_NULL)                                                               \
   WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, name);                                             \
  else                                                                                     \
   WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL_RECEIVE, name, weft_mpi_pattern(from, tag),         \
                  WEFT_MPI_HANDLE(comm));                                                  \
  result = WEFT_MPI_REAL(name)(buffer, count, type, from, tag, comm, status);              \
  if (from == MPI_PROC_NULL)                                                               \
   return weft_mpi_return(weft_ticks(), result);                                           \
  return received(result, status);                                                         \
 }

#define RECEIVE_REQUEST(name, count_type)                                                  \
 WEFT_MPI_HOOK(name, void *buffer, count_type count, MPI_Datatype type, int from, int tag, \
               MPI_Comm comm, MPI_Request *request)                                        \
 {                                                                                         \
  int result;                                                                              \
  WEFT_MPI_IN_CALL;                                                                        \
  if (weft_mpi_is_nested(&in_call))                                                        \
   return WEFT_MPI_REAL(name)(buffer, count, type, from, tag, comm, request);              \
  if (from == MPI_PROC_NULL)                                                               \
   WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, name);                                             \
  else                                                                                     \
   WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL_RECEIVE, name, weft_mpi_pattern(from, tag),         \
                  WEFT_MPI_HANDLE(comm));                                                  \
  result = WEFT_MPI_REAL(name)(buffer, count, type, from, tag, comm, request);             \
  return began(result, request);                                                           \
 }

/* The operations of a call that sends and receives, after its first record. */
static inline void note_send(MPI_Count count, MPI_Datatype type, int to, int tag,
                             MPI_Comm comm)
{
    if (to != MPI_PROC_NULL)
        WEFT_MPI_PUT(weft_ticks(), WEFT_RECORD_MPI_SEND, 0,
                     SENT(count, type, to, tag, comm));
}

static inline void note_receive(int from, int tag, MPI_Comm comm)
{
    if (from != MPI_PROC_NULL)
        WEFT_MPI_PUT(weft_ticks(), WEFT_RECORD_MPI_RECEIVE, 0, weft_mpi_pattern(from, tag),
                     WEFT_MPI_HANDLE(comm));
}

#define SENDRECV(name, count_type)                                                         \
 WEFT_MPI_HOOK(name, const void *out, count_type n_out, MPI_Datatype out_type, int to,     \
               int out_tag, void *in, count_type n_in, MPI_Datatype in_type, int from,     \
               int in_tag, MPI_Comm comm, MPI_Status *status)                              \
 {                                                                                         \
  MPI_Status own;                                                                          \
  int result;                                                                              \
  WEFT_MPI_IN_CALL;                                                                        \
  if (weft_mpi_is_nested(&in_call))                                                        \
   return WEFT_MPI_REAL(name)(out, n_out, out_type, to, out_tag, in, n_in, in_type, from,  \
                              in_tag, comm, status);                                       \
  if (status == MPI_STATUS_IGNORE)                                                         \
   status = &own;                                                                          \
  WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, name);                                              \
  note_send(n_out, out_type, to, out_tag, comm);                                           \
  note_receive(from, in_tag, comm);                                                        \
  result = WEFT_MPI_REAL(name)(out, n_out, out_type, to, out_tag, in, n_in, in_type, from, \
                               in_tag, comm, status);                                      \
  if (from == MPI_PROC_NULL)                                                               \
   return weft_mpi_return(weft_ticks(), result);                                           \
  return received(result, status);                                                         \
 }

#define SENDRECV_REPLACE(name, count_type)                                                 \
 WEFT_MPI_HOOK(name, void *buffer, count_type count, MPI_Datatype type, int to,            \
               int out_tag, int from, int in_tag, MPI_Comm comm, MPI_Status *status)       \
 {                                                                                         \
  MPI_Status own;                                                                          \
  int result;                                                                              \
  WEFT_MPI_IN_CALL;                                                                        \
  if (weft_mpi_is_nested(&in_call))                                                        \
   return WEFT_MPI_REAL(name)(buffer, count, type, to, out_tag, from, in_tag, comm,        \
                              status);                                                     \
  if (status == MPI_STATUS_IGNORE)                                                         \
   status = &own;                                                                          \
  WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, name);                                              \
  note_send(count, type, to, out_tag, comm);                                               \
  note_receive(from, in_tag, comm);                                                        \
  result =                                                                                 \
      WEFT_MPI_REAL(name)(buffer, count, type, to, out_tag, from, in_tag, comm, status);   \
  if (from == MPI_PROC_NULL)                                                               \
   return weft_mpi_return(weft_ticks(), result);                                           \
  return received(result, status);                                                         \
 }

/* A probe that matches a message returns.  A plain probe leaves the message: no record. */
static inline int matched(uint64_t ticks, int result, const MPI_Message *message,
                          const MPI_Status *status, MPI_Comm comm)
{
    if (result == MPI_SUCCESS && *message != MPI_MESSAGE_NO_PROC)
        WEFT_MPI_PUT(ticks, WEFT_RECORD_MPI_MATCHED, 0, WEFT_MPI_HANDLE(*message),
                     weft_mpi_peer_and_tag(status->MPI_SOURCE, status->MPI_TAG),
                     WEFT_MPI_HANDLE(comm));
    return weft_mpi_return(ticks, result);
}

WEFT_MPI_PLAIN(Probe, (int from, int tag, MPI_Comm comm, MPI_Status *status),
               (from, tag, comm, status))
WEFT_MPI_PLAIN(Iprobe, (int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status),
               (from, tag, comm, flag, status))

WEFT_MPI_HOOK(Mprobe, int from, int tag, MPI_Comm comm, MPI_Message *message,
              MPI_Status *status)
{
    MPI_Status own;
    int result;
    WEFT_MPI_IN_CALL;

    if (weft_mpi_is_nested(&in_call))
        return WEFT_MPI_REAL(Mprobe)(from, tag, comm, message, status);
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, Mprobe);
    result = WEFT_MPI_REAL(Mprobe)(from, tag, comm, message, status);
    return matched(weft_ticks(), result, message, status, comm);
}

WEFT_MPI_HOOK(Improbe, int from, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
              MPI_Status *status)
{
    MPI_Status own;
    int result;
    WEFT_MPI_IN_CALL;

    if (weft_mpi_is_nested(&in_call))
        return WEFT_MPI_REAL(Improbe)(from, tag, comm, flag, message, status);
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, Improbe);
    result = WEFT_MPI_REAL(Improbe)(from, tag, comm, flag, message, status);
    if (result == MPI_SUCCESS && !*flag)
        return weft_mpi_return(weft_ticks(), result);
    return matched(weft_ticks(), result, message, status, comm);
}

/* MPI refuses a call with NULL. */
static inline MPI_Message message_at(const MPI_Message *message)
{
    return message ? *message : MPI_MESSAGE_NULL;
}

/* Record the matched message that a call receives, unless it is from MPI_PROC_NULL. */
static inline void record_matched(MPI_Message message)
{
    if (message != MPI_MESSAGE_NO_PROC)
        WEFT_MPI_PUT(weft_ticks(), WEFT_RECORD_MPI_TAKE, 0, WEFT_MPI_HANDLE(message));
}

#define MRECV(name, count_type)                                                            \
 WEFT_MPI_HOOK(name, void *buffer, count_type count, MPI_Datatype type,                    \
               MPI_Message *message, MPI_Status *status)                                   \
 {                                                                                         \
  MPI_Status own;                                                                          \
  bool nobody;                                                                             \
  int result;                                                                              \
  WEFT_MPI_IN_CALL;                                                                        \
  if (weft_mpi_is_nested(&in_call))                                                        \
   return WEFT_MPI_REAL(name)(buffer, count, type, message, status);                       \
  if (status == MPI_STATUS_IGNORE)                                                         \
   status = &own;                                                                          \
  nobody = message_at(message) == MPI_MESSAGE_NO_PROC;                                     \
  WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, name);                                              \
  record_matched(message_at(message));                                                     \
  result = WEFT_MPI_REAL(name)(buffer, count, type, message, status);                      \
  if (nobody)                                                                              \
   return weft_mpi_return(weft_ticks(), result);                                           \
  return received(result, status);                                                         \
 }

#define IMRECV(name, count_type)                                                           \
 WEFT_MPI_HOOK(name, void *buffer, count_type count, MPI_Datatype type,                    \
               MPI_Message *message, MPI_Request *request)                                 \
 {                                                                                         \
  int result;                                                                              \
  WEFT_MPI_IN_CALL;                                                                        \
  if (weft_mpi_is_nested(&in_call))                                                        \
   return WEFT_MPI_REAL(name)(buffer, count, type, message, request);                      \
  WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, name);                                              \
  record_matched(message_at(message));                                                     \
  result = WEFT_MPI_REAL(name)(buffer, count, type, message, request);                     \
  return began(result, request);                                                           \
 }

#define ALL(count_type, c)                                                                 \
 SEND(Send##c, count_type)                                                                 \
 SEND(Bsend##c, count_type)                                                                \
 SEND(Ssend##c, count_type)                                                                \
 SEND(Rsend##c, count_type)                                                                \
 SEND_REQUEST(Isend##c, count_type)                                                        \
 SEND_REQUEST(Ibsend##c, count_type)                                                       \
 SEND_REQUEST(Issend##c, count_type)                                                       \
 SEND_REQUEST(Irsend##c, count_type)                                                       \
 SEND_REQUEST(Send_init##c, count_type)                                                    \
 SEND_REQUEST(Bsend_init##c, count_type)                                                   \
 SEND_REQUEST(Ssend_init##c, count_type)                                                   \
 SEND_REQUEST(Rsend_init##c, count_type)                                                   \
 RECEIVE(Recv##c, count_type)                                                              \
 RECEIVE_REQUEST(Irecv##c, count_type)                                                     \
 RECEIVE_REQUEST(Recv_init##c, count_type)                                                 \
 SENDRECV(Sendrecv##c, count_type)                                                         \
 SENDRECV_REPLACE(Sendrecv_replace##c, count_type)                                         \
 MRECV(Mrecv##c, count_type)                                                               \
 IMRECV(Imrecv##c, count_type)

ALL(int, )

#if MPI_VERSION >= 4
ALL(MPI_Count, _c)

# define ISENDRECV(name, count_type)                                                       \
  WEFT_MPI_HOOK(name, const void *out, count_type n_out, MPI_Datatype out_type, int to,    \
                int out_tag, void *in, count_type n_in, MPI_Datatype in_type, int from,    \
                int in_tag, MPI_Comm comm, MPI_Request *request)                           \
  {                                                                                        \
   int result;                                                                             \
   WEFT_MPI_IN_CALL;                                                                       \
   if (weft_mpi_is_nested(&in_call))                                                       \
    return WEFT_MPI_REAL(name)(out, n_out, out_type, to, out_tag, in, n_in, in_type, from, \
                               in_tag, comm, request);                                     \
   WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, name);                                             \
   note_send(n_out, out_type, to, out_tag, comm);                                          \
   note_receive(from, in_tag, comm);                                                       \
   result = WEFT_MPI_REAL(name)(out, n_out, out_type, to, out_tag, in, n_in, in_type,      \
                                from, in_tag, comm, request);                              \
   return began(result, request);                                                          \
  }
ISENDRECV(Isendrecv, int)
ISENDRECV(Isendrecv_c, MPI_Count)

# define ISENDRECV_REPLACE(name, count_type)                                               \
  WEFT_MPI_HOOK(name, void *buffer, count_type count, MPI_Datatype type, int to,           \
                int out_tag, int from, int in_tag, MPI_Comm comm, MPI_Request *request)    \
  {                                                                                        \
   int result;                                                                             \
   WEFT_MPI_IN_CALL;                                                                       \
   if (weft_mpi_is_nested(&in_call))                                                       \
    return WEFT_MPI_REAL(name)(buffer, count, type, to, out_tag, from, in_tag, comm,       \
                               request);                                                   \
   WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, name);                                             \
   note_send(count, type, to, out_tag, comm);                                              \
   note_receive(from, in_tag, comm);                                                       \
   result =                                                                                \
       WEFT_MPI_REAL(name)(buffer, count, type, to, out_tag, from, in_tag, comm, request); \
   return began(result, request);                                                          \
  }
ISENDRECV_REPLACE(Isendrecv_replace, int)
ISENDRECV_REPLACE(Isendrecv_replace_c, MPI_Count)

/* Partitioned communication: each start begins one message, of all parts. */
WEFT_MPI_HOOK(Psend_init, const void *buffer, int parts, MPI_Count count, MPI_Datatype type,
              int to, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    int result;
    WEFT_MPI_IN_CALL;

    if (weft_mpi_is_nested(&in_call))
        return WEFT_MPI_REAL(Psend_init)(buffer, parts, count, type, to, tag, comm, info,
                                         request);
    if (to == MPI_PROC_NULL)
        WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, Psend_init);
    else
        WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL_SEND, Psend_init,
                       SENT(parts * count, type, to, tag, comm));
    result =
        WEFT_MPI_REAL(Psend_init)(buffer, parts, count, type, to, tag, comm, info, request);
    return began(result, request);
}

WEFT_MPI_HOOK(Precv_init, void *buffer, int parts, MPI_Count count, MPI_Datatype type,
              int from, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    int result;
    WEFT_MPI_IN_CALL;

    if (weft_mpi_is_nested(&in_call))
        return WEFT_MPI_REAL(Precv_init)(buffer, parts, count, type, from, tag, comm, info,
                                         request);
    if (from == MPI_PROC_NULL)
        WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, Precv_init);
    else
        WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL_RECEIVE, Precv_init,
                       weft_mpi_pattern(from, tag), WEFT_MPI_HANDLE(comm));
    result = WEFT_MPI_REAL(Precv_init)(buffer, parts, count, type, from, tag, comm, info,
                                       request);
    return began(result, request);
}

WEFT_MPI_PLAIN(Pready, (int part, MPI_Request request), (part, request))
WEFT_MPI_PLAIN(Pready_range, (int low, int high, MPI_Request request), (low, high, request))
# ifdef MPICH_VERSION /* MPICH 4.0 lacks the standard's const */
WEFT_MPI_PLAIN(Pready_list, (int n, int parts[], MPI_Request request), (n, parts, request))
# else
WEFT_MPI_PLAIN(Pready_list, (int n, const int parts[], MPI_Request request),
               (n, parts, request))
# endif
WEFT_MPI_PLAIN(Parrived, (MPI_Request request, int part, int *flag), (request, part, flag))
#endif

WEFT_MPI_PLAIN(Buffer_attach, (void *buffer, int size), (buffer, size))
WEFT_MPI_PLAIN(Buffer_detach, (void *buffer, int *size), (buffer, size))

/* Packing; COUNT and SIZE are types. */
#define PACKING(suffix, count, size)                                                       \
 WEFT_MPI_PLAIN(Pack##suffix,                                                              \
                (const void *in, count n, MPI_Datatype type, void *out, count room,        \
                 count *at, MPI_Comm comm),                                                \
                (in, n, type, out, room, at, comm))                                        \
 WEFT_MPI_PLAIN(Unpack##suffix,                                                            \
                (const void *in, count room, count *at, void *out, count n,                \
                 MPI_Datatype type, MPI_Comm comm),                                        \
                (in, room, at, out, n, type, comm))                                        \
 WEFT_MPI_PLAIN(Pack_external##suffix,                                                     \
                (const char name[], const void *in, count n, MPI_Datatype type, void *out, \
                 size room, size *at),                                                     \
                (name, in, n, type, out, room, at))                                        \
 WEFT_MPI_PLAIN(Unpack_external##suffix,                                                   \
                (const char name[], const void *in, size room, size *at, void *out,        \
                 count n, MPI_Datatype type),                                              \
                (name, in, room, at, out, n, type))
PACKING(, int, MPI_Aint)
#if MPI_VERSION >= 4
PACKING(_c, MPI_Count, MPI_Count)
#endif
