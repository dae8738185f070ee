/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Networks: every route at every size against the definition of the network, and against a
 * search through the graph that its links make.
 */
#include "domains/messages/model/topology.h"
#include "tests/test.h"

enum {
    MAX_PROCESSORS = 70
}; /* processors; powers of two, and their neighbours, are among them */

static struct weft_topology make(enum weft_network network, enum weft_routing routing,
                                 uint32_t n, const char *aspect, bool by_column)
{
    struct weft_grid grid;
    struct weft_err err;
    assert_true(weft_grid_parse(n, aspect, by_column, &grid, &err));
    return weft_topology_make(network, routing, n, &grid);
}

static bool is_multistage(enum weft_network network)
{
    return network <= WEFT_NETWORK_CROSSBAR;
}

/* The steps from each node to a destination, by search; UINT32_MAX: there is no way. */
static uint32_t *search(const struct weft_topology *t, uint32_t to)
{
    uint32_t *steps = malloc(t->n_nodes * sizeof *steps);
    memset(steps, 0xff, t->n_nodes * sizeof *steps);
    steps[to] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint64_t link = 0; link < t->n_links; link++) {
            uint32_t a, b;
            weft_topology_ends(t, link, &a, &b);
            for (int way = 0; way < (t->stages > 1 ? 1 : 2); way++) {
                if (steps[b] != UINT32_MAX && steps[b] + 1 < steps[a]) {
                    steps[a] = steps[b] + 1;
                    changed = true;
                }
                uint32_t swap = a;
                a = b;
                b = swap;
            }
        }
    }
    return steps;
}

/* Follow a route; returns the node where it ends. */
static uint32_t follow(const struct weft_topology *t, const uint64_t *links, size_t n,
                       uint32_t node)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t a, b;
        assert_true(links[i] < t->n_links);
        weft_topology_ends(t, links[i], &a, &b);
        assert_true(node == a || (t->stages == 1 && node == b));
        node = node == a ? b : a;
    }
    return node;
}

static void check_routes(const struct weft_topology *t)
{
    uint64_t *links = malloc((t->most_hops + 1) * sizeof *links);
    size_t longest = 0;
    for (uint32_t to = 0; to < t->n; to++) {
        uint32_t end = weft_topology_node(t, t->stages - 1, to);
        uint32_t *steps = search(t, end);
        for (uint32_t from = 0; from < t->n; from++) {
            size_t n = weft_topology_route(t, from, to, links);
            assert_true(n <= t->most_hops);
            assert_int_equal(follow(t, links, n, from), end);
            assert_int_equal(n, steps[from]); /* no way is shorter */
            longest = n > longest ? n : longest;
        }
        free(steps);
    }
    assert_true(longest >= 1 || t->n == 1);
    free(links);
}

static void every_route_is_a_shortest_way(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= MAX_PROCESSORS; n += n < 20 ? 1 : n < 62 ? 7 : 1)
        for (unsigned network = 0; network < WEFT_NETWORKS; network++)
            for (unsigned routing = 0; routing <= WEFT_ROUTING_HIGH_FIRST; routing++) {
                struct weft_topology t = make(network, routing, n, "auto", routing % 2);
                check_routes(&t);
            }
    struct weft_topology wide = make(WEFT_NETWORK_MESH, WEFT_ROUTING_OWN, 23, "3x9", false);
    check_routes(&wide);
    wide = make(WEFT_NETWORK_MESH, WEFT_ROUTING_COLUMN_FIRST, 23, "9x3", true);
    check_routes(&wide);
}

/* The number of ways from a source to each node, stage by stage. */
static void ways_are_single(const struct weft_topology *t, uint32_t from)
{
    uint64_t *ways = calloc(t->n_nodes, sizeof *ways);
    ways[from] = 1;
    for (uint32_t stage = 0; stage + 1 < t->stages; stage++)
        for (uint64_t link = 0; link < t->n_links; link++) {
            uint32_t a, b, place;
            weft_topology_ends(t, link, &a, &b);
            if (weft_topology_stage(t, a, &place) == stage)
                ways[b] += ways[a];
        }
    for (uint32_t to = 0; to < t->size; to++)
        assert_int_equal(ways[weft_topology_node(t, t->stages - 1, to)], 1);
    free(ways);
}

