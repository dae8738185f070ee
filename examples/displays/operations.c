/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operation counts: how many flops, particles or transactions each processor has handled.
 *
 * The program says tracedata(5, KIND, "integer", 1, { n }) when it has done N operations of
 * a kind, 0 to 7.
 */
#include <stdio.h>
#include <stdlib.h>
#include <weft/view.h>

enum { OPERATIONS = 5, KINDS = 8 }; /* number of the event */

struct counts {
    const struct weft_display_trace *trace;
    double (*done)[KINDS]; /* [n_rows] */
};

static void *begin(const struct weft_display_trace *trace)
{
    struct counts *counts = calloc(1, sizeof *counts);
    counts->trace = trace;
    counts->done = calloc(trace->n_rows, sizeof *counts->done);
    return counts;
}

static void end(void *state)
{
    free(((struct counts *)state)->done);
    free(state);
}

static void event(void *state, const struct weft_display_event *event)
{
    struct counts *counts = state;
    if (event->number == OPERATIONS && event->data >= 0 && event->data < KINDS
        && event->n_values)
        counts->done[event->row][event->data] += event->values[0];
}

static void draw(void *state, const struct weft_display_moment *now,
                 const struct weft_sheet *sheet)
{
    const struct counts *counts = state;
    const struct weft_display_trace *trace = counts->trace;
    int kind = atoi(now->settings[0]);
    double most = 0, total = 0, at = 0;
    uint32_t n = 0;
    char text[120];
    for (uint32_t r = 0; r < trace->n_rows; r++)
        if (trace->rows[r].number >= 0) {
            n++;
            total += counts->done[r][kind];
            most = counts->done[r][kind] > most ? counts->done[r][kind] : most;
        }
    double bottom = sheet->height - 20, wide = n ? sheet->width / n : 1;
    for (uint32_t r = 0; r < trace->n_rows; r++) {
        if (trace->rows[r].number < 0)
            continue;
        double done = counts->done[r][kind];
        double tall = most > 0 ? (bottom - 24) * done / most : 0;
        sheet->rectangle(sheet, at + wide * 0.1, bottom - tall, wide * 0.8, tall,
                         WEFT_INK_NUMBER(trace->rows[r].number), WEFT_INK_NONE);
        snprintf(text, sizeof text, "%s: %.0f operations of kind %d", trace->rows[r].name,
                 done, kind);
        sheet->title(sheet, text);
        snprintf(text, sizeof text, "%.0f", done);
        sheet->text(sheet, at + wide / 2, bottom - tall - 5, WEFT_DISPLAY_CENTER, 0,
                    WEFT_INK_TEXT, text);
        snprintf(text, sizeof text, "%d", trace->rows[r].number);
        sheet->text(sheet, at + wide / 2, sheet->height - 5, WEFT_DISPLAY_CENTER, 0,
                    WEFT_INK_QUIET, text);
        at += wide;
    }
    snprintf(text, sizeof text, "kind %d: %.0f in all, %.4g a second", kind, total,
             now->time_ns > 0 ? total / ((double)now->time_ns / 1e9) : 0);
    sheet->subtitle(sheet, text);
}

static void table(void *state, const struct weft_display_moment *now,
                  const struct weft_display_table *table)
{
    const struct counts *counts = state;
    for (uint32_t r = 0; r < counts->trace->n_rows; r++)
        for (int kind = 0; kind < KINDS; kind++) {
            double done = counts->done[r][kind];
            const struct weft_display_cell cells[] = {
                { NULL, counts->trace->rows[r].number },
                { NULL, kind },
                { NULL, done },
                { NULL, now->time_ns > 0 ? done / ((double)now->time_ns / 1e9) : 0 }
            };
            if (done > 0)
                table->row(table, cells);
        }
}

static const char *const columns[] = { "processor", "kind", "operations",
                                       "operations_per_s" };
static const struct weft_display_setting settings[] = {
    { "kind", NULL, 0, KINDS - 1, "0", "number of the kind that is shown" },
};
static const struct weft_display_key keys[] = {
    { '1', "kind", 1, "show the next kind of operations" },
    { '2', "kind", -1, "show the kind before" },
};

static const struct weft_display operations = {
    .version = WEFT_DISPLAY_VERSION,
    .name = "operations",
    .title = "Operations",
    .explanation = "Each bar is how many operations of a kind a processor has done.",
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

WEFT_DISPLAYS(&operations);
