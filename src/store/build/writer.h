/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file under construction: appended to through a buffer, the header written last, put in
 * place when it is whole (base/draft.h).  Errors stick: check once, at commit.  A disk that has
 * hardly room left is an error, too.
 */
#ifndef WEFT_STORE_WRITER_H
#define WEFT_STORE_WRITER_H

#include "base/err.h"

struct weft_writer;

struct weft_writer *weft_writer_new(const char *path, struct weft_err *err);
/* Append, aligned to 8 before; returns the offset in the file. */
uint64_t weft_writer_append(struct weft_writer *writer, const void *bytes, size_t size);
uint64_t weft_writer_offset(const struct weft_writer *writer); /* of the next append */
/* Put the header of the file as it is now: at offset 0. */
void weft_writer_header(struct weft_writer *writer, const void *header, size_t size);
/* Flush; the path of the file under construction, to read what was written so far; or NULL. */
const char *weft_writer_readable(struct weft_writer *writer, struct weft_err *err);
/* Put it in place, to last; frees the writer, also on failure. */
bool weft_writer_commit(struct weft_writer *writer, struct weft_err *err);
void weft_writer_abandon(struct weft_writer *writer);

#endif