static void multistage_networks_have_one_way_each(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 32; n++)
        for (unsigned network = 0; network < WEFT_NETWORKS; network++) {
            if (!is_multistage(network))
                continue;
            struct weft_topology t = make(network, WEFT_ROUTING_OWN, n, "auto", false);
            for (uint32_t from = 0; from < t.size; from++)
                ways_are_single(&t, from);
        }
}

/* Links lead from a stage to the next, and each node of a stage has as many as the others. */
static void stages_are_regular(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 33; n++)
        for (unsigned network = 0; network <= WEFT_NETWORK_BASELINE; network++) {
            struct weft_topology t = make(network, WEFT_ROUTING_OWN, n, "auto", false);
            uint32_t *in = calloc(t.n_nodes, sizeof *in), *out = calloc(t.n_nodes, 4);
            for (uint64_t link = 0; link < t.n_links; link++) {
                uint32_t a, b, place;
                weft_topology_ends(&t, link, &a, &b);
                assert_int_equal(weft_topology_stage(&t, a, &place) + 1,
                                 weft_topology_stage(&t, b, &place));
                out[a]++;
                in[b]++;
            }
            bool switches =
                network == WEFT_NETWORK_OMEGA || network == WEFT_NETWORK_BASELINE;
            for (uint32_t node = 0; node < t.n_nodes; node++) {
                uint32_t place, stage = weft_topology_stage(&t, node, &place);
                assert_true(place < weft_topology_width(&t, stage));
                assert_int_equal(weft_topology_node(&t, stage, place), node);
                bool first = stage == 0, last = stage + 1 == t.stages;
                assert_int_equal(first || last, weft_topology_is_end(&t, stage));
                assert_int_equal(in[node], first ? 0 : switches && last ? 1 : 2);
                assert_int_equal(out[node], last ? 0 : switches && first ? 1 : 2);
            }
            free(in);
            free(out);
        }
}

/* Lawrie's figure of eight: source 2 to destination 6 enters switch 2 (2 shuffled is 4). */
static void omega_of_eight_by_hand(void **state)
{
    (void)state;
    struct weft_topology t = make(WEFT_NETWORK_OMEGA, WEFT_ROUTING_OWN, 8, "auto", false);
    uint64_t links[8];
    assert_int_equal(weft_topology_route(&t, 2, 6, links), 4);
    /* 010 -> 100, the bit 1: 101 -> 011, the bit 1: 011 -> 110, the bit 0: 110. */
    static const uint32_t nodes[] = { 2, 8 + 2, 12 + 1, 16 + 3, 20 + 6 };
    for (int i = 0; i < 4; i++) {
        uint32_t a, b;
        weft_topology_ends(&t, links[i], &a, &b);
        assert_int_equal(a, nodes[i]);
        assert_int_equal(b, nodes[i + 1]);
    }
}

/* Behind the first stage of a baseline network of eight, even outputs feed the upper half. */
static void baseline_of_eight_by_hand(void **state)
{
    (void)state;
    struct weft_topology t =
        make(WEFT_NETWORK_BASELINE, WEFT_ROUTING_OWN, 8, "auto", false);
    uint64_t links[8];
    assert_int_equal(weft_topology_route(&t, 5, 3, links), 4);
    /* Switch 2; 3 is in the upper half, whose third input it is: switch 1 of the second stage;
     * lower quarter of that half: switch 1 of the third stage; its lower output. */
    static const uint32_t nodes[] = { 5, 8 + 2, 12 + 1, 16 + 1, 20 + 3 };
    for (int i = 0; i < 4; i++) {
        uint32_t a, b;
        weft_topology_ends(&t, links[i], &a, &b);
        assert_int_equal(a, nodes[i]);
        assert_int_equal(b, nodes[i + 1]);
    }
}

