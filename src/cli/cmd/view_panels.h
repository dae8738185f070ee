/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a layout of the workbench with the panels of the given views. */
#ifndef WEFT_CLI_VIEW_PANELS_H
#define WEFT_CLI_VIEW_PANELS_H

#include <stdbool.h>

#include "base/err.h"
#include "view/view.h"

/*
 * Sets *LAYOUT to the text (not the path) of a layout file, which the caller frees, with a
 * panel for each of the views NAMES, at least one, which ends with NULL: up to three one
 * above the other, more in rows of two.  Returns false with WEFT_ERR_USAGE if a name is
 * that of none of VIEWS, or WEFT_ERR_WRITE without memory; nothing is to be freed then.
 */
bool view_panels_layout(const char *const *names, const struct weft_views *views,
                        char **layout, struct weft_err *err) WEFT_MUST_CHECK;

#endif
