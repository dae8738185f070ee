/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record types of PICL traces and the calls of MPICL's library, for the reader and
 * writer.
 */
#ifndef WEFT_READ_PICL_PICL_KEYS_H
#define WEFT_READ_PICL_PICL_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "store/role.h"

/* Numbers with a meaning of their own in PICL traces, and limits of the reader. */
enum {
    PICL_HOST = 32767, /* the host's node number; it is no processor */
    PICL_WORLD = -1,   /* group number of all processors */
    PICL_ALL = -1,     /* destination of a message to all others, in old traces */
    PICL_KEYS = 1000,  /* keys of the library's calls are above -PICL_KEYS */
    /* values of a record that are parsed; the values of one with more are kept as text */
    PICL_VALUES = 4,
};

/*
 * The type of a record.  It is the first number of the record; in an old trace, whose
 * records have other types, it is the type that the reader gives the record instead,
 * -PICL_OLD - N if no type here suits the old type N.
 */
enum picl_record_type {
    PICL_MARK = -2, /* of the user, as LABEL, DATA and MESSAGE (a text) */
    PICL_ENTRY = -3,
    PICL_EXIT = -4,
    PICL_LABEL = -5,
    PICL_DATA = -6,
    PICL_MESSAGE = -7,
    PICL_SUBSET = -202,   /* the members of a group */
    PICL_OLD = 1000,      /* no type, see above */
    PICL_INSTANT = -1000, /* an entry and its exit: a send or receive of an old trace */
};

/*
 * The meaning of the values in the entry record of a call; behind the semicolon, in its
 * exit record.  A length is in bytes; a source, destination or root is a node's number; "-"
 * is no values; values in brackets may be missing.
 */
enum picl_shape {
    PICL_SHAPE_NONE,       /* unknown: parameters are kept as text */
    PICL_SHAPE_SEND,       /* length tag destination [group]; - */
    PICL_SHAPE_SEND_BEGIN, /* length tag destination [group]; request */
    PICL_SHAPE_SEND_END,   /* request; - */
    PICL_SHAPE_RECEIVE,    /* tag source; length tag source [group] */
    PICL_SHAPE_PROBE,      /* as RECEIVE, but the message is not taken out of its queue */
    PICL_SHAPE_RECEIVE_BEGIN, /* tag source; request */
    PICL_SHAPE_RECEIVE_END,   /* request; length tag source [group] */
    PICL_SHAPE_BARRIER,       /* group; - */
    PICL_SHAPE_ALL,           /* length group; length */
    PICL_SHAPE_ROOTED,        /* length root group; length */
};

/* A key: the number of a call of MPICL's library in its records; all are static. */
struct picl_key {
    const char *name; /* the call's, such as "bcast" */
    enum picl_shape shape;
    enum weft_role role; /* of the call; WEFT_ROLE_NONE: it counts as busy */
    /* of the collective operation that it takes part in; WEFT_ROLE_NONE: in none */
    enum weft_role pattern;
    bool aside; /* no call, but a note about the tracing, kept as an event */
};
/*
 * Returns the description of KEY, a negative number, static; NULL if no call of MPICL's
 * library has it.
 */
const struct picl_key *picl_key_find(int32_t key);
/* Returns true if KEY, which may be NULL, is a call of a collective operation. */
static inline bool picl_is_collective(const struct picl_key *key)
{
    return key && key->shape >= PICL_SHAPE_BARRIER;
}

#endif
