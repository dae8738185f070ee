/* SPDX-License-Identifier: Apache-2.0 */
/* Small random traces of tasks, and what is known of them from having made them. */
#ifndef WEFT_TESTS_RANDOM_TASKS_H
#define WEFT_TESTS_RANDOM_TASKS_H

#include "store/trace/trace.h"

enum { MAX_TASKS = 9, MAX_PIECES = 24, MAX_MADE_EDGES = 16, MAX_ROWS = 3 };

struct made_task {
    int64_t number;
    int parent; /* -1: none; -2: one that is not there */
    uint32_t value;
    int first; /* piece */
    int n_pieces;
    int64_t begin, end, work;
    bool in_tree;
};

struct made_piece {
    int task;
    uint32_t row; /* from 0 */
    uint64_t ordinal;
    int64_t begin, end;
    uint64_t building_id;
};

struct made_edge {
    int from, to; /* tasks */
    enum weft_role role;
};

struct made_tasks {
    struct made_task tasks[MAX_TASKS];
    struct made_piece pieces[MAX_PIECES];
    struct made_edge edges[MAX_MADE_EDGES];
    int n_tasks, n_pieces, n_edges;
    uint32_t n_rows, containers[MAX_ROWS];
    bool parents_by_entity;
};

/* A trace of tasks and what it holds; edges against the order of tasks only with CYCLES. */
struct weft_trace *random_tasks(struct made_tasks *made, bool cycles);
/* The id in the trace of a piece. */
uint64_t piece_id(const struct weft_schema *schema, const struct made_tasks *made,
                  int piece);

#endif
