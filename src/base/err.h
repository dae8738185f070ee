/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors: struct weft_err, in which a function says why it failed, and WEFT_REQUIRE().
 * There are three kinds of trouble and one tool for each:
 *
 *   - the programmer's mistake            WEFT_REQUIRE() aborts, in every build;
 *   - the environment's or the user's     a fallible function returns false (or NULL) and
 *                                         fills the caller's struct weft_err;
 *   - bad content of a trace              a problem row in the store; reading goes on.
 *
 * A struct weft_err is a plain value on the caller's stack: nothing to free, nothing
 * thread-local, nothing printed by a library.  Only the command line prints.
 */
#ifndef WEFT_BASE_ERR_H
#define WEFT_BASE_ERR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The sort of an error, and the exit status of weft for it. */
enum weft_err_code {
    WEFT_OK = 0,
    WEFT_ERR_USAGE,     /* invalid request: exit 2 */
    WEFT_ERR_READ,      /* the input cannot be opened or read: exit 3 */
    WEFT_ERR_FORMAT,    /* the input does not follow its format: exit 3 */
    WEFT_ERR_WRITE,     /* the output cannot be written: exit 4 */
    WEFT_ERR_LIMIT,     /* a size in the input is beyond what Weft accepts: exit 3 */
    WEFT_ERR_CANCELLED, /* the user asked to stop: exit 130 */
};

/*
 * Why a function failed: a plain value on the caller's stack, with nothing to free, which
 * the function sets when it fails.
 */
struct weft_err {
    enum weft_err_code code;
    /* In `file` and `message`, the middle of a text that is too long becomes "...". */
    char file[256];    /* path of the file at fault, or "" */
    uint64_t line;     /* 1-based line in it, or 0 */
    char message[512]; /* what is wrong, and what would be right; no newline */
};

/*
 * Behind a declaration.  WEFT_PRINTF: the compiler checks the arguments from number ARGS on
 * against the printf() format that is argument FMT, both counted from 1.  WEFT_MUST_CHECK:
 * it warns where the function's result is ignored.
 */
#define WEFT_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define WEFT_MUST_CHECK        __attribute__((warn_unused_result))

/*
 * Sets *ERR (nothing if ERR is NULL) to CODE and the printed message, without file and
 * line, and returns false always, so that "return weft_fail(...)" is one line.  Arguments
 * may be texts of *ERR itself.
 */
bool weft_fail(struct weft_err *err, enum weft_err_code code, const char *fmt, ...)
    WEFT_PRINTF(3, 4);

/*
 * Sets *ERR (nothing if ERR is NULL) to CODE, the printed message, FILE (NULL: no file) and
 * LINE (from 1; 0: no line); returns false always.  Arguments may be texts of *ERR itself.
 */
bool weft_fail_at(struct weft_err *err, enum weft_err_code code, const char *file,
                  uint64_t line, const char *fmt, ...) WEFT_PRINTF(5, 6);

/*
 * After a failed system call: sets *ERR (nothing if ERR is NULL) to CODE and the printed
 * message, ": " and strerror(errno), which are never cut off, without file and line;
 * returns false always.
 */
bool weft_fail_errno(struct weft_err *err, enum weft_err_code code, const char *fmt, ...)
    WEFT_PRINTF(3, 4);

/*
 * Writes "FILE:LINE: message" to OUT[SIZE], cut to fit, with NUL; "FILE: message" if
 * err->line is 0, and the message alone if err->file is "".
 */
void weft_err_format(const struct weft_err *err, char *out, size_t size);

/*
 * Returns weft's exit status for CODE: 0 for WEFT_OK, 2 WEFT_ERR_USAGE, 4 WEFT_ERR_WRITE,
 * 130 WEFT_ERR_CANCELLED, 3 all others.
 */
int weft_err_exit_status(enum weft_err_code code);

/*
 * Prints FILE, LINE (of the source code, __FILE__ and __LINE__) and the message on
 * standard error and aborts; for WEFT_REQUIRE.
 */
_Noreturn void weft_abort(const char *file, int line, const char *fmt, ...)
    WEFT_PRINTF(3, 4);

/*
 * Checks COND, which only a mistake in Weft can make false, in every build: if it is false,
 * prints the place in the source and a printf() format with its arguments, and aborts.
 */
#define WEFT_REQUIRE(cond, ...)                                                            \
 do {                                                                                      \
  if (!(cond))                                                                             \
   weft_abort(__FILE__, __LINE__, __VA_ARGS__);                                            \
 } while (0)

#endif
