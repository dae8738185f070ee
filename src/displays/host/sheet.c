/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of struct weft_sheet and weft_display_table: they send marks and rows. */
#include <stdlib.h>

#include "displays/host/host.h"
#include "view/picture_frame.h"

enum { MOST_POINTS = 65536 }; /* of a line or polygon, as weft/view.h says */

/* Begins a mark of a kind, in a message that goes out when it is long enough. */
static struct message *mark(const struct weft_sheet *sheet, enum mark_kind kind)
{
    struct host *host = sheet->host;
    if (host->answer.size > MESSAGE_USUAL) {
        if (!host_send(&host->answer))
            exit(1);
        message_begin(&host->answer, MESSAGE_MARKS);
    }
    message_put_u32(&host->answer, kind);
    return &host->answer;
}

static void rectangle(const struct weft_sheet *sheet, double x, double y, double width,
                      double height, weft_display_ink fill, weft_display_ink outline)
{
    struct message *m = mark(sheet, MARK_RECTANGLE);
    message_put_real(m, x);
    message_put_real(m, y);
    message_put_real(m, width);
    message_put_real(m, height);
    message_put_u32(m, fill);
    message_put_u32(m, outline);
}

static void circle(const struct weft_sheet *sheet, double x, double y, double radius,
                   weft_display_ink fill, weft_display_ink outline)
{
    struct message *m = mark(sheet, MARK_CIRCLE);
    message_put_real(m, x);
    message_put_real(m, y);
    message_put_real(m, radius);
    message_put_u32(m, fill);
    message_put_u32(m, outline);
}

static void put_points(struct message *m, const double *xy, size_t n)
{
    n = n < MOST_POINTS ? n : MOST_POINTS;
    message_put_u32(m, (uint32_t)n);
    message_put(m, xy, n * 2 * sizeof *xy);
}

static void line(const struct weft_sheet *sheet, const double *xy, size_t n,
                 weft_display_ink ink, double width)
{
    struct message *m = mark(sheet, MARK_LINE);
    put_points(m, xy, n);
    message_put_u32(m, ink);
    message_put_real(m, width);
}

static void polygon(const struct weft_sheet *sheet, const double *xy, size_t n,
                    weft_display_ink fill, weft_display_ink outline)
{
    struct message *m = mark(sheet, MARK_POLYGON);
    put_points(m, xy, n);
    message_put_u32(m, fill);
    message_put_u32(m, outline);
}

static double font_size(double size)
{
    return size > 0 ? size : WEFT_FONT_SIZE;
}

static void text(const struct weft_sheet *sheet, double x, double y,
                 enum weft_display_align align, double size, weft_display_ink ink,
                 const char *text)
{
    struct message *m = mark(sheet, MARK_TEXT);
    message_put_real(m, x);
    message_put_real(m, y);
    message_put_real(m, font_size(size));
    message_put_u32(m, align);
    message_put_u32(m, ink);
    message_put_text(m, text);
}

static double text_width(const struct weft_sheet *sheet, double size, const char *text)
{
    (void)sheet;
    return weft_text_width(WEFT_FONT_SANS, font_size(size), text ? text : "");
}

static void title(const struct weft_sheet *sheet, const char *text)
{
    message_put_text(mark(sheet, MARK_TITLE), text);
}

static void sets(const struct weft_sheet *sheet, const char *name, const char *value)
{
    struct message *m = mark(sheet, MARK_SETS);
    message_put_text(m, name);
    message_put_text(m, value);
}

static void lists(const struct weft_sheet *sheet, const char *selection)
{
    message_put_text(mark(sheet, MARK_LISTS), selection);
}

static void legend(const struct weft_sheet *sheet, weft_display_ink ink, const char *label)
{
    struct message *m = mark(sheet, MARK_LEGEND);
    message_put_u32(m, ink);
    message_put_text(m, label);
}

static void subtitle(const struct weft_sheet *sheet, const char *text)
{
    message_put_text(mark(sheet, MARK_SUBTITLE), text);
}

static bool finish(struct host *host)
{
    if (!host_send(&host->answer))
        return false;
    message_begin(&host->answer, MESSAGE_DONE);
    return host_send(&host->answer);
}

bool host_draw(struct host *host, const struct weft_display_moment *now, double width,
               double height)
{
    const struct weft_sheet sheet = {
        width, height,     host,  rectangle, circle, line,   polygon,
        text,  text_width, title, sets,      lists,  legend, subtitle,
    };
    message_begin(&host->answer, MESSAGE_MARKS);
    host->display->draw(host->state, now, &sheet);
    return finish(host);
}

static void row(const struct weft_display_table *table,
                const struct weft_display_cell *cells)
{
    struct host *host = table->host;
    if (host->answer.size > MESSAGE_USUAL) {
        if (!host_send(&host->answer))
            exit(1);
        message_begin(&host->answer, MESSAGE_ROWS);
    }
    for (uint32_t i = 0; i < host->display->n_columns; i++) {
        message_put_u32(&host->answer, cells[i].text != NULL);
        if (cells[i].text)
            message_put_text(&host->answer, cells[i].text);
        else
            message_put_real(&host->answer, cells[i].number);
    }
}

bool host_table(struct host *host, const struct weft_display_moment *now)
{
    const struct weft_display_table table = { host, row };
    message_begin(&host->answer, MESSAGE_ROWS);
    host->display->table(host->state, now, &table);
    return finish(host);
}
