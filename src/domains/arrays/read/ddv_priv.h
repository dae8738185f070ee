/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces of references to a distributed array (S. T. Hackstadt and A. D. Malony,
 * CIS-TR-93-21, section 4.2.2, figure 4.4): a line a reference,
 *
 *     time  processor-row processor-column  row column  read|write  local|remote
 *
 * of the element, the processor that owns it, and whether another one asked for it.  Two
 * more numbers may follow: row and column of the processor that asked, the extension that
 * the report names.  All count from 0.  A line that begins with # says something else; one
 * says how large things are, so that they are known of elements and processors that nothing
 * happens to:
 *
 *     # array NAME ROWS COLUMNS processors ROWS COLUMNS
 */
#ifndef WEFT_DDV_PRIV_H
#define WEFT_DDV_PRIV_H

#include "domains/arrays/model/profile.h"
#include "read/reader.h"

struct ddv_record {
    uint32_t time, row, column;
    uint16_t processor[2], requester[2];
    bool asked; /* the requester is given */
    bool write, local;
};

struct ddv_sizes {
    char name[64];
    uint64_t rows, columns, processors[2]; /* 0: not said */
};

enum ddv_line { DDV_RECORD, DDV_SIZES, DDV_NOTHING, DDV_FAULT };

/*
 * Read one line of N bytes into *RECORD or *SIZES.  DDV_FAULT: *FAULT says what is wrong, a
 * literal.
 */
enum ddv_line ddv_read_line(const char *line, size_t n, struct ddv_record *record,
                            struct ddv_sizes *sizes, const char **fault);

#endif
