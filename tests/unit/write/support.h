/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the tests of exporters: a store made with the builder, opened as a trace. */
#ifndef WEFT_TEST_WRITE_SUPPORT_H
#define WEFT_TEST_WRITE_SUPPORT_H

#include "store/build/builder.h"
#include "store/trace/trace.h"
#include "tests/unit/read/support.h"

struct weft_builder *support_begin(void);
/* Finish the store and open it; the caller closes the trace. */
struct weft_trace *support_finish(struct weft_builder *builder);

uint32_t support_type(struct weft_builder *builder, enum weft_kind kind, uint32_t parent,
                      const char *name);
/* A link of VALUE between containers; key "" is none. */
struct weft_link support_link(struct weft_builder *builder, uint32_t type, uint32_t value,
                              const char *key, uint32_t from, int64_t begin, uint32_t to,
                              int64_t end);

#endif
