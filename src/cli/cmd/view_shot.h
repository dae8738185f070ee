/* SPDX-License-Identifier: Apache-2.0 */
/* A picture of the workbench, by a browser without a window. */
#ifndef WEFT_CLI_CMD_VIEW_SHOT_H
#define WEFT_CLI_CMD_VIEW_SHOT_H

#include "base/err.h"
#include "base/file.h"

/*
 * Open URL, which has a query, in headless Chromium, wait until all is drawn, write the PNG
 * into OUT, which stays open.  SIZE is "WxH".  SIGINT, SIGTERM and SIGHUP are blocked; one
 * that comes ends it with WEFT_ERR_CANCELLED and is told in *signal_number.
 */
bool view_shot(const char *url, const struct weft_output *out, const char *size,
               int *signal_number, struct weft_err *err);

/*
 * In a child that becomes a browser: signals end it as they end any program, though weft
 * blocks and ignores some, and it has nothing to read and nowhere to talk to.
 */
void view_leave_weft(void);

#endif
