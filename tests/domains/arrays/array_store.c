/* SPDX-License-Identifier: Apache-2.0 */
#include "array_store.h"
#include "tests/small_store.h"

struct array_store array_store_begin(void)
{
    char path[] = "/tmp/weft-array-test.XXXXXX";
    struct array_store store = { 0 };
    struct weft_err err;
    close(mkstemp(path));
    store.path = weft_strdup(path);
    store.builder = weft_builder_new(path, "test", &err);
    assert_non_null(store.builder);
    uint32_t type =
        weft_builder_type(store.builder, &(struct weft_type){ .kind = WEFT_CONTAINER,
                                                              .parent = 0,
                                                              .name = "process",
                                                              .role = WEFT_ROLE_PROCESS,
                                                              .start_type = WEFT_NONE,
                                                              .end_type = WEFT_NONE });
    uint32_t process = weft_builder_container(store.builder, type, 0, "run", NULL, 0);
    store.writer = weft_profile_writer_new(store.builder, process, type);
    return store;
}

uint32_t array_store_array(struct array_store *store, const char *name, uint32_t rank,
                           const uint64_t *shape)
{
    struct weft_array array = { .name = name, .rank = rank, .element_bytes = 8 };
    memcpy(array.shape, shape, rank * sizeof *shape);
    uint32_t number = weft_profile_writer_array(store->writer, &array, 0);
    assert_true(number != WEFT_NONE);
    return number;
}

void array_store_open(struct array_store *store)
{
    struct weft_err err;
    assert_true(weft_profile_writer_finish(store->writer, NULL, &err));
    store->trace = small_store_open(store->builder, store->path);
    store->source = weft_trace_source(store->trace);
    assert_true(weft_profile_fills(store->source));
    store->profile = weft_profile_open(store->source, NULL, &err);
    assert_non_null(store->profile);
    assert_int_equal(weft_profile_left_out(store->profile), 0);
}

void array_store_free(struct array_store *store)
{
    weft_profile_close(store->profile);
    weft_trace_close(store->trace);
    unlink(store->path);
    free(store->path);
}

struct weft_pattern array_reference(uint32_t step, uint32_t array, uint64_t element,
                                    uint32_t owner_array, uint64_t owner,
                                    enum weft_reference_operation operation)
{
    struct weft_pattern pattern = { .step = step,
                                    .array = array,
                                    .owner_array = owner_array,
                                    .operation = operation,
                                    .site = WEFT_NONE,
                                    .owner_processor = -1,
                                    .requester_processor = -1,
                                    .local = -1,
                                    .times = 1,
                                    .element = element,
                                    .owner = owner };
    for (int k = 0; k < WEFT_PATTERN_LOOPS; k++)
        pattern.extent[k] = 1;
    return pattern;
}

void array_store_trace(struct array_store *store, uint32_t array, uint64_t columns,
                       uint32_t step, uint64_t owner_row, uint64_t owner_column,
                       uint64_t row, uint64_t column, enum weft_reference_operation op)
{
    struct weft_pattern pattern = array_reference(
        step, array, row * columns + column, array, owner_row * columns + owner_column, op);
    assert_true(weft_profile_writer_add(store->writer, &pattern));
}

void array_expand(const struct weft_pattern *pattern,
                  void (*visit)(void *user, const struct weft_pattern *pattern,
                                uint64_t element, uint64_t owner),
                  void *user)
{
    uint64_t turn[WEFT_PATTERN_LOOPS] = { 0 };
    for (;;) {
        uint64_t element = pattern->element, owner = pattern->owner;
        for (int k = 0; k < WEFT_PATTERN_LOOPS; k++) {
            element += turn[k] * (uint64_t)pattern->stride[k];
            owner += turn[k] * (uint64_t)pattern->owner_stride[k];
        }
        visit(user, pattern, element, owner);
        int k = 0;
        while (k < WEFT_PATTERN_LOOPS && ++turn[k] == pattern->extent[k])
            turn[k++] = 0;
        if (k == WEFT_PATTERN_LOOPS)
            return;
    }
}
