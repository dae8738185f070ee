/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/messages/model/topology.h"

uint32_t weft_gray_place(uint32_t gray)
{
    for (unsigned shift = 1; shift < 32; shift *= 2)
        gray ^= gray >> shift;
    return gray;
}

static uint32_t on_grid(const struct weft_grid *grid, uint32_t column, uint32_t row)
{
    return grid->by_column ? column * grid->rows + row : row * grid->columns + column;
}

static bool has_switches(const struct weft_topology *t)
{
    return t->network == WEFT_NETWORK_OMEGA || t->network == WEFT_NETWORK_BASELINE;
}

static bool has_ranks(const struct weft_topology *t)
{
    return t->network == WEFT_NETWORK_BUTTERFLY || t->network == WEFT_NETWORK_HYPERCUBE;
}

static enum weft_routing known_routing(enum weft_network network, enum weft_routing routing)
{
    if (network == WEFT_NETWORK_MESH)
        return routing == WEFT_ROUTING_COLUMN_FIRST ? routing : WEFT_ROUTING_ROW_FIRST;
    if (network == WEFT_NETWORK_HYPERCUBE)
        return routing == WEFT_ROUTING_HIGH_FIRST ? routing : WEFT_ROUTING_LOW_FIRST;
    return WEFT_ROUTING_OWN;
}

static void make_multistage(struct weft_topology *t)
{
    t->bits = t->n > 2 ? weft_bits_for(t->n) : 1;
    t->size = UINT32_C(1) << t->bits;
    t->most_hops = t->bits + (has_switches(t) ? 1 : 0);
    t->stages = (uint32_t)t->most_hops + 1;
    t->n_nodes = has_ranks(t) ? t->stages * t->size : 2 * t->size + t->bits * (t->size / 2);
    t->n_links = (uint64_t)t->size * t->most_hops * (has_ranks(t) ? 2 : 1);
}

static uint32_t parent_of(const struct weft_topology *t, uint32_t node)
{
    return (node - 1) / (t->network == WEFT_NETWORK_QUADTREE ? 4 : 2);
}

static void make_tree(struct weft_topology *t)
{
    t->size = t->n_nodes = t->n;
    t->stages = 1;
    t->n_links = t->n - 1;
    for (uint32_t node = t->n - 1; node; node = parent_of(t, node))
        t->most_hops += 2;
}

static void make_mesh(struct weft_topology *t, const struct weft_grid *grid)
{
    t->grid = *grid;
    uint64_t across = t->grid.columns - 1, down = t->grid.rows - 1;
    t->size = t->n_nodes = t->grid.columns * t->grid.rows;
    t->stages = 1;
    t->n_links = across * t->grid.rows + down * t->grid.columns;
    t->most_hops = across + down;
}

struct weft_topology weft_topology_make(enum weft_network network,
                                        enum weft_routing routing, uint32_t n,
                                        const struct weft_grid *grid)
{
    struct weft_topology t = { .network = network,
                               .routing = known_routing(network, routing),
                               .n = n };
    if (network == WEFT_NETWORK_MESH) {
        make_mesh(&t, grid);
    } else if (network == WEFT_NETWORK_BINARY_TREE || network == WEFT_NETWORK_QUADTREE) {
        make_tree(&t);
    } else if (network == WEFT_NETWORK_CROSSBAR) {
        t.size = n;
        t.stages = 2;
        t.n_nodes = 2 * n;
        t.n_links = (uint64_t)n * n;
        t.most_hops = 1;
    } else {
        make_multistage(&t);
    }
    return t;
}

uint32_t weft_topology_width(const struct weft_topology *t, uint32_t stage)
{
    return has_switches(t) && stage > 0 && stage + 1 < t->stages ? t->size / 2 : t->size;
}

bool weft_topology_is_end(const struct weft_topology *t, uint32_t stage)
{
    return stage == 0 || stage + 1 == t->stages;
}

