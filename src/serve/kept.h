/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settings that are too long for an address: a set of 10^5 entities has a million
 * characters. Such a text is kept under a key of its own, made from what is in it, and the
 * key stands for it wherever a view's setting does.  The texts are files of the person's
 * (state.h), so that a kept address works when the server is started again; of those that
 * were used longest ago, the ones beyond KEPT_MOST are removed.  Any thread may call these.
 */
#ifndef WEFT_SERVE_KEPT_H
#define WEFT_SERVE_KEPT_H

#include "base/err.h"
#include "base/memory.h"

enum { KEPT_MOST = 100, KEPT_KEY = 34 }; /* texts; characters of a key, with its end */

struct kept;

/* FOLDER is where the texts are kept, made when it is not there; NULL: only in memory. */
struct kept *kept_new(const char *folder);
void kept_free(struct kept *kept);

/* Is a text a key: "@" and 32 hexadecimal digits? */
bool kept_is_key(const char *text);
/* Keep a text; KEY says which.  Errors: WEFT_ERR_WRITE, when it is kept in memory alone. */
bool kept_put(struct kept *kept, const char *text, char key[KEPT_KEY],
              struct weft_err *err) WEFT_MUST_CHECK;
/* The text of a key, copied into ARENA; NULL when there is none any more. */
const char *kept_get(struct kept *kept, const char *key, struct weft_arena *arena);

#endif
