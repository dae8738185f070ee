/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Views of task DAGs, after DAGViz (A. Huynh, "DAGViz: A DAG Visualization Tool for
 * Analyzing Task Parallel Programs", master's thesis, The University of Tokyo, 2015,
 * sections 3.3.1 and 3.3.2): with round nodes, and with long nodes, whose height shows
 * their work.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "domains/tasks/view/dag_picture.h"
#include "domains/tasks/view/views.h"
#include "store/time.h"
#include "view/scale.h"

enum { STATUS = 20 }; /* pixels: height of the line */

/* Opened, closed and tagged nodes are shared by all panels that show the DAG. */
/* clang-format off */
#define DAG_PARAMETERS(wheel)                                                                \
    { "depth", WEFT_PARAMETER_NUMBER, NULL, 0, 1e6, "0",                                     \
      "how many levels are open; 0: whatever there is room for", false, NULL, true },        \
    { "color", WEFT_PARAMETER_CHOICE, "worker|cpu|kind|begin|end|both", 0, 0, "worker",      \
      "what colours say; begin, end: places in the program", false, NULL, false },           \
    { "edges", WEFT_PARAMETER_CHOICE, "straight|down|winding|none", 0, 0, "straight",        \
      "how edges are drawn", false, NULL, false },                                           \
    { "critical", WEFT_PARAMETER_FLAG, NULL, 0, 0, "off",                                    \
      "draw the critical path of work over it", false, NULL, false },                        \
    { "click", WEFT_PARAMETER_CHOICE, "select|open", 0, 0, "select",                         \
      "what a click does; a double click does the other", true, NULL, false },               \
    { "wheel", WEFT_PARAMETER_WHEEL, wheel, 0, 0, "zoom",                                    \
      "what the wheel does", true, NULL, false },                                            \
    { "radius", WEFT_PARAMETER_NUMBER, NULL, 0.05, 1, "0.9",                                 \
      "how much of its room a node takes", true, NULL, false },                              \
    { "opened", WEFT_PARAMETER_ENTITIES, NULL, 0, 0, "",                                     \
      "open below the depth (node:NUMBER,NUMBER)", true, NULL, true },                       \
    { "closed", WEFT_PARAMETER_ENTITIES, NULL, 0, 0, "",                                     \
      "closed above the depth (node:NUMBER,NUMBER)", true, NULL, true },                     \
    { "tags", WEFT_PARAMETER_ENTITIES, NULL, 0, 0, "",                                       \
      "nodes whose facts are shown (node:NUMBER,NUMBER)", true, NULL, true },                \
    { "node", WEFT_PARAMETER_ENTITY, NULL, 0, 0, "",                                         \
      "mark this node (node:NUMBER, or an id)", true, NULL, false },                         \
    { "zoom", WEFT_PARAMETER_ZOOM, NULL, 0, 1e9, "0",                                        \
      "1: a node is 20 pixels wide; 0: all of it fits", true, NULL, false },                 \
    { "tall", WEFT_PARAMETER_TALL, NULL, 0, 1e6, "0",                                        \
      "how many times more zoom enlarges heights; 0: as much as widths", true, NULL, false }, \
    { "x", WEFT_PARAMETER_PLACE_X, NULL, -1e12, 1e12, "0.5",                                 \
      "where the root stands, from the left (0) to the right (1)", true, NULL, false },      \
    { "y", WEFT_PARAMETER_PLACE_Y, NULL, -1e12, 1e12, "0",                                   \
      "where the root stands, from the top (0) to the bottom (1)", true, NULL, false }

static const struct weft_parameter round_parameters[] = {
    DAG_PARAMETERS("zoom|x|y|radius"),
};
static const struct weft_parameter long_parameters[] = {
    DAG_PARAMETERS("zoom|x|y|radius|radix"),
    { "scale", WEFT_PARAMETER_CHOICE, "log|power|linear", 0, 0, "log",
      "how heights depend on work", false, NULL, false },
    { "radix", WEFT_PARAMETER_NUMBER, NULL, 0, 1e12, "0",
      "log: its base; power: the exponent; linear: ns of a node's width; 0: it suits",
      false, NULL, false },
};
/* clang-format on */

