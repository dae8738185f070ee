/* SPDX-License-Identifier: Apache-2.0 */
/* Source files and libraries that are not the program's own, by their paths. */
#ifndef WEFT_READ_RECORDING_FOREIGN_H
#define WEFT_READ_RECORDING_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns true for the path of a header of the system or of a compiler, and for Go's and
 * Rust's own source.
 */
bool foreign_header(const char *file);
/*
 * Returns true if PATH, of SIZE bytes, is that of a library of C or C++, or of the
 * recorder's own.
 */
bool foreign_library(const char *path, size_t size);

#endif
