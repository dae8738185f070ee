/* SPDX-License-Identifier: Apache-2.0 */
/* A layout of the workbench that has the panels which somebody named. */
#ifndef WEFT_CLI_VIEW_PANELS_H
#define WEFT_CLI_VIEW_PANELS_H

#include <stdbool.h>

#include "base/err.h"

/*
 * The text of a layout file, to be freed, with a panel for each of NAMES, which ends with
 * NULL: three at most one above the other, more of them in rows of two.  Error: no view is
 * called so.
 */
bool view_panels_layout(const char *const *names, char **layout,
                        struct weft_err *err) WEFT_MUST_CHECK;

#endif
