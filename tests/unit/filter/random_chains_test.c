/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random chains of all filters on random traces, against the slow second implementation of
 * chain_model.c: rows, states, events, links, variables, what is dimmed, shares, and the
 * numbers of groups.
 */
#include <math.h>

#include "analyse/active_members.h"
#include "filter/filtered_source.h"
#include "tests/random.h"
#include "tests/unit/filter/chain_model.h"
#include "view/views.h"

enum { ROUNDS = 600 };

static struct model model;
static struct weft_source *above;

/* Fails with the chain that was at work. */
static void is_so(bool right, const char *what, unsigned which)
{
    if (!right)
        fail_msg("%s %u, after\n%s", what, which, model.chain);
}

static struct weft_span random_window(void)
{
    int64_t begin = (int64_t)roll(MODEL_SPAN), end = begin + 1 + (int64_t)roll(MODEL_SPAN);
    return roll(3) ? (struct weft_span){ begin, end } : (struct weft_span){ 0, MODEL_SPAN };
}

/* ---- Rows ---- */

static bool is_shown(const struct weft_schema *s, uint32_t c)
{
    return s->containers[c].order < s->containers[0].subtree_end;
}

/* Returns true if some row has states of TYPE. */
static bool has_tracks(uint32_t type)
{
    const struct weft_schema *s = above->schema;
    bool any = false;
    for (uint32_t t = 0; t < s->n_tracks; t++)
        any |= s->tracks[t].type == type && s->types[type].kind == WEFT_STATE;
    return any;
}

static void check_rows(void)
{
    const struct weft_schema *s = above->schema;
    is_so(s->n_containers == (uint32_t)model.n_nodes, "number of rows", s->n_containers);
    for (uint32_t c = 0; c < s->n_containers; c++) {
        const struct node *node = &model.nodes[c];
        const struct weft_container *of = &s->containers[c];
        is_so(strcmp(of->name, node->name) == 0, "name of row", c);
        is_so(s->preorder[of->order] == c, "order of row", c);
        is_so(is_shown(s, c) == !node->gone, "is row shown", c);
        if (node->gone)
            continue;
        is_so(of->parent == (node->parent < 0 ? WEFT_NONE : (uint32_t)node->parent),
              "parent of row", c);
        uint32_t below = 0, depth = 0;
        for (int other = 0; other < model.n_nodes; other++)
            below += !model.nodes[other].gone && model_is_in(&model, other, (int)c);
        for (int up = node->parent; up >= 0; up = model.nodes[up].parent)
            depth++;
        is_so(of->depth == depth, "depth of row", c);
        is_so(of->subtree_end - of->order == below, "rows below row", c);
        is_so((s->heights ? s->heights[c] : 0) == node->height, "height of row", c);
        const struct weft_reduction *reduction = s->reduced ? s->reduced[c] : NULL;
        is_so((reduction != NULL) == node->reduced, "is row reduced", c);
        if (!reduction)
            continue;
        is_so(reduction->shades == node->shades, "shades of row", c);
        is_so(reduction->sums == node->sums, "sums of row", c);
        for (uint32_t v = 0; v < s->n_values; v++)
            if (has_tracks(s->values[v].type))
                is_so(reduction->active[v] == node->active[v], "active value", v);
    }
    for (uint32_t v = 0; v < s->n_values; v++) {
        is_so(strcmp(s->values[v].name, model.value_names[v]) == 0, "name of value", v);
        is_so(s->values[v].color == model.colors[v], "colour of value", v);
        is_so(s->values[v].shape == model.shapes[v], "shape of value", v);
    }
}

