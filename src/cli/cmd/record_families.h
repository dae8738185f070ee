/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the families of recorders to preload and finds their libraries. */
#ifndef WEFT_CLI_CMD_RECORD_FAMILIES_H
#define WEFT_CLI_CMD_RECORD_FAMILIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Returns the families (bits 1 << number) of a LIST of names with commas and no blanks, or
 * those that record by default if LIST is NULL.  If a name in LIST is that of no family
 * (also ""), returns 0, and *WRONG is the first such name, which the caller frees;
 * otherwise *WRONG is unchanged.
 */
uint32_t record_parse_families(const char *list, char **wrong);
/* Returns the names of all families of recorders, as "threads, annotations"; the caller
   frees the text. */
char *record_list_families(void);
/*
 * Returns a paragraph for the help: a heading, and a line for each family of recorders with
 * what it records, and whether only if named, or not in this build.  The caller frees it.
 */
char *record_explain_families(void);

/*
 * Returns the colon-separated value of LD_PRELOAD: the path of the core's library, beside
 * this executable or where it was installed, and those of the FAMILIES (bits 1 << number).
 * The caller frees it.  NULL with WEFT_ERR_READ if a library is missing, or its path has a
 * blank or colon.
 */
char *record_find_libraries(uint32_t families, struct weft_err *err);

#endif
