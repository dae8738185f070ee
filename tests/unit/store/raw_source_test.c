/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace in raw time: each time of the lists is turned back by its container's clock, and
 * every question is answered by looking at all of them.
 */
#include <math.h>

#include "base/memory.h"
#include "random_trace.h"
#include "store/entities_by_time.h"
#include "store/raw_time/raw_source.h"
#include "tests/random.h"
#include "tests/test.h"

static struct random_trace model;
static struct weft_source *source;
/* Of each item, by the clocks of its container or of its ends. */
static struct {
    int64_t begin, end;
} times[RANDOM_MAX_ITEMS];

static int64_t raw(uint32_t container, int64_t time)
{
    const struct weft_schema *schema = model.source->schema;
    uint32_t clock = schema->containers[container].clock;
    return clock == WEFT_NONE ? time : weft_clock_raw(&schema->clocks[clock], time);
}

static int set_up(void **state)
{
    (void)state;
    random_trace_begin(&model, true);
    assert_true(weft_raw_time_differs(model.source->schema));
    source = weft_raw_time_new(model.source);
    for (uint32_t i = 0; i < model.n_items; i++) {
        const struct random_item *item = &model.items[i];
        bool link = item->kind == WEFT_LINK;
        times[i].begin = raw(link ? item->from : item->container, item->begin);
        times[i].end = raw(link ? item->to : item->container, item->end);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    weft_raw_time_free(source);
    weft_raw_time_free(NULL);
    random_trace_end(&model);
    return 0;
}

static void test_the_clocks_are_inherited_and_differ(void **unused)
{
    (void)unused;
    const struct weft_schema *schema = model.source->schema;
    bool seen[4] = { false };
    for (uint32_t c = 0; c < schema->n_containers; c++)
        seen[schema->containers[c].clock == WEFT_NONE ? 3 : schema->containers[c].clock] =
            true;
    assert_true(seen[0] && seen[1] && seen[2] && seen[3]);
    for (uint32_t i = 0; i < model.n_items; i++) {
        assert_true(times[i].begin >= source->schema->span.begin);
        assert_true(times[i].end <= source->schema->span.end);
    }
    assert_true(source->schema->span.begin < model.source->schema->span.begin);
}

struct item_list {
    size_t n;
    uint64_t ids[RANDOM_MAX_ITEMS];
    int64_t begins[RANDOM_MAX_ITEMS], ends[RANDOM_MAX_ITEMS];
};
static struct item_list found;

static bool put(uint64_t id, int64_t begin, int64_t end)
{
    found.ids[found.n] = id;
    found.begins[found.n] = begin;
    found.ends[found.n++] = end;
    return true;
}
static bool see_state(void *user, const struct weft_state *state)
{
    (void)user;
    return put(state->id, state->begin, state->end);
}
static bool see_event(void *user, const struct weft_event *event)
{
    (void)user;
    return put(event->id, event->time, event->time);
}
static bool see_sample(void *user, const struct weft_sample *sample)
{
    (void)user;
    return put(sample->id, sample->begin, sample->end);
}
static bool see_link(void *user, const struct weft_link *link)
{
    (void)user;
    return put(link->id, link->begin, link->end);
}

/* Does [begin, end) overlap the window?  What has no length does where it begins. */
static bool overlaps(int64_t begin, int64_t end, struct weft_span window)
{
    return begin < window.end
           && (end > window.begin || (begin == end && begin == window.begin));
}

static bool was_found(uint64_t id, int64_t begin, int64_t end)
{
    for (size_t i = 0; i < found.n; i++)
        if (found.ids[i] == id && found.begins[i] == begin && found.ends[i] == end)
            return true;
    return false;
}

static struct weft_span random_window(void)
{
    int64_t begin = (int64_t)roll(6000) - 800;
    return (struct weft_span){ begin, begin + 1 + (int64_t)roll(500) };
}

static void test_entities_of_a_window(void **unused)
{
    (void)unused;
    const struct weft_schema *schema = source->schema;
    size_t hits = 0;
    for (int round = 0; round < 400; round++) {
        uint32_t t = (uint32_t)roll(schema->n_tracks);
        struct weft_span window = random_window();
        enum weft_kind kind = schema->types[schema->tracks[t].type].kind;
        found.n = 0;
        if (kind == WEFT_STATE)
            source->ops->states(source, t, window, see_state, NULL);
        else if (kind == WEFT_EVENT)
            source->ops->events(source, t, window, see_event, NULL);
        else if (kind == WEFT_VARIABLE)
            source->ops->samples(source, t, window, see_sample, NULL);
        else
            continue;
        size_t n = 0;
        for (uint32_t i = 0; i < model.n_items; i++) {
            const struct random_item *item = &model.items[i];
            if (item->kind != kind || random_track(&model, item) != t)
                continue;
            bool in = times[i].begin < window.end
                      && (times[i].end > window.begin || times[i].begin >= window.begin);
            if (!in)
                continue;
            assert_true(was_found(random_id(&model, item), times[i].begin, times[i].end));
            n++;
        }
        assert_int_equal(found.n, n);
        hits += n;
    }
    assert_true(hits > 1000);
}

struct area {
    struct weft_span part;
    double area;
};

static bool add_sample_area(void *user, const struct weft_sample *sample)
{
    struct area *area = user;
    int64_t from = sample->begin > area->part.begin ? sample->begin : area->part.begin;
    int64_t to = sample->end < area->part.end ? sample->end : area->part.end;
    area->area += from < to ? sample->value * (double)(to - from) : 0;
    return true;
}

static void test_integrals_are_of_raw_time(void **unused)
{
    (void)unused;
    const struct weft_schema *schema = source->schema;
    size_t tried = 0;
    for (uint32_t t = 0; t < schema->n_tracks; t++) {
        if (schema->types[schema->tracks[t].type].kind != WEFT_VARIABLE)
            continue;
        for (int round = 0; round < 50; round++) {
            enum { PARTS = 10 };
            int64_t edges[PARTS + 1] = { random_window().begin };
            double out[PARTS];
            for (int i = 0; i < PARTS; i++)
                edges[i + 1] = edges[i] + (int64_t)roll(400);
            source->ops->integrals(source, t, edges, PARTS, out);
            for (int i = 0; i < PARTS; i++) {
                struct area one = { .part = { edges[i], edges[i + 1] } };
                if (one.part.begin < one.part.end)
                    source->ops->samples(source, t, one.part, add_sample_area, &one);
                assert_true(fabs(out[i] - one.area) <= 1e-9 * (1 + fabs(one.area)));
                tried += one.area != 0;
            }
        }
    }
    assert_true(tried > 100);
}

static bool same_link(const struct random_item *item, uint32_t i, size_t at)
{
    struct weft_link link;
    return found.begins[at] == times[i].begin && found.ends[at] == times[i].end
           && source->ops->link(source, found.ids[at], &link) && link.from == item->from
           && link.to == item->to && link.begin == times[i].begin
           && link.end == times[i].end;
}

static uint32_t link_track(void)
{
    for (uint32_t i = 0; i < model.n_items; i++)
        if (model.items[i].kind == WEFT_LINK)
            return random_track(&model, &model.items[i]);
    return WEFT_NONE;
}

static void test_links(void **unused)
{
    (void)unused;
    size_t hits = 0;
    for (int round = 0; round < 80; round++) {
        struct weft_span window = random_window();
        uint32_t container = model.containers[roll(RANDOM_CONTAINERS)];
        int of = (int)roll(3); /* of the window, leaving, reaching */
        found.n = 0;
        if (of == 0)
            source->ops->links(source, link_track(), window, see_link, NULL);
        else
            source->ops->links_at(source, container, of == 2, window, see_link, NULL);
        size_t n = 0;
        for (uint32_t i = 0; i < model.n_items; i++) {
            const struct random_item *item = &model.items[i];
            int64_t begin = times[i].begin, end = times[i].end;
            int64_t at = of == 2 ? end : begin;
            bool in = of == 0 ? overlaps(begin < end ? begin : end,
                                         begin < end ? end : begin, window)
                              : (of == 1 ? item->from : item->to) == container
                                    && at >= window.begin && at < window.end;
            if (item->kind != WEFT_LINK || !in)
                continue;
            size_t j = 0;
            while (j < found.n && !same_link(item, i, j))
                j++;
            assert_true(j < found.n);
            n++;
        }
        assert_int_equal(n, found.n);
        hits += n;
        for (size_t i = 1; i < found.n; i++) {
            int64_t a = of == 2 ? found.ends[i - 1] : found.begins[i - 1];
            int64_t b = of == 2 ? found.ends[i] : found.begins[i];
            if (of == 0) {
                a = a < found.ends[i - 1] ? a : found.ends[i - 1];
                b = b < found.ends[i] ? b : found.ends[i];
            }
            assert_true(a <= b);
        }
    }
    assert_true(hits > 300);
}

static void test_pairs(void **unused)
{
    (void)unused;
    struct weft_pair_sums sums = { 0 };
    uint32_t track = link_track();
    enum { SIDE = RANDOM_CONTAINERS + 1 };
    for (int round = 0; round < 300; round++) {
        struct weft_span window = random_window();
        bool pending = round % 2;
        if (pending)
            source->ops->pairs_pending(source, &track, 1, window.begin, &sums);
        else
            source->ops->pair_sums(source, &track, 1, window, &sums);
        uint64_t counts[SIDE][SIDE] = { { 0 } };
        int64_t bytes[SIDE][SIDE] = { { 0 } };
        size_t n = 0;
        for (uint32_t i = 0; i < model.n_items; i++) {
            const struct random_item *item = &model.items[i];
            bool in = pending
                          ? times[i].begin <= window.begin && window.begin < times[i].end
                          : times[i].begin >= window.begin && times[i].begin < window.end;
            if (item->kind != WEFT_LINK || !in)
                continue;
            n += counts[item->from][item->to]++ == 0;
            bytes[item->from][item->to] += item->bytes;
        }
        assert_int_equal(sums.n, n);
        for (size_t i = 0; i < n; i++) {
            const struct weft_pair_sum *row = &sums.rows[i];
            assert_int_equal(row->count, counts[row->from][row->to]);
            assert_int_equal(row->bytes, bytes[row->from][row->to]);
        }
    }
    free(sums.rows);
}

struct
    innermost_at { /* what is innermost at a time, by the changes of a window around it */
    int64_t time;
    uint32_t value;
    size_t n;
    int64_t last;
};

static bool take_turn(void *user, const struct weft_innermost_change *changes, size_t n)
{
    struct innermost_at *turn = user;
    for (size_t i = 0; i < n; i++) {
        assert_true(!turn->n++ || changes[i].time >= turn->last);
        turn->last = changes[i].time;
        if (changes[i].time <= turn->time)
            turn->value = changes[i].value;
    }
    return true;
}

static bool take_class(void *user, const struct weft_class_run *run)
{
    struct innermost_at *turn = user;
    for (size_t i = 0; i < run->n; i++) {
        assert_true(!turn->n++ || run->times[i] > turn->last);
        turn->last = run->times[i];
        if (run->times[i] <= turn->time)
            turn->value = run->classes[i];
    }
    return true;
}

static void test_changes_say_what_is_innermost(void **unused)
{
    (void)unused;
    const struct weft_schema *schema = source->schema;
    size_t open = 0;
    uint8_t *of = malloc(schema->n_values + 1);
    for (uint32_t v = 0; v < schema->n_values; v++)
        of[v] = (uint8_t)roll(3);
    for (int round = 0; round < 2000; round++) {
        uint32_t t = (uint32_t)roll(schema->n_tracks);
        int64_t begin = (int64_t)roll(3500) - 800;
        struct innermost_at turn = { .time = begin + (int64_t)roll(300) };
        turn.value = WEFT_NONE;
        struct weft_innermost at;
        source->ops->values_at(source, &t, 1, turn.time, &at);
        source->ops->changes(source, t, (struct weft_span){ begin, turn.time + 2 }, NULL,
                             take_turn, &turn);
        assert_int_equal(turn.value, at.value);
        open += at.value != WEFT_NONE;
        if (schema->types[schema->tracks[t].type].kind != WEFT_STATE)
            continue;
        const struct weft_classing classing = { of, 2, 2, NULL };
        turn.n = 0;
        source->ops->classes(source, t, (struct weft_span){ begin, turn.time + 2 },
                             &classing, take_class, &turn);
        assert_int_equal(turn.value, at.value == WEFT_NONE ? 2 : of[at.value]);
        int64_t ticks[WEFT_TALLIES] = { 0 }, one[WEFT_TALLIES] = { 0 };
        const struct weft_class_query queries[] = { { t, { turn.time, turn.time + 1 } },
                                                    { t, { begin, turn.time + 2 } } };
        source->ops->class_ticks(source, &queries[0], 1, &classing, &one);
        assert_int_equal(one[turn.value], 1);
        source->ops->class_ticks(source, &queries[1], 1, &classing, &ticks);
        assert_int_equal(ticks[0] + ticks[1] + ticks[2], turn.time + 2 - begin);
    }
    assert_true(open > 100);
    free(of);
}

static void test_what_is_open_and_walks(void **unused)
{
    (void)unused;
    const struct weft_schema *schema = source->schema;
    for (int round = 0; round < 400; round++) {
        uint32_t t = (uint32_t)roll(schema->n_tracks);
        int64_t time = (int64_t)roll(3500) - 800;
        struct weft_innermost at;
        source->ops->values_at(source, &t, 1, time, &at);
        uint64_t deepest = WEFT_NO_ID, first = WEFT_NO_ID;
        uint32_t depth = 0;
        int64_t nearest = INT64_MAX;
        bool states = schema->types[schema->tracks[t].type].kind == WEFT_STATE;
        for (uint32_t i = 0; i < model.n_items && states; i++) {
            const struct random_item *item = &model.items[i];
            if (item->kind != WEFT_STATE || random_track(&model, item) != t)
                continue;
            uint64_t id = random_id(&model, item);
            if (times[i].begin <= time && time < times[i].end
                && (deepest == WEFT_NO_ID || item->depth > depth)) {
                deepest = id;
                depth = item->depth;
            }
            if (times[i].begin >= time && (first == WEFT_NO_ID || id < first)) {
                first = id;
                nearest = times[i].begin;
            }
        }
        assert_int_equal(at.id, deepest);
        if (!states)
            continue;
        struct weft_walk walk;
        struct weft_entity entity;
        weft_walk_begin(&walk, source, &t, 1, 1u << WEFT_STATE, time, false);
        bool any = weft_walk_next(&walk, &entity);
        assert_int_equal(any ? entity.id : WEFT_NO_ID, first);
        if (any)
            assert_int_equal(entity.time, nearest);
        weft_walk_end(&walk);
        struct weft_near_query query = { &t, 1, NULL, 0, time, false };
        struct weft_near near = source->ops->near(source, &query);
        assert_int_equal(near.id, first);
        if (any)
            assert_int_equal(near.time, nearest);
        struct weft_state state;
        assert_int_equal(source->ops->state(source, first, &state), any);
        if (any)
            assert_int_equal(state.begin, nearest);
    }
}

/* The clock with an offset only: sums are those of the window moved. */
static void test_sums_and_shares_move_with_the_clock(void **unused)
{
    (void)unused;
    const struct weft_schema *schema = source->schema;
    size_t n = schema->n_values;
    struct weft_sum *a = weft_alloc(n * sizeof *a), *b = weft_alloc(n * sizeof *b);
    float shares[2][20 * WEFT_MAX_SLOTS];
    for (uint32_t t = 0; t < schema->n_tracks; t++) {
        if (schema->types[schema->tracks[t].type].kind != WEFT_STATE
            || schema->containers[schema->tracks[t].container].clock != 0)
            continue;
        struct weft_span moved = { 500, 1300 }, window = { 1100, 1900 }; /* 600 later */
        memset(a, 0, n * sizeof *a);
        memset(b, 0, n * sizeof *b);
        source->ops->sums(source, &t, 1, window, a);
        model.source->ops->sums(model.source, &t, 1, moved, b);
        assert_memory_equal(a, b, n * sizeof *a);
        struct weft_share_query query = { &t, 1, window, 20, shares[0] };
        source->ops->shares(source, &query);
        query.window = moved;
        query.shares = shares[1];
        model.source->ops->shares(model.source, &query);
        unsigned slots = schema->types[model.state_type].slots;
        assert_memory_equal(shares[0], shares[1], 20 * slots * sizeof(float));
        assert_int_equal(source->ops->density(source, t, window),
                         model.source->ops->density(model.source, t, moved));
    }
    free(a);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_clocks_are_inherited_and_differ),
        cmocka_unit_test(test_entities_of_a_window),
        cmocka_unit_test(test_integrals_are_of_raw_time),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_changes_say_what_is_innermost),
        cmocka_unit_test(test_what_is_open_and_walks),
        cmocka_unit_test(test_sums_and_shares_move_with_the_clock),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
