/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A parallel sort: what each processor holds, item by item.
 *
 * The program says tracedata(1, PROCESSOR, "integer", N, items) when it holds other items
 * than before.
 *
 *     cc -shared -fPIC -o sorting.so sorting.c $(pkg-config --cflags weft)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/view.h>

enum { SORTING = 1, MOST = 4096 }; /* number of the event; processors, and items of one */

struct list {
    double *items;
    uint32_t n;
};

struct sort {
    struct list lists[MOST]; /* by processor */
    uint32_t n;
    int64_t changes;
};

static void *begin(const struct weft_display_trace *trace)
{
    (void)trace;
    return calloc(1, sizeof(struct sort));
}

static void end(void *state)
{
    struct sort *sort = state;
    for (uint32_t p = 0; p < sort->n; p++)
        free(sort->lists[p].items);
    free(sort);
}

static void event(void *state, const struct weft_display_event *event)
{
    struct sort *sort = state;
    if (event->number != SORTING || event->data < 0 || event->data >= MOST
        || event->n_values > MOST)
        return;
    struct list *list = &sort->lists[event->data];
    if (sort->n <= (uint32_t)event->data)
        sort->n = (uint32_t)event->data + 1;
    list->items = realloc(list->items, (event->n_values + 1) * sizeof *list->items);
    memcpy(list->items, event->values, event->n_values * sizeof *list->items);
    list->n = event->n_values;
    sort->changes++;
}

/* The greatest item and the number of all. */
static double measure(const struct sort *sort, uint32_t *total)
{
    double greatest = 1;
    *total = 0;
    for (uint32_t p = 0; p < sort->n; p++)
        for (uint32_t i = 0; i < sort->lists[p].n; i++, ++*total)
            if (sort->lists[p].items[i] > greatest)
                greatest = sort->lists[p].items[i];
    return greatest;
}

static void draw(void *state, const struct weft_display_moment *now,
                 const struct weft_sheet *sheet)
{
    const struct sort *sort = state;
    uint32_t total, place = 0;
    double greatest = measure(sort, &total), bottom = sheet->height - 20;
    char text[80];
    (void)now;
    snprintf(text, sizeof text, "%u items on %u processors, changed %lld times", total,
             sort->n, (long long)sort->changes);
    sheet->subtitle(sheet, text);
    if (!total) {
        sheet->text(sheet, sheet->width / 2, sheet->height / 2, WEFT_DISPLAY_CENTER, 0,
                    WEFT_INK_QUIET, "no processor has said what it holds yet");
        return;
    }
    double wide = sheet->width / total;
    for (uint32_t p = 0; p < sort->n; p++) {
        const struct list *list = &sort->lists[p];
        double left = wide * place;
        for (uint32_t i = 0; i < list->n; i++, place++) {
            double tall = (bottom - 8) * list->items[i] / greatest;
            sheet->rectangle(sheet, wide * place, bottom - tall, wide > 4 ? wide - 1 : wide,
                             tall, WEFT_INK_NUMBER(p), WEFT_INK_NONE);
            snprintf(text, sizeof text, "item %g, place %u of processor %u", list->items[i],
                     i, p);
            sheet->title(sheet, text);
            snprintf(text, sizeof text, "processor number %u", p);
            sheet->lists(sheet, text);
        }
        snprintf(text, sizeof text, "%u", p);
        sheet->text(sheet, left + wide * list->n / 2, sheet->height - 5,
                    WEFT_DISPLAY_CENTER, 0, WEFT_INK_QUIET, text);
        if (p) {
            double edge[] = { left, 0, left, bottom };
            sheet->line(sheet, edge, 2, WEFT_INK_GRID, 1);
        }
    }
}

static void table(void *state, const struct weft_display_moment *now,
                  const struct weft_display_table *table)
{
    const struct sort *sort = state;
    (void)now;
    for (uint32_t p = 0; p < sort->n; p++)
        for (uint32_t i = 0; i < sort->lists[p].n; i++) {
            const struct weft_display_cell cells[] = { { NULL, p },
                                                       { NULL, i },
                                                       { NULL, sort->lists[p].items[i] } };
            table->row(table, cells);
        }
}

static const char *const columns[] = { "processor", "place", "item" };

static const struct weft_display sorting = {
    .version = WEFT_DISPLAY_VERSION,
    .name = "sorting",
    .title = "Sorting",
    .explanation = "Each bar is an item, as tall as its value, at the processor that holds "
                   "it; sorted, they rise from left to right.",
    .takes = 1u << WEFT_DISPLAY_INSTANT,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .begin = begin,
    .event = event,
    .draw = draw,
    .table = table,
    .end = end,
};

WEFT_DISPLAYS(&sorting);
