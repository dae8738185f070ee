/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache of indexes of foreign traces: in $WEFT_CACHE, else $XDG_CACHE_HOME/weft, else
 * ~/.cache/weft; never in a folder of another user.  The name of an entry is a hash of all
 * that it depends on, including the sources of the readers (read/version.h), so an outdated
 * entry is never found.  A damaged entry is removed, and made again when its trace is next
 * opened.  If all entries together exceed 20 GB, the least recently used ones are removed.
 */
#ifndef WEFT_READ_CACHE_H
#define WEFT_READ_CACHE_H

#include "read/reader.h"

/*
 * Returns the path of the cache's entry, a .weft store, for the trace at PATH as it is now
 * and for OPTIONS (may be NULL); the caller frees it.  The entry need not exist; its folder
 * is made if needed.  NULL if there is no writable folder of this user (use a temporary
 * file then), or PATH is no regular file.
 */
char *weft_cache_entry(const char *path, const struct weft_read_options *options);
/*
 * Returns true if the path ENTRY is that of a regular file (no link) of the effective user;
 * else do not read it.  Its content is not checked.
 */
bool weft_cache_has(const char *entry);
/*
 * Sets the access time of the entry at path ENTRY to now, then does weft_cache_limit() with
 * 20 GB.  Failures are ignored.
 */
void weft_cache_used(const char *entry);
/*
 * Removes the least recently used entries of ENTRY's folder, except ENTRY, until all
 * together have at most LIMIT bytes; also unfinished entries of processes that were killed.
 * Other files of the folder stay.  Failures are ignored.
 */
void weft_cache_limit(const char *entry, uint64_t limit);

#endif
