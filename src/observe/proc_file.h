/* SPDX-License-Identifier: Apache-2.0 */
/* Small files of /proc. */
#ifndef WEFT_OBSERVE_PROC_FILE_H
#define WEFT_OBSERVE_PROC_FILE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Reads the first SIZE - 1 bytes of the file at PATH into TEXT, with a NUL behind them.
 * Returns false, with "" in TEXT, if there is none, it may not be read, or it is empty.
 */
bool proc_file_read(const char *path, char *text, size_t size);

#endif