/* Shown rows that hold none, of one parent and type, share rows if they do not overlap. */
static void check_reuse(void)
{
    const struct weft_schema *s = above->schema;
    is_so((s->lane_of != NULL) == model.reuses, "rows are reused", 0);
    for (uint32_t c = 1; s->lane_of && c < s->n_containers; c++) {
        const struct node *node = &model.nodes[c];
        int most = 0, rows = 0;
        if (node->gone || s->containers[c].first_child != WEFT_NONE) {
            is_so(s->lane_of[c] == c, "lane of row", c);
            continue;
        }
        for (int64_t t = 0; t < 2 * MODEL_SPAN; t++) {
            int once = 0;
            rows = 0;
            for (int o = 1; o < model.n_nodes; o++) {
                const struct node *other = &model.nodes[o];
                int64_t end = other->end > other->begin ? other->end : other->begin + 1;
                if (other->gone || other->parent != node->parent
                    || s->containers[o].type != s->containers[c].type
                    || s->containers[o].first_child != WEFT_NONE)
                    continue;
                once += other->begin <= t && t < end;
                rows += s->lane_of[o] == (uint32_t)o;
            }
            most = once > most ? once : most;
        }
        /* Groups have no times here, and no members: they do not live in the model. */
        if ((int)c < model.n_below)
            is_so(rows == most, "rows that are used again, beside row", c);
    }
}

/* ---- Entities ---- */

struct visits {
    size_t n;
    uint64_t ids[MODEL_ENTITIES];
    bool dimmed[MODEL_ENTITIES];
};

static struct visits visits;

static bool see(uint64_t id, uint32_t flags)
{
    assert_true(visits.n < MODEL_ENTITIES);
    visits.ids[visits.n] = id;
    visits.dimmed[visits.n++] = flags & WEFT_DIMMED;
    return true;
}

static bool see_state(void *user, const struct weft_state *state)
{
    (void)user;
    return see(state->id, state->flags);
}

static bool see_event(void *user, const struct weft_event *event)
{
    (void)user;
    return see(event->id, event->flags);
}

static bool see_link(void *user, const struct weft_link *link)
{
    (void)user;
    return see(link->id, link->flags);
}

static bool see_sample(void *user, const struct weft_sample *sample)
{
    (void)user;
    return see(sample->id, 0);
}

/* Lists the things of TRACK in WINDOW, as SOURCE visits them. */
static void visit(const struct weft_source *source, uint32_t track, struct weft_span window)
{
    const struct weft_source_ops *ops = source->ops;
    visits.n = 0;
    switch (model.below->schema->types[model.below->schema->tracks[track].type].kind) {
    case WEFT_STATE: ops->states(source, track, window, see_state, NULL); break;
    case WEFT_EVENT: ops->events(source, track, window, see_event, NULL); break;
    case WEFT_LINK: ops->links(source, track, window, see_link, NULL); break;
    case WEFT_VARIABLE: ops->samples(source, track, window, see_sample, NULL); break;
    case WEFT_CONTAINER: break;
    }
}

static const struct entity *entity_of(uint64_t id)
{
    size_t i = 0;
    while (model.list[i].id != id)
        i++;
    return &model.list[i];
}

/* The source below says what is in the window, the model which of that is shown, and how. */
static void check_visits(uint32_t track, struct weft_span window)
{
    static uint64_t all[MODEL_ENTITIES];
    size_t n, at = 0;
    visit(model.below, track, window);
    n = visits.n;
    memcpy(all, visits.ids, n * sizeof *all);
    visit(above, track, window);
    for (size_t i = 0; i < n; i++) {
        const struct entity *e = entity_of(all[i]);
        if (e->hidden)
            continue;
        is_so(at < visits.n && visits.ids[at] == e->id, "thing on track", track);
        if (e->kind != WEFT_VARIABLE)
            is_so(visits.dimmed[at] == e->dimmed, "a thing is dimmed on track", track);
        at++;
    }
    is_so(visits.n == at, "things on track", track);
}

