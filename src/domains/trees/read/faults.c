/* SPDX-License-Identifier: Apache-2.0 */
/* The faults of VISTA traces and their texts. */
#include "domains/trees/read/vista_priv.h"

/* clang-format off */
/* Each sentence has two %lld. */
static const struct weft_fault_kind vista_faults[VISTA_FAULTS] = {
    [VISTA_FAULT_LINE] = { "bad-record", WEFT_ERROR,
        "the line holds %lld numbers; %lld are right (time, clause, PE, index, parent's PE, "
        "parent's index); it is skipped" },
    [VISTA_FAULT_LONG_LINE] = { "line-too-long", WEFT_ERROR,
        "the line has %lld bytes or more; a record has six numbers (%lld bytes at most); it "
        "is skipped" },
    [VISTA_FAULT_NUMBER] = { "bad-number", WEFT_ERROR,
        "number %lld of the line is no integer that fits %lld bits; the line is skipped" },
    [VISTA_FAULT_UNFINISHED] = { "unfinished-line", WEFT_WARNING,
        "the last line has no end (%lld bytes, after %lld records): the trace may be cut in what "
        "it says last" },
    [VISTA_FAULT_INDEX] = { "bad-index", WEFT_ERROR,
        "index %lld of PE %lld: indices count from 1; the record is skipped" },
    [VISTA_FAULT_CLAUSE] = { "unknown-clause", WEFT_ERROR,
        "clause %lld: the program has clauses 1 to %lld; the record is skipped" },
    [VISTA_FAULT_PE] = { "pe-out-of-range", WEFT_ERROR,
        "PE %lld: the first line says that there are %lld, counted from 0; the record is "
        "skipped" },
    [VISTA_FAULT_TIME] = { "bad-time", WEFT_ERROR,
        "time %lld of PE %lld is more than 2^62 units away from 0; the record is skipped" },
    [VISTA_FAULT_DUPLICATE] = { "duplicate-record", WEFT_ERROR,
        "PE %lld has a reduction of index %lld already; the record is skipped" },
    [VISTA_FAULT_PARENT] = { "parent-not-seen", WEFT_ERROR,
        "no record above is that of the parent (PE %lld, index %lld); the record is "
        "skipped" },
    [VISTA_FAULT_SECOND_ROOT] = { "second-root", WEFT_ERROR,
        "a second reduction without a parent (the root is record %lld; a parent's index is "
        "%lld or more); the record is skipped" },
    [VISTA_FAULT_MANY_CHILDREN] = { "too-many-children", WEFT_ERROR,
        "the parent (PE %lld, index %lld) has all the children that its clause has goals "
        "already; this is one more" },
    [VISTA_FAULT_FEW_CHILDREN] = { "too-few-children", WEFT_WARNING,
        "the reduction lacks %lld of the %lld children that its clause has goals" },
    [VISTA_FAULT_ORDER] = { "out-of-order", WEFT_WARNING,
        "the time %lld is before that of an earlier record of its PE, %lld; it is taken as "
        "that" },
    [VISTA_FAULT_BEFORE_PARENT] = { "before-its-parent", WEFT_WARNING,
        "the time %lld is before its parent's, %lld" },
    [VISTA_FAULT_EMPTY] = { "no-record", WEFT_ERROR,
        "the trace holds %lld reductions (of %lld PEs)" },
    [VISTA_FAULT_DAMAGED] = { "damaged-compression", WEFT_ERROR,
        "the compressed data are damaged after record %lld; what follows is lost (%lld "
        "bytes of a line)" },
};
/* clang-format on */

void vista_report(struct vista_import *import, enum vista_fault fault, uint64_t line,
                  int64_t first, int64_t second)
{
    weft_builder_fault(import->builder, &vista_faults[fault], line, (long long)first,
                       (long long)second);
}
