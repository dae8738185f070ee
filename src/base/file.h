/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files: mapping one to read it, and writing one so that it appears whole or not at all.
 */
#ifndef WEFT_BASE_FILE_H
#define WEFT_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/atomic_file.h"
#include "base/err.h"

struct weft_mapping {
    const unsigned char *data;
    size_t size;
    struct weft_mapped *mapped; /* state private to mapping.c, or NULL */
};

/*
 * Maps the regular file PATH read-only.  An empty file has size 0.  Errors: WEFT_ERR_READ.
 *
 * Another process may truncate or overwrite the file meanwhile.  Reading never faults:
 * bytes beyond the new end, or that the disk cannot deliver, read as zeros, and the mapping
 * is damaged from then on.  Other bytes may change at any time: a caller that relies on a
 * check copies the bytes before it checks them.
 */
bool weft_map_file(struct weft_mapping *map, const char *path,
                   struct weft_err *err) WEFT_MUST_CHECK;
void weft_unmap(struct weft_mapping *map);
/* Hints that the bytes before END will hardly be read again: their pages may be dropped. */
void weft_mapping_pass(const struct weft_mapping *map, size_t end);
/*
 * If more than MOST bytes of mapped files are in memory, drops the pages of all mappings;
 * called during and after reading much of them.  Pages that are touched again come
 * back from the page cache, one page fault each.  Any thread may call this while others
 * read.  About 5 µs, plus some milliseconds for each 100 MiB dropped.
 */
void weft_mappings_rest(size_t most);
/* Usual MOST of weft_mappings_rest(), in bytes: enough to draw frames of a large trace. */
enum { WEFT_MAPPED_MAX = 192 << 20 };
/* Returns true if zeros were read in place of lost bytes.  Any thread may call this. */
bool weft_mapping_damaged(const struct weft_mapping *map);

/*
 * An output file: it appears at PATH when it is committed (base/atomic_file.h); abandoning
 * it leaves nothing.  PATH "-" is standard output.  Standard output, inherited descriptors
 * (/dev/stdout, /dev/fd/3), devices and pipes are written directly.
 */
struct weft_output {
    FILE *stream; /* write here, with stdio */
    char *path;   /* NULL for standard output */
    struct weft_atomic_file file;
};

bool weft_output_open(struct weft_output *out, const char *path,
                      struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Flushes, syncs to disk and renames into place; on failure nothing is left, and it returns
 * false with WEFT_ERR_WRITE.
 */
bool weft_output_commit(struct weft_output *out, struct weft_err *err) WEFT_MUST_CHECK;
void weft_output_abandon(struct weft_output *out);
/* Returns true if the output is written directly, not replaced atomically. */
bool weft_output_is_direct(const struct weft_output *out);
/*
 * Returns OK, whether writing succeeded.  If it is false and the stream has failed, sets
 * *ERR to the file and the reason; otherwise *ERR is unchanged.
 */
bool weft_output_explain(const struct weft_output *out, bool ok, struct weft_err *err);

#endif
