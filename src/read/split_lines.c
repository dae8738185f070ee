/* SPDX-License-Identifier: Apache-2.0 */
#include "read/split_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { BLOCK = 1 << 20 /* bytes read at a time */ };

bool weft_split_lines(struct weft_input *input, const struct weft_line_receiver *receiver,
                      struct weft_lines_end *end, struct weft_job *job,
                      struct weft_err *err)
{
    char *buffer = weft_alloc(BLOCK);
    size_t kept = 0; /* bytes behind the last newline of the block before */
    bool ok = true, more = true;
    *end = (struct weft_lines_end){ 0 };
    while (ok && more) {
        struct weft_err failure = { 0 };
        if (kept > receiver->longest)
            kept = receiver->longest;
        int64_t got = weft_input_read(input, buffer + kept, BLOCK - kept, &failure);
        more = got > 0;
        if (got < 0 && failure.code == WEFT_ERR_FORMAT && receiver->begun(receiver->user))
            end->damage = failure;
        else if (got < 0 && err)
            *err = failure;
        ok = got >= 0 || end->damage.code != WEFT_OK;
        const char *at = buffer, *stop = buffer + kept + (more ? got : 0);
        for (const char *newline; ok && (newline = memchr(at, '\n', (size_t)(stop - at)));
             at = newline + 1)
            ok = receiver->line(receiver->user, at, newline, err);
        kept = (size_t)(stop - at);
        if (ok && !more && kept) {
            end->unfinished = kept;
            ok = receiver->line(receiver->user, at, stop, err);
        }
        memmove(buffer, at, kept);
        ok = ok && weft_job_step(job, weft_input_taken(input), weft_input_size(input), err);
    }
    free(buffer);
    return ok;
}
