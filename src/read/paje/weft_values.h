/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of fields that a file of Weft writes in ways of its own (weft_comments.h).  All
 * are called by the joining thread (paje.h), for texts that are readable for 16 bytes at
 * least.
 */
#ifndef WEFT_READ_PAJE_WEFT_VALUES_H
#define WEFT_READ_PAJE_WEFT_VALUES_H

#include "read/paje/weft_comments.h"
#include "store/build/builder.h"

struct paje_simulator;

/*
 * Sets *VALUE, but not its field, and *KIND by LENGTH bytes of TEXT, written as WRITING:
 * PAJE_AS_REAL, _CONTAINER, _ENTITY or _SITE.  Returns false, *VALUE and *KIND undefined,
 * if they are not, if they name no known container or type, and for any other WRITING.
 */
bool paje_parse_written(struct paje_simulator *simulator, enum paje_writing writing,
                        const char *text, size_t length, struct weft_field_value *value,
                        enum weft_field_kind *kind);
/*
 * Returns the builder's id of the entity that LENGTH bytes of TEXT name, as
 * container/type/ordinal (ordinal from 0, on the track of these), or of the container that
 * they name; WEFT_NO_ID if the text is neither, or there is no such container or type now.
 * The entity itself may come later, or never.
 */
uint64_t paje_entity_id(struct paje_simulator *simulator, const char *text, size_t length);

#endif
