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

#include "domains/tasks/view/dag_picture_priv.h"
#include "domains/tasks/view/views.h"
#include "store/time.h"
#include "view/axis_ticks.h"

enum { STATUS = 20 }; /* pixels: height of the line */

/* Opened, closed and tagged nodes are shared by all panels that show the DAG. */
#define DAG_PARAMETERS(wheel)                                                              \
 { .name = "depth",                                                                        \
   .kind = WEFT_PARAMETER_NUMBER,                                                          \
   .maximum = 1e6,                                                                         \
   .fallback = "0",                                                                        \
   .help = "how many levels are open; 0: whatever there is room for",                      \
   .shared = true },                                                                       \
     { .name = "color",                                                                    \
       .kind = WEFT_PARAMETER_CHOICE,                                                      \
       .choices = "worker|cpu|kind|begin|end|both",                                        \
       .fallback = "worker",                                                               \
       .help = "what colours say; begin, end: places in the program" },                    \
     { .name = "edges",                                                                    \
       .kind = WEFT_PARAMETER_CHOICE,                                                      \
       .choices = "straight|down|winding|none",                                            \
       .fallback = "straight",                                                             \
       .help = "how edges are drawn" },                                                    \
     { .name = "critical",                                                                 \
       .kind = WEFT_PARAMETER_FLAG,                                                        \
       .fallback = "off",                                                                  \
       .help = "draw the critical path of work over it" },                                 \
     { .name = "click",                                                                    \
       .kind = WEFT_PARAMETER_CHOICE,                                                      \
       .choices = "select|open",                                                           \
       .fallback = "select",                                                               \
       .help = "what a click does; a double click does the other",                         \
       .seldom = true },                                                                   \
     { .name = "wheel",                                                                    \
       .kind = WEFT_PARAMETER_WHEEL,                                                       \
       .choices = wheel,                                                                   \
       .fallback = "zoom",                                                                 \
       .help = "what the wheel does",                                                      \
       .seldom = true },                                                                   \
     { .name = "radius",                                                                   \
       .kind = WEFT_PARAMETER_NUMBER,                                                      \
       .minimum = 0.05,                                                                    \
       .maximum = 1,                                                                       \
       .fallback = "0.9",                                                                  \
       .help = "how much of its room a node takes",                                        \
       .seldom = true },                                                                   \
     { .name = "opened",                                                                   \
       .kind = WEFT_PARAMETER_ENTITIES,                                                    \
       .fallback = "",                                                                     \
       .help = "open below the depth (node:NUMBER,NUMBER)",                                \
       .seldom = true,                                                                     \
       .shared = true },                                                                   \
     { .name = "closed",                                                                   \
       .kind = WEFT_PARAMETER_ENTITIES,                                                    \
       .fallback = "",                                                                     \
       .help = "closed above the depth (node:NUMBER,NUMBER)",                              \
       .seldom = true,                                                                     \
       .shared = true },                                                                   \
     { .name = "tags",                                                                     \
       .kind = WEFT_PARAMETER_ENTITIES,                                                    \
       .fallback = "",                                                                     \
       .help = "nodes whose facts are shown (node:NUMBER,NUMBER)",                         \
       .seldom = true,                                                                     \
       .shared = true },                                                                   \
     { .name = "node",                                                                     \
       .kind = WEFT_PARAMETER_ENTITY,                                                      \
       .fallback = "",                                                                     \
       .help = "mark this node (node:NUMBER, or an id)",                                   \
       .seldom = true },                                                                   \
     { .name = "zoom",                                                                     \
       .kind = WEFT_PARAMETER_ZOOM,                                                        \
       .maximum = 1e9,                                                                     \
       .fallback = "0",                                                                    \
       .help = "1: a node is 20 pixels wide; 0: all of it fits",                           \
       .seldom = true },                                                                   \
     { .name = "tall",                                                                     \
       .kind = WEFT_PARAMETER_TALL,                                                        \
       .maximum = 1e6,                                                                     \
       .fallback = "0",                                                                    \
       .help = "how many times more zoom enlarges heights; 0: as much as widths",          \
       .seldom = true },                                                                   \
     { .name = "x",                                                                        \
       .kind = WEFT_PARAMETER_PLACE_X,                                                     \
       .minimum = -1e12,                                                                   \
       .maximum = 1e12,                                                                    \
       .fallback = "0.5",                                                                  \
       .help = "where the root stands, from the left (0) to the right (1)",                \
       .seldom = true },                                                                   \
 {                                                                                         \
  .name = "y", .kind = WEFT_PARAMETER_PLACE_Y, .minimum = -1e12, .maximum = 1e12,          \
  .fallback = "0", .help = "where the root stands, from the top (0) to the bottom (1)",    \
  .seldom = true                                                                           \
 }

