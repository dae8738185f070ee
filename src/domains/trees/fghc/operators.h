/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operators of the language, for reading and printing terms.  The lower its priority,
 * the tighter an operator binds, as in Prolog.
 */
#ifndef WEFT_FGHC_OPERATORS_H
#define WEFT_FGHC_OPERATORS_H

#include <stdbool.h>
#include <stddef.h>

enum {
    PRIORITY_CLAUSE = 1200,
    PRIORITY_COMMA = 1000,
    PRIORITY_ARGUMENT = 999,
};

struct operator_entry {
    const char *text;
    /* The operator's priority, and the greatest of its operands; left is 0 for a prefix
     * operator. */
    int priority, left, right;
};

/* Returns the infix operator with the name TEXT of LENGTH bytes, or NULL. */
const struct operator_entry *operator_infix(const char *text, size_t length);
/* Returns the prefix operator with the name TEXT of LENGTH bytes, or NULL. */
const struct operator_entry *operator_prefix(const char *text, size_t length);

/* Returns true for the characters of symbol atoms such as "=<". */
bool operator_symbol(char c);

#endif
