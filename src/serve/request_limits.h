/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The largest sizes and numbers that the server accepts in a request and makes in its
 * answer. `weft help view` and doc/command-line.md also state them, and the tests in
 * tests/serve try them.
 */
#ifndef WEFT_SERVE_REQUEST_LIMITS_H
#define WEFT_SERVE_REQUEST_LIMITS_H

/*
 * The limits.  A panel shows a view in the page; a sheet is one picture of several panels;
 * a mark is a moment or interval of a trace that a user has noted with a text.
 */
enum {
    LIMIT_HEAD = 64 << 10,   /* bytes of a request's head: bookmarked addresses are long */
    LIMIT_PARAMETERS = 128,  /* of a request: several times as many as any view has */
    LIMIT_BODY = 4 << 20,    /* bytes: a set of 10^5 scattered entities has 1.5 million */
    LIMIT_BODIES = 64 << 20, /* bytes of all bodies of requests without an answer */

    LIMIT_SEARCH =
        1000, /* bytes of a text or pattern to search for: it is compared with all names */

    LIMIT_SIDE = 16384,      /* pixels of a picture's side */
    LIMIT_PIXELS = 80 << 20, /* of a picture, or of a sheet and its panels together: a
                                sheet of an 8K screen has 66 million */
    LIMIT_ALL_PIXELS =
        160 << 20,     /* of all pictures that are being made; each takes up to 16 bytes
                          a pixel while it is written as PNG */
    LIMIT_PANELS = 64, /* of a sheet */
    LIMIT_SCENE =
        768 << 20, /* bytes of the marks of a picture, or of a sheet and its panels: an
                      8K screen full of bars of 2 by 16 has 490 million */

    LIMIT_MARKS = 10000, /* of a trace */
    LIMIT_NOTE = 4096,   /* bytes of a mark's text */
    LIMIT_MARKS_FILE =
        64 << 20, /* bytes: all marks with the longest notes have 42 million */
    LIMIT_MARK_LINES = 1000000, /* of that file, also lines that are no marks */
    LIMIT_MARK_LINE = 64 << 10, /* bytes: several times the longest mark */

    LIMIT_ROWS = 200000,      /* of a sorted table's page and the pages before it */
    LIMIT_ANSWER = 256 << 20, /* bytes of a table, or of a picture as text */
    LIMIT_ANSWERS = 1 << 30,  /* bytes of all answers that are being sent */
};

#endif
