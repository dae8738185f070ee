/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in functions in functions_order.c, which compare and hash terms. */
#ifndef WEFT_FGHC_FUNCTIONS_PRIV_H
#define WEFT_FGHC_FUNCTIONS_PRIV_H

#include "domains/trees/fghc/machine_priv.h"

/* Each works on the array A of its arguments and stores its results there
 * (function_run). */
enum outcome run_compare(struct pe *pe, term *a);
enum outcome run_before(struct pe *pe, term *a);
enum outcome run_not_after(struct pe *pe, term *a);
enum outcome run_after(struct pe *pe, term *a);
enum outcome run_not_before(struct pe *pe, term *a);
enum outcome run_hash(struct pe *pe, term *a);

#endif
