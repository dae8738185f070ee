/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The families of recorders: the number that distinguishes a family's records.  These are
 * the core's own.  A domain has the numbers of its families, and the layout of their
 * records, in format/records.h; 1 to 5 are taken.
 */
#ifndef WEFT_FORMAT_RECORDING_FAMILIES_H
#define WEFT_FORMAT_RECORDING_FAMILIES_H

enum {
    WEFT_FAMILY_CORE = 0,     /* recording_layout.h */
    WEFT_FAMILY_ANNOTATE = 2, /* recording_annotate.h */
    WEFT_FAMILIES_MOST = 16,  /* the four bits for it in a record's kind */
};

/* The recorder's libraries: the core's; those of the families have the same prefix. */
#define WEFT_LIBRARY_PREFIX "libweft-record-"
#define WEFT_CORE_LIBRARY   WEFT_LIBRARY_PREFIX "core.so"

#endif
