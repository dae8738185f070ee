/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Networks of processors, and the routes of messages through them: pure functions of
 * numbers, without a trace.
 *
 * Multistage networks have each processor twice, as a source in the first stage and as a
 * destination in the last one, and messages go from stage to stage:
 *
 *   butterfly  log2 N + 1 stages of N nodes; a node of stage s is joined with two nodes of
 *              stage s + 1: in its row, and in the row that differs in bit log2 N - 1 - s.
 *   hypercube  the same with the bits in the order of the routing: a step within a row
 *              stays at its processor (weft_topology_stays), any other is a link of the
 *              hypercube.
 *   omega      Lawrie 1975: before each of log2 N stages of N/2 switches a perfect shuffle.
 *   baseline   Wu, Feng 1980: behind each stage of N/2 switches an inverse shuffle of
 *              halves, quarters, ...
 *   crossbar   each source has a link of its own to each destination.
 *
 * N is the number of processors, except in a crossbar at least 2 and rounded up to a power
 * of two.  In butterfly, omega and baseline the bits of the destination give the route, the
 * highest first (destination tag).  Links are one-way.
 *
 * The other networks have each processor once, and links that are used both ways:
 *
 *   binary tree, quadtree   processor 0 is the root, the children of i are k i + 1 ...
 *                           k i + k; a route goes through the nearest common ancestor.
 *   mesh                    columns x rows; routes go along the row and then along the
 *                           column, or the other way round.  Its last places may have no
 *                           processor, and pass messages on nevertheless.
 *
 * Nodes and links are numbered from 0; no table is kept of them, so a network costs
 * nothing.
 */
#ifndef WEFT_MODEL_TOPOLOGY_H
#define WEFT_MODEL_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/network_distance.h"

/*
 * A kind of network of processors (the top of this file has more on each).  The first five
 * have stages: each processor is twice in them, as a source and as a destination.
 */
enum weft_network {
    WEFT_NETWORK_BUTTERFLY, /* each node is joined with two of the next stage */
    WEFT_NETWORK_HYPERCUBE, /* drawn like a butterfly: a step between stages for each bit */
    WEFT_NETWORK_OMEGA,     /* stages of switches, with perfect shuffles before */
    WEFT_NETWORK_BASELINE,  /* stages of switches, with inverse shuffles behind */
    WEFT_NETWORK_CROSSBAR,  /* a link from each source to each destination */
    WEFT_NETWORK_BINARY_TREE, /* root 0; the children of i are 2 i + 1 and 2 i + 2 */
    WEFT_NETWORK_QUADTREE,    /* root 0; the children of i are 4 i + 1 to 4 i + 4 */
    WEFT_NETWORK_MESH,        /* rows and columns; neighbours are joined */
    WEFT_NETWORKS,            /* the number of kinds */
};

/* The order in which a message takes the directions of a network, if there are several. */
enum weft_routing {
    WEFT_ROUTING_OWN,          /* the only one of the network */
    WEFT_ROUTING_ROW_FIRST,    /* mesh */
    WEFT_ROUTING_COLUMN_FIRST, /* mesh */
    WEFT_ROUTING_LOW_FIRST,    /* hypercube: lowest differing bit first */
    WEFT_ROUTING_HIGH_FIRST,   /* hypercube: highest differing bit first */
};

/* The most processors of a network: links then fit 64 bits, nodes 32. */
enum { WEFT_MAX_PROCESSORS = 1 << 24 };

/*
 * A network of n processors, made by weft_topology_make; nothing to free.  A multistage
 * network has each processor twice, in its first and its last stage.
 */
struct weft_topology {
    enum weft_network network;
    enum weft_routing routing;
    uint32_t n;            /* processors, 1 to WEFT_MAX_PROCESSORS */
    uint32_t size;         /* processors that the network has room for, at least n */
    uint32_t bits;         /* log2 size, of butterfly, hypercube, omega, baseline; else 0 */
    struct weft_grid grid; /* of a mesh */
    uint32_t stages;       /* columns of nodes; 1 if the network has each processor once */
    uint32_t n_nodes;      /* of all stages */
    uint64_t n_links;      /* one-way in a network with stages */
    size_t most_hops; /* no route has more links; in a tree the longest may have one less */
};

/*
 * Makes a network of N processors, 1 to WEFT_MAX_PROCESSORS.  GRID, the rows and columns of
 * a mesh, has at least N cells and is copied; it may be NULL for other networks.  A ROUTING
 * that the network does not have is replaced by its default: row first in a mesh, lowest
 * bit first in a hypercube, else WEFT_ROUTING_OWN.
 */
struct weft_topology weft_topology_make(enum weft_network network,
                                        enum weft_routing routing, uint32_t n,
                                        const struct weft_grid *grid);

/*
 * Returns the number of a node, given its STAGE (0 in networks of one stage) and PLACE, its
 * number within the stage, from 0: in the first and last stage that of a processor.
 */
uint32_t weft_topology_node(const struct weft_topology *topology, uint32_t stage,
                            uint32_t place);
/*
 * Returns the stage, from 0, of NODE, below n_nodes, and sets *PLACE to its number within
 * that.
 */
uint32_t weft_topology_stage(const struct weft_topology *topology, uint32_t node,
                             uint32_t *place);
/*
 * Returns how many nodes STAGE, counted from 0, has: topology->size, or half of it in a
 * stage of switches (omega and baseline).
 */
uint32_t weft_topology_width(const struct weft_topology *topology, uint32_t stage);
/*
 * Returns true if STAGE is the first or the last, where the processors stand; always, in a
 * network of one stage.
 */
bool weft_topology_is_end(const struct weft_topology *topology, uint32_t stage);

/*
 * Sets *FROM and *TO to the nodes that LINK, below n_links, joins.  Messages of a network
 * with stages go from *FROM to *TO; in the other networks they go both ways, and *FROM is
 * the smaller number.
 */
void weft_topology_ends(const struct weft_topology *topology, uint64_t link, uint32_t *from,
                        uint32_t *to);
/*
 * Returns true if LINK is a step of a route in a hypercube that stays at its processor, so
 * that nothing is sent; false in all other networks.
 */
bool weft_topology_stays(const struct weft_topology *topology, uint64_t link);
/*
 * Lists in LINKS, with room for topology->most_hops, the links of a message's route from
 * processor FROM to processor TO, in order, and returns how many they are.  In a network
 * with stages each route has all stages, also if FROM is TO; in the others it then has no
 * links.  O(most_hops).
 */
size_t weft_topology_route(const struct weft_topology *topology, uint32_t from, uint32_t to,
                           uint64_t *links);

/* Returns the Nth number, counted from 0, of the reflected Gray code. */
static inline uint32_t weft_gray(uint32_t n)
{
    return n ^ n >> 1;
}
/* Returns the N for which weft_gray(N) is GRAY. */
uint32_t weft_gray_place(uint32_t gray);

/* Returns the least k with 2^k >= n; 0 for 0 and 1. */
static inline uint32_t weft_bits_for(uint32_t n)
{
    uint32_t bits = 0;
    while (bits < 32 && UINT64_C(1) << bits < n)
        bits++;
    return bits;
}

#endif
