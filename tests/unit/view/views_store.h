/* SPDX-License-Identifier: Apache-2.0 */
/* One small store at a time, for the tests of views: written, opened, and gone after a test. */
#ifndef TESTS_VIEWS_STORE_H
#define TESTS_VIEWS_STORE_H

#include "store/build/builder.h"
#include "store/trace/trace.h"
#include "view/view.h"

enum { SECOND = 1000000000 };

/* Of the store that is open. */
extern const struct weft_source *source;
extern struct weft_set set;

struct weft_builder *start_store(void);
void open_store(struct weft_builder *b);
/* As cmocka's functions that tear down are. */
int close_store(void **state);

uint32_t define_type(struct weft_builder *b, enum weft_kind kind, uint32_t parent,
                     const char *name);

/*
 * Two threads of 100 ticks.  First: work [0, 60) with wait [20, 30) and work [30, 50) inside
 * it, then wait [60, 100).  Second: work [0, 100).
 */
void small_store(void);

#endif
