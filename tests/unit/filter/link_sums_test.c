/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Links of reduced rows in the timeline, which are drawn summed, against a list of all
 * links: what a line says, what its click lists, and that none is left out or counted
 * twice.  Three hosts have three ranks each, which send messages at random.
 */
#include <math.h>

#include "analyse/where_selection.h"
#include "filter/filtered_source.h"
#include "tests/random.h"
#include "tests/small_store.h"
#include "tests/table_text.h"
#include "view/timeline/space_time.h"
#include "view/views.h"

enum { HOSTS = 3, RANKS = 9, MESSAGES = 600, END = 10000 };

static struct weft_trace *trace;
static struct weft_arena arena;
static struct weft_scene scene;
static const struct weft_source *source;
static struct {
    int from, to;
    int64_t begin, end, bytes;
} messages[MESSAGES];
static size_t n_messages;

static void make(size_t n)
{
    char path[] = "/tmp/weft-link-sums-XXXXXX";
    struct weft_builder *b = small_store_begin(path);
    uint32_t host = add_type(b, WEFT_CONTAINER, 0, "Host", WEFT_ROLE_NONE);
    uint32_t rank = add_type(b, WEFT_CONTAINER, host, "Rank", WEFT_ROLE_RANK);
    uint32_t type = add_type(b, WEFT_STATE, rank, "State", WEFT_ROLE_ACTIVITY);
    uint32_t link_type = add_type(b, WEFT_LINK, 0, "Message", WEFT_ROLE_MESSAGE);
    uint32_t size = add_field(b, link_type, "bytes", WEFT_FIELD_INTEGER, WEFT_ROLE_BYTES);
    uint32_t running = add_value(b, type, "running", WEFT_ROLE_RUNNING);
    uint32_t ranks[RANKS], parent = 0;
    for (int r = 0; r < RANKS; r++) {
        char name[] = { 'h', (char)('0' + r / 3), '\0' };
        if (r % 3 == 0)
            parent = weft_builder_container(b, host, 0, name, NULL, 0);
        name[0] = 'r';
        name[1] = (char)('0' + r);
        ranks[r] = weft_builder_container(b, rank, parent, name, NULL, 0);
        uint32_t track = weft_builder_track(b, ranks[r], type);
        (void)weft_builder_set(b, track, 0, running, NULL, 0, NULL);
        (void)weft_builder_reset(b, track, END);
    }
    n_messages = n;
    for (size_t i = 0; i < n; i++) {
        messages[i].from = (int)roll(RANKS);
        messages[i].to = (int)roll(RANKS);
        messages[i].begin = (int64_t)roll(END - 100);
        messages[i].end = messages[i].begin + (int64_t)roll(roll(20) ? 100 : 2000) - 5;
        messages[i].end = messages[i].end < END ? messages[i].end : END;
        messages[i].bytes = (int64_t)roll(1000);
        struct weft_link link = { .type = link_type,
                                  .value = WEFT_NONE,
                                  .key = WEFT_NONE,
                                  .from = ranks[messages[i].from],
                                  .to = ranks[messages[i].to],
                                  .begin = messages[i].begin,
                                  .end = messages[i].end,
                                  .from_entity = WEFT_NO_ID,
                                  .to_entity = WEFT_NO_ID };
        weft_builder_link(
            b, &link, &(struct weft_field_value){ size, { .integer = messages[i].bytes } },
            1);
    }
    trace = small_store_end(b, path);
}

static void draw(const char *filters, struct weft_span window)
{
    struct weft_err err;
    source = weft_filtered_new(weft_trace_source(trace), filters, &err);
    if (!source)
        fail_msg("%s", err.message);
    const struct weft_set set = { &source, 1, NULL };
    struct weft_request request = { .set = &set,
                                    .window = window,
                                    .width = 1000,
                                    .height = 500,
                                    .theme = weft_theme_get(WEFT_THEME_LIGHT) };
    assert_true(weft_view_scene(&weft_view_space_time, &request, &arena, &scene, &err));
}

