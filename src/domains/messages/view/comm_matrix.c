/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Communication matrix: the messages from each sender to each receiver, at a moment those
 * pending, else those sent in the window (Heath, Finger: ParaGraph, 2003, section 5.2,
 * "Communication Matrix").
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "domains/messages/view/comm_display_helpers.h"
#include "domains/messages/view/comm_matrix_links.h"
#include "domains/messages/view/views.h"
#include "model/field_cache.h"

static const struct weft_parameter parameters[] = {
    { .name = "color",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "size|messages|distance|tag",
      .fallback = "size",
      .help = "what colours stand for; tags are of a moment's messages, the "
              "latest of each pair" },
    WEFT_PARAMETER_OF_ORDER,
    WEFT_PARAMETERS_DISTANCE,
    COMM_PARAMETER_COLLECTIVES,
};

enum {
    MIN_CELL_SIDE = 2,
    MIN_PATTERN_SIDE = 10 /* pixels */,
    MAX_CELLS = 512,
    ROOM_FOR_MOST = 180, /* pixels beside the cells, to name the pair with most */
    MAX_MARKS = 4096,
    TABLE_MAX = 2048
};

struct matrix {
    const struct weft_traffic *traffic;
    const struct weft_processors *processors;
    struct weft_distance distance;
    enum weft_collectives collectives;
    struct weft_pair_sums sums;
};

static void end(struct matrix *matrix)
{
    free(matrix->sums.rows);
}

static bool begin(struct matrix *matrix, const struct weft_request *request,
                  struct weft_err *err)
{
    memset(matrix, 0, sizeof *matrix);
    matrix->collectives = comm_collectives(request);
    matrix->traffic = weft_use_traffic(request->use, err);
    if (matrix->traffic)
        matrix->processors = matrix->traffic->processors;
    return matrix->traffic
           && weft_setting_distance(request, matrix->processors->n, &matrix->distance, err);
}

static bool ask(struct matrix *matrix, const struct weft_request *request,
                const struct comm_groups *groups, struct weft_err *err)
{
    const struct weft_schema *schema = matrix->traffic->source->schema;
    /* Processors that are not shown form one more group. */
    uint32_t hidden = groups && groups->n_shown < matrix->processors->n;
    const struct weft_traffic_query query = { matrix->collectives,
                                              groups ? groups->group_of : NULL,
                                              groups ? groups->n + hidden : 0,
                                              request->job };
    if (request->has_at)
        weft_traffic_pending(matrix->traffic, request->at, &query, &matrix->sums);
    else
        weft_traffic_total(matrix->traffic, weft_window_with_end(schema, request->window),
                           &query, &matrix->sums);
    size_t n = 0;
    for (size_t i = 0; hidden && i < matrix->sums.n; i++)
        if (matrix->sums.rows[i].from < groups->n && matrix->sums.rows[i].to < groups->n)
            matrix->sums.rows[n++] = matrix->sums.rows[i];
    if (hidden)
        matrix->sums.n = n;
    return weft_job_step(request->job, 1, 1, err);
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct matrix matrix;
    struct weft_pair_sums links = { 0 };
    if (!begin(&matrix, request, err))
        return false;
    if (matrix.processors->n > TABLE_MAX && matrix.traffic->n_collectives
        && matrix.collectives != WEFT_COLLECTIVES_NONE) {
        uint32_t n = matrix.processors->n;
        end(&matrix);
        return weft_fail(err, WEFT_ERR_LIMIT,
                         "the collective operations of %u processors have too many pairs "
                         "for a table (collectives=none leaves them out)",
                         n);
    }
    struct weft_order order; /* only checked; the table is in order of numbers */
    bool ok =
        weft_order_make(matrix.processors->n, weft_setting(request, "order"), &order, err);
    weft_order_free(&order);
    if (!ok || !ask(&matrix, request, NULL, err)) {
        end(&matrix);
        return false;
    }
    comm_matrix_links(matrix.traffic, request, matrix.collectives, &links);
    if (request->of_page)
        comm_matrix_most_first(&matrix.sums);
    weft_view_begin_table(request, out);
    for (size_t i = 0; i < matrix.sums.n; i++) {
        const struct weft_pair_sum *row = &matrix.sums.rows[i];
        if (comm_is_under(matrix.processors, row->from, request->under)
            && comm_is_under(matrix.processors, row->to, request->under)
            && !comm_matrix_put_row(out, request, matrix.processors, row,
                                    comm_matrix_links_of_pair(&links, row),
                                    matrix.collectives))
            break;
    }
    out->end(out);
    free(links.rows);
    end(&matrix);
    return true;
}

