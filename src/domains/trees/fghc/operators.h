/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operators of the language, for reading and printing terms.  The lower its priority,
 * the tighter an operator binds, as in Prolog.
 */
#ifndef WEFT_FGHC_OPERATORS_H
#define WEFT_FGHC_OPERATORS_H

#include <stdbool.h>
#include <stddef.h>

/* Priorities of operators, as in Prolog: the lower, the tighter an operator binds. */
enum {
    PRIORITY_CLAUSE = 1200,  /* ":-", the loosest: a term of any operator */
    PRIORITY_COMMA = 1000,   /* "," between goals */
    PRIORITY_ARGUMENT = 999, /* the greatest in an argument or a list without parentheses */
};

/* An operator of the language: a constant entry of a table. */
struct operator_entry {
    const char *text; /* its name */
    /* Its priority, and the greatest priorities that its left and its right operand may
     * have without parentheses; left is 0 for a prefix operator. */
    int priority, left, right;
};

/* Returns the infix operator with the name TEXT of LENGTH bytes, or NULL if there is none.
 * The entry is constant and lives for ever. */
const struct operator_entry *operator_infix(const char *text, size_t length);
/* Returns the prefix operator with the name TEXT of LENGTH bytes, or NULL if there is none.
 * The entry is constant and lives for ever. */
const struct operator_entry *operator_prefix(const char *text, size_t length);

/* Returns true for a character of symbol atoms, which are atoms without quotes such as
 * "=<" or ":-"; false for all others: letters, digits, "_", spaces, quotes, brackets, ",",
 * "|", ";", "!", "%" and NUL. */
bool operator_symbol(char c);

#endif
