/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Event definitions (%EventDef NAME ID ... %EndEventDef): the fields that the lines with an
 * event id have, and how the lexer treats each.  If an id is defined twice, the first
 * definition stays.  A definition applies to the lines below it.
 *
 * Either one thread adds definitions, or any number of threads look them up.
 */
#ifndef WEFT_READ_PAJE_EVENT_DEFINITIONS_H
#define WEFT_READ_PAJE_EVENT_DEFINITIONS_H

#include "read/paje/faults.h"
#include "read/paje/symbols.h"
#include "read/paje/weft_comments.h"

/* The events of the Paje format; code relies on this order. */
enum paje_event {
    PAJE_DEFINE_CONTAINER_TYPE,
    PAJE_DEFINE_STATE_TYPE,
    PAJE_DEFINE_EVENT_TYPE,
    PAJE_DEFINE_VARIABLE_TYPE,
    PAJE_DEFINE_LINK_TYPE,
    PAJE_DEFINE_ENTITY_VALUE,
    PAJE_CREATE_CONTAINER,
    PAJE_DESTROY_CONTAINER,
    PAJE_NEW_EVENT,
    PAJE_SET_STATE,
    PAJE_PUSH_STATE,
    PAJE_POP_STATE,
    PAJE_RESET_STATE,
    PAJE_SET_VARIABLE,
    PAJE_ADD_VARIABLE,
    PAJE_SUB_VARIABLE,
    PAJE_START_LINK,
    PAJE_END_LINK,
    PAJE_TRACE_FILE,
    PAJE_UNKNOWN_EVENT, /* unknown name, or it lacks a needed field: lines are skipped */
};

/* Returns true if the event defines types or values, or creates or destroys containers. */
static inline bool paje_is_structural(enum paje_event event)
{
    return event <= PAJE_DESTROY_CONTAINER;
}
/* Returns true if the event belongs to a state, event, variable or link. */
static inline bool paje_is_entity(enum paje_event event)
{
    return event >= PAJE_NEW_EVENT && event <= PAJE_END_LINK;
}
/* Returns true if the event is an end of a link: StartLink or EndLink. */
static inline bool paje_is_link(enum paje_event event)
{
    return event == PAJE_START_LINK || event == PAJE_END_LINK;
}

/* The fields of the Paje format; names from before version 1.2 mean the same fields. */
enum paje_field_name {
    PAJE_TIME,
    PAJE_NAME,
    PAJE_TYPE,
    PAJE_CONTAINER,
    PAJE_START_TYPE, /* StartContainerType: of a type of links, the containers' type */
    PAJE_END_TYPE,   /* EndContainerType: the same for its end */
    PAJE_START,      /* StartContainer: where a link begins */
    PAJE_END,        /* EndContainer: where it ends */
    PAJE_VALUE,
    PAJE_KEY,
    PAJE_ALIAS,
    PAJE_COLOR,
    PAJE_LINE,
    PAJE_FILE,
    PAJE_ROLE,        /* of a type, value or container; in files of Weft */
    PAJE_FROM_ENTITY, /* of a link, in files of Weft: the entity in which it begins */
    PAJE_TO_ENTITY,   /* and the one in which it ends */
    PAJE_PLACE,       /* of a container, in files of Weft: its number among its siblings */
    PAJE_EXTRA,       /* a field defined by the user, or a standard one's second use */
    PAJE_FIELD_NAMES, /* their number */
};

/* The type that a definition gives to a field; PAJE_STRING also for an unknown one. */
enum paje_field_type {
    PAJE_STRING,
    PAJE_INT,
    PAJE_DOUBLE,
    PAJE_FLOAT,
    PAJE_HEX,
    PAJE_DATE,
    PAJE_COLOR_TYPE,
};

/*
 * The treatment of a field's value by the lexer, which makes records of lines.  A symbol is
 * the number of a text (symbols.h).
 */
