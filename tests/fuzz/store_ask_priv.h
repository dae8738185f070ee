/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of store_ask.c share. */
#ifndef WEFT_FUZZ_STORE_ASK_PRIV_H
#define WEFT_FUZZ_STORE_ASK_PRIV_H

#include "base/progress_and_cancel.h"
#include "store/source.h"
#include "tests/random.h"
#include "tests/sweep/shots.h"

enum { SEEN_MAX = 4000 }; /* entities taken from one answer */

struct store_asker {
    const struct weft_source *source;
    const struct weft_schema *schema;
    struct weft_job *job;
};

/* Mostly within the trace. */
int64_t some_time(const struct store_asker *asker);
/* Mostly of an entity that is there. */
uint64_t some_id(const struct store_asker *asker);
/* Read to its end. */
size_t text_length(const char *text);

void ask_analyses(
    const struct store_asker *asker); /* of locks, of relevance, of graphs and trees */
void ask_dag(const struct store_asker *asker);
void ask_arrays(const struct store_asker *asker);
void ask_writers(const struct store_asker *asker);
void ask_details(const struct store_asker *asker); /* of clicks and searches */
void ask_views(const struct store_asker *asker);   /* pictures, their tables and points */

#endif