static bool is_setting(const struct dag_picture *p, const char *name, const char *value)
{
    return strcmp(weft_setting(p->view, p->request, name), value) == 0;
}

/* ---- Settings ---- */

/* DAGViz's defaults; for linear heights, the radix with which the largest leaf would be 40
   widths high. */
static double radix_that_suits(const struct dag_picture *p, enum weft_dag_scale scale)
{
    struct weft_dag_node root;
    if (scale == WEFT_DAG_LOGARITHMIC)
        return 1.8;
    if (scale == WEFT_DAG_POWER)
        return 0.42;
    weft_dag_node(p->dag, 0, &root);
    return fmax((double)root.critical_path * p->style.ns_per_tick / 200, 1);
}

static bool read_style(struct dag_picture *p, struct weft_err *err)
{
    p->style.ns_per_tick = (double)weft_ticks_to_ns(p->schema, 1000000) / 1e6;
    p->style.scale = WEFT_DAG_ROUND;
    if (p->view != &weft_view_dag_box)
        return true;
    p->style.scale = is_setting(p, "scale", "power")    ? WEFT_DAG_POWER
                     : is_setting(p, "scale", "linear") ? WEFT_DAG_LINEAR
                                                        : WEFT_DAG_LOGARITHMIC;
    p->style.radix = weft_setting_number(p->view, p->request, "radix");
    if (p->style.radix == 0)
        p->style.radix = radix_that_suits(p, p->style.scale);
    if (p->style.scale == WEFT_DAG_LOGARITHMIC && p->style.radix <= 1)
        return weft_fail(err, WEFT_ERR_USAGE, "radix=%g (right: more than 1, as scale=log)",
                         p->style.radix);
    if (p->style.scale == WEFT_DAG_POWER && p->style.radix > 1)
        return weft_fail(err, WEFT_ERR_USAGE, "radix=%g (right: at most 1, as scale=power)",
                         p->style.radix);
    return true;
}

static bool read_set(struct dag_picture *p, const char *name, struct weft_entity_set *set,
                     struct weft_err *err)
{
    return weft_entity_set_parse(set, weft_setting(p->view, p->request, name), err);
}

static bool read_settings(struct dag_picture *p, struct weft_err *err)
{
    static const char *const colors[] = { "worker", "cpu", "kind", "begin", "end", "both" };
    static const char *const edges[] = { "straight", "down", "winding", "none" };
    const char *node = weft_setting(p->view, p->request, "node");
    double depth = weft_setting_number(p->view, p->request, "depth");
    for (size_t i = 0; i < sizeof colors / sizeof *colors; i++)
        if (is_setting(p, "color", colors[i]))
            p->color = (enum dag_color)i;
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        if (is_setting(p, "edges", edges[i]))
            p->edges = (enum dag_edges)i;
    p->critical = is_setting(p, "critical", "on");
    p->click_opens = is_setting(p, "click", "open");
    p->radius = weft_setting_number(p->view, p->request, "radius");
    p->asked = p->depth = depth > 0 ? (uint32_t)depth : WEFT_DAG_ALL;
    p->marked = WEFT_NONE;
    if (*node && !weft_dag_node_named(p->dag, "node", node, &p->marked, err))
        return false;
    return read_style(p, err) && read_set(p, "opened", &p->opened, err)
           && read_set(p, "closed", &p->closed, err) && read_set(p, "tags", &p->tags, err);
}

bool dag_begin(struct dag_picture *p, const struct weft_view *view,
               const struct weft_request *request, struct weft_arena *arena,
               struct weft_scene *scene, struct weft_err *err)
{
    *p = (struct dag_picture){
        .request = request, .view = view, .arena = arena, .scene = scene
    };
    weft_use_begin(&p->prepared, request);
    p->source = request->set->sources[0];
    p->schema = p->source->schema;
    p->dag = dag_opened(&p->prepared, err);
    if (p->dag && read_settings(p, err) && dag_number_places(p, err)
        && (p->layout = dag_layout_of(p, err)))
        return true;
    dag_end(p);
    return false;
}

