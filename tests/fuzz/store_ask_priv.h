/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of store_ask.c share. */
#ifndef WEFT_FUZZ_STORE_ASK_PRIV_H
#define WEFT_FUZZ_STORE_ASK_PRIV_H

#include "base/job.h"
#include "store/source.h"
#include "tests/random.h"
#include "tests/sweep/shots.h"

enum { SEEN_MAX = 4000 }; /* entities taken from one answer */

struct asking {
    const struct weft_source *source;
    const struct weft_schema *schema;
    struct weft_job *job;
};

/* Mostly within the trace. */
int64_t some_time(const struct asking *ask);
/* Mostly of an entity that is there. */
uint64_t some_id(const struct asking *ask);
/* Read to its end. */
size_t text_length(const char *text);

void ask_analyses(
    const struct asking *ask); /* of locks, of relevance, of graphs and trees */
void ask_dag(const struct asking *ask);
void ask_arrays(const struct asking *ask);
void ask_writers(const struct asking *ask);
void ask_details(const struct asking *ask); /* of clicks and searches */
void ask_views(const struct asking *ask);   /* pictures, their tables and points */

#endif
