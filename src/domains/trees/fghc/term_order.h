/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in functions in term_order.c, which compare and hash terms. */
#ifndef WEFT_FGHC_TERM_ORDER_H
#define WEFT_FGHC_TERM_ORDER_H

#include "domains/trees/fghc/machine_priv.h"

/*
 * compare(A, B, Order): sets a[2] to -1, 0 or 1, like memcmp(), by the standard order of
 * the terms a[0] and a[1]: numbers, atoms, strings, lists, structures; structures by arity,
 * then name, then arguments.  WAIT: an unbound variable decides it, which is then in
 * pe->waited, or the run has ended; a[2] is no result.
 */
enum outcome run_compare(struct pe *pe, term *a);
/* The test a[0] @< a[1] in the standard order of terms.  WAIT: an unbound variable decides
 * it, which is then in pe->waited, or the run has ended. */
enum outcome run_before(struct pe *pe, term *a);
/* The test a[0] @=< a[1] in the standard order of terms.  WAIT: an unbound variable decides
 * it, which is then in pe->waited, or the run has ended. */
enum outcome run_not_after(struct pe *pe, term *a);
/* The test a[0] @> a[1] in the standard order of terms.  WAIT: an unbound variable decides
 * it, which is then in pe->waited, or the run has ended. */
enum outcome run_after(struct pe *pe, term *a);
/* The test a[0] @>= a[1] in the standard order of terms.  WAIT: an unbound variable decides
 * it, which is then in pe->waited, or the run has ended. */
enum outcome run_not_before(struct pe *pe, term *a);
/* hash(Term, Code): sets a[1] to a code of 28 bits of the constant, or of the name and
 * arity, of a[0], which must be bound; its arguments do not count.  Always YES. */
enum outcome run_hash(struct pe *pe, term *a);

#endif
