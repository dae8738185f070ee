/* SPDX-License-Identifier: Apache-2.0 */
#include "picl_traces.h"

#include "tests/unit/read/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* 0 sends 8 bytes with tag 5 to 1, from 1 us to 2 us; 1 waits for them from 0.5 us to 4 us. */
const char trf_one_message[] = "-3 -901 0 0 0 0\n"
                               "-3 -901 0 1 0 0\n"
                               "-3 -52 0.0000005 1 0 2 2 5 0\n"
                               "-3 -21 0.000001 0 0 3 2 8 5 1\n"
                               "-4 -21 0.000002 0 0 0\n"
                               "-4 -52 0.000004 1 0 3 2 8 5 0\n"
                               "-4 -901 0.000005 0 0 0\n"
                               "-4 -901 0.000005 1 0 0\n";

/*
 * A barrier of all, a broadcast of 0 to {1, 0}, which was split from all, and a sum of {2, 3},
 * which has the same number for them.
 */
const char trf_collectives[] = "-3 -402 1 0 0 1 2 -1\n-3 -402 2 1 0 1 2 -1\n"
                               "-3 -402 3 2 0 1 2 -1\n-3 -402 4 3 0 1 2 -1\n"
                               "-4 -402 5 0 0 0\n-4 -402 5 1 0 0\n"
                               "-4 -402 5 2 0 0\n-4 -402 5 3 0 0\n"
                               "-202 -812 6 0 0 3 2 7 1 0\n-202 -812 6 1 0 3 2 7 1 0\n"
                               "-202 -812 6 2 0 3 2 7 2 3\n-202 -812 6 3 0 3 2 7 2 3\n"
                               "-3 -785 8 0 0 3 2 64 0 7\n-3 -785 7 1 0 3 2 64 0 7\n"
                               "-3 -782 8 2 0 2 2 4 7\n-3 -782 8 3 0 2 2 4 7\n"
                               "-4 -785 9 0 0 1 2 64\n-4 -785 9 1 0 1 2 64\n"
                               "-4 -782 9 2 0 1 2 4\n-4 -782 9 3 0 1 2 4\n";

struct weft_trace *trf_read(const char *text)
{
    char *trace = weft_strdup(support_path("trace.trf")),
         *store = weft_strdup(support_path("store"));
    struct weft_err err = { 0 };
    support_write(trace, text, strlen(text));
    struct weft_trace *read = NULL;
    if (weft_import(trace, NULL, store, NULL, &err))
        read = weft_trace_open(store, &err);
    if (!read)
        print_message("%s\n", err.message);
    assert_non_null(read);
    assert_string_equal(weft_trace_schema(read)->format, "picl");
    free(trace);
    free(store);
    return read;
}

char *trf_dump(const char *text)
{
    struct weft_trace *trace = trf_read(text);
    char *dump = support_dump(trace);
    weft_trace_close(trace);
    return dump;
}

void trf_assert_same(const char *a, const char *b)
{
    char *x = trf_dump(a), *y = trf_dump(b);
    assert_string_equal(x, y);
    free(x);
    free(y);
}

/* The field of an entity with a role; fails when it has none. */
struct weft_field_value trf_field(const struct weft_trace *trace, uint64_t id,
                                  enum weft_role role, enum weft_field_kind kind)
{
    struct weft_field_value fields[16];
    const struct weft_source *source = weft_trace_source(trace);
    size_t n = source->ops->fields(source, id, fields, 16);
    const struct weft_field_value *found =
        weft_field_with_role(source->schema, fields, n, role, kind);
    assert_non_null(found);
    return *found;
}

bool trf_has_field(const struct weft_trace *trace, uint64_t id, const char *name)
{
    struct weft_field_value fields[16];
    const struct weft_source *source = weft_trace_source(trace);
    size_t n = source->ops->fields(source, id, fields, 16);
    for (size_t i = 0; i < n; i++)
        if (strcmp(source->schema->fields[fields[i].field].name, name) == 0)
            return true;
    return false;
}

uint32_t trf_track(const struct weft_trace *trace, const char *container, const char *type)
{
    const struct weft_schema *schema = weft_trace_schema(trace);
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        if (strcmp(schema->containers[schema->tracks[t].container].name, container) == 0
            && strcmp(schema->types[schema->tracks[t].type].name, type) == 0)
            return t;
    return WEFT_NONE;
}

struct weft_state trf_state(const struct weft_trace *trace, const char *container,
                            const char *type, uint64_t ordinal)
{
    struct weft_state state;
    const struct weft_source *source = weft_trace_source(trace);
    uint32_t track = trf_track(trace, container, type);
    assert_int_not_equal(track, WEFT_NONE);
    assert_true(source->ops->state(source, weft_entity_id(track, ordinal), &state));
    return state;
}

enum weft_role trf_role(const struct weft_trace *trace, const struct weft_state *state)
{
    return weft_trace_schema(trace)->values[state->value].role;
}

struct weft_link trf_link(const struct weft_trace *trace, uint64_t ordinal)
{
    struct weft_link link;
    const struct weft_source *source = weft_trace_source(trace);
    uint32_t track = trf_track(trace, "0", "message");
    assert_int_not_equal(track, WEFT_NONE);
    assert_true(source->ops->link(source, weft_entity_id(track, ordinal), &link));
    return link;
}

const char *trf_container_name(const struct weft_trace *trace, uint32_t container)
{
    return weft_trace_schema(trace)->containers[container].name;
}

char *trf_written(const struct weft_trace *trace, enum weft_picl_order order)
{
    char *text = NULL;
    size_t size;
    struct weft_err err = { 0 };
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    char *losses;
    assert_true(
        weft_write_picl(weft_trace_source(trace), stream, order, &losses, NULL, &err));
    assert_string_equal(losses, ""); /* it was PICL */
    free(losses);
    fclose(stream);
    return text;
}

void trf_assert_written_twice(const char *text)
{
    for (int order = WEFT_PICL_BY_TIME; order <= WEFT_PICL_BY_NODE; order++) {
        struct weft_trace *trace = trf_read(text);
        char *once = trf_written(trace, (enum weft_picl_order)order);
        weft_trace_close(trace);
        trace = trf_read(once);
        char *twice = trf_written(trace, (enum weft_picl_order)order);
        assert_string_equal(once, twice);
        weft_trace_close(trace);
        free(once);
        free(twice);
    }
}
