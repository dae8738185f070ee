/* SPDX-License-Identifier: Apache-2.0 */
/* What the displays of message passing share. */
#ifndef WEFT_VIEW_MESSAGES_H
#define WEFT_VIEW_MESSAGES_H

#include "model/processors.h"
#include "model/traffic.h"
#include "view/prepare.h"

/* The processors of a trace: a struct weft_processors, without parameters. */
extern const struct weft_preparation weft_prepared_processors;
/* Those of a request's first trace. */
const struct weft_processors *weft_use_processors(struct weft_use *use,
                                                  struct weft_err *err) WEFT_MUST_CHECK;

/* What is asked about messages: a struct weft_traffic, without parameters. */
extern const struct weft_preparation weft_prepared_traffic;
const struct weft_traffic *weft_use_traffic(struct weft_use *use,
                                            struct weft_err *err) WEFT_MUST_CHECK;

/* The traffic of one that is held. */
const struct weft_traffic *weft_traffic_of_held(const struct weft_held *held);

/* Whether a set's first trace has processors: `fills` of these displays. */
bool weft_set_has_processors(const struct weft_set *set);
/* The same, and messages or collective operations between them. */
bool weft_set_has_traffic(const struct weft_set *set);

#endif