uint32_t weft_topology_node(const struct weft_topology *t, uint32_t stage, uint32_t place)
{
    if (has_switches(t) && stage > 0)
        return t->size + (stage - 1) * (t->size / 2) + place;
    return stage * t->size + place;
}

uint32_t weft_topology_stage(const struct weft_topology *t, uint32_t node, uint32_t *place)
{
    uint32_t last = t->stages - 1, width = t->size;
    if (!has_switches(t) || node < t->size) {
        *place = node % width;
        return node / width;
    }
    uint32_t stage = 1 + (node - t->size) / (width / 2);
    if (stage > last) /* destinations are twice as many as switches */
        stage = last;
    *place = node - weft_topology_node(t, stage, 0);
    return stage;
}

/*
 * Returns the bit of the row, as a mask, that a step from STAGE of a butterfly or hypercube
 * may change.
 */
static uint32_t rank_bit(const struct weft_topology *t, uint32_t stage)
{
    return t->routing == WEFT_ROUTING_LOW_FIRST ? UINT32_C(1) << stage
                                                : t->size >> 1 >> stage;
}

static uint32_t shuffle(const struct weft_topology *t, uint32_t wire)
{
    return (wire << 1 & (t->size - 1)) | wire >> (t->bits - 1);
}

/* Rotates the lowest BITS of a wire's number right by one. */
static uint32_t unshuffle(uint32_t wire, uint32_t bits)
{
    uint32_t low = wire & ((UINT32_C(1) << bits) - 1);
    return (wire ^ low) | low >> 1 | (low & 1) << (bits - 1);
}

/*
 * Wires of omega and baseline are numbered by where they leave a stage.  Returns where a
 * wire from STAGE arrives in the next stage, or at the destinations.
 */
static uint32_t wire_end(const struct weft_topology *t, uint32_t stage, uint32_t wire)
{
    if (stage + 2 == t->stages)
        return wire;
    if (t->network == WEFT_NETWORK_OMEGA)
        return shuffle(t, wire);
    return stage == 0 ? wire : unshuffle(wire, t->bits - (stage - 1));
}

static void rank_ends(const struct weft_topology *t, uint64_t link, uint32_t *from,
                      uint32_t *to)
{
    uint32_t stage = (uint32_t)(link / 2 / t->size), row = (uint32_t)(link / 2 % t->size);
    *from = weft_topology_node(t, stage, row);
    *to = weft_topology_node(t, stage + 1, link % 2 ? row ^ rank_bit(t, stage) : row);
}

static void wire_ends(const struct weft_topology *t, uint64_t link, uint32_t *from,
                      uint32_t *to)
{
    uint32_t stage = (uint32_t)(link / t->size), wire = (uint32_t)(link % t->size);
    uint32_t end = wire_end(t, stage, wire);
    *from = weft_topology_node(t, stage, stage == 0 ? wire : wire / 2);
    *to = weft_topology_node(t, stage + 1, stage + 2 == t->stages ? end : end / 2);
}

static void mesh_ends(const struct weft_topology *t, uint64_t link, uint32_t *from,
                      uint32_t *to)
{
    uint64_t across = (uint64_t)(t->grid.columns - 1) * t->grid.rows;
    bool is_across = link < across;
    uint64_t width = is_across ? t->grid.columns - 1 : t->grid.columns;
    uint32_t row = (uint32_t)((is_across ? link : link - across) / width);
    uint32_t column = (uint32_t)((is_across ? link : link - across) % width);
    *from = on_grid(&t->grid, column, row);
    *to = on_grid(&t->grid, column + is_across, row + !is_across);
}

