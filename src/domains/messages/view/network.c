/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ParaGraph's Network display (Heath, Finger 2003, section 5.2): the routes of messages
 * through a network that the user chooses (model/topology.h).  A link's colour is the
 * number of messages that share it: those pending at the moment, or without a moment all of
 * the window.
 */
#include "domains/messages/view/network.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "domains/messages/view/comm_display_helpers.h"
#include "domains/messages/view/views.h"

enum {
    MAX_LINKS = 4000, /* drawn at most: more cannot be told apart */
    MAX_NODES = 256,  /* processors or groups: more have too many pairs for a frame */
};
#define NETWORK_CHOICES                                                                    \
 "butterfly|hypercube|omega|baseline|crossbar|binary-tree|quadtree|mesh"
#define ROUTING_CHOICES "auto|row-first|column-first|low-first|high-first"

/* Returns the index of NAME in CHOICES ("a|b|c"), which must contain it. */
static unsigned choice(const char *choices, const char *name)
{
    unsigned at = 0;
    for (size_t length = strcspn(choices, "|");
         strlen(name) != length || memcmp(name, choices, length) != 0;
         length = strcspn(choices, "|")) {
        choices += length + 1;
        at++;
    }
    return at;
}

static void read_settings(struct network *w, const struct weft_request *request)
{
    *w = (struct network){
        .kind = choice(NETWORK_CHOICES, weft_setting(request, "network")),
        .routing = choice(ROUTING_CHOICES, weft_setting(request, "routing")),
        .aspect = weft_setting(request, "aspect"),
        .by_column = strcmp(weft_setting(request, "numbering"), "columns") == 0,
        .inner_numbers = strcmp(weft_setting(request, "numbers"), "all") == 0,
        .hottest = (uint64_t)weft_setting_number(request, "hottest"),
    };
}

bool network_shape(struct network *w, struct weft_err *err)
{
    struct weft_grid grid = { 0 };
    /* The aspect setting counts processors, so it does not apply to groups. */
    const char *aspect = w->d.each > 1 ? "auto" : w->aspect;
    if (w->kind == WEFT_NETWORK_MESH
        && !weft_grid_parse(w->d.n_groups, aspect, w->by_column, &grid, err))
        return false;
    if ((uint64_t)grid.rows * grid.columns > WEFT_MAX_PROCESSORS)
        return weft_fail(err, WEFT_ERR_USAGE, "a mesh of %s has too many places", aspect);
    w->topology = weft_topology_make(w->kind, w->routing, w->d.n_groups, &grid);
    return true;
}

const char *network_node_name(const struct network *w, uint32_t node)
{
    uint32_t place, stage = weft_topology_stage(&w->topology, node, &place);
    if (!weft_topology_is_end(&w->topology, stage))
        return weft_arena_printf(w->d.arena, "s%" PRIu32 "n%" PRIu32, stage, place);
    if (place < w->d.n_groups)
        return diagram_name(&w->d, place);
    return weft_arena_printf(w->d.arena, "%" PRIu32, place); /* an unused place */
}

/* ---- Loads ---- */

static bool add_loads(struct network *w, struct weft_err *err)
{
    const struct weft_topology *t = &w->topology;
    struct weft_arena *arena = w->d.arena;
    uint64_t *links = weft_arena_alloc(arena, (t->most_hops + 1) * sizeof *links);
    w->loads = weft_arena_zalloc(arena, t->n_links + 1, sizeof *w->loads);
    for (size_t i = 0; i < w->d.sums.n; i++) {
        const struct weft_pair_sum *row = &w->d.sums.rows[i];
        size_t n = weft_topology_route(t, row->from, row->to, links);
        for (size_t k = 0; k < n; k++)
            w->loads[links[k]] += row->count;
        if (i % 65536 == 0 && !weft_job_step(w->d.request->job, i, w->d.sums.n, err))
            return false;
    }
    return true;
}

struct used_link {
    uint64_t link, load;
};

static int by_load(const void *a, const void *b)
{
    const struct used_link *x = a, *y = b;
    return WEFT_COMPARE(x->load, y->load) ?: WEFT_COMPARE(x->link, y->link);
}

/*
 * Sorts links by load.  Links on which a message stays at its place get no colour, and come
 * first.
 */
static void sort_links(struct network *w)
{
    const struct weft_topology *t = &w->topology;
    struct used_link *list = weft_arena_alloc(w->d.arena, (t->n_links + 1) * sizeof *list);
    size_t n = 0;
    uint64_t low = UINT64_MAX, high = 1;
    for (uint64_t link = 0; link < t->n_links; link++) {
        bool stays = weft_topology_stays(t, link);
        if (!w->loads[link])
            continue;
        list[n++] = (struct used_link){ link, stays ? 0 : w->loads[link] };
        if (!stays && w->loads[link] > high)
            high = w->loads[link];
        if (!stays && w->loads[link] < low)
            low = w->loads[link];
    }
    qsort(list, n, sizeof *list, by_load);
    w->used = weft_arena_alloc(w->d.arena, (n + 1) * sizeof *w->used);
    for (size_t i = 0; i < n; i++)
        w->used[i] = list[i].link;
    w->n_used = n;
    w->first = n > MAX_LINKS ? n - MAX_LINKS : 0;
    bool now = w->d.request->has_at;
    /*
     * At a moment colours mean the same in all frames of a run: as many messages as
     * processors are hot.
     */
    if (now)
        high = w->hottest ? w->hottest : w->d.n > 8 ? w->d.n : 8;
    else if (w->hottest)
        high = w->hottest;
    w->scale = now || w->hottest ? diagram_scale_make(1, high, true)
                                 : diagram_scale_fit(low, high);
    w->scale.lines = n - w->first;
}

