/* SPDX-License-Identifier: Apache-2.0 */
/* The process of a person's own display: feeds it with events, and sends what it draws. */
#ifndef WEFT_DISPLAYS_HOST_H
#define WEFT_DISPLAYS_HOST_H

#include <weft/view.h>

#include "base/memory.h"
#include "displays/messages.h"

/* A display with its trace; zeroed at first, but for `display`. */
struct host {
    const struct weft_display *display;
    void *state;
    bool begun; /* display->begin was called, and display->end was not */
    struct weft_display_trace trace;
    struct weft_arena texts;                /* of the trace */
    const char **types, **values, **fields; /* names, by number */
    uint32_t n_types, n_values, n_fields;
    struct message answer; /* marks or rows that are not yet sent */
};

/* Sends MESSAGE, completed, to weft; false if weft has ended. */
bool host_send(struct message *message);
/* Handles a message from weft; false if the process is to end. */
bool host_handle(struct host *host, enum message_kind kind, struct message_reader *reader);
/*
 * Has the display draw a sheet of WIDTH by HEIGHT pixels for the moment NOW, and sends its
 * marks; false if weft has ended.
 */
bool host_draw(struct host *host, const struct weft_display_moment *now, double width,
               double height);
/* Has the display write its table for the moment NOW, and sends the rows, alike. */
bool host_table(struct host *host, const struct weft_display_moment *now);

#endif
