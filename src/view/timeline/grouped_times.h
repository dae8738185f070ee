/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time of rows by what they did, for what and where, in groups: for the views times and
 * time-compare (analyse/time_by_activity_and_place.h).
 */
#ifndef WEFT_VIEW_GROUPED_TIMES_H
#define WEFT_VIEW_GROUPED_TIMES_H

#include "analyse/time_by_activity_and_place.h"
#include "base/hash_map.h"
#include "view/view.h"

/* Parts of one or two runs that agree in the texts by which they are grouped. */
struct grouped_time {
    struct weft_time_part like; /* texts by which they are not grouped are "" */
    bool any_class;             /* they are not grouped by class */
    int64_t total[2];           /* nanoseconds, of each run */
    uint64_t count[2];          /* intervals */
};

/* All groups; all 0: none.  They have texts of the divisions that they were made of. */
struct grouped_times {
    struct grouped_time *list; /* [n] in no order */
    size_t n, capacity;
    struct weft_text_map index; /* of the texts of a group: its place in the list */
};

/* The choices of the setting "by": a row of the table is one of these. */
#define GROUPED_BY "all|class|state|object|site|function|row|partner|waker"

/*
 * Adds the parts of DIVISION, of run RUN (0 or 1), to GROUPS, which is zeroed before the
 * first call, BY one of GROUPED_BY.  DIVISION must live as long as GROUPS.
 */
void grouped_times_add(struct grouped_times *groups, int run,
                       const struct weft_schema *schema,
                       const struct weft_time_division *division, const char *by);
/* Frees what GROUPS holds. */
void grouped_times_free(struct grouped_times *groups);
/* Returns -1, 0 or 1 by the texts of two groups: a comparison for equal times. */
int grouped_times_by_texts(const struct grouped_time *x, const struct grouped_time *y);
/*
 * Returns, in ARENA, a name of the group: "blocked on mutex · queue · put (a.c:9)", by what
 * it is grouped by.
 */
const char *grouped_time_name(struct weft_arena *arena, const struct grouped_time *group);
/*
 * Returns true if BY tells rows, partners or wakers apart: then like.row says which, and a
 * table has a first column of that name.
 */
bool grouped_times_have_rows(const char *by);
/* Returns the group's class for a table; "" if it is not grouped by that. */
const char *grouped_time_class(const struct grouped_time *group);

/*
 * Reads the division that REQUEST asks for, of the trace NUMBER of its set within WINDOW,
 * whose states the selection WHERE means ("": all); its settings "containers" and "by" say
 * which rows, and whether rows are told apart.  LINES: as in struct weft_division_query.
 * Returns false with WEFT_ERR_USAGE if a text is wrong, or WEFT_ERR_CANCELLED, and nothing
 * to free.
 */
bool grouped_times_read(const struct weft_request *request, int number,
                        struct weft_span window, const char *where, bool lines,
                        struct weft_time_division *out,
                        struct weft_err *err) WEFT_MUST_CHECK;

/* Returns true if the first trace of SET may have what BY, one of GROUPED_BY, tells. */
bool grouped_times_offer(const struct weft_set *set, const char *by);
/* Returns true if the trace has rows that did something. */
bool grouped_times_fill(const struct weft_schema *schema);

#endif