/* ---- Tags ---- */

/* The tag of the latest pending message of each pair of groups, at [from][to]. */
struct tags {
    const struct matrix *matrix;
    const struct comm_groups *groups;
    struct weft_field_window window;
    int64_t time;
    int64_t *tags;  /* [n][n] */
    int64_t *begin; /* [n][n]: begin of that message, INT64_MIN: none */
};

static bool add_tag(void *user, const struct weft_link *link)
{
    struct tags *tags = user;
    const uint32_t *index_of = tags->matrix->processors->index_of;
    if (link->begin > tags->time || link->from == WEFT_NONE || link->to == WEFT_NONE
        || (link->end <= tags->time && !(link->flags & WEFT_END_IMPLIED))
        || index_of[link->from] == WEFT_NONE || index_of[link->to] == WEFT_NONE)
        return true;
    if (tags->groups->group_of[index_of[link->from]] == tags->groups->n
        || tags->groups->group_of[index_of[link->to]] == tags->groups->n)
        return true;
    size_t cell = (size_t)tags->groups->group_of[index_of[link->from]] * tags->groups->n
                  + tags->groups->group_of[index_of[link->to]];
    if (link->begin >= tags->begin[cell]) {
        tags->begin[cell] = link->begin;
        tags->tags[cell] =
            weft_field_window_get(&tags->window, weft_entity_ordinal(link->id));
    }
    return true;
}

static void find_tags(struct tags *tags, struct weft_arena *arena)
{
    const struct weft_traffic *traffic = tags->matrix->traffic;
    size_t n = (size_t)tags->groups->n * tags->groups->n;
    tags->tags = weft_arena_zalloc(arena, n, sizeof *tags->tags);
    tags->begin = weft_arena_alloc(arena, n * sizeof *tags->begin);
    for (size_t i = 0; i < n; i++)
        tags->begin[i] = INT64_MIN;
    for (size_t i = 0; i < traffic->n_plain; i++) {
        weft_field_window_begin(&tags->window, traffic->source, traffic->tracks[i],
                                WEFT_ROLE_TAG);
        traffic->source->ops->links(traffic->source, traffic->tracks[i],
                                    (struct weft_span){ tags->time, tags->time + 1 },
                                    add_tag, tags);
    }
}

/* ---- The picture ---- */

struct matrix_picture {
    struct matrix *matrix;
    struct comm_groups groups;
    struct weft_message_code code;
    struct tags tags;
    int64_t *used_tags; /* [n_used], rising */
    size_t n_used;
    struct weft_rect cells;
};

static enum weft_code_kind kind_of(const struct weft_request *request)
{
    const char *color = weft_setting(request, "color");
    if (strcmp(color, "tag") == 0) /* in a window a pair has many tags */
        return request->has_at ? WEFT_CODE_TAG : WEFT_CODE_COUNT;
    return strcmp(color, "messages") == 0   ? WEFT_CODE_COUNT
           : strcmp(color, "distance") == 0 ? WEFT_CODE_DISTANCE
                                            : WEFT_CODE_SIZE;
}

static int64_t hops(const struct matrix_picture *picture, const struct weft_pair_sum *row)
{
    const uint32_t *processor = picture->groups.processor;
    uint32_t each = picture->groups.each;
    return weft_distance_of(&picture->matrix->distance, processor[row->from * each],
                            processor[row->to * each]);
}

static int64_t amount_of(const struct matrix_picture *picture,
                         const struct weft_pair_sum *row)
{
    switch (picture->code.kind) {
    case WEFT_CODE_SIZE: return row->bytes;
    case WEFT_CODE_COUNT: return (int64_t)row->count;
    case WEFT_CODE_DISTANCE: return hops(picture, row);
    case WEFT_CODE_TAG: break;
    }
    return picture->tags.tags[(size_t)row->from * picture->groups.n + row->to];
}

