/* SPDX-License-Identifier: Apache-2.0 */
/* Takes a picture of the workbench with a headless browser. */
#ifndef WEFT_CLI_CMD_VIEW_SHOT_H
#define WEFT_CLI_CMD_VIEW_SHOT_H

#include "base/err.h"
#include "base/file.h"

/*
 * Opens URL, which has a query ("?..."), in headless Chromium, waits until all is drawn and
 * writes the PNG into OUT, which stays open.  SIZE is "WxH" in pixels.  The caller blocks
 * SIGINT, SIGTERM and SIGHUP; if one comes, returns false with WEFT_ERR_CANCELLED, and
 * *SIGNAL_NUMBER is set to it.
 */
bool view_shot(const char *url, const struct weft_output *out, const char *size,
               int *signal_number, struct weft_err *err);

/*
 * In a child that becomes a browser: resets the signals that weft blocks or ignores, and
 * points the standard streams at /dev/null.
 */
void view_leave_weft(void);

#endif
