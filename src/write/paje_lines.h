/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of lines of a Paje trace: words, and event definitions with fields.
 *
 * Other readers of Paje, above all the tool pj_dump, refuse or misread some lines that a
 * trace needs.  Two comments divide a line between them and Weft, which reads what follows
 * PAJE_FOR_WEFT in a line as if it were no comment, and skips a line with
 * PAJE_FOR_OTHERS (read/paje/lex.c).
 */
#ifndef WEFT_WRITE_PAJE_LINES_H
#define WEFT_WRITE_PAJE_LINES_H

#include "base/hash_map.h"
#include "read/paje/weft_comments.h"
#include "write/read_entity_fields.h"

/*
 * The definitions that every file has; each is also the id that its lines begin with.  One
 * of these with fields of entities gets an id of its own, from PAJE_LINES on
 * (paje_shape()).
 */
enum paje_line {
    PAJE_LINE_CONTAINER_TYPE,
    PAJE_LINE_STATE_TYPE,
    PAJE_LINE_EVENT_TYPE,
    PAJE_LINE_VARIABLE_TYPE,
    PAJE_LINE_LINK_TYPE,
    PAJE_LINE_VALUE,
    /* the same with a colour; pj_dump refuses an empty one */
    PAJE_LINE_EVENT_TYPE_COLOR,
    PAJE_LINE_VARIABLE_TYPE_COLOR,
    PAJE_LINE_VALUE_COLOR,
    PAJE_LINE_CREATE,
    PAJE_LINE_DESTROY,
    PAJE_LINE_PUSH,
    PAJE_LINE_POP,
    PAJE_LINE_EVENT,
    PAJE_LINE_SET_VARIABLE,
    PAJE_LINE_START_LINK,
    PAJE_LINE_END_LINK,
    PAJE_LINES,
};

/* Numbers in weft_field_value.field for data that is no field of the schema. */
#define PAJE_FROM_FIELD  (WEFT_NONE - 1) /* the entity in which a link begins */
#define PAJE_TO_FIELD    (WEFT_NONE - 2) /* the entity in which it ends */
#define PAJE_ROLE_FIELD  (WEFT_NONE - 3) /* the role of a container */
#define PAJE_PLACE_FIELD (WEFT_NONE - 4) /* its place among its siblings */

/* A field of the next line, with its value. */
struct paje_put_field {
    struct weft_field_value value;
    bool hidden; /* only Weft reads it */
};

/* The lines of a trace as they are written; paje_lines_begin() sets it. */
struct paje_lines {
    const struct weft_schema *schema;
    FILE *stream;
    struct weft_text_map shapes; /* definitions with fields: (line, fields) -> id */
    uint32_t n_ids;              /* the next id of a definition */
    /* by track: every entity of it is written, in the order of ids, so that a reader gives
       it the same id: only then may a field name one */
    const bool *whole;
    bool literal;       /* the line is for Weft only: empty texts stay empty */
    uint32_t prefix;    /* how many letters v are before the number of a value in its
                           identifier, so that no value's name is like one */
    uint64_t n_lost;    /* fields that name an entity that Paje cannot name */
    uint64_t n_changed; /* texts with characters that Paje cannot quote */
    struct paje_put_field fields[WEFT_FIELDS_MAX + 4]; /* [n_fields] of the next line */
    size_t n_fields;
};

/*
 * Begins LINES, and writes the definitions that every file has to STREAM.  WHOLE, by track:
 * every entity of it is written, in the order of ids, so that fields may name one.
 * Arguments are borrowed until paje_lines_end().
 */
void paje_lines_begin(struct paje_lines *lines, const struct weft_schema *schema,
                      const bool *whole, FILE *stream);
/* Frees the memory of LINES; the stream stays open. */
void paje_lines_end(struct paje_lines *lines);

/*
 * Writes a blank, and TEXT in quotes: a quote in it as ', a control character as a blank
 * (n_changed counts such texts), an empty text as one blank unless lines->literal.
 */
void paje_put_text(struct paje_lines *lines, const char *text);
/*
 * Writes a blank, and the identifier of the type (LETTER 't') or container ('c') INDEX:
 * "t5", "0" for 0, the root.
 */
void paje_put_id(struct paje_lines *lines, char letter, uint32_t index);
/*
 * Writes a blank, and the identifier of VALUE, an index in schema->values; WEFT_NONE: a
 * word for none.
 */
void paje_put_value(struct paje_lines *lines, uint32_t value);
/*
 * Writes a blank, and COLOR (0xAARRGGBB) in quotes: red, green and blue, and alpha unless
 * it is opaque, from 0 to 1.
 */
void paje_put_color(struct paje_lines *lines, uint32_t color);

/*
 * Adds a field to lines->fields, unless the value cannot be written, which n_lost counts:
 * it names no text, site or container, or an entity that the text could not name right.
 * LAST: the container whose line it is in, where only containers up to this index are
 * known; WEFT_NONE: all are.  The caller sets n_fields to 0 before the fields of another
 * entity.
 */
void paje_add_field(struct paje_lines *lines, const struct weft_field_value *value,
                    uint32_t last);
/*
 * Returns true if only file and line of SITE are written, not its function, object and
 * address, which bars (|) separate: the path of its file or object has a bar.
 */
bool paje_site_is_short(const struct weft_site *site);
/*
 * Returns the id of the definition of LINE with the fields that were added, LINE itself
 * without any; a new definition is written first, so no line may be half written.  Moves
 * empty texts, and fields beyond the 20th word of the line, behind the others: only Weft
 * reads them.
 */
uint32_t paje_shape(struct paje_lines *lines, enum paje_line line);
/* Writes the fields that were added, in the order of paje_shape(), which came before. */
void paje_put_fields(struct paje_lines *lines);

#endif
