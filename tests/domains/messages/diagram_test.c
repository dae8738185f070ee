/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Animation, hypercube and network of random runs: their tables against a list of all messages,
 * each sent on its way alone; and in their pictures no circle and no number covers another.
 */
#include <math.h>

#include "domains/messages/view/node_diagram.h"
#include "tests/random.h"
#include "tests/small_store.h"
#include "view/text.h"

enum { MAX_PROCESSORS = 600, MAX_MESSAGES = 3000 };

struct message {
    uint32_t from, to;
    int64_t begin, end;
};

struct random_run {
    uint32_t n;
    struct message messages[MAX_MESSAGES];
    int n_messages;
    int64_t end;
    char path[64];
    struct weft_trace *trace;
    const struct weft_source *source;
    struct weft_set set;
};

static uint32_t make_type(struct weft_builder *builder, enum weft_kind kind,
                          const char *name, enum weft_role role)
{
    return add_type(builder, kind, 0, name, role);
}

/* A processor's calls, one after the other, of random kinds and lengths. */
static int64_t add_calls(struct weft_builder *builder, uint32_t container, uint32_t type,
                         const uint32_t *values)
{
    uint32_t track = weft_builder_track(builder, container, type);
    int64_t time = 0;
    for (int i = 0; i < 8; i++) {
        time += 1 + roll(100);
        assert_int_equal(
            weft_builder_push(builder, track, time, values[roll(4)], NULL, 0, NULL),
            WEFT_BUILD_OK);
        time += 1 + roll(100);
        assert_int_equal(weft_builder_pop(builder, track, time, NULL), WEFT_BUILD_OK);
    }
    return time;
}

/* With HOSTS, rank R is on host R % HOSTS. */
static void make_on(struct random_run *run, uint32_t n, int n_messages, uint32_t hosts)
{
    static const enum weft_role roles[] = { WEFT_ROLE_SENDING, WEFT_ROLE_BLOCKED_ON_MESSAGE,
                                            WEFT_ROLE_BLOCKED_ON_COLLECTIVE,
                                            WEFT_ROLE_TESTING };
    uint32_t containers[MAX_PROCESSORS], values[4];
    memset(run, 0, sizeof *run);
    run->n = n;
    run->n_messages = n_messages;
    strcpy(run->path, "/tmp/weft-diagram-test.XXXXXX");
    struct weft_builder *builder = small_store_begin(run->path);
    uint32_t host = make_type(builder, WEFT_CONTAINER, "host", WEFT_ROLE_HOST);
    uint32_t rank =
        add_type(builder, WEFT_CONTAINER, hosts ? host : 0, "rank", WEFT_ROLE_RANK);
    uint32_t on[4] = { 0 };
    for (uint32_t h = 0; h < hosts; h++)
        on[h] = weft_builder_container(builder, host, 0,
                                       (char[]){ 'H', (char)('0' + h), 0 }, NULL, 0);
    uint32_t number =
        add_field(builder, rank, "number", WEFT_FIELD_INTEGER, WEFT_ROLE_RANK_NUMBER);
    uint32_t call = make_type(builder, WEFT_STATE, "call", WEFT_ROLE_COMMUNICATION);
    for (int i = 0; i < 4; i++) {
        char name[] = { (char)('a' + i), 0 };
        values[i] = add_value(builder, call, name, roles[i]);
    }
    uint32_t link = make_type(builder, WEFT_LINK, "message", WEFT_ROLE_MESSAGE);
    for (uint32_t q = 0; q < n; q++) {
        containers[q] =
            weft_builder_container(builder, rank, hosts ? on[q % hosts] : 0, "p", NULL, 0);
        weft_builder_container_field(
            builder, containers[q], &(struct weft_field_value){ number, { .integer = q } });
        int64_t end = add_calls(builder, containers[q], call, values);
        run->end = end > run->end ? end : run->end;
    }
    for (int i = 0; i < n_messages; i++) {
        struct message *m = &run->messages[i];
        int64_t begin = roll((uint32_t)run->end - 50);
        *m = (struct message){ roll(n), roll(n), begin, begin + roll(50) };
        if (i % 3 == 0)
            m->to = (m->from + 1) % n;
        weft_builder_link(builder,
                          &(struct weft_link){ .type = link,
                                               .value = WEFT_NONE,
                                               .key = WEFT_NONE,
                                               .from = containers[m->from],
                                               .to = containers[m->to],
                                               .begin = m->begin,
                                               .end = m->end },
                          NULL, 0);
    }
    run->trace = small_store_open(builder, run->path);
    run->source = weft_trace_source(run->trace);
    run->set = (struct weft_set){ &run->source, 1 };
}