void dag_end(struct dag_picture *p)
{
    dag_walk_free(p);
    weft_entity_set_free(&p->opened);
    weft_entity_set_free(&p->closed);
    weft_entity_set_free(&p->tags);
    weft_use_end(&p->prepared);
}

/* ---- Frame ---- */

static struct weft_rect take_line(struct dag_picture *p)
{
    struct weft_rect *plot = &p->frame.plot, line = { 0 };
    if (plot->height > 7 * STATUS) {
        plot->height -= STATUS;
        line = (struct weft_rect){ plot->x, plot->y + plot->height, plot->width, STATUS };
        p->scene->frame.plot = *plot;
    }
    return line;
}

static const char *subtitle(const struct dag_picture *p)
{
    struct weft_dag_node root;
    char work[WEFT_TIME_TEXT], span[WEFT_TIME_TEXT];
    weft_dag_node(p->dag, 0, &root);
    if (weft_dag_is_lost(&root))
        return "the figures of the run cannot be read";
    weft_duration_text(p->schema, root.work, work);
    weft_duration_text(p->schema, root.critical_path, span);
    return weft_arena_printf(p->arena, "work %s · critical path %s · %u worker%s", work,
                             span, weft_dag_workers(p->dag),
                             weft_dag_workers(p->dag) == 1 ? "" : "s");
}

/* The legend depends on the visible nodes and takes room from the picture, so the layout is
   made without it, and again with it if that changed the room. */
struct weft_rect dag_lay_out(struct dag_picture *p)
{
    struct weft_legend_entry *legend = NULL;
    struct weft_rect line = { 0 };
    size_t n = 0;
    for (int pass = 0; pass < 2; pass++) {
        weft_frame_begin(&p->frame, p->scene, p->arena, p->view, p->request, 0, false,
                         legend, n, subtitle(p));
        line = take_line(p);
        if (pass && p->frame.plot.height == p->plot.height) { /* the layout still fits */
            dag_place_root(p);
            break;
        }
        dag_place_root(p);
        dag_walk(p);
        n = dag_legend(p, &legend);
    }
    return line;
}

static const char *depth_text(const struct dag_picture *p)
{
    if (p->depth == WEFT_DAG_ALL)
        return weft_arena_printf(p->arena, "depth %u%s", p->deepest,
                                 p->hidden ? ", more when enlarged" : "");
    if (p->asked == WEFT_DAG_ALL)
        return weft_arena_printf(p->arena, "depth %u, chosen: open more by double clicks",
                                 p->depth);
    if (p->depth < p->asked)
        return weft_arena_printf(
            p->arena, "depth %u: a deeper level has more than %s nodes", p->depth,
            weft_number_text(p->arena, WEFT_DAG_LAYOUT_MOST, 0));
    return weft_arena_printf(p->arena, "depth %u", p->depth);
}

/* The status line: nodes drawn, in the DAG, and in the run; and how many are hidden. */
static void draw_status(struct dag_picture *p, struct weft_rect line)
{
    struct weft_arena *arena = p->arena;
    struct weft_dag_node root;
    const char *parts[4];
    size_t n = 0;
    uint64_t logical = 0;
    weft_dag_node(p->dag, 0, &root);
    for (int i = 0; i < WEFT_DAG_LEAF_KINDS; i++)
        logical += root.leaves[i];
    parts[n++] = weft_arena_printf(
        arena, "%s of %s nodes drawn", weft_number_text(arena, (double)p->n_seen, 0),
        weft_number_text(arena, (double)weft_dag_size(p->dag), 0));
    if (!weft_dag_is_lost(&root))
        parts[0] = weft_arena_printf(arena, "%s, which stand for %s intervals", parts[0],
                                     weft_number_text(arena, (double)logical, 0));
    parts[n++] = depth_text(p);
    if (p->hidden)
        parts[n++] = weft_arena_printf(arena, "%s too small to see",
                                       weft_number_text(arena, (double)p->hidden, 0));
    if (p->crowded)
        parts[n++] = weft_arena_printf(arena, "%s not drawn: more than %s side by side",
                                       weft_number_text(arena, (double)p->crowded, 0),
                                       weft_number_text(arena, DAG_MOST_READ, 0));
    weft_scene_layer(p->scene, "status", line, WEFT_LAYER_FIXED);
    const char *text =
        weft_text_parts(arena, WEFT_FONT_SANS, WEFT_SMALL_SIZE, parts, n, line.width);
    if (text) /* NULL if not even the first part has room */
        text = weft_text_fit(arena, WEFT_FONT_SANS, WEFT_SMALL_SIZE, text, line.width);
    if (text)
        weft_scene_text(p->scene, (struct weft_point){ line.x, line.y + 14 },
                        WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                        p->request->theme->quiet, text);
}