static void end(void)
{
    weft_arena_free(&arena);
    weft_filtered_free((struct weft_source *)(void *)(uintptr_t)source);
}

/* ---- What is drawn ---- */

static size_t counted[MESSAGES]; /* by ordinal: in how many lines the link is */

struct listing {
    uint64_t n;
    int64_t bytes;
};

static bool list_one(void *user, const struct weft_thing *thing)
{
    struct listing *listing = user;
    struct weft_field_value field;
    assert_true(weft_entity_ordinal(thing->id) < MESSAGES);
    counted[weft_entity_ordinal(thing->id)]++;
    listing->n++;
    if (source->ops->fields(source, thing->id, &field, 1))
        listing->bytes += field.integer;
    return true;
}

/* A line of a sum says how many links, and how many bytes, its click lists. */
static void check_sum(const struct weft_mark *mark)
{
    struct weft_err err;
    struct weft_where *where = weft_where_new(source, mark->action.parameter, &err);
    if (!where)
        fail_msg("%s: %s", mark->action.parameter, err.message);
    struct weft_span all = source->schema->span;
    all.end++;
    const struct weft_where_query query = { .where = where, .window = all };
    struct listing listing = { 0 };
    size_t n_tracks;
    const uint32_t *tracks = weft_where_tracks(&query, &arena, &n_tracks);
    for (size_t i = 0; i < n_tracks; i++)
        weft_where_walk(&query, tracks[i], list_one, &listing);
    char *rest;
    unsigned long n = strtoul(mark->title, &rest, 10);
    if (n != listing.n)
        fail_msg("%s lists %lu: %s", mark->title, (unsigned long)listing.n,
                 mark->action.parameter);
    assert_true(n > 1);
    const char *bytes = weft_arena_printf(&arena, " messages, %s · ",
                                          weft_bytes_text(&arena, listing.bytes));
    assert_memory_equal(rest, bytes, strlen(bytes));
    assert_true(mark->paint.stroke_width >= 1 && mark->paint.stroke_width <= 6);
    weft_where_free(where);
}

/* Counts each link once for each line that it is in; returns how many lines are sums. */
static size_t check_lines(void)
{
    size_t sums = 0;
    memset(counted, 0, sizeof counted);
    for (size_t l = 0; l < scene.n_layers; l++)
        for (size_t m = 0; m < scene.layers[l].n_marks; m++) {
            const struct weft_mark *mark = &scene.layers[l].marks[m];
            if (strcmp(scene.layers[l].name, "links") != 0 || mark->kind != WEFT_MARK_LINE)
                continue;
            if (mark->action.kind == WEFT_ACTION_LIST) {
                check_sum(mark);
                sums++;
            } else {
                counted[weft_entity_ordinal(mark->id)]++;
            }
        }
    return sums;
}

static bool see_link(void *user, const struct weft_link *link)
{
    uint8_t *seen = user;
    seen[weft_entity_ordinal(link->id)] = 1;
    return true;
}

/* Marks the links that the source shows in WINDOW. */
static void see_links(struct weft_span window, uint8_t *seen)
{
    memset(seen, 0, MESSAGES);
    for (uint32_t t = 0; t < source->schema->n_tracks; t++)
        if (source->schema->types[source->schema->tracks[t].type].kind == WEFT_LINK)
            source->ops->links(source, t, window, see_link, seen);
}

/* Returns the container of the link's end, or the reduced one around it. */
static uint32_t end_of(uint32_t container)
{
    const struct weft_schema *schema = source->schema;
    for (uint32_t c = container; schema->reduced && c != WEFT_NONE;
         c = schema->containers[c].parent)
        if (schema->reduced[c])
            return c;
    return container;
}

/*
 * Lines of slots that reach beyond the window may lie outside of it; a slot is at most 57
 * of some 900 pixels.
 */