static void make(struct random_run *run, uint32_t n, int n_messages)
{
    make_on(run, n, n_messages, 0);
}

static void end(struct random_run *run)
{
    weft_trace_close(run->trace);
    unlink(run->path);
}

/* ---- Tables ---- */

struct kept_table {
    struct weft_table table;
    struct row {
        char text[6][32];
    } * rows;
    size_t n, capacity, n_columns;
};

static void keep_begin(struct weft_table *table, const char *const *names, size_t n)
{
    (void)names;
    ((struct kept_table *)table)->n_columns = n;
}

static bool keep_row(struct weft_table *table, const struct weft_cell *cells)
{
    struct kept_table *kept = (struct kept_table *)table;
    kept->rows = weft_grow(kept->rows, &kept->capacity, kept->n + 1, sizeof *kept->rows);
    struct row *row = &kept->rows[kept->n++];
    for (size_t c = 0; c < kept->n_columns; c++) {
        row->text[c][0] = '\0';
        if (cells[c].kind == WEFT_CELL_TEXT)
            snprintf(row->text[c], sizeof row->text[c], "%s", cells[c].text);
        if (cells[c].kind == WEFT_CELL_INTEGER)
            snprintf(row->text[c], sizeof row->text[c], "%lld",
                     (long long)cells[c].integer);
    }
    return true;
}

static void keep_end(struct weft_table *table)
{
    (void)table;
}

static void ask(const struct random_run *run, const char *name, const char *const *set,
                size_t n_set, struct weft_request *request, struct kept_table *out)
{
    const struct weft_view *view = weft_view_find(name);
    const char *settings[16] = { 0 };
    struct weft_err err = { 0 };
    for (size_t i = 0; i < n_set; i++)
        assert_true(weft_setting_parse(view, set[i], settings, &err));
    *out = (struct kept_table){ .table = { keep_begin, keep_row, keep_end } };
    request->set = &run->set;
    request->settings = settings;
    assert_true(view->fills(&run->set));
    assert_true(weft_view_table(view, request, &out->table, &err));
    request->settings = NULL;
}

/* A moment or a window; returns whether a message is counted. */
static void choose(const struct random_run *run, struct weft_request *request)
{
    struct weft_span span = run->source->schema->span;
    request->window = span;
    request->has_at = roll(2);
    request->at = span.begin + roll((uint32_t)(span.end - span.begin));
    if (roll(3) == 0) {
        request->window.begin += roll((uint32_t)(span.end - span.begin));
        request->window.end = request->window.begin + 1 + roll(200);
    }
}

static bool in_window(const struct random_run *run, const struct weft_request *request,
                      const struct message *m)
{
    bool last = request->window.end == run->source->schema->span.end;
    return m->begin >= request->window.begin && m->begin < request->window.end + last;
}

static bool is_shown(const struct random_run *run, const struct weft_request *request,
                     const struct message *m)
{
    return request->has_at ? m->begin <= request->at && m->end > request->at
                           : in_window(run, request, m);
}

static uint64_t value(const char *text)
{
    return strtoull(text, NULL, 10);
}

