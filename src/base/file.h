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

#include "base/draft.h"
#include "base/err.h"

struct weft_mapping {
    const unsigned char *data;
    size_t size;
    struct weft_mapped *mapped; /* what is known of it in mapping.c, or NULL */
};

/*
 * Map PATH, a regular file, read-only.  An empty one maps to size 0.  Errors: WEFT_ERR_READ.
 *
 * Somebody else may cut or overwrite the file meanwhile.  Reading stays possible: what is
 * behind the new end, or cannot be read from the disk, is zeros, and the mapping is damaged
 * from then on.  Other bytes may change at any time; who believes what it has checked
 * copies it first.
 */
bool weft_map_file(struct weft_mapping *map, const char *path,
                   struct weft_err *err) WEFT_MUST_CHECK;
void weft_unmap(struct weft_mapping *map);
/* The bytes before END will hardly be read again: their memory may go to something else. */
void weft_mapping_pass(const struct weft_mapping *map, size_t end);
/*
 * A long walk through mapped files is over, or far: when more than MOST bytes of files are in the
 * process, the memory of all that it has mapped may go to something else.  What is touched again
 * comes back from the system's cache, a fault a page.  Any thread may call this, whoever reads.
 * Some 5 µs, and some milliseconds for each 100 MiB that go.
 */
void weft_mappings_rest(size_t most);
/* Enough for the frames of a large trace, and far below what a walk through all of it leaves. */
enum { WEFT_MAPPED_MOST = 192 << 20 };
/* True when zeros were read in place of what is not there any more.  Any thread. */
bool weft_mapping_damaged(const struct weft_mapping *map);

/*
 * An output file: it takes its place when it is committed (base/draft.h), and nothing is left
 * when it is abandoned.  PATH "-" is standard output; that, a descriptor that the program was
 * given (/dev/stdout, /dev/fd/3), and what is no file (a device, a pipe) is written as it comes.
 */
struct weft_output {
    FILE *stream; /* write here, with stdio */
    char *path;   /* NULL for standard output */
    struct weft_draft draft;
};

bool weft_output_open(struct weft_output *out, const char *path,
                      struct weft_err *err) WEFT_MUST_CHECK;
/* Flush and put in place, to last; on failure nothing is left.  Errors: WEFT_ERR_WRITE. */
bool weft_output_commit(struct weft_output *out, struct weft_err *err) WEFT_MUST_CHECK;
void weft_output_abandon(struct weft_output *out);
/* Is it written as it comes: is there nothing that will take its place? */
bool weft_output_is_direct(const struct weft_output *out);
/*
 * Returns OK.  When it is false and the stream could not be written, *err names the file and the
 * reason; else *err stays as it is.
 */
bool weft_output_explain(const struct weft_output *out, bool ok, struct weft_err *err);

#endif
