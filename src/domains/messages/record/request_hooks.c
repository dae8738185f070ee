/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits, tests, starts, and other calls on requests.  MPI may refuse a NULL pointer and let
 * the program go on, so such pointers are not read here, nor are the results of a call that
 * failed.
 *
 * A request is MPI_REQUEST_NULL once it is complete, so its handle is read before the
 * call.  The join knows its operation, and which parts of the status mean something.
 */
#include <stdlib.h>

#include "domains/messages/record/mpi_hook_macros.h"

static void note_complete(uint64_t ticks, uint64_t request, const MPI_Status *status)
{
    struct weft_mpi_received what = weft_mpi_received(status);

    WEFT_MPI_PUT(ticks, WEFT_RECORD_MPI_COMPLETED, what.cancelled, request,
                 what.peer_and_tag, what.bytes);
}

static MPI_Request handle_at(const MPI_Request *request)
{
    return request ? *request : MPI_REQUEST_NULL;
}

/* ---- One request ---- */

WEFT_MPI_HOOK(Wait, MPI_Request *request, MPI_Status *status)
{
    MPI_Request before;
    MPI_Status own;
    uint64_t ticks;
    int result;
    WEFT_MPI_IN_CALL;

    if (weft_mpi_is_nested(&in_call))
        return WEFT_MPI_REAL(Wait)(request, status);
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    before = handle_at(request);
    WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL_WAIT, Wait,
                   before == MPI_REQUEST_NULL ? 0 : WEFT_MPI_HANDLE(before));
    result = WEFT_MPI_REAL(Wait)(request, status);
    ticks = weft_ticks();
    if (weft_mpi_has_received(result) && before != MPI_REQUEST_NULL)
        note_complete(ticks, WEFT_MPI_HANDLE(before), status);
    return weft_mpi_return(ticks, result);
}

WEFT_MPI_HOOK(Test, MPI_Request *request, int *flag, MPI_Status *status)
{
    MPI_Request before;
    MPI_Status own;
    uint64_t ticks;
    int result;
    WEFT_MPI_IN_CALL;

    if (weft_mpi_is_nested(&in_call))
        return WEFT_MPI_REAL(Test)(request, flag, status);
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    before = handle_at(request);
    WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, Test);
    result = WEFT_MPI_REAL(Test)(request, flag, status);
    ticks = weft_ticks();
    if (weft_mpi_has_received(result) && *flag && before != MPI_REQUEST_NULL)
        note_complete(ticks, WEFT_MPI_HANDLE(before), status);
    return weft_mpi_return(ticks, result);
}

/* ---- Several ---- */

/*
 * The handles of N requests before a call, and statuses for it if the program wants none.
 * They are on the hook's stack unless N is greater than NEAR_MAX; without memory for more
 * the call is recorded, but not which requests it completes.
 */
struct several {
    MPI_Request *before;
    MPI_Status *statuses; /* the hook's, or the program's */
    void *memory;         /* to be freed, or NULL */
    int n;                /* 0: no memory, or no list of requests */
};

enum { NEAR_MAX = 64 };

struct few {
    MPI_Request before[NEAR_MAX];
    MPI_Status statuses[NEAR_MAX];
};

static struct several keep(int n, const MPI_Request *requests, MPI_Status *statuses,
                           bool ignored, struct few *few)
{
    struct several several = { few->before, ignored ? few->statuses : statuses, NULL,
                               requests ? n : 0 };

    if (several.n > NEAR_MAX) {
        size_t size = sizeof *several.statuses + sizeof *several.before;
        several.memory = calloc((size_t)n, size);
        several.statuses = ignored ? several.memory : statuses;
        if (several.memory) {
            several.before = (MPI_Request *)((MPI_Status *)several.memory + n);
        } else {
            several.n = 0;
            several.statuses = statuses;
        }
    }
    for (int i = 0; i < several.n; i++)
        several.before[i] = requests[i];
    return several;
}