static void check_pairs(const struct random_run *run, const char *view,
                        struct weft_request *request)
{
    struct kept_table kept;
    ask(run, view, NULL, 0, request, &kept);
    size_t at = 0;
    for (uint32_t from = 0; from < run->n; from++)
        for (uint32_t to = 0; to < run->n; to++) {
            uint64_t shown = 0, total = 0;
            for (int i = 0; i < run->n_messages; i++) {
                const struct message *m = &run->messages[i];
                if (m->from != from || m->to != to)
                    continue;
                shown += is_shown(run, request, m);
                total += in_window(run, request, m);
            }
            if (!shown)
                continue;
            assert_true(at < kept.n);
            const struct row *row = &kept.rows[at++];
            assert_int_equal(value(row->text[0]), from);
            assert_int_equal(value(row->text[1]), to);
            assert_int_equal(row->text[2][0] != '\0', request->has_at);
            if (request->has_at)
                assert_int_equal(value(row->text[2]), shown);
            assert_int_equal(value(row->text[3]), total);
            bool physical = __builtin_popcount(from ^ to) == 1;
            assert_string_equal(row->text[4], view[0] == 'a' ? "" : physical ? "1" : "0");
        }
    assert_int_equal(at, kept.n);
    free(kept.rows);
}

static void check_network(const struct random_run *run, enum weft_network kind,
                          struct weft_request *request)
{
    static const char *const names[] = { "network=butterfly", "network=hypercube",
                                         "network=omega",     "network=baseline",
                                         "network=crossbar",  "network=binary-tree",
                                         "network=quadtree",  "network=mesh" };
    struct kept_table kept;
    struct weft_grid grid;
    struct weft_err err;
    assert_true(weft_grid_parse(run->n, "auto", false, &grid, &err));
    struct weft_topology t = weft_topology_make(kind, WEFT_ROUTING_OWN, run->n, &grid);
    uint64_t *loads = calloc(t.n_links + 1, sizeof *loads);
    uint64_t *links = calloc(t.most_hops + 1, sizeof *links);
    for (int i = 0; i < run->n_messages; i++) {
        const struct message *m = &run->messages[i];
        size_t n = weft_topology_route(&t, m->from, m->to, links);
        for (size_t k = 0; k < n && is_shown(run, request, m); k++)
            loads[links[k]] += !weft_topology_stays(&t, links[k]);
    }
    ask(run, "network", &names[kind], 1, request, &kept);
    size_t at = 0;
    for (uint64_t link = 0; link < t.n_links; link++) {
        if (!loads[link])
            continue;
        uint32_t from, to, place;
        weft_topology_ends(&t, link, &from, &to);
        assert_true(at < kept.n);
        const struct row *row = &kept.rows[at++];
        assert_int_equal(value(row->text[0]), link);
        if (weft_topology_is_end(&t, weft_topology_stage(&t, from, &place)))
            assert_int_equal(value(row->text[1]), place);
        if (weft_topology_is_end(&t, weft_topology_stage(&t, to, &place)))
            assert_int_equal(value(row->text[2]), place);
        assert_int_equal(value(row->text[3]), loads[link]);
    }
    assert_int_equal(at, kept.n);
    free(kept.rows);
    free(loads);
    free(links);
}

static void tables_are_those_of_a_slow_count(void **state)
{
    (void)state;
    static struct random_run run;
    for (int round = 0; round < 25; round++) {
        make(&run, 1 + roll(21), 1 + (int)roll(400));
        for (int i = 0; i < 4; i++) {
            struct weft_request request = { .width = 900 };
            choose(&run, &request);
            check_pairs(&run, "animation", &request);
            check_pairs(&run, "hypercube", &request);
            for (unsigned kind = 0; kind < WEFT_NETWORKS; kind++)
                check_network(&run, kind, &request);
        }
        end(&run);
    }
}

/* ---- Pictures ---- */

static bool apart(struct weft_rect a, struct weft_rect b)
{
    const double slack = 0.6; /* pixels: rounding, and air around letters */
    return a.x + a.width <= b.x + slack || b.x + b.width <= a.x + slack
           || a.y + a.height <= b.y + slack || b.y + b.height <= a.y + slack;
}