static bool is_inside(struct weft_span window, int64_t time)
{
    double slot = 0.07 * (double)(window.end - window.begin);
    return (window.begin == 0 || (double)time >= (double)window.begin + slot)
           && (window.end == END || (double)time < (double)window.end - slot);
}

/* ---- Tests ---- */

static const char *const chains[] = {
    "reduce h0, h1",
    "reduce h0, h1, h2",
    "reduce h1",
    "reduce depth 1",
    "group team = r0, r4, r8\nreduce groups",
    "reduce h0, h2\nhide link and bytes > 500",
    "reduce h0, h2\ndim link and bytes > 500",
    "group pair = h0, h1\nreduce pair",
};

/* Each link with an end on a reduced row is in one line, those inside of one in none. */
static void each_link_counts_once(void **unused)
{
    (void)unused;
    size_t sums = 0;
    for (unsigned round = 0; round < 80; round++) {
        roll_from(round);
        make(round % 5 == 0 ? 20 : MESSAGES);
        int64_t begin = round % 4 ? (int64_t)roll(END) : 0;
        struct weft_span window = {
            begin, round % 4 ? begin + 1 + (int64_t)roll((uint64_t)(END - begin)) : END
        };
        draw(chains[round % (sizeof chains / sizeof *chains)], window);
        sums += check_lines();
        uint8_t seen[MESSAGES];
        see_links(window, seen);
        for (size_t i = 0; i < n_messages; i++) {
            struct weft_link link;
            uint64_t id = 0;
            for (uint32_t t = 0; t < source->schema->n_tracks; t++)
                if (source->schema->types[source->schema->tracks[t].type].kind == WEFT_LINK)
                    id = weft_entity_id(t, i);
            assert_true(source->ops->link(source, id, &link));
            uint32_t from = end_of(link.from), to = end_of(link.to);
            bool reduced = from != link.from || to != link.to;
            if (reduced && from == to)
                assert_int_equal(counted[i], 0);
            else if (reduced && seen[i] && is_inside(window, link.begin))
                assert_int_equal(counted[i], 1);
            else
                assert_true(counted[i] <= 1);
        }
        end();
        weft_trace_close(trace);
    }
    assert_true(sums > 500);
}

/* The sums of all lines are those of the view of groups. */
static void sums_are_those_of_groups(void **unused)
{
    (void)unused;
    roll_from(7);
    make(MESSAGES);
    draw("reduce h0, h1, h2", (struct weft_span){ 0, END });
    uint64_t drawn = 0;
    for (size_t l = 0; l < scene.n_layers; l++)
        for (size_t m = 0; m < scene.layers[l].n_marks; m++) {
            const struct weft_mark *mark = &scene.layers[l].marks[m];
            if (strcmp(scene.layers[l].name, "links") == 0 && mark->kind == WEFT_MARK_LINE)
                drawn += mark->action.kind == WEFT_ACTION_LIST
                             ? strtoul(mark->title, NULL, 10)
                             : 1;
        }
    const struct weft_set set = { &source, 1, NULL };
    const char *settings[] = { "links", NULL, NULL };
    struct weft_request request = { .set = &set,
                                    .window = { 0, END },
                                    .settings = settings,
                                    .theme = weft_theme_get(WEFT_THEME_LIGHT) };
    char *text = table_csv(&weft_view_groups, &request), *line = strchr(text, '\n') + 1;
    uint64_t wanted = 0, inside = 0;
    for (; *line; line = strchr(line, '\n') + 1) {
        char from[8], to[8];
        unsigned long n;
        assert_int_equal(sscanf(line, "%7[^,],%7[^,],%lu", from, to, &n), 3);
        *(strcmp(from, to) == 0 ? &inside : &wanted) += n;
    }
    assert_true(wanted > 300 && inside > 100);
    assert_int_equal(wanted + inside, MESSAGES);
    assert_int_equal(drawn, wanted);
    free(text);
    end();
    weft_trace_close(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_link_counts_once),
        cmocka_unit_test(sums_are_those_of_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
