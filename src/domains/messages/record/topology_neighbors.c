/* SPDX-License-Identifier: Apache-2.0 */
/* Records a rank's neighbours in a communicator with a topology. */
#include <stdlib.h>

#include "domains/messages/record/mpi_hook_macros.h"

enum { RANKS_OF_RECORD = 16, BEFORE_RANKS = 2 /* words */ };

struct neighbors {
    int *to, *from;
    int n_to, n_from;
};

/* Allocate both lists in one block, at to; false if there is no memory, or no neighbour. */
static bool make_room(struct neighbors *all, int n_to, int n_from)
{
    if (n_to < 0 || n_from < 0 || n_to + n_from == 0)
        return false;
    all->to = malloc(((size_t)n_to + (size_t)n_from) * sizeof *all->to);
    all->from = all->to + (all->to ? n_to : 0);
    return all->to != NULL;
}

/* In each dimension the lower neighbour, then the higher one. */
static void find_in_mesh(MPI_Comm comm, struct neighbors *all)
{
    int n = 0;

    if (weft_mpi.cartdim_get(comm, &n) != MPI_SUCCESS || !make_room(all, 2 * n, 2 * n))
        return;
    for (int d = 0; d < n; d++) {
        int low, high;
        if (weft_mpi.cart_shift(comm, d, 1, &low, &high) != MPI_SUCCESS)
            return;
        all->to[all->n_to++] = all->from[all->n_from++] = low;
        all->to[all->n_to++] = all->from[all->n_from++] = high;
    }
}

static void find_in_graph(MPI_Comm comm, struct neighbors *all)
{
    int rank, n = 0;

    if (weft_mpi.comm_rank(comm, &rank) != MPI_SUCCESS
        || weft_mpi.graph_neighbors_count(comm, rank, &n) != MPI_SUCCESS
        || !make_room(all, n, n)
        || weft_mpi.graph_neighbors(comm, rank, n, all->to) != MPI_SUCCESS)
        return;
    for (int i = 0; i < n; i++)
        all->from[i] = all->to[i];
    all->n_to = all->n_from = n;
}

static void find_in_distributed_graph(MPI_Comm comm, struct neighbors *all)
{
    int n_from = 0, n_to = 0, weighted = 0;
    int *weights;

    if (weft_mpi.dist_graph_neighbors_count(comm, &n_from, &n_to, &weighted) != MPI_SUCCESS
        || !make_room(all, n_to, n_from))
        return;
    /* Weights are fetched, since MPI_UNWEIGHTED is no constant in some libraries. */
    weights = calloc((size_t)n_to + (size_t)n_from, sizeof *weights);
    if (weights
        && weft_mpi.dist_graph_neighbors(comm, n_from, all->from, weights, n_to, all->to,
                                         weights + n_from)
               == MPI_SUCCESS) {
        all->n_to = n_to;
        all->n_from = n_from;
    }
    free(weights);
}

static void put(uint64_t ticks, MPI_Comm comm, uint32_t direction, const int *ranks, int n)
{
    uint64_t words[BEFORE_RANKS + RANKS_OF_RECORD] = { WEFT_MPI_HANDLE(comm) };

    for (int at = 0; at < n;) {
        uint32_t n_words = BEFORE_RANKS;
        for (; at < n && n_words < BEFORE_RANKS + RANKS_OF_RECORD; at++)
            if (ranks[at] >= 0) /* else MPI_PROC_NULL: the edge of a mesh */
                words[n_words++] = (uint64_t)ranks[at];
        words[1] = n_words - BEFORE_RANKS;
        weft_log_put_words(weft_log_get(), ticks, WEFT_RECORD_MPI_NEIGHBORS, direction,
                           words, n_words);
    }
}

void weft_mpi_put_neighbors(uint64_t ticks, MPI_Comm comm)
{
    struct neighbors all = { NULL, NULL, 0, 0 };
    int topology = MPI_UNDEFINED;

    if (weft_mpi.topo_test(comm, &topology) != MPI_SUCCESS || topology == MPI_UNDEFINED)
        return;
    if (topology == MPI_CART)
        find_in_mesh(comm, &all);
    else if (topology == MPI_GRAPH)
        find_in_graph(comm, &all);
    else if (topology == MPI_DIST_GRAPH)
        find_in_distributed_graph(comm, &all);
    put(ticks, comm, WEFT_MPI_TO, all.to, all.n_to);
    put(ticks, comm, WEFT_MPI_FROM, all.from, all.n_from);
    free(all.to);
}
