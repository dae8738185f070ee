/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of states that are denser than pixels, and rows that stand for several: columns of
 * shares, stacked or mixed, with what is dimmed in pale colours; shades of reduced rows.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view/timeline/space_time_painter.h"

static void init_mixer(const struct st_picture *p, const weft_color *colors, unsigned n,
                       struct weft_mixer *mixer)
{
    struct weft_swatch swatches[2 * WEFT_MAX_SLOTS] = { { 0 } };
    for (unsigned s = 0; s < n; s++)
        swatches[s].fill = colors[s];
    weft_mixer_init(mixer, swatches, n, p->request->theme->empty);
}

/* The colours and the mixer of a look that is of one container. */
struct own_look {
    weft_color colors[2 * WEFT_MAX_SLOTS];
    struct weft_mixer mixer;
};

/* Returns the paints of ROW; those of one container, whose slots look alike, in OWN. */
static struct share_look look_of(const struct painter *painter, const struct st_row *row,
                                 struct own_look *own)
{
    const struct st_picture *p = painter->p;
    unsigned slots = p->schema->types[row->type].slots;
    bool pale = st_row_dims(p, row);
    struct share_look look = { slots << pale, pale, painter->slot_colors[row->type],
                               &painter->mixers[row->type] };
    if (pale) {
        look.colors = painter->pale_colors[row->type];
        look.mixer = &painter->pale_mixers[row->type];
    }
    if (p->color != ST_BY_CONTAINER)
        return look;
    weft_color tone = st_swatch(p, 0, row->container, 1).tone;
    for (unsigned s = 0; s < look.slots; s++)
        own->colors[s] = s < slots ? tone : st_pale(p, tone);
    init_mixer(p, own->colors, look.slots, &own->mixer);
    look.colors = own->colors;
    look.mixer = &own->mixer;
    return look;
}

/* Paints a thin row: each column in the mixture of its values, in linear light. */
static void paint_mixed(const struct painter *painter, const struct st_row *row,
                        const struct share_look *look, const float *shares,
                        const uint8_t *only)
{
    const struct st_picture *p = painter->p;
    struct painted_row *painted = &painter->painted[row - p->rows.list];
    unsigned slots = look->slots;
    float scale = 1 / (float)st_row_lanes(row);
    painted->pixels = weft_zalloc(p->columns + 1, sizeof *painted->pixels);
    painted->alike = true;
    for (size_t c = 0; c < p->columns; c++, shares += slots) {
        if (only && !only[c])
            continue;
        float sum = 0;
        for (unsigned s = 0; s < slots; s++)
            sum += shares[s];
        if (sum > 1e-4f) /* else a gap */
            painted->pixels[c] = weft_mixer_mix(look->mixer, shares, slots, scale);
    }
}

/*
 * Sets ENDS[SLOTS] to the ends of the piles of one column of a tall row, in lines from the
 * bottom up, the most common value lowest; the rest stays empty.  None is less than the one
 * before it or greater than HEIGHT, even with a damaged store's shares.
 */
static void pile_column(const float *shares, unsigned slots, float scale, size_t height,
                        uint32_t *ends)
{
    float level = 0.5f;
    uint32_t at = 0;
    for (unsigned s = 0; s < slots; s++) {
        level += shares[s] * scale;
        /* NaN compares false, and so adds nothing. */
        at = level >= (float)height ? (uint32_t)height
             : level > (float)at    ? (uint32_t)level
                                    : at;
        ends[s] = at;
    }
}

/*
 * Returns the slot of the most common value of a column, however small its share, so that
 * a short lonely state is seen as a dot.  Summaries do not know the shortest states; MARK,
 * from the walk over few states, does.  The number of slots: nothing is there.
 */
static unsigned trace_of(const float *shares, const struct share_look *look, unsigned mark)
{
    unsigned most = 0, slots = look->slots >> look->pale;
    for (unsigned s = 1; s < look->slots; s++)
        most = shares[s] > shares[most] ? s : most;
    if (shares[most] > 0)
        return most;
    if (mark < DENSE_PALE)
        return look->slots;
    bool pale = mark < DENSE_SLOT && look->pale;
    unsigned slot = mark < DENSE_SLOT ? mark - DENSE_PALE : mark - DENSE_SLOT;
    return (slot < slots ? slot : slots - 1) + (pale ? slots : 0);
}