static bool choose_groups(struct network *w, struct weft_err *err)
{
    for (uint32_t each = 1;; each *= 2) {
        diagram_group(&w->d, each);
        if (w->d.n_groups > MAX_NODES)
            continue;
        if (!network_shape(w, err))
            return false;
        if (w->d.n_groups <= 4 || network_fits(w))
            return true;
    }
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct network w;
    read_settings(&w, request);
    bool ok = diagram_begin(&w.d, request, "natural", err) && choose_groups(&w, err)
              && diagram_ask(&w.d, err) && add_loads(&w, err);
    if (ok) {
        sort_links(&w);
        struct weft_legend_entry legend[DIAGRAM_STEPS + 2];
        bool used[DIAGRAM_STEPS] = { false }, stays = false;
        for (size_t i = w.first; i < w.n_used; i++) {
            bool is = weft_topology_stays(&w.topology, w.used[i]);
            stays |= is;
            if (!is)
                used[diagram_step(&w.scale, w.loads[w.used[i]])] = true;
        }
        size_t n =
            diagram_scale_legend(request->theme, &w.scale, used, request->arena, legend);
        if (stays)
            legend[n++] = (struct weft_legend_entry){
                { .fill = request->theme->grid }, "stays at its processor", -1, 2
            };
        if (w.topology.size > w.d.n_groups)
            legend[n++] =
                (struct weft_legend_entry){ { .fill = 0xff000000 }, "unused", -1, 1 };
        struct weft_frame frame;
        weft_frame_begin(
            &frame, out, request, 0, false, legend, n,
            diagram_subtitle(&w.d, diagram_left_out(&w.d, w.n_used - w.first, w.n_used)));
        network_draw(&frame, &w);
    }
    diagram_end(&w.d);
    return ok;
}

/* ---- The table ---- */

static bool write_link(const struct network *w, struct weft_table *table, uint64_t link,
                       uint64_t messages)
{
    uint32_t from, to;
    weft_topology_ends(&w->topology, link, &from, &to);
    struct weft_cell cells[] = { weft_integer_cell((int64_t)link),
                                 weft_text_cell(network_node_name(w, from)),
                                 weft_text_cell(network_node_name(w, to)),
                                 weft_integer_cell((int64_t)messages) };
    return table->row(table, cells);
}

/* Writes each sum as a row: a crossbar has a link for each pair. */
static void write_crossbar(const struct network *w, struct weft_table *table)
{
    for (size_t i = 0; i < w->d.sums.n; i++) {
        const struct weft_pair_sum *row = &w->d.sums.rows[i];
        if (!write_link(w, table, (uint64_t)row->from * w->topology.n + row->to,
                        row->count))
            return;
    }
}

static bool write_links(struct network *w, struct weft_table *table, struct weft_err *err)
{
    if (!add_loads(w, err))
        return false;
    for (uint64_t link = 0; link < w->topology.n_links; link++)
        if (w->loads[link] && !weft_topology_stays(&w->topology, link)
            && !write_link(w, table, link, w->loads[link]))
            break;
    return true;
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct network w;
    read_settings(&w, request);
    bool ok = diagram_begin(&w.d, request, "natural", err) && network_shape(&w, err)
              && diagram_ask(&w.d, err);
    if (ok) {
        weft_view_begin_table(request, out);
        if (w.kind == WEFT_NETWORK_CROSSBAR)
            write_crossbar(&w, out);
        else
            ok = write_links(&w, out, err);
        out->end(out);
    }
    diagram_end(&w.d);
    return ok;
}

static const struct weft_parameter parameters[] = {
    { .name = "network",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = NETWORK_CHOICES,
      .fallback = "butterfly",
      .help = "which network messages are sent through" },
    { .name = "routing",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = ROUTING_CHOICES,
      .fallback = "auto",
      .help = "of a mesh: rows or columns first; of a hypercube: low or high bits "
              "first" },
    { .name = "aspect",
      .kind = WEFT_PARAMETER_TEXT,
      .fallback = "auto",
      .help = "of a mesh: ROWSxCOLUMNS, ROWS:COLUMNS, or auto",
      .seldom = true },
    { .name = "numbering",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "rows|columns",
      .fallback = "rows",
      .help = "of a mesh: along rows or down columns",
      .seldom = true },
    { .name = "numbers",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "ends|all",
      .fallback = "ends",
      .help = "nodes with a number: those at the edge, or all",
      .seldom = true },
    { .name = "hottest",
      .kind = WEFT_PARAMETER_NUMBER,
      .maximum = 1e15,
      .fallback = "0",
      .help = "messages from which on a link is red; 0: chosen",
      .seldom = true },
    COMM_PARAMETER_COLLECTIVES,
};

static const struct weft_column columns[] = {
    { .name = "link" },
    { .name = "from" },
    { .name = "to" },
    { .name = "messages" },
};

const struct weft_view weft_view_network = {
    .name = "network",
    .title = "Network",
    .group = "Communication",
    .explanation =
        "Messages on their way through the network that was chosen; the more of them "
        "share a link, the hotter its colour.",
    .needs = "messages between processors (weft record --with mpi, or an MPICL trace)",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .moment = WEFT_MOMENT_SHOWN,
    .fills = weft_set_has_traffic,
    .scene = scene,
    .table = table,
};
