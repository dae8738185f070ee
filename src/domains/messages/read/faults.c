/* SPDX-License-Identifier: Apache-2.0 */
/* The problems that a PICL trace can have, and their texts. */
#include "domains/messages/read/picl_priv.h"

/* clang-format off */
/* Each sentence has two %lld. */
static const struct weft_fault_kind faults[PICL_FAULTS] = {
    [PICL_FAULT_RECORD] = { "bad-record", WEFT_ERROR,
        "the line has too few words (%lld bytes, after %lld records): a record has a type, a "
        "key, a time, a node, a process and as many values as it says; it is skipped" },
    [PICL_FAULT_NUMBER] = { "bad-number", WEFT_ERROR,
        "a word that should be an integer is none, or is too large (%lld bytes, after %lld "
        "records); the line is skipped" },
    [PICL_FAULT_TIME] = { "bad-time", WEFT_ERROR,
        "the time is no number of seconds, or too large (%lld bytes, after %lld records); the "
        "line is skipped" },
    [PICL_FAULT_ROUNDED] = { "rounded-time", WEFT_WARNING,
        "the time has more digits behind the point than are kept, %lld (in a line of %lld "
        "bytes): it is rounded" },
    [PICL_FAULT_MORE_WORDS] = { "too-many-words", WEFT_WARNING,
        "more words follow than the record announces (%lld bytes, after %lld records); they "
        "are left out" },
    [PICL_FAULT_LONG_LINE] = { "line-too-long", WEFT_ERROR,
        "the line has %lld bytes or more (after %lld records); it is skipped" },
    [PICL_FAULT_RECORD_TYPE] = { "unknown-record", WEFT_WARNING,
        "no record has the type %lld (key %lld); it is kept as an event" },
    [PICL_FAULT_NODE] = { "bad-node", WEFT_ERROR,
        "no processor has the number %lld (key %lld); the record is skipped" },
    [PICL_FAULT_VALUES] = { "bad-values", WEFT_WARNING,
        "key %lld has other values than these (%lld); they are kept as a text" },
    [PICL_FAULT_UNSORTED] = { "not-sorted", WEFT_WARNING,
        "the record of node %lld is before one above it (node %lld): the trace is neither in "
        "order of time nor of nodes; it is put in order of time" },
    [PICL_FAULT_CONCATENATED] = { "concatenated", WEFT_WARNING,
        "another trace begins (node %lld; traces before it: %lld); it is shown behind the "
        "others" },
    [PICL_FAULT_CUT] = { "cut-short", WEFT_ERROR,
        "the last line has no end and is no whole record (%lld bytes, after %lld records): the "
        "trace is cut short" },
    [PICL_FAULT_UNFINISHED] = { "unfinished-line", WEFT_WARNING,
        "the last line has no end (%lld bytes, after %lld records): the trace may be cut in what "
        "it says last" },
    [PICL_FAULT_EXIT] = { "exit-without-entry", WEFT_ERROR,
        "node %lld leaves key %lld, which it did not enter" },
    [PICL_FAULT_NESTING] = { "badly-nested", WEFT_ERROR,
        "node %lld leaves key %lld while it is in others that it entered later; those end "
        "here, too" },
    [PICL_FAULT_DEEP] = { "too-deep", WEFT_ERROR,
        "node %lld is in more calls or tasks at once than are kept (%lld); the entry is "
        "skipped" },
    [PICL_FAULT_OPEN] = { "never-left", WEFT_WARNING,
        "node %lld enters key %lld and does not leave it before the end of the trace" },
    [PICL_FAULT_UNSENT] = { "unmatched-receive", WEFT_ERROR,
        "node %lld receives a message from node %lld that nobody sent" },
    [PICL_FAULT_UNRECEIVED] = { "unmatched-send", WEFT_ERROR,
        "node %lld sends a message to node %lld that nobody receives" },
    [PICL_FAULT_TACHYON] = { "tachyon", WEFT_WARNING,
        "node %lld receives a message of node %lld before it was sent" },
    [PICL_FAULT_REQUEST] = { "unknown-request", WEFT_WARNING,
        "node %lld asks for request %lld, which did not begin or is complete already" },
    [PICL_FAULT_HELD] = { "too-much-open", WEFT_WARNING,
        "node %lld has so many receives open that wait for one another that messages may be "
        "given to the wrong ones from here on (%lld looks)" },
    [PICL_FAULT_GROUP] = { "unknown-group", WEFT_WARNING,
        "node %lld names group %lld, whose members no record says" },
    [PICL_FAULT_INCOMPLETE] = { "incomplete-collective", WEFT_WARNING,
        "%lld of the %lld processors of its group take part in the collective operation" },
    [PICL_FAULT_EMPTY] = { "no-record", WEFT_ERROR,
        "the trace holds %lld records of processors (of %lld lines)" },
    [PICL_FAULT_DAMAGED] = { "damaged-compression", WEFT_ERROR,
        "the compressed data are damaged after record %lld; what follows is lost (%lld bytes "
        "of a line)" },
};
/* clang-format on */

void picl_report(struct picl_import *import, enum picl_fault fault, uint64_t line,
                 int64_t first, int64_t second)
{
    if (import->batch.defers)
        picl_batch_fault(import, fault, line, first, second);
    else
        picl_tell(import, fault, line, first, second);
}

void picl_tell(struct picl_import *import, enum picl_fault fault, uint64_t line,
               int64_t first, int64_t second)
{
    weft_builder_fault(import->builder, &faults[fault], line, (long long)first,
                       (long long)second);
}