void weft_topology_ends(const struct weft_topology *t, uint64_t link, uint32_t *from,
                        uint32_t *to)
{
    if (has_ranks(t)) {
        rank_ends(t, link, from, to);
    } else if (has_switches(t)) {
        wire_ends(t, link, from, to);
    } else if (t->network == WEFT_NETWORK_CROSSBAR) {
        *from = (uint32_t)(link / t->n);
        *to = t->n + (uint32_t)(link % t->n);
    } else if (t->network == WEFT_NETWORK_MESH) {
        mesh_ends(t, link, from, to);
    } else {
        *to = (uint32_t)link + 1;
        *from = parent_of(t, *to);
    }
}

bool weft_topology_stays(const struct weft_topology *t, uint64_t link)
{
    return t->network == WEFT_NETWORK_HYPERCUBE && link % 2 == 0;
}

static size_t rank_route(const struct weft_topology *t, uint32_t from, uint32_t to,
                         uint64_t *links)
{
    for (uint32_t stage = 0, row = from; stage < t->bits; stage++) {
        uint32_t crosses = (row ^ to) & rank_bit(t, stage);
        links[stage] = ((uint64_t)stage * t->size + row) * 2 + (crosses != 0);
        row ^= crosses;
    }
    return t->bits;
}

static size_t wire_route(const struct weft_topology *t, uint32_t from, uint32_t to,
                         uint64_t *links)
{
    uint32_t wire = from;
    links[0] = wire;
    for (uint32_t stage = 1; stage <= t->bits; stage++) {
        uint32_t tag = to >> (t->bits - stage) & 1;
        wire = (wire_end(t, stage - 1, wire) & ~UINT32_C(1)) | tag;
        links[stage] = (uint64_t)stage * t->size + wire;
    }
    return t->most_hops;
}

/*
 * Climbs from both ends, always from the greater number, which is never an ancestor of the
 * other.
 */
static size_t tree_route(const struct weft_topology *t, uint32_t from, uint32_t to,
                         uint64_t *links)
{
    size_t up = 0, down = t->most_hops;
    while (from != to) {
        if (from > to) {
            links[up++] = from - 1;
            from = parent_of(t, from);
        } else {
            links[--down] = to - 1;
            to = parent_of(t, to);
        }
    }
    size_t n = up;
    while (down < t->most_hops)
        links[n++] = links[down++];
    return n;
}

/*
 * Lists the links of a row between two columns, or of a column between two rows, in order.
 */
static size_t straight(uint64_t *links, uint64_t first, uint64_t stride, uint32_t from,
                       uint32_t to)
{
    size_t n = 0;
    for (uint32_t at = from; at < to; at++)
        links[n++] = first + at * stride;
    for (uint32_t at = from; at > to; at--)
        links[n++] = first + (at - 1) * stride;
    return n;
}

static size_t mesh_route(const struct weft_topology *t, uint32_t from, uint32_t to,
                         uint64_t *links)
{
    struct weft_place_on_grid a = weft_grid_place(&t->grid, from);
    struct weft_place_on_grid b = weft_grid_place(&t->grid, to);
    uint64_t width = t->grid.columns, across = (width - 1) * t->grid.rows;
    if (t->routing == WEFT_ROUTING_ROW_FIRST) {
        size_t n = straight(links, a.row * (width - 1), 1, a.column, b.column);
        return n + straight(links + n, across + b.column, width, a.row, b.row);
    }
    size_t n = straight(links, across + a.column, width, a.row, b.row);
    return n + straight(links + n, b.row * (width - 1), 1, a.column, b.column);
}

size_t weft_topology_route(const struct weft_topology *t, uint32_t from, uint32_t to,
                           uint64_t *links)
{
    if (has_ranks(t))
        return rank_route(t, from, to, links);
    if (has_switches(t))
        return wire_route(t, from, to, links);
    if (t->network == WEFT_NETWORK_MESH)
        return mesh_route(t, from, to, links);
    if (t->network == WEFT_NETWORK_CROSSBAR) {
        links[0] = (uint64_t)from * t->n + to;
        return 1;
    }
    return tree_route(t, from, to, links);
}
