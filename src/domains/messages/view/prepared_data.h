/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gives the displays of processors and messages the data that they are made from.  Each is
 * computed at the first call, kept for later frames, and valid until the answer is
 * complete; all are of the request's first trace.  The functions return NULL with *ERR on
 * failure.
 */
#ifndef WEFT_VIEW_PREPARED_DATA_H
#define WEFT_VIEW_PREPARED_DATA_H

#include "domains/messages/model/busy_idle_mipmaps.h"
#include "domains/messages/model/concurrency.h"
#include "domains/messages/model/processors.h"
#include "domains/messages/model/task_executions.h"
#include "domains/messages/model/task_work.h"
#include "domains/messages/model/traffic.h"
#include "domains/messages/model/utilization.h"
#include "view/prepare.h"

/*
 * Prepared data (view/prepare.h: made once, kept for later requests): the struct
 * weft_processors of a set's first trace.  It has no parameters.
 */
extern const struct weft_preparation weft_prepared_processors;
/*
 * Returns the processors (model/processors.h) of the request's first trace, made at the
 * first call, which USE keeps until weft_use_end.  Returns NULL with WEFT_ERR_USAGE if
 * there are none, or WEFT_ERR_CANCELLED.
 */
const struct weft_processors *weft_use_processors(struct weft_use *use,
                                                  struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Returns the shares of busy, overhead and idle time at several scales
 * (busy_idle_mipmaps.h) of all processors of the request's first trace, which USE keeps
 * until weft_use_end.  The first call reads all of the trace's calls.  Returns NULL with
 * WEFT_ERR_USAGE if the trace has no processors, or WEFT_ERR_CANCELLED.
 */
const struct weft_class_mips *weft_use_class_mips(struct weft_use *use,
                                                  struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Returns the times that the processors of the request's first trace were busy, in overhead
 * and idle, and how long without a break (model/utilization.h), which USE keeps until
 * weft_use_end.  The first call reads all of the trace's calls.  Returns NULL with
 * WEFT_ERR_USAGE if the trace has no processors, or WEFT_ERR_CANCELLED.
 */
const struct weft_utilization *weft_use_utilization(struct weft_use *use,
                                                    struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Returns moving averages over WIDTH ticks (at least 1) of the time busy, or if
 * WITH_OVERHEAD busy or in overhead (model/utilization.h), of the processors of the
 * request's first trace, which USE keeps until weft_use_end.  The first call with these
 * arguments reads all of the trace's calls.  Returns NULL with WEFT_ERR_USAGE if the trace
 * has no processors, or WEFT_ERR_CANCELLED.
 */
const struct weft_averages *weft_use_averages(struct weft_use *use, int64_t width,
                                              bool with_overhead,
                                              struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Returns how many processors under the request's container are busy, in overhead and idle
 * at once (model/concurrency.h), in the request's first trace, which USE keeps until
 * weft_use_end.  The first call for a container reads all of the trace's calls.  The list
 * of the result is empty if no processor is under the container.  Returns NULL with
 * WEFT_ERR_USAGE if the trace has no processors, or WEFT_ERR_CANCELLED.
 */
const struct weft_concurrency *weft_use_concurrency(struct weft_use *use,
                                                    struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Returns the tasks (model/task_executions.h) of the request's first trace, made at the
 * first call, which USE keeps until weft_use_end.  Returns NULL with WEFT_ERR_USAGE if the
 * trace has no processors, WEFT_ERR_LIMIT or WEFT_ERR_CANCELLED.
 */
const struct weft_tasks *weft_use_tasks(struct weft_use *use,
                                        struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Returns the work of these tasks over time (model/task_work.h), of the processor with that
 * index, or of all if it is WEFT_NONE, made and kept in the same way.
 */
const struct weft_work *weft_use_work(struct weft_use *use, uint32_t processor,
                                      struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Prepared data (view/prepare.h: made once, kept for later requests): the struct
 * weft_traffic of a set's first trace, which weft_traffic_of_held takes out of it.  It has
 * no parameters.
 */
extern const struct weft_preparation weft_prepared_traffic;
/*
 * Returns the messages and collective operations (model/traffic.h) of the request's first
 * trace, made at the first call, which USE keeps until weft_use_end.  Returns NULL with
 * WEFT_ERR_USAGE if the trace has no processors, or WEFT_ERR_CANCELLED.
 */
const struct weft_traffic *weft_use_traffic(struct weft_use *use,
                                            struct weft_err *err) WEFT_MUST_CHECK;

/* Returns the messages in HELD, made by weft_prepared_traffic; borrowed from HELD. */
const struct weft_traffic *weft_traffic_of_held(const struct weft_held *held);

/* Returns true if a set's first trace has processors; for a view's `fills`. */
bool weft_set_has_processors(const struct weft_set *set);
/* Returns true if a set's first trace has processors and executions of tasks. */
bool weft_set_has_tasks(const struct weft_set *set);
/*
 * Returns true if a set's first trace has processors, and messages or collective
 * operations; for a view's `fills`.
 */
bool weft_set_has_traffic(const struct weft_set *set);

#endif
