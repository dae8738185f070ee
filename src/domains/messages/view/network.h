/* SPDX-License-Identifier: Apache-2.0 */
/* The network display: what its files share. */
#ifndef WEFT_VIEW_NETWORK_H
#define WEFT_VIEW_NETWORK_H

#include "domains/messages/view/diagram.h"

struct network {
    struct diagram d;
    enum weft_network kind;
    enum weft_routing routing;
    const char *aspect; /* of a mesh */
    bool by_column;
    bool inner_numbers;            /* at nodes that are no ends, too */
    uint64_t hottest;              /* messages at which a link is red; 0: chosen */
    struct weft_topology topology; /* of groups */
    uint64_t *loads;               /* [topology.n_links] messages */
    uint64_t *used;                /* [n_used] links with messages, the fewest first */
    size_t n_used, first;          /* those before it are not drawn */
    struct diagram_scale scale;
};

/* The network of the groups as they are. */
bool network_shape(struct network *network, struct weft_err *err) WEFT_MUST_CHECK;
/* How a node is called: an end by its processor, one in between as "s2n5". */
const char *network_node_name(const struct network *network, uint32_t node);

/* ---- The picture, network_draw.c ---- */

/* Whether there is room for all nodes in a box of the request's size. */
bool network_fits(const struct network *network);
void network_draw(struct weft_frame *frame, const struct network *network);

#endif
