/* SPDX-License-Identifier: Apache-2.0 */
#include "traffic_store.h"
#include "tests/small_store.h"

static uint32_t type(struct weft_builder *b, enum weft_kind kind, const char *name,
                     enum weft_role role)
{
    return add_type(b, kind, 0, name, role);
}

static void define_types(struct traffic_store *store)
{
    static const enum weft_role patterns[PATTERNS] = {
        [ONE_TO_ALL] = WEFT_ROLE_ONE_TO_ALL, [ALL_TO_ONE] = WEFT_ROLE_ALL_TO_ONE,
        [ALL_TO_ALL] = WEFT_ROLE_ALL_TO_ALL, [PREFIX] = WEFT_ROLE_PREFIX,
        [ALL_WAIT] = WEFT_ROLE_ALL_WAIT,
    };
    struct weft_builder *b = store->builder;
    store->call = type(b, WEFT_STATE, "call", WEFT_ROLE_COMMUNICATION);
    store->call_value = weft_builder_value(b, store->call, "call", NULL, 0);
    store->operation =
        add_field(b, store->call, "operation", WEFT_FIELD_ENTITY, WEFT_ROLE_OPERATION);
    store->call_bytes =
        add_field(b, store->call, "bytes", WEFT_FIELD_INTEGER, WEFT_ROLE_BYTES);
    store->message = type(b, WEFT_LINK, "message", WEFT_ROLE_MESSAGE);
    store->size =
        add_field(b, store->message, "bytes", WEFT_FIELD_INTEGER, WEFT_ROLE_BYTES);
    store->communicator = type(b, WEFT_CONTAINER, "communicator", WEFT_ROLE_COMMUNICATOR);
    store->members =
        add_field(b, store->communicator, "members", WEFT_FIELD_TEXT, WEFT_ROLE_MEMBERS);
    store->collective = type(b, WEFT_EVENT, "collective", WEFT_ROLE_COLLECTIVE_OPERATION);
    store->root =
        add_field(b, store->collective, "root", WEFT_FIELD_INTEGER, WEFT_ROLE_ROOT);
    for (int i = 0; i < PATTERNS; i++) {
        char name[] = { (char)('a' + i), 0 };
        store->patterns[i] = add_value(b, store->collective, name, patterns[i]);
    }
}

void traffic_store_begin(struct traffic_store *store, uint32_t n)
{
    memset(store, 0, sizeof *store);
    strcpy(store->path, "/tmp/weft-traffic-test.XXXXXX");
    struct weft_builder *b = store->builder = small_store_begin(store->path);
    uint32_t rank = type(b, WEFT_CONTAINER, "rank", WEFT_ROLE_RANK);
    uint32_t number =
        add_field(b, rank, "number", WEFT_FIELD_INTEGER, WEFT_ROLE_RANK_NUMBER);
    define_types(store);
    store->n = n;
    store->processors = malloc(n * sizeof *store->processors);
    /* Made from the last to the first: their order is that of their numbers. */
    for (uint32_t q = n; q-- > 0;) {
        store->processors[q] = weft_builder_container(b, rank, 0, "p", NULL, 0);
        weft_builder_container_field(
            b, store->processors[q],
            &(struct weft_field_value){ number, { .integer = q } });
    }
}

void traffic_store_finish(struct traffic_store *store)
{
    struct weft_err err;
    store->trace = small_store_open(store->builder, store->path);
    assert_int_equal(weft_trace_verify(store->trace, NULL), 0);
    const struct weft_source *source = weft_trace_source(store->trace);
    assert_true(weft_has_traffic(source->schema));
    store->model = weft_processors_make(source, NULL, &err);
    assert_non_null(store->model);
    assert_int_equal(store->model->n, store->n);
    store->traffic = weft_traffic_make(source, store->model, NULL, &err);
    assert_non_null(store->traffic);
}

void traffic_store_end(struct traffic_store *store)
{
    weft_traffic_free(store->traffic);
    weft_processors_free(store->model);
    weft_trace_close(store->trace);
    unlink(store->path);
    free(store->processors);
}
