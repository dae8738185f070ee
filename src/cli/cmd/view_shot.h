/* SPDX-License-Identifier: Apache-2.0 */
/* A picture of the workbench, by a browser without a window. */
#ifndef WEFT_CLI_CMD_VIEW_SHOT_H
#define WEFT_CLI_CMD_VIEW_SHOT_H

#include "base/err.h"

/* Open URL, which has a query, in headless Chromium, wait until all is drawn, write the PNG. SIZE is "WxH". */
bool view_shot(const char *url, const char *output, const char *size, struct weft_err *err);

#endif
