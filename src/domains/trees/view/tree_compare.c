/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares two runs of one program side by side, for example on one PE and on several. Both
 * are drawn with the places of the first, so that the same goal is at the same spot in
 * both. The second picture shows where its run differs: on another PE, or earlier or later
 * in order or in time.
 */
#include <math.h>
#include <string.h>

#include "domains/trees/view/reduction_tree.h"
#include "domains/trees/view/views.h"
#include "store/time.h"

static const struct weft_parameter parameters[] = {
    RT_PARAMETERS,
    { .name = "difference",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "none|pe|order|time",
      .fallback = "order",
      .help = "what the second picture's colours say" },
};

struct comparison {
    struct rt_picture picture;
    struct rt_look other;
    const uint32_t *match;
    enum rt_difference difference;
    uint64_t matched, elsewhere;
};

static void count_differences(struct comparison *c)
{
    const struct weft_tree *tree = c->picture.look.tree;
    for (uint32_t i = 0; i < tree->n; i++) {
        if (c->match[i] == WEFT_NONE)
            continue;
        c->matched++;
        c->elsewhere += tree->pe[i] != c->other.tree->pe[c->match[i]];
    }
}

static bool begin(struct comparison *c, const struct weft_request *request,
                  struct weft_scene *scene, struct weft_err *err)
{
    const char *difference = weft_setting(request, "difference");
    *c = (struct comparison){ 0 };
    if (!rt_begin(&c->picture, request, scene, err))
        return false;
    c->match = tree_match_of(request->use, err);
    c->other.tree = c->match ? tree_of(request->use, 1, err) : NULL;
    if (!c->other.tree) {
        rt_end(&c->picture);
        return false;
    }
    c->other.source = request->set->sources[1];
    c->other.schema = c->other.source->schema;
    rt_choose_colors(&c->picture, &c->other);
    c->difference = strcmp(difference, "pe") == 0      ? RT_IN_PE
                    : strcmp(difference, "order") == 0 ? RT_IN_ORDER
                    : strcmp(difference, "time") == 0  ? RT_IN_TIME
                                                       : RT_OWN;
    count_differences(c);
    return true;
}

static bool put_rows(const struct comparison *c, struct weft_table *out)
{
    const struct weft_tree *a = c->picture.look.tree, *b = c->other.tree;
    const struct weft_schema *x = c->picture.look.schema, *y = c->other.schema;
    const struct weft_cell none = { .kind = WEFT_CELL_EMPTY };
    uint32_t level = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        uint32_t j = c->match[i];
        bool there = j != WEFT_NONE;
        while (level + 1 < a->n_levels && a->level_begin[level + 1] <= i)
            level++;
        if (a->time[i] > c->picture.at)
            continue;
        const struct weft_cell cells[] = {
            weft_integer_cell(a->record[i]),
            there ? weft_integer_cell(b->record[j]) : none,
            weft_text_cell(a->labels[a->label[i]].name),
            weft_integer_cell(a->pe[i]),
            there ? weft_integer_cell(b->pe[j]) : none,
            weft_integer_cell(weft_ticks_to_ns(x, a->time[i] - x->span.begin)),
            there ? weft_integer_cell(weft_ticks_to_ns(y, b->time[j] - y->span.begin))
                  : none,
            weft_integer_cell(level),
        };
        if (!out->row(out, cells))
            return false;
    }
    return true;
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct weft_scene scene;
    struct comparison c;
    if (!begin(&c, request, &scene, err))
        return false;
    weft_view_begin_table(request, out);
    put_rows(&c, out);
    out->end(out);
    rt_end(&c.picture);
    return true;
}

