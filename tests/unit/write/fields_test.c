/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields that were read for many entities at once, against those of each by itself: of tracks
 * with no, few and many fields, in order and in disorder.
 */
#include "tests/random.h"
#include "tests/small_store.h"
#include "write/read_entity_fields.h"

enum { TYPES = 3, EVENTS = 3000, MAX_FIELDS = 700 };
static const uint32_t n_fields[TYPES] = { 0, 3, MAX_FIELDS };

static void add_events(struct weft_builder *b, uint32_t thread, uint32_t type, uint32_t n)
{
    uint32_t fields[MAX_FIELDS];
    uint32_t container = weft_builder_container(b, thread, 0, "c", NULL, 0);
    uint32_t track = weft_builder_track(b, container, type);
    for (uint32_t f = 0; f < n; f++) {
        char name[16];
        snprintf(name, sizeof name, "f%u", f);
        fields[f] = weft_builder_field(b, type, name,
                                       f % 2 ? WEFT_FIELD_INTEGER : WEFT_FIELD_CONTAINER);
    }
    for (int i = 0; i < EVENTS; i++) {
        struct weft_field_value values[5];
        size_t k = 0, most = n ? roll(6) : 0;
        for (uint32_t f = roll(5); k < most && f < n; f += 1 + roll(n / 2 + 1)) {
            values[k].field = fields[f];
            values[k].integer = f % 2 ? (int64_t)roll(1000) - 500 : 0;
            if (f % 2 == 0)
                values[k].index = container;
            k++;
        }
        weft_builder_event(b, track, i, WEFT_NONE, values, k, NULL);
    }
}

static struct weft_trace *some_trace(void)
{
    char path[] = "/tmp/weft-fields-test.XXXXXX";
    struct weft_builder *b = small_store_begin(path);
    uint32_t thread = add_type(b, WEFT_CONTAINER, 0, "t", WEFT_ROLE_NONE);
    for (int t = 0; t < TYPES; t++)
        add_events(b, thread, add_type(b, WEFT_EVENT, thread, "e", WEFT_ROLE_NONE),
                   n_fields[t]);
    return small_store_end(b, path);
}

static size_t check(const struct weft_source *source, struct weft_entity_fields *fields,
                    uint64_t entity)
{
    struct weft_field_value alone[WEFT_FIELDS_MAX];
    size_t n, m = source->ops->fields(source, entity, alone, WEFT_FIELDS_MAX);
    const struct weft_field_value *is = weft_entity_fields(fields, entity, &n);
    assert_int_equal(n, m);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(is[i].field, alone[i].field);
        assert_int_equal(is[i].integer, alone[i].integer);
    }
    return n;
}

static void all_are_those_of_each(void **state)
{
    (void)state;
    struct weft_trace *trace = some_trace();
    const struct weft_source *source = weft_trace_source(trace);
    struct weft_entity_fields fields;
    size_t n = 0;
    weft_entity_fields_begin(&fields, source);
    for (uint32_t t = 0; t < source->schema->n_tracks; t++)
        for (uint64_t i = 0; i < source->schema->tracks[t].count; i++)
            n += check(source, &fields, weft_entity_id(t, i));
    assert_true(n > EVENTS);
    for (int i = 0; i < 2000; i++)
        check(source, &fields,
              weft_entity_id(roll(source->schema->n_tracks), roll(EVENTS + 10)));
    weft_entity_fields_end(&fields);
    weft_trace_close(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(all_are_those_of_each) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
