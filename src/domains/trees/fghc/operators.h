/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operators of the language, for whoever reads or prints terms.  A priority says how much
 * an operator holds together: less binds tighter, as in Prolog.
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
    /* Its own priority, and the greatest that its operands may have; a prefix operator has no
     * left one. */
    int priority, left, right;
};

/* The operator between two operands, or NULL. */
const struct operator_entry *operator_infix(const char *text, size_t length);
/* The operator before one operand, or NULL. */
const struct operator_entry *operator_prefix(const char *text, size_t length);

/* True of the characters that names such as "=<" consist of. */
bool operator_symbol(char c);

#endif
