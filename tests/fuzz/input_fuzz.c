/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a compressed stream; output is bounded so that a bomb is no hang. */
#include "fuzz.h"

#include "read/reader.h"

enum { PIECE = 64 * 1024, MAX_BYTES = 16 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned char buffer[PIECE];
    struct weft_err err = { 0 };
    struct weft_input *input = weft_input_open(fuzz_file("input", data, size), NULL, &err);
    if (!input)
        return 0;
    for (int round = 0; round < 2; round++) {
        int64_t got;
        size_t total = 0;
        while (total < MAX_BYTES && (got = weft_input_read(input, buffer, PIECE, &err)) > 0)
            total += (size_t)got;
        if (!weft_input_rewind(input, &err))
            break;
    }
    weft_input_close(input);
    return 0;
}
