/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the views of distributed arrays: the settings that select references, and the
 * owners of elements (S. T. Hackstadt and A. D. Malony, "Data Distribution Visualization
 * (DDV) for Performance Evaluation", CIS-TR-93-21, 1993).
 *
 * A *question* is a parsed request: an array, a plane of it, a step, a distribution, and
 * the quantity to count.  The request's arena and `use` own all that it points to, except
 * `lit`, so its texts and arrays stay valid as long as the request.
 */
#ifndef WEFT_VIEW_REFERENCE_SELECTION_H
#define WEFT_VIEW_REFERENCE_SELECTION_H

#include "domains/arrays/model/count.h"
#include "view/picture_frame.h"
#include "view/prepare.h"

/* ---- What is counted ---- */

/* The references that are counted, by operation and by whether they are local; in the order
   of ARRAYS_QUANTITY_CHOICES. */
enum arrays_quantity {
    ARRAYS_ALL,
    ARRAYS_READS,
    ARRAYS_WRITES,
    ARRAYS_LOCAL,
    ARRAYS_REMOTE,
    ARRAYS_LOCAL_READS,
    ARRAYS_REMOTE_READS,
    ARRAYS_LOCAL_WRITES,
    ARRAYS_REMOTE_WRITES,
    ARRAYS_UNOWNED_READS,
    ARRAYS_QUANTITIES, /* number of quantities */
};
/* The names of enum arrays_quantity, in its order, separated by "|". */
#define ARRAYS_QUANTITY_CHOICES                                                            \
 "all|reads|writes|local|remote|local-reads|remote-reads|local-writes|remote-writes|"      \
 "unowned-reads"

/* The steps whose references are counted, given the selected step (`step` of struct
   arrays_question). */
enum arrays_statistic {
    ARRAYS_CUMULATIVE, /* steps up to and including the selected one */
    ARRAYS_AVERAGE,    /* cumulative / number of these steps: references per step */
    ARRAYS_STEP,       /* the selected step only */
};
/* Returns the quantity of that name, one of ARRAYS_QUANTITY_CHOICES; ARRAYS_QUANTITIES for
   another text. */
enum arrays_quantity arrays_quantity_of(const char *text);
/* Returns the statistic that TEXT names: "cumulative", "average" or "step"; for another
   text a number above ARRAYS_STEP, which is no statistic. */
enum arrays_statistic arrays_statistic_of(const char *text);
/* Returns words for STATISTIC, a literal: "so far" (ARRAYS_CUMULATIVE), "average" or "in
   this step". */
const char *arrays_statistic_word(enum arrays_statistic statistic);
/* Returns words for a quantity, a literal: "remote writes", "all references" ... */
const char *arrays_quantity_name(enum arrays_quantity quantity);
/* Returns the number of references in COUNTS that the quantity counts: a sum of some or
   all of its fields. */
uint64_t arrays_quantity_value(enum arrays_quantity quantity,
                               const struct weft_reference_counts *counts);
/*
 * Returns the quantity with the same operations that does not depend on the distribution:
 * ARRAYS_READS for local reads, ARRAYS_ALL for remote references, itself for these.  It is
 * an upper bound, so colours are scaled by it when pictures of several distributions are
 * compared.
 */
enum arrays_quantity arrays_quantity_scale(enum arrays_quantity quantity);

/* ---- Parameters ---- */

/* Each of the following is an initializer of struct weft_parameter: a setting that views of
   arrays share; its help says what it means. */
#define ARRAYS_PARAMETER_ARRAY                                                             \
 {                                                                                         \
  .name = "array", .kind = WEFT_PARAMETER_TEXT, .fallback = "",                            \
  .help = "the array's name; empty: the first one", .shared = true                         \
 }
#define ARRAYS_PARAMETER_DISTRIBUTION                                                      \
 {                                                                                         \
  .name = "distribution", .kind = WEFT_PARAMETER_FILE, .choices = "found",                 \
  .fallback = "found",                                                                     \
  .help = "directives (PROCESSORS P(2,8), DISTRIBUTE B(CYCLIC,BLOCK) ONTO P), "            \
          "a ScaLAPACK descriptor or a map; found: what the trace itself says",            \
  .file = "distribution.hpf", .offered = true                                              \
 }
#define ARRAYS_PARAMETER_STEP                                                              \
 {                                                                                         \
  .name = "step", .kind = WEFT_PARAMETER_TEXT, .fallback = "",                             \
  .help = "a step, counted from 0; empty: that of the moment, else the last",              \
  .seldom = true, .shared = true                                                           \
 }
#define ARRAYS_PARAMETER_STATISTIC                                                         \
 {                                                                                         \
  .name = "statistic", .kind = WEFT_PARAMETER_CHOICE,                                      \
  .choices = "cumulative|average|step", .fallback = "cumulative",                          \
  .help = "up to and with the step, that for each step so far, or of the step "            \
          "alone",                                                                         \
  .shared = true                                                                           \
 }
#define ARRAYS_PARAMETER_QUANTITY                                                          \
 {                                                                                         \
  .name = "quantity", .kind = WEFT_PARAMETER_CHOICE, .choices = ARRAYS_QUANTITY_CHOICES,   \
  .fallback = "all", .help = "which references are counted", .shared = true                \
 }
#define ARRAYS_PARAMETER_COMPUTE                                                           \
 {                                                                                         \
  .name = "compute", .kind = WEFT_PARAMETER_CHOICE, .choices = "left|right|processor",     \
  .fallback = "left",                                                                      \
  .help = "who computes: the owner of the left side, of the right side, or "               \
          "one processor",                                                                 \
  .seldom = true, .shared = true                                                           \
 }
#define ARRAYS_PARAMETER_PROCESSOR                                                         \
 {                                                                                         \
  .name = "processor", .kind = WEFT_PARAMETER_NUMBER, .maximum = 4294967294.0,             \
  .fallback = "0", .help = "the one that computes, with compute=processor",                \
  .seldom = true, .shared = true                                                           \
 }
#define ARRAYS_PARAMETER_SCALE                                                             \
 {                                                                                         \
  .name = "scale", .kind = WEFT_PARAMETER_TEXT, .fallback = "shared",                      \
  .help = "where colours end: shared (the same for every distribution), own "              \
          "(the largest here) or a number",                                                \
  .seldom = true, .shared = true                                                           \
 }
#define ARRAYS_PARAMETER_SLICE                                                             \
 {                                                                                         \
  .name = "slice", .kind = WEFT_PARAMETER_TEXT, .fallback = "",                            \
  .help = "of three and more dimensions: an index or * for each, as 4,*,*",                \
  .seldom = true, .shared = true                                                           \
 }
#define ARRAYS_PARAMETER_LIT                                                               \
 {                                                                                         \
  .name = "lit", .kind = WEFT_PARAMETER_ENTITIES, .fallback = "",                          \
  .help = "processors whose elements are lit, by clicks in the picture "                   \
          "(processor:NUMBER)",                                                            \
  .shared = true                                                                           \
 }
/* Initializers of the four settings with which one zooms into a grid of elements. */
#define ARRAYS_PARAMETERS_ZOOM                                                             \
 { .name = "zoom",                                                                         \
   .kind = WEFT_PARAMETER_ZOOM,                                                            \
   .maximum = 1000,                                                                        \
   .fallback = "0",                                                                        \
   .help = "pixels of an element's width; 0: all fits",                                    \
   .seldom = true },                                                                       \
     { .name = "tall",                                                                     \
       .kind = WEFT_PARAMETER_TALL,                                                        \
       .maximum = 1e6,                                                                     \
       .fallback = "0",                                                                    \
       .help = "how many times higher than wide elements are; 0: as it fits",              \
       .seldom = true },                                                                   \
     { .name = "x",                                                                        \
       .kind = WEFT_PARAMETER_PLACE_X,                                                     \
       .minimum = -1e9,                                                                    \
       .maximum = 1e9,                                                                     \
       .fallback = "0",                                                                    \
       .help = "where the first column begins, as a part of the plot's width",             \
       .seldom = true },                                                                   \
 {                                                                                         \
  .name = "y", .kind = WEFT_PARAMETER_PLACE_Y, .minimum = -1e9, .maximum = 1e9,            \
  .fallback = "0", .help = "where the first row begins, as a part of the plot's height",   \
  .seldom = true                                                                           \
 }

/* The text `needs` of views of arrays: the traces that they can show. */
#define ARRAYS_NEEDS                                                                       \
 "references to arrays (TRACE of weft_array.h, weft record --with arrays, or a trace "     \
 "of the Data Distribution Visualization's form)"

/* ---- Questions ---- */

/* The plane of an array that is drawn: two dimensions, rows and columns; the others have a
   fixed index.  A vector is one row. */
struct arrays_plane {
    uint64_t rows, columns;                   /* elements */
    uint64_t first;                           /* number of the element at row 0, column 0 */
    uint64_t row_stride, column_stride;       /* in numbers of elements */
    uint32_t row_dimension, column_dimension; /* row_dimension is WEFT_NONE for a vector */
    uint64_t index[WEFT_ARRAY_RANK];          /* by dimension; 0 for those drawn */
};
/* Owners of the plane's elements, as numbers of processors: of_row[row] +
   of_column[column], or of_element[number of the element]; all NULL if none are known. */
struct arrays_owners {
    const uint32_t *of_row, *of_column; /* [rows], [columns], or NULL */
    /* [elements of the array] or NULL; WEFT_NONE if unknown. */
    const uint32_t *of_element;
};

/* A parsed request to a view of arrays; arrays_begin() sets it, arrays_end() ends it. */
struct arrays_question {
    const struct weft_request *request;
    struct weft_arena *arena;           /* the request's */
    const struct weft_schema *schema;   /* of the first trace */
    const struct weft_profile *profile; /* of the first trace */
    uint32_t number;                    /* of the array; WEFT_NONE for all arrays */
    const struct weft_array *array;     /* the first one if NUMBER is WEFT_NONE */
    struct arrays_plane plane;          /* the plane of ARRAY that is drawn */
    /* The directives, the content of a file and not its name; "" for distribution=found. */
    const char *text;
    const struct weft_distributions *distributions; /* NULL for distribution=found */
    const struct weft_distribution *distribution;   /* of ARRAY in the step, or NULL */
    bool known;           /* owners are known, from the distributions or the trace */
    uint32_t processors;  /* number of all, 1 to ARRAYS_PROCESSORS_MAX */
    uint32_t steps, step; /* number of the profile's steps; the one selected */
    enum arrays_statistic statistic; /* the steps that are counted */
    enum arrays_quantity quantity;   /* the references that are counted */
    enum weft_compute_rule rule;     /* the processors that make references */
    uint64_t processor; /* the one that computes; 0 unless RULE is WEFT_COMPUTE_PROCESSOR */
    struct arrays_owners owners; /* of ARRAY's elements in the step */
    struct weft_entity_set lit;  /* ids of processors (arrays_processor_id) */
};

/*
 * Reads the settings of a request to a view whose `own` is a struct arrays_display into *Q,
 * which arrays_end() ends.  The view must have the parameters array, distribution, step,
 * compute and processor; without quantity, statistic, slice or lit the first choice or none
 * holds.  Returns false, with nothing to end: with WEFT_ERR_USAGE if a setting does not
 * suit the trace, WEFT_ERR_FORMAT if the trace has no references or the directives are
 * invalid, WEFT_ERR_CANCELLED, or WEFT_ERR_LIMIT if there are too many elements or
 * processors.
 */
bool arrays_begin(struct arrays_question *q, const struct weft_request *request,
                  struct weft_err *err) WEFT_MUST_CHECK;
/* Frees q->lit; the request keeps the rest. */
void arrays_end(struct arrays_question *q);

/* Returns true if the first trace of a set has references to arrays. */
bool arrays_fills(const struct weft_set *set);

/*
 * Returns a sentence, a literal to be shown instead of a picture, that says why a view
 * about processors has nothing to show, since owners of elements are unknown; NULL if they
 * are known.
 */
const char *arrays_missing(const struct arrays_question *q);

/* Returns the query (model/count.h) for the steps from number FIRST up to and including the
   question's step. */
struct weft_count_query arrays_query(const struct arrays_question *q, uint32_t first);
/* Returns the first step that a statistic counts: the question's step for ARRAYS_STEP, else
   0. */
uint32_t arrays_first_step(const struct arrays_question *q,
                           enum arrays_statistic statistic);
/* Returns the number by which counts of the statistic's steps are divided: for averages the
   number of steps up to and including the question's, else 1. */
double arrays_divisor(const struct arrays_question *q, enum arrays_statistic statistic);

/* Returns the owner of the element at ROW and COLUMN of the plane: 0 if nothing is known of
   owners, WEFT_NONE if only the owner of this element is unknown. */
static inline uint32_t arrays_owner(const struct arrays_question *q, uint64_t row,
                                    uint64_t column)
{
    const struct arrays_owners *owners = &q->owners;
    if (owners->of_element)
        return owners->of_element[q->plane.first + row * q->plane.row_stride
                                  + column * q->plane.column_stride];
    return owners->of_row ? owners->of_row[row] + owners->of_column[column] : 0;
}

/* Returns the entity id of a processor number in marks and in the setting `lit`. */
static inline uint64_t arrays_processor_id(uint32_t processor)
{
    return (uint64_t)WEFT_PROCESSOR_TRACK << 40 | processor;
}
/* Returns true if the setting `lit` names the processor. */
static inline bool arrays_is_lit(const struct arrays_question *q, uint32_t processor)
{
    return weft_entity_set_contains(&q->lit, arrays_processor_id(processor));
}

/* How processors are arranged in a picture: rows of COLUMNS, numbered row by row; the last
   row may be incomplete if FOLDED. */
struct arrays_arrangement {
    uint32_t rows, columns; /* numbers of them */
    bool folded;            /* a vector broken into several rows */
};
/* Returns how the question's processors are arranged in a picture: as in its distribution,
   if that has two dimensions or more and all processors (the last dimension is the columns,
   the others together are rows); else in a single row, folded if they are more than 32. */
struct arrays_arrangement arrays_arrangement(const struct arrays_question *q);

/* ---- Texts ---- */

/* Returns "B[3][4]", with all indices of the array, in the question's arena, for the
   element at ROW and COLUMN of the plane. */
const char *arrays_element_name(const struct arrays_question *q, uint64_t row,
                                uint64_t column);
/* Returns "processor 11 (1,3)", with coordinates if the distribution has several
   dimensions, or for WEFT_NONE "owner not known"; in the question's arena. */
const char *arrays_processor_name(const struct arrays_question *q, uint32_t processor);
/* Returns the picture's title, "B 10 × 11, (CYCLIC, CYCLIC) ONTO P(2,8)", or for all arrays
   "3 arrays on 16 processors", in the question's arena. */
const char *arrays_title(const struct arrays_question *q);
/* Returns the steps that a statistic counts, in the question's arena: "up to step 22 of 0
   to 99", "average up to step 22 of 0 to 99" or "step 22 of 0 to 99". */
const char *arrays_steps_text(const struct arrays_question *q,
                              enum arrays_statistic statistic);
/* Returns a number of references (or references per step) as text, "1,234" or "0.520", in
   the question's arena: whole numbers and those from 100 on without decimals, below 1 with
   three, else with two. */
const char *arrays_value_text(const struct arrays_question *q, double value);

/* Splits TITLE, the title of a mark, at " · " and adds each part as a row, with the part as
   its name and an empty value, to a table of facts that has begun
   (weft_table_begin_facts). */
void arrays_put_lines(struct arrays_question *q, struct weft_table *table,
                      const char *title);

/* Initializes *SCENE and draws the question's title and the sentence TEXT, which is not
   copied, instead of a picture. */
void arrays_say_missing(struct arrays_question *q, struct weft_scene *scene,
                        const char *text);

/* Sets scene->frame.previous and .next to the times, in ticks, at which the nearest step
   before and after the question's begins, without steps that have no duration, and
   has_moments to true; where there is no such step, to the begin of the question's step.
   Called after weft_frame_begin(). */
void arrays_tell_steps(const struct arrays_question *q, struct weft_scene *scene);

/* Sets CELLS to table cells of the four counts (local reads, remote reads, local writes,
   remote writes), and *UNOWNED to that of unowned reads: integers, or if the question's
   statistic is the average, divided by arrays_divisor(), with six decimals. */
void arrays_count_cells(const struct arrays_question *q,
                        const struct weft_reference_counts *counts,
                        struct weft_cell cells[4], struct weft_cell *unowned);

#endif
