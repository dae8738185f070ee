/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What messages and processors add to the space-time view (struct st_layers of
 * view/timeline/space_time.h): space_time_activity.c lines of activity,
 * space_time_collectives.c collective operations, space_time_messages.c colours.
 */
#ifndef WEFT_VIEW_SPACE_TIME_LAYERS_H
#define WEFT_VIEW_SPACE_TIME_LAYERS_H

#include "domains/messages/view/message_use.h"
#include "view/timeline/space_time.h"

extern const struct weft_view weft_view_space_time; /* whose settings are read */

/* The processors that have rows when these are lines of activity. */
struct st_activity {
    const struct weft_processors *processors;
    const struct weft_class_mips *mips; /* of them, or NULL: without, it is slower */
    uint32_t *index;                    /* [n] */
    uint32_t n;
};

/* Collective operations, and how they are drawn. */
struct st_collectives {
    const struct weft_traffic *traffic;
    enum weft_collectives kind;
};

bool st_activity_begin(struct st_picture *p, struct weft_err *err) WEFT_MUST_CHECK;
void st_activity_rows(struct st_rows *rows, const struct st_activity *activity,
                      struct weft_arena *arena);
void st_paint_activity(struct st_picture *p);
size_t st_activity_legend(struct st_picture *p, struct weft_legend_entry **out);
void st_tell_activity(const struct st_picture *p, const struct st_row *row,
                      struct weft_span window,
                      void (*fact)(void *user, const char *name, const char *value),
                      void *user);

/* How the request wants collective operations, and whether they are too many for that. */
bool st_collectives_begin(struct st_picture *p, struct weft_err *err) WEFT_MUST_CHECK;
int64_t st_collectives_most_bytes(const struct st_picture *p);
void st_each_collective(const struct st_picture *p,
                        bool (*visit)(void *user, const struct st_line *line), void *user);

/*
 * Colours of messages by their size, tag or distance, when the setting `messages` asks for that:
 * the scale is that of some thousand messages of the window.  False: a setting is wrong.
 */
bool st_messages_begin(struct st_picture *p, struct weft_err *err) WEFT_MUST_CHECK;
weft_color st_message_color(struct st_picture *p, const struct st_line *line);
size_t st_messages_legend(struct st_picture *p, struct weft_legend_entry **list, size_t n);

#endif