/* Draws the two-sided ramp of colours, with words at its ends. */
static void draw_ramp(struct rt_picture *p, struct weft_rect line)
{
    enum { STEPS = 128 };
    const struct weft_theme *theme = p->request->theme;
    const char *low = "earlier", *high = "later";
    double low_width = weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, low);
    double high_width = weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, high);
    double width = fmin(120, line.width * 0.2);
    double x = line.x + line.width - width - low_width - high_width - 12, y = line.y + 3;
    if (x < line.x)
        return;
    uint32_t *pixels = weft_arena_alloc(p->arena, STEPS * sizeof *pixels);
    struct weft_raster *raster = weft_arena_zalloc(p->arena, 1, sizeof *raster);
    for (int i = 0; i < STEPS; i++)
        pixels[i] = weft_two_sided(theme, 2.0 * i / (STEPS - 1) - 1);
    *raster = (struct weft_raster){ STEPS, 1, pixels };
    weft_scene_layer(p->scene, "ramp", line, WEFT_LAYER_FIXED);
    weft_scene_text(p->scene, (struct weft_point){ x, y + 11 }, WEFT_ANCHOR_START,
                    WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->text, low);
    weft_scene_raster(p->scene, (struct weft_rect){ x + low_width + 6, y + 1, width, 11 },
                      raster);
    weft_scene_text(p->scene, (struct weft_point){ x + low_width + width + 12, y + 11 },
                    WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->text, high);
}

static void draw_status(struct comparison *c, struct weft_rect line)
{
    struct rt_picture *p = &c->picture;
    struct weft_arena *arena = p->arena;
    double width = line.width - (c->difference > RT_IN_PE ? 230 : 0);
    const char *text = weft_arena_printf(
        arena, "%s of %s nodes are in both runs (the second has %s) · %s on another PE",
        weft_number_text(arena, (double)c->matched, 0),
        weft_number_text(arena, p->look.tree->n, 0),
        weft_number_text(arena, c->other.tree->n, 0),
        weft_number_text(arena, (double)c->elsewhere, 0));
    weft_scene_layer(p->scene, "status", line, WEFT_LAYER_FIXED);
    text = weft_text_fit(arena, WEFT_FONT_SANS, WEFT_SMALL_SIZE, text, width);
    if (text)
        weft_scene_text(p->scene, (struct weft_point){ line.x, line.y + 14 },
                        WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                        p->request->theme->quiet, text);
    if (c->difference == RT_IN_ORDER || c->difference == RT_IN_TIME)
        draw_ramp(p, line);
}

static uint32_t busy_pes(const struct weft_tree *tree)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < tree->n_pes; i++)
        n += tree->pes[i].count > 0;
    return n;
}

/* Draws one of the two pictures in its half of the plot, under a title. */
static bool draw_half(struct comparison *c, struct weft_rect half, bool second,
                      struct weft_err *err)
{
    static const char *const what[] = { "", "", ": goals that ran elsewhere",
                                        ": order against the first's",
                                        ": time against the first's" };
    struct rt_picture *p = &c->picture;
    const struct rt_look *look = second ? &c->other : &p->look;
    char time[WEFT_TIME_TEXT];
    struct weft_span span = look->schema->span;
    uint32_t pes = busy_pes(look->tree);
    p->frame.plot = half;
    p->difference = second ? c->difference : RT_SAME;
    p->other = &c->other;
    p->match = c->match;
    const char *title = weft_arena_printf(
        p->arena, "%s run, %u PE%s, %s%s", second ? "Second" : "First", pes,
        pes == 1 ? "" : "s", weft_duration_text(look->schema, span.end - span.begin, time),
        second ? what[c->difference] : "");
    title = weft_text_fit(p->arena, WEFT_FONT_SANS, WEFT_SMALL_SIZE, title, half.width - 8);
    weft_scene_layer(p->scene, "title", half, WEFT_LAYER_FIXED);
    if (title && half.height > 60) {
        weft_scene_text(p->scene, (struct weft_point){ half.x + 4, half.y + 12 },
                        WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                        p->request->theme->text, title);
        p->frame.plot.y += 16;
        p->frame.plot.height -= 16;
    }
    p->n_places = p->n_gaps = 0;
    p->hidden = p->folded = p->later = p->outside = 0;
    p->looked_at = 0; /* both halves may merge the same number of nodes */
    if (!rt_fill_plot(&c->picture, err))
        return false;
    rt_draw(p);
    return true;
}