/* Steps across change one bit each: of those that differ, in the order of the routing. */
static void check_hypercube_route(const struct weft_topology *t, uint32_t from, uint32_t to)
{
    uint64_t links[8];
    size_t n = weft_topology_route(t, from, to, links);
    uint32_t moves = 0, before = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t a, b, row, next;
        weft_topology_ends(t, links[i], &a, &b);
        weft_topology_stage(t, a, &row);
        weft_topology_stage(t, b, &next);
        assert_int_equal(row == next, weft_topology_stays(t, links[i]));
        if (row == next)
            continue;
        uint32_t bit = row ^ next;
        assert_int_equal(bit & (bit - 1), 0);
        if (moves)
            assert_true(t->routing == WEFT_ROUTING_LOW_FIRST ? bit > before : bit < before);
        before = bit;
        moves++;
    }
    assert_int_equal(moves, __builtin_popcount(from ^ to));
}

static void hypercube_routes_change_bits_in_order(void **state)
{
    (void)state;
    for (int high = 0; high < 2; high++) {
        struct weft_topology t = make(
            WEFT_NETWORK_HYPERCUBE, high ? WEFT_ROUTING_HIGH_FIRST : WEFT_ROUTING_LOW_FIRST,
            64, "auto", false);
        for (uint32_t from = 0; from < 64; from++)
            for (uint32_t to = 0; to < 64; to++)
                check_hypercube_route(&t, from, to);
    }
}

static void mesh_routes_turn_once(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        struct weft_topology t = make(
            WEFT_NETWORK_MESH, k % 2 ? WEFT_ROUTING_COLUMN_FIRST : WEFT_ROUTING_ROW_FIRST,
            40, "5x8", k / 2);
        uint64_t links[16];
        for (uint32_t from = 0; from < 40; from++)
            for (uint32_t to = 0; to < 40; to++) {
                size_t n = weft_topology_route(&t, from, to, links);
                bool turned = false;
                for (size_t i = 0; i < n; i++) {
                    uint32_t a, b;
                    weft_topology_ends(&t, links[i], &a, &b);
                    bool in_row =
                        weft_grid_place(&t.grid, a).row == weft_grid_place(&t.grid, b).row;
                    if (in_row == (k % 2 == 1))
                        turned = true;
                    else
                        assert_false(turned);
                }
            }
    }
}

static void every_link_is_named_once(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 33; n++)
        for (unsigned network = 0; network < WEFT_NETWORKS; network++) {
            struct weft_topology t = make(network, WEFT_ROUTING_OWN, n, "auto", false);
            uint8_t *seen = calloc((size_t)t.n_nodes * t.n_nodes, 1);
            for (uint64_t link = 0; link < t.n_links; link++) {
                uint32_t a, b;
                weft_topology_ends(&t, link, &a, &b);
                assert_true(a < b && b < t.n_nodes);
                /* The two wires between two switches of the smallest networks are two links. */
                assert_true(seen[(size_t)a * t.n_nodes + b]++ < (t.bits == 1 ? 2 : 1));
            }
            free(seen);
        }
}

static void gray_codes(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 5000; i++) {
        assert_int_equal(weft_gray_place(weft_gray(i)), i);
        assert_int_equal(__builtin_popcount(weft_gray(i) ^ weft_gray(i + 1)), 1);
    }
    assert_int_equal(weft_bits_for(0), 0);
    assert_int_equal(weft_bits_for(1), 0);
    assert_int_equal(weft_bits_for(16), 4);
    assert_int_equal(weft_bits_for(17), 5);
    assert_int_equal(weft_bits_for(UINT32_MAX), 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_route_is_a_shortest_way),
        cmocka_unit_test(multistage_networks_have_one_way_each),
        cmocka_unit_test(stages_are_regular),
        cmocka_unit_test(omega_of_eight_by_hand),
        cmocka_unit_test(baseline_of_eight_by_hand),
        cmocka_unit_test(hypercube_routes_change_bits_in_order),
        cmocka_unit_test(mesh_routes_turn_once),
        cmocka_unit_test(every_link_is_named_once),
        cmocka_unit_test(gray_codes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
