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
#ifndef WEFT_MODEL_PROCESSOR_ORDER_H
#define WEFT_MODEL_PROCESSOR_ORDER_H

#include "base/err.h"

/*
 * An order of N processors in a display; made by weft_order_make, freed by weft_order_free.
 */
struct weft_order {
    uint32_t n;
    uint32_t *position;  /* [n], by processor: where it stands, from 0 */
    uint32_t *processor; /* [n], by position: which processor stands there */
    /* [n], by processor, NULL where the file gives no name; NULL if it gives none at all */
    char **names;
};

/*
 * The orders that weft_order_make knows by name, as weft_parameter.choices (view.h); any
 * other text is the content of an order file.
 */
#define WEFT_ORDER_CHOICES "natural|gray"

/* Returns true if N processors have a Gray code: N is a power of two, from 1 on. */
bool weft_order_has_gray(uint32_t n);

/*
 * Makes the order SETTING of N processors: "natural", "gray", or the text in an order file
 * (not its path), whose lines are "processor position [name]", counted from 0.  Lines of
 * processors from N on are skipped; processors without a line take the free positions.
 * Fails with WEFT_ERR_USAGE if "gray" is asked for and N is no power of two, or a line is
 * malformed, repeats a processor or position, or has a position not below N.  Sets *ORDER,
 * whatever it held; the caller frees it with weft_order_free, also after a failure.
 */
bool weft_order_make(uint32_t n, const char *setting, struct weft_order *order,
                     struct weft_err *err) WEFT_MUST_CHECK;
/* Frees what ORDER holds and zeroes it, also if it was zeroed before. */
void weft_order_free(struct weft_order *order);

#endif
