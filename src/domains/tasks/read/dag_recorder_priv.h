/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads files of DAG Recorder, format version 1.24: a head, nodes of 432 bytes, edges of
 * 24, and a table of file names; little-endian and unaligned.
 *
 *     0  45 bytes of text: the version
 *    45  i64 nodes, edges, clock at the start, workers
 *    77  nodes, edges, names
 *
 * A node's times count from the clock at the start.  Its children, and the task that a
 * create made, are given by their distance from the node, so they come after it and are
 * consecutive.
 *
 * The file is read in two passes: node_children.c finds the children of each node and
 * leaves out contradictory nodes; then nodes.c reads the nodes, and check_edges.c compares
 * the stored edges with them.  The file may change meanwhile, so a value that is read again
 * is checked again.
 */
#ifndef WEFT_READ_DAG_RECORDER_PRIV_H
#define WEFT_READ_DAG_RECORDER_PRIV_H

#include <string.h>

#include "base/hash_map.h"
#include "domains/tasks/dag/write.h"
#include "read/reader.h"

#define DAG_FILE_VERSION "DAG_RECORDER FORMAT VERSION  1.24 2014/09/18\n"

/* Bytes of the parts of a file. */
enum {
    DAG_FILE_HEAD = 77, /* with the version; the first node follows */
    DAG_FILE_VERSION_SIZE = 45,
    DAG_FILE_NODE = 432,
    DAG_FILE_EDGE = 24,
    DAG_FILE_NAMES_HEAD = 32,  /* the table of names before its offsets */
    DAG_MAX_WORKERS = 1 << 16, /* not bytes: all numbers of workers are below this */
};

/*
 * Byte offsets in a node of the file.  They are the fields of struct weft_dag_node
 * (dag/dag.h) of these names; MIN is its `least`, EDGE_COUNTS its `edges`.  Numbers have 8
 * bytes; WORKER, CPU, KIND and IN_EDGE have 4.  READY, LEAVES, EDGE_COUNTS and both
 * COUNTERS are arrays.  BEGIN and END are positions: a clock, four counters, a file (at
 * NAME) and a line.  CHILD, FIRST and AFTER count nodes from this one on; times, ticks from
 * the clock at the start.
 */
enum dag_file_field {
    DAG_FILE_BEGIN = 0,
    DAG_FILE_END = 72,
    DAG_FILE_EARLIEST = 144, /* not read: it follows from the others */
    DAG_FILE_WORK = 152,
    DAG_FILE_CRITICAL_PATH = 160,
    DAG_FILE_FIRST_READY = 168,
    DAG_FILE_LAST_START = 176,
    DAG_FILE_READY = 184,
    DAG_FILE_LEAVES = 224,
    DAG_FILE_EDGE_COUNTS = 256,
    DAG_FILE_MATERIALIZED = 296,
    DAG_FILE_MIN = 304,
    DAG_FILE_CREATES = 312,
    DAG_FILE_WORKER = 320,
    DAG_FILE_CPU = 324,
    DAG_FILE_KIND = 328,
    DAG_FILE_IN_EDGE = 332,
    DAG_FILE_COUNTERS = 336,
    DAG_FILE_CRITICAL_COUNTERS = 368,
    DAG_FILE_EDGES_BEGIN = 400, /* the edges that leave the node: from here ... */
    DAG_FILE_EDGES_END = 408,   /* ... to before here; not read */
    DAG_FILE_CHILD = 416,       /* of a create: the task that it made */
    DAG_FILE_FIRST = 416,       /* of a section or task: its children, from here ... */
    DAG_FILE_AFTER = 424,       /* ... to before here */
    /* Offsets within a position. */
    DAG_FILE_NAME = 56,
    DAG_FILE_LINE = 64,
};

/* The number of kinds of edges in a file.  They, and the kinds of nodes, have the same
   numbers there as in dag/dag.h. */
enum { DAG_FILE_EDGE_KINDS = 5 };
static_assert(WEFT_DAG_EDGE_END == 0 && WEFT_DAG_EDGE_CREATE == 1
                  && WEFT_DAG_EDGE_CREATE_CONTINUATION == 2
                  && WEFT_DAG_EDGE_WAIT_CONTINUATION == 3
                  && WEFT_DAG_EDGE_OTHER_CONTINUATION == 4 && WEFT_DAG_EDGES == 5
                  && WEFT_DAG_CREATE == 0 && WEFT_DAG_TASK == 5,
              "in the order of the files");

/* A file of DAG Recorder that is being read; dag_recorder.c makes and frees it. */
struct dag_file {
    struct weft_builder *builder;
    struct weft_mapping map;   /* of a plain file */
    const unsigned char *data; /* [size], in MAP or unpacked in a temporary file */
    uint64_t size;
    uint64_t said_nodes, said_edges; /* numbers that the head of the file gives */
    uint32_t n;                      /* nodes in the file */
    uint64_t n_edges;                /* edges in the file; 0 if they cannot be located */
    bool cut;                        /* the file is shorter than its head says */
    bool *workers;                   /* [DAG_MAX_WORKERS] by number: the worker exists */
    uint32_t worker_limit;           /* highest worker + 1 */

