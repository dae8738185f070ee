/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In which order processors stand in a display: by number, as a Gray code (neighbours differ in
 * one bit), or as a file says (Heath, Finger: ParaGraph, 2003, section 6, "Order").
 *
 * An order file has a line for each processor: its number, the position where it shall stand,
 * and perhaps a name.  Numbers that the run does not have are passed over, so that one file
 * serves runs of several sizes; processors that the file does not name take the positions
 * that are left, by number.  Empty lines, and lines that begin with '#', say nothing.
 */
#ifndef WEFT_MODEL_ORDER_H
#define WEFT_MODEL_ORDER_H

#include "base/err.h"

struct weft_order {
    uint32_t n;
    uint32_t *position;  /* [n], by processor */
    uint32_t *processor; /* [n], by position */
    char **names;        /* [n], by processor: of the file, or NULL; NULL: it names none */
};

/* What a choice of view/view.h has for orders that need no file. */
#define WEFT_ORDER_CHOICES "natural|gray"

bool weft_order_has_gray(uint32_t n); /* whether N is a power of two */

/*
 * The order that SETTING says for N processors: "natural", "gray", or the content of an order
 * file.  Errors, WEFT_ERR_USAGE: Gray code of a number that is no power of two, and a line that
 * is not as above or takes a position that another has, or that the run does not have.  The
 * caller frees it, also after an error.
 */
bool weft_order_make(uint32_t n, const char *setting, struct weft_order *order,
                     struct weft_err *err) WEFT_MUST_CHECK;
void weft_order_free(struct weft_order *order);

#endif
