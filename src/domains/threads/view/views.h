/* SPDX-License-Identifier: Apache-2.0 */
/* The views of the domain of threads; each is defined in the file of its name. */
#ifndef WEFT_DOMAINS_THREADS_VIEWS_H
#define WEFT_DOMAINS_THREADS_VIEWS_H

#include "view/view.h"

/* The view of threads: where the time of each went. */
extern const struct weft_view weft_view_threads;
/* The view of locks: how often each was taken, how long held and waited for, by whom. */
extern const struct weft_view weft_view_lock_summary;
/* The view of waits: how long threads waited for what, at each place in the program. */
extern const struct weft_view weft_view_wait_summary;
/* The view of memory: what each line allocated, and what of it was live, over time. */
extern const struct weft_view weft_view_memory;

#endif
