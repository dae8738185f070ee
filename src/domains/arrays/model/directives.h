/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser of directives that say how arrays are distributed (distribution.h).  Used in
 * this folder only.  directive_lines.c splits a text into statements, directive_words.c
 * parses words and expressions, directive_entities.c keeps the named entities, directives.c
 * reads HPF's directives, scalapack_and_owner_maps.c Weft's own, and directive_resolve.c
 * turns them into distributions.
 */
#ifndef WEFT_ARRAY_DIRECTIVES_H
#define WEFT_ARRAY_DIRECTIVES_H

#include "base/hash_map.h"
#include "domains/arrays/model/distribution_priv.h"

/* ---- Statements ---- */

/* A statement of the text: a line without its directive mark (such as !HPF$) and comment,
   joined with its continuation lines by blanks.  Its memory is reused for the next one. */
struct directive_statement {
    char *text;      /* terminated by NUL */
    uint32_t *lines; /* [n + 1], line in the file of each character of TEXT, from 1 */
    size_t n, text_capacity, line_capacity; /* N: length of TEXT */
    bool marked;                            /* it is a directive: its line has a mark */
};

/* An iterator over the statements of a text. */
struct directive_lines {
    const char *at, *end; /* the rest of the text */
    uint32_t line;        /* of AT, from 1 */
    bool source;          /* some line has a mark, so others may be any Fortran */
};

/* Begins at the first line of TEXT, of SIZE bytes, which is not copied; looks through all
   lines for a mark. */
void directive_lines_begin(struct directive_lines *lines, const char *text, size_t size);
/*
 * Reads the next statement that is neither blank nor a comment into *STATEMENT, zeroed
 * before the first call, whose memory is reused (the caller frees text and lines at the
 * end); returns false at the end of the text.
 */
bool directive_lines_next(struct directive_lines *lines,
                          struct directive_statement *statement);

/* ---- Named entities ---- */

/* The kinds of entities with names: an array, a template (index space to align arrays
   with), an arrangement of processors. */
enum entity_kind { ENTITY_ARRAY, ENTITY_TEMPLATE, ENTITY_PROCESSORS };

struct format { /* of a distributed dimension */
    enum weft_distribution_format format;
    int64_t block; /* m of BLOCK(m), CYCLIC(m); 0 if not given */
};

/* How an alignment determines the index in one dimension of its target, the entity that is
   aligned with, from an index of the aligned entity; both from 0. */
struct align_place {
    /* A fixed index; one that follows from an index of the aligned entity; or every index,
       each of which has a copy (`*`). */
    enum { PLACE_CONSTANT, PLACE_DIMENSION, PLACE_REPLICATED } kind;
    uint32_t dimension;     /* of the aligned entity */
    int64_t stride, offset; /* from 0: stride * index + offset; a constant: offset */
};

/* An array, template or arrangement of processors. */
struct entity {
    char *name; /* as declared; owned by the parser */
    enum entity_kind kind;
    uint32_t array;   /* number in the profile; WEFT_NONE if not an array of the program */
    bool shape_known; /* all extents are constants; else only RANK is valid */
    uint32_t rank;
    int64_t lower[WEFT_ARRAY_RANK]; /* declared lower bounds, 1 by default */
    uint64_t extent[WEFT_ARRAY_RANK];

    /* Its distribution: nothing is said of it yet; or it is given by FORMAT and TARGET, by
       PLACE and TARGET, or by MAP. */
    enum { ENTITY_FREE, ENTITY_DISTRIBUTED, ENTITY_ALIGNED, ENTITY_MAPPED } state;
    uint32_t line;                         /* line of the directive that set STATE */
    struct format format[WEFT_ARRAY_RANK]; /* by dimension (ENTITY_DISTRIBUTED) */
    int64_t shift[WEFT_ARRAY_RANK];        /* ScaLAPACK: template index of array index 0 */
    /* Index in d->entities: the arrangement that it is distributed onto (WEFT_NONE if no
       ONTO names one), or the entity that it is aligned with. */
    uint32_t target;
    struct align_place place[WEFT_ARRAY_RANK]; /* by dimension of the target */
    const uint32_t *map;                       /* by element: its owner (ENTITY_MAPPED) */
    uint64_t map_processors;                   /* the highest owner in the map, + 1 */
};

/* The kind of a word: the statement's end, a name or keyword, an unsigned number, or
   another character (or ::). */
enum word_kind { WORD_END, WORD_NAME, WORD_NUMBER, WORD_SIGN };

struct word { /* a token */
    enum word_kind kind;
    size_t at, n;   /* offset and length in the statement */
    int64_t number; /* WORD_NUMBER: its value */
    char sign;      /* WORD_SIGN: the character; ';' stands for :: */
};

/* The state of the parser of one text with directives, which distribute arrays. */
struct directives {
    const char *file;                   /* its name, for errors and the text of maps */
    const struct weft_profile *profile; /* has the program's arrays */
    struct weft_err *err;               /* not NULL */
    struct weft_distributions *set;     /* the result */
    struct directive_lines lines;
    struct directive_statement statement; /* the current one */
    struct word word; /* the next one, which no function has used up yet */

