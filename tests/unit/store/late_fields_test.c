/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields whose values come later, against a list kept beside the builder: states nest, each gets
 * its value when it is left or later, some twice, some at their begin, some never.
 */
#include "base/memory.h"
#include "tests/random.h"
#include "tests/small_store.h"

enum { STATES = 5000 /* a track: some blocks of a column */, TRACKS = 3, DEPTH = 40 };

struct expected_values {
    bool has_late, has_plain;
    int64_t late, plain;
};

struct fields {
    uint32_t late, plain;
};

static void give(struct weft_builder *b, uint32_t field, uint64_t id,
                 struct expected_values *expected, int64_t value)
{
    struct weft_field_value later = { field, { value } };
    weft_builder_field_later(b, id, &later);
    expected->has_late = true;
    expected->late = value;
}

/* One track of random nested states; expected by their order of begin. */
static void build_track(struct weft_builder *b, uint32_t track, uint32_t value,
                        const struct fields *fields, struct expected_values *expected)
{
    uint64_t open[DEPTH];
    uint64_t first = 0;
    size_t depth = 0, made = 0;
    for (int64_t time = 0; made < STATES || depth; time++) {
        bool opens = made < STATES && depth < DEPTH && (roll(2) || !depth);
        if (opens) {
            struct weft_field_value at_begin[2] = {
                { fields->plain, { (int64_t)made * 3 } },
                { fields->late, { (int64_t)made } },
            };
            size_t n = roll(3);
            assert_int_equal(
                weft_builder_push(b, track, time, value, at_begin, n, &open[depth]),
                WEFT_BUILD_OK);
            expected[made] =
                (struct expected_values){ n > 1, n > 0, (int64_t)made, (int64_t)made * 3 };
            first = made ? first : open[0];
            depth++;
            made++;
            continue;
        }
        uint64_t id = open[--depth];
        assert_int_equal(weft_builder_pop(b, track, time, NULL), WEFT_BUILD_OK);
        struct expected_values *of = &expected[weft_entity_ordinal(id)];
        if (roll(4))
            give(b, fields->late, id, of, -time);
        if (roll(4) == 0)
            give(b, fields->late, id, of, time * 1000); /* the last counts */
    }
    give(b, fields->late, first, &expected[0], 77);
}

static void check_state(const struct weft_source *source, const struct fields *fields,
                        uint64_t id, const struct expected_values *expected)
{
    struct weft_field_value found[4];
    size_t n = source->ops->fields(source, id, found, 4);
    assert_int_equal(n, (size_t)expected->has_late + expected->has_plain);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(found[i].integer,
                         found[i].field == fields->late ? expected->late : expected->plain);
}

static void values_come_later(void **state)
{
    (void)state;
    static struct expected_values expected[TRACKS][STATES];
    char path[] = "/tmp/weft-late-test.XXXXXX";
    struct weft_builder *b = small_store_begin(path);
    uint32_t box = add_type(b, WEFT_CONTAINER, 0, "box", WEFT_ROLE_NONE);
    uint32_t type = add_type(b, WEFT_STATE, box, "state", WEFT_ROLE_NONE);
    uint32_t value = weft_builder_value(b, type, "on", NULL, 0);
    struct fields fields = { weft_builder_field(b, type, "late", WEFT_FIELD_INTEGER),
                             weft_builder_field(b, type, "plain", WEFT_FIELD_INTEGER) };
    weft_builder_late_field(b, fields.late);
    weft_builder_index_field(b, fields.late);
    for (uint32_t t = 0; t < TRACKS; t++) {
        uint32_t container = weft_builder_container(b, box, 0, "a box", NULL, 0);
        build_track(b, weft_builder_track(b, container, type), value, &fields, expected[t]);
    }
    struct weft_trace *trace = small_store_open(b, path);
    for (uint32_t t = 0; t < TRACKS; t++)
        for (uint64_t i = 0; i < STATES; i++)
            check_state(weft_trace_source(trace), &fields, weft_entity_id(t, i),
                        &expected[t][i]);
    assert_int_equal(weft_trace_verify(trace, NULL), 0);
    weft_trace_close(trace);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(values_come_later) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