/* Each shown thing of a track is dimmed, or not, as schema->dimmed says of the track. */
static void check_dimming(uint32_t track)
{
    const struct weft_schema *s = above->schema;
    enum weft_dimming dimming = s->dimmed ? s->dimmed[track] : WEFT_DIMS_NOTHING;
    if (s->types[s->tracks[track].type].kind == WEFT_VARIABLE
        && !model.nodes[s->tracks[track].container].gone)
        is_so((dimming == WEFT_DIMS_ALL) == model.dims_track[track], "dims track", track);
    for (size_t i = 0; i < model.n; i++) {
        const struct entity *e = &model.list[i];
        if (e->track == track && !e->hidden && e->kind != WEFT_VARIABLE)
            is_so(dimming == WEFT_DIMS_SOME || e->dimmed == (dimming == WEFT_DIMS_ALL),
                  "dimming of track", track);
    }
}

/* ---- Time ---- */

static void check_sums(uint32_t track, struct weft_span window)
{
    uint32_t n_values = above->schema->n_values;
    struct weft_sum sums[MODEL_VALUES] = { { 0 } };
    int64_t self[MODEL_VALUES] = { 0 };
    above->ops->sums(above, &track, 1, window, sums);
    for (int64_t t = window.begin; t < window.end; t++) {
        struct weft_innermost at;
        int i = model_innermost(&model, track, t);
        above->ops->values_at(above, &track, 1, t, &at);
        is_so(at.id == (i < 0 ? WEFT_NO_ID : model.list[i].id), "state at a time", track);
        if (i >= 0)
            self[model.list[i].value]++;
    }
    for (uint32_t v = 0; v < n_values; v++)
        is_so(sums[v].self_ticks == self[v], "self time of value", v);
}

/* The shares of all tracks of a type, and the dimmed part of them. */
static void check_shares(uint32_t type, struct weft_span window)
{
    enum { COLUMNS = 7 };
    const struct weft_schema *s = above->schema;
    uint32_t tracks[MODEL_NODES], slots = s->types[type].slots;
    float shares[COLUMNS * WEFT_MAX_SLOTS] = { 0 },
                           dimmed[COLUMNS * WEFT_MAX_SLOTS] = { 0 };
    double wanted[2][COLUMNS * WEFT_MAX_SLOTS] = { { 0 } };
    size_t n = 0;
    window.end =
        window.begin + (window.end - window.begin + COLUMNS - 1) / COLUMNS * COLUMNS;
    int64_t each = (window.end - window.begin) / COLUMNS;
    for (uint32_t t = 0; t < s->n_tracks; t++)
        if (s->tracks[t].type == type && n < MODEL_NODES)
            tracks[n++] = t;
    for (size_t i = 0; i < n; i++)
        for (int64_t t = window.begin; t < window.end; t++) {
            int at = model_innermost(&model, tracks[i], t);
            if (at < 0)
                continue;
            uint32_t rank = s->values[model.list[at].value].rank;
            size_t slot = (size_t)((t - window.begin) / each) * slots
                          + (rank < slots ? rank : slots - 1);
            wanted[0][slot] += 1.0 / (double)each;
            wanted[1][slot] += model.list[at].dimmed ? 1.0 / (double)each : 0;
        }
    if (!n)
        return;
    struct weft_share_query query = { .tracks = tracks,
                                      .n_tracks = n,
                                      .window = window,
                                      .columns = COLUMNS,
                                      .shares = shares,
                                      .exact = true,
                                      .dimmed = dimmed };
    above->ops->shares(above, &query);
    for (unsigned i = 0; i < COLUMNS * slots; i++) {
        is_so(fabs(shares[i] - wanted[0][i]) < 1e-3, "share", i);
        is_so(fabs(dimmed[i] - wanted[1][i]) < 1e-3, "dimmed share", i);
    }
}

/* ---- Groups ---- */

