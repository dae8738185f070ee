/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading directives: inside this folder.  directive_lines.c cuts a text into statements,
 * directive_words.c these into words and expressions, directive_entities.c knows what has a
 * name, directives.c what HPF's directives say, directive_maps.c what Weft's own do, and
 * directive_resolve.c makes distributions of it all.
 */
#ifndef WEFT_ARRAY_DIRECTIVES_H
#define WEFT_ARRAY_DIRECTIVES_H

#include "domains/arrays/model/distribution_priv.h"
#include "base/map.h"

/* ---- Statements ---- */

/* A line without what marks it as a directive, and the lines that continue it. */
struct directive_statement {
    char *text;      /* ends with a 0 */
    uint32_t *lines; /* of the file, by character */
    size_t n, text_capacity, line_capacity;
    bool marked; /* by !HPF$ */
};

struct directive_lines {
    const char *at, *end;
    uint32_t line; /* of AT, from 1 */
    bool source;   /* some line is marked: what is not may be any Fortran */
};

void directive_lines_begin(struct directive_lines *lines, const char *text, size_t size);
/* The next statement that is no comment; false: there are no more. */
bool directive_lines_next(struct directive_lines *lines,
                          struct directive_statement *statement);

/* ---- What has a name ---- */

enum entity_kind { ENTITY_ARRAY, ENTITY_TEMPLATE, ENTITY_PROCESSORS };

struct format {
    enum weft_distribution_format format;
    int64_t block; /* 0: nothing is said */
};

/* Where a place in one dimension of the target of an alignment comes from. */
struct align_place {
    enum { PLACE_CONSTANT, PLACE_DIMENSION, PLACE_REPLICATED } kind;
    uint32_t dimension;     /* of what is aligned */
    int64_t stride, offset; /* from 0: stride * index + offset; of a constant the offset */
};

struct entity {
    char *name;
    enum entity_kind kind;
    uint32_t array; /* of the profile, or WEFT_NONE */
    bool shape_known;
    uint32_t rank;
    int64_t lower[WEFT_ARRAY_RANK];
    uint64_t extent[WEFT_ARRAY_RANK];

    enum { ENTITY_FREE, ENTITY_DISTRIBUTED, ENTITY_ALIGNED, ENTITY_MAPPED } state;
    uint32_t line; /* of the directive that says so */
    struct format format[WEFT_ARRAY_RANK];
    int64_t shift[WEFT_ARRAY_RANK]; /* ScaLAPACK: places before the first index */
    uint32_t target;                /* arrangement or WEFT_NONE; what it is aligned with */
    struct align_place place[WEFT_ARRAY_RANK]; /* by dimension of the target */
    const uint32_t *map;
    uint64_t map_processors;
};

enum word_kind { WORD_END, WORD_NAME, WORD_NUMBER, WORD_SIGN };

struct word {
    enum word_kind kind;
    size_t at, n; /* in the statement */
    int64_t number;
    char sign; /* ';' stands for :: */
};

struct directives {
    const char *file;
    const struct weft_profile *profile;
    struct weft_err *err;
    struct weft_distributions *set;
    struct directive_lines lines;
    struct directive_statement statement;
    struct word word; /* the next one */

    struct entity *entities;
    size_t n_entities, entity_capacity;
    struct weft_text_map names; /* of entities and constants, to what they are */
    /*
     * By dimensions: how many arrangements of processors there are, and the last of them.
     */
    struct {
        uint32_t n, last;
    } arrangements[WEFT_ARRAY_RANK + 1];
    int64_t *constants;
    size_t n_constants, constant_capacity;
    uint64_t resolved; /* alignments and distributions so far */
    uint32_t *placed;  /* entities of which it is said where they lie */
    size_t n_placed, placed_capacity, n_sorted;

    uint32_t step;
    bool stepped;    /* a STEP was there: what was said before may be said anew */
    bool changed;    /* since the last step */
    bool mismatched; /* an array is declared with another shape than it has */