static void scale_code(struct matrix_picture *picture, struct weft_arena *arena)
{
    const struct weft_pair_sums *sums = &picture->matrix->sums;
    if (picture->code.kind == WEFT_CODE_TAG) {
        picture->used_tags = weft_arena_alloc(arena, (sums->n + 1) * sizeof(int64_t));
        for (size_t i = 0; i < sums->n; i++)
            picture->used_tags[i] = amount_of(picture, &sums->rows[i]);
        qsort(picture->used_tags, sums->n, sizeof(int64_t), weft_by_i64);
        for (size_t i = 0; i < sums->n; i++)
            if (!i || picture->used_tags[i] != picture->used_tags[picture->n_used - 1])
                picture->used_tags[picture->n_used++] = picture->used_tags[i];
        return;
    }
    picture->code.least = INFINITY;
    for (size_t i = 0; i < sums->n; i++) {
        double amount = (double)amount_of(picture, &sums->rows[i]);
        picture->code.most = fmax(picture->code.most, amount);
        picture->code.least = fmin(picture->code.least, amount);
    }
}

static const char *title_of(const struct matrix_picture *picture, struct weft_arena *arena,
                            const struct weft_pair_sum *row)
{
    const struct weft_amount amount = { (int64_t)row->count, row->bytes };
    const char *text = weft_arena_printf(
        arena, "%s → %s: %s", comm_group_label(&picture->groups, arena, row->from),
        comm_group_label(&picture->groups, arena, row->to),
        comm_amount_text(arena, &amount));
    if (picture->code.kind == WEFT_CODE_DISTANCE)
        text =
            weft_arena_printf(arena, "%s, %lld hops", text, (long long)hops(picture, row));
    if (picture->code.kind == WEFT_CODE_TAG)
        text = weft_arena_printf(arena, "%s, tag %lld", text,
                                 (long long)amount_of(picture, row));
    return text;
}

static struct weft_rect cell_of(const struct matrix_picture *picture, uint32_t from,
                                uint32_t to)
{
    double width = picture->cells.width / picture->groups.n,
           height = picture->cells.height / picture->groups.n;
    return (struct weft_rect){ picture->cells.x + to * width,
                               picture->cells.y + from * height, width, height };
}

/* "processor number 3", as selections write a group of one processor. */
static int64_t number_of(const struct matrix_picture *picture, uint32_t group)
{
    const struct comm_groups *groups = &picture->groups;
    return groups->processors->processors[groups->processor[group]].number;
}

static void draw_marks(struct weft_frame *frame, const struct matrix_picture *picture,
                       const struct weft_request *request)
{
    const struct weft_pair_sums *sums = &picture->matrix->sums;
    for (size_t i = 0; i < sums->n; i++) {
        const struct weft_pair_sum *row = &sums->rows[i];
        struct weft_rect cell = cell_of(picture, row->from, row->to);
        double seam = cell.width > 4 ? 1 : 0;
        struct weft_swatch swatch =
            weft_code_swatch(&picture->code, amount_of(picture, row));
        struct weft_mark *mark = weft_scene_rect(
            frame->scene,
            (struct weft_rect){ cell.x, cell.y, fmax(cell.width - seam, 1),
                                fmax(cell.height - seam, 1) },
            (struct weft_paint){ .fill = swatch.fill,
                                 .hatch = swatch.hatch,
                                 .stroke = swatch.hatch ? frame->theme->text
                                                        : frame->theme->quiet });
        if (!mark)
            continue;
        mark->title = title_of(picture, frame->scene->arena, row);
        if (picture->groups.each == 1)
            mark->action = weft_list_action(comm_matrix_where(
                request, frame->scene->arena, picture->matrix->collectives,
                number_of(picture, row->from), number_of(picture, row->to)));
    }
}

/*
 * Draws cells that are too small for patterns in black and white: the amount's place on the
 * ramp is the part of a cell's pixels that are black, by ordered dither (Bayer 1973).
 */