/* Marks in THERE the numbers of colours (rt_pe_number) on whose rows a run has nodes. */
static void mark_pes(const struct weft_tree *tree, bool *there)
{
    for (uint32_t i = 0, number = 0; i < tree->n_pes; i++) {
        number = rt_pe_number(tree, i, number);
        there[number] |= tree->pes[i].count > 0;
    }
}

/* Adds the PEs, or containers of calls, of either run: they have one colour in both. */
static size_t add_pes(struct comparison *c, struct weft_legend_entry *out)
{
    struct rt_picture *p = &c->picture;
    const struct weft_tree *a = p->look.tree, *b = c->other.tree;
    const struct weft_tree *more = a->n_pes > b->n_pes ? a : b;
    bool *there = weft_arena_zalloc(p->arena, more->n_pes + (size_t)1, sizeof *there);
    size_t n = 0;
    mark_pes(a, there);
    mark_pes(b, there);
    for (uint32_t i = 0, number = 0; i < more->n_pes; i++) {
        number = rt_pe_number(more, i, number);
        if (there[number])
            out[n++] =
                (struct weft_legend_entry){ weft_number_swatch(p->request->theme, number),
                                            more->pes[i].name, -1 };
        there[number] = false; /* rows of one container share an entry */
    }
    return n;
}

/* Makes the legend of both pictures: PEs of either run, or procedures. */
static size_t make_legend(struct comparison *c, struct weft_legend_entry **out)
{
    struct rt_picture *p = &c->picture;
    uint32_t a = p->look.tree->n_pes, b = c->other.tree->n_pes;
    bool pes =
        p->color == RT_BY_PE || p->color == RT_BY_PE_AND_TIME || c->difference == RT_IN_PE;
    struct weft_legend_entry *procedures;
    size_t n = p->color == RT_BY_PROCEDURE ? rt_legend(p, &procedures) : 0;
    *out = weft_arena_alloc(p->arena, (n + (a > b ? a : b) + 1) * sizeof **out);
    for (size_t i = 0; i < n; i++) {
        (*out)[i] = procedures[i];
        (*out)[i].share = -1; /* no share: that of one run would be read as that of both */
    }
    if (pes)
        n += add_pes(c, *out + n);
    return n;
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct comparison c;
    if (!begin(&c, request, out, err))
        return false;
    struct rt_picture *p = &c.picture;
    struct weft_legend_entry *legend;
    size_t n = make_legend(&c, &legend);
    weft_frame_begin(&p->frame, out, request, 0, false, legend, n, NULL);
    struct weft_rect line = rt_cut_status_line(p), half = p->frame.plot;
    bool beside = half.width >= half.height;
    *(beside ? &half.width : &half.height) /= 2;
    bool ok = draw_half(&c, half, false, err);
    struct weft_scene_frame first = out->frame;
    first.plot = p->frame.plot;
    first.again = beside ? (struct weft_point){ half.width, 0 }
                         : (struct weft_point){ 0, half.height };
    half.x += first.again.x;
    half.y += first.again.y;
    ok = ok && draw_half(&c, half, true, err);
    out->frame = first;
    if (ok && line.width > 0)
        draw_status(&c, line);
    rt_end(&c.picture);
    return ok;
}

static bool fills(const struct weft_set *set)
{
    return set->n_sources > 1 && weft_tree_fills(set->sources[0])
           && weft_tree_fills(set->sources[1]);
}

static const struct weft_column columns[] = {
    { .name = "record" },        { .name = "other_record" },
    { .name = "procedure" },     { .name = "pe" },
    { .name = "other_pe" },      { .name = "time_ns" },
    { .name = "other_time_ns" }, { .name = "level" },
};

const struct weft_view weft_view_tree_compare = {
    .name = "tree-compare",
    .title = "Two runs of a tree",
    .group = "Tree",
    .of_all = true,
    .explanation = "The same goal stands at the same place in both; colours of the second "
                   "say where it differs.",
    .needs =
        "two traces with reductions, or with nested calls or states, or threads that create others",
    .moment = WEFT_MOMENT_SHOWN,
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .compares = true,
    .fills = fills,
    .scene = scene,
    .table = table,
};