    struct entity *entities; /* [n_entities] named so far; the program's arrays first */
    size_t n_entities, entity_capacity;
    /* From a letter for the kind and a name to the index in `entities` (an array or
       template, or an arrangement) or in `constants`. */
    struct weft_text_map names;
    /* By rank: the number of arrangements of processors, and the latest of them (an index
       in `entities`). */
    struct {
        uint32_t n, last;
    } arrangements[WEFT_ARRAY_RANK + 1];
    int64_t *constants; /* [n_constants]: values of Fortran's constants */
    size_t n_constants, constant_capacity;
    uint64_t resolved; /* number of alignments and distributions resolved so far */
    uint32_t *placed;  /* indices of entities with a distribution, alignment or map */
    size_t n_placed, placed_capacity, n_sorted; /* the first N_SORTED are in order */

    uint32_t step;   /* the step from which directives hold */
    bool stepped;    /* after a STEP, entities may be distributed again */
    bool changed;    /* an entity was placed since directive_resolve() was last called */
    bool mismatched; /* an array is declared with a shape that it does not have */
    /* The map whose numbers are being read. */
    uint32_t mapped; /* index of its entity; WEFT_NONE if none is being read */
    uint32_t *map;   /* [map_n] owners, by number of the element */
    /* Numbers so far; elements of the array; processors of its arrangement, 0 without. */
    uint64_t map_n, map_size, map_limit;
    size_t map_capacity;
};

/* ---- Words and expressions ---- */

/* Sets *d->err to WEFT_ERR_FORMAT, with the file's name, the line of the next word and the
   printed text FMT; returns false. */
bool directive_fail(struct directives *d, const char *fmt, ...) WEFT_PRINTF(2, 3);
/* Sets *d->err to WEFT_ERR_FORMAT, with the file's name, LINE (from 1; 0: no line) and the
   printed text FMT; returns false. */
bool directive_fail_at(struct directives *d, uint32_t line, const char *fmt, ...)
    WEFT_PRINTF(3, 4);
/* Returns the line in the file, from 1, of the next word, d->word; at the statement's end
   its last line. */
uint32_t directive_line(const struct directives *d);
/*
 * Sets d->word to the first word of d->statement (WORD_END if it is empty).  Returns false
 * with WEFT_ERR_FORMAT in *d->err, like all functions that parse, if the word is a number
 * that is too large.
 */
bool directive_first_word(struct directives *d) WEFT_MUST_CHECK;
/* Sets d->word to the word after d->word in d->statement (WORD_END if there is none);
   returns false with *d->err, WEFT_ERR_FORMAT, if that is a number that is too large. */
bool directive_next_word(struct directives *d) WEFT_MUST_CHECK;
/* Returns true if the next word, d->word, is NAME; case is ignored. */
bool directive_is(const struct directives *d, const char *name);
/* Returns true if the next word, d->word, is the character SIGN (';' stands for ::). */
bool directive_at(const struct directives *d, char sign);
/* Sets *TAKEN to true if the next word is the character SIGN (';' stands for ::), and goes
   on to the word behind it; else to false.  Returns false with *d->err, WEFT_ERR_FORMAT,
   only if the word behind it is invalid. */
bool directive_skip(struct directives *d, char sign, bool *taken) WEFT_MUST_CHECK;
/* Skips the character SIGN (';' stands for ::), which must be the next word.  Returns false
   with *d->err, WEFT_ERR_FORMAT, if it is not (the error says WHERE it is missing, such as
   "behind the name"), or if the word behind it is invalid. */
bool directive_expect(struct directives *d, char sign, const char *where) WEFT_MUST_CHECK;
/* Returns true if the statement ends here; else false with *d->err, WEFT_ERR_FORMAT. */
bool directive_expect_end(struct directives *d) WEFT_MUST_CHECK;
/*
 * Reads the next word, a name, into *OUT, which the caller frees.  Returns false with
 * *d->err, WEFT_ERR_FORMAT: if it is no name, the error says that the name of WHAT (such as
 * "an array") is missing, and *OUT is unchanged; if the word behind the name is invalid,
 * *OUT is NULL.
 */
bool directive_name(struct directives *d, const char *what, char **out) WEFT_MUST_CHECK;

/* The expression factor * NAMES[name] + constant, NAMES being the argument of
   directive_expression(); `name` is -1 if no name occurs, and `factor` then 0. */
struct linear {
    int64_t constant, factor;
    int name; /* index in NAMES */
};
/*
 * Reads an expression from d->word on, with + - * / and parentheses, into *OUT: a constant,
 * or linear in one of NAMES[N], the dummy indices of an ALIGN; NAMES may be NULL with N 0,
 * and entries of it NULL.  Other names must be constants (directive_define()).  The word
 * behind it is then next.  Returns false with *d->err, WEFT_ERR_FORMAT, if it is none.
 */
bool directive_expression(struct directives *d, char *const *names, uint32_t n,
                          struct linear *out) WEFT_MUST_CHECK;
/* Reads a constant expression with + - * / and parentheses from d->word on, and sets *OUT
   to its value; the word behind it is then next.  Returns false with *d->err,
   WEFT_ERR_FORMAT, if it is none. */
