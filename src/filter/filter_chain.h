/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of a chain of filters (doc/filters.md): one filter a line, applied from the
 * first to the last.  Here lines become structs; filtered_source.h applies them.
 */
#ifndef WEFT_FILTER_FILTER_CHAIN_H
#define WEFT_FILTER_FILTER_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/memory.h"
#include "store/schema.h"

enum {
    WEFT_FILTERS_BYTES = 64 << 10, /* most bytes of a chain's text */
    WEFT_FILTERS_LINES = 1000,     /* most filters of a chain */
    WEFT_FILTERS_LEAST_HEIGHT = 4, /* pixels of a row */
    WEFT_FILTERS_MOST_HEIGHT = 400,
    WEFT_FILTERS_DEPTH = 1000, /* most levels below the root */
};

/* The kinds of filters. */
enum weft_filter_verb {
    WEFT_FILTER_HIDE,            /* the things or rows of the selection `text` */
    WEFT_FILTER_HIDE_VARIABLE,   /* tracks of variables whose type is like `text` */
    WEFT_FILTER_HIDE_ROWS,       /* containers whose type is like `text` */
    WEFT_FILTER_DIM,             /* the things of the selection `text` are drawn pale */
    WEFT_FILTER_GROUP,           /* the rows of the list `text` become the group `name` */
    WEFT_FILTER_GROUP_NUMBERS,   /* rows called `name` and a number, `by` together */
    WEFT_FILTER_GROUP_TYPES,     /* siblings of one type become a group */
    WEFT_FILTER_GROUP_HOSTS,     /* siblings on one host */
    WEFT_FILTER_GROUP_FUNCTIONS, /* siblings, threads, that begin with one function */
    WEFT_FILTER_GROUP_DEPTH,     /* rows at depth `by` hold all below them directly */
    WEFT_FILTER_REDUCE,          /* the rows of the list `text` become one row each ... */
    WEFT_FILTER_REDUCE_GROUPS,   /* ... or all groups ... */
    WEFT_FILTER_REDUCE_DEPTH,    /* ... or all rows at depth `by` */
    WEFT_FILTER_MOVE,            /* the rows of the list `text` go under the row `name` */
    WEFT_FILTER_ORDER,           /* the rows of the list `text` come first, in its order */
    WEFT_FILTER_SORT,            /* siblings by `key` */
    WEFT_FILTER_REUSE,           /* rows of containers that have ended are used again */
    WEFT_FILTER_COLOR,           /* the values called `name` get `color` */
    WEFT_FILTER_NAME,            /* the values called `name` are called `text` */
    WEFT_FILTER_SHAPE,           /* the events with a value called `name` have `shape` */
    WEFT_FILTER_HEIGHT,          /* the rows of the list `text` are `by` pixels high */
};

/* By what siblings are sorted. */
enum weft_filter_key {
    WEFT_FILTER_BY_NAME, /* numbers in names by their value */
    WEFT_FILTER_BY_BEGIN,
    WEFT_FILTER_BY_END,
    WEFT_FILTER_BY_LENGTH,     /* the longest first */
    WEFT_FILTER_BY_COUNT,      /* of entities, the most first */
    WEFT_FILTER_BY_SHARE,      /* of time in states called `name`, the largest first */
    WEFT_FILTER_BY_SIMILARITY, /* of the states in each eighth of the trace's time */
};

/* One filter; its texts are in the chain's arena. */
struct weft_filter_line {
    enum weft_filter_verb verb;
    uint32_t number;  /* of the line in the text, from 1 */
    const char *name; /* or NULL */
    const char *text; /* or NULL */
    uint64_t low, high, by;
    enum weft_filter_key key;
    uint32_t color; /* 0xffRRGGBB */
    enum weft_shape shape;
    bool shades,
        sums; /* of a reduction (store/schema.h); `name`: what is active, or NULL */
};

/* The filters of a text that are switched on. */
struct weft_filter_chain {
    struct weft_filter_line *lines;
    size_t n;
};

/*
 * Sets *CHAIN to the filters of TEXT, in ARENA, without comments, empty lines and those
 * that begin with "off".  Returns false with WEFT_ERR_USAGE, whose message names the line
 * and the word at fault; lines that are off are not looked at.
 */
bool weft_filter_chain_parse(struct weft_filter_chain *chain, const char *text,
                             struct weft_arena *arena, struct weft_err *err);

/*
 * Sets *ERR to WEFT_ERR_USAGE: "filters, line N: " and what FMT prints.  Returns false.
 */
bool weft_filter_fail(struct weft_err *err, uint32_t number, const char *fmt, ...)
    WEFT_PRINTF(3, 4);

/*
 * Returns the next name of the list *AT, "A, B, \"C, D\"", in ARENA, without quotes and
 * spaces around it, and moves *AT behind it; NULL at the end.  *QUOTED says if it had
 * quotes.
 */
const char *weft_filter_next_name(const char **at, bool *quoted, struct weft_arena *arena);

#endif
