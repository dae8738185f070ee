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

/* A file mapped read-only; weft_map_file() sets it, weft_unmap() ends it. */
struct weft_mapping {
    const unsigned char *data;  /* NULL: nothing is mapped; not NULL for an empty file */
    size_t size;                /* bytes of the file when it was mapped */
    struct weft_mapped *mapped; /* state private to mapped_file.c, or NULL */
};

/*
 * Maps the regular file PATH read-only, until weft_unmap().  An empty file has size 0.
 * Installs a handler of SIGBUS for the process.  Fails with WEFT_ERR_READ, also for a
 * folder or device; nothing is to be unmapped then.
 *
 * Another process may truncate or overwrite the file meanwhile.  Reading never faults:
 * bytes beyond the new end, or that the disk cannot deliver, read as zeros, and the mapping
 * is damaged from then on.  Other bytes may change at any time: a caller that relies on a
 * check copies the bytes before it checks them.
 */
bool weft_map_file(struct weft_mapping *map, const char *path,
                   struct weft_err *err) WEFT_MUST_CHECK;
/* Unmaps the file, if one is mapped, and zeroes *MAP. */
void weft_unmap(struct weft_mapping *map);
/*
 * Drops the whole pages before END, an offset in bytes, cut to the file's size, since they
 * will hardly be read again; when touched, they are read from the file again.  No effect on
 * a damaged mapping.
 */
void weft_mapping_pass(const struct weft_mapping *map, size_t end);
/*
 * If the process has more than MOST bytes of mapped files in memory, drops all pages of
 * all files mapped by weft_map_file() that are not damaged; called during and after reading
 * much of them.  Pages that are touched again come back from the page cache, one page fault
 * each.  Any thread may call this while others read.  About 5 µs, plus some milliseconds
 * for each 100 MiB dropped.
 */
void weft_mappings_rest(size_t most);
/* Usual MOST of weft_mappings_rest(), in bytes: enough to draw frames of a large trace. */
enum { WEFT_MAPPED_MAX = 192 << 20 };
/*
 * Returns true if, since weft_map_file(), zeros were read from MAP in place of bytes that
 * were lost, because another process cut the file or the disk could not deliver them.  Any
 * thread may call this.
 */
bool weft_mapping_damaged(const struct weft_mapping *map);

/*
 * An output file: it appears at its path, complete, when it is committed
 * (base/atomic_file.h); abandoning it leaves nothing.  Path "-" is standard output.
 * Standard output, inherited descriptors (/dev/stdout, /dev/fd/3), devices and pipes are
 * written directly, so that even abandoning leaves what was written.
 */
struct weft_output {
    FILE *stream;                 /* write here, with stdio */
    char *path;                   /* as it was given; NULL for standard output */
    struct weft_atomic_file file; /* its fd is -1 if the output is written directly */
};

/*
 * Opens *OUT to write to PATH: "-" or /dev/stdout is standard output; another descriptor
 * that was inherited (/dev/fd/3), a device or a pipe is written directly; else a file
 * appears there at the commit.  A descriptor that is closed at exec (FD_CLOEXEC) counts as
 * not open.  Fails with WEFT_ERR_WRITE, and nothing to end; otherwise it must be ended by
 * weft_output_commit() or weft_output_abandon().
 */
bool weft_output_open(struct weft_output *out, const char *path,
                      struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Flushes, syncs to disk and renames into place; an output that is written directly is
 * only flushed.  Closes all but standard output, and frees what *OUT holds, also if it
 * fails: with WEFT_ERR_WRITE, also for an earlier write that failed.  Then nothing new is
 * left at the path, unless it is written directly (or only syncing the folder failed).
 */
bool weft_output_commit(struct weft_output *out, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Closes OUT, unless it is standard output, frees what it holds and discards the file; an
 * output that is written directly keeps what was written.
 */
void weft_output_abandon(struct weft_output *out);
/*
 * Returns true if the output is written directly (standard output, a descriptor, a device
 * or a pipe), not replaced atomically.
 */
bool weft_output_is_direct(const struct weft_output *out);
/*
 * Returns OK, whether writing succeeded.  If it is false and out->stream has failed
 * (ferror), sets *ERR to WEFT_ERR_WRITE with the file and the reason, for which it tries
 * to write one more byte, a NUL; otherwise *ERR is unchanged.
 */
bool weft_output_explain(const struct weft_output *out, bool ok, struct weft_err *err);

#endif
