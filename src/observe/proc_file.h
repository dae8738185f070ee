/* SPDX-License-Identifier: Apache-2.0 */
/* Reads small files of /proc. */
#ifndef WEFT_OBSERVE_PROC_FILE_H
#define WEFT_OBSERVE_PROC_FILE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Reads the file at PATH into TEXT[SIZE], SIZE at least 1, by one read(): at most SIZE - 1
 * bytes, and a NUL behind them.  The rest of a longer file is left out without notice.
 * Returns false, with "" in TEXT, if the file does not exist, cannot be read, or is empty.
 */
bool proc_file_read(const char *path, char *text, size_t size);

#endif