static int all_complete(struct several *several, bool complete, int result)
{
    uint64_t ticks = weft_ticks();

    for (int i = 0; complete && i < several->n; i++)
        if (several->before[i] != MPI_REQUEST_NULL
            && (result == MPI_SUCCESS
                || weft_mpi_has_received(several->statuses[i].MPI_ERROR)))
            note_complete(ticks, WEFT_MPI_HANDLE(several->before[i]),
                          &several->statuses[i]);
    free(several->memory);
    return weft_mpi_return(ticks, result);
}

/* Returns true if each status tells whether its request failed; others have completed. */
static bool some_failed(int result)
{
    return result == MPI_ERR_IN_STATUS;
}

WEFT_MPI_HOOK(Waitall, int n, MPI_Request requests[], MPI_Status statuses[])
{
    struct several several;
    struct few few;
    int result;
    WEFT_MPI_IN_CALL;

    if (weft_mpi_is_nested(&in_call))
        return WEFT_MPI_REAL(Waitall)(n, requests, statuses);
    several = keep(n, requests, statuses, statuses == MPI_STATUSES_IGNORE, &few);
    WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, Waitall);
    result = WEFT_MPI_REAL(Waitall)(n, requests, several.statuses);
    return all_complete(&several, result == MPI_SUCCESS || some_failed(result), result);
}

WEFT_MPI_HOOK(Testall, int n, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    struct several several;
    struct few few;
    int result;
    WEFT_MPI_IN_CALL;

    if (weft_mpi_is_nested(&in_call))
        return WEFT_MPI_REAL(Testall)(n, requests, flag, statuses);
    several = keep(n, requests, statuses, statuses == MPI_STATUSES_IGNORE, &few);
    WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, Testall);
    result = WEFT_MPI_REAL(Testall)(n, requests, flag, several.statuses);
    return all_complete(&several, (result == MPI_SUCCESS && *flag) || some_failed(result),
                        result);
}

/* INDEX is the request that completed, negative (as MPI_UNDEFINED is) if none did. */
static int one_complete(struct several *several, int index, const MPI_Status *status,
                        int result)
{
    uint64_t ticks = weft_ticks();

    if (index >= 0 && index < several->n && several->before[index] != MPI_REQUEST_NULL)
        note_complete(ticks, WEFT_MPI_HANDLE(several->before[index]), status);
    free(several->memory);
    return weft_mpi_return(ticks, result);
}

WEFT_MPI_HOOK(Waitany, int n, MPI_Request requests[], int *index, MPI_Status *status)
{
    struct several several;
    struct few few;
    MPI_Status own;
    int result;
    WEFT_MPI_IN_CALL;

    if (weft_mpi_is_nested(&in_call))
        return WEFT_MPI_REAL(Waitany)(n, requests, index, status);
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    several = keep(n, requests, NULL, false, &few);
    WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, Waitany);
    result = WEFT_MPI_REAL(Waitany)(n, requests, index, status);
    return one_complete(&several, weft_mpi_has_received(result) ? *index : -1, status,
                        result);
}

WEFT_MPI_HOOK(Testany, int n, MPI_Request requests[], int *index, int *flag,
              MPI_Status *status)
{
    struct several several;
    struct few few;
    MPI_Status own;
    int result;
    WEFT_MPI_IN_CALL;

    if (weft_mpi_is_nested(&in_call))
        return WEFT_MPI_REAL(Testany)(n, requests, index, flag, status);
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    several = keep(n, requests, NULL, false, &few);
    WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, Testany);
    result = WEFT_MPI_REAL(Testany)(n, requests, index, flag, status);
    return one_complete(&several, weft_mpi_has_received(result) && *flag ? *index : -1,
                        status, result);
}

static int some_complete(struct several *several, const int *n_complete, const int *indices,
                         int result)
{
    uint64_t ticks = weft_ticks();
    bool known = result == MPI_SUCCESS || some_failed(result);
    int n = known && *n_complete != MPI_UNDEFINED ? *n_complete : 0;

    for (int i = 0; i < n; i++) {
        int index = indices[i];
        if (index >= 0 && index < several->n && several->before[index] != MPI_REQUEST_NULL
            && (result == MPI_SUCCESS
                || weft_mpi_has_received(several->statuses[i].MPI_ERROR)))
            note_complete(ticks, WEFT_MPI_HANDLE(several->before[index]),
                          &several->statuses[i]);
    }
    free(several->memory);
    return weft_mpi_return(ticks, result);
}

