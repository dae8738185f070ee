/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VISTA traces (Park 1991, figures 9 and 11): a first line with the number of processing
 * elements (PEs), then a line of six integers for each reduction:
 *
 *     time  clause  pe  index  parent-pe  parent-index
 *
 * Clauses count from 1 in the order of the source; index counts from 1 on each PE; the root's
 * parent-index is 0.  Parents stand above their children.  What the store holds afterwards is
 * described in model/tree.h.
 *
 * With the program's source, clauses have names, lines and a number of children that is
 * checked; without it, they are "clause 3".
 */
#ifndef WEFT_VISTA_PRIV_H
#define WEFT_VISTA_PRIV_H

#include "base/map.h"
#include "read/reader.h"

/* ---- The program's source ---- */

struct vista_clause {
    const char *name;
    uint32_t arity;
    uint32_t line;
    uint32_t children; /* goals of its body that the program defines */
};

struct vista_program {
    struct weft_arena arena;
    struct vista_clause *clauses; /* clause number less 1 */
    size_t n_clauses, capacity;
    struct vista_goal *goals; /* of all bodies, in order */
    size_t n_goals, goal_capacity;
    struct vista_condition *conditions; /* the clauses of conditions in bodies */
    size_t n_conditions, condition_capacity;
    uint32_t numbers;  /* of conditions */
    uint32_t nesting;  /* of the goals that are being read */
    uint32_t too_deep; /* line where they stand too deep in one another; 0: nowhere */
};

/* Reads only as much of the language as numbering clauses and counting goals needs. */
bool vista_program_read(struct vista_program *program, const char *path,
                        struct weft_err *err) WEFT_MUST_CHECK;
void vista_program_free(struct vista_program *program);

/* ---- Faults ---- */

enum vista_fault {
    VISTA_FAULT_LINE,
    VISTA_FAULT_LONG_LINE,
    VISTA_FAULT_NUMBER,
    VISTA_FAULT_UNFINISHED,
    VISTA_FAULT_INDEX,
    VISTA_FAULT_CLAUSE,
    VISTA_FAULT_PE,
    VISTA_FAULT_TIME,
    VISTA_FAULT_DUPLICATE,
    VISTA_FAULT_PARENT,
    VISTA_FAULT_SECOND_ROOT,
    VISTA_FAULT_MANY_CHILDREN,
    VISTA_FAULT_FEW_CHILDREN,
    VISTA_FAULT_ORDER,
    VISTA_FAULT_BEFORE_PARENT,
    VISTA_FAULT_EMPTY,
    VISTA_FAULT_DAMAGED,
    VISTA_FAULTS,
};

struct vista_fault_kind {
    const char *name;
    enum weft_severity severity;
    const char *sentence; /* with two %lld, for the numbers that are wrong */
};
extern const struct vista_fault_kind vista_faults[VISTA_FAULTS];

/* ---- Records ---- */

struct vista_record {
    int64_t time, clause, pe, index, parent_pe, parent_index;
};

/* A reduction that was read, for checking its children. */
struct vista_seen {
    int64_t time;
    uint32_t line;   /* 0: not seen */
    uint16_t left;   /* children that have not been read yet ... */
    uint16_t wanted; /* ... of as many as its clause has goals */
};

struct vista_pe {
    uint32_t track;
    uint32_t n;              /* reductions so far */
    int64_t last;            /* time of the latest */
    struct vista_seen *seen; /* by index */
    size_t capacity;
};

struct vista_reading {
    struct weft_builder *builder;
    const struct vista_program *program; /* or NULL */
    const char *source;                  /* its path */
    struct vista_pe *pes;
    size_t n_pes;
    /* Reductions whose index is far from those before: by pe << 40 | index. */
    struct weft_id_map far;
    struct vista_seen *far_seen;
    size_t n_far, far_capacity;
    uint64_t line;    /* of the current record */
    uint32_t records; /* lines read that should be records */
    uint32_t root;    /* record of the root, 0: none yet */
    uint32_t type, fields[7];
    uint32_t *values, *sites; /* by clause number; WEFT_NONE: not made yet */
    size_t n_values;
    struct weft_text_map procedures; /* to their values, when the program is known */
};

/* Make types and a container for each PE; TIME is that of the first record. */
void vista_begin(struct vista_reading *reading, int64_t time);
/* Check a record and put it into the store. */
void vista_add(struct vista_reading *reading, const struct vista_record *record);
/* After the last record: report the reductions that lack children. */
void vista_end(struct vista_reading *reading);
void vista_free(struct vista_reading *reading);
void vista_report(struct vista_reading *reading, enum vista_fault fault, uint64_t line,
                  int64_t first, int64_t second);

extern const struct weft_reader weft_reader_vista;

#endif
