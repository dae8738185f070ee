/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the families of recorders to preload and finds their libraries. */
#ifndef WEFT_CLI_CMD_RECORD_FAMILIES_H
#define WEFT_CLI_CMD_RECORD_FAMILIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/*
 * The families (bits 1 << number) of a LIST of names with commas, or those that
 * record by default when LIST is NULL.  0: *wrong is a name that no family has (free it).
 */
uint32_t record_parse_families(const char *list, char **wrong);
/* "threads, annotations": all that there are; free it. */
char *record_list_families(void);
/* The same with what each records, for the help: a line each; free it. */
char *record_explain_families(void);

/*
 * Returns the value of LD_PRELOAD: the core's library, beside this very program or where it
 * was installed, and those of the families, which lie with it.  The caller frees it; NULL
 * with *err on failure.
 */
char *record_find_libraries(uint32_t families, struct weft_err *err);

#endif
