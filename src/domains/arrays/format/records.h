/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording's records of references to arrays (recording_layout.h frames them): what a
 * program says through weft_array.h, and what its own loads and stores refer to when the
 * compiler put hooks at them.
 *
 * Arrays have numbers from 0 in a process image, and go on with them in the images that are
 * forked from it.  Elements are numbered from 0: row by row, the last index fastest, or,
 * where a record says so, column by column, the first index fastest.
 */
#ifndef WEFT_FORMAT_RECORDING_ARRAYS_H
#define WEFT_FORMAT_RECORDING_ARRAYS_H

#include "format/recording_layout.h"

/*
 * Environment of the traced program, when references are to be recorded by its hooks:
 * variables of its executable that are arrays, as DEVICE:INODE; of the file, then for each
 * ADDRESS:ELEMENT_BYTES:COLUMN_MAJOR:RANK:EXTENT:...:NAME; with numbers in decimal.
 */
#define WEFT_RECORD_ARRAYS_VARIABLE "WEFT_RECORD_ARRAYS"

enum {
    WEFT_RECORD_ARRAYS_MOST = 64, /* of a process */
    WEFT_RECORD_ARRAY_RANK = 7,
    WEFT_RECORD_ARRAY_LOOPS = 4,
    WEFT_RECORD_ARRAY_UNKNOWN = 0xffff, /* an owner's array: it is not known */
};

enum {
    /* + number | rank << 32 + extent of each dimension + text: its name */
    WEFT_RECORD_ARRAY = WEFT_FIRST_KIND(WEFT_FAMILY_ARRAYS),
    WEFT_RECORD_ARRAY_MEMORY, /* number; + bytes of an element + it lies column by column: 1, or 0 */
    WEFT_RECORD_ARRAY_STEP, /* + step: that which begins now; steps before it are over */
    /*
     * The references of a nest of loops, as struct weft_pattern of array/profile.h has
     * them:
     *     + step | loops << 32 | operation << 40 | array << 48
     *     + array of the owner | enum weft_array_order << 16
     *     + site + times + element + owner
     *     + for each loop: extent + stride + stride of the owner
     */
    WEFT_RECORD_ARRAY_PATTERN,
    WEFT_RECORD_ARRAY_LOST, /* enum weft_array_loss; + how many, since the last such record */
    WEFT_RECORD_ARRAYS_END,
};

enum { WEFT_RECORD_PATTERN_WORDS = 6 }; /* without its loops */

/* Bits: how elements are numbered in a pattern, when not row by row. */
enum weft_array_order {
    WEFT_ARRAY_BY_COLUMNS = 1,
    WEFT_ARRAY_OWNER_BY_COLUMNS = 2,
};

/* References that were not recorded, and why. */
enum weft_array_loss {
    WEFT_ARRAY_OUTSIDE, /* indices beyond the array's shape, a negative time, no such operation */
    WEFT_ARRAY_UNDECLARED,  /* no array was declared before, or more than can be */
    WEFT_ARRAY_OTHER_SHAPE, /* declarations of a known name with another shape */
    WEFT_ARRAY_INTERRUPTED, /* in a signal handler that came inside of the recorder */
    WEFT_ARRAY_OTHER_HOOKS, /* of a library whose hooks are of another version, or too many */
    WEFT_ARRAY_LOSSES,
};

#endif
