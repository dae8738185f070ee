/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of fields that a file of Weft writes in ways of its own (comments.h).  All are
 * called by the joining thread (paje.h), for texts that are readable for 16 bytes at least.
 */
#ifndef WEFT_READ_PAJE_WRITTEN_H
#define WEFT_READ_PAJE_WRITTEN_H

#include "read/paje/comments.h"
#include "store/build/builder.h"

struct paje_simulator;

/*
 * Sets VALUE, but not its field, and KIND by LENGTH bytes of TEXT.  Returns false if they
 * are not WRITING, or for PAJE_AS_TYPE; VALUE and KIND are undefined then.
 */
bool paje_parse_written(struct paje_simulator *simulator, enum paje_writing writing,
                        const char *text, size_t length, struct weft_field_value *value,
                        enum weft_field_kind *kind);
/*
 * Returns the id of the entity that LENGTH bytes of TEXT name, as container/type/ordinal,
 * or of the container that they name; WEFT_NO_ID if there is no such container or type.
 * The entity itself may come later, or never.
 */
uint64_t paje_entity_id(struct paje_simulator *simulator, const char *text, size_t length);

#endif
