/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A second opinion on how many messages a program of MPI sends, and how many bytes: a library
 * to preload, whose functions count and call PMPI.  At the end each rank writes a line
 * "messages bytes" into the file COUNTING_FILE.RANK.  It knows the calls that tests make.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long long messages, bytes;

static void count(long long n, MPI_Datatype type, int to)
{
    int size = 0;

    if (to == MPI_PROC_NULL)
        return;
    PMPI_Type_size(type, &size);
    __atomic_fetch_add(&messages, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&bytes, (unsigned long long)n * (unsigned long long)size,
                       __ATOMIC_RELAXED);
}

#define SEND(name)                                                                         \
 int MPI_##name(const void *buffer, int n, MPI_Datatype type, int to, int tag,             \
                MPI_Comm comm)                                                             \
 {                                                                                         \
  count(n, type, to);                                                                      \
  return PMPI_##name(buffer, n, type, to, tag, comm);                                      \
 }
SEND(Send)
SEND(Bsend)
SEND(Ssend)
SEND(Rsend)

#define ISEND(name)                                                                        \
 int MPI_##name(const void *buffer, int n, MPI_Datatype type, int to, int tag,             \
                MPI_Comm comm, MPI_Request *request)                                       \
 {                                                                                         \
  count(n, type, to);                                                                      \
  return PMPI_##name(buffer, n, type, to, tag, comm, request);                             \
 }
ISEND(Isend)
ISEND(Ibsend)
ISEND(Issend)
ISEND(Irsend)

/* Persistent sends: what each start sends. */
enum { MAX_PERSISTENT = 1024 };
static struct {
    MPI_Request request;
    long long n;
    MPI_Datatype type;
    int to;
} persistent[MAX_PERSISTENT];
static int n_persistent;

#define INIT(name)                                                                         \
 int MPI_##name(const void *buffer, int n, MPI_Datatype type, int to, int tag,             \
                MPI_Comm comm, MPI_Request *request)                                       \
 {                                                                                         \
  int result = PMPI_##name(buffer, n, type, to, tag, comm, request);                       \
  for (int i = 0; i <= n_persistent && i < MAX_PERSISTENT; i++)                            \
   if (i == n_persistent || persistent[i].request == *request) {                           \
    persistent[i].request = *request;                                                      \
    persistent[i].n = n;                                                                   \
    persistent[i].type = type;                                                             \
    persistent[i].to = to;                                                                 \
    n_persistent += i == n_persistent;                                                     \
    break;                                                                                 \
   }                                                                                       \
  return result;                                                                           \
 }
INIT(Send_init)
INIT(Bsend_init)
INIT(Ssend_init)
INIT(Rsend_init)

static void started(MPI_Request request)
{
    for (int i = 0; i < n_persistent; i++)
        if (persistent[i].request == request)
            count(persistent[i].n, persistent[i].type, persistent[i].to);
}

int MPI_Start(MPI_Request *request)
{
    started(*request);
    return PMPI_Start(request);
}

int MPI_Startall(int n, MPI_Request requests[])
{
    for (int i = 0; i < n; i++)
        started(requests[i]);
    return PMPI_Startall(n, requests);
}

int MPI_Request_free(MPI_Request *request)
{
    for (int i = 0; i < n_persistent; i++)
        if (persistent[i].request == *request)
            persistent[i].request = MPI_REQUEST_NULL;
    return PMPI_Request_free(request);
}

int MPI_Sendrecv(const void *out, int n_out, MPI_Datatype out_type, int to, int out_tag,
                 void *in, int n_in, MPI_Datatype in_type, int from, int in_tag,
                 MPI_Comm comm, MPI_Status *status)
{
    count(n_out, out_type, to);
    return PMPI_Sendrecv(out, n_out, out_type, to, out_tag, in, n_in, in_type, from, in_tag,
                         comm, status);
}

int MPI_Sendrecv_replace(void *buffer, int n, MPI_Datatype type, int to, int out_tag,
                         int from, int in_tag, MPI_Comm comm, MPI_Status *status)
{
    count(n, type, to);
    return PMPI_Sendrecv_replace(buffer, n, type, to, out_tag, from, in_tag, comm, status);
}

#if MPI_VERSION >= 4
int MPI_Psend_init(const void *buffer, int parts, MPI_Count n, MPI_Datatype type, int to,
                   int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    int result = PMPI_Psend_init(buffer, parts, n, type, to, tag, comm, info, request);

    persistent[n_persistent].request = *request;
    persistent[n_persistent].n = parts * n;
    persistent[n_persistent].type = type;
    persistent[n_persistent++].to = to;
    return result;
}

int MPI_Isendrecv(const void *out, int n_out, MPI_Datatype out_type, int to, int out_tag,
                  void *in, int n_in, MPI_Datatype in_type, int from, int in_tag,
                  MPI_Comm comm, MPI_Request *request)
{
    count(n_out, out_type, to);
    return PMPI_Isendrecv(out, n_out, out_type, to, out_tag, in, n_in, in_type, from,
                          in_tag, comm, request);
}
#endif

int MPI_Finalize(void)
{
    const char *name = getenv("COUNTING_FILE");
    char path[4096];
    FILE *out;
    int rank;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(path, sizeof path, "%s.%d", name ? name : "counting", rank);
    out = fopen(path, "w");
    if (out) {
        fprintf(out, "%llu %llu\n", messages, bytes);
        fclose(out);
    }
    return PMPI_Finalize();
}
