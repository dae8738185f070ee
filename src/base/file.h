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

#include "base/err.h"

struct weft_mapping {
    const unsigned char *data;
    size_t size;
};

/* Map PATH read-only.  An empty file maps to size 0.  Errors: WEFT_ERR_READ. */
bool weft_map_file(struct weft_mapping *map, const char *path,
                   struct weft_err *err) WEFT_MUST_CHECK;
void weft_unmap(struct weft_mapping *map);

/*
 * An output file: written as a hidden file beside PATH, renamed over it by commit, removed
 * by abandon.  PATH "-" is standard output, written as it comes.
 */
struct weft_output {
    FILE *stream; /* write here, with stdio */
    char *path;
    char *temporary; /* NULL for standard output */
};

bool weft_output_open(struct weft_output *out, const char *path,
                      struct weft_err *err) WEFT_MUST_CHECK;
/* Flush, close and rename; on failure the temporary is removed.  Errors: WEFT_ERR_WRITE. */
bool weft_output_commit(struct weft_output *out, struct weft_err *err) WEFT_MUST_CHECK;
void weft_output_abandon(struct weft_output *out);

#endif
