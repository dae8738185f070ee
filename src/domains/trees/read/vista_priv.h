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

#include "base/hash_map.h"
#include "read/reader.h"

/* ---- The program's source ---- */

/* A clause of an FGHC program; belongs to a struct vista_program. */
struct vista_clause {
    const char *name;  /* of its procedure; an alternative of condition N: "procedure$N" */
    uint32_t arity;    /* arguments of its head */
    uint32_t line;     /* in the program's file, from 1 */
    uint32_t children; /* goals of its body that the program defines */
};

/*
 * The clauses of an FGHC program file, which VISTA numbers from 1 in the order of the
 * source; the alternatives of conditions in bodies follow as clauses. vista_program_read()
 * fills it, vista_program_free() frees what it holds.
 */
struct vista_program {
    struct weft_arena arena;      /* owns the names */
    struct vista_clause *clauses; /* [n_clauses] by clause number less 1 */
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
 * Reads the clauses of the FGHC program file PATH into *PROGRAM, which is overwritten, with
 * only as much of the language as numbering clauses and counting goals needs. Returns
 * false, with nothing to free, with the error of opening the file, or WEFT_ERR_FORMAT if it
 * is no such program or larger than 16 MiB; after true, vista_program_free() frees what
 * *PROGRAM holds.
 */
bool vista_program_read(struct vista_program *program, const char *path,
                        struct weft_err *err) WEFT_MUST_CHECK;
/* Frees what PROGRAM holds, but not PROGRAM itself, and zeroes it; no effect if zeroed. */
void vista_program_free(struct vista_program *program);

/* ---- Faults ---- */

/* The kinds of problems in a VISTA trace, for vista_report(), and their number. In
   brackets: the two numbers that it takes. The table in faults.c has the name, severity and
   sentence of each. */
enum vista_fault {
    VISTA_FAULT_LINE,          /* not six numbers on a line (numbers; 6) */
    VISTA_FAULT_LONG_LINE,     /* a line too long for a record (its bytes; the most) */
    VISTA_FAULT_NUMBER,        /* no integer of 63 bits and a sign (number of the word in
                                  the line, from 1; 63) */
    VISTA_FAULT_UNFINISHED,    /* the last line has no end (its bytes; records before) */
    VISTA_FAULT_INDEX,         /* an index below 1 or too large (index; PE) */
    VISTA_FAULT_CLAUSE,        /* no such clause (clause; number of clauses) */
    VISTA_FAULT_PE,            /* no such PE (PE; number of PEs) */
    VISTA_FAULT_TIME,          /* a time too far from 0 (time; PE) */
    VISTA_FAULT_DUPLICATE,     /* the PE has this index already (PE; index) */
    VISTA_FAULT_PARENT,        /* no record before is the parent's (its PE; its index) */
    VISTA_FAULT_SECOND_ROOT,   /* a second root (record of the root; 1) */
    VISTA_FAULT_MANY_CHILDREN, /* a child too many for its clause (parent's PE; index) */
    VISTA_FAULT_FEW_CHILDREN,  /* children are missing (how many; of how many) */
    VISTA_FAULT_ORDER,         /* before an earlier record of its PE (time; that one's) */
    VISTA_FAULT_BEFORE_PARENT, /* before its parent (time; parent's) */
    VISTA_FAULT_EMPTY,         /* no record (0; number of PEs) */
    VISTA_FAULT_DAMAGED,       /* compressed data are damaged (records before; bytes of a
                                  line lost) */
    VISTA_FAULTS,
};

/* ---- Records ---- */

/* The six numbers of a line of a VISTA trace, which tell one reduction, as they stand
   there: its time, clause, PE and index on the PE, and its parent's PE and index; not
   checked yet. */
struct vista_record {
    int64_t time, clause, pe, index, parent_pe, parent_index;
};

/* A reduction that was read, kept to check its children. */
struct vista_seen {
    int64_t time;    /* in ticks */
    uint32_t line;   /* its line in the trace; 0: no reduction */
    uint16_t left;   /* children that are still missing; 0 without the program's source */
    uint16_t wanted; /* children by the goals of its clause; 0 without the source */
};

/* A processing element (PE) of a VISTA trace while it is read, in a struct vista_import. */
struct vista_pe {
    uint32_t track;          /* of its reductions in the store */
    uint32_t n;              /* reductions read */
    int64_t last;            /* ticks: time of its latest reduction */
    struct vista_seen *seen; /* [capacity], by index of the reduction */
    size_t capacity;         /* entries of SEEN, zeroed where unused */
};

/*
 * The state of reading a VISTA trace into a store. The reader zeroes it and sets `builder`,
 * `program` and `source`; its first line sets `pes` to [n_pes] zeroed entries. vista_free()
 * frees what it holds.
 */
struct vista_import {
    struct weft_builder *builder;        /* the reader's */
    const struct vista_program *program; /* NULL: the program's source is not given */
    const char *source;                  /* path of the program */
    struct vista_pe *pes;                /* [n_pes] by number */
    size_t n_pes;
    /* Reductions with an index far above those before, by pe << 40 | index. */
    struct weft_id_map far;
    struct vista_seen *far_seen; /* [n_far] by the index in `far` */
    size_t n_far, far_capacity;
    uint64_t line;            /* number of the current line */
    uint32_t records;         /* lines read as records, valid or not */
    uint32_t root;            /* record number of the root; 0: none yet */
    uint32_t type, fields[7]; /* the store's state type of reductions, and its fields */
    uint32_t *values, *sites; /* [n_values] by clause number: the store's value, WEFT_NONE
                                 until it is made; its site, set with the value if there is
                                 a program */
    size_t n_values;
    struct weft_text_map procedures; /* from a procedure's name to its value in the store;
                                        used with a program */
};

/*
 * Makes the store's types and fields, and a container with a track for each of the n_pes
 * PEs; they begin at TIME, in ticks. Called once, before any vista_add(), when n_pes is
 * known.
 */
void vista_begin(struct vista_import *import, int64_t time);
/*
 * Checks a record, which is on line import->line, and puts its reduction into the store as
 * a state. Reports what is wrong with it as problems of the trace (vista_report); a record
 * with an impossible number, or one that contradicts earlier records, is skipped.
 */
void vista_add(struct vista_import *import, const struct vista_record *record);
/* Ends the last state of each PE, with length 0, after the last vista_add(). With the
   program's source, also reports the reductions with fewer children than their clause. */
void vista_end(struct vista_import *import);
/* Frees what IMPORT holds, but not IMPORT itself, its builder or its program. */
void vista_free(struct vista_import *import);
/* Adds a problem (a fault of the trace, kept with it) of kind FAULT at LINE (from 1; 0: the
   whole trace) to the store; FIRST and SECOND are the two numbers that enum vista_fault
   names for it, for its sentence. */
void vista_report(struct vista_import *import, enum vista_fault fault, uint64_t line,
                  int64_t first, int64_t second);

/* The reader of VISTA traces, for the domain's list of readers. */
extern const struct weft_reader weft_reader_vista;

#endif
