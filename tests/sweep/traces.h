/* SPDX-License-Identifier: Apache-2.0 */
/* The traces that the sweep draws; each is made when it is needed, whole or damaged. */
#ifndef WEFT_TESTS_SWEEP_TRACES_H
#define WEFT_TESTS_SWEEP_TRACES_H

#include "store/build/builder.h"
#include "store/trace/trace.h"

/*
 * A store in PATH with ROWS threads in groups of 16.  It has what views look for: states in
 * states, events, variables, links, locks with fields, and reductions with their parents.
 * With MEANINGS they have roles, as in a recording: locks are folded then, and processor time
 * has a slope.  Without, it is a trace that nobody explained.
 */
void make_trace(const char *path, unsigned rows, bool meanings);

/* A run of message passing: calls, messages of any size, and collective operations of all kinds. */
void make_messages(const char *path, unsigned ranks);

/*
 * Copy the store FROM to PATH with FLIPS bits turned over in its summaries of shares, and the
 * checksums of these and of the header made good again.
 */
void copy_damaged(const char *from, const char *path, unsigned flips);

#endif