enum paje_step {
    PAJE_STEP_TEXT,      /* keep its place in the text, if paje_definition.keeps_texts */
    PAJE_STEP_SYMBOL,    /* like PAJE_STEP_TEXT, and look up its symbol */
    PAJE_STEP_TIME,      /* parse: the time of the event */
    PAJE_STEP_TYPE,      /* a symbol: the type of an entity */
    PAJE_STEP_CONTAINER, /* a symbol: the container of an entity */
    PAJE_STEP_VALUE,     /* a symbol: the value of a state, event or link */
    PAJE_STEP_NUMBER,    /* parse: the value of a variable */
    PAJE_STEP_OTHER,     /* a symbol: the container at this end of a link */
};

enum { PAJE_MAX_FIELDS = 256 /* of a definition; further ones are dropped, as faults */ };

/* A field of a definition. */
struct paje_field {
    enum paje_field_name name;
    enum paje_field_type type;
    uint32_t text; /* the field's name as written: symbol of paje_definitions.names */
    enum paje_step step;
    enum paje_writing writing; /* how its values are written (weft_comments.h) */
    bool tells_role;           /* the definition says the role, maybe that there is none */
    enum weft_role role;       /* WEFT_ROLE_NONE unless it is told */
};

enum { PAJE_USUAL = 3 }; /* most lines begin with these fields: time, type, container */

/* An event definition: what the lines that begin with one event id have. */
struct paje_definition {
    enum paje_event event;
    uint32_t n_fields;
    bool keeps_texts;                /* the lexer keeps the place of each value of a line */
    bool has_extras;                 /* it has fields for which paje_is_extra() is true */
    bool has_ends;                   /* it has fields for the entities at a link's ends */
    bool is_usual;                   /* its fields begin with time, type and container */
    char *id;                        /* "" if the definition gave none */
    int16_t place[PAJE_FIELD_NAMES]; /* index in `fields` of each standard field, or -1 */
    struct paje_field *fields;       /* [n_fields] in the order of a line's values */
    size_t field_capacity;
};

/* The definitions of a trace.  All 0 is empty; paje_definitions_free() frees them. */
struct paje_definitions {
    struct paje_definition **list; /* [n] closed ones, in order; an index stays valid */
    size_t n, capacity;
    struct weft_text_map ids;     /* id to index in list */
    uint32_t *slots;              /* hash table of ids up to 8 bytes: index + 1; 0: free */
    uint64_t *words;              /* parallel to slots: the id, padded with zeros */
    size_t n_slots;               /* number of slots: a power of two, or 0 */
    struct paje_symbols names;    /* numbers of the fields' names */
    struct paje_definition *open; /* between %EventDef and %EndEventDef, or NULL */
};

/* A word of a line, without quotes. */
struct paje_text {
    uint32_t offset, length; /* bytes, from the begin of the text that the word is in */
    uint32_t symbol;         /* its number (symbols.h); WEFT_NONE: not looked up */
};

/*
 * Returns the index in `list` of the definition with ID, of LENGTH bytes; WEFT_NONE if
 * there is none.  ID must be readable for 8 bytes at least.
 */
uint32_t paje_definition_index(const struct paje_definitions *definitions, const char *id,
                               size_t length);
/*
 * Takes a line that begins with %: it opens a definition (closing one that lacks its end),
 * adds a field to the open one, or closes it.  WORDS are the N_WORDS words without the %
 * (0: no effect), in TEXT, which must be readable for 16 bytes beyond each word; all is
 * copied.  Faults are noted in FINDINGS at LINE.
 */
void paje_definition_line(struct paje_definitions *definitions,
                          struct paje_findings *findings, uint64_t line, const char *text,
                          const struct paje_text *words, size_t n_words);
/*
 * Closes the open definition, which there must be, and adds it to the list, or frees it if
 * its id is "" or known.  MISSING: an event or the end of the text came before its
 * %EndEventDef.  Faults are noted in FINDINGS at LINE.
 */
void paje_definition_close(struct paje_definitions *definitions,
                           struct paje_findings *findings, uint64_t line, bool missing);
/*
 * Returns true if FIELD, one of DEFINITION, is one that the event does not use itself: its
 * values become a field of the entity, or of the container that is created.
 */
bool paje_is_extra(const struct paje_definition *definition,
                   const struct paje_field *field);
/* Frees all definitions, also an open one; DEFINITIONS is empty then. */
void paje_definitions_free(struct paje_definitions *definitions);

#endif