/* Paints the pile with ENDS into column C of PIXELS[HEIGHT][COLUMNS]. */
static void paint_pile(const uint32_t *ends, const struct share_look *look, size_t height,
                       uint32_t *pixels, size_t columns, size_t c)
{
    size_t at = 0;
    for (unsigned s = 0; s < look->slots; s++)
        for (; at < ends[s]; at++)
            pixels[(height - 1 - at) * columns + c] = look->colors[s];
}

/* Paints a tall row: each column's values piled up, by their shares. */
static void paint_piles(const struct painter *painter, const struct st_row *row,
                        const struct share_look *look, const float *shares,
                        const uint8_t *only)
{
    const struct st_picture *p = painter->p;
    const struct lines lines = painter->lines[row - p->rows.list];
    struct painted_row *painted = &painter->painted[row - p->rows.list];
    unsigned slots = look->slots;
    size_t height = lines.bottom - lines.top;
    float scale = (float)height / (float)st_row_lanes(row);
    /* A byte for each colour of a column, if pixels take no less. */
    bool small = height <= WEFT_PILE_HEIGHT && slots <= height * sizeof *painted->pixels;
    painted->n_colors = slots;
    memcpy(painted->colors, look->colors, slots * sizeof *look->colors);
    if (small)
        painted->ends = weft_zalloc(p->columns * slots + 1, 1);
    else
        painted->pixels = weft_zalloc(p->columns * height + 1, sizeof *painted->pixels);
    for (size_t c = 0; c < p->columns; c++) {
        uint32_t ends[2 * WEFT_MAX_SLOTS];
        if (only && !only[c])
            continue;
        pile_column(shares + c * slots, slots, scale, height, ends);
        unsigned dot = slots;
        if (!ends[slots - 1]) /* no value is as high as a pixel */
            dot = trace_of(shares + c * slots, look, only ? only[c] : 0);
        for (; dot < slots; dot++)
            ends[dot] = 1;
        if (!small)
            paint_pile(ends, look, height, painted->pixels, p->columns, c);
        for (unsigned s = 0; small && s < slots; s++)
            painted->ends[c * slots + s] = (uint8_t)ends[s];
    }
}

/* Returns the slot that has all of a column but for rounding; SLOTS if none has. */
static unsigned only_slot(const float *shares, unsigned slots)
{
    for (unsigned s = 0; s < slots; s++)
        if (shares[s] > 0.98f)
            return s;
    return slots;
}

/*
 * Columns of a pixel cannot be hatched, and without hues their tones say little.  So where
 * one value fills many columns of a dense row, its hatch is drawn over them.
 */
static void add_runs(const struct painter *painter, const struct st_row *row,
                     const struct share_look *look, const float *shares,
                     struct row_result *result)
{
    enum { SHORTEST_RUN = 12 }; /* pixels: room for two lines of a hatch */
    const struct st_picture *p = painter->p;
    unsigned slots = look->slots, bright = slots >> look->pale;
    for (size_t c = 0, next; c < p->columns; c = next) {
        unsigned slot = only_slot(shares + c * slots, slots);
        for (next = c + 1; next < p->columns; next++)
            if (only_slot(shares + next * slots, slots) != slot)
                break;
        uint32_t value = slot < bright ? painter->slot_values[row->type][slot] : WEFT_NONE;
        if (value == WEFT_NONE || next - c < SHORTEST_RUN)
            continue;
        double x = p->frame.plot.x;
        result->pieces = weft_grow(result->pieces, &result->capacity, result->n + 1,
                                   sizeof *result->pieces);
        result->pieces[result->n++] =
            (struct state_bar){ .id = WEFT_NO_ID,
                                .begin = p->window.begin + (int64_t)((double)c / p->scale),
                                .end = p->window.begin + (int64_t)((double)next / p->scale),
                                .x0 = x + (double)c,
                                .x1 = x + (double)next,
                                .value = value,
                                .whole = true };
    }
}

