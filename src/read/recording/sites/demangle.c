/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Uses libiberty's callback interface with a limit: a mangled name may refer to its own
 * parts, so that each ten characters double the result, and a hundred could fill all
 * memory.
 */
#include "read/recording/sites/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { MAX_TEXT = 64 << 10 };

struct bounded_text {
    char bytes[MAX_TEXT];
    size_t size;
    jmp_buf too_long;
};

static void append_piece(const char *piece, size_t size, void *user)
{
    struct bounded_text *text = user;

    /* The library cannot be stopped otherwise.  It keeps its state on the stack. */
    if (size > MAX_TEXT - text->size)
        longjmp(text->too_long, 1);
    memcpy(text->bytes + text->size, piece, size);
    text->size += size;
}

char *demangle(const char *symbol, bool parameters)
{
    struct bounded_text *text = weft_alloc(sizeof *text);
    int options = DMGL_ANSI | (parameters ? DMGL_PARAMS : 0);
    char *name = NULL;

    text->size = 0;
    if (setjmp(text->too_long) == 0
        && (rust_demangle_callback(symbol, options, append_piece, text)
            || (text->size = 0,
                cplus_demangle_v3_callback(symbol, options, append_piece, text))))
        name = weft_strndup(text->bytes, text->size);
    free(text);
    return name;
}
