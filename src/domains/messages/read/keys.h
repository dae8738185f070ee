/* SPDX-License-Identifier: Apache-2.0 */
/* The records of PICL traces and the calls of MPICL's library, for who reads or writes them. */
#ifndef WEFT_READ_PICL_KEYS_H
#define WEFT_READ_PICL_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "store/role.h"

enum {
    PICL_HOST = 32767, /* the node that is no processor */
    PICL_WORLD = -1,   /* the group of all */
    PICL_ALL = -1,     /* old traces: the destination of a message to all others */
    PICL_KEYS = 1000,  /* the library's keys are above -1000 */
    PICL_VALUES = 4,   /* that a record's shape may have; the rest stays text */
};

enum picl_record_type {
    PICL_MARK = -2,
    PICL_ENTRY = -3,
    PICL_EXIT = -4,
    PICL_LABEL = -5,
    PICL_DATA = -6,
    PICL_MESSAGE = -7,
    PICL_SUBSET = -202,
    PICL_OLD = 1000,      /* record type N of an old trace is -1000 - N */
    PICL_INSTANT = -1000, /* an entry and its exit at once */
};

enum picl_shape {                           /* what the values at entry and at exit are */
                  PICL_SHAPE_NONE,          /* nothing known: texts */
                  PICL_SHAPE_SEND,          /* length tag destination [group]; - */
                  PICL_SHAPE_SEND_BEGIN,    /* length tag destination [group]; request */
                  PICL_SHAPE_SEND_END,      /* request; - */
                  PICL_SHAPE_RECEIVE,       /* tag source; length tag source [group] */
                  PICL_SHAPE_PROBE,         /* the same, and the message stays */
                  PICL_SHAPE_RECEIVE_BEGIN, /* tag source; request */
                  PICL_SHAPE_RECEIVE_END,   /* request; length tag source [group] */
                  PICL_SHAPE_BARRIER,       /* group; - */
                  PICL_SHAPE_ALL,           /* length group; length */
                  PICL_SHAPE_ROOTED,        /* length root group; length */
};

struct picl_key {
    const char *name;
    enum picl_shape shape;
    enum weft_role role;    /* of the call */
    enum weft_role pattern; /* of the collective operation */
    bool aside;             /* no call, but a word about the tracing: an event */
};
/* NULL: not one of the library's. */
const struct picl_key *picl_key_find(int32_t key);
static inline bool picl_is_collective(const struct picl_key *key)
{
    return key && key->shape >= PICL_SHAPE_BARRIER;
}

#endif