/* Adds the shares of ROW, as many as LOOK has slots in each column, to SHARES, all 0. */
static void read_shares(const struct painter *painter, const struct st_row *row,
                        const struct share_look *look, float *shares)
{
    const struct st_picture *p = painter->p;
    unsigned slots = look->slots >> look->pale;
    float *all = weft_alloc((p->columns * slots + 1) * sizeof *all);
    float *dimmed = weft_zalloc(p->columns * slots + 1, sizeof *dimmed);
    struct weft_share_query query = { .tracks = row->tracks,
                                      .n_tracks = row->n_tracks,
                                      .window = p->window,
                                      .columns = p->columns,
                                      .shares = look->pale ? all : shares,
                                      .job = p->request->job,
                                      .dimmed = look->pale ? dimmed : NULL };
    p->source->ops->shares(p->source, &query);
    for (size_t c = 0; look->pale && c < p->columns; c++)
        for (unsigned s = 0; s < slots; s++) {
            float pale = fminf(dimmed[c * slots + s], all[c * slots + s]);
            shares[c * look->slots + s] = all[c * slots + s] - pale;
            shares[c * look->slots + slots + s] = pale;
        }
    free(all);
    free(dimmed);
}

void st_paint_shares(const struct painter *painter, const struct st_row *row,
                     const uint8_t *only, struct row_result *runs)
{
    const struct st_picture *p = painter->p;
    struct own_look own;
    struct share_look look = look_of(painter, row, &own);
    float *shares = weft_zalloc(p->columns * look.slots + 1, sizeof *shares);
    read_shares(painter, row, &look, shares);
    struct lines lines = painter->lines[row - p->rows.list];
    if (lines.bottom - lines.top < STACKED)
        paint_mixed(painter, row, &look, shares, only);
    else
        paint_piles(painter, row, &look, shares, only);
    if (runs)
        add_runs(painter, row, &look, shares, runs);
    free(shares);
}

/* ---- Shades of reduced rows ---- */

/* Adds up, by column, the time of changes of class; class 0 counts. */
struct active_walk {
    const struct st_picture *p;
    double *sums; /* by column: members times columns */
    int64_t since;
    bool active;
};

static void add_active(struct active_walk *walk, int64_t end)
{
    const struct st_picture *p = walk->p;
    double from = (double)(walk->since - p->window.begin) * p->scale;
    double to = fmin((double)(end - p->window.begin) * p->scale, (double)p->columns);
    for (size_t c = (size_t)from; walk->active && (double)c < to; c++)
        walk->sums[c] += fmin(to, (double)c + 1) - fmax(from, (double)c);
}

static bool see_active(void *user, const struct weft_class_run *run)
{
    struct active_walk *walk = user;
    for (size_t i = 0; i < run->n; i++) {
        add_active(walk, run->times[i]);
        walk->since = run->times[i];
        walk->active = run->classes[i] == 0;
    }
    return !weft_job_cancelled(walk->p->request->job);
}

/* Sets SUMS from all changes: the last slot has active values and others. */
static void count_active_exactly(const struct st_picture *p, const struct st_row *row,
                                 double *sums)
{
    uint32_t n_values = p->schema->n_values;
    uint8_t *of = weft_alloc((size_t)n_values + 1);
    for (uint32_t v = 0; v < n_values; v++)
        of[v] = !row->reduction->active[v];
    const struct weft_classing classing = { of, 1, 1, NULL };
    for (uint32_t t = 0; t < row->n_tracks; t++) {
        struct active_walk walk = { p, sums, p->window.begin, false };
        p->source->ops->classes(p->source, row->tracks[t], p->window, &classing, see_active,
                                &walk);
        add_active(&walk, p->window.end);
    }
    free(of);
}

/* Sets SUMS[columns] to the mean number of active members in each column. */
static void count_active(const struct st_picture *p, const struct st_row *row, double *sums)
{
    unsigned slots = p->schema->types[row->type].slots;
    bool in[WEFT_MAX_SLOTS] = { false }, out[WEFT_MAX_SLOTS] = { false };
    for (uint32_t v = 0; v < p->schema->n_values; v++) {
        const struct weft_value *value = &p->schema->values[v];
        if (value->type == row->type)
            (row->reduction->active[v]
                 ? in
                 : out)[value->rank < slots ? value->rank : slots - 1] = true;
    }
    if (in[slots - 1] && out[slots - 1]) {
        count_active_exactly(p, row, sums);
        return;
    }
    float *shares = weft_alloc((p->columns * slots + 1) * sizeof *shares);
    struct weft_share_query query = { .tracks = row->tracks,
                                      .n_tracks = row->n_tracks,
                                      .window = p->window,
                                      .columns = p->columns,
                                      .shares = shares,
                                      .job = p->request->job };
    p->source->ops->shares(p->source, &query);
    for (size_t i = 0; i < p->columns * slots; i++)
        if (in[i % slots])
            sums[i / slots] += (double)shares[i];
    free(shares);
}

