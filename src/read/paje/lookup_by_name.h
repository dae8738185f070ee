/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds types, values, containers and fields by their names in the trace.  Only the joining
 * thread (paje.h) changes the tables; during paje_lane_run() any thread may read them.
 */
#ifndef WEFT_READ_PAJE_LOOKUP_BY_NAME_H
#define WEFT_READ_PAJE_LOOKUP_BY_NAME_H

#include "read/paje/lexed_lines.h"

struct paje_simulator;

/* A container; its index here is the builder's. */
struct paje_container {
    int64_t begin, end;     /* ticks; end is INT64_MAX while it is alive */
    uint32_t type, parent;  /* builder's; parent is WEFT_NONE for the root, index 0 */
    uint32_t first_pair;    /* first of its paje_tracks, linked by `next`; or WEFT_NONE */
    uint32_t live_children; /* child containers that were not destroyed yet */
};

/* A type; its index here is the builder's. */
struct paje_type {
    enum weft_kind kind;
    uint32_t parent, start_type, end_type; /* the last two: of links; else WEFT_NONE */
};

/* A role that the trace itself tells, of a type, value, field or container. */
struct paje_told_role {
    enum weft_role_subject subject; /* for a type of any kind: WEFT_ROLE_OF_STATE */
    uint32_t index;      /* the builder's, of the type, value, field or container */
    enum weft_role role; /* WEFT_ROLE_NONE: it has none */
};

/* The names of one pass that are defined so far.  paje_tables_free() frees them. */
struct paje_tables {
    /* [n_values] by choice, the number of (value name, type name), symbols.h: the builder's
       value, or WEFT_NONE */
    uint32_t *values;
    size_t n_values, value_capacity;
    /* by symbol (number of a name): index in `containers`, in `types`; or WEFT_NONE */
    uint32_t *container_of, *type_of;
    size_t n_containers_of, n_types_of, container_of_capacity, type_of_capacity;
    struct weft_id_map value_index; /* type << 32 | symbol of a name: builder's value */
    struct paje_container *containers;
    size_t n_containers, container_capacity;
    struct paje_type *types;
    size_t n_types, type_capacity;
    /* type << 31 | symbol of the field's name (definitions) << 3 | kind: builder's field */
    struct weft_id_map fields;
    struct paje_told_role *told_roles; /* [n_told_roles] */
    size_t n_told_roles, told_role_capacity;
};

/*
 * Enters the root container and its type, both index 0 and symbol 0, in the empty tables.
 */
void paje_tables_init(struct paje_simulator *simulator);
/* Frees the memory of TABLES, which may not be used afterwards. */
void paje_tables_free(struct paje_tables *tables);

/*
 * Adds the type that RECORD, of simulator->part, defines to the tables and the builder.
 * Skips it, with a fault at the joining thread's line, if a type that it names is unknown
 * or no container type, or its own name is that of a known type.
 */
void paje_define_type(struct paje_simulator *simulator, const struct paje_record *record);
/*
 * Adds the value that RECORD, of simulator->part, defines to the tables and the builder.
 * Skips it, with a fault at the joining thread's line, if its type is unknown or cannot
 * have values, or has such a value already.
 */
void paje_define_value(struct paje_simulator *simulator, const struct paje_record *record);
/*
 * Creates the container that RECORD, of simulator->part, names in the tables and the
 * builder, at the record's time.  Skips it, with a fault at the joining thread's line, if
 * its type or parent is unknown, or a container of its name lives.
 */
void paje_create(struct paje_simulator *simulator, const struct paje_record *record);
/*
 * Destroys the container that RECORD, of simulator->part, names, at the record's time: sets
 * its end in the tables, where paje_container_index() still finds it, and destroys it in
 * the builder; there at the end of the trace, with the same time, if children of it live or
 * some of its events are applied later.  Skips the record, with a fault at the joining
 * thread's line, if there is no such container, or it was destroyed.
 */
void paje_destroy(struct paje_simulator *simulator, const struct paje_record *record);

/*
 * Gives the builder the roles that the trace tells, in place of others: to be called after
 * Weft's own tables (read/roles/builtin_role_tables.h).
 */
void paje_give_told_roles(const struct paje_simulator *simulator);

/*
 * Returns the builder's index of the type that SYMBOL, the number of a name, stands for (as
 * its alias, else its name); WEFT_NONE if none.
 */
uint32_t paje_type_index(const struct paje_simulator *simulator, uint32_t symbol);
/*
 * Returns the builder's index of the container that SYMBOL, the number of a name, stands
 * for (as its alias, else its name): the one created last, even if it was destroyed;
 * WEFT_NONE if none.
 */
uint32_t paje_container_index(const struct paje_simulator *simulator, uint32_t symbol);

/*
 * Returns the word that is the value of the standard field NAME in the line of RECORD, in
 * PART; NULL if its definition has no such field.  The definition must keep texts
 * (keeps_texts), and paje_complete() must not have been called for the record, unless it is
 * an end of a link.
 */
const struct paje_text *paje_text_of(const struct paje_simulator *simulator,
                                     const struct paje_part *part,
                                     const struct paje_record *record,
                                     enum paje_field_name name);
/*
 * Completes RECORD of PART, of a state, event or link of TYPE (the builder's index), for
 * paje_action_of() or paje_link(): sets its value, its extra (user-defined) fields and, of
 * a link's end, the entities that its line names.  No effect on variables and on events
 * that end states.  To be called once for each record, in the order of lines.  A value that
 * is not defined yet is made from its text; PAJE_NO_VALUE as that of an event or link
 * becomes WEFT_NONE.
 */
void paje_complete(struct paje_simulator *simulator, struct paje_part *part,
                   struct paje_record *record, uint32_t type);

#endif
