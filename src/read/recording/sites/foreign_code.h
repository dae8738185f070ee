/* SPDX-License-Identifier: Apache-2.0 */
/* Source files and libraries that are not the program's own, by their paths. */
#ifndef WEFT_READ_RECORDING_FOREIGN_CODE_H
#define WEFT_READ_RECORDING_FOREIGN_CODE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns true if FILE, the path of a source file (not NULL), is that of a header of the
 * system or of a compiler, or of Go's or Rust's own source.
 */
bool foreign_header(const char *file);
/*
 * Returns true if PATH, SIZE bytes without a NUL, is that of a library of C or C++ or of
 * the recorder, by its file name ("libstdc++.so.6").
 */
bool foreign_library(const char *path, size_t size);

#endif
