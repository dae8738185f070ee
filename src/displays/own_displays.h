/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Displays of a person's own (weft/view.h), as views like all others: their pictures and
 * tables are made by processes of their own (displays/host/).
 */
#ifndef WEFT_DISPLAYS_OWN_DISPLAYS_H
#define WEFT_DISPLAYS_OWN_DISPLAYS_H

#include "view/view.h"

/* A display of a file; view.own points to it. */
struct weft_own_display {
    struct weft_view view;
    const char *path; /* of the file */
    int index;        /* of the display in it */
    unsigned takes;   /* events: a set of 1u << enum weft_display_kind (weft/view.h) */
};

/* The displays of some files; zeroed at first. */
struct weft_own_displays {
    struct weft_arena arena;
    struct weft_views views;       /* the built-in ones and these */
    const struct weft_view **list; /* [views.n_own] */
    size_t capacity;
};

/*
 * Adds the displays of the file PATH to DISPLAYS, in the order in which the file names
 * them. Runs the file's code, in a process that ends at once.  Returns false with
 * WEFT_ERR_READ if it cannot be loaded, and WEFT_ERR_FORMAT if a display in it is not as
 * weft/view.h says, or has the name of another view; DISPLAYS is then as before.
 */
bool weft_own_displays_load(struct weft_own_displays *displays, const char *path,
                            struct weft_err *err) WEFT_MUST_CHECK;
/* Frees the displays; no view of them may be in use, nor on a shelf (view/prepare.h). */
void weft_own_displays_free(struct weft_own_displays *displays);

#endif
