/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The picture of the statistical summary: a table whose rows are processors, or as many
 * groups of them as have room, and whose columns are the most important that have room.
 */
#include <math.h>
#include <string.h>

#include "domains/messages/view/statistics.h"
#include "store/time.h"

enum { ROW = 16, HEAD_LINE = 15, HEAD = 3 * HEAD_LINE + 6, GAP = 12, LINE = 6 };
enum { MAX_ROWS = 256 }; /* in a picture of any height */

/* The quantities of a column. */
enum quantity { SHARE, HIGH_NUMBER, HIGH_BYTES, NUMBER, VOLUME, LENGTH, HOPS, TRANSIT };
enum part { LEAST, MEAN, MOST };

/* A column: less important ones, with a greater `rank`, are left out first. */
struct column {
    const char *above, *name, *part_name; /* the three lines of its head */
    enum quantity quantity;
    int rank;
    int of; /* enum weft_class of SHARE, else enum weft_direction */
    enum part part;
};

#define COLUMNS_OF(ABOVE, DIRECTION)                                                       \
 { ABOVE, "number", "", NUMBER, 0, DIRECTION, MEAN },                                      \
     { ABOVE, "volume", "", VOLUME, 0, DIRECTION, MEAN },                                  \
     { ABOVE, "length", "least", LENGTH, 5, DIRECTION, LEAST },                            \
     { ABOVE, "length", "mean", LENGTH, 3, DIRECTION, MEAN },                              \
     { ABOVE, "length", "most", LENGTH, 5, DIRECTION, MOST },                              \
     { ABOVE, "hops", "least", HOPS, 7, DIRECTION, LEAST },                                \
     { ABOVE, "hops", "mean", HOPS, 6, DIRECTION, MEAN },                                  \
     { ABOVE, "hops", "most", HOPS, 7, DIRECTION, MOST },                                  \
     { ABOVE, "transit time", "least", TRANSIT, 4, DIRECTION, LEAST },                     \
     { ABOVE, "transit time", "mean", TRANSIT, 2, DIRECTION, MEAN },                       \
 {                                                                                         \
  ABOVE, "transit time", "most", TRANSIT, 4, DIRECTION, MOST                               \
 }

static const struct column columns[] = {
    { "% of the time", "busy", "", SHARE, 0, WEFT_CLASS_BUSY, MEAN },
    { "% of the time", "overhead", "", SHARE, 0, WEFT_CLASS_OVERHEAD, MEAN },
    { "% of the time", "idle", "", SHARE, 0, WEFT_CLASS_IDLE, MEAN },
    { "longest queue", "number", "", HIGH_NUMBER, 1, 0, MEAN },
    { "longest queue", "volume", "", HIGH_BYTES, 1, 0, MEAN },
    COLUMNS_OF("outgoing", WEFT_OUTGOING),
    COLUMNS_OF("incoming", WEFT_INCOMING),
};
enum { N = sizeof columns / sizeof *columns, RANKS = 8 };

/* A column that is drawn, from X on. */
struct placed {
    const struct column *column;
    double x, width, most; /* the greatest value of its rows */
};

struct picture {
    const struct statistics *s;
    struct weft_frame frame;
    uint32_t size, n;            /* processors a row; rows, without that of all */
    struct statistics_row *rows; /* [n + 1], the last of all */
    const char **names;          /* [n + 1] */
    double names_width;
    struct placed placed[N];
    int n_placed;
};

static const struct weft_tally *tally_of(const struct column *column,
                                         const struct statistics_row *row)
{
    const struct weft_directed_statistics *of = &row->messages.of[column->of];
    return column->quantity == LENGTH ? &of->size
           : column->quantity == HOPS ? &of->distance
                                      : &of->time;
}

/* Returns the value of a cell; NAN if it is not known. */
static double value_of(const struct statistics *s, const struct column *column,
                       const struct statistics_row *row)
{
    const struct weft_directed_statistics *of =
        &row->messages.of[column->quantity == SHARE ? 0 : column->of];
    const struct weft_tally *tally;
    switch (column->quantity) {
    case SHARE: return statistics_percent(s, row, (enum weft_class)column->of);
    case HIGH_NUMBER: return (double)row->high.messages;
    case HIGH_BYTES:
        return row->messages.of[s->queue].queue_unknown ? NAN : (double)row->high.bytes;
    case NUMBER: return (double)of->messages;
    case VOLUME: return statistics_bytes_known(of) ? (double)of->bytes : NAN;
    case LENGTH:
    case HOPS:
    case TRANSIT: break;
    }
    tally = tally_of(column, row);
    if (!tally->n)
        return NAN;
    return column->part == MEAN    ? statistics_mean(tally)
           : column->part == LEAST ? (double)tally->least
                                   : (double)tally->most;
}

