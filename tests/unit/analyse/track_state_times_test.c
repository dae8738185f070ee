/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of one track after the other, against those of the source beside which nothing else was
 * added: the same, and no more values are looked at than a track has states.
 */
#include "analyse/track_state_times.h"
#include "tests/random.h"
#include "tests/small_store.h"

enum { TYPES = 2, VALUES = 40, TRACKS = 30 };

/* Some tracks have fewer states than their type has values, and some more. */
static void add_states(struct weft_builder *b, uint32_t track, const uint32_t *values)
{
    uint32_t n = roll(2) ? roll(VALUES / 2) : VALUES + roll(3 * VALUES), depth = 0;
    int64_t time = 0;
    for (uint32_t i = 0; i < n; i++) {
        time += roll(4);
        weft_builder_push(b, track, time, values[roll(VALUES)], NULL, 0, NULL);
        for (depth++; depth && roll(2); depth--)
            weft_builder_pop(b, track, time += roll(4), NULL);
    }
    while (depth--)
        weft_builder_pop(b, track, time += roll(4), NULL);
}

static struct weft_trace *some_trace(void)
{
    char path[] = "/tmp/weft-type-values-test.XXXXXX";
    struct weft_builder *b = small_store_begin(path);
    uint32_t thread = add_type(b, WEFT_CONTAINER, 0, "t", WEFT_ROLE_NONE);
    uint32_t types[TYPES], values[TYPES][VALUES];
    for (uint32_t t = 0; t < TYPES; t++)
        types[t] = add_type(b, WEFT_STATE, thread, t ? "b" : "a", WEFT_ROLE_NONE);
    for (uint32_t v = 0; v < TYPES * VALUES; v++) { /* those of the types alternate */
        char name[16];
        snprintf(name, sizeof name, "%u", v);
        values[v % TYPES][v / TYPES] =
            weft_builder_value(b, types[v % TYPES], name, NULL, 0);
    }
    for (uint32_t i = 0; i < TRACKS; i++) {
        char name[16];
        snprintf(name, sizeof name, "%u", i);
        uint32_t container = weft_builder_container(b, thread, 0, name, NULL, 0);
        uint32_t t = roll(TYPES);
        add_states(b, weft_builder_track(b, container, types[t]), values[t]);
    }
    return small_store_end(b, path);
}

static void check_track(const struct weft_source *source,
                        const struct weft_track_sums *sums, uint32_t track,
                        struct weft_span window)
{
    const struct weft_schema *schema = source->schema;
    struct weft_sum *all = calloc(schema->n_values, sizeof *all);
    source->ops->sums(source, &track, 1, window, all);
    assert_true(sums->n <= VALUES);
    assert_true(sums->n <= schema->tracks[track].count
                || schema->tracks[track].count >= VALUES);
    for (size_t i = 0; i < sums->n; i++) {
        uint32_t v = sums->values[i];
        assert_true(!i || sums->values[i - 1] < v);
        assert_int_equal(schema->values[v].type, schema->tracks[track].type);
        assert_int_equal(sums->of[v].self_ticks, all[v].self_ticks);
        assert_int_equal(sums->of[v].total_ticks, all[v].total_ticks);
        all[v] = (struct weft_sum){ 0 };
    }
    for (uint32_t v = 0; v < schema->n_values; v++)
        assert_true(!all[v].self_ticks && !all[v].total_ticks);
    free(all);
}

static void sums_are_those_of_each_track(void **state)
{
    (void)state;
    for (int round = 0; round < 40; round++) {
        struct weft_trace *trace = some_trace();
        const struct weft_source *source = weft_trace_source(trace);
        struct weft_arena arena = { 0 };
        struct weft_type_values of_types = weft_type_values(source->schema, &arena);
        struct weft_track_sums sums;
        weft_track_sums_begin(&sums, source->schema);
        for (uint32_t t = 0; t < source->schema->n_tracks; t++) {
            int64_t begin = roll(60);
            struct weft_span window = { begin, begin + 1 + roll(200) };
            weft_sums_of_track(source, &of_types, t, window, &sums);
            check_track(source, &sums, t, window);
        }
        weft_track_sums_end(&sums);
        weft_arena_free(&arena);
        weft_trace_close(trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(sums_are_those_of_each_track) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
