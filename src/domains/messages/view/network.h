/* SPDX-License-Identifier: Apache-2.0 */
/* The network display: messages routed through a network (network.c, network_draw.c). */
#ifndef WEFT_VIEW_NETWORK_H
#define WEFT_VIEW_NETWORK_H

#include "domains/messages/view/node_diagram.h"

/*
 * The network display of one request: `d`, the settings, and the messages over each link.
 * Its arrays lie in the request's arena; diagram_end frees `d`.
 */
struct network {
    struct diagram d;
    enum weft_network kind;
    enum weft_routing routing;
    const char *aspect; /* setting: rows and columns of a mesh, or "auto" */
    bool by_column;     /* processors of a mesh are numbered column by column */
    bool inner_numbers; /* inner nodes are numbered, too */
    /*
     * Setting: number of messages from which a link is red.  0: as many as processors are
     * shown, at least 8, or without a moment the most on any link.
     */
    uint64_t hottest;
    struct weft_topology topology; /* its processors are the groups of `d` */
    uint64_t *loads;               /* [topology.n_links]: messages over each link */
    /*
     * [n_used]: numbers of the links with messages, first those on which messages stay at
     * their processor, then the others, the lightest first.
     */
    uint64_t *used;
    size_t n_used, first;       /* used[0] to used[first - 1] are not drawn */
    struct diagram_scale scale; /* of the loads */
};

/*
 * Sets network->topology for the current groups of network->d, each a processor of the
 * network.  Fails with WEFT_ERR_USAGE, for a mesh only, if it has more than
 * WEFT_MAX_PROCESSORS places, or each group is one processor and the setting
 * network->aspect is invalid or has no room for all.
 */
bool network_shape(struct network *network, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Returns the name of NODE (a number of network->topology), in the request's arena: that of
 * its processor or group of processors (diagram_name), the number of its place if no
 * processor stands there, or "s2n5" (stage, place in it) for a node of an inner stage.
 */
const char *network_node_name(const struct network *network, uint32_t node);

/* ---- Drawing, network_draw.c ---- */

/*
 * Returns true if a picture of the request's size has room for the nodes of
 * network->topology, which is set; false also for more than 128 places in a network with
 * stages.
 */
bool network_fits(const struct network *network);
/*
 * Draws the links, but the first network->first of network->used, and the nodes with their
 * labels, into the frame's plot.
 */
void network_draw(struct weft_frame *frame, const struct network *network);

#endif