static bool scene_of(const struct weft_view *view, const struct weft_request *request,
                     struct weft_arena *arena, struct weft_scene *out, struct weft_err *err)
{
    struct dag_picture p;
    if (!dag_begin(&p, view, request, arena, out, err))
        return false;
    struct weft_rect line = dag_lay_out(&p);
    dag_tell_marked(&p);
    out->frame.levels = p.depth == WEFT_DAG_ALL ? p.deepest : p.depth;
    dag_draw(&p);
    if (line.width > 0)
        draw_status(&p, line);
    dag_end(&p);
    return true;
}

/* ---- The two views ---- */

static bool fills(const struct weft_set *set)
{
    return weft_dag_fills(set->sources[0]);
}

static bool round_scene(const struct weft_request *request, struct weft_arena *arena,
                        struct weft_scene *out, struct weft_err *err)
{
    return scene_of(&weft_view_dag, request, arena, out, err);
}

static bool round_table(const struct weft_request *request, struct weft_table *out,
                        struct weft_err *err)
{
    return dag_table(&weft_view_dag, request, out, err);
}

static bool round_point(const struct weft_request *request, struct weft_point at,
                        uint64_t *id, struct weft_table *table, struct weft_err *err)
{
    return dag_point(&weft_view_dag, request, at, id, table, err);
}

static bool long_scene(const struct weft_request *request, struct weft_arena *arena,
                       struct weft_scene *out, struct weft_err *err)
{
    return scene_of(&weft_view_dag_box, request, arena, out, err);
}

static bool long_table(const struct weft_request *request, struct weft_table *out,
                       struct weft_err *err)
{
    return dag_table(&weft_view_dag_box, request, out, err);
}

static bool long_point(const struct weft_request *request, struct weft_point at,
                       uint64_t *id, struct weft_table *table, struct weft_err *err)
{
    return dag_point(&weft_view_dag_box, request, at, id, table, err);
}

#define DAG_NEEDS "tasks (weft record --with omp, weft_task.h, or a .dag file)"

const struct weft_view weft_view_dag = {
    .name = "dag",
    .title = "Task DAG",
    .group = "Tasks",
    .explanation = "What follows a node stands below it: a created task at the left, what "
                   "its creator did next at the right; boxes hold what is inside.",
    .needs = DAG_NEEDS,
    .of_run = true,
    .parameters = round_parameters,
    .n_parameters = sizeof round_parameters / sizeof *round_parameters,
    .columns = dag_columns,
    .n_columns = DAG_COLUMNS,
    .fills = fills,
    .usual_place = WEFT_PLACE_MAIN,
    .scene = round_scene,
    .table = round_table,
    .point = round_point,
};

const struct weft_view weft_view_dag_box = {
    .name = "dag-box",
    .title = "Task DAG, long nodes",
    .group = "Tasks",
    .explanation =
        "What follows a node stands below it: a created task at the left, what "
        "its creator did next at the right; the more work, the higher a node: by "
        "its logarithm, unless the scale says otherwise.",
    .needs = DAG_NEEDS,
    .of_run = true,
    .parameters = long_parameters,
    .n_parameters = sizeof long_parameters / sizeof *long_parameters,
    .columns = dag_columns,
    .n_columns = DAG_COLUMNS,
    .fills = fills,
    .scene = long_scene,
    .table = long_table,
    .point = long_point,
};
