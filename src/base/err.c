/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WHOLE = 8 << 10 /* bytes of a message before it is cut: two paths and what is wrong */
};

static bool is_inside(char byte) /* True for a continuation byte of UTF-8. */
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/*
 * Copies TEXT; replaces the middle by "..." if it is too long, since the reason follows
 * names that may be long.
 */
static void fit(char *out, size_t size, const char *text)
{
    static const char cut[] = "...";
    size_t length = strlen(text), most = size - sizeof cut, head = most / 2;
    if (length < size) {
        memmove(out, text, length + 1);
        return;
    }
    size_t tail = length - (most - head);
    while (head && is_inside(text[head]))
        head--;
    while (is_inside(text[tail]))
        tail++;
    snprintf(out, size, "%.*s%s%s", (int)head, text, cut, text + tail);
}

/* REASON: why a system call failed, or NULL. */
WEFT_PRINTF(6, 0)
static void set(struct weft_err *err, enum weft_err_code code, const char *file,
                uint64_t line, const char *reason, const char *fmt, va_list args)
{
    if (!err)
        return;
    err->code = code;
    err->line = line;
    char whole[WHOLE];
    vsnprintf(whole, sizeof whole, fmt, args);
    if (reason) {
        size_t used = strlen(whole), most = sizeof whole - strlen(reason) - sizeof ": ";
        used = used < most ? used : most;
        snprintf(whole + used, sizeof whole - used, ": %s", reason);
    }
    fit(err->file, sizeof err->file, file ? file : "");
    fit(err->message, sizeof err->message, whole);
}

bool weft_fail(struct weft_err *err, enum weft_err_code code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    set(err, code, NULL, 0, NULL, fmt, args);
    va_end(args);
    return false;
}

bool weft_fail_at(struct weft_err *err, enum weft_err_code code, const char *file,
                  uint64_t line, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    set(err, code, file, line, NULL, fmt, args);
    va_end(args);
    return false;
}

bool weft_fail_errno(struct weft_err *err, enum weft_err_code code, const char *fmt, ...)
{
    int saved = errno;
    va_list args;
    va_start(args, fmt);
    set(err, code, NULL, 0, strerror(saved), fmt, args);
    va_end(args);
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
