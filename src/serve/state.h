/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State that the server keeps for its user from one run to the next, in a folder that only
 * this person can read: the token, so that open tabs and kept addresses work again.
 */
#ifndef WEFT_SERVE_STATE_H
#define WEFT_SERVE_STATE_H

#include "base/err.h"

enum { TOKEN_SIZE = 33 }; /* 128 bits in hexadecimal, and the end */

/*
 * XDG_STATE_HOME/weft, or ~/.local/state/weft: its path (free it), made when it is not
 * there. NULL: there is no such folder, and nothing can be remembered.
 */
char *state_folder(void);

/*
 * The token in FOLDER; a new one when there is none or FRESH asks for it, and one for this
 * run alone (*KEPT is false) when FOLDER is NULL or cannot be written.  A file that others
 * could read or have made is not believed: WEFT_ERR_READ.  A FRESH one that cannot be
 * written over the old one, which would be good again at the next start: WEFT_ERR_WRITE.
 */
bool state_token(char token[TOKEN_SIZE], const char *folder, bool fresh, bool *kept,
                 struct weft_err *err) WEFT_MUST_CHECK;

#endif