static const struct weft_parameter round_parameters[] = {
    DAG_PARAMETERS("zoom|x|y|radius"),
};
static const struct weft_parameter long_parameters[] = {
    DAG_PARAMETERS("zoom|x|y|radius|radix"),
    { .name = "scale",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "log|power|linear",
      .fallback = "log",
      .help = "how heights depend on work" },
    { .name = "radix",
      .kind = WEFT_PARAMETER_NUMBER,
      .maximum = 1e12,
      .fallback = "0",
      .help = "log: its base; power: the exponent; linear: ns of a node's width; "
              "0: it suits" },
};

static bool is_setting(const struct dag_picture *p, const char *name, const char *value)
{
    return strcmp(weft_setting(p->request, name), value) == 0;
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
    if (p->request->view != &weft_view_dag_box)
        return true;
    p->style.scale = is_setting(p, "scale", "power")    ? WEFT_DAG_POWER
                     : is_setting(p, "scale", "linear") ? WEFT_DAG_LINEAR
                                                        : WEFT_DAG_LOGARITHMIC;
    p->style.radix = weft_setting_number(p->request, "radix");
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
    return weft_entity_set_parse(set, weft_setting(p->request, name), err);
}

static bool read_settings(struct dag_picture *p, struct weft_err *err)
{
    static const char *const colors[] = { "worker", "cpu", "kind", "begin", "end", "both" };
    static const char *const edges[] = { "straight", "down", "winding", "none" };
    const char *node = weft_setting(p->request, "node");
    double depth = weft_setting_number(p->request, "depth");
    for (size_t i = 0; i < sizeof colors / sizeof *colors; i++)
        if (is_setting(p, "color", colors[i]))
            p->color = (enum dag_color)i;
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        if (is_setting(p, "edges", edges[i]))
            p->edges = (enum dag_edges)i;
    p->critical = is_setting(p, "critical", "on");
    p->click_opens = is_setting(p, "click", "open");
    p->radius = weft_setting_number(p->request, "radius");
    p->asked = p->depth = depth > 0 ? (uint32_t)depth : WEFT_DAG_ALL;
    p->marked = WEFT_NONE;
    if (*node && !weft_dag_node_named(p->dag, "node", node, &p->marked, err))
        return false;
    return read_style(p, err) && read_set(p, "opened", &p->opened, err)
           && read_set(p, "closed", &p->closed, err) && read_set(p, "tags", &p->tags, err);
}

bool dag_begin(struct dag_picture *p, const struct weft_request *request,
               struct weft_scene *scene, struct weft_err *err)
{
    *p =
        (struct dag_picture){ .request = request, .arena = request->arena, .scene = scene };
    p->source = request->set->sources[0];
    p->schema = p->source->schema;
    p->dag = dag_opened(p->request->use, err);
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
}

/* ---- Frame ---- */

static struct weft_rect cut_status_line(struct dag_picture *p)
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
        weft_frame_begin(&p->frame, p->scene, p->request, 0, false, legend, n, subtitle(p));
        line = cut_status_line(p);
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
            weft_number_text(p->arena, WEFT_DAG_LAYOUT_MAX, 0));
    return weft_arena_printf(p->arena, "depth %u", p->depth);
}

/* The status line: nodes drawn, in the DAG, and in the run; and how many are hidden. */
static void draw_status(struct dag_picture *p, struct weft_rect line)
{
    struct weft_arena *arena = p->arena;
    struct weft_dag_node root;
    const char *parts[5];
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
    if (weft_dag_orders(p->dag) > 0 && p->edges != DAG_NO_EDGES)
        parts[n++] = "dashed: could not begin before";
    if (p->hidden)
        parts[n++] = weft_arena_printf(arena, "%s too small to see",
                                       weft_number_text(arena, (double)p->hidden, 0));
    if (p->crowded)
        parts[n++] = weft_arena_printf(arena, "%s not drawn: more than %s side by side",
                                       weft_number_text(arena, (double)p->crowded, 0),
                                       weft_number_text(arena, DAG_MAX_READ_NODES, 0));
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

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct dag_picture p;
    if (!dag_begin(&p, request, out, err))
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

bool dag_fills(const struct weft_set *set)
{
    return weft_dag_fills(set->sources[0]);
}

static enum weft_place place(const struct weft_set *set)
{
    return weft_dag_has_tasks(set->sources[0]) ? WEFT_PLACE_MAIN : WEFT_PLACE_NONE;
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
    .fills = dag_fills,
    .place = place,
    .scene = scene,
    .table = dag_table,
    .point = dag_point,
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
    .fills = dag_fills,
    .scene = scene,
    .table = dag_table,
    .point = dag_point,
};
