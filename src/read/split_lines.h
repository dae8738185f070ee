/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a text line by line, for formats whose lines are short and each stands alone. */
#ifndef WEFT_READ_SPLIT_LINES_H
#define WEFT_READ_SPLIT_LINES_H

#include "read/reader.h"

/* The receiver of the lines of a text. */
struct weft_line_receiver {
    void *user;     /* passed to both functions */
    size_t longest; /* bytes of a line: a longer one lacks some from its middle */
    /*
     * Takes the line [AT, END), without its newline.  Returns true; or false with *ERR,
     * which ends the reading.
     */
    bool (*line)(void *user, const char *at, const char *end, struct weft_err *err);
    /*
     * Returns true if lines are a trace by now: damaged compression is then a fault of the
     * trace, and what was read before it stands.
     */
    bool (*begun)(void *user);
};

/* The end of a text. */
struct weft_lines_end {
    size_t unfinished;      /* bytes of the last line, if it has no newline; else 0 */
    struct weft_err damage; /* WEFT_ERR_FORMAT if the input is damaged; else code WEFT_OK */
};

/*
 * Passes the lines of INPUT from its position on to RECEIVER, also the last one without a
 * newline, and sets *END.  Returns false with *ERR if the input cannot be read, RECEIVER
 * refuses a line, or JOB (may be NULL) is cancelled.
 */
bool weft_split_lines(struct weft_input *input, const struct weft_line_receiver *receiver,
                      struct weft_lines_end *end, struct weft_job *job,
                      struct weft_err *err) WEFT_MUST_CHECK;

#endif