    /* A map whose numbers are being read. */
    uint32_t mapped; /* entity, or WEFT_NONE */
    uint32_t *map;
    uint64_t map_n, map_size, map_limit; /* numbers so far, and in all; processors, or 0 */
    size_t map_capacity;
};

/* ---- Words and expressions ---- */

/* An error at the line of the next word. */
bool directive_fail(struct directives *d, const char *fmt, ...) WEFT_PRINTF(2, 3);
bool directive_fail_at(struct directives *d, uint32_t line, const char *fmt, ...)
    WEFT_PRINTF(3, 4);
uint32_t directive_line(const struct directives *d);
/* Begin with the first word of the statement; go on to the one behind the next. */
bool directive_first_word(struct directives *d) WEFT_MUST_CHECK;
bool directive_next_word(struct directives *d) WEFT_MUST_CHECK;
/* Is the next word that name (in upper case), or that sign? */
bool directive_is(const struct directives *d, const char *name);
bool directive_at(const struct directives *d, char sign);
/* Take that sign, when it is next: *TAKEN.  False: an error. */
bool directive_take(struct directives *d, char sign, bool *taken) WEFT_MUST_CHECK;
bool directive_expect(struct directives *d, char sign, const char *where) WEFT_MUST_CHECK;
bool directive_expect_end(struct directives *d) WEFT_MUST_CHECK;
/* A name; the caller frees. */
bool directive_name(struct directives *d, const char *what, char **out) WEFT_MUST_CHECK;

/* factor * NAMES[name] + constant; a name of -1: none occurs. */
struct linear {
    int64_t constant, factor;
    int name;
};
/* NAMES: the dummies of an alignment; N may be 0. */
bool directive_expression(struct directives *d, char *const *names, uint32_t n,
                          struct linear *out) WEFT_MUST_CHECK;
bool directive_constant(struct directives *d, int64_t *out) WEFT_MUST_CHECK;

/* ---- Constants ---- */

/* PARAMETER gives a name of N bytes a value: the first one counts, whatever the case is. */
void directive_define(struct directives *d, const char *name, size_t n, int64_t value);
bool directive_value(const struct directives *d, const char *name, size_t n, int64_t *out);

/* ---- Entities ---- */

/*
 * An arrangement of PROCESSORS, or else an array or template, by name: without case, unless
 * two differ in nothing else.  WEFT_NONE: there is none.
 */
uint32_t directive_find(const struct directives *d, const char *name, bool processors);
uint32_t directive_add(struct directives *d, const char *name, enum entity_kind kind);
/* Take the name of an entity of a kind, or fail and say which there are. */
bool directive_entity(struct directives *d, enum entity_kind kind,
                      uint32_t *out) WEFT_MUST_CHECK;
/* The bounds behind a name: (10, 0:9).  UNKNOWN: they may be no constants. */
bool directive_bounds(struct directives *d, struct entity *entity,
                      bool may_be_unknown) WEFT_MUST_CHECK;
/* From now on it lies otherwise; fails when that was said in this step already. */
bool directive_place(struct directives *d, struct entity *entity,
                     int state) WEFT_MUST_CHECK;

/* ---- Kinds of statements ---- */

/* `INTEGER B(10, 11)`, PARAMETER; *KNOWN: it was one. */
bool directive_declaration(struct directives *d, bool *known) WEFT_MUST_CHECK;
/* DESCRIPTOR and MAP, and the numbers of a map. */
bool directive_descriptor(struct directives *d) WEFT_MUST_CHECK;
bool directive_map(struct directives *d) WEFT_MUST_CHECK;
bool directive_map_numbers(struct directives *d) WEFT_MUST_CHECK;
bool directive_map_end(struct directives *d) WEFT_MUST_CHECK;
/* A file of nothing but numbers. */
bool directive_bare_map(struct directives *d) WEFT_MUST_CHECK;

/* What was said so far holds from D->step on. */
bool directive_resolve(struct directives *d) WEFT_MUST_CHECK;

#endif
