/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in functions in term_order.c, which compare and hash terms. */
#ifndef WEFT_FGHC_TERM_ORDER_H
#define WEFT_FGHC_TERM_ORDER_H

#include "domains/trees/fghc/machine_priv.h"

/*
 * The built-in function compare(A, B, Order): sets a[2] to -1, 0 or 1 if the term a[0] is
 * before, equal to or after a[1] in the standard order of terms: numbers, atoms, strings,
 * lists, structures; structures by arity, then name, then arguments.  Returns YES; or WAIT
 * if an unbound variable decides it, which is then in pe->waited, or the run has ended:
 * a[2] is then no result.
 */
enum outcome run_compare(struct pe *pe, term *a);
/* The test @<.  Returns YES if the term a[0] is before a[1] in the standard order of terms,
 * NO if not; WAIT if an unbound variable decides it, which is then in pe->waited, or the
 * run has ended. */
enum outcome run_before(struct pe *pe, term *a);
/* The test @=<.  Returns YES if the term a[0] is before or equal to a[1] in the standard
 * order of terms, NO if not; WAIT if an unbound variable decides it, which is then in
 * pe->waited, or the run has ended. */
enum outcome run_not_after(struct pe *pe, term *a);
/* The test @>.  Returns YES if the term a[0] is after a[1] in the standard order of terms,
 * NO if not; WAIT if an unbound variable decides it, which is then in pe->waited, or the
 * run has ended. */
enum outcome run_after(struct pe *pe, term *a);
/* The test @>=.  Returns YES if the term a[0] is after or equal to a[1] in the standard
 * order of terms, NO if not; WAIT if an unbound variable decides it, which is then in
 * pe->waited, or the run has ended. */
enum outcome run_not_before(struct pe *pe, term *a);
/* The built-in function hash(Term, Code): sets a[1] to an integer of 28 bits that depends
 * on the constant a[0], or on the name and arity of the structure a[0] (its arguments do
 * not count).  a[0] must be bound and dereferenced.  Always returns YES. */
enum outcome run_hash(struct pe *pe, term *a);

#endif
