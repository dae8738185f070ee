/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "displays/view_of_display.h"

/* All that a display draws, as it came. */
struct marks {
    unsigned char *bytes;
    size_t n, capacity;
    const char *path;
};

static bool keep_marks(void *user, struct message_reader *reader, struct weft_err *err)
{
    enum { MOST = 256 << 20 }; /* bytes */
    struct marks *marks = user;
    size_t n = (size_t)(reader->end - reader->at);
    if (marks->n + n > MOST)
        return weft_fail_at(err, WEFT_ERR_LIMIT, marks->path, 0,
                            "the display drew more than %d MiB of marks", MOST >> 20);
    marks->bytes = weft_grow(marks->bytes, &marks->capacity, marks->n + n, 1);
    memcpy(marks->bytes + marks->n, reader->at, n);
    marks->n += n;
    return true;
}

/* Begins the frame, and has the display draw what fits into its plot. */
static bool draw(struct fed_display *fed, const struct weft_request *request,
                 struct weft_frame *frame, struct weft_scene *out,
                 struct display_words *words, struct marks *marks, struct weft_err *err)
{
    weft_frame_begin(frame, out, request, 0, false, words->legend, words->n,
                     words->subtitle);
    marks->n = 0;
    if (!fed_display_ask(fed, request, MESSAGE_DRAW, frame->plot.width, frame->plot.height,
                         keep_marks, marks, err))
        return false;
    *words = (struct display_words){ 0 };
    display_words_read(words, marks->bytes, marks->n, request->theme, request->arena);
    return true;
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct weft_frame frame;
    struct display_words words = { 0 };
    struct marks marks = {
        .path = ((const struct weft_own_display *)request->view->own)->path
    };
    struct fed_display *fed = fed_display_get(request, err);
    if (!fed)
        return false;
    bool ok = draw(fed, request, &frame, out, &words, &marks, err);
    /* Legend and subtitle are known now, and may leave less room. */
    if (ok && (words.n || words.subtitle))
        ok = draw(fed, request, &frame, out, &words, &marks, err);
    fed_display_release(fed);
    if (ok) {
        weft_scene_layer(out, "display", frame.plot, WEFT_LAYER_FIXED);
        ok = display_marks_draw(&frame, request->view, marks.bytes, marks.n)
             || weft_fail_at(err, WEFT_ERR_READ, marks.path, 0,
                             "the display drew something that is no mark");
    }
    free(marks.bytes);
    return ok;
}

/* The table that rows go to. */
struct rows {
    struct weft_table *table;
    const struct weft_request *request;
    bool full; /* the table wants no more */
};

static bool put_rows(void *user, struct message_reader *reader, struct weft_err *err)
{
    struct rows *rows = user;
    const struct weft_view *view = rows->request->view;
    while (reader->at < reader->end && !reader->wrong) {
        struct weft_cell cells[WEFT_MAX_COLUMNS];
        for (size_t i = 0; i < view->n_columns; i++) {
            if (message_u32(reader)) {
                cells[i] = weft_text_cell(message_text(reader));
                continue;
            }
            /* Whole numbers are written without a point; -0.0 equals 0. */
            double real = message_real(reader);
            bool whole = real > -9e15 && real < 9e15 && real == (double)(int64_t)real;
            cells[i] = whole ? weft_integer_cell((int64_t)real) : weft_real_cell(real, -1);
        }
        if (!reader->wrong && !rows->full)
            rows->full = !rows->table->row(rows->table, cells);
    }
    return !reader->wrong
           || weft_fail(err, WEFT_ERR_READ, "the display wrote a row that is none");
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct rows rows = { out, request, false };
    struct fed_display *fed = fed_display_get(request, err);
    if (!fed)
        return false;
    weft_view_begin_table(request, out);
    bool ok = fed_display_ask(fed, request, MESSAGE_TABLE, 0, 0, put_rows, &rows, err);
    fed_display_release(fed);
    if (ok)
        out->end(out);
    return ok;
}

static bool fills(const struct weft_set *set)
{
    const struct weft_schema *schema = set->sources[0]->schema;
    return schema->n_states || schema->n_events || schema->n_samples || schema->n_links;
}

const struct weft_view display_view = {
    .group = "Own displays",
    .needs = "states, events, samples or links",
    .moment = WEFT_MOMENT_SHOWN,
    .of_all = true,
    .fills = fills,
    .scene = scene,
    .table = table,
};