static struct weft_rect box_of(const struct weft_mark *mark)
{
    double width = weft_text_width(mark->font, (double)mark->size, mark->text);
    double left = mark->box.x
                  - (mark->detail == WEFT_ANCHOR_START    ? 0
                     : mark->detail == WEFT_ANCHOR_MIDDLE ? width / 2
                                                          : width);
    /* The height of digits in DejaVu Sans. */
    return (struct weft_rect){ left, mark->box.y - 0.73 * (double)mark->size, width,
                               0.73 * (double)mark->size };
}

/* No text of the picture covers another, and no two circles overlap. */
static void check_scene(const struct weft_scene *scene, const char *what)
{
    struct weft_rect texts[4000];
    struct weft_point circles[4000];
    double radii[4000];
    size_t n = 0, n_circles = 0;
    for (size_t l = 0; l < scene->n_layers; l++)
        for (size_t i = 0; i < scene->layers[l].n_marks; i++) {
            const struct weft_mark *mark = &scene->layers[l].marks[i];
            if (mark->kind == WEFT_MARK_TEXT && n < 4000)
                texts[n++] = box_of(mark);
            if (mark->kind == WEFT_MARK_GLYPH && mark->detail == WEFT_GLYPH_CIRCLE
                && mark->title && n_circles < 4000) {
                radii[n_circles] = (double)mark->size / 2;
                circles[n_circles++] = (struct weft_point){ mark->box.x, mark->box.y };
            }
        }
    assert_true(n > 0 && n_circles > 0);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            if (!apart(texts[i], texts[k]))
                fail_msg("%s: two texts at %.0f, %.0f", what, texts[i].x, texts[i].y);
    for (size_t i = 0; i < n_circles; i++)
        for (size_t k = 0; k < i; k++)
            if (hypot(circles[i].x - circles[k].x, circles[i].y - circles[k].y)
                < radii[i] + radii[k])
                fail_msg("%s: two circles at %.0f, %.0f", what, circles[i].x, circles[i].y);
}

static const char *const looks[][3] = {
    { "animation", "layout=ring", NULL },
    { "animation", "layout=mesh", "numbering=columns" },
    { "hypercube", "layout=ring", NULL },
    { "hypercube", "layout=chain", NULL },
    { "hypercube", "layout=mesh", NULL },
    { "hypercube", "layout=torus", NULL },
    { "hypercube", "layout=cubes", NULL },
    { "hypercube", "layout=tesseract", NULL },
    { "hypercube", "layout=tree", NULL },
    { "hypercube", "layout=butterfly", NULL },
    { "network", "network=butterfly", "numbers=all" },
    { "network", "network=hypercube", "routing=high-first" },
    { "network", "network=omega", NULL },
    { "network", "network=baseline", "numbers=all" },
    { "network", "network=crossbar", NULL },
    { "network", "network=binary-tree", NULL },
    { "network", "network=quadtree", NULL },
    { "network", "network=mesh", NULL },
    { "network", "network=mesh", "numbers=all" },
};

static void draw_under(const struct random_run *run, size_t look, double width,
                       double height, bool has_at, enum weft_theme_name theme,
                       uint32_t under)
{
    const struct weft_view *view = weft_view_find(looks[look][0]);
    const char *settings[16] = { 0 };
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    struct weft_err err = { 0 };
    char what[200];
    for (int i = 1; i < 3 && looks[look][i]; i++)
        assert_true(weft_setting_parse(view, looks[look][i], settings, &err));
    struct weft_request request = { .set = &run->set,
                                    .window = run->source->schema->span,
                                    .has_at = has_at,
                                    .at = run->end / 2,
                                    .under = under,
                                    .width = width,
                                    .height = height,
                                    .theme = weft_theme_get(theme),
                                    .settings = settings };
    if (!weft_view_scene(view, &request, &arena, &scene, &err))
        fail_msg("%s", err.message);
    snprintf(what, sizeof what, "%s %s of %u, %.0f x %.0f, %s", looks[look][0],
             looks[look][1], run->n, width, height, has_at ? "a moment" : "all");
    check_scene(&scene, what);
    weft_arena_free(&arena);
}

static void draw(const struct random_run *run, size_t look, double width, double height,
                 bool has_at, enum weft_theme_name theme)
{
    draw_under(run, look, width, height, has_at, theme, 0);
}

