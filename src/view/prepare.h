/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeping what views prepare.  Whoever draws many frames (the workbench's server, a film) has
 * one shelf; weft_prepare looks there for what a request needs, makes it when it is missing
 * (other threads that want the same wait for it), and sets request->prepared.  What is on the
 * shelf lives until the shelf is freed or a source is forgotten.
 */
#ifndef WEFT_VIEW_PREPARE_H
#define WEFT_VIEW_PREPARE_H

#include "view/view.h"

struct weft_shelf;

struct weft_shelf *weft_shelf_new(void);
void weft_shelf_free(struct weft_shelf *shelf);
/* Free what was made of a source, before it is closed.  Nobody may be drawing it. */
void weft_shelf_forget(struct weft_shelf *shelf, const struct weft_source *source);

/* Any thread.  Errors are those of making it; a failure is not remembered. */
bool weft_prepare(struct weft_shelf *shelf, const struct weft_view *view,
                  struct weft_request *request, struct weft_err *err) WEFT_MUST_CHECK;

#endif
