/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the network display. */
#ifndef WEFT_VIEW_NETWORK_H
#define WEFT_VIEW_NETWORK_H

#include "domains/messages/view/diagram.h"

struct network {
    struct diagram d;
    enum weft_network kind;
    enum weft_routing routing;
    const char *aspect; /* of a mesh */
    bool by_column;
    bool inner_numbers;            /* inner nodes are numbered, too */
    uint64_t hottest;              /* from here on a link is red; 0: the view chooses */
    struct weft_topology topology; /* its processors are the groups */
    uint64_t *loads;               /* [topology.n_links] messages */
    uint64_t *used;                /* [n_used] links with messages, the lightest first */
    size_t n_used, first;          /* USED before `first` is not drawn */
    struct diagram_scale scale;
};

/*
 * Makes the topology for the diagram's current groups; WEFT_ERR_USAGE for a wrong aspect.
 */
bool network_shape(struct network *network, struct weft_err *err) WEFT_MUST_CHECK;
/* The name of a node: of an end its processors, of an inner node "s2n5" (stage, node). */
const char *network_node_name(const struct network *network, uint32_t node);

/* ---- Drawing, network_draw.c ---- */

/* Whether nodes would be far enough apart in a picture of the request's size. */
bool network_fits(const struct network *network);
void network_draw(struct weft_frame *frame, const struct network *network);

#endif
