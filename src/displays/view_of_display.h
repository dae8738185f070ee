/* SPDX-License-Identifier: Apache-2.0 */
/* The view that all displays of a person's own are made from, and the parts of it. */
#ifndef WEFT_DISPLAYS_VIEW_OF_DISPLAY_H
#define WEFT_DISPLAYS_VIEW_OF_DISPLAY_H

#include "displays/own_displays.h"
#include "displays/process.h"
#include "view/picture_frame.h"

/* The view without what the display says of itself (name, title, settings, columns). */
extern const struct weft_view display_view;

/*
 * A display with its process, which has been fed with the events of a trace up to a moment.
 * Kept on a shelf (view/prepare.h); one thread at a time, from fed_display_get() to
 * fed_display_release().
 */
struct fed_display;
/*
 * Returns the display of REQUEST's view, fed with the events of its first trace up to the
 * request's moment, or the end of its window; waits for other threads and for the display.
 * NULL with *ERR if that fails (displays/process.h), or the request is cancelled.
 */
struct fed_display *fed_display_get(const struct weft_request *request,
                                    struct weft_err *err) WEFT_MUST_CHECK;
/* Lets other threads use DISPLAY. */
void fed_display_release(struct fed_display *display);
/*
 * Asks the display to answer message KIND (MESSAGE_DRAW, MESSAGE_TABLE) for the request's
 * moment, settings and a sheet of WIDTH by HEIGHT pixels.  Calls TAKE with each message of
 * marks or rows; false if TAKE returns false with *ERR, or displays/process.h fails.
 */
bool fed_display_ask(struct fed_display *display, const struct weft_request *request,
                     enum message_kind kind, double width, double height,
                     bool (*take)(void *user, struct message_reader *reader,
                                  struct weft_err *err),
                     void *user, struct weft_err *err) WEFT_MUST_CHECK;

/* Returns how an ink (weft/view.h) looks in a theme; fill 0: it paints nothing. */
struct weft_swatch display_ink(const struct weft_theme *theme, uint32_t ink);

/* The legend and the subtitle among a display's marks, in an arena. */
struct display_words {
    struct weft_legend_entry *legend; /* [n] */
    size_t n, capacity;
    const char *subtitle; /* or NULL */
};
/* Takes legend and subtitle from the N BYTES of marks into WORDS; draws nothing. */
void display_words_read(struct display_words *words, const unsigned char *bytes, size_t n,
                        const struct weft_theme *theme, struct weft_arena *arena);
/*
 * Draws the N BYTES of marks, whose origin is the corner of the frame's plot, into its last
 * layer.  Returns false if they are no marks; those before it are drawn.
 */
bool display_marks_draw(struct weft_frame *frame, const struct weft_view *view,
                        const unsigned char *bytes, size_t n);

#endif
