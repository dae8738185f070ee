/* SPDX-License-Identifier: Apache-2.0 */
/* Small stores of the tests: a file in /tmp, a builder, and the trace that it becomes. */
#ifndef WEFT_TESTS_SMALL_STORE_H
#define WEFT_TESTS_SMALL_STORE_H

#include "store/build/builder.h"
#include "store/trace/trace.h"
#include "tests/test.h"

/* Begins a store in a new file, whose last six letters replace those of PATH. */
static inline struct weft_builder *small_store_begin(char *path)
{
    struct weft_err err;
    strcpy(path + strlen(path) - 6, "XXXXXX");
    close(mkstemp(path));
    struct weft_builder *b = weft_builder_new(path, "test", &err);
    assert_non_null(b);
    return b;
}

/* Finishes the store and opens it; the caller closes the trace and removes the file. */
static inline struct weft_trace *small_store_open(struct weft_builder *b, const char *path)
{
    struct weft_err err;
    assert_true(weft_builder_finish(b, NULL, &err));
    struct weft_trace *trace = weft_trace_open(path, &err);
    assert_non_null(trace);
    return trace;
}

/* The same, and removes the file. */
static inline struct weft_trace *small_store_end(struct weft_builder *b, const char *path)
{
    struct weft_trace *trace = small_store_open(b, path);
    unlink(path);
    return trace;
}

static inline uint32_t add_type(struct weft_builder *b, enum weft_kind kind,
                                uint32_t parent, const char *name, enum weft_role role)
{
    return weft_builder_type(
        b,
        &(struct weft_type){ .kind = kind, .parent = parent, .name = name, .role = role });
}

static inline uint32_t add_field(struct weft_builder *b, uint32_t type, const char *name,
                                 enum weft_field_kind kind, enum weft_role role)
{
    uint32_t field = weft_builder_field(b, type, name, kind);
    weft_builder_field_role(b, field, role);
    return field;
}

static inline uint32_t add_value(struct weft_builder *b, uint32_t type, const char *name,
                                 enum weft_role role)
{
    uint32_t value = weft_builder_value(b, type, name, NULL, 0);
    weft_builder_value_role(b, value, role);
    return value;
}

#endif
