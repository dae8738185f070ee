/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State that the server keeps for its user between runs, in a folder that only this user
 * can read: the token, so that open tabs and bookmarked addresses work again.
 */
#ifndef WEFT_SERVE_STATE_H
#define WEFT_SERVE_STATE_H

#include "base/err.h"

enum { TOKEN_SIZE = 33 }; /* 128 bits in hexadecimal, and the NUL */

/*
 * Returns the path of XDG_STATE_HOME/weft, or ~/.local/state/weft, made if it does not
 * exist; the caller frees it.  NULL if there can be no such folder: nothing is remembered.
 */
char *state_folder(void);

/*
 * Sets TOKEN to that in FOLDER; to a new one, stored there, if there is none or FRESH asks
 * for it; to one for this run alone (*KEPT is false) if FOLDER is NULL or cannot be
 * written. Returns false with WEFT_ERR_READ if other users could read or have made the
 * file; with WEFT_ERR_WRITE if a FRESH one cannot replace the old one, which would be valid
 * again at the next start.
 */
bool state_token(char token[TOKEN_SIZE], const char *folder, bool fresh, bool *kept,
                 struct weft_err *err) WEFT_MUST_CHECK;

#endif
