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
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A path for this process alone, best in memory (TMPDIR=/dev/shm); free it. */
static inline char *fuzz_path(const char *name)
{
    const char *folder = getenv("TMPDIR");
    return weft_asprintf("%s/weft-fuzz-%ld-%s", folder && *folder ? folder : "/tmp",
                         (long)getpid(), name);
}

/* Write DATA into a file, always the same one, and return its path. */
static inline const char *fuzz_file(const char *name, const uint8_t *data, size_t size)
{
    static char path[512];
    char *chosen = fuzz_path(name);
    snprintf(path, sizeof path, "%s", chosen);
    free(chosen);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        weft_abort(__FILE__, __LINE__, "cannot write %s", path);
    return path;
}

#endif
