/* SPDX-License-Identifier: Apache-2.0 */
/* What displays of processors and messages are made from, each prepared once for many frames. */
#ifndef WEFT_VIEW_MESSAGE_USE_H
#define WEFT_VIEW_MESSAGE_USE_H

#include "domains/messages/model/class_mips.h"
#include "domains/messages/model/concurrency.h"
#include "domains/messages/model/processors.h"
#include "domains/messages/model/traffic.h"
#include "domains/messages/model/utilization.h"
#include "view/prepare.h"

/* The processors of a trace: a struct weft_processors, without parameters. */
extern const struct weft_preparation weft_prepared_processors;
/* Those of a request's first trace; NULL with *err. */
const struct weft_processors *weft_use_processors(struct weft_use *use,
                                                  struct weft_err *err) WEFT_MUST_CHECK;
/* How busy they were at every scale. */
const struct weft_class_mips *weft_use_class_mips(struct weft_use *use,
                                                  struct weft_err *err) WEFT_MUST_CHECK;
/* What they did.  All changes of the trace are read the first time. */
const struct weft_utilization *weft_use_utilization(struct weft_use *use,
                                                    struct weft_err *err) WEFT_MUST_CHECK;
/* Their moving averages over WIDTH ticks. */
const struct weft_averages *weft_use_averages(struct weft_use *use, int64_t width,
                                              bool with_overhead,
                                              struct weft_err *err) WEFT_MUST_CHECK;
/* How many of those under the request's container did the same at once. */
const struct weft_concurrency *weft_use_concurrency(struct weft_use *use,
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
