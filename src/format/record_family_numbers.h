/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of families: a family is the records of one recorder, and its number
 * distinguishes them.  These are the core's own.  A domain has the numbers of its families,
 * and the layout of their records, in its format/records.h.
 */
#ifndef WEFT_FORMAT_RECORD_FAMILY_NUMBERS_H
#define WEFT_FORMAT_RECORD_FAMILY_NUMBERS_H

/* The numbers of the core's own families of records, and the limit of all numbers. */
enum {
    WEFT_FAMILY_CORE = 0,     /* recording_layout.h */
    WEFT_FAMILY_ANNOTATE = 2, /* recording_annotate.h */
    WEFT_FAMILIES_MAX = 16, /* numbers are below it: a kind has four bits for the family */
};

/*
 * File names, without folder, of the libraries that are preloaded to record: all begin with
 * WEFT_LIBRARY_PREFIX; the core's is WEFT_CORE_LIBRARY.
 */
#define WEFT_LIBRARY_PREFIX "libweft-record-"
#define WEFT_CORE_LIBRARY   WEFT_LIBRARY_PREFIX "core.so"

#endif