/* Returns the columns, from *FIRST to before *AFTER, in which a member of ROW lives. */
static void life_of(const struct st_picture *p, const struct st_row *row, size_t *first,
                    size_t *after)
{
    int64_t begin = INT64_MAX, end = INT64_MIN;
    for (uint32_t t = 0; t < row->n_tracks; t++) {
        const struct weft_container *c =
            &p->schema->containers[p->schema->tracks[row->tracks[t]].container];
        begin = c->begin < begin ? c->begin : begin;
        end = c->end > end ? c->end : end;
    }
    double left = floor(st_x(p, begin) - p->frame.plot.x);
    double right = ceil(st_x(p, end) - p->frame.plot.x), most = (double)p->columns;
    *first = (size_t)fmin(fmax(0, left), most);
    *after = (size_t)fmin(fmax(0, right), most);
}

void st_paint_shades(const struct painter *painter, const struct st_row *row)
{
    const struct st_picture *p = painter->p;
    struct painted_row *painted = &painter->painted[row - p->rows.list];
    double *sums = weft_zalloc(p->columns + 1, sizeof *sums);
    size_t c, after;
    count_active(p, row, sums);
    painted->pixels = weft_zalloc(p->columns + 1, sizeof *painted->pixels);
    painted->alike = true;
    for (life_of(p, row, &c, &after); c < after; c++)
        painted->pixels[c] = st_shade(p->request->theme, sums[c], st_row_lanes(row));
    free(sums);
}

/* ---- Colours ---- */

/* Loads the colours of the slots with the pale ones behind them. */
static void load_pale_slots(struct painter *painter)
{
    struct st_picture *p = painter->p;
    const struct weft_schema *schema = p->schema;
    painter->pale_colors =
        weft_arena_zalloc(p->arena, schema->n_types, sizeof *painter->pale_colors);
    painter->pale_mixers =
        weft_arena_alloc(p->arena, schema->n_types * sizeof *painter->pale_mixers);
    for (uint32_t t = 0; t < schema->n_types; t++) {
        unsigned slots = schema->types[t].slots;
        if (schema->types[t].kind != WEFT_STATE)
            continue;
        for (unsigned s = 0; s < slots; s++) {
            painter->pale_colors[t][s] = painter->slot_colors[t][s];
            painter->pale_colors[t][slots + s] = st_pale(p, painter->slot_colors[t][s]);
        }
        init_mixer(p, painter->pale_colors[t], 2 * slots, &painter->pale_mixers[t]);
    }
}

void st_load_slots(struct painter *painter)
{
    struct st_picture *p = painter->p;
    const struct weft_schema *schema = p->schema;
    /* States in a column's shares last about as long as the column, or shorter. */
    int64_t pixel = (int64_t)fmin(1 / p->scale, (double)WEFT_TIME_LIMIT) + 1;
    painter->slot_colors =
        weft_arena_zalloc(p->arena, schema->n_types, sizeof *painter->slot_colors);
    painter->slot_values =
        weft_arena_alloc(p->arena, schema->n_types * sizeof *painter->slot_values);
    painter->mixers = weft_arena_alloc(p->arena, schema->n_types * sizeof *painter->mixers);
    for (uint32_t t = 0; t < schema->n_types; t++)
        for (unsigned s = 0; s < WEFT_MAX_SLOTS; s++) {
            painter->slot_colors[t][s] = p->request->theme->quiet;
            painter->slot_values[t][s] = WEFT_NONE;
        }
    for (uint32_t v = 0; v < schema->n_values; v++) {
        const struct weft_value *value = &schema->values[v];
        unsigned slots = schema->types[value->type].slots;
        if (value->rank < slots) {
            painter->slot_colors[value->type][value->rank] = st_swatch(p, v, 0, pixel).tone;
            painter->slot_values[value->type][value->rank] = v;
        }
    }
    for (uint32_t v = 0; v < schema->n_values; v++) {
        const struct weft_value *value = &schema->values[v];
        unsigned slots = schema->types[value->type].slots;
        if (value->rank >= slots) /* the last slot is of several values */
            painter->slot_values[value->type][slots - 1] = WEFT_NONE;
    }
    for (uint32_t t = 0; t < schema->n_types; t++) {
        if (schema->types[t].kind == WEFT_STATE)
            init_mixer(p, painter->slot_colors[t], WEFT_MAX_SLOTS, &painter->mixers[t]);
    }
    if (schema->dimmed)
        load_pale_slots(painter);
}