static void nothing_covers_anything(void **state)
{
    (void)state;
    static struct random_run run;
    static const uint32_t counts[] = { 1, 2, 3, 4, 5, 8, 16, 33, 64, 100, 128, 512 };
    static const double sizes[][2] = {
        { 320, 200 }, { 900, 500 }, { 1280, 720 }, { 500, 900 }, { 120, 90 }
    };
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        make(&run, counts[c], counts[c] < 4 ? 20 : 600);
        for (size_t look = 0; look < sizeof looks / sizeof *looks; look++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                draw(&run, look, sizes[s][0], sizes[s][1], (look + s + c) % 2,
                     (enum weft_theme_name)((look + s + c) % 5));
        end(&run);
    }
}

/* ---- Parts ---- */

static int by_total(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Of the processors under a container: what they send one another, and nothing else. */
static void a_part_of_the_run_is_counted_alone(void **state)
{
    enum { N = 22, HOSTS = 3 };
    static struct random_run run;
    static const char *const views[] = { "animation", "hypercube", "comm-matrix" };
    bool ambiguous;
    (void)state;
    make_on(&run, N, 900, HOSTS);
    for (uint32_t host = 0; host < HOSTS; host++) {
        char name[] = { 'H', (char)('0' + host), 0 };
        uint64_t all = 0, between[N][N] = { 0 };
        for (int i = 0; i < run.n_messages; i++) {
            const struct message *m = &run.messages[i];
            if (m->from % HOSTS == host && m->to % HOSTS == host)
                all += ++between[m->from][m->to] > 0;
        }
        struct weft_request request = { .window = run.source->schema->span,
                                        .under = weft_find_container(run.source->schema,
                                                                     name, &ambiguous) };
        struct kept_table kept;
        for (size_t v = 0; v < sizeof views / sizeof *views; v++) {
            uint64_t sum = 0;
            size_t messages = strcmp(views[v], "comm-matrix") == 0 ? 2 : 3;
            ask(&run, views[v], NULL, 0, &request, &kept);
            for (size_t i = 0; i < kept.n; i++) {
                uint64_t from = value(kept.rows[i].text[0]),
                         to = value(kept.rows[i].text[1]);
                assert_int_equal(value(kept.rows[i].text[messages]), between[from][to]);
                sum += between[from][to];
            }
            assert_int_equal(sum, all);
            free(kept.rows);
        }
        /* In a crossbar each message takes one link, from place to place. */
        ask(&run, "network", (const char *[]){ "network=crossbar" }, 1, &request, &kept);
        uint64_t sum = 0;
        for (size_t i = 0; i < kept.n; i++) {
            uint64_t from = value(kept.rows[i].text[1]), to = value(kept.rows[i].text[2]);
            assert_int_equal(value(kept.rows[i].text[3]), between[from][to]);
            sum += value(kept.rows[i].text[3]);
        }
        assert_int_equal(sum, all);
        free(kept.rows);
        ask(&run, "message-queues", NULL, 0, &request, &kept);
        assert_int_equal(kept.n, (N - host + HOSTS - 1) / HOSTS);
        for (size_t i = 0; i < kept.n; i++)
            assert_int_equal(value(kept.rows[i].text[0]) % HOSTS, host);
        free(kept.rows);
        for (size_t look = 0; look < sizeof looks / sizeof *looks; look++)
            for (int at = 0; at < 2; at++)
                draw_under(&run, look, 900, 500, at, WEFT_THEME_LIGHT, request.under);
    }
    end(&run);
}

/* The heaviest arcs, whatever the order of the sums, have the heaviest numbers. */
static void the_heaviest_lines_are_kept(void **state)
{
    (void)state;
    for (int round = 0; round < 300; round++) {
        struct weft_arena arena = { 0 };
        struct weft_pair_sum rows[300];
        uint64_t totals[300];
        struct diagram d = { .arena = &arena, .n_groups = 30 };
        size_t n = 0, kept, all, most = 1 + roll(60);
        for (uint32_t a = 0; a < 30; a++)
            for (uint32_t b = a; b < 30 && n < 300; b++)
                if (roll(3) == 0) {
                    totals[n] = 1 + roll(round % 2 ? 3 : 1000);
                    rows[n] =
                        (struct weft_pair_sum){ .from = a, .to = b, .count = totals[n] };
                    n++;
                }
        d.sums = (struct weft_pair_sums){ rows, n, 300 };
        qsort(totals, n, sizeof *totals, by_total);
        const struct diagram_arc *arcs = diagram_arcs(&d, most, &kept, &all);
        assert_int_equal(all, n);
        assert_int_equal(kept, n < most ? n : most);
        for (size_t i = 0; i < kept; i++)
            assert_int_equal(arcs[i].there + arcs[i].back, totals[n - kept + i]);
        weft_arena_free(&arena);
    }
}

static void steps_hold_all_numbers_once(void **state)
{
    (void)state;
    struct weft_arena arena = { 0 };
    for (int round = 0; round < 2000; round++) {
        uint64_t low = 1 + roll(round % 3 ? 20 : 100000),
                 high = low + roll(round % 2 ? 12 : 9999);
        struct diagram_scale scale = diagram_scale_make(low, high, false);
        assert_true(scale.n >= 1 && scale.n <= DIAGRAM_STEPS);
        assert_int_equal(scale.edges[0], low);
        for (uint32_t i = 0; i < scale.n; i++) {
            assert_int_equal(diagram_step(&scale, scale.edges[i]), i);
            if (i)
                assert_int_equal(diagram_step(&scale, scale.edges[i] - 1), i - 1);
            assert_non_null(diagram_step_text(&scale, i, &arena));
        }
        /* As few numbers as steps: each is a step. */
        if (high - low < DIAGRAM_STEPS)
            assert_int_equal(scale.n, high - low + 1);
        assert_int_equal(diagram_step(&scale, high), scale.n - 1);
    }
    struct diagram_scale open = diagram_scale_make(1, 64, true);
    assert_string_equal(diagram_step_text(&open, 0, &arena), "1");
    assert_string_equal(diagram_step_text(&open, open.n - 1, &arena), "64 or more");
    weft_arena_free(&arena);
}

/* Three times as many messages look other than a third of them; the steps are equally wide. */
static void steps_of_about_as_many_are_even(void **state)
{
    (void)state;
    struct diagram_scale few = diagram_scale_fit(2257, 6801);
    assert_int_equal(few.n, DIAGRAM_STEPS);
    assert_int_equal(diagram_step(&few, 2257), 2); /* 6801 / 8 = 850.1: from 1701 on */
    assert_int_equal(diagram_step(&few, 6700), 7);
    assert_int_equal(diagram_step(&few, 6801), 7);
    for (int round = 0; round < 2000; round++) {
        uint64_t low = 1 + roll(round % 3 ? 20 : 100000), high = low + roll(14 * (int)low);
        struct diagram_scale scale = diagram_scale_fit(low, high);
        assert_true(scale.n >= 1 && scale.n <= DIAGRAM_STEPS);
        assert_int_equal(scale.n, high < DIAGRAM_STEPS ? high : DIAGRAM_STEPS);
        assert_int_equal(scale.edges[0], 1);
        assert_int_equal(scale.most, high);
        for (uint32_t i = 0; i + 1 < scale.n; i++)
            assert_true(llabs((long long)(scale.edges[i + 1] - scale.edges[i])
                              - (long long)(high / scale.n))
                        <= 1);
    }
    struct diagram_scale apart = diagram_scale_fit(1, 1 << 16);
    assert_int_equal(diagram_step(&apart, 256), 4); /* half of the logarithm */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_of_about_as_many_are_even),
        cmocka_unit_test(tables_are_those_of_a_slow_count),
        cmocka_unit_test(nothing_covers_anything),
        cmocka_unit_test(a_part_of_the_run_is_counted_alone),
        cmocka_unit_test(the_heaviest_lines_are_kept),
        cmocka_unit_test(steps_hold_all_numbers_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
