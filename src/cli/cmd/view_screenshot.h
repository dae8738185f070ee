/* SPDX-License-Identifier: Apache-2.0 */
/* Takes a picture of the workbench with a headless browser. */
#ifndef WEFT_CLI_CMD_VIEW_SCREENSHOT_H
#define WEFT_CLI_CMD_VIEW_SCREENSHOT_H

#include "base/err.h"
#include "base/file.h"

/*
 * Opens URL, which must have a query ("?...", "&shot=H" is appended), in headless
 * Chromium, waits until all is drawn and writes the PNG to out->stream, which stays open;
 * OUT must have a path, beside which temporary files are made.  SIZE is "WxH" in pixels,
 * each 200 to 16384.  Fails with WEFT_ERR_USAGE for another size, WEFT_ERR_READ if the
 * picture cannot be read again, and WEFT_ERR_WRITE, also without a browser.  The caller
 * must block SIGINT, SIGTERM and SIGHUP; if one comes, returns false with
 * WEFT_ERR_CANCELLED, and *SIGNAL_NUMBER is the signal, otherwise 0 or less.
 */
bool view_shot(const char *url, const struct weft_output *out, const char *size,
               int *signal_number, struct weft_err *err);

/*
 * For a child process, before it executes a browser: unblocks all signals, gives SIGPIPE
 * and SIGXFSZ, which weft ignores, their default actions, and points the standard streams
 * at /dev/null.
 */
void view_leave_weft(void);

#endif
