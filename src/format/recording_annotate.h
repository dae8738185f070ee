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
    /*
     * Each comment has the argument (else it is 0), then "+" and each word after the first.
     * Regions nest in a thread, and so do tasks.
     */
    WEFT_RECORD_BEGIN = WEFT_FIRST_KIND(WEFT_FAMILY_ANNOTATE), /* name: region */
    WEFT_RECORD_BEGIN_TEXT, /* + return address of the call + name as a text: region */
    WEFT_RECORD_END,        /* the innermost region */
    WEFT_RECORD_INSTANT,    /* name */
    WEFT_RECORD_COUNTER,    /* name; + double: the counter's value from now on */
    WEFT_RECORD_SEND,       /* name; + key of the message, as in its receive + bytes */
    WEFT_RECORD_RECEIVE,    /* name; + key, as in its send + bytes */
    WEFT_RECORD_TASK_BEGIN, /* name; + double: work */
    WEFT_RECORD_TASK_END,   /* the innermost task */
    /*
     * Begin of a task, or a mark, with a number instead of a name: the argument, or, if
     * there is a word, that.  The end is that of the innermost task, whatever its argument
     * (the low 20 bits of a number); its word, if it has one, is the double: work.
     */
    WEFT_RECORD_NUMBERED_BEGIN,
    WEFT_RECORD_NUMBERED_END,
    WEFT_RECORD_NUMBERED_MARK,
    /* + text: absolute path of a PICL trace that the program also wants; "": not known */
    WEFT_RECORD_TRACE_FILE,
    /*
     * An event with values, or a part of one, which continues in the next such record of
     * the thread: + weft_values_word() + the event's number << 32 | the program's number
     * for the data, an int32_t + the values, one a word (int64_t or double), or eight
     * characters a word, in memory order.
     */
    WEFT_RECORD_VALUES,
    WEFT_RECORD_OBJECT_NAME,  /* + address + text: the object there is called so */
    WEFT_RECORD_ANNOTATE_END, /* one more than the last kind */
};

/*
 * Returns words[0] of a WEFT_RECORD_VALUES, the word after its first: the sort SAID of the
 * event (enum weft_said) and the type ITEM of its values (enum weft_item; weft.h), each
 * below 256, whether MORE of the event's values follow in the thread's next such record,
 * and the number N of values in this one.
 */
static inline uint64_t weft_values_word(uint32_t said, uint32_t item, bool more, uint32_t n)
{
    return said | (uint64_t)item << 8 | (uint64_t)more << 16 | (uint64_t)n << 32;
}

/*
 * weft_values_said(), weft_values_item(), weft_values_more(), weft_values_count(): return
 * SAID, ITEM, MORE and N of a weft_values_word().
 */
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
