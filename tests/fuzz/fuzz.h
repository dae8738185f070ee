/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that all fuzz targets use.  Built with clang and -Dfuzz=true they are libFuzzer
 * programs; replay.c runs the same functions over the files of corpus/ in the ordinary
 * tests.
 */
#ifndef WEFT_FUZZ_H
#define WEFT_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "base/err.h"
#include "base/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A path for this process alone; free it. */
static inline char *fuzz_path(const char *name)
{
    return weft_asprintf("/tmp/weft-fuzz-%ld-%s", (long)getpid(), name);
}

/* Write DATA into a file, always the same one, and return its path. */
static inline const char *fuzz_file(const char *name, const uint8_t *data, size_t size)
{
    static char path[128];
    snprintf(path, sizeof path, "/tmp/weft-fuzz-%ld-%s", (long)getpid(), name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        weft_abort(__FILE__, __LINE__, "cannot write %s", path);
    return path;
}

#endif
