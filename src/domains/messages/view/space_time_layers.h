/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages and processors in the space-time view (struct st_layers in
 * view/timeline/space_time.h has the contracts): space_time_activity.c lines of activity,
 * space_time_collectives.c collective operations, space_time_message_colors.c colours of
 * messages.
 */
#ifndef WEFT_VIEW_SPACE_TIME_LAYERS_H
#define WEFT_VIEW_SPACE_TIME_LAYERS_H

#include "domains/messages/view/prepared_data.h"
#include "view/timeline/space_time.h"

/* The space-time view, which view/timeline/space_time.c defines. */
extern const struct weft_view weft_view_space_time;

/*
 * The processors of the space-time view's rows, when each row is drawn as a line while its
 * processor is busy or in overhead.  Made by st_activity_begin in the picture's arena.
 */
struct st_activity {
    const struct weft_processors *processors; /* of the trace; borrowed */
    const struct weft_class_mips *mips;       /* of all processors; borrowed */
    uint32_t *index; /* [n]: indices in PROCESSORS of those under the request's container */
    uint32_t n;      /* at least 1 */
};

/*
 * The collective operations of the trace, and how they are drawn.  Made by
 * st_collectives_begin in the picture's arena; `traffic` is borrowed.
 */
struct st_collectives {
    const struct weft_traffic *traffic;
    /* messages: lines; data: the same, but a star for a barrier; group: stars */
    enum weft_collectives kind;
};

/*
 * Sets p->activity to the processors under the request's container, in the picture's arena.
 * Fails with WEFT_ERR_USAGE if there are none, and with WEFT_ERR_CANCELLED.
 */
bool st_activity_begin(struct st_picture *p, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Adds a row for each processor of ACTIVITY, in its order, to ROWS, and sets rows->row_of
 * of its container: row_of must have been allocated.  Memory is in ARENA.
 */
void st_activity_rows(struct st_rows *rows, const struct st_activity *activity,
                      struct weft_arena *arena);
/* Adds the line of each shown row of P, a raster of 1 to 3 pixels' height, to the scene. */
void st_paint_activity(struct st_picture *p);
/*
 * Sets *OUT, in the picture's arena, to the legend's entry of the lines, with the share of
 * busy and overhead time in p->shown; returns 1.
 */
size_t st_activity_legend(struct st_picture *p, struct weft_legend_entry **out);
/*
 * Calls FACT with the name of each class that the processors of ROW were in during WINDOW,
 * for at least 0.05 % of it, and the percentage as a text in the picture's arena.
 */
void st_tell_activity(const struct st_picture *p, const struct st_row *row,
                      struct weft_span window,
                      void (*fact)(void *user, const char *name, const char *value),
                      void *user);

/*
 * Sets p->collectives by the setting `collectives`; leaves it NULL when the setting is
 * "none" or the trace has no processors, or neither messages nor collective operations.  If
 * the lines of the window would be more than 2^20, its `kind` becomes
 * WEFT_COLLECTIVES_GROUP (stars), or if that is too many WEFT_COLLECTIVES_NONE, and
 * p->collectives_note says so.  The choice "auto" means data if p->activity is set,
 * else none, so call it after st_activity_begin.  Fails with WEFT_ERR_CANCELLED only.
 */
bool st_collectives_begin(struct st_picture *p, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Returns the most bytes that any call sends in a collective operation that overlaps the
 * window, to each receiver; 0 if operations are drawn as stars or not at all.
 */
int64_t st_collectives_most_bytes(const struct st_picture *p);
/*
 * Visits the lines of the collective operations that overlap the window, between rows that
 * are shown, until VISIT returns false: a line a message, or if they are drawn as stars two
 * lines a call and a star's centre.  LINE is valid during the call of VISIT.
 */
void st_each_collective(const struct st_picture *p,
                        bool (*visit)(void *user, const struct st_line *line), void *user);

/*
 * Sets p->messages, the colours of messages, when the setting `messages` asks for colours
 * by size, tag or distance, and the trace has links; else leaves it NULL.  The colours span
 * the amounts of up to 16384 messages of the window, and sizes also those of
 * p->collectives, so call it after st_collectives_begin.  Fails for distances only: with
 * WEFT_ERR_USAGE when the settings of the network are wrong or the trace has no processors,
 * and with WEFT_ERR_CANCELLED.
 */
bool st_messages_begin(struct st_picture *p, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Returns the colour of a message's line by size, tag or distance.  Returns 0, and the
 * caller chooses the colour, if p->messages is NULL (no such colours), LINE's link is no
 * message, or colours are by tag and LINE is a collective operation's, which has none.
 */
weft_color st_message_color(struct st_picture *p, const struct st_line *line);
/*
 * Appends legend entries for the colours of messages to *LIST, which has N entries and is
 * replaced by a longer array in p->arena; returns the new number, N if p->messages is NULL.
 */
size_t st_messages_legend(struct st_picture *p, struct weft_legend_entry **list, size_t n);

#endif
