/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State that the server keeps for its user between runs, in a folder that only this user
 * can read: the token, so that open tabs and bookmarked addresses work again.
 */
#ifndef WEFT_SERVE_ACCESS_TOKEN_H
#define WEFT_SERVE_ACCESS_TOKEN_H

#include "base/err.h"

enum { TOKEN_SIZE = 33 }; /* 128 bits in hexadecimal, and the NUL */

/*
 * Returns the path of $XDG_STATE_HOME/weft, or $HOME/.local/state/weft if that is unset or
 * not absolute, made with its parents if it does not exist; the caller frees it.  NULL if
 * there can be no such folder: nothing is remembered.
 */
char *state_folder(void);

/*
 * Sets TOKEN to that in the file FOLDER/token; to a new one, stored there, if there is
 * none or FRESH asks for it; to one for this run alone (*KEPT is false) if FOLDER is NULL
 * or cannot be written.  Returns false with WEFT_ERR_READ if the file cannot be read, is
 * no token, or other users could read it or have made it, or there are no random numbers;
 * with WEFT_ERR_WRITE if a FRESH one cannot replace the old one, which would be valid
 * again at the next start.
 */
bool state_token(char token[TOKEN_SIZE], const char *folder, bool fresh, bool *kept,
                 struct weft_err *err) WEFT_MUST_CHECK;

#endif
