/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data that the displays of processors and messages are made from.  Each is prepared once
 * for many frames, and held until weft_use_end; all are of the request's first trace.  The
 * functions return NULL with *err on failure.
 */
#ifndef WEFT_VIEW_MESSAGE_USE_H
#define WEFT_VIEW_MESSAGE_USE_H

#include "domains/messages/model/class_mips.h"
#include "domains/messages/model/concurrency.h"
#include "domains/messages/model/processors.h"
#include "domains/messages/model/traffic.h"
#include "domains/messages/model/utilization.h"
#include "view/prepare.h"

/* A struct weft_processors; it has no parameters. */
extern const struct weft_preparation weft_prepared_processors;
const struct weft_processors *weft_use_processors(struct weft_use *use,
                                                  struct weft_err *err) WEFT_MUST_CHECK;
/* Shares of the classes at every scale (model/class_mips.h). */
const struct weft_class_mips *weft_use_class_mips(struct weft_use *use,
                                                  struct weft_err *err) WEFT_MUST_CHECK;
/* Time in each class and streaks (model/utilization.h).  Making it reads all changes. */
const struct weft_utilization *weft_use_utilization(struct weft_use *use,
                                                    struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Moving averages over WIDTH ticks of the time busy, or WITH_OVERHEAD busy or in overhead.
 */
const struct weft_averages *weft_use_averages(struct weft_use *use, int64_t width,
                                              bool with_overhead,
                                              struct weft_err *err) WEFT_MUST_CHECK;
/* How many processors under the request's container are in each class at once. */
const struct weft_concurrency *weft_use_concurrency(struct weft_use *use,
                                                    struct weft_err *err) WEFT_MUST_CHECK;

/* The traffic (model/traffic.h), see weft_traffic_of_held; it has no parameters. */
extern const struct weft_preparation weft_prepared_traffic;
const struct weft_traffic *weft_use_traffic(struct weft_use *use,
                                            struct weft_err *err) WEFT_MUST_CHECK;

/* The traffic in HELD, which must be of weft_prepared_traffic; borrowed. */
const struct weft_traffic *weft_traffic_of_held(const struct weft_held *held);

/* Whether a set's first trace has processors; a `fills` callback. */
bool weft_set_has_processors(const struct weft_set *set);
/* Whether it has, besides, messages or collective operations; a `fills` callback. */
bool weft_set_has_traffic(const struct weft_set *set);

#endif