bool directive_constant(struct directives *d, int64_t *out) WEFT_MUST_CHECK;

/* ---- Constants ---- */

/* Defines a constant of Fortran (PARAMETER) with VALUE.  NAME has N bytes and is copied;
   its case is ignored, and of several definitions the first counts. */
void directive_define(struct directives *d, const char *name, size_t n, int64_t value);
/* Sets *OUT to the value of the constant NAME of N bytes, ignoring case; returns false, and
   leaves *OUT, if it is not defined. */
bool directive_value(const struct directives *d, const char *name, size_t n, int64_t *out);

/* ---- Entities ---- */

/*
 * Returns the index in d->entities of an arrangement of processors (if PROCESSORS), else of
 * an array or template, by name; case matters only if two names differ in nothing else.
 * WEFT_NONE if there is none.
 */
uint32_t directive_find(const struct directives *d, const char *name, bool processors);
/* Adds an entity of KIND, without a shape and a distribution, even if its name exists
   (directive_find() then finds the first one); NAME is copied.  Returns its index in
   d->entities, whose address may change. */
uint32_t directive_add(struct directives *d, const char *name, enum entity_kind kind);
/*
 * Reads d->word, the name of an entity of this KIND (arrays and templates are one kind),
 * and sets *OUT to its index in d->entities.  Returns false with *d->err, WEFT_ERR_FORMAT,
 * if it is no name or there is no such entity; the error then lists those that there are.
 */
bool directive_entity(struct directives *d, enum entity_kind kind,
                      uint32_t *out) WEFT_MUST_CHECK;
/*
 * Reads the bounds after an entity's name, such as (10, 0:9), from d->word, the "(", on,
 * into the rank, lower bounds (1 unless given) and extents of *ENTITY, and sets its
 * shape_known: false only if MAY_BE_UNKNOWN, which allows bounds that are no constants, and
 * there are such.  Returns false with *d->err, WEFT_ERR_FORMAT, if they are invalid.
 */
bool directive_bounds(struct directives *d, struct entity *entity,
                      bool may_be_unknown) WEFT_MUST_CHECK;
/*
 * Notes that a directive distributes ENTITY, which is in d->entities: sets entity->state to
 * STATE (ENTITY_DISTRIBUTED, _ALIGNED or _MAPPED), entity->line to the line of the next
 * word and d->changed.  Until the first STEP directive (STEP 0 does not count) a state can
 * be set once: returns false with *d->err, WEFT_ERR_FORMAT, if it was set before.  After
 * that directive it can be set any number of times, and the last one counts.
 */
bool directive_place(struct directives *d, struct entity *entity,
                     int state) WEFT_MUST_CHECK;

/* ---- Kinds of statements ---- */

/*
 * Reads a declaration of Fortran, like `INTEGER B(10, 11)` or PARAMETER, whose first word
 * is d->word; *KNOWN is false, and nothing is read, if the statement is none.  Returns
 * false with *d->err, WEFT_ERR_FORMAT, only if an array of the program has another shape
 * there; other errors in it are ignored.
 */
bool directive_declaration(struct directives *d, bool *known) WEFT_MUST_CHECK;
/* Reads the directive DESCRIPTOR (an array descriptor of ScaLAPACK) ONTO P, d->word being
   its first word, and places its array (directive_place()).  Returns false with *d->err,
   WEFT_ERR_FORMAT, if it is invalid. */
bool directive_descriptor(struct directives *d) WEFT_MUST_CHECK;
/* Reads the directive MAP B ONTO P, which begins a map; d->word is the word MAP.  The map's
   numbers follow in lines of their own, until directive_map_end().  Returns false with
   *d->err, WEFT_ERR_FORMAT, if it is invalid. */
bool directive_map(struct directives *d) WEFT_MUST_CHECK;
/*
 * Reads the rest of a statement, from d->word on, as the next numbers of the map that is
 * being read (directive_map()): owners of elements, processors from 0, row by row, with or
 * without commas.  Returns false with *d->err, WEFT_ERR_FORMAT, if one is no processor, or
 * they are too many.
 */
bool directive_map_numbers(struct directives *d) WEFT_MUST_CHECK;
/* Ends the map that is being read and gives it to d->set, which frees it; does nothing if
   none is being read.  Returns false with *d->err, WEFT_ERR_FORMAT, if numbers are
   missing. */
bool directive_map_end(struct directives *d) WEFT_MUST_CHECK;
/*
 * Reads d->statement and all after it, which are only numbers, as the map of the program's
 * only array, and adds the distribution to d->set.  Returns false with *d->err if there is
 * not exactly one array, or the numbers are no map of it.
 */
bool directive_bare_map(struct directives *d) WEFT_MUST_CHECK;

/* Turns the directives read so far into a distribution of each array of the program that
   they distribute, and adds these to d->set, valid from d->step on; does nothing if none
   was read since the last call.  Returns false with *d->err, WEFT_ERR_FORMAT, if one is
   invalid. */
bool directive_resolve(struct directives *d) WEFT_MUST_CHECK;

#endif
