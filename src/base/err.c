/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

WEFT_PRINTF(5, 0)
static void set(struct weft_err *err, enum weft_err_code code, const char *file,
                uint64_t line, const char *fmt, va_list args)
{
    if (!err)
        return;
    err->code = code;
    err->line = line;
    snprintf(err->file, sizeof err->file, "%s", file ? file : "");
    vsnprintf(err->message, sizeof err->message, fmt, args);
}

bool weft_fail(struct weft_err *err, enum weft_err_code code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    set(err, code, NULL, 0, fmt, args);
    va_end(args);
    return false;
}

bool weft_fail_at(struct weft_err *err, enum weft_err_code code, const char *file,
                  uint64_t line, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    set(err, code, file, line, fmt, args);
    va_end(args);
    return false;
}

/*
 * The reason behind a message: a path may be so long that there is no room for both, and then it is
 * shown by its begin.
 */
static void add_reason(char *message, size_t size, int number)
{
    char reason[128];
    snprintf(reason, sizeof reason, ": %s", strerror(number));
    size_t used = strlen(message), length = strlen(reason);
    if (used + length >= size) {
        static const char more[] = "…";
        used = size - 1 - length - strlen(more);
        while (used && ((unsigned char)message[used] & 0xc0) == 0x80)
            used--;
        used += (size_t)sprintf(message + used, "%s", more);
    }
    memcpy(message + used, reason, length + 1);
}

bool weft_fail_errno(struct weft_err *err, enum weft_err_code code, const char *fmt, ...)
{
    int saved = errno;
    va_list args;
    va_start(args, fmt);
    set(err, code, NULL, 0, fmt, args);
    va_end(args);
    if (err)
        add_reason(err->message, sizeof err->message, saved);
    return false;
}

void weft_err_format(const struct weft_err *err, char *out, size_t size)
{
    if (err->file[0] && err->line)
        snprintf(out, size, "%s:%llu: %s", err->file, (unsigned long long)err->line,
                 err->message);
    else if (err->file[0])
        snprintf(out, size, "%s: %s", err->file, err->message);
    else
        snprintf(out, size, "%s", err->message);
}

int weft_err_exit_status(enum weft_err_code code)
{
    switch (code) {
    case WEFT_OK: return 0;
    case WEFT_ERR_USAGE: return 2;
    case WEFT_ERR_WRITE: return 4;
    case WEFT_ERR_CANCELLED: return 130;
    case WEFT_ERR_READ:
    case WEFT_ERR_FORMAT:
    case WEFT_ERR_LIMIT: break;
    }
    return 3;
}

void weft_abort(const char *file, int line, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fprintf(stderr, "weft: internal error at %s:%d: ", file, line);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    abort();
}