    /* By node number in the file. */
    uint32_t *parents; /* parent's number in the file; WEFT_NONE: none, it is left out */
    uint32_t
        *counts; /* nodes kept of the node and its inside; of a create, with its task */
    uint32_t *numbers; /* numbers in the DAG; NULL if no node is left out */
    uint32_t n_left_out;
    int64_t *earliest; /* begin of each node on unlimited workers, in ticks from the
                          root's; set as dag_read_nodes() comes to its parent */

    uint64_t names; /* offset of the characters of file names; 0 if there are none */
    uint64_t n_names;
    struct weft_id_map name_numbers; /* from a name's number to its index in file_names */
    char **file_names;               /* the names read so far; NULL if a name is invalid */
    size_t n_file_names, file_name_capacity;
    uint64_t names_read;      /* bytes of the names read so far */
    uint64_t vain_looks;      /* nodes looked at for claims of children that were refused */
    struct weft_id_map sites; /* by number of the file's name << 32 | line: the builder's
                                 site */
};

/* Returns the little-endian number of 8 bytes at byte offset AT of the file, all of which
   must be in it (unchecked). */
static inline int64_t dag_file_i64(const struct dag_file *file, uint64_t at)
{
    int64_t value;
    memcpy(&value, file->data + at, sizeof value);
    return value;
}
/* Returns the byte offset in the file of the node with the number NODE in the file, from
   0. */
static inline uint64_t dag_file_node(uint32_t node)
{
    return DAG_FILE_HEAD + (uint64_t)node * DAG_FILE_NODE;
}
/* Returns the number of 8 bytes at the byte offset FIELD (a dag_file_field, or one plus the
   offset of an element) in the node with the number NODE in the file, unchecked. */
static inline int64_t dag_node_i64(const struct dag_file *file, uint32_t node,
                                   uint64_t field)
{
    return dag_file_i64(file, dag_file_node(node) + field);
}
/* Returns the number of 4 bytes at the byte offset FIELD in the node with the number NODE
   in the file, unchecked. */
static inline int32_t dag_node_i32(const struct dag_file *file, uint32_t node,
                                   enum dag_file_field field)
{
    int32_t value;
    memcpy(&value, file->data + dag_file_node(node) + field, sizeof value);
    return value;
}

/* Returns the number in the DAG of the node with the number NODE in the file; WEFT_NONE if
   it is left out, since no node has it as a child or created task.  Called after
   dag_find_structure(). */
static inline uint32_t dag_number(const struct dag_file *file, uint32_t node)
{
    return file->numbers ? file->numbers[node] : node;
}

/* A node's kind, its children (the N nodes from FIRST on) and its created task, as far as
   node_children.c accepted them, by their numbers in the file.  Without children n is 0 and
   first WEFT_NONE; without a task `created` is WEFT_NONE. */
struct dag_inside {
    enum weft_dag_kind kind;
    uint32_t first, n, created;
};
/* Returns kind, children and created task of the node with the number NODE in the file, as
   far as dag_find_structure(), called before, accepted them. */
struct dag_inside dag_inside_of(const struct dag_file *file, uint32_t node);

/* Fills in parents, counts, numbers, n_left_out, workers and worker_limit of FILE, whose
   first n nodes are known to be in its data, and adds contradictory nodes to the trace's
   problems.  Returns false with WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled.  */
bool dag_find_structure(struct dag_file *file, struct weft_job *job,
                        struct weft_err *err) WEFT_MUST_CHECK;
/* Passes all nodes that are not left out to WRITER, in order, sets file->earliest, and adds
   wrong nodes and edges to the trace's problems.  Called after dag_find_structure().
   Returns false with WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled; the caller frees
   WRITER in both cases.  */
bool dag_read_nodes(struct dag_file *file, struct weft_dag_writer *writer,
                    struct weft_job *job, struct weft_err *err) WEFT_MUST_CHECK;

/* State of the comparison of the file's edges, which are sorted by the node that they
   leave, with those that follow from the structure. */
struct dag_edges {
    /* The number of the next edge in the file, from 0; how many edges are in the file only;
       how many it lacks. */
    uint64_t at, wrong, missing;
    uint64_t steps;          /* steps down into sections and tasks so far */
    uint32_t first_wrong;    /* number in the file of the first wrong edge */
    int64_t before;          /* node that the previous edge left; -1: none */
    bool unsorted, given_up; /* edges are out of order; too many steps were needed */
};
/* Compares the file's edges that leave NODE, a number in the file, with those that follow
   from the structure, and counts differences in EDGES, which is zeroed at first, with
   `before` -1. Called for all nodes that are not left out, in order; does nothing more once
   that took too many steps (given_up). */
void dag_check_edges(const struct dag_file *file, struct dag_edges *edges, uint32_t node);
/* Reports wrong and missing edges as problems of the trace, or that the comparison was
   given up.  Called after dag_check_edges() for all nodes. */
void dag_report_edges(const struct dag_file *file, const struct dag_edges *edges);

#endif
