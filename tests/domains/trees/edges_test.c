/* SPDX-License-Identifier: Apache-2.0 */
/* Edges of a tree against a plain list of the links; long calls, cancelled at every look. */
#include "domains/trees/model/tree_cross_edges.h"
#include "domains/trees/model/tree_radial.h"
#include "tests/random.h"
#include "tests/test.h"
enum { TRACK = 1, PART = 200, NODES = 2 * PART, MAX_LINKS = 3000 };

/* Two rows of PART nodes on the tracks TRACK and TRACK + 1, each under any earlier one. */
static struct weft_tree *random_tree(void)
{
    struct weft_tree_builder *b = weft_tree_builder_new();
    struct weft_err err;
    uint32_t label =
        weft_tree_label(b, &(struct weft_tree_label){ "p", WEFT_NONE, 0, WEFT_NONE });
    for (uint32_t pe = 0; pe < 2; pe++)
        assert_non_null(weft_tree_pe(b, pe ? "PE 1" : "PE 0", 1 + pe, TRACK + pe, PART));
    for (uint32_t i = 0; i < NODES; i++)
        weft_tree_put(b, i,
                      &(struct weft_tree_node){ .parent = i ? roll(i) : WEFT_NONE,
                                                .label = label,
                                                .time = i,
                                                .ordinal = i % PART,
                                                .pe = (uint16_t)(i / PART) });
    struct weft_tree *tree = weft_tree_finish(b, NULL, &err);
    assert_non_null(tree);
    return tree;
}

/* A source of nothing but links: a third of them on the first track, the rest on the last. */
static struct weft_link links[MAX_LINKS];
static uint32_t n_links;

static void visit_links(const struct weft_source *source, uint32_t track,
                        struct weft_span window,
                        bool (*visit)(void *user, const struct weft_link *link), void *user)
{
    (void)source, (void)window;
    for (uint32_t i = 0; i < n_links; i++)
        if ((i % 3 == 0) == (track == 0) && !visit(user, &links[i]))
            return;
}

static const struct weft_type types[] = { { .kind = WEFT_LINK },
                                          { .kind = WEFT_STATE },
                                          { .kind = WEFT_LINK,
                                            .role = WEFT_ROLE_DATA_DEPENDENCE },
                                          { .kind = WEFT_LINK, .role = WEFT_ROLE_MESSAGE },
                                          { .kind = WEFT_LINK, .role = WEFT_ROLE_BUSY } };
static const struct weft_track tracks[] = {
    { .type = 0 }, { .type = 1 }, { .type = 1 }, { .type = 0 }
};

static uint32_t random_type(void)
{
    uint32_t type = roll(4);
    return type == 1 ? 4 : type;
}

static uint64_t random_end(void)
{
    uint32_t what = roll(12);
    return what == 0   ? WEFT_NO_ID
           : what == 1 ? weft_entity_id(9, 0)               /* no row of the tree */
           : what == 2 ? weft_entity_id(TRACK, PART + 1000) /* no node of the row */
                       : weft_entity_id(TRACK + roll(2), roll(roll(4) ? PART : 3));
}

struct edge {
    uint32_t from, to;
    enum weft_role role;
};

static int compare_edges(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                              : (x->to > y->to) - (x->to < y->to);
}

/* What is expected, by looking at each link's ends. */
static uint32_t list_edges(const struct weft_tree *tree, struct edge *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < n_links; i++) {
        uint32_t from = weft_tree_find(tree, links[i].from_entity);
        uint32_t to = weft_tree_find(tree, links[i].to_entity);
        if (from != WEFT_NONE && to != WEFT_NONE)
            out[n++] =
                (struct edge){ from, to,
                               links[i].type == 4 ? WEFT_ROLE_NONE /* no role of links */
                                                  : types[links[i].type].role };
    }
    qsort(out, n, sizeof *out, compare_edges);
    return n;
}

/* How many of the expected edges are the same as one. */
static uint32_t same(const struct edge *list, uint32_t n, struct edge edge)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        count +=
            list[i].from == edge.from && list[i].to == edge.to && list[i].role == edge.role;
    return count;
}

static void check_node(const struct weft_tree_edges *edges, const struct edge *expected,
                       uint32_t node)
{
    uint32_t leave = 0, reach = 0;
    for (uint32_t i = 0; i < edges->n; i++) {
        leave += expected[i].from == node;
        reach += expected[i].to == node;
    }
    assert_int_equal(edges->out_begin[node + 1] - edges->out_begin[node], leave);
    assert_int_equal(edges->in_begin[node + 1] - edges->in_begin[node], reach);
    for (uint32_t i = edges->out_begin[node]; i < edges->out_begin[node + 1]; i++)
        assert_int_equal(weft_tree_edge_from(edges, i), node);
    for (uint32_t i = edges->in_begin[node]; i < edges->in_begin[node + 1]; i++) {
        assert_int_equal(edges->to[edges->in[i]], node);
        assert_true(i == edges->in_begin[node] || edges->in[i] > edges->in[i - 1]);
    }
}

