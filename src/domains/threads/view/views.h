/* SPDX-License-Identifier: Apache-2.0 */
/* The views of this domain. */
#ifndef WEFT_DOMAINS_THREADS_VIEWS_H
#define WEFT_DOMAINS_THREADS_VIEWS_H

#include "view/view.h"

extern const struct weft_view weft_view_lock_summary;
extern const struct weft_view weft_view_wait_summary;

#endif
