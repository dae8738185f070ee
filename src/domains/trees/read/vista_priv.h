/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VISTA traces (Park 1991, figures 9 and 11): a first line with the number of processing
 * elements (PEs), then a line of six integers for each reduction:
 *
 *     time  clause  pe  index  parent-pe  parent-index
 *
 * Clauses count from 1 in the order of the source; index counts from 1 on each PE; the
 * parent-index of the root is 0. Parents precede their children. model/tree.h describes the
 * resulting store.
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
    struct vista_clause *clauses; /* by clause number less 1 */
    size_t n_clauses, capacity;
    struct vista_goal *goals; /* goals of all bodies, in order */
    size_t n_goals, goal_capacity;
    struct vista_condition *conditions; /* alternatives of conditions in bodies */
    size_t n_conditions, condition_capacity;
    uint32_t numbers;  /* conditions in bodies so far; they have numbers from 1 */
    uint32_t nesting;  /* nesting of the goals being read */
    uint32_t too_deep; /* line where goals nest too deeply; 0: nowhere */
};

/*
 * Reads the clauses of a program file, with only as much of the language as numbering
 * clauses and counting goals needs. Returns false with the error of opening the file, or
 * WEFT_ERR_FORMAT; else vista_program_free() frees *PROGRAM.
 */
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

/* ---- Records ---- */

struct vista_record { /* a line of the file */
    int64_t time, clause, pe, index, parent_pe, parent_index;
};

/* A reduction that was read, kept to check its children. */
struct vista_seen {
    int64_t time;
    uint32_t line;   /* 0: no reduction */
    uint16_t left;   /* children that are still missing */
    uint16_t wanted; /* children by the goals of its clause */
};

struct vista_pe {
    uint32_t track;
    uint32_t n;              /* reductions read */
    int64_t last;            /* time of its latest reduction */
    struct vista_seen *seen; /* [capacity], by index of the reduction */
    size_t capacity;
};

struct vista_import {
    struct weft_builder *builder;
    const struct vista_program *program; /* NULL: the program's source is not given */
    const char *source;                  /* path of the program */
    struct vista_pe *pes;
    size_t n_pes;
    /* Reductions with an index far above those before, by pe << 40 | index. */
    struct weft_id_map far;
    struct vista_seen *far_seen;
    size_t n_far, far_capacity;
    uint64_t line;    /* number of the current line */
    uint32_t records; /* lines read as records, valid or not */
    uint32_t root;    /* record number of the root; 0: none yet */
    uint32_t type, fields[7];
    uint32_t *values, *sites; /* by clause number; values are WEFT_NONE until made */
    size_t n_values;
    struct weft_text_map procedures; /* from a procedure's name to its value; used with a
                                        program */
};

/*
 * Makes the types, fields, and a container for each PE; TIME is the first record's.
 */
void vista_begin(struct vista_import *import, int64_t time);
/* Checks a record and puts it into the store, or reports as a problem why it is skipped. */
void vista_add(struct vista_import *import, const struct vista_record *record);
/* Ends the last states, and reports the reductions that lack children. */
void vista_end(struct vista_import *import);
void vista_free(struct vista_import *import);
/* Adds a problem of kind FAULT at LINE to the trace; FIRST and SECOND go into its text. */
void vista_report(struct vista_import *import, enum vista_fault fault, uint64_t line,
                  int64_t first, int64_t second);

extern const struct weft_reader weft_reader_vista;

#endif
