/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of processors in a display: by number, as a Gray code (neighbours differ in one
 * bit), or from a file (Heath, Finger: ParaGraph, 2003, section 6, "Order").
 *
 * An order file has a line for each processor: its number, its position, and perhaps a
 * name.  Numbers that the run does not have are skipped, so that one file serves runs of
 * several sizes; processors that the file does not name take the free positions in order of
 * their numbers.  Empty lines, and lines that begin with '#', are ignored.
 */
#ifndef WEFT_MODEL_ORDER_H
#define WEFT_MODEL_ORDER_H

#include "base/err.h"

struct weft_order {
    uint32_t n;
    uint32_t *position;  /* [n], by processor */
    uint32_t *processor; /* [n], by position */
    /* [n], by processor, NULL where the file gives no name; NULL if it gives none at all */
    char **names;
};

/* The names of the orders that need no file. */
#define WEFT_ORDER_CHOICES "natural|gray"

bool weft_order_has_gray(uint32_t n); /* true if N is a power of two */

/*
 * Makes the order SETTING of N processors: "natural", "gray", or the content of an order
 * file.  Fails with WEFT_ERR_USAGE if N has no Gray code, or a line is malformed, repeats a
 * processor or position, or has a position not below N.  The caller frees ORDER with
 * weft_order_free, also after a failure.
 */
bool weft_order_make(uint32_t n, const char *setting, struct weft_order *order,
                     struct weft_err *err) WEFT_MUST_CHECK;
void weft_order_free(struct weft_order *order);

#endif
