/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list that may outgrow memory: appended to, then read as one array.  The first megabytes
 * stay in memory, the rest goes to an unlinked file in the folder of the store.
 */
#ifndef WEFT_STORE_SPILL_H
#define WEFT_STORE_SPILL_H

#include "base/err.h"
#include "base/file.h"

struct weft_spill {
    unsigned char *buffer;
    size_t used, capacity;
    size_t in_memory; /* bytes before it goes to its file: may be set at first */
    int fd;           /* -1 until the first overflow */
    uint64_t written; /* bytes in the file */
    void *map;
    int error;
};

void weft_spill_init(struct weft_spill *spill);
/* FOLDER is where the file goes when it must; errors stick until weft_spill_read. */
void weft_spill_append(struct weft_spill *spill, const char *folder, const void *bytes,
                       size_t size);
/* All bytes appended so far, writable; NULL with *err on failure. */
void *weft_spill_read(struct weft_spill *spill, uint64_t *size, struct weft_err *err);
/*
 * The same, only to read; what was written to a file counts as mapped (weft_mappings_rest).  Unmap
 * it before the list is freed.
 */
bool weft_spill_map(struct weft_spill *spill, const char *folder, struct weft_mapping *map,
                    struct weft_err *err) WEFT_MUST_CHECK;
void weft_spill_free(struct weft_spill *spill);

#endif