static const char *text_of(const struct picture *p, const struct column *column,
                           const struct statistics_row *row)
{
    struct weft_arena *arena = p->frame.scene->arena;
    double value = value_of(p->s, column, row);
    char time[WEFT_TIME_TEXT];
    if (isnan(value))
        return "–";
    switch (column->quantity) {
    case SHARE: return weft_arena_printf(arena, "%.1f", value);
    case HIGH_NUMBER:
    case NUMBER: return weft_number_text(arena, value, 0);
    case LENGTH:
        if (column->part == MEAN && value < 1024)
            return weft_arena_printf(arena, "%.1f B", value);
        return weft_bytes_text(arena, (int64_t)(value + 0.5));
    case HIGH_BYTES:
    case VOLUME: return weft_bytes_text(arena, (int64_t)(value + 0.5));
    case HOPS: return weft_number_text(arena, value, column->part == MEAN ? 1 : 0);
    case TRANSIT: break;
    }
    return weft_arena_strdup(arena,
                             weft_duration_text(p->s->shown.schema, (int64_t)value, time));
}

static double width_of(const char *text)
{
    return weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, text);
}

/* The row of all processors is bold. */
static double width_in_row(const struct picture *p, uint32_t row, const char *text)
{
    return weft_text_width(row == p->n ? WEFT_FONT_BOLD : WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                           text);
}

/* Places the columns of at most RANK; returns false if there is no room for all. */
static bool place_columns(struct picture *p, int rank)
{
    double x = p->frame.plot.x + p->names_width;
    p->n_placed = 0;
    for (int c = 0; c < N; c++) {
        const struct column *column = &columns[c];
        if (column->rank > rank)
            continue;
        struct placed placed = { .column = column, .most = 0 };
        bool alone = !*column->part_name || (column->part == MEAN && column[1].rank > rank);
        placed.width =
            fmax(width_of(column->part_name), alone ? width_of(column->name) : 0);
        for (uint32_t i = 0; i <= p->n; i++) {
            placed.width =
                fmax(placed.width, width_in_row(p, i, text_of(p, column, &p->rows[i])));
            double value = value_of(p->s, column, &p->rows[i]);
            if (i < p->n && value > placed.most)
                placed.most = value;
        }
        if (column->quantity == SHARE)
            placed.most = 100;
        bool more =
            p->n_placed && p->placed[p->n_placed - 1].column->above != column->above;
        placed.x = x + GAP + (more ? GAP : 0);
        x = placed.x + placed.width;
        p->placed[p->n_placed++] = placed;
    }
    return x + LINE <= p->frame.plot.x + p->frame.plot.width;
}

/*
 * Writes line LINE of the heads: a text over the columns FIRST to AFTER - 1, with a rule
 * below it if they are several.
 */
static void draw_head(struct picture *p, int first, int after, int line, const char *text)
{
    struct weft_scene *scene = p->frame.scene;
    double y = p->frame.plot.y + (line + 1) * HEAD_LINE - 3;
    double left = p->placed[first].x,
           right = p->placed[after - 1].x + p->placed[after - 1].width;
    if (after - first > 1)
        weft_scene_line(
            scene, (struct weft_point){ left, y + 3.5 },
            (struct weft_point){ right, y + 3.5 },
            (struct weft_paint){ .stroke = p->frame.theme->grid, .stroke_width = 1 });
    const char *fit = weft_text_fit(scene->arena, WEFT_FONT_SANS, WEFT_SMALL_SIZE, text,
                                    right - left + GAP - 2);
    bool several = after - first > 1;
    weft_scene_text(scene, (struct weft_point){ several ? (left + right) / 2 : right, y },
                    several ? WEFT_ANCHOR_MIDDLE : WEFT_ANCHOR_END, WEFT_FONT_SANS,
                    WEFT_SMALL_SIZE,
                    line == 0 ? p->frame.theme->text : p->frame.theme->quiet, fit);
}

static void draw_heads(struct picture *p)
{
    for (int line = 0; line < 3; line++)
        for (int first = 0, after; first < p->n_placed; first = after) {
            const struct column *a = p->placed[first].column;
            for (after = first + 1; line < 2 && after < p->n_placed; after++) {
                const struct column *b = p->placed[after].column;
                if (a->above != b->above || (line && strcmp(a->name, b->name) != 0))
                    break;
            }
            draw_head(p, first, after, line,
                      line == 0   ? a->above
                      : line == 1 ? a->name
                                  : a->part_name);
        }
}

static weft_color bar_color(const struct picture *p, const struct column *column,
                            const struct weft_swatch looks[WEFT_CLASSES])
{
    const struct weft_theme *theme = p->frame.theme;
    if (column->quantity == SHARE && !weft_theme_hatches(theme))
        return weft_swatch_faint(theme, looks[column->of]).tone;
    return weft_ramp(theme, 0.15);
}