static void draw_dither(struct weft_frame *frame, const struct matrix_picture *picture)
{
    static const uint8_t bayer[4][4] = {
        { 0, 8, 2, 10 }, { 12, 4, 14, 6 }, { 3, 11, 1, 9 }, { 15, 7, 13, 5 }
    };
    const struct weft_pair_sums *sums = &picture->matrix->sums;
    struct weft_arena *arena = frame->scene->arena;
    uint32_t side = (uint32_t)fmax(1, picture->cells.width);
    uint32_t *pixels = weft_arena_zalloc(arena, (size_t)side * side, sizeof *pixels);
    for (size_t i = 0; i < sums->n; i++) {
        const struct weft_pair_sum *row = &sums->rows[i];
        struct weft_rect cell = cell_of(picture, row->from, row->to);
        uint32_t left = (uint32_t)(cell.x - picture->cells.x + 0.5),
                 top = (uint32_t)(cell.y - picture->cells.y + 0.5);
        double place = weft_code_place(&picture->code, amount_of(picture, row));
        for (uint32_t y = top; y < side && y < top + cell.height; y++)
            for (uint32_t x = left; x < side && x < left + cell.width; x++)
                if ((bayer[y % 4][x % 4] + 0.5) / 16 < place)
                    pixels[(size_t)y * side + x] = frame->theme->text;
    }
    struct weft_raster *raster = weft_arena_zalloc(arena, 1, sizeof *raster);
    *raster = (struct weft_raster){ .columns = side, .rows = side, .pixels = pixels };
    weft_scene_raster(frame->scene, picture->cells, raster);
}

static void draw_raster(struct weft_frame *frame, const struct matrix_picture *picture)
{
    const struct weft_pair_sums *sums = &picture->matrix->sums;
    struct weft_arena *arena = frame->scene->arena;
    uint32_t n = picture->groups.n;
    uint32_t *pixels = weft_arena_zalloc(arena, (size_t)n * n, sizeof *pixels);
    struct weft_raster *raster = weft_arena_zalloc(arena, 1, sizeof *raster);
    for (size_t i = 0; i < sums->n; i++)
        pixels[(size_t)sums->rows[i].from * n + sums->rows[i].to] =
            weft_code_color(&picture->code, amount_of(picture, &sums->rows[i]));
    *raster = (struct weft_raster){ .columns = n, .rows = n, .pixels = pixels };
    weft_scene_raster(frame->scene, picture->cells, raster);
}

/* Labels the rows (senders) and columns (receivers), as many as have room. */
static void draw_labels(struct weft_frame *frame, const struct matrix_picture *picture)
{
    struct weft_scene *scene = frame->scene;
    weft_color color = frame->theme->quiet;
    const struct comm_groups *groups = &picture->groups;
    struct weft_rect cells = picture->cells;
    double side = cells.height / groups->n, right = -INFINITY;
    uint32_t step = 1;
    while (step * side < 14)
        step *= 2;
    for (uint32_t g = 0; g < groups->n; g += step) {
        const char *label = weft_text_fit(scene->arena, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                                          comm_group_label(groups, scene->arena, g),
                                          cells.x - frame->plot.x - 6);
        struct weft_rect row = cell_of(picture, g, g);
        double middle = row.height < 14 ? row.y + 9 : row.y + row.height / 2 + 4;
        if (label && middle < cells.y + cells.height + 5)
            weft_scene_text(scene, (struct weft_point){ cells.x - 5, middle },
                            WEFT_ANCHOR_END, WEFT_FONT_SANS, WEFT_SMALL_SIZE, color, label);
    }
    for (uint32_t g = 0; g < groups->n; g += step) {
        const char *label = comm_group_label(groups, scene->arena, g);
        double half = weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, label) / 2;
        struct weft_rect cell = cell_of(picture, g, g);
        double x = fmax(cell.x + cell.width / 2, cells.x + half);
        if (x - half < right + 6 || x + half > cells.x + cells.width + 8)
            continue;
        weft_scene_text(scene, (struct weft_point){ x, cells.y - 5 }, WEFT_ANCHOR_MIDDLE,
                        WEFT_FONT_SANS, WEFT_SMALL_SIZE, color, label);
        right = x + half;
    }
}

