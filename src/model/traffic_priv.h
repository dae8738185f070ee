/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the model of traffic share: traffic.c, traffic_collectives.c. */
#ifndef WEFT_MODEL_TRAFFIC_PRIV_H
#define WEFT_MODEL_TRAFFIC_PRIV_H

#include "model/processors.h"
#include "model/traffic.h"

/* Read the collective operations of a trace and the calls that take part in them. */
bool weft_collectives_read(struct weft_traffic *traffic, struct weft_job *job,
                           struct weft_err *err) WEFT_MUST_CHECK;

/* Messages between programs; data that is moved between memories is not that. */
static inline bool weft_is_message_type(const struct weft_type *type)
{
    return type->kind == WEFT_LINK && weft_role_is(type->role, WEFT_ROLE_MESSAGE)
           && !weft_role_is(type->role, WEFT_ROLE_TRANSFER);
}

#endif