/* How many members are active at once, of each shown row. */
static void check_active(uint32_t c, struct weft_span window)
{
    const struct weft_schema *s = above->schema;
    struct weft_arena arena = { 0 };
    uint8_t active[MODEL_VALUES];
    int64_t ticks[MODEL_NODES] = { 0 }, wanted[MODEL_NODES] = { 0 };
    for (uint32_t v = 0; v < s->n_values; v++)
        active[v] = roll(2);
    struct weft_members members = weft_members_of(s, c, active, &arena);
    size_t n = 0;
    for (uint32_t t = 0; t < s->n_tracks; t++) {
        bool any = false;
        for (size_t i = 0; i < model.n; i++)
            any |= model.list[i].track == t && !model.list[i].hidden;
        if (s->tracks[t].type == members.type && any)
            n += model_is_in(&model, (int)s->tracks[t].container, (int)c);
    }
    /* A track whose things are hidden one by one still counts as a member. */
    is_so(members.n >= n, "members of row", c);
    for (int64_t t = window.begin; t < window.end && members.n; t++) {
        size_t k = 0;
        for (size_t i = 0; i < members.n; i++) {
            int at = model_innermost(&model, members.tracks[i], t);
            k += at >= 0 && active[model.list[at].value];
        }
        wanted[k]++;
    }
    weft_active_counts(above, &members, active, window, NULL, ticks);
    for (size_t k = 0; k <= members.n && members.n; k++)
        is_so(ticks[k] == wanted[k], "ticks of so many active members", (unsigned)k);
    size_t most = 0;
    for (int64_t t = 0; t < 2 * MODEL_SPAN; t++) {
        size_t once = 0;
        for (size_t i = 0; i < members.n; i++) {
            const struct node *node =
                &model.nodes[above->schema->tracks[members.tracks[i]].container];
            once += node->begin <= t
                    && t < (node->end > node->begin ? node->end : node->begin + 1);
        }
        most = once > most ? once : most;
    }
    is_so(weft_most_at_once(s, members.tracks, members.n) == most, "members at once of row",
          c);
    weft_arena_free(&arena);
}

/* The rows of the view's table, as texts and numbers. */
struct rows {
    struct weft_table table;
    size_t n, n_columns;
    struct {
        char texts[2][32];
        double numbers[5];
    } list[256];
};

static void begin_rows(struct weft_table *table, const char *const *names, size_t n)
{
    (void)names;
    ((struct rows *)(void *)table)->n_columns = n;
}

static bool keep_row(struct weft_table *table, const struct weft_cell *cells)
{
    struct rows *rows = (struct rows *)(void *)table;
    size_t texts = 0, numbers = 0;
    assert_true(rows->n < 256);
    for (size_t i = 0; i < rows->n_columns; i++)
        if (cells[i].kind == WEFT_CELL_TEXT)
            snprintf(rows->list[rows->n].texts[texts++], 32, "%s", cells[i].text);
        else
            rows->list[rows->n].numbers[numbers++] =
                cells[i].kind == WEFT_CELL_REAL ? cells[i].real : (double)cells[i].integer;
    rows->n++;
    return true;
}

static void end_rows(struct weft_table *table)
{
    (void)table;
}

static struct rows rows;

static void ask_groups(const char *of, struct weft_span window)
{
    const struct weft_source *source = above;
    const struct weft_set set = { &source, 1, NULL };
    const char *settings[] = { of, NULL, NULL };
    struct weft_request request = { .set = &set,
                                    .window = window,
                                    .settings = settings,
                                    .theme = weft_theme_get(WEFT_THEME_LIGHT) };
    struct weft_err err;
    memset(&rows, 0, sizeof rows);
    rows.table =
        (struct weft_table){ .begin = begin_rows, .row = keep_row, .end = end_rows };
    assert_true(weft_view_table(&weft_view_groups, &request, &rows.table, &err));
}

/* Returns the innermost reduced row that is C or holds it; -1: none. */
static int reduced_around(int c)
{
    while (c >= 0 && !model.nodes[c].reduced)
        c = model.nodes[c].parent;
    return c;
}

static bool any_reduced(void)
{
    for (int c = 0; c < model.n_nodes; c++)
        if (model.nodes[c].reduced && !model.nodes[c].gone)
            return true;
    return false;
}

