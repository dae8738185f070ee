/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comments by which a Paje trace that Weft wrote says one thing to Weft and another to
 * other readers, which cannot take all that a trace has.
 */
#ifndef WEFT_READ_PAJE_WEFT_COMMENTS_H
#define WEFT_READ_PAJE_WEFT_COMMENTS_H

#include <stdbool.h>

/*
 * Weft reads this text in a line as a blank, and what follows it as words of the line; to
 * other readers, the rest of the line is a comment.
 */
#define PAJE_FOR_WEFT "#weft "
/* A comment at the end of a line that is for other readers only: Weft skips the line. */
#define PAJE_FOR_OTHERS "#others"

/*
 * PAJE_FOR_WEFT and up to three words may follow the name and type of a field in a
 * definition: its role, or PAJE_NO_ROLE; how its values are written (paje_writing_name);
 * its name, where other readers get a different one.
 */
#define PAJE_NO_ROLE "none"

/* How the values of a field are written; the words are in event_definitions.c. */
enum paje_writing {
    PAJE_AS_TYPE,      /* as the definition's type says */
    PAJE_AS_REAL,      /* a number that is read as a real, whatever its digits */
    PAJE_AS_CONTAINER, /* the identifier of a container */
    PAJE_AS_ENTITY,    /* container/type/ordinal (identifiers; the ordinal on their track,
                          from 0), or the identifier of a container */
    PAJE_AS_SITE,      /* a place in source text, file:line, or with more that is known of
                          it, file:line|function|object|address */
    PAJE_AS_FROM,      /* like an entity: the one in which the link begins */
    PAJE_AS_TO,        /* the one in which it ends */
    PAJE_AS_PLACE,     /* a number: a container's place among its siblings */
    PAJE_WRITINGS,     /* number of the ways above */
};
#define PAJE_SITE_BAR '|' /* between the parts of a place */
/* Returns the word for WRITING in definitions, static; "" for PAJE_AS_TYPE. */
const char *paje_writing_name(enum paje_writing writing);

/*
 * Returns true if NAME cannot be the name of a field that a user defines: it is that of one
 * of the format's own fields ("Time"), a word of definitions ("Event", "EventDef",
 * "EndEventDef"), or empty.
 */
bool paje_is_own_word(const char *name);

/* Written as the value of an event or link that has none: pj_dump needs a word. */
#define PAJE_NO_VALUE " "
/*
 * A key that begins so was made up by Weft's writer for a link without one; the reader
 * drops it.
 */
#define PAJE_NO_KEY "weft-"

#endif
