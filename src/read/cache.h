/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the indexes of foreign traces are kept: $WEFT_CACHE, else $XDG_CACHE_HOME/weft, else
 * ~/.cache/weft; never in a folder of another user.  An entry is named by a hash of all that it
 * depends on, the sources of the readers among them (read/version.h), so an outdated one is
 * never found; one that turns out to be damaged is removed, and made again by who opens the trace
 * next; the entries that were not used for longest are removed when all together exceed
 * 20 GB.
 */
#ifndef WEFT_READ_CACHE_H
#define WEFT_READ_CACHE_H

#include "read/reader.h"

/*
 * The entry for PATH as it is now; its folder exists and can be written.  NULL when there is
 * no such folder (then use a temporary file), or PATH is no regular file.  Free it.
 */
char *weft_cache_entry(const char *path, const struct weft_read_options *options);
/* Is the entry there, and a file that this user made?  One that another put there is not read. */
bool weft_cache_has(const char *entry);
/* Mark an entry as used now, and drop the oldest others beyond the limit. */
void weft_cache_used(const char *entry);
void weft_cache_limit(const char *entry, uint64_t limit);

#endif
