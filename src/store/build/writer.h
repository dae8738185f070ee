/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file under construction: appended to through a buffer, the header written last,
 * renamed into place when it is complete (base/atomic_file.h).  Errors are kept and
 * reported at commit.  A nearly full disk is an error, too.
 */
#ifndef WEFT_STORE_WRITER_H
#define WEFT_STORE_WRITER_H

#include "base/err.h"

struct weft_writer;

/* Creates the file that will become PATH; NULL with *ERR on failure. */
struct weft_writer *weft_writer_new(const char *path, struct weft_err *err);
/* Pads to a multiple of 8, then appends; returns the offset of the bytes. */
uint64_t weft_writer_append(struct weft_writer *writer, const void *bytes, size_t size);
uint64_t weft_writer_offset(const struct weft_writer *writer); /* of the next append */
/* Writes a header at offset 0. */
void weft_writer_header(struct weft_writer *writer, const void *header, size_t size);
/* Flushes; returns a path for reading the bytes written so far, or NULL on failure. */
const char *weft_writer_readable(struct weft_writer *writer, struct weft_err *err);
/* Syncs the file and renames it to its path; frees the writer, also on failure. */
bool weft_writer_commit(struct weft_writer *writer, struct weft_err *err);
void weft_writer_abandon(struct weft_writer *writer);

#endif
