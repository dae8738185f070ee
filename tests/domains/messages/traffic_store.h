/* SPDX-License-Identifier: Apache-2.0 */
/* A store of ranks that send messages and call collective operations, and its model of traffic. */
#ifndef WEFT_TESTS_TRAFFIC_STORE_H
#define WEFT_TESTS_TRAFFIC_STORE_H

#include "domains/messages/model/processors.h"
#include "domains/messages/model/traffic_history.h"
#include "store/build/builder.h"
#include "store/trace/trace.h"

enum traffic_pattern { ONE_TO_ALL, ALL_TO_ONE, ALL_TO_ALL, PREFIX, ALL_WAIT, PATTERNS };

struct traffic_store {
    struct weft_builder *builder;
    uint32_t n, *processors; /* containers, by number */
    /* States, with the operation that a call is of and what it sends to each. */
    uint32_t call, call_value, operation, call_bytes;
    uint32_t message, size;         /* links, with their bytes */
    uint32_t communicator, members; /* containers; all processors where it has no members */
    uint32_t collective, root, patterns[PATTERNS]; /* events of a communicator */
    char path[64];
    struct weft_trace *trace;
    struct weft_processors *model;
    struct weft_traffic *traffic;
};

/* Begin one of N processors; and when all is pushed into its builder, open it and make its models. */
void traffic_store_begin(struct traffic_store *store, uint32_t n);
void traffic_store_finish(struct traffic_store *store);
void traffic_store_end(struct traffic_store *store);

#endif
