/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A slow, obvious second implementation of the filters: a random trace as plain arrays, a
 * random chain as text, and what each of its lines does to the arrays, one entity and one
 * container at a time.
 */
#ifndef WEFT_TESTS_CHAIN_MODEL_H
#define WEFT_TESTS_CHAIN_MODEL_H

#include "store/build/builder.h"
#include "tests/small_store.h"

enum {
    MODEL_SPAN = 64, /* ticks */
    MODEL_NODES = 64,
    MODEL_ENTITIES = 4096,
    MODEL_VALUES = 40,
    MODEL_TYPES = 16,
    MODEL_TERMS = 12, /* of a selection */
    MODEL_LINES = 7,  /* of a chain */
};

/* A container: of the trace, or behind these a group. */
struct node {
    char name[24];
    int parent; /* -1: the root */
    int type;   /* of the schema; -1: a group */
    int64_t begin, end;
    bool gone; /* hidden */
    /* what filters set */
    bool reduced, shades, sums;
    uint8_t active[MODEL_VALUES];
    int height;
};

/* A state, event, sample or link of the trace. */
struct entity {
    uint64_t id;
    enum weft_kind kind;
    uint32_t track;
    int node;     /* of its track */
    int from, to; /* of a link, else -1 */
    int value;    /* or -1 */
    int64_t begin, end;
    double number; /* of a sample */
    int64_t bytes; /* of a link */
    unsigned depth;
    bool hidden, dimmed;
};

struct model {
    struct weft_trace *trace;
    const struct weft_source *below;
    struct node nodes[MODEL_NODES];
    int n_nodes, n_below; /* with and without groups */
    struct entity list[MODEL_ENTITIES];
    size_t n;
    bool dims_track[256];               /* by track: its row is dimmed */
    char value_names[MODEL_VALUES][16]; /* as filters name them */
    uint32_t colors[MODEL_VALUES];
    enum weft_shape shapes[MODEL_VALUES];
    bool reuses;
    char chain[4096];
};

/* Makes a random trace and reads all its entities from the store; model_close() closes it. */
void model_make(struct model *m);
void model_close(struct model *m);
/* Sets m->chain to random lines, and does to the arrays what each of them says. */
void model_filter(struct model *m);

/* Returns true if CONTAINER, or -1, is NODE or below it. */
bool model_is_in(const struct model *m, int container, int node);
/* Returns the index of the innermost shown state of TRACK at TIME; -1: none. */
int model_innermost(const struct model *m, uint32_t track, int64_t time);

#endif
