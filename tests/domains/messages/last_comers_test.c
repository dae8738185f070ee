/* SPDX-License-Identifier: Apache-2.0 */
/* Four processors enter operations of each pattern at 10, 40, 20 and 30: for whom they wait. */
#include "domains/messages/analyse/last_comers.h"
#include "tests/test.h"
#include "traffic_store.h"

enum { RANKS = 4, NOBODY = -1, ROOT = 3, APART = 100, ENTERED_LAST = 40 };

static const int64_t entries[RANKS] = { 10, ENTERED_LAST, 20, 30 };

static const struct {
    enum traffic_pattern pattern;
    int64_t first_leaves; /* rank 0; the others leave at 50 */
    int last[RANKS];
} cases[] = {
    { ALL_TO_ALL, 50, { 1, NOBODY, 1, 1 } },
    { ONE_TO_ALL, 50, { 3, NOBODY, 3, NOBODY } }, /* rank 1 came after the root */
    { ALL_TO_ONE, 50, { NOBODY, NOBODY, NOBODY, 1 } },
    { PREFIX, 50, { NOBODY, NOBODY, 1, 1 } },     /* lower ranks only */
    { ALL_TO_ALL, 35, { NOBODY, NOBODY, 1, 1 } }, /* it began, and did not wait */
};
enum { CASES = sizeof cases / sizeof *cases };

static uint64_t operation(struct traffic_store *store, uint32_t of, size_t i)
{
    uint64_t event;
    const struct weft_field_value root = { store->root, { .integer = ROOT } };
    (void)!weft_builder_event(
        store->builder, weft_builder_track(store->builder, of, store->collective),
        (int64_t)i * APART, store->patterns[cases[i].pattern], &root, 1, &event);
    return event;
}

static void calls_wait_for_who_came_last(void **state)
{
    struct traffic_store store;
    struct weft_last_comers *comers;
    struct weft_err err;
    (void)state;
    traffic_store_begin(&store, RANKS);
    struct weft_builder *b = store.builder;
    uint32_t of = weft_builder_container(b, store.communicator, 0, "c", NULL, 0);
    for (size_t i = 0; i < CASES; i++) {
        int64_t start = (int64_t)i * APART;
        const struct weft_field_value part = { store.operation,
                                               { .entity = operation(&store, of, i) } };
        for (uint32_t q = 0; q < RANKS; q++) {
            uint32_t track = weft_builder_track(b, store.processors[q], store.call);
            (void)!weft_builder_push(b, track, start + entries[q], store.call_value, &part,
                                     1, NULL);
            (void)!weft_builder_pop(b, track, start + (q ? 50 : cases[i].first_leaves),
                                    NULL);
        }
    }
    traffic_store_finish(&store);
    assert_true(weft_last_comers_read(store.model, NULL, &comers, &err));
    for (size_t i = 0; i < CASES; i++)
        for (uint32_t q = 0; q < RANKS; q++) {
            struct weft_state call;
            const struct weft_source *source = weft_trace_source(store.trace);
            assert_true(source->ops->state(
                source, weft_entity_id(store.model->processors[q].track, i), &call));
            assert_int_equal((int32_t)weft_last_comer_of(comers, &call, NULL),
                             cases[i].last[q]);
        }
    weft_last_comers_free(comers);
    traffic_store_end(&store);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(calls_wait_for_who_came_last) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
