/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps settings that are too long for an address: a set of 10^5 entities has a million
 * characters.  Such a text is stored under a key that is a hash of it, and the key may
 * replace it in any setting of a view.  The texts are files of the user (access_token.h),
 * so that bookmarked addresses work after a restart; the least recently used beyond
 * TEXT_CACHE_MAX are removed.  Any thread may call these functions.
 */
#ifndef WEFT_SERVE_LONG_SETTINGS_H
#define WEFT_SERVE_LONG_SETTINGS_H

#include "base/err.h"
#include "base/memory.h"

/* Limits of a text cache. */
enum {
    TEXT_CACHE_MAX = 100, /* texts that are kept as files */
    TEXT_CACHE_KEY = 34   /* bytes of a key, with its NUL */
};

/* Long texts under keys; text_cache_new() makes it, text_cache_free() frees it. */
struct text_cache;

/*
 * Returns a cache of the texts stored in FOLDER, which is made if it does not exist, but
 * not its parent.  FOLDER NULL: the 16 last used texts are kept, in memory alone.  Never
 * NULL; text_cache_free() frees it.
 */
struct text_cache *text_cache_new(const char *folder);
/* Frees CACHE (may be NULL); the files of its texts stay. */
void text_cache_free(struct text_cache *cache);

/* Returns true if TEXT has the form of a key: "@" and 32 digits, 0 to 9 and a to f. */
bool text_cache_is_key(const char *text);
/*
 * Keeps a copy of TEXT and writes its key, with NUL, to KEY; equal texts have equal keys.
 * Returns false with WEFT_ERR_WRITE if the cache has a folder and the text could not be
 * stored there: it is kept in memory only.
 */
bool text_cache_put(struct text_cache *cache, const char *text, char key[TEXT_CACHE_KEY],
                    struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Returns the text of KEY, copied into ARENA; NULL if it is no longer kept, or KEY is no
 * key.
 */
const char *text_cache_get(struct text_cache *cache, const char *key,
                           struct weft_arena *arena);

#endif
