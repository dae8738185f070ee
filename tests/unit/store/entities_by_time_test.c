/* SPDX-License-Identifier: Apache-2.0 */
/* Innermost states at a time, the nearest entity with a value, and walks: against lists. */
#include "random_trace.h"
#include "store/entities_by_time.h"
#include "tests/random.h"
#include "tests/test.h"

static struct random_trace model;
static uint32_t all_tracks[64];
static size_t n_all;

/* What is expected of the whole trace, in order of (time, id). */
struct expected_entity {
    int64_t time;
    uint64_t id;
    const struct random_item *item;
};
static struct expected_entity order[RANDOM_MAX_ITEMS];
static size_t n_order;

static int64_t time_of(const struct random_item *item)
{
    return item->begin < item->end ? item->begin : item->end;
}

static int compare(const void *left, const void *right)
{
    const struct expected_entity *a = left, *b = right;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

static int set_up(void **state)
{
    (void)state;
    random_trace_begin(&model, false);
    for (; n_all < model.source->schema->n_tracks; n_all++)
        all_tracks[n_all] = (uint32_t)n_all;
    for (uint32_t i = 0; i < model.n_items; i++) {
        const struct random_item *item = &model.items[i];
        if (item->kind == WEFT_LINK) /* their order among one time is not known */
            continue;
        order[n_order++] =
            (struct expected_entity){ time_of(item), random_id(&model, item), item };
    }
    qsort(order, n_order, sizeof *order, compare);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    random_trace_end(&model);
    return 0;
}

/* The innermost state at TIME: the deepest that is open; of values that are not passed over. */
static struct weft_innermost innermost_of(uint32_t track, int64_t time,
                                          const uint8_t *passed_over)
{
    struct weft_innermost out = { WEFT_NO_ID, WEFT_NONE, 0 };
    for (size_t i = 0; i < n_order; i++) {
        const struct random_item *item = order[i].item;
        if (item->kind == WEFT_STATE && weft_entity_track(order[i].id) == track
            && item->begin <= time && time < item->end
            && !(passed_over && passed_over[item->value])
            && (out.id == WEFT_NO_ID || item->depth > out.depth))
            out = (struct weft_innermost){ order[i].id, item->value, item->depth };
    }
    return out;
}

static struct weft_innermost innermost(uint32_t track, int64_t time)
{
    return innermost_of(track, time, NULL);
}

static void test_values_at_every_time(void **unused)
{
    (void)unused;
    const struct weft_source *source = model.source;
    struct weft_innermost found[64];
    size_t open = 0;
    for (int64_t time = 90; time < 2600; time++) {
        source->ops->values_at(source, all_tracks, n_all, time, found);
        for (size_t t = 0; t < n_all; t++) {
            if (time % 7 && found[t].id == WEFT_NO_ID)
                continue; /* the reference is slow: some of the empty ones are enough */
            struct weft_innermost wanted = innermost(all_tracks[t], time);
            assert_int_equal(found[t].id, wanted.id);
            assert_int_equal(found[t].value, wanted.value);
            assert_int_equal(found[t].depth, wanted.depth);
            open += wanted.id != WEFT_NO_ID;
        }
    }
    assert_true(open > 1000);
    const int64_t far[] = { INT64_MIN, -1, 0, RANDOM_END, INT64_MAX };
    for (int i = 0; i < 5; i++) {
        source->ops->values_at(source, all_tracks, n_all, far[i], found);
        for (size_t t = 0; t < n_all; t++)
            assert_int_equal(found[t].id, WEFT_NO_ID);
    }
}

struct turns { /* the innermost value at each time of a window, by its changes */
    struct weft_span window;
    uint32_t value[2700];
    int64_t at; /* those before are filled */
    uint32_t last;
    bool first;
};

static bool take_turns(void *user, const struct weft_innermost_change *changes, size_t n)
{
    struct turns *turns = user;
    for (size_t i = 0; i < n; i++) {
        int64_t time = changes[i].time;
        assert_true(turns->first ? time == turns->window.begin
                                 : time > turns->window.begin);
        assert_true(time >= turns->at && time < turns->window.end);
        while (turns->at < time)
            turns->value[turns->at++ - turns->window.begin] = turns->last;
        turns->last = changes[i].value;
        turns->first = false;
    }
    return true;
}

/* Some values to pass over, or NULL. */
static uint8_t *roll_values(uint32_t n)
{
    uint8_t *some = roll(3) ? malloc(n + 1) : NULL;
    for (uint32_t v = 0; some && v < n; v++)
        some[v] = roll(2) != 0;
    return some;
}

static void test_changes_are_the_values_at_every_time(void **unused)
{
    (void)unused;
    const struct weft_source *source = model.source;
    static struct turns turns;
    size_t states = 0;
    for (int round = 0; round < 300; round++) {
        uint32_t track = all_tracks[roll(n_all)];
        int64_t begin = (int64_t)roll(2600), length = 1 + (int64_t)roll(120);
        turns = (struct turns){ .window = { begin, begin + length },
                                .at = begin,
                                .last = WEFT_NONE,
                                .first = true };
        uint8_t *passed_over = roll_values(source->schema->n_values);
        source->ops->changes(source, track, turns.window, passed_over, take_turns, &turns);
        enum weft_kind kind =
            source->schema->types[source->schema->tracks[track].type].kind;
        assert_int_equal(turns.first, kind != WEFT_STATE);
        if (turns.first) {
            free(passed_over);
            continue;
        }
        states++;
        while (turns.at < turns.window.end)
            turns.value[turns.at++ - begin] = turns.last;
        for (int64_t time = begin; time < begin + length; time++)
            assert_int_equal(turns.value[time - begin],
                             innermost_of(track, time, passed_over).value);
        free(passed_over);
    }
    assert_true(states > 50);
    source->ops->changes(source, all_tracks[0], (struct weft_span){ 9, 9 }, NULL,
                         take_turns, NULL);
}

struct classes { /* of a window, tick by tick */
    struct weft_span window;
    int64_t at;
    uint8_t class[121], last;
};

static bool take_classes(void *user, const struct weft_class_run *run)
{
    struct classes *c = user;
    assert_true(run->n > 0);
    for (size_t i = 0; i < run->n; i++) {
        int64_t time = run->times[i];
        bool first = c->last == WEFT_NO_CLASS;
        assert_true(first ? time == c->window.begin : time > c->at);
        assert_true(time < c->window.end && run->classes[i] != c->last);
        for (; !first && c->at < time; c->at++)
            c->class[c->at - c->window.begin] = c->last;
        c->at = time;
        c->last = run->classes[i];
    }
    return true;
}

static bool take_one_run(void *user, const struct weft_class_run *run)
{
    (void)run;
    ++*(size_t *)user;
    return false;
}

static void test_classes_are_those_of_the_values(void **unused)
{
    (void)unused;
    const struct weft_source *source = model.source;
    uint8_t *of = malloc(source->schema->n_values + 1);
    size_t several = 0;
    for (int round = 0; round < 600; round++) {
        uint32_t track = all_tracks[roll(n_all)];
        int64_t begin = (int64_t)roll(2600), length = 1 + (int64_t)roll(120);
        for (uint32_t v = 0; v < source->schema->n_values; v++)
            of[v] = (uint8_t)roll(3);
        struct classes c = { .window = { begin, begin + length },
                             .at = begin,
                             .last = WEFT_NO_CLASS };
        struct weft_classing classing = { of, 1, 1, roll_values(source->schema->n_values) };
        source->ops->classes(source, track, c.window, &classing, take_classes, &c);
        enum weft_kind kind =
            source->schema->types[source->schema->tracks[track].type].kind;
        assert_int_equal(c.last == WEFT_NO_CLASS, kind != WEFT_STATE);
        several += kind == WEFT_STATE && c.at > begin;
        for (; c.at < c.window.end; c.at++)
            c.class[c.at - begin] = c.last;
        for (int64_t time = begin; kind == WEFT_STATE && time < begin + length; time++) {
            uint32_t value = innermost_of(track, time, classing.passed_over).value;
            assert_int_equal(c.class[time - begin], value == WEFT_NONE ? 1 : of[value]);
        }
        int64_t ticks[WEFT_TALLIES] = { 0 }, counted[WEFT_TALLIES] = { 0 };
        const struct weft_class_query query = { track, c.window };
        source->ops->class_ticks(source, &query, 1, &classing, &ticks);
        for (int64_t time = begin; kind == WEFT_STATE && time < begin + length; time++)
            counted[c.class[time - begin]]++;
        assert_memory_equal(ticks, counted, sizeof ticks);
        size_t runs = 0;
        source->ops->classes(source, track, c.window, &classing, take_one_run, &runs);
        assert_int_equal(runs, kind == WEFT_STATE);
        free((void *)classing.passed_over);
    }
    assert_true(several > 50);
    free(of);
}

static void test_many_tracks_at_once(void **unused)
{
    (void)unused;
    enum { MANY = 5000 };
    static uint32_t tracks[MANY];
    static struct weft_innermost found[MANY];
    struct weft_innermost one;
    for (size_t i = 0; i < MANY; i++)
        tracks[i] = all_tracks[roll(n_all)];
    const struct weft_source *source = model.source;
    source->ops->values_at(source, tracks, MANY, 800, found);
    for (size_t i = 0; i < MANY; i++) {
        source->ops->values_at(source, &tracks[i], 1, 800, &one);
        assert_int_equal(found[i].id, one.id);
        assert_int_equal(found[i].value, one.value);
    }
}

static void check_entity(const struct weft_entity *entity,
                         const struct expected_entity *wanted)
{
    const struct random_item *item = wanted->item;
    assert_int_equal(entity->kind, item->kind);
    assert_int_equal(entity->id, wanted->id);
    assert_int_equal(entity->time, wanted->time);
    switch (entity->kind) {
    case WEFT_STATE:
        assert_int_equal(entity->state->begin, item->begin);
        assert_int_equal(entity->state->end, item->end);
        assert_int_equal(entity->state->value, item->value);
        assert_int_equal(entity->state->depth, item->depth);
        break;
    case WEFT_EVENT: assert_int_equal(entity->event->value, item->value); break;
    case WEFT_VARIABLE:
        assert_int_equal(entity->sample->end, item->end);
        assert_true(entity->sample->value == item->sample);
        break;
    default: fail();
    }
}

static void test_walks_from_any_time(void **unused)
{
    (void)unused;
    const unsigned kinds = 1u << WEFT_STATE | 1u << WEFT_EVENT | 1u << WEFT_VARIABLE;
    for (int round = 0; round < 120; round++) {
        int64_t time = round == 0   ? INT64_MIN
                       : round == 1 ? INT64_MAX
                                    : (int64_t)roll(RANDOM_END);
        size_t middle = 0;
        while (middle < n_order && order[middle].time < time)
            middle++;
        for (int backward = 0; backward < 2; backward++) {
            struct weft_walk walk;
            struct weft_entity entity;
            weft_walk_begin(&walk, model.source, all_tracks, n_all, kinds, time, backward);
            size_t limit = round < 3 ? SIZE_MAX : roll(1500), n = 0;
            while (n < limit && weft_walk_next(&walk, &entity)) {
                assert_true(backward ? n < middle : middle + n < n_order);
                check_entity(&entity, &order[backward ? middle - 1 - n : middle + n]);
                n++;
            }
            if (n < limit) {
                assert_int_equal(n, backward ? middle : n_order - middle);
                assert_false(weft_walk_next(&walk, &entity));
            }
            weft_walk_end(&walk);
        }
    }
}

static void test_walks_of_some_tracks(void **unused)
{
    (void)unused;
    uint32_t tracks[] = { all_tracks[3], all_tracks[1], all_tracks[n_all - 2] };
    struct weft_walk walk;
    struct weft_entity entity;
    weft_walk_begin(&walk, model.source, tracks, 3, 1u << WEFT_STATE, 700, false);
    size_t i = 0;
    while (weft_walk_next(&walk, &entity)) {
        for (;; i++) {
            uint32_t track = weft_entity_track(order[i].id);
            bool in = track == tracks[0] || track == tracks[1] || track == tracks[2];
            if (order[i].time >= 700 && in && order[i].item->kind == WEFT_STATE)
                break;
            assert_true(i + 1 < n_order);
        }
        check_entity(&entity, &order[i++]);
    }
    weft_walk_end(&walk);
    weft_walk_begin(&walk, model.source, NULL, 0, ~0u, 0, false);
    assert_false(weft_walk_next(&walk, &entity));
    weft_walk_end(&walk);
}

static void test_walks_over_links(void **unused)
{
    (void)unused;
    struct weft_walk walk;
    struct weft_entity entity;
    size_t n = 0, wanted = 0;
    for (uint32_t i = 0; i < model.n_items; i++)
        wanted += model.items[i].kind == WEFT_LINK && time_of(&model.items[i]) >= 1000;
    int64_t before = 1000;
    uint64_t id = 0;
    weft_walk_begin(&walk, model.source, all_tracks, n_all, 1u << WEFT_LINK, 1000, false);
    for (; weft_walk_next(&walk, &entity); n++) {
        assert_true(entity.time >= before && (n == 0 || entity.id == id + 1));
        before = entity.time;
        id = entity.id;
    }
    weft_walk_end(&walk);
    assert_int_equal(n, wanted);
    weft_walk_begin(&walk, model.source, all_tracks, n_all, 1u << WEFT_LINK, 1000, true);
    for (n = 0; weft_walk_next(&walk, &entity); n++)
        assert_true(entity.time < 1000);
    weft_walk_end(&walk);
    assert_int_equal(n, RANDOM_LINKS - wanted);
}

static bool among(uint32_t value, const struct weft_near_query *query)
{
    for (size_t i = 0; i < query->n_values; i++)
        if (query->values[i] == value)
            return true;
    return query->n_values == 0;
}

static uint64_t nearest(const struct weft_near_query *query)
{
    for (size_t k = 0; k < n_order; k++) {
        const struct expected_entity *at = &order[query->backward ? n_order - 1 - k : k];
        bool right = query->backward ? at->time < query->time : at->time >= query->time;
        bool in = false;
        for (size_t t = 0; t < query->n_tracks; t++)
            in |= query->tracks[t] == weft_entity_track(at->id);
        if (right && in && at->item->kind != WEFT_VARIABLE && among(at->item->value, query))
            return at->id;
    }
    return WEFT_NO_ID;
}

static void test_the_nearest_with_a_value(void **unused)
{
    (void)unused;
    const struct weft_source *source = model.source;
    uint32_t links = WEFT_NONE, others[64];
    size_t n_others = 0, hits = 0;
    for (size_t t = 0; t < n_all; t++) {
        if (source->schema->types[source->schema->tracks[t].type].kind == WEFT_LINK)
            links = (uint32_t)t;
        else
            others[n_others++] = (uint32_t)t;
    }
    assert_true(links != WEFT_NONE);
    for (int round = 0; round < 3000; round++) {
        uint32_t values[2] = { roll(4) ? model.values[roll(RANDOM_VALUES)]
                                       : model.event_value,
                               model.values[roll(RANDOM_VALUES)] };
        size_t first = roll(n_others);
        struct weft_near_query query = {
            others + first, 1 + roll(n_others - first), values,
            roll(3),        (int64_t)roll(3000),        roll(2)
        };
        uint64_t wanted = nearest(&query);
        struct weft_near found = source->ops->near(source, &query);
        assert_int_equal(found.id, wanted);
        hits += wanted != WEFT_NO_ID;
    }
    assert_true(hits > 1000);
    for (int64_t time = 0; time < RANDOM_END; time += 13)
        for (int backward = 0; backward < 2; backward++) {
            struct weft_near_query query = {
                &links, 1, &model.link_value, 1, time, backward
            };
            int64_t best = backward ? INT64_MIN : INT64_MAX;
            for (uint32_t i = 0; i < model.n_items; i++) {
                int64_t at = time_of(&model.items[i]);
                if (model.items[i].kind == WEFT_LINK
                    && model.items[i].value == model.link_value
                    && (backward ? at < time && at > best : at >= time && at < best))
                    best = at;
            }
            struct weft_near found = source->ops->near(source, &query);
            if (found.id != WEFT_NO_ID)
                assert_int_equal(found.time, best);
            else
                assert_true(best == INT64_MIN || best == INT64_MAX);
        }
}

static void test_values_with_a_role(void **unused)
{
    (void)unused;
    uint32_t values[8];
    size_t n = weft_values_with_role(model.source->schema, model.state_type, WEFT_ROLE_IDLE,
                                     values, 8);
    assert_int_equal(n, 2); /* blocked on a lock, and sleeping */
    assert_int_equal(values[0], model.values[0]);
    assert_int_equal(values[1], model.values[1]);
    assert_int_equal(weft_values_with_role(model.source->schema, model.event_type,
                                           WEFT_ROLE_IDLE, values, 8),
                     0);
    assert_int_equal(weft_values_with_role(model.source->schema, model.state_type,
                                           WEFT_ROLE_IDLE, values, 1),
                     2); /* as many as there are, whatever fits */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_at_every_time),
        cmocka_unit_test(test_changes_are_the_values_at_every_time),
        cmocka_unit_test(test_classes_are_those_of_the_values),
        cmocka_unit_test(test_many_tracks_at_once),
        cmocka_unit_test(test_walks_from_any_time),
        cmocka_unit_test(test_walks_of_some_tracks),
        cmocka_unit_test(test_walks_over_links),
        cmocka_unit_test(test_the_nearest_with_a_value),
        cmocka_unit_test(test_values_with_a_role),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
