/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/messages/view/space_time_layers.h"

#include "view/domain_answers.h"

static bool begin(struct st_picture *p, struct weft_err *err)
{
    return st_collectives_begin(p, err) && st_messages_begin(p, err);
}

static const struct st_layers layers = {
    .begin_activity = st_activity_begin,
    .activity_rows = st_activity_rows,
    .paint_activity = st_paint_activity,
    .activity_legend = st_activity_legend,
    .tell_activity = st_tell_activity,
    .begin = begin,
    .each_line = st_each_collective,
    .color = st_message_color,
    .legend = st_messages_legend,
};

extern const struct weft_answers weft_answers_messages;
const struct weft_answers weft_answers_messages = { .space_time = &layers };
