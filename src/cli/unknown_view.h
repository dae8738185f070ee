/* SPDX-License-Identifier: Apache-2.0 */
/* The message for a name that no view has. */
#ifndef WEFT_CLI_UNKNOWN_VIEW_H
#define WEFT_CLI_UNKNOWN_VIEW_H

#include "view/view.h"

/*
 * Returns the message that none of VIEWS is called NAME, with the nearest name if one is
 * near; the caller frees it.
 */
char *unknown_view(const struct weft_views *views, const char *name);

#endif
