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

/*
 * Creates the file that will become PATH, with room for a header; NULL with WEFT_ERR_WRITE
 * on failure.  End it with weft_writer_commit() or weft_writer_abandon().
 */
struct weft_writer *weft_writer_new(const char *path, struct weft_err *err);
/*
 * Pads the file to a multiple of 8, then appends SIZE bytes (0: BYTES may be NULL); returns
 * their offset in the file.  A failure (also if less than 128 MiB would be left on the
 * disk) is kept until weft_writer_readable() or weft_writer_commit() reports it.
 */
uint64_t weft_writer_append(struct weft_writer *writer, const void *bytes, size_t size);
/* Returns the offset in the file, in bytes, that the next append will return. */
uint64_t weft_writer_offset(const struct weft_writer *writer);
/*
 * Writes SIZE bytes of HEADER, at most WEFT_STORE_HEADER_SIZE, at offset 0, beside the
 * appended bytes.  A failure is kept as one of weft_writer_append().
 */
void weft_writer_header(struct weft_writer *writer, const void *header, size_t size);
/*
 * Pads to a multiple of 8 and flushes; returns a path for reading the bytes written so far,
 * owned by the writer, or NULL with WEFT_ERR_WRITE if a write failed.
 */
const char *weft_writer_readable(struct weft_writer *writer, struct weft_err *err);
/*
 * Syncs the file and renames it to its path; frees the writer, also on failure.  Returns
 * false with WEFT_ERR_WRITE if that or any write before failed.
 */
bool weft_writer_commit(struct weft_writer *writer, struct weft_err *err);
/* Removes the file under construction and frees WRITER, which may be NULL. */
void weft_writer_abandon(struct weft_writer *writer);

#endif
