/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A graph algorithm that reaches vertices level by level: who reached which, and when.
 *
 * The program says
 *     tracedata(4, 0, "integer", 1, { vertices })         first of all
 *     tracedata(4, 1, "integer", 2, { vertex, vertex })   for each edge
 *     tracedata(4, 2, "integer", 2, { vertex, level })    when it has reached a vertex
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/view.h>

enum { GRAPH = 4, MOST = 100000 }; /* number of the event; vertices */

struct vertex {
    int32_t level, by; /* -1: it is not reached */
    int64_t time_ns;
};

struct graph {
    const struct weft_display_trace *trace;
    struct vertex *vertices;
    uint32_t (*edges)[2];
    uint32_t n_vertices;
    size_t n_edges;
};

static void *begin(const struct weft_display_trace *trace)
{
    struct graph *graph = calloc(1, sizeof *graph);
    graph->trace = trace;
    return graph;
}

static void end(void *state)
{
    struct graph *graph = state;
    free(graph->vertices);
    free(graph->edges);
    free(graph);
}

static void start(struct graph *graph, double vertices)
{
    graph->n_vertices = (uint32_t)vertices;
    graph->vertices = realloc(graph->vertices, graph->n_vertices * sizeof *graph->vertices);
    for (uint32_t v = 0; v < graph->n_vertices; v++)
        graph->vertices[v] = (struct vertex){ -1, -1, 0 };
}

static void event(void *state, const struct weft_display_event *event)
{
    struct graph *graph = state;
    const double *v = event->values;
    if (event->number != GRAPH || !event->n_values || !(v[0] >= 0 && v[0] <= MOST))
        return;
    if (event->data == 0)
        start(graph, v[0]);
    if (event->n_values != 2 || v[0] >= graph->n_vertices)
        return;
    if (event->data == 1 && v[1] >= 0 && v[1] < graph->n_vertices) {
        graph->edges = realloc(graph->edges, (graph->n_edges + 1) * sizeof *graph->edges);
        graph->edges[graph->n_edges][0] = (uint32_t)v[0];
        graph->edges[graph->n_edges++][1] = (uint32_t)v[1];
    }
    if (event->data == 2 && v[1] >= 0 && v[1] <= MOST)
        graph->vertices[(uint32_t)v[0]] =
            (struct vertex){ (int32_t)v[1], graph->trace->rows[event->row].number,
                             event->time_ns };
}

/* The place of a vertex, on a circle. */
static void place(const struct graph *graph, const struct weft_sheet *sheet, uint32_t v,
                  double xy[2])
{
    double smaller = sheet->width < sheet->height ? sheet->width : sheet->height;
    double angle = 2 * 3.14159265358979 * v / graph->n_vertices;
    xy[0] = sheet->width / 2 + (smaller / 2 - 20) * sin(angle);
    xy[1] = sheet->height / 2 - (smaller / 2 - 20) * cos(angle);
}

static void draw_vertices(const struct graph *graph, const struct weft_sheet *sheet,
                          int by_level, int32_t deepest)
{
    char text[100];
    for (uint32_t v = 0; v < graph->n_vertices; v++) {
        const struct vertex *vertex = &graph->vertices[v];
        double xy[2];
        place(graph, sheet, v, xy);
        sheet->circle(sheet, xy[0], xy[1], 8,
                      vertex->level < 0 ? WEFT_INK_NONE
                      : by_level ? WEFT_INK_AMOUNT((vertex->level + 1.0) / (deepest + 1))
                                 : WEFT_INK_NUMBER(vertex->by),
                      WEFT_INK_TEXT);
        snprintf(text, sizeof text,
                 vertex->level < 0 ? "vertex %u: not reached"
                                   : "vertex %u: level %d, by processor %d after %.3g ms",
                 v, vertex->level, vertex->by, (double)vertex->time_ns / 1e6);
        sheet->title(sheet, text);
        sheet->sets(sheet, "colors", by_level ? "processor" : "level");
    }
}

static void draw(void *state, const struct weft_display_moment *now,
                 const struct weft_sheet *sheet)
{
    const struct graph *graph = state;
    int by_level = strcmp(now->settings[0], "level") == 0;
    int32_t deepest = 0;
    uint32_t reached = 0;
    char text[80];
    for (uint32_t v = 0; v < graph->n_vertices; v++) {
        reached += graph->vertices[v].level >= 0;
        if (graph->vertices[v].level > deepest)
            deepest = graph->vertices[v].level;
    }
    for (size_t e = 0; e < graph->n_edges; e++) {
        const struct vertex *a = &graph->vertices[graph->edges[e][0]],
                            *b = &graph->vertices[graph->edges[e][1]];
        double xy[4];
        place(graph, sheet, graph->edges[e][0], xy);
        place(graph, sheet, graph->edges[e][1], xy + 2);
        int lit = a->level >= 0 && b->level >= 0;
        sheet->line(sheet, xy, 2, lit ? WEFT_INK_QUIET : WEFT_INK_GRID, lit ? 1.5 : 1);
    }
    draw_vertices(graph, sheet, by_level, deepest);
    snprintf(text, sizeof text, "%u of %u vertices are reached, to level %d", reached,
             graph->n_vertices, deepest);
    sheet->subtitle(sheet, text);
}

static void table(void *state, const struct weft_display_moment *now,
                  const struct weft_display_table *table)
{
    const struct graph *graph = state;
    (void)now;
    for (uint32_t v = 0; v < graph->n_vertices; v++) {
        const struct vertex *vertex = &graph->vertices[v];
        const struct weft_display_cell cells[] = {
            { NULL, v },
            { NULL, vertex->level },
            { NULL, vertex->by },
            { NULL, vertex->level < 0 ? NAN : (double)vertex->time_ns }
        };
        table->row(table, cells);
    }
}

static const char *const columns[] = { "vertex", "level", "processor", "time_ns" };
static const struct weft_display_setting settings[] = {
    { "colors", "level|processor", 0, 0, "level", "what the colours are" },
};
static const struct weft_display_key keys[] = {
    { '1', "colors", 1, "colour by level or by processor" },
};

static const struct weft_display graph = {
    .version = WEFT_DISPLAY_VERSION,
    .name = "graph",
    .title = "Graph",
    .explanation = "Each circle is a vertex, filled when it is reached, the darker the "
                   "later, or in the colour of the processor that reached it.",
    .takes = 1u << WEFT_DISPLAY_INSTANT,
    .settings = settings,
    .n_settings = sizeof settings / sizeof *settings,
    .keys = keys,
    .n_keys = sizeof keys / sizeof *keys,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .begin = begin,
    .event = event,
    .draw = draw,
    .table = table,
    .end = end,
};

WEFT_DISPLAYS(&graph);
