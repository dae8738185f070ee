/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct weft_builder *support_begin(void)
{
    struct weft_err err;
    struct weft_builder *builder = weft_builder_new(support_path("made"), "test", &err);
    assert_non_null(builder);
    return builder;
}

struct weft_trace *support_finish(struct weft_builder *builder)
{
    struct weft_err err;
    assert_true(weft_builder_finish(builder, NULL, &err));
    struct weft_trace *trace = weft_trace_open(support_path("made"), &err);
    assert_non_null(trace);
    return trace;
}

uint32_t support_type(struct weft_builder *builder, enum weft_kind kind, uint32_t parent,
                      const char *name)
{
    struct weft_type type = { .kind = kind, .parent = parent, .name = name };
    if (kind == WEFT_LINK)
        type.start_type = type.end_type = 0;
    return weft_builder_type(builder, &type);
}

struct weft_link support_link(struct weft_builder *builder, uint32_t type, uint32_t value,
                              const char *key, uint32_t from, int64_t begin, uint32_t to,
                              int64_t end)
{
    uint32_t flags = from == WEFT_NONE ? WEFT_BEGIN_IMPLIED
                     : to == WEFT_NONE ? WEFT_END_IMPLIED
                                       : 0;
    return (struct weft_link){
        .type = type,
        .container = 0,
        .value = value,
        .key = *key ? weft_builder_string(builder, key, strlen(key)) : WEFT_NONE,
        .from = from,
        .to = to,
        .begin = begin,
        .end = end,
        .from_entity = WEFT_NO_ID,
        .to_entity = WEFT_NO_ID,
        .flags = flags,
    };
}