#define SOME(name)                                                                         \
 WEFT_MPI_HOOK(name, int n, MPI_Request requests[], int *n_complete, int indices[],        \
               MPI_Status statuses[])                                                      \
 {                                                                                         \
  struct several several;                                                                  \
  struct few few;                                                                          \
  int result;                                                                              \
  WEFT_MPI_IN_CALL;                                                                        \
  if (weft_mpi_is_nested(&in_call))                                                        \
   return WEFT_MPI_REAL(name)(n, requests, n_complete, indices, statuses);                 \
  several = keep(n, requests, statuses, statuses == MPI_STATUSES_IGNORE, &few);            \
  WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, name);                                              \
  result = WEFT_MPI_REAL(name)(n, requests, n_complete, indices, several.statuses);        \
  return some_complete(&several, n_complete, indices, result);                             \
 }
SOME(Waitsome)
SOME(Testsome)

/* ---- Starting, giving up ---- */

/* MPI refused to start a request: record its operation as cancelled. */
static void note_refused(uint64_t ticks, MPI_Request request)
{
    if (request != MPI_REQUEST_NULL)
        WEFT_MPI_PUT(ticks, WEFT_RECORD_MPI_COMPLETED, 1, WEFT_MPI_HANDLE(request), 0, 0);
}

WEFT_MPI_HOOK(Start, MPI_Request *request)
{
    uint64_t ticks;
    int result;
    WEFT_MPI_IN_CALL;

    if (weft_mpi_is_nested(&in_call))
        return WEFT_MPI_REAL(Start)(request);
    WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL_START, Start, WEFT_MPI_HANDLE(handle_at(request)));
    result = WEFT_MPI_REAL(Start)(request);
    ticks = weft_ticks();
    if (result != MPI_SUCCESS)
        note_refused(ticks, handle_at(request));
    return weft_mpi_return(ticks, result);
}

WEFT_MPI_HOOK(Startall, int n, MPI_Request requests[])
{
    uint64_t ticks;
    int result;
    WEFT_MPI_IN_CALL;

    if (weft_mpi_is_nested(&in_call))
        return WEFT_MPI_REAL(Startall)(n, requests);
    WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, Startall);
    ticks = weft_ticks();
    for (int i = 0; requests && i < n; i++)
        WEFT_MPI_PUT(ticks, WEFT_RECORD_MPI_STARTED, 0, WEFT_MPI_HANDLE(requests[i]));
    result = WEFT_MPI_REAL(Startall)(n, requests);
    ticks = weft_ticks();
    for (int i = 0; result != MPI_SUCCESS && requests && i < n; i++)
        note_refused(ticks, requests[i]);
    return weft_mpi_return(ticks, result);
}

WEFT_MPI_HOOK(Request_free, MPI_Request *request)
{
    MPI_Request before;
    uint64_t ticks;
    int result;
    WEFT_MPI_IN_CALL;

    if (weft_mpi_is_nested(&in_call))
        return WEFT_MPI_REAL(Request_free)(request);
    before = handle_at(request);
    WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, Request_free);
    result = WEFT_MPI_REAL(Request_free)(request);
    ticks = weft_ticks();
    if (result == MPI_SUCCESS)
        WEFT_MPI_PUT(ticks, WEFT_RECORD_MPI_FREED, 0, WEFT_MPI_HANDLE(before));
    return weft_mpi_return(ticks, result);
}

WEFT_MPI_HOOK(Cancel, MPI_Request *request)
{
    int result;
    WEFT_MPI_IN_CALL;

    if (weft_mpi_is_nested(&in_call))
        return WEFT_MPI_REAL(Cancel)(request);
    __atomic_store_n(&weft_mpi_cancels, true, __ATOMIC_RELAXED);
    WEFT_MPI_ENTER(WEFT_RECORD_MPI_CALL, Cancel);
    result = WEFT_MPI_REAL(Cancel)(request);
    return weft_mpi_return(weft_ticks(), result);
}

WEFT_MPI_PLAIN(Request_get_status, (MPI_Request request, int *flag, MPI_Status *status),
               (request, flag, status))
