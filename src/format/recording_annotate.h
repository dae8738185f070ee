/* SPDX-License-Identifier: Apache-2.0 */
/* A recording's records of what a program says through weft.h (recording_layout.h frames
 * them).  A name is the number of a WEFT_RECORD_NAME. */
#ifndef WEFT_FORMAT_RECORDING_ANNOTATE_H
#define WEFT_FORMAT_RECORDING_ANNOTATE_H

#include "format/recording_layout.h"

enum {
    WEFT_RECORD_BEGIN = WEFT_FIRST_KIND(WEFT_FAMILY_ANNOTATE), /* name: region */
    WEFT_RECORD_BEGIN_TEXT,                                    /* + site + text: region */
    WEFT_RECORD_END,
    WEFT_RECORD_INSTANT,    /* name */
    WEFT_RECORD_COUNTER,    /* name; + double */
    WEFT_RECORD_SEND,       /* name; + key + bytes */
    WEFT_RECORD_RECEIVE,    /* name; + key + bytes */
    WEFT_RECORD_TASK_BEGIN, /* name; + double: work */
    WEFT_RECORD_TASK_END,
    WEFT_RECORD_NUMBERED_BEGIN, /* argument: the task's number */
    WEFT_RECORD_NUMBERED_END,   /* argument: the task's number; perhaps + double: work */
    WEFT_RECORD_NUMBERED_MARK,  /* argument: the mark's number */
    WEFT_RECORD_TRACE_FILE,     /* text: the path of a PICL trace that is wanted, too */
    WEFT_RECORD_ANNOTATE_END,
};

#endif
