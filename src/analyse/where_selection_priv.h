/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a selection: what the text says, and what was compiled from it. */
#ifndef WEFT_ANALYSE_WHERE_SELECTION_PRIV_H
#define WEFT_ANALYSE_WHERE_SELECTION_PRIV_H

#include "analyse/where_selection.h"
#include "analyse/who_ended_wait.h"

/* ---- The text's syntax (where_parse.c) ---- */

/* The operator of a term. */
enum where_operator {
    WHERE_NO_OPERATOR, /* a name alone */
    WHERE_IS,
    WHERE_IS_NOT,
    WHERE_LESS,
    WHERE_AT_MOST,
    WHERE_MORE,
    WHERE_AT_LEAST,
    WHERE_LIKE,
    WHERE_IN,
};

/* A name or value of the text, without its quotes. */
struct where_word {
    const char *text; /* in the arena */
    size_t at, size;  /* bytes of the whole text that it takes, quotes included */
    bool quoted;
};

/* The kinds of nodes of the syntax tree. */
enum where_kind {
    WHERE_ALL,  /* the empty text */
    WHERE_AND,  /* of its children, two or more */
    WHERE_OR,   /* of its children, two or more */
    WHERE_NOT,  /* of its one child */
    WHERE_TERM, /* name, operator, value: it has no children */
};

/* A node of the syntax tree of a selection's text, in the arena of where_parse(). */
struct where_syntax {
    enum where_kind kind;
    struct where_syntax *first, *next; /* first child; next sibling */
    struct where_word name, value;     /* of a term; no value without an operator */
    enum where_operator op;
};

/*
 * Returns the root of the syntax tree of TEXT, in ARENA; NULL with WEFT_ERR_USAGE, whose
 * message names the word at fault.
 */
const struct where_syntax *where_parse(struct weft_arena *arena, const char *text,
                                       struct weft_err *err);

/*
 * Sets *ERR to WEFT_ERR_USAGE: the SIZE bytes of TEXT, a selection, from byte AT on, their
 * place, then the text that FMT prints; SIZE 0: the fault is at the end.  Returns false.
 */
bool where_fail(struct weft_err *err, const char *text, size_t at, size_t size,
                const char *fmt, ...) WEFT_PRINTF(5, 6);

/* ---- Tables of what a text means in a trace (where_names.c) ---- */

/* How names are compared with a word of the selection: exactly, or as a pattern. */
struct where_text {
    const char *text;    /* the word's own */
    bool exact;          /* a name must be equal to `text`; else `pattern` must match it */
    const char *pattern; /* if not exact: * stands for any characters */
};
/*
 * Returns how names are compared with VALUE behind the operator OP: as a pattern behind
 * WHERE_LIKE, or if VALUE has a * and no quotes; else exactly.  A pattern without * matches
 * anywhere in a name.  The pattern is in ARENA; the text is VALUE's.
 */
struct where_text where_text_of(struct weft_arena *arena, const struct where_word *value,
                                enum where_operator op);
/* Returns true if NAME is what TEXT means, as struct where_text says. */
bool where_text_is(const struct where_text *text, const char *name);

/*
 * Sets BITS[c] to 1 for each container c of the schema that TEXT names, by its name, alias,
 * label or path; the others stay.  BITS has n_containers bytes.  OBJECTS: also by the text
 * that tables print for several alike objects.  BELOW: sets the bytes of all containers
 * below a named one, too.  Returns how many containers TEXT names.
 */
size_t where_containers(const struct weft_source *source, const struct where_text *text,
                        bool objects, bool below, uint8_t *bits);
/*
 * Sets BITS[s] to 1 for each site s of the schema whose text (weft_site_text()) TEXT names;
 * the others stay.  BITS has n_sites bytes.  Returns how many were newly set.
 */
size_t where_sites(const struct weft_schema *schema, const struct where_text *text,
                   uint8_t *bits);

/* ---- What was compiled (where_compile.c) ---- */

/* The test that a node of a compiled selection makes on a state, an event or a link. */
enum where_test {
    TEST_ALL,
    TEST_AND,
    TEST_OR,
    TEST_NOT,
    TEST_NAMED,    /* the value or the type has a bit */
    TEST_ROW,      /* the row, or an end of a link */
    TEST_FROM,     /* the begin of a link */
    TEST_TO,       /* the end of a link */
    TEST_DURATION, /* compared with `number` */
    TEST_BEGIN,
    TEST_END,
    TEST_TIME, /* overlaps `span` */
    TEST_FIELD,
};

/* A number that a field, or a duration or time (in ticks), is compared with. */
struct where_number {
    bool whole; /* `integer` is it; else `real` */
    int64_t integer;
    double real;
};

/* A field that a term looks at. */
struct where_field {
    uint32_t type, field;      /* indices in the schema's types and fields */
    enum weft_field_kind kind; /* of the field */
};

/* The question of a TEST_FIELD about a wait (who_ended_wait.h), beside its own fields. */
enum where_awaited {
    AWAITED_NOTHING,
    AWAITED_PARTNER,      /* the processor for whose message it was; a message's ends */
    AWAITED_WAKER,        /* the row that ended it; of a wake-up, where it begins */
    AWAITED_COMMUNICATOR, /* that of the message */
    AWAITED_TAG,          /* the same */
};

/* A node of a compiled selection: a term, or AND, OR, NOT of others. */
struct where_node {
    enum where_test test;
    /* first child, next sibling: indices in weft_where.nodes; WEFT_NONE: none */
    uint32_t first, next;
    unsigned cost; /* siblings are in rising order of it */
    enum where_operator op;
    struct where_number number;
    struct weft_span span;
    /* A byte for each index of the schema's table: 1 if it matches. */
    uint8_t *values, *types, *any_of_type; /* TEST_NAMED; any: some value of the type */
    uint8_t *containers, *sites, *strings; /* NULL: no field has that kind */
    bool none;                             /* matches what has no value, field or end */
    bool links_to;                         /* TEST_FIELD: of a link, where it arrives */
    enum where_awaited awaited;            /* of a TEST_FIELD */
    bool first_decides; /* TEST_FIELD: the first field that a thing has, not any */
    const struct where_field *fields;
    size_t n_fields;
};

/* A compiled selection; only read after weft_where_new(). */
struct weft_where {
    const struct weft_source *source;     /* borrowed */
    struct weft_arena arena;              /* of the nodes and all that they point to */
    struct where_node *nodes;             /* [n_nodes] */
    uint32_t n_nodes, root;               /* root: index in nodes */
    struct weft_span span;                /* ticks: nothing outside of it matches */
    struct weft_wait_ends_finder *finder; /* NULL unless a term needs it */
    bool needs_finder;                    /* a node is `awaited` */
};

#endif
