/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads traces of references to a distributed array (S. T. Hackstadt and A. D. Malony,
 * CIS-TR-93-21, section 4.2.2, figure 4.4), with one line for each reference:
 *
 *     time  processor-row processor-column  row column  read|write  local|remote
 *
 * The first pair is the processor that owns the element, the second the element.  Two more
 * numbers may follow, row and column of the requesting processor: the extension that the
 * report names.  All are from 0.  A line that begins with # is a comment, except one with
 * the sizes, which include elements and processors without references:
 *
 *     # array NAME ROWS COLUMNS processors ROWS COLUMNS
 */
#ifndef WEFT_DDV_PRIV_H
#define WEFT_DDV_PRIV_H

#include "domains/arrays/model/reference_profile.h"
#include "read/reader.h"

/* A line of the trace with one reference to an element of a distributed matrix. */
struct ddv_record {
    /* Number of the step; row and column of the element: each below 2^24. */
    uint32_t time, row, column;
    /* Row and column of the owner, and of the requester: each below 2^15. */
    uint16_t processor[2], requester[2];
    bool asked;        /* the line names the requester; else requester is 0, 0 */
    bool write, local; /* else it is a read; else remote */
};

/* The sizes in the line "# array NAME ROWS COLUMNS processors ROWS COLUMNS". */
struct ddv_sizes {
    char name[64]; /* a line with a longer one is a comment */
    /* PROCESSORS has their rows and columns.  All are at least 1 if read from a line. */
    uint64_t rows, columns, processors[2];
};

/* The kind of a line: a reference, the sizes, blank or a comment, or invalid. */
enum ddv_line { DDV_RECORD, DDV_SIZES, DDV_NOTHING, DDV_FAULT };

/*
 * Parses one line of N bytes, without its newline, into *RECORD (for DDV_RECORD) or *SIZES
 * (for DDV_SIZES), and returns its kind.  An invalid line of sizes is a comment
 * (DDV_NOTHING).  A line is at fault, too, if it names a requester and says local though
 * that is not the owner, or remote though it is.  For DDV_FAULT, *FAULT is a literal that
 * says what is wrong, and *RECORD is invalid; else *FAULT is unchanged.
 */
enum ddv_line ddv_read_line(const char *line, size_t n, struct ddv_record *record,
                            struct ddv_sizes *sizes, const char **fault);

#endif
