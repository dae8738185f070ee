/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording's records of references to arrays (framed as in recording_layout.h):
 * references that a program reports through weft_array.h, and loads and stores at which the
 * compiler put hooks.
 *
 * Arrays have numbers from 0 in a process image.  A forked image keeps its parent's numbers
 * and continues after them.  Elements are numbered from 0: row by row, the last index
 * fastest, or, where a record says so, column by column, the first index fastest.
 */
#ifndef WEFT_FORMAT_RECORDING_ARRAYS_H
#define WEFT_FORMAT_RECORDING_ARRAYS_H

#include "format/recording_layout.h"

/*
 * Environment variable of the traced program, set if references are recorded by hooks.  It
 * lists the arrays of the executable: DEVICE:INODE; of the file, then for each array
 * ADDRESS:ELEMENT_BYTES:COLUMN_MAJOR:RANK:EXTENT:...:NAME; with decimal numbers.  ADDRESS
 * is as linked, without the load address; COLUMN_MAJOR is 0 or 1; there are RANK extents.
 * Processes that execute another file ignore the arrays.
 */
#define WEFT_RECORD_ARRAYS_VARIABLE "WEFT_RECORD_ARRAYS"

/* The number of the family of records of references to arrays, in a recording's records. */
enum { WEFT_FAMILY_ARRAYS = 5 };

/* Limits of what is recorded, and the number that stands for no array. */
enum {
    WEFT_RECORD_ARRAYS_MAX = 64,        /* arrays of a process image, at most */
    WEFT_RECORD_ARRAY_RANK = 7,         /* dimensions of an array, at most */
    WEFT_RECORD_ARRAY_LOOPS = 4,        /* loops of a pattern, at most */
    WEFT_RECORD_ARRAY_UNKNOWN = 0xffff, /* number of the owner's array if it is unknown */
};

/* Kinds of records.  Each is described as its argument, then after "+" its 64-bit words. */
enum {
    /* Declares an array; no argument: + number | rank << 32 + extent of each dimension +
       name as text */
    WEFT_RECORD_ARRAY = WEFT_FIRST_KIND(WEFT_FAMILY_ARRAYS),
    /* Number of the array; + bytes of an element + order: 1 if column-major, 0 if not */
    WEFT_RECORD_ARRAY_MEMORY,
    WEFT_RECORD_ARRAY_STEP, /* no argument: + step, which begins now; earlier ones ended */
    /*
     * The references of a nest of loops, as in struct weft_pattern of
     * model/reference_profile.h:
     *     + step | loops << 32 | operation << 40 | array << 48
     *     + array of the owner | enum weft_array_order << 16
     *     + site + times + element + owner
     *     + for each loop: extent + stride + stride of the owner
     * `loops` is their number; `operation` 0 a read, 1 a write; `site` the return address
     * into the program; `times` the references in each iteration; element and owner are the
     * numbers of the first ones.
     */
    WEFT_RECORD_ARRAY_PATTERN,
    /* enum weft_array_loss; + number of references lost at this time: records add up */
    WEFT_RECORD_ARRAY_LOST,
    WEFT_RECORD_ARRAYS_END,
};

enum { WEFT_RECORD_PATTERN_WORDS = 6 }; /* words of a pattern without its loops */

/* Bits: the elements, or the owners, of a pattern are numbered column by column; else row
   by row. */
enum weft_array_order {
    WEFT_ARRAY_BY_COLUMNS = 1,
    WEFT_ARRAY_OWNER_BY_COLUMNS = 2,
};

/* References (or declarations, or libraries with hooks) that were not recorded, and why. */
enum weft_array_loss {
    WEFT_ARRAY_OUTSIDE,    /* index outside the array, negative time, invalid operation */
    WEFT_ARRAY_UNDECLARED, /* the array was not declared, or there were too many */
    /* An invalid shape or size of an element, or the name has another shape already. */
    WEFT_ARRAY_OTHER_SHAPE,
    /* In a signal handler that interrupted the recorder, or at the end of the process, by a
       thread that did not leave the recorder in time. */
    WEFT_ARRAY_INTERRUPTED,
    /* In a library whose hooks have another version, or after too many libraries. */
    WEFT_ARRAY_OTHER_HOOKS,
    WEFT_ARRAY_LOSSES,
};

#endif
