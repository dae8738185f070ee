/* SPDX-License-Identifier: Apache-2.0 */
/* Finds files that belong to this weft: where it is installed, or in its build folder. */
#ifndef WEFT_BASE_INSTALLED_FILE_H
#define WEFT_BASE_INSTALLED_FILE_H

#include <stddef.h>

/*
 * Returns the path of the first file NAME in one of N FOLDERS, which are relative to the
 * folder of the running program, and may be patterns of glob(); NULL if there is none, or
 * no /proc.  The caller frees it.
 */
char *weft_find_installed(const char *const *folders, size_t n, const char *name);

#endif