static void draw_row(struct picture *p, uint32_t i, double y,
                     const struct weft_swatch looks[WEFT_CLASSES])
{
    struct weft_scene *scene = p->frame.scene;
    const struct weft_theme *theme = p->frame.theme;
    const struct statistics_row *row = &p->rows[i];
    bool all = i == p->n;
    enum weft_font font = all ? WEFT_FONT_BOLD : WEFT_FONT_SANS;
    for (int c = 0; c < p->n_placed; c++) {
        const struct placed *at = &p->placed[c];
        double value = value_of(p->s, at->column, row);
        double part = at->most > 0 && !isnan(value) ? fmin(value / at->most, 1) : 0;
        if (part > 0 && (!all || at->column->quantity == SHARE))
            weft_scene_rect(scene,
                            (struct weft_rect){ at->x - 4, y + 1,
                                                fmax(1, (at->width + 8) * part), ROW - 3 },
                            (struct weft_paint){ .fill = bar_color(p, at->column, looks) });
        weft_scene_text(scene, (struct weft_point){ at->x + at->width, y + ROW - 5 },
                        WEFT_ANCHOR_END, font, WEFT_SMALL_SIZE, theme->text,
                        text_of(p, at->column, row));
    }
    weft_scene_text(scene,
                    (struct weft_point){ p->frame.plot.x + p->names_width, y + ROW - 5 },
                    WEFT_ANCHOR_END, font, WEFT_SMALL_SIZE,
                    all ? theme->text : theme->quiet, p->names[i]);
    struct weft_mark *mark = weft_scene_rect(
        scene, (struct weft_rect){ p->frame.plot.x, y, p->frame.plot.width, ROW },
        (struct weft_paint){ 0 });
    if (mark && row->n == 1 && !all)
        mark->id = weft_container_id(
            p->s->shown.processors->processors[p->s->shown.list.index[i]].container, false);
    weft_mark_title(
        scene, mark, "%s · busy %.1f %% · sent %s messages · received %s",
        all ? "all processors" : weft_group_name(&p->s->shown, scene->arena, i, p->size),
        statistics_percent(p->s, row, WEFT_CLASS_BUSY),
        weft_number_text(scene->arena, (double)row->messages.of[WEFT_OUTGOING].messages, 0),
        weft_number_text(scene->arena, (double)row->messages.of[WEFT_INCOMING].messages,
                         0));
}

static void make_rows(struct picture *p, double height)
{
    struct weft_arena *arena = p->frame.scene->arena;
    const struct statistics *s = p->s;
    double rows = fmin(MAX_ROWS, floor((height - HEAD - LINE) / ROW) - 1);
    p->size = weft_group_size(s->shown.list.n, fmax(1, rows));
    p->n = (s->shown.list.n + p->size - 1) / p->size;
    p->rows = weft_arena_zalloc(arena, (size_t)p->n + 1, sizeof *p->rows);
    p->names = weft_arena_alloc(arena, ((size_t)p->n + 1) * sizeof *p->names);
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t first = i * p->size, after = first + p->size;
        after = after < s->shown.list.n ? after : s->shown.list.n;
        p->rows[i] = statistics_sum(s, first, after);
        p->names[i] = after - first == 1
                          ? s->shown.names[first]
                          : weft_arena_printf(arena, "%s…%s", s->shown.names[first],
                                              s->shown.names[after - 1]);
    }
    p->rows[p->n] = statistics_sum(s, 0, s->shown.list.n);
    p->names[p->n] = "all";
    p->names_width = 0;
    for (uint32_t i = 0; i <= p->n; i++)
        p->names_width = fmax(p->names_width, width_in_row(p, i, p->names[i]));
}

void statistics_draw(const struct statistics *s, const struct weft_request *request,
                     struct weft_scene *out)
{
    struct picture p = { .s = s };
    struct weft_swatch looks[WEFT_CLASSES];
    /* The subtitle needs the processors a row, and these the frame: it is made twice. */
    for (int round = 0; round < 2; round++) {
        weft_frame_begin(
            &p.frame, out, request, 0, false, NULL, 0,
            weft_arena_printf(request->arena, "%s%s · hops %s",
                              weft_shown_text(&s->shown, request->arena, s->so_far, "a row",
                                              round ? p.size : 1),
                              s->collectives, s->hops));
        make_rows(&p, p.frame.plot.height);
    }
    if (!s->shown.list.n || s->so_far.end < s->so_far.begin) {
        weft_frame_empty(&p.frame, "No time has passed here.");
        return;
    }
    int rank = RANKS;
    while (!place_columns(&p, rank) && rank > 0)
        rank--;
    weft_class_swatches(request->theme, looks);
    weft_scene_layer(out, "statistics", p.frame.plot, WEFT_LAYER_FIXED);
    draw_heads(&p);
    double y = p.frame.plot.y + HEAD;
    for (uint32_t i = 0; i < p.n; i++, y += ROW)
        draw_row(&p, i, y, looks);
    weft_scene_line(
        out, (struct weft_point){ p.frame.plot.x, y + LINE / 2 + 0.5 },
        (struct weft_point){ p.frame.plot.x + p.frame.plot.width, y + LINE / 2 + 0.5 },
        (struct weft_paint){ .stroke = request->theme->grid, .stroke_width = 1 });
    draw_row(&p, p.n, y + LINE, looks);
}
