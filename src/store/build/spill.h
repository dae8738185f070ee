/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list that may outgrow memory: appended to, then read as one array.  Up to 16 MiB stay
 * in memory; a longer list goes to an unlinked file in the folder of the store.
 */
#ifndef WEFT_STORE_SPILL_H
#define WEFT_STORE_SPILL_H

#include "base/err.h"
#include "base/file.h"

/* A list of bytes; begun by weft_spill_init, freed by weft_spill_free. */
struct weft_spill {
    unsigned char *buffer; /* the last `used` bytes, which are not in the file */
    size_t used, capacity;
    size_t in_memory; /* limit of `used`; 16 MiB, or set before the first append */
    int fd;           /* the temporary file; -1 until the first overflow */
    uint64_t written; /* bytes in the file */
    void *map;        /* the file, mapped by weft_spill_read(); or NULL */
    int error;        /* errno of the first failure, or 0; the list is incomplete then */
};

/* Begins an empty list, without a temporary file. */
void weft_spill_init(struct weft_spill *spill);
/*
 * Appends SIZE bytes, which are copied; FOLDER is for the temporary file.  A failure is
 * kept, and reported by weft_spill_read() or weft_spill_map().
 */
void weft_spill_append(struct weft_spill *spill, const char *folder, const void *bytes,
                       size_t size);
/*
 * Returns all bytes appended, writable and owned by SPILL, and sets *SIZE to their number.
 * Returns NULL with WEFT_ERR_WRITE if this or an append before failed; an empty list gives
 * a pointer that is not NULL.  Nothing may be appended afterwards.
 */
void *weft_spill_read(struct weft_spill *spill, uint64_t *size, struct weft_err *err);
/*
 * Sets MAP to all bytes appended, read-only (its data may be NULL if there are none);
 * weft_mappings_rest() can drop the pages of a list in a file.  Nothing may be appended
 * afterwards.  FOLDER is for the temporary file.  Returns false with WEFT_ERR_WRITE, or the
 * error of weft_map_file().  The caller unmaps MAP (weft_unmap) before it frees SPILL.
 */
bool weft_spill_map(struct weft_spill *spill, const char *folder, struct weft_mapping *map,
                    struct weft_err *err) WEFT_MUST_CHECK;
/* Frees the bytes and the temporary file; SPILL is an empty list again. */
void weft_spill_free(struct weft_spill *spill);

#endif
