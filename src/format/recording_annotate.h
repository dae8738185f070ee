/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of a program's own annotations through weft.h (recording_layout.h has the
 * framing). A name is the number of a WEFT_RECORD_NAME.
 */
#ifndef WEFT_FORMAT_RECORDING_ANNOTATE_H
#define WEFT_FORMAT_RECORDING_ANNOTATE_H

#include <stdbool.h>

#include "format/recording_layout.h"

enum {
    /* The argument, then "+" and the words after the first. */
    WEFT_RECORD_BEGIN = WEFT_FIRST_KIND(WEFT_FAMILY_ANNOTATE), /* name: region */
    WEFT_RECORD_BEGIN_TEXT,                                    /* + site + text: region */
    WEFT_RECORD_END,
    WEFT_RECORD_INSTANT,    /* name */
    WEFT_RECORD_COUNTER,    /* name; + double */
    WEFT_RECORD_SEND,       /* name; + key + bytes */
    WEFT_RECORD_RECEIVE,    /* name; + key + bytes */
    WEFT_RECORD_TASK_BEGIN, /* name; + double: work */
    WEFT_RECORD_TASK_END,
    /*
     * Records of a task or mark with a number, which is the argument, or a word if it does
     * not fit.
     */
    WEFT_RECORD_NUMBERED_BEGIN,
    WEFT_RECORD_NUMBERED_END, /* may have + double: work; its number is that of the begin */
    WEFT_RECORD_NUMBERED_MARK,
    WEFT_RECORD_TRACE_FILE, /* text: the path of a PICL trace that the program also wants */
    /*
     * An event with values, or a part of one, which continues in the next such record of
     * the thread: + kind (see weft_values_word) + its number << 32 | number of the data +
     * the values, one a word (integers, doubles), or eight characters a word, in memory
     * order.
     */
    WEFT_RECORD_VALUES,
    WEFT_RECORD_ANNOTATE_END,
};

/*
 * Returns the first word after the head of a WEFT_RECORD_VALUES: an enum weft_said and an
 * enum weft_item (weft.h), each below 256, whether MORE of the event's data follow in the
 * thread's next such record, and the number N of values in this one.
 */
static inline uint64_t weft_values_word(uint32_t said, uint32_t item, bool more, uint32_t n)
{
    return said | (uint64_t)item << 8 | (uint64_t)more << 16 | (uint64_t)n << 32;
}

static inline uint32_t weft_values_said(uint64_t word)
{
    return (uint32_t)word & 0xff;
}

static inline uint32_t weft_values_item(uint64_t word)
{
    return (uint32_t)(word >> 8) & 0xff;
}

static inline bool weft_values_more(uint64_t word)
{
    return word >> 16 & 1;
}

static inline uint32_t weft_values_count(uint64_t word)
{
    return (uint32_t)(word >> 32);
}

#endif