static void draw(struct weft_frame *frame, const struct matrix_picture *picture,
                 const struct weft_request *request)
{
    struct weft_scene *scene = frame->scene;
    const struct weft_theme *theme = frame->theme;
    struct weft_rect plot = frame->plot, cells = picture->cells;
    weft_scene_layer(scene, "labels",
                     (struct weft_rect){ 0, plot.y, scene->width, plot.height },
                     WEFT_LAYER_FIXED);
    const struct weft_pair_sums *sums = &picture->matrix->sums;
    double right = cells.x + cells.width + 10;
    draw_labels(frame, picture);
    weft_scene_text(scene, (struct weft_point){ right, cells.y - 5 }, WEFT_ANCHOR_START,
                    WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->text, "receivers");
    weft_scene_text(scene, (struct weft_point){ cells.x - 5, plot.y + plot.height - 2 },
                    WEFT_ANCHOR_END, WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->text,
                    "senders");
    if (sums->n > 1 && plot.x + plot.width - right >= ROOM_FOR_MOST)
        weft_scene_text(
            scene, (struct weft_point){ right, cells.y + 15 }, WEFT_ANCHOR_START,
            WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->text,
            weft_arena_printf(scene->arena, "most: %s",
                              title_of(picture, scene->arena, comm_matrix_most(sums))));
    weft_scene_layer(scene, "cells", cells, WEFT_LAYER_FIXED);
    weft_scene_rect(scene, cells,
                    (struct weft_paint){ .stroke = theme->grid, .stroke_width = 1 });
    bool patterns = theme->name == WEFT_THEME_MONO && picture->code.kind != WEFT_CODE_TAG;
    if (patterns && cells.width / picture->groups.n < MIN_PATTERN_SIDE)
        draw_dither(frame, picture);
    else if (sums->n > MAX_MARKS)
        draw_raster(frame, picture);
    else
        draw_marks(frame, picture, request);
    weft_scene_rect(scene, cells,
                    (struct weft_paint){ .stroke = theme->quiet, .stroke_width = 1 });
}

/* Places the cells: the largest square that the plot has room for. */
static struct weft_rect place_cells(struct weft_rect plot, uint32_t n)
{
    enum { LEFT = 52, ABOVE = 16, BELOW = 14, RIGHT = 64 }; /* pixels for labels */
    double side = fmin(plot.width - LEFT - RIGHT, plot.height - ABOVE - BELOW);
    side = fmax(side, 1);
    if (side > n) /* whole pixels, so that all cells are alike */
        side = floor(side / n) * n;
    double x = plot.x + LEFT + fmax(0, (plot.width - LEFT - RIGHT - side) / 2);
    return (struct weft_rect){ floor(x), floor(plot.y) + ABOVE, side, side };
}

static const char *subtitle_of(const struct matrix_picture *picture,
                               const struct weft_request *request, struct weft_arena *arena)
{
    struct weft_amount all = { 0 };
    const struct weft_pair_sums *sums = &picture->matrix->sums;
    for (size_t i = 0; i < sums->n; i++) {
        all.messages += (int64_t)sums->rows[i].count;
        all.bytes = (int64_t)((uint64_t)all.bytes + (uint64_t)sums->rows[i].bytes);
    }
    const char *each = comm_groups_text(&picture->groups, arena, "row and column");
    const struct weft_schema *schema = request->set->sources[0]->schema;
    return weft_arena_printf(
        arena, "%s · %s %s%s%s%s",
        request->has_at ? comm_moment_text(arena, request, comm_asked_moment(request))
                        : weft_range_text(arena, schema, request->window),
        comm_amount_text(arena, &all), request->has_at ? "pending" : "sent",
        comm_collectives_text(request, picture->matrix->traffic), each ? " · " : "",
        each ? each : "");
}

/*
 * Makes the picture except for `cells`. ROOM: roughly the pixels of a side.  The caller
 * frees the order of its groups.
 */
static bool make_picture(struct matrix_picture *picture, struct matrix *matrix,
                         const struct weft_request *request, double room,
                         struct weft_arena *arena, struct weft_err *err)
{
    const char *order = weft_setting(request, "order");
    size_t most = (size_t)fmin(MAX_CELLS, fmax(1, room / MIN_CELL_SIDE));
    *picture = (struct matrix_picture){ .matrix = matrix };
    if (!comm_groups_make(matrix->processors, order, request->under, most, arena,
                          &picture->groups, err))
        return false;
    if (!ask(matrix, request, &picture->groups, err)) {
        weft_order_free(&picture->groups.order);
        return false;
    }
    picture->code = weft_code_make(kind_of(request), request->theme, 0);
    if (picture->code.kind == WEFT_CODE_TAG) {
        picture->tags.matrix = matrix;
        picture->tags.groups = &picture->groups;
        picture->tags.time = request->at;
        find_tags(&picture->tags, arena);
    }
    scale_code(picture, arena);
    return true;
}