static void check_edges(const struct weft_tree_edges *edges, struct edge *expected)
{
    static struct edge all[MAX_LINKS];
    for (uint32_t i = 0; i < edges->n; i++) {
        all[i] = (struct edge){ weft_tree_edge_from(edges, i), edges->to[i],
                                weft_tree_edge_role(edges, i) };
        assert_int_equal(compare_edges(&all[i], &expected[i]), 0);
    }
    for (uint32_t i = 0; i < edges->n && edges->n <= 300; i++)
        assert_int_equal(same(all, edges->n, all[i]), same(expected, edges->n, all[i]));
    for (uint32_t node = 0; node < edges->n_nodes; node++)
        check_node(edges, expected, node);
}

static void edges_are_found_from_both_ends(void **state)
{
    (void)state;
    static struct edge expected[MAX_LINKS];
    const struct weft_source_ops ops = { .links = visit_links };
    const uint32_t sizes[] = { 0, 1, 2, 17, 300, MAX_LINKS };
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct weft_tree *tree = random_tree();
        struct weft_err err;
        n_links = sizes[s];
        for (uint32_t i = 0; i < n_links; i++)
            links[i] = (struct weft_link){ .type = random_type(),
                                           .from_entity = random_end(),
                                           .to_entity = random_end() };
        const struct weft_schema schema = {
            .types = types, .tracks = tracks, .n_tracks = 4, .n_links = n_links
        };
        const struct weft_source source = { &ops, &schema };
        struct weft_tree_edges *edges = weft_tree_edges_read(tree, &source, NULL, &err);
        assert_non_null(edges);
        assert_int_equal(edges->n, list_edges(tree, expected));
        check_edges(edges, expected);
        weft_tree_edges_free(edges);
        weft_tree_free(tree);
    }
}

/* ---- Cancelling ---- */

static void stop_at_last(struct weft_job *job, void *user)
{
    if ((*(int *)user)-- == 0)
        atomic_store(&job->cancelled, true);
}

/* Run it so often that each of its looks at the job is the one that stops it. */
static void cancel_everywhere(bool (*run)(struct weft_job *job, struct weft_err *err))
{
    for (int looks = 0;; looks++) {
        int left = looks;
        struct weft_job job = { .progress = stop_at_last, .user = &left };
        struct weft_err err = { 0 };
        bool ok = run(&job, &err);
        assert_int_equal(ok, left >= 0); /* it stopped when it was told, and only then */
        if (ok) {
            assert_true(looks > 0);
            return;
        }
        assert_int_equal(err.code, WEFT_ERR_CANCELLED);
    }
}

static struct weft_tree *tree_at_work;

static bool read_edges(struct weft_job *job, struct weft_err *err)
{
    const struct weft_source_ops ops = { .links = visit_links };
    const struct weft_schema schema = {
        .types = types, .tracks = tracks, .n_tracks = 4, .n_links = n_links
    };
    const struct weft_source source = { &ops, &schema };
    struct weft_tree_edges *edges = weft_tree_edges_read(tree_at_work, &source, job, err);
    weft_tree_edges_free(edges);
    return edges != NULL;
}

static bool match_trees(struct weft_job *job, struct weft_err *err)
{
    uint32_t *match = weft_tree_match(tree_at_work, tree_at_work, job, err);
    free(match);
    return match != NULL;
}

static bool lay_out(struct weft_job *job, struct weft_err *err)
{
    struct weft_tree_layout *layout = weft_tree_lay_out(
        tree_at_work, 0, &(struct weft_tree_how){ .most = UINT32_MAX }, job, err);
    weft_tree_layout_free(layout);
    return layout != NULL;
}

/* One thread's states, each inside the one before, as a source of nothing else. */
static void visit_states(const struct weft_source *source, uint32_t track,
                         struct weft_span window,
                         bool (*visit)(void *user, const struct weft_state *state),
                         void *user)
{
    (void)source, (void)window;
    for (uint32_t i = 0; i < 50; i++)
        if (!visit(user, &(struct weft_state){ .begin = i,
                                               .end = 100 - i,
                                               .depth = i,
                                               .id = weft_entity_id(track, i) }))
            return;
}

static bool read_tree(struct weft_job *job, struct weft_err *err)
{
    const struct weft_source_ops ops = { .states = visit_states };
    const struct weft_type type = { .kind = WEFT_STATE };
    const struct weft_track track = { .count = 50, .max_depth = 50 };
    const struct weft_container container = { .name = "thread" };
    const struct weft_value value = { .name = "f" };
    const struct weft_schema schema = { .types = &type,
                                        .n_types = 1,
                                        .tracks = &track,
                                        .n_tracks = 1,
                                        .containers = &container,
                                        .n_containers = 1,
                                        .values = &value,
                                        .n_values = 1 };
    const struct weft_source source = { &ops, &schema };
    struct weft_tree *tree = weft_tree_read(&source, job, err);
    if (tree)
        assert_int_equal(tree->n, 51); /* and their thread */
    weft_tree_free(tree);
    return tree != NULL;
}

static void long_calls_can_be_cancelled(void **state)
{
    (void)state;
    tree_at_work = random_tree();
    n_links = 100;
    for (uint32_t i = 0; i < n_links; i++)
        links[i] = (struct weft_link){ .from_entity = weft_entity_id(TRACK, i),
                                       .to_entity = weft_entity_id(TRACK + 1, i) };
    cancel_everywhere(read_edges);
    cancel_everywhere(match_trees);
    cancel_everywhere(lay_out);
    cancel_everywhere(read_tree);
    weft_tree_free(tree_at_work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_are_found_from_both_ends),
        cmocka_unit_test(long_calls_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