static void check_group_links(struct weft_span window)
{
    ask_groups("links", window);
    size_t pairs = 0;
    window.end += window.end == above->schema->span.end;
    for (int from = 0; from < model.n_nodes; from++)
        for (int to = 0; to < model.n_nodes; to++) {
            double count = 0, bytes = 0, told = 0, told_bytes = 0;
            for (size_t i = 0; i < model.n; i++) {
                const struct entity *e = &model.list[i];
                if (e->kind != WEFT_LINK || e->hidden || reduced_around(e->from) != from
                    || reduced_around(e->to) != to || e->begin < window.begin
                    || e->begin >= window.end)
                    continue;
                count++;
                bytes += (double)e->bytes;
            }
            for (size_t i = 0; i < rows.n; i++)
                if (strcmp(rows.list[i].texts[0], model.nodes[from].name) == 0
                    && strcmp(rows.list[i].texts[1], model.nodes[to].name) == 0) {
                    told += rows.list[i].numbers[0];
                    told_bytes += rows.list[i].numbers[1];
                }
            is_so(told == count && told_bytes == bytes, "links from group", (unsigned)from);
            pairs += count > 0;
        }
    is_so(rows.n == pairs, "pairs of groups", (unsigned)rows.n);
}

static void check_group_variables(struct weft_span window)
{
    size_t groups = 0;
    ask_groups("variables", window);
    for (int g = 0; g < model.n_nodes; g++) {
        double least = INFINITY, most = -INFINITY, area = 0, ticks = 0;
        if (!model.nodes[g].reduced || model.nodes[g].gone)
            continue;
        for (size_t i = 0; i < model.n; i++) {
            const struct entity *e = &model.list[i];
            if (e->kind != WEFT_VARIABLE || e->hidden || !model_is_in(&model, e->node, g)
                || e->begin >= window.end || e->end < window.begin
                || (e->end == window.begin && e->begin < e->end))
                continue;
            least = fmin(least, e->number);
            most = fmax(most, e->number);
            for (int64_t t = window.begin; t < window.end; t++)
                if (e->begin <= t && t < e->end) {
                    area += e->number;
                    ticks++;
                }
        }
        if (least > most)
            continue;
        bool found = false;
        for (size_t i = 0; i < rows.n && !found; i++) {
            const double *n = rows.list[i].numbers;
            if (strcmp(rows.list[i].texts[0], model.nodes[g].name) != 0)
                continue;
            found = true;
            is_so(n[1] == least && n[3] == most, "bounds of group", (unsigned)g);
            if (ticks > 0)
                is_so(fabs(n[2] - area / ticks) < 1e-9, "mean of group", (unsigned)g);
            is_so(fabs(n[4] - area / (double)(window.end - window.begin)) < 1e-9,
                  "sum of group", (unsigned)g);
        }
        is_so(found, "variables of group", (unsigned)g);
        groups++;
    }
    is_so(rows.n == groups, "groups with variables", (unsigned)rows.n);
}

/* ---- All ---- */

static void check_chain(void)
{
    const struct weft_schema *s = above->schema;
    check_rows();
    check_reuse();
    for (uint32_t t = 0; t < s->n_tracks; t++) {
        check_visits(t, random_window());
        check_dimming(t);
        if (s->types[s->tracks[t].type].kind == WEFT_STATE)
            check_sums(t, random_window());
    }
    for (uint32_t type = 0; type < s->n_types; type++)
        if (s->types[type].kind == WEFT_STATE)
            check_shares(type, random_window());
    for (uint32_t c = 0; c < s->n_containers; c++)
        if (is_shown(s, c))
            check_active(c, random_window());
    if (any_reduced()) {
        check_group_links(random_window());
        check_group_variables(random_window());
    }
}

static void chains_do_what_their_lines_say(void **unused)
{
    (void)unused;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct weft_err err;
        roll_from(round);
        model_make(&model);
        model_filter(&model);
        above = weft_filtered_new(model.below, model.chain, &err);
        if (!above)
            fail_msg("round %u: %s\n%s", round, err.message, model.chain);
        check_chain();
        weft_filtered_free(above);
        model_close(&model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_do_what_their_lines_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
