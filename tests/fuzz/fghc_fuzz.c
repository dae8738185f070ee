/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an FGHC program, and those after a NUL as a goal for it: read, not run. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "fghc/program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weft_err err = { 0 };
    struct program program;
    struct query query = { 0 };
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    size_t length = nul ? (size_t)(nul - data) : size;
    if (!program_read(&program, fuzz_file("fghc", data, length), &err)) {
        if (!err.message[0])
            abort(); /* a refusal says why */
        return 0;
    }
    char *goal =
        nul ? weft_strndup((const char *)nul + 1, size - length - 1) : weft_strdup("main");
    (void)!program_read_goal(&program, goal, &query, &err);
    free(goal);
    program_free(&program);
    return 0;
}