static double room_of(const struct weft_request *request)
{
    return fmin(request->width - 130, request->height - (request->bare ? 40 : 110));
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct matrix matrix;
    struct matrix_picture picture;
    if (!begin(&matrix, request, err))
        return false;
    bool ok =
        make_picture(&picture, &matrix, request, room_of(request), request->arena, err);
    if (ok) {
        size_t n;
        struct weft_legend_entry *legend = weft_code_legend(
            &picture.code, request->arena, picture.used_tags, picture.n_used, &n);
        struct weft_frame frame;
        weft_frame_begin(&frame, out, request, 0, false, legend, matrix.sums.n ? n : 0,
                         subtitle_of(&picture, request, request->arena));
        picture.cells = place_cells(frame.plot, picture.groups.n);
        draw(&frame, &picture, request);
        if (!matrix.sums.n)
            weft_frame_empty(&frame, request->has_at
                                         ? "No message was pending at this moment."
                                         : "No message was sent in this range.");
        weft_order_free(&picture.groups.order);
    }
    end(&matrix);
    return ok;
}

/* Writes the facts of a cell, since the cells of a raster have no tooltips. */
static void put_cell(const struct matrix_picture *picture, uint32_t from, uint32_t to,
                     struct weft_table *table, struct weft_arena *arena)
{
    const struct weft_pair_sums *sums = &picture->matrix->sums;
    struct weft_pair_sum none = { from, to, 0, 0 };
    const struct weft_pair_sum *row = &none;
    for (size_t i = 0; i < sums->n; i++)
        if (sums->rows[i].from == from && sums->rows[i].to == to)
            row = &sums->rows[i];
    const char *const facts[][2] = {
        { "sender", comm_group_label(&picture->groups, arena, from) },
        { "receiver", comm_group_label(&picture->groups, arena, to) },
        { "messages", weft_number_text(arena, (double)row->count, 0) },
        { "together", weft_bytes_text(arena, row->bytes) },
        { "distance",
          weft_arena_printf(arena, "%lld hops", (long long)hops(picture, row)) },
    };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        const struct weft_cell cells[] = { weft_text_cell(facts[i][0]),
                                           weft_text_cell(facts[i][1]) };
        table->row(table, cells);
    }
}

static bool point(const struct weft_request *request, struct weft_point at, uint64_t *id,
                  struct weft_table *table, struct weft_err *err)
{
    (void)id;
    struct weft_scene drawn;
    struct matrix matrix;
    struct matrix_picture picture;
    if (!begin(&matrix, request, err))
        return false;
    bool ok =
        make_picture(&picture, &matrix, request, room_of(request), request->arena, err);
    if (ok) {
        struct weft_frame frame;
        size_t n;
        struct weft_legend_entry *legend = weft_code_legend(
            &picture.code, request->arena, picture.used_tags, picture.n_used, &n);
        weft_frame_begin(&frame, &drawn, request, 0, false, legend, matrix.sums.n ? n : 0,
                         NULL);
        struct weft_rect cells = place_cells(frame.plot, picture.groups.n);
        double x = (at.x - cells.x) / cells.width, y = (at.y - cells.y) / cells.height;
        weft_table_begin_facts(table);
        if (x >= 0 && x < 1 && y >= 0 && y < 1)
            put_cell(&picture, (uint32_t)(y * picture.groups.n),
                     (uint32_t)(x * picture.groups.n), table, request->arena);
        table->end(table);
        weft_order_free(&picture.groups.order);
    }
    end(&matrix);
    return ok;
}

static const struct weft_column columns[] = {
    { .name = "src" },
    { .name = "dst" },
    { .name = "messages" },
    { .name = "bytes" },
    { "in_collectives",
      "how many of these follow from the pattern of a collective operation: a click lists "
      "the others",
      .of_page = true },
    { .name = "where", .of_page = true },
};

const struct weft_view weft_view_comm_matrix = {
    .name = "comm-matrix",
    .title = "Communication matrix",
    .group = "Communication",
    .explanation =
        "Rows send to columns: at a moment what is pending between them, else all "
        "that was sent.",
    .needs = "messages between processors (weft record --with mpi)",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .moment = WEFT_MOMENT_SHOWN,
    .fills = weft_set_has_traffic,
    .scene = scene,
    .table = table,
    .point = point,
};
